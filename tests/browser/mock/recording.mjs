// Recordings of calls: pausing that of a live one; what is known of one that is over, and its sound.

import { wav } from "../lib/wav.mjs";
import { json, refuse } from "./http.mjs";
import { entry } from "./settings.mjs";

const RATE = 8_000;

/** Gives a call a recording of some seconds, in which the caller speaks in the first half and the agent in the second. */
export function record(mock, call, seconds, offsetMs = 0) {
  const loud = (n) => (Math.floor(n / 10) < seconds / 2 ? 180 : 0);
  const caller = Array.from({ length: seconds * 10 }, (_, n) => loud(n));
  mock.recordings.set(call.id, {
    seconds,
    recording: { call_id: call.id, state: "kept", started_at: call.item.started_at, duration_ms: seconds * 1000, bytes: 1, lost_frames: 0, wanted_gone: false, deleted_at: null, delete_reason: null },
    peaks: { starts_ms: offsetMs, duration_ms: seconds * 1000, peak_ms: 100, caller, agent: caller.map((level) => 180 - level) },
  });
}

/** A call's recording begins. */
export function beginRecording(mock, call) {
  const live = { call_id: call.id, state: "live", started_at: new Date().toISOString(), duration_ms: 0, bytes: 0, lost_frames: 0, wanted_gone: false, deleted_at: null, delete_reason: null };
  mock.recordings.set(call.id, { seconds: 0, recording: live, peaks: null, paused: false, paused_by: null });
  note(mock, "recording.started", call.id, "call");
}

/** Somebody pauses a live recording, or lets it go on. */
export function setPaused(mock, id, paused, by) {
  Object.assign(mock.recordings.get(id), { paused, paused_by: paused ? by : null });
  note(mock, paused ? "recording.paused" : "recording.resumed", id, by);
}

const note = (mock, action, id, by) => mock.audit.unshift({ ...entry(mock, action, id, by), subject: { kind: "call", id } });

export function pause(mock, response, id, paused) {
  if (mock.recordings.get(id)?.recording.state !== "live") return refuse(response, 409, "CONFLICT", "the call is not being recorded");
  setPaused(mock, id, paused, "local-admin");
  json(response, { id, paused });
}

export function recording(mock, response, id, url) {
  const kept = mock.recordings.get(id);
  if (url.searchParams.get("format") === "json") {
    const { recording = null, peaks = null, paused = null, paused_by = null } = kept ?? {};
    return json(response, { recording, peaks, paused, paused_by });
  }
  if (!kept) return refuse(response, 404, "NOT_FOUND", "There is no such recording.");
  mock.played += 1;
  const sound = wav(Float32Array.from({ length: kept.seconds * RATE }, (_, n) => Math.sin(n / 5) / 4), RATE);
  response.writeHead(200, { "content-type": "audio/wav", "content-length": sound.length }).end(sound);
}
