//! A reply in the middle of a task, taken by its parts: the answer to what was asked, what comes beside it, what it puts right.
//!
//! Values of parts are read by the readers of slots, so that a part is a value only if it has the form of one. Where nothing of
//! use was found the words go the way of all others.

use std::rc::Rc;

use language::repair::repaired;
use language::reply::{Asked, Kind};
use language::said_again::without_restart;
use language::{Language, lasting};

use super::account;
use super::addressee::MESSAGE;
use super::beliefs::Source;
use super::beliefs::confirm::corrects;
use super::beliefs::days::day_wanted;
use super::beliefs::placed;
use super::intent::by_cue;
use super::policy::said::Said;
use super::reply::{Reply, asks, part_of};
use super::script::{Does, Slot, SlotKind, TaskScript};
use super::slots::{self, Context, Read};
use super::state::{Filled, Stage, Task};
use super::turn::{PartsRead, Turn};

/// Questions of one reply that are taken up.
const MAX_ASKS: usize = 2;
/// Questions about the call itself whose answer is one sentence.
const SPOKEN: [&str; 7] = ["when_done", "identity", "why", "clock", "office", "abilities", "anonymous"];
/// From so many words on, an answer to "where?" in which no place is known tells what happened.
const TELLING: usize = 4;
/// So many words beside a question about the call tell something.
const TOLD_BESIDE: usize = 8;
/// From more words on a place holds talk besides.
const RAMBLING: usize = 8;
/// More words than this are no name of a place.
const LONG_PLACE: usize = 24;

/// How much of a reply was taken by its parts.
pub(super) enum Taken {
    All,
    /// These words are left.
    Rest(String),
    Nothing,
}

impl<'a> Turn<'a> {
    /// The parts of what the caller said to the open question of a task. Empty where none is open that replies are known of.
    pub(super) fn reply(&self, text: &str) -> Rc<Reply> {
        let Some((stage, script)) = self.current() else { return Rc::default() };
        let asked = match &stage {
            Stage::Confirm => Some(Asked::Confirm),
            Stage::Which => Some(Asked::Fix),
            Stage::Slot(id) => script.slot(id).and_then(asks),
        };
        asked.map(|asked| self.parts_of(text, asked)).unwrap_or_default()
    }

    /// The parts of a reply to this question. Reading them is most of what a turn computes: each is read once a turn.
    pub(super) fn parts_of(&self, text: &str, asked: Asked) -> Rc<Reply> {
        let language = self.ear.0;
        let mut read = self.read.borrow_mut();
        let same = |one: &&PartsRead| one.asked == asked && one.language == language && one.text == text;
        if let Some(read) = read.iter().find(same) {
            return Rc::clone(&read.reply);
        }
        let reply = Rc::new(Reply::of(text, asked, language, self.view.understood.states.as_deref()));
        read.push(PartsRead { asked, language, text: text.to_owned(), reply: Rc::clone(&reply) });
        reply
    }

    /// Whether a reply gives up nothing, whatever it sounds like: "skip it", asked for a name; "oh never mind, fine, yes".
    pub(super) fn keeps_on(&self, text: &str) -> bool {
        let reply = self.reply(text);
        let plain = self.ear.plain(text);
        let passes = plain.split(' ').any(|word| self.ear.cues().passes.contains(&word));
        (reply.has(Kind::Yes) || reply.has(Kind::Skip) && passes) && !reply.has(Kind::Drop)
    }

    /// Takes a reply by its parts.
    pub(super) fn replied(&mut self, reply: &Reply, text: &str) -> Taken {
        let Some((stage, script)) = self.current() else { return Taken::Nothing };
        // What is on file is put right with more care: see `amend`.
        // "Did you say River Road?": that is asked, and nothing else.
        let other = |task: &Task| task.amends.is_some() || task.doubt.is_some();
        if reply.is_empty() || self.state.task().is_some_and(other) {
            return Taken::Nothing;
        }
        let taken = match stage {
            Stage::Slot(id) => {
                script.slot(&id).is_some_and(|slot| self.slot_replied(script, slot, reply, text))
            }
            Stage::Confirm => self.confirm_replied(script, reply, text),
            Stage::Which => {
                let changed = self.changed_by(script, reply, text, false);
                if !changed.is_empty() {
                    self.beside(script, reply, None);
                    self.read_changed(&changed);
                }
                !changed.is_empty()
            }
        };
        if taken {
            return Taken::All;
        }
        // "Only after six, and is that free?" beside words that are for others to read.
        let aside = reply.has(Kind::Call) || reply.has(Kind::Ask);
        if !aside || !reply.is_mixed() {
            return Taken::Nothing;
        }
        self.take_call_wish(script, reply);
        self.answer_asides(reply, false);
        if self.ear.terms(&self.ear.plain(&reply.rest)).is_empty() && self.ear.yes_no(&reply.rest).is_none() {
            self.ask_again_quietly();
            return Taken::All;
        }
        Taken::Rest(reply.rest.clone())
    }

    // ------------------------------------------------------------ an answer

    fn slot_replied(&mut self, script: &'a TaskScript, slot: &'a Slot, reply: &Reply, text: &str) -> bool {
        // "Fifty-two, no, that's my sister's, it's twenty-five", asked for the name.
        let of_place = matches!(slot.kind, SlotKind::Place | SlotKind::Address | SlotKind::Phone);
        if !of_place && self.renumbered(script, text).is_some() {
            self.say("corrected");
            self.task_mut(|task| task.uncount(&slot.id));
            self.ask(slot);
            return true;
        }
        // "No, my name is spelled …", asked for the number: what was said before is put right.
        let others = [Kind::Name, Kind::Place, Kind::When].into_iter();
        let mut others = others.filter(|kind| part_of(slot.kind) != Some(*kind));
        if reply.has(Kind::No) && others.any(|kind| reply.has(kind)) {
            return false;
        }
        match slot.kind {
            SlotKind::Injured => {
                // "No, but an old lady nearly fell": the yes or no is the answer, the rest is told beside it.
                let answer = reply.all(Kind::Yes, " ").or_else(|| reply.all(Kind::No, " "));
                let Some(answer) = answer.filter(|_| reply.is_mixed()) else { return false };
                let Read::Value(value) = slots::answered(slot.kind, &answer, self.context()) else {
                    return false;
                };
                self.beside(script, reply, Some(slot));
                self.filled(slot, value, &reply.rest);
                true
            }
            SlotKind::Phone => self.phone_replied(script, slot, reply, text),
            SlotKind::Opening | SlotKind::ClaimNumber | SlotKind::Proof => false,
            kind => match reply.value(kind) {
                Some(words) => {
                    let Some(value) = self.value_of(slot, &words, reply, text) else { return false };
                    let value =
                        if kind == SlotKind::Day { self.not_ruled_out(slot, value, text) } else { value };
                    self.beside(script, reply, Some(slot));
                    if slot.kind == SlotKind::Name && !reply.has(Kind::What) {
                        self.tell_behind(script, &reply.behind_name);
                    }
                    self.filled(slot, value, &reply.rest);
                    true
                }
                None if reply.has(Kind::Skip) && slot.optional && !self.wants_other_task(text) => {
                    self.beside(script, reply, Some(slot));
                    self.declined(slot);
                    true
                }
                // Whatever else was told, it is nobody's name; and what happened is no time.
                None if self.answers_another(slot, reply, text) && !self.wants_other_task(text) => {
                    self.beside(script, reply, Some(slot));
                    self.task_mut(|task| task.uncount(&slot.id));
                    self.say("noted");
                    self.ask(slot);
                    true
                }
                None => false,
            },
        }
    }

    /// "No, I want to leave a message for the assessor first": words that ask for another task answer nothing of this one.
    fn wants_other_task(&self, text: &str) -> bool {
        let wanted = by_cue(self.script, text).map(|found| &found.intent.does);
        matches!(wanted, Some(Does::Task(id)) if self.state.task().is_some_and(|task| task.id != *id))
    }

    /// Whether a reply tells something, and nothing that was asked.
    fn answers_another(&self, slot: &Slot, reply: &Reply, text: &str) -> bool {
        match slot.kind {
            SlotKind::Name => reply.tells(),
            // "Next week sometime, not Wednesday", asked for the address.
            SlotKind::Address if reply.has(Kind::When) && !reply.has(Kind::Place) => {
                self.current().is_some_and(|(_, script)| script.slot("day").is_some())
            }
            SlotKind::When | SlotKind::Day | SlotKind::Address => {
                // "It's right by the feed store", asked when it was.
                let where_it_is = slot.kind == SlotKind::When && reply.has(Kind::Place);
                let told = reply.has(Kind::What) || where_it_is && !reply.has(Kind::When);
                told && (where_it_is || slots::answered(slot.kind, text, self.context()) == Read::Nothing)
            }
            SlotKind::Place => {
                let long = reply.all(Kind::What, " ").is_some_and(|told| told.split(' ').count() >= TELLING);
                long && self.ear.place_stated(text).is_none()
            }
            _ => false,
        }
    }

    /// Whether words, asked for a number, hold none and say nothing of one.
    fn tells_no_number(&self, text: &str) -> bool {
        self.ear.count_digits(text) == 0
            && self.ear.yes_no(text).is_none()
            && !self.names_call(text)
            && !self.wants_other_task(text)
            && !self.ear.is_question(text)
    }

    fn phone_replied(&mut self, script: &'a TaskScript, slot: &'a Slot, reply: &Reply, text: &str) -> bool {
        let digits = reply.all(Kind::Phone, " ");
        let answer = digits.or_else(|| reply.all(Kind::Yes, " ")).or_else(|| reply.all(Kind::No, " "));
        // "No, I don't want to give my number" is a no to any number.
        if reply.has(Kind::Skip) && !reply.has(Kind::Phone) && !reply.has(Kind::Yes) {
            self.beside(script, reply, Some(slot));
            self.declined(slot);
            return true;
        }
        // "None, I don't want anybody calling me."
        let refused = reply.all(Kind::Call, " ").is_some_and(|wish| self.ear.refuses_call(&wish));
        if refused && slot.optional && !reply.has(Kind::Phone) && !reply.has(Kind::Yes) {
            self.beside(script, reply, Some(slot));
            self.move_day_told(script);
            self.advance();
            return true;
        }
        // "Thursday afternoon", of a callback, which has no other time: when to call, and no number.
        let wish = reply.all(Kind::When, ", ").filter(|_| answer.is_none() && !reply.has(Kind::Call));
        if let Some(wish) = wish.filter(|_| !is_timed(script)) {
            self.beside(script, reply, Some(slot));
            self.keep_call_wish(script, wish);
            self.task_mut(|task| task.uncount(&slot.id));
            self.ask(slot);
            return true;
        }
        // "Marjorie Pell, and there's a bus stop right there": nothing of it is a number, or says that ours will do.
        if answer.is_none() && (reply.has(Kind::Name) || reply.has(Kind::What)) && self.tells_no_number(text)
        {
            self.beside(script, reply, Some(slot));
            self.task_mut(|task| task.uncount(&slot.id));
            self.say("noted");
            self.ask(slot);
            return true;
        }
        let Some(answer) = answer.filter(|_| reply.is_mixed()) else { return false };
        self.beside(script, reply, Some(slot));
        self.slot_answer(slot, if reply.has(Kind::Phone) { &reply.rest } else { &answer });
        true
    }

    /// The value that words of the slot's part are.
    pub(super) fn value_of(&self, slot: &Slot, words: &str, reply: &Reply, text: &str) -> Option<Filled> {
        // "For like two weeks": a word that repairs leave out says that it is not exact.
        let stretch = lasting(self.ear, words).filter(|_| slot.kind == SlotKind::When);
        if let Some(stretch) = stretch {
            // "Since the storm, and kids walk by there every day": that of the answer.
            let own = self.ear.terms(&self.ear.plain(words));
            let of_own = |whole: &String| {
                let terms = self.ear.terms(&self.ear.plain(whole));
                own.is_empty() || terms.iter().any(|term| own.contains(term))
            };
            let stretch = lasting(self.ear, text).filter(of_own).unwrap_or(stretch);
            return Some(Filled::new(stretch.clone(), stretch));
        }
        let words = repaired(self.ear, words);
        // "Vivo acá hace veinte años" is of the speaker's own life.
        let own_life = language::without_own_life(self.ear, text);
        if slot.kind == SlotKind::When && own_life.is_some_and(|rest| !rest.contains(&self.ear.plain(&words)))
        {
            return None;
        }
        let words = match slot.kind {
            SlotKind::Place => without_restart(self.ear, &without_time(self.ear, &words)).to_owned(),
            SlotKind::Address => without_time(self.ear, &words),
            SlotKind::Name => self.ear.whole_name(text, &words),
            _ => words,
        };
        let place = matches!(slot.kind, SlotKind::Place | SlotKind::Address);
        if let Some(numbered) = placed::numbered_behind(self.ear, &words).filter(|_| place) {
            return Some(Filled::new(numbered.clone(), numbered));
        }
        match slot.kind {
            SlotKind::Story => self.account_of(&words, &reply.rest),
            SlotKind::Text => account::free_text(self.ear, &words),
            SlotKind::Place if words.split(' ').count() > LONG_PLACE => None,
            _ => {
                let day = (slot.kind == SlotKind::Day).then(|| day_wanted(self.ear, &words));
                match slots::answered(slot.kind, day.as_deref().unwrap_or(&words), self.context()) {
                    // "Cedar, frente a la iglesia": a place is kept whole, as it was said.
                    Read::Value(value) if slot.kind != SlotKind::Place || whole(&value.value, &words) => {
                        Some(value)
                    }
                    // "En la calle Maple donde le digo, aquí merito, en el 418": a house is found by its number.
                    Read::Value(value)
                        if words.split(' ').count() > RAMBLING && self.ear.address(&words).is_some() =>
                    {
                        Some(value)
                    }
                    _ if slot.kind == SlotKind::Place => Some(Filled::new(words.clone(), words)),
                    _ if slot.kind == SlotKind::Address && numbered(self.ear, &words) => {
                        Some(Filled::new(words.clone(), words))
                    }
                    // "Every Friday for three weeks", "since the storm": as it was said.
                    // "A quarter mile past the grange hall" is no time of day, nor is what a thing does.
                    _ if slot.kind == SlotKind::When
                        && !self.ear.is_question(text)
                        && !self.ear.measures_way(&words)
                        && account::names_time(self.ear, &words) =>
                    {
                        Some(Filled::new(words.clone(), words))
                    }
                    _ => None,
                }
            }
        }
    }

    /// What happened: all that was said of it goes on file; read back are the words that tell it, where they tell enough.
    pub(super) fn account_of(&self, words: &str, all: &str) -> Option<Filled> {
        let whole = account::opening_story(self.ear, all).or_else(|| account::story(self.ear, all));
        let Some(whole) = whole else { return self.account(words) };
        let Some((_, script)) = self.current() else { return Some(whole) };
        // "The light at main", of "the light at main and second is stuck on red": the part that tells is not among the words.
        let tells = |text: &str| {
            self.script.acts.tells(&self.ear.plain(text)) || account::tells_event(self.ear, text)
        };
        if tells(all) && !tells(words) {
            return Some(whole);
        }
        let kind = |text: &str| self.script.about(&script.id, text);
        let terms = |text: &str| self.ear.terms(&self.ear.plain(text)).len();
        let enough = match (kind(words), kind(all)) {
            (None, None) => terms(words) * 2 >= terms(&whole.value),
            (own, other) => own == other,
        };
        if !enough {
            return Some(whole);
        }
        let told = account::kept(self.ear, words);
        // Where the telling words are most of what was said, the rest is talk.
        let most = terms(words) * 2 >= terms(&whole.value);
        Some(if most { told } else { Filled::new(whole.value, told.spoken) })
    }

    /// What happened, of the words that tell it.
    pub(super) fn account(&self, words: &str) -> Option<Filled> {
        account::is_told(words).then(|| account::kept(self.ear, words))
    }

    /// Takes what stands beside the answer: when to call, other values, what else happened, questions.
    pub(super) fn beside(&mut self, script: &'a TaskScript, reply: &Reply, asked: Option<&Slot>) {
        self.take_call_wish(script, reply);
        self.take_refusals(script, reply, asked);
        self.take_addressee(reply);
        if script.slot("day").is_some() {
            let whole = self.whole.clone();
            self.rule_out_days(&whole);
        }
        self.take_aside(script, reply);
        for slot in script.slots.iter().filter(|slot| asked.is_none_or(|asked| asked.id != slot.id)) {
            // What was passed over before is taken when it is told after all.
            let held = self.state.task().and_then(|task| task.slots.get(&slot.id));
            let held = held.is_some_and(|held| !held.value.is_empty());
            match slot.kind {
                SlotKind::Story if asked.is_some() => self.tell_more(slot, reply, asked),
                SlotKind::Injured if !held => {
                    let told = reply.all(Kind::What, ", ");
                    let hurt = told.and_then(|told| slots::stated(slot.kind, &told, self.context()));
                    self.believe_beside(slot, hurt);
                }
                SlotKind::Text if slot.id == "reason" => self.tell_reason(slot, reply),
                SlotKind::Text => {}
                kind => {
                    let words = reply.value(kind);
                    let value = words.and_then(|words| {
                        match slots::answered(kind, &words, Context { digits: "", ..self.context() }) {
                            Read::Value(value) => Some(value),
                            _ => None,
                        }
                    });
                    // "418 Orchard, and Tuesday I can't": no day yet.
                    let value = value.filter(|value| kind != SlotKind::Day || !self.is_out(&value.value));
                    // "Pine Court, twenty-two Pine Court": the one with its number.
                    let whole = self.reply_address(kind, reply);
                    let value = whole.or(value);
                    if held && asked.is_some() {
                        self.name_street(slot, value.as_ref());
                        self.add_landmark(slot, value.as_ref());
                        self.put_right_beside(slot, value, reply);
                    } else if !held {
                        self.believe_beside(slot, value);
                    }
                }
            }
        }
        // What a message asks is for whoever reads it.
        if asked.is_none_or(|asked| asked.id != MESSAGE) {
            self.answer_asides(reply, asked.is_none());
        }
    }

    /// Answers what is asked beside the answer, before the next question of ours.
    fn answer_asides(&mut self, reply: &Reply, finishing: bool) {
        for question in reply.each(Kind::Ask).take(MAX_ASKS) {
            let control = by_cue(self.script, question).and_then(|found| match &found.intent.does {
                Does::Control(id) if SPOKEN.contains(&id.as_str()) => Some(id.clone()),
                _ => None,
            });
            let Some(control) = control else {
                self.answer_beside(question, finishing);
                continue;
            };
            self.answer_in_one_sentence(&control, question);
        }
    }

    /// Answers what is asked about the call itself. Its first sentence answers; what comes after that asks again, which is done
    /// anyway, and may have come to an end by that.
    fn answer_in_one_sentence(&mut self, control: &str, question: &str) {
        let (said, done, before) = (self.out.len(), self.effects.len(), self.state.clone());
        self.control(control, question);
        self.out.truncate(said + 1);
        self.effects.truncate(done);
        self.state = before;
    }

    /// "He's got four junk cars and a pile of tires in the yard. Do I have to give my name for this?": the report is taken, and what is
    /// asked about the call is answered before it.
    pub(super) fn reports_beside_question(&mut self, text: &str) -> bool {
        let control = match by_cue(self.script, text).map(|found| &found.intent.does) {
            Some(Does::Control(id)) if SPOKEN.contains(&id.as_str()) => id.clone(),
            _ => return false,
        };
        let told = Said::of(text, self.ear.0).without_asks(text);
        let long = self.ear.plain(&told).split(' ').count() >= TOLD_BESIDE;
        let matter =
            self.script.about("incident", &told).is_some() || self.script.acts.tells(&self.ear.plain(&told));
        if !long
            || !matter
            || by_cue(self.script, &told).is_some_and(|found| matches!(found.intent.does, Does::Control(_)))
        {
            return false;
        }
        self.answer_in_one_sentence(&control, text);
        self.start_task("incident", &told);
        true
    }

    pub(super) fn believe_beside(&mut self, slot: &Slot, value: Option<Filled>) {
        let Some(value) = value.map(|value| self.nearest_known(slot, value)) else { return };
        let taken = self
            .state
            .tasks
            .last_mut()
            .is_some_and(|task| task.believe(&slot.id, slot.kind, value.clone(), Source::Volunteered));
        if taken {
            self.keep_known(slot, &value);
        }
    }

    /// "Wait, it's Maple, not Mabel", while the number is asked for.
    fn put_right_beside(&mut self, slot: &Slot, value: Option<Filled>, reply: &Reply) {
        // "Marisol Quiñones. Ay no, el jueves no puedo, mejor el viernes."
        let prefers = slot.kind == SlotKind::Day && prefers(self.ear, &self.whole);
        // "Oh wait, what am I saying, it was this morning."
        let restated = slot.kind == SlotKind::When && corrects(self.ear, &self.whole);
        let Some(value) = value.filter(|_| reply.has(Kind::Old) || prefers || restated) else { return };
        let held = self.state.task().and_then(|task| task.slots.get(&slot.id)).cloned();
        // "No, Oak Street, not Elm Street", of "15 Elm Street": the number stays.
        let old = reply.all(Kind::Old, " ");
        let of_words = matches!(slot.kind, SlotKind::Place | SlotKind::Address | SlotKind::Name);
        let instead = reply.in_place_of_old().filter(|_| slot.kind == SlotKind::Place).map(str::to_owned);
        let part = held.as_ref().zip(instead.or_else(|| reply.value(slot.kind))).filter(|_| of_words);
        let part = part.and_then(|(held, words)| self.otherwise(slot, held, &words, old.as_deref(), true));
        let value = part.unwrap_or(value);
        if held.is_some_and(|held| !held.value.is_empty() && held.value != value.value)
            && self.put_right(slot, value)
        {
            self.free_moved_day(&[slot]);
            self.say("corrected");
        }
    }

    /// The address among the words that are of a place.
    fn reply_address(&self, kind: SlotKind, reply: &Reply) -> Option<Filled> {
        let words = reply.value(SlotKind::Place).filter(|_| kind == SlotKind::Place)?;
        self.ear.address(&words).map(|address| Filled::new(address.clone(), address))
    }

    /// "It's at 412 Maple Street", told beside an answer, where what is held for the place names none: that is it.
    fn name_street(&mut self, slot: &Slot, value: Option<&Filled>) {
        let held = self.state.task().and_then(|task| task.slots.get(&slot.id));
        let none = held.is_some_and(|held| self.ear.place_stated(&held.spoken).is_none());
        let street = value.filter(|value| none && self.ear.address(&value.spoken).is_some()).cloned();
        if let Some(street) = street.filter(|_| slot.kind == SlotKind::Place) {
            self.put_right(slot, street);
        }
    }

    /// "By the Baptist church", told beside an answer, of a street that is held: both.
    fn add_landmark(&mut self, slot: &Slot, value: Option<&Filled>) {
        let held = self.state.task().and_then(|task| task.slots.get(&slot.id)).cloned();
        let Some((held, value)) = held.zip(value).filter(|_| slot.kind == SlotKind::Place) else { return };
        // "That's chestnut, two nineteen chestnut", of "219 Walnut Street": the same house, in another street.
        if let Some(renamed) = placed::renamed(self.ear, &held, &self.whole) {
            self.put_right(slot, renamed);
            return self.say("corrected");
        }
        let both = placed::with_landmark(self.ear, &held, value.clone(), false);
        if both.value != held.value && both.value.starts_with(&held.value) {
            self.put_right(slot, both);
        }
    }
}

/// Whether a task asks for a time of its own.
fn is_timed(script: &TaskScript) -> bool {
    let timed = |slot: &Slot| matches!(slot.kind, SlotKind::When | SlotKind::Day | SlotKind::Opening);
    script.slots.iter().any(timed)
}

/// Whether words put one day before another.
fn prefers(ear: language::Ear, text: &str) -> bool {
    let words: &[&str] = match ear.0 {
        Language::En => &[" better ", " instead ", " rather ", " can't ", " make it ", " works better "],
        Language::Es => &[" mejor ", " no puedo ", " prefiero "],
    };
    let plain = format!(" {} ", ear.plain(text));
    words.iter().any(|word| plain.contains(word))
}

/// "12 Main Street yesterday around 3": where it was, without when.
fn without_time(ear: language::Ear, words: &str) -> String {
    let all: Vec<&str> = words.split_whitespace().collect();
    let begins = |at: &usize| ear.cues().when_begins.contains(&ear.plain(all[*at]).as_str());
    let end = (2..all.len()).find(begins).unwrap_or(all.len());
    all[..end].join(" ").trim_end_matches(',').to_owned()
}

/// Whether a value holds most of the words that it was read from.
fn whole(value: &str, words: &str) -> bool {
    value.split_whitespace().count() * 3 >= words.split_whitespace().count() * 2
}

/// Whether a number is among the words: "el 310 de la calle Birch".
fn numbered(ear: language::Ear, words: &str) -> bool {
    let plain = ear.plain(words);
    let words: Vec<&str> = plain.split(' ').collect();
    let number = |at: usize| {
        words[at].starts_with(|c: char| c.is_ascii_digit()) || ear.cardinal_at(&words[at..]).is_some()
    };
    words.len() > 1 && (0..words.len().min(3)).any(number)
}
