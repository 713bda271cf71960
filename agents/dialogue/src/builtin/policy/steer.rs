//! The caller steers: gives up, goes over to something else and comes back, puts right what we took it for.

use super::super::intent::by_cue;
use super::super::script::{Does, SlotKind};
use super::super::slots;
use super::super::state::{Pending, Stage};
use super::super::step::Passage;
use super::super::turn::Turn;
use super::acts::Steer;
use language::intents::Act;
use language::repair;
use language::steer::{self, Stage as Stands, steered};

/// From so much on the head takes few words for giving up what was begun, and doing no more.
const CANCELS: f32 = 0.5;
const ABANDONS: f32 = 0.4;
const FEW: usize = 9;

/// From so much on what was learned of what callers do to what is under way is followed. Where it goes over to something else, no
/// question of ours is left to put it right.
const FOLLOWS: f32 = 0.7;
const GOES_OVER: f32 = 0.8;

/// So many clauses may give up before they say why.
const LEADS: usize = 3;

impl Turn<'_> {
    /// Follows the caller. `true` when that was the reply.
    pub(in super::super) fn steered(&mut self, text: &str) -> bool {
        let bye = self.says_bye(text);
        let followed = match self.script.acts.steer(self.ear, text, bye) {
            Steer::None => false,
            Steer::Leave => {
                self.drop_all();
                self.goodbye();
                true
            }
            Steer::Abandon { .. } if self.state.task().is_some() && self.keeps_on(text) => return false,
            Steer::Abandon { bye } => return self.abandoned(text, bye),
            Steer::First(rest) => self.state.task().is_some() && self.first(&rest),
            Steer::Instead(rest) => {
                let over = self.state.task().is_none() && self.is_wish(&rest);
                if over {
                    self.state.pending = None;
                    self.open(&rest);
                }
                over
            }
            Steer::Meant(rest) => self.state.task().is_none() && self.meant(&rest),
        };
        if followed {
            return true;
        }
        if let Some(rest) = self.given_up_for(text) {
            self.did("cancel", "dropped it");
            self.state.tasks.pop();
            self.say_cancelled();
            self.open(&rest);
            return true;
        }
        // "No, I said I don't want a message": whatever it begins like, what was begun is refused.
        if self.gives_up(text) {
            return self.abandoned(text, bye);
        }
        self.form_refused(text, bye) || self.followed_as_learned(text, bye)
    }

    /// What the caller does to what is under way, by what was learned of it; [`steer::Steer::On`] where that is not sure.
    pub(in super::super) fn does_to_it(&self, text: &str) -> steer::Steer {
        let stands = match self.state.task() {
            Some(task) if matches!(task.stage, Stage::Slot(_)) => Stands::Slot,
            Some(_) => Stands::Confirm,
            None if self.amendable().is_some() => Stands::Filed,
            None => Stands::Answered,
        };
        let (does, sure) = steered(self.ear, stands, text);
        let least = if does == steer::Steer::Other { GOES_OVER } else { FOLLOWS };
        if sure >= least { does } else { steer::Steer::On }
    }

    /// In words that no turn of phrase tells: "my brother-in-law'll haul it off, leave it", "what's it cost, before you take all that".
    fn followed_as_learned(&mut self, text: &str, bye: bool) -> bool {
        let begun = self.state.task().is_some_and(|task| task.amends.is_none());
        match self.does_to_it(text) {
            steer::Steer::Drop if begun && !self.keeps_on(text) => self.abandoned(text, bye),
            steer::Steer::First if begun => self.first(text),
            steer::Steer::Other if self.state.task().is_none() => self.meant(text),
            _ => false,
        }
    }

    /// "Oh, never mind, they are fixing it right now. Forget it, thanks": one sentence gives up, the others ask for nothing.
    fn gives_up(&self, text: &str) -> bool {
        let acts = &self.script.acts;
        let parts = || text.split_inclusive(['.', '!', '?', ',']).map(str::trim);
        let given_up = |part: &str| acts.abandons(&self.ear.plain(part));
        let begun = self.state.task().is_some_and(|task| task.amends.is_none());
        // As the head reads the words, where they are few: "no, you got it already, cancel that".
        let words = self.ear.plain(text).split(' ').count();
        let read = self.head.wants("cancel") >= CANCELS && self.head.does(Act::Abandon) >= ABANDONS;
        if begun && text == self.heard && read && words <= FEW && !self.keeps_on(text) {
            return true;
        }
        let wish = |part: &str| {
            let task =
                by_cue(self.script, part).is_some_and(|found| matches!(found.intent.does, Does::Task(_)));
            !given_up(part) && (task || self.ear.is_question(part))
        };
        begun && parts().any(given_up) && !parts().any(wish)
    }

    /// Nothing of what is given up is filed, and that is said.
    fn abandoned(&mut self, text: &str, bye: bool) -> bool {
        if self.state.tasks.is_empty() {
            // "Never mind, goodbye" with nothing begun is a goodbye.
            if bye {
                self.state.pending = None;
                self.goodbye();
                return true;
            }
            self.did("cancel", "had nothing to drop");
            self.say("nothing_to_cancel");
            self.anything_else();
            return true;
        }
        self.did("cancel", "dropped it");
        let all = bye || self.script.acts.takes_both(&self.ear.plain(text));
        self.say_cancelled();
        if bye {
            self.drop_all();
            self.goodbye();
        } else {
            if all {
                self.drop_all();
            } else {
                self.state.tasks.pop();
            }
            self.resume_or_more();
        }
        true
    }

    /// "No report, I'm asking who pays": what was begun is given up, and the words are served as if they were the first.
    fn form_refused(&mut self, text: &str, bye: bool) -> bool {
        let plain = self.ear.plain(text);
        let begun = self.state.task().is_some_and(|task| task.stage != Stage::Confirm);
        let person = self.state.task().is_some_and(|task| task.id == "person");
        if begun && person && self.tells_of_nobody_now(text) {
            return true;
        }
        // "No call back, I just want the lights fixed", asked for a number, declines the number.
        let asked = self.current().and_then(|(stage, script)| match stage {
            Stage::Slot(id) => script.slot(&id),
            _ => None,
        });
        let number_only = asked.is_some_and(|slot| slot.optional && matches!(slot.kind, SlotKind::Phone))
            && slots::declines(self.ear, text);
        // "I don't want anybody calling me", of a report: it is filed, and nobody calls.
        let call_only = begun && !person && self.refuses_only_call(text);
        if number_only || call_only {
            return false;
        }
        if !begun || self.state.urgent {
            return false;
        }
        let rest = match self.does_to_it(text) {
            _ if self.script.acts.refuses(&plain) => self.script.acts.beside_refusal(self.ear, text),
            steer::Steer::Refuse => String::new(),
            steer::Steer::Other => repair::without_denied(self.ear, text),
            _ => return false,
        };
        self.did("cancel", "dropped it");
        self.state.tasks.pop();
        self.say_cancelled();
        if bye {
            self.drop_all();
            self.goodbye();
        } else if rest.is_empty() {
            self.resume_or_more();
        } else {
            self.open(&rest);
        }
        true
    }

    /// What is asked beside a refusal of what nobody has begun: "I don't want a call back. How much is a couch?" Empty where
    /// nothing is; `None` where nothing is refused.
    pub(in super::super) fn beside_refused(&self, text: &str) -> Option<String> {
        let acts = &self.script.acts;
        let gives_up = |part: &str| acts.abandons(&self.ear.plain(part));
        let parts = || text.split_inclusive(['.', '!', '?']).map(str::trim);
        let refused = acts.refuses(&self.ear.plain(text));
        if !refused && !parts().any(gives_up) {
            return None;
        }
        let rest = if refused { acts.beside_refusal(self.ear, text) } else { text.to_owned() };
        let asked: Vec<&str> = rest
            .split_inclusive(['.', '!', '?'])
            .map(str::trim)
            .filter(|part| !gives_up(part))
            .filter(|part| self.ear.is_question(part) || !self.subjects(part).is_empty())
            .collect();
        let asked = asked.join(" ");
        Some(if asked != text && self.is_wish(&asked) { asked } else { String::new() })
    }

    /// "I don't want anybody to call me": the one thing that the words name is what is refused.
    pub(in super::super) fn refuses_what_it_names(&self, text: &str) -> bool {
        let rest = self.script.acts.beside_refusal(self.ear, text);
        let task = |text: &str| {
            by_cue(self.script, text).is_some_and(|found| matches!(found.intent.does, Does::Task(_)))
        };
        task(text) && !task(&rest)
    }

    /// "I said never mind the callback. The dog park, where's it at?": what was begun is given up for something else.
    fn given_up_for(&self, text: &str) -> Option<String> {
        let acts = &self.script.acts;
        let begun =
            self.state.task().is_some_and(|task| task.amends.is_none() && task.stage != Stage::Confirm);
        if !begun || self.state.urgent {
            return None;
        }
        let parts: Vec<&str> = text.split_inclusive(['.', '!', '?']).map(str::trim).collect();
        // "Nah, never mind, scratch that, my wife called it in": what stands behind it only says why.
        let leads = |part: &str| {
            let mut commas = part.match_indices(',').map(|(at, _)| at).take(LEADS);
            commas.any(|at| acts.abandons(&self.ear.plain(&part[..at])))
        };
        let gives_up = |part: &&str| acts.abandons(&self.ear.plain(part)) || leads(part);
        let (given_up, rest): (Vec<&str>, Vec<&str>) = parts.into_iter().partition(gives_up);
        let rest = rest.join(" ");
        (!given_up.is_empty() && self.ear.is_question(&rest) && !self.subjects(&rest).is_empty())
            .then_some(rest)
    }

    fn drop_all(&mut self) {
        self.state.tasks.clear();
        self.state.later.clear();
        self.state.pending = None;
    }

    /// "Before that, …": what is under way waits, and is gone on with afterwards.
    fn first(&mut self, rest: &str) -> bool {
        let current = self.state.task().map(|task| task.id.clone());
        let asks = self.ear.is_question(rest) || self.script.acts.wants_to_know(&self.ear.plain(rest));
        match by_cue(self.script, rest).map(|found| found.intent.does.clone()) {
            Some(Does::Task(id)) if Some(&id) != current.as_ref() && !self.ear.is_question(rest) => {
                if let Some((_, held)) = self.current() {
                    self.say_with("held", &[("task", &held.spoken)]);
                }
                self.start_task(&id, rest);
            }
            Some(Does::Control(id)) => self.control(&id, rest),
            _ if asks => self.digress(rest),
            // "First a car came round the corner" tells on.
            _ => return false,
        }
        true
    }

    /// Whether words ask for something, and do not answer or tell.
    fn is_wish(&self, text: &str) -> bool {
        let asks = self.ear.is_question(text) || self.ear.asks(text);
        asks || by_cue(self.script, text).is_some()
    }

    /// Whether the words name what the last answer was about.
    fn names_topic(&self, text: &str) -> bool {
        let named = self.subjects(text);
        let words =
            |page: &Passage| self.ear.terms(&self.ear.plain(&format!("{} {}", page.title, page.text)));
        let held = self.view.topic.first().map(words).unwrap_or_default();
        !named.is_empty() && named.iter().all(|stem| held.contains(stem))
    }

    /// "No, I mean the dog license": the last answer was about something else.
    fn meant(&mut self, rest: &str) -> bool {
        if self.state.question.is_empty() {
            return false;
        }
        // "No, I mean can I get out of it", "I mean the second half": the subject is the same, and its page is no wrong one.
        let same_page = self.ear.asks(rest) || !self.is_of_another_page(rest);
        if same_page && self.leans(rest) {
            return false;
        }
        if let Some(Pending::Which(choices)) = self.state.pending.take()
            && self.resolves(&choices, rest)
        {
            return true;
        }
        // "I meant the main library", where that is what was answered: the answer was not heard, and is no wrong one.
        let same = self.names_topic(rest);
        self.rejected = self.state.topic.take().filter(|_| !same).map(|topic| topic.source);
        self.did("correction", "took it");
        self.say("meant");
        // What was asked about the wrong thing is asked about the right one.
        let question = std::mem::take(&mut self.state.question);
        let kept = question.split_whitespace().filter(|word| self.subjects(word).is_empty());
        let kept: Vec<&str> = if self.ear.asks(rest) { Vec::new() } else { kept.collect() };
        let text = format!("{} {}", rest.trim_end_matches(['.', '!', ',']), kept.join(" "));
        self.open(text.trim());
        true
    }
}
