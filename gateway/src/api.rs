//! The HTTP API, one file a resource. Shapes of the wire live here and nowhere else.

pub mod audit;
pub mod calls;
pub mod capabilities;
pub mod control;
pub mod events;
pub mod knowledge;
pub mod mcp;
pub mod me;
pub mod openapi;
pub mod organisation;
pub mod organisation_types;
pub mod page;
pub mod passport;
pub mod passports;
pub mod phone;
pub mod record;
pub mod rules;
pub mod screened;
pub mod tenant_settings;
pub mod tenants;
pub mod text_checks;
pub mod tokens;
pub mod transcript;
pub mod users;
pub mod validate;
pub mod work_items;
