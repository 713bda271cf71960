//! The last voice: a few sentences recorded long before, for the hour when every other voice is down.
//!
//! They were rendered with the voice that comes with the gateway, so that a caller hears an apology even where only
//! voices outside this machine are configured and none of them answers, from the first call of a fresh install on. That
//! voice speaks Spanish in a heavy accent: good enough for an apology in the language of the call, and for no more.

use pipeline::ports::{Language, PortError, Saying, TextToSpeech, TtsCommand, TtsEvent, TtsStream};
use pipeline::provider::{Failure, Kind};
use pipeline::turn::ReplySegment;
use tokio::sync::mpsc;

/// Mu-law bytes in one event: 200 ms.
const PIECE: usize = 1_600;

/// Words and sound of a recording.
type Recording = (&'static str, &'static [u8]);

macro_rules! recording {
    ($name:literal) => {
        (
            include_str!(concat!("../../data/clips/", $name, ".txt")),
            include_bytes!(concat!("../../data/clips/", $name, ".ulaw")),
        )
    };
}

/// A test keeps the words equal to what is said today.
const ENGLISH: [Recording; 4] = [
    recording!("en-out-of-order"),
    recording!("en-call-back"),
    recording!("en-again"),
    recording!("en-busy"),
];
const SPANISH: [Recording; 4] = [
    recording!("es-out-of-order"),
    recording!("es-call-back"),
    recording!("es-again"),
    recording!("es-busy"),
];

const fn recordings(language: Language) -> &'static [Recording] {
    match language {
        Language::En => &ENGLISH,
        Language::Es => &SPANISH,
    }
}

/// Says what was recorded, and nothing else.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recorded;

impl Recorded {
    /// Every sentence that there is in a language.
    #[must_use]
    pub fn texts(language: Language) -> Vec<String> {
        recordings(language).iter().map(|(text, _)| text.trim().to_owned()).collect()
    }

    fn find(text: &str) -> Option<&'static [u8]> {
        let mut all = ENGLISH.iter().chain(&SPANISH);
        all.find(|(words, _)| words.trim() == text.trim()).map(|(_, sound)| *sound)
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

    use pipeline::lexicon::Lexicon;
    use pipeline::session::Phrases;

    use super::super::notices::Notice;
    use super::super::{embedded, notices};
    use super::*;

    const BOTH: [Language; 2] = [Language::En, Language::Es];

    /// What is recorded in a language, by the name of its file.
    fn wanted(language: Language) -> [(String, String); 4] {
        let phrases = match language {
            Language::En => Phrases::default(),
            Language::Es => Phrases::spanish(),
        };
        let said = [
            ("out-of-order", phrases.out_of_order),
            ("call-back", phrases.call_back_promised),
            ("again", phrases.reply_failed),
            ("busy", Notice::Busy.text(language).to_owned()),
        ];
        said.map(|(name, text)| (format!("{}-{name}", language.code()), text))
    }

    #[test]
    fn what_is_recorded_in_each_language_is_what_is_said_today() {
        for language in BOTH {
            for (file, text) in wanted(language) {
                let sound = Recorded::find(&text).map(<[u8]>::len);
                // This voice speaks some 13 characters a second, and fewer in Spanish.
                let fits = |bytes: usize| (8_000 / 25..8_000 / 8).contains(&(bytes / text.chars().count()));
                assert!(
                    sound.is_some_and(fits),
                    "data/clips/{file} has other words ({sound:?}); render it: cargo nextest run -p gateway \
                     --run-ignored only the_recordings_are_rendered"
                );
                assert!(Recorded::texts(language).contains(&text), "{file}");
            }
            assert_eq!(wanted(language).len(), recordings(language).len());
        }
    }

    #[tokio::test]
    async fn other_words_fail_at_once() {
        let rendered = notices::render(&Recorded, Language::En, "Good morning.").await;
        assert!(rendered.is_err());
        for language in BOTH {
            let busy = notices::render(&Recorded, language, Notice::Busy.text(language)).await.unwrap();
            assert!(busy.len() > 16_000, "{}", busy.len());
        }
    }

    #[tokio::test]
    #[ignore = "writes data/clips; needs the models"]
    async fn the_recordings_are_rendered() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let speech = embedded::speech(&root.join("../models")).await.unwrap();
        let voice = speech.voice().with_lexicon(Arc::new(Lexicon::new([])));
        for language in BOTH {
            for (file, text) in wanted(language) {
                let sound = notices::render(&voice, language, &text).await.unwrap();
                let folder = root.join("data/clips");
                std::fs::write(folder.join(format!("{file}.ulaw")), sound).unwrap();
                std::fs::write(folder.join(format!("{file}.txt")), format!("{text}\n")).unwrap();
            }
        }
    }
}
