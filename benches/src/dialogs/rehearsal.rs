//! The same callers without the line: their words go to the desk as text, or as the recognisers write down what they
//! say. Nothing of turn taking and no times are in it, and a call takes seconds: for whoever works on understanding.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use chrono::{TimeDelta, Utc};
use gateway::scenario::evidence::Turn;
use pipeline::audio::g711::mulaw_to_f32;
use pipeline::audio::level::{FLOOR_DBFS, mulaw_dbfs};
use pipeline::audio::resample::to_16k;
use pipeline::ports::{
    AfterReply, CallBrief, Language as Tongue, ReplyCommand, ReplyEvent, ReplyStream, TurnInput,
};
use pipeline::turn::{CallId, Expectation, Heard, TurnId};
use speech::runtime;
use speech::stt::choice::{Hypothesis, believes_spanish, choose};
use speech::stt::clean::{clean, is_too_much};
use speech::stt::moonshine::{Moonshine, Vocabulary};
use speech::stt::tongue;
use speech::stt::whisper::{Lexis, Whisper};
use telephony::media::AudioFrame;
use uuid::Uuid;

use super::house::{House, LINE};
use super::line::Spoilt;
use super::mind::{Farewell, Mind, Move, Saying};
use super::set::{Act, Scenario};
use super::talk::{Call, Studio};
use super::track::{Ended, Record, Reply, Spoken};
use super::utterance::{Piece, Utterance};
use super::voices::{Sound, Voice};

/// Silence around the first ear's audio, samples at 8 kHz.
const PADDING: usize = 400;
/// A pause within an utterance is heard this long at most: longer ones end what the recognisers take at a time.
const PAUSE: usize = 4_000;
/// Lines that the second ear follows at a time.
const WIDTH: usize = 3;
/// Words of less confidence are unclear, as in a call.
const UNSURE_BELOW: f32 = 0.6;
/// Frames between what one side says and the other: only their order counts.
const STEP: usize = 50;
/// Turns of a call that would not end.
const LONGEST: usize = 60;
/// Longest wait for a reply.
const REPLY: std::time::Duration = std::time::Duration::from_secs(20);

/// Both recognisers, without a call around them.
#[derive(Debug)]
pub struct Ears {
    first: Moonshine,
    second: Whisper,
}

/// An utterance as it reaches the desk.
struct Words {
    input: TurnInput,
    language: Option<Tongue>,
    /// As a transcript has it.
    text: String,
}

impl Ears {
    /// # Errors
    /// A model is missing or corrupt.
    pub fn load(models: &Path) -> Result<Self> {
        let _environment = runtime::environment(models).map_err(|e| anyhow!("{e}"))?;
        let vocabulary = Vocabulary::load(models).map_err(|e| anyhow!("{e}"))?;
        let lexis = Lexis::load(models).map_err(|e| anyhow!("{e}"))?;
        Ok(Self {
            first: Moonshine::load(models, vocabulary).map_err(|e| anyhow!("{e}"))?,
            second: Whisper::load(models, lexis).map_err(|e| anyhow!("{e}"))?,
        })
    }

    /// Writes down what came over a line.
    fn hear(&mut self, line: &[u8], asked: Expectation, believed: &mut tongue::Tongue) -> Result<Words> {
        let seconds = line.len() as f32 / 8_000.0;
        let loudest = line.chunks(800).map(mulaw_dbfs).fold(FLOOR_DBFS, f32::max);
        let tidy = |text: &str, confidence: f32| {
            let text = clean(text, confidence, loudest);
            if is_too_much(&text, seconds) { String::new() } else { text }
        };
        let mut padded = vec![0.0; PADDING];
        mulaw_to_f32(line, &mut padded);
        let bare = to_16k(&padded[PADDING..]);
        padded.resize(padded.len() + PADDING, 0.0);
        let told = *believed;
        let of = move |spanish: f32| told.of(spanish, seconds);
        let two = self.second.hear(&bare, WIDTH, &of, &|| false)?.context("stopped")?;
        let hypothesis =
            |text: String, confidence, looped| Hypothesis { text, confidence, looped, unknown: 0.0 };
        let second = hypothesis(tidy(&two.text, two.confidence), two.confidence, two.looped);
        let mut others: Vec<String> = std::iter::once(&second.text).chain(&two.others).cloned().collect();
        let (text, confidence, language) = if told.believed() == Tongue::Es && two.language == Tongue::Es {
            (second.text, second.confidence, Tongue::Es)
        } else {
            let one = self.first.transcribe(&to_16k(&padded), &|| false)?.context("stopped")?;
            let first = hypothesis(tidy(&one.text, one.confidence), one.confidence, false);
            others.push(first.text.clone());
            if two.language == Tongue::Es && believes_spanish(&first, &second) {
                (second.text, second.confidence, Tongue::Es)
            } else if two.language == Tongue::Es {
                (first.text, first.confidence, Tongue::En)
            } else {
                let chosen = choose(&first, &second, asked);
                (chosen.text, chosen.confidence, Tongue::En)
            }
        };
        let language = believed.heard(language, &text, confidence);
        let input = if text.is_empty() {
            TurnInput::Unintelligible
        } else {
            let alternatives = if confidence < UNSURE_BELOW || asked != Expectation::Open {
                others.retain(|other| !other.is_empty() && *other != text);
                others
            } else {
                Vec::new()
            };
            TurnInput::Said { text: text.clone(), unsure: confidence < UNSURE_BELOW, alternatives }
        };
        Ok(Words { input, language, text })
    }
}

/// Holds the call of one scenario by text, or with `ears` by what they write down. `from`: the caller's number.
///
/// # Errors
/// The desk does not answer, or a sentence cannot be spoken.
pub async fn rehearse(
    studio: &Studio,
    mut ears: Option<&mut Ears>,
    scenario: &Scenario,
    from: &str,
    seed: u64,
) -> Result<Call> {
    let call = CallId(Uuid::now_v7());
    let mut desk = Desk::open(&studio.house, call, from).await?;
    let mut mind = Mind::new(scenario, &studio.cues, from);
    let mut line = Spoilt::new(scenario.line, &studio.others, seed);
    let mut believed = tongue::Tongue::default();
    let mut pages = Pages::new();
    let greeting = desk.turn(TurnInput::Opened).await?;
    pages.agent(&greeting);
    let mut saying = Some(mind.opening());
    while let Some(said) = saying.take() {
        let words = match ears.as_deref_mut() {
            Some(ears) if !is_keys(&said.utterance) => {
                let sound = spoken(studio, scenario, &said.utterance, &mut line)?;
                ears.hear(&sound, desk.expects, &mut believed)?
            }
            _ => plainly(&said.utterance),
        };
        pages.caller(&said, &words.text);
        if let Some(language) = words.language {
            desk.send(ReplyCommand::Language(language)).await?;
        }
        let heard = desk.turn(words.input).await?;
        pages.agent(&heard);
        saying = match pages.next(&mut mind, &heard) {
            Some(Move::Say(next)) if desk.listens => Some(next),
            Some(Move::HangUp(farewell)) => {
                pages.record.ended = match farewell {
                    Farewell::Done => Ended::Caller,
                    Farewell::GaveUp => Ended::GaveUp,
                    Farewell::Abrupt => Ended::Abrupt,
                };
                None
            }
            _ => None,
        };
    }
    desk.close().await;
    let filed = studio.house.left_by(storage::CallId(call.0)).await?;
    let Pages { mut record, transcript, .. } = pages;
    record.heard = vec![AudioFrame::SILENCE; record.spoken.len() * 4 * STEP];
    Ok(Call { record, transcript, filed })
}

fn is_keys(utterance: &Utterance) -> bool {
    utterance.pieces.iter().any(|piece| matches!(piece, Piece::Keys(_)))
}

fn plainly(utterance: &Utterance) -> Words {
    let keys: String = utterance
        .pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Keys(keys) => Some(keys.iter().collect::<String>()),
            Piece::Words(_) | Piece::Pause(_) => None,
        })
        .collect();
    if !keys.is_empty() {
        let digits = keys.trim_end_matches('#').to_owned();
        return Words { text: digits.clone(), input: TurnInput::Digits { digits }, language: None };
    }
    let text = utterance.text();
    Words { input: TurnInput::said(&text), language: language::language_of(&text), text }
}

/// An utterance as it comes over the scenario's line, mu-law at 8 kHz.
fn spoken(studio: &Studio, scenario: &Scenario, utterance: &Utterance, line: &mut Spoilt) -> Result<Vec<u8>> {
    let voice = Voice::of(scenario.language, scenario.voice);
    let mut pcm = Vec::new();
    for sound in studio.booth.sounds(voice, utterance)? {
        match sound {
            Sound::Speech(speech) => pcm.extend(speech),
            Sound::Pause(samples) => pcm.resize(pcm.len() + samples.min(PAUSE), 0.0),
            Sound::Keys(_) => {}
        }
    }
    let frames = pcm.chunks(telephony::media::FRAME_BYTES);
    Ok(frames.flat_map(|frame| line.frame(frame, &AudioFrame::SILENCE).0).collect())
}

/// The agent's side, as the pipeline would use it.
struct Desk {
    stream: ReplyStream,
    turns: u32,
    expects: Expectation,
    listens: bool,
}

impl Desk {
    async fn open(house: &House, call: CallId, from: &str) -> Result<Self> {
        let (responder, tenant) = house.responder().await?;
        let brief = CallBrief {
            spoken: vec![Tongue::En, Tongue::Es],
            recalled: Vec::new(),
            outbound: false,
            reminder: None,
            follow_up: None,
            consent: Default::default(),
            hand_over: Default::default(),
            call,
            tenant,
            passport: Uuid::now_v7(),
            caller: Some(from.to_owned()),
            line: LINE.into(),
            language: Tongue::En,
        };
        let stream = responder.open(brief).map_err(|e| anyhow!("{e}"))?;
        Ok(Self { stream, turns: 0, expects: Expectation::Open, listens: true })
    }

    async fn send(&self, command: ReplyCommand) -> Result<()> {
        self.stream.commands.send(command).await.map_err(|_| anyhow!("the desk is gone"))
    }

    /// One turn, heard to its end.
    async fn turn(&mut self, input: TurnInput) -> Result<String> {
        let turn = TurnId(self.turns);
        self.turns += 1;
        anyhow::ensure!((self.turns as usize) < LONGEST, "the call would not end");
        self.send(ReplyCommand::Start { turn, input, speculative: false }).await?;
        let mut text = String::new();
        loop {
            match tokio::time::timeout(REPLY, self.stream.events.recv()).await {
                Ok(Some(ReplyEvent::Segment(segment))) => {
                    text.push_str(segment.text.trim());
                    text.push(' ');
                }
                Ok(Some(ReplyEvent::Done { expects, then, .. })) => {
                    self.expects = expects;
                    self.listens = then == AfterReply::Listen;
                    break;
                }
                Ok(Some(ReplyEvent::Failed { reason, .. })) => bail!("the reply failed: {reason}"),
                Ok(Some(_)) => {}
                Ok(None) => bail!("the desk is gone"),
                Err(_) => bail!("no reply within {REPLY:?}"),
            }
        }
        let text = text.trim().to_owned();
        let heard = Heard { turn, text: text.clone(), complete: true, estimated: false };
        self.send(ReplyCommand::Heard(heard)).await?;
        Ok(text)
    }

    /// Ends the call: what was begun is filed as it stands.
    async fn close(self) {
        let ReplyStream { commands, mut events } = self.stream;
        drop(commands);
        let over = async { while events.recv().await.is_some() {} };
        let _ = tokio::time::timeout(REPLY, over).await;
    }
}

/// Both sides as a judge reads them: one thing after the other.
struct Pages {
    record: Record,
    transcript: Vec<Turn>,
    replies: usize,
    at: usize,
}

impl Pages {
    fn new() -> Self {
        Self { record: Record::new(Utc::now()), transcript: Vec::new(), replies: 0, at: 0 }
    }

    fn write(&mut self, speaker: &str, text: &str) {
        let step = |frames: usize| TimeDelta::milliseconds(20 * i64::try_from(frames).unwrap_or(0));
        let started_at = self.record.began + step(self.at);
        self.transcript.push(Turn {
            turn: self.transcript.len() as u64,
            speaker: speaker.to_owned(),
            text: text.to_owned(),
            started_at,
            ended_at: Some(started_at + step(STEP)),
            interrupted: false,
            heard_text: None,
        });
    }

    fn agent(&mut self, text: &str) {
        self.at += 2 * STEP;
        self.write("agent", text);
        let reply = Reply { text: text.to_owned(), ..Reply::new(self.replies, self.at) };
        self.record.replies.push(reply);
    }

    fn caller(&mut self, saying: &Saying, text: &str) {
        self.at += 2 * STEP;
        self.replies += 1;
        self.write("caller", text);
        let mut spoken = Spoken::new(&saying.kind, saying.utterance.written(), saying.again, self.at);
        spoken.voiced = vec![self.at, self.at + STEP];
        spoken.last = self.at + STEP;
        self.record.spoken.push(spoken);
    }

    /// What the caller does about the reply just heard. Sounds over a reply are left out; who would interrupt answers.
    fn next(&self, mind: &mut Mind<'_>, text: &str) -> Option<Move> {
        while let Some((at, deed)) = mind.timed(self.replies, Some(text), u64::MAX) {
            let said = mind.perform(at);
            match (deed.act, said) {
                (Act::HangUp, _) => return Some(Move::HangUp(Farewell::Abrupt)),
                (Act::Interrupt, Some(said)) => return Some(Move::Say(said)),
                _ => {}
            }
        }
        match mind.answer(text, self.replies) {
            // Nothing more comes.
            Move::Wait => Some(mind.answer("", self.replies)),
            other => Some(other),
        }
    }
}
