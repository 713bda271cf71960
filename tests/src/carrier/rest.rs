//! The REST interface of the simulated carrier, as Twilio's.

use std::collections::HashMap;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Form, Json, Router};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{ACCOUNT, Behaviour, CarrierServer, Fields, Leg, TOKEN, Trouble};

pub(super) fn routes() -> Router<CarrierServer> {
    Router::new()
        .route("/2010-04-01/Accounts/{account}/Calls.json", post(create).get(list))
        .route("/2010-04-01/Accounts/{account}/Calls/{sid}", get(one).post(update))
}

fn refused(status: StatusCode, code: u32) -> Response {
    let message = "as the test wants";
    let body = json!({ "code": code, "message": message, "more_info": "", "status": status.as_u16() });
    (status, Json(body)).into_response()
}

/// Lets a request in; what is wrong with it otherwise, or what shall go wrong.
async fn admit(server: &CarrierServer, headers: &HeaderMap, account: &str) -> Result<Option<u16>, Response> {
    let known = reqwest::Client::new().get("http://127.0.0.1/").basic_auth(ACCOUNT, Some(TOKEN)).build();
    let known = known.expect("a request").headers()["authorization"].clone();
    if headers.get("authorization") != Some(&known) || account != ACCOUNT {
        return Err(refused(StatusCode::UNAUTHORIZED, 20003));
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
            let code = if status == 429 { 20429 } else { 20500 };
            Err(refused(StatusCode::from_u16(status).expect("a status"), code))
        }
    }
}

fn shown(leg: &Leg) -> Value {
    let is_over = super::is_over(leg.status);
    json!({
        "sid": leg.sid, "status": leg.status, "from": leg.from, "to": leg.to, "direction": "outbound-api",
        "date_created": leg.created, "duration": is_over.then_some("7"), "answered_by": leg.answered_by,
        "parent_call_sid": leg.parent, "price": null, "uri": format!("/2010-04-01/Accounts/{ACCOUNT}/Calls/{}.json", leg.sid),
    })
}

async fn create(
    State(server): State<CarrierServer>,
    Path(account): Path<String>,
    headers: HeaderMap,
    Form(form): Form<Fields>,
) -> Response {
    let done_and = match admit(&server, &headers, &account).await {
        Ok(done_and) => done_and,
        Err(refusal) => return refusal,
    };
    server.inner.asked.lock().push(("Calls".to_owned(), form.clone()));
    let value = |name: &str| form.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone()).unwrap_or_default();
    let (to, from) = (value("To"), value("From"));
    let is_number =
        |text: &str| text.strip_prefix('+').is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()));
    if !is_number(&to) {
        return refused(StatusCode::BAD_REQUEST, 21211);
    }
    if !is_number(&from) {
        return refused(StatusCode::BAD_REQUEST, 21212);
    }
    if value("Url").is_empty() {
        return refused(StatusCode::BAD_REQUEST, 21205);
    }
    if let Behaviour::Refused(code) = server.behaviour(&to) {
        return refused(StatusCode::BAD_REQUEST, code);
    }
    let sid = server.add(&from, &to, None);
    let body = server.leg(&sid, |leg| shown(leg));
    tokio::spawn(server.clone().live(sid, form));
    match done_and {
        Some(status) => refused(StatusCode::from_u16(status).expect("a status"), 20500),
        None => (StatusCode::CREATED, Json(body)).into_response(),
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
    let calls: Vec<Value> = server.listed(&wanted, shown);
    Json(json!({ "calls": calls, "page": 0, "page_size": 20 })).into_response()
}

async fn one(
    State(server): State<CarrierServer>,
    Path((account, sid)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    if let Err(refusal) = admit(&server, &headers, &account).await {
        return refusal;
    }
    match server.leg(sid.trim_end_matches(".json"), |leg| shown(leg)) {
        Some(body) => Json(body).into_response(),
        None => refused(StatusCode::NOT_FOUND, 20404),
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
    match server.change(sid.trim_end_matches(".json"), &form, "Twiml") {
        Some(true) => Json(server.leg(sid.trim_end_matches(".json"), |leg| shown(leg))).into_response(),
        Some(false) => refused(StatusCode::BAD_REQUEST, 21220),
        None => refused(StatusCode::NOT_FOUND, 20404),
    }
}
