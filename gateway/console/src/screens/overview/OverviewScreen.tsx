import type { ReactNode } from "react";

import { explain } from "../../api/client";
import type { LineFigures } from "../../api/types";
import { useNow } from "../../app/now";
import { useOffers } from "../../app/offers";
import { hrefs, narrow } from "../../app/route";
import { duration, durationWords, endReason, languageName } from "../../model/format";
import { bars, figures, SPANS, type Figures, type Span } from "../../model/overview";
import { BarChart } from "../../ui/BarChart";
import { Chip } from "../../ui/Chip";
import { Note } from "../../ui/Note";
import { ShareChart } from "../../ui/ShareChart";
import { kindName } from "../work/labels";
import { useLineFigures } from "./useLineFigures";
import { useLists } from "./useLists";

const hour = new Intl.DateTimeFormat(undefined, { hour: "numeric" });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short" });
const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
/** Bars between two that are named. */
const EVERY: Record<Span, number> = { day: 6, week: 1, month: 7 };

const dollars = (value: number): string => (value === 0 ? "$0" : `$${value < 0.1 ? value.toFixed(3) : value.toFixed(2)}`);
const whole = (value: number): string => String(Math.round(value));

/** How the line is doing, on one page. */
export function OverviewScreen({ query }: { query: string }) {
  const asked = new URLSearchParams(query).get("span") ?? "week";
  const span: Span = Object.hasOwn(SPANS, asked) ? (asked as Span) : "week";
  const now = useNow();
  // The span moves on with the hour, not with the second.
  const minute = Math.floor(now / 60_000) * 60_000 + 60_000;
  const from = bars(span, minute)[0] ?? minute;
  const { lists, error } = useLists(from);
  const line = useLineFigures(from, useOffers().has("/v1/overview"));
  return (
    <div className="min-h-0 flex-1 lg:overflow-y-auto">
      <div className="mx-auto w-full max-w-5xl px-4 py-6 sm:px-6">
        <h1 className="text-2xl font-semibold">Overview</h1>
        <div role="group" aria-label="Span" className="mt-4 flex flex-wrap gap-2">
          {(Object.keys(SPANS) as Span[]).map((name) => (
            <Chip key={name} on={span === name} onClick={() => narrow("overview", { span: name })}>
              {SPANS[name].name}
            </Chip>
          ))}
        </div>
        {error !== null && (
          <div className="mt-5">
            <Note alert>{explain(error)}</Note>
          </div>
        )}
        {!lists && error === null && (
          <p role="status" className="mt-6 text-muted">
            Counting…
          </p>
        )}
        {lists?.cut && (
          <div className="mt-5">
            <Note tone="warm">There was more in this time than is counted here: the figures are of the newest 5,000.</Note>
          </div>
        )}
        {lists && <Page figures={figures(lists.calls, lists.requests, span, minute)} line={line} span={span} />}
      </div>
    </div>
  );
}

function Page({ figures: found, line, span }: { figures: Figures; line: LineFigures | null; span: Span }) {
  const name = (at: number): string => ({ day: hour, week: weekday, month: day })[span].format(at);
  return (
    <div className="mt-5 space-y-4">
      <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure name="Calls" value={whole(found.calls)}>
          {found.live > 0 && `${found.live} on the line now`}
        </Figure>
        <Figure name="Mean length" value={found.length === null ? "–" : duration(found.length)} spoken={found.length === null ? "None yet" : durationWords(found.length)} />
        <Figure name="Cost" value={dollars(found.cost)}>
          {found.calls > 0 && found.cost > 0 && `${dollars(found.cost / found.calls)} a call`}
        </Figure>
        <Figure name="Open requests" value={whole(found.openRequests)}>
          {found.overdue > 0 && (
            <a href={hrefs.work} className="font-semibold text-danger underline underline-offset-2">
              {found.overdue} overdue
            </a>
          )}
        </Figure>
        {line && <Answered line={line} />}
      </dl>
      <BarChart title={span === "day" ? "Calls in each hour" : "Calls on each day"} bars={found.perBar} name={name} value={whole} every={EVERY[span]} />
      <div className="grid gap-4 lg:grid-cols-2">
        {span !== "day" && (
          <BarChart
            title="Calls by hour of the day"
            bars={found.byHour.map((value, at) => ({ at, value }))}
            name={(at) => hour.format(new Date(2026, 0, 1, at))}
            value={whole}
            every={6}
          />
        )}
        {found.cost > 0 && <BarChart title="Cost in US dollars" bars={found.costPerBar} name={name} value={dollars} every={EVERY[span]} />}
        <ShareChart title="What was taken down" shares={found.kinds} name={kindName} none="Nothing in this time." />
        <ShareChart title="How calls ended" shares={found.endings} name={endReason} none="No call ended in this time." />
        <ShareChart title="Languages" shares={found.languages} name={languageName} none="No calls in this time." />
      </div>
    </div>
  );
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** What the gateway counts itself: how fast it answers, and how much of it needs no person. */
function Answered({ line: { calls, response } }: { line: LineFigures }) {
  const spoken = calls.ended - calls.silent - calls.refused;
  return (
    <>
      <Figure name="Answer time" value={response.p50_ms === null ? "–" : seconds(response.p50_ms)} spoken={response.p50_ms === null ? "None yet" : undefined}>
        {response.p95_ms !== null && `19 of 20 within ${seconds(response.p95_ms)}`}
      </Figure>
      <Figure name="Served without a person" value={spoken > 0 ? `${Math.round((100 * calls.contained) / spoken)} %` : "–"} spoken={spoken > 0 ? undefined : "None yet"}>
        {spoken > 0 && `${calls.contained} of ${spoken} who spoke`}
      </Figure>
      <Figure name="Hung up without a word" value={whole(calls.silent)} />
      <Figure name="Turned away" value={whole(calls.refused)} />
    </>
  );
}

function Figure({ name, value, spoken, children }: { name: string; value: string; spoken?: string | undefined; children?: ReactNode }) {
  return (
    <div className="rounded-xl border border-line bg-panel p-4">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="figures text-2xl font-semibold">
        <span aria-hidden={spoken ? "true" : undefined}>{value}</span>
        {spoken && <span className="sr-only">{spoken}</span>}
      </dd>
      {children && <dd className="text-sm text-muted">{children}</dd>}
    </div>
  );
}
