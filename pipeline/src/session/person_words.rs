//! What the person who has the call says, in words: for the record, for the rules, and for the agent who goes on after them.
//!
//! Their sound has a recognizer of its own. Nothing waits for its words: the caller has heard the sound long before, so a word
//! too late or too few costs a line of the transcript and no more.

use std::time::Duration;

use language::Ear as Listens;
use telephony::media::{AudioFrame, CallTime};

use super::Session;
use super::output::Output;
use super::state::{Control, Leg};
use super::timers::Timer;
use super::utterance::{Ear, FinalText};
use crate::event::EventBody;
use crate::ports::{CallRecord, Overheard, ReplyCommand, SttCommand, SttEvent, TurnInput};
use crate::turn::{Expectation, Speaker, TurnId, UtteranceId};

/// Silence after which what they said so far is one utterance.
const SETTLED_AFTER: Duration = Duration::from_millis(700);

/// The words of whoever has the call, or had it a moment ago.
#[derive(Debug, Default)]
pub(super) struct PersonWords {
    ear: Ear,
    last: u32,
    open: Option<Spoken>,
    /// The last words of whoever had the call before: only their text is awaited.
    before: Option<Spoken>,
    /// The recognizer is gone: nothing more of theirs is written down on this call.
    deaf: bool,
}

impl PersonWords {
    /// What they say is written down no more, what they said last included.
    pub(super) fn silenced() -> Self {
        Self { deaf: true, ..Self::default() }
    }

    /// Whether the recognizer owes words of theirs.
    pub(super) fn is_awaited(&self) -> bool {
        self.before.is_some() || self.open.as_ref().is_some_and(|spoken| spoken.done.is_none())
    }
}

/// What they are saying now.
#[derive(Debug)]
struct Spoken {
    id: UtteranceId,
    /// In which turn it was begun.
    turn: TurnId,
    by: String,
    began: CallTime,
    /// Where it ended, once somebody else has the call.
    ended: Option<CallTime>,
    /// From 1; 0 before the first.
    pause: u32,
    /// They are silent since that pause.
    paused: bool,
    interim: Option<String>,
    done: Option<FinalText>,
}

impl Spoken {
    /// They fell silent: the recognizer is asked for their words.
    fn begin_pause(&mut self) -> SttCommand {
        self.paused = true;
        self.pause += 1;
        SttCommand::Pause { utterance: self.id, pause: self.pause, asked: Expectation::Open }
    }

    fn text(&self) -> &str {
        self.done.as_ref().map(|done| done.text.as_str()).or(self.interim.as_deref()).unwrap_or_default()
    }
}

impl Session {
    /// Whether a person has the call, or what they said last is still awaited.
    #[must_use]
    pub fn hears_person(&self) -> bool {
        self.person.is_some() || self.person_words.open.is_some() || self.person_words.before.is_some()
    }

    /// 20 ms of theirs, as the caller is given it.
    pub(super) fn hear_person(&mut self, frame: &AudioFrame) {
        if !self.person_words.deaf {
            self.out.push_back(Output::Person(SttCommand::Audio(*frame)));
        }
    }

    /// How likely the last window of the person's sound is speech.
    pub(super) fn on_person_vad(&mut self, score: f32) {
        if self.person_words.deaf || self.regions.leg != Leg::Open {
            return;
        }
        let believed = self.person_words.open.is_some();
        self.person_words.ear.push(&self.config, self.now, score, believed);
        if !self.person_words.ear.speaks(&self.config) {
            return;
        }
        match &mut self.person_words.open {
            None => self.begin_person_words(),
            Some(spoken) if spoken.paused => {
                (spoken.paused, spoken.done) = (false, None);
                let utterance = spoken.id;
                self.out.push_back(Output::Person(SttCommand::Resumed { utterance }));
            }
            Some(_) => {}
        }
        self.timers.set(Timer::PersonWords, self.person_words.ear.last_speech() + self.config.pause_after);
    }

    fn begin_person_words(&mut self) {
        let Some(by) = self.person.as_ref().map(|person| person.by.clone()) else { return };
        self.end_words_before();
        let turn = self.turn;
        self.person_words.last += 1;
        let id = UtteranceId(self.person_words.last);
        let began = self.person_words.ear.run_began(self.now);
        let (ended, pause, paused, interim, done) = (None, 0, false, None, None);
        self.person_words.open = Some(Spoken { id, turn, by, began, ended, pause, paused, interim, done });
        self.out.push_back(Output::Person(SttCommand::SpeechStarted { utterance: id }));
    }

    /// They fell silent: ask for the words. Later, take what there is.
    pub(super) fn on_person_words_due(&mut self) {
        let Some(spoken) = &mut self.person_words.open else { return };
        if spoken.paused {
            return self.end_person_words();
        }
        let pause = spoken.begin_pause();
        self.out.push_back(Output::Person(pause));
        self.timers.set(Timer::PersonWords, self.now + self.config.recogniser_deadline);
    }

    /// Nothing more of theirs comes: the recognizer is asked for what they said.
    pub(super) fn pause_person_words(&mut self) {
        if let Some(spoken) = self.person_words.open.as_mut().filter(|spoken| !spoken.paused) {
            let pause = spoken.begin_pause();
            self.out.push_back(Output::Person(pause));
        }
    }

    /// Somebody else has the call from now on.
    pub(super) fn change_person_words(&mut self) {
        self.end_words_before();
        self.timers.stop(Timer::PersonWords);
        // The next one's voice is another's.
        let ear = std::mem::take(&mut self.person_words.ear);
        let Some(mut spoken) = self.person_words.open.take() else { return };
        spoken.ended = Some(ear.last_speech());
        if spoken.done.is_some() {
            return self.note_person_words(spoken);
        }
        if !spoken.paused {
            let pause = spoken.begin_pause();
            self.out.push_back(Output::Person(pause));
        }
        self.person_words.before = Some(spoken);
    }

    pub(super) fn on_person_stt(&mut self, event: SttEvent) {
        match event {
            SttEvent::Interim { utterance, text } => {
                let Some(spoken) = self.person_words.open.as_mut().filter(|spoken| spoken.id == utterance)
                else {
                    self.stale += 1;
                    return;
                };
                spoken.interim = Some(text.clone());
                let (turn, speaker) = (spoken.turn, Speaker::Supervisor);
                self.heed_secret(&text);
                self.emit(EventBody::Interim { turn, speaker, text });
            }
            SttEvent::Final { utterance, pause, text, confidence, alternatives, settled } => {
                let (at, said) = (self.now, text.clone());
                match &mut self.person_words.open {
                    Some(spoken) if spoken.id == utterance && spoken.pause == pause && spoken.paused => {
                        spoken.done = Some(FinalText { text, confidence, alternatives, at, settled });
                    }
                    _ => return self.take_words_before(utterance, said),
                }
                self.heed_secret(&said);
                if self.takes_notes() && self.regions.leg == Leg::Closing {
                    return self.finish();
                }
                let over = self.person_words.ear.last_speech() + SETTLED_AFTER;
                let better = if settled { at } else { at + self.config.better_text };
                self.timers.set(Timer::PersonWords, over.max(better));
            }
            SttEvent::Provider(note) => self.on_note(note),
            SttEvent::Used(usage) => self.on_usage(&usage, false),
            SttEvent::Lost { failure } => self.lose_person_words(failure.to_string()),
            SttEvent::TurnEnd { .. }
            | SttEvent::MaybeEnd { .. }
            | SttEvent::Ready
            | SttEvent::SpeechHeard
            | SttEvent::Language(_) => {}
        }
    }

    /// Their recognizer is gone. The call needs it for nothing else.
    pub(super) fn lose_person_words(&mut self, reason: String) {
        if !std::mem::replace(&mut self.person_words.deaf, true) {
            self.end_person_words();
            self.emit(EventBody::Provider { provider: "stt".into(), state: "lost".into(), reason });
        }
    }

    /// A person asks the caller for a PIN: what comes next is written down and recorded by nobody.
    fn heed_secret(&mut self, text: &str) {
        if self.regions.control == Control::Supervisor && Listens(self.language).asks_for_secret(text) {
            self.expects = Expectation::Secret;
        }
    }

    fn take_words_before(&mut self, utterance: UtteranceId, text: String) {
        match &mut self.person_words.before {
            Some(spoken) if spoken.id == utterance => spoken.interim = Some(text),
            _ => {
                self.stale += 1;
                return;
            }
        }
        self.end_words_before();
    }

    fn end_words_before(&mut self) {
        if let Some(spoken) = self.person_words.before.take() {
            self.note_person_words(spoken);
        }
    }

    /// What they said is as good as it will be.
    pub(super) fn end_person_words(&mut self) {
        self.end_words_before();
        self.timers.stop(Timer::PersonWords);
        if let Some(spoken) = self.person_words.open.take() {
            self.note_person_words(spoken);
        }
    }

    fn note_person_words(&mut self, spoken: Spoken) {
        self.out.push_back(Output::Person(SttCommand::Ended { utterance: spoken.id }));
        let text = spoken.text().trim().to_owned();
        if text.is_empty() {
            return;
        }
        let asks = Listens(self.language).asks_for_secret(&text);
        if self.expects == Expectation::Secret && self.person.is_some() && !asks {
            // They go on with something else.
            self.expects = Expectation::Open;
        }
        let (turn, by) = (spoken.turn, spoken.by);
        self.record(CallRecord::PersonSaid {
            turn,
            by: by.clone(),
            text: text.clone(),
            from_ms: spoken.began.as_ms(),
            to_ms: spoken.ended.unwrap_or(self.person_words.ear.last_speech()).max(spoken.began).as_ms(),
        });
        let speaker = Speaker::Supervisor;
        self.emit(EventBody::Final { turn, speaker, text: text.clone(), by: Some(by.clone()) });
        self.out.push_back(Output::Reply(ReplyCommand::Overheard(Overheard::Person { by, text })));
    }

    /// The caller says something to the person who has the call. The agent takes no turn on it, and knows of it.
    pub(super) fn overhear_caller(&mut self, input: &TurnInput) {
        if let (TurnInput::Said { text, .. }, true) = (input, self.person.is_some()) {
            let text = text.clone();
            self.out.push_back(Output::Reply(ReplyCommand::Overheard(Overheard::Caller { text })));
        }
    }
}
