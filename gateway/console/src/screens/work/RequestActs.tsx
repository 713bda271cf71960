import { useEffect, useRef, useState } from "react";

import { api, explain } from "../../api/client";
import type { WorkItemDetail } from "../../api/types";
import { Button } from "../../ui/Button";
import { Note } from "../../ui/Note";
import { isClosed } from "./labels";

type Form = "note" | "done" | "declined" | "reopen";

interface Props {
  item: WorkItemDetail;
  /** Login of whoever looks. */
  me: string;
  onChanged: (item: WorkItemDetail) => void;
}

const FORMS: Record<Form, { label: string; button: string; reason?: string }> = {
  note: { label: "Note", button: "Add the note" },
  done: { label: "What came of it?", button: "Close as done" },
  declined: { label: "What came of it?", button: "Decline", reason: "Why is it declined?" },
  reopen: { label: "Why is it reopened?", button: "Reopen" },
};

/** What a person can do about a request as it stands. */
export function RequestActs({ item, me, onChanged }: Props) {
  const [form, setForm] = useState<Form | null>(null);
  const [text, setText] = useState("");
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  // Whoever opened a form is going to write in it.
  useEffect(() => field.current?.focus(), [form]);
  const mine = item.assignee === me;
  const closed = isClosed(item);

  const send = async (act: string, body: object): Promise<void> => {
    setBusy(true);
    try {
      onChanged(await api.actOnWorkItem(item.id, act, body));
      setError(null);
      setForm(null);
      setText("");
      setReason("");
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const submit = (): void => {
    if (form === "note") void send("note", { text });
    if (form === "reopen") void send("reopen", { reason: text });
    if (form === "done") void send("close", { result: "done", outcome: text });
    if (form === "declined") void send("close", { result: "declined", outcome: text, reason });
  };
  const shown = form === null ? null : FORMS[form];

  return (
    <section aria-label="What to do" className="rounded-xl border border-line bg-panel p-4">
      <div className="flex flex-wrap gap-2">
        {!closed && !mine && (
          <Button tone="primary" disabled={busy} onClick={() => void send(item.assignee ? "assign" : "claim", item.assignee ? { user: me } : {})}>
            {item.assignee ? `Take over from ${item.assignee}` : "Take it on"}
          </Button>
        )}
        {!closed && mine && (
          <Button disabled={busy} onClick={() => void send("assign", { user: null })}>
            Give it back
          </Button>
        )}
        <Button aria-pressed={form === "note"} onClick={() => setForm("note")}>Write a note</Button>
        {!closed && (mine || !item.assignee) && (
          <>
            <Button aria-pressed={form === "done"} icon="check" onClick={() => setForm("done")}>
              Done
            </Button>
            <Button aria-pressed={form === "declined"} onClick={() => setForm("declined")}>Decline</Button>
          </>
        )}
        {closed && (
          <Button aria-pressed={form === "reopen"} onClick={() => setForm("reopen")}>
            Reopen
          </Button>
        )}
      </div>
      {error !== null && (
        <div className="mt-4">
          <Note alert>{explain(error)}</Note>
        </div>
      )}
      {shown && (
        <form
          className="mt-4 space-y-3"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <label className="block text-sm font-medium">
            {shown.label}
            <textarea
              key={form}
              ref={field}
              required
              rows={3}
              maxLength={4000}
              value={text}
              onChange={(event) => setText(event.target.value)}
              className="mt-1 w-full rounded-lg border border-line-strong/60 bg-raised p-3 font-normal"
            />
          </label>
          {shown.reason && (
            <label className="block text-sm font-medium">
              {shown.reason}
              <input
                required
                maxLength={4000}
                value={reason}
                onChange={(event) => setReason(event.target.value)}
                className="mt-1 min-h-10 w-full rounded-lg border border-line-strong/60 bg-raised px-3 font-normal"
              />
            </label>
          )}
          <div className="flex gap-2">
            <Button type="submit" tone="primary" disabled={busy}>
              {shown.button}
            </Button>
            <Button onClick={() => setForm(null)}>Cancel</Button>
          </div>
        </form>
      )}
    </section>
  );
}
