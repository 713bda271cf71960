import { useState } from "react";

import { api, explain } from "../../api/client";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Note } from "../../ui/Note";
import { pieces, tokenName } from "./labels";

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
        if (value !== undefined) return <mark key={n} className="rounded bg-warm-soft px-1 text-text">{value}</mark>;
        if (!onReveal) return <span key={n} className="rounded bg-raised px-1 text-muted">{tokenName(piece.text)} hidden</span>;
        return (
          <button
            key={n}
            type="button"
            onClick={() => onReveal(piece.text)}
            className="mx-0.5 rounded-md border border-line-strong/60 bg-raised px-1.5 text-sm text-accent hover:border-line-strong"
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
  const reveal = async (): Promise<void> => {
    if (token === null) return;
    setBusy(true);
    try {
      const { value } = await api.reveal(id, token, reason);
      setError(null);
      setReason("");
      onValue(token, value);
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog open={token !== null} title={`See the caller's ${tokenName(token ?? "")}?`} onClose={onClose}>
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
            className="mt-1 min-h-10 w-full rounded-lg border border-line-strong/60 bg-raised px-3 font-normal"
          />
        </label>
        {error !== null && (
          <div className="mt-4">
            <Note alert>{explain(error)}</Note>
          </div>
        )}
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" disabled={busy || reason.trim() === ""}>
            Reveal
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
