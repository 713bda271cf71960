//! What a caller says next, by what was heard. Knows words only; when it is said is another's business.

use std::collections::{HashMap, HashSet};

use regex::Regex;

use super::cues::{Asked, Cues};
use super::read_back;
use super::set::{Act, Deed, Emergency, Language, Sayings, Scenario};
use super::utterance::Utterance;
use super::whether::whether;
use super::words;

/// How often a wish is said in other words once the agent believes that the call is done.
const INSISTS: usize = 2;
/// How often one value is put right before the caller gives up.
const FIXES: usize = 3;

/// Something to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saying {
    pub utterance: Utterance,
    /// The kind of answer: a key of the facts, `opening`, `again`, `yes`, a deed.
    pub kind: String,
    /// The caller said this before and was not understood.
    pub again: bool,
}

/// Why the caller hung up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Farewell {
    /// Said goodbye, or was told to.
    Done,
    GaveUp,
    /// A deed of the scenario.
    Abrupt,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    Say(Saying),
    /// Goes on listening: what was heard asks for nothing yet.
    Wait,
    HangUp(Farewell),
}

/// One caller's head.
#[derive(Debug)]
pub struct Mind<'a> {
    scenario: &'a Scenario,
    cues: &'a Cues,
    from: String,
    customs: Vec<Regex>,
    /// How often each kind was said since the last thing was done.
    said: HashMap<String, usize>,
    fixed: HashMap<String, usize>,
    done: HashSet<usize>,
    last: Option<Saying>,
    /// Asked for when the caller said something else instead.
    pending: Option<String>,
    wrong: Option<String>,
    heard: String,
    turns: usize,
    insisted: usize,
    wishes: usize,
    waited: bool,
    leaving: usize,
    abandoned: bool,
}

impl<'a> Mind<'a> {
    /// `from`: the number of the caller.
    #[must_use]
    pub fn new(scenario: &'a Scenario, cues: &'a Cues, from: &str) -> Self {
        let customs = scenario
            .answers
            .iter()
            .map(|custom| Regex::new(&custom.cue).expect("a set with a cue that is no pattern is not loaded"))
            .collect();
        Self {
            scenario,
            cues,
            from: from.to_owned(),
            customs,
            said: HashMap::new(),
            fixed: HashMap::new(),
            done: HashSet::new(),
            last: None,
            pending: None,
            wrong: None,
            heard: String::new(),
            turns: 0,
            insisted: 0,
            wishes: 0,
            waited: false,
            leaving: 0,
            abandoned: false,
        }
    }

    pub fn opening(&mut self) -> Saying {
        self.saying(self.scenario.opening.clone(), "opening", false)
    }

    /// The scenario's deed of this kind of moment that was not done yet: `reply` counts from 0, the greeting.
    pub fn timed(&self, reply: usize, text: Option<&str>, voiced_ms: u64) -> Option<(usize, &'a Deed)> {
        let asked = text.map(|text| self.cues.asked(text, self.scenario.language));
        let due = |(at, deed): &(usize, &Deed)| {
            deed.act.is_timed()
                && !self.done.contains(at)
                && voiced_ms >= deed.after_ms
                && self.is_moment(&deed.when, reply, asked.as_ref())
        };
        self.scenario.does.iter().enumerate().find(due)
    }

    /// Whether a deed waits for words that must be read first.
    pub fn wants_text(&self, voiced_ms: u64) -> bool {
        let by_words = |when: &str| when != "greeting" && when != "answer" && !when.starts_with("reply ");
        let mut open = self.scenario.does.iter().enumerate().filter(|(at, _)| !self.done.contains(at));
        open.any(|(_, deed)| deed.act.is_timed() && by_words(&deed.when) && voiced_ms >= deed.after_ms)
    }

    /// Marks a timed deed as done; what is said with it.
    pub fn perform(&mut self, at: usize) -> Option<Saying> {
        self.done.insert(at);
        let deed = self.scenario.does.get(at)?;
        match (&deed.say, deed.act) {
            (Some(say), Act::UhHuh) => {
                Some(Saying { utterance: say.nth(0)?.clone(), kind: "uh-huh".into(), again: false })
            }
            (Some(say), _) => Some(self.saying(say.nth(0)?.clone(), "interrupt", false)),
            (None, Act::Interrupt) => Some(self.opening()),
            (None, _) => None,
        }
    }

    fn is_moment(&self, when: &str, reply: usize, asked: Option<&Asked>) -> bool {
        let kind = asked.and_then(|asked| asked.kind.as_deref());
        match when {
            "greeting" => reply == 0,
            "answer" => reply == 1,
            "read-back" => kind == Some("confirm"),
            "end" => kind == Some("more"),
            other => match other.strip_prefix("reply ") {
                Some(number) => number.trim().parse() == Ok(reply),
                None => kind == Some(other),
            },
        }
    }

    /// What to do about a reply, the `reply`th since the opening (from 1).
    pub fn answer(&mut self, text: &str, reply: usize) -> Move {
        self.turns += 1;
        self.heard.push_str(text);
        self.heard.push('\n');
        if self.turns > self.scenario.patience {
            return Move::HangUp(Farewell::GaveUp);
        }
        if words::contains(text, "reference number|numero de referencia") {
            // What is asked from here on belongs to something new.
            self.said.retain(|kind, _| kind == "more");
        }
        let asked = self.cues.asked(text, self.scenario.language);
        if self.was_sent_to_911() {
            return Move::HangUp(Farewell::Done);
        }
        if self.leaving > 0 || self.abandoned {
            return self.leave(&asked);
        }
        if let Some(planned) = self.planned(reply, &asked) {
            return Move::Say(planned);
        }
        if let Some(custom) = self.customs.iter().position(|cue| cue.is_match(&asked.last)) {
            let kind = format!("answer {}", custom + 1);
            return self.tell(&kind, Some(&self.scenario.answers[custom].say));
        }
        match whether(&asked.last, self.scenario) {
            Some(true) => return self.short("yes", "Yes.", "Sí."),
            Some(false) => return self.wish(),
            None => {}
        }
        let Some(kind) = asked.kind.clone() else { return self.unmapped(asked.is_question) };
        self.waited = false;
        self.by_kind(&kind, text)
    }

    /// Nothing was heard for a long time.
    pub fn hello(&mut self) -> Saying {
        let text = if self.spanish() { "¿Hola?" } else { "Hello?" };
        Saying { utterance: plain(text), kind: "hello".into(), again: true }
    }

    fn was_sent_to_911(&self) -> bool {
        let told = |number: &str| words::contains(&self.heard, number);
        match &self.scenario.expect.emergency {
            Emergency::Is(false) => false,
            Emergency::Is(true) => told("911|9 1 1|nueve uno uno"),
            Emergency::Number(number) => told(number),
        }
    }

    /// A question in the middle, another subject, a change of mind, a read-back refused.
    fn planned(&mut self, reply: usize, asked: &Asked) -> Option<Saying> {
        let now = |(at, deed): &(usize, &Deed)| {
            !deed.act.is_timed()
                && !self.done.contains(at)
                && match deed.act {
                    Act::Reject => asked.kind.as_deref() == Some("confirm"),
                    _ => self.is_moment(&deed.when, reply, Some(asked)),
                }
        };
        let (at, deed) = self.scenario.does.iter().enumerate().find(now)?;
        self.done.insert(at);
        self.abandoned = deed.act == Act::Abandon;
        if deed.act == Act::Instead {
            self.pending = asked.kind.clone().filter(|kind| self.scenario.facts.contains_key(kind));
        }
        let kind = match deed.act {
            Act::Abandon => "abandon",
            Act::Reject => "reject",
            _ => "instead",
        };
        let say = deed.say.as_ref()?.nth(0)?.clone();
        Some(self.saying(say, kind, false))
    }

    fn leave(&mut self, asked: &Asked) -> Move {
        self.leaving += 1;
        let kind = asked.kind.as_deref();
        let over = !asked.is_question || kind == Some("goodbye") || self.leaving > 3;
        if over {
            return Move::HangUp(Farewell::Done);
        }
        match kind {
            Some("again" | "there") => self.repeat(),
            Some("confirm") if self.abandoned => self.short("yes", "Yes, forget it.", "Sí, déjelo."),
            _ => self.short("bye", "No, thank you. Goodbye.", "No, gracias. Adiós."),
        }
    }

    fn by_kind(&mut self, kind: &str, text: &str) -> Move {
        let facts = self.scenario.facts.get(kind);
        match kind {
            "goodbye" => Move::HangUp(Farewell::Done),
            "again" | "there" => self.repeat(),
            "confirm" => self.check(text),
            "change" => self.change(),
            "more" => self.more(),
            "continue" if facts.is_none() => {
                if self.is_served() {
                    self.short("no", "No, thank you.", "No, gracias.")
                } else {
                    self.short("yes", "Yes, please.", "Sí, por favor.")
                }
            }
            "help" => self.insist(),
            "write" if facts.is_none() => self.short("write", "Yes.", "Sí."),
            "injured" if facts.is_none() => match self.scenario.expect.emergency {
                Emergency::Is(false) => self.short("injured", "No, nobody.", "No, nadie."),
                _ => self.short("injured", "Yes!", "¡Sí!"),
            },
            "known" if facts.is_none() => self.short("known", "Yes.", "Sí."),
            "person" if facts.is_none() => self.short("person", "No, thank you.", "No, gracias."),
            "day" if facts.is_none() => self.short("day", "Any day is fine.", "Cualquier día."),
            "time" if facts.is_none() => {
                self.short("time", "The first one, please.", "La primera, por favor.")
            }
            _ => {
                let other = match kind {
                    "pin" | "birth" | "last_name" => "proof",
                    "where" => "address",
                    "address" => "where",
                    "for_whom" => "message",
                    "about" => "what",
                    "what" => "about",
                    _ => kind,
                };
                let facts = facts.or_else(|| self.scenario.facts.get(other));
                self.tell(kind, facts)
            }
        }
    }

    /// The next way to say this.
    fn tell(&mut self, kind: &str, facts: Option<&Sayings>) -> Move {
        let before = self.said.get(kind).copied().unwrap_or(0);
        match facts.and_then(|facts| facts.nth(before)).cloned() {
            Some(utterance) => Move::Say(self.saying(utterance, kind, before > 0)),
            None => {
                let text = if self.spanish() { "No sé." } else { "I don't know." };
                Move::Say(self.saying(plain(text), kind, before > 0))
            }
        }
    }

    fn short(&mut self, kind: &str, english: &str, spanish: &str) -> Move {
        let before = self.said.get(kind).copied().unwrap_or(0);
        let again = before > 0 && !matches!(kind, "yes" | "no" | "bye");
        let text = if self.spanish() { spanish } else { english };
        Move::Say(self.saying(plain(text), kind, again))
    }

    /// Not understood: the same once more, in the next way to say it.
    fn repeat(&mut self) -> Move {
        let Some(last) = self.last.clone() else { return Move::Say(self.opening()) };
        if let Some(facts) = self.scenario.facts.get(&last.kind) {
            let before = self.said.get(&last.kind).copied().unwrap_or(0);
            let utterance = facts.nth(before).cloned().unwrap_or(last.utterance);
            return Move::Say(self.saying(utterance, &last.kind, true));
        }
        if matches!(last.kind.as_str(), "opening" | "again") {
            return self.wish();
        }
        Move::Say(self.saying(last.utterance, &last.kind, true))
    }

    /// The wish in other words.
    fn wish(&mut self) -> Move {
        let other = self.scenario.again.get(self.wishes).or(self.scenario.again.last());
        self.wishes += 1;
        let utterance = other.unwrap_or(&self.scenario.opening).clone();
        Move::Say(self.saying(utterance, "again", true))
    }

    fn unmapped(&mut self, is_question: bool) -> Move {
        if let Some(kind) = self.pending.take() {
            let facts = self.scenario.facts.get(&kind);
            self.said.remove(&kind);
            return self.tell(&kind, facts);
        }
        if is_question {
            return self.wish();
        }
        if self.is_served() {
            return self.more();
        }
        if !self.waited {
            self.waited = true;
            return Move::Wait;
        }
        self.waited = false;
        self.insist()
    }

    fn insist(&mut self) -> Move {
        if self.is_served() {
            return self.more();
        }
        self.insisted += 1;
        if self.insisted > INSISTS + 2 {
            return Move::HangUp(Farewell::GaveUp);
        }
        self.wish()
    }

    /// Anything else?
    fn more(&mut self) -> Move {
        let told = self.said.get("more").copied().unwrap_or(0);
        let wishes = self.scenario.facts.get("more").map_or(&[][..], Sayings::all);
        if told + 1 < wishes.len() {
            let utterance = wishes[told].clone();
            // A new wish: what it asks for is not asked again.
            let mut saying = self.saying(utterance, "more", false);
            saying.again = false;
            self.insisted = 0;
            return Move::Say(saying);
        }
        if !self.is_served() && self.insisted < INSISTS {
            self.insisted += 1;
            return match wishes.len() {
                0 | 1 => self.wish(),
                n => Move::Say(self.saying(wishes[n - 2].clone(), "wish", true)),
            };
        }
        self.leaving = 1;
        match wishes.last().cloned() {
            Some(last) => Move::Say(self.saying(last, "more", false)),
            None => self.short("bye", "No, thank you, that's all.", "No, gracias, eso es todo."),
        }
    }

    /// As far as the caller can tell: every answer was heard, and something was filed where that was wanted.
    fn is_served(&self) -> bool {
        let heard = |wanted: &String| words::contains(&self.heard, wanted);
        let filed = !self.scenario.wants_something_filed()
            || words::contains(
                &self.heard,
                "reference number|is filed|booked|passed|numero de referencia|llamara",
            );
        filed && self.scenario.expect.hears.iter().all(heard)
    }

    // ------------------------------------------------------------ read-backs

    fn check(&mut self, text: &str) -> Move {
        let last = self.last.as_ref().map(|last| last.kind.trim_start_matches("fix "));
        let Some(kind) = read_back::wrong(&self.scenario.truth, &self.from, last, text) else {
            return self.short("yes", "Yes.", "Sí.");
        };
        self.wrong = Some(kind.clone());
        self.put_right(&kind)
    }

    /// The agent asks what to change.
    fn change(&mut self) -> Move {
        if let Some(kind) = self.wrong.clone() {
            return self.put_right(&kind);
        }
        let refused = self.scenario.does.iter().find(|deed| deed.act == Act::Reject);
        match refused.and_then(|deed| deed.say.as_ref()?.nth(1)).cloned() {
            Some(utterance) => Move::Say(self.saying(utterance, "reject", true)),
            None => self.short("yes", "Nothing, that's all right.", "Nada, está bien."),
        }
    }

    fn put_right(&mut self, kind: &str) -> Move {
        let before = self.fixed.get(kind).copied().unwrap_or(0);
        if before >= FIXES {
            return Move::HangUp(Farewell::GaveUp);
        }
        self.fixed.insert(kind.to_owned(), before + 1);
        let expected = before == 0 && self.scenario.corrects.iter().any(|corrected| corrected == kind);
        let utterance = match self.scenario.fix.get(kind).and_then(|fix| fix.nth(before)) {
            Some(fix) => fix.clone(),
            None => {
                let mut no = plain("No.");
                let told = self.said.get(kind).copied().unwrap_or(0);
                if let Some(fact) = self.scenario.facts.get(kind).and_then(|facts| facts.nth(told)) {
                    no.pieces.extend(fact.pieces.clone());
                }
                no
            }
        };
        Move::Say(self.saying(utterance, &format!("fix {kind}"), !expected))
    }

    fn saying(&mut self, utterance: Utterance, kind: &str, again: bool) -> Saying {
        *self.said.entry(kind.to_owned()).or_default() += 1;
        let saying = Saying { utterance, kind: kind.to_owned(), again };
        self.last = Some(saying.clone());
        saying
    }

    fn spanish(&self) -> bool {
        self.scenario.language == Language::Es
    }
}

/// Everything that a caller says of its own.
pub const OWN_ENGLISH: [&str; 14] = [
    "Hello?",
    "Yes, forget it.",
    "No, thank you. Goodbye.",
    "No, thank you.",
    "Yes, please.",
    "No, nobody.",
    "Yes!",
    "Yes.",
    "Any day is fine.",
    "The first one, please.",
    "I don't know.",
    "No, thank you, that's all.",
    "Nothing, that's all right.",
    "No.",
];
pub const OWN_SPANISH: [&str; 14] = [
    "¿Hola?",
    "Sí, déjelo.",
    "No, gracias. Adiós.",
    "No, gracias.",
    "Sí, por favor.",
    "No, nadie.",
    "¡Sí!",
    "Sí.",
    "Cualquier día.",
    "La primera, por favor.",
    "No sé.",
    "No, gracias, eso es todo.",
    "Nada, está bien.",
    "No.",
];

fn plain(text: &str) -> Utterance {
    Utterance { pieces: vec![super::utterance::Piece::Words(text.to_owned())] }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::set::Set;
    use super::*;

    const CALLER: &str = r#"
        [[scenario]]
        id = "a"
        kind = "report"
        voice = 1
        opening = "There's a hole."
        again = ["I want to report a hole in the street.", "A pothole!"]
        corrects = ["where"]
        [scenario.facts]
        where = ["Mabel Street.", "Maple Street. M A P L E."]
        name = ["Ann Cole."]
        phone = ["202 555 0163."]
        known = ["No, another one."]
        [scenario.truth]
        where = "maple"
        name = "cole"
        phone = "2025550163"
        [scenario.fix]
        where = ["No, Maple Street."]
        [[scenario.does]]
        act = "instead"
        when = "name"
        say = "Are you a robot?"
        [scenario.expect]
        items = [{ kind = "incident" }]
    "#;

    fn says(step: Move) -> (String, bool) {
        match step {
            Move::Say(saying) => (saying.utterance.text(), saying.again),
            other => (format!("{other:?}"), false),
        }
    }

    #[test]
    fn a_report_is_made_with_a_question_in_the_middle_and_a_wrong_read_back() {
        let (set, cues) = (Set::parse(CALLER).unwrap(), Cues::load().unwrap());
        let mut mind = Mind::new(&set.scenario[0], &cues, "+13035550100");
        mind.opening();
        let steps = [
            (
                "I'm sorry, I didn't understand that. Could you say it another way?",
                "I want to report a hole in the street.",
                true,
            ),
            ("I can take that report. Where did it happen?", "Mabel Street.", false),
            ("What's your name?", "Are you a robot?", false),
            (
                "I'm an automated assistant, not a person. Now, back to your report. What's your name?",
                "Ann Cole.",
                false,
            ),
            ("Is the number you're calling from the best one to reach you?", "No, another one.", false),
            ("What's the best number to call you back?", "202 555 0163.", false),
            (
                "Let me make sure. At Mabel Street: a hole. Your name is Ann Cole, and your call-back number is 202-555-0163. Is that right?",
                "No, Maple Street.",
                false,
            ),
            (
                "Okay, I've changed that. At Maple Street: a hole. Your name is Ann Cole, and your number is 202-555-0163. Is it all correct now?",
                "Yes.",
                false,
            ),
            (
                "Your report is filed. The reference number is INC 4821. Anything else I can help you with?",
                "No, thank you, that's all.",
                false,
            ),
        ];
        for (at, (reply, said, again)) in steps.into_iter().enumerate() {
            assert_eq!(says(mind.answer(reply, at + 1)), (said.to_owned(), again), "{reply}");
        }
        assert_eq!(mind.answer("Thanks for calling. Goodbye.", 10), Move::HangUp(Farewell::Done));
    }

    #[test]
    fn a_caller_who_is_not_served_insists_and_then_leaves() {
        let (set, cues) = (Set::parse(CALLER).unwrap(), Cues::load().unwrap());
        let mut mind = Mind::new(&set.scenario[0], &cues, "+13035550100");
        mind.opening();
        let reply = "Here is something about parks. Anything else I can help you with?";
        let said: Vec<String> = (1..=4).map(|at| says(mind.answer(reply, at)).0).collect();
        assert_eq!(
            said,
            [
                "I want to report a hole in the street.",
                "A pothole!",
                "No, thank you, that's all.",
                "No, thank you. Goodbye."
            ]
        );
    }

    #[test]
    fn what_answers_nothing_is_heard_out_once() {
        let (set, cues) = (Set::parse(CALLER).unwrap(), Cues::load().unwrap());
        let mut mind = Mind::new(&set.scenario[0], &cues, "+13035550100");
        mind.opening();
        assert_eq!(mind.answer("The county has many roads.", 1), Move::Wait);
        assert_eq!(says(mind.answer("", 1)), ("I want to report a hole in the street.".to_owned(), true));
    }
}
