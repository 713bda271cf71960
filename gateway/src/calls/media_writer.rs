//! The writer pump: media commands to socket messages, each with a deadline.

use std::sync::OnceLock;
use std::time::Duration;

use axum::extract::ws::Message;
use futures_util::{Sink, SinkExt};
use telephony::carrier::MediaWriter;
use telephony::media::MediaCommand;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::socket::{CLOSE_WAIT, Closing, code};

/// The writer's half of a leg.
#[derive(Debug)]
pub struct Outbound<S> {
    sink: S,
    writer: Box<dyn MediaWriter>,
    /// Longest wait for one message to leave.
    send: Duration,
    text: String,
    frames: metrics::Counter,
}

impl<S: Sink<Message> + Unpin> Outbound<S> {
    #[must_use]
    pub fn new(sink: S, writer: Box<dyn MediaWriter>, send: Duration) -> Self {
        let frames = metrics::counter!("quandura_frames_total", "direction" => "out");
        Self { sink, writer, send, text: String::new(), frames }
    }

    /// Writes until the call closes the leg or is gone, then says goodbye. A peer that takes no message within the
    /// deadline is sick: the pump ends, and with it the call's way out. `why` says more than an ordinary end.
    pub async fn pump(
        mut self,
        mut commands: mpsc::Receiver<MediaCommand>,
        why: &OnceLock<Closing>,
        stopping: &CancellationToken,
    ) {
        while let Some(command) = commands.recv().await {
            if command == MediaCommand::Close {
                break;
            }
            if !self.write(&command).await {
                metrics::counter!("quandura_frames_dropped_total", "direction" => "out").increment(1);
                tracing::warn!("the media stream does not take our audio: closed");
                return;
            }
        }
        let closing = match why.get() {
            Some(closing) => closing.clone(),
            None if stopping.is_cancelled() => Closing::new(code::GOING_AWAY, "the gateway is stopping"),
            None => Closing::normal(),
        };
        let _ = timeout(CLOSE_WAIT, self.sink.send(Message::Close(Some(closing.frame())))).await;
    }

    async fn write(&mut self, command: &MediaCommand) -> bool {
        self.text.clear();
        if !self.writer.write(command, &mut self.text) {
            return true;
        }
        if matches!(command, MediaCommand::Frame(_)) {
            self.frames.increment(1);
        }
        let message = Message::Text(self.text.as_str().into());
        matches!(timeout(self.send, self.sink.send(message)).await, Ok(Ok(())))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::convert::Infallible;

    use telephony::carrier::MediaWire;
    use telephony::media::AudioFrame;
    use telephony::phone::WIRE;

    use super::*;

    /// On a real socket the kernel's buffers would hide a peer that does not read for minutes.
    #[tokio::test]
    async fn a_peer_that_takes_nothing_ends_the_pump_at_the_deadline() {
        let stuck = |(), _: Message| async { std::future::pending::<Result<(), Infallible>>().await };
        let sink = Box::pin(futures_util::sink::unfold((), stuck));
        let outbound = Outbound::new(sink, WIRE.writer("MZ1"), Duration::from_millis(30));
        let (commands, from_call) = mpsc::channel(4);
        for _ in 0..3 {
            commands.try_send(MediaCommand::Frame(AudioFrame::SILENCE)).unwrap();
        }
        let (why, stopping) = (OnceLock::new(), CancellationToken::new());
        let pump = outbound.pump(from_call, &why, &stopping);
        timeout(Duration::from_secs(5), pump).await.expect("the pump gives up");
        // The call's way out is gone: its next frame finds that out.
        assert!(commands.try_send(MediaCommand::Clear).is_err());
    }
}
