//! `GET/PUT /v1/tenants/{id}/retention`, and legal holds: `GET/POST /v1/holds`, `DELETE /v1/holds/{id}`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use storage::audit::Party;
use storage::retention::{Held, Hold, NewHold};
use storage::{Calls, Passports, Retention, Settings, TenantStore};

use crate::app::App;
use crate::audit::acts;
use crate::auth::Scoped;
use crate::auth::permission::{ManageTenant, ReadAudit, ReadRaw};
use crate::auth::principal::Principal;
use crate::auth::scope::{Allowed, Realm};
use crate::error::{ApiError, ErrorCode, JsonBody};
use crate::retention::{DAYS, Keeps, SETTING};

/// Characters of a reason.
const LONGEST: usize = 500;

/// A hold to be set. `subject`: a call's or Passport's id, or a caller's number; none for `tenant`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    kind: String,
    subject: Option<String>,
    reason: String,
}

/// `GET /v1/tenants/{id}/retention`.
pub async fn retention(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    Path(id): Path<String>,
) -> Result<Json<Keeps>, ApiError> {
    let store = open(&app, &who.principal, &id).await?;
    Ok(Json(Keeps::of(&store).await?))
}

/// `PUT /v1/tenants/{id}/retention`: what is left out is the default.
pub async fn put_retention(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    Path(id): Path<String>,
    JsonBody(keeps): JsonBody<Keeps>,
) -> Result<Json<Keeps>, ApiError> {
    let store = open(&app, &who.principal, &id).await?;
    let asked = [
        ("event_days", keeps.event_days),
        ("task_days", keeps.task_days),
        ("recording_days", keeps.recording_days),
    ];
    for (name, days) in asked {
        if !DAYS.contains(&days) {
            let (least, most) = DAYS.into_inner();
            return Err(ApiError::invalid(name, format_args!("must be from {least} to {most} days")));
        }
    }
    store.put_setting(SETTING, &json!(keeps)).await?;
    let entry = acts::setting_changed(&who.principal, SETTING)
        .with("event_days", keeps.event_days)
        .with("task_days", keeps.task_days)
        .with("recording_days", keeps.recording_days);
    app.audit.record(Some(store.id()), entry).await?;
    Ok(Json(keeps))
}

async fn open(app: &App, principal: &Principal, id: &str) -> Result<TenantStore, ApiError> {
    let realm = Realm::of(app, principal, Some(id)).await?;
    let tenant = realm.tenant.ok_or_else(|| ApiError::not_found("tenant"))?;
    Ok(app.platform.tenant(tenant).await?)
}

/// `GET /v1/holds`: those in force first, newest first, then lifted ones. The reasons are raw text, so it needs that
/// permission too and leaves its entry first.
pub async fn holds(State(app): State<Arc<App>>, scope: Scoped<ReadAudit>) -> Result<Json<Value>, ApiError> {
    let scope = scope.also::<ReadRaw>(&app).await?;
    let read = acts::raw_read(&scope.principal, "holds", Party::new("tenant", scope.tenant.id));
    app.audit.record(Some(scope.tenant.id), read).await?;
    let items: Vec<Value> = scope.store.holds().await?.iter().map(shape).collect();
    Ok(Json(json!({ "items": items, "next_cursor": null })))
}

/// `POST /v1/holds`.
pub async fn set_hold(
    State(app): State<Arc<App>>,
    scope: Scoped<ManageTenant>,
    JsonBody(asked): JsonBody<Asked>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let reason = asked.reason.trim().to_owned();
    if reason.is_empty() || reason.chars().count() > LONGEST {
        return Err(ApiError::invalid("reason", format_args!("must have 1 to {LONGEST} characters")));
    }
    let on = held(&asked.kind, asked.subject.as_deref())?;
    exists(&scope.store, &on).await?;
    let hold = scope.store.set_hold(NewHold { on, reason, by: scope.principal.subject.clone() }).await?;
    app.audit.record(Some(scope.tenant.id), acts::hold_set(&scope.principal, &hold)).await?;
    Ok((StatusCode::CREATED, Json(shape(&hold))))
}

/// `DELETE /v1/holds/{id}`: lifts it. The next sweep deletes what is too old.
pub async fn lift_hold(
    State(app): State<Arc<App>>,
    scope: Scoped<ManageTenant>,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let id = id.parse().map_err(|_| ApiError::not_found("legal hold"))?;
    scope.store.lift_hold(id, &scope.principal.subject).await?;
    app.audit.record(Some(scope.tenant.id), acts::hold_lifted(&scope.principal, id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn held(kind: &str, subject: Option<&str>) -> Result<Held, ApiError> {
    let subject = || {
        subject
            .ok_or_else(|| ApiError::new(ErrorCode::MissingParameter, "this kind of hold needs a `subject`"))
    };
    let wrong = || ApiError::invalid("subject", "is not an id of ours");
    Ok(match kind {
        "call" => Held::Call(subject()?.parse().map_err(|_| wrong())?),
        "passport" => Held::Passport(subject()?.parse().map_err(|_| wrong())?),
        "caller" => Held::Caller(subject()?.to_owned()),
        "tenant" => Held::Tenant,
        _ => return Err(ApiError::invalid("kind", "is none of call, passport, caller, tenant")),
    })
}

/// A hold on what is not there would protect nothing, and nobody would notice.
async fn exists(store: &TenantStore, on: &Held) -> Result<(), ApiError> {
    let (is_there, what) = match on {
        Held::Call(call) => (store.call(*call).await?.is_some(), "call"),
        Held::Passport(passport) => (store.passport(*passport).await?.is_some(), "passport"),
        Held::Caller(_) | Held::Tenant => (true, ""),
    };
    if is_there {
        return Ok(());
    }
    Err(ApiError::invalid("subject", format_args!("names no {what} of this tenant: nothing would be held"))
        .advise(format!("take the id from GET /v1/{what}s of the same tenant")))
}

/// A caller's number is kept as a hash alone, so a hold on a caller does not say whose it is.
fn shape(hold: &Hold) -> Value {
    json!({
        "id": hold.id, "kind": hold.kind, "subject": hold.subject, "reason": hold.reason, "set_by": hold.set_by,
        "set_at": hold.set_at, "lifted_by": hold.lifted_by, "lifted_at": hold.lifted_at,
    })
}
