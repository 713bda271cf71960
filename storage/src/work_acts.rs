//! What people do about a request: the moves there are, which of them are possible when, and the history they leave.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;

use crate::ids::{WorkActId, WorkItemId};
use crate::records::{Priority, WorkItem, WorkKind, WorkStatus, word_enum};

word_enum! {
    /// What somebody did, as it stands in an item's history.
    WorkActKind {
        Claimed = "claimed",
        Assigned = "assigned",
        Released = "released",
        Noted = "noted",
        Done = "done",
        Declined = "declined",
        Reopened = "reopened",
        /// Nobody had taken it on in time, and people were told.
        Alarmed = "alarmed",
        /// They had whoever left it called.
        Called = "called",
        /// What came of that: somebody was reached, or not.
        Reached = "call_reached",
        NoAnswer = "call_no_answer",
        Busy = "call_busy",
        /// An answering machine took the call.
        Machine = "call_machine",
        CallFailed = "call_failed",
        /// Their own telephone was not answered: nobody was called.
        CallNotBegun = "call_not_begun",
    }
}

/// Something to be done about an item. Who closes it may say whether what the line took down and did was right
/// (`line_right`); who does not leaves that to [`WorkAct::line_was_right`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WorkMove {
    /// Whoever acts takes it on.
    Claim,
    /// Somebody takes it on; `None`: nobody does.
    Assign(Option<String>),
    Note(String),
    /// What came of it.
    Done {
        outcome: String,
        line_right: Option<bool>,
    },
    /// It will not be done, and why.
    Declined {
        outcome: String,
        reason: String,
        line_right: Option<bool>,
    },
    /// It is not done after all, and why.
    Reopen {
        reason: String,
    },
}

/// A move, and who makes it.
#[derive(Clone, Debug)]
pub struct NewWorkAct {
    pub item: WorkItemId,
    /// Login, or the name of a program's token.
    pub actor: String,
    pub made: WorkMove,
}

/// Why a move cannot be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WorkRefusal {
    /// Somebody else works on it.
    HeldBy(String),
    /// It is closed already: reopen it first.
    Closed(WorkStatus),
    /// It is not closed.
    NotClosed(WorkStatus),
    /// The item changed while this was decided, again and again.
    Busy,
}

/// What became of a move.
#[derive(Clone, PartialEq, Debug)]
pub enum WorkActed {
    /// The item as it is now.
    Made(WorkItem),
    Refused(WorkRefusal),
}

/// One entry of an item's history.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct WorkAct {
    pub id: WorkActId,
    pub at: DateTime<Utc>,
    pub actor: String,
    pub act: WorkActKind,
    /// Who works on it from here on, where that changed.
    pub assignee: Option<String>,
    /// What they wrote: a note, an outcome, a reason.
    pub note: Option<String>,
    pub reason: Option<String>,
    /// Whoever closed it said whether the line was right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_right: Option<bool>,
}

impl WorkAct {
    /// Whether the line was right by this act: as whoever closed it said; else what was done was right to be taken down, and what
    /// was declined was not. `None`: it closes nothing.
    #[must_use]
    pub fn line_was_right(&self) -> Option<bool> {
        match self.act {
            WorkActKind::Done => Some(self.line_right.unwrap_or(true)),
            WorkActKind::Declined => Some(self.line_right.unwrap_or(false)),
            _ => None,
        }
    }
}

/// Where an item stands after a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moved {
    pub status: WorkStatus,
    pub assignee: Option<String>,
    pub act: WorkActKind,
}

/// Whether, and to where, a move leads. Who claims what they hold, or is assigned it again, changes nothing but the history.
///
/// # Errors
/// The reason why not.
pub fn moved(
    status: WorkStatus,
    assignee: Option<&str>,
    actor: &str,
    made: &WorkMove,
) -> Result<Moved, WorkRefusal> {
    use WorkStatus::{Cancelled, Declined, Done, InProgress, Open};
    let closed = matches!(status, Done | Declined | Cancelled);
    let held = |by: Option<&str>| by.filter(|by| *by != actor).map(|by| WorkRefusal::HeldBy(by.to_owned()));
    let to = |status, assignee: Option<&str>, act| {
        Ok(Moved { status, assignee: assignee.map(str::to_owned), act })
    };
    match made {
        WorkMove::Note(_) => to(status, assignee, WorkActKind::Noted),
        WorkMove::Reopen { .. } if closed => to(Open, None, WorkActKind::Reopened),
        WorkMove::Reopen { .. } => Err(WorkRefusal::NotClosed(status)),
        _ if closed => Err(WorkRefusal::Closed(status)),
        WorkMove::Assign(Some(user)) => to(InProgress, Some(user), WorkActKind::Assigned),
        WorkMove::Assign(None) => to(Open, None, WorkActKind::Released),
        WorkMove::Claim => match held(assignee) {
            Some(refusal) => Err(refusal),
            None => to(InProgress, Some(actor), WorkActKind::Claimed),
        },
        WorkMove::Done { .. } | WorkMove::Declined { .. } => match held(assignee) {
            Some(refusal) => Err(refusal),
            None if matches!(made, WorkMove::Done { .. }) => to(Done, Some(actor), WorkActKind::Done),
            None => to(Declined, Some(actor), WorkActKind::Declined),
        },
    }
}

/// Field of an item: since when whoever is to be called has waited for a person.
pub const QUEUED_AT: &str = "queued_at";

/// Since when somebody waits for an item: who stood in line keeps the place.
#[must_use]
pub fn queued_at(item: &WorkItem) -> Option<DateTime<Utc>> {
    item.fields.get(QUEUED_AT)?.as_str()?.parse().ok()
}

/// When an item should be done: minutes for what is urgent, hours for who was hurt or waits for a call, days for the rest.
#[must_use]
pub fn due(item: &WorkItem) -> DateTime<Utc> {
    due_of(item.kind, item.priority, queued_at(item).unwrap_or(item.created_at))
}

/// The same of an item of this kind and priority that was left then.
#[must_use]
pub fn due_of(kind: WorkKind, priority: Priority, created_at: DateTime<Utc>) -> DateTime<Utc> {
    let time = match (priority, kind) {
        (Priority::Urgent, _) => TimeDelta::minutes(15),
        (Priority::High, _) => TimeDelta::hours(2),
        (Priority::Normal, WorkKind::Escalation | WorkKind::Callback) => TimeDelta::hours(8),
        (Priority::Normal, WorkKind::Message) => TimeDelta::days(1),
        (Priority::Normal, WorkKind::Incident | WorkKind::Inspection) => TimeDelta::days(3),
        (Priority::Low, _) => TimeDelta::days(7),
    };
    created_at.checked_add_signed(time).unwrap_or(created_at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_urgent_is_due_in_minutes() {
        let item = |kind, priority| WorkItem {
            id: WorkItemId::new(),
            reference: String::new(),
            kind,
            status: WorkStatus::Open,
            priority,
            idempotency_key: String::new(),
            call_id: None,
            passport_id: None,
            assignee: None,
            alarms: 0,
            fields: serde_json::Value::Null,
            created_at: DateTime::UNIX_EPOCH,
            updated_at: DateTime::UNIX_EPOCH,
        };
        let minutes = |kind, priority| (due(&item(kind, priority)) - DateTime::UNIX_EPOCH).num_minutes();
        assert_eq!(minutes(WorkKind::Message, Priority::Urgent), 15);
        assert_eq!(minutes(WorkKind::Incident, Priority::High), 120);
        assert_eq!(minutes(WorkKind::Callback, Priority::Normal), 480);
        assert_eq!(minutes(WorkKind::Incident, Priority::Normal), 3 * 1440);
    }

    #[test]
    fn the_table_of_moves() {
        use WorkActKind as Act;
        use WorkStatus::{Cancelled, Declined, Done, InProgress, Open};
        let done = || WorkMove::Done { outcome: "fixed".into(), line_right: None };
        let declined = || WorkMove::Declined {
            outcome: "not ours".into(),
            reason: "state road".into(),
            line_right: None,
        };
        let reopen = || WorkMove::Reopen { reason: "still there".into() };
        let held = || Err(WorkRefusal::HeldBy("bo".into()));
        let to = |status, assignee: &str, act| {
            Ok(Moved { status, assignee: Some(assignee.to_owned()).filter(|a| !a.is_empty()), act })
        };
        for (status, assignee, made, expected) in [
            (Open, None, WorkMove::Claim, to(InProgress, "al", Act::Claimed)),
            (InProgress, Some("al"), WorkMove::Claim, to(InProgress, "al", Act::Claimed)),
            (InProgress, Some("bo"), WorkMove::Claim, held()),
            (Done, Some("bo"), WorkMove::Claim, Err(WorkRefusal::Closed(Done))),
            (Open, None, WorkMove::Assign(Some("bo".into())), to(InProgress, "bo", Act::Assigned)),
            (
                InProgress,
                Some("bo"),
                WorkMove::Assign(Some("al".into())),
                to(InProgress, "al", Act::Assigned),
            ),
            (InProgress, Some("bo"), WorkMove::Assign(None), to(Open, "", Act::Released)),
            (Declined, None, WorkMove::Assign(None), Err(WorkRefusal::Closed(Declined))),
            (Done, Some("bo"), WorkMove::Note("x".into()), to(Done, "bo", Act::Noted)),
            (Cancelled, None, WorkMove::Claim, Err(WorkRefusal::Closed(Cancelled))),
            (Open, None, done(), to(Done, "al", Act::Done)),
            (InProgress, Some("al"), declined(), to(Declined, "al", Act::Declined)),
            (InProgress, Some("bo"), done(), held()),
            (InProgress, Some("bo"), declined(), held()),
            (Done, Some("al"), done(), Err(WorkRefusal::Closed(Done))),
            (Done, Some("bo"), reopen(), to(Open, "", Act::Reopened)),
            (Cancelled, None, reopen(), to(Open, "", Act::Reopened)),
            (InProgress, Some("al"), reopen(), Err(WorkRefusal::NotClosed(InProgress))),
        ] {
            assert_eq!(moved(status, assignee, "al", &made), expected, "{status} {assignee:?} {made:?}");
        }
    }
}
