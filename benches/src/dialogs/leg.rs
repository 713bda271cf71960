//! The carrier's end of one call: 20 ms out, 20 ms in, marks echoed as they are played.

use std::time::Duration;

use anyhow::{Result, bail};
use caller::playback::Playback;
use caller::socket::{self, Socket};
use futures_util::{SinkExt, StreamExt};
use telephony::encoding::decode_payload;
use telephony::media::{AudioFrame, FRAME_MS, StreamStart};
use telephony::stream::MAX_PAYLOAD_BYTES;
use telephony::twilio::client::StreamWriter;
use telephony::twilio::wire::ToCarrier;
use tokio::time::{Interval, MissedTickBehavior, interval, timeout};
use tokio_tungstenite::tungstenite::{Error, Message};

/// Longest wait for a message, and for a close, to be taken.
const PATIENCE: Duration = Duration::from_secs(10);

/// A media stream in real time.
pub struct Leg {
    socket: Socket,
    writer: StreamWriter,
    playback: Playback<String>,
    clock: Interval,
    payload: Vec<u8>,
    text: String,
    clears: usize,
}

/// What 20 ms brought.
#[derive(Debug)]
pub struct Tick {
    /// What was played to the caller.
    pub heard: AudioFrame,
    /// More waits to be played.
    pub pending: bool,
    /// The gateway took back what waited, so many times.
    pub clears: usize,
    /// The gateway closed the stream.
    pub closed: bool,
    /// How long after its time this was, on a machine that is too busy.
    pub late: Duration,
}

impl std::fmt::Debug for Leg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Leg")
    }
}

impl Leg {
    /// # Errors
    /// The stream does not open.
    pub async fn open(
        url: &str,
        signature: Option<(&'static str, String)>,
        start: StreamStart,
    ) -> Result<Self> {
        let socket = socket::open(url, signature, 0).await?;
        let mut clock = interval(Duration::from_millis(FRAME_MS));
        // A late tick is made up for, so that the call keeps real time.
        clock.set_missed_tick_behavior(MissedTickBehavior::Burst);
        let mut leg = Self {
            socket,
            writer: StreamWriter::new(start),
            playback: Playback::default(),
            clock,
            payload: Vec::new(),
            text: String::new(),
            clears: 0,
        };
        leg.writer.connected(&mut leg.text);
        leg.flush().await?;
        leg.writer.start(&mut leg.text);
        leg.flush().await?;
        Ok(leg)
    }

    /// Waits for the next 20 ms and plays them.
    ///
    /// # Errors
    /// The stream broke.
    pub async fn tick(&mut self) -> Result<Tick> {
        let mut closed = false;
        let late = loop {
            tokio::select! {
                biased;
                due = self.clock.tick() => break due.elapsed(),
                message = self.socket.next(), if !closed => closed = !self.take(message).await?,
            }
        };
        let (heard, marks) = self.playback.play();
        if !closed {
            self.echo(marks).await?;
        }
        let clears = std::mem::take(&mut self.clears);
        Ok(Tick { heard, pending: !self.playback.is_empty(), clears, closed, late })
    }

    /// Sends 20 ms.
    ///
    /// # Errors
    /// The stream broke.
    pub async fn send(&mut self, frame: &AudioFrame) -> Result<()> {
        self.writer.media(frame.bytes(), &mut self.text);
        self.flush().await
    }

    /// Presses a key.
    ///
    /// # Errors
    /// The stream broke.
    pub async fn press(&mut self, key: char) -> Result<()> {
        self.writer.digit(key, &mut self.text);
        self.flush().await
    }

    /// Hangs up as the carrier does.
    pub async fn hang_up(mut self) {
        self.writer.stop(&mut self.text);
        let _ = self.flush().await;
        let farewell = async {
            let _ = self.socket.close(None).await;
            while let Some(Ok(_)) = self.socket.next().await {}
        };
        let _ = timeout(PATIENCE, farewell).await;
    }

    /// Takes what the gateway sent; `false` when it closed the stream.
    async fn take(&mut self, message: Option<Result<Message, Error>>) -> Result<bool> {
        let text = match message {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Close(_))) | None => return Ok(false),
            Some(Ok(_)) => return Ok(true),
            Some(Err(e)) => bail!("the stream broke: {e}"),
        };
        match ToCarrier::parse(&text).map_err(|e| anyhow::anyhow!("the gateway sent something else: {e}"))? {
            ToCarrier::Media { payload, .. } => {
                decode_payload(&payload, MAX_PAYLOAD_BYTES, &mut self.payload)?;
                self.playback.audio(self.payload.clone());
            }
            ToCarrier::Mark { name, .. } => {
                let reached = self.playback.mark(name.into_owned());
                self.echo(reached.into_iter().collect()).await?;
            }
            ToCarrier::Clear { .. } => {
                self.clears += 1;
                let marks = self.playback.clear();
                self.echo(marks).await?;
            }
            ToCarrier::Unknown => {}
        }
        Ok(true)
    }

    async fn echo(&mut self, marks: Vec<String>) -> Result<()> {
        for mark in marks {
            self.writer.mark(&mark, &mut self.text);
            self.flush().await?;
        }
        Ok(())
    }

    async fn flush(&mut self) -> Result<()> {
        let message = Message::Text(self.text.as_str().into());
        self.text.clear();
        match timeout(PATIENCE, self.socket.send(message)).await {
            // A close is on its way to us: reading will find it.
            Ok(Ok(()) | Err(Error::ConnectionClosed | Error::AlreadyClosed)) => Ok(()),
            Ok(Err(Error::Protocol(_) | Error::Io(_))) => Ok(()),
            Ok(Err(e)) => bail!("the stream broke: {e}"),
            Err(_) => bail!("the gateway does not take our audio"),
        }
    }
}
