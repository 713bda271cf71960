//! What is wrong with a configuration, all of it at once.

use std::fmt;

/// One setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The key as the operator wrote it: a variable name, or a TOML path with its file.
    pub key: String,
    pub what: String,
    pub fix: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.key, self.what, self.fix)
    }
}

/// Every problem that was found. Its text lists one a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(pub Vec<Problem>);

impl ConfigError {
    /// An error of one problem.
    pub fn one(key: impl Into<String>, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self(vec![Problem { key: key.into(), what: what.into(), fix: fix.into() }])
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [one] => write!(f, "configuration: {one}"),
            many => {
                write!(f, "configuration has {} problems:", many.len())?;
                many.iter().try_for_each(|problem| write!(f, "\n  - {problem}"))
            }
        }
    }
}

impl std::error::Error for ConfigError {}
