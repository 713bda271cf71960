//! Trains what tells what a caller does with a question and writes `data/moves/weights.bin`.
//!
//! ```text
//! cargo run --release -p language --example train_moves                  # all of data/moves/*.tsv
//! cargo run --release -p language --example train_moves -- --without b   # leaves out the files so named, and judges on them
//! cargo run --release -p language --example train_moves -- --judge FILE en
//! ```
//! `--missed` prints what is got wrong. The recipe: replies by several hands (`asked<TAB>move<TAB>words`); softmax regression by plain
//! descent.
#![allow(clippy::disallowed_methods, reason = "a tool for the desk: it reads files")]

#[path = "sorted/mod.rs"]
mod sorted;

use std::error::Error;

use language::moves::{BUCKETS, Move, best};
use sorted::Task;

/// From so much on a move is acted upon.
const SURE: f32 = 0.8;
const CLASSES: usize = Move::ALL.len();

fn main() -> Result<(), Box<dyn Error>> {
    let decided = |classes: &[f32; CLASSES]| {
        let (found, sure) = best(classes);
        (Move::ALL.iter().position(|own| *own == found).unwrap_or_default(), sure >= SURE)
    };
    Task::<BUCKETS, CLASSES> {
        folder: "moves",
        asked: &["else", "more", "pen", "offer", "slot", "confirm"],
        classes: Move::ALL.map(Move::name),
        ordinary: None,
        decided,
    }
    .run()
}
