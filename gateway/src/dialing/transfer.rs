//! A live call goes to a person: to one of the tenant's targets, while it is open.
//!
//! The transfer is put on record, the agent's stream is closed, the carrier asks what comes next, and is told to dial. Where
//! nobody takes the call there, the caller comes back to the agent; and where that cannot be, they are told so by the carrier,
//! and are owed a call back, which is filed before it is promised.

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use dialogue::TenantFacts;
use dialogue::builtin::Script;
use pipeline::ports::{Language, NotTaken, Returned};
use serde_json::json;
use storage::records::{Call, NewWorkItem, Priority, WorkKind};
use storage::transfers::{Transfer, TransferResult, TransferStage};
use storage::work_acts::QUEUED_AT;
use storage::zones::CallerNumber;
use storage::{CallId, Calls, Settings, StorageError, TenantStore, Transfers, Waits, WorkItems};

use crate::calls::crash_cleanup;
use crate::tenant_config::targets::Target;

/// Name of the setting that holds the targets.
pub const TARGETS: &str = "transfer_targets";
/// How long a target rings.
pub const RING_S: u16 = 30;
/// Longest call with a target.
pub const LIMIT_S: u32 = 4 * 3_600;
/// The carrier asks what comes next within some seconds; what was not asked for by then is given up.
pub(super) const WAITS: TimeDelta = TimeDelta::seconds(60);
/// The same, where the person at the target is asked while the caller waits.
const WAITS_HELD: TimeDelta = TimeDelta::seconds(180);
/// Ends of a call after which it may have to be put through: it was to be, or the process or the stream broke off before that
/// was written.
pub(super) const GOES_ON: [&str; 4] = ["transferred", "interrupted", "stream_lost", "draining"];

/// The caller is about to be put through.
const NOW: &str = "transfer_now";
/// Nobody answered: they are called back, or, where their number is not known, are asked to call again.
const FAILED_CALLBACK: &str = "transfer_failed_callback";
const FAILED: &str = "transfer_failed";
/// The person at the target is told that the caller does not wait any more.
const GONE: &str = "transfer_gone";
/// The call broke off by our fault.
const CUT_OFF_CALLBACK: &str = "cut_off_callback";
const CUT_OFF: &str = "cut_off";

/// The transfer that a call whose stream has ended waits for. The carrier may ask for it twice. One where the person at the target
/// is asked first is given as it stands; also where that came to nothing a moment ago, and the caller was told nothing.
///
/// # Errors
/// When storage does not answer.
pub async fn due(
    store: &TenantStore,
    call: &Call,
    now: DateTime<Utc>,
) -> Result<Option<Transfer>, StorageError> {
    if call.end_reason.as_deref().is_some_and(|reason| !GOES_ON.contains(&reason)) {
        return Ok(None);
    }
    let Some(newest) = store.transfers_of(call.id).await?.pop() else { return Ok(None) };
    if newest.stage == TransferStage::Ended {
        let is_untold = call.end_reason.as_deref() != Some("transferred")
            && newest.result.is_some_and(TransferResult::leaves_caller);
        return Ok(Some(newest).filter(|to| to.warm && is_untold && to.heard_at + WAITS >= now));
    }
    if newest.created_at + if newest.warm { WAITS_HELD } else { WAITS } < now {
        return Ok(None);
    }
    if newest.warm {
        return Ok(Some(newest));
    }
    store.note_transfer(newest.id, TransferStage::Dialling, None).await
}

/// The last transfer of a call, over or not.
///
/// # Errors
/// When storage does not answer.
pub async fn last(store: &TenantStore, call: CallId) -> Result<Option<Transfer>, StorageError> {
    Ok(store.transfers_of(call).await?.pop())
}

/// What the agent is told of a caller who comes back. `None`: they do not.
#[must_use]
pub fn returned(transfer: &Transfer, result: TransferResult) -> Option<Returned> {
    let why = match result {
        TransferResult::Declined => NotTaken::Declined,
        TransferResult::Busy => NotTaken::Busy,
        TransferResult::NoAnswer => NotTaken::NoAnswer,
        TransferResult::Machine => NotTaken::Machine,
        TransferResult::Failed => NotTaken::Failed,
        TransferResult::Answered | TransferResult::CallerHungUp | TransferResult::Dropped => return None,
    };
    Some(Returned { target: transfer.target.clone(), why })
}

/// A tenant's targets.
///
/// # Errors
/// When storage does not answer.
pub async fn targets(store: &TenantStore) -> Result<Vec<Target>, StorageError> {
    let kept = store.setting(TARGETS).await?;
    Ok(kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default())
}

/// Where a caller's own exchange finds a target, if it does.
///
/// # Errors
/// When storage does not answer.
pub async fn refer_to(store: &TenantStore, name: &str) -> Result<Option<String>, StorageError> {
    let known = targets(store).await?.into_iter().find(|target| target.is_named(name));
    Ok(known.map(|target| target.refer).filter(|address| !address.is_empty()))
}

/// Whether a target takes calls at a time: in its own hours, or else the office's; where nobody said any, always.
#[must_use]
pub fn is_open(target: &Target, facts: &TenantFacts, now: DateTime<Utc>) -> bool {
    let there = now.with_timezone(&facts.timezone.parse::<Tz>().unwrap_or(Tz::UTC));
    target.to_facts().is_open(facts, there.naive_local())
}

/// What callers hear under a key, in the tenant's words where it has its own.
pub(super) fn line(facts: &TenantFacts, language: Language, key: &str) -> String {
    // A key that is missing fails the tests.
    let shipped = Script::front_desk(language).map(|script| script.prompt(key)).unwrap_or_default();
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

/// What the person at a target hears whom nobody waits for any more.
#[must_use]
pub fn gone(facts: &TenantFacts, language: Language) -> String {
    line(facts, language, GONE)
}

/// What a caller hears whose call broke off by our fault.
#[must_use]
pub fn cut_off(facts: &TenantFacts, language: Language, is_called_back: bool) -> String {
    line(facts, language, if is_called_back { CUT_OFF_CALLBACK } else { CUT_OFF })
}

/// What a caller whom nobody took was told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Told {
    /// That they are called back.
    Promised,
    /// Nothing: the call broke off.
    Nothing,
    /// Nothing: they waited in line, and hung up or broke off.
    Waited,
}

impl Told {
    const fn reason(self) -> &'static str {
        match self {
            Self::Promised => {
                "The caller was put through to a person, and nobody answered. They were promised a call back."
            }
            Self::Nothing => {
                "The caller was to be put through to a person, and the call broke off before anybody took it. They were \
                 told nothing."
            }
            Self::Waited => {
                "The caller waited in line for a person, and was gone before anybody was free. They were told nothing."
            }
        }
    }
}

/// Files the call back that is owed to a caller whom nobody took; once a call, and not where somebody is to call them anyway.
/// `false`: no number is known.
///
/// # Errors
/// When storage does not answer.
pub async fn owe(store: &TenantStore, call: &Call, told: Told) -> Result<bool, StorageError> {
    let number = store.caller_number(call.id).await?.as_deref().and_then(CallerNumber::of);
    let Some(number) = number else { return Ok(false) };
    // Who waited is called back with the place that they had, whatever else is owed to them.
    let wait = store.wait_of(call.id).await?;
    if wait.is_none() && crash_cleanup::is_called_back(store, call.id).await? {
        return Ok(true);
    }
    let mut fields = json!({
        "reason": told.reason(),
        "phone": number.as_str(),
        "line": call.line,
    });
    // Who waited keeps the place.
    if let Some(wait) = wait {
        fields[QUEUED_AT] = json!(wait.joined_at);
    }
    let item = NewWorkItem {
        kind: WorkKind::Callback,
        idempotency_key: key(call.id),
        reference: None,
        call_id: Some(call.id),
        passport_id: call.passport_id,
        priority: Priority::High,
        caller: Some(number.as_str().to_owned()),
        fields,
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
    use crate::tenant_config::{TenantConfig, check, read};

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
    fn the_agent_may_put_through_unless_the_target_says_no() {
        let target = |more: &str| {
            format!(
                "[[target]]\nname = \"the clerk\"\nnumber = \"+12025550180\"\nlanguages = [\"es\"]\n{more}"
            )
        };
        let now = "2026-11-25T09:30:00".parse().unwrap();
        let open = |more: &str, language| {
            let facts = config(&target(more)).facts();
            facts.open_targets(now, language, "+12025550100").count()
        };
        assert_eq!((open("", Language::Es), open("", Language::En)), (1, 0));
        assert_eq!(open("transfer_by_agent = true\n", Language::Es), 1);
        assert_eq!(open("transfer_by_agent = false\n", Language::Es), 0);
        assert_eq!(open("[target.hours]\nweekdays = \"10:00-12:00\"\n", Language::Es), 0);
    }

    #[test]
    fn a_target_takes_callers_of_its_own_lines_alone() {
        let lines = "[[line]]\nnumber = \"202-555-0100\"\n[[line]]\nnumber = \"+12025550101\"\n";
        let target = |more: &str| {
            format!("{lines}[[target]]\nname = \"the clerk\"\nnumber = \"+12025550180\"\n{more}")
        };
        let now = "2026-11-25T09:30:00".parse().unwrap();
        let open = |more: &str| {
            let facts = config(&target(more)).facts();
            ["+12025550100", "+12025550101", ""]
                .map(|line| facts.open_targets(now, Language::En, line).count())
        };
        assert_eq!(open(""), [1, 1, 1]);
        assert_eq!(open("on_lines = [\"(202) 555-0101\"]\n"), [0, 1, 0]);
        assert_eq!(open("on_lines = [\"+12025550100\", \"+12025550101\"]\n"), [1, 1, 0]);
        let faults = |more: &str| check::check(&config(&target(more)));
        for (wrong, key) in [
            ("on_lines = [\"+12025550199\"]\n", "target[1].on_lines[1]"),
            ("on_lines = [\"+12025550100\", \"202-555-0100\"]\n", "target[1].on_lines[2]"),
            ("on_lines = [\"main\"]\n", "target[1].on_lines[1]"),
        ] {
            let found = faults(wrong);
            assert!(matches!(&found[..], [one] if one.key == key), "{wrong}: {found:?}");
        }
    }

    #[test]
    fn every_line_is_there_in_both_languages() {
        let facts = config("").facts();
        for language in [Language::En, Language::Es] {
            assert!(announced(&facts, language, "the clerk").contains("the clerk"), "{language:?}");
            for told in [failed, cut_off] {
                let lines = [told(&facts, language, true), told(&facts, language, false)];
                assert!(lines.iter().all(|line| !line.is_empty() && !line.contains('{')), "{lines:?}");
                assert_ne!(lines[0], lines[1]);
            }
            assert!(!gone(&facts, language).is_empty());
        }
    }
}
