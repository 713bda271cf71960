//! What `quandura call` and `quandura console` print: lines for people, or one JSON object a line.

use std::fmt;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use serde_json::{Value, json};

use caller::follow::Followed;
use caller::leg::Outcome;
use caller::live::State;

/// When the agent's words are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// When they are about to be said.
    Planned,
    /// When the caller has heard them, and as far as they were heard.
    Heard,
}

/// Prints a call. Clones share the clock and the paper.
#[derive(Clone)]
pub struct Show {
    json: bool,
    telling: Telling,
    began: Instant,
    paper: Arc<Mutex<dyn Write + Send>>,
}

impl fmt::Debug for Show {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Show({:?})", self.telling)
    }
}

impl Show {
    pub fn new(json: bool, telling: Telling) -> Self {
        Self::on(json, telling, std::io::stdout())
    }

    /// On other paper than the terminal's.
    pub fn on(json: bool, telling: Telling, paper: impl Write + Send + 'static) -> Self {
        Self { json, telling, began: Instant::now(), paper: Arc::new(Mutex::new(paper)) }
    }

    fn print(&self, line: &str) {
        // Nobody reads on: the call goes on all the same.
        let _ = writeln!(self.paper.lock(), "{line}");
    }

    fn timed(&self, line: &str) {
        self.print(&format!("[{:6.1} s] {line}", self.began.elapsed().as_secs_f64()));
    }

    pub fn calling(&self, to: &str, base: &str) {
        self.hint(&format!("calling {to} at {base}"));
    }

    /// A line for people alone.
    pub fn hint(&self, line: &str) {
        if !self.json {
            self.print(line);
        }
    }

    pub fn note(&self, text: &str) {
        eprintln!("{text}");
    }

    pub fn event(&mut self, event: &Followed) {
        if self.json {
            self.print(&json!({ "event": event.name, "data": event.data }).to_string());
        } else if let Some(line) = line(event, self.telling) {
            self.timed(&line);
        }
    }

    /// What the agent does now, as its sound tells.
    pub fn state(&self, state: State) {
        if self.json {
            self.print(&json!({ "event": "state", "data": { "state": state } }).to_string());
        } else {
            self.timed(&format!("         ({})", state.name()));
        }
    }

    pub fn summary(&self, outcome: &Outcome) {
        if self.json {
            let closed = outcome.closed.as_ref();
            let summary = json!({ "event": "summary", "data": {
                "greeting_ms": outcome.greeting_ms, "answers": outcome.answers, "heard_ms": outcome.heard_ms(),
                "duration_ms": outcome.heard.len() * 20, "closed": closed,
            } });
            return self.print(&summary.to_string());
        }
        self.print(&format!("greeting heard: {:.1} s", seconds(outcome.greeting_ms)));
        for (turn, answer) in (1..).zip(&outcome.answers) {
            self.print(&match answer.heard_after_ms {
                Some(ms) => {
                    format!("turn {turn}: answer heard after {ms} ms, for {:.1} s", seconds(answer.heard_ms))
                }
                None => format!("turn {turn}: no answer heard"),
            });
        }
        self.closed(outcome);
    }

    /// Whether it was the gateway that ended the call.
    pub fn closed(&self, outcome: &Outcome) {
        if let Some(closed) = &outcome.closed {
            self.hint(&format!("the gateway hung up ({} {})", closed.code, closed.reason));
        }
    }
}

#[allow(clippy::cast_precision_loss)] // a call has no 2^52 milliseconds
fn seconds(ms: u64) -> f64 {
    ms as f64 / 1_000.0
}

fn line(event: &Followed, telling: Telling) -> Option<String> {
    let data = &event.data;
    let text = |name: &str| data[name].as_str().unwrap_or_default().to_owned();
    Some(match event.name.as_str() {
        "call.turn.final" if data["speaker"] == "caller" => format!("caller   {}", text("text")),
        "call.reply.segment" if telling == Telling::Planned => format!("agent    {}", text("text")),
        "call.reply.heard" if telling == Telling::Heard && !text("heard_text").is_empty() => {
            let is_whole = data["state"] == "heard";
            format!("agent    {}{}", text("heard_text"), if is_whole { "" } else { " …" })
        }
        "call.interrupted" => {
            format!("         (interrupted after \"{}\")", data["heard"]["text"].as_str().unwrap_or(""))
        }
        "call.dtmf" => format!("caller   (keys {})", text("digits")),
        "call.tool" => format!("         (tool {})", text("tool")),
        "call.guard" => format!("         (guard: {}, {})", text("kind"), text("severity")),
        "call.rule" => format!("         (rule {}: {})", text("rule"), text("action")),
        "call.provider" => format!("         (engine {} {})", text("provider"), text("state")),
        "call.latency" => latency(&data["latency"]),
        "call.attention" => format!("         (needs a person: {}, {})", text("reason"), text("level")),
        "call.ended" => format!("         (ended: {})", text("reason")),
        _ => return None,
    })
}

fn latency(latency: &Value) -> String {
    let stages = latency["stages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let stages: Vec<String> = stages
        .iter()
        .filter(|stage| stage["ms"].as_f64().is_some_and(|ms| ms >= 0.5))
        .map(|stage| {
            format!("{} {:.0}", stage["stage"].as_str().unwrap_or("?"), stage["ms"].as_f64().unwrap_or(0.0))
        })
        .collect();
    let total = latency["total_ms"].as_f64().unwrap_or(0.0);
    format!("         (turn {}: {total:.0} ms = {})", latency["turn"], stages.join(" + "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turns_latency_is_one_readable_line() {
        let data = json!({ "latency": { "turn": 2, "total_ms": 612.4, "stages": [
            { "stage": "endpointing", "ms": 310.0 }, { "stage": "guard", "ms": 0.1 } ] } });
        let shown = line(&Followed { name: "call.latency".to_owned(), data }, Telling::Planned).unwrap();
        assert_eq!(shown.trim(), "(turn 2: 612 ms = endpointing 310)");
    }

    #[test]
    fn words_are_told_once_as_planned_or_as_far_as_they_were_heard() {
        let event = |name: &str, data| Followed { name: name.to_owned(), data };
        let planned = event("call.reply.segment", json!({ "text": "We open at eight." }));
        let heard = event("call.reply.heard", json!({ "state": "partly_heard", "heard_text": "We open" }));
        assert_eq!(line(&planned, Telling::Planned).unwrap(), "agent    We open at eight.");
        assert_eq!(line(&heard, Telling::Heard).unwrap(), "agent    We open …");
        assert!(line(&planned, Telling::Heard).is_none() && line(&heard, Telling::Planned).is_none());
    }
}
