//! How many calls of a campaign begin now: as many as there is room for, few at first, and never more people than are talked with.
//!
//! Our agent answers, so nobody is called for whom there is no place: who rings has one already. What is known of who answers only
//! slows a campaign down, so that not too many conversations begin in one moment.
#![deny(clippy::disallowed_methods)]

use storage::outreach::OutreachResult;

/// Latest results that are looked at; a campaign with fewer is still feeling its way.
pub const RECENT: u32 = 20;
/// People who may be expected to answer the calls of one look.
const TOGETHER: usize = 2;
/// Of so many latest results, half are failures of the carrier: it is in trouble.
const TROUBLE: usize = 6;

/// How a campaign stands.
#[derive(Clone, Copy, Debug)]
pub struct Pace<'a> {
    /// Calls that it may have at a time.
    pub at_once: usize,
    /// Those that ring or are talked with.
    pub open: usize,
    /// Calls of ours that the process has room for, whoever they are of.
    pub room: usize,
    /// What its latest calls came to, newest first, at most [`RECENT`].
    pub recent: &'a [OutreachResult],
}

/// Calls that may begin now.
#[must_use]
pub fn starts(pace: Pace<'_>) -> usize {
    let window = window(pace.at_once, pace.recent);
    together(pace.recent).min(pace.room).min(window.saturating_sub(pace.open))
}

/// Calls at a time: one more for each that is over, until enough is known; one while the carrier is in trouble.
fn window(at_once: usize, recent: &[OutreachResult]) -> usize {
    let latest = &recent[..recent.len().min(TROUBLE)];
    let failed = latest.iter().filter(|result| **result == OutreachResult::Failed).count();
    if latest.len() == TROUBLE && failed * 2 >= TROUBLE {
        return at_once.min(1);
    }
    if recent.len() < RECENT as usize { at_once.min(1 + recent.len()) } else { at_once }
}

/// Calls of one look, so that no more than a few people answer them together. Where nothing is known everybody does.
fn together(recent: &[OutreachResult]) -> usize {
    let reached = recent.iter().filter(|result| **result == OutreachResult::Reached).count();
    TOGETHER * (recent.len() + 1) / (reached + 1)
}

#[cfg(test)]
mod tests {
    use std::iter::repeat_n;

    use super::*;

    fn results(reached: usize, missed: usize) -> Vec<OutreachResult> {
        repeat_n(OutreachResult::Reached, reached).chain(repeat_n(OutreachResult::NoAnswer, missed)).collect()
    }

    #[test]
    fn it_begins_with_one_and_goes_on_with_what_it_learns() {
        let begins = |open, recent: &[OutreachResult]| starts(Pace { at_once: 50, open, room: 50, recent });
        assert_eq!(begins(0, &[]), 1);
        assert_eq!(begins(1, &[]), 0, "the first one rings");
        assert_eq!(begins(0, &results(1, 0)), 2);
        assert_eq!(begins(0, &results(0, 3)), 4, "nobody answers");
        assert_eq!(begins(0, &results(4, 0)), 2, "everybody does: as many as begin to talk together");
        assert_eq!(begins(10, &results(20, 0)), 2);
        assert_eq!(begins(10, &results(4, 16)), 8, "one in five");
        assert_eq!(begins(10, &results(0, 20)), 40, "what there is");
    }

    #[test]
    fn a_carrier_in_trouble_is_tried_with_one_call_until_it_is_out_of_it() {
        let failed = OutreachResult::Failed;
        let mut recent = vec![failed; 3];
        recent.extend(results(9, 8));
        assert_eq!(starts(Pace { at_once: 9, open: 0, room: 9, recent: &recent }), 1);
        assert_eq!(starts(Pace { at_once: 9, open: 1, room: 9, recent: &recent }), 0);
        recent.splice(0..0, [OutreachResult::Busy; 4]);
        recent.truncate(RECENT as usize);
        assert!(starts(Pace { at_once: 9, open: 1, room: 9, recent: &recent }) > 0, "two of the last six");
    }

    #[test]
    fn there_is_never_a_call_without_a_place_nor_more_than_was_wanted_at_a_time() {
        let mut begun = 0_u64;
        for known in 0..=RECENT as usize {
            for reached in 0..=known {
                let recent = results(reached, known - reached);
                for (at_once, open, room) in (0..1_000_usize).map(|n| (n % 10, n / 10 % 10, n / 100)) {
                    let pace = Pace { at_once, open, room, recent: &recent };
                    let begins = starts(pace);
                    assert!(begins <= room, "{pace:?}");
                    assert!(begins == 0 || open + begins <= at_once, "{pace:?}");
                    assert!(
                        begins == 0 || open + begins <= known + 1 || known == RECENT as usize,
                        "{pace:?}"
                    );
                    let expected = begins * (reached + 1);
                    assert!(begins <= 1 || expected <= TOGETHER * (known + 1), "{pace:?}");
                    // It never stands still for good: with room and nobody on the line somebody is called.
                    assert_eq!(
                        begins == 0,
                        room == 0 || open >= at_once.min(known + 1) && known < 20 || open >= at_once
                    );
                    let less = starts(Pace { room: room.saturating_sub(1), ..pace });
                    assert!(less <= begins, "more room is never fewer calls: {pace:?}");
                    begun += begins as u64;
                }
            }
        }
        assert!(begun > 0);
    }

    #[test]
    fn a_whole_campaign_stays_within_its_bounds_and_comes_to_its_end() {
        for one_in in [1_usize, 3, 10] {
            let (at_once, places, most) = (8_usize, 12_usize, 300_usize);
            let (mut recent, mut open, mut placed, mut looks) = (Vec::new(), Vec::new(), 0, 0);
            while placed < most || !open.is_empty() {
                looks += 1;
                assert!(looks < 10_000, "it stands still");
                // Who calls us comes and goes, and takes up to all of it.
                let inbound = looks * 7 % (places + 1);
                let room = places.saturating_sub(inbound + open.len());
                let pace = Pace { at_once, open: open.len(), room, recent: &recent };
                let begins = starts(pace).min(most - placed);
                for _ in 0..begins {
                    placed += 1;
                    let is_reached = placed % one_in == 0;
                    open.push((if is_reached { 12 } else { 4 }, is_reached));
                }
                assert!(open.len() <= at_once && (begins == 0 || open.len() + inbound <= places));
                let answers = open.iter().filter(|(left, reached)| *reached && *left == 12).count();
                assert!(one_in > 1 || answers <= TOGETHER, "{answers} begin to talk together");
                open.retain_mut(|(left, reached)| {
                    *left -= 1;
                    if *left == 0 {
                        let result =
                            if *reached { OutreachResult::Reached } else { OutreachResult::NoAnswer };
                        recent.insert(0, result);
                        recent.truncate(RECENT as usize);
                    }
                    *left > 0
                });
            }
        }
    }
}
