//! One question back, with what was understood: "Is this about business licenses, or dog licenses?"

use serde::{Deserialize, Serialize};

use super::super::intent::by_cue;
use super::super::script::Does;
use super::super::state::Pending;
use super::super::step::Passage;
use super::super::turn::Turn;
use language::{Ear, YesNo, repair};

/// An answer of so few words completes what was asked about.
const FEW: usize = 4;
/// Content words that an answer may hold beside those of a choice.
const BESIDE: usize = 2;

/// So few words say no and hardly anything else.
const SHORT: usize = 3;
/// Content words that two sentences share when they say the same.
const SHARED: usize = 2;

/// One of the things that may be meant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    Task(String),
    Page {
        source: String,
        title: String,
    },
    /// Something to ask, whatever it is.
    Question,
}

impl Choice {
    pub(in super::super) fn page(page: &Passage) -> Self {
        Self::Page { source: page.source.clone(), title: page.title.clone() }
    }
}

/// What an answer to such a question picks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Picked {
    One(usize),
    Both,
    None,
    /// Yes, where there were two.
    Unclear,
    /// It is no answer to it.
    Other,
}

/// Reads the answer: "the first", "both", words of one, yes or no. `names` are the choices as they were said.
#[must_use]
pub fn picked(ear: Ear, text: &str, names: &[String], both: bool, neither: bool) -> Picked {
    if both && names.len() > 1 {
        return Picked::Both;
    }
    // "Marriage? No, voting": what comes behind the no.
    let (words, tail) = (ear.plain(text), ear.plain(behind_no(ear, text)));
    // "Libraries? No, the marriage license": the only one is asked back, and turned down.
    let echoed = text.split_inclusive(['?', '.', ',']).next().is_some_and(|first| first.ends_with('?'));
    let counts = (names.len() > 1 || echoed) && !ear.terms(&tail).is_empty();
    let said = ear.terms(if counts { &tail } else { &words });
    let terms: Vec<Vec<String>> = names.iter().map(|name| ear.terms(&ear.plain(name))).collect();
    // Words that all of the names share tell none of them.
    let own = |n: usize| {
        let others =
            |term: &String| terms.iter().enumerate().any(|(m, other)| m != n && other.contains(term));
        terms[n].iter().filter(|term| said.contains(term) && !others(term)).count()
    };
    // What says much more than a name is no answer to the question, but a wish of its own.
    let beside = said.iter().filter(|term| !terms.iter().flatten().any(|name| name == *term)).count();
    // Whoever says the whole name of the only choice means it, whatever else they say; so does who says one of two word for word.
    let plain = ear.plain(text);
    let whole = |n: usize| match names.len() {
        1 => !terms[n].is_empty() && own(n) == terms[n].len(),
        _ => plain.contains(&ear.plain(&names[n])),
    };
    let refused = ear.yes_no(text) == Some(YesNo::No);
    let hits: Vec<usize> = (0..names.len())
        .map(|n| if beside > BESIDE && (refused || !whole(n)) { 0 } else { own(n) })
        .collect();
    let best = hits.iter().copied().max().unwrap_or(0);
    let mut leaders = (0..names.len()).filter(|n| hits[*n] == best && best > 0);
    if let (Some(one), None) = (leaders.next(), leaders.next()) {
        return Picked::One(one);
    }
    if neither {
        return Picked::None;
    }
    if names.len() > 1
        && let Some(n) = ear.choice(text, names.len())
    {
        return Picked::One(n);
    }
    // "Yeah, about that" is a yes too.
    let bare = |answer: &YesNo| ear.is_bare_yes_no(text) || (*answer == YesNo::Yes && names.len() == 1);
    match ear.yes_no(text).filter(bare) {
        Some(YesNo::Yes) if names.len() == 1 => Picked::One(0),
        Some(YesNo::Yes) => Picked::Unclear,
        Some(YesNo::No) => Picked::None,
        None => Picked::Other,
    }
}

/// What follows a no that is not the first word; all of it where there is none.
fn behind_no(ear: Ear, text: &str) -> &str {
    let mut clauses =
        text.char_indices().filter(|(_, c)| matches!(c, '?' | '.' | ',' | '!')).map(|(at, _)| at + 1);
    let begins = |at: &usize| {
        let first = text[*at..].split([',', '.', '!', '?']).next().unwrap_or_default().trim();
        let word = first.split(' ').next().unwrap_or_default();
        ear.is_bare_yes_no(word) && ear.yes_no(word) == Some(YesNo::No)
    };
    clauses.find(begins).map_or(text, |at| &text[at..])
}

impl Turn<'_> {
    pub(in super::super) fn which_page(&mut self, text: &str, which: &[usize]) {
        let pages = self.pages(text);
        let choices = which.iter().filter_map(|n| pages.get(*n)).map(|page| Choice::page(page)).collect();
        self.ask_which_of(choices, text);
    }

    /// Asks which of one or two things is meant. What was said is kept: the answer serves it.
    pub(in super::super) fn ask_which_of(&mut self, choices: Vec<Choice>, text: &str) {
        text.clone_into(&mut self.state.question);
        self.put_choice("clarify", choices);
        self.did("request", "asked which is meant");
    }

    fn put_choice(&mut self, key: &str, choices: Vec<Choice>) {
        let names = self.names(&choices);
        match names.as_slice() {
            [one] => self.say_with("clarify_one", &[("first", one)]),
            [one, other, ..] => {
                self.say_with(key, &[("first", one), ("second", other)]);
            }
            [] => return self.miss(""),
        }
        self.expects = pipeline::turn::Expectation::Open;
        self.state.pending = Some(Pending::Which(choices));
    }

    /// How each choice is called.
    pub(in super::super) fn names(&self, choices: &[Choice]) -> Vec<String> {
        let about = &self.script.acts.about;
        let name = |choice: &Choice| match choice {
            Choice::Task(id) => about.get(id).cloned().unwrap_or_default(),
            Choice::Page { title, .. } => title.clone(),
            Choice::Question => about.get("question").cloned().unwrap_or_default(),
        };
        choices.iter().map(name).collect()
    }

    /// The answer to "is it this, or that?". `false` when it is none.
    pub(in super::super) fn resolves(&mut self, choices: &[Choice], text: &str) -> bool {
        let plain = self.ear.plain(text);
        let acts = &self.script.acts;
        let names = self.names(choices);
        let (both, neither) = (acts.takes_both(&plain), acts.takes_neither(&plain));
        let question = choices.iter().position(|choice| *choice == Choice::Question);
        if let Some(n) = question.filter(|_| acts.names_question(&plain)) {
            self.take_choice(&choices[n], text);
            return true;
        }
        // "Okay, and where do I take old paint?" goes on to something else, whatever it begins with.
        if let Some(question) = self.asks_anew(choices, text) {
            // "Well, yes, tearing down a barn. What does that run?": it is asked of the page that was meant.
            let before = text.split_once(question.as_str()).map_or("", |(before, _)| before).trim();
            if let [page @ Choice::Page { .. }] = choices
                && picked(self.ear, before, &names, both, neither) == Picked::One(0)
            {
                self.state.question = format!("{question} {}", self.state.question);
                self.take_choice(page, &question);
                return true;
            }
            self.asked_back = true;
            self.open(&question);
            return true;
        }
        match picked(self.ear, text, &names, both, neither) {
            // "Yeah, the street light, I just want to tell somebody it's out" wishes for more than the page.
            Picked::One(n) if self.wishes_beyond(&choices[n], text) => {
                self.asked_back = true;
                return false;
            }
            Picked::One(n) => self.take_choice(&choices[n], text),
            Picked::Both => {
                self.state.later.insert(0, names[1].clone());
                self.take_choice(&choices[0], "");
            }
            Picked::Unclear if self.misses_before == 0 => {
                self.state.misses = 1;
                self.put_choice("clarify_again", choices.to_vec());
            }
            // It was asked, and no page that we thought of is about it: what is left is offered.
            Picked::None if choices.iter().all(|choice| matches!(choice, Choice::Page { .. })) => {
                self.asked_back = true;
                let question = self.state.question.clone();
                self.no_page(&question);
            }
            Picked::None => self.say("then_what"),
            Picked::Unclear => self.miss(text),
            // Who says the same again wants what was understood.
            Picked::Other if choices.len() == 1 && self.says_again(text) && !self.begins_with_no(text) => {
                self.take_choice(&choices[0], text)
            }
            // "Goodness, not the sheriff. The building one."
            Picked::Other if choices.len() > 1 && self.left_by_denial(&names, text).is_some() => {
                if let Some(n) = self.left_by_denial(&names, text) {
                    self.take_choice(&choices[n], "");
                }
            }
            // "I don't know what you call it, do you come and get it": no no, and nothing else.
            Picked::Other if self.stays_with(choices, text) => {
                // A question of its own is asked of the page; what completes the one before is asked with it.
                self.state.question = if self.ear.is_question(text) {
                    text.to_owned()
                } else {
                    format!("{text} {}", self.state.question)
                };
                self.take_choice(&choices[0], text);
            }
            // "For my dog", where neither of two licenses was meant: that is what the first words left open.
            Picked::Other if choices.len() > 1 && self.completes(text) => {
                self.asked_back = true;
                let whole = format!("{} {text}", self.state.question);
                self.open(&whole);
            }
            // The next words are decided upon without asking back once more.
            Picked::Other => {
                self.asked_back = true;
                return false;
            }
        }
        true
    }

    /// The one choice that words name beside another that they deny.
    fn left_by_denial(&self, names: &[String], text: &str) -> Option<usize> {
        let terms = |text: &str| self.ear.terms(&self.ear.plain(text));
        let denied: Vec<String> =
            repair::denied(self.ear, text).iter().flat_map(|words| terms(words)).collect();
        let said = terms(&repair::without_denied(self.ear, text));
        let names: Vec<Vec<String>> = names.iter().map(|name| terms(name)).collect();
        let mut left = (0..names.len()).filter(|n| names[*n].iter().any(|term| said.contains(term)));
        let one = left.next().filter(|_| left.next().is_none())?;
        let others = (0..names.len()).filter(|n| *n != one);
        others.into_iter().any(|n| names[n].iter().any(|term| denied.contains(term))).then_some(one)
    }

    /// Whether words that say neither yes nor no to the one page that may be meant lead nowhere else.
    fn stays_with(&mut self, choices: &[Choice], text: &str) -> bool {
        let [Choice::Page { source, .. }] = choices else { return false };
        if self.begins_with_no(text) || by_cue(self.script, text).is_some() {
            return false;
        }
        let wants = self.understand(text).wants.iter().any(|want| want.task().is_some() && want.holds());
        let other = self.pages(text).first().is_some_and(|page| page.source != *source);
        let answered_elsewhere = other && self.passage(text).is_some();
        !(wants || answered_elsewhere)
    }

    /// Whether a reply says no before anything else. "I don't know what you call it" does not.
    fn begins_with_no(&self, text: &str) -> bool {
        let mut clauses = text.split_inclusive([',', '.', '!', '?']).map(str::trim);
        let first = clauses.next().unwrap_or_default();
        // "The clerk? No, where I pay my taxes": what is asked back comes before the no.
        let echoes = first.ends_with('?') && first.split_whitespace().count() <= SHORT;
        let first = if echoes { clauses.next().unwrap_or(first) } else { first };
        let first = first.trim_end_matches([',', '.', '!', '?']);
        // "What no, printing" does too.
        let bare = self.ear.is_bare_yes_no(first) || first.split_whitespace().count() <= SHORT;
        bare && self.ear.yes_no(first) == Some(YesNo::No)
    }

    /// A question that names what neither the page that may be meant nor the question before it does, and is answered elsewhere.
    fn asks_anew(&mut self, choices: &[Choice], text: &str) -> Option<String> {
        let [Choice::Page { source, title }] = choices else { return None };
        if !self.ear.is_question(text) || self.begins_with_no(text) {
            return None;
        }
        let before = self.ear.terms(&self.ear.plain(&format!("{title} {}", self.state.question)));
        let question = self.ear.without_fillers(text).to_owned();
        if self.subjects(&question).iter().all(|stem| before.contains(stem)) {
            return None;
        }
        let elsewhere = self.pages(&question).first().is_some_and(|page| page.source != *source);
        (elsewhere && self.passage(&question).is_some()).then_some(question)
    }

    /// Whether a few words name something, and ask for nothing by themselves.
    fn completes(&self, text: &str) -> bool {
        let few = text.split_whitespace().count() <= FEW && !self.subjects(text).is_empty();
        few && !self.ear.is_question(text) && by_cue(self.script, text).is_none()
    }

    /// Whether words that pick a page ask for a task.
    fn wishes_beyond(&self, choice: &Choice, text: &str) -> bool {
        let task = |found: &Does| matches!(found, Does::Task(_));
        matches!(choice, Choice::Page { .. })
            && by_cue(self.script, text).is_some_and(|found| task(&found.intent.does))
    }

    /// Whether the words are those that we asked back about, said once more.
    fn says_again(&self, text: &str) -> bool {
        let terms = |text: &str| self.ear.terms(&self.ear.plain(text));
        let (before, now) = (terms(&self.state.question), terms(text));
        let shared = now.iter().filter(|term| before.contains(term)).count();
        shared >= SHARED && shared * 5 >= before.len().min(now.len()) * 3
    }

    fn take_choice(&mut self, choice: &Choice, text: &str) {
        let question = self.state.question.clone();
        match choice {
            Choice::Task(id) => self.start_task(id, &question),
            // "Yes, a question about trash" is one already.
            Choice::Question if !self.subjects(text).is_empty() => self.open(text),
            Choice::Question => self.say("go_ahead"),
            Choice::Page { source, title } => {
                let (question, kept) = (format!("{question} {title}"), self.whole.clone());
                let pages = self.looked_up(&question, Some(source)).1;
                let asked = self.script.acts.facts.asked(&question);
                let asked = if asked.is_empty() { self.script.acts.facts.asked(text) } else { asked };
                let gives = |p: &&super::super::step::Passage| {
                    self.script.acts.facts.given(&asked, &p.text).is_none_or(|share| share > 0.0)
                };
                let found = pages.iter().find(gives).cloned();
                match found {
                    Some(passage) => self.answer_with(&passage, &question),
                    None => self.not_on_page(&kept),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pipeline::ports::Language;

    use super::*;

    #[test]
    fn the_answer_picks_one_by_place_by_words_or_by_yes() {
        let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let licenses = names(&["Business Licenses", "Dog Licenses"]);
        let one = names(&["reporting a problem"]);
        let jury = names(&["Jury Duty"]);
        let library = names(&["Libraries"]);
        let ear = Ear(Language::En);
        let table: &[(&str, &[String], Picked)] = &[
            ("The first one.", &licenses, Picked::One(0)),
            ("The second.", &licenses, Picked::One(1)),
            ("For my dog.", &licenses, Picked::One(1)),
            ("The business one, please.", &licenses, Picked::One(0)),
            ("A license.", &licenses, Picked::Other),
            ("Yes.", &licenses, Picked::Unclear),
            ("No.", &licenses, Picked::None),
            ("Yes.", &one, Picked::One(0)),
            ("Yeah, that's what I'm calling about.", &one, Picked::One(0)),
            ("My mother is eighty, except she has to do a jury duty.", &jury, Picked::One(0)),
            ("No, it's about the parking at jury duty downtown tomorrow.", &jury, Picked::Other),
            ("Libraries? No, the marriage license, how much is it?", &library, Picked::Other),
            ("No.", &one, Picked::None),
            ("What time do you close?", &licenses, Picked::Other),
            ("There's a problem with my water bill, it's too high.", &one, Picked::Other),
            ("I guess the dog licenses, I want it for two of them before June.", &licenses, Picked::One(1)),
        ];
        for (text, names, wanted) in table {
            assert_eq!(picked(ear, text, names, false, false), *wanted, "{text}");
        }
        let spanish = names(&["Recibos de agua", "Recolección de basura"]);
        let ear = Ear(Language::Es);
        assert_eq!(picked(ear, "La segunda.", &spanish, false, false), Picked::One(1));
        assert_eq!(picked(ear, "El del agua.", &spanish, false, false), Picked::One(0));
        assert_eq!(picked(ear, "Las dos.", &spanish, true, false), Picked::Both);
    }
}
