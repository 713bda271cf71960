//! A page that was answered already: how what the caller names stands to its limit, and that it says no more than was said.

use language::asked_for::asked_for;
use language::open_days::day_asked;

use super::super::state::Pending;
use super::super::step::Passage;
use super::super::turn::Turn;
use super::spoken;

impl Turn<'_> {
    /// Whether these very sentences were the last answer, and something else was asked this time. Who asks the same again did not hear.
    pub(super) fn was_just_said(&mut self, passage: &Passage, text: &str) -> bool {
        if self.state.question.is_empty() || self.state.last.is_empty() {
            return false;
        }
        let wanted = self.subjects(text);
        let before = self.subjects(&self.state.question);
        // "By check" and then "who do I make the check out to": the words are the same, and what is asked for is not.
        let asked = asked_for(self.ear, text);
        let kinds = self.script.acts.facts.asked(text);
        let facts = &self.script.acts.facts;
        let other_kind = facts.of_office(text) && kinds != facts.asked(&self.state.question);
        let otherwise = other_kind || asked.is_some() && asked != asked_for(self.ear, &self.state.question);
        if !otherwise && wanted.iter().all(|stem| before.contains(stem)) && self.ear.measures(text).is_empty()
        {
            return false;
        }
        let day = day_asked(self.ear, text, self.view.now.date()).map(|day| day.weekday);
        let told = spoken::spoken(&self.script.acts, self.ear, passage, text, &wanted, day).said;
        // "And do we both have to come in?", after "Both of you come …": a yes or no that those words give.
        let told_terms = self.ear.terms(&self.ear.plain(&told));
        let yes_or_no = !other_kind && asked.is_none() && !self.ear.asks(text);
        if yes_or_no && !wanted.is_empty() && wanted.iter().all(|stem| told_terms.contains(stem)) {
            return false;
        }
        let said = self.state.last.iter().any(|say| say.text.trim() == told.trim());
        // Said again with how the amount stands to its limit it is an answer, and so is the very amount that was named.
        let given = self.ear.measures(&told);
        let named = self.ear.measures(text).iter().any(|amount| given.contains(amount));
        said && !named && self.ear.against_limit(text, &told).is_none()
    }

    /// "And are they open on Christmas Eve?", of the days that were just told: the same sentences are the answer.
    pub(super) fn gives_what_is_asked(&mut self, passage: &Passage, text: &str) -> bool {
        let facts = &self.script.acts.facts;
        let asked = facts.asked(text);
        let wanted = self.subjects(text);
        let day = day_asked(self.ear, text, self.view.now.date()).map(|day| day.weekday);
        let told = spoken::spoken(&self.script.acts, self.ear, passage, text, &wanted, day).said;
        facts.given(&asked, &told).is_some_and(|share| share >= 1.0)
    }

    /// The page says no more: who would know is told, and a call offered.
    pub(super) fn said_all(&mut self, text: &str) {
        self.did("question", "had said all of it");
        self.tell_unsafe(text);
        self.state.unanswered = self.state.unanswered.saturating_add(1);
        match self.number_on_topic(text) {
            Some(number) => self.say_with("said_all_number", &[("number", &number)]),
            None => self.say("said_all"),
        }
        if self.state.unanswered > 2 {
            return self.anything_else();
        }
        self.ask_pending("offer_person", Pending::Offer("person".to_owned()));
    }

    /// Where nothing answers whether something does harm, that is said first.
    pub(super) fn tell_unsafe(&mut self, text: &str) {
        if self.script.acts.asks_safety(&self.ear.plain(text)) {
            self.say("cannot_say_safe");
        }
    }

    /// "Five feet is under six feet", before the sentence that gives the limit, where the question leans on the last answer.
    pub(super) fn tell_against_limit(&mut self, text: &str, said: &str) {
        if self.state.topic.is_none() {
            return;
        }
        let Some(found) = self.ear.against_limit(text, said) else { return };
        let key = if found.above { "above_limit" } else { "below_limit" };
        self.say_with(key, &[("amount", &found.amount), ("limit", &found.limit)]);
    }
}
