//! A caller who makes up their mind while the call is on: deeds come one by one over a channel.

use std::collections::VecDeque;

use serde::Serialize;
use telephony::media::{AudioFrame, FRAME_MS};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TryRecvError;

use super::playback::is_audible;
use super::script::{Act, Party, Send};

/// Quiet after which the agent is taken to listen; shorter ones are pauses between its sentences.
const LISTENS_AFTER_MS: u64 = 500;

/// What the caller decides to do.
#[derive(Clone, Debug)]
pub enum Deed {
    Act(Act),
    HangUp,
}

/// Whether the caller lets the agent finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Speaks at once, also over the agent.
    Free,
    /// Acts when the answer before it has been followed by this much quiet, or when none came for `answer_ms`.
    Patient { gap_ms: u64, answer_ms: u64 },
}

/// What the agent does, as the caller hears it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Listening,
    Speaking,
    /// Stopped in mid-sentence, for the caller.
    Interrupted,
}

impl State {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Listening => "listening",
            Self::Speaking => "speaking",
            Self::Interrupted => "interrupted",
        }
    }
}

/// The caller. Dropping the sender of deeds hangs up, in the manner of the caller.
#[derive(Debug)]
pub struct Live {
    deeds: mpsc::Receiver<Deed>,
    is_over: bool,
    queue: VecDeque<Deed>,
    doing: Option<(Act, usize)>,
    manner: Manner,
    /// Told of every change. Full or gone: the change is not told, the call goes on.
    states: mpsc::Sender<State>,
    state: State,
    now_ms: u64,
    /// When the caller's last act ended, or the call began.
    acted_at_ms: u64,
    /// When sound was last heard.
    heard_at_ms: Option<u64>,
    /// Sound heard in the whole call.
    heard_ms: u64,
}

impl Live {
    #[must_use]
    pub fn new(deeds: mpsc::Receiver<Deed>, manner: Manner, states: mpsc::Sender<State>) -> Self {
        Self {
            deeds,
            is_over: false,
            queue: VecDeque::new(),
            doing: None,
            manner,
            states,
            state: State::Listening,
            now_ms: 0,
            acted_at_ms: 0,
            heard_at_ms: None,
            heard_ms: 0,
        }
    }

    /// Sound heard in the whole call.
    #[must_use]
    pub fn heard_ms(&self) -> u64 {
        self.heard_ms
    }

    fn hear(&mut self, heard: &AudioFrame, pending: bool) {
        if is_audible(heard) {
            self.heard_at_ms = Some(self.now_ms);
            self.heard_ms += FRAME_MS;
            self.enter(State::Speaking);
        } else if !pending && self.quiet_ms() >= LISTENS_AFTER_MS {
            self.enter(State::Listening);
        }
    }

    fn enter(&mut self, state: State) {
        if self.state != state {
            self.state = state;
            let _ = self.states.try_send(state);
        }
    }

    /// Since sound was last heard, or since the call began.
    fn quiet_ms(&self) -> u64 {
        self.now_ms - self.heard_at_ms.unwrap_or_default()
    }

    fn take_deeds(&mut self) {
        loop {
            match self.deeds.try_recv() {
                Ok(deed) => self.queue.push_back(deed),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {
                    if !self.is_over {
                        self.is_over = true;
                        self.queue.push_back(Deed::HangUp);
                    }
                    return;
                }
            }
        }
    }

    /// Whether the next deed's time has come.
    fn may_act(&self, pending: bool) -> bool {
        let Manner::Patient { gap_ms, answer_ms } = self.manner else { return true };
        if self.heard_at_ms.is_some_and(|at| at > self.acted_at_ms) {
            !pending && self.quiet_ms() >= gap_ms
        } else {
            self.now_ms - self.acted_at_ms >= answer_ms
        }
    }

    fn hangs_up(&self, pending: bool) -> bool {
        match self.manner {
            Manner::Free => self.queue.iter().any(|deed| matches!(deed, Deed::HangUp)),
            Manner::Patient { .. } => {
                self.doing.is_none()
                    && matches!(self.queue.front(), Some(Deed::HangUp))
                    && self.may_act(pending)
            }
        }
    }

    fn act(&mut self, pending: bool) -> Send {
        if self.doing.is_none()
            && self.may_act(pending)
            && let Some(Deed::Act(act)) = self.queue.pop_front()
        {
            self.doing = Some((act, 0));
        }
        let Some((act, at)) = &mut self.doing else { return Send::Frame(AudioFrame::SILENCE) };
        match act.at(*at) {
            Some(send) => {
                *at += 1;
                self.acted_at_ms = self.now_ms;
                send
            }
            None => {
                self.doing = None;
                Send::Frame(AudioFrame::SILENCE)
            }
        }
    }
}

impl Party for Live {
    fn tick(&mut self, heard: &AudioFrame, pending: bool) -> Send {
        self.now_ms += FRAME_MS;
        self.hear(heard, pending);
        self.take_deeds();
        if self.hangs_up(pending) { Send::HangUp } else { self.act(pending) }
    }

    fn cleared(&mut self) {
        self.enter(State::Interrupted);
    }
}

#[cfg(test)]
mod tests {
    use telephony::media::FRAME_BYTES;

    use super::*;

    const LOUD: AudioFrame = AudioFrame([0x10; FRAME_BYTES]);
    const QUIET: AudioFrame = AudioFrame::SILENCE;

    fn say() -> Deed {
        Deed::Act(Act::Say(vec![LOUD; 3]))
    }

    fn live(manner: Manner) -> (Live, mpsc::Sender<Deed>, mpsc::Receiver<State>) {
        let (deeds, taken) = mpsc::channel(8);
        let (told, states) = mpsc::channel(8);
        (Live::new(taken, manner, told), deeds, states)
    }

    /// Ticks until something other than silence is sent, and how many that took.
    fn until_act(live: &mut Live, heard: AudioFrame) -> (Send, u64) {
        for ticks in 1..2_000 {
            match live.tick(&heard, false) {
                Send::Frame(AudioFrame::SILENCE) => {}
                send => return (send, ticks),
            }
        }
        panic!("the caller never acted");
    }

    #[test]
    fn a_free_caller_speaks_over_the_agent_and_hangs_up_at_once() {
        let (mut live, deeds, mut states) = live(Manner::Free);
        live.tick(&LOUD, true);
        deeds.try_send(say()).unwrap();
        assert_eq!(live.tick(&LOUD, true), Send::Frame(LOUD));
        live.cleared();
        drop(deeds);
        assert_eq!(live.tick(&QUIET, false), Send::HangUp);
        assert_eq!(states.try_recv(), Ok(State::Speaking));
        assert_eq!(states.try_recv(), Ok(State::Interrupted));
        assert_eq!(live.heard_ms(), 40);
    }

    #[test]
    fn a_patient_caller_lets_every_answer_end_and_then_hangs_up() {
        let (mut live, deeds, mut states) = live(Manner::Patient { gap_ms: 400, answer_ms: 2_000 });
        deeds.try_send(say()).unwrap();
        drop(deeds);
        for _ in 0..10 {
            assert_eq!(live.tick(&LOUD, true), Send::Frame(QUIET));
        }
        assert_eq!(until_act(&mut live, QUIET), (Send::Frame(LOUD), 20));
        for _ in 0..2 {
            assert_eq!(live.tick(&QUIET, false), Send::Frame(LOUD));
        }
        // The greeting was no answer to this: one is waited for.
        for _ in 0..50 {
            assert_eq!(live.tick(&QUIET, false), Send::Frame(QUIET));
        }
        live.tick(&LOUD, false);
        assert_eq!(until_act(&mut live, QUIET), (Send::HangUp, 20));
        assert_eq!(states.try_recv(), Ok(State::Speaking));
        assert_eq!(states.try_recv(), Ok(State::Listening));
    }

    #[test]
    fn a_patient_caller_does_not_wait_for_ever() {
        let (mut live, deeds, _states) = live(Manner::Patient { gap_ms: 400, answer_ms: 2_000 });
        deeds.try_send(Deed::Act(Act::Press(vec!['5']))).unwrap();
        assert_eq!(until_act(&mut live, QUIET), (Send::Key('5'), 100));
    }
}
