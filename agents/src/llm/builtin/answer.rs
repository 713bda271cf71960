//! Questions answered from the county's own documents, with the source named.

use pipeline::ports::Language;
use pipeline::turn::{Expectation, SegmentKind};

use super::questions::{MIN_RELEVANCE, in_english, points, subjects};
use super::state::{Pending, Topic};
use super::step::Passage;
use super::turn::Turn;
use crate::retriever::best_sentences;
use language::Ear;

/// Sentences in one answer.
const SENTENCES: usize = 3;
/// Below this an English page is not spoken of in Spanish.
const MIN_FOREIGN: f32 = 0.20;
/// Below this a Spanish page is not read out. Half the words searched for are English; what is found must share a
/// word of the subject besides.
const MIN_SPANISH: f32 = 0.30;

impl<'a> Turn<'a> {
    /// Reads out the best passage and asks what next.
    pub(super) fn answer(&mut self, text: &str) {
        match self.passage(text).cloned() {
            Some(passage) => self.answer_with(&passage, text),
            None => self.no_answer(text),
        }
    }

    /// A question that leaves its subject out is about the last answer's document, unless another one is
    /// clearly meant.
    pub(super) fn answer_on_topic(&mut self, text: &str) -> bool {
        let Some(passage) = self.on_topic(text) else { return false };
        self.answer_with(&passage, text);
        true
    }

    fn on_topic(&self, text: &str) -> Option<Passage> {
        let topic = &self.view.topic;
        let names_one = !subjects(self.ear, text).is_empty() && !points(self.ear, text);
        let other = self.passage(text).filter(|p| names_one && p.relevance >= 0.75);
        let first = topic.first().filter(|p| p.language() == self.state.language)?;
        if other.is_some_and(|o| o.source != first.source) {
            return None;
        }
        let read = &self.state.topic.as_ref()?.read;
        // Without a particular question the next part is wanted, not the same again.
        let fresh = topic.iter().find(|p| !read.contains(&beginning(&p.text)));
        Some(if self.ear.asks(text) { first } else { fresh.unwrap_or(first) }.clone())
    }

    fn answer_with(&mut self, passage: &Passage, text: &str) {
        self.read_out(passage, text);
        self.state.unanswered = 0;
        let offer = passage.front.offer.clone().filter(|task| self.script.task(task).is_some());
        match (&passage.front.follow_up, offer) {
            (Some(question), Some(task)) => {
                self.say_text(question, &[], SegmentKind::Reply, false);
                self.state.pending = Some(Pending::Offer(task));
                self.expects = Expectation::YesNo;
            }
            _ => self.anything_else(),
        }
        self.did("question", "answered");
    }

    fn read_out(&mut self, passage: &Passage, text: &str) {
        let answer = best_sentences(&passage.text, text, SENTENCES);
        let page = || match self.ear.0 {
            Language::En => format!("the {} page", passage.title),
            Language::Es => format!("la página {}", passage.title),
        };
        let source = passage.front.spoken.clone().unwrap_or_else(page);
        let mut capital = source.clone();
        if let Some(first) = capital.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let source_first = [("source", source.as_str()), ("Source", &capital), ("answer", &answer)];
        self.say_with("source", &source_first);
        self.note.sources.push(passage.source.clone());
        let same = self.state.topic.take().filter(|t| t.source == passage.source);
        let mut topic = same.unwrap_or_else(|| Topic { source: passage.source.clone(), read: Vec::new() });
        topic.read.push(beginning(&passage.text));
        self.state.topic = Some(topic);
    }

    /// Honest about not knowing; short scraps count as not understood.
    pub(super) fn no_answer(&mut self, text: &str) {
        let plain = self.ear.plain(text);
        if self.ear.terms(&plain).is_empty() || plain.split(' ').count() < 3 {
            return self.miss();
        }
        self.state.unanswered = self.state.unanswered.saturating_add(1);
        self.did("question", "had no answer");
        match self.state.unanswered {
            1 => self.ask_pending("no_answer", Pending::MessageOrPerson),
            2 => self.ask_pending("no_answer_again", Pending::Offer("person".to_owned())),
            _ => {
                // Several in a row: it is more likely that we do not understand each other.
                self.misses_before = self.misses_before.max(self.state.unanswered - 3);
                self.miss();
            }
        }
    }

    /// The best passage for a question in the conversation's language. The search model knows English only: what it
    /// takes for like in Spanish must share a word of the subject.
    pub(super) fn passage(&self, text: &str) -> Option<&'a Passage> {
        let language = self.state.language;
        let wanted = subjects(self.ear, text);
        let fits = |p: &&Passage| {
            p.language() == language && (language == Language::En || shares(self.ear, p, &wanted))
        };
        self.view.passages.iter().find(fits)
    }

    /// Below this a passage is not read out.
    pub(super) const fn least_relevance(&self) -> f32 {
        match self.ear.0 {
            Language::En => MIN_RELEVANCE,
            Language::Es => MIN_SPANISH,
        }
    }

    /// An English page that would answer a question in Spanish.
    pub(super) fn foreign(&self, text: &str) -> Option<&'a Passage> {
        if self.state.language == Language::En {
            return None;
        }
        let english = Ear(Language::En);
        let wanted = subjects(english, &in_english(text));
        let fits = |p: &&Passage| {
            p.language() == Language::En && p.relevance >= MIN_FOREIGN && shares(english, p, &wanted)
        };
        self.view.passages.iter().find(fits)
    }

    /// Says that the page is in English only, with the telephone number on it, and offers a person.
    pub(super) fn answer_foreign(&mut self, text: &str) {
        self.say_foreign(text);
        self.state.unanswered = 0;
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
        let found = self
            .on_topic(text)
            .or_else(|| self.passage(text).filter(|p| p.relevance >= self.least_relevance()).cloned());
        match found {
            Some(passage) => self.read_out(&passage, text),
            None if self.foreign(text).is_some() => self.say_foreign(text),
            None => self.say("no_answer_in_task"),
        }
        self.resume();
        self.did("question", "answered within a task");
    }
}

/// Whether a page holds one of these stems.
fn shares(ear: Ear, passage: &Passage, stems: &[String]) -> bool {
    let phrasings = passage.front.asked_as.join(" ");
    let page = ear.terms(&format!("{} {} {phrasings}", passage.title, passage.text));
    stems.iter().any(|stem| page.contains(stem))
}

/// The first telephone number in a text.
fn telephone(text: &str) -> Option<&str> {
    text.split(|c: char| !(c.is_ascii_digit() || c == '-')).find(|word| {
        let groups: Vec<usize> = word.split('-').map(str::len).collect();
        groups == [3, 3, 4]
    })
}

fn beginning(text: &str) -> String {
    text.chars().take(40).collect()
}
