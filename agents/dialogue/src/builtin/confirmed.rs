//! A reply to a read-back, taken by its parts: what it puts right, what it adds, and the yes.

use std::collections::HashSet;

use language::reply::{Asked, Kind};
use language::said_again::without_restart;
use language::sound::{ALIKE, likeness};
use language::steer::Steer;
use language::{Ear, YesNo};

use super::account;
use super::addressee::MESSAGE;
use super::beliefs::not_but::not_but;
use super::beliefs::{Belief, correction, placed};
use super::policy::said::Said;
use super::reply::Reply;
use super::script::{Slot, SlotKind, TaskScript};
use super::slots::{self, Context, Read};
use super::state::{Filled, Task};
use super::turn::Turn;

/// So many words that nothing on file has are worth adding.
const REMARK: usize = 2;
/// As many digits are a telephone number.
const PHONE_DIGITS: usize = 7;
/// So many words tell what happened.
const TELLING: usize = 4;
/// So few words name a thing rather than tell of one.
const FEW: usize = 3;
/// The name of a street has no more words.
const NAME_WORDS: usize = 3;

impl<'a> Turn<'a> {
    pub(super) fn confirm_replied(&mut self, script: &'a TaskScript, reply: &Reply, text: &str) -> bool {
        let said_yes = reply.has(Kind::Yes) || self.ear.yes_no(text) == Some(YesNo::Yes);
        if let Some(slot) = self.renumbered(script, text) {
            self.did("correction", "changed it");
            self.read_changed(&[slot]);
            return true;
        }
        if self.tells_what_happened(script, text) || self.changes_subject(script, text) {
            return true;
        }
        if !reply.has(Kind::No) && self.adds_words(script, text, said_yes) {
            return true;
        }
        if !reply.has(Kind::Yes) && self.takes_dictation(script, text) {
            return true;
        }
        // "Yes, but the number is wrong."
        let rest = self.ear.plain(&reply.rest);
        let blamed = self.blames(&rest) && self.names_slot(script, &rest).is_some()
            || self.after_but(&reply.rest).is_some();
        let agrees = reply.has(Kind::Yes)
            && !reply.has(Kind::No)
            && !blamed
            && !reply.has(Kind::Old)
            && self.does_to_it(text) != Steer::Change;
        let changed = self.changed_by(script, reply, text, agrees);
        if !changed.is_empty() {
            self.did("correction", "changed it");
            self.beside(script, reply, None);
            // A caller who puts one thing right after the other is understood: nothing was asked in vain.
            self.task_mut(|task| {
                if task.count("confirm?changed").is_some() {
                    task.uncount("confirm");
                }
            });
            self.read_changed(&changed);
            return true;
        }
        // "Take out that part about my neighbor", where nothing of it is on file: that is read, and nothing is added.
        if reply.has(Kind::Old) && !reply.tells() && !self.holds_any(reply) {
            self.did("correction", "had nothing to take out");
            self.read_back(script);
            return true;
        }
        // "You left out the days: only Tuesday or Thursday."
        let only_call = reply.has(Kind::Call) && !reply.tells() && !reply.has(Kind::Ask);
        if !agrees && only_call && !self.state.task().is_some_and(Task::is_on_file) {
            self.did("correction", "noted it");
            self.take_call_wish(script, reply);
            self.read_back(script);
            return true;
        }
        // A value that is told, and that the parts made nothing of, is for the readers of whole replies.
        if !agrees || reply.tells() && !reply.has(Kind::What) {
            return false;
        }
        self.note_remark(script, &self.remark(reply, text));
        self.beside(script, reply, None);
        self.task_mut(Task::confirm_all);
        self.complete(false);
        true
    }

    /// All is right as it was read; what was told or asked beside it is kept.
    pub(in crate::builtin) fn approved(&mut self, script: &TaskScript, text: &str) {
        self.keep_side_question(text);
        let reply = self.parts_of(text, Asked::Confirm);
        self.note_remark(script, &self.remark(&reply, text));
        self.task_mut(Task::confirm_all);
        self.complete(false);
    }

    /// "You left out what happened, I slipped on the wet steps at the library": all that follows is told, wherever it was.
    fn tells_what_happened(&mut self, script: &'a TaskScript, text: &str) -> bool {
        let Some(slot) = script.slots.iter().find(|slot| slot.kind == SlotKind::Story) else { return false };
        let lower = text.to_lowercase();
        let names = slot.words.iter().filter(|name| name.contains(' '));
        let Some(end) = names.filter_map(|name| Some(lower.find(name.as_str())? + name.len())).max() else {
            return false;
        };
        let rest = text.get(end..).filter(|_| lower.len() == text.len()).unwrap_or_default();
        let told = rest.trim_start_matches([' ', ',', ':', '.', ';']);
        // "What happened is …" tells all of it anew.
        let links = self.ear.cues().links;
        let anew = links.iter().any(|link| told.starts_with(link));
        if anew || told.split_whitespace().count() < TELLING || self.ear.is_question(text) {
            return false;
        }
        let held = self.state.task().and_then(|task| task.slots.get(&slot.id)).cloned();
        let all = account::completed(self.ear, &held.unwrap_or_else(Filled::not_given), told);
        self.task_mut(|task| task.fill(&slot.id, all));
        self.did("correction", "changed it");
        self.read_changed(&[slot]);
        true
    }

    /// "No, it's not about the machines, it's about a flu shot": what somebody is to call about is that. What else is put right with it
    /// is put right too.
    fn changes_subject(&mut self, script: &'a TaskScript, text: &str) -> bool {
        let Some(slot) = script.slots.iter().find(|slot| slot.id == "reason") else { return false };
        let Some(subject) = self.script.acts.subject_instead(text).map(correction::capitalised) else {
            return false;
        };
        let said = self.script.acts.subject_instead(text).unwrap_or_default();
        let rest = text.rsplit_once(said).map(|(_, rest)| rest.to_owned()).unwrap_or_default();
        let mut changed = self.correct(&rest, None);
        self.task_mut(|task| task.fill(&slot.id, Filled::new(subject.clone(), subject)));
        changed.retain(|other| other.id != slot.id);
        changed.push(slot);
        self.did("correction", "changed it");
        self.read_changed(&changed);
        true
    }

    /// "The house number's 418": the street stays, and no telephone number is meant. Gives the slot.
    pub(super) fn renumbered(&mut self, script: &'a TaskScript, text: &str) -> Option<&'a Slot> {
        let place = |slot: &&Slot| matches!(slot.kind, SlotKind::Place | SlotKind::Address);
        let slot = script.slots.iter().find(place)?;
        let old = self.state.task().and_then(|task| task.slots.get(&slot.id)).cloned()?;
        let new = placed::renumbered(self.ear, &old, text).filter(|new| new.value != old.value)?;
        self.put_right(slot, new).then_some(slot)
    }

    /// What is told beside a yes: by the parts of the reply, else by what it tells as an utterance of its own, else what follows
    /// "and".
    pub(super) fn remark(&self, reply: &Reply, text: &str) -> String {
        let and = format!(" {} ", self.ear.cues().says.and);
        let yes = |before: &str| self.ear.is_bare_yes_no(before);
        // "That's right and it's the third time": the yes is no part of it.
        let behind_yes = |told: &str| {
            told.split_once(and.as_str()).filter(|(before, _)| yes(before)).map(|(_, rest)| rest.to_owned())
        };
        if reply.has(Kind::What) {
            return behind_yes(&reply.telling).unwrap_or_else(|| reply.telling.clone());
        }
        // "Yes, and make it tomorrow": when to call is kept as that.
        if reply.has(Kind::Call) {
            return String::new();
        }
        let matter = Said::of(text, self.ear.0).matter();
        if !matter.is_empty() {
            return behind_yes(&matter).unwrap_or(matter);
        }
        behind_yes(text).filter(|rest| !self.ear.is_question(rest)).unwrap_or_default()
    }

    /// "Yes, and the paint is running into the creek": what comes with a yes goes on file, and asks for no other yes. Nothing where it
    /// tells what is held already.
    pub(super) fn note_remark(&mut self, script: &TaskScript, told: &str) {
        // "You haven't answered whether the days change": that is asked, and nothing that happened.
        let plain = self.ear.plain(told);
        if self.script.acts.wants_to_know(&plain) || plain.split(' ').any(|word| word == "whether") {
            return self.answer_beside(told, true);
        }
        let Some(task) = self.state.task() else { return };
        let held = task.slots.values().map(|filled| filled.spoken.as_str()).chain([task.aside.as_str()]);
        let held: HashSet<String> = held.flat_map(|held| self.ear.terms(&self.ear.plain(held))).collect();
        let told_terms = self.ear.terms(&self.ear.plain(told));
        // "And the couch": a thing left out. "And thank you": nothing.
        let cues = self.ear.cues();
        let talk = cues.thanks.iter().chain(cues.bye).any(|talk| plain.contains(talk));
        let least = if plain.split(' ').count() <= FEW && !talk { 1 } else { REMARK };
        if told_terms.iter().filter(|term| !held.contains(*term)).count() < least {
            return;
        }
        let story = script.slots.iter().find(|slot| matches!(slot.kind, SlotKind::Story | SlotKind::Text));
        let old =
            story.and_then(|slot| task.slots.get(&slot.id)).filter(|old| !old.value.is_empty()).cloned();
        match story.zip(old) {
            Some((slot, old)) => {
                let all = account::completed(self.ear, &old, told);
                self.task_mut(|task| task.fill(&slot.id, all));
            }
            None => self.task_mut(|task| task.note_beside(told)),
        }
        self.say("recalled_noted");
        self.did("confirm", "added it");
    }

    /// Puts right what a reply to a read-back says is otherwise, and adds what it tells. Gives the slots that changed.
    /// `agrees`: the rest was said to be right, so that words of what is held change nothing, and what happened besides is added
    /// without another read-back.
    pub(super) fn changed_by(
        &mut self,
        script: &'a TaskScript,
        reply: &Reply,
        text: &str,
        agrees: bool,
    ) -> Vec<&'a Slot> {
        let old = reply.all(Kind::Old, " ");
        let owner = old.as_deref().and_then(|old| self.holder(script, old));
        let owner =
            owner.or_else(|| self.sounds_like_held(script, reply)).or_else(|| self.is_of_name(script, text));
        let mut changed = Vec::new();
        if self.take_addressee(reply) {
            changed.extend(script.slot(MESSAGE));
        }
        // Times that are booked are changed where they are offered.
        if script.slots.iter().any(|slot| slot.kind == SlotKind::Opening) && reply.has(Kind::When) {
            return changed;
        }
        for slot in &script.slots {
            let place = matches!(slot.kind, SlotKind::Place | SlotKind::Address);
            let Some(held) = self.held(slot) else { continue };
            // "It's not Third, it's Fourth, the laundromat's on Fourth": the landmark is not the place.
            let swap = not_but(self.ear, &held.spoken, text).filter(|_| place);
            // "First name is Tomasz, family name Kowalczyk": both count, whatever they were taken for.
            let last_name = slot.kind == SlotKind::Name && self.tells_last_name(slot, text);
            let words = last_name.then(|| text.to_owned());
            let words = words.or_else(|| reply.words_for(slot, owner));
            let words = words.or_else(|| self.told_of_message(script, slot, reply));
            let Some(mut words) = words.or_else(|| swap.as_ref().map(|(_, new)| new.clone())) else {
                continue;
            };
            // "It's to 0 to 555 0 1 for 4" is a number, whatever it was taken for.
            if place && self.ear.count_digits(&words) >= PHONE_DIGITS {
                continue;
            }
            if slot.kind == SlotKind::Place {
                words = without_restart(self.ear, reply.in_place_of_old().unwrap_or(&words)).to_owned();
            }
            let swaps = swap.is_some();
            let (old, words) = match swap {
                Some((old, new)) => (Some(old), new),
                None => (old.clone(), words),
            };
            let value = match slot.kind {
                // All else of it stays, its landmark too.
                _ if swaps => old
                    .as_deref()
                    .and_then(|old| swapped(self.ear, &held.spoken, old, &words))
                    .map(|place| Filled::new(place.clone(), place)),
                SlotKind::Story | SlotKind::Text if agrees => None,
                SlotKind::Story | SlotKind::Text => Some(self.retold(&held, &words, old.as_deref(), text)),
                _ if agrees && correction::is_part(self.ear, &held, &words) => None,
                // "It's the third time this month" is no other day than the one that was said to be right.
                SlotKind::When if agrees && !held.value.is_empty() && !self.names_time(&words) => None,
                _ if held.value.is_empty() => self.value_of(slot, &words, reply, text),
                // "Yeah, the laundromat corner, yes": the place that was said to be right stays.
                _ if agrees && place => Some(placed::with_landmark(
                    self.ear,
                    &held,
                    Filled::new(words.clone(), words.clone()),
                    false,
                ))
                .filter(|both| both.value.starts_with(&held.value)),
                _ => self.otherwise(slot, &held, &words, old.as_deref(), reply.has(Kind::No)),
            };
            let refused = |value: &Filled| {
                self.state
                    .task()
                    .and_then(|task| task.belief(&slot.id))
                    .is_some_and(|belief: &Belief| belief.refuses(value))
            };
            let Some(value) = value.filter(|value| value.value != held.value && !refused(value)) else {
                continue;
            };
            let value = self.nearest_known(slot, value);
            let adds = agrees && slot.kind == SlotKind::Place && value.value.starts_with(&held.value);
            if self.put_right(slot, value) {
                // "Yeah, that's it, just past the church": nothing that was right is otherwise.
                if adds {
                    self.say("recalled_noted");
                    continue;
                }
                if changed.iter().all(|other: &&Slot| other.id != slot.id) {
                    changed.push(slot);
                }
                let of_place = |old: &&str| self.ear.plain(&held.spoken).contains(&self.ear.plain(old));
                if let Some(old) = old.as_deref().filter(|_| slot.kind == SlotKind::Place).filter(of_place) {
                    self.put_right_in_story(script, old, &words);
                }
            }
        }
        if let Some(old) = old.filter(|_| changed.is_empty() && !reply.tells())
            && let Some(slot) = self.taken_out(script, &old)
        {
            changed.push(slot);
        }
        self.free_moved_day(&changed);
        changed
    }

    fn held(&self, slot: &Slot) -> Option<Filled> {
        self.state.task().and_then(|task| task.slots.get(&slot.id)).cloned()
    }

    /// Whether anything that is taken back stands in what was told.
    fn holds_any(&self, reply: &Reply) -> bool {
        let Some(task) = self.state.task() else { return false };
        let held = task.slots.values().map(|held| held.value.as_str()).chain([task.aside.as_str()]);
        let held: Vec<String> = held.flat_map(|held| self.ear.terms(&self.ear.plain(held))).collect();
        reply.each(Kind::Old).any(|old| self.ear.terms(&self.ear.plain(old)).iter().any(|t| held.contains(t)))
    }

    /// "Take out the part about my neighbor": what says it is left out of the account. Gives the slot that is otherwise by that.
    fn taken_out(&mut self, script: &'a TaskScript, old: &str) -> Option<&'a Slot> {
        let slot = script.slots.iter().find(|slot| matches!(slot.kind, SlotKind::Story | SlotKind::Text))?;
        let held = self.state.task()?.slots.get(&slot.id)?;
        let left = account::without(self.ear, held, old)?;
        self.task_mut(|task| task.fill(&slot.id, left));
        Some(slot)
    }

    /// Whether words tell a last name where only a first one is held, or both by what they are called.
    pub(super) fn tells_last_name(&self, slot: &Slot, text: &str) -> bool {
        let held = self.state.task().and_then(|task| task.slots.get(&slot.id));
        let single = held.is_some_and(|held| !held.value.is_empty() && !held.value.contains(' '));
        self.ear.first_and_last_name(text).is_some() || single && self.ear.says_last_name(text)
    }

    /// Whether words tell a day or an hour, and not only that it was some time.
    fn names_time(&self, words: &str) -> bool {
        let context = Context { digits: "", ..self.context() };
        matches!(slots::answered(SlotKind::When, words, context), Read::Value(_))
    }

    /// "You left off Monday": of a message, when and where belong to its words.
    fn told_of_message(&self, script: &TaskScript, slot: &Slot, reply: &Reply) -> Option<String> {
        let own = |kind: SlotKind| script.slots.iter().any(|slot| slot.kind == kind);
        let mut left_off = [(Kind::When, SlotKind::When), (Kind::Place, SlotKind::Place)].into_iter();
        (slot.kind == SlotKind::Text)
            .then(|| left_off.find(|(_, kind)| !own(*kind)).and_then(|(part, _)| reply.all(part, " ")))
            .flatten()
    }

    /// A place that was put right is not told otherwise in what happened.
    pub(super) fn put_right_in_story(&mut self, script: &TaskScript, old: &str, new: &str) {
        // What is filed is put right by its place alone.
        if self.state.task().is_some_and(|task| task.amends.is_some()) {
            return;
        }
        let Some(story) = script.slots.iter().find(|slot| slot.kind == SlotKind::Story) else { return };
        let Some(held) = self.state.task().and_then(|task| task.slots.get(&story.id)).cloned() else {
            return;
        };
        let with = |text: &str| swapped(self.ear, text, old, new).unwrap_or_else(|| text.to_owned());
        let told = Filled::new(with(&held.value), with(&held.spoken));
        self.task_mut(|task| task.fill(&story.id, told));
    }

    /// The one slot whose value has these words.
    fn holder(&self, script: &'a TaskScript, words: &str) -> Option<&'a Slot> {
        let task = self.state.task()?;
        let wanted = self.ear.plain(words);
        let holds = |slot: &&Slot| {
            let held = task.slots.get(&slot.id).map(|held| self.ear.plain(&held.spoken)).unwrap_or_default();
            format!(" {held} ").contains(&format!(" {wanted} "))
        };
        let mut holders = script.slots.iter().filter(|slot| slot.kind != SlotKind::Story).filter(holds);
        holders.next().filter(|_| holders.next().is_none())
    }

    /// "The name is Ford with an E at the end": whatever its words look like, they are of the name, where a word of it is said again
    /// and nothing else is named. "The street's name is Mill Road" says none of it.
    fn is_of_name(&self, script: &'a TaskScript, text: &str) -> Option<&'a Slot> {
        let plain = format!(" {} ", self.ear.plain(text));
        let is_named = |slot: &&Slot| slot.words.iter().any(|word| plain.contains(&format!(" {word} ")));
        let mut named = script.slots.iter().filter(is_named);
        let slot = named.next().filter(|slot| slot.kind == SlotKind::Name && named.next().is_none())?;
        let held = self.state.task()?.slots.get(&slot.id)?;
        // "Put my last name too, it's Whitfield, W H I T F I E L D" adds to it.
        (correction::repeats(self.ear, held, text) || self.tells_last_name(slot, text)).then_some(slot)
    }

    /// "It's Halvorsen, starts with H", where "Ehalvorsen" is held for a name: what is said anew belongs to what it sounds like,
    /// whatever part it was taken for.
    fn sounds_like_held(&self, script: &'a TaskScript, reply: &Reply) -> Option<&'a Slot> {
        let words = reply.only([Kind::Name, Kind::Place])?;
        let task = self.state.task()?;
        let like = |slot: &Slot| {
            let held = task.slots.get(&slot.id).map(|held| self.ear.plain(&held.spoken)).unwrap_or_default();
            let held: Vec<&str> = held.split(' ').filter(|word| word.chars().count() > 2).collect();
            let said = self.ear.plain(words);
            let said = said.split(' ').filter(|word| word.chars().count() > 2);
            said.flat_map(|word| held.iter().map(move |held| likeness(held, word))).fold(0.0, f32::max)
        };
        let kinds = [SlotKind::Name, SlotKind::Place, SlotKind::Address];
        let mut alike = script.slots.iter().filter(|slot| kinds.contains(&slot.kind) && like(slot) >= ALIKE);
        alike.next().filter(|_| alike.next().is_none())
    }

    /// A value as put right: the words that were taken back replaced, a part of it corrected, or another in its place.
    pub(super) fn otherwise(
        &self,
        slot: &Slot,
        held: &Filled,
        words: &str,
        old: Option<&str>,
        replaces: bool,
    ) -> Option<Filled> {
        let context = Context { digits: "", ..self.context() };
        // "By the Shell, I mean the Chevron": what was never written down is not taken back from it.
        let slip = old.is_some_and(|old| !correction::repeats(self.ear, held, old));
        let (old, replaces) = if slip { (None, false) } else { (old, replaces) };
        let swapped = old.and_then(|old| swapped(self.ear, &held.spoken, old, words));
        if let Some(swapped) =
            swapped.filter(|_| matches!(slot.kind, SlotKind::Place | SlotKind::Address | SlotKind::Name))
            && let Read::Value(value) = slots::answered(slot.kind, &swapped, context)
        {
            return Some(value);
        }
        let part = correction::corrected(slot.kind, held, words, context);
        match slots::answered(slot.kind, words, context) {
            Read::Value(value) if slot.kind == SlotKind::When => {
                Some(slots::merged_when(self.ear, held, value))
            }
            // "Yes, Jennifer", of "Jennifer Abbott": nothing is otherwise.
            Read::Value(value)
                if slot.kind == SlotKind::Name
                    && correction::is_part(self.ear, held, &value.value)
                    // "No, my name is Earl Tibbets", of "Earl Tibbets Out": less of it is right.
                    && !(replaces && value.value.contains(' ')) =>
            {
                None
            }
            Read::Value(value) if slot.kind == SlotKind::Place && old.is_none() => {
                Some(placed::with_landmark(self.ear, held, value, replaces))
            }
            // A whole street or name takes the place of the other; less than that is a part of it.
            Read::Value(value) if value.value.contains(' ') || part.is_none() => Some(value),
            Read::Value(_) => part,
            _ if slot.kind == SlotKind::When => Some(Filled::new(words, words)),
            _ => part,
        }
    }

    /// An account with its wrong words replaced, or with what was left out.
    fn retold(&self, held: &Filled, words: &str, old: Option<&str>, text: &str) -> Filled {
        if let Some(anew) = account::restated(self.ear, text) {
            return anew;
        }
        match old.and_then(|old| swapped(self.ear, &held.value, old, words)) {
            Some(told) => account::kept(self.ear, &told),
            None => account::completed(self.ear, held, words),
        }
    }
}

/// The names in which two places differ, each with the kind of street that both have: "Oak Street" and "Elm Street", of places by a
/// church on either. `None` where more than a name is otherwise, or where it is not known for one.
pub(super) fn differing(ear: Ear, one: &str, other: &str) -> Option<(String, String)> {
    let (one, other): (Vec<&str>, Vec<&str>) =
        (one.split_whitespace().collect(), other.split_whitespace().collect());
    let before = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let behind =
        one[before..].iter().rev().zip(other[before..].iter().rev()).take_while(|(a, b)| a == b).count();
    let name = |words: &[&str]| {
        let end = words.len() - behind;
        let own = words.get(before..end).filter(|own| (1..=NAME_WORDS).contains(&own.len()))?;
        let with_kind = [words.get(before..=end), words.get(before.wrapping_sub(1)..end)];
        let street = with_kind.into_iter().flatten().map(|words| words.join(" "));
        let street = street.into_iter().find(|words| placed::has_street(ear, words));
        street.or_else(|| own[0].starts_with(char::is_uppercase).then(|| own.join(" ")))
    };
    Some((name(&one)?, name(&other)?))
}

/// A text with some of its words replaced. `None` where they do not stand in it.
pub(super) fn swapped(ear: language::Ear, held: &str, old: &str, new: &str) -> Option<String> {
    let words: Vec<&str> = held.split_whitespace().collect();
    let plain: Vec<String> = words.iter().map(|word| ear.plain(word)).collect();
    let wanted: Vec<String> =
        old.split_whitespace().map(|word| ear.plain(word)).filter(|word| !word.is_empty()).collect();
    if wanted.is_empty() || wanted.len() >= words.len() {
        return None;
    }
    let at = plain.windows(wanted.len()).position(|some| some == wanted)?;
    let (before, after) = (&words[..at], &words[at + wanted.len()..]);
    // "Maple Street, not Mabel", of "Mabel Street": the kind of street is not said twice.
    let last = new.split_whitespace().last().map(|word| ear.plain(word));
    let after = if after.first().map(|word| ear.plain(word)) == last { &after[1..] } else { after };
    let tail: String =
        words[at + wanted.len() - 1].chars().rev().take_while(|c| ".,;!?".contains(*c)).collect();
    // "Es la calle Vine, no Pine", of "en la calle Pine": nor is what stands before it.
    let new: Vec<&str> = new.split_whitespace().collect();
    let doubled = (1..=new.len().min(before.len())).rev().find(|count| {
        new[..*count].iter().map(|word| ear.plain(word)).eq(plain[at - count..at].iter().cloned())
    });
    let new = format!("{}{tail}", new[doubled.unwrap_or(0)..].join(" "));
    Some([before, &[new.as_str()], after].concat().join(" "))
}

#[cfg(test)]
mod tests {
    use language::Language;

    use super::*;

    #[test]
    fn places_differ_in_a_street() {
        let differ = |one, other| {
            let language = if one == "Oak Street" { Language::En } else { Language::Es };
            differing(Ear(language), one, other).map(|(a, b)| format!("{a} > {b}"))
        };
        assert_eq!(differ("Oak Street", "Elm Street").as_deref(), Some("Oak Street > Elm Street"));
        assert_eq!(
            differ("calle Mulberry frente a la iglesia", "calle Chestnut frente a la iglesia").as_deref(),
            Some("calle Mulberry > calle Chestnut")
        );
        assert_eq!(differ("Oak Street", "Oak Street by the church"), None);
        assert_eq!(differ("Oak Street", "over by the old feed store"), None);
    }

    #[test]
    fn words_that_were_wrong_are_replaced() {
        let ear = Ear(Language::En);
        let swapped = |held, old, new| swapped(ear, held, old, new);
        assert_eq!(swapped("12 Mabel Street", "mabel", "maple").as_deref(), Some("12 maple Street"));
        assert_eq!(swapped("Mabel Street", "mabel", "maple street").as_deref(), Some("maple street"));
        assert_eq!(
            swapped("by the school on Pine Street", "pine", "on vine").as_deref(),
            Some("by the school on vine Street")
        );
        assert_eq!(swapped("Mabel Street", "oak", "maple"), None);
        assert_eq!(swapped("Mabel Street", "mabel street", "maple"), None);
    }
}
