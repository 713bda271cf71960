//! The streams of one call's voices: opened as they are needed, asked, cancelled and listened to.

use std::sync::Arc;
use std::task::Poll;

use tokio::sync::mpsc::error::TrySendError;

use crate::tts::progress::Progress;
use pipeline::ports::{Language, PortError, Saying, TextToSpeech, TtsCommand, TtsEvent, TtsStream};
use pipeline::provider::{Failure, Kind, Ranked};
use pipeline::turn::{ReplySegment, SegmentId, TurnId, WordTime};

/// Cancelled turns that a stream is remembered for.
const REMEMBERED: usize = 8;

/// One stream of one provider. What comes of another stream of the same provider is not this one's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Voice {
    /// Place in the ranking.
    pub member: usize,
    number: u32,
}

/// All streams of a call.
pub(super) struct Streams {
    ranked: Ranked<dyn TextToSpeech>,
    saying: Saying,
    open: Vec<Open>,
    last: u32,
}

struct Open {
    voice: Voice,
    language: Language,
    stream: TtsStream,
    progress: Progress,
    /// Turns that were cancelled here. What still comes of one could be taken for what is asked anew.
    cancelled: Vec<TurnId>,
}

impl Streams {
    pub fn new(ranked: Ranked<dyn TextToSpeech>, saying: Saying) -> Self {
        Self { ranked, saying, open: Vec::new(), last: 0 }
    }

    /// Opens the first provider that speaks a language and is well; when none of those does, the first that does.
    ///
    /// # Errors
    /// Why the last one does not, when none does.
    pub fn open_first(&mut self, language: Language) -> Result<(), PortError> {
        let ranked = self.ranked.clone();
        let (well, unwell): (Vec<usize>, Vec<usize>) =
            (0..ranked.members().len()).partition(|at| ranked.members()[*at].is_well());
        let mut refused = PortError::Unavailable {
            what: "no voice is configured".to_owned(),
            fix: "name one in the list of voices".to_owned(),
        };
        for member in well.into_iter().chain(unwell) {
            match self.voice(member, language) {
                Ok(_) => return Ok(()),
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }

    /// The newest stream of a provider in a language, opened if there is none.
    pub fn voice(&mut self, member: usize, language: Language) -> Result<Voice, PortError> {
        let known = self.open.iter().rfind(|o| o.voice.member == member && o.language == language);
        match known {
            Some(open) => Ok(open.voice),
            None => self.open(member, language),
        }
    }

    /// A further stream of a provider, which is asked from now on.
    ///
    /// # Errors
    /// Why there is none.
    pub fn renew(&mut self, member: usize, language: Language) -> Result<Voice, PortError> {
        self.open(member, language)
    }

    fn open(&mut self, member: usize, language: Language) -> Result<Voice, PortError> {
        let Some(provider) = self.ranked.members().get(member).map(|m| &m.provider) else {
            return Err(PortError::Full("the list of voices"));
        };
        let saying = Saying { language, lexicon: Arc::clone(&self.saying.lexicon) };
        let progress = Progress::default();
        let stream = progress.follow(|| provider.open(&saying))?;
        self.last = self.last.wrapping_add(1);
        let voice = Voice { member, number: self.last };
        self.open.push(Open { voice, language, stream, progress, cancelled: Vec::new() });
        Ok(voice)
    }

    /// Asks a provider for a segment.
    pub fn speak(
        &mut self,
        member: usize,
        language: Language,
        segment: &ReplySegment,
    ) -> Result<Voice, Failure> {
        let unopened = |_| Failure::new(Kind::Refused, "does not open for this language");
        let mut voice = self.voice(member, language).map_err(unopened)?;
        if self.find(voice).is_some_and(|open| open.cancelled.contains(&segment.id.turn)) {
            voice = self.open(member, language).map_err(unopened)?;
        }
        let Some(open) = self.find(voice) else {
            return Err(Failure::new(Kind::Closed, "the voice is gone"));
        };
        match open.stream.commands.try_send(TtsCommand::Speak(segment.clone())) {
            Ok(()) => Ok(voice),
            Err(TrySendError::Full(_)) => Err(Failure::stalled("took no text")),
            Err(TrySendError::Closed(_)) => {
                self.close(voice);
                Err(Failure::new(Kind::Closed, "the voice's task ended"))
            }
        }
    }

    /// Drops whatever a provider has in hand of a turn.
    pub fn cancel(&mut self, voice: Voice, turn: TurnId) {
        let Some(open) = self.find(voice) else { return };
        if open.cancelled.len() >= REMEMBERED {
            open.cancelled.remove(0);
        }
        open.cancelled.push(turn);
        if open.stream.commands.try_send(TtsCommand::Cancel { turn }).is_err() {
            self.close(voice);
        }
    }

    /// The turn is over for everybody.
    pub fn cancel_all(&mut self, turn: TurnId) {
        let voices: Vec<Voice> = self.open.iter().map(|open| open.voice).collect();
        voices.into_iter().for_each(|voice| self.cancel(voice, turn));
    }

    /// What a provider told of a segment's words, if it tells any before the end.
    pub fn progress(&mut self, voice: Voice, id: SegmentId) -> Option<Vec<WordTime>> {
        self.find(voice)?.progress.take(id)
    }

    pub fn close(&mut self, voice: Voice) {
        self.open.retain(|open| open.voice != voice);
    }

    /// Closes streams that a newer one or another language has replaced, but for those that are still at work.
    pub fn trim(&mut self, language: Language, at_work: impl Fn(Voice) -> bool) {
        let newest: Vec<(usize, Language, u32)> =
            self.open.iter().map(|o| (o.voice.member, o.language, o.voice.number)).collect();
        self.open.retain(|open| {
            let replaced = newest
                .iter()
                .any(|(m, l, n)| (*m, *l) == (open.voice.member, open.language) && *n > open.voice.number);
            at_work(open.voice) || (open.language == language && !replaced)
        });
    }

    /// The next event of any of them. `None`: that stream has ended. Cancel-safe.
    pub async fn next(&mut self) -> (Voice, Option<TtsEvent>) {
        std::future::poll_fn(|context| {
            for open in &mut self.open {
                if let Poll::Ready(event) = open.stream.events.poll_recv(context) {
                    return Poll::Ready((open.voice, event));
                }
            }
            Poll::Pending
        })
        .await
    }

    fn find(&mut self, voice: Voice) -> Option<&mut Open> {
        self.open.iter_mut().find(|open| open.voice == voice)
    }
}
