//! What the front desk files, as the store keeps it.

use dialogue::Priority;
use dialogue::builtin::Files;
use storage::records::{self, WorkKind};

/// The kind of work item that is filed; `None` where nothing is.
#[must_use]
pub const fn work_kind(files: Files) -> Option<WorkKind> {
    Some(match files {
        Files::Incident => WorkKind::Incident,
        Files::Inspection => WorkKind::Inspection,
        Files::Message => WorkKind::Message,
        Files::Escalation => WorkKind::Escalation,
        Files::Callback => WorkKind::Callback,
        Files::None => return None,
    })
}

/// How soon somebody must look, in the store's own word.
#[must_use]
pub const fn kept_priority(priority: Priority) -> records::Priority {
    match priority {
        Priority::Low => records::Priority::Low,
        Priority::Normal => records::Priority::Normal,
        Priority::High => records::Priority::High,
        Priority::Urgent => records::Priority::Urgent,
    }
}
