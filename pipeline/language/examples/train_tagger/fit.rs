//! Fits the random field: gradient of the likelihood, one sentence after the other, steps that shrink with use.

use language::Language;
use language::tagger::Kind;
use language::tagger::features::{self, Context};
use language::tagger::lexicon::Lexicon;
use language::tagger::model::{LABELS, OUT, Parts, ROWS, Row, WIDTH, follows, sums};
use language::tagger::token::{Token, tokens};

use crate::line::{Line, Rng};

pub const ROUNDS: usize = 8;
const STEP: f32 = 0.12;
/// Weights are pulled to zero so much each time that they are used.
const PULL: f32 = 2e-5;

/// So many of a hundred features are not looked at, others each time, so that none is relied on alone.
const DROPPED: usize = 45;
/// What makes up for them.
const MORE: f32 = 100.0 / (100.0 - DROPPED as f32);

/// A sentence, ready.
struct Example {
    tokens: Vec<Token>,
    labels: Vec<usize>,
    language: Language,
}

/// Labels of tokens by the marks.
pub fn labels(tokens: &[Token], line: &Line) -> Vec<usize> {
    let mut out = vec![OUT; tokens.len()];
    for (kind, range) in &line.marks {
        let first = if *kind == Kind::Name { 1 } else { 3 };
        let mut begun = false;
        for (token, label) in tokens.iter().zip(&mut out) {
            if token.start < range.end && token.end > range.start {
                *label = if begun { first + 1 } else { first };
                begun = true;
            }
        }
    }
    out
}

pub fn fit(lines: &[Line], lexicon: &Lexicon, seed: u64) -> Parts {
    let mut rng = Rng::new(seed);
    let mut examples: Vec<Example> = lines
        .iter()
        .map(|line| {
            let tokens = tokens(&line.text, lexicon);
            let labels = labels(&tokens, line);
            Example { tokens, labels, language: line.language }
        })
        .collect();
    let mut state = State::new();
    for round in 0..ROUNDS {
        rng.shuffle(&mut examples);
        let mut loss = 0.0_f64;
        for example in &examples {
            let mut tokens = example.tokens.clone();
            unlisted(&mut tokens, &example.labels, &mut rng);
            let language = rng.percent(60).then_some(example.language);
            let own = state.learn(&tokens, &example.labels, language, &rng);
            loss += f64::from(own);
        }
        println!("round {}: loss {:.4} a sentence", round + 1, loss / examples.len() as f64);
        // The mean of the last rounds is calmer than the last.
        if round + 3 >= ROUNDS {
            state.keep();
        }
    }
    state.parts()
}

/// Some names and streets are shown as words of no list.
fn unlisted(tokens: &mut [Token], labels: &[usize], rng: &mut Rng) {
    let all = rng.percent(22);
    for (token, label) in tokens.iter_mut().zip(labels) {
        let word = token.length > 2 && !token.is_number();
        let share = match label {
            1 | 2 if all => 80,
            1 | 2 => 12,
            3 | 4 => 4,
            _ => 3,
        };
        if word && rng.percent(share) {
            token.forget(rng.next());
        }
    }
}

struct State {
    weights: Vec<f32>,
    squares: Vec<f32>,
    steps: [Row; LABELS],
    step_squares: [Row; LABELS],
    kept: Vec<f32>,
    kept_steps: [Row; LABELS],
    times: f32,
    features: Vec<usize>,
    ends: Vec<usize>,
}

impl State {
    fn new() -> Self {
        Self {
            weights: vec![0.0; ROWS * WIDTH],
            squares: vec![1e-3; ROWS * WIDTH],
            steps: [[0.0; LABELS]; LABELS],
            step_squares: [[1e-3; LABELS]; LABELS],
            kept: vec![0.0; ROWS * WIDTH],
            kept_steps: [[0.0; LABELS]; LABELS],
            times: 0.0,
            features: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn learn(&mut self, tokens: &[Token], labels: &[usize], language: Option<Language>, rng: &Rng) -> f32 {
        if tokens.is_empty() {
            return 0.0;
        }
        let context = Context::new(tokens, language);
        self.features.clear();
        self.ends.clear();
        let mut scores: Vec<Row> = Vec::with_capacity(tokens.len());
        for at in 0..tokens.len() {
            let from = self.features.len();
            features::each(tokens, &context, at, |feature| {
                if !rng.percent(DROPPED) {
                    self.features.push(feature);
                }
            });
            let mut row = [0.0; LABELS];
            for feature in &self.features[from..] {
                let weights = &self.weights[feature * WIDTH..][..WIDTH];
                row[1..].iter_mut().zip(weights).for_each(|(score, weight)| *score += weight);
            }
            row.iter_mut().for_each(|score| *score *= MORE);
            scores.push(row);
            self.ends.push(self.features.len());
        }
        let (ahead, behind) = sums(&scores, &self.steps);
        let all = log_sum(&ahead[tokens.len() - 1]);
        let mut gold = 0.0;
        let mut from = 0;
        for at in 0..tokens.len() {
            gold += scores[at][labels[at]];
            let mut gradient = [0.0; LABELS];
            for label in 0..LABELS {
                gradient[label] = f32::from(u8::from(label == labels[at]))
                    - (ahead[at][label] + behind[at][label] - all).exp();
            }
            if gradient.iter().any(|g| g.abs() > 1e-3) {
                for feature in &self.features[from..self.ends[at]] {
                    let place = feature * WIDTH;
                    for n in 0..WIDTH {
                        let weight = self.weights[place + n];
                        let g = gradient[n + 1] * MORE - PULL * weight;
                        self.squares[place + n] += g * g;
                        self.weights[place + n] = weight + STEP * g / self.squares[place + n].sqrt();
                    }
                }
            }
            from = self.ends[at];
        }
        let mut gradient = [[0.0_f32; LABELS]; LABELS];
        for at in 1..tokens.len() {
            gradient[labels[at - 1]][labels[at]] += 1.0;
            gold += self.steps[labels[at - 1]][labels[at]];
            for before in 0..LABELS {
                for label in (0..LABELS).filter(|label| follows(Some(before), *label)) {
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

    fn keep(&mut self) {
        self.times += 1.0;
        self.kept.iter_mut().zip(&self.weights).for_each(|(kept, weight)| *kept += weight);
        for (kept, step) in self.kept_steps.iter_mut().flatten().zip(self.steps.iter().flatten()) {
            *kept += step;
        }
    }

    fn parts(self) -> Parts {
        let times = self.times.max(1.0);
        let mut steps = self.kept_steps;
        steps.iter_mut().flatten().for_each(|step| *step /= times);
        Parts { weights: self.kept.into_iter().map(|weight| weight / times).collect(), steps }
    }
}

fn log_sum(values: &Row) -> f32 {
    let most = values.iter().copied().fold(f32::MIN, f32::max);
    most + values.iter().map(|value| (value - most).exp()).sum::<f32>().ln()
}
