//! RTF: control words, groups, letters. No library reads it well; what is needed of it is small.

use super::flow::{Flow, Style};
use super::{MAX_TEXT, RTF, ReadError, Reading, reading, windows_1252};

/// Groups within each other.
const MAX_GROUPS: usize = 4_096;
/// Destinations whose content is not the text of the page.
const SKIPPED: [&str; 22] = [
    "fonttbl",
    "colortbl",
    "stylesheet",
    "info",
    "pict",
    "object",
    "header",
    "headerl",
    "headerr",
    "headerf",
    "footer",
    "footerl",
    "footerr",
    "footerf",
    "fldinst",
    "listtable",
    "listoverridetable",
    "rsidtbl",
    "themedata",
    "annotation",
    "deleted",
    "bkmkstart",
];

/// What a group sets for what is in it.
#[derive(Clone, Default)]
struct State {
    skipped: bool,
    hidden: bool,
    /// Letters after a Unicode one that stand in for it.
    stand_ins: usize,
}

pub(super) fn read(bytes: &[u8]) -> Result<Reading, ReadError> {
    let mut rich = Rich { state: State { stand_ins: 1, ..State::default() }, ..Rich::default() };
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = match byte {
            b'{' => {
                if rich.groups.len() >= MAX_GROUPS {
                    return Err(ReadError::Bomb("groups".into()));
                }
                rich.groups.push(rich.state.clone());
                after
            }
            b'}' => {
                rich.state = rich.groups.pop().unwrap_or_default();
                after
            }
            b'\\' => rich.control(after),
            b'\r' | b'\n' => after,
            byte => {
                rich.letter(windows_1252(byte));
                after
            }
        };
        if rich.flow.written() > MAX_TEXT {
            return Err(ReadError::TooMuchText);
        }
    }
    reading(&rich.flow.finish(), RTF, rich.hidden)
}

#[derive(Default)]
struct Rich {
    flow: Flow,
    groups: Vec<State>,
    state: State,
    /// Stand-ins that are still to come.
    pending: usize,
    /// First half of a letter beyond the 16th bit.
    high: Option<u16>,
    in_table: bool,
    /// A paragraph began that does not say that it is in the table.
    left: bool,
    hidden: usize,
    was_hidden: bool,
}

impl Rich {
    fn letter(&mut self, c: char) {
        if self.pending > 0 {
            self.pending -= 1;
            return;
        }
        if self.state.skipped {
            return;
        }
        if self.state.hidden {
            self.hidden += usize::from(!std::mem::replace(&mut self.was_hidden, true));
            return;
        }
        self.was_hidden = false;
        if self.left && std::mem::take(&mut self.in_table) {
            self.flow.end_table();
        }
        self.left = false;
        self.flow.text(c.encode_utf8(&mut [0; 4]));
    }

    /// A control after its backslash; gives what follows it.
    fn control<'b>(&mut self, rest: &'b [u8]) -> &'b [u8] {
        let Some((&first, after)) = rest.split_first() else { return rest };
        if !first.is_ascii_alphabetic() {
            match first {
                b'\'' => {
                    let code = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
                    if let Some(code) = code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
                        self.letter(windows_1252(code));
                    }
                    return after.get(2..).unwrap_or_default();
                }
                // What an old program does not know it may leave out, and so may we.
                b'*' => self.state.skipped = true,
                b'~' => self.letter(' '),
                b'_' => self.letter('-'),
                b'\\' | b'{' | b'}' => self.letter(char::from(first)),
                b'\r' | b'\n' => self.flow.end_paragraph(Style::Text),
                _ => {}
            }
            return after;
        }
        let length = rest.iter().take(32).take_while(|b| b.is_ascii_alphabetic()).count();
        let (name, rest) = rest.split_at(length);
        let sign = usize::from(rest.first() == Some(&b'-'));
        let digits = rest.iter().skip(sign).take(10).take_while(|b| b.is_ascii_digit()).count();
        let (number, rest) = rest.split_at(if digits == 0 { 0 } else { sign + digits });
        let number: Option<i64> = std::str::from_utf8(number).ok().and_then(|n| n.parse().ok());
        let rest = rest.strip_prefix(b" ").unwrap_or(rest);
        let name = std::str::from_utf8(name).unwrap_or_default();
        if name == "bin" {
            return rest.get(number.unwrap_or(0).clamp(0, 1 << 24) as usize..).unwrap_or_default();
        }
        self.word(name, number);
        rest
    }

    fn word(&mut self, name: &str, number: Option<i64>) {
        match name {
            name if SKIPPED.contains(&name) => self.state.skipped = true,
            "v" => self.state.hidden = number != Some(0),
            "plain" => self.state.hidden = false,
            "uc" => self.state.stand_ins = number.unwrap_or(1).clamp(0, 8) as usize,
            "u" => {
                self.pending = 0;
                self.unicode((number.unwrap_or(0) & 0xffff) as u16);
                self.pending = self.state.stand_ins;
            }
            _ if self.state.skipped => {}
            "par" | "sect" | "page" => self.flow.end_paragraph(Style::Text),
            "tab" | "line" | "emspace" | "enspace" => self.letter(' '),
            "emdash" => self.letter('—'),
            "endash" => self.letter('–'),
            "lquote" => self.letter('‘'),
            "rquote" => self.letter('’'),
            "ldblquote" => self.letter('“'),
            "rdblquote" => self.letter('”'),
            "bullet" => self.letter('•'),
            "trowd" => {
                self.left = false;
                if !std::mem::replace(&mut self.in_table, true) {
                    self.flow.begin_table();
                }
            }
            "cell" if self.in_table => self.flow.end_cell(),
            "row" if self.in_table => self.flow.end_row(),
            "pard" => self.left = true,
            "intbl" => self.left = false,
            _ => {}
        }
    }

    fn unicode(&mut self, unit: u16) {
        match (self.high.take(), unit) {
            (None, 0xd800..=0xdbff) => self.high = Some(unit),
            (Some(high), 0xdc00..=0xdfff) => {
                char::decode_utf16([high, unit]).flatten().for_each(|c| self.letter(c));
            }
            (_, unit) => self.letter(char::from_u32(unit.into()).unwrap_or('\u{fffd}')),
        }
    }
}
