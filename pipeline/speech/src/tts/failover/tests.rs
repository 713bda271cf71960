#![allow(clippy::unwrap_used)]
//! The fail-over in virtual time, around voices that do exactly as they are told.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use tokio::time::{Instant, sleep, timeout};

use super::*;
use pipeline::ports::{Language, ProviderState, TtsCommand, TtsEvent};
use pipeline::provider::{Failure, Kind};
use pipeline::turn::{ReplySegment, SegmentId, SegmentKind, TurnId, WordTime};

/// 60 ms a character, in pieces of 100 ms.
const LETTER_MS: usize = 60;
const PIECE_MS: usize = 100;

/// What a voice does with one segment.
#[derive(Clone, Copy, Debug)]
struct Plan {
    first_ms: u64,
    spacing_ms: u64,
    /// Pieces before it ends differently.
    pieces: usize,
    end: End,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Done,
    Silence,
    Failed(Kind),
}

const WELL: Plan = Plan { first_ms: 100, spacing_ms: 5, pieces: usize::MAX, end: End::Done };
const SILENT: Plan = Plan { pieces: 0, end: End::Silence, ..WELL };

fn after(first_ms: u64) -> Plan {
    Plan { first_ms, ..WELL }
}

fn breaks_after(pieces: usize, kind: Kind) -> Plan {
    Plan { pieces, end: End::Failed(kind), ..WELL }
}

/// A voice with plans for its next segments; after those it is well.
#[derive(Clone, Default)]
struct Scripted {
    plans: Arc<Mutex<VecDeque<Plan>>>,
    /// Texts it was asked for, and cancels.
    asked: Arc<Mutex<Vec<String>>>,
    /// Streams that were opened.
    opened: Arc<AtomicUsize>,
    english_only: bool,
    /// Goes on in spite of cancels.
    stubborn: bool,
}

impl Scripted {
    fn with(plans: impl IntoIterator<Item = Plan>) -> Self {
        Self { plans: Arc::new(Mutex::new(plans.into_iter().collect())), ..Self::default() }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().clone()
    }

    async fn speak(self, segment: ReplySegment, outbox: mpsc::Sender<TtsEvent>) {
        let plan = self.plans.lock().pop_front().unwrap_or(WELL);
        sleep(Duration::from_millis(plan.first_ms)).await;
        let (id, total_ms) = (segment.id, segment.text.chars().count() * LETTER_MS);
        for (n, from) in (0..total_ms).step_by(PIECE_MS).enumerate() {
            if n >= plan.pieces {
                break;
            }
            let mulaw = vec![0x55; PIECE_MS.min(total_ms - from) * 8];
            let _ = outbox.send(TtsEvent::Audio { segment: id, mulaw }).await;
            sleep(Duration::from_millis(plan.spacing_ms)).await;
        }
        let event = match plan.end {
            End::Done => TtsEvent::Done { segment: id, words: Vec::new() },
            End::Failed(kind) => TtsEvent::Failed { segment: id, failure: Failure::new(kind, "as planned") },
            End::Silence => std::future::pending().await,
        };
        let _ = outbox.send(event).await;
    }

    /// Says one segment after the other; a cancel stops at once.
    async fn serve(self, mut inbox: mpsc::Receiver<TtsCommand>, outbox: mpsc::Sender<TtsEvent>) {
        let mut line: VecDeque<ReplySegment> = VecDeque::new();
        let mut work: Option<(TurnId, BoxFuture<'static, ()>)> = None;
        loop {
            if work.is_none() {
                work = line.pop_front().map(|s| (s.id.turn, self.clone().speak(s, outbox.clone()).boxed()));
            }
            let done = async {
                match &mut work {
                    Some((_, work)) => work.await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                command = inbox.recv() => match command {
                    Some(TtsCommand::Speak(segment)) => {
                        self.asked.lock().push(segment.text.clone());
                        line.push_back(segment);
                    }
                    Some(TtsCommand::Cancel { .. }) if self.stubborn => {
                        self.asked.lock().push("cancel".to_owned());
                    }
                    Some(TtsCommand::Cancel { turn }) => {
                        self.asked.lock().push("cancel".to_owned());
                        line.retain(|s| s.id.turn != turn);
                        work = work.filter(|(at_work, _)| *at_work != turn);
                    }
                    Some(TtsCommand::Language(_)) => {}
                    None => return,
                },
                () = done => work = None,
            }
        }
    }
}

impl TextToSpeech for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn open(&self, saying: &Saying) -> Result<TtsStream, PortError> {
        if self.english_only && saying.language != Language::En {
            return Err(PortError::Full("English"));
        }
        self.opened.fetch_add(1, Ordering::Relaxed);
        let (commands, inbox) = mpsc::channel(64);
        let (outbox, events) = mpsc::channel(64);
        tokio::spawn(self.clone().serve(inbox, outbox));
        Ok(TtsStream { commands, events })
    }
}

/// A chain of voices named a, b, c, and what the caller hears of it.
struct Call {
    stream: TtsStream,
}

fn chain(voices: &[&Scripted]) -> FailoverTts {
    let names = ["a", "b", "c"];
    let member = |(voice, name): (&&Scripted, &'static str)| {
        Member::remote(name, Arc::new((*voice).clone()) as Arc<dyn TextToSpeech>)
    };
    FailoverTts::new(Ranked::new(voices.iter().zip(names).map(member).collect()))
}

#[derive(Debug, Default)]
struct Heard {
    bytes: usize,
    first_ms: u128,
    words: Vec<WordTime>,
    failed: Option<Kind>,
    /// `name state` with the delay in ms.
    notes: Vec<(String, u32)>,
}

impl Heard {
    fn ms(&self) -> usize {
        self.bytes / 8
    }

    fn notes(&self) -> Vec<&str> {
        self.notes.iter().map(|(note, _)| note.as_str()).collect()
    }
}

impl Call {
    fn of(chain: &FailoverTts) -> Self {
        Self { stream: chain.open(&Saying::default()).unwrap() }
    }

    async fn say(&self, turn: u32, index: u16, text: &str) {
        self.say_as(SegmentKind::Reply, turn, index, text).await;
    }

    async fn say_as(&self, kind: SegmentKind, turn: u32, index: u16, text: &str) {
        let id = SegmentId { turn: TurnId(turn), index };
        let segment = ReplySegment { id, text: text.to_owned(), kind, fixed: false };
        self.stream.commands.send(TtsCommand::Speak(segment)).await.unwrap();
    }

    /// Listens until the next segment is over; nothing of another may come before.
    async fn hear(&mut self) -> (SegmentId, Heard) {
        let mut heard = Heard::default();
        let mut of = None;
        let asked = Instant::now();
        loop {
            let event = timeout(Duration::from_secs(30), self.stream.events.recv()).await.unwrap().unwrap();
            match event {
                TtsEvent::Audio { segment, mulaw } => {
                    assert_eq!(*of.get_or_insert(segment), segment, "segments are not mixed");
                    if heard.bytes == 0 {
                        heard.first_ms = asked.elapsed().as_millis();
                    }
                    heard.bytes += mulaw.len();
                }
                TtsEvent::Done { segment, words } => {
                    heard.words = words;
                    return (segment, heard);
                }
                TtsEvent::Failed { segment, failure } => {
                    heard.failed = Some(failure.kind);
                    return (segment, heard);
                }
                TtsEvent::Provider(note) => {
                    heard.notes.push((format!("{} {}", note.provider, note.state.name()), note.delay_ms));
                }
                TtsEvent::Used(_) => {}
            }
        }
    }

    async fn turn(&mut self, turn: u32, text: &str) -> Heard {
        self.say(turn, 0, text).await;
        let (id, heard) = self.hear().await;
        assert_eq!(id.turn, TurnId(turn));
        heard
    }
}

const TEXT: &str = "one two three four five";
const TEXT_MS: usize = TEXT.len() * LETTER_MS;

#[tokio::test(start_paused = true)]
async fn a_voice_that_is_well_is_alone() {
    let (a, b) = (Scripted::default(), Scripted::default());
    let heard = Call::of(&chain(&[&a, &b])).turn(1, TEXT).await;
    assert_eq!((heard.ms(), heard.notes(), heard.first_ms), (TEXT_MS, vec![], 100));
    assert_eq!(b.asked(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_standby_is_opened_when_it_is_needed_and_not_before() {
    let (a, b, c) = (Scripted::with([WELL, SILENT, SILENT]), Scripted::default(), Scripted::default());
    let opened = || [&a, &b, &c].map(|voice| voice.opened.load(Ordering::Relaxed));
    let mut call = Call::of(&chain(&[&a, &b, &c]));
    call.turn(1, TEXT).await;
    assert_eq!(opened(), [1, 0, 0]);
    call.stream.commands.send(TtsCommand::Language(Language::En)).await.unwrap();
    sleep(Duration::from_secs(5)).await;
    assert_eq!(call.turn(2, TEXT).await.notes(), ["a slow", "a failed", "b took_over"]);
    assert_eq!(opened(), [2, 1, 0]);
}

#[tokio::test(start_paused = true)]
async fn a_late_voice_is_asked_once_more_and_no_other_is() {
    let (a, b) = (Scripted::with([after(900)]), Scripted::default());
    let mut call = Call::of(&chain(&[&a, &b]));
    let heard = call.turn(1, TEXT).await;
    assert_eq!((heard.ms(), heard.first_ms), (TEXT_MS, 500));
    assert_eq!(heard.notes, [("a slow".to_owned(), 400)]);
    assert_eq!(call.turn(2, TEXT).await.notes(), [""; 0]);
    assert_eq!(
        (a.asked(), b.asked()),
        (vec![TEXT.to_owned(), TEXT.into(), "cancel".into(), TEXT.into()], vec![])
    );
}

#[tokio::test(start_paused = true)]
async fn a_late_voice_that_is_still_the_first_speaks_and_its_second_try_is_cancelled() {
    let (a, b) = (Scripted::with([after(600), after(900)]), Scripted::default());
    let heard = Call::of(&chain(&[&a, &b])).turn(1, TEXT).await;
    assert_eq!((heard.ms(), heard.notes(), heard.first_ms), (TEXT_MS, vec!["a slow"], 600));
    assert_eq!((a.asked(), b.asked()), (vec![TEXT.to_owned(), TEXT.into(), "cancel".into()], vec![]));
}

#[tokio::test(start_paused = true)]
async fn a_voice_that_never_answers_has_failed_and_then_another_speaks() {
    let (a, b) = (Scripted::with([SILENT, SILENT]), Scripted::default());
    let mut call = Call::of(&chain(&[&a, &b]));
    let heard = call.turn(1, TEXT).await;
    assert_eq!((heard.ms(), heard.first_ms), (TEXT_MS, 1_300));
    assert_eq!(heard.notes(), ["a slow", "a failed", "b took_over"]);
    assert_eq!(heard.notes[1].1, 1_200);
    assert_eq!(call.turn(2, TEXT).await.notes(), ["a recovered"]);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_fails_while_its_second_is_asked_costs_nobody_their_voice() {
    let fails = Plan { first_ms: 450, ..breaks_after(0, Kind::Closed) };
    let (a, b) = (Scripted::with([fails]), Scripted::default());
    let mut call = Call::of(&chain(&[&a, &b]));
    call.say(1, 0, TEXT).await;
    call.say(1, 1, TEXT).await;
    assert_eq!(call.hear().await.1.notes(), ["a slow", "a failed"]);
    assert_eq!(call.hear().await.1.ms(), TEXT_MS);
    assert_eq!(b.asked(), [""; 0], "of the next segment neither");
}

#[tokio::test(start_paused = true)]
async fn a_voice_of_this_machine_is_not_asked_twice() {
    let (a, b) = (Scripted::with([after(900)]), Scripted::default());
    let members: Vec<Member<dyn TextToSpeech>> =
        vec![Member::local("a", Arc::new(a.clone())), Member::remote("b", Arc::new(b.clone()))];
    let heard = Call::of(&FailoverTts::new(Ranked::new(members))).turn(1, TEXT).await;
    assert_eq!((heard.first_ms, a.asked().len(), b.asked().len()), (900, 1, 0));
}

#[tokio::test(start_paused = true)]
async fn three_silences_open_the_breaker_and_the_next_turn_does_not_wait() {
    let (a, b) = (Scripted::with([SILENT; 9]), Scripted::default());
    let voices = chain(&[&a, &b]);
    let mut call = Call::of(&voices);
    for turn in 1..=3 {
        assert_eq!(call.turn(turn, TEXT).await.first_ms, 1_300);
    }
    assert!(!voices.ranked().members()[0].is_well());
    let heard = call.turn(4, TEXT).await;
    assert_eq!((heard.first_ms, heard.notes()), (100, vec![]));
    a.plans.lock().clear();
    sleep(Duration::from_secs(6)).await;
    let heard = call.turn(5, TEXT).await;
    assert_eq!((heard.first_ms, heard.notes()), (100, vec!["a recovered"]), "its trial");
    assert!(voices.ranked().members()[0].is_well());
}

#[tokio::test(start_paused = true)]
async fn a_turn_stays_with_who_took_over_and_its_segments_with_their_order() {
    let (a, b) = (Scripted::with([breaks_after(0, Kind::Server)]), Scripted::default());
    let mut call = Call::of(&chain(&[&a, &b]));
    for i in 0..6 {
        call.say(1, i, TEXT).await;
    }
    for i in 0..6 {
        let (id, heard) = call.hear().await;
        assert_eq!((id.index, heard.ms()), (i, TEXT_MS));
        let expected: &[&str] = if i == 0 { &["a failed", "b took_over"] } else { &[] };
        assert_eq!(heard.notes(), expected, "{i}");
    }
    assert_eq!(a.asked(), [TEXT, "cancel"]);
}

#[tokio::test(start_paused = true)]
async fn a_sentence_that_breaks_off_goes_on_from_the_first_word_that_was_not_whole() {
    // 9 pieces are 900 ms: "one two three" ends at 780 ms, "four" at 1,080 ms.
    let (a, b) = (Scripted::with([WELL, breaks_after(9, Kind::Closed)]), Scripted::default());
    let mut call = Call::of(&chain(&[&a, &b]));
    call.turn(1, TEXT).await; // From it the pace is known.
    let heard = call.turn(2, TEXT).await;
    assert_eq!(b.asked(), ["four five"]);
    assert_eq!(heard.ms(), 900 + "four five".len() * LETTER_MS);
    assert_eq!(heard.notes(), ["a failed", "b took_over"]);
    let words: Vec<_> = heard.words.iter().map(|w| (w.text.as_str(), w.start_ms, w.end_ms)).collect();
    let expected = [
        ("one", 0, 180),
        ("two", 240, 420),
        ("three", 480, 780),
        ("four", 900, 1_140),
        ("five", 1_200, 1_440),
    ];
    assert_eq!(words, expected);
}

#[tokio::test(start_paused = true)]
async fn word_times_told_along_the_way_decide_where_to_go_on() {
    /// Speaks 1 s of audio in which, by its own account, all but the last word lie.
    #[derive(Debug)]
    struct Telling;
    impl TextToSpeech for Telling {
        fn name(&self) -> &'static str {
            "telling"
        }

        fn open(&self, _: &Saying) -> Result<TtsStream, PortError> {
            let follower = crate::tts::progress::Progress::of_follower().unwrap();
            let (commands, mut inbox) = mpsc::channel(64);
            let (outbox, events) = mpsc::channel(64);
            tokio::spawn(async move {
                let Some(TtsCommand::Speak(s)) = inbox.recv().await else { return };
                let word = |(i, text): (usize, &str)| {
                    let at = i as u32 * 250;
                    WordTime { text: text.to_owned(), start_ms: at, end_ms: at + 250 }
                };
                follower.tell(s.id, TEXT.split(' ').enumerate().map(word).collect());
                outbox.send(TtsEvent::Audio { segment: s.id, mulaw: vec![0; 8_000] }).await.unwrap();
            });
            Ok(TtsStream { commands, events })
        }
    }
    let b = Scripted::default();
    let members: Vec<Member<dyn TextToSpeech>> =
        vec![Member::remote("a", Arc::new(Telling)), Member::remote("b", Arc::new(b.clone()))];
    let heard = Call::of(&FailoverTts::new(Ranked::new(members))).turn(1, TEXT).await;
    assert_eq!(b.asked(), ["five"]);
    assert_eq!(heard.words.iter().map(|w| w.start_ms).collect::<Vec<_>>(), [0, 250, 500, 750, 1_000]);
}

#[tokio::test(start_paused = true)]
async fn audio_that_stops_is_taken_over_before_the_caller_hears_the_end_of_it() {
    let stops = Plan { pieces: 12, end: End::Silence, ..WELL };
    let (a, b) = (Scripted::with([stops]), Scripted::default());
    let mut call = Call::of(&chain(&[&a, &b]));
    call.say(1, 0, TEXT).await;
    let began = Instant::now();
    let (_, heard) = call.hear().await;
    assert_eq!(heard.notes(), ["a failed", "b took_over"]);
    // 1,200 ms of audio began at 100 ms. The standby is asked 400 ms before they end, and needs 100.
    let took = began.elapsed().as_millis();
    assert!((1_000..1_100).contains(&took), "{took}");
}

#[tokio::test(start_paused = true)]
async fn a_late_segment_gets_no_company_while_there_is_enough_to_play() {
    let (a, b) = (Scripted::with([WELL, after(900)]), Scripted::default());
    let mut call = Call::of(&chain(&[&a, &b]));
    call.say(1, 0, &TEXT.repeat(3)).await;
    call.say(1, 1, TEXT).await;
    call.hear().await;
    assert_eq!(call.hear().await.1.notes(), [""; 0]);
    assert_eq!(b.asked(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn when_all_fail_the_segment_fails_once_and_the_next_turn_tries_again() {
    let down = || Scripted::with([breaks_after(0, Kind::Server), breaks_after(0, Kind::Server)]);
    let (a, b) = (down(), down());
    let mut call = Call::of(&chain(&[&a, &b]));
    let heard = call.turn(1, TEXT).await;
    assert_eq!(heard.failed, Some(Kind::Server));
    assert_eq!(
        heard.notes(),
        ["a failed", "b failed", "a failed", "tts exhausted"],
        "the first had one more try"
    );
    let heard = call.turn(2, TEXT).await;
    assert_eq!((heard.failed, heard.ms()), (None, TEXT_MS));
}

#[tokio::test(start_paused = true)]
async fn the_only_voice_is_asked_once_more_for_the_rest() {
    let a = Scripted::with([WELL, breaks_after(9, Kind::Closed)]);
    let mut call = Call::of(&chain(&[&a]));
    call.turn(1, TEXT).await;
    let heard = call.turn(2, TEXT).await;
    assert_eq!((heard.failed, heard.ms()), (None, 900 + "four five".len() * LETTER_MS));
    assert_eq!(heard.notes(), ["a failed"]);
    call.say(2, 1, TEXT).await;
    assert_eq!(call.hear().await.1.ms(), TEXT_MS, "and serves on");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_segment_and_a_turn_without_speech_are_no_failures() {
    let (a, b) = (Scripted::with([SILENT]), Scripted::default());
    let voices = chain(&[&a, &b]);
    let mut call = Call::of(&voices);
    sleep(Duration::from_secs(5)).await;
    call.say(1, 0, TEXT).await;
    sleep(Duration::from_millis(300)).await;
    call.stream.commands.send(TtsCommand::Cancel { turn: TurnId(1) }).await.unwrap();
    sleep(Duration::from_secs(5)).await;
    assert!(call.stream.events.try_recv().is_err());
    let heard = call.turn(2, TEXT).await;
    assert_eq!((heard.notes(), b.asked()), (vec![], vec![]));
}

#[tokio::test(start_paused = true)]
async fn a_filler_goes_to_whoever_serves_and_brings_nobody_back() {
    let (a, b) = (Scripted::with([breaks_after(0, Kind::Server)]), Scripted::default());
    let mut call = Call::of(&chain(&[&a, &b]));
    call.turn(1, TEXT).await;
    call.say_as(SegmentKind::Filler, 2, 0, "One moment.").await;
    assert_eq!(call.hear().await.1.notes(), [""; 0]);
    assert_eq!(a.asked(), [TEXT, "cancel"]);
    assert_eq!(call.turn(3, TEXT).await.notes(), ["a recovered"]);
}

#[tokio::test(start_paused = true)]
async fn a_voice_without_the_language_is_passed_over() {
    let a = Scripted { english_only: true, ..Scripted::default() };
    let b = Scripted::default();
    let voices = chain(&[&a, &b]);
    let mut call = Call::of(&voices);
    call.stream.commands.send(TtsCommand::Language(Language::Es)).await.unwrap();
    let heard = call.turn(1, "hola").await;
    assert_eq!((heard.notes(), a.asked().len()), (vec!["b took_over"], 0));
    call.stream.commands.send(TtsCommand::Language(Language::En)).await.unwrap();
    sleep(Duration::from_secs(5)).await;
    assert_eq!(call.turn(2, TEXT).await.notes(), ["a recovered"]);
    assert!(chain(&[&a]).open(&Language::Es.into()).is_err());
}

#[tokio::test(start_paused = true)]
async fn what_still_comes_of_a_cancelled_try_is_not_taken_for_the_new_one() {
    // a's first try is late and loses, does not mind that it is cancelled, and is asked again when its second breaks off.
    let slow = |first_ms, pieces, end| Plan { first_ms, spacing_ms: 100, pieces, end };
    let plans = [slow(600, usize::MAX, End::Done), slow(100, 6, End::Failed(Kind::Closed))];
    let a = Scripted { stubborn: true, ..Scripted::with(plans) };
    let b = Scripted { english_only: true, ..Scripted::default() };
    let mut call = Call { stream: chain(&[&a, &b]).open(&Language::Es.into()).unwrap() };
    let heard = call.turn(1, TEXT).await;
    let rest = a.asked().last().unwrap().clone();
    assert_eq!(heard.ms(), 600 + rest.len() * LETTER_MS, "{:?}", a.asked());
    assert_eq!((heard.failed, b.asked()), (None, vec![]));
}

#[tokio::test(start_paused = true)]
async fn no_task_is_left_when_the_call_is_over() {
    let (a, b) = (Scripted::with([after(900)]), Scripted::default());
    let mut call = Call::of(&chain(&[&a, &b]));
    call.turn(1, TEXT).await;
    drop(call);
    sleep(Duration::from_millis(10)).await;
    assert_eq!(tokio::runtime::Handle::current().metrics().num_alive_tasks(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_voice_whose_task_ends_has_failed() {
    #[derive(Debug)]
    struct Gone;
    impl TextToSpeech for Gone {
        fn name(&self) -> &'static str {
            "gone"
        }

        fn open(&self, _: &Saying) -> Result<TtsStream, PortError> {
            let ((commands, mut inbox), (outbox, events)) = (mpsc::channel(64), mpsc::channel(64));
            tokio::spawn(async move {
                inbox.recv().await;
                drop(outbox);
            });
            Ok(TtsStream { commands, events })
        }
    }
    let b = Scripted::default();
    let members: Vec<Member<dyn TextToSpeech>> =
        vec![Member::remote("a", Arc::new(Gone)), Member::remote("b", Arc::new(b))];
    let heard = Call::of(&FailoverTts::new(Ranked::new(members))).turn(1, TEXT).await;
    assert_eq!((heard.notes(), heard.ms()), (vec!["a failed", "b took_over"], TEXT_MS));
    assert_eq!(ProviderState::Failed.name(), "failed");
}
