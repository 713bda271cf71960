//! Character references. One that is not known stays as it is written.

use std::borrow::Cow;

const NAMED: &[(&str, &str)] = &[
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("ensp", " "),
    ("emsp", " "),
    ("thinsp", " "),
    ("copy", "©"),
    ("reg", "®"),
    ("trade", "™"),
    ("hellip", "…"),
    ("mdash", "—"),
    ("ndash", "–"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("sbquo", "‚"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("bdquo", "„"),
    ("bull", "•"),
    ("middot", "·"),
    ("sect", "§"),
    ("para", "¶"),
    ("deg", "°"),
    ("plusmn", "±"),
    ("frac12", "½"),
    ("frac14", "¼"),
    ("frac34", "¾"),
    ("times", "×"),
    ("divide", "÷"),
    ("cent", "¢"),
    ("pound", "£"),
    ("yen", "¥"),
    ("euro", "€"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("iexcl", "¡"),
    ("iquest", "¿"),
    ("shy", ""),
    ("ordm", "º"),
    ("ordf", "ª"),
    ("sup2", "²"),
    ("sup3", "³"),
    ("micro", "µ"),
    ("not", "¬"),
    ("larr", "←"),
    ("rarr", "→"),
    ("uarr", "↑"),
    ("darr", "↓"),
    ("le", "≤"),
    ("ge", "≥"),
    ("ne", "≠"),
    ("minus", "−"),
    ("prime", "′"),
    ("Prime", "″"),
    ("dagger", "†"),
    ("permil", "‰"),
    ("szlig", "ß"),
    ("aelig", "æ"),
    ("AElig", "Æ"),
    ("oelig", "œ"),
    ("oslash", "ø"),
    ("Oslash", "Ø"),
    ("aring", "å"),
    ("Aring", "Å"),
    ("ccedil", "ç"),
    ("Ccedil", "Ç"),
    ("ntilde", "ñ"),
    ("Ntilde", "Ñ"),
    ("zwj", ""),
    ("zwnj", ""),
    ("lrm", ""),
    ("rlm", ""),
    ("check", "✓"),
    ("star", "☆"),
    ("num", "#"),
    ("dollar", "$"),
    ("percnt", "%"),
    ("comma", ","),
    ("period", "."),
    ("colon", ":"),
    ("semi", ";"),
    ("lpar", "("),
    ("rpar", ")"),
    ("sol", "/"),
    ("lsqb", "["),
    ("rsqb", "]"),
    ("excl", "!"),
    ("quest", "?"),
    ("plus", "+"),
    ("equals", "="),
    ("commat", "@"),
    ("ast", "*"),
    ("hyphen", "-"),
    ("lowbar", "_"),
    ("NewLine", "\n"),
    ("Tab", "\t"),
];
/// Marks over a letter: `eacute`, `Uuml`.
const MARKS: [(&str, char); 5] = [
    ("acute", '\u{301}'),
    ("grave", '\u{300}'),
    ("circ", '\u{302}'),
    ("uml", '\u{308}'),
    ("tilde", '\u{303}'),
];
/// Longest name looked for.
const LONGEST: usize = 12;

pub(super) fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        match reference(after) {
            Some((value, length)) => {
                out.push_str(&value);
                rest = &after[length..];
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out.into()
}

/// What a reference stands for, and its length after the ampersand.
fn reference(after: &str) -> Option<(String, usize)> {
    let body = after.strip_prefix('#');
    let is_part = |c: char| c.is_ascii_alphanumeric();
    let start = usize::from(body.is_some());
    let text = body.unwrap_or(after);
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len()).min(LONGEST);
    let name = text.get(..end).filter(|name| !name.is_empty())?;
    let closed = usize::from(text[end..].starts_with(';'));
    let length = start + end + closed;
    if body.is_some() {
        let hex = name.strip_prefix(['x', 'X']);
        let code = hex.map_or_else(|| name.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok())?;
        // The first control range is what old pages mean by the letters of Windows.
        let c = match code {
            0x80..=0x9f => crate::read::windows_1252(code as u8),
            code => char::from_u32(code).filter(|c| *c != '\0').unwrap_or('\u{fffd}'),
        };
        return Some((c.to_string(), length));
    }
    if closed == 0 && !matches!(name, "amp" | "lt" | "gt" | "quot" | "nbsp") {
        return None;
    }
    if let Some((_, value)) = NAMED.iter().find(|(n, _)| *n == name) {
        return Some(((*value).to_owned(), length));
    }
    let (letter, mark) = name.split_at_checked(1)?;
    let (_, mark) = MARKS.iter().find(|(n, _)| *n == mark)?;
    let composed = unicode_normalization::char::compose(letter.chars().next()?, *mark)?;
    Some((composed.to_string(), length))
}
