//! A gateway with simulated engines, over its real wire.

mod api;
mod carrier;
mod settings;
mod text_checks;
mod whole_calls;
