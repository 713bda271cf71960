//! How a node fades when nobody uses it, and comes back when somebody does. Pure functions of time.
#![deny(clippy::disallowed_methods)]

use chrono::{DateTime, TimeDelta, Utc};
use storage::organisation::{Layer, MemoryNode};

/// Below this strength a node is not offered any more; by its symbol it is still found.
pub const FADED: f64 = 0.05;
/// What a use gives back of what is missing to full strength.
const REINFORCEMENT: f64 = 0.3;

/// Days in which an unused node loses half of its strength. The layers change at different paces: goals by the quarter,
/// rules by the month, things and events as they come.
const fn half_life_days(layer: Layer) -> i64 {
    match layer {
        Layer::Strategic => 720,
        Layer::Operational => 360,
        Layer::Entity => 180,
        Layer::Event => 90,
    }
}

/// Strength of a node now, from 0 to 1. A pinned one never fades.
#[must_use]
pub fn strength_now(node: &MemoryNode, now: DateTime<Utc>) -> f64 {
    if node.pinned { node.strength } else { faded(node.strength, node.layer, now - node.last_used) }
}

/// What is left of a strength after a time without use. A time that runs backwards changes nothing.
#[must_use]
pub fn faded(strength: f64, layer: Layer, unused: TimeDelta) -> f64 {
    let days = unused.num_seconds().max(0) as f64 / 86_400.0;
    let halves = days / half_life_days(layer) as f64;
    (strength * (-halves).exp2()).clamp(0.0, 1.0)
}

/// Strength after one more use.
#[must_use]
pub fn reinforced(strength: f64) -> f64 {
    let strength = strength.clamp(0.0, 1.0);
    strength + (1.0 - strength) * REINFORCEMENT
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_event_is_half_gone_after_its_half_life() {
        assert!((faded(0.8, Layer::Event, TimeDelta::days(90)) - 0.4).abs() < 1e-9);
        assert!(faded(0.8, Layer::Strategic, TimeDelta::days(90)) > 0.7);
        assert!((faded(0.8, Layer::Event, TimeDelta::days(-9)) - 0.8).abs() < 1e-9);
    }

    const LAYERS: [Layer; 4] = [Layer::Strategic, Layer::Operational, Layer::Entity, Layer::Event];

    proptest! {
        #[test]
        fn fading_never_turns_back(strength in 0.0..=1.0_f64, days in 0..4000_i64, more in 1..4000_i64, layer in 0..4_usize) {
            let layer = LAYERS[layer];
            let sooner = faded(strength, layer, TimeDelta::days(days));
            let later = faded(strength, layer, TimeDelta::days(days + more));
            prop_assert!(later <= sooner && sooner <= strength && later >= 0.0);
        }

        #[test]
        fn a_use_strengthens_and_stays_in_range(strength in 0.0..=1.0_f64) {
            let after = reinforced(strength);
            prop_assert!(after >= strength && after <= 1.0);
        }
    }
}
