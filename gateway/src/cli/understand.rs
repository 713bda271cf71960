//! `quandura understand`: asks a running gateway, or reads the words in this process with the models that are here.

use std::sync::Arc;

use anyhow::bail;
use axum::http::Method;
use dialogue::understanding::api::{Reader, Refused, UnderstandRequest};
use governance::pii::Settings;
use knowledge::Retriever;
use serde_json::{Value, json};

use super::args;
use super::client::{Api, base_url};
use crate::config::Config;
use crate::providers::embedded;

pub async fn run(config: &Config, args: args::Understand) -> anyhow::Result<()> {
    let request = UnderstandRequest { text: args.text.join(" "), language: args.language, asked: args.asked };
    let answer = match Api::running(config, args.target.url.as_deref()).await? {
        Some(api) => {
            let body = json!({ "text": request.text, "language": request.language, "asked": request.asked });
            api.send(Method::POST, "/v1/understand", Some(body)).await?
        }
        None => here(config, &request).await?,
    };
    println!("{}", if args.json { answer.to_string() } else { told(&answer) });
    Ok(())
}

async fn here(config: &Config, request: &UnderstandRequest) -> anyhow::Result<Value> {
    let retriever = embedded::retriever(&config.models_dir, &config.providers).await;
    // Without models the words alone decide.
    let retriever: Arc<Retriever> = Arc::new(retriever.unwrap_or_else(|error| {
        tracing::warn!(%error, "there is no sentence encoder: the words alone decide");
        Retriever::lexical()
    }));
    let reader = Reader::new(retriever.embedder().cloned()).await?;
    match reader.read(request, &Settings::default()).await {
        Ok(answer) => Ok(serde_json::to_value(answer)?),
        Err(Refused { parameter, what }) => bail!("{parameter} {what}"),
    }
}

/// An answer as a person reads it.
fn told(answer: &Value) -> String {
    let number = |value: &Value| format!("{:.2}", value.as_f64().unwrap_or_default());
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut lines = Vec::new();
    for (name, key, of) in [("wants", "wants", "score"), ("part", "parts", "score")] {
        for want in answer[key].as_array().into_iter().flatten() {
            lines.push(format!("{name:<10}{:<16}{}", word(&want["route"]), number(&want[of])));
        }
    }
    lines.push(format!("{:<10}{:<16}{}", "act", word(&answer["act"]), number(&answer["act_score"])));
    let emergency = &answer["emergency"];
    let says = match (emergency["yes"].as_bool(), emergency["ask"].as_bool()) {
        (Some(true), _) => "yes",
        (_, Some(true)) => "asked about",
        _ => "no",
    };
    lines.push(format!("{:<10}{says:<16}{}", "emergency", number(&emergency["score"])));
    for slot in answer["slots"].as_array().into_iter().flatten() {
        lines.push(format!("{:<10}{:<16}{}", "slot", word(&slot["name"]), word(&slot["value"])));
    }
    lines.push(format!("{:<10}{}", "language", word(&answer["language"])));
    for example in answer["nearest"].as_array().into_iter().flatten() {
        let likeness = number(&example["likeness"]);
        lines.push(format!(
            "{:<10}{:<16}{likeness}  {}",
            "like",
            word(&example["route"]),
            word(&example["text"])
        ));
    }
    lines.join("\n")
}

/// Where `--url` names a gateway it must answer; else one that runs here is asked, if there is one.
impl Api {
    async fn running(config: &Config, url: Option<&str>) -> anyhow::Result<Option<Self>> {
        let api = Self::remote(config, base_url(config, url)?);
        match (api, url) {
            (Some(api), Some(_)) => Ok(Some(api)),
            (Some(api), None) => Ok(api.answers().await.then_some(api)),
            (None, Some(url)) => bail!("there is no token for {url}: set ADMIN_TOKEN"),
            (None, None) => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_told_in_lines() {
        let answer = json!({
            "wants": [{ "route": "incident", "score": 0.912 }], "parts": [], "act": "ask", "act_score": 0.8,
            "emergency": { "yes": false, "ask": true, "score": 0.55 },
            "slots": [{ "name": "address", "value": "12 Oak Street", "start": 3, "end": 16, "score": 0.9 }],
            "language": "en", "nearest": [{ "route": "incident", "text": "a pothole", "likeness": 0.5 }],
        });
        let lines = told(&answer);
        for part in ["incident        0.91", "asked about     0.55", "12 Oak Street", "a pothole"] {
            assert!(lines.contains(part), "{part} is missing in:\n{lines}");
        }
    }
}
