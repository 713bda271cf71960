//! Carries out what was decided about an utterance with no question of ours before it.

use super::super::script::Does;
use super::super::state::{Pending, Topic};
use super::super::step::{Lookup, Passage};
use super::super::turn::Turn;
use super::clarify::Choice;
use super::decide::{Act, Known, Page, decide};
use super::margin::{MARGIN, MARGIN_BESIDE};
use super::pages::evidence;
use super::spoken::{self, Spoken};
use super::understood::Understood;
use language::open_days::{DayAsked, Relative, day_asked, days_named};

/// A page is on the subject at least from here on; whether it answers is another question.
const RELATED: f32 = 0.45;
/// What it is worth, as log odds, that the search found a page first. Of 1,075 English and 914 Spanish questions what was found
/// first is the right page of 85 and 75 %, and what is likeliest with this added of 87 and 79 %.
const FOUND_FIRST: f32 = 1.0;
/// Wishes served in one turn: two halves, what was put off, and as much again.
const MOST_OPENED: usize = 8;
/// So many words that name something tell of a matter.
const NAMED: usize = 2;

impl<'a> Turn<'a> {
    pub(in super::super) fn open(&mut self, text: &str) {
        // What is put off and taken up again, cut in two and turned over ends somewhere, whatever the words are.
        self.opened += 1;
        if self.opened > MOST_OPENED {
            self.state.later.clear();
            return self.miss("");
        }
        // "I said I don't want a call. How much is a couch?" asks, and wants no call.
        if let Some(rest) = self.beside_refused(text) {
            if !rest.is_empty() {
                return self.open(&rest);
            }
            if self.refuses_what_it_names(text) {
                self.say("declined");
                return self.anything_else();
            }
        }
        let whole = text == self.heard;
        let text = self.business(text);
        if whole {
            self.heard.clone_from(&text);
        }
        let text = text.as_str();
        if self.offers_to_move(text) {
            return;
        }
        if self.reports_beside_question(text)
            || self.serve_two_matters(text)
            || self.serve_two(text)
            || self.serve_wish_besides(text)
            || self.serve_parts(text)
        {
            return;
        }
        let heard = self.understand(text);
        let known = self.known(text, &heard);
        let mut act = decide(&heard, &known);
        // "Is this about Bulk Pickup?", where that is what was just spoken of, asks nothing.
        if act == Act::WhetherPage && self.is_of_topic(text) {
            act = Act::Answer;
        }
        // Hours that the last answer's page does not give are no reason to read the rest of it.
        let of_office = act == Act::Office && self.asks_office_of_topic(text);
        let unanswered = !of_office
            && matches!(
                act,
                Act::NoPage | Act::NotOnPage | Act::Office | Act::NotUnderstood | Act::WhetherPage
            );
        match unanswered.then(|| self.answered_otherwise(text)).flatten() {
            Some(found) => self.answer_with(&found.passage, &found.question),
            None => self.carry_out(&act, &heard, text),
        }
        if heard.names_subject {
            text.clone_into(&mut self.state.about);
        }
    }

    /// "I've got an inspection on Monday and can't make it": only a person moves what was booked before this call. What it costs
    /// is a question like others.
    fn offers_to_move(&mut self, text: &str) -> bool {
        let moves = self.script.acts.moves_booked(&self.ear.plain(text));
        let asks = self.ear.is_question(text) && !self.script.acts.facts.asked(text).is_empty();
        if !moves || asks {
            return false;
        }
        self.did("booking", "cannot move it");
        self.ask_pending("cannot_move", Pending::Offer("person".to_owned()));
        text.clone_into(&mut self.state.offered_for);
        true
    }

    fn carry_out(&mut self, act: &Act, heard: &Understood, text: &str) {
        match act {
            Act::Do => match heard.wants.first().map(|want| want.does.clone()) {
                Some(Does::Task(id)) if id == "incident" && self.records_what_was_told(text) => {
                    let told = self.state.about.clone();
                    self.begin_told(&id, &told, text);
                }
                Some(Does::Task(id)) => self.start_task(&id, text),
                Some(Does::Control(id)) => self.control(&id, text),
                None => self.miss(text),
            },
            Act::Answer => match self.best_page(text) {
                Some(passage) => self.answer_with(&passage, text),
                None => self.no_page(text),
            },
            Act::OnTopic => match self.on_topic(text) {
                Some(passage) => self.answer_with(&passage, text),
                None => self.no_page(text),
            },
            Act::NotOnPage => self.not_on_page(text),
            Act::Foreign => self.answer_foreign(text),
            Act::Office => self.control("office", text),
            Act::WhichPage(one, other) => self.which_page(text, &[*one, *other]),
            Act::WhetherPage => self.which_page(text, &[0]),
            Act::TaskOrPage(task) => {
                let page = self.pages(text).first().map(|page| Choice::page(page));
                let choices = std::iter::once(Choice::Task(task.clone())).chain(page).collect();
                self.ask_which_of(choices, text);
            }
            Act::WhichTask(one, other) => {
                let tasks = [Some(one), other.as_ref()].into_iter().flatten();
                self.ask_which_of(tasks.map(|id| Choice::Task(id.clone())).collect(), text);
            }
            Act::GoOn => self.anything_else(),
            Act::Report => self.start_task("incident", text),
            Act::NoPage => self.no_page(text),
            Act::NotUnderstood => self.miss(text),
        }
    }

    /// "I just want it wrote down", after something was told and not taken for a report: that is what it is about.
    fn records_what_was_told(&self, text: &str) -> bool {
        let about = &self.state.about;
        let nothing_new = self.matter(text).is_none()
            && self.subjects(text).len() < NAMED
            && self.matter_told(text).is_empty();
        nothing_new && !about.is_empty() && !self.ear.is_question(about)
    }

    // ------------------------------------------------------------ what is known

    fn known(&mut self, text: &str, heard: &Understood) -> Known {
        // What the last answer's page does not tell of its office is the main office's to tell.
        let topic = if self.asks_office_of_topic(text) {
            self.office_of_topic(text).map(|_| true)
        } else {
            self.leans(text).then(|| self.on_topic(text).is_some())
        };
        let pages = self.judged(text);
        let answers = pages.first().is_some_and(|page| page.sure >= MARGIN);
        let office_of_page = if heard.asks_office { self.gives_office(text, &pages) } else { None };
        Known {
            foreign: heard.names_subject && !answers && self.foreign(text).is_some(),
            office_of_page: office_of_page == Some(true),
            office_not_on_page: office_of_page == Some(false),
            pages,
            after_answer: self.state.topic.is_some(),
            talk: topic.is_none() && self.is_talk(text),
            topic,
            asked_back: self.asked_back,
        }
    }

    /// "What's the number for animal control?": whether the one page of that name gives it. `None` where none is named, or two are.
    fn gives_office(&mut self, text: &str, pages: &[Page]) -> Option<bool> {
        let named = |n: usize| pages.get(n).is_some_and(|page| page.office);
        if !named(0) || named(1) {
            return None;
        }
        let best = self.pages(text).first().copied()?;
        let asked = self.script.acts.facts.asked(text);
        let part = self.part_that_answers(best, text);
        Some(self.script.acts.facts.given(&asked, &part.text).is_some_and(|share| share > 0.0))
    }

    /// The pages in the conversation's language, each judged; the one that was just turned down is none.
    fn judged(&mut self, text: &str) -> Vec<Page> {
        let pages = self.pages(text);
        let subjects = self.subjects(text);
        let judged = evidence(&self.script.acts, self.ear, text, &subjects, &pages);
        let beside = self.script.acts.facts.beside_office(text);
        let beside = if beside == text { Vec::new() } else { self.subjects(&beside) };
        let page = |(evidence, passage): (super::margin::Evidence, &&Passage)| {
            let names = self.ear.terms(&self.ear.plain(&format!(
                "{} {}",
                passage.title,
                passage.front.asked_as.join(" ")
            )));
            let all = |stems: &[String]| {
                (1..=2).contains(&stems.len()) && stems.iter().all(|stem| names.contains(stem))
            };
            Page {
                sure: evidence.sure(),
                named: all(&subjects),
                office: all(&beside),
                relevance: passage.relevance,
            }
        };
        judged.into_iter().zip(&pages).map(page).collect()
    }

    /// Passages that may answer, in the conversation's language, the likeliest first. Where only words tell, one in Spanish must
    /// share a word of the subject, or translate a page that does.
    pub(in super::super) fn pages(&mut self, text: &str) -> Vec<&'a Passage> {
        let (language, ear) = (self.state.language, self.ear);
        let wanted = self.subjects(text);
        let rejected = self.rejected.clone();
        let originals = self.in_other_words(text);
        let translates = |p: &Passage| originals.iter().any(|page| p.front.is_translation_of(&page.source));
        let fits = |p: &&Passage| {
            p.language() == language
                && Some(&p.source) != rejected.as_ref()
                && (language == pipeline::ports::Language::En
                    || p.paraphrase.is_some()
                    || translates(p)
                    || super::super::answer::shares(ear, p, &wanted))
        };
        let found: Vec<&'a Passage> = self.looked_up(text, None).0.iter().filter(fits).collect();
        let judged = evidence(&self.script.acts, ear, text, &wanted, &found);
        let first = |n: usize| if n == 0 { FOUND_FIRST } else { 0.0 };
        let odds = judged.iter().enumerate().map(|(n, evidence)| evidence.log_odds() + first(n));
        let mut pages: Vec<(f32, &'a Passage)> = odds.zip(found).collect();
        pages.sort_by(|one, other| other.0.total_cmp(&one.0));
        pages.into_iter().map(|(_, page)| page).collect()
    }

    /// The best page, where it really answers.
    pub(in super::super) fn passage(&mut self, text: &str) -> Option<&'a Passage> {
        self.passage_from(MARGIN, text)
    }

    /// The best page for what is asked within an answer of a task, where a page read in vain is in the way of what is told.
    pub(in super::super) fn passage_beside(&mut self, text: &str) -> Option<&'a Passage> {
        self.passage_from(MARGIN_BESIDE, text)
    }

    fn passage_from(&mut self, margin: f32, text: &str) -> Option<&'a Passage> {
        let sure = self.judged(text).first().is_some_and(|page| page.sure >= margin);
        let named = !self.subjects(text).is_empty();
        let best = self.pages(text).first().copied().filter(|_| sure && named)?;
        Some(self.part_that_answers(best, text))
    }

    /// Whether the likeliest page is the one that the last answer was read from.
    fn is_of_topic(&mut self, text: &str) -> bool {
        let topic = self.state.topic.as_ref().map(|topic| topic.source.clone());
        topic.is_some() && self.pages(text).first().map(|page| &page.source) == topic.as_ref()
    }

    fn best_page(&mut self, text: &str) -> Option<Passage> {
        let best = self.pages(text).first().copied()?;
        Some(self.part_that_answers(best, text).clone())
    }

    /// The part of a page that gives what is asked for, where the one that was found does not: the search knows what a
    /// question is like, and not that it asks when.
    fn part_that_answers(&mut self, found: &'a Passage, text: &str) -> &'a Passage {
        let asked = self.script.acts.facts.asked(text);
        let gives = |passage: &Passage| self.script.acts.facts.given(&asked, &passage.text).unwrap_or(1.0);
        if gives(found) > 0.0 {
            return found;
        }
        let language = found.language();
        let parts = self.looked_up(text, Some(&found.source)).1.iter();
        let parts: Vec<&Passage> = parts.filter(|part| part.language() == language).collect();
        let best = parts
            .into_iter()
            .max_by(|a, b| gives(a).total_cmp(&gives(b)).then(a.relevance.total_cmp(&b.relevance)));
        best.filter(|part| gives(part) > gives(found)).unwrap_or(found)
    }

    /// What a search found: of the turn's own words before the step, of others on request. Nothing on the first try.
    pub(in super::super) fn looked_up(
        &mut self,
        text: &str,
        within: Option<&str>,
    ) -> (&'a [Passage], &'a [Passage]) {
        let view = self.view;
        if text == self.whole && within.is_none() {
            return (&view.passages, &view.topic);
        }
        let mut search = self.dialogue.search(&self.state, text);
        if let Some(source) = within {
            search.within = Some(source.to_owned());
        }
        match view.searched.iter().find(|searched| searched.search == search) {
            Some(searched) => (&searched.found, &searched.within),
            None => {
                self.wants = Some(Lookup::Pages(search));
                (&[], &[])
            }
        }
    }

    // ------------------------------------------------------------ speaking a page

    /// Speaks what answers, and asks what next.
    pub(in super::super) fn answer_with(&mut self, passage: &Passage, text: &str) {
        if self.was_just_said(passage, text) {
            if !self.gives_what_is_asked(passage, text) {
                return self.said_all(text);
            }
            self.say("here_again");
        }
        self.tell_page(passage, text);
        self.state.unanswered = 0;
        self.did("question", "answered");
        let offer = passage.front.offer.clone().filter(|task| self.script.task(task).is_some());
        match (&passage.front.follow_up, offer) {
            _ if !self.state.later.is_empty() => self.anything_else(),
            (Some(question), Some(task)) => {
                self.say_text(question, &[], pipeline::turn::SegmentKind::Reply, false);
                // "Our street light has been out for two weeks": what happened is told by then.
                let tells = !self.ear.is_question(text) && self.script.about(&task, text).is_some();
                self.state.offered_for = if tells { text.to_owned() } else { String::new() };
                self.state.pending = Some(Pending::Offer(task));
                self.expects = pipeline::turn::Expectation::YesNo;
            }
            _ => self.more_or_else(),
        }
    }

    /// "Would you like more on that?", where there is more.
    fn more_or_else(&mut self) {
        if self.state.topic.as_ref().is_some_and(|topic| !topic.rest.is_empty()) {
            self.ask_pending("more_on_that", Pending::MoreOnPage);
        } else {
            self.anything_else();
        }
    }

    /// The one or two sentences that answer. The rest of the passage is kept for "more".
    pub(in super::super) fn tell_page(&mut self, passage: &Passage, text: &str) {
        self.asks_served = true;
        let subjects = self.subjects(text);
        let day = day_asked(self.ear, text, self.view.now.date());
        let weekday = day.map(|day| day.weekday);
        let Spoken { said, rest } =
            spoken::spoken(&self.script.acts, self.ear, passage, text, &subjects, weekday);
        // Hours are told by days of the week; whoever asks for today may not have its name in mind.
        let named = day.filter(|_| days_named(self.ear, &said).is_some_and(|days| days.contains(&false)));
        if let Some(DayAsked { weekday, relative: Some(relative) }) = named {
            let key = match relative {
                Relative::Today => "today_is",
                Relative::Tomorrow => "tomorrow_is",
            };
            self.say_with(key, &[("day", language::open_days::spoken(self.ear, weekday))]);
        }
        if self.script.acts.leaves_safety_open(self.ear, text, &said) {
            self.say("cannot_say_safe");
        }
        self.tell_against_limit(text, &said);
        self.say_with("source", &[("answer", &said)]);
        self.note.sources.push(passage.source.clone());
        // "And on Sundays?" leaves out what the question before it named: the next one may lean on that again.
        let leans = !self.state.question.is_empty() && self.leans(text);
        let same = self.state.topic.take().filter(|topic| topic.source == passage.source);
        let mut topic = same.unwrap_or_else(|| Topic {
            source: passage.source.clone(),
            read: Vec::new(),
            rest: Vec::new(),
        });
        topic.rest = rest;
        topic.read.push(super::super::answer::beginning(&passage.text));
        self.state.topic = Some(topic);
        if !leans {
            text.clone_into(&mut self.state.question);
        }
    }

    /// "More": the next sentences of the passage.
    pub(in super::super) fn more_of_page(&mut self) {
        let Some(topic) = &mut self.state.topic else { return self.anything_else() };
        let Spoken { said, rest } = spoken::next(&topic.rest);
        topic.rest = rest;
        let source = topic.source.clone();
        if said.is_empty() {
            return self.anything_else();
        }
        self.say_with("source", &[("answer", &said)]);
        self.note.sources.push(source);
        self.did("question", "said more");
        self.more_or_else();
    }

    /// The number of the office that would know, where the subject is its own.
    pub(in super::super) fn number_of_related(&mut self, text: &str) -> Option<&'a str> {
        let wanted = self.subjects(text);
        let ear = self.ear;
        let page = self.pages(text).into_iter().next().filter(|p| p.relevance >= RELATED)?;
        let names = ear.terms(&ear.plain(&format!("{} {}", page.title, page.front.asked_as.join(" "))));
        wanted.iter().any(|stem| names.contains(stem)).then(|| super::super::answer::telephone(&page.text))?
    }

    /// What the words name.
    pub(in super::super) fn subjects(&self, text: &str) -> Vec<String> {
        self.ear.subjects(text)
    }
}
