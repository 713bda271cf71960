//! What is measured without a call: emergencies and ordinary openings as text, questions in Spanish over pages in English.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::json;

use super::house::House;
use super::set::{Search, Texts};

/// Pages among which the right one must be.
const TOP: usize = 3;

/// Counts of right ones.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TextFigures {
    pub emergencies: usize,
    pub emergencies_heard: usize,
    pub ordinary: usize,
    pub false_alarms: usize,
    pub questions: usize,
    pub questions_found: usize,
    /// What went wrong, a line each.
    pub misses: Vec<String>,
}

impl Texts {
    /// Adds the lines of files, tab-separated as their writers keep them: emergencies (kind, who tells it, text,
    /// language), ordinary openings (route, act, text, language), questions (page, question).
    ///
    /// # Errors
    /// A file cannot be read, or has a line that is none.
    pub fn add_files<P: AsRef<Path>>(
        &mut self,
        emergencies: &[P],
        ordinary: &[P],
        questions: &[P],
    ) -> Result<()> {
        for path in emergencies {
            self.emergencies.extend(column(path.as_ref(), 2)?);
        }
        for path in ordinary {
            self.ordinary.extend(column(path.as_ref(), 2)?);
        }
        for path in questions {
            let pages = column(path.as_ref(), 0)?;
            let asked = column(path.as_ref(), 1)?;
            self.search.extend(pages.into_iter().zip(asked).map(|(source, ask)| Search { ask, source }));
        }
        Ok(())
    }
}

fn column(path: &Path, number: usize) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let field = |line: &str| {
        let field = line.split('\t').nth(number).map(|field| field.trim().to_owned());
        field.with_context(|| format!("{}: {line:?} has too few columns", path.display()))
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(field).collect()
}

/// A page by its file name alone.
fn page(source: &str) -> &str {
    source.rsplit('/').next().unwrap_or(source).trim_end_matches(".md")
}

/// Asks the gateway.
///
/// # Errors
/// It does not answer.
pub async fn measure(house: &House, texts: &Texts) -> Result<TextFigures> {
    let mut figures = TextFigures::default();
    for (text, is_emergency) in
        texts.emergencies.iter().map(|t| (t, true)).chain(texts.ordinary.iter().map(|t| (t, false)))
    {
        let answer = house.post("/v1/understand", &json!({ "text": text })).await?;
        let heard = answer["emergency"]["yes"] == true;
        if is_emergency {
            figures.emergencies += 1;
            figures.emergencies_heard += usize::from(heard);
        } else {
            figures.ordinary += 1;
            figures.false_alarms += usize::from(heard);
        }
        if heard != is_emergency {
            let what = if is_emergency { "not taken for an emergency" } else { "taken for an emergency" };
            figures.misses.push(format!("{what}: {text}"));
        }
    }
    for search in &texts.search {
        let found = house.sources(&search.ask, TOP).await?;
        figures.questions += 1;
        if found.iter().any(|source| page(source) == page(&search.source)) {
            figures.questions_found += 1;
        } else {
            figures.misses.push(format!("{} not found by: {}", search.source, search.ask));
        }
    }
    Ok(figures)
}
