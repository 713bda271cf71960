//! Words that the judge knows: what says nothing of its own, what denies, what is the opposite of what, months and
//! days, and Spanish county words with the English ones that mean the same.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use language::Language;

use super::reading::Word;

/// The shipped lists: a heading in brackets, then words or `left = right`.
const LISTS: &str = include_str!("../../data/judge/lexicon.txt");

struct Lexicon {
    stop: HashSet<&'static str>,
    english: HashSet<&'static str>,
    spanish: HashSet<&'static str>,
    deny: HashSet<&'static str>,
    no_denial_before: HashSet<&'static str>,
    irregular: HashMap<&'static str, &'static str>,
    concepts: HashMap<String, String>,
    antonyms: HashMap<String, (u16, bool)>,
    months: HashMap<&'static str, u8>,
    days: HashMap<&'static str, u8>,
    between: HashSet<&'static str>,
    places: HashSet<String>,
    no_names: HashSet<&'static str>,
    rude: HashSet<&'static str>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::parse(LISTS));

impl Lexicon {
    fn parse(text: &'static str) -> Self {
        let mut lists: HashMap<&str, Vec<&'static str>> = HashMap::new();
        let mut heading = "";
        for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            match line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
                Some(name) => heading = name,
                None => lists.entry(heading).or_default().push(line),
            }
        }
        let lines = |name: &str| lists.get(name).cloned().unwrap_or_default();
        let words = |name: &str| -> HashSet<&'static str> {
            lines(name).into_iter().flat_map(str::split_whitespace).collect()
        };
        let pairs = |name: &str| -> Vec<(Vec<&'static str>, &'static str)> {
            let of = |line: &'static str| {
                line.split_once('=').map(|(l, r)| (l.split_whitespace().collect(), r.trim()))
            };
            lines(name).into_iter().filter_map(of).collect()
        };
        let irregular: HashMap<_, _> =
            pairs("irregular").into_iter().flat_map(|(l, r)| l.into_iter().map(move |w| (w, r))).collect();
        let stemmed = |word: &str| irregular.get(word).map_or_else(|| plain_stem(word), |w| (*w).to_owned());
        let concepts: HashMap<String, String> = pairs("same")
            .into_iter()
            .flat_map(|(l, r)| {
                let right = stemmed(r);
                l.into_iter().map(|w| (stemmed(w), right.clone())).collect::<Vec<_>>()
            })
            .collect();
        let concept = |word: &str| {
            let stem = stemmed(word);
            concepts.get(&stem).cloned().unwrap_or(stem)
        };
        let mut antonyms = HashMap::new();
        for (group, (left, right)) in (0u16..).zip(pairs("opposites")) {
            antonyms.extend(left.into_iter().map(|w| (concept(w), (group, true))));
            antonyms.extend(right.split_whitespace().map(|w| (concept(w), (group, false))));
        }
        let numbered = |name: &str| -> HashMap<&'static str, u8> {
            let of = |(l, r): (Vec<&'static str>, &'static str)| {
                let n: u8 = r.parse().unwrap_or(0);
                l.into_iter().map(|w| (w, n)).collect::<Vec<_>>()
            };
            pairs(name).into_iter().flat_map(of).collect()
        };
        Self {
            stop: words("stop"),
            english: words("english"),
            spanish: words("spanish"),
            deny: words("deny"),
            no_denial_before: words("no denial before"),
            months: numbered("months"),
            days: numbered("days"),
            between: words("between a number and its noun"),
            places: words("places").into_iter().map(concept).collect(),
            no_names: words("no names"),
            rude: words("rude"),
            irregular,
            concepts,
            antonyms,
        }
    }
}

/// A stem before the lists are there.
fn plain_stem(word: &str) -> String {
    super::reading::regular_stem(word)
}

/// The form that stands for an irregular one.
pub fn irregular(word: &str) -> Option<&'static str> {
    LEXICON.irregular.get(word).copied()
}

/// The language that most of the small words are in; English where none are.
pub fn language(words: &[Word]) -> Language {
    let count = |list: &HashSet<&str>| words.iter().filter(|w| list.contains(w.text.as_str())).count();
    if count(&LEXICON.spanish) > count(&LEXICON.english) { Language::Es } else { Language::En }
}

/// Whether a word tells what is spoken of.
pub fn is_content(text: &str) -> bool {
    text.len() > 1 && !LEXICON.stop.contains(text) && !LEXICON.deny.contains(text)
}

/// One stem for words that mean the same here.
pub fn concept(stem: &str) -> &str {
    LEXICON.concepts.get(stem).map_or(stem, String::as_str)
}

/// The pair of opposites that a concept is in, and which of the two it is.
pub fn opposite(concept: &str) -> Option<(u16, bool)> {
    LEXICON.antonyms.get(concept).copied()
}

/// How often these words deny. "No later than" denies nothing.
pub fn negations(words: &[Word]) -> usize {
    let denies = |n: usize, w: &Word| {
        let plain = LEXICON.deny.contains(w.text.as_str()) || w.text.ends_with("n't");
        let next = words.get(n + 1).map_or("", |w| w.text.as_str());
        let answer = next == "," && matches!(w.text.as_str(), "no");
        plain && !answer && !LEXICON.no_denial_before.contains(next)
    };
    words.iter().enumerate().filter(|(n, w)| denies(*n, w)).count()
}

/// Whether a piece always ends before this word.
pub fn always_cuts(text: &str) -> bool {
    matches!(
        text,
        ";" | ":"
            | "but"
            | "pero"
            | "while"
            | "although"
            | "however"
            | "otherwise"
            | "aunque"
            | "mientras"
            | "—"
    )
}

/// Whether a piece may end before this word.
pub fn may_cut(text: &str) -> bool {
    matches!(text, "," | "and" | "y" | "e")
}

/// Days of the week, a bit each.
pub fn day(text: &str) -> Option<u8> {
    LEXICON.days.get(text).copied()
}

/// The month of a word. "May" and "March" are months where they have a capital that the sentence did not give them.
pub fn month(text: &str, capital: bool, first: bool) -> Option<u8> {
    let month = LEXICON.months.get(text).copied()?;
    let is_word_too = matches!(text, "may" | "march");
    (!is_word_too || (capital && !first)).then_some(month)
}

/// Whether a month without a day is meant as one.
pub fn is_surely_month(words: &[Word], at: usize) -> bool {
    !matches!(words[at].text.as_str(), "may" | "march")
        || at.checked_sub(1).and_then(|n| words.get(n)).is_some_and(|w| {
            matches!(
                w.text.as_str(),
                "in" | "of" | "by" | "each" | "every" | "until" | "since" | "through" | "from"
            )
        })
}

/// Words that may stand between a number and what it counts.
pub fn is_between(text: &str) -> bool {
    LEXICON.between.contains(text)
}

/// Minutes of a unit of time.
pub fn minutes_of(concept: &str) -> Option<i64> {
    match concept {
        "minut" => Some(1),
        "hour" => Some(60),
        "day" => Some(1_440),
        "week" => Some(10_080),
        "month" => Some(43_200),
        "year" => Some(525_600),
        _ => None,
    }
}

/// Units before which "one" is a number and no article.
pub fn is_measure_word(stem: &str) -> bool {
    let concept = concept(stem);
    minutes_of(concept).is_some()
        || matches!(concept, "cop" | "foot" | "inch" | "mil" | "gallon" | "pound" | "tim")
}

/// Offices and buildings that a caller may be sent to.
pub fn is_place(concept: &str) -> bool {
    LEXICON.places.contains(concept)
}

/// Words with a capital that are no name.
pub fn is_no_name(text: &str) -> bool {
    LEXICON.no_names.contains(text)
}

/// Words that nobody is to hear from us.
pub fn is_rude(text: &str) -> bool {
    LEXICON.rude.contains(text)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::reading::stem;
    use super::*;

    #[test]
    fn spanish_county_words_mean_what_the_english_ones_do() {
        for (spanish, english) in
            [("licencia", "license"), ("impuestos", "taxes"), ("perros", "dog"), ("cuesta", "costs")]
        {
            assert_eq!(concept(&stem(spanish)), concept(&stem(english)), "{spanish}");
        }
    }

    #[test]
    fn opposites_are_found_in_both_languages() {
        let of = |word: &str| opposite(concept(&stem(word))).unwrap();
        for (a, b) in [("open", "closed"), ("before", "after"), ("abierto", "cerrada"), ("open", "cerrado")] {
            let (a, b) = (of(a), of(b));
            assert_eq!(a.0, b.0);
            assert_ne!(a.1, b.1);
        }
    }

    #[test]
    fn a_modal_may_is_no_month() {
        assert_eq!(month("may", false, false), None);
        assert_eq!(month("may", true, false), Some(5));
        assert_eq!(month("mayo", false, false), Some(5));
    }
}
