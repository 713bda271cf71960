//! `POST /v1/understand` over the wire.

use reqwest::{Client, StatusCode};
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::api::understand::MAX_BODY;
use crate::simulated::TestGateway;

const ADMIN: &str = "an-admin-token-of-the-test";
const PATH: &str = "/v1/understand";

async fn gateway() -> TestGateway {
    TestGateway::start(|config| config.admin_token = Some(SecretString::from(ADMIN))).await
}

async fn post(test: &TestGateway, body: &Value) -> (StatusCode, Value) {
    let answer = Client::new().post(test.url(PATH)).bearer_auth(ADMIN).json(body).send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

#[tokio::test]
async fn words_are_taken_for_what_they_are() {
    let test = gateway().await;
    let text = "señor there's a pothole in front of 12 Maple Street and i want to report it";
    let (status, answer) = post(&test, &json!({ "text": text })).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert_eq!(answer["wants"][0]["route"], "incident");
    assert!(answer["wants"][0]["score"].as_f64().unwrap() > 0.5, "{answer}");
    assert_eq!(answer["language"], "en");
    assert_eq!((&answer["emergency"]["yes"], &answer["emergency"]["ask"]), (&json!(false), &json!(false)));
    let slot = answer["slots"].as_array().unwrap().iter().find(|slot| slot["name"] == "address").unwrap();
    let (start, end) = (slot["start"].as_u64().unwrap() as usize, slot["end"].as_u64().unwrap() as usize);
    let cut: String = text.chars().skip(start).take(end - start).collect();
    assert_eq!(slot["value"], json!(cut));
    assert!(cut.starts_with("12 Maple"), "{cut}");
    let (_, answer) = post(&test, &json!({ "text": "what time does the landfill close on saturday" })).await;
    assert_eq!(
        (&answer["act"], &answer["wants"][0]["route"]),
        (&json!("ask"), &json!("question")),
        "{answer}"
    );
}

#[tokio::test]
async fn danger_and_spanish_are_heard() {
    let test = gateway().await;
    let (_, answer) =
        post(&test, &json!({ "text": "my husband is on the floor and he is not breathing" })).await;
    assert_eq!(answer["emergency"]["yes"], true);
    let body = json!({ "text": "quiero agendar una inspección para mi negocio", "language": "es-MX" });
    let (_, answer) = post(&test, &body).await;
    assert_eq!((&answer["wants"][0]["route"], &answer["language"]), (&json!("booking"), &json!("es")));
}

#[tokio::test]
async fn what_cannot_be_understood_is_refused_with_its_name() {
    let test = gateway().await;
    for (body, parameter) in [
        (json!({ "text": "  " }), "text"),
        (json!({ "text": "a".repeat(2001) }), "text"),
        (json!({ "text": "hallo", "language": "de" }), "language"),
    ] {
        let (status, answer) = post(&test, &body).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{answer}");
        assert!(answer.to_string().contains(parameter), "{answer}");
    }
    let (status, _) = post(&test, &json!({ "text": "a".repeat(MAX_BODY) })).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    let without = Client::new().post(test.url(PATH)).json(&json!({ "text": "hello" })).send().await.unwrap();
    assert_eq!(without.status(), StatusCode::UNAUTHORIZED);
}
