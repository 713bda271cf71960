//! Floors on labelled answers over made-up county pages. The bench prints the tables.

use super::super::{Evidence, Severity, facts_of, terms_of};

const TUNING: &str = include_str!("../../../data/judge/dev/tuning.txt");
const HELD_OUT: &str = include_str!("../../../data/judge/dev/held_out.txt");

/// Right answers let pass and wrong answers found, of so many; and what was judged wrongly.
fn rates(set: &str) -> ((usize, usize), (usize, usize), Vec<String>) {
    let (mut right, mut wrong, mut missed) = ((0, 0), (0, 0), Vec::new());
    let (mut passage, mut question) = (Evidence::default(), Vec::new());
    for line in
        set.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#') && !l.starts_with('['))
    {
        let (mark, text) = line.split_at(1);
        let errors = || {
            facts_of(text, &passage, &question).into_iter().filter(|i| i.severity == Severity::Error).count()
        };
        match mark {
            "?" => question = terms_of(text),
            "+" | "-" => {
                let found = errors() > 0;
                let count = if mark == "+" { &mut right } else { &mut wrong };
                count.1 += 1;
                if found == (mark == "-") {
                    count.0 += 1;
                } else {
                    missed.push(format!("{line} {:?}", facts_of(text, &passage, &question)));
                }
            }
            _ => passage = Evidence::of([line], []),
        }
    }
    (right, wrong, missed)
}

fn holds(set: &str, passed: f64, found: f64) {
    let (right, wrong, missed) = rates(set);
    let share = |(n, of): (usize, usize)| n as f64 / of as f64;
    assert!(share(right) >= passed && share(wrong) >= found, "{right:?} {wrong:?}\n{}", missed.join("\n"));
}

#[test]
fn there_are_answers_enough_to_say_something() {
    let (right, wrong, _) = rates(&format!("{TUNING}\n{HELD_OUT}"));
    assert!(right.1 >= 80 && wrong.1 >= 90, "{right:?} {wrong:?}");
    let (right, wrong, _) = rates(HELD_OUT);
    assert!(right.1 >= 30 && wrong.1 >= 30, "{right:?} {wrong:?}");
}

#[test]
fn right_answers_pass_and_wrong_ones_are_found() {
    holds(TUNING, 0.95, 0.9);
}

#[test]
fn the_same_holds_for_answers_that_nobody_tuned_on() {
    holds(HELD_OUT, 0.9, 0.85);
}
