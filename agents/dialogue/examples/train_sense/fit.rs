//! Logistic regression over all examples at once, by gradients with momentum. Few numbers and few examples: seconds.

use governance::danger::sense::{ASKED, Row, Sense, WIDTH, WORDS};

use crate::Line;

const STEPS: usize = 400;
const RATE: f32 = 0.05;
/// How much a weight of the vector costs: there are hundreds of them.
const RIDGE: f32 = 0.15;
/// What an error costs where even a person would have to ask.
const UNCLEAR: f32 = 0.3;
/// What one costs at ordinary business: on a line there is far more of it than here.
const ORDINARY: f32 = 6.0;

/// A sentence as the model sees it.
#[derive(Debug)]
pub struct Example {
    figures: Row,
    /// What the answer to each question is, and what an error costs.
    wanted: [(f32, f32); ASKED],
}

impl Example {
    pub fn of(line: &Line, vector: &[f32]) -> Option<Self> {
        let vector = <&[f32; WIDTH]>::try_from(vector).ok()?;
        let mut figures: Row = [1.0; WORDS + WIDTH];
        figures[1..WORDS].copy_from_slice(&Sense::odds(line.words));
        figures[WORDS..].copy_from_slice(vector);
        let [now, danger] = match line.label.as_str() {
            "now" => [(1.0, 1.0), (1.0, 1.0)],
            "maybe" => [(0.0, UNCLEAR), (1.0, 1.0)],
            _ => [(0.0, ORDINARY), (0.0, ORDINARY)],
        };
        Some(Self { figures, wanted: [now, danger] })
    }
}

/// One row of weights a question.
pub fn fit(examples: &[Example]) -> [Row; ASKED] {
    std::array::from_fn(|question| one(examples, question))
}

#[expect(clippy::cast_precision_loss, reason = "some thousand examples, some hundred steps")]
fn one(examples: &[Example], question: usize) -> Row {
    let mut row: Row = [0.0; WORDS + WIDTH];
    (row[0], row[1 + question]) = (-0.5, 1.0);
    let (mut mean, mut square) = ([0.0f32; WORDS + WIDTH], [0.0f32; WORDS + WIDTH]);
    for step in 1..=STEPS {
        let mut gradient = [0.0f32; WORDS + WIDTH];
        for example in examples {
            let sum: f32 = row.iter().zip(&example.figures).map(|(w, f)| w * f).sum();
            let (wanted, cost) = example.wanted[question];
            let error = (1.0 / (1.0 + (-sum).exp()) - wanted) * cost;
            gradient.iter_mut().zip(&example.figures).for_each(|(g, f)| *g += error * f);
        }
        for (n, weight) in row.iter_mut().enumerate() {
            let ridge = if n < WORDS { 0.0 } else { RIDGE * *weight };
            let slope = (gradient[n] + ridge) / examples.len() as f32;
            mean[n] = 0.9 * mean[n] + 0.1 * slope;
            square[n] = 0.99 * square[n] + 0.01 * slope * slope;
            let unbiased = mean[n] / (1.0 - 0.9f32.powi(step as i32));
            let spread = (square[n] / (1.0 - 0.99f32.powi(step as i32))).sqrt();
            let rate = RATE * (1.0 - step as f32 / (STEPS as f32 + 1.0));
            *weight -= rate * unbiased / (spread + 1e-8);
        }
    }
    row
}
