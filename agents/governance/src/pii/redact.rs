//! Personal data out, typed tokens in: `⟨phone:1⟩`, `⟨ssn:1⟩`, `⟨name:1⟩`.
//!
//! One redactor per call, so that the same value keeps its token, written or spoken, in any turn. A number that is said
//! in two breaths is put together; a question makes its answer clear. Reference and claim numbers, 911, fees, hours and
//! the county's own numbers stay.

use std::sync::Arc;

use language::Screen;

use super::checks;
use super::cues;
use super::findings::{Finding, Findings, replace};
use super::fragments;
use super::guardian::{Guardian, Settings};
use super::kind::{Category, Kind, KindSet};
use super::lexicon::{class, hash_of};
use super::numbers::{Gap, Piece, pieces};
use super::published::Public;
use super::scan::Scan;
use super::token::{Form, tokens};
use super::values::{Value, digits, value};
use super::vault::Vault;

/// Texts after which half a number is forgotten: the caller's next words, and what the agent says between.
const PENDING_FOR: u8 = 4;
/// Texts without a digit after which a secret that was named or asked for is forgotten: some turns, with what the agent
/// says in them.
const SECRET_FOR: u8 = 12;
/// Texts after which a question is forgotten.
const ASKED_FOR: u8 = 2;
/// Longest text that is taken for a question, in bytes.
const LONGEST_QUESTION: usize = 300;

/// The [`Screen`] of one call.
#[derive(Clone, Debug)]
pub struct Redactor {
    settings: Settings,
    vault: Vault,
    pending: Option<Pending>,
    secret: Option<Secret>,
    asked: u64,
    asked_for: u8,
}

/// A secret that was named or asked for: digits that come now are parts of it.
#[derive(Clone, Copy, Debug)]
struct Secret {
    kind: Kind,
    /// The number of its token, once digits of it were said.
    number: Option<usize>,
    texts_left: u8,
}

/// The digits with which a text ended.
#[derive(Clone)]
struct Pending {
    /// What they are part of, if that was said, with the number of their token.
    known: Option<(Kind, usize)>,
    digits: String,
    texts_left: u8,
}

impl std::fmt::Debug for Pending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pending").field("known", &self.known).field("digits", &self.digits.len()).finish()
    }
}

impl Default for Redactor {
    fn default() -> Self {
        Self::new(Public::default())
    }
}

impl Redactor {
    /// Makes tokens of [`KindSet::CALL`], and of nothing in `public`: what the county prints on its own letters is
    /// spoken in the clear.
    #[must_use]
    pub fn new(public: Public) -> Self {
        Self::with(public, KindSet::CALL)
    }

    /// Makes tokens of `kinds`, and of nothing in `public`.
    #[must_use]
    pub fn with(public: Public, kinds: KindSet) -> Self {
        let settings =
            Settings { kinds: kinds.and(KindSet::PERSONAL), public: Arc::new(public), ..Settings::default() };
        Self { settings, vault: Vault::default(), pending: None, secret: None, asked: 0, asked_for: 0 }
    }

    /// The kinds that become tokens.
    #[must_use]
    pub const fn kinds(&self) -> KindSet {
        self.settings.kinds
    }

    /// Keys that the caller pressed, as one number. What is long enough to be a phone, card or social security number
    /// is taken for one.
    pub fn screen_keys(&mut self, keys: &str) -> String {
        let spaced = || keys.chars().map(|c| format!("{c} ")).collect::<String>().trim_end().to_owned();
        match keys.len() {
            7 | 10 | 11 => self.screen(&spaced()).replace(' ', ""),
            9 => self.numbered(Kind::Ssn, keys),
            12.. => self.numbered(Kind::CreditCard, keys),
            _ => keys.to_owned(),
        }
    }

    /// The text with the values of tokens that may be told in it, for the store. Other tokens stay.
    #[must_use]
    pub fn reveal(&self, text: &str) -> String {
        self.vault.replaced(text, |token, _, value| value.map_or_else(|| token.to_owned(), str::to_owned))
    }

    /// The text as it is said to the caller whose data it holds: numbers as they are read back, `instead` for what
    /// is never read out or was never said.
    #[must_use]
    pub fn spoken(&self, text: &str, instead: &str) -> String {
        self.vault.replaced(text, |_, kind, value| match value {
            Some(value) if kind == Kind::Phone => grouped(value),
            Some(value) => value.to_owned(),
            None => instead.to_owned(),
        })
    }

    /// Digits of the phone number that a token stands for: ten, or seven of a local one.
    #[must_use]
    pub fn phone(&self, text: &str) -> Option<&str> {
        self.vault.first(text, Kind::Phone)
    }

    /// What a token of this kind in a text stands for, if it may be told: a name or an address to be filed.
    #[must_use]
    pub fn told(&self, text: &str, kind: Kind) -> Option<&str> {
        self.vault.first(text, kind).filter(|_| kind.may_be_told())
    }

    fn numbered(&mut self, kind: Kind, said: &str) -> String {
        let number = self.vault.number(kind, &value(kind, said));
        format!("⟨{}:{number}⟩", kind.name())
    }

    /// Findings of a text in its place in the call: the question before it, and half a number before it.
    fn findings(&self, text: &str, run: Option<&Lead>) -> (Findings, Option<(Kind, usize)>) {
        let mut settings = self.settings.clone();
        settings.expected = if self.asked_for > 0 { self.asked } else { 0 };
        let found = Guardian.check(text, &settings);
        let Some((kind, lead)) = run.and_then(|lead| Some((self.continues(lead)?, lead))) else {
            return (found, None);
        };
        let finding = Finding { kind, start: lead.start, end: lead.end, confidence: 0.8 };
        let mut all: Vec<Finding> =
            found.0.into_iter().filter(|f| f.start >= lead.end || f.end <= lead.start).collect();
        all.push(finding);
        all.sort_by_key(|f| f.start);
        (Findings(all), Some((kind, lead.start)))
    }

    /// What the digits at the front of a text make together with those at the end of an earlier one.
    fn continues(&self, lead: &Lead) -> Option<Kind> {
        let pending = self.pending.as_ref()?;
        let (before, more) = (pending.digits.len(), lead.digits.len());
        let kind = match pending.known {
            Some((kind, _)) => {
                let longest = match kind {
                    Kind::Ssn => 9,
                    Kind::CreditCard => 19,
                    Kind::Phone => 10,
                    _ => 17,
                };
                (more >= 2 && before + more <= longest).then_some(kind)
            }
            None => {
                let all: Vec<u8> =
                    pending.digits.bytes().chain(lead.digits.bytes()).map(|b| b - b'0').collect();
                let card = (13..=19).contains(&all.len()) && checks::luhn(&all) && checks::card_range(&all);
                let phone = checks::nanp(&all) && matches!(before, 3 | 6);
                if card { Some(Kind::CreditCard) } else { phone.then_some(Kind::Phone) }
            }
        }?;
        self.settings.kinds.has(kind).then_some(kind)
    }

    fn put(&mut self, text: &str, finding: &Finding, continued: bool) -> Option<String> {
        if !matches!(finding.kind.category(), Category::Pii | Category::Secret) {
            return None;
        }
        let said = text.get(finding.start..finding.end)?;
        if !continued {
            let rest = if finding.kind == Kind::Phone { extension(said) } else { "" };
            return Some(self.numbered(finding.kind, said) + rest);
        }
        let pending = self.pending.as_ref()?;
        let whole = format!("{}{}", pending.digits, digits(said));
        let value = Value { key: whole.clone(), filed: whole };
        let number = match pending.known {
            Some((_, number)) => {
                self.vault.complete(finding.kind, number, &value);
                number
            }
            None => self.vault.number(finding.kind, &value),
        };
        Some(format!("⟨{}:{number}⟩", finding.kind.name()))
    }

    /// Keeps the digits at the end of a text for the next one.
    fn keep_end(&mut self, ends: &Ends, last: Option<(Kind, usize, String)>, continued: bool) {
        let before = self.pending.take();
        let Some(trail) = &ends.trail else {
            self.pending = before
                .and_then(|p| (p.texts_left > 1).then(|| Pending { texts_left: p.texts_left - 1, ..p }));
            return;
        };
        let earlier = before.filter(|_| continued).map(|p| p.digits).unwrap_or_default();
        let digits = earlier + &trail.digits;
        let known =
            last.filter(|(kind, ..)| is_part(*kind, digits.len())).map(|(kind, number, _)| (kind, number));
        let open = known.is_some() || (!ends.referred && (3..=16).contains(&digits.len()));
        self.pending = open.then_some(Pending { known, digits, texts_left: PENDING_FOR });
    }

    fn keep_question(&mut self, text: &str) {
        self.asked_for = self.asked_for.saturating_sub(1);
        let text = text.trim_end();
        let asks = text.ends_with('?') || text.contains("please") || text.contains("por favor");
        if asks && text.len() <= LONGEST_QUESTION {
            let mut asked = cues::asked(text);
            // "My number is …, please file it" asks for no file number: what is a telephone's beside it stays one.
            if asked & cues::PHONE != 0 {
                asked &= !(cues::NEGATIVE | cues::NEGATIVE_WEAK);
            }
            if asked != 0 {
                (self.asked, self.asked_for) = (asked, ASKED_FOR);
            }
            match fragments::kind_of(asked & fragments::SECRET).filter(|kind| self.settings.kinds.has(*kind))
            {
                Some(kind) if self.secret.is_none_or(|open| open.kind != kind) => {
                    self.secret = Some(Secret { kind, number: None, texts_left: SECRET_FOR });
                }
                // Something else is asked for now.
                None if asked & (cues::NUMERIC | cues::RESIDENCE | cues::NAME) != 0 => {
                    self.secret = None;
                    self.pending =
                        self.pending.take().filter(|p| p.known.is_none_or(|(k, _)| k == Kind::Phone));
                }
                _ => {}
            }
        }
    }
}

/// Whether so many digits are only part of a number of this kind.
const fn is_part(kind: Kind, digits: usize) -> bool {
    match kind {
        Kind::Ssn => digits < 9,
        Kind::CreditCard => digits < 13,
        Kind::BankAccount => digits < 8,
        Kind::Phone => digits < 7,
        _ => false,
    }
}

/// Digits at the front or the end of a text, with their bytes.
#[derive(Debug)]
struct Lead {
    start: usize,
    end: usize,
    digits: String,
}

#[derive(Debug, Default)]
struct Ends {
    lead: Option<Lead>,
    trail: Option<Lead>,
    /// The digits at the end belong to a reference, a permit and the like.
    referred: bool,
}

fn ends(text: &str, settings: &Settings) -> Ends {
    let (mut toks, mut found) = (Vec::new(), Vec::new());
    tokens(text, &mut toks);
    cues::find(&toks, &mut found);
    let scan = Scan { text, toks: &toks, cues: &found, settings, found: Vec::new() };
    let pieces = pieces(&scan);
    let small =
        |n: usize| toks[n].is(class::FILLER | class::CONNECTOR) || matches!(toks[n].form, Form::Sign(_));
    let part = |run: &[Piece]| {
        let (first, last) = (run.first()?, run.last()?);
        let mut digits = String::new();
        for piece in run {
            digits.extend(piece.digits.as_slice().iter().map(|d| char::from(b'0' + d)));
        }
        let (start, end) = (toks[first.from].start, toks[last.to - 1].end);
        (digits.len() <= 19).then_some(Lead { start, end, digits })
    };
    let first_run = pieces.iter().skip(1).position(|p| p.gap == Gap::Start).map_or(pieces.len(), |n| n + 1);
    let last_run = pieces.iter().rposition(|p| p.gap == Gap::Start).unwrap_or(0);
    let lead = pieces
        .first()
        .filter(|p| p.from <= 5 && (0..p.from).all(small))
        .and_then(|_| part(&pieces[..first_run]));
    let at_end = pieces.last().filter(|p| toks.len() - p.to <= 4 && (p.to..toks.len()).all(small));
    let trail = at_end.and_then(|_| part(&pieces[last_run..]));
    let referred = at_end.is_some() && {
        let (from, to) = (pieces[last_run].from, pieces[pieces.len() - 1].to);
        scan.numeric_cue(from, to) & cues::NEGATIVE != 0
    };
    Ends { lead, trail, referred }
}

/// What follows a phone number in its finding: " ext. 12" is no secret and is needed to dial.
fn extension(said: &str) -> &str {
    let mut toks = Vec::new();
    tokens(said, &mut toks);
    let named = |t: &&super::token::Token| {
        ["ext", "extension", "x"].iter().any(|w| t.hash == hash_of(w))
            || (t.form == Form::Mixed && said[t.start..].starts_with(['x', 'X']))
    };
    let Some(at) = toks.iter().position(|t| named(&t)) else { return "" };
    at.checked_sub(1).and_then(|before| said.get(toks[before].end..)).unwrap_or("")
}

/// A phone number in the groups in which it is said; anything else as it is.
fn grouped(value: &str) -> String {
    let digits = value.bytes().all(|b| b.is_ascii_digit());
    match value.len() {
        10 if digits => format!("{}-{}-{}", &value[..3], &value[3..6], &value[6..]),
        7 if digits => format!("{}-{}", &value[..3], &value[3..]),
        _ => value.to_owned(),
    }
}

impl Redactor {
    /// Adds the parts of a secret that no detector knows for what they are, and says where they begin.
    fn add_parts(&mut self, text: &str, found: Findings) -> (Findings, Vec<usize>) {
        let (mut toks, mut cues) = (Vec::new(), Vec::new());
        tokens(text, &mut toks);
        if toks.iter().any(|token| token.form == Form::Mark) {
            // It was screened before. What is left of a number's surroundings would be read anew, and differently.
            return (found, Vec::new());
        }
        cues::find(&toks, &mut cues);
        let scan = Scan { text, toks: &toks, cues: &cues, settings: &self.settings, found: Vec::new() };
        let pieces = pieces(&scan);
        let named = fragments::named(&scan, &pieces).filter(|(kind, _)| self.settings.kinds.has(*kind));
        let after = named.map_or(0, |(_, after)| after);
        if let Some((kind, _)) = named
            && self.secret.is_none_or(|open| open.kind != kind)
        {
            self.secret = Some(Secret { kind, number: None, texts_left: SECRET_FOR });
        }
        let (kind, parts) = match self.secret {
            Some(open) => (open.kind, fragments::parts(&scan, &pieces, after, open.number.is_some())),
            None if self.asked_for > 0 && self.asked & cues::NUMERIC != 0 => return (found, Vec::new()),
            None => (Kind::Ssn, fragments::taken_back(&scan, &pieces)),
        };
        if parts.other {
            self.secret = None;
        } else if parts.runs.is_empty() {
            self.secret = self.secret.and_then(|open| {
                (open.texts_left > 1).then(|| Secret { texts_left: open.texts_left - 1, ..open })
            });
        }
        let (mut all, mut added) = (found.0, Vec::new());
        for (from, to) in parts.runs {
            let (start, end) = (toks[from].start, toks[to - 1].end);
            // A detector may have taken a stretch of it for a number by itself.
            let within = |f: &Finding| {
                let number =
                    matches!(f.kind, Kind::Ssn | Kind::CreditCard | Kind::BankAccount) || f.kind == kind;
                number && f.start >= start && f.end <= end && f.end - f.start < end - start
            };
            all.retain(|f| !within(f));
            if all.iter().all(|f| f.start >= end || f.end <= start) && self.settings.kinds.has(kind) {
                all.push(Finding { kind, start, end, confidence: 0.6 });
                added.push(start);
            }
        }
        all.sort_by_key(|f| f.start);
        (Findings(all), added)
    }

    /// The token of a part: that of the secret, once it has one.
    fn part(&mut self, kind: Kind, said: &str) -> String {
        let known = self.secret.filter(|open| open.kind == kind).and_then(|open| open.number);
        let number = known.unwrap_or_else(|| self.vault.number(kind, &value(kind, said)));
        format!("⟨{}:{number}⟩", kind.name())
    }
}

impl Redactor {
    /// With a number gone, what stands beside it may be known for another.
    fn looked_at_again(&mut self, screened: String) -> String {
        let (findings, _) = self.findings(&screened, None);
        if findings.0.is_empty() {
            return screened;
        }
        replace(&screened, &findings, |finding| self.put(&screened, finding, false))
    }
}

impl Screen for Redactor {
    fn token(&mut self, kind: &str, text: &str) -> String {
        Kind::of(kind).map_or_else(|| format!("⟨{kind}:0⟩"), |kind| self.numbered(kind, text))
    }

    fn stands_for(&self, token: &str) -> Option<String> {
        Some(self.reveal(token)).filter(|value| value != token)
    }

    fn screen(&mut self, text: &str) -> String {
        let ends = ends(text, &self.settings);
        let (findings, joined) = self.findings(text, ends.lead.as_ref());
        let (findings, parts) = self.add_parts(text, findings);
        let mut last = None;
        let out = replace(text, &findings, |finding| {
            let continued = joined == Some((finding.kind, finding.start));
            let token = if parts.contains(&finding.start) {
                self.part(finding.kind, text.get(finding.start..finding.end)?)
            } else {
                self.put(text, finding, continued)?
            };
            let number = token.split(':').nth(1).and_then(|t| t.split('⟩').next()?.parse().ok()).unwrap_or(0);
            if let Some(open) = self.secret.as_mut().filter(|open| open.kind == finding.kind) {
                *open = Secret { number: Some(number), texts_left: SECRET_FOR, ..*open };
            }
            last = Some((finding.kind, number, finding.end));
            Some(token)
        });
        let at_end = last.filter(|(.., end)| ends.trail.as_ref().is_some_and(|t| t.end == *end));
        let last = at_end.map(|(kind, number, _)| (kind, number, String::new()));
        let continued =
            joined.is_some() && ends.lead.as_ref().map(|l| l.start) == ends.trail.as_ref().map(|t| t.start);
        self.keep_end(&ends, last, continued);
        self.keep_question(text);
        if findings.0.is_empty() { out } else { self.looked_at_again(out) }
    }

    /// On a copy of what is remembered: what the recogniser takes back again is no part of what was said.
    fn glimpse(&mut self, text: &str) -> String {
        self.clone().screen(text)
    }
}
