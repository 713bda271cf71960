//! A call whose model uses tools of a server outside, from the configuration to the caller's ear.

use std::time::Duration;

use gateway::outbox::deliver::{Delivery, deliver};
use serde_json::{Value, json};
use storage::outbox_records::NewOutgoing;
use storage::records::NewPassport;
use storage::review_records::{AgentOutcome, AutonomyChange, NewReview, Verdict};
use storage::{Directory, Outbox, PassportId, Passports, Reviews, Settings, TenantStore};
use tests::home::Home;
use tests::vendors::mcp::{ATTACK, KEY, McpServer, Trouble};
use tests::vendors::model::Script;

use super::*;

/// `least`: level of autonomy from which visits are booked without a person.
fn settings(server: &McpServer, least: u8) -> String {
    let row = |name: &str, tool: &str, effect: &str, least: u8| {
        format!(
            "[[mcp]]\nname = \"{name}\"\nurl = \"{}\"\nheaders = {{ Authorization = \"MCP_KEY\" }}\n\
             allow = [\"{tool}\"]\neffect = \"{effect}\"\nautonomy = {least}\ntenants = [\"riverbend\"]\n",
            server.url
        )
    };
    let (permits, visits) =
        (row("permits", "find_permit", "read", 1), row("visits", "book_visit", "write", least));
    format!("{LISTS}{permits}{visits}")
}

/// The first request of a turn is answered by both tools, the one with their results by words.
fn uses_both(request: &Value) -> Script {
    if request["messages"].to_string().contains("tool_result") {
        return Script::say("Your permit is approved, and a visit is asked for.");
    }
    let number = json!({ "number": "P-7" });
    Script::call("permits__find_permit", number.clone()).and_call("visits__book_visit", number)
}

async fn with_tools(home: &Home, server: &McpServer, least: u8) -> (Vendors, TestGateway) {
    let vendors = Vendors::with(hears("Is permit P seven approved?", "en"), uses_both).await;
    let vars = [vendors.vars(), home.vars(), vec![("MCP_KEY", KEY.to_owned())]].concat();
    let gateway =
        TestGateway::start_as_served(home.dir.clone(), &settings(server, least), &vars).await.unwrap();
    (vendors, gateway)
}

/// One call whose caller asks once. Gives the carrier's name for it.
async fn asks_once(gateway: &TestGateway) -> String {
    let mut caller = greeted(gateway).await;
    let sid = caller.order.call_sid.clone();
    ask(&mut caller, 1_250).await;
    caller.silent_until_quiet(Duration::from_millis(400), Duration::from_secs(20)).await.unwrap();
    caller.hang_up().await.unwrap();
    sid
}

async fn riverbend(gateway: &TestGateway) -> TenantStore {
    let platform = &gateway.running.app.platform;
    let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
    platform.tenant(tenant.id).await.unwrap()
}

tests::on_both_back_ends!(a_model_looks_up_outside_and_what_it_books_there_is_booked_once);

async fn a_model_looks_up_outside_and_what_it_books_there_is_booked_once(home: Home) {
    let server = McpServer::start().await;
    server.set(Trouble::PoisonedResult);
    let (vendors, gateway) = with_tools(&home, &server, 1).await;
    let sid = asks_once(&gateway).await;
    assert!(said(&gateway, &sid, 1).await.contains("approved"));
    let told = vendors.claude.requests().iter().map(|r| r.body.to_string()).collect::<String>();
    assert!(
        told.contains("The permit is approved."),
        "what it said is known to the model: {}",
        told.rsplit("tool_result").next().unwrap_or_default()
    );
    assert!(!told.contains(ATTACK), "and what tried to steer it is not");

    let sent = gateway.until("/v1/outbox?state=sent", |page| page["items"][0].is_object()).await.unwrap();
    assert_eq!(sent["items"][0]["tool"], "visits.book_visit");
    let key = sent["items"][0]["idempotency_key"].as_str().unwrap().to_owned();
    assert_eq!(server.booked().into_iter().collect::<Vec<_>>(), [(key, 1)]);

    // A process that sends and dies before it can say so: the next one sends the same key.
    let store = riverbend(&gateway).await;
    let row = NewOutgoing {
        idempotency_key: "crashed".into(),
        destination: "mcp:visits".into(),
        tool: "visits.book_visit".into(),
        held: false,
        call_id: None,
        passport_id: None,
        payload: json!({ "number": "P-8" }),
    };
    let row = store.put_outgoing(row).await.unwrap();
    let sent = deliver(&gateway.running.app, &store, &row).await;
    assert!(matches!(sent, Delivery::Done(_)), "{sent:?}");
    gateway.until("/v1/outbox?state=sent", |page| page["items"][1].is_object()).await.unwrap();
    assert_eq!(server.booked().get("crashed"), Some(&2), "asked for twice under one key: one booking");
    assert_eq!(server.booked().len(), 2);

    // A rule that is younger than the wish holds all the same.
    let rule = "rule no-visits { name: 'No visits' category: compliance description: 'None are booked.' applies_to: tool \
                condition: action.tool == 'visits__book_visit' requirement: false action: BLOCK \
                explanation_en: 'No visits are booked.' explanation_es: 'No se reservan visitas.' }";
    store.put_setting(gateway::demo::RULES, &json!(rule)).await.unwrap();
    let row = NewOutgoing {
        idempotency_key: "late".into(),
        destination: "mcp:visits".into(),
        tool: "visits.book_visit".into(),
        // So that nobody else sends it meanwhile.
        held: true,
        call_id: None,
        passport_id: None,
        payload: json!({ "number": "P-9" }),
    };
    let row = store.put_outgoing(row).await.unwrap();
    assert_eq!(deliver(&gateway.running.app, &store, &row).await, Delivery::Never("rule"));
    assert_eq!(server.booked().len(), 2);
    gateway.running.shutdown().await;
}

tests::on_both_back_ends!(what_the_desk_has_not_earned_waits_for_a_person_and_what_it_has_is_done);

async fn what_the_desk_has_not_earned_waits_for_a_person_and_what_it_has_is_done(home: Home) {
    let server = McpServer::start().await;
    let (_vendors, gateway) = with_tools(&home, &server, 2).await;
    asks_once(&gateway).await;
    let held = gateway.until("/v1/outbox?state=held", |page| page["items"][0].is_object()).await.unwrap();
    assert_eq!(held["items"][0]["tool"], "visits.book_visit");
    assert!(server.booked().is_empty(), "nobody has a record yet");

    earns_the_second_level(&riverbend(&gateway).await).await;
    asks_once(&gateway).await;
    let sent = gateway.until("/v1/outbox?state=sent", |page| page["items"][0].is_object()).await.unwrap();
    assert_eq!((&sent["items"][0]["tool"], &sent["items"][1]), (&json!("visits.book_visit"), &Value::Null));
    assert_eq!(server.booked().len(), 1);
    gateway.running.shutdown().await;
}

/// A record that holds the level, so that a review of the calls here does not take it back.
async fn earns_the_second_level(store: &TenantStore) {
    const REVIEWS: u32 = 100;
    for n in 1..=REVIEWS {
        let id = PassportId::new();
        // Not finished: nobody else reviews it.
        let new = NewPassport {
            id,
            team_id: "front_desk".into(),
            status: "pending".into(),
            call_id: None,
            document: json!({}),
        };
        let at = store.create_passport(new).await.unwrap().created_at;
        let outcome = AgentOutcome {
            agent_id: "front_desk".into(),
            task_type: "phone_call".into(),
            predicted: 0.9,
            correct: Some(true),
            escalated: false,
        };
        let change = AutonomyChange {
            id: uuid::Uuid::now_v7(),
            agent_id: "front_desk".into(),
            from_level: 1,
            to_level: 2,
            reason: "measured".into(),
            changed_at: at,
        };
        let review = NewReview {
            passport: id,
            success: true,
            verdict: Some(Verdict::Right),
            effectiveness: 1.0,
            reviewed_at: at,
            document: json!({}),
            change: None,
            outcomes: vec![outcome],
            // With the last, once the record holds it: the review of a call that comes in between would take it back.
            autonomy: if n == REVIEWS { vec![change] } else { Vec::new() },
        };
        assert!(store.file_review(review).await.unwrap());
    }
}
