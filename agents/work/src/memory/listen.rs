//! What a transcript gives to suggest. Deterministic; it proposes, and the manager decides.

use language::Language;
use serde::Deserialize;

use super::Rules;
use super::phrase::{Phrase, Word, WordList, slice, words};

/// Utterances of a call that are listened to, and characters of each: an hour of talk.
const UTTERANCES: usize = 400;
const LONGEST: usize = 2_000;
/// Facts of one call.
const FACTS: usize = 16;
/// Words that a fact may reach over.
const TIME_WORDS: usize = 7;
const PLACE_WORDS: usize = 8;
const MATTER_WORDS: usize = 9;
/// A call held in another language, by so many turns of the caller's, says what they prefer.
const TURNS: usize = 2;
const HELD_IN: f64 = 0.85;
/// What the recogniser is less sure of than this, half of it: under the least confidence then.
const UNSURE: f32 = 0.5;

/// Words after "call me" that begin no name.
const NO_NAME: [&str; 52] = [
    "a", "after", "again", "al", "and", "antes", "any", "anytime", "around", "as", "at", "back", "before",
    "between", "by", "con", "crazy", "cuando", "de", "despues", "during", "el", "en", "entre", "first",
    "for", "from", "if", "in", "la", "las", "later", "los", "luego", "manana", "mas", "on", "or", "para",
    "please", "por", "que", "right", "si", "so", "soon", "the", "to", "today", "tomorrow", "when", "with",
];
/// Words with which a time begins, after "call me".
const TIMES: [&str; 34] = [
    "after",
    "afternoons",
    "anytime",
    "around",
    "at",
    "before",
    "between",
    "by",
    "during",
    "evenings",
    "from",
    "in",
    "mornings",
    "on",
    "only",
    "weekdays",
    "weekends",
    "a",
    "al",
    "antes",
    "cuando",
    "de",
    "despues",
    "durante",
    "el",
    "en",
    "entre",
    "los",
    "las",
    "la",
    "por",
    "the",
    "until",
    "sobre",
];
/// Words before a matter that are not of it.
const LEADING: [&str; 14] =
    ["my", "the", "a", "an", "our", "mi", "mis", "el", "la", "un", "una", "los", "las", "nuestro"];

/// What a caller said in one turn.
#[derive(Clone, Copy, Debug)]
pub struct Utterance<'a> {
    pub text: &'a str,
    /// Of the recogniser, 0 to 1, if it said.
    pub confidence: Option<f32>,
}

/// A fact to suggest.
#[derive(Clone, PartialEq, Debug)]
pub struct Fact {
    pub key: String,
    pub value: String,
    /// 0 to 1.
    pub confidence: f64,
}

/// What a call gave.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Listened {
    /// The caller does not want to be remembered: nothing else counts then.
    pub opt_out: bool,
    /// One a key: what was said last.
    pub facts: Vec<Fact>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    cue: Vec<CueText>,
    opt_out: Says,
    unless_after: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Says {
    says: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CueText {
    key: String,
    value: Option<String>,
    take: Option<Take>,
    confidence: f64,
    says: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Take {
    Name,
    Time,
    Place,
    Matter,
}

/// What a match gives.
#[derive(Debug)]
enum Gives {
    Value(String),
    Rest(Take),
}

#[derive(Debug)]
struct Cue {
    key: String,
    gives: Gives,
    confidence: f64,
    says: Vec<Phrase>,
}

#[derive(Debug)]
pub(super) struct Cues {
    cues: Vec<Cue>,
    opt_out: Vec<Phrase>,
    unless_after: WordList,
}

impl Cues {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|e| e.to_string())?;
        Ok(Self {
            cues: file.cue.into_iter().map(cue).collect::<Result<_, String>>()?,
            opt_out: Phrase::parse_all(&file.opt_out.says)?,
            unless_after: WordList::new(&file.unless_after),
        })
    }

    #[cfg(test)]
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.cues.iter().map(|cue| cue.key.as_str())
    }

    /// "Don't forget me" is the opposite of "forget me".
    fn is_denied(&self, words: &[Word], from: usize) -> bool {
        let before = &words[from.saturating_sub(1)..from];
        before.iter().any(|word| !word.ends_clause && self.unless_after.has(&word.folded))
    }
}

fn cue(text: CueText) -> Result<Cue, String> {
    let gives = match (text.value, text.take) {
        (Some(value), None) => Gives::Value(value),
        (None, Some(take)) => Gives::Rest(take),
        _ => return Err(format!("{}: a cue has either a value or what to take", text.key)),
    };
    Ok(Cue { key: text.key, gives, confidence: text.confidence, says: Phrase::parse_all(&text.says)? })
}

impl Rules {
    /// What the caller of a finished call said about themselves. `held_in`: the language that the call was held in, where
    /// that says something: it is not the one that it would have been held in anyway.
    #[must_use]
    pub fn listen(&self, said: &[Utterance<'_>], held_in: Option<Language>) -> Listened {
        let mut listened = Listened::default();
        for utterance in said.iter().take(UTTERANCES) {
            let text: String = utterance.text.chars().take(LONGEST).collect();
            let words = words(&text);
            listened.opt_out |= self.asks_to_be_forgotten(&words);
            for fact in self.facts(&text, &words, utterance.confidence) {
                listened.facts.retain(|known| known.key != fact.key);
                listened.facts.push(fact);
            }
        }
        let chosen = listened.facts.iter().any(|fact| fact.key == LANGUAGE);
        if let Some(held_in) = held_in
            && !chosen
            && said.len() >= TURNS
        {
            let (key, value) = (LANGUAGE.to_owned(), held_in.code().to_owned());
            listened.facts.push(Fact { key, value, confidence: HELD_IN });
        }
        listened.facts.truncate(FACTS);
        if listened.opt_out {
            listened.facts.clear();
        }
        listened
    }

    fn asks_to_be_forgotten(&self, words: &[Word]) -> bool {
        let asks =
            |from: usize| self.cues.opt_out.iter().any(|phrase| phrase.match_at(words, from).is_some());
        (0..words.len()).any(|from| asks(from) && !self.cues.is_denied(words, from))
    }

    fn facts(&self, text: &str, words: &[Word], heard: Option<f32>) -> Vec<Fact> {
        let sure = if heard.is_some_and(|heard| heard < UNSURE) { 0.5 } else { 1.0 };
        let mut facts = Vec::new();
        for cue in &self.cues.cues {
            let matched =
                (0..words.len()).filter(|from| !self.cues.is_denied(words, *from)).find_map(|from| {
                    let to = cue.says.iter().filter_map(|phrase| phrase.match_at(words, from)).max()?;
                    value_of(cue, text, words, to)
                });
            if let Some(value) = matched {
                facts.push(Fact { key: cue.key.clone(), value, confidence: cue.confidence * sure });
            }
        }
        facts
    }
}

const LANGUAGE: &str = "preferred_language";

fn value_of(cue: &Cue, text: &str, words: &[Word], to: usize) -> Option<String> {
    let take = match &cue.gives {
        Gives::Value(value) => return Some(value.clone()),
        Gives::Rest(take) => *take,
    };
    // What follows a full stop is another thought.
    if to == 0 || words[to - 1].ends_clause {
        return None;
    }
    let rest = &words[to..];
    match take {
        Take::Name => name(text, rest),
        Take::Time => {
            let first = rest.first()?;
            let timely =
                TIMES.contains(&first.folded.as_str()) || first.folded.bytes().any(|b| b.is_ascii_digit());
            timely.then(|| slice(text, clause(rest, TIME_WORDS)).map(str::to_lowercase)).flatten()
        }
        Take::Place => {
            let place = slice(text, clause(rest, PLACE_WORDS))?;
            place.bytes().any(|b| b.is_ascii_digit()).then(|| place.to_owned())
        }
        Take::Matter => {
            let leading = rest.iter().take_while(|word| LEADING.contains(&word.folded.as_str())).count();
            slice(text, clause(&rest[leading..], MATTER_WORDS)).map(str::to_lowercase)
        }
    }
}

/// A name of one word, or of two when both are written as names are.
fn name(text: &str, rest: &[Word]) -> Option<String> {
    let first = rest.first().filter(|word| !NO_NAME.contains(&word.folded.as_str()))?;
    let capital = |word: &Word| text[word.start..word.end].starts_with(char::is_uppercase);
    let second = rest.get(1).filter(|word| !first.ends_clause && capital(first) && capital(word));
    let two = second.is_some_and(|word| !NO_NAME.contains(&word.folded.as_str()));
    let name = slice(text, &rest[..if two { 2 } else { 1 }])?;
    let mut letters = name.chars();
    let begins = letters.next()?.to_uppercase();
    Some(begins.chain(letters).collect())
}

/// The words up to the end of the clause, so many at most.
fn clause(words: &[Word], most: usize) -> &[Word] {
    let ends = words.iter().take(most).position(|word| word.ends_clause).map_or(most, |n| n + 1);
    &words[..ends.min(words.len())]
}
