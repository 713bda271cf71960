//! Things a caller may say at any time that steer the conversation itself.

use std::sync::LazyLock;

use language::Ear;
use pipeline::ports::Language;
use pipeline::turn::{Expectation, SegmentKind};
use regex::Regex;

use super::engine::Dialogue;
use super::intent::by_cue;
use super::script::Does;
use super::state::{Pending, Stage};
use super::turn::Turn;

static PROFANE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(fuck\w*|fucking|motherf\w+|shit\w*|bullshit|asshole\w*|bitch\w*|bastard\w*|damn you|goddamn|god damn|piss off|screw you|go to hell|idiots?|moron\w*|you suck|this sucks|you( guys| people)?('re| are) (all )?(so |such a? ?)?(stupid|useless|worthless|dumb|terrible|garbage)|stupid (machine|robot|thing|system|computer)|piece of (crap|junk|garbage)|shut up|hate (you|this))\b").ok()
});

static PROFANE_ES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(put[oa]s?|puta madre|mierda|carajo|chinga\w*|pendej\w*|cabron\w*|idiota\w*|imbecil\w*|estupid[oa]\w*|maldit[oa]\w*|joder|jodid[oa]|culer[oa]|vete al diablo|callate|inutil\w*|no sirven? para nada|porqueria|que asco|hijo de\w*|basura de (servicio|maquina))\b").ok()
});

/// Whether a caller's words are hostile.
fn is_hostile(ear: Ear, text: &str) -> bool {
    let pattern = match ear.0 {
        Language::En => &PROFANE,
        Language::Es => &PROFANE_ES,
    };
    pattern.as_ref().is_some_and(|re| re.is_match(&ear.plain(text)))
}

impl Dialogue {
    /// Whether a caller is upset, in the language that is spoken: whoever else talks with them may want to know.
    #[must_use]
    pub fn hears_hostility(&self, language: Language, text: &str) -> bool {
        is_hostile(Ear(language), text)
    }
}

impl Turn<'_> {
    /// Answers hostility calmly, and still does what was asked beside it. `true` when that was all.
    pub(super) fn profanity(&mut self, text: &str) -> bool {
        if !is_hostile(self.ear, text) {
            return false;
        }
        self.state.rude = self.state.rude.saturating_add(1);
        self.did("hostility", "kept calm");
        if self.substance(text) {
            self.say("profanity");
            return false;
        }
        if self.state.rude >= 2 && self.state.tasks.is_empty() {
            self.ask_pending("profanity_person", Pending::Offer("person".to_owned()));
        } else {
            self.say("profanity");
            self.resume_or_help();
        }
        true
    }

    /// Whether there is a request beside the strong words.
    fn substance(&self, text: &str) -> bool {
        let cue = by_cue(self.script, text).is_some_and(|c| c.intent.id != "acknowledge");
        let asked = self.passage(text).is_some_and(|p| p.relevance >= self.least_relevance() + 0.15);
        let slot = self.state.task().is_some() && self.ear.plain(text).split(' ').count() > 6;
        cue || slot || (asked && self.state.tasks.is_empty())
    }

    pub(super) fn control(&mut self, id: &str, text: &str) {
        self.did(id, "answered");
        match id {
            "repeat" => self.repeat(),
            "slower" => self.slower(),
            "hold" => self.hold(),
            "identity" => self.told("identity"),
            "reference" => self.reference(),
            "back" => self.back(),
            "restart" => self.restart(),
            "cancel" => self.cancel(),
            "why" => self.why(),
            "clock" => self.clock(),
            "office" => self.office(),
            "abilities" => self.abilities(),
            "presence" => self.told("presence"),
            "goodbye" => self.goodbye(),
            "thanks" => self.told("thanks"),
            "acknowledge" => self.told("acknowledge"),
            "spanish" => self.asked_for(Language::Es, text),
            "english" => self.asked_for(Language::En, text),
            _ => self.open_knowledge(text),
        }
    }

    fn open_knowledge(&mut self, text: &str) {
        self.no_answer(text);
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
        self.say("office");
        self.resume_or_more_quietly();
    }

    fn resume_or_more_quietly(&mut self) {
        if self.state.tasks.is_empty() { self.anything_else() } else { self.ask_again_quietly() }
    }

    /// Says one thing and goes back to where we were.
    fn told(&mut self, key: &str) {
        self.say(key);
        match (self.state.tasks.is_empty(), key) {
            (true, "presence" | "identity") => {
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
            if say.kind == SegmentKind::Notice {
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
            self.state.pending = self.last_pending();
        }
    }

    fn last_pending(&self) -> Option<Pending> {
        let last = self.state.last.last()?;
        let of = |key: &str| self.script.prompt(key).contains(&last.text);
        if of("anything_else") {
            Some(Pending::More)
        } else if of("write_down") {
            Some(Pending::Write)
        } else if of("no_answer") || of("message_or_person") || of("failed") {
            Some(Pending::MessageOrPerson)
        } else {
            [
                "miss_3",
                "miss_4",
                "give_up",
                "no_answer_again",
                "claim_locked",
                "openings_none",
                "profanity_person",
                "foreign_offer",
            ]
            .iter()
            .any(|key| of(key))
            .then(|| Pending::Offer("person".to_owned()))
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
        match self.state.references.last().cloned() {
            Some(reference) => self.tell_reference(&reference),
            None => self.say("reference_none"),
        }
        self.resume_or_more();
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

    fn cancel(&mut self) {
        if self.state.tasks.pop().is_some() {
            self.say("cancelled");
            self.resume_or_more();
        } else {
            self.say("nothing_to_cancel");
            self.anything_else();
        }
    }

    fn abilities(&mut self) {
        self.say("abilities");
        if !self.state.tasks.is_empty() {
            self.ask_again_quietly();
        }
    }

    pub(super) fn goodbye(&mut self) {
        self.file_unfinished();
        self.hang_up("goodbye");
        self.did("goodbye", "said goodbye");
    }

    /// Back to the task, if there is one; else what else.
    pub(super) fn resume_or_more(&mut self) {
        if self.state.tasks.is_empty() { self.anything_else() } else { self.resume() }
    }

    fn resume_or_help(&mut self) {
        if self.state.tasks.is_empty() { self.say("how_help") } else { self.ask_again_quietly() }
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
            "back",
            "restart",
            "cancel",
            "abilities",
            "goodbye",
            "why",
            "clock",
            "spanish",
            "english",
        ];
        let script = self.script;
        let words = self.ear.plain(text).split(' ').count();
        let Some(found) = by_cue(script, text).filter(|_| !free || words <= 6) else { return false };
        match &found.intent.does {
            Does::Control(id) if HARD.contains(&id.as_str()) => self.control(id, text),
            Does::Task(id) if id == "person" || id == "other_language" => self.switch_to_person(id, text),
            _ => return false,
        }
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
