//! Writing the prompt cache before a turn needs it: a request without an answer, whose cost is told to whoever counts.

use std::sync::Arc;

use pipeline::ports::{Meter, Usage};
use pipeline::provider::Kind;
use reqwest::Response;
use serde::Deserialize;
use tokio::time::{Instant, timeout_at};

use super::NAME;
use super::stream::Used;
use crate::answer::Count;
use crate::link::{Link, Unanswered, next_bytes};
use crate::model::Tally;

/// Longest answer that is read: there is no text in it.
const LONGEST: usize = 64 << 10;

/// Takes what a write of the prompt cache cost.
pub type Counter = Arc<dyn Fn(&Usage) + Send + Sync>;

/// Whether [`LanguageModel::warm`](crate::model::LanguageModel::warm) also writes the prompt cache. That costs the
/// prefix's tokens at the write price, at most once in 4.5 minutes a prefix. The prefix serves the calls of all
/// tenants, so no call's tally holds it: it cannot be switched on without somebody who counts.
#[derive(Clone, Default)]
pub enum Prewarm {
    #[default]
    Off,
    /// Each write is told here once, as far as the provider says what it cost, and estimated otherwise.
    CountedBy(Counter),
}

impl std::fmt::Debug for Prewarm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Off => "Off",
            Self::CountedBy(_) => "CountedBy",
        })
    }
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    usage: Used,
}

/// Sends the request in a task of its own and counts what it cost.
pub(super) fn send(link: Link, body: Vec<u8>, model: String, counter: Counter) {
    tokio::spawn(async move {
        let (tally, bytes, deadlines) = (Tally::default(), body.len(), link.deadlines());
        let count = Count::new(NAME, model, tally.clone());
        let end = Instant::now() + deadlines.connect + deadlines.give_up;
        let used = match link.post(body, end).await {
            Ok(response) => read(response, end + deadlines.give_up).await,
            // Neither a request that was refused nor one that never arrived is charged.
            Err(Unanswered::Refused(_)) => return,
            Err(Unanswered::Failed(failure)) if failure.kind == Kind::Connect => return,
            Err(Unanswered::Failed(_)) => None,
        };
        match used {
            Some(used) => used.count(&count),
            // About four bytes a token, all of it written: rather too much than nothing.
            None => count.set(Meter::CacheWriteTokens, bytes.div_ceil(4) as u64),
        }
        tally.usage().iter().for_each(|usage| counter(usage));
    });
}

/// What the provider says that it cost.
async fn read(mut response: Response, end: Instant) -> Option<Used> {
    let mut body = Vec::new();
    while let Some(bytes) = timeout_at(end, next_bytes(&mut response)).await.ok()?.ok()? {
        body.extend_from_slice(&bytes);
        if body.len() > LONGEST {
            return None;
        }
    }
    let used = serde_json::from_slice::<Answer>(&body).ok()?.usage;
    used.is_told().then_some(used)
}
