//! Many simulated calls: so many at a time, begun at a rate, each caller one call after another.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use telephony::media::FRAME_MS;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::chance::Chance;
use super::course::{Course, Manner};
use super::failure::{Failure, stream_of};
use super::meters::Meters;
use super::recording::Recording;
use super::talker::{End, Talked, talk};
use super::tally::{SpokenOver, Turns};
use super::times::Times;
use super::trouble::{Shares, Trouble};
use crate::dial::Exchange;
use crate::socket;

/// Bytes that may collect between flushes: the frames and marks of one wake.
const WRITE_BUFFER: usize = 16 * 1024;
/// Longest pause between two calls of one caller.
const BETWEEN: Duration = Duration::from_secs(1);
/// Callers' numbers begin with this; four digits follow. The carrier keeps the range for tests.
const FROM: &str = "+1500555";

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Played in turn; each caller begins with another.
    pub recordings: Vec<Arc<Recording>>,
    /// Callers at a time.
    pub callers: usize,
    /// Callers who begin in a second.
    pub ramp: f64,
    /// Calls that each caller makes, one after another.
    pub repeat: usize,
    pub manner: Manner,
    pub shares: Shares,
    pub to: String,
    pub seed: u64,
    /// Keep the carrier's ids of the calls that did not fail.
    pub keep_ids: bool,
}

/// Sums over all calls. Times are of legs without trouble.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    pub started: u64,
    pub completed: u64,
    /// Of these, those that the gateway ended.
    pub agent_hung_up: u64,
    /// Cut off by the end of the test.
    pub stopped: u64,
    pub failures: BTreeMap<String, u64>,
    /// Calls over a leg with trouble.
    pub troubled: u64,
    pub turns: Turns,
    pub over: SpokenOver,
    pub greetings: Times,
    pub answers: Times,
    pub clears: Times,
    pub stops: Times,
    pub under_runs: u64,
    pub dry: Duration,
    /// Under-runs of legs with trouble, which are the leg's own.
    pub troubled_under_runs: u64,
    /// Sum of the lengths of all calls.
    pub talked: Duration,
    pub ids: Vec<String>,
}

impl Totals {
    /// Calls that failed.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.failures.values().sum()
    }

    fn add(&mut self, troubled: bool, talked: &Talked) {
        let noticed = &talked.noticed;
        self.talked += talked.length;
        self.troubled += u64::from(troubled);
        match &talked.end {
            End::CallerHungUp => self.completed += 1,
            End::AgentHungUp => {
                self.completed += 1;
                self.agent_hung_up += 1;
            }
            End::Stopped => self.stopped += 1,
            End::Failed(failure) => self.fail(failure),
        }
        for (sum, n) in [
            (&mut self.turns.spoken, noticed.turns.spoken),
            (&mut self.turns.answered, noticed.turns.answered),
            (&mut self.turns.unanswered, noticed.turns.unanswered),
            (&mut self.turns.cut_in, noticed.turns.cut_in),
            (&mut self.over.onsets, noticed.over.onsets),
            (&mut self.over.cleared, noticed.over.cleared),
            (&mut self.over.ended, noticed.over.ended),
            (&mut self.over.talked_through, noticed.over.talked_through),
        ] {
            *sum += n;
        }
        if troubled {
            self.troubled_under_runs += noticed.under_runs;
            return;
        }
        self.under_runs += noticed.under_runs;
        self.dry += noticed.dry;
        self.greetings.extend(noticed.greeting);
        self.answers.extend(noticed.answers.iter().copied());
        self.clears.extend(noticed.clears.iter().copied());
        self.stops.extend(noticed.stops.iter().copied());
    }

    fn fail(&mut self, failure: &Failure) {
        *self.failures.entry(failure.to_string()).or_default() += 1;
    }
}

/// What can be looked at while the calls go on.
#[derive(Debug, Default)]
pub struct Board {
    pub meters: Meters,
    pub totals: Mutex<Totals>,
}

/// Makes the calls; returns when the last is over. `stop` lets those that are live hang up and begins no more.
pub async fn run(plan: Plan, exchange: Arc<Exchange>, board: Arc<Board>, stop: CancellationToken) {
    let began = Instant::now();
    let plan = Arc::new(plan);
    let mut callers = JoinSet::new();
    for n in 0..plan.callers {
        let caller = Caller {
            n,
            plan: plan.clone(),
            exchange: exchange.clone(),
            board: board.clone(),
            stop: stop.clone(),
        };
        let at = began + Duration::from_secs_f64(n as f64 / plan.ramp.max(0.001));
        callers.spawn(async move {
            tokio::select! {
                () = sleep_until(at) => caller.run().await,
                () = caller.stop.cancelled() => {}
            }
        });
    }
    while let Some(done) = callers.join_next().await {
        if done.is_err() {
            board.totals.lock().fail(&Failure::Crashed);
        }
    }
}

struct Caller {
    n: usize,
    plan: Arc<Plan>,
    exchange: Arc<Exchange>,
    board: Arc<Board>,
    stop: CancellationToken,
}

impl Caller {
    async fn run(&self) {
        let mut chance = Chance::of(self.plan.seed, self.n as u64);
        for round in 0..self.plan.repeat {
            if round > 0 {
                tokio::select! {
                    () = sleep(chance.up_to(BETWEEN)) => {}
                    () = self.stop.cancelled() => return,
                }
            }
            if self.stop.is_cancelled() {
                return;
            }
            let recordings = &self.plan.recordings;
            let Some(recording) = recordings.get((self.n + round) % recordings.len().max(1)) else { return };
            self.call(recording, Chance::new(chance.next())).await;
        }
    }

    async fn call(&self, recording: &Arc<Recording>, chance: Chance) {
        self.board.totals.lock().started += 1;
        let length = Duration::from_millis(recording.len() as u64 * FRAME_MS);
        let trouble = Trouble::draw_for(&self.plan.shares, chance, length);
        let course = Course::new(recording.clone(), self.plan.manner);
        let troubled = trouble.is_any();
        let outcome = self.converse(course, trouble).await;
        let mut totals = self.board.totals.lock();
        match outcome {
            Ok((id, talked)) => {
                totals.add(troubled, &talked);
                if self.plan.keep_ids && !matches!(talked.end, End::Failed(_)) {
                    totals.ids.push(id);
                }
            }
            Err(failure) => totals.fail(&failure),
        }
    }

    async fn converse(&self, course: Course, trouble: Trouble) -> Result<(String, Talked), Failure> {
        let request = self.exchange.ring(&format!("{FROM}{:04}", self.n % 10_000), &self.plan.to);
        let (url, parameters) = stream_of(self.exchange.place(&request).await?)?;
        let socket = socket::open(&url, self.exchange.stream_signature(&url), WRITE_BUFFER).await?;
        let start = self.exchange.start(&request, parameters);
        let talked = talk(socket, start, course, trouble, &self.board.meters, &self.stop).await;
        Ok((request.call_sid, talked))
    }
}
