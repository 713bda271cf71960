//! A text as words, numbers and signs, for what looks for amounts and phone numbers in it. Numbers are read in figures
//! and in words, English and Spanish.

use super::plain::folded;

/// What stands before a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Gap {
    /// Nothing.
    Glued,
    Space,
    /// A hyphen, a full stop within figures, a bracket, a slash.
    Joint,
    Comma,
    /// The end of a sentence or of a part of it.
    Stop,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Piece {
    Word(String),
    /// The figures as written, and hundredths where the whole is no more than a billion.
    Figures {
        digits: String,
        hundredths: i64,
        whole: bool,
    },
    Sign(char),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) piece: Piece,
    pub(super) gap: Gap,
}

impl Token {
    pub(super) fn word(&self) -> Option<&str> {
        if let Piece::Word(word) = &self.piece { Some(word) } else { None }
    }

    pub(super) fn is(&self, words: &[&str]) -> bool {
        self.word().is_some_and(|word| words.contains(&word))
    }

    pub(super) fn is_sign(&self, signs: &[char]) -> bool {
        matches!(self.piece, Piece::Sign(c) if signs.contains(&c))
    }
}

/// Cuts a text.
pub(super) fn cut(text: &str) -> Vec<Token> {
    let chars: Vec<char> = folded(text).chars().collect();
    let mut out = Vec::new();
    let mut gap = Gap::Stop;
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        let from = at;
        let piece = if c.is_ascii_digit() {
            figures(&chars, &mut at)
        } else if c.is_alphabetic() {
            while chars.get(at).is_some_and(|c| c.is_alphabetic() || *c == '\'') {
                at += 1;
            }
            let word: String = chars[from..at].iter().collect();
            Piece::Word(word.trim_end_matches("'s").trim_end_matches('\'').to_owned())
        } else {
            at += 1;
            if !matches!(c, '$' | '%' | '¢' | '€') {
                gap = gap_of(c, gap, chars.get(at).is_none_or(|c| c.is_whitespace()));
                continue;
            }
            Piece::Sign(c)
        };
        out.push(Token { piece, gap });
        gap = Gap::Glued;
    }
    out
}

fn gap_of(c: char, before: Gap, then_space: bool) -> Gap {
    let own = match c {
        c if c.is_whitespace() => Gap::Space,
        '-' | '\u{2010}'..='\u{2013}' | '(' | ')' | '/' => Gap::Joint,
        '.' if !then_space => Gap::Joint,
        ',' => Gap::Comma,
        '.' | ';' | ':' | '?' | '!' | '\u{2014}' | '"' => Gap::Stop,
        _ => Gap::Space,
    };
    match (before, own) {
        (Gap::Stop, _) | (_, Gap::Stop) => Gap::Stop,
        (Gap::Comma, _) | (_, Gap::Comma) => Gap::Comma,
        (Gap::Joint, _) | (_, Gap::Joint) => Gap::Joint,
        _ => Gap::Space,
    }
}

/// `1,240`, `7.50`, `2.4`, `555`.
fn figures(chars: &[char], at: &mut usize) -> Piece {
    let digit = |n: usize| chars.get(n).is_some_and(char::is_ascii_digit);
    let mut digits = String::new();
    while let Some(c) = chars.get(*at).filter(|c| c.is_ascii_digit()) {
        digits.push(*c);
        *at += 1;
        // Thousands: a comma and exactly three figures.
        let n = *at;
        let thousands = chars.get(n) == Some(&',') && (1..=3).all(|k| digit(n + k)) && !digit(n + 4);
        if thousands && digits.len() <= 3 + 3 * (digits.len() / 3) {
            *at += 1;
        }
    }
    let n = *at;
    let places = (1..=4).take_while(|k| digit(n + k)).count();
    let mark = chars.get(n).copied();
    // "7.50" and "2.4"; in Spanish "7,50".
    let fraction = match mark {
        Some('.') => (1..=2).contains(&places),
        Some(',') => places == 2,
        _ => false,
    } && !(chars.get(n + 1 + places) == Some(&'.') && digit(n + 2 + places));
    let whole = digits.parse::<i64>().ok().filter(|n| *n <= 1_000_000_000);
    let mut hundredths = whole.map_or(-1, |n| n * 100);
    if fraction {
        let part: String = chars[n + 1..=n + places].iter().collect();
        let part = format!("{part:0<2}").parse::<i64>().unwrap_or(0);
        hundredths += if hundredths >= 0 { part } else { 0 };
        *at = n + 1 + places;
    }
    Piece::Figures { digits, hundredths, whole: !fraction }
}

/// A number word that is added to what came before it.
pub(super) fn unit(word: &str) -> Option<i64> {
    Some(match word {
        "zero" | "cero" => 0,
        "one" | "un" | "uno" | "una" => 1,
        "two" | "dos" => 2,
        "three" | "tres" => 3,
        "four" | "cuatro" => 4,
        "five" | "cinco" => 5,
        "six" | "seis" => 6,
        "seven" | "siete" => 7,
        "eight" | "ocho" => 8,
        "nine" | "nueve" => 9,
        "ten" | "diez" => 10,
        "eleven" | "once" => 11,
        "twelve" | "doce" => 12,
        "thirteen" | "trece" => 13,
        "fourteen" | "catorce" => 14,
        "fifteen" | "quince" => 15,
        "sixteen" | "dieciseis" => 16,
        "seventeen" | "diecisiete" => 17,
        "eighteen" | "dieciocho" => 18,
        "nineteen" | "diecinueve" => 19,
        "twenty" | "veinte" => 20,
        "veintiun" | "veintiuno" | "veintiuna" => 21,
        "veintidos" => 22,
        "veintitres" => 23,
        "veinticuatro" => 24,
        "veinticinco" => 25,
        "veintiseis" => 26,
        "veintisiete" => 27,
        "veintiocho" => 28,
        "veintinueve" => 29,
        "thirty" | "treinta" => 30,
        "forty" | "fourty" | "cuarenta" => 40,
        "fifty" | "cincuenta" => 50,
        "sixty" | "sesenta" => 60,
        "seventy" | "setenta" => 70,
        "eighty" | "ochenta" => 80,
        "ninety" | "noventa" => 90,
        "cien" | "ciento" => 100,
        "doscientos" | "doscientas" => 200,
        "trescientos" | "trescientas" => 300,
        "cuatrocientos" | "cuatrocientas" => 400,
        "quinientos" | "quinientas" => 500,
        "seiscientos" | "seiscientas" => 600,
        "setecientos" | "setecientas" => 700,
        "ochocientos" | "ochocientas" => 800,
        "novecientos" | "novecientas" => 900,
        _ => return None,
    })
}

fn factor(word: &str) -> Option<i64> {
    Some(match word {
        "hundred" => 100,
        "thousand" | "mil" | "grand" | "k" => 1_000,
        "million" | "millon" | "millones" => 1_000_000,
        _ => return None,
    })
}

/// Largest number that is read, in whole units.
const MOST: i64 = 1_000_000_000;

/// The number at the front of these tokens, in hundredths, with the count of tokens that it takes. `None` for a number
/// that is beyond all amounts.
pub(super) fn number_at(tokens: &[Token]) -> Option<(i64, usize)> {
    let (mut total, mut current, mut last) = (0_i64, 0_i64, i64::MAX);
    let (mut used, mut any) = (0, false);
    while let Some(token) = tokens.get(used) {
        if any && matches!(token.gap, Gap::Comma | Gap::Stop) {
            break;
        }
        let step = match &token.piece {
            Piece::Figures { hundredths, .. } if !any && *hundredths >= 0 => {
                (current, last) = (*hundredths, 1);
                true
            }
            Piece::Word(word) => {
                if let Some(value) = unit(word).filter(|value| joins(last, *value)) {
                    current += value * 100;
                    last = size(value);
                    true
                } else if let Some(factor) = factor(word).filter(|_| any || word == "mil") {
                    let base = if current == 0 { 100 } else { current };
                    let grown = base.checked_mul(factor).filter(|n| *n <= MOST * 100)?;
                    if factor == 100 {
                        (current, last) = (grown, 100);
                    } else {
                        (total, current, last) = (total + grown, 0, factor);
                    }
                    true
                } else {
                    // "a hundred", "thirty and five", "treinta y cinco", "two hundred and five".
                    let next = tokens.get(used + 1).and_then(Token::word).unwrap_or_default();
                    let article = !any && matches!(word.as_str(), "a" | "an") && factor(next).is_some();
                    let and = any
                        && matches!(word.as_str(), "and" | "y")
                        && unit(next).is_some_and(|value| joins(last, value));
                    if article {
                        (current, any) = (100, true);
                    }
                    article || and
                }
            }
            _ => false,
        };
        if !step {
            break;
        }
        used += 1;
        any = true;
    }
    // A trailing "and" was looked ahead for; it is never the last token.
    any.then_some((total + current, used))
}

/// What may follow a number word of this size: something smaller than its last place.
const fn joins(last: i64, value: i64) -> bool {
    last == i64::MAX || (value > 0 && value < last)
}

/// The place of a number word: after "twenty" comes a unit, after "seven" nothing.
const fn size(value: i64) -> i64 {
    match value {
        100.. => 100,
        30.. => 10,
        20 => 10,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_figures_and_in_words() {
        for (text, hundredths, used) in [
            ("7", 700, 1),
            ("7.50", 750, 1),
            ("7,50", 750, 1),
            ("1,240 dollars", 124_000, 1),
            ("6 thousand", 600_000, 2),
            ("seven", 700, 1),
            ("twenty-five dollars", 2_500, 2),
            ("twelve hundred", 120_000, 2),
            ("a hundred and five", 10_500, 4),
            ("two thousand three hundred forty two", 234_200, 6),
            ("treinta y cinco", 3_500, 3),
            ("mil doscientos cuarenta", 124_000, 3),
            ("ciento veinte dolares", 12_000, 2),
            ("seven fifty", 700, 1),
            ("five five five", 500, 1),
            ("twenty, five", 2_000, 1),
            ("two and then", 200, 1),
        ] {
            assert_eq!(number_at(&cut(text)), Some((hundredths, used)), "{text}");
        }
        for text in ["", "dollars", "a dollar", "hundred", "and five", "999999999999999"] {
            assert_eq!(number_at(&cut(text)), None, "{text}");
        }
    }

    #[test]
    fn phone_numbers_in_figures_come_in_their_groups() {
        let digits = |text: &str| -> Vec<String> {
            let of = |t: Token| if let Piece::Figures { digits, .. } = t.piece { Some(digits) } else { None };
            cut(text).into_iter().filter_map(of).collect()
        };
        assert_eq!(digits("202.555.0110"), ["202", "555", "0110"]);
        assert_eq!(digits("(202) 555-0110."), ["202", "555", "0110"]);
        assert_eq!(digits("$1,240,000"), ["1240000"]);
        assert_eq!(digits("8, 9, 10"), ["8", "9", "10"]);
    }
}
