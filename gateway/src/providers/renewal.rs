//! Sentences rendered anew while calls run: those of a tenant that is new or has changed its pronunciations.
//!
//! One tenant at a time, one sentence at a time, in a task of its own. What is rendered already is not rendered again,
//! and sentences that are not there yet are rendered when they are first said, so no call waits for this.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use pipeline::provider::Backoff;
use storage::TenantId;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::lineup::Renew;
use super::phrasebook::Phrasebook;
use super::phrases::{self, Batch, Voices};

/// Changes that may wait to be taken up.
const INBOX: usize = 64;
/// Wait before sentences that could not be rendered are tried again, doubled each time.
const AGAIN: Backoff = Backoff::new(Duration::from_secs(30), Duration::from_secs(30 * 60));
/// Attempts after the first.
const ATTEMPTS: u32 = 6;

/// Renders; gives how many sentences could not be.
type Render = Box<dyn Fn(Vec<Batch>) -> BoxFuture<'static, usize> + Send + Sync>;

/// One tenant's sentences that are to be rendered.
struct Wanted {
    tenant: TenantId,
    batches: Vec<Batch>,
    tries: u32,
    due: Instant,
}

/// Begins to take changes, until the last copy of what is given is dropped. Call it from the runtime.
#[must_use]
pub fn begin(voices: Voices, book: Phrasebook) -> Renew {
    let voices = Arc::new(voices);
    let asked = start(Box::new(move |batches| {
        let voices = voices.clone();
        Box::pin(async move { phrases::renew(&voices, &batches).await })
    }));
    Arc::new(move |tenant, lexicon| ask(&asked, tenant, book.of(tenant, lexicon)))
}

fn start(render: Render) -> mpsc::Sender<Wanted> {
    let (asked, inbox) = mpsc::channel(INBOX);
    tokio::spawn(work(render, inbox));
    asked
}

fn ask(asked: &mpsc::Sender<Wanted>, tenant: TenantId, batches: Vec<Batch>) {
    let wanted = Wanted { tenant, batches, tries: 0, due: Instant::now() };
    if asked.try_send(wanted).is_err() {
        tracing::warn!(%tenant, "too many changes at a time: this tenant's sentences are rendered when first said");
    }
}

async fn work(render: Render, mut inbox: mpsc::Receiver<Wanted>) {
    let mut line: VecDeque<Wanted> = VecDeque::new();
    loop {
        let due = line.iter().map(|wanted| wanted.due).min();
        tokio::select! {
            biased;
            asked = inbox.recv() => match asked {
                Some(asked) => put(&mut line, asked),
                None => return,
            },
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                let next = line.iter().position(|wanted| Some(wanted.due) == due);
                if let Some(next) = next.and_then(|at| line.remove(at))
                    && !one(&render, next, &mut inbox, &mut line).await
                {
                    return;
                }
            }
        }
    }
}

/// The newest sentences of a tenant take the place of its older ones.
fn put(line: &mut VecDeque<Wanted>, asked: Wanted) {
    line.retain(|wanted| wanted.tenant != asked.tenant);
    line.push_back(asked);
}

/// Renders one tenant's, unless a newer change makes that worthless. False: nobody will ask any more.
async fn one(
    render: &Render,
    wanted: Wanted,
    inbox: &mut mpsc::Receiver<Wanted>,
    line: &mut VecDeque<Wanted>,
) -> bool {
    let mut rendering = render(wanted.batches.clone());
    let failed = loop {
        tokio::select! {
            biased;
            asked = inbox.recv() => {
                let Some(asked) = asked else { return false };
                let replaces = asked.tenant == wanted.tenant;
                put(line, asked);
                if replaces {
                    return true;
                }
            }
            failed = &mut rendering => break failed,
        }
    };
    if failed > 0 && wanted.tries < ATTEMPTS {
        tracing::warn!(failed, tenant = %wanted.tenant, "some changed sentences could not be rendered: tried again");
        let due = Instant::now() + AGAIN.after(wanted.tries + 1);
        line.push_back(Wanted { tries: wanted.tries + 1, due, ..wanted });
    }
    true
}

#[cfg(test)]
#[path = "renewal_tests.rs"]
mod tests;
