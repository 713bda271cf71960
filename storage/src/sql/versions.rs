//! Versions of a tenant's document and of its teams.

use chrono::{DateTime, Utc};

use super::settings::{count_up, put};
use super::tenant::{Scope, TenantStore};
use super::{Conn, page_size};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::store::Versions;
use crate::versions::{MOST_VERSIONS, NewVersion, Version, VersionKind};

#[derive(sqlx::FromRow)]
struct VersionRow {
    name: String,
    #[sqlx(try_from = "i64")]
    version: u32,
    made_at: DateTime<Utc>,
    actor: String,
    changes: String,
    body: Option<String>,
}

impl Versions for TenantStore {
    async fn keep_version(&self, new: NewVersion) -> Result<u32, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = keep(write.conn(), &core.scope, &new).await;
        write.finish(step).await
    }

    async fn version(
        &self,
        kind: VersionKind,
        name: &str,
        version: u32,
    ) -> Result<Option<Version>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let kept: Result<Option<VersionRow>, sqlx::Error> = sqlx::query_as(
            "select name, version, made_at, actor, changes, body from versions
             where tenant_id = $1 and kind = $2 and name = $3 and version = $4",
        )
        .bind(core.scope.tenant)
        .bind(kind)
        .bind(name)
        .bind(i64::from(version))
        .fetch_optional(&mut *conn)
        .await;
        core.db.named(kept.map(|kept| kept.map(opened)).map_err(Into::into))
    }

    async fn versions(
        &self,
        kind: VersionKind,
        name: &str,
        before: Option<u32>,
        limit: u32,
    ) -> Result<Vec<Version>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let kept: Result<Vec<VersionRow>, sqlx::Error> = sqlx::query_as(
            "select name, version, made_at, actor, changes, body from versions
             where tenant_id = $1 and kind = $2 and name = $3 and version < $4 order by version desc limit $5",
        )
        .bind(core.scope.tenant)
        .bind(kind)
        .bind(name)
        .bind(before.map_or(i64::MAX, i64::from))
        .bind(page_size(limit))
        .fetch_all(&mut *conn)
        .await;
        core.db.named(kept.map(|kept| kept.into_iter().map(opened).collect()).map_err(Into::into))
    }

    async fn newest_versions(&self, kind: VersionKind) -> Result<Vec<Version>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let kept: Result<Vec<VersionRow>, sqlx::Error> = sqlx::query_as(
            "select name, version, made_at, actor, changes, body from versions v
             where tenant_id = $1 and kind = $2 and version = (select max(w.version) from versions w
                where w.tenant_id = v.tenant_id and w.kind = v.kind and w.name = v.name)
             order by name",
        )
        .bind(core.scope.tenant)
        .bind(kind)
        .fetch_all(&mut *conn)
        .await;
        core.db.named(kept.map(|kept| kept.into_iter().map(opened).collect()).map_err(Into::into))
    }

    async fn version_stamp(&self, kind: VersionKind) -> Result<i64, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let stamp: Result<Option<i64>, sqlx::Error> =
            sqlx::query_scalar("select value from counters where tenant_id = $1 and name = $2")
                .bind(core.scope.tenant)
                .bind(counter(kind))
                .fetch_optional(&mut *conn)
                .await;
        core.db.named(stamp.map(Option::unwrap_or_default).map_err(Into::into))
    }
}

/// Counts what was kept, so that whoever has read it sees that there is more.
const fn counter(kind: VersionKind) -> &'static str {
    match kind {
        VersionKind::Config => "versions.config",
        VersionKind::Team => "versions.team",
    }
}

async fn keep(conn: &mut Conn, scope: &Scope, new: &NewVersion) -> Step<u32> {
    // First: on PostgreSQL it is the lock under which two changes at once come one after the other.
    count_up(&mut *conn, scope, counter(new.kind)).await?;
    let newest: Option<i64> = sqlx::query_scalar(
        "select max(version) from versions where tenant_id = $1 and kind = $2 and name = $3",
    )
    .bind(scope.tenant)
    .bind(new.kind)
    .bind(&new.name)
    .fetch_one(&mut *conn)
    .await?;
    let found = u32::try_from(newest.unwrap_or(0)).unwrap_or(u32::MAX);
    if found != new.expected {
        return Err(StorageError::Conflict { expected: new.expected, found }.into());
    }
    let version = found.saturating_add(1);
    let changes = serde_json::to_string(&new.changes)
        .map_err(|_| StorageError::Invalid { what: "changes that are no JSON" })?;
    sqlx::query(
        "insert into versions (tenant_id, kind, name, version, made_at, actor, changes, body)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(scope.tenant)
    .bind(new.kind)
    .bind(&new.name)
    .bind(i64::from(version))
    .bind(now())
    .bind(&new.actor)
    .bind(changes)
    .bind(&new.body)
    .execute(&mut *conn)
    .await?;
    sqlx::query("delete from versions where tenant_id = $1 and kind = $2 and name = $3 and version <= $4")
        .bind(scope.tenant)
        .bind(new.kind)
        .bind(&new.name)
        .bind(i64::from(version) - i64::from(MOST_VERSIONS))
        .execute(&mut *conn)
        .await?;
    for (key, value) in &new.settings {
        put(&mut *conn, scope, key, value).await?;
    }
    Ok(version)
}

fn opened(kept: VersionRow) -> Version {
    let VersionRow { name, version, made_at, actor, changes, body } = kept;
    let changes = serde_json::from_str(&changes).unwrap_or_default();
    Version { name, version, made_at, actor, changes, body }
}
