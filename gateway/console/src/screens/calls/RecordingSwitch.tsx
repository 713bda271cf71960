import { useEffect, useRef, useState } from "react";

import { api, ApiError, explain } from "../../api/client";
import type { Me } from "../../api/types";
import { useOffers } from "../../app/capabilities";
import { consoleStore, useConsole } from "../../app/console";
import { useKeys } from "../../app/keys";
import { actsOnCalls } from "../../app/permissions";
import { standing, standingText, withPause, type Pause } from "../../model/recording";
import type { Call } from "../../model/state";
import { Button } from "../../ui/Button";
import { Note } from "../../ui/Note";

/** No event tells that a recording began, so it is asked for again: soon after the caller was told, and then at this pace. */
const SOON_MS = 1_500;
const AGAIN_MS = 10_000;

const remember = (id: string, pause: Pause | null): void => consoleStore.edit((state) => withPause(state, id, pause));

/** The recording of a live call: how it stands, and pausing it while something is said that must not be kept. */
export function RecordingSwitch({ call, me }: { call: Call; me: Me }) {
  const offers = useOffers();
  const epoch = useConsole((now) => now.epoch);
  const [recorded, setRecorded] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const acts = useRef(0);
  const known = useRef(epoch);
  const { id } = call.facts;
  const may = actsOnCalls(me) && offers.has("/v1/calls/{id}/recording/pause");

  useEffect(() => {
    if (!may) return undefined;
    // Events were missed, and what they told of another stream of the call.
    if (known.current !== epoch) remember(id, null);
    known.current = epoch;
    const gone = new AbortController();
    const ask = async (): Promise<void> => {
      const before = acts.current;
      const { recording, paused, paused_by } = await api.recording(id, { signal: gone.signal });
      const runs = recording?.state === "live";
      // What was asked before somebody pressed here is older than what came of that.
      if (gone.signal.aborted || acts.current !== before) return;
      setRecorded(runs);
      remember(id, runs && paused !== null ? { paused, by: paused_by } : null);
    };
    // Without an answer what was known stands: that the gateway does not answer is told above all screens.
    const tryTo = (): void => void ask().catch(() => undefined);
    tryTo();
    const soon = setTimeout(tryTo, SOON_MS);
    const again = setInterval(tryTo, AGAIN_MS);
    return () => {
      clearTimeout(soon);
      clearInterval(again);
      gone.abort();
    };
  }, [id, may, epoch, call.consentAt]);

  const set = async (paused: boolean): Promise<void> => {
    if (busy) return;
    acts.current += 1;
    setBusy(true);
    setError(null);
    try {
      await api.pauseRecording(id, paused);
      remember(id, { paused, by: me.subject });
      setRecorded(true);
    } catch (failure) {
      setError(failure);
      // Whether it was done is not known, unless the gateway says that there is nothing to pause.
      if (failure instanceof ApiError && failure.status === 409) setRecorded(false);
      else remember(id, null);
    } finally {
      acts.current += 1;
      setBusy(false);
    }
  };
  const now = standing(recorded, call.pause);
  useKeys((key) => {
    if (key !== "r" || now.kind === "none") return false;
    // Where it is not known, silence is what can be undone.
    void set(now.kind !== "paused");
    return true;
  });
  if (!may || (now.kind === "none" && error === null)) return null;
  return (
    <div className="mt-2.5 flex flex-wrap items-center gap-2">
      <p role="status" className="mr-auto text-sm text-muted">
        {standingText(now, me.subject)}
      </p>
      {(now.kind === "on" || now.kind === "unsure") && (
        <Button icon="pause" disabled={busy} onClick={() => void set(true)}>
          Pause recording
        </Button>
      )}
      {(now.kind === "paused" || now.kind === "unsure") && (
        <Button icon="record" disabled={busy} onClick={() => void set(false)}>
          Resume recording
        </Button>
      )}
      {error !== null && (
        <div className="w-full">
          <Note alert>{explain(error)}</Note>
        </div>
      )}
    </div>
  );
}
