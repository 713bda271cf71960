//! What a call has in hand, whoever answers it: look-ups, books, the dialogue's memory, the way out.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::discarded_replies::Unheard;
use super::event_sender::Outbox;
use super::office::Office;
use super::turn_writer::Books;
use dialogue::builtin::State;
use pipeline::turn::{Speaker, TurnId};

#[derive(Debug)]
pub(super) struct Seat {
    pub(super) office: Arc<Office>,
    pub(super) out: Outbox,
    pub(super) books: Books,
    /// The built-in dialogue's memory. Kept beside a model too, so that it can take over at any turn.
    pub(super) state: State,
    /// A reply of the dialogue's that nobody heard.
    pub(super) unheard: Option<Unheard>,
    /// The turn in which the office is asked, until its words were cut.
    pub(super) asked_in: Option<TurnId>,
    pub(super) lines: Lines,
    pub(super) people: People,
}

/// Who of the office spoke with the caller on this call.
#[derive(Debug, Default)]
pub(super) struct People {
    pub(super) spoke: BTreeSet<String>,
    pub(super) sentences: u32,
}

impl People {
    /// For the ledger; `None` where nobody did. None of their words.
    pub(super) fn beside(&self, did: &str) -> Option<String> {
        let names = self.spoke.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        (self.sentences > 0).then(|| format!("{did}; {names} of the office spoke with the caller"))
    }
}

/// What was said on the call, raw.
#[derive(Default)]
pub(super) struct Lines {
    all: Vec<(Speaker, String)>,
}

language::shown!(Lines, "Lines": ; all);

/// Lines of the conversation kept in memory.
const MAX_LINES: usize = 400;

impl Lines {
    pub(super) fn caller_said(&mut self, text: &str, repeats: bool) {
        if repeats {
            self.forget_last_words();
        }
        self.add(Speaker::Caller, text);
    }

    pub(super) fn agent_said(&mut self, text: &str) {
        self.add(Speaker::Agent, text);
    }

    fn add(&mut self, speaker: Speaker, text: &str) {
        if self.all.len() >= MAX_LINES {
            self.all.remove(0);
        }
        if !text.is_empty() {
            self.all.push((speaker, text.to_owned()));
        }
    }

    /// The caller's next words hold these once more.
    fn forget_last_words(&mut self) {
        if let Some(at) = self.all.iter().rposition(|(speaker, _)| *speaker == Speaker::Caller) {
            self.all.remove(at);
        }
    }

    /// The caller's words, in order.
    pub(super) fn of_caller(&self) -> impl Iterator<Item = &str> {
        self.all.iter().filter(|(speaker, _)| *speaker == Speaker::Caller).map(|(_, text)| text.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ledger_names_who_spoke_and_nothing_they_said() {
        let mut people = People::default();
        assert_eq!(people.beside("closed"), None);
        people.spoke.extend(["pat".to_owned(), "bo".to_owned()]);
        people.sentences = 3;
        let told = people.beside("closed");
        assert_eq!(told.as_deref(), Some("closed; bo, pat of the office spoke with the caller"));
    }
}
