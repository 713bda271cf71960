//! What calls may cost.

use super::source::Source;

/// Caps in millionths of a US dollar; absent: no cap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// One call: then it is ended politely.
    pub call_micros: Option<u64>,
    /// All calls of a tenant that begin on one day (UTC): then new ones hear why they are not served.
    pub tenant_day_micros: Option<u64>,
}

/// Highest cap that can be given, US dollars.
pub const MOST_USD: f64 = 1_000_000.0;

/// Millionths of an amount of US dollars; `None` when it is no amount.
#[must_use]
pub fn micros(usd: f64) -> Option<u64> {
    (usd.is_finite() && usd > 0.0 && usd <= MOST_USD).then(|| (usd * 1e6).round() as u64)
}

pub(super) fn read(s: &mut Source<'_>) -> Budget {
    let mut cap = |key| {
        let (usd, origin) = s.amount(key)?;
        let cap = micros(usd);
        if cap.is_none() {
            s.problem(
                origin,
                format!("{usd} is no cap"),
                "give US dollars above 0, or leave it out for no cap",
            );
        }
        cap
    };
    Budget { call_micros: cap("budget.call_usd"), tenant_day_micros: cap("budget.tenant_day_usd") }
}
