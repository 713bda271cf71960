//! How a policy of turn ends does on both axes: how often it ends a turn that goes on, and how long it lets a caller
//! wait who is finished.

/// What a policy made of one turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Number of the turn in the set.
    pub turn: usize,
    pub held_out: bool,
    /// When the turn was ended although it went on, ms.
    pub early_ms: Option<u64>,
    /// Our reply was begun while the caller was not finished.
    pub heard: bool,
    /// Ended early, and the words were put together again: the reply that stands answers all of them.
    pub joined: bool,
    /// From the last word to the turn's end, ms, where it was not ended early. `None` otherwise, or never.
    pub delay_ms: Option<u64>,
    /// What the recogniser made of it by then, and the turn model.
    pub understood: String,
    pub complete: Option<f32>,
}

/// Both axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Axes {
    pub turns: usize,
    /// Share of turns ended early, per cent.
    pub early: f64,
    /// Share of turns in which the caller heard it, per cent.
    pub heard: f64,
    /// Turns that were never ended.
    pub missed: usize,
    pub p50: f64,
    pub p90: f64,
    pub p95: f64,
}

/// Of these verdicts.
#[must_use]
pub fn axes<'a>(verdicts: impl IntoIterator<Item = &'a Verdict>) -> Axes {
    let all: Vec<_> = verdicts.into_iter().collect();
    let per_cent = |count: usize| 100.0 * count as f64 / all.len().max(1) as f64;
    let mut delays: Vec<u64> = all.iter().filter_map(|v| v.delay_ms).collect();
    delays.sort_unstable();
    Axes {
        turns: all.len(),
        early: per_cent(all.iter().filter(|v| v.early_ms.is_some()).count()),
        heard: per_cent(all.iter().filter(|v| v.heard).count()),
        missed: all.iter().filter(|v| v.early_ms.is_none() && v.delay_ms.is_none()).count(),
        p50: quantile(&delays, 0.5),
        p90: quantile(&delays, 0.9),
        p95: quantile(&delays, 0.95),
    }
}

/// The value below which this share (0–1) of sorted values lies.
#[must_use]
pub fn quantile(sorted: &[u64], share: f64) -> f64 {
    let index = ((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
    sorted.get(index).map_or(f64::NAN, |v| *v as f64)
}

/// Where a curve of (delay, early) points, from quick to patient, comes down to this share of early ends: the delay.
/// `None` where the curve does not reach it.
#[must_use]
pub fn delay_at(curve: &[(f64, f64)], early: f64) -> Option<f64> {
    crossing(curve.iter().map(|(delay, share)| (*share, *delay)), early)
}

/// The share of early ends where a curve has this delay.
#[must_use]
pub fn early_at(curve: &[(f64, f64)], delay: f64) -> Option<f64> {
    crossing(curve.iter().copied(), delay)
}

/// The second value where the first one, going up or down, passes `at`.
fn crossing(points: impl Iterator<Item = (f64, f64)>, at: f64) -> Option<f64> {
    let points: Vec<_> = points.collect();
    points.windows(2).find_map(|pair| {
        let [(x0, y0), (x1, y1)] = *pair else { return None };
        if (x0 - at) * (x1 - at) > 0.0 {
            return None;
        }
        let share = if x1 == x0 { 0.0 } else { (at - x0) / (x1 - x0) };
        Some(y0 + share * (y1 - y0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_count_early_ends_and_time_the_others_only() {
        let early = Verdict { early_ms: Some(900), heard: true, ..Verdict::default() };
        let taken_back = Verdict { early_ms: Some(900), ..Verdict::default() };
        let late = |delay| Verdict { delay_ms: Some(delay), ..Verdict::default() };
        let all =
            [early, taken_back, late(300), late(400), late(500), late(600), late(700), Verdict::default()];
        let axes = axes(&all);
        assert_eq!((axes.turns, axes.early, axes.heard, axes.missed), (8, 25.0, 12.5, 1));
        assert_eq!((axes.p50, axes.p95), (500.0, 700.0));
    }

    #[test]
    fn a_curve_is_read_between_its_points_and_not_beyond_them() {
        let curve = [(300.0, 60.0), (500.0, 30.0), (1_000.0, 10.0)];
        assert_eq!(early_at(&curve, 400.0), Some(45.0));
        assert_eq!(delay_at(&curve, 20.0), Some(750.0));
        assert_eq!(delay_at(&curve, 5.0), None);
        assert_eq!(early_at(&curve, 200.0), None);
    }
}
