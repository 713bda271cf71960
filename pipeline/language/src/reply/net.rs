//! A recurrent net that reads a reply from both ends, so that what a word is may hang on words far from it.
//!
//! Two layers of long short-term memory over what is known of each word alone. `data/reply/train_net.py` makes the weights, a byte each;
//! here they are only used. What it finds likely is added to the random field's scores.

use super::{Asked, LABELS};
use crate::Language;
use crate::field::Row;
use crate::intents::WIDTH as SEEN;
use crate::tagger::token::Token;

/// Rows of the table of words; of that of their beginnings and endings.
const WORDS: usize = 1 << 14;
const ENDS: usize = 1 << 13;
/// Numbers for a word, its ends, its form, what the tagger takes it for, what was asked, the language, the lists that it is on, and
/// what the sentence encoder makes of it.
const WIDTHS: [usize; 8] = [96, 32, 8, 12, 16, 4, 24, 64];
const INPUT: usize =
    WIDTHS[0] + WIDTHS[1] + WIDTHS[2] + WIDTHS[3] + WIDTHS[4] + WIDTHS[5] + WIDTHS[6] + WIDTHS[7];
/// Bits of [`Token::classes`] that are looked at.
const LISTS: usize = 24;
const FORMS: usize = 8;
const TAGS: usize = 10;
const LANGUAGES: usize = 2;
/// What one direction remembers.
const MEMORY: usize = 96;
const GATES: usize = 4 * MEMORY;
/// What the second layer reads: both directions of the first, and what was asked.
const BETWEEN: usize = 2 * MEMORY + WIDTHS[4];

/// The weights, each row that of an input.
#[derive(Debug)]
pub struct Net {
    words: Table,
    ends: Table,
    forms: Table,
    tags: Table,
    asked: Table,
    languages: Table,
    lists: Table,
    seen: Table,
    layers: [[Memory; 2]; 2],
    out: Table,
    bias: Vec<f32>,
}

/// Rows of numbers.
#[derive(Debug)]
struct Table {
    width: usize,
    numbers: Vec<f32>,
}

/// One direction of a layer.
#[derive(Debug)]
struct Memory {
    input: Table,
    state: Table,
    bias: Vec<f32>,
}

/// Takes tables off the front of a weights' file.
struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn float(&mut self) -> Option<f32> {
        let (four, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(f32::from_le_bytes(*four)).filter(|float| float.is_finite())
    }

    fn numbers(&mut self, count: usize) -> Option<Vec<f32>> {
        let scale = self.float()?;
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes.iter().map(|byte| f32::from(byte.cast_signed()) * scale).collect())
    }

    fn table(&mut self, rows: usize, width: usize) -> Option<Table> {
        Some(Table { width, numbers: self.numbers(rows * width)? })
    }

    fn memory(&mut self, input: usize) -> Option<Memory> {
        let (input, state) = (self.table(input, GATES)?, self.table(MEMORY, GATES)?);
        let bias = (0..GATES).map(|_| self.float()).collect::<Option<_>>()?;
        Some(Memory { input, state, bias })
    }
}

impl Table {
    fn row(&self, at: usize) -> &[f32] {
        self.numbers.get(at * self.width..(at + 1) * self.width).unwrap_or_default()
    }

    /// Adds each row, times its number.
    fn add(&self, times: &[f32], out: &mut [f32]) {
        for (row, by) in self.numbers.chunks_exact(self.width).zip(times) {
            add(row, *by, out);
        }
    }
}

fn add(row: &[f32], by: f32, out: &mut [f32]) {
    out.iter_mut().zip(row).for_each(|(sum, number)| *sum += by * number);
}

impl Memory {
    /// What it remembers at each word, read in the order that is given.
    fn read(&self, words: &[Vec<f32>], order: impl Iterator<Item = usize>, out: &mut [Vec<f32>]) {
        let (mut held, mut shown) = ([0.0_f32; MEMORY], [0.0_f32; MEMORY]);
        let mut gates = vec![0.0_f32; GATES];
        for at in order {
            let (Some(word), Some(out)) = (words.get(at), out.get_mut(at)) else { return };
            gates.copy_from_slice(&self.bias);
            self.input.add(word, &mut gates);
            self.state.add(&shown, &mut gates);
            let [take, keep, new, show] = [0, 1, 2, 3].map(|gate| &gates[gate * MEMORY..(gate + 1) * MEMORY]);
            for n in 0..MEMORY {
                held[n] = sigmoid(keep[n]) * held[n] + sigmoid(take[n]) * new[n].tanh();
                shown[n] = sigmoid(show[n]) * held[n].tanh();
            }
            out.extend_from_slice(&shown);
        }
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl Net {
    /// Weights as `train_net.py` wrote them; `None` where they do not fit the code, which a test rules out for what ships.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut from = Reader(bytes);
        let net = Self {
            words: from.table(WORDS, WIDTHS[0])?,
            ends: from.table(ENDS, WIDTHS[1])?,
            forms: from.table(FORMS, WIDTHS[2])?,
            tags: from.table(TAGS, WIDTHS[3])?,
            asked: from.table(Asked::NAMES.len(), WIDTHS[4])?,
            languages: from.table(LANGUAGES, WIDTHS[5])?,
            lists: from.table(LISTS, WIDTHS[6])?,
            seen: from.table(SEEN, WIDTHS[7])?,
            layers: [
                [from.memory(INPUT)?, from.memory(INPUT)?],
                [from.memory(BETWEEN)?, from.memory(BETWEEN)?],
            ],
            out: from.table(2 * MEMORY, LABELS)?,
            bias: (0..LABELS).map(|_| from.float()).collect::<Option<_>>()?,
        };
        from.0.is_empty().then_some(net)
    }

    /// Log probability of each label of each word. `tagged`: what the tagger takes the words for. `seen`: what the sentence encoder
    /// makes of each, where it was in time; the net learned to do without.
    #[must_use]
    pub fn scores(
        &self,
        tokens: &[Token],
        tagged: &[u64],
        asked: Asked,
        language: Language,
        seen: Option<&[Vec<f32>]>,
    ) -> Vec<Row<LABELS>> {
        let asked = self.asked.row(asked as usize);
        let language = self.languages.row(usize::from(language == Language::Es));
        let mut words: Vec<Vec<f32>> = (0..tokens.len())
            .map(|at| {
                let (token, tag) = (&tokens[at], tagged.get(at).copied().unwrap_or_default());
                let seen = seen.and_then(|seen| seen.get(at)).map_or(&[][..], Vec::as_slice);
                self.word(token, tag, asked, language, seen)
            })
            .collect();
        for (n, [ahead, back]) in self.layers.iter().enumerate() {
            let mut read = vec![Vec::with_capacity(BETWEEN); tokens.len()];
            ahead.read(&words, 0..tokens.len(), &mut read);
            back.read(&words, (0..tokens.len()).rev(), &mut read);
            if n == 0 {
                read.iter_mut().for_each(|word| word.extend_from_slice(asked));
            }
            words = read;
        }
        words.iter().map(|word| self.labels(word)).collect()
    }

    fn word(&self, token: &Token, tag: u64, asked: &[f32], language: &[f32], seen: &[f32]) -> Vec<f32> {
        let mut out = Vec::with_capacity(INPUT);
        // The first two rows are of no word, and of one that is not known.
        out.extend_from_slice(self.words.row(2 + ((token.hash >> 11) % (WORDS as u64 - 2)) as usize));
        let mut ends = [0.0; WIDTHS[1]];
        let (suffixes, prefixes) = (token.suffixes, token.prefixes);
        for end in [suffixes[1], suffixes[2] ^ 0x5bd1, prefixes[2] ^ 0x77, prefixes[3] ^ 0x1234] {
            add(self.ends.row(end as usize % ENDS), 1.0, &mut ends);
        }
        out.extend_from_slice(&ends);
        out.extend_from_slice(self.forms.row(token.form as usize));
        out.extend_from_slice(self.tags.row(tag as usize));
        out.extend_from_slice(asked);
        out.extend_from_slice(language);
        let mut lists = [0.0; WIDTHS[6]];
        for list in (0..LISTS).filter(|list| token.classes >> list & 1 == 1) {
            add(self.lists.row(list), 1.0, &mut lists);
        }
        out.extend_from_slice(&lists);
        let mut encoded = [0.0; WIDTHS[7]];
        self.seen.add(seen, &mut encoded);
        out.extend_from_slice(&encoded);
        out
    }

    fn labels(&self, word: &[f32]) -> Row<LABELS> {
        let mut sums = self.bias.clone();
        self.out.add(word, &mut sums);
        let most = sums.iter().copied().fold(f32::MIN, f32::max);
        let all = sums.iter().map(|sum| (sum - most).exp()).sum::<f32>().ln() + most;
        let mut row = [0.0; LABELS];
        row.iter_mut().zip(&sums).for_each(|(label, sum)| *label = sum - all);
        row
    }
}
