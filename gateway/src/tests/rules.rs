//! `/v1/rules` over the wire.

use reqwest::{Client, Method, StatusCode};
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::simulated::TestGateway;

const ADMIN: &str = "an-admin-token-of-the-test";

async fn gateway() -> TestGateway {
    TestGateway::start(|config| config.admin_token = Some(SecretString::from(ADMIN))).await
}

async fn send(test: &TestGateway, method: Method, path: &str, body: Option<&Value>) -> (StatusCode, Value) {
    let mut request = Client::new().request(method, test.url(path)).bearer_auth(ADMIN);
    if let Some(body) = body {
        request = request.json(body);
    }
    let answer = request.send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

async fn check(test: &TestGateway, body: &Value) -> Value {
    let (status, answer) = send(test, Method::POST, "/v1/rules/check", Some(body)).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    answer
}

#[tokio::test]
async fn the_shipped_rules_and_the_demo_tenants_are_in_force_from_the_first_start() {
    let test = gateway().await;
    let (status, answer) = send(&test, Method::GET, "/v1/rules", None).await;
    assert_eq!(status, StatusCode::OK);
    let rules = answer["rules"].as_array().unwrap();
    let find = |id: &str| rules.iter().find(|rule| rule["id"] == id).unwrap();
    assert_eq!(find("pii-no-external")["condition"], "action.involves_pii == true");
    assert_eq!(
        (&find("no-legal-advice")["tier"], &find("no-legal-advice")["action"]),
        (&json!("platform"), &json!("BLOCK"))
    );
    assert_eq!(find("riverbend-no-elections-opinion")["tier"], "tenant");
    assert!(answer["tenant_text"].as_str().unwrap().contains("riverbend-no-elections-opinion"));
    assert!(answer["shipped"].to_string().contains("rule no-legal-advice"));
}

#[tokio::test]
async fn a_text_with_a_mistake_is_refused_with_its_place_and_the_old_rules_stay() {
    let test = gateway().await;
    let good = "rule mine { name: 'n' category: legal description: 'd' applies_to: words requirement: not words_any(['mayor'])
        action: WARN explanation_en: 'e' explanation_es: 'e' }";
    let (status, answer) = send(&test, Method::PUT, "/v1/rules", Some(&json!({ "text": good }))).await;
    assert_eq!((status, &answer["tenant_text"]), (StatusCode::OK, &json!(good)));
    for (text, line, column) in [
        ("rule x {\n  colour: red }", 2, 3),
        ("rule no-legal-advice { }", 1, 6),
        ("condition a = b\ncondition b = a", 1, 11),
    ] {
        let (status, answer) = send(&test, Method::PUT, "/v1/rules", Some(&json!({ "text": text }))).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{answer}");
        let details = &answer["error_details"];
        assert_eq!((&details["line"], &details["column"]), (&json!(line), &json!(column)), "{answer}");
        assert!(
            answer["error_message"].as_str().unwrap().contains('^') && answer["suggested_action"].is_string()
        );
    }
    let (_, answer) = send(&test, Method::GET, "/v1/rules", None).await;
    assert_eq!(answer["tenant_text"], good);
    let warned = check(&test, &json!({ "kind": "words", "text": "Ask the mayor." })).await;
    assert_eq!((&warned["permitted"], &warned["violations"][0]["rule_id"]), (&json!(true), &json!("mine")));
}

#[tokio::test]
async fn a_check_tells_what_would_be_broken_and_why() {
    let test = gateway().await;
    let answer =
        check(&test, &json!({ "kind": "words", "text": "It is seven dollars.", "shown": ["It costs $10."] }))
            .await;
    assert_eq!((&answer["permitted"], &answer["override_possible"]), (&json!(false), &json!(false)));
    let violation = &answer["violations"][0];
    assert_eq!((&violation["rule_id"], &violation["action"]), (&json!("locked-amounts"), &json!("BLOCK")));
    assert!(violation["reason"].as_str().unwrap().contains("known.amounts is $10"), "{violation}");
    let answer =
        check(&test, &json!({ "kind": "words", "text": "It is ten dollars.", "shown": ["It costs $10."] }))
            .await;
    assert_eq!(
        answer,
        json!({ "permitted": true, "override_possible": false, "meaning_read": false, "violations": [] })
    );
    let tool =
        json!({ "kind": "tool", "tool": "send_mail", "involves_pii": true, "destination": "external" });
    assert_eq!(check(&test, &tool).await["violations"][0]["rule_id"], "pii-no-external");
    let reply = json!({ "kind": "reply", "text": "Hola.", "language": "es", "is_emergency": true });
    let answer = check(&test, &reply).await;
    assert!(answer["violations"][0]["replacement"].as_str().unwrap().contains("911"), "{answer}");
    for body in [
        json!({ "kind": "words" }),
        json!({ "kind": "tool", "text": "x" }),
        json!({ "kind": "song", "text": "x" }),
        json!({ "kind": "words", "text": "x".repeat(4_001) }),
        json!({ "kind": "tool", "tool": "x", "arguments": [1] }),
        json!({ "kind": "words", "text": "x", "colour": "red" }),
    ] {
        let (status, answer) = send(&test, Method::POST, "/v1/rules/check", Some(&body)).await;
        assert!(status.is_client_error(), "{body}: {answer}");
    }
}
