//! A call in virtual time: the real session, a carrier that plays and echoes marks, a responder that answers after a
//! set time, and whatever ears it is given. Nothing here waits, so a minute of talk takes as long as its models do.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use pipeline::audio::echo::GuardedVad;
use pipeline::audio::g711::{f32_to_mulaw, mulaw_decode};
use pipeline::ports::{
    AfterReply, LogEvent, ReplyCommand, ReplyEvent, SttCommand, SttEvent, TtsCommand, TtsEvent, TurnInput,
    VoiceActivity,
};
use pipeline::session::state::Agent;
use pipeline::session::{Input, Output, Session, SessionConfig};
use pipeline::turn::{Expectation, ReplySegment, SegmentId, SegmentKind, TurnId};
use telephony::media::{AudioFrame, CallTime, FRAME_BYTES, FRAME_MS, MediaCommand, MediaEvent};
use telephony::sim::{Impairments, SimCarrier};

/// Time that storage takes, and that our voice takes.
const DURABLE: Duration = Duration::from_millis(3);
const SYNTHESIS: Duration = Duration::from_millis(15);
/// Mu-law of an answer of no interest: 0.6 s.
const ANSWER: [u8; 4_800] = [0x20; 4_800];

/// A recogniser in virtual time.
pub trait Ear {
    fn command(&mut self, now: CallTime, command: &SttCommand);
    /// When it has something to say next.
    fn next(&self) -> Option<CallTime>;
    /// What it has to say by now. Asked until `None`.
    fn poll(&mut self, now: CallTime) -> Option<SttEvent>;
}

/// Our own voice, come back from the caller's loudspeaker.
#[derive(Clone, Copy, Debug)]
pub struct Echo {
    pub delay: Duration,
    /// Against our voice as it was sent; negative.
    pub decibels: f32,
}

/// What a call is made of.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    pub config: SessionConfig,
    /// What our first words ask for.
    pub expects: Expectation,
    /// Our first words: text and mu-law of each segment. Empty: the caller begins.
    pub opening: Vec<(String, Vec<u8>)>,
    /// From the start of a reply, on a guess or not, to its first words.
    pub reply_after: Duration,
    pub echo: Option<Echo>,
}

/// What the recogniser said.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    pub at: CallTime,
    pub text: String,
    /// Of a final, 0–1.
    pub confidence: Option<f32>,
}

/// One pause of the caller's, and what was known of it in the end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pause {
    pub at: CallTime,
    /// Number of the utterance, and of the pause in it.
    pub of: (u32, u32),
    pub text: Option<String>,
    pub complete: Option<f32>,
}

/// What happened, and when.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// Turns of the caller's that were taken to be over.
    pub committed: Vec<CallTime>,
    /// What each was answered for.
    pub answered: Vec<String>,
    pub pauses: Vec<Pause>,
    /// Frames that we sent.
    pub frames: Vec<CallTime>,
    pub clears: Vec<CallTime>,
    /// Our voice was lowered.
    pub yields: Vec<CallTime>,
    pub texts: Vec<Text>,
    pub judgements: Vec<(CallTime, f32)>,
    /// Replies begun on a guess.
    pub guesses: u32,
    /// Words of the reply that is under way.
    input: String,
}

/// The call.
pub struct VirtualCall<E> {
    session: Session,
    setup: Setup,
    carrier: SimCarrier,
    /// As the driver has it: our own voice discounted.
    vad: GuardedVad,
    may_echo: bool,
    pub ear: E,
    caller: Vec<AudioFrame>,
    /// Frames of the caller's that were given.
    given: usize,
    queue: BTreeMap<(CallTime, u64), Input>,
    order: u64,
    now: CallTime,
    opening: Option<TurnId>,
    pub course: Course,
}

impl<E> fmt::Debug for VirtualCall<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VirtualCall").field("now", &self.now).finish_non_exhaustive()
    }
}

impl<E: Ear> VirtualCall<E> {
    /// The caller's audio begins with the stream; after it there is silence.
    pub fn new(setup: Setup, caller: Vec<AudioFrame>, vad: Box<dyn VoiceActivity>, ear: E) -> Self {
        Self {
            session: Session::new(setup.config.clone(), CallTime::ZERO),
            setup,
            carrier: SimCarrier::new(1, Impairments::default()),
            vad: GuardedVad::new(vad),
            may_echo: true,
            ear,
            caller,
            given: 0,
            queue: BTreeMap::new(),
            order: 0,
            now: CallTime::ZERO,
            opening: None,
            course: Course::default(),
        }
    }

    /// Runs to this time, or until `over` says that enough was seen.
    pub fn run(&mut self, end: CallTime, over: impl Fn(&Course) -> bool) {
        loop {
            let Some(deadline) = self.drain() else { return };
            if over(&self.course) {
                return;
            }
            let due = [
                Some(deadline),
                Some(self.next_frame()),
                self.queue.keys().next().map(|k| k.0),
                self.carrier.deadline(),
                self.ear.next(),
            ];
            let next = due.into_iter().flatten().min().unwrap_or(deadline).max(self.now);
            if next > end {
                return;
            }
            self.now = next;
            let input = self.next_input();
            let before = self.session.regions().agent;
            self.session.handle_input(next, input);
            let after = self.session.regions().agent;
            if before != Agent::Yielding && after == Agent::Yielding {
                self.course.yields.push(next);
            }
        }
    }

    /// When our first frame was audible at the caller's.
    pub fn audible_from(&self) -> Option<CallTime> {
        self.carrier.heard().first().map(|h| h.from)
    }

    /// A frame is there when its last sample is.
    fn next_frame(&self) -> CallTime {
        CallTime::from_ms((self.given as u64 + 1) * FRAME_MS)
    }

    fn next_input(&mut self) -> Input {
        while let Some(event) = self.carrier.poll(self.now) {
            match event {
                MediaEvent::MarkPlayed(mark) => return Input::MarkPlayed(mark),
                MediaEvent::Stopped => return Input::CarrierStopped,
                MediaEvent::Digit(_)
                | MediaEvent::Frame(_)
                | MediaEvent::Heard(_)
                | MediaEvent::Started(_) => {}
            }
        }
        if self.queue.keys().next().is_some_and(|k| k.0 <= self.now) {
            return self.queue.pop_first().map_or(Input::Tick, |(_, input)| input);
        }
        if self.next_frame() <= self.now {
            return self.caller_frame();
        }
        match self.ear.poll(self.now) {
            Some(event) => {
                self.note(&event);
                Input::Stt(event)
            }
            None => Input::Tick,
        }
    }

    fn note(&mut self, event: &SttEvent) {
        match event {
            SttEvent::Interim { text, .. } => {
                self.course.texts.push(Text { at: self.now, text: text.clone(), confidence: None });
            }
            SttEvent::Final { utterance, pause, text, confidence, .. } => {
                if let Some(p) = self.pause((utterance.0, *pause)) {
                    p.text = Some(text.clone());
                }
                let confidence = Some(*confidence);
                self.course.texts.push(Text { at: self.now, text: text.clone(), confidence });
            }
            SttEvent::TurnEnd { utterance, pause, probability } => {
                if let Some(p) = self.pause((utterance.0, *pause)) {
                    p.complete = Some(*probability);
                }
                self.course.judgements.push((self.now, *probability));
            }
            _ => {}
        }
    }

    fn pause(&mut self, of: (u32, u32)) -> Option<&mut Pause> {
        self.course.pauses.iter_mut().rfind(|p| p.of == of)
    }

    fn listen(&mut self, command: &SttCommand) {
        if let SttCommand::Pause { utterance, pause, .. } = command {
            self.course.pauses.push(Pause { at: self.now, of: (utterance.0, *pause), ..Pause::default() });
        }
        self.ear.command(self.now, command);
    }

    fn caller_frame(&mut self) -> Input {
        let said = self.caller.get(self.given).copied().unwrap_or(AudioFrame::SILENCE);
        let frame = self.setup.echo.map_or(said, |echo| self.with_echo(said, echo));
        self.given += 1;
        if let Some(score) = self.vad.push(self.now, &frame) {
            let may_echo = self.vad.may_echo();
            if self.may_echo != may_echo {
                self.may_echo = may_echo;
                self.after(Duration::ZERO, Input::Echo(may_echo));
            }
            self.after(Duration::ZERO, Input::Vad(score));
        }
        Input::Frame(frame)
    }

    fn with_echo(&self, said: AudioFrame, echo: Echo) -> AudioFrame {
        let factor = 10f32.powf(echo.decibels / 20.0);
        let heard = self.carrier.heard();
        let begins = CallTime::from_ms(self.given as u64 * FRAME_MS);
        let sample = |i: usize| {
            let own = f32::from(mulaw_decode(said.bytes()[i]));
            let at = begins + Duration::from_micros(i as u64 * 125);
            if at < CallTime::ZERO + echo.delay {
                return own / 32_768.0;
            }
            let at = at - echo.delay;
            let frame = heard[..heard.partition_point(|h| h.from <= at)].last().filter(|h| at < h.to);
            let place = |from: CallTime| (at.since(from).as_micros() / 125) as usize;
            let ours = frame.map_or(0.0, |h| {
                f32::from(mulaw_decode(h.frame.bytes()[place(h.from).min(FRAME_BYTES - 1)]))
            });
            (own + ours * factor) / 32_768.0
        };
        let pcm: Vec<f32> = (0..FRAME_BYTES).map(sample).collect();
        let mut codes = Vec::with_capacity(FRAME_BYTES);
        f32_to_mulaw(&pcm, &mut codes);
        codes[..].try_into().map_or(said, AudioFrame)
    }

    fn after(&mut self, wait: Duration, input: Input) {
        self.order += 1;
        self.queue.insert((self.now + wait, self.order), input);
    }

    /// The next deadline, or `None` when the call is over.
    fn drain(&mut self) -> Option<CallTime> {
        loop {
            match self.session.poll_output() {
                Output::Wait(deadline) => return Some(deadline),
                Output::Ended(_) => return None,
                Output::Carrier(command) => self.send(command),
                Output::Stt(command) => self.listen(&command),
                Output::Reply(command) => self.reply(command),
                Output::Tts(TtsCommand::Speak(segment)) => self.speak(&segment),
                Output::Tts(_) | Output::Person(_) | Output::Emit(_) => {}
                Output::Log(entry) => {
                    self.after(DURABLE, Input::Log(LogEvent::Durable { seq: entry.seq }));
                }
            }
        }
    }

    fn send(&mut self, command: MediaCommand) {
        self.vad.sent(self.now, &command);
        match command {
            MediaCommand::Frame(_) => self.course.frames.push(self.now),
            MediaCommand::Clear => self.course.clears.push(self.now),
            MediaCommand::Mark(_) | MediaCommand::Close => {}
        }
        self.carrier.handle_command(self.now, command);
    }

    fn reply(&mut self, command: ReplyCommand) {
        match command {
            ReplyCommand::Start { turn, input: TurnInput::Opened, .. } => self.open(turn),
            ReplyCommand::Start { turn, input, speculative } => {
                self.course.input =
                    if let TurnInput::Said { text, .. } = &input { text.clone() } else { String::new() };
                if speculative {
                    self.course.guesses += 1;
                } else if !matches!(input, TurnInput::Silence { .. }) {
                    self.commit();
                }
                self.answer(turn);
            }
            ReplyCommand::Commit { .. } => self.commit(),
            ReplyCommand::Cancel { .. }
            | ReplyCommand::Heard(_)
            | ReplyCommand::TakenBack { .. }
            | ReplyCommand::Language(_)
            | ReplyCommand::Told(_)
            | ReplyCommand::Overheard(_) => {}
        }
    }

    fn commit(&mut self) {
        self.course.committed.push(self.now);
        self.course.answered.push(self.course.input.clone());
    }

    fn open(&mut self, turn: TurnId) {
        self.opening = Some(turn);
        for index in 0..self.setup.opening.len() {
            let text = self.setup.opening[index].0.clone();
            self.segment(turn, index, text, Duration::ZERO);
        }
        let (expects, then) = (self.setup.expects, AfterReply::Listen);
        self.after(Duration::ZERO, Input::Reply(ReplyEvent::Done { turn, expects, then }));
    }

    fn answer(&mut self, turn: TurnId) {
        let wait = self.setup.reply_after;
        self.segment(turn, 0, "All right.".to_owned(), wait);
        let (expects, then) = (self.setup.expects, AfterReply::Listen);
        self.after(wait, Input::Reply(ReplyEvent::Done { turn, expects, then }));
    }

    fn segment(&mut self, turn: TurnId, index: usize, text: String, wait: Duration) {
        let id = SegmentId { turn, index: u16::try_from(index).unwrap_or(u16::MAX) };
        let segment = ReplySegment { id, text, kind: SegmentKind::Reply, fixed: false };
        self.after(wait, Input::Reply(ReplyEvent::Segment(segment)));
    }

    fn speak(&mut self, segment: &ReplySegment) {
        let id = segment.id;
        let ours =
            self.opening.filter(|turn| *turn == id.turn).and(self.setup.opening.get(usize::from(id.index)));
        let mulaw = ours.map_or_else(|| ANSWER.to_vec(), |(_, mulaw)| mulaw.clone());
        self.after(SYNTHESIS, Input::Tts(TtsEvent::Audio { segment: id, mulaw }));
        self.after(SYNTHESIS, Input::Tts(TtsEvent::Done { segment: id, words: Vec::new() }));
    }
}

/// Speech scores that were found before, given again: they do not depend on what the session does.
#[derive(Clone, Debug)]
pub struct Scores(std::vec::IntoIter<Option<f32>>);

impl Scores {
    /// The scores that a detector gives these frames.
    pub fn of(vad: &mut dyn VoiceActivity, frames: &[AudioFrame]) -> Self {
        Self(frames.iter().map(|f| vad.push(f)).collect::<Vec<_>>().into_iter())
    }
}

impl VoiceActivity for Scores {
    fn push(&mut self, _: &AudioFrame) -> Option<f32> {
        self.0.next().flatten()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::clips::Word;
    use crate::cloud_ear::CloudEar;

    /// Speech wherever a frame is not silent.
    struct Loud(usize);

    impl VoiceActivity for Loud {
        fn push(&mut self, frame: &AudioFrame) -> Option<f32> {
            self.0 += FRAME_BYTES;
            let whole = self.0 >= 256;
            self.0 -= if whole { 256 } else { 0 };
            whole.then(|| if *frame == AudioFrame::SILENCE { 0.0 } else { 0.9 })
        }
    }

    fn talk(from_ms: u64, to_ms: u64) -> Vec<AudioFrame> {
        let loud = |k: u64| {
            if (from_ms..to_ms).contains(&(k * FRAME_MS)) {
                AudioFrame([0x10; 160])
            } else {
                AudioFrame::SILENCE
            }
        };
        (0..250).map(loud).collect()
    }

    fn word(text: &str, from_ms: u64, to_ms: u64) -> Word {
        Word { text: text.into(), from_ms, to_ms }
    }

    #[test]
    fn a_sentence_is_committed_after_the_silence_that_it_needs() {
        let wait = Duration::from_millis(450);
        let config = SessionConfig { first_silence: wait, opening_silence: wait, ..SessionConfig::cloud() };
        let words = vec![word("Hello", 1_000, 1_500), word("there.", 1_500, 2_000)];
        let setup = Setup { config, reply_after: Duration::from_millis(100), ..Setup::default() };
        let mut call =
            VirtualCall::new(setup, talk(1_000, 2_000), Box::new(Loud(0)), CloudEar::new(words, 100, 0));
        call.run(CallTime::from_ms(4_000), |_| false);
        let [committed] = call.course.committed[..] else { panic!("{:?}", call.course) };
        assert!((2_430..2_540).contains(&committed.as_ms()), "{committed:?}");
        assert!(call.course.frames[0] >= committed);
    }

    #[test]
    fn a_word_over_our_voice_lowers_it_and_then_clears_it() {
        let setup = Setup {
            config: SessionConfig::cloud(),
            opening: vec![("The office is open from eight to five.".into(), vec![0x20; 40_000])],
            ..Setup::default()
        };
        let words = vec![word("Wait", 2_000, 2_300)];
        let mut call =
            VirtualCall::new(setup, talk(2_000, 2_400), Box::new(Loud(0)), CloudEar::new(words, 150, 0));
        call.run(CallTime::from_ms(4_000), |_| false);
        let (duck, clear) = (call.course.yields[0].as_ms(), call.course.clears[0].as_ms());
        assert!((2_020..2_100).contains(&duck), "{duck}");
        // The word's end, 150 ms, and the next interim.
        assert!((2_450..=2_510).contains(&clear), "{clear}");
    }

    /// Counts frames up to the first that is not silent.
    struct Watch(Arc<AtomicUsize>, bool);

    impl VoiceActivity for Watch {
        fn push(&mut self, frame: &AudioFrame) -> Option<f32> {
            self.1 |= *frame != AudioFrame::SILENCE;
            if !self.1 {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
            None
        }
    }

    #[test]
    fn our_voice_comes_back_late_and_softer() {
        let setup = Setup {
            opening: vec![("The office is open.".into(), [vec![0xFF; 4_000], vec![0x20; 16_000]].concat())],
            echo: Some(Echo { delay: Duration::from_millis(200), decibels: -20.0 }),
            ..Setup::default()
        };
        let silent = Arc::new(AtomicUsize::new(0));
        let vad = Box::new(Watch(Arc::clone(&silent), false));
        let mut call = VirtualCall::new(setup, Vec::new(), vad, CloudEar::new(Vec::new(), 150, 0));
        call.run(CallTime::from_ms(1_500), |_| false);
        let first = call.audible_from().unwrap().as_ms();
        assert_eq!(
            silent.load(Ordering::Relaxed) as u64,
            (first + 500 + 200) / FRAME_MS,
            "first heard at {first}"
        );
        let echo = Echo { delay: Duration::from_millis(100), decibels: -20.0 };
        let frame = call.with_echo(AudioFrame::SILENCE, echo);
        let ours = f32::from(mulaw_decode(0x20)).abs();
        let back = f32::from(mulaw_decode(frame.bytes()[0])).abs();
        assert!((back / ours - 0.1).abs() < 0.02, "{ours} came back as {back}");
    }
}
