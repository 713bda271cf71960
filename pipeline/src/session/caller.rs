//! Moves of the caller's region: when speech begins, pauses, goes on and is over.

use std::time::Duration;

use telephony::media::{AudioFrame, CallTime};

use super::barge_in::{self, Judgement, OverTalk};
use super::endpointing::{self, PauseView};
use super::output::Output;
use super::secret::holds_digits;
use super::state::{Agent, Caller, Control, Leg};
use super::timers::Timer;
use super::utterance::{FinalText, OverReply, Utterance};
use super::waterfall::Moments;
use super::{Port, Session};
use crate::event::{AttentionReason, EventBody};
use crate::ports::{CallRecord, EndReason, SttCommand, SttEvent, TurnInput};
use crate::turn::{Expectation, Speaker, UtteranceId};

/// Words of ours, up to where the caller has heard us, that may be an utterance's; and that its first may be.
const SAID_BACK: usize = 40;
const SAID_RECENTLY: usize = 16;

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

    /// What of ours the caller is speaking over, if anything.
    fn over_reply(&self) -> Option<OverReply> {
        if !matches!(self.regions.agent, Agent::Speaking | Agent::Yielding)
            || !self.play_out.is_audible(self.now)
        {
            return None;
        }
        let reply = self.reply.as_ref()?;
        let since = self.play_out.first_sent_at(reply.epoch.0).unwrap_or(self.now);
        Some(OverReply { reply_age: self.now.since(since), notice: reply.is_notice() })
    }

    fn follow_speech(&mut self) {
        self.judge_over_talk();
        self.take_back_if_caller_goes_on();
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
            expects: self.expects,
            text: utterance.and_then(|u| u.done.as_ref()).map(|d| d.text.as_str()),
            complete: utterance.and_then(|u| u.complete),
        }
    }

    fn arm_end_of_turn(&mut self) {
        let silence = endpointing::required_silence(&self.config, &self.patience, self.pause_view());
        let soonest = self.now.max(self.ear.last_speech() + silence);
        self.timers.set(Timer::EndOfTurn, soonest);
    }

    /// Ends the turn if the caller has been silent long enough and does not speak at this moment.
    pub(super) fn try_end_turn(&mut self) {
        if self.regions.caller != Caller::MaybeFinished || self.regions.leg != Leg::Open {
            return;
        }
        let silence = endpointing::required_silence(&self.config, &self.patience, self.pause_view());
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
        let complete = endpointing::judged_complete(&self.config, self.pause_view());
        let Some(utterance) = self.utterance.take() else { return };
        self.out.push_back(Output::Stt(SttCommand::Ended { utterance: utterance.id }));
        self.regions.caller = Caller::Silent;
        if done.text.trim().is_empty() {
            self.on_wordless(&utterance);
        } else if self.takes_secret() && holds_digits(&done.text) {
            self.take_spoken_secret(&utterance, done);
        } else if self.is_listening_noise(&utterance, &done.text) {
            self.drop_speculation();
            self.stop_yielding();
            self.resume_cut();
        } else if self.is_over_notice(&utterance) {
            self.stop_yielding();
            self.note_caller_turn(utterance.began, done);
            self.deferred = done.text.clone();
        } else {
            self.note_caller_turn(utterance.began, done);
            if !self.confirm_over_talk() {
                return;
            }
            let moments = Moments {
                speech_ended: self.ear.last_speech(),
                decided,
                text_ready: done.at,
                committed: self.now,
                first_segment: None,
                first_audio: None,
                stages: Vec::new(),
                judged_complete: complete,
                speculative: false,
                filler: self.bridge.is_some(),
            };
            let said = self.with_carried(&done.text);
            self.carried.clear();
            self.commit_turn(TurnInput::Said { text: said }, Some(moments));
        }
        self.rearm_no_input();
    }

    /// "Okay" over our reply is no turn, unless we have just asked a question that it answers.
    fn is_listening_noise(&self, utterance: &Utterance, text: &str) -> bool {
        let while_we_spoke = utterance.over_reply.is_some() || utterance.interrupted;
        if let Some(over) = utterance.over_reply {
            let (ours, recent) = (self.just_said(SAID_BACK), self.just_said(SAID_RECENTLY));
            let talk = self.over_talk(utterance, over, &ours, &recent);
            if barge_in::is_nothing(&OverTalk { text: Some(text), finished: true, ..talk }) {
                return true;
            }
        }
        let answers = self.reply_expects() == Expectation::YesNo && self.play_out.pending_ms() == 0;
        while_we_spoke && !answers && barge_in::is_only_back_channel(text)
    }

    fn on_wordless(&mut self, utterance: &Utterance) {
        self.drop_speculation();
        self.stop_yielding();
        let speech = self.ear.last_speech().since(utterance.began);
        if utterance.interrupted {
            self.resume_cut();
        } else if speech >= self.config.unintelligible_speech && self.regions.agent == Agent::Idle {
            self.begin_turn(TurnInput::Unintelligible);
        }
    }

    /// Said over a notice that is not over yet: it is answered when the notice is.
    fn is_over_notice(&self, utterance: &Utterance) -> bool {
        utterance.over_reply.is_some_and(|o| o.notice)
            && matches!(self.regions.agent, Agent::Speaking | Agent::Yielding)
    }

    /// Answers what was said over the notice that has just ended.
    pub(super) fn take_deferred(&mut self) {
        if self.deferred.is_empty() {
            return;
        }
        let deferred = std::mem::take(&mut self.deferred);
        let text = self.with_carried(&deferred);
        if matches!(self.regions.caller, Caller::Silent | Caller::MaybeSpeaking) {
            self.carried.clear();
            self.commit_turn(TurnInput::Said { text }, None);
        } else {
            self.carried = text;
        }
    }

    /// A turn that nobody judged an interruption while it lasted is one now: it had words. False when the call
    /// ends by that: what was cut was our last word.
    pub(super) fn confirm_over_talk(&mut self) -> bool {
        if matches!(self.regions.agent, Agent::Speaking | Agent::Yielding) {
            self.interrupt();
            self.cut = None;
        }
        self.regions.leg == Leg::Open
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
        self.emit(EventBody::Final { turn: self.turn, speaker: Speaker::Caller, text: done.text.clone() });
    }

    pub(super) fn with_carried(&self, text: &str) -> String {
        if self.carried.is_empty() { text.to_owned() } else { format!("{} {text}", self.carried) }
    }

    pub(super) fn on_stt(&mut self, event: SttEvent) {
        match event {
            SttEvent::Interim { utterance, text } => self.on_interim(utterance, text),
            SttEvent::Final { utterance, pause, text, confidence, settled, .. } => {
                let done = FinalText { text, confidence, at: self.now, settled };
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
        self.take_back_if_caller_goes_on();
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
        let view = PauseView { expects: self.expects, text: Some(&text), complete };
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
            u.done = Some(FinalText { text, confidence: 0.3, at: self.now, settled: true });
        }
        self.decide();
    }

    /// The last words of ours that the caller's telephone may give back: what was heard, and a little more, since
    /// what was heard is counted with caution.
    fn just_said(&self, back: usize) -> String {
        const AHEAD: usize = 6;
        let Some(reply) = &self.reply else { return self.last_said.clone() };
        let heard = self.play_out.heard(reply.epoch.0).text.split_whitespace().count();
        let text = reply.text();
        let so_far: Vec<&str> = text.split_whitespace().take(heard + AHEAD).collect();
        so_far[so_far.len().saturating_sub(back)..].join(" ")
    }

    fn over_talk<'a>(
        &self,
        utterance: &'a Utterance,
        over: OverReply,
        ours: &'a str,
        recent: &'a str,
    ) -> OverTalk<'a> {
        OverTalk {
            speech: self.ear.last_speech().since(utterance.began),
            reply_age: over.reply_age,
            text: utterance.text(),
            finished: utterance.done.is_some(),
            notice: over.notice,
            ours,
            // Where nothing of ours comes back, the caller's first words are held up for nothing.
            recent: if self.gives_back { recent } else { "" },
            by_words: utterance.by_words,
            confidence: utterance.done.as_ref().map_or(1.0, |done| done.confidence),
        }
    }

    /// Weighs sound over our reply. Called whenever more is known of it.
    fn judge_over_talk(&mut self) {
        let Some(utterance) = &self.utterance else { return };
        let Some(over) = utterance.over_reply else { return };
        if self.regions.agent == Agent::Idle || self.regions.agent == Agent::Thinking {
            return;
        }
        let said = |back| if utterance.text().is_some() { self.just_said(back) } else { String::new() };
        let (ours, recent) = (said(SAID_BACK), said(SAID_RECENTLY));
        let judgement = barge_in::judge(&self.config, self.over_talk(utterance, over, &ours, &recent));
        match judgement {
            Judgement::Interruption => {
                self.interrupt();
                if let Some(u) = &mut self.utterance {
                    u.interrupted = true;
                    u.over_reply = None;
                }
            }
            Judgement::BackChannel => self.stop_yielding(),
            Judgement::Open => {}
        }
    }

    /// We took a pause for the end and have not been heard yet: a caller who goes on gets the turn back.
    fn take_back_if_caller_goes_on(&mut self) {
        // Keys are complete when they are entered, and what we say of our own accord is said to the end.
        let answers_words =
            self.reply.as_ref().is_some_and(|r| !r.apologised && matches!(r.input, TurnInput::Said { .. }));
        let early = self.regions.agent == Agent::Thinking && answers_words;
        if !early || self.regions.caller != Caller::Speaking {
            return;
        }
        let Some(utterance) = &self.utterance else { return };
        if self.ear.last_speech().since(utterance.began) < self.config.take_back_speech {
            return;
        }
        self.patience.learn_cut_off();
        self.take_back_reply();
    }

    fn on_no_input_ready(&self) -> bool {
        self.regions.leg == Leg::Open
            && self.regions.agent == Agent::Idle
            && self.regions.control == Control::Agent
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
