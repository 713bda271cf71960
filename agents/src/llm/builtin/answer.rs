//! Questions answered from the county's own documents, with the source named.

use pipeline::turn::{Expectation, SegmentKind};

use super::engine::{MIN_RELEVANCE, points, subject};
use super::hear::words::plain;
use super::state::{Pending, Topic};
use super::step::Passage;
use super::turn::Turn;
use crate::retriever::{best_sentences, terms};

/// Sentences in one answer.
const SENTENCES: usize = 3;

impl Turn<'_> {
    /// Reads out the best passage and asks what next.
    pub(super) fn answer(&mut self, text: &str) {
        let Some(passage) = self.view.passages.first().cloned() else { return self.no_answer(text) };
        self.answer_with(&passage, text);
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
        let plain = plain(text);
        let names_one = subject(&plain) > 0 && !points(&plain);
        let other = self.view.passages.first().filter(|p| names_one && p.relevance >= 0.75);
        let first = topic.first()?;
        if other.is_some_and(|o| o.source != first.source) {
            return None;
        }
        let read = &self.state.topic.as_ref()?.read;
        // Without a particular question the next part is wanted, not the same again.
        let fresh = topic.iter().find(|p| !read.contains(&beginning(&p.text)));
        Some(if crate::retriever::asks(text) { first } else { fresh.unwrap_or(first) }.clone())
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
        let source = passage.front.spoken.clone().unwrap_or_else(|| format!("the {} page", passage.title));
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
        if terms(&plain(text)).is_empty() || plain(text).split(' ').count() < 3 {
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

    /// A question in the middle of a task: answered, and the task goes on.
    pub(super) fn digress(&mut self, text: &str) {
        let found = self
            .on_topic(text)
            .or_else(|| self.view.passages.first().filter(|p| p.relevance >= MIN_RELEVANCE).cloned());
        match found {
            Some(passage) => self.read_out(&passage, text),
            None => self.say("no_answer_in_task"),
        }
        self.resume();
        self.did("question", "answered within a task");
    }
}

fn beginning(text: &str) -> String {
    text.chars().take(40).collect()
}
