//! A page as it is spoken: the one or two sentences that answer, and what is left for "tell me more".

use std::collections::HashSet;

use chrono::Weekday;

use super::super::step::Passage;
use super::acts::Acts;
use knowledge::speakable;
use language::Ear;
use language::measures::Measure;
use language::open_days::{asks_open, days_named};

/// Most words said of a page at once.
pub const WORDS: usize = 25;

/// So many more where two kinds of fact are asked for, and two sentences give them.
const MORE: usize = 8;

/// What a caller hears of a passage, and the sentences that were left out, in reading order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spoken {
    pub said: String,
    pub rest: Vec<String>,
}

/// What likeness in meaning counts beside a word that is shared.
const MEANING: f32 = 4.0;
/// The same of a kind of fact that was asked for.
const KIND: f32 = 6.0;
/// The same of the day that was asked of.
const DAY: f32 = 6.0;
/// The same of the very amount that the question names ("is that the ten dollars?"), and of another in the same unit.
const AMOUNT: f32 = 9.0;
const SAME_UNIT: f32 = 7.0;
/// From so like on a sentence says something to the question, though they share no word.
const LIKE: f32 = 0.35;

/// The sentences that give what was asked for: by the kind of fact, by what they mean and the words they share with the question,
/// then by their order, since pages lead with what matters. `day`: the one that was asked of.
#[must_use]
pub fn spoken(
    acts: &Acts,
    ear: Ear,
    passage: &Passage,
    question: &str,
    subjects: &[String],
    day: Option<Weekday>,
) -> Spoken {
    let all: Vec<String> = speakable(&passage.text).into_iter().map(|(_, sentence)| sentence).collect();
    let asked = acts.facts.asked(question);
    let wanted: HashSet<String> = ear.terms(&ear.plain(question)).into_iter().collect();
    let amounts = ear.measures(question);
    let known = passage.sentences.len() == all.len();
    let like = |n: usize| passage.sentences.get(n).copied().filter(|_| known).unwrap_or_default();
    let of_hours = !asked.is_empty() || asks_open(ear, question);
    // Hours of other days are left for "more" where there are some of the day that was asked of.
    let of_day = |sentence: &str| {
        let (day, days) = day.filter(|_| of_hours).zip(days_named(ear, sentence))?;
        Some(days[day.num_days_from_monday() as usize])
    };
    let told = all.iter().any(|sentence| of_day(sentence) == Some(true));
    let fits = |n: usize| !told || of_day(&all[n]) != Some(false);
    let worth = |sentence: &str| {
        let own: HashSet<String> = ear.terms(&ear.plain(sentence)).into_iter().collect();
        let shared = wanted.intersection(&own).count() + subjects.iter().filter(|s| own.contains(*s)).count();
        let kind = acts.facts.given(&asked, sentence).unwrap_or(0.0);
        let of_day = if of_day(sentence) == Some(true) { DAY } else { 0.0 };
        KIND * kind + of_day + counted(&amounts, &ear.measures(sentence)) + shared as f32
    };
    let mut order: Vec<(usize, f32)> =
        all.iter().map(|s| worth(s)).enumerate().filter(|(n, _)| fits(*n)).collect();
    let says = |n: usize, worth: f32| worth > 0.0 || like(n) >= LIKE;
    let whole = |&(n, worth): &(usize, f32)| worth + MEANING * like(n);
    order.sort_by(|a, b| whole(b).total_cmp(&whole(a)).then(a.0.cmp(&b.0)));
    let mut chosen: Vec<usize> = Vec::new();
    let mut words = 0;
    // "Where is that, and what time do they close?": a sentence that gives what the first does not may be a little longer.
    let given = |chosen: &[usize]| {
        let said: Vec<&str> = chosen.iter().map(|n| all[*n].as_str()).collect();
        acts.facts.given(&asked, &said.join(" ")).unwrap_or(1.0)
    };
    for (n, worth) in order {
        let length = count(&all[n]);
        let gives_more = asked.len() > 1 && given(&[chosen.as_slice(), &[n]].concat()) > given(&chosen);
        let most = if gives_more { WORDS + MORE } else { WORDS };
        let enough = chosen.len() == 2 || (!chosen.is_empty() && (words + length > most || !says(n, worth)));
        if enough {
            break;
        }
        chosen.push(n);
        words += length;
    }
    // What comes after it goes on with it: the other half of a sentence that had to be cut, or what is to be done then.
    if let [one] = chosen.as_slice()
        && let Some(next) = all.get(one + 1).filter(|_| fits(one + 1))
        && words + count(next) <= WORDS
    {
        chosen.push(one + 1);
    }
    chosen.sort_unstable();
    let said = chosen.iter().map(|n| all[*n].as_str()).collect::<Vec<_>>().join(" ");
    let rest = all.iter().enumerate().filter(|(n, _)| !chosen.contains(n)).map(|(_, s)| s.clone()).collect();
    Spoken { said, rest }
}

/// What a sentence is worth for the amounts that it gives, where the question names some.
fn counted(asked: &[Measure], given: &[Measure]) -> f32 {
    let worth = |amount: &Measure| match given.iter().find(|other| other.unit == amount.unit) {
        Some(_) if given.contains(amount) => AMOUNT,
        Some(_) if !amount.unit.is_time() => SAME_UNIT,
        _ => 0.0,
    };
    asked.iter().map(worth).fold(0.0, f32::max)
}

/// The next sentences of what was left.
#[must_use]
pub fn next(rest: &[String]) -> Spoken {
    let mut words = 0;
    let fits = |sentence: &&String| {
        words += count(sentence);
        words <= WORDS
    };
    let said = rest.iter().take_while(fits).count().max(1).min(rest.len());
    Spoken { said: rest[..said].join(" "), rest: rest[said..].to_vec() }
}

fn count(text: &str) -> usize {
    text.split_whitespace().count()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use pipeline::ports::Language;

    use super::super::super::script::Script;
    use super::*;

    const TEXT: &str = "The first two bulk pickups in a year are free. Each further pickup costs $35, and refrigerators or \
                        air conditioners cost $15 more for the coolant.";

    fn page(text: &str) -> Passage {
        Passage { text: text.to_owned(), ..Passage::default() }
    }

    #[test]
    fn the_sentence_that_means_it_is_said_though_it_shares_no_word() {
        let script = Script::front_desk(Language::En).unwrap();
        let text =
            "A late payment costs 2 percent at once. Call the Treasurer about a plan before the due date.";
        let asked = "can I split it up every month";
        let passage = Passage { sentences: vec![0.3, 0.5], ..page(text) };
        let said = spoken(&script.acts, Ear(Language::En), &passage, asked, &[], None).said;
        assert!(said.contains("Treasurer"), "{said}");
        let unknown = spoken(&script.acts, Ear(Language::En), &page(text), asked, &[], None).said;
        assert!(unknown.contains("late payment"), "{unknown}");
    }

    #[test]
    fn an_amount_is_answered_by_the_sentence_that_counts_the_same() {
        let script = Script::front_desk(Language::En).unwrap();
        let text = "A permit is good for one year. Decks need one, and sheds over 120 square feet. Fences over six feet need one \
                    too. A small permit costs $75, and a large one costs by the value.";
        let of = |asked| spoken(&script.acts, Ear(Language::En), &page(text), asked, &[], None).said;
        assert!(of("mine is like five feet tall so I don't, right").contains("Fences"));
        assert!(of("so then it's the seventy five dollars").contains("$75"));
    }

    #[test]
    fn of_hours_those_of_the_day_are_said() {
        let script = Script::front_desk(Language::En).unwrap();
        let text = "The library is open Monday through Thursday, 9 a.m. to 8 p.m. On Friday and Saturday, it is open from \
                    9 a.m. to 5 p.m. On Sunday it is open from 1 p.m. to 5 p.m., and the side door is used.";
        let of = |day| {
            spoken(&script.acts, Ear(Language::En), &page(text), "is the library open then", &[], day).said
        };
        assert!(of(Some(Weekday::Sun)).starts_with("On Sunday"), "{}", of(Some(Weekday::Sun)));
        assert!(of(Some(Weekday::Sat)).starts_with("On Friday"), "{}", of(Some(Weekday::Sat)));
        assert!(of(None).starts_with("The library"), "{}", of(None));
    }

    #[test]
    fn the_sentence_with_the_fact_is_said_and_the_others_are_left_for_more() {
        let script = Script::front_desk(Language::En).unwrap();
        let spoken = spoken(
            &script.acts,
            Ear(Language::En),
            &page(TEXT),
            "what does the third pickup cost",
            &[],
            None,
        );
        assert!(spoken.said.contains("$35") && count(&spoken.said) <= WORDS, "{spoken:?}");
        let mut rest = spoken.rest;
        let mut heard = spoken.said;
        while !rest.is_empty() {
            let more = next(&rest);
            assert!(!more.said.is_empty() && count(&more.said) <= WORDS);
            heard.push_str(&more.said);
            rest = more.rest;
        }
        assert!(heard.contains("$15") && heard.contains("free"));
        assert_eq!(next(&[]).said, "");
    }
}
