//! Somebody with the tenant's file and no key changes the audit: it is found, and the first changed entry is named.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, SqliteConnection};
use storage::audit::{Broken, NewAudit, Party, Verdict, Wrong, verify};
use storage::{NewTenant, Platform, PlatformOptions, TenantStore};

const ENTRIES: u64 = 6;

async fn written(folder: &Path) -> (Platform, TenantStore) {
    let platform = Platform::open(PlatformOptions::new(folder)).await.unwrap();
    let new = NewTenant { slug: "river".into(), name: "River".into(), timezone: "UTC".into() };
    let tenant = platform.create_tenant(new).await.unwrap();
    let store = platform.tenant(tenant.id).await.unwrap();
    for n in 1..=ENTRIES {
        let entry =
            NewAudit::new("call.hangup", Party::new("user", "pat"), Party::new("call", n)).with("n", n);
        assert_eq!(store.audit().record(entry).await.unwrap(), n);
    }
    (platform, store)
}

/// A connection past the stores that has taken the triggers off.
async fn burgle(folder: &Path, store: &TenantStore) -> SqliteConnection {
    let file = folder.join("tenants").join(format!("{}.db", store.id()));
    let mut raw = SqliteConnectOptions::new().filename(file).connect().await.unwrap();
    for trigger in ["audit_log_no_update", "audit_log_no_delete"] {
        run(&mut raw, &format!("drop trigger {trigger}")).await;
    }
    raw
}

async fn run(raw: &mut SqliteConnection, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(raw).await.unwrap();
}

async fn found_after(sql: &str) -> Result<u64, Broken> {
    let folder = tempfile::tempdir().unwrap();
    let (_platform, store) = written(folder.path()).await;
    let mut raw = burgle(folder.path(), &store).await;
    run(&mut raw, sql).await;
    match verify(&store, &[], |_| ()).await.unwrap() {
        Verdict::Whole { entries, .. } => Ok(entries),
        Verdict::Broken(broken) => Err(broken),
    }
}

#[tokio::test]
async fn what_was_done_to_the_file_is_named() {
    let swap = "update audit_log set seq = 99 where seq = 2; update audit_log set seq = 2 where seq = 4;
        update audit_log set seq = 4 where seq = 99";
    let insert = "update audit_log set seq = -seq - 1 where seq > 2; update audit_log set seq = -seq where seq < 0;
        insert into audit_log select tenant_id, 3, zeroblob(16), at, trace_id, actor_kind, actor_id, action, subject_kind,
            subject_id, outcome, details, details_salt, null, null, prev_hash, hash, mac from audit_log where seq = 2";
    let cases = [
        ("select 1", None),
        ("update audit_log set actor_id = 'sam' where seq = 3", Some((3, Wrong::Changed))),
        ("update audit_log set at = '1999-01-01T00:00:00.000000Z' where seq = 1", Some((1, Wrong::Changed))),
        ("delete from audit_log where seq = 4", Some((4, Wrong::Missing))),
        ("delete from audit_log where seq = 1", Some((1, Wrong::Missing))),
        (swap, Some((2, Wrong::Changed))),
        (insert, Some((3, Wrong::Changed))),
        ("delete from audit_log where seq > 4", Some((5, Wrong::CutOff))),
        ("delete from audit_log where seq > 4; delete from audit_heads", Some((4, Wrong::NoHead))),
        ("delete from audit_log; delete from audit_heads", Some((1, Wrong::CutOff))),
        ("update audit_heads set seq = 4", Some((6, Wrong::HeadForged))),
    ];
    for (sql, expected) in cases {
        let expected = expected.map_or(Ok(ENTRIES), |(seq, wrong)| Err(Broken { seq, wrong }));
        assert_eq!(found_after(sql).await, expected, "{sql}");
    }
}

#[tokio::test]
async fn an_old_copy_of_the_whole_file_is_found_by_the_note_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let (platform, store) = written(folder.path()).await;
    let id = store.id();
    platform.close().await;
    drop((platform, store));
    let file = folder.path().join("tenants").join(format!("{id}.db"));
    let old = std::fs::read(&file).unwrap();
    let open = async || Platform::open(PlatformOptions::new(folder.path())).await.unwrap();
    let platform = open().await;
    let store = platform.tenant(id).await.unwrap();
    let entry = NewAudit::new("token.created", Party::new("user", "pat"), Party::new("token", 1));
    assert_eq!(store.audit().record(entry).await.unwrap(), ENTRIES + 1);
    platform.close().await;
    drop((platform, store));
    std::fs::write(&file, old).unwrap();
    let store = open().await.tenant(id).await.unwrap();
    let verdict = verify(&store, &[], |_| ()).await.unwrap();
    assert_eq!(verdict, Verdict::Broken(Broken { seq: ENTRIES + 1, wrong: Wrong::CutOff }));
}
