//! What a caller wants and does, and how sure that is: the head of [`language::intents`] with the sentence encoder that
//! ships. Used on calls and by `POST /v1/understand`.

pub mod api;

use std::ops::Range;

use language::Language;
use language::intents::{Head, Nearest, Stretch, Understood, Vector, WeightsError, clauses, understand};
use parking_lot::RwLock;

use knowledge::{Embedder, Encoded};

/// The head, the encoder if there is one, and the examples of what may be wanted.
#[derive(Debug)]
pub struct Understanding {
    head: &'static Head,
    embedder: Option<Embedder>,
    nearest: RwLock<Nearest>,
}

/// An example that an utterance is like.
#[derive(Clone, PartialEq, Debug)]
pub struct Alike {
    pub route: String,
    pub text: String,
    /// -1 to 1.
    pub likeness: f32,
}

impl Understanding {
    /// Without examples yet.
    ///
    /// # Errors
    /// Only when the shipped weights do not fit the code, which a test rules out.
    pub fn new(embedder: Option<Embedder>) -> Result<Self, WeightsError> {
        Ok(Self { head: Head::shipped()?, embedder, nearest: RwLock::default() })
    }

    /// Adds a route by its examples. Without the encoder only routes that were trained are known.
    pub async fn learn(&self, route: &str, examples: &[String]) {
        let Some(embedder) = &self.embedder else { return };
        let vectors = embedder.all(examples).await;
        let both: Vec<(String, Vector)> = examples.iter().cloned().zip(vectors).collect();
        self.nearest.write().add(self.head.projection(), route, &both);
    }

    /// This one with routes more, such as those to a tenant's own teams. What was embedded is not embedded again.
    ///
    /// # Errors
    /// As [`Understanding::new`].
    pub async fn extended(&self, routes: &[(String, Vec<String>)]) -> Result<Self, WeightsError> {
        let mut extended = Self::new(self.embedder.clone())?;
        *extended.nearest.get_mut() = self.nearest.read().clone();
        for (route, examples) in routes {
            extended.learn(route, examples).await;
        }
        Ok(extended)
    }

    /// What a caller's words are taken for, in the time that a turn has: where the encoder is busy, by the words alone.
    pub async fn live(&self, text: &str, language: Language, asked: bool) -> Understood {
        let spans = clauses(text);
        let (whole, pieces) = match &self.embedder {
            Some(embedder) => {
                let pieces = spans.iter().map(|span| embedder.live(&text[span.clone()]));
                let whole = embedder.live_words(text);
                futures_util::future::join(whole, futures_util::future::join_all(pieces)).await
            }
            None => (None, Vec::new()),
        };
        self.read(text, language, asked, spans, whole, pieces)
    }

    /// The vector of a caller's words, in the time that a turn has.
    pub async fn vector(&self, text: &str) -> Option<Vector> {
        self.embedder.as_ref()?.live(text).await
    }

    /// What words are taken for where nobody waits on a line.
    pub async fn patient(&self, text: &str, language: Language, asked: bool) -> Understood {
        let spans = clauses(text);
        let texts: Vec<String> = spans.iter().map(|span| text[span.clone()].to_owned()).collect();
        let (whole, pieces) = match &self.embedder {
            Some(embedder) => (embedder.patient_words(text).await, embedder.all(&texts).await),
            None => (None, Vec::new()),
        };
        self.read(text, language, asked, spans, whole, pieces.into_iter().map(Some).collect())
    }

    /// The examples that words are nearest to, at most `most`. None without the encoder.
    pub async fn alike(&self, text: &str, most: usize) -> Vec<Alike> {
        let Some(embedder) = &self.embedder else { return Vec::new() };
        let Some(vector) = embedder.patient(text).await else { return Vec::new() };
        let nearest = self.nearest.read();
        let found = nearest.examples(self.head.projection(), &vector, most);
        found
            .into_iter()
            .map(|e| Alike { route: e.route.to_owned(), text: e.text.to_owned(), likeness: e.likeness })
            .collect()
    }

    fn read(
        &self,
        text: &str,
        language: Language,
        asked: bool,
        spans: Vec<Range<usize>>,
        whole: Option<Encoded>,
        pieces: Vec<Option<Vector>>,
    ) -> Understood {
        let (vector, states) = whole.map_or((None, None), |read| (Some(read.vector), read.states));
        let mut vectors = pieces.into_iter().chain(std::iter::repeat(None));
        let mut next = |text| Stretch { text, vector: vectors.next().flatten() };
        let parts: Vec<_> = spans.into_iter().map(|span| (span.clone(), next(&text[span]))).collect();
        let whole = Stretch { text, vector };
        let understood = understand(self.head, &self.nearest.read(), language, asked, &whole, &parts);
        Understood { states, ..understood }
    }
}
