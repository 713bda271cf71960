//! The one table.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Value, json};

use super::texts::TextFigures;
use super::verdict::{Answered, Verdict};

/// Below this many, a rate is given with its 95 % interval.
const FEW: usize = 200;

/// A count out of many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Rate {
    pub hits: usize,
    pub of: usize,
}

impl Rate {
    /// How many of these are so.
    pub fn of<T>(all: impl IntoIterator<Item = T>, is: impl Fn(&T) -> bool) -> Self {
        let mut rate = Self::default();
        for one in all {
            rate.of += 1;
            rate.hits += usize::from(is(&one));
        }
        rate
    }

    /// Wilson's 95 % interval, in percent.
    #[must_use]
    pub fn interval(self) -> (f64, f64) {
        const Z: f64 = 1.96;
        if self.of == 0 {
            return (0.0, 100.0);
        }
        let (n, p) = (self.of as f64, self.hits as f64 / self.of as f64);
        let centre = p + Z * Z / (2.0 * n);
        let spread = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 100.0 / (1.0 + Z * Z / n);
        (((centre - spread) * scale).max(0.0), ((centre + spread) * scale).min(100.0))
    }
}

impl std::fmt::Display for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.of == 0 {
            return f.write_str("none");
        }
        let percent = 100.0 * self.hits as f64 / self.of as f64;
        write!(f, "{percent:.0} % ({} of {}", self.hits, self.of)?;
        if self.of < FEW {
            let (low, high) = self.interval();
            write!(f, "; {low:.0}–{high:.0}")?;
        }
        f.write_str(")")
    }
}

/// One line of the table.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub figure: &'static str,
    pub value: String,
    pub aim: &'static str,
}

/// Everything that was measured.
#[must_use]
pub fn rows(verdicts: &[Verdict], texts: &TextFigures) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut row = |figure, value: String, aim| rows.push(Row { figure, value, aim });
    let said = || verdicts.iter().flat_map(|v| &v.utterances).filter(|said| said.is_speech);
    let opening = || said().filter(|said| said.is_opening);
    let rest = || said().filter(|said| !said.is_opening);
    let sum = |what: fn(&Verdict) -> usize| verdicts.iter().map(what).sum::<usize>();
    let rate = |hits, of| Rate { hits, of };

    row("task success", Rate::of(verdicts, |v| v.success).to_string(), "≥ 90 %");
    row(
        "without saying it again",
        Rate::of(verdicts, |v| v.success && v.said_again == 0).to_string(),
        "≥ 75 %",
    );
    let with_pause = Rate::of(opening().filter(|said| said.has_pause), |said| said.cut_off);
    row("openings with a pause of 0.6–1.2 s cut off", with_pause.to_string(), "≤ 15 %");
    let without = Rate::of(opening().filter(|said| !said.has_pause), |said| said.cut_off);
    row("openings without one cut off", without.to_string(), "≤ 4 %");
    row("later turns cut off", Rate::of(rest(), |said| said.cut_off).to_string(), "");
    row(
        "of all cut off: joined and taken as a whole",
        Rate::of(said().filter(|s| s.cut_off), |s| s.joined).to_string(),
        "≥ 95 %",
    );
    row("response to the opening, p50 / p95", times(opening()), "< 1,100 / 1,600 ms");
    row("response to the rest, p50 / p95", times(rest()), "< 700 / 1,200 ms");
    let yields: Vec<&Option<u64>> = verdicts.iter().flat_map(|v| &v.yields).collect();
    row(
        "interruptions honored within 600 ms",
        Rate::of(&yields, |ms| ms.is_some_and(|ms| ms <= 600)).to_string(),
        "≥ 98 %",
    );
    let stops: Vec<u64> = yields.iter().filter_map(|ms| **ms).collect();
    row("onset to silence, p50 / p95", both(stops), "");
    row(
        "back-channels that stopped a reply",
        rate(sum(|v| v.stopped_by_back_channel), sum(|v| v.back_channels)).to_string(),
        "≤ 2 %",
    );
    row(
        "replies stopped by noise, echo, television",
        rate(sum(|v| v.stopped_by_line), sum(|v| v.undisturbed)).to_string(),
        "≤ 2 %",
    );
    row(
        "corrections taken",
        rate(sum(|v| v.corrections_taken), sum(|v| v.corrections)).to_string(),
        "≥ 90 %",
    );
    row("rejected values filed", format!("{} in {} calls", sum(|v| v.rejected_filed), verdicts.len()), "0");
    let told = Rate::of(verdicts.iter().filter_map(|v| v.emergency), |told| *told);
    row("emergencies at the first reply, spoken", told.to_string(), "≥ 98 %");
    let calm = verdicts.iter().filter(|v| v.emergency.is_none());
    row("other callers sent to 911", Rate::of(calm, |v| v.false_emergency).to_string(), "≤ 1 %");
    if texts.no_route {
        row(
            "emergencies and ordinary openings, text",
            "not measured: no POST /v1/understand".into(),
            "≥ 98 %, ≤ 1 %",
        );
    } else {
        row("emergencies, text", rate(texts.emergencies_heard, texts.emergencies).to_string(), "≥ 98 %");
        row(
            "ordinary openings taken for one, text",
            rate(texts.false_alarms, texts.ordinary).to_string(),
            "≤ 1 %",
        );
    }
    let spanish = |language: &'static str| verdicts.iter().filter(move |v| v.language == language);
    row(
        "Spanish answered in Spanish at the first reply",
        Rate::of(spanish("es"), |v| v.reply_spanish == Some(true)).to_string(),
        "≥ 97 %",
    );
    row(
        "English answered in Spanish",
        Rate::of(spanish("en"), |v| v.reply_spanish == Some(true)).to_string(),
        "≤ 1 %",
    );
    for (figure, bad, aim) in
        [("English openings, words wrong", false, "≤ 10 %"), ("the same on bad lines", true, "≤ 15 %")]
    {
        let heard = || spanish("en").filter(|v| (v.line != "clean") == bad);
        let (edits, words) =
            (heard().map(|v| v.opening_edits).sum(), heard().map(|v| v.opening_words).sum::<usize>());
        row(figure, share(edits, words), aim);
    }
    let (edits, words) =
        (spanish("es").map(|v| v.opening_edits).sum(), spanish("es").map(|v| v.opening_words).sum());
    row("Spanish openings, words wrong", share(edits, words), "");
    row(
        "Spanish questions, English page in the top three",
        rate(texts.questions_found, texts.questions).to_string(),
        "≥ 75 %",
    );
    rows
}

/// A share of words; they are not independent, so no interval.
fn share(edits: usize, words: usize) -> String {
    if words == 0 {
        "none".into()
    } else {
        format!("{:.1} % of {words}", 100.0 * edits as f64 / words as f64)
    }
}

fn times<'a>(said: impl Iterator<Item = &'a Answered>) -> String {
    both(said.filter(|said| !said.cut_off).filter_map(|said| said.response_ms).collect())
}

fn both(mut all: Vec<u64>) -> String {
    if all.is_empty() {
        return "none".into();
    }
    all.sort_unstable();
    let quantile = |share: f64| all[((all.len() as f64 * share).ceil() as usize).clamp(1, all.len()) - 1];
    format!("{} / {} ms (n {})", quantile(0.5), quantile(0.95), all.len())
}

/// Success by a class of calls.
fn classes(verdicts: &[Verdict]) -> Vec<(&'static str, BTreeMap<&str, Rate>)> {
    let by = |class: fn(&Verdict) -> &str| {
        let mut rates: BTreeMap<&str, Rate> = BTreeMap::new();
        for verdict in verdicts {
            let rate = rates.entry(class(verdict)).or_default();
            rate.of += 1;
            rate.hits += usize::from(verdict.success);
        }
        rates
    };
    vec![
        ("kind", by(|v| &v.kind)),
        ("language", by(|v| &v.language)),
        ("line", by(|v| &v.line)),
        ("voice", by(|v| &v.voice)),
    ]
}

/// The table as Markdown.
#[must_use]
pub fn table(verdicts: &[Verdict], texts: &TextFigures, title: &str) -> String {
    let mut out = format!("\n{title}\n\n| figure | measured | aim |\n|---|---|---|\n");
    for row in rows(verdicts, texts) {
        let _ = writeln!(out, "| {} | {} | {} |", row.figure, row.value, row.aim);
    }
    for (class, rates) in classes(verdicts) {
        let each = rates.iter().map(|(name, rate)| format!("{name} {} of {}", rate.hits, rate.of));
        let _ = writeln!(out, "| success by {class} | {} | |", each.collect::<Vec<_>>().join(", "));
    }
    out
}

/// The same and every call, for programs.
#[must_use]
pub fn json(verdicts: &[Verdict], texts: &TextFigures, title: &str) -> Value {
    json!({ "title": title, "figures": rows(verdicts, texts), "texts": texts, "calls": verdicts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_of_few_has_its_interval() {
        let rate = Rate { hits: 34, of: 54 };
        let (low, high) = rate.interval();
        assert!((low - 49.6).abs() < 0.2 && (high - 74.6).abs() < 0.2, "{low} {high}");
        assert_eq!(rate.to_string(), "63 % (34 of 54; 50–75)");
        assert_eq!(Rate { hits: 1, of: 400 }.to_string(), "0 % (1 of 400)");
        assert_eq!(Rate::default().to_string(), "none");
    }

    #[test]
    fn quantiles_are_values_that_occurred() {
        assert_eq!(both(vec![100, 300, 200, 400]), "200 / 400 ms (n 4)");
        assert_eq!(both(Vec::new()), "none");
    }
}
