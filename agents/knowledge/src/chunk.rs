//! Cutting sections into passages short enough to embed whole and to read out.

use language::sentences;

use super::ingest::{Parsed, Section};

/// Longest passage. MiniLM sees at most 256 tokens; county prose runs at about 1.4 tokens a word.
const MAX_WORDS: usize = 130;

/// A stretch of a document that is searched and cited as one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passage {
    pub heading: Option<String>,
    pub text: String,
    /// What is indexed: title and heading give a passage its subject.
    pub indexed: String,
}

/// Passages of a document, in reading order.
#[must_use]
pub fn passages(parsed: &Parsed) -> Vec<Passage> {
    let title = parsed.named.then_some(parsed.title.as_str());
    parsed.sections.iter().flat_map(|section| cut(title, section)).collect()
}

fn cut(title: Option<&str>, section: &Section) -> Vec<Passage> {
    let mut pieces: Vec<String> = Vec::new();
    let mut words = 0;
    for sentence in sentences(&section.text) {
        let length = sentence.split_whitespace().count();
        match pieces.last_mut() {
            Some(piece) if words + length <= MAX_WORDS => {
                piece.push(' ');
                piece.push_str(&sentence);
                words += length;
            }
            _ => {
                pieces.push(sentence);
                words = length;
            }
        }
    }
    pieces.into_iter().map(|text| passage(title, section.heading.as_deref(), text)).collect()
}

fn passage(title: Option<&str>, heading: Option<&str>, text: String) -> Passage {
    let indexed = [title, heading, Some(&text)].into_iter().flatten().collect::<Vec<_>>().join(". ");
    Passage { heading: heading.map(str::to_owned), text, indexed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sections_are_cut_at_sentences() {
        let text = "One two three four five six seven eight nine ten. ".repeat(30);
        let parsed = Parsed {
            front: super::super::ingest::FrontMatter::default(),
            title: "T".into(),
            named: true,
            sections: vec![Section { heading: None, text }],
        };
        let cut = passages(&parsed);
        assert!(cut.len() >= 3);
        assert!(cut.iter().all(|p| p.text.split_whitespace().count() <= MAX_WORDS && p.text.ends_with('.')));
    }
}
