//! Word times of segments that are still being made.
//!
//! The port tells word times when a segment is complete. Who takes over a sentence that broke off must know them
//! before that. So a fail-over opens its voices inside [`Progress::follow`], and a voice whose vendor tells times
//! along the way finds there where to tell them. Anybody else who opens a voice need not know of this.

use std::sync::Arc;

use parking_lot::Mutex;

use pipeline::turn::{SegmentId, WordTime};

tokio::task_local! {
    static FOLLOWER: Progress;
}

/// Segments that are remembered at once: as many as may be on their way.
const MOST: usize = 8;

/// What is known of the words of segments on one stream.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress(Arc<Mutex<Vec<Known>>>);

type Known = (SegmentId, Vec<WordTime>);

impl Progress {
    /// Runs `open`; a voice opened in it tells its progress here.
    pub fn follow<T>(&self, open: impl FnOnce() -> T) -> T {
        FOLLOWER.sync_scope(self.clone(), open)
    }

    /// Where a voice that is being opened is to tell its progress, if anybody follows.
    pub fn of_follower() -> Option<Self> {
        FOLLOWER.try_with(Clone::clone).ok()
    }

    /// The words of a segment that have been voiced so far, replacing what was told before.
    pub fn tell(&self, id: SegmentId, words: Vec<WordTime>) {
        let mut known = self.0.lock();
        known.retain(|(other, _)| *other != id);
        if known.len() >= MOST {
            known.remove(0);
        }
        known.push((id, words));
    }

    /// Takes what is known of a segment. `None`: the voice tells nothing along the way.
    pub fn take(&self, id: SegmentId) -> Option<Vec<WordTime>> {
        let mut known = self.0.lock();
        let at = known.iter().position(|(other, _)| *other == id)?;
        Some(known.swap_remove(at).1)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pipeline::turn::TurnId;

    #[test]
    fn a_voice_opened_by_a_follower_finds_it_and_others_find_none() {
        let id = |index| SegmentId { turn: TurnId(1), index };
        assert!(Progress::of_follower().is_none());
        let mine = Progress::default();
        let theirs = mine.follow(Progress::of_follower).unwrap();
        (0..20).for_each(|i| theirs.tell(id(i), Vec::new()));
        assert_eq!((mine.take(id(19)), mine.take(id(19)), mine.take(id(0))), (Some(Vec::new()), None, None));
    }
}
