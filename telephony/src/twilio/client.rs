//! The carrier's side of a media stream, for clients that speak as Twilio does: the command line's `call`, the
//! replay tool and load tests.

use crate::encoding::{push_json, push_number};
use crate::media::{FRAME_BYTES, FRAME_MS, StreamStart};

/// Writes the messages of one stream, with their numbers and times.
#[derive(Debug)]
pub struct StreamWriter {
    start: StreamStart,
    sequence: u64,
    chunk: u64,
    /// Mu-law bytes sent.
    bytes: u64,
}

impl StreamWriter {
    #[must_use]
    pub const fn new(start: StreamStart) -> Self {
        Self { start, sequence: 0, chunk: 0, bytes: 0 }
    }

    /// Appends the `connected` message, which comes first.
    pub fn connected(&self, out: &mut String) {
        out.push_str(r#"{"event":"connected","protocol":"Call","version":"1.0.0"}"#);
    }

    /// Appends the `start` message, which comes second.
    pub fn start(&mut self, out: &mut String) {
        self.open("start", out);
        out.push_str(r#","start":{"accountSid":"#);
        push_json(out, &self.start.account_sid);
        out.push_str(r#","streamSid":"#);
        push_json(out, &self.start.stream_sid);
        out.push_str(r#","callSid":"#);
        push_json(out, &self.start.call_sid);
        out.push_str(r#","tracks":["inbound"],"mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000,"channels":1},"customParameters":{"#);
        for (i, (name, value)) in self.start.parameters.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            push_json(out, name);
            out.push(':');
            push_json(out, value);
        }
        out.push_str("}}}");
    }

    /// Appends a `media` message with mu-law bytes, usually one frame.
    pub fn media(&mut self, mulaw: &[u8], out: &mut String) {
        self.open_media(mulaw.len(), out);
        base64_simd::STANDARD.encode_append(mulaw, out);
        out.push_str(r#""}}"#);
    }

    /// Appends a `media` message with one frame that is base64 already: what many calls play is encoded once.
    pub fn encoded_frame(&mut self, payload: &str, out: &mut String) {
        self.open_media(FRAME_BYTES, out);
        out.push_str(payload);
        out.push_str(r#""}}"#);
    }

    fn open_media(&mut self, bytes: usize, out: &mut String) {
        self.open("media", out);
        self.chunk += 1;
        out.push_str(r#","media":{"track":"inbound","chunk":""#);
        push_number(out, self.chunk);
        out.push_str(r#"","timestamp":""#);
        push_number(out, self.bytes * FRAME_MS / FRAME_BYTES as u64);
        out.push_str(r#"","payload":""#);
        self.bytes += bytes as u64;
    }

    /// Appends a `dtmf` message for one key press.
    pub fn digit(&mut self, digit: char, out: &mut String) {
        self.open("dtmf", out);
        out.push_str(r#","dtmf":{"track":"inbound_track","digit":"#);
        push_json(out, digit.encode_utf8(&mut [0; 4]));
        out.push_str("}}");
    }

    /// Appends the echo of a mark by the name it came with.
    pub fn mark(&mut self, name: &str, out: &mut String) {
        self.open("mark", out);
        out.push_str(r#","mark":{"name":"#);
        push_json(out, name);
        out.push_str("}}");
    }

    /// Appends the `stop` message, which comes last.
    pub fn stop(&mut self, out: &mut String) {
        self.open("stop", out);
        out.push_str(r#","stop":{"accountSid":"#);
        push_json(out, &self.start.account_sid);
        out.push_str(r#","callSid":"#);
        push_json(out, &self.start.call_sid);
        out.push_str("}}");
    }

    fn open(&mut self, event: &str, out: &mut String) {
        self.sequence += 1;
        out.push_str(r#"{"event":"#);
        push_json(out, event);
        out.push_str(r#","sequenceNumber":""#);
        push_number(out, self.sequence);
        out.push_str(r#"","streamSid":"#);
        push_json(out, &self.start.stream_sid);
    }
}
