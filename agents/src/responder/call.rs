//! One conversation: commands in, segments out.

use std::sync::Arc;
use std::time::Instant;

use chrono::{DateTime, NaiveDateTime, Utc};
use pipeline::latency::Stage;
use pipeline::ports::{AfterReply, CallBrief, ReplyCommand, ReplyEvent, TurnInput};
use pipeline::turn::{Expectation, Heard, ReplySegment, SegmentId, Speaker, TurnId};
use storage::{Claims, Slots};
use tokio::sync::mpsc;

use super::effects::{self, Committed, TurnWork, tool_name};
use super::unheard::{Origin, Unheard, plain_origin};
use super::{Desk, Shared, now, opening, sentences};
use crate::llm::builtin::{
    ClaimRecord, Effect, Filing, Lookup, Note, Opening, Passage, Say, Search, State, Step, Trouble, View,
};
use crate::passport::{Patch, Status, Versioned};
use crate::retriever::{Found, Query};

/// Look-ups that one step may ask for before it is taken as it is.
const MAX_LOOKUPS: usize = 3;
/// Free times read for a booking.
const OPENINGS: u32 = 80;
/// Lines of the conversation kept in memory.
const MAX_HISTORY: usize = 400;

/// What is known before a step; kept so that trouble can be spoken of with the same knowledge.
#[derive(Debug, Default)]
struct Knowledge {
    likeness: Vec<f32>,
    passages: Vec<Passage>,
    topic: Vec<Passage>,
    openings: Option<Vec<Opening>>,
    claim: Option<Option<ClaimRecord>>,
    local: NaiveDateTime,
}

/// A reply under way.
#[derive(Debug)]
struct Run {
    turn: TurnId,
    input: TurnInput,
    origin: Origin,
    step: Step,
    knowledge: Knowledge,
    committed: bool,
    /// Words up to here went out.
    said: usize,
    next_index: u16,
    /// The end was announced.
    ended: bool,
    took_ms: u64,
}

/// A line of the conversation as it was really heard.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) speaker: Speaker,
    pub(super) text: String,
}

/// The task of one call.
pub(super) struct Call {
    shared: Arc<Shared>,
    desk: Arc<Desk>,
    brief: CallBrief,
    events: mpsc::Sender<ReplyEvent>,
    state: State,
    passport: Option<Versioned>,
    run: Option<Run>,
    /// A committed reply that was cancelled; how much of it was heard is not known yet.
    cut: Option<Run>,
    unheard: Option<Unheard>,
    history: Vec<Line>,
    seed: u64,
    work_filed: bool,
}

impl Call {
    pub(super) fn new(
        shared: Arc<Shared>,
        desk: Arc<Desk>,
        brief: CallBrief,
        events: mpsc::Sender<ReplyEvent>,
    ) -> Self {
        let caller_number = brief.caller.as_deref().and_then(storage::zones::normalise_phone).is_some();
        let seed = brief.call.0.as_u64_pair().1;
        let state = State::new(caller_number);
        Self {
            shared,
            desk,
            brief,
            events,
            state,
            passport: None,
            run: None,
            cut: None,
            unheard: None,
            history: Vec::new(),
            seed,
            work_filed: false,
        }
    }

    /// Until the command side is dropped; then the call is closed in the books.
    pub(super) async fn run(mut self, mut commands: mpsc::Receiver<ReplyCommand>) {
        while let Some(command) = commands.recv().await {
            match command {
                ReplyCommand::Start { turn, input, speculative } => {
                    self.start(turn, input, speculative).await
                }
                ReplyCommand::Commit { turn } => self.commit(turn).await,
                ReplyCommand::Cancel { turn } => self.cancel(turn),
                ReplyCommand::Heard(heard) => self.heard(heard),
                // Whether the line can do the language is known from the brief; the next turn takes it up.
                ReplyCommand::Language(_) => {}
            }
        }
        self.close().await;
    }

    async fn start(&mut self, turn: TurnId, input: TurnInput, speculative: bool) {
        let same = self.run.take_if(|run| run.input == input && !run.committed);
        let mut run = match same {
            // Said before, word for word: what is missing is the commit.
            Some(run) if run.turn == turn => run,
            // Same words under a new turn: the step holds, its segments are new.
            Some(run) => Run { turn, said: 0, next_index: 0, ended: false, ..run },
            None => self.prepare(turn, input).await,
        };
        self.emit_words(&mut run, false).await;
        self.run = Some(run);
        if !speculative {
            self.commit(turn).await;
        }
    }

    fn cancel(&mut self, turn: TurnId) {
        let run = self.run.take_if(|run| run.turn == turn);
        self.cut = run.filter(|run| run.committed);
    }

    fn heard(&mut self, heard: Heard) {
        let cut = self.cut.take_if(|run| run.turn == heard.turn);
        if !heard.text.is_empty() {
            // What was cut by mistake may be resumed under another number: then it was heard after all.
            self.unheard.take_if(|unheard| unheard.is_told_by(&heard.text));
        } else if let Some(run) = cut.filter(|_| !heard.complete) {
            self.unheard = Some(Unheard::new(&run.input, run.origin, run.step));
        }
        self.remember(Speaker::Agent, heard.text);
    }

    /// Where a turn with this input begins.
    fn origin(&self, input: &TurnInput) -> Origin {
        match &self.unheard {
            Some(unheard) => unheard.origin(&self.state, input),
            None => plain_origin(&self.state, input),
        }
    }

    fn remember(&mut self, speaker: Speaker, text: String) {
        if self.history.len() >= MAX_HISTORY {
            self.history.remove(0);
        }
        if !text.is_empty() {
            self.history.push(Line { speaker, text });
        }
    }

    /// The caller's next words hold these once more.
    fn forget_last_words(&mut self) {
        if let Some(at) = self.history.iter().rposition(|line| line.speaker == Speaker::Caller) {
            self.history.remove(at);
        }
    }

    // ------------------------------------------------------------ thinking: pure reads only

    async fn prepare(&mut self, turn: TurnId, input: TurnInput) -> Run {
        let began = Instant::now();
        let mut knowledge = Knowledge { local: self.local(now()), ..Knowledge::default() };
        let origin = self.origin(&input);
        if let Some(query) = self.shared.dialogue.query(&origin.state, &origin.input) {
            self.search(&mut knowledge, &query).await;
            self.stage(turn, Stage::Retrieval, began).await;
        }
        let thinking = Instant::now();
        let step = self.step(&origin, &mut knowledge).await;
        self.stage(turn, Stage::Orchestrator, thinking).await;
        let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        Run {
            turn,
            input,
            origin,
            step,
            knowledge,
            committed: false,
            said: 0,
            next_index: 0,
            ended: false,
            took_ms,
        }
    }

    async fn search(&self, knowledge: &mut Knowledge, search: &Search) {
        let (retriever, tenant) = (&self.shared.retriever, self.desk.tenant);
        let query = Query { limit: 3, ..Query::new(&search.text) };
        let found = retriever.search(tenant, &query).await;
        knowledge.passages = found.into_iter().map(passage).collect();
        if let Some(source) = &search.within {
            let within = retriever.within(tenant, source, &search.text).await;
            knowledge.topic = within.into_iter().map(passage).collect();
        }
        knowledge.likeness = self.shared.likeness(&search.text).await;
    }

    async fn step(&self, origin: &Origin, knowledge: &mut Knowledge) -> Step {
        if let Some(again) = origin.again() {
            return again;
        }
        let (dialogue, state, input) = (&self.shared.dialogue, &origin.state, &origin.input);
        let mut step = dialogue.step(state, input, &self.view(knowledge));
        for _ in 0..MAX_LOOKUPS {
            let Some(wanted) = step.wants.take() else { break };
            self.look_up(wanted, knowledge).await;
            step = dialogue.step(state, input, &self.view(knowledge));
        }
        origin.settle_debts(&mut step);
        step
    }

    async fn look_up(&self, wanted: Lookup, knowledge: &mut Knowledge) {
        match wanted {
            Lookup::Openings => knowledge.openings = Some(self.openings().await),
            Lookup::Claim { number } => knowledge.claim = Some(self.claim(&number).await),
        }
    }

    async fn openings(&self) -> Vec<Opening> {
        let slots = self.desk.store.free_slots(now(), OPENINGS).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "free times could not be read");
            Vec::new()
        });
        slots.into_iter().map(|slot| Opening { id: slot.id.0, starts: self.local(slot.starts_at) }).collect()
    }

    async fn claim(&self, number: &str) -> Option<ClaimRecord> {
        let claim = self.desk.store.claim(number).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "a claim could not be read");
            None
        })?;
        Some(ClaimRecord {
            status_text: claim.status_text,
            holder_name: claim.holder.name,
            date_of_birth: claim.holder.date_of_birth,
            phone: claim.holder.phone,
        })
    }

    fn view<'a>(&'a self, knowledge: &Knowledge) -> View<'a> {
        View {
            facts: &self.desk.facts,
            now: knowledge.local,
            seed: self.seed,
            likeness: knowledge.likeness.clone(),
            passages: knowledge.passages.clone(),
            topic: knowledge.topic.clone(),
            openings: knowledge.openings.clone(),
            claim: knowledge.claim.clone(),
        }
    }

    fn local(&self, at: DateTime<Utc>) -> NaiveDateTime {
        at.with_timezone(&self.desk.zone).naive_local()
    }

    // ------------------------------------------------------------ taking effect

    async fn commit(&mut self, turn: TurnId) {
        let Some(mut run) = self.run.take_if(|run| run.turn == turn && !run.committed) else { return };
        run.committed = true;
        self.unheard = None;
        if let TurnInput::Said { text } = &run.input {
            if run.origin.repeats {
                self.forget_last_words();
            }
            self.remember(Speaker::Caller, text.clone());
        }
        // Without effects the words need not wait for the books.
        let waits = !run.step.effects.is_empty();
        if !waits {
            self.emit_words(&mut run, true).await;
        }
        match self.write(&run).await {
            Ok(done) => run.step.settle(&done.references),
            Err(trouble) if waits => self.recover(&mut run, trouble).await,
            Err(_) => tracing::warn!("the ledger entry of a turn was not written"),
        }
        self.tools(&run).await;
        if waits {
            self.emit_words(&mut run, true).await;
        }
        self.state = run.step.state.clone();
        self.run = Some(run);
    }

    async fn write(&mut self, run: &Run) -> Result<Committed, Trouble> {
        let key = format!("{}/{}", self.brief.call, run.turn.0);
        let work = TurnWork {
            key,
            effects: &run.step.effects,
            note: &run.step.note,
            duration_ms: run.took_ms,
            patches: Vec::new(),
        };
        let done = self.write_work(work).await?;
        self.work_filed |= !done.references.is_empty();
        Ok(done)
    }

    async fn write_work(&mut self, work: TurnWork<'_>) -> Result<Committed, Trouble> {
        let at = now();
        let mut held = match self.passport.take() {
            Some(held) => held,
            None => effects::passport(&self.desk, &self.brief, at).await.map_err(|error| {
                tracing::error!(%error, "the passport could not be read");
                Trouble::NotSaved
            })?,
        };
        let done = effects::commit(&self.desk, &self.brief, &mut held, work, at).await;
        self.passport = Some(held);
        done
    }

    /// The effects failed: the words that promised them are replaced by an honest answer.
    async fn recover(&mut self, run: &mut Run, trouble: Trouble) {
        let filing: Option<Filing> = run.step.effects.iter().find_map(|e| match e {
            Effect::File(filing) => Some(filing.clone()),
            Effect::MarkUrgent { .. } => None,
        });
        for effect in &run.step.effects {
            self.send(ReplyEvent::Tool { turn: run.turn, name: tool_name(effect).to_owned(), ok: false })
                .await;
        }
        if filing.is_none() {
            // An emergency: where to turn was said already; only "I've marked this call" is not true.
            run.step.say.retain(|say| !say.promises);
            run.step.effects.clear();
            return;
        }
        run.knowledge.openings = Some(self.openings().await);
        let view = self.view(&run.knowledge);
        let instead = self.shared.dialogue.trouble(&run.origin.state, trouble, filing.as_ref(), &view);
        // What was said already stays said; the rest gives way.
        let mut say: Vec<Say> = run.step.say.drain(..run.said.min(run.step.say.len())).collect();
        say.extend(instead.say.iter().cloned());
        run.step = Step { say, effects: Vec::new(), ..instead };
    }

    async fn tools(&self, run: &Run) {
        for effect in &run.step.effects {
            self.send(ReplyEvent::Tool { turn: run.turn, name: tool_name(effect).to_owned(), ok: true })
                .await;
        }
        if !run.step.note.sources.is_empty() {
            self.send(ReplyEvent::Tool { turn: run.turn, name: "search_knowledge".to_owned(), ok: true })
                .await;
        }
    }

    // ------------------------------------------------------------ speaking

    /// Sends what may be said: all of it once committed, before that up to the first promise.
    async fn emit_words(&self, run: &mut Run, effects_done: bool) {
        let began = Instant::now();
        let upto = if effects_done { run.step.say.len() } else { speakable(&run.step) };
        while run.said < upto {
            let say = run.step.say[run.said].clone();
            let cut = if say.fixed || run.next_index > 0 { sentences(&say.text) } else { opening(&say.text) };
            for text in cut {
                let id = SegmentId { turn: run.turn, index: run.next_index };
                let first = run.next_index == 0;
                run.next_index += 1;
                self.send(ReplyEvent::Segment(ReplySegment { id, text, kind: say.kind, fixed: say.fixed }))
                    .await;
                if first {
                    self.stage(run.turn, Stage::FirstClause, began).await;
                }
            }
            run.said += 1;
        }
        if run.said == run.step.say.len() && !run.ended {
            run.ended = true;
            self.done(run.turn, run.step.expects, run.step.then).await;
        }
    }

    async fn done(&self, turn: TurnId, expects: Expectation, then: AfterReply) {
        self.send(ReplyEvent::Done { turn, expects, then }).await;
    }

    async fn stage(&self, turn: TurnId, stage: Stage, since: Instant) {
        let micros = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.send(ReplyEvent::Stage { turn, stage, micros }).await;
    }

    /// A closed event side means that the call is over; the command side says so too.
    async fn send(&self, event: ReplyEvent) {
        drop(self.events.send(event).await);
    }

    // ------------------------------------------------------------ closing

    /// Nothing told to us is lost: what was begun is filed as it is, and the passport says where the call stands.
    async fn close(mut self) {
        let effects: Vec<Effect> =
            self.shared.dialogue.unfinished(&self.state).into_iter().map(Effect::File).collect();
        let remains = self.work_filed || !effects.is_empty() || self.state.urgent;
        let mut patches = vec![Patch::CurrentAgent(remains.then(|| "back_office".to_owned()))];
        patches.push(Patch::Status(if remains { Status::InProgress } else { Status::Completed }));
        let lines = self
            .history
            .iter()
            .filter(|line| line.speaker == Speaker::Caller && !line.text.is_empty())
            .count();
        let did = if remains { "closed; handed to the back office" } else { "closed; nothing remains" };
        let note = Note {
            heard: format!("end of call after {lines} caller turns"),
            did: did.to_owned(),
            sources: Vec::new(),
        };
        let key = format!("{}/close", self.brief.call);
        let work = TurnWork { key, effects: &effects, note: &note, duration_ms: 0, patches };
        if self.write_work(work).await.is_err() {
            tracing::error!(call = %self.brief.call, "the end of a call was not written");
        }
    }
}

/// How many of the words may be said before the effects are durable.
fn speakable(step: &Step) -> usize {
    step.say.iter().position(|say| say.promises).unwrap_or(step.say.len())
}

fn passage(found: Found) -> Passage {
    Passage {
        source: found.source,
        title: found.title,
        text: found.text,
        relevance: found.relevance_score,
        front: found.front,
    }
}
