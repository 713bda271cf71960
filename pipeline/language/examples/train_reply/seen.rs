//! What the sentence encoder makes of a set's words, as `data/reply/train_net.py` wrote it.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use language::intents::WIDTH;
use language::states::States;

/// By the text. `words`: the file of words; beside it, with another ending, the numbers of each word.
pub fn read(words: &Path) -> Result<HashMap<String, States>, Box<dyn Error>> {
    let bytes = fs::read(words.with_extension("states"))?;
    let mut numbers = bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four));
    let mut out = HashMap::new();
    for line in fs::read_to_string(words)?.lines() {
        let (columns, text) = line.rsplit_once("\t=").ok_or("a file of words, with their text")?;
        let mut spans = Vec::new();
        for word in columns.split('\t').skip(1) {
            let mut ends = word.rsplit(' ').map(str::parse::<usize>);
            let (end, start) = (ends.next().ok_or("an end")??, ends.next().ok_or("a start")??);
            spans.push((start, end));
        }
        let own: Vec<f32> = numbers.by_ref().take(spans.len() * WIDTH).collect();
        out.insert(
            text.to_owned(),
            States::new(text.to_owned(), spans, own.into()).ok_or("too few numbers")?,
        );
    }
    Ok(out)
}
