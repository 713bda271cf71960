//! Phrases said on many calls, rendered once and kept on disk and in memory.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;

use super::lineup::segment_of;
use pipeline::ports::{
    Language, PortError, ProviderNote, ProviderState, Saying, TextToSpeech, TtsCommand, TtsEvent, TtsStream,
};
use pipeline::turn::{ReplySegment, SegmentId, SegmentKind, TurnId};

/// Audio format of every entry, part of its key.
const FORMAT: &str = "mulaw-8000";
/// Default bound of a cache folder.
pub const DEFAULT_MAX_BYTES: u64 = 256 << 20;
/// Bound of what is held in memory as well.
const MEMORY_BYTES: usize = 16 << 20;
/// Mu-law bytes in one event: 200 ms.
const PIECE: usize = 1_600;
/// Longest phrase kept: two minutes.
const LONGEST: usize = 8_000 * 120;
/// Stands for the identity of whichever voice is not the preferred one.
const STANDBY: &str = "standby";
/// Phrases in a row that failed, after which rendering ahead is given up: the provider is down.
const GIVE_UP: usize = 3;

/// Rendered phrases of one folder. Shared by all voices and calls.
pub struct PhraseCache {
    folder: PathBuf,
    max_bytes: u64,
    memory: Mutex<Memory>,
    temporary: AtomicU64,
}

#[derive(Default)]
struct Memory {
    audio: HashMap<String, Arc<[u8]>>,
    /// Least lately added first.
    order: VecDeque<String>,
    bytes: usize,
}

impl fmt::Debug for PhraseCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PhraseCache").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl PhraseCache {
    /// Opens a folder, making it if need be, and drops what is beyond `max_bytes`, least lately used first.
    ///
    /// # Errors
    /// [`PortError::Unavailable`] when the folder cannot be made or read.
    pub fn open(folder: &Path, max_bytes: u64) -> Result<Self, PortError> {
        fs::create_dir_all(folder).map_err(|e| PortError::Unavailable {
            what: format!("phrase cache folder {} cannot be made ({e})", folder.display()),
            fix: "make it writable or choose another data folder".to_owned(),
        })?;
        let cache = Self {
            folder: folder.to_owned(),
            max_bytes,
            memory: Mutex::default(),
            temporary: AtomicU64::new(0),
        };
        cache.prune();
        Ok(cache)
    }

    /// Mu-law audio of a key, from memory or disk. Reads the disk, so call it off the async threads.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Arc<[u8]>> {
        if let Some(audio) = self.memory.lock().audio.get(key) {
            return Some(Arc::clone(audio));
        }
        let path = self.path(key);
        let audio: Arc<[u8]> = fs::read(&path).ok().filter(|audio| !audio.is_empty())?.into();
        // The time of last use, for pruning; a read-only folder still serves.
        let _ = fs::File::open(&path).and_then(|f| f.set_modified(SystemTime::now()));
        self.remember(key, Arc::clone(&audio));
        Some(audio)
    }

    /// Keeps mu-law audio under a key. A crash leaves the old entry or the new, never half of one.
    ///
    /// # Errors
    /// [`PortError::Unavailable`] when the folder cannot be written; the phrase stays in memory.
    pub fn put(&self, key: &str, audio: Vec<u8>) -> Result<(), PortError> {
        if audio.is_empty() || audio.len() > LONGEST {
            return Ok(());
        }
        let number = self.temporary.fetch_add(1, Ordering::Relaxed);
        let temporary = self.folder.join(format!(".{}-{number}.part", std::process::id()));
        let written = fs::File::create(&temporary)
            .and_then(|mut file| file.write_all(&audio).and_then(|()| file.sync_data()))
            .and_then(|()| fs::rename(&temporary, self.path(key)));
        self.remember(key, audio.into());
        written.map_err(|e| {
            let _ = fs::remove_file(&temporary);
            PortError::Unavailable {
                what: format!("phrase cache folder {} cannot be written ({e})", self.folder.display()),
                fix: "free disk space or make the folder writable".to_owned(),
            }
        })?;
        if number % 64 == 63 {
            self.prune();
        }
        Ok(())
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.ulaw"))
    }

    fn remember(&self, key: &str, audio: Arc<[u8]>) {
        let mut memory = self.memory.lock();
        memory.bytes += audio.len();
        if let Some(old) = memory.audio.insert(key.to_owned(), audio) {
            memory.bytes -= old.len();
        } else {
            memory.order.push_back(key.to_owned());
        }
        while memory.bytes > MEMORY_BYTES {
            let Some(oldest) = memory.order.pop_front() else { break };
            if let Some(dropped) = memory.audio.remove(&oldest) {
                memory.bytes -= dropped.len();
            }
        }
    }

    /// Brings the folder under its bound and removes left-over temporary files.
    fn prune(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
            .flatten()
            .filter_map(|e| Some((e.metadata().ok()?, e.path())))
            .filter(|(meta, _)| meta.is_file())
            .map(|(meta, path)| (meta.modified().unwrap_or(SystemTime::UNIX_EPOCH), meta.len(), path))
            .collect();
        files.retain(|(modified, _, path)| {
            let ours = path.extension().is_some_and(|e| e == "ulaw");
            let stale = path.extension().is_some_and(|e| e == "part")
                && modified.elapsed().is_ok_and(|age| age.as_secs() > 600);
            if stale {
                let _ = fs::remove_file(path);
            }
            ours
        });
        files.sort();
        let mut total: u64 = files.iter().map(|(_, size, _)| size).sum();
        for (_, size, path) in files {
            if total <= self.max_bytes {
                return;
            }
            if fs::remove_file(path).is_ok() {
                total -= size;
            }
        }
    }
}

/// A voice whose fixed phrases come from the cache at once, and are stored when first said.
///
/// A phrase is kept under the voice that made it. Behind a fail-over that may be a standby: its rendering is kept
/// apart, and is heard only when no voice can say the phrase. So an apology is heard when everything is down.
pub struct CachedVoice {
    voice: Arc<dyn TextToSpeech>,
    background: Arc<dyn TextToSpeech>,
    cache: Arc<PhraseCache>,
    identity: String,
    lexicon_version: String,
}

impl fmt::Debug for CachedVoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CachedVoice({})", self.voice.name())
    }
}

/// Where a phrase is kept.
#[derive(Clone, Debug)]
struct Keys {
    /// Said by the preferred voice.
    own: String,
    /// Said by any other.
    standby: String,
}

impl Keys {
    const fn of(&self, by_preferred: bool) -> &String {
        if by_preferred { &self.own } else { &self.standby }
    }
}

impl CachedVoice {
    /// `background` is the voice that [`Self::warm`] uses: the same one, at lower priority where there is such a
    /// thing. `lexicon_version` is part of each phrase's key.
    #[must_use]
    pub fn new(
        voice: Arc<dyn TextToSpeech>,
        background: Arc<dyn TextToSpeech>,
        cache: Arc<PhraseCache>,
        lexicon_version: impl Into<String>,
    ) -> Self {
        let identity = voice.name().to_owned();
        Self { voice, background, cache, identity, lexicon_version: lexicon_version.into() }
    }

    /// The same, with what tells its preferred voice from every other beyond its provider's name: models, voice
    /// ids. Another identity finds no phrases of this one.
    #[must_use]
    pub fn identified(self, identity: impl Into<String>) -> Self {
        Self { identity: identity.into(), ..self }
    }

    /// The key of a phrase said by the preferred voice.
    #[must_use]
    pub fn key(&self, language: Language, text: &str) -> String {
        self.key_of(&self.identity, language, text)
    }

    fn key_of(&self, identity: &str, language: Language, text: &str) -> String {
        let mut hash = Sha256::new();
        let language = format!("{language:?}");
        for part in [identity, &language, &self.lexicon_version, FORMAT, env!("CARGO_PKG_VERSION"), text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn keys(&self, language: Language, text: &str) -> Keys {
        Keys { own: self.key(language, text), standby: self.key_of(STANDBY, language, text) }
    }

    /// The same cache for one call, whose tenant may have pronunciations of its own.
    fn with_lexicon_of(&self, saying: &Saying) -> Self {
        let own = saying.lexicon.version();
        Self {
            voice: Arc::clone(&self.voice),
            background: Arc::clone(&self.background),
            cache: Arc::clone(&self.cache),
            identity: self.identity.clone(),
            lexicon_version: if own.is_empty() { self.lexicon_version.clone() } else { own.to_owned() },
        }
    }

    /// Renders the phrases that are not there yet, one after another. `progress` is told how many of how many are
    /// done. Gives the number that the preferred voice did not render.
    ///
    /// # Errors
    /// What the voice's `open` reports.
    pub async fn warm(
        &self,
        saying: impl Into<Saying> + Send,
        phrases: Vec<String>,
        progress: impl FnMut(usize, usize) + Send,
    ) -> Result<usize, PortError> {
        let saying = saying.into();
        let stream = self.background.open(&saying)?;
        let rendering = Rendering { stream, preferred: Some(true), failed: 0 };
        Ok(self.with_lexicon_of(&saying).render_all(rendering, saying.language, phrases, progress).await)
    }

    /// As [`Self::warm`], by another voice: these are heard when no voice can say the phrase.
    ///
    /// # Errors
    /// What that voice's `open` reports.
    pub async fn warm_standby(
        &self,
        standby: &dyn TextToSpeech,
        saying: impl Into<Saying> + Send,
        phrases: Vec<String>,
        progress: impl FnMut(usize, usize) + Send,
    ) -> Result<usize, PortError> {
        let saying = saying.into();
        let rendering = Rendering { stream: standby.open(&saying)?, preferred: None, failed: 0 };
        Ok(self.with_lexicon_of(&saying).render_all(rendering, saying.language, phrases, progress).await)
    }

    async fn render_all(
        &self,
        mut rendering: Rendering,
        language: Language,
        phrases: Vec<String>,
        mut progress: impl FnMut(usize, usize) + Send,
    ) -> usize {
        let (total, mut missing) = (phrases.len(), 0);
        for (done, text) in phrases.into_iter().enumerate() {
            let keys = self.keys(language, &text);
            let wanted = keys.of(rendering.preferred.is_some()).clone();
            if self.look_up(wanted.clone()).await.is_none() {
                let made = rendering.render(self.voice.name(), done, text).await;
                let key = keys.of(made.as_ref().is_some_and(|(_, by_preferred)| *by_preferred)).clone();
                missing += usize::from(made.is_none() || key != wanted);
                if let Some((audio, _)) = made {
                    self.store(key, audio).await;
                }
            }
            progress(done + 1, total);
        }
        missing
    }

    async fn look_up(&self, key: String) -> Option<Arc<[u8]>> {
        look_up(&self.cache, key).await
    }

    async fn store(&self, key: String, audio: Vec<u8>) {
        let cache = Arc::clone(&self.cache);
        let _ = tokio::task::spawn_blocking(move || store(&cache, &key, audio)).await;
    }
}

/// Who speaks after a note of a fail-over, if it says so: whether it is the preferred voice.
fn speaks(note: &ProviderNote, preferred: &str) -> Option<bool> {
    matches!(note.state, ProviderState::TookOver | ProviderState::Recovered)
        .then(|| note.provider == preferred)
}

async fn look_up(cache: &Arc<PhraseCache>, key: String) -> Option<Arc<[u8]>> {
    if let Some(audio) = cache.memory.lock().audio.get(&key) {
        return Some(Arc::clone(audio));
    }
    let cache = Arc::clone(cache);
    tokio::task::spawn_blocking(move || cache.get(&key)).await.ok().flatten()
}

fn store(cache: &PhraseCache, key: &str, audio: Vec<u8>) {
    if let Err(e) = cache.put(key, audio) {
        tracing::warn!(error = %e, "a rendered phrase was not kept on disk");
    }
}

/// Renders phrases ahead, one at a time.
struct Rendering {
    stream: TtsStream,
    /// Whether the preferred voice speaks; `None` on a stream that is a standby's.
    preferred: Option<bool>,
    /// Phrases in a row that failed.
    failed: usize,
}

impl Rendering {
    /// Says one phrase in a turn of its own. Gives its audio, and whether the preferred voice made it.
    async fn render(&mut self, preferred: &str, number: usize, text: String) -> Option<(Vec<u8>, bool)> {
        if self.failed >= GIVE_UP {
            return None;
        }
        self.failed += 1;
        let id = SegmentId { turn: TurnId(u32::try_from(number).ok()?), index: 0 };
        let segment = ReplySegment { id, text, kind: SegmentKind::Notice, fixed: true };
        self.stream.commands.send(TtsCommand::Speak(segment)).await.ok()?;
        let mut audio = Vec::new();
        let mut by_preferred = true;
        loop {
            match self.stream.events.recv().await? {
                TtsEvent::Audio { segment, mulaw } if segment == id => {
                    by_preferred &= self.preferred.unwrap_or(false);
                    audio.extend(mulaw);
                }
                TtsEvent::Done { segment, .. } if segment == id => {
                    self.failed = 0;
                    return Some((audio, by_preferred));
                }
                TtsEvent::Failed { segment, .. } if segment == id => return None,
                TtsEvent::Provider(note) => {
                    if let (Some(now), Some(it)) = (speaks(&note, preferred), &mut self.preferred) {
                        *it = now;
                    }
                }
                _ => {}
            }
        }
    }
}

impl TextToSpeech for CachedVoice {
    fn name(&self) -> &'static str {
        self.voice.name()
    }

    fn open(&self, saying: &Saying) -> Result<TtsStream, PortError> {
        let inner = self.voice.open(saying)?;
        let runtime = tokio::runtime::Handle::try_current().map_err(|_| PortError::Unavailable {
            what: "a voice was opened outside an async runtime".to_owned(),
            fix: "open it from the call's task".to_owned(),
        })?;
        let (commands, inbox) = mpsc::channel(64);
        let (outbox, events) = mpsc::channel(64);
        let stream = Stream {
            cached: self.with_lexicon_of(saying),
            language: saying.language,
            preferred: true,
            line: VecDeque::new(),
            ready: VecDeque::new(),
            inner: inner.commands,
        };
        runtime.spawn(stream.run(inbox, inner.events, outbox));
        Ok(TtsStream { commands, events })
    }
}

/// One call's stream: segments leave in the order they came, whether cached or made.
struct Stream {
    cached: CachedVoice,
    language: Language,
    /// The preferred voice speaks.
    preferred: bool,
    line: VecDeque<Entry>,
    ready: VecDeque<TtsEvent>,
    inner: mpsc::Sender<TtsCommand>,
}

/// A segment that has not left yet.
struct Entry {
    id: SegmentId,
    state: State,
    /// What came from the voice before this segment's time.
    early: Vec<TtsEvent>,
}

enum State {
    Cached(Arc<[u8]>),
    /// The voice is at it.
    Made(Option<Collected>),
}

/// What is collected of a phrase that is to be kept.
struct Collected {
    keys: Keys,
    audio: Vec<u8>,
    by_preferred: bool,
}

impl Stream {
    async fn run(
        mut self,
        mut inbox: mpsc::Receiver<TtsCommand>,
        mut made: mpsc::Receiver<TtsEvent>,
        outbox: mpsc::Sender<TtsEvent>,
    ) {
        loop {
            tokio::select! {
                biased;
                command = inbox.recv() => match command {
                    Some(TtsCommand::Speak(segment)) => if !self.speak(segment).await { return },
                    Some(TtsCommand::Cancel { turn }) => if !self.cancel(turn).await { return },
                    Some(TtsCommand::Language(language)) => {
                        self.language = language;
                        if self.inner.send(TtsCommand::Language(language)).await.is_err() { return }
                    }
                    None => return,
                },
                permit = outbox.reserve(), if !self.ready.is_empty() => match (permit, self.ready.pop_front()) {
                    (Ok(permit), Some(event)) => permit.send(event),
                    _ => return,
                },
                event = made.recv(), if self.ready.len() < 64 => match event {
                    Some(event) => self.made(event).await,
                    None => return,
                },
            }
            self.release();
        }
    }

    async fn speak(&mut self, segment: ReplySegment) -> bool {
        let id = segment.id;
        let keys = segment.fixed.then(|| self.cached.keys(self.language, &segment.text));
        let audio = match &keys {
            Some(keys) => self.cached.look_up(keys.own.clone()).await,
            None => None,
        };
        if keys.is_some() {
            let outcome = if audio.is_some() { "hit" } else { "miss" };
            metrics::counter!("speech_phrase_cache_total", "outcome" => outcome).increment(1);
        }
        let ours = audio.is_some();
        let made = || State::Made(keys.map(|keys| Collected { keys, audio: Vec::new(), by_preferred: true }));
        let state = audio.map_or_else(made, State::Cached);
        self.line.push_back(Entry { id, state, early: Vec::new() });
        ours || self.inner.send(TtsCommand::Speak(segment)).await.is_ok()
    }

    async fn cancel(&mut self, turn: TurnId) -> bool {
        self.line.retain(|entry| entry.id.turn != turn);
        self.ready.retain(|event| segment_of(event).is_none_or(|id| id.turn != turn));
        self.inner.send(TtsCommand::Cancel { turn }).await.is_ok()
    }

    /// Takes an event of the voice; what is not in line any more was cancelled.
    async fn made(&mut self, event: TtsEvent) {
        let Some(id) = segment_of(&event) else {
            if let TtsEvent::Provider(note) = &event {
                self.preferred = speaks(note, self.cached.voice.name()).unwrap_or(self.preferred);
            }
            self.ready.push_back(event);
            return;
        };
        let Some(entry) = self.line.iter_mut().find(|entry| entry.id == id) else { return };
        if let State::Made(Some(kept)) = &mut entry.state {
            match &event {
                TtsEvent::Audio { mulaw, .. } => {
                    kept.by_preferred &= self.preferred;
                    kept.audio.extend_from_slice(mulaw);
                }
                TtsEvent::Done { .. } => {
                    let (key, audio) =
                        (kept.keys.of(kept.by_preferred).clone(), std::mem::take(&mut kept.audio));
                    let cache = Arc::clone(&self.cached.cache);
                    tokio::task::spawn_blocking(move || store(&cache, &key, audio));
                }
                TtsEvent::Failed { .. } if kept.audio.is_empty() => {
                    // Nobody can say it now. Somebody may have said it before.
                    if let Some(audio) = self.cached.look_up(kept.keys.standby.clone()).await {
                        entry.state = State::Cached(audio);
                        return;
                    }
                }
                TtsEvent::Failed { .. } | TtsEvent::Provider(_) | TtsEvent::Used(_) => {}
            }
        }
        entry.early.push(event);
    }

    /// Moves what may leave to the outlet: all of the first segment that is there, and the next once it is done.
    fn release(&mut self) {
        while let Some(first) = self.line.front_mut() {
            let id = first.id;
            if let State::Cached(audio) = &first.state {
                let pieces = audio.chunks(PIECE);
                self.ready.extend(pieces.map(|p| TtsEvent::Audio { segment: id, mulaw: p.to_vec() }));
                self.ready.push_back(TtsEvent::Done { segment: id, words: Vec::new() });
                self.line.pop_front();
                continue;
            }
            let done = first.early.iter().any(|e| !matches!(e, TtsEvent::Audio { .. }));
            self.ready.extend(first.early.drain(..));
            if !done {
                return;
            }
            self.line.pop_front();
        }
    }
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
