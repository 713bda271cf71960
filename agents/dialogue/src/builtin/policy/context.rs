//! Questions that leave out what they are about ("How long until you fix it?", in a report of a street light), and those
//! that stand amid a story: the page is looked for with the subject that the caller named before, or by the question alone.

use super::super::script::SlotKind;
use super::super::step::Passage;
use super::super::turn::Turn;
use super::margin::ASK;
use super::pages::evidence;

/// Questions out of one utterance that are looked up by themselves.
const MAX_PARTS: usize = 2;

/// Words that name a subject, for a part to say what it is about.
const NAMES: usize = 2;

/// A page is on the subject from here on.
const RELATED: f32 = 0.45;

/// A page, and the words that it answers.
pub(in super::super) struct Answered {
    pub passage: Passage,
    pub question: String,
}

impl Turn<'_> {
    /// A page that answers, where the words as a whole find none.
    pub(in super::super) fn answered_otherwise(&mut self, text: &str) -> Option<Answered> {
        for part in self.asking_parts(text) {
            if let Some(passage) = self.passage(&part).cloned() {
                return Some(Answered { passage, question: part });
            }
        }
        self.in_context(text).or_else(|| {
            // "Both of us, huh? She works days. What's it cost?": the last of it asks.
            let asked = language::sentences(text).into_iter().rfind(|part| self.ear.is_question(part))?;
            (*asked != *text).then(|| self.in_context(&asked)).flatten()
        })
    }

    /// Sentences and clauses that ask something and name what about.
    fn asking_parts(&self, text: &str) -> Vec<String> {
        let asks = |part: &&str| {
            let asks = self.ear.is_question(part) || self.script.acts.wants_to_know(&self.ear.plain(part));
            asks && *part != text && self.subjects(part).len() >= NAMES
        };
        let sentences = text.split_inclusive(['.', '!', '?']).map(str::trim);
        let clauses = text.split_inclusive([',', '.', '!', '?', ';']).map(str::trim);
        let mut parts: Vec<String> = Vec::new();
        for part in sentences.chain(clauses).filter(asks) {
            let part = part.trim_end_matches(',').to_owned();
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.truncate(MAX_PARTS);
        parts
    }

    /// A page about what was spoken of before, which gives the kind of fact that is asked for now.
    fn in_context(&mut self, text: &str) -> Option<Answered> {
        let asked = self.script.acts.facts.asked(text);
        let before = self.spoken_of();
        let context = self.subjects(&before);
        let own = self.subjects(text);
        let leaves_out = self.state.task().is_some() || own.len() < NAMES;
        if asked.is_empty() || context.is_empty() || !leaves_out || !self.asks(text) {
            return None;
        }
        let question = format!("{text} {before}");
        for passage in self.pages(&question) {
            let names = format!("{} {}", passage.title, passage.front.asked_as.join(" "));
            let names = self.ear.terms(&self.ear.plain(&names));
            // Of what was spoken of before only what this page is about counts.
            let held: Vec<String> = context.iter().filter(|stem| names.contains(stem)).cloned().collect();
            let given = self.script.acts.facts.given(&asked, &passage.text).is_some_and(|share| share > 0.0);
            if held.is_empty() || !given {
                continue;
            }
            let subjects: Vec<String> = own.iter().chain(&held).cloned().collect();
            let judged = evidence(&self.script.acts, self.ear, text, &subjects, &[passage]);
            // Its name was spoken, and it gives what is asked: less is needed than of a page out of the blue.
            if judged.first().is_some_and(|evidence| evidence.sure() >= ASK || evidence.relevance >= RELATED)
            {
                return Some(Answered { passage: passage.clone(), question });
            }
        }
        None
    }

    fn asks(&self, text: &str) -> bool {
        self.ear.is_question(text) || self.ear.asks(text)
    }

    /// What the caller spoke of: of the task that is under way, or before.
    fn spoken_of(&self) -> String {
        let begun = self.state.task().or(self.state.done.as_ref().filter(|_| self.state.about.is_empty()));
        let Some((task, script)) = begun.and_then(|task| Some((task, self.script.task(&task.id)?))) else {
            return self.state.about.clone();
        };
        let told = script.slots.iter().filter(|slot| matches!(slot.kind, SlotKind::Story | SlotKind::Text));
        let told: Vec<&str> =
            told.filter_map(|slot| Some(task.slots.get(&slot.id)?.value.as_str())).collect();
        format!("{} {}", script.spoken, told.join(" "))
    }
}
