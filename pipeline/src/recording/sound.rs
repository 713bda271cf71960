//! A whole recording from its segments, as a WAV file, and as what is drawn of it.

use serde::{Deserialize, Serialize};
use telephony::media::{FRAME_BYTES, FRAME_MS};

use super::two_sides::Segment;
use crate::audio::g711::mulaw_decode;

/// Mu-law silence.
const QUIET: u8 = telephony::media::AudioFrame::SILENCE.0[0];
/// Slots of silence that stand for a gap at most: half an hour in which the call's stream was gone.
const LONGEST_GAP: u64 = 90_000;
/// Slots of one peak: a tenth of a second.
const PEAK_SLOTS: usize = 5;
const RATE: u32 = 8_000;
const WAV_HEADER: usize = 44;

/// Both sides of a call, mu-law at 8 kHz, of equal length.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sound {
    /// The call's time at its beginning.
    pub starts_ms: u64,
    pub caller: Vec<u8>,
    pub agent: Vec<u8>,
    /// Slot after the last; 0 before the first segment.
    end: u64,
}

/// What is drawn of a recording: how loud each tenth of a second is, 0–255.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Peaks {
    /// The call's time at its beginning.
    pub starts_ms: u64,
    pub duration_ms: u64,
    /// Milliseconds that one value stands for.
    pub peak_ms: u64,
    pub caller: Vec<u8>,
    pub agent: Vec<u8>,
}

impl Sound {
    /// Adds the next segment; a gap before it is silence. One that was there before is left out.
    pub fn add(&mut self, segment: &Segment) {
        if self.end == 0 {
            (self.starts_ms, self.end) = (segment.from * FRAME_MS, segment.from);
        }
        if segment.from < self.end {
            return;
        }
        let gap = usize::try_from((segment.from - self.end).min(LONGEST_GAP)).unwrap_or(0) * FRAME_BYTES;
        for (side, heard) in [(&mut self.caller, &segment.caller), (&mut self.agent, &segment.agent)] {
            side.resize(side.len() + gap, QUIET);
            side.extend_from_slice(heard);
        }
        self.end = segment.from + (segment.caller.len() / FRAME_BYTES) as u64;
    }

    #[must_use]
    pub const fn duration_ms(&self) -> u64 {
        self.caller.len() as u64 * 1_000 / RATE as u64
    }

    /// Samples from one place on: the caller's and the agent's in turn.
    pub fn samples(&self) -> impl Iterator<Item = [i16; 2]> + '_ {
        self.caller.iter().zip(&self.agent).map(|(c, a)| [mulaw_decode(*c), mulaw_decode(*a)])
    }

    /// A WAV file: 16 bits, 8 kHz, the caller left and the agent right.
    #[must_use]
    pub fn wav(&self) -> Vec<u8> {
        let samples: Vec<i16> = self.samples().flatten().collect();
        wav(&samples)
    }

    /// How loud it is when.
    #[must_use]
    pub fn peaks(&self) -> Peaks {
        let of = |side: &[u8]| -> Vec<u8> { side.chunks(PEAK_SLOTS * FRAME_BYTES).map(peak).collect() };
        Peaks {
            starts_ms: self.starts_ms,
            duration_ms: self.duration_ms(),
            peak_ms: PEAK_SLOTS as u64 * FRAME_MS,
            caller: of(&self.caller),
            agent: of(&self.agent),
        }
    }
}

fn peak(codes: &[u8]) -> u8 {
    let loudest = codes.iter().map(|code| mulaw_decode(*code).unsigned_abs()).max().unwrap_or(0);
    u8::try_from(loudest >> 7).unwrap_or(u8::MAX)
}

/// A WAV file of samples of two sides in turn.
#[must_use]
pub fn wav(samples: &[i16]) -> Vec<u8> {
    let bytes = u32::try_from(samples.len() * 2).unwrap_or(u32::MAX - 64);
    let mut file = Vec::with_capacity(WAV_HEADER + samples.len() * 2);
    file.extend_from_slice(b"RIFF");
    file.extend_from_slice(&(bytes + 36).to_le_bytes());
    file.extend_from_slice(b"WAVEfmt ");
    file.extend_from_slice(&16_u32.to_le_bytes());
    // PCM, two channels.
    for word in [1_u16, 2] {
        file.extend_from_slice(&word.to_le_bytes());
    }
    for word in [RATE, RATE * 4] {
        file.extend_from_slice(&word.to_le_bytes());
    }
    for word in [4_u16, 16] {
        file.extend_from_slice(&word.to_le_bytes());
    }
    file.extend_from_slice(b"data");
    file.extend_from_slice(&bytes.to_le_bytes());
    samples.iter().for_each(|sample| file.extend_from_slice(&sample.to_le_bytes()));
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(from: u64, slots: usize, caller: u8) -> Segment {
        Segment { from, caller: vec![caller; slots * FRAME_BYTES], agent: vec![QUIET; slots * FRAME_BYTES] }
    }

    #[test]
    fn segments_make_a_whole_and_gaps_are_silence() {
        let mut sound = Sound::default();
        for segment in [segment(100, 50, 0), segment(150, 50, 0), segment(150, 50, 9), segment(250, 50, 0)] {
            sound.add(&segment);
        }
        assert_eq!((sound.starts_ms, sound.duration_ms()), (2_000, 4_000));
        let peaks = sound.peaks();
        assert_eq!((peaks.caller.len(), peaks.peak_ms), (40, 100));
        assert_eq!((peaks.caller[0], peaks.caller[25], peaks.caller[30], peaks.agent[0]), (250, 0, 250, 0));
        let wav = sound.wav();
        assert_eq!(wav.len(), WAV_HEADER + 4 * 8_000 * 4);
        assert_eq!((&wav[..4], &wav[8..16]), (b"RIFF".as_slice(), b"WAVEfmt ".as_slice()));
    }
}
