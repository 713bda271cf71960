import { clockTime, words } from "../../model/format";
import type { Call } from "../../model/state";
import { Icon } from "../../ui/Icon";
import { Panel } from "../../ui/Panel";

export function ToolsPanel({ call }: { call: Call }) {
  return (
    <Panel title="Tools used">
      {call.tools.length === 0 ? (
        <p className="text-sm text-muted">None seen while this page was watching.</p>
      ) : (
        <ul className="space-y-1.5 text-sm">
          {call.tools.map((use) => (
            <li key={`${use.at}/${use.tool}`} className="flex items-center gap-2">
              <Icon name={use.ok ? "check" : "close"} className={`size-4 ${use.ok ? "text-good" : "text-danger"}`} />
              <span className="flex-1">
                {words(use.tool)}
                {!use.ok && <span className="text-danger"> failed</span>}
              </span>
              <span className="figures text-xs text-muted">
                turn {use.turn}, {clockTime(use.at)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
