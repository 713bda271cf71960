//! What comes of questions, counted: answered right, a wrong page read, honestly not answered.
//!
//! A set is lines of three columns: the page that answers (or `NONE`), the words that a right answer holds (`a|b`: all
//! of them), and the question. `QUESTIONS=file` measures another set beside the one kept here.

use std::path::{Path, PathBuf};

use pipeline::ports::Language;

use super::super::policy::clarify::Choice;
use super::super::policy::margin::WEIGHTS;
use super::super::policy::pages::evidence;
use super::super::state::Pending;
use super::{Phone, WORLD, World};

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
        if show && kind != "right" {
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

/// The evidence for the best page of each question, and whether its passage answers.
fn examples(world: &World, language: Language, set: &[Question]) -> Vec<([f32; 8], bool)> {
    let script = world.dialogue.script_in(language);
    let ear = language::Ear(language);
    let of = |question: &Question| {
        let found = world.search(&question.text);
        let own: Vec<_> = found.iter().filter(|p| p.language() == language).collect();
        let best = *own.first()?;
        let subjects = ear.subjects(&question.text);
        let judged = evidence(&script.acts, ear, &question.text, &subjects, &own);
        let right = question.page.as_ref().is_some_and(|page| best.source == format!("riverbend/{page}"))
            && question.holds.iter().all(|word| holds(&best.text, word));
        Some((judged.first()?.figures(), right))
    };
    set.iter().filter_map(of).collect()
}

/// Logistic regression by plain descent: few figures, few examples, no chance in it.
fn fitted(examples: &[([f32; 8], bool)]) -> [f32; 9] {
    const RATE: f64 = 0.5;
    const DECAY: f64 = 0.002;
    /// The one figure that speaks against a page, counted from the bias.
    const UNKNOWN: usize = 6;
    let mut weights = [0.0_f64; 9];
    for _ in 0..20_000 {
        let mut slope = [0.0_f64; 9];
        for (figures, right) in examples {
            let figures: Vec<f64> =
                std::iter::once(1.0).chain(figures.iter().map(|f| f64::from(*f))).collect();
            let sum: f64 = figures.iter().zip(weights).map(|(f, w)| f * w).sum();
            let missed = f64::from(u8::from(*right)) - 1.0 / (1.0 + (-sum).exp());
            for (slope, figure) in slope.iter_mut().zip(&figures) {
                *slope += missed * figure / examples.len() as f64;
            }
        }
        for (n, (weight, slope)) in weights.iter_mut().zip(slope).enumerate() {
            let decay = if n == 0 { 0.0 } else { DECAY * *weight };
            *weight += RATE * (slope - decay);
            // What speaks for a page never speaks against it, whatever few examples say.
            if n != 0 && n != UNKNOWN {
                *weight = weight.max(0.0);
            }
        }
    }
    weights.map(|weight| weight as f32)
}

#[test]
fn the_margin_is_what_the_kept_questions_teach() {
    let examples = examples(&WORLD, Language::En, &kept("english"));
    let fitted = fitted(&examples);
    println!("{fitted:?} from {} of which {} right", examples.len(), examples.iter().filter(|e| e.1).count());
    let far = fitted.iter().zip(WEIGHTS).filter(|(fitted, kept)| (*fitted - kept).abs() > 0.5).count();
    assert_eq!(far, 0, "put these into margin.rs: {fitted:?}");
}

/// The first half of the Spanish questions taught the margin; the second only judges.
#[test]
fn spanish_questions_of_another_hand_find_their_page() {
    let set = kept("spanish");
    let (taught, judged) = set.split_at(set.len() / 2);
    let examples = examples(&WORLD, Language::Es, taught);
    println!("{:?} from {}", fitted(&examples), examples.len());
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
    assert!(tally.honest * 100 >= none * 60, "{tally:?}");
    assert!(tally.right * 10 >= (set.len() - none) * 6, "{tally:?}");
}
