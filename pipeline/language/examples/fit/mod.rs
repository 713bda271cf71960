//! Fits a random field: gradient of the likelihood, one sentence after the other, steps that shrink with use.
//! Part of each program that trains one.

use language::field::{Field, Row, Steps, follows, log_sum, sums};

const STEP: f32 = 0.12;
/// Weights are pulled to zero so much each time that they are used.
const PULL: f32 = 2e-5;

pub struct Fit<const L: usize> {
    weights: Vec<f32>,
    squares: Vec<f32>,
    steps: Steps<L>,
    step_squares: Steps<L>,
    kept: Vec<f32>,
    kept_steps: Steps<L>,
    times: f32,
}

impl<const L: usize> Fit<L> {
    const WIDTH: usize = Field::<L>::WIDTH;

    pub fn new(rows: usize) -> Self {
        Self {
            weights: vec![0.0; rows * Self::WIDTH],
            squares: vec![1e-3; rows * Self::WIDTH],
            steps: [[0.0; L]; L],
            step_squares: [[1e-3; L]; L],
            kept: vec![0.0; rows * Self::WIDTH],
            kept_steps: [[0.0; L]; L],
            times: 0.0,
        }
    }

    /// One sentence: the features of each word that are looked at, and its labels. `more`: what makes up for the features
    /// that are not. Gives its loss.
    pub fn learn(&mut self, words: &[Vec<usize>], labels: &[usize], more: f32) -> f32 {
        if words.is_empty() {
            return 0.0;
        }
        let scores: Vec<Row<L>> = words.iter().map(|features| self.score(features, more)).collect();
        let (ahead, behind) = sums(&scores, &self.steps);
        let all = log_sum(&ahead[words.len() - 1]);
        let mut gold = 0.0;
        for (at, features) in words.iter().enumerate() {
            gold += scores[at][labels[at]];
            let mut gradient = [0.0; L];
            for label in 0..L {
                gradient[label] = f32::from(u8::from(label == labels[at]))
                    - (ahead[at][label] + behind[at][label] - all).exp();
            }
            if gradient.iter().all(|g| g.abs() <= 1e-3) {
                continue;
            }
            for feature in features {
                let place = feature * Self::WIDTH;
                for n in 0..Self::WIDTH {
                    let weight = self.weights[place + n];
                    let g = gradient[n + 1] * more - PULL * weight;
                    self.squares[place + n] += g * g;
                    self.weights[place + n] = weight + STEP * g / self.squares[place + n].sqrt();
                }
            }
        }
        let mut gradient = [[0.0_f32; L]; L];
        for at in 1..words.len() {
            gradient[labels[at - 1]][labels[at]] += 1.0;
            gold += self.steps[labels[at - 1]][labels[at]];
            for before in 0..L {
                for label in (0..L).filter(|label| follows(Some(before), *label)) {
                    let odds = ahead[at - 1][before]
                        + self.steps[before][label]
                        + scores[at][label]
                        + behind[at][label]
                        - all;
                    gradient[before][label] -= odds.exp();
                }
            }
        }
        let rows = self.steps.iter_mut().zip(&mut self.step_squares).zip(&gradient);
        for ((steps, squares), gradient) in rows {
            for ((step, square), g) in steps.iter_mut().zip(squares).zip(gradient) {
                *square += g * g;
                *step += STEP * g / square.sqrt();
            }
        }
        all - gold
    }

    fn score(&self, features: &[usize], more: f32) -> Row<L> {
        let mut row = [0.0; L];
        for feature in features {
            let weights = &self.weights[feature * Self::WIDTH..][..Self::WIDTH];
            row[1..].iter_mut().zip(weights).for_each(|(score, weight)| *score += weight);
        }
        row.map(|score| score * more)
    }

    /// Takes the weights as they are into the mean that counts in the end.
    pub fn keep(&mut self) {
        self.times += 1.0;
        self.kept.iter_mut().zip(&self.weights).for_each(|(kept, weight)| *kept += weight);
        for (kept, step) in self.kept_steps.iter_mut().flatten().zip(self.steps.iter().flatten()) {
            *kept += step;
        }
    }

    /// The mean of what was kept.
    pub fn field(self) -> Field<L> {
        let times = self.times.max(1.0);
        let weights: Vec<f32> = self.kept.into_iter().map(|weight| weight / times).collect();
        Field::rounded(&weights, self.kept_steps.map(|row| row.map(|step| step / times)))
    }
}
