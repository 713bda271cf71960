//! Characters that no reader sees: they hide words from a reader's eye or from a guard's.

/// A text without invisible characters, and how many stretches of them there were.
pub(super) fn only(text: &str) -> (String, usize) {
    let mut out = String::with_capacity(text.len());
    let (mut hidden, mut within) = (0, false);
    for c in text.chars() {
        let gone = is_invisible(c);
        hidden += usize::from(gone && !within);
        within = gone;
        if !gone {
            out.push(c);
        }
    }
    (out, hidden)
}

/// Format and control characters without a shape of their own; tabs and line ends are none.
pub(super) fn is_invisible(c: char) -> bool {
    match c {
        '\n' | '\r' | '\t' | '\u{c}' => false,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{feff}' => true,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    }
}
