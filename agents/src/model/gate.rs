//! The rules over a model's words and tool calls: a sentence passes them before it is spoken, a call before its effect.

use std::sync::Arc;
use std::time::Duration;

use pipeline::ports::{Language, Screen, TurnInput};
use tokio::time::Instant;

use super::super::rulings::Rulings;
use governance::meaning::{Meaning, Meant};
use governance::rules::{Known, ProposedTool, RuleBook, Spoken, Violation, permitted};
use knowledge::{Embedder, Seen};
use models::conversation::ToolCall;
use work::tools::Asked;
use work::tools::ruling::{proposed, why};

/// What becomes of a piece of the answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Passed {
    Speak,
    /// These words instead; `fixed`: the same on every call.
    Instead {
        text: String,
        fixed: bool,
    },
    /// Nothing.
    Drop,
}

/// What is not spoken after a sentence was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Skips {
    #[default]
    Nothing,
    /// The rest of the sentence.
    Sentence,
    /// The rest of the answer.
    Answer,
}

/// What the rules are told besides the words.
pub(super) struct About<'a> {
    pub(super) language: Language,
    pub(super) caller_words: &'a str,
    pub(super) shown: &'a Known,
    pub(super) caller: &'a Known,
    pub(super) is_emergency: bool,
    pub(super) meant: Option<Meant>,
}

/// One run's way through the rules.
#[derive(Debug)]
pub(super) struct Gate {
    book: Arc<RuleBook>,
    /// Sees what a sentence means; without it the words decide alone.
    encoder: Option<Embedder>,
    pub(super) rulings: Rulings,
    /// What of the sentence under way was let through.
    sentence: String,
    /// Sentences that have ended.
    ended: usize,
    skips: Skips,
    /// Rules whose words were said instead already.
    replaced: Vec<String>,
    took: Duration,
}

impl Gate {
    pub(super) fn new(book: Arc<RuleBook>, encoder: Option<Embedder>) -> Self {
        Self {
            book,
            encoder,
            rulings: Rulings::default(),
            sentence: String::new(),
            ended: 0,
            skips: Skips::default(),
            replaced: Vec::new(),
            took: Duration::ZERO,
        }
    }

    /// Time spent so far.
    pub(super) const fn took(&self) -> Duration {
        self.took
    }

    /// What the sentence means with the next piece of it, in the time that a turn has. What a page or the tenant says in
    /// these words is not read. Where the encoder is missing or late, the words decide alone.
    pub(super) async fn meant(&mut self, piece: &str, shown: &Known) -> Option<Meant> {
        if self.skips != Skips::Nothing {
            return None;
        }
        let began = Instant::now();
        let sentence = self.with(piece);
        let spoken = Spoken { shown: Some(shown), ..Spoken::new(&sentence, Language::En) };
        if !self.book.current().asks_meaning(&spoken) {
            return None;
        }
        let seen = match &self.encoder {
            Some(encoder) => encoder.see(&sentence).await,
            None => None,
        };
        let meant = Meaning::shipped().ok()?.read(&sentence, seen.as_ref().map(Seen::to_read));
        self.took += began.elapsed();
        meant
    }

    /// What of the sentence was let through, with a piece more.
    fn with(&self, piece: &str) -> String {
        let space = if self.sentence.is_empty() { "" } else { " " };
        format!("{}{space}{piece}", self.sentence)
    }

    /// Judges the next piece of the answer together with what of its sentence went before it. `published` finds a sentence
    /// of a page that was shown, for a rule that puts one in; what is stopped is kept as `screen` leaves it.
    pub(super) fn judge(
        &mut self,
        piece: &str,
        about: &About<'_>,
        screen: &mut dyn Screen,
        published: impl FnOnce() -> Option<String>,
    ) -> Passed {
        let ends = piece.trim_end_matches(['"', ')', '\'']).ends_with(['.', '?', '!']);
        let began = Instant::now();
        let passed = match self.skips {
            Skips::Nothing => self.look(piece, about, screen, published),
            Skips::Sentence | Skips::Answer => Passed::Drop,
        };
        self.took += began.elapsed();
        if ends {
            self.sentence.clear();
            self.ended += 1;
            if self.skips == Skips::Sentence {
                self.skips = Skips::Nothing;
            }
        }
        passed
    }

    fn look(
        &mut self,
        piece: &str,
        about: &About<'_>,
        screen: &mut dyn Screen,
        published: impl FnOnce() -> Option<String>,
    ) -> Passed {
        self.sentence = self.with(piece);
        let set = self.book.current();
        let spoken = Spoken { is_first: self.ended == 0, ..spoken(&self.sentence, about) };
        let broken = set.check_words(&spoken);
        let Some(first) = broken.first().filter(|_| !permitted(&broken)) else {
            self.rulings.note(&broken);
            return Passed::Speak;
        };
        self.rulings.stop(&broken, &std::mem::take(&mut self.sentence), screen);
        self.skips = if broken.iter().any(|v| !v.permits() && v.rule.drops_rest) {
            Skips::Answer
        } else {
            Skips::Sentence
        };
        if self.replaced.contains(&first.rule.id) {
            return Passed::Drop;
        }
        self.replaced.push(first.rule.id.clone());
        let published = first.rule.published.as_ref().and_then(|_| published());
        let text = first.said(about.language, published.as_deref());
        Passed::Instead { text, fixed: published.is_none() }
    }

    /// An answer ended; the next one begins with a sentence of its own.
    pub(super) fn next_answer(&mut self) {
        self.sentence.clear();
        self.skips = Skips::Nothing;
    }

    /// What the whole reply must say and does not.
    pub(super) fn lacks(&mut self, reply: &str, about: &About<'_>) -> Vec<String> {
        let broken = self.book.current().check_reply(&spoken(reply, about));
        self.rulings.note(&broken);
        broken.iter().filter(|v| !v.permits()).map(|v| v.said(about.language, None)).collect()
    }

    /// Why a tool call may not take effect; `None`: it may.
    pub(super) fn refuses(
        &mut self,
        call: &ToolCall,
        asked: &Asked,
        language: Language,
        is_emergency: bool,
    ) -> Option<String> {
        let tool = ProposedTool { is_emergency, language, ..proposed(call, asked) };
        let broken = self.book.current().check_tool(&tool);
        self.rulings.note(&broken);
        let reasons: Vec<&Violation> = broken.iter().filter(|v| !v.permits()).collect();
        let first = reasons.first()?;
        let why = why(&reasons);
        let next = match first.rule.action {
            governance::rules::RuleAction::RequireHuman => {
                "A person must approve this: offer request_person."
            }
            _ => "Do not try it again. Say that you cannot do this, and offer a person or a message.",
        };
        Some(format!("Not done; it has no effect. {why} {next}"))
    }
}

/// What the caller said in a turn.
pub(super) fn caller_words(input: &TurnInput) -> &str {
    if let TurnInput::Said { text, .. } = input { text.as_str() } else { "" }
}

fn spoken<'a>(text: &'a str, about: &About<'a>) -> Spoken<'a> {
    Spoken {
        text,
        language: about.language,
        caller_words: about.caller_words,
        is_first: false,
        is_emergency: about.is_emergency,
        shown: Some(about.shown),
        caller: Some(about.caller),
        meant: about.meant,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use governance::pii::Redactor;
    use governance::rules::RuleSet;

    fn gate() -> Gate {
        let facts = dialogue::seed::riverbend(chrono::DateTime::UNIX_EPOCH).unwrap().facts;
        Gate::new(Arc::new(RuleBook::new(RuleSet::load("", &facts.numbers()).unwrap())), None)
    }

    /// What is spoken of an answer that comes in these pieces.
    fn spoken(gate: &mut Gate, pieces: &[&str]) -> Vec<String> {
        let known = Known::default();
        let about = About {
            language: Language::En,
            caller_words: "",
            shown: &known,
            caller: &known,
            is_emergency: false,
            meant: None,
        };
        let mut out = Vec::new();
        for piece in pieces {
            match gate.judge(piece, &about, &mut Redactor::default(), || None) {
                Passed::Speak => out.push((*piece).to_owned()),
                Passed::Instead { text, .. } => out.push(format!("[{}]", text.split(',').next().unwrap())),
                Passed::Drop => {}
            }
        }
        out
    }

    #[test]
    fn a_sentence_in_pieces_is_judged_as_one() {
        let mut gate = gate();
        let pieces = ["You should,", "in my view,", "sue the county.", "It is easy.", "Anything else?"];
        assert_eq!(spoken(&mut gate, &pieces), ["You should,", "in my view,", "[I can't give legal advice]"]);
        gate.next_answer();
        assert_eq!(spoken(&mut gate, &["We are open."]), ["We are open."], "the next answer is spoken");
    }

    #[test]
    fn what_follows_is_spoken_where_the_rule_lets_it_and_a_replacement_is_said_once() {
        let mut gate = gate();
        let pieces = ["I am not a robot,", "believe me.", "We are open.", "I am a real person.", "Goodbye."];
        assert_eq!(spoken(&mut gate, &pieces), ["[I'm an automated assistant]", "We are open.", "Goodbye."]);
        assert_eq!(gate.rulings.untold(pipeline::turn::TurnId(1)).len(), 1);
        assert!(gate.rulings.untold(pipeline::turn::TurnId(1)).is_empty());
        let did = gate.rulings.beside("answered");
        let rule = "(ai-never-claims-to-be-human) \"I am not a robot,\"";
        assert_eq!(did, format!("answered; a rule stopped {rule}"));
    }
}
