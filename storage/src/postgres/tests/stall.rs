//! A server that stands still and goes on: nothing is lost, and no connection is used that it left in doubt.

use std::time::{Duration, Instant};

use super::*;
use crate::conformance::calls::{row, said};
use crate::conformance::new_call;
use crate::postgres::server::Pool;
use crate::{Calls, Settings};

/// Longer than anybody waits for a connection, so that every wait is given up.
const STALL: Duration = Duration::from_secs(7);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_stall_every_write_is_committed_within_two_seconds() {
    let cluster = Cluster::own();
    let database = cluster.database();
    let f = fixture_on(&database).await;
    let call = f.river.begin_call(new_call()).await.unwrap().id;
    let writer = f.river.call_writer();
    // All connections are open and at hand.
    assert!(put_all(&f, "warm", 12).await.iter().all(Result::is_ok));

    cluster.freeze();
    let began = Instant::now();
    let turn = tokio::spawn({
        let writer = writer.clone();
        async move { writer.append(call, vec![row(1, said(1, "during"))]).await }
    });
    let given_up = put_all(&f, "stalled", 12).await;
    assert!(given_up.iter().all(Result::is_err), "{given_up:?}");
    assert!(began.elapsed() < Duration::from_secs(12), "{:?}", began.elapsed());
    tokio::time::sleep(STALL.saturating_sub(began.elapsed())).await;
    cluster.thaw();
    let back = Instant::now();
    let _ = turn.await.unwrap();
    for round in 0..6 {
        let written = put_all(&f, &format!("after{round}-"), 16).await;
        assert!(written.iter().all(Result::is_ok), "round {round}: {written:?}");
        // Seen from outside: what was acknowledged is committed.
        let kept = cluster.sql(&database.name, "select count(*) from settings where name like 'after%'");
        assert_eq!(kept, ((round + 1) * 16).to_string(), "round {round}");
        if round == 0 {
            assert!(back.elapsed() < Duration::from_secs(2), "{:?}", back.elapsed());
        }
    }
    writer.append(call, vec![row(2, said(2, "after"))]).await.unwrap();
    let left =
        "select count(*) from pg_stat_activity where usename = 'quandura_app' and state like 'idle in tr%'";
    assert_eq!(cluster.sql(&database.name, left), "0", "no connection stands in a transaction");
}

/// So many writes at once.
async fn put_all(f: &Fixture, name: &str, count: usize) -> Vec<Result<(), StorageError>> {
    let put = |n: usize| {
        let (store, name) = (f.river.clone(), format!("{name}{n}"));
        tokio::spawn(async move { store.put_setting(&name, &serde_json::json!(1)).await })
    };
    let writes: Vec<_> = (0..count).map(put).collect();
    let mut outcomes = Vec::new();
    for write in writes {
        outcomes.push(write.await.unwrap());
    }
    outcomes
}

/// Number of the server's process behind a connection.
async fn pid(conn: &mut PgConnection) -> i32 {
    sqlx::query_scalar("select pg_backend_pid()").fetch_one(conn).await.unwrap()
}

#[tokio::test]
async fn a_connection_that_was_left_in_a_transaction_is_closed() {
    // The log of calls has one connection: whoever comes next gets it, or one that took its place.
    let f = super::nodes::small(4).await;
    let server = &core(&f).db.server;
    for leave in ["begin", "begin; select 1/0"] {
        let mut held = server.begin(Pool::CallLog, "begin").await.unwrap();
        let poisoned = pid(&mut held).await;
        held.rollback().await.unwrap();
        // As a `begin` does that was given up: the library does not know of it.
        let mut conn = server.acquire(Pool::CallLog).await;
        assert_eq!(pid(&mut conn).await, poisoned, "there is one connection");
        let _ = sqlx::raw_sql(leave).execute(&mut *conn).await;
        drop(conn);
        for _ in 0..4 {
            let mut next = server.begin(Pool::CallLog, "begin").await.unwrap();
            assert_ne!(pid(&mut next).await, poisoned, "{leave}");
            next.rollback().await.unwrap();
        }
    }
}
