//! `/v1/campaigns`: the agent calls a list of numbers, each as if by `POST /v1/calls`; how they stand, and who stops it.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use storage::campaigns::{Campaign, CampaignState, Entry, EntryState, NewCampaign, NewEntry};
use storage::outreach::Purpose;
use storage::zones::normalise_phone;
use storage::{CallId, CampaignId, Campaigns, StorageError, TenantStore, WorkItems};

use super::outreach::{language_of, retries_of};
use super::page::{Page, PageQuery};
use crate::app::App;
use crate::audit::acts;
use crate::auth::permission::ReadCalls;
use crate::auth::{Act, Scoped};
use crate::dialing::{click_to_call, on_file, outreach, refusals};
use crate::error::{ApiError, ErrorCode, JsonBody};

/// Largest body, in bytes.
pub const MAX_BODY: usize = 128 * 1024;
/// Numbers of one list.
const MOST_NUMBERS: usize = 1_000;
/// Calls at a time.
const AT_ONCE: std::ops::RangeInclusive<u32> = 1..=100;
const USUAL_AT_ONCE: u32 = 5;
/// From its creation to its end.
const LONGEST: TimeDelta = TimeDelta::days(31);
/// Places of a list that a refusal names.
const NAMED: usize = 10;

/// Whom to call, what for, and when.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    purpose: Purpose,
    #[serde(default)]
    numbers: Vec<String>,
    /// Or references of requests: the number that is on file for each.
    #[serde(default)]
    items: Vec<String>,
    line: Option<String>,
    language: Option<String>,
    from: Option<DateTime<Utc>>,
    until: DateTime<Utc>,
    at_once: Option<u32>,
    #[serde(default)]
    retries: u32,
    retry_after_s: Option<i64>,
    #[serde(default)]
    retry_machines: bool,
}

// A number is somebody's.
impl std::fmt::Debug for Order {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Order").field("purpose", &self.purpose).finish_non_exhaustive()
    }
}

impl Order {
    fn times(&self, now: DateTime<Utc>) -> Result<(DateTime<Utc>, DateTime<Utc>), ApiError> {
        let from = self.from.map_or(now, |from| from.max(now));
        if self.until <= from {
            return Err(ApiError::invalid("until", "is not after its beginning, or not to come"));
        }
        if self.until > now + LONGEST {
            let days = LONGEST.num_days();
            return Err(ApiError::invalid("until", format_args!("is more than {days} days away")));
        }
        Ok((from, self.until))
    }

    fn at_once(&self) -> Result<u32, ApiError> {
        let at_once = self.at_once.unwrap_or(USUAL_AT_ONCE);
        if AT_ONCE.contains(&at_once) {
            return Ok(at_once);
        }
        Err(ApiError::invalid("at_once", format_args!("is from {} to {}", AT_ONCE.start(), AT_ONCE.end())))
    }

    /// The list, in the order in which it was given.
    async fn entries(&self, store: &TenantStore) -> Result<Vec<NewEntry>, ApiError> {
        let (parameter, given) = match (self.numbers.is_empty(), self.items.is_empty()) {
            (false, true) => ("numbers", &self.numbers),
            (true, false) => ("items", &self.items),
            _ => return Err(ApiError::invalid("numbers", "or items: one of them, and not both")),
        };
        if given.len() > MOST_NUMBERS {
            return Err(ApiError::invalid(parameter, format_args!("has more than {MOST_NUMBERS}"))
                .advise("make several campaigns of it"));
        }
        let (mut entries, mut wrong) = (Vec::new(), Vec::new());
        for (position, text) in (1..).zip(given) {
            let found = match parameter {
                "items" => of_item(store, self.purpose, position, text).await?,
                _ => normalise_phone(text).map(|number| NewEntry {
                    position,
                    number: Some(number),
                    item: None,
                }),
            };
            match found {
                Some(entry) => entries.push(entry),
                None => wrong.push(position),
            }
        }
        if wrong.is_empty() {
            return Ok(entries);
        }
        let what = if parameter == "items" { "no request of yours" } else { "no telephone number" };
        let named = wrong.iter().take(NAMED).map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let more = if wrong.len() > NAMED { ", …" } else { "" };
        Err(ApiError::invalid(parameter, format_args!("has what is {what}, at {named}{more}"))
            .with_details(json!({ "parameter": parameter, "positions": wrong }))
            .advise("correct or leave out those; the first is 1"))
    }
}

/// The number on file for a request. `None`: there is no such request.
async fn of_item(
    store: &TenantStore,
    purpose: Purpose,
    position: u32,
    reference: &str,
) -> Result<Option<NewEntry>, StorageError> {
    let Some(item) = store.work_item(reference).await? else { return Ok(None) };
    let reminds = purpose == Purpose::Appointment;
    let number = if reminds {
        on_file::number_of(store, &item).await?
    } else {
        click_to_call::number_of(store, &item).await?.map(|number| number.as_str().to_owned())
    };
    Ok(Some(NewEntry { position, number, item: reminds.then_some(item.reference) }))
}

/// Keeps a list, and begins with it when its time comes.
///
/// # Errors
/// 400 for what is wrong with the list, its times or bounds; 404 for a line that is not the tenant's; 409 without an account; 422
/// without a line.
pub async fn create(
    State(app): State<Arc<App>>,
    scope: Scoped<Act>,
    JsonBody(asked): JsonBody<Order>,
) -> Result<(StatusCode, Json<CampaignItem>), ApiError> {
    let (store, principal) = (&scope.store, &scope.principal);
    let language = language_of(asked.language.as_deref())?;
    let (from, until) = asked.times(Utc::now())?;
    let at_once = asked.at_once()?;
    let retries = retries_of(asked.retries, asked.retry_after_s, asked.retry_machines)?;
    if app.control().is_none() {
        return Err(refusals::no_account(&app.config.carrier));
    }
    let line = outreach::line_of(&app, scope.tenant.id, asked.line.as_deref()).await?;
    let new = NewCampaign {
        id: CampaignId::new(),
        purpose: asked.purpose,
        actor: principal.subject.clone(),
        line,
        language: language.code().to_owned(),
        from,
        until,
        at_once,
        retries,
        entries: asked.entries(store).await?,
    };
    let campaign = store.begin_campaign(new).await?;
    let kept = store.campaign_entries(campaign.id).await?.len();
    app.audit.record(Some(scope.tenant.id), acts::campaign_created(principal, &campaign, kept)).await?;
    // Nobody is called before that is on the audit.
    store.turn_campaign(campaign.id, CampaignState::Running).await?;
    Ok((StatusCode::CREATED, Json(shown(store, campaign.id).await?)))
}

/// A campaign, as it is shown. No number is.
#[derive(Debug, Serialize)]
pub struct CampaignItem {
    id: CampaignId,
    purpose: Purpose,
    line: String,
    language: String,
    /// A login, or the name of a program's token.
    by: String,
    state: CampaignState,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
    at_once: u32,
    retries: u32,
    retry_after_s: i64,
    retry_machines: bool,
    /// Why none of its calls begins now.
    waits: Option<String>,
    created_at: DateTime<Utc>,
    ended_at: Option<DateTime<Utc>>,
    numbers: u32,
    waiting: u32,
    calling: u32,
    /// Those that are done with, by what the last call came to or the rule that was against it.
    results: BTreeMap<String, u32>,
    /// Those that wait for something, by the rule, or by what the last call came to.
    waiting_for: BTreeMap<String, u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<EntryItem>>,
}

/// One of its numbers, by its place in the list.
#[derive(Debug, Serialize)]
pub struct EntryItem {
    position: u32,
    state: EntryState,
    reason: Option<String>,
    attempts: u32,
    due_at: Option<DateTime<Utc>>,
    /// The latest attempt.
    call: Option<CallId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    appointment: Option<String>,
}

impl From<Entry> for EntryItem {
    fn from(kept: Entry) -> Self {
        Self {
            position: kept.position,
            state: kept.state,
            reason: kept.reason,
            attempts: kept.attempts,
            due_at: kept.due_at,
            call: kept.last,
            appointment: kept.item,
        }
    }
}

async fn item(store: &TenantStore, kept: Campaign) -> Result<CampaignItem, ApiError> {
    let counts = store.campaign_counts(kept.id).await?;
    let of = |state| {
        counts.iter().filter(move |one| one.state == state).map(|one| (one.reason.clone(), one.count))
    };
    let sum = |state| of(state).map(|(_, count)| count).sum();
    let named = |state| of(state).filter_map(|(reason, count)| Some((reason?, count))).collect();
    Ok(CampaignItem {
        id: kept.id,
        purpose: kept.purpose,
        line: kept.line,
        language: kept.language,
        by: kept.actor,
        state: kept.state,
        from: kept.from,
        until: kept.until,
        at_once: kept.at_once,
        retries: kept.retries.most,
        retry_after_s: kept.retries.every.num_seconds(),
        retry_machines: kept.retries.machines,
        waits: kept.waits,
        created_at: kept.created_at,
        ended_at: kept.ended_at,
        numbers: counts.iter().map(|one| one.count).sum(),
        waiting: sum(EntryState::Waiting),
        calling: sum(EntryState::Calling),
        results: named(EntryState::Ended),
        waiting_for: named(EntryState::Waiting),
        entries: None,
    })
}

async fn shown(store: &TenantStore, id: CampaignId) -> Result<CampaignItem, ApiError> {
    let kept = store.campaign(id).await?.ok_or_else(unknown)?;
    let entries = store.campaign_entries(id).await?.into_iter().map(EntryItem::from).collect();
    Ok(CampaignItem { entries: Some(entries), ..item(store, kept).await? })
}

fn unknown() -> ApiError {
    ApiError::not_found("campaign")
}

fn id_of(text: &str) -> Result<CampaignId, ApiError> {
    text.parse().map_err(|_| unknown())
}

/// Newest first.
///
/// # Errors
/// 400 for a bad cursor or limit.
pub async fn list(
    scope: Scoped<ReadCalls>,
    Query(page): Query<PageQuery>,
) -> Result<Json<Page<CampaignItem>>, ApiError> {
    let kept = scope.store.campaigns(page.after()?, page.fetch()?).await?;
    let Page { items: kept, next_cursor } = page.page(kept, |one| one.id.to_string(), |one| one);
    let mut items = Vec::with_capacity(kept.len());
    for one in kept {
        items.push(item(&scope.store, one).await?);
    }
    Ok(Json(Page { items, next_cursor }))
}

/// One, with its numbers by their places in the list.
///
/// # Errors
/// 404 for an unknown one.
pub async fn one(scope: Scoped<ReadCalls>, Path(id): Path<String>) -> Result<Json<CampaignItem>, ApiError> {
    Ok(Json(shown(&scope.store, id_of(&id)?).await?))
}

/// Nobody else is called until it is resumed; calls that ring or are talked on go on.
///
/// # Errors
/// 404 for an unknown one; 409 for one that is over.
pub async fn pause(
    State(app): State<Arc<App>>,
    scope: Scoped<Act>,
    Path(id): Path<String>,
) -> Result<Json<CampaignItem>, ApiError> {
    turn(&app, &scope, &id, CampaignState::Paused, "campaign.paused").await
}

/// It goes on.
///
/// # Errors
/// As [`pause`].
pub async fn resume(
    State(app): State<Arc<App>>,
    scope: Scoped<Act>,
    Path(id): Path<String>,
) -> Result<Json<CampaignItem>, ApiError> {
    turn(&app, &scope, &id, CampaignState::Running, "campaign.resumed").await
}

/// Nobody else is called, for good.
///
/// # Errors
/// As [`pause`].
pub async fn cancel(
    State(app): State<Arc<App>>,
    scope: Scoped<Act>,
    Path(id): Path<String>,
) -> Result<Json<CampaignItem>, ApiError> {
    turn(&app, &scope, &id, CampaignState::Canceled, "campaign.canceled").await
}

async fn turn(
    app: &App,
    scope: &Scoped<Act>,
    id: &str,
    to: CampaignState,
    action: &str,
) -> Result<Json<CampaignItem>, ApiError> {
    let id = id_of(id)?;
    if scope.store.turn_campaign(id, to).await? {
        let entry = acts::campaign_turned(&scope.principal, id, action);
        app.audit.record(Some(scope.tenant.id), entry).await?;
    }
    let now = shown(&scope.store, id).await?;
    if now.state == to {
        return Ok(Json(now));
    }
    Err(ApiError::new(ErrorCode::Conflict, format!("this campaign is {}", now.state))
        .advise("make another one of whom is left"))
}
