import { useEffect, useRef, useState } from "react";

import { api, explain, recordingUrl } from "../../api/client";
import type { Me, Peaks, Recording } from "../../api/types";
import { useOffers } from "../../app/capabilities";
import { play } from "../../app/playing";
import { duration, durationWords } from "../../model/format";
import type { Call } from "../../model/state";
import { bars, spokenAt } from "../../model/wave";
import { Button } from "../../ui/Button";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";

/** Roles that may play recordings. */
const PLAYS = ["supervisor", "tenant-admin", "auditor", "platform-admin"];
/** Seconds that a key moves by. */
const STEP = 5;
const FAR = 30;
/** Width of a bar and of the gap after it, in pixels. */
const BAR = 3;

interface Found {
  recording: Recording | null;
  peaks: Peaks | null;
}

/** The recording of a call that is over: drawn, played, and in step with the words beside it. */
export function RecordingPanel({ call, me }: { call: Call; me: Me }) {
  const offers = useOffers();
  const [found, setFound] = useState<Found | null>(null);
  const [error, setError] = useState<unknown>(null);
  const { id, state } = call.facts;
  const may = state === "ended" && me.roles.some((role) => PLAYS.includes(role)) && offers.has("/v1/calls/{id}/recording");
  useEffect(() => {
    if (!may) return undefined;
    const gone = new AbortController();
    api.recording(id, { signal: gone.signal }).then(setFound, (failure: unknown) => {
      if (!gone.signal.aborted) setError(failure);
    });
    return () => gone.abort();
  }, [id, may]);
  if (!may || (!found?.recording && error === null)) return null;
  return (
    <Panel title="Recording">
      {error !== null && <Note alert>{explain(error)}</Note>}
      {found?.recording && <State recording={found.recording} playable={found.peaks !== null} />}
      {found?.peaks && <Player call={call} peaks={found.peaks} />}
    </Panel>
  );
}

function State({ recording, playable }: { recording: Recording; playable: boolean }) {
  const lost = recording.lost_frames > 0 ? `${duration(recording.lost_frames * 10)} of it could not be written.` : "";
  const why =
    recording.state === "deleted"
      ? `It was deleted (${recording.delete_reason ?? "unknown"}).`
      : recording.wanted_gone
        ? "It is to be deleted, and a legal hold keeps it. Nobody can play it."
        : playable
          ? ""
          : "It is being put together. Come back in a minute.";
  const text = [why, lost].filter(Boolean).join(" ");
  return text === "" ? null : <p className="text-sm text-muted">{text}</p>;
}

function Player({ call, peaks }: { call: Call; peaks: Peaks }) {
  const audio = useRef<HTMLAudioElement>(null);
  const [at, setAt] = useState(0);
  const [plays, setPlays] = useState(false);
  const [failed, setFailed] = useState(false);
  const { id, started_at } = call.facts;
  const total = peaks.duration_ms / 1000;
  useEffect(() => () => play(""), [id]);
  useEffect(() => {
    play(plays || at > 0 ? spokenAt(call.utterances, started_at, peaks.starts_ms, at * 1000) : "");
  }, [at, plays, call.utterances, started_at, peaks.starts_ms]);
  const seek = (seconds: number): void => {
    const to = Math.min(total, Math.max(0, seconds));
    if (audio.current) audio.current.currentTime = to;
    setAt(to);
  };
  const toggle = (): void => {
    const sound = audio.current;
    if (!sound) return;
    if (sound.paused) void sound.play().catch(() => setFailed(true));
    else sound.pause();
  };
  return (
    <div className="space-y-3">
      {/* Nothing is fetched before it is played: each time is on the audit. Its captions are the transcript beside it. */}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      <audio
        ref={audio}
        preload="none"
        src={recordingUrl(id)}
        onPlay={() => setPlays(true)}
        onPause={() => setPlays(false)}
        onTimeUpdate={(event) => setAt(event.currentTarget.currentTime)}
        onError={() => setFailed(true)}
      />
      <Wave peaks={peaks} at={at} total={total} onSeek={seek} />
      <div className="flex flex-wrap items-center gap-2">
        <Button aria-pressed={plays} icon="speaker" onClick={toggle}>
          {plays ? "Pause" : "Play"}
        </Button>
        <span className="figures text-sm text-muted">
          {duration(at * 1000)} of {duration(peaks.duration_ms)}
        </span>
        <a href={`${recordingUrl(id)}?format=wav`} download className="ml-auto text-sm text-accent underline underline-offset-2">
          Save as WAV
        </a>
      </div>
      {failed && <Note alert>The recording cannot be played here. Save it, and play it with another program.</Note>}
    </div>
  );
}

/** The caller above the line, the agent below it. A slider: arrow keys move by five seconds, page keys by thirty. */
function Wave({ peaks, at, total, onSeek }: { peaks: Peaks; at: number; total: number; onSeek: (seconds: number) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const watch = new ResizeObserver(() => setWidth(element.clientWidth));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (canvas.current) draw(canvas.current, peaks, total > 0 ? at / total : 0);
  }, [peaks, at, total, width]);
  const keys: Record<string, number> = { ArrowLeft: -STEP, ArrowDown: -STEP, ArrowRight: STEP, ArrowUp: STEP, PageDown: -FAR, PageUp: FAR, Home: -total, End: total };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label="Place in the recording"
      aria-valuemin={0}
      aria-valuemax={Math.round(total)}
      aria-valuenow={Math.round(at)}
      aria-valuetext={`${durationWords(at * 1000)} of ${durationWords(total * 1000)}`}
      className="cursor-pointer rounded-lg"
      onKeyDown={(event) => {
        const by = keys[event.key];
        if (by === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        onSeek(at + by);
      }}
      onPointerDown={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        onSeek(((event.clientX - box.left) / Math.max(1, box.width)) * total);
      }}
    >
      <canvas ref={canvas} aria-hidden="true" className="block h-16 w-full" />
    </div>
  );
}

function draw(canvas: HTMLCanvasElement, peaks: Peaks, played: number): void {
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const scale = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = width * scale;
  canvas.height = height * scale;
  pen.scale(scale, scale);
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(name).trim() || "gray";
  const [caller, agent, rest] = [colour("--warm"), colour("--accent"), colour("--line-strong")];
  const half = height / 2;
  const side = (levels: readonly number[], own: string, up: boolean): void => {
    const heights = bars(levels, width / BAR);
    const step = width / Math.max(1, heights.length);
    for (const [n, level] of heights.entries()) {
      pen.fillStyle = (n + 0.5) / heights.length <= played ? own : rest;
      const tall = Math.max(1, level * (half - 2));
      pen.fillRect(n * step, up ? half - tall : half, Math.max(1, step - 1), tall);
    }
  };
  side(peaks.caller, caller, true);
  side(peaks.agent, agent, false);
  pen.fillStyle = colour("--text");
  pen.fillRect(Math.min(width - 1, played * width), 0, 1, height);
}
