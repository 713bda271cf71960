//! What must hold for any caller.

use std::collections::HashMap;

use language::intents::Understood;
use pipeline::ports::{AfterReply, Language, SecretDigits, TurnInput};
use proptest::prelude::*;

use super::super::Effect;
use super::{LEXICAL, Phone};

const LINES: &[&str] = &[
    "I want to report an incident",
    "there's a pothole on Elm Street",
    "yes",
    "no",
    "yesterday around 3",
    "12 Main Street",
    "my name is John Smith",
    "202 555 0143",
    "202",
    "555",
    "that's wrong",
    "no, the number is 202 555 0199",
    "actually it was on Tuesday",
    "book an inspection",
    "Tuesday",
    "the second one",
    "none of those",
    "any day",
    "check my claim",
    "20417",
    "Lopez",
    "leave a message",
    "talk to a person",
    "cancel",
    "go back",
    "start over",
    "say that again",
    "what are your hours",
    "when is trash pickup",
    "hold on",
    "I don't know",
    "blah blah blah",
    "flurb",
    "",
    "thank you",
    "okay",
    "habla español",
    "are you a robot",
    "this is bullshit",
    "nobody was hurt",
    "I hurt my back",
    "my house is on fire",
    "what can you do",
    "the phone number",
    "skip",
    "hello",
    "speak slower",
    "what's my reference number",
    "something else",
    "morning",
    "Call me at 102 555",
    "J O H N",
    "the corner of 5th and Oak",
    "never mind",
    "why do you need that?",
    "maybe",
    "um",
    "how do I get a permit",
    "English please",
    "Hola, necesito ayuda",
    "quiero reportar un accidente",
    "se cayó un árbol en la calle Elm",
    "sí",
    "ayer a las tres",
    "me llamo Ana Ruiz",
    "dos cero dos cinco cinco cinco cero uno cuatro tres",
    "eso es todo",
    "hablar con una persona",
    "¿cuándo pasan por la basura?",
    "mi casa se está quemando",
    "cuatro cuatro uno siete",
    "cancélelo",
    "no, el número es otro",
    "uno",
];

fn any_input() -> impl Strategy<Value = TurnInput> {
    prop_oneof![
        12 => prop::sample::select(LINES).prop_map(TurnInput::said),
        1 => ".{0,40}".prop_map(TurnInput::said),
        1 => "[0-9#*]{0,12}".prop_map(|digits| TurnInput::Digits { digits }),
        1 => prop::sample::select(&["0", "1", "2", "911", "2025550143"][..]).prop_map(|d| TurnInput::Digits { digits: d.to_owned() }),
        1 => "[0-9]{0,6}".prop_map(|digits| TurnInput::Secret(SecretDigits::new(digits))),
        1 => (0u32..4).prop_map(|times| TurnInput::Silence { times }),
        1 => Just(TurnInput::Unintelligible),
    ]
}

/// What a line greets in, and what it speaks.
fn any_line() -> impl Strategy<Value = (Language, &'static [Language])> {
    const BOTH: &[Language] = &[Language::En, Language::Es];
    prop_oneof![
        Just((Language::En, &[Language::En][..])),
        Just((Language::En, BOTH)),
        Just((Language::Es, BOTH)),
        Just((Language::Es, &[Language::Es][..])),
    ]
}

fn phone(line: (Language, &[Language]), number: bool) -> Phone<'static> {
    Phone::speaking(&LEXICAL, number, line.0, line.1)
}

/// Asking the same question of one task: its slot with its asking words, or the read-back.
fn open_question(phone: &Phone<'_>) -> Option<String> {
    phone.state.tasks.last().map(|t| format!("{}/{:?}", t.id, t.stage))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn no_conversation_panics_or_asks_more_than_three_times(inputs in prop::collection::vec(any_input(), 1..40), number in any::<bool>(), line in any_line()) {
        let placeholder = regex::Regex::new(r"\{[A-Za-z_]+\}").unwrap();
        let mut phone = phone(line, number);
        for input in &inputs {
            let reply = phone.input(input);
            prop_assert!(!reply.is_empty(), "silent after {input:?}");
            prop_assert!(!placeholder.is_match(&reply), "{reply}");
            for task in &phone.state.tasks {
                for (question, times) in &task.asked {
                    prop_assert!(*times <= 3, "{question} of {} asked {times} times", task.id);
                }
            }
            if phone.last.as_ref().is_some_and(|s| s.then == AfterReply::HangUp) {
                break;
            }
        }
    }

    #[test]
    fn thinking_leaves_no_trace(inputs in prop::collection::vec(any_input(), 1..15), extra in any_input(), line in any_line()) {
        let mut phone = phone(line, false);
        for input in &inputs {
            let state = phone.state.clone();
            let filed = phone.filed.len();
            // A speculative run on other words, dropped, and one on the same words.
            drop(phone.think(&extra));
            let first = phone.think(input);
            prop_assert_eq!(&phone.state, &state);
            prop_assert_eq!(phone.filed.len(), filed);
            prop_assert_eq!(phone.think(input), first, "the same words give the same step");
            phone.input(input);
        }
    }

    #[test]
    fn promises_and_effects_belong_together(inputs in prop::collection::vec(any_input(), 1..25), line in any_line()) {
        let mut phone = phone(line, true);
        for input in &inputs {
            let step = phone.think(input);
            let promises = step.say.iter().any(|s| s.promises);
            let files = step.effects.iter().any(|e| matches!(e, Effect::File(_)));
            prop_assert!(!files || promises, "{:?}", step.say);
            prop_assert!(!promises || !step.effects.is_empty(), "{:?}", step.say);
            phone.input(input);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn a_conversation_stays_in_languages_that_the_line_speaks(inputs in prop::collection::vec(any_input(), 1..25), line in any_line()) {
        let mut phone = phone(line, true);
        let mut call_backs = 0;
        for input in &inputs {
            phone.input(input);
            prop_assert!(line.1.contains(&phone.state.language), "{:?}", phone.state.language);
            let step = phone.last.as_ref().unwrap();
            call_backs += step.effects.iter().filter(|e| matches!(e, Effect::File(f) if f.task == "spanish")).count();
            // Foreign words are notices only, and the conversation's own language is told when it changes.
            let foreign = step.say.iter().any(|say| !line.1.contains(&say.language));
            let notice = !line.1.contains(&Language::Es) || phone.urgent;
            prop_assert!(!foreign || notice, "{:?}", step.say);
            if step.then == AfterReply::HangUp {
                break;
            }
        }
        let owed = phone.world.dialogue.unfinished(&phone.state).iter().filter(|f| f.task == "spanish").count();
        prop_assert!(call_backs + owed <= 1, "{call_backs} and {owed}");
    }
}

#[test]
fn garbage_ends_politely() {
    let mut phone = Phone::new(&LEXICAL, false);
    let mut heard: HashMap<String, u32> = HashMap::new();
    for n in 0..20 {
        let reply = phone.say("flurb");
        *heard.entry(reply).or_default() += 1;
        if phone.last.as_ref().unwrap().then == AfterReply::HangUp {
            assert!(n >= 4);
            assert!(heard.values().all(|times| *times <= 2), "{heard:?}");
            return;
        }
    }
    panic!("never ended");
}

#[test]
fn open_questions_move_on() {
    let mut phone = Phone::new(&LEXICAL, false);
    phone.say("I want to report an incident");
    let mut asked: HashMap<String, u32> = HashMap::new();
    for _ in 0..40 {
        let Some(question) = open_question(&phone) else { return };
        *asked.entry(question).or_default() += 1;
        phone.say("hmm");
        assert!(asked.values().all(|n| *n <= 3), "{asked:?}");
    }
    panic!("{asked:?}");
}

#[test]
fn a_call_back_that_could_not_be_filed_is_tried_again_at_the_end() {
    let mut phone = Phone::new(&LEXICAL, true);
    phone.say("¿habla español?");
    let before = phone.state.clone();
    let step = phone.think(&TurnInput::Digits { digits: "1".to_owned() });
    let Some(Effect::File(filing)) = step.effects.first() else { panic!("{:?}", step.effects) };
    let view = super::super::View {
        facts: &LEXICAL.facts,
        now: super::noon(),
        seed: 11,
        understood: Understood::default(),
        passages: vec![],
        topic: vec![],
        searched: vec![],
        openings: None,
        claim: None,
        queues: None,
    };
    let instead = LEXICAL.dialogue.trouble(&before, super::super::Trouble::NotSaved, Some(filing), &view);
    assert!(instead.say.iter().all(|say| say.language == Language::Es && !say.promises), "{:?}", instead.say);
    assert_eq!(instead.then, AfterReply::HangUp);
    let again = LEXICAL.dialogue.unfinished(&instead.state);
    assert!(again.len() == 1 && again[0].task == "spanish" && again[0].incomplete, "{again:?}");
}
