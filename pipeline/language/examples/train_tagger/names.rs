//! Names of persons of many peoples, whole, in parts, spelled and misheard.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use language::Language;

use crate::line::{Rng, Style};
use crate::lists;

/// First and last names of one people.
#[derive(Clone, Debug, Default)]
pub struct People {
    pub first: Vec<String>,
    pub last: Vec<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Our own list, by people.
    own: Vec<(String, People)>,
    /// Public lists, by country.
    lands: Vec<People>,
    census: People,
    /// Whole names out of a public set of labelled ones.
    labelled: Vec<String>,
}

/// A person, so that the same may be said again or spelled.
#[derive(Clone, Debug, Default)]
pub struct Person {
    pub first: String,
    pub last: String,
    pub whole: String,
}

impl Names {
    pub fn load(folder: &Path, guard: &Path, public: &Path) -> Result<Self, Box<dyn Error>> {
        let mut own: Vec<(String, People)> = Vec::new();
        for line in std::fs::read_to_string(folder.join("people.txt"))?.lines() {
            let Some((people, rest)) = line.strip_prefix('[').and_then(|line| line.split_once("] ")) else {
                continue;
            };
            let Some((part, words)) = rest.split_once(": ") else { continue };
            if own.last().is_none_or(|(last, _)| last != people) {
                own.push((people.to_owned(), People::default()));
            }
            let words = words
                .split_whitespace()
                .map(|word| title(&word.replace('-', if people == "native" { " " } else { "-" })));
            if let Some((_, own)) = own.last_mut() {
                if part == "first" { own.first.extend(words) } else { own.last.extend(words) }
            }
        }
        let mut lands: BTreeMap<String, People> = BTreeMap::new();
        for (file, column, first) in
            [("common-forenames-by-country.csv", 11, true), ("common-surnames-by-country.csv", 5, false)]
        {
            for line in std::fs::read_to_string(public.join("names").join(file))?.lines().skip(1) {
                let cells: Vec<&str> = line.split(',').collect();
                let (Some(land), Some(name)) = (cells.first(), cells.get(column)) else { continue };
                let fits =
                    name.chars().count() > 1 && name.chars().all(|c| c.is_alphabetic() || " '-".contains(c));
                let latin = name.chars().all(|c| (c as u32) < 0x250);
                if fits && latin {
                    let people = lands.entry((*land).to_owned()).or_default();
                    if first { &mut people.first } else { &mut people.last }.push(title(name));
                }
            }
        }
        let census = People {
            first: lists::section(&guard.join("first_names.txt"), &["common", "rare"])?
                .iter()
                .map(|w| title(w))
                .collect(),
            last: lists::section(&guard.join("last_names.txt"), &["common", "rare"])?
                .iter()
                .map(|w| title(w))
                .collect(),
        };
        let labelled =
            std::fs::read_to_string(public.join("probablepeople/name_data/labeled/person_labeled.xml"))?;
        let labelled = labelled.split("<Name>").filter_map(labelled_name).collect();
        let lands = lands.into_values().filter(|p| p.first.len() > 4 && p.last.len() > 4).collect();
        Ok(Self { own, lands, census, labelled })
    }

    /// All parts of names, for the lists of the tagger.
    pub fn parts(&self) -> impl Iterator<Item = (&str, bool)> {
        let peoples =
            self.own.iter().filter(|(name, _)| name != "words").map(|(_, people)| people).chain(&self.lands);
        peoples.flat_map(|people| {
            people
                .first
                .iter()
                .map(|n| (n.as_str(), true))
                .chain(people.last.iter().map(|n| (n.as_str(), false)))
        })
    }

    pub fn person(&self, language: Language, rng: &mut Rng) -> Person {
        if rng.percent(6) && !self.labelled.is_empty() && language == Language::En {
            let whole = rng.one(&self.labelled).clone();
            let parts: Vec<&str> = whole.split(' ').collect();
            if let (Some(first), Some(last)) = (parts.first(), parts.last()) {
                return Person { first: (*first).to_owned(), last: (*last).to_owned(), whole };
            }
        }
        let hispanic = self.own.iter().position(|(name, _)| name == "hispanic").unwrap_or(0);
        let roll = rng.below(100);
        let (mut people, mut latin) = (&self.census, false);
        if language == Language::Es && roll < 60 {
            (people, latin) = (&self.own[hispanic].1, true);
        } else if roll < 68 {
            // Names that are words too are the last of the list, and the hardest.
            let at = if rng.percent(12) { self.own.len() - 1 } else { rng.below(self.own.len()) };
            (people, latin) = (&self.own[at].1, at == hispanic);
        } else if roll < 80 {
            people = rng.one(&self.lands);
        }
        let invented = rng.percent(7);
        let first = if invented { invent(rng) } else { rng.one(&people.first).clone() };
        // Peoples mix.
        let lasts = if rng.percent(12) { &self.census.last } else { &people.last };
        let mut last = if invented || rng.percent(3) { invent(rng) } else { rng.one(lasts).clone() };
        let mut middle = String::new();
        match rng.below(100) {
            0..=7 => middle = format!("{}{} ", letter(rng), if rng.percent(50) { "." } else { "" }),
            8..=17 => middle = format!("{} ", rng.one(&people.first)),
            18..=22 => last = format!("{last}-{}", rng.one(lasts)),
            23..=25 => {
                last = format!(
                    "{}{last}",
                    rng.of(&[
                        "de la ", "del ", "de ", "van ", "von ", "De ", "La ", "Mac", "O'", "St. ", "El-",
                        "Abu ", "ibn "
                    ])
                )
            }
            26..=27 => {
                last = format!("{last} {}", rng.of(&["Jr.", "Sr.", "III", "Junior", "II", "the third"]))
            }
            _ => {}
        }
        if latin && rng.percent(35) || rng.percent(4) {
            last = format!("{last}{}{}", if rng.percent(10) { " de " } else { " " }, rng.one(lasts));
        }
        let whole = match rng.below(100) {
            0..=1 => format!("{}. {}. {last}", letter(rng), letter(rng)),
            2..=3 => format!("{}. {last}", letter(rng)),
            4..=5 if people.last.len() < 60 => format!("{last} {first}"),
            _ => format!("{first} {middle}{last}"),
        };
        Person { first, last, whole }
    }
}

fn labelled_name(entry: &str) -> Option<String> {
    if !entry.contains("<GivenName>") || !entry.contains("<Surname>") || entry.contains("And>") {
        return None;
    }
    let mut out = String::new();
    for part in entry.split('<').skip(1) {
        let (tag, text) = part.split_once('>')?;
        if ["GivenName", "MiddleInitial", "MiddleName", "Surname", "SuffixGenerational"].contains(&tag) {
            out.push(' ');
            out.push_str(text.trim());
        } else if !tag.starts_with('/') {
            return None;
        }
    }
    let fits = out.chars().all(|c| c.is_alphabetic() || " .'-".contains(c)) && out.len() < 40;
    fits.then(|| title(out.trim()))
}

fn letter(rng: &mut Rng) -> char {
    char::from(b'A' + rng.below(26) as u8)
}

/// A name that nobody bears.
fn invent(rng: &mut Rng) -> String {
    const BEGINS: [&str; 32] = [
        "b", "br", "ch", "d", "dr", "f", "g", "gh", "h", "j", "k", "kr", "l", "m", "mb", "n", "ny", "p", "q",
        "r", "s", "sh", "st", "t", "th", "tr", "v", "w", "y", "z", "zh", "",
    ];
    const MIDDLES: [&str; 14] =
        ["a", "e", "i", "o", "u", "ai", "ei", "ia", "ou", "oo", "ee", "ie", "ua", "y"];
    const ENDS: [&str; 20] = [
        "", "", "", "n", "r", "l", "m", "s", "k", "ng", "tz", "ck", "ll", "nd", "rt", "sk", "h", "x", "dt",
        "nn",
    ];
    let mut out = String::new();
    for _ in 0..1 + rng.below(3) {
        out.push_str(rng.of(&BEGINS));
        out.push_str(rng.of(&MIDDLES));
        out.push_str(rng.of(&ENDS));
    }
    if out.len() < 3 {
        out.push_str(rng.of(&["ski", "son", "ova", "ez", "ian", "poulos", "berg", "ah"]));
    }
    title(&out)
}

/// Large first letters.
pub fn title(words: &str) -> String {
    let mut begins = true;
    let mut out = String::with_capacity(words.len());
    let small = ["de", "del", "la", "van", "der", "von", "ibn"];
    for word in words.split_inclusive([' ', '-']) {
        let particle = small.contains(&word.trim_end_matches([' ', '-'])) && !begins;
        let mixed = word.chars().any(char::is_lowercase) && word.chars().any(char::is_uppercase);
        if particle || mixed {
            out.push_str(word);
        } else {
            let mut letters = word.chars();
            out.extend(letters.next().into_iter().flat_map(char::to_uppercase));
            out.extend(letters.flat_map(char::to_lowercase));
        }
        begins = false;
    }
    out
}

/// A name misheard: like sounds, letters doubled or lost, cut in two.
pub fn misheard(name: &str, rng: &mut Rng) -> String {
    const SOUNDS: [(&str, &str); 30] = [
        ("ph", "f"),
        ("f", "ph"),
        ("ck", "k"),
        ("c", "k"),
        ("k", "c"),
        ("y", "ie"),
        ("ie", "y"),
        ("ei", "i"),
        ("ee", "ea"),
        ("z", "s"),
        ("s", "z"),
        ("gu", "gw"),
        ("kw", "qu"),
        ("qu", "k"),
        ("ts", "ch"),
        ("x", "sh"),
        ("j", "h"),
        ("w", "v"),
        ("v", "b"),
        ("d", "t"),
        ("t", "d"),
        ("m", "n"),
        ("a", "o"),
        ("o", "u"),
        ("e", "i"),
        ("i", "e"),
        ("u", "oo"),
        ("ng", "n"),
        ("h", ""),
        ("ll", "l"),
    ];
    let mut out = name.to_lowercase();
    for _ in 0..1 + rng.below(2) {
        let (from, to) = *rng.one(&SOUNDS);
        if let Some(at) = out.find(from).filter(|at| *at > 0 || rng.percent(40)) {
            out.replace_range(at..at + from.len(), to);
        }
    }
    let letters: Vec<usize> = out.char_indices().map(|(at, _)| at).collect();
    if letters.len() > 6 && rng.percent(35) && !out.contains(' ') {
        out.insert(letters[3 + rng.below(letters.len() - 5)], ' ');
    }
    if out.len() < 2 { name.to_owned() } else { title(&out) }
}

/// A word as a recogniser writes it that does not know it: in pieces, some of them words that sound alike.
pub fn shattered(word: &str, rng: &mut Rng) -> String {
    const ALIKE: [(&str, &str); 52] = [
        ("ti", "tea"),
        ("no", "know"),
        ("li", "lee"),
        ("la", "law"),
        ("so", "sew"),
        ("si", "sea"),
        ("da", "the"),
        ("di", "dee"),
        ("ki", "key"),
        ("ro", "row"),
        ("mi", "me"),
        ("ni", "knee"),
        ("ra", "raw"),
        ("bo", "bow"),
        ("to", "toe"),
        ("pa", "paw"),
        ("wi", "we"),
        ("be", "bee"),
        ("al", "all"),
        ("or", "or"),
        ("ar", "are"),
        ("ka", "car"),
        ("ma", "ma"),
        ("mo", "mow"),
        ("ha", "ha"),
        ("hi", "high"),
        ("sa", "saw"),
        ("ta", "tar"),
        ("nu", "new"),
        ("ru", "roo"),
        ("go", "go"),
        ("do", "dough"),
        ("fi", "fee"),
        ("fa", "far"),
        ("va", "vah"),
        ("ve", "vay"),
        ("ye", "yeah"),
        ("ya", "yah"),
        ("yu", "you"),
        ("ju", "jew"),
        ("ji", "gee"),
        ("ja", "jar"),
        ("cha", "char"),
        ("chi", "chee"),
        ("sha", "shah"),
        ("win", "when"),
        ("son", "sun"),
        ("ton", "tun"),
        ("ez", "is"),
        ("el", "L"),
        ("en", "in"),
        ("an", "and"),
    ];
    let letters: Vec<char> = word.to_lowercase().chars().collect();
    let vowel = |c: char| "aeiouyáéíóúü".contains(c);
    let mut parts: Vec<String> = vec![String::new()];
    for (n, c) in letters.iter().enumerate() {
        if let Some(last) = parts.last_mut() {
            last.push(*c);
            let rest = letters.len() - n - 1;
            // After a vowel, before a consonant and a vowel.
            let cut = vowel(*c)
                && rest >= 2
                && !vowel(letters[n + 1])
                && (vowel(letters[n + 2]) || rng.percent(20));
            if cut && rng.percent(62) {
                parts.push(String::new());
            }
        }
    }
    let heard = parts.into_iter().filter(|part| !part.is_empty()).map(|part| {
        let alike = ALIKE.iter().find(|(own, _)| *own == part).filter(|_| rng.percent(60));
        alike.map_or(part, |(_, word)| (*word).to_owned())
    });
    heard.collect::<Vec<String>>().join(" ")
}

/// "O K A F O R", "o, k, a", "b as in boy".
pub fn spelled(name: &str, language: Language, style: Style, rng: &mut Rng) -> String {
    const SPANISH: [&str; 26] = [
        "a", "be", "ce", "de", "e", "efe", "ge", "hache", "i", "jota", "ka", "ele", "eme", "ene", "o", "pe",
        "cu", "erre", "ese", "te", "u", "uve", "doble u", "equis", "ye", "zeta",
    ];
    const WORDS: [&str; 26] = [
        "apple", "boy", "cat", "dog", "edward", "frank", "george", "henry", "ida", "john", "king", "lincoln",
        "mary", "nancy", "ocean", "peter", "queen", "robert", "sam", "tom", "union", "victor", "william",
        "x ray", "young", "zebra",
    ];
    let by = match style {
        Style::Written | Style::Lower => *rng.one(&["-", "-", " ", ", ", "."]),
        Style::Heard => *rng.one(&["-", " ", " ", ", ", ". "]),
        _ => " ",
    };
    let named = language == Language::Es && style.said() && rng.percent(40);
    let letters: Vec<char> = name.chars().filter(|c| c.is_alphabetic()).take(12).collect();
    let mut parts: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(c) = letters.get(at) {
        let n = (c.to_ascii_lowercase() as usize).wrapping_sub('a' as usize);
        let own = if named {
            SPANISH.get(n).map_or_else(|| c.to_string(), |s| (*s).to_owned())
        } else {
            c.to_uppercase().to_string()
        };
        if letters.get(at + 1) == Some(c) && style.said() && rng.percent(40) {
            parts.push(format!("{} {own}", if language == Language::Es { "doble" } else { "double" }));
            at += 2;
            continue;
        }
        if language == Language::En && rng.percent(4) {
            parts.push(format!(
                "{own} {} {}",
                rng.of(&["as in", "for", "like"]),
                WORDS.get(n).unwrap_or(&"apple")
            ));
        } else {
            parts.push(own);
        }
        at += 1;
    }
    parts.join(by)
}
