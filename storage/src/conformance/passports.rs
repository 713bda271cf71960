//! Passports.

use serde_json::{Value, json};

use super::Fixture;
use crate::ids::{CallId, PassportId};
use crate::records::{NewPassport, Passport, PassportChange, PassportFilter};
use crate::{Passports, StorageError};

pub(crate) fn document(step: u32, ledger: &[&str]) -> Value {
    let ledger: Vec<Value> =
        ledger.iter().map(|action| json!({"agent_id": "front_desk", "action": action})).collect();
    json!({"mission": {"objective": "take a report"}, "context": {"step": step}, "ledger": ledger})
}

pub(crate) fn new_passport() -> NewPassport {
    NewPassport {
        id: PassportId::new(),
        team_id: "front_desk".into(),
        status: "in_progress".into(),
        call_id: Some(CallId::new()),
        document: document(0, &["greet"]),
    }
}

pub(crate) fn change(passport: &Passport, document: Value) -> PassportChange {
    PassportChange {
        id: passport.id,
        expected_version: passport.version,
        team_id: passport.team_id.clone(),
        status: passport.status.clone(),
        document,
    }
}

pub(crate) async fn a_passport_comes_back_with_its_ledger(f: &Fixture) {
    let new = new_passport();
    let first = f.river.create_passport(new.clone()).await.unwrap();
    assert_eq!((first.version, &first.document, first.call_id), (1, &new.document, new.call_id));
    let document = document(1, &["greet", "ask", "file"]);
    let to = PassportChange { status: "completed".into(), ..change(&first, document.clone()) };
    assert_eq!(f.river.update_passport(to).await.unwrap(), 2);
    let second = f.river.passport(new.id).await.unwrap().unwrap();
    assert_eq!((second.version, second.status.as_str(), second.document), (2, "completed", document));
    assert!(second.updated_at >= first.updated_at && second.created_at == first.created_at);
    let again = f.river.create_passport(new).await;
    assert!(matches!(again, Err(StorageError::Taken { what: "passport" })));
}

pub(crate) async fn a_stale_change_names_both_versions(f: &Fixture) {
    let first = f.river.create_passport(new_passport()).await.unwrap();
    for step in 1..=3 {
        let now = f.river.passport(first.id).await.unwrap().unwrap();
        f.river.update_passport(change(&now, document(step, &["greet"]))).await.unwrap();
    }
    let stale = f.river.update_passport(change(&first, document(9, &["greet"]))).await;
    assert!(matches!(stale, Err(StorageError::Conflict { expected: 1, found: 4 })), "{stale:?}");
    let unknown = PassportChange { id: PassportId::new(), ..change(&first, document(9, &[])) };
    assert!(matches!(f.river.update_passport(unknown).await, Err(StorageError::NotFound { .. })));
}

pub(crate) async fn a_ledger_only_grows(f: &Fixture) {
    let first = f.river.create_passport(new_passport()).await.unwrap();
    let shorter = f.river.update_passport(change(&first, document(1, &[]))).await;
    assert!(matches!(shorter, Err(StorageError::Invalid { .. })), "{shorter:?}");
    let kept = f.river.passport(first.id).await.unwrap().unwrap();
    assert_eq!((kept.version, kept.document), (1, first.document.clone()));
    let rewritten = f.river.update_passport(change(&first, document(1, &["other", "ask"]))).await;
    assert_eq!(rewritten.unwrap(), 2);
    let kept = f.river.passport(first.id).await.unwrap().unwrap();
    assert_eq!(kept.document, document(1, &["greet", "ask"]), "what is on record stays as it was written");
}

pub(crate) async fn one_of_two_racing_changes_wins(f: &Fixture) {
    let first = f.river.create_passport(new_passport()).await.unwrap();
    let racers = (0..8).map(|n| {
        let (store, change) = (f.river.clone(), change(&first, document(n, &["greet"])));
        tokio::spawn(async move { store.update_passport(change).await })
    });
    let mut won = 0;
    for racer in racers.collect::<Vec<_>>() {
        match racer.await.unwrap() {
            Ok(version) => {
                assert_eq!(version, 2);
                won += 1;
            }
            Err(error) => assert!(matches!(error, StorageError::Conflict { expected: 1, found: 2 })),
        }
    }
    assert_eq!(won, 1);
}

pub(crate) async fn a_passport_that_grows_is_read_at_one_version(f: &Fixture) {
    const LAST: u32 = 200;
    let first = f.river.create_passport(new_passport()).await.unwrap();
    let (store, growing) = (f.river.clone(), first.clone());
    let writer = tokio::spawn(async move {
        for version in 1..LAST {
            let actions = vec!["greet"; version as usize + 1];
            let grown =
                PassportChange { expected_version: version, ..change(&growing, document(version, &actions)) };
            assert_eq!(store.update_passport(grown).await.unwrap(), version + 1);
        }
    });
    let mut versions = std::collections::BTreeSet::new();
    loop {
        let read = f.river.passport(first.id).await.unwrap().unwrap();
        let entries = read.document["ledger"].as_array().unwrap().len();
        assert_eq!(
            (entries, read.document["context"]["step"].as_u64()),
            (read.version as usize, Some(u64::from(read.version) - 1))
        );
        versions.insert(read.version);
        if read.version == LAST {
            break;
        }
    }
    writer.await.unwrap();
    assert!(versions.len() > 10, "read while it grew: {versions:?}");
}

pub(crate) async fn passports_are_listed_by_plain_columns(f: &Fixture) {
    for (team, status) in [("front_desk", "pending"), ("claims", "pending"), ("claims", "completed")] {
        let new = NewPassport { team_id: team.into(), status: status.into(), ..new_passport() };
        f.river.create_passport(new).await.unwrap();
    }
    let count = async |filter: PassportFilter| f.river.list_passports(filter).await.unwrap().len();
    assert_eq!(count(PassportFilter::default()).await, 3);
    assert_eq!(
        count(PassportFilter { status: Some("pending".into()), ..PassportFilter::default() }).await,
        2
    );
    let claims = PassportFilter {
        team_id: Some("claims".into()),
        status: Some("completed".into()),
        ..PassportFilter::default()
    };
    assert_eq!(count(claims).await, 1);
    let page =
        f.river.list_passports(PassportFilter { limit: 2, ..PassportFilter::default() }).await.unwrap();
    let rest = PassportFilter { after: page.last().map(|p| p.id), ..PassportFilter::default() };
    assert_eq!(count(rest).await, 1);
}
