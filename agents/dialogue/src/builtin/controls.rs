//! Things a caller may say at any time that steer the conversation itself.

use language::Ear;
use language::offers::{Offered, Taken, taken};
use pipeline::ports::Language;
use pipeline::turn::{Expectation, SegmentKind};

use super::engine::Dialogue;
use super::intent::by_cue;
use super::script::{Does, SlotKind, TaskScript};
use super::slots;
use super::state::{Stage, Task};
use super::turn::Turn;

/// Days ahead in which a holiday is told of beside the hours.
const SOON: i64 = 14;
/// The task that tells of a claim.
pub(super) const CLAIM: &str = "claim";

/// From so much on what is said to a callback's questions is a wish for a message in its place.
const INSTEAD: f32 = 0.6;

impl Dialogue {
    /// Whether a caller is upset, in the language that is spoken: whoever else talks with them may want to know.
    #[must_use]
    pub fn hears_hostility(&self, language: Language, text: &str) -> bool {
        self.script_in(language).acts.insults(&Ear(language).plain(text))
    }
}

impl Turn<'_> {
    pub(super) fn control(&mut self, id: &str, text: &str) {
        self.did(id, "answered");
        self.asks_served = true;
        match id {
            "repeat" => self.repeat(),
            "slower" => self.slower(),
            "hold" => self.hold(),
            "identity" => self.told("identity"),
            "reference" => self.reference(),
            "filed" => self.told_filed(),
            "when_done" => self.when_done(text),
            "back" => self.back(),
            "restart" => self.restart(),
            "cancel" => self.cancel(),
            "why" => self.why(),
            "clock" => self.clock(),
            "office" if self.office_of_topic(text).is_some() => {
                if let Some(page) = self.office_of_topic(text) {
                    self.answer_with(&page, text);
                }
            }
            "office" if self.office_on(text) => self.resume_or_more_quietly(),
            "office" => self.office(),
            "abilities" => self.abilities(),
            "presence" => self.told("presence"),
            "anonymous" => self.told("anonymous"),
            "goodbye" => self.goodbye(),
            "thanks" => self.told("thanks"),
            "acknowledge" => self.told("acknowledge"),
            "spanish" => self.asked_for(Language::Es, text),
            "english" => self.asked_for(Language::En, text),
            super::consent::INTENT => self.withdraw_recording(),
            _ => self.no_page(text),
        }
    }

    fn why(&mut self) {
        if self.state.tasks.is_empty() {
            self.say("why_open");
        } else {
            self.say("why");
            if self.may_skip() {
                self.say("why_skip");
            }
        }
        self.resume_or_more_quietly();
    }

    fn may_skip(&self) -> bool {
        let Some((Stage::Slot(id), script)) = self.current() else { return false };
        script.slot(&id).is_some_and(|slot| slot.optional)
    }

    fn clock(&mut self) {
        let now = self.view.now;
        let (time, date) = (self.ear.spoken_time(now.time()), self.ear.spoken_date(now.date()));
        self.say_with("clock", &[("time", &time), ("date", &date)]);
        self.resume_or_more_quietly();
    }

    fn office(&mut self) {
        // As much as is known: what names something that is not known is not said.
        let known = self.worded("office").iter().filter(|text| self.view.facts.knows(text));
        match known.max_by_key(|text| text.matches('{').count()).cloned() {
            Some(fullest) => {
                self.say_one_of(std::slice::from_ref(&fullest), "office", &[], SegmentKind::Reply, false);
            }
            None => self.say("office"),
        }
        self.tell_of_holiday();
        self.resume_or_more_quietly();
    }

    /// The next day soon that the office is closed on though its hours say otherwise.
    fn tell_of_holiday(&mut self) {
        let (facts, today) = (&self.view.facts, self.view.now.date());
        let until = today + chrono::TimeDelta::days(SOON);
        let Some((day, name)) = facts.holidays.range(today..=until).next() else { return };
        let date = self.ear.spoken_date(*day);
        match (name.trim(), *day == today) {
            ("", true) => self.say("closed_today"),
            ("", false) => self.say_with("closed_on", &[("date", &date)]),
            (name, true) => self.say_with("closed_today_for", &[("holiday", name)]),
            (name, false) => self.say_with("closed_on_for", &[("date", &date), ("holiday", name)]),
        }
    }

    pub(super) fn resume_or_more_quietly(&mut self) {
        if self.state.tasks.is_empty() { self.anything_else() } else { self.ask_again_quietly() }
    }

    /// Says one thing and goes back to where we were.
    fn told(&mut self, key: &str) {
        self.say(key);
        match (self.state.tasks.is_empty(), key) {
            (true, _) if self.asks_missing() => {}
            (true, "presence" | "identity" | "anonymous") => {
                self.say("how_help");
                self.state.pending = None;
            }
            (true, _) => self.anything_else(),
            (false, _) => self.ask_again_quietly(),
        }
    }

    fn repeat(&mut self) {
        self.state.misses = self.misses_before;
        if self.state.last.is_empty() {
            self.say("repeat_nothing");
            return;
        }
        self.out = self.state.last.clone();
        // A promise that was made is a fact by now; its reference is in the text.
        for say in &mut self.out {
            say.promises = false;
            if say.kind.is_notice() {
                say.kind = SegmentKind::Reply;
            }
        }
        self.expects = self.state.last_expects;
        self.restore_pending();
    }

    fn slower(&mut self) {
        let again = self.state.last.clone();
        self.say("slower");
        self.out.extend(again.into_iter().map(|say| super::step::Say { promises: false, ..say }));
        self.expects = self.state.last_expects;
        self.restore_pending();
    }

    /// A repeated question waits for the same answer as before.
    fn restore_pending(&mut self) {
        if self.state.pending.is_none() && self.state.tasks.is_empty() {
            self.state.pending = self.state.last_pending.clone();
        }
    }

    fn hold(&mut self) {
        let again = self.state.last.clone();
        let expects = self.state.last_expects;
        self.say("hold");
        self.state.holding = true;
        self.restore_pending();
        self.expects = Expectation::Story;
        // "Say that again" after a wait means the question before it.
        self.out.iter_mut().for_each(|say| say.kind = SegmentKind::Prompt);
        self.state.last = again;
        self.state.last_expects = expects;
    }

    fn reference(&mut self) {
        match self.state.references.clone().as_slice() {
            [] => self.say("reference_none"),
            [reference] => self.tell_reference(reference),
            all => self.tell_references(all),
        }
        self.resume_or_more();
    }

    /// "Did you file it or not?"
    fn told_filed(&mut self) {
        if self.state.tasks.is_empty() && self.state.references.is_empty() {
            self.say("reference_none");
        } else if self.state.tasks.is_empty() {
            self.say("is_filed");
        } else {
            self.say("not_filed_yet");
        }
        self.resume_or_more_quietly();
    }

    /// "When will they come?": nobody has told us, and that is said. Of anything else it is a question like others.
    fn when_done(&mut self, text: &str) {
        let filed = !self.state.references.is_empty();
        let files = self.state.task().is_some_and(|task| task.id == "incident");
        if !filed && !files {
            return match self.passage(text).cloned() {
                Some(passage) => self.answer_with(&passage, text),
                None => self.no_page(text),
            };
        }
        let person = self.state.done.as_ref().is_some_and(|task| task.id == "person") && !files;
        let message = self.state.done.as_ref().is_some_and(|task| task.id == "message") && !files;
        if message {
            self.say("when_read");
        } else if person {
            let time = super::finish::callback_time(self.ear, self.view.now, self.view.facts);
            self.say_with("when_called", &[("callback", &time)]);
        } else {
            self.say("when_unknown");
        }
        self.resume_or_more_quietly();
    }

    fn back(&mut self) {
        let Some(task) = self.state.tasks.last_mut() else {
            self.say("nothing_to_go_back");
            self.anything_else();
            return;
        };
        match task.order.last().cloned() {
            Some(slot) => {
                task.clear(&slot);
                if slot == "opening" {
                    task.chosen = None;
                }
                task.stage = Stage::Slot(slot);
                self.say("noted");
                self.advance();
            }
            None => {
                self.say("nothing_to_go_back");
                self.ask_again_quietly();
            }
        }
    }

    fn restart(&mut self) {
        self.say("restarted");
        match self.state.tasks.pop() {
            Some(task) => self.start_task(&task.id, ""),
            None => {
                self.state.pending = None;
                self.say("how_help");
            }
        }
    }

    pub(super) fn cancel(&mut self) {
        if self.state.tasks.pop().is_some() {
            self.say_cancelled();
            self.resume_or_more();
        } else {
            self.say("nothing_to_cancel");
            self.anything_else();
        }
    }

    /// What was begun is dropped. What was filed before it is not, and nothing else is said of it.
    pub(super) fn say_cancelled(&mut self) {
        self.say(if self.state.references.is_empty() { "cancelled" } else { "cancelled_only" });
    }

    fn abilities(&mut self) {
        self.say("abilities");
        if !self.state.tasks.is_empty() {
            self.ask_again_quietly();
        }
    }

    pub(super) fn goodbye(&mut self) {
        self.state.later.clear();
        self.file_unfinished();
        self.hang_up("goodbye");
        self.did("goodbye", "said goodbye");
    }

    /// Back to the task, if there is one; else what else.
    pub(super) fn resume_or_more(&mut self) {
        if self.state.tasks.is_empty() { self.anything_else() } else { self.resume() }
    }

    pub(super) fn resume_or_help(&mut self) {
        match self.state.tasks.is_empty() {
            true if self.asks_missing() => {}
            true => self.say("how_help"),
            false => self.ask_again_quietly(),
        }
    }

    /// A control by cue inside a task. `free` texts (a story, a message) may hold such words by chance, so
    /// only short ones count there.
    pub(super) fn control_in_task(&mut self, text: &str, free: bool) -> bool {
        const HARD: &[&str] = &[
            "repeat",
            "slower",
            "hold",
            "identity",
            "reference",
            "filed",
            "when_done",
            "back",
            "restart",
            "cancel",
            "abilities",
            "goodbye",
            "why",
            "clock",
            "spanish",
            "english",
            super::consent::INTENT,
        ];
        let script = self.script;
        let words = self.ear.plain(text).split(' ').count();
        let Some(found) = by_cue(script, text).filter(|_| !free || words <= 6) else { return false };
        match &found.intent.does {
            // "Hold on, it's CLM 2 0 5 3 3" answers.
            Does::Control(id) if id == "hold" && self.answers_in(text) => return false,
            Does::Control(id) if HARD.contains(&id.as_str()) => self.control(id, text),
            Does::Task(id) if id == "person" || id == "other_language" => self.switch_to_person(id, text),
            _ => return false,
        }
        true
    }

    /// Whether the words hold the number or name that is asked for, whatever else they say.
    fn answers_in(&self, text: &str) -> bool {
        let Some((Stage::Slot(id), script)) = self.current() else { return false };
        let kind = script.slot(&id).map(|slot| slot.kind);
        let numbered = matches!(kind, Some(SlotKind::ClaimNumber | SlotKind::Phone | SlotKind::Address));
        numbered && kind.is_some_and(|kind| slots::stated(kind, text, self.context()).is_some())
    }

    /// "Then I'll leave her a message", asked for the name to be called back under.
    pub(super) fn leaves_message_instead(&mut self, text: &str) -> bool {
        let asked = |task: &Task| match &task.stage {
            Stage::Slot(slot) => task.id == "person" && slot != "phone",
            _ => false,
        };
        let message = by_cue(self.script, text)
            .is_some_and(|found| matches!(&found.intent.does, Does::Task(id) if id == "message"));
        let refused = self.script.acts.refuses(&self.ear.plain(text));
        let calls = self.state.task().is_some_and(|task| task.id == "person" && task.stage != Stage::Confirm);
        let instead =
            || matches!(taken(self.ear, Offered::Person, text), (Taken::Message, sure) if sure >= INSTEAD);
        let by_words = message && !refused && self.state.task().is_some_and(asked);
        let wanted = by_words || (calls && instead());
        if !wanted {
            return false;
        }
        let Some(before) = self.state.tasks.pop() else { return false };
        self.start_task("message", text);
        self.task_mut(|task| task.follow(before));
        true
    }

    /// "I already reported it, my claim's number is …": a number names a claim though a report was begun. An account of the
    /// same thing, of which nothing else was asked yet, was never meant as a report.
    pub(super) fn turns_to_claim(&mut self, script: &TaskScript, text: &str) -> bool {
        // Of a callback or a message a claim's number is the subject.
        let reports = script.slots.iter().any(|slot| slot.kind == SlotKind::Story);
        // "The pole number is 4417 B" names no claim.
        let named = self.script.acts.names_claim(&self.ear.plain(text));
        if !reports || !named || slots::stated(SlotKind::ClaimNumber, text, self.context()).is_none() {
            return false;
        }
        let begun =
            |task: &Task| script.slots.iter().filter(|slot| task.slots.contains_key(&slot.id)).count() <= 1;
        if self.state.task().is_some_and(begun) {
            self.state.tasks.pop();
        }
        self.start_task(CLAIM, text);
        true
    }

    fn switch_to_person(&mut self, id: &str, text: &str) {
        if self.state.task().is_some_and(|t| t.id == id) {
            self.ask_again_quietly();
        } else {
            self.start_task(id, text);
        }
    }
}
