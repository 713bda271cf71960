//! Request and answer of `POST /v1/understand`: what the line would take words for.

use std::sync::Arc;

use language::{Language, language_of};
use serde::{Deserialize, Serialize};

use super::Understanding;
use crate::builtin::{Dialogue, ScriptError};
use governance::danger::Level;
use governance::pii::{Category, Guardian, Settings};
use knowledge::Embedder;

/// Examples that are told.
const NEAREST: usize = 5;
/// Largest text, in characters: nobody says more in one breath.
pub const LONGEST: usize = 2000;

/// What is to be understood.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnderstandRequest {
    pub text: String,
    /// BCP 47 tag of the call's language; without one the words tell, and in doubt it is English.
    #[serde(default)]
    pub language: Option<String>,
    /// The question that the words answer, if they do.
    #[serde(default)]
    pub asked: Option<String>,
}

/// One thing that may be wanted.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WantAnswer {
    pub route: String,
    /// Probability.
    pub score: f32,
}

/// One of several wishes in one utterance. Places count Unicode scalar values of the request's text.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PartAnswer {
    pub route: String,
    pub score: f32,
    pub start: usize,
    pub end: usize,
}

/// Whether somebody is in danger.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EmergencyAnswer {
    /// The caller would be told to dial 911.
    pub yes: bool,
    /// The caller would be asked whether anybody is in danger.
    pub ask: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    pub score: f32,
}

/// A value in the words. Places count Unicode scalar values of the request's text.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SlotAnswer {
    pub name: &'static str,
    pub value: String,
    pub start: usize,
    pub end: usize,
    pub score: f32,
}

/// An example that the words are like.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExampleAnswer {
    pub route: String,
    pub text: String,
    /// -1 to 1.
    pub likeness: f32,
}

/// The answer.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct UnderstandAnswer {
    /// Likeliest first.
    pub wants: Vec<WantAnswer>,
    /// Several wishes in one utterance, in its order; empty when there is one.
    pub parts: Vec<PartAnswer>,
    pub act: &'static str,
    pub act_score: f32,
    pub emergency: EmergencyAnswer,
    pub slots: Vec<SlotAnswer>,
    pub language: &'static str,
    /// Nearest examples of routes; empty where the sentence encoder is not loaded, and then the words alone decided.
    pub nearest: Vec<ExampleAnswer>,
}

/// Why nothing is understood: the parameter, and what is wrong with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refused {
    pub parameter: &'static str,
    pub what: &'static str,
}

/// Understanding and the dialogue's ear for danger, without a call.
#[derive(Debug)]
pub struct Reader {
    understanding: Understanding,
    dialogue: Arc<Dialogue>,
}

impl Reader {
    /// Embeds the examples, if there is an encoder.
    ///
    /// # Errors
    /// Only when shipped data is broken, which tests rule out.
    pub async fn new(embedder: Option<Embedder>) -> Result<Self, ScriptError> {
        let dialogue = Dialogue::front_desk()?;
        let understanding =
            Understanding::new(embedder).map_err(|error| ScriptError::Missing(error.to_string()))?;
        for intent in &dialogue.script().intents {
            understanding.learn(&intent.id, &intent.examples).await;
        }
        Ok(Self { understanding, dialogue: Arc::new(dialogue) })
    }

    /// This one with routes more, each with its examples.
    ///
    /// # Errors
    /// As [`Reader::new`].
    pub async fn extended(&self, routes: &[(String, Vec<String>)]) -> Result<Self, ScriptError> {
        let understanding = self.understanding.extended(routes).await;
        let understanding = understanding.map_err(|error| ScriptError::Missing(error.to_string()))?;
        Ok(Self { understanding, dialogue: Arc::clone(&self.dialogue) })
    }

    /// What is most likely wanted, with its probability, and the examples that the words are like.
    pub async fn want(&self, text: &str) -> (Option<(String, f32)>, Vec<ExampleAnswer>) {
        let text: String = text.chars().take(LONGEST).collect();
        let language = language_of(&text).unwrap_or_default();
        let found = self.understanding.patient(&text, language, false).await;
        let want = found.wants.into_iter().next().map(|want| (want.route, rounded(want.score)));
        let nearest = self.understanding.alike(&text, NEAREST).await;
        let nearest = nearest.into_iter().map(|e| ExampleAnswer {
            route: e.route,
            text: e.text,
            likeness: rounded(e.likeness),
        });
        (want, nearest.collect())
    }

    /// What the line would take words for. `settings`: what of it is no personal data with this tenant.
    ///
    /// # Errors
    /// When there are no words, or too many, or the language is none that we speak.
    pub async fn read(
        &self,
        request: &UnderstandRequest,
        settings: &Settings,
    ) -> Result<UnderstandAnswer, Refused> {
        let text = request.text.as_str();
        if text.trim().is_empty() || text.chars().count() > LONGEST {
            return Err(Refused { parameter: "text", what: "must hold 1 to 2000 characters" });
        }
        let language = match &request.language {
            Some(tag) => {
                Language::of(tag).ok_or(Refused { parameter: "language", what: "must be en or es" })?
            }
            None => language_of(text).unwrap_or_default(),
        };
        let asked = request.asked.as_deref().is_some_and(|asked| !asked.trim().is_empty());
        let found = self.understanding.patient(text, language, asked).await;
        let (level, kind, score) = self.dialogue.danger(text, found.vector.as_deref());
        let (act, act_score) = found.act().map_or(("", 0.0), |(act, score)| (act.name(), score));
        let place = |at: usize| text.get(..at).map_or(0, |before| before.chars().count());
        let nearest = self.understanding.alike(text, NEAREST).await;
        Ok(UnderstandAnswer {
            parts: found
                .parts
                .iter()
                .map(|part| PartAnswer {
                    route: part.want.route.clone(),
                    score: rounded(part.want.score),
                    start: place(part.span.start),
                    end: place(part.span.end),
                })
                .collect(),
            wants: found
                .wants
                .into_iter()
                .map(|want| WantAnswer { route: want.route, score: rounded(want.score) })
                .collect(),
            act,
            act_score: rounded(act_score),
            emergency: EmergencyAnswer {
                yes: level == Level::Sure,
                ask: level == Level::Likely,
                kind,
                score: rounded(score),
            },
            slots: slots(text, request.asked.as_deref(), settings),
            language: language.code(),
            nearest: nearest
                .into_iter()
                .map(|e| ExampleAnswer { route: e.route, text: e.text, likeness: rounded(e.likeness) })
                .collect(),
        })
    }
}

/// Names, addresses, numbers and dates that stand in the words.
fn slots(text: &str, asked: Option<&str>, settings: &Settings) -> Vec<SlotAnswer> {
    let settings = asked.map_or_else(|| settings.clone(), |asked| settings.answering(asked));
    let findings = Guardian::new().check(text, &settings);
    let place = |at: usize| text.get(..at).map_or(0, |before| before.chars().count());
    findings
        .iter()
        .filter(|finding| finding.kind.category() == Category::Pii)
        .filter_map(|finding| {
            Some(SlotAnswer {
                name: finding.kind.name(),
                value: text.get(finding.start..finding.end)?.to_owned(),
                start: place(finding.start),
                end: place(finding.end),
                score: rounded(finding.confidence),
            })
        })
        .collect()
}

/// Three digits say enough.
fn rounded(score: f32) -> f32 {
    (score * 1000.0).round() / 1000.0
}
