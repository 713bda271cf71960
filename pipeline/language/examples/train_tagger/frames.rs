//! Sentences out of the frames: choices are made, values filled in, and the whole is put in a style.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

use language::Language;

use crate::line::{ADDRESS, END, Line, NAME, Rng, Style};
use crate::names::{self, Names, Person};
use crate::places::Places;
use crate::say;

/// The frames of one file.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    lists: HashMap<String, Vec<String>>,
    /// With the section that each stands in.
    pub frames: Vec<(String, String)>,
}

/// What frames are filled with.
#[derive(Clone, Debug)]
pub struct Fill {
    /// Countries and cities.
    pub things: Vec<String>,
    pub names: Names,
    pub places: Places,
}

impl Frames {
    pub fn load(file: &Path) -> Result<Self, Box<dyn Error>> {
        let mut out = Self::default();
        let mut section = String::new();
        for line in std::fs::read_to_string(file)?.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
            if let Some((name, values)) = line.strip_prefix('$').and_then(|line| line.split_once(" = ")) {
                let values = values.split('|').map(|value| value.trim().to_owned()).collect();
                out.lists.insert(name.to_owned(), values);
            } else if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                name.clone_into(&mut section);
            } else {
                out.frames.push((section.clone(), line.to_owned()));
            }
        }
        Ok(out)
    }

    /// One way to say a frame, values not yet filled.
    fn chosen(&self, frame: &str, rng: &mut Rng) -> String {
        let mut out = String::new();
        let mut rest = frame;
        while let Some(at) = rest.find(['{', '$']) {
            out.push_str(&rest[..at]);
            if rest[at..].starts_with('$') {
                let name = &rest[at + 1..];
                let length = name.find(|c: char| !c.is_ascii_uppercase()).unwrap_or(name.len());
                if let Some(values) = self.lists.get(&name[..length]) {
                    let value = rng.one(values);
                    out.push_str(&self.chosen(value, rng));
                }
                rest = &name[length..];
            } else {
                let inside = &rest[at + 1..];
                let length = closing(inside);
                let choices = split(&inside[..length]);
                out.push_str(&self.chosen(choices[rng.below(choices.len())], rng));
                rest = inside.get(length + 1..).unwrap_or_default();
            }
        }
        out.push_str(rest);
        out
    }

    pub fn sentence(
        &self,
        frame: &str,
        language: Language,
        style: Style,
        fill: &Fill,
        rng: &mut Rng,
    ) -> String {
        let chosen = self.chosen(frame, rng);
        let filled = fill.filled(&chosen, language, style, rng);
        styled(&filled, style, rng)
    }
}

fn closing(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return at,
            '}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut out) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            '|' if depth == 0 => {
                out.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    out.push(&text[from..]);
    out
}

impl Fill {
    fn filled(&self, frame: &str, language: Language, style: Style, rng: &mut Rng) -> String {
        let mut out = String::new();
        let mut rest = frame;
        let mut person: Option<Person> = None;
        while let Some((before, after)) = rest.split_once('<') {
            out.push_str(before);
            // "<<email_>>" keeps one pair.
            if after.starts_with('<') {
                out.push('<');
                rest = after;
                continue;
            }
            let Some((slot, after)) = after.split_once('>') else { break };
            let (slot, marked) = slot.strip_suffix('_').map_or((slot, true), |slot| (slot, false));
            let value = self.value(slot, language, style, &mut person, rng);
            let mark = match slot {
                "address" => ADDRESS,
                _ => NAME,
            };
            if marked {
                out.push(mark)
            }
            out.push_str(&value);
            if marked {
                out.push(END)
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }

    /// A name inside an address of electronic mail is no name in talk.
    fn email(&self, language: Language, style: Style, rng: &mut Rng) -> String {
        let own = self.names.person(language, rng);
        let first: String = own.first.to_lowercase().chars().filter(|c| c.is_ascii_alphabetic()).collect();
        let last: String = own.last.to_lowercase().chars().filter(|c| c.is_ascii_alphabetic()).collect();
        let spanish = language == Language::Es;
        let (dot, at, under) = match (style.said(), spanish) {
            (true, true) => (" punto ", " arroba ", " guion bajo "),
            (true, false) => (" dot ", " at ", " underscore "),
            _ => (".", "@", "_"),
        };
        let number = if rng.percent(40) {
            let n = if rng.percent(50) { rng.below(99) } else { 1940 + rng.below(80) };
            let n = say::digits(&n.to_string(), language, style, rng);
            if style.said() { format!(" {n}") } else { n.replace(' ', "") }
        } else {
            String::new()
        };
        let user = match rng.below(6) {
            0 => format!("{first}{dot}{last}"),
            1 => format!("{first}{under}{last}"),
            2 => format!(
                "{}{}{last}",
                first.chars().next().unwrap_or('a'),
                if style.said() { " " } else { "" }
            ),
            3 => first.clone(),
            4 => format!("{first}{}{last}", if style.said() { " " } else { "" }),
            _ => format!("{last}{dot}{}", first.chars().next().unwrap_or('a')),
        };
        let host = rng.of(&[
            "gmail", "yahoo", "hotmail", "outlook", "comcast", "verizon", "proton", "icloud", "live", "aol",
            "example",
        ]);
        let host = if rng.percent(25) { last.as_str() } else { host };
        let end = rng.of(&["com", "com", "net", "org", "edu", "us"]);
        format!("{user}{number}{at}{host}{dot}{end}")
    }

    fn value(
        &self,
        slot: &str,
        language: Language,
        style: Style,
        person: &mut Option<Person>,
        rng: &mut Rng,
    ) -> String {
        let spanish = language == Language::Es;
        let small = |rng: &mut Rng| {
            say::digits(
                &(1 + rng.below(if rng.percent(70) { 30 } else { 300 })).to_string(),
                language,
                style,
                rng,
            )
        };
        // "<first> ... <last>" and "<last>, <spell>" are of one person; a second whole name is another's.
        let mut same = |rng: &mut Rng| person.get_or_insert_with(|| self.names.person(language, rng)).clone();
        match slot {
            "name" | "full" | "inverted" => {
                let own = self.names.person(language, rng);
                let value = match (slot, rng.below(100)) {
                    ("inverted", _) => format!("{}, {}", own.last, own.first),
                    ("full", _) | (_, 0..=63) => own.whole.clone(),
                    (_, 64..=90) => own.first.clone(),
                    _ => own.last.clone(),
                };
                let whole = value != own.first && value != own.last;
                *person = Some(if whole {
                    own
                } else {
                    Person { first: value.clone(), last: value.clone(), whole: value.clone() }
                });
                value
            }
            "first" => same(rng).first,
            "last" => same(rng).last,
            "again" => {
                let own = same(rng);
                names::misheard(if rng.percent(80) { &own.last } else { &own.first }, rng)
            }
            "spell" => {
                let own = same(rng);
                names::spelled(if rng.percent(85) { &own.last } else { &own.first }, language, style, rng)
            }
            "address" => self.places.address(language, style, rng),
            "street" => self.places.street(language, style, 25, rng),
            "house" => self.places.house(language, style, rng),
            "unit" => say::digits(&(1 + rng.below(400)).to_string(), language, style, rng),
            "town" => self.places.town(language, rng),
            "email" => self.email(language, style, rng),
            "thing" => names::title(&rng.one(&self.things).clone()),
            "letter" => char::from(b'A' + rng.below(26) as u8).to_string(),
            "small" => small(rng),
            "ord" => {
                let n = 1 + rng.below(30);
                if spanish {
                    rng.of(&["primer", "segundo", "tercer", "cuarto", "quinto"]).to_owned()
                } else if style.said() {
                    say::ordinal(n)
                } else {
                    say::nth(n)
                }
            }
            "num" => {
                let length = 3 + rng.below(7);
                let digits: String = (0..length).map(|_| char::from(b'0' + rng.below(10) as u8)).collect();
                let letters: String =
                    (0..2 + rng.below(2)).map(|_| char::from(b'A' + rng.below(26) as u8)).collect();
                let alike = rng.of(&[
                    "as in boy",
                    "as in victor",
                    "like dog",
                    "as in apple",
                    "for mary",
                    "de burro",
                    "de casa",
                ]);
                match rng.below(5) {
                    4 if style.said() => {
                        format!("{} {alike} {}", &letters[..1], say::digits(&digits, language, style, rng))
                    }
                    0 if !style.said() => format!("{letters}-{digits}"),
                    1 => format!(
                        "{} {}",
                        letters.chars().map(String::from).collect::<Vec<String>>().join(if style.said() {
                            " "
                        } else {
                            ""
                        }),
                        say::digits(&digits, language, style, rng)
                    ),
                    2 if !style.said() => format!("20{}-{digits}", 10 + rng.below(17)),
                    _ => say::digits(&digits, language, style, rng),
                }
            }
            "phone" => {
                let parts = [
                    format!("{}", 201 + rng.below(780)),
                    format!("{}", 200 + rng.below(800)),
                    format!("{:04}", rng.below(10_000)),
                ];
                if style.said() {
                    let parts: Vec<String> =
                        parts.iter().map(|part| say::digits(part, language, style, rng)).collect();
                    parts[if rng.percent(20) { 1 } else { 0 }..].join(rng.of(&[" ", ", "]))
                } else {
                    let by = rng.of(&["-", "-", ".", " "]);
                    if rng.percent(20) {
                        format!("({}) {}{by}{}", parts[0], parts[1], parts[2])
                    } else {
                        parts.join(by)
                    }
                }
            }
            "money" => {
                let n = 1 + rng.below(if rng.percent(60) { 90 } else { 2500 });
                let unit = if spanish { "dólares" } else { rng.of(&["dollars", "dollars", "bucks"]) };
                if style.said() && rng.percent(80) {
                    format!("{} {unit}", say::digits(&n.to_string(), language, style, rng))
                } else if rng.percent(40) {
                    format!("${n}.{:02}", rng.below(100))
                } else {
                    format!("${n}")
                }
            }
            "time" => {
                let (hour, minute) = (1 + rng.below(12), *rng.one(&[0, 0, 15, 30, 45]));
                if spanish {
                    let hour = say::cardinal(hour, language, rng);
                    return match (minute, rng.below(2)) {
                        (0, _) => hour,
                        (_, 0) => format!("{hour} y media"),
                        _ => format!("{hour} {}", say::cardinal(minute, language, rng)),
                    };
                }
                let half = rng.of(&[" a.m.", " p.m.", "", " o'clock", " in the morning"]);
                match (style.said() && rng.percent(60), minute) {
                    (true, 0) => format!("{}{half}", say::cardinal(hour, language, rng)),
                    (true, _) => format!(
                        "{} {}{}",
                        say::cardinal(hour, language, rng),
                        say::cardinal(minute, language, rng),
                        half.replace(" o'clock", "")
                    ),
                    (false, 0) => format!("{hour}{half}"),
                    _ => format!("{hour}:{minute:02}{}", half.replace(" o'clock", "")),
                }
            }
            "date" => {
                const MONTHS: [&str; 12] = [
                    "January",
                    "February",
                    "March",
                    "April",
                    "May",
                    "June",
                    "July",
                    "August",
                    "September",
                    "October",
                    "November",
                    "December",
                ];
                const MESES: [&str; 12] = [
                    "enero",
                    "febrero",
                    "marzo",
                    "abril",
                    "mayo",
                    "junio",
                    "julio",
                    "agosto",
                    "septiembre",
                    "octubre",
                    "noviembre",
                    "diciembre",
                ];
                let (month, day, year) = (rng.below(12), 1 + rng.below(30), 1930 + rng.below(96));
                let years = if rng.percent(50) {
                    format!(" {}", say::digits(&year.to_string(), language, style, rng))
                } else {
                    String::new()
                };
                if spanish {
                    let day = if style.said() { say::cardinal(day, language, rng) } else { day.to_string() };
                    let years = if years.is_empty() { years } else { format!(" de{years}") };
                    return format!("{day} de {}{years}", MESES[month]);
                }
                match rng.below(4) {
                    0 if !style.said() => format!("{}/{day}/{}", month + 1, year),
                    1 => format!(
                        "the {} of {}",
                        if style.said() { say::ordinal(day) } else { say::nth(day) },
                        MONTHS[month]
                    ),
                    _ => format!(
                        "{} {}{}{years}",
                        MONTHS[month],
                        if style.said() { say::ordinal(day) } else { day.to_string() },
                        if years.is_empty() || style.said() { "" } else { "," }
                    ),
                }
            }
            _ => String::new(),
        }
    }
}

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

/// Public talk with a person's name where it says "he", and an address where it says "my house": contexts that nobody made up.
pub fn renamed(clean: &[String], fill: &Fill, rng: &mut Rng) -> Vec<Line> {
    const PERSONS: [&str; 13] = [
        "he",
        "she",
        "him",
        "someone",
        "somebody",
        "my friend",
        "my friends",
        "my wife",
        "my husband",
        "my mom",
        "my boss",
        "my brother",
        "my sister",
    ];
    const HOMES: [&str; 9] = [
        "my house",
        "my home",
        "my place",
        "my address",
        "home",
        "this address",
        "that address",
        "the airport",
        "downtown",
    ];
    let mut out = Vec::new();
    for text in clean {
        let lower = text.to_lowercase();
        let find = |words: &[&str]| {
            words.iter().find_map(|word| {
                let at = lower.find(word).filter(|_| lower.len() == text.len())?;
                let before =
                    lower[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '\'');
                let after =
                    lower[at + word.len()..].chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '\'');
                (before && after && text.is_char_boundary(at)).then_some((at, word.len()))
            })
        };
        let (at, length, mark) = match (find(&PERSONS), find(&HOMES)) {
            (Some((at, length)), _) => (at, length, NAME),
            (None, Some((at, length))) => (at, length, ADDRESS),
            _ => continue,
        };
        let style = Style::any(rng);
        let value = if mark == NAME {
            let own = fill.names.person(Language::En, rng);
            if rng.percent(55) { own.first } else { own.whole }
        } else {
            fill.places.address(Language::En, style, rng)
        };
        let said = &text[at..at + length];
        // "my wife" stays before her name.
        let kept = if said.contains(' ') && mark == NAME && rng.percent(70) {
            format!("{said} ")
        } else {
            String::new()
        };
        let marked = format!("{}{kept}{mark}{value}{END}{}", &text[..at], &text[at + length..]);
        out.push(Line::new(&styled(&marked, style, rng), Language::En, "renamed"));
    }
    out
}

/// Sentences of a set of frames, each frame about as often as others.
pub fn lines(
    frames: &Frames,
    language: Language,
    count: usize,
    fill: &Fill,
    clean: &[String],
    rng: &mut Rng,
) -> Vec<Line> {
    let mut out = Vec::with_capacity(count);
    for _ in 0..count {
        let style = Style::any(rng);
        let (_, frame) = rng.one(&frames.frames);
        let mut text = frames.sentence(frame, language, style, fill, rng);
        // Other things are said in the same breath.
        if rng.percent(22) {
            let (_, other) = rng.one(&frames.frames);
            text = format!("{text} {}", frames.sentence(other, language, style, fill, rng));
        }
        if !clean.is_empty() {
            let more = |rng: &mut Rng| {
                let other = rng.one(clean);
                styled(other, style, rng)
            };
            if rng.percent(26) {
                text = format!("{} {text}", more(rng));
            }
            if rng.percent(34) {
                text = format!("{text} {}", more(rng));
            }
        }
        out.push(Line::new(&text, language, style.name()));
    }
    out
}
