//! Why a text of rules is not taken: where, what, and how to put it right.

use std::fmt;

use serde::Serialize;

/// A mistake in a text of rules. Shows as a message with the line, a caret under the column, and the fix.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, thiserror::Error)]
pub struct RuleError {
    /// `platform` or `tenant`.
    pub file: &'static str,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    pub message: String,
    pub fix: String,
    /// The line as it is written, cut to [`WIDEST`] characters around the column.
    pub excerpt: String,
    /// Column of the caret in the excerpt, from 0.
    caret: usize,
}

/// Characters of a line that are shown.
const WIDEST: usize = 100;

impl RuleError {
    /// `at`: bytes from the beginning of the text.
    pub(super) fn new(
        file: &'static str,
        text: &str,
        at: usize,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let before = &text[..at];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |n| n + 1);
        let column = text[start..at].chars().count();
        let whole = text[start..].lines().next().unwrap_or_default();
        let skip = column.saturating_sub(WIDEST / 2);
        let shown = |c: char| if c.is_control() { ' ' } else { c };
        Self {
            file,
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column + 1).unwrap_or(u32::MAX),
            message: message.into(),
            fix: fix.into(),
            excerpt: whole.chars().skip(skip).take(WIDEST).map(shown).collect(),
            caret: column - skip,
        }
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, message, fix, excerpt, caret } = self;
        write!(
            f,
            "{file} rules, line {line}, column {column}: {message}\n  {excerpt}\n  {:caret$}^\n{fix}",
            ""
        )
    }
}
