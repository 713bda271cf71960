//! From a passage to what is worth saying of it.

use std::collections::HashSet;

use language::english::terms::terms;
use language::sentences;

/// Longest answer given before the reader gets a say.
const MAX_WORDS: usize = 55;
/// A sentence of more words is cut where its parts can stand by themselves.
pub const SENTENCE: usize = 20;
/// A sentence of more words is cut at any clause: nobody can follow it on the phone.
const TOO_LONG: usize = 34;

/// The one to `limit` sentences of a passage that answer the question best, in reading order.
///
/// A short passage is given whole. Otherwise sentences that share words with the question come first, and
/// among equals the earlier ones: county pages lead with what matters.
#[must_use]
pub fn best_sentences(text: &str, question: &str, limit: usize) -> String {
    let all = sentences(text);
    let asked: HashSet<String> = terms(question).into_iter().collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&n| (std::cmp::Reverse(shared(&all[n], &asked)), n));
    let mut chosen = Vec::new();
    let mut words = 0;
    for n in order.into_iter().take(limit) {
        let length = all[n].split_whitespace().count();
        if !chosen.is_empty() && words + length > MAX_WORDS {
            break;
        }
        chosen.push(n);
        words += length;
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|n| all[n].as_str()).collect::<Vec<_>>().join(" ")
}

fn shared(sentence: &str, asked: &HashSet<String>) -> usize {
    let own: HashSet<String> = terms(sentence).into_iter().collect();
    own.intersection(asked).count()
}

/// A passage as it can be spoken: its sentences in order, those over [`SENTENCE`] words cut where the parts stand by themselves,
/// and those that nobody could follow at a clause. With the number of the sentence that each is of.
#[must_use]
pub fn speakable(text: &str) -> Vec<(usize, String)> {
    let of = |(n, sentence): (usize, &String)| clauses(sentence).into_iter().map(move |clause| (n, clause));
    sentences(text).iter().enumerate().flat_map(of).collect()
}

fn clauses(sentence: &str) -> Vec<String> {
    let words = sentence.split_whitespace().count();
    let clean = (words > SENTENCE).then(|| cut_cleanly(sentence)).flatten();
    match clean.or_else(|| (words > TOO_LONG).then(|| cut(sentence)).flatten()) {
        Some((first, rest)) => {
            let mut all = clauses(&ended(first));
            all.extend(clauses(&begun(rest)));
            all
        }
        None => vec![sentence.to_owned()],
    }
}

/// Where the parts stand by themselves: at a semicolon. "With the group number on your summons." is no sentence, and a voice
/// that ends there is not understood.
fn cut_cleanly(sentence: &str) -> Option<(&str, &str)> {
    cut_at(sentence, "; ", None, true)
}

/// Where a sentence that is too long is cut: at a comma, else before a joining word; nearest to the middle.
fn cut(sentence: &str) -> Option<(&str, &str)> {
    const JOINTS: [&str; 12] = [
        ": ", ", and ", ", but ", ", y ", ", ", " and ", " or ", " y ", " with ", " from ", " con ", " para ",
    ];
    // "If your trash was not picked up" says nothing without what follows.
    const LEADS: [&str; 12] =
        ["If", "When", "For", "To", "From", "After", "Before", "Where", "Si", "Cuando", "Para", "Después"];
    let leads = sentence.split(' ').next().is_some_and(|first| LEADS.contains(&first));
    let lead = sentence.find(',').filter(|_| leads);
    let at = |amounts: bool| JOINTS.iter().find_map(|joint| cut_at(sentence, joint, lead, amounts));
    at(false).or_else(|| at(true))
}

/// Where a sentence is cut at a joint. Hours, a price, a number belong to what stands before them ("Monday through Thursday,
/// 9 a.m. to 8 p.m."), unless `amounts` may be cut off.
fn cut_at<'a>(
    sentence: &'a str,
    joint: &str,
    lead: Option<usize>,
    amounts: bool,
) -> Option<(&'a str, &'a str)> {
    let middle = sentence.len() / 2;
    let words = |text: &str| text.split_whitespace().count();
    let fits = |at: &usize| {
        let (first, rest) = (&sentence[..*at], &sentence[at + joint.len()..]);
        let amount = rest.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '$');
        // A few words on their own are no sentence.
        words(first) >= 4 && words(rest) >= 4 && (amounts || !amount)
    };
    let cuts = sentence.match_indices(joint).map(|(at, _)| at);
    let at = cuts.filter(fits).filter(|at| Some(*at) != lead).min_by_key(|at| at.abs_diff(middle))?;
    let spaced = joint.starts_with(' ');
    let rest = if spaced { &sentence[at..] } else { &sentence[at + joint.len()..] };
    Some((&sentence[..at], rest))
}

fn ended(clause: &str) -> String {
    let clause = clause.trim_end_matches([',', ';', ':', ' ']);
    if clause.ends_with('.') { clause.to_owned() } else { format!("{clause}.") }
}

/// The rest of a sentence as one of its own: without the word that joined it.
fn begun(clause: &str) -> String {
    let clause = clause.trim_start();
    let bare =
        ["and ", "but ", "y ", "pero "].iter().find_map(|word| clause.strip_prefix(word)).unwrap_or(clause);
    let mut chars = bare.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "The office is on Main Street. It opens at 8 a.m. Permits cost $45. Parking is free behind the building.";

    #[test]
    fn a_sentence_that_is_too_long_keeps_hours_with_their_days() {
        let text = "The Main Library at 200 Elm Street is open to everybody who lives here Monday through Thursday, 9 a.m. to \
                    8 p.m., Friday and Saturday, 9 a.m. to 5 p.m., and Sunday, 1 p.m. to 5 p.m.";
        let said: Vec<String> = speakable(text).into_iter().map(|(_, said)| said).collect();
        assert_eq!(
            said,
            [
                "The Main Library at 200 Elm Street is open to everybody who lives here Monday through Thursday, 9 a.m. to \
                 8 p.m., Friday and Saturday, 9 a.m. to 5 p.m.",
                "Sunday, 1 p.m. to 5 p.m."
            ]
        );
    }

    #[test]
    fn no_part_is_spoken_that_is_no_sentence() {
        for text in [
            "Call the jury line at 202-555-0127 after 5 p.m. on the evening before your date, with the group number on your summons.",
            "The permit office, called the Permit Center, is open Monday through Friday, 8 a.m. to 4:30 p.m., at 120 Court Square.",
        ] {
            assert_eq!(speakable(text), [(0, text.to_owned())]);
        }
    }

    #[test]
    fn sentences_about_the_question_win_and_keep_their_order() {
        assert_eq!(
            best_sentences(TEXT, "what does parking cost", 2),
            "Permits cost $45. Parking is free behind the building."
        );
    }

    #[test]
    fn without_shared_words_the_beginning_is_read() {
        assert_eq!(best_sentences(TEXT, "xyz", 1), "The office is on Main Street.");
    }

    #[test]
    fn long_sentences_are_cut_at_a_semicolon() {
        let text = "Call 202-555-0111 at least two working days ahead to be put on the list; each household gets two \
                    free pickups a year. Short ones stay.";
        let spoken: Vec<(usize, String)> = speakable(text);
        let expected = [
            (0, "Call 202-555-0111 at least two working days ahead to be put on the list."),
            (0, "Each household gets two free pickups a year."),
            (1, "Short ones stay."),
        ];
        assert_eq!(spoken, expected.map(|(n, clause)| (n, clause.to_owned())));
    }
}
