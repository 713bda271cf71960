//! A sentence beside the sentences of its sources: what was not seen changes nothing, and what has nothing to do with a page is no error.
#![allow(clippy::unwrap_used)]

use governance::judge::{Evidence, Severity, Sight, Sights, aligned, compared, facts_of};

const PAGE: &str = "A dog license costs $10. Licenses are sold at the shelter.";

/// A vector along one axis, and tokens of the same.
fn sight(axis: usize) -> Sight {
    let mut vector = vec![0.0; 384];
    vector[axis] = 1.0;
    let tokens: Vec<f32> = vector.iter().copied().cycle().take(384 * 5).collect();
    Sight { vector: vector.into(), tokens: tokens.into() }
}

fn errors(issues: &[governance::judge::ValidationIssue]) -> usize {
    issues.iter().filter(|issue| issue.severity == Severity::Error).count()
}

#[test]
fn a_source_that_was_not_seen_leaves_the_values_alone() {
    let evidence = Evidence::of([PAGE], []);
    let said = "A dog license costs $15.";
    let half: Sights = [said, "A dog license costs $10."].map(|text| (text.to_owned(), sight(0))).into();
    assert_eq!(compared(said, &evidence, &[], &half), facts_of(said, &evidence, &[]));
    assert_eq!(errors(&facts_of(said, &evidence, &[])), 1);
}

#[test]
fn the_pages_own_words_are_right() {
    let evidence = Evidence::of([PAGE], []);
    let sights: Sights = governance::judge::sentences(PAGE)
        .into_iter()
        .enumerate()
        .map(|(n, text)| (text, sight(n)))
        .collect();
    assert_eq!(errors(&compared(PAGE, &evidence, &[], &sights)), 0);
}

#[test]
fn shipped_weights_are_read_and_written_alike() {
    let bytes = include_bytes!("../data/judge/weights.bin");
    let heads = aligned::from_bytes(bytes).unwrap();
    assert_eq!(aligned::to_bytes(&heads), bytes);
    assert!(aligned::from_bytes(&bytes[..bytes.len() - 4]).is_none());
}
