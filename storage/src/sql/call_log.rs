//! The append-only log of a call: personal text apart and sealed, the rest plain JSON.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::tenant::Scope;
use super::{Conn, log_rows};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::ids::CallId;
use crate::records::{CallEntry, LogRow};
use crate::zones::SAID;

/// A row as it is kept.
#[derive(sqlx::FromRow)]
struct LogEntryRow {
    seq: i64,
    at_ms: i64,
    kind: String,
    payload: String,
    sealed: Option<Vec<u8>>,
}

const NOT_JSON: StorageError = StorageError::Invalid { what: "a log entry that is not JSON" };
const TOO_LARGE: StorageError = StorageError::Invalid { what: "a log number that does not fit" };

/// A row as it goes in: how rows are inserted is each back end's own (`log_rows`).
pub(super) struct Entry {
    pub call: CallId,
    pub seq: i64,
    pub at_ms: i64,
    pub kind: String,
    pub turn: Option<i64>,
    pub payload: String,
    pub sealed: Option<Vec<u8>>,
}

/// Appends rows; a number that is on record already is left as it is.
pub(super) async fn append(conn: &mut Conn, scope: &Scope, rows: &[(CallId, &LogRow)]) -> Step<()> {
    let entries = rows.iter().map(|(call, row)| entry(scope, *call, row)).collect::<Step<Vec<_>>>()?;
    log_rows::insert(conn, scope.tenant, &entries).await.map_err(unknown_call)?;
    let mut costs = BTreeMap::new();
    for (call, row) in rows {
        match &row.entry {
            CallEntry::Ended { reason } => {
                super::calls::end(conn, scope, *call, reason, now()).await?;
            }
            CallEntry::Cost { call_micros, .. } => {
                let cost = costs.entry(*call).or_default();
                *cost = i64::try_from(*call_micros).unwrap_or(i64::MAX).max(*cost);
            }
            CallEntry::Language { language, .. } => {
                super::calls::set_language(conn, scope, *call, language).await?;
            }
            CallEntry::Attention { level, reason, .. } => {
                super::calls::raise_attention(conn, scope, *call, *level, reason).await?;
            }
            _ => {}
        }
    }
    Ok(log_rows::raise_costs(conn, scope.tenant, &costs).await?)
}

fn entry(scope: &Scope, call: CallId, row: &LogRow) -> Step<Entry> {
    let (kind, mut payload) = to_object(&row.entry)?;
    let mut said = Map::new();
    if let Some(field) = secret_field(&row.entry) {
        said.extend(payload.remove_entry(field));
    }
    let seal = |said: &Map<String, Value>| scope.sealer.seal_json(SAID, &row_id(call, row.seq), said);
    let sealed = if said.is_empty() { None } else { Some(seal(&said)?) };
    Ok(Entry {
        call,
        seq: i64::try_from(row.seq).map_err(|_| TOO_LARGE)?,
        at_ms: i64::try_from(row.at_ms).map_err(|_| TOO_LARGE)?,
        kind,
        turn: payload.get("turn").and_then(Value::as_i64),
        payload: Value::Object(payload).to_string(),
        sealed,
    })
}

fn unknown_call(error: sqlx::Error) -> crate::error::Fault {
    match &error {
        sqlx::Error::Database(said) if said.is_foreign_key_violation() => {
            StorageError::NotFound { what: "call" }.into()
        }
        _ => error.into(),
    }
}

/// The whole log of a call, in order.
pub(super) async fn read(conn: &mut Conn, scope: &Scope, call: CallId) -> Step<Vec<LogRow>> {
    let kept: Vec<LogEntryRow> = sqlx::query_as(
        "select seq, at_ms, kind, payload, sealed from call_log
         where tenant_id = $1 and call_id = $2 order by seq",
    )
    .bind(scope.tenant)
    .bind(call)
    .fetch_all(conn)
    .await?;
    kept.into_iter().map(|row| open(scope, call, row)).collect()
}

/// The plain part of every entry of one kind, in order.
pub(super) async fn payloads(
    conn: &mut Conn,
    scope: &Scope,
    call: CallId,
    kind: &str,
) -> Step<Vec<Map<String, Value>>> {
    let texts: Vec<String> = sqlx::query_scalar(
        "select payload from call_log where tenant_id = $1 and call_id = $2 and kind = $3 order by seq",
    )
    .bind(scope.tenant)
    .bind(call)
    .bind(kind)
    .fetch_all(conn)
    .await?;
    texts.iter().map(|text| Ok(serde_json::from_str(text).map_err(|_| NOT_JSON)?)).collect()
}

/// The number and turn of the last entry; zeros when there is none.
pub(super) async fn last(conn: &mut Conn, scope: &Scope, call: CallId) -> Step<(i64, i64, i64)> {
    Ok(sqlx::query_as(
        "select coalesce(max(seq), 0), coalesce(max(at_ms), 0), coalesce(max(turn), 0) from call_log
         where tenant_id = $1 and call_id = $2",
    )
    .bind(scope.tenant)
    .bind(call)
    .fetch_one(conn)
    .await?)
}

fn open(scope: &Scope, call: CallId, row: LogEntryRow) -> Step<LogRow> {
    let seq = row.seq.unsigned_abs();
    let mut payload: Map<String, Value> = serde_json::from_str(&row.payload).map_err(|_| NOT_JSON)?;
    if let Some(sealed) = &row.sealed {
        let said: Map<String, Value> = scope.sealer.open_json(SAID, &row_id(call, seq), sealed)?;
        payload.extend(said);
    }
    payload.insert("kind".to_owned(), Value::String(row.kind));
    let entry = serde_json::from_value(Value::Object(payload)).map_err(|_| NOT_JSON)?;
    Ok(LogRow { seq, at_ms: row.at_ms.unsigned_abs(), entry })
}

fn to_object(entry: &CallEntry) -> Step<(String, Map<String, Value>)> {
    let Ok(Value::Object(mut object)) = serde_json::to_value(entry) else { return Err(NOT_JSON.into()) };
    match object.remove("kind") {
        Some(Value::String(kind)) => Ok((kind, object)),
        _ => Err(NOT_JSON.into()),
    }
}

/// Which field of an entry is personal text. Without a catch-all: whoever adds an entry must decide.
const fn secret_field(entry: &CallEntry) -> Option<&'static str> {
    match entry {
        CallEntry::CallerTurn { .. }
        | CallEntry::Planned { .. }
        | CallEntry::PersonSaid { .. }
        | CallEntry::Whispered { .. } => Some("text"),
        CallEntry::Control { .. } => Some("note"),
        CallEntry::Digits { .. } => Some("digits"),
        CallEntry::Played { .. } => Some("heard_text"),
        CallEntry::Interrupted { .. }
        | CallEntry::Rejoined { .. }
        | CallEntry::Latency { .. }
        | CallEntry::Provider { .. }
        | CallEntry::Cost { .. }
        | CallEntry::Language { .. }
        | CallEntry::Attention { .. }
        | CallEntry::CallBackOwed { .. }
        | CallEntry::PersonSpoke { .. }
        | CallEntry::Consent { .. }
        | CallEntry::Notes { .. }
        | CallEntry::Ended { .. } => None,
    }
}

fn row_id(call: CallId, seq: u64) -> [u8; 24] {
    let mut id = [0; 24];
    id[..16].copy_from_slice(call.0.as_bytes());
    id[16..].copy_from_slice(&seq.to_be_bytes());
    id
}
