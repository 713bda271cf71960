//! Whether a pass opens the memory manager's gate, for the triggers of the tables that it alone writes.
//!
//! SQLite has no hash function, and triggers may call none of ours. A collation they may name: this one finds two texts
//! equal when one is the SHA-256 of the other. A connection that is not ours does not know it, and so cannot write
//! these tables at all.

use std::cmp::Ordering;

use crate::crypto::text_hash;

/// As the migrations spell it.
pub(super) const COLLATION: &str = "memory_key";

/// Equal when one text is the hash of the other.
pub(super) fn compare(one: &str, other: &str) -> Ordering {
    if text_hash(one) == other || text_hash(other) == one {
        return Ordering::Equal;
    }
    // Equal texts are none of each other's hash: they must not open the gate either.
    one.cmp(other).then(Ordering::Less)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_pass_and_its_hash_are_equal() {
        let hash = text_hash("pass");
        assert_eq!((compare("pass", &hash), compare(&hash, "pass")), (Ordering::Equal, Ordering::Equal));
        for (one, other) in [("pass", "pass"), (hash.as_str(), hash.as_str()), ("", hash.as_str()), ("", "")]
        {
            assert_ne!(compare(one, other), Ordering::Equal);
        }
    }
}
