//! What a reply asks: simple rules over its last question.

use anyhow::{Context, Result};
use regex::Regex;
use serde::Deserialize;

use super::set::Language;

const RULES: &str = include_str!("cues.toml");

#[derive(Debug, Deserialize)]
struct File {
    en: Vec<Rule>,
    es: Vec<Rule>,
}

#[derive(Debug, Deserialize)]
struct Rule {
    kind: String,
    cue: String,
}

/// The rules of both languages.
#[derive(Debug)]
pub struct Cues {
    english: Vec<(String, Regex)>,
    spanish: Vec<(String, Regex)>,
}

/// What a reply leaves the caller with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// A rule's kind; `None`: no rule fits.
    pub kind: Option<String>,
    /// The last question, or the last sentence where there is none.
    pub last: String,
    pub is_question: bool,
}

impl Cues {
    /// # Errors
    /// A rule is no regular expression.
    pub fn load() -> Result<Self> {
        let file: File = toml::from_str(RULES).context("cues.toml")?;
        let compiled = |rules: Vec<Rule>| -> Result<Vec<(String, Regex)>> {
            let one = |rule: Rule| Ok((rule.kind, Regex::new(&rule.cue).context(rule.cue)?));
            rules.into_iter().map(one).collect()
        };
        Ok(Self { english: compiled(file.en)?, spanish: compiled(file.es)? })
    }

    /// What this reply asks. A caller understands both languages.
    #[must_use]
    pub fn asked(&self, reply: &str, language: Language) -> Asked {
        let all = sentences(reply);
        let question = all.iter().rfind(|sentence| sentence.ends_with('?'));
        let last = question.or(all.last()).cloned().unwrap_or_default();
        let (first, second) = match language {
            Language::En => (&self.english, &self.spanish),
            Language::Es => (&self.spanish, &self.english),
        };
        let find = |text: &str| {
            let fits = |(_, cue): &&(String, Regex)| cue.is_match(text);
            first.iter().find(fits).or_else(|| second.iter().find(fits)).map(|(kind, _)| kind.clone())
        };
        // What a question says goes before; a request without a question mark may stand in any sentence.
        let rest = || all.iter().rev().find_map(|sentence| find(sentence));
        let kind = find(&last).or_else(|| if question.is_none() { rest() } else { None });
        let invites = kind.as_deref().is_some_and(|kind| kind != "goodbye");
        Asked { kind, is_question: question.is_some() || invites, last }
    }
}

/// Sentences in lower case. A dot within a number or a short form ends none.
fn sentences(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let letters: Vec<char> = text.to_lowercase().chars().collect();
    for (i, letter) in letters.iter().enumerate() {
        if let Some(last) = all.last_mut() {
            last.push(*letter);
        }
        let next = letters.get(i + 1).copied().unwrap_or(' ');
        if matches!(letter, '.' | '?' | '!') && next.is_whitespace() {
            all.push(String::new());
        }
    }
    all.into_iter().map(|sentence| sentence.trim().to_owned()).filter(|s| !s.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn kind(reply: &str) -> Option<String> {
        Cues::load().unwrap().asked(reply, Language::En).kind
    }

    #[test]
    fn the_last_question_counts() {
        let table = [
            ("I'm sorry to hear that. I'll take a report. Where did it happen?", "where"),
            ("Was anybody hurt?", "injured"),
            ("Is the number you're calling from the best one to reach you?", "known"),
            ("What's the best number to call you back?", "phone"),
            ("May I have your name?", "name"),
            ("Today; at Maple Street: a hole. Your name is Ada. Is that right?", "confirm"),
            ("Your report is filed. Is there anything else I can help you with?", "more"),
            ("I'm sorry, I didn't understand that. Could you say it another way?", "again"),
            (
                "To protect your privacy, please key in your four-digit PIN, then pound, or tell me your date of \
              birth or the last name on the claim.",
                "proof",
            ),
            ("Please read the digits of your claim number, or key them in.", "claim"),
            ("I have Tuesday at 9 AM and Wednesday at 1 PM. Which would you like?", "time"),
            ("Which day would you prefer?", "day"),
            ("What should I change: the place, the time, or your name?", "change"),
            (
                "I don't have an answer to that. Would you like to leave a message, or have a person call you back?",
                "person",
            ),
            ("What would you like the message to say, and who is it for?", "message"),
            ("I have a reference number for you. Do you have something to write with?", "write"),
            ("Thanks for calling. Goodbye.", "goodbye"),
        ];
        for (reply, expected) in table {
            assert_eq!(kind(reply).as_deref(), Some(expected), "{reply}");
        }
        assert_eq!(kind("Bring two forms of identification."), None);
    }

    #[test]
    fn spanish_is_understood_too() {
        let cues = Cues::load().unwrap();
        let asked = cues.asked("Gracias. ¿Dónde ocurrió?", Language::Es);
        assert_eq!(asked.kind.as_deref(), Some("where"));
        assert!(asked.is_question);
    }
}
