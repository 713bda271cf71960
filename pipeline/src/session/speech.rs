//! From synthesised audio to what the caller hears: the play-out queue and its settled accounts.

use telephony::media::MediaCommand;
use telephony::playout::{Closed, SegmentKey, SegmentState, WordSpan};

use super::Session;
use super::output::Output;
use super::reply::key;
use super::state::{Agent, Control, Leg};
use super::timers::Timer;
use crate::event::EventBody;
use crate::ports::{AfterReply, CallRecord, EndReason, Played, TtsEvent};
use crate::turn::{SegmentId, SegmentKind, TurnId, WordTime};

impl Session {
    pub(super) fn on_tts(&mut self, event: TtsEvent) {
        let id = match &event {
            TtsEvent::Provider(note) => return self.on_note(note.clone()),
            TtsEvent::Used(usage) => return self.on_usage(usage, false),
            TtsEvent::Audio { segment, .. }
            | TtsEvent::Done { segment, .. }
            | TtsEvent::Failed { segment, .. } => *segment,
        };
        if self.is_filler(id) {
            self.on_filler_audio(event);
            return;
        }
        let Some(reply) = self.reply.as_mut().filter(|r| r.epoch == id.turn) else {
            self.stale += 1;
            return;
        };
        let committed = reply.committed;
        match event {
            TtsEvent::Audio { mulaw, .. } => {
                reply.first_audio.get_or_insert(self.now);
                if committed { self.play(id, &mulaw) } else { self.keep_waiting(id, mulaw) }
            }
            TtsEvent::Done { words, .. } => self.on_synthesised(id, words, committed),
            TtsEvent::Failed { failure, .. } => self.on_synthesis_failed(id, failure.to_string()),
            TtsEvent::Provider(_) | TtsEvent::Used(_) => {}
        }
    }

    fn on_synthesised(&mut self, id: SegmentId, words: Vec<WordTime>, committed: bool) {
        let Some(segment) = self.reply.as_mut().and_then(|r| r.segment_mut(id)) else { return };
        segment.synthesised = true;
        if committed {
            self.play_finished(id, words);
        } else {
            segment.finished = Some(words);
        }
    }

    fn on_synthesis_failed(&mut self, id: SegmentId, reason: String) {
        self.emit(EventBody::Provider { provider: "tts".into(), state: "failed".into(), reason });
        if self.reply.as_ref().is_some_and(|r| !r.committed) {
            // Nobody waits for it yet: it is begun anew when the turn is really over.
            self.drop_speculation();
            return;
        }
        let own = self.reply.as_ref().is_none_or(|r| r.apologised);
        if let Some(segment) = self.reply.as_mut().and_then(|r| r.segment_mut(id)) {
            segment.synthesised = true;
        }
        match self.regions.control {
            // What was to be announced can be done without.
            Control::Announcing | Control::Held => self.reply_over(),
            _ if own && self.waits_with_ear() => self.reply_over(),
            _ if own => self.hang_up(EndReason::Failed),
            _ => self.apologise(),
        }
    }

    /// Queues audio of a committed segment; the first piece plans it.
    pub(super) fn play(&mut self, id: SegmentId, mulaw: &[u8]) {
        self.plan(id);
        self.play_out.push_audio(key(id), mulaw);
    }

    pub(super) fn play_finished(&mut self, id: SegmentId, words: Vec<WordTime>) {
        self.plan(id);
        let words = words
            .into_iter()
            .map(|w| WordSpan { text: w.text, start_ms: w.start_ms, end_ms: w.end_ms })
            .collect();
        self.play_out.finish(key(id), words);
    }

    fn plan(&mut self, id: SegmentId) {
        let now = self.now;
        let Some(segment) = self.reply.as_mut().and_then(|r| r.segment_mut(id)) else { return };
        if segment.planned {
            return;
        }
        segment.planned = true;
        let text = segment.said.text.clone();
        self.play_out.plan(now, key(id), text);
        self.release_durable();
    }

    /// Sends what the play-out has to say at once: a clear must not wait behind anything.
    pub(super) fn flush_carrier(&mut self) {
        while let Some(command) = self.play_out.poll(self.now) {
            self.out.push_back(Output::Carrier(command));
        }
    }

    /// Takes over what the play-out has found out since last asked. True when there is something new to drain.
    pub(super) fn settle_play_out(&mut self) -> bool {
        let before = self.out.len();
        self.settle_closed();
        self.notice_first_frame();
        if self.reply_is_heard() {
            self.reply_over();
            return true;
        }
        self.out.len() > before
    }

    fn reply_is_heard(&self) -> bool {
        matches!(self.regions.agent, Agent::Speaking | Agent::Yielding)
            && self.play_out.is_drained()
            && self.reply.as_ref().is_some_and(super::reply::Reply::is_synthesised)
    }

    fn notice_first_frame(&mut self) {
        if self.regions.agent != Agent::Thinking {
            return;
        }
        let Some(reply) = &mut self.reply else { return };
        let Some(first) = self.play_out.first_sent_at(reply.epoch.0) else { return };
        let (turn, segment, audio) = (reply.turn, reply.first_segment, reply.first_audio);
        let stages = std::mem::take(&mut reply.stages);
        let moments = reply.moments.take();
        self.regions.agent = Agent::Speaking;
        self.end_wait();
        self.timers.stop(Timer::ReplyDeadline);
        if let Some(mut moments) = moments {
            moments.first_segment = segment;
            moments.first_audio = audio;
            moments.stages = stages;
            let latency = moments.waterfall(turn, first);
            self.record(CallRecord::Latency { latency: latency.clone() });
            self.emit(EventBody::Latency { latency });
        }
    }

    pub(super) fn close_account(&mut self, closed: Closed) {
        if self.close_stretch(&closed) {
            return;
        }
        let Some((turn, kind, first)) = self.shown_turn(closed.key) else { return };
        let state = match closed.state {
            SegmentState::PartlyHeard => Played::PartlyHeard,
            SegmentState::Dropped => Played::Dropped,
            _ => Played::Heard,
        };
        if kind == SegmentKind::Filler {
            return;
        }
        if kind == SegmentKind::Consent && state == Played::Heard {
            self.note_notice_heard(SegmentId { turn: TurnId(closed.key.group), index: closed.key.index });
        }
        self.record(CallRecord::Played {
            segment: SegmentId { turn, index: first.saturating_add(closed.key.index) },
            state,
            from_ms: closed.from.as_ms(),
            to_ms: closed.to.as_ms(),
            heard_text: closed.heard_text.clone(),
            estimated: closed.estimated,
        });
        self.emit(EventBody::ReplyHeard {
            turn,
            state,
            heard_text: closed.heard_text,
            estimated: closed.estimated,
        });
    }

    /// The number people know a segment's turn by, what kind of segment it is, and the number of its reply's first.
    fn shown_turn(&self, closed: SegmentKey) -> Option<(TurnId, SegmentKind, u16)> {
        let id = SegmentId { turn: TurnId(closed.group), index: closed.index };
        let replies = self.reply.iter().chain(&self.cut).chain(&self.parting);
        for reply in replies {
            if reply.epoch.0 + 1 == closed.group {
                return Some((reply.turn, SegmentKind::Filler, 0));
            }
            if reply.epoch == id.turn {
                return Some((reply.turn, reply.kind_of(id)?, reply.first_index));
            }
        }
        None
    }

    pub(super) fn on_log_failed(&mut self) {
        if self.log_failed {
            return;
        }
        self.log_failed = true;
        self.emit(EventBody::Provider {
            provider: "storage".into(),
            state: "failed".into(),
            reason: "the record of the call can not be written; the call is ended with an apology".into(),
        });
        if self.regions.leg == Leg::Open { self.fail_call() } else { self.end_now() }
    }

    /// Apologises from the cache and ends the call.
    pub(super) fn fail_call(&mut self) {
        if self.ending == Some(EndReason::Failed) {
            self.hang_up(EndReason::Failed);
            return;
        }
        self.ending = Some(EndReason::Failed);
        if self.config.can_call_back && !self.log_failed {
            self.promise_call_back();
            return;
        }
        let text = self.phrases().out_of_order.clone();
        self.say_own(text, SegmentKind::Notice, AfterReply::HangUp);
    }

    /// Says that somebody will call back, once that is on the record.
    fn promise_call_back(&mut self) {
        let owed = self.record(CallRecord::CallBackOwed { turn: self.turn });
        let text = self.phrases().call_back_promised.clone();
        self.say_own(text, SegmentKind::Notice, AfterReply::HangUp);
        if let Some(reply) = &mut self.reply {
            reply.ungated = false;
            reply.segments.iter_mut().for_each(|s| s.seq = s.seq.max(owed));
        }
    }

    pub(super) fn close_stream(&mut self) {
        self.out.push_back(Output::Carrier(MediaCommand::Close));
    }
}
