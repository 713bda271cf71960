import { useMemo, type ReactNode } from "react";

import { explain } from "../../api/client";
import type { LineFigures, Me } from "../../api/types";
import { readsAutonomy } from "../../app/permissions";
import { useNow } from "../../app/now";
import { hrefs, narrow } from "../../app/route";
import { duration, durationWords, endReason, languageName } from "../../model/format";
import { beginning, containment, series, shares, SPANS, topicName, type Span } from "../../model/overview";
import { BarChart } from "../../ui/BarChart";
import { Chip } from "../../ui/Chip";
import { LineChart } from "../../ui/LineChart";
import { Note } from "../../ui/Note";
import { ShareChart } from "../../ui/ShareChart";
import { kindName } from "../requests/labels";
import { AgentsPanel } from "./AgentsPanel";
import { Unanswered } from "./Unanswered";
import { useLineFigures } from "./useLineFigures";

/** Bars between two that are named. */
const EVERY: Record<Span, number> = { day: 6, week: 1, month: 7 };
const LABELS: Record<Span, Intl.DateTimeFormatOptions> = { day: { hour: "numeric" }, week: { weekday: "short" }, month: { month: "short", day: "numeric" } };
const hour = new Intl.DateTimeFormat(undefined, { hour: "numeric" });

const dollars = (value: number): string => (value === 0 ? "$0" : `$${value < 0.1 ? value.toFixed(3) : value.toFixed(2)}`);
const whole = (value: number): string => String(Math.round(value));
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const percent = (value: number): string => `${Math.round(value)} %`;

/** How the line is doing, on one page. */
export function OverviewScreen({ query, me }: { query: string; me: Me }) {
  const asked = new URLSearchParams(query).get("span") ?? "week";
  const span: Span = Object.hasOwn(SPANS, asked) ? (asked as Span) : "week";
  // The span moves on with the hour or the day, not with the second.
  const from = beginning(span, useNow());
  const { figures, error } = useLineFigures(from);
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
        {!figures && error === null && (
          <p role="status" className="mt-6 text-muted">
            Counting…
          </p>
        )}
        {figures?.truncated && (
          <div className="mt-5">
            <Note tone="warm">There was more in this time than is counted here: the figures are of the newest calls.</Note>
          </div>
        )}
        {figures && <Page found={figures} span={span} me={me} />}
      </div>
    </div>
  );
}

function Page({ found, span, me }: { found: LineFigures; span: Span; me: Me }) {
  const { calls, requests } = found;
  // Hours and days are the county's, wherever this is read.
  const label = useMemo(() => new Intl.DateTimeFormat(undefined, { ...LABELS[span], timeZone: found.timezone }), [span, found.timezone]);
  const name = (at: number): string => label.format(at);
  const every = EVERY[span];
  const length = calls.mean_seconds === null ? null : calls.mean_seconds * 1000;
  return (
    <div className="mt-5 space-y-4">
      <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure name="Calls" value={whole(calls.total)}>
          {calls.live > 0 && `${calls.live} on the line now`}
        </Figure>
        <Figure name="Mean length" value={length === null ? "–" : duration(length)} spoken={length === null ? "None yet" : durationWords(length)} />
        <Figure name="Cost" value={dollars(calls.cost_usd)}>
          {calls.total > 0 && calls.cost_usd > 0 && `${dollars(calls.cost_usd / calls.total)} a call`}
        </Figure>
        <Figure name="Open requests" value={whole(requests.open)}>
          {requests.overdue > 0 && (
            <a href={hrefs.work} className="font-semibold text-danger underline underline-offset-2">
              {requests.overdue} overdue
            </a>
          )}
        </Figure>
        <Answered line={found} />
      </dl>
      <BarChart title={span === "day" ? "Calls in each hour" : "Calls on each day"} bars={series(found, "calls")} name={name} value={whole} every={every} />
      <div className="grid gap-4 lg:grid-cols-2">
        <LineChart
          title="Answer time"
          lines={[
            { name: "Half of the answers within", points: series(found, "p50_ms"), color: "var(--stage-1)" },
            { name: "19 of 20 within", points: series(found, "p95_ms"), color: "var(--stage-7)", dashed: true },
          ]}
          name={name}
          value={seconds}
          every={every}
        />
        <LineChart title="Served without a person" lines={[{ name: "Of those who spoke", points: containment(found), color: "var(--stage-9)" }]} name={name} value={percent} every={every} most={100} />
        <ShareChart
          title="What callers ask"
          shares={found.questions.topics.map(({ source, times }) => ({ name: source, value: times }))}
          name={topicName}
          none="No question was answered from a page in this time."
          href={hrefs.askedAbout}
        />
        <ShareChart title="What was taken down" shares={shares(requests.by_kind)} name={kindName} none="Nothing in this time." />
      </div>
      <Unanswered questions={found.questions} me={me} />
      {readsAutonomy(me) && <AgentsPanel />}
      <div className="grid gap-4 lg:grid-cols-2">
        {span !== "day" && (
          <BarChart title="Calls by hour of the day" bars={calls.by_hour.map((value, at) => ({ at, value }))} name={(at) => hour.format(new Date(2026, 0, 1, at))} value={whole} every={6} />
        )}
        {calls.cost_usd > 0 && <BarChart title="Cost in US dollars" bars={series(found, "cost_usd")} name={name} value={dollars} every={every} />}
        <ShareChart title="How calls ended" shares={shares(calls.by_outcome)} name={endReason} none="No call ended in this time." />
        <ShareChart title="Languages" shares={shares(calls.by_language)} name={languageName} none="No calls in this time." />
      </div>
    </div>
  );
}

/** How fast the line answers, and how much of it needs no person. */
function Answered({ line: { calls, response } }: { line: LineFigures }) {
  const spoken = calls.ended - calls.silent - calls.refused;
  return (
    <>
      <Figure name="Answer time" value={response.p50_ms === null ? "–" : seconds(response.p50_ms)} spoken={response.p50_ms === null ? "None yet" : undefined}>
        {response.p95_ms !== null && `19 of 20 within ${seconds(response.p95_ms)}`}
      </Figure>
      <Figure name="Served without a person" value={spoken > 0 ? percent((100 * calls.contained) / spoken) : "–"} spoken={spoken > 0 ? undefined : "None yet"}>
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
