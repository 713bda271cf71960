//! What outlives a call: calls and their log, passports, work items, knowledge, tenants and sign-in.
//!
//! [`Platform`] opens the data folder, and with [`PostgresOptions`] a PostgreSQL database beside it; [`Platform::tenant`] is the only way to a tenant's data. What a
//! [`TenantStore`] can do is said by the traits in [`store`], one per area. Whatever a caller said, and every
//! phone number, is sealed before it reaches the database (see [`zones`]).
//!
//! ```text
//! <data>/lock                 held while a process uses the folder
//! <data>/master.key           32 bytes, mode 0600; wraps every tenant's keys
//! <data>/audit/<uuid>.head    where each tenant's audit ended when this process last wrote to it
//! <data>/node.id              which process this is, among those that share a database
//! <data>/platform.db          tenants, lines, users, tokens, wrapped keys, used nonces
//! <data>/tenants/<uuid>.db    one file per tenant
//! <data>/recordings/          sound of calls, sealed (see [`recordings`])
//! ```
//!
//! With PostgreSQL the last two are tables of one database. Row-level security keeps the tenants apart there, on top
//! of the `tenant_id` in every statement.
//!
//! **A write that returned `Ok` survives a kill of the process**, and with [`Durability::Full`] a power cut too.

pub mod alarms;
pub mod attempts;
pub mod audit;
mod backend;
pub mod campaigns;
mod claim_pin;
mod clock;
#[cfg(test)]
mod conformance;
pub mod crypto;
pub mod dials;
pub mod document_records;
pub mod error;
pub mod figures;
pub mod ids;
mod job_records;
mod kept;
pub mod keys;
pub mod memory;
mod node;
pub mod organisation;
pub mod outbox_records;
pub mod outreach;
mod platform_records;
mod postgres;
pub mod recordings;
pub mod records;
pub mod references;
pub mod retention;
pub mod retries;
pub mod review_records;
mod sqlite;
pub mod store;
pub mod tenancy;
pub mod transcript;
pub mod transfers;
pub mod versions;
pub mod waits;
pub mod work_acts;
pub mod writer;
pub mod zones;

pub use backend::{Backend, PlatformStore, TenantStore};
pub use claim_pin::PinHash;
pub use error::StorageError;
pub use ids::{
    CallId, CampaignEntryId, CampaignId, ContactId, DecisionId, DialId, DocumentId, HoldId, JobId, MemoryId,
    MemoryNodeId, NodeId, NoteId, OutboxId, PasskeyId, PassportId, RecordId, SessionId, SlotId, SuggestionId,
    TaskRecordId, TenantId, TokenId, TransferId, UserId, WaitId, WorkActId, WorkItemId,
};
pub use job_records::{Job, JobFilter, JobState, NewJob};
pub use platform_records::{
    ApiToken, BegunBy, IssuedToken, KeptPassword, LOCAL_LOGIN, Line, NewOpenidUser, NewPasskey, NewTenant,
    NewToken, NewUser, OpenSession, OpenidNews, Passkey, RecordingConsent, Removal, Role, Session, Tenant,
    User,
};
pub use postgres::{PostgresOptions, Probe};
pub use store::{
    Alarms, Attempts, Audit, Auth, Calls, Campaigns, Claims, Credentials, Dials, Directory, Figures, Jobs,
    Knowledge, Outbox, Outreach, Passports, Recordings, Retention, Retries, Reviews, Settings, Slots,
    Transfers, Turns, Versions, Waits, WorkItems,
};
pub use tenancy::{Durability, PLATFORM_SLUG, Platform, PlatformOptions, StartTurn, check_files};
pub use writer::{CallWriter, Durable};
