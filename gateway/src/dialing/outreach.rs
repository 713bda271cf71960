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
use storage::audit::NewAudit;
use storage::dials::NewDoNotCall;
use storage::outreach::{
    Comes, NewConsent, NewOutreach, Outreach as Attempt, OutreachNews, OutreachResult, OutreachStage, Purpose,
};
use storage::records::{Call, Direction, NewCall};
use storage::retries::NewRetries;
use storage::{
    CallId, Calls, Campaigns, Dials, Directory, Outreach, PassportId, Retries, StorageError, TenantId,
    TenantStore,
};
use telephony::call_status::CallProgress;
use telephony::control::{CallControl, CallOrder};
use telephony::error::ControlError;

use super::about;
use super::campaigns;
use super::hours;
use super::refusals::{self, Rule};
use super::retries;
use super::transfer::line as spoken;
use crate::app::App;
use crate::audit::acts;
use crate::auth::Principal;
use crate::error::{ApiError, ErrorCode};
use crate::webhooks::request;
use crate::webhooks::transfer::facts_of;

const RING: Duration = Duration::from_secs(30);
const LIMIT: Duration = Duration::from_secs(3_600);
const LOOKS: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(800)];
/// Calls to one number: in a day, and in a week.
const A_DAY: usize = 1;
const A_WEEK: usize = 3;

/// Whom to call, and what for.
#[derive(Debug)]
pub struct Wish<'a> {
    pub tenant: TenantId,
    pub store: &'a TenantStore,
    pub principal: &'a Principal,
    pub purpose: Purpose,
    pub language: Language,
    /// The request that it is about, by its reference.
    pub item: Option<&'a str>,
    /// Attempts that follow where nobody is reached.
    pub retries: Option<NewRetries>,
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
    let control = app.control().ok_or_else(|| refusals::no_account(&app.config.carrier))?;
    if !app.is_ready() {
        return Err(ApiError::new(ErrorCode::ServiceUnavailable, "the speech engines are not ready")
            .advise("try again in some seconds; /ready says when"));
    }
    if !has_room(app) {
        return Err(refusals::no_room());
    }
    let line = line_of(app, wish.tenant, line).await?;
    allowed(app, (wish.tenant, wish.store), to, wish.purpose, wish.item, Utc::now()).await??;
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
    let entry = acts::call_placed(wish.principal, call.id, wish.purpose);
    let comes = wish.retries.map_or(Comes::Once, Comes::First);
    let new = NewOutreach {
        call,
        purpose: wish.purpose,
        actor: wish.principal.subject.clone(),
        comes,
        item: wish.item.map(str::to_owned),
    };
    let attempt = dial(app, control, (wish.tenant, wish.store), new, entry).await?;
    Ok((attempt, line))
}

/// Why a call that may be placed was not.
#[derive(Debug)]
pub(super) enum NotPlaced {
    /// The number is being called already; nothing was written.
    Busy,
    /// It is on record as failed.
    ByCarrier(ControlError),
    /// The same, for a fault of ours.
    Failed(ApiError),
}

impl From<StorageError> for NotPlaced {
    fn from(error: StorageError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<NotPlaced> for ApiError {
    fn from(why: NotPlaced) -> Self {
        match why {
            NotPlaced::Busy => Self::new(ErrorCode::Conflict, "this number is being called already")
                .advise("wait until that call has ended"),
            NotPlaced::ByCarrier(error) => refusals::by_carrier(error),
            NotPlaced::Failed(error) => error,
        }
    }
}

/// Puts a call on record and on the audit, and rings. Where whoever asked for it is told that it failed, and where the carrier
/// does not call that number, no attempt follows.
pub(super) async fn dial(
    app: &App,
    control: &dyn CallControl,
    (tenant, store): (TenantId, &TenantStore),
    new: NewOutreach,
    entry: NewAudit,
) -> Result<Attempt, NotPlaced> {
    let (id, comes) = (new.call.id, new.comes);
    let (line, to) = (new.call.line.clone(), new.call.caller.clone().unwrap_or_default());
    let Some(attempt) = store.begin_outreach(new).await? else {
        return Err(NotPlaced::Busy);
    };
    let is_told = matches!(comes, Comes::Once | Comes::First(_));
    if let Err(error) = app.audit.record(Some(tenant), entry).await {
        if is_told {
            stop(store, comes, attempt.first, "failed").await?;
        }
        end(app, tenant, store, id, OutreachResult::Failed).await?;
        return Err(NotPlaced::Failed(error.into()));
    }
    app.capacity.rings(id, Instant::now());
    match ring(app, control, (tenant, store), id, &line, &to).await {
        Ok(sid) => {
            let news = OutreachNews { carrier_sid: sid, ..OutreachNews::default() };
            let now = store.note_outreach(id, news).await?;
            Ok(now.unwrap_or(attempt))
        }
        Err(error) => {
            if is_told || matches!(error, ControlError::Refused { .. }) {
                stop(store, comes, attempt.first, error.reason()).await?;
            }
            end(app, tenant, store, id, OutreachResult::Failed).await?;
            Err(NotPlaced::ByCarrier(error))
        }
    }
}

/// No attempt follows.
async fn stop(store: &TenantStore, comes: Comes, first: CallId, why: &str) -> Result<bool, StorageError> {
    match comes {
        Comes::Listed(entry) => store.end_entry(entry, why).await,
        Comes::Once | Comes::First(_) | Comes::Again(_) | Comes::Unasked(_) => {
            store.stop_retries(first, why).await
        }
    }
}

/// Whether the calls of others leave room for one more of ours.
pub(super) fn has_room(app: &App) -> bool {
    room(app) > 0
}

/// For how many of ours they do.
pub(super) fn room(app: &App) -> usize {
    let Some(ready) = app.ready.get() else { return 0 };
    app.capacity.room_for_ours((ready.providers.load)(), app.strain.read(), Instant::now())
}

/// The line that is wanted, or the tenant's first.
///
/// # Errors
/// 404 for a line that is not the tenant's; 422 where it has none.
pub async fn line_of(app: &App, tenant: TenantId, wanted: Option<&str>) -> Result<String, ApiError> {
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

/// Whether a number may be called for a purpose now, and told of this request.
///
/// # Errors
/// Outside: storage. Inside: the rule that is against it.
pub(super) async fn allowed(
    app: &App,
    (tenant, store): (TenantId, &TenantStore),
    to: &str,
    purpose: Purpose,
    item: Option<&str>,
    now: DateTime<Utc>,
) -> Result<Result<(), Rule>, StorageError> {
    match (may_call(store, to, purpose, app.clock.now(), now).await?, item) {
        (Ok(()), Some(item)) => about::may_tell(app, (tenant, store), purpose, item, to).await,
        (allowed, _) => Ok(allowed),
    }
}

/// Whether a number may be called for a purpose: at the time of `clock` where it is, and after what was placed up to `now`.
///
/// # Errors
/// Outside: storage. Inside: the rule that is against it.
pub async fn may_call(
    store: &TenantStore,
    number: &str,
    purpose: Purpose,
    clock: DateTime<Utc>,
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
    if let Err(why) = hours::may_call(number, clock) {
        return Ok(Err(why.into()));
    }
    let (day, week) = (TimeDelta::days(1), TimeDelta::days(7));
    let placed = store.outreach_since(number, now - week).await?;
    let until = |most: usize, within: TimeDelta| placed.get(most - 1).map(|at| *at + within);
    let until = [until(A_DAY, day), until(A_WEEK, week)].into_iter().flatten().max();
    Ok(match until.filter(|until| *until > now) {
        Some(until) => Err(Rule::TooOften(Some(until))),
        None => Ok(()),
    })
}

/// Rings it. `None`: whether it rings is not known yet; the carrier's callbacks name the call.
async fn ring(
    app: &App,
    control: &dyn CallControl,
    (tenant, store): (TenantId, &TenantStore),
    id: CallId,
    line: &str,
    to: &str,
) -> Result<Option<String>, ControlError> {
    let url = |path| request::url(app, path, tenant, id);
    let (answer_url, status_url) = (url(app.paths.outreach_answer), url(app.paths.outreach_status));
    // Not to know costs the message, not the call.
    let leaves_message = facts_of(app, tenant).await.is_ok_and(|facts| facts.voicemail);
    let order = CallOrder {
        to,
        from: line,
        answer_url: &answer_url,
        status_url: &status_url,
        detect_url: Some(&status_url),
        until_greeted: leaves_message,
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
            && matches!(store.call_by_carrier_sid(&call.sid).await, Ok(None))
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

/// What is left on a machine: who called and how to reach them. Nothing of the person or of what it was for.
#[must_use]
pub fn message(facts: &TenantFacts, language: Language) -> String {
    let known = |place: &str, full, plain| if facts.knows(place) { full } else { plain };
    let who = known("{county}", "outreach_who", "outreach_who_plain");
    let number = known("{office_phone}", "outreach_voicemail", "outreach_voicemail_plain");
    [who, number].map(|key| spoken(facts, language, key)).join(" ")
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

/// What the end of a call means; `None` for what is no end. `ended`: the reason on its record, where it has one.
#[must_use]
pub fn result_of(attempt: &Attempt, ended: Option<&str>, status: CallProgress) -> Option<OutreachResult> {
    match status {
        CallProgress::Completed if attempt.opted_out => Some(OutreachResult::OptedOut),
        CallProgress::Completed if attempt.message => Some(OutreachResult::MessageLeft),
        CallProgress::Completed if ended == Some(OutreachResult::Machine.as_str()) => {
            Some(OutreachResult::Machine)
        }
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
    campaigns::note_call(store, id, result).await?;
    retries::note_end(app, tenant, store, id).await
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
        for language in [Language::En, Language::Es] {
            let said = message(&facts, language);
            assert!(said.contains("Oakdale") && !said.contains('{') && !said.contains("9"), "{said}");
        }
        let unknown = message(&TenantFacts { county: String::new(), ..facts.clone() }, Language::En);
        assert!(unknown.starts_with("Hello. This is an automated assistant."), "{unknown}");
        let reached = TenantFacts { office_phone: "202-555-0110".into(), ..facts.clone() };
        assert!(message(&reached, Language::Es).contains("202-555-0110"));
        assert_ne!(farewell(&facts, Language::En, Said::Stop), farewell(&facts, Language::En, Said::Wrong));
    }
}
