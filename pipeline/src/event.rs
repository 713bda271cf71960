//! Versioned events of a call, as live viewers and other systems see them. Text here has passed the screen.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::latency::TurnLatency;
use crate::ports::{Consented, EndReason, NotesState, Played};
use crate::turn::{CallId, Heard, SegmentKind, Speaker, TurnId};

/// Version of the event shapes below.
pub const EVENT_VERSION: u32 = 1;

/// One event. `event_id` is time-ordered, so a viewer can resume after the last one it saw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallEvent {
    pub version: u32,
    pub event_id: Uuid,
    pub call_id: CallId,
    /// Tenant's UUID; used for routing, not shown.
    #[serde(skip)]
    pub tenant: Uuid,
    pub at: DateTime<Utc>,
    #[serde(flatten)]
    pub body: EventBody,
}

/// An attack on a language model, found in a text that a turn read. Holds no word of the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attack {
    pub turn: TurnId,
    /// Where the text came from: `voice`, `document` or `tool`.
    pub channel: String,
    /// What it is after, as `instruction_override`.
    pub kind: String,
    /// `low`, `medium`, `high` or `critical`.
    pub severity: String,
}

/// A rule that words or a tool call broke. Holds no word of either.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruling {
    pub turn: TurnId,
    /// The rule's id, as `no-legal-advice`.
    pub rule: String,
    /// `compliance`, `safety`, `legal` or `data_handling`.
    pub category: String,
    /// `BLOCK`, `REQUIRE_HUMAN` or `WARN`.
    pub action: String,
    /// What broke it: `words`, `reply` or `tool`.
    pub applies_to: String,
    /// What of a model's words was not said, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
}

/// Words of a model that a rule stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopped {
    /// Screened. Absent where they speak of somebody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// What they were read as, where the rule asks what a sentence means, as `own_instructions`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// How surely, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sure: Option<u8>,
}

/// What happened. [`EventBody::name`] is the SSE event name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EventBody {
    Started {
        line: String,
        from: Option<String>,
        direction: String,
        language: String,
        carrier_sid: String,
    },
    Interim {
        turn: TurnId,
        speaker: Speaker,
        text: String,
    },
    Final {
        turn: TurnId,
        speaker: Speaker,
        text: String,
        /// Which person of the office, where one said it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    ReplySegment {
        turn: TurnId,
        segment: u16,
        speaker: Speaker,
        text: String,
        segment_kind: SegmentKind,
    },
    ReplyHeard {
        turn: TurnId,
        state: Played,
        heard_text: String,
        estimated: bool,
    },
    Interrupted {
        turn: TurnId,
        heard: Heard,
    },
    Dtmf {
        turn: TurnId,
        digits: String,
    },
    Tool {
        turn: TurnId,
        tool: String,
        ok: bool,
    },
    /// The guard found an attack, and the call went on.
    Guard(Attack),
    /// A rule stopped words or a tool call, or warned of them.
    Rule(Ruling),
    /// `state` as [`crate::ports::ProviderState::name`] has it, or `lost`; `reason` holds no caller text.
    Provider {
        provider: String,
        state: String,
        reason: String,
    },
    /// A person should look at this call.
    Attention {
        level: AttentionLevel,
        reason: AttentionReason,
    },
    /// Who has the call now: the agent, or a person of the office.
    Control {
        holder: Holder,
        /// Whose act it was: a login, or the name of a token.
        by: String,
        reason: ControlReason,
        /// Which lease; for the process alone.
        #[serde(skip)]
        lease: u32,
    },
    /// Somebody asks the person who has the call for it.
    ControlAsked {
        by: String,
        of: String,
        until: DateTime<Utc>,
    },
    /// A person told the agent something, or had it say a line.
    Whispered {
        by: String,
        text: String,
        /// `next`, `withdrawn`, or `said` for a line.
        until: String,
    },
    /// The agent asks people of the office something while the caller waits; `POST /v1/calls/{id}/answer` answers it.
    QuestionAsked {
        question_id: u32,
        text: String,
        /// The caller waits so long.
        within_s: u32,
    },
    /// It needs no answer any more.
    QuestionClosed {
        question_id: u32,
        /// Who answered it, where somebody did.
        by: Option<String>,
    },
    /// Where the caller stands who waits in line for a person; a `call.control` with `held_no_more` ends it.
    InLine {
        target: String,
        place: u32,
    },
    Latency {
        latency: TurnLatency,
    },
    /// What the call costs: this turn, so far, and the part that replies begun on a guess wasted.
    Cost {
        turn: TurnId,
        turn_usd: f64,
        call_usd: f64,
        wasted_usd: f64,
        wasted_tokens: u64,
    },
    /// The conversation goes on in this language (BCP 47).
    Language {
        turn: TurnId,
        language: String,
    },
    /// From here on the call may be listened to and recorded, or may not.
    Consent {
        turn: TurnId,
        consented: Consented,
    },
    /// The recording is silent from here on, or no more, and by whom: a login, the name of a token, or `the agent`.
    Recording {
        paused: bool,
        by: String,
    },
    /// How it stands with notes of what the caller and the person who took the call say.
    Notes {
        turn: TurnId,
        state: NotesState,
        /// The target's name.
        with: String,
    },
    Ended {
        reason: EndReason,
        duration_ms: u64,
    },
    PassportUpdated {
        passport_id: Uuid,
        version: u64,
        status: String,
    },
    EscalationUpdated {
        escalation_id: Uuid,
        status: String,
    },
}

/// Who answers the caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Holder {
    Agent,
    Person,
}

/// Why the call changed hands, or did not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlReason {
    /// A person took the call; the caller is being told.
    TakenOver,
    /// The caller was told: the person is heard from now on.
    Speaking,
    /// The person gave it back.
    Released,
    /// No sound came of the person any more.
    Lost,
    /// A fault of ours ends the call.
    Fault,
    /// The call is ending: nobody can take it.
    Refused,
    /// The caller waits while a person is called: nobody listens to them.
    Held,
    /// They wait no more.
    HeldNoMore,
}

impl ControlReason {
    /// Who has the call after it.
    #[must_use]
    pub const fn holder(self) -> Holder {
        match self {
            Self::TakenOver | Self::Speaking => Holder::Person,
            Self::Released | Self::Lost | Self::Fault | Self::Refused | Self::Held | Self::HeldNoMore => {
                Holder::Agent
            }
        }
    }

    /// Name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TakenOver => "taken_over",
            Self::Speaking => "speaking",
            Self::Released => "released",
            Self::Lost => "lost",
            Self::Fault => "fault",
            Self::Refused => "refused",
            Self::Held => "held",
            Self::HeldNoMore => "held_no_more",
        }
    }
}

/// How much a call needs a person.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttentionLevel {
    #[default]
    None,
    Watch,
    Urgent,
}

impl AttentionLevel {
    /// Name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Watch => "watch",
            Self::Urgent => "urgent",
        }
    }
}

/// Why a call needs a person.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttentionReason {
    /// The caller told of a danger to somebody.
    Emergency,
    /// The caller is upset.
    Distress,
    /// Two turns in a row were not understood.
    Misunderstood,
    /// The caller asked for a person.
    PersonAsked,
    /// The caller has not answered twice.
    Silence,
    /// A rule stopped words or a tool.
    Rule,
    /// The guard found words that try to steer.
    Guard,
    /// A recogniser, model or voice failed.
    ProviderFailing,
}

impl AttentionReason {
    /// Name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Emergency => "emergency",
            Self::Distress => "distress",
            Self::Misunderstood => "misunderstood",
            Self::PersonAsked => "person_asked",
            Self::Silence => "silence",
            Self::Rule => "rule",
            Self::Guard => "guard",
            Self::ProviderFailing => "provider_failing",
        }
    }

    #[must_use]
    pub const fn level(self) -> AttentionLevel {
        match self {
            Self::Emergency => AttentionLevel::Urgent,
            Self::Distress
            | Self::Misunderstood
            | Self::PersonAsked
            | Self::Silence
            | Self::Rule
            | Self::Guard
            | Self::ProviderFailing => AttentionLevel::Watch,
        }
    }
}

impl EventBody {
    /// Name on the wire, as in the outer contract.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Started { .. } => "call.started",
            Self::Interim { .. } => "call.turn.interim",
            Self::Final { .. } => "call.turn.final",
            Self::ReplySegment { .. } => "call.reply.segment",
            Self::ReplyHeard { .. } => "call.reply.heard",
            Self::Interrupted { .. } => "call.interrupted",
            Self::Dtmf { .. } => "call.dtmf",
            Self::Tool { .. } => "call.tool",
            Self::Guard(_) => "call.guard",
            Self::Rule(_) => "call.rule",
            Self::Provider { .. } => "call.provider",
            Self::Attention { .. } => "call.attention",
            Self::Control { .. } => "call.control",
            Self::ControlAsked { .. } => "call.control_asked",
            Self::Whispered { .. } => "supervisor.whispered",
            Self::QuestionAsked { .. } => "call.question_asked",
            Self::QuestionClosed { .. } => "call.question_closed",
            Self::InLine { .. } => "call.in_line",
            Self::Latency { .. } => "call.latency",
            Self::Cost { .. } => "call.cost",
            Self::Language { .. } => "call.language",
            Self::Consent { .. } => "call.consent",
            Self::Notes { .. } => "call.notes",
            Self::Recording { .. } => "call.recording",
            Self::Ended { .. } => "call.ended",
            Self::PassportUpdated { .. } => "passport.updated",
            Self::EscalationUpdated { .. } => "escalation.updated",
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn an_attack_is_told_by_kind_and_severity_and_reads_back_as_itself() {
        let (channel, kind, severity) = ("voice".into(), "role_play".into(), "medium".into());
        let body = EventBody::Guard(Attack { turn: TurnId(3), channel, kind, severity });
        assert_eq!(body.name(), "call.guard");
        let shown = json!({ "turn": 3, "channel": "voice", "kind": "role_play", "severity": "medium" });
        assert_eq!(serde_json::to_value(&body).unwrap(), shown);
        assert_eq!(serde_json::from_value::<EventBody>(shown).unwrap(), body);
    }

    #[test]
    fn a_ruling_is_told_without_words_and_reads_back_as_itself() {
        let [rule, category, action, applies_to] =
            ["no-legal-advice", "legal", "BLOCK", "words"].map(str::to_owned);
        let ruling = Ruling { turn: TurnId(3), rule, category, action, applies_to, stopped: None };
        let body = EventBody::Rule(ruling);
        assert_eq!(body.name(), "call.rule");
        let shown = json!({ "turn": 3, "rule": "no-legal-advice", "category": "legal", "action": "BLOCK",
            "applies_to": "words" });
        assert_eq!(serde_json::to_value(&body).unwrap(), shown);
        assert_eq!(serde_json::from_value::<EventBody>(shown).unwrap(), body);
    }
}
