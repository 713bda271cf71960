//! The language of a call.

use super::*;

fn both(mut brief: CallBrief) -> CallBrief {
    brief.spoken = vec![Language::En, Language::Es];
    brief
}

fn changed(heard: &Heard) -> Vec<Language> {
    heard
        .events
        .iter()
        .filter_map(|e| if let ReplyEvent::Language { language, .. } = e { Some(*language) } else { None })
        .collect()
}

#[tokio::test]
async fn a_language_that_was_heard_is_spoken_from_the_next_reply_on() {
    let mut call = driven_with(both, true).await;
    call.model.answers(&[&[text("Claro, con gusto.")], &[text("Sí.")]]);
    call.command(ReplyCommand::Language(Language::Es)).await;
    let heard = call.talk("me gustaría saber el horario").await;
    assert_eq!(changed(&heard), [Language::Es]);
    assert!(heard.place(|e| matches!(e, ReplyEvent::Language { .. })) < heard.first_words());
    assert!(caller_texts(&call.model.shown()).pop().unwrap().contains("answer in Spanish"));
    assert!(changed(&call.talk("gracias").await).is_empty(), "told once");
}

#[tokio::test]
async fn a_guess_waits_with_words_in_another_voice() {
    let mut call = driven_with(both, true).await;
    call.model.answers(&[&[text("Claro, con gusto.")]]);
    call.command(ReplyCommand::Language(Language::Es)).await;
    call.start(Line::said("me gustaría saber el horario"), true).await;
    let guess = call.so_far().await;
    assert!(guess.segments().is_empty() && changed(&guess).is_empty() && !guess.ended, "{:?}", guess.events);
    call.commit().await;
    let heard = call.reply().await;
    assert_eq!((heard.text.trim(), changed(&heard)), ("Claro, con gusto.", vec![Language::Es]));
}

#[tokio::test]
async fn the_model_changes_the_language_by_a_tool() {
    let mut call = driven_with(both, true).await;
    call.model.answers(&[
        &[tool("1", "set_language", json!({ "language": "es" }))],
        &[text("Hola, ¿en qué puedo ayudarle?")],
    ]);
    let heard = call.say("Can we talk in my language, por favor").await;
    assert_eq!(changed(&heard), [Language::Es]);
    assert_eq!(heard.done().0, pipeline::turn::Expectation::Open);
}

#[tokio::test]
async fn a_change_of_language_that_was_cancelled_is_told_again() {
    let mut call = driven_with(both, true).await;
    let set: &[Beat] = &[tool("1", "set_language", json!({ "language": "es" }))];
    call.model.answers(&[set, &[text("Hola. Soy yo y "), Beat::Hang], &[text("Sigo aquí.")]]);
    call.start(Line::said("In my language, por favor"), false).await;
    assert_eq!(changed(&call.until(|heard| !heard.text.is_empty()).await), [Language::Es]);
    call.cancel().await;
    call.heard("", false).await;
    assert_eq!(changed(&call.say("¿Hay alguien?").await), [Language::Es]);
}

#[tokio::test]
async fn on_a_line_without_spanish_the_dialogue_says_so_honestly() {
    let mut call = driven().await;
    let heard = call.talk("Hola, necesito ayuda por favor").await;
    assert!(heard.text.contains("Lo siento") || heard.text.contains("English"), "{}", heard.text);
    assert_eq!(call.model.asked(), 0);
}

#[tokio::test]
async fn a_language_that_the_line_does_not_speak_is_the_dialogues_matter_for_one_turn() {
    let mut call = driven().await;
    call.command(ReplyCommand::Language(Language::Es)).await;
    call.talk("quisiera saber a que hora abren").await;
    assert_eq!(call.model.asked(), 0);
    call.talk("When are you open?").await;
    assert_eq!(call.model.asked(), 1);
}

#[tokio::test]
async fn key_two_after_the_greeting_chooses_spanish() {
    let mut call = driven_with(both, true).await;
    call.model.answers(&[&[text("Hola, ¿en qué puedo ayudarle?")]]);
    let heard = call.turn(TurnInput::Digits { digits: "2".into() }).await;
    assert_eq!(changed(&heard), [Language::Es], "{:?}", heard.events);
}
