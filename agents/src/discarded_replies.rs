//! Replies that the caller never heard, because they spoke on: their next words repeat the earlier ones, so that
//! turn begins where the unheard one began. What took effect and cannot be undone stays, and is told with the next reply.
//! Pure.

use pipeline::ports::TurnInput;

use dialogue::builtin::{Effect, Say, State, Step};

/// What a turn begins from.
#[derive(Clone)]
pub(super) struct Origin {
    pub(super) state: State,
    /// What the turn answers: of the caller's words only those that were not acted upon yet.
    pub(super) input: TurnInput,
    /// Earlier words at the front of this turn's that took effect already.
    settled: String,
    /// Promises of an unheard reply that were kept.
    owed: Vec<Say>,
    /// The unheard reply, where this turn adds no word to the one it answered.
    again: Option<Step>,
    /// Whether the caller's words are in the history already.
    pub(super) repeats: bool,
}

language::shown!(Origin, "Origin": state, owed, again, repeats; input, settled);

impl Origin {
    /// What this turn says without thinking.
    pub(super) fn again(&self) -> Option<Step> {
        self.again.clone()
    }

    /// Puts what is owed to the caller in front of the reply.
    pub(super) fn settle_debts(&self, step: &mut Step) {
        step.say.splice(0..0, self.owed.iter().cloned());
        // "Say that again" then repeats it too.
        if !self.owed.is_empty() && !step.state.last.is_empty() {
            step.state.last.splice(0..0, self.owed.iter().cloned());
        }
    }
}

/// A committed turn whose reply was cancelled.
#[derive(Clone)]
pub(super) struct Unheard {
    /// The caller's words in that turn; empty when it was none of theirs.
    words: String,
    origin: Origin,
    reply: Step,
    /// The turn is undone: whatever comes begins where it began.
    undone: bool,
}

language::shown!(Unheard, "Unheard": origin, reply, undone; words);

impl Unheard {
    pub(super) fn new(input: &TurnInput, origin: Origin, mut step: Step) -> Self {
        let words =
            if let TurnInput::Said { text, .. } = input { text.trim().to_owned() } else { String::new() };
        let mut origin = Origin { again: None, repeats: false, ..origin };
        // Marking a call urgent twice does no harm, and the words that led to it must be answered; filing twice
        // would.
        if step.effects.iter().any(|effect| matches!(effect, Effect::File(_))) {
            origin.state = step.state.clone();
            origin.settled.clone_from(&words);
            origin.owed.extend(step.say.iter().filter(|say| say.promises).map(kept));
        }
        step.say = step.say.iter().map(kept).collect();
        step.effects.clear();
        Self { words, origin, reply: step, undone: false }
    }

    /// A turn of which nothing is left: it took no effect, or that was undone.
    pub(super) fn undone(input: &TurnInput, origin: Origin, mut step: Step) -> Self {
        step.effects.clear();
        Self { undone: true, ..Self::new(input, origin, step) }
    }

    /// Whether nothing of this reply is owed any more, now that the caller heard `text`.
    pub(super) fn is_told_by(&self, text: &str) -> bool {
        self.origin.owed.iter().all(|say| text.contains(say.text.as_str()))
    }

    /// Where a turn begins that comes after this one. `now` is the state with this turn in it.
    pub(super) fn origin(&self, now: &State, input: &TurnInput) -> Origin {
        let fresh = || Origin {
            state: if self.undone { self.origin.state.clone() } else { now.clone() },
            input: input.clone(),
            settled: String::new(),
            ..self.origin.clone()
        };
        let TurnInput::Said { text, unsure, .. } = input else { return fresh() };
        let text = text.trim();
        if self.words.is_empty() || !continues(text, &self.words) {
            return fresh();
        }
        let rest = text[self.origin.settled.len()..].trim_start_matches(|c: char| !c.is_alphanumeric());
        let again = rest.is_empty().then(|| self.reply.clone());
        let (text, alternatives) = (rest.to_owned(), Vec::new());
        let input = TurnInput::Said { text, unsure: *unsure, alternatives };
        Origin { input, again, repeats: true, ..self.origin.clone() }
    }
}

/// Where a turn begins when the reply before it was heard.
pub(super) fn plain_origin(state: &State, input: &TurnInput) -> Origin {
    Origin {
        state: state.clone(),
        input: input.clone(),
        settled: String::new(),
        owed: Vec::new(),
        again: None,
        repeats: false,
    }
}

/// A promise whose effect took place is a fact.
fn kept(say: &Say) -> Say {
    Say { promises: false, ..say.clone() }
}

/// Whether the words begin with these earlier ones, as whole words.
pub(super) fn continues(text: &str, earlier: &str) -> bool {
    text.strip_prefix(earlier).is_some_and(|rest| {
        rest.is_empty() || rest.starts_with(char::is_whitespace) || !earlier.ends_with(char::is_alphanumeric)
    })
}
