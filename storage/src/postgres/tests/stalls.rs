//! A server that stalls in the middle of work: what waits is told, nothing that comes after is spoiled.

use std::time::{Duration, Instant};

use super::{Cluster, core, fixture_on};
use crate::conformance::calls::{row, said};
use crate::conformance::new_call;
use crate::postgres::server::Pool;
use crate::{Calls, Settings, StorageError};

/// Longest time from the return of a server to the first work done on it.
const BACK_WITHIN: Duration = Duration::from_secs(2);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stalled_leaves_no_connection_in_a_transaction_that_nobody_began() {
    let cluster = Cluster::own();
    let database = cluster.database();
    let f = fixture_on(&database).await;
    let call = f.river.begin_call(new_call()).await.unwrap().id;
    let writer = f.river.call_writer();
    for seq in 1..=8 {
        writer.append(call, vec![row(seq, said(1, "before"))]).await.unwrap();
    }
    // Connections at hand, so that what comes during the stall is begun on them.
    let at_hand: Vec<_> = (0..6).map(|n| put(&f.river, n)).collect();
    futures_all(at_hand).await.into_iter().for_each(|put| put.unwrap());

    cluster.freeze();
    let began = Instant::now();
    let during: Vec<_> = (0..24).map(|n| put(&f.river, n)).collect();
    let append = tokio::spawn({
        let writer = writer.clone();
        async move { writer.append(call, vec![row(9, said(1, "during"))]).await }
    });
    for told in futures_all(during).await {
        let error = told.expect_err("it answers nothing");
        assert!(matches!(error, StorageError::Unavailable { .. } | StorageError::Busy { .. }), "{error}");
    }
    assert!(began.elapsed() < Duration::from_secs(12), "{:?}", began.elapsed());
    cluster.thaw();

    let back = Instant::now();
    writer.append(call, vec![row(10, said(1, "after"))]).await.unwrap();
    put(&f.river, 1).await.unwrap().unwrap();
    assert!(back.elapsed() < BACK_WITHIN, "{:?}", back.elapsed());
    let _ = append.await.unwrap();
    for round in 0..40 {
        put(&f.river, round).await.unwrap().unwrap();
        writer.append(call, vec![row(11 + round, said(1, "later"))]).await.unwrap();
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let open = "select count(*) from pg_stat_activity where usename = 'quandura_app'
        and state like 'idle in transaction%'";
    assert_eq!(cluster.sql(&database.name, open), "0", "transactions that nobody began");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transaction_that_fails_to_begin_spoils_nothing() {
    let cluster = Cluster::own();
    let f = fixture_on(&cluster.database()).await;
    let server = &core(&f).db.server;
    for _ in 0..20 {
        server.begin(Pool::Requests, "begin; select 1 / 0").await.unwrap_err();
    }
    for _ in 0..20 {
        put(&f.river, 1).await.unwrap().unwrap();
    }
}

type Told = Result<(), StorageError>;

fn put(store: &crate::TenantStore, n: u64) -> tokio::task::JoinHandle<Told> {
    let store = store.clone();
    tokio::spawn(async move { store.put_setting(&format!("k{n}"), &n.into()).await.map(drop) })
}

async fn futures_all(tasks: Vec<tokio::task::JoinHandle<Told>>) -> Vec<Told> {
    let mut told = Vec::new();
    for task in tasks {
        told.push(task.await.unwrap());
    }
    told
}
