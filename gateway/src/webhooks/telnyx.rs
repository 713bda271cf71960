//! Telnyx's webhooks: where they are, and the carrier behind them.

use std::sync::Arc;

use pipeline::provider::retry;
use telephony::carrier::Carrier;
use telephony::telnyx::Telnyx;
use telephony::telnyx::rest::{Account, RestControl};

use super::paths::{Paths, paths};
use crate::config::carrier::TelnyxAccount;

/// Where Telnyx finds us.
pub static PATHS: Paths = paths!("telnyx");

/// The carrier of this account, as far as it is known.
#[must_use]
pub fn carrier(account: &TelnyxAccount) -> Arc<dyn Carrier> {
    Arc::new(Telnyx::new(account.public_key, control(account)))
}

/// Its control of calls, where there is an account to ask with.
fn control(account: &TelnyxAccount) -> Option<RestControl> {
    let account = Account {
        id: account.account_id.clone()?,
        api_key: account.api_key.clone()?,
        application: account.application_id.clone()?,
        address: account.address.clone(),
    };
    match RestControl::new(account, retry::wait) {
        Ok(control) => Some(control),
        Err(error) => {
            tracing::error!(%error, "no HTTP client can be made: no call is placed");
            None
        }
    }
}
