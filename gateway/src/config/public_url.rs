//! The address under which the outside world reaches the gateway.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use reqwest::Url;

/// An `http` or `https` address without query, always with a host.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicUrl(Url);

impl PublicUrl {
    /// The address of a listener, as a browser on the same machine writes it.
    #[must_use]
    pub fn of_listener(addr: SocketAddr) -> Option<Self> {
        let host = if addr.ip().is_unspecified() { IpAddr::from([127, 0, 0, 1]) } else { addr.ip() };
        format!("http://{}", SocketAddr::new(host, addr.port())).parse().ok()
    }

    /// `path` (with its leading slash) below this address.
    #[must_use]
    pub fn join(&self, path: &str) -> String {
        format!("{}{path}", self.as_str())
    }

    /// Like [`Self::join`] with the websocket scheme: `wss` for `https`, `ws` for `http`.
    #[must_use]
    pub fn join_ws(&self, path: &str) -> String {
        self.join(path).replacen("http", "ws", 1)
    }

    /// Without trailing slash.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str().trim_end_matches('/')
    }

    #[must_use]
    pub fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Host name or address, without port and brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default().trim_matches(['[', ']'])
    }

    /// True when only this machine can reach it.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        is_loopback_host(self.host())
    }
}

/// True for `localhost` and loopback addresses.
#[must_use]
pub fn is_loopback_host(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

impl FromStr for PublicUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text.trim()).map_err(|_| "is not a URL")?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("is neither http nor https");
        }
        if url.host_str().is_none() || url.query().is_some() || url.fragment().is_some() {
            return Err("must be a host with an optional path, nothing after it");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("must not hold a user name or password");
        }
        Ok(Self(url))
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_address_swaps_only_the_scheme() {
        let url: PublicUrl = "https://voice.example.com/http/".parse().unwrap();
        assert_eq!(url.join_ws("/twilio/media"), "wss://voice.example.com/http/twilio/media");
        let plain: PublicUrl = "http://127.0.0.1:8080".parse().unwrap();
        assert_eq!(plain.join_ws("/twilio/media"), "ws://127.0.0.1:8080/twilio/media");
    }

    #[test]
    fn loopback_is_recognised_in_every_spelling() {
        for text in ["http://localhost:1", "http://127.0.0.9", "http://[::1]:8080"] {
            assert!(text.parse::<PublicUrl>().unwrap().is_loopback(), "{text}");
        }
        assert!(!"https://localhost.example.com".parse::<PublicUrl>().unwrap().is_loopback());
    }

    #[test]
    fn what_cannot_carry_a_stream_is_refused() {
        for text in ["ftp://x", "https://x/?a=b", "https://u:p@x", "nonsense"] {
            assert!(text.parse::<PublicUrl>().is_err(), "{text}");
        }
    }
}
