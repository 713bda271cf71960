//! The REST interface of the simulated carrier, and its signatures, as Telnyx's: bearer keys, JSON to place a call, forms to change
//! one, and an answer to placing that does not name the call.

use std::collections::HashMap;

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Form, Json, Router};
use chrono::Utc;
use serde_json::{Value, json};
use telephony::encoding::push_payload;
use telephony::telnyx::signature::{SIGNATURE_HEADER, TIME_HEADER, signed};
use tokio::time::sleep;

use super::{ACCOUNT, Behaviour, CarrierServer, Fields, Leg, Trouble, is_over};

/// What the account's requests are let in by.
pub const API_KEY: &str = "KEY0123456789ABCDEF";
/// The application that calls are placed by.
pub const APPLICATION: &str = "1293384261075731499";

/// The key pair that callbacks are signed with.
fn pair() -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[7; 32]).expect("a key pair")
}

/// Its public half, as the account's console shows it.
pub fn public_key() -> String {
    base64(pair().public_key().as_ref())
}

fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    push_payload(&mut text, bytes);
    text
}

/// The headers of a callback with this body, signed so many seconds ago.
pub fn headers(body: &str, ago_s: i64) -> [(&'static str, String); 2] {
    let time = (Utc::now().timestamp() - ago_s).to_string();
    let signature = pair().sign(&signed(&time, body.as_bytes()));
    [(SIGNATURE_HEADER, base64(signature.as_ref())), (TIME_HEADER, time)]
}

pub(super) fn routes() -> Router<CarrierServer> {
    Router::new()
        .route("/v2/texml/Accounts/{account}/Calls", post(create).get(list))
        .route("/v2/texml/Accounts/{account}/Calls/{sid}", get(one).post(update))
}

fn refused(status: StatusCode, code: u32) -> Response {
    let error = json!({ "code": code.to_string(), "title": "as the test wants", "detail": "" });
    (status, Json(json!({ "errors": [error] }))).into_response()
}

/// Lets a request in; what is wrong with it otherwise, or what shall go wrong.
async fn admit(server: &CarrierServer, headers: &HeaderMap, account: &str) -> Result<Option<u16>, Response> {
    let given = headers.get("authorization").and_then(|value| value.to_str().ok());
    if given != Some(&format!("Bearer {API_KEY}")) || account != ACCOUNT {
        return Err(refused(StatusCode::UNAUTHORIZED, 10_009));
    }
    let trouble = server.inner.troubles.lock().pop_front();
    match trouble {
        None => Ok(None),
        Some(Trouble::DoneAnd(status)) => Ok(Some(status)),
        Some(Trouble::Slow(late)) => {
            sleep(late).await;
            Ok(None)
        }
        Some(Trouble::Status(status)) => {
            Err(refused(StatusCode::from_u16(status).expect("a status"), 10_011))
        }
    }
}

fn shown(leg: &Leg) -> Value {
    let answered_by = leg.answered_by.map(|word| if word == "human" { "human" } else { "machine" });
    json!({
        "sid": leg.sid, "status": leg.status, "from": leg.from, "to": leg.to, "direction": "outbound",
        "date_created": leg.created, "duration": is_over(leg.status).then_some("7"), "answered_by": answered_by,
        "account_sid": ACCOUNT,
    })
}

async fn create(
    State(server): State<CarrierServer>,
    Path(account): Path<String>,
    headers: HeaderMap,
    Json(order): Json<HashMap<String, Value>>,
) -> Response {
    let done_and = match admit(&server, &headers, &account).await {
        Ok(done_and) => done_and,
        Err(refusal) => return refusal,
    };
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let form: Fields = order.iter().map(|(name, value)| (name.clone(), text(value))).collect();
    server.inner.asked.lock().push(("Calls".to_owned(), form.clone()));
    let value = |name: &str| order.get(name).map(text).unwrap_or_default();
    let (to, from) = (value("To"), value("From"));
    if value("ApplicationSid") != APPLICATION {
        return refused(StatusCode::NOT_FOUND, 10_005);
    }
    let is_order = to.starts_with('+') && from.starts_with('+') && !value("Url").is_empty();
    if !(is_order && order["Timeout"].is_u64() && order["TimeLimit"].is_u64()) {
        return refused(StatusCode::UNPROCESSABLE_ENTITY, 10_015);
    }
    if let Behaviour::Refused(code) = server.behaviour(&to) {
        return refused(StatusCode::UNPROCESSABLE_ENTITY, code);
    }
    let sid = server.add(&from, &to, None);
    tokio::spawn(server.clone().live(sid, form));
    match done_and {
        Some(status) => refused(StatusCode::from_u16(status).expect("a status"), 10_007),
        None => Json(json!({ "from": from, "to": to, "status": "queued" })).into_response(),
    }
}

async fn list(
    State(server): State<CarrierServer>,
    Path(account): Path<String>,
    Query(wanted): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    if let Err(refusal) = admit(&server, &headers, &account).await {
        return refusal;
    }
    Json(json!({ "calls": server.listed(&wanted, shown), "page": 0, "page_size": 20 })).into_response()
}

async fn one(
    State(server): State<CarrierServer>,
    Path((account, sid)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    if let Err(refusal) = admit(&server, &headers, &account).await {
        return refusal;
    }
    match server.leg(&sid, |leg| shown(leg)) {
        Some(body) => Json(body).into_response(),
        None => refused(StatusCode::NOT_FOUND, 10_005),
    }
}

async fn update(
    State(server): State<CarrierServer>,
    Path((account, sid)): Path<(String, String)>,
    headers: HeaderMap,
    Form(form): Form<Fields>,
) -> Response {
    if let Err(refusal) = admit(&server, &headers, &account).await {
        return refusal;
    }
    server.inner.asked.lock().push(("Calls/update".to_owned(), form.clone()));
    match server.change(&sid, &form, "Texml") {
        Some(true) => Json(server.leg(&sid, |leg| shown(leg))).into_response(),
        Some(false) => refused(StatusCode::UNPROCESSABLE_ENTITY, 90_018),
        None => refused(StatusCode::NOT_FOUND, 10_005),
    }
}
