//! Pages that may answer, each with how sure that is.

use super::super::step::Passage;
use super::acts::Acts;
use super::margin::Evidence;
use language::{Ear, Language};

/// Words of a question, 0–1.
fn length(question: &str) -> f32 {
    let words = question.split_whitespace().count().max(1) as f32;
    (words.ln() / 4.0).min(1.0)
}

/// What speaks for each passage, in their order: best first, one a page.
#[must_use]
pub fn evidence(
    acts: &Acts,
    ear: Ear,
    question: &str,
    subjects: &[String],
    passages: &[&Passage],
) -> Vec<Evidence> {
    let asked = acts.facts.asked(question);
    // What is told, and not asked, asks for no fact in particular.
    let plain = if ear.is_question(question) { 0.5 } else { 1.0 };
    let next = |n: usize, figure: fn(&Passage) -> f32| {
        let others = passages.iter().enumerate().filter(|(other, _)| *other != n);
        others.map(|(_, p)| figure(p)).fold(0.0, f32::max)
    };
    let alike = |passage: &Passage| passage.paraphrase.unwrap_or_default();
    let middle = |passage: &Passage| passage.centre.unwrap_or_default();
    let of = |(n, passage): (usize, &&Passage)| {
        let names = format!("{} {}", passage.title, passage.front.everyday());
        let near = ear.terms(&ear.plain(&format!("{names} {}", passage.text)));
        let share = |held: usize| if subjects.is_empty() { 0.0 } else { held as f32 / subjects.len() as f32 };
        let known = subjects.iter().filter(|stem| near.contains(stem)).count();
        let text = ear.terms(&ear.plain(&passage.text));
        let told = subjects.iter().filter(|stem| text.contains(stem)).count();
        Evidence {
            relevance: passage.relevance,
            gap: (passage.relevance - next(n, |other| other.relevance)).max(0.0),
            covered: share(known),
            near: share(told),
            kind: acts.facts.given(&asked, &passage.text).unwrap_or(plain),
            paraphrase: passage.paraphrase,
            shared: passage.shared,
            ahead: alike(passage) - next(n, alike),
            centre: passage.centre.unwrap_or_default(),
            nearer: middle(passage) - next(n, middle),
            length: length(question),
            unknown: (subjects.len() - known).min(4) as f32 / 4.0,
            spanish: ear.0 == Language::Es,
        }
    };
    passages.iter().enumerate().map(of).collect()
}
