//! What the next recogniser has to be told when one is lost: the open utterance, from a little before it began.
#![deny(clippy::disallowed_methods)]

use std::collections::VecDeque;

use telephony::media::AudioFrame;

use crate::ports::SttCommand;
use crate::turn::UtteranceId;

/// Frames kept while nobody speaks: recognisers count speech from some 400 ms before they are told of it.
const PRE_ROLL: usize = 30;
/// Longest stretch kept of an utterance: 30 s. Beyond it the oldest goes.
const LONGEST: usize = 1_500;

/// The last seconds of a call, as far as they matter.
#[derive(Debug, Default)]
pub(super) struct Kept {
    frames: VecDeque<AudioFrame>,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    id: UtteranceId,
    /// Frames before the session said that speech began.
    before: usize,
    /// The last thing said of pauses, when it still holds.
    pause: Option<u32>,
}

impl Kept {
    /// Notes a command on its way to a recogniser.
    pub fn note(&mut self, command: &SttCommand) {
        match command {
            SttCommand::Audio(frame) => self.keep(*frame),
            SttCommand::SpeechStarted { utterance } => {
                self.forget_before();
                self.open = Some(Open { id: *utterance, before: self.frames.len(), pause: None });
            }
            SttCommand::Pause { utterance, pause } => self.set_pause(*utterance, Some(*pause)),
            SttCommand::Resumed { utterance } => self.set_pause(*utterance, None),
            SttCommand::Ended { utterance } => {
                if self.open.as_ref().is_some_and(|o| o.id == *utterance) {
                    self.open = None;
                    self.forget_before();
                }
            }
            SttCommand::Language(_) => {}
        }
    }

    fn keep(&mut self, frame: AudioFrame) {
        self.frames.push_back(frame);
        match &mut self.open {
            None if self.frames.len() > PRE_ROLL => {
                self.frames.pop_front();
            }
            Some(open) if self.frames.len() > LONGEST => {
                self.frames.pop_front();
                open.before = open.before.saturating_sub(1);
            }
            _ => {}
        }
    }

    fn forget_before(&mut self) {
        let excess = self.frames.len().saturating_sub(PRE_ROLL);
        self.frames.drain(..excess);
    }

    fn set_pause(&mut self, id: UtteranceId, pause: Option<u32>) {
        if let Some(open) = self.open.as_mut().filter(|o| o.id == id) {
            open.pause = pause;
        }
    }

    /// The pause was answered: nobody owes that any more.
    pub fn answered(&mut self, id: UtteranceId, pause: u32) {
        if let Some(open) = self.open.as_mut().filter(|o| o.id == id && o.pause == Some(pause)) {
            open.pause = None;
        }
    }

    /// An utterance is open: words may be lost.
    pub const fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// An answer is owed for this pause.
    pub fn owes(&self) -> bool {
        self.open.as_ref().is_some_and(|o| o.pause.is_some())
    }

    /// Everything to tell a recogniser that begins now.
    pub fn replay(&self) -> Vec<SttCommand> {
        let audio = |frames: &mut dyn Iterator<Item = &AudioFrame>| {
            frames.map(|f| SttCommand::Audio(*f)).collect::<Vec<_>>()
        };
        let Some(open) = &self.open else { return Vec::new() };
        let utterance = open.id;
        let mut all = audio(&mut self.frames.iter().take(open.before));
        all.push(SttCommand::SpeechStarted { utterance });
        all.extend(audio(&mut self.frames.iter().skip(open.before)));
        all.extend(open.pause.map(|pause| SttCommand::Pause { utterance, pause }));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(n: u8) -> SttCommand {
        SttCommand::Audio(AudioFrame([n; 160]))
    }

    #[test]
    fn a_replay_is_the_open_utterance_with_its_pre_roll_and_its_pause() {
        let (mut kept, utterance) = (Kept::default(), UtteranceId(1));
        (0..100).for_each(|n| kept.note(&frame(n)));
        kept.note(&SttCommand::SpeechStarted { utterance });
        (100..110).for_each(|n| kept.note(&frame(n)));
        kept.note(&SttCommand::Pause { utterance, pause: 2 });
        let replay = kept.replay();
        assert_eq!(replay.len(), 30 + 1 + 10 + 1);
        assert_eq!((&replay[0], &replay[29]), (&frame(70), &frame(99)));
        assert_eq!(replay[30], SttCommand::SpeechStarted { utterance });
        assert_eq!(replay[41], SttCommand::Pause { utterance, pause: 2 });
        kept.note(&SttCommand::Resumed { utterance });
        assert!(!kept.owes() && kept.replay().len() == 41);
        kept.note(&SttCommand::Ended { utterance });
        assert!(kept.replay().is_empty());
    }

    #[test]
    fn a_long_utterance_keeps_its_last_thirty_seconds() {
        let (mut kept, utterance) = (Kept::default(), UtteranceId(1));
        kept.note(&SttCommand::SpeechStarted { utterance });
        (0..2_000).for_each(|n| kept.note(&frame((n % 251) as u8)));
        let replay = kept.replay();
        assert_eq!(replay.len(), 1_501);
        assert_eq!(replay[0], SttCommand::SpeechStarted { utterance });
    }
}
