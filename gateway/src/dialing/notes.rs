//! Whether the agent stays as a silent note-taker once a person has taken a call.
//!
//! The target's document says whether it may. The person is told when they are asked, the caller before the two meet; a no of the
//! caller's, a key, or anything else than silence or a yes means that no notes are taken. Where there is no room none are taken and
//! nobody is told: no transfer waits for notes. Each step is on the call's record and on the audit.

use std::time::Instant;

use chrono::{DateTime, Utc};
use dialogue::TenantFacts;
use pipeline::event::{CallEvent, EVENT_VERSION, EventBody};
use pipeline::ports::{Language, NotesState};
use pipeline::turn::{self, TurnId};
use storage::records::{Call, CallEntry, LogRow};
use storage::transfers::Transfer;
use storage::{CallId, Calls, StorageError, TenantId, TenantStore, Transfers};
use uuid::Uuid;

use super::transfer::{self, line as spoken};
use super::warm::{self, Said};
use crate::app::App;
use crate::audit::acts;
use crate::calls::admission::Admission;
use crate::calls::budget::{self, Allowance};
use crate::calls::notes::{Awaited, Room};

/// What the caller hears of it.
const NOTICE: &str = "transfer_notes";

/// What the caller is told before the two meet.
#[must_use]
pub fn notice(facts: &TenantFacts, language: Language) -> String {
    spoken(facts, language, NOTICE)
}

/// Holds a place for notes of this transfer. `false`: there is none, and it is on record that none are taken.
///
/// # Errors
/// When storage does not answer.
pub async fn offer(
    app: &App,
    store: &TenantStore,
    call: &Call,
    to: &Transfer,
    account_sid: &str,
) -> Result<bool, StorageError> {
    if !to.is_noted() || app.live.find(call.id).is_some() {
        return Ok(false);
    }
    // The carrier asks twice: what is held is enough.
    if app.notes.expects(call.id, to.id) {
        return Ok(true);
    }
    let Some(carrier_sid) = call.carrier_sid.clone() else { return Ok(false) };
    let Some(room) = room(app, store).await else {
        take_none(app, store, (call, to), NotesState::NoRoom).await?;
        return Ok(false);
    };
    let awaited = Awaited {
        tenant: store.id(),
        transfer: to.id,
        carrier_sid,
        account_sid: account_sid.to_owned(),
        line: call.line.clone(),
        since: Instant::now(),
        room,
    };
    app.notes.expect(call.id, awaited);
    Ok(true)
}

/// A place among the calls, as for a call that comes in.
async fn room(app: &App, store: &TenantStore) -> Option<Room> {
    if app.stop.draining.is_cancelled() {
        return None;
    }
    let ready = app.ready.get()?;
    let place = app.gates.call(store.id())?;
    let Allowance::Call(budget_micros) = budget::allowance(app.config.budget, store).await else {
        return None;
    };
    match app.capacity.admit((ready.providers.load)(), app.strain.read()) {
        Admission::Serve(permit) => Some(Room { permit, place, budget_micros }),
        Admission::Busy(_) | Admission::Refuse => None,
    }
}

/// The caller's answer. Gives the token of the stream, where notes are taken.
///
/// # Errors
/// When storage does not answer.
pub async fn answered(
    app: &App,
    store: &TenantStore,
    call: &Call,
    to: &Transfer,
    said: (Option<&str>, Option<&str>),
) -> Result<Option<String>, StorageError> {
    if !to.is_noted() || !app.notes.expects(call.id, to.id) {
        return Ok(None);
    }
    if !agrees(said.0, said.1) {
        app.notes.forget(call.id);
        take_none(app, store, (call, to), NotesState::Refused).await?;
        return Ok(None);
    }
    // On record before a word of theirs is written down.
    note(app, store, (call, to), NotesState::Told).await?;
    match app.notes.token(call.id) {
        Some(Ok(token)) => Ok(Some(token)),
        Some(Err(error)) => {
            tracing::error!(%error, call_id = %call.id, "no token for notes could be issued");
            app.notes.forget(call.id);
            take_none(app, store, (call, to), NotesState::Lost).await?;
            Ok(None)
        }
        None => Ok(None),
    }
}

/// Silence means that they heard it to its end and go on. Whoever says something else than a yes has not agreed.
fn agrees(keys: Option<&str>, speech: Option<&str>) -> bool {
    let given = |text: Option<&str>| text.is_some_and(|text| !text.trim().is_empty());
    !(given(keys) || given(speech)) || warm::understood(keys, speech) == Said::Yes
}

/// The caller hung up while they were being told: whoever waits in the room is let go.
pub async fn caller_left(app: &App, store: &TenantStore, call: CallId) -> Result<bool, StorageError> {
    let Some(awaited) = app.notes.forget(call) else { return Ok(false) };
    let to = store.transfer(awaited.transfer).await?.filter(Transfer::is_noted);
    if let Some(to) = &to {
        store.end_transfer(to.id, storage::transfers::TransferResult::CallerHungUp).await?;
        warm::silence(app, to).await;
    }
    Ok(to.is_some())
}

/// No notes are taken on this transfer.
async fn take_none(
    app: &App,
    store: &TenantStore,
    (call, to): (&Call, &Transfer),
    state: NotesState,
) -> Result<(), StorageError> {
    store.drop_notes(to.id).await?;
    note(app, store, (call, to), state).await
}

/// The stream that was to bring the talk never came, or was no use.
pub async fn lost(app: &App, tenant: TenantId, call: CallId) {
    let written = async {
        let store = app.platform.tenant(tenant).await?;
        let (Some(known), Some(to)) = (store.call(call).await?, transfer::last(&store, call).await?) else {
            return Ok(());
        };
        if to.notes && app.live.find(call).is_none() {
            take_none(app, &store, (&known, &to), NotesState::Lost).await?;
        }
        Ok::<(), StorageError>(())
    };
    if let Err(error) = written.await {
        tracing::error!(%error, call_id = %call, "that no notes are taken is not on record");
    }
}

/// Puts on record how notes stand, where no stream of the call does it; once, however often the carrier asks.
async fn note(
    app: &App,
    store: &TenantStore,
    (call, to): (&Call, &Transfer),
    state: NotesState,
) -> Result<(), StorageError> {
    let (log, with) = (store.call_log(call.id).await?, to.target.as_str());
    let began = ms_between(call.started_at, to.created_at);
    let of_this = log.iter().filter(|row| row.at_ms >= began).cloned().collect::<Vec<_>>();
    if last_of(&of_this).is_some_and(|(known, _)| known == state.name()) {
        return Ok(());
    }
    let row = row(&log, call, with, state);
    store.append(call.id, &[row]).await?;
    metrics::counter!("quandura_notes_total", "state" => state.name()).increment(1);
    tracing::info!(call_id = %call.id, state = state.name(), "notes of a talk with a person");
    app.audit.after(Some(store.id()), acts::call_notes(call.id, state, with)).await;
    app.fanout.publish(&CallEvent {
        version: EVENT_VERSION,
        event_id: Uuid::now_v7(),
        call_id: turn::CallId(call.id.0),
        tenant: store.id().0,
        at: Utc::now(),
        body: EventBody::Notes { turn: TurnId(call.turns), state, with: with.to_owned() },
    });
    Ok(())
}

/// The row behind the last one of a call's record.
#[must_use]
pub fn row(log: &[LogRow], call: &Call, with: &str, state: NotesState) -> LogRow {
    let since = ms_between(call.started_at, Utc::now());
    let (seq, at_ms) = log.last().map_or((0, 0), |row| (row.seq, row.at_ms));
    let entry = CallEntry::Notes { turn: call.turns, state: state.name().to_owned(), with: with.to_owned() };
    LogRow { seq: seq + 1, at_ms: since.max(at_ms), entry }
}

/// How notes stand, by the call's record, and whose talk they are of.
#[must_use]
pub fn last_of(log: &[LogRow]) -> Option<(&str, &str)> {
    log.iter().rev().find_map(|row| match &row.entry {
        CallEntry::Notes { state, with, .. } => Some((state.as_str(), with.as_str())),
        _ => None,
    })
}

fn ms_between(from: DateTime<Utc>, to: DateTime<Utc>) -> u64 {
    u64::try_from((to - from).num_milliseconds()).unwrap_or(0)
}

/// Whether what the two say may still be written down: nothing is made of the call before that is over.
///
/// # Errors
/// When storage does not answer.
pub async fn go_on(app: &App, store: &TenantStore, call: CallId) -> Result<bool, StorageError> {
    let Some(to) = transfer::last(store, call).await? else { return Ok(false) };
    Ok(to.is_noted() || to.notes && app.live.find(call).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenant_config::read;

    #[test]
    fn silence_and_a_yes_are_told_and_all_else_is_a_no() {
        for (keys, speech, yes) in [
            (None, None, true),
            (Some(""), Some(" "), true),
            (None, Some("Okay."), true),
            (None, Some("Sí, está bien."), true),
            (Some("1"), None, true),
            (Some("2"), None, false),
            (Some("9"), None, false),
            (None, Some("No."), false),
            (None, Some("No, gracias."), false),
            (None, Some("I'd rather not."), false),
            (None, Some("Hello? Who is this?"), false),
        ] {
            assert_eq!(agrees(keys, speech), yes, "{keys:?} {speech:?}");
        }
    }

    #[test]
    fn the_caller_is_told_the_key_and_the_word_in_both_languages() {
        let facts = read::toml("name = \"Oakdale\"\ntimezone = \"America/Chicago\"\n").config.facts();
        for (language, no) in [(Language::En, "say no"), (Language::Es, "diga no")] {
            let said = notice(&facts, language);
            assert!(said.contains(no) && said.contains(pipeline::session::NO_NOTES), "{said}");
        }
    }
}
