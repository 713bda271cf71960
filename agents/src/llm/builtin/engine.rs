//! One step of the dialogue: state and input in, next state, words and effects out. Pure.

use std::collections::HashSet;
use std::mem::take;
use std::sync::LazyLock;

use pipeline::ports::{AfterReply, Language, TurnInput};
use pipeline::turn::{Expectation, SegmentKind};

use super::emergency::Emergency;
use super::hear::answer::{YesNo, is_bare_yes_no, yes_no};
use super::hear::name;
use super::hear::words::{is_question, plain};
use super::intent::{Recognised, by_cue, recognise};
use super::script::{Does, Script, ScriptError, SlotKind};
use super::state::{Filled, Pending, Stage, State};
use super::step::{Effect, Search, Step, View};
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
            TurnInput::Secret(secret) => turn.digits(secret.expose()),
            TurnInput::Silence { times } => turn.silence(*times),
            TurnInput::Unintelligible => turn.unclear(),
        }
        turn.finish()
    }

    /// Notes that the recogniser heard another language; the next turn takes it up, if the words bear it out.
    #[must_use]
    pub fn language_heard(&self, state: &State, language: Language) -> State {
        State { heard: Some(language).filter(|l| *l != state.language), ..state.clone() }
    }

    /// What to search the county's documents for, given what was said: a question that leaves its subject
    /// out ("and on Saturday?") is asked of the last answer's document too.
    #[must_use]
    pub fn query(&self, state: &State, input: &TurnInput) -> Option<Search> {
        let TurnInput::Said { text } = input else { return None };
        let topic = state.topic.as_ref().filter(|_| leaves_subject_out(text));
        Some(Search { text: text.clone(), within: topic.map(|t| t.source.clone()) })
    }
}

/// Whether a question says what about, but not about what.
pub(super) fn leaves_subject_out(text: &str) -> bool {
    const OPENERS: &[&str] =
        &["what about", "how about", "and ", "for a ", "for an ", "for the ", "on ", "tell me more", "more"];
    let plain = plain(text);
    let plain = plain
        .replace("hi there", "")
        .replace("hello there", "")
        .replace("is there", "")
        .replace("are there", "");
    let plain = super::hear::words::without_fillers(&plain);
    let content = subject(plain);
    let points = points(plain);
    let opens = OPENERS.iter().any(|o| plain.starts_with(o));
    let asks = is_question(text) || crate::retriever::asks(text);
    (content == 0 && (asks || opens || points)) || (points && asks && content <= 1) || (opens && content <= 1)
}

/// Words that say what is asked about a thing, but name none.
static GENERIC: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let words = "cost much fee price pay paid free hour time day today tomorrow now open close office address location located \
        number phone call contact put long soon take bring else more again yesterday online mail appointment weekend saturday \
        sunday monday tuesday wednesday thursday friday start end work done say mean thing place exactly early late old name good \
        bad nice big ask anything something speak talk apply back";
    crate::retriever::terms(words).into_iter().collect()
});

/// How many words of plain text name a subject; words like "cost" or "office" name none.
pub(super) fn subject(plain: &str) -> usize {
    crate::retriever::terms(plain).iter().filter(|term| !GENERIC.contains(*term)).count()
}

/// Whether a question points back at something: "it", "that".
pub(super) fn points(plain: &str) -> bool {
    const POINTERS: &[&str] = &["it", "that", "there", "they", "them", "those", "this", "one"];
    plain.split(' ').any(|w| POINTERS.contains(&w))
}

impl Turn<'_> {
    fn opened(&mut self) {
        self.say_kind("greeting", SegmentKind::Notice);
        self.say("greeting_question");
        self.did("opened", "greeted");
    }

    fn said(&mut self, text: &str) {
        // "To to 5" is no stutter where a number is asked for.
        let text = if self.wants_number() { text.to_owned() } else { unstutter(text) };
        let text = text.as_str();
        let after_emergency = take(&mut self.state.emergency);
        let held = take(&mut self.state.holding);
        let prompted = take(&mut self.state.prompted);
        if let Some(found) = self.script.emergencies.find(text) {
            self.emergency(&found);
        } else if after_emergency && self.after_emergency(text) {
            self.did("emergency", "answered");
        } else if prompted && self.still_there(text) {
            self.control("presence", text);
        } else if plain(text).is_empty() {
            self.state.holding = held;
            self.unclear();
        } else {
            if self.script.emergencies.nuisance(text) {
                self.say("emergency_unless");
            }
            self.learn_name(text);
            self.route(text);
        }
    }

    /// "Yes" after "Are you still there?" answers that, and not the question before it.
    fn still_there(&self, text: &str) -> bool {
        let present = by_cue(self.script, text).is_some_and(|c| c.intent.id == "presence");
        present || (is_bare_yes_no(text) && yes_no(text) == Some(YesNo::Yes))
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
        if recognised.as_ref().is_none_or(|r| !r.by_cue) && self.answer_on_topic(text) {
            return;
        }
        // Without a subject any likeness to a page is chance.
        let names_one = subject(&plain(text)) > 0;
        let relevance = self.view.passages.first().filter(|_| names_one).map_or(0.0, |p| p.relevance);
        match recognised {
            None if !names_one && crate::retriever::asks(text) => self.control("office", text),
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

    fn wants_number(&self) -> bool {
        let Some((Stage::Slot(id), script)) = self.current() else { return false };
        script.slot(&id).is_some_and(|slot| matches!(slot.kind, SlotKind::Phone | SlotKind::ClaimNumber))
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
        self.state.prompted = true;
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

/// "The the light at at Main": a repeated small word is said once. Digits and names stay as they are.
fn unstutter(text: &str) -> String {
    const SMALL: &[&str] = &[
        "the", "a", "an", "at", "is", "i", "to", "and", "in", "on", "of", "it", "my", "we", "for", "was",
        "there's",
    ];
    let mut out: Vec<&str> = Vec::new();
    for word in text.split_whitespace() {
        let again = out.last().is_some_and(|last| last.eq_ignore_ascii_case(word));
        if !(again && SMALL.contains(&word.to_lowercase().as_str())) {
            out.push(word);
        }
    }
    out.join(" ")
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
