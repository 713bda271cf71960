use telephony::media::FRAME_BYTES;

use super::*;
use crate::scenario::file::Line;

const LOUD: AudioFrame = AudioFrame([0x10; FRAME_BYTES]);
const QUIET: AudioFrame = AudioFrame::SILENCE;

fn words(text: &str) -> Ready {
    Ready::Perform { beats: vec![Beat { frame: LOUD, key: None }; 20], text: text.to_owned() }
}

fn step(ready: Ready) -> Planned {
    Planned { ready, wait: 0, over: None }
}

fn over(ready: Ready, moment: Moment, yields: bool) -> Planned {
    Planned { over: Some(Over { moment, yields }), ..step(ready) }
}

fn caller(plan: Vec<Planned>, answers: Vec<ReadyAnswer>) -> Caller {
    Caller::new(plan, answers, Spoilt::new(&Line::default(), &[], 1), 10_000)
}

fn answer(asked: &str, say: &[&str]) -> ReadyAnswer {
    let pattern: Pattern = serde_saphyr::from_str(&format!("'{asked}'")).unwrap();
    let beats = |text: &&str| (vec![Beat { frame: LOUD, key: None }; 10], (*text).to_owned());
    ReadyAnswer { asked: pattern, say: say.iter().map(beats).collect(), used: 0 }
}

/// The agent says this for so many frames, then is quiet until the caller speaks; how long that took.
fn agent(caller: &mut Caller, turn: u64, text: &str, frames: usize) -> (Send, usize) {
    caller.told(turn, text);
    for _ in 0..frames {
        let send = caller.tick(&LOUD, true);
        assert!(matches!(send, Send::Frame(QUIET)), "spoke over the agent: {send:?}");
    }
    until_act(caller)
}

fn until_act(caller: &mut Caller) -> (Send, usize) {
    for ticks in 1..2_000 {
        match caller.tick(&QUIET, false) {
            Send::Frame(QUIET) => {}
            send => return (send, ticks),
        }
    }
    panic!("the caller never acted");
}

fn say_out(caller: &mut Caller, frames: usize) {
    for _ in 0..frames {
        caller.tick(&QUIET, false);
    }
}

#[test]
fn steps_follow_the_agents_turns_and_a_question_is_answered_sooner() {
    let mut caller = caller(vec![step(words("a pothole")), step(words("maple"))], Vec::new());
    assert_eq!(agent(&mut caller, 1, "Thank you for calling.", 50), (Send::Frame(LOUD), AFTER_STATEMENT));
    say_out(&mut caller, 20);
    assert_eq!(agent(&mut caller, 2, "Where is it?", 50), (Send::Frame(LOUD), AFTER_QUESTION));
    say_out(&mut caller, 20);
    let (end, _) = agent(&mut caller, 3, "Filed.", 30);
    caller.finish();
    assert_eq!((end, caller.hung_up, caller.astray.len()), (Send::HangUp, true, 0));
    let spoken: Vec<(&str, usize)> =
        caller.spoken.iter().map(|s| (s.text.as_str(), s.last - s.onset)).collect();
    assert_eq!(spoken, [("a pothole", 19), ("maple", 19)]);
    assert_eq!(caller.turns.iter().map(|(turn, _)| *turn).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn a_caller_speaks_over_a_reply_at_its_time_or_word_and_says_when_that_was_not_possible() {
    let plan = vec![
        over(words("stop"), Moment::After(25), true),
        over(words("mm-hm"), Moment::AtWord("permit".into()), false),
        over(words("wait"), Moment::After(200), false),
    ];
    let mut caller = caller(plan, Vec::new());
    caller.told(1, "Thank you for calling.");
    let mut at = 0;
    while matches!(caller.tick(&LOUD, true), Send::Frame(QUIET)) {
        at += 1;
    }
    assert_eq!(at, 25);
    for _ in 0..30 {
        caller.tick(&QUIET, false);
    }
    // 14 characters in a second: the word begins after 39 characters.
    caller.told(2, "To build a fence you first need to get a permit from the office.");
    at = 0;
    while matches!(caller.tick(&LOUD, true), Send::Frame(QUIET)) {
        at += 1;
    }
    assert!((130..160).contains(&at), "{at}");
    for _ in 0..25 {
        caller.tick(&LOUD, true);
    }
    let (end, _) = until_act(&mut caller);
    assert_eq!(end, Send::HangUp);
    let kinds: Vec<Kind> = caller.spoken.iter().map(|spoken| spoken.kind).collect();
    assert_eq!(kinds, [Kind::Interruption, Kind::BackChannel]);
    assert_eq!(caller.astray.len(), 1);
    assert!(caller.astray[0].what.contains("could not speak over"), "{:?}", caller.astray);
}

#[test]
fn a_conversation_goes_by_what_is_asked_and_ends_where_nothing_is() {
    let answers =
        vec![answer("anything else", &["No, thank you."]), answer("name", &["Ortega.", "O R T E G A."])];
    let mut caller = caller(vec![step(Ready::Converse { turns: 5 })], answers);
    for (turn, text) in
        [(1, "I can help. What's your name?"), (2, "Sorry, your name?"), (3, "Filed. Anything else?")]
    {
        agent(&mut caller, turn, text, 20);
        say_out(&mut caller, 12);
    }
    let (end, _) = agent(&mut caller, 4, "Goodbye.", 20);
    assert_eq!(end, Send::HangUp);
    let said: Vec<&str> = caller.spoken.iter().map(|spoken| spoken.text.as_str()).collect();
    assert_eq!(said, ["Ortega.", "O R T E G A.", "No, thank you."]);
    assert!(caller.astray.is_empty(), "{:?}", caller.astray);
}

#[test]
fn a_question_without_an_answer_and_a_conversation_without_an_end_are_told() {
    let converse = |turns| vec![step(Ready::Converse { turns })];
    let mut lost = caller(converse(5), vec![answer("name", &["Ortega."])]);
    agent(&mut lost, 1, "What is your claim number?", 20);
    assert!(lost.astray[0].what.contains("claim number"), "{:?}", lost.astray);
    let mut long = caller(converse(1), vec![answer("name", &["Ortega."])]);
    agent(&mut long, 1, "Your name?", 20);
    say_out(&mut long, 12);
    agent(&mut long, 2, "Your name?", 20);
    assert!(long.astray[0].what.contains("1 turns"), "{:?}", long.astray);
}

#[test]
fn silence_lasts_as_long_as_it_is_written_whatever_the_agent_says() {
    let mut caller = caller(vec![step(Ready::Silence { frames: 300 }), step(words("here"))], Vec::new());
    caller.told(1, "Hello?");
    for _ in 0..20 {
        caller.tick(&LOUD, true);
    }
    for _ in 0..100 {
        assert!(matches!(caller.tick(&QUIET, false), Send::Frame(QUIET)));
    }
    caller.told(2, "Are you still there?");
    for _ in 0..50 {
        assert!(matches!(caller.tick(&LOUD, true), Send::Frame(QUIET)));
    }
    let (send, ticks) = until_act(&mut caller);
    assert_eq!(send, Send::Frame(LOUD));
    assert_eq!(caller.spoken[0].kind, Kind::Silence);
    assert!((170..190).contains(&ticks), "{ticks}");
}

#[test]
fn keys_are_pressed_and_a_call_that_ends_early_leaves_its_steps_undone() {
    let keys = Ready::Perform { beats: Beat::keys(&['1', '#']), text: "keys 1#".into() };
    let mut caller = caller(vec![step(keys), step(words("never"))], Vec::new());
    assert_eq!(agent(&mut caller, 1, "Press one?", 20).0, Send::Key('1'));
    assert_eq!(until_act(&mut caller), (Send::Key('#'), 12));
    say_out(&mut caller, 20);
    caller.finish();
    assert_eq!(caller.spoken[0].kind, Kind::Keys);
    assert_eq!(caller.astray, [Astray { step: 1, what: "the call was over before this step".into() }]);
}
