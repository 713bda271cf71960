//! The detector on what its training never saw, and on what it must refuse.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::answer::Answers;
use super::*;

#[test]
fn weights_of_another_version_are_refused() {
    for bytes in [&b""[..], b"QDANGER1", &[0; HEADER], &vec![0; HEADER + (QUESTIONS << marks::BITS)]] {
        let error = Detector::from_bytes(bytes).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error.contains("train_danger"), "{error}");
    }
}

#[test]
fn what_is_written_is_read_back() {
    let mut weights = vec![[0.0; QUESTIONS]; 1 << marks::BITS];
    weights[7] = [1.0; QUESTIONS];
    let bytes = Detector::to_bytes(&weights, [-2.0; QUESTIONS]);
    let read = Detector::from_bytes(&bytes).unwrap();
    assert_eq!((read.weights[7], read.weights[8]), ([127; QUESTIONS], [0; QUESTIONS]));
    assert_eq!(read.read("help"), Reading::default(), "a word alone says nothing");
    assert_eq!(read.read("a word or two").now, thousandths(-2.0));
}

#[test]
fn levels_follow_from_what_is_read() {
    let level = |now, danger| Reading { now, danger, own_hand: 0 }.level();
    assert_eq!(level(SURE, 0), Level::Sure);
    assert_eq!(level(SURE - 1, ALARMING), Level::Sure);
    assert_eq!(level(SURE - 1, ALARMING - 1), Level::Likely);
    assert_eq!((level(NEARLY, 0), level(NEARLY - 1, 0)), (Level::Likely, Level::No));
    assert_eq!(level(0, LIKELY), Level::Likely);
    assert_eq!(level(0, LIKELY - 1), Level::No);
}

#[test]
fn what_is_nearly_sure_is_told_before_it_is_asked() {
    let told = |now, danger| Reading { now, danger, own_hand: 0 }.is_nearly_sure();
    assert!(told(NEARLY, 0) && told(SURE - 1, 0) && told(0, NEARLY_ALARMING));
    assert!(!told(SURE, 0) && !told(NEARLY - 1, LIKELY) && !told(0, ALARMING));
    let unsure = Reading { now: 1000, danger: 1000, own_hand: 0 }.unsure();
    assert!(unsure.level() == Level::Likely && !unsure.is_nearly_sure());
}

#[test]
fn somebody_who_may_take_their_own_life_is_told_apart() {
    let read = |text| Detector::shipped().unwrap().read(text);
    let own = read("i wrote the letters already and i have the pills here i just want it to stop hurting");
    assert!(own.is_own_hand() && own.level() > Level::No, "{own:?}");
    let fire = read("the curtains caught and the whole living room is burning");
    assert!(!fire.is_own_hand() && fire.level() == Level::Sure, "{fire:?}");
}

proptest! {
    #[test]
    fn any_text_is_read(text in "\\PC{0,400}") {
        let read = Detector::shipped().unwrap().read(&text);
        prop_assert!([read.now, read.danger, read.own_hand].iter().all(|n| *n <= 1000));
    }
}

/// Sentences of a hand that had not read the training's: what is caught beside what is harmed. Floors, a little under what
/// was measured (docs/guides/emergencies.md).
#[test]
fn danger_in_another_hands_words_is_heard_and_ordinary_talk_is_let_be() {
    for set in
        [include_str!("../../data/danger/held/first.tsv"), include_str!("../../data/danger/held/second.tsv")]
    {
        let mut read: Vec<(&str, Level)> = Vec::new();
        for line in set.lines() {
            let (label, text) = (line.split('\t').next().unwrap(), line.rsplit('\t').next().unwrap());
            read.push((label, Detector::shipped().unwrap().read(text).level()));
        }
        let count = |label, least| read.iter().filter(|(l, level)| *l == label && *level >= least).count();
        let (danger, harmless) = (count("now", Level::No), count("no", Level::No));
        assert_eq!((danger, harmless), (90, 400));
        let (sure, heard) = (count("now", Level::Sure), count("now", Level::Likely));
        assert!(sure >= 75 && heard >= 84, "sure of {sure}, heard {heard} of {danger}");
        let (alarmed, asked) = (count("no", Level::Sure), count("no", Level::Likely));
        assert!(alarmed <= 4 && asked <= 9, "alarmed by {alarmed}, asked at {asked} of {harmless}");
    }
}

/// The same of a hand whose emergencies are half told aside ("it's been sparking, but anyway the hole is about two foot").
#[test]
fn danger_told_aside_is_heard_more_often_than_not() {
    let set = include_str!("../../data/danger/held/third.tsv");
    let lines = set.lines().filter(|line| !line.starts_with('#'));
    let read: Vec<(&str, Level)> = lines
        .map(|line| (line.split('\t').next().unwrap(), line.rsplit('\t').next().unwrap()))
        .map(|(label, text)| (label, Detector::shipped().unwrap().read(text).level()))
        .collect();
    let count = |label, least| read.iter().filter(|(l, level)| *l == label && *level >= least).count();
    assert_eq!((count("now", Level::No), count("no", Level::No)), (140, 259));
    let (sure, heard) = (count("now", Level::Sure), count("now", Level::Likely));
    assert!(sure >= 70 && heard >= 102, "sure of {sure}, heard {heard} of 140");
    let (alarmed, asked) = (count("no", Level::Sure), count("no", Level::Likely));
    assert!(alarmed <= 2 && asked <= 5, "alarmed by {alarmed}, asked at {asked} of 259");
}

/// Answers to "is anyone in danger?" by the hand that wrote the training's, as other people. A yes that is taken for a no is the worst.
#[test]
fn answers_to_whether_anybody_is_in_danger_are_told_apart() {
    let (answers, detector) = (Answers::shipped().unwrap(), Detector::shipped().unwrap());
    let set = include_str!("../../data/danger/held/answers.tsv");
    let read: Vec<(&str, Option<bool>)> = set
        .lines()
        .map(|line| (line.split('\t').next().unwrap(), line.rsplit('\t').next().unwrap()))
        .map(|(label, text)| (label, answers.read(text).in_danger(detector.read(text))))
        .collect();
    let count = |label, taken| read.iter().filter(|(l, t)| *l == label && *t == taken).count();
    let all = |label| read.iter().filter(|(l, _)| *l == label).count();
    assert_eq!((all("yes"), all("no")), (100, 100));
    let (yes, lost) = (count("yes", Some(true)), count("yes", Some(false)));
    assert!(yes >= 70 && lost <= 3, "{yes} of 100 taken for a yes, {lost} for a no");
    let (no, alarmed) = (count("no", Some(false)), count("no", Some(true)));
    assert!(no >= 44 && alarmed <= 6, "{no} of 100 taken for a no, {alarmed} for a yes");
}

#[test]
fn a_word_said_again_and_again_is_no_danger() {
    let detector = Detector::shipped().unwrap();
    for word in ["blah ", "hello ", "no ", "no no no wait ", "sí ", "thank you "] {
        assert_eq!(detector.read(&word.repeat(300)).by_words().level(), Level::No, "{word}");
    }
    // Who only pleads may be asked.
    assert!(detector.read(&"please ".repeat(300)).level() < Level::Sure);
}
