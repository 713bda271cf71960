//! What a call costs, from a price table. Pure: usage in, millionths of a US dollar out.
#![deny(clippy::disallowed_methods)]

use std::collections::BTreeMap;

use crate::ports::{Meter, Usage};

/// Prices with the day from which they hold, as configured. Amounts nobody priced cost nothing and are counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices {
    /// By provider, model (`*` for any) and meter: US dollars for [`unit`] of the meter.
    table: BTreeMap<(String, String, Meter), f64>,
}

/// How many units of a meter a price is for: a minute, a thousand characters, a million tokens.
#[must_use]
pub const fn unit(meter: Meter) -> f64 {
    match meter {
        Meter::AudioMs | Meter::LineMs => 60_000.0,
        Meter::Characters => 1_000.0,
        Meter::InputTokens | Meter::CacheReadTokens | Meter::CacheWriteTokens | Meter::OutputTokens => {
            1_000_000.0
        }
    }
}

impl Prices {
    /// Sets the price of one meter; `model` may be `*`.
    pub fn set(&mut self, provider: &str, model: &str, meter: Meter, usd: f64) {
        self.table.insert((provider.to_owned(), model.to_owned(), meter), usd);
    }

    /// Price of one meter: the model's own, else the provider's for any model.
    #[must_use]
    pub fn of(&self, provider: &str, model: &str, meter: Meter) -> Option<f64> {
        let find = |model: &str| self.table.get(&(provider.to_owned(), model.to_owned(), meter)).copied();
        find(model).or_else(|| find("*"))
    }

    /// Cost in millionths of a dollar; `None` when there is no price.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Option<f64> {
        let price = self.of(&usage.provider, &usage.model, usage.meter)?;
        Some(price * 1e6 * usage.amount as f64 / unit(usage.meter))
    }
}

/// The bill of one call. Fractions are kept, so that many small amounts sum to the right total.
#[derive(Clone, Debug, Default)]
pub struct Bill {
    turn: f64,
    call: f64,
    wasted: f64,
    wasted_tokens: u64,
    told: u64,
}

impl Bill {
    /// Adds usage at `micros`. Tokens of replies that were thrown away are counted apart.
    pub fn add(&mut self, usage: &Usage, micros: f64, wasted: bool) {
        self.turn += micros;
        self.call += micros;
        if wasted {
            self.wasted += micros;
            self.wasted_tokens += usage.amount;
        }
    }

    /// Millionths of a dollar since the last [`Self::take_turn`].
    pub fn take_turn(&mut self) -> u64 {
        let turn = std::mem::take(&mut self.turn);
        turn.round() as u64
    }

    #[must_use]
    pub fn call_micros(&self) -> u64 {
        self.call.round() as u64
    }

    #[must_use]
    pub fn wasted_micros(&self) -> u64 {
        self.wasted.round() as u64
    }

    #[must_use]
    pub const fn wasted_tokens(&self) -> u64 {
        self.wasted_tokens
    }

    /// Whether something was added since this was last asked.
    pub fn has_news(&mut self) -> bool {
        let now = self.call_micros();
        std::mem::replace(&mut self.told, now) != now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(meter: Meter, amount: u64) -> Usage {
        Usage { provider: "p".into(), model: "m".into(), meter, amount }
    }

    #[test]
    fn the_models_own_price_goes_before_the_providers() {
        let mut prices = Prices::default();
        prices.set("p", "*", Meter::AudioMs, 0.006);
        prices.set("p", "m", Meter::OutputTokens, 5.0);
        assert_eq!(prices.cost(&usage(Meter::AudioMs, 90_000)), Some(9_000.0));
        assert_eq!(prices.cost(&usage(Meter::OutputTokens, 200)), Some(1_000.0));
        assert_eq!(prices.cost(&usage(Meter::InputTokens, 200)), None);
    }

    #[test]
    fn small_amounts_sum_without_loss() {
        let mut bill = Bill::default();
        for _ in 0..1_000 {
            bill.add(&usage(Meter::Characters, 1), 0.3, false);
        }
        bill.add(&usage(Meter::OutputTokens, 7), 10.0, true);
        assert_eq!((bill.call_micros(), bill.wasted_micros(), bill.wasted_tokens()), (310, 10, 7));
        assert_eq!((bill.take_turn(), bill.take_turn()), (310, 0));
    }
}
