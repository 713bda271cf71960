//! TwiML: what to do with a call, in the carrier's language.

use crate::document::{Dial, Document, Listener, Say, StreamInvitation};
use crate::xml::{CLOSE, OPEN, element, escape};

/// Writes a document.
#[must_use]
pub fn render(document: &Document<'_>) -> String {
    match document {
        Document::Connect(invitation) => connect_stream(invitation),
        Document::SayAndHangUp(say) => say_and_hang_up(*say),
        Document::AskForKey { say, action_url } => ask_for_key(*say, action_url),
        Document::AskForAnswer { say, action_url } => ask_for_answer(*say, action_url),
        Document::Tell { say, action_url } => tell(*say, action_url),
        Document::Dial(order) => dial(order),
        Document::Refer { first, uri, action_url } => refer(*first, uri, action_url),
        Document::JoinRoom { room, action_url, listener } => join_room(room, *action_url, *listener),
        Document::RejectBusy => reject_busy(),
        Document::HangUp => hang_up(),
    }
}

/// Connects the call to a media stream, both ways. When the stream ends the carrier asks at `after_url`; the
/// redirect is for the case that it ends in disorder.
fn connect_stream(invitation: &StreamInvitation<'_>) -> String {
    let mut out = String::from(OPEN);
    element(&mut out, "Connect", &[("action", invitation.after_url), ("method", "POST")]);
    let status = invitation.status_url.map(|url| [("statusCallback", url), ("statusCallbackMethod", "POST")]);
    let mut attributes = vec![("url", invitation.stream_url)];
    attributes.extend(status.into_iter().flatten());
    element(&mut out, "Stream", &attributes);
    for &(name, value) in invitation.parameters {
        element(&mut out, "Parameter", &[("name", name), ("value", value)]);
        out.push_str("</Parameter>");
    }
    out.push_str("</Stream></Connect>");
    element(&mut out, "Redirect", &[("method", "POST")]);
    escape(&mut out, invitation.after_url);
    out.push_str("</Redirect>");
    out.push_str(CLOSE);
    out
}

/// Says `text` in the carrier's own voice of that language (BCP 47) and hangs up.
fn say_and_hang_up(text: Say<'_>) -> String {
    let mut out = String::from(OPEN);
    say(&mut out, text);
    out.push_str("<Hangup/>");
    out.push_str(CLOSE);
    out
}

/// Asks for one key and hangs up when none comes. The key is brought to `action_url`.
fn ask_for_key(text: Say<'_>, action_url: &str) -> String {
    let mut out = String::from(OPEN);
    let gather =
        [("input", "dtmf"), ("numDigits", "1"), ("timeout", "8"), ("action", action_url), ("method", "POST")];
    element(&mut out, "Gather", &gather);
    for _ in 0..2 {
        say(&mut out, text);
    }
    out.push_str("</Gather><Hangup/>");
    out.push_str(CLOSE);
    out
}

/// Asks for one key or a word, twice, and hangs up when none comes. The answer is brought to `action_url`.
fn ask_for_answer(text: Say<'_>, action_url: &str) -> String {
    let mut out = String::from(OPEN);
    let gather = [
        ("input", "dtmf speech"),
        ("numDigits", "1"),
        ("timeout", "6"),
        ("speechTimeout", "auto"),
        ("language", text.language),
        ("action", action_url),
        ("method", "POST"),
    ];
    for _ in 0..2 {
        element(&mut out, "Gather", &gather);
        say(&mut out, text);
        out.push_str("</Gather>");
    }
    out.push_str("<Hangup/>");
    out.push_str(CLOSE);
    out
}

/// Says `text` and takes a key or a word over it, or for a moment after. The redirect is followed when none came.
fn tell(text: Say<'_>, action_url: &str) -> String {
    let mut out = String::from(OPEN);
    let gather = [
        ("input", "dtmf speech"),
        ("numDigits", "1"),
        ("timeout", "3"),
        ("speechTimeout", "auto"),
        ("language", text.language),
        ("action", action_url),
        ("method", "POST"),
    ];
    element(&mut out, "Gather", &gather);
    say(&mut out, text);
    out.push_str("</Gather>");
    element(&mut out, "Redirect", &[("method", "POST")]);
    escape(&mut out, action_url);
    out.push_str("</Redirect>");
    out.push_str(CLOSE);
    out
}

/// Dials somebody and joins both calls when they answer.
fn dial(order: &Dial<'_>) -> String {
    let mut out = String::from(OPEN);
    if let Some(text) = order.first {
        say(&mut out, text);
    }
    let (ring, limit) = (order.ring_s.to_string(), order.limit_s.to_string());
    let dial = [
        ("callerId", order.caller_id),
        ("timeout", &ring),
        ("timeLimit", &limit),
        ("answerOnBridge", "true"),
        ("action", order.action_url),
        ("method", "POST"),
    ];
    element(&mut out, "Dial", &dial);
    let status = order.status_url.map(|url| {
        [
            ("statusCallback", url),
            ("statusCallbackMethod", "POST"),
            ("statusCallbackEvent", "initiated ringing answered completed"),
        ]
    });
    let detect = order.detect_url.map(|url| {
        [("machineDetection", "Enable"), ("amdStatusCallback", url), ("amdStatusCallbackMethod", "POST")]
    });
    let number: Vec<_> = status.into_iter().flatten().chain(detect.into_iter().flatten()).collect();
    element(&mut out, "Number", &number);
    escape(&mut out, order.number);
    out.push_str("</Number></Dial>");
    out.push_str(CLOSE);
    out
}

/// Has the caller's own exchange call somebody in our place (SIP REFER): only for SIP legs. `action_url`: asked for what comes next.
fn refer(first: Option<Say<'_>>, uri: &str, action_url: &str) -> String {
    let mut out = String::from(OPEN);
    if let Some(text) = first {
        say(&mut out, text);
    }
    element(&mut out, "Refer", &[("action", action_url), ("method", "POST")]);
    out.push_str("<Sip>");
    escape(&mut out, uri);
    out.push_str("</Sip></Refer>");
    out.push_str(CLOSE);
    out
}

/// Brings a call into a room of this name. The room ends with the first who leaves it. `action_url`: asked for what comes next.
/// `listener`: is sent both sides from the moment on that the call goes in.
fn join_room(room: &str, action_url: Option<&str>, listener: Option<Listener<'_>>) -> String {
    let mut out = String::from(OPEN);
    if let Some(listener) = listener {
        out.push_str("<Start>");
        element(&mut out, "Stream", &[("url", listener.stream_url), ("track", "both_tracks")]);
        for &(name, value) in listener.parameters {
            element(&mut out, "Parameter", &[("name", name), ("value", value)]);
            out.push_str("</Parameter>");
        }
        out.push_str("</Stream></Start>");
    }
    let action = action_url.map(|url| [("action", url), ("method", "POST")]);
    let dial: Vec<_> = action.into_iter().flatten().collect();
    element(&mut out, "Dial", &dial);
    let conference = [("beep", "false"), ("startConferenceOnEnter", "true"), ("endConferenceOnExit", "true")];
    element(&mut out, "Conference", &conference);
    escape(&mut out, room);
    out.push_str("</Conference></Dial><Hangup/>");
    out.push_str(CLOSE);
    out
}

/// Gives the caller the busy signal, without answering.
fn reject_busy() -> String {
    format!(r#"{OPEN}<Reject reason="busy"/>{CLOSE}"#)
}

fn hang_up() -> String {
    format!("{OPEN}<Hangup/>{CLOSE}")
}

fn say(out: &mut String, say: Say<'_>) {
    element(out, "Say", &[("language", say.language)]);
    escape(out, say.text);
    out.push_str("</Say>");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn english(text: &str) -> Say<'_> {
        Say { text, language: "en-US" }
    }

    #[test]
    fn a_stream_is_connected_with_a_way_out() {
        let document = connect_stream(&StreamInvitation {
            stream_url: "wss://gw.example.com/twilio/media",
            after_url: "https://gw.example.com/twilio/resume?a=1&b=2",
            status_url: Some("https://gw.example.com/twilio/stream-status"),
            parameters: &[("token", "abc.def"), ("odd", "<'\"&>")],
        });
        assert_eq!(
            document,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Response>\
             <Connect action=\"https://gw.example.com/twilio/resume?a=1&amp;b=2\" method=\"POST\">\
             <Stream url=\"wss://gw.example.com/twilio/media\" \
             statusCallback=\"https://gw.example.com/twilio/stream-status\" statusCallbackMethod=\"POST\">\
             <Parameter name=\"token\" value=\"abc.def\"></Parameter>\
             <Parameter name=\"odd\" value=\"&lt;&apos;&quot;&amp;&gt;\"></Parameter></Stream></Connect>\
             <Redirect method=\"POST\">https://gw.example.com/twilio/resume?a=1&amp;b=2</Redirect></Response>"
        );
    }

    #[test]
    fn spoken_text_cannot_become_markup() {
        let document = say_and_hang_up(english("Sorry</Say><Dial>+1\u{0}5</Dial>\n"));
        assert!(
            document.contains("Sorry&lt;/Say&gt;&lt;Dial&gt;+15&lt;/Dial&gt; </Say><Hangup/></Response>")
        );
    }

    #[test]
    fn somebody_is_dialled_with_what_comes_after() {
        let order = Dial {
            first: Some(english("One <moment>.")),
            number: "+12025550143",
            caller_id: "+12025550100",
            action_url: "https://gw.example.com/done?a=1&b=2",
            status_url: Some("https://gw.example.com/status"),
            detect_url: None,
            ring_s: 25,
            limit_s: 3600,
        };
        let document = dial(&order);
        assert!(document.contains("<Say language=\"en-US\">One &lt;moment&gt;.</Say><Dial callerId=\"+12025550100\" timeout=\"25\" timeLimit=\"3600\" answerOnBridge=\"true\" action=\"https://gw.example.com/done?a=1&amp;b=2\" method=\"POST\"><Number statusCallback="), "{document}");
        assert!(document.ends_with(">+12025550143</Number></Dial></Response>"), "{document}");
        assert!(!document.contains("machineDetection") && !format!("{order:?}").contains("0143"));
    }

    #[test]
    fn a_key_is_asked_for_and_silence_hangs_up() {
        let document = ask_for_key(english("Press 1."), "https://gw.example.com/key");
        assert!(
            document.contains("<Gather input=\"dtmf\" numDigits=\"1\" timeout=\"8\" action="),
            "{document}"
        );
        assert!(document.ends_with("</Gather><Hangup/></Response>"), "{document}");
    }

    #[test]
    fn two_calls_meet_in_a_room() {
        let document = join_room("t-1", Some("https://gw.example.com/done"), None);
        assert!(document.contains(
            "<Dial action=\"https://gw.example.com/done\" method=\"POST\"><Conference beep=\"false\""
        ));
        assert!(document.contains("endConferenceOnExit=\"true\">t-1</Conference></Dial>"), "{document}");
        assert!(join_room("t-1", None, None).contains("<Response><Dial><Conference "));
    }

    #[test]
    fn both_sides_are_sent_from_before_the_room_on() {
        let listener =
            Listener { stream_url: "wss://gw.example.com/twilio/notes", parameters: &[("token", "a.b")] };
        let document = join_room("t-1", None, Some(listener));
        assert!(
            document.contains(
                "<Response><Start><Stream url=\"wss://gw.example.com/twilio/notes\" track=\"both_tracks\">\
                 <Parameter name=\"token\" value=\"a.b\"></Parameter></Stream></Start><Dial><Conference "
            ),
            "{document}"
        );
    }

    #[test]
    fn what_is_told_goes_on_whether_a_word_comes_or_not() {
        let document = tell(english("Press 2."), "https://gw.example.com/notes?a=1&b=2");
        assert!(
            document.contains("<Gather input=\"dtmf speech\" numDigits=\"1\" timeout=\"3\""),
            "{document}"
        );
        assert!(
            document.ends_with(
                "</Gather><Redirect method=\"POST\">https://gw.example.com/notes?a=1&amp;b=2</Redirect></Response>"
            ),
            "{document}"
        );
    }

    #[test]
    fn short_documents() {
        assert!(reject_busy().ends_with("<Response><Reject reason=\"busy\"/></Response>"));
        assert!(hang_up().ends_with("<Response><Hangup/></Response>"));
    }
}
