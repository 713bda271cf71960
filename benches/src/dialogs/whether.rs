//! "Is this about Jury Duty?": a caller says yes where it is their matter, and says it in other words where it is not.

use super::set::Scenario;
use super::words;

/// Letters by which a word is known in another form.
const ROOT: usize = 4;

/// What the caller answers; `None`: the question is another.
#[must_use]
pub fn whether(question: &str, scenario: &Scenario) -> Option<bool> {
    let lower = question.to_lowercase();
    let (_, named) = ["is this about ", "se trata de "].iter().find_map(|lead| lower.split_once(lead))?;
    // "Or" leaves a choice, which yes does not answer.
    if !question.trim_end().ends_with('?') || [" or ", " o "].iter().any(|or| named.contains(or)) {
        return None;
    }
    let known = words::tokens(&format!("{} {}", scenario.want, scenario.opening.text()));
    let like = |word: &String| {
        let root: String = word.chars().take(ROOT).collect();
        root.chars().count() == ROOT && known.iter().any(|known| known.starts_with(&root))
    };
    Some(words::tokens(named).iter().any(like))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::set::Set;
    use super::*;

    #[test]
    fn a_caller_knows_their_own_matter() {
        let set = "[[scenario]]\nid = \"x\"\nkind = \"question\"\nvoice = 1\nwant = \"Asks who must serve on a jury.\"\n\
                   opening = \"My mother got a letter.\"";
        let set = Set::parse(set).unwrap();
        let scenario = &set.scenario[0];
        for (question, answer) in [
            ("Is this about Jury Duty?", Some(true)),
            ("Is this about Parks and Pavilions?", Some(false)),
            ("Is this about jury duty, or dog licenses?", None),
            ("Is that right?", None),
        ] {
            assert_eq!(whether(question, scenario), answer, "{question}");
        }
    }
}
