//! A play-out and a simulated carrier, run against each other in virtual time.

use crate::media::{CallTime, MediaCommand, MediaEvent};
use crate::playout::{PlayOut, PlayOutConfig, SegmentKey, WordSpan};
use crate::sim::{Impairments, SimCarrier};

/// Length of one test word.
pub(super) const WORD_MS: u32 = 20;

pub(super) fn key(group: u32, index: u16) -> SegmentKey {
    SegmentKey { group, index }
}

pub(super) fn frames_in(commands: &[MediaCommand]) -> usize {
    commands.iter().filter(|c| matches!(c, MediaCommand::Frame(_))).count()
}

pub(super) fn mark_id(command: &MediaCommand) -> Option<u64> {
    if let MediaCommand::Mark(mark) = command { Some(mark.0) } else { None }
}

pub(super) struct Rig {
    pub play: PlayOut,
    pub sim: SimCarrier,
    pub now: CallTime,
    pub commands: Vec<(CallTime, MediaCommand)>,
    /// The carrier's buffer at its fullest, frames.
    pub fullest: usize,
}

impl Rig {
    pub(super) fn new(seed: u64, impairments: Impairments) -> Self {
        Self {
            play: PlayOut::new(PlayOutConfig::default()),
            sim: SimCarrier::new(seed, impairments),
            now: CallTime::ZERO,
            commands: Vec::new(),
            fullest: 0,
        }
    }

    /// A whole segment, with a word each 20 ms, so that words heard measure time heard.
    pub(super) fn say(&mut self, key: SegmentKey, ms: u32) {
        let count = ms / WORD_MS;
        let text: Vec<String> = (0..count).map(|n| format!("w{n}")).collect();
        let words = (0..count).map(|n| WordSpan {
            text: text[n as usize].clone(),
            start_ms: n * WORD_MS,
            end_ms: (n + 1) * WORD_MS,
        });
        self.play.plan(self.now, key, text.join(" "));
        self.play.push_audio(key, &vec![tone(key.group); ms as usize * 8]);
        self.play.finish(key, words.collect());
        self.play.release(key);
        self.settle();
    }

    /// Everything due at this moment, at both ends.
    pub(super) fn settle(&mut self) {
        loop {
            let mut idle = true;
            while let Some(event) = self.sim.poll(self.now) {
                idle = false;
                if let MediaEvent::MarkPlayed(mark) = event {
                    self.play.mark_played(self.now, mark);
                }
            }
            while let Some(command) = self.play.poll(self.now) {
                idle = false;
                self.commands.push((self.now, command.clone()));
                self.sim.handle_command(self.now, command);
            }
            self.fullest = self.fullest.max(self.sim.buffered_frames());
            if idle {
                break;
            }
        }
        assert!(self.play.deadline().is_none_or(|at| at > self.now));
    }

    pub(super) fn run_until(&mut self, until: CallTime) {
        self.settle();
        while let Some(at) = self.play.deadline().into_iter().chain(self.sim.deadline()).min() {
            if at > until {
                break;
            }
            self.now = self.now.max(at);
            self.settle();
        }
        self.now = until;
        self.settle();
    }

    pub(super) fn clear(&mut self) {
        self.play.clear(self.now);
        self.settle();
    }

    /// Milliseconds of our speech that reached the ear.
    pub(super) fn ear_ms(&self) -> u64 {
        let spoken = |f: &&crate::sim::HeardFrame| f.frame.0[0] != 0xFF;
        let micros: u128 =
            self.sim.heard().iter().filter(spoken).map(|f| f.to.since(f.from).as_micros()).sum();
        let last = self.sim.heard().iter().rfind(spoken);
        let padding = last.map_or(0, |f| f.frame.0.iter().filter(|&&b| b == 0xFF).count() as u64 / 8);
        u64::try_from(micros / 1_000).unwrap() - padding
    }

    /// Milliseconds of a group that the ledger believes were heard.
    pub(super) fn ledger_ms(&self, group: u32) -> u64 {
        self.play.heard(group).text.split_whitespace().count() as u64 * u64::from(WORD_MS)
    }
}

/// The code that all audio of a group is made of.
pub(super) fn tone(group: u32) -> u8 {
    u8::try_from(group % 100).unwrap() + 1
}
