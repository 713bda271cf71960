//! Trains what tells what a caller does to what is under way and writes `data/steer/weights.bin`.
//!
//! ```text
//! cargo run --release -p language --example train_steer                  # all of data/steer/*.tsv
//! cargo run --release -p language --example train_steer -- --judge FILE en
//! ```
//! `--missed` prints what is got wrong. The recipe: replies by several hands (`stage<TAB>class<TAB>words`); softmax regression by plain
//! descent.
#![allow(clippy::disallowed_methods, reason = "a tool for the desk: it reads files")]

#[path = "sorted/mod.rs"]
mod sorted;

use std::error::Error;

use language::moves::BUCKETS;
use language::steer::{Stage, Steer, best};
use sorted::{Ordinary, Task};

/// From so much on an answer is acted upon.
const SURE: f32 = 0.6;
const CLASSES: usize = Steer::ALL.len();

fn main() -> Result<(), Box<dyn Error>> {
    let decided = |classes: &[f32; CLASSES]| {
        let (found, sure) = best(classes);
        (Steer::ALL.iter().position(|own| *own == found).unwrap_or_default(), sure >= SURE)
    };
    let asked = Stage::ALL.map(Stage::name);
    let classes = Steer::ALL.map(Steer::name);
    let ordinary = Some(Ordinary {
        class: "on",
        // What answers a question for a value, and takes nothing back.
        of_reply: |asked, marked| {
            let steers =
                ["[ASK", "[OLD", "[DROP", "[PERSON", "[CALL"].iter().any(|part| marked.contains(part));
            let denies = asked != "hurt" && marked.contains("[NO");
            (!matches!(asked, "confirm" | "offer" | "fix") && !steers && !denies).then_some("slot")
        },
        of_move: |asked, does| match (asked, does) {
            ("slot", "yes" | "no" | "wait" | "again" | "skip") => Some("slot"),
            ("confirm", "yes" | "no" | "wait" | "again") => Some("confirm"),
            ("more", "yes" | "no" | "wait" | "again") => Some("answered"),
            ("else", "yes" | "no" | "wait" | "again" | "close") => Some("filed"),
            _ => None,
        },
    });
    Task::<'_, BUCKETS, CLASSES> { folder: "steer", asked: &asked, classes, ordinary, decided }.run()
}
