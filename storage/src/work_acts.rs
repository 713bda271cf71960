//! What people do about a request: the moves there are, which of them are possible when, and the history they leave.

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::ids::{WorkActId, WorkItemId};
use crate::records::{WorkItem, WorkStatus, word_enum};

word_enum! {
    /// What somebody did, as it stands in an item's history.
    WorkActKind {
        Claimed = "claimed",
        Assigned = "assigned",
        Released = "released",
        Noted = "noted",
        Called = "called",
        Done = "done",
        Declined = "declined",
        Reopened = "reopened",
    }
}

/// Something to be done about an item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WorkMove {
    /// Whoever acts takes it on.
    Claim,
    /// Somebody takes it on; `None`: nobody does.
    Assign(Option<String>),
    Note(String),
    /// The caller was called about it.
    Call,
    /// What came of it.
    Done {
        outcome: String,
    },
    /// It will not be done, and why.
    Declined {
        outcome: String,
        reason: String,
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
    NotClosed,
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
        WorkMove::Reopen { .. } => Err(WorkRefusal::NotClosed),
        _ if closed => Err(WorkRefusal::Closed(status)),
        WorkMove::Assign(Some(user)) => to(InProgress, Some(user), WorkActKind::Assigned),
        WorkMove::Assign(None) => to(Open, None, WorkActKind::Released),
        WorkMove::Claim => match held(assignee) {
            Some(refusal) => Err(refusal),
            None => to(InProgress, Some(actor), WorkActKind::Claimed),
        },
        WorkMove::Call => to(status, assignee, WorkActKind::Called),
        WorkMove::Done { .. } | WorkMove::Declined { .. } => match held(assignee) {
            Some(refusal) => Err(refusal),
            None if matches!(made, WorkMove::Done { .. }) => to(Done, Some(actor), WorkActKind::Done),
            None => to(Declined, Some(actor), WorkActKind::Declined),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_moves() {
        use WorkActKind as Act;
        use WorkStatus::{Cancelled, Declined, Done, InProgress, Open};
        let done = || WorkMove::Done { outcome: "fixed".into() };
        let declined = || WorkMove::Declined { outcome: "not ours".into(), reason: "state road".into() };
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
            (Open, None, WorkMove::Call, to(Open, "", Act::Called)),
            (Cancelled, None, WorkMove::Call, Err(WorkRefusal::Closed(Cancelled))),
            (Open, None, done(), to(Done, "al", Act::Done)),
            (InProgress, Some("al"), declined(), to(Declined, "al", Act::Declined)),
            (InProgress, Some("bo"), done(), held()),
            (InProgress, Some("bo"), declined(), held()),
            (Done, Some("al"), done(), Err(WorkRefusal::Closed(Done))),
            (Done, Some("bo"), reopen(), to(Open, "", Act::Reopened)),
            (Cancelled, None, reopen(), to(Open, "", Act::Reopened)),
            (InProgress, Some("al"), reopen(), Err(WorkRefusal::NotClosed)),
        ] {
            assert_eq!(moved(status, assignee, "al", &made), expected, "{status} {assignee:?} {made:?}");
        }
    }
}
