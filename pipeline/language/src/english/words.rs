//! Plain words: the form that cues and readers match against.

/// Lower case, one space between words, no punctuation except apostrophes inside words and `:`, `/`, `.`
/// between digits.
#[must_use]
pub fn plain(text: &str) -> String {
    let chars: Vec<char> = text.to_lowercase().replace(['’', '‘'], "'").chars().collect();
    let mut out = String::with_capacity(text.len());
    for (n, &c) in chars.iter().enumerate() {
        let before = n.checked_sub(1).and_then(|p| chars.get(p)).copied();
        let after = chars.get(n + 1).copied();
        if keeps(c, before, after) {
            out.push(c);
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out.trim().to_owned()
}

fn keeps(c: char, before: Option<char>, after: Option<char>) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match c {
        '\'' => letter(before) && letter(after),
        ':' | '/' | '.' => digit(before) && digit(after),
        c => c.is_alphanumeric(),
    }
}

/// Words that carry no content in an answer, at its beginning or alone.
const FILLERS: &[&str] = &[
    "uh",
    "um",
    "uhm",
    "er",
    "erm",
    "ah",
    "hmm",
    "hm",
    "mm",
    "well",
    "so",
    "okay",
    "ok",
    "like",
    "yeah",
    "yes",
    "oh",
    "sure",
    "right",
    "alright",
    "please",
    "and",
    "just",
    "actually",
    "sorry",
    "hi",
    "hello",
    "hey",
    "now",
    "then",
    "but",
    "anyway",
    "basically",
    "honestly",
];

/// The text without fillers at its start; original spelling kept.
#[must_use]
pub fn without_fillers(text: &str) -> &str {
    without_leading(text, FILLERS, plain)
}

/// The text without these words at its start, told by their plain form.
pub(crate) fn without_leading<'t>(text: &'t str, leading: &[&str], plain: fn(&str) -> String) -> &'t str {
    let mut rest = text.trim();
    loop {
        let word = rest.split_whitespace().next().unwrap_or_default();
        let bare = plain(word);
        if !leading.contains(&bare.as_str()) && (word.is_empty() || !bare.is_empty()) {
            return rest.trim_end_matches(['.', '!', '?', ',', ' ']);
        }
        if word.is_empty() {
            return "";
        }
        rest = rest[word.len()..].trim_start();
    }
}

/// Whether an utterance asks something, by its form.
#[must_use]
pub fn is_question(text: &str) -> bool {
    const OPENERS: &[&str] = &[
        "what", "what's", "whats", "when", "when's", "where", "where's", "who", "who's", "why", "how",
        "how's", "which", "do", "does", "did", "is", "are", "can", "could", "will", "would", "should", "am",
        "may",
    ];
    const PLACED: &[&str] = &["at", "on", "in", "near", "by", "across", "behind", "between", "over", "under"];
    let plain = plain(without_fillers(text));
    let mut words = plain.split(' ');
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    // "Is at County Road 14" tells: no question goes on like that.
    let tells = ["is", "are"].contains(&first) && PLACED.contains(&second);
    (OPENERS.contains(&first) && !tells) || text.trim_end().ends_with('?')
}

/// Upper-case first letters where the recogniser gave none at all.
#[must_use]
pub fn title_case(text: &str) -> String {
    if text.chars().any(char::is_uppercase) {
        return text.to_owned();
    }
    let small = ["of", "and", "the", "on", "at", "in", "by", "to", "near", "from"];
    let raise = |word: &str| {
        let mut chars = word.chars();
        match chars.next() {
            Some(first) if !small.contains(&word) => first.to_uppercase().chain(chars).collect(),
            _ => word.to_owned(),
        }
    };
    text.split(' ').map(raise).collect::<Vec<_>>().join(" ")
}

/// First letter upper case, full stop at the end.
#[must_use]
pub fn as_sentence(text: &str) -> String {
    let text = text.trim().trim_end_matches(['.', ',', '!', '?']);
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).chain(['.']).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_keeps_what_readers_need() {
        assert_eq!(plain("Um, it’s at 3:30 -- don't! $3.50."), "um it's at 3:30 don't 3.50");
        assert_eq!(plain("  6/3/2026. "), "6/3/2026");
    }

    #[test]
    fn fillers_go_from_the_start_only() {
        assert_eq!(without_fillers("Um, well, the big oak, like, fell."), "the big oak, like, fell");
        assert_eq!(without_fillers("Okay."), "");
    }

    #[test]
    fn questions_are_seen_by_form() {
        assert!(is_question("um, what time do you close"));
        assert!(is_question("the office opens at 8?"));
        assert!(!is_question("It happened at 8."));
    }
}
