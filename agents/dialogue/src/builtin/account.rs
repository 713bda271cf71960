//! Accounts of what happened: whether words tell an event, or only where, when and who.

mod english;
mod spanish;

use pipeline::ports::Language;
use regex::Regex;

use super::state::Filled;
use language::Ear;
use language::english::words::as_sentence;

/// Longest account kept; a caller who tells more is still heard, and the recording has it.
const MAX_STORY: usize = 800;
/// Fewer words are no account.
const LEAST: usize = 3;
/// Words of an account that are read back.
const MAX_SPOKEN: usize = 24;

/// Calls the reader of the ear's language.
macro_rules! by_language {
    ($ear:ident, $reader:ident ( $($argument:expr),* )) => {
        match $ear.0 {
            Language::En => english::$reader($($argument),*),
            Language::Es => spanish::$reader($($argument),*),
        }
    };
}

/// What happened, taken from the caller's opening words or from an answer.
#[must_use]
pub fn story(ear: Ear, text: &str) -> Option<Filled> {
    by_language!(ear, story(text))
}

/// The opening words of a task, where they tell more than that there is something to tell.
#[must_use]
pub fn opening_story(ear: Ear, text: &str) -> Option<Filled> {
    by_language!(ear, opening_story(text))
}

/// A message, a subject: whatever is said.
#[must_use]
pub fn free_text(ear: Ear, text: &str) -> Option<Filled> {
    by_language!(ear, free_text(text))
}

/// A message within the words that ask to pass it on, and for whom it is where a title says so: "tell Mrs. Ortiz I'm running late".
/// `to`: for whom it is, as far as that is known. `None` where nothing is told yet.
#[must_use]
pub fn passed_on<'t>(ear: Ear, text: &'t str, to: &str) -> Option<(Option<&'t str>, &'t str)> {
    let (lead, titled, link) = match ear.0 {
        Language::En => english::passing_on(),
        Language::Es => spanish::passing_on(),
    };
    let rest = &text[lead.find(text)?.end()..];
    let found = titled.captures(rest);
    let named = found.as_ref().and_then(|found| found.get(1));
    let known = find_folded(rest, to).filter(|at| *at <= FAR).map(|at| at + to.len());
    let end = known.or_else(|| found.as_ref().and_then(|found| found.get(0)).map(|whole| whole.end()));
    // "A message for the clerk about my permit": where the name ends is not known.
    let rest_told = match end {
        Some(end) => &rest[end..],
        None if opens_addressee(ear, rest) => rest.split_once([',', '.', ':', ';'])?.1,
        None => rest,
    };
    let told = rest_told.trim_start_matches([' ', ',', '.', ':', ';']);
    let told = link.find(told).map_or(told, |found| &told[found.end()..]);
    let tells = told.split_whitespace().count() >= LEAST && !ear.terms(&ear.plain(told)).is_empty();
    // "Le dejo un recado a ella, soy Efraín Quiñones" says who calls.
    let caller = ear.name_stated(told).is_some() && told.split_whitespace().count() <= LEAST * 2;
    (tells && !caller).then_some((named.map(|named| named.as_str()), told))
}

/// Words of a lead before the one that a message is for: "a message for".
const FAR: usize = 12;

fn find_folded(text: &str, words: &str) -> Option<usize> {
    let lower = text.to_lowercase();
    (!words.is_empty() && lower.len() == text.len()).then(|| lower.find(&words.to_lowercase())).flatten()
}

fn opens_addressee(ear: Ear, rest: &str) -> bool {
    let plain = ear.plain(rest);
    let first = plain.split(' ').next().unwrap_or_default();
    match ear.0 {
        Language::En => matches!(first, "for" | "to" | "the" | "my" | "your"),
        Language::Es => matches!(first, "para" | "a" | "al" | "el" | "la" | "mi"),
    }
}

/// What a call for a person is about, where the request itself says so: "I need to speak with the assessor".
#[must_use]
pub fn opening_reason(ear: Ear, text: &str) -> Option<Filled> {
    by_language!(ear, opening_reason(text))
}

/// Whether the words tell only where, when or who: the answer to another question than "what happened?".
#[must_use]
pub fn particulars_only(ear: Ear, text: &str) -> bool {
    by_language!(ear, particulars_only(text))
}

/// "What happened is that the light is out": the account anew, in place of what was taken for it.
#[must_use]
pub fn restated(ear: Ear, text: &str) -> Option<Filled> {
    by_language!(ear, restated(text))
}

/// What stands behind words that begin an account anew, up to those that only close it.
fn anew<'t>(begins: &Regex, closes: &Regex, text: &'t str) -> Option<&'t str> {
    let rest = &text[begins.find(text)?.end()..];
    let end = closes.find(rest).map_or(rest.len(), |close| close.start());
    let rest = rest[..end].trim_matches([' ', ',', '.']);
    (rest.split_whitespace().count() >= LEAST).then_some(rest)
}

/// "Just put down that my tire's flat": what is to stand in the account besides.
#[must_use]
pub fn added(ear: Ear, text: &str) -> Option<&str> {
    by_language!(ear, added(text))
}

/// What stands behind words that add something.
fn behind<'t>(begins: &Regex, text: &'t str) -> Option<&'t str> {
    let rest = text[begins.find(text)?.end()..].trim_matches([' ', ',', '.']);
    (rest.split_whitespace().count() >= LEAST).then_some(rest)
}

/// An account that says no more than that there is one: "an accident at the depot".
#[must_use]
pub fn is_thin(ear: Ear, account: &str) -> bool {
    by_language!(ear, is_thin(account))
}

/// Whether an account still tells something after a word of it was put right.
#[must_use]
pub fn is_told(account: &str) -> bool {
    account.split_whitespace().count() >= 2
}

/// Whether the words tell that something came about, as an answer to another question would not.
#[must_use]
pub fn tells_event(ear: Ear, text: &str) -> bool {
    by_language!(ear, tells_event(text))
}

/// What was told first and what came later, as one account.
#[must_use]
pub fn completed(ear: Ear, earlier: &Filled, later: &str) -> Filled {
    by_language!(ear, completed(earlier, later))
}

/// "John Carter.": two or three words, each with a capital, as recognisers write names.
#[must_use]
pub fn bare_name(ear: Ear, text: &str) -> Option<String> {
    by_language!(ear, bare_name(text))
}

/// "It was at …", "in the lobby": the words begin with a place.
#[must_use]
pub fn opens_place(ear: Ear, text: &str) -> bool {
    by_language!(ear, opens_place(text))
}

/// Whether a word of them says something of when: "every Friday for three weeks", "desde la tormenta".
#[must_use]
pub fn names_time(ear: Ear, words: &str) -> bool {
    let known: &[&str] = by_language!(ear, names_time());
    let plain = ear.plain(words);
    // "Right before the bridge" tells where.
    let only_order = |word: &str| matches!(word, "before" | "after" | "antes" | "despues");
    let beside = opens_place(ear, words) || ear.place_stated(words).is_some();
    let said = |word: &str| known.contains(&word) && !(beside && only_order(word));
    plain.split(' ').any(|word| said(word) || ear.calendar_word(word).is_some())
}

/// Words that tell when.
#[must_use]
pub const fn time_words(ear: Ear) -> &'static [&'static str] {
    match ear.0 {
        Language::En => english::TIME_WORDS,
        Language::Es => spanish::TIME_WORDS,
    }
}

/// An account as it is kept, and as much of it as is read back.
pub fn kept(ear: Ear, told: &str) -> Filled {
    let cut: String = told.chars().take(MAX_STORY).collect();
    let words = cut.split_whitespace().count();
    // What comes before the event, "you'll have to speak up", is not read back where not everything is.
    let telling = if words > MAX_SPOKEN { from_the_event(ear, &cut) } else { cut.clone() };
    let spoken = as_sentence(&whole_clauses(&telling));
    Filled::new(as_sentence(&cut), spoken)
}

/// As many clauses as can be heard at once; all goes on file.
fn whole_clauses(told: &str) -> String {
    let words: Vec<&str> = told.split_whitespace().collect();
    if words.len() <= MAX_SPOKEN {
        return told.to_owned();
    }
    let ends = |word: &&str| word.ends_with([',', '.', ';', '!', '?']);
    let last = words[..MAX_SPOKEN].iter().rposition(ends).filter(|at| *at + 1 >= MAX_SPOKEN / 3);
    words[..last.map_or(MAX_SPOKEN, |at| at + 1)].join(" ").trim_end_matches([',', ';']).to_owned()
}

fn from_the_event(ear: Ear, told: &str) -> String {
    let sentences = language::sentences(told);
    let first = sentences.iter().position(|sentence| tells_event(ear, sentence)).unwrap_or(0);
    sentences[first..].join(" ")
}

/// What stands in the account by request besides: nothing of it is given up for that.
#[must_use]
pub fn with(ear: Ear, earlier: &Filled, more: &str) -> Filled {
    let more = kept(ear, more);
    if earlier.value.is_empty() { more } else { joined(earlier, &more) }
}

/// An account without the clauses that say this. `None` where none does, or nothing would be left.
#[must_use]
pub fn without(ear: Ear, account: &Filled, what: &str) -> Option<Filled> {
    let wanted = ear.terms(&ear.plain(what));
    let says = |clause: &str| {
        let held = ear.terms(&ear.plain(clause));
        wanted.iter().filter(|term| held.contains(*term)).count() * 2 >= wanted.len().max(1)
    };
    let cut = |text: &str| {
        let left: Vec<&str> = text.split_inclusive(['.', ',', ';', '!', '?']).filter(|c| !says(c)).collect();
        left.concat().trim().trim_end_matches([',', ';']).to_owned()
    };
    let value = cut(&account.value);
    let less = value.len() < account.value.len() && is_told(&value);
    less.then(|| Filled::new(as_sentence(&value), as_sentence(&cut(&account.spoken))))
}

/// Two accounts as one.
fn joined(earlier: &Filled, later: &Filled) -> Filled {
    let both = |a: &str, b: &str| format!("{a} {b}");
    Filled::new(both(&earlier.value, &later.value), both(&earlier.spoken, &later.spoken))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clause_that_is_taken_back_goes() {
        let ear = Ear(Language::En);
        let told = "There's a couch on the sidewalk, my neighbor left it there. It smells.";
        let account = Filled::new(told.to_owned(), told.to_owned());
        let left = |what| without(ear, &account, what).map(|left| left.value);
        let rest = Some("There's a couch on the sidewalk, It smells.".to_owned());
        assert_eq!(left("the part about my neighbor"), rest);
        assert_eq!(left("the truck"), None, "nothing says it");
        assert_eq!(left(""), None);
        let only = Filled::new("My neighbor did it.".to_owned(), String::new());
        assert!(without(ear, &only, "my neighbor").is_none(), "nothing would be left");
    }
}
