//! A name that was spelled over a telephone, made out of everything that recognizers heard of it.
//!
//! Letters rhyme ("B", "D", "V"), a recognizer loses some, writes others together ("DAWK-I-N-S") or goes round in circles. So the
//! letters of all hearings are held against the names that people have, and the one that explains them best is taken,
//! common ones before rare ones; a name that nobody on the list has is taken where its letters were heard well. Whoever
//! uses it reads the name back. The lists and their source: `data/names/README.md`.

use std::sync::LazyLock;

use crate::Language;
use crate::sound::{letters as folded, likeness};
use crate::spelling::{letter_named, spelled};

static SURNAMES: &str = include_str!("../data/names/surnames.txt");
static GIVEN: &str = include_str!("../data/names/given.txt");

/// Names by how many people have them, and what a name costs for being rare.
static LISTED: LazyLock<Vec<Listed>> = LazyLock::new(|| {
    let ranks = SURNAMES.lines().count().max(1) as f32;
    let family = SURNAMES.lines().enumerate().flat_map(|(rank, line)| {
        line.split_whitespace().map(move |name| Listed::new(name, RAREST * rank as f32 / ranks))
    });
    family.chain(GIVEN.split_whitespace().map(|name| Listed::new(name, FIRST_NAME))).collect()
});

/// What the rarest listed surname costs, in letters heard wrong; a first name; a name on no list.
const RAREST: f32 = 0.5;
const FIRST_NAME: f32 = 0.45;
const UNLISTED: f32 = 1.8;
/// The same, where the word was said as well, or two hearings agree on its letters.
const UNLISTED_TWICE: f32 = 0.6;
/// A street of the county's.
const KNOWN_PLACE: f32 = 0.2;

/// What a letter costs that was heard as one that rhymes with it, as another one, not at all, or where there was none.
const RHYMING: f32 = 0.35;
const OTHER: f32 = 1.0;
const LOST: f32 = 0.7;
const ADDED: f32 = 0.8;
/// The second of a double letter, lost or added.
const LOST_DOUBLE: f32 = 0.3;
const ADDED_DOUBLE: f32 = 0.4;
/// One hearing that explains nothing counts no more than this.
const MOST: f32 = 3.0;
/// What it costs when no word that was said is like the name.
const UNLIKE_WORDS: f32 = 0.6;
/// So many are weighed with the words said beside the letters.
const FINALISTS: usize = 40;
/// Dearer than this nothing is explained, and the letters stay as they were heard.
const TOO_DEAR: f32 = 2.7;

/// Letters that sound alike on a telephone.
const RHYMES: [&str; 8] = ["bcdegptvz", "ajkh", "fsx", "mn", "iy", "qu", "ou", "lo"];
/// Fewest letters of a spelling, and how many of them must have been letters beyond doubt.
const FEWEST: usize = 3;
const FEWEST_SURE: usize = 2;
/// Fewest that a recognizer wrote as one word.
const SHOUTED: usize = 5;
/// Lengths and sets of letters that differ by more are not compared.
const LENGTHS: usize = 3;
const STRANGERS: u32 = 3;

/// Words that recognizers write for letters; they count as such within a spelling only.
const HEARD_AS: &[(&str, &str)] = &[
    ("a", "hey eh"),
    ("c", "see sea"),
    ("b", "be"),
    ("e", "he"),
    ("i", "eye"),
    ("k", "okay"),
    ("l", "hell"),
    ("n", "and an"),
    ("o", "oh"),
    ("p", "pea"),
    ("r", "are our"),
    ("t", "tea"),
    ("u", "you who"),
];

/// Who says so much of a letter is read by [`crate::spelling`].
const REMARKS: [&str; 4] = ["at the end", "al final", " as in ", " como en "];

struct Listed {
    name: &'static str,
    cost: f32,
    mask: u32,
}

impl Listed {
    fn new(name: &'static str, cost: f32) -> Self {
        Self { name, cost, mask: mask(name) }
    }
}

/// What the letters may spell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A person's name.
    Person,
    /// One of the places that are given.
    Place,
}

/// Letters of one hearing.
struct Spelling {
    letters: String,
    /// Bytes of the text that they are written with.
    from: usize,
    to: usize,
}

/// The likeliest of the hearings with what it spells as single letters: "Zockins, DAWK-INF" is "Zockins, D A W K I N S". `places`
/// are names that are known here. `None` where nothing was spelled, or nothing explains it better than the letters that were heard.
#[must_use]
pub fn respelled(
    language: Language,
    kind: Kind,
    hearings: &[&str],
    places: &[String],
    rejected: impl Fn(&str) -> bool,
) -> Option<String> {
    let remarks = |text: &str| {
        let lower = text.to_lowercase();
        REMARKS.iter().any(|remark| lower.contains(remark))
    };
    if hearings.iter().any(|text| remarks(text)) {
        return None;
    }
    let spellings: Vec<Option<Spelling>> = hearings.iter().map(|text| spelling(language, text)).collect();
    let heard: Vec<&str> = spellings.iter().flatten().map(|s| s.letters.as_str()).collect();
    let words = words_beside(hearings, &spellings);
    let name = best(kind, &heard, &words, places, rejected)?;
    let (text, spelling) = hearings.iter().zip(&spellings).find_map(|(t, s)| Some((t, s.as_ref()?)))?;
    if spelled(language, text).iter().any(|(letters, _)| *letters == name) {
        return None;
    }
    let spaced: Vec<String> = name.chars().map(|c| c.to_uppercase().collect()).collect();
    Some(format!("{}{}{}", &text[..spelling.from], spaced.join(" "), &text[spelling.to..]))
}

fn best(
    kind: Kind,
    heard: &[&str],
    words: &[String],
    places: &[String],
    rejected: impl Fn(&str) -> bool,
) -> Option<String> {
    let masks: Vec<(usize, u32)> = heard.iter().map(|h| (h.len(), mask(h))).collect();
    let close = |name: &str, letters: u32| {
        masks.iter().any(|&(length, heard)| {
            name.len().abs_diff(length) <= LENGTHS && (letters & !heard).count_ones() <= STRANGERS
        })
    };
    let told = |name: &str| {
        heard.iter().map(|h| mistakes(h.as_bytes(), name.as_bytes()).min(MOST)).sum::<f32>()
            / heard.len() as f32
    };
    let listed = LISTED.iter().filter(|_| kind == Kind::Person);
    let listed = listed.filter(|l| close(l.name, l.mask)).map(|l| (told(l.name) + l.cost, l.name.to_owned()));
    let known = places.iter().map(|place| folded(place)).filter(|p| close(p, mask(p)));
    let known = known.map(|place| (told(&place) + KNOWN_PLACE, place));
    let literal = heard.iter().filter(|h| kind == Kind::Place || !is_listed(h));
    let literal = literal.map(|h| {
        let twice =
            heard.iter().filter(|other| other == &h).count() > 1 || words.iter().any(|word| word == h);
        (told(h) + if twice { UNLISTED_TWICE } else { UNLISTED }, (*h).to_owned())
    });
    let mut all: Vec<(f32, String)> =
        listed.chain(known).chain(literal).filter(|(_, n)| !rejected(n)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.truncate(FINALISTS);
    let beside = |name: &str| words.iter().map(|word| likeness(word, name)).fold(0.0, f32::max);
    let weighed = all.into_iter().map(|(cost, name)| (cost + UNLIKE_WORDS * (1.0 - beside(&name)), name));
    let (cost, name) = weighed.min_by(|a, b| a.0.total_cmp(&b.0))?;
    (cost <= TOO_DEAR).then_some(name)
}

/// Whether it is a name on the lists, in small letters.
pub(crate) fn is_listed(name: &str) -> bool {
    LISTED.iter().any(|l| l.name == name)
}

/// Which letters are in a word, a bit each.
fn mask(word: &str) -> u32 {
    word.bytes().filter(u8::is_ascii_lowercase).fold(0, |set, b| set | 1 << (b - b'a'))
}

/// How much was misheard if `name` was spelled and `heard` was written: a weighted distance of letters.
fn mistakes(heard: &[u8], name: &[u8]) -> f32 {
    let twice = |word: &[u8], at: usize| at > 0 && word[at] == word[at - 1];
    let lost = |at: usize| if twice(name, at) { LOST_DOUBLE } else { LOST };
    let added = |at: usize| if twice(heard, at) { ADDED_DOUBLE } else { ADDED };
    let mut row: Vec<f32> = Vec::with_capacity(name.len() + 1);
    row.push(0.0);
    for at in 0..name.len() {
        row.push(row[at] + lost(at));
    }
    for (i, &letter) in heard.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] += added(i);
        for (j, &meant) in name.iter().enumerate() {
            let cost = (diagonal + swapped(letter, meant)).min(row[j + 1] + added(i)).min(row[j] + lost(j));
            diagonal = std::mem::replace(&mut row[j + 1], cost);
        }
    }
    row[name.len()]
}

fn swapped(heard: u8, meant: u8) -> f32 {
    if heard == meant {
        return 0.0;
    }
    let rhyme = |set: &str| set.as_bytes().contains(&heard) && set.as_bytes().contains(&meant);
    if RHYMES.iter().any(|set| rhyme(set)) { RHYMING } else { OTHER }
}

/// A word of a text: where it stands, and whether a hyphen joins it to the one before and after.
struct Token<'a> {
    word: &'a str,
    from: usize,
    joined_before: bool,
    joined_after: bool,
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    let mut from = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (c.is_alphanumeric() || c == '\'', from) {
            (true, None) => from = Some(at),
            (false, Some(start)) => {
                let joined_before = text[..start].ends_with('-');
                out.push(Token {
                    word: &text[start..at],
                    from: start,
                    joined_before,
                    joined_after: c == '-',
                });
                from = None;
            }
            _ => {}
        }
    }
    out
}

/// The longest run of letters in a text.
fn spelling(language: Language, text: &str) -> Option<Spelling> {
    let shouted = text.chars().any(char::is_lowercase);
    let tokens = tokens(text);
    let (mut runs, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        let (start, mut letters, mut sure, mut parts) = (at, String::new(), 0, 0);
        while let Some((next, certain, used)) =
            letters_at(language, &tokens[at..], !letters.is_empty(), shouted)
        {
            letters.push_str(&next);
            sure += certain;
            parts += usize::from(certain > 0);
            at += used;
        }
        // "The IRS" spells nothing.
        let is_spelled = parts > 1 || letters.len() >= SHOUTED;
        if letters.len() >= FEWEST && sure >= FEWEST_SURE && is_spelled {
            let to = tokens[at - 1].from + tokens[at - 1].word.len();
            runs.push((sure, Spelling { letters: unlooped(&letters), from: tokens[start].from, to }));
        }
        at = at.max(start + 1);
    }
    runs.into_iter().max_by_key(|(sure, _)| *sure).map(|(_, spelling)| spelling)
}

/// Letters that a word stands for, how many of them beyond doubt, and how many words were taken.
fn letters_at(
    language: Language,
    rest: &[Token<'_>],
    within: bool,
    mixed: bool,
) -> Option<(String, usize, usize)> {
    let first = rest.first()?;
    let lower = first.word.to_lowercase();
    let single = |word: &str| word.len() == 1 && word.chars().all(|c| c.is_ascii_alphabetic());
    if single(&lower) {
        return Some((lower, 1, 1));
    }
    if matches!(lower.as_str(), "double" | "doble" | "two" | "dos") {
        let next = rest.get(1)?.word.to_lowercase();
        if matches!((lower.as_str(), next.as_str()), ("double", "u" | "you")) {
            return Some(("w".to_owned(), 1, 2));
        }
        let letter = next.strip_suffix("'s").unwrap_or(&next);
        return single(letter).then(|| (letter.repeat(2), 2, 2));
    }
    let plain = first.word.chars().all(|c| c.is_ascii_alphabetic());
    if mixed && plain && first.word.chars().all(|c| c.is_ascii_uppercase()) {
        return Some((lower.clone(), lower.len(), 1));
    }
    let beside_letter = (first.joined_after && rest.get(1).is_some_and(|t| single(&t.word.to_lowercase())))
        || (first.joined_before && within);
    if plain && beside_letter && first.word.len() <= 4 {
        return Some((lower, 1, 1));
    }
    let heard = HEARD_AS.iter().find(|(_, words)| words.split(' ').any(|w| w == lower));
    let letter = letter_named(language, &lower).map(String::from).or(heard.map(|(l, _)| (*l).to_owned()));
    letter.filter(|l| within && l.is_ascii()).map(|letter| (letter, 0, 1))
}

/// Without the second round of a recognizer that goes round in circles.
fn unlooped(letters: &str) -> String {
    let mut all = letters.to_owned();
    while let Some(length) = (FEWEST..=all.len() / 2).find(|&n| {
        let (before, last) = (&all[all.len() - 2 * n..all.len() - n], &all[all.len() - n..]);
        strsim::levenshtein(before, last) <= n / 4
    }) {
        all.truncate(all.len() - length);
    }
    all
}

/// Words said beside the letters, which are perhaps the name.
fn words_beside(hearings: &[&str], spellings: &[Option<Spelling>]) -> Vec<String> {
    let outside = hearings.iter().zip(spellings).flat_map(|(text, spelling)| {
        let (before, after) = match spelling {
            Some(s) => (&text[..s.from], &text[s.to..]),
            None => (*text, ""),
        };
        [before, after]
    });
    let words = outside.flat_map(|part| part.split(|c: char| !c.is_alphabetic()));
    words.filter(|w| w.len() >= FEWEST).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(hearings: &[&str]) -> Option<String> {
        respelled(Language::En, Kind::Person, hearings, &[], |_| false)
    }

    #[test]
    fn letters_written_together_or_alike_are_the_name_that_people_have() {
        for (hearings, name) in [
            (&["No, it's Zockins, DAWK-INF."][..], "No, it's Zockins, D A W K I N S."),
            (&["becomes S-T-U-BBS."], "becomes S T U B B S."),
            (&["Pods, S. T. U. B. B.", "becomes S-T-U-BBS."], "Pods, S T U B B S."),
            (&["K-o-w-a-l-t-l-y-k", "K-O-W-A-L-C-L-Y-K"], "K O W A L C Z Y K"),
            (&["Andersland, l-u-n-t", "Anderson Lund, L.U. and D."], "Andersland, L U N D"),
            (
                &["Papan doctors, PA, PA, GA, KIS.", "Papadakis, PA, PA, G-I-S."],
                "Papan doctors, P A P A D A K I S.",
            ),
        ] {
            assert_eq!(person(hearings).as_deref(), Some(name), "{hearings:?}");
        }
    }

    #[test]
    fn a_name_that_was_heard_well_stays_whoever_has_it() {
        for hearings in [
            &["Ray Dawkins, D A W K I N S"][..],
            &["It's Okafur, O-K-A-F-U-R"],
            &["Zygmunt, Z Y G M U N T"],
            &["Mary Smith"],
            &["a big oak fell on my car"],
            &["the FBI and the IRS called me"],
        ] {
            assert_eq!(person(hearings), None, "{hearings:?}");
        }
    }

    #[test]
    fn what_was_rejected_is_not_offered_again() {
        let again = respelled(Language::En, Kind::Person, &["L-U-N-T, Lund"], &[], |name| name == "lunt");
        assert_eq!(again.as_deref(), Some("L U N D, Lund"));
    }

    #[test]
    fn a_street_is_one_of_the_countys() {
        let streets = ["Sycamore".to_owned(), "Laurel".to_owned()];
        let place = |text: &str| respelled(Language::En, Kind::Place, &[text], &streets, |_| false);
        assert_eq!(place("52, S-Y-Z-I-M-O-R-E").as_deref(), Some("52, S Y C A M O R E"));
        assert_eq!(place("12, Q-U-I-N-T-O-N"), None);
    }

    #[test]
    fn circles_are_gone_round_once() {
        assert_eq!(unlooped("kowalteykolteykolteyk"), "kowalteyk");
        assert_eq!(unlooped("anna"), "anna");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_harm(text in "[A-Za-zñé0-9 .,'-]{0,60}", other in ".{0,40}") {
            let _ = respelled(Language::En, Kind::Person, &[&text, &other], &[], |_| false);
            let _ = respelled(Language::Es, Kind::Place, &[&other], &["Ñandú".to_owned()], |_| false);
        }
    }
}
