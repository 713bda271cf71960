// People on a live call: listening, whispering, taking it over, giving it back; as the gateway does it.

import { bodyOf, bytesOf, json, refuse } from "./http.mjs";
import { energy, tone } from "./voice.mjs";

const FRAME_MS = 20;
const ME = "local-admin";
/** From the takeover until the caller was told who speaks. */
const TOLD_MS = 400;

const SOCKET = /^\/v1\/calls\/([^/]+)\/(listen|speak)$/;

/** True when the request was one of ours. */
export function deskUpgrade(mock, sockets, request, socket, head) {
  const [, id, what] = SOCKET.exec(new URL(request.url, "http://mock").pathname) ?? [];
  const call = id && mock.calls.get(id);
  if (!call) return false;
  if (what === "listen" && mock.desk.refuseListening) {
    socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
    return true;
  }
  sockets.handleUpgrade(request, socket, head, (peer) => (what === "listen" ? listen(mock, call, peer) : speak(mock, call, peer)));
  return true;
}

function message(kind, at, audio) {
  const head = Buffer.alloc(16);
  head.set([1, kind, 0, 0]);
  head.writeBigUInt64BE(BigInt(at) * 1000n, 8);
  return Buffer.concat([head, audio]);
}

function listen(mock, call, peer) {
  mock.desk.listeners += 1;
  peer.send(JSON.stringify({ version: 1, call_id: call.id, channel: "both", sample_rate_hz: 8000, frame_ms: FRAME_MS, header_bytes: 16 }));
  const sound = tone(50);
  const silence = Buffer.alloc(160, 0xff);
  let n = 0;
  const timer = setInterval(() => {
    if (call.item.state === "ended") return peer.close(1000, "the call is over");
    peer.send(message(1, n * FRAME_MS, silence));
    peer.send(message(2, n * FRAME_MS, sound[n % sound.length]));
    n += 1;
  }, FRAME_MS);
  peer.on("close", () => {
    clearInterval(timer);
    mock.desk.listeners -= 1;
  });
}

function speak(mock, call, peer) {
  peer.on("message", (data) => {
    mock.desk.frames += 1;
    mock.desk.peak = Math.max(mock.desk.peak, energy(data));
  });
  call.microphone = peer;
}

/** True when the request was one of ours. */
export async function deskRoute(mock, request, response, call, part) {
  const { desk } = mock;
  if (part === "listen" && request.method === "GET") {
    if (desk.refuseListening) refuse(response, 403, "FORBIDDEN", desk.refuseListening);
    else refuse(response, 400, "INVALID_REQUEST", "this address takes WebSocket connections only");
    return true;
  }
  if (part === "dictation" && request.method === "POST") {
    const sound = await bytesOf(request);
    desk.dictated = { type: request.headers["content-type"], bytes: sound.length, peak: energy(sound) };
    json(response, { text: "Tell them that Monday is a holiday." });
    return true;
  }
  if (request.method !== "POST" || !["takeover", "handover", "release", "whisper"].includes(part)) return false;
  const body = JSON.parse((await bodyOf(request)) || "{}");
  const holder = call.item.controlled_by;
  if (part === "whisper") {
    if (body.text?.includes("ignore")) refuse(response, 422, "INVALID_PARAMETER", "text would steer the agent past its rules");
    else {
      desk.whispers.push(body);
      call.emit("supervisor.whispered", { by: ME, text: body.say ?? body.text ?? "", until: body.say ? "said" : body.withdraw ? "now" : body.until });
      json(response, { id: call.id, until: "said" }, 202);
    }
  } else if (part === "takeover" && body.ask && holder && holder.by !== ME) {
    askFor(call, ME);
    json(response, { id: call.id, asked: holder.by, until: new Date(Date.now() + 60_000).toISOString() }, 202);
  } else if (holder && holder.by !== ME) {
    refuse(response, 409, "CONFLICT", `${holder.by} has the call`, "ask them for it; a higher role may take it");
  } else if (part === "handover") {
    hold(call, body.to);
    call.microphone?.close(1008, "another person has the call");
    json(response, { id: call.id, controlled_by: call.item.controlled_by }, 202);
  } else if (part === "takeover") {
    hold(call, ME);
    setTimeout(() => call.emit("call.control", { holder: "person", by: ME, reason: "speaking" }), TOLD_MS);
    json(response, { id: call.id, controlled_by: call.item.controlled_by, speak: `/v1/calls/${call.id}/speak` });
  } else {
    desk.notes.push(body.note ?? null);
    call.item.controlled_by = null;
    call.emit("call.control", { holder: "agent", by: ME, reason: "released" });
    call.microphone?.close(1008, "the call was given back");
    json(response, { id: call.id }, 202);
  }
  return true;
}

/** Somebody asks whoever has the call for it. */
export function askFor(call, by) {
  call.emit("call.control_asked", { by, of: call.item.controlled_by.by, until: new Date(Date.now() + 60_000).toISOString() });
}

/** Somebody has the call. */
export function hold(call, by) {
  call.item.controlled_by = { by, role: "supervisor", since: new Date().toISOString() };
  call.emit("call.control", { holder: "person", by, reason: "taken_over" });
}
