import { useState, type FormEvent } from "react";

import { api, explain } from "../../api/client";
import type { TeamTried } from "../../api/types";
import { Button } from "../../ui/Button";
import { INPUT } from "../../ui/classes";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";
import { percent } from "../words/rows";

const MATTERS = [
  ["incident", "A report"],
  ["message", "A message"],
  ["callback", "A call-back"],
  ["escalation", "A wish for a person"],
  ["urgent", "Danger"],
  ["interrupted", "A call that was cut off"],
] as const;

/** Words in, and who would work them. With a draft: as it would be. */
export function TryPanel({ draft }: { draft: string | null }) {
  const [words, setWords] = useState("");
  const [matter, setMatter] = useState<string>("incident");
  const [found, setFound] = useState<TeamTried | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      setFound(await api.tryTeams(words, matter, draft));
      setError(null);
    } catch (failure) {
      setFound(null);
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Panel title={draft === null ? "Try words" : "Try words with this text"} level={2}>
      <form onSubmit={(event) => void submit(event)} className="grid items-end gap-3 sm:grid-cols-[1fr_auto_auto]">
        <label className="text-sm font-medium">
          The caller tells
          <input required maxLength={2000} value={words} onChange={(event) => setWords(event.target.value)} className={INPUT} />
        </label>
        <label className="text-sm font-medium">
          What is filed
          <select value={matter} onChange={(event) => setMatter(event.target.value)} className={INPUT}>
            {MATTERS.map(([code, name]) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <Button type="submit" disabled={busy || words.trim() === ""}>
          Who takes it?
        </Button>
      </form>
      {error !== null && (
        <div className="mt-3">
          <Note alert>{explain(error)}</Note>
        </div>
      )}
      <div role="status" className="mt-3 text-sm empty:hidden">
        {found && <Found {...found} />}
      </div>
    </Panel>
  );
}

function Found({ destination, team_name, specialist, does, confidence, reason, nearest }: TeamTried) {
  return (
    <>
      <p className="font-medium">
        {destination === "team" && `${team_name ?? ""}, ${percent(confidence)} sure`}
        {destination === "person" && `A person decides${team_name ? `; most likely for ${team_name}` : ""}`}
        {destination === "nobody" && "Nothing would be left to do"}
      </p>
      {reason && <p className="text-muted">{reason}</p>}
      {destination === "team" && specialist && (
        <p className="text-muted">
          {specialist} begins: {does}
        </p>
      )}
      {nearest.length > 0 && (
        <>
          <p className="mt-2 font-medium">Nearest examples</p>
          <ul className="list-disc pl-5">
            {nearest.map((like) => (
              <li key={`${like.route} ${like.text}`} className="break-words">
                {like.text} <span className="text-muted">({like.route})</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
