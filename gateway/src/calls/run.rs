//! One admitted call from its parts to its last record.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use axum::extract::ws::WebSocket;
use chrono::Utc;
use futures_util::StreamExt;
use pipeline::audio::echo::GuardedVad;
use pipeline::cost::Prices;
use pipeline::driver::{CallParts, CallSummary, Control, Leg, PersonFrame, run_call};
use pipeline::event::AttentionLevel;
use pipeline::person_ear::PersonEar;
use pipeline::ports::{
    CallBrief, CallLog, Consent, Consented, EndReason, HandOver, Hearing, Language, Meter, PortError, Saying,
    TtsStream, Usage,
};
use pipeline::session::SessionConfig;
use pipeline::turn::TurnId;
use storage::records::{CallEntry, CallState, NewCall};
use storage::{Calls, RecordingConsent, StorageError, TenantStore};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::admission::Permit;
use super::answered::{Doubt, Ear};
use super::give_up_callback::CallBack;
use super::handshake::Opened;
use super::live::{LiveCall, NewLive, Registration};
use super::log::{Offset, StoredLog};
use super::media_reader::{Inbound, LegEnd};
use super::media_writer::Outbound;
use super::pending_streams::{ExpectedCall, NamedBy};
use super::sink::CallSink;
use super::socket::{self, CLOSE_WAIT, Closing, code};
use crate::app::App;
use crate::audit::calls::CallAudit;
use crate::dialing::{follow_up, notes, reminder, warm};
use crate::memory::recall::{Recollection, recall};
use crate::office::Pressing;
use crate::providers::Ready;
use crate::recording;
use crate::telemetry::metrics;

/// Frames and commands between socket and call, as the driver's contract has it.
const LEG_QUEUE: usize = 64;
/// Frames of a person between their socket and the call.
const VOICE_QUEUE: usize = 32;
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

/// A call that was let in.
#[derive(Debug)]
pub struct Admitted {
    pub opened: Opened,
    pub accepted: Instant,
    pub permit: Permit,
    /// The tenant's.
    pub store: TenantStore,
    /// What the call may cost, millionths of a US dollar.
    pub budget_micros: Option<u64>,
    /// A person has the call, and notes are taken.
    pub notes: Option<NotesOf>,
}

/// The talk that notes are taken of.
#[derive(Debug)]
pub struct NotesOf {
    /// The target, as callers hear it.
    pub with: String,
    pub language: Language,
}

/// Serves a call over its socket until everything about it is settled.
pub async fn serve(app: &Arc<App>, ready: &Ready, socket: WebSocket, admitted: Admitted) {
    let call = admitted.opened.call.clone();
    let (control, asked) = mpsc::channel(8);
    let (voice, heard) = mpsc::channel(VOICE_QUEUE);
    let registration = register(app, &call, control.clone(), voice, admitted.notes.is_some()).await;
    let is_noted = admitted.notes.is_some();
    let assembled = assemble(app, ready, &admitted, &registration.call, heard).await;
    let is_lost = is_noted && assembled.is_err();
    let Admitted { opened, accepted, permit, store: admitted_store, .. } = admitted;
    match assembled {
        Ok((parts, session)) => {
            let (prices, carrier) = (session.prices.clone(), session.carrier.is_some());
            app.tasks.spawn(warm::watch(app.clone(), registration.call.clone()).in_current_span());
            let ear = Ear::new(call.doubt, &registration.call);
            let talk = Talk { app, socket, opened, accepted, parts, session, control, asked, ear };
            let summary = talk.run().await;
            conclude(&call, &summary);
            settle_end(app, &admitted_store, &call, summary.reason).await;
            warm::caller_left(app, &admitted_store, call.id, summary.reason).await;
            app.reviewing.notify_one();
            if carrier {
                note_line_cost(app.carrier.name(), &prices, &summary);
            }
        }
        Err(error) => {
            tracing::error!(%error, "the call could not begin");
            // A talk that nobody hears goes on all the same.
            let reason = if is_noted { EndReason::Transferred } else { EndReason::Failed };
            metrics::ended(reason);
            end_record(app, &call, reason).await;
            socket::close(socket, &Closing::new(code::INTERNAL, "the call could not begin")).await;
        }
    }
    let pressing = match *registration.call.attention.lock() {
        AttentionLevel::Urgent => Pressing::Now,
        AttentionLevel::Watch | AttentionLevel::None => Pressing::MayWait,
    };
    // In this order: the place is free before the call is seen to be gone.
    drop(permit);
    drop(registration);
    if is_lost {
        notes::lost(app, call.line.tenant_id, call.id).await;
    }
    app.recordings.captured.notify_one();
    app.office.ring(call.line.tenant_id, pressing);
    app.memory.ended(call.line.tenant_id, call.id);
}

/// Registers the stream. An older stream of the same call is told that it was replaced, and waited for, so that
/// its record is complete before this one goes on with it.
async fn register(
    app: &Arc<App>,
    call: &ExpectedCall,
    control: mpsc::Sender<Control>,
    voice: mpsc::Sender<PersonFrame>,
    is_noted: bool,
) -> Registration {
    call.begin();
    let (id, tenant, carrier_sid) = (call.id, call.line.tenant_id, call.carrier_sid.clone());
    let (registration, replaced) = app.live.insert(NewLive {
        id,
        tenant,
        carrier_sid,
        named_by: call.named_by,
        is_noted,
        control,
        voice,
    });
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
    admitted: &Admitted,
    live: &Arc<LiveCall>,
    voice: mpsc::Receiver<PersonFrame>,
) -> Result<(CallParts, SessionConfig), Unable> {
    let (store, call) = (&admitted.store, &*admitted.opened.call);
    let recollection = recall(&app.memory, store, call.caller.as_ref()).await;
    let mut brief = brief(call, ready, recollection);
    brief.hand_over.staff = app.staff.of(call.line.tenant_id);
    let notes = admitted.notes.as_ref();
    if let Some(notes) = notes {
        (brief.language, brief.hand_over.notes) = (notes.language, true);
    } else if call.outbound.is_some() && call.returned.is_none() {
        let sure = call.doubt == Doubt::None;
        brief.reminder = reminder::for_call(app, store, call.id, sure).await?;
        brief.follow_up = follow_up::for_call(app, store, call.id, sure).await?;
    }
    let reopens = call.returned.is_some() || notes.is_some();
    let (after, refused) = begin_record(store, call, (brief.language, reopens), admitted.accepted).await?;
    brief.hand_over.part = after.seq;
    if refused {
        brief.consent = Consent::Off;
    }
    let words = app.vocabularies.of(store).await;
    let hearing = Hearing {
        language: brief.language,
        languages: brief.spoken.clone(),
        key_terms: words.key_terms.clone(),
    };
    let saying = Saying { language: brief.language, lexicon: words.lexicon };
    let (line, caller) = (&call.line.number, call.caller.clone());
    let owed = CallBack::new(store.clone(), call.id, call.passport, line, caller);
    let session = SessionConfig {
        first_turn: TurnId(after.first_turn),
        language: brief.language,
        // The line is the carrier's business once it has put the call through.
        carrier: paid_carrier(app, call).filter(|_| notes.is_none()),
        call_budget_micros: admitted.budget_micros.map(|most| most.saturating_sub(after.cost_micros)),
        can_call_back: owed.is_possible() && notes.is_none(),
        notes_with: notes.map(|notes| notes.with.clone()),
        ..ready.lineup.session.clone()
    };
    let start_ms = after.ms;
    let log = StoredLog { writer: store.call_writer(), after, tasks: app.tasks.clone(), owed };
    let engines = &ready.providers;
    let parts = CallParts {
        carrier_sid: call.carrier_sid.clone(),
        stt: engines.stt.open(&hearing)?,
        tts: if notes.is_some() { TtsStream::closed() } else { engines.tts.open(&saying)? },
        reply: engines.responder.open(brief.clone())?,
        log: log.open(brief.call)?,
        vad: GuardedVad::new((engines.vad)()),
        screen: (engines.screen)(call.line.tenant_id),
        events: Arc::new(CallSink::new(
            app.fanout.clone(),
            live.clone(),
            app.traces.clone(),
            CallAudit::new(store.audit(), call.id),
        )),
        voice,
        person: PersonEar::new(engines.stt.clone(), hearing.clone(), engines.vad.clone()),
        tap: live.tap.clone(),
        recording: recording::of_call::begin(app, store, call, live, start_ms),
        // What two people say to each other is nobody's journal.
        journal: if notes.is_some() { None } else { app.recorders.journal(call.id, &call.line, &app.tasks) },
        journal_from_start: app.recorders.is_from_start(),
        brief,
    };
    Ok((parts, session))
}

/// A caller who is known to prefer a language that the line speaks is greeted in it; the greeting offers the other one.
fn brief(call: &ExpectedCall, ready: &Ready, recollection: Recollection) -> CallBrief {
    let spoken = ready.lineup.spoken_on(&call.line);
    let (returned, held_in) = call.returned.clone().unzip();
    let preferred = held_in.or(call.outbound).or(recollection.language);
    let preferred = preferred.filter(|language| spoken.contains(language));
    CallBrief {
        call: pipeline::turn::CallId(call.id.0),
        tenant: call.line.tenant_id.0,
        passport: call.passport.0,
        caller: call.caller.as_ref().map(|number| number.as_str().to_owned()),
        line: call.line.number.clone(),
        language: preferred.unwrap_or_else(|| ready.lineup.language_of(&call.line)),
        spoken,
        recalled: recollection.facts,
        outbound: call.outbound.is_some(),
        reminder: None,
        follow_up: None,
        consent: match call.line.recording_consent {
            RecordingConsent::Off => Consent::Off,
            RecordingConsent::Notice => Consent::Notice,
            RecordingConsent::Ask => Consent::Ask,
        },
        hand_over: HandOver {
            is_possible: call.named_by == NamedBy::Carrier,
            returned,
            ..HandOver::default()
        },
    }
}

/// Name of the carrier in the price table. Phones of our own API, and callers on this machine, cost no line.
fn paid_carrier(app: &App, call: &ExpectedCall) -> Option<String> {
    let paid = call.named_by == NamedBy::Carrier && !app.config.unsigned();
    paid.then(|| app.carrier.name().to_owned())
}

/// Opens the call's record, or finds where it goes on, and whether the caller wanted no recording in an earlier stream: that
/// holds for the whole call, so they are neither told nor asked again.
async fn begin_record(
    store: &TenantStore,
    call: &ExpectedCall,
    (language, reopens): (Language, bool),
    accepted: Instant,
) -> Result<(Offset, bool), StorageError> {
    let started_at = Utc::now() - accepted.elapsed();
    let new = NewCall { language: language.code().to_owned(), ..call.record(started_at) };
    match store.begin_call(new).await {
        Ok(_) => return Ok((Offset::default(), false)),
        Err(StorageError::Taken { .. }) => {}
        Err(e) => return Err(e),
    }
    if reopens {
        store.resume_call(call.id).await?;
    }
    let known = store.call(call.id).await?.ok_or(StorageError::NotFound { what: "call" })?;
    let log = store.call_log(call.id).await?;
    let seq = log.iter().map(|row| row.seq).max().unwrap_or(0);
    let no = [Consented::Refused, Consented::Withdrawn].map(Consented::name);
    let refused = log.iter().any(
        |row| matches!(&row.entry, CallEntry::Consent { consented, .. } if no.contains(&consented.as_str())),
    );
    let ms = u64::try_from((started_at - known.started_at).num_milliseconds()).unwrap_or(0);
    let first_turn = store.transcript(call.id).await?.iter().map(|t| t.turn + 1).max().unwrap_or(0);
    Ok((Offset { seq, ms, first_turn, cost_micros: known.cost_micros }, refused))
}

async fn end_record(app: &App, call: &ExpectedCall, reason: EndReason) {
    let (now, reason) = (Utc::now(), metrics::reason_name(reason));
    let ended = match app.platform.tenant(call.line.tenant_id).await {
        Ok(store) => store.end_call(call.id, reason, now).await.map(drop),
        Err(error) => Err(error),
    };
    if !matches!(ended, Ok(()) | Err(StorageError::NotFound { .. })) {
        app.unended.note(call.id, call.line.tenant_id, reason, now);
    }
}

/// A call whose last record was not taken is ended on our books all the same, if later.
async fn settle_end(app: &App, store: &TenantStore, call: &ExpectedCall, reason: EndReason) {
    if reason == EndReason::Replaced {
        return;
    }
    let is_open = match store.call(call.id).await {
        Ok(kept) => kept.is_some_and(|kept| kept.state == CallState::Live),
        Err(_) => true,
    };
    if is_open {
        app.unended.note(call.id, call.line.tenant_id, metrics::reason_name(reason), Utc::now());
    }
}

fn conclude(call: &ExpectedCall, summary: &CallSummary) {
    let reason = metrics::reason_name(summary.reason);
    metrics::ended(summary.reason);
    tracing::info!(reason, duration_ms = summary.duration_ms, turns = summary.turns, line = %call.line.number, "call ended");
}

fn note_line_cost(carrier: &'static str, prices: &Prices, summary: &CallSummary) {
    let (provider, model) = (carrier.to_owned(), "*".to_owned());
    let usage = Usage { provider, model, meter: Meter::LineMs, amount: summary.duration_ms };
    if let Some(micros) = prices.cost(&usage) {
        metrics::cost(carrier, micros / 1e6);
    }
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
    /// Listens for a machine, on a call of ours.
    ear: Option<Ear>,
}

impl Talk<'_> {
    /// Runs the driver in a task of its own, and both pumps in this one.
    async fn run(self) -> CallSummary {
        let Opened { writer, reader, .. } = self.opened;
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
            let inbound = Inbound::new(stream, reader, self.accepted, limits, self.ear);
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
            let outbound = Outbound::new(sink, writer, limits.send);
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
