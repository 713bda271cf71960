//! Stretches of a text that a field labeled: of words of one kind, without the signs at their ends.

use crate::field::{self, OUT, Row, Steps};
use crate::tagger::token::{Form, Token};

/// Words of one kind that stand together.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stretch {
    /// Counts the kinds of a field, from 0.
    pub kind: usize,
    /// First byte; a character begins here.
    pub from: usize,
    /// The byte after the last one.
    pub to: usize,
    /// How likely its words are of this kind, 0 to 1, on the average.
    pub sure: f32,
}

/// The likeliest stretches, in order; they do not overlap.
#[must_use]
pub fn stretches<const L: usize>(tokens: &[Token], scores: &[Row<L>], steps: &Steps<L>) -> Vec<Stretch> {
    let labels = field::best(scores, steps, 0.0);
    if labels.iter().all(|label| *label == OUT) {
        return Vec::new();
    }
    let (odds, _) = field::likely(scores, steps);
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(label) = labels.get(at) {
        let Some(kind) = label.checked_sub(1).map(|n| n / 2) else {
            at += 1;
            continue;
        };
        let first = 1 + 2 * kind;
        let mut end = at + 1;
        while labels.get(end) == Some(&(first + 1)) {
            end += 1;
        }
        if let Some((from, to)) = within_signs(tokens, at, end) {
            let share: f32 = odds[from..to].iter().map(|row| row[first] + row[first + 1]).sum();
            let sure = (share / (to - from) as f32).clamp(0.0, 1.0);
            out.push(Stretch { kind, from: tokens[from].start, to: tokens[to - 1].end, sure });
        }
        at = end;
    }
    out
}

/// Without signs at its ends.
fn within_signs(tokens: &[Token], mut from: usize, mut to: usize) -> Option<(usize, usize)> {
    while from < to && tokens[from].form == Form::Sign {
        from += 1;
    }
    while from < to && tokens[to - 1].form == Form::Sign {
        to -= 1;
    }
    (from < to).then_some((from, to))
}
