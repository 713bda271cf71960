import { useRef } from "react";

import { setPreference, usePreferences } from "../../app/preferences";
import { speakerName } from "../../model/speakers";
import type { Call, Utterance } from "../../model/state";
import { Announcer } from "../../ui/Announcer";
import { cx } from "../../ui/classes";
import { useStickToEnd } from "../calls/useStickToEnd";
import { Words } from "../calls/Words";

const NONE: readonly Utterance[] = [];

/** Both sides in large type, newest last, for people who hear little or nothing of the call. */
export function Captions({ call, active }: { call: Call | undefined; active: boolean }) {
  const pane = useRef<HTMLDivElement>(null);
  const { announce } = usePreferences();
  const utterances = call?.utterances ?? NONE;
  useStickToEnd(pane, utterances);
  return (
    <section aria-labelledby="captions-title" className="flex min-h-72 flex-1 flex-col rounded-xl border border-line bg-panel lg:min-h-96">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line px-4 py-3 sm:px-6">
        <h2 id="captions-title" className="font-semibold">
          Captions
        </h2>
        <label className="flex items-center gap-2 text-sm text-muted">
          <input
            type="checkbox"
            className="size-4 accent-accent-solid"
            checked={announce === "on"}
            onChange={(event) => setPreference("announce", event.target.checked ? "on" : "off")}
          />
          Announce to screen readers
        </label>
      </div>
      <div
        ref={pane}
        role="region"
        aria-label="Caption text"
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto px-4 py-5 max-lg:max-h-[60dvh] sm:px-6"
      >
        {utterances.length === 0 ? (
          <Waiting active={active} />
        ) : (
          <ol className="space-y-5">
            {utterances.map((u) => (
              <li key={`${u.turn}/${u.speaker}`} data-speaker={u.speaker} data-interim={u.interim}>
                <p className={cx("text-sm font-semibold", u.speaker === "caller" ? "text-warm" : "text-accent")}>
                  {u.speaker === "caller" ? "You" : speakerName(u.speaker)}
                </p>
                <Words utterance={u} className="text-2xl leading-snug" />
              </li>
            ))}
          </ol>
        )}
      </div>
      {announce === "on" && <Announcer utterances={utterances} />}
    </section>
  );
}

const TO_SAY = [
  "The street light on Oak Street is out.",
  "What are the opening hours of the permit office?",
  "I would like to book an inspection.",
  "Can I speak to a person?",
];

/** Before the first words: what will be here, and what one could say. */
function Waiting({ active }: { active: boolean }) {
  return (
    <div className="space-y-4">
      <p className="text-lg text-muted">
        {active ? "The first words appear here in a moment." : "During a call, what you and the agent say appears here in large type."}
      </p>
      <p className="text-sm text-muted">Things to try:</p>
      <ul className="space-y-2">
        {TO_SAY.map((words) => (
          <li key={words} className="border-l-3 border-warm pl-3.5 text-lg">
            &ldquo;{words}&rdquo;
          </li>
        ))}
      </ul>
    </div>
  );
}
