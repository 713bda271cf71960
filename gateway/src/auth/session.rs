//! The console's session cookie.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue, header};
use secrecy::{ExposeSecret, SecretString};

/// Name of the cookie.
const NAME: &str = "quandura_session";

/// The session secret that a request brings.
#[must_use]
pub fn cookie(headers: &HeaderMap) -> Option<SecretString> {
    named(headers, NAME)
}

/// The cookie of this name.
#[must_use]
pub fn named(headers: &HeaderMap, wanted: &str) -> Option<SecretString> {
    let pairs =
        headers.get_all(header::COOKIE).iter().filter_map(|v| v.to_str().ok()).flat_map(|v| v.split(';'));
    let mut ours = pairs.filter_map(|pair| pair.trim().split_once('=')).filter(|(name, _)| *name == wanted);
    ours.next().map(|(_, value)| SecretString::from(value.to_owned()))
}

/// `Set-Cookie` that starts a session. Scripts cannot read it, other sites cannot send it.
#[must_use]
pub fn start(secret: &SecretString, lives: Duration, is_https: bool) -> Option<HeaderValue> {
    set(secret.expose_secret(), lives.as_secs(), is_https)
}

/// `Set-Cookie` that ends it.
#[must_use]
pub fn end(is_https: bool) -> Option<HeaderValue> {
    set("", 0, is_https)
}

fn set(value: &str, seconds: u64, is_https: bool) -> Option<HeaderValue> {
    let secure = if is_https { "; Secure" } else { "" };
    let text = format!("{NAME}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
    let mut header = HeaderValue::from_str(&text).ok()?;
    header.set_sensitive(true);
    Some(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_is_found_among_others_and_is_locked_down() {
        let headers = HeaderMap::from_iter([(
            header::COOKIE,
            HeaderValue::from_static("a=b; quandura_session=s3; quandura_session_x=no"),
        )]);
        assert_eq!(cookie(&headers).unwrap().expose_secret(), "s3");
        let hour = Duration::from_secs(3_600);
        let set = start(&SecretString::from("s3"), hour, true).unwrap();
        let text = set.to_str().unwrap();
        for part in ["HttpOnly", "SameSite=Strict", "Secure", "Path=/", "Max-Age=3600"] {
            assert!(text.contains(part), "{part}");
        }
        assert!(!start(&SecretString::from("s3"), hour, false).unwrap().to_str().unwrap().contains("Secure"));
    }
}
