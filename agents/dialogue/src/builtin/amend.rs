//! What a caller puts right after it was filed. What is filed stays as it was written; the correction goes on file beside it
//! and names it.

use std::collections::BTreeMap;

use super::finish::priority;
use super::intent::by_cue;
use super::script::{Does, Files, Slot, SlotKind, TaskScript};
use super::state::{Filled, Pending, Task};
use super::step::{Effect, Filing};
use super::turn::Turn;
use crate::builtin::beliefs::confirm::corrects;
use language::Ear;
use language::intents::{Act, QUESTION};
use language::reply::{Asked, Kind};
use language::spelling::spelled;
use language::steer::Steer;

/// Field of what is filed that names the earlier work which it puts right.
pub const CORRECTS: &str = "corrects";
/// From so much on the head is sure of what the words do.
const SURE: f32 = 0.8;

impl<'a> Turn<'a> {
    /// Takes a correction of what was filed last on this call. `true` when that was the reply.
    pub(super) fn amends(&mut self, text: &str) -> bool {
        let Some((script, mut task)) = self.amendable() else { return false };
        // "Hold on, the pen's... okay, go ahead", asked whether there is something to write with.
        let says_it = |plain: &str| self.ear.cues().say_it.iter().any(|said| plain.contains(said));
        if self.state.pending == Some(Pending::Write) && says_it(&self.ear.plain(text)) {
            return false;
        }
        let plain = self.ear.plain(text);
        let does = self.does_to_it(text);
        // "My sister's hollering, it wasn't yesterday, it was Friday."
        let reply = self.parts_of(text, Asked::Fix);
        let changes = does == Steer::Change || reply.has(Kind::Old) && reply.tells();
        // "No, we're all set, see you Thursday!" moves nothing.
        if self.says_bye(text) && !self.ear.is_question(text) && does == Steer::On {
            return false;
        }
        // "Could you tell me where I pay" asks, whatever it sounds like.
        let changes = changes && !self.script.acts.wants_to_know(&plain);
        let whole = changes && (self.names_filed(script, &plain) || !self.begins_new(script, &plain, text));
        // "No. Just have 'em call. Actually, make it after noon" takes back nothing.
        let calls = reply.all(Kind::Call, " ").is_some_and(|wish| !self.ear.refuses_call(&wish));
        let keeps = calls || reply.has(Kind::When) || corrects_to(self.ear, text);
        let off = does == Steer::Drop && !keeps && self.takes_back(script, &task, text);
        if script.files == Files::Inspection && (whole || off || self.script.acts.moves(&plain)) {
            self.did("correction", "cannot move it");
            self.ask_pending("cannot_move", Pending::Offer("person".to_owned()));
            text.clone_into(&mut self.state.offered_for);
            return true;
        }
        if off {
            self.withdraw(script, &task, text);
            return true;
        }
        let marked = changes
            || corrects(self.ear, text)
            || !spelled(self.ear.0, text).is_empty()
            || self.view.understood.does(Act::Correct) >= SURE;
        if !whole && (self.asks_for_new(script, &plain, text) || !marked) {
            return false;
        }
        // "My sister says hers got fixed in two days" asks for no change.
        let of_it = self.names_filed(script, &plain)
            || self.names_slot(script, &plain).is_some()
            || corrects(self.ear, text);
        task.before.clone_from(&task.slots);
        let pending = self.state.pending.take();
        self.state.tasks.push(task);
        let mut changed = if whole { self.changed_by(script, &reply, text, false) } else { Vec::new() };
        if changed.is_empty() {
            changed = self.correct(text, None);
        }
        if !changed.is_empty() {
            self.did("correction", "changed it");
            self.read_changed(&changed);
        } else if whole && of_it {
            self.which(text);
        } else {
            self.state.tasks.pop();
            self.state.pending = pending;
            return false;
        }
        true
    }

    /// What was filed last, as it can be put right: only where its reference is known.
    pub(super) fn amendable(&self) -> Option<(&'a TaskScript, Task)> {
        let filed = self.state.done.as_ref()?;
        let reference = self.state.references.last()?;
        let script = self.script.task(&filed.id)?;
        let fresh = Task::new(&filed.id);
        let task = Task {
            slots: filed.slots.clone(),
            order: filed.order.clone(),
            beliefs: filed.beliefs.clone(),
            amends: Some(reference.clone()),
            ..fresh
        };
        Some((script, task))
    }

    /// "There's another one on Oak Street", "now book an inspection", and whatever is asked put nothing right.
    fn asks_for_new(&self, script: &TaskScript, plain: &str, text: &str) -> bool {
        let asks = self.ear.is_question(text)
            || self.script.acts.wants_to_know(plain)
            || self.view.understood.wants(QUESTION) >= SURE;
        asks || self.begins_new(script, plain, text)
    }

    /// Whether words begin something else than what is on file. "Can I change something in my report?" does not.
    fn begins_new(&self, script: &TaskScript, plain: &str, text: &str) -> bool {
        let another = self.ear.cues().another.iter().any(|word| plain.split(' ').any(|said| said == *word));
        let wish = by_cue(self.script, text).and_then(|cue| match &cue.intent.does {
            Does::Task(id) => Some(id),
            Does::Control(_) => None,
        });
        // "There's a brown dog running loose": told like a report, and of nothing that is on file.
        let told = self.state.done.iter().flat_map(|task| task.slots.values());
        let held: Vec<String> = told.flat_map(|filled| self.subjects(&filled.value)).collect();
        let fresh = !self.subjects(text).iter().any(|stem| held.contains(stem));
        let other = wish.is_some_and(|id| *id != script.id || fresh);
        another || other
    }

    /// "That report", and not "I want to report".
    fn names_filed(&self, script: &TaskScript, plain: &str) -> bool {
        let spoken = self.ear.plain(&script.spoken);
        plain.match_indices(&spoken).any(|(at, _)| at > 0 && !plain[..at].ends_with("to "))
    }

    /// Whether words that give something up mean what is on file: not an offer that was made since, nor an answer, unless they name it.
    fn takes_back(&self, script: &TaskScript, task: &Task, text: &str) -> bool {
        let plain = self.ear.plain(text);
        let held: Vec<String> = task.slots.values().flat_map(|filled| self.subjects(&filled.value)).collect();
        let named =
            self.names_filed(script, &plain) || self.subjects(text).iter().any(|stem| held.contains(stem));
        let offered = !matches!(self.state.pending, None | Some(Pending::More | Pending::Write));
        let since = offered || self.state.topic.is_some();
        (named || !since) && !self.says_bye(text) && !self.asks_for_new(script, &plain, text)
    }

    /// "Scratch that report, they found the dog": whoever works on it reads that the caller takes it back. What is filed stays.
    fn withdraw(&mut self, script: &TaskScript, task: &Task, text: &str) {
        let Some(reference) = task.amends.clone() else { return };
        let message = format!("The caller takes back {reference}. In their words: {text}");
        self.say_promise(self.worded("withdrawn"), "withdrawn", &[("task", &script.spoken)]);
        self.effects.push(Effect::File(beside(script, task, &reference, message, &[])));
        self.did(&task.id, "withdrawn");
        if self.state.owes_reference { self.offer_reference() } else { self.anything_else() }
    }

    /// Files a correction that the caller said yes to, or what they began to put right.
    pub(super) fn complete_amendment(&mut self, script: &TaskScript, task: &Task, unconfirmed: bool) {
        match amendment(script, task, self.state.urgent, unconfirmed) {
            Some(filing) => {
                let said = self.worded("amended").to_vec();
                self.say_promise(&said, "amended", &[("task", &script.spoken)]);
                self.effects.push(Effect::File(filing));
                self.did(&task.id, "corrected");
                self.state.done = Some(Task { amends: None, before: BTreeMap::new(), ..task.clone() });
            }
            None => self.say("unchanged"),
        }
        if self.state.owes_reference { self.offer_reference() } else { self.anything_else() }
    }
}

/// "Actually, make it after noon": something else is wanted, and not nothing.
fn corrects_to(ear: Ear, text: &str) -> bool {
    let plain = format!(" {} ", ear.plain(text));
    ear.cues().rather.iter().any(|word| plain.contains(&format!(" {word} ")))
}

/// The correction as it is filed, in the words of a message to whoever works on the report. `None`: nothing differs.
pub(super) fn amendment(script: &TaskScript, task: &Task, urgent: bool, incomplete: bool) -> Option<Filing> {
    let reference = task.amends.as_ref()?;
    let differs = |slot: &&Slot| task.slots.get(&slot.id) != task.before.get(&slot.id);
    let changed: Vec<&Slot> = script.slots.iter().filter(differs).collect();
    if changed.is_empty() {
        return None;
    }
    let told = |filled: Option<&Filled>| filled.map(|f| f.spoken.clone()).unwrap_or_default();
    let parts: Vec<String> = changed
        .iter()
        .map(|slot| {
            let (new, old) = (told(task.slots.get(&slot.id)), told(task.before.get(&slot.id)));
            if old.is_empty() {
                format!("{}: {new}", slot.id)
            } else {
                format!("{}: {new} (was: {old})", slot.id)
            }
        })
        .collect();
    let message = format!("Correction to {reference}. {}", parts.join("; "));
    let filing = beside(script, task, reference, message, &changed);
    Some(Filing { priority: priority(task, urgent), incomplete, ..filing })
}

/// What goes on file beside what was filed: a message to whoever works on it, with who called and the values that changed.
fn beside(script: &TaskScript, task: &Task, reference: &str, message: String, changed: &[&Slot]) -> Filing {
    let mut fields =
        BTreeMap::from([(CORRECTS.to_owned(), reference.to_owned()), ("message".to_owned(), message)]);
    let told = script.slots.iter().filter(|slot| {
        matches!(slot.kind, SlotKind::Name | SlotKind::Phone) || changed.iter().any(|c| c.id == slot.id)
    });
    for slot in told {
        if let Some(filled) = task.slots.get(&slot.id).filter(|f| !f.value.is_empty() && f.value != "caller")
        {
            fields.insert(slot.id.clone(), filled.value.clone());
        }
    }
    Filing {
        task: "message".to_owned(),
        files: Files::Message,
        priority: priority(task, false),
        incomplete: false,
        fields,
        use_caller_number: task.slots.get("phone").is_some_and(|phone| phone.value == "caller"),
        booking: None,
    }
}
