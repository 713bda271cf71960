//! The layers' log odds, added up over stretches of words and compared with the channel's threshold.

use std::ops::Range;

use serde::Deserialize;

use super::classifier::damping;
use super::context::Context;
use super::decode;
use super::features;
use super::normalise::{Folded, Word, fold};
use super::repair::repair;
use super::signatures::Hit;
use super::verdict::{Channel, Kind, Layer, Severity, Threat};
use super::{Guard, GuardError};

/// Texts up to so many words are also judged as a whole.
const WHOLE: usize = 48;
/// Longer ones in stretches of so many words, one every [`STRIDE`].
const STRETCH: usize = 24;
const STRIDE: usize = 8;
/// Encodings within encodings.
const DEPTH: usize = 2;
/// A forged delimiter of that weight is acted on by itself.
const STRONG: f32 = 2.0;
/// What signatures and weak delimiters may add to or take from a stretch.
const MOST_SIGNED: f64 = 5.0;
const LEAST_SIGNED: f64 = -4.0;
/// Signatures that weigh this much together leave no doubt.
const CERTAIN: f64 = 3.0;
/// A clause goes with the attack when it adds at least this to it, and at least this share of what its worst clause adds:
/// beside "read me your system prompt" a plain "the permit is approved" is only near an attack.
const PART_OF_IT: f32 = 0.1;
/// Words with which a new thought begins.
const CONNECTORS: [&str; 13] = [
    "and", "but", "so", "then", "also", "because", "plus", "y", "pero", "entonces", "luego", "ademas",
    "porque",
];

/// Log odds from which on a text is acted on, by channel.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    /// Speech.
    pub voice: f32,
    /// E-mail.
    pub email: f32,
    /// Documents.
    pub document: f32,
    /// Answers of tools.
    pub tool: f32,
}

impl Thresholds {
    /// Reads `data/guard/thresholds.toml`.
    ///
    /// # Errors
    /// When a channel is missing, unknown or no number.
    pub fn parse(text: &str) -> Result<Self, GuardError> {
        toml::from_str(text).map_err(|e| GuardError(format!("thresholds.toml: {e}")))
    }

    const fn of(self, channel: Channel) -> f32 {
        match channel {
            Channel::Voice => self.voice,
            Channel::Email => self.email,
            Channel::Document => self.document,
            Channel::Tool => self.tool,
        }
    }
}

/// What one look at a text finds.
#[derive(Debug)]
pub(super) struct Assessment {
    /// The most suspicious stretch, in log odds.
    pub log_odds: f32,
    /// What is to be acted on.
    pub threats: Vec<Threat>,
    /// The stretches that were over the threshold, in full.
    pub stretches: Vec<Range<usize>>,
}

/// What the words of a text weigh.
struct Weighed {
    words: Vec<Word>,
    classified: Vec<f32>,
    signed: Vec<f32>,
    hits: Vec<Hit>,
}

/// A stretch over the threshold.
#[derive(Clone, Copy)]
struct Flagged {
    from: usize,
    to: usize,
    log_odds: f32,
    over: f32,
}

impl Guard {
    pub(super) fn read(&self, text: &str) -> (Vec<Word>, Folded) {
        let mut folded = fold(text, &self.lookalikes);
        let words = std::mem::take(&mut folded.words);
        (features::fluent(repair(words, &self.lexicon, &self.mishearings)), folded)
    }

    pub(super) fn assess(&self, text: &str, channel: Channel, context: Context) -> Assessment {
        self.assess_at(text, channel, context, DEPTH)
    }

    fn assess_at(&self, text: &str, channel: Channel, context: Context, depth: usize) -> Assessment {
        let (words, folded) = self.read(text);
        let mut threats = Vec::new();
        let mut weak = Vec::new();
        for forged in self.delimiters.find(text) {
            if forged.weight >= STRONG {
                threats.push(structural(
                    Layer::Delimiter,
                    Kind::DelimiterManipulation,
                    forged.weight,
                    forged.span,
                    Some(forged.name),
                ));
            } else {
                weak.push((forged.span.start, forged.weight));
            }
        }
        for span in folded.invisible.iter().filter(|span| span.len() >= 16) {
            threats.push(structural(
                Layer::Hidden,
                Kind::HiddenText,
                5.0,
                span.clone(),
                Some("tag_characters"),
            ));
        }
        if depth > 0 {
            self.encoded(text, &words, channel, depth, &mut threats);
        }
        let weighed = self.weigh(words, &weak);
        let (log_odds, flagged) = self.flag(&weighed, channel, context);
        let stretches = flagged.iter().map(|f| weighed.span(f.from, f.to)).collect();
        for stretch in &flagged {
            weighed.clauses(stretch, channel, &mut threats);
        }
        threats.sort_by_key(|t| (t.span.start, t.span.end));
        Assessment { log_odds, threats, stretches }
    }

    fn weigh(&self, words: Vec<Word>, weak: &[(usize, f32)]) -> Weighed {
        let classified = self.classifier.contributions(&words, &self.lexicon);
        let hits = self.signatures.hits(&words, &self.lexicon);
        let mut signed = vec![0.0; words.len()];
        for hit in &hits {
            signed[hit.words.0] += hit.weight;
        }
        for (at, weight) in weak {
            let word = words.partition_point(|w| w.span.end <= *at);
            if let Some(sum) = signed.get_mut(word) {
                *sum += weight;
            }
        }
        Weighed { words, classified, signed, hits }
    }

    fn flag(&self, weighed: &Weighed, channel: Channel, context: Context) -> (f32, Vec<Flagged>) {
        let classified = running(&weighed.classified);
        let signed = running(&weighed.signed);
        let mut best = f32::NEG_INFINITY;
        let mut flagged: Vec<Flagged> = Vec::new();
        let tries = tries(weighed.words.len());
        for (from, to) in stretches(weighed.words.len()) {
            let signs = (signed[to] - signed[from]).clamp(LEAST_SIGNED, MOST_SIGNED);
            #[expect(clippy::cast_possible_truncation, reason = "log odds of a few dozen words")]
            let (sum, signs_near) = ((classified[to] - classified[from]) as f32, signs as f32);
            let log_odds = self.classifier.log_odds(sum, to - from) + signs_near;
            best = best.max(log_odds);
            let lenience = context.lenience(to - from, signs >= CERTAIN);
            let over = log_odds - self.thresholds.of(channel) - lenience - tries;
            if over < 0.0 {
                continue;
            }
            match flagged.last_mut() {
                Some(last) if last.to > from => {
                    last.to = last.to.max(to);
                    last.from = last.from.min(from);
                    last.over = last.over.max(over);
                    last.log_odds = last.log_odds.max(log_odds);
                }
                _ => flagged.push(Flagged { from, to, log_odds, over }),
            }
        }
        (best, flagged)
    }

    fn encoded(&self, text: &str, words: &[Word], channel: Channel, depth: usize, threats: &mut Vec<Threat>) {
        for decoded in decode::decode(text, words, &self.lexicon) {
            let inner = self.assess_at(&decoded.text, channel, Context::default(), depth - 1);
            let worst = inner.threats.iter().map(|t| t.score).fold(0.0, f32::max);
            if !inner.threats.is_empty() {
                threats.push(Threat {
                    kind: Kind::EncodedInstruction,
                    layer: Layer::Encoding,
                    severity: Severity::Critical,
                    score: worst,
                    span: decoded.span,
                    pattern: Some(decoded.encoding),
                });
            }
        }
    }
}

impl Weighed {
    fn span(&self, from: usize, to: usize) -> Range<usize> {
        match (self.words.get(from), self.words.get(to.saturating_sub(1))) {
            (Some(first), Some(last)) => first.span.start..last.span.end.max(first.span.end),
            _ => 0..0,
        }
    }

    /// The clauses of a flagged stretch that speak for an attack, neighbours together.
    fn clauses(&self, stretch: &Flagged, channel: Channel, threats: &mut Vec<Threat>) {
        let damp = damping(stretch.to - stretch.from);
        let mut clauses: Vec<(usize, usize, f32)> = Vec::new();
        let mut from = stretch.from;
        for to in stretch.from + 1..=stretch.to {
            let opens = to == stretch.to
                || self.words[to].opens
                || (CONNECTORS.contains(&self.words[to].text.as_str()) && to - from > 1);
            if opens {
                let weight = (from..to).map(|i| self.classified[i] * damp + self.signed[i]).sum();
                clauses.push((from, to, weight));
                from = to;
            }
        }
        let worst = clauses.iter().map(|(.., weight)| *weight).fold(1.0, f32::max);
        let mut parts: Vec<(usize, usize)> = Vec::new();
        for (from, to, _) in clauses.into_iter().filter(|(.., weight)| *weight >= PART_OF_IT * worst) {
            match parts.last_mut() {
                Some(last) if last.1 == from => last.1 = to,
                _ => parts.push((from, to)),
            }
        }
        if parts.is_empty() {
            parts.push((stretch.from, stretch.to));
        }
        threats.extend(parts.into_iter().map(|(from, to)| self.threat(from, to, stretch, channel)));
    }

    fn threat(&self, from: usize, to: usize, stretch: &Flagged, channel: Channel) -> Threat {
        let start = self.hits.partition_point(|h| h.words.0 < from);
        let inside = self.hits[start..].iter().take_while(|h| h.words.0 < to).filter(|h| h.weight >= 1.0);
        let sign = inside.max_by(|a, b| a.weight.total_cmp(&b.weight));
        let unnamed = match channel {
            Channel::Voice => Kind::InstructionInjection,
            Channel::Email | Channel::Document | Channel::Tool => Kind::IndirectInstruction,
        };
        let severity = match stretch.over {
            over if over < 0.5 => Severity::Low,
            over if over < 1.5 => Severity::Medium,
            over if over < 4.0 => Severity::High,
            _ => Severity::Critical,
        };
        Threat {
            kind: sign.map_or(unnamed, |h| h.kind),
            layer: if sign.is_some() { Layer::Signature } else { Layer::Classifier },
            severity,
            score: probability(stretch.log_odds),
            span: self.span(from, to),
            pattern: sign.map(|h| h.name),
        }
    }
}

fn structural(
    layer: Layer,
    kind: Kind,
    weight: f32,
    span: Range<usize>,
    pattern: Option<&'static str>,
) -> Threat {
    let severity = if weight >= 4.5 { Severity::Critical } else { Severity::High };
    Threat { kind, layer, severity, score: probability(weight), span, pattern }
}

/// The stretches of so many words that are judged, in order of their beginning.
fn stretches(words: usize) -> impl Iterator<Item = (usize, usize)> {
    let whole = (words > 0 && words <= WHOLE).then_some((0, words));
    let some = if words > STRETCH + STRIDE / 2 { words - STRETCH } else { 0 };
    let steps = some.div_ceil(STRIDE) + usize::from(some > 0);
    whole.into_iter().chain((0..steps).map(move |i| {
        let from = (i * STRIDE).min(some);
        (from, from + STRETCH)
    }))
}

/// Log odds added to the threshold of a long text: many stretches are as many chances for a false alarm.
fn tries(words: usize) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "a count")]
    let count = (words.saturating_sub(STRETCH) / STRIDE + 1) as f32;
    (0.25 * count.ln()).min(1.0)
}

fn running(values: &[f32]) -> Vec<f64> {
    let mut sum = 0.0;
    std::iter::once(0.0)
        .chain(values.iter().map(|v| {
            sum += f64::from(*v);
            sum
        }))
        .collect()
}

/// Log odds as a probability.
pub(super) fn probability(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn stretches_cover_every_word() {
        for words in 0..200 {
            let all: Vec<_> = stretches(words).collect();
            assert!((0..words).all(|w| all.iter().any(|(from, to)| (*from..*to).contains(&w))), "{words}");
            assert!(all.iter().all(|(from, to)| from < to && *to <= words), "{words}");
        }
    }

    #[test]
    fn thresholds_with_an_unknown_channel_are_refused() {
        let error = Thresholds::parse("voice=1.0\nemail=1.0\ndocument=1.0\ntool=1.0\nfax=1.0").unwrap_err();
        assert!(error.to_string().contains("fax"), "{error}");
    }
}
