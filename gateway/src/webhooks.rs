//! What the carrier asks by HTTP. Handlers are the same for every carrier; its own file says where they are.

pub mod authenticity;
pub mod dial;
pub mod notes;
pub mod outreach;
pub mod paths;
pub mod request;
pub mod resume;
pub mod status;
pub mod telnyx;
pub mod transfer;
pub mod twilio;
pub mod voice;
pub mod warm;

use std::sync::Arc;

use telephony::carrier::Carrier;

use crate::config::carrier::{Carrier as Settings, Name};
use crate::routes::Routes;
use paths::Paths;

/// The carrier of the settings, and where it finds us.
#[must_use]
pub fn carrier(settings: &Settings) -> (Arc<dyn Carrier>, &'static Paths) {
    match settings.name {
        Name::Twilio => (twilio::carrier(&settings.twilio), &twilio::PATHS),
        Name::Telnyx => (telnyx::carrier(&settings.telnyx), &telnyx::PATHS),
    }
}

/// Every carrier that there is: the first part of its paths, and where it finds us.
static ALL: [(&str, &Paths); 2] =
    [(telephony::twilio::NAME, &twilio::PATHS), (telephony::telnyx::NAME, &telnyx::PATHS)];

/// The routes of every carrier. Those of another than the configured one are refused.
#[must_use]
pub fn routes(routes: Routes) -> Routes {
    ALL.iter().fold(routes, |routes, (_, paths)| paths.add(routes))
}

/// Whether paths that begin so are a carrier's.
#[must_use]
pub fn is_carrier(name: &str) -> bool {
    ALL.iter().any(|(known, _)| *known == name)
}
