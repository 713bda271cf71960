//! `passport.updated`: a call's Passport goes on living when the call is over, and whoever looks at it sees that.

use chrono::Utc;
use pipeline::event::{CallEvent, EVENT_VERSION, EventBody};
use pipeline::turn;
use storage::records::Passport;
use storage::{PassportId, Passports, TenantStore};
use uuid::Uuid;

use crate::app::App;

/// Tells that a Passport has another version. One of no call is on nobody's screen.
pub async fn tell(app: &App, store: &TenantStore, id: PassportId) {
    let found = match store.passport(id).await {
        Ok(found) => found,
        Err(error) => return tracing::warn!(%error, passport = %id, "a passport's change was not told"),
    };
    if let Some(Passport { call_id: Some(call), version, status, .. }) = found {
        app.fanout.publish(&CallEvent {
            version: EVENT_VERSION,
            event_id: Uuid::now_v7(),
            call_id: turn::CallId(call.0),
            tenant: store.id().0,
            at: Utc::now(),
            body: EventBody::PassportUpdated { passport_id: id.0, version: version.into(), status },
        });
    }
}
