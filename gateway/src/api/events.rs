//! `GET /v1/events`: live events of a tenant's calls and requests as server-sent events.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{ConnectInfo, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use futures_util::stream::{self, StreamExt};
use pipeline::event::EVENT_VERSION;
use serde::Deserialize;
use tokio::sync::broadcast::Receiver;
use tokio::time::Interval;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::app::App;
use crate::auth::pass::Pass;
use crate::auth::permission::Permission;
use crate::auth::{Act, ReadCalls, Scoped};
use crate::calls::staff::Seat;
use crate::error::{ApiError, QueryOf};
use crate::event_bus::local::{Published, Subscription};
use crate::limits::TenantPlace;

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
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let place = app.gates.stream(scope.tenant.id)?;
    let last = headers.get("last-event-id").and_then(|v| v.to_str().ok()).or(query.last_event_id.as_deref());
    let last_seen = last.and_then(|text| text.parse().ok());
    let seat = Act::allows(scope.principal.role).then(|| app.staff.enter(scope.tenant.id));
    let Subscription { missed, resumed, live } = app.fanout.subscribe(scope.tenant.id.0, last_seen);
    let ready = format!("{{\"version\":{EVENT_VERSION},\"resumed\":{resumed}}}");
    let first = stream::iter([Event::default().event("ready").retry(RETRY).data(ready)]);
    let only = query.call_id;
    let wanted = move |event: &Arc<Published>| only.is_none_or(|call| event.call == Some(call));
    let pass = Pass::new(headers, peer.ip(), scope.principal);
    let recheck = Pass::rechecks();
    let closing = app.stop.closing.clone();
    let viewer =
        Viewer { app, pass, recheck, live, closing, over: false, _open: (OpenViewer::count(), place, seat) };
    let missed = stream::iter(missed).map(Seen::Event);
    let events = missed.chain(stream::unfold(viewer, Viewer::next)).filter_map(move |seen| {
        std::future::ready(match seen {
            Seen::Event(event) => wanted(&event).then(|| sse(&event)),
            Seen::SignedOut => Some(Event::default().event("signed_out").data("{\"version\":1}")),
        })
    });
    let keep_alive = KeepAlive::new().interval(HEARTBEAT).text("alive");
    Ok(Sse::new(first.chain(events).map(Ok)).keep_alive(keep_alive))
}

fn sse(event: &Published) -> Event {
    Event::default().event(event.name).id(event.id.to_string()).data(&event.json)
}

/// What a viewer is sent.
enum Seen {
    Event(Arc<Published>),
    /// The last word: who opened the stream may not see it any more.
    SignedOut,
}

struct Viewer {
    app: Arc<App>,
    pass: Pass,
    recheck: Interval,
    /// The last word was said.
    over: bool,
    live: Receiver<Arc<Published>>,
    closing: CancellationToken,
    _open: (OpenViewer, TenantPlace, Option<Seat>),
}

impl Viewer {
    async fn next(mut self) -> Option<(Seen, Self)> {
        if self.over {
            return None;
        }
        loop {
            tokio::select! {
                event = self.live.recv() => return match event {
                    Ok(event) => Some((Seen::Event(event), self)),
                    Err(e) => {
                        tracing::info!(error = %e, "a viewer of events was too slow");
                        None
                    }
                },
                _ = self.recheck.tick() => if !self.pass.holds(&self.app).await {
                    tracing::info!(audit = "events.ended", "the stream of a viewer who may not see it any more was ended");
                    self.over = true;
                    return Some((Seen::SignedOut, self));
                },
                () = self.closing.cancelled() => return None,
            }
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
