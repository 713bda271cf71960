//! Base URLs of providers: `http(s)` or `ws(s)`, with or without a version path.

use std::fmt;

/// Where a provider lives. The scheme is swapped as each call needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    secure: bool,
    authority: String,
    /// Without a slash at its end; may be empty.
    path: String,
}

/// Why a base URL cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    #[error("has no scheme http, https, ws or wss")]
    Scheme,
    #[error("has no host")]
    Host,
    #[error("holds a user name, a query or a fragment")]
    Extra,
}

impl Endpoint {
    /// Reads a base URL. Unencrypted schemes are for loopback and private hosts named on purpose.
    ///
    /// # Errors
    /// What is wrong with it, for a message that names the setting.
    pub fn parse(base: &str) -> Result<Self, EndpointError> {
        let (scheme, rest) = base.trim().split_once("://").ok_or(EndpointError::Scheme)?;
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "https" | "wss" => true,
            "http" | "ws" => false,
            _ => return Err(EndpointError::Scheme),
        };
        if rest.contains(['@', '?', '#']) || rest.contains(char::is_whitespace) {
            return Err(EndpointError::Extra);
        }
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        if authority.is_empty() {
            return Err(EndpointError::Host);
        }
        let path = path.trim_end_matches('/');
        let path = if path.is_empty() { String::new() } else { format!("/{path}") };
        Ok(Self { secure, authority: authority.to_owned(), path })
    }

    /// Whether the host is this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        let host = self.host();
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    #[must_use]
    pub const fn is_secure(&self) -> bool {
        self.secure
    }

    /// Host without port or brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        if let Some(v6) = self.authority.strip_prefix('[') {
            return v6.split(']').next().unwrap_or(v6);
        }
        self.authority.rsplit_once(':').map_or(self.authority.as_str(), |(host, _)| host)
    }

    /// Address of `path` (which begins with its version, `/v1/…`) over HTTP.
    #[must_use]
    pub fn http(&self, path: &str) -> String {
        self.url(if self.secure { "https" } else { "http" }, path)
    }

    /// Address of `path` over a websocket.
    #[must_use]
    pub fn ws(&self, path: &str) -> String {
        self.url(if self.secure { "wss" } else { "ws" }, path)
    }

    /// A version that the base already ends with is not added again; another one takes its place.
    fn url(&self, scheme: &str, path: &str) -> String {
        let (stem, last) = self.path.rsplit_once('/').unwrap_or(("", ""));
        let versioned =
            is_version(last) && is_version(path.trim_start_matches('/').split('/').next().unwrap_or(""));
        let stem = if versioned { stem } else { &self.path };
        format!("{scheme}://{}{stem}{path}", self.authority)
    }
}

fn is_version(part: &str) -> bool {
    part.strip_prefix('v').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url(if self.secure { "https" } else { "http" }, ""))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn schemes_are_swapped_and_versions_added_once() {
        for base in ["https://api.example.com", "wss://api.example.com/", "https://api.example.com/v1/"] {
            let e = Endpoint::parse(base).unwrap();
            assert_eq!(e.ws("/v1/listen?a=b"), "wss://api.example.com/v1/listen?a=b", "{base}");
            assert_eq!(e.http("/v2/listen"), "https://api.example.com/v2/listen", "{base}");
        }
        let e = Endpoint::parse("ws://127.0.0.1:9000/proxy/v1").unwrap();
        assert_eq!(e.http("/v1/messages"), "http://127.0.0.1:9000/proxy/v1/messages");
        let e = Endpoint::parse("http://[::1]:9000/llm").unwrap();
        assert_eq!(e.http("/v1/chat/completions"), "http://[::1]:9000/llm/v1/chat/completions");
        assert!(e.is_loopback() && !e.is_secure());
    }

    #[test]
    fn what_is_no_base_url_is_refused() {
        for (base, error) in [
            ("api.example.com", EndpointError::Scheme),
            ("ftp://x", EndpointError::Scheme),
            ("https://", EndpointError::Host),
            ("https://key@x/", EndpointError::Extra),
            ("https://x/?key=1", EndpointError::Extra),
        ] {
            assert_eq!(Endpoint::parse(base), Err(error), "{base}");
        }
    }
}
