import { latencySummary } from "../../model/select";
import { BUDGET_MS, chartWidth, ms } from "../../model/stages";
import type { Call } from "../../model/state";
import { Panel } from "../../ui/Panel";
import { Waterfall } from "./Waterfall";

export function LatencyPanel({ call }: { call: Call }) {
  const summary = latencySummary(call);
  const width = chartWidth(call.latency);
  return (
    <Panel
      title="Time to answer"
      aside={
        summary && (
          <p className="figures text-xs text-muted">
            median {ms(summary.median)} ms, longest {ms(summary.worst)} ms
          </p>
        )
      }
    >
      {call.latency.length === 0 ? (
        <p className="text-sm text-muted">Appears after the first answer: where each millisecond between the caller&rsquo;s last word and our first went.</p>
      ) : (
        <ol className="space-y-4" reversed>
          {[...call.latency].reverse().map((turn) => (
            <Waterfall key={turn.turn} turn={turn} width={width} />
          ))}
        </ol>
      )}
      {call.latency.length > 0 && <p className="mt-3 text-xs text-muted">The line on each bar is the budget of {BUDGET_MS} ms.</p>}
    </Panel>
  );
}
