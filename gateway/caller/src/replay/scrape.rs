//! Reads what a gateway says of itself: Prometheus text, or the process table of this machine.

use std::time::Duration;

use anyhow::{Context, bail};
use reqwest::Client;
use secrecy::{ExposeSecret, SecretString};

/// Longest wait for the metrics.
const ANSWER: Duration = Duration::from_secs(5);
/// Clock ticks in which Linux counts CPU time, a second.
const TICKS_PER_S: f64 = 100.0;
const CPU: &str = "process_cpu_seconds_total";
const RESIDENT: &str = "process_resident_memory_bytes";

/// Where a gateway's figures come from.
#[derive(Debug)]
pub struct Observer {
    pub http: Client,
    /// Address of the gateway.
    pub base: String,
    pub token: Option<SecretString>,
    /// Its process, when it runs on this machine and is named.
    pub pid: Option<u32>,
}

/// A gateway's figures at one moment. What it does not tell is `None`.
#[derive(Clone, Debug, Default)]
pub struct Look {
    pub metrics: Metrics,
    pub cpu_seconds: Option<f64>,
    pub resident_bytes: Option<f64>,
}

impl Observer {
    /// Looks once. A gateway that tells nothing is no error.
    pub async fn look(&self) -> Look {
        let metrics = self.metrics().await.unwrap_or_default();
        match self.pid {
            Some(pid) => Look { metrics, cpu_seconds: cpu_seconds(pid), resident_bytes: resident_bytes(pid) },
            None => {
                let (cpu_seconds, resident_bytes) = (metrics.sum(CPU), metrics.sum(RESIDENT));
                Look { metrics, cpu_seconds, resident_bytes }
            }
        }
    }

    async fn metrics(&self) -> anyhow::Result<Metrics> {
        let mut request = self.http.get(format!("{}/metrics", self.base)).timeout(ANSWER);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token.expose_secret());
        }
        let answer = request.send().await.context("no metrics")?;
        if !answer.status().is_success() {
            bail!("no metrics: status {}", answer.status());
        }
        Ok(Metrics::parse(&answer.text().await?))
    }
}

/// CPU time that a process of this machine has used, seconds.
#[must_use]
pub fn cpu_seconds(pid: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything; user and system time are the 12th and 13th field after it.
    let mut fields = stat.rsplit(')').next()?.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS_PER_S)
}

/// Memory of a process of this machine that is in RAM, bytes.
#[must_use]
pub fn resident_bytes(pid: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<f64>().ok().map(|kib| kib * 1_024.0)
}

/// Samples of one scrape.
#[derive(Clone, Debug, Default)]
pub struct Metrics(Vec<Sample>);

#[derive(Clone, Debug)]
struct Sample {
    name: String,
    labels: Vec<(String, String)>,
    value: f64,
}

impl Sample {
    fn label(&self, name: &str) -> Option<&str> {
        self.labels.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

impl Metrics {
    /// Reads the text format; lines that are none are skipped.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        Self(text.lines().filter(|line| !line.starts_with('#')).filter_map(sample).collect())
    }

    /// A metric summed over its labels.
    #[must_use]
    pub fn sum(&self, name: &str) -> Option<f64> {
        let mut values = self.0.iter().filter(|s| s.name == name).map(|s| s.value).peekable();
        values.peek()?;
        Some(values.sum())
    }

    /// Values that a label of a histogram takes, in order, each once.
    #[must_use]
    pub fn values(&self, histogram: &str, label: &str) -> Vec<String> {
        let counts = format!("{histogram}_count");
        let of = |s: &Sample| s.label(label).map(str::to_owned);
        let mut values: Vec<String> = self.0.iter().filter(|s| s.name == counts).filter_map(of).collect();
        values.sort();
        values.dedup();
        values
    }

    /// A histogram, over all its labels or those with one value.
    #[must_use]
    pub fn buckets(&self, histogram: &str, label: Option<(&str, &str)>) -> Buckets {
        let name = format!("{histogram}_bucket");
        let mut buckets = Buckets::default();
        for sample in self.0.iter().filter(|s| s.name == name) {
            let wanted = label.is_none_or(|(name, value)| sample.label(name) == Some(value));
            if let Some(bound) = sample.label("le").and_then(|le| le.parse().ok()).filter(|_| wanted) {
                buckets.add(bound, sample.value);
            }
        }
        buckets
    }
}

/// `name{label="value",…} number`
fn sample(line: &str) -> Option<Sample> {
    let (head, value) = line.rsplit_once(' ')?;
    let value = value.parse().ok()?;
    let Some((name, labels)) = head.split_once('{') else {
        return Some(Sample { name: head.to_owned(), labels: Vec::new(), value });
    };
    let label = |part: &str| {
        let (name, value) = part.split_once("=\"")?;
        Some((name.trim_start_matches(',').to_owned(), value.to_owned()))
    };
    let labels = labels.trim_end_matches('}').split_inclusive('"').collect::<Vec<_>>();
    let pairs = labels.chunks(2).filter_map(|pair| label(pair.concat().trim_end_matches('"')));
    Some(Sample { name: name.to_owned(), labels: pairs.collect(), value })
}

/// A cumulative histogram.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Buckets(Vec<(f64, f64)>);

impl Buckets {
    fn add(&mut self, bound: f64, count: f64) {
        match self.0.binary_search_by(|(b, _)| b.total_cmp(&bound)) {
            Ok(at) => self.0[at].1 += count,
            Err(at) => self.0.insert(at, (bound, count)),
        }
    }

    /// What came since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let before = |bound: f64| earlier.0.iter().find(|(b, _)| *b == bound).map_or(0.0, |(_, n)| *n);
        Self(self.0.iter().map(|(bound, n)| (*bound, (n - before(*bound)).max(0.0))).collect())
    }

    #[must_use]
    pub fn count(&self) -> f64 {
        self.0.last().map_or(0.0, |(_, n)| *n)
    }

    /// The value below which this share (0–1) of all lies, evenly spread within its bucket; `None` when there is
    /// nothing. What lies beyond the last bound counts as the last bound.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let rank = self.count() * share;
        if self.count() <= 0.0 {
            return None;
        }
        let (mut from, mut below) = (0.0, 0.0);
        for (bound, n) in &self.0 {
            if *n >= rank && *n > below {
                let width = if bound.is_finite() { bound - from } else { 0.0 };
                return Some(from + width * (rank - below).max(0.0) / (n - below));
            }
            (from, below) = (*bound, *n);
        }
        Some(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total 12.5
calls_total{reason=\"a\"} 3
calls_total{reason=\"b\"} 4
stage_seconds_bucket{stage=\"x\",le=\"0.1\"} 10
stage_seconds_bucket{stage=\"x\",le=\"0.2\"} 20
stage_seconds_bucket{stage=\"x\",le=\"+Inf\"} 20
stage_seconds_count{stage=\"x\"} 20
stage_seconds_bucket{stage=\"y, z\",le=\"0.1\"} 0
stage_seconds_bucket{stage=\"y, z\",le=\"0.2\"} 5
stage_seconds_bucket{stage=\"y, z\",le=\"+Inf\"} 6
stage_seconds_count{stage=\"y, z\"} 6
";

    #[test]
    fn values_are_summed_over_their_labels() {
        let metrics = Metrics::parse(TEXT);
        assert_eq!(metrics.sum("process_cpu_seconds_total"), Some(12.5));
        assert_eq!(metrics.sum("calls_total"), Some(7.0));
        assert_eq!(metrics.sum("calls"), None);
        assert_eq!(metrics.values("stage_seconds", "stage"), ["x", "y, z"]);
    }

    #[test]
    fn quantiles_lie_within_their_bucket_and_only_what_came_since_counts() {
        let metrics = Metrics::parse(TEXT);
        let x = metrics.buckets("stage_seconds", Some(("stage", "x")));
        assert_eq!(x.quantile(0.5), Some(0.1));
        assert!((x.quantile(0.75).unwrap() - 0.15).abs() < 1e-9);
        assert_eq!(metrics.buckets("stage_seconds", None).count(), 26.0);
        let y = metrics.buckets("stage_seconds", Some(("stage", "y, z")));
        assert_eq!(y.quantile(0.99), Some(0.2), "beyond the last bound");
        assert!((y.quantile(0.4).unwrap() - 0.148).abs() < 1e-9);
        assert_eq!(x.since(&x).quantile(0.5), None);
        let earlier =
            Metrics::parse("stage_seconds_bucket{stage=\"x\",le=\"0.1\"} 10").buckets("stage_seconds", None);
        assert_eq!(x.since(&earlier).count(), 20.0);
    }

    #[test]
    fn this_process_has_used_time_and_memory() {
        let pid = std::process::id();
        assert!(cpu_seconds(pid).is_some_and(|s| s >= 0.0));
        assert!(resident_bytes(pid).is_some_and(|bytes| bytes > 1e6));
        assert_eq!(cpu_seconds(u32::MAX), None);
    }
}
