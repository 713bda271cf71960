//! A caller at a carrier: follows its document, speaks, plays what comes and echoes marks as the carrier does.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use gateway::config::carrier::Name;
use parking_lot::Mutex;
use serde_json::{Value, json};
use telephony::media::{FRAME_BYTES, MULAW_SILENCE};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::{Instant, interval, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

pub type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Where a call's stream is to be opened, as the TwiML says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamOrder {
    pub url: String,
    pub parameters: HashMap<String, String>,
    pub call_sid: String,
}

/// Whose protocol a caller speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wire {
    Twilio,
    Telnyx,
}

impl Wire {
    /// As the paths of its webhooks begin.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Twilio => "twilio",
            Self::Telnyx => "telnyx",
        }
    }

    /// As a gateway's settings name it.
    #[must_use]
    pub const fn setting(self) -> Name {
        match self {
            Self::Twilio => Name::Twilio,
            Self::Telnyx => Name::Telnyx,
        }
    }

    /// By the address of a stream.
    #[must_use]
    pub fn of(url: &str) -> Self {
        if url.contains("/telnyx/") { Self::Telnyx } else { Self::Twilio }
    }

    fn start(self, order: &StreamOrder, stream: &str) -> Value {
        match self {
            Self::Twilio => json!({"event": "start", "sequenceNumber": "1", "streamSid": stream, "start": {
                "accountSid": "AC00000000000000000000000000000001", "streamSid": stream,
                "callSid": order.call_sid, "tracks": ["inbound"],
                "mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1},
                "customParameters": order.parameters}}),
            Self::Telnyx => json!({"event": "start", "sequence_number": "1", "stream_id": stream, "start": {
                "user_id": "AC00000000000000000000000000000001", "call_control_id": order.call_sid,
                "client_state": null, "custom_parameters": order.parameters,
                "media_format": {"encoding": "PCMU", "sample_rate": 8000, "channels": 1}}}),
        }
    }

    fn media(self, stream: &str, chunk: u64, audio: &[u8]) -> Value {
        let (sequence, number, at) = ((chunk + 1).to_string(), chunk.to_string(), (chunk * 20).to_string());
        let payload = pipeline::session::journal::encode_audio(audio);
        let media = json!({"track": "inbound", "chunk": number, "timestamp": at, "payload": payload});
        self.named("media", stream, Some(sequence), ("media", media))
    }

    /// The echo of a mark.
    fn mark(self, stream: &str, name: &str) -> Value {
        self.named("mark", stream, None, ("mark", json!({"name": name})))
    }

    /// A key is pressed.
    #[must_use]
    pub fn key(self, stream: &str, digit: &str) -> Value {
        let pressed = match self {
            Self::Twilio => json!({"track": "inbound_track", "digit": digit}),
            Self::Telnyx => json!({"digit": digit}),
        };
        self.named("dtmf", stream, Some("9".to_owned()), ("dtmf", pressed))
    }

    fn stop(self, stream: &str, call: &str) -> Value {
        let told = match self {
            Self::Twilio => json!({"accountSid": "AC00000000000000000000000000000001", "callSid": call}),
            Self::Telnyx => json!({"user_id": "AC00000000000000000000000000000001", "call_control_id": call}),
        };
        self.named("stop", stream, None, ("stop", told))
    }

    fn named(
        self,
        event: &str,
        stream: &str,
        sequence: Option<String>,
        (name, value): (&str, Value),
    ) -> Value {
        let mut message = json!({"event": event});
        let (id, number) = match self {
            Self::Twilio => ("streamSid", "sequenceNumber"),
            Self::Telnyx => ("stream_id", "sequence_number"),
        };
        message[id] = stream.into();
        if let Some(sequence) = sequence {
            message[number] = sequence.into();
        }
        message[name] = value;
        message
    }
}

/// Asks the voice webhook what to do with a call. Gives status and body.
pub async fn webhook(base: &str, to: &str, call_sid: &str) -> Result<(u16, String)> {
    webhook_of(Wire::Twilio, base, to, call_sid).await
}

async fn webhook_of(wire: Wire, base: &str, to: &str, call_sid: &str) -> Result<(u16, String)> {
    let form = [
        ("CallSid", call_sid),
        ("AccountSid", "AC00000000000000000000000000000001"),
        ("From", "+12025550147"),
        ("To", to),
        ("CallStatus", "ringing"),
        ("Direction", "inbound"),
        ("ApiVersion", "2010-04-01"),
    ];
    let answer =
        reqwest::Client::new().post(format!("{base}/{}/voice", wire.name())).form(&form).send().await?;
    Ok((answer.status().as_u16(), answer.text().await?))
}

/// Asks the webhook and reads the stream out of its answer.
pub async fn order(base: &str, to: &str) -> Result<StreamOrder> {
    order_of(Wire::Twilio, base, to).await
}

async fn order_of(wire: Wire, base: &str, to: &str) -> Result<StreamOrder> {
    let call_sid = match wire {
        Wire::Twilio => call_sid(),
        Wire::Telnyx => format!("v3:{}-Leg_1", uuid::Uuid::new_v4().simple()),
    };
    let (status, twiml) = webhook_of(wire, base, to, &call_sid).await?;
    if status != 200 {
        bail!("the webhook answered {status}: {twiml}");
    }
    parse(&twiml, call_sid)
}

/// A fresh id of the carrier's shape.
#[must_use]
pub fn call_sid() -> String {
    format!("CA{}", uuid::Uuid::new_v4().simple())
}

/// Reads the stream out of a document.
pub fn parse(twiml: &str, call_sid: String) -> Result<StreamOrder> {
    let stream = twiml.split("<Stream").nth(1).context("the document has no <Stream>")?;
    let url = attribute(stream, "url").context("the <Stream> has no url")?;
    let parameters = twiml
        .split("<Parameter")
        .skip(1)
        .filter_map(|p| Some((attribute(p, "name")?, attribute(p, "value")?)))
        .collect();
    Ok(StreamOrder { url, parameters, call_sid })
}

fn attribute(element: &str, name: &str) -> Option<String> {
    let value = element.split(&format!("{name}=\"")).nth(1)?.split('"').next()?;
    Some(value.replace("&amp;", "&").replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">"))
}

/// The `start` message of a stream.
#[must_use]
pub fn start_message(order: &StreamOrder, stream_sid: &str) -> Value {
    Wire::of(&order.url).start(order, stream_sid)
}

#[must_use]
pub fn connected_message() -> Value {
    json!({"event": "connected", "protocol": "Call", "version": "1.0.0"})
}

#[must_use]
pub fn media_message(stream_sid: &str, chunk: u64, audio: &[u8]) -> Value {
    Wire::Twilio.media(stream_sid, chunk, audio)
}

pub fn text(value: &Value) -> Message {
    Message::text(value.to_string())
}

/// What reached the caller.
#[derive(Debug, Default)]
pub struct Heard {
    /// Arrival of each media message and its bytes.
    pub media: Vec<(Instant, Vec<u8>)>,
    pub clears: Vec<Instant>,
    pub marks: Vec<String>,
    /// Close code, once the gateway closed.
    pub closed: Option<Option<u16>>,
    outstanding: Vec<(Instant, String)>,
    plays_until: Option<Instant>,
}

impl Heard {
    /// Bytes of audio received so far.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.media.iter().map(|(_, b)| b.len()).sum()
    }
}

/// A call in progress.
pub struct Caller {
    pub order: StreamOrder,
    pub stream_sid: String,
    pub heard: Arc<Mutex<Heard>>,
    sink: SplitSink<Socket, Message>,
    reader: JoinHandle<()>,
    chunk: u64,
    clock: tokio::time::Interval,
}

impl std::fmt::Debug for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Caller({})", self.order.call_sid)
    }
}

impl Caller {
    /// Dials a number of the gateway at `base` and opens the stream.
    pub async fn dial(base: &str, to: &str) -> Result<Self> {
        Self::dial_by(Wire::Twilio, base, to).await
    }

    /// The same at a carrier of the test's choice.
    pub async fn dial_by(wire: Wire, base: &str, to: &str) -> Result<Self> {
        Self::open(order_of(wire, base, to).await?).await
    }

    /// Presses a key.
    pub async fn press(&mut self, digit: &str) -> Result<()> {
        let key = Wire::of(&self.order.url).key(&self.stream_sid, digit);
        self.send(&key).await
    }

    pub async fn open(order: StreamOrder) -> Result<Self> {
        let (socket, _) = connect_async(&order.url).await?;
        let (mut sink, stream) = socket.split();
        let stream_sid = format!("MZ{}", uuid::Uuid::new_v4().simple());
        sink.send(text(&connected_message())).await?;
        sink.send(text(&start_message(&order, &stream_sid))).await?;
        let heard: Arc<Mutex<Heard>> = Arc::default();
        let reader = tokio::spawn(read(stream, heard.clone()));
        let mut clock = interval(Duration::from_millis(20));
        clock.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Burst);
        Ok(Self { order, stream_sid, heard, sink, reader, chunk: 0, clock })
    }

    /// One frame of 20 ms, on the clock, and the marks that are due.
    pub async fn frame(&mut self, audio: &[u8]) -> Result<()> {
        self.clock.tick().await;
        self.chunk += 1;
        let wire = Wire::of(&self.order.url);
        self.sink.send(text(&wire.media(&self.stream_sid, self.chunk, audio))).await?;
        let due: Vec<String> = {
            let mut heard = self.heard.lock();
            let now = Instant::now();
            let (due, left) =
                std::mem::take(&mut heard.outstanding).into_iter().partition(|(at, _)| *at <= now);
            heard.outstanding = left;
            Vec::into_iter(due).map(|(_, name)| name).collect()
        };
        for name in due {
            self.send(&wire.mark(&self.stream_sid, &name)).await?;
        }
        Ok(())
    }

    /// Sounds like speech to the energy detector.
    pub async fn speak_ms(&mut self, ms: u64) -> Result<()> {
        for _ in 0..ms / 20 {
            self.frame(&[0x10; FRAME_BYTES]).await?;
        }
        Ok(())
    }

    /// Speaks recorded mu-law audio.
    pub async fn speak(&mut self, mulaw: &[u8]) -> Result<()> {
        for frame in mulaw.chunks(FRAME_BYTES) {
            let mut whole = [MULAW_SILENCE; FRAME_BYTES];
            whole[..frame.len()].copy_from_slice(frame);
            self.frame(&whole).await?;
        }
        Ok(())
    }

    pub async fn silent_ms(&mut self, ms: u64) -> Result<()> {
        for _ in 0..ms / 20 {
            self.frame(&[MULAW_SILENCE; FRAME_BYTES]).await?;
        }
        Ok(())
    }

    /// Silent until `done` holds of what was heard. Fails after `limit`.
    pub async fn silent_until(&mut self, limit: Duration, done: impl Fn(&Heard) -> bool) -> Result<()> {
        let end = Instant::now() + limit;
        while !done(&self.heard.lock()) {
            if Instant::now() > end {
                bail!("waited {limit:?} in vain");
            }
            self.frame(&[MULAW_SILENCE; FRAME_BYTES]).await?;
        }
        Ok(())
    }

    /// Silent until nothing was audible for `quiet`.
    pub async fn silent_until_quiet(&mut self, quiet: Duration, limit: Duration) -> Result<()> {
        self.silent_until(limit, |h| {
            h.bytes() > 0 && h.plays_until.is_some_and(|until| Instant::now() > until + quiet)
        })
        .await
    }

    pub async fn send(&mut self, message: &Value) -> Result<()> {
        Ok(self.sink.send(text(message)).await?)
    }

    pub async fn send_raw(&mut self, message: Message) -> Result<()> {
        Ok(self.sink.send(message).await?)
    }

    /// Hangs up as the carrier does, and waits until the gateway closed too.
    pub async fn hang_up(mut self) -> Result<Arc<Mutex<Heard>>> {
        let stop = Wire::of(&self.order.url).stop(&self.stream_sid, &self.order.call_sid);
        let _ = self.sink.send(text(&stop)).await;
        let _ = self.sink.close().await;
        let _ = timeout(Duration::from_secs(10), &mut self.reader).await;
        Ok(self.heard.clone())
    }

    /// Waits until the gateway closes the stream; its close code.
    pub async fn closed(mut self, limit: Duration) -> Result<Option<u16>> {
        timeout(limit, &mut self.reader).await.context("the gateway did not close the stream")??;
        let code = self.heard.lock().closed;
        code.context("the stream ended without a close")
    }
}

/// Letting go of a caller is a line that goes dead: both halves of the socket close.
impl Drop for Caller {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

async fn read(mut stream: SplitStream<Socket>, heard: Arc<Mutex<Heard>>) {
    while let Some(message) = stream.next().await {
        match message {
            Ok(Message::Text(body)) => {
                if let Ok(value) = serde_json::from_str::<Value>(&body) {
                    take(&mut heard.lock(), &value);
                }
            }
            Ok(Message::Close(frame)) => {
                heard.lock().closed = Some(frame.map(|f| f.code.into()));
                return;
            }
            Ok(_) => {}
            Err(_) => return,
        }
    }
}

fn take(heard: &mut Heard, message: &Value) {
    let now = Instant::now();
    match message["event"].as_str() {
        Some("media") => {
            let payload = message["media"]["payload"].as_str().unwrap_or_default();
            let audio = pipeline::session::journal::decode_audio(payload).unwrap_or_default();
            let length = Duration::from_micros(audio.len() as u64 * 125);
            let from = heard.plays_until.map_or(now, |until| until.max(now));
            heard.plays_until = Some(from + length);
            heard.media.push((now, audio));
        }
        Some("mark") => {
            let name = message["mark"]["name"].as_str().unwrap_or_default().to_owned();
            let at = heard.plays_until.map_or(now, |until| until.max(now));
            heard.marks.push(name.clone());
            heard.outstanding.push((at, name));
        }
        Some("clear") => {
            heard.clears.push(now);
            heard.plays_until = Some(now);
            for (at, _) in &mut heard.outstanding {
                *at = now;
            }
        }
        _ => {}
    }
}

/// Runs a test of calls at each carrier: the same words, each in its own protocol.
#[macro_export]
macro_rules! at_both_carriers {
    ($($name:ident),+ $(,)?) => {$(
        mod $name {
            use $crate::caller::Wire;

            #[tokio::test]
            async fn at_twilio() {
                super::$name(Wire::Twilio).await;
            }

            #[tokio::test]
            async fn at_telnyx() {
                super::$name(Wire::Telnyx).await;
            }
        }
    )+};
}
