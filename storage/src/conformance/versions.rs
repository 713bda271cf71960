//! Versions of a tenant's document and of its teams.

use serde_json::json;

use super::Fixture;
use crate::versions::{MOST_VERSIONS, NewVersion, VersionKind};
use crate::{Settings, StorageError, TenantStore, Versions};

fn change(expected: u32, body: &str) -> NewVersion {
    NewVersion {
        kind: VersionKind::Config,
        name: String::new(),
        expected,
        actor: "pat".into(),
        changes: vec![format!("it becomes {body}")],
        body: Some(body.into()),
        settings: vec![("facts", json!(body))],
    }
}

/// A row in the table.
pub(crate) async fn planted(store: &TenantStore) {
    store.keep_version(change(0, "one")).await.unwrap();
}

pub(crate) async fn versions_are_kept_with_their_settings_and_listed_newest_first(f: &Fixture) {
    let store = &f.river;
    assert_eq!(store.version_stamp(VersionKind::Config).await.unwrap(), 0);
    assert_eq!(store.keep_version(change(0, "one")).await.unwrap(), 1);
    assert_eq!(store.keep_version(change(1, "two")).await.unwrap(), 2);
    assert_eq!(store.setting("facts").await.unwrap(), Some(json!("two")));
    let all = store.versions(VersionKind::Config, "", None, 10).await.unwrap();
    assert_eq!(all.iter().map(|kept| kept.version).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(store.versions(VersionKind::Config, "", Some(2), 10).await.unwrap(), all[1..]);
    let first = store.version(VersionKind::Config, "", 1).await.unwrap().unwrap();
    assert_eq!((first.actor.as_str(), first.body.as_deref()), ("pat", Some("one")));
    assert_eq!(first.changes, ["it becomes one"]);
    assert!(store.version_stamp(VersionKind::Config).await.unwrap() > 0);
    assert_eq!(f.lake.version(VersionKind::Config, "", 1).await.unwrap(), None);
    assert_eq!(f.lake.version_stamp(VersionKind::Config).await.unwrap(), 0);
}

pub(crate) async fn of_two_changes_to_one_version_the_second_is_refused_whole(f: &Fixture) {
    let store = &f.river;
    let [a, b, c] = ["a", "b", "c"].map(|body| store.keep_version(change(0, body)));
    let (a, b, c) = tokio::join!(a, b, c);
    let mut kept = 0;
    for done in [a, b, c] {
        match done {
            Ok(version) => kept += version,
            Err(error) => {
                assert!(matches!(error, StorageError::Conflict { expected: 0, found: 1 }), "{error}")
            }
        }
    }
    assert_eq!(kept, 1);
    let only = store.versions(VersionKind::Config, "", None, 10).await.unwrap();
    assert_eq!(store.setting("facts").await.unwrap(), only[0].body.clone().map(|body| json!(body)));
}

pub(crate) async fn the_newest_of_each_name_says_what_holds_and_the_oldest_go(f: &Fixture) {
    let store = &f.river;
    let of = |name: &str, expected, body: Option<&str>| NewVersion {
        kind: VersionKind::Team,
        name: name.into(),
        expected,
        body: body.map(str::to_owned),
        settings: Vec::new(),
        ..change(0, "")
    };
    for version in 0..=MOST_VERSIONS {
        store.keep_version(of("roads", version, Some("roads"))).await.unwrap();
    }
    store.keep_version(of("parks", 0, Some("parks"))).await.unwrap();
    store.keep_version(of("parks", 1, None)).await.unwrap();
    let newest = store.newest_versions(VersionKind::Team).await.unwrap();
    let told: Vec<_> =
        newest.iter().map(|kept| (kept.name.as_str(), kept.version, kept.body.is_some())).collect();
    assert_eq!(told, [("parks", 2, false), ("roads", MOST_VERSIONS + 1, true)]);
    assert_eq!(store.version(VersionKind::Team, "roads", 1).await.unwrap(), None);
    assert!(store.version(VersionKind::Team, "roads", 2).await.unwrap().is_some());
    assert!(store.newest_versions(VersionKind::Config).await.unwrap().is_empty());
}
