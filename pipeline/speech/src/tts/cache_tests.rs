#![allow(clippy::unwrap_used)]
use std::sync::atomic::AtomicUsize;

use super::*;

/// Says each character of the text as that many bytes; counts segments.
#[derive(Default)]
struct Echo(Arc<AtomicUsize>);

impl TextToSpeech for Echo {
    fn name(&self) -> &'static str {
        "echo"
    }

    fn open(&self, _: &Saying) -> Result<TtsStream, PortError> {
        let (commands, mut inbox) = mpsc::channel(64);
        let (outbox, events) = mpsc::channel(64);
        let said = Arc::clone(&self.0);
        tokio::spawn(async move {
            while let Some(command) = inbox.recv().await {
                let TtsCommand::Speak(s) = command else { continue };
                said.fetch_add(1, Ordering::Relaxed);
                let mulaw = s.text.into_bytes();
                outbox.send(TtsEvent::Audio { segment: s.id, mulaw }).await.unwrap();
                outbox.send(TtsEvent::Done { segment: s.id, words: Vec::new() }).await.unwrap();
            }
        });
        Ok(TtsStream { commands, events })
    }
}

fn cached(folder: &Path) -> (CachedVoice, Arc<AtomicUsize>) {
    let echo = Echo::default();
    let said = Arc::clone(&echo.0);
    let echo: Arc<dyn TextToSpeech> = Arc::new(echo);
    let cache = Arc::new(PhraseCache::open(folder, DEFAULT_MAX_BYTES).unwrap());
    (CachedVoice::new(Arc::clone(&echo), echo, cache, ""), said)
}

fn segment(turn: u32, index: u16, text: &str, fixed: bool) -> ReplySegment {
    let id = SegmentId { turn: TurnId(turn), index };
    ReplySegment { id, text: text.to_owned(), kind: SegmentKind::Reply, fixed }
}

async fn hear(stream: &mut TtsStream, count: usize) -> Vec<(u16, String)> {
    let mut heard: Vec<(u16, String)> = Vec::new();
    let mut text = String::new();
    while heard.len() < count {
        match stream.events.recv().await.unwrap() {
            TtsEvent::Audio { mulaw, .. } => text.push_str(std::str::from_utf8(&mulaw).unwrap()),
            TtsEvent::Done { segment, .. } => heard.push((segment.index, std::mem::take(&mut text))),
            TtsEvent::Failed { .. } => panic!("failed"),
            TtsEvent::Provider(_) | TtsEvent::Used(_) => {}
        }
    }
    heard
}

#[tokio::test]
async fn fixed_phrases_are_made_once_and_order_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (voice, said) = cached(folder.path());
    assert_eq!(voice.warm(Language::En, vec!["hello".to_owned()], |_, _| {}).await.unwrap(), 0);
    assert_eq!(said.load(Ordering::Relaxed), 1);
    let mut stream = voice.open(&Language::En.into()).unwrap();
    for (i, (text, fixed)) in [("one", false), ("hello", true), ("two", false)].into_iter().enumerate() {
        stream.commands.send(TtsCommand::Speak(segment(1, i as u16, text, fixed))).await.unwrap();
    }
    let heard = hear(&mut stream, 3).await;
    assert_eq!(heard, [(0, "one".to_owned()), (1, "hello".to_owned()), (2, "two".to_owned())]);
    assert_eq!(said.load(Ordering::Relaxed), 3, "the cached one was not made again");
}

#[tokio::test]
async fn entries_survive_a_restart_and_a_miss_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let (voice, _) = cached(folder.path());
    let mut stream = voice.open(&Language::En.into()).unwrap();
    stream.commands.send(TtsCommand::Speak(segment(1, 0, "notice", true))).await.unwrap();
    hear(&mut stream, 1).await;
    let key = voice.key(Language::En, "notice");
    for _ in 0..200 {
        if folder.path().join(format!("{key}.ulaw")).exists() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let (again, said) = cached(folder.path());
    let mut stream = again.open(&Language::En.into()).unwrap();
    stream.commands.send(TtsCommand::Speak(segment(1, 0, "notice", true))).await.unwrap();
    assert_eq!(hear(&mut stream, 1).await, [(0, "notice".to_owned())]);
    assert_eq!(said.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_cancelled_turn_is_not_heard() {
    let folder = tempfile::tempdir().unwrap();
    let (voice, _) = cached(folder.path());
    voice.warm(Language::En, vec!["cached".to_owned()], |_, _| {}).await.unwrap();
    let mut stream = voice.open(&Language::En.into()).unwrap();
    stream.commands.send(TtsCommand::Speak(segment(1, 0, "made", false))).await.unwrap();
    stream.commands.send(TtsCommand::Speak(segment(1, 1, "cached", true))).await.unwrap();
    stream.commands.send(TtsCommand::Cancel { turn: TurnId(1) }).await.unwrap();
    stream.commands.send(TtsCommand::Speak(segment(2, 7, "after", false))).await.unwrap();
    let mut last = Vec::new();
    loop {
        match stream.events.recv().await.unwrap() {
            TtsEvent::Audio { segment, mulaw } if segment.turn == TurnId(2) => last = mulaw,
            TtsEvent::Done { segment, .. } if segment.turn == TurnId(2) => break,
            // What was already on its way when the cancel came.
            _ => {}
        }
    }
    assert_eq!(last, b"after");
}

#[test]
fn the_least_lately_used_go_first_and_temporaries_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let cache = PhraseCache::open(folder.path(), DEFAULT_MAX_BYTES).unwrap();
    let old = SystemTime::now() - std::time::Duration::from_secs(3_600);
    for (i, name) in ["a", "b", "c"].into_iter().enumerate() {
        cache.put(name, vec![0x20; 1_000]).unwrap();
        let file = fs::File::open(folder.path().join(format!("{name}.ulaw"))).unwrap();
        file.set_modified(old + std::time::Duration::from_secs(i as u64)).unwrap();
    }
    let stale = folder.path().join(".1-0.part");
    fs::write(&stale, b"x").unwrap();
    fs::File::open(&stale).unwrap().set_modified(old).unwrap();
    let fresh = PhraseCache::open(folder.path(), 2_500).unwrap();
    assert!(fresh.get("a").is_none() && fresh.get("b").is_some() && fresh.get("c").is_some());
    assert!(!stale.exists());
}

#[test]
fn keys_tell_everything_apart() {
    let folder = tempfile::tempdir().unwrap();
    let (voice, _) = cached(folder.path());
    let keys = [
        voice.key(Language::En, "a"),
        voice.key(Language::En, "b"),
        voice.key(Language::Es, "a"),
        CachedVoice { lexicon_version: "1".to_owned(), ..cached(folder.path()).0 }.key(Language::En, "a"),
    ];
    assert_eq!(keys.iter().collect::<std::collections::HashSet<_>>().len(), 4);
}

/// Says nothing but what its plan holds for the next segment.
struct Planned(std::sync::Mutex<Vec<Vec<TtsEvent>>>);

impl TextToSpeech for Planned {
    fn name(&self) -> &'static str {
        "preferred"
    }

    fn open(&self, _: &Saying) -> Result<TtsStream, PortError> {
        let (commands, mut inbox) = mpsc::channel(64);
        let (outbox, events) = mpsc::channel(64);
        let mut plans = std::mem::take(&mut *self.0.lock().unwrap()).into_iter();
        tokio::spawn(async move {
            while let Some(command) = inbox.recv().await {
                let TtsCommand::Speak(said) = command else { continue };
                for event in plans.next().unwrap_or_default() {
                    let event = match event {
                        TtsEvent::Audio { mulaw, .. } => TtsEvent::Audio { segment: said.id, mulaw },
                        TtsEvent::Done { words, .. } => TtsEvent::Done { segment: said.id, words },
                        TtsEvent::Failed { failure, .. } => TtsEvent::Failed { segment: said.id, failure },
                        other => other,
                    };
                    outbox.send(event).await.unwrap();
                }
            }
        });
        Ok(TtsStream { commands, events })
    }
}

const NOBODY: SegmentId = SegmentId { turn: TurnId(0), index: 0 };

fn note(provider: &str, state: ProviderState) -> TtsEvent {
    let (provider, reason) = (provider.to_owned(), String::new());
    TtsEvent::Provider(ProviderNote { provider, state, reason, delay_ms: 0 })
}

fn sound(text: &str) -> TtsEvent {
    TtsEvent::Audio { segment: NOBODY, mulaw: text.as_bytes().to_vec() }
}

fn done() -> TtsEvent {
    TtsEvent::Done { segment: NOBODY, words: Vec::new() }
}

fn failed() -> TtsEvent {
    let failure = pipeline::provider::Failure::stalled("as planned");
    TtsEvent::Failed { segment: NOBODY, failure }
}

fn planned(folder: &Path, plans: Vec<Vec<TtsEvent>>) -> CachedVoice {
    let voice: Arc<dyn TextToSpeech> = Arc::new(Planned(std::sync::Mutex::new(plans)));
    let cache = Arc::new(PhraseCache::open(folder, DEFAULT_MAX_BYTES).unwrap());
    CachedVoice::new(Arc::clone(&voice), voice, cache, "")
}

#[tokio::test]
async fn only_what_the_preferred_voice_said_alone_is_rendered_as_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let plans = vec![
        vec![sound("own"), done()],
        vec![sound("be"), note("other", ProviderState::TookOver), sound("gun"), done()],
        vec![sound("still the other"), done()],
        vec![note("preferred", ProviderState::Slow), sound("the other yet"), done()],
        vec![note("preferred", ProviderState::Recovered), sound("own again"), done()],
    ];
    let voice = planned(folder.path(), plans);
    let phrases: Vec<String> = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
    assert_eq!(voice.warm(Language::En, phrases.clone(), |_, _| {}).await.unwrap(), 3);
    let own = |text: &String| voice.cache.get(&voice.key(Language::En, text)).map(|audio| audio.to_vec());
    let kept: Vec<_> = phrases.iter().map(own).collect();
    assert_eq!(kept, [Some(b"own".to_vec()), None, None, None, Some(b"own again".to_vec())]);
}

#[tokio::test]
async fn a_standbys_phrase_is_heard_only_when_nobody_says_it() {
    let folder = tempfile::tempdir().unwrap();
    let plans =
        vec![vec![failed()], vec![sound("preferred"), done()], vec![sound("some"), failed()], vec![failed()]];
    let voice = planned(folder.path(), plans);
    let standby = Echo::default();
    assert_eq!(
        voice.warm_standby(&standby, Language::En, vec!["sorry".to_owned()], |_, _| {}).await.unwrap(),
        0
    );
    let mut stream = voice.open(&Language::En.into()).unwrap();
    let mut say = async |index: u16, text: &str, fixed: bool| {
        stream.commands.send(TtsCommand::Speak(segment(1, index, text, fixed))).await.unwrap();
        let mut heard = Vec::new();
        loop {
            match stream.events.recv().await.unwrap() {
                TtsEvent::Audio { mulaw, .. } => heard.extend(mulaw),
                TtsEvent::Done { .. } => return (String::from_utf8(heard).unwrap(), true),
                TtsEvent::Failed { .. } => return (String::from_utf8(heard).unwrap(), false),
                _ => {}
            }
        }
    };
    assert_eq!(say(0, "sorry", true).await, ("sorry".to_owned(), true), "by the standby");
    assert_eq!(say(1, "sorry", true).await, ("preferred".to_owned(), true), "it can say it itself");
    assert_eq!(say(2, "other", true).await, ("some".to_owned(), false), "not in the middle of a phrase");
    assert_eq!(say(3, "sorry ", true).await, (String::new(), false), "another text");
}

#[tokio::test]
async fn rendering_ahead_gives_up_on_a_voice_that_is_down() {
    let folder = tempfile::tempdir().unwrap();
    let recovers_too_late = (0..9).map(|i| vec![if i < 3 { failed() } else { done() }]).collect();
    let voice = planned(folder.path(), recovers_too_late);
    let phrases: Vec<String> = (0..9).map(|i| i.to_string()).collect();
    assert_eq!(voice.warm(Language::En, phrases, |_, _| {}).await.unwrap(), 9);
    let voice = planned(folder.path(), vec![vec![failed()], vec![sound("x"), done()], vec![failed()]]);
    let phrases: Vec<String> = (0..3).map(|i| i.to_string()).collect();
    assert_eq!(
        voice.warm(Language::En, phrases, |_, _| {}).await.unwrap(),
        2,
        "one that is only hoarse goes on"
    );
}

#[tokio::test]
async fn a_change_of_language_and_the_tenants_lexicon_change_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let (voice, said) = cached(folder.path());
    let lexicon = Arc::new(pipeline::lexicon::Lexicon::new([("a".to_owned(), "b".to_owned())]));
    let saying = Saying { language: Language::Es, lexicon };
    voice.warm(saying.clone(), vec!["hola".to_owned()], |_, _| {}).await.unwrap();
    assert_eq!(said.load(Ordering::Relaxed), 1);
    let mut stream = voice.open(&Saying { language: Language::En, ..saying.clone() }).unwrap();
    stream.commands.send(TtsCommand::Language(Language::Es)).await.unwrap();
    stream.commands.send(TtsCommand::Speak(segment(1, 0, "hola", true))).await.unwrap();
    assert_eq!(hear(&mut stream, 1).await, [(0, "hola".to_owned())]);
    assert_eq!(said.load(Ordering::Relaxed), 1, "from the cache");
    let mut stream = voice.open(&Language::Es.into()).unwrap();
    stream.commands.send(TtsCommand::Speak(segment(1, 0, "hola", true))).await.unwrap();
    hear(&mut stream, 1).await;
    assert_eq!(said.load(Ordering::Relaxed), 2, "another lexicon is another rendering");
    let other = cached(folder.path()).0.identified("echo/another voice");
    assert_ne!(other.key(Language::En, "a"), voice.key(Language::En, "a"));
}
