//! Rows of call logs, one statement each: a statement costs microseconds here, and the sync is shared anyway.

use std::collections::BTreeMap;

use super::Conn;
use super::call_log::Entry;
use crate::ids::{CallId, TenantId};

/// Inserts rows; a number that is on record already is left as it is.
pub(super) async fn insert(conn: &mut Conn, tenant: TenantId, entries: &[Entry]) -> sqlx::Result<()> {
    for entry in entries {
        sqlx::query(
            "insert into call_log (tenant_id, call_id, seq, at_ms, kind, turn, payload, sealed)
             values ($1, $2, $3, $4, $5, $6, $7, $8)
             on conflict (tenant_id, call_id, seq) do nothing",
        )
        .bind(tenant)
        .bind(entry.call)
        .bind(entry.seq)
        .bind(entry.at_ms)
        .bind(&entry.kind)
        .bind(entry.turn)
        .bind(&entry.payload)
        .bind(&entry.sealed)
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

/// Raises calls' costs, millionths of a US dollar, to what their logs say; none falls.
pub(super) async fn raise_costs(
    conn: &mut Conn,
    tenant: TenantId,
    costs: &BTreeMap<CallId, i64>,
) -> sqlx::Result<()> {
    for (call, micros) in costs {
        sqlx::query(
            "update calls set cost_micros = $3 where tenant_id = $1 and id = $2 and cost_micros < $3",
        )
        .bind(tenant)
        .bind(call)
        .bind(micros)
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}
