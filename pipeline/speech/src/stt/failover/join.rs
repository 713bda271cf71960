//! One text of two: what the first recogniser heard of an utterance, and what the next one heard from some place in it
//! on. The audio of both overlaps, so the words at the seam come twice. Pure.
#![deny(clippy::disallowed_methods)]

/// Words of the second text in front of the repetition: the cut may have gone through a word, and the two may have
/// heard some words differently.
const MOST_BEFORE: usize = 12;
/// Words at the end of the first text that are not repeated: they may have been unfinished.
const MOST_LOOSE: usize = 2;

/// `head`, and of `rest` what is not in it yet. Where no repetition is found all of both stays: better twice than lost.
pub(super) fn join(head: &str, rest: &str) -> String {
    let old: Vec<&str> = head.split_whitespace().collect();
    let new: Vec<&str> = rest.split_whitespace().collect();
    let (keep, skip) = seam(&old, &new).unwrap_or((old.len(), 0));
    old[..keep].iter().chain(&new[skip..]).copied().collect::<Vec<_>>().join(" ")
}

/// How many words of the first stay, and how many of the second go.
fn seam(old: &[&str], new: &[&str]) -> Option<(usize, usize)> {
    let old: Vec<String> = old.iter().map(|word| bare(word)).collect();
    let new: Vec<String> = new.iter().map(|word| bare(word)).collect();
    let mut best: Option<(usize, usize, usize)> = None;
    for loose in 0..=MOST_LOOSE.min(old.len()) {
        let old = &old[..old.len() - loose];
        for before in 0..=MOST_BEFORE.min(new.len()) {
            let Some(length) = repeated(old, &new[before..]) else { continue };
            let longest = best.map_or(0, |(length, ..)| length);
            if length > longest && length >= wanted(before, loose) {
                best = Some((length, old.len(), before + length));
            }
        }
    }
    best.map(|(_, keep, skip)| (keep, skip))
}

/// The further from the seam, the more words it takes to be no coincidence.
const fn wanted(before: usize, loose: usize) -> usize {
    match (before, loose) {
        (0, 0) => 1,
        (0..=2, _) => 2,
        _ => 3,
    }
}

/// The longest end of `old` that `new` begins with.
fn repeated(old: &[String], new: &[String]) -> Option<usize> {
    (1..=old.len().min(new.len())).rev().find(|n| old.ends_with(&new[..*n]))
}

fn bare(word: &str) -> String {
    let letters: String = word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    if letters.is_empty() { word.to_owned() } else { letters }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_at_the_seam_come_once_and_no_other_is_lost() {
        for (head, rest, whole) in [
            ("The tree on Maple", "Street fell.", "The tree on Maple Street fell."),
            ("The tree on Maple Street", "maple street, it fell.", "The tree on Maple Street it fell."),
            ("a crew came by on", "um came by on Friday", "a crew came by on Friday"),
            ("it blocks the whole ro", "blocks the whole road", "it blocks the whole road"),
            ("it is by the old mill", "is by an old mill now", "it is by the old mill is by an old mill now"),
            ("", "Hello there.", "Hello there."),
            ("Hello there.", "", "Hello there."),
            ("near the school", "the bus stops there", "near the school the bus stops there"),
        ] {
            assert_eq!(join(head, rest), whole);
        }
    }

    proptest! {
        #[test]
        fn a_text_that_was_cut_with_an_overlap_is_whole_again(
            count in 4usize..60, cut in 0usize..60, overlap in 1usize..12,
        ) {
            let words: Vec<String> = (0..count).map(|n| format!("w{n}")).collect();
            let cut = cut.min(count);
            let from = cut.saturating_sub(overlap);
            prop_assert_eq!(join(&words[..cut].join(" "), &words[from..].join(" ")), words.join(" "));
        }
    }
}
