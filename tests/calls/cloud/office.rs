//! What happens to a call's Passport after the caller has hung up.

use std::collections::BTreeSet;

use tests::home::Home;

use super::*;

/// Every provider outside this machine but the agent, which is the built-in one.
const BUILTIN: &str = "stt = [\"deepgram\"]\nllm = [\"builtin\"]\ntts = [\"elevenlabs\"]\n";

/// The built-in agent finds its answers with the model of the repository.
async fn desk(home: &Home, vendors: &Vendors) -> TestGateway {
    let vars = [vendors.vars(), home.vars(), vec![("MODELS_DIR", models())]].concat();
    let gateway = TestGateway::start_as_served(home.dir.clone(), BUILTIN, &vars).await.unwrap();
    home.check(&gateway).unwrap();
    gateway
}

const REPORT: &str = "I want to report a deep pothole on Oak Street.";

/// Calls, reports, and hangs up in the middle of it. The call's carrier id.
async fn report(gateway: &TestGateway) -> String {
    let mut caller = greeted(gateway).await;
    let sid = caller.order.call_sid.clone();
    ask(&mut caller, 2_400).await;
    caller.silent_until_quiet(Duration::from_millis(300), Duration::from_secs(20)).await.unwrap();
    caller.hang_up().await.unwrap();
    gateway.until(&format!("/v1/calls/{sid}"), |c| c["state"] == "ended").await.unwrap();
    sid
}

async fn worked(gateway: &TestGateway, sid: &str) -> Value {
    let over = |p: &Value| ["completed", "blocked", "escalated"].iter().any(|status| p["status"] == *status);
    gateway.until(&format!("/v1/calls/{sid}/passport"), over).await.unwrap()
}

fn agents(passport: &Value) -> Vec<String> {
    let ledger = passport["ledger"].as_array().unwrap();
    ledger.iter().map(|entry| entry["agent_id"].as_str().unwrap().to_owned()).collect()
}

fn by_team(passport: &Value) -> Vec<String> {
    agents(passport).into_iter().filter(|agent| agent.starts_with("incident_investigation/")).collect()
}

tests::on_both_back_ends!(
    a_report_that_was_broken_off_is_worked_by_its_team_as_the_same_passport,
    a_gateway_that_stops_in_the_middle_goes_on_and_does_nothing_twice,
);

async fn a_report_that_was_broken_off_is_worked_by_its_team_as_the_same_passport(home: Home) {
    let vendors = Vendors::start(REPORT).await;
    let gateway = desk(&home, &vendors).await;
    let sid = report(&gateway).await;
    let passport = worked(&gateway, &sid).await;
    let call = gateway.get(&format!("/v1/calls/{sid}")).await.unwrap();
    assert_eq!(passport["passport_id"], call["passport_id"], "the same passport");
    assert_eq!(
        (&passport["team_id"], &passport["status"]),
        (&"incident_investigation".into(), &"blocked".into())
    );
    let all = agents(&passport);
    assert!(all.iter().any(|agent| agent.starts_with("front_desk")), "{all:?}");
    assert!(all.contains(&"department_head".to_owned()), "{all:?}");
    assert_eq!(by_team(&passport).len(), 7, "{all:?}");
    let place = passport["artifacts"]["incident_investigation_report"].as_str().unwrap();
    let key = place.rsplit_once("/context/").unwrap().1;
    let summary = passport["context"][key]["summary"].as_str().unwrap();
    assert!(summary.contains("pothole"), "{summary}");
    assert_eq!(passport["severity"], "minor", "the team's own fields: {passport}");
    let items = gateway.get("/v1/work-items").await.unwrap();
    let of_kind =
        |kind: &str| items["items"].as_array().unwrap().iter().filter(|item| item["kind"] == kind).count();
    assert_eq!((of_kind("incident"), of_kind("callback")), (1, 1), "{items}");
    let list = gateway.get("/v1/passports?team=incident_investigation&state=blocked").await.unwrap();
    assert_eq!(list["items"][0]["id"], passport["passport_id"]);
    let id = passport["passport_id"].as_str().unwrap();
    let ledger = gateway.get(&format!("/v1/passports/{id}/ledger")).await.unwrap();
    assert_eq!(ledger["entries"].as_array().unwrap().len(), all.len());
    assert!(gateway.metric("quandura_office_jobs_total").await.unwrap() >= 1.0);
    gateway.running.shutdown().await;
}

async fn a_gateway_that_stops_in_the_middle_goes_on_and_does_nothing_twice(home: Home) {
    let vendors = Vendors::start(REPORT).await;
    let gateway = desk(&home, &vendors).await;
    let sid = report(&gateway).await;
    // Wherever its work stands.
    gateway.running.shutdown().await;
    let again = desk(&home, &vendors).await;
    let passport = worked(&again, &sid).await;
    let team = by_team(&passport);
    let once: BTreeSet<&String> = team.iter().collect();
    assert_eq!((team.len(), once.len()), (7, 7), "{team:?}");
    let items = again.get("/v1/work-items").await.unwrap();
    assert_eq!(items["items"].as_array().unwrap().len(), 2, "{items}");
    again.running.shutdown().await;
}
