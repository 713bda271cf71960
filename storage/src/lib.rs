//! What outlives a call: calls and their log, passports, work items, knowledge, tenants and sign-in.
//!
//! [`Platform`] opens the data folder; [`Platform::tenant`] is the only way to a tenant's data. What a
//! [`TenantStore`] can do is said by the traits in [`store`], one per area. Whatever a caller said, and every
//! phone number, is sealed before it reaches the database (see [`zones`]).
//!
//! ```text
//! <data>/lock                 held while a process uses the folder
//! <data>/master.key           32 bytes, mode 0600; wraps every tenant's keys
//! <data>/platform.db          tenants, lines, users, tokens, wrapped keys, used nonces
//! <data>/tenants/<uuid>.db    one file per tenant
//! ```
//!
//! **A write that returned `Ok` survives a kill of the process**, and with [`Durability::Full`] a power cut too.

mod claim_pin;
mod clock;
#[cfg(test)]
mod conformance;
pub mod crypto;
pub mod error;
pub mod ids;
pub mod keys;
mod platform_records;
pub mod records;
pub mod references;
mod sqlite;
pub mod store;
pub mod tenancy;
pub mod transcript;
pub mod writer;
pub mod zones;

pub use claim_pin::PinHash;
pub use error::StorageError;
pub use ids::{CallId, DocumentId, PassportId, SessionId, SlotId, TenantId, TokenId, UserId, WorkItemId};
pub use platform_records::{
    ApiToken, IssuedToken, Line, NewTenant, NewToken, NewUser, RecordingConsent, Role, Session, Tenant, User,
};
pub use sqlite::{PlatformStore, TenantStore};
pub use store::{Auth, Calls, Claims, Directory, Knowledge, Passports, Settings, Slots, Turns, WorkItems};
pub use tenancy::{Durability, Platform, PlatformOptions};
pub use writer::{CallWriter, Durable};
