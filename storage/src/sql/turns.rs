//! An agent turn's effects, in one transaction.

use super::tenant::{Scope, TenantStore};
use super::{Conn, jobs, outbox, passports, questions, slots, task_history, work};
use crate::error::{Step, StorageError};
use crate::records::{TurnCommit, TurnCommitted, WorkKind};
use crate::store::Turns;

impl Turns for TenantStore {
    async fn commit_turn(&self, commit: TurnCommit) -> Result<TurnCommitted, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = apply(write.conn(), &core.scope, &commit).await;
        write.finish(step).await
    }
}

async fn apply(conn: &mut Conn, scope: &Scope, commit: &TurnCommit) -> Step<TurnCommitted> {
    let passport_version = match &commit.passport {
        Some(change) => Some(passports::update(conn, scope, change).await?),
        None => None,
    };
    let mut work_items = Vec::with_capacity(commit.work_items.len());
    for new in &commit.work_items {
        work_items.push(work::file(conn, scope, new).await?);
    }
    let inspection = work_items.iter().find(|item| item.kind == WorkKind::Inspection);
    let reference = inspection.map(|item| item.reference.as_str());
    let booking = match &commit.booking {
        Some(new) => Some(slots::book(conn, scope, new, reference).await?),
        None => None,
    };
    for new in &commit.jobs {
        jobs::enqueue(conn, scope, new).await?;
    }
    for new in &commit.tasks {
        task_history::record(conn, scope, new).await?;
    }
    if let Some(new) = &commit.question {
        questions::put(conn, scope, new).await?;
    }
    let mut sent = Vec::with_capacity(commit.outbox.len());
    for new in &commit.outbox {
        sent.push(outbox::put(conn, scope, new).await?);
    }
    Ok(TurnCommitted { passport_version, work_items, booking, outbox: sent })
}
