// What can go wrong with a call from the browser, said so that the person knows what to do.

import { ApiError } from "../api/client";

export interface Problem {
  title: string;
  detail: string;
}

const MICROPHONE: Record<string, Problem> = {
  NotAllowedError: {
    title: "The microphone is blocked.",
    detail:
      "Allow it for this site in the browser's address bar, then call again. Or choose a recording to speak in place of the microphone.",
  },
  NotFoundError: {
    title: "No microphone was found.",
    detail: "Connect one and call again, or choose a recording to speak in its place.",
  },
  NotReadableError: {
    title: "The microphone is in use.",
    detail: "Close the other program that uses it, then call again.",
  },
  SecurityError: {
    title: "Browsers give the microphone to secure pages only.",
    detail: "Open this console by https, or at localhost on the gateway's own machine. A recording works here too.",
  },
  EncodingError: {
    title: "This file is not a sound that the browser can read.",
    detail: "Choose a WAV file.",
  },
};

/** A failure before the line was open. */
export function startProblem(error: unknown): Problem {
  if (error instanceof DOMException) {
    const known = MICROPHONE[error.name];
    if (known) return known;
  }
  if (error instanceof ApiError) {
    if (error.status === 429 || error.status === 503) {
      return { title: "All lines are busy.", detail: error.action ?? "Wait a minute, then call again." };
    }
    return { title: "The call could not be placed.", detail: error.action ? `${error.message} ${error.action}` : error.message };
  }
  return { title: "The call could not be placed.", detail: error instanceof Error ? error.message : String(error) };
}

/** What a closed socket means; null for an ordinary end. `opened`: whether the stream had been accepted. */
export function closeProblem(code: number, reason: string, opened: boolean): Problem | null {
  if (code === 1000) return null;
  if (code === 1013) return { title: "All lines are busy.", detail: "The gateway is at its capacity. Wait a minute, then call again." };
  if (code === 1001) return { title: "The gateway is stopping.", detail: "The call ended early. Call again in a minute." };
  if (code === 1008) {
    return { title: "The gateway refused the call.", detail: `${reason || "The one-time permit was not accepted."} Call again for a fresh one.` };
  }
  if (!opened) {
    return {
      title: "The voice connection was refused.",
      detail: "The gateway answered, but not for voice. If a proxy stands between, it must pass websockets.",
    };
  }
  return { title: "The connection was lost.", detail: `${reason ? `${reason}. ` : ""}Check the network, then call again.` };
}
