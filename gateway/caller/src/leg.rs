//! The carrier's end of a media stream, in real time.

use std::time::Duration;

use anyhow::bail;
use futures_util::{SinkExt, StreamExt};
use serde::Serialize;
use telephony::encoding::decode_payload;
use telephony::media::{AudioFrame, FRAME_MS, StreamStart};
use telephony::stream::MAX_PAYLOAD_BYTES;
use telephony::twilio::client::StreamWriter;
use telephony::twilio::wire::ToCarrier;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::playback::Playback;
use super::script::{Answer, Party, Script, Send};
use super::socket::{self, Socket};

/// Longest wait for a message, and for a close, to be taken.
const PATIENCE: Duration = Duration::from_secs(10);

/// How a call went, as its caller knows it.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What the caller said, and heard, frame by frame.
    pub said: Vec<AudioFrame>,
    pub heard: Vec<AudioFrame>,
    pub greeting_ms: u64,
    pub answers: Vec<Answer>,
    /// The gateway ended the stream, with this code and reason.
    pub closed: Option<Closed>,
}

/// A close that the gateway sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Closed {
    pub code: u16,
    pub reason: String,
}

impl Outcome {
    /// Sound heard in the whole call.
    #[must_use]
    pub fn heard_ms(&self) -> u64 {
        self.greeting_ms + self.answers.iter().map(|answer| answer.heard_ms).sum::<u64>()
    }
}

/// Opens the stream and plays the script to its end, or until the gateway closes.
pub async fn talk(
    url: &str,
    signature: Option<(&'static str, String)>,
    start: StreamStart,
    mut script: Script,
) -> anyhow::Result<Outcome> {
    let outcome = hold(url, signature, start, &mut script).await?;
    Ok(Outcome { greeting_ms: script.greeting_ms(), answers: script.answers().to_vec(), ..outcome })
}

/// Opens the stream and sends what `party` decides, until it hangs up or the gateway closes.
pub async fn hold(
    url: &str,
    signature: Option<(&'static str, String)>,
    start: StreamStart,
    party: &mut impl Party,
) -> anyhow::Result<Outcome> {
    let socket = socket::open(url, signature, 0).await?;
    let mut leg = Leg {
        socket,
        writer: StreamWriter::new(start),
        playback: Playback::default(),
        payload: Vec::new(),
        text: String::new(),
        outcome: Outcome::default(),
    };
    leg.begin().await?;
    leg.run(party).await
}

struct Leg {
    socket: Socket,
    writer: StreamWriter,
    playback: Playback<String>,
    payload: Vec<u8>,
    text: String,
    outcome: Outcome,
}

impl Leg {
    async fn begin(&mut self) -> anyhow::Result<()> {
        self.text.clear();
        self.writer.connected(&mut self.text);
        self.flush().await?;
        self.writer.start(&mut self.text);
        self.flush().await
    }

    async fn run(mut self, party: &mut impl Party) -> anyhow::Result<Outcome> {
        let mut clock = interval(Duration::from_millis(FRAME_MS));
        // A late tick is made up for, so that the call keeps real time.
        clock.set_missed_tick_behavior(MissedTickBehavior::Burst);
        loop {
            tokio::select! {
                biased;
                _ = clock.tick() => {
                    if !self.tick(party).await? {
                        break;
                    }
                }
                message = self.socket.next() => {
                    if !self.take(message, party).await? {
                        break;
                    }
                }
            }
        }
        Ok(self.outcome)
    }

    /// 20 ms both ways; `false` when the caller hung up.
    async fn tick(&mut self, party: &mut impl Party) -> anyhow::Result<bool> {
        let (heard, marks) = self.playback.play();
        self.echo(marks).await?;
        let said = match party.tick(&heard, !self.playback.is_empty()) {
            Send::Frame(frame) => frame,
            Send::Key(key) => {
                self.writer.digit(key, &mut self.text);
                self.flush().await?;
                AudioFrame::SILENCE
            }
            Send::HangUp => {
                self.hang_up().await;
                return Ok(false);
            }
        };
        self.outcome.heard.push(heard);
        self.outcome.said.push(said);
        self.writer.media(said.bytes(), &mut self.text);
        self.flush().await?;
        Ok(true)
    }

    /// Takes what the gateway sent; `false` when it closed the stream.
    async fn take(
        &mut self,
        message: Option<Result<Message, Error>>,
        party: &mut impl Party,
    ) -> anyhow::Result<bool> {
        let text = match message {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Close(frame))) => {
                self.outcome.closed =
                    frame.map(|frame| Closed { code: frame.code.into(), reason: frame.reason.to_string() });
                // Reading on takes part in the closing handshake.
                let _ = timeout(Duration::from_secs(1), self.socket.next()).await;
                return Ok(false);
            }
            Some(Ok(_)) => return Ok(true),
            Some(Err(e)) => bail!("the stream broke: {e}"),
            None => return Ok(false),
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
                if !self.playback.is_empty() {
                    party.cleared();
                }
                let marks = self.playback.clear();
                self.echo(marks).await?;
            }
            ToCarrier::Unknown => {}
        }
        Ok(true)
    }

    async fn echo(&mut self, marks: Vec<String>) -> anyhow::Result<()> {
        for mark in marks {
            self.writer.mark(&mark, &mut self.text);
            self.flush().await?;
        }
        Ok(())
    }

    async fn flush(&mut self) -> anyhow::Result<()> {
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

    async fn hang_up(&mut self) {
        self.writer.stop(&mut self.text);
        let _ = self.flush().await;
        let farewell = async {
            let _ = self.socket.close(None).await;
            while let Some(Ok(_)) = self.socket.next().await {}
        };
        let _ = timeout(PATIENCE, farewell).await;
    }
}
