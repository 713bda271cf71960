//! What every language model is to us: a conversation in, a stream of words and tool calls out.

use std::sync::Arc;

use parking_lot::Mutex;
use pipeline::ports::{Meter, ProviderNote, Usage};
use pipeline::provider::Failure;
use tokio::sync::mpsc;

use super::conversation::{Conversation, Opaque, ToolCall, ToolSpec};

/// A model behind one provider, or several behind a fail-over.
pub trait LanguageModel: Send + Sync + 'static {
    /// Name as in the fail-over lists: `anthropic`, `openai`.
    fn name(&self) -> &'static str;

    /// Begins an answer. Never waits: what goes wrong comes as [`ModelEvent::Failed`]. Dropping the stream's
    /// events cancels the request at the provider.
    fn ask(&self, request: Request) -> ModelStream;

    /// Opens a connection (and warms the prompt cache where that is worth it) before the first turn needs it.
    fn warm(&self, _request: Request) {}
}

#[derive(Clone, Debug)]
pub struct Request {
    pub conversation: Arc<Conversation>,
    pub tools: Arc<[ToolSpec]>,
    pub max_tokens: u32,
}

#[derive(Debug)]
pub struct ModelStream {
    /// Bound 64. Full: the provider waits.
    pub events: mpsc::Receiver<ModelEvent>,
    /// What the answer cost so far; estimated for an answer that is cancelled. Read it when done with the stream.
    pub tally: Tally,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ModelEvent {
    /// The next words.
    Text(String),
    /// A tool call, complete.
    Call(ToolCall),
    /// A fail-over did something.
    Provider(ProviderNote),
    /// The answer is complete.
    Done { stop: Stop, opaque: Option<Opaque> },
    /// It is not, and nothing more comes.
    Failed(Failure),
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It said what it had to say.
    End,
    /// It waits for the results of its tool calls.
    Tools,
    /// The token limit cut it.
    Length,
    /// It will not answer.
    Refusal,
}

/// Usage of one answer, shared with the adapter that counts it.
#[derive(Clone, Debug, Default)]
pub struct Tally(Arc<Mutex<Vec<Usage>>>);

impl Tally {
    /// Sets the amount of a meter: providers report totals, not increments.
    pub fn set(&self, provider: &str, model: &str, meter: Meter, amount: u64) {
        let mut all = self.0.lock();
        let same = |u: &&mut Usage| u.provider == provider && u.model == model && u.meter == meter;
        if let Some(usage) = all.iter_mut().find(same) {
            usage.amount = amount;
        } else {
            all.push(Usage { provider: provider.to_owned(), model: model.to_owned(), meter, amount });
        }
    }

    /// Everything used so far.
    #[must_use]
    pub fn usage(&self) -> Vec<Usage> {
        self.0.lock().iter().filter(|u| u.amount > 0).cloned().collect()
    }
}
