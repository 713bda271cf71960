//! Telnyx, by TeXML and media streaming over WebSocket. TeXML takes over TwiML's verbs and the names of its forms
//! (<https://developers.telnyx.com/docs/voice/programmable-voice/texml-twiml-compatibility>); the signature, the REST interface
//! and the messages of media streams are its own. Nothing outside names a Telnyx field.

use crate::call_status::Callback;
use crate::carrier::{Abilities, Carrier, CarrierRequest, MediaReader, MediaWire, MediaWriter};
use crate::control::CallControl;
use crate::document::{Document, Rendered};
use crate::error::SignatureError;
use crate::stream::StreamReader;
use crate::twilio::form;
use crate::xml::CONTENT_TYPE;

pub mod rest;
pub mod signature;
pub mod texml;
pub mod wire;

use rest::RestControl;
use signature::PublicKey;
use wire::{PROTOCOL, Writer};

/// Its name, in logs, metrics and paths.
pub const NAME: &str = "telnyx";

/// Telnyx as a [`Carrier`].
#[derive(Debug)]
pub struct Telnyx {
    key: Option<PublicKey>,
    control: Option<RestControl>,
}

impl Telnyx {
    /// Without a key its requests cannot be checked, without control it is asked for nothing.
    #[must_use]
    pub const fn new(key: Option<PublicKey>, control: Option<RestControl>) -> Self {
        Self { key, control }
    }
}

impl MediaWire for Telnyx {
    fn reader(&self) -> Box<dyn MediaReader> {
        Box::new(StreamReader::new(&PROTOCOL))
    }

    fn listener(&self) -> Box<dyn MediaReader> {
        Box::new(StreamReader::of_both(&PROTOCOL))
    }

    fn writer(&self, _: &str) -> Box<dyn MediaWriter> {
        Box::new(Writer)
    }
}

impl Carrier for Telnyx {
    fn name(&self) -> &'static str {
        NAME
    }

    /// No document tells of a signature on the upgrade.
    fn abilities(&self) -> Abilities {
        Abilities { refers: true, signs_streams: false }
    }

    fn has_key(&self) -> bool {
        self.key.is_some()
    }

    fn verify(&self, request: &CarrierRequest<'_>) -> Result<&'static str, SignatureError> {
        self.key.as_ref().ok_or(SignatureError::UnknownKey)?.verify(request)
    }

    fn read(&self, fields: &[(String, String)]) -> Callback {
        let callback = form::read(fields);
        // Callers who come by SIP are named without a scheme: `name@sip.telnyx.com`.
        let from = fields.iter().find(|(name, _)| name == "From");
        let is_sip = callback.is_sip || from.is_some_and(|(_, from)| from.contains('@'));
        Callback { is_sip, ..callback }
    }

    fn render(&self, document: &Document<'_>) -> Rendered {
        Rendered { content_type: CONTENT_TYPE, body: texml::render(document) }
    }

    fn control(&self) -> Option<&dyn CallControl> {
        self.control.as_ref().map(|control| control as &dyn CallControl)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call_status::Answerer;

    #[test]
    fn the_documented_callbacks_are_read() {
        let carrier = Telnyx::new(None, None);
        let sid = "v3:9X2vxPDFY2RHSJ1EdMS0RHRksMTg7ldNxdjWbVr9zBjbGjGsSe-aiQ";
        let form = |more: &[(&str, &str)]| -> Vec<(String, String)> {
            let fields = [("AccountSid", "f5586561-8ff0-4291-a51b-c7dfe4139ff9"), ("CallSid", sid)];
            fields.iter().chain(more).map(|&(name, value)| (name.into(), value.into())).collect()
        };
        // https://developers.telnyx.com/api-reference/callbacks/texml-call-completed
        let ended = carrier.read(&form(&[
            ("CallStatus", "completed"),
            ("CallDuration", "45"),
            ("SequenceNumber", "3"),
            ("From", "+12025550143"),
            ("To", "+12025550100"),
        ]));
        let progress = ended.progress.unwrap_or_else(|error| panic!("{error}"));
        assert!(progress.call_sid == sid && progress.status.is_final());
        assert_eq!((progress.duration_s, progress.sequence, ended.is_sip), (Some(45), Some(3), false));
        // https://developers.telnyx.com/api-reference/callbacks/texml-gather
        let pressed =
            carrier.read(&form(&[("Digits", "1"), ("From", "a35z6@sip.telnyx.com"), ("To", "+12132045020")]));
        assert!(pressed.is_sip && pressed.keys.as_deref() == Some("1"));
        // https://developers.telnyx.com/api-reference/callbacks/texml-call-amd
        let machine = carrier.read(&form(&[("AnsweredBy", "machine_end_beep")]));
        assert!(machine.takes_message && machine.answered_by == Some(Answerer::Machine));
    }
}
