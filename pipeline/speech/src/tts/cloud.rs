//! What the voices of vendors have in common: a task per call that turns segments into messages and messages into
//! audio, in order, within deadlines.
//!
//! What is said on the wire is a vendor's own ([`Dialect`], pure); everything that waits is here.

mod call;
mod link;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::alignment::CharTime;
pub(super) use link::{Dial, Health};

use pipeline::ports::{Language, PortError, Saying, TtsStream};
use pipeline::provider::socket::Incoming;
use pipeline::provider::warm::Pool;
use pipeline::provider::{Deadlines, Failure};
use pipeline::turn::SegmentId;

/// Idle connections kept for each voice.
const WARM: usize = 1;
/// Greatest age of one that is still idle.
const WARM_AGE: Duration = Duration::from_secs(240);

/// How one connection to a vendor is spoken on. Pure: messages in, messages out.
pub(super) trait Dialect: Default + Send + 'static {
    /// Messages that ask for a text. `None`: not now, the connection has as much in hand as it takes.
    fn ask(&mut self, serial: u32, id: SegmentId, text: &str, now: Instant) -> Option<Vec<String>>;

    /// Messages that stop what was asked under these numbers. More may still come of it; nobody listens.
    fn stop(&mut self, serials: &[u32]) -> Vec<String>;

    /// What a message means.
    fn hear(&mut self, message: &Incoming, told: &mut Vec<Told>);

    /// Messages that what was heard calls for, once each.
    fn owed(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// The connection has served as much as the vendor allows for now: the next segment goes to a fresh one.
    fn is_worn(&self, _now: Instant) -> bool {
        false
    }
}

/// What a vendor's message means. `serial` is the number under which the text was asked for.
#[derive(Debug, PartialEq)]
pub(super) enum Told {
    /// Times count from the beginning of this audio.
    Audio {
        serial: u32,
        mulaw: Vec<u8>,
        times: Vec<CharTime>,
    },
    Done {
        serial: u32,
    },
    /// `None`: all that was asked on this connection.
    Failed {
        serial: Option<u32>,
        failure: Failure,
    },
}

/// A voice of a vendor, for all calls.
pub(super) struct CloudVoice<D> {
    vendor: Arc<Vendor>,
    dialect: PhantomData<fn() -> D>,
}

/// What is known of a vendor and its voices.
pub(super) struct Vendor {
    pub name: &'static str,
    pub deadlines: Deadlines,
    pub keep_alive: Option<(Duration, &'static str)>,
    pub health: Health,
    pub offers: Vec<Offer>,
}

/// The voice for one language.
pub(super) struct Offer {
    pub language: Language,
    /// As it stands in the price table.
    pub model: String,
    /// Tells this voice from every other; part of the key of rendered phrases.
    pub identity: String,
    /// Languages that share a voice share its connections.
    pub pool: Arc<Pool<Dial>>,
}

impl Vendor {
    pub fn offer(&self, language: Language) -> Option<&Offer> {
        self.offers.iter().find(|offer| offer.language == language)
    }
}

/// A pool of connections of the usual size.
pub(super) fn pool(dial: Dial) -> Arc<Pool<Dial>> {
    Arc::new(Pool::new(dial, WARM, WARM_AGE))
}

/// Names of models and voices are the operator's; whatever they hold, they stay one part of the address.
pub(super) fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

impl<D: Dialect> CloudVoice<D> {
    pub fn new(vendor: Vendor) -> Self {
        Self { vendor: Arc::new(vendor), dialect: PhantomData }
    }

    pub fn name(&self) -> &'static str {
        self.vendor.name
    }

    pub fn identity(&self, language: Language) -> Option<&str> {
        self.vendor.offer(language).map(|offer| offer.identity.as_str())
    }

    pub fn warm(&self, languages: &[Language]) {
        languages.iter().filter_map(|l| self.vendor.offer(*l)).for_each(|offer| offer.pool.start());
    }

    pub fn open(&self, saying: &Saying) -> Result<TtsStream, PortError> {
        let name = self.vendor.name;
        if self.vendor.offer(saying.language).is_none() {
            return Err(PortError::Unavailable {
                what: format!("{name} has no voice for the language {}", saying.language.code()),
                fix: "name one in the configuration".to_owned(),
            });
        }
        let runtime = tokio::runtime::Handle::try_current().map_err(|_| PortError::Unavailable {
            what: format!("the voice of {name} was opened outside an async runtime"),
            fix: "open it from the call's task".to_owned(),
        })?;
        let (commands, inbox) = mpsc::channel(64);
        let (outbox, events) = mpsc::channel(64);
        let call = call::Call::<D>::new(Arc::clone(&self.vendor), saying.clone());
        runtime.spawn(call.run(inbox, outbox));
        Ok(TtsStream { commands, events })
    }
}

impl<D> fmt::Debug for CloudVoice<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CloudVoice({})", self.vendor.name)
    }
}

#[cfg(test)]
mod tests;
