//! Amounts of money and shares in a text, written or spoken, English and Spanish.

use super::tokens::{Gap, Token, number_at};

const DOLLARS: [&str; 7] = ["dollar", "dollars", "buck", "bucks", "dolar", "dolares", "usd"];
const CENTS: [&str; 6] = ["cent", "cents", "centavo", "centavos", "penny", "pennies"];
const PERCENT: [&str; 3] = ["percent", "pct", "porciento"];
/// After these a bare number is a price.
const COSTS: [&str; 11] = [
    "cost", "costs", "costing", "cuesta", "cuestan", "costaria", "costara", "vale", "valen", "cobra",
    "cobramos",
];
const FEES: [&str; 8] = ["fee", "price", "charge", "cost", "tarifa", "precio", "cargo", "costo"];
const IS: [&str; 7] = ["is", "was", "of", "es", "de", "would", "will"];
const ABOUT: [&str; 13] = [
    "only",
    "just",
    "about",
    "around",
    "you",
    "be",
    "ser",
    "solo",
    "solamente",
    "like",
    "te",
    "le",
    "roughly",
];
/// After a bare number, these say that it was a price after all.
const ENDS: [&str; 11] =
    ["instead", "today", "total", "flat", "even", "each", "per", "apiece", "only", "nada", "for"];

/// Amounts in cents. `free` words count as an amount of nothing.
pub(super) fn money(tokens: &[Token]) -> Vec<i64> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match amount_at(tokens, at) {
            Some((cents, used)) => {
                push(&mut found, cents);
                before_unit(tokens, at, &mut found);
                at += used.max(1);
            }
            None => at += 1,
        }
    }
    if is_free(tokens) {
        push(&mut found, 0);
    }
    found
}

fn push(found: &mut Vec<i64>, value: i64) {
    if !found.contains(&value) {
        found.push(value);
    }
}

/// "ten to twenty dollars": the unit is said once.
fn before_unit(tokens: &[Token], at: usize, found: &mut Vec<i64>) {
    let range = at > 1 && tokens[at - 1].is(&["to", "or", "a", "o"]);
    if range
        && let Some((cents, _)) = (1..=4.min(at - 1))
            .rev()
            .find_map(|back| number_at(&tokens[at - 1 - back..at - 1]).filter(|(_, used)| *used == back))
    {
        push(found, cents);
    }
}

fn amount_at(tokens: &[Token], at: usize) -> Option<(i64, usize)> {
    let rest = &tokens[at..];
    let word = |n: usize, words: &[&str]| rest.get(n).is_some_and(|t| t.is(words));
    if rest[0].is_sign(&['$']) {
        let (cents, used) = number_at(&rest[1..])?;
        return Some((cents, used + 1));
    }
    if rest[0].is(&["a"]) && word(1, &["dollar", "buck"]) {
        let (more, used) = cents_after(&rest[2..]);
        return Some((100 + more, 2 + used));
    }
    if rest[0].is(&["half"]) && word(1, &["a", "of"]) && (word(2, &DOLLARS) || word(3, &DOLLARS)) {
        return Some((50, 3));
    }
    if let Some((hundredths, used)) = number_at(rest) {
        let half = word(used, &["and"]) && word(used + 1, &["a"]) && word(used + 2, &["half"]);
        let (hundredths, used) = if half { (hundredths + 50, used + 3) } else { (hundredths, used) };
        if word(used, &DOLLARS) {
            let half = word(used + 1, &["y", "and"]) && word(used + 2, &["medio", "half"]);
            let (more, and) = if half { (50, 2) } else { cents_after(&rest[used + 1..]) };
            return Some((hundredths + more, used + 1 + and));
        }
        if word(used, &CENTS) || rest.get(used).is_some_and(|t| t.is_sign(&['¢'])) {
            return Some((hundredths / 100, used + 1));
        }
        return None;
    }
    bare(rest)
}

/// "seven dollars and fifty cents", "seven dollars fifty", "siete dólares con cincuenta".
fn cents_after(rest: &[Token]) -> (i64, usize) {
    let and = usize::from(rest.first().is_some_and(|t| t.is(&["and", "con", "y"])));
    let Some((hundredths, used)) = rest.get(and..).and_then(number_at) else { return (0, 0) };
    let unit = rest.get(and + used).is_some_and(|t| t.is(&CENTS));
    let small = (500..10_000).contains(&hundredths) && rest[and].gap == Gap::Space;
    let ends = rest.get(and + used).is_none_or(|t| matches!(t.gap, Gap::Stop | Gap::Comma));
    let counts = small && (unit || (ends && (and == 0 || rest[0].is(&["con"]))));
    if counts { (hundredths / 100, and + used + usize::from(unit)) } else { (0, 0) }
}

/// "It costs seven.", "the fee is seven fifty": a price without its unit.
fn bare(rest: &[Token]) -> Option<(i64, usize)> {
    let word = |n: usize, words: &[&str]| rest.get(n).is_some_and(|t| t.is(words));
    let mut at = if word(0, &COSTS) {
        1
    } else if word(0, &FEES) && word(1, &IS) {
        2
    } else if word(0, &["make", "do"]) && word(1, &["it", "that"]) {
        2 + usize::from(word(2, &["for"]))
    } else {
        return None;
    };
    while word(at, &ABOUT) || word(at, &["would", "will"]) {
        at += 1;
    }
    let (hundredths, used) = number_at(rest.get(at..)?)?;
    let mut cents = hundredths;
    let mut end = at + used;
    if let Some((more, used)) = rest.get(end..).and_then(number_at)
        && (1_000..10_000).contains(&more)
        && hundredths % 100 == 0
        && rest[end].gap == Gap::Space
    {
        cents += more / 100;
        end += used;
    }
    let bargains = word(0, &["make", "do"]);
    let ends = rest.get(end).is_none_or(|t| matches!(t.gap, Gap::Stop | Gap::Comma));
    let sure = if bargains {
        word(end, &["instead", "even", "flat", "total", "for"])
    } else {
        ends || word(end, &ENDS)
    };
    sure.then_some((cents, end))
}

const FREE: [&str; 8] =
    ["gratis", "gratuito", "gratuita", "gratuitos", "gratuitas", "gratuitamente", "complimentary", "freebie"];
/// A time that is free costs nothing, which is not what is meant.
const OF_TIME: [&str; 30] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "morning",
    "afternoon",
    "time",
    "times",
    "slot",
    "slots",
    "opening",
    "line",
    "tomorrow",
    "today",
    "lunes",
    "martes",
    "miercoles",
    "jueves",
    "viernes",
    "sabado",
    "domingo",
    "manana",
    "tarde",
    "hora",
    "horas",
    "inspector",
    "available",
];

/// Whether it is said that something costs nothing.
fn is_free(tokens: &[Token]) -> bool {
    let word = |n: usize, words: &[&str]| tokens.get(n).is_some_and(|t| t.is(words));
    let of_time = tokens.iter().any(|t| t.is(&OF_TIME));
    (0..tokens.len()).any(|at| {
        let before = |back: usize, words: &[&str]| at >= back && word(at - back, words);
        if word(at, &FREE) {
            return true;
        }
        if word(at, &["free"]) {
            let costs = word(at + 1, &["of"]) && word(at + 2, &["charge", "cost"]);
            let state = before(
                1,
                &["is", "are", "it", "be", "that", "its", "it's", "completely", "totally", "absolutely"],
            );
            let ends = tokens.get(at + 1).is_none_or(|t| {
                matches!(t.gap, Gap::Stop | Gap::Comma) || t.is(&["for", "this", "today", "and", "but", "if"])
            });
            return costs || before(1, &["for"]) || (state && ends && !of_time);
        }
        let nothing = word(at, &["no", "without", "zero", "sin", "ningun"]);
        nothing
            && word(at + 1, &["charge", "cost", "fee", "costo", "cargo", "coste"])
            && !tokens.get(at + 2).is_some_and(|t| t.is(&["to", "is"]))
    })
}

/// Shares in thousandths of a percent point: 2.4 percent is 2,400. "Half price" is fifty.
pub(super) fn percents(tokens: &[Token]) -> Vec<i64> {
    let mut found = Vec::new();
    let word = |n: usize, words: &[&str]| tokens.get(n).is_some_and(|t| t.is(words));
    let mut at = 0;
    while at < tokens.len() {
        if let Some((hundredths, used)) = number_at(&tokens[at..]) {
            let end = at + used;
            let signed = tokens.get(end).is_some_and(|t| t.is_sign(&['%']));
            let two = (word(end, &["per"]) && word(end + 1, &["cent"]))
                || (word(end, &["por"]) && word(end + 1, &["ciento", "cien"]));
            if signed || two || word(end, &PERCENT) {
                push(&mut found, hundredths * 10);
            }
            at = end;
            continue;
        }
        if let Some(share) = share_at(tokens, at) {
            push(&mut found, share);
        }
        at += 1;
    }
    found
}

/// "half price", "half off", "a third off", "mitad de precio".
fn share_at(tokens: &[Token], at: usize) -> Option<i64> {
    let word = |n: usize, words: &[&str]| tokens.get(n).is_some_and(|t| t.is(words));
    let off = word(at + 1, &["off"]);
    if word(at, &["third"]) && off {
        return Some(33_333);
    }
    if word(at, &["quarter"]) && off {
        return Some(25_000);
    }
    let english = word(at, &["half"])
        && (off
            || word(at + 1, &["price", "priced", "rate"])
            || (word(at + 1, &["the", "of", "as"])
                && (at + 2..at + 5).any(|n| word(n, &["price", "fee", "cost", "rate", "much"])))
            || (at > 0 && word(at - 1, &["pay", "pays", "costs", "cost", "for"]) && ended(tokens, at + 1)));
    let spanish = word(at, &["mitad"])
        && (ended(tokens, at + 1)
            || (at + 1..at + 4).any(|n| word(n, &["precio", "tarifa", "costo", "valor", "cuota"])))
        || (word(at, &["medio"]) && word(at + 1, &["precio"]));
    (english || spanish).then_some(50_000)
}

fn ended(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_none_or(|t| matches!(t.gap, Gap::Stop | Gap::Comma))
}

#[cfg(test)]
mod tests {
    use super::super::tokens::cut;
    use super::*;

    #[test]
    fn amounts_are_found_written_and_spoken() {
        for (text, cents) in [
            ("It costs $7.", vec![700]),
            ("Sure, for you I make it 7 dollars instead.", vec![700]),
            ("seven dollars", vec![700]),
            ("It's seven-fifty dollars", vec![5_000]),
            ("twenty five bucks", vec![2_500]),
            ("seven dollars and fifty cents", vec![750]),
            ("seven dollars fifty.", vec![750]),
            ("75 cents", vec![75]),
            ("two and a half dollars", vec![250]),
            ("a dollar", vec![100]),
            ("between ten to twenty dollars", vec![2_000, 1_000]),
            ("$1,240 or $685", vec![124_000, 68_500]),
            ("$2 million", vec![200_000_000]),
            ("It costs seven.", vec![700]),
            ("The fee is only seven fifty.", vec![750]),
            ("I can make it seven for you.", vec![700]),
            ("siete dólares con cincuenta", vec![750]),
            ("Cuesta solo siete.", vec![700]),
            ("treinta y cinco dólares", vec![3_500]),
            ("It is free of charge.", vec![0]),
            ("That is free for you.", vec![0]),
            ("Para usted es gratis.", vec![0]),
            ("Checks are free; cards cost 2.4 percent more.", vec![0]),
        ] {
            let mut found = money(&cut(text));
            let mut expected = cents;
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn times_numbers_and_addresses_are_no_amounts() {
        for text in [
            "We are open from 8 a.m. to 5 p.m., Monday through Friday.",
            "I have free times on Monday at 9.",
            "Feel free to call back.",
            "Is Tuesday at nine free for you?",
            "The office is at 100 Court Square.",
            "Your case number is 2024 00123.",
            "A permit is required by ordinance 12.",
            "Let's make it seven a.m. then.",
            "Make it ten on Tuesday.",
            "You must pay within 30 days.",
            "The clerk's office is on the second floor.",
            "Doce personas llamaron.",
            "Hay horarios libres el lunes.",
        ] {
            assert!(money(&cut(text)).is_empty(), "{text}: {:?}", money(&cut(text)));
        }
    }

    #[test]
    fn shares_are_found_written_and_spoken() {
        for (text, share) in [
            ("2.4 percent more", 2_400),
            ("20% off", 20_000),
            ("fifty per cent", 50_000),
            ("veinte por ciento", 20_000),
            ("I can do half price.", 50_000),
            ("half off", 50_000),
            ("Owners over 65 pay half.", 50_000),
            ("a mitad de precio", 50_000),
            ("half the fee", 50_000),
        ] {
            assert_eq!(percents(&cut(text)), [share], "{text}");
        }
        for text in
            ["half past eight", "half a day", "a half hour", "in half an hour", "la mitad de la calle"]
        {
            assert!(percents(&cut(text)).is_empty(), "{text}");
        }
    }
}
