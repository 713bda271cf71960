//! Live events of requests: that one changed, or waits for somebody. No words, no names; who may see more asks for it.

use chrono::{DateTime, Utc};
use serde::Serialize;
use storage::alarms::Alarm;
use storage::records::{Priority, WorkItem, WorkKind, WorkStatus};
use storage::{CallId, WorkItemId};
use uuid::Uuid;

/// Version of the shapes below.
const VERSION: u32 = 1;

/// One event of a request.
#[derive(Clone, Debug, Serialize)]
pub struct WorkEvent {
    version: u32,
    pub event_id: Uuid,
    /// The call that left it, where one did.
    pub call_id: Option<CallId>,
    at: DateTime<Utc>,
    work_item_id: WorkItemId,
    reference: String,
    kind: WorkKind,
    priority: Priority,
    status: WorkStatus,
    /// Alarms since nobody has it.
    alarms: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting_since: Option<DateTime<Utc>>,
    #[serde(skip)]
    pub name: &'static str,
}

impl WorkEvent {
    /// A person changed it, or the back office filed it.
    #[must_use]
    pub fn updated(item: &WorkItem) -> Self {
        Self::of("work_item.updated", item, None)
    }

    /// Nobody has taken it on in time.
    #[must_use]
    pub fn alarm(alarm: &Alarm) -> Self {
        Self::of("work_item.alarm", &alarm.item, Some(alarm.waiting_since))
    }

    fn of(name: &'static str, item: &WorkItem, waiting_since: Option<DateTime<Utc>>) -> Self {
        Self {
            version: VERSION,
            event_id: Uuid::now_v7(),
            call_id: item.call_id,
            at: Utc::now(),
            work_item_id: item.id,
            reference: item.reference.clone(),
            kind: item.kind,
            priority: item.priority,
            status: item.status,
            alarms: item.alarms,
            waiting_since,
            name,
        }
    }
}
