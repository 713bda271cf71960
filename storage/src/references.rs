//! References that a caller can write down: `INC-4821`.

use rand::{Rng, RngExt};

use crate::records::WorkKind;

/// Tries before giving up; by then six digits are drawn, so this means about a million open references.
pub(crate) const TRIES: u32 = 24;

/// Letters that say what it is.
#[must_use]
pub const fn prefix(kind: WorkKind) -> &'static str {
    match kind {
        WorkKind::Incident => "INC",
        WorkKind::Inspection => "INS",
        WorkKind::Message => "MSG",
        WorkKind::Escalation => "ESC",
        WorkKind::Callback => "CBK",
    }
}

/// A candidate: four digits at first, five and six when those run out. The first digit is never 0: people drop it.
pub(crate) fn candidate(kind: WorkKind, attempt: u32, rng: &mut impl Rng) -> String {
    let number = match attempt {
        0..8 => rng.random_range(1_000..10_000_u32),
        8..16 => rng.random_range(10_000..100_000),
        _ => rng.random_range(100_000..1_000_000),
    };
    format!("{}-{number}", prefix(kind))
}

/// A reference as it is kept, from any spelling: `inc 4821` gives `INC-4821`.
#[must_use]
pub fn normalise(text: &str) -> String {
    let bare: String =
        text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect();
    let letters = bare.find(|c: char| c.is_ascii_digit()).unwrap_or(bare.len());
    let (prefix, number) = bare.split_at(letters);
    if prefix.is_empty() || number.is_empty() { bare } else { format!("{prefix}-{number}") }
}

/// A claim number without what people leave out or add: `clm 20-417` gives `CLM20417`.
#[must_use]
pub(crate) fn claim_key(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_found_in_any_spelling() {
        for text in ["INC-4821", "inc 4821", "i n c 4 8 2 1", "Inc4821."] {
            assert_eq!(normalise(text), "INC-4821");
        }
    }

    #[test]
    fn candidates_grow_when_short_ones_run_out() {
        let mut rng = rand::rng();
        for (attempt, length) in [(0, 8), (7, 8), (8, 9), (16, 10), (23, 10)] {
            assert_eq!(candidate(WorkKind::Incident, attempt, &mut rng).len(), length);
        }
    }
}
