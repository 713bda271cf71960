//! What a correction makes of a value: the part that was wrong is put right, the rest stays.
//!
//! "No, Maple, not Mabel", "I said fifteen", "area code's five four one", "it's s e a n", "make it Friday".

use std::sync::LazyLock;

use chrono::{Datelike, NaiveDate, NaiveDateTime};
use regex::Regex;

use super::placed;
use crate::builtin::account;
use crate::builtin::script::SlotKind;
use crate::builtin::slots::{self, Context, Read};
use crate::builtin::state::Filled;
use language::repair::{self, denied, repaired};
use language::said_again::without_restart;
use language::sound::{ALIKE, letters, likeness};
use language::spelling::{ended, settled, spelled};
use language::{CalendarWord, Direction, Ear, Phone, PhoneAnswer, lasting};

/// Whether the words deny something of the value, or hold a word of it with another beside it: "Maple, not Mabel".
#[must_use]
pub fn denies(ear: Ear, old: &Filled, text: &str) -> bool {
    let held = ear.plain(&old.spoken);
    // A day is held as a date: any day that is denied is that one.
    let day =
        old.value.as_bytes().get(4) == Some(&b'-') && old.value.starts_with(|c: char| c.is_ascii_digit());
    let names_day = |phrase: &str| phrase.split(' ').any(|w| ear.calendar_word(w).is_some());
    denied(ear, text).iter().any(|phrase| shares_word(ear, phrase, &held) || (day && names_day(phrase)))
}

/// Whether a word of the correction can be one of the value's, misheard.
#[must_use]
pub fn resembles(ear: Ear, old: &Filled, text: &str) -> bool {
    let held = ear.plain(&old.spoken);
    let held: Vec<&str> = held.split(' ').filter(|w| content(w)).collect();
    let said = ear.plain(text);
    let mut said = said.split(' ').filter(|w| content(w) && !held.contains(w));
    said.any(|word| held.iter().any(|old| likeness(old, word) >= 0.7))
}

/// Whether a word of the value is said again: "Hernández, no, Fernández".
#[must_use]
pub fn repeats(ear: Ear, old: &Filled, text: &str) -> bool {
    let held = ear.plain(&old.spoken);
    ear.plain(text).split(' ').any(|word| content(word) && held.split(' ').any(|held| held == word))
}

/// Whether all of these words are in the value: "Jennifer", of "Jennifer Abbott".
#[must_use]
pub fn is_part(ear: Ear, old: &Filled, words: &str) -> bool {
    let held = ear.plain(&old.spoken);
    ear.plain(words).split(' ').all(|word| held.split(' ').any(|held| held == word))
}

/// The value as corrected; nothing where the words hold no correction of it.
#[must_use]
pub fn corrected(kind: SlotKind, old: &Filled, text: &str, context: Context<'_>) -> Option<Filled> {
    let ear = context.ear;
    let text = repaired(ear, text);
    // What is denied counts only where it is in the value: "Hernández, no, Fernández" denies nothing.
    let said = if denies(ear, old, &text) { repair::without_denied(ear, &text) } else { text.clone() };
    let new = match kind {
        SlotKind::Phone => phone(old, &said, context),
        SlotKind::Name => name(old, &said, ear),
        SlotKind::Place | SlotKind::Address => {
            placed::corrected(kind, old, without_restart(ear, &said), context)
        }
        SlotKind::When => when(old, &said, context, Direction::Past),
        SlotKind::Day => when(old, &said, context, Direction::Future),
        SlotKind::Story | SlotKind::Text => story(old, &text, &said, ear),
        SlotKind::ClaimNumber | SlotKind::Injured => answered(kind, &said, context),
        SlotKind::Proof | SlotKind::Opening => None,
    };
    new.filter(|new| new.value != old.value && !new.value.is_empty())
}

fn answered(kind: SlotKind, text: &str, context: Context<'_>) -> Option<Filled> {
    match slots::answered(kind, text, Context { digits: "", ..context }) {
        Read::Value(value) => Some(value),
        _ => None,
    }
}

pub(super) fn same(text: String) -> Filled {
    Filled::new(text.clone(), text)
}

pub(super) fn content(word: &str) -> bool {
    word.chars().count() > 2
}

fn shares_word(ear: Ear, phrase: &str, held: &str) -> bool {
    let held = ear.plain(held);
    phrase
        .split(' ')
        .any(|w| (content(w) || w.chars().any(|c| c.is_ascii_digit())) && held.split(' ').any(|h| h == w))
        || spelled(ear.0, phrase).iter().any(|(name, _)| held.split(' ').any(|h| letters(h) == letters(name)))
}

// ---------------------------------------------------------------- numbers

/// A whole number, or the group of it that was said: the area code, the last four, the last two.
fn phone(old: &Filled, said: &str, context: Context<'_>) -> Option<Filled> {
    let ear = context.ear;
    // "It should be 418 Oak Hill Road" is about a place.
    if ear.place_stated(said).is_some() && ear.count_digits(said) < 7 {
        return None;
    }
    let old: String = old.value.chars().filter(char::is_ascii_digit).collect();
    let old = old.get(old.len().checked_sub(10)?..)?.to_owned();
    let group = match ear.phone(said, "", context.area_code)? {
        PhoneAnswer::Whole(phone) => return Some(Filled::new(phone.e164(), phone.spoken())),
        PhoneAnswer::Part(digits) => digits,
        PhoneAnswer::Wrong => return None,
    };
    let plain = ear.plain(said);
    let area = ear.cues().area_code.iter().any(|cue| plain.contains(cue));
    let digits = match group.len() {
        // "Four one seven": where it is like neither, the area code is what was taken for granted.
        3 if area || alike(&group, &old[..3]) >= alike(&group, &old[3..6]) => format!("{group}{}", &old[3..]),
        3 => format!("{}{group}{}", &old[..3], &old[6..]),
        2 | 4 | 7 => format!("{}{group}", &old[..10 - group.len()]),
        _ => return None,
    };
    let phone = Phone::from_digits(&digits, "")?;
    Some(Filled::new(phone.e164(), phone.spoken()))
}

fn alike(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).filter(|(a, b)| a == b).count()
}

// ---------------------------------------------------------------- names

fn name(old: &Filled, said: &str, ear: Ear) -> Option<Filled> {
    let held: Vec<&str> = old.value.split_whitespace().collect();
    if let Some(both) = ear.first_and_last_name(said) {
        return Some(same(both.split(' ').map(capitalised).collect::<Vec<_>>().join(" ")));
    }
    if let Some((letters, _)) = spelled(ear.0, said).last() {
        return respelled(ear, old, letters, said).map(same);
    }
    if let Some((word, last)) = ended(ear.0, said) {
        let at = held
            .iter()
            .position(|held| [word.clone(), format!("{word}{last}")].contains(&ear.plain(held)))?;
        let whole = if word.ends_with(last) { word } else { format!("{word}{last}") };
        return Some(same(with_word(&held, (at, at + 1), &capitalised(&whole))));
    }
    if let Some(new) = sound_alike(&held, said, ear) {
        return Some(same(new));
    }
    let tail = after_link(ear, said);
    let whole = ear.name_answered(tail).or_else(|| ear.name_answered(said))?;
    // "It's Kowalski" is the last name of two.
    let words: Vec<&str> = whole.split_whitespace().collect();
    // "Just ask for Ron", where he is Ron Kowalczyk: nothing is put right.
    if words.len() == 1 && held.iter().any(|held| held.eq_ignore_ascii_case(words[0])) {
        return None;
    }
    if words.len() == 1 && held.len() == 1 && ear.says_last_name(said) {
        return Some(same(format!("{} {whole}", old.value)));
    }
    let last = words.len() == 1 && held.len() > 1;
    Some(same(if last { with_word(&held, (held.len() - 1, held.len()), words[0]) } else { whole }))
}

/// A name with the word spelled anew that the letters are most like, else the last of two.
pub fn respelled(ear: Ear, old: &Filled, letters: &str, said: &str) -> Option<String> {
    let held: Vec<&str> = old.value.split_whitespace().collect();
    let new = capitalised(&settled(letters, said));
    let like = held.iter().enumerate().map(|(n, w)| (n, likeness(w, letters)));
    let best = like.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|best| best.1 >= 0.4);
    Some(match best {
        Some((at, _)) => with_word(&held, (at, at + 1), &new),
        None if held.len() > 1 => with_word(&held, (held.len() - 1, held.len()), &new),
        None if ear.says_last_name(said) => format!("{} {new}", old.value),
        None => new,
    })
}

/// The value with the word replaced that a new word sounds like; two words that are one ("Rosa Lee") too.
pub(super) fn sound_alike(held: &[&str], said: &str, ear: Ear) -> Option<String> {
    let plain_held: Vec<String> = held.iter().map(|w| ear.plain(w)).collect();
    let mut best: Option<(f32, (usize, usize), String)> = None;
    for word in said.split_whitespace() {
        let bare = ear.plain(word);
        let known =
            plain_held.contains(&bare) || !content(&bare) || ear.cues().correcting.contains(&bare.as_str());
        if known || bare.contains('\'') || ear.cardinal_at(&[&bare]).is_some() {
            continue;
        }
        for (from, to) in (0..held.len()).flat_map(|n| [(n, n + 1), (n, n + 2)]).filter(|s| s.1 <= held.len())
        {
            let old = plain_held[from..to].concat();
            let score = likeness(&old, &bare);
            // Two words for one must be the same letters all but.
            let least = if to - from > 1 { 0.8 } else { ALIKE };
            if content(&old) && score >= least && best.as_ref().is_none_or(|b| score > b.0) {
                best =
                    Some((score, (from, to), capitalised(word.trim_matches(|c: char| !c.is_alphanumeric()))));
            }
        }
    }
    best.map(|(_, span, new)| with_word(held, span, &new))
}

pub(super) fn with_word(held: &[&str], (from, to): (usize, usize), new: &str) -> String {
    let mut words = held[..from].to_vec();
    words.push(new);
    words.extend(&held[to..]);
    words.join(" ")
}

pub(in crate::builtin) fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// What comes after the last "it's", "it was", "make it".
pub(super) fn after_link(ear: Ear, said: &str) -> &str {
    let lower = said.to_lowercase();
    if lower.len() != said.len() {
        return said;
    }
    let links = ear.cues().now_is.iter();
    let end = links.filter_map(|link| {
        let at = format!(" {lower}").rfind(&format!(" {link} "))?;
        Some(at + link.len())
    });
    end.max().and_then(|end| said.get(end..)).map_or(said, str::trim_start)
}

// ---------------------------------------------------------------- days

fn when(old: &Filled, said: &str, context: Context<'_>, direction: Direction) -> Option<Filled> {
    let (ear, now) = (context.ear, context.now);
    let (day, rest) = old.value.split_once([' ', 'T']).unwrap_or((&old.value, ""));
    let held: Option<NaiveDate> = day.parse().ok();
    let said = meant(ear, said);
    if let Some(stretch) = lasting(ear, &said).filter(|_| direction == Direction::Past) {
        return Some(same(stretch));
    }
    let said = held.map_or_else(|| said.clone(), |held| without_day(ear, &said, held, now));
    if let Some(date) = held.and_then(|held| month_only(ear, &said, held)) {
        let value =
            if rest.is_empty() { date.to_string() } else { format!("{date}{}{rest}", separator(&old.value)) };
        return Some(Filled::new(value, ear.spoken_date(date)));
    }
    let found = on_the(ear, &said, now, direction).or_else(|| ear.when(&said, now, direction))?;
    if direction == Direction::Past {
        let new = Filled::new(found.iso(), ear.spoken_when(&found));
        return Some(slots::merged_when(ear, old, new)).filter(|new| !new.spoken.is_empty());
    }
    let date = found.date.filter(|date| *date >= now.date()).or(held);
    let part = found.part.map(|part| format!("{part:?}").to_lowercase()).unwrap_or_else(|| rest.to_owned());
    let date = date.map_or_else(|| "any".to_owned(), |date| date.to_string());
    let shown = language::When { date: found.date.or(held), ..found };
    let value = if part.is_empty() { date } else { format!("{date} {part}") };
    Some(Filled::new(value, ear.spoken_when(&shown)))
}

fn separator(value: &str) -> char {
    if value.contains('T') { 'T' } else { ' ' }
}

/// What comes after "I mean": what was said before it was not meant.
fn meant(ear: Ear, said: &str) -> String {
    let plain = ear.plain(said);
    let cut = ear.cues().meant.iter().filter_map(|mark| Some(plain.rfind(mark)? + mark.len())).max();
    let tail = cut.and_then(|cut| plain.get(cut..)).map(str::trim).unwrap_or_default();
    if tail.is_empty() { plain } else { tail.to_owned() }
}

/// Without the day that stands already, where another is named: "Thursdays I have dialysis, make it Friday".
fn without_day(ear: Ear, said: &str, held: NaiveDate, now: NaiveDateTime) -> String {
    let weekday = |w: &str| ear.calendar_word(w) == Some(CalendarWord::Weekday);
    let others = said.split(' ').filter(|w| weekday(w)).count();
    if others < 2 {
        return said.to_owned();
    }
    let names_held = |w: &str| {
        ear.when(w, now, Direction::Future).and_then(|found| found.date).map(|date| date.weekday())
            == Some(held.weekday())
    };
    said.split(' ').filter(|w| !(weekday(w) && names_held(w))).collect::<Vec<_>>().join(" ")
}

/// "The fifteenth", "Thursday the twenty first": the day of the month decides.
fn on_the(ear: Ear, said: &str, now: NaiveDateTime, direction: Direction) -> Option<language::When> {
    let (_, tail) = said.rsplit_once("the ")?;
    let found = ear.when(&format!("on the {tail}"), now, direction)?;
    found.date.is_some().then_some(found)
}

/// "I meant February": the day stays.
fn month_only(ear: Ear, said: &str, held: NaiveDate) -> Option<NaiveDate> {
    let words: Vec<&str> = said.split(' ').collect();
    let month = words.iter().rev().find(|w| ear.calendar_word(w) == Some(CalendarWord::Month))?;
    if words.iter().any(|w| ear.cardinal_at(&[w]).is_some() || w.starts_with(|c: char| c.is_ascii_digit())) {
        return None;
    }
    let first = ear.when(&format!("{month} 1"), held.and_hms_opt(0, 0, 0)?, Direction::Future)?.date?;
    held.with_day(1)?.with_month(first.month())?.with_day(held.day())
}

// ---------------------------------------------------------------- accounts

/// The word that was denied gives way to what is said instead; else the correction stands beside the account.
fn story(old: &Filled, text: &str, said: &str, ear: Ear) -> Option<Filled> {
    if let Some(anew) = account::restated(ear, said) {
        return Some(anew);
    }
    let held: Vec<&str> = old.value.split_whitespace().collect();
    let plain: Vec<String> = held.iter().map(|w| ear.plain(w)).collect();
    if let Some(counted) = recounted(ear, &held, &plain, text) {
        return Some(same(counted));
    }
    let wrong = denied(ear, text)
        .into_iter()
        .flat_map(|phrase| phrase.split(' ').filter(|w| content(w)).map(str::to_owned).collect::<Vec<_>>());
    let at = wrong.filter_map(|word| plain.iter().position(|w| *w == word)).next()?;
    let instead = instead(said, ear)?;
    // "A stray dog" gives way whole.
    let article = |n: &usize| ear.cues().articles.contains(&plain[*n].as_str());
    let from = (at.saturating_sub(2)..at).rev().find(article).unwrap_or(at);
    Some(same(with_word(&held, (from, at + 1), &instead))).filter(|new| account::is_told(&new.value))
}

/// "It's not a tree, it's a light pole": what is not, and what is.
#[must_use]
pub fn instead_of(ear: Ear, text: &str) -> Option<(String, String)> {
    static ENGLISH: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:it's|it is|that's|that is|it|this)? ?(?:not|ain't|isn't) (an? [\w'-]+),? (?:it's|it is|that's|but) (an? [\w' -]+)").expect("clippy compiles every pattern")
    });
    static SPANISH: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\bno (?:es|era|hay) (una? [\w-]+),? (?:es|era|sino|hay) (una? [\w -]+)")
            .expect("clippy compiles every pattern")
    });
    let pattern: &Regex = match ear.0 {
        language::Language::En => &ENGLISH,
        language::Language::Es => &SPANISH,
    };
    let found = pattern.captures(text)?;
    let new = found.get(2)?.as_str();
    // "A light pole and it's in my yard": the thing, and not what is told of it.
    let and = format!(" {} ", ear.cues().says.and);
    let new = new.split(and.as_str()).next().unwrap_or(new).trim();
    Some((found.get(1)?.as_str().to_owned(), new.to_owned()))
}

/// "It's two dogs, not three": the count that is denied gives way to the other that is said.
fn recounted(ear: Ear, held: &[&str], plain: &[String], text: &str) -> Option<String> {
    let count = |word: &str| ear.cardinal_at(&[word]).map(|(value, _)| value);
    let denied = denied(ear, text);
    let wrong = denied.iter().flat_map(|phrase| phrase.split(' ')).find_map(count)?;
    let said = ear.plain(text);
    let instead = said.split(' ').find(|word| count(word).is_some_and(|value| value != wrong))?;
    let at = plain.iter().position(|word| count(word) == Some(wrong))?;
    Some(with_word(held, (at, at + 1), instead))
}

/// The thing that is named instead, with its article: "a water cover sunk down".
fn instead(said: &str, ear: Ear) -> Option<String> {
    let words: Vec<&str> = said.split_whitespace().collect();
    let article = |w: &&str| ear.cues().articles.contains(&ear.plain(w).as_str());
    let at = words.iter().rposition(article)?;
    let stop = |w: &str| {
        ear.cues().correcting.contains(&ear.plain(w).as_str())
            || repair::of(ear.0).stops.contains(&ear.plain(w).as_str())
    };
    let rest: Vec<&str> = words[at + 1..].iter().copied().take_while(|w| !stop(w)).take(5).collect();
    (!rest.is_empty()).then(|| format!("{} {}", words[at], rest.join(" ").trim_end_matches(['.', ','])))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use pipeline::ports::Language;

    use super::*;

    fn context(language: Language) -> Context<'static> {
        let now = NaiveDate::from_ymd_opt(2026, 11, 22).unwrap().and_hms_opt(9, 0, 0).unwrap();
        Context { ear: Ear(language), now, area_code: "202", digits: "" }
    }

    fn after(kind: SlotKind, language: Language, old: &str, text: &str) -> Option<String> {
        let old = match slots::answered(kind, old, context(language)) {
            Read::Value(old) => old,
            other => panic!("{old}: {other:?}"),
        };
        corrected(kind, &old, text, context(language)).map(|new| new.value)
    }

    #[test]
    fn the_part_that_was_wrong_is_put_right() {
        for (kind, old, text, new) in [
            (SlotKind::Place, "Mabel Street", "No, it's Maple Street, not Mabel.", "Maple Street"),
            (SlotKind::Place, "Mabel Street", "no, Maple, not Mabel", "Maple Street"),
            (SlotKind::Place, "Canal and Elm", "it's canal and pine", "Canal and Pine"),
            (
                SlotKind::Place,
                "Corner of hang on. Not Benson Burge, Harper wrote in Burge",
                "No, no, it's Harper and Birch. Birch like the tree.",
                "Harper and Birch",
            ),
            (
                SlotKind::Place,
                "38 London street",
                "No, none. It's 38 lindens like the three L-I-N-D-D-N.",
                "38 Linden street",
            ),
            (SlotKind::Name, "Jon Okafur", "O K A F O R", "Jon Okafor"),
            (SlotKind::Name, "Shawn Delaney", "it's not s h a w n, it's s e a n", "Sean Delaney"),
            (SlotKind::Name, "Maria Miller", "no, it's Kowalski", "Maria Kowalski"),
            (SlotKind::Name, "Tom Ford", "no the name is Ford with an e at the end", "Tom Forde"),
            (SlotKind::Phone, "202 555 0148", "oh one eight four, I had it backwards", "+12025550184"),
            (SlotKind::Phone, "202 555 0122", "sorry, area code's five four one", "+15415550122"),
            (SlotKind::Phone, "202 555 0177", "it's seventy eight", "+12025550178"),
            (SlotKind::Day, "Tuesday", "not Tuesday, Thursday", "2026-11-26"),
            (SlotKind::Day, "Thursday", "no, I got dialysis Thursdays, make it Friday", "2026-11-27"),
            (
                SlotKind::Story,
                "There is a stray dog out here",
                "that's a fox, that ain't no dog",
                "There is a fox out here.",
            ),
        ] {
            let made = after(kind, Language::En, old, text);
            assert_eq!(
                made.as_deref().map(|m| m.trim_end_matches('.')),
                Some(new.trim_end_matches('.')),
                "{old}: {text}"
            );
        }
        for (kind, old, text, new) in [
            (SlotKind::Name, "María Hernández", "hernández no, fernández con efe", "María Fernández"),
            (SlotKind::Day, "el martes", "mejor el miércoles, el martes trabajo doble", "2026-11-25"),
        ] {
            assert_eq!(after(kind, Language::Es, old, text).as_deref(), Some(new), "{old}: {text}");
        }
    }

    #[test]
    fn words_without_a_correction_change_nothing() {
        for (kind, old, text) in [
            (SlotKind::Phone, "202 555 0148", "no"),
            (SlotKind::Name, "John Smith", "no"),
            (SlotKind::Story, "A tree fell on my car", "no"),
            (SlotKind::Day, "Tuesday", "nobody was hurt"),
        ] {
            assert_eq!(after(kind, Language::En, old, text), None, "{old}: {text}");
        }
    }
}
