//! What the gateway tells a carrier to do with a call, as the carrier's side reads it.

use std::collections::HashMap;

/// The first thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Open a media stream and bring these parameters.
    Stream { url: String, parameters: Vec<(String, String)> },
    /// Say this to the caller and hang up.
    Say(String),
    /// Do not answer, or hang up.
    HangUp,
}

/// An opening or closing tag, or the text between tags.
#[derive(Debug)]
enum Piece<'a> {
    Open(&'a str, HashMap<&'a str, String>),
    Close(&'a str),
    Text(&'a str),
}

/// Reads the document.
///
/// # Errors
/// Says what is missing when there is nothing to do in it.
pub fn read(document: &str) -> Result<Order, &'static str> {
    let mut stream: Option<(String, Vec<(String, String)>)> = None;
    let mut said: Option<String> = None;
    let mut inside_say = false;
    for piece in pieces(document) {
        match piece {
            Piece::Open("Stream", mut attributes) => {
                let url = attributes.remove("url").ok_or("the stream has no url")?;
                stream = Some((url, Vec::new()));
            }
            Piece::Open("Parameter", mut attributes) => {
                let name = attributes.remove("name").ok_or("a parameter has no name")?;
                let value = attributes.remove("value").unwrap_or_default();
                stream.as_mut().ok_or("a parameter stands outside the stream")?.1.push((name, value));
            }
            Piece::Open("Say", _) => inside_say = true,
            Piece::Close("Say") => inside_say = false,
            Piece::Text(text) if inside_say => said.get_or_insert_default().push_str(&unescape(text)),
            Piece::Open("Hangup" | "Reject", _) if said.is_none() && stream.is_none() => {
                return Ok(Order::HangUp);
            }
            _ => {}
        }
    }
    match (stream, said) {
        (Some((url, parameters)), _) => Ok(Order::Stream { url, parameters }),
        (None, Some(text)) => Ok(Order::Say(text)),
        (None, None) => Err("the document holds no order"),
    }
}

fn pieces(document: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = document;
    while let Some(open) = rest.find('<') {
        if open > 0 {
            pieces.push(Piece::Text(&rest[..open]));
        }
        let Some(end) = tag_end(&rest[open..]) else { return pieces };
        let tag = &rest[open + 1..open + end];
        rest = &rest[open + end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            pieces.push(Piece::Close(name.trim()));
        } else if !tag.starts_with(['?', '!']) {
            let (name, attributes) = opening(tag);
            pieces.push(Piece::Open(name, attributes));
        }
    }
    pieces
}

/// Position of the `>` that ends the tag at the start; one within quotes does not.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
    }
    None
}

fn opening(tag: &str) -> (&str, HashMap<&str, String>) {
    let tag = tag.trim_end_matches('/').trim();
    let (name, mut rest) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
    let mut attributes = HashMap::new();
    while let Some((key, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let Some(quote) = after.chars().next().filter(|c| matches!(c, '"' | '\'')) else { break };
        let Some((value, tail)) = after[1..].split_once(quote) else { break };
        attributes.insert(key.trim(), unescape(value));
        rest = tail;
    }
    (name, attributes)
}

fn unescape(text: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (entity, plain)| text.replace(entity, plain))
}

#[cfg(test)]
mod tests {
    use telephony::document::{Document, StreamInvitation};
    use telephony::twilio::twiml::render;

    use super::*;

    #[test]
    fn a_stream_comes_with_its_parameters_unescaped() {
        let document = render(&Document::Connect(StreamInvitation {
            stream_url: "wss://h/twilio/media",
            after_url: "https://h/twilio/resume?a=1&b=2",
            status_url: None,
            parameters: &[("token", "a<b>&\"c\"")],
        }));
        let order = read(&document).unwrap();
        let parameters = vec![("token".to_owned(), "a<b>&\"c\"".to_owned())];
        assert_eq!(order, Order::Stream { url: "wss://h/twilio/media".to_owned(), parameters });
    }

    #[test]
    fn words_and_refusals_are_told_apart() {
        let said = read(&render(&Document::say_and_hang_up("We're sorry.", "en-US"))).unwrap();
        assert_eq!(said, Order::Say("We're sorry.".to_owned()));
        assert_eq!(read(&render(&Document::RejectBusy)), Ok(Order::HangUp));
        assert_eq!(read(&render(&Document::HangUp)), Ok(Order::HangUp));
        assert!(read("<Response/>").is_err());
    }
}
