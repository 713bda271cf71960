//! A text as the judge reads it: sentences, words without accents, and the pieces of a sentence that say one thing each.

use language::Language;

use super::lexicon;
use super::values::{self, Place};

/// Sentences that are read of one text; what is beyond them is not judged, and said to be so.
pub const MAX_SENTENCES: usize = 1_000;
/// Words that are read of one sentence.
const MAX_WORDS: usize = 400;

/// One word or mark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word {
    /// Lower case, without accents. Marks are themselves.
    pub text: String,
    /// Without an ending, so that forms of a word are equal.
    pub stem: String,
    pub capital: bool,
    /// All letters are capitals.
    pub upper: bool,
    /// Follows the word before without a space.
    pub joined: bool,
}

impl Word {
    pub fn is_word(&self) -> bool {
        self.text.starts_with(char::is_alphanumeric)
    }

    pub fn is_number(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }
}

/// A part of a sentence that says one thing: "Friday and Saturday, 9 a.m. to 5 p.m.".
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Clause {
    /// Stems of the words that tell what it is about, each once, sorted. Days of the week are among them.
    pub terms: Vec<String>,
    pub values: Vec<Place>,
    /// An odd count of words such as "not" and "none".
    pub negative: bool,
    /// First and one past the last word, within the sentence.
    pub from: usize,
    pub to: usize,
}

/// One sentence.
#[derive(Clone, PartialEq, Debug)]
pub struct Sentence {
    pub text: String,
    pub words: Vec<Word>,
    pub clauses: Vec<Clause>,
    pub question: bool,
}

/// Reads a text.
#[must_use]
pub fn read(text: &str) -> Vec<Sentence> {
    let spanish = is_spanish(text);
    language::sentences(text)
        .into_iter()
        .filter(|s| s.chars().any(char::is_alphanumeric))
        .take(MAX_SENTENCES)
        .map(|s| sentence(s, spanish))
        .collect()
}

/// Whether more words of a text are Spanish than English.
#[must_use]
pub fn is_spanish(text: &str) -> bool {
    lexicon::language(&words(text)) == Language::Es
}

fn sentence(text: String, spanish: bool) -> Sentence {
    let words = words(&text);
    let (starts, values) = values::find(&words, spanish);
    let question = text.trim_end_matches(['"', '”', ')', '\'']).ends_with('?') || text.starts_with('¿');
    let clauses = clauses(&words, values, &starts);
    Sentence { text, words, clauses, question }
}

/// The words and marks of one sentence.
#[must_use]
pub fn words(text: &str) -> Vec<Word> {
    let chars: Vec<char> = text.chars().collect();
    let mut out: Vec<Word> = Vec::new();
    let (mut at, mut spaced) = (0, true);
    while at < chars.len() && out.len() < MAX_WORDS {
        let c = chars[at];
        if c.is_whitespace() {
            (spaced, at) = (true, at + 1);
            continue;
        }
        let end = if c.is_ascii_digit() {
            number_end(&chars, at)
        } else if c.is_alphanumeric() {
            word_end(&chars, at)
        } else {
            at + 1
        };
        let raw: String = chars[at..end].iter().collect();
        out.push(word(&raw, !spaced));
        (at, spaced) = (end, false);
    }
    halves_of_day(&mut out);
    out
}

fn number_end(chars: &[char], from: usize) -> usize {
    let mut end = from;
    while end < chars.len() {
        let inner = matches!(chars[end], '.' | ',' | ':')
            && chars.get(end + 1).is_some_and(char::is_ascii_digit)
            && chars.get(end.wrapping_sub(1)).is_some_and(char::is_ascii_digit);
        if !chars[end].is_ascii_digit() && !inner {
            break;
        }
        end += 1;
    }
    end
}

fn word_end(chars: &[char], from: usize) -> usize {
    let mut end = from;
    while end < chars.len() {
        let between = chars.get(end + 1).is_some_and(|c| c.is_alphanumeric()) && end > from;
        let inner = between && matches!(chars[end], '\'' | '’' | '.' | '_');
        if !chars[end].is_alphanumeric() && !inner {
            break;
        }
        end += 1;
    }
    end
}

fn word(raw: &str, joined: bool) -> Word {
    let text = fold(raw);
    let text = text.strip_suffix("'s").map_or(text.clone(), str::to_owned);
    let capital = raw.starts_with(char::is_uppercase);
    let upper = raw.chars().filter(|c| c.is_alphabetic()).count() > 1 && !raw.contains(char::is_lowercase);
    Word { stem: stem(&text), text, capital, upper, joined }
}

/// "a.m." was cut at its full stops; it becomes "am". "p. m." too.
fn halves_of_day(words: &mut Vec<Word>) {
    let mut at = 0;
    while at < words.len() {
        let text = words[at].text.as_str();
        let half = match text {
            "a.m" | "am" => Some("am"),
            "p.m" | "pm" => Some("pm"),
            "a" | "p"
                if words.get(at + 1).is_some_and(|w| w.text == "." && w.joined)
                    && words.get(at + 2).is_some_and(|w| w.text == "m") =>
            {
                let half = if text == "a" { "am" } else { "pm" };
                words.drain(at + 1..at + 3);
                Some(half)
            }
            _ => None,
        };
        if let Some(half) = half {
            half.clone_into(&mut words[at].text);
            half.clone_into(&mut words[at].stem);
            if words.get(at + 1).is_some_and(|w| w.text == "." && w.joined) {
                words.remove(at + 1);
            }
        }
        at += 1;
    }
}

/// Lower case, without accents, straight apostrophes.
#[must_use]
pub fn fold(text: &str) -> String {
    let plain = |c: char| match c {
        'á' | 'à' | 'ä' | 'â' => 'a',
        'é' | 'è' | 'ë' | 'ê' => 'e',
        'í' | 'ì' | 'ï' | 'î' => 'i',
        'ó' | 'ò' | 'ö' | 'ô' => 'o',
        'ú' | 'ù' | 'ü' | 'û' => 'u',
        'ñ' => 'n',
        '’' | '‘' => '\'',
        c => c,
    };
    text.chars().flat_map(char::to_lowercase).map(plain).collect()
}

/// Without the ending that shows number, gender or tense. Wrong stems do no harm as long as both sides get them.
#[must_use]
pub fn stem(word: &str) -> String {
    lexicon::irregular(word).map_or_else(|| regular_stem(word), str::to_owned)
}

/// The same for words that the lists do not name.
pub fn regular_stem(word: &str) -> String {
    if word.starts_with(|c: char| c.is_ascii_digit()) || word.len() < 4 {
        return word.to_owned();
    }
    let mut root = word;
    for ending in ["ings", "ing", "ies", "ied", "ed", "es", "s", "y"] {
        if let Some(shorter) =
            root.strip_suffix(ending).filter(|r| r.len() > 2 && !(ending == "s" && r.ends_with('s')))
        {
            root = shorter;
            break;
        }
    }
    let root = root.trim_end_matches(['e', 'o', 'a', 'i']);
    let mut tail = root.chars().rev();
    match (tail.next(), tail.next()) {
        (Some(a), Some(b)) if a == b && root.len() > 4 => root[..root.len() - a.len_utf8()].to_owned(),
        _ => root.to_owned(),
    }
}

// ---------------------------------------------------------------- pieces of a sentence

/// Cuts a sentence. A piece ends at a comma or an "and" once it holds a value and the next piece begins something of
/// its own; at a semicolon, a "but" and the like it always ends.
fn clauses(words: &[Word], values: Vec<Place>, starts: &[bool]) -> Vec<Clause> {
    let mut cuts: Vec<(usize, bool)> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let within = values.iter().any(|v| v.from < at && at < v.to);
        if within || at == 0 {
            continue;
        }
        if lexicon::always_cuts(&word.text) {
            cuts.push((at, true));
        } else if lexicon::may_cut(&word.text) {
            cuts.push((at, false));
        }
    }
    let mut out: Vec<Clause> = Vec::new();
    let mut from = 0;
    let holds =
        |from: usize, to: usize| values.iter().any(|v| v.from >= from && v.to <= to && v.is_measure());
    for (n, &(cut, always)) in cuts.iter().enumerate() {
        let next = cuts.get(n + 1).map_or(words.len(), |c| c.0);
        let more_follows = holds(cut, words.len());
        // What follows a value without one of its own belongs to it, unless more values come.
        let own = (more_follows && (holds(cut, next) || starts_anew(words, cut, starts)))
            || lexicon::negations(&words[cut..next]) > 0;
        if always || (holds(from, cut) && own) {
            out.push(clause(words, &values, from, cut));
            from = cut;
        }
    }
    out.push(clause(words, &values, from, words.len()));
    out.retain(|c| c.to > c.from);
    out
}

/// Whether a piece without a value begins what a later value belongs to: a day, or a name.
fn starts_anew(words: &[Word], cut: usize, day: &[bool]) -> bool {
    let rest = cut + 1..words.len().min(cut + 6);
    rest.clone().any(|n| day[n]) || rest.clone().any(|n| lexicon::is_content(&words[n].text))
}

fn clause(words: &[Word], values: &[Place], from: usize, to: usize) -> Clause {
    let mine: Vec<Place> = values.iter().filter(|v| v.from >= from && v.to <= to).cloned().collect();
    let mut terms: Vec<String> = Vec::new();
    for (n, word) in words[from..to].iter().enumerate() {
        let inside = mine.iter().any(|v| v.hides(from + n));
        if !inside && word.is_word() && !word.is_number() && lexicon::is_content(&word.text) {
            terms.push(lexicon::concept(&word.stem).to_owned());
        }
    }
    terms.extend(mine.iter().flat_map(Place::day_terms));
    terms.sort_unstable();
    terms.dedup();
    // "No charge" is an amount, and denies nothing.
    let in_values: usize = mine.iter().map(|v| lexicon::negations(&words[v.from..v.to])).sum();
    let negative = (lexicon::negations(&words[from..to]) + in_values) % 2 == 1;
    Clause { terms, values: mine, negative, from, to }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<String> {
        let read = read(text);
        let of = |s: &Sentence, c: &Clause| {
            s.words[c.from..c.to].iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" ")
        };
        read.iter().flat_map(|s| s.clauses.iter().map(|c| of(s, c)).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn each_piece_says_one_thing() {
        assert_eq!(
            pieces("A dog license costs $10 for a spayed or neutered dog and $25 for others."),
            ["a dog license costs $ 10 for a spayed or neutered dog", "and $ 25 for others ."]
        );
        assert_eq!(
            pieces("Open Monday through Thursday, 9 a.m. to 8 p.m., Friday and Saturday, 9 to 5 p.m."),
            ["open monday through thursday , 9 am to 8 pm", ", friday and saturday , 9 to 5 pm"]
        );
        assert_eq!(
            pieces("There are no late fees, but lost books must be paid for."),
            ["there are no late fees ,", "but lost books must be paid for ."]
        );
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for (a, b) in [
            ("licenses", "license"),
            ("permits", "permit"),
            ("fees", "fee"),
            ("cerrada", "cerrados"),
            ("licencias", "licencia"),
            ("closed", "closes"),
            ("libraries", "library"),
            ("renewed", "renew"),
            ("paid", "pay"),
        ] {
            assert_eq!(stem(a), stem(b), "{a} {b}");
        }
        assert_ne!(stem("pool"), stem("poll"));
    }

    #[test]
    fn negation_is_counted_in_its_piece() {
        let negative = |text: &str| read(text)[0].clauses[0].negative;
        assert!(negative("Painting, flooring, and cabinets need none."));
        assert!(negative("No se necesita un permiso para pintar."));
        assert!(!negative("Apply no later than April 1."));
        assert!(!negative("You can not renew it without a form."));
    }

    #[test]
    fn hostile_texts_are_read() {
        for text in ["", "....", "a.m.a.m.", "$$$ 9,9,9:9", "¿?", "-", "a\u{301}\u{202e}1", "p. m", "'''"] {
            let _ = read(text);
        }
        assert!(read(&"a. B".repeat(5_000)).len() <= MAX_SENTENCES);
    }
}
