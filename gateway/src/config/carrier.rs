//! `[twilio]`: the account at the carrier, and where it is served.

use pipeline::provider::Endpoint;
use secrecy::SecretString;
use telephony::twilio::rest::address;

use super::source::Source;

/// The carrier account.
#[derive(Clone, Debug)]
pub struct Carrier {
    /// Absent: no call is placed, transferred or asked about.
    pub account_sid: Option<String>,
    /// Key of request signatures. Absent: unsigned mode, loopback callers only.
    pub auth_token: Option<SecretString>,
    /// Base address of the carrier's own interface, without a slash at its end.
    pub address: String,
}

pub(super) fn read(s: &mut Source<'_>) -> Carrier {
    Carrier {
        account_sid: s.text("twilio.account_sid", Some("TWILIO_ACCOUNT_SID")).map(|(text, _)| text),
        auth_token: s.secret("twilio.auth_token", Some("TWILIO_AUTH_TOKEN")),
        address: read_address(s),
    }
}

/// An address that is given wins over a region; a region needs the edge through which it is reached.
fn read_address(s: &mut Source<'_>) -> String {
    let given = s.text("twilio.api_base_url", Some("TWILIO_API_BASE_URL"));
    let region = s.text("twilio.region", Some("TWILIO_REGION"));
    let edge = s.text("twilio.edge", Some("TWILIO_EDGE"));
    if let Some((text, origin)) = given {
        let fix = "write it as https://api.example.com";
        match Endpoint::parse(&text) {
            Ok(endpoint) if endpoint.is_secure() || endpoint.is_loopback() => {
                return endpoint.http("").trim_end_matches('/').to_owned();
            }
            Ok(_) => s.problem(origin, "is not encrypted", "use https: the account's token goes there"),
            Err(what) => s.problem(origin, format!("`{text}` {what}"), fix),
        }
        return address(None);
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
            assert_eq!((carrier.address.as_str(), problems.len()), (address, 0), "{text}");
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
}
