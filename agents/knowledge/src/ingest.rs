//! Documents as they come in: Markdown or plain text, optionally with TOML front matter between `+++` lines.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::read;

/// Longest heading in bytes: it is counted with every passage under it.
const LONGEST_HEADING: usize = 400;

/// A document to be searched.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Document {
    /// Unique per tenant; a second document of the same source replaces the first. Comes back verbatim.
    pub source: String,
    pub title: String,
    pub content: String,
    #[serde(default)]
    pub media_type: Option<String>,
    /// Under which it is kept, where it is kept.
    #[serde(default)]
    pub id: Option<Uuid>,
    /// When it was last posted.
    #[serde(default)]
    pub updated_at: Option<DateTime<Utc>>,
}

/// What front matter may say about a document. All of it is optional.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FrontMatter {
    pub title: Option<String>,
    /// How the source is named in speech: "the Solid Waste page".
    pub spoken: Option<String>,
    /// Everyday words for the subject that the text itself does not use.
    pub asked_as: Vec<String>,
    /// Questions that one section answers, in callers' own words, by its heading.
    pub asked: BTreeMap<String, Vec<String>>,
    /// Question to ask after an answer from here.
    pub follow_up: Option<String>,
    /// Task that a "yes" to the follow-up starts.
    pub offer: Option<String>,
    /// BCP 47 tag of the text. Without one it is English.
    pub language: Option<String>,
    /// Name of the page that this one is a translation of: its source without folder and ending.
    pub translates: Option<String>,
}

impl FrontMatter {
    /// The questions that the section of a heading answers.
    #[must_use]
    pub fn asked_of(&self, heading: Option<&str>) -> &[String] {
        heading.and_then(|heading| self.asked.get(heading)).map_or(&[], Vec::as_slice)
    }

    /// Whether it is of the translation of the page that has this source.
    #[must_use]
    pub fn is_translation_of(&self, source: &str) -> bool {
        self.translates.as_deref().is_some_and(|name| name == page_name(source))
    }

    /// The same for one section: the questions of the others are left out.
    #[must_use]
    pub fn of_section(&self, heading: Option<&str>) -> Self {
        let own = heading.and_then(|heading| self.asked.get_key_value(heading));
        Self {
            title: self.title.clone(),
            spoken: self.spoken.clone(),
            asked_as: self.asked_as.clone(),
            asked: own.map(|(heading, all)| (heading.clone(), all.clone())).into_iter().collect(),
            follow_up: self.follow_up.clone(),
            offer: self.offer.clone(),
            language: self.language.clone(),
            translates: self.translates.clone(),
        }
    }

    /// What callers call it: the everyday phrasings, and the questions of the sections that are in it.
    #[must_use]
    pub fn everyday(&self) -> String {
        let all = self.asked_as.iter().chain(self.asked.values().flatten());
        all.map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

/// A document taken apart.
#[derive(Clone, PartialEq, Debug)]
pub struct Parsed {
    pub front: FrontMatter,
    pub title: String,
    /// Whether the title is one; the name of the source stands in where there is none, and says nothing to a reader.
    pub named: bool,
    pub sections: Vec<Section>,
}

/// Text under one heading.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    pub heading: Option<String>,
    pub text: String,
}

/// The name of a page by its source: "riverbend/trash.md" is "trash".
#[must_use]
pub fn page_name(source: &str) -> &str {
    let name = source.rsplit(['/', '\\']).next().unwrap_or(source);
    name.split('.').next().unwrap_or(name)
}

/// Takes a document apart. Broken front matter is read as text rather than refused.
#[must_use]
pub fn parse(document: &Document) -> Parsed {
    // Only who writes text for us configures it: a page or a PDF that begins like front matter is a page.
    let is_text =
        [read::TEXT, read::MARKDOWN].contains(&document.media_type.as_deref().unwrap_or(read::TEXT));
    let (front, body) = if is_text {
        split_front_matter(&document.content)
    } else {
        (FrontMatter::default(), document.content.as_str())
    };
    let mut sections = vec![Section { heading: None, text: String::new() }];
    let mut first_heading = None;
    for line in body.lines() {
        match heading(line) {
            Some(title) if first_heading.is_none() && is_top(line) => first_heading = Some(title),
            Some(title) => sections.push(Section { heading: Some(title), text: String::new() }),
            None => append(&mut sections, line),
        }
    }
    sections.retain(|section| !section.text.trim().is_empty());
    let title = front.title.clone().or_else(|| Some(document.title.clone()).filter(|t| !t.is_empty()));
    let title = title.or(first_heading).filter(|title| *title != document.source);
    let named = title.is_some();
    Parsed { front, title: title.unwrap_or_else(|| document.source.clone()), named, sections }
}

fn split_front_matter(content: &str) -> (FrontMatter, &str) {
    let Some(rest) = content.trim_start().strip_prefix("+++") else {
        return (FrontMatter::default(), content);
    };
    let Some((matter, body)) = rest.split_once("\n+++") else {
        return (FrontMatter::default(), content);
    };
    toml::from_str(matter).map_or((FrontMatter::default(), content), |front| (front, body))
}

fn heading(line: &str) -> Option<String> {
    let title = line.trim_start_matches('#');
    let is_short = line.len() <= LONGEST_HEADING;
    (is_short && title.len() < line.len() && title.starts_with(' ')).then(|| title.trim().to_owned())
}

fn is_top(line: &str) -> bool {
    line.starts_with("# ")
}

fn append(sections: &mut [Section], line: &str) {
    let Some(section) = sections.last_mut() else { return };
    let line = line.trim().trim_start_matches(['-', '*', '>']).trim();
    let line = line.replace("**", "").replace('`', "");
    if line.is_empty() {
        section.text.push('\n');
    } else {
        if !section.text.is_empty() && !section.text.ends_with('\n') {
            section.text.push(' ');
        }
        section.text.push_str(&line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(content: &str) -> Document {
        Document { source: "s".into(), content: content.into(), ..Document::default() }
    }

    #[test]
    fn front_matter_title_and_sections_are_found() {
        let text = "+++\nspoken = \"the Waste page\"\nasked_as = [\"junk\"]\n+++\n# Waste\nIntro.\n## Bulk\n- One.\n- Two.\n";
        let parsed = parse(&document(text));
        assert_eq!(parsed.front.spoken.as_deref(), Some("the Waste page"));
        assert_eq!(parsed.title, "Waste");
        assert_eq!(parsed.sections.len(), 2);
        assert_eq!(parsed.sections[1], Section { heading: Some("Bulk".into()), text: "One. Two.".into() });
    }

    #[test]
    fn broken_front_matter_is_text() {
        let parsed = parse(&document("+++\nnot toml\n+++\nHello there."));
        assert!(parsed.sections[0].text.contains("Hello there."));
    }

    #[test]
    fn a_page_from_elsewhere_configures_nothing() {
        let text = "+++\nspoken = \"the bank\"\n+++\nHello.";
        for kind in [read::HTML, read::DOCX, read::RTF, "text/html; charset=utf-8"] {
            let page = Document { media_type: Some(kind.into()), ..document(text) };
            assert_eq!(parse(&page).front, FrontMatter::default());
        }
        assert_eq!(parse(&document(text)).front.spoken.as_deref(), Some("the bank"));
    }

    #[test]
    fn plain_text_is_one_section() {
        assert_eq!(parse(&document("Just words.")).sections.len(), 1);
    }
}
