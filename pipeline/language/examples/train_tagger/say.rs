//! Numbers as people say them.

use language::Language;
use language::english::number::{TENS, UNITS as ONES};

use crate::line::{Rng, Style};

const UNOS: [&str; 30] = [
    "cero",
    "uno",
    "dos",
    "tres",
    "cuatro",
    "cinco",
    "seis",
    "siete",
    "ocho",
    "nueve",
    "diez",
    "once",
    "doce",
    "trece",
    "catorce",
    "quince",
    "dieciséis",
    "diecisiete",
    "dieciocho",
    "diecinueve",
    "veinte",
    "veintiuno",
    "veintidós",
    "veintitrés",
    "veinticuatro",
    "veinticinco",
    "veintiséis",
    "veintisiete",
    "veintiocho",
    "veintinueve",
];
const DIECES: [&str; 10] =
    ["", "", "veinte", "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"];
const CIENTOS: [&str; 10] = [
    "",
    "ciento",
    "doscientos",
    "trescientos",
    "cuatrocientos",
    "quinientos",
    "seiscientos",
    "setecientos",
    "ochocientos",
    "novecientos",
];
const ORDINALS: [&str; 20] = [
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
];
const TENTHS: [&str; 10] = [
    "",
    "",
    "twentieth",
    "thirtieth",
    "fortieth",
    "fiftieth",
    "sixtieth",
    "seventieth",
    "eightieth",
    "ninetieth",
];

/// "one hundred twenty-three".
pub fn cardinal(n: usize, language: Language, rng: &mut Rng) -> String {
    if language == Language::Es { spanish(n) } else { english(n, rng) }
}

fn english(n: usize, rng: &mut Rng) -> String {
    match n {
        0..=19 => ONES[n].to_owned(),
        20..=99 if n.is_multiple_of(10) => TENS[n / 10 - 2].to_owned(),
        20..=99 => format!("{} {}", TENS[n / 10 - 2], ONES[n % 10]),
        100..=999 if n.is_multiple_of(100) => format!("{} hundred", ONES[n / 100]),
        100..=999 => {
            let and = if rng.percent(25) { "and " } else { "" };
            format!("{} hundred {and}{}", ONES[n / 100], english(n % 100, rng))
        }
        _ if n.is_multiple_of(1000) => format!("{} thousand", english(n / 1000, rng)),
        _ => format!("{} thousand {}", english(n / 1000, rng), english(n % 1000, rng)),
    }
}

fn spanish(n: usize) -> String {
    match n {
        0..=29 => UNOS[n].to_owned(),
        30..=99 if n.is_multiple_of(10) => DIECES[n / 10].to_owned(),
        30..=99 => format!("{} y {}", DIECES[n / 10], UNOS[n % 10]),
        100 => "cien".to_owned(),
        101..=999 if n.is_multiple_of(100) => CIENTOS[n / 100].to_owned(),
        101..=999 => format!("{} {}", CIENTOS[n / 100], spanish(n % 100)),
        1000 => "mil".to_owned(),
        1001..=1999 => format!("mil {}", spanish(n % 1000)),
        _ if n.is_multiple_of(1000) => format!("{} mil", spanish(n / 1000)),
        _ => format!("{} mil {}", spanish(n / 1000), spanish(n % 1000)),
    }
}

/// "forty second".
pub fn ordinal(n: usize) -> String {
    match n {
        0..=19 => ORDINALS[n].to_owned(),
        _ if n.is_multiple_of(10) && n < 100 => TENTHS[n / 10].to_owned(),
        20..=99 => format!("{} {}", TENS[n / 10 - 2], ORDINALS[n % 10]),
        _ => format!("{} hundred {}", ONES[(n / 100).min(19)], ordinal((n % 100).max(1))),
    }
}

/// "42nd".
pub fn nth(n: usize) -> String {
    let end = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{end}")
}

/// Digits one by one, in words.
pub fn singly(digits: &str, language: Language, rng: &mut Rng) -> String {
    let oh = if rng.percent(70) { "oh" } else { "zero" };
    let word = |c: char| {
        let n = c.to_digit(10).unwrap_or(0) as usize;
        match (language, n) {
            (Language::Es, _) => UNOS[n],
            (Language::En, 0) => oh,
            _ => ONES[n],
        }
    };
    let words: Vec<&str> = digits.chars().filter(char::is_ascii_digit).map(word).collect();
    words.join(" ")
}

/// Digits in a style, as a house number or another long number: "nine oh two", "9 0 2", "902".
pub fn digits(number: &str, language: Language, style: Style, rng: &mut Rng) -> String {
    if !style.said() {
        return number.to_owned();
    }
    match rng.below(100) {
        0..=24 => number.to_owned(),
        25..=34 => spaced(number, rng),
        35..=40 if number.len() > 2 => mixed(number, rng),
        35..=54 => singly(number, language, rng),
        _ => pairs(number, language, rng),
    }
}

fn spaced(number: &str, rng: &mut Rng) -> String {
    let by = rng.of(&[" ", " ", " ", ", ", "-"]);
    number.chars().map(String::from).collect::<Vec<String>>().join(by)
}

/// Digits for the first part, and again for the second: "51 oh 7", "22 60".
fn mixed(number: &str, rng: &mut Rng) -> String {
    let (head, tail) = number.split_at(number.len() - 2);
    let tail = match (tail.strip_prefix('0'), rng.below(3)) {
        (Some(digit), 0) => format!("0 {digit}"),
        (Some(digit), _) => format!("oh {digit}"),
        _ => tail.to_owned(),
    };
    let head = if head.len() > 2 { format!("{} {}", &head[..1], &head[1..]) } else { head.to_owned() };
    format!("{head} {tail}")
}

/// "twelve forty five", "nine oh two", "forty five hundred", or the whole number.
fn pairs(number: &str, language: Language, rng: &mut Rng) -> String {
    let whole: usize = number.parse().unwrap_or(0);
    if number.len() < 3 || number.starts_with('0') {
        return if number.starts_with('0') {
            singly(number, language, rng)
        } else {
            cardinal(whole, language, rng)
        };
    }
    if rng.percent(if language == Language::Es { 60 } else { 20 }) {
        return cardinal(whole, language, rng);
    }
    if number.len() == 4
        && whole.is_multiple_of(100)
        && !whole.is_multiple_of(1000)
        && language == Language::En
    {
        return format!("{} hundred", cardinal(whole / 100, language, rng));
    }
    let cut = if number.len() == 5 && rng.percent(60) { 3 } else { number.len() - 2 };
    let (head, tail) = number.split_at(cut);
    let tail = match tail.parse().unwrap_or(0) {
        0 => singly(tail, language, rng),
        n if n < 10 => singly(tail, language, rng),
        n => cardinal(n, language, rng),
    };
    let head = if head.len() > 2 {
        pairs(head, language, rng)
    } else {
        cardinal(head.parse().unwrap_or(0), language, rng)
    };
    format!("{head} {tail}")
}
