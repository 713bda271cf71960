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
use sorted::Task;

/// From so much on an answer is acted upon.
const SURE: f32 = 0.6;
const CLASSES: usize = Steer::ALL.len();

fn main() -> Result<(), Box<dyn Error>> {
    let decided = |classes: &[f32; CLASSES]| {
        let (found, sure) = best(classes);
        (Steer::ALL.iter().position(|own| *own == found).unwrap_or_default(), sure >= SURE)
    };
    let asked = &Stage::ALL.map(Stage::name);
    let classes = Steer::ALL.map(Steer::name);
    Task::<BUCKETS, CLASSES> { folder: "steer", asked, classes, ordinary: None, decided }.run()
}
