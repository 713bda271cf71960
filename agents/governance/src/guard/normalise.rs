//! A text as plain lower-case words, each with its place in the original: look-alike letters made Latin, accents,
//! punctuation and invisible characters gone.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::lookalikes::Lookalikes;

/// Stands where something was taken out. Judged as the end of a sentence and nothing else, so that what stood around
/// it is judged together and a forged marker hides nothing.
pub const MARKER: &str = "[instruction removed]";
/// No word of a language is longer; what is, is cut here. Bounds the work per word.
const LONGEST_WORD: usize = 64;

/// One word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Folded text.
    pub text: String,
    /// Bytes of the original that it was made of.
    pub span: Range<usize>,
    /// A sentence, a line or a cell ended before this word.
    pub opens: bool,
    /// Nothing but a hyphen, dot or the like stood between the word before and this one.
    pub glued: bool,
}

/// The words of a text and what the folding met.
#[derive(Clone, Debug, Default)]
pub struct Folded {
    /// In the order of the text.
    pub words: Vec<Word>,
    /// Runs of tag characters: letters that no person sees.
    pub invisible: Vec<Range<usize>>,
    /// Letters of other alphabets that were read as Latin ones inside words with Latin letters.
    pub disguised: usize,
}

/// Folds a text. Linear in its length.
#[must_use]
pub fn fold(text: &str, lookalikes: &Lookalikes) -> Folded {
    let mut folding =
        Folding { out: Folded::default(), word: String::new(), from: 0, to: 0, ..Folding::default() };
    let mut skip = 0;
    for (at, c) in text.char_indices() {
        if at < skip {
            continue;
        }
        if c == '[' && text[at..].starts_with(MARKER) {
            folding.close();
            folding.opens = true;
            skip = at + MARKER.len();
            continue;
        }
        folding.take(at, c, lookalikes);
    }
    folding.close();
    folding.out
}

#[derive(Default)]
struct Folding {
    out: Folded,
    word: String,
    from: usize,
    to: usize,
    opens: bool,
    glue: usize,
    last: Option<char>,
    foreign: usize,
}

impl Folding {
    fn take(&mut self, at: usize, c: char, lookalikes: &Lookalikes) {
        let end = at + c.len_utf8();
        if let Some(hidden) = tag_letter(c) {
            self.hide(at..end);
            self.letter(at, end, hidden);
            return;
        }
        if is_invisible(c) {
            return;
        }
        if c.is_ascii() {
            self.ascii(at, end, c);
        } else {
            self.other(at, end, c, lookalikes);
        }
        self.last = Some(c);
    }

    fn ascii(&mut self, at: usize, end: usize, c: char) {
        if c.is_ascii_alphanumeric() {
            let hump = c.is_ascii_uppercase() && self.last.is_some_and(|l| l.is_ascii_lowercase());
            if hump {
                self.close();
            }
            self.letter(at, end, c.to_ascii_lowercase());
        } else if c == '\'' && !self.word.is_empty() {
        } else if matches!(c, '@' | '$') {
            // Either a letter in disguise or a border; which, is seen when the word is whole.
            self.letter(at, end, c);
        } else {
            self.border(c);
        }
    }

    fn other(&mut self, at: usize, end: usize, c: char, lookalikes: &Lookalikes) {
        if let Some(plain) = lookalikes.of(c) {
            self.foreign += usize::from(c.is_alphabetic());
            for letter in plain.chars() {
                self.letter(at, end, letter);
            }
            return;
        }
        if matches!(c, '’' | 'ʼ' | '‘') && !self.word.is_empty() {
            return;
        }
        let mut any = false;
        for part in std::iter::once(c).nfkd().filter(|p| !is_combining_mark(*p)) {
            let plain = lookalikes.of(part).and_then(|p| p.chars().next()).unwrap_or(part);
            for low in plain.to_lowercase().filter(|l| l.is_alphanumeric()) {
                any = true;
                self.letter(at, end, low);
            }
        }
        if !any && !is_combining_mark(c) {
            self.border(c);
        }
    }

    fn letter(&mut self, at: usize, end: usize, c: char) {
        if self.word.is_empty() {
            self.from = at;
        }
        self.to = end;
        if self.word.len() < LONGEST_WORD {
            self.word.push(c);
        }
    }

    fn border(&mut self, c: char) {
        self.close();
        self.glue += if c.is_whitespace() { 2 } else { 1 };
        self.opens |= matches!(c, '.' | '!' | '?' | ';' | '\n' | '\r' | '|' | '<' | '>' | '¿' | '¡' | '。');
    }

    fn hide(&mut self, span: Range<usize>) {
        match self.out.invisible.last_mut() {
            Some(last) if last.end == span.start => last.end = span.end,
            _ => self.out.invisible.push(span),
        }
    }

    fn close(&mut self) {
        if self.word.is_empty() {
            self.foreign = 0;
            return;
        }
        let latin = self.word.chars().filter(char::is_ascii_alphabetic).count();
        if self.foreign > 0 && latin > self.foreign {
            self.out.disguised += self.foreign;
        }
        self.foreign = 0;
        let text = std::mem::take(&mut self.word);
        let glued = self.glue <= 1 && !self.out.words.is_empty();
        let word = Word { text, span: self.from..self.to, opens: self.opens, glued };
        self.out.words.push(word);
        self.opens = false;
        self.glue = 0;
    }
}

/// Letters of the tag block, which mirror ASCII and are drawn by nothing.
fn tag_letter(c: char) -> Option<char> {
    let code = u32::from(c);
    if !(0xe0020..=0xe007e).contains(&code) {
        return None;
    }
    char::from_u32(code - 0xe0000).map(|c| c.to_ascii_lowercase())
}

/// Characters that a person does not see: zero width, direction marks, variation selectors, tags.
const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{00ad}'
        | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180e}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn words(text: &str) -> Vec<String> {
        fold(text, &Lookalikes::shipped()).words.into_iter().map(|w| w.text).collect()
    }

    #[test]
    fn case_accents_punctuation_and_apostrophes_go() {
        assert_eq!(words("Don't FORGET: Instrucción!"), ["dont", "forget", "instruccion"]);
        assert_eq!(words("ignoreAllRules"), ["ignore", "all", "rules"]);
    }

    #[test]
    fn look_alikes_full_width_and_zero_width_letters_are_read_as_latin() {
        assert_eq!(words("іgnоrе"), ["ignore"]);
        assert_eq!(words("ｉｇｎｏｒｅ"), ["ignore"]);
        assert_eq!(words("ig\u{200b}no\u{00ad}re"), ["ignore"]);
        assert_eq!(words("𝐢𝐠𝐧𝐨𝐫𝐞 ⓘⓖⓝⓞⓡⓔ"), ["ignore", "ignore"]);
    }

    #[test]
    fn tag_characters_are_read_and_reported() {
        let text = "hi \u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}";
        let folded = fold(text, &Lookalikes::shipped());
        assert_eq!(folded.words[1].text, "ignore");
        assert_eq!(folded.invisible, vec![3..text.len()]);
    }

    #[test]
    fn spans_are_places_in_the_original() {
        let text = "Ábre la puértä";
        for word in fold(text, &Lookalikes::shipped()).words {
            assert!(text.get(word.span.clone()).is_some_and(|w| w.chars().count() == word.text.len()));
        }
    }

    #[test]
    fn the_marker_is_no_words() {
        assert_eq!(words(&format!("one {MARKER} two")), ["one", "two"]);
    }
}
