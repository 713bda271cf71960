//! A second look at every reply, off the live path: the judge holds what was said against what the model was shown. A
//! reply that is wrong in something that matters is put right at the beginning of the next turn, or, when there is none,
//! by a note for the back office.
//!
//! One look a turn, one under way a call; a newer reply takes the place of an older look, which is then noted as not
//! followed up. The model is asked for a corrected statement at most [`MAX_REVISIONS`] times; each is judged like the
//! reply.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use pipeline::ports::Language;
use pipeline::turn::{Heard, TurnId};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use super::phrases::Phrase;
use governance::judge::{Level, Meanings, Means, NoRules, Reading, Severity, ValidationRequest};
use governance::meaning::Meaning;
use knowledge::{Embedder, Seen};
use models::conversation::{Conversation, Message, ToolSpec};
use models::delimit::{self, block, data};
use models::model::{LanguageModel, ModelEvent, Request, Tally};
use work::passport::Patch;

/// Corrected statements that the model may try.
const MAX_REVISIONS: u8 = 3;
/// How long one of them may take.
const ANSWER: Duration = Duration::from_secs(6);
/// How long the end of a call waits for a look that is under way.
const LAST: Duration = Duration::from_secs(2);
/// Looks at a time that ask a model, over all calls; more are noted instead.
const AT_ONCE: usize = 8;
/// Tokens and characters of a corrected statement.
const MAX_TOKENS: u32 = 150;
const LONGEST: usize = 400;
/// Characters of what is known that one look reads.
const EVIDENCE: usize = 48_000;
/// Notes that wait to be written.
const MAX_NOTES: usize = 16;

/// What is so wrong that the caller must hear of it.
const MATTERS: [&str; 11] = [
    "contradicted_fact",
    "contradicted_statement",
    "unsupported_fact",
    "unsupported_name",
    "unsupported_place",
    "unsupported_statement",
    "unknown_reference",
    "effect_not_recorded",
    "effect_differs",
    "wrong_calculation",
    "impolite",
];

/// Whoever looks, for all calls.
#[derive(Clone, Debug)]
pub(crate) struct Looker {
    places: Arc<Semaphore>,
}

impl Default for Looker {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(AT_ONCE)) }
    }
}

/// A reply that was wrong, and what is right.
#[derive(Clone)]
pub(super) struct Correction {
    /// In which it was said.
    pub(super) turn: TurnId,
    kinds: Vec<String>,
    /// With tokens. `None`: nobody knows what is right.
    statement: Option<String>,
    revisions: u8,
}

language::shown!(Correction, "Correction": turn, kinds, revisions; statement);

impl Correction {
    /// What the caller hears.
    pub(super) fn words(&self, language: Language) -> String {
        match (&self.statement, language) {
            (Some(right), Language::En) => format!("I need to correct what I said: {right}"),
            (Some(right), Language::Es) => format!("Necesito corregir lo que dije: {right}"),
            (None, language) => Phrase::NotCertain.text(language).to_owned(),
        }
    }

    /// What the model is told of it.
    pub(super) fn event(&self, language: Language) -> String {
        let words = data(&self.words(language), LONGEST + 60);
        block(
            delimit::EVENT,
            &format!(
                "Something you said before was wrong. The caller is told now: {words} Go on after that; do not repeat it."
            ),
        )
    }

    fn what(&self) -> String {
        self.kinds.join(", ")
    }
}

/// Something for the ledger.
#[derive(Clone)]
pub(super) struct LookNote {
    pub(super) key: String,
    /// Kinds and numbers, never words.
    pub(super) did: String,
    pub(super) patches: Vec<Patch>,
}

language::shown!(LookNote, "LookNote": key; did, patches);

/// What a look found.
#[derive(Debug)]
enum Looked {
    Right,
    Wrong(Correction),
}

struct UnderWay {
    turn: TurnId,
    looked: oneshot::Receiver<Looked>,
    tally: Tally,
    task: tokio::task::AbortHandle,
}

/// The looks of one call.
#[derive(Default)]
pub(super) struct SecondLook {
    under_way: Option<UnderWay>,
    ready: Option<Correction>,
    /// Begun to be said in this turn.
    told: Option<(TurnId, Correction)>,
    notes: VecDeque<LookNote>,
    /// Something is left for the back office.
    handed_over: bool,
    /// What looks cost, until it is reported.
    spent: Vec<(TurnId, Tally)>,
}

impl Drop for SecondLook {
    fn drop(&mut self) {
        if let Some(under_way) = &self.under_way {
            under_way.task.abort();
        }
    }
}

/// What one look needs.
pub(super) struct Look {
    pub(super) turn: TurnId,
    /// With tokens.
    pub(super) reply: String,
    pub(super) question: String,
    pub(super) conversation: Conversation,
    /// Our replies before: the pages behind them may be gone from the conversation.
    pub(super) earlier: Vec<String>,
    pub(super) model: Arc<dyn LanguageModel>,
    /// The call's: providers want the tools that a conversation speaks of.
    pub(super) tools: Arc<[ToolSpec]>,
    pub(super) looker: Looker,
    /// Sees what sentences promise.
    pub(super) encoder: Option<Embedder>,
}

impl SecondLook {
    /// Begins a look at a reply. An older one that is not done is noted.
    pub(super) fn begin(&mut self, look: Look) {
        self.collect();
        if let Some(old) = self.under_way.take() {
            old.task.abort();
            let did = format!("second look at turn {} was not finished before the next reply", old.turn.0);
            self.note(LookNote { key: format!("look/{}", old.turn.0), did, patches: Vec::new() });
        }
        let (turn, tally) = (look.turn, Tally::default());
        let (done, looked) = oneshot::channel();
        let counted = tally.clone();
        let task = tokio::spawn(async move {
            let found = look.run(&counted).await;
            drop(done.send(found));
        });
        self.spent.push((turn, tally.clone()));
        self.under_way = Some(UnderWay { turn, looked, tally, task: task.abort_handle() });
    }

    /// Takes what a look found, where one is done.
    pub(super) fn collect(&mut self) {
        let Some(under_way) = &mut self.under_way else { return };
        match under_way.looked.try_recv() {
            Ok(looked) => self.found(looked),
            Err(oneshot::error::TryRecvError::Empty) => {}
            Err(oneshot::error::TryRecvError::Closed) => self.under_way = None,
        }
    }

    fn found(&mut self, looked: Looked) {
        self.under_way = None;
        if let Looked::Wrong(correction) = looked {
            if let Some(older) = self.ready.take() {
                self.note_untold(&older);
            }
            self.ready = Some(correction);
        }
    }

    /// What the next reply begins with.
    pub(super) const fn ready(&self) -> Option<&Correction> {
        self.ready.as_ref()
    }

    /// A reply that begins with the correction of this turn counts now.
    pub(super) fn tell(&mut self, corrected: TurnId, in_turn: TurnId) {
        if let Some(correction) = self.ready.take_if(|c| c.turn == corrected) {
            self.told = Some((in_turn, correction));
        }
    }

    /// What was heard of a turn. A correction that was cut off is said again.
    pub(super) fn heard(&mut self, heard: &Heard, language: Language) {
        let Some((turn, correction)) = self.told.take_if(|(turn, _)| *turn == heard.turn) else { return };
        let words = |text: &str| text.split_whitespace().count();
        // Its introduction is heard before it.
        let most = correction.statement.as_ref().map_or(14, |_| words(&correction.words(language)));
        if heard.complete || words(&heard.text) >= most {
            self.note_told(turn, &correction);
        } else if self.ready.is_none() {
            self.ready = Some(correction);
        } else {
            self.note_untold(&correction);
        }
    }

    fn note_told(&mut self, turn: TurnId, correction: &Correction) {
        let (was, what, n) = (correction.turn.0, correction.what(), correction.revisions);
        let did = if correction.statement.is_some() {
            format!(
                "second look: turn {was} was wrong ({what}); corrected in turn {} after {n} tries",
                turn.0
            )
        } else {
            format!(
                "second look: turn {was} may be wrong ({what}); said so in turn {} after {n} tries",
                turn.0
            )
        };
        let unknown = correction.statement.is_none();
        let patches = if unknown { self.patches(correction, true) } else { Vec::new() };
        self.note(LookNote { key: format!("look/{was}/told"), did, patches });
    }

    /// The caller went before they were told: somebody has to.
    fn note_untold(&mut self, correction: &Correction) {
        let (was, what) = (correction.turn.0, correction.what());
        let did = format!(
            "second look: turn {was} was wrong ({what}); the caller was not told: back office to follow up"
        );
        let patches = self.patches(correction, false);
        self.note(LookNote { key: format!("look/{was}/untold"), did, patches });
    }

    fn patches(&mut self, correction: &Correction, told: bool) -> Vec<Patch> {
        let reason =
            format!("a reply in turn {} is to be put right: {}", correction.turn.0, correction.what());
        let value = json!({
            "turn": correction.turn.0,
            "found": correction.kinds,
            "correct_statement": correction.statement,
            "caller_was_told": told,
        });
        let key = format!("correction_turn_{}", correction.turn.0);
        self.handed_over = true;
        vec![Patch::Escalate { reason }, Patch::Context { key, value }, Patch::Revised]
    }

    fn note(&mut self, note: LookNote) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push_back(note);
        }
    }

    /// The next note to be written, if any.
    pub(super) fn next_note(&mut self) -> Option<LookNote> {
        self.notes.pop_front()
    }

    /// What looks cost that are done.
    pub(super) fn spent(&mut self) -> Vec<(TurnId, Tally)> {
        let running = self.under_way.as_ref().map(|u| u.turn);
        let (open, done) = self.spent.drain(..).partition(|(turn, _)| Some(*turn) == running);
        self.spent = open;
        done
    }

    /// The call is over: waits a moment for a look under way, and notes whatever the caller was not told. True when
    /// something is left for the back office.
    pub(super) async fn close(&mut self) -> bool {
        if let Some(under_way) = &mut self.under_way {
            let turn = under_way.turn;
            match timeout(LAST, &mut under_way.looked).await {
                Ok(Ok(looked)) => self.found(looked),
                _ => {
                    under_way.task.abort();
                    // A look that has asked the model has found something.
                    let found = under_way.tally.has_parts();
                    self.under_way = None;
                    if found {
                        let kinds = vec!["judged wrong, not put right".to_owned()];
                        self.ready.get_or_insert(Correction { turn, kinds, statement: None, revisions: 0 });
                    }
                }
            }
        }
        let told = self.told.take().map(|(_, correction)| correction);
        let owed: Vec<Correction> = self.ready.take().into_iter().chain(told).collect();
        for correction in &owed {
            self.note_untold(correction);
        }
        self.handed_over
    }
}

impl Look {
    async fn run(self, tally: &Tally) -> Looked {
        let known = Known::of(&self.conversation, &self.earlier);
        let wrong = known.judge(&self.reply, &self.question, self.encoder.as_ref()).await;
        if wrong.kinds.is_empty() {
            return Looked::Right;
        }
        tracing::info!(kinds = wrong.kinds.join(","), "a reply was judged wrong after it was said");
        let kinds = wrong.kinds.clone();
        let unknown = |revisions| {
            Looked::Wrong(Correction { turn: self.turn, kinds: kinds.clone(), statement: None, revisions })
        };
        let Ok(_place) = self.looker.places.clone().try_acquire_owned() else { return unknown(0) };
        let mut feedback = wrong.feedback;
        for revisions in 1..=MAX_REVISIONS {
            let Some(statement) = self.ask(&feedback, tally).await else { continue };
            let judged = known.judge(&statement, &self.question, self.encoder.as_ref()).await;
            if judged.kinds.is_empty() {
                let statement = Some(statement);
                return Looked::Wrong(Correction { turn: self.turn, kinds, statement, revisions });
            }
            feedback =
                format!("{}\nYour correction was wrong too:\n{}", wrong_again(&statement), judged.feedback);
        }
        unknown(MAX_REVISIONS)
    }

    /// One corrected statement of the model's.
    async fn ask(&self, feedback: &str, tally: &Tally) -> Option<String> {
        let mut conversation = self.conversation.clone();
        let told = format!(
            "Your last answer was checked against what you were shown, and something in it is wrong:\n{}\n\
             Write only what is right instead, as one or two short spoken sentences in the language of the call, without \
             an apology and without an introduction. Say nothing that you were not shown. Call no tool.",
            data(feedback, 2_000)
        );
        let told = block(delimit::EVENT, &told);
        match conversation.messages.last_mut() {
            Some(Message::Caller { text }) => {
                text.push('\n');
                text.push_str(&told);
            }
            _ => conversation.messages.push(Message::Caller { text: told }),
        }
        let conversation = Arc::new(conversation);
        let request = Request { conversation, tools: self.tools.clone(), max_tokens: MAX_TOKENS };
        let mut stream = self.model.ask(request);
        tally.add_part(&stream.tally);
        let read = async {
            let mut text = String::new();
            while let Some(event) = stream.events.recv().await {
                match event {
                    ModelEvent::Text(more) if text.len() < LONGEST => text.push_str(&more),
                    ModelEvent::Done { .. } => return Some(text),
                    ModelEvent::Failed(_) => return None,
                    ModelEvent::Text(_) | ModelEvent::Call(_) | ModelEvent::Provider(_) => {}
                }
            }
            None
        };
        let text = timeout(ANSWER, read).await.ok().flatten()?;
        let mut plain = super::plain::PlainWords::default();
        let text = format!("{}{}", plain.push(&text), plain.finish());
        let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (text.chars().any(char::is_alphanumeric) && text.chars().count() <= LONGEST).then_some(text)
    }
}

/// What the sentences of a reply mean; without an encoder by their words alone. Nobody waits for it.
async fn meanings(text: &str, encoder: Option<&Embedder>) -> Meanings {
    let Ok(meaning) = Meaning::shipped() else { return Meanings::new() };
    let sentences = governance::judge::sentences(text);
    let seen = match encoder {
        Some(encoder) => encoder.see_all(&sentences).await,
        None => Vec::new(),
    };
    let read = |(n, sentence): (usize, String)| {
        let meant = meaning.read(&sentence, seen.get(n).map(Seen::to_read))?;
        Some((sentence, meant))
    };
    sentences.into_iter().enumerate().filter_map(read).collect()
}

fn wrong_again(statement: &str) -> String {
    format!("You wrote: {}", data(statement, LONGEST))
}

struct Verdict {
    kinds: Vec<String>,
    feedback: String,
}

/// What the model was shown in a call, sorted by what it is worth.
struct Known {
    sources: Vec<String>,
    results: Vec<Value>,
    /// Words of the caller, events, and the instructions: they may be repeated, and prove nothing.
    said: Vec<String>,
}

impl Known {
    fn of(conversation: &Conversation, earlier: &[String]) -> Self {
        let mut known = Self {
            sources: vec![conversation.briefing.clone()],
            results: Vec::new(),
            said: vec![conversation.system.clone(), "In an emergency dial 911.".to_owned()],
        };
        let mut names: Vec<(&str, &str)> = Vec::new();
        for message in &conversation.messages {
            match message {
                Message::Caller { text } => known.take_blocks(text),
                Message::Agent { calls, .. } => {
                    for call in calls {
                        names.push((&call.id, &call.name));
                        known.said.push(call.input.to_string());
                    }
                }
                Message::Results { results } => {
                    for result in results {
                        let name =
                            names.iter().rfind(|(id, _)| *id == result.id).map_or("", |(_, name)| *name);
                        let reads_only = work::tools::tool(name).is_none_or(|known| known.tool.reads_only());
                        known.results.push(json!({ "name": name, "content": result.content,
                            "is_error": result.is_error, "reads_only": reads_only }));
                    }
                }
            }
        }
        known.said.extend_from_slice(earlier);
        known.bound();
        known
    }

    /// Passages are sources; the rest of what came in was said by somebody.
    fn take_blocks(&mut self, text: &str) {
        let (open, close) = (format!("<{}>", delimit::INFORMATION), format!("</{}>", delimit::INFORMATION));
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(&open) {
            let (inside, behind) = after.split_once(&close).unwrap_or((after, ""));
            self.said.push(before.to_owned());
            self.sources.push(inside.to_owned());
            rest = behind;
        }
        self.said.push(rest.to_owned());
    }

    /// The newest passages count where there are too many.
    fn bound(&mut self) {
        for texts in [&mut self.sources, &mut self.said] {
            let mut left = EVIDENCE;
            let whole = texts.drain(..).rev();
            let kept: Vec<String> = whole
                .take_while(|t| {
                    left = left.saturating_sub(t.len());
                    left > 0
                })
                .collect();
            *texts = kept;
        }
        // More sources than a request may have become one.
        self.sources = vec![self.sources.join("\n")];
    }

    async fn judge(&self, text: &str, question: &str, encoder: Option<&Embedder>) -> Verdict {
        let meanings = meanings(text, encoder).await;
        let mut request = ValidationRequest::of_text(text, Level::Standard);
        request.trusted_sources.clone_from(&self.sources);
        request.context.insert("question".to_owned(), json!(question));
        request.context.insert("tool_results".to_owned(), json!(self.results));
        request.context.insert("said".to_owned(), json!(self.said));
        // The rules were asked before each sentence was said, and are asked again before a correction is.
        // Sources of some length are read for milliseconds, which no other call waits for.
        let read = tokio::task::spawn_blocking(move || {
            let mut reading = Reading::of_own(request);
            let sentences = reading.sentences_to_see();
            (reading, sentences)
        });
        let Ok((reading, sentences)) = read.await else {
            return Verdict { kinds: Vec::new(), feedback: String::new() };
        };
        let sights = match encoder {
            Some(encoder) => encoder.sights(sentences).await,
            None => None,
        };
        let judged = tokio::task::spawn_blocking(move || {
            let (meanings, sights) = (Some(&meanings), sights.as_ref());
            reading.judge(Means { rules: &NoRules, likeness: None, meanings, sights })
        });
        let Ok(Ok(result)) = judged.await else {
            return Verdict { kinds: Vec::new(), feedback: String::new() };
        };
        let matters = |kind: &str| MATTERS.contains(&kind);
        let mut wrong = result.issues;
        wrong.retain(|i| i.severity == Severity::Error && matters(&i.kind));
        let mut kinds: Vec<String> = wrong.iter().map(|i| i.kind.clone()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let line = |i: &governance::judge::ValidationIssue| {
            format!("- {}. {}", i.message, i.suggestion.as_deref().unwrap_or_default())
        };
        Verdict { kinds, feedback: wrong.iter().map(line).collect::<Vec<_>>().join("\n") }
    }
}
