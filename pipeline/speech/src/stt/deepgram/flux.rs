//! What `/v2/listen` says, put in terms of utterances and pauses. Pure.

use super::utterance::{Ear, Piece, ms};
use super::wire::{Flux, TurnInfo, Word};
use pipeline::ports::SttEvent;
use pipeline::provider::{Failure, Kind};

/// A declared end that has heard up to this long before the question about the pause answers it.
const DECLARED_MS: u64 = 360;
/// What is no declared end must have heard this much beyond the question: the last word takes its time.
const BEYOND_MS: u64 = 80;

/// The recogniser's own turns beside the session's utterances.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// Turns up to here belong to utterances that are over.
    over_through: Option<u64>,
    current: Option<u64>,
    /// The current turn was declared over, or may be: the newest judgement.
    confidence: f32,
    declared: bool,
    heard_ms: u64,
}

/// 1 where the words carry none. The mean, not the worst: a name or a number is often doubtful in a sentence that is clear.
fn mean_confidence(words: &[Word]) -> f32 {
    let scored: Vec<f32> = words.iter().map(|word| word.confidence).filter(|c| *c > 0.0).collect();
    if scored.is_empty() { 1.0 } else { scored.iter().sum::<f32>() / scored.len() as f32 }
}

impl Turns {
    /// Reads one message.
    ///
    /// # Errors
    /// [`Kind::Garbage`] for what is no message of this protocol; [`Kind::Server`] for its fatal error.
    pub fn read(&mut self, ear: &mut Ear, text: &str, out: &mut Vec<SttEvent>) -> Result<(), Failure> {
        let message: Flux =
            serde_json::from_str(text).map_err(|_| Failure::new(Kind::Garbage, "a message is no JSON"))?;
        match message {
            Flux::TurnInfo(info) => self.turn_info(ear, &info, out),
            Flux::Error { code } => {
                let known = if code == "INTERNAL_SERVER_ERROR" { "internal error" } else { "an error" };
                return Err(Failure::new(Kind::Server, format!("the recogniser reports {known}")));
            }
            Flux::Other => {}
        }
        Ok(())
    }

    fn turn_info(&mut self, ear: &mut Ear, info: &TurnInfo, out: &mut Vec<SttEvent>) {
        if self.over_through.is_some_and(|over| info.turn_index <= over) {
            return;
        }
        let tags: Vec<&str> = match info.languages.as_slice() {
            // One tag stands for the whole transcript.
            [only] if info.words.len() >= 2 => vec![only.as_str(); 2],
            several => several.iter().map(String::as_str).collect(),
        };
        out.extend(ear.language(&tags));
        self.heard_ms = ms(info.audio_window_end);
        ear.heard_ms = ear.heard_ms.max(self.heard_ms);
        let ended = info.event == "EndOfTurn";
        self.declared = ended || info.event == "EagerEndOfTurn";
        self.confidence = info.end_of_turn_confidence;
        // A turn without words yet is nobody's: the next utterance may be in it.
        self.current = (!ended && !info.transcript.trim().is_empty()).then_some(info.turn_index);
        let piece = Piece {
            start_ms: info.words.first().and_then(|w| w.start).map_or(self.heard_ms, ms),
            text: info.transcript.trim().to_owned(),
            confidence: mean_confidence(&info.words),
        };
        let Some(open) = &mut ear.open else {
            out.extend(ear.keep_early(piece, ended));
            return;
        };
        if ended {
            open.loose = None;
            if !piece.text.is_empty() {
                open.settled.push(piece);
            }
        } else {
            open.loose = Some(piece);
        }
        let utterance = open.id;
        let asked = open.pending.is_some() || open.answered.is_some();
        out.extend(open.news());
        if self.declared && !asked {
            out.push(SttEvent::MaybeEnd { utterance, probability: self.confidence });
        }
        self.answer_if_heard(ear, out);
    }

    /// Answers the pause when what came has heard up to it, or was declared the end.
    pub fn answer_if_heard(&mut self, ear: &mut Ear, out: &mut Vec<SttEvent>) {
        let Some(open) = &mut ear.open else { return };
        let Some(pending) = open.pending else {
            // More was found out about a pause that was answered: words, or whether it is the end.
            let Some((pause, _)) = open.answered else { return };
            out.extend(open.correct());
            out.push(SttEvent::TurnEnd { utterance: open.id, pause, probability: self.confidence });
            return;
        };
        let heard = if self.declared {
            self.heard_ms + DECLARED_MS >= pending.at_ms
        } else {
            self.heard_ms >= pending.at_ms + BEYOND_MS
        };
        if heard {
            let (utterance, pause) = (open.id, pending.pause);
            let words = !open.text().is_empty();
            out.extend(open.answer());
            if words {
                out.push(SttEvent::TurnEnd { utterance, pause, probability: self.confidence });
            }
        }
    }

    /// The session took the turn: what the recogniser still calls the same turn is not the next one's. True when
    /// it has to be told.
    pub fn ended(&mut self) -> bool {
        match self.current.take() {
            Some(open) => {
                self.over_through = Some(open);
                true
            }
            None => false,
        }
    }
}
