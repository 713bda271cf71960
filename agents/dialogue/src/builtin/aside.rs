//! What stands in an answer and is none of it: a question beside it, when to call, what is refused, talk around a place.

use super::account;
use super::addressee::MESSAGE;
use super::beliefs::days::day_instead;
use super::confirmed::swapped;
use super::reply::Reply;
use super::script::{Slot, SlotKind, TaskScript};
use super::state::{Filled, MAX_LATER, Stage};
use super::turn::Turn;
use language::beside::{call_wish, without_messenger};
use language::reply::Kind;
use language::{Direction, Language};

/// More words than this are no place, where nothing in them is known for one.
const LONG_PLACE: usize = 11;

impl Turn<'_> {
    /// When the caller wants to be called is noted and said back, and is no part of the answer: "after six" is not when it
    /// happened. What else was said, if anything.
    pub(super) fn without_call_wish(&mut self, text: &str) -> Option<String> {
        let (stage, script) = self.current()?;
        let asked = match &stage {
            Stage::Slot(id) => script.slot(id).map(|slot| slot.kind),
            _ => None,
        };
        // In what is told or passed on it belongs to the words.
        let told = matches!(asked, Some(SlotKind::Story | SlotKind::Text));
        if told || script.slot("phone").is_none() {
            return None;
        }
        let (rest, wish) = call_wish(self.ear, text, asked == Some(SlotKind::Phone))?;
        if self.says_where_to_call(&wish) {
            return None;
        }
        self.task_mut(|task| task.call_when = wish);
        self.say("call_when");
        Some(rest)
    }

    /// "No, that's it, thank you", asked whether it is right: nothing is to be changed.
    pub(super) fn says_that_is_all(&self, plain: &str) -> bool {
        let cues = self.ear.cues();
        let rest = plain
            .split_once(' ')
            .filter(|(no, _)| self.ear.is_bare_yes_no(no))
            .map_or(plain, |(_, rest)| rest);
        let rest =
            cues.thanks.iter().filter_map(|thanks| rest.find(thanks)).min().map_or(rest, |at| &rest[..at]);
        let rest = rest.trim();
        cues.all_said.contains(&rest) || cues.that_is_all.contains(&rest)
    }

    /// A question within an answer: answered at once where a page does, before the report goes on; where the report is just being
    /// finished, after it. What no page answers goes to whoever works on the report.
    pub(super) fn answer_beside(&mut self, question: &str, finishing: bool) {
        self.asks_served = true;
        if self.subjects(question).is_empty() || self.script.acts.insults(&self.ear.plain(question)) {
            return;
        }
        match self.passage_beside(question).cloned() {
            Some(passage) if !finishing => self.tell_page(&passage, question),
            Some(_) => self.keep_for_later(question),
            None if self.current().is_some_and(|(_, script)| script.slot("name").is_some()) => {
                self.task_mut(|task| task.note_beside(question));
                // "And send me somebody now" asks for no answer.
                let asks = self.ear.is_question(question)
                    || self.script.acts.wants_to_know(&self.ear.plain(question));
                self.say(if asks { "question_noted" } else { "recalled_noted" });
                self.did("question", "noted for a person");
            }
            None => self.keep_for_later(question),
        }
    }

    fn keep_for_later(&mut self, question: &str) {
        if self.state.later.len() < MAX_LATER && !self.is_kept(question) {
            self.state.later.push(question.to_owned());
        }
    }

    /// Whether a question waits for its answer already, in these or other words of its.
    pub(super) fn is_kept(&self, question: &str) -> bool {
        let terms = |text: &str| self.ear.terms(&self.ear.plain(text));
        let own = terms(question);
        let same = |kept: &String| {
            let kept = terms(kept);
            own.iter().all(|term| kept.contains(term)) || kept.iter().all(|term| own.contains(term))
        };
        self.state.later.iter().any(same)
    }

    /// A long answer to "where?" in which no street, corner or landmark is known: asked once more, then taken as it is. So is a place that only the caller knows.
    pub(super) fn rambles(&self, slot: &Slot, text: &str) -> bool {
        let first =
            self.state.task().is_some_and(|task| task.asked.get(&slot.id).is_none_or(|count| *count <= 1));
        let long = self.ear.plain(text).split(' ').count() > LONG_PLACE;
        let vague = self.ear.is_vague_place(text);
        slot.kind == SlotKind::Place && first && (vague || long && self.ear.place_stated(text).is_none())
    }

    /// What a callback is about, told beside an answer: it comes before what was made of the words that asked for it.
    pub(super) fn tell_reason(&mut self, slot: &Slot, reply: &Reply) {
        let Some(told) = reply.all(Kind::What, ", ").filter(|told| !self.ear.subjects(told).is_empty())
        else {
            return;
        };
        let held = self.state.task().and_then(|task| task.slots.get(&slot.id)).map(|held| held.value.clone());
        let held = held.unwrap_or_default();
        // "It's because my assessment went up and the barn burned down": all of it, whichever part tells most.
        let wide = self.script.acts.because(self.ear, &reply.rest);
        let wide = Some(wide).filter(|wide| self.ear.plain(wide).contains(&self.ear.plain(&told)));
        let told = account::kept(self.ear, &wide.unwrap_or(told));
        if self.ear.plain(&held).contains(&self.ear.plain(&told.value)) {
            return;
        }
        let all = format!("{} {held}", told.value);
        self.task_mut(|task| task.fill(&slot.id, Filled::new(all.trim_end(), told.spoken)));
    }

    /// "I'm not giving my name", said before anybody asked for it.
    pub(super) fn take_refusals(&mut self, script: &TaskScript, reply: &Reply, asked: Option<&Slot>) {
        let refused: Vec<String> = reply.each(Kind::Skip).map(|words| self.ear.plain(words)).collect();
        for slot in
            script.slots.iter().filter(|slot| slot.optional && asked.is_none_or(|asked| asked.id != slot.id))
        {
            let words = match slot.kind {
                SlotKind::Name => self.ear.cues().names_name,
                SlotKind::Phone => self.ear.cues().names_number,
                _ => continue,
            };
            let open = self.state.task().is_some_and(|task| !task.slots.contains_key(&slot.id));
            if open && refused.iter().any(|said| said.split(' ').any(|word| words.contains(&word))) {
                self.task_mut(|task| task.fill(&slot.id, Filled::not_given()));
            }
        }
    }

    /// When to call back, or that nobody should.
    pub(super) fn take_call_wish(&mut self, script: &TaskScript, reply: &Reply) {
        if let Some(wish) = reply.all(Kind::Call, ", ") {
            self.keep_call_wish(script, wish);
        }
    }

    /// "Make it Thursday, Wednesday I have the doctor", of a message: the day in it gives way.
    pub(super) fn move_day_told(&mut self, script: &TaskScript) {
        let Some(slot) = script.slot(MESSAGE) else { return };
        let held = self.state.task().and_then(|task| task.slots.get(&slot.id)).cloned();
        let told = held.and_then(|held| {
            let (old, new) = day_instead(self.ear, &held.value, &self.whole)?;
            let said =
                self.whole.split(|c: char| !c.is_alphabetic()).find(|word| self.ear.plain(word) == new);
            let new = said.unwrap_or(&new);
            let with = |text: &str| swapped(self.ear, text, &old, new).unwrap_or_else(|| text.to_owned());
            Some(Filled::new(with(&held.value), with(&held.spoken)))
        });
        if let Some(told) = told {
            self.task_mut(|task| task.fill(&slot.id, told));
            self.say("corrected");
        }
    }

    /// Keeps when somebody may be called, or that they may not.
    pub(super) fn keep_call_wish(&mut self, script: &TaskScript, wish: String) {
        let Some(phone) = script.slot("phone") else { return };
        if self.ear.refuses_call(&wish) {
            let open = self.state.task().is_some_and(|task| !task.slots.contains_key(&phone.id));
            if phone.optional && open {
                self.task_mut(|task| task.fill(&phone.id, Filled::not_given()));
            }
            self.task_mut(|task| task.call_when = wish);
            return self.say("no_call");
        }
        if self.says_where_to_call(&wish) {
            return;
        }
        // "Any time" is no time that anybody must keep.
        let plain = self.ear.plain(&wish);
        if self.ear.cues().any_time.iter().any(|any| plain.contains(any)) {
            return;
        }
        // "Call my cell", "they should change the timer": no time, and kept for whoever works on it.
        if !self.tells_time(&wish) {
            return self.task_mut(|task| task.note_beside(&wish));
        }
        let when = without_messenger(self.ear, &wish).to_owned();
        let held = self.state.task().map(|task| task.call_when.clone()).unwrap_or_default();
        let when = if self.completes_call_time(&held, &when) { format!("{held}, {when}") } else { when };
        self.task_mut(|task| task.call_when = when);
        self.say("call_when");
    }

    /// "And make it tomorrow", of "after five": a day for an hour, or an hour for a day.
    fn completes_call_time(&self, held: &str, when: &str) -> bool {
        let day =
            |words: &str| self.ear.plain(words).split(' ').any(|word| self.ear.calendar_word(word).is_some());
        let day = |words: &str| {
            let found = self.ear.when(words, self.view.now, Direction::Future);
            day(words) || found.is_some_and(|found| found.date.is_some())
        };
        !held.is_empty() && day(held) != day(when)
    }

    /// "No need to call, I know already", of a callback that was asked for: it is wanted no more.
    pub(super) fn unwants_call(&self, text: &str) -> bool {
        self.script.acts.calls_off(&self.ear.plain(text))
            && self.ear.when(text, self.view.now, Direction::Future).is_none()
    }

    /// "I don't want anybody calling me": words that refuse a call, and give no number.
    pub(super) fn refuses_only_call(&self, text: &str) -> bool {
        self.names_call(text) && self.ear.refuses_call(text) && self.ear.count_digits(text) == 0
    }

    /// Whether words are of calls.
    pub(super) fn names_call(&self, text: &str) -> bool {
        let calls: &[&str] = match self.ear.0 {
            Language::En => &["call", "phon", "ring"],
            Language::Es => &["llam"],
        };
        self.ear.plain(text).split(' ').any(|word| calls.iter().any(|call| word.starts_with(call)))
    }

    /// "I want to talk now, I don't want a callback": there is nobody now, and a callback is all there is. Said once.
    pub(super) fn tells_of_nobody_now(&mut self, text: &str) -> bool {
        let (acts, plain) = (&self.script.acts, self.ear.plain(text));
        let refuses = acts.calls_off(&plain) || acts.refuses(&plain);
        if !refuses || !acts.wants_now(&plain) || self.over_asked("now") {
            return false;
        }
        // "Marisol Restrepo, but I want to talk now."
        if let Some((_, script)) = self.current()
            && let Some(slot) = script.slots.iter().find(|slot| slot.kind == SlotKind::Name)
        {
            let reply = self.reply(text);
            let name = reply.value(SlotKind::Name).and_then(|name| self.value_of(slot, &name, &reply, text));
            self.believe_beside(slot, name);
        }
        self.say("nobody_now");
        self.ask_again_quietly();
        true
    }

    /// "Yes, you can call me at this number" says where, and not when.
    fn says_where_to_call(&self, wish: &str) -> bool {
        self.means_this_number(wish) && self.ear.when(wish, self.view.now, Direction::Future).is_none()
    }

    pub(super) fn tells_time(&self, words: &str) -> bool {
        let plain = self.ear.plain(words);
        let small = self.ear.cues().small;
        let time = |word: &str| {
            // "Someone to call me" says no time, though "to" stands in "ten to three".
            (account::time_words(self.ear).contains(&word) && !small.contains(&word))
                || self.ear.cues().call_times.split(' ').any(|time| time == word)
                || self.ear.calendar_word(word).is_some()
        };
        plain.split(' ').any(time) || self.ear.when(words, self.view.now, Direction::Future).is_some()
    }
}
