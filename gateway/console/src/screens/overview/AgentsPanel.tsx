import { useEffect, useState } from "react";

import { api } from "../../api/client";
import type { AgentRecord } from "../../api/types";
import { words } from "../../model/format";
import { Panel } from "../../ui/Panel";

const percent = (share: number): string => `${Math.round(share * 100)} %`;
/** "front_desk/intake" as words. */
const agentName = (id: string): string => id.split("/").map((part) => words(part)).join(", ");

/** How right the agents were, by what people decided of the requests that they left. */
export function AgentsPanel() {
  const [agents, setAgents] = useState<readonly AgentRecord[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    api
      .autonomy({ signal: abort.signal })
      .then(({ items }) => setAgents(items))
      .catch(() => undefined);
    return () => abort.abort();
  }, []);
  return (
    <Panel title="How right the agents were" level={2}>
      <p className="text-sm text-muted">Of all time, by what people decided when they closed requests. What is open, or was never a request, counts as nothing.</p>
      {agents.length === 0 ? (
        <p className="mt-2 text-sm text-muted">Nobody has decided anything yet.</p>
      ) : (
        <div role="region" aria-label="Records of the agents" tabIndex={0} className="mt-3 overflow-x-auto">
          <table className="w-full text-sm">
            <thead className="text-left text-xs text-muted">
              <tr>
                <th className="py-1 pr-4 font-normal">Agent</th>
                <th className="py-1 pr-4 text-right font-normal">Decided</th>
                <th className="py-1 pr-4 text-right font-normal">Right</th>
                <th className="py-1 pr-4 text-right font-normal">Escalated</th>
                <th className="py-1 text-right font-normal">Level</th>
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {agents.map(({ agent_id, metrics, level, acts_on, history }) => (
                <tr key={agent_id}>
                  <th scope="row" className="py-2 pr-4 text-left font-medium">
                    {agentName(agent_id)}
                    {history[0] && <span className="block text-xs font-normal text-muted">{`Level ${history[0].from_level} to ${history[0].to_level}: ${history[0].reason}`}</span>}
                  </th>
                  <td className="figures py-2 pr-4 text-right align-top">{metrics.completed_tasks}</td>
                  <td className="figures py-2 pr-4 text-right align-top">{metrics.completed_tasks > 0 ? percent(metrics.accuracy_rate) : "–"}</td>
                  <td className="figures py-2 pr-4 text-right align-top">{metrics.completed_tasks > 0 ? percent(metrics.escalation_rate) : "–"}</td>
                  <td className="figures py-2 text-right align-top">{acts_on < level ? `${level}, acts on ${acts_on}` : level}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
