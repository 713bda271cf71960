//! Where a request comes from, as far as it can be trusted: peer address, `Host` and `Origin`.
//!
//! A gateway on a developer's machine is reachable by every web page open in the browser there. Two tricks
//! matter: a page that posts across origins (stopped by the `Origin` check), and a page whose own name is made to
//! resolve to 127.0.0.1 (DNS rebinding, stopped by the `Host` check).

use std::net::{IpAddr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::{Extensions, HeaderMap, header};

use crate::config::PublicUrl;
use crate::config::public_url::is_loopback_host;

/// Address of the socket's other end; the unspecified address when the listener did not say.
#[must_use]
pub fn peer(extensions: &Extensions) -> IpAddr {
    extensions
        .get::<ConnectInfo<SocketAddr>>()
        .map_or(IpAddr::from([0, 0, 0, 0]), |info| info.0.ip().to_canonical())
}

/// Address of whoever asks: of the peer, or the one that a proxy of ours says it asks for. A proxy on this machine is ours.
#[must_use]
pub fn client(extensions: &Extensions, headers: &HeaderMap, proxies: &[IpAddr]) -> IpAddr {
    let peer = peer(extensions);
    if !peer.is_loopback() && !proxies.contains(&peer) {
        return peer;
    }
    // Each proxy adds at the end; what stands before may be anybody's invention.
    let named = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
    let hops = named.flat_map(|value| value.split(',')).filter_map(|hop| hop.trim().parse::<IpAddr>().ok());
    let hops: Vec<_> = hops.map(|hop| hop.to_canonical()).collect();
    hops.into_iter().rev().find(|hop| !hop.is_loopback() && !proxies.contains(hop)).unwrap_or(peer)
}

/// True when the request comes from this machine and no proxy says that it relays for somebody else.
#[must_use]
pub fn is_local(peer: IpAddr, headers: &HeaderMap) -> bool {
    peer.is_loopback() && !is_forwarded(headers)
}

/// True when a proxy header is present.
#[must_use]
pub fn is_forwarded(headers: &HeaderMap) -> bool {
    headers.keys().any(|name| name == header::FORWARDED || name.as_str().starts_with("x-forwarded-"))
}

/// True when `Host` is a name that cannot have been rebound: an address, `localhost`, or the public name.
#[must_use]
pub fn host_is_ours(headers: &HeaderMap, public: &PublicUrl) -> bool {
    let Some(host) = headers.get(header::HOST).and_then(|v| v.to_str().ok()) else { return true };
    let name = without_port(host);
    name.parse::<IpAddr>().is_ok() || is_loopback_host(name) || name.eq_ignore_ascii_case(public.host())
}

/// True when the browser says that the request was made by a page of this same origin.
#[must_use]
pub fn origin_is_ours(headers: &HeaderMap, public: &PublicUrl) -> bool {
    let Some(origin) = headers.get(header::ORIGIN).and_then(|v| v.to_str().ok()) else { return false };
    if origin == origin_of(public) {
        return true;
    }
    let Some((_, authority)) = origin.split_once("://") else { return false };
    headers
        .get(header::HOST)
        .and_then(|v| v.to_str().ok())
        .is_some_and(|host| host.eq_ignore_ascii_case(authority))
}

/// True when a page of another origin made the request. Programs send no `Origin`.
#[must_use]
pub fn is_cross_origin(headers: &HeaderMap, public: &PublicUrl) -> bool {
    headers.contains_key(header::ORIGIN) && !origin_is_ours(headers, public)
}

/// Scheme, host and port of the public address, without its path.
pub(super) fn origin_of(public: &PublicUrl) -> &str {
    let text = public.as_str();
    let authority = text.find("://").map_or(0, |at| at + 3);
    text[authority..].find('/').map_or(text, |slash| &text[..authority + slash])
}

fn without_port(host: &str) -> &str {
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split(']').next().unwrap_or(rest);
    }
    host.rsplit_once(':').map_or(host, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(k, v)| (k.parse().unwrap(), HeaderValue::from_static(v))).collect()
    }

    fn public() -> PublicUrl {
        "https://voice.example.com".parse().unwrap()
    }

    #[test]
    fn a_rebound_name_is_foreign_and_addresses_are_not() {
        for ours in ["127.0.0.1:8080", "localhost:8080", "[::1]:8080", "192.168.1.5", "VOICE.example.com"] {
            assert!(host_is_ours(&headers(&[("host", ours)]), &public()), "{ours}");
        }
        for foreign in ["evil.example", "voice.example.com.evil.example:8080", "localhost.evil.example"] {
            assert!(!host_is_ours(&headers(&[("host", foreign)]), &public()), "{foreign}");
        }
    }

    #[test]
    fn only_a_page_of_this_origin_may_act() {
        let same = headers(&[("host", "127.0.0.1:8080"), ("origin", "http://127.0.0.1:8080")]);
        assert!(origin_is_ours(&same, &public()));
        let proxied = headers(&[("host", "10.0.0.7:8080"), ("origin", "https://voice.example.com")]);
        assert!(origin_is_ours(&proxied, &public()));
        for foreign in ["https://evil.example", "null", "http://127.0.0.1:9999"] {
            let page = headers(&[("host", "127.0.0.1:8080"), ("origin", foreign)]);
            assert!(is_cross_origin(&page, &public()), "{foreign}");
        }
        assert!(!is_cross_origin(&headers(&[("host", "127.0.0.1:8080")]), &public()));
    }

    #[test]
    fn a_proxy_is_believed_when_it_is_ours() {
        let from = |peer: &str, forwarded: &'static str| {
            let mut extensions = Extensions::new();
            extensions.insert(ConnectInfo(SocketAddr::new(peer.parse().unwrap(), 9)));
            let proxies = ["10.0.0.7".parse().unwrap()];
            client(&extensions, &headers(&[("x-forwarded-for", forwarded)]), &proxies).to_string()
        };
        assert_eq!(from("203.0.113.5", "192.0.2.1"), "203.0.113.5", "a stranger's word");
        assert_eq!(from("10.0.0.7", "192.0.2.1"), "192.0.2.1");
        assert_eq!(from("127.0.0.1", "192.0.2.66, 192.0.2.1, 10.0.0.7"), "192.0.2.1");
        assert_eq!(from("127.0.0.1", "nonsense"), "127.0.0.1");
    }

    #[test]
    fn a_relayed_request_is_not_local() {
        let home = IpAddr::from([127, 0, 0, 1]);
        assert!(is_local(home, &HeaderMap::new()));
        for name in ["forwarded", "x-forwarded-for", "x-forwarded-proto"] {
            assert!(!is_local(home, &headers(&[(name, "for=1.2.3.4")])), "{name}");
        }
        assert!(!is_local(IpAddr::from([10, 0, 0, 1]), &HeaderMap::new()));
    }
}
