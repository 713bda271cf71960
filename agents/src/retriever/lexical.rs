//! Keyword side of search: stems, BM25, and how much of a question a passage covers.

use std::collections::{HashMap, HashSet};

const K1: f32 = 1.2;
const B: f32 = 0.6;

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

/// Term counts of one passage.
#[derive(Clone, Debug, Default)]
pub struct Bag {
    counts: HashMap<String, u32>,
    length: f32,
}

impl Bag {
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut bag = Self::default();
        for term in terms(text) {
            *bag.counts.entry(term).or_default() += 1;
            bag.length += 1.0;
        }
        bag
    }

    #[must_use]
    pub fn contains(&self, term: &str) -> bool {
        self.counts.contains_key(term)
    }
}

/// What the whole collection says about its terms.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    documents: f32,
    mean_length: f32,
    frequency: HashMap<String, f32>,
}

impl Statistics {
    pub fn of<'a>(bags: impl Iterator<Item = &'a Bag>) -> Self {
        let mut stats = Self::default();
        let mut length = 0.0;
        for bag in bags {
            stats.documents += 1.0;
            length += bag.length;
            for term in bag.counts.keys() {
                *stats.frequency.entry(term.clone()).or_default() += 1.0;
            }
        }
        stats.mean_length = length / stats.documents.max(1.0);
        stats
    }

    /// Weight of a term: rare is heavy.
    #[must_use]
    pub fn weight(&self, term: &str) -> f32 {
        let n = self.frequency.get(term).copied().unwrap_or(0.0);
        (1.0 + (self.documents - n + 0.5) / (n + 0.5)).ln()
    }

    /// Whether any passage has the term.
    #[must_use]
    pub fn knows(&self, term: &str) -> bool {
        self.frequency.contains_key(term)
    }

    /// BM25 of a passage for a query.
    #[must_use]
    pub fn bm25(&self, query: &[String], bag: &Bag) -> f32 {
        let norm = K1 * (1.0 - B + B * bag.length / self.mean_length.max(1.0));
        query
            .iter()
            .filter_map(|term| bag.counts.get(term).map(|&n| (term, n as f32)))
            .map(|(term, n)| self.weight(term) * n * (K1 + 1.0) / (n + norm))
            .sum()
    }

    /// Share (0–1) of the query's weight that the passage holds. A word the collection never saw counts as
    /// rare, so a question about something foreign covers little.
    #[must_use]
    pub fn coverage(&self, query: &[String], bag: &Bag) -> f32 {
        let unique: HashSet<&String> = query.iter().collect();
        let total: f32 = unique.iter().map(|t| self.weight(t)).sum();
        let held: f32 = unique.iter().filter(|t| bag.contains(t)).map(|t| self.weight(t)).sum();
        if total > 0.0 { held / total } else { 0.0 }
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

    #[test]
    fn rare_words_decide() {
        let bags: Vec<Bag> =
            ["couch pickup", "permit office", "permit fee"].iter().map(|t| Bag::of(t)).collect();
        let stats = Statistics::of(bags.iter());
        let query = terms("permit for a couch");
        assert!(stats.bm25(&query, &bags[0]) > stats.bm25(&query, &bags[1]));
        assert!(stats.coverage(&terms("zebra"), &bags[0]) < f32::EPSILON);
    }
}
