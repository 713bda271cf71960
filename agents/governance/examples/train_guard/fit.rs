//! Logistic regression over hashed features, with word dropout, by Adagrad.

use governance::guard::Guard;
use governance::guard::classifier::damping;
use governance::guard::features;

use crate::grammar::Dice;

/// One text as features, grouped by word.
#[derive(Clone, Debug)]
pub struct Example {
    pub family: u16,
    pub attack: bool,
    pub weight: f32,
    pub features: Vec<u32>,
    /// Ends of the words' features.
    pub ends: Vec<u32>,
}

/// How to fit.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub epochs: usize,
    pub rate: f32,
    pub decay: f32,
    /// Percent of features that are not seen in one step.
    pub dropout: usize,
    /// Examples that a feature must be in.
    pub rarest: u16,
}

pub fn example(guard: &Guard, text: &str, family: u16, attack: bool, weight: f32) -> Example {
    let words = guard.words(text);
    let mut features = Vec::new();
    let mut ends = Vec::with_capacity(words.len());
    let mut last = 0;
    features::each(&words, guard.lexicon(), |at, feature| {
        while last < at {
            ends.push(u32::try_from(features.len()).unwrap_or(u32::MAX));
            last += 1;
        }
        features.push(feature);
    });
    ends.push(u32::try_from(features.len()).unwrap_or(u32::MAX));
    Example { family, attack, weight, features, ends }
}

/// The mean of several fits. The model is linear, so that this is the mean of their log odds.
pub fn mean(examples: &[Example], skip: Option<u16>, plan: Plan, seed: u64, fits: u64) -> (Vec<f32>, f32) {
    let (mut weights, mut bias) = (vec![0f32; 1 << features::BITS], 0.0);
    #[expect(clippy::cast_precision_loss, reason = "a handful")]
    let share = 1.0 / fits as f32;
    for number in 0..fits {
        let (one, own_bias) = fit(examples, skip, plan, seed + number);
        weights.iter_mut().zip(one).for_each(|(sum, w)| *sum += w * share);
        bias += own_bias * share;
    }
    (weights, bias)
}

/// Weights and bias.
fn fit(examples: &[Example], skip: Option<u16>, plan: Plan, seed: u64) -> (Vec<f32>, f32) {
    let size = 1 << features::BITS;
    let used: Vec<&Example> = examples.iter().filter(|e| Some(e.family) != skip).collect();
    let common = common(&used, size, plan.rarest);
    let (mut weights, mut squares) = (vec![0f32; size], vec![1e-3f32; size]);
    let (mut bias, mut bias_square) = (0f32, 1e-3f32);
    let mut dice = Dice::new(seed);
    let mut order: Vec<usize> = (0..used.len()).collect();
    let mut kept = Vec::new();
    for epoch in 0..plan.epochs {
        dice.shuffle(&mut order);
        #[expect(clippy::cast_precision_loss, reason = "a few epochs")]
        let rate = plan.rate / (1.0 + epoch as f32 * 0.5);
        for number in &order {
            let example = used[*number];
            kept.clear();
            let mut coins = dice.next();
            for feature in &example.features {
                coins = coins.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                let seen = (coins >> 40) % 100 >= plan.dropout as u64;
                if seen && common[*feature as usize] {
                    kept.push(*feature);
                }
            }
            #[expect(clippy::cast_precision_loss, reason = "a percentage")]
            let value = damping(example.ends.len()) / (1.0 - plan.dropout as f32 / 100.0);
            let sum: f32 = kept.iter().map(|f| weights[*f as usize]).sum();
            let guess = 1.0 / (1.0 + (-(bias + sum * value)).exp());
            let error = (guess - f32::from(u8::from(example.attack))) * example.weight;
            if error.abs() < 1e-3 {
                continue;
            }
            bias_square += error * error;
            bias -= rate * error / bias_square.sqrt();
            for f in &kept {
                let f = *f as usize;
                let gradient = error * value + plan.decay * weights[f];
                squares[f] += gradient * gradient;
                weights[f] -= rate * gradient / squares[f].sqrt();
            }
        }
    }
    (weights, bias)
}

fn common(examples: &[&Example], size: usize, rarest: u16) -> Vec<bool> {
    let mut seen = vec![0u16; size];
    let mut last = vec![u32::MAX; size];
    for (number, example) in (0u32..).zip(examples) {
        for f in &example.features {
            let f = *f as usize;
            if last[f] != number {
                last[f] = number;
                seen[f] = seen[f].saturating_add(1);
            }
        }
    }
    seen.into_iter().map(|n| n >= rarest).collect()
}
