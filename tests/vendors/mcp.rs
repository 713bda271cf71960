//! Servers of tools outside: used as they are meant to be, and when everything is wrong with them.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use secrecy::SecretString;
use serde_json::json;
use tests::vendors::mcp::{ATTACK, KEY, McpServer, Trouble};
use work::tools::registry::{Effect, Registered};
use work::tools::remote::wire::Failure;
use work::tools::remote::{Remote, Settings};

fn remote(server: &McpServer) -> Remote {
    Remote::new(Settings {
        name: "permits".into(),
        url: server.url.clone(),
        headers: vec![("Authorization".into(), SecretString::from(KEY))],
        allow: vec!["find_permit".into(), "book_visit".into()],
        tenants: None,
        effect: Effect::Read,
        autonomy: 1,
        time_limit_ms: 400,
        personal_data: false,
    })
    .unwrap()
}

fn tool(remote: &Remote, name: &str) -> Arc<Registered> {
    remote.tools().iter().find(|known| known.tool.name == name).cloned().unwrap()
}

fn names(remote: &Remote) -> Vec<String> {
    remote.tools().iter().map(|known| known.tool.name.clone()).collect()
}

#[tokio::test]
async fn allowed_tools_are_offered_under_the_servers_name_and_answer_in_both_forms() {
    let server = McpServer::start().await;
    let remote = remote(&server);
    assert!(remote.tools().is_empty(), "nothing before it was asked");
    for trouble in [Trouble::None, Trouble::Stream] {
        server.set(trouble);
        remote.refresh().await.unwrap();
        assert_eq!(names(&remote), ["permits.find_permit", "permits.book_visit"], "{trouble:?}");
        let find = tool(&remote, "permits.find_permit");
        let said = remote.call(&find, &json!({ "number": "P-7" }), None).await.unwrap();
        assert_eq!((said.text.as_str(), said.is_error), ("The permit is approved.", false));
    }
    assert_eq!(server.calls()[0]["arguments"], json!({ "number": "P-7" }));
    assert_eq!(server.calls()[0]["name"], "find_permit");
}

#[tokio::test]
async fn whatever_is_wrong_with_a_server_a_call_ends_within_the_tools_limit() {
    let server = McpServer::start().await;
    let remote = remote(&server);
    remote.refresh().await.unwrap();
    let find = tool(&remote, "permits.find_permit");
    for (trouble, failure) in [
        (Trouble::Garbage, Failure::Garbage),
        (Trouble::Stall, Failure::Timeout),
        (Trouble::Lie, Failure::Broken),
        (Trouble::Close, Failure::Unreachable),
        (Trouble::Status500, Failure::Http(500)),
        (Trouble::Stranger, Failure::Http(401)),
        (Trouble::Endless, Failure::TooLong),
    ] {
        server.set(trouble);
        let began = Instant::now();
        let failed = remote.call(&find, &json!({ "number": "P-7" }), None).await.unwrap_err();
        assert_eq!(failed, failure, "{trouble:?}");
        assert!(began.elapsed() < Duration::from_millis(900), "{trouble:?}: {:?}", began.elapsed());
        server.set(Trouble::None);
        assert!(remote.call(&find, &json!({ "number": "P-7" }), None).await.is_ok(), "{trouble:?} is over");
    }
    drop(server);
    let failed = remote.call(&find, &json!({ "number": "P-7" }), None).await.unwrap_err();
    assert!(matches!(failed, Failure::Unreachable | Failure::Timeout), "{failed:?}");
}

#[tokio::test]
async fn a_server_of_the_newest_revision_is_asked_in_it() {
    let server = McpServer::start().await;
    server.set(Trouble::Newest);
    let remote = remote(&server);
    remote.refresh().await.unwrap();
    let book = tool(&remote, "permits.book_visit");
    let said = remote.call(&book, &json!({ "number": "P-7" }), Some("call/1/t1")).await.unwrap();
    assert_eq!((said.text.as_str(), said.is_error), ("Booked.", false));
    assert_eq!(server.booked().into_iter().collect::<Vec<_>>(), [("call/1/t1".to_owned(), 1)]);
}

#[tokio::test]
async fn a_tool_that_is_none_leaves_the_others() {
    let server = McpServer::start().await;
    server.set(Trouble::Malformed);
    let remote = remote(&server);
    remote.refresh().await.unwrap();
    assert_eq!(names(&remote), ["permits.find_permit", "permits.book_visit"]);
}

#[tokio::test]
async fn a_session_that_the_server_forgot_is_begun_again_within_the_call() {
    let server = McpServer::start().await;
    let remote = remote(&server);
    remote.refresh().await.unwrap();
    let find = tool(&remote, "permits.find_permit");
    server.forget_sessions();
    assert!(remote.call(&find, &json!({ "number": "P-7" }), None).await.is_ok());
    assert!(remote.call(&find, &json!({ "number": "P-7" }), None).await.is_ok());
}

#[tokio::test]
async fn a_tool_whose_description_attacks_is_left_out_and_the_others_stay() {
    let server = McpServer::start().await;
    let remote = remote(&server);
    server.set(Trouble::PoisonedDescription);
    remote.refresh().await.unwrap();
    assert_eq!(names(&remote), ["permits.book_visit"]);
    assert!(remote.tools().iter().all(|known| !known.tool.description.contains(ATTACK)));
}

#[tokio::test]
async fn a_server_that_is_away_and_comes_back_is_offered_again() {
    let server = McpServer::start().await;
    let remote = Arc::new(remote(&server));
    server.set(Trouble::Status500);
    let keeper = tokio::spawn({
        let remote = remote.clone();
        async move { remote.keep(7).await }
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(remote.tools().is_empty());
    server.set(Trouble::None);
    let end = Instant::now() + Duration::from_secs(10);
    while remote.tools().is_empty() {
        assert!(Instant::now() < end, "never offered");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    keeper.abort();
}

#[tokio::test]
async fn a_booking_asked_for_twice_under_one_key_is_known_as_one() {
    let server = McpServer::start().await;
    let remote = remote(&server);
    remote.refresh().await.unwrap();
    let book = tool(&remote, "permits.book_visit");
    for _ in 0..2 {
        remote.call(&book, &json!({ "number": "P-7" }), Some("call/1/t1")).await.unwrap();
    }
    assert_eq!(server.booked().into_iter().collect::<Vec<_>>(), [("call/1/t1".to_owned(), 2)]);
}
