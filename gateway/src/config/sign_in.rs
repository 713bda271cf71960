//! `[sign_in]`: how long sessions last, and whose word about a browser's address is taken.

use std::net::IpAddr;
use std::time::Duration;

use super::openid::OpenId;
use super::source::Source;

/// Settings of sign-in.
#[derive(Clone, Debug)]
pub struct SignIn {
    /// How long a session lives at most.
    pub session: Duration,
    /// How long it may rest.
    pub idle: Duration,
    /// Proxies that say truly for whom they ask, beside those on this machine.
    pub proxies: Vec<IpAddr>,
    /// A provider outside that says who somebody is.
    pub openid: Option<OpenId>,
}

impl Default for SignIn {
    fn default() -> Self {
        Self { session: hours(12), idle: minutes(120), proxies: Vec::new(), openid: None }
    }
}

const fn hours(n: u64) -> Duration {
    Duration::from_secs(n * 60 * 60)
}

const fn minutes(n: u64) -> Duration {
    Duration::from_secs(n * 60)
}

pub(super) fn read(s: &mut Source<'_>) -> SignIn {
    let usual = SignIn::default();
    SignIn {
        session: s.number("sign_in.session_hours", None, 1..=168).map_or(usual.session, hours),
        idle: s.number("sign_in.idle_minutes", None, 5..=10_080).map_or(usual.idle, minutes),
        proxies: read_proxies(s),
        openid: super::openid::read(s),
    }
}

fn read_proxies(s: &mut Source<'_>) -> Vec<IpAddr> {
    let Some((named, origin)) = s.list("sign_in.proxies", None) else { return Vec::new() };
    let mut proxies = Vec::new();
    for name in named {
        match name.parse() {
            Ok(proxy) => proxies.push(proxy),
            Err(_) => s.problem(
                &origin,
                format!("`{name}` is no address"),
                "write the proxies' own addresses: [\"10.0.0.7\"]",
            ),
        }
    }
    proxies
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> (SignIn, Vec<super::super::Problem>) {
        let mut source = Source::new(text.parse().unwrap(), "t.toml".to_owned(), &|_| None);
        let read = read(&mut source);
        (read, source.finish())
    }

    #[test]
    fn a_working_day_and_two_hours_of_rest_unless_said_otherwise() {
        let usual = load("").0;
        assert_eq!((usual.session, usual.idle, usual.openid.is_none()), (hours(12), minutes(120), true));
        let (read, problems) =
            load("[sign_in]\nsession_hours = 8\nidle_minutes = 15\nproxies = [\"10.0.0.7\"]\n");
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!((read.session, read.idle, read.proxies.len()), (hours(8), minutes(15), 1));
        for wrong in ["session_hours = 0", "idle_minutes = 1", "proxies = [\"proxy.example\"]", "hours = 8"] {
            assert_eq!(load(&format!("[sign_in]\n{wrong}\n")).1.len(), 1, "{wrong}");
        }
    }
}
