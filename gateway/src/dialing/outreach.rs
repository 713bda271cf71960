//! A call that the agent places: to somebody who agreed to be called for that, at an hour that is theirs, and not too often.
//!
//! Whoever answers is first told who calls, that it is a machine, and what for. Nothing else is said before they show that they
//! are the one, and they can end all further calls with a key or a word. Then it is a call like any other.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use dialogue::TenantFacts;
use pipeline::ports::Language;
use serde::Deserialize;
use storage::dials::NewDoNotCall;
use storage::outreach::{
    NewConsent, NewOutreach, Outreach as Attempt, OutreachNews, OutreachResult, OutreachStage, Purpose,
};
use storage::records::{Call, Direction, NewCall};
use storage::{CallId, Calls, Dials, Directory, Outreach, PassportId, StorageError, TenantId, TenantStore};
use telephony::control::{CallControl, CallOrder};
use telephony::error::ControlError;
use telephony::twilio::status::CallProgress;

use super::hours;
use super::refusals::{self, Rule};
use super::transfer::line as spoken;
use crate::app::App;
use crate::audit::acts;
use crate::auth::Principal;
use crate::error::{ApiError, ErrorCode};
use crate::webhooks::outreach as webhook;
use crate::webhooks::request;

const RING: Duration = Duration::from_secs(30);
const LIMIT: Duration = Duration::from_secs(3_600);
const LOOKS: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(800)];
/// Calls to one number: in a day, and in a week.
const A_DAY: u32 = 1;
const A_WEEK: u32 = 3;

/// Whom to call, and what for.
#[derive(Debug)]
pub struct Wish<'a> {
    pub tenant: TenantId,
    pub store: &'a TenantStore,
    pub principal: &'a Principal,
    pub purpose: Purpose,
    pub language: Language,
}

/// Places the call. Every rule is asked before anything is written.
///
/// # Errors
/// The rule that is against it, or what the carrier said.
pub async fn place(
    app: &App,
    wish: Wish<'_>,
    to: &str,
    line: Option<&str>,
) -> Result<(Attempt, String), ApiError> {
    let control = app.control.as_deref().ok_or_else(refusals::no_account)?;
    if !app.is_ready() {
        return Err(ApiError::new(ErrorCode::ServiceUnavailable, "the speech engines are not ready")
            .advise("try again in some seconds; /ready says when"));
    }
    if !has_room(app) {
        return Err(refusals::no_room());
    }
    let line = line_of(app, wish.tenant, line).await?;
    may_call(wish.store, to, wish.purpose, app.clock.now()).await??;
    let call = NewCall {
        id: CallId::new(),
        carrier_sid: None,
        line: line.clone(),
        caller: Some(to.to_owned()),
        direction: Direction::Outbound,
        language: wish.language.code().to_owned(),
        passport_id: Some(PassportId::new()),
        started_at: Utc::now(),
    };
    let id = call.id;
    let new = NewOutreach { call, purpose: wish.purpose, actor: wish.principal.subject.clone() };
    let Some(attempt) = wish.store.begin_outreach(new).await? else {
        return Err(ApiError::new(ErrorCode::Conflict, "this number is being called already")
            .advise("wait until that call has ended"));
    };
    let entry = acts::call_placed(wish.principal, id, wish.purpose);
    if let Err(error) = app.audit.record(Some(wish.tenant), entry).await {
        end(app, wish.tenant, wish.store, id, OutreachResult::Failed).await?;
        return Err(error.into());
    }
    app.capacity.rings(id, Instant::now());
    match ring(app, control, &wish, id, &line, to).await {
        Ok(sid) => {
            let news = OutreachNews { carrier_sid: sid, ..OutreachNews::default() };
            let now = wish.store.note_outreach(id, news).await?;
            Ok((now.unwrap_or(attempt), line))
        }
        Err(error) => {
            end(app, wish.tenant, wish.store, id, OutreachResult::Failed).await?;
            Err(refusals::by_carrier(error))
        }
    }
}

/// Whether the calls of others leave room for one more of ours.
fn has_room(app: &App) -> bool {
    let Some(ready) = app.ready.get() else { return false };
    app.capacity.has_room_for_ours((ready.providers.load)(), app.strain.read(), Instant::now())
}

async fn line_of(app: &App, tenant: TenantId, wanted: Option<&str>) -> Result<String, ApiError> {
    let lines = app.platform.store().lines(tenant).await?;
    match wanted {
        None => Ok(lines.into_iter().next().map(|line| line.number).ok_or(Rule::NoLine)?),
        Some(wanted) => {
            let wanted = storage::zones::normalise_phone(wanted).unwrap_or_default();
            let found = lines.into_iter().find(|line| line.number == wanted);
            found.map(|line| line.number).ok_or_else(|| ApiError::not_found("line"))
        }
    }
}

/// Whether a number may be called for a purpose at a time.
///
/// # Errors
/// Outside: storage. Inside: the rule that is against it.
pub async fn may_call(
    store: &TenantStore,
    number: &str,
    purpose: Purpose,
    now: DateTime<Utc>,
) -> Result<Result<(), Rule>, StorageError> {
    if !hours::is_dialable(number) {
        return Ok(Err(Rule::Destination));
    }
    if store.is_do_not_call(number).await? {
        return Ok(Err(Rule::DoNotCall));
    }
    if !store.has_consent(number, purpose).await? {
        return Ok(Err(Rule::NoConsent));
    }
    if let Err(why) = hours::may_call(number, now) {
        return Ok(Err(why.into()));
    }
    let real_now = Utc::now();
    let day = store.outreach_since(number, real_now - TimeDelta::days(1)).await?;
    let week = store.outreach_since(number, real_now - TimeDelta::days(7)).await?;
    if day >= A_DAY || week >= A_WEEK {
        return Ok(Err(Rule::TooOften));
    }
    Ok(Ok(()))
}

/// Rings it. `None`: whether it rings is not known yet; the carrier's callbacks name the call.
async fn ring(
    app: &App,
    control: &dyn CallControl,
    wish: &Wish<'_>,
    id: CallId,
    line: &str,
    to: &str,
) -> Result<Option<String>, ControlError> {
    let url = |path| request::url(app, path, wish.tenant, id);
    let (answer_url, status_url) = (url(webhook::ANSWER), url(webhook::STATUS));
    let order = CallOrder {
        to,
        from: line,
        answer_url: &answer_url,
        status_url: &status_url,
        detect_url: Some(&status_url),
        ring: RING,
        limit: LIMIT,
    };
    let since = Utc::now();
    match control.place(&order).await {
        Ok(call) => return Ok(Some(call.sid)),
        Err(ControlError::Unknown) => {}
        Err(error) => return Err(error),
    }
    // Asked for again it might ring twice: look first, and never ask again.
    for pause in LOOKS {
        tokio::time::sleep(pause).await;
        if let Ok(Some(call)) = control.find(line, to, since).await
            && matches!(wish.store.call_by_carrier_sid(&call.sid).await, Ok(None))
        {
            return Ok(Some(call.sid));
        }
    }
    Ok(None)
}

/// What whoever answered said or pressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Said {
    Yes,
    Wrong,
    Stop,
    Nothing,
}

#[derive(Default, Deserialize)]
struct Answers {
    stop: Answer,
    wrong: Answer,
    yes: Answer,
}

/// A key, and words for the same.
#[derive(Default, Deserialize)]
pub(super) struct Answer {
    key: String,
    words: Vec<String>,
}

impl Answer {
    /// Whether the key was pressed, or one of the words said as a word of its own.
    pub(super) fn is_given(&self, keys: Option<&str>, speech: Option<&str>) -> bool {
        let speech = speech.unwrap_or_default().to_lowercase();
        let plain: String =
            speech.chars().map(|c| if c.is_alphanumeric() || c == '\'' { c } else { ' ' }).collect();
        let padded = format!(" {} ", plain.split_whitespace().collect::<Vec<_>>().join(" "));
        keys == Some(self.key.as_str()) && !self.key.is_empty()
            || self.words.iter().any(|word| padded.contains(&format!(" {word} ")))
    }
}

/// A part of the program; one that is broken fails the tests, and then nobody is taken for willing.
static ANSWERS: LazyLock<Answers> =
    LazyLock::new(|| toml::from_str(include_str!("../../data/calling/answers.toml")).unwrap_or_default());

/// Reads an answer. Who wants no calls is heard before all else, a "yes" only as a word of its own.
#[must_use]
pub fn understood(keys: Option<&str>, speech: Option<&str>) -> Said {
    let says = |answer: &Answer| answer.is_given(keys, speech);
    let answers = &*ANSWERS;
    if says(&answers.stop) {
        Said::Stop
    } else if says(&answers.wrong) {
        Said::Wrong
    } else if says(&answers.yes) {
        Said::Yes
    } else {
        Said::Nothing
    }
}

/// What whoever answers hears first: who calls, that it is a machine, what for, and what they can do.
#[must_use]
pub fn introduction(facts: &TenantFacts, language: Language, purpose: Purpose) -> String {
    let what = match purpose {
        Purpose::Callback => "outreach_callback",
        Purpose::Request => "outreach_request",
        Purpose::Appointment => "outreach_appointment",
    };
    let who = if facts.knows("{county}") { "outreach_who" } else { "outreach_who_plain" };
    let parts = [who, what, "outreach_keys", "outreach_stop"];
    parts.map(|key| spoken(facts, language, key)).join(" ")
}

/// What is said at an end.
#[must_use]
pub fn farewell(facts: &TenantFacts, language: Language, said: Said) -> String {
    spoken(facts, language, if said == Said::Stop { "outreach_stopped" } else { "outreach_wrong" })
}

/// Whoever answered does not want to be called, or is somebody else: both hold at once.
///
/// # Errors
/// When storage does not answer; then nothing was promised yet.
pub async fn heed(
    store: &TenantStore,
    call: &Call,
    purpose: Purpose,
    said: Said,
    source: &str,
) -> Result<(), StorageError> {
    let Some(number) = store.caller_number(call.id).await? else { return Ok(()) };
    let by = "callee".to_owned();
    match said {
        Said::Stop => store.forbid_calls(NewDoNotCall { number, source: source.to_owned(), by }).await,
        Said::Wrong => {
            let taken_back = NewConsent { number, purpose, given: false, source: "call".to_owned(), by };
            store.set_consent(taken_back).await
        }
        Said::Yes | Said::Nothing => Ok(()),
    }
}

/// What the end of a call means; `None` for what is no end.
#[must_use]
pub fn result_of(attempt: &Attempt, status: CallProgress) -> Option<OutreachResult> {
    match status {
        CallProgress::Completed if attempt.opted_out => Some(OutreachResult::OptedOut),
        CallProgress::Completed if attempt.stage == OutreachStage::Connected => Some(OutreachResult::Reached),
        CallProgress::Completed if attempt.machine => Some(OutreachResult::Machine),
        CallProgress::Completed => Some(OutreachResult::NoResponse),
        CallProgress::Busy => Some(OutreachResult::Busy),
        CallProgress::NoAnswer | CallProgress::Canceled => Some(OutreachResult::NoAnswer),
        CallProgress::Failed => Some(OutreachResult::Failed),
        _ => None,
    }
}

/// Ends it, once, with its entry on the audit.
///
/// # Errors
/// When storage does not answer.
pub async fn end(
    app: &App,
    tenant: TenantId,
    store: &TenantStore,
    id: CallId,
    result: OutreachResult,
) -> Result<(), StorageError> {
    app.capacity.rings_no_more(id);
    if !store.end_outreach(id, result).await? {
        return Ok(());
    }
    metrics::counter!("quandura_outreach_total", "result" => result.as_str()).increment(1);
    tracing::info!(call_id = %id, result = result.as_str(), "a call of ours has ended");
    if let Err(error) = app.audit.record(Some(tenant), acts::call_placed_ended(id, result)).await {
        tracing::error!(%error, call_id = %id, "the end of a call of ours is not on the audit");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wants_no_calls_is_heard_first_in_both_languages() {
        for (keys, speech, said) in [
            (Some("1"), None, Said::Yes),
            (Some("2"), None, Said::Wrong),
            (Some("9"), None, Said::Stop),
            (Some("5"), None, Said::Nothing),
            (None, Some("Yes."), Said::Yes),
            (None, Some("Sí, soy yo."), Said::Yes),
            (None, Some("Stop calling me!"), Said::Stop),
            (None, Some("yes and please don't call again"), Said::Stop),
            (None, Some("No me llamen más, por favor."), Said::Stop),
            (None, Some("You have the wrong number."), Said::Wrong),
            (None, Some("Número equivocado"), Said::Wrong),
            (None, Some("yesterday"), Said::Nothing),
            (None, None, Said::Nothing),
        ] {
            assert_eq!(understood(keys, speech), said, "{keys:?} {speech:?}");
        }
    }

    #[test]
    fn an_introduction_says_who_and_what_for_and_how_to_end_it() {
        let facts =
            crate::tenant_config::TenantConfig { name: "City of Oakdale".into(), ..Default::default() };
        let facts = facts.facts();
        for purpose in [Purpose::Callback, Purpose::Request, Purpose::Appointment] {
            for language in [Language::En, Language::Es] {
                let said = introduction(&facts, language, purpose);
                assert!(said.contains("Oakdale") && !said.contains('{'), "{said}");
                assert!(
                    said.contains(if language == Language::En { "press 9" } else { "marque 9" }),
                    "{said}"
                );
            }
        }
        assert_ne!(farewell(&facts, Language::En, Said::Stop), farewell(&facts, Language::En, Said::Wrong));
    }
}
