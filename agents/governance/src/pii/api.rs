//! Request and answer of `POST /v1/safety/check`.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use super::findings::{Finding, Findings, replace};
use super::guardian::{Guardian, Settings};
use super::kind::{Category, Kind, KindSet, RiskLevel};

/// What is to be checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckType {
    Pii,
    Content,
    Policy,
    Secrets,
    All,
}

/// The request.
#[derive(Clone, Debug, Deserialize)]
pub struct SafetyRequest {
    pub text: String,
    /// Nothing named means everything.
    #[serde(default, deserialize_with = "or_nothing")]
    pub check_types: Vec<CheckType>,
    /// `question`: what the text answers, if it answers something.
    #[serde(default, deserialize_with = "or_nothing")]
    pub context: Map<String, Value>,
    #[serde(default = "yes")]
    pub redact_pii: bool,
    #[serde(default = "yes")]
    pub block_on_high_risk: bool,
}

const fn yes() -> bool {
    true
}

/// Clients that send every field send `null` for what they leave out.
fn or_nothing<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(reader: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(reader)?.unwrap_or_default())
}

/// One finding as it is answered. `position` and `length` count Unicode scalar values of the request's text.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SafetyIssue {
    #[serde(rename = "type")]
    pub kind: Category,
    pub risk_level: RiskLevel,
    pub message: String,
    pub matched_pattern: &'static str,
    pub position: usize,
    pub length: usize,
    pub redaction: Option<&'static str>,
}

/// The answer. A text with nothing wrong has no issues and comes back unchanged.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SafetyResult {
    /// Nothing of high risk and nothing personal or secret is in the text.
    pub safe: bool,
    pub risk_level: RiskLevel,
    pub issues: Vec<SafetyIssue>,
    pub sanitized_text: String,
    pub blocked: bool,
    pub metadata: Value,
}

/// Checks a request. `settings` are the tenant's; the request narrows the kinds.
#[must_use]
pub fn check(guardian: &Guardian, settings: &Settings, request: &SafetyRequest) -> SafetyResult {
    let mut settings =
        Settings { kinds: settings.kinds.and(kinds(&request.check_types)), ..settings.clone() };
    if let Some(question) = request.context.get("question").and_then(Value::as_str) {
        settings = settings.answering(question);
    }
    let findings = guardian.check(&request.text, &settings);
    let sanitized_text = replace(&request.text, &findings, |f| {
        let out = f.kind == Kind::Secret || request.redact_pii;
        f.kind.label().filter(|_| out).map(str::to_owned)
    });
    let risk_level = findings.risk();
    // Somebody in danger is put through to a person, never shut out.
    let grave = findings.iter().any(|f| f.risk() >= RiskLevel::High && f.kind != Kind::SelfHarm);
    let personal = findings.iter().any(|f| matches!(f.kind.category(), Category::Pii | Category::Secret));
    SafetyResult {
        safe: risk_level < RiskLevel::High && !personal,
        risk_level,
        issues: issues(&request.text, &findings),
        sanitized_text,
        blocked: request.block_on_high_risk && grave,
        metadata: metadata(request, &findings),
    }
}

fn kinds(types: &[CheckType]) -> KindSet {
    if types.is_empty() || types.contains(&CheckType::All) {
        return KindSet::ALL;
    }
    let categories: Vec<Category> = types
        .iter()
        .filter_map(|t| match t {
            CheckType::Pii => Some(Category::Pii),
            CheckType::Content => Some(Category::Content),
            CheckType::Policy => Some(Category::Policy),
            CheckType::Secrets => Some(Category::Secret),
            CheckType::All => None,
        })
        .collect();
    KindSet::of(&categories)
}

fn issues(text: &str, findings: &Findings) -> Vec<SafetyIssue> {
    let (mut bytes, mut characters) = (0, 0);
    findings
        .iter()
        .map(|f| {
            characters += text[bytes..f.start].chars().count();
            bytes = f.start;
            let length = text[f.start..f.end].chars().count();
            issue(f, characters, length)
        })
        .collect()
}

fn issue(finding: &Finding, position: usize, length: usize) -> SafetyIssue {
    let kind = finding.kind;
    let what = match kind.category() {
        Category::Pii => "PII detected",
        Category::Secret => "Secret detected",
        Category::Content => "Content noted",
        Category::Policy => "Against policy",
    };
    SafetyIssue {
        kind: kind.category(),
        risk_level: kind.risk(),
        message: format!("{what}: {}", kind.name()),
        matched_pattern: kind.name(),
        position,
        length,
        redaction: kind.label(),
    }
}

fn metadata(request: &SafetyRequest, findings: &Findings) -> Value {
    let of = |category: Category| findings.iter().filter(|f| f.kind.category() == category).count();
    let run = if request.check_types.is_empty() { vec![CheckType::All] } else { request.check_types.clone() };
    json!({
        "checks_run": run,
        "issues_found": findings.len(),
        "pii_detections": of(Category::Pii),
        "secrets_detections": of(Category::Secret),
        "escalate": findings.must_escalate(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn ask(body: Value) -> SafetyResult {
        check(&Guardian::new(), &Settings::default(), &serde_json::from_value(body).unwrap())
    }

    #[test]
    fn a_text_with_nothing_wrong_comes_back_unchanged() {
        let answer = ask(json!({"text": "When is the library open?", "check_types": ["all"]}));
        assert!(answer.safe && !answer.blocked && answer.issues.is_empty());
        assert_eq!(answer.sanitized_text, "When is the library open?");
        assert_eq!(answer.risk_level, RiskLevel::None);
        let nulls = ask(json!({"text": "078-05-1120", "check_types": null, "context": null}));
        assert_eq!(nulls.issues.len(), 1);
    }

    #[test]
    fn places_count_characters_and_labels_are_the_source_s() {
        let answer = ask(json!({"text": "señor, 078-05-1120 ¿sí?", "check_types": ["pii"]}));
        let issue = serde_json::to_value(&answer.issues[0]).unwrap();
        let expected = json!({"type": "pii", "risk_level": "high", "message": "PII detected: ssn",
            "matched_pattern": "ssn", "position": 7, "length": 11, "redaction": "[SSN-REDACTED]"});
        assert_eq!(issue, expected);
        assert_eq!(answer.sanitized_text, "señor, [SSN-REDACTED] ¿sí?");
        assert!(answer.blocked && !answer.safe);
    }

    #[test]
    fn the_request_narrows_what_is_looked_for_and_taken_out() {
        let text = "my social is 078-05-1120 and my password is hunter22";
        let secrets = ask(json!({"text": text, "check_types": ["secrets"]}));
        assert_eq!(secrets.issues.len(), 1);
        assert_eq!(secrets.sanitized_text, "my social is 078-05-1120 and my password is [SECRET-REDACTED]");
        let kept = ask(json!({"text": text, "redact_pii": false, "block_on_high_risk": false}));
        assert_eq!(kept.sanitized_text, secrets.sanitized_text);
        assert!(!kept.blocked && !kept.safe);
    }

    #[test]
    fn a_text_with_anything_personal_in_it_is_not_safe() {
        for text in [
            "call me at 202-555-0143",
            "I live at 42 Oak Street",
            "my name is Maria Gonzalez",
            "write to ada@example.org",
            "I was born on March 3, 1961",
        ] {
            let answer = ask(json!({"text": text}));
            assert_ne!(answer.sanitized_text, text);
            assert!(!answer.safe, "{text}");
            assert!(!ask(json!({"text": text, "redact_pii": false})).safe, "{text}");
        }
    }

    #[test]
    fn who_may_hurt_themselves_is_escalated_not_blocked() {
        let answer = ask(json!({"text": "I want to kill myself", "check_types": ["content"]}));
        assert_eq!(answer.issues[0].matched_pattern, "self_harm");
        assert!(!answer.blocked && !answer.safe);
        assert_eq!(answer.metadata["escalate"], true);
        let threat = ask(json!({"text": "I'm going to kill you", "check_types": ["content"]}));
        assert!(threat.blocked && threat.metadata["escalate"] == false);
    }
}
