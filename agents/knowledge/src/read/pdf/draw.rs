//! What a page draws, as far as a reader of text needs it: stretches of letters with their place and size, and whether a
//! reader would see them. `hayro` draws; this is the device that it draws on.

use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect, Shape as _};
use hayro_interpret::{
    BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, Paint, SoftMask,
};
use unicode_normalization::UnicodeNormalization as _;

use crate::read::windows_1252;

/// Smaller letters are not read by anyone.
const SMALLEST: f64 = 1.5;
/// A step between letters that is a space, in sizes.
const GAP: f64 = 0.17;
/// Text this far out of the page or of what is drawn of it is not there, in points.
const MARGIN: f64 = 20.0;
/// Grounds of one page that text may stand on.
const MAX_GROUNDS: usize = 4_096;
/// Colors of which no part differs by more cannot be told apart.
const CONTRAST: f32 = 0.03;
/// Paper.
const WHITE: Ink = [1.0; 3];
/// Thousandths of a letter's size: the unit in which fonts give widths.
const UNITS: f64 = 1_000.0;

/// Red, green and blue, from 0 to 1.
type Ink = [f32; 3];

/// Letters that were drawn together.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Stretch {
    pub text: String,
    pub x: f64,
    pub y: f64,
    pub size: f64,
    /// Where the pen stood after it.
    pub end: f64,
    pub hidden: bool,
}

/// What one document may still take. A device cannot tell the interpreter to stop, so an empty budget unwinds it.
#[derive(Debug)]
pub(super) struct Budget {
    pub work: usize,
    pub text: usize,
}

/// The reason of an unwinding for want of budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spent {
    Work,
    Text,
}

impl Budget {
    fn work(&mut self, steps: usize) {
        match self.work.checked_sub(steps) {
            Some(left) => self.work = left,
            None => std::panic::resume_unwind(Box::new(Spent::Work)),
        }
    }

    fn text(&mut self, bytes: usize) {
        match self.text.checked_sub(bytes) {
            Some(left) => self.text = left,
            None => std::panic::resume_unwind(Box::new(Spent::Text)),
        }
    }
}

/// A page while it is drawn.
#[derive(Debug)]
pub(super) struct Sheet<'b> {
    budget: &'b mut Budget,
    frame: Rect,
    /// What is drawn of the page, innermost last.
    clips: Vec<Rect>,
    /// Opacities of the groups that are open.
    groups: Vec<f32>,
    /// Filled areas, in the order in which they were drawn.
    grounds: Vec<(Rect, Ink)>,
    /// Whether a code that no font explains is a letter of the usual encoding.
    western: bool,
    pub stretches: Vec<Stretch>,
    /// Letters that no font explains.
    pub unknown: usize,
    /// Pictures drawn.
    pub images: usize,
}

impl<'b> Sheet<'b> {
    pub fn new(frame: Rect, western: bool, budget: &'b mut Budget) -> Self {
        Self {
            budget,
            frame,
            clips: Vec::new(),
            groups: Vec::new(),
            grounds: Vec::new(),
            western,
            stretches: Vec::new(),
            unknown: 0,
            images: 0,
        }
    }

    fn ground(&mut self, area: Rect, props: &DrawProps<'_>, mode: &DrawMode) {
        self.budget.work(1);
        let filled = matches!(mode, DrawMode::Fill(_) | DrawMode::FillAndStroke(..));
        if let Some(ink) = ink(&props.paint).filter(|_| filled && self.grounds.len() < MAX_GROUNDS) {
            self.grounds.push((props.transform.transform_rect_bbox(area), ink));
        }
    }

    /// Whether letters at this place cannot be seen.
    fn hides(&self, at: Point, size: f64, props: &DrawProps<'_>, mode: &DrawMode) -> bool {
        let within = |area: &Rect| area.inflate(MARGIN, MARGIN).contains(at);
        let faint = self.groups.iter().any(|opacity| *opacity < 0.05);
        if matches!(mode, DrawMode::Invisible) || size < SMALLEST || faint || !within(&self.frame) {
            return true;
        }
        if self.clips.last().is_some_and(|clip| clip.is_zero_area() || !within(clip)) {
            return true;
        }
        let Paint::Color(color) = &props.paint else { return false };
        if color.to_rgba().components()[3] < 0.05 {
            return true;
        }
        // A third of a letter up from its line: on the letters, whatever they stand on.
        let on = Point::new(at.x + 0.2 * size, at.y + 0.3 * size);
        let ground =
            self.grounds.iter().rev().find(|(area, _)| area.contains(on)).map_or(WHITE, |(_, ink)| *ink);
        ink(&props.paint)
            .is_some_and(|ink| ink.iter().zip(ground).all(|(ink, ground)| (ink - ground).abs() < CONTRAST))
    }
}

/// What is seen of a paint on paper; `None` of what is no plain color, or hardly there.
fn ink(paint: &Paint<'_>) -> Option<Ink> {
    let Paint::Color(color) = paint else { return None };
    let [red, green, blue, opacity] = color.to_rgba().components();
    (opacity > 0.05).then_some([red, green, blue].map(|part| part * opacity + 1.0 - opacity))
}

/// Letters as they are searched for: ligatures taken apart, spaces plain.
fn plain(letters: BfString, to: &mut String) {
    let mut put = |c: char| match c {
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' => to.push(' '),
        '\u{fb00}'..='\u{fb4f}' => to.extend(std::iter::once(c).nfkc()),
        '\0' => {}
        c => to.push(c),
    };
    match letters {
        BfString::Char(c) => put(c),
        BfString::String(all) => all.chars().for_each(put),
    }
}

impl<'a> Device<'a> for Sheet<'_> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.budget.work(path.elements().len() / 16);
        self.ground(path.bounding_box(), &props, mode);
    }

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, mode: &DrawMode) {
        self.ground(*rect, &props, mode);
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.budget.work(1 + clip.path.elements().len() / 16);
        let area = clip.path.bounding_box();
        self.clips.push(self.clips.last().map_or(area, |outer| outer.intersect(area)));
    }

    fn pop_clip(&mut self) {
        self.clips.pop();
    }

    fn push_transparency_group(&mut self, opacity: f32, _: Option<SoftMask<'a>>, _: BlendMode) {
        self.budget.work(1);
        self.groups.push(opacity);
    }

    fn pop_transparency_group(&mut self) {
        self.groups.pop();
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        self.budget.work(1 + run.glyphs().len() / 16);
        let mut stretch: Option<Stretch> = None;
        let mut pen = Point::ZERO;
        for glyph in run.glyphs() {
            let [a, b, c, d, x, y] = (props.transform * glyph.transform()).as_coeffs();
            let (across, size) = (a.hypot(b), c.hypot(d) * UNITS);
            let width = match &**glyph {
                Glyph::Outline(outline) => outline.advance_width(),
                Glyph::Type3(drawn) => drawn.advance_width(),
            };
            let width = f64::from(width.unwrap_or(UNITS as f32 / 2.0));
            let place = stretch.get_or_insert_with(|| Stretch {
                text: String::new(),
                x,
                y,
                size,
                end: x,
                hidden: self.hides(Point::new(x, y), size, &props, mode),
            });
            // Along the line, which may stand upright.
            let apart = ((x - pen.x) * a + (y - pen.y) * b) / across.max(f64::MIN_POSITIVE);
            if apart > GAP * size && !place.text.is_empty() && !place.text.ends_with(' ') {
                place.text.push(' ');
            }
            pen = Point::new(x + a * width, y + b * width);
            place.end = pen.x;
            match glyph.as_unicode() {
                Some(letters) => plain(letters, &mut place.text),
                // Fonts made of drawings have codes of one byte, which old programs took from the usual encoding.
                None if self.western || matches!(&**glyph, Glyph::Type3(_)) => match glyph.char_code() {
                    code @ 0x20..=0xff => place.text.push(windows_1252(code as u8)),
                    _ => self.unknown += 1,
                },
                None => self.unknown += 1,
            }
        }
        if let Some(stretch) = stretch.filter(|s| !s.text.is_empty()) {
            // Letters that are filled and outlined come twice; one of the two is enough to see them.
            if let Some(before) = self.stretches.last_mut().filter(|_| matches!(mode, DrawMode::Stroke(_)))
                && (before.x, before.y, &before.text) == (stretch.x, stretch.y, &stretch.text)
            {
                before.hidden &= stretch.hidden;
                return;
            }
            self.budget.text(stretch.text.len());
            self.stretches.push(stretch);
        }
    }

    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {
        self.budget.work(1);
        self.images += 1;
    }
}

/// From a page's own coordinates to upright ones that begin at its corner.
pub(super) fn upright(page: &hayro_interpret::hayro_syntax::page::Page<'_>) -> Affine {
    use hayro_interpret::TransformExt as _;
    page.initial_transform(false).to_kurbo()
}
