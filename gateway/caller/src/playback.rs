//! The carrier's buffer: what was sent to the caller and is not yet played.

use std::collections::VecDeque;

use pipeline::audio::level::frame_dbfs;
use telephony::media::{AudioFrame, FRAME_BYTES, MULAW_SILENCE};

/// Level above which a frame counts as sound rather than line noise.
const AUDIBLE_DBFS: f32 = -50.0;

/// Buffer of one leg. `M` names a mark.
#[derive(Debug)]
pub struct Playback<M> {
    queue: VecDeque<Item<M>>,
    queued_bytes: usize,
}

#[derive(Debug)]
enum Item<M> {
    Audio(Vec<u8>),
    Mark(M),
}

impl<M> Default for Playback<M> {
    fn default() -> Self {
        Self { queue: VecDeque::new(), queued_bytes: 0 }
    }
}

impl<M> Playback<M> {
    /// Queues audio of any length.
    pub fn audio(&mut self, mulaw: Vec<u8>) {
        if !mulaw.is_empty() {
            self.queued_bytes += mulaw.len();
            self.queue.push_back(Item::Audio(mulaw));
        }
    }

    /// Queues a mark. Given back at once when nothing is queued before it, as the carrier does.
    pub fn mark(&mut self, mark: M) -> Option<M> {
        if self.queue.is_empty() {
            return Some(mark);
        }
        self.queue.push_back(Item::Mark(mark));
        None
    }

    /// Drops the audio; all marks come back, in order.
    pub fn clear(&mut self) -> Vec<M> {
        self.queued_bytes = 0;
        let marks = self.queue.drain(..).filter_map(|item| match item {
            Item::Mark(mark) => Some(mark),
            Item::Audio(_) => None,
        });
        marks.collect()
    }

    /// Plays 20 ms: the sound, and the marks that were reached.
    pub fn play(&mut self) -> (AudioFrame, Vec<M>) {
        let mut frame = [MULAW_SILENCE; FRAME_BYTES];
        let mut filled = 0;
        while filled < FRAME_BYTES {
            let Some(Item::Audio(bytes)) = self.queue.front_mut() else { break };
            let n = bytes.len().min(FRAME_BYTES - filled);
            frame[filled..filled + n].copy_from_slice(&bytes[..n]);
            bytes.drain(..n);
            filled += n;
            if bytes.is_empty() {
                self.queue.pop_front();
            }
            if !matches!(self.queue.front(), Some(Item::Audio(_))) {
                break;
            }
        }
        self.queued_bytes -= filled;
        (AudioFrame(frame), self.reached())
    }

    fn reached(&mut self) -> Vec<M> {
        let mut marks = Vec::new();
        while matches!(self.queue.front(), Some(Item::Mark(_))) {
            if let Some(Item::Mark(mark)) = self.queue.pop_front() {
                marks.push(mark);
            }
        }
        marks
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queued_bytes == 0
    }
}

/// True when a frame holds sound rather than line noise.
#[must_use]
pub fn is_audible(frame: &AudioFrame) -> bool {
    frame_dbfs(frame) > AUDIBLE_DBFS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_comes_back_when_all_audio_before_it_was_played() {
        let mut playback = Playback::default();
        playback.audio(vec![0; 200]);
        assert_eq!(playback.mark("end"), None);
        let (first, none) = playback.play();
        assert_eq!(first.0, [0; FRAME_BYTES]);
        assert!(none.is_empty());
        let (second, reached) = playback.play();
        assert_eq!(second.0[40], MULAW_SILENCE);
        assert_eq!(reached, ["end"]);
        assert!(playback.is_empty());
    }

    #[test]
    fn a_mark_with_nothing_queued_comes_back_at_once() {
        let mut playback: Playback<u8> = Playback::default();
        assert_eq!(playback.mark(7), Some(7));
    }

    #[test]
    fn clear_drops_audio_and_gives_every_mark() {
        let mut playback = Playback::default();
        playback.audio(vec![0; 800]);
        let _ = playback.mark(1);
        playback.audio(vec![0; 800]);
        let _ = playback.mark(2);
        assert_eq!(playback.clear(), [1, 2]);
        assert!(!is_audible(&playback.play().0));
    }

    #[test]
    fn silence_and_noise_are_not_audible_and_speech_is() {
        assert!(!is_audible(&AudioFrame::SILENCE));
        assert!(!is_audible(&AudioFrame([0x7F; FRAME_BYTES])));
        assert!(is_audible(&AudioFrame([0x20; FRAME_BYTES])));
    }
}
