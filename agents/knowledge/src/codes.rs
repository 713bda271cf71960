//! Vectors as bytes, scanned whole: a quarter of the memory traffic of floats, and exact enough to find the few hundred
//! that are then scored exactly.

/// Largest value of a question's coordinate: products of a row fit 32 bits for any length that a model has.
const QUERY_SCALE: f32 = 2047.0;

/// Rows of one length.
#[derive(Debug, Default)]
pub(super) struct Codes {
    width: usize,
    bytes: Vec<i8>,
    /// What a unit of each row is worth; 0 for a row without a vector.
    scales: Vec<f32>,
}

impl Codes {
    /// One row for each vector; one of another length than the first counts as none.
    pub fn of<'v>(vectors: impl Iterator<Item = Option<&'v [f32]>>) -> Self {
        let mut codes = Self::default();
        for vector in vectors {
            codes.push(vector);
        }
        codes
    }

    fn push(&mut self, vector: Option<&[f32]>) {
        if let Some(vector) = vector.filter(|_| self.width == 0) {
            self.width = vector.len();
            self.bytes = vec![0; self.width * self.scales.len()];
        }
        let vector = vector.filter(|v| v.len() == self.width);
        let largest = vector.map_or(0.0, |v| v.iter().fold(0f32, |m, x| m.max(x.abs())));
        let unit = if largest.is_finite() { largest / 127.0 } else { 0.0 };
        match vector.filter(|_| unit > 0.0) {
            Some(v) => self.bytes.extend(v.iter().map(|x| (x / unit).round() as i8)),
            None => self.bytes.resize(self.bytes.len() + self.width, 0),
        }
        self.scales.push(unit);
    }

    /// Products of every row with a unit vector, about to the second place; `None` where a row has no vector.
    pub fn scan(&self, query: &[f32]) -> impl Iterator<Item = Option<f32>> {
        let fits = self.width > 0 && query.len() == self.width;
        let query: Vec<i16> = query.iter().map(|x| (x * QUERY_SCALE).round() as i16).collect();
        self.scales.iter().enumerate().map(move |(n, unit)| {
            let row = self.bytes.get(n * self.width..(n + 1) * self.width).filter(|_| fits && *unit > 0.0)?;
            Some(dot(row, &query) as f32 * unit / QUERY_SCALE)
        })
    }
}

/// Written for the compiler's vector units: fixed blocks, no early way out.
fn dot(row: &[i8], query: &[i16]) -> i32 {
    let (blocks, rest) = row.as_chunks::<16>();
    let (query_blocks, query_rest) = query.as_chunks::<16>();
    let mut sum = 0i32;
    for (a, b) in blocks.iter().zip(query_blocks) {
        for n in 0..16 {
            sum += i32::from(i16::from(a[n])) * i32::from(b[n]);
        }
    }
    sum + rest.iter().zip(query_rest).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum::<i32>()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unit(v: &[f32]) -> Vec<f32> {
        let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-6);
        v.iter().map(|x| x / norm).collect()
    }

    proptest! {
        #[test]
        fn products_are_close_to_the_exact_ones(
            a in proptest::collection::vec(-1f32..1.0, 40), b in proptest::collection::vec(-1f32..1.0, 40),
        ) {
            let (a, b) = (unit(&a), unit(&b));
            let codes = Codes::of([None, Some(a.as_slice())].into_iter());
            let products: Vec<_> = codes.scan(&b).collect();
            let exact: f32 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
            prop_assert_eq!(products[0], None);
            prop_assert!((products[1].unwrap_or(9.0) - exact).abs() < 0.02);
        }
    }

    #[test]
    fn rows_of_another_length_count_as_none() {
        let codes =
            Codes::of([Some([1.0, 0.0].as_slice()), Some(&[1.0]), Some(&[f32::NAN, 1.0])].into_iter());
        let found: Vec<_> = codes.scan(&[1.0, 0.0]).collect();
        assert!((found[0].unwrap_or(0.0) - 1.0).abs() < 0.01);
        assert_eq!(found[1], None);
        assert_eq!(codes.scan(&[1.0]).flatten().count(), 0);
    }
}
