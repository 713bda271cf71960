//! A simulated carrier, sans I/O and in virtual time.
//!
//! It buffers what it is sent and plays it out in real time, sends marks back when they are reached, obeys clear,
//! and speaks for the caller on a 20 ms clock. What the caller's ear got is on record, with times.

#![deny(clippy::disallowed_methods)]

use std::collections::VecDeque;
use std::time::Duration;

use crate::media::{AudioFrame, CallTime, FRAME_MS, MarkId, MediaCommand, MediaEvent, StreamStart};

mod seed;
#[cfg(test)]
mod tests;

use seed::Seeded;

const FRAME: Duration = Duration::from_millis(FRAME_MS);

/// What is wrong with the leg. All zero: a perfect one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Impairments {
    /// Way from the gateway to the carrier, and back.
    pub delay_out: Duration,
    pub delay_back: Duration,
    /// Added to each way, evenly from nothing to this. Order is kept.
    pub jitter: Duration,
    /// Frames lost, of a thousand, each way.
    pub loss_per_mille: u16,
    /// Marks never sent back, of a thousand.
    pub mark_loss_per_mille: u16,
    /// The carrier ends the stream here.
    pub stop_at: Option<CallTime>,
    /// From here on and for so long nothing gets through either way; then all of it at once.
    pub stall: Option<(CallTime, Duration)>,
}

/// A frame that the caller's ear got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeardFrame {
    pub from: CallTime,
    /// 20 ms later, or when a clear cut it.
    pub to: CallTime,
    pub frame: AudioFrame,
}

/// Something in the carrier's buffer.
#[derive(Clone, Copy, Debug)]
enum Item {
    Frame(AudioFrame),
    Mark(MarkId),
}

/// What happens next at the carrier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Step {
    Play,
    Arrival,
    Caller,
    Stop,
}

/// One simulated leg.
#[derive(Debug)]
pub struct SimCarrier {
    seeded: Seeded,
    impairments: Impairments,
    now: CallTime,
    outbound: VecDeque<(CallTime, MediaCommand)>,
    inbound: VecDeque<(CallTime, MediaEvent)>,
    buffer: VecDeque<Item>,
    plays_until: CallTime,
    heard: Vec<HeardFrame>,
    speech: VecDeque<AudioFrame>,
    next_caller_frame: CallTime,
    over: bool,
}

impl SimCarrier {
    /// A leg that starts at once. The same seed and calls give the same course.
    #[must_use]
    pub fn new(seed: u64, impairments: Impairments) -> Self {
        let start = StreamStart {
            stream_sid: "MZ00000000000000000000000000000001".into(),
            call_sid: "CA00000000000000000000000000000001".into(),
            account_sid: "AC00000000000000000000000000000001".into(),
            parameters: Vec::new(),
        };
        Self::with_start(seed, impairments, start)
    }

    /// A leg with this identity.
    #[must_use]
    pub fn with_start(seed: u64, impairments: Impairments, start: StreamStart) -> Self {
        let mut sim = Self {
            seeded: Seeded::new(seed),
            impairments,
            now: CallTime::ZERO,
            outbound: VecDeque::new(),
            inbound: VecDeque::new(),
            buffer: VecDeque::new(),
            plays_until: CallTime::ZERO,
            heard: Vec::new(),
            speech: VecDeque::new(),
            next_caller_frame: CallTime::ZERO + FRAME,
            over: false,
        };
        sim.emit(MediaEvent::Started(start));
        sim
    }

    /// Takes a command that the gateway sends at `now`.
    pub fn handle_command(&mut self, now: CallTime, command: MediaCommand) {
        self.advance(now);
        if matches!(command, MediaCommand::Frame(_)) && self.seeded.happens(self.impairments.loss_per_mille) {
            return;
        }
        let last = self.outbound.back().map_or(self.now, |&(at, _)| at);
        let at = self.arrival(self.impairments.delay_out).max(last);
        self.outbound.push_back((at, command));
    }

    /// The caller says this next, after what is left to say; silence otherwise.
    pub fn speak(&mut self, frames: impl IntoIterator<Item = AudioFrame>) {
        self.speech.extend(frames);
    }

    /// The caller presses a key.
    pub fn press(&mut self, now: CallTime, key: char) {
        self.advance(now);
        if !self.over {
            self.emit(MediaEvent::Digit(key));
        }
    }

    /// The caller hangs up.
    pub fn hang_up(&mut self, now: CallTime) {
        self.advance(now);
        self.stop();
    }

    /// Next event that has reached the gateway by `now`. Call until `None`.
    pub fn poll(&mut self, now: CallTime) -> Option<MediaEvent> {
        self.advance(now);
        self.inbound.pop_front_if(|&mut (at, _)| at <= now).map(|(_, event)| event)
    }

    /// When something happens next, at either end; `None` when the stream is over.
    #[must_use]
    pub fn deadline(&self) -> Option<CallTime> {
        let step = self.next_step().map(|(at, _)| at);
        step.into_iter().chain(self.inbound.front().map(|&(at, _)| at)).min()
    }

    /// What the caller's ear got so far, in order.
    #[must_use]
    pub fn heard(&self) -> &[HeardFrame] {
        &self.heard
    }

    /// Frames that the carrier holds and has not begun to play.
    #[must_use]
    pub fn buffered_frames(&self) -> usize {
        self.buffer.iter().filter(|item| matches!(item, Item::Frame(_))).count()
    }

    /// The stream has ended, by either side.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.over
    }

    fn next_step(&self) -> Option<(CallTime, Step)> {
        if self.over {
            return None;
        }
        let play = (!self.buffer.is_empty()).then(|| (self.plays_until.max(self.now), Step::Play));
        let arrival = self.outbound.front().map(|&(at, _)| (at, Step::Arrival));
        let stop = self.impairments.stop_at.map(|at| (at, Step::Stop));
        let caller = Some((self.next_caller_frame, Step::Caller));
        [play, arrival, stop, caller].into_iter().flatten().min()
    }

    fn advance(&mut self, now: CallTime) {
        while let Some((at, step)) = self.next_step().filter(|&(at, _)| at <= now) {
            self.now = self.now.max(at);
            match step {
                Step::Play => self.play(),
                Step::Arrival => self.arrive(),
                Step::Caller => self.say(),
                Step::Stop => self.stop(),
            }
        }
        self.now = self.now.max(now);
    }

    fn play(&mut self) {
        match self.buffer.pop_front() {
            Some(Item::Frame(frame)) => {
                let (from, to) = (self.now, self.now + FRAME);
                self.plays_until = to;
                self.heard.push(HeardFrame { from, to, frame });
            }
            Some(Item::Mark(mark)) => self.send_back(mark),
            None => {}
        }
    }

    fn arrive(&mut self) {
        match self.outbound.pop_front() {
            Some((_, MediaCommand::Frame(frame))) => self.buffer.push_back(Item::Frame(frame)),
            Some((_, MediaCommand::Mark(mark))) => self.buffer.push_back(Item::Mark(mark)),
            Some((_, MediaCommand::Clear)) => self.clear(),
            Some((_, MediaCommand::Close)) => self.over = true,
            None => {}
        }
    }

    fn clear(&mut self) {
        if let Some(last) = self.heard.last_mut() {
            last.to = last.to.min(self.now);
        }
        self.plays_until = self.plays_until.min(self.now);
        for item in std::mem::take(&mut self.buffer) {
            if let Item::Mark(mark) = item {
                self.send_back(mark);
            }
        }
    }

    fn say(&mut self) {
        let frame = self.speech.pop_front().unwrap_or(AudioFrame::SILENCE);
        self.next_caller_frame += FRAME;
        if !self.seeded.happens(self.impairments.loss_per_mille) {
            self.emit(MediaEvent::Frame(frame));
        }
    }

    fn stop(&mut self) {
        if !self.over {
            self.emit(MediaEvent::Stopped);
            self.over = true;
        }
    }

    fn send_back(&mut self, mark: MarkId) {
        if !self.seeded.happens(self.impairments.mark_loss_per_mille) {
            self.emit(MediaEvent::MarkPlayed(mark));
        }
    }

    fn emit(&mut self, event: MediaEvent) {
        let last = self.inbound.back().map_or(self.now, |&(at, _)| at);
        let at = self.arrival(self.impairments.delay_back).max(last);
        self.inbound.push_back((at, event));
    }

    /// When something sent now arrives, but for what is ahead of it.
    fn arrival(&mut self, delay: Duration) -> CallTime {
        let at = self.now + delay + self.seeded.up_to(self.impairments.jitter);
        match self.impairments.stall {
            Some((from, length)) if at >= from => at.max(from + length),
            _ => at,
        }
    }
}
