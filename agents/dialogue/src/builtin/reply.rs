//! A reply in the middle of a task, taken apart: the answer to what was asked, what comes beside it, what it puts right.
//!
//! Reads what [`language::reply`] found. Values of parts are read by the readers of slots, so that a part is a value only if it
//! has the form of one. Where nothing of use was found the words go the way of all others.

use language::repair::repaired;
use language::reply::{Asked, Kind, parts};
use pipeline::ports::Language;

use super::account;
use super::beliefs::correction;
use super::beliefs::days::day_wanted;
use super::beliefs::{Belief, Source};
use super::script::{Slot, SlotKind, TaskScript};
use super::slots::{self, Context, Read};
use super::state::{Filled, Stage, Task};
use super::turn::Turn;

/// From here on a part counts against what patterns make of the words.
const SURE: f32 = 0.6;
/// Questions of one reply that are taken up.
const MAX_ASKS: usize = 2;
/// More words than this are no name of a place.
const LONG_PLACE: usize = 24;

/// The parts of a reply, each with its words.
#[derive(Debug, Default)]
pub(super) struct Reply {
    parts: Vec<(Kind, String)>,
    /// The reply without what is taken back, asked, or said of calls.
    rest: String,
}

impl Reply {
    pub(super) fn of(text: &str, asked: Asked, language: Language) -> Self {
        let mut out = Self::default();
        let mut from = 0;
        for part in parts(text, asked, language).into_iter().filter(|part| part.sure >= SURE) {
            if matches!(part.kind, Kind::Old | Kind::Ask | Kind::Call) {
                out.rest.push_str(&text[from..part.from]);
                from = part.to;
            }
            out.parts.push((part.kind, part.of(text).to_owned()));
        }
        out.rest.push_str(&text[from..]);
        out
    }

    pub(super) fn has(&self, kind: Kind) -> bool {
        self.parts.iter().any(|(own, _)| *own == kind)
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    fn each(&self, kind: Kind) -> impl Iterator<Item = &str> {
        self.parts.iter().filter(move |(own, _)| *own == kind).map(|(_, words)| words.as_str())
    }

    /// All words of one kind.
    fn all(&self, kind: Kind, between: &str) -> Option<String> {
        let words: Vec<&str> = self.each(kind).collect();
        (!words.is_empty()).then(|| words.join(between))
    }

    /// The words of a kind of slot.
    fn value(&self, kind: SlotKind) -> Option<String> {
        match part_of(kind)? {
            // "Peggy, well, Margaret Holloway": the fuller name; of numbers and places all pieces.
            Kind::Name => self.each(Kind::Name).max_by_key(|name| name.split(' ').count()).map(str::to_owned),
            Kind::What => self.all(Kind::What, ", "),
            part => self.all(part, " "),
        }
    }

    /// The words that are of a slot; what takes the place of one's words is of that one, whatever it looks like.
    fn words_for(&self, slot: &Slot, owner: Option<&Slot>) -> Option<String> {
        const BARE: [Kind; 4] = [Kind::Place, Kind::When, Kind::Name, Kind::Phone];
        let mut bare = self.parts.iter().filter(|(kind, _)| BARE.contains(kind));
        match (owner, bare.next(), bare.next()) {
            (Some(owner), Some((_, words)), None) => (owner.id == slot.id).then(|| words.clone()),
            _ => self.value(slot.kind),
        }
    }

    /// Whether it gives a value, of whatever slot.
    fn tells(&self) -> bool {
        [Kind::What, Kind::Place, Kind::When, Kind::Name, Kind::Phone].into_iter().any(|kind| self.has(kind))
    }
}

/// The part that holds the value of a slot.
const fn part_of(kind: SlotKind) -> Option<Kind> {
    Some(match kind {
        SlotKind::Story | SlotKind::Text => Kind::What,
        SlotKind::Place | SlotKind::Address => Kind::Place,
        SlotKind::When | SlotKind::Day => Kind::When,
        SlotKind::Name => Kind::Name,
        SlotKind::Phone => Kind::Phone,
        SlotKind::Injured | SlotKind::Opening | SlotKind::ClaimNumber | SlotKind::Proof => return None,
    })
}

/// What a slot asks, as replies know it.
fn asks(slot: &Slot) -> Option<Asked> {
    Some(match slot.kind {
        SlotKind::Story => Asked::What,
        SlotKind::Text if slot.id == "reason" => Asked::Reason,
        SlotKind::Text => Asked::Message,
        SlotKind::Place => Asked::Where,
        SlotKind::Address => Asked::Address,
        SlotKind::When => Asked::When,
        SlotKind::Injured => Asked::Hurt,
        SlotKind::Name => Asked::Name,
        SlotKind::Phone => Asked::Phone,
        SlotKind::Day | SlotKind::Opening => Asked::Day,
        SlotKind::ClaimNumber | SlotKind::Proof => return None,
    })
}

impl<'a> Turn<'a> {
    /// The parts of what the caller said to the open question of a task. Empty where none is open that replies are known of.
    pub(super) fn reply(&self, text: &str) -> Reply {
        let Some((stage, script)) = self.current() else { return Reply::default() };
        let asked = match &stage {
            Stage::Confirm => Some(Asked::Confirm),
            Stage::Which => Some(Asked::Fix),
            Stage::Slot(id) => script.slot(id).and_then(asks),
        };
        asked.map(|asked| Reply::of(text, asked, self.ear.0)).unwrap_or_default()
    }

    /// Whether a reply gives up nothing, whatever it sounds like: "skip it", asked for a name; "oh never mind, fine, yes".
    pub(super) fn keeps_on(&self, text: &str) -> bool {
        let reply = self.reply(text);
        let plain = self.ear.plain(text);
        let passes = plain.split(' ').any(|word| self.ear.cues().passes.contains(&word));
        (reply.has(Kind::Yes) || reply.has(Kind::Skip) && passes) && !reply.has(Kind::Drop)
    }

    /// Takes a reply by its parts. `false` where they tell too little.
    pub(super) fn replied(&mut self, text: &str) -> bool {
        let Some((stage, script)) = self.current() else { return false };
        let reply = self.reply(text);
        // What is on file is put right with more care: see `amend`.
        if reply.is_empty() || self.state.task().is_some_and(|task| task.amends.is_some()) {
            return false;
        }
        match stage {
            Stage::Slot(id) => {
                script.slot(&id).is_some_and(|slot| self.slot_replied(script, slot, &reply, text))
            }
            Stage::Confirm => self.confirm_replied(script, &reply, text),
            Stage::Which => {
                let changed = self.changed_by(script, &reply, text);
                if changed.is_empty() {
                    return false;
                }
                self.beside(script, &reply, None);
                self.read_changed(&changed);
                true
            }
        }
    }

    // ------------------------------------------------------------ an answer

    fn slot_replied(&mut self, script: &'a TaskScript, slot: &'a Slot, reply: &Reply, text: &str) -> bool {
        let mixed = reply.parts.len() > 1;
        // "No, my name is spelled …", asked for the number: what was said before is put right.
        let others = [Kind::Name, Kind::Place, Kind::When]
            .into_iter()
            .filter(|kind| part_of(slot.kind) != Some(*kind));
        if reply.has(Kind::No) && others.into_iter().any(|kind| reply.has(kind)) {
            return false;
        }
        match slot.kind {
            SlotKind::Injured => {
                // "No, but an old lady nearly fell": the yes or no is the answer, the rest is told beside it.
                let answer = reply.all(Kind::Yes, " ").or_else(|| reply.all(Kind::No, " "));
                let Some(answer) = answer.filter(|_| mixed) else { return false };
                let Read::Value(value) = slots::answered(slot.kind, &answer, self.context()) else {
                    return false;
                };
                self.beside(script, reply, Some(slot));
                self.filled(slot, value, &reply.rest);
                true
            }
            SlotKind::Phone => {
                let digits = reply.all(Kind::Phone, " ");
                let answer =
                    digits.or_else(|| reply.all(Kind::Yes, " ")).or_else(|| reply.all(Kind::No, " "));
                if answer.is_none() && reply.has(Kind::Skip) {
                    self.beside(script, reply, Some(slot));
                    self.declined(slot);
                    return true;
                }
                let Some(answer) = answer.filter(|_| mixed) else { return false };
                self.beside(script, reply, Some(slot));
                self.slot_answer(slot, if reply.has(Kind::Phone) { &reply.rest } else { &answer });
                true
            }
            SlotKind::Opening | SlotKind::ClaimNumber | SlotKind::Proof => false,
            _ => match reply.value(slot.kind) {
                Some(words) => {
                    let Some(value) = self.value_of(slot, &words, reply, text) else { return false };
                    self.beside(script, reply, Some(slot));
                    self.filled(slot, value, &reply.rest);
                    true
                }
                None if reply.has(Kind::Skip) && slot.optional => {
                    self.beside(script, reply, Some(slot));
                    self.declined(slot);
                    true
                }
                None => false,
            },
        }
    }

    /// The value that words of the slot's part are.
    fn value_of(&self, slot: &Slot, words: &str, reply: &Reply, text: &str) -> Option<Filled> {
        let words = repaired(self.ear, words);
        match slot.kind {
            SlotKind::Story => self.account(&words),
            SlotKind::Text => {
                let told = account::free_text(self.ear, &words)?;
                Some(match reply.all(Kind::To, " ").filter(|_| slot.id == "message") {
                    Some(to) => addressed(self.ear.0, &to, &told),
                    None => told,
                })
            }
            SlotKind::Place if words.split(' ').count() > LONG_PLACE => None,
            _ => {
                let day = (slot.kind == SlotKind::Day).then(|| day_wanted(self.ear, &words));
                match slots::answered(slot.kind, day.as_deref().unwrap_or(&words), self.context()) {
                    Read::Value(value) => Some(value),
                    // "Every Friday for three weeks", "since the storm": as it was said.
                    _ if slot.kind == SlotKind::When && !self.ear.is_question(text) => {
                        Some(Filled::new(words.clone(), words))
                    }
                    _ => None,
                }
            }
        }
    }

    /// What happened, of the words that tell it.
    fn account(&self, words: &str) -> Option<Filled> {
        (account::is_told(words) || words.chars().count() > 3).then(|| account::kept(self.ear, words))
    }

    /// Takes what stands beside the answer: when to call, other values, what else happened, questions.
    fn beside(&mut self, script: &'a TaskScript, reply: &Reply, asked: Option<&Slot>) {
        self.take_call_wish(script, reply);
        for slot in script.slots.iter().filter(|slot| asked.is_none_or(|asked| asked.id != slot.id)) {
            let held = self.state.task().is_some_and(|task| task.slots.contains_key(&slot.id));
            match slot.kind {
                SlotKind::Story if asked.is_some() => self.tell_more(slot, reply),
                SlotKind::Injured if !held => {
                    let told = reply.all(Kind::What, ", ");
                    let hurt = told.and_then(|told| slots::stated(slot.kind, &told, self.context()));
                    self.believe_beside(slot, hurt);
                }
                SlotKind::Text => {}
                kind => {
                    let words = reply.value(kind);
                    let value = words.and_then(|words| {
                        match slots::answered(kind, &words, Context { digits: "", ..self.context() }) {
                            Read::Value(value) => Some(value),
                            _ => None,
                        }
                    });
                    if held && asked.is_some() {
                        self.put_right_beside(slot, value, reply);
                    } else if !held {
                        self.believe_beside(slot, value);
                    }
                }
            }
        }
        let questions: Vec<String> = reply.each(Kind::Ask).take(MAX_ASKS).map(str::to_owned).collect();
        for question in questions {
            self.answer_beside(&question, asked.is_none());
        }
    }

    fn believe_beside(&mut self, slot: &Slot, value: Option<Filled>) {
        let Some(value) = value.map(|value| self.nearest_known(slot, value)) else { return };
        let taken = self
            .state
            .tasks
            .last_mut()
            .is_some_and(|task| task.believe(&slot.id, slot.kind, value.clone(), Source::Volunteered));
        if taken {
            self.keep_known(slot, &value);
        }
    }

    /// "Wait, it's Maple, not Mabel", while the number is asked for.
    fn put_right_beside(&mut self, slot: &Slot, value: Option<Filled>, reply: &Reply) {
        let Some(value) = value.filter(|_| reply.has(Kind::Old)) else { return };
        let held = self.state.task().and_then(|task| task.slots.get(&slot.id)).cloned();
        if held.is_some_and(|held| !held.value.is_empty() && held.value != value.value)
            && self.put_right(slot, value)
        {
            self.say("corrected");
        }
    }

    /// What happened besides, told in answer to another question.
    fn tell_more(&mut self, slot: &Slot, reply: &Reply) {
        let Some(more) = reply.all(Kind::What, ", ") else { return };
        let held = self.state.task().and_then(|task| task.slots.get(&slot.id)).cloned();
        let told = match held {
            Some(held) if !held.value.is_empty() => account::completed(self.ear, &held, &more),
            _ => match self.account(&more) {
                Some(told) => told,
                None => return,
            },
        };
        self.task_mut(|task| task.fill(&slot.id, told));
    }

    /// When to call back, or that nobody should.
    fn take_call_wish(&mut self, script: &TaskScript, reply: &Reply) {
        let Some(wish) = reply.all(Kind::Call, ", ") else { return };
        let Some(phone) = script.slot("phone") else { return };
        if self.ear.refuses_call(&wish) {
            let open = self.state.task().is_some_and(|task| !task.slots.contains_key(&phone.id));
            if phone.optional && open {
                self.task_mut(|task| task.fill(&phone.id, Filled::not_given()));
            }
        }
        self.task_mut(|task| task.call_when = wish);
        self.say("call_when");
    }

    // ------------------------------------------------------------ a read-back

    fn confirm_replied(&mut self, script: &'a TaskScript, reply: &Reply, text: &str) -> bool {
        let (yes, no) = (reply.has(Kind::Yes), reply.has(Kind::No));
        let changed = self.changed_by(script, reply, text);
        if !changed.is_empty() {
            self.did("correction", "changed it");
            self.beside(script, reply, None);
            self.read_changed(&changed);
            return true;
        }
        // "Yes, but the number is wrong."
        let rest = self.ear.plain(&reply.rest);
        let blamed = self.blames(&rest) && self.names_slot(script, &rest).is_some();
        if !yes || no || blamed || reply.tells() || reply.has(Kind::Old) {
            return false;
        }
        self.beside(script, reply, None);
        self.task_mut(Task::confirm_all);
        self.complete(false);
        true
    }

    /// Puts right what a reply to a read-back says is otherwise, and adds what it tells. Gives the slots that changed.
    fn changed_by(&mut self, script: &'a TaskScript, reply: &Reply, text: &str) -> Vec<&'a Slot> {
        let old = reply.all(Kind::Old, " ");
        let owner = old.as_deref().and_then(|old| self.holder(script, old));
        let mut changed = Vec::new();
        // Times that are booked are changed where they are offered.
        if script.slots.iter().any(|slot| slot.kind == SlotKind::Opening) && reply.has(Kind::When) {
            return changed;
        }
        for slot in &script.slots {
            let Some(words) = reply.words_for(slot, owner) else { continue };
            let held = self.state.task().and_then(|task| task.slots.get(&slot.id)).cloned();
            let Some(held) = held else { continue };
            let value = match slot.kind {
                SlotKind::Story | SlotKind::Text => Some(self.retold(&held, &words, old.as_deref())),
                _ if held.value.is_empty() => self.value_of(slot, &words, reply, text),
                _ => self.otherwise(slot, &held, &words, old.as_deref()),
            };
            let refused = |value: &Filled| {
                self.state
                    .task()
                    .and_then(|task| task.belief(&slot.id))
                    .is_some_and(|belief: &Belief| belief.refuses(value))
            };
            let Some(value) = value.filter(|value| value.value != held.value && !refused(value)) else {
                continue;
            };
            let value = self.nearest_known(slot, value);
            if self.put_right(slot, value) {
                changed.push(slot);
            }
        }
        self.free_moved_day(&changed);
        changed
    }

    /// The one slot whose value has these words.
    fn holder(&self, script: &'a TaskScript, words: &str) -> Option<&'a Slot> {
        let task = self.state.task()?;
        let wanted = self.ear.plain(words);
        let holds = |slot: &&Slot| {
            let held = task.slots.get(&slot.id).map(|held| self.ear.plain(&held.spoken)).unwrap_or_default();
            format!(" {held} ").contains(&format!(" {wanted} "))
        };
        let mut holders = script.slots.iter().filter(|slot| slot.kind != SlotKind::Story).filter(holds);
        holders.next().filter(|_| holders.next().is_none())
    }

    /// A value as put right: the words that were taken back replaced, a part of it corrected, or another in its place.
    fn otherwise(&self, slot: &Slot, held: &Filled, words: &str, old: Option<&str>) -> Option<Filled> {
        let context = Context { digits: "", ..self.context() };
        let swapped = old.and_then(|old| swapped(self.ear, &held.spoken, old, words));
        if let Some(swapped) =
            swapped.filter(|_| matches!(slot.kind, SlotKind::Place | SlotKind::Address | SlotKind::Name))
            && let Read::Value(value) = slots::answered(slot.kind, &swapped, context)
        {
            return Some(value);
        }
        let part = correction::corrected(slot.kind, held, words, context);
        match slots::answered(slot.kind, words, context) {
            Read::Value(value) if slot.kind == SlotKind::When => {
                Some(slots::merged_when(self.ear, held, value))
            }
            // A whole street or name takes the place of the other; less than that is a part of it.
            Read::Value(value) if value.value.contains(' ') || part.is_none() => Some(value),
            Read::Value(_) => part,
            _ if slot.kind == SlotKind::When => Some(Filled::new(words, words)),
            _ => part,
        }
    }

    /// An account with its wrong words replaced, or with what was left out.
    fn retold(&self, held: &Filled, words: &str, old: Option<&str>) -> Filled {
        match old.and_then(|old| swapped(self.ear, &held.value, old, words)) {
            Some(told) => account::kept(self.ear, &told),
            None => account::completed(self.ear, held, words),
        }
    }

    /// Takes what an opening tells beside what is wrong, and tells what is wrong in the words that tell it. Gives whether it did.
    pub(super) fn opening_replied(&mut self, text: &str) -> bool {
        let Some((_, script)) = self.current() else { return false };
        let Some(story) = script.slots.iter().find(|slot| slot.kind == SlotKind::Story) else { return false };
        let reply = Reply::of(text, Asked::What, self.ear.0);
        for slot in
            script.slots.iter().filter(|slot| matches!(slot.kind, SlotKind::Place | SlotKind::Address))
        {
            let value = reply.value(slot.kind).and_then(|words| self.value_of(slot, &words, &reply, text));
            let held = self.state.task().is_some_and(|task| task.slots.contains_key(&slot.id));
            if !held {
                self.believe_beside(slot, value);
            }
        }
        let told = reply.value(SlotKind::Story).filter(|words| account::is_told(words));
        let Some(told) = told.and_then(|words| self.account(&words)) else { return false };
        let open = self.state.task().is_some_and(|task| !task.slots.contains_key(&story.id));
        if open {
            self.believe_beside(story, Some(told));
        }
        open
    }
}

/// A message with whom it is for.
fn addressed(language: Language, to: &str, told: &Filled) -> Filled {
    let with = |text: &str| match language {
        Language::En => format!("For {to}: {text}"),
        Language::Es => format!("Para {to}: {text}"),
    };
    Filled::new(with(&told.value), with(&told.spoken))
}

/// A text with some of its words replaced. `None` where they do not stand in it.
fn swapped(ear: language::Ear, held: &str, old: &str, new: &str) -> Option<String> {
    let words: Vec<&str> = held.split_whitespace().collect();
    let plain: Vec<String> = words.iter().map(|word| ear.plain(word)).collect();
    let wanted: Vec<String> =
        old.split_whitespace().map(|word| ear.plain(word)).filter(|word| !word.is_empty()).collect();
    if wanted.is_empty() || wanted.len() >= words.len() {
        return None;
    }
    let at = plain.windows(wanted.len()).position(|some| some == wanted)?;
    let (before, after) = (&words[..at], &words[at + wanted.len()..]);
    // "Maple Street, not Mabel", of "Mabel Street": the kind of street is not said twice.
    let last = new.split_whitespace().last().map(|word| ear.plain(word));
    let after = if after.first().map(|word| ear.plain(word)) == last { &after[1..] } else { after };
    Some([before, &[new], after].concat().join(" "))
}

#[cfg(test)]
mod tests {
    use language::Ear;

    use super::*;

    #[test]
    fn words_that_were_wrong_are_replaced() {
        let ear = Ear(Language::En);
        let swapped = |held, old, new| swapped(ear, held, old, new);
        assert_eq!(swapped("12 Mabel Street", "mabel", "maple").as_deref(), Some("12 maple Street"));
        assert_eq!(swapped("Mabel Street", "mabel", "maple street").as_deref(), Some("maple street"));
        assert_eq!(swapped("Mabel Street", "oak", "maple"), None);
        assert_eq!(swapped("Mabel Street", "mabel street", "maple"), None);
    }
}
