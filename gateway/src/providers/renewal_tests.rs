use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use pipeline::lexicon::Lexicon;
use pipeline::ports::{Language, PortError, Saying, TextToSpeech, TtsCommand, TtsEvent, TtsStream};
use speech::tts::cache::{CachedVoice, DEFAULT_MAX_BYTES, PhraseCache};
use tokio::time::sleep;

use super::*;

fn batch(text: &str) -> Vec<Batch> {
    vec![Batch { saying: Saying::default(), texts: vec![text.to_owned()], apologies: Vec::new() }]
}

/// Takes ten seconds for each tenant and notes what it finished.
#[derive(Clone, Default)]
struct Slow {
    finished: Arc<Mutex<Vec<String>>>,
    at_work: Arc<AtomicUsize>,
    most_at_work: Arc<AtomicUsize>,
    fails: Arc<AtomicUsize>,
}

struct Working(Arc<AtomicUsize>);

impl Drop for Working {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Slow {
    fn start(&self) -> mpsc::Sender<Wanted> {
        let slow = self.clone();
        start(Box::new(move |batches| {
            let slow = slow.clone();
            Box::pin(async move {
                let now = slow.at_work.fetch_add(1, Ordering::Relaxed) + 1;
                let _working = Working(slow.at_work.clone());
                slow.most_at_work.fetch_max(now, Ordering::Relaxed);
                sleep(Duration::from_secs(10)).await;
                slow.finished.lock().push(batches[0].texts[0].clone());
                let down = |left: usize| left.checked_sub(1);
                usize::from(slow.fails.fetch_update(Ordering::Relaxed, Ordering::Relaxed, down).is_ok())
            })
        }))
    }

    fn finished(&self) -> Vec<String> {
        self.finished.lock().clone()
    }
}

#[tokio::test(start_paused = true)]
async fn tenants_are_rendered_one_at_a_time_and_only_as_they_are_now() {
    let slow = Slow::default();
    let asked = slow.start();
    let (a, b) = (TenantId::new(), TenantId::new());
    ask(&asked, a, batch("a1"));
    ask(&asked, b, batch("b1"));
    sleep(Duration::from_secs(5)).await;
    // The first is under way and worthless from here on; of the second only the last counts.
    for (tenant, text) in [(a, "a2"), (b, "b2"), (b, "b3")] {
        ask(&asked, tenant, batch(text));
    }
    sleep(Duration::from_secs(60)).await;
    assert_eq!(slow.finished(), ["a2", "b3"]);
    assert_eq!(slow.most_at_work.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn what_could_not_be_rendered_is_tried_again_and_holds_nobody_up() {
    let slow = Slow::default();
    slow.fails.store(2, Ordering::Relaxed);
    let asked = slow.start();
    let (a, b) = (TenantId::new(), TenantId::new());
    ask(&asked, a, batch("a"));
    sleep(Duration::from_secs(11)).await;
    ask(&asked, b, batch("b"));
    sleep(Duration::from_secs(11)).await;
    assert_eq!(slow.finished(), ["a", "b"]);
    sleep(Duration::from_secs(3_600)).await;
    assert_eq!(slow.finished(), ["a", "b", "a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn the_task_ends_with_the_last_who_could_ask() {
    let slow = Slow::default();
    let asked = slow.start();
    ask(&asked, TenantId::new(), batch("a"));
    sleep(Duration::from_secs(1)).await;
    drop(asked);
    sleep(Duration::from_secs(60)).await;
    assert_eq!(slow.finished(), [""; 0]);
    assert_eq!(tokio::runtime::Handle::current().metrics().num_alive_tasks(), 0);
}

/// Says a byte for each segment: which number of its life it is.
#[derive(Clone, Default)]
struct Numbered(Arc<AtomicUsize>);

impl TextToSpeech for Numbered {
    fn name(&self) -> &'static str {
        "numbered"
    }

    fn open(&self, _: &Saying) -> Result<TtsStream, PortError> {
        let (commands, mut inbox) = mpsc::channel(64);
        let (outbox, events) = mpsc::channel(64);
        let said = self.0.clone();
        tokio::spawn(async move {
            while let Some(command) = inbox.recv().await {
                let TtsCommand::Speak(segment) = command else { continue };
                let mulaw = vec![said.fetch_add(1, Ordering::Relaxed) as u8];
                let _ = outbox.send(TtsEvent::Audio { segment: segment.id, mulaw }).await;
                let _ = outbox.send(TtsEvent::Done { segment: segment.id, words: Vec::new() }).await;
            }
        });
        Ok(TtsStream { commands, events })
    }
}

#[tokio::test]
async fn changed_pronunciations_are_rendered_ahead_and_never_heard_with_the_older_sound() {
    const TEXT: &str = "Puyallup County. How can I help you?";
    let folder = tempfile::tempdir().unwrap();
    let cache = Arc::new(PhraseCache::open(folder.path(), DEFAULT_MAX_BYTES).unwrap());
    let voice = Numbered::default();
    let cached = Arc::new(CachedVoice::new(Arc::new(voice.clone()), Arc::new(voice.clone()), cache, "none"));
    let voices = Voices { cached: cached.clone(), standby: Arc::new(voice.clone()) };
    let with = |sound: &str| Saying {
        language: Language::En,
        lexicon: Arc::new(Lexicon::new([("Puyallup".to_owned(), sound.to_owned())])),
    };
    let (old, new) = (with("poo-yallup"), with("pew-AL-up"));
    let of = |saying: &Saying| {
        vec![Batch { saying: saying.clone(), texts: vec![TEXT.to_owned()], apologies: vec![] }]
    };
    assert_eq!(phrases::renew(&voices, &of(&old)).await, 0);
    assert_eq!(phrases::renew(&voices, &of(&new)).await, 0);
    assert_eq!(voice.0.load(Ordering::Relaxed), 2, "rendered once for each");
    for (saying, sound) in [(&old, 0), (&new, 1), (&old, 0)] {
        assert_eq!(said(&cached, saying, TEXT).await, [sound]);
    }
    assert_eq!(voice.0.load(Ordering::Relaxed), 2, "no call waited for the voice");
    assert_eq!(said(&cached, &with("PEW-al-up"), TEXT).await, [2], "another sound is no other's");
}

/// What a call with these pronunciations hears.
async fn said(cached: &CachedVoice, saying: &Saying, text: &str) -> Vec<u8> {
    use pipeline::turn::{ReplySegment, SegmentId, SegmentKind, TurnId};

    let mut stream = cached.open(saying).unwrap();
    let id = SegmentId { turn: TurnId(1), index: 0 };
    let segment = ReplySegment { id, text: text.to_owned(), kind: SegmentKind::Reply, fixed: true };
    stream.commands.send(TtsCommand::Speak(segment)).await.unwrap();
    let mut heard = Vec::new();
    loop {
        match stream.events.recv().await.unwrap() {
            TtsEvent::Audio { mulaw, .. } => heard.extend(mulaw),
            TtsEvent::Done { .. } => return heard,
            other => panic!("{other:?}"),
        }
    }
}
