import { useEffect, useState } from "react";

import { api, explain } from "../../api/client";
import type { Me, TeamItem } from "../../api/types";
import { changesTeams } from "../../app/permissions";
import { Button } from "../../ui/Button";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";
import { TeamEditor } from "./TeamEditor";
import { TryPanel } from "./TryPanel";

const SOURCES: Record<TeamItem["source"], string> = { shipped: "As it ships", changed: "Changed by this office", own: "This office’s own" };

/** Begins a new one: the least that a team needs, to be filled in. */
const BLANK = `id = ""
name = ""
purpose = ""
autonomy = 2
examples = []

[[handles]]
matter = "incident"
words = []
confidence = 0.95

[orchestrator]
id = "lead"
prompt = """
"""

[[specialist]]
id = "first_look"
does = "Says what it is about and how soon somebody must look."
prompt = """
Say what the work is about in a few words, how urgent it is, and why.
"""
method = "triage"
tools = ["mark_urgent"]
reads = ["report", "conversation", "call"]
escalate_when = ["Somebody may be in danger"]
autonomy = 2

[specialist.output]
type = "object"
required = ["summary", "confidence", "category", "urgency", "reasons"]
additionalProperties = false

[specialist.output.properties]
summary = { type = "string", maxLength = 2000 }
confidence = { type = "number", minimum = 0, maximum = 1 }
category = { type = "string", maxLength = 80 }
urgency = { enum = ["low", "normal", "high", "urgent"] }
reasons = { type = "array", maxItems = 50, items = { type = "string", maxLength = 500 } }
escalate = { type = "string", minLength = 1, maxLength = 300 }
`;

/** Who works what a call leaves: the teams, their texts, and words to try them with. */
export function TeamsPart({ me }: { me: Me }) {
  const [items, setItems] = useState<readonly TeamItem[] | null>(null);
  const [open, setOpen] = useState<{ id: string; text: string; version: string } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [revision, setRevision] = useState(0);
  useEffect(() => {
    const ask = new AbortController();
    api
      .teams({ signal: ask.signal })
      .then((found) => setItems(found.items))
      .catch((failure: unknown) => {
        if (!ask.signal.aborted) setError(failure);
      });
    return () => ask.abort();
  }, [revision]);
  const show = async (id: string): Promise<void> => {
    try {
      setOpen(await api.team(id));
      setError(null);
    } catch (failure) {
      setError(failure);
    }
  };
  const may = changesTeams(me);
  return (
    <div className="mt-5 space-y-4">
      {error !== null && <Note alert>{explain(error)}</Note>}
      {open ? (
        <TeamEditor
          key={`${open.id} ${open.version}`}
          {...open}
          may={may}
          onClose={() => {
            setOpen(null);
            setRevision((n) => n + 1);
          }}
        />
      ) : (
        <>
          <TryPanel draft={null} />
          <Panel title="Teams" level={2}>
            {items === null && error === null && <p className="text-sm text-muted">Loading…</p>}
            <ul className="divide-y divide-line text-sm">
              {items?.map((team) => (
                <li key={team.id} data-team={team.id} className="flex flex-wrap items-start justify-between gap-2 py-2">
                  <div className="min-w-0 flex-1 break-words">
                    <p className="font-medium">{team.name}</p>
                    <p className="text-xs text-muted">
                      {SOURCES[team.source]} · {team.specialists.length} specialists · {team.examples} examples
                    </p>
                    <p>{team.purpose}</p>
                  </div>
                  <Button onClick={() => void show(team.id)}>
                    Open<span className="sr-only"> {team.name}</span>
                  </Button>
                </li>
              ))}
            </ul>
            {may && (
              <div className="mt-3">
                <Button onClick={() => setOpen({ id: "", text: BLANK, version: "0" })}>Add a team</Button>
              </div>
            )}
          </Panel>
        </>
      )}
    </div>
  );
}
