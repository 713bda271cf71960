//! Digit strings as people say them and recognisers write them, and telephone numbers out of them.
//!
//! A telephone recogniser hears words, not digits: "two oh two" may come as "To 0 to". Such homophones count
//! count beside digits, and what comes out must be a number: one that was asked for, or ten digits that can be a
//! telephone number. A reading without the doubtful words at either end is tried too: "for 202 555 0143" begins
//! with a word, "to 0 2 …" with a digit.

use super::words::plain;

/// A run of digits within an utterance.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Run {
    pub digits: String,
    /// Words of the plain text that it covers: from, to (exclusive).
    pub words: (usize, usize),
    /// The first digit came from a word that may be none ("for", "oh"); how many digits were written after it.
    lead: Option<usize>,
    /// So did the last.
    tail: bool,
}

/// How many digits, never which: they may be a secret.
impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Run({} digits, words {:?})", self.digits.len(), self.words)
    }
}

/// All digit runs of a text in which a number is looked for, in order. "two oh two, 555 oh one forty three" is
/// one run.
#[must_use]
pub fn runs(text: &str) -> Vec<Run> {
    let plain = plain(text).replace(['.', ':', '/'], " ");
    let words: Vec<String> = plain.split(' ').filter(|w| !w.is_empty()).map(written).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut out: Vec<Run> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match run_at(&words, at) {
            Some(run) => {
                at = run.words.1;
                out.push(run);
            }
            None => at += 1,
        }
    }
    out
}

/// "CLM20417" and "2O2" hold digits and little else.
fn written(word: &str) -> String {
    let digits = word.strip_prefix("clm").unwrap_or(word);
    let mixed = digits.contains(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || c == 'o');
    if mixed { digits.replace('o', "0") } else { word.to_owned() }
}

fn run_at(words: &[&str], start: usize) -> Option<Run> {
    let mut run = Run::default();
    let (mut at, mut end) = (start, start);
    while at < words.len() {
        if let Some((piece, used)) = digits_at(words, at, !run.digits.is_empty()) {
            if run.digits.is_empty() && doubtful(words[at]) {
                let next = words.get(at + 1).copied().unwrap_or_default();
                run.lead = Some(if all_digits(next) { next.len() } else { 0 });
            }
            run.tail = sound_alike(words[at]).is_some();
            run.digits.push_str(&piece);
            at += used;
            end = at;
        } else if !run.digits.is_empty()
            && matches!(words[at], "dash" | "hyphen" | "then" | "area" | "code" | "and" | "uh" | "um" | "dot")
        {
            at += 1;
        } else {
            break;
        }
    }
    run.words = (start, end);
    (!run.digits.is_empty()).then_some(run)
}

fn digits_at(words: &[&str], at: usize, inside: bool) -> Option<(String, usize)> {
    let word = words[at];
    let next = words.get(at + 1).copied().unwrap_or_default();
    if all_digits(word) {
        return Some((word.to_owned(), 1));
    }
    if let Some(times) = match word {
        "double" => Some(2),
        "triple" => Some(3),
        _ => None,
    } {
        let single = digit(next)
            .or_else(|| sound_alike(next))
            .or_else(|| next.chars().next().filter(|_| next.len() == 1 && all_digits(next)));
        return single.map(|d| (d.to_string().repeat(times), 2));
    }
    if let Some(d) = digit(word) {
        return Some(match next {
            "hundred" => (format!("{d}00"), 2),
            "thousand" => (format!("{d}000"), 2),
            _ => (d.to_string(), 1),
        });
    }
    if let Some(d) = sound_alike(word)
        && counts(words, at, inside)
    {
        return Some((d.to_string(), 1));
    }
    two_digits(word, next)
}

/// Words that merely sound like digits count before a digit, or inside a number as its last words: "to 0",
/// "for double five", "one for". Nothing but such words are a group of digits, too.
fn counts(words: &[&str], at: usize, inside: bool) -> bool {
    let number = |w: &&str| digit(w).is_some() || all_digits(w) || matches!(*w, "double" | "triple");
    let first = words[at + 1..].iter().find(|w| sound_alike(w).is_none());
    let only = words.len() > 1 && words.iter().all(|w| sound_alike(w).is_some());
    first.map_or(inside || only, number)
}

fn all_digits(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_digit())
}

/// At the start of a run such a word may be an ordinary one.
fn doubtful(word: &str) -> bool {
    sound_alike(word).is_some() || matches!(word, "oh" | "o")
}

fn digit(word: &str) -> Option<char> {
    Some(match word {
        "zero" | "oh" | "o" | "nought" => '0',
        "one" => '1',
        "two" => '2',
        "three" => '3',
        "four" => '4',
        "five" => '5',
        "six" => '6',
        "seven" => '7',
        "eight" => '8',
        "nine" | "niner" => '9',
        _ => return None,
    })
}

fn sound_alike(word: &str) -> Option<char> {
    match word {
        "to" | "too" => Some('2'),
        "for" | "fore" => Some('4'),
        "ate" => Some('8'),
        "won" => Some('1'),
        _ => None,
    }
}

impl Run {
    /// The digits, and where its ends are doubtful, the digits without them; the fullest first.
    fn readings(&self) -> impl Iterator<Item = &str> {
        let (all, count) = (self.digits.as_str(), self.digits.len());
        let lead = usize::from(self.lead.is_some() && count > 1);
        let tail = count - usize::from(self.tail && count > 1);
        let mut readings = vec![all];
        for reading in [all.get(lead..), all.get(..tail), all.get(lead..tail)].into_iter().flatten() {
            if !readings.contains(&reading) {
                readings.push(reading);
            }
        }
        readings.into_iter()
    }

    /// Part of a number: "for 202" is its area code, "oh one four" its middle.
    fn part(&self) -> &str {
        if self.lead == Some(3) && self.digits.len() == 4 { &self.digits[1..] } else { &self.digits }
    }

    /// Several runs as one, the doubts of its ends kept.
    /// The whole number of "0195, 443 555 0195": its end was said first, and then all of it.
    fn said_again(&self) -> Option<&str> {
        let end = self.digits.len().checked_sub(10).filter(|before| (3..=7).contains(before))?;
        let (before, whole) = self.digits.split_at(end);
        whole.ends_with(before).then_some(whole)
    }

    fn joined(runs: &[Self]) -> Self {
        let digits = runs.iter().map(|r| r.digits.as_str()).collect();
        Self {
            digits,
            words: (0, 0),
            lead: runs.first().and_then(|r| r.lead),
            tail: runs.last().is_some_and(|r| r.tail),
        }
    }
}

/// The digits of a claim number, as heard: four to eight.
#[must_use]
pub fn claim_digits(text: &str) -> Option<String> {
    let all = Run::joined(&runs(text));
    // "For 20417" is a word and a number; "to 0417" is a number.
    let word = all.lead.is_some_and(|next| next >= 5);
    let mut readings: Vec<&str> = all.readings().collect();
    if word && readings.len() > 1 {
        readings.swap(0, 1);
    }
    readings.into_iter().find(|digits| (4..=8).contains(&digits.len())).map(str::to_owned)
}

fn two_digits(word: &str, next: &str) -> Option<(String, usize)> {
    let (value, _) = super::number::cardinal_at(&[word])?;
    match value {
        20..=99 => match digit(next).filter(|d| *d != '0') {
            Some(d) => Some((format!("{}{d}", value / 10), 2)),
            None => Some((value.to_string(), 1)),
        },
        10..=19 => Some((value.to_string(), 1)),
        _ => None,
    }
}

/// A telephone number of the North American plan.
#[derive(Clone, PartialEq, Eq)]
pub struct Phone {
    digits: String,
}

impl std::fmt::Debug for Phone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Phone(10 digits)")
    }
}

impl Phone {
    /// From digits: ten, eleven with a leading 1, or seven with the area code of the place.
    #[must_use]
    pub fn from_digits(digits: &str, area_code: &str) -> Option<Self> {
        let ten = match digits.len() {
            7 => format!("{area_code}{digits}"),
            10 => digits.to_owned(),
            11 => digits.strip_prefix('1')?.to_owned(),
            _ => return None,
        };
        let plan = |at: usize| ten.as_bytes().get(at).is_some_and(|b| (b'2'..=b'9').contains(b));
        (ten.len() == 10 && plan(0) && plan(3)).then_some(Self { digits: ten })
    }

    /// E.164, for dialling and storing.
    #[must_use]
    pub fn e164(&self) -> String {
        format!("+1{}", self.digits)
    }

    /// As written, for reading back.
    #[must_use]
    pub fn spoken(&self) -> String {
        format!("{}-{}-{}", &self.digits[..3], &self.digits[3..6], &self.digits[6..])
    }
}

/// What a caller said when asked for a telephone number.
#[derive(Clone, PartialEq, Eq)]
pub enum PhoneAnswer {
    Whole(Phone),
    /// Some digits, but not yet a number.
    Part(String),
    /// More digits than a number has, or a number that cannot be.
    Wrong,
}

impl std::fmt::Debug for PhoneAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Whole(phone) => f.debug_tuple("Whole").field(phone).finish(),
            Self::Part(digits) => write!(f, "Part({} digits)", digits.len()),
            Self::Wrong => f.write_str("Wrong"),
        }
    }
}

/// Reads a telephone number. `earlier` holds digits already given for the same question.
#[must_use]
pub fn phone(text: &str, earlier: &str, area_code: &str) -> Option<PhoneAnswer> {
    let whole = |digits: &str| Phone::from_digits(digits, area_code).map(PhoneAnswer::Whole);
    if let Some(found) = with_area_code(text).as_deref().and_then(whole) {
        return Some(found);
    }
    let runs = corrected_runs(text);
    if let Some(found) = runs.last().and_then(Run::said_again).and_then(whole) {
        return Some(found);
    }
    let long = |run: &Run| run.readings().filter(|d| d.len() >= 10).find_map(whole);
    if let Some(found) = runs.iter().rev().find(|r| r.digits.len() >= 10).and_then(long) {
        return Some(found);
    }
    let joined = Run::joined(&runs);
    if joined.digits.is_empty() {
        return None;
    }
    let part = if earlier.is_empty() { joined.part() } else { &joined.digits };
    let all = format!("{earlier}{part}");
    let any = |run: &Run| run.readings().find_map(whole);
    if (earlier.is_empty() || all.len() >= 10)
        && let Some(found) = joined
            .readings()
            .find_map(|d| whole(&format!("{earlier}{d}")))
            .or_else(|| runs.iter().rev().find_map(any))
    {
        return Some(found);
    }
    Some(if all.len() < 10 { PhoneAnswer::Part(all) } else { PhoneAnswer::Wrong })
}

/// Ten digits of which the area code is said last: "555 0188, area code 614".
fn with_area_code(text: &str) -> Option<String> {
    let plain = plain(text);
    let (before, after) = plain.split_once(" area code ")?;
    let code = runs(after).into_iter().next().filter(|run| run.digits.len() == 3)?;
    let number = Run::joined(&runs(before)).digits;
    (number.len() == 7).then(|| format!("{}{number}", code.digits))
}

/// Digit runs after the caller's own corrections: "…0134, no, 0143" ends in 0143.
fn corrected_runs(text: &str) -> Vec<Run> {
    let marked = plain(text);
    let mut kept: Vec<Run> = Vec::new();
    for (n, part) in split_corrections(&marked).into_iter().enumerate() {
        let mut found = runs(part);
        if n > 0 && !found.is_empty() && !kept.is_empty() {
            let (fix, before) = (Run::joined(&found), Run::joined(&kept).digits);
            let fix = fix.part();
            found = match before.len() {
                10 | 11 if fix.len() < 7 => {
                    let digits = format!("{}{fix}", &before[..before.len() - fix.len()]);
                    vec![Run { digits, ..Run::default() }]
                }
                _ => found,
            };
            kept.clear();
        }
        kept.extend(found);
    }
    kept
}

fn split_corrections(text: &str) -> Vec<&str> {
    let mut parts = vec![text];
    for mark in [" no ", " sorry ", " i mean ", " wait ", " make that "] {
        parts = parts.into_iter().flat_map(|p| p.split(mark)).collect();
    }
    parts
}

/// A complete telephone number anywhere in the text: ten digits or eleven, never fewer.
#[must_use]
pub fn whole_phone(text: &str) -> Option<Phone> {
    match phone(text, "", "") {
        Some(PhoneAnswer::Whole(phone)) => Some(phone),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn phones_in_many_shapes() {
        for text in [
            "202-555-0143",
            "(202) 555 0143.",
            "It's 202.555.0143",
            "+1 202 555 0143",
            "1-202-555-0143",
            "my number is 2025550143 thanks",
            "two oh two five five five oh one four three",
            "two zero two, triple five, zero one four three",
            "area code 202, then 555, oh one forty three",
            "two oh two five fifty five oh one forty three",
            "202 555 01 43",
            "it's two o two, five five five, o one four three",
            "202 555 0134, no, sorry, 0143",
            "It's 202-555-0134, no, sorry, 0143-202-555-0143",
            "call me at home, 555 0143, area code 202",
            "five five five oh one four three, area code two oh two",
            "202-555-0199. No, 202-555-0143.",
            "two oh two five five five oh one for three",
            // As a telephone recogniser writes them.
            "To 0 to 5550143.",
            "202, 555, 0143",
            "two-zero-two, five-five-five, zero-one-four-three",
            "Too oh too, triple 5, oh won for three.",
            "to o to 55 5 0 1 4 3",
            "2O2 555 O143",
            "two zero two double five five zero one fore three",
            "It's for 202 555 0143",
            "Oh, 202 555 0143",
            "202 555 0143, too",
            "To 0 to. And then it's 5550143.",
            "you can call me at to 0 2 5 5 5 0 1 4 3",
        ] {
            let found = phone(text, "", "202");
            let Some(PhoneAnswer::Whole(found)) = found else { panic!("{text}: {found:?}") };
            assert_eq!(found.spoken(), "202-555-0143", "{text}");
            assert_eq!(found.e164(), "+12025550143");
        }
    }

    #[test]
    fn homophones_count_in_numbers_only() {
        let digits = |runs: Vec<Run>| runs.into_iter().map(|r| r.digits).collect::<Vec<_>>();
        assert_eq!(
            digits(runs("ate ate to for won niner double five triple 0")),
            ["882419550 00".replace(' ', "")]
        );
        assert_eq!(whole_phone("I need to talk to somebody for an hour or two"), None);
        assert_eq!(phone("I want to go to the store", "", "202"), None);
    }

    #[test]
    fn claim_numbers_as_heard() {
        for text in ["C L M to 0 for 1 7", "CLM20417", "it's for 20417", "clm 2 oh four won seven"] {
            assert_eq!(claim_digits(text).as_deref(), Some("20417"), "{text}");
        }
        assert_eq!(claim_digits("C L M one two three four").as_deref(), Some("1234"));
        assert_eq!(claim_digits("I want to ask for it"), None);
    }

    #[test]
    fn seven_digits_are_local() {
        let Some(PhoneAnswer::Whole(found)) = phone("555-0143", "", "202") else { panic!() };
        assert_eq!(found.spoken(), "202-555-0143");
    }

    #[test]
    fn groups_over_two_utterances_are_joined() {
        assert_eq!(phone("area code 202", "", "202"), Some(PhoneAnswer::Part("202".into())));
        let Some(PhoneAnswer::Whole(found)) = phone("555 0143", "202", "202") else { panic!() };
        assert_eq!(found.spoken(), "202-555-0143");
        assert_eq!(phone("202 555 014", "", "202"), Some(PhoneAnswer::Part("202555014".into())));
        assert_eq!(phone("To 0 to.", "", "202"), Some(PhoneAnswer::Part("202".into())));
        let Some(PhoneAnswer::Whole(found)) = phone("Oh won for three.", "202555", "202") else { panic!() };
        assert_eq!(found.spoken(), "202-555-0143");
    }

    #[test]
    fn impossible_numbers_are_refused() {
        assert_eq!(phone("102 555 0143", "", "202"), Some(PhoneAnswer::Wrong));
        assert_eq!(phone("202 555 0143 22 44", "", "202"), Some(PhoneAnswer::Wrong));
        assert_eq!(phone("no idea", "", "202"), None);
        assert_eq!(whole_phone("I waited for two hours on 5th street"), None);
    }
}
