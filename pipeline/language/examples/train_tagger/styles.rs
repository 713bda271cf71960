//! Styles: how a sentence is written, heard, or misheard.

use crate::line::{ADDRESS, END, NAME, Rng, Style};
use crate::names;

/// Puts a filled sentence in a style; the marks stay where they are.
pub fn styled(text: &str, style: Style, rng: &mut Rng) -> String {
    let hyphens = rng.percent(40);
    let plain = |text: &str| -> String {
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                '.' | ',' | '?' | '!' | ';' | ':' | '"' | '(' | ')' | '#' | '¿' | '¡' => out.push(' '),
                '-' if hyphens => out.push(' '),
                _ => out.extend(c.to_lowercase()),
            }
        }
        out
    };
    match style {
        Style::Written => {
            if rng.percent(3) {
                text.to_uppercase()
            } else {
                text.to_owned()
            }
        }
        Style::Heard => text.to_owned(),
        Style::Spoken => plain(text),
        Style::Lower => match rng.below(3) {
            0 => text.to_lowercase(),
            1 => text.to_lowercase().replace(['.', ';', '"'], ""),
            _ => plain(text),
        },
        Style::Noise => {
            let text = shattered(text, rng);
            let text = if rng.percent(75) { plain(&text) } else { text };
            noise(&text, rng)
        }
    }
}

/// Names and streets that a recogniser does not know fall into pieces; often the right name is said right after.
fn shattered(text: &str, rng: &mut Rng) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find([NAME, ADDRESS]) {
        let (before, marked) = rest.split_at(at);
        out.push_str(before);
        let mark = marked.chars().next().unwrap_or(NAME);
        let Some((value, after)) = marked[mark.len_utf8()..].split_once(END) else { break };
        let share = if mark == NAME { 60 } else { 22 };
        let pieces = |rng: &mut Rng| -> String {
            let words = value.split(' ').map(|word| {
                let letters = word.chars().filter(|c| c.is_alphabetic()).count();
                if letters > 3 && rng.percent(share) { names::shattered(word, rng) } else { word.to_owned() }
            });
            words.collect::<Vec<String>>().join(" ")
        };
        match rng.below(100) {
            // Heard wrong, then said again.
            0..=13 if mark == NAME => {
                let wrong = if rng.percent(50) { pieces(rng) } else { names::misheard(value, rng) };
                let wrong = if rng.percent(40) {
                    wrong.split(' ').next().unwrap_or(&wrong).to_owned()
                } else {
                    wrong
                };
                let between = rng.of(&[
                    " ",
                    " ",
                    " ",
                    " no ",
                    " uh ",
                    " um ",
                    " I mean ",
                    " sorry ",
                    ", ",
                    " eh ",
                    " perdón ",
                ]);
                out.push_str(&format!("{NAME}{wrong}{END}{between}{NAME}{value}{END}"));
            }
            14..=50 => out.push_str(&format!("{mark}{}{END}", pieces(rng))),
            _ => out.push_str(&format!("{mark}{value}{END}")),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// What a recogniser does to words: some are lost, said twice, or taken for others; um and uh.
fn noise(text: &str, rng: &mut Rng) -> String {
    const LIKE: [(&str, &str); 22] = [
        ("i'm", "im"),
        ("it's", "its"),
        ("my", "me"),
        ("name", "names"),
        ("at", "add"),
        ("for", "four"),
        ("two", "to"),
        ("four", "for"),
        ("eight", "ate"),
        ("street", "st"),
        ("lives", "live"),
        ("address", "adress"),
        ("apartment", "apt"),
        ("road", "rode"),
        ("is", "its"),
        ("drive", "dr"),
        ("llamo", "yamo"),
        ("soy", "soi"),
        ("vivo", "bibo"),
        ("calle", "caye"),
        ("avenue", "ave"),
        ("the", "da"),
    ];
    let fillers = ["uh", "um", "like", "you know", "eh", "este", "er", "so", "I mean"];
    let mut out: Vec<String> = Vec::new();
    let mut inside = false;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        inside |= word.contains([NAME, ADDRESS]);
        let marked = word.contains([NAME, ADDRESS, END]);
        let roll = rng.below(100);
        if !marked && !inside && roll < 4 {
            out.push(rng.of(&fillers).to_owned());
            out.push(word.to_owned());
        } else if !marked && roll < 6 && word.len() < 5 {
            // Lost.
        } else if !marked && roll < 9 {
            out.push(word.to_owned());
            out.push(word.to_owned());
        } else if !marked
            && roll < 30
            && let Some((_, other)) = LIKE.iter().find(|(own, _)| *own == word)
        {
            out.push((*other).to_owned());
        } else if !marked && !inside && roll > 97 && word.chars().filter(|c| c.is_alphabetic()).count() > 5 {
            // Ordinary words fall into pieces too.
            out.push(names::shattered(word, rng));
        } else if roll < 22 && inside && word.chars().filter(|c| c.is_alphabetic()).count() > 4 {
            out.push(slipped(word, rng));
        } else {
            out.push(word.to_owned());
        }
        if word.contains(END) {
            inside = false;
        }
    }
    out.join(" ")
}

/// A word with one letter other, lost or doubled, or cut in two.
fn slipped(word: &str, rng: &mut Rng) -> String {
    let letters: Vec<char> = word.chars().collect();
    let at = 2 + rng.below(letters.len() - 3);
    if !letters[at].is_alphabetic() {
        return word.to_owned();
    }
    let mut out = letters.clone();
    match rng.below(4) {
        0 => {
            out.remove(at);
        }
        1 => out.insert(at, letters[at]),
        2 if letters.len() > 6 => out.insert(at, ' '),
        _ => out[at] = *rng.one(&['a', 'e', 'i', 'o', 'n', 's', 't', 'r']),
    }
    out.into_iter().collect()
}
