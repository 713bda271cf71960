//! Telnyx's REST interface for TeXML calls: places them, changes and ends them, and tells how they stand
//! (<https://developers.telnyx.com/docs/voice/texml/rest-api/calls>).

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};
use reqwest::{Method, RequestBuilder, StatusCode, Url};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::{Value, json};

use super::texml;
use crate::control::{Asked, CallControl, CallOrder, CarrierCall};
use crate::document::Document;
use crate::error::{ControlError, Refusal};
use crate::rest::{Rest, Twice, Waits};
use crate::twilio::form::{answerer_of, progress_of};

/// Where the interface is.
pub const ADDRESS: &str = "https://api.telnyx.com";
/// By how much the carrier's clock may be behind ours.
const SKEW: TimeDelta = TimeDelta::seconds(30);

/// An account at the carrier.
pub struct Account {
    /// The account's id, which its callbacks name too.
    pub id: String,
    pub api_key: SecretString,
    /// The TeXML application whose outbound profile calls go by.
    pub application: String,
    /// Base address, without a slash at its end.
    pub address: String,
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account").field("address", &self.address).finish_non_exhaustive()
    }
}

/// The carrier's control of calls, by HTTP.
#[derive(Debug)]
pub struct RestControl {
    rest: Rest,
    account: Account,
}

/// A call, as it is placed, looked up, or listed. The answer to placing one is documented without its id.
#[derive(Deserialize)]
struct CallBody {
    #[serde(alias = "call_sid")]
    sid: Option<String>,
    status: Option<String>,
    duration: Option<String>,
    answered_by: Option<String>,
    date_created: Option<String>,
}

#[derive(Deserialize)]
struct ListBody {
    #[serde(default)]
    calls: Vec<CallBody>,
}

#[derive(Deserialize)]
struct ErrorBody {
    #[serde(default)]
    errors: Vec<ErrorItem>,
}

#[derive(Deserialize)]
struct ErrorItem {
    code: Option<Value>,
}

impl CallBody {
    fn made_at(&self) -> Option<DateTime<Utc>> {
        let text = self.date_created.as_deref()?;
        DateTime::parse_from_rfc2822(text).ok().map(|at| at.to_utc())
    }

    fn known(self) -> Option<CarrierCall> {
        Some(CarrierCall {
            sid: self.sid?,
            status: progress_of(self.status.as_deref().unwrap_or_default()),
            duration_s: self.duration.and_then(|seconds| seconds.parse().ok()),
            answered_by: self.answered_by.as_deref().and_then(answerer_of),
        })
    }
}

impl RestControl {
    /// # Errors
    /// When no HTTP client can be made on this machine.
    pub fn new(account: Account, waits: Waits) -> reqwest::Result<Self> {
        let rest = Rest::new(&account.address, refused, waits)?;
        Ok(Self { rest, account })
    }

    fn calls(&self) -> String {
        format!("{}/v2/texml/Accounts/{}/Calls", self.account.address, self.account.id)
    }

    /// The address of one call. A name that is none of the carrier's names no call of it.
    fn call(&self, sid: &str) -> Result<String, ControlError> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_');
        let is_name = !sid.is_empty() && sid.len() <= 128 && sid.chars().all(is_part);
        if is_name { Ok(format!("{}/{sid}", self.calls())) } else { Err(ControlError::Gone) }
    }

    fn request(&self, method: Method, url: &str) -> RequestBuilder {
        self.rest.request(method, url).bearer_auth(self.account.api_key.expose_secret())
    }

    async fn update(&self, sid: &str, form: &[(&str, &str)]) -> Result<(), ControlError> {
        let url = self.call(sid)?;
        let _: Value = self.rest.ask(Twice::Harmless, || self.request(Method::POST, &url).form(form)).await?;
        Ok(())
    }
}

/// What a status and the carrier's own code mean.
fn refused(status: StatusCode, body: &[u8]) -> ControlError {
    let code = serde_json::from_slice::<ErrorBody>(body).ok().and_then(|body| {
        let code = body.errors.into_iter().next()?.code?;
        code.as_u64().or_else(|| code.as_str()?.parse().ok()).and_then(|code| u32::try_from(code).ok())
    });
    let code = code.unwrap_or_default();
    match status {
        // The call has already ended.
        _ if code == 90_018 => ControlError::Gone,
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => ControlError::Unauthorised,
        StatusCode::PAYMENT_REQUIRED => ControlError::Refused { code, why: Refusal::Account },
        StatusCode::NOT_FOUND => ControlError::Gone,
        StatusCode::TOO_MANY_REQUESTS => ControlError::TooMany,
        status if status.is_server_error() => ControlError::Failed(status.as_u16()),
        _ => ControlError::Refused { code, why: Refusal::Request },
    }
}

/// The order, as JSON. Times are within the carrier's bounds.
fn order_body(application: &str, order: &CallOrder<'_>) -> Value {
    let mut body = json!({
        "ApplicationSid": application,
        "To": order.to,
        "From": order.from,
        "Url": order.answer_url,
        "UrlMethod": "POST",
        "StatusCallback": order.status_url,
        "StatusCallbackMethod": "POST",
        "StatusCallbackEvent": "initiated ringing answered completed",
        "Timeout": order.ring.as_secs().clamp(5, 120),
        "TimeLimit": order.limit.as_secs().clamp(30, 14_400),
    });
    if let (Some(url), Some(fields)) = (order.detect_url, body.as_object_mut()) {
        let until = if order.until_greeted { "DetectMessageEnd" } else { "Enable" };
        fields.insert("MachineDetection".to_owned(), until.into());
        fields.insert("AsyncAmd".to_owned(), true.into());
        fields.insert("AsyncAmdStatusCallback".to_owned(), url.into());
        fields.insert("AsyncAmdStatusCallbackMethod".to_owned(), "POST".into());
    }
    body
}

impl CallControl for RestControl {
    fn place<'a>(&'a self, order: &'a CallOrder<'a>) -> Asked<'a, CarrierCall> {
        Box::pin(async move {
            let (url, body) = (self.calls(), order_body(&self.account.application, order));
            let placed = self.rest.ask(Twice::Never, || self.request(Method::POST, &url).json(&body)).await;
            // Nobody was called: it is the account or the application that is not there.
            let placed: CallBody = placed.map_err(|error| match error {
                ControlError::Gone => ControlError::Refused { code: 404, why: Refusal::Account },
                error => error,
            })?;
            // It rings, and its callbacks name it.
            placed.known().ok_or(ControlError::Unknown)
        })
    }

    fn redirect<'a>(&'a self, sid: &'a str, document: &'a Document<'a>) -> Asked<'a, ()> {
        Box::pin(async move { self.update(sid, &[("Texml", &texml::render(document))]).await })
    }

    fn hang_up<'a>(&'a self, sid: &'a str) -> Asked<'a, ()> {
        Box::pin(async move {
            match self.update(sid, &[("Status", "completed")]).await {
                Ok(()) | Err(ControlError::Gone) => Ok(()),
                Err(error) => Err(error),
            }
        })
    }

    fn look_up<'a>(&'a self, sid: &'a str) -> Asked<'a, CarrierCall> {
        Box::pin(async move {
            let url = self.call(sid)?;
            let call: CallBody = self.rest.ask(Twice::Harmless, || self.request(Method::GET, &url)).await?;
            call.known().ok_or(ControlError::Garbage)
        })
    }

    fn find<'a>(
        &'a self,
        from: &'a str,
        to: &'a str,
        since: DateTime<Utc>,
    ) -> Asked<'a, Option<CarrierCall>> {
        Box::pin(async move {
            let query = [("From", from), ("To", to), ("PageSize", "20")];
            let url = Url::parse_with_params(&self.calls(), query).map_err(|_| ControlError::Unreachable)?;
            let found: ListBody =
                self.rest.ask(Twice::Harmless, || self.request(Method::GET, url.as_str())).await?;
            let recent = |call: &CallBody| call.made_at().is_some_and(|made| made >= since - SKEW);
            let newest = found.calls.into_iter().filter(recent).max_by_key(CallBody::made_at);
            Ok(newest.and_then(CallBody::known))
        })
    }

    /// The interface does not tell which call dialled another.
    fn dialled_by<'a>(&'a self, _: &'a str) -> Asked<'a, Option<CarrierCall>> {
        Box::pin(async { Err(ControlError::Unable) })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn control() -> RestControl {
        let (id, application) = ("f5586561".to_owned(), "1293384261075731499".to_owned());
        let account = Account { id, api_key: "s3cret".into(), application, address: ADDRESS.to_owned() };
        RestControl::new(account, |_, _| None).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn each_refusal_says_what_to_do() {
        let body = |code: &str| format!(r#"{{"errors":[{{"code":{code},"title":"x"}}]}}"#);
        let of = |status: u16, code: &str| {
            refused(StatusCode::from_u16(status).unwrap_or_default(), body(code).as_bytes())
        };
        assert_eq!(of(422, "\"90018\""), ControlError::Gone);
        assert_eq!(of(404, "10005"), ControlError::Gone);
        assert_eq!(of(401, "10009"), ControlError::Unauthorised);
        assert_eq!(of(429, "10011"), ControlError::TooMany);
        assert_eq!(of(502, "0"), ControlError::Failed(502));
        assert_eq!(of(422, "10015"), ControlError::Refused { code: 10_015, why: Refusal::Request });
        assert_eq!(
            refused(StatusCode::PAYMENT_REQUIRED, b"?"),
            ControlError::Refused { code: 0, why: Refusal::Account }
        );
    }

    #[test]
    fn names_that_lead_elsewhere_are_none_and_no_secret_is_shown() {
        let control = control();
        assert!(!format!("{control:?}").contains("s3cret"));
        for odd in ["", "v3:../1", "v3/1", "v3?1", "v3 1"] {
            assert_eq!(control.call(odd), Err(ControlError::Gone), "{odd}");
        }
        assert!(control.call("v3:9X2vx-_Q").is_ok_and(|url| url.ends_with("/Calls/v3:9X2vx-_Q")));
    }

    #[test]
    fn times_are_within_the_carriers_bounds() {
        let order = CallOrder {
            to: "+12025550143",
            from: "+12025550100",
            answer_url: "https://gw.example.com/answer",
            status_url: "https://gw.example.com/status",
            detect_url: Some("https://gw.example.com/status"),
            until_greeted: true,
            ring: Duration::from_secs(600),
            limit: Duration::from_secs(86_400),
        };
        let body = order_body("1", &order);
        assert_eq!((&body["Timeout"], &body["TimeLimit"]), (&json!(120), &json!(14_400)));
        assert_eq!(
            (&body["MachineDetection"], &body["AsyncAmd"]),
            (&json!("DetectMessageEnd"), &json!(true))
        );
        let silent = CallOrder { detect_url: None, ..order };
        assert!(order_body("1", &silent).get("MachineDetection").is_none());
    }
}
