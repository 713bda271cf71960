//! Attenuation of mu-law audio by table, without leaving the code.

use crate::media::FRAME_BYTES;

const BIAS: i32 = 0x84;
const CLIP: i32 = 32_635;

/// Gain tables by halvings: entry `n` is about `6 n` dB quieter.
static QUIETER: [[u8; 256]; 4] = [table(0), table(1), table(2), table(3)];

/// Makes a frame quieter by about 6 dB per halving; silence beyond the tables.
pub(crate) fn attenuate(frame: &mut [u8; FRAME_BYTES], halvings: usize) {
    let Some(table) = QUIETER.get(halvings) else {
        frame.fill(crate::media::MULAW_SILENCE);
        return;
    };
    for code in frame {
        *code = table[usize::from(*code)];
    }
}

const fn table(halvings: u32) -> [u8; 256] {
    let mut out = [0; 256];
    let mut code = 0;
    while code < 256 {
        out[code] = encode(decode(code as u8) / (1 << halvings));
        code += 1;
    }
    out
}

pub(crate) const fn decode(code: u8) -> i32 {
    let bits = !code;
    let exponent = (bits >> 4) & 7;
    let mantissa = (bits & 15) as i32;
    let level = (((mantissa << 3) + BIAS) << exponent) - BIAS;
    if bits & 0x80 == 0 { level } else { -level }
}

pub(crate) const fn encode(sample: i32) -> u8 {
    let sign: u8 = if sample < 0 { 0x80 } else { 0 };
    let magnitude = sample.abs();
    let level = if magnitude > CLIP { CLIP } else { magnitude } + BIAS;
    let mut exponent = 7;
    while exponent > 0 && level & (0x80 << exponent) == 0 {
        exponent -= 1;
    }
    let mantissa = ((level >> (exponent + 3)) & 15) as u8;
    !(sign | ((exponent as u8) << 4) | mantissa)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codec_is_its_own_inverse() {
        for code in 0..=255u8 {
            // Negative zero comes back as zero.
            let expected = if code == 0x7F { 0xFF } else { code };
            assert_eq!(encode(decode(code)), expected);
        }
    }

    #[test]
    fn two_halvings_are_twelve_decibels() {
        for code in 0..=255u8 {
            let (before, after) = (decode(code), decode(QUIETER[2][usize::from(code)]));
            assert!((before / 4 - after).abs() <= (before / 4).abs() / 16 + 4, "{before} -> {after}");
        }
    }
}
