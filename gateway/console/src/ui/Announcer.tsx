// Tells screen readers of finished words only. Interim text changes several times a second and would drown them.

import { useEffect, useRef, useState } from "react";

import type { Utterance } from "../model/state";
import { speakerName } from "../model/speakers";

/** Announces each utterance once, when it is complete. What was there at first is not announced. */
export function Announcer({ utterances }: { utterances: readonly Utterance[] }) {
  const said = useRef<Map<string, string> | null>(null);
  const [text, setText] = useState("");
  useEffect(() => {
    const now = new Map(utterances.filter((u) => !u.interim).map((u) => [`${u.turn}/${u.speaker}`, u.text]));
    const before = said.current;
    said.current = now;
    if (!before) return;
    const fresh = utterances.filter((u) => !u.interim && before.get(`${u.turn}/${u.speaker}`) !== u.text);
    if (fresh.length > 0) setText(fresh.map((u) => phrase(u, before)).join(" "));
  }, [utterances]);
  return (
    <div className="sr-only" aria-live="polite" aria-atomic="true">
      {text}
    </div>
  );
}

/** Of a reply that grows by segments, only what is new. */
function phrase(u: Utterance, before: Map<string, string>): string {
  const known = before.get(`${u.turn}/${u.speaker}`);
  if (known && u.text.startsWith(known)) return u.text.slice(known.length).trim();
  return `${speakerName(u.speaker)}: ${u.text}`;
}
