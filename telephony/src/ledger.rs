//! The append-only record of what was planned, sent, heard, partly heard and dropped.
//!
//! History, transcript, idle timers, captions and audit read this and nothing else. It is filled by
//! [`crate::playout::PlayOut`] and never rewritten: a closed segment stays as it was closed.

#![deny(clippy::disallowed_methods)]

use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::media::{CallTime, MarkId};

pub(crate) mod words;

/// Name of one segment of our speech. Order is the order of planning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct SegmentKey {
    /// The turn it belongs to.
    pub group: u32,
    /// Place within the turn.
    pub index: u16,
}

/// One spoken word with its place in its segment's audio, milliseconds from the segment's start.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WordSpan {
    pub text: String,
    pub start_ms: u32,
    pub end_ms: u32,
}

/// How the play-out of a segment ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SegmentState {
    /// Every word was played.
    Heard,
    /// It was cut while it played. There may be no whole word in what was heard.
    PartlyHeard,
    /// Nothing of it was played.
    Dropped,
}

/// A segment in its final state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Closed {
    pub key: SegmentKey,
    pub state: SegmentState,
    /// When the caller began to hear it. For a dropped segment both times are the moment of the drop.
    pub from: CallTime,
    /// When the caller ceased to hear it.
    pub to: CallTime,
    /// The words that were played; the whole text when it was heard.
    pub heard_text: String,
    /// Marks were late or missing: this is judged from the clock, erring towards too little.
    pub estimated: bool,
}

/// What was heard of a group up to the last time the play-out was told.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HeardSoFar {
    /// Words in the order they were played.
    pub text: String,
    /// There is at least one segment and each was heard to its end (a cut one that was said again later counts
    /// by its repetition).
    pub complete: bool,
    pub estimated: bool,
}

/// One line of the ledger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LedgerEntry {
    pub at: CallTime,
    pub event: LedgerEvent,
}

/// What the ledger records. Frames are counted from 0 over the whole call's outbound audio.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LedgerEvent {
    Planned {
        key: SegmentKey,
    },
    /// All of the segment that ever will be sent has been sent, in these frames (both included).
    Sent {
        key: SegmentKey,
        first_frame: u64,
        last_frame: u64,
    },
    /// A mark went out after this many frames.
    MarkSent {
        mark: MarkId,
        frames: u64,
    },
    /// The carrier played everything before the mark.
    MarkPlayed {
        mark: MarkId,
    },
    /// The mark came back because of a clear: no proof of anything.
    MarkFlushed {
        mark: MarkId,
    },
    /// The oldest mark is overdue: positions are estimated until one comes back.
    MarksMissing,
    /// What was unsent of the group was dropped.
    Cancelled {
        group: u32,
    },
    /// Everything sent and unsent was dropped, when this many bytes had been sent and `heard_bytes` of them played.
    Cleared {
        sent_bytes: u64,
        heard_bytes: u64,
    },
    Closed {
        key: SegmentKey,
        state: SegmentState,
        estimated: bool,
    },
}

/// The ledger of one call.
#[derive(Debug, Default)]
pub struct Ledger {
    entries: Vec<LedgerEntry>,
    records: Vec<Record>,
    by_key: HashMap<SegmentKey, usize>,
    /// Records closed and not yet reported, oldest first.
    unreported: VecDeque<usize>,
}

/// A segment's text, and its end when it has one.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) key: SegmentKey,
    pub(crate) text: String,
    pub(crate) closed: Option<Closed>,
}

impl Ledger {
    /// Every line so far, oldest first.
    #[must_use]
    pub fn entries(&self) -> &[LedgerEntry] {
        &self.entries
    }

    /// Text of a segment that was planned.
    #[must_use]
    pub fn text(&self, key: SegmentKey) -> Option<&str> {
        self.by_key.get(&key).map(|&i| self.records[i].text.as_str())
    }

    /// Final state of a segment, if it has one.
    #[must_use]
    pub fn closed(&self, key: SegmentKey) -> Option<&Closed> {
        self.by_key.get(&key).and_then(|&i| self.records[i].closed.as_ref())
    }

    pub(crate) fn note(&mut self, at: CallTime, event: LedgerEvent) {
        self.entries.push(LedgerEntry { at, event });
    }

    /// Adds a segment; false when the key is taken.
    pub(crate) fn plan(&mut self, at: CallTime, key: SegmentKey, text: String) -> bool {
        if self.by_key.contains_key(&key) {
            return false;
        }
        self.by_key.insert(key, self.records.len());
        self.records.push(Record { key, text, closed: None });
        self.note(at, LedgerEvent::Planned { key });
        true
    }

    /// Closes a segment once; a second close changes nothing.
    pub(crate) fn close(&mut self, at: CallTime, closed: Closed) {
        let Some(&i) = self.by_key.get(&closed.key) else { return };
        if self.records[i].closed.is_some() {
            return;
        }
        let (key, state, estimated) = (closed.key, closed.state, closed.estimated);
        self.records[i].closed = Some(closed);
        self.unreported.push_back(i);
        self.note(at, LedgerEvent::Closed { key, state, estimated });
    }

    pub(crate) fn take_closed(&mut self) -> Option<Closed> {
        let i = self.unreported.pop_front()?;
        self.records[i].closed.clone()
    }

    pub(crate) fn group(&self, group: u32) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(move |r| r.key.group == group)
    }

    /// Segments of the group that were not heard to their end and not said again since, in order.
    pub(crate) fn unheard(&self, group: u32) -> impl Iterator<Item = &Record> {
        self.group(group).enumerate().filter_map(move |(n, record)| {
            let heard = record.closed.as_ref().is_some_and(|c| c.state == SegmentState::Heard);
            let said_again = || self.group(group).skip(n + 1).any(|later| later.text == record.text);
            (!heard && !said_again()).then_some(record)
        })
    }
}
