//! From what a model writes to what is spoken: plain words, cut into segments while they come, each checked before it
//! leaves.

use pipeline::turn::Segmenter;

use super::memory::Memory;
use super::phrases::{Phrase, that_number};
use super::plain::PlainWords;

/// Characters of one reply. A phone answer is a few sentences; beyond this the model is lost.
pub(super) const LONGEST_REPLY: usize = 1_200;

/// Cuts one answer after another.
#[derive(Clone, Default)]
pub(super) struct Speech {
    plain: PlainWords,
    segmenter: Segmenter,
}

language::shown!(Speech, "Speech": plain; );

impl Speech {
    /// Takes more of an answer; gives the segments that are certain.
    pub(super) fn push(&mut self, text: &str) -> Vec<String> {
        let words = self.plain.push(text);
        self.segmenter.push(&words)
    }

    /// The answer is complete, or nothing more comes before a tool.
    pub(super) fn finish(&mut self) -> Vec<String> {
        let words = self.plain.finish();
        let mut out = self.segmenter.push(&words);
        out.extend(self.segmenter.finish());
        out.retain(|segment| segment.chars().any(char::is_alphanumeric));
        out
    }
}

/// One segment, checked: as it is kept in the history, and as it is spoken to this caller.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Checked {
    /// With tokens.
    pub(super) kept: String,
    /// With the caller's own numbers in it.
    pub(super) spoken: String,
    /// The same words on every call.
    pub(super) fixed: bool,
}

language::shown!(Checked, "Checked": fixed; kept, spoken);

/// Checks a segment. One that names a reference nobody gave out is replaced, not read out.
pub(super) fn checked(text: &str, memory: &mut Memory) -> Checked {
    if !memory.vouches_for(text) {
        return fixed(Phrase::NoReference, memory);
    }
    let spoken = memory.redactor.spoken(text, that_number(memory.language));
    // A model may have put digits together that were said apart: they are personal data from here on.
    let kept = pipeline::ports::Screen::screen(&mut memory.redactor, text);
    Checked { kept, spoken, fixed: false }
}

pub(super) fn fixed(phrase: Phrase, memory: &Memory) -> Checked {
    let text = phrase.text(memory.language).to_owned();
    Checked { kept: text.clone(), spoken: text, fixed: true }
}

#[cfg(test)]
mod tests {
    use pipeline::ports::{Language, Screen};

    use super::*;
    use governance::pii::Redactor;

    fn memory() -> Memory {
        Memory::new(Redactor::default(), Language::En)
    }

    #[test]
    fn the_first_clause_leaves_while_the_rest_is_written() {
        let mut speech = Speech::default();
        assert!(speech.push("**Yes, I ").is_empty());
        assert!(speech.push("can help** with").is_empty());
        assert_eq!(speech.push(" that, let me "), ["Yes, I can help with that,"]);
        assert_eq!(speech.finish(), ["let me"]);
        assert!(speech.push("- ").is_empty() && speech.finish().is_empty());
    }

    #[test]
    fn the_callers_number_is_read_back_and_kept_as_a_token() {
        let mut memory = memory();
        memory.redactor.screen("202 555 0143");
        let checked = checked("I have ⟨phone:1⟩, right?", &mut memory);
        assert_eq!(checked.spoken, "I have 202-555-0143, right?");
        assert_eq!(checked.kept, "I have ⟨phone:1⟩, right?");
    }

    #[test]
    fn a_number_that_the_model_wrote_out_is_kept_as_a_token() {
        let mut memory = memory();
        assert_eq!(
            memory.redactor.screen("My number is 202-555-0143, please file it."),
            "My number is ⟨phone:1⟩, please file it."
        );
        let checked = checked("I've noted 202-555-0143.", &mut memory);
        assert_eq!(checked.kept, "I've noted ⟨phone:1⟩.");
    }

    #[test]
    fn an_invented_reference_is_not_read_out() {
        let mut memory = memory();
        let invented = checked("Done, your number is INC-4821.", &mut memory);
        assert_eq!(invented.spoken, Phrase::NoReference.text(Language::En));
        memory.note_filed("file_report", &serde_json::Value::Null, "INC-4821");
        assert_eq!(checked("It is INC-4821.", &mut memory).spoken, "It is INC-4821.");
    }
}
