//! G.711 mu-law and A-law, both ways, by tables computed at compile time.
//!
//! Linear samples are 16-bit; as `f32` they lie in -1..1, where 1 is 32768.

/// Mu-law code to linear sample.
static MULAW_DECODE: [i16; 256] = mulaw_decode_table();
/// A-law code to linear sample.
static ALAW_DECODE: [i16; 256] = alaw_decode_table();
/// Magnitude / 4 to the low seven mu-law bits, before inversion. The two lowest bits never matter.
static MULAW_ENCODE: [u8; 8192] = mulaw_encode_table();
/// Magnitude / 16 to the low seven A-law bits, before inversion of the even bits.
static ALAW_ENCODE: [u8; 2048] = alaw_encode_table();

const MULAW_BIAS: i32 = 0x84;
/// Largest magnitude that mu-law can hold.
const MULAW_CLIP: i32 = 32_635;

/// Decodes one mu-law byte.
#[must_use]
pub fn mulaw_decode(code: u8) -> i16 {
    MULAW_DECODE[usize::from(code)]
}

/// Encodes one linear sample as mu-law. Zero gives `0xFF`.
#[must_use]
pub fn mulaw_encode(sample: i16) -> u8 {
    let magnitude = usize::from(sample.unsigned_abs().min(32_767));
    let sign = if sample < 0 { 0x80 } else { 0 };
    !(MULAW_ENCODE[magnitude >> 2] | sign)
}

/// Decodes one A-law byte.
#[must_use]
pub fn alaw_decode(code: u8) -> i16 {
    ALAW_DECODE[usize::from(code)]
}

/// Encodes one linear sample as A-law. Zero gives `0xD5`.
#[must_use]
pub fn alaw_encode(sample: i16) -> u8 {
    // A-law has no zero: negative samples are mirrored about -1/2, as in the ITU reference code.
    let magnitude = if sample < 0 { !sample } else { sample };
    let sign = if sample < 0 { 0 } else { 0x80 };
    (ALAW_ENCODE[usize::from(magnitude.unsigned_abs()) >> 4] | sign) ^ 0x55
}

/// Appends mu-law bytes as samples in -1..1.
pub fn mulaw_to_f32(codes: &[u8], out: &mut Vec<f32>) {
    out.extend(codes.iter().map(|&c| f32::from(mulaw_decode(c)) / 32_768.0));
}

/// Appends samples in -1..1 as mu-law bytes; what lies outside is clipped.
pub fn f32_to_mulaw(samples: &[f32], out: &mut Vec<u8>) {
    out.extend(samples.iter().map(|&s| mulaw_encode(f32_to_i16(s))));
}

/// One sample in -1..1 as 16-bit, clipped.
#[must_use]
pub fn f32_to_i16(sample: f32) -> i16 {
    // The cast saturates and maps NaN to 0.
    (sample * 32_768.0).round() as i16
}

const fn mulaw_decode_table() -> [i16; 256] {
    let mut table = [0; 256];
    let mut code = 0;
    while code < 256 {
        let bits = !(code as u8);
        let mantissa = ((bits & 0x0F) as i32) << 3;
        let value = ((mantissa + MULAW_BIAS) << ((bits >> 4) & 7)) - MULAW_BIAS;
        table[code] = if bits & 0x80 == 0 { value as i16 } else { -(value as i16) };
        code += 1;
    }
    table
}

const fn mulaw_encode_table() -> [u8; 8192] {
    let mut table = [0; 8192];
    let mut quarter = 0;
    while quarter < 8192 {
        let magnitude = (quarter as i32) << 2;
        let biased = (if magnitude > MULAW_CLIP { MULAW_CLIP } else { magnitude }) + MULAW_BIAS;
        // Bit 7 is the lowest that can lead, since the bias has it set.
        let exponent = 24 - biased.leading_zeros() as i32;
        table[quarter] = ((exponent << 4) | ((biased >> (exponent + 3)) & 0x0F)) as u8;
        quarter += 1;
    }
    table
}

const fn alaw_decode_table() -> [i16; 256] {
    let mut table = [0; 256];
    let mut code = 0;
    while code < 256 {
        let bits = (code as u8) ^ 0x55;
        let exponent = ((bits >> 4) & 7) as i32;
        let mantissa = ((bits & 0x0F) as i32) << 4;
        let value = if exponent == 0 { mantissa + 8 } else { (mantissa + 0x108) << (exponent - 1) };
        table[code] = if bits & 0x80 == 0 { -(value as i16) } else { value as i16 };
        code += 1;
    }
    table
}

const fn alaw_encode_table() -> [u8; 2048] {
    let mut table = [0; 2048];
    let mut step = 0;
    while step < 2048 {
        let value = step as i32;
        table[step] = if value < 16 {
            value as u8
        } else {
            let exponent = 28 - value.leading_zeros() as i32;
            ((exponent << 4) | ((value >> (exponent - 1)) & 0x0F)) as u8
        };
        step += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference values of ITU-T G.711, tables 1a to 2b (scaled to 16 bits).
    #[test]
    fn decodes_reference_values() {
        for (code, value) in
            [(0x80, 32_124), (0x00, -32_124), (0xFF, 0), (0x7F, 0), (0xFE, 8), (0x8F, 16_764)]
        {
            assert_eq!(mulaw_decode(code), value, "mu-law {code:#x}");
        }
        for (code, value) in [(0xD5, 8), (0x55, -8), (0xAA, 32_256), (0x2A, -32_256), (0xD4, 24)] {
            assert_eq!(alaw_decode(code), value, "A-law {code:#x}");
        }
    }

    #[test]
    fn every_code_survives_a_round_trip() {
        for code in 0..=255u8 {
            // Mu-law has two zeros; the encoder uses the positive one.
            let expected = if code == 0x7F { 0xFF } else { code };
            assert_eq!(mulaw_encode(mulaw_decode(code)), expected);
            assert_eq!(alaw_encode(alaw_decode(code)), code);
        }
    }

    #[test]
    fn every_sample_takes_the_nearest_code() {
        let nearest = |s: i16, decode: fn(u8) -> i16| {
            (0..=255u8).map(|c| (i32::from(decode(c)) - i32::from(s)).abs()).min().unwrap_or(0)
        };
        for s in (i16::MIN..=i16::MAX).step_by(37) {
            // At a step's edge the standard's truncation may be off by the step's rounding.
            let slack = 8 + (i32::from(s).abs() >> 6);
            let mu = (i32::from(mulaw_decode(mulaw_encode(s))) - i32::from(s)).abs();
            assert!(mu <= nearest(s, mulaw_decode) + slack, "mu-law {s}: off by {mu}");
            let a = (i32::from(alaw_decode(alaw_encode(s))) - i32::from(s)).abs();
            assert!(a <= nearest(s, alaw_decode) + slack, "A-law {s}: off by {a}");
        }
    }

    #[test]
    fn extremes_are_clipped() {
        assert_eq!(mulaw_encode(i16::MIN), 0x00);
        assert_eq!(mulaw_encode(i16::MAX), 0x80);
        assert_eq!(alaw_encode(i16::MIN), 0x2A);
        assert_eq!(alaw_encode(i16::MAX), 0xAA);
        let mut out = Vec::new();
        f32_to_mulaw(&[2.0, -2.0, f32::NAN, 0.0], &mut out);
        assert_eq!(out, [0x80, 0x00, 0xFF, 0xFF]);
    }
}
