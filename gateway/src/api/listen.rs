//! `GET /v1/calls/{id}/listen`: a live call, heard by a person of the office.
//!
//! A message is 16 bytes and, for sound, one frame of mu-law. Bytes, big-endian: version (1), kind (0 cleared, 1 caller,
//! 2 agent, 3 a person who has the call), flags (bit 0: hidden, it may hold a secret), 0; then four bytes of frames lost so
//! far because this listener was slow; then eight bytes of microseconds since the call's stream was accepted. *Cleared*: what
//! came of kinds 2 and 3 and was not played yet will not be. With `packed=true` a message holds all that was gathered, one such
//! record behind the other: what a message costs is more than what is in it.

use std::net::SocketAddr;
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{ConnectInfo, Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use chrono::Utc;
use futures_util::SinkExt;
use pipeline::tap::{Listening, Side, Sound};
use serde::{Deserialize, Serialize};
use serde_json::json;
use storage::{CallId, TenantId};
use telephony::media::{AudioFrame, FRAME_BYTES};
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::{calls, supervise};
use crate::app::App;
use crate::audit::acts;
use crate::auth::pass::Pass;
use crate::auth::{Listen, Scoped, origin};
use crate::calls::listening;
use crate::calls::live::LiveCall;
use crate::calls::socket::{self, Closing, code};
use crate::error::{ApiError, QueryOf};
use crate::limits::TenantPlace;

/// Bytes before the sound.
const HEADER: usize = 16;
const VERSION: u8 = 1;
/// Bytes of both sides' sound in that time.
const PACK: usize = 26 * (HEADER + FRAME_BYTES);
/// A listener who takes nothing for so long is gone.
const SEND: Duration = Duration::from_secs(5);
/// So long a listener's sound is gathered: with a write for each frame twenty of them cost more than a call. Whoever plays it holds
/// back what begins until the latest of it would have come (`console/src/audio/listenPlayer.ts`).
const TOGETHER: Duration = Duration::from_millis(250);
/// Bytes that are gathered before they are written unasked; what comes in that time is far less.
const GATHERED: usize = 16 * 1024;

/// `?channel=&packed=`.
#[derive(Debug, Deserialize)]
pub struct ListenQuery {
    #[serde(default)]
    channel: Channel,
    #[serde(default)]
    packed: bool,
}

/// What of the call is listened to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Channel {
    Caller,
    /// What the caller hears: the agent, or the person who has the call.
    Agent,
    #[default]
    Both,
}

impl Channel {
    fn takes(self, sound: &Sound) -> bool {
        let caller = matches!(sound, Sound::Frame { side: Side::Caller, .. });
        match self {
            Self::Both => true,
            Self::Caller => caller,
            Self::Agent => !caller,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Caller => "caller",
            Self::Agent => "agent",
            Self::Both => "both",
        }
    }
}

/// The handler. Who listens is on the audit before the first sound, and again when they stop.
pub async fn handle(
    State(app): State<Arc<App>>,
    scope: Scoped<Listen>,
    Path(id): Path<String>,
    QueryOf(query): QueryOf<ListenQuery>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    if origin::is_cross_origin(&headers, &app.public_url) {
        return Err(ApiError::forbidden("the socket was opened by a page of another site"));
    }
    let call = calls::find(&scope.store, &id).await?;
    let tenant = scope.tenant.id;
    let live = app.live.find(call.id);
    // Whoever speaks with the caller hears them; the caller was told.
    let by_lease = live.as_ref().is_some_and(|live| live.lease.of(&scope.principal).is_some());
    if !by_lease && let Err(refusal) = listening::of_line(&app.platform, &scope.store, &call.line).await? {
        app.audit.refused(Some(tenant), acts::listening_refused(&scope.principal, call.id)).await;
        return Err(ApiError::forbidden(refusal.reason()).advise(refusal.advice()));
    }
    drop(live);
    let live = supervise::with_us(&app, call.id)?;
    let upgrade = upgrade?;
    let place = app.gates.stream(tenant)?;
    let listening = live.tap.listen();
    // Not kept alive: a call that is over must be seen to be.
    let heard = Arc::downgrade(&live);
    drop(live);
    let channel = query.channel;
    app.audit.record(Some(tenant), acts::listening_began(&scope.principal, call.id, channel.name())).await?;
    let pass = Pass::new(headers, peer.ip(), scope.principal);
    let ear = Ear {
        call: call.id,
        tenant,
        channel,
        packed: query.packed,
        pass,
        heard,
        by_lease,
        holds: by_lease,
        lost: 0,
        frames: 0,
        _place: place,
    };
    // Held until the end is on the audit.
    let tracked = app.tasks.token();
    Ok(socket::bounded(upgrade).write_buffer_size(GATHERED).on_upgrade(move |socket| async move {
        ear.listen(&app, socket, listening).await;
        drop(tracked);
    }))
}

/// What comes after the sound that there is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    More,
    Over,
}

/// One listener.
struct Ear {
    call: CallId,
    tenant: TenantId,
    channel: Channel,
    /// All that was gathered in one message.
    packed: bool,
    pass: Pass,
    heard: Weak<LiveCall>,
    /// Heard for as long as this person has the call and no longer.
    by_lease: bool,
    /// This person has the call now.
    holds: bool,
    /// Frames that came too fast for this listener.
    lost: u64,
    frames: u64,
    _place: TenantPlace,
}

impl Ear {
    async fn listen(mut self, app: &App, mut socket: WebSocket, listening: Listening) {
        let began = Utc::now();
        metrics::gauge!("quandura_listeners").increment(1.0);
        let closing = self.feed(app, &mut socket, listening).await;
        metrics::gauge!("quandura_listeners").decrement(1.0);
        let entry = acts::listening_ended(&self.pass.principal, self.call, self.channel.name())
            .with("from", began.to_rfc3339())
            .with("to", Utc::now().to_rfc3339())
            .with("frames", self.frames)
            .with("lost", self.lost);
        app.audit.after(Some(self.tenant), entry).await;
        if let Some(closing) = closing {
            socket::close(socket, &closing).await;
        }
    }

    /// Sends sound until the call or the listener is gone. `None`: there is nobody to say goodbye to.
    async fn feed(&mut self, app: &App, socket: &mut WebSocket, mut listening: Listening) -> Option<Closing> {
        let ready = json!({ "version": VERSION, "call_id": self.call, "channel": self.channel,
            "sample_rate_hz": 8_000, "frame_ms": 20, "header_bytes": HEADER });
        self.send(socket, Message::Text(ready.to_string().into())).await?;
        let mut recheck = Pass::rechecks();
        let mut gathered = interval(TOGETHER);
        gathered.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                () = app.stop.closing.cancelled() => {
                    return Some(Closing::new(code::GOING_AWAY, "the gateway is stopping"));
                }
                _ = recheck.tick() => if !self.pass.holds(app).await {
                    return Some(Closing::new(code::POLICY, "signed out"));
                } else if !self.may_go_on() {
                    return Some(Closing::new(code::POLICY, "the call was given back"));
                },
                // Who speaks with the caller hears each frame at once.
                sound = listening.sounds.recv(), if self.holds => {
                    if timeout(SEND, self.forward(socket, given(sound), &mut listening)).await.ok()?? == After::Over {
                        return Some(Closing::new(code::NORMAL, "the call is over"));
                    }
                }
                _ = gathered.tick() => {
                    let sound = listening.sounds.try_recv();
                    if timeout(SEND, self.forward(socket, sound, &mut listening)).await.ok()?? == After::Over {
                        return Some(Closing::new(code::NORMAL, "the call is over"));
                    }
                    self.holds = self.has_call();
                }
                // A listener says nothing; what can be read is their leaving.
                message = socket.recv() => match message {
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                    Some(Ok(_)) => {}
                },
            }
        }
    }

    /// Sends what came, and what came meanwhile, with one write.
    async fn forward(
        &mut self,
        socket: &mut WebSocket,
        mut next: Result<Sound, TryRecvError>,
        listening: &mut Listening,
    ) -> Option<After> {
        let mut pack = Vec::new();
        loop {
            match next {
                Ok(sound) if self.channel.takes(&sound) => {
                    self.frames += u64::from(matches!(sound, Sound::Frame { .. }));
                    if self.packed {
                        pack.reserve(if pack.is_empty() { PACK } else { 0 });
                        encode(&sound, self.lost, self.holds, &mut pack);
                    } else {
                        let mut message = Vec::with_capacity(HEADER + FRAME_BYTES);
                        encode(&sound, self.lost, self.holds, &mut message);
                        socket.feed(Message::Binary(message.into())).await.ok()?;
                    }
                }
                Ok(_) => {}
                Err(TryRecvError::Lagged(frames)) => {
                    self.lost += frames;
                    metrics::counter!("quandura_listen_frames_lost_total").increment(frames);
                }
                Err(end @ (TryRecvError::Empty | TryRecvError::Closed)) => {
                    if !pack.is_empty() {
                        socket.feed(Message::Binary(pack.into())).await.ok()?;
                    }
                    let after = if matches!(end, TryRecvError::Empty) { After::More } else { After::Over };
                    return socket.flush().await.ok().map(|()| after);
                }
            }
            next = listening.sounds.try_recv();
        }
    }

    fn may_go_on(&self) -> bool {
        !self.by_lease || self.has_call() || self.heard.upgrade().is_none()
    }

    fn has_call(&self) -> bool {
        self.heard.upgrade().is_some_and(|live| live.lease.of(&self.pass.principal).is_some())
    }

    async fn send(&self, socket: &mut WebSocket, message: Message) -> Option<()> {
        timeout(SEND, socket.send(message)).await.ok()?.ok()
    }
}

fn given(sound: Result<Sound, RecvError>) -> Result<Sound, TryRecvError> {
    sound.map_err(|error| match error {
        RecvError::Lagged(frames) => TryRecvError::Lagged(frames),
        RecvError::Closed => TryRecvError::Closed,
    })
}

/// Appends a record. `holds`: for whoever has the call.
fn encode(sound: &Sound, lost: u64, holds: bool, message: &mut Vec<u8>) {
    let (kind, flags, at, audio) = match sound {
        Sound::Cleared { at } => (0, 0, at, None),
        Sound::Frame { side, at, frame, hidden, private } => {
            let kind = match side {
                Side::Caller => 1,
                Side::Agent => 2,
                Side::Person => 3,
            };
            let shut = *private && !holds;
            let heard = if shut { &AudioFrame::SILENCE } else { frame };
            (kind, u8::from(*hidden || shut), at, Some(heard.bytes()))
        }
    };
    message.extend([VERSION, kind, flags, 0]);
    message.extend(u32::try_from(lost).unwrap_or(u32::MAX).to_be_bytes());
    message.extend(at.as_micros().to_be_bytes());
    message.extend_from_slice(audio.map_or(&[], |audio| audio.as_slice()));
}

#[cfg(test)]
mod tests {
    use telephony::media::CallTime;

    use super::*;

    #[test]
    fn a_frame_is_told_with_its_side_time_and_what_was_lost_before_it() {
        let (frame, at) = (AudioFrame([0x20; FRAME_BYTES]), CallTime::from_micros(0x0102_0304));
        let told = |private| Sound::Frame { side: Side::Agent, at, frame, hidden: false, private };
        let encode = |sound: &Sound, lost, holds| {
            let mut message = Vec::new();
            encode(sound, lost, holds, &mut message);
            message
        };
        let message = encode(&told(false), 7, false);
        assert_eq!(message[..HEADER], [1, 2, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 1, 2, 3, 4]);
        assert_eq!(message[HEADER..], [0x20; FRAME_BYTES]);
        assert_eq!(encode(&Sound::Cleared { at: CallTime::ZERO }, 0, false).len(), HEADER);
        // The caller was told of nobody but who has the call.
        let shut = encode(&told(true), 7, false);
        assert_eq!((shut[2], &shut[HEADER..]), (1, AudioFrame::SILENCE.bytes().as_slice()));
        assert_eq!(encode(&told(true), 7, true), message);
    }
}
