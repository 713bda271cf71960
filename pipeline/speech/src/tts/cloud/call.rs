//! One call's synthesis by a vendor.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::time::sleep_until;

use super::link::{Link, LinkEvent};
use super::{Dialect, Told, Vendor};
use crate::tts::alignment::{BYTES_PER_MS, CharTime, Script, Timings};
use crate::tts::lineup::{Lineup, PlayHead};
use crate::tts::progress::Progress;
use pipeline::ports::{Language, Meter, Saying, TtsCommand, TtsEvent, Usage};
use pipeline::provider::{Failure, Kind};
use pipeline::turn::{ReplySegment, SegmentId, TurnId};

/// Segments that wait at which no more commands are taken.
const MOST: usize = 256;
/// How much sooner than we somebody else may give up on the same deadline.
const SOONER: Duration = Duration::from_millis(50);
/// Longest audio that is believed: so much, and so much for each character.
const LONGEST_MS: u32 = 10_000;
const LONGEST_CHAR_MS: u32 = 500;
/// Connections at a time: one, and another while a change of voice or of a worn connection is under way.
const LINES: usize = 2;

/// The state of it.
pub(super) struct Call<D> {
    vendor: Arc<Vendor>,
    saying: Saying,
    follower: Option<Progress>,
    lines: Vec<Line<D>>,
    /// Asked of us, not yet of the vendor.
    waiting: VecDeque<Job>,
    /// Asked of the vendor, in order.
    active: Vec<Job>,
    lineup: Lineup,
    play: PlayHead,
    serial: u32,
    /// Number of the first of those asked.
    head: u32,
    /// Until then we did not listen, so nothing was late.
    deaf: Option<Instant>,
}

/// A connection and what is spoken on it.
struct Line<D> {
    number: u32,
    link: Link,
    wire: D,
    sent_at: Instant,
}

/// A segment.
struct Job {
    serial: u32,
    id: SegmentId,
    language: Language,
    script: Script,
    /// Number of the line it was asked on.
    line: u32,
    /// From when on it is waited for: it was asked, and the one before it is complete.
    since: Instant,
    bytes: usize,
    last: Option<Instant>,
    timings: Timings,
}

impl Job {
    /// When its vendor is too late with it, if nothing comes before.
    fn due(&self, vendor: &Vendor, play: PlayHead, deaf: Option<Instant>) -> Instant {
        let since = self.since.max(deaf.unwrap_or(self.since));
        match self.last {
            None => since + vendor.deadlines.give_up,
            Some(last) => play.no_sooner(last.max(since) + vendor.deadlines.between, Duration::ZERO),
        }
    }

    /// Later than it should be, and perhaps lost.
    fn is_late(&self, vendor: &Vendor, play: PlayHead, now: Instant) -> bool {
        match self.last {
            None => now >= self.since + vendor.deadlines.first,
            Some(_) => now >= self.due(vendor, play, None),
        }
    }

    fn audio_ms(&self) -> u32 {
        u32::try_from(self.bytes / BYTES_PER_MS).unwrap_or(u32::MAX)
    }
}

fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

impl<D: Dialect> Call<D> {
    pub fn new(vendor: Arc<Vendor>, saying: Saying) -> Self {
        let mut call = Self {
            vendor,
            saying,
            follower: Progress::of_follower(),
            lines: Vec::new(),
            waiting: VecDeque::new(),
            active: Vec::new(),
            lineup: Lineup::default(),
            play: PlayHead::default(),
            serial: 0,
            head: 0,
            deaf: None,
        };
        // The connection is there before the first words are.
        call.line_for(call.saying.language);
        call
    }

    pub async fn run(mut self, mut inbox: mpsc::Receiver<TtsCommand>, outbox: mpsc::Sender<TtsEvent>) {
        loop {
            self.send_owed().await;
            self.ask_waiting().await;
            let full = self.lineup.is_full();
            if full {
                self.deaf = Some(now());
            }
            let due = self.due().filter(|_| !full);
            tokio::select! {
                biased;
                command = inbox.recv(), if self.waiting.len() < MOST => match command {
                    Some(command) => self.command(command).await,
                    None => break,
                },
                permit = outbox.reserve(), if self.lineup.is_ready() => match (permit, self.lineup.pop()) {
                    (Ok(permit), Some(event)) => {
                        if let TtsEvent::Audio { mulaw, .. } = &event {
                            self.play.give(now(), mulaw.len());
                        }
                        permit.send(event);
                    }
                    _ => break,
                },
                (line, event) = next_event(&mut self.lines), if !full => self.on_line(line, event),
                () = sleep_until(due.unwrap_or_else(now).into()), if due.is_some() => self.on_due().await,
            }
        }
        for line in self.lines {
            line.link.close().await;
        }
    }

    async fn command(&mut self, command: TtsCommand) {
        match command {
            TtsCommand::Speak(segment) => self.speak(segment),
            TtsCommand::Cancel { turn } => self.cancel(turn).await,
            TtsCommand::Language(language) => {
                self.saying.language = language;
                self.line_for(language);
            }
        }
    }

    fn speak(&mut self, segment: ReplySegment) {
        let (id, language) = (segment.id, self.saying.language);
        let script = Script::new(&segment.text, language, &self.saying.lexicon);
        self.lineup.push(id);
        if script.is_silent() {
            self.lineup.give(TtsEvent::Done { segment: id, words: script.estimated(0) });
            return;
        }
        self.serial = self.serial.wrapping_add(1);
        self.waiting.push_back(Job {
            serial: self.serial,
            id,
            language,
            script,
            line: 0,
            since: now(),
            bytes: 0,
            last: None,
            timings: Timings::default(),
        });
    }

    async fn cancel(&mut self, turn: TurnId) {
        self.waiting.retain(|job| job.id.turn != turn);
        self.lineup.cancel(turn);
        let (gone, left): (Vec<Job>, Vec<Job>) =
            std::mem::take(&mut self.active).into_iter().partition(|job| job.id.turn == turn);
        self.active = left;
        for at in 0..self.lines.len() {
            let number = self.lines[at].number;
            let on_it = || gone.iter().filter(|job| job.line == number);
            let late = on_it().next().filter(|job| job.is_late(&self.vendor, self.play, now()));
            if let Some(job) = late {
                // Whoever gave up waits as long as we do, and may have been a little sooner.
                if now() + SOONER >= job.due(&self.vendor, self.play, self.deaf) {
                    self.vendor.health.failed(Kind::Stalled);
                }
                // A connection on which nothing came may be dead, and the next turn would find out too late.
                self.lines[at].link.replace();
                self.fail_asked(number, &Failure::new(Kind::Closed, "the connection was given up"));
                continue;
            }
            let serials: Vec<u32> = on_it().map(|job| job.serial).collect();
            if !serials.is_empty() {
                let messages = self.lines[at].wire.stop(&serials);
                self.send(at, messages).await;
            }
        }
        self.play.clear();
        self.promote();
    }

    /// Place of the connection for a language, opened if need be. `None`: there is none to be had now.
    fn line_for(&mut self, language: Language) -> Option<usize> {
        let pool = Arc::clone(&self.vendor.offer(language)?.pool);
        let known = self.lines.iter().rposition(|line| Arc::ptr_eq(&line.link.pool, &pool));
        if let Some(at) = known
            && !self.lines[at].wire.is_worn(now())
        {
            return known;
        }
        let active = &self.active;
        self.lines.retain(|line| active.iter().any(|job| job.line == line.number));
        if self.lines.len() >= LINES {
            return None;
        }
        self.serial = self.serial.wrapping_add(1);
        let (number, link) = (self.serial, Link::open(pool));
        self.lines.push(Line { number, link, wire: D::default(), sent_at: now() });
        Some(self.lines.len() - 1)
    }

    /// Asks for what waits, as far as the connection takes it.
    async fn ask_waiting(&mut self) {
        while let Some(job) = self.waiting.front() {
            let language = job.language;
            if self.vendor.offer(language).is_none() {
                let id = job.id;
                self.waiting.pop_front();
                self.fail(id, Failure::new(Kind::Refused, "no voice for this language"));
                continue;
            }
            let Some(at) = self.line_for(language) else { return };
            let line = &mut self.lines[at];
            if !line.link.is_up() {
                line.link.want();
                return;
            }
            let Some(job) = self.waiting.front() else { return };
            let Some(messages) = line.wire.ask(job.serial, job.id, job.script.text(), now()) else { return };
            let Some(mut job) = self.waiting.pop_front() else { return };
            (job.line, job.since) = (line.number, now());
            self.bill(language, job.script.len());
            self.active.push(job);
            self.promote();
            self.send(at, messages).await;
        }
    }

    /// What was sent is billed, heard or not.
    fn bill(&mut self, language: Language, characters: usize) {
        let model = self.vendor.offer(language).map(|offer| offer.model.clone()).unwrap_or_default();
        self.lineup.give(TtsEvent::Used(Usage {
            provider: self.vendor.name.to_owned(),
            model,
            meter: Meter::Characters,
            amount: characters as u64,
        }));
    }

    /// Answers what the vendor said.
    async fn send_owed(&mut self) {
        for at in 0..self.lines.len() {
            let messages = self.lines[at].wire.owed();
            self.send(at, messages).await;
        }
    }

    async fn send(&mut self, at: usize, messages: Vec<String>) {
        for message in messages {
            self.lines[at].sent_at = now();
            if let Err(failure) = self.lines[at].link.send(message).await {
                let event = self.lines[at].link.lost(failure);
                self.on_line(at, event);
                return;
            }
        }
    }

    fn on_line(&mut self, at: usize, event: LinkEvent) {
        let Some(line) = self.lines.get_mut(at) else { return };
        match event {
            LinkEvent::Up => {
                line.wire = D::default();
                line.sent_at = now();
            }
            LinkEvent::Message(message) => {
                let mut told = Vec::new();
                line.wire.hear(&message, &mut told);
                let number = line.number;
                told.into_iter().for_each(|told| self.told(number, told));
            }
            LinkEvent::Lost(failure) => {
                let number = line.number;
                self.fail_asked(number, &failure);
            }
            LinkEvent::Unreachable(failure) => {
                let pool = Arc::clone(&line.link.pool);
                let (gone, left): (VecDeque<Job>, VecDeque<Job>) =
                    std::mem::take(&mut self.waiting).into_iter().partition(|job| {
                        self.vendor.offer(job.language).is_some_and(|offer| Arc::ptr_eq(&offer.pool, &pool))
                    });
                self.waiting = left;
                gone.into_iter().for_each(|job| self.fail(job.id, failure.clone()));
            }
        }
    }

    fn told(&mut self, number: u32, told: Told) {
        let place = |serial| self.active.iter().position(|job: &Job| job.serial == serial);
        match told {
            Told::Audio { serial, mulaw, times } => {
                if let Some(i) = place(serial) {
                    self.heard(i, mulaw, &times);
                }
            }
            Told::Done { serial } => {
                if let Some(i) = place(serial) {
                    let job = self.active.remove(i);
                    self.promote();
                    self.complete(job);
                }
            }
            Told::Failed { serial: Some(serial), failure } => {
                if let Some(i) = place(serial) {
                    let job = self.active.remove(i);
                    self.promote();
                    self.vendor.health.failed(failure.kind);
                    self.fail(job.id, failure);
                }
            }
            Told::Failed { serial: None, failure } => self.give_up(number, &failure),
        }
    }

    fn heard(&mut self, i: usize, mulaw: Vec<u8>, times: &[CharTime]) {
        let job = &mut self.active[i];
        job.last = Some(now());
        if !times.is_empty() {
            job.timings.add(&job.script, job.audio_ms(), times);
            if let Some(follower) = &self.follower {
                follower.tell(job.id, job.timings.words_so_far(&job.script));
            }
        }
        job.bytes += mulaw.len();
        if job.audio_ms() > LONGEST_MS + LONGEST_CHAR_MS * job.script.len() as u32 {
            let number = job.line;
            self.give_up(number, &Failure::new(Kind::Garbage, "more audio than the text has"));
        } else if !mulaw.is_empty() {
            self.lineup.give(TtsEvent::Audio { segment: job.id, mulaw });
        }
    }

    fn complete(&mut self, job: Job) {
        if job.bytes == 0 {
            self.vendor.health.failed(Kind::Garbage);
            self.fail(job.id, Failure::new(Kind::Garbage, "no audio for a text"));
            return;
        }
        self.vendor.health.succeeded();
        let words = job.timings.words(&job.script, job.audio_ms());
        self.lineup.give(TtsEvent::Done { segment: job.id, words });
    }

    /// A connection is of no use any more: a fresh one takes its place.
    fn give_up(&mut self, number: u32, failure: &Failure) {
        self.lines.iter_mut().filter(|line| line.number == number).for_each(|line| line.link.replace());
        self.fail_asked(number, failure);
    }

    /// Fails whatever was asked on a line and is not complete.
    fn fail_asked(&mut self, number: u32, failure: &Failure) {
        let (gone, left): (Vec<Job>, Vec<Job>) =
            std::mem::take(&mut self.active).into_iter().partition(|job| job.line == number);
        self.active = left;
        if !gone.is_empty() {
            self.vendor.health.failed(failure.kind);
        }
        gone.into_iter().for_each(|job| self.fail(job.id, failure.clone()));
        self.promote();
    }

    fn fail(&mut self, segment: SegmentId, failure: Failure) {
        self.lineup.give(TtsEvent::Failed { segment, failure });
    }

    /// The first of those asked is waited for from now on.
    fn promote(&mut self) {
        if let Some(first) = self.active.first_mut()
            && first.serial != self.head
        {
            self.head = first.serial;
            first.since = now();
        }
    }

    /// When something has to be done by ourselves.
    fn due(&self) -> Option<Instant> {
        [self.late_at(), self.keep_alive_at().map(|(at, _)| at)].into_iter().flatten().min()
    }

    fn late_at(&self) -> Option<Instant> {
        if let Some(job) = self.active.first() {
            return Some(job.due(&self.vendor, self.play, self.deaf));
        }
        let limits = self.vendor.deadlines;
        self.waiting.front().map(|job| job.since + limits.give_up.max(limits.connect) + limits.first)
    }

    /// When and on which line.
    fn keep_alive_at(&self) -> Option<(Instant, usize)> {
        let (every, _) = self.vendor.keep_alive?;
        let up = self.lines.iter().enumerate().filter(|(_, line)| line.link.is_up());
        up.map(|(at, line)| (line.sent_at + every, at)).min()
    }

    async fn on_due(&mut self) {
        let now = now();
        if let Some((_, at)) = self.keep_alive_at().filter(|(due, _)| *due <= now)
            && let Some((_, message)) = self.vendor.keep_alive
        {
            self.send(at, vec![message.to_owned()]).await;
        }
        if self.late_at().is_none_or(|due| now < due) {
            return;
        }
        let Some(job) = self.active.first() else {
            // Nothing is in the vendor's hands, and still it takes no more: it owes the end of something cancelled.
            let Some(job) = self.waiting.pop_front() else { return };
            self.lines.iter_mut().for_each(|line| line.link.replace());
            self.vendor.health.failed(Kind::Stalled);
            self.fail(job.id, Failure::stalled("took no text in time"));
            return;
        };
        let what = if job.last.is_none() { "no audio in time" } else { "the audio stopped" };
        let number = job.line;
        self.give_up(number, &Failure::stalled(what));
    }
}

/// The next event on any of the (at most two) lines.
async fn next_event<D>(lines: &mut [Line<D>]) -> (usize, LinkEvent) {
    match lines {
        [] => std::future::pending().await,
        [one] => (0, one.link.next().await),
        [one, two, ..] => tokio::select! {
            event = one.link.next() => (0, event),
            event = two.link.next() => (1, event),
        },
    }
}
