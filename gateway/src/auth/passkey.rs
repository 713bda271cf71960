//! Signing in with a passkey: a key that a person's device keeps, and uses once it has seen their finger, face or PIN.
//!
//! What is checked is what WebAuthn level 3 asks of a relying party that takes keys of any make (no attestation): sections
//! 7.1 and 7.2. The arithmetic is that of the library which also does our TLS.

pub mod ceremony;
pub mod cose;
pub mod routes;

use std::time::Duration;

use super::origin::origin_of;
use crate::config::PublicUrl;

/// How long a device and its person may take.
pub const CHALLENGE_LIVES: Duration = Duration::from_secs(5 * 60);

/// Whose passkeys these are, and the page that may use them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    /// A host name; browsers take no address.
    pub id: String,
    pub origin: String,
}

impl Party {
    /// The gateway at its public address. On this machine that is `localhost`, whatever address is bound.
    #[must_use]
    pub fn of(public: &PublicUrl) -> Option<Self> {
        if public.is_loopback() {
            let text = public.as_str();
            let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
            let authority = rest.split('/').next().unwrap_or_default();
            let port =
                authority.rsplit_once(':').map(|(_, port)| port).filter(|port| port.parse::<u16>().is_ok());
            let scheme = if public.is_https() { "https" } else { "http" };
            let port = port.map_or_else(String::new, |port| format!(":{port}"));
            return Some(Self { id: "localhost".to_owned(), origin: format!("{scheme}://localhost{port}") });
        }
        let host = public.host();
        // Browsers do passkeys over TLS alone.
        if host.parse::<std::net::IpAddr>().is_ok() || !public.is_https() {
            return None;
        }
        Some(Self { id: host.to_lowercase(), origin: origin_of(public).to_lowercase() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_party_is_the_public_name_and_never_an_address() {
        let of = |text: &str| Party::of(&text.parse().unwrap()).map(|party| (party.id, party.origin));
        let both = |id: &str, origin: &str| Some((id.to_owned(), origin.to_owned()));
        assert_eq!(
            of("https://Voice.example.gov/gw"),
            both("voice.example.gov", "https://voice.example.gov")
        );
        assert_eq!(
            of("https://voice.example.gov:8443"),
            both("voice.example.gov", "https://voice.example.gov:8443")
        );
        assert_eq!(of("http://127.0.0.1:8080"), both("localhost", "http://localhost:8080"));
        assert_eq!(of("http://[::1]:8080"), both("localhost", "http://localhost:8080"));
        assert_eq!(of("http://localhost"), both("localhost", "http://localhost"));
        assert_eq!(of("https://192.0.2.7"), None);
        assert_eq!(of("http://voice.example.gov"), None);
    }
}
