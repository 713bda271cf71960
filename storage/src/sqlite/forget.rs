//! Taking out of a log what is noted as forgotten: here a trigger lets it through.

use super::Conn;
use crate::ids::{CallId, PassportId, TenantId};

pub(super) async fn call_log(conn: &mut Conn, tenant: TenantId, call: CallId) -> sqlx::Result<i64> {
    let done = sqlx::query("delete from call_log where tenant_id = $1 and call_id = $2")
        .bind(tenant)
        .bind(call)
        .execute(conn)
        .await?;
    Ok(i64::try_from(done.rows_affected()).unwrap_or(i64::MAX))
}

pub(super) async fn ledger(conn: &mut Conn, tenant: TenantId, passport: PassportId) -> sqlx::Result<i64> {
    let done = sqlx::query("delete from passport_ledger where tenant_id = $1 and passport_id = $2")
        .bind(tenant)
        .bind(passport)
        .execute(conn)
        .await?;
    Ok(i64::try_from(done.rows_affected()).unwrap_or(i64::MAX))
}
