//! Cuts reply text into segments while it is still being written.
//!
//! The first segment is short, so that speech starts soon: a clause up to a comma, or a few words up to where a
//! speaker might breathe. Later ones are whole sentences, so that prosody survives.

/// A later segment is at least this long, unless the text ends.
const LEAST_CHARS: usize = 20;
/// A sentence longer than this is cut at a comma.
const LONG_CHARS: usize = 200;
/// Words a first clause has at least.
const FIRST_WORDS: usize = 3;
/// Words after which a first clause may be cut without a mark.
const BREATH_WORDS: usize = 4;
/// Words that must follow such a cut, so that no scrap is left.
const WORDS_AFTER: usize = 3;

/// Words before which a speaker may breathe, of both languages: none of them is a word of the other.
const BREATHS: [&str; 39] = [
    "and", "but", "or", "so", "because", "if", "when", "while", "which", "who", "where", "until", "unless",
    "since", "before", "after", "although", "that", "then", "y", "e", "pero", "o", "porque", "que", "cuando",
    "si", "donde", "mientras", "aunque", "hasta", "para", "como", "pues", "entonces", "quien", "desde",
    "antes", "después",
];

/// Words that begin a phrase of their own, of both languages. A reply whose first clause may end before one is heard
/// some fifty milliseconds earlier. Those that often end a short sentence ("help you with that") are not among them.
const PHRASES: [&str; 14] = [
    "from", "in", "on", "between", "during", "under", "near", "by", "without", "en", "entre", "durante",
    "sobre", "sin",
];

/// Words whose point ends no sentence.
const ABBREVIATIONS: [&str; 80] = [
    "mr", "mrs", "ms", "dr", "st", "jr", "sr", "prof", "rev", "gov", "sgt", "lt", "capt", "gen", "dept",
    "ave", "rd", "ln", "blvd", "ct", "pl", "hwy", "pkwy", "apt", "ste", "bldg", "no", "nos", "vs", "etc",
    "e.g", "i.e", "approx", "appt", "ext", "inc", "co", "ltd", "corp", "a.m", "p.m", "u.s", "mt", "ft",
    "sra", "srta", "sres", "dra", "lic", "lcda", "ing", "arq", "profa", "gob", "av", "avda", "carr", "calz",
    "col", "dpto", "depto", "apto", "núm", "nro", "pág", "págs", "tel", "cel", "ud", "uds", "aprox", "máx",
    "mín", "ej", "p.ej", "ee", "uu", "ee.uu", "sto", "sta",
];

/// Abbreviations that also end sentences, when a word follows that often begins one.
const ENDING: [&str; 20] = [
    "st", "dr", "ave", "rd", "ln", "blvd", "ct", "hwy", "etc", "a.m", "p.m", "u.s", "inc", "dept", "uu",
    "ee.uu", "uds", "ud", "aprox", "máx",
];

/// Words that often begin a sentence, of both languages.
const STARTERS: [&str; 76] = [
    "The", "We", "It", "You", "I", "Your", "This", "That", "They", "Our", "If", "Please", "He", "She",
    "There", "To", "In", "For", "What", "Would", "Can", "Do", "Is", "Are", "A", "An", "On", "When", "Then",
    "Someone", "Crews", "Could", "May", "Did", "No", "Yes", "El", "La", "Los", "Las", "Un", "Una", "Usted",
    "Ustedes", "Su", "Sus", "Nuestra", "Nuestro", "Si", "Sí", "Para", "Por", "En", "Con", "Es", "Está",
    "Son", "Hay", "Puede", "Se", "Le", "Lo", "Les", "Tenemos", "Gracias", "También", "Este", "Esta", "Eso",
    "Esto", "Llame", "Diga", "Oprima", "Después", "Cuando", "Desde",
];

/// Collects text and gives segments as soon as they are certain.
#[derive(Clone, Debug)]
pub struct Segmenter {
    buffer: String,
    first: bool,
}

impl Default for Segmenter {
    fn default() -> Self {
        Self { buffer: String::new(), first: true }
    }
}

impl Segmenter {
    /// For a reply of which nothing was said yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes more text; gives what is complete. Joining all segments with spaces gives the text back, apart from
    /// white space.
    pub fn push(&mut self, text: &str) -> Vec<String> {
        self.buffer.push_str(text);
        let mut out = Vec::new();
        while let Some(end) = self.boundary(false) {
            self.take(end, &mut out);
        }
        out
    }

    /// The text is complete: gives the rest.
    pub fn finish(&mut self) -> Vec<String> {
        let mut out = Vec::new();
        while let Some(end) = self.boundary(true) {
            self.take(end, &mut out);
        }
        self.take(self.buffer.len(), &mut out);
        self.first = true;
        out
    }

    fn take(&mut self, end: usize, out: &mut Vec<String>) {
        let rest = self.buffer.split_off(end);
        let segment = std::mem::replace(&mut self.buffer, rest);
        let segment = segment.split_whitespace().collect::<Vec<_>>().join(" ");
        if !segment.is_empty() {
            out.push(segment);
            self.first = false;
        }
    }

    /// Where the next segment ends. `complete`: no text follows the buffer's.
    fn boundary(&self, complete: bool) -> Option<usize> {
        let words = spans(&self.buffer);
        // What follows a word decides, and the last word may still grow.
        let grows = !complete && !self.buffer.ends_with(char::is_whitespace);
        for i in 0..words.len().saturating_sub(1 + usize::from(grows)) {
            let length = words[i].1 - words[0].0;
            let (word, next) = (self.word(words[i]), self.word(words[i + 1]));
            let before = if i > 0 { self.word(words[i - 1]) } else { "" };
            let sentence = ends_sentence(before, word, next) || self.breaks_line(words[i].1, words[i + 1].0);
            let clause = ends_clause(word, next);
            let cut = if self.first {
                sentence || (clause && i + 1 >= FIRST_WORDS) || self.breath(&words, i, complete)
            } else {
                (sentence && length >= LEAST_CHARS) || (clause && length >= LONG_CHARS)
            };
            if cut {
                return Some(words[i].1);
            }
        }
        None
    }

    /// A first clause may end here without a mark: enough words came, a natural breath follows, and so do words.
    fn breath(&self, words: &[(usize, usize)], i: usize, complete: bool) -> bool {
        let follows = words.len() - (i + 1);
        let enough =
            i + 1 >= BREATH_WORDS && follows > WORDS_AFTER && (!complete || follows > WORDS_AFTER + 2);
        let next = self.word(words[i + 1]).trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        if i + 1 >= BREATH_WORDS && follows > 1 && PHRASES.contains(&next.as_str()) {
            return true;
        }
        // A mark close ahead is the better place.
        let mark_ahead =
            (i + 1..(i + 3).min(words.len())).any(|k| self.word(words[k]).ends_with([',', '.', '?', '!']));
        enough && !mark_ahead && BREATHS.contains(&next.as_str())
    }

    fn word(&self, (start, end): (usize, usize)) -> &str {
        &self.buffer[start..end]
    }

    fn breaks_line(&self, from: usize, to: usize) -> bool {
        self.buffer[from..to].contains('\n')
    }
}

/// All segments of a complete text.
#[must_use]
pub fn segments(text: &str) -> Vec<String> {
    let mut segmenter = Segmenter::new();
    let mut out = segmenter.push(text);
    out.extend(segmenter.finish());
    out
}

/// Byte ranges of the words.
fn spans(text: &str) -> Vec<(usize, usize)> {
    let start = text.as_ptr() as usize;
    text.split_whitespace()
        .map(|word| {
            let from = word.as_ptr() as usize - start;
            (from, from + word.len())
        })
        .collect()
}

fn ends_sentence(before: &str, word: &str, next: &str) -> bool {
    let bare = word.trim_end_matches(['"', '\'', '”', '’', '»', ')', ']']);
    if bare.ends_with(['!', '?', '…']) {
        return !next.starts_with(char::is_lowercase);
    }
    let Some(stem) = bare.strip_suffix('.') else { return false };
    if next.starts_with(char::is_lowercase) {
        return false;
    }
    let plain = stem.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let starter =
        next.starts_with(['¿', '¡']) || STARTERS.contains(&next.trim_matches(|c: char| !c.is_alphanumeric()));
    // "3 p. m." is written in two words.
    if plain == "m" && matches!(before, "a." | "p.") {
        return starter;
    }
    // "Say yes or no." ends; "Case No. 24" goes on.
    if matches!(plain.as_str(), "no" | "nos") && !next.starts_with(|c: char| c.is_ascii_digit() || c == '#') {
        return true;
    }
    if ABBREVIATIONS.contains(&plain.as_str()) {
        return starter && ENDING.contains(&plain.as_str());
    }
    // An initial ("J. Smith") or a list's number ("1. Bring …").
    let initial = plain.chars().count() == 1 && plain.chars().all(char::is_alphabetic) && plain != "i";
    let item = plain.len() <= 2 && !plain.is_empty() && plain.bytes().all(|b| b.is_ascii_digit()) && !starter;
    !(initial || item)
}

/// A comma, semicolon, colon or dash that does not belong to a number, date or place.
fn ends_clause(word: &str, next: &str) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let Some(stem) = word.strip_suffix([',', ';', ':', '—', '–']) else {
        return matches!(next, "—" | "–" | "-");
    };
    if digit(stem.chars().next_back()) && digit(next.chars().next()) {
        return false;
    }
    // "March 3, 2026" is caught above; "Springfield, IL" is one place.
    let state = next.trim_end_matches(|c: char| !c.is_alphanumeric());
    !(state.len() == 2 && state.chars().all(|c| c.is_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_is_cut_where_a_speaker_would_pause() {
        let table: [(&str, &[&str]); 27] = [
            ("Yes. We can do that for you today.", &["Yes.", "We can do that for you today."]),
            (
                "I can help with that, let me check. The office is open now.",
                &["I can help with that,", "let me check. The office is open now."],
            ),
            (
                "Your street light report has been filed and a crew will come by Friday.",
                &["Your street light report has been filed", "and a crew will come by Friday."],
            ),
            ("The office is open from eight to five.", &["The office is open", "from eight to five."]),
            ("La oficina está abierta en la tarde.", &["La oficina está abierta", "en la tarde."]),
            ("I can help you with that.", &["I can help you with that."]),
            ("Okay, one moment.", &["Okay, one moment."]),
            ("It costs 1,250 dollars, I think.", &["It costs 1,250 dollars,", "I think."]),
            ("Meet Dr. Lee at St. Mary's now.", &["Meet Dr. Lee at St. Mary's now."]),
            ("We open at 9 a.m. The line is short then.", &["We open at 9 a.m.", "The line is short then."]),
            ("We open at 9 a.m. Monday to Friday.", &["We open at 9 a.m. Monday to Friday."]),
            ("It is due March 3, 2026, at noon.", &["It is due March 3, 2026,", "at noon."]),
            ("That is in Springfield, IL, I believe.", &["That is in Springfield, IL,", "I believe."]),
            ("Your number is INC-4821. Anything else?", &["Your number is INC-4821.", "Anything else?"]),
            ("Call 555-010-0199. Thank you.", &["Call 555-010-0199.", "Thank you."]),
            ("J. Smith can help. She is in.", &["J. Smith can help.", "She is in."]),
            ("First line\nsecond line", &["First line", "second line"]),
            ("Visit county.gov. It lists all fees.", &["Visit county.gov.", "It lists all fees."]),
            ("", &[]),
            ("¿Algo más? Con gusto le ayudo.", &["¿Algo más?", "Con gusto le ayudo."]),
            ("Abrimos a las 9 a. m. La fila es corta.", &["Abrimos a las 9 a. m.", "La fila es corta."]),
            ("Abrimos a las 9 a. m. ¿Quiere venir?", &["Abrimos a las 9 a. m.", "¿Quiere venir?"]),
            ("El Sr. Ruiz y la Dra. Paz vienen.", &["El Sr. Ruiz y la Dra. Paz vienen."]),
            ("Está en la Av. Juárez núm. 12. Es gratis.", &["Está en la Av. Juárez núm. 12.", "Es gratis."]),
            ("Vive en EE. UU. Desde mayo trabaja.", &["Vive en EE. UU.", "Desde mayo trabaja."]),
            (
                "Su reporte ya quedó registrado y una cuadrilla irá el viernes.",
                &["Su reporte ya quedó registrado", "y una cuadrilla irá el viernes."],
            ),
            (
                "Claro, con mucho gusto, dígame. ¡Adelante!",
                &["Claro, con mucho gusto,", "dígame. ¡Adelante!"],
            ),
        ];
        for (text, expected) in table {
            assert_eq!(segments(text), expected, "{text}");
        }
    }

    #[test]
    fn short_sentences_after_the_first_are_joined() {
        assert_eq!(
            segments("I see. It is out. A crew will go. They need two days to fix it."),
            ["I see.", "It is out. A crew will go.", "They need two days to fix it."]
        );
    }

    #[test]
    fn a_segment_leaves_as_soon_as_it_is_certain() {
        let mut s = Segmenter::new();
        assert!(s.push("I can help with").is_empty());
        assert!(s.push(" that, ").is_empty(), "what follows decides");
        assert!(s.push("let").is_empty(), "the next word may still grow");
        assert_eq!(s.push(" me"), ["I can help with that,"]);
        assert_eq!(s.finish(), ["let me"]);
    }

    #[test]
    fn a_very_long_sentence_is_cut_at_a_comma() {
        let text = format!("Well. {}", "the crew comes on Monday morning, ".repeat(20));
        let longest = segments(&text).iter().map(String::len).max().unwrap_or(0);
        assert!(longest < 260, "{longest}");
    }

    proptest! {
        #[test]
        fn no_word_is_lost_however_the_text_arrives(
            words in proptest::collection::vec("[A-Za-z0-9,.?!é¿¡$-]{1,9}", 0..40),
            size in 1usize..12,
        ) {
            let text = words.join(" ");
            let mut s = Segmenter::new();
            let chars: Vec<char> = text.chars().collect();
            let mut out: Vec<String> = chars.chunks(size).flat_map(|c| s.push(&c.iter().collect::<String>())).collect();
            out.extend(s.finish());
            prop_assert_eq!(out.join(" "), text.clone());
            prop_assert_eq!(out.join(" "), segments(&text).join(" "));
        }
    }
}
