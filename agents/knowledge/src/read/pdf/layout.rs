//! Lines, headings and paragraphs out of stretches of letters.

use std::collections::HashMap;

use super::draw::Stretch;

/// Lines of letters this much larger than most are headings.
const HEADING: f64 = 1.18;
/// Lines at the top and bottom of a page that may be a header's or a footer's.
const EDGE: usize = 2;
/// Longest heading, in characters.
const LONGEST_HEADING: usize = 120;

/// A line of a page.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Line {
    text: String,
    size: f64,
    /// White space above it, in sizes.
    gap: f64,
}

/// Lines of a page in the order in which they were drawn, which is the order of reading in nearly every file.
pub(super) fn lines(stretches: &[Stretch]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut before: Option<&Stretch> = None;
    for stretch in stretches.iter().filter(|s| !s.text.is_empty()) {
        let size = stretch.size.max(1.0);
        let same =
            before.is_some_and(|b| (b.y - stretch.y).abs() < 0.4 * size && stretch.x > b.x - 0.5 * size);
        match lines.last_mut().filter(|_| same) {
            Some(line) => {
                let apart = before.is_some_and(|b| stretch.x - b.end > 0.15 * size);
                if apart && !line.text.ends_with(' ') && !stretch.text.starts_with(' ') {
                    line.text.push(' ');
                }
                line.text.push_str(&stretch.text);
                line.size = line.size.max(size);
            }
            None => {
                let gap = before.map_or(0.0, |b| (b.y - stretch.y) / size);
                lines.push(Line { text: stretch.text.clone(), size, gap });
            }
        }
        before = Some(stretch);
    }
    for line in &mut lines {
        line.text = line.text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    lines.retain(|line| !line.text.is_empty());
    lines
}

/// The text of some pages. What stands on most pages, as headers and footers do, is left out.
pub(super) fn text(pages: &[Vec<Line>]) -> String {
    let repeated = repeated(pages);
    let body = body_size(pages);
    let mut out = String::new();
    let edge = |(at, of): (usize, usize)| at < EDGE || at + EDGE >= of;
    let placed =
        pages.iter().flat_map(|page| page.iter().enumerate().map(|(at, line)| ((at, page.len()), line)));
    let kept = placed.filter(|(place, line)| !edge(*place) || !repeated.contains_key(&pattern(&line.text)));
    for (_, line) in kept {
        let heading = line.size > body * HEADING && line.text.chars().count() <= LONGEST_HEADING;
        if heading {
            end_paragraph(&mut out);
            out.push_str("## ");
            out.push_str(&line.text);
            out.push('\n');
        } else {
            if line.gap.abs() > 1.7 {
                end_paragraph(&mut out);
            }
            // A line of text must not read as a heading, nor as what configures a page.
            append(&mut out, line.text.trim_start_matches(['#', '+']).trim_start());
        }
    }
    out.trim().to_owned()
}

fn end_paragraph(out: &mut String) {
    if !out.is_empty() && !out.ends_with("\n\n") {
        out.push_str(if out.ends_with('\n') { "\n" } else { "\n\n" });
    }
}

/// Joins a line to the paragraph; a word that was parted at its end is whole again.
fn append(out: &mut String, line: &str) {
    let parted = out.ends_with('-')
        && out.chars().rev().nth(1).is_some_and(char::is_alphabetic)
        && line.starts_with(char::is_lowercase);
    if parted {
        out.pop();
    } else if !out.is_empty() && !out.ends_with('\n') {
        out.push(' ');
    }
    out.push_str(line);
}

/// Size of most letters.
fn body_size(pages: &[Vec<Line>]) -> f64 {
    let mut letters: HashMap<i64, usize> = HashMap::new();
    for line in pages.iter().flatten() {
        *letters.entry((line.size * 2.0).round() as i64).or_default() += line.text.len();
    }
    letters.into_iter().max_by_key(|(size, count)| (*count, *size)).map_or(1.0, |(size, _)| size as f64 / 2.0)
}

/// Patterns of lines that stand on more than half of three or more pages, at their top or bottom.
fn repeated(pages: &[Vec<Line>]) -> HashMap<String, usize> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for page in pages {
        let rest = page.len().saturating_sub(EDGE);
        let edges = page.iter().take(EDGE).chain(page.iter().rev().take(EDGE.min(rest)));
        let patterns: std::collections::HashSet<String> = edges.map(|line| pattern(&line.text)).collect();
        for pattern in patterns {
            *counts.entry(pattern).or_default() += 1;
        }
    }
    counts.retain(|_, count| *count >= 3 && *count * 2 > pages.len());
    counts
}

/// A line without its numbers: "Page 3 of 9" is one on every page.
fn pattern(line: &str) -> String {
    line.chars().filter(|c| !c.is_ascii_digit()).collect()
}
