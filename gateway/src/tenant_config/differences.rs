//! What a document would change, in words.

use std::collections::BTreeMap;

use serde_json::Value;

use super::TenantConfig;

/// What items of lists are told by.
const TITLES: [&str; 6] = ["date", "number", "label", "id", "matter", "name"];
/// Characters of a value that are told.
const LONGEST: usize = 160;

/// Every value by where it is, in words: "office phone", "line +12025550100 languages".
type Flat = BTreeMap<String, String>;

/// One sentence a change; none where the documents mean the same. Claims are told by whoever knows which are kept.
#[must_use]
pub fn differences(now: &TenantConfig, then: &TenantConfig) -> Vec<String> {
    let mut changes = told(&flat(now), &flat(then));
    changes.extend(super::teams::differences(&now.teams, &then.teams));
    changes
}

/// The same of any two documents.
#[must_use]
pub fn of_values(now: &Value, then: &Value) -> Vec<String> {
    let (mut before, mut after) = (Flat::new(), Flat::new());
    walk("", now, &mut before);
    walk("", then, &mut after);
    told(&before, &after)
}

fn told(now: &Flat, then: &Flat) -> Vec<String> {
    let mut changes = Vec::new();
    for (name, value) in then {
        match now.get(name) {
            None => changes.push(format!("{name}: {value} (new)")),
            Some(old) if old != value => changes.push(format!("{name}: {old} becomes {value}")),
            Some(_) => {}
        }
    }
    for (name, old) in now.iter().filter(|(name, _)| !then.contains_key(*name)) {
        changes.push(format!("{name}: {old} goes"));
    }
    changes
}

fn flat(config: &TenantConfig) -> Flat {
    let mut out = Flat::new();
    let mut plain = config.clone();
    plain.claims.clear();
    plain.teams.clear();
    plain.slug.clear();
    if let Ok(value) = serde_json::to_value(plain) {
        walk("", &value, &mut out);
    }
    out
}

fn walk(name: &str, value: &Value, out: &mut Flat) {
    let below = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name} {key}") };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| walk(&below(key), value, out)),
        // Lines and plans are told by what people call them, not by where they stand.
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for item in items {
                let title = TITLES.iter().find_map(|key| item[*key].as_str()).unwrap_or_default();
                // Of one day there are several times.
                let at = item["time"].as_str().map(|at| format!(" {at}")).unwrap_or_default();
                let of = item["date"]
                    .as_str()
                    .and(item["label"].as_str())
                    .map(|of| format!(" {of}"))
                    .unwrap_or_default();
                let place = item["office"].as_str().map(|place| format!(" {place}")).unwrap_or_default();
                walk(&below(&format!("{title}{at}{of}{place}")), item, out);
            }
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(shown).collect();
            out.insert(name.to_owned(), items.join(", "));
        }
        other => {
            out.insert(name.to_owned(), shown(other));
        }
    }
}

fn shown(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), |text| format!("\"{}\"", text.trim()));
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{} …", &text[..cut]),
        None => text,
    }
}
