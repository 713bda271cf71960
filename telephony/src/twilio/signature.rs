//! `X-Twilio-Signature`: that a request comes from the carrier.
//!
//! The signature covers the full URL as the carrier was given it and, for a form, its decoded fields. It has no
//! time and no nonce; replay is the stream token's business.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha1::Sha1;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::carrier::{CarrierRequest, RequestBody};
use crate::error::SignatureError;

/// Header with the signature.
pub const SIGNATURE_HEADER: &str = "X-Twilio-Signature";
/// Header that names another key and hash than the default.
pub const SETTINGS_HEADER: &str = "X-Twilio-Webhooks-Signature-Settings";

/// Secrets that the carrier may sign with.
#[derive(Debug)]
pub struct SigningKeys {
    auth_token: SecretString,
    /// Shared keys by id.
    shared: Vec<(String, SecretString)>,
}

/// A hash the carrier may sign with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Algorithm {
    Sha1,
    Sha256,
}

impl SigningKeys {
    /// `auth_token` is the account's primary token as the console shows it.
    #[must_use]
    pub const fn new(auth_token: SecretString) -> Self {
        Self { auth_token, shared: Vec::new() }
    }

    /// Also accepts signatures with a shared key of this id.
    #[must_use]
    pub fn with_shared(mut self, id: String, secret: SecretString) -> Self {
        self.shared.push((id, secret));
        self
    }

    /// Checks a request. Gives which form of the URL matched: `as_given`, `without_port`, `with_port`, or one of
    /// these with `_slash`.
    ///
    /// # Errors
    /// Any [`SignatureError`].
    pub fn verify(&self, request: &CarrierRequest<'_>) -> Result<&'static str, SignatureError> {
        let given = request.header(SIGNATURE_HEADER).ok_or(SignatureError::Missing)?;
        let given = base64_simd::STANDARD
            .decode_to_vec(given.trim().as_bytes())
            .map_err(|_| SignatureError::Malformed)?;
        let (key, algorithm) = self.key(request.header(SETTINGS_HEADER))?;
        if let RequestBody::Json(body) = request.body {
            check_body(request.url, body)?;
        }
        let fields = match request.body {
            RequestBody::Form { fields, .. } => signed_fields(fields),
            _ => String::new(),
        };
        let upgrade = matches!(request.body, RequestBody::Upgrade);
        candidates(request.url, upgrade)
            .into_iter()
            .find(|(_, url)| algorithm.matches(key, &[url.as_bytes(), fields.as_bytes()], &given))
            .map(|(form, _)| form)
            .ok_or(SignatureError::Mismatch)
    }

    fn key(&self, settings: Option<&str>) -> Result<(&SecretString, Algorithm), SignatureError> {
        let setting = |name: &str| {
            let mut pairs = settings.into_iter().flat_map(|s| s.split(',')).filter_map(|p| p.split_once('='));
            pairs.find(|(n, _)| n.trim() == name).map(|(_, value)| value.trim())
        };
        let algorithm = match setting("algorithm") {
            None => return Ok((&self.auth_token, Algorithm::Sha1)),
            Some("HMAC_SHA1") => Algorithm::Sha1,
            Some("HMAC_SHA256") => Algorithm::Sha256,
            Some(_) => return Err(SignatureError::UnknownAlgorithm),
        };
        let id = setting("key").ok_or(SignatureError::UnknownKey)?;
        let (_, secret) = self.shared.iter().find(|(i, _)| i == id).ok_or(SignatureError::UnknownKey)?;
        Ok((secret, algorithm))
    }
}

impl Algorithm {
    /// Compares in a time that does not depend on where the first difference is.
    fn matches(self, key: &SecretString, parts: &[&[u8]], given: &[u8]) -> bool {
        let key = key.expose_secret().as_bytes();
        match self {
            Self::Sha1 => Hmac::<Sha1>::new_from_slice(key).is_ok_and(|mac| check(mac, parts, given)),
            Self::Sha256 => Hmac::<Sha256>::new_from_slice(key).is_ok_and(|mac| check(mac, parts, given)),
        }
    }
}

fn check(mut mac: impl Mac, parts: &[&[u8]], given: &[u8]) -> bool {
    parts.iter().for_each(|part| mac.update(part));
    mac.verify_slice(given).is_ok()
}

/// Signs a request as the carrier does, for clients that stand in for it. `fields` are empty unless it is a form.
#[must_use]
pub fn sign(auth_token: &SecretString, url: &str, fields: &[(String, String)]) -> String {
    let key = auth_token.expose_secret().as_bytes();
    // HMAC takes keys of any length; an empty signature is refused like any wrong one.
    Hmac::<Sha1>::new_from_slice(key).map_or_else(
        |_| String::new(),
        |mac| {
            let mac = mac.chain_update(url).chain_update(signed_fields(fields)).finalize().into_bytes();
            base64_simd::STANDARD.encode_to_string(mac.as_slice())
        },
    )
}

/// Names and values in byte order of the names; of a repeated name, its distinct values in order.
fn signed_fields(fields: &[(String, String)]) -> String {
    let mut sorted = BTreeMap::<&str, BTreeSet<&str>>::new();
    for (name, value) in fields {
        sorted.entry(name).or_default().insert(value);
    }
    let values = sorted.iter().flat_map(|(name, values)| values.iter().map(move |v| [*name, *v]));
    values.flatten().collect()
}

/// The URL must carry the hash of the body.
fn check_body(url: &str, body: &[u8]) -> Result<(), SignatureError> {
    let (_, query) = url.split_once('?').ok_or(SignatureError::UnsignedBody)?;
    let mut hashes = query.split('&').filter_map(|pair| pair.strip_prefix("bodySHA256="));
    let (Some(hash), None) = (hashes.next(), hashes.next()) else {
        return Err(SignatureError::UnsignedBody);
    };
    let actual: String = Sha256::digest(body).iter().map(|byte| format!("{byte:02x}")).collect();
    if bool::from(actual.as_bytes().ct_eq(hash.as_bytes())) {
        Ok(())
    } else {
        Err(SignatureError::BodyMismatch)
    }
}

/// URLs that the carrier may have signed. It is inconsistent about default ports and, on upgrades, perhaps about
/// a final slash.
fn candidates(url: &str, upgrade: bool) -> Vec<(&'static str, Cow<'_, str>)> {
    let mut urls = vec![("as_given", Cow::Borrowed(url))];
    if let Some((form, other)) = other_port(url) {
        urls.push((form, Cow::Owned(other)));
    }
    if upgrade && !url.ends_with('/') && !url.contains('?') {
        for i in 0..urls.len() {
            let form = match urls[i].0 {
                "as_given" => "as_given_slash",
                "with_port" => "with_port_slash",
                _ => "without_port_slash",
            };
            urls.push((form, Cow::Owned(format!("{}/", urls[i].1))));
        }
    }
    urls
}

/// The same URL without its port or, where it has none, with the default one.
fn other_port(url: &str) -> Option<(&'static str, String)> {
    let (scheme, rest) = url.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let host_from = authority.rfind('@').map_or(0, |at| at + 1);
    // The colons of an IPv6 address are within brackets.
    let colon = authority[host_from..].rfind(':').map(|at| at + host_from);
    match colon.filter(|&at| !authority[at..].contains(']')) {
        Some(at) => Some(("without_port", format!("{scheme}://{}{path}", &authority[..at]))),
        None => {
            let port = if matches!(scheme, "https" | "wss") { 443 } else { 80 };
            Some(("with_port", format!("{scheme}://{authority}:{port}{path}")))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";
    const VOICE: &str = "https://gw.example.com/twilio/voice?tenant=t1";
    const MEDIA: &str = "wss://gw.example.com/twilio/media";

    fn keys() -> SigningKeys {
        SigningKeys::new(TOKEN.into()).with_shared("k1".into(), TOKEN.into())
    }

    fn form(fields: &[(&str, &str)]) -> Vec<(String, String)> {
        fields.iter().map(|&(n, v)| (n.into(), v.into())).collect()
    }

    fn form_body(fields: &[(String, String)]) -> RequestBody<'_> {
        RequestBody::Form { fields, raw: b"" }
    }

    fn voice_form() -> Vec<(String, String)> {
        // Deliberately not in order.
        form(&[
            ("To", "+15005550010"),
            ("AccountSid", "AC00000000000000000000000000000001"),
            ("ApiVersion", "2010-04-01"),
            ("CallStatus", "ringing"),
            ("CallSid", "CA00000000000000000000000000000002"),
            ("Called", "+15005550010"),
            ("Caller", "+15005550006"),
            ("Direction", "inbound"),
            ("From", "+15005550006"),
        ])
    }

    fn verify(url: &str, body: RequestBody<'_>, signature: &str) -> Result<&'static str, SignatureError> {
        keys().verify(&CarrierRequest {
            url,
            headers: &[("x-twilio-signature", signature)],
            body,
            now_unix: 0,
        })
    }

    #[test]
    fn v1_form_post() {
        let fields = voice_form();
        let signature = "2laWib2PGTOw4kqvhVC1XocvOqI=";
        assert_eq!(verify(VOICE, form_body(&fields), signature), Ok("as_given"));
        assert_eq!(sign(&TOKEN.into(), VOICE, &fields), signature);
        let with_port = "PDA7uXEqIhMrMgzI4m7IcFnsaz0=";
        assert_eq!(verify(VOICE, form_body(&fields), with_port), Ok("with_port"));
        let url = VOICE.replace(".com", ".com:443");
        assert_eq!(verify(&url, form_body(&fields), with_port), Ok("as_given"));
        assert_eq!(verify(&url, form_body(&fields), signature), Ok("without_port"));
    }

    #[test]
    fn v1_form_post_with_a_shared_key_and_sha256() {
        let fields = voice_form();
        let check = |settings: &str| {
            let headers = [
                (SIGNATURE_HEADER, "yFfzSwb2ol7yBpG57gavMyAkAnfeG9Hjy+2oaSKPBG0="),
                (SETTINGS_HEADER, settings),
            ];
            keys().verify(&CarrierRequest {
                url: VOICE,
                headers: &headers,
                body: form_body(&fields),
                now_unix: 0,
            })
        };
        assert_eq!(check("key=k1,algorithm=HMAC_SHA256"), Ok("as_given"));
        assert_eq!(check("key=k1,algorithm=HMAC_SHA1"), Err(SignatureError::Mismatch));
        assert_eq!(check("key=k2,algorithm=HMAC_SHA256"), Err(SignatureError::UnknownKey));
        assert_eq!(check("key=k1,algorithm=NONE"), Err(SignatureError::UnknownAlgorithm));
        assert_eq!(check("key=k1"), Err(SignatureError::Mismatch));
    }

    #[test]
    fn v1b_repeats_empty_and_non_ascii() {
        let mut fields =
            form(&[("Digits", "2"), ("Digits", "1"), ("Digits", "2"), ("Empty", ""), ("Name", "Zoë")]);
        let check = |fields: &[(String, String)]| {
            verify("https://gw.example.com/cb", form_body(fields), "9DGqoR6Q+7ANDEz9XxCPEeJu8r4=")
        };
        assert_eq!(check(&fields), Ok("as_given"));
        fields[0].1 = "3".into();
        assert_eq!(check(&fields), Err(SignatureError::Mismatch));
    }

    #[test]
    fn v2_json_body() {
        let hash = "9625e8c43bb17888123e9dc38afffd4842d879eb4989861c1e024f488275901c";
        let url = format!("https://gw.example.com/twilio/events?bodySHA256={hash}");
        let signature = "TNvU8wWC9E6Z2Z+e76DHDI20+C4=";
        let body = br#"{"event":"recording.done","id":7}"#;
        assert_eq!(verify(&url, RequestBody::Json(body), signature), Ok("as_given"));
        let altered = br#"{"event":"recording.done","id":7} "#;
        assert_eq!(verify(&url, RequestBody::Json(altered), signature), Err(SignatureError::BodyMismatch));
        let bare = "https://gw.example.com/twilio/events";
        assert_eq!(verify(bare, RequestBody::Json(body), signature), Err(SignatureError::UnsignedBody));
        let twice = format!("{url}&bodySHA256={hash}");
        assert_eq!(verify(&twice, RequestBody::Json(body), signature), Err(SignatureError::UnsignedBody));
    }

    #[test]
    fn v3_websocket_upgrade() {
        let upgrade = |signature| verify(MEDIA, RequestBody::Upgrade, signature);
        assert_eq!(upgrade("XbuEIyqfcj7N6LuncPZwBi5k3OI="), Ok("as_given"));
        assert_eq!(upgrade("3WOChzT7xOuqSQPWtgWioHafx+o="), Ok("as_given_slash"));
        assert_eq!(upgrade("aRgUStiV0RdF4YNQ5EgMLNFyU/A="), Ok("with_port"));
        assert_eq!(upgrade("R1GVrTSOg+9lJTeSC4KAm6UTTSs="), Err(SignatureError::Mismatch));
        assert_eq!(upgrade("oy+/DM8Ex1cVdLiikXTNF+wBE18="), Err(SignatureError::Mismatch));
        assert_eq!(sign(&TOKEN.into(), MEDIA, &[]), "XbuEIyqfcj7N6LuncPZwBi5k3OI=");
    }

    #[test]
    fn a_final_slash_is_no_licence_elsewhere() {
        let signature = "3WOChzT7xOuqSQPWtgWioHafx+o=";
        assert_eq!(verify(MEDIA, RequestBody::Empty, signature), Err(SignatureError::Mismatch));
    }

    #[test]
    fn no_signature_and_nonsense_are_refused() {
        let request = CarrierRequest { url: MEDIA, headers: &[], body: RequestBody::Upgrade, now_unix: 0 };
        assert_eq!(keys().verify(&request), Err(SignatureError::Missing));
        assert_eq!(verify(MEDIA, RequestBody::Upgrade, "§§"), Err(SignatureError::Malformed));
        assert_eq!(verify(MEDIA, RequestBody::Upgrade, ""), Err(SignatureError::Mismatch));
        let other = sign(&"another token".into(), MEDIA, &[]);
        assert_eq!(verify(MEDIA, RequestBody::Upgrade, &other), Err(SignatureError::Mismatch));
    }

    #[test]
    fn ports_of_unusual_hosts() {
        let other = |url| other_port(url).unwrap().1;
        assert_eq!(other("http://[::1]/x"), "http://[::1]:80/x");
        assert_eq!(other("http://[::1]:8080/x"), "http://[::1]/x");
        assert_eq!(other("wss://u:p@h/x:1"), "wss://u:p@h:443/x:1");
        assert_eq!(other("ws://h:8080?q=1"), "ws://h?q=1");
        assert_eq!(other_port("nonsense"), None);
    }
}
