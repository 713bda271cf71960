//! How a task ends: filed, checked, given up, or saved unfinished.

use chrono::{Datelike, Days, NaiveDateTime};
use pipeline::ports::{AfterReply, Language};
use pipeline::turn::SegmentKind;

use super::amend::amendment;
use super::engine::Dialogue;
use super::facts::{Still, TenantFacts};
use super::script::{Files, Incomplete, Script, TaskScript};
use super::state::{Pending, Stage, State, Task};
use super::step::{ClaimRecord, Effect, Filing, Lookup, Step, Trouble, View};
use super::turn::Turn;
use crate::Priority;
use language::Ear;
use language::english::name;
use language::spanish::words::folded;

/// Field of what is filed that names the slots a person must ask about.
pub const UNCONFIRMED: &str = "unconfirmed";
/// Tries a caller has to show that a claim is theirs.
const CLAIM_TRIES: u8 = 3;

impl<'a> Turn<'a> {
    /// All slots are there: do it. `unconfirmed` marks what the caller never said yes to.
    pub(super) fn complete(&mut self, unconfirmed: bool) {
        let Some((_, script)) = self.current() else { return };
        if script.files == Files::None {
            return self.claim_check(script);
        }
        let Some(task) = self.state.tasks.pop() else { return };
        if task.amends.is_some() {
            return self.complete_amendment(script, &task, unconfirmed);
        }
        if unconfirmed && script.incomplete == Incomplete::Drop {
            return self.ask_pending("give_up", Pending::Offer("person".to_owned()));
        }
        let filing = filing(script, &task, self.state.urgent, unconfirmed);
        let high =
            filing.priority == Priority::High && task.slots.get("injured").is_some_and(|i| i.value == "yes");
        let priority = if high {
            self.worded("urgent_file").first().cloned().unwrap_or_default()
        } else {
            String::new()
        };
        let opening = task.slots.get("opening").map(|o| o.spoken.clone()).unwrap_or_default();
        let callback = if task.call_when.is_empty() {
            callback_time(self.ear, self.view.now, self.view.facts)
        } else {
            self.ear.cues().says.as_asked.to_owned()
        };
        let fill = [("priority", priority.as_str()), ("opening", &opening), ("callback", &callback)];
        if unconfirmed && script.incomplete == Incomplete::File {
            // Nobody said yes: it is no more than what was told.
            let kept = self.worded_or(&format!("{}.done_incomplete", script.id), &script.done_incomplete);
            self.say_promise(kept, "done_incomplete", &fill);
        } else {
            let done = self.worded_or(&format!("{}.done", script.id), &script.done);
            self.say_promise(done, "done", &fill);
        }
        self.effects.push(Effect::File(filing));
        self.did(&task.id, "filed");
        self.remember_filed(script, &task);
        self.state.done = Some(task.clone());
        self.leave_to_person(script, &task);
        self.offer_reference();
    }

    /// Gives a task up after too many tries; what was told is kept where the task says so.
    pub(super) fn abandon(&mut self) {
        let Some((_, script)) = self.current() else { return };
        let Some(task) = self.state.tasks.pop() else { return };
        self.did(&task.id, "gave up");
        if task.amends.is_some() {
            return self.complete_amendment(script, &task, true);
        }
        let keep =
            script.incomplete == Incomplete::File && (has_content(script, &task) || offers_person(&task.id));
        if keep {
            self.effects.push(Effect::File(filing(script, &task, self.state.urgent, true)));
            let kept = self.worded_or(&format!("{}.done_incomplete", script.id), &script.done_incomplete);
            self.say_promise(kept, "done_incomplete", &[]);
        }
        if offers_person(&task.id) {
            self.resume_or_more();
        } else if self.state.tasks.is_empty() {
            self.ask_pending("give_up", Pending::Offer("person".to_owned()));
        } else {
            self.resume();
        }
    }

    /// The caller is leaving: unfinished work is filed as incomplete, and they are told.
    pub(super) fn file_unfinished(&mut self) {
        let tasks = std::mem::take(&mut self.state.tasks);
        let mut told = false;
        for task in tasks {
            let Some(script) = self.script.task(&task.id) else { continue };
            if script.files == Files::Inspection && !task.slots.is_empty() && task.amends.is_none() {
                self.say("not_booked");
            }
            let left = left_behind(script, &task, self.state.urgent);
            let kept_as = if left.is_some() { Some(script) } else { self.script.task("message") };
            let left = left.or_else(|| broken_off(self.script, script, &task, self.state.urgent));
            if let Some((filing, kept_as)) = left.zip(kept_as) {
                self.effects.push(Effect::File(filing));
                if !told {
                    let key = format!("{}.done_incomplete", kept_as.id);
                    let kept = self.worded_or(&key, &kept_as.done_incomplete);
                    self.say_promise(kept, "done_incomplete", &[]);
                }
                told = true;
            }
        }
    }

    /// Ends a call in which nothing was understood, with a call-back where there is a number for it.
    pub(super) fn end_after_misses(&mut self) {
        self.file_unfinished();
        if self.state.caller_number {
            let mut task = Task::new("person");
            let spoken = self.ear.cues().says.caller_number;
            task.fill("phone", super::state::Filled::new("caller", spoken));
            if let Some(script) = self.script.task("person") {
                self.effects.push(Effect::File(filing(script, &task, self.state.urgent, true)));
            }
            let variants = self.worded("miss_end_callback");
            self.say_promise(variants, "miss_end_callback", &[]);
        } else {
            self.say("miss_end");
        }
        self.then = AfterReply::HangUp;
        self.did("nothing", "ended the call");
    }

    // ------------------------------------------------------------ claims

    fn claim_check(&mut self, script: &'a TaskScript) {
        let Some(task) = self.state.task() else { return };
        let value = |slot: &str| task.slots.get(slot).map(|f| f.value.clone()).unwrap_or_default();
        let (number, proof) = (value("claim_number"), value("proof"));
        let Some(looked_up) = &self.view.claim else {
            self.wants = Some(Lookup::Claim { number });
            return;
        };
        match looked_up.as_ref().filter(|claim| proves(self.ear, claim, &proof, self.view.now)) {
            Some(claim) => self.tell_claim(script, claim),
            None => self.claim_refused(),
        }
    }

    pub(super) fn tell_claim(&mut self, script: &TaskScript, claim: &ClaimRecord) {
        let told =
            self.state.tasks.pop().and_then(|task| Some(task.slots.get("claim_number")?.value.clone()));
        self.state.told_claims.extend(told);
        self.state.claim_tries = 0;
        self.state.served = true;
        let status = self.status(claim);
        self.say_one_of(&script.done, "done", &[("status", &status)], SegmentKind::Reply, false);
        self.did("claim", "told the status");
        self.resume_or_more();
    }

    /// The county's own words, which are English; in Spanish what the status means.
    fn status(&self, claim: &ClaimRecord) -> String {
        if self.ear.0 == Language::En && !claim.status_text.is_empty() {
            return claim.status_text.clone();
        }
        let known = self.worded(&format!("claim_status_{}", claim.status)).first();
        known.or_else(|| self.worded("claim_status_other").first()).cloned().unwrap_or_default()
    }

    /// Never says which part was wrong.
    pub(super) fn claim_refused(&mut self) {
        self.state.claim_tries = self.state.claim_tries.saturating_add(1);
        self.did("claim", "could not verify");
        if self.state.claim_tries >= CLAIM_TRIES {
            self.state.tasks.pop();
            self.ask_pending("claim_locked", Pending::Offer("person".to_owned()));
            return;
        }
        if let Some(task) = self.state.tasks.last_mut() {
            *task = Task::new(&task.id);
        }
        let nth = usize::from(self.state.claim_tries - 1);
        let text = self.worded("claim_mismatch").get(nth).cloned().unwrap_or_default();
        self.say_text(&text, &[], SegmentKind::Reply, false);
        self.advance();
    }
}

/// A call back to the number that the caller calls from.
pub(super) fn owed_to_returned(script: &Script, state: &State) -> Option<Filing> {
    let task_script = script.task("person")?;
    let mut task = Task::new(&task_script.id);
    task.fill("phone", super::state::Filled::new("caller", Ear(state.language).cues().says.caller_number));
    Some(filing(task_script, &task, state.urgent, true))
}

impl Dialogue {
    /// What is said instead when a step's effects could not be made. `before` is the state the step began in.
    #[must_use]
    pub fn trouble(
        &self,
        before: &State,
        trouble: Trouble,
        filing: Option<&Filing>,
        view: &View<'_>,
    ) -> Step {
        let mut turn = Turn::new(self, view, before);
        match (trouble, filing.and_then(|f| f.booking)) {
            _ if filing.is_some_and(|f| f.task == super::spanish_callback::TASK) => {
                turn.call_back_not_saved()
            }
            (Trouble::OpeningTaken, Some(taken)) => turn.opening_taken(taken),
            (Trouble::AllBusy, _) => turn.all_busy(),
            _ => turn.not_saved(),
        }
        turn.finish()
    }

    /// Work that must be filed when the call ended under way, so that nothing told to us is lost.
    #[must_use]
    pub fn unfinished(&self, state: &State) -> Vec<Filing> {
        let script = self.script_in(state.language);
        let begun = state
            .tasks
            .iter()
            .chain(&state.parked)
            .filter_map(|task| Some((task, script.task(&task.id)?)))
            .filter_map(|(task, own)| {
                left_behind(own, task, state.urgent).or_else(|| broken_off(script, own, task, state.urgent))
            });
        let mut filings: Vec<Filing> =
            begun.chain(self.owed_call_back(state)).chain(self.owed_after_transfer(state)).collect();
        for filing in &mut filings {
            state.note_staff(filing);
        }
        filings
    }

    /// Everything the agent may say in English in the same words on every call of a tenant.
    #[must_use]
    pub fn fixed_phrases(&self, facts: &TenantFacts) -> Vec<String> {
        self.fixed_phrases_in(Language::En, facts)
    }

    /// The same in one language.
    #[must_use]
    pub fn fixed_phrases_in(&self, language: Language, facts: &TenantFacts) -> Vec<String> {
        let own =
            facts.wording.get(language.code()).into_iter().flat_map(|sentences| sentences.values().flatten());
        fixed(language, self.script_in(language).fixed_phrases().chain(own.map(String::as_str)), facts)
    }

    /// Spanish phrases that a line without Spanish needs all the same.
    #[must_use]
    pub fn notice_phrases(&self, facts: &TenantFacts) -> Vec<String> {
        let script = self.script_in(Language::Es);
        let keys = super::spanish_callback::NOTICES.iter().chain(super::urgent::PROMPTS);
        fixed(Language::Es, keys.flat_map(|key| script.prompt(key)).map(String::as_str), facts)
    }
}

impl Turn<'_> {
    fn opening_taken(&mut self, taken: uuid::Uuid) {
        self.state.pending = None;
        if let Some(task) = self.state.tasks.last_mut() {
            task.refused.insert(taken);
            task.clear("opening");
            task.chosen = None;
            task.asked.remove("opening");
            task.asked.remove("confirm");
            task.stage = Stage::Slot("opening".to_owned());
        }
        self.say("opening_taken");
        self.offer_openings();
        self.did("booking", "time was taken");
    }

    fn not_saved(&mut self) {
        self.state.failures = self.state.failures.saturating_add(1);
        self.did("storage", "could not save");
        if self.state.failures > 1 {
            self.say("failed_again");
            self.anything_else();
            self.state.tasks.clear();
            return;
        }
        // The task leaves the conversation but not the memory: the end of the call tries once more.
        if let Some(task) = self.state.tasks.pop() {
            self.state.parked.push(task);
        }
        self.ask_pending("failed", Pending::MessageOrPerson);
    }
}

fn fixed<'t>(language: Language, texts: impl Iterator<Item = &'t str>, facts: &TenantFacts) -> Vec<String> {
    let all: std::collections::BTreeSet<String> =
        texts.filter(|text| facts.knows(text)).map(|text| facts.fill(language, text)).collect();
    all.into_iter().filter(|text| !text.contains('{')).collect()
}

fn offers_person(task: &str) -> bool {
    matches!(task, "person" | "other_language")
}

/// Whether a task holds anything of its own to keep.
fn has_content(script: &TaskScript, task: &Task) -> bool {
    task.slots
        .iter()
        .any(|(id, filled)| !filled.value.is_empty() && !script.presets.contains_key(id) && id != "name")
        || offers_person(&task.id)
}

/// What is filed of a task that the caller did not finish.
fn left_behind(script: &TaskScript, task: &Task, urgent: bool) -> Option<Filing> {
    if task.amends.is_some() {
        return amendment(script, task, urgent, true);
    }
    let told = script.incomplete == Incomplete::File && has_content(script, task);
    told.then(|| filing(script, task, urgent, true))
}

/// A booking that the call broke off, as a call to be made: nothing is booked, and somebody knows what was wanted. `None` where no
/// address was told, or no number.
fn broken_off(script: &Script, booking: &TaskScript, task: &Task, urgent: bool) -> Option<Filing> {
    let held = |id: &str| task.slots.get(id).filter(|filled| !filled.value.is_empty());
    if booking.incomplete != Incomplete::Drop || task.amends.is_some() {
        return None;
    }
    let address = held("address").filter(|_| held("phone").is_some())?;
    let when = held("opening").or_else(|| held("day")).map(|when| format!(", {}", when.spoken));
    let mut call = Task::new("person");
    for id in ["name", "phone"] {
        call.slots.extend(held(id).map(|filled| (id.to_owned(), filled.clone())));
    }
    let wanted = format!("{}: {}{}", booking.spoken, address.spoken, when.unwrap_or_default());
    let wanted = super::beliefs::correction::capitalised(&wanted);
    call.slots.insert("reason".to_owned(), super::state::Filled::new(wanted.clone(), wanted));
    call.aside.clone_from(&task.aside);
    Some(filing(script.task("person")?, &call, urgent, true))
}

/// How pressing a task is by what was told.
pub(super) fn priority(task: &Task, urgent: bool) -> Priority {
    let injured = task.slots.get("injured").is_some_and(|i| i.value == "yes");
    match (urgent, injured) {
        (true, _) => Priority::Urgent,
        (false, true) => Priority::High,
        _ => Priority::Normal,
    }
}

pub(super) fn filing(script: &TaskScript, task: &Task, urgent: bool, incomplete: bool) -> Filing {
    let use_caller_number = task.slots.get("phone").is_some_and(|p| p.value == "caller");
    // What the caller took back is no fact, whatever became of the slot since.
    let refused = |id: &str, value: &super::state::Filled| task.belief(id).is_some_and(|b| b.refuses(value));
    let kept = |(id, value): (&String, &super::state::Filled)| {
        let given = !value.value.is_empty() && value.value != "caller" && !refused(id, value);
        given.then(|| (id.clone(), value.value.clone()))
    };
    let mut fields: std::collections::BTreeMap<String, String> = task.slots.iter().filter_map(kept).collect();
    let unconfirmed = task.unconfirmed(script);
    if !unconfirmed.is_empty() {
        fields.insert(UNCONFIRMED.to_owned(), unconfirmed.join(", "));
    }
    if !task.call_when.is_empty() {
        fields.insert("call_when".to_owned(), task.call_when.clone());
    }
    if !task.aside.is_empty() {
        fields.insert("note".to_owned(), task.aside.clone());
    }
    Filing {
        task: task.id.clone(),
        files: script.files,
        priority: priority(task, urgent),
        incomplete,
        fields,
        use_caller_number,
        booking: task.chosen.as_ref().map(|opening| opening.id),
    }
}

/// Any one of last name, date of birth and phone will do; the comparison forgives spelling out, punctuation and
/// accents.
pub(super) fn proves(ear: Ear, claim: &ClaimRecord, proof: &str, now: NaiveDateTime) -> bool {
    let plain = |text: &str| folded(&ear.plain(text));
    let last = claim.holder_name.split_whitespace().last().map(plain).unwrap_or_default();
    let said = plain(proof);
    let spelled = name::spelled(proof).map(|name| plain(&name)).unwrap_or_default();
    let by_name =
        !last.is_empty() && (said.split(' ').any(|w| w == last) || spelled.split(' ').any(|w| w == last));
    let by_birth = ear.birth_date(proof, now.date()).is_some_and(|d| d.to_string() == claim.date_of_birth);
    let by_phone = ear.whole_phone(proof).is_some_and(|p| p.e164() == claim.phone);
    by_name || by_birth || by_phone
}

/// When somebody will call, from the county's office hours.
pub(super) fn callback_time(ear: Ear, now: NaiveDateTime, facts: &TenantFacts) -> String {
    let [morning, today, someday] = match ear.0 {
        Language::En => [
            "this morning, after the office opens",
            "today, before the office closes",
            "on the next working day",
        ],
        Language::Es => [
            "esta mañana, después de que abra la oficina",
            "hoy, antes de que cierre la oficina",
            "el próximo día hábil",
        ],
    };
    match facts.still(now, now.weekday()) {
        Still::Opens => return morning.to_owned(),
        Still::Closes => return today.to_owned(),
        Still::Closed => {}
    }
    let (mut ahead, week) =
        ((1..=7).map(Days::new).filter_map(|n| now.date().checked_add_days(n)), facts.week());
    let next = ahead.find(|day| week.on(day.weekday()).is_some() && !facts.holidays.contains_key(day));
    next.map_or_else(
        || someday.to_owned(),
        |day| match ear.0 {
            Language::En => format!("on {} morning", day.format("%A")),
            Language::Es => {
                let named = ear.spoken_date(day);
                format!("el {} por la mañana", named.split(' ').next().unwrap_or_default())
            }
        },
    )
}
