#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::*;
use models::conversation::ToolCall;

fn agent(text: &str) -> Message {
    Message::Agent { text: text.into(), calls: Vec::new(), opaque: None }
}

fn exchange(turn: u32, words: &str, said: &str) -> Exchange {
    let mut exchange = Exchange::new(TurnId(turn), words, block(delimit::SAID, words));
    exchange.say(said);
    exchange.push(agent(said));
    exchange
}

/// Text, a tool call, its result, more text.
fn with_tool(turn: u32, words: &str, before: &str, after: &str) -> Exchange {
    let mut exchange = Exchange::new(TurnId(turn), words, block(delimit::SAID, words));
    exchange.say(before);
    let call = ToolCall { id: "t1".into(), name: "file_report".into(), input: json!({}) };
    exchange.push(Message::Agent { text: before.into(), calls: vec![call], opaque: None });
    let result = ToolResult { id: "t1".into(), content: "Filed.".into(), is_error: false };
    exchange.push(Message::Results { results: vec![result] });
    exchange.say(after);
    exchange.push(agent(after));
    exchange
}

fn heard(turn: u32, text: &str, complete: bool) -> Heard {
    Heard { turn: TurnId(turn), text: text.into(), complete, estimated: false }
}

fn shown(history: &History, words: &str) -> Vec<Message> {
    let beginning = history.beginning(words);
    let current = Exchange::new(TurnId(99), words, block(delimit::SAID, &beginning.rest));
    history.messages(beginning.keep, &current)
}

fn texts(messages: &[Message]) -> Vec<String> {
    let text = |m: &Message| match m {
        Message::Caller { text } | Message::Agent { text, .. } => text.clone(),
        Message::Results { results } => results[0].content.clone(),
    };
    messages.iter().map(text).collect()
}

#[test]
fn what_was_not_heard_is_cut_and_marked() {
    let mut history = History::default();
    history.push(exchange(1, "hello", "We open at eight in the morning."));
    history.heard(&heard(1, "We open at", false), &mut str::to_owned);
    let shown = shown(&history, "and when do you close");
    assert_eq!(texts(&shown)[1], format!("We open at {CUT}"));
}

#[test]
fn a_cut_falls_into_the_message_it_belongs_to() {
    let mut history = History::default();
    history.push(with_tool(1, "yes", "One moment please.", "It is filed under INC-1."));
    history.heard(&heard(1, "One moment please. It is", false), &mut |t| t.replace("One", "A"));
    let all = texts(&shown(&history, "what"));
    assert_eq!(all[1], "One moment please.", "heard in full, left as it was");
    assert_eq!(all[3], format!("It is {CUT}"));
}

#[test]
fn a_heard_part_passes_the_screen() {
    let mut history = History::default();
    history.push(exchange(1, "x", "Your number is 202-555-0143, right?"));
    history.heard(&heard(1, "Your number is 202-555-0143,", false), &mut |t| {
        t.replace("202-555-0143", "⟨phone:1⟩")
    });
    assert_eq!(texts(&shown(&history, "yes"))[1], format!("Your number is ⟨phone:1⟩, {CUT}"));
}

#[test]
fn a_turn_nobody_heard_is_merged_into_the_next() {
    let mut history = History::default();
    let mut first = exchange(1, "I have a question.", "Sure, ask.");
    first.cut();
    history.push(first);
    assert_eq!(
        texts(&shown(&history, "I have a question. When do you open?")),
        [block(delimit::SAID, "I have a question. When do you open?")]
    );
    // Not a repetition: the words stand beside the new ones.
    let other = texts(&shown(&history, "Never mind"));
    assert_eq!(
        other,
        [format!("{}\n{}", block(delimit::SAID, "I have a question."), block(delimit::SAID, "Never mind"))]
    );
}

#[test]
fn what_was_done_in_an_unheard_turn_stays_and_its_words_are_not_new() {
    let mut history = History::default();
    let mut first = with_tool(1, "Yes.", "", "Filed under INC-1.");
    first.acted = true;
    first.cut();
    history.push(first);
    let mut second = exchange(3, "Yes. And", "Yes?");
    second.cut();
    history.push(second);
    let beginning = history.beginning("Yes. And when are you open?");
    assert_eq!(beginning, Beginning { keep: 1, rest: "And when are you open?".into(), repeats: true });
    let all = texts(&shown(&history, "Yes. And when are you open?"));
    assert_eq!(all.len(), 4, "{all:?}");
    assert_eq!(all[2], "Filed.");
    assert!(all[3].contains(MISSED) && all[3].contains("And when are you open?") && !all[3].contains("Yes."));
}

#[test]
fn a_mistaken_cut_is_healed_by_the_rest() {
    let mut history = History::default();
    history.push(exchange(1, "hours", "We open at eight. We close at five."));
    history.heard(&heard(1, "We open at eight.", false), &mut str::to_owned);
    history.heard(&heard(3, "We close at five.", true), &mut str::to_owned);
    assert_eq!(texts(&shown(&history, "thanks"))[1], "We open at eight. We close at five.");
}

#[test]
fn long_histories_lose_old_results_then_old_turns_and_say_so() {
    let mut history = History::default();
    for turn in 0..40 {
        let mut e = with_tool(turn, "words", "Let me look.", "Here it is.");
        if let Message::Results { results } = &mut e.messages[2] {
            results[0].content = "x".repeat(1_500);
        }
        history.push(e);
    }
    assert!(history.length() <= LONGEST, "{}", history.length());
    assert!(!history.dropped, "shorter results were enough");
    let all = shown(&history, "next");
    let calls = all.iter().filter(|m| matches!(m, Message::Agent { calls, .. } if !calls.is_empty())).count();
    let results = all.iter().filter(|m| matches!(m, Message::Results { .. })).count();
    assert_eq!((calls, results), (40, 40), "each call keeps a result");
    for turn in 40..60 {
        history.push(exchange(turn, &"w".repeat(1_500), "Noted."));
    }
    assert!(history.length() <= LONGEST && history.dropped);
    assert!(texts(&shown(&history, "next"))[0].contains(EARLIER));
}

#[test]
fn old_passages_go_and_the_callers_words_stay() {
    let mut text =
        format!("{}\n{}", block(delimit::INFORMATION, "Fees are $35."), block(delimit::SAID, "how much"));
    stump_information(&mut text);
    assert_eq!(text, block(delimit::SAID, "how much"));
}
