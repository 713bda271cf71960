//! A person is asked for, and somebody takes calls now: the offer to put the caller through, and what is said to one who comes
//! back because nobody took the call there.
//!
//! Who asks to be called back is not offered it, nor is a target where the call just came back from.

use pipeline::ports::{AfterReply, Language, NotTaken, Returned};
use pipeline::turn::{Expectation, SegmentKind};

use super::engine::Dialogue;
use super::finish::owed_to_returned;
use super::state::{Pending, State};
use super::step::{Effect, Filing, LineAct, Lookup};
use super::targets::Target;
use super::turn::Turn;
use language::YesNo;

/// Words that ask for a call back, and not to be put through.
const CALL_BACK: [&[&str]; 2] = [
    &["call me", "call us", "call back", "callback", "called back", "phone me", "ring me"],
    &["llame", "llamen", "llamar de vuelta", "devuelv", "devolver", "regresen la llamada"],
];
/// A word of a target's name by which it is known is longer than this.
const SHORT: usize = 3;

/// Whom a caller can be put through to.
enum Reach<'t> {
    Now(&'t Target),
    /// All that fit are busy: they can wait for this one.
    InLine(&'t Target),
    Nobody,
    /// Who is busy has to be looked up first.
    Unknown,
}

impl Turn<'_> {
    /// The caller was put through, and nobody took the call: said as it is, with what is left.
    pub(super) fn came_back(&mut self, returned: &Returned) {
        if returned.why == NotTaken::InLine {
            return self.is_in_line_again(&returned.target);
        }
        let key = match returned.why {
            NotTaken::Declined => "back_declined",
            NotTaken::Busy => "back_busy",
            NotTaken::NoAnswer => "back_no_answer",
            NotTaken::Machine => "back_machine",
            NotTaken::Failed | NotTaken::InLine => "back_failed",
        };
        self.greets_again();
        self.say_with(key, &[("target", &returned.target)]);
        self.ask_pending("back_offer", Pending::MessageOrPerson);
        self.did("opened", "came back from a transfer");
    }

    /// Who speaks, where the call goes on in another stream.
    pub(super) fn greets_again(&mut self) {
        if self.state.turn == 0 {
            self.say("back_again");
            // What the first stream of the call told them holds for that one alone.
            self.tell_of_recording();
        }
    }

    /// The caller waited with us, and nobody took the call.
    pub(super) fn was_held_for(&mut self, returned: &Returned) {
        if self.state.in_line.take().is_some() {
            self.effects.push(Effect::Line(LineAct::Leave));
        }
        self.state.not_taken.push(returned.target.clone());
        self.state.returned = Some(returned.clone());
        self.came_back(returned);
    }

    /// Offers to put the caller through, where somebody is there. `false`: nothing was said.
    pub(super) fn offers_put_through(&mut self, text: &str, key: &str) -> bool {
        let plain = self.ear.plain(text);
        if self.state.in_line.is_some() {
            self.say("line_how");
            self.did("person", "waits in line");
            return true;
        }
        if self.state.wants_no_transfer || self.asks_to_be_called(&plain) {
            return false;
        }
        let target = match self.target_for(&plain) {
            Reach::Now(target) => target.name.clone(),
            Reach::InLine(target) => {
                let target = target.name.clone();
                self.offer_line(&target);
                text.clone_into(&mut self.state.offered_for);
                return true;
            }
            Reach::Unknown => {
                self.wants = Some(Lookup::Queues);
                return true;
            }
            Reach::Nobody => return false,
        };
        self.say_with(key, &[("target", &target)]);
        self.state.offered_for = text.to_owned();
        self.state.pending = Some(Pending::PutThrough(target));
        self.expects = Expectation::YesNo;
        self.did("person", "offered to put through");
        true
    }

    /// Whether words ask for a call back.
    pub(super) fn asks_to_be_called(&self, plain: &str) -> bool {
        CALL_BACK[usize::from(self.ear.0 == Language::Es)].iter().any(|word| plain.contains(word))
    }

    /// Of those that fit, the first where somebody is free; else the first that callers may wait for.
    fn target_for(&self, plain: &str) -> Reach<'_> {
        let fits = self.targets_for(plain);
        if fits.iter().any(|target| target.queue) && self.view.queues.is_none() {
            return Reach::Unknown;
        }
        let standing = |target: &Target| {
            let mut known = self.view.queues.iter().flatten().filter(|_| target.queue);
            known.find(|standing| standing.target == target.name)
        };
        let is_free = |target: &&&Target| standing(target).is_none_or(|standing| standing.is_free);
        let has_room = |target: &&&Target| standing(target).is_some_and(|standing| !standing.is_full);
        match (fits.iter().find(is_free), fits.iter().find(has_room)) {
            (Some(free), _) => Reach::Now(free),
            (None, Some(room)) => Reach::InLine(room),
            (None, None) => Reach::Nobody,
        }
    }

    /// The one that the caller names; else those that are there for what they say, or for what the call was about before, and after
    /// them those that are there for anything; else all.
    fn targets_for(&self, plain: &str) -> Vec<&Target> {
        if !self.state.can_transfer {
            return Vec::new();
        }
        let tried = |target: &Target| self.state.not_taken.contains(&target.name);
        let open: Vec<&Target> = self
            .view
            .facts
            .open_targets(self.view.now, self.state.language, &self.state.line)
            .filter(|target| !tried(target))
            .collect();
        let named = |target: &&Target| {
            let name = self.ear.plain(&target.name);
            name.split(' ')
                .map(|word| word.trim_end_matches("'s"))
                .any(|word| word.len() > SHORT && word != "office" && plain.contains(word))
        };
        if let Some(target) = open.iter().copied().find(named) {
            return vec![target];
        }
        let about = [&self.state.about, &self.state.question].map(|text| self.ear.plain(text)).join(" ");
        let ear = self.ear;
        let of = |words: &str| {
            let is_for = |target: &&Target| target.is_for(words, |text| ear.plain(text));
            open.iter().copied().filter(is_for).collect::<Vec<&Target>>()
        };
        let mut fits = of(plain);
        if fits.is_empty() {
            fits = of(&about);
        }
        fits.extend(open.iter().filter(|target| target.subjects.is_empty()));
        if fits.is_empty() { open } else { fits }
    }

    /// The answer to that offer. `false`: there was none, or the words are about something else.
    pub(super) fn answers_put_through(&mut self, text: &str) -> bool {
        let pending = self.state.pending.take_if(|pending| matches!(pending, Pending::PutThrough(_)));
        let Some(Pending::PutThrough(target)) = pending else { return false };
        match self.ear.yes_no(text) {
            Some(YesNo::Yes) => self.put_through(&target),
            Some(YesNo::No) => {
                self.state.wants_no_transfer = true;
                self.did("person", "was not to put through");
                if self.ear.is_bare_yes_no(text) {
                    self.offer_instead();
                } else {
                    return false;
                }
            }
            None => return false,
        }
        true
    }

    /// Who was sent to 911 and stays all the same is sent there again, and offered whoever is free, once.
    pub(super) fn sends_again(&mut self, key: &str, text: &str) {
        self.say(key);
        self.state.emergency = true;
        if self.state.offered_in_emergency || self.state.wants_no_transfer || self.state.in_line.is_some() {
            return;
        }
        match self.target_for(&self.ear.plain(text)) {
            Reach::Now(target) => {
                let target = target.name.clone();
                self.state.offered_in_emergency = true;
                self.say_with("emergency_person", &[("target", &target)]);
                self.state.pending = Some(Pending::PutThrough(target));
                self.expects = Expectation::YesNo;
            }
            Reach::Unknown => self.wants = Some(Lookup::Queues),
            // Nobody waits in line with this.
            Reach::InLine(_) | Reach::Nobody => {}
        }
    }

    /// The answer to that. A no leaves the emergency what it is.
    pub(super) fn takes_person_in_emergency(&mut self, text: &str) -> bool {
        let pending = self.state.pending.take_if(|pending| matches!(pending, Pending::PutThrough(_)));
        let Some(Pending::PutThrough(target)) = pending else { return false };
        match self.ear.yes_no(text) {
            Some(YesNo::Yes) => self.put_through(&target),
            Some(YesNo::No) if self.ear.is_bare_yes_no(text) => {
                self.state.wants_no_transfer = true;
                self.say("emergency_again");
                self.state.emergency = true;
            }
            Some(YesNo::No) | None => return false,
        }
        true
    }

    pub(super) fn offer_instead(&mut self) {
        if self.state.task().is_some() {
            self.say("not_now");
            return self.resume();
        }
        let offered_for = std::mem::take(&mut self.state.offered_for);
        self.ask_pending("put_through_declined", Pending::Offer("person".to_owned()));
        self.state.offered_for = offered_for;
    }

    /// Zero once more is a yes.
    pub(super) fn keys_put_through(&mut self) -> bool {
        let pending = self.state.pending.take_if(|pending| matches!(pending, Pending::PutThrough(_)));
        let Some(Pending::PutThrough(target)) = pending else { return false };
        self.put_through(&target);
        true
    }

    /// The call goes to the target once the caller was told so.
    fn put_through(&mut self, target: &str) {
        self.goes_to(target);
        self.effects.push(Effect::PutThrough { target: target.to_owned(), about: self.subject() });
        self.did("person", "puts through");
    }

    /// The caller is told where they go; or, where the person there is asked first, that they wait.
    pub(super) fn goes_to(&mut self, target: &str) {
        let waits = self.view.facts.targets.iter().any(|known| known.name == target && known.warm);
        let (key, then) =
            if waits { ("transfer_warm", AfterReply::Hold) } else { ("transfer_now", AfterReply::Transfer) };
        let variants = self.worded(key);
        self.say_one_of(variants, key, &[("target", target)], SegmentKind::Notice, true);
        self.then = then;
    }
}

impl Turn<'_> {
    /// What the call is about, in words of the tenant's own: nothing that the caller said. Empty: that is not known.
    pub(super) fn subject(&self) -> String {
        if let Some(task) = self.state.tasks.iter().rev().find(|task| task.id != "person") {
            return self.script.task(&task.id).map(|task| task.spoken.clone()).unwrap_or_default();
        }
        let filed = self.state.done.as_ref().filter(|task| task.id != "person");
        filed.and_then(|task| self.script.task(&task.id)).map(|task| task.spoken.clone()).unwrap_or_default()
    }
}

impl Dialogue {
    /// Who came back and left before they said what should be done is called back all the same.
    pub(super) fn owed_after_transfer(&self, state: &State) -> Option<Filing> {
        let script = self.script_in(state.language);
        (state.returned.is_some() && state.caller_number).then(|| owed_to_returned(script, state)).flatten()
    }
}
