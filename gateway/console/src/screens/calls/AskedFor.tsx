import { useEffect, useState } from "react";

import { api, explain } from "../../api/client";
import { desk, useDesk } from "../../app/desk";
import type { Call } from "../../model/state";
import { Button } from "../../ui/Button";
import { Note } from "../../ui/Note";

/** Whether that time is up, as this browser's clock has it. */
function usePast(until: string | undefined): boolean {
  const [past, setPast] = useState(false);
  useEffect(() => {
    if (until === undefined) return undefined;
    const timer = setTimeout(() => setPast(true), Math.max(0, Date.parse(until) - Date.now()));
    return () => clearTimeout(timer);
  }, [until]);
  return past;
}

/** Somebody asks for the call: whoever has it hands it over or keeps it, and whoever asked waits for that. One of each wish. */
export function AskedFor({ call, me }: { call: Call; me: string }) {
  const [kept, setKept] = useState("");
  const [error, setError] = useState<unknown>(null);
  const { askedFor } = call;
  const past = usePast(askedFor?.until);
  const holder = call.facts.controlled_by?.by;
  if (!askedFor || past || kept === askedFor.until) return null;
  if (askedFor.by === me) {
    return (
      <p role="status" className="mt-2.5 text-sm text-muted">
        You asked {askedFor.of} for the call.
      </p>
    );
  }
  if (holder !== me) return null;
  const handOver = (): void => {
    setError(null);
    void api.handOver(call.facts.id, askedFor.by).catch(setError);
  };
  return (
    <div role="alert" className="mt-2.5 flex flex-wrap items-center gap-2 text-sm">
      <p className="mr-auto font-medium">{askedFor.by} asks you for the call.</p>
      <Button onClick={() => setKept(askedFor.until)}>Keep it</Button>
      <Button tone="primary" onClick={handOver}>
        Hand it over
      </Button>
      {error !== null && <Note alert>{explain(error)}</Note>}
    </div>
  );
}

/** Whoever asked and was handed the call takes it up: the microphone opens without another question. */
export function useHandedOver(call: Call, me: string): void {
  const { id, controlled_by } = call.facts;
  const { asked } = useDesk();
  const handed = asked === id && controlled_by?.by === me;
  useEffect(() => {
    if (handed) void desk.takeOver(id);
  }, [handed, id]);
}
