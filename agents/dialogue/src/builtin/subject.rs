//! What a callback is about: told with the request, left to what was talked of before, or put right at the read-back.

use super::account;
use super::policy::said::Said;
use super::script::{Slot, SlotKind};
use super::state::Filled;
use super::turn::Turn;

/// The slot that holds it.
const REASON: &str = "reason";
/// So many words that name something are a subject.
const TELLING: usize = 2;

impl Turn<'_> {
    /// "Have somebody call me about paying it monthly", after an answer about property tax: a colleague who reads it must know what
    /// "it" is. A request that names nothing is about the last question.
    pub(super) fn name_the_matter(&mut self, text: &str) {
        let person = self.state.task().is_some_and(|task| task.id == "person");
        if !person || self.state.topic.is_none() || self.names_another_matter(text) {
            return;
        }
        let Some(title) = self.topic_title(text) else { return };
        let held = self.state.task().and_then(|task| task.slots.get(REASON)).map(|held| held.value.clone());
        let told = held.filter(|held| self.names_something(held));
        let told = told.unwrap_or_else(|| self.state.question.clone());
        let named = self.ear.terms(&self.ear.plain(&title));
        let names_it = self.subjects(&told).iter().any(|stem| named.contains(stem));
        let matter = match (told.is_empty(), names_it) {
            (true, _) => title,
            (false, true) => told,
            (false, false) => format!("{title}. {told}"),
        };
        let matter = account::kept(self.ear, &matter);
        self.task_mut(|task| task.fill(REASON, matter));
    }

    /// What a colleague has to know of the opening words. Where the part that is told does not say what is wrong, and the whole does
    /// ("the light at main and second is stuck on red", of which the first five words are a thing and a place), all but the questions.
    pub(super) fn matter_told(&self, text: &str) -> String {
        let said = Said::of(text, self.ear.0);
        let matter = said.matter();
        let tells = |words: &str| {
            self.script.acts.tells(&self.ear.plain(words)) || account::tells_event(self.ear, words)
        };
        if matter.is_empty() || tells(&matter) || !tells(text) {
            return matter;
        }
        let rest = said.without_asks(text);
        if tells(&rest) { rest } else { text.to_owned() }
    }

    /// What happened, as the opening words tell it: without what only leads to it, or asks beside it.
    pub(super) fn told_story(&self, text: &str) -> Option<Filled> {
        let matter = self.matter_told(text);
        let told = (!matter.is_empty()).then(|| account::opening_story(self.ear, &matter)).flatten();
        // "There's a streetlight out right there" names little, and tells all the same.
        let plainly = || {
            self.script.about("incident", &matter).is_some()
                && self.ear.plain(&matter).split(' ').count() > TELLING
        };
        told.or_else(|| account::opening_story(self.ear, text))
            .or_else(|| plainly().then(|| account::kept(self.ear, &matter)))
    }

    /// What a call is about, as the opening words tell it. "I don't want a machine, can I have somebody call me" tells nothing.
    pub(super) fn told_reason(&self, text: &str) -> Option<Filled> {
        let said = Said::of(text, self.ear.0);
        // "I got two bills, and I need somebody to call me about it": the request names nothing of its own.
        let own = |words: &str| {
            said.without_wants(words, self.ear.cues().says.and, |want| self.names_something(want))
        };
        let reason = |words: &str| account::opening_reason(self.ear, &own(words));
        let told = Some(said.since_first(text)).filter(|told| !told.is_empty());
        // What stands before the request counts where it names more than a thing: not "look, I don't want a machine".
        let before = || reason(text).filter(|reason| self.subjects(&reason.value).len() > TELLING);
        told.and_then(reason)
            .or_else(before)
            .or_else(|| told.is_none().then(|| account::opening_reason(self.ear, text)).flatten())
    }

    /// Whether words say more than that a call is wanted.
    fn names_something(&self, words: &str) -> bool {
        let bare = self.ear.cues().bare_request;
        self.subjects(words).iter().any(|stem| !bare.contains(&stem.as_str()))
    }

    /// Whether a request names what neither the last question nor its page holds.
    fn names_another_matter(&mut self, text: &str) -> bool {
        let bare = self.ear.cues().bare_request;
        let before = self.held_by_topic(text);
        self.subjects(text).iter().any(|stem| !bare.contains(&stem.as_str()) && !before.contains(stem))
    }

    /// "It's about my claim check, mail it to 56 Oak Street", at a read-back: that is the subject.
    pub(super) fn told_subject(&self, slot: &Slot, text: &str) -> Option<Filled> {
        if slot.kind != SlotKind::Text || slot.id != REASON {
            return None;
        }
        let lower = text.to_lowercase();
        let rest = slot.words.iter().find_map(|word| {
            let at = lower.find(&format!(" {word} ")).map(|at| at + word.len() + 2);
            let at = at.or_else(|| lower.starts_with(&format!("{word} ")).then(|| word.len() + 1))?;
            text.get(at..)
        })?;
        let rest = rest.trim_start_matches("is ").trim();
        (self.subjects(rest).len() >= TELLING).then(|| account::kept(self.ear, rest))
    }
}
