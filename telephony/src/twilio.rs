//! Twilio Voice and Media Streams. Nothing outside names a Twilio field, clients excepted.

use crate::call_status::Callback;
use crate::carrier::{Abilities, Carrier, CarrierRequest, MediaReader, MediaWire, MediaWriter};
use crate::control::CallControl;
use crate::document::{Document, Rendered};
use crate::error::SignatureError;
use crate::stream::StreamReader;
use crate::xml::CONTENT_TYPE;

pub mod client;
pub mod form;
pub mod rest;
pub mod signature;
pub mod twiml;
pub mod wire;

use rest::RestControl;
use signature::SigningKeys;
use wire::{PROTOCOL, Writer};

/// Its name, in logs, metrics and paths.
pub const NAME: &str = "twilio";

/// Twilio as a [`Carrier`].
#[derive(Debug)]
pub struct Twilio {
    keys: Option<SigningKeys>,
    control: Option<RestControl>,
}

impl Twilio {
    /// Without keys its requests cannot be checked, without control it is asked for nothing.
    #[must_use]
    pub const fn new(keys: Option<SigningKeys>, control: Option<RestControl>) -> Self {
        Self { keys, control }
    }
}

/// Its media streams.
#[derive(Clone, Copy, Debug)]
pub struct Streams;

impl MediaWire for Streams {
    fn reader(&self) -> Box<dyn MediaReader> {
        Box::new(StreamReader::new(&PROTOCOL))
    }

    fn listener(&self) -> Box<dyn MediaReader> {
        Box::new(StreamReader::of_both(&PROTOCOL))
    }

    fn writer(&self, stream_sid: &str) -> Box<dyn MediaWriter> {
        Box::new(Writer::new(stream_sid))
    }
}

impl MediaWire for Twilio {
    fn reader(&self) -> Box<dyn MediaReader> {
        Streams.reader()
    }

    fn listener(&self) -> Box<dyn MediaReader> {
        Streams.listener()
    }

    fn writer(&self, stream_sid: &str) -> Box<dyn MediaWriter> {
        Streams.writer(stream_sid)
    }
}

impl Carrier for Twilio {
    fn name(&self) -> &'static str {
        NAME
    }

    fn abilities(&self) -> Abilities {
        Abilities { refers: true, signs_streams: true }
    }

    fn has_key(&self) -> bool {
        self.keys.is_some()
    }

    fn verify(&self, request: &CarrierRequest<'_>) -> Result<&'static str, SignatureError> {
        self.keys.as_ref().ok_or(SignatureError::UnknownKey)?.verify(request)
    }

    fn read(&self, fields: &[(String, String)]) -> Callback {
        form::read(fields)
    }

    fn render(&self, document: &Document<'_>) -> Rendered {
        Rendered { content_type: CONTENT_TYPE, body: twiml::render(document) }
    }

    fn control(&self) -> Option<&dyn CallControl> {
        self.control.as_ref().map(|control| control as &dyn CallControl)
    }
}
