//! What the carrier asks by HTTP.

pub mod dial;
pub mod outreach;
pub mod request;
pub mod resume;
pub mod status;
pub mod transfer;
pub mod trust;
pub mod voice;
pub mod warm;
