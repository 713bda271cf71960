//! How a caller steers the talk, told from the words. The one place that says which act an utterance is.

use std::collections::BTreeMap;

use regex::{Regex, RegexSet};
use serde::Deserialize;

use super::super::script::ScriptError;
use super::facts::{FactText, Facts};
use language::Ear;

/// What somebody who says this feels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Feeling {
    Anger,
    Distress,
}

/// What an utterance does to the talk. A rest is what is left to be served, in the caller's own writing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Steer {
    /// Asks, tells or answers: no more than its words.
    None,
    /// A wrong number.
    Leave,
    /// "No, I mean the dog license."
    Meant(String),
}

/// Turns of phrase of one language.
#[derive(Debug)]
pub struct Acts {
    insult: RegexSet,
    anger: RegexSet,
    distress: RegexSet,
    sorry: RegexSet,
    refuses: RegexSet,
    calls_off: RegexSet,
    no_calls: RegexSet,
    /// What only sounds like it, and is left out first.
    not_no_calls: Vec<Regex>,
    no_notes: RegexSet,
    /// The same, to find where each ends.
    refusals: Vec<Regex>,
    /// What asks for another one, and begins as a refusal does.
    asks_for_others: RegexSet,
    subject_instead: Vec<Regex>,
    asks_after: RegexSet,
    booked: RegexSet,
    moves: RegexSet,
    leaving: RegexSet,
    meant: Vec<Regex>,
    joint: Vec<Regex>,
    another: Vec<Regex>,
    also: Vec<Regex>,
    needs: RegexSet,
    several: Vec<Regex>,
    both: RegexSet,
    neither: RegexSet,
    question: RegexSet,
    more: RegexSet,
    tells: RegexSet,
    to_know: RegexSet,
    because: Vec<Regex>,
    talk_now: RegexSet,
    asks_safety: RegexSet,
    claim: RegexSet,
    lacks_number: RegexSet,
    says_safety: RegexSet,
    /// What a task is called where we ask whether it is meant.
    pub about: BTreeMap<String, String>,
    pub facts: Facts,
}

#[derive(Deserialize)]
struct Text {
    insult: Vec<String>,
    anger: Vec<String>,
    distress: Vec<String>,
    sorry: Vec<String>,
    refuses: Vec<String>,
    calls_off: Vec<String>,
    no_calls: Vec<String>,
    not_no_calls: Vec<String>,
    asks_for_others: Vec<String>,
    no_notes: Vec<String>,
    subject_instead: Vec<String>,
    asks_after: Vec<String>,
    booked: Vec<String>,
    moves: Vec<String>,
    leaving: Vec<String>,
    meant: Vec<String>,
    joint: Vec<String>,
    another: Vec<String>,
    also: Vec<String>,
    needs: Vec<String>,
    several: Vec<String>,
    both: Vec<String>,
    neither: Vec<String>,
    question: Vec<String>,
    more: Vec<String>,
    tells: Vec<String>,
    to_know: Vec<String>,
    because: Vec<String>,
    talk_now: Vec<String>,
    asks_safety: Vec<String>,
    claim: Vec<String>,
    lacks_number: Vec<String>,
    says_safety: Vec<String>,
    about: BTreeMap<String, String>,
    #[serde(rename = "fact")]
    facts: Vec<FactText>,
}

impl Acts {
    /// # Errors
    /// When the text is not what it should be, or a pattern is broken; the message names it.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let text: Text = toml::from_str(text)
            .map_err(|e| ScriptError::Syntax { file: "acts.toml", message: e.to_string() })?;
        let broken = |name: &str, e: &regex::Error| ScriptError::Pattern(name.to_owned(), e.to_string());
        let set = |name: &str, all: &[String]| RegexSet::new(all).map_err(|e| broken(name, &e));
        let each = |name: &str, all: &[String]| {
            all.iter().map(|one| Regex::new(one).map_err(|e| broken(name, &e))).collect::<Result<Vec<_>, _>>()
        };
        Ok(Self {
            insult: set("insult", &text.insult)?,
            anger: set("anger", &text.anger)?,
            distress: set("distress", &text.distress)?,
            sorry: set("sorry", &text.sorry)?,
            refuses: set("refuses", &text.refuses)?,
            calls_off: set("calls_off", &text.calls_off)?,
            no_calls: set("no_calls", &text.no_calls)?,
            not_no_calls: each("not_no_calls", &text.not_no_calls)?,
            no_notes: set("no_notes", &text.no_notes)?,
            refusals: each("refuses", &text.refuses)?,
            asks_for_others: set("asks_for_others", &text.asks_for_others)?,
            subject_instead: each("subject_instead", &text.subject_instead)?,
            asks_after: set("asks_after", &text.asks_after)?,
            booked: set("booked", &text.booked)?,
            moves: set("moves", &text.moves)?,
            leaving: set("leaving", &text.leaving)?,
            meant: each("meant", &text.meant)?,
            joint: each("joint", &text.joint)?,
            another: each("another", &text.another)?,
            also: each("also", &text.also)?,
            needs: set("needs", &text.needs)?,
            several: each("several", &text.several)?,
            both: set("both", &text.both)?,
            neither: set("neither", &text.neither)?,
            question: set("question", &text.question)?,
            more: set("more", &text.more)?,
            tells: set("tells", &text.tells)?,
            to_know: set("to_know", &text.to_know)?,
            because: each("because", &text.because)?,
            talk_now: set("talk_now", &text.talk_now)?,
            asks_safety: set("asks_safety", &text.asks_safety)?,
            claim: set("claim", &text.claim)?,
            lacks_number: set("lacks_number", &text.lacks_number)?,
            says_safety: set("says_safety", &text.says_safety)?,
            about: text.about,
            facts: Facts::compile(&text.facts)?,
        })
    }

    /// What the utterance does. Only whole turns of phrase count: a story may hold such words by chance.
    #[must_use]
    pub fn steer(&self, ear: Ear, text: &str) -> Steer {
        let plain = ear.plain(text);
        let rest = |patterns: &[Regex]| {
            let end = patterns.iter().find_map(|pattern| pattern.find(&plain)).map(|found| found.end())?;
            Some(after(ear, text, &plain, end)).filter(|rest| !ear.terms(&ear.plain(rest)).is_empty())
        };
        if self.leaving.is_match(&plain) {
            Steer::Leave
        } else if let Some(rest) = rest(&self.meant) {
            Steer::Meant(rest)
        } else {
            Steer::None
        }
    }

    /// Whether words, plain, are of a claim.
    #[must_use]
    pub fn names_claim(&self, plain: &str) -> bool {
        self.claim.is_match(plain)
    }

    /// Whether somebody who was asked for a number says that they have none: "I don't have the letter".
    #[must_use]
    pub fn lacks_number(&self, plain: &str) -> bool {
        self.lacks_number.is_match(plain)
    }

    /// Whether it is asked if something does harm.
    #[must_use]
    pub fn asks_safety(&self, plain: &str) -> bool {
        self.asks_safety.is_match(plain)
    }

    /// Whether it is asked if something does harm, and what is said of it does not tell.
    #[must_use]
    pub fn leaves_safety_open(&self, ear: Ear, question: &str, said: &str) -> bool {
        self.asks_safety.is_match(&ear.plain(question)) && !self.says_safety.is_match(&ear.plain(said))
    }

    /// Whether whoever talks with a person wants no notes taken of it.
    #[must_use]
    pub fn wants_no_notes(&self, ear: Ear, text: &str) -> bool {
        self.no_notes.is_match(&ear.plain(text))
    }

    /// Whether whoever we called wants no more calls, in a clause of what they say or in the whole. Words that only sound like it
    /// hide no others.
    #[must_use]
    pub fn wants_no_calls(&self, ear: Ear, text: &str) -> bool {
        let said = |text: &str| {
            let mut plain = ear.plain(text);
            for harmless in &self.not_no_calls {
                plain = harmless.replace_all(&plain, " ").into_owned();
            }
            let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
            self.no_calls.is_match(&plain)
        };
        let ends = [',', '.', '!', '?', ';', ':', '¡', '¿'];
        said(text) || text.contains(ends) && text.split(ends).any(said)
    }

    /// What a callback is about instead, in the caller's own writing: "no, it's about a flu shot".
    #[must_use]
    pub fn subject_instead<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.subject_instead.iter().find_map(|pattern| Some(pattern.captures(text)?.get(1)?.as_str().trim()))
    }

    /// Whether it is asked what became of something: "now what about the light".
    #[must_use]
    pub fn asks_after(&self, plain: &str) -> bool {
        self.asks_after.is_match(plain)
    }

    /// Where a second wish begins, as two texts. The first of several joints.
    pub fn halves<'t>(&'t self, ear: Ear, text: &'t str) -> impl Iterator<Item = (String, String)> + 't {
        let plain = ear.plain(text);
        let lead = self.lead(&plain);
        let mut cuts: Vec<(usize, usize)> = self
            .joint
            .iter()
            .flat_map(|joint| joint.captures_iter(&plain))
            .filter_map(|found| Some((found.get(0)?.start(), found.get(1)?.end())))
            .filter(|(start, _)| *start >= lead)
            .collect();
        cuts.sort_unstable();
        cuts.into_iter().map(move |(start, end)| {
            let one = before(ear, text, &plain, start);
            let own = ear.plain(&one);
            (after(ear, &one, &own, lead.min(own.len())), after(ear, text, &plain, end))
        })
    }

    /// Whether the words say that there are several things, or another one.
    #[must_use]
    pub fn says_several(&self, plain: &str) -> bool {
        self.several.iter().chain(&self.another).any(|pattern| pattern.is_match(plain))
    }

    /// Whether plain words say "also".
    pub fn says_also(&self, plain: &str) -> bool {
        self.also.iter().any(|pattern| pattern.is_match(plain))
    }

    /// How much of plain words only says that there are several things.
    fn lead(&self, plain: &str) -> usize {
        self.several.iter().find_map(|lead| lead.find(plain)).map_or(0, |found| found.end())
    }

    /// Where a second thing that is wrong may begin, as two texts, and whether it is said to be another one. Whoever says beforehand that
    /// there are several may join them by a bare "and".
    pub fn matters<'t>(
        &'t self,
        ear: Ear,
        text: &'t str,
    ) -> impl Iterator<Item = (String, String, bool)> + 't {
        let plain = ear.plain(text);
        let lead = self.lead(&plain);
        let all = |patterns: &[Regex], said: bool| {
            let found = patterns.iter().flat_map(|pattern| pattern.find_iter(&plain));
            found.map(|found| (found.start(), found.end(), said)).collect::<Vec<_>>()
        };
        // "And the other is" says more than the "and" of "Fourth and Birch".
        let mut cuts = all(&self.another, true);
        cuts.extend(all(&self.also, lead > 0));
        if lead > 0 {
            let and = format!(" {} ", ear.cues().says.and);
            cuts.extend(plain.match_indices(&and).map(|(at, _)| (at, at + and.len(), true)));
        }
        cuts.retain(|(start, ..)| *start >= lead);
        cuts.into_iter().map(move |(start, end, said)| {
            let one = before(ear, text, &plain, start);
            let own = ear.plain(&one);
            (after(ear, &one, &own, lead.min(own.len())), after(ear, text, &plain, end), said)
        })
    }

    #[must_use]
    pub fn feeling(&self, plain: &str) -> Option<Feeling> {
        if self.distress.is_match(plain) {
            Some(Feeling::Distress)
        } else if self.anger.is_match(plain) {
            Some(Feeling::Anger)
        } else {
            None
        }
    }

    #[must_use]
    pub fn insults(&self, plain: &str) -> bool {
        self.insult.is_match(plain)
    }

    /// Whether a reply feels with the caller already.
    #[must_use]
    pub fn sympathises(&self, reply: &str) -> bool {
        self.sorry.is_match(&reply.to_lowercase())
    }

    #[must_use]
    pub fn takes_both(&self, plain: &str) -> bool {
        self.both.is_match(plain)
    }

    #[must_use]
    pub fn takes_neither(&self, plain: &str) -> bool {
        self.neither.is_match(plain)
    }

    /// Whether the words will not have what was begun or offered: "I don't want a report, I'm asking who pays".
    #[must_use]
    pub fn refuses(&self, plain: &str) -> bool {
        // "You don't have anything Thursday?" asks.
        self.refuses.is_match(plain) && !self.asks_for_others.is_match(plain)
    }

    /// Whether a call that was asked for is wanted no more: "no need to call then".
    #[must_use]
    pub fn calls_off(&self, plain: &str) -> bool {
        self.calls_off.is_match(plain)
    }

    /// What is said beside a refusal, in its own writing: "do I need a permit" of "I don't want a message, I have a
    /// question, do I need a permit". Empty where nothing else is.
    #[must_use]
    pub fn beside_refusal(&self, ear: Ear, text: &str) -> String {
        let mut parts = Vec::new();
        for part in text.split_inclusive(['.', '!', '?', ',']).map(str::trim) {
            let plain = ear.plain(part);
            let refused = self.refusals.iter().flat_map(|pattern| pattern.find_iter(&plain));
            let end = refused.map(|found| found.end()).max();
            let rest = end.map_or_else(|| part.to_owned(), |end| after(ear, part, &plain, end));
            if !ear.terms(&ear.plain(&rest)).is_empty() {
                parts.push(rest);
            }
        }
        parts.join(" ")
    }

    /// Whether an appointment that there is already is to be moved or given up.
    #[must_use]
    pub fn moves_booked(&self, plain: &str) -> bool {
        self.booked.is_match(plain)
    }

    /// Whether the caller wants another time for what is booked.
    #[must_use]
    pub fn moves(&self, plain: &str) -> bool {
        self.moves.is_match(plain)
    }

    /// "A question", where that was one of two.
    #[must_use]
    pub fn names_question(&self, plain: &str) -> bool {
        self.question.is_match(plain)
    }

    #[must_use]
    pub fn wants_more(&self, plain: &str) -> bool {
        self.more.is_match(plain)
    }

    /// "Need a new recycling bin", of which the speaker was left before.
    #[must_use]
    pub fn needs_something(&self, plain: &str) -> bool {
        self.needs.is_match(plain)
    }

    /// Whether the words wish to know something, without the form of a question.
    #[must_use]
    pub fn wants_to_know(&self, plain: &str) -> bool {
        self.to_know.is_match(plain)
    }

    /// Whether a person is wanted at once, and no callback.
    #[must_use]
    pub fn wants_now(&self, plain: &str) -> bool {
        self.talk_now.is_match(plain)
    }

    /// What a call is wanted for, behind "because" or "it's about". Empty where neither is said.
    #[must_use]
    pub fn because(&self, ear: Ear, text: &str) -> String {
        let plain = ear.plain(text);
        let end = self.because.iter().filter_map(|lead| lead.find(&plain)).map(|found| found.end()).min();
        end.map(|end| after(ear, text, &plain, end)).unwrap_or_default()
    }

    /// Whether something is told that is wrong somewhere.
    #[must_use]
    pub fn tells(&self, plain: &str) -> bool {
        self.tells.is_match(plain)
    }
}

/// The words of a text behind this much of its plain form.
fn after(ear: Ear, text: &str, plain: &str, at: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words[cut(ear, &words, &plain[..at])..].join(" ")
}

fn before(ear: Ear, text: &str, plain: &str, at: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words[..cut(ear, &words, &plain[..at])].join(" ")
}

/// How many written words make up this much of the plain form: one may be two there, or none.
fn cut(ear: Ear, words: &[&str], plain: &str) -> usize {
    let gone = plain.split_whitespace().count();
    let mut counted = 0;
    words
        .iter()
        .take_while(|word| {
            let short = counted < gone;
            counted += ear.plain(word).split_whitespace().count();
            short
        })
        .count()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use pipeline::ports::Language;

    use super::super::super::script::Script;
    use super::*;

    fn steers(language: Language, text: &str) -> Steer {
        Script::front_desk(language).unwrap().acts.steer(Ear(language), text)
    }

    #[test]
    fn wrong_numbers_and_what_was_meant_are_known() {
        assert_eq!(steers(Language::En, "Oh, sorry, wrong number."), Steer::Leave);
        assert_eq!(steers(Language::Es, "Perdón, número equivocado."), Steer::Leave);
        assert_eq!(steers(Language::En, "You have the wrong number on my bill"), Steer::None);
        assert_eq!(
            steers(Language::En, "No, I mean the dog license."),
            Steer::Meant("the dog license.".to_owned())
        );
        assert_eq!(
            steers(Language::Es, "No, me refiero a la licencia de perro."),
            Steer::Meant("la licencia de perro.".to_owned())
        );
    }

    #[test]
    fn two_wishes_are_cut_where_the_second_begins() {
        let script = Script::front_desk(Language::En).unwrap();
        let halves: Vec<_> = script
            .acts
            .halves(
                Ear(Language::En),
                "I need an inspection, and I also need to know how long the permit takes.",
            )
            .collect();
        assert_eq!(
            halves,
            [(
                "I need an inspection,".to_owned(),
                "I also need to know how long the permit takes.".to_owned()
            )]
        );
    }
}
