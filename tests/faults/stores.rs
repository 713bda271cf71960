//! The store stalls, is full or is damaged while people are on the line.

use std::io::{Seek, SeekFrom, Write};
use std::time::{Duration, Instant};

use storage::{Directory, NewTenant};
use tests::gateway::{Doubles, LINE, TestGateway};
use tests::home::Home;
use tests::home::private_postgres::Cluster;

use crate::callers::{asks, greeted, home_on, none_is_live, whole_call};

/// From the return of the store to a call that is served.
const BACK_WITHIN: Duration = Duration::from_secs(2);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_freezes_under_live_calls_serves_the_next_ones_when_it_thaws() {
    let cluster = Cluster::own();
    let home = home_on(&cluster);
    let gateway = TestGateway::start_at(&home, Doubles::default()).await.unwrap();
    let mut callers = [greeted(&gateway).await, greeted(&gateway).await];
    cluster.freeze();
    let asked = futures_util::future::join_all(
        callers.iter_mut().map(|caller| asks(caller, Duration::from_secs(15))),
    );
    assert!(asked.await.into_iter().all(|heard| heard), "nobody waits in silence");
    cluster.thaw();
    let back = Instant::now();
    let health = gateway.until("/health", |h| h["dependencies"]["storage"] == "healthy").await.unwrap();
    assert!(back.elapsed() < BACK_WITHIN, "{:?}: {health}", back.elapsed());
    drop(callers);
    for _ in 0..3 {
        whole_call(&gateway).await;
    }
    none_is_live(&gateway).await;
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_end_on_a_full_disk_are_over_when_there_is_room_again() {
    let cluster = Cluster::own();
    let home = home_on(&cluster);
    let database = home.database.as_ref().unwrap();
    let gateway = TestGateway::start_at(&home, Doubles::default()).await.unwrap();
    let mut caller = greeted(&gateway).await;
    let sid = caller.order.call_sid.clone();
    cluster.fill_disk(database);
    assert!(asks(&mut caller, Duration::from_secs(15)).await, "they hear that something is wrong");
    caller.hang_up().await.unwrap();
    gateway.until("/health", |h| h["dependencies"]["storage.calls_to_end"] == "degraded").await.unwrap();
    cluster.free_disk(database);
    let limit = Duration::from_secs(15);
    gateway.until_within(limit, &format!("/v1/calls/{sid}"), |c| c["state"] == "ended").await.unwrap();
    gateway.until("/health", |h| h["dependencies"].get("storage.calls_to_end").is_none()).await.unwrap();
    whole_call(&gateway).await;
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_damaged_file_stops_nobody_elses_service_and_is_left_as_it_is() {
    let home = Home::sqlite().unwrap();
    let gateway = TestGateway::start_at(&home, Doubles::default()).await.unwrap();
    let platform = &gateway.running.app.platform;
    let new = NewTenant { slug: "lake".into(), name: "Lake".into(), timezone: "UTC".into() };
    let lake = platform.create_tenant(new).await.unwrap().id;
    platform.tenant(lake).await.unwrap();
    let mut line = platform.store().line(LINE).await.unwrap().unwrap();
    (line.number, line.tenant_id) = ("+12025550101".to_owned(), lake);
    platform.store().put_line(line).await.unwrap();
    gateway.running.shutdown().await;

    let path = home.dir.path().join("data").join("tenants").join(format!("{lake}.db"));
    let mut file = std::fs::File::options().write(true).open(&path).unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    file.write_all(&[0xA5; 4096]).unwrap();
    drop(file);
    let damaged = std::fs::read(&path).unwrap();

    let gateway = TestGateway::start_at(&home, Doubles::default()).await.expect("the others are served");
    let health = gateway.get("/health").await.unwrap();
    assert_eq!(health["dependencies"]["storage.tenants"], "degraded", "{health}");
    whole_call(&gateway).await;
    let (status, twiml) =
        tests::caller::webhook(&gateway.base, "+12025550101", &tests::caller::call_sid()).await.unwrap();
    assert_eq!(status, 200);
    assert!(twiml.contains("technical fault") && !twiml.contains("<Stream"), "{twiml}");
    gateway.running.shutdown().await;
    assert_eq!(std::fs::read(&path).unwrap(), damaged, "left for whoever repairs it");
}
