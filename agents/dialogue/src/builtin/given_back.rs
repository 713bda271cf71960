//! A person of the office had the call, and gives it back: what was under way goes on, and what they noted goes with whatever is
//! filed from then on.

use super::state::{Pending, Stage, State};
use super::step::{Effect, Filing, LineAct};
use super::turn::Turn;

/// Field of what is filed that whoever works on it reads.
const NOTE: &str = "note";
/// What comes before a note of a person's there, in the office's own language.
const BY_STAFF: &str = "Noted by staff: ";
/// Notes of one call.
const MOST_NOTES: usize = 4;
/// Characters of one of them.
const LONGEST_NOTE: usize = 1_000;

impl State {
    /// Keeps what a person noted when they gave the call back. Of too many the oldest goes.
    pub fn keep_staff_note(&mut self, note: &str) {
        let note: String = note.trim().chars().take(LONGEST_NOTE).collect();
        if note.is_empty() || self.staff_notes.contains(&note) {
            return;
        }
        if self.staff_notes.len() >= MOST_NOTES {
            self.staff_notes.remove(0);
        }
        self.staff_notes.push(note);
    }

    /// Puts those notes beside what is filed.
    pub fn note_staff(&self, filing: &mut Filing) {
        for note in &self.staff_notes {
            let line = format!("{BY_STAFF}{note}");
            let held = filing.fields.entry(NOTE.to_owned()).or_default();
            if held.contains(&line) {
                continue;
            }
            let between = if held.is_empty() { "" } else { "; " };
            *held = format!("{held}{between}{line}");
        }
    }
}

impl Turn<'_> {
    /// The agent speaks first. A question that it had put is put again; that nobody answered it was the person's doing.
    pub(super) fn given_back(&mut self) {
        self.state.pending = None;
        self.state.asking.clear();
        self.state.doubt.clear();
        self.state.holding = false;
        self.state.prompted = false;
        // Whoever took the call took it out of the line.
        if self.state.in_line.take().is_some() {
            self.effects.push(Effect::Line(LineAct::Leave));
        }
        let Some((stage, _)) = self.current() else {
            self.did("opened", "was given the call back");
            return self.ask_pending("given_back", Pending::More);
        };
        self.did("opened", "was given the call back, and goes on");
        let question = match stage {
            Stage::Slot(slot) => slot,
            Stage::Confirm => "confirm".to_owned(),
            Stage::Which => String::new(),
        };
        self.task_mut(|task| task.uncount(&question));
        self.say("given_back_in_task");
        self.resume();
    }

    /// Whatever is filed in this step goes with what people noted.
    pub(super) fn file_staff_notes(&mut self) {
        for effect in &mut self.effects {
            if let Effect::File(filing) = effect {
                self.state.note_staff(filing);
            }
        }
    }
}
