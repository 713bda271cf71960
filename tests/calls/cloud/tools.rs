//! A call whose model uses tools of a server outside, from the configuration to the caller's ear.

use std::time::Duration;

use gateway::outbox::deliver::{Delivery, deliver};
use serde_json::{Value, json};
use storage::outbox_records::NewOutgoing;
use storage::{Directory, Outbox};
use tests::home::Home;
use tests::vendors::mcp::{ATTACK, KEY, McpServer, Trouble};
use tests::vendors::model::Script;

use super::*;

fn settings(server: &McpServer) -> String {
    let row = |name: &str, tool: &str, effect: &str| {
        format!(
            "[[mcp]]\nname = \"{name}\"\nurl = \"{}\"\nheaders = {{ Authorization = \"MCP_KEY\" }}\n\
             allow = [\"{tool}\"]\neffect = \"{effect}\"\nautonomy = 1\ntenants = [\"riverbend\"]\n",
            server.url
        )
    };
    format!("{LISTS}{}{}", row("permits", "find_permit", "read"), row("visits", "book_visit", "write"))
}

/// The first request of a turn is answered by both tools, the one with their results by words.
fn uses_both(request: &Value) -> Script {
    if request["messages"].to_string().contains("tool_result") {
        return Script::say("Your permit is approved, and a visit is asked for.");
    }
    let number = json!({ "number": "P-7" });
    Script::call("permits__find_permit", number.clone()).and_call("visits__book_visit", number)
}

async fn with_tools(home: &Home, server: &McpServer) -> (Vendors, TestGateway) {
    let vendors = Vendors::with(hears("Is permit P seven approved?", "en"), uses_both).await;
    let vars = [vendors.vars(), home.vars(), vec![("MCP_KEY", KEY.to_owned())]].concat();
    let gateway = TestGateway::start_as_served(home.dir.clone(), &settings(server), &vars).await.unwrap();
    (vendors, gateway)
}

tests::on_both_back_ends!(a_model_looks_up_outside_and_what_it_books_there_is_booked_once);

async fn a_model_looks_up_outside_and_what_it_books_there_is_booked_once(home: Home) {
    let server = McpServer::start().await;
    server.set(Trouble::PoisonedResult);
    let (vendors, gateway) = with_tools(&home, &server).await;
    let mut caller = greeted(&gateway).await;
    let sid = caller.order.call_sid.clone();
    ask(&mut caller, 1_250).await;
    caller.silent_until_quiet(Duration::from_millis(400), Duration::from_secs(20)).await.unwrap();
    caller.hang_up().await.unwrap();
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
    let platform = &gateway.running.app.platform;
    let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
    let store = platform.tenant(tenant.id).await.unwrap();
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
    gateway.running.shutdown().await;
}
