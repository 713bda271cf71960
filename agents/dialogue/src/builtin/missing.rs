//! We called because something is missing in a request: told what it is about once they are there, and asked for one thing at a
//! time. What they answer is noted on the request before it is confirmed.

use chrono::NaiveDate;
use language::YesNo;
use language::beside::question_beside;
use pipeline::turn::{Expectation, SegmentKind};
use serde::{Deserialize, Serialize};

use super::engine::Dialogue;
use super::intent::by_cue;
use super::reminder::Ready;
use super::script::{Does, Slot, SlotKind};
use super::slots::{self, Read};
use super::state::{Filled, MAX_ASKS, Pending, State};
use super::step::Effect;
use super::turn::{Turn, expectation};

/// What a team may find missing, and where the question for it stands: its task and slot.
const QUESTIONS: [(&str, &str, &str); 8] = [
    ("what", "incident", "what"),
    ("where", "incident", "where"),
    ("when", "incident", "when"),
    ("injured", "incident", "injured"),
    ("address", "booking", "address"),
    ("opening", "booking", "day"),
    ("message", "message", "message"),
    (REQUEST, "person", "reason"),
];
/// Nothing is known of what they wanted: the answer is read as that slot's, and the question is one of its own.
const REQUEST: &str = "request";
/// More words than this in answer to a free question are no word to us: "hold on".
const CONTROL: usize = 6;
/// So many words may ask for a page.
const TELLING: usize = 4;

/// Whether there is a question for what a team found missing.
#[must_use]
pub fn can_ask(detail: &str) -> bool {
    QUESTIONS.iter().any(|(known, _, _)| *known == detail)
}

/// What is missing, and in what.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// Reference of the request that the answers are noted on.
    pub item: String,
    /// What it is about: `incident`, `inspection`, or `message`; else the call itself.
    pub kind: String,
    /// When that was left, by the office's calendar.
    pub on: NaiveDate,
    /// Where, as it was told; empty where it was not.
    pub place: String,
    /// What is still to be asked for, as the team calls it.
    pub details: Vec<String>,
    /// They pressed a key for it, or want to hear it: they are no machine.
    pub sure: bool,
    /// Times that the question at hand was put.
    #[serde(default)]
    pub asks: u8,
    /// Something was not told.
    #[serde(default)]
    pub untold: bool,
}

language::shown!(Missing, "Missing": item, kind, on, details, sure, asks, untold; place);

impl Dialogue {
    /// Whether something that we called about is still to be asked for: no model takes the answers, nor what is said between them.
    #[must_use]
    pub fn minds_missing(&self, state: &State) -> bool {
        state.missing.is_some()
    }
}

impl<'a> Turn<'a> {
    /// The first words of such a call. `false`: nothing is missing.
    pub(super) fn begins_missing(&mut self) -> bool {
        match &self.state.missing {
            None => return false,
            Some(missing) if missing.sure => self.tell_missing(),
            Some(_) => self.ask_to_ask(),
        }
        true
    }

    fn ask_to_ask(&mut self) {
        if let Some(missing) = &mut self.state.missing {
            missing.asks = missing.asks.saturating_add(1);
        }
        self.ask_pending("follow_up_ready", Pending::MayAsk);
        self.expects = Expectation::YesNo;
    }

    /// What it is about, and the first question.
    fn tell_missing(&mut self) {
        let Some(missing) = &mut self.state.missing else { return };
        (missing.sure, missing.asks) = (true, 0);
        let key = match missing.kind.as_str() {
            "incident" => "follow_up_incident",
            "inspection" => "follow_up_inspection",
            "message" => "follow_up_message",
            _ => "follow_up_call",
        };
        let (place, on) = (missing.place.clone(), missing.on);
        let day = self.ear.spoken_date(on);
        self.say_with(key, &[("day", &day)]);
        if !place.is_empty() {
            self.say_with("follow_up_place", &[("where", &place)]);
        }
        self.say("follow_up_lacks");
        self.state.served = true;
        self.did("missing", "told");
        self.next_missing();
    }

    /// Puts the question at hand, where nothing else is under way. `false`: there is none.
    pub(super) fn asks_missing(&mut self) -> bool {
        let sure = self.state.missing.as_ref().is_some_and(|missing| missing.sure);
        let asks = sure && self.state.tasks.is_empty();
        if asks {
            self.next_missing();
        }
        asks
    }

    fn next_missing(&mut self) {
        let Some(missing) = &mut self.state.missing else { return };
        let Some(detail) = missing.details.first().cloned() else { return self.end_missing() };
        if missing.asks >= MAX_ASKS {
            return self.goes_without();
        }
        missing.asks += 1;
        let again = missing.asks > 1;
        let Some((task, slot)) = self.question_for(&detail) else { return self.goes_without() };
        let (part, shipped) = if again { ("again", &slot.again) } else { ("ask", &slot.ask) };
        let ways = match detail.as_str() {
            REQUEST => self.worded("follow_up_request"),
            _ => self.worded_or(&format!("{task}.{}.{part}", slot.id), shipped),
        };
        self.say_one_of(ways, &slot.id, &[], SegmentKind::Reply, false);
        self.state.pending = Some(Pending::Missing);
        self.expects = expectation(slot.kind);
    }

    fn question_for(&self, detail: &str) -> Option<(&'static str, &'a Slot)> {
        let (_, task, slot) = QUESTIONS.into_iter().find(|(known, _, _)| *known == detail)?;
        Some((task, self.script.task(task)?.slot(slot)?))
    }

    /// All of it was asked for.
    fn end_missing(&mut self) {
        let untold = self.state.missing.take().is_some_and(|missing| missing.untold);
        if untold {
            self.ask_pending("follow_up_person", Pending::Offer("person".to_owned()));
        } else {
            self.say("follow_up_done");
            self.anything_else();
        }
    }

    /// The answer to one of the questions. `false`: there was none, or the words are about something else, which is served; the
    /// question is put again after that.
    pub(super) fn answers_missing(&mut self, text: &str) -> bool {
        let waits = |pending: &mut Pending| matches!(pending, Pending::MayAsk | Pending::Missing);
        let Some(pending) = self.state.pending.take_if(waits) else { return false };
        let Some(missing) = self.state.missing.clone() else { return false };
        if pending == Pending::MayAsk {
            match self.ready(text, missing.asks) {
                Ready::Yes => self.tell_missing(),
                Ready::No => self.unwilling(),
                Ready::Again => {
                    self.ask_to_ask();
                    self.did("missing", "asked again");
                }
                Ready::Other => {
                    self.state.missing = None;
                    return false;
                }
            }
            return true;
        }
        let question = missing.details.first().and_then(|detail| self.question_for(detail));
        question.is_some_and(|(_, slot)| self.answers_detail(slot, text))
    }

    fn answers_detail(&mut self, slot: &'a Slot, text: &str) -> bool {
        let free = matches!(slot.kind, SlotKind::Story | SlotKind::Text);
        let yes_no = self.ear.yes_no(text);
        let answers = slot.kind == SlotKind::Injured && yes_no.is_some();
        if !answers {
            if yes_no == Some(YesNo::No) && self.ear.is_bare_yes_no(text) {
                self.unwilling();
                return true;
            }
            if let Some(done) = self.steers_missing(free, text) {
                return done;
            }
        }
        let beside = if free { None } else { question_beside(self.ear, text) };
        let (answer, question) = match &beside {
            Some((answer, question)) => (answer.as_str(), question.as_str()),
            None => (text, ""),
        };
        // A question is no place and no story, whatever it is made of.
        let asks = (free || slot.kind == SlotKind::Place) && self.ear.is_question(answer);
        let read = if asks { Read::Nothing } else { self.read(slot, answer) };
        match read {
            Read::Value(value) => self.told_missing(slot.kind, &value, answer, question),
            Read::Declined => self.goes_without(),
            _ if self.is_about_else(text) => return false,
            _ => {
                self.did("missing", "asked again");
                self.next_missing();
            }
        }
        true
    }

    /// Words that end the questions, or are no answer to any. `None`: neither.
    fn steers_missing(&mut self, free: bool, text: &str) -> Option<bool> {
        let short = self.ear.plain(text).split(' ').count() <= CONTROL;
        let found = by_cue(self.script, text).filter(|_| !free || short);
        match found.map(|found| &found.intent.does) {
            Some(Does::Control(id)) if id == "cancel" => {
                self.unwilling();
                Some(true)
            }
            Some(Does::Task(id)) if id == "person" || id == "other_language" => {
                self.note_on_missing(|details| format!("They asked for a person. Not told: {details}."));
                self.state.missing = None;
                Some(false)
            }
            _ => self.control_in_task(text, free).then_some(true),
        }
    }

    /// A question, another wish, or what a page is about.
    fn is_about_else(&mut self, text: &str) -> bool {
        let wish = by_cue(self.script, text).is_some_and(|found| matches!(found.intent.does, Does::Task(_)));
        let long = self.ear.plain(text).split(' ').count() >= TELLING;
        wish || self.ear.is_question(text) || (long && self.passage(text).is_some())
    }

    /// It is noted, with whatever else of what is missing the same words tell.
    fn told_missing(&mut self, kind: SlotKind, value: &Filled, answer: &str, question: &str) {
        let Some(missing) = self.state.missing.clone() else { return };
        let value_of = |(n, detail): (usize, &String)| match n {
            0 => Some(value.value.clone()),
            _ => {
                let (_, slot) = self.question_for(detail)?;
                slots::stated(slot.kind, answer, self.context()).map(|told| told.value)
            }
        };
        let told: Vec<Option<String>> = missing.details.iter().enumerate().map(value_of).collect();
        let both = || missing.details.iter().zip(&told);
        let lines: Vec<String> =
            both().filter_map(|(detail, told)| Some(format!("{detail}: {}", told.as_ref()?))).collect();
        let left = both().filter(|(_, told)| told.is_none()).map(|(detail, _)| detail.clone()).collect();
        self.note_on_missing(|_| format!("They told us. {}.", lines.join("; ")));
        if let Some(missing) = &mut self.state.missing {
            (missing.details, missing.asks) = (left, 0);
        }
        self.did("missing", "noted");
        if kind == SlotKind::Injured && value.value == "yes" && !self.state.told_911 {
            self.say("hurt_911");
        }
        self.say_promise(self.worded("follow_up_noted"), "follow_up_noted", &[]);
        if question.is_empty() {
            self.next_missing();
        } else {
            self.open(question);
        }
    }

    /// They cannot say what was asked for.
    fn goes_without(&mut self) {
        let Some(missing) = &mut self.state.missing else { return };
        if missing.details.is_empty() {
            return self.end_missing();
        }
        let detail = missing.details.remove(0);
        (missing.asks, missing.untold) = (0, true);
        self.note_on_missing(|_| format!("They could not say: {detail}."));
        self.did("missing", "was not told");
        self.say_promise(self.worded("follow_up_unknown"), "follow_up_unknown", &[]);
        self.next_missing();
    }

    /// They do not want to be asked: nothing more is, and a person may call.
    fn unwilling(&mut self) {
        self.note_on_missing(|details| format!("They did not want to answer: {details}."));
        self.state.missing = None;
        self.did("missing", "not wanted");
        self.say_promise(self.worded("follow_up_unknown"), "follow_up_unknown", &[]);
        self.ask_pending("follow_up_person", Pending::Offer("person".to_owned()));
    }

    /// For whoever works on the request, in English. `told`: made of what is not told yet.
    fn note_on_missing(&mut self, told: impl FnOnce(&str) -> String) {
        let Some(missing) = &self.state.missing else { return };
        let text = format!("Called about what is missing. {}", told(&missing.details.join(", ")));
        self.effects.push(Effect::NoteOn { item: missing.item.clone(), text });
    }
}
