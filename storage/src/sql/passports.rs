//! Passports: the document sealed and under an optimistic lock, the ledger apart and append-only.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::tenant::{Scope, TenantStore};
use super::{Conn, page_size, taken};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::ids::{CallId, PassportId};
use crate::records::{NewPassport, Passport, PassportChange, PassportFilter, PassportHead};
use crate::store::Passports;
use crate::zones::{LEDGER, PASSPORT};

const NO_PASSPORT: StorageError = StorageError::NotFound { what: "passport" };

#[derive(sqlx::FromRow)]
struct PassportRow {
    #[sqlx(try_from = "i64")]
    version: u32,
    team_id: String,
    status: String,
    call_id: Option<CallId>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    document_sealed: Vec<u8>,
}

impl Passports for TenantStore {
    async fn create_passport(&self, new: NewPassport) -> Result<Passport, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = create(write.conn(), &core.scope, &new).await;
        write.finish(step).await
    }

    async fn passport(&self, id: PassportId) -> Result<Option<Passport>, StorageError> {
        let core = &*self.core;
        // The document and its ledger are two reads: what is appended between them is not of this version.
        let mut snapshot = core.db.snapshot().await?;
        core.db.named(by_id(&mut snapshot, &core.scope, id).await)
    }

    async fn update_passport(&self, change: PassportChange) -> Result<u32, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = update(write.conn(), &core.scope, &change).await;
        write.finish(step).await
    }

    async fn list_passports(&self, filter: PassportFilter) -> Result<Vec<PassportHead>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(list(&mut conn, &core.scope, &filter).await)
    }
}

async fn create(conn: &mut Conn, scope: &Scope, new: &NewPassport) -> Step<Passport> {
    let (document, ledger) = take_ledger(&new.document)?;
    let at = now();
    sqlx::query(
        "insert into passports (tenant_id, id, version, team_id, status, call_id, created_at, updated_at,
            document_sealed)
         values ($1, $2, 1, $3, $4, $5, $6, $6, $7)",
    )
    .bind(scope.tenant)
    .bind(new.id)
    .bind(&new.team_id)
    .bind(&new.status)
    .bind(new.call_id)
    .bind(at)
    .bind(scope.sealer.seal_json(PASSPORT, new.id.0.as_bytes(), &document)?)
    .execute(&mut *conn)
    .await
    .map_err(|error| taken(error, "passport"))?;
    append_ledger(conn, scope, new.id, 0, &ledger).await?;
    by_id(conn, scope, new.id).await?.ok_or(NO_PASSPORT.into())
}

/// Gives the new version.
pub(super) async fn update(conn: &mut Conn, scope: &Scope, change: &PassportChange) -> Step<u32> {
    let (document, ledger) = take_ledger(&change.document)?;
    let version = change.expected_version.saturating_add(1);
    let done = sqlx::query(
        "update passports set version = $4, team_id = $5, status = $6, updated_at = $7, document_sealed = $8
         where tenant_id = $1 and id = $2 and version = $3",
    )
    .bind(scope.tenant)
    .bind(change.id)
    .bind(i64::from(change.expected_version))
    .bind(i64::from(version))
    .bind(&change.team_id)
    .bind(&change.status)
    .bind(now())
    .bind(scope.sealer.seal_json(PASSPORT, change.id.0.as_bytes(), &document)?)
    .execute(&mut *conn)
    .await?;
    if done.rows_affected() == 0 {
        return Err(refused(conn, scope, change).await?.into());
    }
    let kept = ledger_length(conn, scope, change.id).await?;
    let Some(added) = ledger.get(kept..) else {
        return Err(StorageError::Invalid { what: "a passport's ledger can only grow" }.into());
    };
    append_ledger(conn, scope, change.id, kept, added).await?;
    Ok(version)
}

/// Why an update found no row.
async fn refused(conn: &mut Conn, scope: &Scope, change: &PassportChange) -> Step<StorageError> {
    let found: Option<i64> =
        sqlx::query_scalar("select version from passports where tenant_id = $1 and id = $2")
            .bind(scope.tenant)
            .bind(change.id)
            .fetch_optional(conn)
            .await?;
    let conflict = |found: i64| StorageError::Conflict {
        expected: change.expected_version,
        found: u32::try_from(found).unwrap_or(u32::MAX),
    };
    Ok(found.map_or(NO_PASSPORT, conflict))
}

async fn by_id(conn: &mut Conn, scope: &Scope, id: PassportId) -> Step<Option<Passport>> {
    let kept: Option<PassportRow> = sqlx::query_as(
        "select version, team_id, status, call_id, created_at, updated_at, document_sealed from passports
         where tenant_id = $1 and id = $2",
    )
    .bind(scope.tenant)
    .bind(id)
    .fetch_optional(&mut *conn)
    .await?;
    let Some(kept) = kept else { return Ok(None) };
    let mut document: Value = scope.sealer.open_json(PASSPORT, id.0.as_bytes(), &kept.document_sealed)?;
    let ledger = read_ledger(conn, scope, id).await?;
    if let Value::Object(fields) = &mut document {
        fields.insert("ledger".to_owned(), Value::Array(ledger));
    }
    Ok(Some(Passport {
        id,
        version: kept.version,
        team_id: kept.team_id,
        status: kept.status,
        call_id: kept.call_id,
        created_at: kept.created_at,
        updated_at: kept.updated_at,
        document,
    }))
}

async fn list(conn: &mut Conn, scope: &Scope, filter: &PassportFilter) -> Step<Vec<PassportHead>> {
    let query = sqlx::query_as(
        "select id, version, team_id, status, call_id, created_at, updated_at from passports
         where tenant_id = $1 and ($2 is null or status = $2) and ($3 is null or team_id = $3)
           and ($4 is null or id < $4)
         order by id desc limit $5",
    )
    .bind(scope.tenant)
    .bind(&filter.status)
    .bind(&filter.team_id)
    .bind(filter.after)
    .bind(page_size(filter.limit));
    Ok(query.fetch_all(conn).await?)
}

/// The document without its ledger, and the ledger.
fn take_ledger(document: &Value) -> Step<(Value, Vec<Value>)> {
    let mut document = document.clone();
    let Some(fields) = document.as_object_mut() else {
        return Err(StorageError::Invalid { what: "a passport must be a JSON object" }.into());
    };
    match fields.remove("ledger") {
        Some(Value::Array(ledger)) => Ok((document, ledger)),
        None => Ok((document, Vec::new())),
        Some(_) => Err(StorageError::Invalid { what: "a passport's ledger must be an array" }.into()),
    }
}

async fn ledger_length(conn: &mut Conn, scope: &Scope, id: PassportId) -> Step<usize> {
    let length: i64 = sqlx::query_scalar(
        "select coalesce(max(seq), 0) from passport_ledger where tenant_id = $1 and passport_id = $2",
    )
    .bind(scope.tenant)
    .bind(id)
    .fetch_one(conn)
    .await?;
    Ok(usize::try_from(length).unwrap_or_default())
}

/// Appends entries after the `kept` that are on record.
async fn append_ledger(
    conn: &mut Conn,
    scope: &Scope,
    id: PassportId,
    kept: usize,
    entries: &[Value],
) -> Step<()> {
    for (offset, entry) in (1..).zip(entries) {
        let seq = i64::try_from(kept).unwrap_or(i64::MAX).saturating_add(offset);
        sqlx::query(
            "insert into passport_ledger (tenant_id, passport_id, seq, recorded_at, entry_sealed)
             values ($1, $2, $3, $4, $5)",
        )
        .bind(scope.tenant)
        .bind(id)
        .bind(seq)
        .bind(now())
        .bind(scope.sealer.seal_json(LEDGER, &entry_id(id, seq), entry)?)
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

async fn read_ledger(conn: &mut Conn, scope: &Scope, id: PassportId) -> Step<Vec<Value>> {
    let sealed: Vec<(i64, Vec<u8>)> = sqlx::query_as(
        "select seq, entry_sealed from passport_ledger where tenant_id = $1 and passport_id = $2 order by seq",
    )
    .bind(scope.tenant)
    .bind(id)
    .fetch_all(conn)
    .await?;
    sealed
        .into_iter()
        .map(|(seq, sealed)| Ok(scope.sealer.open_json(LEDGER, &entry_id(id, seq), &sealed)?))
        .collect()
}

fn entry_id(id: PassportId, seq: i64) -> [u8; 24] {
    let mut bytes = [0; 24];
    bytes[..16].copy_from_slice(id.0.as_bytes());
    bytes[16..].copy_from_slice(&seq.to_be_bytes());
    bytes
}
