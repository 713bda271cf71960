//! What people decided of the work that a Passport left: the only truth about whether those who did it were right.
//!
//! Nobody is right by their own word, and no judge makes anybody right. What is open counts as nothing, and so does what a
//! caller took back. Who hands something to a person is right when that person says that it was theirs to do.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use storage::records::{WorkItem, WorkKind, WorkStatus};
use storage::review_records::{Judgement, Verdict};
use storage::work_acts::{WorkAct, WorkActKind};

/// Texts of decisions that are kept.
const MOST_TOLD: usize = 8;

/// What became of the requests of a Passport.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct People {
    /// How many, by status.
    pub items: BTreeMap<&'static str, u32>,
    /// Held right, or wrong, by whoever closed them.
    pub right: u32,
    pub wrong: u32,
    /// Of those held right: handed to a person, who did it.
    pub rightly_escalated: u32,
    /// Opened again after they had been closed, whatever became of them then.
    pub reopened: u32,
    /// What was decided, in the words of those who did: not screened.
    pub said: Vec<Said>,
    /// The last word of a person on the whole call: what the line said, whether it left a request or not.
    pub of_the_call: Option<Verdict>,
    /// The last decision.
    pub decided_at: Option<DateTime<Utc>>,
}

language::shown!(People, "People": items, right, wrong, rightly_escalated, reopened, of_the_call, decided_at; said);

/// One decision of a person.
#[derive(Clone, PartialEq, Eq)]
pub struct Said {
    /// "incident INC-1000 done".
    pub what: String,
    pub outcome: String,
    pub reason: String,
}

language::shown!(Said, "Said": what; outcome, reason);

impl People {
    /// With one more request and its history, oldest act first.
    #[must_use]
    pub fn with(mut self, item: &WorkItem, history: &[WorkAct]) -> Self {
        *self.items.entry(item.status.as_str()).or_default() += 1;
        let reopened = history.iter().any(|act| act.act == WorkActKind::Reopened);
        self.reopened += u32::from(reopened);
        let decides = |act: &&WorkAct| act.line_was_right().is_some() || act.act == WorkActKind::Reopened;
        let last = history.iter().filter(decides).map(|act| act.at).max();
        self.decided_at = self.decided_at.max(last);
        match verdict(item, history) {
            Some(Verdict::Right) => {
                self.right += 1;
                let handed = matches!(item.kind, WorkKind::Escalation | WorkKind::Callback);
                self.rightly_escalated += u32::from(handed);
            }
            Some(Verdict::Wrong) => self.wrong += 1,
            None => return self,
        }
        if let Some(closing) = history.iter().rev().find(|act| act.line_was_right().is_some())
            && self.said.len() < MOST_TOLD
        {
            self.said.push(Said {
                what: format!("{} {} {}", item.kind.as_str(), item.reference, item.status.as_str()),
                outcome: closing.note.clone().unwrap_or_default(),
                reason: closing.reason.clone().unwrap_or_default(),
            });
        }
        self
    }

    /// With what people held of the whole call, oldest first.
    #[must_use]
    pub fn judged(mut self, judgements: &[Judgement]) -> Self {
        if let Some(last) = judgements.last() {
            let right = last.line_right;
            self.of_the_call = Some(if right { Verdict::Right } else { Verdict::Wrong });
            self.decided_at = self.decided_at.max(Some(last.judged_at));
            let outcome = if right { "The line was right." } else { "The line was not right." };
            let what = "the whole call".to_owned();
            self.said.push(Said { what, outcome: outcome.to_owned(), reason: String::new() });
        }
        self
    }

    /// Requests in all.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.items.values().sum()
    }

    /// Requests of this status.
    #[must_use]
    pub fn of(&self, status: WorkStatus) -> u32 {
        self.items.get(status.as_str()).copied().unwrap_or(0)
    }

    /// Of the whole: what is held wrong, a request or the call, makes it wrong. `None` while nobody has decided.
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        let wrong = self.wrong > 0 || self.of_the_call == Some(Verdict::Wrong);
        let right = self.right > 0 || self.of_the_call == Some(Verdict::Right);
        match (right, wrong) {
            (_, true) => Some(Verdict::Wrong),
            (true, false) => Some(Verdict::Right),
            (false, false) => None,
        }
    }
}

/// What people held of one request.
fn verdict(item: &WorkItem, history: &[WorkAct]) -> Option<Verdict> {
    if !matches!(item.status, WorkStatus::Done | WorkStatus::Declined) {
        return None;
    }
    // Opened again before any person had closed it: the line had taken it off the list, and should not have.
    let first = history.iter().find(|act| act.line_was_right().is_some() || act.act == WorkActKind::Reopened);
    let taken_off = first.is_some_and(|act| act.act == WorkActKind::Reopened);
    // The last word counts. A program that closes it says nothing.
    let closing = history.iter().rev().find(|act| act.line_was_right().is_some())?;
    let said_so = closing.line_right == Some(true);
    let right = closing.line_was_right()? && (said_so || !taken_off);
    Some(if right { Verdict::Right } else { Verdict::Wrong })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use storage::records::Priority;
    use storage::{WorkActId, WorkItemId};

    use super::*;

    fn item(kind: WorkKind, status: WorkStatus) -> WorkItem {
        WorkItem {
            id: WorkItemId::new(),
            reference: "INC-1000".into(),
            kind,
            status,
            priority: Priority::Normal,
            idempotency_key: String::new(),
            call_id: None,
            passport_id: None,
            assignee: None,
            alarms: 0,
            fields: Value::Null,
            created_at: DateTime::UNIX_EPOCH,
            updated_at: DateTime::UNIX_EPOCH,
        }
    }

    fn act(act: WorkActKind, line_right: Option<bool>) -> WorkAct {
        WorkAct {
            id: WorkActId::new(),
            at: DateTime::UNIX_EPOCH,
            actor: "ana".into(),
            act,
            assignee: None,
            note: Some("patched".into()),
            reason: None,
            line_right,
        }
    }

    #[test]
    fn the_last_word_of_a_person_counts() {
        use WorkActKind::{Claimed, Declined, Done, Noted, Reopened};
        use WorkStatus as S;
        let (right, wrong) = (Some(Verdict::Right), Some(Verdict::Wrong));
        for (status, acts, expected) in [
            (S::Open, vec![], None),
            (S::InProgress, vec![(Claimed, None), (Noted, None)], None),
            (S::Cancelled, vec![], None),
            (S::Done, vec![(Done, None)], right),
            (S::Declined, vec![(Declined, None)], wrong),
            // Done, but what was taken down was not so; not done, and rightly taken down.
            (S::Done, vec![(Done, Some(false))], wrong),
            (S::Declined, vec![(Declined, Some(true))], right),
            // A decision that was taken back counts as nothing, then as what came after it.
            (S::Open, vec![(Done, None), (Reopened, None)], None),
            (S::Done, vec![(Declined, None), (Reopened, None), (Done, None)], right),
            (S::Declined, vec![(Done, None), (Reopened, None), (Declined, None)], wrong),
            // The line had taken it off the list.
            (S::Done, vec![(Reopened, None), (Done, None)], wrong),
            (S::Done, vec![(Reopened, None), (Done, Some(true))], right),
            // Closed by a program.
            (S::Done, vec![], None),
        ] {
            let history: Vec<WorkAct> = acts.iter().map(|(kind, right)| act(*kind, *right)).collect();
            assert_eq!(verdict(&item(WorkKind::Incident, status), &history), expected, "{status} {acts:?}");
        }
    }

    #[test]
    fn the_last_word_on_the_whole_call_counts_beside_its_requests() {
        let said =
            |line_right| Judgement { judged_at: DateTime::UNIX_EPOCH, actor: "ana".into(), line_right };
        let answered = || People::default();
        assert_eq!(answered().judged(&[]).verdict(), None);
        assert_eq!(answered().judged(&[said(false), said(true)]).verdict(), Some(Verdict::Right));
        assert_eq!(answered().judged(&[said(true), said(false)]).verdict(), Some(Verdict::Wrong));
        let done =
            answered().with(&item(WorkKind::Incident, WorkStatus::Done), &[act(WorkActKind::Done, None)]);
        assert_eq!(
            done.judged(&[said(false)]).verdict(),
            Some(Verdict::Wrong),
            "one wrong reply is one too many"
        );
    }

    #[test]
    fn who_hands_it_to_a_person_is_right_when_it_was_theirs() {
        let escalated = item(WorkKind::Escalation, WorkStatus::Done);
        let done = People::default().with(&escalated, &[act(WorkActKind::Done, None)]);
        assert_eq!((done.verdict(), done.rightly_escalated), (Some(Verdict::Right), 1));
        let needless = item(WorkKind::Escalation, WorkStatus::Declined);
        let both = done.with(&needless, &[act(WorkActKind::Declined, None)]);
        assert_eq!((both.verdict(), both.total(), both.said.len()), (Some(Verdict::Wrong), 2, 2));
        let open = People::default().with(&item(WorkKind::Callback, WorkStatus::Open), &[]);
        assert_eq!((open.verdict(), open.of(WorkStatus::Open)), (None, 1));
    }
}
