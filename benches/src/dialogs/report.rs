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
    [
        goals(verdicts),
        turns(verdicts),
        over_talk(verdicts),
        emergencies(verdicts, texts),
        languages(verdicts, texts),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn row(figure: &'static str, value: impl ToString, aim: &'static str) -> Row {
    Row { figure, value: value.to_string(), aim }
}

fn sum(verdicts: &[Verdict], what: fn(&Verdict) -> usize) -> usize {
    verdicts.iter().map(what).sum()
}

fn goals(verdicts: &[Verdict]) -> Vec<Row> {
    let corrections =
        Rate { hits: sum(verdicts, |v| v.corrections_taken), of: sum(verdicts, |v| v.corrections) };
    let rejected = format!("{} in {} calls", sum(verdicts, |v| v.rejected_filed), verdicts.len());
    vec![
        row("task success", Rate::of(verdicts, |v| v.success), "≥ 90 %"),
        row("without saying it again", Rate::of(verdicts, |v| v.success && v.said_again == 0), "≥ 75 %"),
        row("corrections taken", corrections, "≥ 90 %"),
        row("rejected values filed", rejected, "0"),
    ]
}

fn turns(verdicts: &[Verdict]) -> Vec<Row> {
    let said = || verdicts.iter().flat_map(|v| &v.utterances).filter(|said| said.is_speech);
    let opening = || said().filter(|said| said.is_opening);
    let rest = || said().filter(|said| !said.is_opening);
    let cut = |said: &&Answered| said.cut_off;
    let late = Rate { hits: sum(verdicts, |v| v.late), of: sum(verdicts, |v| v.frames) };
    vec![
        row(
            "openings with a pause of 0.6–1.2 s cut off",
            Rate::of(opening().filter(|s| s.has_pause), cut),
            "≤ 15 %",
        ),
        row("openings without one cut off", Rate::of(opening().filter(|s| !s.has_pause), cut), "≤ 4 %"),
        row("later turns cut off", Rate::of(rest(), cut), ""),
        row(
            "of all cut off: joined and taken as a whole",
            Rate::of(said().filter(cut), |s| s.joined),
            "≥ 95 %",
        ),
        row("response to the opening, p50 / p95", times(opening()), "< 1,100 / 1,600 ms"),
        row("response to the rest, p50 / p95", times(rest()), "< 700 / 1,200 ms"),
        row(
            "callers' frames sent over 40 ms late, by a busy machine",
            thousandths(late),
            "< 1 ‰, or no time counts",
        ),
    ]
}

fn over_talk(verdicts: &[Verdict]) -> Vec<Row> {
    let yields: Vec<Option<u64>> = verdicts.iter().flat_map(|v| v.yields.clone()).collect();
    let stops: Vec<u64> = yields.iter().filter_map(|ms| *ms).collect();
    let honored = Rate::of(yields, |ms| ms.is_some_and(|ms| ms <= 600));
    let nods =
        Rate { hits: sum(verdicts, |v| v.stopped_by_back_channel), of: sum(verdicts, |v| v.back_channels) };
    let alone = Rate { hits: sum(verdicts, |v| v.stopped_by_line), of: sum(verdicts, |v| v.undisturbed) };
    vec![
        row("interruptions honored within 600 ms", honored, "≥ 98 %"),
        row("onset to silence, p50 / p95", both(stops), ""),
        row("back-channels that stopped a reply", nods, "≤ 2 %"),
        row("replies stopped by noise, echo, television", alone, "≤ 2 %"),
    ]
}

fn emergencies(verdicts: &[Verdict], texts: &TextFigures) -> Vec<Row> {
    let told = Rate::of(verdicts.iter().filter_map(|v| v.emergency), |told| *told);
    let calm = verdicts.iter().filter(|v| v.emergency.is_none());
    let heard = Rate { hits: texts.emergencies_heard, of: texts.emergencies };
    let alarms = Rate { hits: texts.false_alarms, of: texts.ordinary };
    vec![
        row("emergencies at the first reply, spoken", told, "≥ 98 %"),
        row("other callers sent to 911", Rate::of(calm, |v| v.false_emergency), "≤ 1 %"),
        row("emergencies as text", heard, "≥ 98 %"),
        row("ordinary openings taken for one, text", alarms, "≤ 1 %"),
    ]
}

fn languages(verdicts: &[Verdict], texts: &TextFigures) -> Vec<Row> {
    let of = |language: &'static str| verdicts.iter().filter(move |v| v.language == language);
    let in_spanish = |language| Rate::of(of(language), |v| v.reply_spanish == Some(true));
    let clean = |v: &&Verdict| v.line == "clean";
    let found = Rate { hits: texts.questions_found, of: texts.questions };
    vec![
        row("Spanish answered in Spanish at the first reply", in_spanish("es"), "≥ 97 %"),
        row("English answered in Spanish", in_spanish("en"), "≤ 1 %"),
        row("English openings, words wrong", wrong(of("en").filter(clean)), "≤ 10 %"),
        row("the same on bad lines", wrong(of("en").filter(|v| !clean(v))), "≤ 15 %"),
        row("Spanish openings, words wrong", wrong(of("es")), ""),
        row("Spanish questions, English page in the top three", found, "≥ 75 %"),
    ]
}

/// A share of words; they are not independent, so no interval.
fn wrong<'a>(verdicts: impl Iterator<Item = &'a Verdict>) -> String {
    let (edits, words) =
        verdicts.fold((0, 0), |(edits, words), v| (edits + v.opening_edits, words + v.opening_words));
    if words == 0 {
        "none".into()
    } else {
        format!("{:.1} % of {words}", 100.0 * edits as f64 / words as f64)
    }
}

fn thousandths(rate: Rate) -> String {
    format!("{:.1} ‰ of {}", 1_000.0 * rate.hits as f64 / rate.of.max(1) as f64, rate.of)
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
