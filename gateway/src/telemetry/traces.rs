//! OTLP traces: one trace per call, a span per turn, a span per stage.
//!
//! The trace's id is the call's id, so that whoever knows the one finds the other. Spans are made from the call's
//! events, which have passed the screen, and carry kinds, numbers and names only: never words.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::http::{Request, Response};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use opentelemetry::trace::{Event, SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState};
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, SpanData, SpanEvents, SpanLinks, SpanProcessor,
};
use parking_lot::Mutex;
use pipeline::event::{CallEvent, EventBody};
use pipeline::latency::TurnLatency;
use pipeline::provider::Endpoint;
use uuid::Uuid;

use super::metrics::reason_name;

/// Spans that wait for the collector. Full: new ones are dropped by the processor, calls never wait.
const QUEUE: usize = 8_192;
/// Longest wait for the collector to take a batch.
const SEND: Duration = Duration::from_secs(5);
/// Events kept on a call's root span.
const EVENTS: usize = 256;

/// Where spans go.
pub struct Traces {
    processor: Box<dyn SpanProcessor>,
    scope: InstrumentationScope,
    open: Mutex<HashMap<Uuid, OpenCall>>,
}

/// A call whose root span is not over.
struct OpenCall {
    root: SpanId,
    started: SystemTime,
    attributes: Vec<KeyValue>,
    events: Vec<Event>,
    dropped: u32,
    turns: u32,
}

impl fmt::Debug for Traces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Traces")
    }
}

impl Traces {
    /// Sends to a collector from now on. A collector that cannot be used costs the traces, not the calls.
    #[must_use]
    pub fn start(endpoint: &Endpoint) -> Option<Arc<Self>> {
        let runtime = tokio::runtime::Handle::try_current().ok()?;
        match Self::to(&endpoint.http(""), runtime) {
            Ok(traces) => Some(Arc::new(traces)),
            Err(error) => {
                tracing::warn!(%error, "no traces are sent");
                None
            }
        }
    }

    /// Sends to an OTLP collector over HTTP with protobuf; `endpoint` is its base, `http://host:4318`.
    ///
    /// # Errors
    /// When the endpoint makes no address.
    pub fn to(endpoint: &str, runtime: tokio::runtime::Handle) -> anyhow::Result<Self> {
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Client { http: reqwest::Client::new(), runtime })
            .with_endpoint(format!("{}/v1/traces", endpoint.trim_end_matches('/')))
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(SEND)
            .build()?;
        let batches = BatchConfigBuilder::default()
            .with_max_queue_size(QUEUE)
            .with_scheduled_delay(Duration::from_secs(2))
            .build();
        let mut processor = BatchSpanProcessor::builder(exporter).with_batch_config(batches).build();
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder().with_service_name("quandura").with_attributes([version]).build();
        processor.set_resource(&resource);
        Ok(Self::over(Box::new(processor)))
    }

    fn over(processor: Box<dyn SpanProcessor>) -> Self {
        let scope = InstrumentationScope::builder("quandura").build();
        Self { processor, scope, open: Mutex::default() }
    }

    /// Takes an event of a call. Never waits.
    pub fn observe(&self, event: &CallEvent) {
        let (call, at) = (event.call_id.0, SystemTime::from(event.at));
        match &event.body {
            EventBody::Started { direction, language, .. } => {
                let attributes = vec![
                    KeyValue::new("quandura.call.id", call.to_string()),
                    KeyValue::new("quandura.tenant.id", event.tenant.to_string()),
                    KeyValue::new("quandura.direction", direction.clone()),
                    KeyValue::new("quandura.language", language.clone()),
                ];
                let open = OpenCall {
                    root: span_id(call, 0),
                    started: at,
                    attributes,
                    events: Vec::new(),
                    dropped: 0,
                    turns: 0,
                };
                self.open.lock().insert(call, open);
            }
            EventBody::Latency { latency } => self.turn(call, at, latency),
            EventBody::Ended { reason, duration_ms } => {
                let duration = i64::try_from(*duration_ms).unwrap_or(i64::MAX);
                self.end(call, at, reason_name(*reason), duration);
            }
            other => self.note(call, at, other),
        }
    }

    /// A turn's span with its stages, laid out backwards from its first frame.
    fn turn(&self, call: Uuid, first_frame: SystemTime, latency: &TurnLatency) {
        let number = {
            let mut open = self.open.lock();
            let Some(call) = open.get_mut(&call) else { return };
            call.turns += 1;
            call.turns
        };
        let began = first_frame - millis(latency.total_ms);
        let parent = span_id(call, number * 32);
        let mut at = began;
        for (n, stage) in (1..).zip(&latency.stages) {
            let end = at + millis(stage.ms);
            self.span(
                call,
                span_id(call, number * 32 + n),
                parent,
                stage.stage.name(),
                (at, end),
                Vec::new(),
            );
            at = end;
        }
        let attributes = vec![
            KeyValue::new("quandura.turn", i64::from(latency.turn.0)),
            KeyValue::new("quandura.unattributed_ms", latency.unattributed_ms),
            KeyValue::new("quandura.filler", latency.filler),
            KeyValue::new("quandura.speculative", latency.speculative),
            KeyValue::new("quandura.judged_complete", latency.judged_complete),
        ];
        self.span(call, parent, span_id(call, 0), "turn", (began, first_frame), attributes);
    }

    /// Things that happened at one moment stand as events on the call's span.
    fn note(&self, call: Uuid, at: SystemTime, body: &EventBody) {
        let attributes = match body {
            EventBody::Provider { provider, state, .. } => {
                vec![KeyValue::new("provider", provider.clone()), KeyValue::new("state", state.clone())]
            }
            EventBody::Tool { tool, ok, .. } => {
                vec![KeyValue::new("tool", tool.clone()), KeyValue::new("ok", *ok)]
            }
            EventBody::Guard(found) => vec![
                KeyValue::new("channel", found.channel.clone()),
                KeyValue::new("kind", found.kind.clone()),
                KeyValue::new("severity", found.severity.clone()),
            ],
            EventBody::Rule(found) => vec![
                KeyValue::new("rule", found.rule.clone()),
                KeyValue::new("category", found.category.clone()),
                KeyValue::new("action", found.action.clone()),
            ],
            EventBody::Cost { turn, turn_usd, call_usd, .. } => vec![
                KeyValue::new("quandura.turn", i64::from(turn.0)),
                KeyValue::new("turn_usd", *turn_usd),
                KeyValue::new("call_usd", *call_usd),
            ],
            EventBody::Interrupted { turn, .. } => vec![KeyValue::new("quandura.turn", i64::from(turn.0))],
            EventBody::Language { language, .. } => vec![KeyValue::new("language", language.clone())],
            _ => return,
        };
        let mut open = self.open.lock();
        let Some(call) = open.get_mut(&call) else { return };
        if call.events.len() == EVENTS {
            call.dropped += 1;
        } else {
            call.events.push(Event::new(body.name(), at, attributes, 0));
        }
    }

    fn end(&self, call: Uuid, at: SystemTime, reason: &'static str, duration_ms: i64) {
        let Some(mut open) = self.open.lock().remove(&call) else { return };
        open.attributes.push(KeyValue::new("quandura.end_reason", reason));
        open.attributes.push(KeyValue::new("quandura.duration_ms", duration_ms));
        open.attributes.push(KeyValue::new("quandura.turns_answered", i64::from(open.turns)));
        let mut events = SpanEvents::default();
        events.events = open.events;
        events.dropped_count = open.dropped;
        let status = if reason == "failed" { Status::error(reason) } else { Status::Unset };
        let mut span = self.data(call, open.root, SpanId::INVALID, "call".into(), (open.started, at));
        span.span_kind = SpanKind::Server;
        span.attributes = open.attributes;
        span.events = events;
        span.status = status;
        self.processor.on_end(span);
    }

    fn span(
        &self,
        call: Uuid,
        id: SpanId,
        parent: SpanId,
        name: &'static str,
        time: (SystemTime, SystemTime),
        attributes: Vec<KeyValue>,
    ) {
        let mut span = self.data(call, id, parent, name.into(), time);
        span.attributes = attributes;
        self.processor.on_end(span);
    }

    fn data(
        &self,
        call: Uuid,
        id: SpanId,
        parent: SpanId,
        name: Cow<'static, str>,
        (start_time, end_time): (SystemTime, SystemTime),
    ) -> SpanData {
        let trace = TraceId::from_bytes(*call.as_bytes());
        SpanData {
            span_context: SpanContext::new(trace, id, TraceFlags::SAMPLED, false, TraceState::NONE),
            parent_span_id: parent,
            parent_span_is_remote: false,
            span_kind: SpanKind::Internal,
            name,
            start_time,
            end_time,
            attributes: Vec::new(),
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: Status::Unset,
            instrumentation_scope: self.scope.clone(),
        }
    }

    /// Hands over what waits; called once at the end of the process. Blocks for some seconds at most.
    pub fn shutdown(&self) {
        if let Err(error) = self.processor.shutdown_with_timeout(SEND) {
            tracing::warn!(%error, "the last traces were not delivered");
        }
    }
}

/// Ids of a call's spans: its own bytes (the random end of its UUID) and a number.
fn span_id(call: Uuid, number: u32) -> SpanId {
    let (_, low) = call.as_u64_pair();
    let mixed = (low ^ u64::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15)).max(1);
    SpanId::from_bytes(mixed.to_be_bytes())
}

fn millis(ms: f64) -> Duration {
    Duration::from_secs_f64(ms.max(0.0) / 1_000.0)
}

/// The process's own HTTP client. The exporter runs on a thread of its own, so requests are handed to the runtime.
#[derive(Debug)]
struct Client {
    http: reqwest::Client,
    runtime: tokio::runtime::Handle,
}

impl HttpClient for Client {
    fn send_bytes<'life, 'future>(
        &'life self,
        request: Request<Bytes>,
    ) -> BoxFuture<'future, Result<Response<Bytes>, HttpError>>
    where
        'life: 'future,
        Self: 'future,
    {
        Box::pin(self.send(request))
    }
}

impl Client {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = request.into_parts();
        let request = self
            .http
            .request(parts.method, parts.uri.to_string())
            .headers(parts.headers)
            .timeout(SEND)
            .body(body);
        let answer = self.runtime.spawn(async move {
            let answer = request.send().await?;
            let status = answer.status();
            Ok::<_, reqwest::Error>((status, answer.bytes().await?))
        });
        let (status, body) = answer.await??;
        Ok(Response::builder().status(status).body(body)?)
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Bytes as Body;
    use axum::http::HeaderMap;
    use axum::routing::post;
    use pipeline::event::EVENT_VERSION;
    use pipeline::latency::{Stage, StageTime};
    use pipeline::ports::EndReason;
    use pipeline::turn::{CallId, Speaker, TurnId};
    use tokio::net::TcpListener;

    use super::*;

    fn event(call: Uuid, at_ms: i64, body: EventBody) -> CallEvent {
        CallEvent {
            version: EVENT_VERSION,
            event_id: Uuid::now_v7(),
            call_id: CallId(call),
            tenant: Uuid::nil(),
            at: chrono::DateTime::from_timestamp_millis(1_800_000_000_000 + at_ms).unwrap(),
            body,
        }
    }

    fn a_call(call: Uuid) -> Vec<CallEvent> {
        let stage = |stage, ms| StageTime { stage, ms };
        let latency = TurnLatency {
            turn: TurnId(1),
            total_ms: 500.0,
            stages: vec![stage(Stage::Endpointing, 300.0), stage(Stage::LlmFirstToken, 150.0)],
            unattributed_ms: 50.0,
            ..TurnLatency::default()
        };
        let text = "my secret is hunter2".to_owned();
        vec![
            event(
                call,
                0,
                EventBody::Started {
                    line: "+12025550100".into(),
                    from: Some("⟨phone:1⟩".into()),
                    direction: "inbound".into(),
                    language: "en".into(),
                    carrier_sid: "CA1".into(),
                },
            ),
            event(
                call,
                4_000,
                EventBody::Final { turn: TurnId(1), speaker: Speaker::Caller, text, by: None },
            ),
            event(
                call,
                4_200,
                EventBody::Provider {
                    provider: "deepgram".into(),
                    state: "failed".into(),
                    reason: "stalled".into(),
                },
            ),
            event(call, 5_000, EventBody::Latency { latency }),
            event(call, 9_000, EventBody::Ended { reason: EndReason::CallerHungUp, duration_ms: 9_000 }),
        ]
    }

    #[derive(Debug, Clone, Default)]
    struct Kept(Arc<Mutex<Vec<SpanData>>>);

    impl SpanProcessor for Kept {
        fn on_start(&self, _: &mut opentelemetry_sdk::trace::Span, _: &opentelemetry::Context) {}

        fn on_end(&self, span: SpanData) {
            self.0.lock().push(span);
        }

        fn force_flush(&self) -> opentelemetry_sdk::error::OTelSdkResult {
            Ok(())
        }

        fn shutdown_with_timeout(&self, _: Duration) -> opentelemetry_sdk::error::OTelSdkResult {
            Ok(())
        }
    }

    #[test]
    fn a_call_is_one_trace_with_a_span_for_each_turn_and_stage() {
        let (kept, call) = (Kept::default(), Uuid::now_v7());
        let traces = Traces::over(Box::new(kept.clone()));
        a_call(call).iter().for_each(|e| traces.observe(e));
        let spans = kept.0.lock();
        let names: Vec<_> = spans.iter().map(|s| s.name.as_ref()).collect();
        assert_eq!(names, ["endpointing", "llm_first_token", "turn", "call"]);
        let trace = TraceId::from_bytes(*call.as_bytes());
        assert!(spans.iter().all(|s| s.span_context.trace_id() == trace));
        let (turn, root) = (&spans[2], &spans[3]);
        assert!(spans[..2].iter().all(|s| s.parent_span_id == turn.span_context.span_id()));
        assert_eq!(turn.parent_span_id, root.span_context.span_id());
        assert_eq!(root.parent_span_id, SpanId::INVALID);
        assert_eq!(spans[0].end_time, spans[1].start_time);
        let length = turn.end_time.duration_since(turn.start_time).unwrap();
        assert_eq!(length, Duration::from_millis(500));
        assert_eq!(root.events.len(), 1);
        assert!(traces.open.lock().is_empty());
    }

    #[test]
    fn no_words_of_the_call_are_in_a_trace() {
        let (kept, call) = (Kept::default(), Uuid::now_v7());
        let traces = Traces::over(Box::new(kept.clone()));
        a_call(call).iter().for_each(|e| traces.observe(e));
        let all = format!("{:?}", kept.0.lock());
        assert!(!all.contains("hunter2") && !all.contains("2025550100"), "{all}");
        assert!(all.contains("caller_hung_up"));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_collector_gets_protobuf_over_http() {
        type Posted = (Option<String>, Body);
        let got: Arc<Mutex<Vec<Posted>>> = Arc::default();
        let keep = got.clone();
        let take = move |headers: HeaderMap, body: Body| {
            let kind = headers.get("content-type").and_then(|v| v.to_str().ok()).map(str::to_owned);
            keep.lock().push((kind, body));
            async {}
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(
            async move { axum::serve(listener, Router::new().route("/v1/traces", post(take))).await },
        );
        let traces = Traces::to(&endpoint, tokio::runtime::Handle::current()).unwrap();
        let call = Uuid::now_v7();
        a_call(call).iter().for_each(|e| traces.observe(e));
        tokio::task::spawn_blocking(move || traces.shutdown()).await.unwrap();
        let got = got.lock();
        assert_eq!(got.len(), 1, "one batch");
        assert_eq!(got[0].0.as_deref(), Some("application/x-protobuf"));
        let holds = |what: &[u8]| got[0].1.windows(what.len()).any(|w| w == what);
        assert!(holds(call.as_bytes()) && holds(b"endpointing") && holds(b"quandura"));
    }
}
