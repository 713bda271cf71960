//! The agent as a silent note-taker on a talk between a caller and the person who took the call: over the real wire, at both carriers.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{SinkExt, StreamExt};
use pipeline::ports::{Hearing, PortError, SpeechToText, SttCommand, SttEvent, SttStream};
use reqwest::{Client, StatusCode};
use secrecy::SecretString;
use serde_json::{Value, json};
use storage::records::{CallEntry, Direction, NewCall};
use storage::transfers::{BY_AGENT, NewTransfer, TransferStage};
use storage::{CallId, Calls, Directory, PassportId, Platform, TenantStore, Transfers};
use telephony::encoding::push_payload;
use telephony::telnyx::signature::PublicKey;
use telephony::twilio::signature::{SIGNATURE_HEADER, sign};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::{interval, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::simulated_carrier::telnyx::{API_KEY, APPLICATION, headers, public_key};
use super::simulated_carrier::{ACCOUNT, Behaviour, CarrierServer, Plays, TOKEN, Talk};
use super::transfer::{ADMIN, CALLER, CLERK, LINE, presses, staffed_with, with_front_desk};
use crate::config::Config;
use crate::config::carrier::Name;
use crate::providers::Providers;
use crate::simulated::TestGateway;
use crate::tenant_config::{check, read};
use caller::order::{self, Order};

const OFFICE: &str = "the clerk's office";

/// What a sound is recognized as, whoever makes it.
const WORDS: [(u8, &str); 8] = [
    (0x20, "I need a copy of my permit"),
    (0x21, "Please stop taking notes"),
    (0x22, "My house is on fire"),
    (0x23, "Can you give me your PIN?"),
    (0x24, "four seven one one"),
    (0x25, "Hello, this is the clerk"),
    (0x26, "Por favor deje de tomar notas"),
    (0x27, "It will be ready on Tuesday"),
];
const PERMIT: u8 = 0x20;
const NO_NOTES: u8 = 0x21;
const FIRE: u8 = 0x22;
const ASKS_PIN: u8 = 0x23;
const PIN: u8 = 0x24;
const HELLO: u8 = 0x25;
const NO_NOTES_ES: u8 = 0x26;
const TUESDAY: u8 = 0x27;
const SILENCE: u8 = 0xFF;

fn words(sound: u8) -> &'static str {
    WORDS.iter().find(|(known, _)| *known == sound).map_or("", |(_, words)| words)
}

/// Recognizes the last sound that it was given.
struct Tells;

impl SpeechToText for Tells {
    fn name(&self) -> &'static str {
        "simulated"
    }

    fn open(&self, _: &Hearing) -> Result<SttStream, PortError> {
        let (commands, mut asked) = mpsc::channel(256);
        let (told, events) = mpsc::channel(64);
        tokio::spawn(async move {
            let mut sound = SILENCE;
            while let Some(command) = asked.recv().await {
                match command {
                    SttCommand::Audio(frame) if frame.bytes()[0] != SILENCE => sound = frame.bytes()[0],
                    SttCommand::Pause { utterance, pause, .. } => {
                        let text = words(sound).to_owned();
                        let (confidence, alternatives, settled) = (1.0, Vec::new(), true);
                        let done =
                            SttEvent::Final { utterance, pause, text, confidence, alternatives, settled };
                        let _ = told.send(done).await;
                    }
                    _ => {}
                }
            }
        });
        Ok(SttStream { commands, events })
    }
}

fn engines(platform: Platform) -> BoxFuture<'static, anyhow::Result<Providers>> {
    Box::pin(async move { Ok(Providers { stt: Arc::new(Tells), ..with_front_desk(platform).await? }) })
}

/// A gateway whose carrier is this one.
struct Hall {
    test: TestGateway,
    store: TenantStore,
    plays: Plays,
    calls: std::sync::atomic::AtomicU32,
}

/// A call that a person has taken.
struct Taken {
    id: CallId,
    sid: String,
}

async fn hall(plays: Plays, change: impl FnOnce(&mut Config)) -> Hall {
    let carrier = CarrierServer::start_as(plays).await;
    let address = carrier.address;
    let test = TestGateway::with(
        |config: &mut Config| {
            config.admin_token = Some(SecretString::from(ADMIN));
            match plays {
                Plays::Twilio => {
                    config.carrier.twilio.account_sid = Some(ACCOUNT.into());
                    config.carrier.twilio.auth_token = Some(TOKEN.into());
                    config.carrier.twilio.address = address;
                }
                Plays::Telnyx => {
                    config.carrier.name = Name::Telnyx;
                    config.carrier.telnyx.public_key = PublicKey::parse(&public_key());
                    config.carrier.telnyx.account_id = Some(ACCOUNT.into());
                    config.carrier.telnyx.api_key = Some(API_KEY.into());
                    config.carrier.telnyx.application_id = Some(APPLICATION.into());
                    config.carrier.telnyx.address = address;
                }
            }
            change(config);
        },
        engines,
    )
    .await;
    let platform = &test.gateway.app.platform;
    let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
    let store = platform.tenant(tenant.id).await.unwrap();
    Hall { test, store, plays, calls: 0.into() }
}

impl Hall {
    const fn name(&self) -> &'static str {
        match self.plays {
            Plays::Twilio => "twilio",
            Plays::Telnyx => "telnyx",
        }
    }

    /// The agent has left, and the caller is on the way to the person.
    async fn taken(&self, language: &str) -> Taken {
        let number = self.calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let sid = match self.plays {
            Plays::Twilio => format!("CA{number:032x}"),
            Plays::Telnyx => format!("v3:{number:032x}-Call_Leg"),
        };
        let new = NewCall {
            id: CallId::new(),
            carrier_sid: Some(sid.clone()),
            line: LINE.into(),
            caller: Some(CALLER.into()),
            direction: Direction::Inbound,
            language: language.into(),
            passport_id: Some(PassportId::new()),
            started_at: chrono::Utc::now(),
        };
        let id = new.id;
        self.store.begin_call(new).await.unwrap();
        let wish = NewTransfer {
            call: id,
            actor: BY_AGENT.into(),
            target: OFFICE.into(),
            number: CLERK.into(),
            language: language.into(),
            about: String::new(),
            warm: true,
            notes: true,
        };
        let to = self.store.begin_transfer(wish).await.unwrap();
        self.store.note_transfer(to.id, TransferStage::Accepted, None).await.unwrap();
        self.store.end_call(id, "transferred", chrono::Utc::now()).await.unwrap();
        Taken { id, sid }
    }

    async fn get(&self, path: &str) -> Value {
        let request = Client::new().get(self.test.url(path)).bearer_auth(ADMIN);
        request.send().await.unwrap().json().await.unwrap()
    }

    /// The carrier asks or tells.
    async fn asks(&self, path: &str, sid: &str, more: &[(&str, &str)]) -> (StatusCode, String) {
        let url = self.test.url(&format!("/{}{path}", self.name()));
        let about = [("CallSid", sid), ("AccountSid", ACCOUNT), ("From", CALLER), ("To", LINE)];
        let fields: Vec<(String, String)> =
            about.iter().chain(more).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let body = serde_urlencoded::to_string(&fields).unwrap();
        let request = Client::new().post(&url).header("content-type", "application/x-www-form-urlencoded");
        let request = match self.plays {
            Plays::Twilio => {
                request.header(SIGNATURE_HEADER, sign(&SecretString::from(TOKEN), &url, &fields))
            }
            Plays::Telnyx => {
                headers(&body, 0).into_iter().fold(request, |r, (name, value)| r.header(name, value))
            }
        };
        let answer = request.body(body).send().await.unwrap();
        (answer.status(), answer.text().await.unwrap())
    }

    /// The carrier asks what comes next, and tells the caller; then it has their answer.
    async fn answered(&self, call: &Taken, answer: &[(&str, &str)]) -> String {
        let (_, told) = self.asks("/resume", &call.sid, &[]).await;
        assert!(
            told.contains("<Gather ") && told.contains("<Redirect ") && !told.contains("<Dial"),
            "{told}"
        );
        self.asks(&self.notes(call), &call.sid, answer).await.1
    }

    fn notes(&self, call: &Taken) -> String {
        format!("/transfer/{}/{}/notes", self.store.id(), call.id)
    }

    /// The carrier says that both have hung up.
    async fn done(&self, call: &Taken) {
        let path = format!("/transfer/{}/{}/done", self.store.id(), call.id);
        let (_, answer) = self.asks(&path, &call.sid, &[("DialCallStatus", "completed")]).await;
        assert!(answer.contains("<Hangup/>"), "{answer}");
    }

    async fn until(&self, call: &Taken, state: &str) -> Value {
        let mut known = Value::Null;
        for _ in 0..400 {
            known = self.get(&format!("/v1/calls/{}", call.id)).await;
            if known["state"] == state {
                return known;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("the call did not get {state}: {known}");
    }

    /// Who said what, by the call's transcript.
    async fn said(&self, call: &Taken) -> Vec<String> {
        let transcript = self.get(&format!("/v1/calls/{}/transcript", call.id)).await;
        let turns = transcript["turns"].as_array().cloned().unwrap_or_default();
        let line = |turn: &Value| {
            let who = turn["by"].as_str().or(turn["speaker"].as_str()).unwrap_or_default();
            format!("{who}: {}", turn["text"].as_str().unwrap_or_default())
        };
        turns.iter().map(line).collect()
    }

    async fn until_said(&self, call: &Taken, lines: usize) -> Vec<String> {
        let mut said = Vec::new();
        for _ in 0..400 {
            said = self.said(call).await;
            if said.len() >= lines {
                return said;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("{said:?} instead of {lines} lines");
    }

    /// How the notes went, by the call's record.
    async fn notes_of(&self, call: &Taken) -> Vec<String> {
        let log = self.store.call_log(call.id).await.unwrap();
        let state = |row: &storage::records::LogRow| match &row.entry {
            CallEntry::Notes { state, with, .. } => {
                assert_eq!(with, OFFICE);
                Some(state.clone())
            }
            _ => None,
        };
        log.iter().filter_map(state).collect()
    }

    async fn until_notes(&self, call: &Taken, states: &[&str]) {
        for _ in 0..400 {
            if self.notes_of(call).await == states {
                return;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("{:?} instead of {states:?}", self.notes_of(call).await);
    }

    /// Opens the stream that a document orders, under this name of the call.
    async fn opens(&self, url: &str, token: Option<&str>, sid: &str) -> Stream {
        let mut request = url.into_client_request().unwrap();
        if self.plays == Plays::Twilio {
            let signature = sign(&SecretString::from(TOKEN), url, &[]);
            request.headers_mut().insert(SIGNATURE_HEADER, signature.parse().unwrap());
        }
        let (socket, _) = connect_async(request).await.unwrap();
        let mut stream = Stream { socket, plays: self.plays, chunk: 0 };
        let parameters = token.map_or_else(|| json!({}), |token| json!({ "token": token }));
        stream.start(sid, &parameters).await;
        stream
    }

    async fn listens(&self, call: &Taken, document: &str) -> Stream {
        let (url, token) = ordered(document);
        self.opens(&url, Some(&token), &call.sid).await
    }

    fn media_url(&self, kind: &str) -> String {
        self.test.url(&format!("/{}/{kind}", self.name())).replacen("http", "ws", 1)
    }
}

/// Address and token of the stream in a room's document.
fn ordered(document: &str) -> (String, String) {
    assert!(document.contains("<Start><Stream ") && document.contains("track=\"both_tracks\""), "{document}");
    assert!(document.find("</Start>") < document.find("<Conference"), "{document}");
    let value = |name: &str| {
        let rest = document.split_once(&format!(" {name}=\"")).unwrap().1;
        rest.split('"').next().unwrap().to_owned()
    };
    (value("url"), value("value"))
}

/// The carrier's side of it.
struct Stream {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    plays: Plays,
    chunk: u64,
}

const STREAM: &str = "MZ00000000000000000000000000000009";

impl Stream {
    async fn send(&mut self, message: Value) -> bool {
        self.socket.send(Message::text(message.to_string())).await.is_ok()
    }

    async fn start(&mut self, sid: &str, parameters: &Value) {
        self.send(json!({"event": "connected", "protocol": "Call", "version": "1.0.0"})).await;
        let start = match self.plays {
            Plays::Twilio => json!({"event": "start", "sequenceNumber": "1", "streamSid": STREAM, "start": {
                "accountSid": ACCOUNT, "streamSid": STREAM, "callSid": sid, "tracks": ["inbound", "outbound"],
                "mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1},
                "customParameters": parameters}}),
            Plays::Telnyx => json!({"event": "start", "sequence_number": "1", "stream_id": STREAM, "start": {
                "user_id": ACCOUNT, "call_control_id": sid, "client_state": null, "custom_parameters": parameters,
                "media_format": {"encoding": "PCMU", "sample_rate": 8000, "channels": 1}}}),
        };
        self.send(start).await;
    }

    fn named(&self, event: &str, (name, value): (&str, Value)) -> Value {
        let id = if self.plays == Plays::Twilio { "streamSid" } else { "stream_id" };
        let mut message = json!({ "event": event });
        (message[id], message[name]) = (STREAM.into(), value);
        message
    }

    async fn frame(&mut self, track: &str, sound: u8) -> bool {
        let mut payload = String::new();
        push_payload(&mut payload, &[sound; 160]);
        let (number, at) = ((self.chunk + 1).to_string(), (self.chunk * 20).to_string());
        let media = json!({"track": track, "chunk": number, "timestamp": at, "payload": payload});
        let message = self.named("media", ("media", media));
        self.send(message).await
    }

    /// What the caller and the person sound like for so long. `false`: the socket is closed.
    async fn sound(&mut self, caller: u8, person: u8, ms: u64) -> bool {
        let mut tick = interval(Duration::from_millis(20));
        for _ in 0..ms / 20 {
            tick.tick().await;
            if !self.frame("inbound", caller).await || !self.frame("outbound", person).await {
                return false;
            }
            self.chunk += 1;
        }
        true
    }

    /// One of them says something, and is silent for a while.
    async fn says(&mut self, (caller, person): (u8, u8)) -> bool {
        self.sound(caller, person, 1_200).await && self.sound(SILENCE, SILENCE, 1_600).await
    }

    async fn key(&mut self, digit: &str) {
        let message = self.named("dtmf", ("dtmf", json!({ "digit": digit })));
        self.send(message).await;
    }

    async fn stop(mut self) {
        let message = self.named("stop", ("stop", json!({})));
        self.send(message).await;
        let _ = self.closed().await;
    }

    /// The code that the gateway closes it with.
    async fn closed(&mut self) -> Option<u16> {
        let ended = async {
            while let Some(message) = self.socket.next().await {
                if let Ok(Message::Close(frame)) = message {
                    return frame.map(|frame| frame.code.into());
                }
            }
            None
        };
        timeout(Duration::from_secs(10), ended).await.expect("the socket is closed")
    }
}

fn caller(sound: u8) -> (u8, u8) {
    (sound, SILENCE)
}

fn person(sound: u8) -> (u8, u8) {
    (SILENCE, sound)
}

macro_rules! at_both {
    ($($name:ident),+ $(,)?) => {$(
        mod $name {
            use super::Plays;

            #[tokio::test]
            async fn at_twilio() {
                super::$name(Plays::Twilio).await;
            }

            #[tokio::test]
            async fn at_telnyx() {
                super::$name(Plays::Telnyx).await;
            }
        }
    )+};
}

at_both!(
    what_both_say_is_on_the_record_of_the_call,
    who_says_no_or_anything_but_a_yes_meets_the_person_without_notes,
    either_of_them_ends_the_notes_by_a_word,
    no_stream_but_the_one_that_was_ordered_is_let_in,
    danger_makes_the_call_urgent_and_a_pin_is_masked,
);

async fn what_both_say_is_on_the_record_of_the_call(plays: Plays) {
    let hall = hall(plays, |_| {}).await;
    let call = hall.taken("en").await;
    let (_, told) = hall.asks("/resume", &call.sid, &[]).await;
    assert!(
        told.contains("take notes")
            && told.contains("press 2")
            && told.contains("you can say: stop taking notes")
            && told.contains("language=\"en-US\""),
        "{told}"
    );
    // The carrier asks twice; and told to its end, they go on.
    assert_eq!(hall.asks("/resume", &call.sid, &[]).await.1, told);
    let room = hall.asks(&hall.notes(&call), &call.sid, &[]).await.1;
    let mut stream = hall.listens(&call, &room).await;
    let live = hall.until(&call, "live").await;
    assert_eq!(
        (&live["transfers"][0]["notes"], &live["controlled_by"]),
        (&json!(true), &Value::Null),
        "{live}"
    );
    for act in ["takeover", "hangup", "transfer", "whisper"] {
        let body = json!({ "target": OFFICE, "say": "Hello." });
        let url = hall.test.url(&format!("/v1/calls/{}/{act}", call.id));
        let request = Client::new().post(url).bearer_auth(ADMIN);
        let request = if act == "takeover" || act == "hangup" {
            request
        } else {
            let body =
                if act == "transfer" { json!({ "target": OFFICE }) } else { json!({ "say": body["say"] }) };
            request.json(&body)
        };
        assert_eq!(request.send().await.unwrap().status(), StatusCode::CONFLICT, "{act}");
    }
    assert!(stream.says(person(HELLO)).await && stream.says(caller(PERMIT)).await);
    // They are live for whoever watches, before the talk is over.
    let lines = [format!("{OFFICE}: {}", words(HELLO)), format!("caller: {}", words(PERMIT))];
    assert_eq!(hall.until_said(&call, 2).await, lines);
    // While both talk, each is put down to their own side.
    assert!(stream.says((PERMIT, TUESDAY)).await);
    let both = hall.until_said(&call, 4).await;
    assert!(both.contains(&format!("{OFFICE}: {}", words(TUESDAY))), "{both:?}");
    assert_eq!(both.iter().filter(|line| **line == lines[1]).count(), 2, "{both:?}");
    stream.stop().await;
    let ended = hall.until(&call, "ended").await;
    assert_eq!(ended["end_reason"], "transferred", "{ended}");
    hall.until_notes(&call, &["told", "began", "ended"]).await;
    hall.done(&call).await;
    let known = hall.get(&format!("/v1/calls/{}", call.id)).await;
    assert_eq!(known["transfers"][0]["result"], "answered", "{known}");
    let audit = hall.get(&format!("/v1/audit?subject={}&action=call.notes", call.id)).await;
    let told: Vec<&Value> =
        audit["items"].as_array().unwrap().iter().rev().map(|entry| &entry["details"]["notes"]).collect();
    assert_eq!(told, ["told", "began", "ended"], "{audit}");
    // The back office has it, with who spoke and none of their words.
    let passport = ended["passport_id"].as_str().unwrap();
    let mut ledger = String::new();
    for _ in 0..200 {
        ledger = hall.get(&format!("/v1/passports/{passport}")).await.to_string();
        if ledger.contains("of the office spoke with the caller") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    assert!(ledger.contains("the clerk's office of the office spoke with the caller"), "{ledger}");
    assert!(!ledger.contains("on Tuesday"), "{ledger}");
    hall.test.gateway.shutdown().await;
}

async fn who_says_no_or_anything_but_a_yes_meets_the_person_without_notes(plays: Plays) {
    let hall = hall(plays, |_| {}).await;
    for answer in [
        ("Digits", "2"),
        ("Digits", "7"),
        ("SpeechResult", "No, thank you."),
        ("SpeechResult", "Hello? Who is this?"),
    ] {
        let call = hall.taken("en").await;
        let room = hall.answered(&call, &[answer]).await;
        assert!(room.contains("<Conference ") && !room.contains("<Stream "), "{answer:?}: {room}");
        // Asked once more, it is the same.
        let again = hall.asks("/resume", &call.sid, &[]).await.1;
        assert_eq!(again, room, "{answer:?}");
        assert_eq!(hall.notes_of(&call).await, ["refused"]);
        let known = hall.get(&format!("/v1/calls/{}", call.id)).await;
        assert_eq!((&known["state"], &known["transfers"][0]["notes"]), (&json!("ended"), &Value::Null));
        let audit = hall.get(&format!("/v1/audit?subject={}&action=call.notes", call.id)).await;
        assert_eq!(audit["items"][0]["details"]["notes"], "refused", "{audit}");
    }
    let call = hall.taken("es").await;
    let (_, told) = hall.asks("/resume", &call.sid, &[]).await;
    assert!(
        told.contains("tomo notas")
            && told.contains("puede decir: deje de tomar notas")
            && told.contains("language=\"es-US\""),
        "{told}"
    );
    let room = hall.asks(&hall.notes(&call), &call.sid, &[("SpeechResult", "Sí, está bien.")]).await.1;
    assert!(room.contains("<Start><Stream "), "{room}");
    hall.test.gateway.shutdown().await;
}

async fn either_of_them_ends_the_notes_by_a_word(plays: Plays) {
    let hall = hall(plays, |_| {}).await;
    for stops in [caller(NO_NOTES), person(NO_NOTES), caller(NO_NOTES_ES)] {
        let call = hall.taken("en").await;
        let room = hall.answered(&call, &[]).await;
        let mut stream = hall.listens(&call, &room).await;
        assert!(stream.says(caller(PERMIT)).await);
        stream.says(stops).await;
        // They talk on, and nobody writes it down.
        stream.says(caller(PIN)).await;
        assert_eq!(stream.closed().await, Some(1000));
        hall.until_notes(&call, &["told", "began", "withdrawn"]).await;
        let ended = hall.until(&call, "ended").await;
        assert_eq!(ended["end_reason"], "transferred", "{ended}");
        let said = hall.said(&call).await;
        assert_eq!(said.len(), 2, "{said:?}");
        hall.done(&call).await;
    }
    // Twilio tells of no keys on a stream that goes one way: there the word is all there is, and the notice says so.
    if plays == Plays::Twilio {
        return hall.test.gateway.shutdown().await;
    }
    let call = hall.taken("en").await;
    let room = hall.answered(&call, &[]).await;
    let mut stream = hall.listens(&call, &room).await;
    assert!(stream.says(caller(PERMIT)).await);
    stream.key("2").await;
    assert_eq!(stream.closed().await, Some(1000));
    hall.until_notes(&call, &["told", "began", "withdrawn"]).await;
    hall.test.gateway.shutdown().await;
}

async fn no_stream_but_the_one_that_was_ordered_is_let_in(plays: Plays) {
    let hall = hall(plays, |_| {}).await;
    let call = hall.taken("en").await;
    let room = hall.answered(&call, &[]).await;
    let (url, token) = ordered(&room);
    let other = hall.taken("en").await;
    let arrives = [("CallStatus", "ringing")];
    let (_, voice) = hall.asks("/voice", "CA0000000000000000000000000000ffff", &arrives).await;
    let Order::Stream { parameters, .. } = order::read(&voice).unwrap() else { panic!("{voice}") };
    let of_a_call =
        parameters.iter().find(|(name, _)| name == "token").map(|(_, value)| value.as_str()).unwrap();
    let (notes, media) = (hall.media_url("notes"), hall.media_url("media"));
    assert_eq!(url, notes);
    for (what, url, token, sid) in [
        ("no token", &notes, None, &call.sid),
        ("garbage", &notes, Some("a.b"), &call.sid),
        ("a call's own token", &notes, Some(of_a_call), &"CA0000000000000000000000000000ffff".to_owned()),
        ("another call", &notes, Some(token.as_str()), &other.sid),
        ("as a call's own stream", &media, Some(token.as_str()), &call.sid),
    ] {
        let mut stream = hall.opens(url, token, sid).await;
        assert_eq!(stream.closed().await, Some(1008), "{what}");
    }
    assert_eq!(hall.notes_of(&call).await, ["told"], "none of them began anything");
    // A fresh token for the same talk: the first stream that comes is the one.
    let again = ordered(&hall.asks(&hall.notes(&call), &call.sid, &[]).await.1).1;
    let mut stream = hall.opens(&url, Some(&token), &call.sid).await;
    assert!(stream.says(caller(PERMIT)).await);
    for (what, token) in [("replayed", &token), ("a second stream", &again)] {
        let mut stream = hall.opens(&url, Some(token), &call.sid).await;
        assert_eq!(stream.closed().await, Some(1008), "{what}");
    }
    // Asked again while notes are taken, the carrier gets the room alone.
    let (_, room) = hall.asks("/resume", &call.sid, &[]).await;
    assert!(!room.contains("<Stream "), "{room}");
    hall.until_said(&call, 1).await;
    // What is no frame ends the notes, and what was said is kept.
    let broken =
        stream.named("media", ("media", json!({ "track": "inbound", "chunk": "9", "payload": "!!" })));
    stream.send(broken).await;
    assert_eq!(stream.closed().await, Some(1008));
    hall.until_notes(&call, &["told", "began", "lost"]).await;
    assert_eq!(hall.until(&call, "ended").await["end_reason"], "transferred");
    // A transfer that is over, one of nobody's, and one of another tenant's.
    let (_, token) = ordered(&hall.answered(&other, &[]).await);
    hall.done(&other).await;
    let mut stream = hall.opens(&url, Some(&token), &other.sid).await;
    assert_eq!(stream.closed().await, Some(1008), "it is over");
    let unknown = format!("/transfer/{}/{}/notes", hall.store.id(), CallId::new());
    assert_eq!(hall.asks(&unknown, &call.sid, &[]).await.0, StatusCode::NOT_FOUND);
    let foreign = format!("/transfer/{}/{}/notes", storage::TenantId::new(), call.id);
    assert!(hall.asks(&foreign, &call.sid, &[]).await.0.is_client_error());
    hall.test.gateway.shutdown().await;
}

async fn danger_makes_the_call_urgent_and_a_pin_is_masked(plays: Plays) {
    let hall = hall(plays, |_| {}).await;
    let call = hall.taken("en").await;
    let room = hall.answered(&call, &[]).await;
    let mut stream = hall.listens(&call, &room).await;
    assert!(stream.says(person(ASKS_PIN)).await && stream.says(caller(PIN)).await);
    let said = hall.until_said(&call, 2).await;
    assert_eq!(said[1], "caller: ⟨secret⟩", "{said:?}");
    assert!(stream.says(caller(FIRE)).await);
    for _ in 0..200 {
        if hall.get(&format!("/v1/calls/{}", call.id)).await["attention"] == "urgent" {
            return hall.test.gateway.shutdown().await;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("nobody is told of the danger: {}", hall.get(&format!("/v1/calls/{}", call.id)).await);
}

#[tokio::test]
async fn where_there_is_no_room_nobody_is_told_and_the_two_meet_all_the_same() {
    let hall = hall(Plays::Twilio, |config| config.limits.max_calls = Some(0)).await;
    let call = hall.taken("en").await;
    let (_, room) = hall.asks("/resume", &call.sid, &[]).await;
    assert!(room.contains("<Conference ") && !room.contains("<Gather"), "{room}");
    assert_eq!(hall.notes_of(&call).await, ["no_room"]);
    hall.test.gateway.shutdown().await;
}

#[tokio::test]
async fn a_caller_who_hangs_up_while_they_are_told_leaves_nobody_waiting() {
    let hall = hall(Plays::Twilio, |_| {}).await;
    let call = hall.taken("en").await;
    let (_, told) = hall.asks("/resume", &call.sid, &[]).await;
    assert!(told.contains("<Gather "), "{told}");
    hall.asks("/status", &call.sid, &[("CallStatus", "completed")]).await;
    let known = hall.get(&format!("/v1/calls/{}", call.id)).await;
    assert_eq!(known["transfers"][0]["result"], "caller_hung_up", "{known}");
    assert!(hall.test.gateway.app.notes.forget(call.id).is_none(), "its place is free");
    hall.test.gateway.shutdown().await;
}

#[test]
fn notes_need_a_target_whose_person_is_asked_first() {
    let text = |warm: bool| {
        format!(
            "name = \"Oakdale\"\ntimezone = \"America/Chicago\"\n[[target]]\nname = \"the clerk\"\nnumber = \"+12025550180\"\n\
             warm = {warm}\nnotes = true\n"
        )
    };
    let (good, bad) = (read::toml(&text(true)), read::toml(&text(false)));
    assert!(good.faults.is_empty(), "{:?}", good.faults);
    assert!(good.config.targets[0].notes && good.config.targets[0].to_facts().notes);
    assert!(check::check(&good.config).is_empty());
    let faults = check::check(&bad.config);
    assert!(format!("{faults:?}").contains("target[1].notes"), "{faults:?}");
}

/// From the caller's wish to the end of the talk: the agent asks the person, tells the caller, leaves, and takes notes.
#[tokio::test]
async fn the_person_is_told_of_notes_and_so_is_the_caller_before_they_meet() {
    let line = staffed_with(json!({ "warm": true, "notes": true })).await;
    line.carrier.talk(presses("01"));
    line.carrier.number(CLERK, Behaviour::Answers { key: Some('1'), lasts: Duration::from_secs(20) });
    let room: Talk = Arc::new(|url, parameters, sid| {
        Box::pin(async move {
            let mut request = url.as_str().into_client_request().unwrap();
            let signature = sign(&SecretString::from(TOKEN), &url, &[]);
            request.headers_mut().insert(SIGNATURE_HEADER, signature.parse().unwrap());
            let (socket, _) = connect_async(request).await.unwrap();
            let mut stream = Stream { socket, plays: Plays::Twilio, chunk: 0 };
            let parameters: Value =
                parameters.into_iter().map(|(name, value)| (name, json!(value))).collect();
            stream.start(&sid, &parameters).await;
            stream.says(person(HELLO)).await;
            stream.stop().await;
        })
    });
    line.carrier.meets(room);
    let sid = line.carrier.call_in(&line.test.url("/twilio/voice"), CALLER, LINE);
    for _ in 0..800 {
        let call = line.get(&format!("/v1/calls/{sid}")).await;
        if call["transfers"][0]["stage"] == "ended" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    let followed = line.carrier.followed();
    let at = |part: &str| {
        let at = followed.iter().position(|document| document.contains(part));
        at.unwrap_or_else(|| panic!("{part}: {followed:?}"))
    };
    let (asked, told, met) =
        (at("silently and take notes. The caller"), at("take notes of what you two say"), at("<Start>"));
    assert!(asked < told && told < met, "{followed:?}");
    assert!(followed[asked].contains("A caller wants to speak with"), "{followed:?}");
    let call = line.until(&sid, "ended").await;
    assert_eq!(
        (&call["end_reason"], &call["transfers"][0]["result"]),
        (&json!("transferred"), &json!("answered")),
        "{call}"
    );
    let transcript = line.get(&format!("/v1/calls/{sid}/transcript")).await.to_string();
    // As the simulated recognizer hears whatever anybody says, with personal data as tokens.
    assert!(
        transcript.contains("\"by\":\"the clerk's office\"") && transcript.contains("⟨phone:1⟩"),
        "{transcript}"
    );
    line.test.gateway.shutdown().await;
}
