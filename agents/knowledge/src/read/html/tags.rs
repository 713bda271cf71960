//! Tags and text between them. Linear: every byte is looked at once or twice.

/// An opening tag.
#[derive(Debug, Default)]
pub(super) struct Tag<'t> {
    /// Lower case.
    pub name: String,
    /// Names in lower case, values as they are written.
    pub attributes: Vec<(String, &'t str)>,
    /// It ends itself: `<br/>`.
    pub closed: bool,
}

impl Tag<'_> {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(n, _)| n == name).map(|(_, value)| *value)
    }
}

#[derive(Debug)]
pub(super) enum Piece<'t> {
    Open(Tag<'t>),
    Close(&'t str),
    /// With its entities.
    Text(&'t str),
}

/// Attributes of one tag that are looked at.
const MAX_ATTRIBUTES: usize = 64;
/// Elements in which a tag is no tag until their own end.
const RAW: [&str; 6] = ["script", "style", "textarea", "title", "noscript", "iframe"];

/// The pieces of a page in order; comments and declarations left out.
pub(super) fn pieces(source: &str) -> Pieces<'_> {
    Pieces { rest: source, raw: None }
}

pub(super) struct Pieces<'t> {
    rest: &'t str,
    /// Name of the raw element that is open.
    raw: Option<String>,
}

impl<'t> Iterator for Pieces<'t> {
    type Item = Piece<'t>;

    fn next(&mut self) -> Option<Piece<'t>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            if let Some(name) = self.raw.take() {
                let end = find_end(self.rest, &name);
                let text = &self.rest[..end];
                self.rest = &self.rest[end..];
                if !text.is_empty() {
                    return Some(Piece::Text(text));
                }
                continue;
            }
            let Some(rest) = self.rest.strip_prefix('<') else {
                let end = self.rest.find('<').unwrap_or(self.rest.len());
                let text = &self.rest[..end];
                self.rest = &self.rest[end..];
                return Some(Piece::Text(text));
            };
            if let Some(comment) = rest.strip_prefix("!--") {
                self.rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
            } else if rest.starts_with(['!', '?']) {
                self.rest = rest.split_once('>').map_or("", |(_, rest)| rest);
            } else if let Some(closing) = rest.strip_prefix('/') {
                let (inner, rest) = closing.split_once('>').unwrap_or((closing, ""));
                self.rest = rest;
                let end = inner.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inner.len());
                return Some(Piece::Close(&inner[..end]));
            } else if rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
                return Some(Piece::Open(self.tag(rest)));
            } else {
                self.rest = rest;
                return Some(Piece::Text("<"));
            }
        }
    }
}

impl<'t> Pieces<'t> {
    fn tag(&mut self, rest: &'t str) -> Tag<'t> {
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).unwrap_or(rest.len());
        let mut tag = Tag { name: rest[..end].to_ascii_lowercase(), ..Tag::default() };
        let mut rest = &rest[end..];
        loop {
            rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix('>') {
                rest = after;
                break;
            }
            if let Some(after) = rest.strip_prefix('/') {
                tag.closed = after.starts_with('>');
                rest = after;
                continue;
            }
            if rest.is_empty() {
                break;
            }
            let (name, value, after) = attribute(rest);
            if tag.attributes.len() < MAX_ATTRIBUTES {
                tag.attributes.push((name.to_ascii_lowercase(), value));
            }
            rest = after;
        }
        self.rest = rest;
        if RAW.contains(&tag.name.as_str()) && !tag.closed {
            self.raw = Some(tag.name.clone());
        }
        tag
    }
}

/// Name, value and what comes after. Takes at least one character.
fn attribute(rest: &str) -> (&str, &str, &str) {
    let first = rest.chars().next().map_or(1, char::len_utf8);
    let tail = &rest[first..];
    let end =
        first + tail.find(|c: char| c.is_whitespace() || matches!(c, '=' | '>' | '/')).unwrap_or(tail.len());
    let (name, after) = rest.split_at(end);
    let Some(value) = after.trim_start().strip_prefix('=') else { return (name, "", after) };
    let value = value.trim_start();
    for quote in ['"', '\''] {
        if let Some(quoted) = value.strip_prefix(quote) {
            let (value, after) = quoted.split_once(quote).unwrap_or((quoted, ""));
            return (name, value, after);
        }
    }
    let end = value.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(value.len());
    (name, &value[..end], &value[end..])
}

/// Where `</name` begins, or the end of the text.
fn find_end(text: &str, name: &str) -> usize {
    let mut from = 0;
    while let Some(at) = text[from..].find("</") {
        let at = from + at;
        let after = text.as_bytes().get(at + 2..at + 2 + name.len());
        if after.is_some_and(|after| after.eq_ignore_ascii_case(name.as_bytes())) {
            return at;
        }
        from = at + 2;
    }
    text.len()
}
