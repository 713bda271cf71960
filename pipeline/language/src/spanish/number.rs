//! Spanish number words: cardinals, ordinals, years. Words come plain, without accents.

fn below_thirty(word: &str) -> Option<u32> {
    const WORDS: [&str; 30] = [
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
        "dieciseis",
        "diecisiete",
        "dieciocho",
        "diecinueve",
        "veinte",
        "veintiuno",
        "veintidos",
        "veintitres",
        "veinticuatro",
        "veinticinco",
        "veintiseis",
        "veintisiete",
        "veintiocho",
        "veintinueve",
    ];
    match word {
        "un" | "una" => Some(1),
        "veintiun" | "veintiuna" => Some(21),
        _ => WORDS.iter().position(|w| *w == word).map(|n| n as u32),
    }
}

fn ten(word: &str) -> Option<u32> {
    const TENS: [&str; 7] = ["treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"];
    TENS.iter().position(|t| *t == word).map(|n| (n as u32 + 3) * 10)
}

fn hundred(word: &str) -> Option<u32> {
    const STEMS: [(&str, u32); 10] = [
        ("cien", 100),
        ("ciento", 100),
        ("doscient", 200),
        ("trescient", 300),
        ("cuatrocient", 400),
        ("quinient", 500),
        ("seiscient", 600),
        ("setecient", 700),
        ("ochocient", 800),
        ("novecient", 900),
    ];
    STEMS
        .iter()
        .find(|(stem, n)| {
            if *n == 100 { word == *stem } else { word == format!("{stem}os") || word == format!("{stem}as") }
        })
        .map(|h| h.1)
}

fn below_hundred(words: &[&str]) -> Option<(u32, usize)> {
    let first = words.first()?;
    // "Diez y seis", "veinte y uno" are written so, too.
    let tens = match *first {
        "diez" => Some(10),
        "veinte" => Some(20),
        word => ten(word),
    };
    if let Some(tens) = tens {
        let joined = words.get(1) == Some(&"y");
        return match words
            .get(2)
            .filter(|_| joined)
            .and_then(|w| below_thirty(w))
            .filter(|n| (1..10).contains(n))
        {
            Some(units) => Some((tens + units, 3)),
            None => Some((tens, 1)),
        };
    }
    below_thirty(first).map(|n| (n, 1))
}

fn below_thousand(words: &[&str]) -> Option<(u32, usize)> {
    let Some(hundreds) = hundred(words.first()?) else { return below_hundred(words) };
    match below_hundred(words.get(1..).unwrap_or_default()).filter(|(n, _)| *n > 0) {
        Some((rest, used)) => Some((hundreds + rest, used + 1)),
        None => Some((hundreds, 1)),
    }
}

/// Cardinal at the start of `words`, with the count of words it took.
#[must_use]
pub fn cardinal_at(words: &[&str]) -> Option<(u32, usize)> {
    let first = words.first()?;
    if let Some(value) = first.parse::<u32>().ok().filter(|_| first.len() <= 6) {
        return Some((value, 1));
    }
    let (thousands, used) = match below_thousand(words) {
        Some((n, used)) if words.get(used) == Some(&"mil") => (n, used + 1),
        found => {
            if *first != "mil" {
                return found;
            }
            (1, 1)
        }
    };
    match below_thousand(words.get(used..).unwrap_or_default()) {
        Some((rest, more)) => Some((thousands * 1_000 + rest, used + more)),
        None => Some((thousands * 1_000, used)),
    }
}

/// Value of one ordinal word or written ordinal ("2do").
#[must_use]
pub fn ordinal(word: &str) -> Option<u32> {
    const STEMS: [&str; 11] =
        ["", "primer", "segund", "tercer", "cuart", "quint", "sext", "septim", "octav", "noven", "decim"];
    if let Some(digits) =
        ["ro", "do", "to", "mo", "vo", "no", "er", "ra", "da", "ta"].iter().find_map(|e| word.strip_suffix(e))
        && let Ok(value) = digits.parse()
    {
        return Some(value);
    }
    let stem = word.strip_suffix(['o', 'a']).unwrap_or(word);
    STEMS.iter().position(|s| !s.is_empty() && *s == stem).map(|n| n as u32)
}

/// A year: "2025", "mil novecientos sesenta y uno", "dos mil cuatro", "sesenta y uno" (1961).
#[must_use]
pub fn year_at(words: &[&str], now: i32) -> Option<i32> {
    let (value, _) = cardinal_at(words)?;
    match value as i32 {
        value @ 1900..=2100 => Some(value),
        value @ 0..=99 if value + 2000 <= now => Some(value + 2000),
        value @ 0..=99 => Some(value + 1900),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        text.split(' ').collect()
    }

    #[test]
    fn cardinals() {
        for (text, value, used) in [
            ("12 de mayo", 12, 1),
            ("treinta y tres", 33, 3),
            ("ciento cinco main", 105, 2),
            ("mil doscientos", 1200, 2),
            ("dos mil veintiseis", 2026, 3),
            ("veintiuna", 21, 1),
            ("quinientos cincuenta y cinco", 555, 4),
            ("cuarenta y main", 40, 1),
        ] {
            assert_eq!(cardinal_at(&split(text)), Some((value, used)), "{text}");
        }
        assert_eq!(cardinal_at(&["calle"]), None);
    }

    #[test]
    fn years_and_ordinals() {
        for (text, year) in
            [("mil novecientos sesenta y uno", 1961), ("dos mil cuatro", 2004), ("61", 1961), ("2004", 2004)]
        {
            assert_eq!(year_at(&split(text), 2026), Some(year), "{text}");
        }
        assert_eq!(
            (ordinal("tercera"), ordinal("primer"), ordinal("2do"), ordinal("casa")),
            (Some(3), Some(1), Some(2), None)
        );
    }
}
