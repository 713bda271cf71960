//! Associative recall: what a memory brings to mind, by personalised PageRank over the relations around it.
//!
//! Bounded and deterministic: it sees at most [`Bounds::nodes`] nodes around the seeds, in the order in which relations
//! lead to them, and stops after [`Bounds::iterations`] rounds.
#![deny(clippy::disallowed_methods)]

use std::collections::HashMap;

/// Share of the walk that goes on along relations; the rest starts again at a seed.
const DAMPING: f64 = 0.85;
/// The walk has settled when a round moves less than this.
const SETTLED: f64 = 1e-9;

/// How far a recall goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    pub nodes: usize,
    pub edges: usize,
    pub iterations: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { nodes: 2_000, edges: 20_000, iterations: 40 }
    }
}

/// Where the walk may go from a node, and how gladly (more than 0).
pub trait Relations {
    fn around(&self, node: u32) -> impl Iterator<Item = (u32, f64)>;
}

/// Shares of the walk by node, the greatest first; they sum to 1. Empty without seeds of a positive weight.
#[must_use]
pub fn recall(relations: &impl Relations, seeds: &[(u32, f64)], bounds: Bounds) -> Vec<(u32, f64)> {
    let around = Neighbourhood::of(relations, seeds, bounds);
    let total: f64 = around.start.iter().sum();
    if total <= 0.0 {
        return Vec::new();
    }
    let start: Vec<f64> = around.start.iter().map(|weight| weight / total).collect();
    let mut shares = start.clone();
    for _ in 0..bounds.iterations {
        let next = around.step(&shares, &start);
        let moved: f64 = next.iter().zip(&shares).map(|(a, b)| (a - b).abs()).sum();
        shares = next;
        if moved < SETTLED {
            break;
        }
    }
    let mut found: Vec<(u32, f64)> = around.nodes.into_iter().zip(shares).collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found
}

/// The nodes that are near enough, by place in the order in which they were met.
struct Neighbourhood {
    nodes: Vec<u32>,
    /// Weights of the seeds.
    start: Vec<f64>,
    /// By place: where to, and with which share of what is there.
    out: Vec<Vec<(usize, f64)>>,
}

impl Neighbourhood {
    fn of(relations: &impl Relations, seeds: &[(u32, f64)], bounds: Bounds) -> Self {
        let mut places: HashMap<u32, usize> = HashMap::new();
        let (mut nodes, mut start): (Vec<u32>, Vec<f64>) = (Vec::new(), Vec::new());
        for (seed, weight) in seeds.iter().filter(|(_, weight)| *weight > 0.0 && weight.is_finite()) {
            match places.get(seed) {
                Some(place) => start[*place] += weight,
                None if nodes.len() < bounds.nodes => {
                    places.insert(*seed, nodes.len());
                    nodes.push(*seed);
                    start.push(*weight);
                }
                None => {}
            }
        }
        let (mut out, mut edges) = (Vec::new(), 0);
        let mut place = 0;
        while place < nodes.len() {
            let mut links = Vec::new();
            for (to, weight) in relations.around(nodes[place]).filter(|(_, weight)| *weight > 0.0) {
                if edges == bounds.edges {
                    break;
                }
                let known = places.get(&to).copied();
                let there = match known {
                    Some(there) => there,
                    None if nodes.len() < bounds.nodes => {
                        places.insert(to, nodes.len());
                        nodes.push(to);
                        start.push(0.0);
                        nodes.len() - 1
                    }
                    None => continue,
                };
                links.push((there, weight));
                edges += 1;
            }
            let total: f64 = links.iter().map(|(_, weight)| weight).sum();
            out.push(links.into_iter().map(|(to, weight)| (to, weight / total)).collect());
            place += 1;
        }
        Self { nodes, start, out }
    }

    /// One round. Where no relation leads on, the walk starts again.
    fn step(&self, shares: &[f64], start: &[f64]) -> Vec<f64> {
        let stuck: f64 = shares.iter().zip(&self.out).filter(|(_, out)| out.is_empty()).map(|(s, _)| s).sum();
        let again = 1.0 - DAMPING + DAMPING * stuck;
        let mut next: Vec<f64> = start.iter().map(|weight| again * weight).collect();
        for (share, out) in shares.iter().zip(&self.out) {
            for (to, part) in out {
                next[*to] += DAMPING * share * part;
            }
        }
        next
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    struct Edges(Vec<(u32, u32, f64)>);

    impl Relations for Edges {
        fn around(&self, node: u32) -> impl Iterator<Item = (u32, f64)> {
            self.0.iter().filter(move |(from, ..)| *from == node).map(|(_, to, weight)| (*to, *weight))
        }
    }

    #[test]
    fn what_is_nearer_comes_first() {
        let chain = Edges(vec![(1, 2, 1.0), (2, 1, 1.0), (2, 3, 1.0), (3, 2, 1.0), (3, 4, 1.0), (4, 3, 1.0)]);
        let order: Vec<u32> =
            recall(&chain, &[(1, 1.0)], Bounds::default()).iter().map(|(n, _)| *n).collect();
        assert_eq!(order, [2, 1, 3, 4]);
        assert!(recall(&chain, &[], Bounds::default()).is_empty());
        assert!(recall(&chain, &[(1, 0.0)], Bounds::default()).is_empty());
    }

    #[test]
    fn heavier_relations_draw_more() {
        let fork = Edges(vec![(1, 2, 0.9), (1, 3, 0.1)]);
        let found = recall(&fork, &[(1, 1.0)], Bounds::default());
        let share = |node| found.iter().find(|(n, _)| *n == node).unwrap().1;
        assert!((share(2) / share(3) - 9.0).abs() < 1e-6);
    }

    #[test]
    fn bounds_hold() {
        let star = Edges((2..1000).map(|n| (1, n, 1.0)).collect());
        let bounds = Bounds { nodes: 50, edges: 20, iterations: 3 };
        assert_eq!(recall(&star, &[(1, 1.0)], bounds).len(), 21, "twenty relations and the seed");
        let bounds = Bounds { nodes: 10, ..Bounds::default() };
        assert_eq!(recall(&star, &[(1, 1.0)], bounds).len(), 10);
    }

    proptest! {
        #[test]
        fn shares_sum_to_one_and_runs_are_equal(
            edges in prop::collection::vec((0..30_u32, 0..30_u32, 0.01..1.0_f64), 0..120),
            seeds in prop::collection::vec((0..30_u32, 0.01..1.0_f64), 1..6),
        ) {
            let edges = Edges(edges);
            let found = recall(&edges, &seeds, Bounds::default());
            let sum: f64 = found.iter().map(|(_, share)| share).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{sum}");
            prop_assert!(found.iter().all(|(_, share)| *share >= 0.0));
            prop_assert_eq!(&found, &recall(&edges, &seeds, Bounds::default()));
        }
    }
}
