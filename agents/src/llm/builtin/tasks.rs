//! Filling the slots of a task: asking, reading, correcting, reading back.

use std::sync::LazyLock;

use pipeline::ports::Language;
use pipeline::turn::{Expectation, SegmentKind};
use regex::Regex;

use super::account;
use super::intent::by_cue;
use super::script::{Does, Slot, SlotKind, TaskScript};
use super::slots::{self, Context, Read};
use super::state::{Filled, Stage, Task};
use super::turn::{Turn, expectation};
use language::Ear;
use language::YesNo;

impl<'a> Turn<'a> {
    /// Begins a task, or takes it up again, with whatever the caller's words give already.
    pub(super) fn start_task(&mut self, id: &str, text: &str) {
        let script = self.script;
        let Some(task) = script.task(id) else { return self.miss() };
        self.state.pending = None;
        self.state.unanswered = 0;
        self.did(id, "started");
        if let Some(at) = self.state.tasks.iter().position(|t| t.id == id) {
            let resumed = self.state.tasks.remove(at);
            self.state.tasks.push(resumed);
        } else {
            let fresh = self.prefilled(task);
            self.state.tasks.push(fresh);
        }
        let told = self.volunteer(text, None);
        let story = told.iter().any(|slot| slot == "what");
        let intro = if story && !task.intro_story.is_empty() { &task.intro_story } else { &task.intro };
        self.say_one_of(intro, "intro", &[], SegmentKind::Reply, false);
        self.advance();
    }

    fn prefilled(&self, script: &TaskScript) -> Task {
        let mut task = Task::new(&script.id);
        for (slot, value) in &script.presets {
            task.slots.insert(slot.clone(), Filled::new(value.clone(), value.clone()));
        }
        for slot in &script.slots {
            if let Some(known) = self
                .state
                .known
                .get(&slot.id)
                .filter(|_| matches!(slot.kind, SlotKind::Name | SlotKind::Phone))
            {
                task.fill(&slot.id, known.clone());
            }
        }
        task
    }

    /// What the caller said while a task waits for an answer.
    pub(super) fn in_task(&mut self, text: &str) {
        let Some((stage, script)) = self.current() else { return };
        let slot = match &stage {
            Stage::Slot(id) => script.slot(id),
            _ => None,
        };
        let free = slot.is_some_and(|s| matches!(s.kind, SlotKind::Story | SlotKind::Text));
        let answers_now = slot.is_some_and(|s| s.kind == SlotKind::Injured || self.asks_known(s))
            && self.ear.yes_no(text).is_some();
        let finishing = stage == Stage::Confirm && self.ear.yes_no(text).is_some() && !self.says_bye(text);
        if !(answers_now || finishing) && self.control_in_task(text, free) {
            return;
        }
        match stage {
            Stage::Confirm => self.confirm(text),
            Stage::Which => self.which(text),
            Stage::Slot(_) => {
                if let Some(slot) = slot {
                    self.slot_answer(slot, text);
                }
            }
        }
    }

    pub(super) fn current(&self) -> Option<(Stage, &'a TaskScript)> {
        let task = self.state.task()?;
        Some((task.stage.clone(), self.script.task(&task.id)?))
    }

    fn context(&self) -> Context<'_> {
        let digits = self.state.task().map_or("", |t| t.digits.as_str());
        Context { ear: self.ear, now: self.view.now, area_code: &self.view.facts.area_code, digits }
    }

    pub(super) fn task_mut(&mut self, change: impl FnOnce(&mut Task)) {
        if let Some(task) = self.state.tasks.last_mut() {
            change(task);
        }
    }

    // ------------------------------------------------------------ one slot

    fn slot_answer(&mut self, slot: &'a Slot, text: &str) {
        if slot.kind == SlotKind::Opening {
            return self.choose_opening(text);
        }
        if self.asks_known(slot) && self.known_number(slot, text) {
            return;
        }
        if slot.kind == SlotKind::Proof && self.is_secret(text) {
            return self.check_secret(text);
        }
        if self.told_late(slot, text) {
            return;
        }
        // A question is no place, name or story, whatever it is made of.
        let asks = self.ear.is_question(text)
            && matches!(
                slot.kind,
                SlotKind::Place | SlotKind::Name | SlotKind::Story | SlotKind::Text | SlotKind::Proof
            );
        let corrected =
            if corrects(self.ear, text) { self.correct(text, Some(&slot.id)) } else { Vec::new() };
        let read = if asks { Read::Nothing } else { slots::answered(slot.kind, text, self.context()) };
        match read {
            Read::Value(value) if corrected.is_empty() || !permissive(slot.kind) => {
                self.filled(slot, value, text)
            }
            _ if !corrected.is_empty() => self.acknowledge_correction(),
            Read::Part(digits) => self.part_of_number(slot, digits),
            Read::Wrong => self.wrong_number(slot),
            Read::Declined => self.declined(slot),
            _ => self.not_an_answer(slot, text),
        }
    }

    fn filled(&mut self, slot: &Slot, value: Filled, text: &str) {
        self.keep_known(slot, &value);
        self.task_mut(|task| {
            task.fill(&slot.id, value);
            task.digits.clear();
        });
        self.volunteer(text, Some(&slot.id));
        self.did(&slot.id, "noted");
        if self.state.turn.is_multiple_of(2) {
            self.say("noted");
        }
        self.advance();
    }

    /// Name and number serve the later tasks of the call too.
    fn keep_known(&mut self, slot: &Slot, value: &Filled) {
        if matches!(slot.kind, SlotKind::Name | SlotKind::Phone) {
            self.state.known.insert(slot.id.clone(), value.clone());
        }
    }

    /// Takes every slot the words give beside the one that was asked for. Gives the ids of those.
    fn volunteer(&mut self, text: &str, except: Option<&str>) -> Vec<String> {
        let Some((_, script)) = self.current() else { return Vec::new() };
        let mut found = Vec::new();
        if text.is_empty() {
            return found;
        }
        // Asked what happened, a bare name or place answers another question.
        let asked = except.and_then(|id| script.slot(id));
        let beside_story =
            asked.is_some_and(|s| s.kind == SlotKind::Story) && account::particulars_only(self.ear, text);
        for slot in script.slots.iter().filter(|s| Some(s.id.as_str()) != except) {
            if self.state.task().is_some_and(|t| t.slots.contains_key(&slot.id)) {
                continue;
            }
            let value = match slot.kind {
                SlotKind::Story if except.is_none() => account::opening_story(self.ear, text),
                SlotKind::Text if except.is_none() && slot.id == "reason" => {
                    account::opening_reason(self.ear, text)
                }
                kind => slots::stated(kind, text, self.context())
                    .or_else(|| beside_story.then(|| slots::implied(kind, text, self.context())).flatten()),
            };
            if let Some(value) = value {
                self.keep_known(slot, &value);
                self.task_mut(|task| task.fill(&slot.id, value));
                found.push(slot.id.clone());
            }
        }
        found
    }

    /// What happened, told only now: in answer to another question, after an account that said next to nothing.
    /// `true` when the question that is open stays open.
    fn told_late(&mut self, slot: &Slot, text: &str) -> bool {
        let Some((_, script)) = self.current() else { return false };
        let Some(story) = script.slots.iter().find(|s| s.kind == SlotKind::Story && s.id != slot.id) else {
            return false;
        };
        let Some(old) = self.state.task().and_then(|t| t.slots.get(&story.id)).cloned() else { return false };
        if !account::is_thin(self.ear, &old.value) || !account::tells_event(self.ear, text) {
            return false;
        }
        let all = account::completed(self.ear, &old, text);
        self.task_mut(|task| task.fill(&story.id, all));
        if self.ear.yes_no(text).is_some() {
            return false;
        }
        self.did(&story.id, "noted");
        self.volunteer(text, Some(&story.id));
        self.task_mut(|task| task.uncount(&slot.id));
        self.say("noted");
        self.advance();
        true
    }

    fn part_of_number(&mut self, slot: &Slot, digits: String) {
        let part = digits.clone();
        self.task_mut(|task| task.digits = digits);
        if self.over_asked("phone?part") {
            self.task_mut(|task| task.digits.clear());
            return self.ask(slot);
        }
        self.say_with("phone_rest", &[("part", &part)]);
        self.expects = Expectation::Digits;
    }

    fn wrong_number(&mut self, slot: &Slot) {
        self.task_mut(|task| task.digits.clear());
        if self.over_asked(&slot.id) {
            return self.exhausted(slot);
        }
        self.say("phone_wrong");
        self.expects = Expectation::Digits;
    }

    pub(super) fn over_asked(&mut self, question: &str) -> bool {
        self.state.tasks.last_mut().is_some_and(|task| task.count(question).is_none())
    }

    fn declined(&mut self, slot: &Slot) {
        self.did(&slot.id, "was not told");
        if slot.optional {
            self.task_mut(|task| task.fill(&slot.id, Filled::not_given()));
            self.say("skipped");
            self.advance();
        } else {
            self.ask(slot);
        }
    }

    /// Nothing for the slot: other slots, small talk, another task, a question, or not understood.
    fn not_an_answer(&mut self, slot: &'a Slot, text: &str) {
        let told = self.volunteer(text, Some(&slot.id));
        if !told.is_empty() {
            self.task_mut(|task| task.uncount(&slot.id));
            self.say("noted");
            return self.advance();
        }
        // A value for a slot that has one already is a correction, also without "no".
        if !self.ear.is_question(text) && !self.correct(text, Some(&slot.id)).is_empty() {
            return self.acknowledge_correction();
        }
        match by_cue(self.script, text).map(|c| &c.intent.does) {
            Some(Does::Task(id))
                if self.state.task().is_none_or(|t| t.id != *id) && !self.ear.is_question(text) =>
            {
                let id = id.clone();
                return self.start_task(&id, text);
            }
            Some(Does::Control(id)) if matches!(id.as_str(), "thanks" | "acknowledge" | "presence") => {
                let id = id.clone();
                self.say(&id);
                return self.ask(slot);
            }
            _ => {}
        }
        let relevant = self.passage(text).is_some_and(|p| p.relevance >= 0.6);
        let long = self.ear.plain(text).split(' ').count() > 3;
        if self.ear.is_question(text) || (relevant && !self.ear.is_bare_yes_no(text) && long) {
            return self.digress(text);
        }
        self.did(&slot.id, "asked again");
        self.ask(slot);
    }

    // ------------------------------------------------------------ asking

    /// Asks for the next slot that is missing, reads back, or completes.
    pub(super) fn advance(&mut self) {
        loop {
            let Some((_, script)) = self.current() else { return self.anything_else() };
            let Some(task) = self.state.task() else { return };
            let missing = script.slots.iter().find(|s| !task.slots.contains_key(&s.id));
            match missing {
                Some(slot) => {
                    if let Some(value) = self.skippable(script, slot) {
                        self.task_mut(|task| task.fill(&slot.id, value));
                        continue;
                    }
                    return self.ask(slot);
                }
                None if script.confirm => return self.read_back(script),
                None => return self.complete(false),
            }
        }
    }

    fn skippable(&self, script: &TaskScript, slot: &Slot) -> Option<Filled> {
        let skip = slot.skip_when.as_ref()?;
        let value = &self.state.task()?.slots.get(&skip.slot)?.value;
        self.script
            .skips(&script.id, &slot.id, value)
            .then(|| Filled::new(skip.value.clone(), skip.spoken.clone()))
    }

    pub(super) fn ask(&mut self, slot: &Slot) {
        self.task_mut(|task| task.stage = Stage::Slot(slot.id.clone()));
        if slot.kind == SlotKind::Opening {
            return self.offer_openings();
        }
        if self.may_ask_known(slot) {
            self.task_mut(|task| task.asked_known = true);
            self.say_one_of(&slot.ask_known, &slot.id, &[], SegmentKind::Reply, false);
            self.expects = Expectation::YesNo;
            return;
        }
        let count = self.state.tasks.last_mut().and_then(|task| task.count(&slot.id));
        let without_pin = slot.kind == SlotKind::Proof && self.is_pin_locked();
        match count {
            Some(_) if without_pin => self.say("proof_without_pin"),
            Some(1) => self.say_one_of(&slot.ask, &slot.id, &[], SegmentKind::Reply, false),
            Some(count) => {
                let nth = usize::from(count - 2).min(slot.again.len().saturating_sub(1));
                let again = slot.again.get(nth).cloned().unwrap_or_default();
                self.say_text(&again, &[], SegmentKind::Reply, false);
            }
            None => return self.exhausted(slot),
        }
        self.expects = if without_pin { Expectation::Name } else { expectation(slot.kind) };
    }

    fn may_ask_known(&self, slot: &Slot) -> bool {
        let fresh =
            self.state.task().is_some_and(|t| !t.asked_known && !t.known_refused && t.digits.is_empty());
        slot.kind == SlotKind::Phone && self.state.caller_number && !slot.ask_known.is_empty() && fresh
    }

    /// Whether the open question is "is the number you call from the right one?".
    fn asks_known(&self, slot: &Slot) -> bool {
        slot.kind == SlotKind::Phone && self.state.task().is_some_and(|t| t.asked_known && !t.known_refused)
    }

    fn known_number(&mut self, slot: &Slot, text: &str) -> bool {
        let (ear, cues) = (self.ear, self.ear.cues());
        if ear.whole_phone(text).is_some() {
            self.task_mut(|task| task.known_refused = true);
            return false;
        }
        let plain = ear.plain(text);
        let this = cues.this_number.iter().any(|p| plain.contains(p));
        match ear.yes_no(text) {
            _ if this && ear.yes_no(text) != Some(YesNo::No) => self.take_caller_number(slot),
            Some(YesNo::Yes) => self.take_caller_number(slot),
            Some(YesNo::No) => {
                self.task_mut(|task| task.known_refused = true);
                // "No, it's 555-0143" holds the answer.
                if ear.count_digits(text) >= 7 {
                    return false;
                }
                self.ask(slot);
            }
            None => return false,
        }
        true
    }

    fn take_caller_number(&mut self, slot: &Slot) {
        let value = Filled::new("caller", self.ear.cues().says.caller_number);
        self.filled(slot, value, "");
    }

    /// Goes back to the task after something else.
    pub(super) fn resume(&mut self) {
        if let Some((_, script)) = self.current() {
            self.say_with("resume", &[("task", &script.spoken)]);
            self.ask_again_quietly();
        }
    }

    /// Puts the open question once more.
    pub(super) fn ask_again_quietly(&mut self) {
        let Some((stage, script)) = self.current() else { return };
        match stage {
            Stage::Slot(id) => {
                if let Some(slot) = script.slot(&id) {
                    self.ask(slot);
                }
            }
            Stage::Confirm => self.read_back(script),
            Stage::Which => self.ask_which(script),
        }
    }

    /// Asked often enough: go on without it, or give the task up.
    fn exhausted(&mut self, slot: &Slot) {
        if slot.optional {
            self.task_mut(|task| task.fill(&slot.id, Filled::not_given()));
            self.say("skipped");
            self.advance();
        } else {
            self.abandon();
        }
    }

    // ------------------------------------------------------------ correcting

    /// Replaces filled values by others in the words. Gives the slots that changed.
    fn correct(&mut self, text: &str, asked: Option<&str>) -> Vec<&'a Slot> {
        let Some((_, script)) = self.current() else { return Vec::new() };
        let mut changed = Vec::new();
        for slot in script.slots.iter().filter(|s| Some(s.id.as_str()) != asked) {
            let Some(old) = self.state.task().and_then(|t| t.slots.get(&slot.id)).cloned() else { continue };
            if slot.kind == SlotKind::Opening {
                changed.extend(self.change_opening(text).then_some(slot));
                continue;
            }
            let value =
                slots::stated(slot.kind, text, self.context()).or_else(|| self.named_value(slot, text));
            let value = value.map(|new| {
                if slot.kind == SlotKind::When { slots::merged_when(self.ear, &old, new) } else { new }
            });
            if let Some(value) = value.filter(|v| v.value != old.value) {
                self.keep_known(slot, &value);
                self.task_mut(|task| task.fill(&slot.id, value));
                changed.push(slot);
            }
        }
        changed
    }

    /// "The name is …", "the number is 555-0143": the slot is named, so its reader may be generous.
    fn named_value(&self, slot: &Slot, text: &str) -> Option<Filled> {
        let links = self.ear.cues().links;
        let plain = self.ear.plain(text);
        let named =
            slot.words.iter().find(|w| links.iter().any(|link| plain.contains(&format!("{w} {link}"))))?;
        let rest = text.to_lowercase().find(named.as_str()).and_then(|at| text.get(at + named.len()..))?;
        let rest = links.iter().fold(rest.trim_start(), |rest, link| rest.trim_start_matches(link));
        match slots::answered(slot.kind, rest, Context { digits: "", ..self.context() }) {
            Read::Value(value) => Some(value),
            _ => None,
        }
    }

    fn acknowledge_correction(&mut self) {
        self.say("corrected");
        self.did("correction", "changed it");
        self.advance();
    }

    // ------------------------------------------------------------ confirming

    fn confirm(&mut self, text: &str) {
        let Some((_, script)) = self.current() else { return };
        let (ear, answer) = (self.ear, self.ear.yes_no(text));
        let changed = self.correct(text, None);
        if !changed.is_empty() {
            self.did("correction", "changed it");
            return self.read_changed(&changed);
        }
        if ear.is_question(text) && answer.is_none() {
            return self.digress(text);
        }
        let plain = ear.plain(text);
        match answer {
            Some(YesNo::Yes) => self.complete(false),
            _ if self.names_slot(script, &plain).is_some() => self.which(text),
            Some(YesNo::No) if ear.cues().all_said.contains(&plain.as_str()) => self.complete(false),
            Some(YesNo::No) if plain.split(' ').count() > 4 && self.add_to_story(script, text) => {}
            Some(YesNo::No) => self.ask_which(script),
            None if plain.split(' ').count() > 3
                && by_cue(self.script, text).is_none()
                && self.add_to_story(script, text) => {}
            None => self.switch_or_read_back(script, text),
        }
    }

    fn switch_or_read_back(&mut self, script: &'a TaskScript, text: &str) {
        match by_cue(self.script, text).map(|c| &c.intent.does) {
            Some(Does::Task(id)) if *id != script.id => {
                let id = id.clone();
                self.start_task(&id, text);
            }
            _ => self.read_back(script),
        }
    }

    /// What the readers cannot place is added to the account, so that nothing told is lost.
    fn add_to_story(&mut self, script: &TaskScript, text: &str) -> bool {
        let Some(slot) = script.slots.iter().find(|s| matches!(s.kind, SlotKind::Story | SlotKind::Text))
        else {
            return false;
        };
        let Some(old) = self.state.task().and_then(|t| t.slots.get(&slot.id)).cloned() else { return false };
        let added = Filled::new(
            format!("{} {} {}", old.value, self.ear.cues().says.correction, text.trim()),
            format!("{} {}", old.spoken, text.trim()),
        );
        self.task_mut(|task| task.fill(&slot.id, added));
        self.did("correction", "added it");
        self.read_changed(&[slot]);
        true
    }

    fn ask_which(&mut self, script: &TaskScript) {
        if self.over_asked("which") {
            return self.complete(true);
        }
        self.task_mut(|task| task.stage = Stage::Which);
        let mut parts: Vec<&str> =
            script.slots.iter().filter(|s| !s.words.is_empty()).map(|s| s.called.as_str()).collect();
        let says = &self.ear.cues().says;
        let last = parts.pop().unwrap_or(says.something);
        let parts = if parts.is_empty() {
            last.to_owned()
        } else {
            format!("{}, {} {last}", parts.join(", "), says.or)
        };
        self.say_with("which_part", &[("parts", &parts)]);
        self.expects = Expectation::Story;
    }

    fn which(&mut self, text: &str) {
        let Some((_, script)) = self.current() else { return };
        let changed = self.correct(text, None);
        if !changed.is_empty() {
            return self.read_changed(&changed);
        }
        let ear = self.ear;
        let plain = ear.plain(text);
        if let Some(slot) = self.names_slot(script, &plain) {
            self.task_mut(|task| {
                task.clear(&slot.id);
                // A fresh question: the caller wants to change it.
                task.asked.remove(&slot.id);
                task.known_refused = true;
            });
            return self.ask(slot);
        }
        match ear.yes_no(text) {
            Some(YesNo::No) if ear.is_bare_yes_no(text) => self.read_back(script),
            _ if ear.is_question(text) => self.digress(text),
            _ if plain.split(' ').count() > 3 && self.add_to_story(script, text) => {}
            _ => self.ask_which(script),
        }
    }

    fn names_slot(&self, script: &'a TaskScript, plain: &str) -> Option<&'a Slot> {
        let named =
            |slot: &&Slot| slot.words.iter().any(|w| format!(" {plain} ").contains(&format!(" {w} ")));
        // "Phone number" names the phone before a claim number or a house number.
        script.slots.iter().rev().find(named)
    }
}

const fn permissive(kind: SlotKind) -> bool {
    matches!(kind, SlotKind::Place | SlotKind::Story | SlotKind::Text | SlotKind::Name)
}

/// "No, …", "actually …", "I mean …": the words change something said before.
fn corrects(ear: Ear, text: &str) -> bool {
    static ENGLISH: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(um |uh |oh |wait |sorry |well |hold on )*(no|nope|actually|wait|sorry|i mean|i meant|correction|scratch that|that's wrong|not|change|let me correct|make that|it's not|i made a mistake|i misspoke|oops)\b|\b(i meant|instead of|not the|should be|i mean)\b").ok()
    });
    static SPANISH: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(eh |este |ah |oh |espere |perdon |perdone |bueno |pues )*(no|perdon|perdone|digo|mas bien|mejor dicho|corrijo|correccion|espere|me equivoque|esta mal|cambie|en realidad|la verdad)\b|\b(quise decir|quiero decir|en lugar de|en vez de|debe ser|mejor dicho)\b").ok()
    });
    let pattern = match ear.0 {
        Language::En => &ENGLISH,
        Language::Es => &SPANISH,
    };
    pattern.as_ref().is_some_and(|re| re.is_match(&ear.plain(text)))
}
