//! `GET /v1/overview`: how the line is doing, in figures. Counted from the record, not from this process.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, TimeDelta, TimeZone, Timelike, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use storage::figures::{CallFigure, ResponseTime, Span, Topic, Unanswered, WorkFigure};
use storage::records::{Attention, CallState, Speaker, TranscriptTurn, WorkKind, WorkStatus};
use storage::work_acts::due_of;
use storage::{CallId, Calls, Figures, TenantStore};

use super::calls::usd;
use super::screened;
use crate::app::App;
use crate::auth::{ReadCalls, Scoped};
use crate::error::{ApiError, QueryOf};

/// Calls, and requests, that are counted at most: the newest.
const MOST: u32 = 100_000;
/// Calls whose response times are read: the newest.
const TIMED: u32 = 2_000;
/// Pages that are named as what callers ask, and questions without a page that are told.
const TOPICS: u32 = 12;
const UNANSWERED: u32 = 20;
/// Longest span, and the longest that is counted by the hour, days.
const LONGEST: i64 = 400;
const BY_HOUR: i64 = 2;
/// Without `from`, so many days.
const USUAL: i64 = 7;

/// `?from=&to=`.
#[derive(Debug, Default, Deserialize)]
pub struct Asked {
    from: Option<DateTime<Utc>>,
    to: Option<DateTime<Utc>>,
}

impl Asked {
    fn span(&self, now: DateTime<Utc>) -> Result<Span, ApiError> {
        let to = self.to.unwrap_or(now);
        let from = self.from.or_else(|| to.checked_sub_signed(TimeDelta::days(USUAL))).unwrap_or(to);
        if from >= to {
            return Err(ApiError::invalid("from", "must be before `to`"));
        }
        if to - from > TimeDelta::days(LONGEST) {
            return Err(ApiError::invalid(
                "from",
                format_args!("must be at most {LONGEST} days before `to`"),
            ));
        }
        Ok(Span { from, to })
    }
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Overview {
    from: DateTime<Utc>,
    to: DateTime<Utc>,
    /// IANA name of the zone whose hours and days are counted.
    timezone: String,
    bucket: Bucket,
    /// Only the newest were counted.
    truncated: bool,
    calls: Counts,
    response: Response,
    requests: Requests,
    questions: Questions,
    /// Every hour or day of the span, oldest first.
    series: Vec<Bar>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Bucket {
    Hour,
    Day,
}

#[derive(Debug, Default, PartialEq, Serialize)]
struct Counts {
    total: usize,
    live: usize,
    ended: usize,
    /// Ended calls whose caller never said or pressed anything, and those turned away for want of room.
    silent: usize,
    refused: usize,
    /// Ended calls whose caller spoke, and that left nothing for a person to call back about, nor asked for one.
    contained: usize,
    watch: usize,
    urgent: usize,
    cost_usd: f64,
    /// Of ended calls; null without any.
    mean_seconds: Option<f64>,
    by_outcome: BTreeMap<String, usize>,
    by_language: BTreeMap<String, usize>,
    by_line: BTreeMap<String, usize>,
    by_attention: BTreeMap<String, usize>,
    /// By the hour of the day in which they began, from midnight.
    by_hour: [usize; 24],
}

/// From the caller's last word to the reply's first sound, as the gateway measured it.
#[derive(Debug, PartialEq, Serialize)]
struct Response {
    turns: usize,
    p50_ms: Option<u32>,
    p95_ms: Option<u32>,
}

#[derive(Debug, Default, PartialEq, Serialize)]
struct Requests {
    /// Left in the span, by kind, and how many of those are closed.
    left: usize,
    closed: usize,
    by_kind: BTreeMap<String, usize>,
    /// Of all time.
    open: usize,
    overdue: usize,
}

/// What callers asked.
#[derive(Debug, Serialize)]
struct Questions {
    answered: u32,
    unanswered: u32,
    /// The pages that answered most, the most frequent first.
    topics: Vec<Topic>,
    /// Those that no page answered, the newest first.
    without_a_page: Vec<Asking>,
}

/// A question that no page answered, in tokens.
#[derive(Debug, Serialize)]
struct Asking {
    call_id: CallId,
    turn: u32,
    at: DateTime<Utc>,
    /// `null` where the words are not kept any more, or cannot be screened yet.
    text: Option<String>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Bar {
    at: DateTime<Utc>,
    calls: usize,
    urgent: usize,
    cost_usd: f64,
    /// Ended calls whose caller spoke, and those of them that needed no person.
    spoken: usize,
    contained: usize,
    /// Of the turns that were timed; null without any.
    p50_ms: Option<u32>,
    p95_ms: Option<u32>,
}

/// The handler. Without `from` the last seven days.
///
/// # Errors
/// A span that is none, or too long.
pub async fn handle(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadCalls>,
    QueryOf(asked): QueryOf<Asked>,
) -> Result<Json<Overview>, ApiError> {
    let now = Utc::now();
    let span = asked.span(now)?;
    let zone: Tz = scope.tenant.timezone.parse().unwrap_or(Tz::UTC);
    let calls = scope.store.call_figures(span, MOST).await?;
    let work = scope.store.work_figures(span, MOST).await?;
    let times = scope.store.response_times(span, TIMED).await?;
    let handed_on = handed_on(&work);
    let questions = questions(&app, &scope, span).await?;
    let bucket = if span.to - span.from <= TimeDelta::days(BY_HOUR) { Bucket::Hour } else { Bucket::Day };
    Ok(Json(Overview {
        from: span.from,
        to: span.to,
        timezone: zone.name().to_owned(),
        bucket,
        truncated: calls.len() >= MOST as usize || work.len() >= MOST as usize,
        calls: counts(&calls, &handed_on, zone),
        response: response(times.iter().map(|time| time.ms).collect()),
        requests: requests(&work, span, now),
        questions,
        series: series(&calls, &handed_on, &times, (span, bucket, zone)),
    }))
}

/// What callers asked, with the words of the newest that no page answered.
async fn questions(app: &App, scope: &Scoped<ReadCalls>, span: Span) -> Result<Questions, ApiError> {
    let store = &scope.store;
    let count = store.question_count(span).await?;
    let newest = store.unanswered(span, UNANSWERED).await?;
    let mut without_a_page = Vec::with_capacity(newest.len());
    for Unanswered { call_id, turn, asked_at } in newest {
        let said = said(store, call_id, asked_at).await?;
        // The agent counts its runs, guesses too; the transcript what was decided.
        let turn = said.as_ref().map_or(turn, |said| said.turn);
        let words = said.map(|said| said.text).filter(|text| !text.trim().is_empty());
        // Each call numbers its own tokens. Until the engines are up nothing is screened, and so nothing told.
        let screen =
            words.and_then(|words| Some((words, screened::screen(app, scope.tenant.id, None).ok()?)));
        let text = screen.map(|(words, mut screen)| screen.screen(&words));
        without_a_page.push(Asking { call_id, turn, at: asked_at, text });
    }
    Ok(Questions {
        answered: count.answered,
        unanswered: count.unanswered,
        topics: store.topics(span, TOPICS).await?,
        without_a_page,
    })
}

/// What the caller had said last when they were answered.
async fn said(
    store: &TenantStore,
    call: CallId,
    at: DateTime<Utc>,
) -> Result<Option<TranscriptTurn>, ApiError> {
    let before = |one: &TranscriptTurn| one.speaker == Speaker::Caller && one.started_at <= at;
    Ok(store.transcript(call).await?.into_iter().rfind(before))
}

/// Calls that left something for a person to call back about.
fn handed_on(work: &[WorkFigure]) -> HashSet<CallId> {
    let a_person = |work: &&WorkFigure| matches!(work.kind, WorkKind::Escalation | WorkKind::Callback);
    work.iter().filter(a_person).filter_map(|work| work.call_id).collect()
}

fn refused(call: &CallFigure) -> bool {
    matches!(call.end_reason.as_deref(), Some("busy" | "draining"))
}

/// It is over, its caller spoke, and it left nothing for a person, nor was one asked for.
fn contained(call: &CallFigure, handed_on: &HashSet<CallId>) -> bool {
    let asked = call.attention_reason.as_deref() == Some("person_asked");
    call.state != CallState::Live && call.spoke && !asked && !handed_on.contains(&call.id)
}

fn counts(calls: &[CallFigure], handed_on: &HashSet<CallId>, zone: Tz) -> Counts {
    let mut counts = Counts { total: calls.len(), ..Counts::default() };
    let (mut seconds, mut micros) = (0.0, 0);
    for call in calls {
        micros += call.cost_micros;
        *counts.by_language.entry(call.language.clone()).or_default() += 1;
        counts.by_hour[call.started_at.with_timezone(&zone).hour() as usize % 24] += 1;
        *counts.by_line.entry(call.line.clone()).or_default() += 1;
        counts.watch += usize::from(call.attention == Attention::Watch);
        counts.urgent += usize::from(call.attention == Attention::Urgent);
        if let Some(reason) = &call.attention_reason {
            *counts.by_attention.entry(reason.clone()).or_default() += 1;
        }
        if call.state == CallState::Live {
            counts.live += 1;
            continue;
        }
        counts.ended += 1;
        let outcome = call.end_reason.as_deref().unwrap_or("unknown");
        *counts.by_outcome.entry(outcome.to_owned()).or_default() += 1;
        counts.refused += usize::from(refused(call));
        counts.silent += usize::from(!call.spoke && !refused(call));
        counts.contained += usize::from(contained(call, handed_on));
        if let Some(ended) = call.ended_at {
            seconds += (ended - call.started_at).as_seconds_f64();
        }
    }
    counts.cost_usd = usd(micros);
    #[expect(clippy::cast_precision_loss, reason = "at most a hundred thousand calls")]
    if counts.ended > 0 {
        counts.mean_seconds = Some(seconds / counts.ended as f64);
    }
    counts
}

fn response(mut times: Vec<u32>) -> Response {
    times.sort_unstable();
    Response { turns: times.len(), p50_ms: quantile(&times, 50), p95_ms: quantile(&times, 95) }
}

/// Of times in order.
fn quantile(times: &[u32], percent: usize) -> Option<u32> {
    let last = times.len().checked_sub(1)?;
    times.get(last * percent / 100).copied()
}

fn requests(work: &[WorkFigure], span: Span, now: DateTime<Utc>) -> Requests {
    let mut requests = Requests::default();
    for one in work {
        let is_open = matches!(one.status, WorkStatus::Open | WorkStatus::InProgress);
        requests.open += usize::from(is_open);
        requests.overdue += usize::from(is_open && due_of(one.kind, one.priority, one.created_at) < now);
        if (span.from..span.to).contains(&one.created_at) {
            requests.left += 1;
            requests.closed += usize::from(!is_open);
            *requests.by_kind.entry(one.kind.as_str().to_owned()).or_default() += 1;
        }
    }
    requests
}

/// What is added up for a bar.
#[derive(Default)]
struct Sum {
    calls: usize,
    urgent: usize,
    micros: u64,
    spoken: usize,
    contained: usize,
    times: Vec<u32>,
}

impl Sum {
    fn bar(mut self, at: DateTime<Utc>) -> Bar {
        self.times.sort_unstable();
        Bar {
            at,
            calls: self.calls,
            urgent: self.urgent,
            cost_usd: usd(self.micros),
            spoken: self.spoken,
            contained: self.contained,
            p50_ms: quantile(&self.times, 50),
            p95_ms: quantile(&self.times, 95),
        }
    }
}

/// A bar for every hour or day, also for those without a call.
fn series(
    calls: &[CallFigure],
    handed_on: &HashSet<CallId>,
    times: &[ResponseTime],
    (span, bucket, zone): (Span, Bucket, Tz),
) -> Vec<Bar> {
    let mut bars: BTreeMap<DateTime<Utc>, Sum> = BTreeMap::new();
    let step = if bucket == Bucket::Hour { TimeDelta::minutes(30) } else { TimeDelta::hours(12) };
    let mut at = span.from;
    // Half steps: a day of the calendar has 23 hours once a year.
    while at < span.to {
        bars.entry(begins(at, bucket, zone)).or_default();
        at += step;
    }
    bars.entry(begins(span.to - TimeDelta::nanoseconds(1), bucket, zone)).or_default();
    for call in calls {
        let bar = bars.entry(begins(call.started_at, bucket, zone)).or_default();
        bar.calls += 1;
        bar.urgent += usize::from(call.attention == Attention::Urgent);
        bar.micros += call.cost_micros;
        bar.spoken += usize::from(call.state != CallState::Live && call.spoke);
        bar.contained += usize::from(contained(call, handed_on));
    }
    for time in times {
        bars.entry(begins(time.started_at, bucket, zone)).or_default().times.push(time.ms);
    }
    bars.into_iter().map(|(at, sum)| sum.bar(at)).collect()
}

/// Where the hour or day of an instant begins, by the clock of the zone.
fn begins(at: DateTime<Utc>, bucket: Bucket, zone: Tz) -> DateTime<Utc> {
    if bucket == Bucket::Hour {
        let past = i64::from(at.minute() * 60 + at.second());
        return at - TimeDelta::seconds(past) - TimeDelta::nanoseconds(i64::from(at.nanosecond()));
    }
    let midnight = at.with_timezone(&zone).date_naive().and_time(chrono::NaiveTime::MIN);
    // A zone that puts its clocks on at midnight has no such instant on that day: the first hour that there is.
    (0..24)
        .find_map(|hours| zone.from_local_datetime(&(midnight + TimeDelta::hours(hours))).earliest())
        .map_or(at, |local| local.to_utc())
}

#[cfg(test)]
mod tests {
    use storage::records::Priority;

    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn call(started: &str, outcome: &str, spoke: bool) -> CallFigure {
        CallFigure {
            id: CallId::new(),
            line: "+12025550100".into(),
            language: "en".into(),
            state: CallState::Ended,
            end_reason: Some(outcome.into()),
            started_at: at(started),
            ended_at: Some(at(started) + TimeDelta::seconds(90)),
            cost_micros: 10_000,
            attention: Attention::None,
            attention_reason: None,
            spoke,
        }
    }

    fn left(kind: WorkKind, status: WorkStatus, created: &str, of: Option<CallId>) -> WorkFigure {
        WorkFigure { kind, status, priority: Priority::Normal, call_id: of, created_at: at(created) }
    }

    #[test]
    fn calls_that_needed_a_person_are_not_contained() {
        let served = call("2026-11-02T15:00:00Z", "caller_hung_up", true);
        let handed_on = call("2026-11-02T16:00:00Z", "agent_hung_up", true);
        let mut asked = call("2026-11-02T17:00:00Z", "caller_hung_up", true);
        (asked.attention, asked.attention_reason) = (Attention::Watch, Some("person_asked".into()));
        let silent = call("2026-11-02T18:00:00Z", "no_input", false);
        let refused = call("2026-11-02T19:00:00Z", "busy", false);
        let mut live = call("2026-11-02T20:00:00Z", "", true);
        (live.state, live.end_reason, live.ended_at) = (CallState::Live, None, None);
        let work = [
            left(WorkKind::Escalation, WorkStatus::Open, "2026-11-02T16:01:00Z", Some(handed_on.id)),
            left(WorkKind::Incident, WorkStatus::Open, "2026-11-02T15:01:00Z", Some(served.id)),
        ];
        let calls = [served, handed_on, asked, silent, refused, live];
        let found = counts(&calls, &super::handed_on(&work), Tz::America__New_York);
        assert_eq!((found.by_hour[10], found.by_hour[15], found.by_hour[16]), (1, 1, 0));
        assert_eq!((found.total, found.live, found.ended), (6, 1, 5));
        assert_eq!((found.contained, found.silent, found.refused, found.watch), (1, 1, 1, 1));
        assert_eq!((found.mean_seconds, found.cost_usd), (Some(90.0), 0.06));
        assert_eq!(found.by_outcome["caller_hung_up"], 2);
    }

    #[test]
    fn a_day_is_one_of_the_county() {
        let zone = Tz::America__New_York;
        let span = Span { from: at("2026-10-31T04:00:00Z"), to: at("2026-11-03T05:00:00Z") };
        // Clocks go back on November 1: that day has 25 hours.
        let calls = [call("2026-11-01T03:59:59Z", "x", true), call("2026-11-02T04:59:59Z", "x", true)];
        let times = [("2026-11-01T04:00:00Z", 900), ("2026-11-01T20:00:00Z", 500)]
            .map(|(started_at, ms)| ResponseTime { started_at: at(started_at), ms });
        let bars = series(&calls, &HashSet::new(), &times, (span, Bucket::Day, zone));
        assert_eq!((bars[1].p50_ms, bars[1].p95_ms, bars[2].p50_ms), (Some(500), Some(500), None));
        assert_eq!((bars[1].spoken, bars[1].contained), (1, 1));
        let shown: Vec<_> = bars.iter().map(|bar| (bar.at, bar.calls)).collect();
        assert_eq!(
            shown,
            [
                (at("2026-10-31T04:00:00Z"), 1),
                (at("2026-11-01T04:00:00Z"), 1),
                (at("2026-11-02T05:00:00Z"), 0)
            ]
        );
        let hours = Span { from: at("2026-11-01T10:20:00Z"), to: at("2026-11-01T12:10:00Z") };
        let calls = [call("2026-11-01T11:59:59Z", "x", true)];
        let bars = series(&calls, &HashSet::new(), &[], (hours, Bucket::Hour, zone));
        assert_eq!(bars.iter().map(|bar| bar.calls).collect::<Vec<_>>(), [0, 1, 0]);
        assert_eq!(bars[0].at, at("2026-11-01T10:00:00Z"));
    }

    #[test]
    fn requests_of_the_span_and_all_that_are_open_are_told_apart() {
        let span = Span { from: at("2026-11-01T00:00:00Z"), to: at("2026-11-08T00:00:00Z") };
        let work = [
            left(WorkKind::Incident, WorkStatus::Open, "2026-10-01T00:00:00Z", None),
            left(WorkKind::Incident, WorkStatus::Done, "2026-11-02T00:00:00Z", None),
            left(WorkKind::Message, WorkStatus::InProgress, "2026-11-07T20:00:00Z", None),
        ];
        let found = requests(&work, span, at("2026-11-08T00:00:00Z"));
        assert_eq!((found.left, found.closed, found.open, found.overdue), (2, 1, 2, 1));
        assert_eq!(found.by_kind["incident"], 1);
    }

    #[test]
    fn quantiles_are_of_what_was_measured() {
        assert_eq!(response(vec![]), Response { turns: 0, p50_ms: None, p95_ms: None });
        let found = response((1..=101).rev().collect());
        assert_eq!((found.p50_ms, found.p95_ms), (Some(51), Some(96)));
    }

    #[test]
    fn a_span_begins_before_it_ends_and_is_no_longer_than_a_year_or_so() {
        let now = at("2026-11-08T00:00:00Z");
        let span = Asked::default().span(now).unwrap();
        assert_eq!(span.to - span.from, TimeDelta::days(7));
        let asked = |from: &str| Asked { from: Some(at(from)), to: Some(now) };
        assert!(asked("2026-11-08T00:00:00Z").span(now).is_err());
        assert!(asked("2024-11-08T00:00:00Z").span(now).is_err());
    }
}
