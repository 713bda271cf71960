//! `POST /v1/do-not-call`: who does not want to be called is put on the list, or taken off it.
//!
//! The list holds keyed hashes of numbers, so it can be asked about a number and cannot be read.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use storage::Dials;
use storage::dials::NewDoNotCall;
use storage::zones::normalise_phone;

use crate::app::App;
use crate::audit::acts;
use crate::auth::permission::WorkRequests;
use crate::auth::scope::Scoped;
use crate::error::{ApiError, JsonBody};

/// A number, and whether it is to be on the list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listing {
    number: String,
    #[serde(default = "yes")]
    listed: bool,
}

// A number is somebody's.
impl std::fmt::Debug for Listing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listing").field("listed", &self.listed).finish_non_exhaustive()
    }
}

const fn yes() -> bool {
    true
}

/// Puts it there, or takes it off; either may be asked for again.
///
/// # Errors
/// 400 for what is no number.
pub async fn put(
    State(app): State<Arc<App>>,
    scope: Scoped<WorkRequests>,
    JsonBody(asked): JsonBody<Listing>,
) -> Result<Json<Value>, ApiError> {
    let Some(number) = normalise_phone(&asked.number) else {
        return Err(ApiError::invalid("number", "is no telephone number").advise("write it as +12025550100"));
    };
    let by = scope.principal.subject.clone();
    if asked.listed {
        scope.store.forbid_calls(NewDoNotCall { number, source: "staff".to_owned(), by }).await?;
    } else {
        scope.store.allow_calls(&number).await?;
    }
    let entry = acts::do_not_call_changed(&scope.principal, asked.listed);
    app.audit.record(Some(scope.tenant.id), entry).await?;
    Ok(Json(json!({ "listed": asked.listed })))
}
