//! Each sentence of a reply against the pages that the model was shown, before it is said: the judge's facts alone, which
//! takes microseconds. A sentence that the pages contradict is not said; the page's own words are.

use pipeline::ports::Language;

use dialogue::builtin::Passage;
use governance::judge::{Evidence, facts_of, says_in_spanish, terms_of};

/// Words of a page's sentence that is said in place of another.
const LONGEST: usize = 40;

/// The pages of one run.
#[derive(Default)]
pub(super) struct Pages {
    evidence: Option<Evidence>,
    question: Vec<String>,
    mended: u32,
}

language::shown!(Pages, "Pages": mended; question);

impl Pages {
    /// These pages were shown, for this question.
    pub(super) fn put(&mut self, passages: &[Passage], question: &str) {
        if !passages.is_empty() {
            self.question = terms_of(question);
            self.evidence = Some(Evidence::of(passages.iter().map(|p| p.text.as_str()), [question]));
        }
    }

    /// Sentences that were replaced.
    pub(super) const fn mended(&self) -> u32 {
        self.mended
    }

    /// The page's words, where it contradicts a whole sentence in the language of the call. Once a run: who contradicts
    /// the pages twice is left to the second look.
    pub(super) fn mend(&mut self, sentence: &str, language: Language) -> Option<String> {
        let evidence = self.evidence.as_ref().filter(|_| self.mended == 0)?;
        if !sentence.ends_with(['.', '!']) {
            return None;
        }
        let found = facts_of(sentence, evidence, &self.question);
        let says = found.into_iter().find(|i| i.kind.starts_with("contradicted"))?.source?;
        let fits = says.split_whitespace().count() <= LONGEST
            && says_in_spanish(&says) == (language == Language::Es)
            && says.ends_with(['.', '!']);
        if !fits {
            return None;
        }
        self.mended += 1;
        Some(says)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages() -> Pages {
        let page = |text: &str| Passage {
            source: "dogs".into(),
            title: "Dogs".into(),
            text: text.into(),
            relevance: 0.9,
            paraphrase: None,
            centre: None,
            sentences: Vec::new(),
            shared: 0.0,
            front: Default::default(),
        };
        let mut pages = Pages::default();
        pages.put(&[page("A dog license costs $10. Licenses are sold at the shelter.")], "what does it cost");
        pages
    }

    #[test]
    fn a_sentence_that_a_page_contradicts_becomes_the_pages_own_once() {
        let mut pages = pages();
        assert_eq!(pages.mend("A dog license costs $10.", Language::En), None);
        assert_eq!(pages.mend("A dog license costs $15,", Language::En), None, "no whole sentence");
        assert_eq!(pages.mend("A dog license costs $15.", Language::Es), None, "a page in another language");
        assert_eq!(
            pages.mend("A dog license costs $15.", Language::En).as_deref(),
            Some("A dog license costs $10.")
        );
        assert_eq!((pages.mend("A dog license costs $16.", Language::En), pages.mended()), (None, 1));
    }

    #[test]
    fn without_pages_everything_is_said_as_it_is() {
        let mut pages = Pages::default();
        pages.put(&[], "what does it cost");
        assert_eq!(pages.mend("A dog license costs $15.", Language::En), None);
    }
}
