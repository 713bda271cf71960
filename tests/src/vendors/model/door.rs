//! The TCP side: connections that are taken and never served, and connections that are cut.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

use crate::vendors::fault::{Fault, Faults};

/// Takes connections, and keeps those to itself that nobody shall serve.
#[derive(Debug)]
pub struct Door {
    tcp: TcpListener,
    faults: Faults,
    accepted: Arc<AtomicUsize>,
    held: Vec<TcpStream>,
}

impl Door {
    #[must_use]
    pub const fn new(tcp: TcpListener, faults: Faults, accepted: Arc<AtomicUsize>) -> Self {
        Self { tcp, faults, accepted, held: Vec::new() }
    }
}

impl Listener for Door {
    type Io = Line;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Line, SocketAddr) {
        loop {
            let (tcp, peer) = Listener::accept(&mut self.tcp).await;
            self.accepted.fetch_add(1, Ordering::Relaxed);
            if self.faults.standing() == Fault::HalfOpen {
                self.held.push(tcp);
                continue;
            }
            let _ = tcp.set_nodelay(true);
            return (Line { tcp, plug: Plug::default() }, peer);
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.tcp.local_addr()
    }
}

/// Cuts one connection.
#[derive(Clone, Debug, Default)]
pub struct Plug(Arc<AtomicBool>);

impl Plug {
    /// Nothing more is read or written.
    pub fn pull(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn check(&self) -> io::Result<()> {
        if self.0.load(Ordering::Relaxed) { Err(io::ErrorKind::ConnectionReset.into()) } else { Ok(()) }
    }
}

impl Connected<IncomingStream<'_, Door>> for Plug {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Self {
        stream.io().plug.clone()
    }
}

/// One connection.
#[derive(Debug)]
pub struct Line {
    tcp: TcpStream,
    plug: Plug,
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.plug.check()?;
        Pin::new(&mut self.tcp).poll_read(cx, buf)
    }
}

impl AsyncWrite for Line {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.plug.check()?;
        Pin::new(&mut self.tcp).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_shutdown(cx)
    }
}
