//! A recording as Ogg Opus (RFC 7845) and back: the one file that knows libopus.
//!
//! Two channels at 8 kHz: the caller left, the agent right. Most of the time one side is silent, so 32 kbit/s for both is
//! four times smaller than mu-law and keeps the sides apart.

use audiopus::coder::{Decoder, Encoder};
use audiopus::{Application, Bitrate, Channels, MutSignals, SampleRate, Signal, packet::Packet};
use ogg::reading::PacketReader;
use ogg::writing::{PacketWriteEndInfo, PacketWriter};
use telephony::media::FRAME_BYTES;

use super::sound::Sound;

const BITRATE: i32 = 32_000;
/// Half of what libopus can do: a job beside the calls has time, and not all of it.
const COMPLEXITY: u8 = 5;
/// Opus counts in 48 kHz whatever the rate is.
const GRANULE: u64 = 48_000 / 8_000;
/// A packet of 20 ms at this rate is far shorter.
const LONGEST_PACKET: usize = 1_275;
/// One second a page: what a player seeks by.
const PACKETS_A_PAGE: u64 = 50;
const SERIAL: u32 = 1;
/// Samples of one packet.
const STEP: usize = FRAME_BYTES;

/// Why a recording could not be encoded or decoded.
#[derive(Debug, thiserror::Error)]
pub enum OpusError {
    #[error("libopus: {0}")]
    Codec(#[from] audiopus::Error),
    #[error("ogg: {0}")]
    Write(#[from] std::io::Error),
    #[error("ogg: {0}")]
    Read(#[from] ogg::OggReadError),
    #[error("this is no recording of ours")]
    Foreign,
}

/// Encodes a whole recording.
///
/// # Errors
/// When libopus refuses, which it has no reason to.
pub fn encode(sound: &Sound) -> Result<Vec<u8>, OpusError> {
    let mut encoder = Encoder::new(SampleRate::Hz8000, Channels::Stereo, Application::Voip)?;
    encoder.set_bitrate(Bitrate::BitsPerSecond(BITRATE))?;
    encoder.set_complexity(COMPLEXITY)?;
    encoder.set_signal(Signal::Voice)?;
    let skip = u64::from(encoder.lookahead()?) * GRANULE;
    let mut writer = PacketWriter::new(Vec::new());
    writer.write_packet(head(skip), SERIAL, PacketWriteEndInfo::EndPage, 0)?;
    writer.write_packet(tags(), SERIAL, PacketWriteEndInfo::EndPage, 0)?;
    let length = sound.caller.len() as u64 * GRANULE;
    // So many that the last sample comes out after what the encoder looks ahead.
    let packets = (length + skip).div_ceil(STEP as u64 * GRANULE).max(1);
    let mut samples = sound.samples().flatten();
    let mut packet = [0; LONGEST_PACKET];
    for n in 1..=packets {
        let mut pcm = [0; STEP * 2];
        pcm.iter_mut().zip(&mut samples).for_each(|(to, from)| *to = from);
        let bytes = encoder.encode(&pcm, &mut packet)?;
        let end = match n {
            n if n == packets => PacketWriteEndInfo::EndStream,
            n if n % PACKETS_A_PAGE == 0 => PacketWriteEndInfo::EndPage,
            _ => PacketWriteEndInfo::NormalPacket,
        };
        // The last page says where the sound really ends.
        let granule = (n * STEP as u64 * GRANULE).min(length + skip);
        writer.write_packet(packet[..bytes].to_vec(), SERIAL, end, granule)?;
    }
    Ok(writer.into_inner())
}

/// The samples of one that [`encode`] made: the caller's and the agent's in turn.
///
/// # Errors
/// When it is none.
pub fn decode(file: &[u8]) -> Result<Vec<i16>, OpusError> {
    let mut reader = PacketReader::new(std::io::Cursor::new(file));
    let head = reader.read_packet()?.ok_or(OpusError::Foreign)?;
    if head.data.len() < 19 || !head.data.starts_with(b"OpusHead") || head.data[9] != 2 {
        return Err(OpusError::Foreign);
    }
    let skip = usize::from(u16::from_le_bytes([head.data[10], head.data[11]])) / GRANULE as usize;
    reader.read_packet()?.ok_or(OpusError::Foreign)?;
    let mut decoder = Decoder::new(SampleRate::Hz8000, Channels::Stereo)?;
    let (mut samples, mut end) = (Vec::new(), 0);
    while let Some(packet) = reader.read_packet()? {
        let mut pcm = [0; STEP * 2];
        let count = decoder.decode(
            Some(Packet::try_from(&packet.data[..])?),
            MutSignals::try_from(&mut pcm[..])?,
            false,
        )?;
        samples.extend_from_slice(&pcm[..(count * 2).min(pcm.len())]);
        end = usize::try_from(packet.absgp_page() / GRANULE).unwrap_or(usize::MAX);
    }
    samples.truncate(end.saturating_mul(2));
    samples.drain(..(skip * 2).min(samples.len()));
    Ok(samples)
}

fn head(skip: u64) -> Vec<u8> {
    let mut head = b"OpusHead\x01\x02".to_vec();
    head.extend_from_slice(&u16::try_from(skip).unwrap_or(u16::MAX).to_le_bytes());
    head.extend_from_slice(&8_000_u32.to_le_bytes());
    // No gain; two channels as they are.
    head.extend_from_slice(&[0, 0, 0]);
    head
}

fn tags() -> Vec<u8> {
    let mut tags = b"OpusTags".to_vec();
    tags.extend_from_slice(&8_u32.to_le_bytes());
    tags.extend_from_slice(b"quandura");
    tags.extend_from_slice(&0_u32.to_le_bytes());
    tags
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::cast_possible_truncation)]
    use super::*;
    use crate::audio::g711::mulaw_encode;
    use crate::recording::two_sides::Segment;

    /// Something like a voice: a buzz of 140 Hz whose loudness comes and goes.
    fn voice(seconds: usize, from: f64, to: f64) -> Vec<u8> {
        let sample = |n: usize| {
            let t = n as f64 / 8_000.0;
            let buzz: f64 = (1..18)
                .map(|k| (t * 140.0 * f64::from(k) * std::f64::consts::TAU).sin() / f64::from(k))
                .sum();
            let loud = if (from..to).contains(&t) {
                0.5 + 0.5 * (t * 4.0 * std::f64::consts::TAU).sin()
            } else {
                0.0
            };
            mulaw_encode((buzz * loud * 5_000.0) as i16)
        };
        (0..seconds * 8_000).map(sample).collect()
    }

    fn energy(samples: impl Iterator<Item = i16>) -> f64 {
        samples.map(|s| f64::from(s).powi(2)).sum()
    }

    #[test]
    fn a_recording_keeps_its_length_its_sides_and_its_sound_and_is_four_times_smaller() {
        let (caller, agent) = (voice(6, 1.0, 3.0), voice(6, 3.5, 5.5));
        let mut sound = Sound::default();
        sound.add(&Segment { from: 0, caller, agent });
        let file = encode(&sound).unwrap();
        assert!(file.len() < 6 * 8_000 * 2 / 4, "{} bytes", file.len());
        let back = decode(&file).unwrap();
        assert_eq!(back.len(), 6 * 8_000 * 2);
        let side = |n: usize| back.iter().skip(n).step_by(2).copied();
        let (own, leak) =
            (energy(side(0).skip(8_000).take(16_000)), energy(side(1).skip(8_000).take(16_000)));
        let apart = 10.0 * (own / leak.max(1.0)).log10();
        assert!(apart > 15.0, "the caller is {apart:.1} dB over themselves on the agent's side");
        let original: Vec<f64> = sound.samples().map(|s| f64::from(s[0])).collect();
        let heard: Vec<f64> = side(0).map(f64::from).collect();
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let alike = dot(&original, &heard) / (dot(&original, &original) * dot(&heard, &heard)).sqrt();
        assert!(alike > 0.7, "correlation {alike:.2} at the same place");
        assert!(decode(b"OggS").is_err());
    }

    #[test]
    fn nothing_is_a_recording_too() {
        let file = encode(&Sound::default()).unwrap();
        assert!(decode(&file).unwrap().is_empty());
    }
}
