//! Makes the guard's `data/guard/words.txt`: every whole word of the sentence model's vocabulary is embedded alone, and
//! the vectors are grouped by spherical k-means, finely and coarsely.
//!
//! `cargo run --release -p governance --example guard_words -- models words.txt`, then put the comment line of the old
//! file on top. Needed only when the list is to change; it takes about a minute.
#![allow(clippy::unwrap_used, reason = "a tool for developers: a missing file may end it")]

use std::io::Write;

use ort::session::{Session, SessionInputValue};
use ort::value::Tensor;

/// Words, the commonest first.
const WORDS: usize = 20_000;
/// Groups of like meaning, and wide fields of such groups.
const GROUPS: usize = 400;
const FIELDS: usize = 56;
/// Words in one run of the model.
const BATCH: usize = 128;

type Vector = Vec<f32>;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (models, out) = (arguments.next().unwrap(), arguments.next().unwrap());
    let words = vocabulary(&models);
    let vectors = centred(vectors(&models, &words));
    // The vocabulary is ordered by frequency: seeds come from the frequent half.
    let seeds = (0..GROUPS).map(|c| vectors[c * (vectors.len() / GROUPS) / 2].clone()).collect();
    let (group_of, centres) = groups(&vectors, seeds, 14);
    let (field_of, _) =
        groups(&centres, (0..FIELDS).map(|c| centres[c * GROUPS / FIELDS].clone()).collect(), 30);
    let mut file = std::fs::File::create(out).unwrap();
    for (group, field) in field_of.iter().enumerate() {
        let members = words.iter().zip(&group_of).filter(|(_, g)| **g == group);
        let line: Vec<&str> = members.map(|((_, word), _)| word.as_str()).collect();
        if !line.is_empty() {
            writeln!(file, "{field} {}", line.join(" ")).unwrap();
        }
    }
}

fn vocabulary(models: &str) -> Vec<(u32, String)> {
    let tokenizer = tokenizers::Tokenizer::from_file(format!("{models}/minilm-tokenizer.json")).unwrap();
    let whole = |word: &str| word.len() >= 2 && word.bytes().all(|b| b.is_ascii_lowercase());
    let mut words: Vec<(u32, String)> =
        tokenizer.get_vocab(false).into_iter().filter(|(w, _)| whole(w)).map(|(w, id)| (id, w)).collect();
    words.sort();
    words.truncate(WORDS);
    words
}

fn vectors(models: &str, words: &[(u32, String)]) -> Vec<Vector> {
    let environment = ort::init_from(format!("{models}/libonnxruntime.so")).unwrap().build().unwrap();
    let builder = Session::builder(&environment).unwrap().with_intra_threads(1).unwrap();
    let mut session = { builder }.commit_from_file(format!("{models}/minilm.onnx")).unwrap();
    let names: Vec<String> = session.inputs().iter().map(|i| i.name().to_owned()).collect();
    let mut out = Vec::with_capacity(words.len());
    for batch in words.chunks(BATCH) {
        // Each word stands alone between the model's marks of beginning and end.
        let ids: Vec<i64> = batch.iter().flat_map(|(id, _)| [101, i64::from(*id), 102]).collect();
        let mut inputs: Vec<(String, SessionInputValue<'_>)> = Vec::new();
        for name in &names {
            let values = match name.as_str() {
                "input_ids" => ids.clone(),
                "attention_mask" => vec![1; ids.len()],
                _ => vec![0; ids.len()],
            };
            inputs.push((name.clone(), Tensor::from_array(([batch.len(), 3], values)).unwrap().into()));
        }
        let outputs = session.run(inputs).unwrap();
        let (shape, states) = outputs[0].try_extract_tensor::<f32>().unwrap();
        let width = usize::try_from(shape[2]).unwrap();
        out.extend(states.chunks(3 * width).map(|word| summed(word.chunks(width), width)));
    }
    out
}

fn summed<'a>(vectors: impl Iterator<Item = &'a [f32]>, width: usize) -> Vector {
    let mut sum = vec![0.0; width];
    for vector in vectors {
        sum.iter_mut().zip(vector).for_each(|(s, v)| *s += v);
    }
    sum
}

/// Less the mean, which says nothing about a word, and at unit length.
fn centred(mut vectors: Vec<Vector>) -> Vec<Vector> {
    let count = vectors.len() as f32;
    let sum = summed(vectors.iter().map(Vec::as_slice), vectors[0].len());
    for vector in &mut vectors {
        vector.iter_mut().zip(&sum).for_each(|(v, s)| *v -= s / count);
        unit(vector);
    }
    vectors
}

fn unit(vector: &mut Vector) {
    let length = vector.iter().map(|v| v * v).sum::<f32>().sqrt().max(1e-6);
    vector.iter_mut().for_each(|v| *v /= length);
}

/// Spherical k-means: the group of each vector, and the groups' centres.
fn groups(vectors: &[Vector], mut centres: Vec<Vector>, rounds: usize) -> (Vec<usize>, Vec<Vector>) {
    let mut of = vec![0; vectors.len()];
    for _ in 0..rounds {
        for (group, vector) in of.iter_mut().zip(vectors) {
            let near = |c: &Vector| c.iter().zip(vector).map(|(a, b)| a * b).sum::<f32>();
            let best = centres.iter().map(near).enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
            *group = best.map_or(0, |(number, _)| number);
        }
        for (number, centre) in centres.iter_mut().enumerate() {
            let members = of.iter().zip(vectors).filter(|(g, _)| **g == number).map(|(_, v)| v.as_slice());
            *centre = summed(members, vectors[0].len());
            unit(centre);
        }
    }
    (of, centres)
}
