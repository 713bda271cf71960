//! What programs may do by themselves.

use super::source::Source;

/// Settings of tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tools {
    /// Level (1 to 5) of autonomy of programs that use our tools over MCP.
    pub autonomy: u8,
}

pub(super) fn read(s: &mut Source<'_>) -> Tools {
    let autonomy = s.number("tools.autonomy", None, 1..=5).and_then(|level| u8::try_from(level).ok());
    Tools { autonomy: autonomy.unwrap_or(1) }
}
