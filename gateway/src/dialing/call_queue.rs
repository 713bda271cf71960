//! A caller waits in line for a person, and is put through when it is their turn.
//!
//! The line is in the database. The process that holds a caller looks at it for them, says that it does, and takes one of the
//! people at the target when it is this caller's turn. A process that dies leaves the place there: the caller who comes back has
//! it, and who does not is called back.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use pipeline::driver::Control;
use pipeline::ports::{EndReason, InLine, NotTaken, Returned};
use storage::records::Call;
use storage::transfers::{BY_AGENT, NewTransfer, Transfer, TransferResult, TransferStage};
use storage::waits::{Wait, WaitResult};
use storage::{CallId, Calls, StorageError, TenantStore, Transfers, Waits};
use tokio::time::{Instant, sleep, timeout};

use super::transfer::{self, GOES_ON, Told};
use crate::app::App;
use crate::calls::live::LiveCall;
use crate::telemetry::metrics::reason_name;
use crate::webhooks::transfer as webhook;

/// How often the line is looked at for one caller.
const LOOK: Duration = Duration::from_secs(1);
/// How often it is said that the caller is still held: well within the time after which they hold up nobody.
const HEARD_EVERY: Duration = Duration::from_secs(10);
/// From a caller's turn until the agent has told them so.
const GOES: Duration = Duration::from_secs(60);
/// Who broke off may come back so long.
pub const KEPT: TimeDelta = TimeDelta::seconds(180);

/// What a look at the line gives.
enum Look {
    Waits(InLine),
    Turn(Transfer),
    /// They wait no more, as it is on record.
    Over(Option<Wait>),
    /// There is nobody to wait for any more.
    Nobody,
}

/// Counts a caller who waits, and shows where, for as long as it lives.
struct Shown<'a>(&'a LiveCall);

impl<'a> Shown<'a> {
    fn new(live: &'a LiveCall) -> Self {
        metrics::gauge!("quandura_transfers_waiting").increment(1.0);
        Self(live)
    }
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        metrics::gauge!("quandura_transfers_waiting").decrement(1.0);
        *self.0.in_line.lock() = None;
    }
}

/// Waits with a caller who stands in a line, until they are put through or leave it. Who stands in none is not waited with.
/// Where storage does not answer it is asked again.
///
/// # Errors
/// When storage does not answer at the end.
pub async fn wait(app: &App, live: &LiveCall, store: &TenantStore) -> Result<(), StorageError> {
    let Some(wait) = stands_in(live, store).await else { return Ok(()) };
    let _shown = Shown::new(live);
    let (mut told, mut heard) = (None, Instant::now());
    loop {
        match look(live, store, &wait).await {
            Ok(Look::Waits(stands)) => {
                if told != Some(stands.place) && live.ask(Control::InLine(stands.clone())) {
                    told = Some(stands.place);
                    *live.in_line.lock() = Some(stands);
                }
            }
            Ok(Look::Turn(to)) => {
                note_end(&wait, WaitResult::PutThrough);
                return through(app, live, store, to).await;
            }
            Ok(Look::Over(ended)) => {
                over(live, ended);
                return Ok(());
            }
            Ok(Look::Nobody) => {
                come_back(live, &wait.target);
                if let Some(ended) = store.end_wait(live.id, WaitResult::Lost).await? {
                    note_end(&ended, WaitResult::Lost);
                }
                return Ok(());
            }
            Err(error) => tracing::warn!(%error, call_id = %live.id, "a line could not be looked at"),
        }
        if heard.elapsed() >= HEARD_EVERY {
            heard = Instant::now();
            if let Err(error) = store.hear_wait(wait.id).await {
                tracing::warn!(%error, call_id = %live.id, "that a caller still waits is not on record");
            }
        }
        sleep(LOOK).await;
    }
}

/// The line that a caller stands in, and that it is on record that they do.
async fn stands_in(live: &LiveCall, store: &TenantStore) -> Option<Wait> {
    loop {
        let found = async {
            let open = store.wait_of(live.id).await?.filter(|wait| wait.ended_at.is_none());
            if let Some(wait) = &open {
                store.hear_wait(wait.id).await?;
            }
            Ok::<_, StorageError>(open)
        };
        match found.await {
            Ok(open) => return open,
            Err(error) => {
                tracing::warn!(%error, call_id = %live.id, "whether a caller waits in line is not known")
            }
        }
        sleep(LOOK).await;
    }
}

async fn look(live: &LiveCall, store: &TenantStore, wait: &Wait) -> Result<Look, StorageError> {
    let now = store.wait_of(wait.call).await?;
    if now.as_ref().is_none_or(|now| now.id != wait.id || now.ended_at.is_some()) {
        return Ok(Look::Over(now.filter(|now| now.id == wait.id)));
    }
    // A person of the office has them.
    if live.lease.holder().is_some() {
        return Ok(Look::Over(store.end_wait(wait.call, WaitResult::TakenOver).await?));
    }
    let targets = transfer::targets(store).await?;
    let Some(target) = targets.into_iter().find(|target| target.name == wait.target && target.queue) else {
        return Ok(Look::Nobody);
    };
    let (queue, people) = (store.queue(&wait.target, Utc::now()).await?, target.to_facts().people());
    let place = queue.place_of(wait.call);
    if queue.is_turn(place, people) {
        let new = NewTransfer {
            call: wait.call,
            actor: BY_AGENT.to_owned(),
            target: target.name,
            number: target.number,
            language: wait.language.clone(),
            about: wait.about.clone(),
            warm: target.warm,
            notes: target.notes,
        };
        if let Some(to) = store.take_place(new, people, Utc::now()).await? {
            return Ok(Look::Turn(to));
        }
    }
    let minutes = queue.minutes(place, people);
    Ok(Look::Waits(InLine { target: wait.target.clone(), place, minutes }))
}

/// It is their turn: the agent says so. A call that is put through leaves this process, and this ends with it; where the person is
/// asked first, whoever calls them goes on. Who said something else instead stays with the agent.
async fn through(app: &App, live: &LiveCall, store: &TenantStore, to: Transfer) -> Result<(), StorageError> {
    let _ = live.ask(Control::YourTurn { target: to.target.clone() });
    let is_held = timeout(GOES, live.held.notified()).await.is_ok();
    if is_held && to.warm {
        return Ok(());
    }
    // The person there is free again. A caller who still takes themselves to be in line is told.
    let now = store.transfer(to.id).await?;
    if now.is_some_and(|now| now.stage == TransferStage::Asked) {
        settle(app, store, &to, TransferResult::Dropped).await;
        if !is_held {
            come_back(live, &to.target);
        }
    }
    Ok(())
}

async fn settle(app: &App, store: &TenantStore, to: &Transfer, result: TransferResult) {
    if let Err(error) = webhook::settle(app, (store.id(), store), to, result).await {
        tracing::error!(?error, call_id = %to.call, "what came of a transfer is not on record");
    }
}

/// They left the line, or it was given up for them.
fn over(live: &LiveCall, ended: Option<Wait>) {
    let Some(Wait { result: Some(result), target, .. }) = ended.as_ref().cloned() else { return };
    if result == WaitResult::Lost {
        return come_back(live, &target);
    }
    if let Some(wait) = &ended {
        note_end(wait, result);
    }
}

/// The agent says that nobody is there, and what is left.
fn come_back(live: &LiveCall, target: &str) {
    let _ = live.ask(Control::ComeBack(Returned { target: target.to_owned(), why: NotTaken::Failed }));
}

fn note_end(wait: &Wait, result: WaitResult) {
    let waited = (wait.ended_at.unwrap_or_else(Utc::now) - wait.joined_at).to_std().unwrap_or_default();
    metrics::histogram!("quandura_transfer_wait_seconds", "result" => result.as_str())
        .record(waited.as_secs_f64());
    tracing::info!(call_id = %wait.call, result = result.as_str(), waited_s = waited.as_secs(), "a caller waits no more");
}

/// The stream of a caller has ended. Who waited and hung up is called back; who broke off keeps the place.
pub async fn caller_left(app: &App, store: &TenantStore, call: CallId, reason: EndReason) {
    let result = match reason {
        EndReason::Replaced | EndReason::StreamLost | EndReason::Draining => return,
        EndReason::Transferred => WaitResult::TakenOver,
        // They were told what comes of it.
        EndReason::Failed | EndReason::Budget => WaitResult::Lost,
        _ => WaitResult::HungUp,
    };
    let done = async {
        if let Some(wait) = store.end_wait(call, result).await? {
            note_end(&wait, result);
            if result == WaitResult::HungUp {
                return owe(store, call).await;
            }
        }
        // It was their turn, and they did not hear so to the end.
        match transfer::last(store, call).await? {
            Some(to) if result == WaitResult::HungUp && !to.warm && to.stage == TransferStage::Asked => {
                settle(app, store, &to, TransferResult::CallerHungUp).await;
                owe(store, call).await
            }
            _ => Ok(()),
        }
    };
    if let Err(error) = done.await {
        tracing::error!(%error, call_id = %call, "whether a caller who left had waited is not known");
    }
}

async fn owe(store: &TenantStore, call: CallId) -> Result<(), StorageError> {
    let Some(call) = store.call(call).await? else { return Ok(()) };
    transfer::owe(store, &call, Told::Waited).await.map(drop)
}

/// The wait that a call goes on with whose stream broke off.
///
/// # Errors
/// When storage does not answer.
pub async fn kept(
    store: &TenantStore,
    call: &Call,
    now: DateTime<Utc>,
) -> Result<Option<Wait>, StorageError> {
    if call.end_reason.as_deref().is_some_and(|reason| !GOES_ON.contains(&reason)) {
        return Ok(None);
    }
    let wait = store.wait_of(call.id).await?;
    Ok(wait.filter(|wait| wait.ended_at.is_none() && wait.heard_at + KEPT >= now))
}

/// Nobody was heard of who holds this caller: they did not come back, and are called back.
///
/// # Errors
/// When storage does not answer; the next look goes on.
pub async fn give_up(app: &App, store: &TenantStore, wait: &Wait) -> Result<(), StorageError> {
    let Some(call) = store.call(wait.call).await? else { return Ok(()) };
    // Their own look says so, as soon as it can.
    if app.live.find(wait.call).is_some() {
        return Ok(());
    }
    let left = call.end_reason.as_deref() == Some(reason_name(EndReason::CallerHungUp));
    let result = if left { WaitResult::HungUp } else { WaitResult::Lost };
    if let Some(ended) = store.end_wait(wait.call, result).await? {
        note_end(&ended, result);
        transfer::owe(store, &call, Told::Waited).await?;
    }
    Ok(())
}
