//! One scenario, held over the real wire, and everything that came of it.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use chrono::{DateTime, NaiveDate, Utc};
use parking_lot::Mutex;
use pipeline::ports::Language;
use regex::Regex;
use serde_json::{Value, json};
use telephony::media::{AudioFrame, FRAME_MS};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::caller::{Beat, Caller, Moment, Over, Planned, Ready, ReadyAnswer};
use super::evidence::{Evidence, Tool, Turn};
use super::file::{self, Deed, Scenario};
use super::gateway::Tested;
use super::impairments::{Spoilt, at_level};
use super::utterance::{Piece, Utterance};
use super::wanted::Tongue;
use super::work::{self, Filed};
use caller::audio;
use caller::follow::{Followed, follow, tenant_of};
use caller::leg;
use caller::order::Order;
use caller::script::{Party, Send};
use caller::voice::Voice;

/// How long the last events may take after the call.
const LAST_EVENTS: Duration = Duration::from_secs(6);
/// Longest wait for the back office to work a call.
const OFFICE: Duration = Duration::from_secs(30);
/// Words that may wait for the caller to take them in.
const WORDS: usize = 256;
/// A frame that is later than this was held up by the machine.
const LATE: Duration = Duration::from_millis(40);
/// Area codes of the numbers that callers get; with 555-0100 to 555-0199 they are kept for fiction.
const AREAS: [u32; 5] = [240, 301, 410, 571, 703];

/// Personal data as the API shows it.
static TOKEN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"⟨[a-z_]+:[0-9]+⟩").expect("clippy compiles this pattern"));

/// The gateway turned the caller away: no fault of what it says.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the gateway turned the caller away: it is busy; run fewer at once (--jobs)")]
pub struct Busy;

/// What all calls of a run share.
#[derive(Debug)]
pub struct Studio {
    pub tested: Tested,
    voice: Option<Voice>,
    spoken: Mutex<HashMap<(Tongue, String), Vec<AudioFrame>>>,
}

impl Studio {
    #[must_use]
    pub fn new(tested: Tested, voice: Option<Voice>) -> Self {
        Self { tested, voice, spoken: Mutex::default() }
    }

    /// Whether somebody speaks words in it, rather than files.
    #[must_use]
    pub fn needs_voice(scenario: &Scenario) -> bool {
        scenario.steps.iter().any(|step| matches!(step.deed, Deed::Say(..)))
            || !scenario.answers.is_empty()
            || scenario.call.line.television.is_some()
    }

    /// The sound of words, at the loudness of every caller.
    async fn speech(&self, tongue: Tongue, words: &str) -> anyhow::Result<Vec<AudioFrame>> {
        let key = (tongue, words.to_owned());
        if let Some(known) = self.spoken.lock().get(&key) {
            return Ok(known.clone());
        }
        let Some(voice) = &self.voice else { bail!("there is no voice") };
        let language = match tongue {
            Tongue::En => Language::En,
            Tongue::Es => Language::Es,
        };
        let frames = at_level(&voice.speaking(language).say(words).await?);
        self.spoken.lock().insert(key, frames.clone());
        Ok(frames)
    }

    async fn beats(&self, said: &Utterance, tongue: Tongue) -> anyhow::Result<Vec<Beat>> {
        let mut beats = Vec::new();
        for (at, piece) in said.pieces.iter().enumerate() {
            match piece {
                Piece::Words(words) => {
                    let goes_on = matches!(said.pieces.get(at + 1), Some(Piece::Pause(_)));
                    // The voice stays up where the sentence goes on.
                    let open = goes_on && words.ends_with(char::is_alphanumeric);
                    let words = if open { format!("{words},") } else { words.clone() };
                    let frames = self.speech(tongue, &words).await?;
                    beats.extend(frames.into_iter().map(|frame| Beat { frame, key: None }));
                }
                Piece::Pause(ms) => beats.resize(beats.len() + frames(*ms), Beat::QUIET),
                Piece::Keys(keys) => beats.extend(Beat::keys(keys)),
            }
        }
        Ok(beats)
    }

    async fn plan(&self, scenario: &Scenario) -> anyhow::Result<Vec<Planned>> {
        let mut plan = Vec::with_capacity(scenario.steps.len());
        for step in &scenario.steps {
            let ready = match &step.deed {
                Deed::Say(said, tongue) => {
                    let tongue = tongue.unwrap_or(scenario.call.language);
                    Ready::Perform { beats: self.beats(said, tongue).await?, text: said.written() }
                }
                Deed::Wav(path) => {
                    Ready::Perform { beats: recording(path)?, text: format!("({})", path.display()) }
                }
                Deed::Keys(keys) => Ready::Perform {
                    beats: Beat::keys(keys),
                    text: format!("keys {}", keys.iter().collect::<String>()),
                },
                Deed::Silence(ms) => Ready::Silence { frames: frames(*ms) },
                Deed::Converse(turns) => Ready::Converse { turns: *turns },
                Deed::HangUp => Ready::HangUp,
            };
            let over = step.over.as_ref().map(|over| Over {
                moment: match &over.moment {
                    file::Moment::AfterMs(ms) => Moment::After(frames(*ms)),
                    file::Moment::AtWord(word) => Moment::AtWord(word.clone()),
                },
                yields: over.yields,
            });
            plan.push(Planned { ready, wait: frames(step.wait_ms), over });
        }
        Ok(plan)
    }

    async fn answers(&self, scenario: &Scenario) -> anyhow::Result<Vec<ReadyAnswer>> {
        let mut answers = Vec::with_capacity(scenario.answers.len());
        for answer in &scenario.answers {
            let mut say = Vec::with_capacity(answer.say.len());
            for said in &answer.say {
                say.push((self.beats(said, scenario.call.language).await?, said.written()));
            }
            answers.push(ReadyAnswer { asked: answer.asked.clone(), say, used: 0 });
        }
        Ok(answers)
    }
}

fn frames(ms: u64) -> usize {
    usize::try_from(ms / FRAME_MS).unwrap_or(usize::MAX)
}

fn recording(path: &Path) -> anyhow::Result<Vec<Beat>> {
    Ok(audio::read(path)?.into_iter().map(|frame| Beat { frame, key: None }).collect())
}

/// A number that nobody has.
fn fictional(number: usize) -> String {
    let area = AREAS[(number / 100) % AREAS.len()];
    format!("+1{area}55501{:02}", number % 100)
}

/// Holds the call. `number` tells this caller from the others, and decides what is left to chance.
///
/// # Errors
/// The call could not be held, or nothing was learned of it.
pub async fn hold(studio: &Studio, scenario: &Scenario, number: usize) -> anyhow::Result<Evidence> {
    let tested = &studio.tested;
    let (plan, answers) = (studio.plan(scenario).await?, studio.answers(scenario).await?);
    let television = match &scenario.call.line.television {
        Some(words) => studio.speech(scenario.call.language, words).await?,
        None => Vec::new(),
    };
    let line = Spoilt::new(&scenario.call.line, &television, number as u64 + 1);
    let limit = frames(scenario.call.limit_s.saturating_mul(1_000));
    let from = scenario.call.from.clone().unwrap_or_else(|| fictional(number));
    let (to, tenant) = line_of(tested, scenario).await?;
    let request = tested.exchange.ring(&from, &to);
    let sid = request.call_sid.clone();
    let events = follow(&tested.http, tested.base(), &tested.token, tenant.clone(), sid.clone()).await?;
    let (words, told) = mpsc::channel(WORDS);
    let listening = tokio::spawn(listen(events, words));
    let mut wired =
        Wired { caller: Caller::new(plan, answers, line, limit), told, began: None, ticks: 0, late: 0 };
    let began = Utc::now();
    let (url, parameters) = match tested.exchange.place(&request).await? {
        Order::Stream { url, parameters } => (url, parameters),
        Order::Say(text) => bail!("the gateway did not take the call; it says: {text}"),
        Order::HangUp => return Err(Busy.into()),
    };
    let start = tested.exchange.start(&request, parameters);
    let outcome = leg::hold(&url, tested.exchange.stream_signature(&url), start, &mut wired).await?;
    let mut caller = wired.caller;
    caller.finish();
    let tools = heard_out(listening).await;
    let mut evidence = Evidence {
        carrier_sid: sid,
        from,
        began,
        spoken: caller.spoken,
        said: caller.said,
        heard: caller.heard,
        clears: caller.clears,
        told: caller.turns,
        astray: caller.astray,
        hung_up: caller.hung_up,
        tools,
        caller_sound: outcome.said,
        agent_sound: outcome.heard,
        late: wired.late,
        ..Evidence::default()
    };
    gather(tested, tenant.as_deref(), scenario, &mut evidence).await?;
    Ok(evidence)
}

/// The number to call, and whose line it is.
async fn line_of(tested: &Tested, scenario: &Scenario) -> anyhow::Result<(String, Option<String>)> {
    let Some(name) = &scenario.call.tenant else {
        let to = scenario.call.to.clone();
        let tenant = tenant_of(&tested.http, tested.base(), &tested.token, &to).await;
        return Ok((to, tenant));
    };
    let tenants = tested.get("/v1/tenants", None).await?;
    let is_meant = |item: &&Value| item["slug"] == name.as_str() || item["id"] == name.as_str();
    let found = tenants["items"].as_array().and_then(|items| items.iter().find(is_meant));
    let number = found.and_then(|found| found["lines"].get(0)?["number"].as_str());
    let number = number.with_context(|| format!("call.tenant: there is no tenant `{name}` with a line"))?;
    Ok((number.to_owned(), Some(name.clone())))
}

/// A caller with ears for the agent's words, and an eye on the clock.
struct Wired {
    caller: Caller,
    told: mpsc::Receiver<(u64, String)>,
    began: Option<Instant>,
    ticks: u32,
    late: usize,
}

impl Party for Wired {
    fn tick(&mut self, heard: &AudioFrame, pending: bool) -> Send {
        let began = *self.began.get_or_insert_with(Instant::now);
        let due = Duration::from_millis(FRAME_MS) * self.ticks;
        self.ticks += 1;
        self.late += usize::from(began.elapsed() > due + LATE);
        while let Ok((turn, text)) = self.told.try_recv() {
            self.caller.told(turn, &text);
        }
        self.caller.tick(heard, pending)
    }

    fn cleared(&mut self) {
        self.caller.cleared();
    }
}

/// Hands the agent's words to the caller, and notes the tools.
async fn listen(mut events: mpsc::Receiver<Followed>, words: mpsc::Sender<(u64, String)>) -> Vec<Tool> {
    let mut tools = Vec::new();
    while let Some(event) = events.recv().await {
        let data = &event.data;
        let text = |name: &str| data[name].as_str().unwrap_or_default().to_owned();
        match event.name.as_str() {
            "call.reply.segment" if data["segment_kind"] != "filler" => {
                let _ = words.try_send((data["turn"].as_u64().unwrap_or_default(), text("text")));
            }
            "call.tool" => tools.push(Tool { name: text("tool"), ok: data["ok"] == true }),
            "call.ended" => break,
            _ => {}
        }
    }
    tools
}

async fn heard_out(listening: JoinHandle<Vec<Tool>>) -> Vec<Tool> {
    let stop = listening.abort_handle();
    match timeout(LAST_EVENTS, listening).await {
        Ok(Ok(tools)) => tools,
        _ => {
            stop.abort();
            Vec::new()
        }
    }
}

/// What the gateway says of the call, once it is over.
async fn gather(
    tested: &Tested,
    tenant: Option<&str>,
    scenario: &Scenario,
    evidence: &mut Evidence,
) -> anyhow::Result<()> {
    let of_call = format!("/v1/calls/{}", evidence.carrier_sid);
    let mut call = Value::Null;
    for _ in 0..300 {
        call = tested.get(&of_call, tenant).await?;
        if call["state"] != "live" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    if call["state"] == "live" {
        bail!("the call did not end");
    }
    if call["end_reason"] == "busy" {
        return Err(Busy.into());
    }
    let text = |name: &str| call[name].as_str().unwrap_or_default().to_owned();
    evidence.call_id = text("id");
    evidence.language = text("language");
    evidence.attention = text("attention");
    evidence.attention_reason = text("attention_reason");
    let transcript = tested.get(&format!("{of_call}/transcript?raw=true"), tenant).await?;
    evidence.transcript = serde_json::from_value::<Vec<Turn>>(transcript["turns"].clone())?;
    let latency = tested.get(&format!("{of_call}/latency"), tenant).await?;
    evidence.latency = latency["turns"].as_array().cloned().unwrap_or_default();
    evidence.work = filed(tested, tenant, &evidence.call_id).await?;
    let today = today(tested, tenant, evidence.began).await;
    evidence.state = work::state(&evidence.work, &evidence.from, today);
    if let Some(wanted) = &scenario.expect.team {
        evidence.team = team(tested, tenant, &of_call, wanted).await;
    }
    Ok(())
}

/// The day of the call where the line is.
async fn today(tested: &Tested, tenant: Option<&str>, began: DateTime<Utc>) -> NaiveDate {
    let tenants = tested.get("/v1/tenants", None).await.unwrap_or_default();
    let is_meant = |item: &&Value| tenant.is_some_and(|name| item["slug"] == name || item["id"] == name);
    let found = tenants["items"].as_array().and_then(|items| items.iter().find(is_meant));
    let zone = found.and_then(|found| found["timezone"].as_str()?.parse::<chrono_tz::Tz>().ok());
    zone.map_or_else(|| began.date_naive(), |zone| began.with_timezone(&zone).date_naive())
}

/// The work that a call left and did not take back, with what its tokens stand for.
async fn filed(tested: &Tested, tenant: Option<&str>, call: &str) -> anyhow::Result<Vec<Filed>> {
    let listed = tested.get("/v1/work-items?limit=200", tenant).await?;
    let items = listed["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    let of_call = items.iter().filter(|item| item["call_id"] == call && item["status"] != "cancelled");
    let mut filed = Vec::new();
    for item in of_call {
        let id = item["id"].as_str().unwrap_or_default();
        let fields = item["fields"].to_string();
        let found = TOKEN.find_iter(&fields);
        let tokens: BTreeSet<String> = found.map(|token| token.as_str().to_owned()).collect();
        let mut values: Vec<(String, String)> = Vec::with_capacity(tokens.len());
        for token in tokens {
            let body = json!({ "token": token, "reason": "a scenario compares what was filed" });
            let value = tested.post(&format!("/v1/work-items/{id}/reveal"), tenant, body).await;
            // Cards and social security numbers are told to nobody.
            let value = value.ok().and_then(|answer| answer["value"].as_str().map(str::to_owned));
            values.extend(value.map(|value| (token, value)));
        }
        let put_in = |text: &str| {
            values.iter().fold(text.to_owned(), |text, (token, value)| text.replace(token, value))
        };
        filed.push(Filed::of(item, put_in));
    }
    Ok(filed)
}

/// The team that has worked the call, once the back office is done with it: the one that is wanted, or whichever has it when
/// the time is over.
async fn team(tested: &Tested, tenant: Option<&str>, of_call: &str, wanted: &str) -> String {
    let until = Instant::now() + OFFICE;
    loop {
        // There is no passport where nothing was begun.
        let passport = tested.get(&format!("{of_call}/passport"), tenant).await.unwrap_or_default();
        let team = passport["kind"].as_str().unwrap_or_default();
        let done =
            matches!(passport["status"].as_str(), Some("completed" | "escalated" | "blocked" | "failed"));
        if done && team == wanted || Instant::now() > until {
            return team.to_owned();
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
}

#[cfg(test)]
#[path = "call_tests.rs"]
mod tests;
