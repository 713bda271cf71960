import { useState } from "react";

import type { Me } from "../../api/types";
import { useOffers } from "../../app/capabilities";
import { Chip } from "../../ui/Chip";
import { CampaignsPart } from "./CampaignsPart";
import { HeldPart } from "./HeldPart";
import { MemoryPart } from "./MemoryPart";
import { RulesPart } from "./RulesPart";

const PARTS = ["Effects", "Campaigns", "Memory", "Rules"] as const;

/** What the agents want to do, whom they call, what they remember of callers, and may not say or do. */
export function OversightScreen({ me }: { me: Me }) {
  const offers = useOffers();
  const parts = PARTS.filter((name) => name !== "Campaigns" || offers.has("/v1/campaigns"));
  const [part, setPart] = useState<(typeof PARTS)[number]>("Effects");
  return (
    <div className="min-h-0 flex-1 lg:overflow-y-auto">
      <div className="mx-auto w-full max-w-4xl px-4 py-6 sm:px-6">
        <h1 className="text-2xl font-semibold">Oversight</h1>
        <p className="mt-1 text-muted">What the agents want to do, whom they call, what they remember of callers, and what they may not say or do.</p>
        <div role="group" aria-label="Part" className="mt-4 flex flex-wrap gap-2">
          {parts.map((name) => (
            <Chip key={name} on={part === name} onClick={() => setPart(name)}>
              {name}
            </Chip>
          ))}
        </div>
        {part === "Effects" && <HeldPart me={me} />}
        {part === "Campaigns" && <CampaignsPart me={me} />}
        {part === "Memory" && <MemoryPart me={me} />}
        {part === "Rules" && <RulesPart me={me} />}
      </div>
    </div>
  );
}
