//! Two things that are wrong, told in one call: each becomes a report of its own, with its own place.

use super::super::intent::by_cue;
use super::super::script::{Does, SlotKind};
use super::super::state::MAX_LATER;
use super::super::turn::Turn;

/// The task that takes down what is wrong.
pub(in super::super) const REPORT: &str = "incident";
/// Fewer words than this tell of nothing.
const TELLING: usize = 3;

impl Turn<'_> {
    /// Cuts words in two where each part tells of another thing that is wrong, and takes down the first. `false` when they
    /// tell of one.
    pub(in super::super) fn serve_two_matters(&mut self, text: &str) -> bool {
        if self.state.later.len() >= MAX_LATER || self.ear.is_question(text) {
            return false;
        }
        let long = |text: &str| self.ear.plain(text).split(' ').count() >= TELLING;
        let two = |(one, other, said): &(String, String, bool)| {
            matches!((self.matter(one), self.matter(other)), (Some(one), Some(other)) if one != other)
                && long(one)
                && long(other)
                && self.is_report(one)
                && self.is_report(other)
                && (*said || self.is_elsewhere(other))
        };
        let Some((one, other, _)) = self.script.acts.matters(self.ear, text).find(two) else { return false };
        self.takes_first(&one, other);
        true
    }

    /// "The light is out, and I also need a new recycling bin": one report, and something that is wanted besides.
    pub(in super::super) fn serve_wish_besides(&mut self, text: &str) -> bool {
        if self.state.later.len() >= MAX_LATER || self.ear.is_question(text) {
            return false;
        }
        let wanted = |(one, other, _): &(String, String, bool)| {
            self.matter(one).is_some()
                && self.is_report(one)
                && self.matter(other).is_none()
                && self.script.acts.needs_something(&self.ear.plain(other))
                && !self.subjects(other).is_empty()
        };
        let Some((one, other, _)) = self.script.acts.matters(self.ear, text).find(wanted) else {
            return false;
        };
        self.takes_first(&one, other);
        true
    }

    /// Takes down what is wrong, and keeps the rest for after it.
    fn takes_first(&mut self, one: &str, other: String) {
        self.state.later.insert(0, other);
        let from = self.out.len();
        self.start_task(REPORT, one);
        let rest = self.out.split_off(from.min(self.out.len()));
        self.say("then_matter");
        self.out.extend(rest);
    }

    /// Which kind of thing a text says is wrong, where it is of a kind that reports are made of.
    pub(super) fn matter(&self, text: &str) -> Option<&str> {
        self.script.about(REPORT, text)
    }

    /// Whether a text begins a report, or nothing in particular.
    fn is_report(&self, text: &str) -> bool {
        match by_cue(self.script, text).map(|found| &found.intent.does) {
            Some(Does::Task(id)) => id == REPORT,
            Some(Does::Control(_)) => false,
            None => !self.ear.is_question(text) && !self.script.acts.wants_to_know(&self.ear.plain(text)),
        }
    }

    /// Whether a text that only says "also" tells of something apart: it has a place of its own.
    pub(super) fn is_elsewhere(&self, text: &str) -> bool {
        let plain = self.ear.plain(text);
        let own = plain.split(' ').any(|word| self.ear.cues().mine.contains(&word));
        own || self.ear.place_stated(text).is_some() || self.ear.address(text).is_some()
    }

    /// Whether what was put off is another thing that is wrong.
    pub(in super::super) fn is_matter(&self, text: &str) -> bool {
        self.matter(text).is_some() && self.is_report(text)
    }

    /// "But the trash is at my house, 412 Birch", while the light is taken down: belongs to what was put off. What is left of the
    /// words; `None` when they hold nothing of the kind.
    pub(in super::super) fn told_for_later(&mut self, text: &str) -> Option<String> {
        let (_, script) = self.current().filter(|(_, script)| script.id == REPORT)?;
        let story = script.slots.iter().find(|slot| slot.kind == SlotKind::Story)?;
        // What is filed already is put right, and nothing else.
        let task = self.state.task().filter(|task| task.amends.is_none())?;
        let told = task.slots.get(&story.id)?.value.clone();
        let own = self.matter(&told).map(str::to_owned)?;
        let Some(at) = self.state.later.iter().position(|later| self.is_matter(later)) else {
            return self.begins_another(text, &own);
        };
        let other = self.matter(&self.state.later[at]).map(str::to_owned).filter(|other| *other != own)?;
        let (mut kept, mut moved) = (Vec::new(), Vec::new());
        let mut goes = false;
        for clause in self.clauses(text) {
            // What is of no kind goes with what stands before it.
            if let Some(kind) = self.matter(&clause) {
                goes = kind == other;
            }
            if goes { moved.push(clause) } else { kept.push(clause) }
        }
        if moved.is_empty() {
            return None;
        }
        let later = &mut self.state.later[at];
        *later = format!("{later}, {}", moved.join(" "));
        self.say("noted");
        Some(kept.join(" "))
    }

    /// "Yes, and the other thing is that my trash was not picked up", amid a report of a light.
    fn begins_another(&mut self, text: &str, own: &str) -> Option<String> {
        if self.state.later.len() >= MAX_LATER {
            return None;
        }
        let another = |(_, other, said): &(String, String, bool)| {
            self.matter(other).is_some_and(|kind| kind != own)
                && self.is_report(other)
                && (*said || self.is_elsewhere(other))
                && self.ear.plain(other).split(' ').count() >= TELLING
        };
        let (one, other, _) = self.script.acts.matters(self.ear, text).find(another)?;
        self.state.later.push(other);
        self.say("then_matter");
        Some(one)
    }

    /// Words in pieces that begin behind a sign, or with an "and" or "but". Together they are the text.
    fn clauses(&self, text: &str) -> Vec<String> {
        let cues = self.ear.cues();
        let mut clauses: Vec<Vec<&str>> = vec![Vec::new()];
        for word in text.split_whitespace() {
            let plain = self.ear.plain(word);
            let begins = plain == cues.says.and || cues.but.contains(&plain.as_str());
            let ends = |before: &&str| before.ends_with([',', '.', ';', '!', '?']);
            let last = clauses.last().and_then(|clause| clause.last());
            if begins || last.is_some_and(ends) {
                clauses.push(Vec::new());
            }
            if let Some(clause) = clauses.last_mut() {
                clause.push(word);
            }
        }
        clauses.iter().map(|clause| clause.join(" ")).filter(|clause| !clause.is_empty()).collect()
    }
}
