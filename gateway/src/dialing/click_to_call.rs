//! A person calls whoever left a request: their own telephone rings first, then the request's number is dialled. The person
//! never learns that number, and whoever is called sees the line's.

use std::time::Duration;

use chrono::Utc;
use serde_json::Value;
use storage::dials::{Dial, DialBegun, DialNews, DialResult, DialStage, NewDial};
use storage::records::{Priority, WorkItem};
use storage::work_acts::WorkRefusal;
use storage::zones::{CallerNumber, normalise_phone};
use storage::{Calls, DialId, Dials, Directory, StorageError, TenantId, TenantStore, WorkItems};
use telephony::control::{CallControl, CallOrder};
use telephony::error::ControlError;

use super::call_result;
use super::hours;
use super::refusals::{self, Rule};
use crate::app::App;
use crate::audit::acts;
use crate::auth::Principal;
use crate::error::{ApiError, ErrorCode};
use crate::webhooks::request;
use crate::webhooks::transfer::facts_of;

/// How long the person's own telephone rings.
pub const RING_OWN: Duration = Duration::from_secs(25);
/// How long the other one does.
pub const RING: Duration = Duration::from_secs(35);
/// Longest call.
pub const LIMIT: Duration = Duration::from_secs(2 * 3_600);
/// Pauses before it is looked whether a call was placed of which the carrier did not say so.
const LOOKS: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(800)];
/// Fields of a request that hold a number to call, the best first.
const NUMBERS: [&str; 4] = ["phone", "callback_number", "caller", "number"];

/// Whose request is called about, and by whom.
#[derive(Debug)]
pub struct Wish<'a> {
    pub tenant: TenantId,
    pub store: &'a TenantStore,
    pub principal: &'a Principal,
    pub item: WorkItem,
}

/// What became of it.
#[derive(Debug)]
pub enum Wished {
    Placed(Dial),
    /// As with other moves on requests.
    Refused(WorkRefusal),
}

/// Places the call. Every rule is asked before anything is written.
///
/// # Errors
/// The rule that is against it, or what the carrier said.
pub async fn place(app: &App, wish: Wish<'_>, own_phone: &str) -> Result<Wished, ApiError> {
    let control = app.control().ok_or_else(|| refusals::no_account(&app.config.carrier))?;
    let own = own_phone_of(own_phone)?;
    let number = number_to_call(app, wish.store, &wish.item).await??;
    if number.as_str() == own {
        return Err(Rule::SameNumber.into());
    }
    let line = line_of(app, &wish).await?.ok_or(Rule::NoLine)?;
    let actor = wish.principal.subject.clone();
    let new = NewDial { id: DialId::new(), item: wish.item.id, actor, line };
    let dial = match wish.store.begin_dial(new).await? {
        DialBegun::Begun(dial) => dial,
        DialBegun::UnderWay(_) => {
            return Err(ApiError::new(ErrorCode::Conflict, "this request is being called already")
                .advise("wait until that call has ended"));
        }
        DialBegun::Refused(refusal) => return Ok(Wished::Refused(refusal)),
    };
    call_result::tell(app, wish.tenant, wish.store, dial.item).await;
    let entry = acts::work_item_called(wish.principal, dial.item, dial.id);
    if let Err(error) = app.audit.record(Some(wish.tenant), entry).await {
        call_result::end(app, wish.tenant, wish.store, &dial, DialResult::Failed).await?;
        return Err(error.into());
    }
    match ring(app, control, &wish, &dial, &own).await {
        Ok(sid) => {
            let news = DialNews { carrier_sid: sid, ..DialNews::default() };
            let now = wish.store.note_dial(dial.id, news).await?;
            Ok(Wished::Placed(now.unwrap_or(dial)))
        }
        Err(error) => {
            call_result::end(app, wish.tenant, wish.store, &dial, DialResult::Failed).await?;
            Err(refusals::by_carrier(error))
        }
    }
}

/// Rings the person's own telephone. `None`: whether it rings is not known yet; the carrier's callbacks name the call.
async fn ring(
    app: &App,
    control: &dyn CallControl,
    wish: &Wish<'_>,
    dial: &Dial,
    own: &str,
) -> Result<Option<String>, ControlError> {
    let tenant = wish.tenant;
    let (answer_url, status_url) = (
        request::url(app, app.paths.dial_answer, tenant, dial.id),
        request::url(app, app.paths.dial_status, tenant, dial.id),
    );
    let order = CallOrder {
        to: own,
        from: &dial.line,
        answer_url: &answer_url,
        status_url: &status_url,
        detect_url: None,
        until_greeted: false,
        ring: RING_OWN,
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
        // The newest may be that of an earlier attempt.
        if let Ok(Some(call)) = control.find(&dial.line, own, since).await
            && !wish.store.is_dial(&call.sid).await.unwrap_or(true)
        {
            return Ok(Some(call.sid));
        }
    }
    Ok(None)
}

fn own_phone_of(text: &str) -> Result<String, ApiError> {
    let own = normalise_phone(text).ok_or_else(|| {
        ApiError::invalid("from_phone", "is no telephone number").advise("write it as +12025550100")
    })?;
    if hours::is_dialable(&own) { Ok(own) } else { Err(Rule::OwnDestination.into()) }
}

/// The number of whoever left a request, where it may be called now. The hours do not bind an emergency, unless the tenant says
/// that they do.
///
/// # Errors
/// Outside: storage. Inside: the rule that is against it.
pub async fn number_to_call(
    app: &App,
    store: &TenantStore,
    item: &WorkItem,
) -> Result<Result<CallerNumber, Rule>, ApiError> {
    let Some(number) = number_of(store, item).await? else { return Ok(Err(Rule::NoNumber)) };
    if store.is_do_not_call(number.as_str()).await? {
        return Ok(Err(Rule::DoNotCall));
    }
    match hours::may_call(number.as_str(), app.clock.now()) {
        Err(hours::NotNow::Quiet { .. })
            if item.priority == Priority::Urgent && facts_of(app, store.id()).await?.urgent_any_hour =>
        {
            Ok(Ok(number))
        }
        Err(why) => Ok(Err(why.into())),
        Ok(()) => Ok(Ok(number)),
    }
}

/// What they gave as their number, or else the one that they called from.
///
/// # Errors
/// When storage does not answer.
pub async fn number_of(store: &TenantStore, item: &WorkItem) -> Result<Option<CallerNumber>, StorageError> {
    let given = |name: &str| item.fields.get(name).and_then(Value::as_str).and_then(CallerNumber::of);
    if let Some(number) = NUMBERS.iter().find_map(|name| given(name)) {
        return Ok(Some(number));
    }
    let Some(call) = item.call_id else { return Ok(None) };
    match store.caller_number(call).await {
        Ok(number) => Ok(number.as_deref().and_then(CallerNumber::of)),
        Err(StorageError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The line that they called, while it is the tenant's; else its first.
async fn line_of(app: &App, wish: &Wish<'_>) -> Result<Option<String>, StorageError> {
    let lines = app.platform.store().lines(wish.tenant).await?;
    let called = match wish.item.call_id {
        Some(call) => wish.store.call(call).await?.map(|call| call.line),
        None => wish.item.fields.get("line").and_then(Value::as_str).map(str::to_owned),
    };
    let own = called.filter(|number| lines.iter().any(|line| line.number == *number));
    Ok(own.or_else(|| lines.into_iter().next().map(|line| line.number)))
}

/// The person answered and wants to go on: the number to dial, if the rules still allow it.
///
/// # Errors
/// When storage does not answer.
pub async fn go_on(app: &App, store: &TenantStore, dial: &Dial) -> Result<Option<CallerNumber>, ApiError> {
    let Some(item) = store.work_item_by_id(dial.item).await? else { return Ok(None) };
    match number_to_call(app, store, &item).await? {
        Ok(number) => {
            let news = DialNews { stage: Some(DialStage::Dialling), ..DialNews::default() };
            store.note_dial(dial.id, news).await?;
            Ok(Some(number))
        }
        Err(rule) => {
            tracing::warn!(rule = rule.name(), dial = %dial.id, "a rule came between a person and a call back");
            Ok(None)
        }
    }
}
