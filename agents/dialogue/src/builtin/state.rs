//! What the dialogue remembers between turns. Plain data: cloning it is how a run stays without effect.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use pipeline::ports::{Consent, Language, Returned};
use pipeline::turn::Expectation;
use serde::{Deserialize, Serialize};

use super::beliefs::Belief;
use super::missing::Missing;
use super::policy::clarify::Choice;
use super::reminder::Reminded;
use super::step::{Opening, Say};

/// How often one question may be put.
pub const MAX_ASKS: u8 = 3;
/// Bytes of what is kept beside the answers of one task.
const MAX_ASIDE: usize = 600;
/// Wishes that are remembered while another is served.
pub const MAX_LATER: usize = 3;

/// A slot's value.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filled {
    /// For the store: ISO date, E.164, plain text. Empty: not given.
    pub value: String,
    /// For reading back.
    pub spoken: String,
}

language::shown!(Filled, "Filled": ; value, spoken);

impl Filled {
    #[must_use]
    pub fn new(value: impl Into<String>, spoken: impl Into<String>) -> Self {
        Self { value: value.into(), spoken: spoken.into() }
    }

    /// The caller could or would not say.
    #[must_use]
    pub fn not_given() -> Self {
        Self::new("", "not given")
    }
}

/// Where a task stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Waiting for a slot's answer.
    Slot(String),
    /// Read back; waiting for a yes.
    Confirm,
    /// "What should I change?"
    Which,
}

/// A task in progress.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    pub id: String,
    pub stage: Stage,
    pub slots: BTreeMap<String, Filled>,
    /// Slots in the order they were filled, for "go back".
    pub order: Vec<String>,
    /// How often each question was put.
    pub asked: BTreeMap<String, u8>,
    /// When the caller wants to be called, in their own words.
    #[serde(default)]
    pub call_when: String,
    /// For whom a message is.
    #[serde(default)]
    pub to: String,
    /// What was told beside the answers of a task that asks for no account: "there's a dog in the yard".
    #[serde(default)]
    pub aside: String,
    /// Digits of a phone number given so far.
    pub digits: String,
    /// We asked whether the caller's own number will do.
    pub asked_known: bool,
    /// The caller's own number will not do.
    pub known_refused: bool,
    /// Free times last offered.
    pub offered: Vec<Opening>,
    pub chosen: Option<Opening>,
    /// Free times that turned out taken or were turned down.
    pub refused: BTreeSet<uuid::Uuid>,
    /// Days that the caller cannot.
    #[serde(default)]
    pub ruled_out: BTreeSet<NaiveDate>,
    /// Where values come from, how sure they are, and what the caller took back.
    #[serde(default)]
    pub beliefs: BTreeMap<String, Belief>,
    /// What was meant perhaps and what was heard, where the caller was asked about it.
    #[serde(default)]
    pub doubt: Option<(Filled, Filled)>,
    /// Reference of what is filed already and is put right here.
    #[serde(default)]
    pub amends: Option<String>,
    /// The values that are on file there.
    #[serde(default)]
    pub before: BTreeMap<String, Filled>,
}

language::shown!(Task, "Task": id, stage, order, asked, asked_known, known_refused, beliefs, doubt, amends; slots, digits, call_when, to, aside, offered, refused, ruled_out, before);

impl Task {
    #[must_use]
    pub fn new(id: &str) -> Self {
        Self {
            call_when: String::new(),
            to: String::new(),
            aside: String::new(),
            id: id.to_owned(),
            stage: Stage::Confirm,
            slots: BTreeMap::new(),
            order: Vec::new(),
            asked: BTreeMap::new(),
            digits: String::new(),
            asked_known: false,
            known_refused: false,
            offered: Vec::new(),
            chosen: None,
            refused: BTreeSet::new(),
            ruled_out: BTreeSet::new(),
            beliefs: BTreeMap::new(),
            doubt: None,
            amends: None,
            before: BTreeMap::new(),
        }
    }

    /// Goes on where another task was left: for whom it is, and what the caller took back there.
    pub fn follow(&mut self, before: Self) {
        if self.to.is_empty() {
            self.to = before.to;
        }
        for (slot, belief) in before.beliefs {
            if self.slots.get(&slot).is_some_and(|held| belief.refuses(held)) {
                self.clear(&slot);
            }
            self.beliefs.entry(slot).or_insert(belief);
        }
    }

    /// Nothing of it differs yet from what is filed already.
    #[must_use]
    pub fn is_on_file(&self) -> bool {
        self.amends.is_some() && self.slots == self.before
    }

    /// Puts a value in, remembering the order.
    pub fn fill(&mut self, slot: &str, filled: Filled) {
        self.order.retain(|s| s != slot);
        self.order.push(slot.to_owned());
        self.slots.insert(slot.to_owned(), filled);
    }

    /// Takes a value out, to be asked again.
    pub fn clear(&mut self, slot: &str) {
        self.order.retain(|s| s != slot);
        self.slots.remove(slot);
    }

    /// Keeps what was told beside the answers: once, and no more than a person would read.
    pub fn note_beside(&mut self, told: &str) {
        let told = told.trim_matches([' ', ',', '.']);
        if told.is_empty() || self.aside.contains(told) || self.aside.len() + told.len() > MAX_ASIDE {
            return;
        }
        let between = if self.aside.is_empty() { "" } else { "; " };
        self.aside = format!("{}{between}{told}", self.aside);
    }

    /// Counts one more asking of a question: which time this is, or `None` when it was put often enough.
    pub fn count(&mut self, question: &str) -> Option<u8> {
        let asked = self.asked.entry(question.to_owned()).or_default();
        if *asked >= MAX_ASKS {
            return None;
        }
        *asked += 1;
        Some(*asked)
    }

    /// A question that was answered with something else of use was not put in vain.
    pub fn uncount(&mut self, question: &str) {
        if let Some(asked) = self.asked.get_mut(question) {
            *asked = asked.saturating_sub(1);
        }
    }
}

/// A question put outside of a task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pending {
    /// "Is there anything else?"
    More,
    /// "Do you have something to write with?"
    Write,
    /// "Would you like …?": a yes starts this task.
    Offer(String),
    /// "Would you like more on that?"
    MoreOnPage,
    /// "Should I drop all of it?"
    Drop,
    /// "Is it this, or that?"
    Which(Vec<Choice>),
    /// "A message, or a person?"
    MessageOrPerson,
    /// "I can put you through to this target. Shall I?"
    PutThrough(String),
    /// "Everybody at this target is on a call. Would you like to wait?"
    Line(String),
    /// "Shall I ask somebody in the office?"
    AskStaff,
    /// "May we record this call?"
    Recording,
    /// "May I tell you of your appointment now?"
    Remind,
    /// "Will you be there?"
    Coming,
    /// "I have a question about a request of yours. May I ask you now?"
    MayAsk,
    /// What is missing in that request.
    Missing,
    /// Asked in Spanish on a line that does not speak it: "press one, and somebody calls you back in Spanish".
    CallBackInSpanish,
    /// Asked in Spanish for the keys of a telephone number.
    NumberInSpanish,
}

/// How far a caller came who wants Spanish on a line that does not speak it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallBack {
    #[default]
    NotAsked,
    /// The notice was said.
    Offered,
    /// They went on in English.
    Declined,
    /// On file, once and for all.
    Filed,
}

/// What the last answer was about.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topic {
    pub source: String,
    /// Beginnings of the passages that were spoken already.
    pub read: Vec<String>,
    /// Sentences of the last one that were not said.
    #[serde(default)]
    pub rest: Vec<String>,
}

language::shown!(Topic, "Topic": source; read, rest);

/// The dialogue's memory of one call.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct State {
    /// Turns so far.
    pub turn: u32,
    /// Unfinished tasks; the last is the one talked about.
    pub tasks: Vec<Task>,
    /// Tasks that could not be saved; the end of the call tries once more.
    pub parked: Vec<Task>,
    pub pending: Option<Pending>,
    /// Turns in a row that were not understood.
    pub misses: u8,
    pub rude: u8,
    /// Questions without an answer in a row.
    pub unanswered: u8,
    /// The last reply, for "say that again".
    pub last: Vec<Say>,
    pub last_expects: Expectation,
    /// What that reply asked outside of a task.
    #[serde(default)]
    pub last_pending: Option<Pending>,
    pub topic: Option<Topic>,
    /// The last turn was about an emergency.
    pub emergency: bool,
    pub urgent: bool,
    /// We asked into a silence whether anybody is there.
    pub prompted: bool,
    /// The caller asked us to wait.
    pub holding: bool,
    /// Name and number, once known, serve every task of the call.
    pub known: BTreeMap<String, Filled>,
    /// References given out, latest last.
    pub references: Vec<String>,
    pub claim_tries: u8,
    /// Claims whose status was told.
    #[serde(default)]
    pub told_claims: Vec<String>,
    pub failures: u8,
    /// The carrier gave a number to call back.
    pub caller_number: bool,
    /// We said goodbye.
    pub closed: bool,
    /// What the conversation is held in.
    #[serde(default)]
    pub language: Language,
    /// What the line's recogniser and voice can both do. Empty: the conversation's language alone.
    #[serde(default)]
    pub spoken: Vec<Language>,
    /// The recogniser heard the caller speak this; the next turn takes it up.
    #[serde(default)]
    pub heard: Option<Language>,
    /// Languages in which the caller was told who speaks and what is recorded.
    #[serde(default)]
    pub noticed: Vec<Language>,
    /// A call-back in Spanish, where the line does not speak it.
    #[serde(default)]
    pub call_back: CallBack,
    /// How often that call-back was asked about in a row.
    #[serde(default)]
    pub call_back_asked: u8,
    /// Wrong PINs of this call.
    #[serde(default)]
    pub pin_tries: u8,
    /// The line's greeting does not say what to do in an emergency.
    #[serde(default)]
    pub quiet_greeting: bool,
    /// We called them.
    #[serde(default)]
    pub outbound: bool,
    /// The appointment that we called about, until they answered.
    #[serde(default)]
    pub reminded: Option<Reminded>,
    /// What is missing in the request that we called about, until they answered.
    #[serde(default)]
    pub missing: Option<Missing>,
    /// A carrier has the call, and can put it through.
    #[serde(default)]
    pub can_transfer: bool,
    /// The caller came back from a person who did not take the call, and has said nothing since.
    #[serde(default)]
    pub returned: Option<Returned>,
    /// Targets that this call came back from.
    #[serde(default)]
    pub not_taken: Vec<String>,
    /// The target that the caller waits in line for.
    #[serde(default)]
    pub in_line: Option<String>,
    /// Somebody of the office is there to be asked.
    #[serde(default)]
    pub staff_there: bool,
    /// Questions that they were asked.
    #[serde(default)]
    pub asked_staff: u8,
    /// What they are asked now, while the caller waits. Empty: nothing.
    #[serde(default)]
    pub asking: String,
    /// What people who had the call noted when they gave it back: it goes with whatever is filed.
    #[serde(default)]
    pub staff_notes: Vec<String>,
    /// The line that was called, in E.164. Empty: not known.
    #[serde(default)]
    pub line: String,
    /// The caller does not want to be put through.
    #[serde(default)]
    pub wants_no_transfer: bool,
    /// Somebody was offered to who stays on the line in an emergency.
    #[serde(default)]
    pub offered_in_emergency: bool,
    /// What the line tells its callers of being recorded.
    #[serde(default)]
    pub consent: Consent,
    /// After the greeting, the caller was told what to do in an emergency.
    #[serde(default)]
    pub told_911: bool,
    /// The caller was told how to pass over a question by keys.
    #[serde(default)]
    pub told_pound: bool,
    /// The caller got something that they called for.
    #[serde(default)]
    pub served: bool,
    /// What the caller said that made us ask whether anybody is in danger, until they answer.
    #[serde(default)]
    pub doubt: String,
    /// What those words were taken for: routes, and thousandths.
    #[serde(default)]
    pub doubt_wants: Vec<(String, u16)>,
    /// That was asked in this call. Once is enough: who said no is not asked at every word.
    #[serde(default)]
    pub doubted: bool,
    /// What the caller asked for in one breath with what is done now, in their words.
    #[serde(default)]
    pub later: Vec<String>,
    /// The last question that was answered, or asked back about.
    #[serde(default)]
    pub question: String,
    /// The last words that named what they are about, for questions that leave it out.
    #[serde(default)]
    pub about: String,
    /// The last words that we could not help with: what a colleague will be told.
    #[serde(default)]
    pub misheard: String,
    /// A reference number was offered and not yet told.
    #[serde(default)]
    pub owes_reference: bool,
    /// The caller's feelings were acknowledged. Once is enough.
    #[serde(default)]
    pub felt: bool,
    /// After several misses a call-back was begun.
    #[serde(default)]
    pub rescued: bool,
    /// What was filed on this call, in the caller's words.
    #[serde(default)]
    pub filed: Vec<String>,
    /// What was filed last, to be put right.
    #[serde(default)]
    pub done: Option<Task>,
    /// The words that the last offer of a task was made for: a yes begins it with them.
    #[serde(default)]
    pub offered_for: String,
    /// What the turn before told while no task was open: a report that begins now is of that.
    #[serde(default)]
    pub told_before: String,
}

language::shown!(State, "State": turn, tasks, parked, pending, misses, rude, unanswered, last, last_expects, topic, emergency, urgent, prompted, holding, doubt_wants, claim_tries, failures, caller_number, closed, language, spoken, heard, noticed, call_back, call_back_asked, pin_tries, quiet_greeting, outbound, reminded, missing, can_transfer, returned, not_taken, in_line, wants_no_transfer, offered_in_emergency, staff_there, asked_staff, line, consent, told_911, told_pound, served, doubted, last_pending, felt, rescued, done; known, references, told_claims, doubt, later, question, about, misheard, filed, offered_for, told_before, asking, staff_notes);

impl State {
    #[must_use]
    pub fn new(caller_number: bool) -> Self {
        Self { caller_number, ..Self::default() }
    }

    /// For a line that greets in `language` and can speak all of `spoken`.
    #[must_use]
    pub fn speaking(self, language: Language, spoken: &[Language]) -> Self {
        Self { language, spoken: spoken.to_vec(), ..self }
    }

    /// The caller waits, in line or for an answer of the office's.
    #[must_use]
    pub fn waits(&self) -> bool {
        self.in_line.is_some() || !self.asking.is_empty()
    }

    /// Whether the line can hold a conversation in this language.
    #[must_use]
    pub fn speaks(&self, language: Language) -> bool {
        self.language == language || self.spoken.contains(&language)
    }

    #[must_use]
    pub fn task(&self) -> Option<&Task> {
        self.tasks.last()
    }
}
