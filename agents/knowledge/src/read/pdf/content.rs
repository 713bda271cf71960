//! Text of a page out of its drawing operators (ISO 32000-1, 9.4): stretches of letters with their place and size.

use std::collections::HashMap;
use std::rc::Rc;

use super::Budget;
use super::file::File;
use super::font::Font;
use super::object::{Dict, Lexer, Object};
use crate::read::ReadError;

/// Forms drawn within forms.
const MAX_FORMS: usize = 8;
/// Saved states.
const MAX_SAVED: usize = 256;
/// A step between letters that is a space, in thousandths of the size.
const GAP: f64 = -170.0;
/// Smaller letters are not read by anyone.
const SMALLEST: f64 = 1.5;

/// Letters that were drawn together.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Stretch {
    pub text: String,
    pub x: f64,
    pub y: f64,
    pub size: f64,
    /// Where the pen stood after it, as far as it is known.
    pub end: f64,
    pub hidden: bool,
}

/// `[a b c d e f]`.
type Matrix = [f64; 6];
const UNIT: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

#[derive(Clone)]
struct State {
    /// From the drawing to the page.
    page: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    leading: f64,
    scale: f64,
    spacing: f64,
    /// Drawn without ink.
    inkless: bool,
    /// In the color of the paper.
    pale: bool,
}

/// Draws pages; keeps fonts that several pages use.
#[derive(Default)]
pub(super) struct Painter {
    fonts: HashMap<u32, Rc<Font>>,
    pub stretches: Vec<Stretch>,
    /// Letters that no font explained.
    pub unknown: usize,
    /// Pictures drawn.
    pub images: usize,
    /// Left, bottom, right, top of the page.
    pub frame: [f64; 4],
}

impl Painter {
    pub fn draw(
        &mut self,
        file: &File<'_>,
        resources: &Dict,
        data: &[u8],
        budget: &mut Budget,
    ) -> Result<(), ReadError> {
        let state = State {
            page: UNIT,
            font: None,
            size: 0.0,
            leading: 0.0,
            scale: 1.0,
            spacing: 0.0,
            inkless: false,
            pale: false,
        };
        self.run(file, resources, data, state, 0, budget)
    }

    fn run(
        &mut self,
        file: &File<'_>,
        resources: &Dict,
        data: &[u8],
        mut state: State,
        depth: usize,
        budget: &mut Budget,
    ) -> Result<(), ReadError> {
        let mut lexer = Lexer::new(data, 0);
        let mut saved: Vec<State> = Vec::new();
        let mut operands: Vec<Object> = Vec::new();
        let (mut line, mut text) = (UNIT, UNIT);
        while let Some(object) = lexer.next() {
            let Object::Word(word) = object else {
                if operands.len() < 512 {
                    operands.push(object);
                }
                continue;
            };
            budget.work(1)?;
            let n = |at: usize| operands.get(at).and_then(Object::number).unwrap_or(0.0);
            match word.as_str() {
                "q" if saved.len() < MAX_SAVED => saved.push(state.clone()),
                "Q" => state = saved.pop().unwrap_or(state),
                "cm" => state.page = product(&matrix(&operands), &state.page),
                "BT" => (line, text) = (UNIT, UNIT),
                "Tf" => {
                    state.size = n(1);
                    let name = operands.first().and_then(Object::name).unwrap_or_default();
                    state.font = self.font(file, resources, name, budget)?;
                }
                "TL" => state.leading = n(0),
                "Tz" => state.scale = n(0) / 100.0,
                "Tc" => state.spacing = n(0),
                "Tr" => state.inkless = n(0) == 3.0 || n(0) == 7.0,
                "g" => state.pale = n(0) > 0.98,
                "rg" => state.pale = n(0) > 0.98 && n(1) > 0.98 && n(2) > 0.98,
                "k" => state.pale = n(0) + n(1) + n(2) + n(3) < 0.02,
                "sc" | "scn" => {
                    let all: Option<Vec<f64>> = operands.iter().map(Object::number).collect();
                    state.pale =
                        all.is_some_and(|c| c.len() != 4 && !c.is_empty() && c.iter().all(|c| *c > 0.98));
                }
                "Td" | "TD" => {
                    if word == "TD" {
                        state.leading = -n(1);
                    }
                    line = product(&[1.0, 0.0, 0.0, 1.0, n(0), n(1)], &line);
                    text = line;
                }
                "Tm" => (line, text) = (matrix(&operands), matrix(&operands)),
                "T*" | "'" | "\"" => {
                    line = product(&[1.0, 0.0, 0.0, 1.0, 0.0, -state.leading], &line);
                    text = line;
                    if word != "T*" {
                        self.show(&state, &mut text, operands.last(), budget)?;
                    }
                }
                "Tj" | "TJ" => self.show(&state, &mut text, operands.first(), budget)?,
                "Do" => self.form(file, resources, &operands, &state, depth, budget)?,
                "BI" => {
                    self.images += 1;
                    // An inline picture: its bytes are no operators.
                    let rest = data.get(lexer.at..).unwrap_or_default();
                    lexer.at += super::file::find(rest, b"EI").map_or(rest.len(), |end| end + 2);
                }
                _ => {}
            }
            operands.clear();
        }
        Ok(())
    }

    fn font(
        &mut self,
        file: &File<'_>,
        resources: &Dict,
        name: &str,
        budget: &mut Budget,
    ) -> Result<Option<Rc<Font>>, ReadError> {
        let fonts = file.look(resources.get("Font"));
        let Some(entry) = fonts.dict().and_then(|fonts| fonts.get(name)) else { return Ok(None) };
        let number = match entry {
            Object::Ref(number) => Some(*number),
            _ => None,
        };
        if let Some(font) = number.and_then(|number| self.fonts.get(&number)) {
            return Ok(Some(font.clone()));
        }
        budget.work(1_000)?;
        let Object::Dict(dict) = file.get(Some(entry)) else { return Ok(None) };
        let font = Rc::new(Font::of(file, &dict, budget)?);
        if let Some(number) = number {
            self.fonts.insert(number, font.clone());
        }
        Ok(Some(font))
    }

    fn show(
        &mut self,
        state: &State,
        text: &mut Matrix,
        shown: Option<&Object>,
        budget: &mut Budget,
    ) -> Result<(), ReadError> {
        let Some(font) = &state.font else { return Ok(()) };
        let one;
        let items: &[Object] = match shown {
            Some(Object::Array(items)) => items,
            Some(text @ Object::Text(_)) => {
                one = [text.clone()];
                &one
            }
            _ => return Ok(()),
        };
        let start = product(text, &state.page);
        let size = state.size.abs() * (start[2].hypot(start[3]));
        let mut letters = String::new();
        let mut moved = 0.0;
        for item in items {
            match item {
                Object::Text(codes) => {
                    let drawn = font.decode(codes);
                    budget.work(1 + codes.len() / 16)?;
                    self.unknown += drawn.unknown;
                    let spacing = drawn.codes as f64 * state.spacing;
                    moved += (drawn.width / 1000.0 * state.size + spacing) * state.scale;
                    letters.push_str(&drawn.letters);
                }
                // A gap as wide as most of a space is one.
                Object::Number(n) => {
                    if *n < GAP && !letters.ends_with(' ') {
                        letters.push(' ');
                    }
                    moved -= n / 1000.0 * state.size * state.scale;
                }
                _ => {}
            }
        }
        *text = product(&[1.0, 0.0, 0.0, 1.0, moved, 0.0], text);
        let end = product(text, &state.page)[4];
        if letters.is_empty() {
            return Ok(());
        }
        budget.text(letters.len())?;
        let (x, y) = (start[4], start[5]);
        let [left, bottom, right, top] = self.frame;
        let margin = 20.0;
        let outside = x < left - margin || x > right + margin || y < bottom - margin || y > top + margin;
        let hidden = state.inkless || state.pale || size < SMALLEST || outside;
        self.stretches.push(Stretch { text: letters, x, y, size, end, hidden });
        Ok(())
    }

    /// Draws a form; a picture is counted.
    fn form(
        &mut self,
        file: &File<'_>,
        resources: &Dict,
        operands: &[Object],
        state: &State,
        depth: usize,
        budget: &mut Budget,
    ) -> Result<(), ReadError> {
        let name = operands.first().and_then(Object::name).unwrap_or_default();
        let forms = file.look(resources.get("XObject"));
        let Some(entry) = forms.dict().and_then(|forms| forms.get(name)) else { return Ok(()) };
        let Object::Dict(head) = file.get(Some(entry)) else { return Ok(()) };
        if head.get("Subtype").and_then(Object::name) == Some("Image") {
            self.images += 1;
            return Ok(());
        }
        if depth >= MAX_FORMS {
            return Ok(());
        }
        budget.work(1_000)?;
        let Some((dict, data)) = file.stream(entry, budget)? else { return Ok(()) };
        let own = file.get(dict.get("Resources"));
        let mut inner = state.clone();
        if let Some(items) = file.get(dict.get("Matrix")).array() {
            inner.page = product(&matrix(items), &inner.page);
        }
        self.run(file, own.dict().unwrap_or(resources), &data, inner, depth + 1, budget)
    }
}

fn matrix(operands: &[Object]) -> Matrix {
    let mut matrix = [0.0; 6];
    for (to, from) in matrix.iter_mut().zip(operands) {
        *to = from.number().unwrap_or(0.0);
    }
    if operands.len() < 6 { UNIT } else { matrix }
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    [
        a[0] * b[0] + a[1] * b[2],
        a[0] * b[1] + a[1] * b[3],
        a[2] * b[0] + a[3] * b[2],
        a[2] * b[1] + a[3] * b[3],
        a[4] * b[0] + a[5] * b[2] + b[4],
        a[4] * b[1] + a[5] * b[3] + b[5],
    ]
}
