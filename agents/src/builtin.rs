//! A reply of the built-in dialogue: thought out by pure reads, made true by a commit, said in between.

use pipeline::event::AttentionReason;
use pipeline::latency::Stage;
use pipeline::ports::{Question, ReplyEvent, TurnInput};
use pipeline::turn::{ReplySegment, SegmentId, TurnId};
use storage::WorkItems;
use storage::records::WorkStatus;
use tokio::time::Instant;

use super::call_context::Seat;
use super::discarded_replies::{Origin, Unheard, plain_origin};
use super::effects::{Committed, TurnWork, tool_name, tool_of_task};
use super::event_sender::{Outbox, Spent};
use super::guard_findings::{self, Alarms};
use super::no_calls;
use super::office::{Knowledge, Office};
use super::request_notes;
use super::ruled::rule_over;
use super::rulings::Rulings;
use super::transfer;
use dialogue::builtin::{Effect, Filing, LineAct, Lookup, Note, Say, Search, Searched, Step, Trouble};

/// Look-ups that one step may ask for before it is taken as it is.
const MAX_LOOKUPS: usize = 6;

/// A reply under way.
pub(super) struct BuiltinRun {
    pub(super) turn: TurnId,
    pub(super) input: TurnInput,
    pub(super) origin: Origin,
    pub(super) step: Step,
    knowledge: Knowledge,
    pub(super) committed: bool,
    /// References of what it filed.
    filed: Vec<String>,
    /// Words up to here went out.
    said: usize,
    next_index: u16,
    /// The end was announced.
    ended: bool,
    took_ms: u64,
    /// What a model cost that was asked first and failed.
    pub(super) spent: Spent,
    /// The caller's words are on the record already: a model had taken the turn.
    pub(super) noted: bool,
    /// What the guard found.
    pub(super) alarms: Alarms,
    /// What the rules stopped.
    pub(super) rulings: Rulings,
}

language::shown!(BuiltinRun, "BuiltinRun": turn, origin, step, knowledge, committed, filed, said, next_index, ended, took_ms, spent, noted, alarms, rulings; input);

impl BuiltinRun {
    /// The step holds under a new number; its segments are new.
    pub(super) fn renumber(&mut self, turn: TurnId) {
        self.turn = turn;
        self.said = 0;
        self.next_index = 0;
        self.ended = false;
    }

    /// So many segments of this turn went out before.
    pub(super) fn go_on_from(&mut self, index: u16) {
        self.next_index = index;
    }

    pub(super) fn unheard(self) -> Unheard {
        Unheard::new(&self.input, self.origin, self.step)
    }

    /// Everything it says, as one text.
    pub(super) fn text(&self) -> String {
        self.step.say.iter().map(|say| say.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// How many of the words may be said before the effects are durable. A change of language is an effect too:
    /// voice and recogniser follow it.
    fn speakable(&self, out: &Outbox) -> usize {
        let waits = |say: &Say| say.promises || !out.is_voiced(say.language);
        self.step.say.iter().position(waits).unwrap_or(self.step.say.len())
    }
}

impl Seat {
    /// Where a turn of the dialogue with this input begins.
    fn origin(&self, input: &TurnInput) -> Origin {
        match &self.unheard {
            Some(unheard) => unheard.origin(&self.state, input),
            None => plain_origin(&self.state, input),
        }
    }

    // ------------------------------------------------------------ thinking: pure reads only

    pub(super) async fn prepare(&self, turn: TurnId, input: TurnInput) -> BuiltinRun {
        let began = Instant::now();
        let mut knowledge = Knowledge { local: self.office.today(), ..Knowledge::default() };
        let mut origin = self.origin(&input);
        origin.state.staff_there = self.office.brief.hand_over.staff.is_there();
        // A turn that was undone began before they were told.
        origin.state.staff_notes.clone_from(&self.state.staff_notes);
        let alarms = self.watch(turn, &origin).await;
        if let Some(query) = self.office.shared.dialogue.query(&origin.state, &origin.input) {
            let reading = Instant::now();
            read_up(&self.office, &origin, &mut knowledge, &query).await;
            self.out.since(turn, Stage::Retrieval, reading).await;
        }
        let thinking = Instant::now();
        let mut step = think(&self.office, &origin, &mut knowledge).await;
        self.out.since(turn, Stage::Orchestrator, thinking).await;
        let ruling = Instant::now();
        let rulings = rule_over(&self.office, &origin, &knowledge, &mut step);
        self.out.since(turn, Stage::Rules, ruling).await;
        BuiltinRun {
            turn,
            input,
            origin,
            step,
            knowledge,
            committed: false,
            filed: Vec::new(),
            said: 0,
            next_index: 0,
            ended: false,
            took_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            spent: Spent::default(),
            noted: false,
            alarms,
            rulings,
        }
    }

    /// The guard hears what the dialogue hears. Nothing is taken out: the dialogue takes no instructions.
    async fn watch(&self, turn: TurnId, origin: &Origin) -> Alarms {
        let began = Instant::now();
        let mut alarms = Alarms::default();
        if let TurnInput::Said { .. } = &origin.input {
            alarms.watch(
                &origin.input,
                guard_findings::context(origin.state.last_expects, origin.state.language),
            );
            self.out.since(turn, Stage::Guard, began).await;
        }
        alarms
    }

    // ------------------------------------------------------------ taking effect

    pub(super) async fn commit_builtin(&mut self, run: &mut BuiltinRun) {
        run.committed = true;
        self.unheard = None;
        if let TurnInput::Said { text, .. } = &run.input
            && !run.noted
        {
            self.lines.caller_said(text, run.origin.repeats);
        }
        // Without effects the words need not wait for the books.
        let waits = !run.step.effects.is_empty();
        if !waits {
            self.emit_words(run, true).await;
        }
        let writing = Instant::now();
        let written = self.write_builtin(run).await;
        if waits {
            self.out.since(run.turn, Stage::Orchestrator, writing).await;
        }
        match written {
            Ok(done) => {
                run.step.settle(&done.references);
                run.filed = done.references;
            }
            Err(trouble) if waits => self.recover(run, trouble).await,
            Err(_) => tracing::warn!("the ledger entry of a turn was not written"),
        }
        self.tell_tools(run).await;
        if let Some(text) = asks(&run.step.effects) {
            let within_s = self.office.desk.facts.ask_staff_s;
            let question = Question { text, within_s };
            self.asked_in = Some(run.turn);
            self.out.send(ReplyEvent::Question { turn: run.turn, question }).await;
        }
        if let Some(consented) = run.step.consented {
            self.out.send(ReplyEvent::Consent(consented)).await;
        }
        for reason in reasons(&run.step) {
            self.out.attention(run.turn, reason).await;
        }
        if waits {
            self.emit_words(run, true).await;
        }
        self.state = run.step.state.clone();
        run.spent.report(&self.out, run.turn, false).await;
    }

    async fn write_builtin(&mut self, run: &BuiltinRun) -> Result<Committed, Trouble> {
        let note = &run.step.note;
        let did = run.rulings.beside(&run.alarms.beside(&note.did, "recorded"));
        let note = Note { did, ..note.clone() };
        let work = TurnWork {
            key: format!("{}/{}", self.office.writes(), run.turn.0),
            effects: &run.step.effects,
            note: &note,
            duration_ms: run.took_ms,
            tokens: run.spent.tokens(),
            patches: Vec::new(),
            about: run.step.state.task().and_then(|task| tool_of_task(&task.id)),
            jobs: Vec::new(),
            outbox: Vec::new(),
        };
        self.books.write(&self.office, work).await
    }

    /// The effects failed: the words that promised them are replaced by an honest answer.
    async fn recover(&mut self, run: &mut BuiltinRun, trouble: Trouble) {
        let filing: Option<Filing> = run.step.effects.iter().find_map(|e| match e {
            Effect::File(filing) => Some(filing.clone()),
            Effect::MarkUrgent { .. }
            | Effect::PutThrough { .. }
            | Effect::AskStaff { .. }
            | Effect::Line(_)
            | Effect::NoteOn { .. }
            | Effect::StopCalls { .. } => None,
        });
        for effect in &run.step.effects {
            self.out.tool(run.turn, tool_name(effect), false).await;
        }
        let effects = &run.step.effects;
        let puts_through = transfer::target_of(effects).is_some() || transfer::joins(effects);
        if filing.is_none() && !puts_through && !notes_at_once(effects) {
            // An emergency: where to turn was said already; only "I've marked this call" is not true.
            run.step.say.retain(|say| !say.promises);
            run.step.effects.clear();
            return;
        }
        run.knowledge.openings = Some(self.office.openings().await);
        if trouble == Trouble::AllBusy {
            run.knowledge.queues = Some(self.office.queues().await);
        }
        let view = self.office.view(&run.knowledge);
        let dialogue = &self.office.shared.dialogue;
        let instead = dialogue.trouble(&run.origin.state, trouble, filing.as_ref(), &view);
        // What was said already stays said; the rest gives way.
        let mut say: Vec<Say> = run.step.say.drain(..run.said.min(run.step.say.len())).collect();
        say.extend(instead.say.iter().cloned());
        run.step = Step { say, effects: Vec::new(), ..instead };
    }

    /// The caller goes on with this turn and was told nothing of it: what it filed is withdrawn. An appointment stays, and is
    /// told.
    pub(super) async fn take_back(&mut self, run: BuiltinRun) -> Unheard {
        let line = transfer::line_act(&run.step.effects);
        // Who left a line is out of it: said once more, and not undone.
        if line.is_some_and(|act| !matches!(act, LineAct::Join { .. })) {
            return run.unheard();
        }
        if line.is_some() || transfer::target_of(&run.step.effects).is_some() {
            transfer::take_back(&self.office).await;
        }
        // A word against calls holds, and an answer that was noted, whatever else they say.
        if notes_at_once(&run.step.effects) {
            return run.unheard();
        }
        let booked = run.step.effects.iter().any(|e| matches!(e, Effect::File(f) if f.booking.is_some()));
        if booked || !self.withdraw(&run).await {
            return run.unheard();
        }
        Unheard::undone(&run.input, run.origin, run.step)
    }

    /// All of what was filed, or nothing. False when it stays.
    async fn withdraw(&mut self, run: &BuiltinRun) -> bool {
        let store = &self.office.desk.store;
        for (n, reference) in run.filed.iter().enumerate() {
            if store.set_work_status(reference, WorkStatus::Cancelled).await.is_ok() {
                continue;
            }
            for before in &run.filed[..n] {
                if store.set_work_status(before, WorkStatus::Open).await.is_err() {
                    tracing::error!("what was withdrawn by half could not be put back");
                }
            }
            return false;
        }
        if run.filed.is_empty() {
            return true;
        }
        let note = Note {
            heard: "speech".to_owned(),
            did: format!("withdrawn, the caller went on: {}", run.filed.join(", ")),
            sources: Vec::new(),
        };
        let work = TurnWork {
            key: format!("{}/{}/withdrawn", self.office.writes(), run.turn.0),
            effects: &[],
            note: &note,
            duration_ms: 0,
            tokens: 0,
            patches: Vec::new(),
            about: None,
            jobs: Vec::new(),
            outbox: Vec::new(),
        };
        if self.books.write(&self.office, work).await.is_err() {
            tracing::warn!("the ledger entry of a withdrawal was not written");
        }
        true
    }

    async fn tell_tools(&self, run: &mut BuiltinRun) {
        for alarm in run.alarms.untold() {
            self.out.guard(run.turn, alarm).await;
        }
        for ruling in run.rulings.untold(run.turn) {
            self.out.rule(ruling).await;
        }
        for effect in &run.step.effects {
            self.out.tool(run.turn, tool_name(effect), true).await;
        }
        if !run.step.note.sources.is_empty() {
            self.out.tool(run.turn, "search_knowledge", true).await;
        }
    }

    // ------------------------------------------------------------ speaking

    /// Sends what may be said: all of it once committed, before that up to the first promise.
    pub(super) async fn emit_words(&mut self, run: &mut BuiltinRun, effects_done: bool) {
        let began = Instant::now();
        let upto = if effects_done { run.step.say.len() } else { run.speakable(&self.out) };
        while run.said < upto {
            let say = run.step.say[run.said].clone();
            self.out.voice(run.turn, say.language).await;
            let cut = if say.fixed || run.next_index > 0 {
                language::sentences(&say.text)
            } else {
                pipeline::turn::segments(&say.text)
            };
            for text in cut {
                let id = SegmentId { turn: run.turn, index: run.next_index };
                if run.next_index == 0 {
                    // Before the words: what is told after them did not delay them.
                    self.out.since(run.turn, Stage::FirstClause, began).await;
                }
                run.next_index += 1;
                self.out.segment(ReplySegment { id, text, kind: say.kind, fixed: say.fixed }).await;
            }
            run.said += 1;
        }
        if run.said == run.step.say.len() && !run.ended {
            run.ended = true;
            self.out.done(run.turn, run.step.expects, run.step.then).await;
        }
    }
}

async fn read_up(office: &Office, origin: &Origin, knowledge: &mut Knowledge, search: &Search) {
    (knowledge.passages, knowledge.topic) = office.passages(search).await;
    if let TurnInput::Said { text, .. } = &origin.input {
        let asked = origin.state.task().is_some() || origin.state.pending.is_some();
        let language = language::language_of(text).unwrap_or(origin.state.language);
        knowledge.understood = office.shared.understanding.live(text, language, asked).await;
    }
}

async fn think(office: &Office, origin: &Origin, knowledge: &mut Knowledge) -> Step {
    if let Some(again) = origin.again() {
        return again;
    }
    let (dialogue, state, input) = (&office.shared.dialogue, &origin.state, &origin.input);
    let mut step = dialogue.step(state, input, &office.view(knowledge));
    for _ in 0..MAX_LOOKUPS {
        let Some(wanted) = step.wants.take() else { break };
        match wanted {
            Lookup::Pages(search) => {
                let (found, within) = office.passages(&search).await;
                knowledge.searched.push(Searched { search, found, within });
            }
            Lookup::Openings => knowledge.openings = Some(office.openings().await),
            Lookup::Claim { number } => knowledge.claim = Some(office.claim(&number).await),
            Lookup::Queues => knowledge.queues = Some(office.queues().await),
        }
        step = dialogue.step(state, input, &office.view(knowledge));
    }
    origin.settle_debts(&mut step);
    step
}

/// What is kept at once, and is said once more rather than undone.
fn notes_at_once(effects: &[Effect]) -> bool {
    no_calls::stops(effects) || request_notes::of(effects).next().is_some()
}

/// What people of the office are asked, where they are.
fn asks(effects: &[Effect]) -> Option<String> {
    effects.iter().find_map(|effect| match effect {
        Effect::AskStaff { question } => Some(question.clone()),
        Effect::File(_)
        | Effect::MarkUrgent { .. }
        | Effect::PutThrough { .. }
        | Effect::Line(_)
        | Effect::NoteOn { .. }
        | Effect::StopCalls { .. } => None,
    })
}

/// Why a person should look at a call after this step.
fn reasons(step: &Step) -> Vec<AttentionReason> {
    let urgent = step.effects.iter().any(|effect| matches!(effect, Effect::MarkUrgent { .. }));
    let person = step.state.tasks.iter().any(|task| task.id == "person")
        || step.effects.iter().any(|effect| matches!(tool_name(effect), "request_person" | "put_through"));
    let all = [
        (urgent || step.state.urgent, AttentionReason::Emergency),
        (person, AttentionReason::PersonAsked),
        (step.state.misses >= 2, AttentionReason::Misunderstood),
        (step.state.rude >= 1, AttentionReason::Distress),
    ];
    all.into_iter().filter(|(is_so, _)| *is_so).map(|(_, reason)| reason).collect()
}
