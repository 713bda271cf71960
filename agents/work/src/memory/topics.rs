//! Subjects that are never remembered, said outright or around the corner.

use serde::Deserialize;
use storage::memory::Refusal;

use super::phrase::{Phrase, Word};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lists {
    identifier: List,
    health: List,
    religion: List,
    politics: List,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    except: Vec<String>,
    patterns: Vec<String>,
}

#[derive(Debug)]
struct Topic {
    refusal: Refusal,
    except: Vec<Phrase>,
    patterns: Vec<Phrase>,
}

/// The four subjects.
#[derive(Debug)]
pub(super) struct Topics(Vec<Topic>);

impl Topics {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let lists: Lists = toml::from_str(text).map_err(|e| e.to_string())?;
        let named = [
            (Refusal::Identifier, lists.identifier),
            (Refusal::Health, lists.health),
            (Refusal::Religion, lists.religion),
            (Refusal::Politics, lists.politics),
        ];
        let topic = |(refusal, list): (Refusal, List)| {
            Ok(Topic {
                refusal,
                except: Phrase::parse_all(&list.except)?,
                patterns: Phrase::parse_all(&list.patterns)?,
            })
        };
        Ok(Self(named.into_iter().map(topic).collect::<Result<_, String>>()?))
    }

    /// The first subject that the words touch.
    pub(super) fn touched(&self, words: &[Word]) -> Option<Refusal> {
        self.0.iter().find(|topic| topic.is_touched(words)).map(|topic| topic.refusal)
    }
}

impl Topic {
    fn is_touched(&self, words: &[Word]) -> bool {
        let mut excepted = vec![false; words.len()];
        for from in 0..words.len() {
            for phrase in &self.except {
                if let Some(to) = phrase.match_at(words, from) {
                    excepted[from..to].fill(true);
                }
            }
        }
        let begins =
            |from: usize| !excepted[from] && self.patterns.iter().any(|p| p.match_at(words, from).is_some());
        (0..words.len()).any(begins)
    }
}
