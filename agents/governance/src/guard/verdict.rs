//! What the guard says about one text.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Where a text from outside came in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// Speech as a recogniser wrote it.
    Voice,
    /// An e-mail's subject or body.
    Email,
    /// A document or a page of one.
    Document,
    /// What a tool or another server answered.
    Tool,
}

impl Channel {
    /// Every channel, in the order of their thresholds.
    pub const ALL: [Self; 4] = [Self::Voice, Self::Email, Self::Document, Self::Tool];

    /// The name used in JSON, in events and in the thresholds' file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Voice => "voice",
            Self::Email => "email",
            Self::Document => "document",
            Self::Tool => "tool",
        }
    }
}

/// What an attack is after.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Sets the assistant's instructions aside or puts others in their place.
    InstructionOverride,
    /// Asks for the instructions, the configuration or a secret kept with them.
    PromptExtraction,
    /// Gives the assistant another identity or a mode without rules.
    RolePlay,
    /// Claims a rank or a permission that cannot be seen on this channel.
    FalseAuthority,
    /// Wants an effect that the speaker may not have: money, records, messages.
    ToolAbuse,
    /// Wants data of other people.
    DataTheft,
    /// Dictates words or a form of the answer.
    OutputControl,
    /// Speaks to a machine out of a document, an e-mail or a tool's answer.
    IndirectInstruction,
    /// Forged role tags, block ends, templates of chat models.
    DelimiterManipulation,
    /// An attack that was encoded.
    EncodedInstruction,
    /// Text that a person does not see and a model reads.
    HiddenText,
    /// Reads like instructions to the assistant; nothing more precise is known.
    InstructionInjection,
}

impl Kind {
    /// The name used in JSON, in events and in the ledger.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::InstructionOverride => "instruction_override",
            Self::PromptExtraction => "prompt_extraction",
            Self::RolePlay => "role_play",
            Self::FalseAuthority => "false_authority",
            Self::ToolAbuse => "tool_abuse",
            Self::DataTheft => "data_theft",
            Self::OutputControl => "output_control",
            Self::IndirectInstruction => "indirect_instruction",
            Self::DelimiterManipulation => "delimiter_manipulation",
            Self::EncodedInstruction => "encoded_instruction",
            Self::HiddenText => "hidden_text",
            Self::InstructionInjection => "instruction_injection",
        }
    }
}

/// The layer that found a threat.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Weighted patterns over the normalised words.
    Signature,
    /// Forged structure in the text as it was written.
    Delimiter,
    /// Something decoded and judged again.
    Encoding,
    /// Invisible characters.
    Hidden,
    /// The trained classifier.
    Classifier,
}

/// How bad a threat is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Noted; hardly an attack.
    Low,
    /// Just over the threshold.
    Medium,
    /// An attack beyond doubt.
    High,
    /// An attack by several signs at once, or one that hides itself.
    Critical,
}

impl Severity {
    /// The name used in JSON and in events.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// The risk of the text as a whole: none, or the worst of its threats.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Nothing was found.
    None,
    /// As [`Severity::Low`].
    Low,
    /// As [`Severity::Medium`].
    Medium,
    /// As [`Severity::High`].
    High,
    /// As [`Severity::Critical`].
    Critical,
}

impl From<Severity> for Risk {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Low => Self::Low,
            Severity::Medium => Self::Medium,
            Severity::High => Self::High,
            Severity::Critical => Self::Critical,
        }
    }
}

/// What became of the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// It goes on as it came.
    Pass,
    /// The threats were taken out or made harmless; the rest goes on.
    Defuse,
    /// Nothing of it goes on but the marker.
    Withhold,
}

/// One thing that was found and acted on.
#[derive(Clone, PartialEq, Debug)]
pub struct Threat {
    /// What it is after.
    pub kind: Kind,
    /// Who found it.
    pub layer: Layer,
    /// How bad it is.
    pub severity: Severity,
    /// 0 to 1.
    pub score: f32,
    /// Bytes of the original text, on character boundaries.
    pub span: Range<usize>,
    /// The name of the signature or forged structure, where one matched. Never text of the caller.
    pub pattern: Option<&'static str>,
}

/// The guard's answer on one text.
#[derive(Clone, PartialEq, Debug)]
pub struct Verdict {
    /// What was acted on, in the order of the text.
    pub threats: Vec<Threat>,
    /// The text that may go on. Equal to the original, byte for byte, when there are no threats.
    pub text: String,
    /// The worst of the threats.
    pub risk: Risk,
    /// What was done.
    pub action: Action,
    /// Likeness to an attack before thresholds, 0 to 1; for events and calibration.
    pub score: f32,
}

impl Verdict {
    /// Whether anything was acted on.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.threats.is_empty()
    }
}
