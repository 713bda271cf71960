//! What of a page its reader does not see: by attribute, by style, by a class that the page's own style sheet hides.

use std::collections::HashSet;

use super::tree::{Element, Step, Tree};

/// Classes and ids that one page may hide.
const MAX_NAMES: usize = 4_096;

#[derive(Default)]
pub(super) struct Hiding {
    /// `.name` and `#name`.
    selectors: HashSet<String>,
}

impl Hiding {
    /// Reads the style sheets that stand in the page.
    pub fn of(tree: &Tree) -> Self {
        let mut hiding = Self::default();
        let mut in_style = false;
        for step in tree.steps() {
            match step {
                Step::Open(element) => in_style = element.name() == "style",
                Step::Close(_) => in_style = false,
                Step::Text(text) if in_style => hiding.sheet(text),
                Step::Text(_) => {}
            }
        }
        hiding
    }

    fn sheet(&mut self, sheet: &str) {
        for rule in sheet.split('}') {
            let Some((selectors, style)) = rule.rsplit_once('{') else { continue };
            // A sheet may set pale letters on a dark ground that another rule draws.
            if !hides(style, false) {
                continue;
            }
            for selector in selectors.rsplit(['{', ';']).next().unwrap_or_default().split(',') {
                let last = selector.split_whitespace().next_back().unwrap_or_default();
                let plain = last.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
                let name = plain.get(1..).unwrap_or_default();
                let simple = !name.is_empty() && !name.contains(['.', '#', ':', '[', '>']);
                if simple && plain.starts_with(['.', '#']) && self.selectors.len() < MAX_NAMES {
                    self.selectors.insert(plain.to_owned());
                }
            }
        }
    }

    pub fn hides(&self, tag: &Element) -> bool {
        let is = |name: &str, value: &str| tag.attribute(name).is_some_and(|v| v.eq_ignore_ascii_case(value));
        let named = |class: &str| self.selectors.contains(&format!(".{class}"));
        tag.attribute("hidden").is_some()
            || is("aria-hidden", "true")
            || is("type", "hidden")
            || is("role", "navigation")
            || tag.attribute("style").is_some_and(|style| hides(style, true))
            || tag.attribute("class").is_some_and(|classes| {
                classes.split_whitespace().any(|class| named(class) || USUAL.contains(&class))
            })
            || tag.attribute("id").is_some_and(|id| self.selectors.contains(&format!("#{id}")))
    }
}

/// Classes that frameworks hide by; their sheets stand elsewhere.
const USUAL: [&str; 9] = [
    "sr-only",
    "visually-hidden",
    "screen-reader-text",
    "screen-reader-only",
    "d-none",
    "hidden",
    "hide",
    "is-hidden",
    "invisible",
];

/// Whether a style makes text unseen: not shown, without size, moved off the page, or, if `pale`, of the paper's color.
fn hides(style: &str, pale: bool) -> bool {
    let style = without_comments(style);
    let style: String = style.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
    let has_ground = style.contains("background");
    style.split(';').any(|rule| {
        let Some((name, value)) = rule.split_once(':') else { return false };
        let value = value.trim_end_matches("!important");
        let number = || {
            let end =
                value.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-'))).unwrap_or(value.len());
            value[..end].parse::<f32>().ok()
        };
        match name {
            "display" => value == "none",
            "visibility" => matches!(value, "hidden" | "collapse"),
            "opacity" => number().is_some_and(|n| n < 0.05 || (value.ends_with('%') && n < 5.0)),
            "font-size" => number().is_some_and(|n| n <= 0.0 || (value.ends_with("px") && n < 3.0)),
            "left" | "top" | "right" | "text-indent" | "margin-left" | "margin-top" => {
                number().is_some_and(|n| n <= -500.0)
            }
            "color" => {
                pale && matches!(value, "transparent" | "white" | "#fff" | "#ffffff" | "rgb(255,255,255)")
                    && !has_ground
            }
            "clip" => value.starts_with("rect(0") || value.starts_with("rect(1px"),
            "clip-path" => value.starts_with("inset(50%") || value.starts_with("inset(100%"),
            _ => false,
        }
    })
}

fn without_comments(style: &str) -> String {
    let mut out = String::with_capacity(style.len());
    let mut rest = style;
    while let Some((before, after)) = rest.split_once("/*") {
        out.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, rest)| rest);
    }
    out.push_str(rest);
    out
}
