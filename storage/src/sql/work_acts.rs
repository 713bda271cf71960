//! What people do about a work item, with its history.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::tenant::Scope;
use super::{Conn, reviews, work};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::ids::{WorkActId, WorkItemId};
use crate::records::WorkItem;
use crate::work_acts::{Moved, NewWorkAct, WorkAct, WorkActKind, WorkActed, WorkMove, WorkRefusal, moved};
use crate::zones::WORK_NOTE;

/// Times that a move is decided anew because somebody else's came between.
const TRIES: usize = 3;
/// Entries of a history that are given.
const HISTORY: i64 = 500;

#[derive(sqlx::FromRow)]
struct WorkActRow {
    id: WorkActId,
    acted_at: DateTime<Utc>,
    actor: String,
    act: WorkActKind,
    assignee: Option<String>,
    note_sealed: Option<Vec<u8>>,
    line_right: Option<i64>,
}

/// What is sealed of an act.
#[derive(Serialize, Deserialize, Default)]
struct Note {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

pub(super) async fn make(conn: &mut Conn, scope: &Scope, act: &NewWorkAct) -> Step<WorkActed> {
    for _ in 0..TRIES {
        let item = work::by_id(conn, scope, act.item).await?;
        let item = item.ok_or(StorageError::NotFound { what: "work item" })?;
        let moved = match moved(item.status, item.assignee.as_deref(), &act.actor, &act.made) {
            Ok(moved) => moved,
            Err(refusal) => return Ok(WorkActed::Refused(refusal)),
        };
        if update(conn, scope, &item, &moved).await? {
            append(conn, scope, act, &moved).await?;
            let decides =
                matches!(moved.act, WorkActKind::Done | WorkActKind::Declined | WorkActKind::Reopened);
            if let Some(passport) = item.passport_id.filter(|_| decides) {
                reviews::unsettle(conn, scope, passport, now()).await?;
            }
            let now = work::by_id(conn, scope, act.item).await?;
            return Ok(WorkActed::Made(now.ok_or(StorageError::NotFound { what: "work item" })?));
        }
    }
    Ok(WorkActed::Refused(WorkRefusal::Busy))
}

/// `false` when the item is not as it was when the move was decided.
async fn update(conn: &mut Conn, scope: &Scope, item: &WorkItem, moved: &Moved) -> Step<bool> {
    // Whoever gives it back, or reopens it, leaves it to wait anew: alarms are counted from here.
    let waits_anew = matches!(moved.act, WorkActKind::Released | WorkActKind::Reopened);
    let done = sqlx::query(
        "update work_items set status = $3, assignee = $4, updated_at = $5,
            unclaimed_at = case when $8 then $5 else unclaimed_at end,
            alarms = case when $8 then 0 else alarms end,
            alarmed_at = case when $8 then null else alarmed_at end
         where tenant_id = $1 and id = $2 and status = $6 and coalesce(assignee, '') = $7",
    )
    .bind(scope.tenant)
    .bind(item.id)
    .bind(moved.status)
    .bind(moved.assignee.as_deref())
    .bind(now())
    .bind(item.status)
    .bind(item.assignee.as_deref().unwrap_or_default())
    .bind(waits_anew)
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

async fn append(conn: &mut Conn, scope: &Scope, act: &NewWorkAct, moved: &Moved) -> Step<()> {
    let id = WorkActId::new();
    let written = match &act.made {
        WorkMove::Note(note) => Some(Note { note: Some(note.clone()), reason: None }),
        WorkMove::Done { outcome, .. } => Some(Note { note: Some(outcome.clone()), reason: None }),
        WorkMove::Declined { outcome, reason, .. } => {
            Some(Note { note: Some(outcome.clone()), reason: Some(reason.clone()) })
        }
        WorkMove::Reopen { reason } => Some(Note { note: None, reason: Some(reason.clone()) }),
        WorkMove::Claim | WorkMove::Assign(_) => None,
    };
    let line_right = match &act.made {
        WorkMove::Done { line_right, .. } | WorkMove::Declined { line_right, .. } => *line_right,
        _ => None,
    };
    let sealed = written.map(|note| scope.sealer.seal_json(WORK_NOTE, id.0.as_bytes(), &note)).transpose()?;
    sqlx::query(
        "insert into work_acts (tenant_id, id, item_id, acted_at, actor, act, assignee, note_sealed, line_right)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(act.item)
    .bind(now())
    .bind(&act.actor)
    .bind(moved.act)
    .bind(moved.assignee.as_deref())
    .bind(sealed)
    .bind(line_right.map(i64::from))
    .execute(conn)
    .await?;
    Ok(())
}

pub(super) async fn history(conn: &mut Conn, scope: &Scope, item: WorkItemId) -> Step<Vec<WorkAct>> {
    let kept: Vec<WorkActRow> = sqlx::query_as(
        "select id, acted_at, actor, act, assignee, note_sealed, line_right from work_acts
         where tenant_id = $1 and item_id = $2 order by id desc limit $3",
    )
    .bind(scope.tenant)
    .bind(item)
    .bind(HISTORY)
    .fetch_all(conn)
    .await?;
    let opened = kept.into_iter().rev().map(|kept| {
        let sealed = kept.note_sealed.as_deref();
        let note: Option<Note> = sealed
            .map(|sealed| scope.sealer.open_json(WORK_NOTE, kept.id.0.as_bytes(), sealed))
            .transpose()?;
        let Note { note, reason } = note.unwrap_or_default();
        Ok(WorkAct {
            id: kept.id,
            at: kept.acted_at,
            actor: kept.actor,
            act: kept.act,
            assignee: kept.assignee,
            note,
            reason,
            line_right: kept.line_right.map(|n| n != 0),
        })
    });
    opened.collect()
}
