//! Which lists a word is on, by hash: the words themselves are not kept.

/// Bits of the lists.
pub mod class {
    macro_rules! bits {
        ($($name:ident = $bit:expr),* $(,)?) => {
            $(pub const $name: u32 = 1 << $bit;)*
            /// Names of the lists in `classes.txt`.
            pub const NAMES: &[(&str, u32)] = &[$((stringify!($name), $name)),*];
        };
    }
    bits! {
        FIRST = 0, FIRST_RARE = 1, LAST = 2, LAST_RARE = 3, WORD = 4, COMMON = 5, PLACE = 6, STATE = 7,
        DIGIT = 8, NUMBER = 9, ORDINAL = 10, DAY = 11, STREET = 12, STREET_WEAK = 13, STREET_RARE = 14,
        STREET_FIRST = 15, DIRECTION = 16, UNIT = 17, TITLE = 18, ORG = 19, KIN = 20, CUE_NAME = 21,
        CUE_ADDRESS = 22, ROAD = 23, STREET_NAME = 24, PARTICLE = 25, LETTER = 26, TOWN = 27, FILLER = 28,
        QUANTITY = 29, NAME_SUFFIX = 30, VERB = 31,
    }
}

/// Hashes of words, in order, and the lists of each.
#[derive(Clone, Debug, Default)]
pub struct Lexicon {
    hashes: Vec<u32>,
    classes: Vec<u32>,
}

impl Lexicon {
    /// Out of words' hashes with the lists that they are on; a word may come several times.
    #[must_use]
    pub fn new(mut words: Vec<(u64, u32)>) -> Self {
        words.sort_unstable_by_key(|(hash, _)| short(*hash));
        let mut out = Self::default();
        for (hash, classes) in words {
            match (out.hashes.last(), out.classes.last_mut()) {
                (Some(last), Some(all)) if *last == short(hash) => *all |= classes,
                _ => {
                    out.hashes.push(short(hash));
                    out.classes.push(classes);
                }
            }
        }
        out
    }

    /// The lists that a word is on.
    #[must_use]
    pub fn classes(&self, hash: u64) -> u32 {
        let found = self.hashes.binary_search(&short(hash)).ok();
        found.and_then(|at| self.classes.get(at)).copied().unwrap_or(0)
    }

    /// Number of words.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether there is no word.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend(u32::try_from(self.hashes.len()).unwrap_or(0).to_le_bytes());
        out.extend(self.hashes.iter().chain(&self.classes).flat_map(|n| n.to_le_bytes()));
    }

    pub(super) fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (count, rest) = bytes.split_first_chunk::<4>()?;
        let count = u32::from_le_bytes(*count) as usize;
        let (hashes, rest) = rest.split_at_checked(count.checked_mul(4)?)?;
        let (classes, rest) = rest.split_at_checked(count * 4)?;
        let numbers =
            |bytes: &[u8]| bytes.as_chunks::<4>().0.iter().map(|n| u32::from_le_bytes(*n)).collect();
        Some((Self { hashes: numbers(hashes), classes: numbers(classes) }, rest))
    }
}

const fn short(hash: u64) -> u32 {
    (hash >> 24) as u32
}
