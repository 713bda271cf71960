//! Twilio's REST interface: places calls, changes and ends them, and tells how they stand.

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};
use reqwest::{Method, RequestBuilder, StatusCode, Url};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::form::{answerer_of, progress_of};
use super::twiml;
use crate::control::{Asked, CallControl, CallOrder, CarrierCall};
use crate::document::Document;
use crate::error::{ControlError, Refusal};
use crate::rest::{Rest, Twice, Waits};

/// By how much the carrier's clock may be behind ours.
const SKEW: TimeDelta = TimeDelta::seconds(30);

/// An account at the carrier.
pub struct Account {
    pub sid: String,
    pub auth_token: SecretString,
    /// Base address, without a slash at its end; see [`address`].
    pub address: String,
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Where an account's region is served: edge and region, such as `dublin` and `ie1`. `None`: in the United States.
#[must_use]
pub fn address(region: Option<(&str, &str)>) -> String {
    match region {
        Some((edge, region)) => format!("https://api.{edge}.{region}.twilio.com"),
        None => "https://api.twilio.com".to_owned(),
    }
}

/// The carrier's control of calls, by HTTP.
#[derive(Debug)]
pub struct RestControl {
    rest: Rest,
    account: Account,
}

#[derive(Deserialize)]
struct CallBody {
    sid: String,
    status: String,
    #[serde(default)]
    duration: Option<String>,
    #[serde(default)]
    answered_by: Option<String>,
    #[serde(default)]
    date_created: Option<String>,
}

#[derive(Deserialize)]
struct ListBody {
    calls: Vec<CallBody>,
}

#[derive(Deserialize)]
struct ErrorBody {
    code: Option<u32>,
}

impl From<CallBody> for CarrierCall {
    fn from(body: CallBody) -> Self {
        Self {
            status: progress_of(&body.status),
            duration_s: body.duration.and_then(|seconds| seconds.parse().ok()),
            answered_by: body.answered_by.as_deref().and_then(answerer_of),
            sid: body.sid,
        }
    }
}

impl CallBody {
    fn made_at(&self) -> Option<DateTime<Utc>> {
        let text = self.date_created.as_deref()?;
        DateTime::parse_from_rfc2822(text).ok().map(|at| at.to_utc())
    }
}

impl RestControl {
    /// # Errors
    /// When no HTTP client can be made on this machine.
    pub fn new(account: Account, waits: Waits) -> reqwest::Result<Self> {
        let rest = Rest::new(&account.address, refusal, waits)?;
        Ok(Self { rest, account })
    }

    fn calls(&self, rest: &str) -> String {
        format!("{}/2010-04-01/Accounts/{}/Calls{rest}.json", self.account.address, self.account.sid)
    }

    /// The address of one call. A name that is none of the carrier's names no call of it.
    fn call(&self, sid: &str) -> Result<String, ControlError> {
        let is_name = !sid.is_empty() && sid.len() <= 64 && sid.chars().all(|c| c.is_ascii_alphanumeric());
        if is_name { Ok(self.calls(&format!("/{sid}"))) } else { Err(ControlError::Gone) }
    }

    fn request(&self, method: Method, url: &str) -> RequestBuilder {
        self.rest
            .request(method, url)
            .basic_auth(&self.account.sid, Some(self.account.auth_token.expose_secret()))
    }

    async fn newest(
        &self,
        query: &[(&str, &str)],
        since: Option<DateTime<Utc>>,
    ) -> Result<Option<CarrierCall>, ControlError> {
        let page = [("PageSize", "20")];
        let url = Url::parse_with_params(&self.calls(""), query.iter().chain(&page));
        let url = url.map_err(|_| ControlError::Unreachable)?;
        let found: ListBody =
            self.rest.ask(Twice::Harmless, || self.request(Method::GET, url.as_str())).await?;
        let recent = |call: &CallBody| {
            since.is_none_or(|since| call.made_at().is_some_and(|made| made >= since - SKEW))
        };
        let newest = found.calls.into_iter().filter(recent).max_by_key(CallBody::made_at);
        Ok(newest.map(CarrierCall::from))
    }
}

fn refusal(status: StatusCode, body: &[u8]) -> ControlError {
    let code = serde_json::from_slice::<ErrorBody>(body).ok().and_then(|error| error.code);
    refused(status, code.unwrap_or_default())
}

/// What a status and the carrier's own code mean.
fn refused(status: StatusCode, code: u32) -> ControlError {
    let why = match code {
        20404 | 21220 => return ControlError::Gone,
        20429 => return ControlError::TooMany,
        20003 => return ControlError::Unauthorised,
        21201 | 21211 | 21214 | 21217 | 21223 | 13224 => Refusal::Number,
        21216 | 21610 | 13225 => Refusal::OptedOut,
        21215 | 21408 | 13227 => Refusal::Destination,
        21210 | 21212 | 21213 | 21606 | 21659 | 21660 => Refusal::Line,
        10001 | 10002 | 10004 | 20005 | 21219 | 30002 => Refusal::Account,
        _ => Refusal::Request,
    };
    match status {
        StatusCode::UNAUTHORIZED => ControlError::Unauthorised,
        StatusCode::NOT_FOUND => ControlError::Gone,
        StatusCode::TOO_MANY_REQUESTS => ControlError::TooMany,
        status if status.is_server_error() => ControlError::Failed(status.as_u16()),
        _ => ControlError::Refused { code, why },
    }
}

impl CallControl for RestControl {
    fn place<'a>(&'a self, order: &'a CallOrder<'a>) -> Asked<'a, CarrierCall> {
        Box::pin(async move {
            let (ring, limit) = (order.ring.as_secs().to_string(), order.limit.as_secs().to_string());
            let mut form = vec![
                ("To", order.to),
                ("From", order.from),
                ("Url", order.answer_url),
                ("Method", "POST"),
                ("StatusCallback", order.status_url),
                ("StatusCallbackMethod", "POST"),
                ("Timeout", &ring),
                ("TimeLimit", &limit),
            ];
            for event in ["initiated", "ringing", "answered", "completed"] {
                form.push(("StatusCallbackEvent", event));
            }
            if let Some(url) = order.detect_url {
                let until = if order.until_greeted { "DetectMessageEnd" } else { "Enable" };
                form.extend([
                    ("MachineDetection", until),
                    ("AsyncAmd", "true"),
                    ("AsyncAmdStatusCallback", url),
                    ("AsyncAmdStatusCallbackMethod", "POST"),
                ]);
            }
            let url = self.calls("");
            let placed: CallBody =
                self.rest.ask(Twice::Never, || self.request(Method::POST, &url).form(&form)).await?;
            Ok(placed.into())
        })
    }

    fn redirect<'a>(&'a self, sid: &'a str, document: &'a Document<'a>) -> Asked<'a, ()> {
        Box::pin(async move {
            let url = self.call(sid)?;
            let form = [("Twiml", twiml::render(document))];
            let _: CallBody =
                self.rest.ask(Twice::Harmless, || self.request(Method::POST, &url).form(&form)).await?;
            Ok(())
        })
    }

    fn hang_up<'a>(&'a self, sid: &'a str) -> Asked<'a, ()> {
        Box::pin(async move {
            let url = self.call(sid)?;
            let form = [("Status", "completed")];
            let ended: Result<CallBody, _> =
                self.rest.ask(Twice::Harmless, || self.request(Method::POST, &url).form(&form)).await;
            match ended {
                Ok(_) | Err(ControlError::Gone) => Ok(()),
                Err(error) => Err(error),
            }
        })
    }

    fn look_up<'a>(&'a self, sid: &'a str) -> Asked<'a, CarrierCall> {
        Box::pin(async move {
            let url = self.call(sid)?;
            let call: CallBody = self.rest.ask(Twice::Harmless, || self.request(Method::GET, &url)).await?;
            Ok(call.into())
        })
    }

    fn find<'a>(
        &'a self,
        from: &'a str,
        to: &'a str,
        since: DateTime<Utc>,
    ) -> Asked<'a, Option<CarrierCall>> {
        Box::pin(async move { self.newest(&[("From", from), ("To", to)], Some(since)).await })
    }

    fn dialled_by<'a>(&'a self, parent: &'a str) -> Asked<'a, Option<CarrierCall>> {
        Box::pin(async move {
            self.call(parent)?;
            self.newest(&[("ParentCallSid", parent)], None).await
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_says_what_to_do() {
        let bad = StatusCode::BAD_REQUEST;
        for (code, why) in [
            (21211, Refusal::Number),
            (21610, Refusal::OptedOut),
            (21215, Refusal::Destination),
            (21212, Refusal::Line),
            (30002, Refusal::Account),
            (21205, Refusal::Request),
        ] {
            assert_eq!(refused(bad, code), ControlError::Refused { code, why });
            assert!(refused(bad, code).to_string().contains(why.fix()));
        }
        assert_eq!(refused(bad, 21220), ControlError::Gone);
        assert_eq!(refused(StatusCode::NOT_FOUND, 0), ControlError::Gone);
        assert_eq!(refused(StatusCode::UNAUTHORIZED, 20003), ControlError::Unauthorised);
        assert_eq!(refused(StatusCode::TOO_MANY_REQUESTS, 20429), ControlError::TooMany);
        assert_eq!(refused(StatusCode::BAD_GATEWAY, 0), ControlError::Failed(502));
    }

    #[test]
    fn a_region_has_an_address_of_its_own_and_no_secret_is_shown() {
        assert_eq!(address(None), "https://api.twilio.com");
        assert_eq!(address(Some(("dublin", "ie1"))), "https://api.dublin.ie1.twilio.com");
        let account = Account { sid: "AC1".into(), auth_token: "s3cret".into(), address: address(None) };
        let control = RestControl::new(account, |_, _| None).expect("a client");
        assert!(!format!("{control:?}").contains("s3cret"));
        for odd in ["", "CA/../1", "CA 1", "CA-1"] {
            assert_eq!(control.call(odd), Err(ControlError::Gone), "{odd}");
        }
    }
}
