//! Stopping without cutting callers off: no new calls, a time for running ones to end, then a close in order.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::app::App;

/// How long cut-off calls may take to settle their records.
const SETTLE: Duration = Duration::from_secs(8);

/// What asks a gateway to stop: the first item drains, the second cuts off.
pub type StopRequests = tokio::sync::mpsc::Receiver<()>;

/// Waits for a stop request and carries it out. Gives when nothing of any call is left, or the last limit passed.
pub async fn run(app: &Arc<App>, requests: &mut StopRequests) {
    let _ = requests.recv().await;
    app.stop.draining.cancel();
    app.tasks.close();
    tracing::info!(
        live = app.live.len(),
        limit_s = app.config.limits.drain.as_secs(),
        "draining: no new calls"
    );
    let deadline = Instant::now() + app.config.limits.drain;
    tokio::select! {
        () = app.tasks.wait() => {}
        () = sleep_until(deadline) => tracing::warn!(live = app.live.len(), "calls are still live: cut off"),
        _ = requests.recv() => tracing::warn!(live = app.live.len(), "asked again: calls are cut off now"),
    }
    app.stop.now.cancel();
    if tokio::time::timeout(SETTLE, app.tasks.wait()).await.is_err() {
        tracing::error!(tasks = app.tasks.len(), "some calls did not settle in time");
    }
    app.stop.closing.cancel();
}
