//! `quandura doctor`: is everything there that serving calls needs?

mod checks;
mod online;
mod outside;

use std::borrow::Cow;
use std::fmt;

use anyhow::bail;
use serde::Serialize;

use super::args;
use crate::config::Config;

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Ok,
    /// Calls are served, but not as they could be.
    Warn,
    /// No call can be served.
    Fail,
}

/// One check.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    pub name: Cow<'static, str>,
    pub verdict: Verdict,
    pub detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

impl Check {
    pub fn ok(name: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        Self { name: name.into(), verdict: Verdict::Ok, detail: detail.into(), fix: None }
    }

    pub fn warn(
        name: impl Into<Cow<'static, str>>,
        detail: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { name: name.into(), verdict: Verdict::Warn, detail: detail.into(), fix: Some(fix.into()) }
    }

    pub fn fail(
        name: impl Into<Cow<'static, str>>,
        detail: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { name: name.into(), verdict: Verdict::Fail, detail: detail.into(), fix: Some(fix.into()) }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.verdict {
            Verdict::Ok => "ok  ",
            Verdict::Warn => "warn",
            Verdict::Fail => "FAIL",
        };
        write!(f, "{verdict}  {:<16} {}", self.name, self.detail)?;
        match &self.fix {
            Some(fix) => write!(f, "\n      {:<16} -> {fix}", ""),
            None => Ok(()),
        }
    }
}

/// Runs every check, and fails when one does.
pub async fn run(config: &Config, args: &args::Doctor) -> anyhow::Result<()> {
    let checks = checks::all(config, args.online).await;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&checks)?);
    } else {
        checks.iter().for_each(|check| println!("{check}"));
    }
    match checks.iter().filter(|check| check.verdict == Verdict::Fail).count() {
        0 => Ok(()),
        n => bail!("{n} of {} checks failed: see the fix beside each", checks.len()),
    }
}
