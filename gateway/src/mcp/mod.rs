//! The gateway as an MCP server: how often somebody may ask. What is asked and answered is in `api/mcp.rs`.

pub mod turnstile;
