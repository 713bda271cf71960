//! Plain rows of a tenant: what goes into the stores and what comes out.
//!
//! Strings here are raw: the stores seal what is personal (see [`crate::zones`]) and open it again. Do not log them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::figures::NewQuestion;
use crate::ids::{CallId, PassportId, SlotId, WorkItemId};
use crate::job_records::NewJob;
use crate::organisation::NewTask;
use crate::outbox_records::{NewOutgoing, Outgoing};

/// An enum kept as one lower-case word, in the database, in JSON and in `Display`.
macro_rules! word_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$vmeta])* #[serde(rename = $word)] $variant),+
        }

        impl $name {
            /// The word it is stored and shown as.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::StorageError;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::StorageError::Invalid {
                        what: concat!("unknown word for ", stringify!($name)),
                    }),
                }
            }
        }

        impl<DB: sqlx::Database> sqlx::Type<DB> for $name
        where
            str: sqlx::Type<DB>,
        {
            fn type_info() -> DB::TypeInfo {
                <str as sqlx::Type<DB>>::type_info()
            }

            fn compatible(ty: &DB::TypeInfo) -> bool {
                <str as sqlx::Type<DB>>::compatible(ty)
            }
        }

        impl<'r, DB: sqlx::Database> sqlx::Decode<'r, DB> for $name
        where
            &'r str: sqlx::Decode<'r, DB>,
        {
            fn decode(value: DB::ValueRef<'r>) -> Result<Self, sqlx::error::BoxDynError> {
                Ok(<&'r str as sqlx::Decode<'r, DB>>::decode(value)?.parse()?)
            }
        }

        impl<'q, DB: sqlx::Database> sqlx::Encode<'q, DB> for $name
        where
            &'q str: sqlx::Encode<'q, DB>,
        {
            fn encode_by_ref(
                &self,
                buf: &mut DB::ArgumentBuffer,
            ) -> Result<sqlx::encode::IsNull, sqlx::error::BoxDynError> {
                <&'q str as sqlx::Encode<'q, DB>>::encode(self.as_str(), buf)
            }
        }
    };
}
pub(crate) use word_enum;

// ---------------------------------------------------------------- calls

word_enum! {
    /// Who placed the call.
    Direction { Inbound = "inbound", Outbound = "outbound" }
}

word_enum! {
    /// Where a call is in its life.
    CallState { Live = "live", Ended = "ended" }
}

word_enum! {
    /// Whether a person should look at a call, and how soon.
    Attention { None = "none", Watch = "watch", Urgent = "urgent" }
}

word_enum! {
    /// Whose words a transcript row holds.
    Speaker { Caller = "caller", Agent = "agent", Supervisor = "supervisor" }
}

word_enum! {
    /// How far a segment got. `Planned`: its play-out never ended on record (the process died).
    PlayState { Planned = "planned", Heard = "heard", PartlyHeard = "partly_heard", Dropped = "dropped" }
}

/// A call that begins.
#[derive(Clone, Debug)]
pub struct NewCall {
    pub id: CallId,
    /// The carrier's name for the call (CallSid). Unique within the tenant.
    pub carrier_sid: Option<String>,
    /// Our number, E.164.
    pub line: String,
    /// The other party's number, raw, if the carrier gave one. Kept sealed, found by keyed hash.
    pub caller: Option<String>,
    pub direction: Direction,
    /// BCP 47 primary language: `en`, `es`.
    pub language: String,
    pub passport_id: Option<PassportId>,
    /// When the stream was accepted: `at_ms` of the call's log counts from here.
    pub started_at: DateTime<Utc>,
}

/// A call, without the caller's number ([`crate::store::Calls::caller_number`] gives that).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, sqlx::FromRow)]
pub struct Call {
    pub id: CallId,
    pub carrier_sid: Option<String>,
    pub line: String,
    pub has_caller: bool,
    pub direction: Direction,
    /// In which the conversation is held now, or was held last.
    pub language: String,
    pub passport_id: Option<PassportId>,
    pub state: CallState,
    /// Why it ended, as the pipeline's `EndReason` says it; `interrupted` after a crash.
    pub end_reason: Option<String>,
    pub started_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
    /// Turns on record in which the caller said or pressed something.
    #[sqlx(try_from = "i64")]
    pub turns: u32,
    /// Millionths of a US dollar so far, by the price table of the day.
    #[sqlx(try_from = "i64")]
    pub cost_micros: u64,
    /// The highest level that was told, and what told it first.
    pub attention: Attention,
    pub attention_reason: Option<String>,
}

/// What one turn of a call cost, millionths of a US dollar.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct TurnCost {
    pub turn: u32,
    pub micros: u64,
}

/// Which calls to list. Newest first.
#[derive(Clone, Debug, Default)]
pub struct CallFilter {
    pub state: Option<CallState>,
    /// Only calls with this other party (raw number, any spelling).
    pub caller: Option<String>,
    /// Our number that was called.
    pub line: Option<String>,
    /// The reason of the end.
    pub outcome: Option<String>,
    /// A page that answered a question of the call, by its source.
    pub topic: Option<String>,
    pub attention: Option<Attention>,
    /// BCP 47 primary language.
    pub language: Option<String>,
    /// Begun at this instant or later, and before that one.
    pub from: Option<DateTime<Utc>>,
    pub to: Option<DateTime<Utc>>,
    /// Go on after this call: the last one of the page before.
    pub after: Option<CallId>,
    /// Rows at most; 0 counts as 50, and 500 is the most.
    pub limit: u32,
}

/// One line of a call's log.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LogRow {
    /// Counts up by one from 1 within a call. Writing a number again changes nothing.
    pub seq: u64,
    /// Milliseconds since the stream was accepted.
    pub at_ms: u64,
    pub entry: CallEntry,
}

/// What is kept of a call; mirrors the pipeline's `CallRecord`. Times are ms since the stream was accepted.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CallEntry {
    CallerTurn {
        turn: u32,
        text: String,
        started_ms: u64,
        ended_ms: u64,
        confidence: f32,
    },
    /// Keys pressed (not secret ones).
    Digits {
        turn: u32,
        digits: String,
    },
    /// `kind` as the pipeline's `SegmentKind` says it: `reply`, `notice`, `filler`, `prompt`.
    Planned {
        turn: u32,
        segment: u16,
        text: String,
        segment_kind: String,
        fixed: bool,
    },
    Played {
        turn: u32,
        segment: u16,
        state: PlayState,
        from_ms: u64,
        to_ms: u64,
        heard_text: String,
        estimated: bool,
    },
    Interrupted {
        turn: u32,
        at_ms: u64,
    },
    /// The caller went on with this turn: what we had begun to answer by then is no part of the conversation.
    Rejoined {
        turn: u32,
        at_ms: u64,
    },
    /// The waterfall of a turn, exactly as the API shows it.
    Latency {
        turn: u32,
        latency: Value,
    },
    /// What happened to a provider; fixed words only.
    Provider {
        provider: String,
        state: String,
        reason: String,
        delay_ms: u32,
    },
    /// Millionths of a US dollar: this turn since its last entry, the call so far, and the part that was wasted on
    /// guesses. Also raises the call's own figure, in the same transaction.
    Cost {
        turn: u32,
        turn_micros: u64,
        call_micros: u64,
        wasted_micros: u64,
    },
    /// BCP 47 primary language from this turn on; also the call's own from now on.
    Language {
        turn: u32,
        language: String,
    },
    /// A person should look at the call. Also raises the call's own level, in the same transaction.
    Attention {
        turn: u32,
        level: Attention,
        /// `emergency`, `distress`, …: as the pipeline's `AttentionReason` says it.
        reason: String,
    },
    /// We gave up and promised that somebody calls back.
    CallBackOwed {
        turn: u32,
    },
    /// The call changed hands. `holder`: `agent` or `person`; `reason` as the pipeline's `ControlReason` says it. `note`: what
    /// the person who gave it back had to say; empty for none.
    Control {
        turn: u32,
        holder: String,
        by: String,
        reason: String,
        note: String,
    },
    /// A person of the office was heard by the caller.
    PersonSpoke {
        turn: u32,
        by: String,
        from_ms: u64,
        to_ms: u64,
    },
    /// What they said, as it was recognized.
    PersonSaid {
        turn: u32,
        by: String,
        text: String,
        from_ms: u64,
        to_ms: u64,
    },
    /// A person told the agent something (`next`, `withdrawn`), or had it say a line (`said`).
    Whispered {
        turn: u32,
        by: String,
        text: String,
        until: String,
    },
    /// How the caller stands to being recorded: `told`, `agreed`, `refused`, `withdrawn`.
    Consent {
        turn: u32,
        consented: String,
    },
    /// How it stands with notes of what the caller and the person who took the call say: as the pipeline's `NotesState` says it.
    /// `with`: the target, as callers hear it.
    Notes {
        turn: u32,
        state: String,
        with: String,
    },
    /// Also marks the call as ended, in the same transaction.
    Ended {
        reason: String,
    },
}

/// One row of a transcript.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TranscriptTurn {
    pub turn: u32,
    pub speaker: Speaker,
    /// Which person of the office, where one spoke: a login, or the name of a token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// What was said; for the agent, what was planned.
    pub text: String,
    pub started_at: DateTime<Utc>,
    /// `None` while it goes on, or when the process died before its end was on record.
    pub ended_at: Option<DateTime<Utc>>,
    pub interrupted: bool,
    /// The words that were played, where that is less than `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heard_text: Option<String>,
    /// Of the recogniser, 0–1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f32>,
}

/// One segment of our speech and how far it got.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PlayoutRow {
    pub turn: u32,
    pub segment: u16,
    /// `reply`, `notice`, `filler` or `prompt`.
    pub kind: String,
    pub text: String,
    pub state: PlayState,
    /// Milliseconds since the stream was accepted.
    pub from_ms: Option<u64>,
    pub to_ms: Option<u64>,
    pub heard_text: String,
    pub estimated: bool,
}

/// A call that the last process left open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecoveredCall {
    pub call: CallId,
    pub passport_id: Option<PassportId>,
    /// The last turn that is on record.
    pub last_turn: u32,
}

// ---------------------------------------------------------------- passports

/// A passport at its first version (1).
#[derive(Clone, Debug)]
pub struct NewPassport {
    pub id: PassportId,
    pub team_id: String,
    /// `pending`, `in_progress`, `blocked`, `completed`, `failed`, `escalated`.
    pub status: String,
    pub call_id: Option<CallId>,
    /// The whole passport. Its top-level array `ledger` is kept apart, append-only, and put back when read.
    pub document: Value,
}

/// A changed passport.
#[derive(Clone, Debug)]
pub struct PassportChange {
    pub id: PassportId,
    /// The version that was read.
    pub expected_version: u32,
    pub team_id: String,
    pub status: String,
    /// The whole passport. Its `ledger` must begin with what is kept already; only what follows is appended.
    pub document: Value,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Passport {
    pub id: PassportId,
    /// Counts up by one from 1.
    pub version: u32,
    pub team_id: String,
    pub status: String,
    pub call_id: Option<CallId>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// With its `ledger`.
    pub document: Value,
}

/// A passport's plain columns, for lists.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, sqlx::FromRow)]
pub struct PassportHead {
    pub id: PassportId,
    #[sqlx(try_from = "i64")]
    pub version: u32,
    pub team_id: String,
    pub status: String,
    pub call_id: Option<CallId>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// Which passports to list. Newest first.
#[derive(Clone, Debug, Default)]
pub struct PassportFilter {
    pub status: Option<String>,
    pub team_id: Option<String>,
    pub after: Option<PassportId>,
    /// Rows at most; 0 counts as 50, and 500 is the most.
    pub limit: u32,
}

// ---------------------------------------------------------------- work items

word_enum! {
    /// What kind of work a call left behind.
    WorkKind {
        Incident = "incident",
        Inspection = "inspection",
        Message = "message",
        Escalation = "escalation",
        Callback = "callback",
    }
}

word_enum! {
    /// How far a piece of work has got.
    WorkStatus {
        Open = "open",
        /// Somebody works on it.
        InProgress = "in_progress",
        Done = "done",
        /// Somebody decided that it will not be done.
        Declined = "declined",
        /// The caller took it back on the call.
        Cancelled = "cancelled",
    }
}

word_enum! {
    Priority { Low = "low", Normal = "normal", High = "high", Urgent = "urgent" }
}

/// Work to be filed.
#[derive(Clone, Debug)]
pub struct NewWorkItem {
    pub kind: WorkKind,
    /// Filing the same key again gives the earlier row and files nothing.
    pub idempotency_key: String,
    /// What the caller is told, e.g. `INC-4821`. `None`: one is drawn. Draw it before with
    /// [`crate::store::WorkItems::draw_reference`] when the passport must name it in the same commit.
    pub reference: Option<String>,
    pub call_id: Option<CallId>,
    pub passport_id: Option<PassportId>,
    pub priority: Priority,
    /// Whom it is for or from, raw number. Kept only as a keyed hash; put it into `fields` when someone must dial it.
    pub caller: Option<String>,
    /// Slot values; sealed.
    pub fields: Value,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WorkItem {
    pub id: WorkItemId,
    pub reference: String,
    pub kind: WorkKind,
    pub status: WorkStatus,
    pub priority: Priority,
    pub idempotency_key: String,
    pub call_id: Option<CallId>,
    pub passport_id: Option<PassportId>,
    /// Login of whoever works on it, or closed it.
    pub assignee: Option<String>,
    /// Alarms that were raised since nobody has it.
    pub alarms: u32,
    pub fields: Value,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// Which work items to list. Newest first.
#[derive(Clone, Debug, Default)]
pub struct WorkFilter {
    pub kind: Option<WorkKind>,
    pub status: Option<WorkStatus>,
    pub assignee: Option<String>,
    pub call_id: Option<CallId>,
    pub passport_id: Option<PassportId>,
    /// Only those of this caller (raw number, any spelling).
    pub caller: Option<String>,
    pub after: Option<WorkItemId>,
    /// Rows at most; 0 counts as 50, and 500 is the most.
    pub limit: u32,
}

// ---------------------------------------------------------------- slots and claims

/// An appointment that can be booked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, sqlx::FromRow)]
pub struct Slot {
    pub id: SlotId,
    pub starts_at: DateTime<Utc>,
    pub ends_at: DateTime<Utc>,
    /// Which kind of inspection, or whose calendar.
    pub label: String,
}

/// Take a slot.
#[derive(Clone, Debug)]
pub struct NewBooking {
    pub slot: SlotId,
    /// Booking with the same key again gives the slot it got before.
    pub idempotency_key: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, sqlx::FromRow)]
pub struct Booking {
    #[sqlx(flatten)]
    pub slot: Slot,
    /// The inspection filed in the same commit, if one was.
    pub reference: Option<String>,
}

/// An insurance claim whose status callers ask for. The holder's data is sealed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Claim {
    /// As printed on the letter, e.g. `CLM-20417`. Looked up without regard to case, spaces and dashes.
    pub claim_number: String,
    /// `received`, `under_review`, `approved`, `paid`, `denied`, …
    pub status: String,
    /// A sentence that may be read to the verified holder.
    pub status_text: String,
    pub holder: ClaimHolder,
    pub updated_at: DateTime<Utc>,
}

/// Who may hear of a claim.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClaimHolder {
    pub name: String,
    /// ISO 8601 date.
    pub date_of_birth: String,
    /// E.164.
    pub phone: String,
}

// ---------------------------------------------------------------- a turn's effects

/// Everything an agent turn changes, to be written in one transaction or not at all.
#[derive(Clone, Debug, Default)]
pub struct TurnCommit {
    pub passport: Option<PassportChange>,
    pub work_items: Vec<NewWorkItem>,
    pub booking: Option<NewBooking>,
    /// Work for after the call; filed once for their keys.
    pub jobs: Vec<NewJob>,
    /// For the task history; on record once for their ids.
    pub tasks: Vec<NewTask>,
    /// Effects outside, to be made once this is durable.
    pub outbox: Vec<NewOutgoing>,
    /// What the caller asked in it.
    pub question: Option<NewQuestion>,
}

/// What a committed turn made.
#[derive(Clone, PartialEq, Debug)]
pub struct TurnCommitted {
    /// The passport's new version.
    pub passport_version: Option<u32>,
    /// In the order given; earlier rows where the key was known.
    pub work_items: Vec<WorkItem>,
    pub booking: Option<Booking>,
    pub outbox: Vec<Outgoing>,
}
