//! `GET /v1/calls`: calls are found again, by what they were and by what was said in them, and taken along as CSV.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use futures_util::stream;
use serde::Deserialize;
use storage::records::{Attention, Call, CallFilter, CallState};
use storage::zones::normalise_phone;
use storage::{Calls, StorageError, TenantId, TenantStore};

use super::calls::CallItem;
use super::page::{Page, PageQuery};
use super::screened;
use crate::app::App;
use crate::audit::acts;
use crate::auth::permission::RevealPersonal;
use crate::auth::{ReadCalls, Scoped};
use crate::error::{ApiError, QueryOf};

/// Calls whose words one search reads; its cursor goes on from there.
const SEARCHED: usize = 500;
/// Calls read at once for a search or an export.
const AT_ONCE: u32 = 100;
/// Longest words that are searched for, in characters.
const LONGEST_SEARCH: usize = 200;
/// Most calls of one export.
const MOST_EXPORTED: usize = 100_000;
/// Columns of an export.
const HEADING: &str =
    "id,started_at,ended_at,line,direction,language,end_reason,turns,cost_usd,attention,attention_reason\r\n";

/// What narrows the list, beside a page's own.
#[derive(Debug, Default, Deserialize)]
pub struct Wanted {
    state: Option<String>,
    line: Option<String>,
    /// The reason of the end: `caller_hung_up`, …
    outcome: Option<String>,
    /// The source of a page that answered a question of the call.
    topic: Option<String>,
    attention: Option<String>,
    language: Option<String>,
    /// Begun at this instant or later, and before that one.
    from: Option<DateTime<Utc>>,
    to: Option<DateTime<Utc>>,
    /// A phone number; for who may see numbers, and on the audit.
    caller: Option<String>,
    /// Words of either side, as a transcript shows them.
    q: Option<String>,
    /// `csv` or `json`.
    format: Option<String>,
    limit: Option<u32>,
    cursor: Option<String>,
}

impl Wanted {
    fn filter(&self, page: &PageQuery) -> Result<CallFilter, ApiError> {
        let given = |text: &Option<String>| {
            text.as_deref().map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned)
        };
        let state = match self.state.as_deref() {
            None | Some("" | "all") => None,
            Some("live") => Some(CallState::Live),
            Some("ended") => Some(CallState::Ended),
            Some(_) => return Err(ApiError::invalid("state", "must be live, ended or all")),
        };
        let attention = given(&self.attention).map(|word| word.parse::<Attention>()).transpose();
        let attention =
            attention.map_err(|_| ApiError::invalid("attention", "must be none, watch or urgent"))?;
        // A line's plus sign is a space in a query that nobody escaped.
        let line = given(&self.line).map(|line| normalise_phone(&line).unwrap_or(line));
        Ok(CallFilter {
            state,
            caller: given(&self.caller),
            line,
            outcome: given(&self.outcome),
            topic: given(&self.topic),
            attention,
            language: given(&self.language),
            from: self.from,
            to: self.to,
            after: page.after()?,
            limit: page.fetch()?,
        })
    }

    fn words(&self) -> Result<Option<String>, ApiError> {
        let words = self.q.as_deref().map(|q| q.trim().to_lowercase()).filter(|q| !q.is_empty());
        if words.as_ref().is_some_and(|words| words.chars().count() > LONGEST_SEARCH) {
            return Err(ApiError::invalid("q", format_args!("is longer than {LONGEST_SEARCH} characters")));
        }
        Ok(words)
    }
}

/// The list, newest first. `q` reads the newest five hundred calls that the other filters leave, and goes on from there with
/// the cursor, since sealed words have no index; it finds what a transcript shows, and no personal data behind a token.
///
/// # Errors
/// A parameter that is none; `caller` without the permission to see numbers.
pub async fn list(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadCalls>,
    QueryOf(wanted): QueryOf<Wanted>,
) -> Result<Response, ApiError> {
    let page = PageQuery { limit: wanted.limit, cursor: wanted.cursor.clone() };
    let (filter, words) = (wanted.filter(&page)?, wanted.words()?);
    let finder =
        Finder { tenant: scope.tenant.id, slug: scope.tenant.slug.clone(), store: scope.store.clone() };
    if filter.caller.is_some() {
        let scope = scope.also::<RevealPersonal>(&app).await?;
        app.audit.record(Some(finder.tenant), acts::caller_looked_up(&scope.principal)).await?;
    }
    match wanted.format.as_deref() {
        None | Some("" | "json") => {}
        Some("csv") => return Ok(finder.export(app, filter, words)),
        Some(_) => return Err(ApiError::invalid("format", "must be json or csv")),
    }
    let shown = |call: Call| CallItem::new(&app, &finder.slug, call);
    let Some(words) = words else {
        let calls = finder.store.list_calls(filter).await?;
        return Ok(Json(page.page(calls, |call| call.id.to_string(), shown)).into_response());
    };
    let wanted = filter.limit.saturating_sub(1) as usize;
    let mut search = Search { filter: CallFilter { limit: AT_ONCE, ..filter }, words, is_over: false };
    let (mut items, mut read) = (Vec::new(), 0);
    while !search.is_over && items.len() < wanted && read < SEARCHED {
        let (found, looked_at) = finder.next(&app, &mut search, wanted - items.len()).await?;
        items.extend(found);
        read += looked_at;
    }
    let next_cursor = search.filter.after.filter(|_| !search.is_over).map(|id| id.to_string());
    let items = items.into_iter().map(shown).collect();
    Ok(Json(Page::<CallItem> { items, next_cursor }).into_response())
}

/// Where calls are looked for.
struct Finder {
    tenant: TenantId,
    slug: String,
    store: TenantStore,
}

/// How far a search is.
struct Search {
    filter: CallFilter,
    words: String,
    is_over: bool,
}

impl Finder {
    /// Reads some calls on; gives those that hold the words, at most so many, and how many were read.
    async fn next(
        &self,
        app: &App,
        search: &mut Search,
        most: usize,
    ) -> Result<(Vec<Call>, usize), ApiError> {
        let calls = self.store.list_calls(search.filter.clone()).await?;
        let (whole, mut found, mut read) = (calls.len(), Vec::new(), 0);
        for call in calls {
            search.filter.after = Some(call.id);
            read += 1;
            if self.holds(app, &call, &search.words).await? {
                found.push(call);
                if found.len() == most {
                    search.is_over = read == whole && whole < AT_ONCE as usize;
                    return Ok((found, read));
                }
            }
        }
        search.is_over = whole < AT_ONCE as usize;
        Ok((found, read))
    }

    /// Whether a call's transcript shows the words. What is shown costs far more to make than what was said, so that
    /// is looked at first.
    async fn holds(&self, app: &App, call: &Call, words: &str) -> Result<bool, ApiError> {
        let turns = self.store.transcript(call.id).await?;
        if !turns.iter().any(|turn| turn.text.to_lowercase().contains(words)) {
            return Ok(false);
        }
        let mut screen = screened::screen(app, self.tenant, self.store.caller_number(call.id).await?)?;
        Ok(turns.iter().any(|turn| screen.screen(&turn.text).to_lowercase().contains(words)))
    }

    /// All that fit, as CSV, a page at a time. What fails on the way breaks the download off.
    fn export(self, app: Arc<App>, filter: CallFilter, words: Option<String>) -> Response {
        let search = Search {
            filter: CallFilter { limit: AT_ONCE, ..filter },
            words: words.unwrap_or_default(),
            is_over: false,
        };
        let pages =
            stream::unfold((self, app, search, Some(0)), |(finder, app, mut search, sent)| async move {
                let sent = sent?;
                if sent == 0 {
                    // The heading goes out before anything is looked for.
                    return Some((Ok(HEADING.to_owned()), (finder, app, search, Some(1))));
                }
                if search.is_over || sent > MOST_EXPORTED {
                    return None;
                }
                let page = if search.words.is_empty() {
                    finder.all(&mut search).await.map_err(ApiError::from)
                } else {
                    finder.next(&app, &mut search, usize::MAX).await.map(|(found, _)| found)
                };
                match page {
                    Ok(calls) => {
                        let rows = calls.iter().map(row).collect();
                        Some((Ok(rows), (finder, app, search, Some(sent + calls.len()))))
                    }
                    Err(error) => {
                        tracing::warn!(code = ?error, "an export of calls broke off");
                        Some((
                            Err(std::io::Error::other("the export broke off")),
                            (finder, app, search, None),
                        ))
                    }
                }
            });
        let kind = [
            (CONTENT_TYPE, "text/csv; charset=utf-8"),
            (CONTENT_DISPOSITION, "attachment; filename=\"calls.csv\""),
        ];
        (kind, Body::from_stream(pages)).into_response()
    }

    async fn all(&self, search: &mut Search) -> Result<Vec<Call>, StorageError> {
        let calls = self.store.list_calls(search.filter.clone()).await?;
        search.is_over = calls.len() < AT_ONCE as usize;
        search.filter.after = calls.last().map(|call| call.id).or(search.filter.after);
        Ok(calls)
    }
}

/// One line. Nothing in it was said or typed by a caller, so that no spreadsheet takes a word for a formula.
fn row(call: &Call) -> String {
    let time = |at: DateTime<Utc>| at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    let text = |text: &str| text.replace(['"', ',', '\r', '\n'], " ");
    format!(
        "{},{},{},{},{},{},{},{},{:.6},{},{}\r\n",
        call.id,
        time(call.started_at),
        call.ended_at.map(time).unwrap_or_default(),
        text(&call.line),
        call.direction.as_str(),
        text(&call.language),
        text(call.end_reason.as_deref().unwrap_or_default()),
        call.turns,
        super::calls::usd(call.cost_micros),
        call.attention.as_str(),
        text(call.attention_reason.as_deref().unwrap_or_default()),
    )
}
