//! `telnyx-signature-ed25519`: that a request comes from the carrier.
//!
//! It signs the time and the raw body, joined by a bar, with a key whose public half the account's console shows
//! (<https://developers.telnyx.com/docs/development/sdk/python/webhooks>). The address is not signed, and a GET has no body:
//! only a POST can be believed.

use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};

use crate::carrier::{CarrierRequest, RequestBody};
use crate::error::SignatureError;

pub const SIGNATURE_HEADER: &str = "telnyx-signature-ed25519";
/// Seconds since 1970 at which it was signed.
pub const TIME_HEADER: &str = "telnyx-timestamp";
/// How old, or how far ahead, a signature may be: as the carrier's own libraries have it.
const TOLERANCE_S: u64 = 300;

/// The account's key.
#[derive(Clone, Copy, Debug)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// Reads the key as the console shows it: base64 of 32 bytes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = base64_simd::STANDARD.decode_to_vec(text.trim()).ok()?;
        bytes.try_into().ok().map(Self)
    }

    /// Checks a request.
    ///
    /// # Errors
    /// Any [`SignatureError`].
    pub fn verify(&self, request: &CarrierRequest<'_>) -> Result<&'static str, SignatureError> {
        if matches!(request.body, RequestBody::Empty | RequestBody::Upgrade) {
            return Err(SignatureError::Missing);
        }
        let given = request.header(SIGNATURE_HEADER).ok_or(SignatureError::Missing)?;
        let time = request.header(TIME_HEADER).ok_or(SignatureError::Missing)?;
        let given = base64_simd::STANDARD
            .decode_to_vec(given.trim().as_bytes())
            .map_err(|_| SignatureError::Malformed)?;
        let signed_at: u64 = time.trim().parse().map_err(|_| SignatureError::Malformed)?;
        let message = signed(time, request.body.raw());
        let key = UnparsedPublicKey::new(&ED25519, &self.0);
        key.verify(&message, &given).map_err(|_| SignatureError::Mismatch)?;
        if signed_at.abs_diff(request.now_unix) > TOLERANCE_S {
            return Err(SignatureError::Stale);
        }
        Ok("ed25519")
    }
}

/// What is signed. Written by those, too, who stand in for the carrier.
#[must_use]
pub fn signed(time: &str, body: &[u8]) -> Vec<u8> {
    [time.as_bytes(), b"|", body].concat()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Made with OpenSSL from the secret of 32 bytes of 1, over `1700000000|CallSid=v3%3A1&CallStatus=ringing`.
    const KEY: &str = "iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w=";
    const SIGNATURE: &str =
        "vvfERlY2yns2ZMDaBH5meobCSLOGxiUEKTDr9IzCkQqcxjfgibxXpDcCTPu/Rh71y+VpdqIpTBpDPSagRzl0DA==";
    const BODY: &[u8] = b"CallSid=v3%3A1&CallStatus=ringing";
    const TIME: &str = "1700000000";
    const NOW: u64 = 1_700_000_000;

    fn verify(
        signature: &str,
        time: &str,
        raw: &[u8],
        now_unix: u64,
    ) -> Result<&'static str, SignatureError> {
        let headers = [("Telnyx-Signature-Ed25519", signature), ("Telnyx-Timestamp", time)];
        let body = RequestBody::Form { fields: &[], raw };
        let url = "https://gw.example.com/telnyx/voice";
        PublicKey::parse(KEY).unwrap().verify(&CarrierRequest { url, headers: &headers, body, now_unix })
    }

    #[test]
    fn a_signed_body_is_believed_for_five_minutes() {
        assert_eq!(verify(SIGNATURE, TIME, BODY, NOW), Ok("ed25519"));
        for (now, outcome) in [
            (NOW + 300, Ok("ed25519")),
            (NOW - 300, Ok("ed25519")),
            (NOW + 301, Err(SignatureError::Stale)),
            (NOW - 301, Err(SignatureError::Stale)),
        ] {
            assert_eq!(verify(SIGNATURE, TIME, BODY, now), outcome, "{now}");
        }
    }

    #[test]
    fn another_body_time_or_signature_is_not() {
        let altered = b"CallSid=v3%3A2&CallStatus=ringing";
        assert_eq!(verify(SIGNATURE, TIME, altered, NOW), Err(SignatureError::Mismatch));
        assert_eq!(verify(SIGNATURE, "1700000001", BODY, NOW), Err(SignatureError::Mismatch));
        assert_eq!(verify(SIGNATURE, "soon", BODY, NOW), Err(SignatureError::Malformed));
        assert_eq!(verify("§§", TIME, BODY, NOW), Err(SignatureError::Malformed));
        for short in ["", "AAAA"] {
            assert_eq!(verify(short, TIME, BODY, NOW), Err(SignatureError::Mismatch), "{short}");
        }
    }

    #[test]
    fn without_a_body_nothing_is_believed() {
        let headers = [(SIGNATURE_HEADER, SIGNATURE), (TIME_HEADER, TIME)];
        for body in [RequestBody::Empty, RequestBody::Upgrade] {
            let request = CarrierRequest { url: "", headers: &headers, body, now_unix: NOW };
            assert_eq!(PublicKey::parse(KEY).unwrap().verify(&request), Err(SignatureError::Missing));
        }
        let bare = CarrierRequest { url: "", headers: &[], body: RequestBody::Json(BODY), now_unix: NOW };
        assert_eq!(PublicKey::parse(KEY).unwrap().verify(&bare), Err(SignatureError::Missing));
    }

    #[test]
    fn a_key_is_32_bytes() {
        for odd in ["", "AAAA", "not base64!", &KEY[..40]] {
            assert!(PublicKey::parse(odd).is_none(), "{odd}");
        }
    }
}
