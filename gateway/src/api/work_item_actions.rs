//! `POST /v1/work-items/{id}/…`: people take requests on, write notes, and close them; and see a caller's data to serve them.
//!
//! Each act is one transaction with its entry in the item's history, then an entry on the audit, then the event for other consoles, then the answer.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};
use storage::work_acts::{NewWorkAct, WorkActed, WorkMove, WorkRefusal};
use storage::{Auth, WorkItems};

use super::work_items::{self, Detail};
use crate::app::App;
use crate::audit::acts;
use crate::auth::permission::{RevealPersonal, WorkRequests};
use crate::auth::scope::Scoped;
use crate::error::{ApiError, ErrorCode, JsonBody};
use crate::event_bus::work::WorkEvent;

/// Longest note, outcome or reason, in characters.
const LONGEST_NOTE: usize = 4_000;
/// Longest reason of a look at personal data, in characters.
const LONGEST_REASON: usize = 300;

type Answer = Result<Json<Detail>, ApiError>;

/// Who is to work on it. `null`: nobody.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assign {
    user: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    text: String,
}

/// What came of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Close {
    result: Closing,
    outcome: String,
    reason: Option<String>,
    /// Whether what the line took down and did was right. Left out: it was where the request is done, and was not where it is
    /// declined.
    line_was_right: Option<bool>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Closing {
    Done,
    Declined,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reopen {
    reason: String,
}

/// One token of the item.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reveal {
    token: String,
    reason: Option<String>,
}

/// Whoever asks takes it on.
///
/// # Errors
/// 404; 409 when somebody else has it, with their login, or when it is closed.
pub async fn claim(state: State<Arc<App>>, scope: Scoped<WorkRequests>, id: Path<String>) -> Answer {
    act(state, scope, id, WorkMove::Claim).await
}

/// Gives it to a user of the tenant, or to nobody.
///
/// # Errors
/// As [`claim`]; 400 when there is no such user.
pub async fn assign(
    State(app): State<Arc<App>>,
    scope: Scoped<WorkRequests>,
    id: Path<String>,
    JsonBody(asked): JsonBody<Assign>,
) -> Answer {
    if let Some(user) = &asked.user {
        let users = app.platform.store().users(Some(scope.tenant.id)).await?;
        if *user != scope.principal.subject && !users.iter().any(|known| known.login == *user) {
            return Err(ApiError::invalid("user", "is no login of this tenant")
                .advise("GET /v1/users lists them; null gives the request back"));
        }
    }
    act(State(app), scope, id, WorkMove::Assign(asked.user)).await
}

/// Adds a note to the history.
///
/// # Errors
/// As [`claim`]; 400 for an empty or very long note.
pub async fn note(
    state: State<Arc<App>>,
    scope: Scoped<WorkRequests>,
    id: Path<String>,
    JsonBody(asked): JsonBody<Note>,
) -> Answer {
    let text = written("text", &asked.text)?;
    act(state, scope, id, WorkMove::Note(text)).await
}

/// Closes it with what came of it.
///
/// # Errors
/// As [`claim`]; 400 without an outcome, or without a reason where it is declined.
pub async fn close(
    state: State<Arc<App>>,
    scope: Scoped<WorkRequests>,
    id: Path<String>,
    JsonBody(asked): JsonBody<Close>,
) -> Answer {
    let outcome = written("outcome", &asked.outcome)?;
    let line_right = asked.line_was_right;
    let made = match asked.result {
        Closing::Done => WorkMove::Done { outcome, line_right },
        Closing::Declined => {
            let reason = written("reason", asked.reason.as_deref().unwrap_or_default())?;
            WorkMove::Declined { outcome, reason, line_right }
        }
    };
    act(state, scope, id, made).await
}

/// It is not done after all.
///
/// # Errors
/// 404; 400 without a reason; 409 when it is not closed.
pub async fn reopen(
    state: State<Arc<App>>,
    scope: Scoped<WorkRequests>,
    id: Path<String>,
    JsonBody(asked): JsonBody<Reopen>,
) -> Answer {
    let reason = written("reason", &asked.reason)?;
    act(state, scope, id, WorkMove::Reopen { reason }).await
}

/// What one token of the item stands for. The look is on the audit before it is answered; the value is in no log.
///
/// # Errors
/// 404 when there is no such item or token, or when nobody is told what it stands for.
pub async fn reveal(
    State(app): State<Arc<App>>,
    scope: Scoped<RevealPersonal>,
    Path(id): Path<String>,
    JsonBody(asked): JsonBody<Reveal>,
) -> Result<Json<Value>, ApiError> {
    let item = work_items::find(&scope.store, &id).await?;
    let reason = asked.reason.as_deref().map(str::trim).unwrap_or_default();
    if reason.chars().count() > LONGEST_REASON {
        return Err(ApiError::invalid("reason", format_args!("is longer than {LONGEST_REASON} characters")));
    }
    let history = scope.store.work_history(item.id).await?;
    let item_id = item.id;
    let value = work_items::revealed(&app, scope.tenant.id, item, &history, asked.token.trim())?;
    let value = value.ok_or_else(|| {
        ApiError::not_found("token")
            .advise("send a token of this request as it is shown; card and social security numbers are shown to nobody")
    })?;
    let entry = acts::personal_revealed(&scope.principal, item_id, kind_of(&asked.token), reason);
    app.audit.record(Some(scope.tenant.id), entry).await?;
    Ok(Json(json!({ "value": value })))
}

/// "phone" of `⟨phone:1⟩`: for the audit, which holds no text that somebody sent.
fn kind_of(token: &str) -> String {
    token
        .trim_matches(|c: char| !c.is_ascii_lowercase())
        .chars()
        .take_while(|c| c.is_ascii_lowercase() || *c == '_')
        .take(30)
        .collect()
}

async fn act(
    State(app): State<Arc<App>>,
    scope: Scoped<WorkRequests>,
    Path(id): Path<String>,
    made: WorkMove,
) -> Answer {
    // Before anything changes: an error afterwards would say that nothing did.
    app.engines()?;
    let item = work_items::find(&scope.store, &id).await?.id;
    let act = NewWorkAct { item, actor: scope.principal.subject.clone(), made };
    let changed = match scope.store.act_on_work_item(act).await? {
        WorkActed::Made(changed) => changed,
        WorkActed::Refused(refusal) => return Err(refused(&refusal)),
    };
    let entry = acts::work_item_changed(&scope.principal, changed.id, changed.status.as_str());
    app.audit.record(Some(scope.tenant.id), entry).await?;
    app.fanout.publish_work(scope.tenant.id.0, &WorkEvent::updated(&changed));
    // What people decided counts for those who worked on it.
    app.reviewing.notify_one();
    Ok(Json(work_items::detail(&app, scope.tenant.id, &scope.store, changed).await?))
}

pub(super) fn refused(refusal: &WorkRefusal) -> ApiError {
    let conflict = |message: String| ApiError::new(ErrorCode::Conflict, message);
    match refusal {
        WorkRefusal::HeldBy(who) => conflict(format!("{who} works on this request"))
            .with_details(json!({ "assignee": who }))
            .advise("ask them, or assign it first"),
        WorkRefusal::Closed(status) => conflict(format!("this request is closed ({status})"))
            .with_details(json!({ "status": status }))
            .advise("reopen it first"),
        WorkRefusal::NotClosed(status) => {
            conflict("this request is not closed".to_owned()).with_details(json!({ "status": status }))
        }
        WorkRefusal::Busy => {
            conflict("others changed this request meanwhile".to_owned()).advise("read it again, then retry")
        }
    }
}

fn written(name: &str, text: &str) -> Result<String, ApiError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(ApiError::invalid(name, "is empty"));
    }
    if text.chars().count() > LONGEST_NOTE {
        return Err(ApiError::invalid(name, format_args!("is longer than {LONGEST_NOTE} characters")));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_audit_names_the_kind_of_a_token_alone() {
        assert_eq!(kind_of("⟨phone:1⟩"), "phone");
        assert_eq!(kind_of("⟨date_of_birth:2⟩"), "date_of_birth");
        assert_eq!(kind_of("202-555-0143"), "");
    }
}
