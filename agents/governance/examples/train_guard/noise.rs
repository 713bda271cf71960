//! What a recogniser and a hesitating speaker make of a sentence.

use std::collections::HashMap;

use governance::guard::Mishearings;

use crate::grammar::Dice;

const FILLERS: [&str; 12] = [
    "um",
    "uh",
    "like",
    "you know",
    "so",
    "well",
    "okay",
    "i mean",
    "basically",
    "actually",
    "right",
    "yeah",
];
/// Words of a group that may stand for the others.
const COMMONEST: usize = 40;
const EARS: [(&str, &str); 26] = [
    ("your", "you're"),
    ("you are", "your"),
    ("rules", "rolls"),
    ("the", "a"),
    ("and", "in"),
    ("to", "two"),
    ("for", "four"),
    ("their", "there"),
    ("what", "but"),
    ("prompt", "prompts"),
    ("instructions", "instruction"),
    ("in", "and"),
    ("tell", "tale"),
    ("write", "right"),
    ("mode", "mod"),
    ("act as", "axe as"),
    ("role", "roll"),
    ("you", "u"),
    ("hear", "here"),
    ("know", "no"),
    ("new", "knew"),
    ("all", "or"),
    ("is", "as"),
    ("records", "record"),
    ("caller", "collar"),
    ("pretend", "pretended"),
];

/// A sentence as it may arrive.
pub fn noisy(text: &str, mishearings: &[(String, String)], dice: &mut Dice) -> String {
    let mut text = text.to_owned();
    if dice.chance(12) {
        text = misheard(&text, mishearings, dice);
    }
    if dice.chance(15)
        && let Some((said, heard)) = dice.pick(&EARS)
    {
        text = replace_word(&text, said, heard);
    }
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    if dice.chance(20) {
        let at = dice.below(words.len() + 1);
        let filler = dice.pick(&FILLERS).copied().unwrap_or("um");
        words.insert(at, filler.to_owned());
    }
    if words.len() > 5 && dice.chance(18) {
        words.remove(dice.below(words.len()));
    }
    if words.len() > 4 && dice.chance(8) {
        // A false start: the first words twice.
        let first: Vec<String> = words[..2].to_vec();
        words.splice(0..0, first);
    }
    words.join(" ")
}

/// Groups of English words of like meaning.
#[derive(Debug)]
pub struct Likes(HashMap<String, Vec<String>>);

impl Likes {
    /// Reads `words.txt`; the commonest words of each group stand for it.
    pub fn read(text: &str) -> Self {
        let mut all = HashMap::new();
        for line in text.lines().filter(|l| !l.starts_with('#')) {
            let group: Vec<String> =
                line.split_whitespace().skip(1).take(COMMONEST).map(str::to_owned).collect();
            for word in line.split_whitespace().skip(1).filter(|w| w.len() > 2) {
                all.insert(word.to_owned(), group.clone());
            }
        }
        Self(all)
    }

    /// The sentence with some words changed for words of like meaning, so that no word in it is the only clue.
    pub fn vary(&self, text: &str, percent: usize, dice: &mut Dice) -> String {
        let word = |word: &str| {
            let group = self.0.get(&word.to_lowercase()).filter(|_| dice.chance(percent));
            group.and_then(|group| dice.pick(group).cloned()).unwrap_or_else(|| word.to_owned())
        };
        text.split(' ').map(word).collect::<Vec<_>>().join(" ")
    }
}

/// Pairs of what was meant and what was heard.
pub fn pairs(mishearings: &Mishearings) -> Vec<(String, String)> {
    let mut all: Vec<_> =
        mishearings.pairs().map(|(heard, meant)| (meant.join(" "), heard.join(" "))).collect();
    all.sort();
    all
}

fn misheard(text: &str, mishearings: &[(String, String)], dice: &mut Dice) -> String {
    let lower = text.to_lowercase();
    let fitting: Vec<_> = mishearings.iter().filter(|(meant, _)| lower.contains(meant.as_str())).collect();
    dice.pick(&fitting).map_or_else(|| text.to_owned(), |(meant, heard)| replace_word(&lower, meant, heard))
}

fn replace_word(text: &str, what: &str, with: &str) -> String {
    format!(" {text} ").replacen(&format!(" {what} "), &format!(" {with} "), 1).trim().to_owned()
}
