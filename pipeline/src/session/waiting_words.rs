//! Words of the caller's that wait for an answer, and how well they were understood.

use crate::ports::TurnInput;

#[derive(Clone, PartialEq, Debug)]
pub(super) struct WaitingWords {
    pub text: String,
    /// Of the worst part, 0–1; 1 where there is none.
    pub confidence: f32,
}

impl Default for WaitingWords {
    fn default() -> Self {
        Self { text: String::new(), confidence: 1.0 }
    }
}

impl WaitingWords {
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// These, and then those.
    pub fn followed_by(&self, text: &str, confidence: f32) -> Self {
        let text = if self.is_empty() { text.to_owned() } else { format!("{} {text}", self.text) };
        Self { text, confidence: self.confidence.min(confidence) }
    }

    /// As the responder is given them. Below `unsure_below` they are marked as unsure.
    pub fn into_input(self, unsure_below: f32) -> TurnInput {
        TurnInput::Said { text: self.text, unsure: self.confidence < unsure_below }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_sure_as_the_worst_part_of_them() {
        let mut words = WaitingWords::default().followed_by("there is a", 0.9).followed_by("hole", 0.4);
        let input = words.clone().into_input(0.5);
        assert_eq!(input, TurnInput::Said { text: "there is a hole".into(), unsure: true });
        words.clear();
        assert!(words.is_empty());
        assert_eq!(
            words.followed_by("no", 0.9).into_input(0.5),
            TurnInput::Said { text: "no".into(), unsure: false }
        );
    }
}
