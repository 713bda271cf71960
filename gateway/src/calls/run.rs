//! One admitted call from its parts to its last record.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use axum::extract::ws::WebSocket;
use chrono::Utc;
use futures_util::StreamExt;
use pipeline::driver::{CallParts, CallSummary, Control, Leg, run_call};
use pipeline::ports::{CallBrief, CallLog, EndReason, Language, PortError};
use pipeline::session::SessionConfig;
use pipeline::turn::TurnId;
use storage::{Calls, StorageError, TenantStore};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::admission::Permit;
use super::expected::ExpectedCall;
use super::handshake::Opened;
use super::inbound::{Inbound, LegEnd};
use super::live::{LiveCall, NewLive, Registration};
use super::log::{Offset, StoredLog};
use super::outbound::Outbound;
use super::sink::CallSink;
use super::socket::{self, CLOSE_WAIT, Closing, code};
use crate::app::App;
use crate::providers::Ready;
use crate::telemetry::metrics;

/// Frames and commands between socket and call, as the driver's contract has it.
const LEG_QUEUE: usize = 64;
/// Longest wait for a replaced stream to settle its record.
const REPLACED: Duration = Duration::from_secs(5);

/// Why a call could not begin.
#[derive(Debug, thiserror::Error)]
enum Unable {
    #[error("{0}")]
    Storage(#[from] StorageError),
    #[error("{0}")]
    Port(#[from] PortError),
}

/// Serves a call over its socket until everything about it is settled.
pub async fn serve(
    app: &Arc<App>,
    ready: &Ready,
    socket: WebSocket,
    opened: Opened,
    accepted: Instant,
    permit: Permit,
) {
    let call = opened.call.clone();
    let (control, asked) = mpsc::channel(8);
    let registration = register(app, &call, control.clone()).await;
    match assemble(app, ready, &call, &registration.call, accepted).await {
        Ok((parts, session)) => {
            let talk = Talk { app, socket, opened, accepted, parts, session, control, asked };
            conclude(&call, &talk.run().await);
        }
        Err(error) => {
            tracing::error!(%error, "the call could not begin");
            metrics::ended(EndReason::Failed);
            end_record(app, &call).await;
            socket::close(socket, &Closing::new(code::INTERNAL, "the call could not begin")).await;
        }
    }
    // In this order: the place is free before the call is seen to be gone.
    drop(permit);
    drop(registration);
}

/// Registers the stream. An older stream of the same call is told that it was replaced, and waited for, so that
/// its record is complete before this one goes on with it.
async fn register(app: &Arc<App>, call: &ExpectedCall, control: mpsc::Sender<Control>) -> Registration {
    call.begin();
    let (id, tenant, carrier_sid) = (call.id, call.line.tenant_id, call.carrier_sid.clone());
    let (registration, replaced) = app.live.insert(NewLive { id, tenant, carrier_sid, control });
    if let Some(older) = replaced {
        tracing::warn!("a newer stream replaces the call's older one");
        let _ = older.hang_up(EndReason::Replaced);
        older.wait_gone(REPLACED).await;
    }
    registration
}

async fn assemble(
    app: &Arc<App>,
    ready: &Ready,
    call: &ExpectedCall,
    live: &Arc<LiveCall>,
    accepted: Instant,
) -> Result<(CallParts, SessionConfig), Unable> {
    let store = app.platform.tenant(call.line.tenant_id).await?;
    let after = begin_record(&store, call, accepted).await?;
    let brief = brief(call);
    let engines = &ready.providers;
    let session = SessionConfig { first_turn: TurnId(after.first_turn), ..app.session.clone() };
    let log = StoredLog { writer: store.call_writer(), after, tasks: app.tasks.clone() };
    let parts = CallParts {
        carrier_sid: call.carrier_sid.clone(),
        stt: engines.stt.open(&brief.language.into())?,
        tts: engines.tts.open(&brief.language.into())?,
        reply: engines.responder.open(brief.clone())?,
        log: log.open(brief.call)?,
        vad: (engines.vad)(),
        screen: (engines.screen)(call.line.tenant_id),
        events: Arc::new(CallSink { fanout: app.fanout.clone(), call: live.clone() }),
        journal: app.recorders.journal(call.id, &call.line, &app.tasks),
        brief,
    };
    Ok((parts, session))
}

fn brief(call: &ExpectedCall) -> CallBrief {
    CallBrief {
        call: pipeline::turn::CallId(call.id.0),
        tenant: call.line.tenant_id.0,
        passport: call.passport.0,
        caller: call.caller.clone(),
        line: call.line.number.clone(),
        spoken: vec![Language::En],
        // Spanish needs engines that speak it; the embedded ones do not.
        language: Language::En,
    }
}

/// Opens the call's record, or finds where it goes on.
async fn begin_record(
    store: &TenantStore,
    call: &ExpectedCall,
    accepted: Instant,
) -> Result<Offset, StorageError> {
    let started_at = Utc::now() - accepted.elapsed();
    match store.begin_call(call.record(started_at)).await {
        Ok(_) => return Ok(Offset::default()),
        Err(StorageError::Taken { .. }) => {}
        Err(e) => return Err(e),
    }
    let known = store.call(call.id).await?.ok_or(StorageError::NotFound { what: "call" })?;
    let seq = store.call_log(call.id).await?.iter().map(|row| row.seq).max().unwrap_or(0);
    let ms = u64::try_from((started_at - known.started_at).num_milliseconds()).unwrap_or(0);
    let first_turn = store.transcript(call.id).await?.iter().map(|t| t.turn + 1).max().unwrap_or(0);
    Ok(Offset { seq, ms, first_turn })
}

async fn end_record(app: &App, call: &ExpectedCall) {
    if let Ok(store) = app.platform.tenant(call.line.tenant_id).await {
        let _ = store.end_call(call.id, metrics::reason_name(EndReason::Failed), Utc::now()).await;
    }
}

fn conclude(call: &ExpectedCall, summary: &CallSummary) {
    let reason = metrics::reason_name(summary.reason);
    metrics::ended(summary.reason);
    tracing::info!(reason, duration_ms = summary.duration_ms, turns = summary.turns, line = %call.line.number, "call ended");
}

/// A call and its socket.
struct Talk<'a> {
    app: &'a Arc<App>,
    socket: WebSocket,
    opened: Opened,
    accepted: Instant,
    parts: CallParts,
    session: SessionConfig,
    control: mpsc::Sender<Control>,
    asked: mpsc::Receiver<Control>,
}

impl Talk<'_> {
    /// Runs the driver in a task of its own, and both pumps in this one.
    async fn run(self) -> CallSummary {
        let Opened { stream_sid, reader, .. } = self.opened;
        let limits = &self.app.config.limits;
        let (sink, stream) = self.socket.split();
        let (to_call, events) = mpsc::channel(LEG_QUEUE);
        let (commands, from_call) = mpsc::channel(LEG_QUEUE);
        let driver = run_call(
            Leg { events, commands },
            self.parts,
            self.session,
            self.asked,
            self.app.stop.now.child_token(),
        );
        let driver = self.app.tasks.spawn(driver.in_current_span());
        let why = OnceLock::new();
        let written = CancellationToken::new();
        let reading = async {
            let inbound = Inbound::new(stream, reader, self.accepted, limits);
            let end = tokio::select! {
                end = inbound.pump(&to_call) => end,
                () = linger(&written) => LegEnd::Lost,
            };
            if let LegEnd::Broken { closing, .. } = end {
                let _ = why.set(closing);
                let _ = self.control.try_send(Control::HangUp(EndReason::ProtocolError));
            }
            // After the reason was given: a closed channel alone means that the socket died.
            drop(to_call);
        };
        let writing = async {
            let outbound = Outbound::new(sink, stream_sid, limits.send);
            outbound.pump(from_call, &why, &self.app.stop.now).await;
            written.cancel();
        };
        let (summary, (), ()) = tokio::join!(driver, reading, writing);
        summary.unwrap_or_else(|e| crashed(&e))
    }
}

/// A moment after the writer is done: long enough for the peer to take our close.
async fn linger(written: &CancellationToken) {
    written.cancelled().await;
    tokio::time::sleep(CLOSE_WAIT).await;
}

/// A panic in one call ends that call alone.
fn crashed(error: &tokio::task::JoinError) -> CallSummary {
    tracing::error!(%error, "the call's task failed");
    CallSummary { reason: EndReason::Failed, duration_ms: 0, turns: 0 }
}
