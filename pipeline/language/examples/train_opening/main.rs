//! Trains what cuts an utterance that answers no question into what it tells, asks and wants, and writes
//! `data/opening/weights.bin`.
//!
//! ```text
//! cargo run --release -p language --example train_opening                     # all of data/opening/*.tsv
//! cargo run --release -p language --example train_opening -- --without a      # leaves out the files so named, and judges on them
//! cargo run --release -p language --example train_opening -- --judge FILE en  # the shipped weights on a set
//! ```
//! `--missed` prints what is got wrong. The recipe is that of `train_reply`, without what was asked.
#![allow(clippy::disallowed_methods, reason = "a tool for the desk: it reads files and the clock")]

#[path = "../parts/mod.rs"]
mod parts;

use std::error::Error;
use std::path::Path;

use language::opening::{Kind, Part, from_bytes, parts_by, to_bytes};
use language::stretch::Stretch;
use parts::Task;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/opening");
    let task = Task {
        folder: &folder,
        kinds: Kind::ALL.iter().map(|kind| format!("{kind:?}")).collect(),
        replies: false,
        joined: 2,
        from_bytes,
        to_bytes,
        parts: |field, said| {
            let stretch = |part: &Part| Stretch {
                kind: part.kind as usize,
                from: part.from,
                to: part.to,
                sure: part.sure,
            };
            parts_by(field, &said.text, said.language).iter().map(stretch).collect()
        },
    };
    task.run()
}
