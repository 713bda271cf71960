//! What a correction makes of a place: the street, its number, a word of it, a landmark beside it.

use super::closed::WAYS;
use super::correction::{after_link, capitalised, content, same, sound_alike, with_word};
use crate::builtin::script::SlotKind;
use crate::builtin::slots::{self, Context, Read};
use crate::builtin::state::Filled;
use language::sound::likeness;
use language::spelling::{settled, spelled};
use language::{Ear, house};

/// A street told of a place that has none stands beside it: "Elm Street", of "by the laundromat". So does a landmark of a street,
/// unless it `replaces` what was held.
#[must_use]
pub fn with_landmark(ear: Ear, old: &Filled, new: Filled, replaces: bool) -> Filled {
    let number = |words: &str| words.starts_with(|c: char| c.is_ascii_digit());
    let joined = |new: &Filled| same(format!("{}, {}", old.value, new.value));
    if !replaces && format!(" {} ", ear.plain(&old.value)).contains(&format!(" {} ", ear.plain(&new.value))) {
        return old.clone();
    }
    // "The car is more blue, blue Ford", of "281 Hickory Lane": no place takes the place of an address that is none itself.
    if ear.address(&old.value).is_some() && !names_place(ear, &new.value) {
        return old.clone();
    }
    let stays = !replaces || is_beside(ear, &new.value);
    if stays && !old.value.is_empty() && has_street(ear, &old.value) && !has_street(ear, &new.value) {
        return joined(&new);
    }
    if old.value.is_empty()
        || has_street(ear, &old.value)
        || number(&new.value)
        || !is_street(ear, &new.value)
    {
        return new;
    }
    joined(&new)
}

/// Whether words have the form of a place: a street, a number, a thing with its article, or where something is.
fn names_place(ear: Ear, place: &str) -> bool {
    let plain = ear.plain(place);
    let article = plain.split(' ').next().is_some_and(|word| ear.cues().articles.contains(&word));
    article
        || has_street(ear, place)
        || is_beside(ear, place)
        || crate::builtin::account::opens_place(ear, place)
        || ear.place_stated(place).is_some()
}

/// "That's Chestnut, two nineteen Chestnut", of "219 Walnut Street": a name said twice, and behind a number, takes the place of
/// the street's. "Bye bye" names nothing.
#[must_use]
pub fn renamed(ear: Ear, old: &Filled, said: &str) -> Option<Filled> {
    let held: Vec<&str> = old.value.split_whitespace().collect();
    let way = held.iter().rposition(|word| names_way(ear, &ear.plain(word))).filter(|at| *at > 0)?;
    let plain = ear.plain(said);
    let words: Vec<&str> = plain.split(' ').collect();
    let old_words = ear.plain(&old.value);
    let name = |word: &str| {
        content(word)
            && word.chars().all(char::is_alphabetic)
            && words.iter().filter(|other| **other == word).count() > 1
            && words.windows(2).any(|pair| pair[1] == word && ear.cardinal_at(&pair[..1]).is_some())
            && !old_words.split(' ').any(|held| held == word)
            && !names_way(ear, word)
            && !ear.cues().small.contains(&word)
            && !ear.cues().correcting.contains(&word)
            && ear.cardinal_at(&[word]).is_none()
            && ear.calendar_word(word).is_none()
    };
    let new = words.iter().copied().find(|word| name(word))?;
    Some(same(with_word(&held, (way - 1, way), &capitalised(new))))
}

/// A place without what is none of it: who calls, a word spelled, and a bare no, between its commas. `name`: as it is known by then.
#[must_use]
pub fn without_caller(ear: Ear, place: &str, name: &str) -> String {
    let name = ear.plain(name);
    let names: Vec<&str> = name.split(' ').filter(|word| !word.is_empty()).collect();
    let letter = |word: &&str| word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    let of_caller = |part: &&str| {
        let plain = ear.plain(part);
        let words: Vec<&str> = plain.split(' ').collect();
        let called = !names.is_empty() && words.iter().all(|word| names.contains(word));
        let spelled = words.iter().filter(|word| letter(word)).count() >= SPELLED;
        let denies = words.len() <= DENIED && words.first().is_some_and(|word| NO.contains(word));
        called || spelled || denies || plain.is_empty() || ear.name_stated(part).is_some()
    };
    let parts: Vec<&str> = place.split(',').map(str::trim).collect();
    let kept: Vec<&str> = parts.iter().copied().filter(|part| !of_caller(part)).collect();
    if kept.is_empty() || kept.len() == parts.len() { place.to_owned() } else { kept.join(", ") }
}

/// So many letters by themselves are a word that is spelled.
const SPELLED: usize = 3;
/// "No out in there", "not": no place.
const NO: [&str; 2] = ["no", "not"];
const DENIED: usize = 4;

/// Whether these words are the place that is held without its number: "Elm Street", of "25 Elm Street".
#[must_use]
pub fn is_same_unnumbered(ear: Ear, held: &Filled, words: &str) -> bool {
    let number = |word: &&str| word.bytes().all(|b| b.is_ascii_digit());
    let (held, words) = (ear.plain(&held.value), ear.plain(words));
    let bare: Vec<&str> = held.split(' ').filter(|word| !number(word)).collect();
    bare.len() < held.split(' ').count() && bare.join(" ") == words
}

/// The place that is held with a number or a kind of street that is said by itself: "la altura es mil trescientos"; "it's Court, not
/// Street". `None` where the words are more than that.
#[must_use]
pub fn whole_again(ear: Ear, old: &Filled, words: &str) -> Option<Filled> {
    let plain = ear.plain(words);
    let words: Vec<&str> = plain.split(' ').collect();
    if !has_street(ear, &old.value) {
        return None;
    }
    if let [way] = words.as_slice()
        && WAYS.contains(way)
    {
        let held: Vec<&str> = old.value.split_whitespace().collect();
        let at = held.iter().rposition(|word| WAYS.contains(&ear.plain(word).as_str()))?;
        return Some(same(with_word(&held, (at, at + 1), &capitalised(way))));
    }
    let number = house::number_at(ear, &words).filter(|(_, used)| *used == words.len())?.0;
    Some(same(house::with_number(ear, &old.value, &number)))
}

/// "La calle Elm, en el cuatrocientos doce", "Elm Street number 52": the number that stands behind a street, put to it. `None` where
/// nothing leads to the number, which may be an hour then.
#[must_use]
pub fn numbered_behind(ear: Ear, words: &str) -> Option<String> {
    let leads: &[&str] = match ear.0 {
        language::Language::En => &["number", "at number"],
        language::Language::Es => {
            &["al", "en el", "en la", "numero", "el numero", "en el numero", "altura", "a la altura"]
        }
    };
    let all: Vec<&str> = words.split_whitespace().collect();
    let plain: Vec<String> = all.iter().map(|word| ear.plain(word)).collect();
    let plain: Vec<&str> = plain.iter().map(String::as_str).collect();
    let to_end =
        |at: &usize| house::number_at(ear, &plain[*at..]).is_some_and(|(_, used)| at + used == plain.len());
    let at = (1..plain.len()).find(to_end)?;
    let (number, _) = house::number_at(ear, &plain[at..])?;
    let before = plain[..at].join(" ");
    let lead =
        leads.iter().filter(|lead| before.ends_with(&format!(" {lead}"))).max_by_key(|lead| lead.len())?;
    let street = all[..at - lead.split(' ').count()].join(" ");
    let street = street.trim_end_matches([',', ' ']);
    let short = street.split_whitespace().count() <= SHORT_PLACE;
    (short && has_street(ear, street)).then(|| house::with_number(ear, street, &number))
}

/// "The house number is 418", of "Maple Street": the street stays.
#[must_use]
pub fn renumbered(ear: Ear, old: &Filled, said: &str) -> Option<Filled> {
    if old.value.is_empty() || ear.count_digits(said) >= PHONE_DIGITS || ear.address(said).is_some() {
        return None;
    }
    let number = house::told(ear, said).or_else(|| another_number(ear, &old.value, said))?;
    Some(same(house::with_number(ear, &old.value, &number)))
}

/// "Fifty-two, no, that's my sister's, it's twenty-five", of "52 Elm Street": the number that is held, and another.
fn another_number(ear: Ear, place: &str, said: &str) -> Option<String> {
    let held = place.split_whitespace().find(|word| word.bytes().all(|b| b.is_ascii_digit()))?;
    let plain = ear.plain(said);
    let words: Vec<&str> = plain.split(' ').collect();
    let mut numbers = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match house::number_at(ear, &words[at..]) {
            Some((number, used)) => {
                numbers.push(number);
                at += used.max(1);
            }
            None => at += 1,
        }
    }
    let last = numbers.last().filter(|last| *last != held)?;
    (numbers.len() == 2 && numbers[0] == held).then(|| last.clone())
}

/// As many digits are a telephone number.
const PHONE_DIGITS: usize = 7;

/// Whether a street is among the words, by the kind of it, or a corner, "la Main con la Oak".
pub fn has_street(ear: Ear, place: &str) -> bool {
    let plain = ear.plain(place);
    let words: Vec<&str> = plain.split(' ').collect();
    let corner = words.windows(4).any(|some| matches!(some, ["la", _, "con" | "y", "la"]));
    corner || words.iter().any(|word| names_way(ear, word) || word.chars().any(|c| c.is_ascii_digit()))
}

/// "Elm Street", "calle Olmo", and nothing else.
fn is_street(ear: Ear, place: &str) -> bool {
    let plain = ear.plain(place);
    let words: Vec<&str> = plain.split(' ').collect();
    let ends = [words.first(), words.last()].into_iter().flatten();
    words.len() <= SHORT_PLACE && ends.into_iter().any(|word| names_way(ear, word))
}

/// "The left side", "behind the school": no place by itself, so that it takes no street's place.
fn is_beside(ear: Ear, place: &str) -> bool {
    let words: &[&str] = match ear.0 {
        language::Language::En => {
            &["side", "left", "right", "end", "front", "back", "behind", "across", "beside", "near"]
        }
        language::Language::Es => {
            &["lado", "izquierda", "derecha", "frente", "atras", "detras", "junto", "cerca", "fondo"]
        }
    };
    ear.plain(place).split(' ').any(|word| words.contains(&word))
}

fn names_way(ear: Ear, word: &str) -> bool {
    WAYS.contains(&word) || ear.cues().street_kinds.iter().any(|kind| kind.rsplit(' ').next() == Some(word))
}

/// The place as corrected; nothing where the words hold no correction of it.
pub(super) fn corrected(kind: SlotKind, old: &Filled, said: &str, context: Context<'_>) -> Option<Filled> {
    let ear = context.ear;
    let held: Vec<&str> = old.value.split_whitespace().collect();
    if let Some(whole) = ear.address(said).or_else(|| crossing(ear, said)) {
        return Some(same(whole));
    }
    if let Some((letters, _)) = spelled(ear.0, said).last() {
        let like = held.iter().enumerate().map(|(n, w)| (n, likeness(w, letters)));
        let best = like.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|best| best.1 >= 0.4);
        if let Some((at, _)) = best {
            return Some(same(with_word(&held, (at, at + 1), &capitalised(&settled(letters, said)))));
        }
    }
    let part = before_known(&held, said, ear).or_else(|| beside_known(&held, said, ear));
    if let Some(new) = part.or_else(|| sound_alike(&held, said, ear)) {
        return Some(same(new));
    }
    if let Some(stated) = ear.place_stated(said) {
        return Some(same(stated));
    }
    // "I don't want to leave one" names no place: what is said in its stead comes behind "it's" or "make it", or is short.
    let tail = after_link(ear, said);
    let linked = tail.len() < said.len();
    let tail = without_tail(ear, tail);
    let short =
        tail.split_whitespace().count() <= SHORT_PLACE && !slots::declines(ear, said) && !wants(ear, said);
    if !(linked || short) {
        return None;
    }
    match slots::answered(kind, &tail, Context { digits: "", ..context }) {
        Read::Value(value) => Some(value),
        _ => None,
    }
}

/// Words of a place that is said without "it's" before it.
const SHORT_PLACE: usize = 4;

/// Whether the words want or refuse something: they name no place then.
fn wants(ear: Ear, said: &str) -> bool {
    let words: &[&str] = match ear.0 {
        language::Language::En => {
            &["want", "don't", "won't", "can't", "report", "reporting", "leave", "asking", "just"]
        }
        language::Language::Es => &["quiero", "quiera", "puedo", "dejar", "reportar", "tengo", "pregunto"],
    };
    ear.plain(said).split(' ').any(|word| words.contains(&word))
}

/// "No, it's Harper and Birch": both streets of a corner, said anew.
fn crossing(ear: Ear, said: &str) -> Option<String> {
    let and = match ear.0 {
        language::Language::En => "and",
        language::Language::Es => "y",
    };
    said.split(['.', ';', '!', '?']).find_map(|clause| {
        let tail = without_tail(ear, after_link(ear, clause.trim()));
        let words: Vec<&str> = tail.split_whitespace().collect();
        let at = words.iter().position(|w| *w == and)?;
        let street = |part: &[&str]| {
            (1..=2).contains(&part.len())
                && part.iter().all(|w| content(w) && !ear.cues().small.contains(&ear.plain(w).as_str()))
        };
        let named = words.iter().filter(|w| w.starts_with(char::is_uppercase)).count() >= 2;
        (named && street(&words[..at]) && street(&words[at + 1..])).then(|| tail.clone())
    })
}

/// "Level three" where "level two" was held, "and Pine" where "and Elm": the word after a word of the value.
fn beside_known(held: &[&str], said: &str, ear: Ear) -> Option<String> {
    let old: Vec<String> = held.iter().map(|w| ear.plain(w)).collect();
    let said: Vec<&str> = said.split_whitespace().collect();
    let plain: Vec<String> = said.iter().map(|w| ear.plain(w)).collect();
    for n in 0..plain.len().saturating_sub(1) {
        let (first, next) = (&plain[n], &plain[n + 1]);
        let weekday = ear.calendar_word(next).is_some();
        // "The name", where "the left side" is held: the same article names nothing.
        if old.contains(next)
            || ear.cues().articles.contains(&first.as_str())
            || weekday
            || next.chars().count() < 2
            || ear.cues().small.contains(&next.as_str())
        {
            continue;
        }
        let stands = (0..old.len().saturating_sub(1)).find(|at| old[*at] == *first);
        let Some(at) = stands else { continue };
        let number = |w: &str| ear.cardinal_at(&[w]).is_some();
        if number(next) == number(&old[at + 1]) && !ear.cues().small.contains(&old[at + 1].as_str()) {
            let new = capital_like(held[at + 1], said[n + 1]);
            return Some(with_word(held, (at + 1, at + 2), &new));
        }
    }
    None
}

/// "Oak Street" where "15 Elm Street" was held: the word before a word of the value.
fn before_known(held: &[&str], said: &str, ear: Ear) -> Option<String> {
    let old: Vec<String> = held.iter().map(|w| ear.plain(w)).collect();
    let said: Vec<&str> = said.split_whitespace().collect();
    for pair in said.windows(2) {
        let (new, known) = (ear.plain(pair[0]), ear.plain(pair[1]));
        // "After the", where "where the church" is held: an article tells nothing.
        let tells = content(&known) && !ear.cues().articles.contains(&known.as_str());
        let at = old.iter().position(|w| *w == known).filter(|at| *at > 0 && tells);
        let Some(at) = at else { continue };
        let word = |w: &str| {
            content(w)
                && !ear.cues().small.contains(&w)
                && !ear.cues().correcting.contains(&w)
                && ear.cardinal_at(&[w]).is_none()
        };
        if !old.contains(&new) && word(&new) && word(&old[at - 1]) {
            return Some(with_word(held, (at - 1, at), &capital_like(held[at - 1], pair[0])));
        }
    }
    None
}

fn capital_like(old: &str, new: &str) -> String {
    let new = new.trim_matches(|c: char| !c.is_alphanumeric());
    if old.starts_with(char::is_uppercase) { capitalised(new) } else { new.to_owned() }
}

/// Without "sorry", "please" and the like around it.
fn without_tail(ear: Ear, text: &str) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let around = |w: &&str| ear.cues().correcting.contains(&ear.plain(w).as_str());
    while words.last().is_some_and(around) {
        words.pop();
    }
    while words.first().is_some_and(around) {
        words.remove(0);
    }
    words.join(" ")
}
