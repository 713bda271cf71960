//! Stand-ins for recogniser, synthesiser and responder with known timing, behind the same ports as the real ones.
//!
//! The caller's "speech" is any loud sound; the recogniser double answers with the next of its texts. Nothing here
//! is part of the product.

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::Mutex;
use pipeline::ports::{
    AfterReply, CallBrief, Hearing, PortError, ReplyCommand, ReplyEvent, ReplyStream, Responder, Saying,
    SpeechToText, SttCommand, SttEvent, SttStream, TextToSpeech, TtsCommand, TtsEvent, TtsStream, TurnInput,
    VoiceActivity,
};
use pipeline::turn::{Expectation, ReplySegment, SegmentId, SegmentKind, TurnId, UtteranceId};
use telephony::media::AudioFrame;
use tokio::sync::mpsc;
use tokio::time::sleep;

/// Loud means speech.
#[derive(Debug, Default)]
pub struct EnergyVad {
    samples: usize,
    loud: usize,
}

impl VoiceActivity for EnergyVad {
    fn push(&mut self, frame: &AudioFrame) -> Option<f32> {
        // Mu-law codes are louder the further their low seven bits are from all ones.
        self.loud += frame.bytes().iter().filter(|b| (!**b & 0x7F) > 0x30).count();
        self.samples += frame.bytes().len();
        if self.samples < 256 {
            return None;
        }
        let score = if self.loud * 2 > self.samples { 0.95 } else { 0.02 };
        self.samples -= 256;
        self.loud = 0;
        Some(score)
    }
}

/// Recogniser that gives its texts in order, one an utterance, on every call anew.
#[derive(Debug, Clone)]
pub struct ScriptedRecogniser {
    pub texts: Vec<String>,
    /// From pause to final.
    pub final_after: Duration,
    /// From pause to end-of-turn judgement, and the judgement.
    pub turn_end_after: Duration,
    pub complete: f32,
}

impl ScriptedRecogniser {
    #[must_use]
    pub fn new(texts: &[&str]) -> Self {
        Self {
            texts: texts.iter().map(|t| (*t).to_owned()).collect(),
            final_after: Duration::from_millis(80),
            turn_end_after: Duration::from_millis(50),
            complete: 0.95,
        }
    }

    fn text(&self, utterance: UtteranceId) -> String {
        let index = utterance.0.saturating_sub(1) as usize;
        self.texts.get(index).cloned().unwrap_or_else(|| "I have another question.".to_owned())
    }
}

impl SpeechToText for ScriptedRecogniser {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn open(&self, _language: &Hearing) -> Result<SttStream, PortError> {
        let (commands, inbox) = mpsc::channel(256);
        let (outbox, events) = mpsc::channel(64);
        tokio::spawn(recognise(self.clone(), inbox, outbox));
        Ok(SttStream { commands, events })
    }
}

async fn recognise(
    script: ScriptedRecogniser,
    mut inbox: mpsc::Receiver<SttCommand>,
    outbox: mpsc::Sender<SttEvent>,
) {
    let mut speaking: Option<(UtteranceId, usize)> = None;
    while let Some(command) = inbox.recv().await {
        match command {
            SttCommand::Audio(_) => {
                let Some((utterance, frames)) = &mut speaking else { continue };
                *frames += 1;
                if *frames % 10 == 0 {
                    let text = script.text(*utterance);
                    let words = text.split_whitespace().take(*frames / 10);
                    let text = words.collect::<Vec<_>>().join(" ");
                    let _ = outbox.try_send(SttEvent::Interim { utterance: *utterance, text });
                }
            }
            SttCommand::SpeechStarted { utterance } | SttCommand::Resumed { utterance } => {
                speaking = Some((utterance, 0));
            }
            SttCommand::Pause { utterance, pause, .. } => {
                speaking = None;
                tokio::spawn(answer_pause(script.clone(), outbox.clone(), utterance, pause));
            }
            SttCommand::Ended { .. } => speaking = None,
            SttCommand::Language(_) => {}
        }
    }
}

async fn answer_pause(
    script: ScriptedRecogniser,
    outbox: mpsc::Sender<SttEvent>,
    utterance: UtteranceId,
    pause: u32,
) {
    sleep(script.turn_end_after).await;
    let _ = outbox.try_send(SttEvent::TurnEnd { utterance, pause, probability: script.complete });
    sleep(script.final_after.saturating_sub(script.turn_end_after)).await;
    let text = script.text(utterance);
    let _ = outbox.try_send(SttEvent::Final {
        utterance,
        pause,
        text,
        confidence: 0.95,
        alternatives: Vec::new(),
        settled: true,
    });
}

/// Synthesiser that hums: so many milliseconds for each letter.
#[derive(Debug, Clone)]
pub struct HummingVoice {
    pub first_after: Duration,
    pub letter_ms: usize,
    /// What is heard instead of the hum, over and over, mu-law.
    pub recorded: Option<&'static [u8]>,
}

impl Default for HummingVoice {
    fn default() -> Self {
        Self { first_after: Duration::from_millis(60), letter_ms: 50, recorded: None }
    }
}

impl TextToSpeech for HummingVoice {
    fn name(&self) -> &'static str {
        "humming"
    }

    fn open(&self, _language: &Saying) -> Result<TtsStream, PortError> {
        let (commands, inbox) = mpsc::channel(64);
        let (outbox, events) = mpsc::channel(64);
        tokio::spawn(hum(self.clone(), inbox, outbox));
        Ok(TtsStream { commands, events })
    }
}

async fn hum(voice: HummingVoice, mut inbox: mpsc::Receiver<TtsCommand>, outbox: mpsc::Sender<TtsEvent>) {
    let mut cancelled: Option<TurnId> = None;
    while let Some(command) = inbox.recv().await {
        match command {
            TtsCommand::Cancel { turn } => cancelled = Some(turn),
            TtsCommand::Language(_) => {}
            TtsCommand::Speak(segment) if cancelled == Some(segment.id.turn) => {}
            TtsCommand::Speak(ReplySegment { id, text, .. }) => {
                sleep(voice.first_after).await;
                let length = text.len() * voice.letter_ms * 8;
                let wave: Vec<u8> = match voice.recorded {
                    Some(recorded) => recorded.iter().copied().cycle().take(length).collect(),
                    None => (0..length).map(|i| 0x90 | (i % 8) as u8).collect(),
                };
                for piece in wave.chunks(1_600) {
                    if outbox.send(TtsEvent::Audio { segment: id, mulaw: piece.to_vec() }).await.is_err() {
                        return;
                    }
                }
                let _ = outbox.send(TtsEvent::Done { segment: id, words: Vec::new() }).await;
            }
        }
    }
}

/// What a scripted responder says to one input.
#[derive(Debug, Clone)]
pub struct Answer {
    pub segments: Vec<String>,
    pub expects: Expectation,
    pub then: AfterReply,
}

impl Answer {
    #[must_use]
    pub fn say(texts: &[&str]) -> Self {
        Self {
            segments: texts.iter().map(|t| (*t).to_owned()).collect(),
            expects: Expectation::Open,
            then: AfterReply::Listen,
        }
    }
}

type Script = dyn Fn(&TurnInput) -> Answer + Send + Sync;

/// Responder that answers by a function of the input alone.
pub struct ScriptedResponder {
    script: std::sync::Arc<Script>,
    pub think: Duration,
    /// Inputs of all calls, as they were committed.
    pub committed: std::sync::Arc<Mutex<VecDeque<TurnInput>>>,
}

impl std::fmt::Debug for ScriptedResponder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ScriptedResponder")
    }
}

impl ScriptedResponder {
    pub fn new(script: impl Fn(&TurnInput) -> Answer + Send + Sync + 'static) -> Self {
        Self {
            script: std::sync::Arc::new(script),
            think: Duration::from_millis(2),
            committed: std::sync::Arc::default(),
        }
    }
}

impl Responder for ScriptedResponder {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn open(&self, _call: CallBrief) -> Result<ReplyStream, PortError> {
        let (commands, mut inbox) = mpsc::channel(32);
        let (outbox, events) = mpsc::channel(64);
        let (script, think, committed) = (self.script.clone(), self.think, self.committed.clone());
        tokio::spawn(async move {
            let mut guess: Option<(TurnId, TurnInput)> = None;
            while let Some(command) = inbox.recv().await {
                match command {
                    ReplyCommand::Start { turn, input, speculative } => {
                        let answer = script(&input);
                        if speculative {
                            guess = Some((turn, input));
                        } else {
                            committed.lock().push_back(input);
                        }
                        sleep(think).await;
                        if reply(&outbox, turn, answer).await.is_err() {
                            return;
                        }
                    }
                    ReplyCommand::Commit { turn } => {
                        if let Some((_, input)) = guess.take_if(|(t, _)| *t == turn) {
                            committed.lock().push_back(input);
                        }
                    }
                    ReplyCommand::Cancel { .. }
                    | ReplyCommand::Heard(_)
                    | ReplyCommand::TakenBack { .. }
                    | ReplyCommand::Language(_)
                    | ReplyCommand::Told(_)
                    | ReplyCommand::Overheard(_) => {}
                }
            }
        });
        Ok(ReplyStream { commands, events })
    }
}

async fn reply(
    outbox: &mpsc::Sender<ReplyEvent>,
    turn: TurnId,
    answer: Answer,
) -> Result<(), mpsc::error::SendError<ReplyEvent>> {
    for (index, text) in answer.segments.into_iter().enumerate() {
        let id = SegmentId { turn, index: u16::try_from(index).unwrap_or(u16::MAX) };
        let segment = ReplySegment { id, text, kind: SegmentKind::Reply, fixed: false };
        outbox.send(ReplyEvent::Segment(segment)).await?;
    }
    outbox.send(ReplyEvent::Done { turn, expects: answer.expects, then: answer.then }).await
}
