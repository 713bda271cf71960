//! An utterance that answers nothing of ours, by its parts: what it tells, asks and wants, and what stands behind that. Talk is left out.

use language::opening::{Kind, parts};
use pipeline::ports::Language;

/// From here on a part counts.
const SURE: f32 = 0.6;
/// Fewer words wish for nothing by themselves.
const WISHING: usize = 3;
/// From here on it counts against what patterns make of the words.
const CERTAIN: f32 = 0.8;

/// The parts of an utterance, in order.
#[derive(Default)]
pub(in super::super) struct Said {
    parts: Vec<(Kind, String, f32)>,
}

/// One thing that is told, asked or wanted.
pub(in super::super) struct Wished {
    pub kind: Kind,
    /// Its own words.
    pub words: String,
    /// The same, with what was said of why before them.
    pub with_why: String,
}

impl Said {
    pub(in super::super) fn of(text: &str, language: Language) -> Self {
        let found = parts(text, language).into_iter().filter(|part| part.sure >= SURE);
        Self { parts: found.map(|part| (part.kind, part.of(text).to_owned(), part.sure)).collect() }
    }

    fn has(&self, kind: Kind) -> bool {
        self.parts.iter().any(|(own, ..)| *own == kind)
    }

    /// Something is told, and nothing else is in the words: "you skipped my trash again, what am I paying for".
    pub(in super::super) fn only_tells(&self) -> bool {
        let other = |(kind, ..): &(Kind, String, f32)| matches!(kind, Kind::Ask | Kind::Want);
        !self.parts.iter().any(other)
            && self.parts.iter().any(|(kind, _, sure)| *kind == Kind::Tell && *sure >= CERTAIN)
    }

    /// Something is asked, whatever form it has: "the property tax, when's that due".
    pub(in super::super) fn asks(&self) -> bool {
        self.parts.iter().any(|(kind, _, sure)| *kind == Kind::Ask && *sure >= CERTAIN)
    }

    /// Something is to be done for the caller.
    pub(in super::super) fn wants(&self) -> bool {
        self.parts.iter().any(|(kind, _, sure)| *kind == Kind::Want && *sure >= CERTAIN)
    }

    /// What a colleague has to know: what is told, and what stands behind it. Empty where nothing is told.
    pub(in super::super) fn matter(&self) -> String {
        if !self.has(Kind::Tell) {
            return String::new();
        }
        let told = self.parts.iter().filter(|(kind, ..)| matches!(kind, Kind::Tell | Kind::Back));
        told.map(|(_, words, _)| words.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// The text from what is told, asked or wanted first: without the talk that leads to it. Empty where nothing is.
    pub(in super::super) fn since_first<'t>(&self, text: &'t str) -> &'t str {
        let first = self.parts.first().and_then(|(_, words, _)| text.find(words.as_str()));
        first.map_or("", |at| &text[at..])
    }

    /// The text without what is wanted, where that tells nothing, and without the `and` before it.
    pub(in super::super) fn without_wants(
        &self,
        text: &str,
        and: &str,
        tells: impl Fn(&str) -> bool,
    ) -> String {
        let bare = self.parts.iter().filter(|(kind, words, _)| *kind == Kind::Want && !tells(words));
        bare.fold(text.to_owned(), |text, (_, words, _)| {
            let Some((before, after)) = text.split_once(words.as_str()) else { return text };
            let before = before.trim_end_matches([' ', ',', '.']);
            let before = before.strip_suffix(and).filter(|rest| rest.ends_with(' ')).unwrap_or(before);
            format!("{} {}", before.trim_end_matches([' ', ',']), after.trim()).trim().to_owned()
        })
    }

    /// What is asked or wanted, each by itself, where it has words enough.
    pub(in super::super) fn wished(&self) -> impl Iterator<Item = &str> {
        let wished = self.parts.iter().filter(|(kind, ..)| matches!(kind, Kind::Ask | Kind::Want));
        wished.map(|(_, words, _)| words.as_str()).filter(|words| words.split(' ').count() >= WISHING)
    }

    /// What is asked, without what is told and without talk. Empty where nothing is.
    pub(in super::super) fn asked(&self) -> String {
        let asked = self.parts.iter().filter(|(kind, ..)| *kind == Kind::Ask);
        asked.map(|(_, words, _)| words.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// The text without what is asked.
    pub(in super::super) fn without_asks(&self, text: &str) -> String {
        let asked = self.parts.iter().filter(|(kind, ..)| *kind == Kind::Ask);
        let left = asked.fold(text.to_owned(), |text, (_, words, _)| text.replacen(words.as_str(), "", 1));
        left.trim().trim_end_matches([',', ' ']).to_owned()
    }

    /// What is told, asked and wanted, each with what was said of why before it; what follows the last goes with it.
    pub(in super::super) fn wishes(&self) -> Vec<Wished> {
        let mut out: Vec<Wished> = Vec::new();
        let mut why: Vec<&str> = Vec::new();
        for (kind, words, _) in &self.parts {
            if *kind == Kind::Back {
                why.push(words);
                continue;
            }
            why.push(words);
            out.push(Wished { kind: *kind, words: words.clone(), with_why: why.join(", ") });
            why.clear();
        }
        if let Some(last) = out.last_mut().filter(|_| !why.is_empty()) {
            last.with_why = format!("{}, {}", last.with_why, why.join(", "));
        }
        out
    }
}
