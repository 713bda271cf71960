//! Taking out of a log what is noted as forgotten: the application has no right to, but to call these functions.

use super::Conn;
use crate::ids::{CallId, PassportId, TenantId};

pub(super) async fn call_log(conn: &mut Conn, tenant: TenantId, call: CallId) -> sqlx::Result<i64> {
    sqlx::query_scalar("select forget_call_log($1, $2)").bind(tenant).bind(call).fetch_one(conn).await
}

pub(super) async fn ledger(conn: &mut Conn, tenant: TenantId, passport: PassportId) -> sqlx::Result<i64> {
    sqlx::query_scalar("select forget_ledger($1, $2)").bind(tenant).bind(passport).fetch_one(conn).await
}
