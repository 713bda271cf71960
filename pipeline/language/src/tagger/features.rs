//! What is looked at around a token, hashed into the table of weights; nothing is built as text.

use super::lexicon::class;
use super::token::{Form, Token, hash};
use crate::Language;

/// Bits of an index into the table.
pub const BITS: u32 = 18;
/// How far back words that announce a name or an address are looked for.
const CUE_REACH: usize = 6;
/// How far ahead a street's kind is looked for.
const STREET_REACH: usize = 6;

/// What a text has as a whole, and runs of numbers and letters in it.
#[derive(Clone, Debug)]
pub struct Context {
    language: u64,
    /// Capitals: none, only where a sentence begins, inside, all.
    capitals: u64,
    length: u64,
    spots: Vec<Spot>,
}

/// What is known of a token before its neighbors are looked at.
#[derive(Clone, Copy, Debug, Default)]
struct Spot {
    /// A coarse kind of word.
    kind: u8,
    /// First token of the run of numbers that it belongs to or follows, and the one after the run's end.
    run: Option<(u32, u32)>,
    /// Letters alone in a row: place in the row and its length.
    letters: (u8, u8),
    /// Tokens to the next word that names a kind of street, itself included; 0: none near.
    street: u8,
    /// The last word before that announces a name, and how far back; the same for addresses.
    cues: [(u64, u8); 2],
}

/// Coarse kinds, the most telling first.
fn kind(token: &Token) -> u8 {
    let is = |bits: u32| token.classes & bits != 0;
    match token.form {
        // ASCII signs are told apart.
        Form::Sign => return 64 + (token.hash % 61) as u8,
        Form::Digits => return 1 + token.length.min(6),
        Form::Mixed => return 8,
        _ => {}
    }
    let name = match (is(class::FIRST), is(class::LAST), is(class::FIRST_RARE | class::LAST_RARE)) {
        (true, true, _) => 1,
        (true, false, _) => 2,
        (false, true, _) => 3,
        (_, _, true) => 4,
        _ => 0,
    };
    if is(class::DIGIT) {
        9
    } else if is(class::NUMBER) {
        10
    } else if is(class::STREET) {
        11
    } else if is(class::STREET_FIRST) {
        12
    } else if is(class::UNIT) {
        13
    } else if is(class::DIRECTION) && token.length > 1 {
        14
    } else if token.length == 1 {
        15
    } else if is(class::STREET_WEAK) {
        16
    } else if is(class::ORDINAL) {
        17
    } else if is(class::TITLE) {
        18
    } else if is(class::KIN) {
        19
    } else if is(class::DAY) {
        20 + u8::from(name > 0)
    } else if is(class::STATE) {
        22
    } else if is(class::ROAD) {
        23
    } else if is(class::PARTICLE) {
        24
    } else if is(class::FILLER) {
        25
    } else if is(class::ORG) {
        26
    } else if is(class::COMMON) {
        27 + name
    } else if is(class::WORD) {
        32 + name
    } else if is(class::PLACE | class::TOWN) {
        37 + name
    } else {
        42 + name
    }
}

impl Context {
    /// Reads the text once.
    #[must_use]
    pub fn new(tokens: &[Token], language: Option<Language>) -> Self {
        let mut inside = 0_usize;
        let (mut large, mut words) = (0_usize, 0_usize);
        for token in tokens {
            let word = !matches!(token.form, Form::Sign | Form::Digits | Form::Mixed);
            words += usize::from(word);
            let capital = word && token.form != Form::Lower;
            large += usize::from(word && matches!(token.form, Form::Upper));
            // "I" is large wherever it stands.
            inside += usize::from(capital && !token.first && token.form != Form::Initial);
        }
        let begins = tokens.first().is_some_and(|t| t.form != Form::Lower && t.form != Form::Sign);
        let capitals = if words > 2 && large * 2 > words {
            3
        } else if inside > 0 {
            2
        } else {
            u64::from(begins)
        };
        let mut spots: Vec<Spot> =
            tokens.iter().map(|token| Spot { kind: kind(token), ..Spot::default() }).collect();
        runs(tokens, &mut spots);
        let language = language.map_or(0, |language| if language == Language::En { 1 } else { 2 });
        Self { language, capitals, length: (tokens.len().min(12) / 3) as u64, spots }
    }

    fn kind(&self, at: usize, by: isize) -> u64 {
        at.checked_add_signed(by).and_then(|at| self.spots.get(at)).map_or(63, |spot| u64::from(spot.kind))
    }
}

/// Numbers and letters in a row, the streets ahead, and the cues before.
fn runs(tokens: &[Token], spots: &mut [Spot]) {
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at].is_number() {
            let end = run_end(tokens, at);
            let run = Some((at as u32, end as u32));
            spots[at..end].iter_mut().for_each(|spot| spot.run = run);
            // What follows a run knows of it for some words.
            let reach = (end + 7).min(tokens.len());
            spots[end..reach].iter_mut().for_each(|spot| spot.run = run);
            at = end;
        } else if tokens[at].is_letter() {
            let mut end = at + 1;
            while end < tokens.len() && (tokens[end].is_letter() || between(tokens, end)) {
                end += 1;
            }
            let length = u8::try_from((end - at).min(20)).unwrap_or(0);
            for (n, spot) in (0_u8..).zip(&mut spots[at..end]) {
                spot.letters = (n.min(3), length.min(6));
            }
            at = end;
        } else {
            at += 1;
        }
    }
    let mut next = 0_u8;
    for (token, spot) in tokens.iter().zip(spots.iter_mut()).rev() {
        let names = token.classes & (class::STREET | class::STREET_WEAK | class::STREET_FIRST) != 0;
        next = if names {
            1
        } else if next == 0 || next as usize >= STREET_REACH {
            0
        } else {
            next + 1
        };
        spot.street = next;
    }
    let mut cues = [(0_u64, 0_u8); 2];
    for (token, spot) in tokens.iter().zip(spots) {
        for cue in &mut cues {
            cue.1 = cue.1.saturating_add(1);
            if cue.1 as usize > CUE_REACH {
                *cue = (0, 0);
            }
        }
        spot.cues = cues;
        if token.classes & class::CUE_NAME != 0 {
            cues[0] = (token.hash, 0);
        }
        if token.classes & class::CUE_ADDRESS != 0 {
            cues[1] = (token.hash, 0);
        }
    }
}

/// A hyphen or comma between two letters: "M-A-P".
fn between(tokens: &[Token], at: usize) -> bool {
    tokens[at].form == Form::Sign && tokens.get(at + 1).is_some_and(Token::is_letter)
}

/// End of a number that is said or written in several words: "one hundred and two", "4 0 7".
fn run_end(tokens: &[Token], from: usize) -> usize {
    let mut end = from + 1;
    while let Some(token) = tokens.get(end) {
        let joins = tokens.get(end + 1).is_some_and(Token::is_number)
            && (token.form == Form::Sign && token.glued || [hash(b"and"), hash(b"y")].contains(&token.hash));
        if !token.is_number() && !joins {
            break;
        }
        end += 1;
    }
    end
}

/// Calls back with the index of each feature of a token.
pub fn each(tokens: &[Token], context: &Context, at: usize, mut take: impl FnMut(usize)) {
    let (Some(token), Some(spot)) = (tokens.get(at), context.spots.get(at)) else { return };
    let word = |by: isize| at.checked_add_signed(by).and_then(|n| tokens.get(n)).map_or(1, |t| t.hash);
    let classes =
        |by: isize| at.checked_add_signed(by).and_then(|n| tokens.get(n)).map_or(0, |t| u64::from(t.classes));
    let form = |by: isize| {
        at.checked_add_signed(by)
            .and_then(|n| tokens.get(n))
            .map_or(15, |t| t.form as u64 * 2 + u64::from(t.first))
    };
    let kinds = |by: isize| context.kind(at, by);
    let mut id = 0_u64;
    let mut add = |value: u64| {
        id += 1;
        let mixed = (value ^ id.wrapping_mul(0xd6e8_feb8_6659_fd93)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        take((mixed >> (64 - BITS)) as usize);
    };
    let caps = context.capitals;
    let (k, w, f) = (kinds(0), word(0), form(0));

    add(0);
    add(pair(context.language, k));
    add(pair(context.length, pair(at.min(3) as u64, k)));
    // Words.
    add(w);
    add(word(-1));
    add(word(1));
    add(word(-2));
    add(word(2));
    add(pair(word(-1), w));
    add(pair(w, word(1)));
    add(pair(word(-2), word(-1)));
    add(pair(word(1), word(2)));
    add(pair(word(-3), pair(word(-2), word(-1))));
    add(pair(word(-1), k));
    add(pair(word(1), k));
    add(pair(pair(word(-2), word(-1)), k));
    add(pair(word(-1), word(1)));
    add(pair(word(-2), pair(kinds(-1), k)));
    add(pair(word(2), pair(kinds(1), k)));
    // Letters.
    for n in 0..token.suffixes.len() {
        add(u64::from(token.suffixes[n]));
        add(u64::from(token.prefixes[n]));
    }
    add(pair(u64::from(token.suffixes[2]), f));
    add(pair(u64::from(token.length.min(10)), k));
    // Form, by how the text has capitals.
    add(pair(f, caps));
    add(pair(pair(f, caps), k));
    add(pair(form(-1), pair(f, caps)));
    add(pair(form(1), pair(f, caps)));
    add(pair(pair(form(-1), form(1)), pair(f, caps)));
    add(pair(word(-1), pair(f, caps)));
    // Lists.
    add(classes(0));
    add(pair(classes(0), caps));
    add(classes(-1));
    add(classes(1));
    add(pair(classes(-1), k));
    add(pair(classes(1), k));
    add(pair(kinds(-1), k));
    add(pair(k, kinds(1)));
    add(pair(kinds(-1), pair(k, kinds(1))));
    add(pair(kinds(-2), pair(kinds(-1), k)));
    add(pair(k, pair(kinds(1), kinds(2))));
    add(pair(pair(kinds(-2), kinds(-1)), pair(k, pair(kinds(1), kinds(2)))));
    add(kinds(-2));
    add(kinds(2));
    add(pair(pair(kinds(1), kinds(2)), kinds(3)));
    add(pair(pair(kinds(-1), kinds(-2)), kinds(-3)));
    for bit in [class::FIRST, class::LAST, class::FIRST_RARE, class::LAST_RARE, class::WORD, class::COMMON] {
        add(u64::from(token.classes & bit != 0));
    }
    let named = u64::from(class::FIRST | class::LAST | class::COMMON);
    add(pair(classes(0) & named, pair(classes(1) & named, f)));
    add(pair(classes(0) & named, pair(classes(-1) & named, f)));
    // Letters said one by one.
    let (place, length) = spot.letters;
    add(u64::from(length) << 4 | u64::from(place));
    if length > 0 {
        let row = at - usize::from(place.min(at.min(3) as u8));
        let before = row.checked_sub(1).and_then(|n| tokens.get(n)).map_or(1, |t| t.hash);
        add(pair(before, u64::from(length)));
    } else {
        add(2);
    }
    // What announces.
    for (cue, far) in spot.cues {
        add(pair(cue, u64::from(far)));
        add(pair(cue, pair(k, u64::from(far.div_ceil(2)))));
    }
    add(pair(u64::from(spot.street), k));
    of_number(tokens, context, at, f, &mut add);
}

/// Two values as one.
const fn pair(a: u64, b: u64) -> u64 {
    a.wrapping_mul(0x0100_0000_01b3).rotate_left(23) ^ b
}

/// Those of the number that a token is in, or stands after.
fn of_number(tokens: &[Token], context: &Context, at: usize, form: u64, add: &mut impl FnMut(u64)) {
    let (k, caps) = (context.kind(at, 0), context.capitals);
    let Some((from, end)) =
        context.spots.get(at).and_then(|spot| spot.run).map(|(from, end)| (from as usize, end as usize))
    else {
        add(pair(k, 77));
        return;
    };
    let count = (end - from).min(7) as u64;
    let shape = pair(count, context.kind(from, 0));
    let far = (at + 1).saturating_sub(end).min(7) as u64;
    let street = context.spots.get(end).map_or(0, |spot| u64::from(spot.street));
    let hash_at = |n: Option<usize>| n.and_then(|n| tokens.get(n)).map_or(1, |t| t.hash);
    let before = hash_at(from.checked_sub(1));
    let after = hash_at(Some(end));
    let before_kind = context.kind(from, -1);
    let after_kind = context.kind(end, 0);
    let after_kinds = pair(after_kind, context.kind(end, 1));
    add(pair(shape, far));
    add(pair(pair(shape, far), k));
    add(pair(street, far));
    add(pair(pair(street, shape), far));
    add(pair(before, far));
    add(pair(pair(before, street), far));
    add(pair(after, far));
    add(pair(pair(before, after), far));
    add(pair(pair(before_kind, after_kind), pair(shape, far)));
    add(pair(after_kinds, far));
    add(pair(pair(after_kinds, before_kind), far));
    add(pair(pair(after_kinds, context.kind(end, 2)), pair(shape, far)));
    add(pair(hash_at(from.checked_sub(2)), pair(before, far)));
    add(pair(form, pair(far, caps)));
    let cue = context.spots.get(from).map_or((0, 0), |spot| spot.cues[1]);
    add(pair(cue.0, far));
    add(pair(cue.0, pair(after_kind, far)));
}
