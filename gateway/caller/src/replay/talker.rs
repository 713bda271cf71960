//! One simulated call over its media stream, in real time: many of them share a core.
//!
//! A frame leaves every 20 ms by an absolute clock; one that is late is sent at once and counted. What arrives is
//! measured, not kept.

use std::time::Duration;

use bytes::BytesMut;
use futures_util::{SinkExt, StreamExt};
use telephony::media::{CallTime, FRAME_MS, StreamStart};
use telephony::twilio::client::StreamWriter;
use telephony::twilio::wire::ToCarrier;
use tokio::time::{Instant, Sleep, sleep_until, timeout};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};
use tokio_util::sync::CancellationToken;

use super::course::Course;
use super::failure::Failure;
use super::line::Line;
use super::meters::Meters;
use super::tally::{Noticed, Tally};
use super::trouble::Trouble;
use crate::socket::Socket;

const FRAME: Duration = Duration::from_millis(FRAME_MS);
/// Longest wait for the gateway to take what we send, and to close.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest search for a reason in what came before the stream broke.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The caller hung up, as planned.
    CallerHungUp,
    /// The gateway did, when the caller had said everything.
    AgentHungUp,
    /// The test was stopped.
    Stopped,
    Failed(Failure),
}

/// A call that is over.
#[derive(Debug)]
pub struct Talked {
    pub noticed: Noticed,
    pub length: Duration,
    pub end: End,
}

/// Holds the call to its end: the caller's course is run, the gateway closes, something breaks, or `stop` is called.
pub async fn talk(
    socket: Socket,
    start: StreamStart,
    course: Course,
    trouble: Trouble,
    meters: &Meters,
    stop: &CancellationToken,
) -> Talked {
    let _live = meters.call();
    let mut talker = Talker {
        socket,
        writer: StreamWriter::new(start),
        text: String::new(),
        bytes: BytesMut::new(),
        course,
        line: Line::default(),
        tally: Tally::default(),
        trouble,
        meters,
        stop,
        origin: Instant::now(),
        frames: 0,
        frame_due: CallTime::ZERO,
        last_arrival: CallTime::ZERO,
        cut_off: false,
    };
    let end = match talker.begin().await {
        Ok(()) => talker.run().await,
        Err(failure) => End::Failed(failure),
    };
    let now = talker.now();
    if talker.cut_off || end == End::Stopped {
        talker.tally.abandon();
    }
    let noticed = talker.tally.finish(now);
    let end = if noticed.bytes == 0 && matches!(end, End::CallerHungUp) {
        End::Failed(Failure::Silent)
    } else {
        end
    };
    Talked { noticed, length: now.since(CallTime::ZERO), end }
}

struct Talker<'a> {
    socket: Socket,
    writer: StreamWriter,
    /// Reused for each message.
    text: String,
    bytes: BytesMut,
    course: Course,
    line: Line<String>,
    tally: Tally,
    trouble: Trouble,
    meters: &'a Meters,
    stop: &'a CancellationToken,
    /// When the stream was opened.
    origin: Instant,
    frames: u64,
    frame_due: CallTime,
    last_arrival: CallTime,
    /// The caller hung up without waiting for an answer.
    cut_off: bool,
}

impl Talker<'_> {
    fn now(&self) -> CallTime {
        CallTime::from_micros(u64::try_from(self.origin.elapsed().as_micros()).unwrap_or(u64::MAX))
    }

    async fn begin(&mut self) -> Result<(), Failure> {
        self.writer.connected(&mut self.text);
        self.queue().await?;
        self.writer.start(&mut self.text);
        self.queue().await?;
        self.flush().await?;
        self.origin = Instant::now();
        self.plan_frame();
        Ok(())
    }

    async fn run(&mut self) -> End {
        let clock = sleep_until(self.origin + FRAME);
        tokio::pin!(clock);
        loop {
            self.set(clock.as_mut());
            let over = tokio::select! {
                biased;
                () = clock.as_mut() => match timeout(PATIENCE, self.wake()).await {
                    Ok(over) => over,
                    Err(_) => Some(End::Failed(Failure::Blocked)),
                },
                message = self.socket.next(), if !self.trouble.is_stalled(self.frame_due) => self.take(message),
            };
            match over {
                Some(End::CallerHungUp | End::Stopped) => {
                    self.hang_up().await;
                    return over.unwrap_or(End::CallerHungUp);
                }
                Some(end) => return end,
                None => {}
            }
        }
    }

    /// Wakes for the next frame, or for a mark that comes back before it.
    fn set(&self, clock: std::pin::Pin<&mut Sleep>) {
        let mark = self.line.next_mark().map(|due| due + self.trouble.way());
        let next = mark.map_or(self.frame_due, |mark| mark.min(self.frame_due));
        let at = self.origin + next.since(CallTime::ZERO);
        if clock.deadline() != at {
            clock.reset(at);
        }
    }

    /// Sends what is due.
    async fn wake(&mut self) -> Option<End> {
        match self.send_due().await {
            Ok(None) if self.stop.is_cancelled() => Some(End::Stopped),
            Ok(over) => over,
            Err(Failure::Broken) => Some(self.last_words().await),
            Err(failure) => Some(End::Failed(failure)),
        }
    }

    async fn send_due(&mut self) -> Result<Option<End>, Failure> {
        let now = self.now();
        while let Some(mark) = self.line.reached(now - self.trouble.way()) {
            self.writer.mark(&mark, &mut self.text);
            self.queue().await?;
        }
        let first_due = self.frame_due;
        let mut sent = 0;
        while self.frame_due <= now {
            self.cut_off = self.trouble.hangs_up(self.frame_due);
            if self.cut_off || !self.send_frame().await? {
                return Ok(Some(End::CallerHungUp));
            }
            sent += 1;
        }
        self.flush().await?;
        let handed_over = self.now();
        if !self.trouble.is_any() {
            (0..sent).for_each(|n| self.meters.sent(handed_over.since(first_due + FRAME * n)));
        }
        Ok(None)
    }

    /// One frame and the keys beside it; `false` when the caller hangs up instead.
    async fn send_frame(&mut self) -> Result<bool, Failure> {
        let due = self.frame_due;
        let Some(step) = self.course.tick(self.line.is_audible(due)) else { return Ok(false) };
        let recording = self.course.recording();
        let voiced = step.frame.is_some_and(|frame| recording.is_voiced(frame));
        let keys: Vec<char> = step.frame.map(|frame| recording.keys(frame).collect()).unwrap_or_default();
        for key in keys {
            self.writer.digit(key, &mut self.text);
            self.queue().await?;
        }
        self.writer.encoded_frame(self.course.recording().payload(step.frame), &mut self.text);
        self.queue().await?;
        self.tally.sent(due, voiced, step.edge, self.line.plays_until());
        self.plan_frame();
        Ok(true)
    }

    fn plan_frame(&mut self) {
        self.frames += 1;
        let ideal = CallTime::from_ms(self.frames * FRAME_MS);
        self.frame_due = (ideal + self.trouble.draw()).max(self.frame_due);
    }

    /// Takes what the gateway sent.
    fn take(&mut self, message: Option<Result<Message, Error>>) -> Option<End> {
        let text = match message {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Close(frame))) => {
                let code = frame.map_or(1_005, |frame| frame.code.into());
                return Some(self.closed(code));
            }
            Some(Ok(_)) => return None,
            Some(Err(_)) | None => return Some(End::Failed(Failure::Broken)),
        };
        let at = (self.now() + self.trouble.draw()).max(self.last_arrival);
        self.last_arrival = at;
        match ToCarrier::parse(&text) {
            Ok(ToCarrier::Media { payload, .. }) => {
                let bytes = decoded_length(&payload);
                let arrival = self.line.audio(at, bytes);
                if !self.tally.is_spoken_over() && !self.trouble.is_any() {
                    self.meters.arrived(arrival.late);
                }
                self.tally.heard(at, bytes, arrival, self.line.plays_until());
            }
            Ok(ToCarrier::Mark { name, .. }) => self.line.mark(at, name.into_owned()),
            Ok(ToCarrier::Clear { .. }) => {
                self.line.clear(at);
                self.tally.cleared(at);
            }
            Ok(ToCarrier::Unknown) => {}
            Err(_) => return Some(End::Failed(Failure::NotUnderstood)),
        }
        None
    }

    /// The socket takes nothing more; a close that is on its way to us says why.
    async fn last_words(&mut self) -> End {
        let read = async {
            loop {
                match self.socket.next().await {
                    Some(Ok(Message::Close(frame))) => return frame.map(|frame| u16::from(frame.code)),
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return None,
                }
            }
        };
        match timeout(LAST_WORDS, read).await {
            Ok(Some(code)) => self.closed(code),
            Ok(None) | Err(_) => End::Failed(Failure::Broken),
        }
    }

    fn closed(&self, code: u16) -> End {
        match code {
            1_000 if self.course.said() == self.course.recording().pieces().len() => End::AgentHungUp,
            1_000 => End::Failed(Failure::CutShort),
            code => End::Failed(Failure::Closed(code)),
        }
    }

    /// Queues the message in `text`. Its memory is used again once the socket has taken it.
    async fn queue(&mut self) -> Result<(), Failure> {
        self.bytes.extend_from_slice(self.text.as_bytes());
        self.text.clear();
        let text = Utf8Bytes::try_from(self.bytes.split().freeze()).map_err(|_| Failure::NotUnderstood)?;
        self.socket.feed(Message::Text(text)).await.map_err(|_| Failure::Broken)
    }

    async fn flush(&mut self) -> Result<(), Failure> {
        self.socket.flush().await.map_err(|_| Failure::Broken)
    }

    async fn hang_up(&mut self) {
        self.writer.stop(&mut self.text);
        let farewell = async {
            self.queue().await?;
            let _ = self.socket.close(None).await;
            while let Some(Ok(_)) = self.socket.next().await {}
            Ok::<_, Failure>(())
        };
        let _ = timeout(PATIENCE, farewell).await;
    }
}

/// Bytes that base64 stands for.
fn decoded_length(payload: &str) -> usize {
    let padding = payload.bytes().rev().take_while(|b| *b == b'=').count();
    (payload.len() / 4 * 3).saturating_sub(padding)
}

#[cfg(test)]
mod tests {
    use pipeline::session::journal::encode_audio;

    use super::*;

    #[test]
    fn the_length_of_sound_is_known_without_decoding_it() {
        for length in [0, 1, 2, 3, 160, 161, 800] {
            assert_eq!(decoded_length(&encode_audio(&vec![1; length])), length);
        }
        assert_eq!(decoded_length("=="), 0);
    }
}
