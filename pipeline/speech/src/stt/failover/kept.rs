//! What the next recogniser has to be told when one is lost: the open utterance, from a little before it began. Of an
//! utterance that is longer than the audio kept, the words that were heard by then stand in for its beginning.
#![deny(clippy::disallowed_methods)]

use std::collections::VecDeque;

use telephony::media::AudioFrame;

use super::join::join;
use pipeline::ports::{SttCommand, SttEvent};
use pipeline::turn::{Expectation, UtteranceId};

/// Frames kept while nobody speaks: recognisers count speech from some 400 ms before they are told of it.
const PRE_ROLL: usize = 30;
/// Longest stretch kept of an utterance: 30 s. Beyond it the oldest goes.
const LONGEST: usize = 1_500;
/// Frames between two notes of the words so far: 1 s.
const NOTE_EVERY: u64 = 50;
/// Frames by which a recogniser's words may trail the audio: 2.5 s. Words noted so much later hold what was said until
/// then, and a little more, by which the next recogniser's are joined to them.
const TRAIL: u64 = 125;

/// The last seconds of a call, as far as they matter.
#[derive(Debug, Default)]
pub(super) struct Kept {
    frames: VecDeque<AudioFrame>,
    /// Frames since the call began.
    seen: u64,
    open: Option<Open>,
}

/// The words of an utterance as they were known at some time.
struct Mark {
    /// Frames seen by then.
    at: u64,
    text: String,
}

impl std::fmt::Debug for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mark(at {}, {} bytes)", self.at, self.text.len())
    }
}

#[derive(Debug)]
struct Open {
    id: UtteranceId,
    /// Frames before the session said that speech began.
    before: usize,
    /// The last thing said of pauses, when it still holds.
    pause: Option<u32>,
    /// What was asked for when it was told.
    asked: Expectation,
    /// The last pause, and the frames seen when it was told.
    paused: Option<(u32, u64)>,
    /// Its beginning is not kept any more.
    is_cut: bool,
    /// What was heard of it, oldest first: from about where the kept audio begins on.
    marks: VecDeque<Mark>,
    /// Words from before the audio that the recogniser at work was told of.
    head: Option<Mark>,
}

impl Open {
    fn new(id: UtteranceId, before: usize) -> Self {
        Self {
            id,
            before,
            pause: None,
            asked: Expectation::Open,
            paused: None,
            is_cut: false,
            marks: VecDeque::new(),
            head: None,
        }
    }

    /// The words so far: all that was said until `at` and no more than until now.
    fn mark(&mut self, at: u64, text: &str) {
        while self.marks.back().is_some_and(|mark| mark.at >= at) {
            self.marks.pop_back();
        }
        self.marks.push_back(Mark { at, text: text.to_owned() });
    }

    /// Drops marks that a later one can stand in for, now that the audio before `begin` is gone.
    fn forget_marks(&mut self, begin: u64) {
        while self.marks.len() > 1 && self.marks[0].at < begin + TRAIL {
            self.marks.pop_front();
        }
    }
}

impl Kept {
    /// Notes a command on its way to a recogniser.
    pub fn note(&mut self, command: &SttCommand) {
        match command {
            SttCommand::Audio(frame) => self.keep(*frame),
            SttCommand::SpeechStarted { utterance } => {
                self.forget_before();
                self.open = Some(Open::new(*utterance, self.frames.len()));
            }
            SttCommand::Pause { utterance, pause, asked } => {
                self.set_pause(*utterance, Some(*pause));
                let now = self.seen;
                if let Some(open) = self.open.as_mut().filter(|o| o.id == *utterance) {
                    open.paused = Some((*pause, now));
                    open.asked = *asked;
                }
            }
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
        self.seen += 1;
        match &mut self.open {
            None if self.frames.len() > PRE_ROLL => {
                self.frames.pop_front();
            }
            Some(open) if self.frames.len() > LONGEST => {
                self.frames.pop_front();
                open.before = open.before.saturating_sub(1);
                open.is_cut = true;
                open.forget_marks(self.seen - self.frames.len() as u64);
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

    /// Puts the words from before the audio that a recogniser was told of in front of its own, and notes the words
    /// so far.
    pub fn complete(&mut self, event: SttEvent) -> SttEvent {
        let Some(open) = &mut self.open else { return event };
        let whole = |open: &Open, text: String| match &open.head {
            Some(head) => join(&head.text, &text),
            None => text,
        };
        match event {
            SttEvent::Interim { utterance, text } if utterance == open.id => {
                let text = whole(open, text);
                if open.marks.back().is_none_or(|mark| mark.at + NOTE_EVERY <= self.seen) {
                    open.mark(self.seen, &text);
                }
                SttEvent::Interim { utterance, text }
            }
            SttEvent::Final { utterance, pause, text, confidence, alternatives, settled }
                if utterance == open.id =>
            {
                let text = whole(open, text);
                let alternatives = alternatives.into_iter().map(|other| whole(open, other)).collect();
                let at = open.paused.filter(|(last, _)| *last == pause).map_or(self.seen, |(_, at)| at);
                open.mark(at, &text);
                SttEvent::Final { utterance, pause, text, confidence, alternatives, settled }
            }
            event => event,
        }
    }

    /// Everything to tell a recogniser that begins now.
    pub fn replay(&mut self) -> Vec<SttCommand> {
        if let Some(open) = &mut self.open {
            let first = open.marks.front().filter(|_| open.is_cut);
            open.head = first.map(|mark| Mark { at: mark.at, text: mark.text.clone() });
        }
        let audio = |frames: &mut dyn Iterator<Item = &AudioFrame>| {
            frames.map(|f| SttCommand::Audio(*f)).collect::<Vec<_>>()
        };
        let Some(open) = &self.open else { return Vec::new() };
        let utterance = open.id;
        let mut all = audio(&mut self.frames.iter().take(open.before));
        all.push(SttCommand::SpeechStarted { utterance });
        all.extend(audio(&mut self.frames.iter().skip(open.before)));
        all.extend(open.pause.map(|pause| SttCommand::Pause { utterance, pause, asked: open.asked }));
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
        kept.note(&SttCommand::Pause { utterance, pause: 2, asked: Expectation::Open });
        let replay = kept.replay();
        assert_eq!(replay.len(), 30 + 1 + 10 + 1);
        assert_eq!((&replay[0], &replay[29]), (&frame(70), &frame(99)));
        assert_eq!(replay[30], SttCommand::SpeechStarted { utterance });
        assert_eq!(replay[41], SttCommand::Pause { utterance, pause: 2, asked: Expectation::Open });
        kept.note(&SttCommand::Resumed { utterance });
        assert!(!kept.owes() && kept.replay().len() == 41);
        kept.note(&SttCommand::Ended { utterance });
        assert!(kept.replay().is_empty());
    }

    fn interim(n: u64, utterance: UtteranceId) -> SttEvent {
        let text = (0..n).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        SttEvent::Interim { utterance, text }
    }

    /// A word each half second, told a second late.
    fn speak(kept: &mut Kept, utterance: UtteranceId, frames: std::ops::Range<u64>) {
        for n in frames {
            kept.note(&frame((n % 251) as u8));
            if n % 25 == 0 && n >= 50 {
                kept.complete(interim((n - 50) / 25, utterance));
            }
        }
    }

    fn text_of(event: SttEvent) -> String {
        match event {
            SttEvent::Interim { text, .. } | SttEvent::Final { text, .. } => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn words_from_before_the_kept_audio_stand_in_front_of_the_next_recognisers() {
        let (mut kept, utterance) = (Kept::default(), UtteranceId(1));
        kept.note(&SttCommand::SpeechStarted { utterance });
        speak(&mut kept, utterance, 0..3_000);
        assert_eq!(kept.replay().len(), 1_501);
        // The kept audio begins at frame 1,500: word 60.
        let next = (60..118).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        let (alternatives, settled) = (Vec::new(), true);
        let told =
            SttEvent::Final { utterance, pause: 1, text: next, confidence: 1.0, alternatives, settled };
        let SttEvent::Interim { text: whole, .. } = interim(118, utterance) else { unreachable!() };
        assert_eq!(text_of(kept.complete(told)), whole);
        let notes = kept.open.as_ref().map_or(0, |open| open.marks.len());
        assert!(notes <= 32, "{notes} notes for 30 s of audio");
    }

    #[test]
    fn an_utterance_that_is_kept_whole_is_left_to_the_next_recogniser_alone() {
        let (mut kept, utterance) = (Kept::default(), UtteranceId(1));
        kept.note(&SttCommand::SpeechStarted { utterance });
        speak(&mut kept, utterance, 0..1_400);
        kept.replay();
        let told = SttEvent::Interim { utterance, text: "all of it".to_owned() };
        assert_eq!(text_of(kept.complete(told)), "all of it");
        kept.note(&SttCommand::Ended { utterance });
        let late = SttEvent::Interim { utterance, text: "late".to_owned() };
        assert_eq!(text_of(kept.complete(late)), "late");
    }

    #[test]
    fn a_final_holds_the_words_up_to_its_pause_however_late_it_comes() {
        let (mut kept, utterance) = (Kept::default(), UtteranceId(1));
        kept.note(&SttCommand::SpeechStarted { utterance });
        (0..200).for_each(|_| kept.note(&frame(1)));
        kept.note(&SttCommand::Pause { utterance, pause: 1, asked: Expectation::Open });
        (0..90).for_each(|_| kept.note(&frame(2)));
        let (text, alternatives) = ("so far".to_owned(), Vec::new());
        kept.complete(SttEvent::Final {
            utterance,
            pause: 1,
            text,
            confidence: 1.0,
            alternatives,
            settled: true,
        });
        let marks: Vec<u64> = kept.open.iter().flat_map(|o| o.marks.iter().map(|m| m.at)).collect();
        assert_eq!(marks, [200]);
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
