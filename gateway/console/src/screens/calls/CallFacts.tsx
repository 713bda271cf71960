import { callerDetail, dateTime, endReason, languageName, phoneNumber, shortId } from "../../model/format";
import type { Call } from "../../model/state";
import { FieldList } from "../../ui/FieldList";
import { Panel } from "../../ui/Panel";

export function CallFacts({ call }: { call: Call }) {
  const { facts } = call;
  return (
    <Panel title="Call">
      <FieldList
        fields={[
          ["Call", shortId(facts.id)],
          ["Line", phoneNumber(facts.line) || "Not known yet"],
          ["From", callerDetail(facts.from)],
          ["Language", languageName(facts.language)],
          ["Started", dateTime(facts.started_at)],
          ...(facts.state === "ended" ? [["Ended", endReason(facts.end_reason)] as const] : []),
          ["Turns", String(Math.max(facts.turns, call.utterances.at(-1)?.turn ?? 0))],
          ["Cost", facts.cost_usd > 0 ? `$${facts.cost_usd.toFixed(3)}` : "None, no paid service used"],
        ]}
      />
    </Panel>
  );
}
