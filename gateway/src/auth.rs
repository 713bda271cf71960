//! Who asks, and what they may do.

pub mod attempts;
pub mod by_password;
pub mod guard;
pub mod local;
pub mod openid;
pub mod origin;
pub mod pages;
pub mod pass;
pub mod passkey;
pub mod password;
pub mod permission;
pub mod person;
pub mod principal;
pub mod scope;
pub mod secrets;
pub mod session;
pub mod sign_in;

pub use permission::{
    Act, CheckText, DeleteRecordings, ForgetCallers, Listen, ManagePlatform, PlayRecordings, ReadAutonomy,
    ReadCalls, ReadKnowledge, ReadMemory, Record, SeeSelf, UsePhone, UseTools, WriteKnowledge, WriteTools,
};
pub use principal::{Kind, Principal};
pub use scope::Scoped;
