//! The work that a call left, compared as a whole: field by field, and as one hash that is the same in every run.
//!
//! Pure.

#![deny(clippy::disallowed_methods)]

use std::fmt::Write as _;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::file::Item;
use super::wanted::Wanted;
use super::words;

/// Digits of a telephone number that count.
const NUMBER: usize = 10;
/// Characters of a hash that are shown.
const SHOWN: usize = 16;

/// A piece of work as it was filed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filed {
    pub kind: String,
    pub reference: String,
    /// Name, and value as text.
    pub fields: Vec<(String, String)>,
}

impl Filed {
    /// Of the API's answer, with what tokens stand for put in.
    #[must_use]
    pub fn of(item: &Value, reveal: impl Fn(&str) -> String) -> Self {
        let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
        let fields = item["fields"].as_array().map(Vec::as_slice).unwrap_or_default();
        let field = |field: &Value| {
            (field["name"].as_str().unwrap_or_default().to_owned(), reveal(&text_of(&field["value"])))
        };
        Self { kind: text("kind"), reference: text("reference"), fields: fields.iter().map(field).collect() }
    }

    /// A field by a name that people use.
    #[must_use]
    pub fn field(&self, name: &str) -> String {
        let one = [name];
        let names: &[&str] = match name {
            "any" => {
                return self.fields.iter().map(|(_, value)| as_said(value)).collect::<Vec<_>>().join("; ");
            }
            "where" | "address" => &["where", "address", "place", "location"],
            "what" => &["what", "description", "summary", "category"],
            "when" => &["when", "time", "date", "occurred_at"],
            "day" | "time" => &["opening", "day", "time", "starts_at"],
            "phone" => &["phone", "callback_number", "number"],
            "name" => &["name", "caller_name", "contact_name"],
            "about" => &["reason", "about", "subject", "topic"],
            "message" => &["message", "text"],
            _ => &one,
        };
        let found = self.fields.iter().filter(|(name, _)| names.contains(&name.as_str()));
        found.map(|(_, value)| as_said(value)).collect::<Vec<_>>().join("; ")
    }
}

/// The value of a field as text.
#[must_use]
pub fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(text_of).collect::<Vec<_>>().join(" "),
        Value::Object(all) => all.values().map(text_of).collect::<Vec<_>>().join(" "),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A value, and where it begins with a date, that day as people call it.
fn as_said(value: &str) -> String {
    let date = value.get(..10).and_then(|date| date.parse::<NaiveDate>().ok());
    date.map_or_else(|| value.to_owned(), |date| format!("{value} ({})", date.format("%A %B %-d")))
}

/// What was filed against what had to be, as a whole.
#[must_use]
pub fn compare(expected: &[Item], filed: &[Filed], from: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut left: Vec<&Filed> = filed.iter().collect();
    for item in expected {
        let of_kind = |filed: &&Filed| item.kind.split('|').any(|kind| kind.trim() == filed.kind);
        let nearest = left.iter().enumerate().filter(|(_, filed)| of_kind(filed));
        match nearest.min_by_key(|(_, filed)| differences(item, filed, from).len()).map(|(at, _)| at) {
            Some(at) => {
                let found = left.remove(at);
                let wrong = differences(item, found, from);
                faults.extend(wrong.into_iter().map(|what| format!("{}: {what}", found.kind)));
            }
            None => faults.push(format!("no {} was filed", item.kind)),
        }
    }
    faults.extend(left.iter().map(|filed| format!("{} was filed and nobody wanted it", filed.kind)));
    faults
}

fn differences(item: &Item, filed: &Filed, from: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, wanted) in &item.fields {
        let value = filed.field(name);
        if !holds(name, wanted, &value, from) {
            wrong.push(format!("{name} is {value:?}, not {}", wanted.all().join(" and ")));
        }
    }
    for name in item.missing.iter().filter(|name| !filed.field(name).is_empty()) {
        wrong.push(format!("{name} was filled in"));
    }
    wrong
}

/// Whether a field is what was wanted; `from` stands for the number that called.
#[must_use]
pub fn holds(name: &str, wanted: &Wanted, value: &str, from: &str) -> bool {
    if name != "phone" {
        return wanted.lacking(value).next().is_none();
    }
    let digits = |text: &str| {
        let all = words::digits(text);
        all[all.len().saturating_sub(NUMBER)..].to_owned()
    };
    wanted.all().iter().all(|wanted| {
        let number = if wanted == "from" { from } else { wanted };
        !value.is_empty() && digits(value) == digits(number)
    })
}

/// Words of which some field holds one: the kind of work, and the words.
#[must_use]
pub fn holding(filed: &[Filed], never: &Wanted) -> Vec<(String, String)> {
    let of = |filed: &Filed| {
        let all = filed.field("any");
        never.found(&all).map(|word| (filed.kind.clone(), word.to_owned())).collect::<Vec<_>>()
    };
    filed.iter().flat_map(of).collect()
}

/// One hash of all that was filed. References, case and punctuation do not count, dates count from the day of the call, and
/// `from` stands for the caller's own number: so the same work has the same hash tomorrow.
#[must_use]
pub fn state(filed: &[Filed], from: &str, today: NaiveDate) -> String {
    let own = words::digits(from);
    let mut items: Vec<String> = filed
        .iter()
        .map(|item| {
            let mut fields: Vec<String> = item
                .fields
                .iter()
                .map(|(name, value)| format!("{name}={}", plain(value, &own, today)))
                .filter(|field| !field.ends_with('='))
                .collect();
            fields.sort();
            format!("{}\n{}", item.kind, fields.join("\n"))
        })
        .collect();
    items.sort();
    let digest = Sha256::digest(items.join("\n\n").as_bytes());
    let mut hash = String::with_capacity(2 * digest.len());
    for byte in digest {
        let _ = write!(hash, "{byte:02x}");
    }
    hash.truncate(SHOWN);
    hash
}

fn plain(value: &str, own: &str, today: NaiveDate) -> String {
    let digits = words::digits(value);
    if !own.is_empty() && digits.len() >= NUMBER && own.ends_with(&digits[digits.len() - NUMBER..]) {
        return "from".to_owned();
    }
    if let Some(date) = value.get(..10).and_then(|date| date.parse::<NaiveDate>().ok()) {
        return format!("day {:+}", (date - today).num_days());
    }
    words::tokens(value).join(" ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    const FROM: &str = "+12025550147";

    fn item(kind: &str, fields: &[(&str, &str)]) -> Item {
        let fields: BTreeMap<String, Wanted> =
            fields.iter().map(|(name, value)| ((*name).to_owned(), Wanted::from(&[*value][..]))).collect();
        Item { kind: kind.into(), fields, missing: vec!["name".into()] }
    }

    fn filed(kind: &str, fields: &[(&str, &str)]) -> Filed {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Filed { kind: kind.into(), reference: "R-1".into(), fields }
    }

    #[test]
    fn the_end_state_is_compared_as_a_whole() {
        let wanted = [item("incident", &[("where", "maple"), ("phone", "from")])];
        let right = filed("incident", &[("location", "Maple Street"), ("phone", "+1 202-555-0147")]);
        assert_eq!(compare(&wanted, std::slice::from_ref(&right), FROM), Vec::<String>::new());
        assert_eq!(compare(&wanted, &[right.clone(), filed("message", &[])], FROM).len(), 1);
        assert_eq!(compare(&wanted, &[], FROM), ["no incident was filed"]);
        let wrong =
            filed("incident", &[("where", "Mabel Street"), ("phone", "202-555-0100"), ("name", "Ann")]);
        assert_eq!(compare(&wanted, &[wrong], FROM).len(), 3);
        assert_eq!(holding(&[right], &Wanted::from(&["maple"][..])), [("incident".into(), "maple".into())]);
    }

    #[test]
    fn the_same_work_has_the_same_hash_on_another_day_and_from_another_number() {
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        let one = filed("incident", &[("where", "Maple Street"), ("when", "2026-11-26"), ("phone", FROM)]);
        let two = filed(
            "incident",
            &[("phone", "202 555 0163"), ("where", "maple street."), ("when", "2026-12-02T08:00")],
        );
        let hash = state(std::slice::from_ref(&one), FROM, day("2026-11-27"));
        assert_eq!(hash, state(&[two], "+12025550163", day("2026-12-03")));
        assert_ne!(hash, state(std::slice::from_ref(&one), FROM, day("2026-11-28")));
        assert_ne!(hash, state(&[one.clone(), one], FROM, day("2026-11-27")));
        assert_eq!(hash.len(), 16);
    }

    #[test]
    fn what_tokens_stand_for_is_put_in() {
        let item = json!({ "kind": "message", "reference": "M-1", "fields": [
            { "name": "phone", "value": "⟨phone:1⟩" }, { "name": "for", "value": ["the clerk", 2] } ] });
        let filed = Filed::of(&item, |text| text.replace("⟨phone:1⟩", FROM));
        assert_eq!(filed.fields, [("phone".into(), FROM.into()), ("for".into(), "the clerk 2".into())]);
    }
}
