//! Two wishes in one breath: the first is served, the second is remembered, said to be, and taken up after it.

use super::super::intent::by_cue;
use super::super::questions::requests;
use super::super::script::Does;
use super::super::state::MAX_LATER;
use super::super::turn::Turn;
use super::matters::REPORT;
use super::said::{Said, Wished};
use language::opening::Kind;

/// Words of a subject that a second wish must name of its own.
const NAMES: usize = 1;

impl Turn<'_> {
    /// Cuts words in two where both parts ask for something, and serves the first. `false` when they hold one wish.
    pub(in super::super) fn serve_two(&mut self, text: &str) -> bool {
        if self.state.later.len() >= MAX_LATER {
            return false;
        }
        let two = |(one, other): &(String, String)| self.stand_alone(one, other);
        let joined = self.script.acts.halves(self.ear, text).find(two);
        let Some((one, other)) = joined.or_else(|| self.two_questions(text)) else { return false };
        let from = self.out.len();
        let before = self.state.later.len();
        self.state.later.insert(0, other.clone());
        self.open(&one);
        // Not taken up in this very reply: say that it is kept.
        if self.state.later.len() > before {
            self.promise_later(&other, from);
        }
        true
    }

    /// Cuts words where their parts are different wishes, and serves the first. `false` when they hold one.
    pub(in super::super) fn serve_parts(&mut self, text: &str) -> bool {
        let wishes = Said::of(text, self.ear.0).wishes();
        let [one, rest @ ..] = wishes.as_slice() else { return false };
        if rest.is_empty() || self.state.later.len() + rest.len() > MAX_LATER {
            return false;
        }
        let plain = self.ear.plain(text);
        let asks = wishes.iter().any(|wished| wished.kind == Kind::Ask);
        let several = self.script.acts.says_several(&plain) || asks && self.script.acts.says_also(&plain);
        let mut before = one;
        for other in rest {
            if !self.are_apart(before, other, several) {
                return false;
            }
            before = other;
        }
        let from = self.out.len();
        let count = self.state.later.len();
        for (at, other) in rest.iter().enumerate() {
            self.state.later.insert(at, other.with_why.clone());
        }
        if one.kind == Kind::Tell {
            self.start_task(REPORT, &one.with_why);
        } else {
            self.open(&one.with_why);
        }
        if self.state.later.len() == count + rest.len() {
            self.promise_later(&rest[0].with_why, from);
        }
        true
    }

    /// Whether two parts are two things to do. `several`: the caller says that there are.
    fn are_apart(&mut self, one: &Wished, other: &Wished, several: bool) -> bool {
        // What is told belongs to what stands before it, unless it is elsewhere, or said to be another thing.
        let apart = |turn: &Self, told: &Wished| {
            turn.matter(&told.words).is_some() && (several || turn.is_elsewhere(&told.words))
        };
        // "I need to know how much it is" asks.
        let kind = |wished: &Wished| match wished.kind {
            Kind::Want if self.script.acts.wants_to_know(&self.ear.plain(&wished.words)) => Kind::Ask,
            kind => kind,
        };
        match (kind(one), kind(other)) {
            (Kind::Tell, Kind::Tell) => {
                let differ = self.matter(&one.words) != self.matter(&other.words);
                differ && self.matter(&one.words).is_some() && apart(self, other)
            }
            (Kind::Ask, Kind::Ask) => self.asks_apart(&one.words, &other.words),
            // "There's a pothole, when will you fix it" is asked of the report.
            (Kind::Tell, Kind::Ask) => {
                let told = self.subjects(&one.words);
                let asked = self.subjects(&other.words);
                let tells = several || self.script.acts.tells(&self.ear.plain(&one.words));
                tells
                    && asked.iter().filter(|stem| !told.contains(stem)).count() >= NAMES
                    // Who says that there are two is heard out, whatever we have of the second.
                    && (several || self.matter(&one.words).is_some() && self.passage(&other.words).is_some())
            }
            (Kind::Ask, Kind::Tell) => apart(self, other) && self.passage(&one.words).is_some(),
            (Kind::Ask, Kind::Want) => {
                self.wants_task(other, &["person"]) && self.passage(&one.words).is_some()
            }
            (Kind::Want, Kind::Ask) => self.wants_task(one, &[]) && self.passage(&other.words).is_some(),
            (Kind::Tell, Kind::Want) => {
                several && self.wants_task(other, &["person", REPORT]) && self.matter(&one.words).is_some()
            }
            (Kind::Want, Kind::Tell) => self.wants_task(one, &["person", REPORT]) && apart(self, other),
            (Kind::Want, Kind::Want) => self.stand_alone(&one.words, &other.words),
            (Kind::Back, _) | (_, Kind::Back) => false,
        }
    }

    /// Whether a task is wanted, and none of these.
    fn wants_task(&self, wished: &Wished, but: &[&str]) -> bool {
        matches!(self.wish(&wished.words), Some(Wish::Task(id)) if !but.contains(&id.as_str()))
    }

    /// Whether two questions have answers of their own: on two pages, or of two kinds of fact; or the second leans on the first,
    /// as "what happens if I'm a week late" does.
    fn asks_apart(&mut self, one: &str, other: &str) -> bool {
        let page = |turn: &mut Self, words: &str| turn.passage(words).map(|page| page.source.clone());
        let Some(first) = page(self, one) else { return false };
        page(self, other).is_none_or(|second| {
            let facts = &self.script.acts.facts;
            let (one, other) = (facts.asked(one), facts.asked(other));
            second != first || (!one.is_empty() && !other.is_empty() && one != other)
        })
    }

    /// Two questions one after the other, each in a sentence of its own, that different pages answer.
    fn two_questions(&mut self, text: &str) -> Option<(String, String)> {
        let ends: Vec<usize> = text.match_indices("? ").map(|(at, _)| at + 1).collect();
        for end in ends {
            let (one, other) = (text[..end].trim(), text[end..].trim());
            // The sign alone makes no question: "On Sunday?" goes with what was asked.
            let asks = |part: &str| self.ear.is_question(part.trim_end_matches('?'));
            if !asks(one) || !asks(other) || !self.stand_alone(one, other) {
                continue;
            }
            let page = |turn: &mut Self, part: &str| turn.passage(part).map(|page| page.source.clone());
            if let (Some(first), Some(second)) = (page(self, one), page(self, other))
                && first != second
            {
                return Some((one.to_owned(), other.to_owned()));
            }
        }
        None
    }

    /// Whether each part asks for something of its own.
    fn stand_alone(&self, one: &str, other: &str) -> bool {
        match (self.wish(one), self.wish(other)) {
            (Some(Wish::Task(one)), Some(Wish::Task(other))) => one != other,
            (Some(_), Some(_)) => true,
            _ => false,
        }
    }

    fn wish(&self, text: &str) -> Option<Wish> {
        let plain = self.ear.plain(text);
        if self.script.acts.refuses(&plain) {
            return None;
        }
        let asks = self.ear.is_question(text) && !requests(self.ear, text);
        let asks = asks || self.script.acts.wants_to_know(&plain);
        let subject = !self.subjects(text).is_empty();
        match by_cue(self.script, text).map(|found| &found.intent.does) {
            Some(Does::Task(id)) => Some(Wish::Task(id.clone())),
            Some(Does::Control(id)) if id == "office" || id == "clock" => Some(Wish::Question),
            _ if asks && subject => Some(Wish::Question),
            _ => None,
        }
    }

    /// Says before anything else of this reply that the other wish comes after.
    fn promise_later(&mut self, other: &str, from: usize) {
        let rest = self.out.split_off(from.min(self.out.len()));
        match self.task_named(other) {
            Some(spoken) => self.say_with("then_task", &[("task", &spoken)]),
            None => self.say("then_question"),
        }
        self.out.extend(rest);
    }

    fn task_named(&self, text: &str) -> Option<String> {
        match self.wish(text) {
            Some(Wish::Task(id)) => self.script.task(&id).map(|task| task.spoken.clone()),
            _ => None,
        }
    }

    /// Takes up what was asked for beside what is done now. `false` when there is nothing.
    pub(in super::super) fn take_up(&mut self) -> bool {
        if self.state.later.is_empty() || !self.state.tasks.is_empty() {
            return false;
        }
        let text = self.state.later.remove(0);
        let from = self.out.len();
        match self.task_named(&text) {
            _ if self.is_matter(&text) => {
                self.say("now_matter");
                self.start_task(REPORT, &text);
                return true;
            }
            Some(spoken) => self.say_with("now_task", &[("task", &spoken)]),
            None => self.say("now_question"),
        }
        // "…and I have an old couch, do you pick that up" is about the couch, though "that" could be of the answer before it.
        if self.names_another(&text) && (self.is_of_another_page(&text) || self.names_much_else(&text)) {
            self.state.topic = None;
        }
        self.open(&text);
        // The same answer twice in one breath answers nothing.
        let (before, after) = self.out.split_at(from.min(self.out.len()));
        if after.iter().any(|say| before.iter().any(|said| said.text == say.text)) {
            self.out.truncate(from);
            self.anything_else();
        }
        true
    }
}

/// What one part asks for.
enum Wish {
    Task(String),
    Question,
}
