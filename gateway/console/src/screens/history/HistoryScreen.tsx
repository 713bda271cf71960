import { memo, useEffect, useState, type FormEvent } from "react";

import { explain } from "../../api/client";
import type { CallItem, Me } from "../../api/types";
import { useNow } from "../../app/now";
import { useOffers } from "../../app/capabilities";
import { mayOpen, worksOnRequests } from "../../app/permissions";
import { hrefs, narrow, parseRoute } from "../../app/route";
import { attentionText } from "../../model/attention";
import { callsCsv } from "../../model/csv";
import { callerName, dateTime, duration, END_REASONS, endReason, languageName, phoneNumber, shortId } from "../../model/format";
import { beginning, topicName } from "../../model/overview";
import { when } from "../../model/when";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { INPUT } from "../../ui/classes";
import { EmptyState } from "../../ui/EmptyState";
import { LinkButton } from "../../ui/LinkButton";
import { Note } from "../../ui/Note";
import { useLineFigures } from "../overview/useLineFigures";
import { choiceOf, PARAMETERS, questionOf, type Choice, type Parameter } from "./filter";
import { everyCall, usePastCalls } from "./usePastCalls";

const TYPING_MS = 400;

/** Changes part of what is looked for, whatever the rest is by then. */
function change(part: Partial<Choice>): void {
  narrow("history", { ...choiceOf(parseRoute(location.hash).query), ...part });
}

/** Calls that are over: found again, read again, taken along. */
export function HistoryScreen({ query, me }: { query: string; me: Me }) {
  const offers = useOffers();
  const knows = (name: string): boolean => offers.has("/v1/calls", name);
  const choice = choiceOf(query);
  const [caller, setCaller] = useState("");
  const question = caller === "" ? questionOf(choice, knows) : { ...questionOf(choice, knows), caller };
  const { calls, error, more, busy, loadMore } = usePastCalls(question);
  const now = useNow();
  const minute = Math.floor(now / 60_000) * 60_000;
  const narrowed = Object.keys(question).length > 1;
  return (
    <div className="min-h-0 flex-1 lg:overflow-y-auto">
      <div className="mx-auto w-full max-w-5xl px-4 py-6 sm:px-6">
        <div className="flex flex-wrap items-start justify-between gap-3">
          <div>
            <h1 className="text-2xl font-semibold">History</h1>
            <p className="mt-1 text-muted">Calls that are over, newest first.</p>
          </div>
          <Export question={question} disabled={!calls || calls.length === 0} />
        </div>
        <Filters choice={choice} knows={knows} me={me} />
        {knows("caller") && worksOnRequests(me) && <CallerLookup caller={caller} onLookUp={setCaller} />}
        {error !== null && (
          <div className="mt-5">
            <Note alert>{explain(error)}</Note>
          </div>
        )}
        <p role="status" className="mt-4 text-sm text-muted">
          {calls === null ? (error === null ? "Loading…" : "") : counted(calls.length, more, narrowed)}
        </p>
        {calls?.length === 0 && !narrowed && (
          <EmptyState icon="history" title="No call is over yet">
            <p>Each call is kept here when it ends, with its words and what came of it.</p>
            {mayOpen(me, "phone") && (
              <LinkButton href={hrefs.phone} icon="phone">
                Make a call
              </LinkButton>
            )}
          </EmptyState>
        )}
        {calls !== null && calls.length > 0 && (
          <ul aria-label="Past calls" className="mt-2 overflow-hidden rounded-xl border border-line bg-panel">
            {calls.map((call) => (
              <PastCall key={call.id} call={call} now={minute} />
            ))}
          </ul>
        )}
        {more && (
          <div className="mt-5 text-center">
            <Button disabled={busy} onClick={loadMore}>
              {busy ? "Loading…" : "Show more"}
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

function counted(count: number, more: boolean, narrowed: boolean): string {
  if (count > 0) return `${count}${more ? " or more" : ""} ${count === 1 ? "call" : "calls"}`;
  if (more) return "None among the newest. Show more goes on looking.";
  return narrowed ? "No call fits this." : "";
}

const PastCall = memo(function PastCall({ call, now }: { call: CallItem; now: number }) {
  const length = call.ended_at ? Date.parse(call.ended_at) - Date.parse(call.started_at) : null;
  return (
    <li data-past={call.id} className="skip-when-far border-b border-line last:border-0">
      <a href={hrefs.call(call.id)} className="grid gap-x-4 gap-y-0.5 px-4 py-3 hover:bg-raised sm:grid-cols-[minmax(0,1fr)_auto]">
        <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1 font-medium">
          {callerName(call.from)}
          <span className="font-mono text-xs font-normal text-muted">{shortId(call.id)}</span>
          {call.attention !== "none" && <Badge tone={call.attention === "urgent" ? "danger" : "warm"}>{attentionText(call.attention, call.attention_reason ?? "")}</Badge>}
        </span>
        <time dateTime={call.started_at} title={dateTime(call.started_at)} className="text-sm text-muted sm:text-right">
          {when(call.started_at, now)}
        </time>
        <span className="flex flex-wrap gap-x-3 text-sm text-muted">
          <span>{endReason(call.end_reason)}</span>
          <span>{phoneNumber(call.line)}</span>
          <span>{languageName(call.language)}</span>
        </span>
        <span className="figures text-sm text-muted sm:text-right">
          {length === null ? "" : `${duration(length)} · `}
          {call.turns} {call.turns === 1 ? "turn" : "turns"}
        </span>
      </a>
    </li>
  );
});

/** By a number that somebody knows already. Each look is on the audit, so it is asked for, and is never in the address. */
function CallerLookup({ caller, onLookUp }: { caller: string; onLookUp: (number: string) => void }) {
  const [number, setNumber] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onLookUp(number.trim());
  };
  return (
    <form onSubmit={submit} className="mt-3 flex flex-wrap items-end gap-3">
      <label className="text-sm font-medium">
        Number of a caller
        <input required type="tel" autoComplete="off" maxLength={30} aria-describedby="looked-up" value={number} onChange={(event) => setNumber(event.target.value)} className={INPUT} />
      </label>
      <Button type="submit">Find their calls</Button>
      {caller !== "" && (
        <Button
          onClick={() => {
            setNumber("");
            onLookUp("");
          }}
        >
          Of every caller
        </Button>
      )}
      <span id="looked-up" className="pb-2 text-xs text-muted">
        Each look is on the audit.
      </span>
    </form>
  );
}

interface FiltersProps {
  choice: Choice;
  knows: (name: string) => boolean;
  me: Me;
}

/** What the gateway can narrow the calls by; nothing else is offered. */
function Filters({ choice, knows, me }: FiltersProps) {
  const shown = PARAMETERS.filter(knows);
  if (shown.length === 0) return null;
  return (
    <div role="search" className="mt-5 grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
      {shown.map((name) => (
        <Filter key={name} name={name} choice={choice} me={me} />
      ))}
    </div>
  );
}

function Filter({ name, choice, me }: { name: Parameter; choice: Choice; me: Me }) {
  const value = choice[name];
  switch (name) {
    case "q":
      return <Words words={value} />;
    case "topic":
      return <Topic topic={value} />;
    case "line":
      return <Choose label="Line" value={value} every="Every line" options={me.lines.map((line) => [line.number, `${line.name}, ${phoneNumber(line.number)}`])} onChange={(line) => change({ line })} />;
    case "outcome":
      return <Choose label="How it ended" value={value} every="Any way" options={Object.entries(END_REASONS)} onChange={(outcome) => change({ outcome })} />;
    case "from":
    case "to":
      return (
        <label className="text-sm font-medium">
          {name === "from" ? "From" : "To"}
          <input type="date" value={value} onChange={(event) => change({ [name]: event.target.value })} className={INPUT} />
        </label>
      );
  }
}

/** What was asked about, by the page that answered: those of the last month, and the one that is chosen. */
function Topic({ topic }: { topic: string }) {
  const from = beginning("month", useNow());
  const { figures } = useLineFigures(from);
  const sources = (figures?.questions.topics ?? []).map(({ source }) => source);
  const options = [...new Set(topic === "" ? sources : [topic, ...sources])].map((source) => [source, topicName(source)] as const);
  return <Choose label="Asked about" value={topic} every="Anything" options={options} onChange={(chosen) => change({ topic: chosen })} />;
}

interface ChooseProps {
  label: string;
  value: string;
  every: string;
  options: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
}

function Choose({ label, value, every, options, onChange }: ChooseProps) {
  return (
    <label className="text-sm font-medium">
      {label}
      <select value={value} onChange={(event) => onChange(event.target.value)} className={INPUT}>
        <option value="">{every}</option>
        {options.map(([code, name]) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Words({ words }: { words: string }) {
  const [text, setText] = useState(words);
  useEffect(() => {
    if (text === words) return undefined;
    const timer = setTimeout(() => change({ q: text }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, words]);
  return (
    <label className="text-sm font-medium sm:col-span-2 lg:col-span-4">
      Words that were said
      <input type="search" maxLength={200} value={text} onChange={(event) => setText(event.target.value)} className={INPUT} />
    </label>
  );
}

/** Everything that is found, also beyond what is shown, as a file for a spreadsheet. */
function Export({ question, disabled }: { question: Readonly<Record<string, string>>; disabled: boolean }) {
  const [state, setState] = useState<"idle" | "busy" | "cut" | "failed">("idle");
  const save = async (): Promise<void> => {
    setState("busy");
    try {
      const { calls, complete } = await everyCall(question);
      const address = URL.createObjectURL(new Blob([callsCsv(calls)], { type: "text/csv" }));
      const link = Object.assign(document.createElement("a"), { href: address, download: `calls-${new Date().toISOString().slice(0, 10)}.csv` });
      link.click();
      URL.revokeObjectURL(address);
      setState(complete ? "idle" : "cut");
    } catch {
      setState("failed");
    }
  };
  return (
    <div className="text-right">
      <Button icon="file" disabled={disabled || state === "busy"} onClick={() => void save()}>
        {state === "busy" ? "Gathering…" : "Export as CSV"}
      </Button>
      <p role="status" className="mt-1 text-sm text-warm empty:hidden">
        {state === "cut" && "Only the newest 20,000 calls are in the file."}
        {state === "failed" && "The export failed. Try again."}
      </p>
    </div>
  );
}
