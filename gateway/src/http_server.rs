//! The listener: HTTP connections with limits of time and number.
//!
//! Whoever connects and says nothing, or says it one letter at a time, holds a connection and nothing else, and not for
//! long: headers have a limit of time, which also ends connections that are kept open and unused, and so have bodies.
//! A peer that does not take its answer is let go of, too.
//! What is upgraded to a WebSocket or answers with a stream of events lives as long as it likes.

mod impatient;

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::stream::{self, StreamExt};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use crate::config::Limits;
use impatient::Impatient;

/// Largest head of a request, bytes.
const MOST_HEADERS: usize = 64 * 1024;
/// Between two tries after the system had no descriptor left.
const PAUSE: Duration = Duration::from_millis(100);

/// What a connection may take.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For the head of a request, from the moment in which one could come.
    pub head: Duration,
    /// For the whole body of a request.
    pub body: Duration,
    /// For the peer to take anything of what it is sent.
    pub answer: Duration,
    pub connections: usize,
}

impl From<&Limits> for Patience {
    fn from(limits: &Limits) -> Self {
        let Limits { head, body, answer, connections, .. } = *limits;
        Self { head, body, answer, connections }
    }
}

/// Serves until `closing`, then lets requests that are under way end. Dropped, it cuts every connection.
pub async fn serve(listener: TcpListener, router: Router, patience: Patience, closing: CancellationToken) {
    let places = Arc::new(Semaphore::new(patience.connections));
    let mut connections = JoinSet::new();
    loop {
        // With none left, who comes waits in the system's queue: connections end by their limits of time.
        let place = tokio::select! {
            place = places.clone().acquire_owned() => place,
            () = closing.cancelled() => break,
        };
        let Ok(place) = place else { break };
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::debug!(%error, "a connection was not accepted");
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            },
            () = closing.cancelled() => break,
        };
        let (router, closing) = (router.clone(), closing.clone());
        connections.spawn(async move {
            connection(stream, peer, router, patience, closing).await;
            drop(place);
        });
        while connections.try_join_next().is_some() {}
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// One connection's whole life; one that was upgraded goes on elsewhere.
async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    patience: Patience,
    closing: CancellationToken,
) {
    // Frames are small and urgent: never wait for more to send with them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY was not set");
    }
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request)
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience.head)
        .max_buf_size(MOST_HEADERS)
        .serve_connection(TokioIo::new(Impatient::new(stream, patience.answer)), service)
        .with_upgrades();
    let mut served = pin!(served);
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = closing.cancelled() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended");
    }
}

/// Gives a request's body so long to arrive. What comes later is an error to whoever reads it.
pub async fn bound_body(within: Duration, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let until = Instant::now() + within;
    let bounded = stream::unfold(Some(body.into_data_stream()), move |data| async move {
        let mut data = data?;
        match timeout_at(until, data.next()).await {
            Ok(Some(Ok(bytes))) => Some((Ok(bytes), Some(data))),
            Ok(Some(Err(error))) => Some((Err(io::Error::other(error)), None)),
            Ok(None) => None,
            Err(_) => {
                let late = io::Error::new(io::ErrorKind::TimedOut, "the body took too long");
                Some((Err(late), None))
            }
        }
    });
    next.run(Request::from_parts(parts, Body::from_stream(bounded))).await
}
