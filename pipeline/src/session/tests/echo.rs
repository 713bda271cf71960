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

#[test]
fn a_word_of_ours_is_the_callers_at_once_where_nothing_of_ours_comes_back() {
    let cleared = |gives_back: bool| {
        let mut w =
            world(vec![say(GREETED, 5_000, "When are you there?"), say(6_000, 7_400, "office office")]);
        w.at(4_000, crate::session::Input::Echo(gives_back));
        w.run_to(16_000);
        w.clears.first().map(|at| at.as_ms())
    };
    let (handset, speakerphone) = (cleared(false).unwrap(), cleared(true).unwrap());
    assert!(handset + 150 < speakerphone, "{handset} {speakerphone}");
}
