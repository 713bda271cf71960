#![allow(clippy::unwrap_used, clippy::expect_used)]

mod dev;
mod language;
mod loading;
mod meaning;
mod properties;
mod shipped;

use super::*;
use crate::county;

/// The shipped rules on the demo county.
fn shipped() -> RuleSet {
    RuleSet::load("", &county::numbers()).unwrap()
}

fn ids(violations: &[Violation]) -> Vec<&str> {
    violations.iter().map(|v| v.rule.id.as_str()).collect()
}
