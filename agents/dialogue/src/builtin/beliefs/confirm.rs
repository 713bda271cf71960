//! Taking corrections, and the answers to a read-back.

use std::sync::LazyLock;

use pipeline::ports::Language;
use pipeline::turn::Expectation;
use regex::Regex;

use super::days::{day_wanted, last_day, without_unfit_hour};
use super::doubt::{like_name, names_street};
use super::not_but::not_but;
use super::{correction, placed};
use crate::builtin::account;
use crate::builtin::confirmed::{differing, swapped};
use crate::builtin::intent::by_cue;
use crate::builtin::script::{Does, Slot, SlotKind, TaskScript};
use crate::builtin::slots::{self, Context, Read};
use crate::builtin::state::{Filled, Stage, State, Task};
use crate::builtin::turn::Turn;
use language::Ear;
use language::YesNo;
use language::lasting;
use language::repair::{denied, without_denied};
use language::reply::{Asked, Kind};
use language::sound::{ALIKE, likeness};
use language::spelling::spelled;
use language::steer::Steer;

impl crate::builtin::Dialogue {
    /// A call in which this slot of a task was just asked for, and those before it answered: for measuring.
    #[must_use]
    pub fn asking(&self, state: State, task: &str, slot: &str) -> State {
        let mut begun = Task::new(task);
        if let Some(script) = self.script_in(state.language).task(task) {
            for earlier in script.slots.iter().take_while(|s| s.id != slot) {
                begun.fill(&earlier.id, Filled::not_given());
            }
        }
        begun.stage = Stage::Slot(slot.to_owned());
        State { tasks: vec![begun], ..state }
    }
}

/// Longer than this, words tell more than a value that sounds like the one that is held.
const BY_SOUND: usize = 9;
/// A place that is named as such has no more words, unless it is an address.
const PLACE_WORDS: usize = 5;
/// Shorter than this, words with a question mark beside an answer ask nothing of their own.
const ASKS: usize = 4;
/// So many words that nothing on file has are worth a note.
const UNPLACED: usize = 2;

impl<'a> Turn<'a> {
    // ------------------------------------------------------------ correcting

    /// Replaces filled values by others in the words. Gives the slots that changed.
    pub(in crate::builtin) fn correct(&mut self, text: &str, asked: Option<&str>) -> Vec<&'a Slot> {
        let Some((_, script)) = self.current() else { return Vec::new() };
        if let Some(slot) = self.renumbered(script, text) {
            return vec![slot];
        }
        let mut changed = Vec::new();
        // After a report was filed "the street is closed" names no other place.
        let on_file = self.state.task().is_some_and(Task::is_on_file);
        for slot in script.slots.iter().filter(|s| Some(s.id.as_str()) != asked) {
            let Some(old) = self.state.task().and_then(|t| t.slots.get(&slot.id)).cloned() else { continue };
            // What a value is not, is no value: "not Tuesday, Thursday".
            let denied = slot.kind != SlotKind::Injured && correction::denies(self.ear, &old, text);
            let affirmed = if denied { without_denied(self.ear, text) } else { text.to_owned() };
            if slot.kind == SlotKind::Opening {
                let wanted = last_day(self.ear, &day_wanted(self.ear, &without_unfit_hour(self.ear, text)));
                changed.extend(self.change_opening(&wanted).then_some(slot));
                continue;
            }
            let affirmed =
                if slot.kind == SlotKind::Day { day_wanted(self.ear, &affirmed) } else { affirmed };
            // "It ain't from November thirteenth, it's about two weeks": the day is the one that is held.
            let stretch = lasting(self.ear, &affirmed).filter(|_| slot.kind == SlotKind::When);
            let stretch = stretch.map(|said| Filled::new(said.clone(), said));
            let place = matches!(slot.kind, SlotKind::Place | SlotKind::Address);
            let swap = not_but(self.ear, &old.spoken, text).filter(|_| place);
            let renamed = swap.as_ref().and_then(|(this, that)| swapped(self.ear, &old.spoken, this, that));
            let renamed = renamed.map(|place| Filled::new(place.clone(), place));
            let renamed = renamed.or_else(|| placed::renamed(self.ear, &old, text).filter(|_| place));
            let stated = stretch.or(renamed).or_else(|| slots::stated(slot.kind, &affirmed, self.context()));
            let value = stated.or_else(|| self.told_subject(slot, &affirmed)).or_else(|| {
                self.named_value(slot, &affirmed).filter(|_| !(on_file && slot.kind == SlotKind::Place))
            });
            let value = value.map(|new| match slot.kind {
                SlotKind::When => slots::merged_when(self.ear, &old, new),
                _ if swap.is_some() => new,
                SlotKind::Place if !denied && placed::whole_again(self.ear, &old, &new.value).is_none() => {
                    placed::with_landmark(self.ear, &old, new, corrects(self.ear, text))
                }
                // "And my last name is Villanueva", where Carmen is held.
                SlotKind::Name if self.tells_last_name(slot, text) => {
                    correction::corrected(slot.kind, &old, text, self.context()).unwrap_or(new)
                }
                // Letters, and one name where two are held, are a part: the other name stays.
                SlotKind::Name if !new.value.contains(' ') && old.value.contains(' ') => {
                    let said_again = old.value.split(' ').any(|word| word.eq_ignore_ascii_case(&new.value));
                    let part = correction::corrected(slot.kind, &old, text, self.context());
                    part.unwrap_or_else(|| if said_again { old.clone() } else { new })
                }
                _ => new,
            });
            if let Some(value) = value.filter(|v| v.value != old.value)
                && self.put_right(slot, value)
            {
                changed.push(slot);
                if let Some((this, that)) = swap {
                    self.put_right_in_story(script, &this, &that);
                }
            }
        }
        if changed.is_empty()
            && let Some((slot, value)) = self.corrected_part(script, text, asked)
            && self.put_right(slot, value)
        {
            changed.push(slot);
        }
        self.free_moved_day(&changed);
        changed
    }

    /// Another day, on which the chosen hour is not free: its times are offered anew.
    pub(in crate::builtin) fn free_moved_day(&mut self, changed: &[&Slot]) {
        let holds = |kind: SlotKind| changed.iter().find(|slot| slot.kind == kind);
        if holds(SlotKind::Day).is_none() || holds(SlotKind::Opening).is_some() {
            return;
        }
        let Some((_, script)) = self.current() else { return };
        if let Some(opening) = script.slots.iter().find(|slot| slot.kind == SlotKind::Opening) {
            self.task_mut(|task| {
                task.clear(&opening.id);
                task.chosen = None;
                task.offered.clear();
            });
        }
    }

    /// Whether something that was filled once must be asked for again.
    fn must_ask_again(&self, script: &TaskScript) -> bool {
        let opening = script.slots.iter().find(|slot| slot.kind == SlotKind::Opening);
        opening.is_some_and(|o| self.state.task().is_some_and(|task| !task.slots.contains_key(&o.id)))
    }

    /// The slot that a correction of a part belongs to, and its value as corrected: one whose words are denied, one that a
    /// word sounds like, and with a mark of a correction the one that was given last.
    fn corrected_part(
        &self,
        script: &'a TaskScript,
        text: &str,
        asked: Option<&str>,
    ) -> Option<(&'a Slot, Filled)> {
        let task = self.state.task()?;
        let held = |slot: &&'a Slot| {
            Some(slot.id.as_str()) != asked && task.slots.get(&slot.id).is_some_and(|f| !f.value.is_empty())
        };
        let value = |slot: &&'a Slot| task.slots.get(&slot.id);
        let made = |slot: &'a Slot| {
            let new = correction::corrected(slot.kind, task.slots.get(&slot.id)?, text, self.context())?;
            Some((slot, new))
        };
        let filled: Vec<&'a Slot> = script.slots.iter().filter(held).collect();
        let denied =
            filled.iter().find(|s| value(s).is_some_and(|old| correction::denies(self.ear, old, text)));
        if let Some(found) = denied.and_then(|slot| made(slot)) {
            return Some(found);
        }
        if let Some(found) = self.spelled_part(&filled, text).and_then(made) {
            return Some(found);
        }
        if self.ear.is_bare_yes_no(text) || self.ear.is_question(text) {
            return None;
        }
        let marked = corrects(self.ear, text);
        // An account resembles anything; only names and places are known by their sound.
        let plain = self.ear.plain(text);
        let named = self.names_slot(script, &plain);
        let short = plain.split(' ').count() <= BY_SOUND;
        let by_sound = |s: &&&'a Slot| {
            short
                && named.is_none_or(|named| named.id == s.id)
                && matches!(s.kind, SlotKind::Name | SlotKind::Place | SlotKind::Address)
                && value(s).is_some_and(|old| correction::resembles(self.ear, old, text))
        };
        let alike: Vec<&&'a Slot> = filled.iter().filter(by_sound).collect();
        if let [slot] = alike.as_slice()
            && (marked || value(slot).is_some_and(|old| correction::repeats(self.ear, old, text)))
        {
            return made(slot);
        }
        if !marked {
            return None;
        }
        if task.is_on_file() {
            // "Sorry, I don't have a pen" is no word about what was given last: what is meant must be named.
            let named = self.names_slot(script, &self.ear.plain(text));
            let numbered =
                |slot: &&'a Slot| matches!(slot.kind, SlotKind::Phone | SlotKind::When) && held(slot);
            return named.filter(numbered).and_then(made);
        }
        let last = task.order.iter().rev().find_map(|id| filled.iter().find(|slot| slot.id == *id));
        let last =
            last.filter(|slot| !matches!(slot.kind, SlotKind::Story | SlotKind::Text | SlotKind::Injured));
        last.and_then(|slot| made(slot))
    }

    /// Whoever spells at a read-back puts right: the name or place that the letters are most like, else the name.
    fn spelled_part(&self, filled: &[&'a Slot], text: &str) -> Option<&'a Slot> {
        let letters = spelled(self.ear.0, text).pop()?.0;
        let task = self.state.task()?;
        let like = |slot: &Slot| {
            let held = task.slots.get(&slot.id).map(|held| self.ear.plain(&held.spoken)).unwrap_or_default();
            held.split(' ').map(|word| likeness(word, &letters)).fold(0.0, f32::max)
        };
        // "S P R U C E" where there is a Spruce Street: the place, whatever it was heard as.
        let place = filled.iter().find(|slot| matches!(slot.kind, SlotKind::Place | SlotKind::Address));
        if place.is_some()
            && names_street(&self.view.facts.streets, &letters)
            && like_name(filled, task, &letters) < ALIKE
        {
            return place.copied();
        }
        let spelt =
            filled.iter().filter(|s| matches!(s.kind, SlotKind::Name | SlotKind::Place | SlotKind::Address));
        // The name comes last where nothing is like the letters: of equals the last is taken.
        let best = spelt.max_by(|a, b| {
            let name = |s: &Slot| u8::from(s.kind == SlotKind::Name);
            like(a).total_cmp(&like(b)).then(name(a).cmp(&name(b)))
        })?;
        let name = filled.iter().find(|slot| slot.kind == SlotKind::Name);
        if like(best) < ALIKE { name.copied() } else { Some(*best) }
    }

    /// Puts a corrected value in. `false` where the caller had taken it back, and gave nothing else since.
    pub(in crate::builtin) fn put_right(&mut self, slot: &Slot, value: Filled) -> bool {
        let value = self.nearest_known(slot, value);
        // "It's Elm Street", of "25 Elm Street": said again without its number, and no other place.
        let held = self.state.task().and_then(|task| task.slots.get(&slot.id));
        let place = matches!(slot.kind, SlotKind::Place | SlotKind::Address);
        let whole = held.filter(|_| place).and_then(|held| placed::whole_again(self.ear, held, &value.value));
        let value = whole.unwrap_or(value);
        let same = |held: &Filled| {
            held.value == value.value || placed::is_same_unnumbered(self.ear, held, &value.value)
        };
        if place && held.is_some_and(same) {
            return false;
        }
        let differ = held.filter(|_| place).and_then(|held| differing(self.ear, &held.spoken, &value.spoken));
        let taken =
            self.state.tasks.last_mut().is_some_and(|task| task.replace(&slot.id, slot.kind, value.clone()));
        if taken {
            self.keep_known(slot, &value);
            if let Some(((old, new), (_, script))) = differ.zip(self.current()) {
                self.put_right_in_story(script, &old, &new);
            }
        }
        taken
    }

    /// "The name is …", "the number is 555-0143": the slot is named, so its reader may be generous.
    fn named_value(&self, slot: &Slot, text: &str) -> Option<Filled> {
        let links = self.ear.cues().links;
        let plain = self.ear.plain(text);
        let named = slot.words.iter().find(|w| {
            links.iter().any(|link| plain.contains(&format!("{w} {link}")))
                || plain.contains(&format!("{w}'s "))
        })?;
        let rest = text.to_lowercase().find(named.as_str()).and_then(|at| text.get(at + named.len()..))?;
        let rest = rest.strip_prefix("'s ").or_else(|| rest.strip_prefix("’s ")).unwrap_or(rest);
        let rest = links.iter().fold(rest.trim_start(), |rest, link| rest.trim_start_matches(link));
        // "The number is wrong" says no number; a word of blame is no value of anything.
        let wrong = self.ear.cues().wrong;
        if wrong.contains(&self.ear.plain(rest).as_str()) {
            return None;
        }
        // "The place is wrong, is County Road 14": what comes after the blame.
        let rest = match rest.split_once([',', '.', ';']) {
            Some((blame, after)) if wrong.contains(&self.ear.plain(blame).as_str()) => {
                let after = after.trim_start();
                links.iter().fold(after, |rest, link| rest.trim_start_matches(link).trim_start())
            }
            _ => rest,
        };
        // "The street is leaking water, take that part out" names no place.
        let place = matches!(slot.kind, SlotKind::Place | SlotKind::Address);
        if place && rest.split_whitespace().count() > PLACE_WORDS && self.ear.place_stated(rest).is_none() {
            return None;
        }
        match slots::answered(slot.kind, rest, Context { digits: "", ..self.context() }) {
            Read::Value(value) => Some(value),
            _ => None,
        }
    }

    pub(in crate::builtin) fn acknowledge_correction(&mut self) {
        self.say("corrected");
        self.did("correction", "changed it");
        self.advance();
    }

    // ------------------------------------------------------------ confirming

    pub(in crate::builtin) fn confirm(&mut self, text: &str) {
        let Some((_, script)) = self.current() else { return };
        let ear = self.ear;
        let answer = if self.only_approves(text) { Some(YesNo::Yes) } else { ear.yes_no(text) };
        if self.state.task().is_some_and(|task| task.amends.is_some()) && self.is_another(script, text) {
            // "No, that's another thing": nothing of what is on file is changed by it.
            self.state.tasks.pop();
            return self.open(text);
        }
        if answer != Some(YesNo::No) && self.adds_words(script, text, answer == Some(YesNo::Yes)) {
            return;
        }
        if self.takes_dictation(script, text) {
            return;
        }
        // "No, Miller?" puts right: how a recogniser ends a sentence says little.
        let text = if answer == Some(YesNo::No) { text.trim_end_matches('?') } else { text };
        let changed = self.correct(text, None);
        if !changed.is_empty() {
            if self.must_ask_again(script) {
                return self.acknowledge_correction();
            }
            self.did("correction", "changed it");
            return self.read_changed(&changed);
        }
        if ear.is_question(text) && answer.is_none() {
            return self.digress(text);
        }
        let plain = ear.plain(text);
        match answer {
            Some(YesNo::Yes) if self.blames(&plain) && self.names_slot(script, &plain).is_some() => {
                // "Yes, but the number is wrong."
                self.which(text);
            }
            // "Yes, only could you make that the morning."
            Some(YesNo::Yes) if self.does_to_it(text) == Steer::Change => self.which(text),
            Some(YesNo::Yes) if self.adds(script, text) => {}
            Some(YesNo::Yes) => self.approved(script, text),
            _ if self.repeats_held(script, text) => self.read_back(script),
            _ if self.names_slot(script, &plain).is_some() => self.which(text),
            Some(YesNo::No) if self.says_that_is_all(&plain) => {
                self.task_mut(Task::confirm_all);
                self.complete(false);
            }
            Some(YesNo::No) if plain.split(' ').count() > 4 && self.add_to_story(script, text) => {}
            Some(YesNo::No) if self.note_unplaced(script, text) => {}
            Some(YesNo::No) => self.ask_which(script),
            None if plain.split(' ').count() > 3
                && by_cue(self.script, text).is_none()
                && (self.add_to_story(script, text) || self.note_unplaced(script, text)) => {}
            None if self.does_to_it(text) == Steer::Change => self.ask_which(script),
            None => self.switch_or_read_back(script, text),
        }
    }

    /// "Put down that my tire's flat": it stands in the account besides. With a yes that is all.
    pub(in crate::builtin) fn adds_words(&mut self, script: &TaskScript, text: &str, agreed: bool) -> bool {
        let Some(rest) = account::added(self.ear, text) else { return false };
        let account = script.slots.iter().find(|s| matches!(s.kind, SlotKind::Story | SlotKind::Text));
        let Some(slot) = account else { return false };
        let Some(old) = self.state.task().and_then(|t| t.slots.get(&slot.id)).cloned() else { return false };
        let told = account::with(self.ear, &old, rest);
        self.task_mut(|task| task.fill(&slot.id, told));
        self.did("correction", "added it");
        if agreed {
            self.say("recalled_noted");
            self.task_mut(Task::confirm_all);
            self.complete(false);
        } else {
            self.read_changed(&[slot]);
        }
        true
    }

    /// "Yes, but it's the one by the bridge": what nothing else could be made of is told with what happened, and said back.
    fn adds(&mut self, script: &TaskScript, text: &str) -> bool {
        let Some(rest) = self.after_but(text) else { return false };
        let Some(slot) = script.slots.iter().find(|s| matches!(s.kind, SlotKind::Story | SlotKind::Text))
        else {
            // "Yes, but mind the dog", of a booking: it is added, and nothing else is asked.
            self.task_mut(|task| task.note_beside(&rest));
            self.say("recalled_noted");
            self.task_mut(Task::confirm_all);
            self.complete(false);
            return true;
        };
        let Some(old) = self.state.task().and_then(|t| t.slots.get(&slot.id)).cloned() else { return false };
        let told = account::completed(self.ear, &old, &rest);
        self.task_mut(|task| task.fill(&slot.id, told));
        self.did("correction", "added it");
        self.read_changed(&[slot]);
        true
    }

    /// What a "but" leads to, where it tells something.
    pub(in crate::builtin) fn after_but(&self, text: &str) -> Option<String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let but = |at: &usize| {
            self.ear.cues().but.iter().any(|but| {
                let count = but.split(' ').count();
                words.get(*at..at + count).is_some_and(|some| self.ear.plain(&some.join(" ")) == *but)
            })
        };
        let at = (0..words.len()).find(but)?;
        let rest = words[at + 1..].join(" ");
        let tells = self.ear.terms(&self.ear.plain(&rest)).len() >= 2 && !self.ear.is_question(&rest);
        // "Yes, but they better call. Bye" tells nothing.
        let reply = self.parts_of(&rest, Asked::Confirm);
        let of_call = reply.has(Kind::Call) && !reply.tells() && self.names_call(&rest);
        (tells && !of_call && !self.says_bye(&rest)).then_some(rest)
    }

    /// "No. One seven seven, Canal Street", where that is what was read: it was not heard, and is no other value.
    fn repeats_held(&self, script: &TaskScript, text: &str) -> bool {
        let same = |slot: &Slot| {
            let held = self.state.task().and_then(|task| task.slots.get(&slot.id));
            let told = slots::stated(slot.kind, text, self.context());
            held.zip(told).is_some_and(|(held, told)| held.value.eq_ignore_ascii_case(&told.value))
        };
        script.slots.iter().any(same)
    }

    /// Whether the words begin another report than the one that is put right.
    fn is_another(&self, script: &TaskScript, text: &str) -> bool {
        let plain = self.ear.plain(text);
        let another = self.ear.cues().another.iter().any(|word| plain.split(' ').any(|said| said == *word));
        let asked_for = by_cue(self.script, text)
            .is_some_and(|cue| matches!(&cue.intent.does, Does::Task(id) if *id == script.id));
        (another || asked_for) && self.ear.yes_no(text) != Some(YesNo::Yes)
    }

    /// "But", "except", "wrong", "change": something is not right after all.
    pub(in crate::builtin) fn blames(&self, plain: &str) -> bool {
        let words: &[&str] = match self.ear.0 {
            Language::En => {
                &["but", "except", "wrong", "change", "fix", "incorrect", "not", "isn't", "should"]
            }
            Language::Es => &["pero", "excepto", "menos", "mal", "cambie", "corrija", "no", "deberia"],
        };
        plain.split(' ').any(|word| words.contains(&word) || self.ear.cues().wrong.contains(&word))
    }

    /// "Yes, when is it picked up?": the question is taken up after what is done now.
    pub(in crate::builtin) fn keep_side_question(&mut self, text: &str) {
        let mut parts = text.split_inclusive(['.', '!', '?', ',']).map(str::trim);
        // "My birthday? December the eighth": a word of ours asked back is no question, nor is "como a las nueve".
        let asks = |part: &&str| {
            part.ends_with('?') && part.split_whitespace().count() >= ASKS && self.ear.is_question(part)
        };
        let question = parts.rfind(|part| asks(part) && !self.subjects(part).is_empty());
        if let Some(question) = question {
            self.answer_beside(question, true);
        }
    }

    fn switch_or_read_back(&mut self, script: &'a TaskScript, text: &str) {
        match by_cue(self.script, text).map(|c| &c.intent.does) {
            Some(Does::Task(id)) if *id != script.id => {
                let id = id.clone();
                self.start_task(&id, text);
            }
            _ => self.read_back(script),
        }
    }

    /// What happened besides is added to the account, so that nothing told is lost.
    fn add_to_story(&mut self, script: &TaskScript, text: &str) -> bool {
        let Some(slot) = script.slots.iter().find(|s| matches!(s.kind, SlotKind::Story | SlotKind::Text))
        else {
            return false;
        };
        // Only what tells of something: misheard words would stand in the report for good.
        if !account::tells_event(self.ear, text) && denied(self.ear, text).is_empty() {
            return false;
        }
        let Some(old) = self.state.task().and_then(|t| t.slots.get(&slot.id)).cloned() else { return false };
        let words = self.told_in(text);
        let added = Filled::new(
            format!("{} {} {words}", old.value, self.ear.cues().says.correction),
            format!("{} {words}", old.spoken),
        );
        self.task_mut(|task| task.fill(&slot.id, added));
        self.did("correction", "added it");
        self.read_changed(&[slot]);
        true
    }

    /// "You left out the feed store", of which no value was made: whoever works on it reads it in the caller's words, and it is said back.
    fn note_unplaced(&mut self, script: &'a TaskScript, text: &str) -> bool {
        let Some(task) = self.state.task() else { return false };
        let held: String = task.slots.values().map(|held| format!("{} ", held.spoken)).collect();
        let terms = |text: &str| self.ear.terms(&self.ear.plain(text));
        let held = terms(&format!("{held} {}", task.aside));
        let told = terms(text).iter().filter(|term| !held.contains(*term)).count();
        if told < UNPLACED || self.ear.is_question(text) || self.says_bye(text) {
            return false;
        }
        let words = self.told_in(text);
        self.task_mut(|task| {
            task.note_beside(&words);
            // It is read again because something came to it, and not because nobody was understood.
            task.uncount("confirm");
        });
        self.did("correction", "noted it");
        self.say("recalled_noted");
        self.read_back(script);
        true
    }

    /// The words of a reply that belong on file: without scolding, and without talk to somebody in the room.
    fn told_in(&self, text: &str) -> String {
        self.parts_of(text, Asked::Confirm).told().unwrap_or_else(|| text.trim().to_owned())
    }

    pub(in crate::builtin) fn ask_which(&mut self, script: &TaskScript) {
        if self.over_asked("which") {
            return self.complete(true);
        }
        self.task_mut(|task| task.stage = Stage::Which);
        let mut parts: Vec<&str> =
            script.slots.iter().filter(|s| !s.words.is_empty()).map(|s| s.called.as_str()).collect();
        let says = &self.ear.cues().says;
        let last = parts.pop().unwrap_or(says.something);
        let parts = if parts.is_empty() {
            last.to_owned()
        } else {
            format!("{}, {} {last}", parts.join(", "), says.or)
        };
        self.say_with("which_part", &[("parts", &parts)]);
        self.expects = Expectation::Story;
    }

    pub(in crate::builtin) fn which(&mut self, text: &str) {
        let Some((_, script)) = self.current() else { return };
        let changed = self.correct(text, None);
        if !changed.is_empty() {
            return self.read_changed(&changed);
        }
        // "No, nothing to change, please just book it."
        let amends = self.state.task().is_some_and(|task| task.amends.is_some());
        if !amends && self.approves(text) && self.after_but(text).is_none() {
            return self.approved(script, text);
        }
        if self.repeats_held(script, text) {
            return self.read_back(script);
        }
        let ear = self.ear;
        let plain = ear.plain(text);
        if let Some(slot) = self.names_slot(script, &plain) {
            self.state.known.remove(&slot.id);
            self.task_mut(|task| {
                task.reject(&slot.id);
                // A fresh question: the caller wants to change it.
                task.asked.remove(&slot.id);
                task.known_refused = true;
            });
            return self.ask(slot);
        }
        match ear.yes_no(text) {
            Some(YesNo::No) if ear.is_bare_yes_no(text) => self.read_back(script),
            _ if ear.is_question(text) => self.digress(text),
            _ if plain.split(' ').count() > 3 && self.add_to_story(script, text) => {}
            _ => self.ask_which(script),
        }
    }

    pub(in crate::builtin) fn names_slot(&self, script: &'a TaskScript, plain: &str) -> Option<&'a Slot> {
        let named =
            |slot: &&Slot| slot.words.iter().any(|w| format!(" {plain} ").contains(&format!(" {w} ")));
        // "Phone number" names the phone before a claim number or a house number.
        script.slots.iter().rev().find(named)
    }
}

/// "No, …", "actually …", "I mean …": the words change something said before.
pub(in crate::builtin) fn corrects(ear: Ear, text: &str) -> bool {
    static ENGLISH: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(um |uh |oh |wait |sorry |well |hold on |hang on |hold up |ok |okay )*(no|nope|actually|wait|sorry|i mean|i meant|i said|correction|scratch that|that's wrong|that was wrong|not|change|let me correct|make that|it's not|i made a mistake|i misspoke|oops|hold on|hold up|hang on|the other|i left off|i'm remarried|turns out|you better|come to think)\b|\b(i meant|instead of|not the|should be|i mean|i had it|is wrong|was wrong|not just|i keep saying|make it)\b").expect("clippy compiles every pattern")
    });
    static SPANISH: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(eh |este |ah |oh |ay |espere |perdon |perdone |bueno |pues )*(no|perdon|perdone|digo|dije|mas bien|mejor|mejor dicho|corrijo|correccion|espere|me equivoque|esta mal|cambie|en realidad|la verdad|le fallo|ese ya no|ya me fije)\b|\b(quise decir|quiero decir|en lugar de|en vez de|debe ser|mejor dicho|que digo|esta mal|sin hache)\b").expect("clippy compiles every pattern")
    });
    let pattern = match ear.0 {
        Language::En => &ENGLISH,
        Language::Es => &SPANISH,
    };
    pattern.is_match(&ear.plain(text))
}
