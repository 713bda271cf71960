//! The gateway as an MCP server: who is in a session, and how often they may ask. The protocol's shapes are in
//! `api/mcp.rs`.

pub mod sessions;
pub mod turnstile;
