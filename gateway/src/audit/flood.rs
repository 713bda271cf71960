//! How many entries strangers may cause.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Entries a minute.
pub const MOST: u32 = 20;
const MINUTE: Duration = Duration::from_secs(60);

/// Lets so many through in a minute and counts the others.
#[derive(Debug, Default)]
pub struct Gate(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    began: Option<Instant>,
    admitted: u32,
    beside: u64,
}

impl Gate {
    /// How many were turned away since the last that was let through; `None`: this one is, too.
    pub fn admit(&self, now: Instant) -> Option<u64> {
        let mut counts = self.0.lock();
        if counts.began.is_none_or(|began| now.saturating_duration_since(began) >= MINUTE) {
            counts.began = Some(now);
            counts.admitted = 0;
        }
        if counts.admitted >= MOST {
            counts.beside += 1;
            return None;
        }
        counts.admitted += 1;
        Some(std::mem::take(&mut counts.beside))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_counted_and_its_count_is_told_by_the_next() {
        let (gate, start) = (Gate::default(), Instant::now());
        let admitted = (0..100).filter(|_| gate.admit(start).is_some()).count();
        assert_eq!(admitted, MOST as usize);
        assert_eq!(gate.admit(start + MINUTE / 2), None);
        assert_eq!(gate.admit(start + MINUTE), Some(81));
        assert_eq!(gate.admit(start + MINUTE), Some(0));
    }
}
