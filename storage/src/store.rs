//! What the stores can do, one trait per area. Every backend implements these and passes one conformance suite.
//!
//! Every method of a tenant's store sees that tenant's rows and no others. Writes are durable when they return.

use std::time::Duration;

use chrono::{DateTime, Utc};
use secrecy::SecretString;
use serde_json::Value;
use uuid::Uuid;

use crate::alarms::{Alarm, AlarmsDue};
use crate::attempts::{AttemptBegun, AttemptKey};
use crate::audit::{AuditEntry, AuditFilter, AuditPage, AuditRange};
use crate::backend::{Either, PlatformStore, TenantStore};
use crate::claim_pin::PinHash;
use crate::dials::{Dial, DialBegun, DialNews, DialResult, NewDial, NewDoNotCall};
use crate::document_records::{Document, DocumentHead, NewDocument, StoredChunk};
use crate::error::StorageError;
use crate::figures::{CallFigure, QuestionCount, ResponseTime, Span, Topic, Unanswered, WorkFigure};
use crate::ids::{
    CallId, DialId, DocumentId, HoldId, JobId, OutboxId, PasskeyId, PassportId, SessionId, TenantId, TokenId,
    TransferId, UserId, WaitId, WorkItemId,
};
use crate::job_records::{Job, JobFilter, NewJob};
use crate::outbox_records::{Lease, NewOutgoing, OutboxDecision, OutboxFilter, Outgoing, Settlement};
use crate::outreach::{NewConsent, NewOutreach, Outreach as Attempt, OutreachNews, OutreachResult, Purpose};
use crate::platform_records::{
    ApiToken, BegunBy, IssuedToken, KeptPassword, Line, NewOpenidUser, NewPasskey, NewToken, NewUser,
    OpenSession, OpenidNews, Passkey, Removal, Session, Tenant, User,
};
use crate::recordings::{KeptRecording, Recording, RecordingDeleted, RecordingKey};
use crate::records::{
    Booking, Call, CallFilter, Claim, LogRow, NewBooking, NewCall, NewPassport, NewWorkItem, Passport,
    PassportChange, PassportFilter, PassportHead, PlayoutRow, RecoveredCall, Slot, TranscriptTurn,
    TurnCommit, TurnCommitted, TurnCost, WorkFilter, WorkItem, WorkKind, WorkStatus,
};
use crate::retention::{Hold, NewHold, SweepLimits, Swept};
use crate::retries::Retries as FollowUps;
use crate::review_records::{
    AgentLevel, AutonomyChange, Calibration, Judgement, NewJudgement, NewReview, Review,
};
use crate::transfers::{NewTransfer, Transfer, TransferResult, TransferStage};
use crate::versions::{NewVersion, Version, VersionKind};
use crate::waits::{NewWait, Queue, Wait, WaitResult};
use crate::work_acts::{NewWorkAct, WorkAct, WorkActed};

type Result<T> = std::result::Result<T, StorageError>;

/// Declares a trait of async methods whose futures may move between threads, and hands them on from the public handle
/// to the back end that it holds.
macro_rules! store {
    (
        $(#[$meta:meta])* $name:ident of $handle:ident {
            $($(#[$fmeta:meta])* fn $f:ident(&self $(, $arg:ident: $ty:ty)*) -> $out:ty;)+
        }
    ) => {
        $(#[$meta])*
        pub trait $name: Send + Sync {
            $($(#[$fmeta])* fn $f(&self $(, $arg: $ty)*) -> impl Future<Output = Result<$out>> + Send;)+
        }

        impl $name for $handle {
            $(
                async fn $f(&self $(, $arg: $ty)*) -> Result<$out> {
                    match &self.0 {
                        Either::Sqlite(store) => store.$f($($arg),*).await,
                        Either::Postgres(store) => crate::postgres::answered(store.$f($($arg),*)).await,
                    }
                }
            )+
        }
    };
}

mod campaigns;
pub use campaigns::Campaigns;

// ---------------------------------------------------------------- of a tenant

store! {
    /// Calls and their append-only log. Text comes back raw: screen it before it leaves the sensitive zone.
    Calls of TenantStore {
        /// Registers a live call. `Taken` when the id or the carrier's name for it is known already.
        fn begin_call(&self, new: NewCall) -> Call;
        /// Appends to a call's log in one transaction; rows whose `seq` is on record already are ignored.
        /// Live turns use [`crate::CallWriter`] instead, which shares one commit among calls.
        fn append(&self, call: CallId, rows: &[LogRow]) -> ();
        /// Marks a live call as ended. `false`: it was ended already (nothing changes).
        fn end_call(&self, call: CallId, reason: &str, ended_at: DateTime<Utc>) -> bool;
        /// A call that ended because it was put through, or because its process or its stream broke off, goes on. `false`: it
        /// is no such call.
        fn resume_call(&self, call: CallId) -> bool;
        fn call(&self, id: CallId) -> Option<Call>;
        fn call_by_carrier_sid(&self, sid: &str) -> Option<Call>;
        fn list_calls(&self, filter: CallFilter) -> Vec<Call>;
        /// The other party's number, raw as it was given. For zone code only.
        fn caller_number(&self, call: CallId) -> Option<String>;
        /// The log, in order. For zone code only.
        fn call_log(&self, call: CallId) -> Vec<LogRow>;
        /// Who said what. `NotFound` for an unknown call.
        fn transcript(&self, call: CallId) -> Vec<TranscriptTurn>;
        /// The waterfalls of a call's turns, in order, as they were appended.
        fn latency(&self, call: CallId) -> Vec<Value>;
        /// What we planned to say and how far each segment got, in order.
        fn playout_ledger(&self, call: CallId) -> Vec<PlayoutRow>;
        /// What each turn cost, in order; turns that cost nothing are left out.
        fn turn_costs(&self, call: CallId) -> Vec<TurnCost>;
        /// What the calls that began at or after `from` have cost so far, millionths of a US dollar.
        fn spent_since(&self, from: DateTime<Utc>) -> u64;
        /// The calls that the last process of this node left live, without closing them: what else it left of each is put right
        /// first. Calls of ours that still ring are none: the carrier goes on with them.
        fn left_calls(&self) -> Vec<CallId>;
        /// Closes every call that the last process of this node left live, with the reason `interrupted`. Once, at
        /// start. Calls of other nodes on the same database are theirs and go on (see [`crate::NodeId`]).
        fn recover_live_calls(&self) -> Vec<RecoveredCall>;
    }
}

store! {
    /// What is counted: nothing personal, the newest first, at most so many.
    Figures of TenantStore {
        /// Calls that began in the span.
        fn call_figures(&self, span: Span, most: u32) -> Vec<CallFigure>;
        /// Work that was left in the span, and all that is not closed.
        fn work_figures(&self, span: Span, most: u32) -> Vec<WorkFigure>;
        /// Of the turns of the newest so many calls of the span.
        fn response_times(&self, span: Span, calls: u32) -> Vec<ResponseTime>;
        /// Questions of the span.
        fn question_count(&self, span: Span) -> QuestionCount;
        /// The pages that answered most of them.
        fn topics(&self, span: Span, most: u32) -> Vec<Topic>;
        /// Those that no page answered, the newest first.
        fn unanswered(&self, span: Span, most: u32) -> Vec<Unanswered>;
    }
}

store! {
    /// Work-item state under an optimistic lock.
    Passports of TenantStore {
        fn create_passport(&self, new: NewPassport) -> Passport;
        fn passport(&self, id: PassportId) -> Option<Passport>;
        /// Gives the new version, or `Conflict` with the expected and the found one.
        fn update_passport(&self, change: PassportChange) -> u32;
        fn list_passports(&self, filter: PassportFilter) -> Vec<PassportHead>;
    }
}

store! {
    /// Incidents, inspections, messages, escalations and call-backs.
    WorkItems of TenantStore {
        /// Files it, or gives the row filed earlier with the same key.
        /// `Taken` when the reference given belongs to another item.
        fn file_work_item(&self, new: NewWorkItem) -> WorkItem;
        /// By what the caller was told, in any spelling (`inc 4821`).
        fn work_item(&self, reference: &str) -> Option<WorkItem>;
        fn work_item_by_id(&self, id: WorkItemId) -> Option<WorkItem>;
        fn list_work_items(&self, filter: WorkFilter) -> Vec<WorkItem>;
        /// Makes a person's move, if it is possible as the item stands, and adds it to the history in the same transaction.
        /// `NotFound` when there is no such item.
        fn act_on_work_item(&self, act: NewWorkAct) -> WorkActed;
        /// What people did about an item, oldest first; the last 500.
        fn work_history(&self, id: WorkItemId) -> Vec<WorkAct>;
        /// Gives the changed item.
        fn set_work_status(&self, reference: &str, status: WorkStatus) -> WorkItem;
        /// A reference that is free now. Writes nothing, so a speculative run may draw one.
        fn draw_reference(&self, kind: WorkKind) -> String;
    }
}

store! {
    /// Requests that cannot wait and that nobody has.
    Alarms of TenantStore {
        /// Raises those that are due, each with its line in the history and its rows of the outbox in one transaction. Of
        /// several processes that ask at once, one raises it.
        fn raise_alarms(&self, due: AlarmsDue) -> Vec<Alarm>;
    }
}

store! {
    /// Calls that people have placed about requests, and who does not want to be called.
    Dials of TenantStore {
        /// Begins one, with its line in the request's history; whoever calls takes a request on that nobody has. `NotFound` when
        /// there is no such item.
        fn begin_dial(&self, new: NewDial) -> DialBegun;
        fn dial(&self, id: DialId) -> Option<Dial>;
        /// Whether a call of the carrier's is known as that to a person's own telephone.
        fn is_dial(&self, carrier_sid: &str) -> bool;
        /// Takes news in; the call as it is now. `None`: there is no such call.
        fn note_dial(&self, id: DialId, news: DialNews) -> Option<Dial>;
        /// Ends it, with its line in the history. `false`: it was ended before, and nothing changes.
        fn end_dial(&self, id: DialId, result: DialResult) -> bool;
        /// Those that are not over and of which nothing was heard since, oldest first.
        fn silent_dials(&self, since: DateTime<Utc>, limit: u32) -> Vec<Dial>;
        /// `Invalid` for what is no number.
        fn forbid_calls(&self, new: NewDoNotCall) -> ();
        /// `false`: the number was not on the list.
        fn allow_calls(&self, number: &str) -> bool;
        /// Whether a number is on the list, in any spelling.
        fn is_do_not_call(&self, number: &str) -> bool;
    }
}

store! {
    /// Recordings of calls: a row each. The sound is in files, see [`crate::recordings`].
    Recordings of TenantStore {
        /// Begins one, or goes on with the one of this call, under its key. `None`: the caller or somebody else had it deleted.
        fn begin_recording(&self, call: CallId) -> Option<RecordingKey>;
        fn recording(&self, call: CallId) -> Option<Recording>;
        /// `None`: there is none, or its key is gone.
        fn recording_key(&self, call: CallId) -> Option<RecordingKey>;
        /// Nothing more is added to it; so many frames could not be.
        fn capture_recording(&self, call: CallId, lost_frames: u64) -> ();
        /// What can be played is durable. `false`: it was deleted meanwhile.
        fn keep_recording(&self, call: CallId, kept: KeptRecording) -> bool;
        /// Deletes its key, for good, unless a legal hold is on the call. The files are to be removed after that.
        fn delete_recording(&self, call: CallId, reason: &str) -> RecordingDeleted;
        /// Those of this node that cannot be played yet, oldest first; live ones too, after all that are over.
        fn unencoded_recordings(&self, limit: u32) -> Vec<Recording>;
        /// Those that began before, and those that are to go anyway, unless a legal hold is on the call.
        fn old_recordings(&self, before: DateTime<Utc>, limit: u32) -> Vec<Recording>;
    }
}

store! {
    /// Calls that the agent places by itself, and who agreed to be called for what.
    Outreach of TenantStore {
        /// Begins one with the record of its call. `None`: the number is being called, or an unasked one is not the first about its
        /// request. `Invalid` without a number; `NotFound` where it is to be the next attempt and none waits.
        fn begin_outreach(&self, new: NewOutreach) -> Option<Attempt>;
        fn outreach(&self, id: CallId) -> Option<Attempt>;
        /// Takes news in; the call as it is now. `None`: there is no such call.
        fn note_outreach(&self, id: CallId, news: OutreachNews) -> Option<Attempt>;
        /// Ends it; unless somebody talked with the agent, its record too, with the result as its reason. Where another attempt
        /// follows it is due from now on. `false`: it was ended before, and nothing changes.
        fn end_outreach(&self, id: CallId, result: OutreachResult) -> bool;
        /// Whoever was called wants no more calls: their number is on the list. `source`: how they said so. `false`: no such call.
        fn opt_out(&self, id: CallId, source: &str) -> bool;
        /// A message is to be left on the machine that answered. `false`: it was before, or the call is over; also where somebody
        /// talks with the agent, unless it was the machine that `talked`.
        fn leave_message(&self, id: CallId, talked: bool) -> bool;
        /// Those that are not over and of which nothing was heard since, oldest first.
        fn silent_outreach(&self, since: DateTime<Utc>, limit: u32) -> Vec<Attempt>;
        /// A call and those that were made because it reached nobody, oldest first.
        fn attempts(&self, first: CallId) -> Vec<Attempt>;
        /// When calls to a number were placed since, newest first.
        fn outreach_since(&self, number: &str, since: DateTime<Utc>) -> Vec<DateTime<Utc>>;
        /// Open requests of a kind after this one that no call of ours was ever about, oldest first.
        fn uncalled(&self, kind: WorkKind, after: Option<WorkItemId>, limit: u32) -> Vec<WorkItem>;
        /// The last word counts. `Invalid` for what is no number.
        fn set_consent(&self, new: NewConsent) -> ();
        fn has_consent(&self, number: &str, purpose: Purpose) -> bool;
    }
}

store! {
    /// Attempts that follow a call of ours which reached nobody.
    Retries of TenantStore {
        /// Those of this call, where any were wanted.
        fn retries(&self, first: CallId) -> Option<FollowUps>;
        /// One that is due at this time, for whoever asks alone until then.
        fn claim_retry(&self, at: DateTime<Utc>, until: DateTime<Utc>) -> Option<FollowUps>;
        /// The next is made then. `false`: none waits.
        fn put_off_retry(&self, first: CallId, until: DateTime<Utc>, reason: &str) -> bool;
        /// None follows any more; the one that is being made goes on. `false`: none would have.
        fn stop_retries(&self, first: CallId, reason: &str) -> bool;
    }
}

store! {
    /// Calls that are put through to a person of the office.
    Transfers of TenantStore {
        /// Begins one. Another one of the call that is not over gives way.
        fn begin_transfer(&self, new: NewTransfer) -> Transfer;
        fn transfer(&self, id: TransferId) -> Option<Transfer>;
        /// Of one call, oldest first.
        fn transfers_of(&self, call: CallId) -> Vec<Transfer>;
        /// Those that are not over and of which nothing was heard since, oldest first.
        fn silent_transfers(&self, since: DateTime<Utc>, limit: u32) -> Vec<Transfer>;
        /// Takes news in: never back to an earlier stage, and the first name of the carrier's counts. `None`: there is none.
        fn note_transfer(
            &self,
            id: TransferId,
            stage: TransferStage,
            carrier_sid: Option<String>
        ) -> Option<Transfer>;
        /// `false`: it was ended before, and nothing changes.
        fn end_transfer(&self, id: TransferId, result: TransferResult) -> bool;
        /// What was asked for a call is taken back. `false`: nothing was, or it is over.
        fn drop_transfer(&self, call: CallId) -> bool;
        fn drop_notes(&self, id: TransferId) -> bool;
    }
}

store! {
    /// Callers who wait in line for a person of the office.
    Waits of TenantStore {
        /// Of a call that waits in this line already, that wait. A call waits in one line: another is left for it.
        fn join_queue(&self, new: NewWait) -> Wait;
        /// A call's last wait, over or not.
        fn wait_of(&self, call: CallId) -> Option<Wait>;
        /// A target's line as at this time, without those who were not heard of for [`crate::waits::ALIVE`].
        fn queue(&self, target: &str, at: DateTime<Utc>) -> Queue;
        /// Who waits in any line, line by line, the next of each first; as above.
        fn waiting(&self, at: DateTime<Utc>) -> Vec<Wait>;
        /// Those that are not over and were not heard of since, oldest first.
        fn silent_waits(&self, since: DateTime<Utc>, limit: u32) -> Vec<Wait>;
        /// Says that the caller is still held. `false`: the wait is over.
        fn hear_wait(&self, id: WaitId) -> bool;
        /// The caller told of an emergency. `false`: they do not wait.
        fn hurry_wait(&self, call: CallId) -> bool;
        /// The wait, as it ended now. `None`: the call does not wait.
        fn end_wait(&self, call: CallId, result: WaitResult) -> Option<Wait>;
        /// Begins a transfer, and ends the call's wait, where one of so many people at the target is there for it: none of them may
        /// be for who waits before it. Of two at once, one gets the last. `None`: nobody is there yet, and nothing changes.
        fn take_place(&self, new: NewTransfer, people: u32, at: DateTime<Utc>) -> Option<Transfer>;
    }
}

store! {
    /// After-action reviews, the agents' records, and their levels of autonomy.
    Reviews of TenantStore {
        /// Keeps a review with everything that follows from it. Outcomes are counted into the records. `false`: the
        /// passport was reviewed before, and nothing is written. `Conflict` when the passport changed meanwhile.
        fn file_review(&self, new: NewReview) -> bool;
        /// The review again, after people decided something at `unsettled_at`: its outcomes take the place of the earlier
        /// ones. `false`: it was settled by another, or they decided again, and nothing is written. `Conflict` as above.
        fn settle_review(&self, new: NewReview, unsettled_at: DateTime<Utc>) -> bool;
        /// Passports of which people decided something since their review, longest waiting first.
        fn unsettled(&self, limit: u32) -> Vec<PassportId>;
        fn review(&self, passport: PassportId) -> Option<Review>;
        /// Passports whose call is over, whose work and jobs are done and that have no review, oldest first.
        fn unreviewed(&self, limit: u32) -> Vec<PassportId>;
        /// Keeps somebody's word on a call; the review of its Passport is to be settled. `NotFound` without such a call.
        fn judge_call(&self, new: NewJudgement) -> Judgement;
        /// What people held of a call, oldest first.
        fn judgements(&self, call: CallId) -> Vec<Judgement>;
        /// By agent and kind of task.
        fn calibrations(&self) -> Vec<Calibration>;
        /// Newest first, 500 at most.
        fn autonomy_changes(&self) -> Vec<AutonomyChange>;
        /// Of every agent that ever moved, by its last move. Who is not in it is on the first. Fit for the start of a call.
        fn autonomy_levels(&self) -> Vec<AgentLevel>;
    }
}

store! {
    /// An agent turn's effects, all or nothing.
    Turns of TenantStore {
        /// Fails with `Conflict` (passport), or `Taken` (slot or reference); then nothing at all was written.
        fn commit_turn(&self, commit: TurnCommit) -> TurnCommitted;
    }
}

store! {
    /// The queue of work that outlives a call. `attempt` is the count of the claim that a worker holds: where it is not
    /// the newest any more, nothing is changed and the answer is `false`.
    Jobs of TenantStore {
        /// Files it, or gives the job filed earlier with the same key. A turn files its jobs with [`TurnCommit`].
        fn enqueue_job(&self, new: NewJob) -> Job;
        /// The job that is due the longest, leased; also one whose lease has run out.
        fn claim_job(&self, at: DateTime<Utc>, lease_until: DateTime<Utc>) -> Option<Job>;
        fn renew_job(&self, id: JobId, attempt: u32, lease_until: DateTime<Utc>) -> bool;
        /// Ends it and files what comes next, both or neither.
        fn finish_job(&self, id: JobId, attempt: u32, next: Option<NewJob>) -> bool;
        /// Puts it back, to be claimed again at `run_after`.
        fn retry_job(&self, id: JobId, attempt: u32, run_after: DateTime<Utc>) -> bool;
        /// Gives it up.
        fn fail_job(&self, id: JobId, attempt: u32) -> bool;
        /// Puts back what the last process of this node had claimed. Once, at start. How many.
        fn release_jobs(&self) -> u64;
        fn list_jobs(&self, filter: JobFilter) -> Vec<Job>;
    }
}

store! {
    /// Effects outside this program, on their way.
    Outbox of TenantStore {
        /// Keeps it, or gives the row kept earlier with the same key.
        fn put_outgoing(&self, new: NewOutgoing) -> Outgoing;
        fn outgoing(&self, id: OutboxId) -> Option<Outgoing>;
        fn list_outbox(&self, filter: OutboxFilter) -> Vec<Outgoing>;
        /// Takes effects that are due and that nobody else holds, soonest first.
        fn lease_outbox(&self, lease: Lease) -> Vec<Outgoing>;
        /// Writes down what came of sending. `false`: somebody else holds or settled it.
        fn settle_outgoing(&self, id: OutboxId, owner: Uuid, settlement: Settlement) -> bool;
        /// `NotFound`, or `Taken` when it was decided before.
        fn decide_outgoing(&self, decision: OutboxDecision) -> Outgoing;
    }
}

store! {
    /// Inspection appointments.
    Slots of TenantStore {
        /// Adds slots; ids that are known are left alone.
        fn insert_slots(&self, slots: &[Slot]) -> ();
        /// Slots nobody booked, soonest first. At most 500.
        fn free_slots(&self, from: DateTime<Utc>, limit: u32) -> Vec<Slot>;
        /// Makes these the slots from `from` on: free ones that are not among them go, those that are missing are
        /// added. Start and label tell which is which; what is booked stays.
        fn renew_slots(&self, slots: &[Slot], from: DateTime<Utc>) -> ();
        /// `Taken` when somebody else has it, `NotFound` when there is no such slot.
        fn book_slot(&self, booking: NewBooking) -> Booking;
    }
}

store! {
    /// Claims that callers ask about.
    Claims of TenantStore {
        /// Adds a claim, or replaces the one with the same number.
        fn insert_claim(&self, claim: Claim) -> ();
        /// By number, without regard to case, spaces and dashes. Verify the caller before telling anything of it.
        fn claim(&self, claim_number: &str) -> Option<Claim>;
        /// Gives a claim a PIN, or takes it away. `NotFound` when there is no such claim.
        fn set_claim_pin(&self, claim_number: &str, pin: Option<PinHash>) -> ();
        /// The hash of a claim's PIN; `None` also when there is no such claim.
        fn claim_pin(&self, claim_number: &str) -> Option<PinHash>;
    }
}

store! {
    /// The tenant's own documents. Not sensitive: kept in the clear.
    Knowledge of TenantStore {
        /// Keeps a document with its passages, in place of the one of the same source.
        fn replace_document(&self, document: NewDocument) -> DocumentId;
        fn document(&self, id: DocumentId) -> Option<Document>;
        fn list_documents(&self) -> Vec<DocumentHead>;
        /// `false`: there was none.
        fn delete_document(&self, id: DocumentId) -> bool;
        /// Every passage of the tenant, by document and position.
        fn all_chunks(&self) -> Vec<StoredChunk>;
    }
}

store! {
    /// Who did what. [`crate::TenantStore::audit`] appends; [`crate::audit::verify`] checks.
    Audit of TenantStore {
        /// The next entries of the chain, at most `limit`, and where it ends.
        fn audit_page(&self, after: u64, limit: u32) -> AuditPage;
        /// Newest first.
        fn list_audit(&self, filter: AuditFilter) -> Vec<AuditEntry>;
        /// Numbers of the first and the last entry that the filter lets through; `None` when there is none.
        fn audit_range(&self, filter: AuditFilter) -> Option<AuditRange>;
    }
}

store! {
    /// Legal holds, and the deletion of what is old. [`crate::audit`] hears of both from whoever asks for them.
    Retention of TenantStore {
        fn set_hold(&self, new: NewHold) -> Hold;
        /// Newest first, lifted ones too; 500 at most.
        fn holds(&self) -> Vec<Hold>;
        /// `NotFound` when there is no such hold, or it was lifted.
        fn lift_hold(&self, id: HoldId, by: &str) -> ();
        /// Deletes what is older than the limits and under no hold, so many at most. Call it until nothing went.
        fn sweep(&self, limits: SweepLimits) -> Swept;
    }
}

store! {
    /// Small values by name.
    Settings of TenantStore {
        fn setting(&self, key: &str) -> Option<Value>;
        fn put_setting(&self, key: &str, value: &Value) -> ();
        /// Adds one to a counter (from 0) and gives the sum.
        fn count_up(&self, counter: &str) -> i64;
        /// Whether the demo data was put in.
        fn seeded(&self) -> bool;
        fn mark_seeded(&self) -> ();
    }
}

store! {
    /// What a tenant keeps in versions.
    Versions of TenantStore {
        /// Keeps it with the settings that it puts, both or neither; its number. `Conflict` when another one was kept meanwhile.
        fn keep_version(&self, new: NewVersion) -> u32;
        fn version(&self, kind: VersionKind, name: &str, version: u32) -> Option<Version>;
        /// Newest first, those before a number.
        fn versions(&self, kind: VersionKind, name: &str, before: Option<u32>, limit: u32) -> Vec<Version>;
        /// The newest of each name, by name; also those that were taken away.
        fn newest_versions(&self, kind: VersionKind) -> Vec<Version>;
        /// Another number whenever something of this kind was kept. Cheap.
        fn version_stamp(&self, kind: VersionKind) -> i64;
    }
}

// ---------------------------------------------------------------- of the platform

store! {
    /// Tenants and the numbers that reach them. [`crate::Platform::create_tenant`] makes a tenant.
    Directory of PlatformStore {
        fn tenants(&self) -> Vec<Tenant>;
        fn tenant_by_id(&self, id: TenantId) -> Option<Tenant>;
        fn tenant_by_slug(&self, slug: &str) -> Option<Tenant>;
        /// Gives a tenant another name and time zone. `NotFound` when there is no such tenant.
        fn rename_tenant(&self, id: TenantId, name: &str, timezone: &str) -> ();
        /// Takes a line away. `false`: the tenant has no such line.
        fn remove_line(&self, tenant: TenantId, number: &str) -> bool;
        /// Adds a line, or replaces the one with the same number. `Taken` when it is another tenant's.
        fn put_line(&self, line: Line) -> ();
        /// By number, in any spelling that normalises to E.164.
        fn line(&self, number: &str) -> Option<Line>;
        fn lines(&self, tenant: TenantId) -> Vec<Line>;
    }
}

store! {
    /// Who failed to sign in, counted for all gateways. The time is the gateway's.
    Attempts of PlatformStore {
        /// Counts an attempt as failed, unless one of its keys has to wait. The login goes before the address.
        fn begin_attempt(&self, keys: Vec<AttemptKey>, now: DateTime<Utc>) -> AttemptBegun;
        /// An attempt that was counted was good: its login is forgotten, and one failure of its address.
        fn attempt_succeeded(&self, login: [u8; 32], address: [u8; 32], now: DateTime<Utc>) -> ();
        /// Deletes what is too old to count, and gives how much.
        fn forget_attempts(&self, now: DateTime<Utc>) -> u64;
    }
}

store! {
    /// Who may come in. Secrets are given out once and kept only as SHA-256 hashes.
    Auth of PlatformStore {
        /// `Taken` when the login is in use.
        fn create_user(&self, new: NewUser) -> User;
        fn user(&self, id: UserId) -> Option<User>;
        fn user_by_login(&self, login: &str) -> Option<User>;
        /// Of one tenant, or (`None`) of the platform itself.
        fn users(&self, tenant: Option<TenantId>) -> Vec<User>;
        /// Takes a user away, with sessions and links.
        fn remove_user(&self, tenant: Option<TenantId>, id: UserId) -> Removal;

        /// A one-time sign-in secret for a user.
        fn issue_link(&self, user: UserId, lives: Duration) -> SecretString;
        /// The user, once; `None` when used, expired or unknown.
        fn redeem_link(&self, secret: &str) -> Option<User>;

        /// A session secret for a signed-in user.
        fn create_session(&self, user: UserId, begun_by: BegunBy, lives: Duration) -> SecretString;
        /// The same for a user who signed in with an API token: the session ends when that is revoked or expires.
        fn create_token_session(&self, user: UserId, token: TokenId, lives: Duration) -> SecretString;
        /// `None` when ended, expired or unknown.
        fn session(&self, secret: &str) -> Option<Session>;
        fn end_session(&self, id: SessionId) -> ();
        /// Notes that a session is used now.
        fn session_used(&self, id: SessionId) -> ();

        fn create_token(&self, new: NewToken) -> IssuedToken;
        /// `None` when revoked, expired or unknown.
        fn token(&self, secret: &str) -> Option<ApiToken>;
        /// Of one tenant, or (`None`) of the platform itself. With revoked ones.
        fn tokens(&self, tenant: Option<TenantId>) -> Vec<ApiToken>;
        /// `false`: no such live token of that tenant.
        fn revoke_token(&self, tenant: Option<TenantId>, id: TokenId) -> bool;

        /// Uses a stream nonce up. `false`: it was used before. Forgotten some time after `expires_at`.
        fn use_nonce(&self, nonce: &str, expires_at: DateTime<Utc>) -> bool;
    }
}

store! {
    /// By what users prove who they are, and what they have open.
    Credentials of PlatformStore {
        fn password(&self, user: UserId) -> Option<KeptPassword>;
        /// A user's password from now on. Links and sessions of the old one end, but for `keep`.
        fn set_password(&self, user: UserId, hash: &str, keep: Option<SessionId>) -> ();
        /// Takes away all that a user signs in with, and ends links and sessions: only a new link lets them in again.
        fn reset_credentials(&self, user: UserId) -> ();
        /// Something for a device to sign, once: for a user who adds a passkey, or (`None`) for whoever signs in.
        fn issue_challenge(&self, user: Option<UserId>, lives: Duration) -> SecretString;
        /// `false`: it was not issued for this, is used, or is too old.
        fn use_challenge(&self, challenge: &str, user: Option<UserId>) -> bool;
        /// `Taken` when the device's key is known.
        fn add_passkey(&self, new: NewPasskey) -> Passkey;
        fn passkey(&self, credential_id: &[u8]) -> Option<Passkey>;
        /// In the order in which they were made.
        fn passkeys_of(&self, user: UserId) -> Vec<Passkey>;
        /// Notes a use. `false`: the count did not rise, though one of the two counts.
        fn passkey_used(&self, id: PasskeyId, uses: u32) -> bool;
        /// `false`: they have no such passkey; of removing one likewise.
        fn rename_passkey(&self, user: UserId, id: PasskeyId, name: &str) -> bool;
        fn remove_passkey(&self, user: UserId, id: PasskeyId) -> bool;
        /// The user of whom a provider outside speaks: made when they come for the first time, with role and tenant as given.
        fn openid_user(&self, new: NewOpenidUser) -> (User, Option<OpenidNews>);
        /// A user's sessions that have not ended, the one begun last first.
        fn sessions_of(&self, user: UserId) -> Vec<OpenSession>;
        /// Ends one session of a user. `false`: they have no such session.
        fn end_session_of(&self, user: UserId, id: SessionId) -> bool;
        /// Ends a user's sessions, but for `keep`.
        fn end_sessions_of(&self, user: UserId, keep: Option<SessionId>) -> ();
    }
}

/// Rows to give for a limit that was asked: 50 when none was, never more than 500.
pub(crate) fn page_size(limit: u32) -> i64 {
    match limit {
        0 => 50,
        n => i64::from(n.min(500)),
    }
}
