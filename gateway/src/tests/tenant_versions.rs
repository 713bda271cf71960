//! Versions of a tenant's document: kept, listed, and gone back to.

use reqwest::header::{ACCEPT, CONTENT_TYPE, ETAG, IF_MATCH};
use reqwest::{Client, RequestBuilder, StatusCode};
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::config::Config;
use crate::simulated::TestGateway;

const ADMIN: &str = "an-admin-token-of-the-test";
const RIVERBEND: &str = "/v1/tenants/riverbend/config";

async fn gateway() -> TestGateway {
    let admin = |config: &mut Config| config.admin_token = Some(SecretString::from(ADMIN));
    TestGateway::start(admin).await
}

async fn sent(request: RequestBuilder) -> (StatusCode, Value) {
    let answer = request.bearer_auth(ADMIN).send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

fn get(test: &TestGateway, path: &str) -> RequestBuilder {
    Client::new().get(test.url(&format!("{RIVERBEND}{path}")))
}

fn post(test: &TestGateway, path: &str) -> RequestBuilder {
    Client::new().post(test.url(&format!("{RIVERBEND}{path}")))
}

async fn put(test: &TestGateway, text: &str) -> Value {
    let asked = Client::new().put(test.url(RIVERBEND)).header(CONTENT_TYPE, "application/toml");
    let (status, applied) = sent(asked.body(text.to_owned())).await;
    assert_eq!(status, StatusCode::OK, "{applied}");
    applied
}

async fn text(test: &TestGateway, path: &str) -> String {
    let asked = get(test, path).header(ACCEPT, "application/toml").bearer_auth(ADMIN);
    asked.send().await.unwrap().text().await.unwrap()
}

const CLAIM: &str = "\n[[claim]]\nclaim_number = \"CLM-7\"\nstatus = \"open\"\nstatus_text = \"It is open.\"\n\
                     name = \"Pat Quist\"\ndate_of_birth = \"1970-01-31\"\nphone = \"+12025550199\"\n";

#[tokio::test]
async fn every_document_is_kept_and_an_earlier_one_is_gone_back_to_as_a_new_version() {
    let test = gateway().await;
    let first = text(&test, "").await;
    let moved = first.replace("100 Court Square", "1 New Square");
    let applied = put(&test, &format!("{moved}{CLAIM}")).await;
    assert_eq!(applied["kept_as"], 2, "the first is what was there before: {applied}");
    assert_eq!(put(&test, &moved).await["kept_as"], Value::Null, "nothing changed");
    put(&test, &moved.replace("1 New Square", "2 Last Lane")).await;

    let (_, listed) = sent(get(&test, "/versions")).await;
    let items = listed["items"].as_array().unwrap();
    let numbers: Vec<_> = items.iter().map(|item| item["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [3, 2, 1], "{listed}");
    assert_eq!(
        (&items[2]["actor"], &items[2]["changes"]),
        (&json!("outside the document"), &json!(["as it was before"]))
    );
    assert!(items[1]["changes"].to_string().contains("office address"), "{listed}");
    assert!(!listed.to_string().contains("Quist"), "{listed}");
    let (_, page) = sent(get(&test, "/versions?limit=1&cursor=3")).await;
    assert_eq!((&page["items"][0]["number"], &page["next_cursor"]), (&json!(2), &json!("2")));

    let (_, second) = sent(get(&test, "/versions/2")).await;
    assert_eq!(second["differences"], json!(["office address: \"2 Last Lane\" becomes \"1 New Square\""]));
    assert!(!second.to_string().contains("Quist"), "claims are in no version: {second}");
    assert_eq!(text(&test, "/versions/1").await, first);
    let (status, back) = sent(post(&test, "/versions/1/rollback")).await;
    assert_eq!((status, &back["kept_as"]), (StatusCode::OK, &json!(4)), "{back}");
    assert_eq!(text(&test, "").await, first);
    let (_, newest) = sent(get(&test, "/versions/4")).await;
    assert_eq!(
        (&newest["changes"][0], &newest["differences"]),
        (&json!("goes back to version 1"), &json!([]))
    );
    assert_eq!(sent(post(&test, "/versions/99/rollback")).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_way_back_is_checked_as_any_document_and_refused_where_somebody_was_quicker() {
    let test = gateway().await;
    let answer = get(&test, "").header(ACCEPT, "application/toml").bearer_auth(ADMIN).send().await.unwrap();
    let tag = answer.headers()[ETAG].to_str().unwrap().to_owned();
    let first = answer.text().await.unwrap();
    put(&test, &first.replace("+12025550100", "+12025550109")).await;
    let stale = post(&test, "/versions/1/rollback").header(IF_MATCH, &tag);
    assert_eq!(sent(stale).await.0, StatusCode::PRECONDITION_FAILED);
    // Another tenant has the number of the first version by now.
    let new = json!({"slug": "oakdale", "name": "Oakdale", "line": "+12025550100"});
    assert!(sent(Client::new().post(test.url("/v1/tenants")).json(&new)).await.0.is_success());
    let (status, refused) = sent(post(&test, "/versions/1/rollback")).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.to_string().contains("another tenant's line"), "{refused}");
    // What another route changed is kept before the next document is laid over it.
    let words = Client::new().put(test.url("/v1/tenants/riverbend/vocabulary"));
    sent(words.json(&json!({"vocabulary": ["Puyallup"]}))).await;
    put(&test, &first.replace("+12025550100", "+12025550108")).await;
    let (_, listed) = sent(get(&test, "/versions")).await;
    assert_eq!(listed["items"][1]["actor"], "outside the document", "{listed}");
    assert!(listed["items"][1]["changes"].to_string().contains("Puyallup"), "{listed}");
}

#[tokio::test]
async fn of_two_documents_at_once_for_one_version_one_is_refused() {
    let test = gateway().await;
    let answer = get(&test, "").header(ACCEPT, "application/toml").bearer_auth(ADMIN).send().await.unwrap();
    let tag = answer.headers()[ETAG].to_str().unwrap().to_owned();
    let first = answer.text().await.unwrap();
    let put = |place: &str| {
        let asked = Client::new().put(test.url(RIVERBEND)).header(CONTENT_TYPE, "application/toml");
        sent(asked.header(IF_MATCH, &tag).body(first.replace("100 Court Square", place)))
    };
    let (a, b) = tokio::join!(put("1 New Square"), put("2 Last Lane"));
    let mut told = [a.0.as_u16(), b.0.as_u16()];
    told.sort_unstable();
    assert_eq!(told, [200, 412]);
}
