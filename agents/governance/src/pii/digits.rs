//! Which kind of number a run of digits is: by length, check digits, grouping and cues.

use super::checks;
use super::cues::{
    ACCOUNT, API_KEY, BANK, BIRTH, CARD, Cue, LICENSE, MEDICAL_ID, NEGATIVE, NEGATIVE_WEAK, NUMBER, NUMERIC,
    PASSPORT, PASSWORD, PHONE, ROUTING, SSN, SSN_WEAK,
};
use super::dates;
use super::kind::Kind;
use super::lexicon::{class, hash_of};
use super::numbers::{Digits, Gap, Piece};
use super::scan::{REACH, Scan};
use super::token::{Form, Token};

/// Pieces of one number: a card said digit by digit has up to nineteen.
const MOST_PIECES: usize = 19;

/// Tokens between "social security number" and nine digits in one piece, which are hardly anything else.
const FAR: usize = 14;

/// Some pieces of one run, put together.
struct Window<'a> {
    pieces: &'a [Piece],
    digits: Digits,
    lengths: [u8; MOST_PIECES],
    cue: u64,
    /// The cue stands behind it, "… is my social", or another number stands between.
    cue_follows: bool,
    /// The cue speaks of a number before it, or has had a whole one since.
    served: bool,
    /// Somebody is to be called, further off.
    called: bool,
    /// Nothing else was said in the same breath.
    entire: bool,
    /// A letter stands before it: "r b twenty twenty six", a reference.
    lettered: bool,
    /// Written as a date, and nothing firm says what else it is.
    dated: bool,
    /// The text ends with it.
    last: bool,
    /// The text is nothing else.
    alone: bool,
    plus: bool,
}

impl Window<'_> {
    fn lengths(&self) -> &[u8] {
        &self.lengths[..self.pieces.len()]
    }

    fn has(&self, cue: u64) -> bool {
        self.cue & cue != 0
    }

    fn one_by_one(&self) -> bool {
        self.pieces.iter().any(|p| p.spoken) || self.lengths().iter().all(|n| *n == 1)
    }

    /// Nothing says what it is, or no more than "my number".
    fn unnamed(&self) -> bool {
        self.cue == 0 || (self.has(NUMBER) && self.cue & !(NUMBER | PHONE) == 0)
    }

    fn starts(&self) -> bool {
        self.pieces[0].gap == Gap::Start
    }

    /// Whether pieces end there, whatever they are made of: "five oh two nineteen seventy seven forty three".
    fn breaks_at(&self, places: &[u8]) -> bool {
        let mut sum = 0;
        let ends: Vec<u8> = self
            .lengths()
            .iter()
            .map(|length| {
                sum += length;
                sum
            })
            .collect();
        places.iter().all(|place| ends.contains(place))
    }

    fn singles(&self) -> usize {
        self.lengths().iter().filter(|n| **n == 1).count()
    }

    /// Whether pieces end after so many digits each, whatever they are made of.
    fn groups(&self, groups: &[u8]) -> bool {
        let (mut sum, mut group, mut target) = (0, 0, 0);
        for (n, length) in self.lengths().iter().enumerate() {
            if sum == target {
                let Some(next) = groups.get(group) else { return false };
                // A new group begins after some pause, where there are any.
                if n > 0 && self.pieces[n].gap == Gap::Blank && self.pauses() {
                    return false;
                }
                target += next;
                group += 1;
            }
            sum += length;
        }
        sum == target && group == groups.len()
    }

    fn pauses(&self) -> bool {
        self.pieces[1..].iter().any(|p| p.gap != Gap::Blank)
    }
}

/// Proposes all numbers of the text.
pub(super) fn find(scan: &mut Scan<'_>, pieces: &[Piece]) {
    let mut machines: Vec<(usize, usize)> =
        scan.found.iter().filter(|c| c.kind == Kind::IpAddress).map(|c| (c.from, c.to)).collect();
    machines.sort_unstable();
    let taken = |piece: &Piece| {
        let last = machines.partition_point(|(from, _)| *from < piece.to).checked_sub(1);
        last.is_some_and(|last| piece.from < machines[last].1)
    };
    let mut from = 0;
    while from < pieces.len() {
        let run = 1 + pieces[from + 1..].iter().take_while(|p| p.gap != Gap::Start).count();
        // The numbers of a machine's address are parts of nothing else.
        for part in pieces[from..from + run].split(taken) {
            find_in_run(scan, part);
        }
        from += run;
    }
}

fn find_in_run(scan: &mut Scan<'_>, run: &[Piece]) {
    let total: usize = run.iter().take(MOST_PIECES).map(|p| p.digits.len()).sum();
    if total < 3 {
        return;
    }
    // "Oh, okay, two oh two …": no digit.
    let before = scan.found.len();
    let mut at =
        usize::from(run.len() > 1 && run[1].gap == Gap::Other && scan.hash_is(run[0].from, hash_of("oh")));
    while at < run.len() {
        match longest(scan, run, at) {
            Some(Known { kind, used, confidence, public }) => {
                // What is public is so as a whole: a part of it is nobody's number either.
                if !public {
                    let (from, to) = bounds(scan, kind, &run[at..at + used]);
                    scan.propose(kind, from, to, confidence);
                }
                at += used;
            }
            None => at += unknown(&run[at..]),
        }
    }
    let has_card = scan.found[before..].iter().any(|c| c.kind == Kind::CreditCard);
    if let (Some(first), Some(last)) = (run.first(), run.last())
        && !has_card
        && holds_card(scan, run)
    {
        scan.propose(Kind::CreditCard, first.from, last.to, 0.8);
    }
}

/// Pieces to pass where nothing begins. "oh five dash one one two dash three three dash …": what begins amid the dashes
/// of a longer number is a part of it.
fn unknown(run: &[Piece]) -> usize {
    let chained = |p: &&Piece| matches!(p.gap, Gap::Dash | Gap::Blank);
    let chain = 1 + run[1..].iter().take(2 * MOST_PIECES).take_while(chained).count();
    let dashes = run[1..chain].iter().filter(|p| p.gap == Gap::Dash).count();
    if dashes > 2 { chain } else { 1 }
}

/// More digits than any card has, with a card's among them. What is named a tracking number and the like is none.
fn holds_card(scan: &Scan<'_>, run: &[Piece]) -> bool {
    const MOST: usize = 512;
    let over = |piece: &Piece| piece.digits.over;
    if run.len() <= MOST_PIECES
        && !run.iter().any(over)
        && run.iter().map(|p| p.digits.len()).sum::<usize>() <= 19
    {
        return false;
    }
    let (Some(first), Some(last)) = (run.first(), run.last()) else { return false };
    if scan.numeric_cue(first.from, last.to) & NEGATIVE != 0 {
        return false;
    }
    let mut all = Vec::new();
    for piece in run {
        if over(piece) {
            let written = scan.toks[piece.from..piece.to].iter().map(|t| &scan.text[t.start..t.end]);
            all.extend(written.flat_map(str::chars).filter_map(|c| u8::try_from(c.to_digit(10)?).ok()));
        } else {
            all.extend_from_slice(piece.digits.as_slice());
        }
        if all.len() > MOST {
            break;
        }
    }
    (13..=19).any(|n| all.windows(n).any(|w| checks::luhn(w) && checks::card_range(w)))
}

fn is_front(scan: &Scan<'_>, run: &[Piece], at: usize) -> bool {
    at == 0 || (at == 1 && scan.hash_is(run[0].from, hash_of("oh")))
}

/// A number of so many pieces.
struct Known {
    kind: Kind,
    used: usize,
    confidence: f32,
    /// The tenant publishes it.
    public: bool,
}

/// The longest number that begins at this piece of a run.
fn longest(scan: &Scan<'_>, run: &[Piece], at: usize) -> Option<Known> {
    let rest = &run[at..];
    (1..=fitting(rest)).rev().find_map(|used| {
        let window =
            Window { entire: used == rest.len() && is_front(scan, run, at), ..window(scan, rest, used)? };
        let (kind, confidence) = decide(&window)?;
        Some(Known { kind, used, confidence, public: is_public(scan, kind, &window.digits) })
    })
}

fn fitting(run: &[Piece]) -> usize {
    let mut sum = 0;
    run.iter()
        .take(MOST_PIECES)
        .take_while(|p| {
            sum += p.digits.len();
            sum <= 19 && !p.digits.over
        })
        .count()
}

fn window<'a>(scan: &Scan<'_>, run: &'a [Piece], used: usize) -> Option<Window<'a>> {
    let pieces = run.get(..used)?;
    let mut digits = Digits::default();
    let mut lengths = [0; MOST_PIECES];
    for (n, piece) in pieces.iter().enumerate() {
        digits.append(&piece.digits);
        lengths[n] = u8::try_from(piece.digits.len()).ok()?;
    }
    if digits.len() < 3 {
        return None;
    }
    let (from, to) = (pieces[0].from, pieces[used - 1].to);
    let plus = from > 0 && (scan.sign(from - 1, '+') || said_plus(scan, from - 1));
    let last = scan.toks.len() - to <= 6
        && scan.toks[to..].iter().all(|t| matches!(t.form, Form::Sign(_)) || t.is(class::FILLER));
    let small = |t: &Token| matches!(t.form, Form::Sign(_)) || t.is(class::FILLER | class::CONNECTOR);
    let alone = last && from <= 6 && scan.toks[..from].iter().all(small);
    let mut cue = scan.numeric_cue(from, to);
    // "my full social, hold on, let me get my card, it's …": no card has nine digits.
    if digits.len() == 9 && cue & CARD != 0 {
        cue |= scan.cue_before(from, SSN | SSN_WEAK, FAR);
    }
    if digits.len() == 9 && cue & (NEGATIVE | BANK | ROUTING | LICENSE | PASSPORT | MEDICAL_ID) == 0 {
        cue |= scan.cue_before(from, SSN, FAR) | scan.cue_after(to, SSN | SSN_WEAK);
    } else if digits.len() == 9 && cue & BANK != 0 {
        // "The social on the account is …".
        cue |= scan.cue_before(from, SSN | SSN_WEAK, 6);
    }
    let phone = checks::nanp(digits.as_slice()) && (pieces.len() > 3 || matches!(lengths[..2], [3, 3 | 7]));
    if digits.len() >= 8 && cue == 0 && !phone {
        cue = scan.cue_before(from, BANK | ACCOUNT, FAR);
    }
    let named = scan.nearest_before(from, NUMERIC, REACH);
    let number = |t: &Token| t.form == Form::Digits || t.is(class::NUMBER);
    let second = named.is_some_and(|cue| scan.toks[cue.to.min(from)..from].iter().any(number));
    let written = |t: &Token| if t.form == Form::Digits { t.len() } else { 0 };
    // "SSN 411-87-5502 / 1604 Garnet St": it has its number already.
    let whole =
        named.is_some_and(|cue| scan.toks[cue.to.min(from)..from].iter().map(written).sum::<usize>() >= 9);
    let served = whole || named.is_some_and(|cue| speaks_of_former(scan, cue));
    let cue_follows = cue != 0 && (second || named.is_none() && scan.settings.expected & NUMERIC == 0);
    let lettered =
        from > 0 && scan.toks[from - 1].is_letter() && !scan.is(from - 1, class::FUNCTION | class::FILLER);
    let dated =
        cue & ACCOUNT != 0 && pieces.len() <= 4 && dates::date(scan, from).is_some_and(|d| d.end >= to);
    Some(Window {
        pieces,
        digits,
        lengths,
        cue,
        cue_follows,
        served,
        called: cue & NEGATIVE_WEAK != 0 && scan.cue_before(from, PHONE, FAR) != 0,
        entire: false,
        lettered,
        dated,
        last,
        alone,
        plus,
    })
}

/// "… that's my social security number and I'm at sixteen oh five": what stands before the cue is what it speaks of, but for a
/// name: "Clarence's social is …".
fn speaks_of_former(scan: &Scan<'_>, cue: Cue) -> bool {
    let before = &scan.toks[cue.from.saturating_sub(5)..cue.from];
    let small = |t: &Token| t.is(class::CONNECTOR | class::FILLER | class::PERSONAL) || t.sign(',');
    let Some(at) = before.iter().rposition(|t| !small(t)) else { return false };
    let number = matches!(before[at].form, Form::Digits | Form::Mark) || before[at].is(class::NUMBER);
    let possessive = at + 2 == before.len() && before[at + 1].hash == hash_of("'s");
    number && !possessive
}

fn said_plus(scan: &Scan<'_>, at: usize) -> bool {
    (scan.hash_is(at, hash_of("plus")) || scan.hash_is(at, hash_of("mas"))) && scan.is(at + 1, class::NUMBER)
}

fn decide(w: &Window<'_>) -> Option<(Kind, f32)> {
    let digits = w.digits.as_slice();
    let sorted = w.has(LICENSE | PASSPORT | MEDICAL_ID | PASSWORD | API_KEY);
    if let 13..=19 = digits.len() {
        return card(w).map(|c| (Kind::CreditCard, c)).or_else(|| account(w)).or_else(|| phone(w));
    }
    // Medicare's old claim numbers are social security numbers.
    let medicare = w.has(MEDICAL_ID) && w.lengths() == [3, 2, 4] && checks::ssn(digits);
    if sorted && !plainly_phone(w) && !medicare {
        return None;
    }
    if checks::maestro(digits) && !w.has(NEGATIVE | BANK) {
        return Some((Kind::CreditCard, 0.8));
    }
    social(w)
        .map(|c| (Kind::Ssn, c))
        .or_else(|| card_part(w))
        .or_else(|| account(w))
        .or_else(|| phone(w))
        .or_else(|| breath(w))
}

/// Digits that were said one by one, in one breath, with nothing that says what they are: nobody reads out so many of a
/// fee or a date. All of them count, so that none is left over beside a part that looks like something.
fn breath(w: &Window<'_>) -> Option<(Kind, f32)> {
    let n = w.digits.len();
    let dotted = w.pieces[1..].iter().any(|p| p.gap == Gap::Dot);
    let said = w.entire
        && !w.lettered
        && !dotted
        && w.unnamed()
        && w.pieces.iter().all(|p| p.spoken)
        && w.singles() + 2 >= w.pieces.len();
    match n {
        9 if said && checks::aba(w.digits.as_slice()) && w.cue == 0 => Some((Kind::BankAccount, 0.6)),
        10..=17 if said && w.pieces.len() >= 6 => Some((Kind::BankAccount, 0.5)),
        _ => None,
    }
}

fn card(w: &Window<'_>) -> Option<f32> {
    let digits = w.digits.as_slice();
    let valid = checks::luhn(digits);
    let like_a_card =
        w.groups(&[4, 4, 4, 4]) || w.groups(&[4, 6, 5]) || w.groups(&[16]) && digits.len() == 16;
    if w.has(CARD) {
        return Some(if valid { 0.98 } else { 0.8 });
    }
    // "The card for the parking ticket was …": a word such as "ticket" does not outweigh check digit and length.
    let weak = w.has(NEGATIVE_WEAK) && !w.has(BANK);
    if w.has(NEGATIVE | BANK) && !(like_a_card && (weak || w.pieces.len() > 1)) {
        return None;
    }
    (valid && checks::card_range(digits) && !w.plus).then_some(0.95)
}

/// A card number that is not complete: the rest comes in another breath, or a digit was not heard.
fn card_part(w: &Window<'_>) -> Option<(Kind, f32)> {
    let n = w.digits.len();
    let part = w.has(CARD) && !plainly_phone(w) && (n >= 8 || (n >= 4 && w.last && w.one_by_one()));
    part.then_some((Kind::CreditCard, 0.6))
}

fn social(w: &Window<'_>) -> Option<f32> {
    let digits = w.digits.as_slice();
    if w.has(SSN | SSN_WEAK) && digits.len() == 9 {
        return Some(0.97);
    }
    if w.has(SSN) && !plainly_phone(w) && !w.served && (!w.cue_follows || digits.len() == 4) {
        let part = digits.len() == 4 || (5..=8).contains(&digits.len()) || (digits.len() == 3 && w.last);
        return part.then_some(0.6);
    }
    // "two three five dash four zero dash six six eight nine".
    let dashes = w.pieces[1..].iter().filter(|p| p.gap == Gap::Dash).count();
    let shaped = w.lengths() == [3, 2, 4] || dashes == 2 && w.groups(&[3, 2, 4]);
    let against =
        NEGATIVE | BANK | ROUTING | LICENSE | PASSPORT | if shaped { 0 } else { PHONE | MEDICAL_ID };
    let other = w.has(against) && !w.has(SSN_WEAK) && !(shaped && w.has(NEGATIVE_WEAK));
    let said = w.pieces.iter().all(|p| p.spoken) || w.lengths().iter().all(|n| *n == 1);
    let grouped = said && w.groups(&[3, 2, 4]) && w.pauses() || shaped;
    if digits.len() == 9 && w.alone && w.one_by_one() && w.cue == 0 && checks::ssn(digits) {
        return Some(0.6);
    }
    // Nothing else of nine digits is said like this, but for the number of a bank, which its check digit tells.
    let breath = w.entire && said && w.unnamed() && w.breaks_at(&[3, 5]);
    if digits.len() == 9 && breath && checks::ssn(digits) && !(w.cue == 0 && checks::aba(digits)) {
        return Some(0.6);
    }
    // "521-648837", as a recogniser writes one that was said in two tries.
    let two = w.unnamed() && w.entire && dashes == 1 && (w.lengths() == [3, 6] || w.lengths() == [5, 4]);
    if digits.len() == 9 && two && checks::ssn(digits) {
        return Some(0.6);
    }
    (digits.len() == 9 && grouped && !other && checks::ssn(digits)).then_some(0.9)
}

fn account(w: &Window<'_>) -> Option<(Kind, f32)> {
    let n = w.digits.len();
    if w.has(ROUTING) && n == 9 && (!w.has(NEGATIVE) || checks::aba(w.digits.as_slice())) {
        return Some((Kind::BankAccount, if checks::aba(w.digits.as_slice()) { 0.97 } else { 0.8 }));
    }
    let whole = (6..=17).contains(&n) && (w.has(BANK) || !plainly_phone(w));
    // "the routing is … and nine double zero …": the other number of the same bank.
    let bank = w.has(BANK | ROUTING) && !(w.has(NEGATIVE) && n < 8);
    if bank && (whole || (n >= 4 && w.last && w.one_by_one())) {
        return Some((Kind::BankAccount, 0.85));
    }
    let other = w.dated || w.has(PHONE | NEGATIVE | CARD | SSN | SSN_WEAK);
    (w.has(ACCOUNT) && !other && whole && n >= 7 && w.lengths() != [3, 4]).then_some((Kind::BankAccount, 0.7))
}

/// Grouped as only phone numbers are.
fn plainly_phone(w: &Window<'_>) -> bool {
    let (digits, lengths) = (w.digits.as_slice(), w.lengths());
    let ten = lengths == [3, 3, 4] && checks::nanp(digits);
    ten || (lengths == [1, 3, 3, 4] && digits[0] == 1 && checks::nanp(&digits[1..]))
}

fn phone(w: &Window<'_>) -> Option<(Kind, f32)> {
    let digits = w.digits.as_slice();
    if w.plus && (8..=15).contains(&digits.len()) && (w.pieces.len() <= 8 || w.pieces[0].spoken) {
        return Some((Kind::Phone, 0.9));
    }
    let called = w.called && digits.len() == 10 && w.entire && checks::nanp(digits);
    if w.has(NEGATIVE | BANK | ROUTING) && !(w.has(NEGATIVE_WEAK) && (plainly_phone(w) || called)) {
        return None;
    }
    // 6.02214076 is a fraction.
    if w.pieces.iter().any(|p| p.gap == Gap::Dot && !p.spoken && p.digits.len() > 4) {
        return None;
    }
    let confidence = match digits.len() {
        10 => ten_digits(w, digits),
        11 if digits[0] == 1 => ten_digits(w, &digits[1..]),
        7 => seven_digits(w, digits),
        13 if digits[..3] == [0, 0, 1] && checks::nanp(&digits[3..]) => Some(0.9),
        9 if w.has(PHONE) => Some(0.7),
        8 | 11..=15 if w.has(PHONE) && !w.has(BIRTH) => Some(0.6),
        6 if w.has(PHONE) && w.last && w.one_by_one() => Some(0.55),
        _ => None,
    };
    confidence.map(|c| (Kind::Phone, c))
}

fn ten_digits(w: &Window<'_>, ten: &[u8]) -> Option<f32> {
    const GROUPS: [&[u8]; 10] = [
        &[10],
        &[11],
        &[3, 3, 4],
        &[1, 3, 3, 4],
        &[3, 7],
        &[6, 4],
        &[3, 3, 2, 2],
        &[1, 10],
        &[3, 4, 3],
        &[1, 3, 7],
    ];
    let usual = GROUPS.contains(&w.lengths());
    let firm = w.pieces[1..].iter().any(|p| matches!(p.gap, Gap::Dash | Gap::Dot | Gap::Other));
    if checks::nanp(ten) {
        // "505 288 6 1 3 7".
        let said = w.entire && w.breaks_at(&[3, 6]) && w.singles() >= 2;
        return (w.one_by_one() || usual || said || w.has(PHONE)).then_some(0.92);
    }
    (w.has(PHONE) || (firm && usual && w.pieces.len() > 1)).then_some(0.7)
}

fn seven_digits(w: &Window<'_>, seven: &[u8]) -> Option<f32> {
    if !checks::exchange(seven) {
        return (w.has(PHONE) && w.groups(&[3, 4])).then_some(0.6);
    }
    if w.has(PHONE) {
        return Some(0.85);
    }
    if w.has(BIRTH) {
        return None;
    }
    let year = seven[3..5] == [1, 9] || seven[3..5] == [2, 0];
    if w.lettered {
        return None;
    }
    let written = w.lengths() == [3, 4]
        && !w.pieces[0].spoken
        && (w.pieces[1].gap != Gap::Blank || (w.starts() && !year));
    let breath = w.entire && w.breaks_at(&[3]) && w.singles() >= 3;
    let said = w.one_by_one() && w.groups_of_local() && (w.singles() >= 5 || breath);
    (written || said || (w.lengths() == [3, 4] && !year && w.pieces[0].spoken)).then_some(0.75)
}

impl Window<'_> {
    fn groups_of_local(&self) -> bool {
        let mut sum = 0;
        self.lengths().iter().any(|n| {
            sum += n;
            sum == 3
        })
    }
}

fn is_public(scan: &Scan<'_>, kind: Kind, digits: &Digits) -> bool {
    kind == Kind::Phone && scan.settings.public.is_phone(digits.as_slice())
}

/// The tokens of a number with the signs and extension that belong to it.
fn bounds(scan: &Scan<'_>, kind: Kind, pieces: &[Piece]) -> (usize, usize) {
    let (mut from, mut to) = (pieces[0].from, pieces[pieces.len() - 1].to);
    if kind != Kind::Phone {
        return (from, to);
    }
    let closes = scan.toks[from..to].iter().any(|t| t.sign(')'));
    if from > 0 && scan.sign(from - 1, '(') && closes {
        from -= 1;
    }
    if from > 0 && (scan.sign(from - 1, '+') || said_plus(scan, from - 1)) {
        from -= 1;
    }
    to = extension(scan, to);
    (from, to)
}

fn extension(scan: &Scan<'_>, to: usize) -> usize {
    let comma = usize::from(scan.sign(to, ',') || scan.is(to, class::FILLER));
    let at = to + comma;
    let Some(token) = scan.toks.get(at) else { return to };
    let word = scan.word(at);
    let packed = token.form == Form::Mixed
        && word.starts_with(['x', 'X'])
        && word[1..].bytes().all(|b| b.is_ascii_digit());
    if packed && word.len() > 1 {
        return at + 1;
    }
    let named = ["ext", "extension", "x"].iter().any(|w| token.hash == hash_of(w));
    let digits = at + 1 + usize::from(scan.sign(at + 1, '.'));
    if !named {
        return to;
    }
    let number = |t: usize| scan.toks.get(t).is_some_and(|t| t.form == Form::Digits || t.is(class::NUMBER));
    let more = (digits..digits + 6).take_while(|t| number(*t)).count();
    if more == 0 { to } else { digits + more }
}
