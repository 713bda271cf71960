//! The last voice: a few sentences recorded long before, for the hour when every other voice is down.
//!
//! They were rendered with the voice that comes with the gateway, so that a caller hears an apology even where only
//! voices outside this machine are configured and none of them answers, from the first call of a fresh install on.

use pipeline::ports::{Language, PortError, Saying, TextToSpeech, TtsCommand, TtsEvent, TtsStream};
use pipeline::provider::{Failure, Kind};
use pipeline::turn::ReplySegment;
use tokio::sync::mpsc;

/// Mu-law bytes in one event: 200 ms.
const PIECE: usize = 1_600;

/// Words and sound of each recording, in English. A test keeps the words equal to what is said today.
const RECORDINGS: [(&str, &[u8]); 4] = [
    (
        include_str!("../../data/clips/en-out-of-order.txt"),
        include_bytes!("../../data/clips/en-out-of-order.ulaw"),
    ),
    (include_str!("../../data/clips/en-call-back.txt"), include_bytes!("../../data/clips/en-call-back.ulaw")),
    (include_str!("../../data/clips/en-again.txt"), include_bytes!("../../data/clips/en-again.ulaw")),
    (include_str!("../../data/clips/en-busy.txt"), include_bytes!("../../data/clips/en-busy.ulaw")),
];

/// Says what was recorded, and nothing else.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recorded;

impl Recorded {
    /// Every sentence that there is in a language.
    #[must_use]
    pub fn texts(language: Language) -> Vec<String> {
        match language {
            Language::En => RECORDINGS.iter().map(|(text, _)| text.trim().to_owned()).collect(),
            Language::Es => Vec::new(),
        }
    }

    fn find(text: &str) -> Option<&'static [u8]> {
        RECORDINGS.iter().find(|(words, _)| words.trim() == text.trim()).map(|(_, sound)| *sound)
    }
}

impl TextToSpeech for Recorded {
    fn name(&self) -> &'static str {
        "recorded"
    }

    fn open(&self, _: &Saying) -> Result<TtsStream, PortError> {
        let (commands, mut inbox) = mpsc::channel(64);
        let (outbox, events) = mpsc::channel(64);
        tokio::spawn(async move {
            while let Some(command) = inbox.recv().await {
                let TtsCommand::Speak(segment) = command else { continue };
                if say(&outbox, segment).await.is_err() {
                    return;
                }
            }
        });
        Ok(TtsStream { commands, events })
    }
}

async fn say(
    outbox: &mpsc::Sender<TtsEvent>,
    segment: ReplySegment,
) -> Result<(), mpsc::error::SendError<TtsEvent>> {
    let id = segment.id;
    let Some(sound) = Recorded::find(&segment.text) else {
        let failure = Failure::new(Kind::Refused, "this was not recorded");
        return outbox.send(TtsEvent::Failed { segment: id, failure }).await;
    };
    for piece in sound.chunks(PIECE) {
        outbox.send(TtsEvent::Audio { segment: id, mulaw: piece.to_vec() }).await?;
    }
    outbox.send(TtsEvent::Done { segment: id, words: Vec::new() }).await
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use pipeline::session::Phrases;
    use pipeline::tts::lexicon::Lexicon;

    use super::super::notices::Notice;
    use super::super::{embedded, notices};
    use super::*;

    /// What is recorded, by the name of its file.
    fn wanted() -> [(&'static str, String); 4] {
        let phrases = Phrases::default();
        [
            ("en-out-of-order", phrases.out_of_order),
            ("en-call-back", phrases.call_back_promised),
            ("en-again", phrases.reply_failed),
            ("en-busy", Notice::Busy.text(Language::En).to_owned()),
        ]
    }

    #[test]
    fn what_is_recorded_is_what_is_said_today() {
        for (file, text) in wanted() {
            let sound = Recorded::find(&text);
            assert!(
                sound.is_some_and(|sound| sound.len() > 16_000),
                "data/clips/{file} has other words; render it: cargo nextest run -p gateway --run-ignored only \
                 the_recordings_are_rendered"
            );
        }
        assert_eq!(wanted().len(), RECORDINGS.len());
    }

    #[tokio::test]
    async fn other_words_fail_at_once() {
        let rendered = notices::render(&Recorded, Language::En, "Good morning.").await;
        assert!(rendered.is_err());
        let busy = notices::render(&Recorded, Language::En, Notice::Busy.text(Language::En)).await.unwrap();
        assert!(busy.len() > 16_000, "{}", busy.len());
    }

    #[tokio::test]
    #[ignore = "writes data/clips; needs the models"]
    async fn the_recordings_are_rendered() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let speech = embedded::speech(&root.join("../models")).await.unwrap();
        let voice = speech.voice().with_lexicon(Arc::new(Lexicon::new([])));
        for (file, text) in wanted() {
            let sound = notices::render(&voice, Language::En, &text).await.unwrap();
            let folder = root.join("data/clips");
            std::fs::write(folder.join(format!("{file}.ulaw")), sound).unwrap();
            std::fs::write(folder.join(format!("{file}.txt")), format!("{text}\n")).unwrap();
        }
    }
}
