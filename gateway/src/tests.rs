//! A gateway with simulated engines, over its real wire.

mod alarms;
mod answer;
mod api;
mod audit;
mod call_back;
mod call_list;
mod campaigns;
mod carrier;
mod carrier_control;
mod due_follow_ups;
mod due_reminders;
mod every_route;
mod listen;
mod mcp;
mod memory;
mod notes;
mod openid;
mod organisation;
mod outbox;
mod outreach;
mod passkeys;
mod passports;
mod queue;
mod recording;
mod reminder;
mod requests;
mod retries;
mod reviews;
mod rules;
mod settings;
mod sign_in;
mod take_over;
mod teams;
mod telnyx;
mod tenant_calendar;
mod tenant_config;
mod tenant_config_teams;
mod tenant_versions;
mod text_checks;
mod transfer;
mod understand;
mod validate;
mod voicemail;
mod whole_calls;

/// The carrier, played by the same server as in the tests of the whole.
#[path = "../../tests/src/carrier.rs"]
#[allow(dead_code, reason = "shared with the tests of the whole, which use more of it")]
mod simulated_carrier;
