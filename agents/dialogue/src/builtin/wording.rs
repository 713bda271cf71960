//! The form of what is said: short sentences, one question and that last, words that a sixth-grader reads. And what a
//! tenant says instead of the shipped sentences, held to the same form and to the rules.

use std::collections::{BTreeMap, BTreeSet};

use pipeline::ports::Language;

use super::facts::TenantFacts;
use super::script::{Script, TaskScript};

/// Most words of a sentence.
const WORDS: usize = 20;
/// Fewer words than this have no reading level.
const READABLE: usize = 10;
/// Highest grade of English (Flesch-Kincaid): under the seventh.
const GRADE: f32 = 6.95;
/// Least ease of Spanish (Fernández Huerta): plain prose.
const EASE: f32 = 55.0;
/// Most sentences of a tenant's own that are looked at.
const MOST: usize = 1000;

/// A tenant's own sentences: language tag, key, variants.
pub type Wording = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// A sentence of a tenant's that is not said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    pub language: String,
    pub key: String,
    pub reason: String,
}

/// What is wrong with the form of a sentence; nothing when it may be said.
#[must_use]
pub fn fault(language: Language, text: &str) -> Option<String> {
    let plain = without_places(text);
    let sentences = sentences(&plain);
    if let Some(long) = sentences.iter().map(|s| words(s).len()).find(|n| *n > WORDS) {
        return Some(format!("a sentence of {long} words; {WORDS} at most"));
    }
    match plain.matches('?').count() {
        0 => {}
        1 if plain.trim_end().ends_with('?') => {}
        1 => return Some("the question must come last".to_owned()),
        n => return Some(format!("{n} questions; one at a time")),
    }
    let all = words(&plain);
    if all.is_empty() {
        return Some("nothing to say".to_owned());
    }
    if all.len() < READABLE {
        return None;
    }
    let per_sentence = all.len() as f32 / sentences.len().max(1) as f32;
    let syllables = all.iter().map(|w| syllables(language, w)).sum::<usize>() as f32 / all.len() as f32;
    match language {
        Language::En => {
            let grade = 0.39 * per_sentence + 11.8 * syllables - 15.59;
            (grade > GRADE).then(|| format!("reads like grade {grade:.1}; the sixth at most"))
        }
        Language::Es => {
            let ease = 206.84 - 60.0 * syllables - 1.02 * per_sentence;
            (ease < EASE).then(|| format!("reading ease {ease:.0}; {EASE} at least"))
        }
    }
}

/// With "it" where a value is put in.
fn without_places(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        out.push_str("it");
        rest = after.split_once('}').map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}

fn sentences(text: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    for word in text.split_whitespace() {
        if let Some(last) = out.last_mut() {
            last.push_str(word);
            last.push(' ');
        }
        if word.ends_with(['.', '?', '!']) {
            out.push(String::new());
        }
    }
    out.retain(|sentence| !sentence.trim().is_empty());
    out
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().filter(|w| w.chars().any(char::is_alphanumeric)).collect()
}

/// Groups of vowels; in English without the silent ones at the end.
fn syllables(language: Language, word: &str) -> usize {
    let word: String = word.to_lowercase().chars().filter(|c| c.is_alphabetic()).collect();
    let vowel = |c: char| "aeiouyáéíóúü".contains(c);
    let mut count = 0;
    let mut before = false;
    for c in word.chars() {
        count += usize::from(vowel(c) && !before);
        before = vowel(c);
    }
    let silent_e = word.ends_with('e') && !word.ends_with("le");
    let stem = word.strip_suffix("ed").and_then(|stem| stem.chars().last());
    let silent_ed = stem.is_some_and(|last| !vowel(last) && !matches!(last, 't' | 'd'));
    if language == Language::En && count > 1 && (silent_e || silent_ed) {
        count -= 1;
    }
    count.max(1)
}

/// Every sentence of a language by its key: that of a prompt, or task, slot and what it is for.
#[must_use]
pub fn shipped(script: &Script) -> BTreeMap<String, Vec<String>> {
    let mut out: BTreeMap<String, Vec<String>> =
        script.prompts().map(|(key, variants)| (key.to_owned(), variants.to_vec())).collect();
    for task in &script.tasks {
        for (part, variants) in parts(task) {
            out.insert(part, variants.clone());
        }
    }
    out.retain(|_, variants| !variants.is_empty());
    out
}

fn parts(task: &TaskScript) -> Vec<(String, &Vec<String>)> {
    let id = &task.id;
    let mut out = vec![
        (format!("{id}.intro"), &task.intro),
        (format!("{id}.intro_story"), &task.intro_story),
        (format!("{id}.read_back"), &task.read_back),
        (format!("{id}.done"), &task.done),
        (format!("{id}.done_incomplete"), &task.done_incomplete),
    ];
    for slot in &task.slots {
        out.push((format!("{id}.{}.ask", slot.id), &slot.ask));
        out.push((format!("{id}.{}.ask_known", slot.id), &slot.ask_known));
        out.push((format!("{id}.{}.again", slot.id), &slot.again));
        for (about, variants) in &slot.ask_about {
            out.push((format!("{id}.{}.ask.{about}", slot.id), variants));
        }
    }
    out
}

/// What of a tenant's own wording may be said, and what may not and why. `broken` gives the rule that a sentence breaks.
#[must_use]
pub fn checked(
    facts: &TenantFacts,
    script: impl Fn(Language) -> BTreeMap<String, Vec<String>>,
    broken: impl Fn(Language, &str) -> Option<String>,
) -> (Wording, Vec<Refused>) {
    let (mut kept, mut refused) = (Wording::new(), Vec::new());
    for (tag, sentences) in &facts.wording {
        let Some(language) = Language::of(tag) else {
            let reason = "no such language".to_owned();
            refused.push(Refused { language: tag.clone(), key: String::new(), reason });
            continue;
        };
        let ours = script(language);
        for (key, variants) in sentences.iter().take(MOST) {
            let fault = match ours.get(key) {
                None => Some("no sentence of this key".to_owned()),
                Some(_) if variants.is_empty() => Some("nothing to say".to_owned()),
                Some(shipped) => variants.iter().find_map(|text| {
                    fault(language, text)
                        .or_else(|| other_places(shipped, text))
                        .or_else(|| broken(language, &without_places(text)))
                }),
            };
            match fault {
                Some(reason) => refused.push(Refused { language: tag.clone(), key: key.clone(), reason }),
                None => {
                    kept.entry(tag.clone()).or_default().insert(key.clone(), variants.clone());
                }
            }
        }
    }
    (kept, refused)
}

/// A sentence must have the places of the shipped one, or it would leave out what it is said for.
fn other_places(shipped: &[String], text: &str) -> Option<String> {
    const FACTS: [&str; 6] = ["county", "address", "office_phone", "hours", "body", "of_body"];
    let ours: BTreeSet<String> = shipped.iter().flat_map(|variant| places(variant)).collect();
    let theirs: BTreeSet<String> = places(text).into_iter().collect();
    let needs = |set: &BTreeSet<String>| -> BTreeSet<String> {
        set.iter().filter(|place| !FACTS.contains(&place.as_str())).cloned().collect()
    };
    let (needed, given) = (needs(&ours), needs(&theirs));
    if let Some(lost) = needed.difference(&given).next() {
        return Some(format!("{{{lost}}} is left out"));
    }
    given.difference(&needed).next().map(|place| format!("{{{place}}} is not known here"))
}

fn places(text: &str) -> Vec<String> {
    let parts = text.split('{').skip(1);
    parts.filter_map(|part| part.split_once('}')).map(|(place, _)| place.to_lowercase()).collect()
}

/// When each prompt is said.
const WHEN: &str = include_str!("../../data/front_desk/when.toml");

/// The table of all that is said, for people: `docs/wording.md`.
///
/// # Errors
/// Where the shipped notes cannot be read, which a test rules out.
pub fn table(english: &Script, spanish: &Script) -> Result<String, toml::de::Error> {
    let when: BTreeMap<String, String> = toml::from_str(WHEN)?;
    let (english, spanish) = (shipped(english), shipped(spanish));
    let mut out = String::from(
        "# What the line says\n\nMade from the shipped data; do not edit. `cargo run -p dialogue --example wording` prints it, and a\n\
         test keeps it equal. To change a sentence for one county, see [the guide](guides/wording.md).\n\n\
         | key | when | English | Spanish |\n|---|---|---|---|\n",
    );
    for (key, variants) in &english {
        let said = when.get(key).cloned().unwrap_or_else(|| of_task(key));
        let other = spanish.get(key).map(Vec::as_slice).unwrap_or_default();
        out.push_str(&format!("| `{key}` | {said} | {} | {} |\n", cell(variants), cell(other)));
    }
    Ok(out)
}

fn cell(variants: &[String]) -> String {
    variants.iter().map(|v| v.replace('|', "\\|")).collect::<Vec<_>>().join("<br>")
}

/// "incident.where.ask.light" in words.
fn of_task(key: &str) -> String {
    let parts: Vec<&str> = key.split('.').collect();
    match parts.as_slice() {
        [task, "intro"] => format!("Begins: {task}"),
        [task, "intro_story"] => format!("Begins: {task}, with what happened told already"),
        [task, "read_back"] => format!("Before the read-back: {task}"),
        [task, "done"] => format!("Done: {task}"),
        [task, "done_incomplete"] => format!("Left unfinished, and kept: {task}"),
        [task, slot, "ask"] => format!("Asks for {slot}: {task}"),
        [task, slot, "ask", about] => format!("Asks for {slot}: {task}, of a thing of the kind {about}"),
        [task, slot, "ask_known"] => format!("Asks for {slot}, where the caller's own is known: {task}"),
        [task, slot, "again"] => format!("Asks for {slot} again: {task}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn scripts() -> [(Language, &'static Script); 2] {
        [Language::En, Language::Es].map(|language| (language, Script::front_desk(language).unwrap()))
    }

    #[test]
    fn every_sentence_has_the_form_that_is_asked_of_a_tenant() {
        // What is said in Spanish whatever the line speaks stands in the English file for completeness.
        let mut wrong = Vec::new();
        for (language, script) in scripts() {
            for (key, variants) in shipped(script) {
                for text in variants {
                    // The key that offers the other language is said in it.
                    if key == "other_language" {
                        continue;
                    }
                    if let Some(fault) = fault(language, &text) {
                        wrong.push(format!("{key}: {fault}: {text}"));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn no_sentence_promises_what_does_not_happen() {
        let never =
            ["connect you to", "transfer you", "my limit", "please hold", "call-back", "le comunico con"];
        for (_, script) in scripts() {
            for (key, variants) in shipped(script) {
                for text in variants {
                    let lower = text.to_lowercase();
                    let found = never.iter().find(|phrase| lower.contains(**phrase));
                    assert!(found.is_none(), "{key}: {text}");
                    let number = text.contains("{reference}")
                        && !["reference", "reference_of"].contains(&key.as_str());
                    assert!(!number, "{key} gives a number before it was asked whether the caller can write");
                }
            }
        }
    }

    #[test]
    fn faults_of_form_are_found() {
        let en = |text: &str| fault(Language::En, text);
        assert_eq!(en("Where is it?"), None);
        assert!(en("Where is it? Please say it.").unwrap().contains("last"));
        assert!(en("Where is it? When was it?").unwrap().contains("2 questions"));
        assert!(en(&"very ".repeat(25)).unwrap().contains("25 words"));
        let hard = "Notification of administrative determinations necessitates supplementary documentation regarding municipal obligations.";
        assert!(en(hard).unwrap().contains("grade"));
        assert!(en("").is_some());
    }

    #[test]
    fn a_tenants_sentence_that_fails_is_refused_and_says_why() {
        let mut facts = crate::seed::riverbend(chrono::DateTime::UNIX_EPOCH).unwrap().facts;
        let own = [
            ("how_help", "What do you need today?"),
            ("silence_1", "Hello? Are you there?"),
            ("reference", "Your number is on file."),
            ("no_such", "Hello."),
            ("hold", "You will certainly win your case."),
        ];
        let own = own.map(|(key, text)| (key.to_owned(), vec![text.to_owned()]));
        facts.wording.insert("en".to_owned(), own.into_iter().collect());
        let script = |language| shipped(Script::front_desk(language).unwrap());
        let (kept, refused) =
            checked(&facts, script, |_, text| text.contains("win").then(|| "a rule".to_owned()));
        assert_eq!(kept["en"].keys().collect::<Vec<_>>(), ["how_help"]);
        let reasons: Vec<&str> = refused.iter().map(|r| r.key.as_str()).collect();
        assert_eq!(reasons, ["hold", "no_such", "reference", "silence_1"]);
    }

    #[test]
    fn the_table_in_the_docs_is_the_one_that_the_data_gives() {
        let [(_, english), (_, spanish)] = scripts();
        let made = table(english, spanish).unwrap();
        let kept = include_str!("../../../../docs/wording.md");
        assert_eq!(
            kept, made,
            "docs/wording.md is old: cargo run -p dialogue --example wording > docs/wording.md"
        );
        let when: BTreeMap<String, String> = toml::from_str(WHEN).unwrap();
        let lacks: Vec<_> =
            english.prompts().filter(|(key, _)| !when.contains_key(*key)).map(|p| p.0).collect();
        assert!(lacks.is_empty(), "when.toml lacks {lacks:?}");
    }
}
