//! The audit.

use serde_json::json;
use uuid::Uuid;

use super::Fixture;
use crate::audit::{
    AuditEntry, AuditFilter, AuditRange, Broken, Head, NewAudit, Outcome, Party, Verdict, Wrong, verify,
};
use crate::backend::on_backend;
use crate::{Audit, Directory, StorageError, TenantId, TenantStore};

pub(crate) fn entry(action: &str) -> NewAudit {
    NewAudit::new(action, Party::new("user", "pat"), Party::new("call", "c1"))
        .traced(Uuid::nil())
        .with("reason", "test")
        .personal(json!({"said": "planted-personal-text"}))
}

async fn all(store: &TenantStore) -> Vec<AuditEntry> {
    store.audit_page(0, 10_000).await.unwrap().entries
}

pub(crate) async fn whole(store: &TenantStore, noted: &[Head]) -> u64 {
    match verify(store, noted, |_| ()).await.unwrap() {
        Verdict::Whole { entries, .. } => entries,
        Verdict::Broken(broken) => panic!("{broken}"),
    }
}

async fn append(store: &TenantStore, batch: &[NewAudit]) -> Result<Head, StorageError> {
    on_backend!(store, store => store.append_audit(batch).await)
}

pub(crate) async fn entries_come_back_as_one_chain(f: &Fixture) {
    let audit = f.river.audit();
    for n in 1..=5 {
        assert_eq!(audit.record(entry("call.hangup").with("n", n)).await.unwrap(), n);
    }
    audit.note(NewAudit { personal: None, ..entry("call.guard") }.outcome(Outcome::Found));
    assert!(audit.flush().await);
    let kept = all(&f.river).await;
    assert_eq!(kept.iter().map(|e| e.seq).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    let first = &kept[0];
    assert_eq!((first.actor_id.as_str(), first.outcome.as_str(), first.trace_id.len()), ("pat", "done", 32));
    assert_eq!(first.details, r#"{"n":1,"reason":"test"}"#);
    let personal = first.personal(f.river.sealer()).unwrap().unwrap();
    assert_eq!(personal.text.as_str(), r#"{"said":"planted-personal-text"}"#);
    assert_eq!((kept[5].outcome.as_str(), &kept[5].personal_sealed), ("found", &None));
    assert_eq!(whole(&f.river, &[]).await, 6);
}

pub(crate) async fn many_writers_make_one_chain_without_gaps(f: &Fixture) {
    // Past the task that groups them: as writers on several nodes do.
    let writers: Vec<_> = (0..8)
        .map(|_| {
            let store = f.river.clone();
            tokio::spawn(async move {
                for _ in 0..10 {
                    let batch = [entry("a"), entry("b"), entry("c")];
                    append(&store, &batch).await.unwrap();
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    let kept = all(&f.river).await;
    assert!(kept.iter().map(|entry| entry.seq).eq(1..=240));
    for batch in kept.chunks(3) {
        assert_eq!(batch.iter().map(|e| e.action.as_str()).collect::<String>(), "abc");
    }
    assert_eq!(whole(&f.river, &[]).await, 240);
}

pub(crate) async fn a_chain_that_grows_is_whole_at_any_moment(f: &Fixture) {
    let audit = f.river.audit();
    let growing = tokio::spawn({
        let audit = audit.clone();
        async move {
            for _ in 0..60 {
                audit.record(entry("a")).await.unwrap();
            }
        }
    });
    while !growing.is_finished() {
        whole(&f.river, &[]).await;
    }
    growing.await.unwrap();
    assert_eq!(whole(&f.river, &[]).await, 60);
}

pub(crate) async fn an_entry_that_is_given_twice_is_kept_once(f: &Fixture) {
    let batch = [entry("a"), entry("b")];
    let first = append(&f.river, &batch).await.unwrap();
    append(&f.river, &[entry("c")]).await.unwrap();
    assert_eq!(append(&f.river, &batch).await.unwrap(), first);
    append(&f.river, &[entry("d")]).await.unwrap();
    let actions: String = all(&f.river).await.iter().map(|e| e.action.clone()).collect();
    assert_eq!(actions, "abcd");
    assert_eq!(whole(&f.river, &[]).await, 4);
}

pub(crate) async fn entries_are_listed_by_filter(f: &Fixture) {
    let audit = f.river.audit();
    let on = |action, id| NewAudit { subject: Party::new("call", id), ..entry(action) };
    for new in
        [on("call.hangup", "c1"), on("call.guard", "c2"), on("call.hangup", "c2"), on("call.guard", "c1")]
    {
        audit.record(new).await.unwrap();
    }
    let seqs = async |filter: AuditFilter| -> Vec<u64> {
        f.river.list_audit(filter).await.unwrap().iter().map(|e| e.seq).collect()
    };
    let any = AuditFilter::default;
    assert_eq!(seqs(any()).await, [4, 3, 2, 1]);
    assert_eq!(seqs(AuditFilter { action: Some("call.guard".into()), ..any() }).await, [4, 2]);
    assert_eq!(seqs(AuditFilter { subject: Some("c2".into()), before: Some(3), ..any() }).await, [2]);
    assert_eq!(seqs(AuditFilter { actor: Some("nobody".into()), ..any() }).await, [0_u64; 0]);
    assert_eq!(seqs(AuditFilter { limit: 1, ..any() }).await, [4]);
    let middle = all(&f.river).await[1].at.parse().unwrap();
    assert_eq!(seqs(AuditFilter { from: Some(middle), ..any() }).await, [4, 3, 2]);
    assert_eq!(seqs(AuditFilter { to: Some(middle), ..any() }).await, [1]);
    let range =
        f.river.audit_range(AuditFilter { action: Some("call.guard".into()), ..any() }).await.unwrap();
    assert_eq!(range, Some(AuditRange { first: 2, last: 4 }));
    let none = AuditFilter { action: Some("x".into()), ..any() };
    assert_eq!(f.river.audit_range(none).await.unwrap(), None);
}

pub(crate) async fn a_tenants_audit_is_its_own(f: &Fixture) {
    f.river.audit().record(entry("a")).await.unwrap();
    assert!(all(&f.lake).await.is_empty());
    assert!(f.lake.list_audit(AuditFilter::default()).await.unwrap().is_empty());
    assert_eq!(f.lake.audit().record(entry("a")).await.unwrap(), 1);
    assert_eq!((whole(&f.river, &[]).await, whole(&f.lake, &[]).await), (1, 1));
}

pub(crate) async fn the_platform_has_an_audit_of_its_own(f: &Fixture) {
    let own = f.platform.own().await.unwrap();
    own.audit().record(entry("session.refused")).await.unwrap();
    let again = f.platform.own().await.unwrap();
    assert_eq!((again.id(), whole(&again, &[]).await), (TenantId::PLATFORM, 1));
    let listed = f.platform.store().tenants().await.unwrap();
    assert_eq!(listed.iter().map(|t| t.slug.as_str()).collect::<Vec<_>>(), ["lake", "river"]);
}

pub(crate) async fn an_old_end_is_told_by_the_note_beside(f: &Fixture) {
    f.river.audit().record(entry("a")).await.unwrap();
    let noted = f.river.audit_anchor().unwrap().unwrap();
    assert_eq!((noted.seq, &noted.hash), (1, &all(&f.river).await[0].hash));
    // The chain of another tenant that was noted here cannot be this one.
    let foreign = Head { hash: vec![1; 32], ..noted.clone() };
    let verdict = verify(&f.river, std::slice::from_ref(&foreign), |_| ()).await.unwrap();
    assert_eq!(verdict, Verdict::Broken(Broken { seq: 1, wrong: Wrong::Rewritten }));
    let later = Head { seq: 9, ..noted };
    let verdict = verify(&f.river, &[later], |_| ()).await.unwrap();
    assert_eq!(verdict, Verdict::Broken(Broken { seq: 2, wrong: Wrong::CutOff }));
}
