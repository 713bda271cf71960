//! One call's recognition over the list of providers.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};

use super::kept::Kept;
use pipeline::ports::{Hearing, ProviderNote, ProviderState, SpeechToText, SttCommand, SttEvent, SttStream};
use pipeline::provider::{Failure, Kind, Ranked, retry};

/// A connection that lived this long may be tried again before anybody else is.
const PROVEN: Duration = Duration::from_secs(5);
/// Longest wait for a preferred provider to come up beside the one that serves.
const TRIAL: Duration = Duration::from_secs(3);

/// Longest time for telling a recogniser what it missed.
const TELL: Duration = Duration::from_secs(1);

/// A recogniser that is open.
struct Active {
    index: usize,
    stream: SttStream,
    since: Instant,
}

pub(super) struct Call {
    ranked: Ranked<dyn SpeechToText>,
    rest: Duration,
    hearing: Hearing,
    outbox: mpsc::Sender<SttEvent>,
    kept: Kept,
    active: Option<Active>,
    /// A better one that is being brought up between utterances.
    trial: Option<Active>,
    /// The better one is up and waits for the end of the utterance.
    trial_ready: bool,
    /// When to try again, while nobody serves.
    down: Option<Instant>,
    /// Times the whole list failed since words last came.
    rounds: usize,
    /// Providers that failed since the last one that worked.
    tried: Vec<usize>,
    /// The provider that is to be named when the next one's first words come, and since when.
    lost: Option<Instant>,
    /// When each provider failed last in this call: it is not brought back at once.
    failed_at: Vec<Option<Instant>>,
    /// The same provider was asked once more already.
    again: bool,
    /// The last provider whose words came.
    served: Option<usize>,
}

/// What ended the wait.
enum Happened {
    Command(Option<SttCommand>),
    Event(Option<SttEvent>),
    Trial(Option<SttEvent>),
    TrialOver,
    RetryDue,
}

impl Call {
    pub(super) fn new(
        ranked: Ranked<dyn SpeechToText>,
        rest: Duration,
        hearing: Hearing,
        outbox: mpsc::Sender<SttEvent>,
    ) -> Self {
        Self {
            ranked,
            rest,
            hearing,
            outbox,
            kept: Kept::default(),
            active: None,
            trial: None,
            trial_ready: false,
            down: None,
            rounds: 0,
            tried: Vec::new(),
            lost: None,
            failed_at: Vec::new(),
            again: false,
            served: None,
        }
    }

    /// Until the call drops its commands, or nobody is left.
    pub(super) async fn run(mut self, mut inbox: mpsc::Receiver<SttCommand>) {
        if self.open_next().await.is_err() {
            return;
        }
        loop {
            let done = match self.next(&mut inbox).await {
                Happened::Command(None) => return,
                Happened::Command(Some(command)) => self.command(command).await,
                Happened::Event(event) => self.event(event).await,
                Happened::Trial(event) => self.trial_event(event).await,
                Happened::TrialOver => {
                    self.trial_failed(Kind::Stalled).await;
                    Ok(())
                }
                Happened::RetryDue => {
                    self.tried.clear();
                    self.open_next().await
                }
            };
            if done.is_err() {
                return;
            }
        }
    }

    async fn next(&mut self, inbox: &mut mpsc::Receiver<SttCommand>) -> Happened {
        let retry = self.down;
        let trial_over = self.trial.as_ref().filter(|_| !self.trial_ready).map(|t| t.since + TRIAL);
        tokio::select! {
            biased;
            event = received(&mut self.active) => Happened::Event(event),
            event = received(&mut self.trial) => Happened::Trial(event),
            command = inbox.recv() => Happened::Command(command),
            () = sleep_until(trial_over.unwrap_or_else(Instant::now)), if trial_over.is_some() => Happened::TrialOver,
            () = sleep_until(retry.unwrap_or_else(Instant::now)), if retry.is_some() => Happened::RetryDue,
        }
    }

    async fn command(&mut self, command: SttCommand) -> Result<(), ()> {
        self.kept.note(&command);
        if let SttCommand::Language(language) = command {
            self.hearing.language = language;
            return self.change_language(command).await;
        }
        let ended = matches!(command, SttCommand::Ended { .. });
        if let Some(trial) = &self.trial {
            let _ = trial.stream.commands.try_send(command.clone());
        }
        let audio = matches!(command, SttCommand::Audio(_));
        if let Some(active) = &self.active
            && let Err(mpsc::error::TrySendError::Full(_)) = active.stream.commands.try_send(command)
            && !audio
        {
            // Closed explains itself by its last event. Full means that nobody takes anything: the next one may.
            self.lose(Failure::stalled("takes no more commands")).await?;
        }
        if ended {
            self.tried.clear();
            self.again = false;
            if self.trial_ready {
                self.switch_back().await;
            } else {
                self.bring_back().await;
            }
        }
        Ok(())
    }

    /// An engine that hears several languages is told; another is opened anew.
    async fn change_language(&mut self, command: SttCommand) -> Result<(), ()> {
        if let Some(active) = &self.active
            && self.hearing.languages.len() > 1
            && self.ranked.members()[active.index].provider.hears_several()
        {
            let _ = active.stream.commands.try_send(command);
            return Ok(());
        }
        (self.active, self.trial) = (None, None);
        self.tried.clear();
        self.open_next().await
    }

    async fn event(&mut self, event: Option<SttEvent>) -> Result<(), ()> {
        let failure = match event {
            None => Failure::new(Kind::Closed, "the recogniser went away"),
            Some(SttEvent::Lost { failure }) => failure,
            Some(SttEvent::Ready) => return Ok(()),
            Some(event) => {
                if has_words(&event) {
                    self.works().await;
                }
                if let SttEvent::Final { utterance, pause, .. } = &event {
                    self.kept.answered(*utterance, *pause);
                }
                let event = self.kept.complete(event);
                return self.send(event).await;
            }
        };
        self.lose(failure).await
    }

    /// The one that served is gone: the next one hears what it missed.
    async fn lose(&mut self, failure: Failure) -> Result<(), ()> {
        let Some(gone) = self.active.take() else { return Ok(()) };
        self.fail(&gone, &failure).await?;
        let proven = gone.since.elapsed() >= PROVEN && failure.kind.is_worth_one_retry();
        let retry_same = proven && !self.again && !self.kept.owes();
        if retry_same {
            self.again = true;
        } else {
            self.tried.push(gone.index);
        }
        self.open_next().await
    }

    /// Words came: whoever serves is well.
    async fn works(&mut self) {
        let Some(index) = self.active.as_ref().map(|a| a.index) else { return };
        self.ranked.members()[index].succeeded();
        self.tried.clear();
        self.rounds = 0;
        let lost = self.lost.take();
        if self.served.replace(index) == Some(index) {
            return;
        }
        if let Some(since) = lost {
            let delay = u32::try_from(since.elapsed().as_millis()).unwrap_or(u32::MAX);
            self.note(index, ProviderState::TookOver, "heard the utterance again", delay).await;
        }
    }

    async fn fail(&mut self, gone: &Active, failure: &Failure) -> Result<(), ()> {
        let member = &self.ranked.members()[gone.index];
        member.failed(std::time::Instant::now(), failure.kind);
        self.lost.get_or_insert_with(Instant::now);
        self.failed_at.resize(self.ranked.members().len(), None);
        self.failed_at[gone.index] = Some(Instant::now());
        if gone.since.elapsed() >= PROVEN {
            self.rounds = 0;
        }
        let reason = failure.to_string();
        self.note(gone.index, ProviderState::Failed, &reason, 0).await;
        Ok(())
    }

    /// Opens the next provider and tells it what it missed; with none left waits, and in the end gives up.
    async fn open_next(&mut self) -> Result<(), ()> {
        while let Some(index) = self.ranked.pick(std::time::Instant::now(), &self.tried) {
            match self.ranked.members()[index].provider.open(&self.hearing) {
                Ok(stream) => {
                    tell(&stream, self.kept.replay()).await;
                    self.active = Some(Active { index, stream, since: Instant::now() });
                    self.down = None;
                    return Ok(());
                }
                Err(error) => {
                    let reason = error.to_string();
                    self.note(index, ProviderState::Failed, &reason, 0).await;
                    self.tried.push(index);
                }
            }
        }
        self.rounds += 1;
        match retry::wait(self.rounds, rand::random()) {
            Some(wait) => {
                self.down = Some(Instant::now() + wait);
                Ok(())
            }
            None => {
                self.note(0, ProviderState::Exhausted, "no recogniser is left", 0).await;
                let failure = Failure::new(Kind::Closed, "no recogniser is left");
                let _ = self.outbox.send(SttEvent::Lost { failure }).await;
                Err(())
            }
        }
    }

    /// Between two utterances: a better provider that may be used again is brought up beside.
    async fn bring_back(&mut self) {
        let Some(index) = self.active.as_ref().map(|a| a.index).filter(|_| self.trial.is_none()) else {
            return;
        };
        let rested =
            |i: usize| self.failed_at.get(i).copied().flatten().is_none_or(|at| at.elapsed() >= self.rest);
        let now = std::time::Instant::now();
        let Some(better) = self.ranked.better_than(index, now).filter(|i| rested(*i)) else { return };
        let member = &self.ranked.members()[better];
        if let Ok(stream) = member.provider.open(&self.hearing) {
            self.trial = Some(Active { index: better, stream, since: Instant::now() });
            self.trial_ready = false;
            if member.is_local() {
                self.switch_back().await;
            }
        }
    }

    async fn trial_event(&mut self, event: Option<SttEvent>) -> Result<(), ()> {
        match event {
            Some(SttEvent::Lost { failure }) => self.trial_failed(failure.kind).await,
            None => self.trial_failed(Kind::Closed).await,
            Some(SttEvent::Ready) if !self.kept.is_open() => self.switch_back().await,
            // Up in the middle of an utterance: it takes over when that is done.
            Some(SttEvent::Ready) => self.trial_ready = true,
            Some(_) => {}
        }
        Ok(())
    }

    async fn switch_back(&mut self) {
        let Some(trial) = self.trial.take() else { return };
        self.trial_ready = false;
        let index = trial.index;
        // That it is well is known when its words come.
        self.active = Some(trial);
        self.served = Some(index);
        self.lost = None;
        self.note(index, ProviderState::Recovered, "serves again from this utterance on", 0).await;
    }

    async fn trial_failed(&mut self, kind: Kind) {
        self.trial_ready = false;
        if let Some(trial) = self.trial.take() {
            self.ranked.members()[trial.index].failed(std::time::Instant::now(), kind);
        }
    }

    async fn note(&self, index: usize, state: ProviderState, reason: &str, delay_ms: u32) {
        let provider = self.ranked.members().get(index).map_or("stt", pipeline::provider::Member::name);
        let note = ProviderNote { provider: provider.to_owned(), state, reason: reason.to_owned(), delay_ms };
        let _ = self.outbox.send(SttEvent::Provider(note)).await;
    }

    async fn send(&self, event: SttEvent) -> Result<(), ()> {
        self.outbox.send(event).await.map_err(|_| ())
    }
}

/// What was said so far, faster than it was said.
async fn tell(stream: &SttStream, said: Vec<SttCommand>) {
    let telling = async {
        for command in said {
            if stream.commands.send(command).await.is_err() {
                return;
            }
        }
    };
    let _ = timeout(TELL, telling).await;
}

async fn received(active: &mut Option<Active>) -> Option<SttEvent> {
    match active {
        Some(active) => active.stream.events.recv().await,
        None => std::future::pending().await,
    }
}

fn has_words(event: &SttEvent) -> bool {
    match event {
        SttEvent::Interim { text, .. } | SttEvent::Final { text, .. } => !text.trim().is_empty(),
        _ => false,
    }
}
