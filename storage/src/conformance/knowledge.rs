//! Documents, passages, settings.

use serde_json::json;

use super::Fixture;
use crate::document_records::{Chunk, NewDocument};
use crate::{Knowledge, Settings, StorageError};

pub(crate) fn new_document(source: &str, texts: &[&str]) -> NewDocument {
    let chunks = (0..)
        .zip(texts)
        .map(|(ordinal, text)| Chunk {
            ordinal,
            heading: "Hours".into(),
            text: (*text).into(),
            embedding: (ordinal % 2 == 0).then(|| vec![0.25, -1.5, f32::MIN_POSITIVE]),
        })
        .collect();
    NewDocument {
        source: source.into(),
        title: "Opening hours".into(),
        media_type: "text/markdown".into(),
        content: texts.join("\n"),
        chunks,
    }
}

pub(crate) async fn a_source_is_replaced(f: &Fixture) {
    let first =
        f.river.replace_document(new_document("hours.md", &["nine to five", "closed"])).await.unwrap();
    let new = NewDocument { title: "Hours".into(), ..new_document("hours.md", &["ten to four"]) };
    assert_eq!(f.river.replace_document(new).await.unwrap(), first);
    let document = f.river.document(first).await.unwrap().unwrap();
    assert_eq!((document.title.as_str(), document.content.as_str()), ("Hours", "ten to four"));
    let texts: Vec<_> = f.river.all_chunks().await.unwrap().into_iter().map(|c| c.chunk.text).collect();
    assert_eq!(texts, ["ten to four"]);
    let heads = f.river.list_documents().await.unwrap();
    assert_eq!((heads.len(), heads[0].chunks), (1, 1));
}

pub(crate) async fn passages_come_back_with_vectors(f: &Fixture) {
    let new = new_document("a.md", &["one", "two"]);
    let id = f.river.replace_document(new.clone()).await.unwrap();
    let stored = f.river.all_chunks().await.unwrap();
    assert_eq!(stored.iter().map(|c| c.chunk.clone()).collect::<Vec<_>>(), new.chunks);
    assert!(stored.iter().all(|c| c.document_id == id && c.source == "a.md" && c.title == "Opening hours"));
}

pub(crate) async fn a_deleted_document_is_gone(f: &Fixture) {
    let id = f.river.replace_document(new_document("a.md", &["one"])).await.unwrap();
    assert!(f.river.delete_document(id).await.unwrap());
    assert!(!f.river.delete_document(id).await.unwrap());
    assert_eq!(f.river.document(id).await.unwrap(), None);
    assert!(f.river.all_chunks().await.unwrap().is_empty());
}

pub(crate) async fn a_document_with_a_nul_is_refused(f: &Fixture) {
    for document in [new_document("a\0.md", &["one"]), new_document("a.md", &["one", "t\0wo"])] {
        let refused = f.river.replace_document(document).await;
        assert!(matches!(refused, Err(StorageError::Invalid { .. })), "{refused:?}");
    }
    assert!(f.river.list_documents().await.unwrap().is_empty());
}

pub(crate) async fn documents_are_listed_by_the_bytes_of_their_source(f: &Fixture) {
    for source in ["b.md", "A.md", "a.md", "B.md", "a-b.md", "\u{e9}.md", "_.md"] {
        f.river.replace_document(new_document(source, &["one"])).await.unwrap();
    }
    let sources: Vec<_> = f.river.list_documents().await.unwrap().into_iter().map(|d| d.source).collect();
    assert_eq!(sources, ["A.md", "B.md", "_.md", "a-b.md", "a.md", "b.md", "\u{e9}.md"]);
}

pub(crate) async fn settings_and_counters_keep_their_values(f: &Fixture) {
    assert!(!f.river.seeded().await.unwrap());
    f.river.mark_seeded().await.unwrap();
    assert!(f.river.seeded().await.unwrap());
    assert_eq!(f.river.setting("voice").await.unwrap(), None);
    f.river.put_setting("voice", &json!({"name": "a"})).await.unwrap();
    f.river.put_setting("voice", &json!({"name": "b"})).await.unwrap();
    assert_eq!(f.river.setting("voice").await.unwrap(), Some(json!({"name": "b"})));
    for sum in 1..=3 {
        assert_eq!(f.river.count_up("calls").await.unwrap(), sum);
    }
}
