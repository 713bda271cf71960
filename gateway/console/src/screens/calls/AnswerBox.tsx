import { useState, type FormEvent } from "react";

import { api, explain } from "../../api/client";
import type { Call } from "../../model/state";
import { Button } from "../../ui/Button";
import { TEXTAREA } from "../../ui/classes";
import { Note } from "../../ui/Note";

/** What the agent asks people of the office while the caller waits. */
export function AnswerBox({ call }: { call: Call }) {
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { question } = call;
  if (!question) return null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    void api
      .answer(call.facts.id, question.id, text.trim())
      .then(() => setText(""), setError)
      .finally(() => setBusy(false));
  };
  return (
    <form onSubmit={submit} aria-label="A question for the office" className="space-y-3 border-b border-line px-4 py-2.5">
      <p role="alert" className="text-sm font-medium">
        The agent asks, and the caller waits until {new Date(question.until).toLocaleTimeString()}: {question.text}
      </p>
      <label className="block text-sm font-medium">
        Your answer
        <textarea required rows={2} maxLength={1000} value={text} onChange={(event) => setText(event.target.value)} className={TEXTAREA} />
      </label>
      <p className="text-sm text-muted">The agent says it to the caller as the answer of somebody in the office. It goes into the record with your name.</p>
      {error !== null && <Note alert>{explain(error)}</Note>}
      <div className="flex justify-end">
        <Button type="submit" tone="primary" disabled={busy}>
          Answer
        </Button>
      </div>
    </form>
  );
}
