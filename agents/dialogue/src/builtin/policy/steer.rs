//! The caller steers: gives up, goes over to something else and comes back, puts right what we took it for.

use super::super::intent::by_cue;
use super::super::script::{Does, SlotKind};
use super::super::slots;
use super::super::state::{Pending, Stage, Task};
use super::super::step::Passage;
use super::super::turn::Turn;
use super::acts::Steer;
use language::YesNo;
use language::intents::Act;
use language::repair;
use language::reply::Kind;
use language::steer::{self as learned, Stage as Stands, surely};

/// From so much on the head takes few words for giving up what was begun, and doing no more.
const CANCELS: f32 = 0.5;
const ABANDONS: f32 = 0.4;
const FEW: usize = 9;

/// So many values of a task are more than what it began with.
const TOLD: usize = 3;
/// More words than this do not only approve.
const APPROVING: usize = 9;
/// So many clauses may give up before they say why.
const LEADS: usize = 3;

impl Turn<'_> {
    /// Follows the caller. `true` when that was the reply.
    pub(in super::super) fn steered(&mut self, text: &str) -> bool {
        let bye = self.says_bye(text);
        if self.state.pending == Some(Pending::Drop) {
            self.state.pending = None;
            return self.answers_drop(text, bye);
        }
        match self.script.acts.steer(self.ear, text) {
            Steer::Leave => {
                self.drop_all();
                self.goodbye();
                return true;
            }
            Steer::Meant(rest) if self.state.task().is_none() && self.meant(&rest) => return true,
            Steer::Meant(_) | Steer::None => {}
        }
        if let Some(rest) = self.given_up_for(text) {
            self.did("cancel", "dropped it");
            self.state.tasks.pop();
            self.say_cancelled();
            self.open(&rest);
            return true;
        }
        // "Take that part about my neighbor out", of what was read back: the rest is to stay.
        if self.takes_part_out(text) {
            return false;
        }
        // "No, I said I don't want a message": whatever it begins like, what was begun is refused.
        if self.gives_up(text) {
            return self.abandoned(text, bye);
        }
        self.form_refused(text, bye) || self.followed_as_learned(text, bye)
    }

    /// Whether words take back a part of what was read back, and not the whole.
    fn takes_part_out(&self, text: &str) -> bool {
        let read_back = self.state.task().is_some_and(|task| task.stage == Stage::Confirm);
        let reply = self.reply(text);
        read_back && reply.has(Kind::Old) && !reply.has(Kind::Drop)
    }

    /// What the caller does to what is under way, by what was learned of it; [`learned::Steer::On`] where that is not sure.
    pub(in super::super) fn does_to_it(&self, text: &str) -> learned::Steer {
        let stands = match self.state.task() {
            Some(task) if matches!(task.stage, Stage::Slot(_)) => Stands::Slot,
            Some(_) => Stands::Confirm,
            None if self.amendable().is_some() => Stands::Filed,
            None => Stands::Answered,
        };
        surely(self.ear, stands, text)
    }

    /// Whether these words, as a whole, give up what was begun.
    pub(in super::super) fn gives_up_in(&self, text: &str) -> bool {
        surely(self.ear, Stands::Slot, text) == learned::Steer::Drop
    }

    /// In words that no turn of phrase tells: "my brother-in-law'll haul it off, leave it", "what's it cost, before you take all that".
    fn followed_as_learned(&mut self, text: &str, bye: bool) -> bool {
        let begun = self.state.task().is_some_and(|task| task.amends.is_none());
        let asks = self.ear.is_question(text);
        match self.does_to_it(text) {
            // What is filed is taken back: see `amend`.
            learned::Steer::Drop if asks => false,
            learned::Steer::Drop if self.state.task().is_none() => {
                !self.begins_task(text) && (bye || self.amendable().is_none()) && self.abandoned(text, bye)
            }
            learned::Steer::Drop if begun && !self.keeps_on(text) => self.abandoned(text, bye),
            learned::Steer::First if begun => {
                let wanted = self.wanted_first(text);
                self.first(&wanted) || wanted != text && self.first(text)
            }
            learned::Steer::Change if begun => self.changed_amid(text),
            learned::Steer::Other if self.state.task().is_none() => self.meant(text),
            _ => false,
        }
    }

    /// "Oh, never mind, they are fixing it right now. Forget it, thanks": one sentence gives up, the others ask for nothing.
    fn gives_up(&self, text: &str) -> bool {
        let parts = || text.split_inclusive(['.', '!', '?', ',']).map(str::trim);
        let given_up = |part: &str| self.gives_up_in(part);
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

    /// "When is the library open", of "hold that, first, when is the library open": what is asked, by the parts of the reply or by its
    /// clauses, without what only leads to it.
    fn wanted_first(&self, text: &str) -> String {
        let reply = self.reply(text);
        let asked = reply.all(Kind::Ask, ", ");
        if let Some(asked) = asked.filter(|asked| !self.subjects(asked).is_empty()) {
            return asked;
        }
        let leads = |clause: &&str| self.subjects(clause).is_empty();
        let clauses: Vec<&str> =
            text.split_inclusive([',', '.', '!']).map(str::trim).skip_while(leads).collect();
        if clauses.is_empty() { text.to_owned() } else { clauses.join(" ") }
    }

    /// "Could you make that Friday", while a name is asked for.
    fn changed_amid(&mut self, text: &str) -> bool {
        let Some((Stage::Slot(asked), _)) = self.current() else { return false };
        let changed = !self.correct(text, Some(&asked)).is_empty();
        if changed {
            self.acknowledge_correction();
        }
        changed
    }

    /// "Should I drop all of it?": who gives up once more, or says yes, has nothing filed; with anything else it is gone on.
    fn answers_drop(&mut self, text: &str, bye: bool) -> bool {
        let answer = self.ear.yes_no(text);
        let drops = answer == Some(YesNo::Yes) || answer.is_none() && (bye || self.gives_up_in(text));
        if drops {
            return self.dropped(text, bye);
        }
        self.did("cancel", "kept it");
        // "No, send it without a number" answers the open question, too.
        let told = self.reply(text);
        let tells = [Kind::What, Kind::Place, Kind::When, Kind::Name, Kind::Phone, Kind::Call, Kind::Skip];
        if answer != Some(YesNo::No) && !self.keeps_it(text)
            || !self.ear.is_bare_yes_no(text) && tells.into_iter().any(|kind| told.has(kind))
        {
            return false;
        }
        self.say("kept_on");
        self.ask_again_quietly();
        true
    }

    /// "What do you mean, drop it? I do want it on record."
    fn keeps_it(&self, text: &str) -> bool {
        let plain = format!(" {} ", self.ear.plain(text));
        self.ear.cues().keeps_it.iter().any(|word| plain.contains(&format!(" {word} ")))
    }

    /// What was all but told is given up only by who says so twice.
    fn abandoned(&mut self, text: &str, bye: bool) -> bool {
        // "Ya, ya, déjelo así, está bien", asked whether it is right now.
        let read_back = |task: &Task| matches!(task.stage, Stage::Confirm | Stage::Which);
        if self.state.task().is_some_and(read_back) && self.approves(text) {
            return false;
        }
        // "That neither. But it's on Old Quarry Road": who goes on telling gives nothing up.
        let reply = self.reply(text);
        let values = [Kind::What, Kind::Place, Kind::When, Kind::Name, Kind::Phone];
        if !bye
            && !reply.has(Kind::Drop)
            && reply.is_mixed()
            && values.into_iter().any(|kind| reply.has(kind))
        {
            return false;
        }
        let all_but = |task: &Task| matches!(task.stage, Stage::Slot(_)) && told(task) >= TOLD;
        if !bye && self.state.task().is_some_and(all_but) {
            self.did("cancel", "asked first");
            self.ask_pending("drop_all", Pending::Drop);
            return true;
        }
        self.dropped(text, bye)
    }

    /// Whether words find what was read back good as it is.
    pub(in super::super) fn approves(&self, text: &str) -> bool {
        let plain = format!(" {} ", self.ear.plain(text));
        // "Nothing to change, just book it": what approves of it drops nothing.
        let mut rest = plain.clone();
        for word in self.ear.cues().good_as_is {
            rest = rest.replace(&format!(" {word} "), "  ");
        }
        let drops = |word: &&str| rest.contains(&format!(" {word} "));
        rest != plain && !self.ear.cues().drops_it.iter().any(drops)
    }

    /// Whether a few words find it good and do nothing else.
    pub(in super::super) fn only_approves(&self, text: &str) -> bool {
        let few = text.split_whitespace().count() <= APPROVING;
        let plain = self.ear.plain(text);
        let and = plain.split(' ').any(|word| word == self.ear.cues().says.and);
        let alone =
            few && self.approves(text) && !and && !self.blames(&plain) && self.ear.count_digits(text) == 0;
        // "That's fine, but after four": what gives a value is read for it.
        let values = [Kind::Place, Kind::When, Kind::Name, Kind::Phone, Kind::Call, Kind::Old];
        alone && !values.into_iter().any(|kind| self.reply(text).has(kind))
    }

    /// Nothing of what is given up is filed, and that is said.
    fn dropped(&mut self, text: &str, bye: bool) -> bool {
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
        let does = self.does_to_it(text);
        let optional = asked.filter(|slot| slot.optional && matches!(slot.kind, SlotKind::Phone));
        // "I don't need anybody calling me. You got the barrels in there, right?", asked for a number: nobody calls, and no more.
        let no_call = self.names_call(text) && self.script.acts.refuses(&plain);
        if let Some(slot) = optional.filter(|_| does == learned::Steer::Refuse || no_call) {
            self.answer_asked_beside(text);
            self.declined(slot);
            return true;
        }
        // Nobody who has told that much is thought to want none of it before they say so plainly.
        let much = self.state.task().is_some_and(|task| told(task) >= TOLD);
        if much && self.script.acts.refuses(&plain) {
            return self.abandoned(text, bye);
        }
        let rest = match does {
            _ if self.script.acts.refuses(&plain) => self.script.acts.beside_refusal(self.ear, text),
            _ if much => return false,
            learned::Steer::Refuse => String::new(),
            learned::Steer::Other => repair::without_denied(self.ear, text),
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

    /// Answers what is asked beside a number that is not given.
    fn answer_asked_beside(&mut self, text: &str) {
        let reply = self.reply(text);
        if let Some(question) = reply.all(Kind::Ask, ", ") {
            self.answer_beside(&question, false);
        }
    }

    /// What is asked beside a refusal of what nobody has begun: "I don't want a call back. How much is a couch?" Empty where
    /// nothing is; `None` where nothing is refused.
    pub(in super::super) fn beside_refused(&self, text: &str) -> Option<String> {
        let acts = &self.script.acts;
        let gives_up = |part: &str| self.gives_up_in(part);
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
        self.begins_task(text) && !self.begins_task(&rest)
    }

    /// "I said never mind the callback. The dog park, where's it at?": what was begun is given up for something else.
    fn given_up_for(&self, text: &str) -> Option<String> {
        let begun =
            self.state.task().is_some_and(|task| task.amends.is_none() && task.stage != Stage::Confirm);
        if !begun || self.state.urgent {
            return None;
        }
        let parts: Vec<&str> = text.split_inclusive(['.', '!', '?']).map(str::trim).collect();
        // "Nah, never mind, scratch that, my wife called it in": what stands behind it only says why.
        let leads = |part: &str| {
            let mut commas = part.match_indices(',').map(|(at, _)| at).take(LEADS);
            commas.any(|at| self.gives_up_in(&part[..at]))
        };
        let gives_up = |part: &&str| self.gives_up_in(part) || leads(part);
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

    /// Whether words ask for something that is filled in.
    pub(in super::super) fn begins_task(&self, text: &str) -> bool {
        by_cue(self.script, text).is_some_and(|found| matches!(found.intent.does, Does::Task(_)))
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

/// How many values of a task the caller has told.
fn told(task: &Task) -> usize {
    task.slots.values().filter(|filled| !filled.value.is_empty()).count()
}
