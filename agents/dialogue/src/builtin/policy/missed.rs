//! What was not understood, and what no page says: one question back, then a person, and never the same a third time.

use super::super::account;
use super::super::state::Pending;
use super::super::turn::Turn;
use super::clarify::Choice;

/// From so many content words on, what was heard tells a colleague something.
const TELLING: usize = 2;

impl Turn<'_> {
    /// Not understood: one concrete question; then the offer of a person; then the person.
    pub(in super::super) fn miss(&mut self, text: &str) {
        if self.stays_with_911() {
            return;
        }
        // Who waits may be talking to somebody else.
        if self.state.waits() {
            return self.did("nothing", "let it be");
        }
        self.did("nothing", "asked again");
        // What we called about is asked so often and no oftener.
        if self.asks_missing() {
            return;
        }
        self.note_misheard(text);
        self.state.misses = self.misses_before.saturating_add(1);
        match self.state.misses {
            1 => {
                self.state.question.clear();
                let choices = vec![Choice::Question, Choice::Task("incident".to_owned())];
                self.ask_pending("miss_1", Pending::Which(choices));
            }
            2 => self.offer_person_now("", "put_through_missed", "miss_2"),
            _ => self.bring_in_person(),
        }
    }

    /// Whoever was just sent to 911 is sent there again, and not to a message or a callback.
    fn stays_with_911(&mut self) -> bool {
        if self.after_emergency {
            self.say("emergency_again");
            self.state.emergency = true;
            self.did("emergency", "told again");
        }
        self.after_emergency
    }

    /// Honest about not knowing. The number of the office that would know is given where it is clear which that is.
    pub(in super::super) fn no_page(&mut self, text: &str) {
        if self.stays_with_911() {
            return;
        }
        self.note_misheard(text);
        self.did("question", "had no answer");
        if !self.state.later.is_empty() {
            self.say("no_answer_in_task");
            return self.anything_else();
        }
        let number = self.number_of_related(text);
        // A page of that very subject is there: whether it is meant is asked before it is withheld.
        if number.is_some() && !self.asked_back && self.state.unanswered == 0 {
            return self.which_page(text, &[0]);
        }
        self.tell_unsafe(text);
        self.state.unanswered = self.state.unanswered.saturating_add(1);
        match (self.state.unanswered, number) {
            (1, Some(number)) => {
                self.say_with("no_answer_number", &[("number", number)]);
                self.offer_person("offer_person");
            }
            (1, None) => {
                if !self.offers_to_ask(text) {
                    self.ask_pending("no_answer", Pending::MessageOrPerson);
                }
            }
            (2, _) => self.offer_person_now(text, "put_through_no_answer", "no_answer_again"),
            _ => self.bring_in_person_unless_refused(),
        }
    }

    /// The page that the caller means does not say it.
    pub(in super::super) fn not_on_page(&mut self, text: &str) {
        self.note_misheard(text);
        let number = self.number_on_topic(text);
        self.tell_unsafe(text);
        // The next question may lean on the page all the same: "and how much is it, then?"
        if let Some(topic) = &mut self.state.topic {
            topic.rest.clear();
        }
        self.did("question", "had no answer");
        self.state.unanswered = self.state.unanswered.saturating_add(1);
        if self.state.unanswered == 1 && self.offers_to_ask(text) {
            return;
        }
        match (self.state.unanswered, number) {
            (1, Some(number)) => {
                self.say_with("no_answer_number", &[("number", &number)]);
                self.offer_person("offer_person");
            }
            (1, None) => self.offer_person("not_on_page"),
            (2, _) => self.offer_person("no_answer_again"),
            _ => self.bring_in_person_unless_refused(),
        }
    }

    /// A person who takes calls now, or else one who calls back.
    fn offer_person_now(&mut self, text: &str, now: &str, later: &str) {
        if !self.offers_put_through(text, now) {
            self.offer_person(later);
        }
    }

    fn offer_person(&mut self, key: &str) {
        self.ask_pending(key, Pending::Offer("person".to_owned()));
    }

    /// What a colleague will be told.
    fn note_misheard(&mut self, text: &str) {
        if self.ear.terms(&self.ear.plain(text)).len() >= TELLING {
            text.clone_into(&mut self.state.misheard);
        }
    }

    /// Nobody calls whoever says in the same breath that they want no call.
    fn bring_in_person_unless_refused(&mut self) {
        if self.script.acts.refuses(&self.ear.plain(&self.whole)) {
            self.say("no_answer_in_task");
            return self.anything_else();
        }
        self.bring_in_person();
    }

    /// Begins a call-back with what was heard; where that was done already, ends the call.
    pub(in super::super) fn bring_in_person(&mut self) {
        if self.state.rescued {
            if self.state.references.is_empty() {
                return self.end_after_misses();
            }
            self.file_unfinished();
            return self.hang_up("miss_end");
        }
        self.state.rescued = true;
        self.start_person();
    }

    /// A person is to call back about what was heard and could not be helped with.
    pub(in super::super) fn start_person(&mut self) {
        self.start_person_told("");
    }

    /// The same, with what was said to the offer.
    pub(in super::super) fn start_person_told(&mut self, said: &str) {
        let heard = std::mem::take(&mut self.state.misheard);
        let offered_for = std::mem::take(&mut self.state.offered_for);
        let begun = self.state.tasks.iter().any(|task| task.id == "person");
        if let Some(script) = self.script.task("person").filter(|_| !offered_for.is_empty() && !begun) {
            // Whoever was offered a person for what they said is not asked what it is about.
            let mut task = self.prefilled(script);
            if let Some(reason) = self.reason_of(&offered_for) {
                task.fill("reason", account::kept(self.ear, &reason));
            }
            self.state.tasks.push(task);
        }
        self.begin_told("person", &heard, said);
    }
}
