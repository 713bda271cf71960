//! Logistic regression over hashed features, and how well it tells.

use pipeline::session::completeness::features;

const SLOTS: usize = 1 << 18;
const ROUNDS: usize = 6;
const RATE: f32 = 0.15;
/// Pull of each weight towards nothing, a step.
const PULL: f32 = 2e-6;

/// One text with its features.
#[derive(Debug)]
pub struct Example {
    slots: Vec<u32>,
    pub first: bool,
    whole: bool,
    weight: f32,
}

impl Example {
    pub fn new(text: &str, first: bool, whole: bool, weight: f32) -> Self {
        let mut slots = Vec::new();
        features(text, first, |slot| slots.push(slot as u32));
        Self { slots, first, whole, weight }
    }
}

/// The same numbers for the same seed.
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub const fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 16
    }
}

/// Has whole turns weigh this much of what all cuts weigh together, among first turns and among later ones.
pub fn balance(all: &mut [Example], share: f32) {
    for first in [true, false] {
        let sum = |whole: bool| -> f64 {
            let these = all.iter().filter(|e| e.first == first && e.whole == whole);
            these.map(|e| f64::from(e.weight)).sum()
        };
        let factor = (sum(false) / sum(true).max(1.0)) as f32 * share;
        all.iter_mut().filter(|e| e.first == first && e.whole).for_each(|e| e.weight *= factor);
    }
    let mean = all.iter().map(|e| f64::from(e.weight)).sum::<f64>() as f32 / all.len().max(1) as f32;
    all.iter_mut().for_each(|e| e.weight /= mean);
}

/// Weights and bias.
#[derive(Debug)]
pub struct Model {
    weights: Vec<f32>,
    bias: f32,
}

impl Model {
    pub fn score(&self, example: &Example) -> f32 {
        self.bias + example.slots.iter().map(|s| self.weights[*s as usize]).sum::<f32>()
    }

    /// Scale and bias, then one byte a weight.
    pub fn quantised(&self) -> Vec<u8> {
        let largest = self.weights.iter().fold(1e-6f32, |m, w| m.max(w.abs()));
        let scale = largest / 127.0;
        let mut file = [scale.to_le_bytes(), self.bias.to_le_bytes()].concat();
        file.extend(self.weights.iter().map(|w| ((w / scale).round() as i8) as u8));
        file
    }
}

/// Stochastic descent, each weight with a step of its own.
pub fn fit(all: &[Example], dice: &mut Dice) -> Model {
    let mut model = Model { weights: vec![0.0; SLOTS], bias: 0.0 };
    let mut steps = vec![1.0f32; SLOTS];
    let mut order: Vec<usize> = (0..all.len()).collect();
    for _ in 0..ROUNDS {
        for i in (1..order.len()).rev() {
            order.swap(i, dice.next() as usize % (i + 1));
        }
        for &i in &order {
            let e = &all[i];
            let told = 1.0 / (1.0 + (-model.score(e)).exp());
            let miss = (f32::from(u8::from(e.whole)) - told) * e.weight.min(20.0);
            model.bias += RATE * 0.01 * miss;
            for &slot in &e.slots {
                let slot = slot as usize;
                let slope = miss - PULL * model.weights[slot];
                steps[slot] += slope * slope;
                model.weights[slot] += RATE * slope / steps[slot].sqrt();
            }
        }
    }
    model
}

/// How often a whole turn scores above a cut one, by weight.
pub fn area(model: &Model, these: &[&Example]) -> f64 {
    let mut scored: Vec<_> = these.iter().map(|e| (model.score(e), e.whole, f64::from(e.weight))).collect();
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut cuts, mut won, mut whole) = (0.0, 0.0, 0.0);
    for (_, is_whole, weight) in scored {
        if is_whole {
            won += cuts * weight;
            whole += weight;
        } else {
            cuts += weight;
        }
    }
    won / (whole * cuts)
}
