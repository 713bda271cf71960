//! What the caller does and when: listen to the greeting, speak, listen to the answer, hang up.
//!
//! Pure: it is told every 20 ms what was heard and says what to send. Time is counted in frames.

use anyhow::bail;
use telephony::media::{AudioFrame, FRAME_MS};

use super::playback::is_audible;

/// One act of the caller.
#[derive(Clone, Debug)]
pub enum Act {
    /// Speaks.
    Say(Vec<AudioFrame>),
    /// Presses keys, 250 ms apart.
    Press(Vec<char>),
}

impl Act {
    /// What is sent in the `at`-th tick of this act; `None` when it is over.
    pub(super) fn at(&self, at: usize) -> Option<Send> {
        const TICKS_PER_KEY: usize = 12;
        match self {
            Self::Say(frames) => frames.get(at).copied().map(Send::Frame),
            Self::Press(keys) => {
                let key = keys.get(at / TICKS_PER_KEY).copied()?;
                let is_due = at.is_multiple_of(TICKS_PER_KEY);
                Some(if is_due { Send::Key(key) } else { Send::Frame(AudioFrame::SILENCE) })
            }
        }
    }
}

/// The keys of a telephone.
///
/// # Errors
/// Says which can be pressed.
pub fn pressed(keys: &str) -> anyhow::Result<Vec<char>> {
    let is_key = |key: char| key.is_ascii_digit() || matches!(key, '*' | '#' | 'A'..='D');
    if keys.is_empty() || !keys.chars().all(is_key) {
        bail!("`{keys}` cannot be pressed: give 0-9, *, # and A-D, such as 5 or 123#");
    }
    Ok(keys.chars().collect())
}

/// Who decides what one end of a call sends. Pure: told every 20 ms what was heard.
pub trait Party {
    /// One tick: `heard` was played to the caller, `pending` says that more is buffered.
    fn tick(&mut self, heard: &AudioFrame, pending: bool) -> Send;

    /// The gateway took back sound that was not yet played.
    fn cleared(&mut self) {}
}

/// When the caller's first act begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// After the greeting was heard to its end.
    AfterGreeting,
    /// One second into the greeting.
    OverGreeting,
    /// This long after the stream opened, whatever is heard.
    AfterMs(u64),
}

/// Patience of the caller, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Quiet that ends an answer when there is more to say.
    pub gap_ms: u64,
    /// Quiet after the last answer, before hanging up.
    pub quiet_ms: u64,
    /// Longest wait for any sound.
    pub answer_ms: u64,
    /// Hang up this long after the stream opened.
    pub hangup_after_ms: Option<u64>,
}

/// What to send in this tick.
#[derive(Clone, Debug, PartialEq)]
pub enum Send {
    Frame(AudioFrame),
    /// A key, beside a frame of silence.
    Key(char),
    HangUp,
}

/// How one act was answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Answer {
    /// Last sound sent to first sound heard.
    pub heard_after_ms: Option<u64>,
    /// Sound heard in answer.
    pub heard_ms: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Opening,
    Acting { at: usize },
    Listening,
}

/// The caller's course through a call.
#[derive(Debug)]
pub struct Script {
    acts: std::vec::IntoIter<Act>,
    act: Act,
    opening: Opening,
    patience: Patience,
    phase: Phase,
    now_ms: u64,
    phase_began_ms: u64,
    /// When the caller's own last sound left.
    spoke_at_ms: u64,
    /// When sound was last heard.
    heard_at_ms: Option<u64>,
    greeting_ms: u64,
    answers: Vec<Answer>,
}

impl Script {
    #[must_use]
    pub fn new(acts: Vec<Act>, opening: Opening, patience: Patience) -> Self {
        let mut acts = acts.into_iter();
        let act = acts.next().unwrap_or_else(|| Act::Say(Vec::new()));
        Self {
            acts,
            act,
            opening,
            patience,
            phase: Phase::Opening,
            now_ms: 0,
            phase_began_ms: 0,
            spoke_at_ms: 0,
            heard_at_ms: None,
            greeting_ms: 0,
            answers: Vec::new(),
        }
    }

    /// Sound heard before the first act.
    #[must_use]
    pub fn greeting_ms(&self) -> u64 {
        self.greeting_ms
    }

    /// Answers so far, one an act.
    #[must_use]
    pub fn answers(&self) -> &[Answer] {
        &self.answers
    }

    fn note_sound(&mut self) {
        self.heard_at_ms = Some(self.now_ms);
        if self.phase == Phase::Opening {
            self.greeting_ms += FRAME_MS;
            return;
        }
        if self.phase == Phase::Listening
            && let Some(answer) = self.answers.last_mut()
        {
            answer.heard_after_ms.get_or_insert(self.now_ms - self.spoke_at_ms);
            answer.heard_ms += FRAME_MS;
        }
    }

    fn open(&mut self, pending: bool) -> Send {
        let begins = match self.opening {
            Opening::AfterMs(wait) => self.now_ms >= wait,
            Opening::OverGreeting => self.greeting_ms >= 1_000 || self.waited_in_vain(),
            Opening::AfterGreeting => self.is_quiet(self.patience.gap_ms.min(1_000), pending),
        };
        if begins { self.begin_act() } else { Send::Frame(AudioFrame::SILENCE) }
    }

    fn begin_act(&mut self) -> Send {
        self.answers.push(Answer::default());
        self.enter(Phase::Acting { at: 0 });
        self.perform(0)
    }

    fn perform(&mut self, at: usize) -> Send {
        self.phase = Phase::Acting { at: at + 1 };
        let Some(send) = self.act.at(at) else { return self.begin_listening() };
        let is_sound = match &send {
            Send::Frame(frame) => is_audible(frame),
            Send::Key(_) | Send::HangUp => true,
        };
        if is_sound {
            self.spoke_at_ms = self.now_ms;
        }
        send
    }

    fn begin_listening(&mut self) -> Send {
        self.enter(Phase::Listening);
        self.heard_at_ms = None;
        Send::Frame(AudioFrame::SILENCE)
    }

    fn listen(&mut self, pending: bool) -> Send {
        let is_last = self.acts.len() == 0;
        let quiet = if is_last { self.patience.quiet_ms } else { self.patience.gap_ms };
        if !self.is_quiet(quiet, pending) {
            return Send::Frame(AudioFrame::SILENCE);
        }
        match self.acts.next() {
            Some(act) => {
                self.act = act;
                self.begin_act()
            }
            None => Send::HangUp,
        }
    }

    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.phase_began_ms = self.now_ms;
    }

    /// Sound was heard in this phase and has ended, or none came for too long.
    fn is_quiet(&self, quiet_ms: u64, pending: bool) -> bool {
        match self.heard_at_ms {
            Some(heard) => !pending && self.now_ms - heard.max(self.phase_began_ms) >= quiet_ms,
            None => self.waited_in_vain(),
        }
    }

    fn waited_in_vain(&self) -> bool {
        self.now_ms - self.phase_began_ms >= self.patience.answer_ms
    }
}

impl Party for Script {
    fn tick(&mut self, heard: &AudioFrame, pending: bool) -> Send {
        self.now_ms += FRAME_MS;
        if is_audible(heard) {
            self.note_sound();
        }
        if self.patience.hangup_after_ms.is_some_and(|limit| self.now_ms >= limit) {
            return Send::HangUp;
        }
        match self.phase {
            Phase::Opening => self.open(pending),
            Phase::Acting { at } => self.perform(at),
            Phase::Listening => self.listen(pending),
        }
    }
}

#[cfg(test)]
mod tests {
    use telephony::media::FRAME_BYTES;

    use super::*;

    const LOUD: AudioFrame = AudioFrame([0x10; FRAME_BYTES]);
    const PATIENCE: Patience =
        Patience { gap_ms: 400, quiet_ms: 600, answer_ms: 2_000, hangup_after_ms: None };

    /// Ticks until the script sends something other than silence; gives that and the ticks it took.
    fn until_act(script: &mut Script, heard: AudioFrame) -> (Send, u64) {
        for ticks in 1..1_000 {
            match script.tick(&heard, false) {
                Send::Frame(AudioFrame::SILENCE) => {}
                act => return (act, ticks),
            }
        }
        panic!("the script never acted");
    }

    #[test]
    fn the_caller_lets_the_greeting_finish_then_speaks_then_hangs_up_after_the_answer() {
        let mut script = Script::new(vec![Act::Say(vec![LOUD; 5])], Opening::AfterGreeting, PATIENCE);
        for _ in 0..50 {
            assert_eq!(script.tick(&LOUD, true), Send::Frame(AudioFrame::SILENCE));
        }
        assert_eq!(until_act(&mut script, AudioFrame::SILENCE), (Send::Frame(LOUD), 20));
        for _ in 0..4 {
            assert_eq!(script.tick(&AudioFrame::SILENCE, false), Send::Frame(LOUD));
        }
        for _ in 0..30 {
            script.tick(&AudioFrame::SILENCE, false);
        }
        script.tick(&LOUD, false);
        assert_eq!(until_act(&mut script, AudioFrame::SILENCE), (Send::HangUp, 30));
        assert_eq!(script.greeting_ms(), 1_000);
        assert_eq!(script.answers(), [Answer { heard_after_ms: Some(620), heard_ms: 20 }]);
    }

    #[test]
    fn a_gateway_that_never_answers_does_not_hold_the_caller_for_ever() {
        let mut script = Script::new(vec![Act::Say(vec![LOUD])], Opening::AfterMs(100), PATIENCE);
        assert_eq!(until_act(&mut script, AudioFrame::SILENCE), (Send::Frame(LOUD), 5));
        let (end, ticks) = until_act(&mut script, AudioFrame::SILENCE);
        assert_eq!((end, ticks), (Send::HangUp, 101));
        assert_eq!(script.answers(), [Answer::default()]);
    }

    #[test]
    fn keys_are_pressed_one_after_the_other() {
        let mut script = Script::new(vec![Act::Press(vec!['1', '#'])], Opening::AfterMs(0), PATIENCE);
        assert_eq!(script.tick(&AudioFrame::SILENCE, false), Send::Key('1'));
        assert_eq!(until_act(&mut script, AudioFrame::SILENCE), (Send::Key('#'), 12));
    }
}
