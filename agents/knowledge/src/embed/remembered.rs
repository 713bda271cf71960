//! Sentences that were seen of late: what pages say is held against every reply that cites them, and costs some 5 ms of
//! a core each time that it is seen anew.

use std::collections::HashMap;

use super::Seen;

/// Sentences of a size, in two halves: when the newer one is full, the older one is forgotten. What is asked for again
/// comes back into the newer one.
#[derive(Debug)]
pub(super) struct Remembered {
    newer: Half,
    older: Half,
    /// Bytes of a half.
    most: usize,
}

#[derive(Debug, Default)]
struct Half {
    seen: HashMap<String, Seen>,
    bytes: usize,
}

impl Remembered {
    /// With room for about so many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        Self { newer: Half::default(), older: Half::default(), most: bytes / 2 }
    }

    pub(super) fn get(&mut self, sentence: &str) -> Option<Seen> {
        if let Some(seen) = self.newer.seen.get(sentence) {
            return Some(seen.clone());
        }
        let (sentence, seen) = self.older.seen.remove_entry(sentence)?;
        self.insert(sentence, seen.clone());
        Some(seen)
    }

    pub(super) fn insert(&mut self, sentence: String, seen: Seen) {
        let bytes = size_of_val(&*seen.vector) + size_of_val(&*seen.tokens) + sentence.len();
        if self.newer.bytes + bytes > self.most {
            self.older = std::mem::take(&mut self.newer);
        }
        self.newer.bytes += bytes;
        self.newer.seen.insert(sentence, seen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(mark: f32) -> Seen {
        Seen { vector: [mark; 4].into(), tokens: [mark; 4].into(), pieces: Vec::new() }
    }

    #[test]
    fn what_is_asked_for_again_outlives_what_is_not() {
        // Three sentences a half: 33 bytes each.
        let mut remembered = Remembered::new(200);
        remembered.insert("a".into(), seen(1.0));
        for name in 'b'..='z' {
            remembered.insert(name.into(), seen(2.0));
            let kept = remembered.get("a").map(|seen| seen.vector[0]);
            assert_eq!(kept, Some(1.0), "after {name}");
        }
        assert!(remembered.get("b").is_none());
        assert!(remembered.get("z").is_some());
        assert!(remembered.newer.seen.len() <= 3 && remembered.older.seen.len() <= 3);
    }
}
