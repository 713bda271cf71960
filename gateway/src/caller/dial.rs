//! Placing a call at a gateway as the carrier does: the signed webhook, and the stream it asks for.

use std::time::Duration;

use reqwest::Client;
use secrecy::SecretString;
use telephony::call_status::VoiceRequest;
use telephony::media::StreamStart;
use telephony::twilio::form;
use telephony::twilio::signature::{SIGNATURE_HEADER, sign};

use super::order::{self, Order};
use crate::auth::secrets;
use crate::config::Config;
use crate::webhooks::twilio::PATHS;

/// Longest wait for the webhook's answer: the carrier gives up after this.
const ANSWER: Duration = Duration::from_secs(15);

/// Why a call was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("{0} does not answer: start the gateway with `quandura serve`, or give --url")]
    Unreachable(String),
    #[error("the gateway refused the call ({status}): {what}")]
    Status { status: u16, what: String },
    #[error("the gateway's answer is not understood: {0}")]
    NotUnderstood(&'static str),
}

/// A gateway as its carrier knows it. The carrier that is played is Twilio.
#[derive(Debug)]
pub struct Exchange {
    http: Client,
    base: String,
    /// Address that the gateway believes it has; webhooks are signed with it.
    signed_base: String,
    key: Option<SecretString>,
    account_sid: String,
}

impl Exchange {
    /// The gateway at `base`. Requests are signed when `config` has the carrier's key.
    #[must_use]
    pub fn new(config: &Config, http: Client, base: String) -> Self {
        let signed_base =
            config.public_url.as_ref().map_or_else(|| base.clone(), |url| url.as_str().to_owned());
        let account_sid = config.carrier.twilio.account_sid.clone();
        Self {
            http,
            base,
            signed_base,
            key: config.carrier.twilio.auth_token.clone(),
            account_sid: account_sid.unwrap_or_else(|| format!("AC{}", secrets::random_hex(16))),
        }
    }

    #[must_use]
    pub fn http(&self) -> &Client {
        &self.http
    }

    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// A new call between two numbers.
    #[must_use]
    pub fn ring(&self, from: &str, to: &str) -> VoiceRequest {
        VoiceRequest {
            call_sid: format!("CA{}", secrets::random_hex(16)),
            account_sid: self.account_sid.clone(),
            from: Some(from.to_owned()),
            to: to.to_owned(),
        }
    }

    /// Asks the gateway what to do with a call.
    ///
    /// # Errors
    /// [`Refusal`], when there is nothing to do with it.
    pub async fn place(&self, call: &VoiceRequest) -> Result<Order, Refusal> {
        let fields = form::ringing(call);
        let mut post = self.http.post(format!("{}{}", self.base, PATHS.voice)).form(&fields).timeout(ANSWER);
        if let Some((name, value)) = self.sign(&format!("{}{}", self.signed_base, PATHS.voice), &fields) {
            post = post.header(name, value);
        }
        let unreachable = |_| Refusal::Unreachable(self.base.clone());
        let answer = post.send().await.map_err(unreachable)?;
        let (status, body) = (answer.status(), answer.text().await.map_err(unreachable)?);
        if !status.is_success() {
            let error: serde_json::Value = serde_json::from_str(&body).unwrap_or_default();
            let what = error["error_message"].as_str().unwrap_or(&body).to_owned();
            return Err(Refusal::Status { status: status.as_u16(), what });
        }
        order::read(&body).map_err(Refusal::NotUnderstood)
    }

    /// The signature of a stream's address, where we have the key.
    #[must_use]
    pub fn stream_signature(&self, url: &str) -> Option<(&'static str, String)> {
        self.sign(url, &[])
    }

    fn sign(&self, url: &str, fields: &[(String, String)]) -> Option<(&'static str, String)> {
        self.key.as_ref().map(|key| (SIGNATURE_HEADER, sign(key, url, fields)))
    }

    /// What opens the stream of a call.
    #[must_use]
    pub fn start(&self, call: &VoiceRequest, parameters: Vec<(String, String)>) -> StreamStart {
        StreamStart {
            stream_sid: format!("MZ{}", secrets::random_hex(16)),
            call_sid: call.call_sid.clone(),
            account_sid: call.account_sid.clone(),
            parameters,
        }
    }
}
