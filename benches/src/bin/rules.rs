//! The symbolic rules on the sentences that they are tested with: time of one sentence, and of guard, rules and redaction
//! together, as a turn has them.
//!
//! `cargo run --release -p benches --bin rules`. Needs no model and no network.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use dialogue::seed;
use governance::guard::{Channel, Context, Guard};
use governance::pii::Redactor;
use governance::rules::{Known, RuleSet, Spoken};
use pipeline::ports::{Language, Screen};

/// Rounds over all sentences.
const ROUNDS: usize = 40;
/// What is promised of the rules alone, and of guard, rules and redaction together.
const RULES: Duration = Duration::from_micros(300);
const TOGETHER: Duration = Duration::from_micros(1000);

fn main() -> Result<()> {
    let county = seed::riverbend(Default::default())?;
    let began = Instant::now();
    let set = RuleSet::load(&county.rules, &county.facts.numbers())?;
    println!("{} rules; loading the first set {:.1} ms", set.rules().len(), ms(began.elapsed()));
    let began = Instant::now();
    black_box(RuleSet::load(&county.rules, &county.facts.numbers())?);
    println!("loading another tenant's set {:.2} ms", ms(began.elapsed()));
    let mut shown = Known::default();
    county.documents.iter().take(6).for_each(|document| shown.learn(&document.content));
    let sentences = sentences()?;
    let check = |(language, text): &(Language, String)| {
        black_box(
            set.check_words(&Spoken { shown: Some(&shown), ..Spoken::new(black_box(text), *language) }),
        );
    };
    times("rules, a sentence", &sentences, RULES, check);
    let long: Vec<(Language, String)> = sentences
        .chunks(6)
        .map(|chunk| (chunk[0].0, chunk.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(" ")))
        .collect();
    times("rules, six sentences at once", &long, RULES, check);
    let guard = Guard::shipped()?;
    let mut redactor = Redactor::new(county.facts.public());
    times("guard, rules and redaction", &sentences, TOGETHER, |one| {
        black_box(guard.judge(&one.1, Channel::Voice, Context::default()));
        black_box(redactor.screen(&one.1));
        check(one);
    });
    Ok(())
}

/// Allowed and forbidden ones, in both languages.
fn sentences() -> Result<Vec<(Language, String)>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agents/governance/data/rules");
    let mut all = Vec::new();
    for file in ["dev", "second", "third", "fourth"]
        .iter()
        .flat_map(|set| ["blocked", "allowed"].map(|f| format!("{set}/{f}.txt")))
    {
        let path = folder.join(file);
        let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let language = line.get(..2).and_then(Language::of).unwrap_or_default();
            all.push((language, line.rsplit(" | ").next().unwrap_or_default().to_owned()));
        }
    }
    Ok(all)
}

fn times<T>(what: &str, all: &[T], target: Duration, mut one: impl FnMut(&T)) {
    let mut taken = Vec::with_capacity(all.len() * ROUNDS);
    for text in (0..ROUNDS).flat_map(|_| all) {
        let began = Instant::now();
        one(text);
        taken.push(began.elapsed());
    }
    taken.sort_unstable();
    let at = |share: f64| taken[((taken.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e6;
    println!(
        "  {what}: n {}  p50 {:.1}  p99 {:.1}  worst {:.0} µs   (target: p99 {} µs)",
        taken.len(),
        at(0.5),
        at(0.99),
        at(1.0),
        target.as_micros()
    );
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
