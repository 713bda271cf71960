//! PDF as text. `hayro` parses the file and interprets its pages; no scripts, forms, embedded files and pictures are
//! looked at. It knows no bounds of its own, so a file from elsewhere is read in a process of its own ([`super::apart`]).

mod draw;
mod layout;

use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro_interpret::hayro_syntax::object::{Name, Object};
use hayro_interpret::hayro_syntax::{LoadPdfError, Pdf};
use hayro_interpret::kurbo::Rect;
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, RenderContent, interpret_page};

use super::{MAX_PAGES, MAX_TEXT, PDF, ReadError, Reading, visible};
use draw::{Budget, Sheet, Spent, Stretch};

/// Steps of work: an operator, sixteen letters. A page of text takes some thousands.
const MAX_WORK: usize = 20_000_000;

pub(super) fn read(bytes: &[u8]) -> Result<Reading, ReadError> {
    // What the library trips over is the file's fault, and what spends the budget leaves by the same way.
    catch_unwind(AssertUnwindSafe(|| drawn(bytes))).unwrap_or_else(|panic| {
        Err(match panic.downcast_ref::<Spent>() {
            Some(Spent::Work) => ReadError::Bomb("steps".into()),
            Some(Spent::Text) => ReadError::TooMuchText,
            None => ReadError::Broken("it cannot be drawn".into()),
        })
    })
}

fn drawn(bytes: &[u8]) -> Result<Reading, ReadError> {
    let pdf = Pdf::new(bytes.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(_) => ReadError::Encrypted,
        LoadPdfError::Invalid => ReadError::Broken("it has no pages".into()),
    })?;
    let pages = pdf.pages();
    if pages.len() > MAX_PAGES {
        return Err(ReadError::TooManyPages);
    }
    let cache = InterpreterCache::new();
    let western = !has_coded_fonts(&pdf);
    let mut budget = Budget { work: MAX_WORK, text: MAX_TEXT };
    let (mut drawn, mut unknown, mut images): (Vec<Vec<Stretch>>, usize, usize) = (Vec::new(), 0, 0);
    for page in pages.iter() {
        let (width, height) = page.render_dimensions();
        let frame = Rect::new(0.0, 0.0, width.into(), height.into());
        // Notes that people stick on a page are no part of it.
        let settings =
            InterpreterSettings { render_content: RenderContent::PAGE, ..InterpreterSettings::default() };
        let mut context = Context::new(draw::upright(page), frame, &cache, pdf.xref(), settings);
        let mut sheet = Sheet::new(frame, western, &mut budget);
        interpret_page(page, &mut context, &mut sheet);
        unknown += sheet.unknown;
        images += sheet.images;
        drawn.push(sheet.stretches);
    }
    if drawn.is_empty() {
        return Err(ReadError::Broken("it has no pages".into()));
    }
    // Text without ink over pictures is what text recognition leaves behind: there it is the text.
    let is_text = |s: &Stretch| !s.text.trim().is_empty();
    let any_seen = drawn.iter().flatten().any(|s| is_text(s) && !s.hidden);
    let recognized = !any_seen && images > 0;
    let hidden =
        if recognized { 0 } else { drawn.iter().flatten().filter(|s| is_text(s) && s.hidden).count() };
    if !recognized {
        drawn.iter_mut().for_each(|page| page.retain(|stretch| !stretch.hidden));
    }
    let lines: Vec<Vec<layout::Line>> = drawn.iter().map(|page| layout::lines(page)).collect();
    let (text, _) = visible::only(&layout::text(&lines));
    if text.trim().is_empty() {
        return Err(if unknown > 0 { ReadError::Unreadable } else { ReadError::Scanned });
    }
    // A file of which most letters cannot be told is worse than none: it would be cited.
    if unknown > text.chars().count() {
        return Err(ReadError::Unreadable);
    }
    let title = pdf.metadata().title.as_deref().and_then(title);
    Ok(Reading { text, title, media_type: PDF, hidden })
}

/// Whether a font of the file has codes that only a map could explain, and no map. Then no code may be guessed at.
fn has_coded_fonts(pdf: &Pdf) -> bool {
    pdf.objects().into_iter().any(|object| {
        let Object::Dict(dict) = object else { return false };
        let composite = dict.get::<Name<'_>>(b"Subtype").is_some_and(|name| *name == *b"Type0");
        composite && !dict.contains_key(b"ToUnicode")
    })
}

/// The title that the file gives itself, where it is one and not the name of a draft.
fn title(bytes: &[u8]) -> Option<String> {
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
