//! What a caller says, as samples with the words in them: telephone prompts, synthesised sentences, and the noise of
//! a line. Samples are in -1..1 at 8 kHz.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use pipeline::audio::g711::{f32_to_mulaw, mulaw_to_f32};
use pipeline::audio::level::rms_dbfs;
use pipeline::ports::{Language, TextToSpeech, TtsCommand, TtsEvent};
use pipeline::turn::{ReplySegment, SegmentId, SegmentKind, TurnId, WordTime};
use telephony::media::{AudioFrame, FRAME_BYTES, MULAW_SILENCE};

/// Samples of a millisecond.
pub const PER_MS: usize = 8;
/// Speech begins and ends with the first and last hundredth of a second that is louder than this.
const AUDIBLE_DBFS: f32 = -45.0;
const HUNDREDTH: usize = 10 * PER_MS;
/// A cut through running speech is sought this far around the end of a word, and made softer over this time.
const CUT_SPAN_MS: usize = 60;
const FADE_MS: usize = 8;

/// One word and when it is said, ms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    pub from_ms: u64,
    pub to_ms: u64,
}

/// Speech without the silence around it, and its words.
#[derive(Clone, Debug, Default)]
pub struct Clip {
    pub pcm: Vec<f32>,
    pub words: Vec<Word>,
}

impl Clip {
    /// Speech that says this. Words are spread over it by their letters.
    #[must_use]
    pub fn new(pcm: &[f32], text: &str) -> Self {
        let pcm = audible(pcm).to_vec();
        let words = spread(text, length_ms(&pcm));
        Self { pcm, words }
    }

    #[must_use]
    pub fn ms(&self) -> u64 {
        length_ms(&self.pcm)
    }

    /// What is said, in one line.
    #[must_use]
    pub fn text(&self) -> String {
        self.words.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// One of the telephone prompts and its transcript.
#[derive(Debug)]
pub struct Prompts {
    root: std::path::PathBuf,
    transcripts: String,
}

impl Prompts {
    /// # Errors
    /// The prompts are not there.
    pub fn open(root: &Path) -> Result<Self> {
        let root = root.join("target/prompts");
        ensure!(
            root.join("en/vm-no.wav").is_file() && root.join("en.txt").is_file(),
            "the telephone prompts are missing in {}: `make bench` brings them (scripts/prompts.sh alone, too)",
            root.display()
        );
        // The transcripts are in Latin 1.
        let transcripts = std::fs::read(root.join("en.txt"))?.into_iter().map(char::from).collect();
        Ok(Self { root, transcripts })
    }

    /// What a prompt says, as its transcript has it.
    ///
    /// # Errors
    /// No such prompt.
    pub fn text(&self, name: &str) -> Result<&str> {
        let line = self.transcripts.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(':'));
        Ok(line.with_context(|| format!("the prompt {name} has no transcript"))?.trim())
    }

    /// Samples of a prompt as recorded, silence and all.
    ///
    /// # Errors
    /// No such prompt.
    pub fn sound(&self, name: &str) -> Result<Vec<f32>> {
        let path = self.root.join("en").join(format!("{name}.wav"));
        let mut wav =
            hound::WavReader::open(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        Ok(wav.samples::<i16>().map(|s| s.map(|s| f32::from(s) / 32_768.0)).collect::<Result<_, _>>()?)
    }
}

/// Says a text with a voice of ours: the samples, silence and all, and when each word is said.
///
/// # Errors
/// The voice failed.
pub async fn say(voice: &dyn TextToSpeech, text: &str) -> Result<(Vec<f32>, Vec<WordTime>)> {
    let mut stream = voice.open(&Language::En.into())?;
    let id = SegmentId { turn: TurnId(1), index: 0 };
    let segment = ReplySegment { id, text: text.to_owned(), kind: SegmentKind::Reply, fixed: false };
    stream.commands.send(TtsCommand::Speak(segment)).await?;
    let mut pcm = Vec::new();
    loop {
        match stream.events.recv().await.context("the voice ended")? {
            TtsEvent::Audio { mulaw, .. } => mulaw_to_f32(&mulaw, &mut pcm),
            TtsEvent::Done { words, .. } => return Ok((pcm, words)),
            TtsEvent::Failed { failure, .. } => bail!("the voice could not say {text:?}: {failure}"),
            TtsEvent::Provider(_) | TtsEvent::Used(_) => {}
        }
    }
}

/// Cuts a spoken sentence into pieces where its text has a `|`, each at the quietest place near that word's end: a
/// caller who stops in mid-sentence, with the intonation of one who means to go on.
#[must_use]
pub fn cut(pcm: &[f32], times: &[WordTime], marked: &str) -> Vec<Clip> {
    let parts: Vec<&str> = marked.split('|').map(str::trim).collect();
    let counts: Vec<usize> = parts.iter().map(|p| p.split_whitespace().count()).collect();
    let all: usize = counts.iter().sum();
    let known = times.len() == all;
    let spread = spread(&parts.join(" "), length_ms(pcm));
    let (mut said, mut from, mut clips) = (0, 0, Vec::new());
    for (part, count) in parts.iter().zip(&counts) {
        said += count;
        let to = if said == all {
            pcm.len()
        } else {
            let end_ms = if known { u64::from(times[said - 1].end_ms) } else { spread[said - 1].to_ms };
            quietest(pcm, end_ms as usize * PER_MS).max(from)
        };
        let mut piece = pcm[from..to].to_vec();
        fade(&mut piece);
        clips.push(Clip::new(&piece, part));
        from = to;
    }
    clips
}

/// Louder or softer by so many decibels.
#[must_use]
pub fn at_level(pcm: &[f32], decibels: f32) -> Vec<f32> {
    let factor = 10f32.powf(decibels / 20.0);
    pcm.iter().map(|s| s * factor).collect()
}

/// Adds one sound to another from this sample on, as far as the other goes.
pub fn mix(into: &mut [f32], from: usize, sound: &[f32]) {
    for (a, b) in into.iter_mut().skip(from).zip(sound) {
        *a += b;
    }
}

/// Noise of a line: hiss with less of the high tones, and a little mains hum.
#[must_use]
pub fn line_noise(samples: usize, dbfs: f32, seed: u64) -> Vec<f32> {
    let mut dice = Dice::new(seed);
    let mut low = 0.0;
    let mut pcm: Vec<f32> = (0..samples)
        .map(|i| {
            low += 0.5 * (dice.sample() - low);
            low + 0.1 * (i as f32 * std::f32::consts::TAU * 60.0 / 8_000.0).sin()
        })
        .collect();
    let correction = dbfs - rms_dbfs(&pcm);
    pcm = at_level(&pcm, correction);
    pcm
}

/// 20 ms frames; the last is filled up with silence.
#[must_use]
pub fn frames(pcm: &[f32]) -> Vec<AudioFrame> {
    let mut codes = Vec::with_capacity(pcm.len());
    f32_to_mulaw(pcm, &mut codes);
    let frame = |part: &[u8]| {
        let mut frame = [MULAW_SILENCE; FRAME_BYTES];
        frame[..part.len()].copy_from_slice(part);
        AudioFrame(frame)
    };
    codes.chunks(FRAME_BYTES).map(frame).collect()
}

/// The same numbers for the same seed.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x2545_F491_4F6C_DD1D)
    }

    pub const fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 16
    }

    /// Evenly from -1 to 1.
    pub fn sample(&mut self) -> f32 {
        (self.next() & 0xFFFF) as f32 / 32_768.0 - 1.0
    }
}

/// Playing time, ms.
#[must_use]
pub const fn length_ms(pcm: &[f32]) -> u64 {
    (pcm.len() / PER_MS) as u64
}

/// From the first to the last audible hundredth of a second.
#[must_use]
pub fn audible(pcm: &[f32]) -> &[f32] {
    let loud = |chunk: &[f32]| rms_dbfs(chunk) > AUDIBLE_DBFS;
    let chunks = pcm.chunks(HUNDREDTH);
    let Some(first) = chunks.clone().position(loud) else { return &[] };
    let last = chunks.clone().rposition(loud).unwrap_or(first);
    &pcm[first * HUNDREDTH..((last + 1) * HUNDREDTH).min(pcm.len())]
}

/// Words over a time, each as long as its letters and digits.
fn spread(text: &str, ms: u64) -> Vec<Word> {
    // A digit is said as a word.
    let weight = |word: &str| {
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        (letters + 4 * word.chars().filter(char::is_ascii_digit).count() + 1) as u64
    };
    let all: u64 = text.split_whitespace().map(weight).sum();
    let mut before = 0;
    let word = |text: &str| {
        let from_ms = before * ms / all.max(1);
        before += weight(text);
        Word { text: text.to_owned(), from_ms, to_ms: before * ms / all.max(1) }
    };
    text.split_whitespace().map(word).collect()
}

/// The quietest sample position near this one.
fn quietest(pcm: &[f32], near: usize) -> usize {
    quietest_within(pcm, near, CUT_SPAN_MS)
}

/// The same, no more than so many ms away.
#[must_use]
pub fn quietest_within(pcm: &[f32], near: usize, span_ms: usize) -> usize {
    let span = span_ms * PER_MS;
    let width = 10 * PER_MS;
    let last = (near + span).min(pcm.len().saturating_sub(width));
    (near.saturating_sub(span).min(last)..=last)
        .step_by(width / 2)
        .min_by(|&a, &b| rms_dbfs(&pcm[a..a + width]).total_cmp(&rms_dbfs(&pcm[b..b + width])))
        .map_or(near.min(pcm.len()), |at| at + width / 2)
}

/// A piece that was cut out of speech, without a click at either end.
#[must_use]
pub fn faded(pcm: &[f32]) -> Vec<f32> {
    let mut pcm = pcm.to_vec();
    fade(&mut pcm);
    pcm
}

/// A cut makes no click.
fn fade(pcm: &mut [f32]) {
    let width = (FADE_MS * PER_MS).min(pcm.len() / 2);
    for i in 0..width {
        let share = i as f32 / width as f32;
        pcm[i] *= share;
        let last = pcm.len() - 1 - i;
        pcm[last] *= share;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tone(ms: usize) -> Vec<f32> {
        (0..ms * PER_MS).map(|i| 0.3 * (i as f32 * 0.5).sin()).collect()
    }

    #[test]
    fn silence_around_speech_is_left_off_to_the_hundredth_of_a_second() {
        let mut pcm = vec![0.0; 100 * PER_MS];
        pcm.extend(tone(500));
        pcm.resize(pcm.len() + 200 * PER_MS, 0.0);
        assert_eq!(length_ms(audible(&pcm)), 500);
        assert!(audible(&[0.0; 800]).is_empty());
    }

    #[test]
    fn a_sentence_is_cut_in_the_gap_nearest_to_the_word() {
        let mut pcm = tone(400);
        pcm.resize(pcm.len() + 40 * PER_MS, 0.0);
        pcm.extend(tone(600));
        let time = |text: &str, start_ms, end_ms| WordTime { text: text.into(), start_ms, end_ms };
        let times = [time("one", 0, 390), time("two", 450, 700), time("three", 700, 1_040)];
        let clips = cut(&pcm, &times, "one | two three");
        assert_eq!(clips.iter().map(Clip::text).collect::<Vec<_>>(), ["one", "two three"]);
        assert!(clips[0].ms().abs_diff(400) <= 20, "{}", clips[0].ms());
        assert!(clips[1].ms().abs_diff(600) <= 20, "{}", clips[1].ms());
        assert_eq!(clips[1].words[1].to_ms, clips[1].ms());
    }

    #[test]
    fn words_are_spread_in_order_to_the_very_end() {
        let words = spread("I have 3 dogs.", 1_000);
        assert_eq!(words.len(), 4);
        assert!(words.windows(2).all(|w| w[0].to_ms == w[1].from_ms));
        assert_eq!(words[3].to_ms, 1_000);
    }

    #[test]
    fn line_noise_has_the_level_that_was_asked_for() {
        assert!((rms_dbfs(&line_noise(8_000, -42.0, 3)) + 42.0).abs() < 0.1);
    }
}
