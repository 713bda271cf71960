//! Sentence vectors by the encoder that ships, kept between runs.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use knowledge::Retriever;
use language::intents::{Vector, WIDTH};

const FILE: &str = "vectors.cache";
/// Vectors made between two lines on the screen.
const BATCH: usize = 2000;

pub struct Vectors {
    retriever: Retriever,
    runtime: tokio::runtime::Runtime,
    known: HashMap<u64, Vector>,
    file: Option<PathBuf>,
}

impl Vectors {
    pub fn load(models: &Path, kept: Option<&Path>) -> Result<Self, Box<dyn Error>> {
        let environment = knowledge::runtime(models)?;
        let retriever = Retriever::load(&environment, models)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let file = kept.map(|folder| folder.join(FILE));
        let bytes = file.as_ref().and_then(|file| fs::read(file).ok()).unwrap_or_default();
        let mut known = HashMap::new();
        for entry in bytes.chunks_exact(8 + WIDTH * 4) {
            let (key, floats) = entry.split_at(8);
            let key = u64::from_le_bytes(key.try_into()?);
            let floats = floats.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four));
            known.insert(key, floats.collect());
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
            let made = self.runtime.block_on(embedder.all(some));
            if made.len() != some.len() {
                return Err("the encoder failed".into());
            }
            let mut out = Vec::new();
            for (text, vector) in some.iter().zip(made) {
                out.extend(key(text).to_le_bytes());
                out.extend(vector.iter().flat_map(|f| f.to_le_bytes()));
                self.known.insert(key(text), Arc::from(&*vector));
            }
            if let Some(file) = &self.file {
                use std::io::Write as _;
                fs::OpenOptions::new().create(true).append(true).open(file)?.write_all(&out)?;
            }
            println!("{} vectors", self.known.len());
        }
        Ok(())
    }

    pub fn of(&self, text: &str) -> Option<Vector> {
        self.known.get(&key(text)).cloned()
    }
}

fn key(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}
