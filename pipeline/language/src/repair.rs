//! Speakers who put right what they have just said: "Mabel Street, no, Maple", "the library, I mean the courthouse".
//!
//! [`repaired`] gives the words as they were meant; [`denied`] the words that were taken back in so many words.

use crate::Language;
use crate::ear::Ear;
use crate::sound::{ALIKE, likeness};

/// What one language says when it takes something back, in plain words.
#[derive(Debug)]
pub struct Repairs {
    /// Between what was wrong and what is right; the longest first.
    pub marks: &'static [&'static [&'static str]],
    /// Words around a mark that are part of it.
    pub hedges: &'static [&'static str],
    /// Sounds of surprise right before a mark.
    pub starts: &'static [&'static str],
    /// After a "no" these make it something else.
    pub no_marks: &'static [&'static str],
    /// "Not Mabel": what follows was not meant.
    pub nots: &'static [&'static [&'static str]],
    /// Words that end what is denied.
    pub stops: &'static [&'static str],
    /// Small words that a denied phrase may begin with.
    pub articles: &'static [&'static str],
}

pub static ENGLISH: Repairs = Repairs {
    marks: &[
        &["no", "hang", "on"],
        &["no", "hold", "on"],
        &["no", "wait"],
        &["no", "sorry"],
        &["scratch", "that"],
        &["make", "that"],
        &["i", "mean"],
        &["i", "meant"],
        &["or", "rather"],
        &["hang", "on"],
        &["hold", "on"],
        &["correction"],
        &["no"],
        &["sorry"],
        &["wait"],
    ],
    hedges: &[
        "no", "wait", "sorry", "um", "uh", "er", "oh", "it's", "i", "mean", "was", "excuse", "me",
        "actually", "hang", "hold", "on",
    ],
    starts: &["oh", "uh", "um", "er", "ah", "oops", "ugh"],
    no_marks: &["one", "body", "longer", "more", "idea", "problem", "matter"],
    nots: &[&["not"], &["isn't"], &["ain't", "no"], &["ain't"], &["instead", "of"], &["wasn't"]],
    stops: &[
        "it's", "it", "that's", "but", "and", "i", "he", "she", "they", "we", "sorry", "thank", "thanks",
        "please", "is", "was", "because", "that",
    ],
    articles: &["the", "a", "an", "on", "at", "in", "for", "my", "just", "no"],
};

pub static SPANISH: Repairs = Repairs {
    marks: &[
        &["no", "perdon"],
        &["no", "espere"],
        &["mejor", "dicho"],
        &["quise", "decir"],
        &["quiero", "decir"],
        &["mas", "bien"],
        &["no", "esperese"],
        &["no", "esperate"],
        &["no", "no", "es"],
        &["no", "digo"],
        &["digo"],
        &["perdon"],
        &["corrijo"],
        &["no"],
    ],
    hedges: &["no", "perdon", "perdone", "espere", "eh", "este", "ay", "es", "era", "fue", "que", "digo"],
    starts: &["ay", "eh", "este", "ah", "oh", "uy"],
    no_marks: &["hay", "habia", "hubo", "se", "me", "le", "puedo", "tengo", "funciona", "fue"],
    nots: &[
        &["no", "es"],
        &["no", "era"],
        &["no", "fue"],
        &["en", "lugar", "de"],
        &["en", "vez", "de"],
        &["no"],
    ],
    stops: &["es", "era", "fue", "sino", "pero", "y", "que", "por", "gracias", "porque"],
    articles: &["el", "la", "los", "las", "un", "una", "en", "de", "a", "del", "al"],
};

/// The words of one language.
#[must_use]
pub const fn of(language: Language) -> &'static Repairs {
    match language {
        Language::En => &ENGLISH,
        Language::Es => &SPANISH,
    }
}

/// Words before a repair that it may reach back over.
const REACH: usize = 8;
/// Longest denied phrase.
const DENIED: usize = 4;

/// The text as it was meant, where the speaker put right what came just before. Otherwise the text itself.
#[must_use]
pub fn repaired(ear: Ear, text: &str) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    // Each pass mends one repair; nobody makes many in one breath.
    for _ in 0..4 {
        match mended(ear, &words) {
            Some(better) => words = better,
            None => break,
        }
    }
    words.join(" ")
}

/// What comes after the last mark of more than one word ("no wait", "no, espérese"), where something stands before it.
#[must_use]
pub fn begun_anew(ear: Ear, text: &str) -> Option<&str> {
    let mut at = 0;
    let words: Vec<(usize, &str)> = text
        .split_whitespace()
        .map(|word| {
            let from = text[at..].find(word).map_or(at, |n| at + n);
            at = from + word.len();
            (from, word)
        })
        .collect();
    let plain: Vec<String> = words.iter().map(|(_, word)| ear.plain(word)).collect();
    let marks = of(ear.0).marks.iter().filter(|mark| mark.len() > 1);
    let after = |mark: &&&[&str]| {
        let found = plain.windows(mark.len()).rposition(|part| part.iter().eq(mark.iter()))?;
        (found > 0).then_some(found + mark.len())
    };
    let mut from = marks.filter_map(|mark| after(&mark)).max()?;
    while plain.get(from).is_some_and(|word| of(ear.0).hedges.contains(&word.as_str())) {
        from += 1;
    }
    words.get(from).map(|(at, _)| &text[*at..])
}

fn mended<'t>(ear: Ear, words: &[&'t str]) -> Option<Vec<&'t str>> {
    let repairs = of(ear.0);
    let plain: Vec<String> = words.iter().map(|w| ear.plain(w)).collect();
    let has = |at: usize, mark: &[&str]| {
        mark.iter().enumerate().all(|(n, m)| plain.get(at + n).is_some_and(|w| w == m))
    };
    for at in 1..words.len() {
        let Some(mark) = repairs.marks.iter().find(|mark| has(at, mark)) else { continue };
        // "There is no light" is no repair: a mark alone stands between pauses.
        // Nor is "no one", whatever stands before it.
        if mark.len() == 1 && plain.get(at + 1).is_some_and(|w| repairs.no_marks.contains(&w.as_str())) {
            continue;
        }
        let paused = words[at - 1].ends_with([',', '.', '-', '…', ';']);
        let pause_after = words.get(at + mark.len() - 1).is_some_and(|w| w.ends_with([',', '.', ';']));
        let certain = mark.len() > 1 || !matches!(mark[0], "no" | "wait" | "sorry");
        let mut after = at + mark.len();
        while plain.get(after).is_some_and(|w| repairs.hedges.contains(&w.as_str()) || w.is_empty()) {
            after += 1;
        }
        let hedged = after > at + mark.len();
        if !(paused || pause_after || certain || hedged) || after >= words.len() {
            continue;
        }
        // "555, oh no, sorry, 614": the "oh" belongs to the mark, and is no digit of what stays.
        let mut end = at;
        while end > 1 && repairs.starts.contains(&plain[end - 1].as_str()) {
            end -= 1;
        }
        if let Some(from) = reaches_back(ear, &plain[..end], &plain[after..]) {
            let mut out = words[..from.start].to_vec();
            out.extend(&words[after..after + from.taken]);
            out.extend(&words[from.end..end]);
            out.extend(&words[after + from.taken..]);
            return Some(out);
        }
    }
    None
}

/// What a repair replaces: words `start..end` of what came before, by the first `taken` words after the mark.
struct Reach {
    start: usize,
    end: usize,
    taken: usize,
}

fn reaches_back(ear: Ear, before: &[String], after: &[String]) -> Option<Reach> {
    let earliest = before.len().saturating_sub(REACH);
    let reach = |start, end, taken| Some(Reach { start, end, taken });
    let first = after.first()?;
    // "On Mabel Street, no, on Maple Street": it begins anew with a word that stands before.
    if let Some(at) = (earliest..before.len()).rev().find(|n| before[*n] == *first)
        && after.len() > 1
        && before.len() - at <= 5
    {
        return reach(at, before.len(), (before.len() - at).min(after.len()));
    }
    // "Mabel Street, no, Maple Street": it ends with the word that came last.
    let last = before.last()?;
    if let Some(n) = after.iter().take(4).position(|w| w == last).filter(|n| *n > 0) {
        let start = before.len().checked_sub(n + 1).filter(|s| *s >= earliest)?;
        return reach(start, before.len(), n + 1);
    }
    // "Mabel Street, no, Maple", "fifteen, no, fifty": a word of the same kind, or one that sounds like it.
    for at in (earliest..before.len()).rev() {
        if same_kind(ear, &before[at], first) {
            return reach(at, at + 1, 1);
        }
    }
    None
}

/// Whether one word may stand for the other: numbers, weekdays and months for each other, names that sound alike.
fn same_kind(ear: Ear, one: &str, other: &str) -> bool {
    if one == other || one.chars().count() < 2 || other.chars().count() < 2 {
        return false;
    }
    let number = |w: &str| ear.cardinal_at(&[w]).is_some();
    let calendar = |w: &str| ear.calendar_word(w);
    match (number(one), number(other)) {
        (true, true) => return true,
        (false, false) => {}
        _ => return false,
    }
    match (calendar(one), calendar(other)) {
        (Some(a), Some(b)) => a == b,
        (None, None) => one.chars().count() > 3 && other.chars().count() > 2 && likeness(one, other) >= ALIKE,
        _ => false,
    }
}

/// Phrases that the words deny, in plain words: "mabel" of "Maple, not Mabel".
#[must_use]
pub fn denied(ear: Ear, text: &str) -> Vec<String> {
    spans(ear, text).into_iter().map(|(_, phrase)| phrase).collect()
}

/// The text without what it denies, in plain words.
#[must_use]
pub fn without_denied(ear: Ear, text: &str) -> String {
    let plain = ear.plain(text);
    let words: Vec<&str> = plain.split(' ').collect();
    let spans = spans(ear, text);
    let kept = |n: &usize| !spans.iter().any(|((from, to), _)| (from..to).contains(&n));
    (0..words.len()).filter(kept).map(|n| words[n]).collect::<Vec<_>>().join(" ")
}

type Span = ((usize, usize), String);

fn spans(ear: Ear, text: &str) -> Vec<Span> {
    let repairs = of(ear.0);
    // A pause ends what is denied; it is lost in plain words, so the text is read clause by clause.
    let mut out = Vec::new();
    let mut offset = 0;
    for clause in text.split([',', '.', ';', '!', '?']) {
        let plain = ear.plain(clause);
        if plain.is_empty() {
            continue;
        }
        let words: Vec<&str> = plain.split(' ').collect();
        let mut at = 0;
        while at < words.len() {
            let not = repairs.nots.iter().find(|not| words[at..].starts_with(not));
            // "No, Maple": a no that opens the words denies what we said, and not what follows.
            let opens = at == 0 && offset == 0 && words[0] == "no";
            let Some(not) = not.filter(|_| !opens) else {
                at += 1;
                continue;
            };
            let from = at;
            at += not.len();
            while at < words.len() && repairs.articles.contains(&words[at]) {
                at += 1;
            }
            let begin = at;
            while at < words.len() && at - begin < DENIED && !repairs.stops.contains(&words[at]) {
                at += 1;
            }
            if at > begin {
                out.push(((offset + from, offset + at), words[begin..at].join(" ")));
            }
        }
        offset += words.len();
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const EN: Ear = Ear(Language::En);
    const ES: Ear = Ear(Language::Es);

    #[test]
    fn what_was_put_right_is_as_it_was_meant() {
        for (said, meant) in [
            ("There's a hole on Mabel Street, no, sorry, Maple Street.", "There's a hole on Maple Street."),
            ("Mabel Street, no, Maple", "Maple Street,"),
            ("on Mabel Street, no hang on, Maple Street", "on Maple Street"),
            ("at the library, I mean at the courthouse", "at the courthouse"),
            ("It was Tuesday, no, Thursday", "It was Thursday"),
            ("about fifteen, no wait, fifty cars", "about fifty cars"),
            ("There is no light on Elm Street", "There is no light on Elm Street"),
            ("no, nobody was hurt", "no, nobody was hurt"),
            ("Sorry, I don't know", "Sorry, I don't know"),
        ] {
            assert_eq!(repaired(EN, said), meant, "{said}");
        }
        assert_eq!(repaired(ES, "el martes, no, perdón, el jueves"), "el jueves");
        assert_eq!(repaired(ES, "no hay luz en la calle Elm"), "no hay luz en la calle Elm");
    }

    #[test]
    fn what_is_denied_is_known() {
        assert_eq!(denied(EN, "No, it's Maple Street, not Mabel."), ["mabel"]);
        assert_eq!(denied(EN, "I said fifteen, not fifty"), ["fifty"]);
        assert_eq!(denied(EN, "not Tuesday, Thursday"), ["tuesday"]);
        assert_eq!(denied(EN, "that's a fox that ain't no dog"), ["dog"]);
        assert_eq!(denied(EN, "no, Maple Street"), Vec::<String>::new());
        assert_eq!(without_denied(EN, "larkspur lane not road"), "larkspur lane");
        assert_eq!(denied(ES, "es una manguera, no un cable"), ["cable"]);
    }

    proptest! {
        #[test]
        fn any_words_can_be_repaired(text in "((maple|no|sorry|not|street|fifteen|i|mean|the|,)[ ,.]{1,2}){0,14}", spanish in any::<bool>()) {
            let ear = if spanish { ES } else { EN };
            let out = repaired(ear, &text);
            prop_assert!(out.split_whitespace().count() <= text.split_whitespace().count());
            prop_assert!(without_denied(ear, &text).len() <= text.len() + 1);
        }
    }
}
