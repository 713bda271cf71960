//! What the caller hears while they wait: one spoken filler, then a soft sound now and then.

use std::sync::LazyLock;
use std::time::Duration;

use telephony::media::CallTime;
use telephony::playout::SegmentKey;

use super::Session;
use super::output::Output;
use super::state::{Agent, Caller, Control, Leg};
use super::timers::Timer;
use crate::audio::g711::mulaw_encode;
use crate::ports::{TtsCommand, TtsEvent, TurnInput};
use crate::turn::{ReplySegment, SegmentId, SegmentKind, TurnId};

/// About how long a spoken filler lasts.
const FILLER: Duration = Duration::from_millis(1_500);
/// First index of soft sounds among a filler's segments.
const SOFT: u16 = 1;

/// Two notes, quiet and short: somebody is at work.
static SOFT_SOUND: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let note = |hz: f32| {
        (0..1_440).map(move |i| {
            let (at, length) = (i as f32, 1_440.0);
            let fade = (at / 240.0).min((length - at) / 720.0).min(1.0);
            let wave = (std::f32::consts::TAU * hz * at / 8_000.0).sin();
            mulaw_encode((wave * fade * 700.0) as i16)
        })
    };
    note(392.0).chain(note(523.0)).collect()
});

impl Session {
    /// The wait has lasted long enough for words.
    pub(super) fn say_filler(&mut self) {
        let Some(epoch) = self.filler_epoch() else { return };
        if self.bridge.is_some() {
            return;
        }
        self.bridge = Some(epoch);
        if let Some(m) = self.reply.as_mut().and_then(|r| r.moments.as_mut()) {
            m.filler = true;
        }
        let text = self.phrases().filler.clone();
        let id = SegmentId { turn: epoch, index: 0 };
        self.out.push_back(Output::Tts(TtsCommand::Speak(ReplySegment {
            id,
            text,
            kind: SegmentKind::Filler,
            fixed: true,
        })));
        self.timers.set(Timer::SoftSound, self.now + FILLER + self.config.soft_sound_every);
    }

    /// The wait goes on.
    pub(super) fn make_soft_sound(&mut self) {
        let Some(epoch) = self.bridge.filter(|_| self.filler_epoch().is_some()) else { return };
        self.soft_sounds += 1;
        self.play_soft_sound(SegmentKey { group: epoch.0, index: SOFT + self.soft_sounds });
        self.timers.set(Timer::SoftSound, self.now + self.config.soft_sound_every);
    }

    /// The caller is still held. Where they are spoken to they need no sound.
    pub(super) fn make_hold_sound(&mut self) {
        if self.regions.control != Control::Held || self.regions.leg != Leg::Open {
            return;
        }
        if self.regions.agent == Agent::Idle && self.play_out.is_drained() {
            let group = self.next_epoch().0;
            self.play_soft_sound(SegmentKey { group, index: 0 });
        }
        self.timers.set(Timer::HoldSound, self.now + self.config.hold_sound_every);
    }

    fn play_soft_sound(&mut self, key: SegmentKey) {
        self.play_out.plan(self.now, key, String::new());
        self.play_out.push_audio(key, &SOFT_SOUND);
        self.play_out.finish(key, Vec::new());
        self.play_out.release(key);
    }

    /// The number that a filler may be said under now; `None` when nobody waits for us.
    ///
    /// The even epoch after a reply's odd one is free for its filler. Before there is a reply, while only the
    /// recogniser is late, an attempt that stays empty lends its own.
    fn filler_epoch(&mut self) -> Option<TurnId> {
        if self.regions.control != Control::Agent {
            return None;
        }
        if let Some(reply) = &self.reply
            && reply.committed
        {
            let waits = self.regions.agent == Agent::Thinking
                && self.regions.caller == Caller::Silent
                && !reply.has_audio()
                && reply.input != TurnInput::Opened;
            return waits.then_some(self.bridge.unwrap_or(TurnId(reply.epoch.0 + 1)));
        }
        let late = self.regions.caller == Caller::MaybeFinished
            && self.regions.agent == Agent::Idle
            && self.utterance.as_ref().is_some_and(|u| u.decided.is_some());
        if !late {
            return None;
        }
        if let Some(bridge) = self.bridge {
            return Some(bridge);
        }
        Some(TurnId(self.next_epoch().0 + 1))
    }

    pub(super) fn is_filler(&self, id: SegmentId) -> bool {
        self.bridge == Some(id.turn)
    }

    /// A filler is worth saying only while the reply itself has no audio.
    pub(super) fn on_filler_audio(&mut self, event: TtsEvent) {
        let late = self.reply.as_ref().is_some_and(|r| r.segments.iter().any(|s| s.planned));
        let key = |id: SegmentId| SegmentKey { group: id.turn.0, index: id.index };
        match event {
            TtsEvent::Audio { segment, mulaw } if !late => {
                let text = self.phrases().filler.clone();
                self.play_out.plan(self.now, key(segment), text);
                self.play_out.push_audio(key(segment), &mulaw);
                self.play_out.release(key(segment));
            }
            TtsEvent::Audio { segment, mulaw } => self.play_out.push_audio(key(segment), &mulaw),
            TtsEvent::Done { segment, .. } => self.play_out.finish(key(segment), Vec::new()),
            TtsEvent::Failed { .. } | TtsEvent::Provider(_) | TtsEvent::Used(_) => {}
        }
    }

    /// The wait is over: the next one may have a filler of its own.
    pub(super) fn end_wait(&mut self) {
        self.bridge = None;
        self.soft_sounds = 0;
        self.timers.stop(Timer::Filler);
        self.timers.stop(Timer::SoftSound);
    }

    /// The caller goes on while we say "one moment": fall silent at once.
    pub(super) fn hush_filler(&mut self) {
        if self.bridge.is_some() && self.regions.agent == Agent::Idle {
            self.play_out.clear(self.now);
            self.flush_carrier();
            self.settle_closed();
        }
        if self.regions.agent == Agent::Idle {
            self.end_wait();
        }
    }

    /// Whether the caller waits for us since `since` and has heard nothing.
    pub(super) fn arm_filler(&mut self, since: CallTime) {
        if self.bridge.is_none() {
            self.timers.set(Timer::Filler, since + self.config.filler_after);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::g711::mulaw_decode;

    #[test]
    fn the_soft_sound_is_soft_and_fades() {
        let loudest = SOFT_SOUND.iter().map(|b| mulaw_decode(*b).unsigned_abs()).max();
        assert!(loudest.is_some_and(|l| (400..800).contains(&l)), "{loudest:?}");
        assert_eq!(SOFT_SOUND.len(), 2_880);
        assert!(mulaw_decode(SOFT_SOUND[0]).abs() < 20);
    }
}
