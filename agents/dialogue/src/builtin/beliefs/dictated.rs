//! "Just say there's a deep hole in the road": at a read-back, words that are dictated take the place of what was told.

use crate::builtin::account;
use crate::builtin::script::{SlotKind, TaskScript};
use crate::builtin::state::Filled;
use crate::builtin::turn::Turn;

/// Fewer words of content are a part of it, and no text of their own.
const TEXT: usize = 3;

impl<'a> Turn<'a> {
    /// Takes what the caller dictates, and reads it back. `false` where nothing is dictated.
    pub(in crate::builtin) fn takes_dictation(&mut self, script: &'a TaskScript, text: &str) -> bool {
        let Some(told) = self.dictated(text) else { return false };
        // "Just put 12 Main Street" says where.
        if self.ear.terms(&self.ear.plain(&told)).len() < TEXT || account::particulars_only(self.ear, &told) {
            return false;
        }
        let slot = script.slots.iter().find(|slot| matches!(slot.kind, SlotKind::Story | SlotKind::Text));
        self.did("correction", "took it down");
        match slot {
            Some(slot) => {
                let held = self
                    .state
                    .task()
                    .and_then(|task| task.slots.get(&slot.id))
                    .map(|held| held.value.clone());
                let new = account::kept(self.ear, &told);
                // All that was said stays on file, behind the text that the caller wants.
                let value = match held.filter(|_| slot.kind == SlotKind::Story) {
                    Some(held) => format!("{} ({held})", new.value),
                    None => new.value,
                };
                self.task_mut(|task| task.fill(&slot.id, Filled::new(value, new.spoken)));
                self.read_changed(&[slot]);
            }
            None => {
                self.task_mut(|task| task.note_beside(&told));
                self.read_back(script);
            }
        }
        true
    }

    /// What comes after "just say", "please write", "póngale que".
    fn dictated(&self, text: &str) -> Option<String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let plain: Vec<String> = words.iter().map(|word| self.ear.plain(word)).collect();
        let ends = |at: usize| {
            self.ear.cues().dictates.iter().find_map(|cue| {
                let cue: Vec<&str> = cue.split(' ').collect();
                plain
                    .get(at..at + cue.len())
                    .is_some_and(|some| some.iter().eq(cue.iter()))
                    .then_some(at + cue.len())
            })
        };
        let from = (0..words.len()).rev().find_map(ends)?;
        let told = words.get(from..)?.join(" ");
        (!told.is_empty() && !self.ear.is_question(&told)).then_some(told)
    }
}
