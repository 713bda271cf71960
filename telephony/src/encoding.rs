//! What the media streams of carriers have in common: base64 of mu-law, the names of our marks, JSON text.

use std::fmt::Write as _;

use crate::error::StreamError;
use crate::media::MarkId;

/// Decodes a payload, replacing what `out` held.
///
/// # Errors
/// [`StreamError::PayloadTooLarge`] over `limit` bytes, [`StreamError::BadBase64`] when it is not padded
/// standard base64.
pub fn decode_payload(payload: &str, limit: usize, out: &mut Vec<u8>) -> Result<(), StreamError> {
    out.clear();
    if payload.len() / 4 * 3 > limit + 2 {
        return Err(StreamError::PayloadTooLarge(limit));
    }
    base64_simd::STANDARD.decode_append(payload, out).map_err(|_| StreamError::BadBase64)?;
    if out.len() > limit { Err(StreamError::PayloadTooLarge(limit)) } else { Ok(()) }
}

/// Appends a payload.
pub fn push_payload(out: &mut String, mulaw: &[u8]) {
    base64_simd::STANDARD.encode_append(mulaw, out);
}

/// Name of a mark on the wire: `m` and its number.
pub fn push_mark_name(out: &mut String, mark: MarkId) {
    out.push('m');
    push_number(out, mark.0);
}

/// The mark of a name on the wire; `None` when it is not one of ours.
#[must_use]
pub fn mark_of_name(name: &str) -> Option<MarkId> {
    let digits = name.strip_prefix('m')?;
    let canonical = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    canonical.then(|| digits.parse().ok().map(MarkId)).flatten()
}

pub(crate) fn push_number(out: &mut String, number: u64) {
    // Writing to a String cannot fail.
    let _ = write!(out, "{number}");
}

/// Appends text as a JSON string, quotes included.
pub(crate) fn push_json(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_are_checked_for_size_and_alphabet() {
        let mut out = Vec::new();
        let four = "AAAAAA==";
        assert_eq!(decode_payload(four, 4, &mut out), Ok(()));
        assert_eq!(decode_payload(four, 3, &mut out), Err(StreamError::PayloadTooLarge(3)));
        for bad in ["AAAAAA", "AA=A", "A A=", "-_==", "§"] {
            assert_eq!(decode_payload(bad, 100, &mut out), Err(StreamError::BadBase64), "{bad}");
        }
    }

    #[test]
    fn only_our_own_mark_names_are_marks() {
        assert_eq!(mark_of_name("m18446744073709551615"), Some(MarkId(u64::MAX)));
        for other in ["", "m", "12", "m0", "m012", "m-1", "m+1", "m18446744073709551616", "utt-7-end"] {
            assert_eq!(mark_of_name(other), None, "{other}");
        }
    }
}
