//! Trains what tells the parts of a reply and writes `data/reply/weights.bin`.
//!
//! ```text
//! cargo run --release -p language --example train_reply                       # all of data/reply/*.tsv
//! cargo run --release -p language --example train_reply -- --without hand     # leaves out the files so named, and judges on them
//! cargo run --release -p language --example train_reply -- --judge FILE en    # the shipped weights on a set
//!     --seen WORDS     # with what train_net.py wrote beside WORDS of what the encoder makes of its words
//! cargo run --release -p language --example train_reply -- --words FILE [FOLDER]   # what data/reply/train_net.py learns from
//! ```
//! `--missed` prints what is got wrong. The recipe: replies of several hands that mark the parts (`asked<TAB>words with [KIND
//! parts]`), each also as recognizers write, without signs and capitals; a linear-chain conditional random field, by gradient.
#![allow(clippy::disallowed_methods, reason = "a tool for the desk: it reads files and the clock")]

#[path = "../parts/mod.rs"]
mod parts;
mod seen;
mod words;

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::sync::OnceLock;

use language::reply::{Asked, Kind, from_bytes, parts_by, to_bytes};
use language::states::States;
use language::stretch::Stretch;
use parts::Task;

/// What the encoder makes of the words of a set.
static SEEN: OnceLock<HashMap<String, States>> = OnceLock::new();

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/reply");
    let kinds: Vec<String> = Kind::ALL.iter().map(|kind| format!("{kind:?}")).collect();
    let mut arguments = std::env::args().skip_while(|word| word != "--words").skip(1);
    if let Some(out) = arguments.next() {
        let folder = arguments.next().map_or(folder, Into::into);
        return words::write(&folder, Path::new(&out), &kinds);
    }
    let mut arguments = std::env::args().skip_while(|word| word != "--seen").skip(1);
    if let Some(words) = arguments.next() {
        SEEN.set(seen::read(Path::new(&words))?).map_err(|_| "read twice")?;
    }
    let task = Task {
        folder: &folder,
        kinds,
        replies: true,
        joined: 0,
        from_bytes,
        to_bytes,
        parts: |field, said| {
            let states = SEEN.get().and_then(|seen| seen.get(&said.text));
            let found = parts_by(field, &said.text, said.asked.unwrap_or(Asked::What), said.language, states);
            let stretch = |part: &language::reply::Part| Stretch {
                kind: part.kind as usize,
                from: part.from,
                to: part.to,
                sure: part.sure,
            };
            found.iter().map(stretch).collect()
        },
    };
    task.run()
}
