//! A message on a machine: where the tenant leaves them, once, and nothing of the person in it.

use pipeline::audio::g711::mulaw_encode;
use serde_json::json;
use storage::{Outreach, Settings};
use telephony::media::AudioFrame;

use super::outreach::{Desk, YES, desk, talk_of};
use super::simulated_carrier::{Behaviour, Callbacks, Trouble};
use crate::demo;
use caller::script::Opening;

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

/// A greeting of some seconds, a beep, and a machine that records.
fn machine_sound() -> Vec<AudioFrame> {
    let mut chance = 7_u32;
    let speech = (0..2_000 * 8).map(|_| {
        chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        i16::try_from(chance >> 20).unwrap() * 3 - 6_000
    });
    let beep = [0, 5_657, 8_000, 5_657, 0, -5_657, -8_000, -5_657].into_iter().cycle().take(320 * 8);
    let silence = std::iter::repeat_n(0, 3_000 * 8);
    let sound: Vec<u8> = speech.chain(beep).chain(silence).map(mulaw_encode).collect();
    sound.chunks_exact(160).map(|chunk| AudioFrame(chunk.try_into().unwrap())).collect()
}

/// Its greeting was taken for a yes: the agent hears what it is.
#[tokio::test]
async fn a_machine_that_says_this_is_somebody_is_told_apart_by_its_beep() {
    for (leaves, result) in [(false, "machine"), (true, "message_left")] {
        let desk = if leaves { with_messages().await } else { desk().await };
        desk.carrier.talk(talk_of(Opening::AfterMs(0), machine_sound()));
        let call = desk.over("+12125550143", Behaviour::Says("hi this is the smiths")).await;
        let id = call["id"].as_str().unwrap();
        assert_eq!(call["end_reason"], "machine", "{call}");
        assert_eq!(desk.result(id).await, result);
        let last = desk.carrier.followed().pop().unwrap();
        assert_eq!(last.contains("You can call us back"), leaves, "{last}");
        desk.test.gateway.shutdown().await;
    }
}

/// The same sound of somebody who pressed a key: a machine presses none, and nobody is hung up on.
#[tokio::test]
async fn who_pressed_a_key_is_no_machine_whatever_beeps_beside_them() {
    let desk = desk().await;
    desk.carrier.talk(talk_of(Opening::AfterMs(0), machine_sound()));
    let call = desk.over("+12125550143", YES).await;
    assert_eq!(call["end_reason"], "caller_hung_up", "{call}");
    assert_eq!(desk.result(call["id"].as_str().unwrap()).await, "reached");
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
