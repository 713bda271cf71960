//! Call-progress call-backs.

use crate::error::StatusError;

/// Progress of a call as the carrier tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallProgress {
    Queued,
    Initiated,
    Ringing,
    /// Answered.
    InProgress,
    Completed,
    Busy,
    Failed,
    NoAnswer,
    Canceled,
    /// One that this version does not know.
    Other,
}

impl CallProgress {
    /// Reads the carrier's name of a status.
    #[must_use]
    pub fn parse(name: &str) -> Self {
        match name {
            "queued" => Self::Queued,
            "initiated" => Self::Initiated,
            "ringing" => Self::Ringing,
            "in-progress" | "answered" => Self::InProgress,
            "completed" => Self::Completed,
            "busy" => Self::Busy,
            "failed" => Self::Failed,
            "no-answer" => Self::NoAnswer,
            "canceled" => Self::Canceled,
            _ => Self::Other,
        }
    }

    /// No other status follows.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Busy | Self::Failed | Self::NoAnswer | Self::Canceled)
    }

    /// Somebody answered, or had answered.
    #[must_use]
    pub const fn was_answered(self) -> bool {
        matches!(self, Self::InProgress | Self::Completed)
    }
}

/// Who answered, as far as the carrier can tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answerer {
    Person,
    /// An answering machine, or a fax.
    Machine,
    Unknown,
}

impl Answerer {
    /// Reads the carrier's word for it; `None` for nothing.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "" => None,
            "human" => Some(Self::Person),
            "fax" => Some(Self::Machine),
            word if word.starts_with("machine") => Some(Self::Machine),
            _ => Some(Self::Unknown),
        }
    }
}

/// One call-back. They may come out of order and more than once: order by `sequence`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatusCallback {
    /// The carrier's id of the call.
    pub call_sid: String,
    pub status: CallProgress,
    /// Counts up from 0.
    pub sequence: Option<u64>,
    /// Length of a completed call.
    pub duration_s: Option<u64>,
    /// Last SIP answer, where the carrier gives one.
    pub sip_code: Option<u64>,
}

impl StatusCallback {
    /// Reads the decoded fields of the form.
    ///
    /// # Errors
    /// [`StatusError::Missing`] without `CallSid` or `CallStatus`, [`StatusError::Malformed`] when a number is
    /// none.
    pub fn from_form(fields: &[(String, String)]) -> Result<Self, StatusError> {
        let status = text(fields, "CallStatus").ok_or(StatusError::Missing("CallStatus"))?;
        Ok(Self {
            call_sid: text(fields, "CallSid").ok_or(StatusError::Missing("CallSid"))?.to_owned(),
            status: CallProgress::parse(status),
            sequence: number(fields, "SequenceNumber")?,
            // `Duration` counts billed minutes.
            duration_s: number(fields, "CallDuration")?,
            sip_code: number(fields, "SipResponseCode")?,
        })
    }
}

pub(super) fn text<'a>(fields: &'a [(String, String)], name: &str) -> Option<&'a str> {
    fields.iter().find(|(n, v)| n == name && !v.is_empty()).map(|(_, value)| value.as_str())
}

pub(super) fn number(fields: &[(String, String)], name: &'static str) -> Result<Option<u64>, StatusError> {
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
        assert_eq!(StatusCallback::from_form(&fields), Ok(expected));
    }

    #[test]
    fn what_is_missing_or_no_number_is_named() {
        let missing = StatusCallback::from_form(&form(&[("CallStatus", "ringing")]));
        assert_eq!(missing, Err(StatusError::Missing("CallSid")));
        let fields = form(&[("CallSid", "CA1"), ("CallStatus", "ringing"), ("SequenceNumber", "x")]);
        assert_eq!(StatusCallback::from_form(&fields), Err(StatusError::Malformed("SequenceNumber")));
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
            assert_eq!(Answerer::parse(word), who, "{word}");
        }
    }

    #[test]
    fn every_status_is_known_and_five_are_final() {
        let names = "queued initiated ringing in-progress completed busy failed no-answer canceled";
        let known: Vec<_> = names.split(' ').map(CallProgress::parse).collect();
        assert!(!known.contains(&CallProgress::Other));
        assert_eq!(known.iter().filter(|s| s.is_final()).count(), 5);
        assert_eq!(CallProgress::parse("teleported"), CallProgress::Other);
    }
}
