//! Logistic regression by stochastic gradient descent with steps of their own for each weight, one a question.

use governance::danger::{Marks, QUESTIONS, Weights};
use governance::rules::likeness::{damping, marks};

use crate::grammar::Dice;
use crate::{Label, Line};

const EPOCHS: usize = 14;
const RATE: f32 = 0.2;
const DECAY: f32 = 1e-5;
/// Percent of marks that a look at a sentence leaves out, so that no single one is relied on.
const DROPOUT: u64 = 60;
/// A mark of fewer sentences is chance.
const RAREST: u16 = 2;
/// What an error costs where even a person would have to ask.
const UNCLEAR: f32 = 0.3;
/// Log odds of a sentence of which nothing is known: most calls are no emergency.
const BIAS: f32 = -1.5;

/// A sentence as the model sees it.
#[derive(Debug)]
pub struct Example {
    marks: Vec<u32>,
    words: usize,
    /// What each question's answer is, and what an error costs.
    wanted: [(f32, f32); QUESTIONS],
}

impl Example {
    pub fn of(marks: &Marks, line: &Line) -> Self {
        let own_hand = line.kind == "self_harm";
        let yes = |is: bool| if is { 1.0 } else { 0.0 };
        let unclear = if line.label == Label::Maybe { UNCLEAR } else { 1.0 };
        let wanted = [
            (yes(line.label == Label::Now), unclear * line.weight),
            (yes(line.label != Label::No), line.weight),
            (yes(own_hand && line.label != Label::No), line.weight),
        ];
        Self::new(marks, &line.text, wanted)
    }

    /// Words, what each question's answer is, and what an error costs.
    pub fn new(marks: &Marks, text: &str, wanted: [(f32, f32); QUESTIONS]) -> Self {
        let mut found = Vec::new();
        let words = marks.each(text, |mark| found.push(mark));
        Self { marks: found, words, wanted }
    }
}

/// The mean of several fits. The model is linear, so that this is the mean of their log odds.
pub fn mean(examples: &[Example], seed: u64, fits: u64) -> (Vec<Weights>, Weights) {
    let common = common(examples);
    let mut weights = vec![Weights::default(); 1 << marks::BITS];
    #[expect(clippy::cast_precision_loss, reason = "a handful")]
    let share = 1.0 / fits as f32;
    for question in 0..QUESTIONS {
        for number in 0..fits {
            let one = fit(examples, question, &common, seed + number);
            weights.iter_mut().zip(one).for_each(|(sum, w)| sum[question] += w * share);
        }
    }
    (weights, [BIAS; QUESTIONS])
}

/// The weights of one question.
fn fit(examples: &[Example], question: usize, common: &[bool], seed: u64) -> Vec<f32> {
    let (mut weights, mut squares) = (vec![0f32; common.len()], vec![1e-3f32; common.len()]);
    let mut dice = Dice::new(seed);
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut kept = Vec::new();
    for epoch in 0..EPOCHS {
        dice.shuffle(&mut order);
        #[expect(clippy::cast_precision_loss, reason = "a few epochs")]
        let rate = RATE / (1.0 + epoch as f32 * 0.5);
        for number in &order {
            let example = &examples[*number];
            kept.clear();
            let mut coins = dice.next();
            for mark in &example.marks {
                coins = coins.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                if (coins >> 40) % 100 >= DROPOUT && common[*mark as usize] {
                    kept.push(*mark as usize);
                }
            }
            #[expect(clippy::cast_precision_loss, reason = "a percentage")]
            let value = damping(example.words) / (1.0 - DROPOUT as f32 / 100.0);
            let sum: f32 = kept.iter().map(|mark| weights[*mark]).sum();
            let guess = 1.0 / (1.0 + (-(BIAS + sum * value)).exp());
            let (wanted, cost) = example.wanted[question];
            let error = (guess - wanted) * cost;
            if error.abs() < 1e-3 {
                continue;
            }
            for mark in &kept {
                let gradient = error * value + DECAY * weights[*mark];
                squares[*mark] += gradient * gradient;
                weights[*mark] -= rate * gradient / squares[*mark].sqrt();
            }
        }
    }
    weights
}

fn common(examples: &[Example]) -> Vec<bool> {
    let mut seen = vec![0u16; 1 << marks::BITS];
    let mut last = vec![u32::MAX; seen.len()];
    for (number, example) in (0u32..).zip(examples) {
        for mark in example.marks.iter().map(|mark| *mark as usize) {
            if last[mark] != number {
                last[mark] = number;
                seen[mark] = seen[mark].saturating_add(1);
            }
        }
    }
    seen.into_iter().map(|n| n >= RAREST).collect()
}
