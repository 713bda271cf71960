import { useEffect, useState, type FormEvent } from "react";

import { api, ApiError, explain } from "../../api/client";
import type { Campaign, Me } from "../../api/types";
import { actsOnCalls } from "../../app/permissions";
import { useNow } from "../../app/now";
import { when } from "../../model/when";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { INPUT, TEXTAREA } from "../../ui/classes";
import { Dialog } from "../../ui/Dialog";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";
import { isOver, listed, outcome, progress, PURPOSES, purposeName, stateOf, waitingFor, wrongOnes } from "./campaigns";

/** They move while nobody asks; whoever looks sees it. */
const LOOK_MS = 5_000;
const HOUR_MS = 3_600_000;

/** Lists of numbers that the agent calls: how they stand, and who stops them. */
export function CampaignsPart({ me }: { me: Me }) {
  const [list, setList] = useState<{ items: readonly Campaign[]; cursor: string | null } | null>(null);
  const [asked, setAsked] = useState<Campaign | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [revision, setRevision] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    const look = (): void =>
      void api
        .campaigns(null, { signal: abort.signal })
        .then((page) => setList({ items: page.items, cursor: page.next_cursor }))
        .catch((failure: unknown) => {
          if (!abort.signal.aborted) setError(failure);
        });
    look();
    const timer = setInterval(look, LOOK_MS);
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, [revision]);
  const again = (): void => setRevision((n) => n + 1);
  const turn = (campaign: Campaign, how: "pause" | "resume" | "cancel"): void => {
    setAsked(null);
    void api
      .turnCampaign(campaign.id, how)
      .then(() => setError(null))
      .catch(setError)
      .finally(again);
  };
  return (
    <div className="mt-5 space-y-4">
      {error !== null && <Note alert>{explain(error)}</Note>}
      <Panel title="Lists that are called" level={2}>
        {list === null && error === null && <p className="text-sm text-muted">Loading…</p>}
        {list?.items.length === 0 && <p className="text-sm text-muted">No list has been called yet.</p>}
        <ul className="divide-y divide-line text-sm">
          {list?.items.map((campaign) => (
            <CampaignItem key={campaign.id} campaign={campaign} acts={actsOnCalls(me)} onTurn={turn} onCancel={setAsked} />
          ))}
        </ul>
        {list?.cursor && <p className="mt-3 text-sm text-muted">Older ones are not shown.</p>}
      </Panel>
      {actsOnCalls(me) && <NewCampaign onBegun={again} />}
      <Dialog open={asked !== null} title="Cancel this list?" onClose={() => setAsked(null)}>
        <p className="text-sm">Nobody else on it is called, for good. Calls that ring or are talked on go on.</p>
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={() => setAsked(null)}>Not now</Button>
          <Button tone="danger" onClick={() => asked && turn(asked, "cancel")}>
            Cancel the list
          </Button>
        </div>
      </Dialog>
    </div>
  );
}

interface ItemProps {
  campaign: Campaign;
  acts: boolean;
  onTurn: (campaign: Campaign, how: "pause" | "resume") => void;
  onCancel: (campaign: Campaign) => void;
}

function CampaignItem({ campaign, acts, onTurn, onCancel }: ItemProps) {
  const now = useNow();
  const [state, tone] = stateOf(campaign.state);
  const waits = waitingFor(campaign);
  const counts = Object.entries(campaign.results).sort(([, one], [, other]) => other - one);
  return (
    <li data-campaign={campaign.id} className="py-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="min-w-0 break-words">
          <span className="font-medium">{purposeName(campaign.purpose)}</span> <Badge tone={tone}>{state}</Badge>
          <span className="mt-1 block">{progress(campaign)}</span>
          <span className="mt-1 block text-xs text-muted">
            {when(campaign.created_at, now)} by {campaign.by} · until {when(campaign.until, now)} · {campaign.at_once} at a time
          </span>
        </p>
        {acts && !isOver(campaign) && (
          <p className="flex flex-wrap gap-2">
            {campaign.state === "paused" ? <Button onClick={() => onTurn(campaign, "resume")}>Go on</Button> : <Button onClick={() => onTurn(campaign, "pause")}>Pause</Button>}
            <Button onClick={() => onCancel(campaign)}>Cancel…</Button>
          </p>
        )}
      </div>
      {waits !== null && <p className="mt-1 text-warm">{waits}</p>}
      {counts.length > 0 && (
        <ul className="mt-2 space-y-0.5 text-muted">
          {counts.map(([name, count]) => (
            <li key={name}>
              <span className="figures font-medium text-text">{count}</span> {outcome(name)}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

const EMPTY = { purpose: "request" as Campaign["purpose"], numbers: "", hours: "8", atOnce: "5", retries: "0" };

function NewCampaign({ onBegun }: { onBegun: () => void }) {
  const [form, setForm] = useState(EMPTY);
  const [busy, setBusy] = useState(false);
  const [told, setTold] = useState<string | null>(null);
  const [failed, setFailed] = useState<{ why: string; wrong: string[] } | null>(null);
  const change = (part: Partial<typeof EMPTY>): void => setForm((now) => ({ ...now, ...part }));
  const numbers = listed(form.numbers);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setTold(null);
    setFailed(null);
    try {
      const until = new Date(Date.now() + Number(form.hours) * HOUR_MS).toISOString();
      const begun = await api.addCampaign({ purpose: form.purpose, numbers, until, at_once: Number(form.atOnce), retries: Number(form.retries) });
      setTold(`Begun: ${begun.numbers} ${begun.numbers === 1 ? "number" : "numbers"}.`);
      setForm(EMPTY);
      onBegun();
    } catch (failure) {
      setFailed({ why: explain(failure), wrong: failure instanceof ApiError ? wrongOnes(numbers, failure.details) : [] });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Panel title="Call a list" level={2}>
      <form onSubmit={(event) => void submit(event)}>
        <fieldset disabled={busy} className="min-w-0 space-y-3">
          <label className="block text-sm font-medium">
            What for
            <select value={form.purpose} onChange={(event) => change({ purpose: event.target.value as Campaign["purpose"] })} className={INPUT}>
              {PURPOSES.map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label className="block text-sm font-medium">
            Numbers, one a line
            <textarea required rows={5} value={form.numbers} onChange={(event) => change({ numbers: event.target.value })} autoComplete="off" spellCheck={false} className={TEXTAREA} />
          </label>
          <div className="grid gap-3 sm:grid-cols-3">
            <NumberField name="For so many hours" least={1} most={744} value={form.hours} onChange={(hours) => change({ hours })} />
            <NumberField name="Calls at a time" least={1} most={100} value={form.atOnce} onChange={(atOnce) => change({ atOnce })} />
            <NumberField name="Tries after the first" least={0} most={5} value={form.retries} onChange={(retries) => change({ retries })} />
          </div>
          <p className="text-sm text-muted">Called is who agreed to be called for this, at their own hours, once a day. The agent says who calls and what for; who wants no calls is not called again.</p>
          <Button type="submit" tone="primary" disabled={numbers.length === 0}>
            {busy ? "Keeping the list…" : numbers.length > 0 ? `Call ${numbers.length} ${numbers.length === 1 ? "number" : "numbers"}` : "Call them"}
          </Button>
        </fieldset>
      </form>
      {failed !== null && (
        <div className="mt-4">
          <Note alert>
            <p>{failed.why}</p>
            {failed.wrong.length > 0 && <p>They are: {failed.wrong.join(", ")}</p>}
          </Note>
        </div>
      )}
      <p role="status" className="mt-3 text-sm font-medium text-good empty:hidden">
        {told}
      </p>
    </Panel>
  );
}

function NumberField({ name, least, most, value, onChange }: { name: string; least: number; most: number; value: string; onChange: (value: string) => void }) {
  return (
    <label className="block text-sm font-medium">
      {name}
      <input type="number" required min={least} max={most} value={value} onChange={(event) => onChange(event.target.value)} className={INPUT} />
    </label>
  );
}
