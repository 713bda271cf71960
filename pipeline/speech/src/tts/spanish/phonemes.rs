//! Spanish spelling to the sounds of the built-in voice, by rule, as it is spoken in the Americas.
//!
//! The voice was made for English and knows English sounds only, so each Spanish sound becomes the nearest of those.

/// Words that carry no stress of their own. "Un" and "una" would not either, but in this voice they are not heard without.
const WEAK: [&str; 34] = [
    "a", "al", "con", "de", "del", "e", "el", "en", "la", "las", "le", "les", "lo", "los", "me", "mi", "mis",
    "ni", "nos", "o", "para", "pero", "por", "que", "se", "si", "sin", "su", "sus", "te", "tu", "tus", "u",
    "y",
];

/// A vowel or glide and what it bears, or a consonant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sound {
    Vowel {
        letter: char,
        stressed: bool,
    },
    /// `i` or `u` beside a vowel.
    Glide(char),
    Consonant(&'static str),
}

use Sound::{Consonant, Glide, Vowel};

/// Phonemes of spoken words, in the voice's alphabet. Marks between words are kept.
pub(in crate::tts) fn phonemes(text: &str) -> String {
    text.split_whitespace().map(word).filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ")
}

fn word(written: &str) -> String {
    let lower = written.to_lowercase();
    let bare = lower.trim_matches(|c: char| !c.is_alphabetic());
    let mark: String = written.chars().rev().take_while(|c| ",;:.!?…—".contains(*c)).collect();
    let mark: String = mark.chars().rev().collect();
    let mut out = String::new();
    for part in bare.split(|c: char| !c.is_alphabetic()).filter(|part| !part.is_empty()) {
        out.push_str(&voiced(&sounds(part), !WEAK.contains(&part)));
    }
    out.push_str(&mark);
    out
}

// ---------------------------------------------------------------- letters to sounds

fn sounds(word: &str) -> Vec<Sound> {
    let letters: Vec<char> = word.chars().map(folded).collect();
    let letters = exceptions(word).unwrap_or(letters);
    let mut out = Vec::with_capacity(letters.len());
    let mut at = 0;
    while at < letters.len() {
        at += one(&letters, at, &mut out);
    }
    glide(&mut out);
    stress(&letters, &mut out);
    out
}

/// Letters of other languages as the nearest Spanish one.
fn folded(c: char) -> char {
    match c {
        'à' | 'â' | 'ä' | 'ã' | 'å' => 'a',
        'è' | 'ê' | 'ë' => 'e',
        'ì' | 'î' | 'ï' => 'i',
        'ò' | 'ô' | 'ö' | 'õ' => 'o',
        'ù' | 'û' => 'u',
        'ç' | 'ß' => 's',
        c => c,
    }
}

/// "México" has the sound of "j".
fn exceptions(word: &str) -> Option<Vec<char>> {
    let known = ["méxic", "mexic", "oaxac", "texas", "texan"].iter().any(|stem| word.starts_with(stem));
    known.then(|| word.replace('x', "j").chars().collect())
}

fn is_vowel(c: char) -> bool {
    "aeiouáéíóúü".contains(c)
}

fn is_front(c: Option<char>) -> bool {
    c.is_some_and(|c| "eiéí".contains(c))
}

/// Reads the sound at a place; gives the letters it took.
fn one(letters: &[char], at: usize, out: &mut Vec<Sound>) -> usize {
    let next = letters.get(at + 1).copied();
    let after = letters.get(at + 2).copied();
    // Between vowels "b", "d" and "g" are soft.
    let hard = at == 0 || letters.get(at.wrapping_sub(1)).is_some_and(|c| "mn".contains(*c));
    let (sound, taken) = match (letters[at], next) {
        ('c', Some('h')) => ("ʧ", 2),
        ('l', Some('l')) => ("ʝ", 2),
        ('r', Some('r')) => ("r", 2),
        ('q', Some('u')) => ("k", 2),
        ('q' | 'k', _) => ("k", 1),
        ('g', Some('u')) if is_front(after) => (if hard { "ɡ" } else { "ɣ" }, 2),
        ('g', _) if is_front(next) => ("x", 1),
        ('g', _) => (if hard { "ɡ" } else { "ɣ" }, 1),
        ('c', _) if is_front(next) => ("s", 1),
        ('c', _) => ("k", 1),
        ('s', Some('c')) if is_front(after) => ("s", 2),
        ('s', Some('h')) => ("ʃ", 2),
        ('p', Some('h')) => ("f", 2),
        ('p', Some('s')) if at == 0 => ("s", 2),
        ('t', Some('h')) => ("t", 2),
        ('h', Some('u')) if after.is_some_and(is_vowel) => {
            out.push(Glide('u'));
            return 2;
        }
        ('h', Some('i')) if after.is_some_and(is_vowel) => ("ʝ", 2),
        ('h', _) => return 1,
        ('b' | 'v', _) => (if hard { "b" } else { "β" }, 1),
        ('d', _) => (if hard || letters[at - 1] == 'l' { "d" } else { "ð" }, 1),
        ('j', _) => ("x", 1),
        ('r', _) if at == 0 || "nls".contains(letters[at - 1]) => ("r", 1),
        ('r', _) => ("ɾ", 1),
        ('z', _) => ("s", 1),
        ('x', _) if at == 0 => ("s", 1),
        ('x', _) => {
            out.push(Consonant("k"));
            ("s", 1)
        }
        ('w', _) => {
            out.push(Glide('u'));
            return 1;
        }
        ('y', Some(v)) if is_vowel(v) => ("ʝ", 1),
        ('y', _) => {
            out.push(Vowel { letter: 'i', stressed: false });
            return 1;
        }
        ('ñ', _) => ("ɲ", 1),
        ('n', Some('c' | 'g' | 'j' | 'k' | 'q')) if !(next == Some('c') && is_front(after)) => ("ŋ", 1),
        ('n', Some('p' | 'b' | 'v' | 'm')) => ("m", 1),
        (c, _) if is_vowel(c) => {
            out.push(Vowel { letter: c, stressed: false });
            return 1;
        }
        ('f', _) => ("f", 1),
        ('l', _) => ("l", 1),
        ('m', _) => ("m", 1),
        ('n', _) => ("n", 1),
        ('p', _) => ("p", 1),
        ('s', _) => ("s", 1),
        ('t', _) => ("t", 1),
        _ => return 1,
    };
    // Doubled letters of foreign names are one sound; "cc" before "e" is two.
    if out.last() != Some(&Consonant(sound)) {
        out.push(Consonant(sound));
    }
    taken
}

/// Unstressed `i` and `u` beside another vowel lean on it.
fn glide(sounds: &mut [Sound]) {
    for at in 0..sounds.len() {
        let Vowel { letter: letter @ ('i' | 'u' | 'ü'), .. } = sounds[at] else { continue };
        let vowel =
            |n: Option<usize>| n.and_then(|n| sounds.get(n)).is_some_and(|s| matches!(s, Vowel { .. }));
        if vowel(at.checked_sub(1)) || vowel(Some(at + 1)) {
            sounds[at] = Glide(if letter == 'i' { 'i' } else { 'u' });
        }
    }
}

/// Puts the stress where it is written, else on the last vowel but one, or on the last one before a consonant
/// other than `n` and `s`.
fn stress(letters: &[char], sounds: &mut [Sound]) {
    let mut vowels: Vec<usize> = Vec::new();
    let mut written = None;
    for (at, sound) in sounds.iter().enumerate() {
        if let Vowel { letter, .. } = sound {
            vowels.push(at);
            if "áéíóú".contains(*letter) {
                written = Some(at);
            }
        }
    }
    // "County": a foreign "y" after a consonant is a vowel like any other.
    let foreign = matches!(letters, [.., before, 'y'] if !is_vowel(*before));
    let open = foreign || letters.last().is_some_and(|c| is_vowel(*c) || "ns".contains(*c));
    let last = vowels.len().checked_sub(1);
    let by_rule = if open { vowels.len().checked_sub(2).or(last) } else { last };
    let Some(at) = written.or_else(|| by_rule.and_then(|n| vowels.get(n).copied())) else { return };
    if let Vowel { stressed, .. } = &mut sounds[at] {
        *stressed = true;
    }
}

// ---------------------------------------------------------------- sounds to the voice

/// The nearest English sounds, chosen by what a Spanish recogniser made of them.
fn voiced(sounds: &[Sound], strong: bool) -> String {
    let mut out = String::new();
    let mut at = 0;
    while at < sounds.len() {
        let next = sounds.get(at + 1).copied();
        match (sounds[at], next) {
            (Vowel { letter, stressed }, Some(Glide(glide))) if falls(sounds, at) => {
                mark(&mut out, stressed && strong);
                out.push_str(diphthong(plain(letter), glide));
                at += 1;
            }
            (Vowel { letter, stressed }, _) => {
                mark(&mut out, stressed && strong);
                out.push_str(vowel(plain(letter), at + 1 == sounds.len()));
            }
            (Glide(glide), _) => out.push(if glide == 'i' { 'j' } else { 'w' }),
            (Consonant(sound), _) => out.push_str(consonant(sound)),
        }
        at += 1;
    }
    out
}

/// A glide after a vowel belongs to it, unless another vowel follows.
fn falls(sounds: &[Sound], vowel: usize) -> bool {
    !matches!(sounds.get(vowel + 2), Some(Vowel { .. }))
}

fn mark(out: &mut String, stressed: bool) {
    if stressed {
        out.push('ˈ');
    }
}

fn plain(vowel: char) -> char {
    match vowel {
        'á' => 'a',
        'é' => 'e',
        'í' => 'i',
        'ó' => 'o',
        'ú' | 'ü' => 'u',
        other => other,
    }
}

fn vowel(letter: char, last: bool) -> &'static str {
    match letter {
        'a' => "ɑ",
        // No English word ends in the other one.
        'e' if last => "A",
        'e' => "ɛ",
        'i' => "i",
        'o' => "O",
        _ => "u",
    }
}

fn diphthong(vowel: char, glide: char) -> &'static str {
    match (vowel, glide) {
        ('a', 'i') => "I",
        ('e', 'i') => "A",
        ('o', 'i') => "Y",
        ('a', _) => "W",
        ('e', _) => "ɛu",
        ('o', _) => "Ou",
        ('i', _) => "iu",
        _ => "ui",
    }
}

fn consonant(sound: &'static str) -> &'static str {
    match sound {
        "β" => "v",
        "ð" => "d",
        "ɣ" => "ɡ",
        "x" => "h",
        "ɲ" => "ni",
        "ʝ" => "j",
        // The tap of "water" is nearer to the ear of a linguist, but is taken for a "d".
        "ɾ" | "r" => "ɹ",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_become_sounds_of_the_voice() {
        let table = [
            // stress: by rule, written, none on small words
            ("hablo inglés, por favor.", "ˈɑvlO iŋɡlˈɛs, pOɹ fɑvˈOɹ."),
            ("la llamada", "lɑ jɑmˈɑdɑ"),
            ("número de teléfono", "nˈumɛɹO dA tɛlˈɛfOnO"),
            ("español", "ɛspɑniˈOl"),
            ("jamón", "hɑmˈOn"),
            ("usted", "ustˈɛd"),
            // vowels that lean on each other, and such that do not
            ("emergencia", "ɛmɛɹhˈɛnsjɑ"),
            ("ciudad", "sjudˈɑd"),
            ("siete", "sjˈɛtA"),
            ("cuatro", "kwˈɑtɹO"),
            ("nueve", "nwˈɛvA"),
            ("seis, veinte", "sˈAs, bˈAntA"),
            ("hoy", "ˈY"),
            ("ahora", "ɑˈOɹɑ"),
            ("país", "pɑˈis"),
            ("auxilio", "WksˈiljO"),
            ("ley, reyes", "lˈA, ɹˈɛjɛs"),
            // letters with two sounds
            ("guía", "ɡˈiɑ"),
            ("vergüenza", "bɛɹɡwˈɛnsɑ"),
            ("que quien", "kA kjˈɛn"),
            ("cigüeña", "siɡwˈɛniɑ"),
            ("accidente", "ɑksidˈɛntA"),
            ("hielo", "jˈɛlO"),
            ("huevo", "wˈɛvO"),
            ("perro", "pˈɛɹO"),
            ("pero", "pɛɹO"),
            ("rojo", "ɹˈOhO"),
            ("enrique", "ɛnɹˈikA"),
            ("mañana", "mɑniˈɑnɑ"),
            ("México", "mˈɛhikO"),
            ("taxi", "tˈɑksi"),
            ("tengo", "tˈɛŋɡO"),
            ("un vaso", "ˈun bˈɑsO"),
            ("ayuda", "ɑjˈudɑ"),
            ("y", "i"),
            ("¿Quiere?", "kjˈɛɹA?"),
        ];
        let wrong: Vec<String> = table
            .iter()
            .filter(|(text, sounds)| phonemes(text) != *sounds)
            .map(|(text, sounds)| format!("{text}: {} instead of {sounds}", phonemes(text)))
            .collect();
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    }

    /// What the voice was made with: the phonemes of its English dictionary, and marks.
    const KNOWN: &str = "ɑɛiOuAIYWjwbvdðfɡhklmnŋpɹstʃʧzˈ ,;:.!?…—";

    proptest! {
        #[test]
        fn every_word_is_voiced_with_sounds_the_voice_knows(words in proptest::collection::vec("[a-zñáéíóúü]{1,10}|\\PC{0,5}", 0..8)) {
            let sounds = phonemes(&words.join(" "));
            let unknown: Vec<char> = sounds.chars().filter(|c| !KNOWN.contains(*c)).collect();
            prop_assert!(unknown.is_empty(), "{unknown:?} in {sounds}");
        }
    }
}
