import { useState } from "react";

import { api, ApiError, explain } from "../../api/client";
import { useKeys } from "../../app/keys";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Note } from "../../ui/Note";

/** Ends a caller's call, after asking: there is a person on the line. */
export function HangUp({ id }: { id: string }) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  const ask = (): void => {
    setError(null);
    setAsking(true);
  };
  useKeys((key) => {
    if (key !== "h") return false;
    ask();
    return true;
  });

  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      await api.hangUp(id);
      setAsking(false);
    } catch (failure) {
      // It ended by itself meanwhile, which is what was wanted.
      if (failure instanceof ApiError && failure.status === 409) setAsking(false);
      else setError(failure);
    } finally {
      setBusy(false);
    }
  };

  return (
    <>
      <Button tone="danger" icon="hangup" onClick={ask}>
        Hang up
      </Button>
      <Dialog open={asking} title="Hang up on the caller?" onClose={() => setAsking(false)}>
        <p className="text-sm text-muted">
          The call ends at once, in mid-sentence if need be. What was said so far is kept, and your name goes into the record.
        </p>
        {error !== null && (
          <div className="mt-4">
            <Note alert>{explain(error)}</Note>
          </div>
        )}
        <div className="mt-5 flex flex-wrap justify-end gap-2">
          <Button onClick={() => setAsking(false)}>Keep the call</Button>
          <Button tone="danger" icon="hangup" disabled={busy} onClick={() => void confirm()}>
            Hang up
          </Button>
        </div>
      </Dialog>
    </>
  );
}
