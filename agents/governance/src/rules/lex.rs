//! A text of rules as tokens.

use super::fault::RuleError;

/// Characters of one text literal.
pub(super) const LONGEST_TEXT: usize = 1_000;
/// Largest whole part of a number.
const MOST: i64 = 1_000_000_000;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Tok {
    /// A word, a field path, an id: `action.text`, `no-legal-advice`.
    Name(String),
    /// Between single or double quotes; nothing in it is escaped.
    Text(String),
    /// In thousandths.
    Number(i64),
    /// In cents.
    Money(i64),
    Sign(&'static str),
    End,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) tok: Tok,
    /// Bytes from the beginning.
    pub(super) at: usize,
}

const SIGNS: [&str; 16] =
    ["==", "!=", "<=", ">=", "<", ">", "(", ")", "[", "]", "{", "}", ",", ":", "=", "%"];

pub(super) fn tokens(file: &'static str, text: &str) -> Result<Vec<Token>, RuleError> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        if c == '#' {
            at += text[at..].find('\n').unwrap_or(text.len() - at);
            continue;
        }
        let (tok, length) = one(file, text, at, c)?;
        out.push(Token { tok, at });
        at += length;
    }
    out.push(Token { tok: Tok::End, at: text.len() });
    Ok(out)
}

fn one(file: &'static str, text: &str, at: usize, c: char) -> Result<(Tok, usize), RuleError> {
    let rest = &text[at..];
    if c.is_ascii_alphabetic() || c == '_' {
        let name: &str = rest.split(|c: char| !is_name(c)).next().unwrap_or_default();
        // A full stop or a hyphen at the end is none of the name.
        let name = name.trim_end_matches(['.', '-']);
        return Ok((Tok::Name(name.to_owned()), name.len()));
    }
    if c == '\'' || c == '"' {
        return quoted(file, text, at, c);
    }
    if c == '$' || c.is_ascii_digit() {
        return number(file, text, at);
    }
    match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        Some(sign) => Ok((Tok::Sign(sign), sign.len())),
        None => Err(RuleError::new(
            file,
            text,
            at,
            format!("the character {c:?} means nothing here"),
            "Texts stand in quotes; signs are == != < <= > >= ( ) [ ] { } , : and =.",
        )),
    }
}

const fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

fn quoted(file: &'static str, text: &str, at: usize, quote: char) -> Result<(Tok, usize), RuleError> {
    let inside = &text[at + 1..];
    let line = inside.lines().next().unwrap_or_default();
    let Some(end) = line.find(quote) else {
        return Err(RuleError::new(
            file,
            text,
            at,
            "this text has no end",
            format!(
                "Put {quote} at its end, on the same line. A text that holds one kind of quote stands in the other kind."
            ),
        ));
    };
    let content = &inside[..end];
    if content.chars().count() > LONGEST_TEXT {
        let fix = format!("A text has {LONGEST_TEXT} characters at most; cut it in two.");
        return Err(RuleError::new(file, text, at, "this text is too long", fix));
    }
    Ok((Tok::Text(content.to_owned()), end + 2))
}

fn number(file: &'static str, text: &str, at: usize) -> Result<(Tok, usize), RuleError> {
    let rest = &text[at..];
    let money = rest.starts_with('$');
    let digits = &rest[usize::from(money)..];
    let written: &str =
        digits.split(|c: char| !matches!(c, '0'..='9' | '.' | ',')).next().unwrap_or_default();
    let written = written.trim_end_matches([',', '.']);
    let (whole, part) = written.split_once('.').unwrap_or((written, ""));
    let places = if money { 2 } else { 3 };
    let fits = money || !whole.contains(',');
    let whole = whole.replace(',', "").parse::<i64>().ok().filter(|n| *n <= MOST && fits);
    let padded = format!("{part:0<places$}");
    let part = padded.parse::<i64>().ok().filter(|_| padded.len() == places);
    let (Some(whole), Some(part)) = (whole, part) else {
        return Err(RuleError::new(
            file,
            text,
            at,
            "this is no number",
            "Write numbers as 12 or 2.4, and money as $35, $7.50 or $1,240.",
        ));
    };
    let value = whole * 10_i64.pow(places as u32) + part;
    let tok = if money { Tok::Money(value) } else { Tok::Number(value) };
    Ok((tok, usize::from(money) + written.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Tok> {
        tokens("tenant", text).unwrap_or_default().into_iter().map(|t| t.tok).collect()
    }

    #[test]
    fn words_texts_numbers_and_money_are_told_apart() {
        let name = |n: &str| Tok::Name(n.into());
        assert_eq!(
            all("action.text  # a note\n >= 'it is \"so\"' 2.4 $1,240 $7.5 a-b"),
            [
                name("action.text"),
                Tok::Sign(">="),
                Tok::Text("it is \"so\"".into()),
                Tok::Number(2_400),
                Tok::Money(124_000),
                Tok::Money(750),
                name("a-b"),
            ]
            .into_iter()
            .chain(all(""))
            .collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_mistake_names_its_place() {
        for (text, line, column) in [
            ("a\n  'b", 2, 3),
            ("a ? b", 1, 3),
            ("$x", 1, 1),
            ("1,000", 1, 1),
            ("é 'x", 1, 1),
            ("1.2.3", 1, 1),
        ] {
            let error = tokens("tenant", text).expect_err(text);
            assert_eq!((error.line, error.column), (line, column), "{error}");
            assert!(error.to_string().contains("^\n"), "{error}");
        }
    }
}
