//! Rows of call logs: many a statement, because each statement is a journey to the server.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::Conn;
use super::call_log::Entry;
use crate::ids::{CallId, TenantId};

/// A statement carries rows of so many bytes, and at least one. More would not fit into one TLS record of 16 KiB: the
/// rest would wait for the other side's delayed acknowledgement (43 ms measured), because the driver leaves Nagle's
/// algorithm on.
const STATEMENT_BYTES: usize = 12 * 1024;
/// What a row costs beside its texts.
const ROW_BYTES: usize = 96;

/// Inserts rows; a number that is on record already is left as it is.
pub(super) async fn insert(conn: &mut Conn, tenant: TenantId, entries: &[Entry]) -> sqlx::Result<()> {
    let mut rest = entries;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(fitting(rest));
        insert_some(conn, tenant, now).await?;
        rest = later;
    }
    Ok(())
}

/// Has the server parse both statements; of nobody's rows, none.
pub(super) async fn prepare(conn: &mut Conn) -> sqlx::Result<()> {
    let nobody = TenantId(Uuid::nil());
    insert_some(conn, nobody, &[]).await?;
    raise(conn, nobody, &BTreeMap::new()).await
}

/// How many of the first rows go into one statement.
fn fitting(entries: &[Entry]) -> usize {
    let mut bytes = 0;
    let fits = entries.iter().take_while(|entry| {
        let sealed = entry.sealed.as_ref().map_or(0, Vec::len);
        bytes += ROW_BYTES + entry.kind.len() + entry.payload.len() + sealed;
        bytes <= STATEMENT_BYTES
    });
    fits.count().max(1)
}

async fn insert_some(conn: &mut Conn, tenant: TenantId, entries: &[Entry]) -> sqlx::Result<()> {
    let column = |of: fn(&Entry) -> i64| entries.iter().map(of).collect::<Vec<_>>();
    sqlx::query(
        "insert into call_log (tenant_id, call_id, seq, at_ms, kind, turn, payload, sealed)
         select $1, u.call_id, u.seq, u.at_ms, u.kind, u.turn, u.payload, u.sealed
         from unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::text[], $8::bytea[])
            with ordinality as u (call_id, seq, at_ms, kind, turn, payload, sealed, place)
         order by u.place
         on conflict (tenant_id, call_id, seq) do nothing",
    )
    .bind(tenant)
    .bind(entries.iter().map(|entry| entry.call.0).collect::<Vec<_>>())
    .bind(column(|entry| entry.seq))
    .bind(column(|entry| entry.at_ms))
    .bind(entries.iter().map(|entry| entry.kind.as_str()).collect::<Vec<_>>())
    .bind(entries.iter().map(|entry| entry.turn).collect::<Vec<_>>())
    .bind(entries.iter().map(|entry| entry.payload.as_str()).collect::<Vec<_>>())
    .bind(entries.iter().map(|entry| entry.sealed.as_deref()).collect::<Vec<_>>())
    .execute(conn)
    .await
    .map(drop)
}

/// Raises calls' costs, millionths of a US dollar, to what their logs say; none falls.
pub(super) async fn raise_costs(
    conn: &mut Conn,
    tenant: TenantId,
    costs: &BTreeMap<CallId, i64>,
) -> sqlx::Result<()> {
    if costs.is_empty() { Ok(()) } else { raise(conn, tenant, costs).await }
}

async fn raise(conn: &mut Conn, tenant: TenantId, costs: &BTreeMap<CallId, i64>) -> sqlx::Result<()> {
    sqlx::query(
        "update calls c set cost_micros = u.micros
         from unnest($2::uuid[], $3::bigint[]) as u (id, micros)
         where c.tenant_id = $1 and c.id = u.id and c.cost_micros < u.micros",
    )
    .bind(tenant)
    .bind(costs.keys().map(|call| call.0).collect::<Vec<_>>())
    .bind(costs.values().copied().collect::<Vec<_>>())
    .execute(conn)
    .await
    .map(drop)
}

#[cfg(test)]
mod unit {
    use super::*;

    fn entry(bytes: usize) -> Entry {
        Entry {
            call: CallId::new(),
            seq: 1,
            at_ms: 1,
            kind: String::new(),
            turn: None,
            payload: "x".repeat(bytes - ROW_BYTES),
            sealed: None,
        }
    }

    #[test]
    fn a_statement_takes_what_fits_and_at_least_one_row() {
        let rows = |sizes: &[usize]| sizes.iter().map(|size| entry(*size)).collect::<Vec<_>>();
        assert_eq!(fitting(&rows(&[4096, 4096, 4096, 4096])), 3);
        assert_eq!(fitting(&rows(&[STATEMENT_BYTES * 9, 200])), 1);
        assert_eq!(fitting(&rows(&[200, STATEMENT_BYTES * 9])), 1);
        assert_eq!(fitting(&rows(&[200; 10])), 10);
    }
}
