//! The sensitive zone: which values are sealed, and how a phone number is spelled and found.
//!
//! The list below is complete. A value that callers say or that says who they are is kept in one of these places
//! or not at all; sealed text is never in a full-text index. Who does not want to be called is kept as a keyed hash alone.

use std::fmt;

/// A column that holds sealed text. Part of the associated data, so a value does not open in another place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    pub table: &'static str,
    pub column: &'static str,
}

impl Place {
    const fn new(table: &'static str, column: &'static str) -> Self {
        Self { table, column }
    }
}

/// The other party's number. Row: call id.
pub const CALLER: Place = Place::new("calls", "caller_sealed");
/// Whom a campaign is to call, as long as it may. Row: id of its entry.
pub const CAMPAIGN_NUMBER: Place = Place::new("campaign_entries", "number_sealed");
/// What was said, planned or keyed. Row: call id and sequence number.
pub const SAID: Place = Place::new("call_log", "sealed");
/// A passport without its ledger. Row: passport id.
pub const PASSPORT: Place = Place::new("passports", "document_sealed");
/// A ledger entry. Row: passport id and sequence number.
pub const LEDGER: Place = Place::new("passport_ledger", "entry_sealed");
/// An after-action review. Row: passport id.
pub const REVIEW: Place = Place::new("reviews", "document_sealed");
/// Slot values of a work item. Row: work item id.
pub const FIELDS: Place = Place::new("work_items", "fields_sealed");
/// What people wrote about a work item. Row: id of the act.
pub const WORK_NOTE: Place = Place::new("work_acts", "note_sealed");
/// What is sent outside, and what came back. Row: outbox id.
pub const OUTBOX_PAYLOAD: Place = Place::new("outbox", "payload_sealed");
pub const OUTBOX_ANSWER: Place = Place::new("outbox", "answer_sealed");
/// A claim's holder. Row: claim number key.
pub const HOLDER: Place = Place::new("claims", "holder_sealed");
/// The salted hash of a claim's PIN. Row: claim number key.
pub const PIN: Place = Place::new("claims", "pin_sealed");
/// What is known of a caller, in a line. Row: contact id.
pub const CONTACT: Place = Place::new("contacts", "summary_sealed");
/// A remembered fact. Row: memory id.
pub const MEMORY: Place = Place::new("memories", "value_sealed");
/// A fact that was proposed. Row: suggestion id.
pub const SUGGESTION: Place = Place::new("memory_suggestions", "value_sealed");
/// What an agent logged of a contact with a caller. Row: its id.
pub const INTERACTION: Place = Place::new("interactions", "body_sealed");
/// What an agent would do better next time. Row: its id.
pub const PLAYBOOK: Place = Place::new("playbook_updates", "body_sealed");
/// An agent's note. Row: its id.
pub const NOTE: Place = Place::new("agent_notes", "note_sealed");

/// What a memory node says, at each resolution, and its vector, from which the words could be guessed. Row: node id.
pub const MEMORY_MICRO: Place = Place::new("memory_nodes", "micro_sealed");
pub const MEMORY_SUMMARY: Place = Place::new("memory_nodes", "summary_sealed");
pub const MEMORY_FULL: Place = Place::new("memory_nodes", "full_sealed");
pub const MEMORY_PROPERTIES: Place = Place::new("memory_nodes", "properties_sealed");
pub const MEMORY_EMBEDDING: Place = Place::new("memory_nodes", "embedding_sealed");
/// What a task was to do, how, and what came of it. Row: id of the record.
pub const TASK_GOAL: Place = Place::new("task_history", "goal_sealed");
pub const TASK_PLAN: Place = Place::new("task_history", "plan_sealed");
pub const TASK_RESULTS: Place = Place::new("task_history", "results_sealed");
/// Why something is under a legal hold. Row: id of the hold.
pub const REASON: Place = Place::new("legal_holds", "reason_sealed");
/// The key of a call's recording. Row: call id.
pub const RECORDING_KEY: Place = Place::new("recordings", "key_sealed");
/// Personal text of an entry of the audit. Row: its number.
pub const PERSONAL: Place = Place::new("audit_log", "personal_sealed");

/// Keyed hash of a phone number: equal numbers of one tenant have equal hashes, and that is all it tells.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct LookupHash(pub(crate) [u8; 32]);

impl LookupHash {
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for LookupHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LookupHash(…)")
    }
}

/// A phone number as E.164: `+` and digits. National numbers are read as North American.
///
/// `None` for what is not a phone number (`anonymous`, a SIP name, too few or too many digits), and for what carriers
/// send in the place of a number that was withheld: see [`CallerNumber`].
///
/// ```
/// assert_eq!(storage::zones::normalise_phone("(202) 555-0100").as_deref(), Some("+12025550100"));
/// assert_eq!(storage::zones::normalise_phone("anonymous"), None);
/// assert_eq!(storage::zones::normalise_phone("+266696687"), None);
/// ```
#[must_use]
pub fn normalise_phone(text: &str) -> Option<String> {
    let text = text.trim();
    if text.chars().any(|c| !c.is_ascii_digit() && !"+-.() \u{a0}".contains(c)) {
        return None;
    }
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let international = if text.starts_with('+') {
        digits
    } else if let Some(rest) = digits.strip_prefix("00") {
        rest.to_owned()
    } else if digits.len() == 10 {
        format!("1{digits}")
    } else if digits.len() == 11 && digits.starts_with('1') {
        digits
    } else {
        return None;
    };
    // No country code begins with a zero.
    let is_number = (8..=15).contains(&international.len())
        && !international.starts_with('0')
        && !KEYED_WORDS.contains(&international.as_str());
    is_number.then(|| format!("+{international}"))
}

/// Words that carriers send as a number when the caller withheld theirs, keyed on a telephone: anonymous, restricted,
/// unavailable, withheld, blocked, private, unknown. None of them is a number that somebody can have.
const KEYED_WORDS: [&str; 7] =
    ["266696687", "7378742833", "86282452253", "94844353", "2562533", "7748283", "8656696"];

/// The number of who calls, E.164. `Option` of it is all that the gateway knows of a caller: who withheld it has none,
/// and so no contact, no memory and no call-back to "the number you are calling from".
#[derive(Clone, PartialEq, Eq)]
pub struct CallerNumber(String);

impl CallerNumber {
    /// Reads what a carrier says of its caller. `None` for a number that was withheld, in any of the ways in which
    /// carriers say so: nothing, a word (`Anonymous`, `Restricted`), a SIP address, or a word keyed as digits with or
    /// without a plus.
    ///
    /// ```
    /// use storage::zones::CallerNumber;
    /// assert_eq!(CallerNumber::of("+12025550143").unwrap().as_str(), "+12025550143");
    /// for withheld in ["", "Anonymous", "+266696687", "7378742833", "sip:anonymous@anonymous.invalid"] {
    ///     assert_eq!(CallerNumber::of(withheld), None);
    /// }
    /// ```
    #[must_use]
    pub fn of(from: &str) -> Option<Self> {
        let digits: String = from.chars().filter(char::is_ascii_digit).collect();
        // Without its plus "restricted" has as many digits as a number in Austin; carriers send that one with its plus.
        if KEYED_WORDS.contains(&digits.as_str()) {
            return None;
        }
        normalise_phone(from).map(Self)
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for CallerNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallerNumber(…)")
    }
}

/// What versions before took for the numbers of callers, and kept contacts under.
pub(crate) fn once_taken_for_numbers() -> impl Iterator<Item = String> {
    KEYED_WORDS.iter().filter(|digits| digits.len() >= 8).map(|digits| format!("+{digits}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_in_any_spelling_is_one_number() {
        for text in ["+12025550100", "12025550100", "202-555-0100", " (202) 555.0100 ", "0012025550100"] {
            assert_eq!(normalise_phone(text).as_deref(), Some("+12025550100"), "{text}");
        }
    }

    #[test]
    fn who_withholds_has_no_number_however_the_carrier_says_it() {
        for from in [
            "",
            " ",
            "+",
            "Anonymous",
            "ANONYMOUS",
            "anonymous",
            "Restricted",
            "unknown",
            "Unavailable",
            "Private",
            "blocked",
            "withheld",
            "No Caller ID",
            "+266696687",
            "266696687",
            "+266 696 687",
            "+7378742833",
            "7378742833",
            "+2562533",
            "2562533",
            "+8656696",
            "+86282452253",
            "86282452253",
            "+7748283",
            "+94844353",
            "+0000000000",
            "sip:anonymous@anonymous.invalid",
            "sip:Anonymous@192.0.2.1:5060",
            "sips:unknown@unknown.invalid",
            "<sip:+266696687@anonymous.invalid>",
        ] {
            assert_eq!(CallerNumber::of(from), None, "{from:?}");
        }
        assert_eq!(normalise_phone("+7378742833"), None);
        assert_eq!(normalise_phone("+86 282 452 253"), None);
    }

    #[test]
    fn who_gives_a_number_keeps_it() {
        for (from, number) in [
            ("+12025550143", "+12025550143"),
            ("12025550143", "+12025550143"),
            ("2025550143", "+12025550143"),
            ("+17378742833", "+17378742833"),
            ("+26622313131", "+26622313131"),
            ("+8628812345678", "+8628812345678"),
        ] {
            assert_eq!(CallerNumber::of(from).expect("a number").as_str(), number);
        }
        // Somebody in Austin, who tells it: no carrier is speaking.
        assert_eq!(normalise_phone("737-874-2833").as_deref(), Some("+17378742833"));
        assert!(!format!("{:?}", CallerNumber::of("+12025550143")).contains("0143"));
    }

    #[test]
    fn what_is_no_number_gives_none() {
        for text in ["", "anonymous", "+266696687 x2", "client:ann", "911", "+1234567890123456"] {
            assert_eq!(normalise_phone(text), None, "{text}");
        }
    }
}
