//! An answer's bytes over time, with what goes wrong on the way.

use std::collections::VecDeque;
use std::future::pending;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use parking_lot::Mutex;
use tokio::time::{sleep, sleep_until};

use crate::vendors::fault::Fault;

/// One event, and the wait since the one before.
#[derive(Clone, Debug)]
pub struct Piece {
    pub after: Duration,
    pub bytes: Bytes,
}

/// Notes when a client goes away before its answer's end.
#[derive(Debug)]
pub struct Watch {
    hung_up: Arc<Mutex<Vec<Instant>>>,
    over: bool,
}

impl Watch {
    #[must_use]
    pub const fn new(hung_up: Arc<Mutex<Vec<Instant>>>) -> Self {
        Self { hung_up, over: false }
    }

    /// The answer ends by our own will.
    pub const fn finish(&mut self) {
        self.over = true;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if !self.over {
            self.hung_up.lock().push(Instant::now());
        }
    }
}

struct Paced {
    pieces: VecDeque<Piece>,
    due: tokio::time::Instant,
    end: End,
    watch: Watch,
}

enum End {
    Good,
    Silence,
    Cut,
}

/// The pieces in their time.
pub fn paced(pieces: Vec<Piece>, fault: Fault, watch: Watch) -> impl Stream<Item = io::Result<Bytes>> + Send {
    let (pieces, end) = spoiled(pieces, fault);
    let state = Paced { pieces: pieces.into(), due: tokio::time::Instant::now(), end, watch };
    unfold(state, |mut paced| async move {
        if let Some(piece) = paced.pieces.pop_front() {
            if !piece.after.is_zero() {
                paced.due += piece.after;
                sleep_until(paced.due).await;
            }
            return Some((Ok(piece.bytes), paced));
        }
        match paced.end {
            End::Good => {
                paced.watch.finish();
                None
            }
            End::Silence => pending().await,
            End::Cut => {
                // What was written shall be on its way before the line is cut.
                sleep(Duration::from_millis(5)).await;
                paced.watch.finish();
                Some((Err(io::ErrorKind::ConnectionReset.into()), paced))
            }
        }
    })
}

fn spoiled(mut pieces: Vec<Piece>, fault: Fault) -> (Vec<Piece>, End) {
    match fault {
        Fault::StallAfter(count) => {
            pieces.truncate(count);
            (pieces, End::Silence)
        }
        Fault::CloseAfter(bytes) => (cut(pieces, bytes), End::Cut),
        Fault::Drip(later) => {
            pieces.iter_mut().for_each(|p| p.after += later);
            (pieces, End::Good)
        }
        Fault::Garbage => {
            let bytes =
                Bytes::from_static(b"\x00\xff\xfe{{{ event data \x80\n\ndata: {\"type\":\n\n<html>\n");
            (vec![Piece { after: Duration::ZERO, bytes }], End::Good)
        }
        _ => (pieces, End::Good),
    }
}

fn cut(pieces: Vec<Piece>, mut bytes: usize) -> Vec<Piece> {
    let mut kept = Vec::new();
    for mut piece in pieces {
        if piece.bytes.len() >= bytes {
            piece.bytes.truncate(bytes);
            kept.push(piece);
            break;
        }
        bytes -= piece.bytes.len();
        kept.push(piece);
    }
    kept
}
