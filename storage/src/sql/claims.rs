//! Claims that callers ask about.

use chrono::{DateTime, Utc};

use super::Conn;
use super::tenant::{Scope, TenantStore};
use crate::claim_pin::PinHash;
use crate::error::{Step, StorageError};
use crate::records::Claim;
use crate::references::claim_key;
use crate::store::Claims;
use crate::zones::{HOLDER, PIN};

#[derive(sqlx::FromRow)]
struct ClaimRow {
    claim_number: String,
    status: String,
    status_text: String,
    holder_sealed: Vec<u8>,
    updated_at: DateTime<Utc>,
}

impl Claims for TenantStore {
    async fn insert_claim(&self, claim: Claim) -> Result<(), StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = put(write.conn(), &core.scope, &claim).await;
        write.finish(step).await
    }

    async fn claim(&self, claim_number: &str) -> Result<Option<Claim>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(by_key(&mut conn, &core.scope, &claim_key(claim_number)).await)
    }

    async fn set_claim_pin(&self, claim_number: &str, pin: Option<PinHash>) -> Result<(), StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = put_pin(write.conn(), &core.scope, &claim_key(claim_number), pin.as_ref()).await;
        write.finish(step).await
    }

    async fn claim_pin(&self, claim_number: &str) -> Result<Option<PinHash>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(pin_by_key(&mut conn, &core.scope, &claim_key(claim_number)).await)
    }
}

async fn put(conn: &mut Conn, scope: &Scope, claim: &Claim) -> Step<()> {
    let key = claim_key(&claim.claim_number);
    sqlx::query(
        "insert into claims (tenant_id, number_key, claim_number, status, status_text, holder_sealed, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (tenant_id, number_key) do update set
            claim_number = excluded.claim_number, status = excluded.status, status_text = excluded.status_text,
            holder_sealed = excluded.holder_sealed, updated_at = excluded.updated_at",
    )
    .bind(scope.tenant)
    .bind(&key)
    .bind(&claim.claim_number)
    .bind(&claim.status)
    .bind(&claim.status_text)
    .bind(scope.sealer.seal_json(HOLDER, key.as_bytes(), &claim.holder)?)
    .bind(claim.updated_at)
    .execute(conn)
    .await?;
    Ok(())
}

async fn by_key(conn: &mut Conn, scope: &Scope, key: &str) -> Step<Option<Claim>> {
    let kept: Option<ClaimRow> = sqlx::query_as(
        "select claim_number, status, status_text, holder_sealed, updated_at from claims
         where tenant_id = $1 and number_key = $2",
    )
    .bind(scope.tenant)
    .bind(key)
    .fetch_optional(conn)
    .await?;
    kept.map(|kept| open(scope, key, kept)).transpose()
}

async fn put_pin(conn: &mut Conn, scope: &Scope, key: &str, pin: Option<&PinHash>) -> Step<()> {
    let sealed = pin.map(|pin| scope.sealer.seal_json(PIN, key.as_bytes(), pin)).transpose()?;
    let done = sqlx::query("update claims set pin_sealed = $3 where tenant_id = $1 and number_key = $2")
        .bind(scope.tenant)
        .bind(key)
        .bind(sealed)
        .execute(conn)
        .await?;
    if done.rows_affected() == 0 {
        return Err(StorageError::NotFound { what: "claim" }.into());
    }
    Ok(())
}

async fn pin_by_key(conn: &mut Conn, scope: &Scope, key: &str) -> Step<Option<PinHash>> {
    let kept: Option<(Option<Vec<u8>>,)> =
        sqlx::query_as("select pin_sealed from claims where tenant_id = $1 and number_key = $2")
            .bind(scope.tenant)
            .bind(key)
            .fetch_optional(conn)
            .await?;
    let sealed = kept.and_then(|row| row.0);
    Ok(sealed.map(|sealed| scope.sealer.open_json(PIN, key.as_bytes(), &sealed)).transpose()?)
}

fn open(scope: &Scope, key: &str, kept: ClaimRow) -> Step<Claim> {
    Ok(Claim {
        claim_number: kept.claim_number,
        status: kept.status,
        status_text: kept.status_text,
        holder: scope.sealer.open_json(HOLDER, key.as_bytes(), &kept.holder_sealed)?,
        updated_at: kept.updated_at,
    })
}
