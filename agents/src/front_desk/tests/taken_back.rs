//! The caller goes on before a committed reply was heard: the session cancels it and repeats their words.

use pipeline::turn::Heard as HeardWords;

use super::*;

impl Line {
    /// What the session sends when the caller went on before hearing anything.
    async fn take_back(&self) {
        let turn = TurnId(self.turn);
        self.command(ReplyCommand::Cancel { turn }).await;
        self.command(ReplyCommand::Heard(HeardWords { turn, ..HeardWords::default() })).await;
    }

    /// The same, by the session's own word for it.
    async fn rejoin(&self) {
        let turn = TurnId(self.turn);
        self.command(ReplyCommand::Cancel { turn }).await;
        self.command(ReplyCommand::TakenBack { turn }).await;
    }

    /// The next words begun on a guess, then committed.
    async fn guess(&mut self, text: &str) -> Heard {
        self.turn += 1;
        let turn = TurnId(self.turn);
        self.command(ReplyCommand::Start { turn, input: Self::said(text), speculative: true }).await;
        self.command(ReplyCommand::Commit { turn }).await;
        self.listen().await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_nobody_heard_the_answer_to_is_taken_again() {
    let office = office().await;
    let mut line = office.call();
    line.open().await;
    line.say("I have a question.").await;
    line.take_back().await;
    let heard = line.guess("I have a question. When").await;
    assert!(!heard.text.is_empty());
    // As often as it happens.
    line.take_back().await;
    let heard = line.guess("I have a question. When are you open?").await;
    assert!(heard.text.contains("8 a.m."), "{}", heard.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slot_filled_by_half_an_answer_is_read_anew() {
    let office = office().await;
    let mut line = office.call();
    line.open().await;
    line.say_all(&["I want to report an accident", "A delivery van hit the fence"]).await;
    let heard = line.say("At the old mill").await;
    assert!(heard.text.contains("When"), "{}", heard.text);
    line.take_back().await;
    let heard = line.say("At the old mill on Quarry Road yesterday at 3 pm").await;
    assert!(heard.text.contains("hurt"), "{}", heard.text);
    line.say_all(&["No", "Ann Lee"]).await;
    let heard = line.say("202 555 0143").await;
    assert!(heard.text.contains("Quarry Road") && heard.text.contains("3 PM"), "{}", heard.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_took_effect_stays_and_its_number_is_told() {
    let office = office().await;
    let mut line = office.call();
    line.open().await;
    line.say_all(REPORT).await;
    line.say("Yes.").await;
    line.take_back().await;
    let heard = line.guess("Yes. And when are you open?").await;
    let work = office.work().await;
    assert_eq!(work.len(), 1, "filed once");
    assert!(heard.text.contains("reference number"), "{}", heard.text);
    assert!(heard.text.contains("8 a.m."), "{}", heard.text);
    let heard = line.say("Yes, I have a pen.").await;
    assert!(spells(&heard.text, &work[0].reference), "{}", heard.text);
    // Told once: from then on it is known.
    let heard = line.say("And the library?").await;
    assert!(!heard.text.contains("reference number"), "{}", heard.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_nobody_was_told_of_is_withdrawn_and_the_whole_is_decided_anew() {
    let office = office().await;
    let mut line = office.call();
    line.open().await;
    line.say_all(REPORT).await;
    line.say("Yes.").await;
    line.rejoin().await;
    let cancelled = |work: &[storage::records::WorkItem]| {
        work.iter().filter(|w| w.status == storage::records::WorkStatus::Cancelled).count()
    };
    let mut work = office.work().await;
    // The withdrawal goes its own way to the store.
    for _ in 0..500 {
        if cancelled(&work) > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
        work = office.work().await;
    }
    assert_eq!((work.len(), cancelled(&work)), (1, 1), "withdrawn");
    let heard = line.guess("Yes. That's right.").await;
    let work = office.work().await;
    assert_eq!((work.len(), cancelled(&work)), (2, 1), "filed once, after the whole was heard");
    assert!(heard.text.contains("reference number"), "{}", heard.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_number_taken_back_twice_is_still_told() {
    let office = office().await;
    let mut line = office.call();
    line.open().await;
    line.say_all(REPORT).await;
    line.say("Yes.").await;
    line.take_back().await;
    line.say("Yes. And").await;
    line.take_back().await;
    let heard = line.say("Yes. And when are you open?").await;
    let work = office.work().await;
    assert_eq!(work.len(), 1);
    assert!(heard.text.contains("reference number") && heard.text.contains("8 a.m."), "{}", heard.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_words_once_more_get_the_same_answer() {
    let office = office().await;
    let mut line = office.call();
    line.open().await;
    line.say_all(REPORT).await;
    line.say("Yes.").await;
    line.take_back().await;
    let heard = line.say("Yes.").await;
    let work = office.work().await;
    assert_eq!(work.len(), 1);
    assert!(heard.text.contains("reference number"), "{}", heard.text);
    let heard = line.say("No, that's all.").await;
    assert!(heard.text.contains("Thank"), "{}", heard.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_words_after_a_cut_do_not_undo_the_turn() {
    let office = office().await;
    let mut line = office.call();
    line.open().await;
    line.say_all(&["I want to report an accident", "A delivery van hit the fence at Riverside Park"]).await;
    line.take_back().await;
    // Not a repetition: the session did not carry the words over.
    let heard = line.say("Yesterday at 3 pm").await;
    assert!(heard.text.contains("hurt"), "{}", heard.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_emergency_taken_back_is_answered_again() {
    let office = office().await;
    let mut line = office.call();
    line.open().await;
    line.say("My house is on fire!").await;
    line.take_back().await;
    let heard = line.say("My house is on fire! At 12 Main Street.").await;
    assert!(heard.text.contains("911"), "{}", heard.text);
    let (_, document) = office.passport(line.brief.passport).await.unwrap();
    assert_eq!(document["routing"]["priority"], "urgent");
}
