//! The single-use token that ties a media stream to the webhook that asked for it.
//!
//! A carrier's own signature may have neither time nor nonce; this token has both, and names the tenant and call
//! that the stream belongs to.

use std::collections::{BTreeSet, HashSet};

use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;

use crate::error::TokenError;

/// Longest life of a token, seconds.
pub const MAX_LIFE_S: u64 = 60;
/// Longest token, characters; the carrier carries fewer than 500 in a parameter, name included.
pub const MAX_TOKEN_CHARS: usize = 480;

/// What a stream is for. A token of one kind is worth nothing for another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TokenKind {
    /// The call itself, both ways.
    #[default]
    Call,
    /// Both sides of a talk, to be listened to.
    Notes,
}

impl TokenKind {
    /// Keeps its signatures apart from any other use of the key.
    const fn domain(self) -> &'static [u8] {
        match self {
            Self::Call => b"quandura-voice stream token 1\0",
            Self::Notes => b"quandura-voice notes token 1\0",
        }
    }
}

const MAC_BYTES: usize = 32;

/// What a token says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StreamClaims {
    /// UUID of the tenant, as text.
    pub tenant: String,
    /// UUID of the call, as text.
    pub call: String,
    /// The line that was called, E.164.
    pub line: String,
    /// The carrier's id of the call; `start` must name the same.
    pub carrier_call: String,
    /// Unique per token.
    pub nonce: String,
    /// Seconds since 1970; at most [`MAX_LIFE_S`] after the issue.
    pub expires_unix: u64,
}

/// Makes and checks tokens.
#[derive(Debug)]
pub struct TokenSigner {
    key: SecretString,
    skew_s: u64,
    kind: TokenKind,
}

impl TokenSigner {
    /// `key` should hold at least 32 random bytes as text.
    #[must_use]
    pub const fn new(key: SecretString) -> Self {
        Self { key, skew_s: 0, kind: TokenKind::Call }
    }

    /// Accepts tokens whose issue lies up to so many seconds in the future, as when the clock of the issuer is ahead of
    /// ours or ours was set back in between.
    #[must_use]
    pub fn with_skew(self, skew_s: u64) -> Self {
        Self { skew_s, ..self }
    }

    /// Makes and checks tokens of this kind alone.
    #[must_use]
    pub fn of_kind(self, kind: TokenKind) -> Self {
        Self { kind, ..self }
    }

    /// Gives the token: `claims.mac`, both URL-safe base64 without padding, at most [`MAX_TOKEN_CHARS`] long.
    ///
    /// # Errors
    /// [`TokenError::Expired`] or [`TokenError::TooLongLived`] when `expires_unix` is not within 60 s after
    /// `now_unix`, [`TokenError::TooLong`] when the claims are.
    pub fn issue(&self, claims: &StreamClaims, now_unix: u64) -> Result<String, TokenError> {
        check_life(claims, now_unix, 0)?;
        let fields = (
            &claims.tenant,
            &claims.call,
            &claims.line,
            &claims.carrier_call,
            &claims.nonce,
            claims.expires_unix,
        );
        let body = serde_json::to_vec(&fields).map_err(|_| TokenError::Malformed)?;
        let mut token = String::new();
        base64_simd::URL_SAFE_NO_PAD.encode_append(&body, &mut token);
        token.push('.');
        let mac = self.mac(&body).finalize().into_bytes();
        base64_simd::URL_SAFE_NO_PAD.encode_append(mac.as_slice(), &mut token);
        if token.len() > MAX_TOKEN_CHARS { Err(TokenError::TooLong) } else { Ok(token) }
    }

    /// Gives the claims of a token that is ours and has not expired. Whether it was used is for [`NonceLedger`].
    ///
    /// # Errors
    /// Any [`TokenError`] but `Replayed` and `Full`.
    pub fn verify(&self, token: &str, now_unix: u64) -> Result<StreamClaims, TokenError> {
        if token.len() > MAX_TOKEN_CHARS {
            return Err(TokenError::Malformed);
        }
        let (body, mac) = token.split_once('.').ok_or(TokenError::Malformed)?;
        let body = decode(body)?;
        let mac = decode(mac)?;
        if mac.len() != MAC_BYTES {
            return Err(TokenError::Malformed);
        }
        // The comparison inside takes the same time wherever the first difference is.
        self.mac(&body).verify_slice(&mac).map_err(|_| TokenError::BadMac)?;
        let (tenant, call, line, carrier_call, nonce, expires_unix) =
            serde_json::from_slice(&body).map_err(|_| TokenError::Malformed)?;
        let claims = StreamClaims { tenant, call, line, carrier_call, nonce, expires_unix };
        check_life(&claims, now_unix, self.skew_s)?;
        Ok(claims)
    }

    fn mac(&self, body: &[u8]) -> Hmac<Sha256> {
        keyed(self.key.expose_secret().as_bytes()).chain_update(self.kind.domain()).chain_update(body)
    }
}

/// HMAC takes keys of any length.
fn keyed(key: &[u8]) -> Hmac<Sha256> {
    Hmac::<Sha256>::new_from_slice(key).unwrap_or_else(|_| unreachable!("HMAC takes keys of any length"))
}

fn decode(part: &str) -> Result<Vec<u8>, TokenError> {
    base64_simd::URL_SAFE_NO_PAD.decode_to_vec(part).map_err(|_| TokenError::Malformed)
}

fn check_life(claims: &StreamClaims, now_unix: u64, skew_s: u64) -> Result<(), TokenError> {
    match claims.expires_unix.checked_sub(now_unix) {
        None | Some(0) => Err(TokenError::Expired),
        Some(life) if life > MAX_LIFE_S.saturating_add(skew_s) => Err(TokenError::TooLongLived),
        Some(_) => Ok(()),
    }
}

/// Register of used nonces. Bounded: it forgets those that expired and refuses when it is full of live ones.
#[derive(Debug)]
pub struct NonceLedger {
    capacity: usize,
    used: HashSet<String>,
    by_expiry: BTreeSet<(u64, String)>,
    /// Latest time given. A clock set back must not bring a forgotten nonce back to life.
    latest_unix: u64,
}

impl NonceLedger {
    /// Holds up to `capacity` live nonces: calls started per minute at most.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self { capacity, used: HashSet::new(), by_expiry: BTreeSet::new(), latest_unix: 0 }
    }

    /// Live nonces held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.used.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.used.is_empty()
    }

    /// Uses up the nonce of verified claims.
    ///
    /// # Errors
    /// [`TokenError::Replayed`] when it was used, [`TokenError::Expired`] when it is too old to tell,
    /// [`TokenError::Full`] when there is no room.
    pub fn spend(&mut self, claims: &StreamClaims, now_unix: u64) -> Result<(), TokenError> {
        self.latest_unix = self.latest_unix.max(now_unix);
        let now_unix = self.latest_unix;
        self.forget(now_unix);
        if self.used.contains(&claims.nonce) {
            return Err(TokenError::Replayed);
        }
        if claims.expires_unix <= now_unix {
            return Err(TokenError::Expired);
        }
        if self.used.len() >= self.capacity {
            return Err(TokenError::Full);
        }
        self.used.insert(claims.nonce.clone());
        self.by_expiry.insert((claims.expires_unix, claims.nonce.clone()));
        Ok(())
    }

    fn forget(&mut self, now_unix: u64) {
        while self.by_expiry.first().is_some_and(|(expires, _)| *expires <= now_unix) {
            if let Some((_, nonce)) = self.by_expiry.pop_first() {
                self.used.remove(&nonce);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const NOW: u64 = 1_800_000_000;

    #[test]
    fn a_token_of_one_kind_is_worth_nothing_for_another() {
        let notes = TokenSigner::new("a key of thirty-two bytes or more".into()).of_kind(TokenKind::Notes);
        let (call_token, notes_token) =
            (signer().issue(&claims(), NOW).unwrap(), notes.issue(&claims(), NOW).unwrap());
        assert_eq!(notes.verify(&call_token, NOW), Err(TokenError::BadMac));
        assert_eq!(signer().verify(&notes_token, NOW), Err(TokenError::BadMac));
        assert!(notes.verify(&notes_token, NOW).is_ok());
    }

    #[test]
    fn a_token_from_a_clock_ahead_is_good_within_the_skew() {
        let token = signer().issue(&claims(), NOW).unwrap();
        let tolerant = TokenSigner::new("a key of thirty-two bytes or more".into()).with_skew(30);
        assert!(tolerant.verify(&token, NOW - 30).is_ok());
        assert_eq!(tolerant.verify(&token, NOW - 31).unwrap_err(), TokenError::TooLongLived);
        assert_eq!(signer().verify(&token, NOW - 1).unwrap_err(), TokenError::TooLongLived);
    }

    fn signer() -> TokenSigner {
        TokenSigner::new("a key of thirty-two bytes or more".into())
    }

    fn claims() -> StreamClaims {
        StreamClaims {
            tenant: "0190f3a2-1111-7000-8000-000000000001".into(),
            call: "0190f3a2-2222-7000-8000-000000000002".into(),
            line: "+15005550010".into(),
            carrier_call: "CA00000000000000000000000000000002".into(),
            nonce: "0123456789abcdef0123456789abcdef".into(),
            expires_unix: NOW + 60,
        }
    }

    #[test]
    fn a_token_says_what_was_put_in_and_fits_a_parameter() {
        let token = signer().issue(&claims(), NOW).unwrap();
        assert!(token.len() < 400, "{}", token.len());
        assert!(token.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)));
        assert_eq!(signer().verify(&token, NOW + 59), Ok(claims()));
        assert_eq!(signer().verify(&token, NOW + 60), Err(TokenError::Expired));
    }

    #[test]
    fn no_altered_token_passes() {
        let token = signer().issue(&claims(), NOW).unwrap();
        for at in 0..token.len() {
            let mut altered = token.clone().into_bytes();
            altered[at] = if altered[at] == b'A' { b'B' } else { b'A' };
            assert!(signer().verify(std::str::from_utf8(&altered).unwrap(), NOW).is_err(), "at {at}");
        }
        let other = TokenSigner::new("another key".into());
        assert_eq!(other.verify(&token, NOW), Err(TokenError::BadMac));
        for nonsense in ["", ".", "a.b", &token[1..], &"x".repeat(600), "é.é"] {
            assert!(signer().verify(nonsense, NOW).is_err());
        }
    }

    #[test]
    fn lives_and_lengths_are_bounded() {
        let long = StreamClaims { expires_unix: NOW + 61, ..claims() };
        assert_eq!(signer().issue(&long, NOW), Err(TokenError::TooLongLived));
        assert_eq!(signer().issue(&claims(), NOW + 60), Err(TokenError::Expired));
        let wide = StreamClaims { line: "9".repeat(300), ..claims() };
        assert_eq!(signer().issue(&wide, NOW), Err(TokenError::TooLong));
        // Ours, but from a clock that is far ahead.
        let ahead = signer().issue(&long, NOW + 1).unwrap();
        assert_eq!(signer().verify(&ahead, NOW), Err(TokenError::TooLongLived));
    }

    #[test]
    fn a_nonce_works_once() {
        let mut ledger = NonceLedger::new(2);
        let named =
            |nonce: &str, expires_unix| StreamClaims { nonce: nonce.into(), expires_unix, ..claims() };
        assert_eq!(ledger.spend(&named("a", NOW + 10), NOW), Ok(()));
        assert_eq!(ledger.spend(&named("a", NOW + 10), NOW), Err(TokenError::Replayed));
        assert_eq!(ledger.spend(&named("b", NOW + 60), NOW), Ok(()));
        assert_eq!(ledger.spend(&named("c", NOW + 60), NOW), Err(TokenError::Full));
        // The first is forgotten, and too old to be used again; not even when the clock is set back.
        assert_eq!(ledger.spend(&named("c", NOW + 60), NOW + 10), Ok(()));
        assert_eq!(ledger.spend(&named("a", NOW + 10), NOW + 10), Err(TokenError::Expired));
        assert_eq!(ledger.spend(&named("a", NOW + 10), NOW), Err(TokenError::Expired));
        assert_eq!(ledger.len(), 2);
    }
}
