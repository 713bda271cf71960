//! The platform's own rows: tenants, their wrapped keys, and the numbers that reach them.

use sqlx::types::Json;

use super::{Conn, Database, taken};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::ids::TenantId;
use crate::keys::WrappedKey;
use crate::platform_records::{Line, Tenant};
use crate::store::Directory;
use crate::zones::normalise_phone;

/// The platform's own rows on this back end.
#[derive(Debug)]
pub struct PlatformStore {
    pub(super) db: Database,
}

impl PlatformStore {
    pub(super) fn on(db: Database) -> Self {
        Self { db }
    }

    /// The folder's key check; the one given is kept when there is none yet.
    pub(crate) async fn key_check(&self, fresh: Vec<u8>) -> Result<Vec<u8>, StorageError> {
        let mut write = self.db.write().await?;
        let step = key_check(write.conn(), fresh).await;
        write.finish(step).await
    }

    pub(crate) async fn insert_tenant(
        &self,
        tenant: &Tenant,
        keys: &[WrappedKey],
    ) -> Result<(), StorageError> {
        let mut write = self.db.write().await?;
        let step = insert_tenant(write.conn(), tenant, keys).await;
        write.finish(step).await
    }

    pub(crate) async fn tenant_keys(&self, id: TenantId) -> Result<Vec<WrappedKey>, StorageError> {
        let mut conn = self.db.read().await?;
        self.db.named(tenant_keys(&mut conn, id).await)
    }

    pub(crate) async fn ping(&self) -> Result<(), StorageError> {
        self.db.ping().await
    }

    pub(crate) async fn close(&self) {
        self.db.close().await;
    }
}

impl Directory for PlatformStore {
    async fn tenants(&self) -> Result<Vec<Tenant>, StorageError> {
        let mut conn = self.db.read().await?;
        self.db.named(tenants(&mut conn).await)
    }

    async fn tenant_by_id(&self, id: TenantId) -> Result<Option<Tenant>, StorageError> {
        let mut conn = self.db.read().await?;
        self.db.named(tenant_by_id(&mut conn, id).await)
    }

    async fn tenant_by_slug(&self, slug: &str) -> Result<Option<Tenant>, StorageError> {
        let mut conn = self.db.read().await?;
        self.db.named(tenant_by_slug(&mut conn, slug).await)
    }

    async fn rename_tenant(&self, id: TenantId, name: &str, timezone: &str) -> Result<(), StorageError> {
        let mut write = self.db.write().await?;
        let step = rename_tenant(write.conn(), id, name, timezone).await;
        write.finish(step).await
    }

    async fn remove_line(&self, tenant: TenantId, number: &str) -> Result<bool, StorageError> {
        let Some(number) = normalise_phone(number) else { return Ok(false) };
        let mut write = self.db.write().await?;
        let step = remove_line(write.conn(), tenant, &number).await;
        write.finish(step).await
    }

    async fn put_line(&self, line: Line) -> Result<(), StorageError> {
        let mut write = self.db.write().await?;
        let step = put_line(write.conn(), &line).await;
        write.finish(step).await
    }

    async fn line(&self, number: &str) -> Result<Option<Line>, StorageError> {
        let Some(number) = normalise_phone(number) else { return Ok(None) };
        let mut conn = self.db.read().await?;
        self.db.named(line(&mut conn, &number).await)
    }

    async fn lines(&self, tenant: TenantId) -> Result<Vec<Line>, StorageError> {
        let mut conn = self.db.read().await?;
        self.db.named(lines(&mut conn, tenant).await)
    }
}

async fn key_check(conn: &mut Conn, fresh: Vec<u8>) -> Step<Vec<u8>> {
    sqlx::query("insert into key_check (id, sealed) values (1, $1) on conflict (id) do nothing")
        .bind(fresh)
        .execute(&mut *conn)
        .await?;
    Ok(sqlx::query_scalar("select sealed from key_check where id = 1").fetch_one(conn).await?)
}

async fn insert_tenant(conn: &mut Conn, tenant: &Tenant, keys: &[WrappedKey]) -> Step<()> {
    sqlx::query("insert into tenants (id, slug, name, timezone, created_at) values ($1, $2, $3, $4, $5)")
        .bind(tenant.id)
        .bind(&tenant.slug)
        .bind(&tenant.name)
        .bind(&tenant.timezone)
        .bind(tenant.created_at)
        .execute(&mut *conn)
        .await
        .map_err(|error| taken(error, "slug"))?;
    for key in keys {
        sqlx::query(
            "insert into tenant_keys (tenant_id, purpose, key_id, wrapped, created_at) values ($1, $2, $3, $4, $5)",
        )
        .bind(tenant.id)
        .bind(key.purpose)
        .bind(i64::from(key.key_id))
        .bind(&key.wrapped)
        .bind(now())
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

async fn tenant_keys(conn: &mut Conn, id: TenantId) -> Step<Vec<WrappedKey>> {
    let query =
        sqlx::query_as("select purpose, key_id, wrapped from tenant_keys where tenant_id = $1").bind(id);
    Ok(query.fetch_all(conn).await?)
}

async fn tenants(conn: &mut Conn) -> Step<Vec<Tenant>> {
    let query = sqlx::query_as(
        "select id, slug, name, timezone, created_at from tenants where id <> $1 order by slug",
    )
    .bind(TenantId::PLATFORM);
    Ok(query.fetch_all(conn).await?)
}

async fn tenant_by_id(conn: &mut Conn, id: TenantId) -> Step<Option<Tenant>> {
    let query =
        sqlx::query_as("select id, slug, name, timezone, created_at from tenants where id = $1").bind(id);
    Ok(query.fetch_optional(conn).await?)
}

async fn tenant_by_slug(conn: &mut Conn, slug: &str) -> Step<Option<Tenant>> {
    let query =
        sqlx::query_as("select id, slug, name, timezone, created_at from tenants where slug = $1").bind(slug);
    Ok(query.fetch_optional(conn).await?)
}

async fn rename_tenant(conn: &mut Conn, id: TenantId, name: &str, timezone: &str) -> Step<()> {
    let done = sqlx::query("update tenants set name = $2, timezone = $3 where id = $1")
        .bind(id)
        .bind(name)
        .bind(timezone)
        .execute(conn)
        .await?;
    match done.rows_affected() {
        0 => Err(StorageError::NotFound { what: "tenant" }.into()),
        _ => Ok(()),
    }
}

async fn remove_line(conn: &mut Conn, tenant: TenantId, number: &str) -> Step<bool> {
    let done = sqlx::query("delete from lines where tenant_id = $1 and number = $2")
        .bind(tenant)
        .bind(number)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() > 0)
}

async fn put_line(conn: &mut Conn, line: &Line) -> Step<()> {
    let Some(number) = normalise_phone(&line.number) else {
        return Err(StorageError::Invalid { what: "a line's number must be a phone number in E.164" }.into());
    };
    let done = sqlx::query(
        "insert into lines (number, tenant_id, name, languages, greeting, recording_consent)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (number) do update set name = excluded.name, languages = excluded.languages,
            greeting = excluded.greeting, recording_consent = excluded.recording_consent
         where lines.tenant_id = excluded.tenant_id",
    )
    .bind(number)
    .bind(line.tenant_id)
    .bind(&line.name)
    .bind(Json(&line.languages))
    .bind(&line.greeting)
    .bind(line.recording_consent)
    .execute(conn)
    .await?;
    match done.rows_affected() {
        0 => Err(StorageError::Taken { what: "number" }.into()),
        _ => Ok(()),
    }
}

async fn line(conn: &mut Conn, number: &str) -> Step<Option<Line>> {
    let query = sqlx::query_as(
        "select number, tenant_id, name, languages, greeting, recording_consent from lines where number = $1",
    )
    .bind(number);
    Ok(query.fetch_optional(conn).await?)
}

async fn lines(conn: &mut Conn, tenant: TenantId) -> Step<Vec<Line>> {
    let query = sqlx::query_as(
        "select number, tenant_id, name, languages, greeting, recording_consent from lines
         where tenant_id = $1 order by number",
    )
    .bind(tenant);
    Ok(query.fetch_all(conn).await?)
}
