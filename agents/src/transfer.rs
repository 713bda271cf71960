//! A call is to go to a person: on record before the caller is told, so that the carrier's question finds it after a restart too.

use pipeline::ports::{Language, NotTaken};
use storage::transfers::{BY_AGENT, NewTransfer};
use storage::waits::{NewWait, WaitResult};
use storage::{CallId, StorageError, Transfers, Waits};

use super::desk::now;
use super::office::Office;
use dialogue::builtin::{Effect, LineAct, Target, Trouble};

/// The target among the effects, and what it is about, if there is one.
pub(super) fn target_of(effects: &[Effect]) -> Option<(String, String)> {
    effects.iter().find_map(|effect| match effect {
        Effect::PutThrough { target, about } => Some((target.clone(), about.clone())),
        Effect::File(_)
        | Effect::MarkUrgent { .. }
        | Effect::AskStaff { .. }
        | Effect::Line(_)
        | Effect::NoteOn { .. }
        | Effect::StopCalls { .. } => None,
    })
}

/// Whom this call can be put through to now, in a language. Not where it just came back from.
pub(super) fn open(office: &Office, language: Language) -> Vec<&Target> {
    let hand_over = &office.brief.hand_over;
    let returned = hand_over.returned.as_ref().filter(|returned| returned.why != NotTaken::InLine);
    let came_from = returned.map(|returned| returned.target.as_str());
    let open = office.desk.facts.open_targets(office.today(), language, &office.brief.line);
    open.filter(|target| hand_over.is_possible && came_from != Some(target.name.as_str())).collect()
}

/// What becomes of the caller's place in a line, if anything does.
pub(super) fn line_act(effects: &[Effect]) -> Option<&LineAct> {
    effects.iter().find_map(|effect| match effect {
        Effect::Line(act) => Some(act),
        _ => None,
    })
}

pub(super) fn joins(effects: &[Effect]) -> bool {
    matches!(line_act(effects), Some(LineAct::Join { .. }))
}

/// Puts the transfer on record. Where callers may wait, it takes the place of one of the people there, if one is free.
pub(super) async fn ask(office: &Office, target: &str, about: String) -> Result<(), Trouble> {
    let Some(target) = office.desk.facts.targets.iter().find(|known| known.name == target) else {
        return Err(Trouble::NotSaved);
    };
    let store = &office.desk.store;
    let new = NewTransfer {
        call: CallId(office.brief.call.0),
        actor: BY_AGENT.to_owned(),
        target: target.name.clone(),
        number: target.number.clone(),
        language: office.brief.language.code().to_owned(),
        about,
        warm: target.warm,
        notes: target.notes,
    };
    let begun = if target.queue {
        store.take_place(new, target.people(), now()).await
    } else {
        store.begin_transfer(new).await.map(Some)
    };
    match begun {
        Ok(Some(_)) => Ok(()),
        Ok(None) => Err(Trouble::AllBusy),
        Err(error) => {
            tracing::error!(%error, "a transfer could not be put on record");
            Err(Trouble::NotSaved)
        }
    }
}

/// The caller joins a line, or leaves it.
pub(super) async fn line(office: &Office, act: &LineAct) -> Result<(), Trouble> {
    let done = match act {
        LineAct::Join { target, about, urgent } => join(office, target, about, *urgent).await,
        LineAct::CallBack { target } => keep_place(office, target).await,
        LineAct::Leave => leave(office, WaitResult::Left).await,
    };
    done.map_err(|error| {
        tracing::error!(%error, "a place in a line could not be put on record");
        Trouble::NotSaved
    })
}

async fn join(office: &Office, target: &str, about: &str, urgent: bool) -> Result<(), StorageError> {
    let new = NewWait {
        call: CallId(office.brief.call.0),
        target: target.to_owned(),
        language: office.brief.language.code().to_owned(),
        about: about.to_owned(),
        urgent,
    };
    office.desk.store.join_queue(new).await.map(drop)
}

/// Who never waited is on record as one who might have: it tells when they asked.
async fn keep_place(office: &Office, target: &str) -> Result<(), StorageError> {
    let (store, call) = (&office.desk.store, CallId(office.brief.call.0));
    let known = store.wait_of(call).await?.filter(|wait| wait.target == target);
    if known.is_none_or(|wait| wait.result.is_some_and(|result| result != WaitResult::CalledBack)) {
        join(office, target, "", false).await?;
    }
    leave(office, WaitResult::CalledBack).await
}

/// A turn of theirs that came meanwhile, and that they were not told of, is taken back with it.
async fn leave(office: &Office, result: WaitResult) -> Result<(), StorageError> {
    let (store, call) = (&office.desk.store, CallId(office.brief.call.0));
    store.end_wait(call, result).await?;
    store.drop_transfer(call).await.map(drop)
}

/// A caller who waits told of an emergency.
pub(super) async fn hurry(office: &Office) {
    if let Err(error) = office.desk.store.hurry_wait(CallId(office.brief.call.0)).await {
        tracing::error!(%error, "an emergency does not come first in its line");
    }
}

/// The caller went on instead: they stay.
pub(super) async fn take_back(office: &Office) {
    if let Err(error) = leave(office, WaitResult::Left).await {
        tracing::error!(%error, "a transfer could not be taken back");
    }
}
