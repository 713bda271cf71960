//! What an utterance was understood as: what the caller may want, how sure that is, and in which manner it was said.

use super::super::intent::{Recognised, by_cue, recognise};
use super::super::questions::requests;
use super::super::script::{Does, Script};
use super::super::turn::Turn;
use super::said::Said;
use language::intents::{Head as Reader, NONE, QUESTION, Understood as Head};

/// The intent of whoever wants a person, or to be called.
const PERSON: &str = "person";
/// From so much on a part of the words, by itself, wants that.
const WISHED: f32 = 0.6;
/// From so much on the head is sure that the words ask something.
const SURE: f32 = 0.75;

/// Something the caller may want.
#[derive(Clone, PartialEq, Debug)]
pub struct Want {
    /// Of the intent.
    pub id: String,
    pub does: Does,
    /// 0–1.
    pub sure: f32,
    /// From here on the intent may be acted upon.
    pub enough: f32,
    /// By a turn of phrase, which leaves no doubt.
    pub by_cue: bool,
    /// Holds even in the form of a question that a page could answer.
    pub firm: bool,
}

impl Want {
    /// Whether it is sure enough to be acted upon.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.by_cue || self.sure >= self.enough
    }

    #[must_use]
    pub const fn task(&self) -> Option<&String> {
        match &self.does {
            Does::Task(id) => Some(id),
            Does::Control(_) => None,
        }
    }
}

/// An utterance with no question of ours before it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Understood {
    /// Best first.
    pub wants: Vec<Want>,
    /// In the form of a question, and no request.
    pub asks: bool,
    /// Asks for what an office has: an address, a number, hours.
    pub asks_office: bool,
    /// Names what it is about.
    pub names_subject: bool,
    /// Tells of something that is wrong somewhere.
    pub tells: bool,
    /// Tells it, in words that leave no doubt, and asks nothing.
    pub told: bool,
    pub words: usize,
    /// The recogniser is not sure of the words.
    pub unsure: bool,
    /// Names a street with its house number, or a corner: somebody is to come there.
    pub placed: bool,
    /// Tells of somebody who was hurt: that goes on record.
    pub harmed: bool,
}

impl Turn<'_> {
    /// "I was hoping somebody could give me a call, it's about my bill, it's three times what it was": what is wanted stands in a part
    /// of the words, and the story around it is about something that a page tells of.
    fn wants_person(&self, said: &Said, wants: &[Want], head: &Head) -> Option<Want> {
        let open = wants.first().is_none_or(|first| !first.by_cue && (first.id == PERSON || !first.holds()));
        let elsewhere =
            head.want().is_some_and(|want| ![QUESTION, NONE, PERSON].contains(&want.route.as_str()));
        if !open || elsewhere {
            return None;
        }
        let intent = self.script.intents.iter().find(|intent| intent.id == PERSON)?;
        let reader = Reader::shipped().ok()?;
        let at = reader.routes().iter().position(|route| route == PERSON)?;
        let sure = said.wished().map(|words| reader.read(words, self.ear.0, false, None).0[at]);
        let sure = sure.fold(0.0, f32::max);
        (sure >= WISHED).then(|| Want {
            id: intent.id.clone(),
            does: intent.does.clone(),
            sure,
            enough: WISHED,
            by_cue: true,
            firm: true,
        })
    }

    /// The one place that reads what an utterance was taken for.
    pub(in super::super) fn understand(&self, text: &str) -> Understood {
        let (ear, plain) = (self.ear, self.ear.plain(text));
        // What the head took the words for is known of the whole utterance only, or of its business.
        let head = if text == self.heard { self.head.clone() } else { Head::default() };
        // A clogged sink at home is nothing of the county's, however much it is told like a report.
        let at_home = self.script.emergencies.nuisance(text) && by_cue(self.script, text).is_none();
        let mut wants = wants(self.script, text, &head);
        let said = Said::of(text, ear.0);
        if let Some(person) = self.wants_person(&said, &wants, &head) {
            wants.retain(|want| want.id != person.id);
            wants.insert(0, person);
        }
        // "You skipped my trash again, what am I paying for" tells; "the property tax, when's that due" asks.
        let told = !at_home
            && self.script.acts.tells(&plain)
            && (said.only_tells() || !(said.asks() || said.wants() || ear.is_question(text)));
        let begins = wants.first().is_some_and(|want| want.by_cue && want.task().is_some());
        wants.retain(|want| !at_home || want.task().is_none_or(|task| task != "incident"));
        Understood {
            wants,
            // A story may end in the question that it is told for.
            asks: !told
                && ((ends_in_question(ear, text) && !requests(ear, text))
                    || head.wants(QUESTION) >= SURE
                    || (said.asks() && ear.asks(text) && !begins)),
            asks_office: ear.asks(text) && self.script.acts.facts.of_office(text),
            names_subject: !self.subjects(text).is_empty(),
            tells: told
                || (self.script.acts.tells(&plain)
                    && !ear.is_question(text)
                    && !self.script.emergencies.nuisance(text)),
            told,
            words: plain.split_whitespace().count(),
            unsure: self.unsure,
            placed: ear.address(text).is_some(),
            harmed: self.harmed,
        }
    }
}

/// Whether the words, or the last sentence of them, ask.
fn ends_in_question(ear: language::Ear, text: &str) -> bool {
    let last = text.trim().rsplit(['.', '!']).map(str::trim).find(|part| !part.is_empty());
    ear.is_question(text) || last.is_some_and(|last| ear.is_question(last))
}

/// What may be wanted, best first: what is recognised, then what the head holds possible, unless it takes the words for a
/// question or for nothing.
fn wants(script: &Script, text: &str, head: &Head) -> Vec<Want> {
    let want = |found: Recognised<'_>, enough: f32| Want {
        id: found.intent.id.clone(),
        does: found.intent.does.clone(),
        sure: found.score,
        enough,
        by_cue: found.by_cue,
        firm: found.intent.firm,
    };
    let first = recognise(script, text, head).map(|found| want(found, found.score));
    let possible = head.want().is_some_and(|want| want.route != QUESTION && want.route != NONE);
    let others = head.wants.iter().filter(|_| possible).filter_map(|wanted| {
        let intent = script.intents.iter().find(|intent| intent.id == wanted.route)?;
        Some(want(Recognised { intent, score: wanted.score, by_cue: false }, 1.0))
    });
    let id = first.as_ref().map(|first| first.id.clone());
    first.into_iter().chain(others.filter(|other| Some(&other.id) != id.as_ref())).collect()
}
