//! The fail-over in virtual time, around recognisers that are lost when they are told to.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use telephony::media::AudioFrame;
use tokio::time::{Instant, sleep_until, timeout};

use super::*;
use pipeline::ports::{Language, SttCommand, SttEvent};
use pipeline::provider::{Failure, Kind};
use pipeline::turn::{Expectation, UtteranceId};

/// Frames of one word: half a second.
const WORD: usize = 25;
/// Fewer frames of a word than this are not understood.
const ENOUGH: usize = 15;

/// Hears word `n` in frames that hold nothing but `n`, and tells it when the next one has begun.
struct Counting {
    /// Frames after which it is lost.
    lives: usize,
}

impl Counting {
    fn words(heard: &[u8]) -> String {
        let runs = heard.chunk_by(|a, b| a == b);
        let word = |run: &[u8]| match run.len() {
            ENOUGH.. => format!("w{}", run[0]),
            _ => "mm".to_owned(),
        };
        runs.map(word).collect::<Vec<_>>().join(" ")
    }
}

impl SpeechToText for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn open(&self, _: &Hearing) -> Result<SttStream, PortError> {
        let (commands, mut inbox) = mpsc::channel(256);
        let (outbox, events) = mpsc::channel(64);
        let mut lives = self.lives;
        tokio::spawn(async move {
            let (mut heard, mut open) = (Vec::new(), None);
            while let Some(command) = inbox.recv().await {
                let told = match command {
                    SttCommand::Audio(_) if lives == 0 => {
                        let failure = Failure::new(Kind::Closed, "as planned");
                        let _ = outbox.send(SttEvent::Lost { failure }).await;
                        return;
                    }
                    SttCommand::Audio(frame) => {
                        lives -= 1;
                        heard.push(frame.0[0]);
                        let begins = heard.len() > 1 && heard[heard.len() - 2] != frame.0[0];
                        let text = Self::words(&heard[..heard.len() - 1]);
                        open.filter(|_| begins).map(|utterance| SttEvent::Interim { utterance, text })
                    }
                    SttCommand::SpeechStarted { utterance } => {
                        open = Some(utterance);
                        None
                    }
                    SttCommand::Pause { utterance, pause, .. } => {
                        let text = Self::words(&heard);
                        Some(SttEvent::Final {
                            utterance,
                            pause,
                            text,
                            confidence: 1.0,
                            alternatives: Vec::new(),
                            settled: true,
                        })
                    }
                    _ => None,
                };
                if let Some(event) = told
                    && outbox.send(event).await.is_err()
                {
                    return;
                }
            }
        });
        Ok(SttStream { commands, events })
    }
}

/// The text of one utterance of so many words without a pause, through recognisers that live so many frames each.
async fn heard(words: u8, lives: &[usize]) -> String {
    let names = ["a", "b", "c"];
    let members = lives.iter().zip(names).map(|(lives, name)| {
        Member::remote(name, Arc::new(Counting { lives: *lives }) as Arc<dyn SpeechToText>)
    });
    let chain = FailoverStt::new(Ranked::new(members.collect()));
    let mut stream = chain.open(&Hearing::from(Language::En)).unwrap();
    let (utterance, mut clock) = (UtteranceId(1), Instant::now());
    stream.commands.send(SttCommand::SpeechStarted { utterance }).await.unwrap();
    for n in 0..usize::from(words) * WORD {
        stream.commands.send(SttCommand::Audio(AudioFrame([(n / WORD) as u8; 160]))).await.unwrap();
        clock += Duration::from_millis(20);
        sleep_until(clock).await;
        while stream.events.try_recv().is_ok() {}
    }
    stream.commands.send(SttCommand::Pause { utterance, pause: 1, asked: Expectation::Open }).await.unwrap();
    let last = async {
        loop {
            if let SttEvent::Final { text, .. } = stream.events.recv().await.unwrap() {
                return text;
            }
        }
    };
    timeout(Duration::from_secs(30), last).await.unwrap()
}

fn all(words: u8) -> String {
    (0..words).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ")
}

#[tokio::test(start_paused = true)]
async fn an_utterance_longer_than_the_kept_audio_keeps_its_head_when_its_recogniser_is_lost() {
    // 50 s; the first is lost in the middle of a word after 45.
    assert_eq!(heard(100, &[2_255, usize::MAX]).await, all(100));
}

#[tokio::test(start_paused = true)]
async fn no_word_is_lost_when_the_second_recogniser_of_a_long_utterance_is_lost_as_well() {
    // 100 s. The second hears 30 s again and lives for 20 more; the third begins in the middle of its words.
    assert_eq!(heard(200, &[2_258, 1_500 + 1_003, usize::MAX]).await, all(200));
}

#[tokio::test(start_paused = true)]
async fn an_utterance_that_is_kept_whole_is_heard_again_from_its_beginning() {
    assert_eq!(heard(40, &[512, usize::MAX]).await, all(40));
}
