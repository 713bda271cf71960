//! What a caller asked, out of what a recogniser wrote: fillers go, and where the caller broke off and began again, what
//! was taken back counts for little.
//!
//! Nothing is thrown away for good: the repaired and the full text are both searched for, since a repair that was
//! misjudged must not lose the question.

/// A question as it was meant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Heard {
    /// What stands.
    pub kept: String,
    /// What the caller took back.
    pub retracted: String,
    /// Without fillers, before the repair; `None` when nothing was repaired.
    pub unrepaired: Option<String>,
}

const FILLERS: [&str; 10] = ["uh", "um", "er", "erm", "uhm", "hmm", "mm", "ah", "eh", "umm"];

/// Words at the beginning that ask nothing.
const LEADS: [&str; 16] = [
    "hi",
    "hello",
    "hey",
    "yeah",
    "yes",
    "so",
    "okay",
    "ok",
    "well",
    "i was wondering",
    "i'm wondering",
    "can you tell me",
    "could you tell me",
    "i wanted to know",
    "i'd like to know",
    "quick question",
];

/// Where a caller takes something back. Longer ones first.
const MARKS: [&str; 18] = [
    "let me rephrase",
    "no make that",
    "scratch that",
    "or i mean",
    "actually no",
    "no actually",
    "make that",
    "sorry no",
    "no sorry",
    "no wait",
    "wait no",
    "i mean",
    "i meant",
    "or rather",
    "oh no",
    "no no",
    "sorry",
    "oops",
];

/// Marks only where fillers show that the speaker hesitates.
const WEAK_MARKS: [&str; 4] = ["no", "rather", "wait", "actually"];

/// A repair that begins with one of these is a new question.
const RESTARTS: [&str; 32] = [
    "what", "what's", "whats", "when", "where", "who", "whom", "whose", "which", "why", "how", "is", "are",
    "was", "were", "do", "does", "did", "can", "could", "should", "will", "would", "has", "have", "had",
    "am", "may", "que", "cuando", "donde", "como",
];

/// Longest text that is looked at for repairs, in words: nobody asks at that length.
const MAX_WORDS: usize = 120;

/// Reads a question as it was meant.
#[must_use]
pub fn heard(text: &str) -> Heard {
    let plain = text.to_lowercase().replace('’', "'");
    let all: Vec<&str> = plain
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '.' | '$' | '%' | '-' | '/')))
        .map(|w| w.trim_matches(['\'', '.', '-', '/']))
        .filter(|w| !w.is_empty())
        .collect();
    let as_it_is = || Heard { kept: text.to_owned(), ..Heard::default() };
    if all.len() > MAX_WORDS {
        return as_it_is();
    }
    let hesitant = all.iter().any(|w| FILLERS.contains(w));
    let words = without_fillers(&all, hesitant);
    if words.is_empty() {
        return as_it_is();
    }
    match repair(&words, hesitant) {
        Some((kept, retracted)) => {
            Heard { kept: kept.join(" "), retracted: retracted.join(" "), unrepaired: Some(words.join(" ")) }
        }
        None if words.len() == all.len() => as_it_is(),
        None => Heard { kept: words.join(" "), ..Heard::default() },
    }
}

fn without_fillers<'t>(all: &[&'t str], hesitant: bool) -> Vec<&'t str> {
    let mut out: Vec<&str> = Vec::with_capacity(all.len());
    let mut at = 0;
    while at < all.len() {
        let before = out.last().copied().unwrap_or_default();
        let word = all[at];
        if FILLERS.contains(&word) {
            at += 1;
        } else if word == "you" && all.get(at + 1) == Some(&"know") && !asks_of_you(before) {
            at += 2;
        } else if word == "like" && hesitant && !takes_like(before) {
            at += 1;
        } else if out.last() == Some(&word) && !word.starts_with(|c: char| c.is_ascii_digit()) {
            // "the the permit".
            at += 1;
        } else {
            out.push(word);
            at += 1;
        }
    }
    while let Some(length) = lead(&out) {
        out.drain(..length);
    }
    out
}

fn asks_of_you(before: &str) -> bool {
    matches!(before, "do" | "did" | "if" | "would" | "should" | "that" | "what")
}

fn takes_like(before: &str) -> bool {
    matches!(
        before,
        "i" | "you"
            | "we"
            | "they"
            | "would"
            | "i'd"
            | "look"
            | "looks"
            | "sound"
            | "sounds"
            | "feel"
            | "be"
            | "is"
    )
}

/// Words of an opening that ask nothing; something must be left.
fn lead(words: &[&str]) -> Option<usize> {
    LEADS.iter().find_map(|lead| {
        let length = lead.split(' ').count();
        (words.len() > length + 2 && starts_with(words, lead)).then_some(length)
    })
}

fn starts_with(words: &[&str], phrase: &str) -> bool {
    let mut rest = words.iter();
    phrase.split(' ').all(|word| rest.next() == Some(&word))
}

/// What stands and what was taken back, after the last mark.
fn repair<'t>(words: &[&'t str], hesitant: bool) -> Option<(Vec<&'t str>, Vec<&'t str>)> {
    let (from, to) = last_mark(words, hesitant)?;
    let (before, after) = (&words[..from], &words[to..]);
    let first = *after.first()?;
    if let Some(at) = after.iter().position(|w| *w == "not").filter(|at| *at > 0 && at + 1 < after.len()) {
        // "found no wait normandy not norse": what it is not was said before.
        let denied = &after[at + 1..];
        if let Some(place) = before.windows(denied.len()).position(|w| w == denied) {
            let tail = &before[place + denied.len()..];
            let kept = [&before[..place], &after[..at], tail].concat();
            return Some((kept, denied.to_vec()));
        }
    }
    if RESTARTS.contains(&first) && after.len() >= 3 {
        return Some((after.to_vec(), before.to_vec()));
    }
    // "the permit no wait the license": the repeated word says where the repair sets in.
    let anchor = before.iter().rposition(|w| *w == first).filter(|at| *at > 0 || before.len() <= 3);
    let replaced = if before.len() > 3 && after.len() > 1 { 2 } else { 1 };
    let cut = anchor.unwrap_or(before.len() - replaced);
    Some(([&before[..cut], after].concat(), before[cut..].to_vec()))
}

/// The last mark that has words on both sides; marks in a row are one.
fn last_mark(words: &[&str], hesitant: bool) -> Option<(usize, usize)> {
    let mut last: Option<(usize, usize)> = None;
    let mut at = 1;
    while at < words.len() {
        let weak: &[&str] = if hesitant { &WEAK_MARKS } else { &[] };
        let found = MARKS.iter().chain(weak).find(|mark| starts_with(&words[at..], mark));
        let length = found.map_or(0, |mark| mark.split(' ').count());
        if length > 0 && at + length < words.len() {
            last = match last {
                Some((from, to)) if to == at => Some((from, at + length)),
                _ => Some((at, at + length)),
            };
        }
        at += length.max(1);
    }
    last
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kept(text: &str) -> String {
        heard(text).kept
    }

    #[test]
    fn fillers_and_openings_go() {
        assert_eq!(kept("hi yeah so uh when is the um you know landfill open"), "when is the landfill open");
        assert_eq!(kept("I was wondering how much the permit is"), "how much the permit is");
        assert_eq!(kept("do you know the fee"), "do you know the fee");
    }

    #[test]
    fn a_written_question_is_left_alone() {
        let text = "Is there no parking on Main Street, or is it allowed at night?";
        assert_eq!(heard(text), Heard { kept: text.to_owned(), ..Heard::default() });
    }

    #[test]
    fn repairs_take_back_what_they_replace() {
        let repaired = heard("how much is the uh the permit no wait the license");
        assert_eq!(
            (repaired.kept.as_str(), repaired.retracted.as_str()),
            ("how much is the license", "the permit")
        );
        assert_eq!(repaired.unrepaired.as_deref(), Some("how much is the permit no wait the license"));
        assert_eq!(kept("when do you plow sorry how do i report a pothole"), "how do i report a pothole");
        assert_eq!(
            kept("in what country is norse found no wait normandy not norse"),
            "in what country is normandy found"
        );
        assert_eq!(kept("can i pay monday uh no tuesday"), "can i pay tuesday");
    }

    proptest! {
        #[test]
        fn something_always_stands(text in "(\\PC{0,12}|uh|no wait|i mean|sorry|not|hi|like| ){0,40}") {
            let heard = heard(&text);
            prop_assert!(text.trim().is_empty() || !heard.kept.is_empty());
        }
    }
}
