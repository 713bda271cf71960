//! A gateway with simulated engines, over its real wire.

mod alarms;
mod api;
mod audit;
mod call_list;
mod carrier;
mod listen;
mod mcp;
mod memory;
mod organisation;
mod outbox;
mod passports;
mod requests;
mod reviews;
mod rules;
mod settings;
mod take_over;
mod tenant_config;
mod text_checks;
mod understand;
mod validate;
mod whole_calls;
