//! Follows one call's live events over the API while the call is on.

use anyhow::bail;
use reqwest::Client;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use storage::zones::normalise_phone;
use tokio::sync::mpsc;

use crate::TENANT_HEADER;

/// Events that may wait for the printer.
const QUEUE: usize = 256;

/// One server-sent event.
#[derive(Clone, Debug, PartialEq)]
pub struct Followed {
    pub name: String,
    pub data: Value,
}

/// The tenant whose line `number` is; `None` when the token may not look, or nobody has it.
pub async fn tenant_of(http: &Client, base: &str, token: &SecretString, number: &str) -> Option<String> {
    let number = normalise_phone(number)?;
    let request = http.get(format!("{base}/v1/tenants")).bearer_auth(token.expose_secret());
    let answer: Value = request.send().await.ok()?.json().await.ok()?;
    let has_line = |tenant: &&Value| {
        tenant["lines"]
            .as_array()
            .is_some_and(|lines| lines.iter().any(|line| line["number"] == number.as_str()))
    };
    answer["items"].as_array()?.iter().find(has_line)?["slug"].as_str().map(str::to_owned)
}

/// Opens the event stream and gives the events of the call that the carrier calls `carrier_sid`.
pub async fn follow(
    http: &Client,
    base: &str,
    token: &SecretString,
    tenant: Option<String>,
    carrier_sid: String,
) -> anyhow::Result<mpsc::Receiver<Followed>> {
    let mut request = http.get(format!("{base}/v1/events")).bearer_auth(token.expose_secret());
    if let Some(tenant) = tenant {
        request = request.header(TENANT_HEADER, tenant);
    }
    let mut response = request.send().await?;
    if !response.status().is_success() {
        bail!("{base}/v1/events answers {}", response.status());
    }
    let (sender, receiver) = mpsc::channel(QUEUE);
    tokio::spawn(async move {
        let mut reader = SseReader::default();
        let mut call = None;
        while let Ok(Some(bytes)) = response.chunk().await {
            for event in reader.push(&String::from_utf8_lossy(&bytes)) {
                if event.data["carrier_sid"] == carrier_sid.as_str() {
                    call = event.data["call_id"].as_str().map(str::to_owned);
                }
                let ours = call.is_some() && event.data["call_id"].as_str() == call.as_deref();
                if ours && sender.send(event).await.is_err() {
                    return;
                }
            }
        }
    });
    Ok(receiver)
}

/// Cuts a byte stream into events.
#[derive(Debug, Default)]
struct SseReader {
    buffer: String,
}

impl SseReader {
    fn push(&mut self, text: &str) -> Vec<Followed> {
        self.buffer.push_str(text);
        let mut events = Vec::new();
        while let Some(end) = self.buffer.find("\n\n") {
            let block: String = self.buffer.drain(..end + 2).collect();
            events.extend(event(&block));
        }
        events
    }
}

fn event(block: &str) -> Option<Followed> {
    let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let data = serde_json::from_str(field("data:")?).ok()?;
    Some(Followed { name: field("event:")?.to_owned(), data })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_may_come_in_pieces_and_comments_are_skipped() {
        let mut reader = SseReader::default();
        assert!(reader.push(": alive\n\nevent: call.ended\nid: 1\nda").is_empty());
        let events = reader.push("ta: {\"reason\":\"no_input\"}\n\n");
        assert_eq!(events.len(), 1);
        assert_eq!(events[0].name, "call.ended");
        assert_eq!(events[0].data["reason"], "no_input");
    }
}
