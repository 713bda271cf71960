//! The dispatcher of the outbox: one task that finds effects that are due and has them made, a few at a time.
//!
//! Each is taken on a lease and sent with its key. A process that dies between sending and settling leaves the lease to
//! run out; then it is sent again with the same key, and the other side has it once.

pub mod alarm;
pub mod deliver;
pub mod mail;
pub mod webhook;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::join_all;
use parking_lot::Mutex;
use pipeline::provider::Backoff;
use serde_json::json;
use storage::alarms::ALARM;
use storage::outbox_records::{Lease, Outgoing, Settlement};
use storage::records::{NewWorkItem, Priority, WorkKind};
use storage::{Directory, Outbox, StorageError, TenantId, TenantStore};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};
use uuid::Uuid;

use crate::app::App;
use deliver::{Delivery, deliver};

/// How often effects are looked for.
const EVERY: Duration = Duration::from_secs(1);
/// Effects of one tenant at once.
const A_TENANT: u32 = 4;
/// Tenants at once.
const TENANTS: usize = 8;
/// Longest wait for the other side.
const SEND: Duration = Duration::from_secs(30);
/// From then on another process may send what this one took.
const LEASE: TimeDelta = TimeDelta::seconds(90);
/// Times that an effect is sent; then a person is told.
const ATTEMPTS: u32 = 8;
/// Waits between them.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(2), Duration::from_secs(600));

/// Tenants whose effects are being made.
type Busy = Arc<Mutex<HashSet<TenantId>>>;

/// A tenant's turn. It ends however the task ends that has it: a panic strands nobody.
struct Turn {
    busy: Busy,
    tenant: TenantId,
}

impl Turn {
    fn of(busy: &Busy, tenant: TenantId) -> Self {
        busy.lock().insert(tenant);
        Self { busy: busy.clone(), tenant }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.busy.lock().remove(&self.tenant);
    }
}

/// Runs until the gateway closes. What is under way then is sent again by the next process, with the same key.
pub async fn run(app: Arc<App>) {
    let owner = Uuid::new_v4();
    let (busy, places) = (Busy::default(), Arc::new(Semaphore::new(TENANTS)));
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut first = 0_usize;
    let mut sending = JoinSet::new();
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            Some(sent) = sending.join_next() => {
                if let Err(error) = sent {
                    app.loops.note("outbox_send", &error);
                }
                continue;
            }
            () = app.stop.closing.cancelled() => break,
        }
        if let Err(error) = sweep(&app, owner, &busy, &places, first, &mut sending).await {
            tracing::warn!(%error, "the outbox could not be read");
        }
        first = first.wrapping_add(1);
    }
    sending.shutdown().await;
}

/// One look at every tenant, beginning with the next each time, so that eight busy ones do not keep the rest waiting. The
/// fault of one stops no other.
async fn sweep(
    app: &Arc<App>,
    owner: Uuid,
    busy: &Busy,
    places: &Arc<Semaphore>,
    first: usize,
    sending: &mut JoinSet<()>,
) -> Result<(), StorageError> {
    let mut tenants = app.platform.store().tenants().await?;
    if !tenants.is_empty() {
        let first = first % tenants.len();
        tenants.rotate_left(first);
    }
    for tenant in tenants {
        if busy.lock().contains(&tenant.id) {
            continue;
        }
        let Ok(place) = places.clone().try_acquire_owned() else { return Ok(()) };
        let (store, rows) = match due(app, owner, tenant.id).await {
            Ok((_, rows)) if rows.is_empty() => continue,
            Ok(due) => due,
            Err(error) => {
                tracing::warn!(%error, tenant = %tenant.id, "a tenant's outbox could not be read");
                continue;
            }
        };
        let (app, turn) = (app.clone(), Turn::of(busy, tenant.id));
        sending.spawn(async move {
            let mut sends = Vec::with_capacity(rows.len());
            for row in &rows {
                sends.push(send(&app, &store, owner, row));
            }
            join_all(sends).await;
            drop(turn);
            drop(place);
        });
    }
    Ok(())
}

/// A tenant's effects that are due, on a lease.
async fn due(app: &App, owner: Uuid, tenant: TenantId) -> Result<(TenantStore, Vec<Outgoing>), StorageError> {
    let store = app.platform.tenant(tenant).await?;
    let now = Utc::now();
    let rows = store.lease_outbox(Lease { owner, now, until: now + LEASE, limit: A_TENANT }).await?;
    Ok((store, rows))
}

/// Makes one effect and settles it.
async fn send(app: &App, store: &TenantStore, owner: Uuid, row: &Outgoing) {
    let delivery = timeout(SEND, deliver(app, store, row)).await.unwrap_or(Delivery::Again("timeout"));
    let (outcome, settlement) = settlement(row, delivery, Utc::now());
    metrics::counter!("quandura_outbox_total", "outcome" => outcome).increment(1);
    tracing::info!(outbox_id = %row.id, attempts = row.attempts, outcome, "an effect was sent");
    match store.settle_outgoing(row.id, owner, settlement).await {
        Ok(true) => {}
        Ok(false) => tracing::warn!(outbox_id = %row.id, "an effect was settled by another process"),
        Err(error) => {
            tracing::error!(%error, outbox_id = %row.id, "an effect could not be settled; it is sent again")
        }
    }
}

/// What is written of a delivery.
fn settlement(row: &Outgoing, delivery: Delivery, now: DateTime<Utc>) -> (&'static str, Settlement) {
    match delivery {
        Delivery::Done(answer) => ("sent", Settlement::Sent { answer }),
        Delivery::Again(problem) if row.attempts < ATTEMPTS => {
            let wait = BACKOFF.spread(row.attempts, row.id.0.as_u64_pair().1);
            let next_at = now + TimeDelta::from_std(wait).unwrap_or(TimeDelta::seconds(600));
            ("again", Settlement::Again { next_at, problem: problem.to_owned() })
        }
        Delivery::Again(problem) | Delivery::Never(problem) => {
            ("failed", Settlement::Failed { problem: problem.to_owned(), tell: Box::new(tell(row, problem)) })
        }
    }
}

/// The work item by which a person learns of an effect that could not be made.
fn tell(row: &Outgoing, problem: &str) -> NewWorkItem {
    NewWorkItem {
        kind: WorkKind::Escalation,
        idempotency_key: format!("outbox/{}/failed", row.id),
        reference: None,
        call_id: row.call_id,
        passport_id: row.passport_id,
        // What tells of an alarm that could not be sent raises none itself: it would never end.
        priority: if row.tool == ALARM { Priority::Normal } else { Priority::High },
        caller: None,
        fields: json!({
            "reason": format!("{} could not be done: {problem}", row.tool),
            "outbox_id": row.id,
            "attempts": row.attempts,
        }),
    }
}

#[cfg(test)]
mod tests {
    use storage::OutboxId;
    use storage::outbox_records::OutboxState;

    use super::*;

    fn row(attempts: u32) -> Outgoing {
        let at = DateTime::UNIX_EPOCH;
        Outgoing {
            id: OutboxId(Uuid::from_u128(7)),
            idempotency_key: "k".into(),
            destination: "desk".into(),
            tool: "take_message".into(),
            state: OutboxState::Pending,
            attempts,
            next_at: at,
            call_id: None,
            passport_id: None,
            payload: json!({ "message": "secret words" }),
            answer: None,
            problem: None,
            decided_by: None,
            decided_at: None,
            created_at: at,
            updated_at: at,
        }
    }

    #[tokio::test]
    async fn a_panic_while_sending_strands_no_tenant() {
        let (busy, tenant) = (Busy::default(), TenantId::new());
        let turn = Turn::of(&busy, tenant);
        assert!(busy.lock().contains(&tenant));
        let mut sending = JoinSet::new();
        sending.spawn(async move {
            let _turn = turn;
            panic!("in the middle of an effect");
        });
        assert!(sending.join_next().await.unwrap().is_err());
        assert!(!busy.lock().contains(&tenant), "its turn is over");
    }

    #[test]
    fn the_eighth_failure_tells_a_person_and_so_does_one_that_will_never_work() {
        let now = DateTime::UNIX_EPOCH;
        for attempts in 1..8 {
            let (outcome, again) = settlement(&row(attempts), Delivery::Again("timeout"), now);
            assert_eq!(outcome, "again");
            assert!(matches!(again, Settlement::Again { next_at, .. } if next_at > now));
        }
        for (attempts, delivery) in [(8, Delivery::Again("timeout")), (1, Delivery::Never("refused"))] {
            let (_, failed) = settlement(&row(attempts), delivery, now);
            let Settlement::Failed { tell, .. } = failed else { panic!("{failed:?}") };
            assert!(tell.fields["reason"].as_str().unwrap().starts_with("take_message could not be done"));
            assert!(!tell.fields.to_string().contains("secret"), "no words of anybody");
        }
        assert_eq!(settlement(&row(1), Delivery::Done(None), now).0, "sent");
    }
}
