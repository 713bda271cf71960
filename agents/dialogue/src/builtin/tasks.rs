//! Filling the slots of a task: asking, reading, correcting, reading back.

use pipeline::turn::{Expectation, SegmentKind};

use super::account;
use super::addressee::MESSAGE;
use super::beliefs::Source;
use super::beliefs::closed::weekdays_heard;
use super::beliefs::confirm::corrects;
use super::beliefs::days::day_wanted;
use super::intent::by_cue;
use super::replied::Taken;
use super::script::{Does, Slot, SlotKind, TaskScript};
use super::slots::{self, Context, Read};
use super::state::{Filled, Pending, Stage, Task};
use super::turn::Turn;
use language::YesNo;
use language::beside::question_beside;
use language::repair::repaired;
use language::steer::Steer;

impl<'a> Turn<'a> {
    /// Begins a task. Who asks for a person is put through where somebody takes calls, if they wish.
    pub(super) fn start_task(&mut self, id: &str, text: &str) {
        if id != "person" || !self.offers_put_through(text, "put_through_offer") {
            self.begin_task(id, text);
        }
    }

    /// Begins a task, or takes it up again, with whatever the caller's words give already.
    pub(super) fn begin_task(&mut self, id: &str, text: &str) {
        self.begin_told(id, text, "");
    }

    /// Begins a task with what was told before it was offered, and what was said to the offer.
    pub(super) fn begin_told(&mut self, id: &str, text: &str, more: &str) {
        let script = self.script;
        // A claim that does not exist yet begins as a report of the damage.
        let id = if id == "claim" && self.is_new_claim(text) { "incident" } else { id };
        let Some(task) = script.task(id) else { return self.miss(text) };
        if self.asks_more_of_claim(id, text) {
            return;
        }
        if self.repeats_filed(task, text) {
            return self.already_filed(id, text);
        }
        let before = self.told_of_before(id, text);
        let text = before.as_deref().unwrap_or(text);
        self.leaves_line_for(id);
        self.state.pending = None;
        self.state.unanswered = 0;
        self.did(id, "started");
        if let Some(at) = self.state.tasks.iter().position(|t| t.id == id && t.amends.is_none()) {
            let resumed = self.state.tasks.remove(at);
            self.state.tasks.push(resumed);
        } else {
            let fresh = self.prefilled(task);
            self.state.tasks.push(fresh);
        }
        self.tells_now(text, true);
        let by_parts = self.opening_replied(text);
        // What was put right in the same breath was never meant.
        let told = self.volunteer(&repaired(self.ear, text), None);
        if !more.is_empty() {
            self.volunteer(&repaired(self.ear, more), None);
        }
        self.name_the_matter(text);
        let story = by_parts || told.iter().any(|slot| slot == "what");
        let (part, intro) = if story && !task.intro_story.is_empty() {
            ("intro_story", &task.intro_story)
        } else {
            ("intro", &task.intro)
        };
        let intro = self.worded_or(&format!("{}.{part}", task.id), intro);
        self.say_one_of(intro, "intro", &[], SegmentKind::Reply, false);
        self.advance();
    }

    pub(super) fn prefilled(&self, script: &TaskScript) -> Task {
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
        if self.turns_to_claim(script, text) {
            return;
        }
        let own = self.told_for_later(text);
        let text = match &own {
            Some(own)
                if self.ear.terms(&self.ear.plain(own)).is_empty() && self.ear.yes_no(own).is_none() =>
            {
                return self.ask_again_quietly();
            }
            Some(own) => own.as_str(),
            None => text,
        };
        self.tells_now(text, false);
        let reply = self.reply(text);
        if script.id == "person" && self.tells_of_nobody_now(text) {
            return;
        }
        if script.id == "person" && self.unwants_call(text) {
            return self.cancel();
        }
        let mut taken = Taken::Nothing;
        if reply.is_mixed() {
            taken = self.replied(&reply, text);
        }
        let said = match &taken {
            Taken::All => return,
            Taken::Rest(rest) => rest.as_str(),
            Taken::Nothing => text,
        };
        let text = repaired(self.ear, said);
        let text = text.as_str();
        let slot = match &stage {
            Stage::Slot(id) => script.slot(id),
            _ => None,
        };
        let free = slot.is_some_and(|s| matches!(s.kind, SlotKind::Story | SlotKind::Text));
        let answers_now = slot.is_some_and(|s| s.kind == SlotKind::Injured || self.asks_known(s))
            && self.ear.yes_no(text).is_some();
        // "Yes, thanks, bye" confirms before it ends the call.
        let yes_no = self.ear.yes_no(text);
        let finishing = stage == Stage::Confirm
            && yes_no.is_some()
            && (yes_no == Some(YesNo::Yes) || !self.says_bye(text));
        if !(answers_now || finishing) && self.control_in_task(text, free) {
            return;
        }
        if !reply.is_mixed() && matches!(self.replied(&reply, said), Taken::All) {
            return;
        }
        let rest = self.without_call_wish(text);
        let text = match &rest {
            Some(rest) if self.ear.plain(rest).is_empty() => return self.resume(),
            Some(rest) => rest.as_str(),
            None => text,
        };
        let told = slot.is_none_or(|s| !matches!(s.kind, SlotKind::Story | SlotKind::Text));
        let beside = if told { question_beside(self.ear, text) } else { None };
        let text = match &beside {
            Some((answer, question)) => {
                self.answer_beside(question, stage == Stage::Confirm);
                answer.as_str()
            }
            None => text,
        };
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

    pub(super) fn context(&self) -> Context<'_> {
        let digits = self.state.task().map_or("", |t| t.digits.as_str());
        Context { ear: self.ear, now: self.view.now, area_code: &self.view.facts.area_code, digits }
    }

    pub(super) fn task_mut(&mut self, change: impl FnOnce(&mut Task)) {
        if let Some(task) = self.state.tasks.last_mut() {
            change(task);
        }
    }

    // ------------------------------------------------------------ one slot

    pub(super) fn slot_answer(&mut self, slot: &'a Slot, text: &str) {
        if slot.kind == SlotKind::Opening {
            return self.choose_opening(text);
        }
        if self.answers_doubt_of(slot, text) {
            return;
        }
        if self.asks_known(slot) && self.known_number(slot, text) {
            return;
        }
        if slot.kind == SlotKind::Phone && self.state.caller_number && self.means_this_number(text) {
            return self.take_caller_number(slot);
        }
        if slot.kind == SlotKind::Phone && slot.optional && self.refuses_only_call(text) {
            return self.declined(slot);
        }
        if slot.kind == SlotKind::Phone && self.means_this_number(text) {
            // The carrier gave none, which the caller cannot know.
            self.say("number_unseen");
            self.expects = Expectation::Digits;
            return self.did(&slot.id, "asked again");
        }
        if slot.kind == SlotKind::Proof && self.is_secret(text) {
            return self.check_secret(text);
        }
        if self.told_late(slot, text) {
            return;
        }
        if self.rambles(slot, text) {
            self.did(&slot.id, "asked again");
            return self.ask(slot);
        }
        // A question is no place, name or story, whatever it is made of.
        let tells_where = matches!(slot.kind, SlotKind::Place | SlotKind::Address)
            && !text.trim_end().ends_with('?')
            && self.ear.place_stated(text).is_some();
        let asks = self.ear.is_question(text)
            && !tells_where
            && matches!(
                slot.kind,
                SlotKind::Place | SlotKind::Name | SlotKind::Story | SlotKind::Text | SlotKind::Proof
            );
        // "No, nobody" answers whether anybody was hurt, and puts nothing right.
        let answers = slot.kind == SlotKind::Injured
            && (self.ear.yes_no(text).is_some() || matches!(self.read(slot, text), Read::Value(_)));
        let changes = corrects(self.ear, text) || self.does_to_it(text) == Steer::Change;
        let corrected = if !answers && changes { self.correct(text, Some(&slot.id)) } else { Vec::new() };
        let read = if asks { Read::Nothing } else { self.read(slot, text) };
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

    /// Reads an answer; a weekday that was misheard is known by its sound.
    pub(super) fn read(&self, slot: &Slot, text: &str) -> Read {
        let day = matches!(slot.kind, SlotKind::Day).then(|| day_wanted(self.ear, text));
        let text = day.as_deref().unwrap_or(text);
        let read = slots::answered(slot.kind, text, self.context());
        let heard = || weekdays_heard(self.ear, text);
        match read {
            Read::Nothing if matches!(slot.kind, SlotKind::Day | SlotKind::When) => {
                heard().map_or(Read::Nothing, |heard| slots::answered(slot.kind, &heard, self.context()))
            }
            read => read,
        }
    }

    pub(super) fn filled(&mut self, slot: &'a Slot, value: Filled, text: &str) {
        if self.doubts(slot, &value) {
            return;
        }
        let value = if slot.kind == SlotKind::Day { self.not_ruled_out(slot, value, text) } else { value };
        let value = self.nearest_known(slot, value);
        let value = if slot.id == MESSAGE { self.with_addressee(value) } else { value };
        let from = if value.value == "caller" { Source::CallersNumber } else { Source::Asked };
        self.task_mut(|task| task.digits.clear());
        let taken = self
            .state
            .tasks
            .last_mut()
            .is_some_and(|task| task.believe(&slot.id, slot.kind, value.clone(), from));
        if !taken {
            return self.missed(slot);
        }
        self.keep_known(slot, &value);
        self.volunteer(text, Some(&slot.id));
        if !matches!(slot.kind, SlotKind::Story | SlotKind::Text) {
            self.keep_side_question(text);
        }
        self.did(&slot.id, "noted");
        if slot.kind == SlotKind::Injured && value.value == "yes" && self.may_still_need_help() {
            self.say("hurt_911");
        } else if self.state.turn.is_multiple_of(2) && self.asks_on() {
            self.say("noted");
        }
        self.advance();
    }

    /// Whether somebody who was hurt may need help still: nothing says that it was on another day, and nobody was sent to 911 yet.
    fn may_still_need_help(&self) -> bool {
        let today = self.view.now.date().to_string();
        let when = self.state.task().and_then(|task| task.slots.get("when"));
        !self.state.told_911
            && when.is_none_or(|when| when.value.is_empty() || when.value.starts_with(&today))
    }

    /// Whether the task has something left to ask: what ends it says thank you itself.
    fn asks_on(&self) -> bool {
        let Some((_, script)) = self.current() else { return false };
        self.state.task().is_some_and(|task| script.slots.iter().any(|s| !task.slots.contains_key(&s.id)))
    }

    /// Name and number serve the later tasks of the call too.
    pub(super) fn keep_known(&mut self, slot: &Slot, value: &Filled) {
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
                SlotKind::Story if except.is_none() => self.told_story(text),
                SlotKind::Text if except.is_none() && slot.id == "reason" => self.told_reason(text),
                kind => slots::stated(kind, text, self.context())
                    .or_else(|| beside_story.then(|| slots::implied(kind, text, self.context())).flatten()),
            };
            let value = value.filter(|value| slot.kind != SlotKind::Day || !self.is_out(&value.value));
            let Some(value) = value.map(|value| self.nearest_known(slot, value)) else { continue };
            let taken =
                self.state.tasks.last_mut().is_some_and(|task| {
                    task.believe(&slot.id, slot.kind, value.clone(), Source::Volunteered)
                });
            if taken {
                self.keep_known(slot, &value);
                found.push(slot.id.clone());
            }
        }
        found
    }

    /// What happened, told only now: in answer to another question, after an account that said next to nothing.
    /// `true` when the question that is open stays open.
    fn told_late(&mut self, slot: &'a Slot, text: &str) -> bool {
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

    pub(super) fn over_asked(&mut self, question: &str) -> bool {
        self.state.tasks.last_mut().is_some_and(|task| task.count(question).is_none())
    }

    pub(super) fn declined(&mut self, slot: &'a Slot) {
        self.did(&slot.id, "was not told");
        if slot.optional {
            self.task_mut(|task| task.fill(&slot.id, Filled::not_given()));
            self.say("skipped");
            self.advance();
        } else {
            self.ask(slot);
        }
    }

    fn is_new_claim(&self, text: &str) -> bool {
        // Whoever has a number asks about that one, however it came to be filed.
        if slots::stated(SlotKind::ClaimNumber, text, self.context()).is_some() {
            return false;
        }
        let plain = self.ear.plain(text);
        self.ear.cues().new_claim.iter().any(|words| plain.contains(words))
    }

    /// Nothing for the slot: other slots, small talk, another task, a question, or not understood.
    fn not_an_answer(&mut self, slot: &'a Slot, text: &str) {
        if slot.kind == SlotKind::ClaimNumber && self.is_new_claim(text) {
            self.state.tasks.pop();
            return self.start_task("incident", text);
        }
        // Asked again, nobody finds a letter that they do not have.
        if slot.kind == SlotKind::ClaimNumber && self.script.acts.lacks_number(&self.ear.plain(text)) {
            self.state.tasks.pop();
            self.did("claim", "no number");
            return self.ask_pending("claim_no_number", Pending::Offer("person".to_owned()));
        }
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
                // "No, not an inspection, I want to give them a message": what was begun was never meant.
                if self.denies_task(text) {
                    self.did("cancel", "dropped it");
                    self.state.tasks.pop();
                    self.say_cancelled();
                }
                return self.start_task(&id, text);
            }
            // The wish once more, amid the task that serves it, asks for no page.
            Some(Does::Task(id)) if self.state.task().is_some_and(|t| t.id == *id) => {
                self.did(&slot.id, "asked again");
                return self.ask(slot);
            }
            Some(Does::Control(id)) if matches!(id.as_str(), "thanks" | "acknowledge" | "presence") => {
                let id = id.clone();
                self.say(&id);
                return self.ask(slot);
            }
            _ => {}
        }
        let relevant = self.passage(text).is_some();
        let long = self.ear.plain(text).split(' ').count() > 3;
        if self.ear.is_question(text) || (relevant && !self.ear.is_bare_yes_no(text) && long) {
            return self.digress(text);
        }
        self.did(&slot.id, "asked again");
        self.ask(slot);
    }

    /// "Not an inspection": the words turn down the very task that is under way.
    fn denies_task(&self, text: &str) -> bool {
        let Some((_, script)) = self.current() else { return false };
        let plain = format!(" {} ", self.ear.plain(text));
        let denied = |word: &str| {
            let nots = ["not a", "not an", "not the", "no una", "no un", "no es una", "no es un"];
            nots.iter().any(|not| plain.contains(&format!(" {not} {word} ")))
        };
        self.ear.plain(&script.spoken).split(' ').any(|word| word.len() > 3 && denied(word))
    }

    // ------------------------------------------------------------ asking

    /// Asks for the next slot that is missing, reads back, or completes.
    pub(super) fn advance(&mut self) {
        self.keep_untaken(false);
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

    /// Key of a slot's sentence in the table of all that is said.
    pub(super) fn key_of(&self, slot: &Slot, part: &str) -> String {
        format!("{}.{}.{part}", self.state.task().map_or("", |task| task.id.as_str()), slot.id)
    }

    /// Goes back to the task after something else. Name and number that were told meanwhile serve it too.
    pub(super) fn resume(&mut self) {
        if let Some((stage, script)) = self.current() {
            let asked = match &stage {
                Stage::Slot(id) => {
                    script.slot(id).filter(|s| matches!(s.kind, SlotKind::Name | SlotKind::Phone))
                }
                _ => None,
            };
            for slot in script.slots.iter().filter(|_| asked.is_some()) {
                let known = self.state.known.get(&slot.id);
                let Some(known) =
                    known.filter(|_| matches!(slot.kind, SlotKind::Name | SlotKind::Phone)).cloned()
                else {
                    continue;
                };
                self.task_mut(|task| {
                    if !task.slots.contains_key(&slot.id) {
                        task.fill(&slot.id, known);
                    }
                });
            }
            let answered = matches!(&stage, Stage::Slot(id) if self.state.task().is_some_and(|t| t.slots.contains_key(id)));
            if answered {
                self.say_with("resume", &[("task", &script.spoken)]);
                return self.advance();
            }
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
    pub(super) fn exhausted(&mut self, slot: &'a Slot) {
        if slot.optional {
            self.task_mut(|task| task.fill(&slot.id, Filled::not_given()));
            self.say("skipped");
            self.advance();
        } else {
            self.abandon();
        }
    }
}

const fn permissive(kind: SlotKind) -> bool {
    matches!(kind, SlotKind::Place | SlotKind::Story | SlotKind::Text | SlotKind::Name)
}
