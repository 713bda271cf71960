//! What `quandura call` prints: lines for people, or one JSON object a line.

use std::time::Instant;

use serde_json::{Value, json};

use crate::caller::follow::Followed;
use crate::caller::leg::Outcome;

/// Prints a call. Clones share the clock.
#[derive(Clone, Debug)]
pub struct Show {
    json: bool,
    began: Instant,
}

impl Show {
    pub fn new(json: bool) -> Self {
        Self { json, began: Instant::now() }
    }

    pub fn calling(&self, to: &str, base: &str) {
        if !self.json {
            println!("calling {to} at {base}");
        }
    }

    pub fn note(&self, text: &str) {
        eprintln!("{text}");
    }

    pub fn event(&mut self, event: &Followed) {
        if self.json {
            println!("{}", json!({ "event": event.name, "data": event.data }));
        } else if let Some(line) = line(event) {
            println!("[{:6.1} s] {line}", self.began.elapsed().as_secs_f64());
        }
    }

    pub fn summary(&self, outcome: &Outcome) {
        if self.json {
            let closed = outcome.closed.as_ref();
            println!(
                "{}",
                json!({ "event": "summary", "data": {
                    "greeting_ms": outcome.greeting_ms, "answers": outcome.answers, "heard_ms": outcome.heard_ms(),
                    "duration_ms": outcome.heard.len() * 20, "closed": closed,
                } })
            );
            return;
        }
        println!("greeting heard: {:.1} s", seconds(outcome.greeting_ms));
        for (turn, answer) in (1..).zip(&outcome.answers) {
            match answer.heard_after_ms {
                Some(ms) => {
                    println!("turn {turn}: answer heard after {ms} ms, for {:.1} s", seconds(answer.heard_ms))
                }
                None => println!("turn {turn}: no answer heard"),
            }
        }
        if let Some(closed) = &outcome.closed {
            println!("the gateway hung up ({} {})", closed.code, closed.reason);
        }
    }
}

#[allow(clippy::cast_precision_loss)] // a call has no 2^52 milliseconds
fn seconds(ms: u64) -> f64 {
    ms as f64 / 1_000.0
}

fn line(event: &Followed) -> Option<String> {
    let data = &event.data;
    let text = |name: &str| data[name].as_str().unwrap_or_default().to_owned();
    Some(match event.name.as_str() {
        "call.turn.final" if data["speaker"] == "caller" => format!("caller   {}", text("text")),
        "call.reply.segment" => format!("agent    {}", text("text")),
        "call.interrupted" => {
            format!("         (interrupted after \"{}\")", data["heard"]["text"].as_str().unwrap_or(""))
        }
        "call.dtmf" => format!("caller   (keys {})", text("digits")),
        "call.tool" => format!("         (tool {})", text("tool")),
        "call.guard" => format!("         (guard: {}, {})", text("kind"), text("severity")),
        "call.rule" => format!("         (rule {}: {})", text("rule"), text("action")),
        "call.provider" => format!("         (engine {} {})", text("provider"), text("state")),
        "call.latency" => latency(&data["latency"]),
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
        let shown = line(&Followed { name: "call.latency".to_owned(), data }).unwrap();
        assert_eq!(shown.trim(), "(turn 2: 612 ms = endpointing 310)");
    }
}
