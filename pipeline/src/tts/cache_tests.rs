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
