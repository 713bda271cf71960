import { useState } from "react";

import { api, explain } from "../../api/client";
import { Button } from "../../ui/Button";
import { INPUT } from "../../ui/classes";
import { Dialog } from "../../ui/Dialog";
import { Note } from "../../ui/Note";
import { pieces, revealed, tokenName } from "./labels";

interface Props {
  text: string;
  /** What was revealed so far, by token. */
  known: ReadonlyMap<string, string>;
  /** Absent for those who may not see personal data. */
  onReveal?: (token: string) => void;
}

/** Text in which each token can be revealed. */
export function Revealing({ text, known, onReveal }: Props) {
  return (
    <>
      {pieces(text).map((piece, n) => {
        if (!piece.token) return <span key={n}>{piece.text}</span>;
        const value = known.get(piece.text);
        if (value !== undefined) return <mark key={n} className="rounded bg-warm-soft px-1 text-text">{revealed(piece.text, value)}</mark>;
        if (!onReveal) return <span key={n} className="rounded bg-raised px-1 text-muted">{tokenName(piece.text)} hidden</span>;
        return (
          <button
            key={n}
            type="button"
            onClick={() => onReveal(piece.text)}
            className="mx-0.5 inline-flex min-h-7 items-center rounded-md border border-line-strong/60 bg-raised px-2 text-sm whitespace-nowrap text-accent hover:border-line-strong"
          >
            Reveal {tokenName(piece.text)}
          </button>
        );
      })}
    </>
  );
}

interface AskProps {
  id: string;
  token: string | null;
  onClose: () => void;
  onValue: (token: string, value: string) => void;
}

/** Asks why a value is needed, since every look is on the audit. */
export function RevealDialog({ id, token, onClose, onValue }: AskProps) {
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const close = (): void => {
    setError(null);
    setReason("");
    onClose();
  };
  const reveal = async (): Promise<void> => {
    if (token === null) return;
    setBusy(true);
    try {
      const { value } = await api.reveal(id, token, reason);
      onValue(token, value);
      close();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog open={token !== null} title={`See the caller's ${tokenName(token ?? "")}?`} onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void reveal();
        }}
      >
        <p className="text-sm text-muted">That you looked goes on the audit. The value is shown until you leave this request.</p>
        <label className="mt-4 block text-sm font-medium">
          What do you need it for?
          <input
            required
            maxLength={300}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            className={INPUT}
          />
        </label>
        {error !== null && (
          <div className="mt-4">
            <Note alert>{explain(error)}</Note>
          </div>
        )}
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" tone="primary" disabled={busy || reason.trim() === ""}>
            Reveal
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
