//! The working context of one step: memory being changed, words being gathered. Dropped, it leaves no trace.

use std::cell::RefCell;
use std::rc::Rc;

use pipeline::ports::{AfterReply, Consented, Language};
use pipeline::turn::{Expectation, SegmentKind};

use super::engine::Dialogue;
use super::reply::Reply;
use super::script::{Script, SlotKind};
use super::state::{Pending, State};
use super::step::{Effect, Lookup, Note, Say, Step, View};
use super::untaken::ToldNow;
use language::Ear;
use language::intents::Understood;
use language::reply::Asked;

/// Prompts that mean "I did not understand", "I don't have that", or that offer a message or a person: whoever tells of
/// an emergency in words that nobody took for one hears these. The first of a call comes with what to do in one.
const UNHELPED: [&str; 21] = [
    "miss_1",
    "miss_2",
    "no_answer_number",
    "not_on_page",
    "miss_end",
    "miss_end_callback",
    "unclear_sound",
    "no_answer",
    "no_answer_in_task",
    "no_answer_again",
    "foreign",
    "foreign_phone",
    "foreign_offer",
    "give_up",
    "failed",
    "failed_again",
    "message_or_person",
    "silence_2",
    "silence_3",
    "profanity_person",
    "abilities",
];
/// Prompts that give a caller what they called for.
const SERVES: [&str; 5] = ["source", "clock", "office", "reference", "reference_later"];
/// Prompts that say what to do in an emergency.
const SAYS_911: [&str; 10] = [
    "hurt_911",
    "emergency_interpreter",
    "emergency_wait",
    "emergency_go",
    "emergency_911",
    "emergency_988",
    "emergency_again",
    "emergency_now",
    "emergency_stay",
    "emergency_unless",
];

/// Thousandths of danger below which words are ordinary business.
const HINT: u16 = 130;
/// What the rules read in the place of the caller's own words.
pub(super) const THEIRS: &str = "that";
/// Longest list of sentences in one reply; a digression that resumes a task stays under it.
const MAX_SAYS: usize = 12;

/// A reply that was read for its parts, and as what.
pub(super) struct PartsRead {
    pub(super) asked: Asked,
    pub(super) language: Language,
    pub(super) text: String,
    pub(super) reply: Rc<Reply>,
}

pub(super) struct Turn<'a> {
    pub(super) dialogue: &'a Dialogue,
    /// Of the conversation's language, as is the ear.
    pub(super) script: &'a Script,
    pub(super) ear: Ear,
    /// Language of what is being said.
    voice: Language,
    pub(super) changed: Option<Language>,
    pub(super) consented: Option<Consented>,
    pub(super) view: &'a View<'a>,
    pub(super) state: State,
    pub(super) out: Vec<Say>,
    pub(super) effects: Vec<Effect>,
    pub(super) expects: Expectation,
    pub(super) then: AfterReply,
    pub(super) wants: Option<Lookup>,
    pub(super) note: Note,
    /// Misses before this turn; any understood turn sets the count back.
    pub(super) misses_before: u8,
    /// The caller's words, which were searched for before the step.
    pub(super) whole: String,
    /// Those of them that the head's reading holds for.
    pub(super) heard: String,
    /// The page that the caller just turned down.
    pub(super) rejected: Option<String>,
    /// We asked back only now.
    pub(super) asked_back: bool,
    /// The recogniser is not sure of the words.
    pub(super) unsure: bool,
    /// The caller pressed keys.
    pub(super) by_keys: bool,
    /// The language was changed on request in this turn.
    pub(super) asked_for_language: bool,
    /// Texts that were served as wishes in this turn.
    pub(super) opened: usize,
    /// The reply before this turn sent the caller to 911.
    pub(super) after_emergency: bool,
    /// What [`Self::heard`] was taken for.
    pub(super) head: Understood,
    /// The words tell of somebody who was hurt and is in no danger now.
    pub(super) harmed: bool,
    /// What was said to the open task in this turn.
    pub(super) told_now: Option<ToldNow>,
    /// What was asked in this turn was answered, or noted.
    pub(super) asks_served: bool,
    /// Parts of replies that were read in this turn.
    pub(super) read: RefCell<Vec<PartsRead>>,
}

impl<'a> Turn<'a> {
    pub(super) fn new(dialogue: &'a Dialogue, view: &'a View<'a>, state: &State) -> Self {
        Self {
            dialogue,
            script: dialogue.script_in(state.language),
            ear: Ear(state.language),
            voice: state.language,
            changed: None,
            consented: None,
            view,
            state: state.clone(),
            out: Vec::new(),
            effects: Vec::new(),
            expects: Expectation::Open,
            then: AfterReply::Listen,
            wants: None,
            note: Note::default(),
            misses_before: 0,
            whole: String::new(),
            heard: String::new(),
            rejected: None,
            asked_back: false,
            unsure: false,
            by_keys: false,
            asked_for_language: false,
            opened: 0,
            after_emergency: false,
            head: view.understood.clone(),
            harmed: false,
            told_now: None,
            asks_served: false,
            read: RefCell::default(),
        }
    }

    /// Closes the step. Prompts into silence do not replace what "say that again" repeats.
    pub(super) fn finish(mut self) -> Step {
        self.state.turn = self.state.turn.saturating_add(1);
        let words = self.out.iter().any(|say| say.kind != SegmentKind::Prompt);
        if words {
            self.state.last = self.out.clone();
            self.state.last_expects = self.expects;
            self.state.last_pending = self.state.pending.clone();
        } else if !self.state.holding {
            self.expects = self.state.last_expects;
        }
        self.waits_on();
        self.file_staff_notes();
        self.state.closed |= self.then == AfterReply::HangUp;
        self.state.served |= !self.state.references.is_empty() || self.state.topic.is_some();
        Step {
            state: self.state,
            say: self.out,
            effects: self.effects,
            expects: self.expects,
            then: self.then,
            wants: self.wants,
            note: self.note,
            language: self.changed,
            consented: self.consented,
        }
    }

    /// Says a prompt.
    pub(super) fn say(&mut self, key: &str) {
        self.say_with(key, &[]);
    }

    /// Says a prompt with its places filled.
    pub(super) fn say_with(&mut self, key: &str, fill: &[(&str, &str)]) {
        let variants = self.worded(key);
        self.say_one_of(variants, key, fill, SegmentKind::Reply, false);
    }

    /// Says a prompt that reads back what the caller said, which is in its places.
    pub(super) fn say_back(&mut self, key: &str, fill: &[(&str, &str)]) {
        let before = self.out.len();
        self.say_with(key, fill);
        for say in self.out.iter_mut().skip(before) {
            let values = fill.iter().map(|(_, value)| value).filter(|value| !value.is_empty());
            say.ours = Some(values.fold(say.text.clone(), |text, value| text.replace(value, THEIRS)));
        }
    }

    /// Variants of a prompt in the conversation's language: the tenant's, or the shipped ones.
    pub(super) fn worded(&self, key: &str) -> &'a [String] {
        self.worded_or(key, self.script.prompt(key))
    }

    /// The tenant's own words for a sentence that stands in a task, or the shipped ones.
    pub(super) fn worded_or(&self, key: &str, shipped: &'a [String]) -> &'a [String] {
        self.view.facts.worded(self.script.language, key, shipped)
    }

    /// Speaks this language from here on.
    pub(super) fn speak(&mut self, language: Language) {
        self.script = self.dialogue.script_in(language);
        self.ear = Ear(language);
        self.voice = language;
        self.state.language = language;
        self.changed = Some(language);
    }

    /// Says a prompt of a language, whatever the conversation is held in.
    pub(super) fn say_in(&mut self, language: Language, key: &str, fill: &[(&str, &str)], promises: bool) {
        let voice = std::mem::replace(&mut self.voice, language);
        let script = self.dialogue.script_in(language);
        self.say_one_of(script.prompt(key), key, fill, SegmentKind::Reply, promises);
        self.voice = voice;
    }

    /// Says a prompt as something else than a reply.
    pub(super) fn say_kind(&mut self, key: &str, kind: SegmentKind) {
        let variants = self.worded(key);
        self.say_one_of(variants, key, &[], kind, false);
    }

    /// Says a prompt that is true only once the effects of this step took place.
    pub(super) fn say_promise(&mut self, variants: &[String], key: &str, fill: &[(&str, &str)]) {
        self.say_one_of(variants, key, fill, SegmentKind::Reply, true);
    }

    /// Says one of a few variants, chosen by seed and turn so that a re-run says the same.
    pub(super) fn say_one_of(
        &mut self,
        variants: &[String],
        key: &str,
        fill: &[(&str, &str)],
        kind: SegmentKind,
        promises: bool,
    ) {
        self.mind_emergencies(key);
        let known: Vec<&String> = variants.iter().filter(|v| self.view.facts.knows(v)).collect();
        if known.is_empty() && !variants.is_empty() {
            // A sentence whose facts are missing is not said.
            let plain = format!("{key}_plain");
            let script = self.dialogue.script_in(self.voice);
            if let Some(variant) = self.pick(&script.prompt(&plain).iter().collect::<Vec<_>>(), key) {
                self.say_text(variant, fill, kind, promises);
            }
            return;
        }
        if let Some(variant) = self.pick(&known, key) {
            let variant = variant.to_owned();
            self.say_text(&variant, fill, kind, promises);
        }
    }

    /// What to do in an emergency goes before the first words of a call that do not help.
    fn mind_emergencies(&mut self, key: &str) {
        if SAYS_911.contains(&key) {
            self.state.told_911 = true;
        }
        self.state.served |= SERVES.contains(&key);
        let unhelped = UNHELPED.contains(&key) || (key == "goodbye" && !self.state.served);
        if !unhelped || self.state.told_911 || !self.may_be_danger() {
            return;
        }
        self.state.told_911 = true;
        if let Some(notice) = self.dialogue.script_in(self.voice).prompt("emergency_911").first() {
            self.say_text(notice, &[], SegmentKind::Reply, false);
        }
    }

    /// Whether what the caller said this turn has any likeness to danger; nothing said, or nothing made out, may have.
    fn may_be_danger(&self) -> bool {
        self.whole.is_empty() || self.dialogue.danger.read(&self.whole).danger >= HINT
    }

    /// Says a prompt of another language as a notice.
    pub(super) fn notice_in(&mut self, language: Language, key: &str) {
        let voice = std::mem::replace(&mut self.voice, language);
        let script = self.dialogue.script_in(language);
        self.say_one_of(script.prompt(key), key, &[], SegmentKind::Notice, false);
        self.voice = voice;
    }

    pub(super) fn say_text(
        &mut self,
        template: &str,
        fill: &[(&str, &str)],
        kind: SegmentKind,
        promises: bool,
    ) {
        let constant = self.view.facts.fill(self.voice, template);
        let fixed = !constant.contains('{');
        let text =
            fill.iter().fold(constant, |text, (name, value)| text.replace(&format!("{{{name}}}"), value));
        if !text.trim().is_empty() && self.out.len() < MAX_SAYS {
            let text = text.trim().to_owned();
            self.out.push(Say { text, ours: None, kind, fixed, promises, language: self.voice });
        }
    }

    fn pick<'v>(&self, variants: &[&'v String], key: &str) -> Option<&'v str> {
        let salt = key.bytes().fold(self.view.seed ^ u64::from(self.state.turn), |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
        });
        let index = (salt >> 17) as usize % variants.len().max(1);
        variants.get(index).map(|variant| variant.as_str())
    }

    /// Puts a question outside of a task.
    pub(super) fn ask_pending(&mut self, key: &str, pending: Pending) {
        self.say(key);
        self.state.offered_for.clear();
        self.state.pending = Some(pending);
        self.expects = match self.state.pending {
            Some(
                Pending::Offer(_)
                | Pending::PutThrough(_)
                | Pending::Line(_)
                | Pending::Write
                | Pending::Drop
                | Pending::MoreOnPage,
            ) => Expectation::YesNo,
            _ => Expectation::Open,
        };
    }

    /// What was asked for beside, or "is there anything else?".
    pub(super) fn anything_else(&mut self) {
        if self.take_up() {
            return;
        }
        // Something else was asked in place of an answer: the number is offered once more.
        if std::mem::take(&mut self.state.owes_reference) && self.state.tasks.is_empty() {
            return self.ask_pending("write_down", Pending::Write);
        }
        // What we called about comes before that.
        if !self.asks_missing() {
            self.ask_pending("anything_else", Pending::More);
        }
    }

    pub(super) fn hang_up(&mut self, key: &str) {
        self.say(key);
        self.then = AfterReply::HangUp;
    }

    pub(super) fn did(&mut self, heard: &str, did: &str) {
        heard.clone_into(&mut self.note.heard);
        did.clone_into(&mut self.note.did);
    }
}

/// What kind of answer a slot waits for.
pub(super) const fn expectation(kind: SlotKind) -> Expectation {
    match kind {
        SlotKind::Story | SlotKind::Text => Expectation::Story,
        SlotKind::Place | SlotKind::Address => Expectation::Address,
        SlotKind::When | SlotKind::Day | SlotKind::Opening => Expectation::Date,
        SlotKind::Injured => Expectation::YesNo,
        SlotKind::Name => Expectation::Name,
        SlotKind::Proof => Expectation::Secret,
        SlotKind::Phone | SlotKind::ClaimNumber => Expectation::Digits,
    }
}
