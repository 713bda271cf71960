//! Whoever we called wants no more calls: a fixed word at any moment, and words that only sound like it are none.

use pipeline::ports::{AfterReply, Language, TurnInput};

use super::{LEXICAL, Phone, words};
use crate::builtin::{Dialogue, Effect, State};

const BOTH: [Language; 2] = [Language::En, Language::Es];

/// A call that we placed, after the first words.
fn called(language: Language) -> Phone<'static> {
    let mut phone = Phone::speaking(&LEXICAL, false, language, &BOTH);
    phone.state = State { outbound: true, ..State::new(true).speaking(language, &BOTH) };
    phone.input(&TurnInput::Opened);
    phone
}

fn heard(text: &str) -> Option<Language> {
    static DIALOGUE: std::sync::LazyLock<Dialogue> =
        std::sync::LazyLock::new(|| Dialogue::front_desk().unwrap());
    let state = State { outbound: true, ..State::new(true).speaking(Language::En, &BOTH) };
    DIALOGUE.hears_no_calls(&state, text)
}

#[test]
fn a_word_against_calls_is_heard_in_many_forms() {
    for wish in [
        "stop calling me",
        "Please stop calling me.",
        "Yeah I'm busy please stop calling me I told you before",
        "could you please stop calling this number",
        "I asked you guys to stop calling me",
        "I want you people to stop calling me",
        "tell your people to stop calling me",
        "How many times do I have to tell you to stop calling me",
        "stop calling",
        "Stop calling me, ma'am, I mean it",
        "take me off your list",
        "Take my number off your calling list please",
        "can you remove me from your list",
        "don't call me again",
        "don't ever call here again",
        "please don't call me anymore",
        "don't call me",
        "no more calls please",
        "I don't want any more calls from you",
        "I don't want you to call me anymore",
        "I don't want you calling here",
        "I don't want to be called again",
        "put me on your do not call list",
        "leave me alone",
        "I'd like to opt out of these calls",
        "lose my number",
        "never call me again",
    ] {
        assert_eq!(heard(wish), Some(Language::En), "{wish}");
    }
    for wish in [
        "no me llamen más",
        "No me llame más, por favor.",
        "por favor no me llamen",
        "ya no me llamen",
        "deje de llamarme",
        "dejen de llamar a mi casa",
        "no me vuelvan a llamar",
        "Oiga, no me vuelva a llamar nunca",
        "quíteme de su lista",
        "quiten mi número de la lista por favor",
        "no quiero que me llamen más",
        "no quiero más llamadas",
        "no más llamadas por favor",
        "no vuelvan a llamar",
        "déjenme en paz",
    ] {
        assert_eq!(heard(wish), Some(Language::Es), "{wish}");
    }
}

#[test]
fn words_that_only_sound_like_it_are_none() {
    for harmless in [
        "stop calling me ma'am",
        "please stop calling me Bob",
        "stop by calling me",
        "can I stop the service by calling you",
        "did you stop calling people?",
        "when will you stop calling people about the election",
        "do you stop calling at nine",
        "my neighbor won't stop calling me",
        "somebody keeps calling me and they won't stop calling here",
        "tell them to stop calling me",
        "how do I get people to stop calling me",
        "why don't you call me again tomorrow",
        "they don't call me anymore",
        "don't call me back, I'll come by",
        "please don't call me before nine",
        "don't call me tomorrow",
        "I don't want nobody to call me back",
        "can you take me off the waiting list",
        "take that off the list of things to fix",
        "is there a list of stops",
        "please don't stop calling",
        "you can call me anytime",
        "I had no more calls from the clerk",
        "my kids don't call me",
        "I want to stop the noise",
        "stop",
        "leave me a message",
        "the dogs won't leave me alone",
        "I lost my number plate",
        "how do I unsubscribe from the newsletter",
        "call me back",
    ] {
        assert_eq!(heard(harmless), None, "{harmless}");
    }
    for harmless in [
        "¿por qué no me llaman?",
        "no me llaman nunca de la oficina",
        "deje de llamarme señora",
        "no me llame mañana, llámeme el lunes",
        "no me llamo Juan",
        "¿me pueden llamar otra vez?",
        "no quiero que me llamen hoy",
        "dígale a mi vecino que no me llame más",
        "quíteme de la lista de espera",
        "dejé de llamar al condado",
        "llámeme más tarde",
        "no me llegó más correo",
    ] {
        assert_eq!(heard(harmless), None, "{harmless}");
    }
}

#[test]
fn it_counts_in_the_midst_of_anything_and_the_call_ends() {
    for (language, before, wish, says) in [
        (Language::En, "I want to leave a message", "Please stop calling me.", "We will not call you again."),
        (Language::En, "how much is a dog license", "take me off your list", "We will not call you again."),
        (Language::Es, "quiero dejar un mensaje", "no me llamen más", "No le volveremos a llamar."),
        (Language::En, "hello", "no me llamen más", "No le volveremos a llamar."),
    ] {
        let mut phone = called(language);
        phone.say(before);
        let said = phone.say(wish);
        let step = phone.last.clone().unwrap();
        assert!(said.ends_with(says) || said.contains(says), "{wish}: {said}");
        assert_eq!(step.then, AfterReply::HangUp, "{wish}");
        assert!(step.effects.contains(&Effect::StopCalls { source: "voice".into() }), "{wish}");
        let promise = step.say.iter().find(|say| say.text.contains(says)).unwrap();
        assert!(promise.promises, "said before it is so");
    }
}

#[test]
fn danger_goes_first_and_a_call_that_came_in_has_no_such_word() {
    let mut phone = called(Language::En);
    let said = phone.say("stop calling me my house is on fire");
    assert!(said.contains("911"), "{said}");
    let mut inbound = Phone::speaking(&LEXICAL, false, Language::En, &BOTH);
    inbound.input(&TurnInput::Opened);
    inbound.say("please stop calling me");
    let step = inbound.last.clone().unwrap();
    assert!(!step.effects.iter().any(|effect| matches!(effect, Effect::StopCalls { .. })));
    assert_eq!(step.then, AfterReply::Listen, "{}", words(&step));
}

#[test]
fn nine_says_it_by_key_where_no_number_is_asked_for() {
    let nine = TurnInput::Digits { digits: "9".into() };
    let mut phone = called(Language::En);
    phone.input(&nine);
    let step = phone.last.clone().unwrap();
    assert_eq!(step.effects, [Effect::StopCalls { source: "key".into() }]);
    assert_eq!(step.then, AfterReply::HangUp);

    let mut phone = called(Language::En);
    phone.say("I'd like to check the status of my claim");
    phone.input(&nine);
    let step = phone.last.clone().unwrap();
    assert!(step.effects.is_empty(), "a digit of the claim's number: {}", words(&step));

    let mut inbound = Phone::speaking(&LEXICAL, false, Language::En, &BOTH);
    inbound.input(&TurnInput::Opened);
    inbound.input(&nine);
    assert!(inbound.last.clone().unwrap().effects.is_empty());
}
