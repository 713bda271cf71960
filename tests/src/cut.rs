//! A line to a database server that can be cut: what is sent is swallowed, nothing comes back, and nobody is told.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A listener on this machine in front of a server's socket. Dropped, every connection through it ends.
#[derive(Debug)]
pub struct Line {
    pub addr: SocketAddr,
    is_cut: watch::Sender<bool>,
    target: Arc<Mutex<PathBuf>>,
    accepting: JoinHandle<()>,
}

impl Line {
    /// To a server's socket, such as `TestDatabase::socket`.
    pub async fn to(socket: PathBuf) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let addr = listener.local_addr()?;
        let target = Arc::new(Mutex::new(socket));
        let (is_cut, cut) = watch::channel(false);
        let accepting = tokio::spawn(accept(listener, target.clone(), cut));
        Ok(Self { addr, is_cut, target, accepting })
    }

    /// Cuts it: connections stay open and carry nothing; new ones are accepted and carry nothing either.
    pub fn cut(&self) {
        self.is_cut.send_replace(true);
    }

    /// New connections work. Those that were cut stay dead, as behind a router that has forgotten them.
    pub fn mend(&self) {
        self.is_cut.send_replace(false);
    }

    /// Where new connections go from now on, such as to a standby that took over.
    pub fn redirect(&self, socket: PathBuf) {
        *self.target.lock() = socket;
    }

    /// The address of a database behind it.
    #[must_use]
    pub fn url(&self, role: &str, database: &str) -> String {
        format!("postgres://{role}@{}/{database}?sslmode=disable", self.addr)
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, target: Arc<Mutex<PathBuf>>, cut: watch::Receiver<bool>) {
    while let Ok((outer, _)) = listener.accept().await {
        let (target, cut) = (target.lock().clone(), cut.clone());
        tokio::spawn(async move {
            let (from_caller, to_caller) = outer.into_split();
            let is_cut = *cut.borrow();
            if is_cut {
                return swallow(from_caller, to_caller).await;
            }
            let Ok(inner) = UnixStream::connect(target).await else { return };
            let (from_server, to_server) = inner.into_split();
            tokio::join!(carry(from_caller, to_server, cut.clone()), carry(from_server, to_caller, cut));
        });
    }
}

/// Until one end closes, or for good once the line is cut.
async fn carry(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut cut: watch::Receiver<bool>,
) {
    let mut bytes = vec![0; 16 * 1024];
    loop {
        let read = tokio::select! {
            biased;
            is_cut = until_cut(&mut cut) => {
                if is_cut {
                    swallow(from, to).await;
                }
                return;
            }
            read = from.read(&mut bytes) => read,
        };
        match read {
            Ok(count @ 1..) if to.write_all(&bytes[..count]).await.is_ok() => {}
            _ => return,
        }
    }
}

/// `false`: the line is gone.
async fn until_cut(cut: &mut watch::Receiver<bool>) -> bool {
    cut.wait_for(|is_cut| *is_cut).await.is_ok()
}

/// `to` is held, so that the other side sees nothing.
async fn swallow(mut from: impl AsyncRead + Unpin, to: impl AsyncWrite + Unpin) {
    let mut bytes = vec![0; 16 * 1024];
    while matches!(from.read(&mut bytes).await, Ok(1..)) {}
    drop(to);
}
