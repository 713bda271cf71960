//! A person of the office had the call, and gave it back.

use pipeline::ports::TurnInput;

use super::{LEXICAL, Phone};

const NOTE: &str = "They were promised a copy by mail.";

/// A caller in the midst of a report, with the question that was put last.
fn reporting() -> (Phone<'static>, String) {
    let mut phone = Phone::new(&LEXICAL, true);
    phone.say("I want to report a pothole.");
    let asked = phone.say("There is a deep pothole at 12 Main Street.");
    (phone, asked)
}

/// The last sentence.
fn question(said: &str) -> String {
    let end = said.rfind(['.', '!']).map_or(0, |at| at + 1);
    said[end..].trim().to_owned()
}

#[test]
fn what_was_under_way_goes_on_with_its_open_question() {
    let (mut phone, asked) = reporting();
    let stage = phone.state.task().unwrap().clone();
    phone.state.keep_staff_note(NOTE);
    let back = phone.input(&TurnInput::GivenBack);
    assert!(back.starts_with("I'm back, the automated assistant."), "{back}");
    assert_eq!(question(&back), question(&asked), "{asked} / {back}");
    let task = phone.state.task().unwrap();
    assert_eq!((&task.stage, &task.slots, &task.asked), (&stage.stage, &stage.slots, &stage.asked));
    assert!(!back.contains("mail"), "what a person noted is not told: {back}");
    // However often a person takes the call: the caller left no question unanswered.
    for _ in 0..5 {
        let again = phone.input(&TurnInput::GivenBack);
        assert_eq!(question(&again), question(&asked), "{again}");
    }
}

#[test]
fn with_nothing_under_way_the_agent_asks_what_else() {
    let mut phone = Phone::new(&LEXICAL, true);
    let back = phone.input(&TurnInput::GivenBack);
    assert_eq!(back, "I'm back, the automated assistant. What else can I help you with?");
    let bye = phone.say("No, that's all, thank you.");
    assert!(bye.to_lowercase().contains("bye"), "{bye}");
    assert!(phone.filed.is_empty());
}

#[test]
fn what_a_person_noted_goes_with_whatever_is_filed_later() {
    let (mut phone, _) = reporting();
    phone.state.keep_staff_note("  ");
    phone.state.keep_staff_note(NOTE);
    phone.state.keep_staff_note(NOTE);
    phone.state.keep_staff_note("Call before noon.");
    phone.input(&TurnInput::GivenBack);
    let noted = "Noted by staff: They were promised a copy by mail.; Noted by staff: Call before noon.";
    // The call breaks off: what is filed as it is has them too.
    let left = phone.world.dialogue.unfinished(&phone.state);
    assert_eq!(left.iter().map(|filing| filing.fields["note"].as_str()).collect::<Vec<_>>(), [noted]);
    phone.say("Goodbye.");
    assert_eq!(phone.filed.iter().map(|filing| filing.fields["note"].as_str()).collect::<Vec<_>>(), [noted]);
    assert!(phone.world.dialogue.unfinished(&phone.state).is_empty());
}
