//! What the tenant publishes is nobody's personal data: its offices' addresses, its numbers, who is in office.
//!
//! Facts of the tenant are taken as they are. Of a page only what the page itself gives as public is: an address where it
//! puts an office or where business is done, a telephone number in a sentence that speaks of no private person, a
//! name behind the title of an office. A home that a page mentions stays a home.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::cues::{self, NAME};
use super::guardian::{Guardian, Settings};
use super::kind::Kind;
use super::lexicon::{class, hash_of, hashes_of};
use super::numbers::{spoken, written};
use super::scan::Scan;
use super::token::{Form, Token, hashes, tokens};
use super::{addresses, offices, values};

/// Addresses, numbers and names of one page that are kept.
const MOST: usize = 1_000;

/// Titles of those who hold an office of the public.
const TITLES: [u64; 26] = hashes_of([
    "sheriff",
    "clerk",
    "treasurer",
    "assessor",
    "commissioner",
    "judge",
    "mayor",
    "coroner",
    "auditor",
    "recorder",
    "supervisor",
    "councilmember",
    "councilwoman",
    "councilman",
    "magistrate",
    "superintendent",
    "chairman",
    "chairwoman",
    "chairperson",
    "director",
    "registrar",
    "alguacil",
    "alcalde",
    "alcaldesa",
    "comisionado",
    "comisionada",
]);

/// Words for a home within a building. What stands at an office's number with one of them is somebody's.
const HOMES: [u64; 8] =
    hashes_of(["apt", "apartment", "flat", "lot", "trailer", "apartamento", "apto", "departamento"]);

/// What is no secret: the county prints it on its own letters and pages.
#[derive(Clone, Debug, Default)]
pub struct Public {
    /// Last ten digits of phone numbers.
    phones: HashSet<String>,
    /// Names of streets and their house numbers, by the first word of the name.
    addresses: HashMap<u64, Vec<(String, Vec<u64>)>>,
    /// Words of names.
    names: HashSet<Vec<u64>>,
    /// What the tenant's pages say.
    pages: Option<Arc<Self>>,
}

impl Public {
    /// `phones` in any spelling; `addresses` as "100 Court Square", without a town.
    #[must_use]
    pub fn new(
        phones: impl IntoIterator<Item = String>,
        addresses: impl IntoIterator<Item = String>,
    ) -> Self {
        let mut public = Self::default();
        for phone in phones {
            let digits: String = phone.chars().filter(char::is_ascii_digit).collect();
            public.phones.insert(last_ten(&digits).to_owned());
        }
        for address in addresses {
            public.add_address(&address);
        }
        public
    }

    /// With what the tenant's pages say.
    #[must_use]
    pub fn with_pages(self, pages: Arc<Self>) -> Self {
        Self { pages: Some(pages), ..self }
    }

    /// What a page of the tenant gives as public.
    #[must_use]
    pub fn of_page(text: &str) -> Self {
        let mut public = Self::default();
        for paragraph in text.split('\n').filter(|line| !line.trim().is_empty()) {
            public.read(paragraph);
        }
        public
    }

    /// What several pages give.
    #[must_use]
    pub fn of_pages<'a>(pages: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self::default();
        for page in pages {
            all.phones.extend(page.phones.iter().cloned());
            all.names.extend(page.names.iter().cloned());
            for (first, list) in &page.addresses {
                let known = all.addresses.entry(*first).or_default();
                for address in list {
                    if !known.contains(address) {
                        known.push(address.clone());
                    }
                }
            }
        }
        all
    }

    fn is_full(&self) -> bool {
        self.phones.len() + self.addresses.len() + self.names.len() >= MOST
    }

    fn add_address(&mut self, address: &str) {
        let mut toks = Vec::new();
        tokens(address, &mut toks);
        let settings = Settings::default();
        let scan = Scan { text: address, toks: &toks, cues: &[], settings: &settings, found: Vec::new() };
        let (number, at) = house(&scan, 0, toks.len());
        let words: Vec<u64> =
            toks[at..].iter().filter(|t| t.is_word() || t.form == Form::Digits).map(full).collect();
        if let Some(first) = words.first().copied().filter(|_| !number.is_empty()) {
            let known = self.addresses.entry(first).or_default();
            if !known.iter().any(|(n, w)| *n == number && *w == words) {
                known.push((number, words));
            }
        }
    }

    fn read(&mut self, paragraph: &str) {
        let settings = Settings::default();
        let (mut toks, mut found) = (Vec::new(), Vec::new());
        tokens(paragraph, &mut toks);
        cues::find(&toks, &mut found);
        let scan =
            Scan { text: paragraph, toks: &toks, cues: &found, settings: &settings, found: Vec::new() };
        for (from, end) in of_offices(&scan) {
            if self.is_full() {
                return;
            }
            self.add_address(&paragraph[toks[from].start..toks[end - 1].end]);
        }
        let findings = Guardian.check(paragraph, &settings);
        let private = |f: &super::findings::Finding| match f.kind {
            Kind::Name => !titled(&toks, f.start),
            Kind::Address | Kind::DateOfBirth | Kind::Medical | Kind::Ssn => true,
            _ => false,
        };
        let someone = findings.iter().any(private);
        for finding in &findings {
            let Some(said) = paragraph.get(finding.start..finding.end).filter(|_| !self.is_full()) else {
                continue;
            };
            match finding.kind {
                Kind::Phone if !someone => {
                    let digits = values::digits(said);
                    if digits.len() >= 10 {
                        self.phones.insert(last_ten(&digits).to_owned());
                    }
                }
                Kind::Name if titled(&toks, finding.start) => {
                    let mut words = Vec::new();
                    hashes(said, &mut words);
                    // One word is half of everybody's name.
                    if words.len() > 1 {
                        self.names.insert(words);
                    }
                }
                _ => {}
            }
        }
    }

    pub(super) fn is_phone(&self, digits: &[u8]) -> bool {
        let text: String = digits.iter().map(|d| char::from(b'0' + d)).collect();
        let own = self.phones.contains(last_ten(&text))
            || (text.len() == 7 && self.phones.iter().any(|p| p.ends_with(&text)));
        own || self.pages.as_ref().is_some_and(|pages| pages.is_phone(digits))
    }

    /// An address that begins there, in figures or spoken: "one hundred court square".
    pub(super) fn is_address(&self, scan: &Scan<'_>, from: usize, end: usize) -> bool {
        if self.addresses.is_empty() && self.pages.is_none() {
            return false;
        }
        let (number, at) = house(scan, from, end);
        let Some(toks) = scan.toks.get(at..end).filter(|toks| !toks.is_empty() && !number.is_empty()) else {
            return false;
        };
        !toks.iter().any(|t| HOMES.contains(&t.hash)) && self.holds(&number, toks)
    }

    fn holds(&self, number: &str, toks: &[Token]) -> bool {
        let same = |(n, words): &(String, Vec<u64>)| {
            n == number && toks.len() >= words.len() && words.iter().zip(toks).all(|(w, t)| full(t) == *w)
        };
        toks.first()
            .and_then(|first| self.addresses.get(&full(first)))
            .is_some_and(|list| list.iter().any(same))
            || self.pages.as_ref().is_some_and(|pages| pages.holds(number, toks))
    }

    /// Who is in office. Who says that it is their own name is somebody.
    pub(super) fn is_name(&self, scan: &Scan<'_>, from: usize, to: usize) -> bool {
        if self.names.is_empty() && self.pages.is_none() {
            return false;
        }
        let own = scan.cues.iter().any(|cue| cue.mask & NAME != 0 && cue.to <= from && from - cue.to < 3);
        let mut words: Vec<u64> = scan.toks[from..to].iter().map(|t| t.hash).collect();
        // "Sheriff Dana Whitfield": the title is part of what was found.
        while words.len() > 2 && TITLES.contains(&words[0]) {
            words.remove(0);
        }
        !own && self.knows(&words)
    }

    fn knows(&self, words: &Vec<u64>) -> bool {
        self.names.contains(words) || self.pages.as_ref().is_some_and(|pages| pages.knows(words))
    }
}

/// Addresses that a text gives as those of offices and of where business is done.
fn of_offices(scan: &Scan<'_>) -> Vec<(usize, usize)> {
    let (mut all, mut at) = (Vec::new(), 0);
    while at < scan.toks.len() {
        let found = addresses::address(scan, at);
        if let Some((from, end)) = found.filter(|(from, end)| offices::is_public(scan, *from, *end)) {
            all.push((from, end));
        }
        at = found.map_or(at + 1, |(_, end)| end.max(at + 1));
    }
    all
}

fn last_ten(digits: &str) -> &str {
    digits.get(digits.len().saturating_sub(10)..).unwrap_or(digits)
}

/// The number of a house as digits, and the token after it.
fn house(scan: &Scan<'_>, from: usize, end: usize) -> (String, usize) {
    let (mut number, mut at) = (String::new(), from);
    while let Some(token) = scan.toks.get(at).filter(|_| at < end) {
        let (digits, next) = match token.form {
            Form::Digits => (written(scan.text, token), at + 1),
            _ if token.is(class::NUMBER) => match spoken(scan, at) {
                Some(read) => read,
                None => break,
            },
            _ => break,
        };
        number.extend(digits.as_slice().iter().map(|d| char::from(b'0' + d)));
        at = next;
    }
    (number, at)
}

/// A word of a street's name: "St." is "Street".
fn full(token: &Token) -> u64 {
    const SHORT: [(&str, &str); 13] = [
        ("st", "street"),
        ("ave", "avenue"),
        ("av", "avenue"),
        ("rd", "road"),
        ("sq", "square"),
        ("blvd", "boulevard"),
        ("dr", "drive"),
        ("ln", "lane"),
        ("ct", "court"),
        ("pl", "place"),
        ("hwy", "highway"),
        ("pkwy", "parkway"),
        ("ter", "terrace"),
    ];
    let long = SHORT.iter().find(|(short, _)| hash_of(short) == token.hash);
    long.map_or(token.hash, |(_, long)| hash_of(long))
}

/// Whether the name at this byte stands behind the title of an office, or begins with it.
fn titled(toks: &[Token], start: usize) -> bool {
    let Some(at) = toks.iter().position(|t| t.start >= start) else { return false };
    toks[at.saturating_sub(2)..(at + 1).min(toks.len())].iter().any(|t| TITLES.contains(&t.hash))
}
