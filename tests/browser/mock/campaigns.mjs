// Lists of numbers that the agent calls.

import { bodyOf, json, refuse } from "./http.mjs";

const HOUR = 3_600_000;
const soon = (hours) => new Date(Date.now() + hours * HOUR).toISOString();

const campaign = (id, more) => ({
  id,
  purpose: "request",
  line: "+12025550100",
  language: "en",
  by: "ana",
  state: "running",
  from: soon(-1),
  until: soon(5),
  at_once: 3,
  retries: 1,
  retry_after_s: 86_400,
  retry_machines: false,
  waits: null,
  created_at: soon(-1),
  ended_at: null,
  numbers: 0,
  waiting: 0,
  calling: 0,
  results: {},
  waiting_for: {},
  ...more,
});

export const newCampaigns = () => [
  campaign("0197-k1", { numbers: 40, waiting: 25, calling: 2, waits: "no_room", results: { reached: 9, no_consent: 3, do_not_call: 1 }, waiting_for: { quiet_hours: 4 } }),
  campaign("0197-k2", { purpose: "appointment", state: "ended", ended_at: soon(0), numbers: 3, results: { reached: 3 } }),
];

/** As the gateway does: the list, a new one, and what stops it. */
export async function campaigns(mock, request, response, url) {
  const [, , , id, how] = url.pathname.split("/");
  if (!id && request.method === "GET") return json(response, { items: mock.campaigns, next_cursor: null });
  if (!id) {
    const asked = JSON.parse(await bodyOf(request));
    const positions = asked.numbers.flatMap((number, at) => (/^[+(\d][\d ().-]{6,}$/.test(number) ? [] : [at + 1]));
    if (positions.length > 0)
      return refuse(response, 400, "INVALID_PARAMETER", `numbers has what is no telephone number, at ${positions.join(", ")}`, "correct or leave out those; the first is 1", { parameter: "numbers", positions });
    const kept = campaign(`0197-k${mock.campaigns.length + 1}`, { ...asked, numbers: asked.numbers.length, waiting: asked.numbers.length, by: "local-admin", created_at: soon(0) });
    mock.campaigns.unshift(kept);
    mock.called = asked;
    return json(response, kept, 201);
  }
  const known = mock.campaigns.find((one) => one.id === id);
  if (!known) return refuse(response, 404, "NOT_FOUND", "there is no such campaign");
  if (["canceled", "ended"].includes(known.state)) return refuse(response, 409, "CONFLICT", `this campaign is ${known.state}`, "make another one of whom is left");
  const state = { pause: "paused", resume: "running", cancel: "canceled" }[how];
  Object.assign(known, { state, waits: null });
  if (state === "canceled") Object.assign(known, { results: { ...known.results, canceled: known.waiting }, waiting: 0 });
  json(response, known);
}
