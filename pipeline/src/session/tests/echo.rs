//! Our own voice, come back from a speakerphone.

use super::world::say;
use super::{GREETED, world};

#[test]
fn our_words_come_back_neither_cut_the_reply_nor_become_a_turn() {
    let mut w = world(vec![
        say(GREETED, 5_000, "When are you there?"),
        // The reply "The office is open from eight to five." begins about 5,400.
        say(5_800, 7_600, "the office is open from eight"),
    ]);
    w.run_to(16_000);
    assert!(w.clears.is_empty(), "cleared at {:?}", w.clears);
    assert_eq!(w.caller_turns(), ["When are you there?"]);
}

#[test]
fn other_words_at_the_same_moment_do_cut_it() {
    let mut w = world(vec![
        say(GREETED, 5_000, "When are you there?"),
        say(5_800, 7_600, "no what about the other office"),
    ]);
    w.run_to(16_000);
    assert_eq!(w.clears.len(), 1);
    assert_eq!(w.caller_turns().len(), 2);
}
