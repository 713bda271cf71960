//! Scenarios over the real wire, against a gateway with simulated engines.

use std::path::Path;

use secrecy::SecretString;

use super::*;
use crate::config::Config;
use crate::scenario::verdict::judge;
use crate::simulated::{TestGateway, tone};

const ADMIN: &str = "an-admin-token-of-the-test";

async fn studio() -> (TestGateway, Studio) {
    let test = TestGateway::start(|config| config.admin_token = Some(SecretString::from(ADMIN))).await;
    let config = Config::for_test(test._dir.path());
    let base = format!("http://{}", test.gateway.addr);
    let studio = Studio::new(Tested::around(&config, base, ADMIN), Some(Voice::of(tone(), Language::En)));
    (test, studio)
}

#[tokio::test]
async fn a_scenario_is_held_over_the_wire_and_judged_by_what_came_of_it() {
    let (test, studio) = studio().await;
    let text = "
name: The simulated agent repeats what it heard
call: { from: '+12025550143' }
steps:
  - say: When do you open?
    expect: { contains: [you said, 2025550143], not: goodbye }
  - keys: '5'
    expect: { contains: [digits, no such words] }
expect: { greeting: { contains: this is a test }, work: [], language: en, ended_by: caller, not_hears: goodbye }
";
    let scenario = file::parse(text, Path::new("x.yaml")).unwrap();
    let evidence = hold(&studio, &scenario, 3).await.unwrap();
    let findings = judge(&scenario, &evidence);
    let [finding] = findings.as_slice() else { panic!("{findings:#?}\n{:#?}", evidence.transcript) };
    assert_eq!(finding.line, Some(7));
    assert!(finding.what.contains("lacks \"no such words\""), "{finding:?}");
    assert_eq!(evidence.from, "+12025550143");
    assert!(evidence.caller_sound.len() == evidence.agent_sound.len() && !evidence.latency.is_empty());
    assert_eq!(evidence.state, work::state(&[], "", evidence.began.date_naive()));
    let kept = crate::scenario::from_call::recorded;
    let output = test._dir.path().join("new.yaml");
    kept(&studio.tested, Some("riverbend"), &evidence.call_id, &output).await.unwrap();
    let again = file::read(&output).unwrap();
    assert_eq!(again.steps.len(), 2);
    assert!(!std::fs::read_to_string(&output).unwrap().contains("2025550143"));
    test.gateway.shutdown().await;
}

#[test]
fn callers_have_numbers_that_nobody_has() {
    assert_eq!(fictional(0), "+12405550100");
    assert_eq!(fictional(199), "+13015550199");
    assert_eq!(fictional(500), fictional(0));
}
