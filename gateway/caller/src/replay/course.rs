//! How a recorded caller goes through a call that is not the recorded one: what was said without waiting is said
//! again as it was, and where the caller waited for the agent, ours is waited for.
//!
//! Pure: it is told every 20 ms whether the agent is audible, and says what to send.

#![deny(clippy::disallowed_methods)]

use std::sync::Arc;

use super::recording::{Begin, Recording};

/// How closely the recording is kept to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manner {
    /// Recorded times as they were, whatever the agent does.
    pub strict: bool,
    /// Longest wait for the agent to begin, frames.
    pub patience: usize,
    /// Longest wait for it to end, frames.
    pub longest: usize,
}

impl Default for Manner {
    fn default() -> Self {
        Self { strict: false, patience: 15 * 50, longest: 60 * 50 }
    }
}

/// Quiet by which the agent has finished, frames: pauses between its sentences are shorter.
const FINISHED: usize = 30;
/// Quiet after the last answer, before hanging up, frames.
const FAREWELL: usize = 50;

/// What to send in one tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Frame of the recording; `None` is silence.
    pub frame: Option<usize>,
    pub edge: Option<Edge>,
}

/// An end of something said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    Began,
    /// `awaits`: what comes next waits for the agent.
    Ended {
        awaits: bool,
    },
}

/// A recorded caller in a call.
#[derive(Debug)]
pub struct Course {
    recording: Arc<Recording>,
    manner: Manner,
    /// The piece that is said or comes next.
    piece: usize,
    /// Next frame of the piece; `None` between pieces.
    at: Option<usize>,
    /// Ticks since the last piece ended.
    waited: usize,
    /// The agent was heard since.
    heard: bool,
    /// Ticks since it was last audible, and for how long it has been.
    quiet: usize,
    audible: usize,
}

impl Course {
    #[must_use]
    pub const fn new(recording: Arc<Recording>, manner: Manner) -> Self {
        Self { recording, manner, piece: 0, at: None, waited: 0, heard: false, quiet: 0, audible: 0 }
    }

    /// What is sent in this tick; `None`: the caller hangs up.
    pub fn tick(&mut self, audible: bool) -> Option<Step> {
        self.listen(audible);
        if let Some(at) = self.at {
            return Some(self.speak(at, None));
        }
        let Some(piece) = self.recording.pieces().get(self.piece) else {
            return (!self.is_over()).then(|| self.wait());
        };
        if self.begins(piece.begin) {
            let start = piece.frames.start;
            return Some(self.speak(start, Some(Edge::Began)));
        }
        Some(self.wait())
    }

    /// Pieces that were said to their end.
    #[must_use]
    pub const fn said(&self) -> usize {
        self.piece
    }

    #[must_use]
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    fn listen(&mut self, audible: bool) {
        if audible {
            self.heard |= self.at.is_none();
            self.quiet = 0;
            self.audible += 1;
        } else {
            self.quiet += 1;
            if self.quiet >= FINISHED {
                self.audible = 0;
            }
        }
    }

    fn speak(&mut self, at: usize, edge: Option<Edge>) -> Step {
        let end = self.recording.pieces()[self.piece].frames.end;
        if at + 1 < end {
            self.at = Some(at + 1);
            return Step { frame: Some(at), edge };
        }
        self.piece += 1;
        (self.at, self.waited, self.heard, self.audible) = (None, 0, false, 0);
        let next = self.recording.pieces().get(self.piece).map(|piece| piece.begin);
        let awaits = !matches!(next, Some(Begin::Pause(_)));
        Step { frame: Some(at), edge: Some(Edge::Ended { awaits }) }
    }

    /// The line's own noise, as it was recorded here, again and again.
    fn wait(&mut self) -> Step {
        let gap = self.recording.gap(self.piece);
        let frame = (!gap.is_empty()).then(|| gap.start + self.waited % gap.len());
        self.waited += 1;
        Step { frame, edge: None }
    }

    fn begins(&self, begin: Begin) -> bool {
        if self.manner.strict {
            return self.waited >= self.recording.gap(self.piece).len();
        }
        match begin {
            Begin::Pause(frames) => self.waited >= frames,
            Begin::AfterAgent { reaction } => self.has_finished(reaction) || self.has_had_enough(),
            Begin::OverAgent { into } => {
                self.audible >= into || self.has_finished(FINISHED) || self.has_had_enough()
            }
        }
    }

    fn is_over(&self) -> bool {
        if self.manner.strict {
            return self.waited >= self.recording.gap(self.piece).len();
        }
        self.has_finished(FAREWELL) || self.has_had_enough()
    }

    fn has_finished(&self, quiet: usize) -> bool {
        self.heard && self.quiet >= quiet.max(FINISHED)
    }

    fn has_had_enough(&self) -> bool {
        self.waited >= if self.heard { self.manner.longest } else { self.manner.patience }
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "one span of speech is meant, not its frames")]
mod tests {
    use std::ops::Range;

    use telephony::media::{AudioFrame, FRAME_BYTES};

    use super::*;

    fn recording(caller: &[Range<usize>], agent: Option<&[Range<usize>]>, length: usize) -> Arc<Recording> {
        let leg = |spans: &[Range<usize>]| -> Vec<AudioFrame> {
            let loud = AudioFrame([0x20; FRAME_BYTES]);
            (0..length)
                .map(|at| if spans.iter().any(|s| s.contains(&at)) { loud } else { AudioFrame::SILENCE })
                .collect()
        };
        Arc::new(Recording::new("x", &leg(caller), agent.map(leg).as_deref(), Vec::new()).unwrap())
    }

    /// Ticks at which pieces began and ended, and the caller hung up, with an agent that speaks in these spans.
    fn run(mut course: Course, agent: &[Range<usize>]) -> (Vec<usize>, Vec<usize>, usize) {
        let (mut began, mut ended) = (Vec::new(), Vec::new());
        for tick in 0..100_000 {
            match course.tick(agent.iter().any(|span| span.contains(&tick))) {
                None => return (began, ended, tick),
                Some(Step { edge: Some(Edge::Began), .. }) => began.push(tick),
                Some(Step { edge: Some(Edge::Ended { .. }), .. }) => ended.push(tick),
                Some(_) => {}
            }
        }
        panic!("the caller never hung up");
    }

    #[test]
    fn each_piece_waits_until_our_agent_has_finished_however_long_the_recorded_one_took() {
        let recording = recording(&[100..140, 300..340], Some(&[0..90, 160..260]), 600);
        let ours = [10..200, 300..320, 330..700, 800..900];
        let (began, ended, over) = run(Course::new(recording, Manner::default()), &ours);
        assert_eq!(
            began,
            [229, 739],
            "30 ticks of quiet after the greeting, the recorded 40 after the answer"
        );
        assert_eq!(ended, [268, 778]);
        assert_eq!(over, 949);
    }

    #[test]
    fn an_agent_that_says_nothing_or_never_ends_does_not_hold_the_caller_for_ever() {
        let recording = recording(&[100..140], None, 200);
        let manner = Manner { patience: 500, longest: 1_000, strict: false };
        let (began, _, over) = run(Course::new(recording.clone(), manner), &[]);
        assert_eq!((began, over), (vec![500], 1_040));
        let (began, _, over) = run(Course::new(recording, manner), &[0..100_000]);
        assert_eq!((began, over), (vec![1_000], 2_040));
    }

    #[test]
    fn who_spoke_over_the_agent_speaks_as_far_into_what_ours_says() {
        let recording = recording(&[100..140, 400..440], Some(&[0..80, 200..500]), 600);
        let (began, ..) = run(Course::new(recording.clone(), Manner::default()), &[0..80, 300..1_000]);
        assert_eq!(began, [109, 499]);
        let (began, ..) = run(Course::new(recording, Manner::default()), &[0..80, 300..350, 700..710]);
        assert_eq!(began, [109, 379], "an agent that ends before is not spoken over");
    }

    #[test]
    fn strict_time_keeps_every_recorded_moment() {
        let recording = recording(&[100..140, 300..340], Some(&[0..90, 160..260]), 600);
        let strict = Manner { strict: true, ..Manner::default() };
        assert_eq!(run(Course::new(recording, strict), &[0..5_000]), (vec![100, 300], vec![139, 339], 600));
    }

    #[test]
    fn a_pause_for_thought_is_kept_and_awaits_nobody() {
        let recording = recording(&[10..40, 120..160], Some(&[300..350]), 400);
        let mut course = Course::new(recording, Manner::default());
        let steps: Vec<Step> = (0..160).map(|_| course.tick(false).unwrap()).collect();
        assert_eq!(steps[39].edge, Some(Edge::Ended { awaits: false }));
        assert_eq!(steps[120], Step { frame: Some(120), edge: Some(Edge::Began) });
        assert_eq!(steps[159].edge, Some(Edge::Ended { awaits: true }));
        assert_eq!(course.said(), 2);
    }
}
