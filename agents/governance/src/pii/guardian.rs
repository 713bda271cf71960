//! The check itself: tokens once, every detector over them, overlaps resolved.

use std::sync::Arc;

use super::cues::{self, Cue};
use super::findings::{Finding, Findings};
use super::kind::{Category, Kind, KindSet};
use super::lexicon::lexicon;
use super::published::Public;
use super::scan::{Candidate, Scan};
use super::token::{Form, Token, tokens};
use super::{addresses, codes, dates, digits, emails, ip, medical, names, numbers, secrets, spoken_emails};

/// Rounds over one text. What a first round takes out may give words beside it another meaning; a second one sees the
/// text as it will be read.
const ROUNDS: usize = 4;

/// What is looked for, and what is known beside the text.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Kinds to report.
    pub kinds: KindSet,
    /// Findings below this are left out; 0 to 1.
    pub min_confidence: f32,
    /// What the county itself has published.
    pub public: Arc<Public>,
    /// Cues of the question that this text answers; see [`Settings::answering`].
    pub(super) expected: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { kinds: KindSet::ALL, min_confidence: 0.5, public: Arc::default(), expected: 0 }
    }
}

impl Settings {
    /// The same settings for the answer to a question: after "What is your social security number?" nine digits are one.
    #[must_use]
    pub fn answering(&self, question: &str) -> Self {
        Self { expected: cues::asked(question), ..self.clone() }
    }
}

/// Finds personal data, secrets, threats and forbidden promises. Holds nothing but rules: share one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Guardian;

impl Guardian {
    /// A guardian, with its words read.
    #[must_use]
    pub fn new() -> Self {
        let _ = lexicon();
        Self
    }

    /// All that is found in a text. Takes time and memory in proportion to its length.
    #[must_use]
    pub fn check(&self, text: &str, settings: &Settings) -> Findings {
        let mut toks = Vec::new();
        tokens(text, &mut toks);
        let mut cues: Vec<Cue> = Vec::new();
        let mut all: Vec<Finding> = Vec::new();
        for _ in 0..ROUNDS {
            cues::find(&toks, &mut cues);
            let found = resolve(detect(text, &toks, &cues, settings), toks.len(), settings);
            if found.is_empty() {
                break;
            }
            let taken_out = take(&mut toks, &found, &mut all);
            if !taken_out {
                break;
            }
        }
        all.sort_by_key(|finding| finding.start);
        all.dedup_by_key(|finding| finding.start);
        Findings(all)
    }
}

fn detect(text: &str, toks: &[Token], cues: &[Cue], settings: &Settings) -> Vec<Candidate> {
    let mut scan = Scan { text, toks, cues, settings, found: Vec::new() };
    emails::find(&mut scan);
    spoken_emails::find(&mut scan);
    ip::find(&mut scan);
    secrets::find(&mut scan);
    codes::find(&mut scan);
    let pieces = numbers::pieces(&scan);
    digits::find(&mut scan, &pieces);
    names::find(&mut scan);
    dates::find(&mut scan);
    addresses::find(&mut scan);
    medical::find(&mut scan);
    content(&mut scan);
    let named: Vec<bool> = scan
        .found
        .iter()
        .map(|c| c.kind == Kind::Name && settings.public.is_name(&scan, c.from, c.to))
        .collect();
    let mut public = named.into_iter();
    scan.found.retain(|_| !public.next().unwrap_or(false));
    scan.found
}

fn content(scan: &mut Scan<'_>) {
    const KINDS: [(u64, Kind); 5] = [
        (cues::THREAT, Kind::Threat),
        (cues::SELF_HARM, Kind::SelfHarm),
        (cues::PROFANITY, Kind::Profanity),
        (cues::PROMISE, Kind::Promise),
        (cues::ADVICE, Kind::Advice),
    ];
    for n in 0..scan.cues.len() {
        let cue = scan.cues[n];
        let kind = KINDS.iter().find(|(mask, _)| cue.mask & mask != 0);
        if let Some((_, kind)) = kind {
            scan.propose(*kind, cue.from, cue.to, 0.8);
        }
    }
}

/// Which of two overlapping findings stands: the one of the firmer kind, then the longer one.
const fn rank(kind: Kind) -> u8 {
    match kind {
        Kind::Secret | Kind::Email => 9,
        Kind::BankAccount | Kind::Passport | Kind::DriversLicense => 8,
        Kind::Ssn | Kind::CreditCard | Kind::IpAddress => 7,
        Kind::DateOfBirth => 6,
        Kind::Phone => 5,
        Kind::Address => 4,
        Kind::Medical => 3,
        Kind::Name => 2,
        Kind::Threat | Kind::SelfHarm | Kind::Profanity | Kind::Promise | Kind::Advice => 1,
    }
}

fn resolve(mut found: Vec<Candidate>, tokens: usize, settings: &Settings) -> Vec<Candidate> {
    found.retain(|c| settings.kinds.has(c.kind) && c.confidence >= settings.min_confidence);
    if found.len() < 2 {
        return found;
    }
    found.sort_by_key(|c| (std::cmp::Reverse(rank(c.kind)), std::cmp::Reverse(c.to - c.from), c.from));
    let mut taken = vec![false; tokens];
    found.retain(|c| {
        let free = !taken[c.from..c.to].contains(&true);
        if free {
            taken[c.from..c.to].fill(true);
        }
        free
    });
    found
}

/// Notes the findings and puts one mark in the place of each that is taken out of a text. Gives whether any was.
fn take(toks: &mut Vec<Token>, found: &[Candidate], all: &mut Vec<Finding>) -> bool {
    let mut taken_out = false;
    for c in found {
        let (start, end) = (toks[c.from].start, toks[c.to - 1].end);
        all.push(Finding { kind: c.kind, start, end, confidence: c.confidence });
        if matches!(c.kind.category(), Category::Pii | Category::Secret) {
            taken_out = true;
            let first = toks[c.from];
            toks[c.from] = Token { end, form: Form::Mark, hash: 0, flags: 0, value: 0, ..first };
            toks[c.from + 1..c.to].iter_mut().for_each(|t| t.end = t.start);
        }
    }
    toks.retain(|t| t.end > t.start);
    taken_out
}
