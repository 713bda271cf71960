//! Sound files in and out: any WAV to the telephone's 8 kHz mu-law, and back to WAV.

use std::f64::consts::PI;
use std::path::Path;

use anyhow::{Context, bail};
use hound::{SampleFormat, WavReader, WavSpec, WavWriter};
use pipeline::audio::g711::{f32_to_mulaw, mulaw_decode};
use telephony::media::{AudioFrame, SAMPLE_RATE_HZ};

use crate::providers::frames;

/// WAV format tag of mu-law, which `hound` does not read.
const FORMAT_MULAW: u16 = 7;
/// Zero crossings of the resampler's kernel on each side.
const KERNEL: f64 = 24.0;

/// Reads a WAV file of any rate, one or more channels, 8–32 bit or float, or 8 kHz mu-law, as frames.
pub fn read(path: &Path) -> anyhow::Result<Vec<AudioFrame>> {
    let bytes = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mulaw = match mulaw_data(&bytes) {
        Some(data) => data.to_vec(),
        None => {
            let (samples, rate) =
                linear(&bytes).with_context(|| format!("{} is no WAV file", path.display()))?;
            let mut mulaw = Vec::new();
            f32_to_mulaw(&resample(&samples, rate, SAMPLE_RATE_HZ), &mut mulaw);
            mulaw
        }
    };
    if mulaw.is_empty() {
        bail!("{} holds no sound", path.display());
    }
    Ok(frames(&mulaw))
}

/// The bytes of a mono 8 kHz mu-law file.
fn mulaw_data(wav: &[u8]) -> Option<&[u8]> {
    if wav.get(..4)? != b"RIFF" || wav.get(8..12)? != b"WAVE" {
        return None;
    }
    let u16_at = |at: usize| Some(u16::from_le_bytes(wav.get(at..at + 2)?.try_into().ok()?));
    let u32_at = |at: usize| Some(u32::from_le_bytes(wav.get(at..at + 4)?.try_into().ok()?));
    let (mut at, mut ours) = (12, false);
    loop {
        let length = usize::try_from(u32_at(at + 4)?).ok()?;
        let body = at + 8;
        match wav.get(at..at + 4)? {
            b"fmt " => {
                ours = u16_at(body)? == FORMAT_MULAW
                    && u16_at(body + 2)? == 1
                    && u32_at(body + 4)? == SAMPLE_RATE_HZ;
            }
            b"data" if ours => return wav.get(body..(body + length).min(wav.len())),
            b"data" => return None,
            _ => {}
        }
        at = body + length + length % 2;
    }
}

/// Samples of all channels mixed to one, and their rate.
fn linear(wav: &[u8]) -> anyhow::Result<(Vec<f32>, u32)> {
    let mut reader = WavReader::new(wav)?;
    let spec = reader.spec();
    let interleaved: Vec<f32> = match spec.sample_format {
        SampleFormat::Float => reader.samples::<f32>().collect::<Result<_, _>>()?,
        SampleFormat::Int => {
            let full = (1_i64 << (spec.bits_per_sample - 1)) as f32;
            reader.samples::<i32>().map(|s| s.map(|s| s as f32 / full)).collect::<Result<_, _>>()?
        }
    };
    let channels = usize::from(spec.channels.max(1));
    let mono = interleaved.chunks(channels).map(|frame| frame.iter().sum::<f32>() / channels as f32);
    Ok((mono.collect(), spec.sample_rate))
}

/// Windowed-sinc resampling. Exact rather than fast: it runs once a file.
fn resample(input: &[f32], from: u32, to: u32) -> Vec<f32> {
    if from == to || input.is_empty() {
        return input.to_vec();
    }
    let step = f64::from(from) / f64::from(to);
    // Downwards the kernel widens, so that nothing above the new band folds back into it.
    let cutoff = (1.0 / step).min(1.0) * 0.95;
    let reach = KERNEL / cutoff;
    let length = (input.len() as f64 / step).floor() as usize;
    let sample_at = |n: usize| {
        let centre = n as f64 * step;
        let first = (centre - reach).ceil().max(0.0) as usize;
        let last = ((centre + reach).floor() as usize).min(input.len() - 1);
        let weigh = |i: usize| f64::from(input[i]) * kernel((i as f64 - centre) * cutoff) * cutoff;
        (first..=last).map(weigh).sum::<f64>() as f32
    };
    (0..length).map(sample_at).collect()
}

/// Sinc under a Hann window over [`KERNEL`] zero crossings.
fn kernel(x: f64) -> f64 {
    if x.abs() < 1e-9 {
        return 1.0;
    }
    let window = 0.5 + 0.5 * (PI * x / KERNEL).cos();
    (PI * x).sin() / (PI * x) * window
}

/// Writes one leg as a mono WAV file.
pub fn write_mono(path: &Path, heard: &[AudioFrame]) -> anyhow::Result<()> {
    let mut file = create(path, 1)?;
    for byte in heard.iter().flat_map(AudioFrame::bytes) {
        file.write_sample(mulaw_decode(*byte))?;
    }
    file.finalize().with_context(|| format!("{} cannot be written", path.display()))
}

/// Writes both legs as a stereo WAV file: caller left, answer right.
pub fn write_stereo(path: &Path, said: &[AudioFrame], heard: &[AudioFrame]) -> anyhow::Result<()> {
    let mut file = create(path, 2)?;
    for (left, right) in said.iter().zip(heard) {
        push_stereo(&mut file, left, right)?;
    }
    file.finalize().with_context(|| format!("{} cannot be written", path.display()))
}

/// A WAV file being written.
pub type Writer = WavWriter<std::io::BufWriter<std::fs::File>>;

/// Starts a WAV file of 16 bits at 8 kHz.
pub fn create(path: &Path, channels: u16) -> anyhow::Result<Writer> {
    let spec = WavSpec {
        channels,
        sample_rate: SAMPLE_RATE_HZ,
        bits_per_sample: 16,
        sample_format: SampleFormat::Int,
    };
    WavWriter::create(path, spec).with_context(|| format!("{} cannot be written", path.display()))
}

/// Appends 20 ms of both legs.
pub fn push_stereo(file: &mut Writer, left: &AudioFrame, right: &AudioFrame) -> anyhow::Result<()> {
    for (left, right) in left.bytes().iter().zip(right.bytes()) {
        file.write_sample(mulaw_decode(*left))?;
        file.write_sample(mulaw_decode(*right))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tone(rate: u32, hz: f64, seconds: f64) -> Vec<f32> {
        let samples = (f64::from(rate) * seconds) as usize;
        (0..samples).map(|n| (0.5 * (2.0 * PI * hz * n as f64 / f64::from(rate)).sin()) as f32).collect()
    }

    fn power(samples: &[f32]) -> f32 {
        samples.iter().map(|s| s * s).sum::<f32>() / samples.len() as f32
    }

    #[test]
    fn resampling_keeps_speech_and_removes_what_the_telephone_cannot_carry() {
        for rate in [16_000, 24_000, 44_100, 48_000] {
            let kept = resample(&tone(rate, 1_000.0, 0.5), rate, 8_000);
            assert!((3_990..=4_000).contains(&kept.len()), "{rate}: {}", kept.len());
            assert!((power(&kept) - 0.125).abs() < 0.005, "{rate}: {}", power(&kept));
            let removed = resample(&tone(rate, 6_000.0, 0.5), rate, 8_000);
            assert!(power(&removed[200..3_800]) < 1e-5, "{rate}: {}", power(&removed));
        }
    }

    #[test]
    fn a_stereo_file_of_another_rate_becomes_frames() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("in.wav");
        let spec = WavSpec {
            channels: 2,
            sample_rate: 44_100,
            bits_per_sample: 16,
            sample_format: SampleFormat::Int,
        };
        let mut file = WavWriter::create(&path, spec).unwrap();
        for sample in tone(44_100, 440.0, 0.2) {
            file.write_sample((sample * 32_767.0) as i16).unwrap();
            file.write_sample((sample * 32_767.0) as i16).unwrap();
        }
        file.finalize().unwrap();
        let frames = read(&path).unwrap();
        assert_eq!(frames.len(), 10);
        assert!(crate::caller::playback::is_audible(&frames[4]));
    }

    #[test]
    fn a_file_that_is_no_sound_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("in.wav");
        std::fs::write(&path, "hello").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("in.wav"));
    }
}
