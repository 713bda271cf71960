//! Letters said one by one: "O K A F O R", "K as in kilo", "double s", "ce, ele, eme".

use crate::Ear;
use crate::Language;
use crate::names::is_listed;

/// Names of letters that a recogniser writes as words.
const ENGLISH: &[(&str, char)] = &[
    ("ay", 'a'),
    ("bee", 'b'),
    ("cee", 'c'),
    ("dee", 'd'),
    ("ee", 'e'),
    ("eff", 'f'),
    ("gee", 'g'),
    ("aitch", 'h'),
    ("jay", 'j'),
    ("kay", 'k'),
    ("el", 'l'),
    ("ell", 'l'),
    ("em", 'm'),
    ("en", 'n'),
    ("oh", 'o'),
    ("pee", 'p'),
    ("cue", 'q'),
    ("queue", 'q'),
    ("ar", 'r'),
    ("ess", 's'),
    ("tee", 't'),
    ("vee", 'v'),
    ("ex", 'x'),
    ("why", 'y'),
    ("wye", 'y'),
    ("zee", 'z'),
    ("zed", 'z'),
];
const SPANISH: &[(&str, char)] = &[
    ("be", 'b'),
    ("ce", 'c'),
    ("de", 'd'),
    ("efe", 'f'),
    ("ge", 'g'),
    ("hache", 'h'),
    ("jota", 'j'),
    ("ka", 'k'),
    ("ele", 'l'),
    ("eme", 'm'),
    ("ene", 'n'),
    ("eñe", 'ñ'),
    ("pe", 'p'),
    ("cu", 'q'),
    ("erre", 'r'),
    ("ere", 'r'),
    ("ese", 's'),
    ("te", 't'),
    ("uve", 'v'),
    ("ve", 'v'),
    ("equis", 'x'),
    ("zeta", 'z'),
    ("ye", 'y'),
];

/// "As in", "like": the word after it stands for its first letter.
const LIKE: &[&[&str]] = &[&["as", "in"], &["like"], &["for"], &["de"], &["como", "en"], &["como"]];

/// Fewer letters than this are no spelling.
const FEWEST: usize = 3;
/// Nobody's name has the same letters so often in a row.
const LOOPS: usize = 3;

/// Names spelled in the text, each with the place of its words: from, to (exclusive).
#[must_use]
pub fn spelled(language: Language, text: &str) -> Vec<(String, (usize, usize))> {
    let lower = text.to_lowercase().replace(['-', ',', '.', ';', ':', '!', '?'], " ");
    let words: Vec<&str> = lower.split_whitespace().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while at < words.len() {
        // "With an e, H A L V …": which letter it is, and the spelling after it.
        if let Some(used) = remarked(language, &words[at..]) {
            at += used;
            continue;
        }
        let (letters, sure, end) = run(language, &words, at);
        // Letters' names are words too ("en", "de"): some of them must have been single letters.
        // "Y que sea temprano, y …" says "and".
        let several = letters.chars().any(|letter| !letters.starts_with(letter));
        if several && letters.chars().count() >= FEWEST && sure * 2 >= letters.chars().count() {
            out.push((unlooped(letters), (at, end)));
            at = end;
        } else {
            at += 1;
        }
    }
    out
}

/// "With an e": how many words remark on one letter, where a spelling may follow.
fn remarked(language: Language, words: &[&str]) -> Option<usize> {
    // "No second G, G A L L A H E R" speaks of one, too.
    if let ["second" | "extra" | "another" | "segunda" | "otra", one, _, ..] = words
        && letter(language, one).is_some()
    {
        return Some(2);
    }
    // "Whitcom with no B, W H I T C O M", "sin hache".
    if let ["no" | "without" | "sin", one, _, ..] = words
        && letter(language, one).is_some()
    {
        return Some(2);
    }
    let with = matches!(*words.first()?, "with" | "con");
    let article = matches!(*words.get(1)?, "a" | "an" | "una");
    let used = 2 + usize::from(article);
    (with && (article || language == Language::Es) && letter(language, words.get(used - 1)?).is_some())
        .then_some(used)
}

/// Letters whose names sound alike on a telephone.
const RHYMES: [&str; 4] = ["bcdegptvz", "fsx", "mn", "ajk"];

/// The letters as the text's own word for them has it, where the two differ only in letters that sound alike: "linddn" of
/// "Linden, L I N D D N". A word is heard by more than one sound, a letter is not. Letters that are a name people have, where
/// the word is none, stay: "ortega" of "Ordega, O R T E G A".
#[must_use]
pub fn settled(letters: &str, text: &str) -> String {
    let rhyme = |(one, other): (char, char)| {
        one == other || RHYMES.iter().any(|set| set.contains(one) && set.contains(other))
    };
    let fits = |word: &str| {
        word.chars().count() == letters.chars().count() && word.chars().zip(letters.chars()).all(rhyme)
    };
    let words = text.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase).collect::<Vec<_>>();
    let bare = |word: &String| word.strip_suffix('s').map(str::to_owned);
    words
        .iter()
        .find(|word| fits(word))
        .cloned()
        .or_else(|| words.iter().filter_map(bare).find(|word| fits(word)))
        .filter(|word| is_listed(word) || !is_listed(letters))
        .unwrap_or_else(|| letters.to_owned())
}

/// The text with every spelled name as single letters, and without punctuation: "K as in kilo, O" is "k o".
#[must_use]
pub fn as_letters(language: Language, text: &str) -> String {
    let parted = text.replace(['-', ',', '.', ';', ':', '!', '?'], " ");
    let words: Vec<&str> = parted.split_whitespace().collect();
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    for (name, (from, to)) in spelled(language, text) {
        let lower: Vec<String> = words[at..from].iter().map(|w| w.to_lowercase()).collect();
        let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
        let mut next = 0;
        while next < lower.len() {
            match remarked(language, &lower[next..]) {
                Some(used) => next += used,
                None => {
                    out.push(words[at + next].to_owned());
                    next += 1;
                }
            }
        }
        out.extend(name.chars().map(String::from));
        at = to;
    }
    out.extend(words[at..].iter().map(|w| (*w).to_owned()));
    out.join(" ")
}

/// The letters from a word on, how many of them are letters beyond doubt, and where they end.
fn run(language: Language, words: &[&str], start: usize) -> (String, usize, usize) {
    let (mut letters, mut sure, mut at) = (String::new(), 0, start);
    while at < words.len() {
        if let Some((letter, used)) = doubled(language, &words[at..]) {
            letters.extend([letter, letter]);
            sure += 2;
            at += used;
        } else if let Some((letter, used)) = likened(language, &words[at..]) {
            letters.push(letter);
            sure += 1;
            at += used;
        } else if let Some(letter) = single(words[at]) {
            letters.push(letter);
            sure += 1;
            at += 1;
        } else if let Some(letter) = named(language, words[at]) {
            letters.push(letter);
            at += 1;
        } else {
            break;
        }
    }
    if let Some((last, used)) = ending(language, &words[at..]).filter(|_| !letters.is_empty()) {
        // "B A P T I S T E, with an E at the end" says it twice.
        if !letters.ends_with(last) {
            letters.push(last);
            sure += 1;
        }
        at += used;
    }
    (letters, sure, at)
}

/// A recogniser that loops writes the same letters again and again: what came before the second time is kept.
fn unlooped(letters: String) -> String {
    let all: Vec<char> = letters.chars().collect();
    for length in FEWEST..=all.len() / LOOPS {
        for start in 0..=all.len() - length * LOOPS {
            let unit = &all[start..start + length];
            if (1..LOOPS).all(|n| all[start + n * length..start + (n + 1) * length] == *unit) {
                return all[..start + length].iter().collect();
            }
        }
    }
    letters
}

/// "Ford with an E at the end": the word, and the letter that it ends with.
#[must_use]
pub fn ended(language: Language, text: &str) -> Option<(String, char)> {
    let plain = Ear(language).plain(text);
    let words: Vec<&str> = plain.split(' ').collect();
    let at = (1..words.len()).find_map(|at| Some((at, ending(language, &words[at..])?.0)));
    at.map(|(at, last)| (words[at - 1].to_owned(), last))
}

/// "With an E at the end", "con e al final": the last letter, and the words that say so.
fn ending(language: Language, words: &[&str]) -> Option<(char, usize)> {
    // "With an E" is heard as "with a knee", and "an L" as "a Nell".
    const JOINED: [(&str, char); 4] = [("knee", 'e'), ("nell", 'l'), ("nest", 's'), ("nex", 'x')];
    let lead = words.iter().take_while(|w| ["and", "with", "that's", "y", "con"].contains(w)).count();
    let article = words.get(lead).filter(|w| ["a", "an", "the", "una", "la"].contains(w)).is_some();
    let at = lead + usize::from(article);
    let close: &[&str] = match language {
        Language::En => &["at", "the", "end"],
        Language::Es => &["al", "final"],
    };
    let closed = words.get(at + 1..).is_some_and(|rest| rest.starts_with(close));
    let word = words.get(at).filter(|_| lead > 0 && closed)?;
    let joined = JOINED.iter().find(|(heard, _)| article && heard == word).map(|(_, letter)| *letter);
    let last = letter(language, word).or(joined)?;
    Some((last, at + 1 + close.len()))
}

fn single(word: &str) -> Option<char> {
    let mut chars = word.chars();
    chars.next().filter(|c| c.is_alphabetic() && chars.next().is_none())
}

fn named(language: Language, word: &str) -> Option<char> {
    let names = match language {
        Language::En => ENGLISH,
        Language::Es => SPANISH,
    };
    names.iter().find(|(name, _)| *name == word).map(|(_, letter)| *letter)
}

/// The letter whose name a word is: "bee", "zed", "eñe".
pub(crate) fn letter_named(language: Language, word: &str) -> Option<char> {
    named(language, word)
}

fn letter(language: Language, word: &str) -> Option<char> {
    single(word).or_else(|| named(language, word))
}

/// "Double s", "doble ese", "two l's".
fn doubled(language: Language, words: &[&str]) -> Option<(char, usize)> {
    let twice = matches!(*words.first()?, "double" | "doble" | "two" | "dos");
    let next = words.get(1)?.trim_end_matches("'s");
    twice.then(|| letter(language, next)).flatten().map(|letter| (letter, 2))
}

/// "K as in kilo": the letter said and the letter of the word must agree, unless the recogniser lost the first.
fn likened(language: Language, words: &[&str]) -> Option<(char, usize)> {
    let said = letter(language, words.first()?)?;
    let like = LIKE.iter().find(|like| words[1..].starts_with(like))?;
    let word = words.get(1 + like.len()).filter(|w| w.chars().count() > 2)?;
    let first = word.chars().next()?;
    // "B as in dog" was a D: the word is heard better than the letter.
    let letter = if single(word).is_none() && first != said { first } else { said };
    Some((letter, 2 + like.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(language: Language, text: &str) -> Vec<String> {
        spelled(language, text).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn a_word_settles_letters_that_sound_alike() {
        assert_eq!(settled("linddn", "It's 38 lindens like the three, L-I-N-D-D-N"), "linden");
        assert_eq!(settled("ortega", "Daniel ordega, o-r-t-e-g-a"), "ortega");
        assert_eq!(settled("okafor", "Okafur, O K A F O R"), "okafor");
        assert_eq!(settled("baptiste", "Baptist, B A P T I S T E"), "baptiste");
    }

    #[test]
    fn the_same_letter_again_and_again_spells_nothing() {
        assert!(names(Language::Es, "cero uno, cuarenta y dos, y y y que sea por la mañanita").is_empty());
    }

    #[test]
    fn letters_are_joined() {
        for (text, name) in [
            ("O K A F O R", "okafor"),
            ("Okafor, O-K-A-F-O-R", "okafor"),
            ("K as in kilo, O, P as in papa", "kop"),
            ("r u double s o", "russo"),
            ("b as in dog, o, e", "doe"),
            ("g r e e n e", "greene"),
            ("my last name's with an e, H A L V O R S E N", "halvorsen"),
            ("with a k, k a r l", "karl"),
            ("B-A-P-T-I-S-T with an E at the end", "baptiste"),
            ("B A P T I S T E, with an E at the end", "baptiste"),
            ("b a p t i s t with a knee at the end", "baptiste"),
            ("k-o-w-a-l-c-y k-o-l-c-y k-o-l-c-y k-o-l-c-y k-o", "kowalcyko"),
        ] {
            assert_eq!(names(Language::En, text), [name], "{text}");
        }
        assert_eq!(names(Language::Es, "l o p e zeta"), ["lopez"]);
        assert_eq!(names(Language::Es, "v a l d e con una s al final"), ["valdes"]);
        assert_eq!(names(Language::En, "it's not s h a w n it's s e a n"), ["shawn", "sean"]);
        assert!(names(Language::En, "a big oak fell on my car").is_empty());
        assert!(names(Language::Es, "en la calle de la escuela").is_empty());
    }
}
