//! The conversation as the model is shown it: one exchange a turn, our words as far as they were heard, bounded.
//!
//! All text in here has passed the call's screen, except `words` and `spoken`, which never leave it.

use std::collections::VecDeque;

use pipeline::turn::{Heard, TurnId};

use super::super::discarded_replies::continues;
use super::plain::CUT;
use models::conversation::{Message, ToolResult};
use models::delimit::{self, block};

/// Characters of history from which it is made shorter, and to which: far below, so that the prompt cache breaks
/// seldom.
const LONGEST: usize = 24_000;
const SHORTENED: usize = 16_000;
/// Exchanges at the end that stay as they are.
const KEPT_WHOLE: usize = 2;
/// Characters that stay of an old tool result or old passages.
const STUMP: usize = 160;
const SHORTER: &str = " … (shortened)";
const EARLIER: &str = "Earlier parts of this call are left out here.";
const MISSED: &str = "The caller spoke on and heard nothing of your last words. What you did stays done.";

/// How much of our words reached the caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Fate {
    /// All of them, or what is left of them here.
    #[default]
    Told,
    /// None.
    Unheard,
}

/// One turn: what came in, what we asked tools, what we said.
#[derive(Clone)]
pub(crate) struct Exchange {
    turn: TurnId,
    /// The caller's own words, raw; empty when it was none of theirs.
    words: String,
    messages: Vec<Message>,
    /// What was sent to be spoken, raw, with the message it belongs to.
    spoken: Vec<(usize, String)>,
    /// Something was filed, booked or marked: the turn cannot be undone.
    pub(crate) acted: bool,
    fate: Fate,
}

language::shown!(Exchange, "Exchange": turn, acted, fate; words, messages, spoken);

impl Exchange {
    pub(crate) fn new(turn: TurnId, words: &str, caller: String) -> Self {
        Self {
            turn,
            words: words.trim().to_owned(),
            messages: vec![Message::Caller { text: caller }],
            spoken: Vec::new(),
            acted: false,
            fate: Fate::default(),
        }
    }

    /// The same run goes on under another number.
    pub(crate) fn renumber(&mut self, turn: TurnId) {
        self.turn = turn;
    }

    pub(crate) fn push(&mut self, message: Message) {
        self.messages.push(message);
    }

    /// Words sent to be spoken that belong to the next message of ours.
    pub(crate) fn say(&mut self, text: &str) {
        self.spoken.push((self.messages.len(), text.to_owned()));
    }

    /// Everything that we said in it, with tokens.
    pub(crate) fn reply(&self) -> String {
        let ours = |m: &Message| if let Message::Agent { text, .. } = m { Some(text.clone()) } else { None };
        self.messages.iter().filter_map(ours).filter(|t| !t.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// Ends the turn before all of it was said: whatever was not, counts as unheard until we learn more.
    pub(crate) fn cut(&mut self) {
        self.fate = Fate::Unheard;
    }

    fn heard(&mut self, heard: &Heard, screen: &mut dyn FnMut(&str) -> String) {
        if heard.complete {
            self.fate = Fate::Told;
        } else if heard.text.trim().is_empty() {
            self.fate = Fate::Unheard;
        } else {
            self.fate = Fate::Told;
            self.keep_heard(&heard.text, screen);
        }
    }

    /// Leaves of our words those that were heard, and marks the cut.
    fn keep_heard(&mut self, heard: &str, screen: &mut dyn FnMut(&str) -> String) {
        let mut left: VecDeque<&str> = heard.split_whitespace().collect();
        for at in 0..self.messages.len() {
            let spoken: usize = self
                .spoken
                .iter()
                .filter(|(n, _)| *n == at)
                .map(|(_, text)| text.split_whitespace().count())
                .sum();
            let Message::Agent { text, .. } = &mut self.messages[at] else { continue };
            let taken: Vec<&str> = left.drain(..spoken.min(left.len())).collect();
            if taken.len() < spoken {
                *text = match screen(&taken.join(" ")) {
                    nothing if nothing.is_empty() => nothing,
                    some => format!("{some} {CUT}"),
                };
            }
        }
    }

    /// Words of ours that came after all: a cut that was a mistake, or the session's own.
    fn append(&mut self, said: &str, complete: bool) {
        self.fate = Fate::Told;
        let mark = if complete { String::new() } else { format!(" {CUT}") };
        match self.messages.last_mut() {
            Some(Message::Agent { text, .. }) => {
                let before = text.trim_end_matches(CUT).trim_end();
                let space = if before.is_empty() { "" } else { " " };
                *text = format!("{before}{space}{said}{mark}");
            }
            _ => self.messages.push(Message::Agent {
                text: format!("{said}{mark}"),
                calls: Vec::new(),
                opaque: None,
            }),
        }
    }

    /// As the model sees it.
    fn shown(&self) -> impl Iterator<Item = Message> + '_ {
        let unheard = self.fate == Fate::Unheard;
        let shown = self.messages.iter().filter_map(move |message| match message {
            Message::Agent { text, calls, opaque } => {
                let text = if unheard { String::new() } else { text.clone() };
                let kept = !text.trim().is_empty() || !calls.is_empty();
                kept.then(|| Message::Agent { text, calls: calls.clone(), opaque: opaque.clone() })
            }
            other => Some(other.clone()),
        });
        let note = (unheard && self.acted).then(|| Message::Caller { text: block(delimit::EVENT, MISSED) });
        shown.chain(note)
    }

    fn length(&self) -> usize {
        self.messages.iter().map(length).sum()
    }

    /// Shortens what tools and documents gave.
    fn shorten(&mut self) {
        for message in &mut self.messages {
            match message {
                Message::Results { results } => {
                    results.iter_mut().for_each(|r| stump(&mut r.content));
                }
                Message::Caller { text } => stump_information(text),
                Message::Agent { .. } => {}
            }
        }
    }
}

/// Where a turn begins.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Beginning {
    /// Exchanges before it that stay.
    pub(crate) keep: usize,
    /// Of the caller's words those that were not acted upon yet.
    pub(crate) rest: String,
    /// The words repeat earlier ones.
    pub(crate) repeats: bool,
}

language::shown!(Beginning, "Beginning": keep, repeats; rest);

/// The exchanges of a call that took effect.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    past: Vec<Exchange>,
    dropped: bool,
}

impl History {
    /// Where a turn with these words begins. A turn of which nothing was heard is taken back when the words repeat
    /// its own; when it filed something, only the words after those are new.
    pub(crate) fn beginning(&self, words: &str) -> Beginning {
        let words = words.trim();
        let mut keep = self.past.len();
        let mut repeats = false;
        while let Some(last) = keep.checked_sub(1).and_then(|n| self.past.get(n)) {
            let unheard = last.fate == Fate::Unheard && !last.words.is_empty();
            if !unheard || !continues(words, &last.words) {
                break;
            }
            repeats = true;
            if last.acted {
                let rest = words[last.words.len()..].trim_start_matches(|c: char| !c.is_alphanumeric());
                return Beginning { keep, rest: rest.to_owned(), repeats };
            }
            keep -= 1;
        }
        Beginning { keep, rest: words.to_owned(), repeats }
    }

    /// Takes the turns back that a new one repeats.
    pub(crate) fn take_back(&mut self, beginning: &Beginning) {
        self.past.truncate(beginning.keep);
    }

    pub(crate) fn push(&mut self, exchange: Exchange) {
        self.past.push(exchange);
        self.bound();
    }

    /// Everything up to `keep`, and the exchange under way.
    pub(crate) fn messages(&self, keep: usize, current: &Exchange) -> Vec<Message> {
        let mut out: Vec<Message> = Vec::new();
        if self.dropped {
            out.push(Message::Caller { text: block(delimit::EVENT, EARLIER) });
        }
        let past = self.past.iter().take(keep).flat_map(Exchange::shown);
        for message in past.chain(current.shown()) {
            match (out.last_mut(), message) {
                (Some(Message::Caller { text }), Message::Caller { text: more }) => {
                    text.push('\n');
                    text.push_str(&more);
                }
                (_, message) => out.push(message),
            }
        }
        out
    }

    /// What we said in the turns that are kept, as far as it was heard.
    pub(crate) fn replies(&self) -> Vec<String> {
        self.past.iter().filter(|e| e.fate == Fate::Told).map(Exchange::reply).collect()
    }

    /// A turn whose words were stopped: until we learn more, nothing of it was heard.
    pub(crate) fn cancelled(&mut self, turn: TurnId) {
        if let Some(exchange) = self.past.iter_mut().rfind(|e| e.turn == turn) {
            exchange.cut();
        }
    }

    /// What the caller heard of a turn. A number that is none of ours is a reply resumed, or words of the session.
    pub(crate) fn heard(&mut self, heard: &Heard, screen: &mut dyn FnMut(&str) -> String) {
        if let Some(exchange) = self.past.iter_mut().rfind(|e| e.turn == heard.turn) {
            exchange.heard(heard, screen);
        } else if let Some(last) = self.past.last_mut()
            && !heard.text.trim().is_empty()
        {
            last.append(&screen(heard.text.trim()), heard.complete);
        }
    }

    fn bound(&mut self) {
        if self.length() <= LONGEST {
            return;
        }
        for at in 0..self.past.len().saturating_sub(KEPT_WHOLE) {
            self.past[at].shorten();
            if self.length() <= SHORTENED {
                return;
            }
        }
        while self.length() > SHORTENED && self.past.len() > KEPT_WHOLE {
            self.past.remove(0);
            self.dropped = true;
        }
    }

    fn length(&self) -> usize {
        self.past.iter().map(Exchange::length).sum()
    }
}

fn length(message: &Message) -> usize {
    match message {
        Message::Caller { text } => text.len(),
        Message::Agent { text, calls, .. } => {
            text.len() + calls.iter().map(|c| c.name.len() + c.input.to_string().len()).sum::<usize>()
        }
        Message::Results { results } => results.iter().map(|r: &ToolResult| r.content.len()).sum(),
    }
}

fn stump(text: &mut String) {
    if text.len() > STUMP + SHORTER.len() {
        let kept: String = text.chars().take(STUMP).collect();
        *text = format!("{}{SHORTER}", delimit::data(&kept, STUMP));
    }
}

/// Cuts the block of passages out of a message, and leaves the caller's words.
fn stump_information(text: &mut String) {
    let (open, close) = (format!("<{}>", delimit::INFORMATION), format!("</{}>", delimit::INFORMATION));
    if let (Some(from), Some(to)) = (text.find(&open), text.find(&close)) {
        text.replace_range(from..to + close.len(), "");
        *text = text.trim_start().to_owned();
    }
}

#[cfg(test)]
#[path = "history_tests.rs"]
mod tests;
