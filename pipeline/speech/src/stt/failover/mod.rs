//! Several recognisers as one: when one is lost in mid-utterance the next hears what was said again (of a long
//! utterance the last half minute, joined to the words that were heard before), and the preferred one comes back
//! between two utterances.
//!
//! This is the only owner of retries in recognition. The recognisers below say honestly that they are lost.

mod call;
mod join;
mod kept;

use std::time::Duration;

use tokio::sync::mpsc;

use call::Call;
use pipeline::ports::{Hearing, PortError, SpeechToText, SttStream};
use pipeline::provider::{Member, Ranked};

/// A provider that failed in a call is left alone for so long.
const REST: Duration = Duration::from_secs(20);

/// The operator's recognisers in order of preference.
#[derive(Debug)]
pub struct FailoverStt {
    ranked: Ranked<dyn SpeechToText>,
    rest: Duration,
}

impl FailoverStt {
    #[must_use]
    pub const fn new(ranked: Ranked<dyn SpeechToText>) -> Self {
        Self { ranked, rest: REST }
    }

    /// The same with another time for which a provider that failed is left alone within a call.
    #[must_use]
    pub fn with_rest(self, rest: Duration) -> Self {
        Self { rest, ..self }
    }

    /// The recognisers and their health.
    #[must_use]
    pub const fn ranked(&self) -> &Ranked<dyn SpeechToText> {
        &self.ranked
    }
}

impl SpeechToText for FailoverStt {
    /// The preferred recogniser's.
    fn name(&self) -> &'static str {
        self.ranked.members().first().map_or("no recogniser", Member::name)
    }

    fn open(&self, hearing: &Hearing) -> Result<SttStream, PortError> {
        let runtime = tokio::runtime::Handle::try_current().map_err(|_| PortError::Unavailable {
            what: "the recognisers were opened outside an async runtime".to_owned(),
            fix: "open them from the call's task".to_owned(),
        })?;
        let (commands, inbox) = mpsc::channel(256);
        let (outbox, events) = mpsc::channel(64);
        runtime.spawn(Call::new(self.ranked.clone(), self.rest, hearing.clone(), outbox).run(inbox));
        Ok(SttStream { commands, events })
    }
}

#[cfg(test)]
mod tests;
