//! What the encoder that ships makes of sentences, kept between runs.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use governance::meaning::WIDTH;
use knowledge::{Retriever, Seen};

/// Sentences between two lines on the screen.
const BATCH: usize = 4000;

pub struct Vectors {
    retriever: Retriever,
    runtime: tokio::runtime::Runtime,
    known: HashMap<u64, Seen>,
    file: PathBuf,
}

impl Vectors {
    pub fn load(models: &Path, file: PathBuf) -> Result<Self, Box<dyn Error>> {
        let environment = knowledge::runtime(models)?;
        let retriever = Retriever::load(&environment, models)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let bytes = fs::read(&file).unwrap_or_default();
        let mut known = HashMap::new();
        let mut rest = bytes.as_slice();
        // A key, how many numbers, the vector, the tokens.
        while let Some((head, more)) = rest.split_at_checked(16) {
            let number = |at: usize| head[at..at + 8].try_into().map(u64::from_le_bytes);
            let (key, size) = (number(0)?, usize::try_from(number(8)?)?);
            let Some((numbers, more)) = more.split_at_checked(size * 4) else { break };
            let floats: Vec<f32> =
                numbers.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
            let (vector, tokens) = floats.split_at(WIDTH.min(size));
            known.insert(key, Seen { vector: vector.into(), tokens: tokens.into(), pieces: Vec::new() });
            rest = more;
        }
        Ok(Self { retriever, runtime, known, file })
    }

    /// Makes what is not known yet.
    pub fn make<'a>(&mut self, texts: impl Iterator<Item = &'a str>) -> Result<(), Box<dyn Error>> {
        let mut new: Vec<String> =
            texts.filter(|text| !self.known.contains_key(&key(text))).map(str::to_owned).collect();
        new.sort_unstable();
        new.dedup();
        let embedder = self.retriever.embedder().ok_or("no encoder")?.clone();
        for some in new.chunks(BATCH) {
            let made = self.runtime.block_on(embedder.see_all(some));
            if made.len() != some.len() {
                return Err("the encoder failed".into());
            }
            let mut out = Vec::new();
            for (text, seen) in some.iter().zip(made) {
                out.extend(key(text).to_le_bytes());
                out.extend(((seen.vector.len() + seen.tokens.len()) as u64).to_le_bytes());
                out.extend(seen.vector.iter().chain(seen.tokens.iter()).flat_map(|f| f.to_le_bytes()));
                self.known.insert(key(text), seen);
            }
            fs::OpenOptions::new().create(true).append(true).open(&self.file)?.write_all(&out)?;
            println!("{} sentences seen", self.known.len());
        }
        Ok(())
    }

    pub fn of(&self, text: &str) -> Option<Seen> {
        self.known.get(&key(text)).cloned()
    }
}

fn key(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}
