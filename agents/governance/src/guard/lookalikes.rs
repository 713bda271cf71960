//! Letters of other alphabets that look like Latin ones.

use std::collections::HashMap;

/// The table, from `data/guard/lookalikes.txt`.
#[derive(Clone, Debug)]
pub struct Lookalikes(HashMap<char, &'static str>);

impl Lookalikes {
    /// The shipped table: one line per Latin letter, then what looks like it.
    #[must_use]
    pub fn shipped() -> Self {
        let lines = include_str!("../../data/guard/lookalikes.txt").lines().filter(|l| !l.starts_with('#'));
        let pairs = lines.filter_map(|l| l.split_once(' '));
        Self(
            pairs
                .flat_map(|(plain, like)| like.chars().filter(|c| *c != ' ').map(move |c| (c, plain)))
                .collect(),
        )
    }

    /// The Latin spelling of a look-alike.
    #[must_use]
    pub fn of(&self, c: char) -> Option<&'static str> {
        self.0.get(&c).copied()
    }
}
