//! Several voices as one: a segment that fails, breaks off or does not come at all is given to the next voice within the
//! turn, and the preferred voice comes back at the next turn. One that is only late is asked of the same voice once more
//! first: another voice in the middle of a call is the last resort.
//!
//! A standby is opened when it is first needed: a stream of each for each call would take up connections that vendors
//! count, for nothing in almost every call. What makes it quick then is the vendor's pool of warm connections.
//!
//! This is the only owner of retries in synthesis. The voices below say honestly that they failed.

mod call;
mod segment;
mod streams;

use tokio::sync::mpsc;

use call::Call;
use pipeline::ports::{PortError, Saying, TextToSpeech, TtsStream};
use pipeline::provider::{Deadlines, Member, Ranked};
use streams::Streams;

/// The operator's voices in order of preference.
#[derive(Debug)]
pub struct FailoverTts {
    ranked: Ranked<dyn TextToSpeech>,
    deadlines: Deadlines,
}

impl FailoverTts {
    #[must_use]
    pub fn new(ranked: Ranked<dyn TextToSpeech>) -> Self {
        Self { ranked, deadlines: Deadlines::TTS }
    }

    /// The same with other deadlines.
    #[must_use]
    pub fn with_deadlines(self, deadlines: Deadlines) -> Self {
        Self { deadlines, ..self }
    }

    /// The voices and their health.
    #[must_use]
    pub fn ranked(&self) -> &Ranked<dyn TextToSpeech> {
        &self.ranked
    }
}

impl TextToSpeech for FailoverTts {
    /// The preferred voice's.
    fn name(&self) -> &'static str {
        self.ranked.members().first().map_or("no voice", Member::name)
    }

    fn open(&self, saying: &Saying) -> Result<TtsStream, PortError> {
        let runtime = tokio::runtime::Handle::try_current().map_err(|_| PortError::Unavailable {
            what: "the voices were opened outside an async runtime".to_owned(),
            fix: "open them from the call's task".to_owned(),
        })?;
        let mut streams = Streams::new(self.ranked.clone(), saying.clone());
        streams.open_first(saying.language)?;
        let (commands, inbox) = mpsc::channel(64);
        let (outbox, events) = mpsc::channel(64);
        let call = Call::new(self.ranked.clone(), self.deadlines, saying.clone(), streams);
        runtime.spawn(call.run(inbox, outbox));
        Ok(TtsStream { commands, events })
    }
}

#[cfg(test)]
mod tests;
