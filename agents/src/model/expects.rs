//! What kind of answer a model's last words wait for, read from the words themselves: it decides how long a silence
//! may be before the caller counts as done. English and Spanish.

use std::sync::LazyLock;

use pipeline::turn::Expectation;
use regex::Regex;

/// Patterns over lower-case text, in the order in which they are tried.
static KINDS: LazyLock<Vec<(Expectation, Regex)>> = LazyLock::new(|| {
    let all = [
        (
            Expectation::Digits,
            r"(phone|telephone|call-?back|claim|case|reference|account|permit|ticket)('s)? number|\bnumber (to|can|should|is best|where)|(what|which|best|good|a|right|your) number\b|\bdigits?\b|número (de|para|al)|(qué|cuál es (su|el)) número|\bdígitos?\b",
        ),
        (
            Expectation::Name,
            r"\byour (full |first |last )*name\b|\b(full|first|last) name\b|what name|who am i speaking|whose name|\bspell\b|\bname (on|for|is it)|\bsu nombre\b|\bapellido\b|a nombre de quién|con quién hablo|deletre",
        ),
        (
            Expectation::Date,
            r"date of birth|\bborn\b|\bwhen\b|\bwhat (day|date|time)|\bwhich (day|date|time|one|of (those|these|them))|what time|(monday|tuesday|wednesday|thursday|friday|saturday|sunday)|\bcuándo\b|qué (día|fecha|hora)|cuál de (esas|estas|los|las)|fecha de nacimiento|(lunes|martes|miércoles|jueves|viernes|sábado|domingo)",
        ),
        (
            Expectation::Address,
            r"\baddress\b|\bwhere\b|what street|which street|\blocation\b|intersection|\bdirección\b|\bdónde\b|qué calle|\blugar\b",
        ),
        (
            Expectation::Story,
            r"what('s| has| is)? (happened|happening|going on|wrong)|what did you see|\bdescribe\b|tell me (more|about|what)|more details?|what (would|do) you (like|want) (the message|to (say|report|tell))|message (to )?say|what is it about|what's it about|what should (i|the message)|qué (pasó|sucedió|ocurrió|está pasando)|descríb|cuénte|más detalles|de qué se trata|qué mensaje",
        ),
    ];
    all.map(|(kind, pattern)| (kind, Regex::new(pattern).expect("a test compiles these patterns"))).into()
});

/// A question in the form of a request: what it asks for counts, not its "can" or "could".
static REQUEST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(and |so |okay |then )*(can|could|may|might|would|will) (i|we|you) (please )?(also )?(have|get|ask|tell|give|say|spell|share|describe|repeat|let|know|provide|take)\b|^(y )?(puede|podría|puedo|me puede|me podría|me da|quisiera|le puedo)\b").expect("clippy compiles every pattern")
});
static YES_NO: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(and |so |okay |then |but |also |now |or |great |thanks |thank you )*(is|are|was|were|do|does|did|can|could|would|will|shall|should|may|have|has|had|am|isn't|aren't|wasn't|didn't|don't|doesn't)\b|(is that|is this|is it|that's) (right|correct|okay|ok|all right)$|\b(right|correct|okay|ok|yes or no)$|\b(es correcto|está bien|correcto|verdad|sí o no)$|^(y )?(es|está|están|fue|hubo|hay|le gustaría|quiere|desea|prefiere|tiene|necesita)\b").expect("clippy compiles every pattern")
});
/// Not a question that wants a yes: the caller may say anything.
static OPEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"anything else|something else|what else|how (can|may) i help|what can i (do|help)|algo más|otra cosa|en qué (le |te )?puedo|cómo (le )?puedo ayudar").expect("clippy compiles every pattern")
});
static WAIT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"take your time|i'll (wait|hold)|no rush|tómese (su|el) tiempo|(le|lo|la) espero|no hay prisa",
    )
    .expect("clippy compiles every pattern")
});

/// What `text`, the end of a reply, waits for.
#[must_use]
pub(super) fn expects(text: &str) -> Expectation {
    let text = text.to_lowercase().replace('’', "'");
    let Some(question) = last_question(&text) else {
        return if hit(&WAIT, &text) { Expectation::Wait } else { instruction(&text) };
    };
    if hit(&OPEN, question) {
        return Expectation::Open;
    }
    // "Would Tuesday or Friday suit you?" is no yes-or-no question; "your number is …, is that right?" is one.
    let choice = question.contains(" or ") || question.contains(" o ");
    let own = question.rsplit([',', ';', '—']).next().unwrap_or(question).trim();
    if (hit(&YES_NO, own) || hit(&YES_NO, question)) && !hit(&REQUEST, question) && !choice {
        return Expectation::YesNo;
    }
    kind_of(question)
}

/// The last question, without its marks; nothing when more than a short sentence follows it.
fn last_question(text: &str) -> Option<&str> {
    let end = text.rfind('?')?;
    if text[end + 1..].split_whitespace().count() > 12 {
        return None;
    }
    let before = &text[..end];
    let start = before
        .rfind(['.', '!', '?', '¿', '\n'])
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    Some(before[start..].trim_matches(|c: char| !c.is_alphanumeric()))
}

/// "Please tell me your full name." asks without a question mark.
fn instruction(text: &str) -> Expectation {
    let text = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let last = text.rsplit(['.', '!', '\n']).next().unwrap_or(text).trim();
    let asks = [
        "please tell",
        "please give",
        "please say",
        "please spell",
        "please key",
        "please enter",
        "tell me",
        "give me",
        "go ahead",
        "por favor",
        "dígame",
        "deme",
    ];
    if asks.iter().any(|a| last.starts_with(a)) { kind_of(last) } else { Expectation::Open }
}

fn kind_of(question: &str) -> Expectation {
    KINDS.iter().find(|(_, pattern)| pattern.is_match(question)).map_or(Expectation::Open, |(kind, _)| *kind)
}

fn hit(pattern: &LazyLock<Regex>, text: &str) -> bool {
    pattern.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_say_what_they_wait_for() {
        for (text, expected) in [
            ("What's the best number to call you back?", Expectation::Digits),
            ("Can I have your phone number?", Expectation::Digits),
            ("Thank you. What is your claim number?", Expectation::Digits),
            ("I have 202-555-0143. Is that right?", Expectation::YesNo),
            ("Your number is 202-555-0143, is that correct?", Expectation::YesNo),
            ("Was anybody hurt?", Expectation::YesNo),
            ("Would you like me to book an inspection?", Expectation::YesNo),
            ("Could you tell me your full name?", Expectation::Name),
            ("May I have your name, please?", Expectation::Name),
            ("And how do you spell that?", Expectation::Name),
            ("Where did it happen?", Expectation::Address),
            ("What address should the inspector come to?", Expectation::Address),
            ("When did this happen?", Expectation::Date),
            ("I have Tuesday at 9 or Friday at 1. Which one works for you?", Expectation::Date),
            ("Would Tuesday or Friday be better?", Expectation::Date),
            ("What is your date of birth?", Expectation::Date),
            ("I'm sorry to hear that. What happened?", Expectation::Story),
            ("Can you tell me more about it?", Expectation::Story),
            ("What would you like the message to say?", Expectation::Story),
            ("Is there anything else I can help with?", Expectation::Open),
            ("How can I help you?", Expectation::Open),
            ("The office opens at 8 a.m.", Expectation::Open),
            ("Please tell me your full name.", Expectation::Name),
            ("Of course. Take your time.", Expectation::Wait),
            (
                "Is it free? Yes. You can drop it off any day between eight and five at the yard on Mill Road.",
                Expectation::Open,
            ),
            ("", Expectation::Open),
        ] {
            assert_eq!(expects(text), expected, "{text}");
        }
    }

    #[test]
    fn spanish_questions_too() {
        for (text, expected) in [
            ("¿Cuál es su número de teléfono?", Expectation::Digits),
            ("¿Me puede dar su nombre?", Expectation::Name),
            ("¿Dónde ocurrió?", Expectation::Address),
            ("¿Cuándo pasó?", Expectation::Date),
            ("Lo siento. ¿Qué pasó?", Expectation::Story),
            ("Su número es 202-555-0143, ¿es correcto?", Expectation::YesNo),
            ("¿Hubo heridos?", Expectation::YesNo),
            ("¿Puedo ayudarle en algo más?", Expectation::Open),
            ("Tómese su tiempo.", Expectation::Wait),
        ] {
            assert_eq!(expects(text), expected, "{text}");
        }
    }
}
