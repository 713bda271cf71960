//! A caller of a set and a gateway with doubles for its engines: the wire, the listening and the verdict are real.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;

use caller::audio::write_mono;
use pipeline::ports::AfterReply;
use telephony::media::AudioFrame;

use super::cues::Cues;
use super::house::House;
use super::set::{Language, Set};
use super::talk::{Studio, hold};
use super::track::Ended;
use super::verdict::judge;
use super::voices::{Booth, Voice};
use crate::doubles::{Answer, ScriptedRecogniser, ScriptedResponder};
use crate::gateway_under_test::{ADMIN, Doubles, TestGateway};

const CALLER: &str = r#"
    [[scenario]]
    id = "hole"
    kind = "question"
    voice = 1
    opening = "There is a hole."
    again = ["A hole in the road."]
    [scenario.facts]
    where = ["On Maple Street."]
    [[scenario.does]]
    act = "cough"
    when = "greeting"
    after_ms = 300
    [scenario.expect]
    items = []
    hears = ["crew"]
    not_hears = ["welcome"]
"#;

/// A second of a tone, which the doubles take for speech.
fn tone(path: &Path) {
    let frame = |i: usize| AudioFrame(std::array::from_fn(|n| if (i + n) % 8 < 4 { 0x20 } else { 0xA0 }));
    write_mono(path, &(0..50).map(frame).collect::<Vec<_>>()).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_opens_answers_what_is_asked_and_leaves() {
    let responder = ScriptedResponder::new(|input| {
        let input = format!("{input:?}");
        let says = |texts: &[&str]| Answer::say(texts);
        if input.contains("Opened") {
            says(&["Welcome to the county.", "How can I help you today?"])
        } else if input.contains("hole") {
            says(&["Where is that?"])
        } else if input.contains("Maple") {
            says(&["A crew will look at it.", "Anything else I can help you with?"])
        } else {
            Answer { then: AfterReply::HangUp, ..says(&["Goodbye."]) }
        }
    });
    let stt = ScriptedRecogniser::new(&["There is a hole.", "On Maple Street.", "No, thank you."]);
    let gateway = TestGateway::start(Doubles { stt: Arc::new(stt), responder, ..Doubles::default() });
    let gateway = Box::pin(gateway).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (booth, voice) = (Booth::open(folder.path()).unwrap(), Voice::of(Language::En, 1));
    for text in ["There is a hole.", "A hole in the road.", "On Maple Street.", "No, thank you, that's all."]
    {
        tone(&booth.place(voice, text));
    }
    let house = House::around(gateway.running, ADMIN).unwrap();
    let studio = Arc::new(Studio { house, booth, cues: Cues::load().unwrap(), others: Vec::new() });
    let set = Set::parse(CALLER).unwrap();
    let call = hold(&studio, &set.scenario[0], "+13035550100", 7).await.unwrap();
    let verdict = judge(&set.scenario[0], "a tone", "+13035550100", &call);
    assert!(verdict.success, "{:?}\n{:?}", verdict.faults, call.transcript);
    assert_ne!(call.record.ended, Ended::Hung);
    let kinds: Vec<&str> = call.record.spoken.iter().map(|spoken| spoken.kind.as_str()).collect();
    assert_eq!(kinds, ["opening", "where", "bye"]);
    assert_eq!((verdict.said_again, verdict.back_channels, verdict.stopped_by_back_channel), (0, 1, 0));
    assert!(verdict.utterances.iter().all(|said| !said.cut_off && said.response_ms.is_some()));
}
