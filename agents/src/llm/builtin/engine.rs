//! One step of the dialogue: state and input in, next state, words and effects out. Pure.

use std::mem::take;

use pipeline::ports::{AfterReply, TurnInput};
use pipeline::turn::{Expectation, SegmentKind};

use super::emergency::Emergency;
use super::hear::answer::{YesNo, is_bare_yes_no, yes_no};
use super::hear::name;
use super::hear::words::{is_question, plain};
use super::intent::{Recognised, by_cue, recognise};
use super::script::{Does, Script, ScriptError};
use super::state::{Filled, Pending, Stage, State};
use super::step::{Effect, Step, View};
use super::turn::Turn;

/// Below this a passage is not read out.
pub const MIN_RELEVANCE: f32 = 0.45;

/// The built-in agent. Holds only data; every call has its own [`State`].
#[derive(Debug)]
pub struct Dialogue {
    pub(super) script: Script,
}

impl Dialogue {
    /// The front desk that ships.
    ///
    /// # Errors
    /// Only when the shipped data is broken, which a test rules out.
    pub fn front_desk() -> Result<Self, ScriptError> {
        Script::front_desk().map(|script| Self { script })
    }

    #[must_use]
    pub const fn script(&self) -> &Script {
        &self.script
    }

    /// Takes one step. Neither `state` nor the world changes; the outcome is applied by whoever commits it.
    #[must_use]
    pub fn step(&self, state: &State, input: &TurnInput, view: &View<'_>) -> Step {
        let mut turn = Turn::new(&self.script, view, state);
        turn.misses_before = take(&mut turn.state.misses);
        match input {
            TurnInput::Opened => turn.opened(),
            TurnInput::Said { text } => turn.said(text),
            TurnInput::Digits { digits } => turn.digits(digits),
            TurnInput::Silence { times } => turn.silence(*times),
            TurnInput::Unintelligible => turn.unclear(),
        }
        turn.finish()
    }

    /// What to search the county's documents for, given what was said: a question that leaves its subject
    /// out ("and on Saturday?") is completed by the last answer's.
    #[must_use]
    pub fn query(&self, state: &State, input: &TurnInput) -> Option<String> {
        let TurnInput::Said { text } = input else { return None };
        let topic = state.topic.as_ref().filter(|_| leaves_subject_out(text));
        Some(topic.map_or_else(|| text.clone(), |topic| format!("{}: {text}", topic.title)))
    }
}

fn leaves_subject_out(text: &str) -> bool {
    const POINTERS: &[&str] = &["it", "that", "there", "they", "them", "those", "this", "its"];
    const OPENERS: &[&str] = &[
        "what about",
        "how about",
        "and ",
        "what if",
        "how much",
        "how long",
        "when",
        "where",
        "what time",
        "what are the hours",
        "what's the phone",
        "what's the address",
        "what's the number",
    ];
    let plain = plain(text);
    let content = crate::retriever::terms(&plain).len();
    let points = plain.split(' ').any(|w| POINTERS.contains(&w));
    let opens = OPENERS.iter().any(|o| plain.starts_with(o));
    (points && content <= 3) || (opens && content <= 2)
}

impl Turn<'_> {
    fn opened(&mut self) {
        self.say_kind("greeting", SegmentKind::Notice);
        self.say("greeting_question");
        self.did("opened", "greeted");
    }

    fn said(&mut self, text: &str) {
        let after_emergency = take(&mut self.state.emergency);
        let held = take(&mut self.state.holding);
        if let Some(found) = self.script.emergencies.find(text) {
            self.emergency(&found);
        } else if after_emergency && self.after_emergency(text) {
            self.did("emergency", "answered");
        } else if plain(text).is_empty() {
            self.state.holding = held;
            self.unclear();
        } else {
            self.learn_name(text);
            self.route(text);
        }
    }

    fn route(&mut self, text: &str) {
        if self.profanity(text) {
            return;
        }
        if self.state.task().is_some() {
            self.in_task(text);
            return;
        }
        let pending = self.state.pending.take();
        if pending.is_some_and(|pending| self.answers_pending(&pending, text)) {
            return;
        }
        self.open(text);
    }

    fn learn_name(&mut self, text: &str) {
        if let Some(name) = name::stated(text) {
            self.state.known.entry("name".to_owned()).or_insert_with(|| Filled::new(name.clone(), name));
        }
    }

    /// An utterance with no question of ours before it.
    pub(super) fn open(&mut self, text: &str) {
        let script = self.script;
        let recognised = recognise(script, text, &self.view.likeness);
        let relevance = self.view.passages.first().map_or(0.0, |p| p.relevance);
        match recognised {
            Some(found) if self.prefers_knowledge(&found, text, relevance) => self.answer(text),
            Some(found) => self.act_on(found, text),
            None if relevance >= MIN_RELEVANCE => self.answer(text),
            None => self.no_answer(text),
        }
    }

    /// A question about a thing is answered; a request or a statement starts the task about it.
    fn prefers_knowledge(&self, found: &Recognised<'_>, text: &str, relevance: f32) -> bool {
        let task = matches!(&found.intent.does, Does::Task(_));
        let asks = is_question(text) && !requests(text);
        match (task, found.by_cue) {
            (true, true) => asks && !found.intent.firm && relevance >= MIN_RELEVANCE,
            (true, false) => relevance >= MIN_RELEVANCE && (asks || relevance > found.score),
            (false, true) => false,
            (false, false) => relevance > found.score,
        }
    }

    fn act_on(&mut self, found: Recognised<'_>, text: &str) {
        match &found.intent.does {
            Does::Task(id) => self.start_task(id, text),
            Does::Control(id) => self.control(id, text),
        }
    }

    fn answers_pending(&mut self, pending: &Pending, text: &str) -> bool {
        let plain = plain(text);
        let cue = by_cue(self.script, text);
        // "No, I want a person" is a request, not a no.
        let other =
            cue.is_some_and(|c| !matches!(c.intent.id.as_str(), "acknowledge" | "thanks" | "goodbye"));
        if let Pending::MessageOrPerson = pending
            && let Some(task) = message_or_person(&plain)
        {
            self.start_task(task, "");
            return true;
        }
        if other && !is_bare_yes_no(text) {
            return false;
        }
        match (pending, yes_no(text)) {
            (Pending::More, Some(YesNo::No)) => self.close_or_more(&plain, text),
            (Pending::More, Some(YesNo::Yes)) if is_bare_yes_no(text) && !thanks(&plain) => {
                self.say("go_ahead")
            }
            (Pending::Offer(task), Some(YesNo::Yes)) => {
                let task = task.clone();
                self.start_task(&task, rest_after_yes(text));
            }
            (Pending::Offer(_) | Pending::MessageOrPerson, Some(YesNo::No)) => self.offer_declined(text),
            (Pending::MessageOrPerson, Some(YesNo::Yes)) => {
                self.ask_pending("message_or_person", Pending::MessageOrPerson)
            }
            _ => return false,
        }
        self.did("answer", "took it");
        true
    }

    /// "No" to "anything else?" ends the call; "no, how do I …" goes on.
    fn close_or_more(&mut self, plain: &str, text: &str) {
        if plain.split(' ').count() > 5 && !is_bare_yes_no(text) {
            self.open(text);
        } else {
            self.goodbye();
        }
    }

    fn offer_declined(&mut self, text: &str) {
        if plain(text).split(' ').count() > 5 && !is_bare_yes_no(text) {
            self.open(text);
        } else {
            self.say("declined");
            self.anything_else();
        }
    }

    pub(super) fn emergency(&mut self, found: &Emergency) {
        let again = self.misses_before == u8::MAX || self.state.urgent;
        if found.lifeline {
            self.say("emergency_988");
        } else if again {
            self.say("emergency_again");
        } else {
            self.say("emergency_911");
        }
        if !again || found.lifeline {
            let stay = self.script.prompt("emergency_stay");
            self.say_promise(stay, "emergency_stay", &[]);
        }
        self.state.emergency = true;
        self.state.urgent = true;
        self.effects.push(Effect::MarkUrgent { kind: found.kind.clone() });
        self.did("emergency", "sent to 911");
    }

    /// What follows an emergency: it was none, or it still is one.
    fn after_emergency(&mut self, text: &str) -> bool {
        let plain = plain(text);
        let none = [
            "not an emergency",
            "isn't an emergency",
            "no emergency",
            "false alarm",
            "not that kind",
            "everything is fine",
            "everyone is fine",
            "we're fine",
            "i'm fine",
            "it's not urgent",
            "never mind",
        ];
        if none.iter().any(|p| plain.contains(p)) || yes_no(text) == Some(YesNo::No) {
            self.say("emergency_over");
            self.resume_or_more();
            return true;
        }
        if is_bare_yes_no(text)
            || plain.contains("can't hang up")
            || plain.contains("what do i do")
            || plain.contains("what should i do")
        {
            self.say("emergency_again");
            self.state.emergency = true;
            return true;
        }
        false
    }

    fn digits(&mut self, digits: &str) {
        let keys: String = digits.chars().filter(char::is_ascii_digit).collect();
        if keys == "0" {
            self.state.pending = None;
            self.start_task("person", "");
            return;
        }
        let yes_no = self.wants_yes_no();
        match keys.as_str() {
            "" => self.unclear(),
            "1" if yes_no => self.route("yes"),
            "2" if yes_no => self.route("no"),
            keys => self.route(keys),
        }
    }

    fn wants_yes_no(&self) -> bool {
        match self.state.task() {
            Some(task) => task.stage == Stage::Confirm || self.state.last_expects == Expectation::YesNo,
            None => matches!(self.state.pending, Some(Pending::Offer(_) | Pending::More)),
        }
    }

    fn silence(&mut self, times: u32) {
        self.state.misses = self.misses_before;
        let held = self.state.holding && times <= 2;
        match times {
            0 | 1 if !held => self.say_kind("silence_1", SegmentKind::Prompt),
            _ if held => self.say_kind("silence_held", SegmentKind::Prompt),
            2 => self.say_kind("silence_2", SegmentKind::Prompt),
            _ => {
                self.file_unfinished();
                self.say_kind("silence_3", SegmentKind::Prompt);
                self.then = AfterReply::HangUp;
            }
        }
        self.did("silence", "prompted");
    }

    fn unclear(&mut self) {
        if self.state.task().is_some() {
            self.say("unclear_sound");
            self.ask_again_quietly();
        } else if self.misses_before == 0 {
            self.state.misses = 1;
            self.say("unclear_sound");
        } else {
            self.miss();
        }
        self.did("nothing", "asked again");
    }

    /// Not understood: ask again twice, then offer a person, then end well.
    pub(super) fn miss(&mut self) {
        self.state.misses = self.misses_before.saturating_add(1);
        self.did("nothing", "asked again");
        match self.state.misses {
            1 => self.say("miss_1"),
            2 => self.say("miss_2"),
            3 => self.ask_pending("miss_3", Pending::Offer("person".to_owned())),
            4 => self.ask_pending("miss_4", Pending::Offer("person".to_owned())),
            _ => self.end_after_misses(),
        }
    }
}

fn message_or_person(plain: &str) -> Option<&'static str> {
    let has = |words: &[&str]| words.iter().any(|w| plain.contains(w));
    if has(&["message", "first one", "the first"]) {
        return Some("message");
    }
    has(&[
        "person",
        "call me",
        "call back",
        "callback",
        "human",
        "second one",
        "the second",
        "the call",
        "someone",
    ])
    .then_some("person")
}

fn thanks(plain: &str) -> bool {
    plain.contains("thank")
}

/// Words after a leading yes, where they may hold an answer already.
fn rest_after_yes(text: &str) -> &str {
    if is_bare_yes_no(text) { "" } else { text }
}

/// "Can I report …", "could you book …": a request in the form of a question.
fn requests(text: &str) -> bool {
    let plain = plain(text);
    let openers = [
        "can i",
        "could i",
        "may i",
        "can you",
        "could you",
        "would you",
        "will you",
        "can we",
        "can someone",
        "can somebody",
        "could someone",
        "do you take reports",
        "is it possible to",
    ];
    let verbs = [
        "report", "book", "schedule", "file", "check", "leave", "make", "speak", "talk", "take", "send",
        "have", "set up", "get an", "arrange", "come", "inspect", "call", "look up", "give me",
    ];
    openers.iter().any(|o| plain.contains(o)) && verbs.iter().any(|v| plain.contains(v))
}
