//! Looks at the gateway and says how far the test is, while it runs.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, interval};
use tokio_util::sync::CancellationToken;

use caller::replay::load::Board;
use caller::replay::scrape::{Look, Observer};

const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Lines in a log file are rarer than updates of a terminal.
const SAY_EVERY: Duration = Duration::from_secs(10);

/// What was seen of the gateway.
#[derive(Debug, Default)]
pub struct Watched {
    /// Calls and figures at the moment with the most calls.
    pub peak: (usize, Look),
    /// After the last call.
    pub last: Look,
}

/// Watches until `over`.
pub async fn watch(observer: Observer, board: Arc<Board>, over: CancellationToken) -> Watched {
    let mut watched = Watched::default();
    let mut clock = interval(LOOK_EVERY);
    let mut line = Line::default();
    loop {
        tokio::select! {
            _ = clock.tick() => {}
            () = over.cancelled() => break,
        }
        let live = board.meters.live();
        if live > 0 && live >= watched.peak.0 {
            watched.peak = (live, observer.look().await);
        }
        line.say(&status(&board), false);
    }
    watched.last = observer.look().await;
    line.say(&status(&board), true);
    watched
}

fn status(board: &Board) -> String {
    let live = board.meters.live();
    let late = board.meters.send_lateness().quantile(0.99);
    let totals = board.totals.lock();
    format!(
        "live {live}  done {}  failed {}  turns {}  answer p50 {:.0} p95 {:.0} ms  own lateness p99 {late:.1} ms",
        totals.completed,
        totals.failed(),
        totals.turns.spoken,
        totals.answers.quantile(0.5),
        totals.answers.quantile(0.95),
    )
}

/// A line that is written anew on a terminal, and now and then into a file.
#[derive(Default)]
struct Line {
    said: Option<Instant>,
}

impl Line {
    fn say(&mut self, text: &str, last: bool) {
        let mut err = std::io::stderr();
        if err.is_terminal() {
            let end = if last { "\n" } else { "" };
            let _ = write!(err, "\r\x1b[K{text}{end}");
            let _ = err.flush();
        } else if last || self.said.is_none_or(|at| at.elapsed() >= SAY_EVERY) {
            self.said = Some(Instant::now());
            let _ = writeln!(err, "{text}");
        }
    }
}
