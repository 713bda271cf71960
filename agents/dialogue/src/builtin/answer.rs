//! Questions in the middle of something, and pages in another language. How a page is chosen and spoken: `policy`.

use pipeline::ports::Language;

use super::state::Pending;
use super::state::Stage;
use super::step::Passage;
use super::turn::Turn;
use language::Ear;
use language::spanish::glossary;

/// Below this an English page is not spoken of in Spanish.
const MIN_FOREIGN: f32 = 0.20;

impl<'a> Turn<'a> {
    /// An English page that would answer a question in Spanish, and is there in English alone.
    pub(super) fn foreign(&mut self, text: &str) -> Option<&'a Passage> {
        let found = self.looked_up(text, None).0;
        let alone = |p: &&Passage| !found.iter().any(|other| other.front.is_translation_of(&p.source));
        self.in_other_words(text).into_iter().find(alone)
    }

    /// English pages that would answer a question in Spanish.
    pub(super) fn in_other_words(&mut self, text: &str) -> Vec<&'a Passage> {
        if self.state.language == Language::En {
            return Vec::new();
        }
        let english = Ear(Language::En);
        let wanted = english.subjects(&glossary::in_english(text).unwrap_or_default());
        let fits = |p: &&Passage| {
            p.language() == Language::En && p.relevance >= MIN_FOREIGN && shares(english, p, &wanted)
        };
        self.looked_up(text, None).0.iter().filter(fits).collect()
    }

    /// Says that the page is in English only, with the telephone number on it, and offers a person.
    pub(super) fn answer_foreign(&mut self, text: &str) {
        text.clone_into(&mut self.state.misheard);
        self.state.unanswered = self.state.unanswered.saturating_add(1);
        // Who asks the same once more was not helped by hearing that it is in English.
        if self.state.unanswered > 2 {
            return self.bring_in_person();
        }
        self.say_foreign(text);
        self.ask_pending("foreign_offer", Pending::Offer("person".to_owned()));
        self.did("question", "had the answer in another language only");
    }

    fn say_foreign(&mut self, text: &str) {
        let Some(passage) = self.foreign(text) else { return };
        self.note.sources.push(passage.source.clone());
        match telephone(&passage.text) {
            Some(number) => self.say_with("foreign_phone", &[("number", number)]),
            None => self.say("foreign"),
        }
    }

    /// A question in the middle of a task: answered, and the task goes on.
    pub(super) fn digress(&mut self, text: &str) {
        self.asks_served = true;
        let found = self.on_topic(text).or_else(|| self.passage(text).cloned());
        let otherwise = if found.is_none() { self.answered_otherwise(text) } else { None };
        match (found, otherwise) {
            (Some(passage), _) => self.tell_page(&passage, text),
            (None, Some(found)) => self.tell_page(&found.passage, &found.question),
            (None, None) if self.foreign(text).is_some() => self.say_foreign(text),
            (None, None) => self.say("no_answer_in_task"),
        }
        // What was read back is read again only because something else was asked.
        self.task_mut(|task| {
            if task.stage == Stage::Confirm {
                task.uncount("confirm");
            }
        });
        self.resume();
        self.did("question", "answered within a task");
    }
}

/// Whether a page holds one of these stems.
pub(super) fn shares(ear: Ear, passage: &Passage, stems: &[String]) -> bool {
    let phrasings = passage.front.everyday();
    let page = ear.terms(&format!("{} {} {phrasings}", passage.title, passage.text));
    stems.iter().any(|stem| page.contains(stem))
}

/// The first telephone number in a text.
pub(super) fn telephone(text: &str) -> Option<&str> {
    text.split(|c: char| !(c.is_ascii_digit() || c == '-')).find(|word| {
        let groups: Vec<usize> = word.split('-').map(str::len).collect();
        groups == [3, 3, 4]
    })
}

/// By this a passage is known again.
pub(super) fn beginning(text: &str) -> String {
    text.chars().take(40).collect()
}
