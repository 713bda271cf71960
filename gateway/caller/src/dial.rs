//! Placing a call at a gateway as the carrier does: the signed webhook, and the stream it asks for.

use std::time::Duration;

use reqwest::Client;
use secrecy::SecretString;
use telephony::call_status::VoiceRequest;
use telephony::media::StreamStart;
use telephony::twilio::form;
use telephony::twilio::signature::{SIGNATURE_HEADER, sign};
use uuid::Uuid;

use super::order::{self, Order};

/// Longest wait for the webhook's answer: the carrier gives up after this.
const ANSWER: Duration = Duration::from_secs(15);

/// Where the gateway's carrier asks what to do with a call.
const VOICE: &str = "/twilio/voice";

/// The gateway's account with the carrier, as far as a call at its door needs it.
#[derive(Clone, Debug, Default)]
pub struct Account {
    pub sid: Option<String>,
    /// What requests are signed with.
    pub key: Option<SecretString>,
    /// Address that the gateway believes it has; requests are signed with it.
    pub public_url: Option<String>,
}

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
    /// The gateway at `base`. Requests are signed when the account has a key.
    #[must_use]
    pub fn new(account: Account, http: Client, base: String) -> Self {
        Self {
            http,
            signed_base: account.public_url.unwrap_or_else(|| base.clone()),
            base,
            key: account.key,
            account_sid: account.sid.unwrap_or_else(|| format!("AC{}", Uuid::new_v4().simple())),
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
            call_sid: format!("CA{}", Uuid::new_v4().simple()),
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
        let mut post = self.http.post(format!("{}{}", self.base, VOICE)).form(&fields).timeout(ANSWER);
        if let Some((name, value)) = self.sign(&format!("{}{}", self.signed_base, VOICE), &fields) {
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
            stream_sid: format!("MZ{}", Uuid::new_v4().simple()),
            call_sid: call.call_sid.clone(),
            account_sid: call.account_sid.clone(),
            parameters,
        }
    }
}
