//! Calls that are put through to a person of the office.

use chrono::{DateTime, Utc};

use super::tenant::{Scope, TenantStore};
use super::{Conn, page_size};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::ids::{CallId, TransferId};
use crate::store::Transfers;
use crate::transfers::{NewTransfer, Transfer, TransferResult, TransferStage};

const NO_TRANSFER: StorageError = StorageError::NotFound { what: "transfer" };
/// Transfers of one call that are told.
const MOST: i64 = 50;

#[derive(sqlx::FromRow)]
struct TransferRow {
    id: TransferId,
    call_id: CallId,
    actor: String,
    target: String,
    number: String,
    language: String,
    about: String,
    warm: i64,
    notes: i64,
    stage: TransferStage,
    result: Option<TransferResult>,
    carrier_sid: Option<String>,
    created_at: DateTime<Utc>,
    heard_at: DateTime<Utc>,
}

macro_rules! select_transfers {
    ($rest:literal) => {
        concat!(
            "select id, call_id, actor, target, number, language, about, warm, notes, stage, result, carrier_sid,
                created_at, heard_at
             from transfers where tenant_id = $1 ",
            $rest
        )
    };
}

impl Transfers for TenantStore {
    async fn begin_transfer(&self, new: NewTransfer) -> Result<Transfer, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = begin(write.conn(), &core.scope, &new).await;
        write.finish(step).await
    }

    async fn transfer(&self, id: TransferId) -> Result<Option<Transfer>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(by_id(&mut conn, &core.scope, id).await)
    }

    async fn transfers_of(&self, call: CallId) -> Result<Vec<Transfer>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let kept: Result<Vec<TransferRow>, sqlx::Error> =
            sqlx::query_as(select_transfers!("and call_id = $2 order by id limit $3"))
                .bind(core.scope.tenant)
                .bind(call)
                .bind(MOST)
                .fetch_all(&mut *conn)
                .await;
        core.db.named(kept.map(|kept| kept.into_iter().map(opened).collect()).map_err(Into::into))
    }

    async fn silent_transfers(
        &self,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Transfer>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let kept: Result<Vec<TransferRow>, sqlx::Error> =
            sqlx::query_as(select_transfers!("and stage <> 'ended' and heard_at <= $2 order by id limit $3"))
                .bind(core.scope.tenant)
                .bind(since)
                .bind(page_size(limit))
                .fetch_all(&mut *conn)
                .await;
        core.db.named(kept.map(|kept| kept.into_iter().map(opened).collect()).map_err(Into::into))
    }

    async fn note_transfer(
        &self,
        id: TransferId,
        stage: TransferStage,
        carrier_sid: Option<String>,
    ) -> Result<Option<Transfer>, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = note(write.conn(), &core.scope, id, stage, carrier_sid.as_deref()).await;
        write.finish(step).await
    }

    async fn end_transfer(&self, id: TransferId, result: TransferResult) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let done = sqlx::query(
            "update transfers set stage = 'ended', result = $3, heard_at = $4
             where tenant_id = $1 and id = $2 and stage <> 'ended'",
        )
        .bind(core.scope.tenant)
        .bind(id)
        .bind(result)
        .bind(now())
        .execute(write.conn())
        .await;
        write.finish(done.map(|done| done.rows_affected() > 0).map_err(Into::into)).await
    }

    async fn drop_notes(&self, id: TransferId) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let done =
            sqlx::query("update transfers set notes = 0 where tenant_id = $1 and id = $2 and notes <> 0")
                .bind(core.scope.tenant)
                .bind(id)
                .execute(write.conn())
                .await;
        write.finish(done.map(|done| done.rows_affected() > 0).map_err(Into::into)).await
    }

    async fn drop_transfer(&self, call: CallId) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = drop_asked(write.conn(), &core.scope, call).await;
        write.finish(step).await
    }
}

pub(super) async fn begin(conn: &mut Conn, scope: &Scope, new: &NewTransfer) -> Step<Transfer> {
    drop_asked(conn, scope, new.call).await?;
    let id = TransferId::new();
    sqlx::query(
        "insert into transfers (tenant_id, id, call_id, actor, target, number, language, about, warm, notes, stage,
            created_at, heard_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'asked', $11, $11)",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(new.call)
    .bind(&new.actor)
    .bind(&new.target)
    .bind(&new.number)
    .bind(&new.language)
    .bind(&new.about)
    .bind(i64::from(new.warm))
    .bind(i64::from(new.notes && new.warm))
    .bind(now())
    .execute(&mut *conn)
    .await?;
    by_id(conn, scope, id).await?.ok_or(NO_TRANSFER.into())
}

/// Whatever of the call's was not over gives way: of two wishes the later one counts.
async fn drop_asked(conn: &mut Conn, scope: &Scope, call: CallId) -> Step<bool> {
    let done = sqlx::query(
        "update transfers set stage = 'ended', result = 'dropped', heard_at = $3
         where tenant_id = $1 and call_id = $2 and stage <> 'ended'",
    )
    .bind(scope.tenant)
    .bind(call)
    .bind(now())
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// No news lead back to an earlier stage.
async fn note(
    conn: &mut Conn,
    scope: &Scope,
    id: TransferId,
    stage: TransferStage,
    carrier_sid: Option<&str>,
) -> Step<Option<Transfer>> {
    sqlx::query("update transfers set heard_at = $3 where tenant_id = $1 and id = $2 and stage <> 'ended'")
        .bind(scope.tenant)
        .bind(id)
        .bind(now())
        .execute(&mut *conn)
        .await?;
    let before: &[TransferStage] = match stage {
        TransferStage::Asked | TransferStage::Ended => &[],
        TransferStage::Dialling => &[TransferStage::Asked],
        TransferStage::Accepted => &[TransferStage::Asked, TransferStage::Dialling],
    };
    for earlier in before {
        sqlx::query("update transfers set stage = $3 where tenant_id = $1 and id = $2 and stage = $4")
            .bind(scope.tenant)
            .bind(id)
            .bind(stage)
            .bind(*earlier)
            .execute(&mut *conn)
            .await?;
    }
    if let Some(sid) = carrier_sid {
        sqlx::query(
            "update transfers set carrier_sid = $3
             where tenant_id = $1 and id = $2 and carrier_sid is null",
        )
        .bind(scope.tenant)
        .bind(id)
        .bind(sid)
        .execute(&mut *conn)
        .await?;
    }
    by_id(conn, scope, id).await
}

async fn by_id(conn: &mut Conn, scope: &Scope, id: TransferId) -> Step<Option<Transfer>> {
    let query = sqlx::query_as(select_transfers!("and id = $2")).bind(scope.tenant).bind(id);
    Ok(query.fetch_optional(conn).await?.map(opened))
}

fn opened(kept: TransferRow) -> Transfer {
    Transfer {
        id: kept.id,
        call: kept.call_id,
        actor: kept.actor,
        target: kept.target,
        number: kept.number,
        language: kept.language,
        about: kept.about,
        warm: kept.warm != 0,
        notes: kept.notes != 0,
        stage: kept.stage,
        result: kept.result,
        carrier_sid: kept.carrier_sid,
        created_at: kept.created_at,
        heard_at: kept.heard_at,
    }
}
