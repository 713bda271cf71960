//! Names of persons and addresses in running talk, by a trained sequence tagger over words and their surroundings.
//!
//! For written, spoken and lower-case English and Spanish alike. Pure code over weights and hashed word lists that are
//! part of the program; a sentence takes some tens of microseconds, a long text as much a word. What counts: a title
//! ("Deputy") and a possessive stand outside a name, letters that spell a name are a name; an address has a house
//! number, or a box, and takes unit, town, state and zip code with it. A corner, a street alone, an office, a storm or a
//! holiday is neither. `examples/train_tagger` makes the weights; `data/tagger/README.md` says from what.

pub mod features;
pub mod lexicon;
pub mod model;
pub mod token;

use features::Context;
use model::Model;
use token::{Form, Token};

use crate::{Language, field};

pub use model::WeightsError;

/// Log odds by which names and addresses are favored when spans are cut, so that doubtful ones come too and
/// [`Span::sure`] alone decides.
const LEAN: f32 = 2.5;
/// Less sure spans of names are left out by [`spans`]; chosen on the development sets.
pub const LEAST_NAME: f32 = 0.4;
/// The same for addresses.
pub const LEAST_ADDRESS: f32 = 0.4;

/// What a span is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A person's name, or a part of one.
    Name,
    /// A postal or physical address with its number.
    Address,
}

/// A stretch of a text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Span {
    pub kind: Kind,
    /// First byte; a character begins here.
    pub from: usize,
    /// The byte after the last one.
    pub to: usize,
    /// How likely its words are of this kind, 0 to 1, on the average.
    pub sure: f32,
}

/// Names and addresses of a text, in order; they do not overlap. `language`: where it is known.
///
/// Empty when the shipped weights do not fit the code, which a test rules out.
#[must_use]
pub fn spans(text: &str, language: Option<Language>) -> Vec<Span> {
    let mut found = candidates(text, language);
    found.retain(|span| span.sure >= if span.kind == Kind::Name { LEAST_NAME } else { LEAST_ADDRESS });
    found
}

/// The same with all doubtful ones, for whoever has a threshold of their own.
#[must_use]
pub fn candidates(text: &str, language: Option<Language>) -> Vec<Span> {
    Model::shipped().map(|model| candidates_by(model, text, language)).unwrap_or_default()
}

/// [`candidates`] by a given model.
#[must_use]
pub fn candidates_by(model: &Model, text: &str, language: Option<Language>) -> Vec<Span> {
    let tokens = token::tokens(text, model.lexicon());
    let context = Context::new(&tokens, language);
    let scores = model.scores(&tokens, &context);
    let labels = field::best(&scores, model.steps(), LEAN);
    if labels.iter().all(|label| *label == field::OUT) {
        return Vec::new();
    }
    let (odds, _) = field::likely(&scores, model.steps());
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(first) = labels.get(at) {
        let (kind, inner) = match first {
            1 | 2 => (Kind::Name, 2),
            3 | 4 => (Kind::Address, 4),
            _ => {
                at += 1;
                continue;
            }
        };
        let mut end = at + 1;
        while labels.get(end) == Some(&inner) {
            end += 1;
        }
        if let Some((from, to)) = trimmed(&tokens, at, end) {
            let share: f32 = odds[from..to].iter().map(|row| row[inner - 1] + row[inner]).sum();
            let sure = (share / (to - from) as f32).clamp(0.0, 1.0);
            if kind == Kind::Name || tokens[from..to].iter().any(numbered) {
                out.push(Span { kind, from: tokens[from].start, to: tokens[to - 1].end, sure });
            }
        }
        at = end;
    }
    out
}

/// Without signs at its ends.
fn trimmed(tokens: &[Token], mut from: usize, mut to: usize) -> Option<(usize, usize)> {
    while from < to && tokens[from].form == Form::Sign {
        from += 1;
    }
    while from < to && tokens[to - 1].form == Form::Sign {
        to -= 1;
    }
    (from < to).then_some((from, to))
}

fn numbered(token: &Token) -> bool {
    token.is_number() || token.form == Form::Mixed
}

#[cfg(test)]
mod tests;
