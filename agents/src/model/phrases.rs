//! What a model-driven call says in the same words every time: when the model cannot, or did not.

use pipeline::ports::Language;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phrase {
    /// The answer broke off after its beginning was said.
    AskRest,
    /// Too many steps for one turn.
    TooMuch,
    /// The model will not answer.
    Refused,
    /// The model said nothing.
    Nothing,
    /// A sentence named a reference that nobody gave out.
    NoReference,
    Goodbye,
    /// The model marked an emergency and said nothing.
    Danger,
    /// What was said was judged wrong, and nobody found what is right.
    NotCertain,
}

impl Phrase {
    pub(super) const ALL: [Self; 8] = [
        Self::AskRest,
        Self::TooMuch,
        Self::Refused,
        Self::Nothing,
        Self::NoReference,
        Self::Goodbye,
        Self::Danger,
        Self::NotCertain,
    ];

    pub(super) const fn text(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::AskRest, Language::En) => {
                "I'm sorry, I lost the rest of that. Could you ask me for it again?"
            }
            (Self::AskRest, Language::Es) => "Lo siento, perdí el resto. ¿Me lo puede preguntar otra vez?",
            (Self::TooMuch, Language::En) => {
                "I'm sorry, I couldn't finish that just now. Would you like a person to call you back?"
            }
            (Self::TooMuch, Language::Es) => {
                "Lo siento, no pude terminar eso ahora. ¿Quiere que una persona le llame?"
            }
            (Self::Refused, Language::En) => {
                "I'm sorry, I can't help with that. Would you like a person to call you back?"
            }
            (Self::Refused, Language::Es) => {
                "Lo siento, no puedo ayudarle con eso. ¿Quiere que una persona le llame?"
            }
            (Self::Nothing, Language::En) => "I'm sorry, could you say that another way, please?",
            (Self::Nothing, Language::Es) => "Lo siento, ¿podría decirlo de otra manera?",
            (Self::NoReference, Language::En) => "I don't have a reference number for that yet.",
            (Self::NoReference, Language::Es) => "Todavía no tengo un número de referencia para eso.",
            (Self::Goodbye, Language::En) => "Thank you for calling. Goodbye.",
            (Self::Goodbye, Language::Es) => "Gracias por llamar. Adiós.",
            (Self::NotCertain, Language::En) => {
                "I need to correct what I said: I'm not certain of my last answer, so please don't rely on it. Our staff will look into it."
            }
            (Self::NotCertain, Language::Es) => {
                "Necesito corregir lo que dije: no estoy seguro de mi última respuesta, así que no se base en ella. Nuestro personal lo va a revisar."
            }
            (Self::Danger, Language::En) => "If anyone is in danger, hang up now and dial 911.",
            (Self::Danger, Language::Es) => "Si alguien está en peligro, cuelgue ahora y marque el 911.",
        }
    }
}

/// A reference that the model did not tell by itself.
pub(super) fn reference(language: Language, references: &[String]) -> String {
    let all = references.join(", ");
    match language {
        Language::En => format!("Your reference number is {all}."),
        Language::Es => format!("Su número de referencia es {all}."),
    }
}

/// Instead of a number that is not read out.
pub(super) const fn that_number(language: Language) -> &'static str {
    match language {
        Language::En => "that number",
        Language::Es => "ese número",
    }
}
