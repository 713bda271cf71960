//! A question within an answer: "yes, that's me, and when is the pickup on my street?". Recognizers write no question marks
//! there, and callers make no pause.

use std::sync::LazyLock;

use regex::Regex;

use crate::Language;
use crate::ear::Ear;

/// Fewer words ask nothing of their own.
const QUESTION: usize = 3;

/// The words before a question that begins within the text, and the question. `None` where the text asks from its
/// beginning on, or nowhere.
#[must_use]
pub fn question_beside(ear: Ear, text: &str) -> Option<(String, String)> {
    if ear.is_question(ear.without_fillers(text.trim_end_matches('?'))) {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain: Vec<String> = words.iter().map(|word| ear.plain(word)).collect();
    let cues = ear.cues();
    let tail = |at: usize| words[at..].join(" ");
    let begins = |at: &usize| {
        let pair = format!("{} {}", plain[*at], plain[*at + 1]);
        let before = plain[*at - 1].as_str();
        let paused = words[*at - 1].ends_with(['.', ',', '!', '?', ';']);
        let joined = cues.joins.contains(&before) && ear.is_question(&tail(*at));
        joined || (cues.asks_at.contains(&pair.as_str()) && (paused || !cues.embeds.contains(&before)))
    };
    let last = words.len().checked_sub(QUESTION)?;
    let at = (1..=last).find(begins)?;
    let end = (0..at).rev().find(|n| !cues.joins.contains(&plain[*n].as_str())).map_or(0, |n| n + 1);
    let answer = words[..end].join(" ").trim_end_matches([',', ';']).to_owned();
    (!ear.plain(&answer).is_empty()).then(|| (answer, tail(at)))
}

/// When the caller wishes to be called, said beside something else or alone: "yes but only call after six in the evening".
/// The words without it, and the wish. `None` where there is none. `number`: we asked for the number to call, and "but not before
/// noon" is of the call though nobody says so.
#[must_use]
pub fn call_wish(ear: Ear, text: &str, number: bool) -> Option<(String, String)> {
    static ENGLISH: LazyLock<Regex> = LazyLock::new(|| wishes(Ear(Language::En)));
    static SPANISH: LazyLock<Regex> = LazyLock::new(|| wishes(Ear(Language::Es)));
    let pattern = match ear.0 {
        Language::En => &*ENGLISH,
        Language::Es => &*SPANISH,
    };
    let found = pattern.captures(text)?;
    let wish = found.name("called").or_else(|| found.name("time").filter(|_| number))?;
    let all = found.get(0)?;
    let rest = format!("{} {}", text[..all.start()].trim_end_matches([' ', ',']), text[all.end()..].trim());
    Some((
        rest.trim().to_owned(),
        without_messenger(ear, wish.as_str().trim_matches([' ', ',', '.'])).to_owned(),
    ))
}

/// "Tell them after four": when, without whom to tell.
#[must_use]
pub fn without_messenger(ear: Ear, wish: &str) -> &str {
    static ENGLISH: LazyLock<Regex> = LazyLock::new(|| {
        messenger(
            r"(?:so |just |and )*(?:tell|let) (?:them|'?em|him|her|whoever)(?: know| it is| it's)?(?: that| to)? ",
        )
    });
    static SPANISH: LazyLock<Regex> = LazyLock::new(|| {
        messenger(r"(?:y |pues |nomás )*(?:d[ií]gales|diles|d[ií]gale|dile|avíseles)(?: que)? ")
    });
    let lead = match ear.0 {
        Language::En => &*ENGLISH,
        Language::Es => &*SPANISH,
    };
    lead.find(wish).map_or(wish, |lead| &wish[lead.end()..])
}

#[expect(clippy::expect_used, reason = "a test compiles the pattern of every language")]
fn messenger(pattern: &str) -> Regex {
    Regex::new(&format!("(?i)^{pattern}")).expect("the pattern of whom to tell when to call")
}

#[expect(clippy::expect_used, reason = "a test compiles the pattern of every language")]
fn wishes(ear: Ear) -> Regex {
    Regex::new(ear.cues().call_wish).expect("the pattern of a wish for a time to be called")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_cut_from_its_answer() {
        let en = Ear(Language::En);
        for (text, answer, question) in [
            (
                "yes that's me and when is the pickup on my street then",
                "yes that's me",
                "when is the pickup on my street then",
            ),
            ("Dale Kowalczyk are you even listening", "Dale Kowalczyk", "are you even listening"),
            ("No one was hurt. How long will it take?", "No one was hurt.", "How long will it take?"),
            ("it's Oak Street, do I have to be there", "it's Oak Street", "do I have to be there"),
        ] {
            let found = question_beside(en, text);
            assert_eq!(found, Some((answer.to_owned(), question.to_owned())), "{text}");
        }
        let es = Ear(Language::Es);
        assert_eq!(
            question_beside(es, "sí está bien y cuándo vienen a arreglarlo"),
            Some(("sí está bien".to_owned(), "cuándo vienen a arreglarlo".to_owned()))
        );
        for text in
            ["what does it cost", "I don't know when is it due", "on Elm Street by the school", "yes", ""]
        {
            assert_eq!(question_beside(en, text), None, "{text}");
        }
    }

    #[test]
    fn whom_to_tell_is_no_part_of_when() {
        assert_eq!(without_messenger(Ear(Language::En), "tell em after four"), "after four");
        assert_eq!(
            without_messenger(Ear(Language::Es), "diles que después de las cuatro"),
            "después de las cuatro"
        );
        assert_eq!(without_messenger(Ear(Language::En), "after four"), "after four");
    }

    #[test]
    fn a_wish_for_a_time_is_cut_from_its_answer() {
        let cases = [
            (
                Language::En,
                "yes this number but please call after six hour in the evening",
                "yes this number",
                "after six hour in the evening",
            ),
            (
                Language::En,
                "yes same number but not before noon i sleep late",
                "yes same number",
                "not before noon i sleep late",
            ),
            (Language::En, "only call me after 3", "", "after 3"),
            (Language::Es, "sí pero que me llamen después de las cinco", "sí", "después de las cinco"),
        ];
        for (language, text, rest, wish) in cases {
            assert_eq!(
                call_wish(Ear(language), text, true),
                Some((rest.to_owned(), wish.to_owned())),
                "{text}"
            );
        }
        for text in [
            "after six in the evening",
            "call me back",
            "i called before noon",
            "it was before noon",
            "call her",
        ] {
            assert_eq!(call_wish(Ear(Language::En), text, true), None, "{text}");
        }
        // What happened, and when: no wish of anybody who was not asked for a number.
        for text in [
            "it was tuesday but before noon",
            "nobody was hurt but after that my knee swelled up",
            "i tried to call before five but nobody picked up",
            "they call after midnight and wake everybody",
        ] {
            assert_eq!(call_wish(Ear(Language::En), text, false), None, "{text}");
        }
    }
}
