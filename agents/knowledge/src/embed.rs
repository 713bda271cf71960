//! Sentence embeddings: MiniLM through ONNX Runtime, on one thread behind a bounded queue; of Spanish, [`spanish`].
//!
//! A live turn asks with a deadline and goes on without vectors when the worker is busy, so no call's timing
//! hangs on it. Ingestion waits its turn in small batches, so live queries slip in between.

mod remembered;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ort::environment::Environment;
use ort::session::Session;
use ort::value::Tensor;
use parking_lot::Mutex;
use tokenizers::Tokenizer;
use tokio::sync::{mpsc, oneshot};

use language::spanish::glossary;
use language::states::States;

use super::{RetrieverError, spanish};
use remembered::Remembered;

/// Longest input the model was trained for.
const MAX_TOKENS: usize = 256;
/// Jobs that may wait for the worker.
const QUEUE: usize = 64;
/// Texts in one run of the model while ingesting.
const BATCH: usize = 8;
/// How long a live turn waits for a vector before it goes on with keywords alone.
const LIVE_DEADLINE: Duration = Duration::from_millis(80);
/// How long anybody else waits for one.
const PATIENT_DEADLINE: Duration = Duration::from_secs(10);
/// Remembered queries, some 30 kB each; interim text asks for the same words several times.
const REMEMBERED: usize = 256;

/// Bytes of sentences that are remembered: some six hundred.
const SEEN_BYTES: usize = 24 << 20;

/// Sentences of an output and its sources that are seen for the judge, some 5 ms each.
const COMPARED: usize = 64;

/// So few words tell their language by which words they are.
const FEW: usize = 4;

/// A unit-length sentence vector.
pub type Vector = Arc<[f32]>;

struct Job {
    texts: Vec<String>,
    /// What each token stands for is wanted, too.
    tokens: bool,
    reply: oneshot::Sender<Vec<Seen>>,
}

/// A sentence as the encoder saw it.
#[derive(Clone, Debug)]
pub struct Seen {
    pub vector: Vector,
    /// One after the other what its tokens stand for; empty where nobody wanted it.
    pub tokens: Vector,
    /// First byte of each token, and the one after its last; empty where nobody wanted it.
    pub pieces: Vec<(usize, usize)>,
}

/// A caller's words as they are read: as one vector, and word by word.
#[derive(Clone, Debug)]
pub struct Encoded {
    pub vector: Vector,
    /// `None` where the worker was too busy, or nobody wanted them.
    pub states: Option<Arc<States>>,
}

impl Seen {
    /// As it is read for what it means.
    #[must_use]
    pub fn to_read(&self) -> governance::meaning::Seen<'_> {
        governance::meaning::Seen { vector: &self.vector, tokens: &self.tokens }
    }

    /// As the judge compares it.
    #[must_use]
    pub fn to_compare(&self) -> governance::judge::Sight {
        governance::judge::Sight { vector: self.vector.clone(), tokens: self.tokens.clone() }
    }
}

/// Handle to the embedding worker. Dropping the last one ends the thread.
#[derive(Clone, Debug)]
pub struct Embedder {
    jobs: mpsc::Sender<Job>,
    model: Arc<str>,
    remembered: Arc<Mutex<HashMap<String, Encoded>>>,
    /// Sentences of pages and of ours down to their tokens, as the encoder itself sees them; no caller's.
    seen: Arc<Mutex<Remembered>>,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Job({} texts)", self.texts.len())
    }
}

impl Embedder {
    /// Loads `minilm.onnx` and `minilm-tokenizer.json` and starts the worker.
    ///
    /// # Errors
    /// When a file is missing or unreadable.
    pub fn load(environment: &Environment, models_dir: &Path) -> Result<Self, RetrieverError> {
        let model = Model::load(environment, models_dir)?;
        let name = fingerprint(models_dir)?;
        let (jobs, queue) = mpsc::channel(QUEUE);
        std::thread::Builder::new()
            .name("embed".to_owned())
            .spawn(move || work(model, queue))
            .map_err(|e| RetrieverError::Model(e.to_string()))?;
        let seen = Arc::new(Mutex::new(Remembered::new(SEEN_BYTES)));
        Ok(Self { jobs, model: name.into(), remembered: Arc::default(), seen })
    }

    /// Names the model and how it is used: equal names, equal vectors.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Vector of a live query, or `None` when the worker is too busy for the turn.
    pub async fn live(&self, text: &str) -> Option<Vector> {
        match of_spanish(text) {
            Some(vector) => Some(vector),
            None => Some(self.live_words(text).await?.vector),
        }
    }

    /// [`Self::live`], and the words one by one.
    pub async fn live_words(&self, text: &str) -> Option<Encoded> {
        if let Some(read) = self.remembered.lock().get(text) {
            return Some(read.clone());
        }
        let own = of_spanish(text);
        match self.at_once(text).await {
            Some(seen) => Some(self.read(text, own, seen)),
            None => own.map(|vector| Encoded { vector, states: None }),
        }
    }

    /// [`Self::patient`], and the words one by one.
    pub async fn patient_words(&self, text: &str) -> Option<Encoded> {
        if let Some(read) = self.remembered.lock().get(text) {
            return Some(read.clone());
        }
        let (reply, answer) = oneshot::channel();
        let run = async {
            self.jobs.send(Job { texts: vec![text.to_owned()], tokens: true, reply }).await.ok()?;
            answer.await.ok()?.pop()
        };
        let seen = tokio::time::timeout(PATIENT_DEADLINE, run).await.ok()??;
        Some(self.read(text, of_spanish(text), seen))
    }

    /// Keeps what was read: the search for pages and the reading of the words ask for the same.
    fn read(&self, text: &str, own: Option<Vector>, seen: Seen) -> Encoded {
        let states = States::new(text.to_owned(), seen.pieces, seen.tokens).map(Arc::new);
        let read = Encoded { vector: own.unwrap_or(seen.vector), states };
        let mut remembered = self.remembered.lock();
        if remembered.len() >= REMEMBERED {
            remembered.clear();
        }
        remembered.insert(text.to_owned(), read.clone());
        read
    }

    /// A sentence that is about to be said, down to its tokens, or `None` when the worker is too busy for the turn.
    pub async fn see(&self, sentence: &str) -> Option<Seen> {
        let known = self.seen.lock().get(sentence);
        let seen = match known {
            Some(seen) => seen,
            None => {
                let seen = self.at_once(sentence).await?;
                self.seen.lock().insert(sentence.to_owned(), seen.clone());
                seen
            }
        };
        Some(Seen { vector: of_spanish(sentence).unwrap_or(seen.vector), ..seen })
    }

    async fn at_once(&self, text: &str) -> Option<Seen> {
        let (reply, answer) = oneshot::channel();
        self.jobs.try_send(Job { texts: vec![text.to_owned()], tokens: true, reply }).ok()?;
        tokio::time::timeout(LIVE_DEADLINE, answer).await.ok()?.ok()?.pop()
    }

    /// Vector of a question that nobody waits for on the line, or `None` when the worker is gone or takes very long.
    pub async fn patient(&self, text: &str) -> Option<Vector> {
        match of_spanish(text) {
            Some(vector) => Some(vector),
            None => Some(self.patient_words(text).await?.vector),
        }
    }

    /// Vectors of many texts, in their order; empty when the worker is gone.
    pub async fn all(&self, texts: &[String]) -> Vec<Vector> {
        let mut out: Vec<Option<Vector>> = texts.iter().map(|text| of_spanish(text)).collect();
        let left = (0..texts.len()).filter(|&n| out[n].is_none()).collect();
        if !self.in_batches(texts, left, false, |n, seen| out[n] = Some(seen.vector)).await {
            return Vec::new();
        }
        out.into_iter().collect::<Option<Vec<_>>>().unwrap_or_default()
    }

    /// What the judge compares, or `None` where it is more than is worth the time, or the worker is gone.
    pub async fn sights(&self, sentences: Vec<String>) -> Option<governance::judge::Sights> {
        if sentences.len() > COMPARED {
            return None;
        }
        let seen = self.see_all(&sentences).await;
        let whole = seen.len() == sentences.len();
        whole.then(|| sentences.into_iter().zip(seen.iter().map(Seen::to_compare)).collect())
    }

    /// Many sentences as [`Self::see`] sees one, in their order, by whoever can wait; empty when the worker is gone.
    pub async fn see_all(&self, sentences: &[String]) -> Vec<Seen> {
        let mut out: Vec<Option<Seen>> = vec![None; sentences.len()];
        let all = (0..sentences.len()).collect();
        let taken = |n: usize, seen: Seen| {
            let vector = of_spanish(&sentences[n]).unwrap_or(seen.vector);
            out[n] = Some(Seen { vector, ..seen });
        };
        if !self.in_batches(sentences, all, true, taken).await {
            return Vec::new();
        }
        out.into_iter().collect::<Option<Vec<_>>>().unwrap_or_default()
    }

    /// Whether the worker took all of these texts.
    async fn in_batches(
        &self,
        texts: &[String],
        mut order: Vec<usize>,
        tokens: bool,
        mut taken: impl FnMut(usize, Seen),
    ) -> bool {
        if tokens {
            order.retain(|&n| match self.seen.lock().get(&texts[n]) {
                Some(seen) => {
                    taken(n, seen);
                    false
                }
                None => true,
            });
        }
        // Texts of like length share a run: what is shorter is padded to the longest.
        order.sort_by_key(|&n| texts[n].len());
        for batch in order.chunks(BATCH) {
            let (reply, answer) = oneshot::channel();
            let job = Job { texts: batch.iter().map(|&n| texts[n].clone()).collect(), tokens, reply };
            if self.jobs.send(job).await.is_err() {
                return false;
            }
            for (&n, seen) in batch.iter().zip(answer.await.unwrap_or_default()) {
                if tokens {
                    self.seen.lock().insert(texts[n].clone(), seen.clone());
                }
                taken(n, seen);
            }
        }
        true
    }
}

/// The vector of a Spanish text, from the encoder that knows Spanish: at once, without the worker.
fn of_spanish(text: &str) -> Option<Vector> {
    // Few words are known by lists; more, only where they leave no doubt.
    let few = text.split_whitespace().count() <= FEW;
    let spanish = match language::language_of(text) {
        Some(language) => language == language::Language::Es,
        None => few && glossary::is_spanish(text),
    };
    spanish.then(|| spanish::vector(text)).flatten()
}

/// A name out of the files' contents. The weights are sampled: another model differs all over.
fn fingerprint(dir: &Path) -> Result<String, RetrieverError> {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for (file, step) in [("minilm.onnx", 251), ("minilm-tokenizer.json", 1)] {
        let bytes =
            std::fs::read(dir.join(file)).map_err(|e| RetrieverError::Model(format!("{file}: {e}")))?;
        let length = bytes.len().to_le_bytes();
        for byte in bytes.iter().step_by(step).chain(&length) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    Ok(format!("minilm/mean/{MAX_TOKENS}/{hash:016x}/{:08x}", spanish::fingerprint()))
}

fn work(mut model: Model, mut queue: mpsc::Receiver<Job>) {
    while let Some(job) = queue.blocking_recv() {
        if job.reply.is_closed() {
            continue;
        }
        match model.run(&job.texts, job.tokens) {
            Ok(seen) => drop(job.reply.send(seen)),
            Err(error) => tracing::warn!(%error, "embedding failed"),
        }
    }
}

struct Model {
    session: Session,
    tokenizer: Tokenizer,
}

impl Model {
    fn load(environment: &Environment, dir: &Path) -> Result<Self, RetrieverError> {
        let failed = |e: &dyn std::fmt::Display| RetrieverError::Model(e.to_string());
        let mut tokenizer =
            Tokenizer::from_file(dir.join("minilm-tokenizer.json")).map_err(|e| failed(&e))?;
        tokenizer.with_padding(None);
        let cut = tokenizers::TruncationParams { max_length: MAX_TOKENS, ..Default::default() };
        tokenizer.with_truncation(Some(cut)).map_err(|e| failed(&e))?;
        let session = Session::builder(environment)
            .map_err(|e| failed(&e))?
            .with_intra_threads(1)
            .map_err(|e| failed(&e))?
            .commit_from_file(dir.join("minilm.onnx"))
            .map_err(|e| failed(&e))?;
        Ok(Self { session, tokenizer })
    }

    fn run(&mut self, texts: &[String], tokens: bool) -> Result<Vec<Seen>, RetrieverError> {
        let encoded = self
            .tokenizer
            .encode_batch(texts.to_vec(), true)
            .map_err(|e| RetrieverError::Model(e.to_string()))?;
        let width = encoded.iter().map(|e| e.get_ids().len()).max().unwrap_or(0);
        let shape = [encoded.len(), width];
        let ids = padded(&encoded, width, |e| e.get_ids());
        let mask = padded(&encoded, width, |e| e.get_attention_mask());
        let kinds = vec![0i64; encoded.len() * width];
        let outputs = self.session.run(ort::inputs![
            "input_ids" => Tensor::from_array((shape, ids))?,
            "attention_mask" => Tensor::from_array((shape, mask.clone()))?,
            "token_type_ids" => Tensor::from_array((shape, kinds))?,
        ])?;
        let (dims, states) = outputs["last_hidden_state"].try_extract_tensor::<f32>()?;
        let size = dims.last().copied().unwrap_or(0).unsigned_abs() as usize;
        let seen = |((states, mask), encoded): ((&[f32], &[i64]), &tokenizers::Encoding)| {
            let real = if tokens { mask.iter().filter(|m| **m != 0).count() } else { 0 };
            // What is padded is at the end.
            Seen {
                vector: pooled(states, mask, size),
                tokens: states.get(..real * size).unwrap_or_default().into(),
                pieces: encoded.get_offsets().iter().copied().take(real).collect(),
            }
        };
        Ok(states.chunks(width * size).zip(mask.chunks(width)).zip(&encoded).map(seen).collect())
    }
}

fn padded(
    batch: &[tokenizers::Encoding],
    width: usize,
    field: impl Fn(&tokenizers::Encoding) -> &[u32],
) -> Vec<i64> {
    let row = |e| {
        field(e).iter().map(|&v| i64::from(v)).chain(std::iter::repeat(0)).take(width).collect::<Vec<_>>()
    };
    batch.iter().flat_map(row).collect()
}

/// Mean over the real tokens, at unit length.
fn pooled(states: &[f32], mask: &[i64], size: usize) -> Vector {
    let mut sum = vec![0f32; size];
    for (token, _) in states.chunks(size).zip(mask).filter(|(_, m)| **m != 0) {
        for (total, value) in sum.iter_mut().zip(token) {
            *total += value;
        }
    }
    let norm = sum.iter().map(|v| v * v).sum::<f32>().sqrt().max(1e-9);
    sum.iter().map(|v| v / norm).collect()
}

/// The middle of two vectors, at unit length.
pub(super) fn middle(a: &[f32], b: &[f32]) -> Vector {
    let sum: Vec<f32> = a.iter().zip(b).map(|(x, y)| x + y).collect();
    let norm = sum.iter().map(|v| v * v).sum::<f32>().sqrt().max(1e-9);
    sum.iter().map(|v| v / norm).collect()
}

/// Cosine of two unit vectors.
#[must_use]
pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
