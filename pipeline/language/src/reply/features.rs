//! What is looked at around a word of a reply, or of what is said unasked: what the tagger of names and addresses looks at, and
//! finds; what was asked; how the clause begins.

use super::Asked;
use crate::field::{Field, Row};
use crate::tagger::features::{self as around, Context as Around};
use crate::tagger::model::Model as Tagger;
use crate::tagger::token::{Form, Token, hash};
use crate::{Language, field};

/// Bits of an index into the table.
const BITS: u32 = 17;
/// Rows of the table.
pub const ROWS: usize = 1 << BITS;
/// Words that lead to another clause.
const JOINTS: [&str; 14] =
    ["and", "but", "so", "because", "or", "y", "pero", "porque", "que", "o", "oh", "oye", "oiga", "well"];

/// Words with which speakers put right what they just said, or what we did.
const REPAIRS: [&str; 26] = [
    "no",
    "not",
    "wait",
    "sorry",
    "mean",
    "meant",
    "actually",
    "rather",
    "scratch",
    "instead",
    "correction",
    "perdon",
    "digo",
    "espere",
    "esperese",
    "quiero",
    "quise",
    "mas",
    "bien",
    "sino",
    "equivoque",
    "mejor",
    "isn't",
    "it's",
    "es",
    "said",
];
/// How far a repair reaches.
const REPAIR_REACH: usize = 7;

/// What a reply has as a whole.
#[derive(Debug)]
pub struct Context {
    around: Around,
    asked: u64,
    /// What the tagger takes each word for.
    tagged: Vec<u64>,
    spots: Vec<Spot>,
}

/// Where a word stands in its clause.
#[derive(Clone, Copy, Debug, Default)]
struct Spot {
    /// Hashes of the clause's first word, and of its first two.
    heads: [u64; 2],
    /// Words before it in the clause; and to its end.
    before: u64,
    after: u64,
    /// The next word of repair and how far on; the last one and how far back.
    ahead: (u64, u64),
    behind: (u64, u64),
    /// Whether the word is said again later, and whether it was said before; the same of the word before it.
    again: u64,
}

impl Context {
    /// Reads the reply once.
    #[must_use]
    pub fn new(tagger: &Tagger, tokens: &[Token], asked: Option<Asked>, language: Language) -> Self {
        let around = Around::new(tokens, Some(language));
        let scores = tagger.scores(tokens, &around);
        let tagged = field::best(&scores, tagger.steps(), 0.0).iter().map(|label| *label as u64).collect();
        Self { around, asked: asked.map_or(0, |asked| asked as u64 + 1), tagged, spots: spots(tokens) }
    }

    /// What the tagger takes each word for.
    #[must_use]
    pub fn tagged(&self) -> &[u64] {
        &self.tagged
    }
}

fn spots(tokens: &[Token]) -> Vec<Spot> {
    let joints = JOINTS.map(|word| hash(word.as_bytes()));
    let mut out = vec![Spot::default(); tokens.len()];
    let mut from = 0;
    for at in 0..=tokens.len() {
        let ends = tokens.get(at).is_none_or(|token| {
            (token.form == Form::Sign && !token.is_possessive()) || joints.contains(&token.hash)
        });
        if !ends {
            continue;
        }
        let head = |n: usize| tokens.get(from + n).filter(|_| from + n < at).map_or(1, |token| token.hash);
        let heads = [head(0), head(0).rotate_left(17) ^ head(1)];
        for (n, spot) in out[from.min(at)..at].iter_mut().enumerate() {
            *spot = Spot { heads, before: n as u64, after: (at - from - n) as u64, ..Spot::default() };
        }
        // The joint stands at the head of what it leads to.
        if let Some(spot) = out.get_mut(at) {
            *spot = Spot { heads: [2, tokens[at].hash], ..Spot::default() };
        }
        from = at + 1;
    }
    repairs(tokens, &mut out);
    out
}

fn repairs(tokens: &[Token], spots: &mut [Spot]) {
    let words = REPAIRS.map(|word| hash(word.as_bytes()));
    let near = |mut places: std::ops::Range<usize>, back: bool| {
        let hit = |n: &usize| words.contains(&tokens[*n].hash);
        let (from, to) = (places.start, places.end);
        let found = if back { places.rev().find(hit) } else { places.find(hit) };
        found.map_or((1, 0), |n| (tokens[n].hash, if back { to - n } else { n + 1 - from } as u64))
    };
    for (at, spot) in spots.iter_mut().enumerate().take(tokens.len()) {
        spot.ahead = near(at + 1..(at + 1 + REPAIR_REACH).min(tokens.len()), false);
        spot.behind = near(at.saturating_sub(REPAIR_REACH)..at, true);
        let said = |word: Option<usize>, places: std::ops::Range<usize>| {
            let word = word.and_then(|n| tokens.get(n)).filter(|token| token.form != Form::Sign);
            u64::from(word.is_some_and(|word| tokens[places].iter().any(|other| other.hash == word.hash)))
        };
        let before = at.checked_sub(1);
        spot.again = said(Some(at), at + 1..tokens.len())
            | said(Some(at), 0..at) << 1
            | said(before, at + 1..tokens.len()) << 2
            | said(before, 0..before.unwrap_or(0)) << 3;
    }
}

/// Calls back with the index of each feature of a word.
pub fn each(tokens: &[Token], context: &Context, at: usize, mut take: impl FnMut(usize)) {
    let (Some(token), Some(spot)) = (tokens.get(at), context.spots.get(at)) else { return };
    around::each(tokens, &context.around, at, |feature| take((feature ^ (feature >> BITS)) & (ROWS - 1)));
    let mut id = 1000_u64;
    let mut add = |value: u64| {
        id += 1;
        let mixed = (value ^ id.wrapping_mul(0xd6e8_feb8_6659_fd93)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        take((mixed >> (64 - BITS)) as usize);
    };
    let asked = context.asked;
    let word = |by: isize| at.checked_add_signed(by).and_then(|n| tokens.get(n)).map_or(1, |t| t.hash);
    let tagged =
        |by: isize| at.checked_add_signed(by).and_then(|n| context.tagged.get(n)).copied().unwrap_or(9);
    let classes = u64::from(token.classes);
    let (left, right) = (at.min(5) as u64, (tokens.len() - at).min(5) as u64);
    add(asked);
    add(pair(asked, word(0)));
    add(pair(asked, word(-1)));
    add(pair(asked, word(1)));
    add(pair(asked, pair(word(-1), word(0))));
    add(pair(asked, classes));
    add(pair(asked, left));
    add(pair(asked, right));
    add(pair(asked, pair(left, word(0))));
    add(pair(left, word(0)));
    add(pair(right, word(0)));
    add(word(-3));
    add(word(3));
    add(pair(word(-3), word(-2)));
    // What the tagger takes it for.
    add(pair(tagged(0), asked));
    add(pair(tagged(0), pair(tagged(-1), tagged(1))));
    add(pair(tagged(0), word(-1)));
    add(pair(tagged(1), pair(asked, word(0))));
    // The clause.
    let [head, heads] = spot.heads;
    add(head);
    add(heads);
    add(pair(asked, head));
    add(pair(asked, heads));
    add(pair(head, word(0)));
    add(pair(heads, spot.before.min(6)));
    add(pair(head, spot.before.min(6)));
    add(pair(head, classes));
    add(pair(asked, pair(spot.before.min(4), spot.after.min(4))));
    // What is put right.
    let (ahead, behind) = (spot.ahead, spot.behind);
    add(ahead.0);
    add(pair(ahead.0, ahead.1));
    add(behind.0);
    add(pair(behind.0, behind.1));
    add(pair(ahead.0, pair(asked, tagged(0))));
    add(pair(behind.0, pair(asked, tagged(0))));
    add(pair(ahead.0, behind.0));
    add(pair(spot.again, asked));
    add(pair(spot.again, pair(ahead.0, behind.0)));
    // The reply's first words.
    let opening = tokens.first().map_or(1, |first| first.hash);
    add(pair(opening, asked));
    add(pair(opening, word(0)));
}

/// Scores of each word's labels by a field of these features.
#[must_use]
pub fn scores<const L: usize>(field: &Field<L>, tokens: &[Token], context: &Context) -> Vec<Row<L>> {
    let row = |at| {
        let mut sum = field.sum();
        each(tokens, context, at, |feature| sum.add(feature));
        sum.row()
    };
    (0..tokens.len()).map(row).collect()
}

/// Two values as one.
const fn pair(a: u64, b: u64) -> u64 {
    a.wrapping_mul(0x0100_0000_01b3).rotate_left(23) ^ b
}
