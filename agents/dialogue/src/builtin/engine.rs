//! One step of the dialogue: state and input in, next state, words and effects out. Pure.

use std::mem::take;

use pipeline::ports::{AfterReply, Language, TurnInput};
use pipeline::turn::{Expectation, SegmentKind};

use super::intent::by_cue;
use super::policy::clarify::Choice;
use super::policy::matters::REPORT;
use super::policy::said::Said;
use super::questions::{unhesitant, unstutter, without_echo};
use super::script::{Does, Script, ScriptError, SlotKind};
use super::state::{Filled, Pending, Stage, State};
use super::step::{Step, View};
use super::turn::Turn;
use governance::danger::answer::Answers;
use governance::danger::sense::Sense;
use governance::danger::{DangerError, Detector};
use language::YesNo;
use language::beside::question_beside;
use language::offers::Taken;

/// More words than this before a goodbye say more than that.
const PARTING: usize = 8;
/// The same, where the head takes them for a goodbye.
const LONG_PARTING: usize = 16;
/// From so much on the head is sure of a goodbye.
const PARTS: f32 = 0.7;
/// So few words to a choice of pages pick one.
const PICKS: usize = 5;

/// The built-in agent. Holds only data; every call has its own [`State`].
#[derive(Debug)]
pub struct Dialogue {
    english: &'static Script,
    spanish: &'static Script,
    pub(super) danger: &'static Detector,
    pub(super) sense: &'static Sense,
    pub(super) answers: &'static Answers,
}

impl Dialogue {
    /// The front desk that ships.
    ///
    /// # Errors
    /// Only when the shipped data is broken, which a test rules out.
    pub fn front_desk() -> Result<Self, ScriptError> {
        let missing = |error: DangerError| ScriptError::Missing(error.to_string());
        let danger = Detector::shipped().map_err(missing)?;
        let sense = Sense::shipped().map_err(missing)?;
        let answers = Answers::shipped().map_err(missing)?;
        Ok(Self {
            english: Script::front_desk(Language::En)?,
            spanish: Script::front_desk(Language::Es)?,
            danger,
            sense,
            answers,
        })
    }

    /// The English script.
    #[must_use]
    pub const fn script(&self) -> &Script {
        self.english
    }

    #[must_use]
    pub const fn script_in(&self, language: Language) -> &Script {
        match language {
            Language::En => self.english,
            Language::Es => self.spanish,
        }
    }

    /// Takes one step. Neither `state` nor the world changes; the outcome is applied by whoever commits it.
    #[must_use]
    pub fn step(&self, state: &State, input: &TurnInput, view: &View<'_>) -> Step {
        let mut turn = Turn::new(self, view, state);
        turn.misses_before = take(&mut turn.state.misses);
        if matches!(input, TurnInput::Said { .. } | TurnInput::Digits { .. } | TurnInput::Secret(_)) {
            turn.state.returned = None;
        }
        match input {
            TurnInput::Opened => turn.opened(),
            TurnInput::Said { text, unsure, alternatives } => {
                turn.unsure = *unsure;
                turn.said(text, alternatives);
            }
            TurnInput::Digits { digits } => {
                turn.by_keys = true;
                turn.digits(digits);
            }
            TurnInput::Secret(secret) => turn.secret(secret.expose()),
            TurnInput::Silence { times } => {
                // Nobody's silence is told of while they wait: the question was never put.
                turn.state.asking.clear();
                turn.silence(*times);
            }
            // A radio beside who waits is nothing to answer.
            TurnInput::Unintelligible if turn.state.waits() => turn.did("nothing", "let it be"),
            TurnInput::Unintelligible => turn.unclear(),
            TurnInput::Answered { text } => turn.staff_answered(text),
            TurnInput::Unanswered => turn.staff_was_late(),
            TurnInput::GivenBack => turn.given_back(),
            TurnInput::Returned(returned) => turn.was_held_for(returned),
            TurnInput::InLine(stands) => turn.stands_in_line(stands),
            TurnInput::YourTurn { target } => turn.has_turn(target),
        }
        turn.finish()
    }
}

impl Turn<'_> {
    fn opened(&mut self) {
        self.state.noticed.push(self.state.language);
        if let Some(returned) = self.state.returned.clone() {
            return self.came_back(&returned);
        }
        // They did not call us, and were told by whom they are called.
        if self.state.outbound {
            self.say_kind("automated", SegmentKind::Notice);
            self.tell_of_recording();
            self.did("opened", "greeted");
            if !self.begins_reminder() && !self.begins_missing() {
                self.end_greeting();
            }
            return;
        }
        self.say_kind("greeting", SegmentKind::Notice);
        if !self.state.quiet_greeting {
            self.say_kind("emergency_notice", SegmentKind::Notice);
        }
        self.say_kind("automated", SegmentKind::Notice);
        self.tell_of_recording();
        let other = self.state.spoken.iter().copied().find(|l| *l != self.state.language);
        match other {
            Some(other) => {
                if !self.state.quiet_greeting {
                    self.notice_in(other, "emergency_notice");
                }
                self.say_kind("other_language", SegmentKind::Notice);
            }
            // The key works on a line without Spanish too: it leads to a callback by somebody who speaks it.
            None if self.state.language == Language::En => self.notice_in(Language::Es, "spanish_key"),
            None => {}
        }
        self.end_greeting();
        self.did("opened", "greeted");
    }

    fn said(&mut self, text: &str, alternatives: &[String]) {
        let text = &*unhesitant(self.ear, &self.likeliest(text, alternatives));
        // "To to 5" is no stutter where a number is asked for.
        let text = if self.wants_number() { text.to_owned() } else { unstutter(self.ear, text) };
        let text = self.ear.meant(&text);
        let text = if self.wants_yes_no() { without_echo(&text) } else { &text };
        let text = self.expected(text).unwrap_or(text);
        text.clone_into(&mut self.whole);
        text.clone_into(&mut self.heard);
        let after_emergency = take(&mut self.state.emergency);
        self.after_emergency = after_emergency;
        let held = take(&mut self.state.holding);
        let prompted = take(&mut self.state.prompted);
        if let Some((found, language)) = self.emergency_heard(text) {
            // Whoever works on what is being taken must know of it, whatever becomes of the call.
            self.task_mut(|task| task.note_beside(text));
            self.emergency(&found, language);
        } else if let Some(language) = self.dialogue.hears_no_calls(&self.state, text) {
            self.no_more_calls(language, "voice");
        } else if self.may_be_misheard_danger(text) {
            self.say("emergency_911");
            self.ask_of_danger(text);
        } else if self.answers_doubt(text) {
            self.did("emergency", "asked about");
        } else if let Some(pending) = self.call_back_pending() {
            self.call_back_said(pending, text);
        } else if self.follow_language(text) {
            // Answered by the offer of a call-back.
        } else if after_emergency && self.after_emergency(text) {
            self.did("emergency", "answered");
        } else if prompted && self.still_there(text) {
            self.control("presence", text);
        } else if (self.unsure && self.dialogue.must_ask_of_others(&self.state, alternatives))
            || (self.must_ask(text) && !self.takes_up_page(text))
        {
            self.ask_of_danger(text);
        } else if self.ear.plain(text).is_empty() {
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

    /// The answer that the words sound like, where a yes or a no is waited for and nothing else is in them.
    fn expected(&self, text: &str) -> Option<&'static str> {
        let waits =
            self.wants_yes_no() || matches!(self.state.pending, Some(Pending::More | Pending::MoreOnPage));
        if !waits || by_cue(self.script, text).is_some() {
            return None;
        }
        let ear = self.ear;
        ear.answer_heard(text).or_else(|| {
            let moved = Some(self.answer_moved(text)?);
            ear.cues().answers.iter().copied().find(|answer| ear.yes_no(answer) == moved)
        })
    }

    /// "Yes, burning leaves, in my yard" to "Is this about burn permits?": business, in the words of the page.
    fn takes_up_page(&self, text: &str) -> bool {
        let page = |choice: &Choice| matches!(choice, Choice::Page { .. });
        let asked = matches!(&self.state.pending, Some(Pending::Which(choices)) if choices.iter().any(page));
        let few = text.split_whitespace().count() <= PICKS;
        asked && (self.ear.yes_no(text) == Some(YesNo::Yes) || few && self.picks_page(text))
    }

    /// "The burning one", to "… or Burn Permits and Open Burning?".
    fn picks_page(&self, text: &str) -> bool {
        let Some(Pending::Which(choices)) = &self.state.pending else { return false };
        let titles = choices.iter().filter_map(|choice| match choice {
            Choice::Page { title, .. } => Some(self.ear.terms(&self.ear.plain(title))),
            _ => None,
        });
        let said = self.ear.terms(&self.ear.plain(text));
        titles.into_iter().any(|title| said.iter().any(|stem| title.contains(stem)))
    }

    /// The offer of a call-back in Spanish, if that is what was asked last.
    pub(super) fn call_back_pending(&mut self) -> Option<Pending> {
        let waits = self.state.awaits_call_back();
        self.state.pending.take_if(|_| waits)
    }

    /// "Yes" after "Are you still there?" answers that, and not the question before it.
    fn still_there(&self, text: &str) -> bool {
        let present = by_cue(self.script, text).is_some_and(|c| c.intent.id == "presence");
        present || (self.ear.is_bare_yes_no(text) && self.ear.yes_no(text) == Some(YesNo::Yes))
    }

    pub(super) fn route(&mut self, text: &str) {
        let from = self.out.len();
        if !self.profanity(text) && !self.steered(text) {
            self.take_words(text);
        }
        self.keep_untaken(true);
        self.keep_told_before(text);
        self.acknowledge(text, from);
    }

    /// An answer to what was asked, or what comes without being asked.
    fn take_words(&mut self, text: &str) {
        if self.answers_line(text)
            || self.answers_put_through(text)
            || self.answers_ask_staff(text)
            || self.answers_reminder(text)
            || self.answers_missing(text)
        {
            return;
        }
        let in_task = self.state.task().is_some();
        // "Eso, ya quedó. Ahí se lo encargo.": however it reads, nothing is to be changed.
        if self.state.task().is_some_and(|task| task.stage == Stage::Confirm) && self.only_approves(text) {
            return self.confirm(text);
        }
        if (in_task && self.recalls(text)) || self.follows_move(text) {
            self.asks_served = true;
            return;
        }
        if in_task {
            if !self.leaves_message_instead(text) {
                self.in_task(text);
            }
            return;
        }
        if self.takes_reference(text) || self.amends(text) || self.recalls(text) {
            return;
        }
        if self.parts(text) {
            return self.goodbye();
        }
        // "It's 2210 Route 12", right after the deer that lies there.
        // Where something was asked or offered, the words answer that.
        let open = matches!(self.state.pending, None | Some(Pending::More | Pending::MoreOnPage));
        let told = open && !self.state.told_before.is_empty() && !self.ear.is_question(text);
        let placed = self.ear.address(text).is_some() || self.ear.place_stated(text).is_some();
        if told && placed && by_cue(self.script, text).is_none() {
            self.state.pending = None;
            return self.start_task(REPORT, text);
        }
        let pending = self.state.pending.take();
        if !pending.is_some_and(|pending| self.answers_pending(&pending, text)) {
            self.open(text);
        }
    }

    pub(super) fn learn_name(&mut self, text: &str) {
        if let Some(name) = self.ear.name_stated(text) {
            self.state.known.entry("name".to_owned()).or_insert_with(|| Filled::new(name.clone(), name));
        }
    }

    fn answers_pending(&mut self, pending: &Pending, text: &str) -> bool {
        if *pending == Pending::Write {
            return self.writes(text);
        }
        let ear = self.ear;
        let plain = ear.plain(text);
        let cue = by_cue(self.script, text);
        // "No, I want a person" is a request, not a no.
        let other =
            cue.is_some_and(|c| !matches!(c.intent.id.as_str(), "acknowledge" | "thanks" | "goodbye"));
        if let Pending::Which(choices) = pending {
            return self.resolves(choices, text);
        }
        if *pending == Pending::Recording {
            return self.answers_recording(text);
        }
        let made = self.made_of(pending, text);
        if made.is_some_and(|made| self.takes_offer(made, text)) {
            return true;
        }
        if let Pending::MessageOrPerson = pending
            && made != Some(Taken::Says)
            && let Some(task) = self.message_or_person(&plain)
        {
            if task == "person" {
                self.start_person();
            } else {
                self.start_task(task, "");
            }
            return true;
        }
        // "No, I don't want to leave a message, I just want to know …": what comes beside is served.
        if matches!(pending, Pending::MessageOrPerson | Pending::Offer(_)) && self.script.acts.refuses(&plain)
        {
            let rest = self.script.acts.beside_refusal(ear, text);
            if rest.is_empty() {
                self.offer_declined("");
            } else {
                self.open(&rest);
            }
            return true;
        }
        if matches!(pending, Pending::MessageOrPerson | Pending::Offer(_)) && self.unwants_call(text) {
            self.unwanted_call(text);
            return true;
        }
        if matches!(pending, Pending::MoreOnPage | Pending::More) && self.unwants_call(text) {
            if *pending == Pending::More {
                self.goodbye();
            } else {
                self.anything_else();
            }
            return true;
        }
        if let Some(question) = self.asked_instead(pending, text) {
            self.open(&question);
            return true;
        }
        if *pending == Pending::MoreOnPage && self.script.acts.wants_more(&plain) {
            self.more_of_page();
            return true;
        }
        if other && !ear.is_bare_yes_no(text) {
            return false;
        }
        let answer = ear.yes_no(text).or((made == Some(Taken::Yes)).then_some(YesNo::Yes));
        match (pending, answer) {
            (Pending::MoreOnPage, Some(YesNo::No)) => self.no_more(&plain, text),
            (Pending::MoreOnPage, Some(YesNo::Yes)) if ear.is_bare_yes_no(text) && !self.thanks(&plain) => {
                self.more_of_page();
            }
            (Pending::More, Some(YesNo::No)) => self.close_or_more(&plain, text),
            (Pending::More, Some(YesNo::Yes)) if ear.is_bare_yes_no(text) && !self.thanks(&plain) => {
                self.say("go_ahead")
            }
            (Pending::Offer(task), Some(YesNo::Yes)) if task == "person" && ear.is_bare_yes_no(text) => {
                self.start_person();
            }
            (Pending::Offer(task), Some(YesNo::Yes)) if task == "person" && !self.takes_up_person(text) => {
                return false;
            }
            (Pending::Offer(task), Some(YesNo::Yes)) => {
                let task = task.clone();
                let before = take(&mut self.state.offered_for);
                // Words after a leading yes may hold an answer already, and what led to the offer what happened.
                match (before.is_empty(), ear.is_bare_yes_no(text) || !self.tells_of_matter(text)) {
                    (true, _) => self.begin_task(&task, text),
                    (false, true) => self.begin_task(&task, &before),
                    (false, false) => self.begin_told(&task, &before, text),
                }
            }
            (Pending::Offer(_) | Pending::MessageOrPerson, Some(YesNo::No)) => self.offer_declined(text),
            // "Yes" to one of two: a person can take a message too.
            (Pending::MessageOrPerson, Some(YesNo::Yes)) => self.start_person(),
            _ => return false,
        }
        self.did("answer", "took it");
        true
    }

    /// "No no, I don't need a call, I just want to report the light": what is wanted in its place is begun.
    fn unwanted_call(&mut self, text: &str) {
        let rest = self.script.acts.beside_refusal(self.ear, text);
        let reports = |does: &Does| matches!(does, Does::Task(id) if id == "incident");
        if by_cue(self.script, &rest).is_some_and(|cue| reports(&cue.intent.does)) {
            self.open(&rest);
        } else {
            self.offer_declined("");
        }
    }

    /// "No" to "more on that?" leads to what else; "no, that's all" ends the call.
    fn no_more(&mut self, plain: &str, text: &str) {
        let bye = by_cue(self.script, text).is_some_and(|found| found.intent.id == "goodbye");
        if !bye && self.is_small_talk(text) {
            self.anything_else();
        } else if bye || (plain.split(' ').count() > 5 && !self.ear.is_bare_yes_no(text)) {
            self.close_or_more(plain, text);
        } else {
            self.anything_else();
        }
    }

    /// "No" to "anything else?" ends the call; "no, how do I …" goes on.
    fn close_or_more(&mut self, plain: &str, text: &str) {
        if plain.split(' ').count() > 5 && !self.ear.is_bare_yes_no(text) && !self.is_small_talk(text) {
            self.open(text);
        } else {
            self.goodbye();
        }
    }

    pub(super) fn offer_declined(&mut self, text: &str) {
        let long = self.ear.plain(text).split(' ').count() > 5;
        let asked = question_beside(self.ear, text).map(|(_, question)| question);
        if let Some(question) = asked.filter(|question| !self.subjects(question).is_empty()) {
            self.open(&question);
        } else if long && !self.ear.is_bare_yes_no(text) && !self.is_small_talk(text) {
            self.open(text);
        } else {
            self.say("declined");
            self.anything_else();
        }
    }

    pub(super) const fn other_language(&self) -> Language {
        match self.state.language {
            Language::En => Language::Es,
            Language::Es => Language::En,
        }
    }

    pub(super) fn bring_person(&mut self) {
        if self.keys_put_through() {
            return;
        }
        self.state.pending = None;
        self.start_task("person", "");
    }

    fn message_or_person(&self, plain: &str) -> Option<&'static str> {
        let cues = self.ear.cues();
        // "No message, who would know that?" wants neither.
        if self.script.acts.refuses(plain) {
            return None;
        }
        if cues.message.iter().any(|w| plain.contains(w)) {
            return Some("message");
        }
        // "Do I need to come in person?" asks for nobody.
        let plain = plain.replace(cues.in_person, " ");
        cues.person.iter().any(|w| plain.contains(w)).then_some("person")
    }

    fn thanks(&self, plain: &str) -> bool {
        self.ear.cues().thanks.iter().any(|w| plain.contains(w))
    }

    /// "Okay, never mind, goodbye": a few words that end in a goodbye answer no offer.
    fn parts(&self, text: &str) -> bool {
        let plain = self.ear.plain(text);
        // "No, that's all, God bless you."
        let all = self.ear.cues().that_is_all.iter().any(|words| plain.contains(words));
        // "I just want a message passed on, that's all" does not end it.
        let wish = self.begins_task(text) || Said::of(text, self.ear.0).wants();
        if all && !wish && plain.split(' ').count() <= LONG_PARTING && !self.ear.is_question(text) {
            return true;
        }
        let ends = self.ear.cues().bye.iter().any(|word| {
            let word = word.trim();
            plain.ends_with(word)
                || plain.ends_with(&format!("{word} now"))
                || plain.ends_with(&format!("{word} {word}"))
        });
        // "Thank you dear, you have a nice voice, bye bye": however long, nothing else is wanted.
        let read = self.head.wants("goodbye") >= PARTS && text == self.heard;
        // "Alright, well, I won't remember that, but y'all have a good day", asked what else.
        let asked = matches!(self.state.pending, Some(Pending::More)) && self.state.tasks.is_empty();
        let parting = if read || asked { LONG_PARTING } else { PARTING };
        let open = matches!(self.state.pending, Some(Pending::Write));
        // "Alright, never mind then. Oh, is there a dog park?" does not end it.
        let asks =
            language::sentences(text).iter().any(|part| self.ear.is_question(self.ear.without_fillers(part)));
        (ends || read) && !open && plain.split(' ').count() <= parting && !asks
    }

    pub(super) fn says_bye(&self, text: &str) -> bool {
        let plain = self.ear.plain(text);
        self.ear.cues().bye.iter().any(|w| plain.contains(w))
    }

    pub(super) fn wants_number(&self) -> bool {
        let Some((Stage::Slot(id), script)) = self.current() else { return false };
        script.slot(&id).is_some_and(|slot| matches!(slot.kind, SlotKind::Phone | SlotKind::ClaimNumber))
    }

    pub(super) fn wants_yes_no(&self) -> bool {
        let asked_so = self.state.last_expects == Expectation::YesNo;
        if let Some(task) = self.state.task() {
            return task.stage == Stage::Confirm || asked_so;
        }
        match self.state.pending {
            Some(
                Pending::Offer(_)
                | Pending::PutThrough(_)
                | Pending::Line(_)
                | Pending::AskStaff
                | Pending::Write
                | Pending::Recording
                | Pending::Remind
                | Pending::Coming
                | Pending::MayAsk,
            ) => true,
            Some(Pending::Missing) => asked_so,
            // "Anything else?" names no keys; where two was said to change the language, it does.
            Some(Pending::More | Pending::MoreOnPage) => self.state.spoken.len() <= 1,
            _ => false,
        }
    }

    fn silence(&mut self, times: u32) {
        self.state.misses = self.misses_before;
        if let Some(pending) = self.call_back_pending() {
            return self.call_back_silence(pending);
        }
        let held = self.state.holding && times <= 2;
        self.state.prompted = true;
        if !self.state.doubt.is_empty() {
            // Whoever was asked whether somebody is in danger may not be able to answer.
            self.say_kind("emergency_unless", SegmentKind::Prompt);
        }
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

    pub(super) fn unclear(&mut self) {
        if let Some(pending) = self.call_back_pending() {
            self.call_back_silence(pending);
        } else if self.state.task().is_some() {
            self.say("unclear_sound");
            self.ask_again_quietly();
        } else if self.misses_before == 0 {
            self.state.misses = 1;
            self.say("unclear_sound");
        } else {
            self.miss("");
        }
        self.did("nothing", "asked again");
    }
}
