#![allow(clippy::unwrap_used)]

use serde_json::Value;

use super::*;

/// An action that the database never takes.
const BAD: &str = "bad";
/// One at which it panics.
const FATAL: &str = "fatal";

/// A database that fails as told, and what it was given.
#[derive(Clone, Default)]
struct Kept {
    entries: Arc<Mutex<Vec<NewAudit>>>,
    failures: Arc<Mutex<Vec<StorageError>>>,
    /// Held: writing waits.
    gate: Arc<tokio::sync::Mutex<()>>,
}

impl AuditSink for Kept {
    async fn append_audit(&self, batch: &[NewAudit]) -> Result<Head, StorageError> {
        let _open = self.gate.lock().await;
        assert!(batch.iter().all(|entry| entry.action != FATAL), "as planned");
        if batch.iter().any(|entry| entry.action == BAD) {
            return Err(StorageError::Invalid { what: "no" });
        }
        if let Some(error) = self.failures.lock().unwrap().pop() {
            return Err(error);
        }
        let mut entries = self.entries.lock().unwrap();
        entries.extend(batch.iter().cloned());
        Ok(Head { seq: entries.len() as u64, hash: vec![0; 32], mac: Vec::new() })
    }
}

impl Kept {
    fn actions(&self) -> Vec<String> {
        self.entries.lock().unwrap().iter().map(|entry| entry.action.clone()).collect()
    }
}

fn entry(action: &str) -> NewAudit {
    NewAudit::new(action, Party::new("system", "test"), Party::new("test", 1))
}

fn started(sink: &Kept) -> (AuditWriter, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let writer = AuditWriter::start(sink.clone(), AnchorFile::new(folder.path().join("audit/t.head")));
    (writer, folder)
}

fn away() -> StorageError {
    StorageError::Unavailable { database: "db".into(), reason: "gone".into() }
}

#[tokio::test]
async fn a_panic_ends_nothing_but_what_it_was_about() {
    let sink = Kept::default();
    let (writer, _folder) = started(&sink);
    writer.record(entry("a")).await.unwrap();
    let told = writer.record(entry(FATAL)).await.unwrap_err();
    assert!(matches!(told, StorageError::Closing), "{told}");
    assert_eq!(writer.record(entry("b")).await.unwrap(), 2);
    writer.note(entry("c"));
    assert!(writer.flush().await);
    assert_eq!(sink.actions(), ["a", "b", "c"]);
}

#[tokio::test]
async fn entries_are_numbered_as_they_came_and_the_end_is_noted_beside() {
    let sink = Kept::default();
    let (writer, folder) = started(&sink);
    for seq in 1..=3 {
        assert_eq!(writer.record(entry("a")).await.unwrap(), seq);
    }
    let noted = AnchorFile::new(folder.path().join("audit/t.head")).read().unwrap().unwrap();
    assert_eq!(noted.seq, 3);
}

#[tokio::test(start_paused = true)]
async fn a_note_is_tried_until_it_is_written_and_who_asked_is_told() {
    let sink = Kept::default();
    sink.failures.lock().unwrap().extend(vec![away(); 7]);
    let (writer, _folder) = started(&sink);
    writer.note(entry("call.guard"));
    let told = writer.record(entry("token.created")).await;
    assert!(matches!(told, Err(StorageError::Unavailable { .. })), "{told:?}");
    assert!(writer.flush().await);
    assert!(sink.actions().contains(&"call.guard".to_owned()), "{:?}", sink.actions());
}

#[tokio::test]
async fn what_finds_no_room_is_counted_and_the_count_is_on_the_audit() {
    let sink = Kept::default();
    let (writer, _folder) = started(&sink);
    let shut = sink.gate.clone().lock_owned().await;
    let many = QUEUE as u64 + BATCH as u64 + 50;
    for _ in 0..many {
        writer.note(entry("call.guard"));
        tokio::task::yield_now().await;
    }
    drop(shut);
    assert!(writer.flush().await);
    writer.record(entry("last")).await.unwrap();
    let entries = sink.entries.lock().unwrap();
    let written = entries.iter().filter(|entry| entry.action == "call.guard").count() as u64;
    let counted: u64 =
        entries.iter().filter_map(|entry| entry.details.get("count").and_then(Value::as_u64)).sum();
    assert!(counted > 0, "the queue was not full");
    assert_eq!(written + counted, many);
}

#[tokio::test]
async fn one_bad_entry_does_not_silence_the_others() {
    let sink = Kept::default();
    let (writer, _folder) = started(&sink);
    let shut = sink.gate.clone().lock_owned().await;
    writer.note(entry("first"));
    tokio::task::yield_now().await;
    writer.note(entry(BAD));
    writer.note(entry("good"));
    drop(shut);
    assert!(writer.flush().await);
    writer.record(entry("last")).await.unwrap();
    assert_eq!(sink.actions(), ["first", "good", "last"]);
}
