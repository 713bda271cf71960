//! Dates of birth: a date, written or said, with words of birth beside it.

use super::cues::{BIRTH, Cue, RELATION};
use super::kind::Kind;
use super::lexicon::{class, hash_of};
use super::numbers::{cardinal, written};
use super::scan::Scan;
use super::token::Form;

/// Tokens between "born" and the date: "in the county hospital on the".
const REACH: usize = 10;
/// Tokens between a date of birth and another one: "and my mom's is".
const SECOND: usize = 12;

/// A date with the token after it. Parts that were not said are 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Date {
    pub(super) year: u32,
    pub(super) month: u32,
    pub(super) day: u32,
    pub(super) end: usize,
}

impl Date {
    /// At least a month with a day or a year: a year alone tells nobody apart.
    const fn tells(self) -> bool {
        self.month > 0 && (self.day > 0 || self.year > 0)
    }
}

impl Date {
    /// A whole date on which somebody who calls may have been born.
    fn of_a_life(self) -> bool {
        self.day > 0 && self.month > 0 && (1915..=2012).contains(&self.year)
    }
}

/// "It's seven fourteen eighty six", "I'm four june fifty four", and a date that stands alone with a person: "october
/// ninth twenty fifteen, he just turned nine".
fn of_somebody(scan: &Scan<'_>, at: usize, body: usize, date: Date) -> bool {
    let word = |n: usize, words: &[&str]| words.iter().any(|w| scan.hash_is(n, hash_of(w)));
    let says = |n: usize| {
        word(n, &["he", "she", "that's", "thats", "that", "ella"])
            || word(n, &["el"]) && !article_of_date(scan, n)
    };
    let mut first = at.min(body);
    while first > 0 && scan.is(first - 1, class::FILLER) && !word(first - 1, &["that's", "thats"]) {
        first -= 1;
    }
    // Nothing but a date: an answer.
    let ends =
        |n: usize| scan.toks[n..].iter().all(|t| matches!(t.form, Form::Sign(_)) || t.is(class::FILLER));
    if first == 0 && date.of_a_life() && ends(date.end) {
        return true;
    }
    if first == 0 {
        return date.day > 0 && date.year >= 1915 && says(date.end) && said_of_person(scan, date.end);
    }
    let is = word(first - 1, &["'s", "is", "was", "es"]) && first > 1;
    if in_number(scan, at, date) {
        return false;
    }
    let who = is && word(first - 2, &["it", "he", "she", "that", "mine", "his", "hers"]);
    let verb = is || word(first - 1, &["are", "son"]);
    let kin = verb && scan.nearest_before(first - 1, RELATION, 0).is_some()
        || verb && first > 1 && word(first - 2, &["twins", "kids", "boys", "girls", "birthdate", "they"]);
    if kin && date.day > 0 {
        return true;
    }
    let alone = word(first - 1, &["baby", "i'm", "im", "sure", "yes", "correct", "soy"]);
    date.of_a_life() && (who || alone)
}

/// Not "that's when the office opens": a person, or the end.
fn said_of_person(scan: &Scan<'_>, at: usize) -> bool {
    let thing =
        ["when", "the", "a", "our", "your", "what", "how", "why", "where", "not", "too", "fine", "good"];
    let after = at + 1 + usize::from(scan.hash_is(at + 1, hash_of("'s")));
    let baby = ["baby", "oldest", "youngest", "twins", "birthday", "kid", "boy", "girl"];
    let person = |n: usize| baby.iter().any(|w| scan.hash_is(n, hash_of(w)));
    scan.hash_is(at, hash_of("he"))
        || scan.hash_is(at, hash_of("she"))
        || person(after)
        || person(after + 1)
        || scan.is(after, class::PERSONAL | class::FIRST | class::LAST)
            && !thing.iter().any(|w| scan.hash_is(after, hash_of(w)))
}

/// "It's one eight oh five nine …": more digits beside it, a number.
fn in_number(scan: &Scan<'_>, at: usize, date: Date) -> bool {
    let digit =
        |n: usize| scan.is(n, class::NUMBER) || scan.toks.get(n).is_some_and(|t| t.form == Form::Digits);
    digit(date.end) || at > 0 && digit(at - 1)
}

fn article_of_date(scan: &Scan<'_>, at: usize) -> bool {
    scan.is(at + 1, class::NUMBER | class::ORDINAL)
}

/// "… as her birth date", "the 10/10/1974 birth date", "… so I just turned sixty five".
fn named_birthday(scan: &Scan<'_>, at: usize) -> bool {
    let at_cue = |n: usize| {
        let found = scan.cues.binary_search_by_key(&n, |cue: &Cue| cue.from);
        found.is_ok_and(|cue| scan.cues[cue].mask & BIRTH != 0)
    };
    let turned =
        (at..at + 5).any(|n| ["turned", "turning", "turns"].iter().any(|w| scan.hash_is(n, hash_of(w))));
    turned || at_cue(at) || scan.hash_is(at, hash_of("as")) && at_cue(at + 2)
}

/// Proposes all dates of birth.
pub(super) fn find(scan: &mut Scan<'_>) {
    // A date beside what says who somebody is: "Maria Lopez, 03/14/1974", "423-71-6650, 07/19/1991".
    let who = |kind: Kind| matches!(kind, Kind::Name | Kind::Ssn | Kind::DriversLicense | Kind::Passport);
    let mut names: Vec<usize> = scan.found.iter().filter(|c| who(c.kind)).map(|c| c.to).collect();
    names.sort_unstable();
    let mut at = 0;
    let mut used = usize::MAX;
    // Where the last date of birth ended: in the next few words there may be another's.
    let mut last = None;
    while at < scan.toks.len() {
        let Some(date) = date(scan, at).filter(|date| date.tells()) else {
            at += 1;
            continue;
        };
        let body = at + usize::from(article(scan, at));
        let cue =
            scan.nearest_before(body, BIRTH, REACH).filter(|cue| cue.from != used && !party(scan, cue.to));
        let asked = at < 4 && scan.settings.expected & BIRTH != 0;
        let beside = beside_name(scan, &names, at, date)
            || of_somebody(scan, at, body, date)
            || last.is_some_and(|end| at - end <= SECOND && date.of_a_life() && !in_number(scan, at, date));
        // "seven four oh one lankershim boulevard".
        let house = (date.end..date.end + 4).any(|n| scan.is(n, class::SUFFIX | class::SUFFIX_ST));
        let beside = beside && !house;
        let follows = scan.cue_after(date.end, BIRTH) != 0 || named_birthday(scan, date.end);
        if cue.is_some() || asked || beside || follows {
            used = cue.map_or(used, |cue| cue.from);
            scan.propose(Kind::DateOfBirth, at, date.end, if beside { 0.6 } else { 0.93 });
            last = Some(date.end);
        }
        at = date.end;
    }
}

/// "the birthday party on March 3" is nobody's date of birth.
fn party(scan: &Scan<'_>, at: usize) -> bool {
    const PARTIES: [&str; 8] =
        ["party", "parties", "celebration", "cake", "event", "certificate", "fiesta", "rental"];
    (at..at + 2).any(|n| PARTIES.iter().any(|word| scan.hash_is(n, hash_of(word))))
}

/// "Maria Lopez, 03/14/1974".
fn beside_name(scan: &Scan<'_>, names: &[usize], at: usize, date: Date) -> bool {
    let ends = |before: usize| at.checked_sub(before).is_some_and(|at| names.binary_search(&at).is_ok());
    let opened = at > 0 && scan.sign(at - 1, '(');
    let beside = ends(0) || ends(1) && scan.toks[at - 1].form != Form::Word || ends(2) && opened;
    date.of_a_life() && beside || date.day > 0 && date.year >= 1915 && opened && ends(1)
}

/// A date that starts at this token.
pub(super) fn date(scan: &Scan<'_>, at: usize) -> Option<Date> {
    let token = scan.toks.get(at)?;
    if token.is(class::MONTH) && token.is_word() {
        return month_first(scan, at);
    }
    let numeric = token.form == Form::Digits || token.form == Form::Mixed;
    if !numeric && !token.is(class::NUMBER | class::ORDINAL) && !article(scan, at) {
        return None;
    }
    day_first(scan, at)
        .or_else(|| in_digits(scan, at))
        .or_else(|| in_words(scan, at))
        .or_else(|| year_first(scan, at))
}

/// "nineteen sixty two november fourth".
fn year_first(scan: &Scan<'_>, at: usize) -> Option<Date> {
    let (year, next) = year(scan, at).filter(|(year, _)| (1900..=2035).contains(year))?;
    let next = next + usize::from(scan.sign(next, ','));
    let month = scan.toks.get(next).filter(|t| t.is(class::MONTH) && t.is_word())?;
    let (day, end) = day(scan, next + 1 + usize::from(scan.hash_is(next + 1, hash_of("the"))))?;
    Some(Date { year, month: u32::from(month.value), day, end })
}

fn article(scan: &Scan<'_>, at: usize) -> bool {
    scan.hash_is(at, hash_of("the")) || scan.hash_is(at, hash_of("el"))
}

fn month_first(scan: &Scan<'_>, at: usize) -> Option<Date> {
    let month = u32::from(scan.toks[at].value);
    let next = at + 1 + usize::from(scan.sign(at + 1, '.') && scan.glued(at + 1));
    let pause = usize::from(["uh", "um", "eh"].iter().any(|w| scan.hash_is(next, hash_of(w))));
    let next = next + pause;
    let the = next + usize::from(scan.hash_is(next, hash_of("the")));
    // "march seventy four": a year; "march third": a day.
    if let Some((day, after)) = day(scan, the) {
        let (year, end) = year_after(scan, after).unwrap_or((0, after));
        return Some(Date { year, month, day, end });
    }
    let of = next + usize::from(scan.hash_is(next, hash_of("of")) || scan.hash_is(next, hash_of("de")));
    let (year, end) = year(scan, of)?;
    // "march two thousand nine, the twentieth".
    let the = end + usize::from(scan.sign(end, ','));
    let later = scan.hash_is(the, hash_of("the")) && scan.is(the + 1, class::ORDINAL | class::TENS);
    let (day, end) = day(scan, the + 1).filter(|_| later).unwrap_or((0, end));
    Some(Date { year, month, day, end })
}

fn day_first(scan: &Scan<'_>, at: usize) -> Option<Date> {
    let start = at + usize::from(article(scan, at));
    let (day, mut next) = day(scan, start)?;
    for _ in 0..2 {
        let joins = ["of", "de", "del", "in"].iter().any(|word| scan.hash_is(next, hash_of(word)));
        next += usize::from(joins || scan.sign(next, '-') || scan.sign(next, '/'));
    }
    let month = scan.toks.get(next).filter(|t| t.is(class::MONTH))?;
    let (year, end) = year_after(scan, next + 1).unwrap_or((0, next + 1));
    Some(Date { year, month: u32::from(month.value), day, end })
}

/// 1 to 31, as digits, "3rd", "third", "twenty first", "veintiuno".
fn day(scan: &Scan<'_>, at: usize) -> Option<(u32, usize)> {
    let token = scan.toks.get(at)?;
    let valid = |day: u32, next: usize| (1..=31).contains(&day).then_some((day, next));
    match token.form {
        Form::Digits if token.len() <= 2 => {
            valid(u32::try_from(written(scan.text, token).number()).ok()?, at + 1)
        }
        Form::Mixed => {
            let word = scan.word(at).to_ascii_lowercase();
            let digits = word.trim_end_matches(|c: char| c.is_alphabetic());
            let ending = &word[digits.len()..];
            matches!(ending, "st" | "nd" | "rd" | "th" | "o").then_some(())?;
            valid(digits.parse().ok()?, at + 1)
        }
        _ if token.is(class::ORDINAL) => valid(u32::from(token.value), at + 1),
        _ if token.is(class::TENS) => {
            // "thirty two thousand five" is the thirtieth of 2005.
            let thousand = scan.toks.get(at + 2).is_some_and(|t| t.is(class::MULT) && t.value == 1000);
            if thousand && scan.is(at + 1, class::DIGIT) {
                return valid(u32::from(token.value), at + 1);
            }
            let dash = usize::from(scan.sign(at + 1, '-'));
            let unit = scan.toks.get(at + 1 + dash).filter(|t| t.is(class::ORDINAL) && t.value < 10);
            match unit {
                Some(unit) => valid(u32::from(token.value + unit.value), at + 2 + dash),
                None => cardinal(scan, at).and_then(|(n, next)| valid(n, next)),
            }
        }
        _ if token.is(class::DIGIT) && token.value == 0 => {
            let unit = scan.toks.get(at + 1).filter(|t| t.is(class::DIGIT) && t.value > 0)?;
            valid(u32::from(unit.value), at + 2)
        }
        _ if token.is(class::DIGIT | class::TEEN) => cardinal(scan, at).and_then(|(n, next)| valid(n, next)),
        _ => None,
    }
}

fn year_after(scan: &Scan<'_>, at: usize) -> Option<(u32, usize)> {
    let mut next = at;
    for _ in 0..3 {
        let small = ["of", "de", "del", "in", "year", "ano", "the", "uh", "um", "el", "este", "this"]
            .iter()
            .any(|w| scan.hash_is(next, hash_of(w)));
        next += usize::from(
            small || scan.toks.get(next).is_some_and(|t| matches!(t.form, Form::Sign(',' | '-' | '/' | '.'))),
        );
    }
    year(scan, next)
}

/// A year with two or four digits, written or said. Two digits are of the last hundred years.
fn year(scan: &Scan<'_>, at: usize) -> Option<(u32, usize)> {
    let at = at + usize::from(matches!(scan.toks.get(at)?.form, Form::Sign('\'' | '’')));
    let token = scan.toks.get(at)?;
    if token.form == Form::Digits {
        let number = u32::try_from(written(scan.text, token).number()).ok()?;
        return match token.len() {
            4 if (1900..=2035).contains(&number) => Some((number, at + 1)),
            2 => Some((in_century(number), at + 1)),
            _ => None,
        };
    }
    let century =
        (token.is(class::TEEN) && token.value == 19) || (token.is(class::TENS) && token.value == 20);
    if century && let Some((rest, end)) = rest_of_year(scan, at + 1) {
        return Some((u32::from(token.value) * 100 + rest, end));
    }
    let one_by_one: Option<u32> = (0..4).try_fold(0, |n, k| {
        scan.toks.get(at + k).filter(|t| t.is(class::DIGIT)).map(|t| n * 10 + u32::from(t.value))
    });
    if let Some(number) = one_by_one.filter(|n| (1900..=2035).contains(n)) {
        return Some((number, at + 4));
    }
    let (number, end) = cardinal(scan, at)?;
    match number {
        1900..=2035 => Some((number, end)),
        10..=99 => Some((in_century(number), end)),
        _ => oh_digit(scan, at).map(|(n, end)| (in_century(n), end)),
    }
}

const fn in_century(two: u32) -> u32 {
    if two <= 26 { 2000 + two } else { 1900 + two }
}

fn oh_digit(scan: &Scan<'_>, at: usize) -> Option<(u32, usize)> {
    let zero = scan.toks.get(at).is_some_and(|t| t.is(class::DIGIT) && t.value == 0);
    let unit = scan.toks.get(at + 1).filter(|t| zero && t.is(class::DIGIT))?;
    Some((u32::from(unit.value), at + 2))
}

fn rest_of_year(scan: &Scan<'_>, at: usize) -> Option<(u32, usize)> {
    if scan.is(at, class::MULT) && scan.toks[at].value == 100 {
        return Some(oh_digit(scan, at + 1).unwrap_or((0, at + 1)));
    }
    if let Some(found) = oh_digit(scan, at) {
        return Some(found);
    }
    if let Some(token) = scan.toks.get(at).filter(|t| t.form == Form::Digits && t.len() == 2) {
        return Some((u32::try_from(written(scan.text, token).number()).ok()?, at + 1));
    }
    scan.toks.get(at).filter(|t| t.is(class::TENS | class::TEEN))?;
    cardinal(scan, at).filter(|(n, _)| (10..=99).contains(n))
}

/// 03/14/1974, 3-14-74, 1974-03-14, 14.3.1974, 3 14 1974.
fn in_digits(scan: &Scan<'_>, at: usize) -> Option<Date> {
    let number = |n: usize| {
        let token = scan.toks.get(n).filter(|t| t.form == Form::Digits)?;
        Some((u32::try_from(written(scan.text, token).number()).ok()?, token.len()))
    };
    let (first, first_len) = number(at)?;
    let sign =
        |n: usize| scan.toks.get(n).is_some_and(|t| matches!(t.form, Form::Sign('/' | '-' | '.' | '–')));
    let step = if sign(at + 1) { 2 } else { 1 };
    if step == 2 && !sign(at + 3) {
        return None;
    }
    let (second, second_len) = number(at + step)?;
    let (third, third_len) = number(at + 2 * step)?;
    let end = at + 2 * step + 1;
    if first_len == 4 && (1900..=2035).contains(&first) && second_len <= 2 && third_len <= 2 {
        return valid(first, second, third, end);
    }
    let year = match third_len {
        4 if (1900..=2035).contains(&third) => third,
        2 => in_century(third),
        _ => return None,
    };
    if first_len > 2 || second_len > 2 {
        return None;
    }
    valid(year, first, second, end).or_else(|| valid(year, second, first, end))
}

fn valid(year: u32, month: u32, day: u32, end: usize) -> Option<Date> {
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some(Date { year, month, day, end })
}

/// "oh three fourteen nineteen seventy four".
fn in_words(scan: &Scan<'_>, at: usize) -> Option<Date> {
    let sep = |n: usize| {
        let said = ["slash", "dash", "and", "diagonal", "guion", "de", "del"]
            .iter()
            .any(|word| scan.hash_is(n, hash_of(word)));
        n + usize::from(said || scan.sign(n, ',') || scan.sign(n, '/') || scan.sign(n, '-'))
    };
    let (first, next) = day(scan, at)?;
    let (second, next) = day(scan, sep(next))?;
    let (year, end) = year(scan, sep(next))?;
    valid(year, first, second, end).or_else(|| valid(year, second, first, end))
}
