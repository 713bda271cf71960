//! A text as tokens with their places: words, digits, signs, and what was redacted before.

use super::kind::Kind;
use super::lexicon::{Entry, Folding, class, lexicon};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// Letters, with apostrophes inside.
    Word,
    /// Digits alone.
    Digits,
    /// Letters and digits.
    Mixed,
    Sign(char),
    /// A typed token, a label, or what was found in an earlier round: no detector looks into it or past it.
    Mark,
}

/// Letter case of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Case {
    Lower,
    Title,
    Upper,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) hash: u64,
    pub(super) flags: u64,
    pub(super) value: u16,
    pub(super) form: Form,
    pub(super) case: Case,
    /// White space stands before it.
    pub(super) spaced: bool,
    /// A line break stands before it.
    pub(super) new_line: bool,
}

impl Token {
    pub(super) const fn is(&self, flags: u64) -> bool {
        self.flags & flags != 0
    }

    pub(super) fn sign(&self, c: char) -> bool {
        self.form == Form::Sign(c)
    }

    pub(super) const fn len(&self) -> usize {
        self.end - self.start
    }

    /// Letters, whether digits are among them or not.
    pub(super) const fn is_word(&self) -> bool {
        matches!(self.form, Form::Word)
    }

    pub(super) fn title(&self) -> bool {
        self.form == Form::Word && self.case == Case::Title
    }

    /// A letter alone.
    pub(super) const fn is_letter(&self) -> bool {
        matches!(self.form, Form::Word) && self.end - self.start == 1
    }

    /// The end of a sentence.
    pub(super) const fn is_stop(&self) -> bool {
        matches!(self.form, Form::Sign('.' | '?' | '!' | ';'))
    }
}

/// Longest word that is looked up, in bytes.
const LONGEST_WORD: usize = 48;
/// Longest label or typed token, in bytes.
const LONGEST_MARK: usize = 48;

/// Takes a text apart, in one pass.
pub(super) fn tokens(text: &str, out: &mut Vec<Token>) {
    out.clear();
    out.reserve(text.len() / 4 + 8);
    let mut at = 0;
    let (mut spaced, mut new_line) = (true, true);
    while let Some(c) = text[at..].chars().next() {
        if blank(c) {
            spaced = true;
            new_line |= c == '\n' || c == '\r';
            at += c.len_utf8();
            continue;
        }
        let mut token = next(text, at, c);
        (token.spaced, token.new_line) = (spaced, new_line);
        (spaced, new_line) = (false, false);
        at = token.end;
        out.push(token);
    }
}

/// White space, and signs of no width that are used to hide digits from a reader of bytes.
fn blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}')
}

fn next(text: &str, at: usize, c: char) -> Token {
    if let Some(end) = mark(text, at, c) {
        return plain(at, end, Form::Mark);
    }
    if c.is_alphanumeric() {
        return word(text, at);
    }
    // The possessive is a word of its own, so that "Maria's" still holds "Maria".
    if let Some(end) = possessive(text, at, c) {
        return known(plain(at, end, Form::Word), super::lexicon::hash_of("'s"));
    }
    let mut sign = plain(at, at + c.len_utf8(), Form::Sign(c));
    if c.is_ascii() {
        sign.hash = sign_hash(c);
    }
    sign
}

fn plain(start: usize, end: usize, form: Form) -> Token {
    Token { start, end, hash: 0, flags: 0, value: 0, form, case: Case::Lower, spaced: false, new_line: false }
}

fn known(mut token: Token, hash: u64) -> Token {
    let Entry { flags, value } = lexicon().get(&hash).copied().unwrap_or_default();
    (token.hash, token.flags, token.value) = (hash, flags, value);
    token
}

fn word(text: &str, start: usize) -> Token {
    let (mut token, hash) = shape(text, start);
    if token.len() > LONGEST_WORD {
        return token;
    }
    if token.form == Form::Digits {
        token.hash = hash;
        return token;
    }
    known(token, hash)
}

/// A word from its first letter or digit on, with the hash of its folded letters.
fn shape(text: &str, start: usize) -> (Token, u64) {
    let (mut letters, mut digits, mut upper, mut first_upper) = (0_usize, 0_usize, 0_usize, false);
    let mut hash = Folding::new();
    let mut end = start;
    for (n, c) in text[start..].char_indices() {
        let at = start + n;
        if c.is_ascii_digit() || ('０'..='９').contains(&c) {
            digits += 1;
        } else if c.is_alphanumeric() {
            // Signs such as ½ count as letters: they are no digits that anybody adds up.
            first_upper |= letters == 0 && digits == 0 && c.is_uppercase();
            upper += usize::from(c.is_uppercase());
            letters += 1;
        } else if c == '\u{301}' || c == '\u{303}' || c == '\u{308}' {
            // Combining accents belong to the letter before.
        } else if !inner_apostrophe(text, at, c, digits) {
            break;
        }
        end = at + c.len_utf8();
        hash = fold(hash, c);
    }
    let form = match (letters, digits) {
        (_, 0) => Form::Word,
        (0, _) => Form::Digits,
        _ => Form::Mixed,
    };
    let mut token = plain(start, end, form);
    token.case = match upper {
        0 => Case::Lower,
        _ if upper == letters && letters > 1 => Case::Upper,
        _ if first_upper => Case::Title,
        _ => Case::Lower,
    };
    (token, hash.finish())
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

/// Lower case without accents, into the hash.
fn fold(hash: Folding, c: char) -> Folding {
    if c.is_ascii() {
        return hash.push(c.to_ascii_lowercase() as u8);
    }
    let plain = match c {
        'á' | 'à' | 'â' | 'ä' | 'ã' | 'å' | 'Á' | 'À' | 'Â' | 'Ä' | 'Ã' | 'Å' | 'ā' | 'ă' | 'ą' => {
            b'a'
        }
        'é' | 'è' | 'ê' | 'ë' | 'É' | 'È' | 'Ê' | 'Ë' | 'ē' | 'ě' | 'ę' => b'e',
        'í' | 'ì' | 'î' | 'ï' | 'Í' | 'Ì' | 'Î' | 'Ï' | 'ī' | 'ı' => b'i',
        'ó' | 'ò' | 'ô' | 'ö' | 'õ' | 'ø' | 'Ó' | 'Ò' | 'Ô' | 'Ö' | 'Õ' | 'Ø' | 'ō' | 'ő' => {
            b'o'
        }
        'ú' | 'ù' | 'û' | 'ü' | 'Ú' | 'Ù' | 'Û' | 'Ü' | 'ū' | 'ů' | 'ű' => b'u',
        'ñ' | 'Ñ' | 'ń' | 'ň' => b'n',
        'ç' | 'Ç' | 'ć' | 'č' | 'Č' => b'c',
        'š' | 'Š' | 'ś' | 'ş' | 'Ş' => b's',
        'ž' | 'Ž' | 'ź' | 'ż' => b'z',
        'ý' | 'ÿ' => b'y',
        'ł' | 'Ł' => b'l',
        'ř' => b'r',
        'ğ' => b'g',
        'đ' | 'Đ' => b'd',
        'ả' | 'ạ' | 'ấ' | 'ầ' | 'ẩ' | 'ẫ' | 'ậ' | 'ắ' | 'ằ' | 'ặ' | 'Ả' | 'Ấ' => b'a',
        'ẻ' | 'ẹ' | 'ẽ' | 'ế' | 'ề' | 'ể' | 'ễ' | 'ệ' => b'e',
        'ỉ' | 'ị' | 'ĩ' | 'İ' => b'i',
        'ỏ' | 'ọ' | 'ố' | 'ồ' | 'ổ' | 'ỗ' | 'ộ' | 'ơ' | 'ớ' | 'ờ' | 'ở' | 'ợ' => b'o',
        'ủ' | 'ụ' | 'ũ' | 'ư' | 'ứ' | 'ừ' | 'ử' | 'ữ' | 'ự' => b'u',
        'ỳ' | 'ỷ' | 'ỹ' | 'ỵ' => b'y',
        '’' => b'\'',
        '\u{301}' | '\u{303}' | '\u{308}' => return hash,
        other => {
            let mut bytes = [0; 4];
            return other.encode_utf8(&mut bytes).bytes().fold(hash, Folding::push);
        }
    };
    hash.push(plain)
}

/// End of a typed token or label that starts here.
fn mark(text: &str, at: usize, c: char) -> Option<usize> {
    if c == '⟨' {
        let end = at + bounded(text, at).find('⟩')? + '⟩'.len_utf8();
        let (kind, number) = text[at + c.len_utf8()..end - '⟩'.len_utf8()].split_once(':')?;
        let made = Kind::of(kind).is_some() && number.bytes().all(|b| b.is_ascii_digit());
        return made.then_some(end);
    }
    if c == '[' {
        let end = at + bounded(text, at).find("REDACTED]")? + "REDACTED]".len();
        let inside = &text[at + 1..end - 1];
        return inside.bytes().all(|b| b.is_ascii_uppercase() || b == b'-').then_some(end);
    }
    None
}

fn bounded(text: &str, at: usize) -> &str {
    let mut end = text.len().min(at + LONGEST_MARK);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[at..end]
}

/// Hashes of the words and signs of a phrase of the data. Does not look words up: the lexicon is made of these.
pub(super) fn hashes(phrase: &str, out: &mut Vec<u64>) {
    let mut at = 0;
    while let Some(c) = phrase[at..].chars().next() {
        if c.is_alphanumeric() {
            let (token, hash) = shape(phrase, at);
            out.push(hash);
            at = token.end;
        } else if let Some(end) = possessive(phrase, at, c) {
            out.push(super::lexicon::hash_of("'s"));
            at = end;
        } else {
            if !c.is_whitespace() {
                out.push(sign_hash(c));
            }
            at += c.len_utf8();
        }
    }
}

/// Signs have a hash too, so that a phrase of the data may hold them.
fn sign_hash(c: char) -> u64 {
    let mut bytes = [0; 4];
    c.encode_utf8(&mut bytes).bytes().fold(Folding::new().push(0), Folding::push).finish()
}

fn possessive(text: &str, at: usize, c: char) -> Option<usize> {
    let rest = text[at..].strip_prefix(c).filter(|_| matches!(c, '\'' | '’'))?;
    let mut letters = rest.chars();
    letters.next().filter(|c| matches!(c, 's' | 'S'))?;
    (!letters.next().is_some_and(char::is_alphanumeric)).then_some(at + c.len_utf8() + 1)
}

/// A letter said alone or by its name, as an upper-case letter.
pub(super) fn letter_of(text: &str, token: &Token) -> Option<char> {
    if token.is_letter() {
        return text[token.start..token.end].chars().next().map(|c| c.to_ascii_uppercase());
    }
    let value = u8::try_from(token.value).ok().filter(|_| token.is(class::LETTER_WORD))?;
    Some((b'A' + value - 1) as char)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str) -> Vec<&str> {
        let mut out = Vec::new();
        tokens(text, &mut out);
        out.iter().map(|t| &text[t.start..t.end]).collect()
    }

    #[test]
    fn words_digits_signs_and_marks_are_told_apart() {
        assert_eq!(taken("Maria's card, O'Brien"), ["Maria", "'s", "card", ",", "O'Brien"]);
        assert_eq!(taken("⟨phone:1⟩ [SSN-REDACTED] [x]"), ["⟨phone:1⟩", "[SSN-REDACTED]", "[", "x", "]"]);
        assert_eq!(taken("4th 12b RB-2026"), ["4th", "12b", "RB", "-", "2026"]);
        assert_eq!(taken("½ ² x² ¾x"), ["½", "²", "x²", "¾x"]);
        assert_eq!(taken("me llamo José 'hola'"), ["me", "llamo", "José", "'", "hola", "'"]);
    }

    #[test]
    fn accents_do_not_change_a_word() {
        let mut out = Vec::new();
        tokens("josé JOSE jose\u{301}", &mut out);
        assert!(out.iter().all(|t| t.hash == out[0].hash && t.is(class::FIRST)));
    }
}
