//! Words, digits and signs of a text with their bytes, each looked up once.

use unicode_normalization::char::{decompose_canonical, is_combining_mark};

use super::lexicon::{Lexicon, class};

/// Longest word that is looked at, in folded bytes; the rest of a longer one is not compared.
const LONGEST: usize = 48;
/// Endings and beginnings that are features, in letters.
pub(super) const ENDS: usize = 4;

/// What a token is written with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Form {
    /// Letters, none of them large.
    Lower,
    /// A large letter and small ones.
    Title,
    /// Several letters, all large.
    Upper,
    /// One large letter alone.
    Initial,
    /// Large letters in the middle.
    Camel,
    Digits,
    /// "12b", "4th".
    Mixed,
    Sign,
}

/// One word, number or sign.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub start: usize,
    pub end: usize,
    /// Of the letters in lower case and without accents.
    pub hash: u64,
    /// [`class`] bits of the lists that it is on.
    pub classes: u32,
    pub form: Form,
    /// Letters or digits, at most [`LONGEST`].
    pub length: u8,
    /// No white space stands before it.
    pub glued: bool,
    /// Stands first in the text, in a line or after a full stop.
    pub first: bool,
    /// Hashes of the last one to four letters, then of the first ones.
    pub suffixes: [u32; ENDS],
    pub prefixes: [u32; ENDS],
}

impl Token {
    /// Whether a number is written or said with it.
    #[must_use]
    pub const fn is_number(&self) -> bool {
        matches!(self.form, Form::Digits) || self.classes & (class::DIGIT | class::NUMBER) != 0
    }

    /// Whether it is a possessive or shortened "is": "'s".
    #[must_use]
    pub const fn is_possessive(&self) -> bool {
        matches!(self.form, Form::Sign) && self.end - self.start > 1
    }

    /// Whether it is a letter alone.
    #[must_use]
    pub const fn is_letter(&self) -> bool {
        self.length == 1 && matches!(self.form, Form::Lower | Form::Initial)
    }

    /// Forgets which word it is and which names' lists it is on: training shows names that nobody has listed.
    pub const fn forget(&mut self, as_hash: u64) {
        self.hash = as_hash;
        self.classes &= !(class::FIRST
            | class::FIRST_RARE
            | class::LAST
            | class::LAST_RARE
            | class::PLACE
            | class::TOWN
            | class::WORD
            | class::COMMON
            | class::STREET_NAME);
    }
}

/// FNV-1a over bytes.
#[must_use]
pub fn hash(bytes: &[u8]) -> u64 {
    let sum = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    (sum ^ (sum >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A word as the lists have it: lower case, no accents.
#[must_use]
pub fn folded(word: &str) -> String {
    let mut buffer = Folded::default();
    word.chars().for_each(|c| buffer.push(c));
    String::from_utf8_lossy(buffer.bytes()).into_owned()
}

/// Letters of one word in lower case without accents, on the stack.
struct Folded {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Default for Folded {
    fn default() -> Self {
        Self { bytes: [0; LONGEST], length: 0 }
    }
}

impl Folded {
    fn push(&mut self, c: char) {
        if c.is_ascii() {
            self.byte(c.to_ascii_lowercase() as u8);
            return;
        }
        match c {
            '’' => return self.byte(b'\''),
            'ø' | 'Ø' => return self.byte(b'o'),
            'ł' | 'Ł' => return self.byte(b'l'),
            'đ' | 'Đ' => return self.byte(b'd'),
            _ => {}
        }
        for lower in c.to_lowercase() {
            decompose_canonical(lower, |part| {
                if !is_combining_mark(part) {
                    let mut utf8 = [0; 4];
                    part.encode_utf8(&mut utf8).bytes().for_each(|byte| self.byte(byte));
                }
            });
        }
    }

    fn byte(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
            self.length += 1;
        }
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Takes a text apart.
#[must_use]
pub fn tokens(text: &str, lexicon: &Lexicon) -> Vec<Token> {
    let mut out = Vec::with_capacity(text.len() / 4 + 8);
    let (mut at, mut glued, mut first) = (0, false, true);
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            first |= c == '\n';
            glued = false;
            at += c.len_utf8();
            continue;
        }
        let mut token = if c.is_alphanumeric() {
            word(text, at, lexicon)
        } else if let Some(end) = possessive(text, at, c) {
            sign(at, end, hash(b"'s"))
        } else {
            let mut utf8 = [0; 4];
            sign(at, at + c.len_utf8(), hash(c.encode_utf8(&mut utf8).as_bytes()))
        };
        (token.glued, token.first) = (glued, first);
        // "St." ends no sentence.
        let short = out.last().is_some_and(|last: &Token| last.length <= 3);
        first = matches!(c, '?' | '!') || (c == '.' && !short);
        glued = true;
        at = token.end;
        out.push(token);
    }
    out
}

fn sign(start: usize, end: usize, hash: u64) -> Token {
    Token {
        start,
        end,
        hash,
        classes: 0,
        form: Form::Sign,
        length: 0,
        glued: false,
        first: false,
        suffixes: [0; ENDS],
        prefixes: [0; ENDS],
    }
}

fn word(text: &str, start: usize, lexicon: &Lexicon) -> Token {
    let mut buffer = Folded::default();
    let (mut letters, mut digits, mut large, mut begins_large) = (0_usize, 0_usize, 0_usize, false);
    let mut end = start;
    for (n, c) in text[start..].char_indices() {
        let at = start + n;
        if c.is_numeric() {
            digits += 1;
        } else if c.is_alphanumeric() {
            begins_large |= letters == 0 && digits == 0 && c.is_uppercase();
            large += usize::from(c.is_uppercase());
            letters += 1;
        } else if !(is_combining_mark(c) || inner_apostrophe(text, at, c, digits)) {
            break;
        }
        end = at + c.len_utf8();
        buffer.push(c);
    }
    let form = match (letters, digits) {
        (0, _) => Form::Digits,
        (_, 1..) => Form::Mixed,
        (1, _) if large == 1 => Form::Initial,
        _ if large == 0 => Form::Lower,
        _ if large == letters => Form::Upper,
        _ if begins_large && large == 1 => Form::Title,
        _ => Form::Camel,
    };
    let bytes = buffer.bytes();
    let mut token = sign(start, end, hash(bytes));
    token.classes = lexicon.classes(token.hash);
    token.form = form;
    token.length = u8::try_from((letters + digits).min(LONGEST)).unwrap_or(0);
    for n in 0..ENDS {
        let cut = bytes.len().min(n + 1);
        token.suffixes[n] = (hash(&bytes[bytes.len() - cut..]) >> 32) as u32;
        token.prefixes[n] = (hash(&bytes[..cut]) >> 32) as u32;
    }
    token
}

/// "O'Brien", "don't"; not "Maria's" and not a closing quote.
fn inner_apostrophe(text: &str, at: usize, c: char, digits: usize) -> bool {
    if !matches!(c, '\'' | '’') || digits > 0 {
        return false;
    }
    let mut after = text[at + c.len_utf8()..].chars();
    match after.next() {
        Some('s' | 'S') => after.next().is_some_and(char::is_alphabetic),
        Some(letter) => letter.is_alphabetic(),
        None => false,
    }
}

/// End of a possessive or shortened "is" that starts here: a token of its own, so that "Maria's" still holds "Maria".
fn possessive(text: &str, at: usize, c: char) -> Option<usize> {
    let rest = text[at..].strip_prefix(c).filter(|_| matches!(c, '\'' | '’'))?;
    let mut letters = rest.chars();
    letters.next().filter(|c| matches!(c, 's' | 'S'))?;
    (!letters.next().is_some_and(char::is_alphanumeric)).then_some(at + c.len_utf8() + 1)
}
