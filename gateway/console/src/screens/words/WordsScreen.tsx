import { useState, type FormEvent } from "react";

import { api, explain } from "../../api/client";
import type { Me, Understanding } from "../../api/types";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";
import { TeamsPart } from "../teams/TeamsPart";
import { emergencyRow, partRows, percent, routeName, wantRows, type Row } from "./rows";

interface Shown {
  text: string;
  found: Understanding;
}

const PARTS = ["The line", "Teams"] as const;

/** What the line would take words for, and who would work what a call leaves. */
export function WordsScreen({ me }: { me: Me }) {
  const [part, setPart] = useState<(typeof PARTS)[number]>("The line");
  return (
    <div className="min-h-0 flex-1 lg:overflow-y-auto">
      <div className="mx-auto w-full max-w-3xl px-4 py-6 sm:px-6">
        <h1 className="text-2xl font-semibold">Try words</h1>
        <div role="group" aria-label="Part" className="mt-4 flex flex-wrap gap-2">
          {PARTS.map((name) => (
            <Chip key={name} on={part === name} onClick={() => setPart(name)}>
              {name}
            </Chip>
          ))}
        </div>
        {part === "The line" ? <Line /> : <TeamsPart me={me} />}
      </div>
    </div>
  );
}

/** Words in, and what the line would take them for. Nothing is kept. */
function Line() {
  const [text, setText] = useState("");
  const [asked, setAsked] = useState("");
  const [shown, setShown] = useState<Shown | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      const found = await api.understand(text, asked.trim() || null);
      setShown({ text, found });
      setError(null);
    } catch (cause) {
      setError(cause);
    } finally {
      setBusy(false);
    }
  };

  return (
    <>
      <p className="mt-4 text-muted">Write what a caller might say, and see what the line takes it for. Nothing is kept.</p>
      <form onSubmit={(event) => void submit(event)} className="mt-5 space-y-3">
        <label className="block text-sm font-medium">
          The caller says
          <textarea
            required
            maxLength={2000}
            rows={3}
            value={text}
            onChange={(event) => setText(event.target.value)}
            className="mt-1 w-full rounded-lg border border-line-strong/60 bg-raised p-3 font-normal"
          />
        </label>
        <label className="block text-sm font-medium">
          In answer to (if to a question)
          <input
            value={asked}
            onChange={(event) => setAsked(event.target.value)}
            className="mt-1 min-h-10 w-full rounded-lg border border-line-strong/60 bg-raised px-3 font-normal"
          />
        </label>
        <Button type="submit" tone="primary" disabled={busy || text.trim() === ""}>
          {busy ? "Reading…" : "Show"}
        </Button>
      </form>
      {error !== null && (
        <div className="mt-5">
          <Note alert>{explain(error)}</Note>
        </div>
      )}
      <div aria-live="polite">{shown && <Found {...shown} />}</div>
    </>
  );
}

function Found({ text, found }: Shown) {
  const parts = partRows(found, text);
  const slots: Row[] = found.slots.map((slot) => ({ label: routeName(slot.name), score: slot.score, detail: slot.value }));
  const nearest: Row[] = found.nearest.map((like) => ({ label: routeName(like.route), score: null, detail: like.text }));
  return (
    <div className="mt-6 grid gap-3">
      <Panel title="Wants">
        <Rows rows={wantRows(found)} />
      </Panel>
      {parts.length > 0 && (
        <Panel title="In this order">
          <Rows rows={parts} />
        </Panel>
      )}
      <Panel title="Does">
        <Rows rows={[{ label: found.act, score: found.act_score }]} />
      </Panel>
      <Panel title="Emergency">
        <Rows rows={[emergencyRow(found)]} />
      </Panel>
      {slots.length > 0 && (
        <Panel title="Values in the words">
          <Rows rows={slots} />
        </Panel>
      )}
      {nearest.length > 0 && (
        <Panel title="Nearest examples">
          <Rows rows={nearest} />
        </Panel>
      )}
    </div>
  );
}

function Rows({ rows }: { rows: readonly Row[] }) {
  return (
    <ul className="space-y-1.5 text-sm">
      {rows.map((row, n) => (
        <li key={n} className="flex items-baseline justify-between gap-3">
          <span>
            {row.label}
            {row.detail && <span className="ml-2 text-muted">{row.detail}</span>}
          </span>
          {row.score !== null && <span className="figures text-muted">{percent(row.score)}</span>}
        </li>
      ))}
    </ul>
  );
}
