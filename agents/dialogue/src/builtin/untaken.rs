//! What a caller told that no reader took. Nothing that is told is lost: what stands nowhere in the task when its turn is done goes
//! with what happened, or beside it.

use language::reply::Kind;

use super::account;
use super::addressee::MESSAGE;
use super::beliefs::correction::{corrected, denies, instead_of};
use super::beliefs::not_but::takes_back_for;
use super::confirmed::swapped;
use super::intent::by_cue;
use super::policy::matters::REPORT;
use super::policy::said::Said;
use super::reply::{Reply, asks};
use super::script::{Does, Slot, SlotKind, TaskScript};
use super::slots::{self, Context, Read};
use super::state::{Filled, Stage};
use super::turn::Turn;
use language::reply::Asked;

/// Fewer words that name something tell nothing by themselves.
const NAMES: usize = 2;
/// Of a sentence in which the reader of replies found nothing, more is asked for: it may be talk.
const NAMES_ALONE: usize = 3;
/// A question of fewer words is about what was just said.
const ASKS: usize = 5;

/// Words that were said to a task, and what had been asked.
pub(super) struct ToldNow {
    task: String,
    text: String,
    asked: Asked,
    /// They began it.
    begins: bool,
}

impl Turn<'_> {
    /// These words are for the open task: what it takes none of is kept when the turn is done ([`Self::keep_untaken`]).
    pub(super) fn tells_now(&mut self, text: &str, begins: bool) {
        let Some((stage, script)) = self.current() else { return };
        // Where somebody proves who they are, a secret may be among the words.
        if script.slots.iter().any(|slot| slot.kind == SlotKind::Proof) {
            return;
        }
        let told = |slot: &&Slot| matches!(slot.kind, SlotKind::Story | SlotKind::Text);
        let asked = match &stage {
            _ if begins => None,
            Stage::Confirm => Some(Asked::Confirm),
            Stage::Which => Some(Asked::Fix),
            Stage::Slot(id) => script.slot(id).and_then(asks),
        };
        let asked = asked.or_else(|| script.slots.iter().find(told).and_then(asks)).unwrap_or(Asked::What);
        self.told_now = Some(ToldNow { task: script.id.clone(), text: text.to_owned(), asked, begins });
    }

    /// Keeps what was told in this turn and stands nowhere. Once a turn. `asked`: our next question was put already, and nothing is said
    /// behind that.
    pub(super) fn keep_untaken(&mut self, asked: bool) {
        let Some(told) = self.told_now.take() else { return };
        let Some((_, script)) = self.current() else { return };
        if script.id != told.task || self.state.task().is_some_and(|task| task.amends.is_some()) {
            return;
        }
        let reply = self.parts_of(&told.text, told.asked);
        let reports = script.slots.iter().any(|slot| slot.kind == SlotKind::Story);
        for untaken in self.untaken(&reply, &told.text, told.begins) {
            // "I want to report an incident" tells of none.
            let only_begins = told.begins
                && reports
                && (account::opening_story(self.ear, &untaken).is_none()
                    || account::is_thin(self.ear, &untaken));
            // "I want to file a complaint about somebody" is no message yet.
            let only_wishes = told.begins && !reports && !self.is_beside(script, &untaken);
            if only_begins || only_wishes {
                continue;
            }
            self.keep_beside(script, &untaken);
        }
        for number in self.other_numbers(&reply) {
            self.task_mut(|task| task.note_beside(&number));
        }
        self.keep_unanswered(&reply, &told, asked);
    }

    /// What was told where no task was begun, "there's a dead deer by my mailbox, do I call you for that?", is what a report is of that
    /// the next turn begins.
    pub(super) fn keep_told_before(&mut self, text: &str) {
        self.state.told_before.clear();
        let matter = Said::of(text, self.ear.0).matter();
        let plain = self.ear.plain(&matter);
        let there = self.ear.cues().there_is.iter().any(|words| plain.starts_with(words));
        let tells = there
            || self.script.about(REPORT, &matter).is_some()
            || self.script.acts.tells(&plain)
            || account::tells_event(self.ear, &matter);
        if tells && self.state.task().is_none() {
            self.state.told_before = matter;
        }
    }

    /// The words that begin a report after those that the turn before told, where they say of nothing what is wrong.
    pub(super) fn told_of_before(&mut self, id: &str, text: &str) -> Option<String> {
        let before = std::mem::take(&mut self.state.told_before);
        let own = self.script.about(REPORT, text).is_some();
        (id == REPORT && !before.is_empty() && !own && !text.contains(&before))
            .then(|| format!("{before}. {text}"))
    }

    /// What is asked beside what is told, and was not answered: a page does, or a person.
    fn keep_unanswered(&mut self, reply: &Reply, told: &ToldNow, silently: bool) {
        // "Can y'all have the assessor call me" asks for what was just begun.
        let reports = || {
            let story = |slot: &Slot| slot.kind == SlotKind::Story;
            self.current().is_some_and(|(_, script)| script.slots.iter().any(story))
        };
        if self.asks_served || (told.begins && !reports()) {
            return;
        }
        let asked = reply.each(Kind::Ask).next().map(str::to_owned);
        let asked = asked.unwrap_or_else(|| Said::of(&told.text, self.ear.0).asked());
        let plain = self.ear.plain(&asked);
        let asks = self.ear.is_question(&asked) || self.script.acts.wants_to_know(&plain);
        // "What did you say?" is of the call, and was dealt with there.
        let of_call =
            by_cue(self.script, &asked).is_some_and(|cue| matches!(cue.intent.does, Does::Control(_)));
        if !asks || of_call || plain.split(' ').count() < ASKS || self.is_kept(&asked) {
            return;
        }
        if silently || self.subjects(&asked).is_empty() {
            self.task_mut(|task| task.note_beside(&asked));
            if !silently {
                self.say("question_noted");
            }
        } else {
            self.answer_beside(&asked, told.asked == Asked::Confirm);
        }
    }

    fn untaken(&self, reply: &Reply, text: &str, begins: bool) -> Vec<String> {
        let terms = |text: &str| self.ear.terms(&self.ear.plain(text));
        let old = reply.all(Kind::Old, " ").map(|old| terms(&old)).unwrap_or_default();
        let mut held = self.held_terms();
        // What is of a name, a place or a question is for others.
        for kind in
            [Kind::Name, Kind::Phone, Kind::Call, Kind::Ask, Kind::Skip, Kind::Yes, Kind::No, Kind::Drop]
        {
            held.extend(reply.all(kind, " ").map(|words| terms(&words)).unwrap_or_default());
        }
        let lost = |told: &str, least: usize| {
            let own = terms(told);
            let missing = own.iter().filter(|term| !held.contains(term)).count();
            // What is taken back, or stands against it, was dealt with as a correction.
            own.len() >= least && missing * 2 > own.len() && !own.iter().any(|term| old.contains(term))
        };
        let told = reply.tellings.iter().filter(|told| lost(told, NAMES) && !self.refuses_only_call(told));
        // What is passed on is for whoever gets it: every sentence of it.
        let passes_on = self.current().is_some_and(|(_, script)| script.slot(MESSAGE).is_some());
        if passes_on && !begins {
            let talk = |said: &String| {
                self.ear.is_question(said)
                    || self.names_call(said)
                    || self.script.acts.insults(&self.ear.plain(said))
                    || by_cue(self.script, said).is_some()
            };
            let whole = language::sentences(text).into_iter();
            let whole: Vec<String> = whole.filter(|said| lost(said, NAMES_ALONE) && !talk(said)).collect();
            let beyond = told.filter(|told| !whole.iter().any(|said| said.contains(told.as_str())));
            let beyond: Vec<String> = beyond.cloned().collect();
            let bare = |said: String| account::free_text(self.ear, &said).map_or(said, |told| told.value);
            return beyond.into_iter().chain(whole.into_iter().map(bare)).collect();
        }
        let mut out: Vec<String> = told.cloned().collect();
        if reply.has(Kind::Old) {
            return out;
        }
        // What the reader of replies passed over, and that of openings takes for told.
        let taken: Vec<String> = reply.tellings.iter().flat_map(|told| terms(told)).collect();
        let matter = Said::of(text, self.ear.0).matter();
        let clauses = matter.split([',', '.', ';', '!', '?']).map(|clause| self.ear.without_fillers(clause));
        out.extend(
            clauses
                .filter(|clause| {
                    lost(clause, NAMES_ALONE) && !terms(clause).iter().any(|term| taken.contains(term))
                })
                .map(str::to_owned),
        );
        out
    }

    /// "Or my sister, she's at 555 0144": a number beside the one that was taken.
    fn other_numbers(&self, reply: &Reply) -> Vec<String> {
        let Some((_, script)) = self.current() else { return Vec::new() };
        let Some(slot) = script.slots.iter().find(|slot| slot.kind == SlotKind::Phone) else {
            return Vec::new();
        };
        let Some(held) = self.state.task().and_then(|task| task.slots.get(&slot.id)) else {
            return Vec::new();
        };
        let other = |words: &&String| match slots::answered(
            slot.kind,
            words,
            Context { digits: "", ..self.context() },
        ) {
            Read::Value(value) => {
                !held.value.is_empty() && value.value != held.value && value.value != "caller"
            }
            _ => false,
        };
        reply.numbers.iter().filter(other).cloned().collect()
    }

    /// What the open task holds already, of whatever field.
    fn held_terms(&self) -> Vec<String> {
        let Some(task) = self.state.task() else { return Vec::new() };
        let mut all = format!("{} {} {}", task.call_when, task.aside, task.to);
        for filled in task.slots.values() {
            all = format!("{all} {} {}", filled.value, filled.spoken);
        }
        for later in &self.state.later {
            all = format!("{all} {later}");
        }
        self.ear.terms(&self.ear.plain(&all))
    }

    /// Whether words tell something beside the wish that a task serves: "I'd like to book somebody to look at the porch" is the wish.
    pub(super) fn is_beside(&self, script: &TaskScript, told: &str) -> bool {
        let spoken = self.ear.terms(&self.ear.plain(&script.spoken));
        let wish = || by_cue(self.script, told).is_some_and(|cue| matches!(cue.intent.does, Does::Task(_)));
        self.ear.subjects(told).into_iter().any(|stem| !spoken.contains(&stem)) && !wish()
    }

    /// What was told besides goes with what happened or with the message; a task that asks for neither notes it.
    pub(super) fn keep_beside(&mut self, script: &TaskScript, told: &str) {
        match script.slots.iter().find(|slot| matches!(slot.kind, SlotKind::Story | SlotKind::Text)) {
            Some(slot) => {
                let held = self.state.task().and_then(|task| task.slots.get(&slot.id)).cloned();
                let told = account::with(self.ear, &held.unwrap_or_else(Filled::not_given), told);
                let told = if slot.id == MESSAGE { self.with_addressee(told) } else { told };
                self.task_mut(|task| task.fill(&slot.id, told));
            }
            None if self.is_beside(script, told) => self.task_mut(|task| task.note_beside(told)),
            None => {}
        }
    }

    /// "Doreen McGill, and honey, it's blocking half the road": what stands behind a name and tells something is told.
    pub(super) fn tell_behind(&mut self, script: &TaskScript, behind: &str) {
        let matter = Said::of(behind, self.ear.0).matter();
        let tells = self.ear.terms(&self.ear.plain(&matter)).len() >= NAMES;
        if !tells || self.only_puts_place_right(&matter) {
            return;
        }
        self.keep_beside(script, &matter);
    }

    /// "It's not on Mill, it's on River Street" is of the place, and was taken there.
    fn only_puts_place_right(&self, told: &str) -> bool {
        let place = self.state.task().and_then(|task| task.slots.get("where"));
        place.is_some_and(|place| takes_back_for(self.ear, &place.spoken, told))
    }

    /// What happened besides, told in answer to another question.
    pub(super) fn tell_more(&mut self, slot: &Slot, reply: &Reply, asked: Option<&Slot>) {
        if reply.tellings.is_empty() {
            return;
        }
        let more = reply.tellings.join(", ");
        let held = self.state.task().and_then(|task| task.slots.get(&slot.id)).cloned();
        // "No es un árbol, es un poste": what is denied gives way.
        let swapped = held.as_ref().and_then(|held| {
            let (old, new) = instead_of(self.ear, &self.whole)?;
            swapped(self.ear, &held.value, &old, &new)
        });
        if let Some(told) = swapped.map(|told| account::kept(self.ear, &told)) {
            return self.task_mut(|task| task.fill(&slot.id, told));
        }
        // "No, nobody's hurt" answers, and denies nothing of it.
        let denied = reply.has(Kind::No) && asked.is_none_or(|asked| asked.kind != SlotKind::Injured);
        let anew = held.as_ref().filter(|_| reply.has(Kind::Old) || denied);
        let anew = anew.filter(|held| denies(self.ear, held, &self.whole));
        if let Some(anew) = anew.and_then(|held| corrected(slot.kind, held, &self.whole, self.context())) {
            return self.task_mut(|task| task.fill(&slot.id, anew));
        }
        if self.only_puts_place_right(&more) {
            return;
        }
        let told = match held {
            Some(held) if !held.value.is_empty() => account::completed(self.ear, &held, &more),
            _ => match self.account(&more) {
                Some(told) => told,
                None => return,
            },
        };
        self.task_mut(|task| task.fill(&slot.id, told));
    }
}
