//! How alike two words sound, and which member of a closed set was meant.

use rphonetic::DoubleMetaphone;
use unicode_normalization::UnicodeNormalization;

/// From here on two words may be one word, heard twice.
pub const ALIKE: f32 = 0.6;
/// From here on a member of a set is taken without asking.
const SURE: f32 = 0.85;
/// The second best must be this far behind for the best to be meant at all, and this far to be taken without asking.
const APART: f32 = 0.06;
const FAR_APART: f32 = 0.12;
/// Longest codes that are compared; English names have no longer ones.
const LONGEST_CODE: usize = 16;

/// Which member of a closed set was meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nearest {
    /// Its place in the set; said so, but for spelling.
    Same(usize),
    /// Near, and nothing else is.
    Sure(usize),
    /// Near enough to be asked about.
    Maybe(usize),
    Nothing,
}

/// Lower-case letters a to z and digits: accents, case, space and punctuation gone.
#[must_use]
pub fn letters(text: &str) -> String {
    text.nfd().flat_map(char::to_lowercase).filter(char::is_ascii_alphanumeric).collect()
}

/// Likeness of two words or names, 0 to 1: half their sound, half their letters.
#[must_use]
pub fn likeness(one: &str, other: &str) -> f32 {
    let (one, other) = (letters(one), letters(other));
    if one.is_empty() || other.is_empty() {
        return 0.0;
    }
    if one == other {
        return 1.0;
    }
    let metaphone = DoubleMetaphone::new(Some(LONGEST_CODE));
    let (a, b) = (metaphone.double_metaphone(&one), metaphone.double_metaphone(&other));
    let codes = [
        (a.primary(), b.primary()),
        (a.alternate(), b.primary()),
        (a.primary(), b.alternate()),
        (a.alternate(), b.alternate()),
    ];
    let sound = codes.iter().map(|(a, b)| strsim::normalized_levenshtein(a, b)).fold(0.0, f64::max);
    (f64::midpoint(sound, strsim::normalized_levenshtein(&one, &other))) as f32
}

/// Which of `set` was meant by what was heard.
#[must_use]
pub fn nearest<S: AsRef<str>>(heard: &str, set: &[S]) -> Nearest {
    let said = letters(heard);
    if let Some(at) = set.iter().position(|member| letters(member.as_ref()) == said && !said.is_empty()) {
        return Nearest::Same(at);
    }
    let (mut best, mut second) = ((0.0_f32, 0), 0.0_f32);
    for (at, member) in set.iter().enumerate() {
        let score = likeness(heard, member.as_ref());
        if score > best.0 {
            second = best.0;
            best = (score, at);
        } else if score > second {
            second = score;
        }
    }
    let margin = best.0 - second;
    if best.0 >= SURE && margin >= FAR_APART {
        Nearest::Sure(best.1)
    } else if best.0 >= ALIKE && margin >= APART {
        Nearest::Maybe(best.1)
    } else {
        Nearest::Nothing
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_that_are_taken_for_each_other_are_alike() {
        for (one, other) in [
            ("Maple", "Mabel"),
            ("fifteen", "fifty"),
            ("Hernández", "Fernández"),
            ("Tran", "Trang"),
            ("Rosalie", "Rosa Lee"),
        ] {
            assert!(likeness(one, other) >= ALIKE, "{one} {other} {}", likeness(one, other));
        }
        for (one, other) in
            [("Elm", "Pine"), ("library", "courthouse"), ("dog", "fox"), ("Miller", "Kowalski")]
        {
            assert!(likeness(one, other) < ALIKE, "{one} {other} {}", likeness(one, other));
        }
    }

    #[test]
    fn the_nearest_of_a_set_needs_a_margin() {
        let streets = ["Maple", "Elm", "Birchwood", "Market", "Oak"];
        assert_eq!(nearest("maple", &streets), Nearest::Same(0));
        assert_eq!(nearest("Burchwood", &streets), Nearest::Sure(2));
        assert_eq!(nearest("Mabel", &streets), Nearest::Maybe(0));
        assert_eq!(nearest("Kowalski", &streets), Nearest::Nothing);
        // Between two that are as near, neither was meant.
        assert_eq!(nearest("Oan", &["Oak", "Oat"]), Nearest::Nothing);
        assert_eq!(nearest("", &streets), Nearest::Nothing);
    }

    proptest! {
        #[test]
        fn any_words_have_a_likeness(one in ".{0,20}", other in ".{0,20}") {
            let found = likeness(&one, &other);
            prop_assert!((0.0..=1.0).contains(&found));
            prop_assert!((found - likeness(&other, &one)).abs() < 0.001);
        }
    }
}
