//! The answer to an offer of a person, a message or a report. What is asked in its place is served, and takes up no offer, however politely it
//! begins: "alright, never mind then. Oh, is there a dog park anyhow?"

use language::offers::{Offered, Taken, taken};
use language::reply::{Asked, Kind};

use super::reply::Reply;
use super::script::Does;
use super::state::Pending;
use super::turn::Turn;
use crate::builtin::intent::by_cue;

/// Fewer words ask nothing of their own.
const ASKS: usize = 4;
/// From so much on what is made of an offer is acted upon.
const SURE: f32 = 0.6;

impl Turn<'_> {
    /// What the words make of an offer, where that is sure and they are more than a yes or a no.
    pub(super) fn made_of(&self, pending: &Pending, text: &str) -> Option<Taken> {
        let offered = match pending {
            Pending::MessageOrPerson => Offered::Either,
            Pending::Offer(task) => match task.as_str() {
                "person" => Offered::Person,
                "message" => Offered::Message,
                "incident" => Offered::Report,
                _ => return None,
            },
            _ => return None,
        };
        let (found, sure) = taken(self.ear, offered, text);
        (sure >= SURE && !self.ear.is_bare_yes_no(text)).then_some(found)
    }

    /// Begins what is wanted of an offer, or in its place. `false` where the words are to be read on.
    pub(super) fn takes_offer(&mut self, made: Taken, text: &str) -> bool {
        let reply = self.parts_of(text, Asked::Offer);
        // "I don't want to leave a message, I just want to know …" wants neither.
        let refused = self.script.acts.refuses(&self.ear.plain(text));
        match made {
            Taken::Person | Taken::Message if refused || reply.has(Kind::Ask) => return false,
            Taken::Person if reply.has(Kind::Phone) || reply.has(Kind::Name) => self.start_person_told(text),
            // What takes the offer up, and when to call, is no subject of the call.
            Taken::Person => {
                self.start_person();
                if let Some(wish) = reply.all(Kind::Call, ", ").filter(|wish| self.tells_time(wish)) {
                    self.task_mut(|task| task.call_when = wish);
                }
            }
            // "A message is fine" is no message.
            Taken::Message if reply.has(Kind::What) || reply.has(Kind::To) => {
                self.begin_task("message", text)
            }
            Taken::Message => self.start_task("message", ""),
            Taken::No if reply.has(Kind::Ask) || self.ear.is_question(text) => return false,
            Taken::No => self.offer_declined(""),
            Taken::Report => {
                let before = std::mem::take(&mut self.state.offered_for);
                let rest = self.script.acts.beside_refusal(self.ear, text);
                let told = if rest.is_empty() { text } else { &rest };
                match (before.is_empty(), tells(&reply)) {
                    (true, _) => self.begin_task("incident", told),
                    (false, true) => self.begin_told("incident", &before, told),
                    (false, false) => self.begin_task("incident", &before),
                }
            }
            Taken::Yes | Taken::Says => return false,
        }
        self.did("offer", "answered");
        true
    }

    /// Whether a reply to an offer holds something of the matter.
    pub(super) fn tells_of_matter(&self, text: &str) -> bool {
        tells(&self.parts_of(text, Asked::Offer))
    }

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
        let reply = self.parts_of(text, Asked::Offer);
        // "No message. Don't you know about the marriage license?": whatever is in it, it is asked.
        let asks_itself = language::sentences(text).iter().any(|part| {
            let part = self.ear.without_fillers(part);
            part.ends_with('?') && self.ear.is_question(part) && !self.subjects(part).is_empty()
        });
        let tells = reply.has(Kind::What) && !(reply.has(Kind::No) && asks_itself);
        let wanted = tells || [Kind::Call, Kind::Phone, Kind::Name].into_iter().any(|kind| reply.has(kind));
        // "Yes, can somebody call me?" asks for what is offered.
        let named = by_cue(self.script, text).is_some_and(|found| matches!(found.intent.does, Does::Task(_)));
        if wanted || named {
            return None;
        }
        let names =
            |words: &str| !self.subjects(words).is_empty() || !self.script.acts.facts.asked(words).is_empty();
        let asks = |words: &&str| words.split(' ').count() >= ASKS && names(words);
        // "Don't you know about the marriage license? What's it cost?": the last of them leaves out what the first one names.
        let written = |sentence: &str| {
            let sentence = self.ear.without_fillers(sentence);
            asks(&sentence) && self.ear.is_question(sentence)
        };
        let mut asked: Vec<String> = reply.each(Kind::Ask).filter(asks).map(str::to_owned).collect();
        if asked.is_empty() {
            let sentences = language::sentences(text).into_iter().filter(|sentence| written(sentence));
            asked.extend(sentences.map(|sentence| sentence.to_string()));
        }
        let named = asked.iter().rposition(|words| !self.subjects(words).is_empty());
        let at = named.or(asked.len().checked_sub(1))?;
        Some(asked.swap_remove(at))
    }

    /// Whether a yes with more words takes up an offer of a person: what is told or asked besides is of the call, or next to nothing.
    pub(super) fn takes_up_person(&self, text: &str) -> bool {
        if self.ear.is_bare_yes_no(text) || self.subjects(text).is_empty() {
            return true;
        }
        let reply = self.parts_of(text, Asked::Offer);
        let of_call =
            [Kind::Call, Kind::Phone, Kind::Name, Kind::Person].into_iter().any(|kind| reply.has(kind));
        of_call || (reply.has(Kind::Yes) && !reply.has(Kind::Ask))
    }
}

fn tells(reply: &Reply) -> bool {
    [Kind::What, Kind::Place, Kind::When, Kind::Name, Kind::Phone].into_iter().any(|kind| reply.has(kind))
}
