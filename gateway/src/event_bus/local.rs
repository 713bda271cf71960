//! Fan-out within one process: a bounded ring per tenant, so that a viewer can resume where it was cut off.

use std::collections::VecDeque;
use std::sync::Arc;

use dashmap::DashMap;
use parking_lot::Mutex;
use pipeline::event::CallEvent;
use serde::Serialize;
use tokio::sync::broadcast;
use uuid::Uuid;

use super::work::WorkEvent;

/// Events kept per tenant: some minutes of a few busy calls.
const RING_EVENTS: usize = 4_096;
/// Events that a viewer may lag behind before it is dropped (it comes back with `Last-Event-ID`).
const VIEWER_LAG: usize = 1_024;

/// One event, written out once for all viewers.
#[derive(Debug)]
pub struct Published {
    pub id: Uuid,
    /// `None` of what no call left.
    pub call: Option<Uuid>,
    pub name: &'static str,
    pub json: String,
}

/// What a viewer gets when it joins.
#[derive(Debug)]
pub struct Subscription {
    /// What it missed, oldest first.
    pub missed: Vec<Arc<Published>>,
    /// False when it asked to resume after an event that is no longer kept.
    pub resumed: bool,
    pub live: broadcast::Receiver<Arc<Published>>,
}

/// Every tenant's stream of events.
#[derive(Debug, Default)]
pub struct Fanout {
    tenants: DashMap<Uuid, Arc<Stream>>,
}

#[derive(Debug)]
struct Stream {
    ring: Mutex<VecDeque<Arc<Published>>>,
    sender: broadcast::Sender<Arc<Published>>,
}

impl Default for Stream {
    fn default() -> Self {
        Self { ring: Mutex::new(VecDeque::new()), sender: broadcast::Sender::new(VIEWER_LAG) }
    }
}

impl Fanout {
    /// Hands an event to everyone who watches its tenant. Never waits.
    pub fn publish(&self, event: &CallEvent) {
        self.put(event.tenant, event.event_id, Some(event.call_id.0), event.body.name(), event);
    }

    /// The same of a request's event.
    pub fn publish_work(&self, tenant: Uuid, event: &WorkEvent) {
        self.put(tenant, event.event_id, event.call_id.map(|call| call.0), event.name, event);
    }

    fn put(&self, tenant: Uuid, id: Uuid, call: Option<Uuid>, name: &'static str, event: &impl Serialize) {
        let Ok(json) = serde_json::to_string(event) else {
            metrics::counter!("quandura_events_dropped_total").increment(1);
            return;
        };
        self.stream(tenant).push(Arc::new(Published { id, call, name, json }));
    }

    /// Joins the tenant's stream, after `last_seen` where that is still known.
    #[must_use]
    pub fn subscribe(&self, tenant: Uuid, last_seen: Option<Uuid>) -> Subscription {
        self.stream(tenant).subscribe(last_seen)
    }

    fn stream(&self, tenant: Uuid) -> Arc<Stream> {
        self.tenants.entry(tenant).or_default().clone()
    }
}

impl Stream {
    /// Ring and channel change under one lock, so no viewer misses an event between the two or sees it twice.
    fn push(&self, event: Arc<Published>) {
        let mut ring = self.ring.lock();
        if ring.len() == RING_EVENTS {
            ring.pop_front();
        }
        ring.push_back(event.clone());
        // No receiver is fine: nobody watches.
        let _ = self.sender.send(event);
    }

    fn subscribe(&self, last_seen: Option<Uuid>) -> Subscription {
        let ring = self.ring.lock();
        let live = self.sender.subscribe();
        let Some(last) = last_seen else { return Subscription { missed: Vec::new(), resumed: false, live } };
        match ring.iter().rposition(|event| event.id == last) {
            Some(at) => {
                Subscription { missed: ring.iter().skip(at + 1).cloned().collect(), resumed: true, live }
            }
            None => Subscription { missed: Vec::new(), resumed: false, live },
        }
    }
}

#[cfg(test)]
mod tests {
    use pipeline::event::{EVENT_VERSION, EventBody};
    use pipeline::turn::{CallId, Speaker, TurnId};

    use super::*;

    fn event(tenant: Uuid, text: &str) -> CallEvent {
        CallEvent {
            version: EVENT_VERSION,
            event_id: Uuid::now_v7(),
            call_id: CallId(Uuid::now_v7()),
            tenant,
            at: chrono::Utc::now(),
            body: EventBody::Interim { turn: TurnId(1), speaker: Speaker::Caller, text: text.to_owned() },
        }
    }

    #[test]
    fn a_viewer_resumes_after_the_last_event_it_saw() {
        let fanout = Fanout::default();
        let tenant = Uuid::now_v7();
        let events: Vec<_> = (0..3).map(|n| event(tenant, &n.to_string())).collect();
        events.iter().for_each(|e| fanout.publish(e));
        let joined = fanout.subscribe(tenant, Some(events[0].event_id));
        assert!(joined.resumed);
        let ids: Vec<_> = joined.missed.iter().map(|e| e.id).collect();
        assert_eq!(ids, [events[1].event_id, events[2].event_id]);
    }

    #[test]
    fn an_event_that_fell_out_of_the_ring_is_said_to_be_lost() {
        let fanout = Fanout::default();
        let tenant = Uuid::now_v7();
        let first = event(tenant, "first");
        fanout.publish(&first);
        for _ in 0..RING_EVENTS {
            fanout.publish(&event(tenant, "x"));
        }
        assert!(!fanout.subscribe(tenant, Some(first.event_id)).resumed);
    }

    #[test]
    fn tenants_do_not_see_each_other() {
        let fanout = Fanout::default();
        let (one, other) = (Uuid::now_v7(), Uuid::now_v7());
        let mut watching = fanout.subscribe(other, None);
        fanout.publish(&event(one, "private"));
        assert!(watching.live.try_recv().is_err());
    }
}
