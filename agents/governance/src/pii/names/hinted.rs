//! Names after words that only hint at one: "this is", "from", "my neighbor".

use super::listed::{among_places, is_place, place_before};
use super::{
    Hint, is_no_name, loose, ordinary, propose, skip_small, spelled_after, strong_first, strong_last, unknown,
};
use crate::pii::lexicon::{class, hash_of};
use crate::pii::scan::Scan;
use crate::pii::token::Form;

/// "This is …", "speak with …", "my wife …": a name when one of the words is in the lists, or is no other word.
pub(super) fn hinted(scan: &mut Scan<'_>, cue_end: usize, hint: Hint) {
    let Hint { relation, phrase, .. } = hint;
    let from = skip_small(scan, cue_end);
    if from > cue_end + 2 || is_no_name(scan, from) {
        return;
    }
    let Some(first) = scan.toks.get(from).filter(|t| !t.new_line || scan.sign(from.wrapping_sub(1), ','))
    else {
        return;
    };
    let Some(end) = loose(scan, from) else { return };
    let words = &scan.toks[from..end];
    if is_place(scan, from, end) || (place_before(scan, from) || among_places(scan, from)) && !hint.clear {
        return;
    }
    // "my son is autistic", "que mi hijo entienda": what is said of somebody is no name.
    let said = from > cue_end && !scan.sign(from - 1, ',') && !scan.sign(from - 1, ':') && relation
        || (cue_end.saturating_sub(4)..cue_end).any(|n| scan.hash_is(n, hash_of("que")));
    let stranger = unknown(first) && !ordinary(scan.word(from)) && !said;
    // "ask for dung", "my grandpa stanislaw": a word of no list, or a first name that is a word too, alone.
    let alone = words.len() == 1
        && (hint.clear && stranger
            || (hint.clear || relation && first.title())
                && first.is(class::FIRST)
                && !first.is(class::FUNCTION | class::PLACE | class::STORE)
                && closes(scan, end)
            || relation && first.title() && stranger
            || stranger
                && presents(scan, cue_end)
                && (speaks(scan, end) || scan.sign(end, ',') && first.title())
            || greets(scan, cue_end)
                && first.is(class::FIRST)
                && !first.is(class::FUNCTION | class::STORE)
                && greeted(scan, end)
                && !["hope", "love", "trust", "merry", "happy"].iter().any(|w| first.hash == hash_of(w)));
    let written = (relation || hint.clear)
        && words.len() > 1
        && first.title()
        && !first.is(class::FUNCTION | class::ORG | class::SUFFIX)
        && words[1..].iter().all(|t| t.title() || !t.is_word())
        && words[1..].iter().any(|t| strong_last(t) || unknown(t));
    let listed = strong_first(first) && !first.is(class::PLACE | class::STORE)
        || (words.len() > 1 && first.is(class::FIRST) && strong_last(&words[1]));
    let last = strong_last(first)
        && !first.is(class::PLACE)
        && (first.title() || (phrase && first.is(class::LAST_COMMON)));
    let strange =
        words.len() > 1 && unknown(first) && words[1..].iter().any(|t| unknown(t) || strong_last(t));
    let titled = phrase
        && words.len() > 1
        && words.iter().take(2).all(|t| t.title() && t.is(class::FIRST | class::LAST));
    const CLEAR: [&str; 9] = ["tell", "ask", "named", "contact", "dear", "i'm", "soy", "met", "habla"];
    let clear = phrase || CLEAR.iter().any(|w| cue_end > 0 && scan.hash_is(cue_end - 1, hash_of(w)));
    let ambiguous = clear
        && words.len() > 1
        && first.is(class::FIRST)
        && words[1].is(class::LAST)
        && !words[1].is(class::NO_LAST | class::ORG | class::FUNCTION)
        && !first.is(class::FUNCTION);
    let called = phrase
        && first.is(class::FIRST)
        && first.title()
        && !first.is(class::FUNCTION | class::PLACE | class::MONTH)
        && closes(scan, end);
    const SELF: [&str; 7] = ["i'm", "im", "is", "am", "soy", "habla", "'s"];
    let own = cue_end > 0 && SELF.iter().any(|w| scan.hash_is(cue_end - 1, hash_of(w)));
    let namesake = own && strong_first(first) && first.is(class::FIRST_COMMON);
    if namesake
        || alone
        || written
        || listed
        || last
        || (strange && (phrase || words[1].title()))
        || titled
        || called
        || (ambiguous && (relation || clear))
    {
        propose(scan, from, end, 0.75);
        spelled_after(scan, end);
    }
}

/// "this is", "it's", "soy": a person may say who is speaking.
fn presents(scan: &Scan<'_>, cue_end: usize) -> bool {
    const SELF: [&str; 7] = ["is", "it's", "i'm", "im", "am", "soy", "habla"];
    cue_end > 0 && SELF.iter().any(|w| scan.hash_is(cue_end - 1, hash_of(w)))
}

/// What somebody goes on with after having said a name.
fn speaks(scan: &Scan<'_>, at: usize) -> bool {
    const ON: [&str; 8] = ["calling", "from", "again", "speaking", "here", "over", "de", "otra"];
    ON.iter().any(|w| scan.hash_is(at, hash_of(w)))
}

fn greets(scan: &Scan<'_>, cue_end: usize) -> bool {
    const GREETINGS: [&str; 7] = ["hi", "hello", "hey", "dear", "hola", "thanks", "gracias"];
    cue_end > 0 && GREETINGS.iter().any(|w| scan.hash_is(cue_end - 1, hash_of(w)))
}

/// What follows a greeting with a name: nothing, or who is speaking.
fn greeted(scan: &Scan<'_>, at: usize) -> bool {
    const ON: [&str; 7] = ["this", "it's", "i'm", "im", "my", "soy", "habla"];
    scan.toks.get(at).is_none_or(|t| t.sign(',') || t.is_stop() || ON.iter().any(|w| t.hash == hash_of(w)))
}

fn closes(scan: &Scan<'_>, at: usize) -> bool {
    scan.toks
        .get(at)
        .is_none_or(|t| matches!(t.form, Form::Sign(_)) || t.is(class::PERSON_VERB | class::FUNCTION))
}
