// Recordings of calls that are over: what is known of one, and its sound.

import { wav } from "../lib/wav.mjs";
import { json, refuse } from "./http.mjs";

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

export function recording(mock, response, id, url) {
  const kept = mock.recordings.get(id);
  if (url.searchParams.get("format") === "json") {
    return json(response, kept ? { recording: kept.recording, peaks: kept.peaks } : { recording: null, peaks: null });
  }
  if (!kept) return refuse(response, 404, "NOT_FOUND", "There is no such recording.");
  mock.played += 1;
  const sound = wav(Float32Array.from({ length: kept.seconds * RATE }, (_, n) => Math.sin(n / 5) / 4), RATE);
  response.writeHead(200, { "content-type": "audio/wav", "content-length": sound.length }).end(sound);
}
