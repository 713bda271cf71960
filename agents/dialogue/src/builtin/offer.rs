//! The answer to an offer of a person or a message. What is asked in its place is served, and takes up no offer, however politely it
//! begins: "alright, never mind then. Oh, is there a dog park anyhow?"

use language::reply::{Asked, Kind};

use super::reply::Reply;
use super::script::Does;
use super::state::Pending;
use super::turn::Turn;
use crate::builtin::intent::by_cue;

/// Fewer words ask nothing of their own.
const ASKS: usize = 4;

impl Turn<'_> {
    /// The question that stands in place of an answer to an offer of help by people; nothing where they are wanted all the same.
    pub(super) fn asked_instead(&self, pending: &Pending, text: &str) -> Option<String> {
        let person = match pending {
            Pending::MessageOrPerson => true,
            Pending::Offer(task) => task == "person" || task == "message",
            _ => false,
        };
        if !person || self.ear.is_bare_yes_no(text) {
            return None;
        }
        let reply = Reply::of(text, Asked::Offer, self.ear.0);
        let wanted =
            [Kind::Call, Kind::Phone, Kind::Name, Kind::What].into_iter().any(|kind| reply.has(kind));
        // "Yes, can somebody call me?" asks for what is offered.
        let named = by_cue(self.script, text).is_some_and(|found| matches!(found.intent.does, Does::Task(_)));
        if wanted || named {
            return None;
        }
        let names =
            |words: &str| !self.subjects(words).is_empty() || !self.script.acts.facts.asked(words).is_empty();
        let asks = |words: &&str| words.split(' ').count() >= ASKS && names(words);
        let read = reply.each(Kind::Ask).filter(asks).last();
        let written = language::sentences(text).into_iter().rfind(|sentence| {
            let sentence = self.ear.without_fillers(sentence);
            asks(&sentence) && self.ear.is_question(sentence)
        });
        read.map(str::to_owned).or_else(|| written.map(|sentence| sentence.to_string()))
    }

    /// Whether a yes with more words takes up an offer of a person: what is told or asked besides is of the call, or next to nothing.
    pub(super) fn takes_up_person(&self, text: &str) -> bool {
        if self.ear.is_bare_yes_no(text) || self.subjects(text).is_empty() {
            return true;
        }
        let reply = Reply::of(text, Asked::Offer, self.ear.0);
        let of_call =
            [Kind::Call, Kind::Phone, Kind::Name, Kind::Person].into_iter().any(|kind| reply.has(kind));
        of_call || (reply.has(Kind::Yes) && !reply.has(Kind::Ask))
    }
}
