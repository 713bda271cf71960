//! Questions that lean on the last answer ("and on Sundays?"): they are asked again with what they leave out, of its page first.

use language::Ear;
use language::leaning::{Before, Leaning, leaning};
use language::measures::Measure;

use super::super::answer::{beginning, telephone};
use super::super::step::Passage;
use super::super::turn::Turn;
use super::margin::Evidence;
use super::pages::evidence;
use super::said::Said;

/// From so much on a question leans.
const LEANS: f32 = 0.5;
/// So much leaves no other page a chance.
const SURELY: f32 = 0.9;
/// So relevant is a page that takes a question away from the last answer's.
const OTHER_PAGE: f32 = 0.75;
/// From so much on words ask nothing.
const TALK: f32 = 0.6;

/// So much less relevant is a part that was spoken before.
const SPOKEN: f32 = 0.2;
/// So much more relevant is a part that counts what the question counts.
const COUNTS: f32 = 0.5;
/// So many words that a question adds, and a part of the last answer's page holds, are asked about there.
const OUTRIGHT: usize = 2;
/// From so much on a part of the last answer's page is spoken.
const ANSWERS: f32 = 0.7;
/// Bias, what Spanish adds to it, and the weights of what speaks for the part: by the question alone, and with the one before it; each how sure
/// (as log odds) and how relevant. Learned from the 641 pairs of `pipeline/language/data/leaning/pairs.tsv` that lean and whose
/// first question finds its page: of those that the page answers 80 % are spoken, of those that no page answers 42 %, judged on
/// fifths that were left out.
const WEIGHTS: [f32; 6] = [1.70, -0.89, 0.35, 1.03, 0.20, 1.36];

impl<'a> Turn<'a> {
    /// Whether a question leaves its subject to the last answer, and no other page is clearly meant.
    pub(in super::super) fn leans(&mut self, text: &str) -> bool {
        let leaning = self.leaning(text);
        // "And if so, how much is it?" names nothing of its own.
        let bare = self.subjects(text).is_empty() && !self.script.acts.facts.asked(text).is_empty();
        if leaning.leans < LEANS && !(bare && self.state.topic.is_some()) && !self.takes_up_amount(text) {
            return false;
        }
        let Some(first) = self.topic_pages(text).first().map(|p| p.source.clone()) else { return false };
        let names_one = leaning.leans < SURELY && self.names_another(text);
        let other = self.pages(text).first().copied().filter(|p| names_one && p.relevance >= OTHER_PAGE);
        other.is_none_or(|other| other.source == first)
    }

    /// Whether words take up an amount of the last answer's page: "so is it the ten dollars then".
    fn takes_up_amount(&mut self, text: &str) -> bool {
        // "Not picked up in two weeks" tells something, whatever the page does in two weeks.
        let mut amounts = self.ear.measures(text);
        amounts.retain(|amount| !amount.unit.is_time());
        if amounts.is_empty() || self.state.topic.is_none() {
            return false;
        }
        let ear = self.ear;
        let said = |page: &&Passage| ear.measures(&page.text).iter().any(|given| amounts.contains(given));
        self.topic_pages(text).iter().any(said)
    }

    /// Whether words name what neither the last question nor its page holds.
    pub(in super::super) fn names_another(&mut self, text: &str) -> bool {
        let before = self.held_by_topic(text);
        self.subjects(text).iter().any(|stem| !before.contains(stem))
    }

    /// The same of more than one thing: what stands by itself.
    pub(in super::super) fn names_much_else(&mut self, text: &str) -> bool {
        let before = self.held_by_topic(text);
        self.subjects(text).iter().filter(|stem| !before.contains(stem)).count() >= OUTRIGHT
    }

    /// Whether a page answers that the last answer was not read from, or is clearly more about it.
    pub(in super::super) fn is_of_another_page(&mut self, text: &str) -> bool {
        let topic = self.state.topic.as_ref().map(|topic| topic.source.clone());
        let other = |page: &Passage| Some(&page.source) != topic.as_ref();
        self.passage(text).is_some_and(other)
            || self.pages(text).first().is_some_and(|page| other(page) && page.relevance >= OTHER_PAGE)
    }

    /// Whether words said after an answer ask nothing: thanks, surprise, a remark.
    pub(in super::super) fn is_talk(&mut self, text: &str) -> bool {
        self.leaning(text).talk >= TALK
    }

    fn leaning(&mut self, text: &str) -> Leaning {
        if self.state.topic.is_none() {
            return Leaning::default();
        }
        let (named, says) = self.spoken_before(text);
        if says.is_empty() {
            return Leaning::default();
        }
        leaning(self.ear, text, &Before::of(self.ear, &named, &says))
    }

    /// The last question with the names of its page, and what that page says.
    fn spoken_before(&mut self, text: &str) -> (String, String) {
        let pages = self.topic_pages(text);
        let Some(first) = pages.first() else { return Default::default() };
        let named = format!("{} {} {}", self.state.question, first.title, first.front.asked_as.join(" "));
        let says: Vec<&str> = pages.iter().map(|page| page.text.as_str()).collect();
        (named, says.join(" "))
    }

    /// The page that the last answer was read from, by its title.
    pub(in super::super) fn topic_title(&mut self, text: &str) -> Option<String> {
        self.topic_pages(text).first().map(|page| page.title.clone())
    }

    /// Stems of the last question and its page.
    pub(in super::super) fn held_by_topic(&mut self, text: &str) -> Vec<String> {
        let (named, says) = self.spoken_before(text);
        self.ear.terms(&self.ear.plain(&format!("{named} {says}")))
    }

    fn topic_pages(&mut self, text: &str) -> Vec<&'a Passage> {
        let language = self.state.language;
        let source = self.state.topic.as_ref().map(|topic| topic.source.clone());
        let within = if text == self.whole { None } else { source };
        self.looked_up(text, within.as_deref()).1.iter().filter(|p| p.language() == language).collect()
    }

    /// The part of that page which gives what is asked for. Without a particular question the next part is wanted, not the
    /// same again.
    pub(in super::super) fn on_topic(&mut self, text: &str) -> Option<Passage> {
        // Where its page does not tell, nothing else of it is the answer.
        if self.asks_office_of_topic(text) {
            return self.office_of_topic(text);
        }
        if !self.leans(text) {
            return None;
        }
        let pages = self.topic_pages(text);
        let asked = self.script.acts.facts.asked(text);
        if asked.is_empty() && self.subjects(text).is_empty() && !self.ear.is_question(text) {
            let read = self.state.topic.as_ref().map(|topic| topic.read.clone()).unwrap_or_default();
            let fresh = pages.iter().find(|p| !read.contains(&beginning(&p.text)));
            return fresh.or(pages.first()).map(|p| (*p).clone());
        }
        let whole = self.as_a_whole(text);
        let alone = self.best_of_topic(text);
        let (_, joined) = self.best_of_topic(&whole)?;
        let found = self.part_asked_for(text, &whole, &asked)?;
        let alone = alone.map(|(_, evidence)| evidence).unwrap_or_default();
        let answers = answers(alone, joined) >= ANSWERS || self.says_outright(found, text, &asked);
        answers.then(|| found.clone())
    }

    /// Whether a part holds what the question adds in so many words ("is there a waiting period"), or gives the kind of fact that it
    /// asks for and leaves the rest to the last answer ("and how much is it?").
    fn says_outright(&mut self, part: &Passage, text: &str, asked: &[usize]) -> bool {
        let given = self.script.acts.facts.given(asked, &part.text).is_some_and(|share| share > 0.0);
        if given && self.leaning(text).leans >= SURELY || counts_the_same(self.ear, text, part) {
            return true;
        }
        let before = self.ear.terms(&self.ear.plain(&format!("{} {}", self.state.question, part.title)));
        let says = self.ear.terms(&self.ear.plain(&part.text));
        let new = self.subjects(text).into_iter().filter(|stem| !before.contains(stem));
        new.filter(|stem| says.contains(stem)).count() >= OUTRIGHT
    }

    /// The part of the page that is most like the question, by itself and with the one before it, of those that give what is
    /// asked for. What was spoken already is less likely to be wanted.
    fn part_asked_for(&mut self, text: &str, whole: &str, asked: &[usize]) -> Option<&'a Passage> {
        let alone = self.topic_pages(text);
        let ear = self.ear;
        let facts = &self.script.acts.facts;
        let read = self.state.topic.as_ref().map(|topic| topic.read.clone()).unwrap_or_default();
        let of = |page: &Passage| {
            let own = alone.iter().find(|other| other.text == page.text).map_or(0.0, |own| own.relevance);
            let counts = if counts_the_same(ear, text, page) { COUNTS } else { 0.0 };
            let spoken = if read.contains(&beginning(&page.text)) { SPOKEN } else { 0.0 };
            page.relevance + own + counts - spoken
        };
        let gives = |page: &&Passage| facts.given(asked, &page.text).is_none_or(|share| share > 0.0);
        let pages = self.topic_pages(whole).into_iter().filter(gives);
        pages.max_by(|one, other| of(one).total_cmp(&of(other)))
    }

    /// "And where's that, and what time do they close?", right after an answer: what an office has is asked, and no other office is
    /// named.
    pub(in super::super) fn asks_office_of_topic(&mut self, text: &str) -> bool {
        // "I've got dialysis all week, so when's that office open on Saturdays": what is told beside it names nothing that is asked of.
        let asked = Said::of(text, self.ear.0).asked();
        let asked = if asked.is_empty() { text } else { &asked };
        if self.state.topic.is_none() || !self.script.acts.facts.of_office(asked) {
            return false;
        }
        let before = self.held_by_topic(text);
        let beside = self.script.acts.facts.beside_office(asked);
        self.subjects(&beside).iter().all(|stem| before.contains(stem))
    }

    /// "What time are you open on Saturday", right after an answer about the library: the part of its page that gives that.
    pub(in super::super) fn office_of_topic(&mut self, text: &str) -> Option<Passage> {
        self.state.topic.as_ref()?;
        let asked = self.script.acts.facts.asked(text);
        let facts = &self.script.acts.facts;
        let gives = |page: &&&'a Passage| facts.given(&asked, &page.text).is_some_and(|share| share >= 1.0);
        let pages = self.topic_pages(text);
        let own = pages.iter().filter(gives).max_by(|a, b| a.relevance.total_cmp(&b.relevance));
        own.map(|page| (**page).clone())
    }

    /// The number of the office that the last answer's page is of.
    pub(in super::super) fn number_on_topic(&mut self, text: &str) -> Option<String> {
        self.topic_pages(text).into_iter().find_map(|page| telephone(&page.text)).map(str::to_owned)
    }

    /// A question with the one before it, which names what it leaves out.
    fn as_a_whole(&self, text: &str) -> String {
        format!("{text} {}", self.state.question)
    }

    /// The best part of the page, and what speaks for it.
    fn best_of_topic(&mut self, text: &str) -> Option<(&'a Passage, Evidence)> {
        let pages = self.topic_pages(text);
        let subjects = self.subjects(text);
        let judged = evidence(&self.script.acts, self.ear, text, &subjects, &pages);
        Some((*pages.first()?, *judged.first()?))
    }
}

/// Whether a part of the page counts what the words count: feet, dollars. What takes time is said of most things.
fn counts_the_same(ear: Ear, text: &str, part: &Passage) -> bool {
    let given = ear.measures(&part.text);
    let counts = |asked: &Measure| {
        given.contains(asked) || !asked.unit.is_time() && given.iter().any(|other| other.unit == asked.unit)
    };
    ear.measures(text).iter().any(counts)
}

/// How sure (0–1) it is that the page answers a question that leans on it.
fn answers(alone: Evidence, joined: Evidence) -> f32 {
    let odds = |evidence: Evidence| {
        let sure = evidence.sure().clamp(0.001, 0.999);
        (sure / (1.0 - sure)).ln()
    };
    let spanish = f32::from(u8::from(joined.spanish));
    let figures = [1.0, spanish, odds(alone), alone.relevance, odds(joined), joined.relevance];
    let sum: f32 = figures.iter().zip(WEIGHTS).map(|(figure, weight)| figure * weight).sum();
    1.0 / (1.0 + (-sum).exp())
}
