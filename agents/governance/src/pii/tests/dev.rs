//! Floors on the hand-written sets under `agents/governance/data/pii/dev`.

use crate::pii::measure::{Marked, false_alarms, marked, recall, set};
use crate::pii::{Guardian, Kind};

const WRITTEN: &str = include_str!("../../../data/pii/dev/written.txt");
const SPOKEN: &str = include_str!("../../../data/pii/dev/spoken.txt");
const CLEAN: &str = include_str!("../../../data/pii/dev/clean.txt");

fn lines(data: &str) -> Vec<&str> {
    data.lines().filter(|line| !line.starts_with('#')).collect()
}

fn assert_floors(data: &str, numbers: f64, words: f64) {
    let texts: Vec<Marked> = set(data).collect();
    assert_eq!(texts.len(), lines(data).len(), "a mark of the set cannot be read");
    let (kinds, missed) = recall(&Guardian::new(), &texts);
    for (kind, recall) in kinds {
        let floor = if matches!(kind, Kind::Name | Kind::Address) { words } else { numbers };
        // A kind with few values may miss one.
        let one = recall.planted.saturating_sub(recall.found) <= 1;
        assert!(recall.share() >= floor || one, "{}: {recall:?}\n{}", kind.name(), missed.join("\n"));
    }
}

#[test]
fn written_values_are_found_whole() {
    assert_floors(WRITTEN, 0.98, 0.93);
}

#[test]
fn spoken_values_are_found_whole() {
    assert_floors(SPOKEN, 0.95, 0.85);
}

/// Sets that a language model wrote without having seen the guardian. Their first looks are in the files; this holds what was reached since.
#[test]
fn sets_of_other_hands_keep_their_figures() {
    let sets = [
        (include_str!("../../../data/pii/dev/second/written.txt"), 0.91, 0.93),
        (include_str!("../../../data/pii/dev/second/spoken.txt"), 0.91, 0.93),
        (include_str!("../../../data/pii/dev/third/written.txt"), 0.91, 0.93),
        (include_str!("../../../data/pii/dev/third/spoken.txt"), 0.9, 0.85),
        (include_str!("../../../data/pii/dev/fourth/written.txt"), 0.95, 0.93),
        (include_str!("../../../data/pii/dev/fourth/spoken.txt"), 0.9, 0.87),
        (include_str!("../../../data/pii/dev/fifth/written.txt"), 0.93, 0.94),
        (include_str!("../../../data/pii/dev/fifth/spoken.txt"), 0.94, 0.94),
        (include_str!("../../../data/pii/dev/sixth/written.txt"), 0.92, 0.86),
        (include_str!("../../../data/pii/dev/sixth/spoken.txt"), 0.7, 0.78),
        (include_str!("../../../data/pii/dev/seventh/written.txt"), 0.95, 0.95),
        (include_str!("../../../data/pii/dev/seventh/spoken.txt"), 0.88, 0.9),
        (include_str!("../../../data/pii/dev/eighth/written.txt"), 0.95, 0.9),
        (include_str!("../../../data/pii/dev/eighth/spoken.txt"), 0.91, 0.85),
        (include_str!("../../../data/pii/dev/ninth/written.txt"), 0.92, 0.93),
        (include_str!("../../../data/pii/dev/ninth/spoken.txt"), 0.91, 0.87),
        (include_str!("../../../data/pii/dev/tenth/written.txt"), 0.85, 0.95),
        (include_str!("../../../data/pii/dev/tenth/spoken.txt"), 0.85, 0.93),
    ];
    for (data, numbers, words) in sets {
        assert_floors(data, numbers, words);
    }
    let clean = lines(concat!(
        include_str!("../../../data/pii/dev/second/clean.txt"),
        include_str!("../../../data/pii/dev/third/clean.txt"),
        include_str!("../../../data/pii/dev/fourth/clean.txt"),
        include_str!("../../../data/pii/dev/fifth/clean.txt"),
        include_str!("../../../data/pii/dev/sixth/clean.txt"),
        include_str!("../../../data/pii/dev/seventh/clean.txt"),
        include_str!("../../../data/pii/dev/eighth/clean.txt"),
        include_str!("../../../data/pii/dev/ninth/clean.txt"),
        include_str!("../../../data/pii/dev/tenth/clean.txt")
    ));
    let alarms = false_alarms(&Guardian::new(), &clean);
    assert!(alarms.len() * 200 <= clean.len(), "{}", alarms.join("\n"));
}

#[test]
fn at_most_one_clean_text_in_a_hundred_raises_an_alarm() {
    let clean = lines(CLEAN);
    let alarms = false_alarms(&Guardian::new(), &clean);
    assert!(alarms.len() * 100 <= clean.len(), "{}", alarms.join("\n"));
}

#[test]
fn the_sets_are_large_enough_to_say_something() {
    assert!(lines(WRITTEN).len() + lines(SPOKEN).len() >= 400);
    assert!(lines(CLEAN).len() >= 500);
}

#[test]
fn a_mark_that_names_no_kind_is_not_read() {
    assert!(marked("x {phone|555-0143} y").is_some());
    assert!(marked("x {fone|555-0143} y").is_none() && marked("x {phone|555").is_none());
}
