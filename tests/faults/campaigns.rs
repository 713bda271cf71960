//! The process dies while it calls a list of numbers: no attempt is lost, and none is made twice.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{TimeDelta, Utc};
use gateway::dialing::campaigns;
use reqwest::StatusCode;
use serde_json::{Value, json};
use storage::Campaigns;
use tests::carrier::{Behaviour, Callbacks};
use tests::home::Home;
use tokio::time::sleep;

use super::people::Town;

tests::on_both_back_ends!(a_list_is_gone_on_with_by_who_comes_next_and_no_attempt_is_made_twice);

async fn a_list_is_gone_on_with_by_who_comes_next_and_no_attempt_is_made_twice(home: Home) {
    let mut town = Town::new(home, "", |_| {}).await;
    // Nobody tells how these calls end.
    town.carrier.callbacks(Callbacks::Lost);
    let numbers: Vec<String> = (0..3).map(|n| format!("+1212555014{n}")).collect();
    for number in &numbers {
        town.carrier.number(number, Behaviour::NoAnswer);
        let consent = json!({ "number": number, "purpose": "callback", "source": "written" });
        assert!(town.post("/v1/consents", &consent).await.0.is_success());
    }
    let until = Utc::now() + TimeDelta::days(3);
    let order = json!({ "numbers": numbers, "purpose": "callback", "until": until, "at_once": 3 });
    let (status, kept) = town.post("/v1/campaigns", &order).await;
    assert_eq!(status, StatusCode::CREATED, "{kept}");
    let path = format!("/v1/campaigns/{}", kept["id"].as_str().unwrap());
    // Any of the three may be the first, and is on a call before its entry names it.
    let called = |stands: &Value| {
        let mut calls = stands["entries"].as_array().into_iter().flatten().map(|entry| &entry["call"]);
        calls.find_map(|call| call.as_str().map(str::to_owned))
    };
    let stands = town.until(&path, |stands| stands["calling"] == 1 && called(stands).is_some()).await;
    let first = format!("/v1/calls/{}", called(&stands).unwrap());
    town.until(&first, |call| call["carrier_sid"].is_string()).await;
    town.kill();
    let next = town.again().await;
    assert_eq!(next.get(&path).await["calling"], 1, "the carrier goes on with it");
    // Another process had claimed the list when it died: it is gone on with when the claim has run out.
    let (now, minute) = (Utc::now() + TimeDelta::minutes(10), TimeDelta::minutes(1));
    let claimed = next.store.claim_campaign(now, now, now + minute).await.unwrap();
    if claimed.is_some() {
        campaigns::once(&next.gateway.running.app, now).await.unwrap();
        assert_eq!(town.carrier.called().len(), 1, "somebody else has it");
    }
    for _ in 0..100 {
        next.reconcile().await;
        let app = &next.gateway.running.app;
        let (one, other) =
            tokio::join!(campaigns::once(app, now + minute * 3), campaigns::once(app, now + minute * 3));
        one.and(other).unwrap();
        let stands = next.get(&path).await;
        if stands["state"] == "ended" {
            break;
        }
        sleep(Duration::from_millis(50)).await;
    }
    let stands = next.get(&path).await;
    assert_eq!(
        (&stands["state"], &stands["results"]),
        (&json!("ended"), &json!({ "no_answer": 3 })),
        "{stands}"
    );
    let mut called: BTreeMap<String, u32> = BTreeMap::new();
    for (number, _) in town.carrier.called() {
        *called.entry(number).or_default() += 1;
    }
    assert!(numbers.iter().all(|number| called.get(number) == Some(&1)), "once each: {called:?}");
    let attempts: Vec<&Value> =
        stands["entries"].as_array().unwrap().iter().map(|e| &e["attempts"]).collect();
    assert_eq!(attempts, [1, 1, 1]);
    next.is_whole().await;
    next.gateway.running.shutdown().await;
}
