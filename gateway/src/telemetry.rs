//! Logs, metrics and health. None of it ever holds caller text, numbers or tokens.

pub mod health;
pub mod logs;
pub mod metrics;
pub mod process;
pub mod request;
pub mod traces;
