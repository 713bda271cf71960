//! Alarms about requests that cannot wait and that nobody has taken on.

use chrono::{DateTime, Utc};

use crate::records::WorkItem;

/// The tool's name of an alarm in the outbox.
pub const ALARM: &str = "alarm";
/// Who raises alarms, as it stands in a request's history.
pub const ALARM_ACTOR: &str = "Quandura";

/// Which alarms are due, and whom they are sent to.
#[derive(Clone, Debug)]
pub struct AlarmsDue {
    pub now: DateTime<Utc>,
    /// What is urgent and had nobody at this time is due.
    pub urgent_since: DateTime<Utc>,
    /// What is high, as where somebody was hurt.
    pub high_since: DateTime<Utc>,
    /// A further alarm is due when the last was raised at this time or before.
    pub again_since: DateTime<Utc>,
    /// Alarms at most about a request, until somebody has had it.
    pub times: u32,
    /// Destinations of the outbox; one row each is kept in the transaction that raises the alarm.
    pub tell: Vec<String>,
    /// Requests at most; the rest is still due afterwards.
    pub limit: u32,
}

/// An alarm that was raised just now.
#[derive(Clone, PartialEq, Debug)]
pub struct Alarm {
    pub item: WorkItem,
    /// Since when nobody has had it.
    pub waiting_since: DateTime<Utc>,
}
