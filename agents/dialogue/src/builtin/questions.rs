//! Questions: what to search for, and whether they name what they ask about.

use std::collections::HashSet;
use std::sync::LazyLock;

use pipeline::ports::{Language, TurnInput};

use super::engine::Dialogue;
use super::state::State;
use super::step::Search;
use language::Ear;

/// Below this a passage is not shown to a model.
pub const MIN_RELEVANCE: f32 = 0.45;

impl Dialogue {
    /// What to search the county's documents for, given what was said: a question that leaves its subject
    /// out ("and on Saturday?") is asked of the last answer's document too.
    #[must_use]
    pub fn query(&self, state: &State, input: &TurnInput) -> Option<Search> {
        let TurnInput::Said { text, .. } = input else { return None };
        Some(self.search(state, text))
    }

    /// The same for any words, such as the second of two wishes.
    pub(super) fn search(&self, state: &State, text: &str) -> Search {
        let ear = Ear(state.language);
        let topic = state.topic.as_ref().filter(|_| leaves_subject_out(ear, text));
        Search { text: text.to_owned(), within: topic.map(|t| t.source.clone()) }
    }
}

/// Whether a question says what about, but not about what.
pub(super) fn leaves_subject_out(ear: Ear, text: &str) -> bool {
    let plain = ear
        .plain(text)
        .replace("hi there", "")
        .replace("hello there", "")
        .replace("is there", "")
        .replace("are there", "");
    let plain = ear.without_fillers(&plain);
    let content = subjects(ear, plain).len();
    let points = points(ear, plain);
    let opens = ear.cues().leans.iter().any(|o| plain.starts_with(o));
    let asks = ear.is_question(text) || ear.asks(text);
    (content == 0 && (asks || opens || points)) || (points && asks && content <= 1) || (opens && content <= 1)
}

/// Words that say what is asked about a thing, but name none.
fn generic(ear: Ear) -> &'static HashSet<String> {
    static ENGLISH: LazyLock<HashSet<String>> = LazyLock::new(|| stems(Language::En));
    static SPANISH: LazyLock<HashSet<String>> = LazyLock::new(|| stems(Language::Es));
    match ear.0 {
        Language::En => &ENGLISH,
        Language::Es => &SPANISH,
    }
}

fn stems(language: Language) -> HashSet<String> {
    let ear = Ear(language);
    ear.terms(ear.cues().generic).into_iter().collect()
}

/// Stems of the words that name a subject; words like "cost" or "office" name none.
pub(super) fn subjects(ear: Ear, text: &str) -> Vec<String> {
    let generic = generic(ear);
    ear.terms(&ear.plain(text)).into_iter().filter(|term| !generic.contains(term)).collect()
}

/// Whether a question points back at something: "it", "that".
pub(super) fn points(ear: Ear, text: &str) -> bool {
    let pointers = ear.cues().pointers;
    ear.plain(text).split(' ').any(|w| pointers.contains(&w))
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

#[cfg(test)]
mod tests {
    use super::*;

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
