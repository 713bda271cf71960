//! What a model-driven turn tells of a call that a person should look at.

use std::sync::LazyLock;

use pipeline::event::AttentionReason;
use pipeline::ports::Language;
use regex::Regex;

use dialogue::builtin::Dialogue;

/// Replies in a row that did not understand, from which on somebody should know.
const MISSES: u8 = 2;

static NOT_UNDERSTOOD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(did not|didn't|do not|don't|could not|couldn't|cannot|can't|having trouble|not sure I)",
        r" (\w+ )?(understand(ing)?|catch(ing)?|get that|hear(ing)?|make (that|it) out|follow(ing)?)\b",
        r"|\b(say|repeat|rephrase|put) (that|it) (again|another way|differently|once more)\b",
        r"|\bcould you (please )?(repeat|rephrase)\b",
        r"|\bno (le |lo |la |te )?(entend\w+|entiendo|comprend\w+|oí|oigo|escuch\w+)",
        r"|\b(repetir|repita|decir)(lo|me|melo)? (otra vez|de nuevo|de otra manera|de otra forma)\b",
        r"|\b(puede|podría) repetir",
    ))
    .expect("clippy compiles every pattern")
});

/// Replies in a row that did not understand the caller, this one included.
pub(super) fn misses(before: u8, reply: &str) -> u8 {
    let plain = reply.replace('\u{2019}', "'");
    let missed = NOT_UNDERSTOOD.is_match(&plain);
    if missed { before.saturating_add(1) } else { 0 }
}

/// Why somebody should look at the call after these words of its caller.
pub(super) fn reasons(
    dialogue: &Dialogue,
    language: Language,
    caller: &str,
    misses: u8,
) -> impl Iterator<Item = AttentionReason> {
    let all = [
        (misses >= MISSES, AttentionReason::Misunderstood),
        (dialogue.hears_hostility(language, caller), AttentionReason::Distress),
    ];
    all.into_iter().filter(|(is_so, _)| *is_so).map(|(_, reason)| reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_that_did_not_understand_are_counted_in_a_row() {
        for reply in [
            "I'm sorry, I didn\u{2019}t catch that. Which office?",
            "Sorry, I don't understand. Could you say that another way?",
            "Could you please repeat the address?",
            "Lo siento, no le entendí.",
            "¿Podría decirlo de otra manera?",
        ] {
            assert_eq!(misses(1, reply), 2, "{reply}");
        }
        for reply in [
            "I understand. The office is open until five.",
            "I don't have that in the county's information.",
            "Shall I say the hours again? They are eight to five.",
            "Entiendo. La oficina abre a las ocho.",
        ] {
            assert_eq!(misses(1, reply), 0, "{reply}");
        }
    }
}
