//! Facts: every value, name and place that an output states is held against the sources, and so is every "not" and every
//! opposite. Deterministic; what it can not see is in the guide.

use super::evidence::{Answer, Around, Evidence};
use super::lexicon;
use super::reading::{Clause, Sentence};
use super::request::{Severity, ValidationIssue};
use super::values::{Place, Value};

/// Claims that are judged of one output.
const MAX_CLAIMS: usize = 400;
/// Share of a sentence's terms that the sources must know for it to be about what they are about. What is about
/// something else is not borne out by their silence, and not proved wrong by it.
const SAME_SUBJECT: f32 = 0.5;

/// What was found of the claims of an output.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Facts {
    pub issues: Vec<ValidationIssue>,
    pub claims: usize,
    pub borne: usize,
}

impl Facts {
    /// Share (0–1) of the claims that the sources bear out; 1 where nothing is claimed.
    #[must_use]
    pub fn confidence(&self) -> f64 {
        if self.claims == 0 { 1.0 } else { self.borne as f64 / self.claims as f64 }
    }
}

/// Holds sentences against the sources. `question` are the terms of what the output answers.
#[must_use]
pub fn check(sentences: &[Sentence], evidence: &Evidence, question: &[String]) -> Facts {
    let mut facts = Facts::default();
    for (n, sentence) in sentences.iter().enumerate().filter(|(_, s)| !s.question) {
        let mut all: Vec<String> = sentence.clauses.iter().flat_map(|c| c.terms.iter().cloned()).collect();
        all.extend(question.iter().cloned());
        let elsewhere = evidence.covers(&subject(sentence, &all)) < SAME_SUBJECT;
        for (at, clause) in sentence.clauses.iter().enumerate() {
            let mut own = clause.terms.clone();
            if at > 0 {
                own.extend(carried(sentence, at));
            }
            // "Otherwise $28": whatever the rest is, it is not what was said before.
            let rest = sentence.words.get(clause.from).is_some_and(|w| w.text == "otherwise");
            let beside: Vec<String> = all.iter().filter(|t| !rest && !own.contains(t)).cloned().collect();
            let around = Around { clause: &own, beside: &beside };
            for place in &clause.values {
                if facts.claims < MAX_CLAIMS && states(place, clause) {
                    facts.claims += 1;
                    weigh(&mut facts, (n, sentence, place), evidence, &around, elsewhere);
                }
            }
            if !elsewhere {
                places(&mut facts, (n, sentence, clause), evidence);
            }
            denial(&mut facts, (n, sentence, clause), evidence);
        }
    }
    facts
}

/// What a sentence is about: its terms without the names and places that it states, which may be the very thing that is wrong.
fn subject(sentence: &Sentence, terms: &[String]) -> Vec<String> {
    let values = || sentence.clauses.iter().flat_map(|clause| &clause.values);
    let stated = |term: &String| {
        values().any(|place| matches!(&place.value, Value::Name(stems) if stems.contains(term)))
    };
    terms.iter().filter(|term| !stated(term) && !lexicon::is_place(term)).cloned().collect()
}

/// What the first piece of a sentence is about, the later ones are about too: "The library is open Monday, and closed
/// Sunday". Not its days, and not across a "but".
fn carried(sentence: &Sentence, at: usize) -> Vec<String> {
    let clause = &sentence.clauses[at];
    let cut = sentence.words.get(clause.from).map_or("", |w| w.text.as_str());
    let head = super::evidence::head(clause, &sentence.words);
    if lexicon::always_cuts(cut) || !head.is_empty() {
        return Vec::new();
    }
    let of_first = super::evidence::head(&sentence.clauses[0], &sentence.words);
    of_first.into_iter().filter(|t| !clause.terms.contains(t)).collect()
}

/// Whether a value is a claim. Days on which something is closed need not be named by the source.
fn states(place: &Place, clause: &Clause) -> bool {
    match place.value {
        Value::Days(_) => !clause.negative && !clause.terms.iter().any(|t| t == "clos"),
        Value::Reference(_) => false,
        _ => true,
    }
}

type At<'a, T> = (usize, &'a Sentence, &'a T);

fn weigh(facts: &mut Facts, at: At<'_, Place>, evidence: &Evidence, around: &Around<'_>, elsewhere: bool) {
    let (_, _, place) = at;
    if let Value::Name(stems) = &place.value {
        return name(facts, at, stems, evidence, elsewhere);
    }
    match evidence.asks(place, around) {
        Answer::Borne => facts.borne += 1,
        Answer::Denied(sentence) => {
            let message = format!("The sources give another value than \"{}\"", shown(at));
            facts.issues.push(issue(Severity::Error, "contradicted_fact", message, at.0, Some(sentence)));
        }
        Answer::Silent => {
            // A small count is a way of speaking ("two things") more often than a fact.
            let small = matches!(&place.value, Value::Count { amount, .. } if *amount <= 1_200);
            let loose = matches!(place.value, Value::Days(_) | Value::Every(_)) || small;
            let severity = if loose || elsewhere { Severity::Warning } else { Severity::Error };
            let message = format!("No source gives \"{}\"", shown(at));
            facts.issues.push(issue(severity, "unsupported_fact", message, at.0, None));
        }
    }
}

/// `elsewhere`: the sentence is about something that the sources do not speak of.
fn name(facts: &mut Facts, at: At<'_, Place>, stems: &[String], evidence: &Evidence, elsewhere: bool) {
    if stems.iter().all(|s| evidence.knows(s)) {
        facts.borne += 1;
        return;
    }
    let (n, sentence, place) = at;
    // A street, or somebody to ask for, is a claim of where to go; other names may be a way of speaking.
    let street = ["street", "avenu", "road", "lan", "driv", "boulevard", "squar", "court", "plaz", "call"];
    let is_street = stems.iter().any(|s| street.contains(&s.as_str()));
    let before =
        place.from.checked_sub(1).and_then(|b| sentence.words.get(b)).map_or("", |w| w.text.as_str());
    let sends =
        matches!(before, "at" | "in" | "to" | "en" | "call" | "contact" | "ask" | "see" | "llame" | "con");
    let severity = if !elsewhere && (is_street || sends) { Severity::Error } else { Severity::Warning };
    let message = format!("No source names \"{}\"", shown((n, sentence, place)));
    facts.issues.push(issue(severity, "unsupported_name", message, n, None));
}

/// "Pick it up at the library": a place that no source speaks of.
fn places(facts: &mut Facts, (n, sentence, clause): At<'_, Clause>, evidence: &Evidence) {
    if clause.negative {
        return;
    }
    for at in clause.from..clause.to {
        let word = &sentence.words[at];
        let concept = lexicon::concept(&word.stem);
        let sent = sentence.words[at.saturating_sub(3)..at].iter().any(|w| {
            matches!(w.text.as_str(), "at" | "in" | "to" | "from" | "en" | "del" | "al" | "por" | "through")
        });
        let named =
            clause.values.iter().any(|v| matches!(v.value, Value::Name(_)) && v.from <= at && at < v.to);
        if sent && !named && lexicon::is_place(concept) {
            facts.claims += 1;
            if evidence.knows(concept) {
                facts.borne += 1;
            } else {
                let message = format!("No source speaks of the place \"{}\"", word.text);
                facts.issues.push(issue(Severity::Error, "unsupported_place", message, n, None));
            }
        }
    }
}

fn denial(facts: &mut Facts, (n, _, clause): At<'_, Clause>, evidence: &Evidence) {
    // A value that is wrong was told; a sentence is denied by its words.
    if clause.terms.len() < 2 {
        return;
    }
    if let Some(sentence) = evidence.denies(clause) {
        facts.claims += 1;
        let message = "The sources say the opposite".to_owned();
        facts.issues.push(issue(Severity::Error, "contradicted_statement", message, n, Some(sentence)));
    }
}

/// The words of a value, as the output has them.
fn shown((_, sentence, place): At<'_, Place>) -> String {
    let words = sentence.words.get(place.from..place.to).unwrap_or_default();
    let mut out = String::new();
    for word in words {
        if !word.joined && !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&word.text);
    }
    out
}

fn issue(
    severity: Severity,
    kind: &'static str,
    message: String,
    sentence: usize,
    source: Option<String>,
) -> ValidationIssue {
    let suggestion = match &source {
        Some(text) => format!("The source says: {text}"),
        None => "Leave it out, or say that it is not certain".to_owned(),
    };
    ValidationIssue {
        severity,
        kind: kind.to_owned(),
        message,
        location: Some(format!("sentence:{}", sentence + 1)),
        suggestion: Some(suggestion),
        source,
    }
}
