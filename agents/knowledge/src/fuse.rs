//! Putting keyword and vector results together: an order out of scores and of reciprocal rank fusion, and one
//! calibrated 0–1 score for how much a passage really says about the question.
//!
//! Rank fusion alone throws away how much better the first result is than the tenth, and lies between its two lists
//! where one of them is much the better. So the order is made of the scores: likeness as it is, BM25 as a share of the
//! best passage's, and reciprocal ranks for what the two agree on. What the weights do is in `benches/src/bin/retrieval.rs`.

/// Standard constant of reciprocal rank fusion.
const K: f32 = 60.0;
/// What the best BM25 of a question is worth beside a cosine.
const KEYWORD_WEIGHT: f32 = 0.12;
/// The same where the caller broke off and began again: the vector of such a text is blurred, its rare words are not.
const REPAIRED_KEYWORD_WEIGHT: f32 = 0.2;
/// What being first in both lists is worth, and how much of it the vectors' list gives.
const RANK_WEIGHT: f32 = 0.03;
const VECTOR_SHARE: f32 = 0.6;
/// What likeness to the middle of a section's questions is worth beside likeness to the nearest of them.
const CENTRE_WEIGHT: f32 = 0.5;
/// Re-ranking: neighbours in the question that are neighbours in the passage, title and heading, numbers.
const CLOSENESS_WEIGHT: f32 = 0.03;
const HEAD_WEIGHT: f32 = 0.02;
const NUMBERS_WEIGHT: f32 = 0.05;
/// What a page in the language of the question is worth, beside one in another that says the same.
const OWN_LANGUAGE_WEIGHT: f32 = 0.35;

/// Evidence about one passage.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Evidence {
    pub bm25: f32,
    /// Share of the query's weight found in the passage.
    pub coverage: f32,
    pub cosine: Option<f32>,
    /// Likeness to the middle of what the passage's section is known to answer.
    pub centre: Option<f32>,
    /// Share of the query's neighbours that are neighbours here.
    pub closeness: f32,
    /// Share of the query's weight found in title and heading.
    pub head: f32,
    /// Share of the query's numbers found in the passage.
    pub numbers: f32,
    /// The query has one or two content words and the collection knows none of them: likeness of a mere
    /// sound ("flurb" and "flu") is no meaning.
    pub scrap: bool,
    /// The query has several content words, and one of them alone is in the passage.
    pub lone: bool,
    /// The question is Spanish, and so is the passage, which has most of its words.
    pub own_language: bool,
}

/// How a search ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    Keyword,
    Vector,
    #[default]
    Hybrid,
}

/// Order of the passages, best first, as indices with their relevance score. Passages with no evidence at all
/// are left out. `repaired`: the question is one that the caller broke off and began again.
#[must_use]
pub fn rank(evidence: &[Evidence], method: Method, repaired: bool) -> Vec<(usize, f32)> {
    let keyword = ranks(evidence, |e| e.bm25);
    let vector = ranks(evidence, |e| e.cosine.unwrap_or(f32::MIN));
    let best = evidence.iter().map(|e| e.bm25).fold(f32::MIN_POSITIVE, f32::max);
    let weight = if repaired { REPAIRED_KEYWORD_WEIGHT } else { KEYWORD_WEIGHT };
    let blind = evidence.iter().all(|e| e.cosine.is_none());
    let fused = |n: usize, e: &Evidence| {
        let words = e.bm25 / best;
        let own = if e.own_language { OWN_LANGUAGE_WEIGHT } else { 0.0 };
        let close = own + CLOSENESS_WEIGHT * e.closeness + HEAD_WEIGHT * e.head + NUMBERS_WEIGHT * e.numbers;
        let by_keyword = if e.bm25 > 0.0 { (K + 1.0) / (K + keyword[n]) } else { 0.0 };
        let by_vector = if e.cosine.is_some() { (K + 1.0) / (K + vector[n]) } else { 0.0 };
        match method {
            Method::Vector => e.cosine.unwrap_or(0.0),
            Method::Keyword => words + close,
            Method::Hybrid if blind => words + close,
            Method::Hybrid => {
                let ranks = VECTOR_SHARE * by_vector + (1.0 - VECTOR_SHARE) * by_keyword;
                e.cosine.unwrap_or(0.0).max(0.0)
                    + CENTRE_WEIGHT * e.centre.unwrap_or(0.0)
                    + weight * words
                    + RANK_WEIGHT * ranks
                    + close
            }
        }
    };
    let mut order: Vec<(usize, f32, f32)> = evidence
        .iter()
        .enumerate()
        .filter(|(_, e)| match method {
            Method::Keyword => e.bm25 > 0.0,
            Method::Vector => e.cosine.is_some_and(|c| c > 0.0),
            Method::Hybrid => e.bm25 > 0.0 || e.cosine.is_some_and(|c| c > 0.0),
        })
        .map(|(n, e)| (n, fused(n, e), relevance(e, method)))
        .collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    order.into_iter().map(|(n, _, relevance)| (n, relevance)).collect()
}

fn ranks(evidence: &[Evidence], by: impl Fn(&Evidence) -> f32) -> Vec<f32> {
    let mut order: Vec<usize> = (0..evidence.len()).collect();
    order.sort_by(|&a, &b| by(&evidence[b]).total_cmp(&by(&evidence[a])).then(a.cmp(&b)));
    let mut ranks = vec![0.0; evidence.len()];
    for (rank, n) in order.into_iter().enumerate() {
        ranks[n] = (rank + 1) as f32;
    }
    ranks
}

/// Calibrated 0–1 relevance. MiniLM cosines on county questions: unrelated under 0.25, related from 0.45;
/// keyword coverage is worth less alone, since a common word can carry it.
#[must_use]
pub fn relevance(evidence: &Evidence, method: Method) -> f32 {
    let vector = evidence.cosine.map(|c| logistic((c - 0.40) * 11.0));
    // Without a vector to say otherwise, one word of several is a coincidence ("fix my printer").
    let blind = method == Method::Keyword || vector.is_none();
    let middle = if blind && evidence.lone { 0.56 } else { 0.50 };
    let keyword = if evidence.bm25 > 0.0 { logistic((evidence.coverage - middle) * 6.0) } else { 0.0 };
    match (method, vector) {
        (Method::Keyword, _) | (Method::Hybrid, None) => keyword,
        (Method::Vector, vector) => vector.unwrap_or(0.0),
        // Agreement of both counts for more than either.
        (Method::Hybrid, Some(vector)) => {
            let trust = if evidence.scrap { 0.6 } else { 1.0 };
            trust
                * (0.65 * vector.max(keyword * 0.8)
                    + 0.35 * (vector + keyword) / 2.0
                    + 0.15 * vector * keyword)
                    .min(1.0)
        }
    }
}

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn evidence(bm25: f32, coverage: f32, cosine: f32) -> Evidence {
        Evidence { bm25, coverage, cosine: Some(cosine), ..Evidence::default() }
    }

    #[test]
    fn agreement_beats_one_sided_evidence() {
        let some = [evidence(5.0, 0.9, 0.1), evidence(4.0, 0.8, 0.6), evidence(0.0, 0.0, 0.5)];
        assert_eq!(rank(&some, Method::Hybrid, false)[0].0, 1);
    }

    #[test]
    fn a_clear_winner_of_either_side_comes_before_what_is_middling_in_both() {
        let mut some = vec![evidence(9.0, 1.0, 0.25), evidence(0.0, 0.0, 0.75)];
        some.extend((0..20).map(|n| evidence(2.0 - n as f32 / 20.0, 0.3, 0.3 - n as f32 / 100.0)));
        let first: Vec<usize> =
            rank(&some, Method::Hybrid, false).into_iter().take(2).map(|(n, _)| n).collect();
        assert!(first.contains(&0) && first.contains(&1), "{first:?}");
    }

    #[test]
    fn numbers_neighbours_and_headings_part_what_is_else_alike() {
        let plain = evidence(3.0, 0.5, 0.5);
        for better in [
            Evidence { numbers: 1.0, ..plain },
            Evidence { closeness: 1.0, ..plain },
            Evidence { head: 1.0, ..plain },
        ] {
            assert_eq!(rank(&[plain, better], Method::Hybrid, false)[0].0, 1, "{better:?}");
        }
    }

    #[test]
    fn no_evidence_is_no_result() {
        assert!(rank(&[Evidence::default()], Method::Hybrid, false).is_empty());
        assert!(rank(&[evidence(0.0, 0.0, 0.9)], Method::Keyword, false).is_empty());
    }

    proptest! {
        #[test]
        fn relevance_is_in_range_and_grows_with_the_cosine(b in 0.0..9f32, c in 0.0..=1f32, v in -1.0..=0.9f32) {
            for method in [Method::Keyword, Method::Vector, Method::Hybrid] {
                let low = relevance(&evidence(b, c, v), method);
                let high = relevance(&evidence(b, c, v + 0.1), method);
                prop_assert!((0.0..=1.0).contains(&low) && low <= high + 1e-6);
            }
        }
    }
}
