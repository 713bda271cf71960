//! What every language model is to us: a conversation in, a stream of words and tool calls out.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use pipeline::ports::{Meter, ProviderNote, Usage};
use pipeline::provider::Failure;
use tokio::sync::mpsc;

use super::conversation::{Conversation, Opaque, ToolCall, ToolSpec};
use language::shown::Shape;

/// A model behind one provider, or several behind a fail-over.
pub trait LanguageModel: Send + Sync + 'static {
    /// Name as in the fail-over lists: `anthropic`, `openai`.
    fn name(&self) -> &'static str;

    /// Begins an answer. Never waits: what goes wrong comes as [`ModelEvent::Failed`]. Dropping the stream's
    /// events cancels the request at the provider.
    fn ask(&self, request: Request) -> ModelStream;

    /// Opens a connection (and warms the prompt cache where that is worth it) before the first turn needs it.
    fn warm(&self, _request: Request) {}

    /// This model for one call, where it remembers something of a call: open it once and keep it. `None`: it
    /// remembers nothing, use it as it is.
    fn for_call(&self) -> Option<Arc<dyn LanguageModel>> {
        None
    }
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

#[derive(Clone, PartialEq)]
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

impl std::fmt::Debug for ModelEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => write!(f, "Text({:?})", text.shape()),
            Self::Call(call) => f.debug_tuple("Call").field(call).finish(),
            Self::Provider(note) => f.debug_tuple("Provider").field(note).finish(),
            Self::Done { stop, opaque } => {
                f.debug_struct("Done").field("stop", stop).field("opaque", opaque).finish()
            }
            Self::Failed(failure) => f.debug_tuple("Failed").field(failure).finish(),
        }
    }
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
pub struct Tally(Arc<Counted>);

#[derive(Debug, Default)]
struct Counted {
    own: Mutex<Vec<Usage>>,
    /// Other answers that were asked for on behalf of this one.
    parts: Mutex<Vec<Tally>>,
    touches: AtomicU64,
}

impl Tally {
    /// Sets the amount of a meter: providers report totals, not increments.
    pub fn set(&self, provider: &str, model: &str, meter: Meter, amount: u64) {
        let mut all = self.0.own.lock();
        let same = |u: &&mut Usage| u.provider == provider && u.model == model && u.meter == meter;
        if let Some(usage) = all.iter_mut().find(same) {
            usage.amount = amount;
        } else {
            all.push(Usage { provider: provider.to_owned(), model: model.to_owned(), meter, amount });
        }
    }

    /// Counts another answer's usage, now and later, as part of this one.
    pub fn add_part(&self, part: &Self) {
        self.0.parts.lock().push(part.clone());
    }

    /// Whether another answer was asked for on behalf of this one.
    #[must_use]
    pub fn has_parts(&self) -> bool {
        !self.0.parts.lock().is_empty()
    }

    /// The answer goes on, though it may give no event for now: the input of a tool call is only given whole.
    pub fn touch(&self) {
        self.0.touches.fetch_add(1, Ordering::Relaxed);
    }

    /// How often the answer has gone on.
    #[must_use]
    pub fn touches(&self) -> u64 {
        self.0.touches.load(Ordering::Relaxed)
    }

    /// Everything used so far, one entry a provider, model and meter.
    #[must_use]
    pub fn usage(&self) -> Vec<Usage> {
        let mut all = self.0.own.lock().clone();
        let parts = self.0.parts.lock().clone();
        for used in parts.iter().flat_map(Self::usage) {
            let same = |u: &&mut Usage| {
                u.provider == used.provider && u.model == used.model && u.meter == used.meter
            };
            match all.iter_mut().find(same) {
                Some(usage) => usage.amount += used.amount,
                None => all.push(used),
            }
        }
        all.retain(|u| u.amount > 0);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_replace_totals_and_parts_are_summed() {
        let (whole, first, second) = (Tally::default(), Tally::default(), Tally::default());
        whole.add_part(&first);
        whole.add_part(&second);
        first.set("a", "m", Meter::OutputTokens, 10);
        first.set("a", "m", Meter::OutputTokens, 30);
        second.set("a", "m", Meter::OutputTokens, 5);
        second.set("b", "m", Meter::OutputTokens, 7);
        second.set("b", "m", Meter::InputTokens, 0);
        let amounts: Vec<_> = whole.usage().into_iter().map(|u| (u.provider, u.amount)).collect();
        assert_eq!(amounts, [("a".to_owned(), 35), ("b".to_owned(), 7)]);
    }
}
