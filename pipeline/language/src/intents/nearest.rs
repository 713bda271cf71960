//! Routes by their examples: for a tenant's own, which no training has seen.

use super::{Head, Vector, WIDTH};

/// An example of a route that an utterance is like.
#[derive(Clone, PartialEq, Debug)]
pub struct Example<'a> {
    pub route: &'a str,
    pub text: &'a str,
    /// Likeness in the projection, -1 to 1.
    pub likeness: f32,
}

/// A square of weights that sentence vectors are looked at through: directions in which sentences of one intent differ
/// count little. And how likeness there becomes a probability.
#[derive(Clone, PartialEq, Debug)]
pub struct Projection {
    /// Rows of [`WIDTH`] numbers.
    pub rows: Vec<f32>,
    /// Mean of all sentences, taken off first.
    pub center: Vec<f32>,
    /// Log odds: weight of the likeness, weight of the lead over the next route, bias.
    pub odds: [f32; 3],
}

impl Projection {
    /// A vector as it is compared, at unit length.
    #[must_use]
    pub fn of(&self, vector: &[f32]) -> Vec<f32> {
        let moved: Vec<f32> = vector.iter().zip(&self.center).map(|(v, c)| v - c).collect();
        let dot = |row: &[f32]| row.iter().zip(&moved).map(|(a, b)| a * b).sum::<f32>();
        let mut out: Vec<f32> = self.rows.chunks(WIDTH).map(dot).collect();
        let norm = out.iter().map(|v| v * v).sum::<f32>().sqrt().max(1e-9);
        out.iter_mut().for_each(|v| *v /= norm);
        out
    }

    /// The probability that the best route is meant, of its likeness and that of the next.
    #[must_use]
    pub fn odds(&self, best: f32, next: f32) -> f32 {
        let [likeness, lead, bias] = self.odds;
        1.0 / (1.0 + (-(likeness * best + lead * (best - next) + bias)).exp())
    }
}

#[derive(Clone, Debug)]
struct Own {
    id: String,
    texts: Vec<String>,
    examples: Vec<Vec<f32>>,
}

/// Routes with their examples.
#[derive(Clone, Debug, Default)]
pub struct Nearest {
    routes: Vec<Own>,
}

impl Nearest {
    /// Adds a route by its examples; those of a route that is there already are added to it.
    pub fn add(&mut self, projection: &Projection, id: &str, examples: &[(String, Vector)]) {
        let at = self.routes.iter().position(|route| route.id == id).unwrap_or_else(|| {
            self.routes.push(Own { id: id.to_owned(), texts: Vec::new(), examples: Vec::new() });
            self.routes.len() - 1
        });
        let Some(route) = self.routes.get_mut(at) else { return };
        for (text, vector) in examples.iter().filter(|(_, vector)| vector.len() == WIDTH) {
            route.texts.push(text.clone());
            route.examples.push(projection.of(vector));
        }
    }

    /// Whether no route is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.routes.is_empty()
    }

    /// The examples nearest to a vector, at most `most`.
    #[must_use]
    pub fn examples(&self, projection: &Projection, vector: &[f32], most: usize) -> Vec<Example<'_>> {
        let own = projection.of(vector);
        let mut all: Vec<Example<'_>> = self
            .routes
            .iter()
            .flat_map(|route| route.texts.iter().zip(&route.examples).map(move |pair| (route, pair)))
            .map(|(route, (text, example))| Example { route: &route.id, text, likeness: dot(&own, example) })
            .collect();
        all.sort_by(|a, b| b.likeness.total_cmp(&a.likeness));
        all.truncate(most);
        all
    }

    /// The route that the head was not trained on and that is nearer than all others, with its probability.
    pub(super) fn untrained(&self, head: &Head, vector: &[f32]) -> Option<(&str, f32)> {
        if self.routes.iter().all(|route| head.knows(&route.id)) {
            return None;
        }
        let own = head.projection().of(vector);
        let mut likeness: Vec<(&Own, f32)> =
            self.routes.iter().map(|route| (route, of_route(&own, &route.examples))).collect();
        likeness.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (best, score) = *likeness.first()?;
        let next = likeness.get(1).map_or(0.0, |(_, next)| *next);
        (!head.knows(&best.id)).then(|| (best.id.as_str(), head.projection().odds(score, next)))
    }
}

/// Likeness to a route: the mean of its two nearest examples, so that a single odd one does not decide.
#[must_use]
pub(super) fn of_route(own: &[f32], examples: &[Vec<f32>]) -> f32 {
    let (mut first, mut second) = (-1f32, -1f32);
    for likeness in examples.iter().map(|example| dot(own, example)) {
        if likeness > first {
            (first, second) = (likeness, first);
        } else if likeness > second {
            second = likeness;
        }
    }
    if examples.len() < 2 { first } else { f32::midpoint(first, second) }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
