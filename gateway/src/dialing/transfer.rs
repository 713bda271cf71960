//! A live call goes to a person: to one of the tenant's targets, while it is open.
//!
//! The agent's stream is closed, the carrier asks what comes next, and is told to dial. Where nobody answers, the caller is
//! told so and is owed a call back, which is filed before it is promised.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use chrono::{DateTime, Datelike, Timelike, Utc};
use chrono_tz::Tz;
use dashmap::DashMap;
use dialogue::TenantFacts;
use dialogue::builtin::Script;
use pipeline::ports::Language;
use serde_json::json;
use storage::records::{Call, NewWorkItem, Priority, WorkKind};
use storage::zones::CallerNumber;
use storage::{CallId, Calls, Settings, StorageError, TenantId, TenantStore, WorkItems};

use crate::tenant_config::targets::Target;

/// Name of the setting that holds the targets.
pub const TARGETS: &str = "transfer_targets";
/// How long a target rings.
pub const RING_S: u16 = 30;
/// Longest call with a target.
pub const LIMIT_S: u32 = 4 * 3_600;
/// The carrier asks what comes next within some seconds; what was not asked for by then is given up.
const WAITS: Duration = Duration::from_secs(60);
/// Transfers that may be waiting at a time.
const MOST: usize = 10_000;

/// The caller is about to be put through.
const NOW: &str = "transfer_now";
/// Nobody answered: they are called back, or, where their number is not known, are asked to call again.
const FAILED_CALLBACK: &str = "transfer_failed_callback";
const FAILED: &str = "transfer_failed";

/// A call whose stream is being closed, and where it goes.
#[derive(Clone, Debug)]
pub struct Pending {
    pub tenant: TenantId,
    pub call: CallId,
    pub target: Target,
    /// Our number that is shown.
    pub line: String,
    /// What the caller hears first, and in which language.
    pub first: String,
    pub language: Language,
    since: Instant,
}

impl Pending {
    /// `said`: what the caller hears first, and in which language.
    #[must_use]
    pub fn new(
        tenant: TenantId,
        call: CallId,
        target: Target,
        line: String,
        (first, language): (String, Language),
    ) -> Self {
        Self { tenant, call, target, line, first, language, since: Instant::now() }
    }
}

/// Transfers between the act of a person and the carrier's question, by the carrier's name of the call.
#[derive(Debug, Default)]
pub struct Transfers(DashMap<String, Pending>);

impl Transfers {
    /// Keeps one until the carrier asks. `false`: there are too many.
    #[must_use]
    pub fn expect(&self, carrier_sid: &str, pending: Pending) -> bool {
        let now = Instant::now();
        self.0.retain(|_, pending| now.duration_since(pending.since) < WAITS);
        if self.0.len() >= MOST {
            return false;
        }
        self.0.insert(carrier_sid.to_owned(), pending);
        true
    }

    /// Takes it: the carrier asks.
    #[must_use]
    pub fn take(&self, carrier_sid: &str) -> Option<Pending> {
        let (_, pending) = self.0.remove(carrier_sid)?;
        (pending.since.elapsed() < WAITS).then_some(pending)
    }
}

/// A tenant's targets.
///
/// # Errors
/// When storage does not answer.
pub async fn targets(store: &TenantStore) -> Result<Vec<Target>, StorageError> {
    let kept = store.setting(TARGETS).await?;
    Ok(kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default())
}

/// Whether a target takes calls at a time: in its own hours, or else the office's; where nobody said any, always.
#[must_use]
pub fn is_open(target: &Target, facts: &TenantFacts, now: DateTime<Utc>) -> bool {
    let week = match target.week() {
        own if !own.is_empty() => own,
        _ if facts.hours_known => facts.week(),
        _ => return true,
    };
    let there = now.with_timezone(&facts.timezone.parse::<Tz>().unwrap_or(Tz::UTC));
    let minute = there.hour() * 60 + there.minute();
    week.on(there.weekday()).is_some_and(|span| (span.opens..span.closes).contains(&minute))
}

/// What the shipped prompts say under a key, by language; a key that is missing fails the tests.
static SHIPPED: LazyLock<Vec<(Language, Script)>> = LazyLock::new(|| {
    let read = |language| Script::front_desk(language).ok().map(|script| (language, script));
    [Language::En, Language::Es].into_iter().filter_map(read).collect()
});

/// What callers hear under a key, in the tenant's words where it has its own.
pub(super) fn line(facts: &TenantFacts, language: Language, key: &str) -> String {
    let shipped = SHIPPED.iter().find(|(known, _)| *known == language);
    let shipped = shipped.map(|(_, script)| script.prompt(key)).unwrap_or_default();
    let said = facts.worded(language, key, shipped).first().cloned().unwrap_or_default();
    facts.fill(language, &said)
}

/// What the caller hears before a target is dialled.
#[must_use]
pub fn announced(facts: &TenantFacts, language: Language, target: &str) -> String {
    line(facts, language, NOW).replace("{target}", target)
}

/// What the caller hears when nobody answered.
#[must_use]
pub fn failed(facts: &TenantFacts, language: Language, is_called_back: bool) -> String {
    line(facts, language, if is_called_back { FAILED_CALLBACK } else { FAILED })
}

/// Files the call back that is owed to a caller whom nobody took; once a call. `false`: no number is known.
///
/// # Errors
/// When storage does not answer.
pub async fn owe(store: &TenantStore, call: &Call) -> Result<bool, StorageError> {
    let number = store.caller_number(call.id).await?.as_deref().and_then(CallerNumber::of);
    let Some(number) = number else { return Ok(false) };
    let item = NewWorkItem {
        kind: WorkKind::Callback,
        idempotency_key: key(call.id),
        reference: None,
        call_id: Some(call.id),
        passport_id: call.passport_id,
        priority: Priority::High,
        caller: Some(number.as_str().to_owned()),
        fields: json!({
            "reason": "The caller was put through to a person, and nobody answered. They were promised a call back.",
            "phone": number.as_str(),
            "line": call.line,
        }),
    };
    let filed = store.file_work_item(item).await?;
    tracing::info!(call_id = %call.id, reference = %filed.reference, "a call back is owed after a transfer");
    Ok(true)
}

fn key(call: CallId) -> String {
    format!("{call}/transfer")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenant_config::{TenantConfig, read};

    fn config(more: &str) -> TenantConfig {
        let text = format!("name = \"Oakdale\"\ntimezone = \"America/Chicago\"\n{more}");
        let reading = read::toml(&text);
        assert!(reading.faults.is_empty(), "{:?}", reading.faults);
        reading.config
    }

    #[test]
    fn a_target_is_open_in_its_own_hours_or_the_offices_or_always() {
        let at = |text: &str| -> DateTime<Utc> { text.parse().unwrap() };
        let target = "[[target]]\nname = \"the clerk\"\nnumber = \"+12025550180\"\n";
        // A Wednesday: 9:30 and 18:30 in Chicago.
        let (morning, evening) = (at("2026-11-25T15:30:00Z"), at("2026-11-26T00:30:00Z"));
        for (more, open) in [
            (target.to_owned(), (true, true)),
            (format!("[hours]\nweekdays = \"8:00-17:00\"\n{target}"), (true, false)),
            (
                format!(
                    "[hours]\nweekdays = \"8:00-17:00\"\n{target}[target.hours]\nweekdays = \"18:00-22:00\"\n"
                ),
                (false, true),
            ),
            (format!("{target}[target.hours]\nsaturday = \"8:00-12:00\"\n"), (false, false)),
        ] {
            let config = config(&more);
            let (target, facts) = (&config.targets[0], config.facts());
            assert_eq!((is_open(target, &facts, morning), is_open(target, &facts, evening)), open, "{more}");
        }
    }

    #[test]
    fn every_line_is_there_in_both_languages() {
        let facts = config("").facts();
        for language in [Language::En, Language::Es] {
            assert!(announced(&facts, language, "the clerk").contains("the clerk"), "{language:?}");
            let lines = [failed(&facts, language, true), failed(&facts, language, false)];
            assert!(lines.iter().all(|line| !line.is_empty() && !line.contains('{')), "{lines:?}");
            assert_ne!(lines[0], lines[1]);
        }
    }

    #[test]
    fn a_transfer_is_taken_once() {
        let transfers = Transfers::default();
        let target = config("[[target]]\nname = \"a\"\nnumber = \"+12025550180\"\n").targets.remove(0);
        let said = ("Now.".to_owned(), Language::En);
        let pending = Pending::new(TenantId::new(), CallId::new(), target, "+12025550100".into(), said);
        assert!(transfers.expect("CA1", pending));
        assert!(transfers.take("CA2").is_none());
        assert!(transfers.take("CA1").is_some());
        assert!(transfers.take("CA1").is_none());
    }
}
