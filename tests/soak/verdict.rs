//! What must hold when the storm is over.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;
use tests::gateway::ADMIN;
use tokio::time::{Instant, sleep};

use crate::callers::Remembered;
use crate::child::Footprint;

/// Memory that may come with minutes of calls, kB: caches, rings and the allocator's arenas fill up once.
const GROWTH_KB: u64 = 48 * 1024;
/// Descriptors that may come and go: pooled connections to providers and database.
const MORE_DESCRIPTORS: usize = 24;

/// `GET` as the administrator; the body, whatever the status.
pub async fn get(base: &str, path: &str) -> Result<Value> {
    let answer = reqwest::Client::new()
        .get(format!("{base}{path}"))
        .bearer_auth(ADMIN)
        .timeout(Duration::from_secs(20))
        .send()
        .await?;
    let status = answer.status();
    let text = answer.text().await?;
    serde_json::from_str(&text).with_context(|| format!("GET {path}: {status}: {text}"))
}

/// Waits until no call is live; those that still are after `limit` are ghosts.
pub async fn ghosts(base: &str, limit: Duration) -> Result<Vec<Value>> {
    let end = Instant::now() + limit;
    loop {
        let live = get(base, "/v1/calls?state=live&limit=200").await?;
        let items = live["items"].as_array().cloned().unwrap_or_default();
        if items.is_empty() || Instant::now() > end {
            return Ok(items);
        }
        sleep(Duration::from_millis(250)).await;
    }
}

/// Promises that are not on record, in words; empty is what we want.
pub async fn broken_promises(base: &str, calls: &[Remembered]) -> Result<Vec<String>> {
    let items = all(base, "/v1/work-items?limit=200").await?;
    let mut of_call: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for item in &items {
        let call = item["call_id"].as_str().unwrap_or_default();
        of_call.entry(call).or_default().push(item["reference"].as_str().unwrap_or_default());
    }
    let mut broken = Vec::new();
    for call in calls {
        let sid = &call.call_sid;
        let record = get(base, &format!("/v1/calls/{sid}")).await?;
        let Some(id) = record["id"].as_str() else {
            if call.replies_heard > 0 {
                broken.push(format!("{sid}: {} replies were heard and there is no call", call.replies_heard));
            }
            continue;
        };
        let transcript = get(base, &format!("/v1/calls/{sid}/transcript")).await?;
        let turns = transcript["turns"].as_array().cloned().unwrap_or_default();
        let said = |speaker: &str| turns.iter().filter(|t| t["speaker"] == speaker).count();
        let replies = turns
            .iter()
            .filter(|t| t["speaker"] == "agent" && t["turn"].as_u64().unwrap_or_default() > 0)
            .count();
        if replies < call.replies_heard || said("caller") < call.replies_heard {
            broken.push(format!(
                "{sid}: {} replies were heard, {replies} replies and {} turns of the caller are on record",
                call.replies_heard,
                said("caller")
            ));
        }
        let filed = of_call.get(id).map(Vec::as_slice).unwrap_or_default();
        for text in turns.iter().filter_map(|t| t["text"].as_str()) {
            for told in text.split("reference number is ").skip(1) {
                // Whole as the model says it ("INC-4821"), or in groups as the built-in agent does ("I N C, 4 8, 2 1").
                let reference = bare(told.split('.').next().unwrap_or_default());
                if !filed.iter().any(|filed| bare(filed) == reference) {
                    broken.push(format!("{sid}: {reference} was promised and is not on record"));
                }
            }
        }
        let mut unique = filed.to_vec();
        unique.sort_unstable();
        unique.dedup();
        if unique.len() != filed.len() {
            broken.push(format!("{sid}: a reference was given twice: {filed:?}"));
        }
        // Filed more often than asked for is an effect twice.
        let asked = turns
            .iter()
            .filter(|t| {
                t["speaker"] == "caller" && t["text"].as_str().is_some_and(|s| s.contains("call me back"))
            })
            .count();
        if filed.len() > asked + 1 {
            broken.push(format!("{sid}: asked {asked} times for a call, filed {} times", filed.len()));
        }
    }
    Ok(broken)
}

/// A reference without what only divides it.
fn bare(reference: &str) -> String {
    reference.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_uppercase()
}

/// All pages of a list.
async fn all(base: &str, path: &str) -> Result<Vec<Value>> {
    let mut items = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = get(base, &format!("{path}{cursor}")).await?;
        items.extend(page["items"].as_array().cloned().unwrap_or_default());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return Ok(items),
        }
    }
}

/// What grew beyond its bound between two looks at a quiet process.
#[must_use]
pub fn leaks(before: Footprint, after: Footprint) -> Vec<String> {
    let mut found = Vec::new();
    if after.resident_kb > before.resident_kb + GROWTH_KB {
        found.push(format!("memory grew from {} to {} kB", before.resident_kb, after.resident_kb));
    }
    if after.descriptors > before.descriptors + MORE_DESCRIPTORS {
        found.push(format!("descriptors grew from {} to {}", before.descriptors, after.descriptors));
    }
    found
}
