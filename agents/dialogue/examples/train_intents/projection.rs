//! The projection that examples are compared through: sentence vectors, whitened by how sentences of one intent differ.

use std::collections::BTreeMap;
use std::error::Error;

use language::intents::{Projection, WIDTH};

use crate::grammar::Dice;
use crate::vectors::Vectors;

/// Share of an even spread that is mixed in, so that directions hardly seen are not blown up.
const EVEN: f64 = 0.3;
/// Routes, and examples of each, in one trial of the calibration.
const ROUTES: usize = 12;
const EXAMPLES: usize = 10;
const TRIALS: usize = 60;

pub fn learned(
    intents: &[(String, String)],
    vectors: &Vectors,
    seed: u64,
) -> Result<Projection, Box<dyn Error>> {
    let mut groups: BTreeMap<&str, Vec<Vec<f32>>> = BTreeMap::new();
    for (intent, text) in intents {
        let vector = vectors.of(text).ok_or("a vector is missing")?;
        groups.entry(intent).or_default().push(vector.to_vec());
    }
    println!("{} intents, {} sentences for the projection", groups.len(), intents.len());
    // Calibrated on intents that the projection was not learned from.
    let (learn, trial): (Vec<_>, Vec<_>) = groups.values().enumerate().partition(|(n, _)| n % 3 != 0);
    let learn: Vec<&Vec<Vec<f32>>> = learn.into_iter().map(|(_, group)| group).collect();
    let trial: Vec<&Vec<Vec<f32>>> = trial.into_iter().map(|(_, group)| group).collect();
    let mut projection = whitening(&learn);
    projection.odds = calibrated(&projection, &trial, seed, "whitened");
    let mut plain = vec![0f32; WIDTH * WIDTH];
    (0..WIDTH).for_each(|n| plain[n * WIDTH + n] = 1.0);
    let plain = Projection { rows: plain, center: vec![0.0; WIDTH], odds: [0.0; 3] };
    calibrated(&plain, &trial, seed, "as they are");
    let all: Vec<&Vec<Vec<f32>>> = groups.values().collect();
    Ok(Projection { odds: projection.odds, ..whitening(&all) })
}

fn whitening(groups: &[&Vec<Vec<f32>>]) -> Projection {
    let count = groups.iter().map(|g| g.len()).sum::<usize>() as f64;
    let mut center = vec![0f64; WIDTH];
    let mut spread = vec![0f64; WIDTH * WIDTH];
    for group in groups {
        let mut mean = vec![0f64; WIDTH];
        for vector in group.iter() {
            mean.iter_mut().zip(vector).for_each(|(m, v)| *m += f64::from(*v));
        }
        center.iter_mut().zip(&mean).for_each(|(c, m)| *c += m / count);
        mean.iter_mut().for_each(|m| *m /= group.len() as f64);
        for vector in group.iter() {
            let off: Vec<f64> = vector.iter().zip(&mean).map(|(v, m)| f64::from(*v) - m).collect();
            for (i, a) in off.iter().enumerate() {
                spread[i * WIDTH..=i * WIDTH + i].iter_mut().zip(&off).for_each(|(s, b)| *s += a * b / count);
            }
        }
    }
    let even = (0..WIDTH).map(|n| spread[n * WIDTH + n]).sum::<f64>() / WIDTH as f64;
    spread.iter_mut().for_each(|s| *s *= 1.0 - EVEN);
    (0..WIDTH).for_each(|n| spread[n * WIDTH + n] += EVEN * even);
    let rows = inverse_of_root(&spread, even.sqrt());
    Projection { rows, center: center.iter().map(|c| *c as f32).collect(), odds: [0.0; 3] }
}

/// The inverse of the lower root of a symmetric matrix, of which the lower half is given.
fn inverse_of_root(matrix: &[f64], unit: f64) -> Vec<f32> {
    let n = WIDTH;
    let mut root = vec![0f64; n * n];
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| root[i * n + k] * root[j * n + k]).sum();
            let left = matrix[i * n + j] - sum;
            root[i * n + j] = if i == j { left.max(1e-12).sqrt() } else { left / root[j * n + j] };
        }
    }
    let mut inverse = vec![0f64; n * n];
    for column in 0..n {
        for i in column..n {
            let sum: f64 = (column..i).map(|k| root[i * n + k] * inverse[k * n + column]).sum();
            let one = if i == column { 1.0 } else { 0.0 };
            inverse[i * n + column] = (one - sum) / root[i * n + i];
        }
    }
    inverse.iter().map(|v| (v * unit) as f32).collect()
}

/// Fits how likeness becomes a probability, in trials of a few routes with a few examples each; half of what is asked there
/// is for none of them.
fn calibrated(projection: &Projection, groups: &[&Vec<Vec<f32>>], seed: u64, name: &str) -> [f32; 3] {
    let seen: Vec<Vec<Vec<f32>>> =
        groups.iter().map(|group| group.iter().map(|v| projection.of(v)).collect()).collect();
    let mut dice = Dice::new(seed);
    let mut order: Vec<usize> = (0..seen.len()).collect();
    let (mut rows, mut right, mut own) = (Vec::new(), 0, 0);
    for _ in 0..TRIALS {
        dice.shuffle(&mut order);
        let (routes, others) = order.split_at(ROUTES.min(order.len() / 2));
        let best = |vector: &[f32]| {
            let mut all: Vec<(usize, f32)> = routes
                .iter()
                .map(|r| (*r, likeness(vector, &seen[*r][..EXAMPLES.min(seen[*r].len())])))
                .collect();
            all.sort_by(|a, b| b.1.total_cmp(&a.1));
            (all[0], all[1].1)
        };
        for route in routes {
            for vector in seen[*route].iter().skip(EXAMPLES).take(3) {
                let ((found, score), next) = best(vector);
                own += 1;
                right += usize::from(found == *route);
                rows.push(([score, score - next], found == *route));
            }
        }
        for other in others.iter().take(ROUTES) {
            for vector in seen[*other].iter().take(3) {
                let ((_, score), next) = best(vector);
                rows.push(([score, score - next], false));
            }
        }
    }
    let mut odds = [0f32; 3];
    for round in 0..400 {
        let rate = 8.0 / (1.0 + round as f32 * 0.02);
        let mut sums = [0f32; 3];
        for ([likeness, lead], is) in &rows {
            let p = 1.0 / (1.0 + (-(odds[0] * likeness + odds[1] * lead + odds[2])).exp());
            let error = p - if *is { 1.0 } else { 0.0 };
            [*likeness, *lead, 1.0].iter().zip(&mut sums).for_each(|(x, s)| *s += error * x);
        }
        odds.iter_mut().zip(sums).for_each(|(o, s)| *o -= rate * s / rows.len() as f32);
    }
    let half = |rows: &[([f32; 2], bool)], is: bool| {
        let sure = |x: &[f32; 2]| projection_odds(&odds, x) >= 0.5;
        rows.iter().filter(|(x, own)| *own == is && sure(x)).count()
    };
    println!(
        "{name}: right of those asked for {right}/{own}; taken for a route at 0.5: {} rightly of {}, {} wrongly of {}; odds {odds:?}",
        half(&rows, true),
        rows.iter().filter(|r| r.1).count(),
        half(&rows, false),
        rows.iter().filter(|r| !r.1).count()
    );
    odds
}

fn projection_odds(odds: &[f32; 3], [likeness, lead]: &[f32; 2]) -> f32 {
    1.0 / (1.0 + (-(odds[0] * likeness + odds[1] * lead + odds[2])).exp())
}

/// As in the crate: the mean of the two nearest.
fn likeness(own: &[f32], examples: &[Vec<f32>]) -> f32 {
    let mut all: Vec<f32> =
        examples.iter().map(|e| own.iter().zip(e).map(|(a, b)| a * b).sum::<f32>()).collect();
    all.sort_by(|a, b| b.total_cmp(a));
    f32::midpoint(all[0], all.get(1).copied().unwrap_or(all[0]))
}
