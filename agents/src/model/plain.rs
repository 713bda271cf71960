//! What a model writes, as words that can be spoken: no Markdown, no lists, no pictures. Works word by word while
//! the text is still coming.

/// Longest token of personal data that is waited for when a model put spaces into it.
const LONGEST_TOKEN: usize = 28;
/// Marks the place in our own words where the caller cut us. A model that copies it does not mean it.
pub(super) const CUT: &str = "[interrupted]";

/// Takes text in any pieces; gives words.
#[derive(Clone)]
pub(super) struct PlainWords {
    word: String,
    /// Nothing but marks of a list or heading came on this line.
    line_start: bool,
}

language::shown!(PlainWords, "PlainWords": line_start; word);

impl Default for PlainWords {
    fn default() -> Self {
        Self { word: String::new(), line_start: true }
    }
}

impl PlainWords {
    pub(super) fn push(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            if !c.is_whitespace() {
                self.word.push(c);
            } else if !self.in_token() {
                self.end_word(c == '\n', &mut out);
            }
        }
        out
    }

    /// The text is complete.
    pub(super) fn finish(&mut self) -> String {
        let mut out = String::new();
        self.end_word(false, &mut out);
        self.line_start = true;
        out
    }

    /// A token may have been written with spaces in it.
    fn in_token(&self) -> bool {
        let open = self.word.rfind('⟨').is_some_and(|at| !self.word[at..].contains('⟩'));
        open && self.word.len() < LONGEST_TOKEN
    }

    fn end_word(&mut self, line_ends: bool, out: &mut String) {
        let word = std::mem::take(&mut self.word);
        let marker = self.line_start && is_marker(&word);
        let clean = if marker { String::new() } else { clean(&word) };
        if !clean.is_empty() {
            out.push_str(&clean);
            // A heading or an item of a list ends without a mark; a speaker pauses there.
            if line_ends && clean.ends_with(char::is_alphanumeric) {
                out.push(',');
            }
            out.push(' ');
        }
        self.line_start = line_ends || (self.line_start && clean.is_empty());
    }
}

/// The beginning of a list item, heading or quotation.
fn is_marker(word: &str) -> bool {
    let bare = word.trim_matches('*');
    let numbered = bare
        .strip_suffix(['.', ')'])
        .is_some_and(|n| (1..=2).contains(&n.len()) && n.bytes().all(|b| b.is_ascii_digit()));
    let hashes = !word.is_empty() && word.len() <= 6 && word.chars().all(|c| c == '#');
    let rule = word.len() >= 3 && word.chars().all(|c| matches!(c, '-' | '*' | '_' | '='));
    numbered || hashes || rule || matches!(word, "-" | "*" | "+" | "•" | "–" | ">")
}

fn clean(word: &str) -> String {
    if word.contains(CUT) {
        return clean(&word.replace(CUT, ""));
    }
    let word = without_tags(&without_link(word));
    let chars: Vec<char> = word.chars().collect();
    // "file_report" is one word; "_free_." is emphasis.
    let letter = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(|c| c.is_alphanumeric());
    let emphasis = |at: usize| chars[at] == '_' && !(letter(at.checked_sub(1)) && letter(Some(at + 1)));
    let markup = |at: usize| matches!(chars[at], '*' | '`' | '~' | '|' | '#') || emphasis(at);
    let kept: String =
        (0..chars.len()).filter(|at| !markup(*at) && !is_picture(chars[*at])).map(|at| chars[at]).collect();
    if kept.chars().all(|c| matches!(c, '-' | '=' | ':')) && kept.len() > 1 {
        return String::new();
    }
    kept
}

/// `[the page](https://…)` is the page. Its words come one at a time, so each part is dealt with alone.
fn without_link(word: &str) -> String {
    let mut word = word.to_owned();
    if let Some(at) = word.find("](") {
        let end = word[at..].find(')').map_or(word.len(), |n| at + n + 1);
        word.replace_range(at..end, "");
    }
    match (word.strip_prefix('['), word.contains(']')) {
        (Some(rest), false) => rest.to_owned(),
        _ => word,
    }
}

fn without_tags(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(open) = rest.find('<') {
        let name = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '/');
        match rest[open..].find('>').map(|n| open + n) {
            Some(close) if close > open + 1 && rest[open + 1..close].chars().all(name) => {
                out.push_str(&rest[..open]);
                rest = &rest[close + 1..];
            }
            _ => {
                out.push_str(&rest[..=open]);
                rest = &rest[open + 1..];
            }
        }
    }
    out.push_str(rest);
    out
}

const fn is_picture(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{25a0}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{200d}' | '\u{20e3}' | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain(text: &str) -> String {
        let mut words = PlainWords::default();
        let mut out = words.push(text);
        out.push_str(&words.finish());
        out.trim_end().to_owned()
    }

    #[test]
    fn markup_is_not_spoken() {
        for (written, spoken) in [
            ("**Yes**, it is _free_.", "Yes, it is free."),
            ("# Fees\nIt costs $35.", "Fees, It costs $35."),
            ("Bring:\n- photo ID\n- a bill\n", "Bring: photo ID, a bill,"),
            ("1. Call.\n2. Wait.", "Call. Wait."),
            ("See [the Solid Waste page](https://x.gov/a).", "See the Solid Waste page."),
            ("Sure! 😀 👍🏽", "Sure!"),
            ("<caller_said>Hello</caller_said> there", "Hello there"),
            ("Call ⟨phone: 1⟩, please", "Call ⟨phone:1⟩, please"),
            ("The price is 5 < 6", "The price is 5 < 6"),
            ("---\nDone", "Done"),
            ("`code` and | table |", "code and table"),
            ("We are open [interrupted]", "We are open"),
            ("- 911 is for emergencies", "911 is for emergencies"),
            ("911. Now.", "911. Now."),
            ("8 - 5 daily", "8 - 5 daily"),
        ] {
            assert_eq!(plain(written), spoken, "{written}");
        }
    }

    #[test]
    fn words_leave_as_soon_as_they_end() {
        let mut words = PlainWords::default();
        assert_eq!(words.push("**We"), "");
        assert_eq!(words.push(" are** op"), "We are ");
        assert_eq!(words.push("en."), "");
        assert_eq!(words.finish(), "open. ");
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(text in "[a-z*#⟨⟩:1 \n\\[\\]()<>-]{0,60}", size in 1usize..7) {
            let mut words = PlainWords::default();
            let chars: Vec<char> = text.chars().collect();
            let mut out: String = chars.chunks(size).map(|c| words.push(&c.iter().collect::<String>())).collect();
            out.push_str(&words.finish());
            prop_assert_eq!(out.trim_end(), plain(&text));
        }
    }
}
