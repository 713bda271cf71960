//! TeXML: what to do with a call, in the carrier's language (<https://developers.telnyx.com/docs/voice/programmable-voice/texml-verbs>).
//!
//! Its verbs are TwiML's. Where it differs: a stream in both directions names its mode and codec, silence after speech is given in
//! seconds, and what is told of dialling is told of statuses alone.

use crate::document::{Dial, Document, Listener, Say, StreamInvitation};
use crate::xml::{CLOSE, OPEN, element, escape};

/// Writes a document.
#[must_use]
pub fn render(document: &Document<'_>) -> String {
    let mut out = String::from(OPEN);
    match document {
        Document::Connect(invitation) => connect(&mut out, invitation),
        Document::SayAndHangUp(text) => {
            say(&mut out, *text);
            out.push_str("<Hangup/>");
        }
        Document::AskForKey { say: text, action_url } => ask_for_key(&mut out, *text, action_url),
        Document::AskForAnswer { say: text, action_url } => ask_for_answer(&mut out, *text, action_url),
        Document::Tell { say: text, action_url } => tell(&mut out, *text, action_url),
        Document::Dial(order) => dial(&mut out, order),
        Document::Refer { first, uri, action_url } => {
            first.iter().for_each(|text| say(&mut out, *text));
            element(&mut out, "Refer", &[("action", action_url), ("method", "POST")]);
            out.push_str("<Sip>");
            escape(&mut out, uri);
            out.push_str("</Sip></Refer>");
        }
        Document::JoinRoom { room, action_url, listener } => {
            listener.iter().for_each(|listener| listen(&mut out, *listener));
            join_room(&mut out, room, *action_url);
        }
        Document::RejectBusy => out.push_str(r#"<Reject reason="busy"/>"#),
        Document::HangUp => out.push_str("<Hangup/>"),
    }
    out.push_str(CLOSE);
    out
}

/// Within `<Connect>` the document waits for the stream's end, and goes on with the redirect.
fn connect(out: &mut String, invitation: &StreamInvitation<'_>) {
    out.push_str("<Connect>");
    let status = invitation.status_url.map(|url| [("statusCallback", url), ("statusCallbackMethod", "POST")]);
    let mut attributes = vec![
        ("url", invitation.stream_url),
        ("track", "inbound_track"),
        ("codec", "PCMU"),
        ("bidirectionalMode", "rtp"),
        ("bidirectionalCodec", "PCMU"),
    ];
    attributes.extend(status.into_iter().flatten());
    element(out, "Stream", &attributes);
    for &(name, value) in invitation.parameters {
        element(out, "Parameter", &[("name", name), ("value", value)]);
        out.push_str("</Parameter>");
    }
    out.push_str("</Stream></Connect>");
    element(out, "Redirect", &[("method", "POST")]);
    escape(out, invitation.after_url);
    out.push_str("</Redirect>");
}

/// A `<Gather>` is answered by the method that the application is set to: POST.
fn ask_for_key(out: &mut String, text: Say<'_>, action_url: &str) {
    let gather = [("input", "dtmf"), ("numDigits", "1"), ("timeout", "8"), ("action", action_url)];
    element(out, "Gather", &gather);
    for _ in 0..2 {
        say(out, text);
    }
    out.push_str("</Gather><Hangup/>");
}

fn ask_for_answer(out: &mut String, text: Say<'_>, action_url: &str) {
    let gather = [
        ("input", "dtmf speech"),
        ("numDigits", "1"),
        ("timeout", "6"),
        ("speechTimeout", "2"),
        ("language", text.language),
        ("action", action_url),
    ];
    for _ in 0..2 {
        element(out, "Gather", &gather);
        say(out, text);
        out.push_str("</Gather>");
    }
    out.push_str("<Hangup/>");
}

/// The redirect is followed where neither a key nor a word came.
fn tell(out: &mut String, text: Say<'_>, action_url: &str) {
    let gather = [
        ("input", "dtmf speech"),
        ("numDigits", "1"),
        ("timeout", "3"),
        ("speechTimeout", "2"),
        ("language", text.language),
        ("action", action_url),
    ];
    element(out, "Gather", &gather);
    say(out, text);
    out.push_str("</Gather>");
    element(out, "Redirect", &[("method", "POST")]);
    escape(out, action_url);
    out.push_str("</Redirect>");
}

/// Both sides are sent while the document goes on
/// (<https://developers.telnyx.com/docs/voice/programmable-voice/texml-verbs/start>).
fn listen(out: &mut String, listener: Listener<'_>) {
    out.push_str("<Start>");
    let stream = [("url", listener.stream_url), ("track", "both_tracks"), ("codec", "PCMU")];
    element(out, "Stream", &stream);
    for &(name, value) in listener.parameters {
        element(out, "Parameter", &[("name", name), ("value", value)]);
        out.push_str("</Parameter>");
    }
    out.push_str("</Stream></Start>");
}

fn dial(out: &mut String, order: &Dial<'_>) {
    order.first.iter().for_each(|text| say(out, *text));
    // Its bounds: https://developers.telnyx.com/docs/voice/programmable-voice/texml-verbs/dial
    let ring = order.ring_s.clamp(5, 120).to_string();
    let limit = order.limit_s.clamp(60, 14_400).to_string();
    let dial = [
        ("callerId", order.caller_id),
        ("timeout", &ring),
        ("timeLimit", &limit),
        ("action", order.action_url),
        ("method", "POST"),
    ];
    element(out, "Dial", &dial);
    let status = order.status_url.map(|url| {
        [
            ("statusCallback", url),
            ("statusCallbackMethod", "POST"),
            ("statusCallbackEvent", "initiated ringing answered completed"),
        ]
    });
    let number: Vec<_> = status.into_iter().flatten().collect();
    element(out, "Number", &number);
    escape(out, order.number);
    out.push_str("</Number></Dial>");
}

fn join_room(out: &mut String, room: &str, action_url: Option<&str>) {
    let action = action_url.map(|url| [("action", url), ("method", "POST")]);
    let dial: Vec<_> = action.into_iter().flatten().collect();
    element(out, "Dial", &dial);
    let conference = [("beep", "false"), ("startConferenceOnEnter", "true"), ("endConferenceOnExit", "true")];
    element(out, "Conference", &conference);
    escape(out, room);
    out.push_str("</Conference></Dial><Hangup/>");
}

fn say(out: &mut String, say: Say<'_>) {
    element(out, "Say", &[("language", say.language)]);
    escape(out, say.text);
    out.push_str("</Say>");
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAY: Say<'_> = Say { text: "One <moment>.", language: "en-US" };

    #[test]
    fn a_stream_names_its_mode_and_codec_and_the_redirect_follows() {
        let document = render(&Document::Connect(StreamInvitation {
            stream_url: "wss://gw.example.com/telnyx/media",
            after_url: "https://gw.example.com/telnyx/resume?a=1&b=2",
            status_url: None,
            parameters: &[("token", "abc.def")],
        }));
        assert_eq!(
            document,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Response><Connect>\
             <Stream url=\"wss://gw.example.com/telnyx/media\" track=\"inbound_track\" codec=\"PCMU\" \
             bidirectionalMode=\"rtp\" bidirectionalCodec=\"PCMU\">\
             <Parameter name=\"token\" value=\"abc.def\"></Parameter></Stream></Connect>\
             <Redirect method=\"POST\">https://gw.example.com/telnyx/resume?a=1&amp;b=2</Redirect></Response>"
        );
    }

    #[test]
    fn dialling_stays_within_the_carriers_bounds() {
        let order = Dial {
            first: Some(SAY),
            number: "+12025550143",
            caller_id: "+12025550100",
            action_url: "https://gw.example.com/done",
            status_url: Some("https://gw.example.com/status"),
            detect_url: Some("https://gw.example.com/status"),
            ring_s: 300,
            limit_s: 30,
        };
        let document = render(&Document::Dial(order));
        assert!(
            document.contains("<Say language=\"en-US\">One &lt;moment&gt;.</Say><Dial callerId=\"+12025550100\" timeout=\"120\" timeLimit=\"60\" action="),
            "{document}"
        );
        assert!(document.ends_with(">+12025550143</Number></Dial></Response>"), "{document}");
    }

    #[test]
    fn questions_wait_for_keys_and_words() {
        let action_url = "https://gw.example.com/key";
        let key = render(&Document::AskForKey { say: SAY, action_url });
        assert!(key.contains("<Gather input=\"dtmf\" numDigits=\"1\" timeout=\"8\" action="), "{key}");
        let answer = render(&Document::AskForAnswer { say: SAY, action_url });
        assert!(
            answer.contains("input=\"dtmf speech\"") && answer.contains("speechTimeout=\"2\""),
            "{answer}"
        );
        assert!(answer.ends_with("</Gather><Hangup/></Response>"), "{answer}");
    }

    #[test]
    fn both_sides_are_sent_from_before_the_room_on() {
        let listener =
            Listener { stream_url: "wss://gw.example.com/telnyx/notes", parameters: &[("token", "a.b")] };
        let document =
            render(&Document::JoinRoom { room: "t-1", action_url: None, listener: Some(listener) });
        assert!(
            document.contains(
                "<Start><Stream url=\"wss://gw.example.com/telnyx/notes\" track=\"both_tracks\" codec=\"PCMU\">\
                 <Parameter name=\"token\" value=\"a.b\"></Parameter></Stream></Start><Dial><Conference "
            ),
            "{document}"
        );
        let told = render(&Document::Tell { say: SAY, action_url: "https://gw.example.com/notes" });
        assert!(
            told.contains("</Gather><Redirect method=\"POST\">https://gw.example.com/notes</Redirect>"),
            "{told}"
        );
    }

    #[test]
    fn short_documents() {
        assert!(render(&Document::RejectBusy).ends_with("<Response><Reject reason=\"busy\"/></Response>"));
        assert!(render(&Document::HangUp).ends_with("<Response><Hangup/></Response>"));
        let room = render(&Document::JoinRoom { room: "t-1", action_url: None, listener: None });
        assert!(room.contains("<Dial><Conference beep=\"false\"") && room.contains(">t-1</Conference>"));
        let refer =
            Document::Refer { first: None, uri: "sip:desk@pbx.example.gov", action_url: "https://h/d" };
        assert!(render(&refer).contains("<Refer action=\"https://h/d\" method=\"POST\"><Sip>sip:desk@pbx"));
    }
}
