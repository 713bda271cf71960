//! Softmax regression by stochastic gradient descent, steps of their own for each weight; routes and acts apart.

use language::intents::marks::{self, BITS, damping};
use language::intents::{Act, Head, Parts, Projection, Vector, WIDTH};

use crate::data::Line;
use crate::grammar::Dice;
use crate::vectors::Vectors;

const EPOCHS: usize = 12;
const SPARSE_RATE: f32 = 0.25;
const DENSE_RATE: f32 = 0.06;
const DECAY: f32 = 2e-5;
/// Percent of marks that a look leaves out, so that no single one is relied on.
const DROPOUT: usize = 45;
/// Percent of looks without a vector: one may be late. And without words: recognisers mishear them.
const BLIND: usize = 25;
const DEAF: usize = 15;
/// A mark of fewer sentences is chance.
const RAREST: u16 = 3;
/// Found with `--folds`: the mean of what was sharpest on frames that were left out.
const SHARPNESS: [f32; 2] = [1.0, 1.0];

struct Example {
    marks: Vec<u32>,
    words: usize,
    vector: Option<Vector>,
    route: Option<usize>,
    act: Option<usize>,
    weight: f32,
}

pub fn fit(lines: &[Line], vectors: &Vectors, projection: Projection, seed: u64) -> Parts {
    let mut dice = Dice::new(seed);
    let mut routes: Vec<String> = lines.iter().filter_map(|line| line.route.clone()).collect();
    routes.sort();
    routes.dedup();
    let examples: Vec<Example> =
        lines.iter().map(|line| example(line, &routes, vectors, &mut dice)).collect();
    let outputs = routes.len() + Act::ALL.len();
    let common = common(&examples);
    let mut sparse = vec![0f32; (1 << BITS) * outputs];
    let mut dense = vec![0f32; WIDTH * outputs];
    let mut bias = vec![0f32; 2 * outputs];
    let mut squares = [vec![1e-2f32; sparse.len()], vec![1e-2f32; dense.len()], vec![1e-1f32; bias.len()]];
    let mut order: Vec<usize> = (0..examples.len()).collect();
    for epoch in 0..EPOCHS {
        dice.shuffle(&mut order);
        let slow = 1.0 / (1.0 + epoch as f32 * 0.4);
        let mut loss = 0.0;
        for number in &order {
            let example = &examples[*number];
            let vector = example.vector.as_ref().filter(|_| !dice.chance(BLIND));
            let deaf = vector.is_some() && dice.chance(DEAF);
            let kept: Vec<usize> = example
                .marks
                .iter()
                .map(|mark| *mark as usize)
                .filter(|mark| common[*mark] && !deaf && !dice.chance(DROPOUT))
                .collect();
            let value = damping(example.words) / (1.0 - DROPOUT as f32 / 100.0);
            let from = if vector.is_some() { 0 } else { outputs };
            let mut odds = bias[from..from + outputs].to_vec();
            for mark in &kept {
                let row = &sparse[mark * outputs..][..outputs];
                odds.iter_mut().zip(row).for_each(|(o, w)| *o += w * value);
            }
            for (v, row) in vector.iter().flat_map(|v| v.iter()).zip(dense.chunks(outputs)) {
                odds.iter_mut().zip(row).for_each(|(o, w)| *o += w * v);
            }
            let mut error = vec![0f32; outputs];
            let split = routes.len();
            if let Some(route) = example.route {
                loss += gradient(&odds[..split], route, example.weight, &mut error[..split]);
            }
            if let Some(act) = example.act {
                loss += gradient(&odds[split..], act, example.weight, &mut error[split..]);
            }
            for mark in &kept {
                let at = mark * outputs;
                step(
                    &mut sparse[at..at + outputs],
                    &mut squares[0][at..at + outputs],
                    &error,
                    value,
                    SPARSE_RATE * slow,
                );
            }
            for (n, v) in vector.iter().flat_map(|v| v.iter()).enumerate() {
                let at = n * outputs;
                step(
                    &mut dense[at..at + outputs],
                    &mut squares[1][at..at + outputs],
                    &error,
                    *v,
                    DENSE_RATE * slow,
                );
            }
            step(
                &mut bias[from..from + outputs],
                &mut squares[2][from..from + outputs],
                &error,
                1.0,
                DENSE_RATE * slow,
            );
        }
        println!("epoch {epoch}: loss {:.4}", loss / examples.len() as f32);
    }
    if examples.iter().all(|example| example.vector.is_none()) {
        // Trained without the encoder: with a vector it decides as without.
        let alone = bias[outputs..].to_vec();
        bias[..outputs].copy_from_slice(&alone);
    }
    Parts { routes, sparse, dense, bias, sharpness: SHARPNESS, projection }
}

/// Adds what the wanted output is off by; gives the loss.
fn gradient(odds: &[f32], wanted: usize, weight: f32, error: &mut [f32]) -> f32 {
    let most = odds.iter().copied().fold(f32::MIN, f32::max);
    let sum: f32 = odds.iter().map(|o| (o - most).exp()).sum();
    for (n, (e, o)) in error.iter_mut().zip(odds).enumerate() {
        let p = (o - most).exp() / sum;
        *e = (p - if n == wanted { 1.0 } else { 0.0 }) * weight;
    }
    -((odds[wanted] - most).exp() / sum).max(1e-9).ln() * weight
}

fn step(weights: &mut [f32], squares: &mut [f32], error: &[f32], value: f32, rate: f32) {
    for ((weight, square), error) in weights.iter_mut().zip(squares).zip(error) {
        let gradient = error * value + DECAY * *weight;
        *square += gradient * gradient;
        *weight -= rate * gradient / square.sqrt();
    }
}

fn example(line: &Line, routes: &[String], vectors: &Vectors, dice: &mut Dice) -> Example {
    let mut marks = Vec::new();
    let asked = line.asked.unwrap_or_else(|| dice.chance(50));
    let words = marks::each(&line.text, line.language, asked, |mark| marks.push(mark));
    Example {
        marks,
        words,
        vector: vectors.of(&line.text),
        route: line.route.as_ref().and_then(|route| routes.iter().position(|own| own == route)),
        act: line.act.and_then(|act| Act::ALL.iter().position(|own| *own == act)),
        weight: line.weight,
    }
}

fn common(examples: &[Example]) -> Vec<bool> {
    let mut seen = vec![0u16; 1 << BITS];
    for example in examples {
        let mut own = example.marks.clone();
        own.sort_unstable();
        own.dedup();
        own.iter().for_each(|mark| seen[*mark as usize] = seen[*mark as usize].saturating_add(1));
    }
    seen.into_iter().map(|n| n >= RAREST).collect()
}

/// By what the log odds of routes and of acts must be multiplied so that a set's probabilities fit best.
pub fn sharpness(head: &Head, lines: &[Line], vectors: &Vectors) -> [f32; 2] {
    let mut best = [(f32::MIN, 1.0); 2];
    for power in [0.3f32, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5, 2.0] {
        let mut sums = [0f32; 2];
        for line in lines {
            let vector = vectors.of(&line.text);
            let (routes, acts) = head.read(&line.text, line.language, false, vector.as_deref());
            let route = line.route.as_ref().and_then(|r| head.routes().iter().position(|own| own == r));
            let act = line.act.and_then(|act| Act::ALL.iter().position(|own| *own == act));
            for (sum, (all, wanted)) in sums.iter_mut().zip([(routes, route), (acts, act)]) {
                if let Some(wanted) = wanted {
                    let whole: f32 = all.iter().map(|p| p.powf(power)).sum();
                    *sum += (all[wanted].max(1e-9).powf(power) / whole).ln();
                }
            }
        }
        for (best, sum) in best.iter_mut().zip(sums) {
            if sum > best.0 {
                *best = (sum, power);
            }
        }
    }
    best.map(|(_, power)| power)
}
