//! What `/v1/listen` says, put in terms of utterances and pauses. Pure.

use super::utterance::{Ear, Piece, ms};
use super::wire::{Nova, Results, Word};
use pipeline::ports::SttEvent;
use pipeline::provider::{Failure, Kind};

/// A final of the recogniser's own answers the pause when it has heard up to this long before the question. Speech
/// ended about 150 ms before it, so that no last word is missing.
const COVERS_MS: u64 = 100;

/// Reads one message.
///
/// # Errors
/// [`Kind::Garbage`] for what is no message of this protocol.
pub(super) fn read(ear: &mut Ear, text: &str, out: &mut Vec<SttEvent>) -> Result<(), Failure> {
    let message: Nova =
        serde_json::from_str(text).map_err(|_| Failure::new(Kind::Garbage, "a message is no JSON"))?;
    match message {
        Nova::Results(results) => results_came(ear, &results, out),
        // A complaint about one of our messages; the connection stays open.
        Nova::Error { variant } => {
            tracing::debug!(known = variant == "SchemaError", "the recogniser complains");
        }
        Nova::UtteranceEnd {} | Nova::Other => {}
    }
    Ok(())
}

fn results_came(ear: &mut Ear, results: &Results, out: &mut Vec<SttEvent>) {
    let Some(best) = results.channel.alternatives.first() else { return };
    let end_ms = ms(results.start + results.duration);
    ear.heard_ms = ear.heard_ms.max(end_ms);
    let tags: Vec<&str> = best.words.iter().filter_map(|w| w.language.as_deref()).collect();
    out.extend(ear.language(&tags));
    let piece = piece(ear, results, best.transcript.as_str(), &best.words, best.confidence);
    let Some(open) = &mut ear.open else {
        out.extend(ear.keep_early(piece, results.is_final));
        return;
    };
    if results.is_final {
        open.loose = None;
        if !piece.text.is_empty() {
            open.settled.push(piece);
        }
    } else {
        open.loose = Some(piece);
    }
    out.extend(open.news());
    if results.speech_final {
        ear.declared_ms = Some(end_ms);
    }
    let Some(pending) = open.pending else {
        if results.is_final {
            out.extend(open.correct());
        }
        return;
    };
    let covers = end_ms + COVERS_MS >= pending.at_ms;
    if results.is_final && (results.from_finalize || covers) {
        out.extend(open.answer());
    }
}

/// The words of a result that are not the rest of an utterance that is over.
fn piece(ear: &Ear, results: &Results, transcript: &str, words: &[Word], confidence: f32) -> Piece {
    let start_ms = ms(words.first().and_then(|w| w.start).unwrap_or(results.start));
    // None given counts as sure.
    let confidence = if confidence > 0.0 { confidence } else { 1.0 };
    if words.is_empty() || ear.is_new(start_ms) {
        let text = if ear.is_new(ms(results.start + results.duration)) { transcript.trim() } else { "" };
        return Piece { start_ms, text: text.to_owned(), confidence };
    }
    let new: Vec<&str> =
        words.iter().filter(|w| ear.is_new(ms(w.start.unwrap_or(0.0)))).map(Word::text).collect();
    Piece { start_ms, text: new.join(" "), confidence }
}
