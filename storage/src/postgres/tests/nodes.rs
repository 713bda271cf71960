//! Several nodes on one database, crowds, and slow statements.

use std::time::Duration;

use super::{Cluster, core, fixture, fixture_on, node_folder, open, options};
use crate::clock::now;
use crate::conformance::calls::{row, said};
use crate::conformance::work::new_item;
use crate::conformance::{Fixture, new_call};
use crate::postgres::server::Pool;
use crate::records::{CallState, WorkKind};
use crate::{
    Auth, CallId, Calls, Directory, Durability, NewTenant, Platform, PlatformOptions, PostgresOptions,
    Settings, StorageError, TenantStore, WorkItems,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_that_start_at_once_on_an_empty_database_do_not_collide() {
    let database = Cluster::shared().database();
    let folders: Vec<_> = (0..5).map(|_| node_folder()).collect();
    let starts = folders.iter().map(|folder| {
        let options = options(folder.path(), &database);
        tokio::spawn(async move { Platform::open(options).await })
    });
    for start in starts.collect::<Vec<_>>() {
        start.await.unwrap().unwrap();
    }
    let applied = "select count(*) from _sqlx_migrations_tenant where success";
    let migrations = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/postgres/tenant");
    let there = std::fs::read_dir(migrations).unwrap().count();
    assert_eq!(Cluster::shared().sql(&database.name, applied), there.to_string());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_node_draws_the_master_key_and_the_others_are_told_to_copy_it() {
    let database = Cluster::shared().database();
    let folders: Vec<_> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
    let starts = folders.iter().map(|folder| {
        let options = options(folder.path(), &database);
        tokio::spawn(async move { Platform::open(options).await })
    });
    let mut opened = 0;
    for start in starts.collect::<Vec<_>>() {
        match start.await.unwrap() {
            Ok(_) => opened += 1,
            Err(error) => {
                assert!(matches!(error, StorageError::MasterKey { .. }), "{error}");
                assert!(error.to_string().contains("copy it from another node"), "{error}");
            }
        }
    }
    assert_eq!(opened, 1);
    let drawn = folders.iter().filter(|folder| folder.path().join("master.key").exists()).count();
    assert_eq!(drawn, 1, "no node keeps a key that opens nothing");
}

/// Two nodes with one tenant.
async fn two_nodes() -> (Vec<Platform>, Vec<TenantStore>, Vec<tempfile::TempDir>) {
    let database = Cluster::shared().database();
    let folders = vec![node_folder(), node_folder()];
    let one = open(folders[0].path(), &database).await.unwrap();
    let two = open(folders[1].path(), &database).await.unwrap();
    let new = NewTenant { slug: "river".into(), name: "River".into(), timezone: "UTC".into() };
    let tenant = one.create_tenant(new).await.unwrap().id;
    let stores = vec![one.tenant(tenant).await.unwrap(), two.tenant(tenant).await.unwrap()];
    (vec![one, two], stores, folders)
}

#[tokio::test]
async fn what_one_node_wrote_the_other_reads() {
    let (platforms, stores, _folders) = two_nodes().await;
    let call = stores[0].begin_call(new_call()).await.unwrap().id;
    stores[0].call_writer().append(call, vec![row(1, said(1, "words"))]).await.unwrap();
    assert_eq!(stores[1].call_log(call).await.unwrap(), [row(1, said(1, "words"))]);
    assert_eq!(stores[1].caller_number(call).await.unwrap(), new_call().caller);
    assert_eq!(platforms[1].store().tenants().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_node_recovers_its_own_calls_and_leaves_the_others_alone() {
    let (platforms, stores, _folders) = two_nodes().await;
    assert_ne!(platforms[0].node(), platforms[1].node());
    let mine = stores[0].begin_call(new_call()).await.unwrap().id;
    let theirs = stores[1].begin_call(new_call()).await.unwrap().id;
    let recovered = stores[0].recover_live_calls().await.unwrap();
    assert_eq!(recovered.iter().map(|call| call.call).collect::<Vec<_>>(), [mine]);
    let state = async |call: CallId| stores[0].call(call).await.unwrap().unwrap().state;
    assert_eq!((state(mine).await, state(theirs).await), (CallState::Ended, CallState::Live));
    stores[1].append(theirs, &[row(1, said(1, "still talking"))]).await.unwrap();
    assert!(stores[0].recover_live_calls().await.unwrap().is_empty());
    assert_eq!(stores[1].recover_live_calls().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_nonce_and_a_link_are_used_once_over_all_nodes() {
    let (platforms, _stores, _folders) = two_nodes().await;
    let soon = now() + chrono::TimeDelta::seconds(60);
    let tries = (0..8).map(|n| {
        let platform = platforms[n % 2].clone();
        tokio::spawn(async move { platform.store().use_nonce("n", soon).await.unwrap() })
    });
    let mut used = 0;
    for attempt in tries.collect::<Vec<_>>() {
        used += usize::from(attempt.await.unwrap());
    }
    assert_eq!(used, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_take_turns_at_what_is_done_once() {
    let (platforms, _stores, _folders) = two_nodes().await;
    let turn = platforms[0].start_turn().await.unwrap();
    let other = platforms[1].clone();
    let waits = tokio::spawn(async move { other.start_turn().await.map(drop) });
    // In its turn a node can do everything, even one with few connections.
    let new = NewTenant { slug: "lake".into(), name: "Lake".into(), timezone: "UTC".into() };
    platforms[0].create_tenant(new).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!waits.is_finished());
    drop(turn);
    waits.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reference_that_another_writer_takes_meanwhile_is_drawn_anew() {
    let f = fixture().await;
    let mut other = core(&f).db.write().await.unwrap();
    // Every reference of four digits, not committed yet: each looks free when it is drawn.
    let all = "insert into work_items (tenant_id, id, reference, kind, status, priority, idempotency_key,
            fields_sealed, created_at, updated_at)
         select $1, gen_random_uuid(), 'INC-' || n, 'incident', 'open', 'normal', 'other ' || n, '', now(), now()
         from generate_series(1000, 9999) n";
    sqlx::query(all).bind(f.river.id()).execute(other.conn()).await.unwrap();
    let store = f.river.clone();
    let filing =
        tokio::spawn(async move { store.file_work_item(new_item(WorkKind::Incident, "ours")).await });
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!filing.is_finished(), "it waits for the other writer's commit");
    other.finish(Ok(())).await.unwrap();
    let filed = filing.await.unwrap().unwrap();
    assert_eq!((filed.idempotency_key.as_str(), filed.reference.len()), ("ours", "INC-12345".len()));
}

async fn small(connections: u32) -> Fixture {
    let database = Cluster::shared().database();
    let folder = tempfile::tempdir().unwrap();
    let postgres = PostgresOptions::new(database.app()).with_owner(database.owner());
    let postgres = Some(PostgresOptions { connections, ..postgres });
    let options =
        PlatformOptions { postgres, durability: Durability::Full, ..PlatformOptions::new(folder.path()) };
    Fixture::on(Platform::open(options).await.unwrap(), Box::new(folder)).await
}

#[tokio::test]
async fn a_crowd_of_requests_does_not_delay_the_call_log() {
    let f = small(4).await;
    let call = f.river.begin_call(new_call()).await.unwrap().id;
    let server = &core(&f).db.server;
    let mut crowd = Vec::new();
    for _ in 0..3 {
        crowd.push(server.begin(Pool::Requests, "begin").await.unwrap());
    }
    let append = f.river.call_writer().append(call, vec![row(1, said(1, "x"))]).await.unwrap();
    assert!(append.waited + append.committed < Duration::from_secs(2), "{append:?}");
    let refused = f.river.seeded().await.unwrap_err();
    assert!(matches!(refused, StorageError::Busy { .. }), "{refused}");
    drop(crowd);
    assert!(!f.river.seeded().await.unwrap());
}

#[tokio::test]
async fn a_slow_statement_and_a_lock_that_is_not_given_are_busy() {
    let f = fixture().await;
    let db = &core(&f).db;
    let slow = "begin; set local statement_timeout = '30ms'";
    let mut transaction = db.server.begin(Pool::Requests, slow).await.unwrap();
    let error = sqlx::query("select pg_sleep(5)").execute(&mut *transaction).await.unwrap_err();
    assert!(matches!(db.name(error.into()), StorageError::Busy { .. }));
    drop(transaction);

    let call = f.river.begin_call(new_call()).await.unwrap().id;
    let mut holds = db.write().await.unwrap();
    let held = sqlx::query("update calls set language = 'es' where id = $1").bind(call);
    assert_eq!(held.execute(holds.conn()).await.unwrap().rows_affected(), 1);
    let mut waits = db.write().await.unwrap();
    sqlx::query("set local lock_timeout = '30ms'").execute(waits.conn()).await.unwrap();
    let waited = sqlx::query("update calls set language = 'en' where id = $1").bind(call);
    let error = waited.execute(waits.conn()).await.unwrap_err();
    assert!(matches!(db.name(error.into()), StorageError::Busy { .. }));
}

#[tokio::test]
async fn text_that_postgres_can_not_keep_is_refused_and_not_repeated() {
    let f = fixture().await;
    let refused = f.river.put_setting("a\0b", &serde_json::Value::Null).await.unwrap_err();
    assert!(matches!(refused, StorageError::Invalid { .. }), "{refused}");
    let long = "x".repeat(100_000);
    f.river.put_setting("long", &serde_json::Value::String(long.clone())).await.unwrap();
    assert_eq!(f.river.setting("long").await.unwrap(), Some(serde_json::Value::String(long)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_restarts_is_found_again_and_nothing_acknowledged_is_lost() {
    let cluster = Cluster::own();
    let f = fixture_on(&cluster.database()).await;
    let call = f.river.begin_call(new_call()).await.unwrap().id;
    let writer = f.river.call_writer();
    for seq in 1..=20 {
        writer.append(call, vec![row(seq, said(1, "before"))]).await.unwrap();
    }
    // Many idle connections, all of which the crash cuts.
    let reads: Vec<_> = (0..12).map(|_| tokio::spawn(read(f.river.clone(), call))).collect();
    for read in reads {
        assert_eq!(read.await.unwrap(), 20);
    }
    cluster.crash();
    let began = std::time::Instant::now();
    let away = f.river.call(call).await.unwrap_err();
    assert!(matches!(away, StorageError::Unavailable { .. }), "{away}");
    assert!(away.is_transient() && began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    assert!(f.platform.health().await[0].answer.is_err());

    // A write that comes while the server is away waits for it.
    let waiting = tokio::spawn({
        let writer = writer.clone();
        async move { writer.append(call, vec![row(21, said(1, "after"))]).await }
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    cluster.start();
    assert_eq!(waiting.await.unwrap().unwrap().seq, 21);
    assert_eq!(read(f.river.clone(), call).await, 21);
    assert!(f.platform.health().await[0].answer.is_ok());
}

async fn read(store: TenantStore, call: CallId) -> usize {
    store.call_log(call).await.unwrap().len()
}
