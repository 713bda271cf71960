//! The person at a target is asked first, while the caller waits with the agent.
//!
//! The target is called by the carrier's REST interface. Whoever answers hears that a caller wants to speak with them and what
//! about, and takes the call by a key or a word. Then both calls meet in a room and the agent leaves. Where nobody takes it the
//! agent goes on with the caller, who never left. Every step is on record before it is acted on; what is lost on the way ends
//! with the caller back at the agent.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use dialogue::TenantFacts;
use pipeline::driver::Control;
use pipeline::ports::{EndReason, Language};
use serde::Deserialize;
use storage::records::Call;
use storage::transfers::{Transfer, TransferResult, TransferStage};
use storage::{CallId, Calls, TenantStore, Transfers};
use telephony::control::CallOrder;
use telephony::error::ControlError;

use super::call_queue;
use super::outreach::Answer;
use super::transfer::{self, line as spoken};
use crate::app::App;
use crate::calls::live::LiveCall;
use crate::error::ApiError;
use crate::telemetry::metrics::reason_name;
use crate::webhooks::request;
use crate::webhooks::transfer as webhook;

const RING: Duration = Duration::from_secs(30);
/// From the order to the answer of whoever was asked: ringing, and two times the question.
const MOST: Duration = Duration::from_secs(80);

/// Calls whomever the caller of this stream begins to wait for. Runs beside the stream, and ends with it.
pub async fn watch(app: Arc<App>, live: Arc<LiveCall>) {
    let calls = async {
        loop {
            live.held.notified().await;
            ring(&app, &live).await;
        }
    };
    tokio::select! {
        () = calls => {}
        () = live.gone() => {}
        () = app.stop.now.cancelled() => {}
    }
}

async fn ring(app: &Arc<App>, live: &LiveCall) {
    let call = live.id;
    let store = match app.platform.tenant(live.tenant).await {
        Ok(store) => store,
        Err(error) => {
            return tracing::error!(%error, call_id = %call, "a caller waits, and nobody can be called");
        }
    };
    if let Err(error) = call_queue::wait(app, live, &store).await {
        tracing::error!(%error, call_id = %call, "a caller waits in line, and nobody looks at it for them");
    }
    if let Err(error) = place(app, &store, live).await {
        tracing::error!(?error, call_id = %call, "the person whom a caller waits for cannot be called");
        if let Ok(Some(to)) = transfer::last(&store, call).await {
            give_up(app, &store, &to, TransferResult::Failed).await;
        }
    }
}

async fn place(app: &Arc<App>, store: &TenantStore, live: &LiveCall) -> Result<(), ApiError> {
    let call = live.id;
    let waits = transfer::last(store, call).await?.filter(|to| to.warm && to.stage == TransferStage::Asked);
    let (Some(to), Some(call)) = (waits, store.call(call).await?) else { return Ok(()) };
    let Some(control) = app.control() else {
        give_up(app, store, &to, TransferResult::Failed).await;
        return Ok(());
    };
    store.note_transfer(to.id, TransferStage::Dialling, None).await?;
    let url = |path| request::url(app, path, store.id(), call.id);
    let (answer_url, status_url) = (url(app.paths.transfer_answer), url(app.paths.transfer_status));
    let order = CallOrder {
        to: &to.number,
        from: &call.line,
        answer_url: &answer_url,
        status_url: &status_url,
        detect_url: Some(&status_url),
        until_greeted: false,
        ring: RING,
        limit: Duration::from_secs(u64::from(transfer::LIMIT_S)),
    };
    match control.place(&order).await {
        Ok(placed) => drop(store.note_transfer(to.id, TransferStage::Dialling, Some(placed.sid)).await?),
        // It may ring: its callbacks name it, and the time below ends it.
        Err(ControlError::Unknown) => {}
        Err(error) => {
            tracing::warn!(reason = error.reason(), call_id = %call.id, "the carrier does not call the target");
            give_up(app, store, &to, TransferResult::Failed).await;
            return Ok(());
        }
    }
    tokio::select! {
        () = tokio::time::sleep(MOST) => {}
        // Nobody took it, and the caller waits for somebody else by now: whom the next look calls, at once.
        () = live.held.notified() => {
            live.held.notify_one();
            return Ok(());
        }
    }
    // Callbacks may be lost.
    let now = store.transfer(to.id).await?;
    if let Some(to) = now.filter(|to| to.stage < TransferStage::Accepted) {
        give_up(app, store, &to, TransferResult::NoAnswer).await;
    }
    Ok(())
}

/// Nobody takes the call: the target's telephone stops ringing, and the agent goes on with the caller.
pub async fn give_up(app: &App, store: &TenantStore, to: &Transfer, result: TransferResult) {
    let before = store.transfer(to.id).await.ok().flatten();
    if before.as_ref().is_some_and(|known| known.stage >= TransferStage::Accepted) {
        return;
    }
    let result = match webhook::settle(app, (store.id(), store), to, result).await {
        Ok(result) => result,
        Err(error) => {
            tracing::error!(?error, call_id = %to.call, "what came of a transfer is not on record");
            result
        }
    };
    silence(app, before.as_ref().unwrap_or(to)).await;
    if let (Some(live), Some(returned)) = (app.live.find(to.call), transfer::returned(to, result)) {
        let _ = live.ask(Control::ComeBack(returned));
    }
}

/// The caller who waited is gone: nobody is to be asked any more.
pub async fn caller_left(app: &App, store: &TenantStore, call: CallId, reason: EndReason) {
    call_queue::caller_left(app, store, call, reason).await;
    // These come back, or are being joined.
    if matches!(
        reason,
        EndReason::Transferred | EndReason::Replaced | EndReason::StreamLost | EndReason::Draining
    ) {
        return;
    }
    match transfer::last(store, call).await {
        Ok(Some(to)) if to.warm && to.stage < TransferStage::Accepted => {
            give_up(app, store, &to, TransferResult::CallerHungUp).await;
        }
        Ok(_) => {}
        Err(error) => {
            tracing::error!(%error, call_id = %call, "whether somebody is being called is not known")
        }
    }
}

pub(super) async fn silence(app: &App, to: &Transfer) {
    if let (Some(control), Some(sid)) = (app.control(), &to.carrier_sid)
        && let Err(error) = control.hang_up(sid).await
    {
        tracing::warn!(reason = error.reason(), call_id = %to.call, "a target could not be hung up on");
    }
}

/// The person takes the call: the agent leaves, and the caller follows into the room. `false`: the caller is gone.
///
/// # Errors
/// When storage does not answer.
pub async fn accept(app: &App, store: &TenantStore, to: &Transfer) -> Result<bool, ApiError> {
    let Some(live) = app.live.find(to.call) else {
        // They hung up, or the process that held them died: then they may still come back, and nobody took the call.
        let ended = store.call(to.call).await?.and_then(|call| call.end_reason);
        let left = ended.is_none_or(|reason| reason == reason_name(EndReason::CallerHungUp));
        let result = if left { TransferResult::CallerHungUp } else { TransferResult::Failed };
        webhook::settle(app, (store.id(), store), to, result).await?;
        return Ok(false);
    };
    store.note_transfer(to.id, TransferStage::Accepted, None).await?;
    if live.hang_up(EndReason::Transferred) {
        return Ok(true);
    }
    webhook::settle(app, (store.id(), store), to, TransferResult::CallerHungUp).await?;
    Ok(false)
}

/// What the person at the target hears: who asks for them, what about, and what they can do.
#[must_use]
pub fn question(facts: &TenantFacts, language: Language, to: &Transfer) -> String {
    let who = if facts.knows("{county}") { "transfer_who" } else { "transfer_who_plain" };
    let about = if to.about.is_empty() { "transfer_about_unknown" } else { "transfer_about" };
    let notes = to.notes.then_some("transfer_notes_person");
    let keys = [Some(who), Some(about), notes, Some("transfer_accept")];
    let said =
        keys.into_iter().flatten().map(|key| spoken(facts, language, key)).collect::<Vec<_>>().join(" ");
    said.replace("{target}", &to.target).replace("{about}", &to.about)
}

/// What the person at the target said or pressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Said {
    Yes,
    No,
    Nothing,
}

#[derive(Default, Deserialize)]
struct Answers {
    no: Answer,
    yes: Answer,
}

/// A part of the program; one that is broken fails the tests, and then nobody is taken for willing.
static ANSWERS: LazyLock<Answers> =
    LazyLock::new(|| toml::from_str(include_str!("../../data/calling/accept.toml")).unwrap_or_default());

/// Reads an answer. A no is heard before all else.
#[must_use]
pub fn understood(keys: Option<&str>, speech: Option<&str>) -> Said {
    if ANSWERS.no.is_given(keys, speech) {
        Said::No
    } else if ANSWERS.yes.is_given(keys, speech) {
        Said::Yes
    } else {
        Said::Nothing
    }
}

/// The room where both calls meet.
#[must_use]
pub fn room(to: &Transfer) -> String {
    format!("transfer-{}", to.id)
}

/// The language that the call is held in.
#[must_use]
pub fn language_of(call: &Call) -> Language {
    Language::of(&call.language).unwrap_or(Language::En)
}

#[cfg(test)]
mod tests {
    use storage::TransferId;

    use super::*;
    use crate::tenant_config::read;

    #[test]
    fn a_no_is_heard_before_a_yes() {
        for (keys, speech, said) in [
            (Some("1"), None, Said::Yes),
            (Some("2"), None, Said::No),
            (Some("7"), None, Said::Nothing),
            (None, Some("Yes."), Said::Yes),
            (None, Some("Sí, claro."), Said::Yes),
            (None, Some("Okay, but I can't right now."), Said::No),
            (None, Some("This is a bad time."), Said::No),
            (None, Some("Hello?"), Said::Nothing),
        ] {
            assert_eq!(understood(keys, speech), said, "{keys:?} {speech:?}");
        }
    }

    #[test]
    fn whoever_is_asked_hears_who_wants_what_in_two_sentences_and_a_question() {
        let facts = read::toml("name = \"Oakdale\"\ntimezone = \"America/Chicago\"\n").config.facts();
        let to = |about: &str| Transfer {
            id: TransferId::new(),
            call: CallId::new(),
            actor: "the agent".into(),
            target: "the clerk's office".into(),
            number: "+12025550180".into(),
            language: "en".into(),
            about: about.into(),
            warm: true,
            notes: false,
            stage: TransferStage::Dialling,
            result: None,
            carrier_sid: None,
            created_at: chrono::Utc::now(),
            heard_at: chrono::Utc::now(),
        };
        for language in [Language::En, Language::Es] {
            for about in ["report", ""] {
                let said = question(&facts, language, &to(about));
                assert!(
                    said.contains("the clerk's office") && said.contains('1') && !said.contains('{'),
                    "{said}"
                );
                assert_eq!(said.contains("report"), !about.is_empty(), "{said}");
                // Who is to be written down is told so before they can take the call.
                let noted = question(&facts, language, &Transfer { notes: true, ..to(about) });
                let word = if language == Language::En { "take notes" } else { "tomo notas" };
                let (told, key) = (noted.find(word).unwrap(), noted.rfind('1').unwrap());
                assert!(told < key && !said.contains(word), "{noted}");
            }
        }
    }
}
