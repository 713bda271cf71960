//! The durable record of a live call: the pipeline's log port on top of storage's group commit.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use pipeline::event::{AttentionLevel, Holder};
use pipeline::ports::{CallLog, CallRecord, EndReason, LogEntry, LogEvent, LogStream, Played, PortError};
use pipeline::turn::{CallId, SegmentKind};
use storage::CallWriter;
use storage::records::{Attention, CallEntry, LogRow, PlayState};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use super::give_up_callback::CallBack;
use crate::telemetry::metrics::reason_name;

/// A reply waits for its record for so long. Then the record counts as lost, and the caller hears why instead of nothing:
/// a database that stands still says nothing for much longer. Longer than a restart of it.
const DURABLE_WITHIN: Duration = Duration::from_millis(3_500);
/// Entries and answers that may wait.
const QUEUE: usize = 256;

/// The log of one tenant's calls. A call that goes on after a cut continues its record where it stood.
#[derive(Clone, Debug)]
pub struct StoredLog {
    pub writer: CallWriter,
    /// What is on record already.
    pub after: Offset,
    pub tasks: TaskTracker,
    /// What to file when we have to give up.
    pub owed: CallBack,
}

/// Where a record goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offset {
    /// Last number on record.
    pub seq: u64,
    /// From the call's first stream to this one.
    pub ms: u64,
    /// The first turn of this stream, so that no turn of an earlier one is written over.
    pub first_turn: u32,
    /// What the call cost before this stream, millionths of a US dollar.
    pub cost_micros: u64,
}

impl CallLog for StoredLog {
    fn open(&self, call: CallId) -> Result<LogStream, PortError> {
        let (commands, entries) = mpsc::channel(QUEUE);
        let (answers, events) = mpsc::channel(QUEUE);
        self.tasks.spawn(self.clone().write(storage::CallId(call.0), entries, answers));
        Ok(LogStream { commands, events })
    }
}

impl StoredLog {
    /// Hands entries to the group commit in order, and gives their outcomes back in order.
    async fn write(
        self,
        call: storage::CallId,
        mut entries: mpsc::Receiver<LogEntry>,
        answers: mpsc::Sender<LogEvent>,
    ) {
        let mut outcomes = FuturesOrdered::new();
        let mut open = true;
        while open || !outcomes.is_empty() {
            tokio::select! {
                biased;
                Some(event) = outcomes.next() => {
                    // A call that is gone needs no answer; its record is still written.
                    let _ = answers.send(event).await;
                }
                entry = entries.recv(), if open => match entry {
                    Some(entry) => outcomes.push_back(self.submit(call, entry).await),
                    None => open = false,
                },
            }
        }
    }

    /// Submits one entry; the future given resolves with its outcome.
    async fn submit(&self, call: storage::CallId, entry: LogEntry) -> impl Future<Output = LogEvent> + use<> {
        let seq = entry.seq;
        let filed = match &entry.record {
            CallRecord::CallBackOwed { .. } => self.owed.file().await,
            _ => Ok(()),
        };
        let submitted = match (filed, row(entry, self.after)) {
            (Err(e), _) => Some(Err(e)),
            (Ok(()), Some(row)) => Some(self.writer.submit(call, vec![row]).await),
            (Ok(()), None) => None,
        };
        async move {
            let outcome = match submitted {
                None => return LogEvent::Durable { seq },
                Some(Ok(outcome)) => match tokio::time::timeout(DURABLE_WITHIN, outcome).await {
                    Ok(outcome) => outcome.unwrap_or(Err(storage::StorageError::Closing)),
                    Err(_) => Err(storage::StorageError::Unavailable {
                        database: "the record of calls".to_owned(),
                        reason: format!("not durable within {} ms", DURABLE_WITHIN.as_millis()),
                    }),
                },
                Some(Err(e)) => Err(e),
            };
            match outcome {
                Ok(_) => LogEvent::Durable { seq },
                Err(e) => {
                    tracing::error!(call_id = %call, seq, error = %e, "a call's record could not be written");
                    LogEvent::Failed { seq }
                }
            }
        }
    }
}

/// The stored form of an entry; `None` for what is not a fact about the call: a stream that was replaced has not
/// ended its call.
fn row(entry: LogEntry, after: Offset) -> Option<LogRow> {
    let at = |ms: u64| ms + after.ms;
    let kept = match entry.record {
        CallRecord::CallerTurn { turn, text, started_ms, ended_ms, confidence } => CallEntry::CallerTurn {
            turn: turn.0,
            text,
            started_ms: at(started_ms),
            ended_ms: at(ended_ms),
            confidence,
        },
        CallRecord::Digits { turn, digits } => CallEntry::Digits { turn: turn.0, digits },
        CallRecord::Planned { segment } => CallEntry::Planned {
            turn: segment.id.turn.0,
            segment: segment.id.index,
            text: segment.text,
            segment_kind: kind_name(segment.kind).to_owned(),
            fixed: segment.fixed,
        },
        CallRecord::Played { segment, state, from_ms, to_ms, heard_text, estimated } => CallEntry::Played {
            turn: segment.turn.0,
            segment: segment.index,
            state: play_state(state),
            from_ms: at(from_ms),
            to_ms: at(to_ms),
            heard_text,
            estimated,
        },
        CallRecord::Rejoined { turn, at_ms } => CallEntry::Rejoined { turn: turn.0, at_ms: at(at_ms) },
        CallRecord::Interrupted { turn, at_ms } => CallEntry::Interrupted { turn: turn.0, at_ms: at(at_ms) },
        CallRecord::Latency { latency } => CallEntry::Latency {
            turn: latency.turn.0,
            latency: serde_json::to_value(&latency).unwrap_or_default(),
        },
        CallRecord::Provider { note } => CallEntry::Provider {
            provider: note.provider,
            state: note.state.name().to_owned(),
            reason: note.reason,
            delay_ms: note.delay_ms,
        },
        CallRecord::Cost { turn, turn_micros, call_micros, wasted_micros } => {
            let call_micros = call_micros + after.cost_micros;
            CallEntry::Cost { turn: turn.0, turn_micros, call_micros, wasted_micros }
        }
        CallRecord::Language { turn, language } => {
            CallEntry::Language { turn: turn.0, language: language.code().to_owned() }
        }
        CallRecord::Attention { turn, level, reason } => {
            CallEntry::Attention { turn: turn.0, level: attention(level), reason: reason.name().to_owned() }
        }
        CallRecord::CallBackOwed { turn } => CallEntry::CallBackOwed { turn: turn.0 },
        CallRecord::Control { turn, holder, by, reason, note } => CallEntry::Control {
            turn: turn.0,
            holder: match holder {
                Holder::Agent => "agent".to_owned(),
                Holder::Person => "person".to_owned(),
            },
            by,
            reason: reason.name().to_owned(),
            note,
        },
        CallRecord::PersonSpoke { turn, by, from_ms, to_ms } => {
            CallEntry::PersonSpoke { turn: turn.0, by, from_ms: at(from_ms), to_ms: at(to_ms) }
        }
        CallRecord::PersonSaid { turn, by, text, from_ms, to_ms } => {
            CallEntry::PersonSaid { turn: turn.0, by, text, from_ms: at(from_ms), to_ms: at(to_ms) }
        }
        CallRecord::Whispered { turn, by, text, until } => {
            CallEntry::Whispered { turn: turn.0, by, text, until }
        }
        CallRecord::Consent { turn, consented } => {
            CallEntry::Consent { turn: turn.0, consented: consented.name().to_owned() }
        }
        CallRecord::Notes { turn, state, with } => {
            CallEntry::Notes { turn: turn.0, state: state.name().to_owned(), with }
        }
        CallRecord::Ended { reason: EndReason::Replaced } => return None,
        CallRecord::Ended { reason } => CallEntry::Ended { reason: reason_name(reason).to_owned() },
    };
    Some(LogRow { seq: entry.seq + after.seq, at_ms: at(entry.at_ms), entry: kept })
}

/// A level as it is stored.
#[must_use]
pub const fn attention(level: AttentionLevel) -> Attention {
    match level {
        AttentionLevel::None => Attention::None,
        AttentionLevel::Watch => Attention::Watch,
        AttentionLevel::Urgent => Attention::Urgent,
    }
}

/// Name of a segment's kind, as it is stored and shown.
#[must_use]
pub const fn kind_name(kind: SegmentKind) -> &'static str {
    match kind {
        SegmentKind::Reply => "reply",
        // On the record it is a notice like another.
        SegmentKind::Notice | SegmentKind::Consent => "notice",
        SegmentKind::Filler => "filler",
        SegmentKind::Prompt => "prompt",
    }
}

const fn play_state(state: Played) -> PlayState {
    match state {
        Played::Heard => PlayState::Heard,
        Played::PartlyHeard => PlayState::PartlyHeard,
        Played::Dropped => PlayState::Dropped,
    }
}

#[cfg(test)]
mod tests {
    use pipeline::turn::TurnId;

    use super::*;

    #[test]
    fn a_resumed_call_goes_on_where_its_record_stood() {
        let entry =
            LogEntry { seq: 1, at_ms: 20, record: CallRecord::Interrupted { turn: TurnId(0), at_ms: 10 } };
        let row = row(entry, Offset { seq: 7, ms: 60_000, first_turn: 3, cost_micros: 0 }).unwrap();
        assert_eq!((row.seq, row.at_ms), (8, 60_020));
        assert_eq!(row.entry, CallEntry::Interrupted { turn: 0, at_ms: 60_010 });
    }

    #[test]
    fn a_resumed_call_goes_on_paying_where_it_stood() {
        let record = CallRecord::Cost { turn: TurnId(3), turn_micros: 5, call_micros: 40, wasted_micros: 0 };
        let row =
            row(LogEntry { seq: 1, at_ms: 0, record }, Offset { cost_micros: 1_000, ..Offset::default() });
        let CallEntry::Cost { turn_micros, call_micros, .. } = row.unwrap().entry else { panic!() };
        assert_eq!((turn_micros, call_micros), (5, 1_040));
    }

    #[test]
    fn a_replaced_stream_does_not_end_its_call() {
        let ended = |reason| LogEntry { seq: 3, at_ms: 0, record: CallRecord::Ended { reason } };
        assert_eq!(row(ended(EndReason::Replaced), Offset::default()), None);
        assert!(row(ended(EndReason::CallerHungUp), Offset::default()).is_some());
    }
}
