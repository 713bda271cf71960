//! What the caller came with in a turn that a model answered, by the names that the built-in dialogue has for it: the ledger
//! says what was asked, whoever answered.

use pipeline::ports::{Language, TurnInput};

use super::super::call_context::Seat;
use super::run::ModelRun;
use super::think::answers_ours;
use dialogue::builtin::{MIN_RELEVANCE, intent};
use language::english::words::is_question;
use language::intents::QUESTION;
use language::language_of;

/// From so much on words are a question where nothing else is known of them.
const ASKS: f32 = 0.5;

/// What a tool was used for; of several in a turn, whatever does something counts.
pub(super) fn of_tool(name: &str) -> Option<&'static str> {
    Some(match name {
        "file_report" => "incident",
        "book_inspection" | "list_free_times" => "booking",
        "look_up_claim" => "claim",
        "take_message" => "message",
        "request_person" | "put_through" | "ask_staff" | "request_callback" => "person",
        "mark_urgent" => "emergency",
        "search_knowledge" => QUESTION,
        _ => return None,
    })
}

/// What is known of a turn that is over.
pub(super) struct Turn {
    /// What the model used its tools for.
    done: Option<&'static str>,
    /// The caller's words, where there were any.
    words: Option<String>,
    language: Language,
    /// A page was found that may answer them.
    found: bool,
}

language::shown!(Turn, "Turn": done, language, found; words);

impl Turn {
    pub(super) fn of(run: &ModelRun) -> Self {
        let words = if let TurnInput::Said { text, .. } = &run.input { Some(text.clone()) } else { None };
        let found = run.shown.iter().any(|passage| passage.relevance >= MIN_RELEVANCE);
        Self { done: run.topic, words, language: run.memory.language, found }
    }

    /// By what the model did, else by the caller's words. `None`: words that answer us, or ask nothing.
    pub(super) async fn asked(self, seat: &Seat) -> Option<String> {
        match (self.done, &self.words) {
            (Some(topic), _) => Some(topic.to_owned()),
            (None, Some(words)) => self.by_words(seat, words).await,
            (None, None) => None,
        }
    }

    async fn by_words(&self, seat: &Seat, text: &str) -> Option<String> {
        // "41 Oak Street" after "Where is it?" is no new matter.
        let answers = answers_ours(text, seat.state.last_expects);
        if answers && !is_question(text) {
            return None;
        }
        let shared = &seat.office.shared;
        let language = language_of(text).unwrap_or(self.language);
        let understood = shared.understanding.live(text, language, answers).await;
        if let Some(found) = intent::recognise(shared.dialogue.script_in(language), text, &understood) {
            return Some(found.intent.id.clone());
        }
        let asks = self.found || is_question(text) || understood.wants(QUESTION) >= ASKS;
        asks.then(|| QUESTION.to_owned())
    }
}
