//! Moves of the agent's region: replies begun, committed, spoken, cut and taken back.

use super::output::Output;
use super::pending_words::WaitingWords;
use super::reply::{Reply, SPECULATIVE_PIECES, key};
use super::state::{Agent, Control, Leg};
use super::timers::Timer;
use super::waterfall::{MAX_STAGES, Moments};
use super::{Port, Session};
use crate::event::{Attack, AttentionReason, ControlReason, EventBody, Ruling};
use crate::ports::{
    AfterReply, CallRecord, EndReason, Played, ReplyCommand, ReplyEvent, TtsCommand, TurnInput,
};
use crate::turn::{Expectation, Heard, ReplySegment, SegmentId, SegmentKind, Speaker, TurnId};

impl Session {
    /// Epochs go up by two: the odd one is the reply's, the even one before it is its filler's.
    pub(super) fn next_epoch(&mut self) -> TurnId {
        self.last_epoch += 2;
        TurnId(self.last_epoch - 1)
    }

    /// A turn that the caller did not speak: greeting, silence, keys, noise.
    pub(super) fn begin_turn(&mut self, input: TurnInput) {
        if self.reopened.take().is_some() {
            // Its words are on the record under their number, and go with what the caller says next.
            self.turn = self.turn.next();
        }
        if input != TurnInput::Opened {
            self.turn = self.turn.next();
        }
        self.commit_turn(input, None);
    }

    /// Starts the reply to a turn that is over, or commits the one that was begun on a guess.
    pub(super) fn commit_turn(&mut self, input: TurnInput, moments: Option<Moments>) {
        if self.regions.control != Control::Agent {
            self.drop_speculation();
            self.overhear_caller(&input);
            return;
        }
        let guessed = self.reply.as_ref().is_some_and(|r| r.guesses(&input));
        if guessed {
            self.commit_guess(moments);
        } else {
            self.drop_reply();
            // What that one was to ask, and did not come to, is asked no more.
            self.to_ask = None;
            let mut reply = Reply::new(self.next_epoch(), self.turn, input);
            reply.committed = true;
            reply.first_index = self.next_index();
            reply.moments = moments;
            self.out.push_back(Output::Reply(ReplyCommand::Start {
                turn: reply.epoch,
                input: reply.input.clone(),
                speculative: false,
            }));
            self.reply = Some(reply);
        }
        self.timers.stop(Timer::NoInput);
        if self.regions.leg == Leg::Open {
            self.regions.agent = Agent::Thinking;
            self.timers.set(Timer::ReplyDeadline, self.now + self.config.reply_deadline);
            let since = self.reply.as_ref().and_then(|r| r.moments.as_ref()).map_or(self.now, |m| m.decided);
            self.arm_filler(since);
        }
    }

    /// Number on the record of what is said next in this turn.
    fn next_index(&self) -> u16 {
        self.announced.next(self.turn)
    }

    fn commit_guess(&mut self, moments: Option<Moments>) {
        let (turn, first_index) = (self.turn, self.next_index());
        let Some(reply) = &mut self.reply else { return };
        reply.committed = true;
        reply.turn = turn;
        reply.first_index = first_index;
        reply.moments = moments.map(|m| Moments { speculative: true, ..m });
        let epoch = reply.epoch;
        self.out.push_back(Output::Reply(ReplyCommand::Commit { turn: epoch }));
        for i in 0..self.reply.as_ref().map_or(0, |r| r.segments.len()) {
            self.announce_segment(i);
            self.enqueue_waiting(i);
        }
    }

    /// Begins a reply on what the caller said so far; it has no effect until the turn is really over.
    pub(super) fn speculate(&mut self, text: &str) {
        if self.regions.agent != Agent::Idle || self.regions.control != Control::Agent {
            return;
        }
        let limit = self.config.speculations_per_turn;
        let Some(utterance) = &self.utterance else { return };
        if text.trim().is_empty()
            || utterance.speculations >= limit
            || self.wasted_tokens >= self.config.wasted_tokens_per_call
        {
            return;
        }
        // Interims do not tell how sure they are; mostly the final is.
        let (confidence, alternatives) = match &utterance.done {
            Some(done) => (done.confidence, &done.alternatives[..]),
            None => (1.0, &[][..]),
        };
        let input = self.as_input(self.carried.followed_by(text, confidence, alternatives));
        if self.reply.as_ref().is_some_and(|r| r.guesses(&input)) {
            return;
        }
        if let Some(utterance) = &mut self.utterance {
            utterance.speculations += 1;
        }
        self.drop_speculation();
        let reply = Reply::new(self.next_epoch(), self.turn.next(), input);
        self.out.push_back(Output::Reply(ReplyCommand::Start {
            turn: reply.epoch,
            input: reply.input.clone(),
            speculative: true,
        }));
        self.reply = Some(reply);
    }

    /// Words of the caller's as the responder is given them.
    pub(super) fn as_input(&self, words: WaitingWords) -> TurnInput {
        words.into_input(self.config.unsure_below, self.reply_expects())
    }

    /// Drops a reply that was only a guess. Leaves no trace but a count.
    pub(super) fn drop_speculation(&mut self) {
        if self.reply.as_ref().is_some_and(|r| !r.committed) {
            self.wasted_speculations += 1;
            self.drop_reply();
        }
    }

    /// Stops whatever reply there is. The responder learns of each one of its own that it is over, and of each that
    /// took effect how much of it was heard.
    pub(super) fn drop_reply(&mut self) {
        let Some(reply) = self.reply.take() else { return };
        let turn = reply.epoch;
        if !reply.apologised {
            self.out.push_back(Output::Reply(ReplyCommand::Cancel { turn }));
        }
        if reply.committed {
            let heard = self.heard_of(&reply);
            self.out.push_back(Output::Reply(ReplyCommand::Heard(heard)));
        }
        if !reply.is_synthesised() {
            self.out.push_back(Output::Tts(TtsCommand::Cancel { turn }));
        }
        self.play_out.cancel(self.now, turn.0);
        self.play_out.cancel(self.now, turn.0 + 1);
        self.settle_parted(reply);
    }

    /// Puts on the record that a reply nobody will hear any more was dropped, where it had been announced.
    pub(super) fn settle_parted(&mut self, reply: Reply) {
        self.drop_unplanned(&reply);
        self.parting = Some(reply);
        self.settle_closed();
    }

    /// Announced segments that never reached the play-out queue.
    fn drop_unplanned(&mut self, reply: &Reply) {
        let at = self.now.as_ms();
        for s in reply.segments.iter().filter(|s| s.seq > 0 && !s.planned) {
            self.record(CallRecord::Played {
                segment: SegmentId { turn: reply.turn, index: reply.first_index + s.said.id.index },
                state: Played::Dropped,
                from_ms: at,
                to_ms: at,
                heard_text: String::new(),
                estimated: false,
            });
        }
    }

    pub(super) fn on_reply(&mut self, event: ReplyEvent) {
        // Money is spent and providers fail whether or not the reply still counts.
        match event {
            ReplyEvent::Provider(note) => return self.on_note(note),
            ReplyEvent::Consent(consented) => return self.on_consent(consented),
            ReplyEvent::Noticed(noticed) => return self.on_noticed(noticed),
            ReplyEvent::Used { usage, speculative, .. } => return self.on_reply_usage(&usage, speculative),
            _ => {}
        }
        if self.reply.as_ref().is_none_or(|r| r.epoch != epoch_of(&event)) {
            self.stale += 1;
            return;
        }
        match event {
            ReplyEvent::Language { language, .. } => {
                let turn = self.reply.as_ref().map_or(self.turn, |r| r.turn);
                self.on_language(turn, language);
            }
            ReplyEvent::Busy { busy, .. } => self.on_busy(busy),
            ReplyEvent::Provider(_)
            | ReplyEvent::Used { .. }
            | ReplyEvent::Consent(_)
            | ReplyEvent::Noticed(_) => {}
            ReplyEvent::Segment(segment) => self.on_segment(segment),
            ReplyEvent::Stage { stage, micros, .. } => {
                let now = self.now;
                if let Some(r) = self.reply.as_mut().filter(|r| r.stages.len() < MAX_STAGES) {
                    r.stages.push((stage, micros, now));
                }
            }
            ReplyEvent::Tool { name, ok, .. } => {
                let turn = self.reply.as_ref().map_or(self.turn, |r| r.turn);
                self.emit(EventBody::Tool { turn, tool: name, ok });
            }
            ReplyEvent::Guard(attack) => {
                let turn = self.reply.as_ref().map_or(self.turn, |r| r.turn);
                self.emit(EventBody::Guard(Attack { turn, ..attack }));
                self.attend(AttentionReason::Guard);
            }
            ReplyEvent::Rule(ruling) => {
                let turn = self.reply.as_ref().map_or(self.turn, |r| r.turn);
                self.emit(EventBody::Rule(Ruling { turn, ..ruling }));
                self.attend(AttentionReason::Rule);
            }
            ReplyEvent::Attention { reason, .. } => self.attend(reason),
            ReplyEvent::Question { question, .. } => self.to_ask = Some(question),
            ReplyEvent::Recording { paused, .. } => self.on_recording_paused(paused),
            ReplyEvent::Done { expects, then, .. } => self.on_reply_complete(expects, then),
            ReplyEvent::Failed { reason, .. } => self.on_reply_failed(reason),
        }
    }

    fn on_segment(&mut self, segment: ReplySegment) {
        self.timers.stop(Timer::ReplyDeadline);
        let now = self.now;
        let Some(reply) = &mut self.reply else { return };
        reply.push(segment.clone(), now);
        let (index, committed) = (reply.segments.len() - 1, reply.committed);
        if self.regions.leg == Leg::Open {
            self.out.push_back(Output::Tts(TtsCommand::Speak(segment)));
        }
        if committed {
            self.announce_segment(index);
        }
    }

    /// Puts a segment on the record and tells viewers. It may be spoken when the record is durable.
    fn announce_segment(&mut self, index: usize) {
        let Some(reply) = &self.reply else { return };
        let Some(segment) = reply.segments.get(index) else { return };
        let (turn, said) = (reply.turn, segment.said.clone());
        let shown_index = reply.first_index.saturating_add(said.id.index);
        self.announced.note(turn, shown_index);
        let shown = ReplySegment { id: SegmentId { turn, index: shown_index }, ..said.clone() };
        let seq = self.record(CallRecord::Planned { segment: shown });
        if let Some(segment) = self.reply.as_mut().and_then(|r| r.segments.get_mut(index)) {
            segment.seq = seq;
        }
        self.emit(EventBody::ReplySegment {
            turn,
            segment: shown_index,
            speaker: Speaker::Agent,
            text: said.text,
            segment_kind: said.kind,
        });
    }

    fn on_reply_complete(&mut self, expects: Expectation, then: AfterReply) {
        let now = self.now;
        let Some(reply) = &mut self.reply else { return };
        reply.complete = true;
        reply.expects = expects;
        reply.then = then;
        let (turn, text, committed, silent) =
            (reply.turn, reply.text(), reply.committed, reply.segments.is_empty());
        if committed && !silent {
            self.emit(EventBody::Final { turn, speaker: Speaker::Agent, text, by: None });
        }
        if self.regions.leg == Leg::Closing {
            self.timers.set(Timer::Closing, now);
        } else if committed && silent {
            self.reply_over();
        }
    }

    fn on_reply_failed(&mut self, reason: String) {
        self.emit(EventBody::Provider { provider: "responder".into(), state: "failed".into(), reason });
        self.attend(AttentionReason::ProviderFailing);
        if self.reply.as_ref().is_some_and(|r| !r.committed) {
            self.drop_reply();
        } else if self.regions.leg == Leg::Closing {
            self.timers.set(Timer::Closing, self.now);
        } else {
            self.apologise();
        }
    }

    pub(super) fn on_reply_overdue(&mut self) {
        if self.regions.agent == Agent::Thinking && self.reply.as_ref().is_some_and(|r| r.segments.is_empty())
        {
            self.emit(EventBody::Provider {
                provider: "responder".into(),
                state: "slow".into(),
                reason: "no reply before the deadline".into(),
            });
            self.attend(AttentionReason::ProviderFailing);
            self.apologise();
        }
    }

    /// Says that something went wrong and listens again. A second fault in the same reply ends the call.
    pub(super) fn apologise(&mut self) {
        self.faults += 1;
        if self.faults > 1 || self.reply.as_ref().is_some_and(|r| r.apologised) {
            self.fail_call();
            return;
        }
        let text = self.phrases().reply_failed.clone();
        self.say_own(text, SegmentKind::Notice, AfterReply::Listen);
    }

    /// A reply of the session's own, from the phrase cache, not gated by the record.
    pub(super) fn say_own(&mut self, text: String, kind: SegmentKind, then: AfterReply) {
        self.leave_hold(then);
        // A fault of ours is told to the caller even while a person has the call.
        self.person_leaves(ControlReason::Fault, None);
        self.speak_own(text, kind, then);
    }

    /// The same, whoever has the call.
    pub(super) fn speak_own(&mut self, text: String, kind: SegmentKind, then: AfterReply) {
        self.speak_text(text, kind, then, true);
    }

    /// `fixed`: the same words on many calls.
    pub(super) fn speak_text(&mut self, text: String, kind: SegmentKind, then: AfterReply, fixed: bool) {
        self.drop_reply();
        let mut reply = Reply::new(self.next_epoch(), self.turn, TurnInput::Unintelligible);
        // What this turn has said so far keeps its numbers on the record.
        reply.first_index = self.next_index();
        let id = SegmentId { turn: reply.epoch, index: 0 };
        reply.committed = true;
        reply.ungated = true;
        reply.apologised = true;
        reply.complete = true;
        reply.then = self.after_own(then);
        reply.expects = self.expects;
        self.reply = Some(reply);
        self.regions.agent = Agent::Thinking;
        self.end_wait();
        self.on_segment(ReplySegment { id, text, kind, fixed });
    }

    pub(super) fn say_goodbye_for_silence(&mut self) {
        self.turn = self.turn.next();
        self.ending = Some(EndReason::NoInput);
        let text = self.phrases().no_input_goodbye.clone();
        self.say_own(text, SegmentKind::Prompt, AfterReply::HangUp);
    }

    /// The caller takes the turn: stop everything, keep only what was heard.
    pub(super) fn interrupt(&mut self) {
        let Some(reply) = self.reply.take() else { return };
        self.play_out.clear(self.now);
        self.play_out.set_duck(false);
        self.play_out.set_hold(false);
        self.flush_carrier();
        let heard = self.heard_of(&reply);
        self.stop_work(&reply);
        self.record(CallRecord::Interrupted { turn: reply.turn, at_ms: self.now.as_ms() });
        self.drop_unplanned(&reply);
        self.cut = Some(reply);
        self.settle_closed();
        let Some(reply) = &self.cut else { return };
        let (turn, expects) = (reply.turn, reply.expects);
        self.emit(EventBody::Interrupted { turn, heard: Heard { turn, ..heard.clone() } });
        self.out.push_back(Output::Reply(ReplyCommand::Heard(heard)));
        self.expects = expects;
        self.regions.agent = Agent::Idle;
        self.busy = false;
        self.settle_cost(turn);
        if self.regions.control == Control::Announcing {
            self.after_announcement();
        }
        match self.ending {
            // The caller spoke up: they are there after all.
            Some(EndReason::NoInput) => self.ending = None,
            Some(reason) => self.hang_up(reason),
            None => {}
        }
    }

    pub(super) fn stop_work(&mut self, reply: &Reply) {
        let turn = reply.epoch;
        if !reply.complete {
            self.out.push_back(Output::Reply(ReplyCommand::Cancel { turn }));
        }
        if !reply.is_synthesised() {
            self.out.push_back(Output::Tts(TtsCommand::Cancel { turn }));
        }
        self.end_wait();
        for timer in [Timer::ReplyDeadline, Timer::DuckLimit] {
            self.timers.stop(timer);
        }
    }

    pub(super) fn heard_of(&self, reply: &Reply) -> Heard {
        let so_far = self.play_out.heard(reply.epoch.0);
        Heard {
            turn: reply.epoch,
            complete: so_far.complete && reply.is_synthesised(),
            text: so_far.text,
            estimated: so_far.estimated,
        }
    }

    /// The cut was a mistake: nobody said anything. Go on from the sentence that was cut.
    pub(super) fn resume_cut(&mut self) {
        let Some(cut) = self.cut.take() else { return };
        if self.reply.is_some() || self.regions.leg != Leg::Open || self.regions.control != Control::Agent {
            return;
        }
        let unheard = self.play_out.unheard(cut.epoch.0);
        let known: Vec<_> = unheard.iter().map(|(k, _)| k.index).collect();
        let unsaid = cut.segments.iter().filter(|s| !s.planned || known.contains(&s.said.id.index));
        let epoch = self.next_epoch();
        let mut reply = Reply::new(epoch, cut.turn, cut.input.clone());
        reply.first_index = cut.first_index;
        reply.committed = true;
        reply.complete = true;
        reply.ungated = true; // Each of these words is on the record already.
        reply.expects = cut.expects;
        reply.then = if cut.complete { cut.then } else { self.after_own(AfterReply::Listen) };
        // Indices stay: on the record these are the same segments, played once more.
        let again: Vec<_> = unsaid
            .map(|s| ReplySegment { id: SegmentId { turn: epoch, ..s.said.id }, ..s.said.clone() })
            .collect();
        if again.is_empty() {
            return;
        }
        self.reply = Some(reply);
        self.regions.agent = Agent::Thinking;
        for segment in again {
            let now = self.now;
            if let Some(r) = &mut self.reply {
                r.push(segment.clone(), now);
            }
            self.out.push_back(Output::Tts(TtsCommand::Speak(segment)));
        }
    }

    /// The greeting says who answers and that it may record: no early sound of the caller's holds it back.
    pub(super) fn is_greeting(&self) -> bool {
        self.reply.as_ref().is_some_and(|r| r.input == TurnInput::Opened)
    }

    /// The caller makes a sound while we speak or are about to: lower our voice, or wait with it.
    pub(super) fn give_way(&mut self) {
        match self.regions.agent {
            Agent::Speaking if self.play_out.is_audible(self.now) => {
                self.regions.agent = Agent::Yielding;
                self.play_out.set_duck(true);
                self.timers.set(Timer::DuckLimit, self.now + self.config.duck_limit);
            }
            Agent::Thinking if !self.is_greeting() && self.regions.control == Control::Agent => self.hold(),
            _ => {}
        }
    }

    /// Says nothing more until it is known what the caller says; never for ever.
    pub(super) fn hold(&mut self) {
        self.play_out.set_hold(true);
        self.timers.set(Timer::DuckLimit, self.now + self.config.duck_limit);
    }

    /// The sound was nothing: speak on at full level.
    pub(super) fn stop_yielding(&mut self) {
        self.timers.stop(Timer::DuckLimit);
        self.play_out.set_duck(false);
        self.play_out.set_hold(false);
        if self.regions.agent == Agent::Yielding {
            self.regions.agent = Agent::Speaking;
        }
    }

    /// The reply was heard to its end, or there was nothing to say.
    pub(super) fn reply_over(&mut self) {
        let Some(reply) = self.reply.take() else { return };
        self.end_wait();
        for timer in [Timer::ReplyDeadline, Timer::DuckLimit] {
            self.timers.stop(timer);
        }
        self.play_out.set_duck(false);
        self.play_out.set_hold(false);
        let heard = self.heard_of(&reply);
        self.out.push_back(Output::Reply(ReplyCommand::Heard(heard)));
        self.regions.agent = Agent::Idle;
        self.expects = reply.expects;
        self.busy = false;
        self.last_said = last_words(&reply.text());
        if !reply.apologised {
            self.faults = 0;
        }
        self.settle_cost(reply.turn);
        if self.regions.control == Control::Announcing {
            return self.after_announcement();
        }
        match reply.then {
            AfterReply::Listen if self.is_over_budget() => self.end_for_budget(),
            AfterReply::Listen => self.listen_again(),
            AfterReply::Hold => self.hold_on(),
            AfterReply::Wait => self.stand_in_line(),
            AfterReply::Ask => self.ask_staff(),
            AfterReply::HangUp | AfterReply::Transfer => {
                let transfers = reply.then == AfterReply::Transfer;
                let own = if transfers { EndReason::Transferred } else { EndReason::AgentHungUp };
                self.hang_up(self.ending.unwrap_or(own));
            }
        }
    }

    /// What the last words of ours asked for, also while they are still being spoken. A guess has asked for nothing yet:
    /// the number that the caller is saying is no answer to it.
    pub(super) fn reply_expects(&self) -> Expectation {
        self.reply.as_ref().filter(|r| r.complete && r.committed).map_or(self.expects, |r| r.expects)
    }

    /// Puts audio that came before the commit into the play-out queue.
    fn enqueue_waiting(&mut self, index: usize) {
        let Some(segment) = self.reply.as_mut().and_then(|r| r.segments.get_mut(index)) else { return };
        let (id, waiting, finished) =
            (segment.said.id, std::mem::take(&mut segment.waiting), segment.finished.take());
        for mulaw in waiting {
            self.play(id, &mulaw);
        }
        if let Some(words) = finished {
            self.play_finished(id, words);
        }
    }

    /// Keeps audio of a guess, or drops the guess when it grows too long.
    pub(super) fn keep_waiting(&mut self, id: SegmentId, mulaw: Vec<u8>) {
        let Some(reply) = &mut self.reply else { return };
        if reply.waiting_pieces() >= SPECULATIVE_PIECES {
            self.drop_speculation();
        } else if let Some(segment) = reply.segment_mut(id) {
            segment.waiting.push(mulaw);
        }
    }

    pub(super) fn on_port_lost(&mut self, port: Port) {
        if self.regions.leg == Leg::Closing {
            self.finish();
        } else if port == Port::Tts {
            self.hang_up(EndReason::Failed);
        } else if port == Port::Stt && self.ending == Some(EndReason::Failed) {
            // It said that it is lost before it went: the caller is being told.
        } else {
            self.fail_call();
        }
    }

    /// Lets go of segments whose record is durable.
    pub(super) fn release_durable(&mut self) {
        let durable = self.durable;
        let Some(reply) = &self.reply else { return };
        for s in
            reply.segments.iter().filter(|s| s.planned && (reply.ungated || (s.seq > 0 && s.seq <= durable)))
        {
            self.play_out.release(key(s.said.id));
        }
    }
}

/// As much of our words as an echo can bring back.
fn last_words(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words[words.len().saturating_sub(40)..].join(" ")
}

fn epoch_of(event: &ReplyEvent) -> TurnId {
    match event {
        ReplyEvent::Segment(s) => s.id.turn,
        ReplyEvent::Stage { turn, .. }
        | ReplyEvent::Tool { turn, .. }
        | ReplyEvent::Guard(Attack { turn, .. })
        | ReplyEvent::Rule(Ruling { turn, .. })
        | ReplyEvent::Attention { turn, .. }
        | ReplyEvent::Done { turn, .. }
        | ReplyEvent::Language { turn, .. }
        | ReplyEvent::Question { turn, .. }
        | ReplyEvent::Recording { turn, .. }
        | ReplyEvent::Busy { turn, .. }
        | ReplyEvent::Used { turn, .. }
        | ReplyEvent::Failed { turn, .. } => *turn,
        // Told of no attempt in particular.
        ReplyEvent::Provider(_) | ReplyEvent::Consent(_) | ReplyEvent::Noticed(_) => TurnId::default(),
    }
}
