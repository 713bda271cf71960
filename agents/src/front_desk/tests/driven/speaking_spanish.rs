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

const NOTICE: &str = "Le atiende el asistente automático.";

#[tokio::test]
async fn a_language_that_was_heard_is_spoken_from_the_next_reply_on_with_its_notice_once() {
    let mut call = driven_with(both, true).await;
    call.model.answers(&[&[text("Claro, con gusto.")], &[text("Sí.")]]);
    call.command(ReplyCommand::Language(Language::Es)).await;
    let heard = call.talk("horario").await;
    assert_eq!(
        (heard.text.trim(), changed(&heard)),
        (format!("{NOTICE} Claro, con gusto.").as_str(), vec![Language::Es])
    );
    assert!(heard.place(|e| matches!(e, ReplyEvent::Language { .. })) < heard.first_words());
    assert_eq!(heard.segments()[0].kind, SegmentKind::Notice);
    assert!(caller_texts(&call.model.shown()).pop().unwrap().contains("answer in Spanish"));
    let next = call.talk("gracias").await;
    assert_eq!((next.text.trim(), changed(&next)), ("Sí.", vec![]), "told once");
}

#[tokio::test]
async fn spanish_words_change_the_language_without_the_recogniser() {
    let mut call = driven_with(both, true).await;
    call.model.answers(&[&[text("A las ocho.")]]);
    let heard = call.talk("quiero saber a qué hora abren la oficina").await;
    assert_eq!(changed(&heard), [Language::Es]);
    assert!(heard.text.contains("A las ocho."));
}

#[tokio::test]
async fn the_notice_fills_the_wait_for_the_model_and_a_failing_model_does_not_repeat_it() {
    let mut call = driven_with(both, true).await;
    call.model
        .answers(&[&[Beat::Wait(Duration::from_millis(900)), Beat::Fail(pipeline::provider::Kind::Server)]]);
    call.command(ReplyCommand::Language(Language::Es)).await;
    call.start(Line::said("horario de la oficina"), false).await;
    let notice = call.until(|heard| heard.segments().len() == 1).await;
    assert_eq!(notice.text.trim(), NOTICE);
    call.advance(901).await;
    let rest = call.reply().await;
    assert!(!rest.text.contains("automático") && !rest.text.is_empty(), "{}", rest.text);
    assert_eq!(rest.segments()[0].id.index, 1);
}

#[tokio::test]
async fn a_guess_waits_with_words_in_another_voice() {
    let mut call = driven_with(both, true).await;
    call.model.answers(&[&[text("Claro, con gusto.")]]);
    call.command(ReplyCommand::Language(Language::Es)).await;
    call.start(Line::said("horario"), true).await;
    let guess = call.so_far().await;
    assert!(guess.segments().is_empty() && changed(&guess).is_empty() && !guess.ended, "{:?}", guess.events);
    call.commit().await;
    let heard = call.reply().await;
    assert!(
        heard.text.ends_with("Claro, con gusto. ") && changed(&heard) == [Language::Es],
        "{:?}",
        heard.events
    );
}

#[tokio::test]
async fn the_model_changes_the_language_by_a_tool() {
    let mut call = driven_with(both, true).await;
    call.model.answers(&[
        &[tool("1", "set_language", json!({ "language": "es" }))],
        &[text("Hola, ¿en qué puedo ayudarle?")],
    ]);
    let heard = call.say("Can we go on in my mother's language").await;
    assert_eq!(changed(&heard), [Language::Es]);
    assert_eq!(heard.text.trim(), format!("{NOTICE} Hola, ¿en qué puedo ayudarle?"));
    assert_eq!(heard.done().0, pipeline::turn::Expectation::Open);
}

#[tokio::test]
async fn a_change_of_language_that_was_cancelled_is_told_again_and_so_is_its_notice() {
    let mut call = driven_with(both, true).await;
    let set: &[Beat] = &[tool("1", "set_language", json!({ "language": "es" }))];
    call.model.answers(&[set, &[Beat::Hang], &[text("Sigo aquí.")]]);
    call.start(Line::said("Can we go on in my mother's language"), false).await;
    assert_eq!(changed(&call.until(|heard| heard.text.contains("automático")).await), [Language::Es]);
    call.cancel().await;
    call.heard("", false).await;
    let heard = call.say("Hello?").await;
    assert_eq!(
        (heard.text.trim(), changed(&heard)),
        (format!("{NOTICE} Sigo aquí.").as_str(), vec![Language::Es])
    );
}

#[tokio::test]
async fn on_a_line_without_spanish_the_dialogue_says_so_in_spanish_and_offers_a_call_back() {
    let mut call = driven().await;
    let heard = call.talk("Hola, necesito ayuda por favor").await;
    assert_eq!(changed(&heard).first(), Some(&Language::Es), "{}", heard.text);
    assert_eq!(call.model.asked(), 0);
    // The keys after it are the dialogue's too.
    let heard = call.turn(TurnInput::Digits { digits: "2025550143".into() }).await;
    assert_eq!(call.model.asked(), 0);
    let work = call.office.work().await;
    assert_eq!((work.len(), work[0].kind.as_str()), (1, "callback"), "{}", heard.text);
}

#[tokio::test]
async fn after_the_offer_english_words_bring_the_model_back() {
    let mut call = driven().await;
    call.command(ReplyCommand::Language(Language::Es)).await;
    call.talk("kiss era saber a key or a ah brain").await;
    assert_eq!(call.model.asked(), 0, "the offer");
    call.talk("When are you open?").await;
    call.talk("And on Saturday?").await;
    assert_eq!(call.model.asked(), 1);
}

#[tokio::test]
async fn key_two_chooses_spanish_from_fixed_words_and_the_model_goes_on_in_it() {
    let mut call = driven_with(both, true).await;
    let heard = call.turn(TurnInput::Digits { digits: "2".into() }).await;
    assert_eq!(changed(&heard), [Language::Es], "{:?}", heard.events);
    assert!(heard.text.starts_with(NOTICE) && call.model.asked() == 0, "{}", heard.text);
    call.heard(heard.text.trim(), true).await;
    call.model.answers(&[&[text("A las ocho.")]]);
    let heard = call.talk("horario").await;
    assert_eq!((heard.text.trim(), changed(&heard)), ("A las ocho.", vec![]));
}

#[tokio::test]
async fn key_two_as_an_answer_goes_to_the_model() {
    let mut call = driven_with(both, true).await;
    call.model.answers(&[&[text("Would you like that?")], &[text("Fine.")]]);
    call.talk("Tell me more about the inspection").await;
    call.turn(TurnInput::Digits { digits: "2".into() }).await;
    assert_eq!(call.model.asked(), 2);
}
