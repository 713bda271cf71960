//! One reply of a model under way: what it said, what it asked tools, what it waits for.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use pipeline::latency::Stage;
use pipeline::ports::{AfterReply, Language, Screen, TurnInput};
use pipeline::turn::{Expectation, ReplySegment, SegmentId, SegmentKind, TurnId};
use serde_json::Value;
use tokio::time::{Instant, sleep_until};

use super::super::event_sender::{Outbox, Spent, attention};
use super::clock::Clock;
use super::gate::{About, Gate, Passed, caller_words};
use super::history::{Beginning, Exchange};
use super::memory::Memory;
use super::pages::Pages;
use super::phrases::Phrase;
use super::reads::Found;
use super::speech::{Checked, Speech, checked};
use super::topic;
use dialogue::builtin::{MIN_RELEVANCE, Passage};
use language::intents::QUESTION;
use models::conversation::{Message, Opaque, ToolCall, ToolResult};
use models::model::{ModelEvent, ModelStream};
use work::tools::remote::outside::Offered;
use work::tools::{Asked, Outcome, registry};

/// Silence of a model after which it counts as failed. Providers have shorter deadlines of their own; this one is
/// for an adapter that broke them, and ends before the session apologises.
const STALL: Duration = Duration::from_secs(6);
/// A look-up that takes longer is told to the session.
const SLOW: Duration = Duration::from_millis(300);
const CANCELLED: &str = "Cancelled: the caller spoke on before it was done.";

/// What a run waits for.
pub(super) enum Phase {
    /// The model's next words.
    Answer { stream: ModelStream, deadline: Instant, touches: u64 },
    /// A look-up.
    Reading { work: Reading, call: ToolCall, asked: Asked, slow_at: Instant, told: bool },
    /// A tool with an effect: the commit.
    Waiting,
    /// Nothing: everything was said, or stands ready to be.
    Over,
}

pub(super) type Reading = Pin<Box<dyn Future<Output = Found> + Send>>;

/// What moved a run.
pub(crate) enum Moved {
    Event(ModelEvent),
    /// The stream ended without a word of why.
    Ended,
    Stalled,
    Read(Found),
    Slow,
}

/// One segment with what decides when it may go.
#[derive(Clone)]
struct Line {
    text: String,
    kind: SegmentKind,
    fixed: bool,
    language: Language,
}

language::shown!(Line, "Line": kind, fixed, language; text);

pub(crate) struct ModelRun {
    pub(crate) turn: TurnId,
    pub(crate) input: TurnInput,
    pub(crate) committed: bool,
    pub(super) beginning: Beginning,
    pub(super) exchange: Exchange,
    pub(super) memory: Memory,
    /// What may be spoken and done.
    pub(super) gate: Gate,
    pub(super) phase: Phase,
    speech: Speech,
    /// Words of the answer under way, with tokens.
    answer: Vec<String>,
    /// Calls of the answer under way.
    pub(super) asked: Vec<ToolCall>,
    /// Calls still to be done, and the results of those that are.
    pub(super) todo: VecDeque<ToolCall>,
    results: Vec<ToolResult>,
    pub(super) calls: usize,
    pub(super) rounds: usize,
    lines: Vec<Line>,
    sent: usize,
    pub(super) done: Option<(Expectation, AfterReply)>,
    announced: bool,
    pub(super) after: AfterReply,
    /// References that this turn gave and that must be told.
    pub(super) owed: Vec<String>,
    /// The turn marked the call as urgent.
    pub(super) urgent: bool,
    /// Languages in which this turn says who speaks.
    pub(super) noticed: Vec<Language>,
    /// Tools that were used before the commit.
    used: Vec<(String, bool)>,
    /// What they were used for.
    pub(super) topic: Option<&'static str>,
    /// Tools of servers outside that the model was told of.
    pub(super) outside: Arc<[Offered]>,
    /// The session was told that a tool takes its time.
    busy: bool,
    /// Passages that the model was shown.
    pub(super) shown: Vec<Passage>,
    /// The same for the judge, where replies are judged.
    pub(super) pages: Pages,
    /// The run begins with a correction of this turn.
    pub(super) corrects: Option<TurnId>,
    /// Lines that were ours before the model said anything: a notice, and the correction.
    opening: usize,
    pub(super) clock: Clock,
    pub(super) spent: Spent,
}

impl ModelRun {
    pub(super) fn new(
        turn: TurnId,
        input: TurnInput,
        beginning: Beginning,
        exchange: Exchange,
        memory: Memory,
        gate: Gate,
        began: Instant,
    ) -> Self {
        Self {
            turn,
            input,
            committed: false,
            beginning,
            exchange,
            memory,
            gate,
            phase: Phase::Over,
            speech: Speech::default(),
            answer: Vec::new(),
            asked: Vec::new(),
            todo: VecDeque::new(),
            results: Vec::new(),
            calls: 0,
            rounds: 0,
            lines: Vec::new(),
            sent: 0,
            done: None,
            announced: false,
            after: AfterReply::Listen,
            owed: Vec::new(),
            urgent: false,
            noticed: Vec::new(),
            used: Vec::new(),
            topic: None,
            outside: Arc::default(),
            busy: false,
            shown: Vec::new(),
            pages: Pages::default(),
            corrects: None,
            opening: 0,
            clock: Clock::new(began),
            spent: Spent::default(),
        }
    }

    /// The same run under another number: its segments are new.
    pub(crate) fn renumber(&mut self, turn: TurnId) {
        self.turn = turn;
        self.sent = 0;
        self.announced = false;
        self.exchange.renumber(turn);
    }

    /// The words the model is asked for now.
    pub(super) fn await_answer(&mut self, stream: ModelStream) {
        self.rounds += 1;
        self.clock.enter(Stage::LlmFirstToken);
        if self.rounds == 1 {
            self.clock.forget();
        }
        self.spent.add(stream.tally.clone());
        let touches = stream.tally.touches();
        self.phase = Phase::Answer { stream, deadline: Instant::now() + STALL, touches };
    }

    pub(super) fn await_reading(&mut self, call: ToolCall, asked: Asked, work: Reading) {
        self.phase = Phase::Reading { work, call, asked, slow_at: Instant::now() + SLOW, told: false };
    }

    /// Whether anything can move this run by itself.
    pub(crate) const fn is_moving(&self) -> bool {
        matches!(self.phase, Phase::Answer { .. } | Phase::Reading { .. })
    }

    /// The next thing that happens to it. Safe to drop and call again.
    pub(crate) async fn moved(&mut self) -> Moved {
        match &mut self.phase {
            Phase::Answer { stream, deadline, touches } => loop {
                tokio::select! {
                    biased;
                    event = stream.events.recv() => {
                        *deadline = Instant::now() + STALL;
                        return event.map_or(Moved::Ended, Moved::Event);
                    }
                    () = sleep_until(*deadline) => {
                        let now = stream.tally.touches();
                        if now == *touches {
                            return Moved::Stalled;
                        }
                        // A long tool input is on its way.
                        *touches = now;
                        *deadline = Instant::now() + STALL;
                    }
                }
            },
            Phase::Reading { work, slow_at, told, .. } => tokio::select! {
                biased;
                found = work => Moved::Read(found),
                () = sleep_until(*slow_at), if !*told => {
                    *told = true;
                    Moved::Slow
                }
            },
            Phase::Waiting | Phase::Over => std::future::pending().await,
        }
    }

    // ------------------------------------------------------------ speaking

    /// More of the answer. `true` for its first words.
    pub(super) async fn hear(&mut self, text: &str, out: &mut Outbox) -> bool {
        let first = !std::mem::replace(&mut self.clock.spoke, true);
        self.clock.hears();
        let segments = self.speech.push(text);
        self.say_all(segments, out).await;
        first
    }

    /// The answer is complete: its last words. Of one that was cut by its length, only whole sentences.
    pub(super) async fn hear_end(&mut self, cut: bool, out: &mut Outbox) {
        self.clock.hears();
        let mut segments = self.speech.finish();
        if cut && segments.last().is_some_and(|last| !last.ends_with(['.', '?', '!'])) {
            segments.pop();
        }
        self.say_all(segments, out).await;
        self.clock.enter(Stage::Orchestrator);
    }

    /// Begins with what puts an earlier turn right.
    pub(super) async fn correct(&mut self, turn: TurnId, words: &str) {
        self.corrects = Some(turn);
        for sentence in language::sentences(words) {
            self.take(&sentence).await;
        }
        self.opening = self.lines.len();
    }

    /// Puts a piece of the reply in line, as the rules let it pass.
    async fn take(&mut self, segment: &str) {
        match self.judged(segment).await {
            Passed::Speak => {
                let checked = checked(segment, &mut self.memory);
                self.add(checked);
            }
            Passed::Instead { text, fixed } => self.add_own(&text, fixed),
            Passed::Drop => {}
        }
    }

    async fn say_all(&mut self, segments: Vec<String>, out: &mut Outbox) {
        for segment in segments {
            let segment = self.pages.mend(&segment, self.memory.language).unwrap_or(segment);
            self.take(&segment).await;
        }
        self.flush(out).await;
    }

    /// What the rules make of a piece of the answer.
    async fn judged(&mut self, segment: &str) -> Passed {
        let Self { gate, memory, input, shown, urgent, .. } = self;
        let meant = gate.meant(segment, &memory.shown).await;
        let spoken = memory.language;
        let published = || published(shown, spoken);
        let caller_words = caller_words(input);
        let Memory { language, shown, named, redactor, .. } = memory;
        let about =
            About { language: *language, caller_words, shown, caller: named, is_emergency: *urgent, meant };
        gate.judge(segment, &about, redactor, published)
    }

    /// What the whole reply must say and does not.
    pub(super) fn lacking(&mut self) -> Vec<String> {
        let text = self.text();
        self.gate.lacks(&text, &about(&self.memory, &self.input, self.urgent))
    }

    /// Why a call may not take effect.
    pub(super) fn refusal(&mut self, call: &ToolCall, asked: &Asked) -> Option<String> {
        self.gate.refuses(call, asked, self.memory.language, self.urgent)
    }

    /// Says words of ours, a sentence a segment.
    pub(super) async fn say(&mut self, text: &str, fixed: bool, out: &mut Outbox) {
        self.add_own(text, fixed);
        self.flush(out).await;
    }

    fn add_own(&mut self, text: &str, fixed: bool) {
        for sentence in language::sentences(text) {
            self.add(Checked { kept: sentence.clone(), spoken: sentence, fixed });
        }
    }

    pub(super) async fn say_phrase(&mut self, phrase: Phrase, out: &mut Outbox) {
        self.say(phrase.text(self.memory.language), true, out).await;
    }

    fn add(&mut self, checked: Checked) {
        self.add_as(checked, SegmentKind::Reply);
    }

    fn add_as(&mut self, checked: Checked, kind: SegmentKind) {
        self.exchange.say(&checked.spoken);
        self.answer.push(checked.kept);
        let language = self.memory.language;
        self.lines.push(Line { text: checked.spoken, kind, fixed: checked.fixed, language });
    }

    /// Says who speaks and what is recorded, before the first words in another language.
    pub(super) fn notify(&mut self, notice: &str) {
        self.noticed.push(self.memory.language);
        for sentence in language::sentences(notice) {
            self.add_as(
                Checked { kept: sentence.clone(), spoken: sentence, fixed: true },
                SegmentKind::Notice,
            );
        }
    }

    /// Nothing but a notice.
    pub(super) fn said_nothing(&self) -> bool {
        self.lines.iter().all(|line| line.kind == SegmentKind::Notice)
    }

    /// Nothing that answers this turn: no more than a notice and what puts an earlier turn right.
    pub(super) fn answered_nothing(&self) -> bool {
        self.lines.iter().skip(self.opening).all(|line| line.kind == SegmentKind::Notice)
    }

    /// Segments that went out.
    pub(super) fn sent(&self) -> u16 {
        u16::try_from(self.sent).unwrap_or(u16::MAX)
    }

    /// Everything said or standing ready in this turn.
    pub(super) fn text(&self) -> String {
        self.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn spoken_length(&self) -> usize {
        self.lines.iter().map(|line| line.text.len()).sum()
    }

    /// Sends what stands ready, once more after a change of number.
    pub(crate) async fn resend(&mut self, out: &mut Outbox) {
        self.flush(out).await;
    }

    /// Sends what may be said. A change of language is an effect: voice and recogniser follow it.
    pub(super) async fn flush(&mut self, out: &mut Outbox) {
        while let Some(line) = self.lines.get(self.sent).cloned() {
            if !self.committed && !out.is_voiced(line.language) {
                return;
            }
            out.voice(self.turn, line.language).await;
            if self.sent == 0 {
                self.tell_stages(out).await;
            }
            let index = u16::try_from(self.sent).unwrap_or(u16::MAX);
            let id = SegmentId { turn: self.turn, index };
            let segment = ReplySegment { id, text: line.text.clone(), kind: line.kind, fixed: line.fixed };
            out.segment(segment).await;
            self.sent += 1;
        }
        if let Some((expects, then)) = self.done
            && !self.announced
        {
            self.announced = true;
            out.done(self.turn, expects, then).await;
        }
    }

    /// Tells where the time went since the model was asked: before the first words, and before somebody else answers.
    pub(super) async fn tell_stages(&mut self, out: &Outbox) {
        for (stage, took) in self.clock.take(self.gate.took()) {
            out.stage(self.turn, stage, took).await;
        }
    }

    // ------------------------------------------------------------ tools

    /// Puts the answer under way into the history, with the calls it ended in.
    pub(super) fn close_answer(&mut self, calls: &[ToolCall], opaque: Option<Opaque>) {
        self.gate.next_answer();
        let text = std::mem::take(&mut self.answer).join(" ");
        if text.is_empty() && calls.is_empty() {
            return;
        }
        let calls = calls.iter().map(|call| self.shown_call(call)).collect();
        self.exchange.push(Message::Agent { text, calls, opaque });
    }

    /// A call as it may be shown again: without personal data that the model had put together itself.
    pub(super) fn shown_call(&mut self, call: &ToolCall) -> ToolCall {
        ToolCall { input: screened(&call.input, &mut self.memory), ..call.clone() }
    }

    pub(super) async fn result(&mut self, call: &ToolCall, outcome: Outcome, out: &Outbox) {
        let known = work::tools::tool(&call.name);
        let outcome = work::tools::held_to_schema(known, outcome);
        let outside = self.outside.iter().find(|offered| *offered.shown == call.name);
        let name = match (known, outside) {
            (Some(known), _) => known.tool.name.clone(),
            (None, Some(offered)) => offered.known.tool.name.clone(),
            (None, None) => "unknown".to_owned(),
        };
        if outside.is_none() {
            registry::count(&name, if outcome.is_error { "error" } else { "ok" });
        }
        // What is done is what the turn is about; what was looked up on the way to it is not.
        if let Some(topic) = topic::of_tool(&name)
            && self.topic.is_none_or(|known| known == QUESTION)
        {
            self.topic = Some(topic);
        }
        self.used.push((name, !outcome.is_error));
        self.tell_tools(out).await;
        let content = self.memory.redactor.screen(&outcome.content);
        self.results.push(ToolResult { id: call.id.clone(), content, is_error: outcome.is_error });
    }

    /// Puts the results of an answer's calls into the history.
    pub(super) fn close_results(&mut self) {
        let results = std::mem::take(&mut self.results);
        if !results.is_empty() {
            self.exchange.push(Message::Results { results });
        }
    }

    /// Tools, and what guard and rules found, are told of once the turn counts.
    pub(super) async fn tell_tools(&mut self, out: &Outbox) {
        if self.committed {
            for (name, ok) in self.used.drain(..) {
                out.tool(self.turn, &name, ok).await;
                if let Some(reason) = attention(&name) {
                    out.attention(self.turn, reason).await;
                }
            }
            for alarm in self.memory.alarms.untold() {
                out.guard(self.turn, alarm).await;
            }
            for ruling in self.gate.rulings.untold(self.turn) {
                out.rule(ruling).await;
            }
        }
    }

    /// Tells the session that a look-up takes its time, or is done.
    pub(super) async fn tell_busy(&mut self, out: &Outbox) {
        let slow = matches!(self.phase, Phase::Reading { told: true, .. });
        if self.committed && slow != self.busy {
            self.busy = slow;
            out.busy(self.turn, slow).await;
        }
    }

    /// Ends the run where it stands: every call that was asked for gets an answer, and what was not said is no part of
    /// the history.
    pub(super) fn break_off(&mut self) {
        let asked = std::mem::take(&mut self.asked);
        self.close_answer(&asked, None);
        let reading = match std::mem::replace(&mut self.phase, Phase::Over) {
            Phase::Reading { call, .. } => Some(call),
            _ => None,
        };
        let open = reading.into_iter().chain(self.todo.drain(..)).chain(asked);
        let cancelled: Vec<ToolResult> = open
            .map(|call| ToolResult { id: call.id, content: CANCELLED.to_owned(), is_error: true })
            .collect();
        self.results.extend(cancelled);
        self.close_results();
        self.exchange.cut();
    }
}

fn about<'a>(memory: &'a Memory, input: &'a TurnInput, is_emergency: bool) -> About<'a> {
    let caller_words = caller_words(input);
    let Memory { language, shown, named, .. } = memory;
    About { language: *language, caller_words, shown, caller: named, is_emergency, meant: None }
}

/// The first sentence with an amount on the pages that this turn was shown, best page first.
fn published(shown: &[Passage], language: Language) -> Option<String> {
    let fits = shown.iter().filter(|p| p.relevance >= MIN_RELEVANCE && p.language() == language);
    fits.flat_map(|p| language::sentences(&p.text)).find(|sentence| governance::rules::names_amount(sentence))
}

fn screened(input: &Value, memory: &mut Memory) -> Value {
    match input {
        Value::String(text) => Value::String(memory.redactor.screen(text)),
        Value::Number(number) => {
            let text = number.to_string();
            let screened = memory.redactor.screen(&text);
            if screened == text { input.clone() } else { Value::String(screened) }
        }
        Value::Array(all) => Value::Array(all.iter().map(|v| screened(v, memory)).collect()),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(k, v)| (k.clone(), screened(v, memory))).collect())
        }
        Value::Null | Value::Bool(_) => input.clone(),
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
