//! The form with which the carrier tells of a call: read by the webhooks, written by those who stand in for it.

use crate::error::StatusError;

/// A call, as a voice webhook names it.
#[derive(Clone, PartialEq, Eq)]
pub struct VoiceRequest {
    /// The carrier's id of the call.
    pub call_sid: String,
    /// The carrier's id of the account; empty when it was left out.
    pub account_sid: String,
    /// Caller's number as the carrier gives it, if it does.
    pub from: Option<String>,
    /// Number that was called.
    pub to: String,
}

impl std::fmt::Debug for VoiceRequest {
    /// Without the numbers: they are personal.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VoiceRequest").field("call_sid", &self.call_sid).finish_non_exhaustive()
    }
}

impl VoiceRequest {
    /// Reads the decoded fields.
    ///
    /// # Errors
    /// [`StatusError::Missing`] without the call's id or the number that was called.
    pub fn from_form(fields: &[(String, String)]) -> Result<Self, StatusError> {
        let text = |name: &str| {
            fields.iter().find(|(n, v)| n == name && !v.is_empty()).map(|(_, value)| value.clone())
        };
        Ok(Self {
            call_sid: text("CallSid").ok_or(StatusError::Missing("CallSid"))?,
            account_sid: text("AccountSid").unwrap_or_default(),
            from: text("From"),
            to: text("To").ok_or(StatusError::Missing("To"))?,
        })
    }

    /// The fields as the carrier sends them when a call rings.
    #[must_use]
    pub fn to_form(&self) -> Vec<(String, String)> {
        let from = self.from.as_deref().map(|from| [("From", from), ("Caller", from)]);
        let fields = [
            ("CallSid", self.call_sid.as_str()),
            ("AccountSid", &self.account_sid),
            ("To", &self.to),
            ("Called", &self.to),
            ("CallStatus", "ringing"),
            ("Direction", "inbound"),
            ("ApiVersion", "2010-04-01"),
        ];
        let fields = fields.into_iter().chain(from.into_iter().flatten());
        fields.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_a_client_writes_is_what_the_webhook_reads() {
        let request = VoiceRequest {
            call_sid: "CA1".to_owned(),
            account_sid: "AC1".to_owned(),
            from: Some("+12025550143".to_owned()),
            to: "+12025550100".to_owned(),
        };
        assert_eq!(VoiceRequest::from_form(&request.to_form()).unwrap(), request);
        assert!(!format!("{request:?}").contains("2025550"));
        assert_eq!(VoiceRequest::from_form(&[]), Err(StatusError::Missing("CallSid")));
    }
}
