//! Server-sent events out of bytes, however these are cut.

use std::borrow::Cow;
use std::mem;

/// Longest event: a provider that sends more is broken, not talkative.
const LONGEST: usize = 1 << 20;

/// One event of a stream.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// Empty for an unnamed one.
    pub name: String,
    /// Lines of data, joined by line feeds.
    pub data: String,
}

language::shown!(Event, "Event": name; data);

/// An event had no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

/// Reads a stream piece by piece. Lines end with LF, CR LF or CR; comments and unknown fields are passed over; what
/// is no UTF-8 is replaced.
#[derive(Default)]
pub struct Reader {
    /// A line that has begun.
    line: Vec<u8>,
    name: String,
    /// `None` until a data line came: an event may have empty data.
    data: Option<String>,
    /// The last line ended with CR: an LF right after it belongs to it.
    after_cr: bool,
    /// The first line is past: a byte-order mark counts only at its start.
    begun: bool,
}

language::shown!(Reader, "Reader": after_cr, begun; line, name, data);

impl Reader {
    /// Takes the next bytes and appends the events that are complete with them.
    ///
    /// # Errors
    /// [`TooLong`] when an event exceeds 1 MiB; the stream cannot be read on.
    pub fn feed(&mut self, mut bytes: &[u8], events: &mut Vec<Event>) -> Result<(), TooLong> {
        while let Some(first) = bytes.first() {
            if mem::take(&mut self.after_cr) && *first == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let Some(end) = bytes.iter().position(|b| matches!(b, b'\n' | b'\r')) else {
                return self.keep(bytes);
            };
            self.after_cr = bytes[end] == b'\r';
            if self.line.is_empty() {
                self.end_line(&bytes[..end], events)?;
            } else {
                self.keep(&bytes[..end])?;
                let mut line = mem::take(&mut self.line);
                self.end_line(&line, events)?;
                line.clear();
                self.line = line;
            }
            bytes = &bytes[end + 1..];
        }
        Ok(())
    }

    /// The stream is over: an event that only lacks its closing blank line. A line without its end is dropped.
    pub fn finish(&mut self) -> Option<Event> {
        self.line.clear();
        self.dispatch()
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.line.len() + bytes.len() > LONGEST {
            return Err(TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, line: &[u8], events: &mut Vec<Event>) -> Result<(), TooLong> {
        let mut line: Cow<'_, str> = String::from_utf8_lossy(line);
        if !mem::replace(&mut self.begun, true)
            && let Some(rest) = line.strip_prefix('\u{feff}')
        {
            line = Cow::Owned(rest.to_owned());
        }
        if line.is_empty() {
            events.extend(self.dispatch());
            return Ok(());
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => self.add_data(value)?,
            "event" => value.clone_into(&mut self.name),
            _ => {}
        }
        Ok(())
    }

    fn add_data(&mut self, value: &str) -> Result<(), TooLong> {
        match &mut self.data {
            None => self.data = Some(value.to_owned()),
            Some(data) if data.len() + value.len() < LONGEST => {
                data.push('\n');
                data.push_str(value);
            }
            Some(_) => return Err(TooLong),
        }
        Ok(())
    }

    fn dispatch(&mut self) -> Option<Event> {
        let name = mem::take(&mut self.name);
        self.data.take().map(|data| Event { name, data })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn event(name: &str, data: &str) -> Event {
        Event { name: name.into(), data: data.into() }
    }

    fn read(pieces: &[&[u8]]) -> Vec<Event> {
        let (mut reader, mut events) = (Reader::default(), Vec::new());
        for piece in pieces {
            reader.feed(piece, &mut events).unwrap();
        }
        events.extend(reader.finish());
        events
    }

    #[test]
    fn fields_comments_line_ends_and_empty_data_are_read_as_the_standard_says() {
        let cases: [(&str, Vec<Event>); 10] = [
            ("event: a\ndata: {}\n\n", vec![event("a", "{}")]),
            ("event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", vec![event("a", "1"), event("", "2")]),
            ("data: 1\r\rdata: 2\n\r\n", vec![event("", "1"), event("", "2")]),
            ("data: one\ndata: two\ndata\n\n", vec![event("", "one\ntwo\n")]),
            (": keep-alive\n\n:\n\ndata:x\n\n", vec![event("", "x")]),
            ("data:  two spaces\n\n", vec![event("", " two spaces")]),
            ("id: 7\nretry: 9\nodd\nevent: named\n\ndata: 1\n\n", vec![event("", "1")]),
            ("data:\n\n\n\n", vec![event("", "")]),
            ("\u{feff}data: 1\n\n\u{feff}data: 2\n\n", vec![event("", "1")]),
            ("data: [DONE]", vec![]),
        ];
        for (text, events) in cases {
            assert_eq!(read(&[text.as_bytes()]), events, "{text:?}");
        }
    }

    #[test]
    fn the_last_event_needs_no_blank_line_but_whole_lines() {
        assert_eq!(read(&[b"data: 1\n\ndata: [DONE]\n"]), [event("", "1"), event("", "[DONE]")]);
        assert_eq!(read(&[b"data: 1\n\ndata: {\"a\":"]), [event("", "1")]);
    }

    #[test]
    fn an_event_is_given_with_the_byte_that_ends_it() {
        let (mut reader, mut events) = (Reader::default(), Vec::new());
        reader.feed(b"data: 1\r\n\r", &mut events).unwrap();
        assert_eq!(events, [event("", "1")]);
        reader.feed(b"\ndata: 2\r\r", &mut events).unwrap();
        assert_eq!(events, [event("", "1"), event("", "2")]);
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(read(&[b"data: a\xffb\n\n"]), [event("", "a\u{fffd}b")]);
    }

    #[test]
    fn an_endless_line_and_endless_data_are_refused() {
        let mut reader = Reader::default();
        let piece = vec![b'x'; LONGEST / 4];
        let results: Vec<_> = (0..5).map(|_| reader.feed(&piece, &mut Vec::new())).collect();
        assert_eq!(results, [Ok(()), Ok(()), Ok(()), Ok(()), Err(TooLong)]);
        let mut reader = Reader::default();
        let line = [b"data: ".as_slice(), &piece, b"\n"].concat();
        let results: Vec<_> = (0..5).map(|_| reader.feed(&line, &mut Vec::new())).collect();
        assert_eq!(results[3..], [Err(TooLong), Err(TooLong)]);
    }

    fn streams() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            "data: ?[a-zñ🙂{}:]{0,6}",
            "event: ?[a-z]{0,4}",
            ":[a-z]{0,3}",
            Just(String::new()),
            "[a-zé: \u{feff}]{0,5}",
        ];
        let end = prop_oneof![Just("\n"), Just("\r\n"), Just("\r")];
        proptest::collection::vec((line, end), 0..20)
            .prop_map(|lines| lines.into_iter().map(|(line, end)| line + end).collect())
    }

    proptest! {
        #[test]
        fn any_cutting_of_the_bytes_gives_the_same_events(
            text in streams(),
            cuts in proptest::collection::vec(0usize..200, 0..12),
        ) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|w| &bytes[w[0]..w[1]]).collect();
            prop_assert_eq!(read(&pieces), read(&[bytes]));
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(read(&single), read(&[bytes]));
        }

        #[test]
        fn any_bytes_at_all_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            read(&[&bytes]);
        }
    }
}
