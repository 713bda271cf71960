//! Earlier items that may be about the same: the same place and matter, or the same words.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::clipped;
use super::seen::{Seen, about, place};
use crate::hub::case::CaseItem;

/// Days within which two reports may tell of the same.
const DAYS: i64 = 30;
/// Share of words that two texts have in common.
const SAME_PLACE: f64 = 0.6;
const SAME_MATTER: f64 = 0.3;
const SAME_WORDS: f64 = 0.6;
/// From so many on, it is a pattern and no accident.
const PATTERN: usize = 3;

/// Words that say nothing about what is meant.
const EMPTY: [&str; 34] = [
    "the", "and", "for", "that", "this", "there", "with", "has", "have", "had", "was", "were", "are", "is",
    "it", "on", "in", "at", "of", "to", "a", "an", "my", "near", "next", "street", "avenue", "road", "st",
    "ave", "rd", "i", "big", "very",
];

pub(super) fn work(seen: &Seen, may_refer: bool) -> Value {
    let mut duplicates = Vec::new();
    let mut reasons = Vec::new();
    for other in &seen.related {
        if let Some(why) = seen.items.iter().find_map(|item| alike(item, other)) {
            duplicates.push(other.reference.clone());
            reasons.push(format!("{}: {why}", other.reference));
        }
    }
    duplicates.truncate(20);
    reasons.truncate(20);
    let summary = if duplicates.is_empty() {
        "Nothing earlier is about the same.".to_owned()
    } else {
        format!("May be about the same: {}.", duplicates.join(", "))
    };
    let mut output = json!({
        "summary": clipped(&summary), "confidence": 0.85, "duplicates": duplicates, "reasons": reasons,
    });
    if may_refer && duplicates.len() >= PATTERN {
        let reason = format!("{} earlier items are about the same", duplicates.len());
        output["refer"] = json!({ "team": "analytics_reporting", "reason": reason });
    }
    output
}

/// Whether an item is worth comparing with a case at all: the hub gives a specialist only such.
#[must_use]
pub fn is_related(item: &CaseItem, other: &CaseItem) -> bool {
    item.reference != other.reference
        && (alike(item, other).is_some()
            || share(place(item).unwrap_or_default(), place(other).unwrap_or_default()) >= SAME_PLACE)
}

fn alike(item: &CaseItem, other: &CaseItem) -> Option<&'static str> {
    if item.reference == other.reference || (item.created_at - other.created_at).num_days().abs() > DAYS {
        return None;
    }
    let (here, there) = (place(item).unwrap_or_default(), place(other).unwrap_or_default());
    let (this, that) = (about(item).unwrap_or_default(), about(other).unwrap_or_default());
    if share(here, there) >= SAME_PLACE && share(this, that) >= SAME_MATTER {
        return Some("same place and same matter");
    }
    let same_kind = item.kind == other.kind;
    (same_kind && here.is_empty() == there.is_empty() && here.is_empty() && share(this, that) >= SAME_WORDS)
        .then_some("same words")
}

/// Share of the words of the shorter text that the other has too; 0 where one has none.
#[allow(clippy::cast_precision_loss)] // some hundred words
fn share(one: &str, other: &str) -> f64 {
    let (one, other) = (significant(one), significant(other));
    let fewer = one.len().min(other.len());
    if fewer == 0 { 0.0 } else { one.intersection(&other).count() as f64 / fewer as f64 }
}

fn significant(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|word| !word.is_empty() && !EMPTY.contains(&word.as_str())).collect()
}
