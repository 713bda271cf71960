//! How much of a node is told: one line, a paragraph, or all of it, as a budget of tokens allows.
#![deny(clippy::disallowed_methods)]

use serde::{Deserialize, Serialize};

/// Most tokens of a micro text and of a summary (the memory architecture asks for some 15 and 50 to 150).
pub const MICRO_TOKENS: usize = 20;
pub const SUMMARY_TOKENS: usize = 150;

/// How much of a node is told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// For lists, scans and audits.
    Micro,
    /// For reasoning.
    #[default]
    Summary,
    /// Everything.
    Full,
}

/// Tokens of a text, estimated from above for English and Spanish: a token per word or per four characters, whichever
/// gives more.
#[must_use]
pub fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4).max(text.split_whitespace().count())
}

/// Tokens of a node at each resolution that it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    pub micro: usize,
    pub summary: Option<usize>,
    /// `None` also where nobody asked for it.
    pub full: Option<usize>,
}

/// At which resolution to tell each node, best first, so that all together stay within a budget. `None`: not at all.
///
/// First as many as fit are told in one line. What is left goes to the best `expand`, which are told in full or else in
/// summary, then to summaries of the others. So ten thousand decisions can be scanned for 150,000 tokens, and the five
/// that matter read for a few thousand.
#[must_use]
pub fn plan(nodes: &[Sizes], budget: usize, expand: usize) -> Vec<Option<Resolution>> {
    let mut left = budget;
    let mut told = vec![None; nodes.len()];
    for (node, told) in nodes.iter().zip(&mut told) {
        if node.micro > left {
            break;
        }
        left -= node.micro;
        *told = Some(Resolution::Micro);
    }
    for (rank, (node, told)) in
        nodes.iter().zip(&mut told).enumerate().filter(|(_, (_, told))| told.is_some())
    {
        let full = node.full.filter(|_| rank < expand).map(|size| (size, Resolution::Full));
        let summary = node.summary.map(|size| (size, Resolution::Summary));
        for (size, resolution) in [full, summary].into_iter().flatten() {
            let more = size.saturating_sub(node.micro);
            if more <= left {
                left -= more;
                *told = Some(resolution);
                break;
            }
        }
    }
    told
}

/// Tokens that a node takes at a resolution; where it lacks it, at the next lower one that it has.
#[must_use]
pub fn size_at(node: &Sizes, resolution: Resolution) -> usize {
    let summary = node.summary.unwrap_or(node.micro);
    match resolution {
        Resolution::Micro => node.micro,
        Resolution::Summary => summary,
        Resolution::Full => node.full.unwrap_or(summary),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_scan_of_ten_thousand_fits_where_full_texts_do_not() {
        let node = Sizes { micro: 15, summary: Some(100), full: Some(500) };
        let all = vec![node; 10_000];
        let told = plan(&all, 150_000, 5);
        assert!(told.iter().all(|told| *told == Some(Resolution::Micro)));
        let few = plan(&all[..200], 8_000, 5);
        assert_eq!(few.iter().filter(|told| **told == Some(Resolution::Full)).count(), 5);
        assert!(few.iter().all(Option::is_some) && few[5] == Some(Resolution::Summary));
    }

    #[test]
    fn what_does_not_fit_in_full_is_told_in_summary() {
        let long = Sizes { micro: 10, summary: Some(60), full: Some(9_000) };
        assert_eq!(plan(&[long], 100, 1), [Some(Resolution::Summary)]);
        assert_eq!(plan(&[long], 30, 1), [Some(Resolution::Micro)]);
        assert_eq!(plan(&[long], 9, 1), [None]);
        assert_eq!(plan(&[long], 9_000, 0), [Some(Resolution::Summary)], "nobody asked for more");
    }

    #[test]
    fn tokens_are_not_fooled_by_long_words() {
        assert_eq!(tokens("a b c"), 3);
        assert_eq!(tokens(&"x".repeat(400)), 100);
        assert_eq!(tokens(""), 0);
    }

    proptest! {
        #[test]
        fn a_budget_is_never_exceeded(
            nodes in prop::collection::vec((0..30_usize, prop::option::of(0..200_usize), prop::option::of(0..5000_usize)), 0..60),
            budget in 0..4000_usize,
            expand in 0..8_usize,
        ) {
            let nodes: Vec<Sizes> =
                nodes.into_iter().map(|(micro, summary, full)| Sizes { micro, summary, full }).collect();
            let told = plan(&nodes, budget, expand);
            let spent: usize = nodes.iter().zip(&told).filter_map(|(n, told)| Some(size_at(n, (*told)?))).sum();
            prop_assert!(spent <= budget, "{spent} of {budget}");
            let gap = told.iter().position(Option::is_none).unwrap_or(told.len());
            prop_assert!(told[gap..].iter().all(Option::is_none), "a worse one in place of a better");
            prop_assert!(told.iter().skip(expand).all(|t| *t != Some(Resolution::Full)));
        }
    }
}
