//! One call's fail-over: who is asked for which segment, and when somebody else is.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::time::sleep_until;

use super::segment::{Segment, Try};
use super::streams::{Streams, Voice};
use crate::tts::alignment::Script;
use crate::tts::lineup::{PlayHead, segment_of};
use pipeline::ports::{Language, ProviderNote, ProviderState, Saying, TextToSpeech, TtsCommand, TtsEvent};
use pipeline::provider::{Deadlines, Failure, Kind, Ranked};
use pipeline::turn::{SegmentId, SegmentKind, TurnId, WordTime};

/// Segments in the voices' hands at a time. The next is asked for when the one before has begun.
const WINDOW: usize = 4;
/// Events ready to leave at which no more are taken in.
const BACKLOG: usize = 64;
/// Segments in line at which no more commands are taken.
const MOST: usize = 256;
/// How fast a voice speaks of which nothing is known yet.
const MS_PER_CHAR: f32 = 65.0;

/// The state of it.
pub(super) struct Call {
    ranked: Ranked<dyn TextToSpeech>,
    deadlines: Deadlines,
    saying: Saying,
    streams: Streams,
    line: VecDeque<Segment>,
    /// The newest turn, who serves it, and who failed in it.
    turn: Option<TurnId>,
    serving: usize,
    failed: Vec<usize>,
    exhausted: bool,
    /// Whose audio left last, and of which turn it was.
    heard: usize,
    sounding: Option<TurnId>,
    play: PlayHead,
    ms_per_char: HashMap<(usize, Language), f32>,
    ready: VecDeque<TtsEvent>,
    /// Until then we did not listen, so nothing was late.
    deaf: Option<Instant>,
}

fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

impl Call {
    pub fn new(
        ranked: Ranked<dyn TextToSpeech>,
        deadlines: Deadlines,
        saying: Saying,
        streams: Streams,
    ) -> Self {
        Self {
            ranked,
            deadlines,
            saying,
            streams,
            line: VecDeque::new(),
            turn: None,
            serving: 0,
            failed: Vec::new(),
            exhausted: false,
            heard: 0,
            sounding: None,
            play: PlayHead::default(),
            ms_per_char: HashMap::new(),
            ready: VecDeque::new(),
            deaf: None,
        }
    }

    pub async fn run(mut self, mut inbox: mpsc::Receiver<TtsCommand>, outbox: mpsc::Sender<TtsEvent>) {
        loop {
            self.settle(now());
            let full = self.ready.len() >= BACKLOG;
            if full {
                self.deaf = Some(now());
            }
            let due = self.due().filter(|_| !full);
            tokio::select! {
                biased;
                command = inbox.recv(), if self.line.len() < MOST => match command {
                    Some(command) => self.command(command, now()),
                    None => return,
                },
                permit = outbox.reserve(), if !self.ready.is_empty() => match (permit, self.ready.pop_front()) {
                    (Ok(permit), Some(event)) => permit.send(event),
                    _ => return,
                },
                (voice, event) = self.streams.next(), if !full => self.on_event(voice, event, now()),
                () = sleep_until(due.unwrap_or_else(now).into()), if due.is_some() => self.on_due(now()),
            }
        }
    }

    fn command(&mut self, command: TtsCommand, now: Instant) {
        match command {
            TtsCommand::Speak(segment) => {
                self.line.push_back(Segment::new(segment, self.saying.language, now));
            }
            TtsCommand::Cancel { turn } => self.cancel(turn, now),
            TtsCommand::Language(language) => {
                self.saying.language = language;
                // Nobody speaks it: the segments will say so.
                let _ = self.streams.open_first(language);
            }
        }
    }

    fn cancel(&mut self, turn: TurnId, now: Instant) {
        self.line.retain(|s| s.said.id.turn != turn);
        self.ready.retain(|event| segment_of(event).is_none_or(|id| id.turn != turn));
        self.streams.cancel_all(turn);
        if self.sounding == Some(turn) {
            self.play.clear();
        }
        self.wait_for_first(now);
    }

    // ------------------------------------------------------------ asking

    /// Asks for what may be asked for, and lets go of what may leave, until nothing more changes.
    fn settle(&mut self, now: Instant) {
        loop {
            for at in 0..self.line.len().min(WINDOW) {
                if at > 0 && !self.line[at - 1].has_begun() {
                    break;
                }
                if self.line[at].is_unasked() {
                    self.ask(at, now);
                }
            }
            if !self.release(now) {
                return;
            }
        }
    }

    fn ask(&mut self, at: usize, now: Instant) {
        self.enter_turn(at, now);
        while let Some(member) = self.choose(at, now) {
            match self.put_to(at, member, now) {
                Ok(()) => return,
                Err(failure) => self.count_failure(member, &failure, now, self.line[at].since),
            }
        }
        self.ask_again(at, now);
    }

    /// The first segment of a new turn is put to the most preferred voice that may be used. A filler goes to
    /// whoever serves now.
    fn enter_turn(&mut self, at: usize, now: Instant) {
        let said = &self.line[at].said;
        if said.kind == SegmentKind::Filler || self.turn.is_some_and(|turn| said.id.turn <= turn) {
            return;
        }
        self.turn = Some(said.id.turn);
        self.exhausted = false;
        let line = &self.line;
        self.streams.trim(self.saying.language, |voice| line.iter().any(|s| s.involves(voice)));
        self.failed.clear();
        if let Some(member) = self.ranked.pick(now, &self.failed) {
            self.serving = member;
        }
    }

    /// Who is asked next for a segment: whoever serves the turn, else the most preferred of the others.
    fn choose(&mut self, at: usize, now: Instant) -> Option<usize> {
        let language = self.line[at].language;
        let mut out = self.failed.clone();
        out.extend(self.line[at].tries.iter().map(|t| t.voice.member));
        if !out.contains(&self.serving) {
            if self.streams.voice(self.serving, language).is_ok() {
                return Some(self.serving);
            }
            out.push(self.serving);
        }
        while let Some(member) = self.ranked.pick(now, &out) {
            if self.streams.voice(member, language).is_ok() {
                return Some(member);
            }
            out.push(member);
        }
        None
    }

    fn put_to(&mut self, at: usize, member: usize, now: Instant) -> Result<(), Failure> {
        let segment = &mut self.line[at];
        let voice = self.streams.speak(member, segment.language, &segment.said)?;
        segment.first.get_or_insert(member);
        segment.tries.push(Try { voice, asked: now, slow: false });
        Ok(())
    }

    /// Nobody is left. If the fault may have been one connection's, its owner is asked once more.
    fn ask_again(&mut self, at: usize, now: Instant) {
        let segment = &mut self.line[at];
        if let Some(member) = segment.again.take()
            && !std::mem::replace(&mut segment.asked_again, true)
            && self.put_to(at, member, now).is_ok()
        {
            self.failed.retain(|failed| *failed != member);
            return;
        }
        let none = || Failure::new(Kind::Refused, "no voice for this language");
        let failure = self.line[at].failure.clone().unwrap_or_else(none);
        if !std::mem::replace(&mut self.exhausted, true) {
            let delay = now.duration_since(self.line[at].since);
            self.note("tts", ProviderState::Exhausted, failure.to_string(), delay);
        }
        self.line[at].fail(failure);
    }

    // ------------------------------------------------------------ what the voices tell

    fn on_event(&mut self, voice: Voice, event: Option<TtsEvent>, now: Instant) {
        match event {
            Some(TtsEvent::Audio { segment, mulaw }) => self.on_audio(voice, segment, mulaw, now),
            Some(TtsEvent::Done { segment, words }) => self.on_done(voice, segment, words, now),
            Some(TtsEvent::Failed { segment, failure }) => self.on_failed(voice, segment, &failure, now),
            Some(event @ (TtsEvent::Provider(_) | TtsEvent::Used(_))) => self.ready.push_back(event),
            None => {
                if self.line.iter().any(|s| s.involves(voice)) {
                    self.fail(voice, &Failure::new(Kind::Closed, "the voice's task ended"), now);
                }
                self.streams.close(voice);
            }
        }
    }

    fn find(&self, voice: Voice, id: SegmentId) -> Option<usize> {
        self.line.iter().position(|s| s.said.id == id && s.involves(voice))
    }

    fn on_audio(&mut self, voice: Voice, id: SegmentId, mulaw: Vec<u8>, now: Instant) {
        let Some(at) = self.find(voice, id) else { return };
        if self.line[at].speaker.is_none() {
            self.begin(at, voice, now);
        }
        if self.line[at].speaker == Some(voice) {
            self.line[at].audio(now, voice, mulaw);
        }
    }

    /// The first audio decides who speaks a segment, and the rest of the turn.
    fn begin(&mut self, at: usize, voice: Voice, now: Instant) {
        let segment = &mut self.line[at];
        let tries = std::mem::take(&mut segment.tries);
        segment.speaker = Some(voice);
        segment.waited_ms = millis(now.saturating_duration_since(segment.since));
        let turn = segment.said.id.turn;
        self.serving = voice.member;
        // Its other connection may have failed meanwhile.
        self.failed.retain(|failed| *failed != voice.member);
        for other in tries.into_iter().filter(|t| t.voice != voice) {
            self.streams.cancel(other.voice, turn);
        }
    }

    fn on_done(&mut self, voice: Voice, id: SegmentId, words: Vec<WordTime>, now: Instant) {
        let Some(at) = self.find(voice, id) else { return };
        if self.line[at].speaker.is_none() {
            // Nothing in it can be voiced.
            self.begin(at, voice, now);
        }
        if self.line[at].speaker != Some(voice) {
            return;
        }
        let member = voice.member;
        let told = self.streams.progress(voice, id).is_some();
        let segment = &mut self.line[at];
        let length_ms = segment.complete(member, words, &self.saying.lexicon);
        let (text, language) = (&segment.said.text, segment.language);
        self.failed.retain(|failed| *failed != member);
        self.ranked.members()[member].succeeded();
        if let Some(length_ms) = length_ms.filter(|_| !told) {
            let chars = Script::new(text, language, &self.saying.lexicon).len().max(1);
            let measured = length_ms as f32 / chars as f32;
            let known = self.ms_per_char.entry((member, language)).or_insert(measured);
            *known = *known * 0.7 + measured * 0.3;
        }
    }

    fn on_failed(&mut self, voice: Voice, id: SegmentId, failure: &Failure, now: Instant) {
        if self.find(voice, id).is_some() {
            self.fail(voice, failure, now);
        }
    }

    /// A voice has failed: whatever it has in hand goes to others.
    fn fail(&mut self, voice: Voice, failure: &Failure, now: Instant) {
        let since = self.line.iter().find(|s| s.involves(voice)).map_or(now, |s| s.last.unwrap_or(s.since));
        self.count_failure(voice.member, failure, now, since);
        let name = self.ranked.members()[voice.member].name();
        let mut turns = Vec::new();
        for at in 0..self.line.len() {
            if !self.line[at].involves(voice) {
                continue;
            }
            let segment = &mut self.line[at];
            turns.push(segment.said.id.turn);
            segment.tries.retain(|t| t.voice != voice);
            segment.failure = Some(failure.clone());
            if turns.len() == 1 {
                segment.why.get_or_insert_with(|| format!("{name} failed ({})", failure.kind.name()));
            } else {
                segment.first = None; // It goes to another with the one before it.
            }
            if failure.kind.is_worth_one_retry() {
                let again = segment.again.map_or(voice.member, |other| other.min(voice.member));
                segment.again = Some(again);
            }
            if segment.speaker == Some(voice) {
                let known = self.streams.progress(voice, segment.said.id);
                let rate = self.ms_per_char.get(&(voice.member, segment.language));
                segment.break_off(known, rate.copied().unwrap_or(MS_PER_CHAR), &self.saying.lexicon);
            }
        }
        turns.dedup();
        turns.into_iter().for_each(|turn| self.streams.cancel(voice, turn));
    }

    /// Puts a failure on the record, and keeps the rest of the turn from its provider.
    fn count_failure(&mut self, member: usize, failure: &Failure, now: Instant, since: Instant) {
        self.ranked.members()[member].failed(now, failure.kind);
        if !self.failed.contains(&member) {
            self.failed.push(member);
        }
        let name = self.ranked.members()[member].name();
        self.note(name, ProviderState::Failed, failure.to_string(), now.saturating_duration_since(since));
    }

    fn note(&mut self, provider: &str, state: ProviderState, reason: String, delay: Duration) {
        let (provider, delay_ms) = (provider.to_owned(), millis(delay));
        self.ready.push_back(TtsEvent::Provider(ProviderNote { provider, state, reason, delay_ms }));
    }

    // ------------------------------------------------------------ what leaves

    /// Lets what came of the first segment leave. True when it is over and the next is the first.
    fn release(&mut self, now: Instant) -> bool {
        while let Some((member, event)) = self.line.front_mut().and_then(|s| s.early.pop_front()) {
            if let TtsEvent::Audio { segment, mulaw } = &event {
                self.sounding = Some(segment.turn);
                self.play.give(now, mulaw.len());
                self.note_voice(member);
            }
            self.ready.push_back(event);
        }
        if self.line.front().is_none_or(|s| !s.over) {
            return false;
        }
        self.line.pop_front();
        self.wait_for_first(now);
        true
    }

    /// Tells before the audio that another voice speaks from here on.
    fn note_voice(&mut self, member: usize) {
        let Some(segment) = self.line.front_mut() else { return };
        let why = segment.why.take();
        let (first, waited) = (segment.first, Duration::from_millis(u64::from(segment.waited_ms)));
        let as_asked = first == Some(member);
        if member == self.heard && (as_asked || why.is_none()) {
            return;
        }
        let members = self.ranked.members();
        let (name, preferred) = (members[member].name(), members[0].name());
        let (state, reason) = match why {
            _ if member == 0 && as_asked => (ProviderState::Recovered, "speaks again".to_owned()),
            Some(why) => (ProviderState::TookOver, why),
            None => (ProviderState::TookOver, format!("{preferred} is left alone for now")),
        };
        self.heard = member;
        self.note(name, state, reason, waited);
    }

    // ------------------------------------------------------------ time

    /// The first segment is waited for from now on, unless its audio is coming already.
    fn wait_for_first(&mut self, now: Instant) {
        if let Some(first) = self.line.front_mut()
            && !first.has_begun()
        {
            first.since = first.since.max(now);
        }
    }

    /// From when on a try counts: it was asked, its turn to be heard has come, and we listen.
    fn counts_from(&self, segment: &Segment, asked: Instant) -> Instant {
        let from = asked.max(segment.since);
        self.deaf.map_or(from, |deaf| from.max(deaf))
    }

    /// When the voice that was asked last is asked once more.
    fn slow_at(&self, segment: &Segment) -> Option<Instant> {
        let last = segment.tries.last().filter(|t| !t.slow && segment.speaker.is_none())?;
        let late = self.counts_from(segment, last.asked) + self.deadlines.first;
        // While there is enough to play, nobody waits.
        Some(self.play.no_sooner(late, self.deadlines.first))
    }

    /// When whoever speaks is too late with its next piece for a standby to fill in without a gap.
    fn broken_at(&self, segment: &Segment) -> Option<Instant> {
        segment.speaker.filter(|_| !segment.over)?;
        let last = self.counts_from(segment, segment.last?) + self.deadlines.between;
        Some(self.play.no_sooner(last, self.deadlines.first))
    }

    fn due(&self) -> Option<Instant> {
        let first = self.line.front().into_iter().flat_map(|s| {
            let given_up = s.tries.iter().map(|t| self.counts_from(s, t.asked) + self.deadlines.give_up);
            given_up.chain(self.slow_at(s)).chain(self.broken_at(s))
        });
        first.min()
    }

    fn on_due(&mut self, now: Instant) {
        let give_up = self.deadlines.give_up;
        let silent = Failure::stalled("no audio in time");
        let Some(first) = self.line.front() else { return };
        if self.broken_at(first).is_some_and(|at| now >= at)
            && let Some(voice) = first.speaker
        {
            self.fail(voice, &Failure::stalled("the audio stopped"), now);
            return;
        }
        let lost = |t: &&Try| now >= self.counts_from(first, t.asked) + give_up;
        if let Some(voice) = first.tries.iter().find(lost).map(|t| t.voice) {
            self.drop_tries_beside(voice);
            self.fail(voice, &silent, now);
        } else if self.slow_at(first).is_some_and(|at| now >= at) {
            self.ask_once_more(now);
        }
    }

    /// A voice that gave nothing in its time is not waited for because it was asked twice.
    fn drop_tries_beside(&mut self, voice: Voice) {
        let Some(segment) = self.line.front_mut() else { return };
        let turn = segment.said.id.turn;
        let is_same = |t: &mut Try| t.voice.member == voice.member && t.voice != voice;
        let others: Vec<Try> = segment.tries.extract_if(.., is_same).collect();
        others.into_iter().for_each(|other| self.streams.cancel(other.voice, turn));
    }

    /// The first segment's audio is late. Its voice is asked for it once more, on a stream of its own: a connection that is
    /// slow or lost is no reason to go on in another voice. The first audio wins; another voice is asked when this
    /// one has given nothing until its deadline.
    fn ask_once_more(&mut self, now: Instant) {
        let Some(segment) = self.line.front_mut() else { return };
        let (language, waited) = (segment.language, now.saturating_duration_since(segment.since));
        let Some(last) = segment.tries.last_mut() else { return };
        last.slow = true;
        let member = last.voice.member;
        let provider = &self.ranked.members()[member];
        let (name, is_local) = (provider.name(), provider.is_local());
        segment.why.get_or_insert_with(|| format!("{name} is late"));
        self.note(name, ProviderState::Slow, "no audio by the deadline".to_owned(), waited);
        // On this machine there is no connection to be lost, and asking twice makes it slower.
        if is_local || self.streams.renew(member, language).is_err() || self.put_to(0, member, now).is_err() {
            return;
        }
        if let Some(again) = self.line.front_mut().and_then(|segment| segment.tries.last_mut()) {
            again.slow = true;
        }
    }
}

fn millis(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}
