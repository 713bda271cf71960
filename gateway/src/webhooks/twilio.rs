//! Twilio's webhooks: where they are, and the carrier behind them.

use std::sync::Arc;

use pipeline::provider::retry;
use telephony::carrier::Carrier;
use telephony::twilio::Twilio;
use telephony::twilio::rest::{Account, RestControl};
use telephony::twilio::signature::SigningKeys;

use super::paths::{Paths, paths};
use crate::config::carrier::TwilioAccount;

/// Where Twilio finds us.
pub static PATHS: Paths = paths!("twilio");

/// The carrier of this account, as far as it is known.
#[must_use]
pub fn carrier(account: &TwilioAccount) -> Arc<dyn Carrier> {
    let keys = account.auth_token.clone().map(SigningKeys::new);
    Arc::new(Twilio::new(keys, control(account)))
}

/// Its control of calls, where there is an account to ask with.
fn control(account: &TwilioAccount) -> Option<RestControl> {
    let (sid, auth_token) = (account.account_sid.clone()?, account.auth_token.clone()?);
    let account = Account { sid, auth_token, address: account.address.clone() };
    match RestControl::new(account, retry::wait) {
        Ok(control) => Some(control),
        Err(error) => {
            tracing::error!(%error, "no HTTP client can be made: no call is placed");
            None
        }
    }
}
