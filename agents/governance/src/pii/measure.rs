//! Recall and false alarms on texts whose personal data is marked: `My number is {phone|202-555-0143}.`

use super::{Category, Guardian, Kind, Settings};

/// One marked text, taken apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Marked {
    pub text: String,
    /// Kind and bytes of each value.
    pub values: Vec<(Kind, std::ops::Range<usize>)>,
}

/// Found and planted values of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Recall {
    pub found: usize,
    pub planted: usize,
}

impl Recall {
    /// From 0 to 1; 1 when nothing was planted.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of a test set")]
    pub fn share(self) -> f64 {
        if self.planted == 0 { 1.0 } else { self.found as f64 / self.planted as f64 }
    }
}

/// Reads a line; `None` where a mark is not closed or names no kind.
#[must_use]
pub fn marked(line: &str) -> Option<Marked> {
    let mut out = Marked { text: String::new(), values: Vec::new() };
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('{') {
        let (inside, after) = after.split_once('}')?;
        let (kind, value) = inside.split_once('|')?;
        out.text.push_str(before);
        let start = out.text.len();
        out.text.push_str(value);
        out.values.push((Kind::of(kind)?, start..out.text.len()));
        rest = after;
    }
    out.text.push_str(rest);
    Some(out)
}

/// The lines of a set without their language; lines that cannot be read are left out.
pub fn set(data: &str) -> impl Iterator<Item = Marked> {
    let lines = data.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| marked(line.split_once(' ')?.1))
}

/// Recall by kind, in the order of [`Kind::ALL`]: a value counts when findings of its kind cover all of it. With the
/// values that were missed.
#[must_use]
pub fn recall(guardian: &Guardian, texts: &[Marked]) -> (Vec<(Kind, Recall)>, Vec<String>) {
    let settings = Settings::default();
    let mut by_kind: Vec<(Kind, Recall)> =
        Kind::ALL.into_iter().map(|kind| (kind, Recall::default())).collect();
    let mut missed = Vec::new();
    for marked in texts {
        let findings = guardian.check(&marked.text, &settings);
        for (kind, range) in &marked.values {
            let recall = &mut by_kind[*kind as usize].1;
            recall.planted += 1;
            if findings.iter().any(|f| f.kind == *kind && f.start <= range.start && range.end <= f.end) {
                recall.found += 1;
            } else {
                missed.push(format!(
                    "{}: {}   {:?}",
                    kind.name(),
                    marked.text,
                    shown(&marked.text, &findings)
                ));
            }
        }
    }
    by_kind.retain(|(_, recall)| recall.planted > 0);
    (by_kind, missed)
}

/// Texts of a clean set in which personal data or secrets were found, with what was found.
#[must_use]
pub fn false_alarms(guardian: &Guardian, texts: &[&str]) -> Vec<String> {
    let settings = Settings::default();
    let alarm = |text: &&&str| {
        guardian
            .check(text, &settings)
            .iter()
            .any(|f| matches!(f.kind.category(), Category::Pii | Category::Secret))
    };
    texts
        .iter()
        .filter(alarm)
        .map(|text| format!("{text}   {:?}", shown(text, &guardian.check(text, &settings))))
        .collect()
}

fn shown(text: &str, findings: &super::Findings) -> Vec<String> {
    findings.iter().map(|f| format!("{}={}", f.kind.name(), &text[f.start..f.end])).collect()
}
