// What agents want to do, remember, and may not say.

import { bodyOf, json, refuse } from "./http.mjs";

export const newOversight = () => ({
  effects: [
    { id: "0197-e1", destination: "crm", tool: "open_case", state: "held", call_id: null, payload: { subject: "Pothole on Maple", urgency: 2 }, problem: null, decided_by: null, created_at: new Date().toISOString() },
    { id: "0197-e2", destination: "crm", tool: "send_letter", state: "held", call_id: null, payload: { subject: "Dog license" }, problem: null, decided_by: null, created_at: new Date().toISOString() },
    { id: "0197-e3", destination: "desk", tool: "take_message", state: "failed", call_id: null, payload: {}, problem: "timeout", decided_by: null, created_at: new Date().toISOString() },
  ],
  suggestions: [
    { id: "0197-m1", call_id: null, agent_id: "memory/worker", key: "property", value: "⟨address:1⟩", confidence: 0.9, created_at: new Date().toISOString(), decision: { contact_id: "0197-c1", verdict: "stored", reason: "a fact that was not known" } },
    { id: "0197-m2", call_id: null, agent_id: "memory/worker", key: "mood", value: "angry", confidence: 0.4, created_at: new Date().toISOString(), decision: { contact_id: null, verdict: "refused", reason: "no fact of this kind is remembered" } },
  ],
  callers: new Map([["0197-c1", { id: "0197-c1", stage: "returning", opt_out: false, memories: [{ key: "property", value: "⟨address:1⟩" }], decisions: [] }]]),
  rules: {
    tenant_text: "",
    shipped: [{ name: "platform.rules", text: "rule no-legal-advice {\n    action: BLOCK\n}\n" }],
    rules: [{ id: "no-legal-advice", name: "No legal advice", category: "legal", description: "Nobody is told to sue.", citation: "County code 2.4", applies_to: "words", tier: "platform", action: "BLOCK" }],
  },
});

/** True where it was one of these. */
export async function oversight(mock, request, response, url) {
  const [, , area, part, id] = url.pathname.split("/");
  const kept = mock.oversight;
  if (area === "outbox") {
    if (request.method === "GET") return json(response, { items: kept.effects.filter(({ state }) => state === url.searchParams.get("state")), next_cursor: null });
    const effect = kept.effects.find((one) => one.id === part);
    if (effect?.state !== "held") return refuse(response, 409, "CONFLICT", "this effect was decided before", "read it again, then retry");
    Object.assign(effect, { state: id === "approve" ? "pending" : "rejected", decided_by: "local-admin" });
    return json(response, effect);
  }
  if (area === "rules") {
    if (request.method === "GET") return json(response, kept.rules);
    const asked = JSON.parse(await bodyOf(request));
    if (part === "check") {
      const broken = /sue/.test(asked.text) ? [{ rule_id: "no-legal-advice", rule_name: "No legal advice", reason: "It advises on the law.", replacement: "I can't give legal advice." }] : [];
      return json(response, { permitted: broken.length === 0, override_possible: false, meaning_read: true, violations: broken });
    }
    if (!/^(rule [\s\S]*)?$/.test(asked.text)) return refuse(response, 422, "INVALID_PARAMETER", "tenant.rules, line 1: this is no rule", "begin with `rule <id> {`");
    const own = [...asked.text.matchAll(/rule ([\w-]+)/g)].map(([, name]) => ({ id: name, name, category: "compliance", description: name, citation: "", applies_to: "words", tier: "tenant", action: "WARN" }));
    kept.rules = { ...kept.rules, tenant_text: asked.text, rules: [...kept.rules.rules.filter(({ tier }) => tier === "platform"), ...own] };
    return json(response, kept.rules);
  }
  if (part === "suggestions") return json(response, { items: kept.suggestions, next_cursor: null });
  const caller = kept.callers.get(id);
  if (!caller) return refuse(response, 404, "NOT_FOUND", "there is no such contact");
  if (request.method === "GET") return json(response, caller);
  Object.assign(caller, { opt_out: true, memories: [] });
  json(response, { id, opt_out: true, deleted: true });
}
