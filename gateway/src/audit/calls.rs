//! What happens in calls: begun, ended, attacked. Noted from the call's events, which hold no raw text; nothing here
//! waits.

use pipeline::event::{CallEvent, ControlReason, EventBody};
use storage::CallId;
use storage::audit::{AuditWriter, NewAudit, Outcome, Party};

use crate::telemetry::metrics::reason_name;

/// The audit as a live call sees it.
#[derive(Debug)]
pub struct CallAudit {
    audit: AuditWriter,
    call: CallId,
}

impl CallAudit {
    #[must_use]
    pub fn new(audit: AuditWriter, call: CallId) -> Self {
        Self { audit, call }
    }

    /// Takes an event of the call. The trace of an entry is the call's own, as in its spans.
    pub fn observe(&self, event: &CallEvent) {
        if let Some(entry) = entry(self.call, event) {
            self.audit.note(entry.traced(self.call.0));
        }
    }
}

/// What stepped in keeps its event's id: who reads the record and follows the feed sees it once.
fn entry(call: CallId, event: &CallEvent) -> Option<NewAudit> {
    let new = |action: &str| NewAudit::new(action, Party::new("system", "call"), Party::new("call", call));
    match &event.body {
        EventBody::Started { line, direction, .. } => {
            Some(new("call.started").with("line", line.clone()).with("direction", direction.clone()))
        }
        EventBody::Guard(attack) => Some(
            new("call.guard")
                .with("event", event.event_id.to_string())
                .with("turn", attack.turn.0)
                .with("channel", attack.channel.clone())
                .with("kind", attack.kind.clone())
                .with("severity", attack.severity.clone())
                .outcome(Outcome::Found),
        ),
        EventBody::Rule(ruling) => Some(
            new("call.rule")
                .with("event", event.event_id.to_string())
                .with("turn", ruling.turn.0)
                .with("rule", ruling.rule.clone())
                .with("category", ruling.category.clone())
                .with("rule_action", ruling.action.clone())
                .with("applies_to", ruling.applies_to.clone())
                .outcome(Outcome::Found),
        ),
        // What a person did is noted as theirs; this is what happened to them.
        EventBody::Control { by, reason: ControlReason::Lost | ControlReason::Fault, .. } => {
            Some(new("call.control_lost").with("by", by.clone()))
        }
        // What the caller was told or said of being recorded.
        EventBody::Consent { consented, .. } => Some(new("call.consent").with("consented", consented.name())),
        // What a person did is noted as theirs, and comes from no call.
        EventBody::Recording { paused, by } => {
            Some(new(if *paused { "recording.paused" } else { "recording.resumed" }).with("by", by.clone()))
        }
        // Whether what they and the person who took the call say is written down.
        EventBody::Notes { state, with, .. } => {
            Some(new("call.notes").with("notes", state.name()).with("target", with.clone()))
        }
        EventBody::Ended { reason, duration_ms } => {
            Some(new("call.ended").with("reason", reason_name(*reason)).with("duration_ms", *duration_ms))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use pipeline::event::{Attack, EVENT_VERSION, Ruling};
    use pipeline::turn::{self, TurnId};
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::*;

    fn event(body: EventBody) -> CallEvent {
        CallEvent {
            version: EVENT_VERSION,
            event_id: Uuid::nil(),
            call_id: turn::CallId(CallId::new().0),
            tenant: Uuid::nil(),
            at: chrono::Utc::now(),
            body,
        }
    }

    #[test]
    fn an_attack_is_noted_without_its_words() {
        let attack = Attack {
            turn: TurnId(3),
            channel: "voice".into(),
            kind: "instruction_override".into(),
            severity: "high".into(),
        };
        let entry = entry(CallId::new(), &event(EventBody::Guard(attack))).unwrap();
        assert_eq!(
            (entry.action.as_str(), entry.outcome, entry.personal),
            ("call.guard", Outcome::Found, None)
        );
        let expected = json!({"event": Uuid::nil(), "channel": "voice", "kind": "instruction_override",
            "severity": "high", "turn": 3});
        assert_eq!(Value::Object(entry.details), expected);
    }

    #[test]
    fn a_broken_rule_is_noted_by_its_name() {
        let ruling = Ruling {
            turn: TurnId(2),
            rule: "no-legal-advice".into(),
            category: "legal".into(),
            action: "BLOCK".into(),
            applies_to: "words".into(),
            stopped: None,
        };
        let entry = entry(CallId::new(), &event(EventBody::Rule(ruling))).unwrap();
        assert_eq!((entry.action.as_str(), entry.outcome), ("call.rule", Outcome::Found));
        assert_eq!(entry.details["rule"], "no-legal-advice");
    }

    #[test]
    fn what_is_said_is_not_noted() {
        let said = EventBody::Final {
            turn: TurnId(1),
            speaker: pipeline::turn::Speaker::Caller,
            text: "hello".into(),
            by: None,
        };
        assert!(entry(CallId::new(), &event(said)).is_none());
    }
}
