//! The carrier: its REST interface for calls, and what it does with a call by itself.
//!
//! It is Twilio, or Telnyx, and answers as that carrier's documentation says: its auth, bodies, codes, 401, 404, 429, 5xx. A call
//! that is placed rings, tells so, fetches our document when it is answered, and follows it: keys, dialling, streams. Everything
//! it posts is signed. How a number behaves, and in which order callbacks come, is said by the test.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use secrecy::SecretString;
use serde_json::Value;
use telephony::twilio::signature::{SIGNATURE_HEADER, sign};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::time::sleep;

// Relative to this file, from wherever it is shared.
#[path = "carrier/rest.rs"]
mod rest;
#[path = "carrier/telnyx.rs"]
pub mod telnyx;

/// The account that the server knows.
pub const ACCOUNT: &str = "AC00000000000000000000000000000001";
pub const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Between two steps of a call.
const STEP: Duration = Duration::from_millis(10);

type Fields = Vec<(String, String)>;
/// What holds a media stream: its address, its parameters, and the call's name.
pub type Talk = Arc<dyn Fn(String, Fields, String) -> BoxFuture<'static, ()> + Send + Sync>;

/// Which carrier the server plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Plays {
    #[default]
    Twilio,
    Telnyx,
}

/// How a number behaves when it is called.
#[derive(Clone, Debug)]
pub enum Behaviour {
    /// Somebody answers, presses this key when asked, and hangs up after a while.
    Answers {
        key: Option<char>,
        lasts: Duration,
    },
    /// Somebody answers and says this when asked.
    Says(&'static str),
    /// An answering machine does.
    Machine,
    NoAnswer,
    Busy,
    Failed,
    /// The carrier refuses to call it, with this code of its own.
    Refused(u32),
}

/// In which order callbacks come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Callbacks {
    #[default]
    InOrder,
    /// Each twice.
    Doubled,
    /// The last first, and after everything else.
    Backwards,
    /// None at all.
    Lost,
}

/// What goes wrong with a request.
#[derive(Clone, Copy, Debug)]
pub enum Trouble {
    /// It is answered with this status, and nothing is done.
    Status(u16),
    /// It is carried out, and answered with this status.
    DoneAnd(u16),
    /// It is answered so late.
    Slow(Duration),
}

/// A call as the carrier knows it.
#[derive(Debug)]
struct Leg {
    sid: String,
    from: String,
    to: String,
    parent: Option<String>,
    status: &'static str,
    answered_by: Option<&'static str>,
    created: String,
    /// A document that takes the place of what the call does, and its end.
    redirect: Option<String>,
    hung_up: bool,
    changed: Arc<Notify>,
    /// Callbacks that wait for the end.
    late: Vec<(String, Fields)>,
    sequence: u64,
}

#[derive(Default)]
struct Inner {
    plays: Plays,
    numbers: Mutex<HashMap<String, Behaviour>>,
    callbacks: Mutex<Callbacks>,
    troubles: Mutex<VecDeque<Trouble>>,
    legs: Mutex<Vec<Leg>>,
    /// Method, path below the account, and form of every request that was let in.
    asked: Mutex<Vec<(String, Fields)>>,
    /// Documents that calls followed.
    followed: Mutex<Vec<String>>,
    talk: Mutex<Option<Talk>>,
    /// Who talks in rooms of which both sides are sent somewhere.
    room: Mutex<Option<Talk>>,
    /// What callers say or press who are told something: the field, and its value.
    answer: Mutex<Option<(&'static str, &'static str)>>,
    names: AtomicU64,
}

/// The simulated carrier.
#[derive(Clone)]
pub struct CarrierServer {
    inner: Arc<Inner>,
    /// Base address of its REST interface.
    pub address: String,
}

impl std::fmt::Debug for CarrierServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CarrierServer").field("address", &self.address).finish_non_exhaustive()
    }
}

impl CarrierServer {
    /// Starts on a free port of loopback.
    pub async fn start() -> Self {
        Self::start_as(Plays::Twilio).await
    }

    pub async fn start_as(plays: Plays) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("its address"));
        let server = Self { inner: Arc::new(Inner { plays, ..Inner::default() }), address };
        let routes = match plays {
            Plays::Twilio => rest::routes(),
            Plays::Telnyx => telnyx::routes(),
        };
        let router = routes.with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        server
    }

    pub fn number(&self, number: &str, behaviour: Behaviour) {
        self.inner.numbers.lock().insert(number.to_owned(), behaviour);
    }

    pub fn callbacks(&self, callbacks: Callbacks) {
        *self.inner.callbacks.lock() = callbacks;
    }

    /// The next requests go wrong so, one each.
    pub fn trouble(&self, troubles: impl IntoIterator<Item = Trouble>) {
        self.inner.troubles.lock().extend(troubles);
    }

    /// Who talks on media streams.
    pub fn talk(&self, talk: Talk) {
        *self.inner.talk.lock() = Some(talk);
    }

    /// Who talks in rooms, on the stream that brings both sides.
    pub fn meets(&self, talk: Talk) {
        *self.inner.room.lock() = Some(talk);
    }

    /// What callers say or press who are told something: the field, and its value. `None`: nothing.
    pub fn answers(&self, answer: Option<(&'static str, &'static str)>) {
        *self.inner.answer.lock() = answer;
    }

    /// Forms of requests to this path below the account.
    pub fn asked(&self, path: &str) -> Vec<Fields> {
        let asked = self.inner.asked.lock();
        asked.iter().filter(|(known, _)| known == path).map(|(_, fields)| fields.clone()).collect()
    }

    /// Documents that calls followed, in order.
    pub fn followed(&self) -> Vec<String> {
        self.inner.followed.lock().clone()
    }

    /// Numbers that were called, with what became of it, in order.
    pub fn called(&self) -> Vec<(String, &'static str)> {
        self.inner.legs.lock().iter().map(|leg| (leg.to.clone(), leg.status)).collect()
    }

    /// Somebody calls a line: the voice webhook is asked, and its document followed. The call's name.
    pub fn call_in(&self, voice_url: &str, from: &str, to: &str) -> String {
        let sid = self.add(from, to, None);
        let (server, name, url) = (self.clone(), sid.clone(), voice_url.to_owned());
        tokio::spawn(async move {
            server.set(&name, "in-progress", None);
            if let Some(document) = server.fetch(&name, &url, &[]).await {
                server.follow(&name, document, &Behaviour::NoAnswer).await;
            }
            server.set(&name, "completed", None);
        });
        sid
    }

    fn add(&self, from: &str, to: &str, parent: Option<&str>) -> String {
        let number = self.inner.names.fetch_add(1, Ordering::Relaxed) + 1;
        let sid = match self.inner.plays {
            Plays::Twilio => format!("CA{number:032x}"),
            Plays::Telnyx => format!("v3:{number:032x}-Call_Leg"),
        };
        let created = chrono::Utc::now().to_rfc2822();
        let (from, to, parent) = (from.to_owned(), to.to_owned(), parent.map(str::to_owned));
        self.inner.legs.lock().push(Leg {
            sid: sid.clone(),
            from,
            to,
            parent,
            status: "queued",
            answered_by: None,
            created,
            redirect: None,
            hung_up: false,
            changed: Arc::default(),
            late: Vec::new(),
            sequence: 0,
        });
        sid
    }

    fn leg<T>(&self, sid: &str, look: impl FnOnce(&mut Leg) -> T) -> Option<T> {
        self.inner.legs.lock().iter_mut().find(|leg| leg.sid == sid).map(look)
    }

    fn set(&self, sid: &str, status: &'static str, answered_by: Option<&'static str>) {
        self.leg(sid, |leg| {
            leg.status = status;
            leg.answered_by = answered_by.or(leg.answered_by);
        });
    }

    fn is_hung_up(&self, sid: &str) -> bool {
        self.leg(sid, |leg| leg.hung_up).unwrap_or(true)
    }

    /// Changes a call as the form says, with a document in this field; `false`: it is over, `None`: there is none.
    fn change(&self, sid: &str, form: &Fields, document: &str) -> Option<bool> {
        let value = |name: &str| form.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
        self.leg(sid, |leg| {
            if is_over(leg.status) {
                return false;
            }
            leg.redirect = value(document);
            leg.hung_up |= value("Status").is_some();
            leg.changed.notify_one();
            true
        })
    }

    /// Calls that fit, the newest first.
    fn listed(&self, wanted: &HashMap<String, String>, shown: fn(&Leg) -> Value) -> Vec<Value> {
        let fits =
            |name: &str, value: Option<&str>| wanted.get(name).is_none_or(|w| Some(w.as_str()) == value);
        let legs = self.inner.legs.lock();
        let found = legs.iter().rev().filter(|leg| {
            fits("To", Some(&leg.to))
                && fits("From", Some(&leg.from))
                && fits("ParentCallSid", leg.parent.as_deref())
        });
        found.map(shown).collect()
    }

    fn behaviour(&self, number: &str) -> Behaviour {
        self.inner.numbers.lock().get(number).cloned().unwrap_or(Behaviour::NoAnswer)
    }

    fn form(&self, sid: &str, more: &[(&str, &str)]) -> Fields {
        let about = self.leg(sid, |leg| {
            [
                ("CallSid", sid.to_owned()),
                ("AccountSid", ACCOUNT.to_owned()),
                ("From", leg.from.clone()),
                ("To", leg.to.clone()),
                ("CallStatus", leg.status.to_owned()),
                ("ApiVersion", "2010-04-01".to_owned()),
            ]
        });
        let about = about.into_iter().flatten().map(|(name, value)| (name.to_owned(), value));
        about.chain(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))).collect()
    }

    async fn post(&self, url: &str, fields: &Fields) -> Option<String> {
        let request = reqwest::Client::new().post(url).form(fields);
        let request = match self.inner.plays {
            Plays::Twilio => request.header(SIGNATURE_HEADER, sign(&SecretString::from(TOKEN), url, fields)),
            Plays::Telnyx => {
                let built = request.try_clone()?.build().ok()?;
                let body = std::str::from_utf8(built.body()?.as_bytes()?).ok()?.to_owned();
                telnyx::headers(&body, 0).into_iter().fold(request, |r, (name, value)| r.header(name, value))
            }
        };
        let answer = request.send().await.ok()?;
        if !answer.status().is_success() {
            return None;
        }
        answer.text().await.ok()
    }

    /// Asks for what to do.
    async fn fetch(&self, sid: &str, url: &str, more: &[(&str, &str)]) -> Option<String> {
        let fields = self.form(sid, more);
        self.post(url, &fields).await
    }

    /// Tells of a call, as far and in the order that the test wants.
    async fn tell(&self, sid: &str, url: Option<&str>, more: &[(&str, &str)]) {
        let Some(url) = url.filter(|url| !url.is_empty()) else { return };
        let number = self.leg(sid, |leg| {
            leg.sequence += 1;
            leg.sequence - 1
        });
        let mut fields = self.form(sid, more);
        fields.push(("SequenceNumber".to_owned(), number.unwrap_or_default().to_string()));
        let callbacks = *self.inner.callbacks.lock();
        match callbacks {
            Callbacks::InOrder => drop(self.post(url, &fields).await),
            Callbacks::Doubled => {
                self.post(url, &fields).await;
                self.post(url, &fields).await;
            }
            Callbacks::Backwards => drop(self.leg(sid, |leg| leg.late.push((url.to_owned(), fields)))),
            Callbacks::Lost => {}
        }
    }

    async fn tell_late(&self, sid: &str) {
        let mut late = self.leg(sid, |leg| std::mem::take(&mut leg.late)).unwrap_or_default();
        late.reverse();
        for (url, fields) in late {
            self.post(&url, &fields).await;
        }
    }

    /// A call that was placed by REST, from its first ring to its end.
    async fn live(self, sid: String, form: Fields) {
        let value = |name: &str| form.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
        let status_url = value("StatusCallback");
        let behaviour = self.behaviour(value("To").unwrap_or_default());
        for status in ["initiated", "ringing"] {
            sleep(STEP).await;
            self.set(&sid, status, None);
            self.tell(&sid, status_url, &[]).await;
        }
        let machine = value("MachineDetection").map(machine_word);
        let detects = machine.zip(value("AsyncAmdStatusCallback"));
        let ended = match behaviour {
            _ if self.is_hung_up(&sid) => "canceled",
            Behaviour::NoAnswer => "no-answer",
            Behaviour::Busy => "busy",
            Behaviour::Failed | Behaviour::Refused(_) => "failed",
            Behaviour::Answers { .. } | Behaviour::Says(_) | Behaviour::Machine => {
                self.set(&sid, "in-progress", None);
                self.tell(&sid, status_url, &[]).await;
                self.detect(&sid, &behaviour, detects).await;
                if let Some(document) = self.fetch(&sid, value("Url").unwrap_or_default(), &[]).await {
                    self.follow(&sid, document, &behaviour).await;
                }
                "completed"
            }
        };
        self.set(&sid, ended, None);
        self.tell(&sid, status_url, &[("CallDuration", "7")]).await;
        self.tell_late(&sid).await;
    }

    /// Tells who answered: of a machine by this word, at this address.
    async fn detect(&self, sid: &str, behaviour: &Behaviour, detects: Option<(&'static str, &str)>) {
        let Some((machine, url)) = detects else { return };
        let word = if matches!(behaviour, Behaviour::Machine) { machine } else { "human" };
        let status = self.leg(sid, |leg| leg.status).unwrap_or("in-progress");
        self.set(sid, status, Some(word));
        self.tell(sid, Some(url), &[("AnsweredBy", word)]).await;
    }

    /// Does what documents say until one hangs up.
    async fn follow(&self, sid: &str, document: String, who: &Behaviour) {
        let mut next = Some(document);
        while let Some(document) = next.take() {
            self.inner.followed.lock().push(document.clone());
            if self.is_hung_up(sid) {
                return;
            }
            next = self.step(sid, &document, who).await;
            if let Some(redirected) = self.leg(sid, |leg| leg.redirect.take()).flatten() {
                next = Some(redirected);
            }
        }
    }

    /// What comes after a document; `None`: it hangs up.
    async fn step(&self, sid: &str, document: &str, who: &Behaviour) -> Option<String> {
        if let Some(action) = attribute(document, "Gather", "action") {
            return match who {
                Behaviour::Answers { key: Some(key), .. } => {
                    self.fetch(sid, &action, &[("Digits", key.encode_utf8(&mut [0; 4]))]).await
                }
                Behaviour::Says(words) => self.fetch(sid, &action, &[("SpeechResult", words)]).await,
                // Told something, they say what the test wants, or it goes on.
                _ => {
                    let (_, next) = element(document, "Redirect")?;
                    let answer = *self.inner.answer.lock();
                    match answer {
                        Some(answer) => self.fetch(sid, &action, &[answer]).await,
                        None => self.fetch(sid, &next, &[]).await,
                    }
                }
            };
        }
        if element(document, "Conference").is_some() {
            let lasts = match who {
                Behaviour::Answers { lasts, .. } => *lasts,
                _ => 5 * STEP,
            };
            return self.meet(sid, document, lasts).await;
        }
        if let Some(action) = attribute(document, "Dial", "action") {
            return self.dial(sid, document, &action).await;
        }
        if let Some(url) = attribute(document, "Stream", "url") {
            let changed = self.leg(sid, |leg| leg.changed.clone())?;
            let talk = self.inner.talk.lock().clone()?;
            tokio::select! {
                () = talk(url, parameters(document), sid.to_owned()) => {}
                () = changed.notified() => return None,
            }
            let next = attribute(document, "Connect", "action");
            let next = next.or_else(|| element(document, "Redirect").map(|(_, text)| text))?;
            return self.fetch(sid, &next, &[]).await;
        }
        let redirect = element(document, "Redirect").map(|(_, text)| text)?;
        self.fetch(sid, &redirect, &[]).await
    }

    /// A room: whoever is in it leaves after so long, or with the talk that is sent somewhere.
    async fn meet(&self, sid: &str, document: &str, lasts: Duration) -> Option<String> {
        let stream = attribute(document, "Stream", "url").zip(self.inner.room.lock().clone());
        match stream {
            Some((url, talk)) => talk(url, parameters(document), sid.to_owned()).await,
            None => sleep(lasts).await,
        }
        let action = attribute(document, "Dial", "action")?;
        self.fetch(sid, &action, &[("DialCallStatus", "completed")]).await
    }

    async fn dial(&self, sid: &str, document: &str, action: &str) -> Option<String> {
        let (_, number) = element(document, "Number")?;
        let shown = attribute(document, "Dial", "callerId").unwrap_or_default();
        let child = self.add(&shown, &number, Some(sid));
        let status_url = attribute(document, "Number", "statusCallback");
        let detect_url = attribute(document, "Number", "amdStatusCallback");
        for status in ["initiated", "ringing"] {
            sleep(STEP).await;
            self.set(&child, status, None);
            self.tell(&child, status_url.as_deref(), &[]).await;
        }
        let behaviour = self.behaviour(&number);
        let ended = match &behaviour {
            Behaviour::NoAnswer => "no-answer",
            Behaviour::Busy => "busy",
            Behaviour::Failed | Behaviour::Refused(_) => "failed",
            Behaviour::Answers { .. } | Behaviour::Says(_) | Behaviour::Machine => {
                self.set(&child, "in-progress", None);
                self.tell(&child, status_url.as_deref(), &[]).await;
                self.detect(&child, &behaviour, detect_url.as_deref().map(|url| ("machine_start", url)))
                    .await;
                let lasts = match behaviour {
                    Behaviour::Answers { lasts, .. } => lasts,
                    _ => STEP,
                };
                sleep(lasts).await;
                "completed"
            }
        };
        self.set(&child, ended, None);
        self.tell(&child, status_url.as_deref(), &[("CallDuration", "5")]).await;
        self.tell_late(&child).await;
        // What the carrier lost of its callbacks it loses of this one too.
        if *self.inner.callbacks.lock() == Callbacks::Lost {
            return None;
        }
        let more = [("DialCallStatus", ended), ("DialCallSid", child.as_str()), ("DialCallDuration", "5")];
        self.fetch(sid, action, &more).await
    }
}

// ---------------------------------------------------------------- documents

/// The first element of this name: its attributes as written, and the text within.
fn element(document: &str, name: &str) -> Option<(String, String)> {
    let opens = document
        .match_indices(&format!("<{name}"))
        .find(|(at, open)| document[at + open.len()..].starts_with([' ', '>', '/']));
    let (at, open) = opens?;
    let rest = &document[at + open.len()..];
    let (attributes, after) = rest.split_once('>')?;
    let text = after.split('<').next().unwrap_or_default();
    Some((attributes.to_owned(), plain(text)))
}

fn attribute(document: &str, name: &str, key: &str) -> Option<String> {
    let (attributes, _) = element(document, name)?;
    let value = attributes.split_once(&format!(" {key}=\""))?.1;
    Some(plain(value.split('"').next()?))
}

fn is_over(status: &str) -> bool {
    ["completed", "busy", "no-answer", "failed", "canceled"].contains(&status)
}

/// How a machine is called where it is looked for so.
fn machine_word(detection: &str) -> &'static str {
    if detection == "DetectMessageEnd" { "machine_end_beep" } else { "machine_start" }
}

fn parameters(document: &str) -> Fields {
    let parts = document.split("<Parameter").skip(1);
    let read = |part: &str| {
        let part = format!("<Parameter{part}");
        Some((attribute(&part, "Parameter", "name")?, attribute(&part, "Parameter", "value")?))
    };
    parts.filter_map(read).collect()
}

fn plain(text: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (entity, plain)| text.replace(entity, plain))
}
