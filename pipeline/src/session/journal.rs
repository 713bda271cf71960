//! Everything that went into a session, with its time: for replay as a test and as load.

use serde::{Deserialize, Serialize};
use telephony::media::{AudioFrame, FRAME_BYTES};

use super::input::{Input, Port, Supervisor};
use super::state::{Agent, Caller};
use crate::ports::{LogEvent, ReplyEvent, SttEvent, TtsEvent};

/// One line of a journal. Audio is mu-law 8 kHz, base64. Text in it is raw: a journal belongs to the
/// sensitive zone unless [`JournalEntry::redact`] was applied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// Microseconds since the stream was accepted.
    pub at_us: u64,
    #[serde(flatten)]
    pub what: Recorded,
}

/// An input, or a frame that was sent, in a form that outlives versions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Recorded {
    /// First line: which call this is.
    Call {
        call_id: uuid::Uuid,
        line: String,
        started_at: chrono::DateTime<chrono::Utc>,
    },
    /// 20 ms from the caller.
    In {
        audio: String,
    },
    /// 20 ms to the caller.
    Out {
        audio: String,
    },
    Clear,
    Digit {
        digit: char,
    },
    Mark {
        mark: u64,
    },
    Stopped,
    Lost,
    Vad {
        score: f32,
    },
    Echo {
        gives_back: bool,
    },
    Interim {
        utterance: u32,
        text: String,
    },
    Final {
        utterance: u32,
        pause: u32,
        text: String,
        confidence: f32,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        alternatives: Vec<String>,
    },
    TurnEnd {
        utterance: u32,
        pause: u32,
        probability: f32,
    },
    MaybeEnd {
        utterance: u32,
        probability: f32,
    },
    Segment {
        turn: u32,
        index: u16,
        text: String,
    },
    ReplyDone {
        turn: u32,
    },
    Synthesised {
        turn: u32,
        index: u16,
        bytes: usize,
    },
    Durable {
        seq: u64,
    },
    PortLost {
        port: Port,
    },
    Supervisor {
        act: Supervisor,
    },
    /// 20 ms of the person who has the call.
    Voice {
        lease: u32,
        audio: String,
    },
    /// The regions changed: what each side is doing now.
    Regions {
        caller: Caller,
        agent: Agent,
    },
}

impl Recorded {
    /// What of an input is worth keeping; `None` for ticks and inner detail.
    #[must_use]
    pub fn from_input(input: &Input) -> Option<Self> {
        Some(match input {
            Input::Frame(frame) => Self::In { audio: encode(frame) },
            Input::Vad(score) => Self::Vad { score: *score },
            Input::Echo(gives_back) => Self::Echo { gives_back: *gives_back },
            Input::Digit(digit) => Self::Digit { digit: *digit },
            Input::MarkPlayed(mark) => Self::Mark { mark: mark.0 },
            Input::CarrierStopped => Self::Stopped,
            Input::CarrierLost => Self::Lost,
            Input::Stt(event) => return Self::from_stt(event),
            Input::Reply(event) => return Self::from_reply(event),
            Input::Tts(TtsEvent::Audio { segment, mulaw }) => {
                Self::Synthesised { turn: segment.turn.0, index: segment.index, bytes: mulaw.len() }
            }
            Input::Log(LogEvent::Durable { seq }) => Self::Durable { seq: *seq },
            Input::PortLost(port) => Self::PortLost { port: *port },
            Input::Supervisor(act) => Self::Supervisor { act: act.clone() },
            Input::Voice { lease, frame } => Self::Voice { lease: *lease, audio: encode(frame) },
            // No journal is kept of a talk that is not ours.
            Input::Heard(_) => return None,
            // What a person said is recognized from their sound, which is kept.
            Input::PersonVad(_) | Input::PersonStt(_) | Input::Tts(_) | Input::Log(_) | Input::Tick => {
                return None;
            }
        })
    }

    /// Takes a secret out of what is kept: keys and words that were asked for as one.
    pub fn hide(&mut self) {
        match self {
            Self::Digit { digit } => *digit = '?',
            Self::Interim { text, .. } => text.clear(),
            Self::Final { text, alternatives, .. } => {
                text.clear();
                alternatives.clear();
            }
            // The keys' tones and the spoken digits are in the audio as well.
            Self::In { audio } => *audio = encode(&AudioFrame::SILENCE),
            _ => {}
        }
    }

    fn from_stt(event: &SttEvent) -> Option<Self> {
        Some(match event {
            SttEvent::Interim { utterance, text } => {
                Self::Interim { utterance: utterance.0, text: text.clone() }
            }
            SttEvent::Final { utterance, pause, text, confidence, alternatives, .. } => Self::Final {
                utterance: utterance.0,
                pause: *pause,
                text: text.clone(),
                confidence: *confidence,
                alternatives: alternatives.clone(),
            },
            SttEvent::TurnEnd { utterance, pause, probability } => {
                Self::TurnEnd { utterance: utterance.0, pause: *pause, probability: *probability }
            }
            SttEvent::MaybeEnd { utterance, probability } => {
                Self::MaybeEnd { utterance: utterance.0, probability: *probability }
            }
            SttEvent::Ready
            | SttEvent::SpeechHeard
            | SttEvent::Language(_)
            | SttEvent::Provider(_)
            | SttEvent::Used(_)
            | SttEvent::Lost { .. } => return None,
        })
    }

    fn from_reply(event: &ReplyEvent) -> Option<Self> {
        match event {
            ReplyEvent::Segment(s) => {
                Some(Self::Segment { turn: s.id.turn.0, index: s.id.index, text: s.text.clone() })
            }
            ReplyEvent::Done { turn, .. } => Some(Self::ReplyDone { turn: turn.0 }),
            _ => None,
        }
    }
}

impl JournalEntry {
    /// Passes every text through `screen`, so that the journal may leave the sensitive zone.
    pub fn redact(&mut self, mut screen: impl FnMut(&str) -> String) {
        match &mut self.what {
            Recorded::Interim { text, .. } | Recorded::Segment { text, .. } => *text = screen(text),
            Recorded::Final { text, alternatives, .. } => {
                *text = screen(text);
                for other in alternatives {
                    *other = screen(other);
                }
            }
            Recorded::Supervisor { act } => match act {
                Supervisor::Say { text, .. }
                | Supervisor::Answer { text, .. }
                | Supervisor::Release { note: Some(text), .. } => {
                    *text = screen(text);
                }
                Supervisor::Whisper { word, .. } => *word = word.map(screen),
                Supervisor::HangUp(_)
                | Supervisor::TakeOver { .. }
                | Supervisor::Release { .. }
                | Supervisor::ComeBack(_)
                | Supervisor::InLine(_)
                | Supervisor::YourTurn { .. } => {}
            },
            _ => {}
        }
    }
}

fn encode(frame: &AudioFrame) -> String {
    encode_audio(frame.bytes())
}

/// Base64 of mu-law bytes, as journals hold it.
#[must_use]
pub fn encode_audio(mulaw: &[u8]) -> String {
    base64_simd::STANDARD.encode_to_string(mulaw)
}

/// Mu-law bytes of base64, or `None` if it is damaged.
#[must_use]
pub fn decode_audio(audio: &str) -> Option<Vec<u8>> {
    base64_simd::STANDARD.decode_to_vec(audio).ok()
}

/// The frame that a journal line holds, or `None` if it is damaged.
#[must_use]
pub fn decode_frame(audio: &str) -> Option<AudioFrame> {
    let bytes = decode_audio(audio)?;
    <[u8; FRAME_BYTES]>::try_from(bytes).ok().map(AudioFrame)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn audio_survives_the_journal() {
        let frame = AudioFrame([0x5A; FRAME_BYTES]);
        let entry = JournalEntry { at_us: 20_000, what: Recorded::from_input(&Input::Frame(frame)).unwrap() };
        let line = serde_json::to_string(&entry).unwrap();
        let back: JournalEntry = serde_json::from_str(&line).unwrap();
        assert_eq!(back, entry);
        let Recorded::In { audio } = back.what else { panic!("not a frame") };
        assert_eq!(decode_frame(&audio), Some(frame));
        assert_eq!(decode_frame("AAAA"), None);
    }
}
