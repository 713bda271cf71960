//! Prometheus metrics. Label values come from fixed lists, so the number of series is bounded.

use std::sync::OnceLock;

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use pipeline::ports::EndReason;

/// Bounds that resolve the budgets: 1, 5 and 15 ms own work, 150 ms barge-in, 300, 400, 650, 750 and 1000 ms turns.
const SECONDS: [f64; 19] = [
    0.001, 0.0025, 0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.15, 0.25, 0.3, 0.4, 0.5, 0.65, 0.75, 1.0, 1.4,
    2.0, 5.0,
];

/// Bounds that tell who waited a moment from who waited an hour.
const WAITS: [f64; 9] = [5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_200.0, 2_700.0];

/// The process-wide recorder. Several gateways in one process (tests) share it.
pub fn recorder() -> Option<&'static PrometheusHandle> {
    static HANDLE: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    HANDLE.get_or_init(install).as_ref()
}

fn install() -> Option<PrometheusHandle> {
    let builder =
        PrometheusBuilder::new().set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS);
    let builder = builder.and_then(|builder| {
        builder.set_buckets_for_metric(Matcher::Full("quandura_transfer_wait_seconds".to_owned()), &WAITS)
    });
    let handle =
        builder.ok()?.install_recorder().inspect_err(|e| tracing::warn!(error = %e, "no metrics")).ok()?;
    describe();
    Some(handle)
}

fn describe() {
    describe_counter!("quandura_calls_total", "Calls that ended, by reason.");
    describe_gauge!("quandura_calls_live", "Calls that are live now.");
    describe_counter!("quandura_calls_refused_total", "Calls and streams that were turned away, by reason.");
    describe_histogram!(
        "quandura_turn_seconds",
        Unit::Seconds,
        "Caller's last speech frame to our first reply frame."
    );
    describe_gauge!("quandura_transfers_waiting", "Callers of this process who wait in line for a person.");
    describe_histogram!(
        "quandura_transfer_wait_seconds",
        Unit::Seconds,
        "How long callers waited in line for a person, by what came of it."
    );
    describe_histogram!("quandura_turn_stage_seconds", Unit::Seconds, "The turn's waterfall, by stage.");
    describe_counter!("quandura_office_jobs_total", "Jobs after calls, by how they ended.");
    describe_counter!("quandura_reviews_total", "After-action reviews, by what people held of the work.");
    describe_counter!("quandura_frames_total", "Media frames, by direction.");
    describe_counter!(
        "quandura_frames_dropped_total",
        "Media frames dropped because a queue was full, by direction."
    );
    describe_histogram!(
        "quandura_frame_lateness_seconds",
        Unit::Seconds,
        "Frames in later than 20 ms after the last."
    );
    describe_counter!("quandura_events_dropped_total", "Live events that were not delivered.");
    describe_counter!("quandura_http_requests_total", "HTTP requests, by route and status.");
    describe_gauge!("quandura_speech_load", "Use of the embedded speech engines, 0 to 1.");
    describe_gauge!("quandura_strain", "Late timers and used cores, 0 to 1; from 0.8 no call is added.");
    describe_gauge!("quandura_calls_max", "Calls that may be live at a time.");
    describe_gauge!(
        "quandura_provider_up",
        "1 while a provider is asked first, 0 while its breaker is open."
    );
    describe_counter!("quandura_provider_failures_total", "Failures of providers, by kind.");
    describe_counter!(
        "quandura_provider_events_total",
        "What calls met at providers: slow, failed, took_over, recovered, exhausted."
    );
    describe_gauge!("quandura_cost_usd_total", "What providers and the carrier's line cost, US dollars.");
    describe_counter!(
        "quandura_tokens_wasted_total",
        "Tokens of replies that were begun on a guess and thrown away."
    );
    describe_counter!(
        "quandura_prewarm_tokens_total",
        "Tokens of prompt caches that were written before a turn needed them: on no call's bill."
    );
    describe_counter!(
        "quandura_memory_missed_total",
        "Calls that began without what is remembered of their caller, by reason: late, failed."
    );
    describe_counter!(
        "quandura_task_failures_total",
        "Panics of what goes on beside the calls, by task; each is begun again."
    );
    describe_gauge!("quandura_recordings_live", "Calls that are being recorded.");
    describe_gauge!("quandura_recording_disk_full", "1 while the disk has no room for recordings.");
    describe_counter!(
        "quandura_recording_frames_lost_total",
        "Frames of calls that could not be recorded: the disk was full or too slow."
    );
    describe_counter!("quandura_recordings_deleted_total", "Recordings that were deleted, by reason.");
    describe_gauge!("quandura_listeners", "People who listen to live calls.");
    describe_counter!("quandura_listen_frames_lost_total", "Frames that a slow listener did not get.");
    describe_counter!(
        "quandura_person_frames_dropped_total",
        "Frames of a person who has a call that found no room."
    );
    describe_gauge!("quandura_event_viewers", "Open event streams.");
    describe_counter!("quandura_tool_calls_total", "Calls of tools, by tool and outcome.");
    describe_counter!(
        "quandura_alarms_total",
        "Alarms about requests that cannot wait and that nobody had taken on."
    );
    describe_counter!("quandura_call_backs_total", "Calls back to whoever left a request, by result.");
    describe_counter!("quandura_transfers_total", "Callers who were put through to a person, by result.");
    describe_counter!("quandura_notes_total", "Talks with people and how notes of them stand, by state.");
    describe_counter!("quandura_outbox_total", "Effects that were sent from the outbox, by outcome.");
    describe_counter!("quandura_tool_guard_total", "Texts of tools that tried to steer a model, by channel.");
    describe_outreach();
    describe_calls();
    describe_speech();
}

/// Calls that the agent places.
fn describe_outreach() {
    describe_counter!("quandura_outreach_total", "Calls that the agent placed, by result.");
    describe_counter!(
        "quandura_outreach_retries_total",
        "Calls of the agent that were due to be tried again, by what became of that."
    );
    describe_counter!(
        "quandura_reminders_total",
        "Calls that were to remind of an appointment without being asked for, by whether the carrier took them."
    );
    describe_counter!(
        "quandura_follow_ups_total",
        "Calls that were to ask for what is missing in a request, by whether the carrier took them."
    );
    describe_counter!(
        "quandura_campaign_numbers_total",
        "Numbers of campaigns that are done with, by what the last call came to or the rule that was against it."
    );
}

/// What the calls themselves count.
fn describe_calls() {
    describe_counter!("quandura_journal_dropped_total", "Entries of a call's journal that found no room.");
    describe_counter!("quandura_playout_under_runs_total", "Gaps in what callers heard.");
    describe_counter!("quandura_stale_results_total", "Results that came too late to be used.");
    describe_counter!(
        "quandura_speculations_wasted_total",
        "Replies that were begun on a guess and thrown away."
    );
    describe_counter!("quandura_stt_frames_dropped_total", "Frames that a recognizer had no room for.");
    describe_counter!(
        "quandura_usage_unpriced_total",
        "Use of providers that the price table does not know."
    );
    describe_counter!(
        "quandura_voice_handshakes_total",
        "Connections opened to speech synthesis, by provider and outcome."
    );
}

/// What the embedded speech engines count.
fn describe_speech() {
    describe_gauge!("speech_active_talkers", "Callers in mid-sentence.");
    describe_histogram!("speech_job_wait_seconds", Unit::Seconds, "Wait for the embedded models, by kind.");
    describe_histogram!("speech_job_run_seconds", Unit::Seconds, "Work of the embedded models, by kind.");
    describe_counter!("speech_jobs_panicked_total", "Speech jobs that panicked, by kind.");
    describe_counter!("speech_jobs_shed_total", "Speech jobs that were not done, by kind and reason.");
    describe_counter!("speech_phrase_cache_total", "Fixed phrases that were there or had to be made.");
    describe_counter!("speech_results_dropped_total", "Results of speech engines for calls that were gone.");
}

/// Notes that a call or stream was turned away.
pub fn refused(reason: &'static str) {
    metrics::counter!("quandura_calls_refused_total", "reason" => reason).increment(1);
}

/// Notes that a call ended.
pub fn ended(reason: EndReason) {
    metrics::counter!("quandura_calls_total", "reason" => reason_name(reason)).increment(1);
}

/// Adds what a provider cost.
pub fn cost(provider: &'static str, usd: f64) {
    metrics::gauge!("quandura_cost_usd_total", "provider" => provider).increment(usd);
}

/// Notes tokens of a prompt cache that was written ahead.
pub fn prewarmed(provider: &'static str, meter: &'static str, tokens: u64) {
    metrics::counter!("quandura_prewarm_tokens_total", "provider" => provider, "meter" => meter)
        .increment(tokens);
}

/// Name of an end reason, as it is stored and shown.
#[must_use]
pub const fn reason_name(reason: EndReason) -> &'static str {
    match reason {
        EndReason::CallerHungUp => "caller_hung_up",
        EndReason::AgentHungUp => "agent_hung_up",
        EndReason::SupervisorHungUp => "supervisor_hung_up",
        EndReason::Machine => "machine",
        EndReason::Transferred => "transferred",
        EndReason::NoInput => "no_input",
        EndReason::StreamLost => "stream_lost",
        EndReason::Replaced => "replaced",
        EndReason::ProtocolError => "protocol_error",
        EndReason::Busy => "busy",
        EndReason::Draining => "draining",
        EndReason::TooLong => "too_long",
        EndReason::Budget => "budget",
        EndReason::Failed => "failed",
        EndReason::Interrupted => "interrupted",
    }
}
