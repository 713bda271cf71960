import { useMemo, useState } from "react";

import { explain } from "../../api/client";
import { hrefs } from "../../app/route";
import { words } from "../../model/format";
import { Button } from "../../ui/Button";
import { cx } from "../../ui/classes";
import { EmptyState } from "../../ui/EmptyState";
import { LinkButton } from "../../ui/LinkButton";
import { Note } from "../../ui/Note";
import { useWorkItems } from "./useWorkItems";
import { WorkCard } from "./WorkCard";

/** What callers asked for and what was promised to them: reports, bookings, messages, escalations. */
export function WorkScreen() {
  const { items, error, more, loadMore, reload } = useWorkItems();
  const [kind, setKind] = useState<string | null>(null);
  const kinds = useMemo(() => [...new Set((items ?? []).map((item) => item.kind))].sort(), [items]);
  const shown = (items ?? []).filter((item) => kind === null || item.kind === kind);
  return (
    <div className="min-h-0 flex-1 lg:overflow-y-auto">
      <div className="mx-auto w-full max-w-5xl px-4 py-6 sm:px-6">
        <h1 className="text-2xl font-semibold">Taken down</h1>
        <p className="mt-1 text-muted">Reports, bookings, messages and escalations that came out of calls, newest first.</p>
        {error !== null && (
          <div className="mt-5">
            <Note alert>
              <p>{explain(error)}</p>
              <Button className="mt-2" onClick={reload}>
                Load again
              </Button>
            </Note>
          </div>
        )}
        {kinds.length > 1 && <Filter kinds={kinds} chosen={kind} onChoose={setKind} />}
        {items === null && error === null && <p className="mt-8 text-muted">Loading…</p>}
        {items?.length === 0 && (
          <EmptyState icon="work" title="Nothing has been taken down yet">
            <p>Call the line and report something: &ldquo;The street light on Oak Street is out.&rdquo; The report appears here while you are still talking.</p>
            <LinkButton href={hrefs.phone} icon="phone">
              Open the phone
            </LinkButton>
          </EmptyState>
        )}
        <ul className="mt-5 grid gap-3 lg:grid-cols-2">
          {shown.map((item) => (
            <WorkCard key={item.id} item={item} />
          ))}
        </ul>
        {more && (
          <div className="mt-5 text-center">
            <Button onClick={loadMore}>Show more</Button>
          </div>
        )}
      </div>
    </div>
  );
}

interface FilterProps {
  kinds: string[];
  chosen: string | null;
  onChoose: (kind: string | null) => void;
}

function Filter({ kinds, chosen, onChoose }: FilterProps) {
  return (
    <div role="group" aria-label="Show only" className="mt-5 flex flex-wrap gap-2">
      {[null, ...kinds].map((kind) => (
        <button
          key={kind ?? "all"}
          type="button"
          aria-pressed={chosen === kind}
          onClick={() => onChoose(kind)}
          className={cx(
            "min-h-9 rounded-full border px-3.5 text-sm font-medium",
            chosen === kind ? "border-accent bg-accent-soft text-accent" : "border-line-strong/60 text-muted hover:text-text",
          )}
        >
          {kind ? words(kind) : "Everything"}
        </button>
      ))}
    </div>
  );
}
