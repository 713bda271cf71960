//! Twilio Voice and Media Streams. Nothing outside names a Twilio field, clients excepted.

use crate::carrier::{Answer, Carrier, CarrierRequest, CarrierStream, Document};
use crate::error::{SignatureError, StreamError};
use crate::media::{CallTime, MediaCommand, MediaEvent};

pub mod client;
pub mod dialled;
pub mod rest;
pub mod signature;
pub mod status;
pub mod stream;
pub mod token;
pub mod twiml;
pub mod webhook;
pub mod wire;

use signature::SigningKeys;
use stream::StreamReader;

/// Twilio as a [`Carrier`].
#[derive(Debug)]
pub struct Twilio {
    keys: SigningKeys,
}

impl Twilio {
    #[must_use]
    pub const fn new(keys: SigningKeys) -> Self {
        Self { keys }
    }
}

impl Carrier for Twilio {
    fn name(&self) -> &'static str {
        "twilio"
    }

    fn open(&self) -> Box<dyn CarrierStream> {
        Box::new(StreamReader::new())
    }

    fn verify(&self, request: &CarrierRequest<'_>) -> Result<&'static str, SignatureError> {
        self.keys.verify(request)
    }

    fn answer(&self, answer: &Answer<'_>) -> Document {
        let body = match answer {
            Answer::Connect(invitation) => twiml::connect_stream(invitation),
            Answer::Apologise { text, language } => twiml::say_and_hang_up(text, language),
            Answer::Busy => twiml::reject_busy(),
            Answer::HangUp => twiml::hang_up(),
        };
        Document { content_type: "text/xml", body }
    }
}

impl CarrierStream for StreamReader {
    fn read(
        &mut self,
        now: CallTime,
        message: &str,
        events: &mut Vec<MediaEvent>,
    ) -> Result<(), StreamError> {
        Self::read(self, now, message, events)
    }

    fn read_binary(&mut self, _: &[u8]) -> Result<(), StreamError> {
        Err(Self::read_binary(self))
    }

    fn write(&self, command: &MediaCommand, out: &mut String) -> bool {
        out.clear();
        self.stream_sid().is_some_and(|sid| wire::encode(sid, command, out))
    }
}
