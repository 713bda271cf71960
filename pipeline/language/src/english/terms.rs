//! Content words of what a caller said, for the dialogue. Search has its own (`analysis`).

const STOP_WORDS: &[&str] = &[
    "a",
    "about",
    "all",
    "am",
    "an",
    "and",
    "any",
    "anyone",
    "are",
    "as",
    "at",
    "be",
    "been",
    "but",
    "by",
    "can",
    "could",
    "county",
    "did",
    "do",
    "does",
    "don't",
    "find",
    "for",
    "from",
    "get",
    "give",
    "go",
    "going",
    "got",
    "had",
    "has",
    "have",
    "hello",
    "help",
    "hey",
    "hi",
    "how",
    "i",
    "i'd",
    "i'll",
    "i'm",
    "i've",
    "if",
    "in",
    "info",
    "information",
    "into",
    "is",
    "it",
    "it's",
    "just",
    "know",
    "let",
    "like",
    "looking",
    "make",
    "may",
    "me",
    "my",
    "need",
    "not",
    "of",
    "on",
    "one",
    "or",
    "our",
    "out",
    "please",
    "really",
    "riverbend",
    "should",
    "so",
    "some",
    "somebody",
    "someone",
    "tell",
    "thank",
    "thanks",
    "that",
    "that's",
    "the",
    "their",
    "them",
    "then",
    "there",
    "there's",
    "they",
    "thing",
    "this",
    "to",
    "uh",
    "um",
    "up",
    "us",
    "want",
    "was",
    "we",
    "well",
    "were",
    "what",
    "what's",
    "when",
    "where",
    "which",
    "who",
    "who's",
    "why",
    "will",
    "with",
    "would",
    "yeah",
    "yes",
    "you",
    "your",
    "guy",
    "guys",
    "ok",
    "okay",
    "wondering",
    "question",
    "hasn't",
    "haven't",
    "isn't",
    "didn't",
    "won't",
    "can't",
    "got",
    "gotten",
    "yet",
    "damn",
    "much",
    "i've",
    "my",
    "gonna",
    "gotta",
    "also",
    "too",
    "because",
    "since",
    "right",
    "still",
    "while",
    "way",
];

/// Stems of the content words of a text, in order, stop words left out.
#[must_use]
pub fn terms(text: &str) -> Vec<String> {
    words(text).into_iter().filter(|w| !STOP_WORDS.contains(&w.as_str())).map(|w| stem(&w)).collect()
}

/// Whether a word carries no subject.
#[must_use]
pub fn is_light(word: &str) -> bool {
    STOP_WORDS.contains(&word)
}

fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace('’', "'");
    lower
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .map(|w| w.trim_matches('\'').trim_end_matches("'s").to_owned())
        .filter(|w| !w.is_empty())
        .collect()
}

/// A light stemmer: endings that change no meaning go. Wrong stems do no harm as long as both sides get them.
fn stem(word: &str) -> String {
    let word = word.strip_suffix("ies").filter(|s| s.len() > 2).map_or(word.to_owned(), |s| format!("{s}y"));
    if word.len() > 4 {
        for ending in ["ings", "ing", "ed", "es"] {
            if let Some(root) = word.strip_suffix(ending).filter(|r| r.len() > 2) {
                return undouble(root).trim_end_matches('e').to_owned();
            }
        }
    }
    let plain = if word.ends_with("ss") || word.len() < 4 { &word } else { word.trim_end_matches('s') };
    if plain.len() > 3 { plain.trim_end_matches('e').to_owned() } else { plain.to_owned() }
}

fn undouble(root: &str) -> &str {
    let mut tail = root.chars().rev();
    match (tail.next(), tail.next()) {
        (Some(a), Some(b)) if a == b && a.is_ascii() && !"lsz".contains(a) => &root[..root.len() - 1],
        _ => root,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflections_share_a_stem() {
        for (a, b) in [
            ("permits", "permit"),
            ("burning", "burn"),
            ("plowed", "plow"),
            ("libraries", "library"),
            ("licenses", "license"),
            ("mowing", "mow"),
            ("planning", "plan"),
            ("taxes", "tax"),
            ("couches", "couch"),
            ("closures", "closure"),
            ("voting", "vote"),
            ("filed", "file"),
        ] {
            assert_eq!(terms(a), terms(b), "{a} {b}");
        }
        assert_ne!(terms("bus"), terms("business"));
    }
}
