//! A recorded caller, made ready to be sent by any number of calls: encoded once, and cut into what was said
//! without waiting and what each piece waited for.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use pipeline::session::journal::encode_audio;
use telephony::media::{AudioFrame, FRAME_BYTES};

use super::journal;
use super::speech::voiced;
use crate::audio;

/// Characters of one frame in base64.
const PAYLOAD: usize = FRAME_BYTES.div_ceil(3) * 4;
/// A longer silence of the caller is a wait, frames (1 s).
const WAIT: usize = 50;
/// Quiet that ends what the agent says in a recording, frames.
const AGENT_GAP: usize = 50;
/// The agent must have spoken on for this long for a caller to have spoken over it, frames.
const OVERLAP: usize = 5;

/// What the caller waits for before a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// So many frames of silence, whatever the agent does.
    Pause(usize),
    /// The agent has spoken and has been quiet for so many frames.
    AfterAgent { reaction: usize },
    /// The agent has been speaking for so many frames: the caller speaks over it.
    OverAgent { into: usize },
}

/// Something said, or keys pressed, without a wait in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub begin: Begin,
    pub frames: Range<usize>,
}

/// One recorded caller.
pub struct Recording {
    name: String,
    /// Base64 of the distinct frames, end to end; silence is the first.
    payloads: String,
    /// Place of each frame in `payloads`.
    frames: Vec<u32>,
    voiced: Vec<bool>,
    /// Keys and the frame beside which each was pressed, in order.
    keys: Vec<(usize, char)>,
    pieces: Vec<Piece>,
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording")
            .field("name", &self.name)
            .field("pieces", &self.pieces)
            .finish_non_exhaustive()
    }
}

impl Recording {
    /// Makes a caller of both legs, 20 ms a frame, as they lay side by side. Without `agent` every longer silence
    /// of the caller counts as waiting for it.
    ///
    /// # Errors
    /// When the caller neither speaks nor presses a key.
    pub fn new(
        name: impl Into<String>,
        caller: &[AudioFrame],
        agent: Option<&[AudioFrame]>,
        keys: Vec<(usize, char)>,
    ) -> anyhow::Result<Self> {
        let name = name.into();
        let voiced = voiced(caller);
        let agent = agent.map(agent_speech);
        let pieces = pieces(&active(&voiced, &keys), agent.as_deref());
        if pieces.is_empty() {
            bail!("{name}: the caller says nothing in it");
        }
        let (payloads, frames) = encode(caller);
        Ok(Self { name, payloads, frames, voiced, keys, pieces })
    }

    /// Reads a WAV file (two channels: caller left, agent right) or a journal.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("jsonl")) {
            let call = journal::read(path)?;
            return Self::new(name, &call.caller, Some(&call.agent), call.keys);
        }
        let (caller, agent) = audio::read_legs(path)?;
        Self::new(name, &caller, agent.as_deref(), Vec::new())
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The silence before piece `index`; after the last piece the recording's end.
    #[must_use]
    pub fn gap(&self, index: usize) -> Range<usize> {
        let from = index.checked_sub(1).map_or(0, |before| self.pieces[before].frames.end);
        from..self.pieces.get(index).map_or(self.frames.len(), |piece| piece.frames.start)
    }

    /// Base64 of a frame; of silence when there is none.
    #[must_use]
    pub fn payload(&self, frame: Option<usize>) -> &str {
        let place = frame.and_then(|frame| self.frames.get(frame)).map_or(0, |place| *place as usize);
        &self.payloads[place * PAYLOAD..(place + 1) * PAYLOAD]
    }

    /// The caller speaks in this frame.
    #[must_use]
    pub fn is_voiced(&self, frame: usize) -> bool {
        self.voiced.get(frame).copied().unwrap_or(false)
    }

    /// Keys pressed beside this frame.
    pub fn keys(&self, frame: usize) -> impl Iterator<Item = char> + '_ {
        let from = self.keys.partition_point(|(at, _)| *at < frame);
        self.keys[from..].iter().take_while(move |(at, _)| *at == frame).map(|(_, key)| *key)
    }

    /// Frames of the whole recording.
    #[must_use]
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }
}

/// Reads one file, or all WAV files and journals of a folder. A journal stands for the WAV file of the same name
/// beside it: it knows more.
pub fn read_all(path: &Path) -> anyhow::Result<Vec<Arc<Recording>>> {
    let files = if path.is_dir() { in_folder(path)? } else { vec![path.to_owned()] };
    let recordings: Vec<_> =
        files.iter().map(|file| Recording::read(file).map(Arc::new)).collect::<Result<_, _>>()?;
    if recordings.is_empty() {
        bail!("{} holds no .wav and no .jsonl file: `quandura record` makes both", path.display());
    }
    Ok(recordings)
}

fn in_folder(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| {
        let kind = file.extension().unwrap_or_default().to_ascii_lowercase();
        kind == "jsonl" || (kind == "wav" && !file.with_extension("jsonl").is_file())
    });
    files.sort();
    Ok(files)
}

fn encode(frames: &[AudioFrame]) -> (String, Vec<u32>) {
    let mut payloads = encode_audio(AudioFrame::SILENCE.bytes());
    let place = |frame: &AudioFrame| {
        if *frame == AudioFrame::SILENCE {
            return 0;
        }
        let place = payloads.len() / PAYLOAD;
        payloads.push_str(&encode_audio(frame.bytes()));
        u32::try_from(place).unwrap_or(0)
    };
    let frames = frames.iter().map(place).collect();
    (payloads, frames)
}

fn active(voiced: &[bool], keys: &[(usize, char)]) -> Vec<bool> {
    let length = keys.last().map_or(0, |(at, _)| at + 1).max(voiced.len());
    let mut active = voiced.to_vec();
    active.resize(length, false);
    for (at, _) in keys {
        active[*at] = true;
    }
    active
}

/// Spans of the agent's speech, in order.
fn agent_speech(agent: &[AudioFrame]) -> Vec<Range<usize>> {
    spans(&voiced(agent), AGENT_GAP)
}

/// Spans of `true` with less than `gap` of `false` inside.
fn spans(flags: &[bool], gap: usize) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for (at, _) in flags.iter().enumerate().filter(|(_, flag)| **flag) {
        match spans.last_mut() {
            Some(last) if at - last.end < gap => last.end = at + 1,
            _ => spans.push(at..at + 1),
        }
    }
    spans
}

fn pieces(active: &[bool], agent: Option<&[Range<usize>]>) -> Vec<Piece> {
    let mut end = 0;
    let piece = |frames: Range<usize>| {
        let begin = begin(end, frames.start, agent);
        end = frames.end;
        Piece { begin, frames }
    };
    spans(active, WAIT).into_iter().map(piece).collect()
}

/// Why the caller, silent since `silent`, spoke at `onset`.
fn begin(silent: usize, onset: usize, agent: Option<&[Range<usize>]>) -> Begin {
    let pause = onset - silent;
    if pause < WAIT {
        return Begin::Pause(pause);
    }
    let Some(agent) = agent else { return Begin::AfterAgent { reaction: 0 } };
    match agent.iter().rfind(|speech| speech.start < onset && speech.end > silent) {
        None => Begin::Pause(pause),
        Some(speech) if speech.end < onset + OVERLAP => {
            Begin::AfterAgent { reaction: onset.saturating_sub(speech.end) }
        }
        // It spoke all through the caller's silence: nothing to wait for.
        Some(speech) if speech.start < silent => Begin::Pause(pause),
        Some(speech) => Begin::OverAgent { into: onset - speech.start },
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "one span of speech is meant, not its frames")]
mod tests {
    use super::*;

    const LOUD: AudioFrame = AudioFrame([0x20; FRAME_BYTES]);

    fn leg(spans: &[Range<usize>], length: usize) -> Vec<AudioFrame> {
        let frame = |at| if spans.iter().any(|s| s.contains(&at)) { LOUD } else { AudioFrame::SILENCE };
        (0..length).map(frame).collect()
    }

    fn begins(recording: &Recording) -> Vec<Begin> {
        recording.pieces().iter().map(|piece| piece.begin).collect()
    }

    #[test]
    fn what_the_caller_waited_for_is_read_from_the_agents_side() {
        let caller = leg(&[100..150, 180..200, 400..440, 520..560, 700..740], 900);
        let agent = leg(&[0..90, 250..380, 620..800], 900);
        let recording = Recording::new("x", &caller, Some(&agent), Vec::new()).unwrap();
        assert_eq!(
            begins(&recording),
            [
                Begin::AfterAgent { reaction: 10 },
                Begin::AfterAgent { reaction: 20 },
                Begin::Pause(80),
                Begin::OverAgent { into: 80 },
            ]
        );
        let frames: Vec<_> = recording.pieces().iter().map(|p| p.frames.clone()).collect();
        assert_eq!(frames, [100..200, 400..440, 520..560, 700..740], "a short pause stays inside");
        assert_eq!((recording.gap(0), recording.gap(4)), (0..100, 740..900));
    }

    #[test]
    fn without_the_agents_side_every_longer_silence_is_a_wait() {
        let caller = leg(&[10..40, 80..120, 180..220], 240);
        let recording = Recording::new("x", &caller, None, Vec::new()).unwrap();
        assert_eq!(begins(&recording), [Begin::Pause(10), Begin::AfterAgent { reaction: 0 }]);
    }

    #[test]
    fn keys_count_as_something_said() {
        let caller = leg(&[60..100], 300);
        let recording = Recording::new("x", &caller, None, vec![(200, '1'), (200, '2'), (215, '#')]).unwrap();
        assert_eq!(recording.pieces()[1].frames, 200..216);
        assert_eq!(recording.keys(200).collect::<String>(), "12");
        assert_eq!(recording.keys(201).count(), 0);
    }

    #[test]
    fn frames_are_encoded_once_and_silence_is_shared() {
        let recording = Recording::new("x", &leg(&[2..10], 20), None, Vec::new()).unwrap();
        assert_eq!(recording.payload(Some(2)), encode_audio(LOUD.bytes()));
        assert_eq!(recording.payload(Some(0)), encode_audio(AudioFrame::SILENCE.bytes()));
        assert_eq!(recording.payload(None), recording.payload(Some(19)));
        assert_eq!(recording.payloads.len(), 9 * PAYLOAD);
    }

    #[test]
    fn a_silent_file_and_an_empty_folder_are_refused() {
        assert!(Recording::new("x", &leg(&[], 100), None, Vec::new()).is_err());
        let dir = tempfile::tempdir().unwrap();
        assert!(read_all(dir.path()).unwrap_err().to_string().contains("quandura record"));
    }

    #[test]
    fn a_folder_gives_its_journals_and_the_sound_files_that_have_none() {
        let dir = tempfile::tempdir().unwrap();
        let sound = leg(&[60..100], 150);
        audio::write_stereo(&dir.path().join("b.wav"), &sound, &leg(&[0..40], 150)).unwrap();
        audio::write_mono(&dir.path().join("a.wav"), &sound).unwrap();
        std::fs::write(dir.path().join("notes.txt"), "no call").unwrap();
        let names = |all: &[Arc<Recording>]| all.iter().map(|r| r.name().to_owned()).collect::<Vec<_>>();
        let all = read_all(dir.path()).unwrap();
        assert_eq!(names(&all), ["a", "b"]);
        assert_eq!(begins(&all[0]), [Begin::AfterAgent { reaction: 0 }]);
        assert_eq!(begins(&all[1]), [Begin::AfterAgent { reaction: 20 }]);
    }
}
