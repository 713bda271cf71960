//! The conformance suite on SQLite, and what only SQLite's file layout can show.

#![allow(clippy::unwrap_used)]

use crate::backend::Either;
use crate::conformance::calls::{row, said};
use crate::conformance::{Fixture, new_call, suite};
use crate::{Calls, Platform, PlatformOptions, StorageError};

async fn fixture() -> Fixture {
    let folder = tempfile::tempdir().expect("a folder");
    let platform = Platform::open(PlatformOptions::new(folder.path())).await.expect("a platform");
    Fixture::on(platform, Box::new(folder)).await
}

fn core(f: &Fixture) -> &super::tenant::Core {
    match &f.river.0 {
        Either::Sqlite(store) => &store.core,
        Either::Postgres(_) => panic!("the fixture is on SQLite"),
    }
}

mod suite {
    super::suite!(super::super::fixture);
}

#[tokio::test]
async fn a_full_disk_is_told_and_costs_nothing_that_was_acknowledged() {
    let f = fixture().await;
    let call = f.river.begin_call(new_call()).await.unwrap().id;
    f.river.append(call, &[row(1, said(1, "before"))]).await.unwrap();
    limit_pages(&f, "pragma max_page_count = 1").await;
    let writer = f.river.call_writer();
    let long = "word ".repeat(100_000);
    let refused = writer.append(call, vec![row(2, said(1, &long))]).await.unwrap_err();
    assert!(matches!(refused, StorageError::DiskFull { .. }), "{refused}");
    assert!(refused.to_string().contains("tenants: the disk is full"), "{refused}");

    limit_pages(&f, "pragma max_page_count = 1000000").await;
    writer.append(call, vec![row(2, said(1, "after"))]).await.unwrap();
    assert_eq!(f.river.call_log(call).await.unwrap().len(), 2);
}

async fn limit_pages(f: &Fixture, pragma: &'static str) {
    sqlx::query(pragma).execute(&core(f).db.writer).await.unwrap();
}

#[tokio::test]
async fn commits_are_synced_unless_asked_otherwise() {
    let f = fixture().await;
    let synchronous: i64 =
        sqlx::query_scalar("pragma synchronous").fetch_one(&core(&f).db.writer).await.unwrap();
    assert_eq!(synchronous, 2, "FULL");
    let mode: String =
        sqlx::query_scalar("pragma journal_mode").fetch_one(&core(&f).db.writer).await.unwrap();
    assert_eq!(mode, "wal");
}

#[tokio::test]
async fn every_tenant_table_has_its_tenant_and_is_strict() {
    let f = fixture().await;
    let loose: Vec<String> = sqlx::query_scalar(
        "select name from pragma_table_list t where t.type = 'table' and t.schema = 'main'
           and t.name not like '\\_sqlx%' escape '\\' and t.name not like 'sqlite%'
           and (not t.strict or not exists (
               select 1 from pragma_table_info(t.name) c where c.name = 'tenant_id' and c.\"notnull\" = 1))",
    )
    .fetch_all(&core(&f).db.readers)
    .await
    .unwrap();
    assert_eq!(loose, Vec::<String>::new());
}

#[tokio::test]
async fn readers_can_not_write() {
    let f = fixture().await;
    let refused = sqlx::query("delete from settings").execute(&core(&f).db.readers).await.unwrap_err();
    let named = core(&f).db.name(refused.into());
    assert!(matches!(named, StorageError::ReadOnly { .. }), "{named}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_write_leaves_nothing_half_done() {
    let f = fixture().await;
    let call = f.river.begin_call(new_call()).await.unwrap().id;
    for attempt in 0..200_u64 {
        let rows: Vec<_> = (1..=4).map(|n| row(attempt * 4 + n, said(1, "x"))).collect();
        let patience = std::time::Duration::from_micros(attempt * 15);
        let _ = tokio::time::timeout(patience, f.river.append(call, &rows)).await;
    }
    f.river.append(call, &[row(9_000, said(1, "last"))]).await.unwrap();
    let log = f.river.call_log(call).await.unwrap();
    assert_eq!(log.last().unwrap().seq, 9_000);
    for batch in log[..log.len() - 1].chunks(4) {
        let whole = batch.len() == 4 && batch[0].seq % 4 == 1 && batch[3].seq == batch[0].seq + 3;
        assert!(whole, "{:?}", batch.iter().map(|r| r.seq).collect::<Vec<_>>());
    }
}
