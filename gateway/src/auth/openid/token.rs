//! The ID token: whose it is, for whom, until when, and that the provider signed it.

use jsonwebtoken::jwk::{Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Header, Validation, decode, decode_header};
use serde_json::{Map, Value};

use super::Refusal;

/// Signatures of keys that the provider alone has. None with a shared secret, and no token without one.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];
/// How far two clocks may be apart, seconds.
const LEEWAY: u64 = 60;
/// Bytes of a token at most.
const LONGEST: usize = 64 * 1024;

/// What a token must say.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    pub issuer: &'a str,
    pub client_id: &'a str,
    pub nonce: &'a str,
}

/// What its head says, of all tokens that could be good.
pub fn head(token: &str) -> Result<Header, Refusal> {
    if token.len() > LONGEST {
        return Err(refused("it is too long"));
    }
    let header =
        decode_header(token).map_err(|_| refused("its head cannot be read, or names no signature"))?;
    if !ALGORITHMS.contains(&header.alg) {
        return Err(refused("its signature is of a kind that is not taken"));
    }
    Ok(header)
}

/// The key that a token says it was signed with; `None`: the provider may have taken new ones.
#[must_use]
pub fn key_of<'a>(header: &Header, keys: &'a [Jwk]) -> Option<&'a Jwk> {
    let fits = |key: &&Jwk| {
        let signs = !matches!(&key.common.public_key_use, Some(PublicKeyUse::Encryption));
        let alg = key.common.key_algorithm.is_none_or(|alg| named(alg) == Some(header.alg));
        signs && alg && DecodingKey::from_jwk(key).is_ok_and(|key| key.family() == header.alg.family())
    };
    let mut fitting = keys.iter().filter(fits);
    match &header.kid {
        Some(kid) => fitting.find(|key| key.common.key_id.as_ref() == Some(kid)),
        // Without a name there must be no choice.
        None => fitting.next().filter(|_| fitting.next().is_none()),
    }
}

fn named(algorithm: KeyAlgorithm) -> Option<Algorithm> {
    algorithm.to_string().parse().ok()
}

/// The claims of a token that is good.
pub fn verified(
    token: &str,
    header: &Header,
    key: &Jwk,
    expected: Expected<'_>,
) -> Result<Map<String, Value>, Refusal> {
    let key = DecodingKey::from_jwk(key).map_err(|_| refused("its key cannot be used"))?;
    let mut validation = Validation::new(header.alg);
    validation.leeway = LEEWAY;
    validation.validate_nbf = true;
    validation.set_issuer(&[expected.issuer]);
    validation.set_audience(&[expected.client_id]);
    validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    let claims =
        decode::<Map<String, Value>>(token, &key, &validation).map_err(|error| refused(said(&error)))?;
    let claims = claims.claims;
    let text = |name: &str| claims.get(name).and_then(Value::as_str);
    // For several audiences, the party that it was issued to is named.
    let is_shared = claims.get("aud").and_then(Value::as_array).is_some_and(|all| all.len() > 1);
    match text("azp") {
        Some(party) if party != expected.client_id => {
            return Err(refused("it was issued to somebody else (azp)"));
        }
        None if is_shared => return Err(refused("it is for several, and does not say for whom (azp)")),
        _ => {}
    }
    if text("nonce") != Some(expected.nonce) {
        return Err(refused("it belongs to another sign-in (nonce)"));
    }
    if !claims.get("iat").is_some_and(Value::is_number) {
        return Err(refused("it does not say since when it is good (iat)"));
    }
    Ok(claims)
}

fn refused(what: &str) -> Refusal {
    Refusal::Token(what.to_owned())
}

fn said(error: &jsonwebtoken::errors::Error) -> &'static str {
    use jsonwebtoken::errors::ErrorKind as Kind;
    match error.kind() {
        Kind::InvalidSignature => "its signature is wrong",
        Kind::ExpiredSignature => "it has expired (exp)",
        Kind::ImmatureSignature => "it is not good yet (nbf)",
        Kind::InvalidIssuer => "it is of another issuer (iss)",
        Kind::InvalidAudience => "it is for somebody else (aud)",
        Kind::MissingRequiredClaim(_) => "it lacks iss, sub, aud or exp",
        _ => "it cannot be read",
    }
}
