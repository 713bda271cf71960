//! What the carrier brings when a key was pressed, when somebody was dialled, and when it knows who answered.

use super::status::{Answerer, CallProgress, number, text};
use crate::error::StatusError;

/// What came of dialling somebody on behalf of a call, or of referring the call to them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dialled {
    pub status: CallProgress,
    /// The carrier's id of the call that was dialled, where there was one.
    pub call_sid: Option<String>,
    pub duration_s: Option<u64>,
}

impl Dialled {
    /// Reads the decoded fields of the form.
    ///
    /// # Errors
    /// [`StatusError::Missing`] without what came of it.
    pub fn from_form(fields: &[(String, String)]) -> Result<Self, StatusError> {
        if let Some(code) = text(fields, "ReferSipResponseCode") {
            return Ok(Self { status: referred(fields, code), call_sid: None, duration_s: None });
        }
        let status = text(fields, "DialCallStatus").ok_or(StatusError::Missing("DialCallStatus"))?;
        // Of a call that was dialled, "answered" is an end: both were joined.
        let status = if status == "answered" { CallProgress::Completed } else { CallProgress::parse(status) };
        Ok(Self {
            status,
            call_sid: text(fields, "DialCallSid").map(str::to_owned),
            duration_s: number(fields, "DialCallDuration")?,
        })
    }
}

/// What the caller's own exchange told of the call that it was asked to place. Told nothing, or no end, it took the order.
fn referred(fields: &[(String, String)], code: &str) -> CallProgress {
    match text(fields, "ReferCallStatus").map(CallProgress::parse) {
        Some(status) if status.is_final() => status,
        _ if code.starts_with('2') => CallProgress::Completed,
        _ => CallProgress::Failed,
    }
}

/// Whether the caller's leg is a SIP one, which can be referred.
#[must_use]
pub fn is_sip(fields: &[(String, String)]) -> bool {
    text(fields, "SipCallId").is_some() || text(fields, "From").is_some_and(|from| from.starts_with("sip"))
}

/// The keys that were pressed.
#[must_use]
pub fn keys(fields: &[(String, String)]) -> Option<&str> {
    text(fields, "Digits")
}

/// What was said, as the carrier heard it.
#[must_use]
pub fn speech(fields: &[(String, String)]) -> Option<&str> {
    text(fields, "SpeechResult")
}

/// The account that the form is of; empty when it was left out.
#[must_use]
pub fn account_sid(fields: &[(String, String)]) -> &str {
    text(fields, "AccountSid").unwrap_or_default()
}

/// The call that the form is about.
///
/// # Errors
/// [`StatusError::Missing`] without its id.
pub fn call_sid(fields: &[(String, String)]) -> Result<&str, StatusError> {
    text(fields, "CallSid").ok_or(StatusError::Missing("CallSid"))
}

/// Who answered, where the form says so.
#[must_use]
pub fn answered_by(fields: &[(String, String)]) -> Option<Answerer> {
    Answerer::parse(text(fields, "AnsweredBy")?)
}

/// Whether what answered is a machine that takes a message from now on: its greeting is over.
#[must_use]
pub fn takes_message(fields: &[(String, String)]) -> bool {
    text(fields, "AnsweredBy").is_some_and(|word| word.starts_with("machine_end_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(fields: &[(&str, &str)]) -> Vec<(String, String)> {
        fields.iter().map(|&(n, v)| (n.into(), v.into())).collect()
    }

    #[test]
    fn what_came_of_dialling_is_read() {
        let fields = form(&[
            ("CallSid", "CA1"),
            ("DialCallStatus", "answered"),
            ("DialCallSid", "CA2"),
            ("DialCallDuration", "9"),
        ]);
        let expected =
            Dialled { status: CallProgress::Completed, call_sid: Some("CA2".into()), duration_s: Some(9) };
        assert_eq!(Dialled::from_form(&fields), Ok(expected));
        assert_eq!(call_sid(&fields), Ok("CA1"));
        let busy = Dialled::from_form(&form(&[("DialCallStatus", "no-answer")]));
        assert_eq!(busy.map(|dialled| dialled.status), Ok(CallProgress::NoAnswer));
        assert_eq!(Dialled::from_form(&[]), Err(StatusError::Missing("DialCallStatus")));
    }

    #[test]
    fn what_came_of_a_referral_is_read() {
        for (fields, expected) in [
            (&[("ReferSipResponseCode", "202")][..], CallProgress::Completed),
            (&[("ReferSipResponseCode", "202"), ("ReferCallStatus", "in-progress")], CallProgress::Completed),
            (&[("ReferSipResponseCode", "202"), ("ReferCallStatus", "busy")], CallProgress::Busy),
            (&[("ReferSipResponseCode", "405")], CallProgress::Failed),
        ] {
            let came = Dialled::from_form(&form(fields)).map(|dialled| dialled.status);
            assert_eq!(came, Ok(expected), "{fields:?}");
        }
        assert!(
            is_sip(&form(&[("SipCallId", "9f@pbx")]))
                && is_sip(&form(&[("From", "sip:ana@pbx.example.gov")]))
        );
        assert!(!is_sip(&form(&[("From", "+12025550143")])));
    }

    #[test]
    fn keys_and_who_answered_may_be_missing() {
        assert_eq!((keys(&[]), answered_by(&[])), (None, None));
        let fields = form(&[("Digits", "1"), ("AnsweredBy", "machine_start")]);
        assert_eq!((keys(&fields), answered_by(&fields)), (Some("1"), Some(Answerer::Machine)));
        assert!(!takes_message(&fields) && !takes_message(&[]), "it still greets");
        for word in ["machine_end_beep", "machine_end_silence", "machine_end_other"] {
            let fields = form(&[("AnsweredBy", word)]);
            assert!(takes_message(&fields) && answered_by(&fields) == Some(Answerer::Machine), "{word}");
        }
        assert!(!takes_message(&form(&[("AnsweredBy", "fax")])));
    }
}
