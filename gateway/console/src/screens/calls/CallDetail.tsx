import { useEffect } from "react";

import { explain } from "../../api/client";
import type { Me } from "../../api/types";
import { useConsole } from "../../app/console";
import { look } from "../../app/acknowledged";
import { actsOnCalls } from "../../app/permissions";
import { hrefs } from "../../app/route";
import type { Call } from "../../model/state";
import { Announcer } from "../../ui/Announcer";
import { EmptyState } from "../../ui/EmptyState";
import { Note } from "../../ui/Note";
import { CallFacts } from "./CallFacts";
import { CallHeader } from "./CallHeader";
import { JudgementPanel } from "./JudgementPanel";
import { LatencyPanel } from "./LatencyPanel";
import { NoticesPanel } from "./NoticesPanel";
import { OnTheCall } from "./OnTheCall";
import { PassportPanel } from "./PassportPanel";
import { RecordingPanel } from "./RecordingPanel";
import { ToolsPanel } from "./ToolsPanel";
import { Transcript } from "./Transcript";
import { useCallDocuments } from "./useCallDocuments";

/** A call on a page that is in view has been looked at. */
function useLook(call: Call | undefined): void {
  useEffect(() => {
    if (!call || call.facts.attention === "none") return undefined;
    const seen = (): void => {
      if (document.visibilityState === "visible") look(call);
    };
    seen();
    document.addEventListener("visibilitychange", seen);
    return () => document.removeEventListener("visibilitychange", seen);
  }, [call]);
}

export function CallDetail({ id, me }: { id: string; me: Me }) {
  const call = useConsole((now) => now.state.calls[id]);
  const loading = useCallDocuments(id);
  useLook(call);
  if (!call) {
    if (loading.kind === "loading") return <p className="p-6 text-muted">Loading the call…</p>;
    return (
      <EmptyState icon="calls" title="This call cannot be shown">
        <p>{loading.kind === "failed" ? explain(loading.error) : "It may belong to another department."}</p>
        <a href={hrefs.calls} className="text-accent underline underline-offset-2">
          Back to all calls
        </a>
      </EmptyState>
    );
  }
  return (
    <article aria-label="Selected call" className="flex min-h-0 flex-1 flex-col">
      <CallHeader call={call} acts={actsOnCalls(me)} />
      {call.facts.state === "live" && <OnTheCall call={call} me={me} />}
      {loading.kind === "failed" && (
        <div className="px-4 pt-4">
          <Note>The earlier part of this call could not be loaded. {explain(loading.error)}</Note>
        </div>
      )}
      <div className="min-h-0 flex-1 lg:grid lg:grid-cols-[minmax(0,1fr)_20rem] lg:grid-rows-[minmax(0,1fr)] xl:grid-cols-[minmax(0,1fr)_25rem]">
        <Transcript call={call} />
        {/* A pane that scrolls must be reachable by keyboard. */}
        <div
          role="region"
          aria-label="About this call"
          tabIndex={0}
          className="space-y-4 border-line p-4 lg:min-h-0 lg:overflow-y-auto lg:border-l"
        >
          <RecordingPanel key={id} call={call} me={me} />
          <JudgementPanel key={`judged ${id}`} call={call} me={me} />
          <LatencyPanel call={call} />
          <CallFacts call={call} />
          <PassportPanel call={call} />
          <ToolsPanel call={call} />
          <NoticesPanel call={call} />
        </div>
      </div>
      {/* What was said before this page was opened is no news. */}
      {loading.kind !== "loading" && <Announcer utterances={call.utterances} />}
    </article>
  );
}
