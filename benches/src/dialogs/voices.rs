//! The callers' voices: programs of Debian, none of them the gateway's own. What they say is kept in a folder.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use caller::audio;
use pipeline::audio::g711::mulaw_to_f32;
use pipeline::audio::level::rms_dbfs;

use super::set::Language;
use super::utterance::{Piece, Utterance};
use crate::clips::{PER_MS, at_level, audible};

/// Loudness of every voice.
const LEVEL_DBFS: f32 = -22.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Program {
    Flite(&'static str),
    /// A voice of Festival.
    Festival(&'static str),
    /// A voice, and words a minute.
    Espeak(&'static str, &'static str),
}

/// A place in a set is filled by one of these, counted from 1.
const ENGLISH: [Program; 10] = [
    Program::Flite("slt"),
    Program::Flite("rms"),
    Program::Flite("awb"),
    Program::Flite("kal16"),
    Program::Festival("cmu_us_slt_arctic_hts"),
    Program::Festival("ked_diphone"),
    Program::Festival("kal_diphone"),
    Program::Espeak("en-us", "160"),
    Program::Espeak("en-gb+f3", "155"),
    Program::Espeak("en-us+f4", "150"),
];
const SPANISH: [Program; 4] = [
    Program::Espeak("es-419", "150"),
    Program::Espeak("es-419+f3", "150"),
    Program::Espeak("es", "155"),
    Program::Espeak("es+f4", "145"),
];

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Voice(Program);

impl Voice {
    /// The voice of a place; places beyond the last begin again.
    #[must_use]
    pub fn of(language: Language, place: usize) -> Self {
        let all: &[Program] = match language {
            Language::En => &ENGLISH,
            Language::Es => &SPANISH,
        };
        Self(all[place.saturating_sub(1) % all.len()])
    }

    #[must_use]
    pub fn name(self) -> String {
        match self.0 {
            Program::Flite(voice) => format!("flite {voice}"),
            Program::Festival(voice) => format!("festival {voice}"),
            Program::Espeak(voice, _) => format!("espeak-ng {voice}"),
        }
    }

    fn speak(self, text: &str, wav: &Path) -> Result<()> {
        let mut command = match self.0 {
            Program::Flite(voice) => {
                let mut flite = Command::new("flite");
                flite.args(["-voice", voice, "-t", text, "-o"]).arg(wav);
                flite
            }
            Program::Espeak(voice, speed) => {
                let mut espeak = Command::new("espeak-ng");
                espeak.args(["-v", voice, "-s", speed, "-w"]).arg(wav).arg(text);
                espeak
            }
            Program::Festival(voice) => {
                let mut festival = Command::new("text2wave");
                festival.args(["-eval", &format!("(voice_{voice})"), "-o"]).arg(wav);
                festival
            }
        };
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().with_context(
                || format!("{} is missing: scripts/install.sh dialogs brings it", self.name()),
            )?;
        if let (Program::Festival(_), Some(mut stdin)) = (self.0, child.stdin.take()) {
            use std::io::Write as _;
            stdin.write_all(text.as_bytes())?;
        }
        let status = child.wait()?;
        ensure!(status.success(), "{} could not say {text:?}", self.name());
        Ok(())
    }
}

/// Speech that was made once is not made again.
#[derive(Debug)]
pub struct Booth {
    folder: PathBuf,
}

/// A stretch of an utterance at 8 kHz.
#[derive(Clone, Debug, PartialEq)]
pub enum Sound {
    Speech(Vec<f32>),
    /// Samples.
    Pause(usize),
    Keys(Vec<char>),
}

impl Booth {
    /// # Errors
    /// The folder cannot be made.
    pub fn open(folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        Ok(Self { folder: folder.to_path_buf() })
    }

    /// An utterance as it sounds. Words between two pauses are spoken as one sentence of their own.
    ///
    /// # Errors
    /// The voice is missing, or failed.
    pub fn sounds(&self, voice: Voice, said: &Utterance) -> Result<Vec<Sound>> {
        let mut sounds = Vec::with_capacity(said.pieces.len());
        for (at, piece) in said.pieces.iter().enumerate() {
            sounds.push(match piece {
                Piece::Words(words) => {
                    let goes_on = matches!(said.pieces.get(at + 1), Some(Piece::Pause(_)));
                    let open = goes_on && words.ends_with(char::is_alphanumeric);
                    // The voice stays up where the sentence goes on.
                    let words = if open { format!("{words},") } else { words.clone() };
                    Sound::Speech(self.speech(voice, &words)?)
                }
                Piece::Pause(ms) => Sound::Pause(usize::try_from(*ms)? * PER_MS),
                Piece::Keys(keys) => Sound::Keys(keys.clone()),
            });
        }
        Ok(sounds)
    }

    /// Where these words are kept.
    pub(super) fn place(&self, voice: Voice, text: &str) -> PathBuf {
        self.folder.join(format!("{:016x}.wav", key(&format!("{}\n{text}", voice.name()))))
    }

    fn speech(&self, voice: Voice, text: &str) -> Result<Vec<f32>> {
        let wav = self.place(voice, text);
        if !wav.exists() {
            // Another run may make the same: each its own, and the last one stays.
            let new = self.folder.join(format!("new.{}.wav", uuid::Uuid::new_v4().simple()));
            voice.speak(text, &new)?;
            std::fs::rename(&new, &wav)?;
        }
        let frames = audio::read(&wav)?;
        let mut pcm = Vec::new();
        frames.iter().for_each(|frame| mulaw_to_f32(frame.bytes(), &mut pcm));
        let pcm = audible(&pcm);
        if pcm.is_empty() {
            bail!("{} says nothing of {text:?}", voice.name());
        }
        Ok(at_level(pcm, LEVEL_DBFS - rms_dbfs(pcm)))
    }
}

/// FNV-1a: the same in every version.
fn key(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_beyond_the_last_begin_again() {
        assert_eq!(Voice::of(Language::Es, 1), Voice::of(Language::Es, 5));
        assert_ne!(Voice::of(Language::En, 1), Voice::of(Language::En, 2));
    }
}
