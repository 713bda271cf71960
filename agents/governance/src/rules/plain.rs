//! Words as rules look at them: lower case, without accents and marks, contractions written out, one space between two.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// The plain words of a text: `Don’t you worry, it's $7!` gives `do not you worry it is $7`.
pub(super) fn words(text: &str) -> String {
    let folded = folded(text);
    let mut out = String::with_capacity(folded.len() + 8);
    let mut word = String::new();
    let chars: Vec<char> = folded.chars().collect();
    for (at, c) in chars.iter().copied().enumerate() {
        let digit = |n: Option<usize>| n.and_then(|n| chars.get(n)).is_some_and(char::is_ascii_digit);
        let inside = matches!(c, '.' | ',') && digit(at.checked_sub(1)) && digit(Some(at + 1));
        if c.is_alphanumeric() || matches!(c, '\'' | '$' | '%') || inside {
            let twice = c == '\'' && word.ends_with('\'');
            if c != ',' && !twice {
                word.push(c);
            }
        } else {
            end(&mut word, &mut out);
        }
    }
    end(&mut word, &mut out);
    nine_one_one(out)
}

/// Lower case, accents off, one kind of apostrophe, nothing invisible.
pub(super) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfkd()
        .filter(|c| !is_combining_mark(*c) && !is_invisible(*c))
        .map(|c| if matches!(c, '\u{2018}' | '\u{2019}' | '\u{02bc}' | '\u{b4}' | '`') { '\'' } else { c })
        .flat_map(char::to_lowercase)
        .collect()
}

const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

fn end(word: &mut String, out: &mut String) {
    let mut rest = word.trim_matches('\'');
    // "I'd've" has two of them; the last is found first.
    let mut parts = Vec::with_capacity(2);
    while !rest.is_empty() {
        let (first, second) = written_out(rest);
        parts.push(second);
        if first == rest {
            parts.push(rest);
            break;
        }
        rest = first;
    }
    for part in parts.into_iter().rev().filter(|part| !part.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(part);
    }
    word.clear();
}

/// A contraction as two words.
fn written_out(word: &str) -> (&str, &str) {
    match word {
        "can't" | "cannot" | "cant" => return ("can", "not"),
        "won't" | "wont" => return ("will", "not"),
        "shan't" => return ("shall", "not"),
        "ain't" => return ("is", "not"),
        "dont" => return ("do", "not"),
        "im" => return ("i", "am"),
        "gonna" => return ("going", "to"),
        "wanna" => return ("want", "to"),
        "gotta" => return ("got", "to"),
        "let's" => return ("let", "us"),
        _ => {}
    }
    let Some(at) = word.rfind('\'') else { return (word, "") };
    let (front, back) = (&word[..at], &word[at + 1..]);
    match back {
        "t" if front.ends_with('n') => (&front[..front.len() - 1], "not"),
        "m" => (front, "am"),
        "re" => (front, "are"),
        "ll" => (front, "will"),
        "ve" => (front, "have"),
        "d" => (front, "would"),
        "s" if is_pronoun(front) => (front, "is"),
        // "The county's" is about the county.
        "s" => (front, ""),
        _ => (word, ""),
    }
}

fn is_pronoun(word: &str) -> bool {
    matches!(
        word,
        "it" | "that"
            | "this"
            | "he"
            | "she"
            | "there"
            | "here"
            | "what"
            | "who"
            | "how"
            | "where"
            | "help"
            | "everyone"
            | "everything"
    )
}

/// The emergency number in one piece, however it is said.
fn nine_one_one(words: String) -> String {
    const SAID: [&str; 5] = ["9 1 1", "nine one one", "nueve uno uno", "nueve once", "9 11"];
    if !words.contains('9') && !words.contains("nine") && !words.contains("nueve") {
        return words;
    }
    let mut padded = format!(" {words} ");
    for said in SAID {
        padded = padded.replace(&format!(" {said} "), " 911 ");
    }
    padded.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_plain_however_they_are_written() {
        for (text, plain) in [
            ("Don’t you worry, it's $7!", "do not you worry it is $7"),
            ("I CAN'T; you'll sue.", "i can not you will sue"),
            ("Usted DEBERÍA demandar, señor.", "usted deberia demandar senor"),
            ("dial 9-1-1 or nine, one, one", "dial 911 or 911"),
            ("the county's fee is 1,240.50", "the county fee is 1240.50"),
            ("su\u{200b}e them", "sue them"),
            ("marque nueve uno uno", "marque 911"),
            ("I'd've sued, rock''n''roll's way", "i would have sued rock'n'roll way"),
            ("", ""),
        ] {
            assert_eq!(words(text), plain, "{text}");
        }
    }

    proptest! {
        #[test]
        fn plain_words_stay_as_they_are(text in "\\PC{0,60}") {
            let once = words(&text);
            prop_assert!(!once.contains("  ") && once.trim() == once);
            prop_assert_eq!(words(&once), once);
        }
    }
}
