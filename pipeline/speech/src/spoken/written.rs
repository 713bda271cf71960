//! Written text taken apart into words, and a word with its neighbours for the rules that look at it.

/// A word as written: its core, and the marks after it.
#[derive(Clone, Debug, Default)]
pub(super) struct Written {
    /// Everything between two spaces.
    pub whole: String,
    /// Without quotes, brackets and marks around it. A point inside (`a.m`) stays.
    pub core: String,
    /// Marks after the core.
    pub trail: String,
}

/// What stands around a word and is no part of it.
const OPENING: &str = "(['‘“\"*¿¡«<{_`";
const CLOSING: &str = ".,;:!?)]…'’”\"*»>}_`";
/// Dashes that a writer puts between words.
const DASHES: [&str; 5] = ["-", "–", "—", "―", "--"];

impl Written {
    fn of(whole: &str) -> Self {
        let core = whole.trim_start_matches(|c| OPENING.contains(c));
        let lead = whole.len() - core.len();
        let core = core.trim_end_matches(|c| CLOSING.contains(c));
        let trail = whole[lead + core.len()..].to_owned();
        Self { whole: whole.to_owned(), core: core.to_owned(), trail }
    }

    /// The mark to speak on from: commas and sentence ends. A short form's point is none unless it also ends the
    /// text.
    pub fn mark(&self, last: bool, short: bool) -> &'static str {
        let has = |marks: &str| self.trail.chars().any(|c| marks.contains(c));
        if has("?") {
            "?"
        } else if has("!") {
            "!"
        } else if has(",;:()…—–]") {
            ","
        } else if has(".") && (last || !short) {
            "."
        } else {
            ""
        }
    }
}

/// Splits text at spaces and at dashes between words. Nothing is lost: without their spaces, all `whole`s are the
/// text.
pub(super) fn words(text: &str) -> Vec<Written> {
    let mut out: Vec<Written> = Vec::new();
    let pieces: Vec<&str> = text.split_whitespace().flat_map(at_dashes).collect();
    for (at, &piece) in pieces.iter().enumerate() {
        let word = Written::of(piece);
        let next = pieces.get(at + 1).copied().unwrap_or_default();
        let pause = DASHES.contains(&piece);
        match out.last_mut() {
            // "8 – 5" is a span of numbers, "yes – now" a pause.
            Some(before) if pause && !(numeric_end(&before.core) && numeric_start(next)) => {
                before.attach(piece, ",");
            }
            Some(before) if word.core.is_empty() => before.attach(piece, piece),
            _ => out.push(word),
        }
    }
    out
}

impl Written {
    fn attach(&mut self, piece: &str, trail: &str) {
        self.trail.push_str(trail);
        self.whole.push(' ');
        self.whole.push_str(piece);
    }
}

/// "Yes—now" is two words and a pause; a dash between digits belongs to them.
fn at_dashes(token: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut from = 0;
    for (at, dash) in token.match_indices(['—', '―']).chain(token.match_indices("--")) {
        let spans =
            numeric_end(&token[..at]) && numeric_start(&token[at + dash.len()..]) && !dash.starts_with('-');
        if at < from || spans {
            continue;
        }
        out.extend([&token[from..at], &token[at..at + dash.len()]]);
        from = at + dash.len();
    }
    out.push(&token[from..]);
    out.retain(|piece| !piece.is_empty());
    out
}

fn numeric_end(core: &str) -> bool {
    let core = core.trim_end_matches('.');
    core.ends_with(|c: char| c.is_ascii_digit() || c == '%')
        || ["am", "pm", "a.m", "p.m", "AM", "PM", "A.M", "P.M"].iter().any(|half| core.ends_with(half))
}

fn numeric_start(word: &str) -> bool {
    word.trim_start_matches('$').starts_with(|c: char| c.is_ascii_digit())
}

/// A word and its neighbours.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub words: &'a [Written],
    pub at: usize,
}

impl<'a> Place<'a> {
    pub fn here(self) -> &'a Written {
        &self.words[self.at]
    }

    pub fn core(self) -> &'a str {
        self.ahead(0)
    }

    /// The word so many places on; empty beyond the end.
    pub fn ahead(self, n: usize) -> &'a str {
        self.words.get(self.at + n).map_or("", |w| w.core.as_str())
    }

    pub fn before(self) -> &'a str {
        self.back(1)
    }

    /// The word so many places back; empty beyond the beginning.
    pub fn back(self, n: usize) -> &'a str {
        self.at.checked_sub(n).map_or("", |i| self.words[i].core.as_str())
    }

    /// Nothing but space lies between this word and the next.
    pub fn joins_next(self) -> bool {
        self.joins(0)
    }

    /// Nothing but space lies after the word so many places on.
    pub fn joins(self, n: usize) -> bool {
        self.words.get(self.at + n).is_some_and(|w| w.trail.is_empty())
    }
}

pub(super) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

pub(super) fn is_capitalised(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase)
}

/// Groups of digits that are a telephone number, from `555-0199` to `+1 (800) 555 0199`, and how many words they
/// take.
pub(super) fn telephone(p: Place<'_>) -> Option<(usize, Vec<String>)> {
    let mut groups: Vec<String> = Vec::new();
    let mut found = None;
    for n in 0..4 {
        let Some(word) = p.words.get(p.at + n) else { break };
        let bare = word.whole.trim_end_matches([',', ';', ':', '!', '?', '.', ')']);
        let plus = n == 0 && bare.starts_with('+');
        let bare = bare.trim_start_matches(['+', '(']);
        let parts: Vec<&str> = bare.split(['-', '.', '(', ')', '/']).filter(|g| !g.is_empty()).collect();
        if parts.is_empty() || !parts.iter().all(|g| is_digits(g)) || bare.contains('/') {
            break;
        }
        groups.extend(parts.iter().map(|g| (*g).to_owned()));
        if let Some(whole) = whole_number(&groups, n, plus) {
            found = Some((n + 1, whole));
        }
        if !word.trail.is_empty() && word.trail != ")" {
            break;
        }
    }
    found
}

/// `tokens` words after the first made these groups. Seven digits count only when they are written as one word.
fn whole_number(groups: &[String], tokens: usize, plus: bool) -> Option<Vec<String>> {
    let shape: Vec<usize> = groups.iter().map(String::len).collect();
    let cut = |digits: &str| vec![digits[..3].to_owned(), digits[3..6].to_owned(), digits[6..].to_owned()];
    match shape[..] {
        [3, 4] if tokens == 0 => Some(groups.to_vec()),
        [3, 3, 4] => Some(groups.to_vec()),
        [1, 3, 3, 4] if groups[0] == "1" => Some(groups.to_vec()),
        [10] => Some(cut(&groups[0])),
        [11] if plus && groups[0].starts_with('1') => {
            Some(std::iter::once("1".to_owned()).chain(cut(&groups[0][1..])).collect())
        }
        _ => None,
    }
}

/// A web or mail address with what each sign in it is called; `None` when the word is none.
pub(super) fn web(core: &str, sign: impl Fn(char) -> &'static str) -> Option<String> {
    let core = core.trim_start_matches("https://").trim_start_matches("http://");
    let known = [".gov", ".org", ".com", ".net", ".us", ".edu"].iter().any(|end| core.contains(end));
    if !(known || core.starts_with("www.")) || core.starts_with('.') || core.starts_with('@') {
        return None;
    }
    let mut text = String::new();
    for c in core.trim_start_matches("www.").trim_end_matches('/').chars() {
        match c {
            c if c.is_alphanumeric() => text.push(c),
            c => {
                text.push(' ');
                text.push_str(sign(c));
                text.push(' ');
            }
        }
    }
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cores(text: &str) -> Vec<String> {
        words(text).into_iter().map(|w| w.core).collect()
    }

    #[test]
    fn dashes_part_words_and_join_numbers() {
        assert_eq!(cores("yes—now"), ["yes", "now"]);
        assert_eq!(cores("yes - now"), ["yes", "now"]);
        assert_eq!(cores("8 – 5"), ["8", "–", "5"]);
        assert_eq!(cores("10—15 days"), ["10—15", "days"]);
        assert_eq!(words("yes—now")[0].mark(false, false), ",");
    }

    #[test]
    fn telephone_numbers_in_their_shapes() {
        let count = |text: &str| telephone(Place { words: &words(text), at: 0 }).map(|found| found.0);
        for (text, tokens) in [
            ("555-0199.", 1),
            ("(555) 010-0199, please", 2),
            ("(555)010-0199", 1),
            ("202 555 0143 now", 3),
            ("1 (800) 555-0199", 3),
            ("+1 202 555 0143", 4),
            ("202.555.0143", 1),
            ("+15550100199", 1),
        ] {
            assert_eq!(count(text), Some(tokens), "{text}");
        }
        for text in ["200 1450", "10-15", "3, 555 0199", "1450 Oak", "12/25"] {
            assert_eq!(count(text), None, "{text}");
        }
    }
}
