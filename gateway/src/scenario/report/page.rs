//! HTML that is written piece by piece: text is escaped by type, markup is ours. Pure.

#![deny(clippy::disallowed_methods)]

use std::fmt::Write as _;

/// A page being written.
#[derive(Debug, Default)]
pub struct Page(String);

/// Escapes for elements and for attributes in quotes.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // No HTML may hold these.
            c if c.is_control() && !c.is_whitespace() => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

impl Page {
    /// Ours, as it is.
    pub fn markup(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// A drawing of `svg`, which escapes its own words.
    pub fn drawing(&mut self, drawing: &super::svg::Drawing) -> &mut Self {
        self.0.push_str("<div class=\"wide\" tabindex=\"0\" role=\"group\">");
        self.0.push_str(drawing.as_str());
        self.0.push_str("</div>");
        self
    }

    /// Begins a table under these heads, none for a table without; a narrow window scrolls it, and not the page.
    pub fn table(&mut self, heads: &[(&'static str, &'static str)]) -> &mut Self {
        self.markup("<div class=\"wide\" tabindex=\"0\" role=\"group\"><table>");
        if !heads.is_empty() {
            self.markup("<thead><tr>");
            for (class, head) in heads {
                self.element("th", class, head);
            }
            self.markup("</tr></thead>");
        }
        self.markup("<tbody>")
    }

    pub fn end_table(&mut self) -> &mut Self {
        self.markup("</tbody></table></div>")
    }

    /// Anybody's words.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.0.push_str(&escaped(text));
        self
    }

    /// An element of a class, empty for none, with words in it.
    pub fn element(&mut self, name: &'static str, class: &'static str, text: &str) -> &mut Self {
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        // Writing to a String cannot fail.
        let _ = write!(self.0, "<{name}{class}>{}</{name}>", escaped(text));
        self
    }

    /// A link within the folder.
    pub fn link(&mut self, to: &str, text: &str) -> &mut Self {
        let _ = write!(self.0, "<a href=\"{}\">{}</a>", escaped(to), escaped(text));
        self
    }

    /// A player of a file within the folder.
    pub fn sound(&mut self, file: &str, label: &str) -> &mut Self {
        let (file, label) = (escaped(file), escaped(label));
        let _ = write!(
            self.0,
            "<p class=\"sound\"><span>{label}</span><audio controls preload=\"none\" src=\"{file}\" aria-label=\"{label}\"></audio></p>"
        );
        self
    }

    /// The whole document.
    #[must_use]
    pub fn finish(self, title: &str) -> String {
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\
             <meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'none'; object-src 'none'; base-uri 'none'; \
             form-action 'none'\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><style>{STYLE}\
             </style></head><body>{}</body></html>\n",
            escaped(title),
            self.0
        )
    }
}

const STYLE: &str = "\
:root{color-scheme:light dark;--line:#8886;--caller:#1d4ed8;--agent:#047857;--bad:#b91c1c;--known:#92400e}\
@media(prefers-color-scheme:dark){:root{--caller:#7ea6ff;--agent:#34d399;--bad:#f87171;--known:#fbbf24}a{color:#a5b4fc}}\
body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:1.5rem auto;padding:0 1rem}\
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}\
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid var(--line);\
vertical-align:top}td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\
.passed{color:var(--agent)}.failed,.bad{color:var(--bad)}.known{color:var(--known)}\
.caller b{color:var(--caller)}.agent b{color:var(--agent)}.quiet{opacity:.7}\
.wide{overflow-x:auto}.wide svg,.wide table:has(th:nth-child(5)){min-width:40rem}.sound span{display:inline-block;min-width:6.5rem}.sound audio{max-width:100%}\
.key{display:flex;flex-wrap:wrap;gap:.2rem 1rem;padding:0;list-style:none;font-size:.85rem}.key i{display:inline-block;width:.8em;\
height:.8em;margin-right:.4em}h1,td{overflow-wrap:break-word}svg{display:block;max-width:100%;height:auto}svg text{font:11px system-ui,sans-serif;fill:currentColor}\
audio{vertical-align:middle;height:2rem}code{font-size:.9em}";

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::scenario::evidence::Turn;
    use crate::scenario::figures::{Figures, Held, Outcome, Run};
    use crate::scenario::verdict::{About, Finding, Manners};

    /// A run with one of each outcome, and hostile words in it.
    pub fn run() -> Run {
        let held = |id: &str, outcome, findings: Vec<Finding>| Held {
            id: id.into(),
            name: format!("{id} <script>alert(1)</script>"),
            file: format!("{id}.yaml"),
            tags: vec!["quick".into()],
            known_failure: (outcome == Outcome::KnownFailure).then(|| "it cannot <yet>".to_owned()),
            outcome,
            task: findings.is_empty(),
            findings,
            earlier: Vec::new(),
            manners: Manners { responses_ms: vec![600, 900], turns: 2, ..Manners::default() },
            seconds: 12.0,
            call_id: "c".into(),
            state: "0123456789abcdef".into(),
            transcript: vec![Turn {
                turn: 1,
                speaker: "caller".into(),
                text: "<script>alert(\"x\")</script>\u{1b}".into(),
                started_at: chrono::DateTime::UNIX_EPOCH,
                ended_at: None,
                interrupted: false,
                heard_text: None,
            }],
            tools: Vec::new(),
            work: Vec::new(),
            frames: 600,
            late_frames: 0,
        };
        let lacks =
            Finding { about: About::Words, line: Some(7), what: "the reply lacks \"<b>\"".to_owned() };
        let scenarios = vec![
            held("pothole", Outcome::Failed, vec![lacks.clone()]),
            held("couch", Outcome::Passed, Vec::new()),
            held("dog", Outcome::KnownFailure, vec![lacks]),
        ];
        Run {
            version: 1,
            started_at: "2026-11-27T12:00:00Z".into(),
            gateway: "http://127.0.0.1:1".into(),
            seconds: 40.0,
            figures: Figures::of(&scenarios),
            scenarios,
        }
    }

    #[test]
    fn nothing_that_others_wrote_is_markup() {
        let mut page = Page::default();
        page.element("p", "bad", "<script>\u{1b}").link("a\"b.html", "<&>").sound("x'.wav", "both");
        let html = page.finish("</title><script>");
        assert!(html.contains("<p class=\"bad\">&lt;script&gt;\u{FFFD}</p>"));
        assert!(html.contains("<a href=\"a&quot;b.html\">&lt;&amp;&gt;</a>"));
        assert!(html.contains("src=\"x&#39;.wav\"") && !html.contains("<script"));
    }
}
