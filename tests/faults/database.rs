//! A database server that is cut off, restarts, is crowded or hands over to a standby while people are on the line. They hear
//! an answer that is on record, or an apology; the line works again by itself soon after the server is back.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use storage::PostgresOptions;
use tests::caller::{Caller, call_sid, webhook};
use tests::cut::Line;
use tests::gateway::{LINE, TestGateway};
use tests::home::Home;
use tests::home::private_postgres::{Cluster, TestDatabase};

use crate::callers::{Told, brisk, greeted, home_on, none_is_live, promises_are_kept, told, whole_call};

/// From the return of the server to a caller who is greeted.
const BACK_WITHIN: Duration = Duration::from_secs(2);
/// A stop waits for nothing that the outage left behind.
const STOPS_WITHIN: Duration = Duration::from_secs(12);
/// The carrier waits 15 s for our word on a call that arrives.
const WEBHOOK_WITHIN: Duration = Duration::from_secs(12);

/// A gateway that reaches its database over a line that can be cut and led elsewhere, and two callers.
struct Desk {
    gateway: TestGateway,
    line: Line,
    database: TestDatabase,
    callers: Vec<Caller>,
    told: Vec<Vec<Told>>,
    _home: Home,
}

impl Desk {
    /// Both callers have asked and were answered.
    async fn open(cluster: &Cluster) -> Self {
        let home = home_on(cluster);
        let database = home.database.clone().unwrap();
        let line = Line::to(database.socket()).await.unwrap();
        let mut config = home.config();
        let options = PostgresOptions::new(line.url("quandura_app", &database.name));
        config.postgres = Some(options.with_owner(database.owner()));
        let gateway = TestGateway::start_configured(home.dir.clone(), config, brisk()).await.unwrap();
        let callers = vec![greeted(&gateway).await, greeted(&gateway).await];
        let mut desk = Self { gateway, line, database, callers, told: vec![Vec::new(); 2], _home: home };
        assert_eq!(desk.ask().await, [Told::Answer; 2], "nothing has failed yet");
        desk
    }

    /// Both callers say something; what they are told.
    async fn ask(&mut self) -> Vec<Told> {
        let told = join_all(self.callers.iter_mut().map(told)).await;
        self.told.iter_mut().zip(&told).for_each(|(all, now)| all.push(*now));
        told
    }

    /// The same while the server is away, and a third call arrives: nobody is left in silence.
    async fn ask_in_vain(&mut self) {
        let base = self.gateway.base.clone();
        let arriving = tokio::spawn(async move {
            let asked = Instant::now();
            let (status, twiml) = webhook(&base, LINE, &call_sid()).await.unwrap();
            assert!(asked.elapsed() < WEBHOOK_WITHIN, "the carrier waited {:?}", asked.elapsed());
            assert_eq!(status, 200);
            assert!(twiml.contains("technical fault") && twiml.contains("911"), "{twiml}");
        });
        assert_eq!(self.ask().await, [Told::Apology; 2]);
        arriving.await.unwrap();
    }

    /// The server has just come back: the next caller is greeted at once, and all that was promised is on record.
    async fn comes_back(mut self) {
        let back = Instant::now();
        let mut next = Caller::dial(&self.gateway.base, LINE).await.unwrap();
        next.silent_until(Duration::from_secs(5), |h| h.bytes() > 0 || h.closed.is_some()).await.unwrap();
        let greeted_after = back.elapsed();
        assert!(next.heard.lock().bytes() > 0, "the call was closed after {greeted_after:?}");
        let health =
            self.gateway.until("/health", |h| h["dependencies"]["storage"] == "healthy").await.unwrap();
        assert!(
            greeted_after < BACK_WITHIN && back.elapsed() < BACK_WITHIN,
            "greeted after {greeted_after:?}, healthy after {:?}: {health}",
            back.elapsed()
        );
        next.hang_up().await.unwrap();
        let mut sids = Vec::new();
        for caller in self.callers.drain(..) {
            sids.push(caller.order.call_sid.clone());
            caller.hang_up().await.unwrap();
        }
        for _ in 0..2 {
            whole_call(&self.gateway).await;
        }
        none_is_live(&self.gateway).await;
        for (sid, told) in sids.iter().zip(&self.told) {
            promises_are_kept(&self.gateway, sid, told).await;
        }
        let audit = self.gateway.get("/v1/audit/verify").await.unwrap();
        assert_eq!(audit["whole"], true, "{audit}");
        let stopping = self.gateway.running.shutdown();
        tokio::time::timeout(STOPS_WITHIN, stopping).await.expect("nothing hangs on what was cut");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_line_that_goes_dead_is_told_to_callers_and_works_again_by_itself_when_it_is_mended() {
    let cluster = Cluster::own();
    let mut desk = Desk::open(&cluster).await;
    desk.line.cut();
    desk.ask_in_vain().await;
    desk.line.mend();
    desk.comes_back().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_line_that_is_dead_for_a_moment_costs_nobody_their_call() {
    let cluster = Cluster::own();
    let mut desk = Desk::open(&cluster).await;
    desk.line.cut();
    tokio::time::sleep(Duration::from_millis(100)).await;
    // What was connected before stays dead; only what is connected from now on is carried.
    desk.line.mend();
    assert_eq!(desk.ask().await, [Told::Answer; 2]);
    desk.comes_back().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_restarts_slowly_under_live_calls_finds_everything_as_it_was_promised() {
    let cluster = Cluster::own();
    let mut desk = Desk::open(&cluster).await;
    cluster.crash();
    desk.ask_in_vain().await;
    cluster.start();
    desk.comes_back().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_that_takes_over_under_live_calls_has_all_that_was_promised() {
    let cluster = Cluster::own();
    let mut desk = Desk::open(&cluster).await;
    let standby = cluster.standby();
    assert_eq!(desk.ask().await, [Told::Answer; 2], "the standby takes every turn too");
    cluster.crash();
    desk.ask_in_vain().await;
    standby.promote();
    desk.line.redirect(standby.copy_of(&desk.database).socket());
    desk.comes_back().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_connections_others_have_taken_goes_on_with_those_that_the_line_has() {
    let cluster = Cluster::own();
    cluster.limit_connections(30);
    let mut desk = Desk::open(&cluster).await;
    let mut crowd = cluster.crowd(&desk.database);
    assert!(crowd.len() > 5, "{}", crowd.len());
    assert_eq!(desk.ask().await, [Told::Answer; 2], "its own connections are enough");
    // Until it has none: it may be as quick as the others to take a place that is free.
    let ours = "from pg_stat_activity where usename = 'quandura_app'";
    while cluster.sql("postgres", &format!("select count(*) {ours}")) != "0" {
        cluster.sql("postgres", &format!("select pg_terminate_backend(pid, 5000) {ours}"));
        crowd.join(cluster.crowd(&desk.database));
    }
    desk.ask_in_vain().await;
    drop(crowd);
    desk.comes_back().await;
}
