//! What each carrier alone names.

/// Names of Twilio's wire format and forms.
pub const TWILIO_FIELDS: [&str; 14] = [
    "streamSid",
    "callSid",
    "accountSid",
    "customParameters",
    "mediaFormat",
    "sequenceNumber",
    "StreamSid",
    "CallSid",
    "AccountSid",
    "CallStatus",
    "AnsweredBy",
    "RecordingSid",
    "StreamEvent",
    "X-Twilio-Signature",
];

/// Names of Telnyx's wire format and requests. Its forms have Twilio's names, and are read there.
pub const TELNYX_FIELDS: [&str; 6] = [
    "call_control_id",
    "custom_parameters",
    "bidirectionalMode",
    "ApplicationSid",
    "telnyx-signature-ed25519",
    "telnyx-timestamp",
];

/// Carriers: the folder that adapts each, and what it alone names.
pub const CARRIERS: [(&str, &str, &[&str]); 2] =
    [("telephony/src/twilio", "Twilio", &TWILIO_FIELDS), ("telephony/src/telnyx", "Telnyx", &TELNYX_FIELDS)];
