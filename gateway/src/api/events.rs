//! `GET /v1/events`: live events of a tenant's calls as server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use futures_util::stream::{self, StreamExt};
use pipeline::event::EVENT_VERSION;
use serde::Deserialize;
use tokio::sync::broadcast::Receiver;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::app::App;
use crate::auth::{ReadCalls, Scoped};
use crate::error::{ApiError, QueryOf};
use crate::fanout::local::{Published, Subscription};

const HEARTBEAT: Duration = Duration::from_secs(15);
const RETRY: Duration = Duration::from_secs(2);

/// `?call_id=&last_event_id=`.
#[derive(Debug, Deserialize)]
pub struct EventsQuery {
    call_id: Option<Uuid>,
    last_event_id: Option<String>,
}

/// The handler. A viewer that lags too far is cut off, and resumes by `Last-Event-ID`.
pub async fn handle(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadCalls>,
    QueryOf(query): QueryOf<EventsQuery>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let last = headers.get("last-event-id").and_then(|v| v.to_str().ok()).or(query.last_event_id.as_deref());
    let last_seen = last.and_then(|text| text.parse().ok());
    let Subscription { missed, resumed, live } = app.fanout.subscribe(scope.tenant.id.0, last_seen);
    let ready = format!("{{\"version\":{EVENT_VERSION},\"resumed\":{resumed}}}");
    let first = stream::iter([Event::default().event("ready").retry(RETRY).data(ready)]);
    let only = query.call_id;
    let wanted = move |event: &Arc<Published>| only.is_none_or(|call| event.call == call);
    let viewer = Viewer { live, closing: app.stop.closing.clone(), _open: OpenViewer::count() };
    let events = stream::iter(missed).chain(stream::unfold(viewer, Viewer::next));
    let events = events.filter(move |event| std::future::ready(wanted(event))).map(|event| sse(&event));
    let keep_alive = KeepAlive::new().interval(HEARTBEAT).text("alive");
    Ok(Sse::new(first.chain(events).map(Ok)).keep_alive(keep_alive))
}

fn sse(event: &Published) -> Event {
    Event::default().event(event.name).id(event.id.to_string()).data(&event.json)
}

struct Viewer {
    live: Receiver<Arc<Published>>,
    closing: CancellationToken,
    _open: OpenViewer,
}

impl Viewer {
    async fn next(mut self) -> Option<(Arc<Published>, Self)> {
        tokio::select! {
            event = self.live.recv() => match event {
                Ok(event) => Some((event, self)),
                Err(e) => {
                    tracing::info!(error = %e, "a viewer of events was too slow");
                    None
                }
            },
            () = self.closing.cancelled() => None,
        }
    }
}

/// Counts an open stream while it lives.
struct OpenViewer;

impl OpenViewer {
    fn count() -> Self {
        metrics::gauge!("quandura_event_viewers").increment(1.0);
        Self
    }
}

impl Drop for OpenViewer {
    fn drop(&mut self) {
        metrics::gauge!("quandura_event_viewers").decrement(1.0);
    }
}
