//! Reads the journal that `quandura record` keeps: both legs side by side, and the keys.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, bail};
use pipeline::session::journal::{JournalEntry, Recorded, decode_audio, decode_frame};
use telephony::media::{AudioFrame, FRAME_MS};

use crate::playback::Playback;

/// Frames that may be missing against the clock before silence is put in their place: carriers send in bunches.
const LAG: usize = 5;

/// Both legs of a call, frame by frame.
#[derive(Debug, Default)]
pub struct Legs {
    pub caller: Vec<AudioFrame>,
    /// As the caller heard it.
    pub agent: Vec<AudioFrame>,
    /// Keys and the frame beside which each was pressed.
    pub keys: Vec<(usize, char)>,
}

/// Reads the file.
///
/// # Errors
/// When it cannot be read, or a line is no journal entry, or no frame of the caller is in it.
pub fn read(path: &Path) -> anyhow::Result<Legs> {
    let file = File::open(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut reading = Reading::default();
    for (number, line) in (1..).zip(BufReader::new(file).lines()) {
        let line = line.with_context(|| format!("{} cannot be read", path.display()))?;
        let entry: JournalEntry = serde_json::from_str(&line)
            .with_context(|| format!("{} line {number} is no journal entry", path.display()))?;
        reading.take(&entry);
    }
    if reading.legs.caller.is_empty() {
        bail!("{} holds no sound of a caller", path.display());
    }
    Ok(reading.legs)
}

#[derive(Default)]
struct Reading {
    legs: Legs,
    playback: Playback<u64>,
    began_us: Option<u64>,
}

impl Reading {
    fn take(&mut self, entry: &JournalEntry) {
        match &entry.what {
            Recorded::In { audio } => {
                self.catch_up(entry.at_us);
                self.frame(decode_frame(audio).unwrap_or(AudioFrame::SILENCE));
            }
            Recorded::Out { audio } => self.playback.audio(decode_audio(audio).unwrap_or_default()),
            Recorded::Clear => drop(self.playback.clear()),
            Recorded::Digit { digit } => self.legs.keys.push((self.legs.caller.len(), *digit)),
            _ => {}
        }
    }

    /// The caller's frames are the clock; where some are missing, time passed all the same.
    fn catch_up(&mut self, at_us: u64) {
        let began = *self.began_us.get_or_insert(at_us);
        let passed = usize::try_from(at_us.saturating_sub(began) / (FRAME_MS * 1_000)).unwrap_or(0);
        if passed > self.legs.caller.len() + LAG {
            while self.legs.caller.len() < passed {
                self.frame(AudioFrame::SILENCE);
            }
        }
    }

    fn frame(&mut self, frame: AudioFrame) {
        let (heard, _) = self.playback.play();
        self.legs.caller.push(frame);
        self.legs.agent.push(heard);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use pipeline::session::journal::encode_audio;
    use telephony::media::FRAME_BYTES;

    use super::*;

    fn read_entries(entries: &[(u64, Recorded)]) -> anyhow::Result<Legs> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        for (ms, what) in entries {
            let entry = JournalEntry { at_us: ms * 1_000, what: what.clone() };
            writeln!(file, "{}", serde_json::to_string(&entry).unwrap()).unwrap();
        }
        read(file.path())
    }

    fn heard(code: u8) -> Recorded {
        Recorded::In { audio: encode_audio(&[code; FRAME_BYTES]) }
    }

    #[test]
    fn the_agents_side_is_what_was_played_and_keys_keep_their_place() {
        let out = Recorded::Out { audio: encode_audio(&[0x20; FRAME_BYTES]) };
        let legs = read_entries(&[
            (5, out.clone()),
            (5, out.clone()),
            (20, heard(1)),
            (25, Recorded::Digit { digit: '5' }),
            (30, Recorded::Clear),
            (40, heard(2)),
        ])
        .unwrap();
        assert_eq!(legs.caller.iter().map(|f| f.0[0]).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(legs.agent, [AudioFrame([0x20; FRAME_BYTES]), AudioFrame::SILENCE]);
        assert_eq!(legs.keys, [(1, '5')]);
    }

    #[test]
    fn a_hole_in_the_callers_frames_becomes_silence_and_jitter_does_not() {
        let legs = read_entries(&[(0, heard(1)), (80, heard(2)), (81, heard(3)), (1_000, heard(4))]).unwrap();
        assert_eq!(legs.caller.len(), 51);
        assert_eq!(legs.caller[2].0[0], 3);
        assert_eq!(legs.caller[50].0[0], 4);
    }

    #[test]
    fn what_is_no_journal_says_where() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "hello").unwrap();
        assert!(read(file.path()).unwrap_err().to_string().contains("line 1"));
        assert!(read_entries(&[(0, Recorded::Clear)]).is_err());
    }
}
