//! The judge on labelled answers, tuned on and held out; and the time of a sentence and of a reply.
//!
//! `cargo run --release -p benches --bin judge`. Needs no model and no network. Add `--missed` to see which answers were
//! judged wrongly.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use governance::judge::{
    Evidence, Level, Means, NoRules, Severity, ValidationRequest, facts_of, terms_of, validate,
};
use serde_json::json;

/// Rounds over all answers while measuring time.
const ROUNDS: usize = 50;
/// What is promised: right answers that pass and wrong ones that are found, held out (shares), and p99 of a sentence.
const PASSED: f64 = 0.9;
const FOUND: f64 = 0.85;
const P99: Duration = Duration::from_micros(300);

/// An answer, whether it is right, and what it answers.
struct Answer {
    text: String,
    right: bool,
    passage: String,
    question: String,
}

fn main() -> Result<()> {
    let dev = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agents/governance/data/judge/dev");
    let missed = std::env::args().any(|a| a == "--missed");
    let mut all = Vec::new();
    for name in ["tuning", "held_out"] {
        let set = read(&dev.join(format!("{name}.txt")))?;
        table(name, &set, missed);
        all.extend(set);
    }
    sentences(&all);
    replies(&all)
}

fn read(path: &Path) -> Result<Vec<Answer>> {
    let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    let (mut passage, mut question, mut set) = (String::new(), String::new(), Vec::new());
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with(['#', '['])) {
        match line.split_at(1) {
            ("?", asked) => asked.trim().clone_into(&mut question),
            (mark @ ("+" | "-"), said) => set.push(Answer {
                text: said.trim().to_owned(),
                right: mark == "+",
                passage: passage.clone(),
                question: question.clone(),
            }),
            _ => line.clone_into(&mut passage),
        }
    }
    Ok(set)
}

fn is_wrong(answer: &Answer) -> bool {
    let evidence = Evidence::of([answer.passage.as_str()], []);
    let issues = facts_of(&answer.text, &evidence, &terms_of(&answer.question));
    issues.iter().any(|i| i.severity == Severity::Error)
}

fn table(name: &str, set: &[Answer], missed: bool) {
    let judged: Vec<(&Answer, bool)> = set.iter().map(|a| (a, is_wrong(a))).collect();
    let share = |right: bool| {
        let of = judged.iter().filter(|(a, _)| a.right == right).count();
        let good = judged.iter().filter(|(a, wrong)| a.right == right && *wrong != right).count();
        (good, of, good as f64 / of.max(1) as f64 * 100.0)
    };
    let ((passed, right, p), (found, wrong, f)) = (share(true), share(false));
    println!(
        "  {name}: {passed} of {right} right answers pass, {p:.1} %   (target held out: {} %)",
        PASSED * 100.0
    );
    println!(
        "  {name}: {found} of {wrong} wrong answers found, {f:.1} %   (target held out: {} %)",
        FOUND * 100.0
    );
    for (answer, _) in judged.iter().filter(|(a, wrong)| missed && *wrong == a.right) {
        println!("      {} {}", if answer.right { "+" } else { "-" }, answer.text);
    }
}

/// One sentence against pages that were read before: what a live reply pays.
fn sentences(all: &[Answer]) {
    let mut taken = Vec::with_capacity(all.len() * ROUNDS);
    for answer in all {
        let evidence = Evidence::of([answer.passage.as_str()], [answer.question.as_str()]);
        let question = terms_of(&answer.question);
        for _ in 0..ROUNDS {
            let began = Instant::now();
            black_box(facts_of(black_box(&answer.text), &evidence, &question));
            taken.push(began.elapsed());
        }
    }
    print("basic, a sentence", &mut taken, Some(P99));
}

/// A whole reply at each level, its sources read for it alone.
fn replies(all: &[Answer]) -> Result<()> {
    for level in [Level::Basic, Level::Standard, Level::Thorough] {
        let mut taken = Vec::with_capacity(all.len());
        for answer in all {
            let mut request = ValidationRequest::of_text(&answer.text, level);
            request.trusted_sources = vec![answer.passage.clone()];
            request.context.insert("question".to_owned(), json!(answer.question));
            for _ in 0..ROUNDS / 10 {
                let began = Instant::now();
                black_box(validate(
                    black_box(&request),
                    Means { rules: &NoRules, likeness: None, meanings: None, sights: None },
                )?);
                taken.push(began.elapsed());
            }
        }
        print(&format!("{level:?}, a reply with a page").to_lowercase(), &mut taken, None);
    }
    Ok(())
}

fn print(what: &str, taken: &mut [Duration], bar: Option<Duration>) {
    taken.sort_unstable();
    let at = |share: f64| taken[((taken.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e6;
    let target = bar.map_or(String::new(), |bar| format!("   (target: p99 {} µs)", bar.as_micros()));
    println!(
        "  {what}: n {}  p50 {:.0}  p99 {:.0}  worst {:.0} µs{target}",
        taken.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    );
}
