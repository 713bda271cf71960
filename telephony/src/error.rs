//! What can go wrong on a carrier leg. No error carries content of a call.

/// A message of a media stream that breaks the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StreamError {
    #[error("media message over {0} bytes: the peer must send smaller frames")]
    MessageTooLarge(usize),
    #[error("media payload over {0} bytes decoded: the peer must send smaller frames")]
    PayloadTooLarge(usize),
    #[error("binary frame on the media stream: the peer must send JSON text")]
    Binary,
    #[error(
        "media message is not a JSON object of the protocol: the peer must speak the carrier's media streams"
    )]
    NotUnderstood,
    #[error("media message lacks `{0}`: the peer must send it")]
    MissingField(&'static str),
    #[error("`{0}` came out of order: the peer must send connected, start, then media")]
    OutOfOrder(&'static str),
    #[error("second `{0}` on one stream: the peer must send it once")]
    Repeated(&'static str),
    #[error("message for another stream: the peer must use the stream id of its start")]
    WrongStream,
    #[error("stream is not 8 kHz mono mu-law: configure the carrier for G.711 mu-law")]
    UnsupportedFormat,
    #[error("stream identity is malformed: sids are at most 64 printable characters")]
    BadIdentity,
    #[error("media payload is not base64: the peer must send padded standard base64")]
    BadBase64,
    #[error("unknown key in `dtmf`: ignored")]
    UnknownDigit,
    #[error("message after `stop`: ignored")]
    AfterStop,
}

impl StreamError {
    /// Stable name for logs and metrics.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::MessageTooLarge(_) => "message_too_large",
            Self::PayloadTooLarge(_) => "payload_too_large",
            Self::Binary => "binary_frame",
            Self::NotUnderstood => "not_understood",
            Self::MissingField(_) => "missing_field",
            Self::OutOfOrder(_) => "out_of_order",
            Self::Repeated(_) => "repeated",
            Self::WrongStream => "wrong_stream",
            Self::UnsupportedFormat => "unsupported_format",
            Self::BadIdentity => "bad_identity",
            Self::BadBase64 => "bad_base64",
            Self::UnknownDigit => "unknown_digit",
            Self::AfterStop => "after_stop",
        }
    }

    /// Whether the stream must be closed. The others are logged, and the message is dropped.
    #[must_use]
    pub const fn closes(self) -> bool {
        !matches!(self, Self::UnknownDigit | Self::AfterStop)
    }
}

/// Why a webhook or upgrade request is not believed to come from the carrier. Answer 403.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SignatureError {
    #[error("request carries no signature: only the carrier may call this address")]
    Missing,
    #[error("signature is not base64: only the carrier may call this address")]
    Malformed,
    #[error("signature does not match: check the public address and the carrier's auth token")]
    Mismatch,
    #[error(
        "signature is over five minutes old or ahead: set this machine's clock, or somebody replays a request"
    )]
    Stale,
    #[error("JSON body without bodySHA256 in the URL: the carrier must sign the body")]
    UnsignedBody,
    #[error("body does not match bodySHA256: it was altered on the way")]
    BodyMismatch,
    #[error("signing algorithm is not known: use HMAC_SHA1 or HMAC_SHA256")]
    UnknownAlgorithm,
    #[error("signing key is not known: configure the shared key's secret")]
    UnknownKey,
}

impl SignatureError {
    /// Stable name for logs and metrics.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Missing => "signature_missing",
            Self::Malformed => "signature_malformed",
            Self::Mismatch => "signature_mismatch",
            Self::Stale => "signature_stale",
            Self::UnsignedBody => "body_unsigned",
            Self::BodyMismatch => "body_mismatch",
            Self::UnknownAlgorithm => "algorithm_unknown",
            Self::UnknownKey => "key_unknown",
        }
    }
}

/// Why a stream token is refused, or could not be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TokenError {
    #[error("stream token is malformed: use the value of the answered document unchanged")]
    Malformed,
    #[error("stream token is not ours: it was altered or signed with another key")]
    BadMac,
    #[error("stream token has expired: streams must start within a minute of the webhook")]
    Expired,
    #[error("stream token lives longer than allowed: issue it with at most 60 s")]
    TooLongLived,
    #[error("stream token was used before: each start needs a fresh one")]
    Replayed,
    #[error("too many live stream tokens: retry in a minute, or raise the bound")]
    Full,
    #[error("stream token would exceed its length limit: shorten the line or the call sid")]
    TooLong,
}

impl TokenError {
    /// Stable name for logs and metrics.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Malformed => "token_malformed",
            Self::BadMac => "token_bad_mac",
            Self::Expired => "token_expired",
            Self::TooLongLived => "token_too_long_lived",
            Self::Replayed => "token_replayed",
            Self::Full => "token_register_full",
            Self::TooLong => "token_too_long",
        }
    }
}

/// Why a status call-back is not usable. Answer 400.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StatusError {
    #[error("status call-back lacks `{0}`: the carrier must send it")]
    Missing(&'static str),
    #[error("`{0}` of the status call-back is malformed: a number was expected")]
    Malformed(&'static str),
}

/// Why a carrier did not do what it was asked. No message holds a number or a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ControlError {
    #[error("the carrier cannot be reached: check the network and the carrier's address; nothing was done")]
    Unreachable,
    #[error(
        "the carrier did not answer: whether it did what it was asked is not known; look before asking again"
    )]
    Unknown,
    #[error("the carrier does not know us: check the account's id and auth token")]
    Unauthorised,
    #[error("the carrier takes no more requests for now: try again in a minute")]
    TooMany,
    #[error("the carrier failed with status {0}: try again later")]
    Failed(u16),
    #[error("the carrier knows no such call, or it is over: reload it")]
    Gone,
    #[error("the carrier refused (code {code}): {}", .why.fix())]
    Refused { code: u32, why: Refusal },
    #[error("this carrier does not tell that: look the call up in its console")]
    Unable,
    #[error("the carrier's answer makes no sense: check that its address is the carrier's")]
    Garbage,
}

/// What a carrier refused a call for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The number to be called.
    Number,
    /// Whoever has it asked not to be called.
    OptedOut,
    /// Calls to that country or region are not allowed on the account.
    Destination,
    /// The number that calls.
    Line,
    /// The account itself.
    Account,
    /// Anything else about the request.
    Request,
}

impl Refusal {
    /// What to do about it.
    #[must_use]
    pub const fn fix(self) -> &'static str {
        match self {
            Self::Number => "the number to be called cannot be reached: check it with whoever gave it",
            Self::OptedOut => "whoever has the number asked the carrier not to be called: do not call it",
            Self::Destination => {
                "the account may not call there: allow the destination in the carrier's console"
            }
            Self::Line => "the line's number is not the account's: use one that is, or verify it there",
            Self::Account => "the account is closed or has no credit: see the carrier's console",
            Self::Request => "the request is not as the carrier wants it: look the code up there",
        }
    }
}

impl ControlError {
    /// Stable name for logs and metrics.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Unreachable => "carrier_unreachable",
            Self::Unknown => "carrier_silent",
            Self::Unauthorised => "carrier_unauthorised",
            Self::TooMany => "carrier_busy",
            Self::Failed(_) => "carrier_failed",
            Self::Gone => "carrier_call_gone",
            Self::Refused { .. } => "carrier_refused",
            Self::Unable => "carrier_unable",
            Self::Garbage => "carrier_garbage",
        }
    }
}
