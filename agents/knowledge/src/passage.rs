//! Passages as they lie in the index: their terms counted, their vector at hand.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::chunk::{self, Passage};
use super::cite::speakable;
use super::embed::{Vector, cosine};
use super::ingest::{Document, FrontMatter, page_name, parse};
use super::{Part, RetrieverError, sounds, team_of};
use governance::pii::Public;
use language::stems::{Term, Tongue, hash, is_stop, term, terms, words};

/// A term in title or heading counts this much beside its place in the text.
const HEAD_WEIGHT: f32 = 1.0;

/// A question that a section answers lifts its passages this much of the way. Less than an everyday phrasing: "can you order me a
/// pizza" is like any question that begins so.
const ASKED: f32 = 0.45;

/// A document of more sentences keeps no vectors of them.
const MOST_SENTENCES: usize = 60;

/// A passage's own vector counts as so many questions in the middle of what it answers.
const OWN_SHARE: f32 = 2.0;

/// A document as it lies in the index.
#[derive(Debug)]
pub(super) struct Indexed {
    pub id: Uuid,
    pub source: String,
    pub title: String,
    pub media_type: Option<String>,
    pub updated_at: Option<DateTime<Utc>>,
    pub front: FrontMatter,
    pub passages: Vec<IndexedPassage>,
    /// Vectors of the everyday phrasings in the front matter.
    pub asked_as: Vec<Vector>,
    /// What it gives as public. A team's own documents are read by its agents and published nowhere.
    pub public: Public,
}

/// One passage of it.
#[derive(Debug)]
pub(super) struct IndexedPassage {
    pub passage: Passage,
    /// Title, heading and text in order, without stop words.
    pub terms: Box<[Term]>,
    /// Terms of title and heading.
    pub head: Box<[Term]>,
    /// Sorted by term; with the document's phrasings.
    pub bag: Box<[Counted]>,
    pub length: f32,
    pub vector: Option<Vector>,
    /// Vectors of its sentences as they are spoken, in order; empty where they have none.
    pub sentences: Vec<Vector>,
    /// Vectors of the questions that callers ask of its section.
    pub asked: Vec<Vector>,
    /// Unit vector of the middle of these and twice the passage's own. Of 945 questions of other hands the page with the nearest middle is
    /// right for 83.5 %, the page with the nearest question for 82.6 %, and both together for 85 %.
    pub centre: Option<Vector>,
    /// Terms of each of them, sorted.
    pub asked_terms: Vec<Box<[Term]>>,
}

/// A term of a passage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    pub term: Term,
    pub count: f32,
    /// Hash of how the word sounds; 0 for what is too short to tell.
    pub sound: u32,
}

impl Indexed {
    /// Vectors of its texts.
    pub fn vectors(&self) -> impl Iterator<Item = (&str, &Vector)> {
        let passages = self.passages.iter().map(|p| (p.passage.indexed.as_str(), p.vector.as_ref()));
        passages.filter_map(|(text, vector)| Some((text, vector?)))
    }
}

impl IndexedPassage {
    /// Likeness of a question to the passage, lifted by a question that its section is known to answer. `None` without a
    /// vector.
    pub fn likeness(&self, question: &[f32]) -> Option<f32> {
        let own = cosine(self.vector.as_ref()?, question);
        Some(self.paraphrase(question).map_or(own, |asked| own.max(ASKED * asked + (1.0 - ASKED) * own)))
    }

    /// Likeness in meaning to the nearest question that its section is known to answer, 0–1; `None` where none has a vector.
    pub fn paraphrase(&self, question: &[f32]) -> Option<f32> {
        self.asked.iter().map(|asked| cosine(asked, question).clamp(0.0, 1.0)).reduce(f32::max)
    }

    /// Likeness of a question to each of its sentences as they are spoken; empty where they have no vectors.
    pub fn sentences_like(&self, question: &[f32]) -> Vec<f32> {
        self.sentences.iter().map(|sentence| cosine(sentence, question)).collect()
    }

    /// Likeness in meaning to the middle of what its section is known to answer, 0–1; `None` without a vector.
    pub fn likeness_to_centre(&self, question: &[f32]) -> Option<f32> {
        Some(cosine(self.centre.as_ref()?, question).clamp(0.0, 1.0))
    }

    /// The same by words, for a question or a page that has no vector: twice the terms that both have, of all.
    pub fn shared_with_asked(&self, question: &[Term]) -> f32 {
        let alike = |asked: &[Term]| {
            let both = question.iter().filter(|term| asked.binary_search(term).is_ok()).count();
            2.0 * both as f32 / (question.len() + asked.len()).max(1) as f32
        };
        self.asked_terms.iter().map(|asked| alike(asked)).fold(0.0, f32::max)
    }

    /// Whether the passage has the term, the document's phrasings included.
    pub fn has(&self, term: Term) -> bool {
        self.bag.binary_search_by_key(&term, |counted| counted.term).is_ok()
    }
}

/// Takes a document apart for the index, with the vectors of those parts whose text is the same.
pub(super) fn prepare(document: &Document, parts: &[Part]) -> Result<Indexed, RetrieverError> {
    let parsed = parse(document);
    let passages = chunk::passages(&parsed);
    if passages.is_empty() {
        return Err(RetrieverError::Empty(document.source.clone()));
    }
    let vector =
        |n: usize, text: &str| parts.get(n).filter(|p| p.text == text).and_then(|p| p.vector.clone());
    let first = passages.len();
    let asked_as: Vec<Vector> =
        parsed.front.asked_as.iter().zip(first..).filter_map(|(text, n)| vector(n, text)).collect();
    let questions = first + parsed.front.asked_as.len();
    let of_sections: Vec<(&str, Vector)> = (questions..)
        .zip(sections_asked(&parsed.front))
        .filter_map(|(n, (heading, text))| Some((heading, vector(n, text)?)))
        .collect();
    let sentences = questions + sections_asked(&parsed.front).count();
    let of_passages: Vec<(usize, Option<Vector>)> =
        (sentences..).zip(told(&passages)).map(|(n, (of, text))| (of, vector(n, &text))).collect();
    // The everyday phrasings count for the whole document, so every passage may be found by them.
    let spoken = parsed.front.spoken.clone().unwrap_or_default();
    let unnamed = if parsed.named { String::new() } else { file_words(&document.source) };
    let extra = format!("{} {spoken} {unnamed}", parsed.front.asked_as.join(" "));
    let tongue = Tongue::of(parsed.front.language.as_deref());
    let title = if parsed.named { parsed.title.as_str() } else { "" };
    let passages = passages
        .into_iter()
        .enumerate()
        .map(|(n, passage)| {
            let vector = vector(n, &passage.indexed);
            let heading = passage.heading.as_deref();
            let asked = of_sections.iter().filter(|(of, _)| heading == Some(*of)).map(|(_, v)| v.clone());
            let asked: Vec<Vector> = asked.collect();
            let own = of_passages.iter().filter(|(of, _)| *of == n).map(|(_, vector)| vector.clone());
            let sentences = own.collect::<Option<Vec<Vector>>>().unwrap_or_default();
            let centre = vector.as_ref().map(|own| centre(own, &asked));
            let sorted = |text: &String| {
                let mut all = terms(text, tongue);
                all.sort_unstable();
                all.dedup();
                all.into_boxed_slice()
            };
            let asked_terms = parsed.front.asked_of(heading).iter().map(sorted).collect();
            IndexedPassage {
                sentences,
                asked,
                asked_terms,
                centre,
                ..index(passage, vector, title, &extra, tongue)
            }
        })
        .collect();
    let published = team_of(&document.source).is_none();
    let public = if published { Public::of_page(&document.content) } else { Public::default() };
    Ok(Indexed {
        id: document.id.unwrap_or_else(Uuid::now_v7),
        updated_at: document.updated_at,
        source: document.source.clone(),
        title: parsed.title,
        media_type: document.media_type.clone(),
        front: parsed.front,
        passages,
        asked_as,
        public,
    })
}

/// Sentences of passages as they are spoken, each with the number of its passage: those of passages with more than one. None of a
/// document that is long: there words alone choose, and no memory is spent on it.
pub(super) fn told(passages: &[Passage]) -> Vec<(usize, String)> {
    let of = |(n, passage): (usize, &Passage)| {
        let all = speakable(&passage.text);
        let some = if all.len() > 1 { all } else { Vec::new() };
        some.into_iter().map(move |(_, sentence)| (n, sentence))
    };
    let all: Vec<(usize, String)> = passages.iter().enumerate().flat_map(of).collect();
    if all.len() > MOST_SENTENCES { Vec::new() } else { all }
}

/// The unit vector between a passage's own and those of the questions that its section answers.
fn centre(own: &Vector, asked: &[Vector]) -> Vector {
    let mut sum: Vec<f32> = own.iter().map(|x| OWN_SHARE * x).collect();
    for question in asked.iter().filter(|question| question.len() == own.len()) {
        sum.iter_mut().zip(question.iter()).for_each(|(sum, x)| *sum += x);
    }
    let norm = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
    sum.iter().map(|x| x / norm.max(f32::MIN_POSITIVE)).collect()
}

/// The questions of all sections, each with its heading, in the order in which they are embedded.
pub(super) fn sections_asked(front: &FrontMatter) -> impl Iterator<Item = (&str, &str)> {
    front.asked.iter().flat_map(|(heading, all)| all.iter().map(|text| (heading.as_str(), text.as_str())))
}

/// The words that a file's name may hold: "docs/dog-license.md" says what it is about, "a17.txt" does not.
fn file_words(source: &str) -> String {
    let words = page_name(source).split(|c: char| !c.is_alphabetic()).filter(|w| w.chars().count() > 2);
    words.collect::<Vec<_>>().join(" ")
}

fn index(
    passage: Passage,
    vector: Option<Vector>,
    title: &str,
    extra: &str,
    tongue: Tongue,
) -> IndexedPassage {
    let mut head = terms(&format!("{title}. {}", passage.heading.as_deref().unwrap_or_default()), tongue);
    head.sort_unstable();
    head.dedup();
    let mut own = Vec::new();
    let mut bag: Vec<Counted> = Vec::new();
    let mut take = |text: &str, own: Option<&mut Vec<Term>>| {
        let mut order = Vec::new();
        for word in words(text).iter().filter(|word| !is_stop(word)) {
            let term = term(word, tongue);
            let sound = sounds::key(word).map_or(0, |key| hash(&key).max(1));
            bag.push(Counted { term, count: 1.0, sound });
            order.push(term);
        }
        if let Some(own) = own {
            *own = order;
        }
    };
    take(&passage.indexed, Some(&mut own));
    take(extra, None);
    let length = bag.len() as f32;
    bag.sort_unstable_by_key(|counted| counted.term);
    bag.dedup_by(|next, kept| {
        let same = next.term == kept.term;
        if same {
            kept.count += next.count;
        }
        same
    });
    for counted in &mut bag {
        if head.binary_search(&counted.term).is_ok() {
            counted.count += HEAD_WEIGHT;
        }
    }
    IndexedPassage {
        passage,
        terms: own.into(),
        head: head.into(),
        bag: bag.into(),
        length,
        vector,
        sentences: Vec::new(),
        asked: Vec::new(),
        centre: None,
        asked_terms: Vec::new(),
    }
}
