#![allow(clippy::unwrap_used, clippy::expect_used)]

mod dev;
mod language;
mod loading;
mod properties;
mod shipped;

use super::*;
use crate::seed;

/// The shipped rules on the demo county.
fn shipped() -> RuleSet {
    RuleSet::load("", &facts()).unwrap()
}

fn facts() -> crate::TenantFacts {
    county().facts
}

fn county() -> seed::Seed {
    seed::riverbend(chrono::DateTime::UNIX_EPOCH).unwrap()
}

fn ids(violations: &[Violation]) -> Vec<&str> {
    violations.iter().map(|v| v.rule.id.as_str()).collect()
}
