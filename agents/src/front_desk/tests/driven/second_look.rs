//! Replies that are judged after they were said, and put right.

use super::*;

/// Something that no tool did.
const WRONG: &str = "I've filed your report.";
const RIGHT: &str = "Your report is not filed yet.";

async fn watched(change: impl FnOnce(CallBrief) -> CallBrief) -> Driven {
    let mut office = office().await;
    let model = Arc::new(Scripted::default());
    let desk = office.desk.clone().with_model(Arc::new(Playing(model.clone())), true);
    office.desk = desk.with_second_look();
    let brief = change(office.brief());
    let clock = HeldClock::hold();
    let stream = office.desk.open(brief.clone()).unwrap();
    let mut driven = Driven { office, model, stream, brief, turn: 0, _clock: clock };
    driven.open().await;
    driven
}

impl Driven {
    /// Until the model was asked so often, and a moment more.
    async fn asked(&self, times: usize) {
        let began = Instant::now();
        while self.model.asked() < times {
            assert!(began.elapsed() < Duration::from_secs(10), "asked {} times", self.model.asked());
            breathe().await;
        }
        for _ in 0..200 {
            breathe().await;
        }
    }

    async fn hangs_up(self) -> (String, Value) {
        let (office, passport) = (self.office, self.brief.passport);
        drop(self.stream);
        drop(self._clock);
        office.closed(passport).await
    }
}

fn ledger_says(document: &Value, wanted: &str) -> bool {
    let ledger = document["ledger"].as_array().unwrap();
    ledger.iter().any(|e| e["outputs_summary"].as_str().unwrap_or("").contains(wanted))
}

#[tokio::test]
async fn a_wrong_reply_is_put_right_at_the_beginning_of_the_next() {
    let mut call = watched(|b| b).await;
    call.model.answers(&[&[text(WRONG)], &[text(RIGHT)], &[text("Where was it?")]]);
    let first = call.talk("Please report a broken swing.").await;
    assert_eq!(first.text.trim(), WRONG);
    call.asked(2).await;
    assert!(call.model.shown_text().contains("no tool did it"), "{}", call.model.shown_text());
    let next = call.talk("Thank you.").await;
    assert_eq!(next.text.trim(), format!("I need to correct what I said: {RIGHT} Where was it?"));
    let shown = call.model.shown();
    assert!(caller_texts(&shown).last().unwrap().contains("do not repeat it"), "the model knows of it");
    // It was told once, and it is on record.
    call.model.answers(&[&[text("All right then.")]]);
    let third = call.talk("At the park.").await;
    assert_eq!(third.text.trim(), "All right then.");
    let (status, document) = call.hangs_up().await;
    assert!(
        ledger_says(
            &document,
            "second look: turn 1 was wrong (effect_not_recorded); corrected in turn 2 after 1 tries"
        ),
        "{document}"
    );
    assert_eq!((status.as_str(), &document["routing"]["escalation_required"]), ("completed", &json!(false)));
}

#[tokio::test]
async fn a_right_reply_costs_no_request_and_no_note() {
    let mut call = watched(|b| b).await;
    call.model.answers(&[&[text("I can help with that. What happened?")], &[text("I see.")]]);
    call.talk("Something is broken.").await;
    call.asked(1).await;
    assert_eq!(call.talk("A swing.").await.text.trim(), "I see.");
    call.asked(2).await;
    assert_eq!(call.model.asked(), 2);
    let (_, document) = call.hangs_up().await;
    assert!(!ledger_says(&document, "second look"), "{document}");
}

#[tokio::test]
async fn after_three_wrong_corrections_the_caller_is_told_so_and_the_back_office_is_asked() {
    let mut call = watched(|b| b).await;
    let wrong = [text(WRONG)];
    call.model.answers(&[&wrong, &wrong, &wrong, &wrong, &[text("Goodbye now.")]]);
    call.talk("Please report a broken swing.").await;
    call.asked(4).await;
    let next = call.talk("Thank you.").await;
    assert!(next.text.starts_with("I need to correct what I said: I'm not certain"), "{}", next.text);
    call.model.answers(&[&[text("Bye.")]]);
    call.talk("Bye.").await;
    assert_eq!(call.model.asked(), 6, "three tries and no more");
    let (_, document) = call.hangs_up().await;
    assert!(ledger_says(&document, "after 3 tries"), "{document}");
    assert_eq!(document["routing"]["escalation_required"], true);
    assert_eq!(document["context"]["correction_turn_1"]["caller_was_told"], true);
}

#[tokio::test]
async fn when_the_caller_hangs_up_first_the_back_office_gets_a_note() {
    let mut call = watched(|b| b).await;
    call.model.answers(&[&[text(WRONG)], &[text(RIGHT)]]);
    call.talk("Please report a broken swing.").await;
    call.asked(2).await;
    let (status, document) = call.hangs_up().await;
    let note = &document["context"]["correction_turn_1"];
    assert_eq!(
        (&note["correct_statement"], &note["caller_was_told"]),
        (&json!(RIGHT), &json!(false)),
        "{document}"
    );
    assert_eq!((status.as_str(), &document["current_agent"]), ("in_progress", &json!("back_office")));
    assert_eq!(document["routing"]["escalation_required"], true);
    assert!(ledger_says(&document, "the caller was not told"), "{document}");
    assert!(!document["ledger"].to_string().contains("filed yet"), "no words in the ledger");
}

#[tokio::test]
async fn a_correction_that_was_cut_off_is_said_again() {
    let mut call = watched(|b| b).await;
    call.model.answers(&[&[text(WRONG)], &[text(RIGHT)], &[text("Where was it?")], &[text("Well?")]]);
    call.talk("Please report a broken swing.").await;
    call.asked(2).await;
    let cut = call.say("Hm.").await;
    assert!(cut.text.contains(RIGHT));
    call.cancel().await;
    call.heard("I need", false).await;
    let again = call.talk("Sorry, what?").await;
    assert!(again.text.starts_with(&format!("I need to correct what I said: {RIGHT}")), "{}", again.text);
}

#[tokio::test]
async fn a_guess_that_is_thrown_away_takes_no_correction_with_it() {
    let mut call = watched(|b| b).await;
    call.model.answers(&[&[text(WRONG)], &[text(RIGHT)], &[text("One.")], &[text("Two.")]]);
    call.talk("Please report a broken swing.").await;
    call.asked(2).await;
    call.start(Line::said("Thank"), true).await;
    call.cancel().await;
    let next = call.talk("Thank you very much.").await;
    assert!(next.text.starts_with("I need to correct"), "{}", next.text);
}

#[tokio::test]
async fn a_correction_is_spoken_in_the_language_of_the_call() {
    let spanish = |mut brief: CallBrief| {
        brief.spoken = vec![Language::Es, Language::En];
        brief.language = Language::Es;
        brief
    };
    let mut office = office().await;
    let model = Arc::new(Scripted::default());
    let desk = office.desk.clone().with_model(Arc::new(Playing(model.clone())), true);
    office.desk = desk.with_second_look();
    let brief = spanish(office.brief());
    let clock = HeldClock::hold();
    let stream = office.desk.open(brief.clone()).unwrap();
    let mut call = Driven { office, model, stream, brief, turn: 0, _clock: clock };
    call.turn(TurnInput::Opened).await;
    call.model.answers(&[
        &[text("He registrado su reporte.")],
        &[text("Su reporte todavía no está registrado.")],
        &[text("¿Dónde fue?")],
    ]);
    call.talk("Quiero reportar un columpio roto.").await;
    call.asked(2).await;
    let next = call.talk("Muchas gracias.").await;
    assert!(
        next.text
            .contains("Necesito corregir lo que dije: Su reporte todavía no está registrado. ¿Dónde fue?"),
        "{}",
        next.text
    );
}

#[tokio::test]
async fn a_sentence_that_the_page_contradicts_is_not_said_the_page_is() {
    let mut call = watched(|b| b).await;
    call.model
        .answers(&[&[text("Property tax is due on March 28 and July 31.")], &[text("You're welcome.")]]);
    let heard = call.talk("When is the property tax due?").await;
    assert!(heard.text.contains("February 28") && !heard.text.contains("March"), "{}", heard.text);
    call.asked(1).await;
    call.talk("Thanks.").await;
    call.asked(2).await;
    assert_eq!(call.model.asked(), 2, "what was said is right: nothing to correct");
}

#[tokio::test]
async fn personal_data_stays_out_of_what_a_look_asks() {
    let mut call = watched(|b| b).await;
    call.model.answers(&[&[text("I've noted 202-555-0143. I've filed your report.")], &[text(RIGHT)]]);
    call.talk("My number is 202-555-0143, please file it.").await;
    call.asked(2).await;
    let everything = call.model.everything();
    assert!(!everything.contains("555-0143"), "a token stands for it: {everything}");
}
