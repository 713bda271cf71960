//! Questions as a recogniser writes what a hesitant caller says: lower case, no marks, numbers as words, fillers, words
//! of the same sound, and now and then a false start that is taken back. Made by rule from a seed, so that two runs
//! measure the same.

use language::english::number::{TENS, UNITS};

const FILLERS: [&str; 6] = ["uh", "um", "you know", "er", "like", "i mean"];
const TAKEN_BACK: [&str; 6] = ["no wait", "i mean", "sorry", "uh no", "or rather", "actually no"];
const OPENINGS: [&str; 4] = ["hi yeah so", "i was wondering", "okay um", "hello can you tell me"];
/// Written and how it may be heard.
const SOUND_ALIKE: [(&str, &str); 14] = [
    ("mail", "male"),
    ("site", "sight"),
    ("fair", "fare"),
    ("lien", "lean"),
    ("waste", "waist"),
    ("loan", "lone"),
    ("whole", "hole"),
    ("road", "rode"),
    ("week", "weak"),
    ("due", "do"),
    ("board", "bored"),
    ("right", "write"),
    ("sale", "sail"),
    ("council", "counsel"),
];

/// A question as it may be heard; `others` lend the words of false starts.
#[must_use]
pub fn as_heard(question: &str, others: &[&str], seed: u64) -> String {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut words = plain(question);
    for word in &mut words {
        let heard = SOUND_ALIKE.iter().find(|(written, _)| written == word);
        if let Some((_, heard)) = heard.filter(|_| dice.below(2) == 0) {
            *word = (*heard).to_owned();
        }
    }
    for _ in 0..2 {
        let at = 1 + dice.below(words.len().saturating_sub(1).max(1));
        words.insert(at.min(words.len()), FILLERS[dice.below(FILLERS.len())].to_owned());
    }
    let other = others.get(dice.below(others.len().max(1))).map_or_else(Vec::new, |other| plain(other));
    let mark = TAKEN_BACK[dice.below(TAKEN_BACK.len())].to_owned();
    match dice.below(3) {
        // A whole other question, broken off.
        0 if other.len() > 4 => {
            let kept = 3 + dice.below(other.len() - 3);
            words = [&other[..kept], &[mark], &words].concat();
        }
        // A wrong word or two in the middle, set right.
        1 if words.len() > 4 && other.len() > 4 => {
            let at = words.len() - 1 - dice.below(3);
            words = [&words[..at], &other[other.len() - 2..], &[mark], &words[at..]].concat();
        }
        _ => words.insert(0, OPENINGS[dice.below(OPENINGS.len())].to_owned()),
    }
    words.join(" ")
}

fn plain(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    lower
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .map(|word| word.parse().ok().and_then(in_words).unwrap_or_else(|| word.to_owned()))
        .collect()
}

fn in_words(n: u64) -> Option<String> {
    let n = usize::try_from(n).ok()?;
    let rest = |whole: String, rest: usize| match rest {
        0 => Some(whole),
        rest => Some(format!("{whole} {}", in_words(rest as u64)?)),
    };
    match n {
        0..20 => Some(UNITS[n].to_owned()),
        20..100 => rest(TENS[n / 10 - 2].to_owned(), n % 10),
        100..1000 => rest(format!("{} hundred", UNITS[n / 100]), n % 100),
        1100..2100 if n % 100 >= 10 => rest(in_words(n as u64 / 100)?, n % 100),
        1000..10_000 => rest(format!("{} thousand", UNITS[n / 1000]), n % 1000),
        _ => None,
    }
}

/// Small and repeatable; good enough to pick a filler.
#[derive(Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// From 0 up to `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_heard_has_no_marks_or_digits_and_is_the_same_each_time() {
        let others = ["When is the landfill open on Sundays?", "How much is a dog license for two dogs?"];
        for seed in 0..200 {
            let heard = as_heard("Is the fee of 25 dollars due in 1999?", &others, seed);
            assert!(heard.chars().all(|c| c.is_ascii_lowercase() || c == ' ' || c == '\''), "{heard}");
            assert!(heard.contains("fee") && heard.contains("dollars"), "{heard}");
            assert_eq!(heard, as_heard("Is the fee of 25 dollars due in 1999?", &others, seed));
        }
    }
}
