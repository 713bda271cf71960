//! Putting keyword and vector results together: weighted reciprocal rank fusion for the order, and one
//! calibrated 0–1 score for how much a passage really says about the question.

/// Standard constant of reciprocal rank fusion.
const K: f32 = 60.0;
const KEYWORD_WEIGHT: f32 = 1.0;
const VECTOR_WEIGHT: f32 = 1.0;

/// Evidence about one passage.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Evidence {
    pub bm25: f32,
    /// Share of the query's weight found in the passage.
    pub coverage: f32,
    pub cosine: Option<f32>,
    /// The query has one or two content words and the collection knows none of them: likeness of a mere
    /// sound ("flurb" and "flu") is no meaning.
    pub scrap: bool,
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
/// are left out.
#[must_use]
pub fn rank(evidence: &[Evidence], method: Method) -> Vec<(usize, f32)> {
    let keyword = ranks(evidence, |e| e.bm25);
    let vector = ranks(evidence, |e| e.cosine.unwrap_or(0.0));
    let mut order: Vec<(usize, f32, f32)> = evidence
        .iter()
        .enumerate()
        .map(|(n, e)| (n, fused(method, keyword[n], vector[n], e), relevance(e, method)))
        .filter(|(_, fused, _)| *fused > 0.0)
        .collect();
    order.sort_by(|a, b| (b.1 + b.2 * 0.02).total_cmp(&(a.1 + a.2 * 0.02)).then(a.0.cmp(&b.0)));
    order.into_iter().map(|(n, _, relevance)| (n, relevance)).collect()
}

fn fused(method: Method, keyword: f32, vector: f32, evidence: &Evidence) -> f32 {
    let by_keyword = if evidence.bm25 > 0.0 { KEYWORD_WEIGHT / (K + keyword) } else { 0.0 };
    let by_vector = if evidence.cosine.is_some_and(|c| c > 0.0) { VECTOR_WEIGHT / (K + vector) } else { 0.0 };
    match method {
        Method::Keyword => by_keyword,
        Method::Vector => by_vector,
        Method::Hybrid => by_keyword + by_vector,
    }
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
    let keyword = if evidence.bm25 > 0.0 { logistic((evidence.coverage - 0.50) * 6.0) } else { 0.0 };
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
        Evidence { bm25, coverage, cosine: Some(cosine), scrap: false }
    }

    #[test]
    fn agreement_beats_one_sided_evidence() {
        let ranked = rank(
            &[evidence(5.0, 0.9, 0.1), evidence(4.0, 0.8, 0.6), evidence(0.0, 0.0, 0.5)],
            Method::Hybrid,
        );
        assert_eq!(ranked[0].0, 1);
    }

    #[test]
    fn no_evidence_is_no_result() {
        assert!(rank(&[Evidence::default()], Method::Hybrid).is_empty());
        assert!(rank(&[evidence(0.0, 0.0, 0.9)], Method::Keyword).is_empty());
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
