//! What keeps personal data inside the sensitive zone.

mod redact;

pub use redact::Redactor;
