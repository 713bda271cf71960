//! The rules over a step of the built-in dialogue. Its own script passes them (a test says so); what a document or a record
//! makes it say is looked at here. Pure but for the set that is in force.

use pipeline::ports::{Language, TurnInput};
use pipeline::turn::SegmentKind;

use super::discarded_replies::Origin;
use super::office::{Knowledge, Office};
use super::rulings::Rulings;
use dialogue::builtin::{Effect, Say, State, Step};
use governance::rules::{Known, RuleSet, Spoken, Violation, permitted};

/// Shortest value of the caller's that is looked for in what is read back.
const SHORTEST: usize = 4;

/// Replaces what may not be said.
pub(super) fn rule_over(office: &Office, origin: &Origin, knowledge: &Knowledge, step: &mut Step) -> Rulings {
    let set = office.desk.rules.current();
    let said = if let TurnInput::Said { text, .. } = &origin.input { text.as_str() } else { "" };
    let values = values(step);
    let mut shown = shown(&origin.state, knowledge, &values);
    // What a person of the office answered is as good as a page.
    if let TurnInput::Answered { text } = &origin.input {
        shown.learn(text);
    }
    let desk = Desk { set: &set, said, shown: &shown, values: &values };
    let mut rulings = Rulings::default();
    let mut say = Vec::with_capacity(step.say.len());
    let mut dropping = false;
    for one in std::mem::take(&mut step.say) {
        if one.fixed || one.kind != SegmentKind::Reply {
            say.push(one);
            continue;
        }
        if dropping && !one.promises {
            continue;
        }
        let broken = desk.check(&one, say.is_empty());
        rulings.note(&broken);
        let Some(first) = broken.first().filter(|_| !permitted(&broken)) else {
            say.push(one);
            continue;
        };
        dropping |= first.rule.drops_rest;
        let instead = Say {
            text: first.said(one.language, None),
            ours: None,
            fixed: true,
            promises: false,
            ..one.clone()
        };
        for last in step.state.last.iter_mut().filter(|last| last.text == one.text) {
            last.clone_from(&instead);
        }
        say.push(instead);
    }
    step.say = say;
    add_what_lacks(&desk, step, &mut rulings);
    rulings
}

struct Desk<'a> {
    set: &'a RuleSet,
    said: &'a str,
    shown: &'a Known,
    values: &'a [String],
}

impl Desk<'_> {
    /// Sentence by sentence. What the caller said themselves and is read back to them is not ours.
    fn check(&self, say: &Say, is_first: bool) -> Vec<Violation> {
        let mut all = Vec::new();
        let ours = say.ours.as_deref().unwrap_or(&say.text);
        for (n, text) in language::sentences(ours).iter().enumerate() {
            let is_first = is_first && n == 0;
            let broken = self.words(text, say.language, is_first);
            if !broken.is_empty() {
                let own = without(text, self.values);
                all.extend(if own == *text { broken } else { self.words(&own, say.language, is_first) });
            }
        }
        all.sort_by_key(|violation| std::cmp::Reverse(violation.rule.action));
        all
    }

    fn words(&self, text: &str, language: Language, is_first: bool) -> Vec<Violation> {
        let (shown, caller_words) = (Some(self.shown), self.said);
        self.set.check_words(&Spoken { is_first, shown, caller_words, ..Spoken::new(text, language) })
    }
}

/// What the reply as a whole must say and does not.
fn add_what_lacks(desk: &Desk<'_>, step: &mut Step, rulings: &mut Rulings) {
    let is_emergency = step.effects.iter().any(|effect| matches!(effect, Effect::MarkUrgent { .. }));
    let language = step.say.last().map_or(step.state.language, |say| say.language);
    let text = step.say.iter().map(|say| say.text.as_str()).collect::<Vec<_>>().join(" ");
    let broken = desk.set.check_reply(&Spoken { is_emergency, ..Spoken::new(&text, language) });
    rulings.note(&broken);
    for violation in broken.iter().filter(|violation| !violation.permits()) {
        let text = violation.said(language, None);
        step.say.push(Say {
            text,
            ours: None,
            kind: SegmentKind::Reply,
            fixed: true,
            promises: false,
            language,
        });
    }
}

/// What the step may say because a document or a record says so, or because the caller said it and hears it read back: the
/// script makes no prices of what it was told.
fn shown(before: &State, knowledge: &Knowledge, values: &[String]) -> Known {
    let mut shown = Known::default();
    let searched = knowledge.searched.iter().flat_map(|search| search.found.iter().chain(&search.within));
    for passage in knowledge.passages.iter().chain(&knowledge.topic).chain(searched) {
        shown.learn(&passage.text);
    }
    // "More" is said of a page that an earlier turn found.
    for sentence in before.topic.iter().flat_map(|topic| &topic.rest) {
        shown.learn(sentence);
    }
    if let Some(claim) = knowledge.claim.iter().flatten().next() {
        shown.learn(&claim.status_text);
    }
    for value in values {
        shown.learn_values(value);
        shown.learn_phone(value);
    }
    shown
}

/// What the caller told, as it may be read back.
fn values(step: &Step) -> Vec<String> {
    let tasks = step.state.tasks.iter().chain(&step.state.parked).flat_map(|task| task.slots.values());
    let mut values: Vec<String> = tasks
        .chain(step.state.known.values())
        .flat_map(|filled| [filled.spoken.clone(), filled.value.clone()])
        .chain(step.effects.iter().flat_map(|effect| match effect {
            Effect::File(filing) => filing.fields.values().cloned().collect(),
            Effect::MarkUrgent { .. }
            | Effect::PutThrough { .. }
            | Effect::AskStaff { .. }
            | Effect::Line(_)
            | Effect::NoteOn { .. }
            | Effect::StopCalls { .. } => Vec::new(),
        }))
        .filter(|value| value.len() >= SHORTEST)
        .collect();
    // The longest first, so that a part of one does not break it up.
    values.sort_by_key(|value| std::cmp::Reverse(value.len()));
    values.dedup();
    values
}

fn without(text: &str, values: &[String]) -> String {
    let mut text = text.to_owned();
    for value in values {
        let bare = value.trim().trim_end_matches(['.', '!', '?']);
        let pattern = regex::RegexBuilder::new(&regex::escape(bare)).case_insensitive(true).build();
        if let Ok(pattern) = pattern {
            text = pattern.replace_all(&text, "that").into_owned();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;
    use dialogue::builtin::{Passage, Search, Searched};

    #[test]
    fn read_back_words_break_no_rule() {
        let set = RuleSet::load("", &[]).unwrap();
        let promise = "We will cut the tree down on Friday, I promise.";
        let say = |ours: Option<&str>| Say {
            text: format!("Message: {promise}"),
            ours: ours.map(str::to_owned),
            kind: SegmentKind::Reply,
            fixed: false,
            promises: false,
            language: Language::En,
        };
        let desk = Desk { set: &set, said: "", shown: &Known::default(), values: &[] };
        assert!(!desk.check(&say(None), false).is_empty(), "a promise of ours");
        assert!(desk.check(&say(Some("Message: that")), false).is_empty(), "the caller's");
    }

    #[test]
    fn what_a_page_says_may_be_said_whenever_it_was_found() {
        let set = RuleSet::load("", &[]).unwrap();
        let breaks = |shown: &Known| {
            let text = "A dog license costs $10.";
            !set.check_words(&Spoken { shown: Some(shown), ..Spoken::new(text, Language::En) }).is_empty()
        };
        let nothing = Knowledge::default();
        assert!(breaks(&shown(&State::default(), &nothing, &[])), "a price out of the air");

        let mut before = serde_json::to_value(State::default()).unwrap();
        before["topic"] = json!({ "source": "dogs.md", "read": [], "rest": ["A dog license costs $10."] });
        let before: State = serde_json::from_value(before).unwrap();
        assert!(!breaks(&shown(&before, &nothing, &[])), "more of the page that was spoken of");

        let page = Passage {
            source: "dogs.md".into(),
            title: "Dogs".into(),
            text: "A dog license costs $10 a year.".into(),
            relevance: 0.9,
            paraphrase: None,
            centre: None,
            sentences: Vec::new(),
            shared: 0.0,
            front: knowledge::FrontMatter::default(),
        };
        let search = Search { text: "dogs".into(), within: None };
        let searched = vec![Searched { search, found: vec![page], within: Vec::new() }];
        let looked_up = Knowledge { searched, ..Knowledge::default() };
        assert!(!breaks(&shown(&State::default(), &looked_up, &[])), "a page looked up amid the step");
    }
}
