//! What a call's recogniser decodes when: the audio ring, the utterance's windows and its interims.
//!
//! Pure: frames, commands and results go in, work and text come out. Positions count mu-law bytes (8 kHz) since
//! the stream was opened.

use telephony::media::{AudioFrame, FRAME_BYTES};

use super::stabiliser::Stabiliser;
use pipeline::audio::level::mulaw_dbfs;
use pipeline::turn::UtteranceId;

const fn ms(ms: usize) -> usize {
    ms * 8
}

/// Audio taken from before the session heard speech, which it does 60–100 ms late.
const PRE_ROLL: usize = ms(500);
/// Kept while nobody speaks.
const IDLE_RING: usize = ms(1_000);
/// The turn model looks back this far.
const TURN_SPAN: usize = ms(8_000);
/// A window longer than this is closed at a quiet point.
const WINDOW_MAX: usize = ms(15_000);
/// The quiet point is sought in this last part of it.
const CUT_SPAN: usize = ms(6_000);
/// Width of the stretch whose loudness decides where to cut.
const CUT_WIDTH: usize = ms(120);
/// First interim after the session heard speech: about 300 ms of speech.
const FIRST_INTERIM: usize = ms(200);
/// Between interims of a short window; grows with the window, since decodes cost more then.
const INTERIM_EVERY: usize = ms(420);
const INTERIM_GROWTH: usize = 14;

/// A decode or judgement to be done, with its mu-law audio.
#[derive(Debug, PartialEq)]
pub(super) enum Request {
    Interim {
        audio: Vec<u8>,
    },
    Final {
        pause: u32,
        audio: Vec<u8>,
    },
    TurnEnd {
        pause: u32,
        audio: Vec<u8>,
    },
    /// A closed window of a long utterance.
    Part {
        part: usize,
        audio: Vec<u8>,
    },
}

/// The utterance's text up to a pause.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finished {
    pub pause: u32,
    pub text: String,
    pub confidence: f32,
}

/// One call's audio and utterance.
#[derive(Debug, Default)]
pub(super) struct Listener {
    ring: Ring,
    /// Audio before this belongs to an utterance that is over.
    spent: usize,
    utterance: Option<Utterance>,
}

#[derive(Debug)]
struct Utterance {
    id: UtteranceId,
    /// Where its audio begins, pre-roll included.
    start: usize,
    /// Where the open window begins.
    window: usize,
    parts: Vec<Part>,
    interims: Stabiliser,
    /// Shown last, so that the same is not shown twice.
    shown: String,
    interim_at: usize,
    in_flight: bool,
    paused: bool,
    /// A final that waits for the parts before it.
    held: Option<Finished>,
}

/// A closed window. Its text is the interim's until its own decode is there.
#[derive(Debug)]
struct Part {
    text: String,
    confidence: f32,
    done: bool,
}

impl Listener {
    /// Takes a frame; gives the decode that is due.
    pub fn frame(&mut self, frame: &AudioFrame) -> Option<Request> {
        self.ring.push(frame);
        let end = self.ring.end();
        let Some(utterance) = &mut self.utterance else {
            self.ring.forget(end.saturating_sub(IDLE_RING));
            return None;
        };
        if end - utterance.window >= WINDOW_MAX && !utterance.paused {
            return Some(close_window(utterance, &self.ring));
        }
        if utterance.paused || utterance.in_flight || end < utterance.interim_at {
            return None;
        }
        let length = end - utterance.window;
        utterance.in_flight = true;
        utterance.interim_at = end + INTERIM_EVERY + length / INTERIM_GROWTH;
        Some(Request::Interim { audio: self.ring.copy(utterance.window, end) })
    }

    /// Speech began. An utterance that was still open is over.
    pub fn started(&mut self, id: UtteranceId) {
        let end = self.ring.end();
        let start = end.saturating_sub(PRE_ROLL).max(self.spent).max(self.ring.start);
        self.utterance = Some(Utterance {
            id,
            start,
            window: start,
            parts: Vec::new(),
            interims: Stabiliser::default(),
            shown: String::new(),
            interim_at: end + FIRST_INTERIM,
            in_flight: false,
            paused: false,
            held: None,
        });
    }

    /// The caller paused: the window's decode, and the judgement whether the turn is over.
    pub fn paused(&mut self, id: UtteranceId, pause: u32) -> Vec<Request> {
        let end = self.ring.end();
        let Some(utterance) = self.open(id) else { return Vec::new() };
        utterance.paused = true;
        utterance.in_flight = false;
        utterance.held = None;
        let (window, start) = (utterance.window, utterance.start);
        self.spent = end;
        let turn = start.max(end.saturating_sub(TURN_SPAN));
        vec![
            Request::Final { pause, audio: self.ring.copy(window, end) },
            Request::TurnEnd { pause, audio: self.ring.copy(turn, end) },
        ]
    }

    /// The caller went on.
    pub fn resumed(&mut self, id: UtteranceId) {
        let end = self.ring.end();
        if let Some(utterance) = self.open(id) {
            utterance.paused = false;
            utterance.held = None;
            utterance.interim_at = end + FIRST_INTERIM;
        }
    }

    /// The utterance is over.
    pub fn ended(&mut self, id: UtteranceId) {
        if self.open(id).is_some() {
            self.utterance = None;
        }
    }

    /// The utterance that is open.
    pub fn utterance(&self) -> Option<UtteranceId> {
        self.utterance.as_ref().map(|u| u.id)
    }

    /// The open utterance has shown an interim.
    pub fn has_shown(&self) -> bool {
        self.utterance.as_ref().is_some_and(|u| !u.shown.is_empty())
    }

    /// An interim came back (`None`: it was shed). Gives the text to show, if it is new.
    pub fn interim_done(&mut self, text: Option<&str>) -> Option<String> {
        let utterance = self.utterance.as_mut()?;
        utterance.in_flight = false;
        let tail = utterance.interims.push(text?);
        let shown = with_parts(&utterance.parts, &tail);
        if utterance.paused || shown.is_empty() || shown == utterance.shown {
            return None;
        }
        utterance.shown.clone_from(&shown);
        Some(shown)
    }

    /// A closed window came back.
    pub fn part_done(&mut self, part: usize, text: String, confidence: f32) -> Option<Finished> {
        let utterance = self.utterance.as_mut()?;
        if let Some(part) = utterance.parts.get_mut(part) {
            *part = Part { text, confidence, done: true };
        }
        let held = utterance.held.take()?;
        self.final_done(held)
    }

    /// The last window came back. Gives the whole utterance's text once all parts are there.
    pub fn final_done(&mut self, last: Finished) -> Option<Finished> {
        let utterance = self.utterance.as_mut()?;
        if utterance.parts.iter().any(|p| !p.done) {
            utterance.held = Some(last);
            return None;
        }
        let confidence = utterance.parts.iter().map(|p| p.confidence).fold(last.confidence, f32::min);
        let text = with_parts(&utterance.parts, &last.text);
        Some(Finished { text, confidence, ..last })
    }

    /// The whole utterance's text, were this its last window's.
    pub fn whole(&self, last: &str) -> String {
        self.utterance.as_ref().map_or_else(|| last.to_owned(), |u| with_parts(&u.parts, last))
    }

    fn open(&mut self, id: UtteranceId) -> Option<&mut Utterance> {
        self.utterance.as_mut().filter(|u| u.id == id)
    }
}

fn with_parts(parts: &[Part], last: &str) -> String {
    let texts = parts.iter().map(|p| p.text.as_str()).chain([last]);
    texts.filter(|t| !t.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Closes the window where it is quietest; what follows is the next window.
fn close_window(utterance: &mut Utterance, ring: &Ring) -> Request {
    let end = ring.end();
    let cut = (end - CUT_SPAN..end - CUT_WIDTH)
        .step_by(FRAME_BYTES / 2)
        .min_by(|&a, &b| {
            let level = |at: usize| mulaw_dbfs(ring.slice(at, at + CUT_WIDTH));
            level(a).total_cmp(&level(b))
        })
        .map_or(end, |at| at + CUT_WIDTH / 2);
    let audio = ring.copy(utterance.window, cut);
    let interims = std::mem::take(&mut utterance.interims);
    utterance.parts.push(Part { text: interims.text(), confidence: 1.0, done: false });
    utterance.window = cut;
    utterance.in_flight = false;
    utterance.interim_at = end + INTERIM_EVERY;
    Request::Part { part: utterance.parts.len() - 1, audio }
}

/// The latest audio, addressed by position.
#[derive(Debug, Default)]
struct Ring {
    start: usize,
    bytes: Vec<u8>,
}

/// Longest audio kept: a window with its pre-roll, and what the turn model looks back on.
const RING_MAX: usize = WINDOW_MAX + TURN_SPAN;

impl Ring {
    fn push(&mut self, frame: &AudioFrame) {
        self.bytes.extend_from_slice(frame.bytes());
        if self.bytes.len() > RING_MAX {
            self.forget(self.end() - (RING_MAX - ms(4_000)));
        }
    }

    fn end(&self) -> usize {
        self.start + self.bytes.len()
    }

    /// Drops what lies before `position`. Moves memory only once it is worth it.
    fn forget(&mut self, position: usize) {
        let count = position.saturating_sub(self.start).min(self.bytes.len());
        if count >= ms(500) {
            self.bytes.drain(..count);
            self.start += count;
        }
    }

    /// Bytes from one position to another, as far as they are kept.
    fn slice(&self, from: usize, to: usize) -> &[u8] {
        let at = |position: usize| position.saturating_sub(self.start).min(self.bytes.len());
        &self.bytes[at(from)..at(to).max(at(from))]
    }

    fn copy(&self, from: usize, to: usize) -> Vec<u8> {
        self.slice(from, to).to_vec()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const ONE: UtteranceId = UtteranceId(1);
    const LOUD: AudioFrame = AudioFrame([0x10; FRAME_BYTES]);

    /// Pushes frames and gives the requests with the frame they came at.
    fn push(listener: &mut Listener, frames: usize, frame: &AudioFrame) -> Vec<(usize, Request)> {
        (0..frames).filter_map(|i| Some((i, listener.frame(frame)?))).collect()
    }

    #[test]
    fn the_first_interim_comes_early_and_with_pre_roll() {
        let mut l = Listener::default();
        assert!(push(&mut l, 200, &AudioFrame::SILENCE).is_empty());
        l.started(ONE);
        let due = push(&mut l, 12, &LOUD);
        assert_eq!(due.len(), 1);
        let (frame, Request::Interim { audio }) = &due[0] else { panic!("{due:?}") };
        assert_eq!(*frame, 9, "200 ms after speech was heard");
        assert_eq!(audio.len(), PRE_ROLL + 10 * FRAME_BYTES);
    }

    #[test]
    fn one_interim_is_in_flight_at_a_time() {
        let mut l = Listener::default();
        l.started(ONE);
        assert_eq!(push(&mut l, 200, &LOUD).len(), 1);
        assert_eq!(l.interim_done(Some("hello")), Some("hello".to_owned()));
        assert_eq!(push(&mut l, 200, &LOUD).len(), 1);
        assert_eq!(l.interim_done(Some("hello")), None, "nothing new to show");
        assert_eq!(push(&mut l, 10, &LOUD).len(), 1);
        assert_eq!(l.interim_done(None), None, "shed");
        assert_eq!(push(&mut l, 60, &LOUD).len(), 1);
    }

    #[test]
    fn a_pause_asks_for_text_and_turn_end_and_stops_interims() {
        let mut l = Listener::default();
        l.started(ONE);
        push(&mut l, 5, &LOUD);
        let asked = l.paused(ONE, 1);
        assert!(matches!(&asked[..], [Request::Final { pause: 1, audio }, Request::TurnEnd { pause: 1, .. }]
            if audio.len() == 5 * FRAME_BYTES));
        assert!(push(&mut l, 100, &LOUD).is_empty());
        l.resumed(ONE);
        assert_eq!(push(&mut l, 100, &LOUD).len(), 1);
        assert!(l.paused(UtteranceId(9), 1).is_empty(), "another utterance");
    }

    #[test]
    fn an_utterance_does_not_take_words_of_the_one_before() {
        let mut l = Listener::default();
        l.started(ONE);
        push(&mut l, 50, &LOUD);
        l.paused(ONE, 1);
        l.ended(ONE);
        push(&mut l, 3, &LOUD);
        l.started(UtteranceId(2));
        let asked = l.paused(UtteranceId(2), 1);
        let Request::Final { audio, .. } = &asked[0] else { panic!() };
        assert_eq!(audio.len(), 3 * FRAME_BYTES);
    }

    #[test]
    fn a_long_utterance_is_closed_at_its_quietest_point_and_joined() {
        let mut l = Listener::default();
        l.started(ONE);
        push(&mut l, 550, &LOUD);
        l.interim_done(Some("the first words"));
        push(&mut l, 10, &AudioFrame::SILENCE);
        let due = push(&mut l, 200, &LOUD);
        let part = due.iter().find_map(|(_, r)| match r {
            Request::Part { part, audio } => Some((*part, audio.len())),
            _ => None,
        });
        let (part, length) = part.unwrap();
        assert_eq!(part, 0);
        assert!((550 * FRAME_BYTES..560 * FRAME_BYTES).contains(&length), "cut at {length}");
        assert_eq!(l.interim_done(Some("and more")), Some("the first words and more".to_owned()));

        l.paused(ONE, 1);
        let last = Finished { pause: 1, text: "and more.".to_owned(), confidence: 0.9 };
        assert_eq!(l.final_done(last), None, "the part is not there yet");
        let whole = l.part_done(0, "The first words".to_owned(), 0.8).unwrap();
        assert_eq!((whole.text.as_str(), whole.confidence), ("The first words and more.", 0.8));
    }

    #[test]
    fn memory_is_bounded() {
        let mut l = Listener::default();
        push(&mut l, 5_000, &LOUD);
        assert!(l.ring.bytes.len() <= IDLE_RING + ms(500));
        l.started(ONE);
        push(&mut l, 10_000, &LOUD);
        assert!(l.ring.bytes.len() <= RING_MAX);
    }
}
