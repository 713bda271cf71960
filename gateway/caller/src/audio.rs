//! Sound files in and out: any WAV to the telephone's 8 kHz mu-law, and back to WAV.

use std::f64::consts::PI;
use std::path::Path;

use anyhow::{Context, bail};
use hound::{SampleFormat, WavReader, WavSpec, WavWriter};
use pipeline::audio::g711::{f32_to_mulaw, mulaw_decode};
use telephony::media::{AudioFrame, SAMPLE_RATE_HZ};

use telephony::media::frames;

/// WAV format tag of mu-law, which `hound` does not read.
const FORMAT_MULAW: u16 = 7;
/// Zero crossings of the resampler's kernel on each side.
const KERNEL: f64 = 24.0;

/// Reads a WAV file of any rate, one or more channels, 8–32 bit or float, or 8 kHz mu-law, as frames. Several
/// channels are mixed.
pub fn read(path: &Path) -> anyhow::Result<Vec<AudioFrame>> {
    let (channels, rate) = channels(path)?;
    let Some((first, others)) = channels.split_first() else { bail!("{} holds no sound", path.display()) };
    let mut mixed = first.clone();
    for other in others {
        mixed.iter_mut().zip(other).for_each(|(sum, sample)| *sum += sample);
    }
    mixed.iter_mut().for_each(|sum| *sum /= channels.len() as f32);
    Ok(telephone(&mixed, rate))
}

/// Reads a recorded call: the caller, and the answers when the file has a second channel.
pub fn read_legs(path: &Path) -> anyhow::Result<(Vec<AudioFrame>, Option<Vec<AudioFrame>>)> {
    let (channels, rate) = channels(path)?;
    match channels.as_slice() {
        [caller] => Ok((telephone(caller, rate), None)),
        [caller, agent] => Ok((telephone(caller, rate), Some(telephone(agent, rate)))),
        more => bail!(
            "{} has {} channels: give one (the caller) or two (caller left, answer right)",
            path.display(),
            more.len()
        ),
    }
}

fn telephone(samples: &[f32], rate: u32) -> Vec<AudioFrame> {
    let mut mulaw = Vec::new();
    f32_to_mulaw(&resample(samples, rate, SAMPLE_RATE_HZ), &mut mulaw);
    frames(&mulaw)
}

/// Samples of each channel, and their rate. Never without sound.
fn channels(path: &Path) -> anyhow::Result<(Vec<Vec<f32>>, u32)> {
    let bytes = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let (interleaved, channels, rate) = match mulaw_data(&bytes) {
        Some((data, channels)) => {
            (data.iter().map(|b| f32::from(mulaw_decode(*b)) / 32_768.0).collect(), channels, SAMPLE_RATE_HZ)
        }
        None => linear(&bytes).with_context(|| format!("{} is no WAV file", path.display()))?,
    };
    if interleaved.is_empty() {
        bail!("{} holds no sound", path.display());
    }
    let one = |n: usize| interleaved.iter().skip(n).step_by(channels).copied().collect();
    Ok(((0..channels).map(one).collect(), rate))
}

/// The bytes of an 8 kHz mu-law file, and how many channels they hold in turn.
fn mulaw_data(wav: &[u8]) -> Option<(&[u8], usize)> {
    if wav.get(..4)? != b"RIFF" || wav.get(8..12)? != b"WAVE" {
        return None;
    }
    let u16_at = |at: usize| Some(u16::from_le_bytes(wav.get(at..at + 2)?.try_into().ok()?));
    let u32_at = |at: usize| Some(u32::from_le_bytes(wav.get(at..at + 4)?.try_into().ok()?));
    let (mut at, mut ours) = (12, None);
    loop {
        let length = usize::try_from(u32_at(at + 4)?).ok()?;
        let body = at + 8;
        match wav.get(at..at + 4)? {
            b"fmt " => {
                let is_ours = u16_at(body)? == FORMAT_MULAW && u32_at(body + 4)? == SAMPLE_RATE_HZ;
                ours = is_ours.then_some(usize::from(u16_at(body + 2)?)).filter(|channels| *channels > 0);
            }
            b"data" => return Some((wav.get(body..(body + length).min(wav.len()))?, ours?)),
            _ => {}
        }
        at = body + length + length % 2;
    }
}

/// Samples of all channels in turn, how many channels there are, and the rate.
fn linear(wav: &[u8]) -> anyhow::Result<(Vec<f32>, usize, u32)> {
    let mut reader = WavReader::new(wav)?;
    let spec = reader.spec();
    let interleaved: Vec<f32> = match spec.sample_format {
        SampleFormat::Float => reader.samples::<f32>().collect::<Result<_, _>>()?,
        SampleFormat::Int => {
            let full = (1_i64 << (spec.bits_per_sample - 1)) as f32;
            reader.samples::<i32>().map(|s| s.map(|s| s as f32 / full)).collect::<Result<_, _>>()?
        }
    };
    Ok((interleaved, usize::from(spec.channels.max(1)), spec.sample_rate))
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
        assert!(crate::playback::is_audible(&frames[4]));
    }

    #[test]
    fn the_legs_of_a_recorded_call_stay_apart() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("call.wav");
        let (left, right) = (vec![AudioFrame([0x20; 160]); 5], vec![AudioFrame::SILENCE; 5]);
        write_stereo(&path, &left, &right).unwrap();
        assert_eq!(read_legs(&path).unwrap(), (left.clone(), Some(right)));
        write_mono(&path, &left).unwrap();
        assert_eq!(read_legs(&path).unwrap(), (left, None));
    }

    #[test]
    fn a_mu_law_file_comes_through_unchanged() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("in.wav");
        let codes: Vec<u8> = (0..320_u16).map(|n| (n % 256) as u8).collect();
        let mut wav =
            b"RIFF\0\0\0\0WAVEfmt \x12\0\0\0\x07\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0\0\0".to_vec();
        wav.extend(b"data\x40\x01\0\0");
        wav.extend(&codes);
        std::fs::write(&path, &wav).unwrap();
        let read: Vec<u8> = read(&path).unwrap().iter().flat_map(|f| f.0).collect();
        // 0x7F is silence from below; it comes back as silence from above.
        let expected: Vec<u8> =
            codes.into_iter().map(|code| if code == 0x7F { 0xFF } else { code }).collect();
        assert_eq!(read, expected);
    }

    #[test]
    fn a_file_that_is_no_sound_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("in.wav");
        std::fs::write(&path, "hello").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("in.wav"));
    }
}
