//! Everybody who fits is on a call: the caller may wait in line, or be called back in their turn.
//!
//! While they wait, whatever is said to them ends with the wait ([`AfterReply::Wait`]). A key, or words that ask for it, lead to a
//! call back that keeps the place.

use pipeline::ports::{AfterReply, InLine, Language};

use super::state::Pending;
use super::step::{Effect, LineAct, Standing};
use super::turn::Turn;
use language::YesNo;

/// Words that say that somebody waits, once they said no no.
const WAITS: [&[&str]; 2] = [&["wait", "hold", "stay"], &["esper", "aguard", "me quedo"]];
/// Words that say that they do not.
const WAITS_NOT: [&[&str]; 2] = [
    &["can't wait", "cannot wait", "don't want to wait", "not wait", "stop waiting", "too long"],
    &["no puedo", "no quiero", "mucho tiempo", "demasiado"],
];
/// Longer than so many minutes is said without a number.
const HOUR: u32 = 60;

impl Turn<'_> {
    /// Says how long the line of a target is, and offers to wait in it.
    pub(super) fn offer_line(&mut self, target: &str) {
        let known = self.view.queues.iter().flatten().find(|standing| standing.target == target).cloned();
        let (place, minutes) = known.map_or((1, None), |Standing { place, minutes, .. }| (place, minutes));
        let place = ordinal(self.ear.0, place);
        self.say_with("line_offer", &[("target", target), ("place", &place)]);
        self.say_minutes(minutes);
        self.ask_pending("line_choice", Pending::Line(target.to_owned()));
        self.did("person", "offered to wait in line");
    }

    /// Somebody else was quicker: everybody there is on a call by now.
    pub(super) fn all_busy(&mut self) {
        match self.state.pending.take() {
            Some(Pending::PutThrough(target)) => self.offer_line(&target),
            _ => self.start_person(),
        }
    }

    /// Nothing is said of what nobody knows.
    fn say_minutes(&mut self, minutes: Option<u32>) {
        match minutes {
            Some(minutes) if minutes > HOUR => self.say("line_long"),
            Some(minutes) => {
                self.say_with("line_minutes", &[("minutes", &spoken_minutes(self.ear.0, minutes))])
            }
            None => {}
        }
    }

    /// An answer to that offer, or a word of who waits. `false`: it was about something else.
    pub(super) fn answers_line(&mut self, text: &str) -> bool {
        if self.state.in_line.is_some() {
            return self.leaves_line(text);
        }
        let pending = self.state.pending.take_if(|pending| matches!(pending, Pending::Line(_)));
        let Some(Pending::Line(target)) = pending else { return false };
        if self.asks_to_be_called(&self.ear.plain(text)) {
            self.call_back_in_turn(target);
            return true;
        }
        match self.waits(text) {
            Some(true) => self.join_line(target),
            Some(false) => {
                self.state.wants_no_transfer = true;
                self.effects.push(Effect::Line(LineAct::CallBack { target }));
                self.did("person", "was not to wait");
                let plain = self.ear.plain(text);
                if !self.ear.is_bare_yes_no(text) && !self.says_one_of(WAITS_NOT, &plain) {
                    return false;
                }
                self.offer_instead();
            }
            None => return false,
        }
        true
    }

    /// Whether words say that somebody waits, or does not.
    fn waits(&self, text: &str) -> Option<bool> {
        let plain = self.ear.plain(text);
        match self.ear.yes_no(text) {
            Some(YesNo::No) => Some(false),
            _ if self.says_one_of(WAITS_NOT, &plain) => Some(false),
            Some(YesNo::Yes) => Some(true),
            None => self.says_that_they_wait(&plain).then_some(true),
        }
    }

    pub(super) fn says_that_they_wait(&self, plain: &str) -> bool {
        self.says_one_of(WAITS, plain)
    }

    fn says_one_of(&self, words: [&[&str]; 2], plain: &str) -> bool {
        words[usize::from(self.ear.0 == Language::Es)].iter().any(|word| plain.contains(word))
    }

    fn join_line(&mut self, target: String) {
        let variants = self.worded("line_joined");
        self.say_promise(variants, "line_joined", &[("target", &target)]);
        let (about, urgent) = (self.subject(), self.state.urgent);
        self.effects.push(Effect::Line(LineAct::Join { target: target.clone(), about, urgent }));
        self.state.in_line = Some(target);
        self.did("person", "waits in line");
    }

    /// "Call me back", "I can't wait".
    pub(super) fn wants_no_wait(&self, plain: &str) -> bool {
        self.asks_to_be_called(plain) || self.says_one_of(WAITS_NOT, plain)
    }

    fn leaves_line(&mut self, text: &str) -> bool {
        let plain = self.ear.plain(text);
        let no = self.ear.yes_no(text) == Some(YesNo::No) && self.ear.is_bare_yes_no(text);
        if no || self.wants_no_wait(&plain) {
            self.is_called_back_in_turn();
            return true;
        }
        false
    }

    /// Who waits would rather be called back.
    pub(super) fn is_called_back_in_turn(&mut self) {
        if let Some(target) = self.state.in_line.take() {
            self.call_back_in_turn(target);
        }
    }

    fn call_back_in_turn(&mut self, target: String) {
        self.keep_place(target);
        self.start_person();
    }

    fn keep_place(&mut self, target: String) {
        self.state.wants_no_transfer = true;
        let variants = self.worded("line_kept");
        self.say_promise(variants, "line_kept", &[]);
        self.effects.push(Effect::Line(LineAct::CallBack { target }));
    }

    /// Whatever is said to who waits ends with the wait; a goodbye ends that too, and nobody is called back.
    pub(super) fn waits_on(&mut self) {
        match self.then {
            AfterReply::Listen if self.state.in_line.is_some() => self.then = AfterReply::Wait,
            AfterReply::Listen if !self.state.asking.is_empty() => self.then = AfterReply::Ask,
            AfterReply::HangUp => {
                self.state.asking.clear();
                if self.state.in_line.take().is_some() {
                    self.effects.push(Effect::Line(LineAct::Leave));
                }
            }
            _ => {}
        }
    }

    /// A call back is begun, whatever led to it: then they do not wait as well.
    pub(super) fn leaves_line_for(&mut self, task: &str) {
        if task == "person" {
            self.state.asking.clear();
        }
        if task == "person"
            && let Some(target) = self.state.in_line.take()
        {
            self.keep_place(target);
        }
    }

    /// Where they stand now.
    pub(super) fn stands_in_line(&mut self, stands: &InLine) {
        self.state.in_line = Some(stands.target.clone());
        self.say_with("line_place", &[("place", &ordinal(self.ear.0, stands.place))]);
        self.say_minutes(stands.minutes);
        self.say("line_how");
        self.did("line", "told the place");
    }

    /// The stream broke off while they waited.
    pub(super) fn is_in_line_again(&mut self, target: &str) {
        self.greets_again();
        self.state.returned = None;
        self.state.in_line = Some(target.to_owned());
        self.say("line_again");
        self.did("opened", "in line again");
    }

    /// It is their turn. The transfer is on record already.
    pub(super) fn has_turn(&mut self, target: &str) {
        self.state.in_line = None;
        self.state.pending = None;
        self.say("line_turn");
        self.goes_to(target);
        self.did("line", "puts through");
    }
}

/// A place in a line, in words up to ten.
fn ordinal(language: Language, place: u32) -> String {
    let words: [&str; 10] = match language {
        Language::En => {
            ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
        }
        Language::Es => [
            "primer lugar",
            "segundo lugar",
            "tercer lugar",
            "cuarto lugar",
            "quinto lugar",
            "sexto lugar",
            "séptimo lugar",
            "octavo lugar",
            "noveno lugar",
            "décimo lugar",
        ],
    };
    let word = usize::try_from(place).ok().and_then(|place| words.get(place.checked_sub(1)?));
    word.map_or_else(
        || match language {
            Language::En => format!("number {place}"),
            Language::Es => format!("lugar {place}"),
        },
        |word| (*word).to_owned(),
    )
}

/// Minutes in words up to ten.
fn spoken_minutes(language: Language, minutes: u32) -> String {
    let (words, unit): ([&str; 10], _) = match language {
        Language::En => (
            ["a", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
            ["minute", "minutes"],
        ),
        Language::Es => (
            ["un", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez"],
            ["minuto", "minutos"],
        ),
    };
    let word = usize::try_from(minutes).ok().and_then(|minutes| words.get(minutes.checked_sub(1)?));
    let number = word.map_or_else(|| minutes.to_string(), |word| (*word).to_owned());
    format!("{number} {}", unit[usize::from(minutes > 1)])
}
