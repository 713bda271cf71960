//! The sentences, as the random field learns them.

use language::Language;
use language::field::{Field, OUT};
use language::tagger::Kind;
use language::tagger::features::{self, Context};
use language::tagger::lexicon::Lexicon;
use language::tagger::model::{LABELS, ROWS};
use language::tagger::token::{Token, tokens};

use crate::field::Fit;
use crate::line::{Line, Rng};

pub const ROUNDS: usize = 8;

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

pub fn fit(lines: &[Line], lexicon: &Lexicon, seed: u64) -> Field<LABELS> {
    let mut rng = Rng::new(seed);
    let mut examples: Vec<Example> = lines
        .iter()
        .map(|line| {
            let tokens = tokens(&line.text, lexicon);
            let labels = labels(&tokens, line);
            Example { tokens, labels, language: line.language }
        })
        .collect();
    let mut state = Fit::new(ROWS);
    for round in 0..ROUNDS {
        rng.shuffle(&mut examples);
        let mut loss = 0.0_f64;
        for example in &examples {
            let mut tokens = example.tokens.clone();
            unlisted(&mut tokens, &example.labels, &mut rng);
            let language = rng.percent(60).then_some(example.language);
            let own = state.learn(&looked_at(&tokens, language, &rng), &example.labels, MORE);
            loss += f64::from(own);
        }
        println!("round {}: loss {:.4} a sentence", round + 1, loss / examples.len() as f64);
        // The mean of the last rounds is calmer than the last.
        if round + 3 >= ROUNDS {
            state.keep();
        }
    }
    state.field()
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

/// Features of each token, but those that are not looked at this time.
fn looked_at(tokens: &[Token], language: Option<Language>, rng: &Rng) -> Vec<Vec<usize>> {
    let context = Context::new(tokens, language);
    (0..tokens.len())
        .map(|at| {
            let mut out = Vec::new();
            features::each(tokens, &context, at, |feature| {
                if !rng.percent(DROPPED) {
                    out.push(feature);
                }
            });
            out
        })
        .collect()
}
