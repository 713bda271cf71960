import type { Me } from "../../api/types";
import { useConsole } from "../../app/console";
import { useKeys } from "../../app/keys";
import { go, hrefs } from "../../app/route";
import { liveCalls, recentCalls } from "../../model/select";
import { cx } from "../../ui/classes";
import { EmptyState } from "../../ui/EmptyState";
import { CallDetail } from "./CallDetail";
import { CallList } from "./CallList";
import { FirstCall } from "./FirstCall";

/** List and call side by side where there is room; on a phone-sized screen one leads to the other. */
export function CallsScreen({ callId, me }: { callId: string | null; me: Me }) {
  const state = useConsole((now) => now.state);
  const order = [...liveCalls(state), ...recentCalls(state)].map((call) => call.facts.id);

  useKeys((key) => {
    if (key !== "j" && key !== "k") return false;
    const here = callId ? order.indexOf(callId) : -1;
    const next = order[key === "j" ? here + 1 : Math.max(0, here - 1)];
    if (next) go(hrefs.call(next));
    return true;
  });

  if (state.listed && order.length === 0 && !callId) return <FirstCall me={me} />;
  return (
    <div className="grid min-h-0 flex-1 lg:grid-cols-[17rem_minmax(0,1fr)] xl:grid-cols-[21rem_minmax(0,1fr)]">
      <h1 className="sr-only">Calls</h1>
      <div className={cx("min-h-0 border-line lg:overflow-y-auto lg:border-r", callId && "max-lg:hidden")}>
        <CallList selected={callId} />
      </div>
      <div className={cx("min-h-0 min-w-0 flex-col lg:flex", callId ? "flex" : "hidden")}>
        {callId ? (
          <CallDetail key={callId} id={callId} me={me} />
        ) : (
          <EmptyState icon="calls" title="Choose a call">
            <p>Its words appear here as they are spoken, with the time that each answer took.</p>
            <p>
              Move through the list with <kbd className="font-mono">J</kbd> and <kbd className="font-mono">K</kbd>.
            </p>
          </EmptyState>
        )}
      </div>
    </div>
  );
}
