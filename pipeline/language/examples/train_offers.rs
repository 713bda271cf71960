//! Trains what tells what a caller makes of an offer and writes `data/offers/weights.bin`.
//!
//! ```text
//! cargo run --release -p language --example train_offers                  # all of data/offers/*.tsv
//! cargo run --release -p language --example train_offers -- --judge FILE en
//! ```
//! `--missed` prints what is got wrong. The recipe: replies by several hands (`offered<TAB>class<TAB>words`); softmax regression by plain
//! descent.
#![allow(clippy::disallowed_methods, reason = "a tool for the desk: it reads files")]

#[path = "sorted/mod.rs"]
mod sorted;

use std::error::Error;

use language::moves::BUCKETS;
use language::offers::{Taken, best};
use sorted::Task;

/// From so much on an answer is acted upon.
const SURE: f32 = 0.6;
const CLASSES: usize = Taken::ALL.len();

fn main() -> Result<(), Box<dyn Error>> {
    let decided = |classes: &[f32; CLASSES]| {
        let (found, sure) = best(classes);
        (Taken::ALL.iter().position(|own| *own == found).unwrap_or_default(), sure >= SURE)
    };
    let asked = &["either", "person", "message", "report"];
    let classes = Taken::ALL.map(Taken::name);
    Task::<BUCKETS, CLASSES> { folder: "offers", asked, classes, ordinary: None, decided }.run()
}
