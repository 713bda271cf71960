//! Voices that are not ours, for callers: programs of Debian (`espeak-ng`, `flite`, `festival`), where they are installed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, ensure};

use crate::clips::{at_level, audible};
use pipeline::audio::level::rms_dbfs;

/// Speech of callers is brought to this level, dBFS.
const LEVEL_DBFS: f32 = -22.0;
/// Half the width of the filter that changes the rate, samples of the slower side.
const TAPS: f64 = 16.0;

/// One voice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// `espeak-ng` with this voice, at so many words a minute.
    Espeak(&'static str, u32),
    Flite(&'static str),
    /// `text2wave` with this voice.
    Festival(&'static str),
}

/// Those that thresholds and weights were found with, and those that only the held-out half hears.
pub const DEV: [Voice; 5] = [
    Voice::Espeak("en-us", 165),
    Voice::Flite("slt"),
    Voice::Flite("rms"),
    Voice::Espeak("en-us+f3", 150),
    Voice::Flite("kal16"),
];
pub const HELD_OUT: [Voice; 5] = [
    Voice::Festival("cmu_us_slt_arctic_hts"),
    Voice::Flite("awb"),
    Voice::Espeak("en-gb+m3", 160),
    Voice::Festival("kal_diphone"),
    Voice::Espeak("en-gb-scotland", 155),
];

impl Voice {
    /// Says a text: samples at 8 kHz without the silence around them.
    ///
    /// # Errors
    /// The program is not installed or failed.
    pub fn say(self, text: &str) -> Result<Vec<f32>> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("turn-voice-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let wav = std::env::temp_dir().join(format!("{name}.wav"));
        let said = std::env::temp_dir().join(format!("{name}.txt"));
        std::fs::write(&said, text)?;
        let outcome = self.run(&said, &wav).and_then(|()| read(&wav));
        let _ = (std::fs::remove_file(&wav), std::fs::remove_file(&said));
        let pcm = outcome.with_context(|| format!("{self:?} could not say {text:?}"))?;
        let pcm = audible(&at_level(&pcm, LEVEL_DBFS - rms_dbfs(&pcm))).to_vec();
        ensure!(!pcm.is_empty(), "{self:?} said nothing for {text:?}");
        Ok(at_level(&pcm, LEVEL_DBFS - rms_dbfs(&pcm)))
    }

    fn run(self, said: &Path, wav: &PathBuf) -> Result<()> {
        let mut command = match self {
            Self::Espeak(voice, speed) => {
                let mut command = Command::new("espeak-ng");
                command.args(["-v", voice, "-s", &speed.to_string(), "-w"]).arg(wav).arg("-f").arg(said);
                command
            }
            Self::Flite(voice) => {
                let mut command = Command::new("flite");
                command.args(["-voice", voice, "-f"]).arg(said).arg("-o").arg(wav);
                command
            }
            Self::Festival(voice) => {
                let mut command = Command::new("text2wave");
                command.args(["-eval", &format!("(voice_{voice})"), "-o"]).arg(wav).arg(said);
                command
            }
        };
        let done =
            command.output().context("espeak-ng, flite and festival bring foreign voices: install them")?;
        ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        Ok(())
    }
}

fn read(wav: &Path) -> Result<Vec<f32>> {
    let mut reader = hound::WavReader::open(wav)?;
    let rate = reader.spec().sample_rate;
    let pcm: Vec<f32> =
        reader.samples::<i16>().map(|s| s.map(|s| f32::from(s) / 32_768.0)).collect::<Result<_, _>>()?;
    Ok(to_8k(&pcm, rate))
}

/// Any rate of 8 kHz or more to 8 kHz, by a windowed sinc.
fn to_8k(pcm: &[f32], rate: u32) -> Vec<f32> {
    let step = f64::from(rate) / 8_000.0;
    let reach = TAPS * step;
    let sample = |n: usize| {
        let at = n as f64 * step;
        let (from, to) = ((at - reach).ceil().max(0.0) as usize, (at + reach) as usize);
        let mut sum = 0.0;
        for (i, s) in pcm.iter().enumerate().take(to + 1).skip(from) {
            let x = (i as f64 - at) / step;
            let sinc =
                if x == 0.0 { 1.0 } else { (std::f64::consts::PI * x).sin() / (std::f64::consts::PI * x) };
            sum += f64::from(*s) * sinc * (0.5 + 0.5 * (std::f64::consts::PI * x / TAPS).cos());
        }
        (sum / step) as f32
    };
    (0..(pcm.len() as f64 / step) as usize).map(sample).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tone_keeps_its_pitch_and_level_and_one_above_the_band_is_gone() {
        let tone = |hz: f64| -> Vec<f32> {
            (0..22_050)
                .map(|i| (0.3 * (i as f64 / 22_050.0 * hz * std::f64::consts::TAU).sin()) as f32)
                .collect()
        };
        let low = to_8k(&tone(500.0), 22_050);
        let crossings = low.windows(2).filter(|w| w[0] < 0.0 && w[1] >= 0.0).count();
        assert!((495..=505).contains(&crossings), "{crossings}");
        assert!((rms_dbfs(&low) - rms_dbfs(&tone(500.0))).abs() < 0.5);
        assert!(rms_dbfs(&to_8k(&tone(5_000.0), 22_050)) < -50.0);
    }
}
