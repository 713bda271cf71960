// Ways into the midst of a call: listened to, told something, taken over, asked about, rung for, called back. Each is on record,
// and on its way to the caller, when the promise is kept.

import { until } from "./browser.mjs";
import { likeness } from "./heard.mjs";
import { time } from "./telephone.mjs";
import { CLERK } from "./town.mjs";

/** A turn on a machine that does much else. */
export const TURN_MS = 60_000;

const onCall = (desk) => desk.getByRole("region", { name: "On the call" });

/** Until the caller has heard that they may be listened to and recorded. */
export const told = (town, call) =>
  town.untilAnswer("the caller to be told", `/v1/audit?subject=${call.id}&action=call.consent`, ({ items }) => items.length > 0, TURN_MS);

export async function listens(town, desk, call) {
  await told(town, call);
  await desk.goto(`${town.url}/#/calls/${call.id}`);
  await onCall(desk).getByRole("button", { name: "Listen" }).click();
  await onCall(desk).getByText("You are listening.").waitFor();
}

/** The agent is in the midst of a line that whoever is at that desk has it say. */
export async function isTold(town, desk, call, line) {
  await call.telephone.quiet(600, 0);
  const answer = await desk.evaluate(
    async ([path, say]) => {
      const told = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ say }) });
      return told.ok ? "" : `${told.status} ${await told.text()}`;
    },
    [`/v1/calls/${call.id}/whisper`, line],
  );
  if (answer) throw new Error(`the line was not taken: ${answer}`);
  // A reply of its own may have come first.
  await town.says(call, line.slice(0, 20), TURN_MS);
  const from = time();
  await until("the caller to hear the line's first words", () => call.telephone.loudIn(from) > 0.5, TURN_MS);
}

/** Whoever is at that desk has the call, and the caller heard all that they said. */
export async function takesOver(town, desk, call, words) {
  await desk.goto(`${town.url}/#/calls/${call.id}`);
  await onCall(desk).getByRole("button", { name: "Take over" }).click();
  await desk.getByRole("dialog").getByRole("button", { name: "Take over" }).click();
  await onCall(desk).getByText("You have the call.").waitFor();
  const from = time();
  await until("the caller to hear the supervisor", async () => (await likeness(words, call.telephone.between(from))).likeness > 0.6, TURN_MS);
}

/** The caller waits for an answer of the office; it is shown at that desk. */
export async function asks(town, desk, call, question) {
  await town.wonders(call, question);
  await call.telephone.quiet(600, 0);
  call.telephone.press("1");
  await town.says(call, "I'm asking them now.", TURN_MS);
  await desk.locator(`[data-call="${call.id}"]`).getByText(/Asks the office/).waitFor({ timeout: TURN_MS });
}

/** The clerk's telephone rings for the caller, who waits with the agent. */
export async function waits(town, call) {
  await call.telephone.quiet(800, 0);
  call.telephone.press("0");
  await town.says(call, "I can put you through to the clerk's office.", TURN_MS);
  call.telephone.press("1");
  await until("the clerk's telephone to ring", () => rings(town, CLERK), TURN_MS);
  await town.says(call, "One moment while I try the clerk's office.", TURN_MS);
}

/** A caller tells of danger and hangs up; whoever is at that desk takes on the request that this left. Its id. */
export async function leavesRequest(town, desk, call, danger) {
  await call.telephone.quiet(800, 0);
  await call.telephone.say(danger);
  await town.says(call, "Hang up now and dial 911.", TURN_MS);
  call.telephone.hangUp();
  const left = ({ items }) => items.find((item) => item.call_id === call.id);
  const { id } = left(await town.untilAnswer("their request", "/v1/work-items?limit=200", left, 90_000));
  await desk.goto(`${town.url}/#/work/${id}`);
  await desk.getByRole("button", { name: "Take it on" }).click();
  await desk.getByText("You have it now.").waitFor();
  return id;
}

/** Whoever has the request calls back, and their own telephone rings. How much had been done for it before. */
export async function callsBack(town, desk, id, own) {
  const { history } = await town.ask(`/v1/work-items/${id}`);
  await desk.goto(`${town.url}/#/work/${id}`);
  await desk.getByRole("button", { name: "Call back" }).click();
  await desk.getByLabel("Your own phone number").fill(own);
  await desk.keyboard.press("Enter");
  await desk.getByText("Your phone is about to ring.").waitFor();
  await until("their own telephone to ring", () => rings(town, own), TURN_MS);
  return history.length;
}

const rings = (town, number) => town.carrier.called().some(({ to, status }) => to === number && status === "ringing");
