//! Whether words lean on the answer before them: "and on Sundays?" leaves out what it is about, "and for getting married?" names
//! another thing, "okay, that's a lot" asks nothing.
//!
//! A linear classifier of three classes over the small words, the kinds of fact that are asked for, and how many of the words that
//! name a thing were spoken of before. Which things these are it does not see, so it holds for any county's pages. Trained by
//! `examples/train_leaning.rs` on `data/leaning/*.tsv`; figures in `docs/guides/understanding.md`.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::Ear;
use crate::linear::Linear;

/// Features are hashed into so many weights a class. A power of two.
pub const BUCKETS: usize = 1 << 12;
/// Leans, stands by itself, asks nothing.
pub const CLASSES: usize = 3;
/// Words that are read.
const LONGEST: usize = 60;
/// Words at the beginning that count by their place.
const OPENING: usize = 3;

/// Scale, then a signed byte a bucket of each class in turn.
static WEIGHTS: &[u8] = include_bytes!("../data/leaning/weights.bin");

/// The weights of the classifier.
pub type Model = Linear<BUCKETS, CLASSES>;

static MODEL: LazyLock<Model> = LazyLock::new(|| Model::from_bytes(WEIGHTS));

/// Probabilities; what is missing to one is that the words stand by themselves.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Leaning {
    /// They ask about what was spoken of before.
    pub leans: f32,
    /// They ask nothing: thanks, surprise, a remark.
    pub talk: f32,
}

/// Stems of what was spoken of before.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Before {
    /// Of the question, and of what the page that answered it is called.
    named: HashSet<String>,
    /// Of what that page says.
    page: HashSet<String>,
}

impl Before {
    /// Of words of the ear's language.
    #[must_use]
    pub fn of(ear: Ear, named: &str, page: &str) -> Self {
        let stems = |text: &str| ear.terms(&ear.plain(text)).into_iter().collect();
        Self { named: stems(named), page: stems(page) }
    }
}

/// How words stand to what was spoken of before.
#[must_use]
pub fn leaning(ear: Ear, text: &str, before: &Before) -> Leaning {
    let [leans, _, talk] = MODEL.classes(&features(ear, text, before));
    Leaning { leans, talk }
}

/// Buckets of the features, each once.
#[must_use]
pub fn features(ear: Ear, text: &str, before: &Before) -> Vec<usize> {
    let plain = ear.plain(text);
    let (mut words, mut named, mut near, mut new) = (Vec::new(), 0_usize, 0_usize, 0_usize);
    for word in plain.split(' ').filter(|word| !word.is_empty()).take(LONGEST) {
        match ear.subjects(word).first() {
            None => words.push(word),
            Some(stem) if before.named.contains(stem) => {
                named += 1;
                words.push("<named>");
            }
            Some(stem) if before.page.contains(stem) => {
                near += 1;
                words.push("<near>");
            }
            Some(_) => {
                new += 1;
                words.push("<new>");
            }
        }
    }
    let code = ear.0.code();
    let mut found = vec![bucket(&["bias"]), bucket(&["bias", code])];
    let counts = [named, near, new].map(|count| count.min(2).to_string());
    for (kind, count) in ["named", "near", "new"].iter().zip(&counts) {
        found.push(bucket(&[kind, count]));
    }
    found.push(bucket(&["all", &counts[0], &counts[1], &counts[2]]));
    found.push(bucket(&["long", &(words.len().min(24) / 3).to_string()]));
    for (at, word) in words.iter().enumerate() {
        found.push(bucket(&[code, word]));
        if at < OPENING {
            found.push(bucket(&[code, "^", word]));
        }
    }
    for pair in words.windows(2) {
        found.push(bucket(&[code, pair[0], pair[1]]));
    }
    if let [.., before, last] = words.as_slice() {
        found.push(bucket(&[code, before, last, "$"]));
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn bucket(parts: &[&str]) -> usize {
    Model::bucket(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    fn of(language: Language, before: &str, text: &str) -> Leaning {
        leaning(Ear(language), text, &Before::of(Ear(language), before, ""))
    }

    #[test]
    fn what_leaves_its_subject_out_leans() {
        let before = "burn permit leaves fire";
        for text in
            ["and how much is it", "can i do that online", "what if it's windy", "how long does that take"]
        {
            assert!(of(Language::En, before, text).leans > 0.5, "{text}");
        }
        for text in
            ["¿y los domingos?", "¿y cuánto cuesta?", "¿y si no voy?", "¿eso lo puedo hacer por internet?"]
        {
            assert!(of(Language::Es, "permiso de quema hojas", text).leans > 0.5, "{text}");
        }
    }

    #[test]
    fn what_names_another_thing_stands_by_itself() {
        let before = "burn permit leaves fire";
        for text in ["and where do i vote", "when is the library open", "how do i get a dog license"] {
            assert!(of(Language::En, before, text).leans < 0.5, "{text}");
        }
        let of = |text| of(Language::Es, "permiso de quema", text).leans;
        assert!(of("¿y el acta de nacimiento de mi hija cuánto cuesta?") < of("¿y cuánto cuesta?"));
    }

    #[test]
    fn thanks_ask_nothing() {
        assert!(of(Language::En, "burn permit", "okay thanks that helps a lot").talk > 0.5);
        assert!(of(Language::Es, "permiso de quema", "ah bueno, muchas gracias").talk > 0.5);
    }
}
