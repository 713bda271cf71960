//! A question within an answer: "yes, that's me, and when is the pickup on my street?". Recognizers write no question marks
//! there, and callers make no pause.

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
    let begins = |at: &usize| {
        let pair = format!("{} {}", plain[*at], plain[*at + 1]);
        let before = plain[*at - 1].as_str();
        let paused = words[*at - 1].ends_with(['.', ',', '!', '?', ';']);
        cues.asks_at.contains(&pair.as_str()) && (paused || !cues.embeds.contains(&before))
    };
    let last = words.len().checked_sub(QUESTION)?;
    let at = (1..=last).find(begins)?;
    let end = (0..at).rev().find(|n| !cues.joins.contains(&plain[*n].as_str())).map_or(0, |n| n + 1);
    let answer = words[..end].join(" ").trim_end_matches([',', ';']).to_owned();
    (!ear.plain(&answer).is_empty()).then(|| (answer, words[at..].join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

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
}
