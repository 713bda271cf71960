//! What comes of questions, counted: answered right, a wrong page read, honestly not answered.
//!
//! A set is lines of three columns: the page that answers (or `NONE`), the words that a right answer holds (`a|b`: all
//! of them), and the question. `QUESTIONS=file` measures another set beside the one kept here.

use std::path::{Path, PathBuf};

use pipeline::ports::Language;

use super::super::policy::clarify::Choice;
use super::super::policy::margin::{BY_WORDS, SPANISH, WEIGHTS};
use super::super::policy::pages::evidence;
use super::super::state::Pending;
use super::super::step::Passage;
use super::{LEXICAL, Phone, WORLD, World};

/// One question and what is known of it.
struct Question {
    /// `None`: no page answers.
    page: Option<String>,
    holds: Vec<String>,
    text: String,
}

/// What came of a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Tally {
    /// The words of a right answer were said, or the right page named where none are given.
    right: usize,
    /// The right page, but not what was asked.
    beside: usize,
    /// Another page, or any where none answers.
    wrong: usize,
    /// No page answers, and none was read.
    honest: usize,
    /// A page would have answered; none was read.
    withheld: usize,
    /// Asked whether the page that answers is meant; and whether another is.
    asked: usize,
    misasked: usize,
}

impl Tally {
    const fn all(self) -> usize {
        self.right + self.beside + self.wrong + self.honest + self.withheld + self.asked + self.misasked
    }
}

fn questions(path: &Path) -> Vec<Question> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let line = |line: &str| {
        let mut columns = line.split('\t');
        let page = columns.next().unwrap().to_owned();
        let second = columns.next().unwrap();
        // Two columns: the page and the question.
        let (holds, text) = columns.next().map_or(("", second), |text| (second, text));
        let holds = holds.split('|').filter(|w| !w.is_empty()).map(str::to_owned).collect();
        Question { page: Some(page).filter(|p| p != "NONE"), holds, text: text.to_owned() }
    };
    text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).map(line).collect()
}

/// "Five" is 5, "20th" is 20, "Fridays" is Friday, and a word is found as a whole.
fn holds(reply: &str, word: &str) -> bool {
    const NUMBERS: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let words = |text: &str| -> Vec<String> {
        let clean =
            text.to_lowercase().replace(|c: char| !(c.is_alphanumeric() || c == '.' || c == ','), " ");
        let number = |w: &str| NUMBERS.iter().position(|n| *n == w).map_or(w.to_owned(), |n| n.to_string());
        clean.split_whitespace().map(|w| number(w.trim_matches(['.', ',']))).collect()
    };
    let wanted = words(word);
    let same = |(said, wanted): (&String, &String)| {
        said == wanted
            || said.strip_prefix(wanted.as_str()).is_some_and(|end| matches!(end, "s" | "th" | "st"))
    };
    words(reply).windows(wanted.len().max(1)).any(|some| some.iter().zip(&wanted).all(same))
}

fn page_of(choice: &Choice) -> Option<String> {
    match choice {
        Choice::Page { source, .. } => Some(source.trim_start_matches("riverbend/").to_owned()),
        Choice::Task(_) | Choice::Question => None,
    }
}

fn tally(world: &World, language: Language, set: &[Question], show: bool) -> Tally {
    let mut tally = Tally::default();
    for question in set {
        let mut phone = Phone::speaking(world, false, language, &[language]);
        let reply = phone.say(&question.text);
        let sources = &phone.last.as_ref().unwrap().note.sources;
        let read = sources.first().map(|s| s.trim_start_matches("riverbend/").to_owned());
        let asked: Vec<String> = match &phone.state.pending {
            Some(Pending::Which(choices)) => choices.iter().filter_map(page_of).collect(),
            _ => Vec::new(),
        };
        let (kind, count) = match (&question.page, &read) {
            (Some(page), None) if asked.contains(page) => ("asked", &mut tally.asked),
            (_, None) if !asked.is_empty() => ("misasked", &mut tally.misasked),
            (None, None) => ("honest", &mut tally.honest),
            (Some(_), None) => ("withheld", &mut tally.withheld),
            (Some(page), Some(read)) if page == read => {
                if question.holds.iter().all(|word| holds(&reply, word)) {
                    ("right", &mut tally.right)
                } else {
                    ("beside", &mut tally.beside)
                }
            }
            _ => ("wrong", &mut tally.wrong),
        };
        *count += 1;
        if show && (kind != "right" || std::env::var_os("ALL").is_some()) {
            println!(
                "{kind}\t{}\t{:?}\t{} -> {reply}",
                question.page.as_deref().unwrap_or("NONE"),
                read,
                question.text
            );
        }
    }
    tally
}

#[test]
fn another_set_is_measured() {
    let Some(path) = std::env::var_os("QUESTIONS").map(PathBuf::from) else { return };
    let language = if path.to_string_lossy().contains("-es") { Language::Es } else { Language::En };
    let set = questions(&path);
    println!("{:?} of {}", tally(&WORLD, language, &set, true), set.len());
}

/// A question, and one after it that may lean on the answer: language, page of the first, first, second, `yes`, `no` or `talk`,
/// page of the second (or `none`).
struct Pair {
    language: Language,
    first: String,
    second: String,
    class: String,
    page: Option<String>,
}

fn pairs(path: &Path) -> Vec<Pair> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let line = |line: &str| {
        let columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
        Pair {
            language: Language::of(&columns[0]).unwrap(),
            first: columns[2].clone(),
            second: columns[3].clone(),
            class: columns[4].clone(),
            page: Some(columns[5].clone()).filter(|page| page != "none"),
        }
    };
    text.lines().filter(|line| !line.is_empty()).map(line).collect()
}

/// The name of a page, of its original where it is a translation.
fn original(world: &World, source: &str) -> String {
    let page = world.within(source, "").into_iter().next();
    let translates = page.and_then(|page| page.front.translates).map(|page| format!("{page}.md"));
    translates.unwrap_or_else(|| source.rsplit('/').next().unwrap_or_default().to_owned())
}

/// What came of second questions, by class: right page, wrong page, honest where there is none, no answer where there is one.
fn followed(world: &World, set: &[Pair], show: bool) -> std::collections::BTreeMap<String, usize> {
    let mut counts = std::collections::BTreeMap::new();
    for pair in set {
        let languages = [Language::En, Language::Es];
        let mut phone = Phone::speaking(world, false, pair.language, &languages);
        phone.say(&pair.first);
        if phone.last.as_ref().unwrap().note.sources.is_empty() {
            *counts.entry("first not answered".to_owned()).or_insert(0) += 1;
            continue;
        }
        let reply = phone.say(&pair.second);
        let read = phone.last.as_ref().unwrap().note.sources.first().map(|source| original(world, source));
        let kind = match (&pair.page, &read) {
            (Some(page), Some(read)) if page == read => "right",
            (None, None) => "honest",
            (_, Some(_)) => "wrong",
            (Some(_), None) => "withheld",
        };
        *counts.entry(format!("{} {} {kind}", pair.language.code(), pair.class)).or_insert(0) += 1;
        if show && (kind == "wrong" || kind == "withheld") {
            println!("{kind}\t{:?}\t{read:?}\t{} | {} -> {reply}", pair.page, pair.first, pair.second);
        }
    }
    counts
}

#[test]
fn another_set_of_pairs_is_measured() {
    let Some(path) = std::env::var_os("PAIRS").map(PathBuf::from) else { return };
    println!("{:#?}", followed(&WORLD, &pairs(&path), true));
}

fn kept(language: &str) -> Vec<Question> {
    questions(&Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/questions/{language}.tsv")))
}

/// What was learned of a question.
struct Example {
    figures: [f32; FIGURES],
    right: bool,
    /// How much it counts: reading a page to whoever asks what no page answers is worse than asking back.
    weight: f64,
}

const FIGURES: usize = 11;
/// What a question without a page counts beside one with.
const NO_PAGE: f64 = 4.0;
/// So much likelier than not, as log odds, must it be that a page answers; in Spanish, where less is found.
const CAUTION: f64 = 0.8;
const CAUTION_IN_SPANISH: f64 = 0.5;

/// The evidence for the best page of each question, and whether it answers; with `without`, that for the best of the
/// others, too, as if the county had no such page.
fn examples(world: &World, language: Language, set: &[Question], without: bool) -> Vec<Example> {
    let script = world.dialogue.script_in(language);
    let ear = ::language::Ear(language);
    let mut out = Vec::new();
    for question in set {
        let wanted = question.page.as_ref().map(|page| format!("riverbend/{page}"));
        let found = world.search(&question.text);
        let own: Vec<_> = found.iter().filter(|p| p.language() == language).collect();
        let subjects = ear.subjects(&question.text);
        let best = |pages: &[&Passage]| {
            let judged = evidence(&script.acts, ear, &question.text, &subjects, pages);
            Some((pages.first()?.source.clone(), judged.first()?.figures()))
        };
        if let Some((source, figures)) = best(&own) {
            let weight = if wanted.is_none() { NO_PAGE } else { 1.0 };
            out.push(Example { figures, right: Some(&source) == wanted.as_ref(), weight });
        }
        let others: Vec<_> = own.iter().copied().filter(|p| Some(&p.source) != wanted.as_ref()).collect();
        if let Some((_, figures)) = best(&others).filter(|_| without && wanted.is_some()) {
            out.push(Example { figures, right: false, weight: 1.0 });
        }
    }
    out
}

/// Logistic regression by Newton's method, of the figures that are not left out.
fn fitted(examples: &[Example], left_out: &[usize], caution: f64) -> [f32; FIGURES + 1] {
    const DECAY: f64 = 0.0005;
    let columns: Vec<usize> = (0..FIGURES).filter(|n| !left_out.contains(n)).collect();
    let size = columns.len() + 1;
    let rows: Vec<Vec<f64>> = examples
        .iter()
        .map(|e| std::iter::once(1.0).chain(columns.iter().map(|&n| f64::from(e.figures[n]))).collect())
        .collect();
    let total: f64 = examples.iter().map(|e| e.weight).sum();
    let mut weights = vec![0.0; size];
    for _ in 0..60 {
        let mut slope = vec![0.0; size];
        let mut bend = vec![vec![0.0; size]; size];
        for (row, example) in rows.iter().zip(examples) {
            let sum: f64 = row.iter().zip(&weights).map(|(x, w)| x * w).sum();
            let sure = 1.0 / (1.0 + (-sum).exp());
            let missed = example.weight * (f64::from(u8::from(example.right)) - sure) / total;
            let spread = example.weight * sure * (1.0 - sure) / total;
            for (n, x) in row.iter().enumerate() {
                slope[n] += missed * x;
                for (bend, y) in bend[n].iter_mut().zip(row) {
                    *bend += spread * x * y;
                }
            }
        }
        for (n, row) in bend.iter_mut().enumerate() {
            row[n] += DECAY;
            slope[n] -= if n == 0 { 0.0 } else { DECAY * weights[n] };
        }
        for (weight, step) in weights.iter_mut().zip(solved(bend, slope)) {
            *weight += 0.5 * step;
        }
    }
    let mut out = [0.0; FIGURES + 1];
    out[0] = (weights[0] - caution) as f32;
    for (&column, weight) in columns.iter().zip(&weights[1..]) {
        out[column + 1] = *weight as f32;
    }
    out
}

/// A system of equations, by elimination.
fn solved(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for n in 0..size {
        let pivot = (n..size).max_by(|&a, &b| matrix[a][n].abs().total_cmp(&matrix[b][n].abs())).unwrap();
        matrix.swap(n, pivot);
        right.swap(n, pivot);
        for row in (0..size).filter(|&row| row != n) {
            let factor = matrix[row][n] / matrix[n][n];
            let (from, known) = (matrix[n].clone(), right[n]);
            matrix[row].iter_mut().zip(from).for_each(|(cell, from)| *cell -= factor * from);
            right[row] -= factor * known;
        }
    }
    (0..size).map(|n| right[n] / matrix[n][n]).collect()
}

/// How far apart two sets of weights judge, as the mean difference of their likelihoods (0–1). Weights themselves tell less: two
/// figures that go together share theirs in one way on one processor and in another where it rounds an encoder's sums otherwise.
fn apart(examples: &[Example], one: [f32; FIGURES + 1], other: [f32; FIGURES + 1]) -> f64 {
    let sure = |example: &Example, [bias, weights @ ..]: [f32; FIGURES + 1]| {
        let odds = bias + example.figures.iter().zip(weights).map(|(x, w)| x * w).sum::<f32>();
        1.0 / (1.0 + (-f64::from(odds)).exp())
    };
    let differences = examples.iter().map(|e| (sure(e, one) - sure(e, other)).abs());
    differences.sum::<f64>() / examples.len() as f64
}

#[test]
fn the_margin_is_what_the_kept_questions_teach() {
    const CLOSE: f64 = 0.01;
    let english: Vec<Question> = ["english-taught", "english"].into_iter().flat_map(kept).collect();
    let spanish: Vec<Question> = ["spanish-taught", "spanish"].into_iter().flat_map(kept).collect();
    let by_meaning = examples(&WORLD, Language::En, &english, true);
    // A search in Spanish finds too few pages for the others to tell anything.
    let in_spanish = examples(&WORLD, Language::Es, &spanish, false);
    let mut by_words = examples(&LEXICAL, Language::En, &english, true);
    by_words.extend(examples(&LEXICAL, Language::Es, &spanish, true));
    for (name, examples, left_out, caution, kept) in [
        ("WEIGHTS", by_meaning, &[][..], CAUTION, WEIGHTS),
        ("SPANISH", in_spanish, &[3, 6], CAUTION_IN_SPANISH, SPANISH),
        ("BY_WORDS", by_words, &[1, 3, 7, 8, 9], CAUTION, BY_WORDS),
    ] {
        let learned = fitted(&examples, left_out, caution);
        let distance = apart(&examples, learned, kept);
        println!("{name}: {distance:.4} apart");
        assert!(distance < CLOSE, "{distance:.4} apart; put these into margin.rs as {name}: {learned:?}");
        let mut shifted = kept;
        shifted[0] += 0.3;
        assert!(apart(&examples, shifted, kept) > CLOSE, "this test would not see a margin that moved");
    }
}

/// Every so many of them: all take a minute.
const SAMPLE: usize = 6;

/// Questions of the hand that taught the margin, kept from it.
#[test]
fn questions_kept_from_the_margin_find_their_page() {
    for (language, name, answered) in
        [(Language::En, "english-judged", 40), (Language::Es, "spanish-judged", 30)]
    {
        let set: Vec<Question> = kept(name).into_iter().step_by(SAMPLE).collect();
        let tally = tally(&WORLD, language, &set, true);
        println!("{name}: {tally:?} of {}", tally.all());
        assert!(tally.right * 100 >= tally.all() * answered, "{tally:?}");
        assert!(tally.wrong * 100 <= tally.all() * 9, "{tally:?}");
    }
}

#[test]
fn spanish_questions_of_another_hand_find_their_page() {
    let set = kept("spanish");
    let (_, judged) = set.split_at(set.len() / 2);
    let asked: Vec<&Question> = judged.iter().filter(|question| question.page.is_some()).collect();
    let found = |question: &&&Question| {
        let wanted = question.page.as_ref().map(|page| format!("riverbend/{page}"));
        WORLD.search(&question.text).into_iter().map(|passage| passage.source).any(|it| Some(it) == wanted)
    };
    let found = asked.iter().filter(found).count();
    let tally = tally(&WORLD, Language::Es, judged, true);
    println!("{found} of {} among the first three; {tally:?} of {}", asked.len(), tally.all());
    assert!(found * 100 >= asked.len() * 85, "{found} of {}", asked.len());
    assert!(tally.right * 10 >= asked.len() * 6, "{tally:?}");
}

#[test]
fn a_page_is_spoken_only_where_it_answers() {
    let set = kept("english");
    let tally = tally(&WORLD, Language::En, &set, true);
    println!("{tally:?} of {}", tally.all());
    let none = set.iter().filter(|question| question.page.is_none()).count();
    // Of the others it is asked whether a page of their subject is meant, which costs a turn and tells nothing wrong.
    assert!(tally.honest * 100 >= none * 55, "{tally:?}");
    assert!(tally.right * 10 >= (set.len() - none) * 6, "{tally:?}");
}
