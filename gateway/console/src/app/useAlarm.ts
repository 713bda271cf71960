import { useEffect, useRef, useState } from "react";

import { Alarm } from "../audio/alarm";
import { alarmKey } from "../model/alarms";
import { lookKey } from "../model/attention";
import type { Call, WorkAlarm } from "../model/state";
import { usePreferences } from "./preferences";

/** An urgent call sounds again this often, until somebody has looked. */
const AGAIN_MS = 8_000;

const alarm = new Alarm();

/** Sounds for calls that wait to be looked at: once for each, and again for as long as an urgent one waits; and for requests that nobody has taken on, once an alarm. Says whether sound is possible yet. */
export function useAlarm(waiting: readonly Call[], alarms: readonly WorkAlarm[]): { locked: boolean } {
  const { sound } = usePreferences();
  const [locked, setLocked] = useState(true);
  const sounded = useRef<ReadonlySet<string>>(new Set());
  const urgent = waiting.some((call) => call.facts.attention === "urgent");
  const keys = [...waiting.map(lookKey), ...alarms.map(alarmKey)].join(" ");

  useEffect(() => {
    const unlock = (): void => {
      void alarm
        .unlock()
        .then(() => setLocked(!alarm.canSound))
        .catch(() => undefined);
    };
    addEventListener("pointerdown", unlock);
    addEventListener("keydown", unlock);
    return () => {
      removeEventListener("pointerdown", unlock);
      removeEventListener("keydown", unlock);
    };
  }, []);

  useEffect(() => {
    const now = new Set(keys === "" ? [] : keys.split(" "));
    const fresh = [...now].filter((key) => !sounded.current.has(key));
    sounded.current = now;
    if (sound === "off" || now.size === 0) return undefined;
    const level = urgent || fresh.some((key) => key.startsWith("work/")) ? "urgent" : "watch";
    if (fresh.length > 0) alarm.sound(level);
    if (!urgent) return undefined;
    const timer = setInterval(() => alarm.sound("urgent"), AGAIN_MS);
    return () => clearInterval(timer);
  }, [keys, urgent, sound]);

  return { locked };
}
