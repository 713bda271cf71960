//! A linear classifier over hashed features: a softmax, a signed byte a weight.

/// The weights: `BUCKETS` for each of `CLASSES`. `BUCKETS` is a power of two.
#[derive(Clone, PartialEq, Debug)]
pub struct Linear<const BUCKETS: usize, const CLASSES: usize> {
    weights: Vec<f32>,
}

impl<const BUCKETS: usize, const CLASSES: usize> Linear<BUCKETS, CLASSES> {
    /// Knows nothing yet.
    #[must_use]
    pub fn empty() -> Self {
        Self { weights: vec![0.0; BUCKETS * CLASSES] }
    }

    /// Of weights that were learned elsewhere, class by class.
    #[must_use]
    pub fn of(mut weights: Vec<f32>) -> Self {
        weights.resize(BUCKETS * CLASSES, 0.0);
        Self { weights }
    }

    /// What one feature says for a class, as it was learned.
    #[must_use]
    pub fn weight(&self, class: usize, bucket: usize) -> f32 {
        self.weights.get(class * BUCKETS + bucket).copied().unwrap_or_default()
    }

    /// What [`Self::to_bytes`] wrote. Short data gives a model that knows nothing; a test rules it out for what ships.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let (scale, codes) =
            bytes.split_first_chunk().map_or((0.0, bytes), |(s, c)| (f32::from_le_bytes(*s), c));
        Self::of(codes.iter().map(|code| f32::from(code.cast_signed()) * scale).collect())
    }

    /// The scale, then a byte a weight, class by class.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let largest = self.weights.iter().fold(f32::MIN_POSITIVE, |most, weight| most.max(weight.abs()));
        let scale = largest / 127.0;
        #[expect(clippy::cast_possible_truncation, reason = "-127 to 127")]
        let code = |weight: &f32| ((weight / scale).round() as i8).cast_unsigned();
        scale.to_le_bytes().into_iter().chain(self.weights.iter().map(code)).collect()
    }

    /// Probability of each class, by the buckets of the features.
    #[must_use]
    pub fn classes(&self, features: &[usize]) -> [f32; CLASSES] {
        let mut scores = [0.0_f32; CLASSES];
        for (score, own) in scores.iter_mut().zip(self.weights.chunks(BUCKETS)) {
            *score = features.iter().filter_map(|bucket| own.get(*bucket)).sum();
        }
        let most = scores.iter().copied().fold(f32::MIN, f32::max);
        let sum: f32 = scores.iter().map(|score| (score - most).exp()).sum();
        scores.map(|score| (score - most).exp() / sum)
    }

    /// One step of descent on an example: each weight by `rate`, and towards zero by `decay` of itself.
    pub fn learn(&mut self, features: &[usize], class: usize, rate: f32, decay: f32) {
        let scores = self.classes(features);
        let length = (features.len().max(1) as f32).sqrt();
        for ((at, score), own) in scores.iter().enumerate().zip(self.weights.chunks_mut(BUCKETS)) {
            let missed = f32::from(u8::from(at == class)) - score;
            for bucket in features {
                if let Some(weight) = own.get_mut(*bucket) {
                    *weight += rate * (missed / length - decay * *weight);
                }
            }
        }
    }

    /// The bucket of a feature. FNV-1a over the parts: the same on every machine, since weights are kept by it.
    #[must_use]
    pub fn bucket(parts: &[&str]) -> usize {
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let bytes = parts.iter().flat_map(|part| part.bytes().chain(std::iter::once(0)));
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325, mix);
        // The high bits are the better mixed.
        (hash >> 40) as usize & (BUCKETS - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Two = Linear<64, 2>;

    #[test]
    fn learns_and_survives_its_bytes() {
        let mut model = Two::empty();
        let (wet, dry) = ([Two::bucket(&["rain"])], [Two::bucket(&["sun"])]);
        for _ in 0..200 {
            model.learn(&wet, 0, 0.2, 1e-3);
            model.learn(&dry, 1, 0.2, 1e-3);
        }
        let back = Two::from_bytes(&model.to_bytes());
        assert!(back.classes(&wet)[0] > 0.8 && back.classes(&dry)[1] > 0.8);
    }

    #[test]
    fn short_weights_know_nothing() {
        assert_eq!(Two::from_bytes(&[]).classes(&[1, 2]), [0.5, 0.5]);
    }
}
