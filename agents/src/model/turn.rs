//! How a model's turn goes on and ends: words, calls, results, failure, commit, cancel.

use std::sync::LazyLock;

use pipeline::ports::{AfterReply, ProviderNote, ProviderState, ReplyEvent, Screen, TurnInput};
use pipeline::provider::{Failure, Kind};
use pipeline::turn::{Expectation, SegmentKind};
use regex::Regex;

use super::super::builtin::BuiltinRun;
use super::super::call_context::Seat;
use super::super::effects::TurnWork;
use super::super::event_sender::Spent;
use super::act::{MAX_CALLS, MAX_ROUNDS, Worked};
use super::briefing;
use super::expects::expects;
use super::phrases::{self, Phrase};
use super::run::{ModelRun, Moved, Phase};
use super::second_look::{Look, LookNote};
use super::signals;
use super::speech::LONGEST_REPLY;
use super::topic;
use super::{Live, is_intake};
use dialogue::builtin::MIN_RELEVANCE;
use dialogue::builtin::state::Topic;
use dialogue::builtin::{Note, Say};
use models::conversation::{Conversation, Opaque};
use models::model::{ModelEvent, Stop};
use work::tools::Outcome;

/// A question for a PIN.
static CODE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(pin|code|código|clave|nip)\b").expect("clippy compiles every pattern")
});

/// What becomes of a run.
pub(crate) enum Next {
    Goes(Box<ModelRun>),
    /// The model failed before a word; the built-in dialogue answers.
    Builtin(Box<BuiltinRun>),
    Over,
}

impl Live {
    /// Something happened to the run.
    pub(crate) async fn moved(&mut self, seat: &mut Seat, mut run: Box<ModelRun>, moved: Moved) -> Next {
        match moved {
            Moved::Event(ModelEvent::Text(text)) => self.on_text(seat, &mut run, &text).await,
            Moved::Event(ModelEvent::Call(call)) => run.asked.push(call),
            Moved::Event(ModelEvent::Provider(note)) => seat.out.provider(note).await,
            Moved::Event(ModelEvent::Done { stop, opaque }) => {
                self.on_answer(seat, &mut run, stop, opaque).await;
            }
            Moved::Event(ModelEvent::Failed(failure)) => return self.failed(seat, run, &failure).await,
            Moved::Ended => {
                let failure = Failure::new(Kind::Closed, "the answer ended without an end");
                return self.failed(seat, run, &failure).await;
            }
            Moved::Stalled => return self.failed(seat, run, &Failure::stalled("no sign of an answer")).await,
            Moved::Slow => run.tell_busy(&seat.out).await,
            Moved::Read(found) => {
                self.take_reading(seat, &mut run, found).await;
                self.go_on(seat, &mut run).await;
            }
        }
        self.next(seat, run).await
    }

    /// A committed run that is over is put on the books.
    async fn next(&mut self, seat: &mut Seat, run: Box<ModelRun>) -> Next {
        if run.committed && run.done.is_some() {
            self.settle(seat, *run).await;
            return Next::Over;
        }
        Next::Goes(run)
    }

    async fn on_text(&mut self, seat: &mut Seat, run: &mut ModelRun, text: &str) {
        if run.hear(text, &mut seat.out).await && std::mem::take(&mut self.down) {
            let provider = self.driver.model.name().to_owned();
            let reason = "answers again".to_owned();
            let note = ProviderNote { provider, state: ProviderState::Recovered, reason, delay_ms: 0 };
            seat.out.provider(note).await;
        }
        if run.spoken_length() > LONGEST_REPLY {
            run.asked.clear();
            self.finish(seat, run).await;
        }
    }

    async fn on_answer(&mut self, seat: &mut Seat, run: &mut ModelRun, stop: Stop, opaque: Option<Opaque>) {
        run.hear_end(stop == Stop::Length, &mut seat.out).await;
        let mut calls = std::mem::take(&mut run.asked);
        if stop == Stop::Refusal {
            calls.clear();
            if run.answered_nothing() {
                run.say_phrase(Phrase::Refused, &mut seat.out).await;
            }
        }
        run.close_answer(&calls, opaque);
        if calls.is_empty() {
            return self.finish(seat, run).await;
        }
        run.calls += calls.len();
        run.todo = calls.into();
        if run.calls > MAX_CALLS {
            while let Some(call) = run.todo.pop_front() {
                let outcome = Outcome::error("Not done: too many tool calls for one turn.");
                run.result(&call, outcome, &seat.out).await;
            }
            run.close_results();
            return self.give_up(seat, run).await;
        }
        self.go_on(seat, run).await;
    }

    /// Does what tool calls are left, then asks the model again.
    async fn go_on(&mut self, seat: &mut Seat, run: &mut ModelRun) {
        if self.work(seat, run).await == Worked::NotYet {
            return;
        }
        if run.after == AfterReply::HangUp {
            return self.finish(seat, run).await;
        }
        if run.rounds >= MAX_ROUNDS {
            return self.give_up(seat, run).await;
        }
        run.flush(&mut seat.out).await;
        self.ask(run);
    }

    async fn give_up(&mut self, seat: &mut Seat, run: &mut ModelRun) {
        run.say_phrase(Phrase::TooMuch, &mut seat.out).await;
        self.finish(seat, run).await;
    }

    /// Everything was said. What the caller must know and was not told is told here.
    async fn finish(&mut self, seat: &mut Seat, run: &mut ModelRun) {
        run.phase = Phase::Over;
        let text = run.text();
        let untold: Vec<String> = run.owed.iter().filter(|r| !tells(&text, r)).cloned().collect();
        if !untold.is_empty() {
            let words = phrases::reference(run.memory.language, &untold);
            run.say(&words, false, &mut seat.out).await;
        }
        if run.answered_nothing() {
            let phrase = match (run.after, run.urgent) {
                (_, true) => Phrase::Danger,
                (AfterReply::HangUp, _) => Phrase::Goodbye,
                _ => Phrase::Nothing,
            };
            run.say_phrase(phrase, &mut seat.out).await;
        }
        for words in run.lacking() {
            run.say(&words, true, &mut seat.out).await;
        }
        run.memory.served |= !run.shown.is_empty() || !run.owed.is_empty();
        let language = run.memory.language;
        let told = run.memory.told_911 || seat.state.told_911;
        let served = run.memory.served || seat.state.served;
        let dialogue = &seat.office.shared.dialogue;
        let notice = dialogue.owed_to_unhelped(language, &run.text(), served).filter(|_| !told);
        if let Some(notice) = notice.map(str::to_owned) {
            run.memory.told_911 = true;
            run.say(&notice, true, &mut seat.out).await;
        }
        run.tell_tools(&seat.out).await;
        run.close_answer(&[], None);
        let expects = self.expected(run);
        run.done = Some((expects, run.after));
        run.flush(&mut seat.out).await;
    }

    fn expected(&self, run: &ModelRun) -> Expectation {
        let text = run.text();
        let code = run.memory.pin_for.is_some() && CODE.is_match(&text);
        if code { Expectation::Secret } else { expects(&text) }
    }

    // ------------------------------------------------------------ failure

    async fn failed(&mut self, seat: &mut Seat, mut run: Box<ModelRun>, failure: &Failure) -> Next {
        tracing::warn!(kind = failure.kind.name(), "a language model failed in a turn");
        if !run.said_nothing() {
            run.asked.clear();
            run.say_phrase(Phrase::AskRest, &mut seat.out).await;
            self.finish(seat, &mut run).await;
            return self.next(seat, run).await;
        }
        if run.exchange.acted {
            self.finish(seat, &mut run).await;
            return self.next(seat, run).await;
        }
        if !self.driver.builtin_as_fallback {
            let reason = format!("language model: {}", failure.kind.name());
            seat.out.send(ReplyEvent::Failed { turn: run.turn, reason }).await;
            run.asked.clear();
            self.leave(seat, run).await;
            return Next::Over;
        }
        Next::Builtin(self.hand_over(seat, *run, failure).await)
    }

    /// The built-in dialogue answers in the model's place.
    async fn hand_over(&mut self, seat: &mut Seat, mut run: ModelRun, failure: &Failure) -> Box<BuiltinRun> {
        self.down = true;
        let delay_ms = u32::try_from(run.clock.began.elapsed().as_millis()).unwrap_or(u32::MAX);
        seat.out
            .provider(ProviderNote {
                provider: "builtin".to_owned(),
                state: ProviderState::TookOver,
                reason: failure.kind.name().to_owned(),
                delay_ms,
            })
            .await;
        if run.sent() > 0 {
            // The notice of a change of language went out: the dialogue need not give it again.
            let state = &mut seat.state;
            (state.language, state.heard) = (run.memory.language, None);
            state.noticed.append(&mut run.noticed);
        }
        run.tell_stages(&seat.out).await;
        let mut instead = seat.prepare(run.turn, run.input.clone()).await;
        instead.go_on_from(run.sent());
        instead.spent = std::mem::take(&mut run.spent);
        // The same words, and whatever came from elsewhere; what was told once is not told again.
        instead.alarms = std::mem::take(&mut run.memory.alarms);
        instead.rulings.absorb(std::mem::take(&mut run.gate.rulings));
        instead.noted = run.committed;
        if run.committed {
            self.memory = run.memory;
        }
        Box::new(instead)
    }

    // ------------------------------------------------------------ what counts

    /// The turn really ended with this input: the run may take effect.
    pub(crate) async fn commit(&mut self, seat: &mut Seat, mut run: Box<ModelRun>) -> Next {
        self.staff.was_told();
        run.committed = true;
        if let Some(corrected) = run.corrects {
            self.look.tell(corrected, run.turn);
        }
        self.history.take_back(&run.beginning);
        self.wanted = None;
        if let TurnInput::Said { text, .. } = &run.input {
            seat.lines.caller_said(text, run.beginning.repeats);
        }
        run.tell_tools(&seat.out).await;
        run.flush(&mut seat.out).await;
        run.tell_busy(&seat.out).await;
        if matches!(run.phase, Phase::Waiting) {
            self.go_on(seat, &mut run).await;
        }
        self.next(seat, run).await
    }

    /// The run is dropped. What it cost is told either way.
    pub(crate) async fn leave(&mut self, seat: &mut Seat, mut run: Box<ModelRun>) {
        if run.committed {
            run.break_off();
            run.tell_busy(&seat.out).await;
            self.settle(seat, *run).await;
        } else {
            let turn = run.turn;
            let mut spent = std::mem::take(&mut run.spent);
            // The answer's stream goes first, so that nothing more is counted.
            drop(run);
            spent.report(&seat.out, turn, true).await;
        }
    }

    /// Puts a committed run on the books: its exchange, what it learned, what it cost.
    async fn settle(&mut self, seat: &mut Seat, mut run: ModelRun) {
        let text = run.text();
        let took = run.clock.began.elapsed();
        let topic = topic::Turn::of(&run).asked(seat).await;
        let note = Note {
            heard: topic.unwrap_or_else(|| heard(&run.input).to_owned()),
            did: run
                .gate
                .rulings
                .beside(&run.memory.alarms.beside(&answered(self.driver.model.name(), &run), "neutralised")),
            sources: cited(&run, &text),
        };
        run.phase = Phase::Over;
        let tokens = run.spent.tokens();
        run.spent.report(&seat.out, run.turn, false).await;
        if let Some((expects, _)) = run.done {
            self.open_intake = is_intake(expects, &text);
        }
        run.memory.misses = signals::misses(run.memory.misses, &text);
        let (language, misses) = (run.memory.language, run.memory.misses);
        let words = if let TurnInput::Said { text, .. } = &run.input { text.as_str() } else { "" };
        for reason in signals::reasons(&seat.office.shared.dialogue, language, words, misses) {
            seat.out.attention(run.turn, reason).await;
        }
        follow(seat, &run, text);
        let work = TurnWork {
            key: format!("{}/{}", seat.office.writes(), run.turn.0),
            effects: &[],
            note: &note,
            duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            tokens,
            patches: Vec::new(),
            about: None,
            jobs: Vec::new(),
            outbox: Vec::new(),
        };
        if seat.books.write(&seat.office, work).await.is_err() {
            tracing::warn!("the ledger entry of a turn was not written");
        }
        self.look_again(seat, &mut run).await;
        self.memory = run.memory;
        self.history.push(run.exchange);
    }

    /// Has a finished reply judged, beside the call; and writes what earlier looks found.
    async fn look_again(&mut self, seat: &mut Seat, run: &mut ModelRun) {
        self.look.collect();
        self.write_notes(seat).await;
        let Some(looker) = self.driver.looker.clone().filter(|_| run.done.is_some()) else { return };
        let reply = run.exchange.reply();
        if reply.is_empty() {
            return;
        }
        let question = match &run.input {
            TurnInput::Said { text, .. } => run.memory.redactor.screen(text),
            _ => String::new(),
        };
        let messages = self.history.messages(usize::MAX, &run.exchange);
        let conversation =
            Conversation { system: briefing::SYSTEM.to_owned(), briefing: self.briefing.clone(), messages };
        let (model, tools) = (self.driver.model.clone(), self.tools.clone());
        let (turn, earlier) = (run.turn, self.history.replies());
        let encoder = seat.office.shared.retriever.embedder().cloned();
        self.look.begin(Look { turn, reply, question, conversation, earlier, model, tools, looker, encoder });
    }

    /// Puts on the books what looks found, and what they cost.
    async fn write_notes(&mut self, seat: &mut Seat) {
        for (turn, tally) in self.look.spent() {
            let mut spent = Spent::default();
            spent.add(tally);
            spent.report(&seat.out, turn, false).await;
        }
        while let Some(LookNote { key, did, patches }) = self.look.next_note() {
            let note = Note { heard: "second look".to_owned(), did, sources: Vec::new() };
            let key = format!("{}/{key}", seat.office.writes());
            let work = TurnWork {
                key,
                effects: &[],
                note: &note,
                duration_ms: 0,
                tokens: 0,
                patches,
                about: None,
                jobs: Vec::new(),
                outbox: Vec::new(),
            };
            if seat.books.write(&seat.office, work).await.is_err() {
                tracing::error!("what a second look found was not written");
            }
        }
    }

    /// What the next turn may begin with.
    pub(crate) fn take_look(&mut self) {
        self.look.collect();
    }

    /// The call is over. True when a reply is left to be put right by the back office.
    pub(crate) async fn close_look(&mut self, seat: &mut Seat) -> bool {
        let owed = self.look.close().await;
        self.write_notes(seat).await;
        owed
    }
}

/// Who answered, and whether the pages had to.
fn answered(model: &str, run: &ModelRun) -> String {
    match run.pages.mended() {
        0 => format!("answered by {model}"),
        _ => format!("answered by {model}; a sentence that a page contradicts was replaced by the page's"),
    }
}

/// The built-in dialogue's memory follows, so that it can go on from here: what was said last, and about what. Its own
/// questions are no longer the ones that are open.
fn follow(seat: &mut Seat, run: &ModelRun, text: String) {
    if let Some(unheard) = seat.unheard.take() {
        seat.state = unheard.origin(&seat.state, &run.input).state;
    }
    let state = &mut seat.state;
    let language = run.memory.language;
    (state.emergency, state.prompted, state.holding) = (false, false, false);
    (state.misses, state.unanswered) = (0, 0);
    (state.pending, state.heard, state.language) = (None, None, language);
    if run.done.is_some() {
        state.noticed.extend(&run.noticed);
    }
    state.claim_tries = state.claim_tries.max(run.memory.claim_tries);
    state.pin_tries = state.pin_tries.max(run.memory.pin_tries);
    if let Some(best) = run.shown.iter().find(|p| p.relevance >= MIN_RELEVANCE) {
        state.topic = Some(Topic { source: best.source.clone(), read: Vec::new(), rest: Vec::new() });
    }
    if !text.is_empty() {
        state.last =
            vec![Say { text, ours: None, kind: SegmentKind::Reply, fixed: false, promises: false, language }];
        state.last_expects = run.done.map_or(Expectation::Open, |(expects, _)| expects);
    }
}

/// Documents that the answer names.
fn cited(run: &ModelRun, text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let mut sources: Vec<String> = run
        .shown
        .iter()
        .filter(|p| {
            let spoken = p.front.spoken.as_deref().unwrap_or(&p.title).to_lowercase();
            let name = spoken.trim_start_matches("the ").trim_end_matches(" page");
            !name.is_empty() && text.contains(name)
        })
        .map(|p| p.source.clone())
        .collect();
    sources.dedup();
    sources
}

/// What the turn was, in words that are safe to show.
const fn heard(input: &TurnInput) -> &'static str {
    match input {
        TurnInput::Said { .. } => "speech",
        TurnInput::Digits { .. } => "keys",
        TurnInput::Secret(_) => "a code",
        TurnInput::Opened => "opened",
        TurnInput::Silence { .. } => "silence",
        TurnInput::Unintelligible => "a sound",
        TurnInput::Returned(_) => "came back",
        TurnInput::InLine(_) => "in line",
        TurnInput::YourTurn { .. } => "their turn",
        TurnInput::Answered { .. } => "an answer of the office",
        TurnInput::Unanswered => "no answer of the office",
        TurnInput::GivenBack => "given back",
    }
}

/// Whether words hold a reference, in digits at least.
fn tells(text: &str, reference: &str) -> bool {
    let digits = |t: &str| t.chars().filter(char::is_ascii_digit).collect::<String>();
    let number = digits(reference);
    text.contains(reference) || (!number.is_empty() && digits(text).contains(&number))
}
