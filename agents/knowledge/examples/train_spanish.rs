//! Trains the Spanish encoder and writes `data/spanish/weights.bin`.
//!
//! ```text
//! SPANISH_PAIRS=folder cargo run --release -p knowledge --example train_spanish
//! SPANISH_PAIRS=folder cargo run --release -p knowledge --example train_spanish -- --judge FILE   # the shipped weights on pairs
//! ```
//! The folder holds `*.tsv` files of pairs: how much the pair counts, the Spanish, the English. Where the pairs come from:
//! `data/spanish/README.md`. The English is embedded by the encoder that ships (`models/`), which takes minutes the first time
//! (`vectors.cache` in the same folder). Then each feature of the Spanish learns what to add, so that a sentence lands on its
//! English and not on the English of the sentences beside it.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use knowledge::spanish::{INNER, Model, OUTER, ROWS, features};
use knowledge::{Embedder, cosine};

const ROUNDS: usize = 14;
const BATCH: usize = 96;
const RATE: f32 = 0.06;
/// The share of features that a sentence is read without, others each time.
const DROPPED: f32 = 0.3;
/// How sharply a sentence must prefer its own English.
const SHARPNESS: f32 = 14.0;
/// Beside that, how much plain nearness counts.
const NEARNESS: f32 = 2.0;
/// One pair of so many is kept aside for the report.
const ASIDE: u64 = 60;
/// Passes of the iteration that finds the directions in which English sentences differ most.
const PASSES: usize = 24;

struct Pair {
    weight: f32,
    spanish: String,
    english: String,
}

type Inner = [f32; INNER];

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(
        std::env::var("SPANISH_PAIRS").map_err(|_| "set SPANISH_PAIRS to the folder of pairs")?,
    );
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, file] = words.as_slice()
        && flag == "--judge"
    {
        let pairs = pairs(Path::new(file))?;
        let vectors = embedded(&folder, pairs.iter()).await?;
        report(&Model::from_bytes(&fs::read(weights())?), &pairs, &vectors);
        return Ok(());
    }
    let (held, pairs): (Vec<Pair>, Vec<Pair>) =
        read(&folder)?.into_iter().partition(|pair| number(&pair.english).is_multiple_of(ASIDE));
    println!("{} pairs, {} kept aside", pairs.len(), held.len());
    let vectors = embedded(&folder, pairs.iter().chain(&held)).await?;
    let directions = directions(&vectors, &pairs);
    let target = |pair: &Pair| inner(&directions, &vectors[&pair.english]);
    let rows = fit(&pairs, &pairs.iter().map(target).collect::<Vec<_>>());
    let model = Model::of(&rows, directions);
    report(&model, &held, &vectors);
    fs::write(weights(), model.to_bytes())?;
    Ok(())
}

fn weights() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/spanish/weights.bin")
}

fn read(folder: &Path) -> Result<Vec<Pair>, Box<dyn Error>> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "tsv"));
    files.sort();
    let mut out = Vec::new();
    for file in files {
        out.extend(pairs(&file)?);
    }
    Ok(out)
}

fn pairs(file: &Path) -> Result<Vec<Pair>, Box<dyn Error>> {
    let text = fs::read_to_string(file)?;
    let pair = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [weight, spanish, english] = fields.as_slice() else {
            return Err(format!("not three fields: {line}").into());
        };
        Ok(Pair { weight: weight.parse()?, spanish: (*spanish).to_owned(), english: (*english).to_owned() })
    };
    text.lines().map(pair).collect()
}

fn number(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Vectors of the English, from the cache where they are in it.
async fn embedded<'p>(
    folder: &Path,
    pairs: impl Iterator<Item = &'p Pair>,
) -> Result<HashMap<String, Vec<f32>>, Box<dyn Error>> {
    let path = folder.join("vectors.cache");
    let record = 8 + OUTER * 4;
    let mut cache: HashMap<u64, Vec<f32>> = HashMap::new();
    for bytes in fs::read(&path).unwrap_or_default().chunks_exact(record) {
        let (key, values) = bytes.split_at(8);
        let values = values.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
        cache.insert(u64::from_le_bytes(key.try_into()?), values);
    }
    let mut texts: Vec<String> = pairs.map(|pair| pair.english.clone()).collect();
    texts.sort();
    texts.dedup();
    let missing: Vec<String> =
        texts.iter().filter(|text| !cache.contains_key(&number(text))).cloned().collect();
    if !missing.is_empty() {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
        let embedder = Embedder::load(&knowledge::runtime(&models)?, &models)?;
        for (n, some) in missing.chunks(2000).enumerate() {
            eprintln!("embedding {} of {}", n * 2000, missing.len());
            for (text, vector) in some.iter().zip(embedder.all(some).await) {
                cache.insert(number(text), vector.to_vec());
            }
        }
        let bytes = cache.iter().flat_map(|(key, values)| {
            key.to_le_bytes().into_iter().chain(values.iter().flat_map(|value| value.to_le_bytes()))
        });
        fs::write(&path, bytes.collect::<Vec<u8>>())?;
    }
    texts
        .into_iter()
        .map(|text| {
            let vector = cache.get(&number(&text)).cloned().ok_or("a text without a vector")?;
            Ok((text, vector))
        })
        .collect()
}

/// The [`INNER`] directions in which the English vectors lie most, each of unit length and square to the others.
fn directions(vectors: &HashMap<String, Vec<f32>>, pairs: &[Pair]) -> Vec<f32> {
    let mut moment = vec![0.0_f32; OUTER * OUTER];
    for pair in pairs.iter().step_by(2) {
        let vector = &vectors[&pair.english];
        for (row, a) in moment.chunks_mut(OUTER).zip(vector) {
            row.iter_mut().zip(vector).for_each(|(sum, b)| *sum += a * b);
        }
    }
    let mut rng = Rng(7);
    let mut found: Vec<f32> = (0..INNER * OUTER).map(|_| rng.unit() - 0.5).collect();
    for _ in 0..PASSES {
        let mut next: Vec<f32> = found
            .chunks(OUTER)
            .flat_map(|direction| moment.chunks(OUTER).map(|row| cosine(row, direction)).collect::<Vec<_>>())
            .collect();
        for n in 0..INNER {
            let (before, rest) = next.split_at_mut(n * OUTER);
            let own = &mut rest[..OUTER];
            for other in before.chunks(OUTER) {
                let along = cosine(own, other);
                own.iter_mut().zip(other).for_each(|(value, part)| *value -= along * part);
            }
            let length = cosine(own, own).sqrt().max(1e-9);
            own.iter_mut().for_each(|value| *value /= length);
        }
        found = next;
    }
    found
}

fn inner(directions: &[f32], vector: &[f32]) -> Inner {
    let mut out = [0.0; INNER];
    out.iter_mut()
        .zip(directions.chunks(OUTER))
        .for_each(|(value, direction)| *value = cosine(direction, vector));
    unit(&mut out);
    out
}

/// Scales to unit length; gives the length before.
fn unit(values: &mut Inner) -> f32 {
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt().max(1e-6);
    values.iter_mut().for_each(|value| *value /= length);
    length
}

fn fit(pairs: &[Pair], targets: &[Inner]) -> Vec<f32> {
    let mut rng = Rng(20_261_127);
    let mut rows: Vec<f32> = (0..ROWS * INNER).map(|_| (rng.unit() - 0.5) * 0.02).collect();
    let mut squares = vec![1e-4_f32; ROWS * INNER];
    let read: Vec<Vec<usize>> = pairs
        .iter()
        .map(|pair| {
            let mut own = Vec::new();
            features(&pair.spanish, |row| own.push(row));
            own
        })
        .collect();
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    for round in 0..ROUNDS {
        rng.shuffle(&mut order);
        let rate = RATE * (1.0 - round as f32 / ROUNDS as f32).max(0.05);
        let mut loss = 0.0;
        for batch in order.chunks(BATCH) {
            let kept: Vec<Vec<usize>> = batch
                .iter()
                .map(|n| read[*n].iter().copied().filter(|_| rng.unit() >= DROPPED).collect())
                .collect();
            let mut said: Vec<(Inner, f32)> = Vec::with_capacity(batch.len());
            for own in &kept {
                let mut sum = [0.0; INNER];
                for row in own {
                    sum.iter_mut().zip(&rows[row * INNER..]).for_each(|(sum, weight)| *sum += weight);
                }
                let length = unit(&mut sum);
                said.push((sum, length));
            }
            for (at, n) in batch.iter().enumerate() {
                let (own, length) = &said[at];
                let mut odds: Vec<f32> =
                    batch.iter().map(|other| SHARPNESS * cosine(own, &targets[*other])).collect();
                let most = odds.iter().copied().fold(f32::MIN, f32::max);
                odds.iter_mut().for_each(|odd| *odd = (*odd - most).exp());
                let all: f32 = odds.iter().sum();
                loss -= (odds[at] / all).max(1e-9).ln();
                // Away from what others mean, toward what it means.
                let mut pull = [0.0; INNER];
                for (other, odd) in batch.iter().zip(&odds) {
                    let share = SHARPNESS * odd / all;
                    pull.iter_mut().zip(&targets[*other]).for_each(|(pull, value)| *pull += share * value);
                }
                let toward = SHARPNESS + NEARNESS;
                pull.iter_mut().zip(&targets[*n]).for_each(|(pull, value)| *pull -= toward * value);
                // Through the scaling to unit length.
                let along = cosine(&pull, own);
                let scale = pairs[*n].weight / length;
                pull.iter_mut().zip(own).for_each(|(pull, value)| *pull = (*pull - along * value) * scale);
                for row in &kept[at] {
                    let span = row * INNER..(row + 1) * INNER;
                    let weights = rows[span.clone()].iter_mut().zip(&mut squares[span]);
                    for ((weight, square), slope) in weights.zip(&pull) {
                        *square += slope * slope;
                        *weight -= rate * slope / square.sqrt();
                    }
                }
            }
        }
        println!("round {}: {:.3}", round + 1, loss / pairs.len() as f32);
    }
    rows
}

/// How near held pairs are, and how often the right English is nearest of all that are held.
fn report(model: &Model, held: &[Pair], vectors: &HashMap<String, Vec<f32>>) {
    let (mut near, mut first, mut third, mut count) = (0.0, 0, 0, 0);
    for pair in held {
        let Some(own) = model.vector(&pair.spanish) else { continue };
        let right = cosine(&own, &vectors[&pair.english]);
        let better =
            held.iter().filter(|other| cosine(&own, &vectors[&other.english]) > right + 1e-6).count();
        near += right;
        first += usize::from(better == 0);
        third += usize::from(better < 3);
        count += 1;
    }
    println!(
        "{count} held: likeness {:.3}, nearest {first}, among three {third}",
        near / count.max(1) as f32
    );
}

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 24) as f32
    }

    fn shuffle(&mut self, order: &mut [usize]) {
        for n in (1..order.len()).rev() {
            order.swap(n, (self.next() % (n as u64 + 1)) as usize);
        }
    }
}
