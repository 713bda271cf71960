import { useEffect, useState, type FormEvent } from "react";

import { api, explain } from "../../api/client";
import type { Me, Rule, RulesKept, RuleVerdict } from "../../api/types";
import { managesTenant } from "../../app/permissions";
import { words } from "../../model/format";
import { Badge, type Tone } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { INPUT } from "../../ui/classes";
import { Disclosure } from "../../ui/Disclosure";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";

const ACTIONS: Record<Rule["action"], readonly [string, Tone]> = {
  BLOCK: ["Stops it", "danger"],
  REQUIRE_HUMAN: ["A person decides", "warm"],
  WARN: ["Warns", "plain"],
};
const WHERE: Record<Rule["applies_to"], string> = { words: "a sentence", reply: "a whole reply", tool: "a tool call" };

/** What an agent may not say or do; whether a sentence may be said; and the office's own rules. */
export function RulesPart({ me }: { me: Me }) {
  const [kept, setKept] = useState<RulesKept | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const abort = new AbortController();
    api
      .rules({ signal: abort.signal })
      .then(setKept)
      .catch((failure: unknown) => {
        if (!abort.signal.aborted) setError(failure);
      });
    return () => abort.abort();
  }, []);
  return (
    <div className="mt-5 space-y-4">
      {error !== null && <Note alert>{explain(error)}</Note>}
      <Try />
      {kept && managesTenant(me) && <Own kept={kept} onKept={setKept} />}
      <Panel title="In force" level={2}>
        {kept === null && error === null && <p className="text-sm text-muted">Loading…</p>}
        <ul className="divide-y divide-line text-sm">
          {kept?.rules.map((rule) => (
            <li key={rule.id} data-rule={rule.id} className="py-3">
              <p className="break-words">
                <span className="font-medium">{rule.name}</span> <Badge tone={ACTIONS[rule.action][1]}>{ACTIONS[rule.action][0]}</Badge> {rule.tier === "tenant" && <Badge tone="accent">This office&apos;s</Badge>}
              </p>
              <p className="mt-1 break-words">{rule.description}</p>
              <p className="mt-1 text-xs break-words text-muted">
                Looks at {WHERE[rule.applies_to]} · {words(rule.category)}
                {rule.citation && ` · ${rule.citation}`}
              </p>
            </li>
          ))}
        </ul>
        {kept?.shipped.map(({ name, text }) => (
          <Disclosure key={name} summary={`As written: ${name}`}>
            <pre tabIndex={0} className="max-h-96 overflow-auto rounded-lg border border-line bg-ground p-3 text-xs">
              {text}
            </pre>
          </Disclosure>
        ))}
      </Panel>
    </div>
  );
}

/** Nothing is said, kept or logged. */
function Try() {
  const [text, setText] = useState("");
  const [language, setLanguage] = useState("en");
  const [verdict, setVerdict] = useState<RuleVerdict | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      setVerdict(await api.checkRules(text, language));
      setError(null);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Panel title="Might an agent say this?" level={2}>
      <form onSubmit={(event) => void submit(event)} className="grid items-end gap-3 sm:grid-cols-[minmax(0,1fr)_9rem_auto]">
        <label className="text-sm font-medium">
          A sentence
          <input required maxLength={4000} autoComplete="off" value={text} onChange={(event) => setText(event.target.value)} className={INPUT} />
        </label>
        <label className="text-sm font-medium">
          Language
          <select value={language} onChange={(event) => setLanguage(event.target.value)} className={INPUT}>
            <option value="en">English</option>
            <option value="es">Spanish</option>
          </select>
        </label>
        <Button type="submit" tone="primary" disabled={busy}>
          Check it
        </Button>
      </form>
      {error !== null && (
        <div className="mt-3">
          <Note alert>{explain(error)}</Note>
        </div>
      )}
      <div role="status" className="mt-3 text-sm empty:hidden">
        {verdict?.permitted && <p className="font-medium text-good">It may be said{verdict.violations.length > 0 && ", with a warning"}.</p>}
        {verdict && !verdict.permitted && <p className="font-medium text-danger">It may not be said.</p>}
        {verdict?.violations.map((broken) => (
          <p key={broken.rule_id} className="mt-1 break-words">
            <span className="font-medium">{broken.rule_name}.</span> {broken.reason}
            {broken.replacement && <span className="block text-muted">Said instead: {broken.replacement}</span>}
          </p>
        ))}
        {verdict && !verdict.meaning_read && <p className="mt-1 text-muted">Its meaning was not read in time: patterns and words alone were held against it.</p>}
      </div>
    </Panel>
  );
}

function Own({ kept, onKept }: { kept: RulesKept; onKept: (kept: RulesKept) => void }) {
  const [text, setText] = useState(kept.tenant_text);
  const [told, setTold] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    try {
      const fresh = await api.putRules(text);
      onKept(fresh);
      setTold(`Kept. ${fresh.rules.length} rules hold from the next sentence of every call.`);
      setError(null);
    } catch (failure) {
      setTold(null);
      setError(failure);
    }
  };
  return (
    <Panel title="This office's own rules" level={2}>
      <form onSubmit={(event) => void submit(event)}>
        <label className="text-sm font-medium">
          Their text
          <textarea rows={10} spellCheck={false} autoComplete="off" aria-describedby="own-rules" value={text} onChange={(event) => setText(event.target.value)} className={`${INPUT} font-mono text-xs`} />
        </label>
        <p id="own-rules" className="mt-1 text-xs text-muted">
          The whole text takes the place of what was there; with a mistake nothing changes. The form is that of the rules below, as written.
        </p>
        {error !== null && (
          <div className="mt-3">
            <Note alert>
              <span className="whitespace-pre-line">{explain(error)}</span>
            </Note>
          </div>
        )}
        <p role="status" className="mt-2 text-sm font-medium text-good empty:hidden">
          {told}
        </p>
        <Button type="submit" tone="primary" disabled={text === kept.tenant_text} className="mt-3">
          Keep these rules
        </Button>
      </form>
    </Panel>
  );
}
