//! Deepgram's recognisers, alone and with a standby, against a server that speaks their protocols.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Duration;

use pipeline::ports::{
    Hearing, Language, PortError, ProviderState, SpeechToText, SttCommand, SttEvent, SttStream,
};
use pipeline::provider::{Deadlines, Endpoint, Kind, Member, Ranked};
use pipeline::turn::{Expectation, UtteranceId};
use speech::stt::deepgram::{Deepgram, Flux, Settings};
use speech::stt::failover::FailoverStt;
use telephony::media::{AudioFrame, FRAME_BYTES, MULAW_SILENCE};
use tests::vendors::deepgram::{DeepgramServer, ListenOptions};
use tests::vendors::fault::Fault;
use tokio::time::{Instant, sleep_until, timeout};

const SAID: &str = "I need to move my appointment.";

fn options(texts: &[&str]) -> ListenOptions {
    ListenOptions { texts: texts.iter().map(|t| (*t).to_owned()).collect(), ..ListenOptions::default() }
}

fn settings(server: &DeepgramServer, model: &str) -> Settings {
    Settings::new(Endpoint::parse(&server.base()).unwrap(), "test-key".to_owned().into(), model)
}

fn nova(server: &DeepgramServer) -> Arc<dyn SpeechToText> {
    Arc::new(Deepgram::new(settings(server, "nova-3")))
}

fn flux(server: &DeepgramServer) -> Arc<dyn SpeechToText> {
    Arc::new(Flux::new(settings(server, "flux-general-en")))
}

fn loud() -> AudioFrame {
    AudioFrame(std::array::from_fn(|i| if i % 8 < 4 { 0x10 } else { 0x90 }))
}

fn quiet() -> AudioFrame {
    AudioFrame([MULAW_SILENCE; FRAME_BYTES])
}

/// A call's side of a stream: sends frames in real time and keeps what came.
struct Call {
    stream: SttStream,
    clock: Instant,
    utterance: UtteranceId,
    events: Vec<(Instant, SttEvent)>,
}

impl Call {
    fn open(stt: &dyn SpeechToText) -> Self {
        Self::open_for(stt, &Language::En.into())
    }

    fn open_for(stt: &dyn SpeechToText, hearing: &Hearing) -> Self {
        let stream = stt.open(hearing).unwrap();
        Self { stream, clock: Instant::now(), utterance: UtteranceId(0), events: Vec::new() }
    }

    async fn send(&mut self, command: SttCommand) {
        let _ = self.stream.commands.send(command).await;
    }

    async fn audio(&mut self, frame: AudioFrame, ms: u64) {
        for _ in 0..ms / 20 {
            self.send(SttCommand::Audio(frame)).await;
            self.clock += Duration::from_millis(20);
            sleep_until(self.clock).await;
            while let Ok(event) = self.stream.events.try_recv() {
                self.events.push((Instant::now(), event));
            }
        }
    }

    async fn start(&mut self) {
        self.audio(quiet(), 100).await;
        self.utterance = UtteranceId(self.utterance.0 + 1);
        self.audio(loud(), 80).await;
        self.send(SttCommand::SpeechStarted { utterance: self.utterance }).await;
    }

    /// Speaks, pauses, and waits for the final of that pause; how long it took from the question.
    async fn say(&mut self, ms: u64) -> (String, Duration) {
        self.start().await;
        self.audio(loud(), ms).await;
        self.audio(quiet(), 160).await;
        self.pause(1).await
    }

    async fn pause(&mut self, pause: u32) -> (String, Duration) {
        let utterance = self.utterance;
        self.send(SttCommand::Pause { utterance, pause, asked: Expectation::Open }).await;
        let (asked, limit) = (Instant::now(), Duration::from_secs(6));
        loop {
            if let Some(text) = self.final_of(pause) {
                return (text, asked.elapsed());
            }
            assert!(asked.elapsed() < limit, "no final: {:?}", self.events);
            self.audio(quiet(), 20).await;
        }
    }

    fn final_of(&self, wanted: u32) -> Option<String> {
        self.events.iter().find_map(|(_, e)| match e {
            SttEvent::Final { utterance, pause, text, .. }
                if *utterance == self.utterance && *pause == wanted =>
            {
                Some(text.clone())
            }
            _ => None,
        })
    }

    async fn end(&mut self) {
        let utterance = self.utterance;
        self.send(SttCommand::Ended { utterance }).await;
        self.audio(quiet(), 100).await;
    }

    fn notes(&self) -> Vec<(String, ProviderState)> {
        let notes = self.events.iter().filter_map(|(_, e)| match e {
            SttEvent::Provider(note) => Some((note.provider.clone(), note.state)),
            _ => None,
        });
        notes.collect()
    }

    fn interims(&self) -> Vec<String> {
        let texts = self.events.iter().filter_map(|(_, e)| match e {
            SttEvent::Interim { text, .. } => Some(text.clone()),
            _ => None,
        });
        texts.collect()
    }

    async fn lost(mut self) -> Kind {
        let wait = async {
            loop {
                match self.stream.events.recv().await {
                    Some(SttEvent::Lost { failure }) => return failure.kind,
                    Some(_) => {}
                    None => panic!("ended without a word"),
                }
            }
        };
        timeout(Duration::from_secs(5), wait).await.unwrap()
    }
}

#[tokio::test]
async fn both_protocols_give_interims_and_one_final_for_the_pause() {
    for flux_model in [false, true] {
        let server = DeepgramServer::start(options(&[SAID])).await;
        let stt = if flux_model { flux(&server) } else { nova(&server) };
        let mut call = Call::open(&*stt);
        let (text, took) = call.say(1_600).await;
        assert_eq!(text, SAID, "flux {flux_model}");
        assert!(took < Duration::from_millis(400), "{took:?}");
        let interims = call.interims();
        assert!(interims.len() >= 3 && SAID.starts_with(&interims[0]), "{interims:?}");
        call.end().await;
        let judged = call
            .events
            .iter()
            .any(|(_, e)| matches!(e, SttEvent::TurnEnd { probability, .. } if *probability > 0.4));
        assert_eq!(judged, flux_model, "only Flux judges the end of a turn");
        assert!(call.events.iter().any(|(_, e)| matches!(e, SttEvent::Ready)));
        drop(call);
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(server.counts().goodbyes, 1, "the connection is closed in good order");
        assert!(server.violations().is_empty(), "{:?}", server.violations());
    }
}

#[tokio::test]
async fn a_caller_who_goes_on_after_a_pause_gets_one_text_of_both_parts() {
    for flux_model in [false, true] {
        let server = DeepgramServer::start(options(&["I need to move", "my appointment on Friday."])).await;
        let stt = if flux_model { flux(&server) } else { nova(&server) };
        let mut call = Call::open(&*stt);
        let (first, _) = call.say(1_000).await;
        assert_eq!(first, "I need to move");
        let utterance = call.utterance;
        call.send(SttCommand::Resumed { utterance }).await;
        call.audio(loud(), 1_000).await;
        call.audio(quiet(), 160).await;
        let (whole, _) = call.pause(2).await;
        assert_eq!(whole, "I need to move my appointment on Friday.", "flux {flux_model}");
    }
}

#[tokio::test]
async fn words_of_one_utterance_do_not_leak_into_the_next() {
    for flux_model in [false, true] {
        let server = DeepgramServer::start(options(&["Yes.", "On Friday at nine.", "Thank you."])).await;
        let stt = if flux_model { flux(&server) } else { nova(&server) };
        let mut call = Call::open(&*stt);
        for expected in ["Yes.", "On Friday at nine.", "Thank you."] {
            let (text, _) = call.say(900).await;
            assert_eq!(text, expected, "flux {flux_model}");
            call.end().await;
        }
    }
}

#[tokio::test]
async fn a_soft_caller_is_reported_and_keeps_the_words_said_before_the_utterance_opened() {
    let server = DeepgramServer::start(options(&[SAID])).await;
    let mut call = Call::open(&*nova(&server));
    call.audio(quiet(), 100).await;
    call.audio(loud(), 900).await;
    let told = call.events.iter().filter(|(_, e)| matches!(e, SttEvent::SpeechHeard)).count();
    assert_eq!(told, 1, "{:?}", call.events);
    call.utterance = UtteranceId(1);
    call.send(SttCommand::SpeechStarted { utterance: UtteranceId(1) }).await;
    call.audio(loud(), 700).await;
    call.audio(quiet(), 160).await;
    assert_eq!(call.pause(1).await.0, SAID);
}

#[tokio::test]
async fn the_query_says_what_the_line_is_told() {
    let server = DeepgramServer::start(options(&[SAID])).await;
    let hearing = Hearing {
        language: Language::En,
        languages: vec![Language::En, Language::Es],
        key_terms: ["Puyallup Avenue".to_owned(), " ".to_owned()].into(),
    };
    let older = Deepgram::new(settings(&server, "nova-2-general"));
    let multi = Flux::new(settings(&server, "flux-general-multi"));
    for stt in [nova(&server), Arc::new(older), Arc::new(multi)] {
        let mut call = Call::open_for(&*stt, &hearing);
        call.audio(quiet(), 200).await;
    }
    let asked = server.upgrades();
    let get = |i: usize, name: &str| asked[i].query.get(name).cloned();
    assert_eq!(get(0, "language").as_deref(), Some("multi"));
    assert_eq!(get(0, "keyterm").as_deref(), Some("Puyallup%20Avenue"));
    assert_eq!(get(1, "language").as_deref(), Some("en"));
    assert_eq!(get(1, "keywords").as_deref(), Some("Puyallup%20Avenue"));
    assert_eq!(get(2, "language_hint").as_deref(), Some("es"));
    assert!(server.violations().is_empty(), "{:?}", server.violations());
}

#[tokio::test]
async fn spanish_is_noticed_by_a_model_that_hears_both() {
    let spoken = ListenOptions { language: "es", ..options(&["Quiero reportar un árbol caído."]) };
    let server = DeepgramServer::start(spoken).await;
    let both = Hearing { languages: vec![Language::En, Language::Es], ..Hearing::default() };
    let mut call = Call::open_for(&*nova(&server), &both);
    let (text, _) = call.say(1_500).await;
    assert_eq!(text, "Quiero reportar un árbol caído.");
    let languages: Vec<_> = call.events.iter().filter(|(_, e)| matches!(e, SttEvent::Language(_))).collect();
    assert_eq!(languages.len(), 1);
    assert_eq!(languages[0].1, SttEvent::Language(Language::Es));
}

#[tokio::test]
async fn silence_keeps_the_connection_alive_and_audio_is_paid_for_once() {
    let idle = ListenOptions { idle: Duration::from_secs(6), ..options(&[SAID]) };
    let server = DeepgramServer::start(idle).await;
    let mut call = Call::open(&*nova(&server));
    call.audio(quiet(), 200).await;
    // No frames at all for longer than the vendor waits: a caller on hold at the carrier.
    tokio::time::sleep(Duration::from_secs(7)).await;
    call.clock = Instant::now();
    let (text, _) = call.say(1_600).await;
    assert_eq!(text, SAID);
    assert!(server.counts().keep_alives >= 1);
    call.audio(quiet(), 4_000).await;
    let paid: u64 = call
        .events
        .iter()
        .filter_map(|(_, e)| match e {
            SttEvent::Used(usage) => Some(usage.amount),
            _ => None,
        })
        .sum();
    let sent = server.counts().audio_bytes as u64 / 8;
    assert!(paid > 4_000 && paid <= sent, "{paid} of {sent} ms");
}

/// Every way a provider fails, set on the preferred one from the start or in mid-utterance.
fn faults() -> Vec<(&'static str, Fault)> {
    let status = |status, retry_after| Fault::Status { status, retry_after };
    vec![
        ("401", status(401, None)),
        ("429", status(429, Some(7.0))),
        ("500", status(500, None)),
        ("529", status(529, None)),
        ("half-open", Fault::HalfOpen),
        ("stall", Fault::Stall),
        ("stall after 2", Fault::StallAfter(2)),
        ("garbage", Fault::Garbage),
        ("close at once", Fault::CloseAfter(0)),
        ("close in a header", Fault::CloseAfter(1)),
        ("close in a message", Fault::CloseAfter(300)),
        ("close later", Fault::CloseAfter(900)),
        ("slow drip", Fault::Drip(Duration::from_millis(1_500))),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_of_the_preferred_recogniser_leaves_the_text_whole_within_two_seconds() {
    let mut all = Vec::new();
    for flux_model in [false, true] {
        for (name, fault) in faults() {
            all.push(tokio::spawn(survives(flux_model, name, fault)));
        }
    }
    for one in all {
        one.await.unwrap();
    }
}

async fn survives(flux_model: bool, name: &'static str, fault: Fault) {
    let preferred = DeepgramServer::start(options(&[SAID])).await;
    let standby = DeepgramServer::start(options(&[SAID])).await;
    preferred.faults.set(fault.clone());
    let first = if flux_model { flux(&preferred) } else { nova(&preferred) };
    let members = vec![Member::remote("preferred", first), Member::remote("standby", nova(&standby))];
    let chain = FailoverStt::new(Ranked::new(members));
    let mut call = Call::open(&chain);
    let (text, took) = call.say(1_600).await;
    println!("{name} (flux {flux_model}): final {took:?} after the question");
    assert_eq!(text, SAID, "{name}");
    assert!(took < Duration::from_secs(2), "{name}: {took:?}");
    let finals = call.events.iter().filter(|(_, e)| matches!(e, SttEvent::Final { .. })).count();
    assert_eq!(finals, 1, "{name}: one final for one pause");
    if matches!(fault, Fault::Drip(_)) && call.notes().is_empty() {
        return; // Slow, and still in time.
    }
    assert_eq!(
        call.notes()[0],
        ("preferred".to_owned(), ProviderState::Failed),
        "{name}: {:?}",
        call.notes()
    );
    let took_over = ("standby".to_owned(), ProviderState::TookOver);
    assert!(call.notes().contains(&took_over), "{name}: {:?}", call.notes());
    assert!(preferred.violations().is_empty(), "{name}: {:?}", preferred.violations());
}

#[tokio::test]
async fn the_adapter_alone_says_what_kind_of_failure_it_was() {
    let cases = [
        (Fault::Status { status: 401, retry_after: None }, Kind::Unauthorised),
        (
            Fault::Status { status: 429, retry_after: Some(7.0) },
            Kind::RateLimited { retry_after: Some(Duration::from_secs(7)) },
        ),
        (Fault::Status { status: 503, retry_after: None }, Kind::Overloaded),
        (Fault::HalfOpen, Kind::Connect),
    ];
    for (fault, expected) in cases {
        let server = DeepgramServer::start(options(&[SAID])).await;
        server.faults.set(fault);
        assert_eq!(Call::open(&*nova(&server)).lost().await, expected);
    }
    let nobody = Settings {
        deadlines: Deadlines { connect: Duration::from_millis(300), ..Deadlines::STT },
        ..Settings::new(Endpoint::parse("ws://127.0.0.1:9").unwrap(), "k".to_owned().into(), "nova-3")
    };
    assert_eq!(Call::open(&Deepgram::new(nobody)).lost().await, Kind::Connect);
}

#[tokio::test]
async fn the_preferred_recogniser_comes_back_between_two_utterances() {
    let preferred = DeepgramServer::start(options(&["Again.", "Again."])).await;
    let standby = DeepgramServer::start(options(&["One.", "Two.", "Three."])).await;
    preferred.faults.queue([Fault::Status { status: 500, retry_after: None }]);
    let members =
        vec![Member::remote("preferred", nova(&preferred)), Member::remote("standby", nova(&standby))];
    let chain = FailoverStt::new(Ranked::new(members)).with_rest(Duration::ZERO);
    let mut call = Call::open(&chain);
    assert_eq!(call.say(600).await.0, "One.");
    call.end().await;
    call.audio(quiet(), 300).await;
    assert_eq!(call.say(600).await.0, "Again.");
    let last = call.notes().last().cloned().unwrap();
    assert_eq!(last, ("preferred".to_owned(), ProviderState::Recovered));
}

#[tokio::test]
async fn an_open_breaker_sends_the_next_call_straight_to_the_standby() {
    let preferred = DeepgramServer::start(options(&[SAID])).await;
    let standby = DeepgramServer::start(options(&[SAID])).await;
    preferred.faults.set(Fault::Status { status: 401, retry_after: None });
    let members =
        vec![Member::remote("preferred", nova(&preferred)), Member::remote("standby", nova(&standby))];
    let chain = FailoverStt::new(Ranked::new(members));
    let mut first = Call::open(&chain);
    assert_eq!(first.say(1_000).await.0, SAID);
    let asked = preferred.upgrades().len();
    let mut second = Call::open(&chain);
    assert_eq!(second.say(1_000).await.0, SAID);
    assert_eq!(preferred.upgrades().len(), asked, "the wrong key is not tried again");
    assert!(second.notes().is_empty(), "{:?}", second.notes());
}

#[tokio::test]
async fn when_nobody_is_left_the_stream_says_so() {
    let only = DeepgramServer::start(options(&[SAID])).await;
    only.faults.set(Fault::Status { status: 500, retry_after: None });
    let chain = FailoverStt::new(Ranked::new(vec![Member::remote("only", nova(&only))]));
    let mut call = Call::open(&chain);
    let (mut exhausted, mut lost) = (false, false);
    let wait = async {
        while let Some(event) = call.stream.events.recv().await {
            exhausted |= matches!(&event, SttEvent::Provider(n) if n.state == ProviderState::Exhausted);
            lost |= matches!(event, SttEvent::Lost { .. });
        }
    };
    timeout(Duration::from_secs(5), wait).await.unwrap();
    assert!(exhausted && lost);
    assert!(only.upgrades().len() >= 3, "it was tried more than once");
}

/// Refuses to open: the embedded recogniser on a Spanish line.
struct Refuses;

impl SpeechToText for Refuses {
    fn name(&self) -> &'static str {
        "refuses"
    }

    fn open(&self, _: &Hearing) -> Result<SttStream, PortError> {
        Err(PortError::Full("it"))
    }
}

#[tokio::test]
async fn one_that_cannot_be_opened_is_passed_over() {
    let server = DeepgramServer::start(options(&[SAID])).await;
    let members =
        vec![Member::local("refuses", Arc::new(Refuses) as _), Member::remote("deepgram", nova(&server))];
    let chain = FailoverStt::new(Ranked::new(members));
    assert_eq!(Call::open(&chain).say(1_600).await.0, SAID);
}

#[tokio::test]
async fn nothing_is_left_of_a_call_a_second_after_its_end() {
    let server = DeepgramServer::start(options(&[SAID])).await;
    let before = tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let chain = FailoverStt::new(Ranked::new(vec![Member::remote("deepgram", nova(&server))]));
    let mut call = Call::open(&chain);
    call.say(600).await;
    drop(call);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let after = tokio::runtime::Handle::current().metrics().num_alive_tasks();
    assert!(after <= before, "{before} tasks before, {after} after");
}
