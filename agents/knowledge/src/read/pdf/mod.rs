//! PDF as text. Own reader, since what is needed is small and what is dangerous is large: no scripts, no forms, no
//! embedded files, no pictures are looked at, and nothing unpacks without a limit.

mod content;
mod file;
mod filter;
mod font;
mod glyphs;
mod layout;
mod object;

use std::collections::HashSet;
use std::rc::Rc;

use super::{MAX_PAGES, MAX_TEXT, PDF, ReadError, Reading, visible};
use content::{Painter, Stretch};
use file::File;
use object::{Dict, Object};

/// Bytes that one document may unpack to.
const MAX_UNPACKED: usize = 96 * 1024 * 1024;
/// Steps of work: an operator, an object, sixteen letters. A page of text takes some thousands.
const MAX_WORK: usize = 20_000_000;
/// Levels of the tree of pages.
const MAX_LEVELS: usize = 32;

/// What one document may still take.
#[derive(Debug)]
struct Budget {
    unpacked: usize,
    work: usize,
    text: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { unpacked: MAX_UNPACKED, work: MAX_WORK, text: MAX_TEXT }
    }
}

impl Budget {
    /// Bytes that may still be unpacked.
    const fn room(&self) -> u64 {
        self.unpacked as u64
    }

    fn unpacked(&mut self, bytes: usize) -> Result<(), ReadError> {
        self.unpacked = self.unpacked.checked_sub(bytes).ok_or(ReadError::Bomb("unpacked bytes"))?;
        Ok(())
    }

    fn work(&mut self, steps: usize) -> Result<(), ReadError> {
        self.work = self.work.checked_sub(steps).ok_or(ReadError::Bomb("steps"))?;
        Ok(())
    }

    fn text(&mut self, bytes: usize) -> Result<(), ReadError> {
        self.text = self.text.checked_sub(bytes).ok_or(ReadError::TooMuchText)?;
        Ok(())
    }
}

/// A page with what it takes over from the tree above it.
struct Page {
    dict: Dict,
    resources: Rc<Dict>,
    frame: [f64; 4],
}

/// What is done with each page as it is found: none is kept.
type Draw<'d> = dyn FnMut(&Page, &mut Budget) -> Result<(), ReadError> + 'd;

/// What was walked through.
#[derive(Default)]
struct Walked {
    seen: HashSet<u32>,
    pages: usize,
}

pub(super) fn read(bytes: &[u8]) -> Result<Reading, ReadError> {
    let mut budget = Budget::default();
    let file = File::open(bytes, &mut budget)?;
    let mut painter = Painter::default();
    let mut drawn: Vec<Vec<Stretch>> = Vec::new();
    let mut draw = |page: &Page, budget: &mut Budget| {
        painter.frame = page.frame;
        let data = contents(&file, &page.dict, budget)?;
        painter.draw(&file, &page.resources, &data, budget)?;
        drawn.push(std::mem::take(&mut painter.stretches));
        Ok(())
    };
    pages(&file, &mut draw, &mut budget)?;
    file.is_bounded()?;
    if drawn.is_empty() {
        return Err(ReadError::Broken("it has no pages"));
    }
    // Text without ink over pictures is what text recognition leaves behind: there it is the text.
    let is_text = |s: &Stretch| !s.text.trim().is_empty();
    let any_seen = drawn.iter().flatten().any(|s| is_text(s) && !s.hidden);
    let recognised = !any_seen && painter.images > 0;
    let hidden =
        if recognised { 0 } else { drawn.iter().flatten().filter(|s| is_text(s) && s.hidden).count() };
    if !recognised {
        drawn.iter_mut().for_each(|page| page.retain(|stretch| !stretch.hidden));
    }
    let lines: Vec<Vec<layout::Line>> = drawn.iter().map(|page| layout::lines(page)).collect();
    let (text, _) = visible::only(&layout::text(&lines));
    if text.trim().is_empty() {
        return Err(if painter.unknown > 0 { ReadError::Unreadable } else { ReadError::Scanned });
    }
    // A file of which most letters cannot be told is worse than none: it would be cited.
    if painter.unknown > text.chars().count() {
        return Err(ReadError::Unreadable);
    }
    Ok(Reading { text, title: title(&file), media_type: PDF, hidden })
}

/// Pages in the order of the tree; where there is no tree, in the order of their numbers.
fn pages(file: &File<'_>, draw: &mut Draw<'_>, budget: &mut Budget) -> Result<(), ReadError> {
    let mut walked = Walked::default();
    let top = Page { dict: Dict::new(), resources: Rc::default(), frame: [0.0, 0.0, 612.0, 792.0] };
    let root = file.trailer("Root");
    if let Some(tree) = root.dict().and_then(|root| root.get("Pages")) {
        walk(file, tree, &top, 0, &mut walked, draw, budget)?;
    }
    if walked.pages == 0 {
        for number in file.numbers() {
            budget.work(1)?;
            if let Object::Dict(dict) = file.object(number)
                && dict.get("Type").and_then(Object::name) == Some("Page")
            {
                walk(file, &Object::Ref(number), &top, 0, &mut walked, draw, budget)?;
            }
        }
    }
    Ok(())
}

fn walk(
    file: &File<'_>,
    node: &Object,
    above: &Page,
    level: usize,
    walked: &mut Walked,
    draw: &mut Draw<'_>,
    budget: &mut Budget,
) -> Result<(), ReadError> {
    budget.work(10)?;
    if let Object::Ref(number) = node
        && !walked.seen.insert(*number)
    {
        return Ok(());
    }
    let Object::Dict(dict) = file.get(Some(node)) else { return Ok(()) };
    let resources = match file.get(dict.get("Resources")) {
        Object::Dict(own) => Rc::new(own),
        _ => above.resources.clone(),
    };
    let page = Page { frame: frame(file, &dict).unwrap_or(above.frame), resources, dict };
    let kids = file.get(page.dict.get("Kids"));
    match kids.array() {
        Some(kids) if level < MAX_LEVELS => {
            for kid in kids {
                walk(file, kid, &page, level + 1, walked, draw, budget)?;
            }
        }
        Some(_) => {}
        None if walked.pages >= MAX_PAGES => return Err(ReadError::TooManyPages),
        None => {
            walked.pages += 1;
            draw(&page, budget)?;
        }
    }
    Ok(())
}

fn frame(file: &File<'_>, dict: &Dict) -> Option<[f64; 4]> {
    let frame = file.get(dict.get("MediaBox"));
    let numbers: Vec<f64> = frame.array()?.iter().filter_map(|n| file.get(Some(n)).number()).collect();
    let [a, b, c, d] = numbers.try_into().ok()?;
    Some([f64::min(a, c), f64::min(b, d), f64::max(a, c), f64::max(b, d)])
}

/// A page's drawing, its parts in order.
fn contents(file: &File<'_>, page: &Dict, budget: &mut Budget) -> Result<Vec<u8>, ReadError> {
    let Some(entry) = page.get("Contents") else { return Ok(Vec::new()) };
    let parts = match file.get(Some(entry)) {
        Object::Array(parts) => parts,
        _ => vec![entry.clone()],
    };
    let mut data = Vec::new();
    for part in &parts {
        budget.work(10)?;
        if let Some((_, some)) = file.stream(part, budget)? {
            data.extend(some);
            data.push(b'\n');
        }
    }
    Ok(data)
}

/// The title that the file gives itself, where it is one and not the name of a draft.
fn title(file: &File<'_>) -> Option<String> {
    let Object::Dict(about) = file.trailer("Info") else { return None };
    let Object::Text(bytes) = file.get(about.get("Title")) else { return None };
    let title = match bytes.strip_prefix(&[0xfe, 0xff]) {
        Some(wide) => {
            let units: Vec<u16> =
                wide.as_chunks::<2>().0.iter().map(|two| u16::from_be_bytes(*two)).collect();
            String::from_utf16_lossy(&units)
        }
        None => bytes.iter().map(|b| super::windows_1252(*b)).collect(),
    };
    let (title, _) = visible::only(&title);
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let draft = ["untitled", "microsoft word"].iter().any(|name| title.to_lowercase().starts_with(name));
    (!title.is_empty() && title.len() < 300 && !draft && !title.contains(".doc")).then_some(title)
}
