//! Names of glyphs as they stand in the differences of an encoding (Adobe Glyph List, the part that texts need).

const NAMES: &[(&str, &str)] = &[
    ("space", " "),
    ("exclam", "!"),
    ("quotedbl", "\""),
    ("numbersign", "#"),
    ("dollar", "$"),
    ("percent", "%"),
    ("ampersand", "&"),
    ("quotesingle", "'"),
    ("parenleft", "("),
    ("parenright", ")"),
    ("asterisk", "*"),
    ("plus", "+"),
    ("comma", ","),
    ("hyphen", "-"),
    ("minus", "-"),
    ("period", "."),
    ("slash", "/"),
    ("zero", "0"),
    ("one", "1"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("colon", ":"),
    ("semicolon", ";"),
    ("less", "<"),
    ("equal", "="),
    ("greater", ">"),
    ("question", "?"),
    ("at", "@"),
    ("bracketleft", "["),
    ("backslash", "\\"),
    ("bracketright", "]"),
    ("asciicircum", "^"),
    ("underscore", "_"),
    ("grave", "`"),
    ("braceleft", "{"),
    ("bar", "|"),
    ("braceright", "}"),
    ("asciitilde", "~"),
    ("quoteleft", "‘"),
    ("quoteright", "’"),
    ("quotedblleft", "“"),
    ("quotedblright", "”"),
    ("quotesinglbase", "‚"),
    ("quotedblbase", "„"),
    ("endash", "–"),
    ("emdash", "—"),
    ("bullet", "•"),
    ("ellipsis", "…"),
    ("fi", "fi"),
    ("fl", "fl"),
    ("ff", "ff"),
    ("ffi", "ffi"),
    ("ffl", "ffl"),
    ("degree", "°"),
    ("section", "§"),
    ("paragraph", "¶"),
    ("copyright", "©"),
    ("registered", "®"),
    ("trademark", "™"),
    ("cent", "¢"),
    ("sterling", "£"),
    ("yen", "¥"),
    ("Euro", "€"),
    ("exclamdown", "¡"),
    ("questiondown", "¿"),
    ("germandbls", "ß"),
    ("ae", "æ"),
    ("AE", "Æ"),
    ("oe", "œ"),
    ("OE", "Œ"),
    ("oslash", "ø"),
    ("Oslash", "Ø"),
    ("dotlessi", "ı"),
    ("onehalf", "½"),
    ("onequarter", "¼"),
    ("threequarters", "¾"),
    ("multiply", "×"),
    ("divide", "÷"),
    ("plusminus", "±"),
    ("periodcentered", "·"),
    ("guillemotleft", "«"),
    ("guillemotright", "»"),
    ("nbspace", " "),
    ("sfthyphen", "-"),
    ("ordfeminine", "ª"),
    ("ordmasculine", "º"),
];
const MARKS: [(&str, char); 9] = [
    ("acute", '\u{301}'),
    ("grave", '\u{300}'),
    ("circumflex", '\u{302}'),
    ("dieresis", '\u{308}'),
    ("tilde", '\u{303}'),
    ("cedilla", '\u{327}'),
    ("ring", '\u{30a}'),
    ("caron", '\u{30c}'),
    ("macron", '\u{304}'),
];

/// The letters of a glyph; `None` for a name that says nothing.
pub(super) fn letters(name: &str) -> Option<String> {
    let name = name.split('.').next().filter(|name| !name.is_empty())?;
    if let Some((_, letters)) = NAMES.iter().find(|(n, _)| *n == name) {
        return Some((*letters).to_owned());
    }
    let mut chars = name.chars();
    let first = chars.next()?;
    if chars.as_str().is_empty() {
        return first.is_ascii_alphabetic().then(|| name.to_owned());
    }
    if let Some((_, mark)) = MARKS.iter().find(|(n, _)| *n == chars.as_str()) {
        return unicode_normalization::char::compose(first, *mark).map(String::from);
    }
    let code = name.strip_prefix("uni").or_else(|| name.strip_prefix('u'))?;
    let code = u32::from_str_radix(code.get(..4.min(code.len()))?, 16).ok().filter(|_| code.len() >= 4)?;
    char::from_u32(code).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters() {
        for (name, said) in [("A", "A"), ("fi", "fi"), ("eacute", "é"), ("uni00F1", "ñ"), ("a.sc", "a")] {
            assert_eq!(letters(name).as_deref(), Some(said), "{name}");
        }
        assert_eq!(letters("g123"), None);
        assert_eq!(letters(""), None);
    }
}
