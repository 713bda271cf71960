//! What a recogniser gets wrong without words: loops, filler on noise, stray marks.

/// Tidies a decode of speech. Gives an empty text when nothing worth keeping is left.
///
/// `confidence` is the decode's mean token probability (0–1) and `loudest_dbfs` the level of the loudest tenth of
/// a second: what is both unsure and faint, or a known phrase of noise and unsure, was never said.
#[must_use]
pub fn clean(text: &str, confidence: f32, loudest_dbfs: f32) -> String {
    let text = without_marks(&without_loops(text));
    if !text.chars().any(char::is_alphanumeric) {
        return String::new();
    }
    let unsure = confidence < UNSURE || (loudest_dbfs < FAINT_DBFS && confidence < FAINT_UNSURE);
    if unsure || (confidence < JUNK_UNSURE && is_junk(&text)) {
        return String::new();
    }
    text
}

/// Below this a decode is a guess at noise.
const UNSURE: f32 = 0.28;
/// Below this level speech is too faint to trust an unsure decode.
const FAINT_DBFS: f32 = -42.0;
const FAINT_UNSURE: f32 = 0.5;
/// A phrase that noise is known for counts only when the decode is surer than this.
const JUNK_UNSURE: f32 = 0.62;

/// What the recognisers write for breath, hum, clicks and tones.
const JUNK: [&str; 20] = [
    "you",
    "thank you",
    "thanks for watching",
    "thank you for watching",
    "bye",
    "oh",
    "uh",
    "um",
    "ah",
    "hmm",
    "mm",
    "the",
    "so",
    "i",
    "gracias",
    "gracias por ver el video",
    "subtítulos realizados por la comunidad de amaraorg",
    "subtítulos por la comunidad de amaraorg",
    "suscríbete",
    "adiós",
];

fn is_junk(text: &str) -> bool {
    let plain: String = text
        .chars()
        .filter(|c| c.is_alphanumeric() || c.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect();
    JUNK.contains(&plain.trim())
}

/// More words than anyone could say in so many seconds: a recogniser that talks to itself.
#[must_use]
pub fn is_too_much(text: &str, seconds: f32) -> bool {
    text.split_whitespace().count() as f32 > 4.0 + WORDS_PER_SECOND * seconds
}

/// Nobody says more words in a second for long.
const WORDS_PER_SECOND: f32 = 6.0;

/// The text with a number once that stands twice in a row, where nobody could have said it twice in so many seconds.
#[must_use]
pub fn undoubled(text: &str, seconds: f32) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let digits = |word: &str| word.chars().filter(char::is_ascii_digit).collect::<String>();
    let doubled = words.windows(2).position(|pair| {
        let number = digits(pair[0]);
        let spoken = (seconds - SILENCE).max(0.0) * DIGITS_PER_SECOND;
        number.len() >= LEAST_DIGITS && number == digits(pair[1]) && 2.0 * number.len() as f32 > spoken
    })?;
    let kept = words.iter().enumerate().filter(|(at, _)| *at != doubled).map(|(_, word)| *word);
    Some(kept.collect::<Vec<_>>().join(" "))
}

/// Nobody says more digits in a second.
const DIGITS_PER_SECOND: f32 = 5.0;
/// Seconds around the words of a window that hold none.
const SILENCE: f32 = 0.5;
/// Fewer may be said twice in no time: "nine nine".
const LEAST_DIGITS: usize = 4;

/// How often a run of so many words or tokens comes before it is a loop. People say short ones twice or three times
/// ("no, no, no"), never a whole clause.
const fn copies_of_a_loop(length: usize) -> usize {
    match length {
        1 => 5,
        2..=5 => 3,
        _ => 2,
    }
}

/// Longest run that is looked for.
const LONGEST_LOOP: usize = 24;

/// How much of a sequence of tokens is left when it ends in a loop and that is cut to its first round. Tokens are
/// shorter than words, so a loop is a little longer here.
#[must_use]
pub(super) fn repeats(tokens: &[i64]) -> Option<usize> {
    (1..=LONGEST_LOOP.min(tokens.len() / 2)).find_map(|length| {
        let copies = copies_of_a_loop((length * 3 / 4).max(1)) + usize::from(length < 8);
        let kept = tokens.len().checked_sub(length * (copies - 1))?;
        let unit = tokens.get(kept.checked_sub(length)?..kept)?;
        tokens[kept..].chunks(length).all(|chunk| chunk == unit).then_some(kept)
    })
}

/// Cuts a run of the same words again and again to the first one.
fn without_loops(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let same = |a: &str, b: &str| {
        let key = |w: &str| w.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        key(a) == key(b)
    };
    let mut kept: Vec<&str> = Vec::with_capacity(words.len());
    let mut at = 0;
    'words: while at < words.len() {
        for size in 1..=LONGEST_LOOP.min((words.len() - at) / 2) {
            let unit = &words[at..at + size];
            let repeats = words[at..]
                .chunks(size)
                .take_while(|c| c.len() == size && c.iter().zip(unit).all(|(a, b)| same(a, b)));
            let count = repeats.count();
            let digits = unit.iter().all(|w| w.chars().any(|c| c.is_ascii_digit()));
            if !digits && count >= copies_of_a_loop(size) {
                kept.extend_from_slice(unit);
                at += size * count;
                continue 'words;
            }
        }
        kept.push(words[at]);
        at += 1;
    }
    kept.join(" ")
}

/// Drops trailing ellipses and dashes (the caller paused, the recogniser wondered), and marks that stand alone.
fn without_marks(text: &str) -> String {
    let words =
        text.split_whitespace().filter(|w| w.chars().any(|c| c.is_alphanumeric() || c == '$' || c == '&'));
    let joined = words.collect::<Vec<_>>().join(" ");
    let bare = joined.trim_end_matches(['.', '…', '-', '–', '—', ' ', ',']);
    let ended_by_one_stop =
        joined.ends_with('.') && !joined.ends_with("..") && joined.len() == bare.len() + 1;
    if ended_by_one_stop { joined } else { bare.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_passes_unchanged() {
        for text in ["My street light is out.", "No, no, no.", "Is it 5 5 5 5 5 5?", "Yes.", "Call 911!"] {
            assert_eq!(clean(text, 0.9, -20.0), text);
        }
    }

    #[test]
    fn loops_are_cut() {
        assert_eq!(
            clean("I want to go. I want to go. I want to go. I want to go.", 0.9, -20.0),
            "I want to go."
        );
        assert_eq!(clean("the the the the the the end", 0.9, -20.0), "the end");
    }

    #[test]
    fn a_clause_that_comes_again_is_kept_once() {
        let deed = "My name is spelled wrong on the deed.";
        assert_eq!(clean(&[deed; 2].join(" "), 0.9, -20.0), deed);
        assert_eq!(
            clean(&format!("{} My name is", [deed; 3].join(" ")), 0.9, -20.0),
            format!("{deed} My name is")
        );
        assert_eq!(clean("I said no, I said no.", 0.9, -20.0), "I said no, I said no.");
    }

    #[test]
    fn tokens_that_go_round_are_noticed_at_once() {
        let clause: Vec<i64> = (0..9).collect();
        let twice = [clause.clone(), clause.clone()].concat();
        assert_eq!(repeats(&twice), Some(9));
        assert_eq!(repeats(&twice[..17]), None);
        assert_eq!(repeats(&[7, 5, 5, 5, 5]), None);
        assert_eq!(repeats(&[7, 5, 5, 5, 5, 5, 5]), Some(2));
    }

    #[test]
    fn nobody_speaks_faster_than_words_can_be_said() {
        let words = vec!["word"; 30].join(" ");
        assert!(is_too_much(&words, 3.0));
        assert!(!is_too_much(&words, 6.0));
        assert!(!is_too_much("Yes please do.", 0.2));
    }

    #[test]
    fn a_number_that_is_written_twice_was_said_once() {
        assert_eq!(undoubled("205-333 205-333", 2.1).as_deref(), Some("205-333"));
        assert_eq!(undoubled("It's 20533, 20533.", 2.1).as_deref(), Some("It's 20533."));
        assert_eq!(undoubled("205-333 205-333", 3.5), None);
        assert_eq!(undoubled("99 99", 0.8), None);
        assert_eq!(undoubled("555 0143", 0.8), None);
    }

    #[test]
    fn stray_marks_go() {
        assert_eq!(clean("and then I...", 0.9, -20.0), "and then I");
        assert_eq!(clean("well -", 0.9, -20.0), "well");
        assert_eq!(clean("...", 0.9, -20.0), "");
        assert_eq!(clean(" . ", 0.9, -20.0), "");
    }

    #[test]
    fn noise_gives_no_words() {
        assert_eq!(clean("Thank you.", 0.4, -20.0), "");
        assert_eq!(clean("Thank you.", 0.9, -20.0), "Thank you.");
        assert_eq!(clean("a whole sentence of nothing", 0.2, -20.0), "");
        assert_eq!(clean("faint guess", 0.45, -48.0), "");
    }
}
