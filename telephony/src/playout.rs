//! Pacing of outbound audio, marks, and the ledger they feed.
//!
//! Audio leaves in frames of 20 ms on one absolute-deadline clock: a quick burst up to the cushion, then a frame
//! every 20 ms. What is in the cushion plays on; only a clear takes it back. Marks go out after the first frame
//! of each stretch of sound (they tell the leg's delay at once), after each segment, and at least every
//! `mark_every`; what comes back moves the ledger.

#![deny(clippy::disallowed_methods)]

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use crate::ledger::words::{credit, slow_length_ms};
pub use crate::ledger::{
    Closed, HeardSoFar, Ledger, LedgerEntry, LedgerEvent, SegmentKey, SegmentState, WordSpan,
};
use crate::media::{AudioFrame, CallTime, FRAME_BYTES, FRAME_MS, MarkId, MediaCommand};
use crate::mulaw;

mod mark_delay;
mod queue;
mod remote_buffer;
#[cfg(test)]
mod tests;

use queue::{BYTES_PER_MS, Queue, Ready, Segment};
use remote_buffer::{Echoed, Line, Position};

/// Halvings of the level while ducked: about 12 dB.
const DUCK_HALVINGS: usize = 2;

/// How outbound audio is paced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayOutConfig {
    /// How far ahead of play-out we send on a calm leg. At least one frame.
    pub cushion: Duration,
    /// How far at most when mark echoes show jitter.
    pub max_cushion: Duration,
    /// Longest sound without a mark.
    pub mark_every: Duration,
    /// A mark this much behind the time it could have come back is missing: positions are then estimated.
    pub mark_overdue: Duration,
}

impl Default for PlayOutConfig {
    fn default() -> Self {
        Self {
            cushion: Duration::from_millis(140),
            max_cushion: Duration::from_millis(400),
            mark_every: Duration::from_millis(500),
            mark_overdue: Duration::from_secs(2),
        }
    }
}

/// The outbound half of one call's media leg.
#[derive(Debug)]
pub struct PlayOut {
    config: PlayOutConfig,
    /// Latest time we were told.
    now: CallTime,
    queue: Queue,
    /// Sent whole (or cut), not known to be heard; oldest first.
    sent: VecDeque<Segment>,
    line: Line,
    ledger: Ledger,
    first_sent: BTreeMap<u32, CallTime>,
    clear_due: bool,
    mark_due: bool,
    ducked: bool,
    held: bool,
    /// The present lack of audio was counted.
    starved: bool,
    under_runs: u64,
    stray_audio: u64,
    stray_marks: u64,
}

impl PlayOut {
    #[must_use]
    pub fn new(mut config: PlayOutConfig) -> Self {
        config.cushion = config.cushion.max(Duration::from_millis(FRAME_MS));
        Self {
            config,
            now: CallTime::ZERO,
            queue: Queue::default(),
            sent: VecDeque::new(),
            line: Line::new(),
            ledger: Ledger::default(),
            first_sent: BTreeMap::new(),
            clear_due: false,
            mark_due: false,
            ducked: false,
            held: false,
            starved: false,
            under_runs: 0,
            stray_audio: 0,
            stray_marks: 0,
        }
    }

    // ------------------------------------------------------------ what is to be said

    /// Appends a segment to the queue. It is not audible before it has audio and is released. A key that was
    /// planned before is ignored.
    pub fn plan(&mut self, now: CallTime, key: SegmentKey, text: String) {
        let now = self.at(now);
        if self.ledger.plan(now, key, text) {
            self.queue.plan(key);
        }
    }

    /// Adds mu-law audio of any length to a segment. Ignored and counted when the segment is unknown, finished,
    /// cancelled or cleared.
    pub fn push_audio(&mut self, key: SegmentKey, mulaw: &[u8]) {
        if !self.queue.push(key, mulaw) {
            self.stray_audio += 1;
        }
    }

    /// All audio of the segment is here. Without `words`, their times are estimated from the text.
    pub fn finish(&mut self, key: SegmentKey, words: Vec<WordSpan>) {
        if let Some(segment) = self.queue.find(key).filter(|s| !s.finished) {
            segment.finished = true;
            segment.words = words;
            self.retire();
        }
    }

    /// The segment's record is durable: it may be sent. Until then it blocks itself and all behind it.
    pub fn release(&mut self, key: SegmentKey) {
        if let Some(segment) = self.queue.find(key) {
            segment.released = true;
            self.retire();
        }
    }

    /// Drops what of this group has not been sent; what was sent plays on.
    pub fn cancel(&mut self, now: CallTime, group: u32) {
        let now = self.at(now);
        let removed = self.queue.remove(group);
        if removed.is_empty() {
            return;
        }
        self.ledger.note(now, LedgerEvent::Cancelled { group });
        for mut segment in removed {
            if segment.sent > 0 {
                segment.cut = true;
                self.sent_whole(segment);
            } else {
                self.close(segment, Position { bytes: 0, estimated: false }, now);
            }
        }
        self.settle();
    }

    /// Drops everything: the carrier's buffer (a clear leaves at the next poll) and all that is unsent. Every
    /// open segment is closed as heard, partly heard or dropped.
    pub fn clear(&mut self, now: CallTime) {
        let now = self.at(now);
        let heard = self.line.heard_at_clear(now);
        self.ledger.note(now, LedgerEvent::Cleared { sent_bytes: self.line.sent, heard_bytes: heard.bytes });
        let open: Vec<Segment> = self.sent.drain(..).chain(self.queue.drain()).collect();
        for segment in open {
            self.close(segment, heard, now);
        }
        self.line.cleared(now);
        self.clear_due = true;
        self.mark_due = false;
        self.starved = false;
    }

    /// While on, frames still to be sent are about 12 dB quieter.
    pub fn set_duck(&mut self, on: bool) {
        self.ducked = on;
    }

    /// While on, no audio is sent; what was sent plays on and nothing is dropped.
    pub fn set_hold(&mut self, on: bool) {
        self.held = on;
    }

    // ------------------------------------------------------------ time

    /// Next command due at `now`. Call until `None`.
    pub fn poll(&mut self, now: CallTime) -> Option<MediaCommand> {
        let now = self.at(now);
        self.watch_marks();
        if std::mem::take(&mut self.clear_due) {
            return Some(MediaCommand::Clear);
        }
        if std::mem::take(&mut self.mark_due) {
            return Some(MediaCommand::Mark(self.send_mark()));
        }
        if self.held {
            return None;
        }
        match self.queue.ready() {
            Ready::Frame(bytes) if now >= self.frame_due() => {
                Some(MediaCommand::Frame(self.send_frame(bytes)))
            }
            Ready::Starved if self.line.is_idle(now) && !self.starved => {
                self.starved = true;
                self.under_runs += 1;
                None
            }
            _ => None,
        }
    }

    /// Next time at which [`PlayOut::poll`] or the ledger could change anything by itself. In the future when
    /// `poll` was just drained.
    #[must_use]
    pub fn deadline(&self) -> Option<CallTime> {
        if self.clear_due || self.mark_due {
            return Some(self.now);
        }
        let audio = match self.queue.ready() {
            _ if self.held => None,
            Ready::Frame(_) => Some(self.frame_due()),
            Ready::Starved if !self.starved => Some(self.line.plays_until),
            _ => None,
        };
        let silence = self.line.audible_until().filter(|&t| t > self.now);
        let times = [audio, silence, self.line.overdue_at(self.config.mark_overdue), self.unproven_close()];
        let next = times.into_iter().flatten().min()?;
        Some(next.max(self.now + Duration::from_micros(1)))
    }

    /// Takes a mark that the carrier sent back. Unknown and repeated marks are ignored and counted; one that a
    /// clear flushed is no proof of hearing.
    pub fn mark_played(&mut self, now: CallTime, mark: MarkId) {
        let now = self.at(now);
        match self.line.mark_echoed(now, mark) {
            Echoed::Unknown => self.stray_marks += 1,
            Echoed::Flushed => self.ledger.note(now, LedgerEvent::MarkFlushed { mark }),
            Echoed::Played { place, delay } => {
                self.ledger.note(now, LedgerEvent::MarkPlayed { mark });
                self.begin_hearing(place, delay);
                self.settle_by_mark(place, delay);
            }
        }
    }

    // ------------------------------------------------------------ what is known

    /// Whether we believe that the caller is hearing us: sent, and not yet played out.
    #[must_use]
    pub fn is_audible(&self, now: CallTime) -> bool {
        self.line.audible_until().is_some_and(|until| now < until)
    }

    /// Nothing planned, unsent or unheard remains.
    #[must_use]
    pub fn is_drained(&self) -> bool {
        self.queue.is_empty() && self.sent.is_empty() && !self.clear_due
    }

    /// Milliseconds of audio that wait and are not yet sent, released or not.
    #[must_use]
    pub fn pending_ms(&self) -> u64 {
        self.queue.waiting_bytes() / BYTES_PER_MS
    }

    /// When the first frame with audio of this group left.
    #[must_use]
    pub fn first_sent_at(&self, group: u32) -> Option<CallTime> {
        self.first_sent.get(&group).copied()
    }

    /// Times that sound stopped within a segment because synthesis was late.
    #[must_use]
    pub const fn under_runs(&self) -> u64 {
        self.under_runs
    }

    /// Pieces of audio that came for no open segment, and marks that came back unasked.
    #[must_use]
    pub const fn strays(&self) -> (u64, u64) {
        (self.stray_audio, self.stray_marks)
    }

    /// How far ahead of play-out audio is sent at present.
    #[must_use]
    pub fn cushion(&self) -> Duration {
        self.line.echo.cushion(self.config.cushion, self.config.max_cushion)
    }

    /// The next segment that reached its final state, in the order in which they did.
    pub fn take_closed(&mut self) -> Option<Closed> {
        self.ledger.take_closed()
    }

    #[must_use]
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Words heard of a group, in order, as of the last time given to any method.
    #[must_use]
    pub fn heard(&self, group: u32) -> HeardSoFar {
        let mut so_far = HeardSoFar::default();
        let position = self.line.heard(self.now);
        for record in self.ledger.group(group) {
            let (text, estimated) = match &record.closed {
                Some(closed) => (closed.heard_text.clone(), closed.estimated),
                None => (self.heard_of_open(record.key, &record.text, position), position.estimated),
            };
            so_far.estimated |= estimated;
            if !text.is_empty() {
                if !so_far.text.is_empty() {
                    so_far.text.push(' ');
                }
                so_far.text.push_str(&text);
            }
        }
        so_far.complete =
            self.ledger.group(group).next().is_some() && self.ledger.unheard(group).next().is_none();
        so_far
    }

    /// Segments of a group that were not heard to their end, with their full text, from the one that was cut.
    /// A segment whose words were planned again since is left out.
    #[must_use]
    pub fn unheard(&self, group: u32) -> Vec<(SegmentKey, String)> {
        self.ledger.unheard(group).map(|r| (r.key, r.text.clone())).collect()
    }

    // ------------------------------------------------------------ inside

    /// Time never runs backwards in here, whatever the caller's clock does.
    fn at(&mut self, now: CallTime) -> CallTime {
        self.now = self.now.max(now);
        self.now
    }

    fn frame_due(&self) -> CallTime {
        self.line.next_frame_due(self.cushion())
    }

    fn send_mark(&mut self) -> MarkId {
        let mark = self.line.mark_sent();
        let frames = self.line.sent / FRAME_BYTES as u64;
        self.ledger.note(self.now, LedgerEvent::MarkSent { mark, frames });
        mark
    }

    fn send_frame(&mut self, bytes: usize) -> AudioFrame {
        let now = self.now;
        let begins = self.line.is_idle(now);
        let first_sent = &mut self.first_sent;
        let mut frame = self.queue.fill(bytes, self.line.sent, self.line.plays_next(now), |segment| {
            first_sent.entry(segment.key.group).or_insert(now);
        });
        if self.ducked {
            mulaw::attenuate(&mut frame, DUCK_HALVINGS);
        }
        self.line.frame_sent(now);
        self.starved = false;
        self.mark_due |= begins || self.line.unmarked() >= self.config.mark_every;
        self.retire();
        AudioFrame(frame)
    }

    /// Moves segments of which nothing is left to send.
    fn retire(&mut self) {
        while let Some(segment) = self.queue.pop_spent() {
            if segment.sent > 0 {
                self.sent_whole(segment);
            } else {
                // Synthesis gave nothing: there is nothing to hear.
                self.close(segment, Position { bytes: 0, estimated: false }, self.now);
            }
        }
        self.settle();
    }

    fn sent_whole(&mut self, segment: Segment) {
        let frame = FRAME_BYTES as u64;
        self.ledger.note(
            self.now,
            LedgerEvent::Sent {
                key: segment.key,
                first_frame: segment.start / frame,
                last_frame: (segment.end() - 1) / frame,
            },
        );
        self.mark_due |= !self.line.unmarked().is_zero();
        self.sent.push_back(segment);
    }

    /// Closes what is proven already, for a segment that ends where a mark has come back.
    fn settle(&mut self) {
        let (proven, back) = (self.line.proven(), self.line.way_back());
        while let Some(segment) = self.sent.pop_front_if(|s| s.end() <= proven) {
            let to = (segment.plays_to + back).min(self.now);
            self.close(segment, Position { bytes: proven, estimated: false }, to);
        }
    }

    fn settle_by_mark(&mut self, place: u64, delay: Duration) {
        let back = self.line.way_back();
        while let Some(segment) = self.sent.pop_front_if(|s| s.end() <= place) {
            let to = (segment.plays_to + delay - back).min(self.now);
            self.close(segment, Position { bytes: place, estimated: false }, to);
        }
    }

    /// Notes when the segments before `place` became audible.
    fn begin_hearing(&mut self, place: u64, delay: Duration) {
        let back = self.line.way_back();
        for segment in self.sent.iter_mut().chain(self.queue.begun()) {
            if segment.start < place && segment.heard_from.is_none() {
                segment.heard_from = Some((segment.plays_from + delay - back).min(self.now));
            }
        }
    }

    /// When the oldest sent segment closes without proof, while marks are missing.
    fn unproven_close(&self) -> Option<CallTime> {
        let first = self.sent.front().filter(|_| self.line.blind)?;
        Some(first.plays_to + self.config.mark_overdue / 4)
    }

    /// Notices that marks are missing, and then closes by the clock.
    fn watch_marks(&mut self) {
        let now = self.now;
        if self.line.overdue_at(self.config.mark_overdue).is_some_and(|at| now >= at) {
            self.line.blind = true;
            self.ledger.note(now, LedgerEvent::MarksMissing);
        }
        while self.unproven_close().is_some_and(|at| now >= at) {
            let Some(segment) = self.sent.pop_front() else { return };
            let to = (segment.plays_to + self.line.way_back()).min(now);
            let position = Position { bytes: segment.end(), estimated: true };
            self.close(segment, position, to);
        }
    }

    fn close(&mut self, segment: Segment, heard: Position, to: CallTime) {
        let text = self.ledger.text(segment.key).unwrap_or_default();
        let (state, heard_text) = judge(&segment, text, heard.bytes);
        let from = match state {
            SegmentState::Dropped => to,
            _ => segment.heard_from.unwrap_or(segment.plays_from + self.line.way_back()).min(to),
        };
        // That nothing was sent of it, or all of it proven, needs no estimate.
        let estimated = heard.estimated && segment.sent > 0;
        let closed = Closed { key: segment.key, state, from, to, heard_text, estimated };
        self.ledger.close(self.now, closed);
    }

    fn heard_of_open(&self, key: SegmentKey, text: &str, position: Position) -> String {
        self.sent
            .iter()
            .chain(self.queue.iter())
            .find(|s| s.key == key)
            .map_or_else(String::new, |segment| judge(segment, text, position.bytes).1)
    }
}

/// State and heard words of a segment, were play-out to end at `place`.
fn judge(segment: &Segment, text: &str, place: u64) -> (SegmentState, String) {
    let heard = place.saturating_sub(segment.start).min(segment.sent);
    if segment.sent == 0 || heard == 0 {
        return (SegmentState::Dropped, String::new());
    }
    let whole = segment.finished && !segment.cut && segment.sent == segment.received;
    if whole && heard == segment.sent {
        return (SegmentState::Heard, text.to_owned());
    }
    let mut audio_ms = segment.received / BYTES_PER_MS;
    if !segment.finished {
        audio_ms = audio_ms.max(slow_length_ms(text));
    }
    let credit = credit(text, &segment.words, audio_ms, heard / BYTES_PER_MS);
    let state = if credit.all { SegmentState::Heard } else { SegmentState::PartlyHeard };
    (state, credit.text)
}
