import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent, type MouseEvent } from "react";

import { api, type WorkRoute } from "../../api/client";
import type { WorkItemDetail } from "../../api/types";
import { useOffers } from "../../app/capabilities";
import { Button } from "../../ui/Button";
import { INPUT, TEXTAREA } from "../../ui/classes";
import { Note } from "../../ui/Note";
import { isClosed } from "./labels";
import { isConflict, refusal } from "./refusals";
import { useLogins } from "./useLogins";

type Form = "note" | "assign" | "call" | "done" | "declined" | "reopen";

interface Props {
  item: WorkItemDetail;
  /** Login of whoever looks. */
  me: string;
  /** They may see who there is to hand a request to. */
  /** The office whose users may be seen; null: none. */
  usersOf: string | null;
  /** The request as it stands after an act. */
  onChanged: (item: WorkItemDetail) => void;
  /** The picture is old: load it again. */
  onStale: () => void;
}

interface FormText {
  label: string;
  button: string;
  /** What was done, for the status line. */
  did: string;
  reason?: string;
  /** Whether the line was right, until whoever closes it says otherwise. */
  lineWasRight?: boolean;
}

const FORMS: Record<Form, FormText> = {
  note: { label: "Note", button: "Add the note", did: "Your note is in the history." },
  assign: { label: "Login of whoever is to have it", button: "Hand it over", did: "Handed over." },
  call: { label: "Your own phone number", button: "Call me, then the caller", did: "Your phone is about to ring. Pick it up and press 1, and the caller is called." },
  done: { label: "What came of it?", button: "Close as done", did: "Closed as done.", lineWasRight: true },
  declined: { label: "What came of it?", button: "Decline", did: "Declined.", reason: "Why is it declined?", lineWasRight: false },
  reopen: { label: "Why is it reopened?", button: "Reopen", did: "Open again." },
};

/** What a person can do about a request as it stands. */
export function RequestActs({ item, me, usersOf, onChanged, onStale }: Props) {
  const [form, setForm] = useState<Form | null>(null);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<string | null>(null);
  const [said, setSaid] = useState("");
  const heading = useRef<HTMLHeadingElement>(null);
  const opener = useRef<HTMLElement | null>(null);
  const canCall = useOffers().has("/v1/work-items/{id}/call");
  const mine = item.assignee === me;
  const closed = isClosed(item);
  const held = item.assignee !== null && !mine && !closed;

  const run = async (did: string, act: () => Promise<WorkItemDetail | null>): Promise<boolean> => {
    setBusy(true);
    setSaid("");
    try {
      const changed = await act();
      if (changed) onChanged(changed);
      setFailed(null);
      setForm(null);
      setSaid(did);
      // The button that was pressed may be gone: the focus stays in this part.
      heading.current?.focus();
      return true;
    } catch (error) {
      setFailed(refusal(error));
      if (isConflict(error)) onStale();
      return false;
    } finally {
      setBusy(false);
    }
  };
  const send = (act: WorkRoute, did: string, body: object = {}): void => {
    void run(did, () => api.actOnWorkItem(item.id, act, body));
  };
  const callBack = (ownPhone: string): void => {
    void run(FORMS.call.did, async () => {
      await api.callBack(item.id, ownPhone);
      onStale();
      return null;
    });
  };
  const submit = (name: Form, text: string, reason: string, lineWasRight: boolean): void => {
    const { did } = FORMS[name];
    if (name === "note") send("note", did, { text });
    if (name === "assign") send("assign", did, { user: text });
    if (name === "reopen") send("reopen", did, { reason: text });
    if (name === "done") send("close", did, { result: "done", outcome: text, line_was_right: lineWasRight });
    if (name === "declined") send("close", did, { result: "declined", outcome: text, reason, line_was_right: lineWasRight });
    if (name === "call") callBack(text);
  };
  const toggle = (name: Form) => ({
    "aria-expanded": form === name,
    onClick: (event: MouseEvent<HTMLElement>) => {
      opener.current = event.currentTarget;
      setFailed(null);
      setForm(form === name ? null : name);
    },
  });

  return (
    <section aria-labelledby="acts" className="rounded-xl border border-line bg-panel p-4">
      <h2 id="acts" ref={heading} tabIndex={-1} className="mb-3 text-sm font-semibold">
        What to do
      </h2>
      <div className="flex flex-wrap gap-2">
        {!closed && !item.assignee && (
          <Button tone="primary" disabled={busy} onClick={() => send("claim", "You have it now.")}>
            Take it on
          </Button>
        )}
        {held && (
          <Button disabled={busy} onClick={() => send("assign", "You have it now.", { user: me })}>
            Take over from {item.assignee}
          </Button>
        )}
        {!closed && !held && (
          <Button tone={mine ? "primary" : "plain"} icon="check" {...toggle("done")}>
            Done
          </Button>
        )}
        {!closed && canCall && (
          <Button icon="phone" {...toggle("call")}>
            Call back
          </Button>
        )}
        <Button {...toggle("note")}>Write a note</Button>
        {!closed && <Button {...toggle("assign")}>Hand over</Button>}
        {!closed && mine && (
          <Button disabled={busy} onClick={() => send("assign", "It is nobody’s again.", { user: null })}>
            Give it back
          </Button>
        )}
        {!closed && !held && <Button {...toggle("declined")}>Decline</Button>}
        {closed && item.status !== "cancelled" && <Button {...toggle("reopen")}>Reopen</Button>}
      </div>
      <p role="status" className="mt-2 text-sm text-good empty:hidden">
        {said}
      </p>
      {failed !== null && (
        <div className="mt-4">
          <Note alert>{failed}</Note>
        </div>
      )}
      {form && (
        <ActForm
          key={form}
          name={form}
          busy={busy}
          usersOf={usersOf}
          onSubmit={(text, reason, lineWasRight) => submit(form, text, reason, lineWasRight)}
          onCancel={() => {
            setForm(null);
            opener.current?.focus();
          }}
        />
      )}
    </section>
  );
}

interface FormProps {
  name: Form;
  busy: boolean;
  usersOf: string | null;
  onSubmit: (text: string, reason: string, lineWasRight: boolean) => void;
  onCancel: () => void;
}

function ActForm({ name, busy, usersOf, onSubmit, onCancel }: FormProps) {
  const [text, setText] = useState("");
  const [reason, setReason] = useState("");
  const logins = useLogins(name === "assign" ? usersOf : null);
  const first = useRef<HTMLTextAreaElement & HTMLInputElement>(null);
  const { label, button, reason: why, lineWasRight: usually } = FORMS[name];
  const [lineWasRight, setLineWasRight] = useState(usually ?? true);
  // Whoever opened a form is going to write in it.
  useEffect(() => first.current?.focus(), []);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit(text.trim(), reason.trim(), lineWasRight);
  };
  const cancelByKey = (event: KeyboardEvent): void => {
    if (event.key === "Escape") onCancel();
  };
  return (
    <form onSubmit={submit} className="mt-4 space-y-3">
      <label className="block text-sm font-medium">
        {label}
        {name === "assign" ? (
          <input ref={first} onKeyDown={cancelByKey} required maxLength={200} list="logins" autoComplete="off" value={text} onChange={(event) => setText(event.target.value)} className={INPUT} />
        ) : name === "call" ? (
          <input ref={first} onKeyDown={cancelByKey} required type="tel" autoComplete="tel" maxLength={30} value={text} onChange={(event) => setText(event.target.value)} className={INPUT} />
        ) : (
          <textarea ref={first} onKeyDown={cancelByKey} required rows={3} maxLength={4000} value={text} onChange={(event) => setText(event.target.value)} className={TEXTAREA} />
        )}
      </label>
      {name === "assign" && (
        <datalist id="logins">
          {logins.map((user) => (
            <option key={user.login} value={user.login}>
              {user.name}
            </option>
          ))}
        </datalist>
      )}
      {name === "call" && <p className="text-sm text-muted">You never see the caller&rsquo;s number. That you called goes into the history.</p>}
      {why && (
        <label className="block text-sm font-medium">
          {why}
          <input onKeyDown={cancelByKey} required maxLength={4000} value={reason} onChange={(event) => setReason(event.target.value)} className={INPUT} />
        </label>
      )}
      {usually !== undefined && (
        <label className="flex items-start gap-2 text-sm">
          <input type="checkbox" onKeyDown={cancelByKey} checked={lineWasRight} onChange={(event) => setLineWasRight(event.target.checked)} className="mt-0.5 size-5 shrink-0 accent-accent" />
          <span>
            The line was right
            <span className="block text-muted">What it took down and did was as it should be. This is what the agents&rsquo; records count.</span>
          </span>
        </label>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" tone="primary" disabled={busy || text.trim() === "" || (why !== undefined && reason.trim() === "")}>
          {button}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
