//! One conversation: commands in, segments out. Each turn is answered by the model, where there is one, or by the
//! built-in dialogue; both share what the call has in hand.

use std::sync::Arc;

use pipeline::ports::{CallBrief, Language, NotTaken, ReplyCommand, ReplyEvent, StaffWord, TurnInput};
use pipeline::turn::{Heard, TurnId};
use tokio::sync::mpsc;

use super::builtin::BuiltinRun;
use super::call_context::{Lines, People, Seat};
use super::desk::{Desk, Shared, now};
use super::discarded_replies::Unheard;
use super::effects::TurnWork;
use super::event_sender::Outbox;
use super::model::{Driver, Live, ModelRun, Moved, Next};
use super::office::Office;
use super::turn_writer::Books;
use dialogue::builtin::missing::Missing;
use dialogue::builtin::reminder::Reminded;
use dialogue::builtin::{Effect, Note, State};
use work::office;
use work::passport::{Patch, Status};

/// A reply under way.
enum Run {
    Builtin(Box<BuiltinRun>),
    Model(Box<ModelRun>),
}

impl Run {
    const fn turn(&self) -> TurnId {
        match self {
            Self::Builtin(run) => run.turn,
            Self::Model(run) => run.turn,
        }
    }

    const fn input(&self) -> &TurnInput {
        match self {
            Self::Builtin(run) => &run.input,
            Self::Model(run) => &run.input,
        }
    }

    const fn is_committed(&self) -> bool {
        match self {
            Self::Builtin(run) => run.committed,
            Self::Model(run) => run.committed,
        }
    }

    fn renumber(&mut self, turn: TurnId) {
        match self {
            Self::Builtin(run) => run.renumber(turn),
            Self::Model(run) => run.renumber(turn),
        }
    }
}

/// The task of one call.
pub(super) struct Call {
    seat: Seat,
    live: Option<Live>,
    run: Option<Run>,
    /// A committed reply of the dialogue's that was cancelled; how much of it was heard is not known yet.
    cut: Option<Box<BuiltinRun>>,
}

impl Call {
    pub(super) fn new(
        shared: Arc<Shared>,
        desk: Arc<Desk>,
        brief: CallBrief,
        events: mpsc::Sender<ReplyEvent>,
        driver: Option<&Driver>,
    ) -> Self {
        let office = Arc::new(Office::new(shared, desk, brief));
        let brief = &office.brief;
        let mut state = State::new(office.knows_caller()).speaking(brief.language, &brief.spoken);
        state.quiet_greeting = office.desk.facts.no_emergency_notice.contains(&brief.line);
        state.line.clone_from(&brief.line);
        state.outbound = brief.outbound;
        state.reminded = brief.reminder.clone().map(|reminder| Reminded {
            item: reminder.item,
            starts: reminder.starts,
            place: reminder.place,
            sure: reminder.sure,
            asks: 0,
        });
        state.missing = brief.follow_up.clone().map(|asked| Missing {
            item: asked.item,
            kind: asked.kind,
            on: asked.on,
            place: asked.place,
            details: asked.missing,
            sure: asked.sure,
            asks: 0,
            untold: false,
        });
        state.consent = brief.consent;
        state.can_transfer = brief.hand_over.is_possible;
        state.returned.clone_from(&brief.hand_over.returned);
        let returned = brief.hand_over.returned.iter().filter(|returned| returned.why != NotTaken::InLine);
        state.not_taken.extend(returned.map(|returned| returned.target.clone()));
        let live = driver.map(|driver| Live::new(driver, &office));
        let seat = Seat {
            out: Outbox::new(events, brief.language),
            books: Books::default(),
            state,
            unheard: None,
            asked_in: None,
            lines: Lines::default(),
            people: People::default(),
            office,
        };
        Self { seat, live, run: None, cut: None }
    }

    /// Until the command side is dropped; then the call is closed in the books.
    pub(super) async fn run(mut self, mut commands: mpsc::Receiver<ReplyCommand>) {
        if let Some(live) = &self.live {
            live.warm();
        }
        loop {
            tokio::select! {
                biased;
                command = commands.recv() => match command {
                    Some(command) => self.obey(command).await,
                    None => break,
                },
                moved = moved(&mut self.run) => self.go_on(moved).await,
            }
        }
        self.close().await;
    }

    async fn obey(&mut self, command: ReplyCommand) {
        match command {
            ReplyCommand::Start { turn, input, speculative } => self.start(turn, input, speculative).await,
            ReplyCommand::Commit { turn } => self.commit(turn).await,
            ReplyCommand::Cancel { turn } => self.cancel(turn).await,
            ReplyCommand::Heard(heard) => self.heard(heard),
            ReplyCommand::TakenBack { turn } => self.taken_back(turn).await,
            ReplyCommand::Language(language) => self.language_heard(language),
            // The built-in dialogue takes no instructions: what a person wants said there, they give as a line.
            // What a person noted when they gave the call back goes with whatever is filed.
            ReplyCommand::Told(word) => {
                if let StaffWord::Fact(note) = &word {
                    self.seat.state.keep_staff_note(note);
                }
                if let Some(live) = &mut self.live {
                    live.told(word);
                }
            }
            ReplyCommand::Overheard(words) => {
                let shown = self.seat.overhear(words).await;
                if let (Some(live), Some((who, text))) = (&mut self.live, shown) {
                    live.overheard(who, text);
                }
            }
        }
    }

    /// A model's run goes on by itself.
    async fn go_on(&mut self, moved: Moved) {
        match (self.run.take(), &mut self.live) {
            (Some(Run::Model(run)), Some(live)) => {
                // A no to "Is anyone in danger?": the model has both the question and what the caller said before.
                self.seat.state.doubt.clear();
                let next = live.moved(&mut self.seat, run, moved).await;
                self.follow(next).await;
            }
            (run, _) => self.run = run,
        }
    }

    async fn follow(&mut self, next: Next) {
        self.run = match next {
            Next::Goes(run) => Some(Run::Model(run)),
            Next::Over => None,
            Next::Builtin(mut run) => {
                let counts = run.noted;
                self.seat.emit_words(&mut run, false).await;
                if counts {
                    self.commit_builtin(&mut run).await;
                }
                Some(Run::Builtin(run))
            }
        };
    }

    // ------------------------------------------------------------ commands

    async fn start(&mut self, turn: TurnId, input: TurnInput, speculative: bool) {
        let same = self.run.take_if(|run| *run.input() == input && !run.is_committed());
        if let Some(old) = self.run.take() {
            self.leave(old).await;
        }
        let mut run = match same {
            // Said before, word for word: what is missing is the commit.
            Some(mut run) => {
                if run.turn() != turn {
                    run.renumber(turn);
                }
                run
            }
            None => self.begin(turn, input).await,
        };
        match &mut run {
            Run::Builtin(run) => self.seat.emit_words(run, false).await,
            Run::Model(run) => run.resend(&mut self.seat.out).await,
        }
        self.run = Some(run);
        if !speculative {
            self.commit(turn).await;
        }
    }

    async fn begin(&mut self, turn: TurnId, input: TurnInput) -> Run {
        if let Some(live) = &mut self.live {
            live.take_look();
        }
        let Some(live) = &self.live else {
            return Run::Builtin(Box::new(self.seat.prepare(turn, input).await));
        };
        let vector = self.seat.office.vector_of_danger(&input).await;
        if !live.answers(&self.seat, &input, vector.as_deref()) {
            return Run::Builtin(Box::new(self.seat.prepare(turn, input).await));
        }
        if Live::chooses_language(&self.seat, &input) {
            let run = self.seat.prepare(turn, input.clone()).await;
            if run.step.state.language != self.seat.state.language {
                return Run::Builtin(Box::new(run));
            }
        }
        Run::Model(Box::new(live.begin(&self.seat, turn, input).await))
    }

    async fn commit(&mut self, turn: TurnId) {
        match (self.run.take_if(|run| run.turn() == turn && !run.is_committed()), &mut self.live) {
            (Some(Run::Builtin(mut run)), _) => {
                self.commit_builtin(&mut run).await;
                self.run = Some(Run::Builtin(run));
            }
            (Some(Run::Model(run)), Some(live)) => {
                let next = live.commit(&mut self.seat, run).await;
                self.follow(next).await;
            }
            (Some(Run::Model(_)) | None, _) => {}
        }
    }

    async fn commit_builtin(&mut self, run: &mut BuiltinRun) {
        self.seat.commit_builtin(run).await;
        if let Some(live) = &mut self.live {
            live.note_builtin(run, self.seat.state.language);
        }
    }

    async fn cancel(&mut self, turn: TurnId) {
        self.seat.out.cancelled(turn);
        self.cut = None;
        match self.run.take_if(|run| run.turn() == turn) {
            Some(Run::Builtin(run)) if run.committed => self.cut = Some(run),
            Some(run) => self.leave(run).await,
            None => {}
        }
        if let Some(live) = &mut self.live {
            live.cancelled(turn);
        }
    }

    /// Drops a run. What a model cost is told in any case.
    async fn leave(&mut self, run: Run) {
        match (run, &mut self.live) {
            (Run::Builtin(mut run), _) => {
                let speculative = !run.committed;
                run.spent.report(&self.seat.out, run.turn, speculative).await;
            }
            (Run::Model(run), Some(live)) => live.leave(&mut self.seat, run).await,
            (Run::Model(_), None) => {}
        }
    }

    fn heard(&mut self, heard: Heard) {
        // What was cut before it was heard is not asked.
        if !heard.complete && self.seat.asked_in.take_if(|turn| *turn == heard.turn).is_some() {
            self.seat.state.asking.clear();
        }
        let cut = self.cut.take_if(|run| run.turn == heard.turn);
        if !heard.text.is_empty() {
            // What was cut by mistake may be resumed under another number: then it was heard after all.
            self.seat.unheard.take_if(|unheard: &mut Unheard| unheard.is_told_by(&heard.text));
        } else if let Some(run) = cut.filter(|_| !heard.complete) {
            self.seat.unheard = Some(run.unheard());
        }
        if let Some(live) = &mut self.live {
            live.heard(&heard);
        }
        self.seat.lines.agent_said(&heard.text);
    }

    /// The caller goes on with this turn. A model's exchange counts as unheard since it was cancelled; what the dialogue
    /// did is undone where that can be.
    async fn taken_back(&mut self, turn: TurnId) {
        if let Some(run) = self.cut.take_if(|run| run.turn == turn) {
            self.seat.unheard = Some(self.seat.take_back(*run).await);
        }
    }

    fn language_heard(&mut self, language: Language) {
        let dialogue = &self.seat.office.shared.dialogue;
        self.seat.state = dialogue.language_heard(&self.seat.state, language);
        if let Some(live) = &mut self.live {
            live.language_heard(language, &self.seat.office.brief.spoken);
        }
    }

    // ------------------------------------------------------------ closing

    /// Nothing told to us is lost: what was begun is filed as it is, and the passport says where the call stands.
    async fn close(mut self) {
        if let Some(run) = self.run.take() {
            self.leave(run).await;
        }
        let seat = &mut self.seat;
        let mut filings = seat.office.shared.dialogue.unfinished(&seat.state);
        filings.extend(self.live.as_ref().and_then(|live| live.unfinished(seat)));
        let effects: Vec<Effect> = filings.into_iter().map(Effect::File).collect();
        let owed = match &mut self.live {
            Some(live) => live.close_look(seat).await,
            None => false,
        };
        // What a person and the caller agreed on is for somebody to see to, whatever was filed before.
        let noted = seat.office.brief.hand_over.notes;
        let remains = owed || seat.books.filed || !effects.is_empty() || seat.state.urgent || noted;
        let patches = vec![
            Patch::CurrentAgent(remains.then(|| "back_office".to_owned())),
            Patch::Status(if remains { Status::InProgress } else { Status::Completed }),
        ];
        let lines = seat.lines.of_caller().count();
        let did = if remains { "closed; handed to the back office" } else { "closed; nothing remains" };
        let did = seat.people.beside(did).unwrap_or_else(|| did.to_owned());
        let note =
            Note { heard: format!("end of call after {lines} caller turns"), did, sources: Vec::new() };
        let key = format!("{}/close", seat.office.writes());
        let passport = seat.office.brief.passport;
        let jobs = if remains { vec![office::work_job(passport, now())] } else { Vec::new() };
        let work = TurnWork {
            key,
            effects: &effects,
            note: &note,
            duration_ms: 0,
            tokens: 0,
            patches,
            about: None,
            jobs,
            outbox: Vec::new(),
        };
        if seat.books.write(&seat.office, work).await.is_err() {
            tracing::error!(call = %seat.office.brief.call, "the end of a call was not written");
        }
    }
}

/// The next thing that happens to a model's run; never, where there is none.
async fn moved(run: &mut Option<Run>) -> Moved {
    match run {
        Some(Run::Model(run)) if run.is_moving() => run.moved().await,
        _ => std::future::pending().await,
    }
}
