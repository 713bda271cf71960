//! Moves of the caller's region: when speech begins, pauses, goes on and is over.

use std::time::Duration;

use telephony::media::{AudioFrame, CallTime};

use super::endpointing::{self, PauseView, words};
use super::output::Output;
use super::secret::holds_digits;
use super::state::{Agent, Caller, Control, Leg};
use super::timers::Timer;
use super::utterance::{FinalText, Utterance};
use super::waterfall::Moments;
use super::{Port, Session};
use crate::event::{AttentionReason, EventBody};
use crate::ports::{CallRecord, EndReason, SttCommand, SttEvent, TurnInput};
use crate::turn::{Expectation, Speaker, UtteranceId};

/// Words from which a turn is more than a greeting.
const ASKS_FROM: usize = 4;

impl Session {
    pub(super) fn on_frame(&mut self, frame: AudioFrame) {
        if self.regions.leg == Leg::Open {
            self.out.push_back(Output::Stt(SttCommand::Audio(frame)));
        }
    }

    pub(super) fn on_vad(&mut self, score: f32) {
        if self.regions.leg != Leg::Open {
            return;
        }
        let believed = self.regions.caller == Caller::Speaking;
        self.ear.push(&self.config, self.now, score, believed);
        match self.regions.caller {
            Caller::Silent | Caller::MaybeSpeaking => self.listen_for_onset(score),
            Caller::Speaking => {
                self.follow_speech();
                self.guess_by_interim();
            }
            Caller::MaybeFinished if self.ear.speaks(&self.config) => self.on_resumed(),
            Caller::MaybeFinished => {}
        }
    }

    fn listen_for_onset(&mut self, score: f32) {
        if self.ear.speaks(&self.config) {
            self.begin_utterance();
        } else if self.ear.maybe() || score >= self.config.duck_on {
            self.regions.caller = Caller::MaybeSpeaking;
            // One window is enough to lower our voice, never to stop it.
            self.give_way();
        } else if self.regions.caller == Caller::MaybeSpeaking {
            self.regions.caller = Caller::Silent;
            self.stop_yielding();
        }
    }

    fn begin_utterance(&mut self) {
        self.give_way();
        self.open_utterance();
    }

    fn open_utterance(&mut self) {
        self.last_utterance += 1;
        let id = UtteranceId(self.last_utterance);
        let mut utterance = Utterance::new(id, self.ear.run_began(self.now));
        utterance.over_reply = self.over_reply();
        utterance.rejoins = self.may_rejoin(utterance.began);
        if utterance.rejoins && utterance.over_reply.is_some() && !self.gives_back {
            // What we say answers half a thought, as it seems: wait with it until that is known.
            self.hold();
        }
        self.utterance = Some(utterance);
        self.regions.caller = Caller::Speaking;
        self.timers.stop(Timer::NoInput);
        self.out.push_back(Output::Stt(SttCommand::SpeechStarted { utterance: id }));
        self.follow_speech();
    }

    /// The recogniser hears words where the detector hears none: a caller who speaks softly, or our own words come back.
    /// What is being said does not give way before they are known.
    fn on_speech_heard(&mut self) {
        let listening = matches!(self.regions.caller, Caller::Silent | Caller::MaybeSpeaking);
        if listening && self.regions.leg == Leg::Open {
            self.ear.believe(self.now);
            if self.regions.agent == Agent::Thinking {
                self.give_way();
            }
            self.open_utterance();
            if let Some(utterance) = &mut self.utterance {
                utterance.by_words = true;
            }
        }
    }

    fn follow_speech(&mut self) {
        self.judge_over_talk();
        self.rejoin_if_caller_goes_on();
        self.timers.set(Timer::Pause, self.ear.last_speech() + self.config.pause_after);
    }

    pub(super) fn on_pause_due(&mut self) {
        if self.regions.caller != Caller::Speaking || self.regions.leg != Leg::Open {
            return;
        }
        let since = self.ear.silence(self.now);
        if since < self.config.pause_after {
            self.timers.set(Timer::Pause, self.ear.last_speech() + self.config.pause_after);
            return;
        }
        self.begin_pause();
    }

    pub(super) fn begin_pause(&mut self) {
        let Some(utterance) = &mut self.utterance else { return };
        utterance.begin_pause();
        let command =
            SttCommand::Pause { utterance: utterance.id, pause: utterance.pause, asked: self.expects };
        self.regions.caller = Caller::MaybeFinished;
        self.out.push_back(Output::Stt(command));
        self.timers.stop(Timer::Pause);
        self.timers.set(Timer::RecogniserWatchdog, self.now + self.config.recogniser_deadline);
        self.arm_end_of_turn();
    }

    fn on_resumed(&mut self) {
        let Some(utterance) = &mut self.utterance else { return };
        utterance.decided = None;
        let command = SttCommand::Resumed { utterance: utterance.id };
        let pause = self.ear.run_began(self.now).since(self.ear.last_speech());
        self.patience.learn_pause(pause.min(Duration::from_secs(1)));
        self.out.push_back(Output::Stt(command));
        self.regions.caller = Caller::Speaking;
        self.timers.stop(Timer::EndOfTurn);
        self.timers.stop(Timer::RecogniserWatchdog);
        self.hush_filler();
        // A guess is kept: a cough after the last word must not cost the answer. Other words will replace it.
        self.follow_speech();
    }

    fn pause_view(&self) -> PauseView<'_> {
        let utterance = self.utterance.as_ref();
        PauseView {
            text: utterance.and_then(|u| u.done.as_ref()).map(|d| d.text.as_str()),
            complete: utterance.and_then(|u| u.complete),
            ..self.view()
        }
    }

    /// What is known of a pause before its words are.
    fn view<'a>(&self) -> PauseView<'a> {
        PauseView {
            expects: self.expects,
            first: self.is_first_word(),
            language: self.language,
            text: None,
            complete: None,
            own_ms: self.patience.average_ms(),
        }
    }

    /// The caller has said nothing yet of what they call for.
    fn is_first_word(&self) -> bool {
        self.expects == Expectation::Open && !self.has_asked
    }

    fn arm_end_of_turn(&mut self) {
        let silence = endpointing::required_silence(&self.config, self.pause_view());
        let soonest = self.now.max(self.ear.last_speech() + silence);
        self.timers.set(Timer::EndOfTurn, soonest);
    }

    /// Ends the turn if the caller has been silent long enough and does not speak at this moment.
    pub(super) fn try_end_turn(&mut self) {
        if self.regions.caller != Caller::MaybeFinished || self.regions.leg != Leg::Open {
            return;
        }
        let silence = endpointing::required_silence(&self.config, self.pause_view());
        let due = self.ear.last_speech() + silence;
        if self.now < due || self.ear.maybe() {
            // A window of speech may be the caller going on: look again when it is known.
            let again = due.max(self.now + Duration::from_millis(32));
            self.timers.set(Timer::EndOfTurn, again);
            return;
        }
        self.decide();
    }

    fn decide(&mut self) {
        let now = self.now;
        let Some(utterance) = &mut self.utterance else { return };
        let decided = *utterance.decided.get_or_insert(now);
        let Some(done) = utterance.done.clone() else {
            // The turn is over and its text is late: the caller's wait has begun.
            self.arm_filler(decided);
            return;
        };
        let patience = decided + self.config.better_text;
        if !done.settled && now < patience {
            // A second ear is at work; most of what it needs lies within the silence that had to pass anyway.
            self.timers.set(Timer::EndOfTurn, patience);
            return;
        }
        self.timers.stop(Timer::EndOfTurn);
        self.timers.stop(Timer::RecogniserWatchdog);
        self.end_utterance(&done, decided);
    }

    fn end_utterance(&mut self, done: &FinalText, decided: CallTime) {
        let complete = endpointing::judged_complete(self.pause_view());
        let Some(utterance) = self.utterance.take() else { return };
        self.out.push_back(Output::Stt(SttCommand::Ended { utterance: utterance.id }));
        self.regions.caller = Caller::Silent;
        if done.text.trim().is_empty() {
            self.on_wordless(&utterance);
        } else if self.takes_secret() && holds_digits(&done.text) {
            self.take_spoken_secret(&utterance, done);
        } else if self.answers_ahead(&utterance, &done.text) {
            self.defer(&utterance, done);
        } else if self.is_listening_noise(&utterance, &done.text) {
            self.on_listening_noise(&utterance);
        } else if self.is_over_notice(&utterance) {
            self.defer(&utterance, done);
        } else {
            if utterance.rejoins && self.regions.agent != Agent::Idle {
                self.rejoin();
            }
            let moments = Moments {
                judged_complete: complete,
                filler: self.bridge.is_some(),
                ..Moments::at(self.ear.last_speech(), decided, self.now)
            };
            let moments = Moments { text_ready: done.at, ..moments };
            self.answer(done, utterance.began, moments);
        }
        self.rearm_no_input();
        self.say_line();
    }

    /// The caller's turn is over and has words: it is on the record, and a reply is asked for.
    pub(super) fn answer(&mut self, done: &FinalText, began: CallTime, moments: Moments) {
        let (said, before) = self.note_whole_turn(began, moments.decided, done);
        if !self.confirm_over_talk() {
            return;
        }
        self.carried.clear();
        self.missed = false;
        self.has_asked |= words(&said.text).count() >= ASKS_FROM;
        let input = self.as_input(said);
        self.commit_turn(input, Some(moments));
        if let Some(reply) = self.reply.as_mut().filter(|r| r.committed) {
            reply.before = Some(before);
        }
    }

    fn on_listening_noise(&mut self, utterance: &Utterance) {
        self.drop_speculation();
        self.stop_yielding();
        if !self.decide_as_before(utterance) {
            self.resume_cut();
        }
    }

    fn on_wordless(&mut self, utterance: &Utterance) {
        self.drop_speculation();
        self.note_missed(utterance);
        self.stop_yielding();
        let speech = self.ear.last_speech().since(utterance.began);
        if self.decide_as_before(utterance) {
            return;
        }
        if utterance.interrupted {
            self.resume_cut();
        } else if speech >= self.config.unintelligible_speech && self.regions.agent == Agent::Idle {
            self.begin_turn(TurnInput::Unintelligible);
        }
    }

    /// A turn of the caller's on the record.
    pub(super) fn note_caller_turn(&mut self, began: CallTime, done: &FinalText) {
        self.cut = None;
        self.silences = 0;
        self.turn = self.turn.next();
        self.record(CallRecord::CallerTurn {
            turn: self.turn,
            text: done.text.clone(),
            started_ms: began.as_ms(),
            ended_ms: self.ear.last_speech().as_ms(),
            confidence: done.confidence,
        });
        let (turn, speaker) = (self.turn, Speaker::Caller);
        self.emit(EventBody::Final { turn, speaker, text: done.text.clone(), by: None });
    }

    pub(super) fn on_stt(&mut self, event: SttEvent) {
        match event {
            SttEvent::Interim { utterance, text } => self.on_interim(utterance, text),
            SttEvent::Final { utterance, pause, text, confidence, alternatives, settled } => {
                let done = FinalText { text, confidence, alternatives, at: self.now, settled };
                self.on_final(utterance, pause, done);
            }
            SttEvent::TurnEnd { utterance, pause, probability } => {
                self.on_turn_end(utterance, pause, probability)
            }
            SttEvent::MaybeEnd { utterance, probability } => self.on_maybe_end(utterance, probability),
            SttEvent::Ready => {}
            SttEvent::SpeechHeard => self.on_speech_heard(),
            SttEvent::Language(language) => self.on_language_heard(language),
            SttEvent::Provider(note) => self.on_note(note),
            SttEvent::Used(usage) => self.on_usage(&usage, false),
            SttEvent::Lost { failure } => {
                let reason = failure.to_string();
                self.emit(EventBody::Provider { provider: "stt".into(), state: "lost".into(), reason });
                self.attend(AttentionReason::ProviderFailing);
                self.on_port_lost(Port::Stt);
            }
        }
    }

    fn on_interim(&mut self, id: UtteranceId, text: String) {
        let turn = self.turn.next();
        match &mut self.utterance {
            Some(u) if u.id == id && u.done.is_none() => {
                if words(&text).count() >= 2 {
                    u.made_out = Some(text.clone());
                }
                u.interim = Some(text.clone());
                u.may_end = None;
            }
            _ => {
                self.stale += 1;
                return;
            }
        }
        if !text.trim().is_empty() && !self.takes_secret() {
            self.emit(EventBody::Interim { turn, speaker: Speaker::Caller, text });
        }
        self.judge_over_talk();
        self.rejoin_if_caller_goes_on();
        self.guess_by_interim();
    }

    fn on_final(&mut self, id: UtteranceId, pause: u32, done: FinalText) {
        match &mut self.utterance {
            Some(u) if u.id == id && u.pause == pause && pause > 0 => u.done = Some(done),
            _ => {
                self.stale += 1;
                return;
            }
        }
        if self.regions.leg == Leg::Closing {
            if !self.timers.is_set(Timer::LastRecord) {
                self.take_last_words();
            }
            return;
        }
        if self.regions.caller != Caller::MaybeFinished {
            return;
        }
        self.judge_over_talk();
        self.speculate_if_likely();
        self.arm_end_of_turn();
        if self.utterance.as_ref().is_some_and(|u| u.decided.is_some()) {
            self.try_end_turn();
        }
    }

    fn on_turn_end(&mut self, id: UtteranceId, pause: u32, probability: f32) {
        match &mut self.utterance {
            Some(u) if u.id == id && u.pause == pause && pause > 0 => u.complete = Some(probability),
            _ => {
                self.stale += 1;
                return;
            }
        }
        if self.regions.caller == Caller::MaybeFinished && self.regions.leg == Leg::Open {
            self.speculate_if_likely();
            self.arm_end_of_turn();
        }
    }

    /// Begins a reply early when the pause looks like an end.
    fn speculate_if_likely(&mut self) {
        let Some(text) = self.utterance.as_ref().and_then(|u| u.done.as_ref()).map(|d| d.text.clone()) else {
            return;
        };
        if !self.takes_secret() && endpointing::is_worth_a_guess(&self.config, self.pause_view()) {
            self.speculate(&text);
        }
    }

    fn on_maybe_end(&mut self, id: UtteranceId, probability: f32) {
        match &mut self.utterance {
            Some(u) if u.id == id && u.done.is_none() => u.may_end = Some(probability),
            _ => {
                self.stale += 1;
                return;
            }
        }
        self.guess_by_interim();
    }

    /// The same before the final is there: the interim text has an end, and the caller has just fallen silent or the
    /// recogniser says that this may be all.
    fn guess_by_interim(&mut self) {
        let Some(after) = self.config.interim_guess else { return };
        let Some(utterance) = &self.utterance else { return };
        let silent = !self.ear.maybe()
            && (self.regions.caller == Caller::MaybeFinished || self.ear.silence(self.now) >= after);
        if utterance.done.is_some() || self.takes_secret() || !(silent || utterance.may_end.is_some()) {
            return;
        }
        let Some(text) = utterance.interim.clone() else { return };
        let complete = utterance.complete.or(utterance.may_end);
        let view = PauseView { text: Some(&text), complete, ..self.view() };
        if endpointing::is_worth_a_guess(&self.config, view) {
            self.speculate(&text);
        }
    }

    pub(super) fn on_recogniser_overdue(&mut self) {
        // While a caller is told that we cannot go on, half a word does not cut that off.
        if self.regions.caller != Caller::MaybeFinished || self.ending == Some(EndReason::Failed) {
            return;
        }
        let text = self.utterance.as_ref().and_then(|u| u.interim.clone()).unwrap_or_default();
        self.emit(EventBody::Provider {
            provider: "stt".into(),
            state: "slow".into(),
            reason: "no final before the deadline; the interim text was used".into(),
        });
        if let Some(u) = &mut self.utterance {
            let alternatives = Vec::new();
            u.done = Some(FinalText { text, confidence: 0.3, alternatives, at: self.now, settled: true });
        }
        self.decide();
    }

    fn on_no_input_ready(&self) -> bool {
        self.regions.leg == Leg::Open
            && self.regions.agent == Agent::Idle
            && self.regions.control == Control::Agent
            && !self.waits_with_ear()
            && matches!(self.regions.caller, Caller::Silent | Caller::MaybeSpeaking)
            && !self.digits.is_collecting()
            && !self.busy
    }

    /// The idle clock starts when our reply was heard and nobody speaks.
    pub(super) fn rearm_no_input(&mut self) {
        if self.on_no_input_ready() {
            let wait = match self.expects {
                Expectation::Wait => self.config.no_input_waiting,
                _ if self.silences >= 2 => self.config.no_input_last,
                _ => self.config.no_input,
            };
            self.timers.set(Timer::NoInput, self.now + wait);
        } else {
            self.timers.stop(Timer::NoInput);
        }
    }

    pub(super) fn on_no_input(&mut self) {
        if !self.on_no_input_ready() {
            return;
        }
        self.silences += 1;
        if self.silences >= 2 {
            self.attend(AttentionReason::Silence);
        }
        if self.silences >= self.config.no_input_limit {
            self.say_goodbye_for_silence();
        } else {
            self.begin_turn(TurnInput::Silence { times: self.silences });
        }
    }
}
