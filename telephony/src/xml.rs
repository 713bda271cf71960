//! Writes the XML of carriers that are told what to do in XML.

/// Opens a document.
pub(crate) const OPEN: &str = r#"<?xml version="1.0" encoding="UTF-8"?><Response>"#;
pub(crate) const CLOSE: &str = "</Response>";
/// How such a document is served.
pub(crate) const CONTENT_TYPE: &str = "text/xml; charset=utf-8";

/// Appends an opening tag.
pub(crate) fn element(out: &mut String, name: &str, attributes: &[(&str, &str)]) {
    out.push('<');
    out.push_str(name);
    for (attribute, value) in attributes {
        out.push(' ');
        out.push_str(attribute);
        out.push_str("=\"");
        escape(out, value);
        out.push('"');
    }
    out.push('>');
}

/// Writes text so that it stays text. Characters that XML cannot hold are left out.
pub(crate) fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\u{FFFE}' | '\u{FFFF}' => {}
            c if c < ' ' => {}
            c => out.push(c),
        }
    }
}
