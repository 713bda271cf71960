//! What was found, and the text with labels in its place.

use super::kind::{Kind, RiskLevel};

/// One finding. Holds places, never the value itself, so that it may be logged.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Finding {
    pub kind: Kind,
    /// Bytes of the text, on character boundaries.
    pub start: usize,
    pub end: usize,
    /// From 0 to 1.
    pub confidence: f32,
}

impl Finding {
    /// How grave it is.
    #[must_use]
    pub const fn risk(&self) -> RiskLevel {
        self.kind.risk()
    }
}

/// All findings of a text by their place; none overlaps another.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Findings(pub(super) Vec<Finding>);

impl Findings {
    /// The findings in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.0.iter()
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing was found.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The gravest risk.
    #[must_use]
    pub fn risk(&self) -> RiskLevel {
        self.iter().map(Finding::risk).max().unwrap_or_default()
    }

    /// Whether somebody may be about to hurt themselves: a person must take over, whatever else was found.
    #[must_use]
    pub fn must_escalate(&self) -> bool {
        self.iter().any(|finding| finding.kind == Kind::SelfHarm)
    }
}

impl<'a> IntoIterator for &'a Findings {
    type Item = &'a Finding;
    type IntoIter = std::slice::Iter<'a, Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// The text with `[SSN-REDACTED]` and the like for each finding that has a label. Findings that do not fit the text are
/// passed over.
#[must_use]
pub fn redact_labels(text: &str, findings: &Findings) -> String {
    replace(text, findings, |finding| finding.kind.label().map(str::to_owned))
}

/// The text with what `with` gives for each finding; the rest, and what it gives nothing for, stays to the byte.
pub(super) fn replace(
    text: &str,
    findings: &Findings,
    mut with: impl FnMut(&Finding) -> Option<String>,
) -> String {
    let mut out = String::with_capacity(text.len() + 16 * findings.len());
    let mut copied = 0;
    for finding in findings {
        let fits = finding.start >= copied && text.get(finding.start..finding.end).is_some();
        let Some(instead) = fits.then(|| with(finding)).flatten() else { continue };
        out.push_str(&text[copied..finding.start]);
        out.push_str(&instead);
        copied = finding.end;
    }
    out.push_str(&text[copied..]);
    out
}
