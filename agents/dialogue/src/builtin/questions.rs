//! Questions: what to search for, and whether they name what they ask about.

use pipeline::ports::TurnInput;

use super::engine::Dialogue;
use super::state::State;
use super::step::Search;
use language::Ear;

/// Below this a passage is not shown to a model.
pub const MIN_RELEVANCE: f32 = 0.45;

impl Dialogue {
    /// What to search the county's documents for, given what was said. It is asked of the last answer's document too, which it may
    /// lean on ("and on Saturday?").
    #[must_use]
    pub fn query(&self, state: &State, input: &TurnInput) -> Option<Search> {
        let TurnInput::Said { text, .. } = input else { return None };
        Some(self.search(state, text))
    }

    /// The same for any words, such as the second of two wishes.
    pub(super) fn search(&self, state: &State, text: &str) -> Search {
        Search { text: text.to_owned(), within: state.topic.as_ref().map(|topic| topic.source.clone()) }
    }
}

/// "Can I report …", "could you book …": a request in the form of a question.
pub(super) fn requests(ear: Ear, text: &str) -> bool {
    let (plain, cues) = (ear.plain(text), ear.cues());
    cues.requests.iter().any(|o| plain.contains(o)) && cues.request_verbs.iter().any(|v| plain.contains(v))
}

/// Words of a question that a caller only echoes, at most.
const ECHO: usize = 2;

/// "What? Hurt? No, no." answers: a word or two of ours, asked back before the answer, are no question of the caller's.
pub(super) fn without_echo(text: &str) -> &str {
    let mut rest = text;
    while let Some((first, after)) = rest.split_once('?') {
        let after = after.trim_start();
        if after.is_empty() || first.split_whitespace().count() > ECHO {
            break;
        }
        rest = after;
    }
    rest
}

/// "The the light at at Main": a repeated small word is said once. Digits and names stay as they are.
pub(super) fn unstutter(ear: Ear, text: &str) -> String {
    let small = ear.cues().small;
    let mut out: Vec<&str> = Vec::new();
    for word in text.split_whitespace() {
        let again = out.last().is_some_and(|last| last.eq_ignore_ascii_case(word));
        if !(again && small.contains(&word.to_lowercase().as_str())) {
            out.push(word);
        }
    }
    out.join(" ")
}

/// The words without sounds that mean nothing ("at uh River Road"), which would be read back and filed. As they were where there
/// is nothing else.
pub(super) fn unhesitant(ear: Ear, text: &str) -> String {
    let sounds = ear.cues().hesitations;
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    // "Uh-huh" and "uh uh" are answers.
    let answers = |word: Option<&&str>| word.is_some_and(|word| matches!(&*bare(word), "huh" | "hum" | "uh"));
    let kept = |n: usize| {
        let before = n.checked_sub(1).and_then(|n| words.get(n));
        !sounds.contains(&&*bare(words[n])) || answers(words.get(n + 1)) || answers(before)
    };
    let left: Vec<&str> = (0..words.len()).filter(|n| kept(*n)).map(|n| words[n]).collect();
    if left.is_empty() { text.to_owned() } else { left.join(" ") }
}

#[cfg(test)]
mod tests {
    use pipeline::ports::Language;

    use super::*;

    #[test]
    fn sounds_that_mean_nothing_are_left_out() {
        for (text, left) in [
            ("the sign at uh River Road and, um, Elm", "the sign at River Road and, Elm"),
            ("uh huh", "uh huh"),
            ("Uh-huh, yes", "Uh-huh, yes"),
            ("uh uh", "uh uh"),
            ("Um.", "Um."),
        ] {
            assert_eq!(unhesitant(Ear(Language::En), text), left);
        }
        assert_eq!(unhesitant(Ear(Language::Es), "en la eh calle Birch"), "en la calle Birch");
    }

    #[test]
    fn an_echo_of_our_question_is_none() {
        for (text, left) in [
            ("What? Hurt? No, no.", "No, no."),
            ("Miller?", "Miller?"),
            ("What time do you open? Yes.", "What time do you open? Yes."),
            ("Yes.", "Yes."),
        ] {
            assert_eq!(without_echo(text), left);
        }
    }
}
