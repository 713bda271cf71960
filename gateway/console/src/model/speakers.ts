import type { Speaker } from "../api/types";

const NAMES: Record<Speaker, string> = { caller: "Caller", agent: "Agent", supervisor: "Supervisor" };
export const speakerName = (speaker: Speaker): string => NAMES[speaker] ?? speaker;
