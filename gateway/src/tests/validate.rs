//! `POST /v1/validate` over the wire.

use reqwest::{Client, StatusCode};
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::api::validate::{AT_ONCE, MAX_BODY};
use crate::simulated::TestGateway;

const ADMIN: &str = "an-admin-token-of-the-test";
const PATH: &str = "/v1/validate";
/// The request and the answer that the guide shows.
const GUIDE: &str = include_str!("../../../docs/guides/judge.md");

async fn gateway() -> TestGateway {
    TestGateway::start(|config| config.admin_token = Some(SecretString::from(ADMIN))).await
}

async fn post(test: &TestGateway, body: &Value) -> (StatusCode, Value) {
    let answer = Client::new().post(test.url(PATH)).bearer_auth(ADMIN).json(body).send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

#[tokio::test]
async fn the_guides_example_is_answered_as_the_guide_says() {
    let test = gateway().await;
    let mut shown = GUIDE.split("```json").skip(1).filter_map(|part| part.split("```").next());
    let request: Value = serde_json::from_str(shown.next().unwrap()).unwrap();
    let expected: Value = serde_json::from_str(shown.next().unwrap()).unwrap();
    let (status, answer) = post(&test, &request).await;
    assert_eq!((status, &answer), (StatusCode::OK, &expected), "{answer:#}");
}

#[tokio::test]
async fn a_right_answer_is_valid_and_the_questions_likeness_needs_no_model() {
    let test = gateway().await;
    let body = json!({ "output": "A dog license costs $10 for a spayed dog.", "level": "thorough",
        "trusted_sources": ["A dog license costs $10 for a spayed or neutered dog and $25 for others."],
        "context": { "question": "How much is a dog license for a spayed dog?" } });
    let (status, answer) = post(&test, &body).await;
    assert_eq!(
        (status, &answer["valid"], &answer["issues"]),
        (StatusCode::OK, &json!(true), &json!([])),
        "{answer}"
    );
}

#[tokio::test]
async fn the_tenant_s_own_rules_are_among_those_that_an_output_is_held_to() {
    let test = gateway().await;
    let body = json!({ "output": "The mayor says parks matter.", "level": "basic" });
    assert_eq!(post(&test, &body).await.1["issues"], json!([]));
    let own = "rule no-mayor { name: 'n' category: compliance description: 'd' applies_to: words
        requirement: not words_any(['the mayor says']) action: BLOCK
        explanation_en: 'A sentence quoted the mayor.' explanation_es: 'x'
        replacement_en: 'I cannot speak for anybody else.' replacement_es: 'No puedo hablar por nadie.' }
      rule says-goodbye { name: 'n' category: compliance description: 'd' applies_to: reply
        requirement: words_any(['goodbye']) action: WARN
        explanation_en: 'The reply does not say goodbye.' explanation_es: 'x' }";
    let put = Client::new().put(test.url("/v1/rules")).bearer_auth(ADMIN).json(&json!({ "text": own }));
    assert_eq!(put.send().await.unwrap().status(), StatusCode::OK);
    let (status, answer) = post(&test, &body).await;
    assert_eq!((status, &answer["valid"]), (StatusCode::OK, &json!(false)), "{answer}");
    let told: Vec<_> = answer["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| {
            (i["type"].as_str().unwrap(), i["severity"].as_str().unwrap(), i["location"].as_str().unwrap())
        })
        .collect();
    let expected =
        [("rule_violation", "error", "rule:no-mayor"), ("rule_violation", "warning", "rule:says-goodbye")];
    assert_eq!(told, expected);
    let issue = &answer["issues"][0];
    assert!(issue["message"].as_str().unwrap().starts_with("A sentence quoted the mayor."), "{issue}");
    assert_eq!(issue["suggestion"], "I cannot speak for anybody else.");
}

#[tokio::test]
async fn wrong_requests_and_strangers_get_the_standard_error() {
    let test = gateway().await;
    for (body, code) in [
        (json!({ "level": "basic" }), "INVALID_REQUEST"),
        (json!({ "output": "x", "validation_types": ["everything"] }), "INVALID_REQUEST"),
        (json!({ "output": "x", "level": 3 }), "INVALID_REQUEST"),
        (json!({ "output": "x" }), "INVALID_PARAMETER"),
        (json!({ "output": "x", "level": "basic", "expected_schema": { "type": 7 } }), "INVALID_PARAMETER"),
        (
            json!({ "output": "x", "level": "basic", "expected_schema": { "$ref": "http://127.0.0.1/x" } }),
            "INVALID_PARAMETER",
        ),
        (json!({ "output": "x".repeat(100_000), "level": "basic" }), "INVALID_PARAMETER"),
    ] {
        let (status, answer) = post(&test, &body).await;
        assert!(status.is_client_error(), "{status}");
        assert_eq!(answer["error_code"], code, "{answer}");
        assert!(answer["error_message"].is_string() && answer["recoverable"] == false);
    }
    let (status, _) = post(&test, &json!({ "output": "x".repeat(MAX_BODY), "level": "basic" })).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    let body = json!({ "output": "x", "level": "basic" });
    let answer = Client::new().post(test.url(PATH)).json(&body).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn with_every_place_taken_a_request_is_told_to_come_back() {
    let test = gateway().await;
    let places = test.gateway.app.judging.clone().acquire_many_owned(AT_ONCE as u32).await.unwrap();
    let body = json!({ "output": "x.", "level": "basic" });
    let (status, answer) = post(&test, &body).await;
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!((&answer["error_code"], &answer["recoverable"]), (&json!("RATE_LIMITED"), &json!(true)));
    drop(places);
    assert_eq!(post(&test, &body).await.0, StatusCode::OK);
}
