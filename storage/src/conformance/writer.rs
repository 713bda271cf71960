//! Group commit.

use super::calls::{row, said};
use super::{Fixture, new_call};
use crate::ids::CallId;
use crate::{Calls, StorageError};

pub(crate) async fn many_calls_share_commits(f: &Fixture) {
    let writer = f.river.call_writer();
    let mut outcomes = Vec::new();
    let mut calls = Vec::new();
    for _ in 0..40 {
        let call = f.river.begin_call(new_call()).await.unwrap().id;
        calls.push(call);
    }
    for call in &calls {
        outcomes.push(writer.submit(*call, vec![row(1, said(1, "a")), row(2, said(2, "b"))]).await.unwrap());
    }
    for outcome in outcomes {
        assert_eq!(outcome.await.unwrap().unwrap().seq, 2);
    }
    for call in calls {
        assert_eq!(f.river.call_log(call).await.unwrap().len(), 2);
    }
}

pub(crate) async fn one_bad_call_does_not_silence_the_others(f: &Fixture) {
    let writer = f.river.call_writer();
    let good = f.river.begin_call(new_call()).await.unwrap().id;
    let mut outcomes = Vec::new();
    for n in 0..6 {
        let call = if n % 2 == 0 { good } else { CallId::new() };
        outcomes.push((call, writer.submit(call, vec![row(n + 1, said(1, "x"))]).await.unwrap()));
    }
    for (call, outcome) in outcomes {
        match outcome.await.unwrap() {
            Ok(_) => assert_eq!(call, good),
            Err(error) => {
                assert_ne!(call, good);
                assert!(matches!(error, StorageError::NotFound { what: "call" }), "{error}");
            }
        }
    }
    assert_eq!(f.river.call_log(good).await.unwrap().len(), 3);
}

pub(crate) async fn submissions_keep_their_order(f: &Fixture) {
    let writer = f.river.call_writer();
    let call = f.river.begin_call(new_call()).await.unwrap().id;
    let mut outcomes = Vec::new();
    for seq in 1..=500 {
        outcomes.push(writer.submit(call, vec![row(seq, said(1, "x"))]).await.unwrap());
    }
    for (seq, outcome) in (1..).zip(outcomes) {
        assert_eq!(outcome.await.unwrap().unwrap().seq, seq);
    }
    let log = f.river.call_log(call).await.unwrap();
    assert!(log.iter().map(|r| r.seq).eq(1..=500));
}
