//! A message on a machine: where the tenant leaves them, once, and nothing of the person in it.

use serde_json::json;
use storage::{Outreach, Settings};

use super::outreach::{Desk, desk};
use super::simulated_carrier::{Behaviour, Callbacks, Trouble};
use crate::demo;

async fn with_messages() -> Desk {
    let desk = desk().await;
    let mut facts = desk.store.setting(demo::FACTS).await.unwrap().unwrap();
    facts["voicemail"] = json!(true);
    desk.store.put_setting(demo::FACTS, &facts).await.unwrap();
    desk
}

#[tokio::test]
async fn a_message_says_who_called_and_how_to_reach_them_and_nothing_else() {
    let desk = with_messages().await;
    for (n, callbacks) in [Callbacks::InOrder, Callbacks::Doubled].into_iter().enumerate() {
        desk.carrier.callbacks(callbacks);
        let number = format!("+1212555017{n}");
        let call = desk.over(&number, Behaviour::Machine).await;
        let id = call["id"].as_str().unwrap();
        assert_eq!(call["end_reason"], "message_left", "{call}");
        assert_eq!(desk.result(id).await, "message_left");
    }
    let form = &desk.carrier.asked("Calls")[0];
    assert!(form.contains(&("MachineDetection".into(), "DetectMessageEnd".into())), "{form:?}");
    let redirected: Vec<String> = desk
        .carrier
        .asked("Calls/update")
        .into_iter()
        .flatten()
        .filter(|(name, _)| name == "Twiml")
        .map(|(_, document)| document)
        .collect();
    assert_eq!(redirected.len(), 2, "once a call, however often it is told: {redirected:?}");
    let said = &redirected[0];
    assert!(said.contains("automated assistant of Riverbend County") && said.contains("<Hangup/>"), "{said}");
    assert!(said.contains("You can call us back at 202-555-0110"), "{said}");
    for private in ["555017", "callback", "You asked us", "request", "press"] {
        assert!(!said.contains(private), "{private}: {said}");
    }
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn where_none_can_be_left_the_machine_is_hung_up_on_and_it_says_so() {
    let desk = with_messages().await;
    let number = "+12125550143";
    desk.agreed(number).await;
    desk.carrier.number(number, Behaviour::Machine);
    // The call is placed; what it is asked for then is refused.
    desk.carrier.trouble([Trouble::Slow(std::time::Duration::ZERO), Trouble::Status(400)]);
    let (_, placed) = desk.call(number).await;
    let id = placed["id"].as_str().unwrap();
    assert_eq!(desk.ended(id).await["end_reason"], "machine");
    desk.test.gateway.shutdown().await;

    let plain = super::outreach::desk().await;
    let call = plain.over(number, Behaviour::Machine).await;
    assert_eq!(call["end_reason"], "machine");
    let form = &plain.carrier.asked("Calls")[0];
    assert!(form.contains(&("MachineDetection".into(), "Enable".into())), "{form:?}");
    assert!(
        !plain.store.outreach(call["id"].as_str().unwrap().parse().unwrap()).await.unwrap().unwrap().message
    );
    plain.test.gateway.shutdown().await;
}
