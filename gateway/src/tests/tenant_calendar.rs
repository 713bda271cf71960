//! Single times and holidays of a tenant: as a table, as JSON, and in the document.

use chrono::{Days, Utc};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, RequestBuilder, StatusCode};
use secrecy::SecretString;
use serde_json::{Value, json};
use storage::{Directory, Slots, TenantStore};

use crate::config::Config;
use crate::simulated::TestGateway;

const ADMIN: &str = "an-admin-token-of-the-test";
const RIVERBEND: &str = "/v1/tenants/riverbend";

async fn gateway() -> (TestGateway, TenantStore) {
    let admin = |config: &mut Config| config.admin_token = Some(SecretString::from(ADMIN));
    let test = TestGateway::start(admin).await;
    let platform = &test.gateway.app.platform;
    let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
    let store = platform.tenant(tenant.id).await.unwrap();
    (test, store)
}

async fn sent(request: RequestBuilder) -> (StatusCode, Value) {
    let answer = request.bearer_auth(ADMIN).send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

fn put(test: &TestGateway, path: &str) -> RequestBuilder {
    Client::new().put(test.url(&format!("{RIVERBEND}{path}")))
}

fn get(test: &TestGateway, path: &str) -> RequestBuilder {
    Client::new().get(test.url(&format!("{RIVERBEND}{path}")))
}

async fn free(store: &TenantStore, label: &str) -> usize {
    let free = store.free_slots(Utc::now(), 500).await.unwrap();
    free.iter().filter(|slot| slot.label == label).count()
}

#[tokio::test]
async fn a_table_of_times_is_checked_by_its_lines_applied_and_taken_out_again() {
    let (test, store) = gateway().await;
    let plan = free(&store, "safety inspection").await;
    let day = Utc::now().date_naive() + Days::new(40);
    let table = format!(
        "date,time,label,office,count\n{day},9:00,permit review,Annex,2\n{day},10:30,permit review,Annex,1\n"
    );
    let check =
        Client::new().post(test.url(&format!("{RIVERBEND}/slots/check"))).header(CONTENT_TYPE, "text/csv");
    let wrong = table.replace("10:30", "late");
    let (_, told) = sent(check.try_clone().unwrap().body(wrong.clone())).await;
    assert_eq!(
        (&told["faults"][0]["line"], &told["faults"][0]["key"]),
        (&json!(3), &json!("slot[2].time")),
        "{told}"
    );
    let (status, refused) = sent(put(&test, "/slots").header(CONTENT_TYPE, "text/csv").body(wrong)).await;
    assert_eq!(
        (status, &refused["error_details"]["faults"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &told["faults"])
    );
    let (_, told) = sent(check.body(table.clone())).await;
    assert!(told["valid"] == true && told["changes"].to_string().contains("permit review"), "{told}");
    assert_eq!(free(&store, "permit review, Annex").await, 0, "checking makes nothing");

    let (status, applied) = sent(put(&test, "/slots").header(CONTENT_TYPE, "text/csv").body(table)).await;
    assert_eq!((status, &applied["kept_as"]), (StatusCode::OK, &json!(2)), "{applied}");
    assert_eq!(free(&store, "permit review, Annex").await, 3);
    assert_eq!(free(&store, "safety inspection").await, plan, "plans stay");
    let (_, kept) = sent(get(&test, "/slots")).await;
    assert_eq!(kept["slots"].as_array().unwrap().len(), 2, "{kept}");
    let (_, again) = sent(put(&test, "/slots").json(&kept)).await;
    assert_eq!(again["changes"], json!([]), "{again}");
    let (_, document) = sent(get(&test, "/config")).await;
    assert_eq!(document["slot"], kept["slots"]);
    crate::tenant_config::appointments::renew_all(&test.gateway.app.platform).await.unwrap();
    assert_eq!(free(&store, "permit review, Annex").await, 3, "they stay when plans are renewed");
    assert_eq!(sent(put(&test, "/slots").json(&json!({ "slots": [] }))).await.0, StatusCode::OK);
    assert_eq!(free(&store, "permit review, Annex").await, 0);
}

#[tokio::test]
async fn on_a_holiday_nothing_is_booked_and_the_office_is_closed() {
    let (test, store) = gateway().await;
    let before = store.free_slots(Utc::now(), 500).await.unwrap();
    let zone: chrono_tz::Tz = "America/New_York".parse().unwrap();
    let day = before[0].starts_at.with_timezone(&zone).date_naive();
    let on = |slots: &[storage::records::Slot]| {
        slots.iter().filter(|slot| slot.starts_at.with_timezone(&zone).date_naive() == day).count()
    };
    let holidays = json!({ "holidays": [{ "date": day.to_string(), "name": "Founders' Day" }] });
    let (status, applied) = sent(put(&test, "/holidays").json(&holidays)).await;
    assert_eq!(status, StatusCode::OK, "{applied}");
    assert!(applied["changes"].to_string().contains("Founders' Day"), "{applied}");
    let after = store.free_slots(Utc::now(), 500).await.unwrap();
    assert!(on(&before) > 0 && on(&after) == 0, "{after:?}");
    assert_eq!(sent(get(&test, "/holidays")).await.1, holidays);
    let wrong = json!({ "holidays": [{ "date": "someday", "name": "" }] });
    let (status, refused) = sent(put(&test, "/holidays").json(&wrong)).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{refused}");
    assert_eq!(sent(put(&test, "/holidays").json(&json!({ "holidays": [] }))).await.0, StatusCode::OK);
    assert_eq!(on(&store.free_slots(Utc::now(), 500).await.unwrap()), on(&before));
}
