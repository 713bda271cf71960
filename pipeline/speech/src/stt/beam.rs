//! Beam search over a decoder's tokens. Pure: logits go in, what to decode next comes out.

use super::clean::repeats;

/// One sequence of tokens.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line {
    pub tokens: Vec<i64>,
    /// Sum of its tokens' log-probabilities, the end's included once it is over.
    pub score: f32,
    /// It went round in a circle and was cut to the first instance.
    pub looped: bool,
}

impl Line {
    /// Mean log-probability of a token; the end counts as one.
    pub fn mean(&self) -> f32 {
        self.score / (self.tokens.len() + 1) as f32
    }
}

/// A search for the likeliest lines.
#[derive(Debug)]
pub(super) struct Search {
    width: usize,
    limit: usize,
    end: i64,
    live: Vec<Line>,
    done: Vec<Line>,
}

/// What the decoder is asked next: for each live line its last token and the row of the past it goes on from.
#[derive(Debug, PartialEq)]
pub(super) struct Next {
    pub tokens: Vec<i64>,
    pub rows: Vec<i64>,
}

impl Search {
    /// Keeps `width` lines of at most `limit` tokens; `end` is the token that ends one.
    pub fn new(width: usize, limit: usize, end: i64) -> Self {
        Self { width, limit, end, live: vec![Line::default()], done: Vec::new() }
    }

    /// Takes the logits of all live lines, one row of the vocabulary each. Tokens for which `barred` holds are not
    /// taken. Gives `None` when the search is over.
    pub fn advance(&mut self, logits: &[f32], barred: impl Fn(i64) -> bool) -> Option<Next> {
        let vocabulary = logits.len() / self.live.len().max(1);
        let mut candidates: Vec<(f32, usize, i64)> = Vec::new();
        for (row, (line, logits)) in self.live.iter().zip(logits.chunks_exact(vocabulary.max(1))).enumerate()
        {
            let best = best(logits, 2 * self.width, &barred);
            candidates.extend(best.into_iter().map(|(token, score)| (line.score + score, row, token)));
        }
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (mut live, mut next) = (Vec::new(), Next { tokens: Vec::new(), rows: Vec::new() });
        for (rank, (score, row, token)) in candidates.into_iter().enumerate() {
            let mut line = Line { score, ..self.live[row].clone() };
            if token == self.end {
                // An end that lost against others is no end.
                if rank < self.width {
                    self.done.push(line);
                }
                continue;
            }
            line.tokens.push(token);
            if let Some(kept) = repeats(&line.tokens) {
                line.score *= (kept + 1) as f32 / (line.tokens.len() + 1) as f32;
                line.tokens.truncate(kept);
                line.looped = true;
                self.done.push(line);
                continue;
            }
            next.tokens.push(token);
            next.rows.push(row as i64);
            live.push(line);
            if live.len() == self.width {
                break;
            }
        }
        self.live = live;
        let is_over = self.done.len() >= self.width
            || self.live.is_empty()
            || self.live[0].tokens.len() >= self.limit
            || self.is_beaten();
        (!is_over).then_some(next)
    }

    /// No live line can become better than what is done: their scores only fall.
    fn is_beaten(&self) -> bool {
        let best = self.done.iter().map(Line::mean).fold(f32::MIN, f32::max);
        self.live.iter().all(|l| l.score / (self.limit + 1) as f32 <= best && l.mean() + BEATEN < best)
    }

    /// The lines that were found, likeliest first. Lines that were not over count when no other is there.
    pub fn lines(mut self) -> Vec<Line> {
        if self.done.is_empty() {
            self.done = self.live;
        }
        self.done.sort_by(|a, b| b.mean().total_cmp(&a.mean()));
        self.done
    }
}

/// A mean log-probability this much worse is not made good any more.
const BEATEN: f32 = 0.5;
/// Differences beyond this add nothing that matters to the sum.
const NEGLIGIBLE: f32 = -12.0;

/// The `count` likeliest tokens and their log-probabilities.
fn best(logits: &[f32], count: usize, barred: impl Fn(i64) -> bool) -> Vec<(i64, f32)> {
    let max = logits.iter().copied().fold(f32::MIN, f32::max);
    let sum: f32 = logits.iter().map(|v| v - max).filter(|&d| d > NEGLIGIBLE).map(f32::exp).sum();
    let shift = max + sum.max(1.0).ln();
    let mut top: Vec<(i64, f32)> = Vec::with_capacity(count + 1);
    for (token, &value) in logits.iter().enumerate() {
        let token = token as i64;
        if (top.len() == count && value <= top[count - 1].1) || barred(token) {
            continue;
        }
        let at = top.partition_point(|&(_, v)| v >= value);
        top.insert(at, (token, value));
        top.truncate(count);
    }
    top.into_iter().map(|(token, value)| (token, value - shift)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const END: i64 = 0;

    fn logits(of: &[(usize, f32)]) -> Vec<f32> {
        let mut row = vec![-20.0; 6];
        for &(token, value) in of {
            row[token] = value;
        }
        row
    }

    #[test]
    fn one_line_is_the_greedy_choice() {
        let mut search = Search::new(1, 10, END);
        let next = search.advance(&logits(&[(1, 3.0), (2, 1.0)]), |_| false).unwrap();
        assert_eq!(next, Next { tokens: vec![1], rows: vec![0] });
        assert_eq!(search.advance(&logits(&[(0, 5.0)]), |_| false), None);
        let lines = search.lines();
        assert_eq!(lines[0].tokens, [1]);
        assert!((lines[0].mean() - (-(1.0f32 + (-2.0f32).exp()).ln() / 2.0)).abs() < 1e-3);
    }

    #[test]
    fn a_line_that_begins_worse_may_win() {
        let mut search = Search::new(2, 10, END);
        let next = search.advance(&logits(&[(1, 1.0), (2, 0.8)]), |_| false).unwrap();
        assert_eq!(next.tokens, [1, 2]);
        // The first goes on in doubt, the second is sure of its end.
        let rows = [logits(&[(3, 1.0), (4, 1.0), (5, 1.0)]), logits(&[(0, 9.0)])].concat();
        search.advance(&rows, |_| false);
        assert_eq!(search.lines()[0].tokens, [2]);
    }

    #[test]
    fn what_is_barred_is_not_taken_and_the_limit_ends_it() {
        let mut search = Search::new(1, 2, END);
        let next = search.advance(&logits(&[(1, 3.0), (2, 1.0)]), |t| t == 1).unwrap();
        assert_eq!(next.tokens, [2]);
        assert_eq!(search.advance(&logits(&[(1, 3.0)]), |_| false), None);
        assert_eq!(search.lines()[0].tokens, [2, 1]);
    }

    #[test]
    fn a_circle_is_cut_to_its_first_round() {
        let mut search = Search::new(1, 100, END);
        for _ in 0..4 {
            for token in 1..=5 {
                if search.advance(&logits(&[(token, 9.0)]), |_| false).is_none() {
                    let lines = search.lines();
                    assert_eq!((&lines[0].tokens[..], lines[0].looped), (&[1, 2, 3, 4, 5][..], true));
                    return;
                }
            }
        }
        panic!("it went on");
    }
}
