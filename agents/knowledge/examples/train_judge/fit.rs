//! Small heads by stochastic gradient descent with moments (Adam); each begins elsewhere, and their mean counts.

use governance::judge::aligned::{Features, HEADS, Head};

const EPOCHS: usize = 60;
const RATE: f32 = 0.003;
const DECAY: f32 = 0.002;
/// Share of the features that a look leaves out, in percent, so that none is relied on alone.
const DROPPED: u64 = 10;

struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// Between -1 and 1.
    fn even(&mut self) -> f32 {
        (self.next() % 20_001) as f32 / 10_000.0 - 1.0
    }
}

/// Features, whether it is wrong, what an error costs.
pub type Taught = (Features, bool, f32);

pub fn heads(all: &[Taught], seed: u64) -> Vec<Head> {
    (0..HEADS as u64).map(|n| head(all, seed + n)).collect()
}

fn head(all: &[Taught], seed: u64) -> Head {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut head = Head::empty();
    head.numbers().for_each(|n| *n = dice.even() * 0.25);
    let size = head.numbers().count();
    let (mut first, mut second) = (vec![0.0f32; size], vec![0.0f32; size]);
    let mut order: Vec<usize> = (0..all.len()).collect();
    let mut step = 0i32;
    for epoch in 0..EPOCHS {
        for n in (1..order.len()).rev() {
            order.swap(n, usize::try_from(dice.next()).unwrap_or(0) % (n + 1));
        }
        let rate = RATE * (1.0 - epoch as f32 / EPOCHS as f32 * 0.9);
        for some in order.chunks(16) {
            step += 1;
            let mut sums = Head::empty();
            for at in some {
                let (features, wrong, cost) = &all[*at];
                let seen: Features =
                    std::array::from_fn(|n| if dice.next() % 100 < DROPPED { 0.0 } else { features[n] });
                learn(&head, &seen, *wrong, *cost, &mut sums);
            }
            let (a, b) = (1.0 - 0.9f32.powi(step), 1.0 - 0.999f32.powi(step));
            let moments = first.iter_mut().zip(&mut second);
            for ((own, slope), (m, v)) in head.numbers().zip(sums.numbers()).zip(moments) {
                let slope = *slope / some.len() as f32;
                *m = 0.9 * *m + 0.1 * slope;
                *v = 0.999 * *v + 0.001 * slope * slope;
                *own -= rate * ((*m / a) / ((*v / b).sqrt() + 1e-8) + DECAY * *own * 10.0);
            }
        }
    }
    head
}

/// Adds the slope of one error.
fn learn(head: &Head, features: &Features, wrong: bool, cost: f32, sums: &mut Head) {
    let units = head.units(features);
    let sure = 1.0 / (1.0 + (-head.odds(&units)).exp());
    let error = (sure - if wrong { 1.0 } else { 0.0 }) * cost;
    sums.bias += error;
    for (n, unit) in units.iter().enumerate() {
        sums.out[n] += error * unit;
        let back = error * head.out[n] * (1.0 - unit * unit);
        sums.begin[n] += back;
        sums.into[n].iter_mut().zip(features).for_each(|(sum, feature)| *sum += back * feature);
    }
}
