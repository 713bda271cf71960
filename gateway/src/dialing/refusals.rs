//! Why a call is not placed, as the API says it: the rule by its name, and what can be done.

use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use telephony::error::{ControlError, Refusal};

use super::hours::NotNow;
use crate::config::Carrier;
use crate::error::{ApiError, ErrorCode};

/// A rule that keeps a call from being placed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Nothing on record says which number to call.
    NoNumber,
    /// The tenant has no line whose number could be shown.
    NoLine,
    /// The number to be called is abroad, or costs extra.
    Destination,
    /// The same of the person's own.
    OwnDestination,
    /// Both are the same number.
    SameNumber,
    DoNotCall,
    NoConsent,
    /// Called enough; until then, where that is known.
    TooOften(Option<DateTime<Utc>>),
    QuietHours(Option<DateTime<Utc>>),
    /// Nobody takes calls there now.
    TargetClosed,
    /// The target takes callers of other lines.
    TargetLine,
    /// There is no such appointment, or none any more.
    NoAppointment,
    /// Nothing is to be asked for about this request, or not any more, or not by us.
    NoFollowUp,
    /// The request has another number on file: nobody else hears of it.
    OtherNumber,
}

impl From<NotNow> for Rule {
    fn from(why: NotNow) -> Self {
        match why {
            NotNow::Destination => Self::Destination,
            NotNow::Quiet { until } => Self::QuietHours(until),
        }
    }
}

impl From<Rule> for ApiError {
    fn from(rule: Rule) -> Self {
        let mut details = json!({ "rule": rule.name() });
        if let Rule::QuietHours(Some(until)) | Rule::TooOften(Some(until)) = &rule {
            details["allowed_from"] = json!(until);
        }
        let (message, advice) = rule.words();
        unprocessable(message, details).advise(advice)
    }
}

impl Rule {
    /// Stable name for programs.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::NoNumber => "no_number",
            Self::NoLine => "no_line",
            Self::Destination => "destination",
            Self::OwnDestination => "own_destination",
            Self::SameNumber => "same_number",
            Self::DoNotCall => "do_not_call",
            Self::NoConsent => "no_consent",
            Self::TooOften(_) => "too_often",
            Self::QuietHours(_) => "quiet_hours",
            Self::TargetClosed => "target_closed",
            Self::TargetLine => "target_line",
            Self::NoAppointment => "no_appointment",
            Self::NoFollowUp => "no_follow_up",
            Self::OtherNumber => "other_number",
        }
    }

    const fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::NoNumber => {
                ("no number is on file for this request", "see the request for another way to reach them")
            }
            Self::NoLine => ("this tenant has no line to call from", "give it a line in its document"),
            Self::Destination => (
                "the number on file is outside the United States, or costs extra to call",
                "reach them another way",
            ),
            Self::OwnDestination => {
                ("your own telephone has no number of the United States", "give one that rings beside you")
            }
            Self::SameNumber => {
                ("your own number is the one on file", "give the number of the telephone beside you")
            }
            Self::DoNotCall => (
                "whoever has this number asked not to be called",
                "write to them; take the number off the list only when they agree",
            ),
            Self::NoConsent => (
                "nobody at this number agreed to be called for this",
                "ask them first, and note it with POST /v1/consents",
            ),
            Self::TooOften(_) => {
                ("this number was called enough: once a day, three times a week", "wait, or write to them")
            }
            Self::NoAppointment => (
                "there is no such appointment to come",
                "give the reference of an inspection that is booked, open, and not over",
            ),
            Self::NoFollowUp => (
                "nothing is to be asked for about this request any more",
                "see its history for what came of it",
            ),
            Self::OtherNumber => (
                "the request has another number on file, and nobody else hears of it",
                "call the number that is on file for it",
            ),
            Self::TargetClosed => {
                ("nobody takes calls there now", "choose another target, or file a call back")
            }
            Self::TargetLine => (
                "that target takes callers of other lines than the one that was called",
                "choose another target, or add the line to its `on_lines`",
            ),
            Self::QuietHours(_) => {
                ("it is too early or too late at the number's place", "call again at the time that is given")
            }
        }
    }
}

/// There is no account to place calls with.
#[must_use]
pub fn no_account(carrier: &Carrier) -> ApiError {
    ApiError::new(ErrorCode::Conflict, "no carrier account is set up, so no call can be placed")
        .with_details(json!({ "rule": "no_account" }))
        .advise(carrier.account_advice())
}

/// Who calls us goes first.
#[must_use]
pub fn no_room() -> ApiError {
    ApiError::new(
        ErrorCode::ServiceUnavailable,
        "too many calls are live to place one more: who calls us goes first",
    )
    .with_details(json!({ "rule": "no_room" }))
    .advise("try again in some minutes; nothing was written and nobody was called")
}

/// The carrier did not place the call.
#[must_use]
pub fn by_carrier(error: ControlError) -> ApiError {
    let details = json!({ "rule": error.reason() });
    match error {
        ControlError::Refused { why: Refusal::Number | Refusal::OptedOut | Refusal::Destination, .. } => {
            unprocessable(error.to_string(), details)
        }
        _ => ApiError::new(ErrorCode::ServiceUnavailable, error.to_string()).with_details(details),
    }
}

fn unprocessable(message: impl Into<String>, details: Value) -> ApiError {
    ApiError::new(ErrorCode::ValidationFailed, message)
        .with_status(StatusCode::UNPROCESSABLE_ENTITY)
        .with_details(details)
}
