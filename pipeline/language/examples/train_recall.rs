//! Trains what tells whether a caller asks what we took down and writes `data/recall/weights.bin`.
//!
//! ```text
//! cargo run --release -p language --example train_recall                  # all of data/recall/*.tsv
//! cargo run --release -p language --example train_recall -- --judge FILE en
//! ```
//! `--missed` prints what is got wrong. The recipe: questions and near misses by several hands (`asked<TAB>class<TAB>words`); softmax
//! regression by plain descent.
#![allow(clippy::disallowed_methods, reason = "a tool for the desk: it reads files")]

#[path = "sorted/mod.rs"]
mod sorted;

use std::error::Error;

use language::moves::BUCKETS;
use language::recall::{Recall, likely};
use sorted::{Ordinary, Task};

const CLASSES: usize = Recall::ALL.len();

fn main() -> Result<(), Box<dyn Error>> {
    let decided = |classes: &[f32; CLASSES]| {
        let found = likely(classes).unwrap_or(Recall::Says);
        (Recall::ALL.iter().position(|own| *own == found).unwrap_or_default(), true)
    };
    Task::<BUCKETS, CLASSES> {
        folder: "recall",
        asked: &["slot", "confirm", "else"],
        classes: Recall::ALL.map(Recall::name),
        ordinary: Some(Ordinary {
            class: "says",
            of_reply: |asked, marked| {
                let asks = match asked {
                    "confirm" => "confirm",
                    "offer" => "else",
                    _ => "slot",
                };
                (!marked.contains("[ASK") && !marked.contains('?')).then_some(asks)
            },
            // Who wants all of a read-back again asks for it.
            of_move: |asked, does| match (asked, does) {
                ("confirm", "again") => None,
                ("confirm", _) => Some("confirm"),
                ("slot", _) => Some("slot"),
                _ => Some("else"),
            },
        }),
        decided,
    }
    .run()
}
