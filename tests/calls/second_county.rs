//! A second county made from a file while the gateway runs: its own line greets by it, and tells its own hours.

use std::time::Duration;

use anyhow::Result;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use tests::caller::Caller;
use tests::gateway::{ADMIN, LINE, TestGateway};
use tests::home::Home;

use crate::front_desk;

const GUIDE: &str = include_str!("../../docs/guides/county-from-a-file.md");
const OAKDALE: &str = "+12025550171";

/// What the agent said on a call to a line in which the caller asked for the hours.
async fn said(gateway: &TestGateway, line: &str, tenant: &str) -> Result<String> {
    let mut caller = Caller::dial(&gateway.base, line).await?;
    let call = format!("/v1/calls/{}", caller.order.call_sid);
    caller.silent_until(Duration::from_secs(5), |h| h.bytes() > 0).await?;
    caller.silent_until_quiet(Duration::from_millis(300), Duration::from_secs(10)).await?;
    caller.speak_ms(1_200).await?;
    let before = caller.heard.lock().bytes();
    caller.silent_until(Duration::from_secs(5), |h| h.bytes() > before).await?;
    caller.silent_until_quiet(Duration::from_millis(400), Duration::from_secs(12)).await?;
    caller.hang_up().await?;
    gateway.until(&format!("{call}?tenant={tenant}"), |c| c["state"] == "ended").await?;
    let transcript = gateway.get(&format!("{call}/transcript?tenant={tenant}")).await?;
    let turns = transcript["turns"].as_array().cloned().unwrap_or_default();
    let agent = turns.iter().filter(|turn| turn["speaker"] == "agent");
    Ok(agent.filter_map(|turn| turn["text"].as_str()).collect::<Vec<_>>().join(" "))
}

tests::on_both_back_ends!(a_second_county_is_made_from_a_file_and_answers_on_its_own_line);

async fn a_second_county_is_made_from_a_file_and_answers_on_its_own_line(home: Home) {
    let gateway = front_desk::gateway(&home, &["What are your office hours?"]).await.unwrap();
    let http = reqwest::Client::new();
    let new = json!({"slug": "oakdale", "name": "Oakdale"});
    let made = http.post(format!("{}/v1/tenants", gateway.base)).bearer_auth(ADMIN).json(&new);
    assert!(made.send().await.unwrap().status().is_success());
    let file = GUIDE.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let url = format!("{}/v1/tenants/oakdale/config", gateway.base);
    let put = http.put(url).bearer_auth(ADMIN).header(CONTENT_TYPE, "application/toml").body(file);
    let answer: Value = put.send().await.unwrap().json().await.unwrap();
    assert!(answer["version"].is_string(), "{answer}");

    let oakdale = said(&gateway, OAKDALE, "oakdale").await.unwrap();
    assert!(oakdale.contains("City of Oakdale") && !oakdale.to_lowercase().contains("county"), "{oakdale}");
    assert!(oakdale.contains("Monday through Thursday, 7:30 a.m. to 6 p.m."), "{oakdale}");
    let riverbend = said(&gateway, LINE, "riverbend").await.unwrap();
    assert!(riverbend.contains("Riverbend County") && riverbend.contains("8 a.m. to 5 p.m."), "{riverbend}");
}
