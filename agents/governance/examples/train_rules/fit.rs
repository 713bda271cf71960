//! Logistic regression by stochastic gradient descent with steps of their own for each weight, one regression a kind.

use governance::guard::Guard;
use governance::guard::lexicon::Lexicon;
use governance::rules::likeness::concepts::Concepts;
use governance::rules::likeness::{Kind, Weights, damping, is_question, marks, plain_words};

use crate::data::Line;
use crate::grammar::Dice;

const EPOCHS: usize = 12;
const RATE: f32 = 0.2;
const DECAY: f32 = 1e-5;
/// Percent of marks that a look at a sentence leaves out, so that no single one is relied on.
const DROPOUT: u64 = 50;
/// A mark of fewer sentences is chance.
const RAREST: u16 = 2;
/// What an error costs where the sentence is of another kind: it is stopped in any case.
const OTHER_KIND: f32 = 0.1;
/// What an error costs at a forbidden sentence.
const FORBIDDEN: f32 = 1.5;
/// Log odds of a sentence of which nothing is known. Not learned: small talk would read like what there is most of.
const BIAS: f32 = -2.0;

/// A sentence as the model sees it.
#[derive(Debug)]
pub struct Example {
    marks: Vec<u32>,
    words: usize,
    kind: Option<Kind>,
    weight: f32,
}

/// Makes examples.
pub struct Marks {
    lexicon: &'static Lexicon,
    concepts: Concepts,
}

impl Marks {
    pub fn new() -> Result<Self, Box<dyn std::error::Error>> {
        Ok(Self { lexicon: Guard::shipped()?.lexicon(), concepts: Concepts::shipped() })
    }

    pub fn example(&self, line: &Line) -> Example {
        let mut marks = Vec::new();
        let words = plain_words(&line.text);
        let words =
            marks::each(&words, is_question(&line.text), self.lexicon, &self.concepts, |m| marks.push(m));
        Example { marks, words, kind: line.kind, weight: line.weight }
    }
}

/// The mean of several fits. The model is linear, so that this is the mean of their log odds.
pub fn mean(examples: &[Example], seed: u64, fits: u64) -> (Vec<Weights>, Weights) {
    let common = common(examples);
    let mut weights = vec![Weights::default(); 1 << marks::BITS];
    #[expect(clippy::cast_precision_loss, reason = "a handful")]
    let share = 1.0 / fits as f32;
    for kind in Kind::ALL {
        for number in 0..fits {
            let one = fit(examples, kind, &common, seed + number);
            weights.iter_mut().zip(one).for_each(|(sum, w)| sum[kind as usize] += w * share);
        }
    }
    (weights, [BIAS; Kind::ALL.len()])
}

/// The weights of one kind.
fn fit(examples: &[Example], kind: Kind, common: &[bool], seed: u64) -> Vec<f32> {
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
            let (wanted, cost) = match example.kind {
                Some(own) if own == kind => (1.0, FORBIDDEN),
                Some(_) => (0.0, OTHER_KIND),
                None => (0.0, 1.0),
            };
            let error = (guess - wanted) * cost * example.weight;
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
