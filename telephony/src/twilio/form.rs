//! The fields with which the carrier tells of a call: read by the webhooks, written by those who stand in for it.

use crate::call_status::{Answerer, CallProgress, Callback, Dialled, StatusCallback, VoiceRequest};
use crate::error::StatusError;

/// Decoded fields of a form, in any order.
type Fields = [(String, String)];

/// Reads everything that the fields say.
#[must_use]
pub fn read(fields: &Fields) -> Callback {
    Callback {
        call_sid: call_sid(fields),
        account_sid: account_sid(fields),
        voice: voice(fields),
        progress: progress(fields),
        dialled: dialled(fields),
        keys: text(fields, "Digits").map(str::to_owned),
        speech: text(fields, "SpeechResult").map(str::to_owned),
        answered_by: text(fields, "AnsweredBy").and_then(answerer_of),
        takes_message: text(fields, "AnsweredBy").is_some_and(|word| word.starts_with("machine_end_")),
        is_sip: is_sip(fields),
    }
}

/// The carrier's name of a status.
#[must_use]
pub fn progress_of(name: &str) -> CallProgress {
    match name {
        "queued" => CallProgress::Queued,
        "initiated" => CallProgress::Initiated,
        "ringing" => CallProgress::Ringing,
        "in-progress" | "answered" => CallProgress::InProgress,
        "completed" => CallProgress::Completed,
        "busy" => CallProgress::Busy,
        "failed" => CallProgress::Failed,
        "no-answer" => CallProgress::NoAnswer,
        "canceled" => CallProgress::Canceled,
        _ => CallProgress::Other,
    }
}

/// The carrier's word for who answered; `None` for nothing.
#[must_use]
pub fn answerer_of(word: &str) -> Option<Answerer> {
    match word {
        "" => None,
        "human" => Some(Answerer::Person),
        "fax" => Some(Answerer::Machine),
        word if word.starts_with("machine") => Some(Answerer::Machine),
        _ => Some(Answerer::Unknown),
    }
}

/// The fields as the carrier sends them when a call rings.
#[must_use]
pub fn ringing(request: &VoiceRequest) -> Vec<(String, String)> {
    let from = request.from.as_deref().map(|from| [("From", from), ("Caller", from)]);
    let fields = [
        ("CallSid", request.call_sid.as_str()),
        ("AccountSid", &request.account_sid),
        ("To", &request.to),
        ("Called", &request.to),
        ("CallStatus", "ringing"),
        ("Direction", "inbound"),
        ("ApiVersion", "2010-04-01"),
    ];
    let fields = fields.into_iter().chain(from.into_iter().flatten());
    fields.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn call_sid(fields: &Fields) -> Result<String, StatusError> {
    text(fields, "CallSid").map(str::to_owned).ok_or(StatusError::Missing("CallSid"))
}

fn account_sid(fields: &Fields) -> String {
    text(fields, "AccountSid").unwrap_or_default().to_owned()
}

fn voice(fields: &Fields) -> Result<VoiceRequest, StatusError> {
    Ok(VoiceRequest {
        call_sid: call_sid(fields)?,
        account_sid: account_sid(fields),
        from: text(fields, "From").map(str::to_owned),
        to: text(fields, "To").ok_or(StatusError::Missing("To"))?.to_owned(),
    })
}

fn progress(fields: &Fields) -> Result<StatusCallback, StatusError> {
    let status = text(fields, "CallStatus").ok_or(StatusError::Missing("CallStatus"))?;
    Ok(StatusCallback {
        call_sid: call_sid(fields)?,
        status: progress_of(status),
        sequence: number(fields, "SequenceNumber")?,
        // `Duration` counts billed minutes.
        duration_s: number(fields, "CallDuration")?,
        sip_code: number(fields, "SipResponseCode")?,
    })
}

fn dialled(fields: &Fields) -> Result<Dialled, StatusError> {
    if let Some(code) = text(fields, "ReferSipResponseCode") {
        return Ok(Dialled { status: referred(fields, code), call_sid: None, duration_s: None });
    }
    let status = text(fields, "DialCallStatus").ok_or(StatusError::Missing("DialCallStatus"))?;
    // Of a call that was dialled, "answered" is an end: both were joined.
    let status = if status == "answered" { CallProgress::Completed } else { progress_of(status) };
    Ok(Dialled {
        status,
        call_sid: text(fields, "DialCallSid").map(str::to_owned),
        duration_s: number(fields, "DialCallDuration")?,
    })
}

/// What the caller's own exchange told of the call that it was asked to place. Told nothing, or no end, it took the order.
fn referred(fields: &Fields, code: &str) -> CallProgress {
    match text(fields, "ReferCallStatus").map(progress_of) {
        Some(status) if status.is_final() => status,
        _ if code.starts_with('2') => CallProgress::Completed,
        _ => CallProgress::Failed,
    }
}

/// Whether the caller's leg is a SIP one.
fn is_sip(fields: &Fields) -> bool {
    text(fields, "SipCallId").is_some() || text(fields, "From").is_some_and(|from| from.starts_with("sip"))
}

fn text<'a>(fields: &'a Fields, name: &str) -> Option<&'a str> {
    fields.iter().find(|(n, v)| n == name && !v.is_empty()).map(|(_, value)| value.as_str())
}

fn number(fields: &Fields, name: &'static str) -> Result<Option<u64>, StatusError> {
    text(fields, name).map(|v| v.parse().map_err(|_| StatusError::Malformed(name))).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(fields: &[(&str, &str)]) -> Vec<(String, String)> {
        fields.iter().map(|&(n, v)| (n.into(), v.into())).collect()
    }

    #[test]
    fn a_completed_call_has_its_length_in_seconds() {
        let fields = form(&[
            ("CallSid", "CA1"),
            ("CallStatus", "completed"),
            ("CallDuration", "61"),
            ("Duration", "2"),
            ("SequenceNumber", "3"),
            ("SipResponseCode", ""),
        ]);
        let expected = StatusCallback {
            call_sid: "CA1".into(),
            status: CallProgress::Completed,
            sequence: Some(3),
            duration_s: Some(61),
            sip_code: None,
        };
        assert_eq!(read(&fields).progress, Ok(expected));
    }

    #[test]
    fn what_is_missing_or_no_number_is_named() {
        let missing = read(&form(&[("CallStatus", "ringing")]));
        assert_eq!(missing.progress, Err(StatusError::Missing("CallSid")));
        assert_eq!(missing.call_sid, Err(StatusError::Missing("CallSid")));
        let fields = form(&[("CallSid", "CA1"), ("CallStatus", "ringing"), ("SequenceNumber", "x")]);
        assert_eq!(read(&fields).progress, Err(StatusError::Malformed("SequenceNumber")));
        assert_eq!(read(&fields).voice, Err(StatusError::Missing("To")));
    }

    #[test]
    fn who_answered_is_told_in_three_words() {
        for (word, who) in [
            ("human", Some(Answerer::Person)),
            ("machine_start", Some(Answerer::Machine)),
            ("machine_end_beep", Some(Answerer::Machine)),
            ("fax", Some(Answerer::Machine)),
            ("unknown", Some(Answerer::Unknown)),
            ("", None),
        ] {
            assert_eq!(answerer_of(word), who, "{word}");
        }
    }

    #[test]
    fn every_status_is_known_and_five_are_final() {
        let names = "queued initiated ringing in-progress completed busy failed no-answer canceled";
        let known: Vec<_> = names.split(' ').map(progress_of).collect();
        assert!(!known.contains(&CallProgress::Other));
        assert_eq!(known.iter().filter(|s| s.is_final()).count(), 5);
        assert_eq!(progress_of("teleported"), CallProgress::Other);
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
        assert_eq!(read(&fields).dialled, Ok(expected));
        assert_eq!(read(&fields).call_sid, Ok("CA1".to_owned()));
        let busy = read(&form(&[("DialCallStatus", "no-answer")])).dialled;
        assert_eq!(busy.map(|dialled| dialled.status), Ok(CallProgress::NoAnswer));
        assert_eq!(read(&[]).dialled, Err(StatusError::Missing("DialCallStatus")));
    }

    #[test]
    fn what_came_of_a_referral_is_read() {
        for (fields, expected) in [
            (&[("ReferSipResponseCode", "202")][..], CallProgress::Completed),
            (&[("ReferSipResponseCode", "202"), ("ReferCallStatus", "in-progress")], CallProgress::Completed),
            (&[("ReferSipResponseCode", "202"), ("ReferCallStatus", "busy")], CallProgress::Busy),
            (&[("ReferSipResponseCode", "405")], CallProgress::Failed),
        ] {
            let came = read(&form(fields)).dialled.map(|dialled| dialled.status);
            assert_eq!(came, Ok(expected), "{fields:?}");
        }
        assert!(read(&form(&[("SipCallId", "9f@pbx")])).is_sip);
        assert!(read(&form(&[("From", "sip:ana@pbx.example.gov")])).is_sip);
        assert!(!read(&form(&[("From", "+12025550143")])).is_sip);
    }

    #[test]
    fn keys_and_who_answered_may_be_missing() {
        let nothing = read(&[]);
        assert_eq!((nothing.keys, nothing.answered_by, nothing.takes_message), (None, None, false));
        let start = read(&form(&[("Digits", "1"), ("AnsweredBy", "machine_start")]));
        assert_eq!((start.keys.as_deref(), start.answered_by), (Some("1"), Some(Answerer::Machine)));
        assert!(!start.takes_message, "it still greets");
        for word in ["machine_end_beep", "machine_end_silence", "machine_end_other"] {
            let ended = read(&form(&[("AnsweredBy", word)]));
            assert!(ended.takes_message && ended.answered_by == Some(Answerer::Machine), "{word}");
        }
        assert!(!read(&form(&[("AnsweredBy", "fax")])).takes_message);
    }

    #[test]
    fn what_a_client_writes_is_what_the_webhook_reads() {
        let request = VoiceRequest {
            call_sid: "CA1".to_owned(),
            account_sid: "AC1".to_owned(),
            from: Some("+12025550143".to_owned()),
            to: "+12025550100".to_owned(),
        };
        assert_eq!(read(&ringing(&request)).voice, Ok(request));
        assert_eq!(read(&[]).voice, Err(StatusError::Missing("CallSid")));
    }
}
