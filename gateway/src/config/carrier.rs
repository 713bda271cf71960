//! `[carrier]`, `[twilio]`, `[telnyx]`: which carrier brings the calls, the account there, and where it is served.

use pipeline::provider::Endpoint;
use secrecy::SecretString;
use telephony::telnyx::rest::ADDRESS;
use telephony::telnyx::signature::PublicKey;
use telephony::twilio::rest::address;

use super::source::Source;

/// Which carrier brings the calls, and the accounts at each.
#[derive(Clone, Debug, Default)]
pub struct Carrier {
    pub name: Name,
    pub twilio: TwilioAccount,
    pub telnyx: TelnyxAccount,
}

/// Carriers that there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Name {
    #[default]
    Twilio,
    Telnyx,
}

impl Name {
    /// As it is written in settings, paths, metrics and the price table.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Twilio => telephony::twilio::NAME,
            Self::Telnyx => telephony::telnyx::NAME,
        }
    }
}

impl Carrier {
    /// Whether its requests are signed with a key that we have. Without one: unsigned mode, loopback callers only.
    #[must_use]
    pub const fn has_key(&self) -> bool {
        match self.name {
            Name::Twilio => self.twilio.auth_token.is_some(),
            Name::Telnyx => self.telnyx.public_key.is_some(),
        }
    }

    /// The setting that holds the key of request signatures.
    #[must_use]
    pub const fn key_name(&self) -> &'static str {
        match self.name {
            Name::Twilio => "TWILIO_AUTH_TOKEN",
            Name::Telnyx => "TELNYX_PUBLIC_KEY",
        }
    }

    /// What to do where there is no key.
    #[must_use]
    pub const fn key_advice(&self) -> &'static str {
        match self.name {
            Name::Twilio => "set TWILIO_AUTH_TOKEN to the carrier account's token",
            Name::Telnyx => "set TELNYX_PUBLIC_KEY to the carrier account's public key",
        }
    }

    /// What to do where there is no account to place calls with.
    #[must_use]
    pub const fn account_advice(&self) -> &'static str {
        match self.name {
            Name::Twilio => "set TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN, and start the gateway again",
            Name::Telnyx => {
                "set TELNYX_ACCOUNT_ID, TELNYX_API_KEY and TELNYX_APPLICATION_ID, and start the gateway again"
            }
        }
    }
}

/// An account at Twilio.
#[derive(Clone, Debug)]
pub struct TwilioAccount {
    /// Absent: no call is placed, transferred or asked about.
    pub account_sid: Option<String>,
    /// Key of request signatures. Absent: unsigned mode, loopback callers only.
    pub auth_token: Option<SecretString>,
    /// Base address of the carrier's own interface, without a slash at its end.
    pub address: String,
}

impl Default for TwilioAccount {
    fn default() -> Self {
        Self { account_sid: None, auth_token: None, address: address(None) }
    }
}

/// An account at Telnyx.
#[derive(Clone, Debug)]
pub struct TelnyxAccount {
    /// Absent, as the key or the application: no call is placed, transferred or asked about.
    pub account_id: Option<String>,
    pub api_key: Option<SecretString>,
    /// The TeXML application that calls are placed by.
    pub application_id: Option<String>,
    /// Key of request signatures. Absent: unsigned mode, loopback callers only.
    pub public_key: Option<PublicKey>,
    /// Base address of the carrier's own interface, without a slash at its end.
    pub address: String,
}

impl Default for TelnyxAccount {
    fn default() -> Self {
        let address = ADDRESS.to_owned();
        Self { account_id: None, api_key: None, application_id: None, public_key: None, address }
    }
}

pub(super) fn read(s: &mut Source<'_>) -> Carrier {
    let name = s.choice("carrier.name", Some("CARRIER"), &NAMES);
    let (twilio, telnyx) = (read_twilio(s), read_telnyx(s));
    // An account says which it is, unless there are two.
    let at = [twilio.auth_token.is_some(), telnyx.public_key.is_some() || telnyx.api_key.is_some()];
    if name.is_none() && at == [true, true] {
        let fix = "set carrier.name, or CARRIER, to twilio or telnyx";
        s.problem("carrier.name", "is not set, and there are accounts at two carriers", fix);
    }
    let only = if at == [false, true] { Name::Telnyx } else { Name::Twilio };
    Carrier { name: name.unwrap_or(only), twilio, telnyx }
}

/// As they are written in settings.
const NAMES: [(&str, Name); 2] =
    [(Name::Twilio.as_str(), Name::Twilio), (Name::Telnyx.as_str(), Name::Telnyx)];

fn read_telnyx(s: &mut Source<'_>) -> TelnyxAccount {
    let key = s.text("telnyx.public_key", Some("TELNYX_PUBLIC_KEY"));
    let public_key = key.and_then(|(text, origin)| {
        let key = PublicKey::parse(&text);
        if key.is_none() {
            let fix = "copy it from the Mission Control Portal, under Keys & Credentials, Public Key";
            s.problem(origin, "is not a public key: base64 of 32 bytes", fix);
        }
        key
    });
    let account = TelnyxAccount {
        account_id: s.text("telnyx.account_id", Some("TELNYX_ACCOUNT_ID")).map(|(text, _)| text),
        api_key: s.secret("telnyx.api_key", Some("TELNYX_API_KEY")),
        application_id: s.text("telnyx.application_id", Some("TELNYX_APPLICATION_ID")).map(|(text, _)| text),
        public_key,
        address: base_url(s, "telnyx.api_base_url", "TELNYX_API_BASE_URL")
            .unwrap_or_else(|| ADDRESS.to_owned()),
    };
    if account.api_key.is_some() && (account.account_id.is_none() || account.application_id.is_none()) {
        let fix = "set telnyx.account_id and telnyx.application_id too, or leave the key out";
        s.problem("telnyx.api_key", "places no calls by itself", fix);
    }
    account
}

/// An address that is given instead of the carrier's own; `None` for none, and for one that cannot be used.
fn base_url(s: &mut Source<'_>, key: &'static str, var: &str) -> Option<String> {
    let (text, origin) = s.text(key, Some(var))?;
    match Endpoint::parse(&text) {
        Ok(endpoint) if endpoint.is_secure() || endpoint.is_loopback() => {
            return Some(endpoint.http("").trim_end_matches('/').to_owned());
        }
        Ok(_) => s.problem(origin, "is not encrypted", "use https: the account's token goes there"),
        Err(what) => s.problem(origin, format!("`{text}` {what}"), "write it as https://api.example.com"),
    }
    None
}

fn read_twilio(s: &mut Source<'_>) -> TwilioAccount {
    TwilioAccount {
        account_sid: s.text("twilio.account_sid", Some("TWILIO_ACCOUNT_SID")).map(|(text, _)| text),
        auth_token: s.secret("twilio.auth_token", Some("TWILIO_AUTH_TOKEN")),
        address: read_address(s),
    }
}

/// An address that is given wins over a region; a region needs the edge through which it is reached.
fn read_address(s: &mut Source<'_>) -> String {
    let given = base_url(s, "twilio.api_base_url", "TWILIO_API_BASE_URL");
    let region = s.text("twilio.region", Some("TWILIO_REGION"));
    let edge = s.text("twilio.edge", Some("TWILIO_EDGE"));
    if let Some(given) = given {
        return given;
    }
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    match (edge, region) {
        (None, None) => address(None),
        (Some((edge, _)), Some((region, _))) if is_word(&edge) && is_word(&region) => {
            address(Some((&edge, &region)))
        }
        (_, Some((_, origin))) | (Some((_, origin)), None) => {
            let fix = "set both twilio.edge and twilio.region, as dublin and ie1";
            s.problem(origin, "does not say where the account is served", fix);
            address(None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> (Carrier, Vec<super::super::Problem>) {
        let mut source = Source::new(text.parse().unwrap(), "t.toml".to_owned(), &|_| None);
        let carrier = read(&mut source);
        (carrier, source.finish())
    }

    #[test]
    fn the_account_is_served_where_it_says() {
        for (text, address) in [
            ("", "https://api.twilio.com"),
            ("[twilio]\nedge = \"dublin\"\nregion = \"ie1\"\n", "https://api.dublin.ie1.twilio.com"),
            ("[twilio]\napi_base_url = \"http://127.0.0.1:9000/\"\n", "http://127.0.0.1:9000"),
        ] {
            let (carrier, problems) = load(text);
            assert_eq!((carrier.twilio.address.as_str(), problems.len()), (address, 0), "{text}");
        }
    }

    #[test]
    fn what_leads_nowhere_is_named_with_its_remedy() {
        for (text, told) in [
            ("[twilio]\nregion = \"ie1\"\n", "twilio.edge and twilio.region"),
            ("[twilio]\nedge = \"dub lin\"\nregion = \"ie1\"\n", "as dublin and ie1"),
            ("[twilio]\napi_base_url = \"http://far.example\"\n", "not encrypted"),
            ("[twilio]\napi_base_url = \"nowhere\"\n", "https://api.example.com"),
        ] {
            let shown = format!("{:?}", load(text).1);
            assert!(shown.contains(told), "{text}: {shown}");
        }
    }

    const KEY: &str = "iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w=";

    #[test]
    fn an_account_says_which_carrier_it_is_and_two_need_a_word() {
        let key = format!("[telnyx]\npublic_key = \"{KEY}\"\n");
        let (carrier, problems) = load(&key);
        assert_eq!((carrier.name, carrier.has_key(), problems.len()), (Name::Telnyx, true, 0));
        let both = format!("{key}[twilio]\nauth_token = \"t\"\n");
        assert!(format!("{:?}", load(&both).1).contains("CARRIER"), "two accounts need a word");
        for (word, name) in [("twilio", Name::Twilio), ("telnyx", Name::Telnyx)] {
            let (carrier, problems) = load(&format!("[carrier]\nname = \"{word}\"\n{both}"));
            assert_eq!((carrier.name, problems.len()), (name, 0), "{word}");
        }
        assert_eq!(load("").0.name, Name::Twilio);
    }

    #[test]
    fn half_an_account_is_named_with_its_remedy() {
        for (text, told) in [
            ("[telnyx]\npublic_key = \"AAAA\"\n", "Public Key"),
            ("[telnyx]\napi_key = \"KEY1\"\n", "telnyx.application_id too"),
            ("[telnyx]\napi_base_url = \"http://far.example\"\n", "not encrypted"),
            ("[carrier]\nname = \"acme\"\n", "choose from twilio, telnyx"),
        ] {
            let shown = format!("{:?}", load(text).1);
            assert!(shown.contains(told), "{text}: {shown}");
        }
    }
}
