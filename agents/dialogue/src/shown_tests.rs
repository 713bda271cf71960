//! No `Debug` of what holds a caller's words shows one of them.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use crate::builtin::state::{Filled, State, Task};
use crate::builtin::step::{ClaimRecord, Lookup, Say, Search};
use governance::pii::Redactor;
use knowledge::Query;
use pipeline::ports::{Language, Screen};
use pipeline::turn::SegmentKind;

/// Stands for whatever a caller may say.
const WORDS: &str = "Ada Quist 2025550143";

fn said() -> String {
    WORDS.to_owned()
}

#[track_caller]
fn hides(value: impl std::fmt::Debug) {
    let shown = format!("{value:?} {value:#?}");
    for part in WORDS.split(' ') {
        assert!(!shown.contains(part), "{shown}");
    }
}

#[test]
fn what_is_looked_up_shows_no_words() {
    hides(Lookup::Claim { number: said() });
    hides(Search { text: said(), within: None });
    hides(Query::new(WORDS));
    hides(ClaimRecord {
        status: "approved".to_owned(),
        status_text: said(),
        holder_name: said(),
        date_of_birth: said(),
        phone: said(),
        pin: None,
    });
}

#[test]
fn what_is_remembered_of_a_call_shows_no_words() {
    let filled = Filled::new(WORDS, WORDS);
    let mut task = Task::new("report");
    task.digits = said();
    task.fill("name", filled.clone());
    let say = Say {
        text: said(),
        ours: None,
        kind: SegmentKind::Reply,
        fixed: false,
        promises: false,
        language: Language::En,
    };
    hides(State {
        tasks: vec![task],
        last: vec![say],
        known: BTreeMap::from([("name".to_owned(), filled)]),
        references: vec![said()],
        ..State::default()
    });
    let mut redactor = Redactor::default();
    redactor.screen(WORDS);
    hides(redactor);
}
