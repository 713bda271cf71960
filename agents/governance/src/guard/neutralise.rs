//! What was found is taken out, and what is left is judged again, until it is clean. So the answer on an answer is
//! always "clean", and nothing can be put together out of what stood around a threat.

use std::ops::Range;

use super::Guard;
use super::context::Context;
use super::judge::probability;
use super::normalise::MARKER;
use super::verdict::{Action, Channel, Kind, Layer, Risk, Severity, Threat, Verdict};

/// Looks at a text before all of it is withheld. The first take out clauses, later ones whole stretches.
const ROUNDS: usize = 5;
const ROUNDS_OF_CLAUSES: usize = 2;

impl Guard {
    /// Judges a text and takes out what tries to steer a model.
    ///
    /// Spans of the threats are bytes of `text`. A text with no threats comes back byte for byte.
    #[must_use]
    pub fn judge(&self, text: &str, channel: Channel, context: Context) -> Verdict {
        let first = self.assess(text, channel, context);
        let score = if first.log_odds.is_finite() { probability(first.log_odds) } else { 0.0 };
        if first.threats.is_empty() {
            return Verdict {
                threats: Vec::new(),
                text: text.to_owned(),
                risk: Risk::None,
                action: Action::Pass,
                score,
            };
        }
        let mut cut = Cut { text, gone: Vec::new() };
        let mut threats = first.threats;
        cut.take_out(threats.iter().map(|t| t.span.clone()));
        let mut clean = false;
        for round in 1..ROUNDS {
            let (left, places) = cut.render();
            let again = self.assess(&left, channel, context);
            clean = again.threats.is_empty();
            if clean {
                break;
            }
            let whole = if round < ROUNDS_OF_CLAUSES { &[][..] } else { &again.stretches };
            let spans = again.threats.iter().map(|t| &t.span).chain(whole);
            cut.take_out(spans.map(|span| places.original(span)).collect::<Vec<_>>());
            threats.extend(again.threats.into_iter().map(|t| Threat { span: places.original(&t.span), ..t }));
        }
        let (mut left, _) = cut.render();
        if !clean && !self.assess(&left, channel, context).threats.is_empty() {
            threats.push(rest(text));
            left = MARKER.to_owned();
        }
        threats.sort_by_key(|t| (t.span.start, t.span.end));
        let risk = threats.iter().map(|t| Risk::from(t.severity)).max().unwrap_or(Risk::None);
        let nothing_left = left.replace(MARKER, "").chars().all(|c| !c.is_alphanumeric());
        let action = if nothing_left { Action::Withhold } else { Action::Defuse };
        Verdict { threats, text: left, risk, action, score }
    }
}

/// For a text of which no part could be left.
fn rest(text: &str) -> Threat {
    Threat {
        kind: Kind::InstructionInjection,
        layer: Layer::Classifier,
        severity: Severity::High,
        score: 1.0,
        span: 0..text.len(),
        pattern: None,
    }
}

/// A text and what was taken out of it.
struct Cut<'a> {
    text: &'a str,
    /// In order, apart from each other, on character boundaries.
    gone: Vec<Range<usize>>,
}

/// Where the pieces of a rendered text were in the original.
struct Places(Vec<Piece>);

/// A piece of a rendered text.
struct Piece {
    at: usize,
    original: Range<usize>,
    is_marker: bool,
}

impl Cut<'_> {
    fn take_out(&mut self, spans: impl IntoIterator<Item = Range<usize>>) {
        self.gone.extend(spans.into_iter().filter(|s| !s.is_empty()));
        self.gone.sort_by_key(|s| s.start);
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(self.gone.len());
        for span in self.gone.drain(..) {
            match merged.last_mut() {
                // Nothing but punctuation in between is not worth a second marker.
                Some(last) if span.start <= last.end || only_marks(&self.text[last.end..span.start]) => {
                    last.end = last.end.max(span.end);
                }
                _ => merged.push(span),
            }
        }
        self.gone = merged;
    }

    fn render(&self) -> (String, Places) {
        let mut out = String::with_capacity(self.text.len());
        let mut places = Vec::with_capacity(self.gone.len() * 2 + 1);
        let mut at = 0;
        for span in &self.gone {
            places.push(Piece { at: out.len(), original: at..span.start, is_marker: false });
            out.push_str(&self.text[at..span.start]);
            places.push(Piece { at: out.len(), original: span.clone(), is_marker: true });
            out.push_str(MARKER);
            at = span.end;
        }
        places.push(Piece { at: out.len(), original: at..self.text.len(), is_marker: false });
        out.push_str(&self.text[at..]);
        (out, Places(places))
    }
}

fn only_marks(between: &str) -> bool {
    between.len() <= 8 && !between.chars().any(|c| c.is_alphanumeric() || c == '[' || c == ']')
}

impl Places {
    /// The original's bytes that a span of the rendered text covers.
    fn original(&self, span: &Range<usize>) -> Range<usize> {
        let piece = |at: usize| {
            let next = self.0.partition_point(|piece| piece.at <= at);
            &self.0[next.saturating_sub(1)]
        };
        let (first, last) = (piece(span.start), piece(span.end.saturating_sub(1)));
        // Within a marker, the whole of what it stands for.
        let start = first.original.start + if first.is_marker { 0 } else { span.start - first.at };
        let end = if last.is_marker { last.original.end } else { last.original.start + (span.end - last.at) };
        start..end.max(start)
    }
}
