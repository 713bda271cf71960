// Callers who are on the line for a while.

import { time } from "./telephone.mjs";

/** Somebody says something so often, or the agent would take them for gone. */
const NOW_AND_THEN_MS = 22_000;

/** Says `words` now and then, while nobody else speaks, until it is stopped or the line is gone. */
export function staying(telephone, words) {
  let goesOn = true;
  const stays = async () => {
    for (let last = 0; goesOn && telephone.onLine; await new Promise((next) => setTimeout(next, 200))) {
      if (time() - last < NOW_AND_THEN_MS || time() - telephone.loudAt < 1_500) continue;
      last = (await telephone.say(words)).to;
    }
  };
  const done = stays();
  const stop = async () => {
    goesOn = false;
    await done;
  };
  return { stop };
}
