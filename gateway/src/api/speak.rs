//! `GET /v1/calls/{id}/speak`: the microphone of the person who has the call.
//!
//! Each message is one frame of 20 ms: 160 bytes of mu-law, or, with `?format=pcm16`, 640 bytes of 16-bit little-endian samples
//! at 16 kHz. A microphone that falls silent sends silence: no frames at all for 1.5 s mean a dead browser.

use std::net::SocketAddr;
use std::sync::{Arc, Weak};

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{ConnectInfo, Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use pipeline::audio::g711::f32_to_mulaw;
use pipeline::audio::resample::Downsampler;
use pipeline::driver::PersonFrame;
use serde::Deserialize;
use telephony::media::{AudioFrame, FRAME_BYTES};

use super::{calls, supervise};
use crate::app::App;
use crate::auth::pass::Pass;
use crate::auth::{Act, Scoped, origin};
use crate::calls::live::LiveCall;
use crate::calls::socket::{self, Closing, code};
use crate::error::{ApiError, ErrorCode, QueryOf};

/// Bytes of a frame of 16-bit samples at 16 kHz.
const PCM_BYTES: usize = 640;

/// `?format=`.
#[derive(Debug, Deserialize)]
pub struct SpeakQuery {
    #[serde(default)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Format {
    #[default]
    Mulaw,
    Pcm16,
}

/// The handler. The newest socket of whoever took the call over speaks.
pub async fn handle(
    State(app): State<Arc<App>>,
    scope: Scoped<Act>,
    Path(id): Path<String>,
    QueryOf(query): QueryOf<SpeakQuery>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    if origin::is_cross_origin(&headers, &app.public_url) {
        return Err(ApiError::forbidden("the socket was opened by a page of another site"));
    }
    let call = calls::find(&scope.store, &id).await?;
    let live = supervise::with_us(&app, call.id)?;
    let upgrade = upgrade?;
    let Some((lease, socket)) = live.lease.open_socket(&scope.principal) else {
        return Err(live.lease.holder().map_or_else(
            || ApiError::new(ErrorCode::Conflict, "you do not have the call").advise("take it over first"),
            |lease| supervise::held(&lease),
        ));
    };
    let pass = Pass::new(headers, peer.ip(), scope.principal);
    let microphone = Microphone { call: Arc::downgrade(&live), lease, socket, pass, format: query.format };
    Ok(socket::bounded(upgrade).on_upgrade(move |socket| async move {
        microphone.speak(&app, socket).await;
    }))
}

/// A person's way to the caller.
struct Microphone {
    /// Not held: a call that is over must be seen to be.
    call: Weak<LiveCall>,
    lease: u32,
    socket: u32,
    pass: Pass,
    format: Format,
}

impl Microphone {
    async fn speak(self, app: &App, mut socket: WebSocket) {
        let mut recheck = Pass::rechecks();
        let mut encoder = Encoder::new(self.format);
        let closing = loop {
            tokio::select! {
                biased;
                () = app.stop.closing.cancelled() => {
                    break Closing::new(code::GOING_AWAY, "the gateway is stopping");
                }
                _ = recheck.tick() => {
                    if !self.pass.holds(app).await {
                        break Closing::new(code::POLICY, "signed out");
                    }
                    if let Err(closing) = self.live() {
                        break closing;
                    }
                }
                message = socket.recv() => match message {
                    Some(Ok(Message::Binary(sound))) => if let Err(closing) = self.hear(&mut encoder, &sound) {
                        break closing;
                    },
                    Some(Ok(Message::Text(_))) => break Closing::new(code::UNSUPPORTED, "sound only"),
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                    Some(Ok(_)) => {}
                },
            }
        };
        socket::close(socket, &closing).await;
    }

    /// The call, while this socket speaks on it.
    fn live(&self) -> Result<Arc<LiveCall>, Closing> {
        let over = || Closing::new(code::NORMAL, "the call is over");
        let live = self.call.upgrade().ok_or_else(over)?;
        if live.lease.speaks(self.lease, self.socket) {
            Ok(live)
        } else {
            Err(Closing::new(code::POLICY, "the call was given back, or another socket speaks"))
        }
    }

    fn hear(&self, encoder: &mut Encoder, sound: &[u8]) -> Result<(), Closing> {
        let live = self.live()?;
        let frame =
            encoder.frame(sound).ok_or_else(|| Closing::new(code::POLICY, "one frame of 20 ms a message"))?;
        if live.speak(PersonFrame { lease: self.lease, frame }) {
            Ok(())
        } else {
            Err(Closing::new(code::NORMAL, "the call is over"))
        }
    }
}

/// What comes to frames of the telephone.
struct Encoder {
    format: Format,
    down: Downsampler,
    samples: Vec<f32>,
    narrow: Vec<f32>,
    mulaw: Vec<u8>,
}

impl Encoder {
    fn new(format: Format) -> Self {
        let (down, samples, narrow, mulaw) = Default::default();
        Self { format, down, samples, narrow, mulaw }
    }

    fn frame(&mut self, sound: &[u8]) -> Option<AudioFrame> {
        if self.format == Format::Mulaw {
            return <[u8; FRAME_BYTES]>::try_from(sound).ok().map(AudioFrame);
        }
        if sound.len() != PCM_BYTES {
            return None;
        }
        self.samples.clear();
        self.narrow.clear();
        self.mulaw.clear();
        let (pairs, _) = sound.as_chunks::<2>();
        self.samples.extend(pairs.iter().map(|pair| f32::from(i16::from_le_bytes(*pair)) / 32_768.0));
        self.down.push(&self.samples, &mut self.narrow);
        f32_to_mulaw(&self.narrow, &mut self.mulaw);
        <[u8; FRAME_BYTES]>::try_from(self.mulaw.as_slice()).ok().map(AudioFrame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_has_one_length_in_each_format() {
        let mut mulaw = Encoder::new(Format::Mulaw);
        assert_eq!(mulaw.frame(&[0x20; 160]), Some(AudioFrame([0x20; 160])));
        assert_eq!(mulaw.frame(&[0x20; 159]), None);
        let mut pcm = Encoder::new(Format::Pcm16);
        assert_eq!(pcm.frame(&[0; 160]), None);
        let loud: Vec<u8> = std::iter::repeat_n(8_000_i16.to_le_bytes(), 320).flatten().collect();
        let _ = pcm.frame(&loud);
        let frame = pcm.frame(&loud).unwrap();
        let level = pipeline::audio::g711::mulaw_decode(frame.0[100]);
        assert!((7_600..8_400).contains(&level), "{level}");
    }
}
