//! The process around the calls: command line, configuration, HTTP, and the composition of everything else.
//!
//! [`app::App`] holds what requests share; [`startup::Gateway`] starts one; [`router`] shows every route on one
//! screen. A call goes `webhooks` → `calls::accept` → `calls::run` → `pipeline::driver`.

// A failed unwrap is a failed test.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod alarms;
pub mod api;
pub mod app;
pub mod audit;
pub mod auth;
pub mod calls;
pub mod cli;
pub mod config;
pub mod console;
pub mod demo;
pub mod dialing;
pub mod document_reader;
pub mod error;
pub mod event_bus;
pub mod http_server;
pub mod limits;
pub mod maintenance;
pub mod mcp;
pub mod memory;
pub mod office;
pub mod outbox;
pub mod providers;
pub mod quarantined_tenants;
pub mod recording;
pub mod retention;
pub mod router;
pub mod routes;
pub mod scenario;
#[cfg(test)]
mod simulated;
pub mod startup;
pub mod supervisor;
pub mod telemetry;
pub mod tenant_config;
pub mod tenant_teams;
#[cfg(test)]
mod tests;
pub mod webhooks;
