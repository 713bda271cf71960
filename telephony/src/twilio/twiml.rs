//! Documents that answer the carrier's question what to do with a call.

use crate::carrier::StreamInvitation;

const OPEN: &str = r#"<?xml version="1.0" encoding="UTF-8"?><Response>"#;
const CLOSE: &str = "</Response>";

/// Connects the call to a media stream, both ways. When the stream ends the carrier asks at `after_url`; the
/// redirect is for the case that it ends in disorder.
#[must_use]
pub fn connect_stream(invitation: &StreamInvitation<'_>) -> String {
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
#[must_use]
pub fn say_and_hang_up(text: &str, language: &str) -> String {
    let mut out = String::from(OPEN);
    element(&mut out, "Say", &[("language", language)]);
    escape(&mut out, text);
    out.push_str("</Say><Hangup/>");
    out.push_str(CLOSE);
    out
}

/// Gives the caller the busy signal, without answering.
#[must_use]
pub fn reject_busy() -> String {
    format!(r#"{OPEN}<Reject reason="busy"/>{CLOSE}"#)
}

#[must_use]
pub fn hang_up() -> String {
    format!("{OPEN}<Hangup/>{CLOSE}")
}

fn element(out: &mut String, name: &str, attributes: &[(&str, &str)]) {
    out.push('<');
    out.push_str(name);
    for (attribute, value) in attributes {
        out.push(' ');
        out.push_str(attribute);
        out.push_str("=\"");
        escape(out, value);
        out.push('"');
    }
    out.push('>');
}

/// Writes text so that it stays text. Characters that XML cannot hold are left out.
fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\u{FFFE}' | '\u{FFFF}' => {}
            c if c < ' ' => {}
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let document = say_and_hang_up("Sorry</Say><Dial>+1\u{0}5</Dial>\n", "en-US");
        assert!(
            document.contains("Sorry&lt;/Say&gt;&lt;Dial&gt;+15&lt;/Dial&gt; </Say><Hangup/></Response>")
        );
    }

    #[test]
    fn short_documents() {
        assert!(reject_busy().ends_with("<Response><Reject reason=\"busy\"/></Response>"));
        assert!(hang_up().ends_with("<Response><Hangup/></Response>"));
    }
}
