//! The decision itself: what was understood and what is known in, one act out. Pure, and small enough for a table.

use super::margin::{ASK, ASK_BESIDE, BESIDE, MARGIN};
use super::understood::{Understood, Want};

/// A task as likely as this or more is asked about rather than left out.
const LIKELY: f32 = 0.25;
/// A task this likely is begun though its words are a question about what was answered.
const CERTAIN: f32 = 0.95;
/// Two tasks are close when how likely they are differs by less.
const CLOSE: f32 = 0.10;
/// Two pages are close when how sure they are differs by less.
const CLOSE_PAGES: f32 = 0.3;
/// A page that is surer than this is spoken though the words were not heard clearly.
const CLEAR: f32 = 0.9;
/// A page this relevant is about the subject.
const OWN_PAGE: f32 = 0.45;
/// So many words with an address in them tell what is wrong there.
const TOLD_WITH_PLACE: usize = 10;
/// Shorter than this, words that fit nothing are noise.
const TELLING: usize = 4;

/// A page that may answer.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Page {
    /// 0–1.
    pub sure: f32,
    /// The caller's words name what this page is about, and no more.
    pub named: bool,
    /// The same, beside the words that ask for what an office has.
    pub office: bool,
    pub relevance: f32,
}

/// What is known when an utterance is to be decided upon.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Known {
    /// In the conversation's language, best first.
    pub pages: Vec<Page>,
    /// The question leans on the last answer: how well its page fits. `None`: it does not lean.
    pub topic: Option<bool>,
    /// Something was answered before: a question is about that rather than a wish for a task that no phrase of it names.
    pub after_answer: bool,
    /// Said after an answer, and asks nothing: thanks, surprise, a remark.
    pub talk: bool,
    /// What an office has is asked of the best page by its name, and a part of that page gives it.
    pub office_of_page: bool,
    /// The same, and no part of that page gives it.
    pub office_not_on_page: bool,
    /// A page in another language would answer.
    pub foreign: bool,
    /// One clarifying question in a row is enough.
    pub asked_back: bool,
}

/// What to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Act {
    /// Do what the first want says.
    Do,
    /// Speak the best page.
    Answer,
    /// Speak more of the page that the last answer was from.
    OnTopic,
    /// The page that is meant does not say this.
    NotOnPage,
    /// Say that the page is in another language.
    Foreign,
    /// Where and when the office is.
    Office,
    /// Ask which of these pages is meant.
    WhichPage(usize, usize),
    /// Ask whether the best page is meant.
    WhetherPage,
    /// Ask whether this task is meant, or the best page.
    TaskOrPage(String),
    /// Ask whether this task is meant, or which of two.
    WhichTask(String, Option<String>),
    /// Nothing was asked: go on.
    GoOn,
    /// Begin a report with what was told.
    Report,
    /// There is no page about this.
    NoPage,
    /// Nothing was understood.
    NotUnderstood,
}

/// What to do about an utterance with no question of ours before it. What hangs on words that were not heard clearly is
/// asked first, once.
#[must_use]
pub fn decide(heard: &Understood, known: &Known) -> Act {
    let act = decide_by_words(heard, known);
    if heard.unsure && !known.asked_back { asked_first(act, heard, known) } else { act }
}

fn asked_first(act: Act, heard: &Understood, known: &Known) -> Act {
    let by_cue = heard.wants.first().is_some_and(|want| want.by_cue);
    let task = heard.wants.first().and_then(Want::task);
    match act {
        Act::Answer if known.pages.first().is_some_and(|page| page.sure < CLEAR) => Act::WhetherPage,
        Act::Report => Act::WhichTask("incident".to_owned(), None),
        Act::Do if !by_cue => task.map_or(act, |task| Act::WhichTask(task.clone(), None)),
        Act::NoPage | Act::Foreign => Act::NotUnderstood,
        act => act,
    }
}

fn decide_by_words(heard: &Understood, known: &Known) -> Act {
    let first = heard.wants.first().filter(|want| want.holds());
    let by_cue = first.filter(|want| want.by_cue);
    let best = known.pages.first().copied().unwrap_or_default();
    let answers = best.sure >= MARGIN && heard.names_subject;
    // "Do I need an appointment?" right after an answer asks about that, and books none.
    let asks_on = |want: &&Want| heard.asks && !want.firm && want.task().is_some();
    if by_cue.as_ref().is_none_or(asks_on)
        && let Some(fits) = known.topic
    {
        return if fits { Act::OnTopic } else { Act::NotOnPage };
    }
    if let Some(want) = by_cue {
        // A question about a thing is answered; a request or a statement starts the task about it.
        let about = want.task().is_some() && heard.asks && !want.firm;
        return match (about, answers) {
            (true, true) => Act::Answer,
            (true, false) if known.foreign => Act::Foreign,
            _ => Act::Do,
        };
    }
    if (heard.harmed || heard.told) && !heard.asks {
        return Act::Report;
    }
    if known.talk && first.is_none() && !heard.asks {
        return Act::GoOn;
    }
    if let (Some(one), Some(other)) = (known.pages.first(), known.pages.get(1))
        && !known.asked_back
        && one.named
        && other.named
        && (one.sure - other.sure < CLOSE_PAGES || one.sure < CLEAR && other.sure >= ASK)
    {
        return Act::WhichPage(0, 1);
    }
    if known.office_not_on_page && first.is_none() {
        return Act::Office;
    }
    if (answers || known.office_of_page) && first.is_none_or(|want| outweighs(heard, want, best)) {
        return Act::Answer;
    }
    let asks_on =
        |want: &&Want| known.after_answer && heard.asks && want.task().is_some() && want.sure < CERTAIN;
    if first.is_some() && !first.as_ref().is_some_and(asks_on) {
        return Act::Do;
    }
    if !heard.names_subject && heard.asks_office {
        return Act::Office;
    }
    let own = heard.names_subject && !known.asked_back && best.relevance >= OWN_PAGE;
    // What is told is taken down, in whichever language a page about it is.
    let tells = heard.tells && heard.words >= TELLING;
    if known.foreign && !tells {
        // A page of the subject in the caller's own language is asked about before one in another is offered.
        return if own { Act::WhetherPage } else { Act::Foreign };
    }
    let may_ask = !known.asked_back;
    let page = may_ask && heard.names_subject && best.sure >= ASK;
    // "I have brush to burn, do I need some kind of paper?" asks, whatever it tells before.
    if tells && !(heard.asks && page) {
        return Act::Report;
    }
    match likely(heard).filter(|_| may_ask) {
        Some(Act::WhichTask(task, None)) if page => Act::TaskOrPage(task),
        Some(act) => act,
        None if page => match known.pages.get(1) {
            Some(next) if next.sure >= ASK_BESIDE && next.sure >= BESIDE * best.sure => Act::WhichPage(0, 1),
            _ => Act::WhetherPage,
        },
        // "Three weeks my trash has been sitting there, do I get a refund, I'm at 88 Birch Lane": somebody has to look there.
        None if heard.placed && heard.words >= TOLD_WITH_PLACE => Act::Report,
        None if heard.words < 3 || !heard.names_subject => Act::NotUnderstood,
        None => Act::NoPage,
    }
}

/// Whether a page goes before a task or control that is only likely.
fn outweighs(heard: &Understood, want: &Want, page: Page) -> bool {
    match want.task() {
        Some(_) => heard.asks || page.relevance > want.sure,
        None => page.relevance > want.sure,
    }
}

/// A task that may be meant, or the two that may.
fn likely(heard: &Understood) -> Option<Act> {
    if heard.asks || heard.words < 3 {
        return None;
    }
    let mut tasks = heard.wants.iter().filter(|want| want.sure >= LIKELY);
    let first = tasks.find_map(|want| Some((want.task()?, want.sure)))?;
    let second = tasks.find_map(|want| Some((want.task()?, want.sure))).filter(|s| first.1 - s.1 < CLOSE);
    Some(Act::WhichTask(first.0.clone(), second.map(|s| s.0.clone())))
}

#[cfg(test)]
mod tests {
    use super::super::super::script::Does;
    use super::*;

    fn want(task: &str, sure: f32, by_cue: bool) -> Want {
        let does = Does::Task(task.to_owned());
        Want { id: task.to_owned(), does, sure, enough: 0.6, by_cue, firm: false }
    }

    fn heard(wants: Vec<Want>) -> Understood {
        Understood { wants, names_subject: true, words: 6, ..Understood::default() }
    }

    fn question(wants: Vec<Want>) -> Understood {
        Understood { asks: true, asks_office: true, ..heard(wants) }
    }

    fn page(sure: f32) -> Page {
        Page { sure, relevance: sure, ..Page::default() }
    }

    #[test]
    fn the_table_of_acts() {
        let known = |pages: &[Page]| Known { pages: pages.to_vec(), ..Known::default() };
        let named = |sure| Page { named: true, ..page(sure) };
        let table: Vec<(&str, Understood, Known, Act)> = vec![
            ("a page that answers", question(vec![]), known(&[page(0.8)]), Act::Answer),
            ("a page below the margin", question(vec![]), known(&[page(0.35)]), Act::WhetherPage),
            (
                "a page without a subject named",
                Understood { names_subject: false, ..question(vec![]) },
                known(&[page(0.9)]),
                Act::Office,
            ),
            (
                "a request by its phrase",
                heard(vec![want("booking", 1.0, true)]),
                known(&[page(0.9)]),
                Act::Do,
            ),
            (
                "a question about what could be begun",
                question(vec![want("incident", 1.0, true)]),
                known(&[page(0.9)]),
                Act::Answer,
            ),
            (
                "the same where no page says it",
                question(vec![want("incident", 1.0, true)]),
                known(&[page(0.3)]),
                Act::Do,
            ),
            (
                "two pages of the same name",
                heard(vec![]),
                known(&[named(0.7), named(0.65)]),
                Act::WhichPage(0, 1),
            ),
            (
                "once is enough",
                heard(vec![]),
                Known { asked_back: true, ..known(&[named(0.7), named(0.65)]) },
                Act::Answer,
            ),
            ("one clearly", heard(vec![]), known(&[named(0.95), named(0.6)]), Act::Answer),
            (
                "a likely task",
                heard(vec![want("incident", 0.5, false)]),
                known(&[]),
                Act::WhichTask("incident".into(), None),
            ),
            (
                "two likely tasks",
                heard(vec![want("incident", 0.5, false), want("booking", 0.47, false)]),
                known(&[]),
                Act::WhichTask("incident".into(), Some("booking".into())),
            ),
            ("a task that is sure", heard(vec![want("booking", 0.7, false)]), known(&[]), Act::Do),
            ("something told", Understood { tells: true, ..heard(vec![]) }, known(&[page(0.2)]), Act::Report),
            (
                "something told that a page is about",
                Understood { tells: true, ..heard(vec![]) },
                known(&[page(0.8)]),
                Act::Answer,
            ),
            (
                "a page in another language",
                question(vec![]),
                Known { foreign: true, ..known(&[]) },
                Act::Foreign,
            ),
            (
                "leaning on the last answer",
                question(vec![]),
                Known { topic: Some(true), ..known(&[page(0.9)]) },
                Act::OnTopic,
            ),
            (
                "leaning, and not said there",
                question(vec![]),
                Known { topic: Some(false), ..known(&[]) },
                Act::NotOnPage,
            ),
            (
                "somebody who was hurt",
                Understood { harmed: true, ..heard(vec![]) },
                known(&[page(0.8)]),
                Act::Report,
            ),
            (
                "a question after an answer begins no task",
                question(vec![want("booking", 0.8, false)]),
                Known { after_answer: true, ..known(&[page(0.1)]) },
                Act::NoPage,
            ),
            ("scraps", Understood { words: 1, ..heard(vec![]) }, known(&[]), Act::NotUnderstood),
        ];
        for (name, heard, known, act) in table {
            assert_eq!(decide(&heard, &known), act, "{name}");
        }
    }

    #[test]
    fn offices_by_name_and_words_with_an_address() {
        let known = |pages: &[Page]| Known { pages: pages.to_vec(), ..Known::default() };
        let table: Vec<(&str, Understood, Known, Act)> = vec![
            (
                "the number of an office by its name",
                question(vec![]),
                Known { office_of_page: true, ..known(&[page(0.2)]) },
                Act::Answer,
            ),
            (
                "the number of an office by its name, which its page does not give",
                question(vec![]),
                Known { office_not_on_page: true, ..known(&[page(0.8)]) },
                Act::Office,
            ),
            (
                "words with an address that fit nothing",
                Understood { placed: true, words: 14, ..question(vec![]) },
                known(&[]),
                Act::Report,
            ),
        ];
        for (name, heard, known, act) in table {
            assert_eq!(decide(&heard, &known), act, "{name}");
        }
    }

    #[test]
    fn what_all_the_words_tell_is_reported_though_a_page_is_about_it() {
        let heard = Understood { tells: true, told: true, ..heard(vec![]) };
        let known = Known { pages: vec![page(0.8)], ..Known::default() };
        assert_eq!(decide(&heard, &known), Act::Report);
    }

    #[test]
    fn what_is_likely_or_not_heard_clearly_is_asked_about() {
        let known = |pages: &[Page]| Known { pages: pages.to_vec(), ..Known::default() };
        let table: Vec<(&str, Understood, Known, Act)> = vec![
            (
                "a remark on the last answer",
                heard(vec![]),
                Known { talk: true, ..known(&[page(0.8)]) },
                Act::GoOn,
            ),
            (
                "a wish that sounds like a remark",
                heard(vec![want("booking", 0.7, false)]),
                Known { talk: true, ..known(&[]) },
                Act::Do,
            ),
            ("a page that hardly answers", question(vec![]), known(&[page(0.1)]), Act::NoPage),
            (
                "a page below the margin, asked about before",
                question(vec![]),
                Known { asked_back: true, ..known(&[page(0.35)]) },
                Act::NoPage,
            ),
            (
                "a likely task, or a page that may answer",
                heard(vec![want("incident", 0.5, false)]),
                known(&[page(0.35)]),
                Act::TaskOrPage("incident".into()),
            ),
            (
                "a page that may be misheard",
                Understood { unsure: true, ..question(vec![]) },
                known(&[page(0.8)]),
                Act::WhetherPage,
            ),
            (
                "a page that cannot be",
                Understood { unsure: true, ..question(vec![]) },
                known(&[page(0.95)]),
                Act::Answer,
            ),
            (
                "something told that may be misheard",
                Understood { unsure: true, tells: true, ..heard(vec![]) },
                known(&[page(0.2)]),
                Act::WhichTask("incident".into(), None),
            ),
            (
                "a task that may be misheard",
                Understood { unsure: true, ..heard(vec![want("booking", 0.7, false)]) },
                known(&[]),
                Act::WhichTask("booking".into(), None),
            ),
            (
                "a request by its phrase, not heard clearly",
                Understood { unsure: true, ..heard(vec![want("booking", 1.0, true)]) },
                known(&[]),
                Act::Do,
            ),
            (
                "no page, not heard clearly",
                Understood { unsure: true, ..question(vec![]) },
                known(&[page(0.1)]),
                Act::NotUnderstood,
            ),
            (
                "asked already",
                Understood { unsure: true, ..question(vec![]) },
                Known { asked_back: true, ..known(&[page(0.8)]) },
                Act::Answer,
            ),
        ];
        for (name, heard, known, act) in table {
            assert_eq!(decide(&heard, &known), act, "{name}");
        }
    }
}
