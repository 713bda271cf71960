// What crosses the border between the page and the audio thread.

/** Capture, to the page: one 20 ms frame of mu-law, and its level for the meter. */
export interface CapturedFrame {
  payload: Uint8Array;
  level: number;
}
/** Page to capture. Muted, it goes on sending frames: of silence. */
export interface CaptureControl {
  muted: boolean;
}

/** Page to player. */
export type PlayerControl =
  /** `hold`: samples of time for which it is held back if nothing plays before it. */
  | { kind: "media"; payload: Uint8Array; hold?: number }
  | { kind: "mark"; name: string }
  | { kind: "clear" };
/** Player, to the page. */
export type PlayerReport =
  | { kind: "marks"; names: string[] }
  | { kind: "status"; level: number; queued: number; underruns: number };
