//! What must hold of every reply, whatever the caller says.

use pipeline::ports::{AfterReply, Language, TurnInput};
use pipeline::turn::SegmentKind;
use proptest::prelude::*;

use super::super::policy::spoken::WORDS;
use super::super::state::Pending;
use super::{LEXICAL, Phone};

const ENGLISH: &[&str] = &[
    "I want to report an incident",
    "there's a pothole on Elm Street",
    "the thing by the creek is all crooked and hanging off",
    "yes",
    "no",
    "yesterday around 3",
    "my name is John Smith",
    "202 555 0143",
    "that's wrong",
    "what does a dog license cost",
    "when is the library open and how much is a second trash cart",
    "what's the wifi password at the library",
    "I need a license",
    "the first one",
    "the dog one",
    "both",
    "neither",
    "no, I mean the dog license",
    "hold that, first, what time does the library open?",
    "before that I want to check my claim",
    "there's a tree down and I also want to check my claim",
    "tell me more",
    "never mind",
    "I'm so upset",
    "you stupid machine",
    "blorp",
    "what's the capital of France",
    "how long does it take",
    "say that again",
    "hold on",
    "talk to a person",
    "thank you",
    "skip",
];

const SPANISH: &[&str] = &[
    "quiero reportar un bache en la calle Elm",
    "la cosa esa está toda chueca y suelta",
    "sí",
    "no",
    "ayer a las tres",
    "me llamo Ana Ruiz",
    "¿cuánto cuesta un segundo bote de basura?",
    "¿cuál es la capital de Francia?",
    "la primera",
    "las dos",
    "no, me refiero a la basura",
    "antes de eso, ¿cómo pago el agua?",
    "quiero reportar un bache y también quiero consultar mi reclamo",
    "dígame más",
    "olvídelo",
    "estoy harta",
    "blorp",
    "¿y cuánto tarda?",
    "repita por favor",
    "una persona",
    "gracias",
    "siguiente",
];

fn call() -> impl Strategy<Value = (Language, Vec<&'static str>)> {
    let of = |language, lines: &'static [&'static str]| {
        prop::collection::vec(prop::sample::select(lines), 1..20).prop_map(move |said| (language, said))
    };
    prop_oneof![3 => of(Language::En, ENGLISH), 1 => of(Language::Es, SPANISH)]
}

fn phone(language: Language, number: bool) -> Phone<'static> {
    Phone::speaking(&LEXICAL, number, language, &[language])
}

fn sentences(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.split_inclusive(['.', '?', '!']).map(|sentence| sentence.split_whitespace().count())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn a_reply_asks_one_thing_and_asks_it_last((language, said) in call(), number in any::<bool>()) {
        let mut phone = phone(language, number);
        for text in &said {
            let reply = phone.say(text);
            prop_assert!(!reply.is_empty(), "silent after {text}");
            let step = phone.last.as_ref().unwrap();
            if step.then == AfterReply::HangUp {
                break;
            }
            prop_assert!(reply.matches('?').count() <= 1, "after {text}: {reply}");
            // A question of a task may be followed by how to answer it.
            let asks = phone.state.tasks.is_empty() && reply.contains('?');
            prop_assert!(!asks || reply.trim_end().ends_with('?'), "after {text}: {reply}");
        }
    }

    #[test]
    fn what_is_said_of_a_page_is_short((language, said) in call()) {
        let mut phone = phone(language, false);
        for text in &said {
            phone.say(text);
            let step = phone.last.as_ref().unwrap();
            let filed = step.say.iter().any(|say| say.promises);
            if !step.note.sources.is_empty() && phone.state.tasks.is_empty() && !filed {
                let most = step.note.sources.len() * WORDS;
                let told = step.say.iter().filter(|say| say.kind == SegmentKind::Reply && !say.fixed);
                let words: usize = told.map(|say| say.text.split_whitespace().count()).sum();
                prop_assert!(words <= most + 12, "{words}: {:?}", step.say);
                let long = step.say.iter().flat_map(|say| sentences(&say.text)).find(|n| *n > 20);
                prop_assert!(long.is_none(), "{:?}", step.say);
            }
            if step.then == AfterReply::HangUp {
                break;
            }
        }
    }

    #[test]
    fn nothing_is_filed_of_what_was_given_up((language, said) in call(), number in any::<bool>()) {
        let mut phone = phone(language, number);
        for text in &said {
            phone.say(text);
            if phone.last.as_ref().is_some_and(|step| step.then == AfterReply::HangUp) {
                return Ok(());
            }
        }
        let filed = phone.filed.len();
        let forget = match language {
            Language::En => "forget everything, goodbye",
            Language::Es => "olvídelo todo, adiós",
        };
        phone.say(forget);
        prop_assert_eq!(phone.filed.len(), filed);
        prop_assert_eq!(phone.world.dialogue.unfinished(&phone.state).len(), 0);
    }

    #[test]
    fn nobody_is_asked_the_same_for_ever(times in 4..9_usize, language in prop_oneof![Just(Language::En), Just(Language::Es)]) {
        let mut phone = phone(language, false);
        let mut before = String::new();
        for _ in 0..times {
            let reply = phone.input(&TurnInput::said("blorp"));
            prop_assert_ne!(&reply, &before);
            before = reply;
        }
    }
}

#[test]
fn what_was_heard_goes_to_the_person_who_calls_back() {
    let mut phone = Phone::new(&LEXICAL, true);
    phone.say("What's the capital of France?");
    phone.say("A person, please.");
    phone.say("Tom Hardy");
    phone.say("yes");
    phone.say("yes");
    let filing = phone.filed.first().unwrap();
    assert!(filing.fields["reason"].contains("capital of France"), "{filing:?}");
}

#[test]
fn a_question_below_the_margin_names_no_page() {
    for text in
        ["what's the wifi password at the library", "who is the sheriff's cousin", "what does a taxi cost"]
    {
        let mut phone = Phone::new(&LEXICAL, false);
        phone.say(text);
        assert!(
            phone.last.as_ref().unwrap().note.sources.is_empty(),
            "{text}: {:?}",
            phone.last.unwrap().say
        );
    }
}

#[test]
fn whoever_asks_about_coming_in_person_asks_for_nobody() {
    let mut phone = Phone::new(&LEXICAL, false);
    phone.state.pending = Some(Pending::MessageOrPerson);
    phone.say("Do I need to come in person?");
    assert!(phone.state.task().is_none(), "{:?}", phone.state.task());
    phone.state.pending = Some(Pending::MessageOrPerson);
    phone.say("A person, please.");
    assert!(phone.state.task().is_some_and(|task| task.id == "person"));
}
