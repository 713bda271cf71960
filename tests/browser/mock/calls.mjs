// The mock's memory of calls: what the lists and documents are made from. Every change is also an event.

export const LINE = "+12025550100";
export const TENANT = { id: "0197-t", slug: "riverbend", name: "Riverbend County" };

export class Calls {
  #calls = new Map();
  #serial = 0;
  workItems = [];

  constructor(feed) {
    this.feed = feed;
    /** Whose calls they are, which the gateway tells nobody. */
    this.numbers = new Map();
    /** What they asked about. */
    this.topics = new Map();
  }

  start({ from = "⟨phone:1⟩", startedAt = new Date() } = {}) {
    this.#serial += 1;
    const id = `0197c0de-0000-7000-8000-${String(this.#serial).padStart(12, "0")}`;
    const call = new Call(this, id, `CA${String(this.#serial).padStart(32, "0")}`, from, startedAt);
    this.#calls.set(id, call);
    const { line, direction, language, carrier_sid } = call.item;
    this.feed.emit("call.started", id, { line, from, direction, language, carrier_sid });
    return call;
  }

  get(id) {
    return this.#calls.get(id);
  }
  /** A page of what the query asks for, newest first. */
  page(query) {
    const state = query.get("state") ?? "all";
    const is = (name, value) => !query.get(name) || query.get(name) === value;
    const q = query.get("q")?.toLowerCase();
    const found = this.list().filter(
      (item) =>
        (state === "all" || item.state === state) &&
        is("line", item.line) &&
        (!query.get("caller") || this.numbers.get(item.id) === query.get("caller")) &&
        is("outcome", item.end_reason) &&
        (!query.get("topic") || this.topics.get(item.id) === query.get("topic")) &&
        (!query.get("from") || item.started_at >= query.get("from")) &&
        (!query.get("to") || item.started_at < query.get("to")) &&
        (!q || this.get(item.id).turns.some((turn) => turn.text.toLowerCase().includes(q))),
    );
    const from = Number(query.get("cursor") || 0);
    const to = from + Number(query.get("limit") ?? 50);
    return { items: found.slice(from, to), next_cursor: to < found.length ? String(to) : null };
  }
  /** As the gateway counts them, as far as the console asks. */
  /** As the gateway counts: `work` are the requests, `asked` the questions that no page answered. */
  figures(from, work, asked) {
    const all = this.list().filter((item) => item.started_at >= from);
    const ended = all.filter((item) => item.state === "ended");
    const is = { refused: (item) => item.end_reason === "busy", silent: (item) => item.turns === 0 && item.end_reason !== "busy" };
    const spoke = ended.filter((item) => !is.refused(item) && !is.silent(item));
    const timed = (items) => items.flatMap((item) => this.get(item.id).latency.map((turn) => turn.total_ms)).sort((x, y) => x - y);
    const at = (times, share) => times[Math.floor((times.length - 1) * share)] ?? null;
    const count = (names) => names.reduce((counts, name) => ({ ...counts, [name]: (counts[name] ?? 0) + 1 }), {});
    const open = work.filter((item) => ["open", "in_progress"].includes(item.status));
    const day = Date.now() - Date.parse(from) > 2 * 86_400_000;
    const step = day ? 86_400_000 : 3_600_000;
    const bars = Array.from({ length: Math.ceil((Date.now() - Date.parse(from)) / step) }, (_, n) => new Date(Date.parse(from) + n * step).toISOString());
    const within = (items, begin) => items.filter((item) => Date.parse(item.started_at) >= Date.parse(begin) && Date.parse(item.started_at) < Date.parse(begin) + step);
    const seconds = ended.map((item) => (Date.parse(item.ended_at) - Date.parse(item.started_at)) / 1000);
    return {
      timezone: "America/New_York",
      truncated: false,
      calls: {
        total: all.length,
        live: all.length - ended.length,
        ended: ended.length,
        silent: ended.filter(is.silent).length,
        refused: ended.filter(is.refused).length,
        contained: spoke.length,
        cost_usd: all.reduce((sum, item) => sum + item.cost_usd, 0),
        mean_seconds: seconds.length > 0 ? seconds.reduce((sum, one) => sum + one, 0) / seconds.length : null,
        by_outcome: count(ended.map((item) => item.end_reason)),
        by_language: count(all.map((item) => item.language)),
        by_hour: Array.from({ length: 24 }, (_, hour) => all.filter((item) => new Date(item.started_at).getUTCHours() === hour).length),
      },
      response: { turns: timed(ended).length, p50_ms: at(timed(ended), 0.5), p95_ms: at(timed(ended), 0.95) },
      requests: { by_kind: count(work.filter((item) => item.created_at >= from).map((item) => item.kind)), open: open.length, overdue: open.filter((item) => item.overdue).length },
      questions: { answered: 5, unanswered: asked.length, topics: [{ source: "building-permits.md", times: 3 }, { source: "trash.md", times: 2 }], without_a_page: asked },
      series: bars.map((begin) => {
        const items = within(all, begin);
        const spoken = within(spoke, begin);
        const times = timed(items);
        return { at: begin, calls: items.length, cost_usd: items.reduce((sum, item) => sum + item.cost_usd, 0), spoken: spoken.length, contained: spoken.length, p50_ms: at(times, 0.5), p95_ms: at(times, 0.95) };
      }),
    };
  }
  list() {
    return [...this.#calls.values()].map((c) => c.item).sort((a, b) => b.started_at.localeCompare(a.started_at));
  }
}

class Call {
  turns = [];
  interventions = [];
  latency = [];
  passport = null;
  /** Called when the console asks to hang up. */
  onHangUp = () => this.end("supervisor_hung_up");

  constructor(calls, id, carrier_sid, from, startedAt) {
    this.calls = calls;
    this.id = id;
    this.item = {
      id,
      carrier_sid,
      tenant: "riverbend",
      line: LINE,
      from,
      direction: "inbound",
      state: "live",
      started_at: startedAt.toISOString(),
      ended_at: null,
      end_reason: null,
      passport_id: null,
      language: "en",
      turns: 0,
      cost_usd: 0,
      attention: "none",
    };
  }

  emit(name, body) {
    return this.calls.feed.emit(name, this.id, body);
  }

  interim(turn, text) {
    this.emit("call.turn.interim", { turn, speaker: "caller", text });
  }
  final(turn, text) {
    const { at } = this.emit("call.turn.final", { turn, speaker: "caller", text });
    this.item.turns = turn;
    this.turns.push({ turn, speaker: "caller", text, started_at: at, ended_at: at, interrupted: false });
  }
  say(turn, segment, text, segment_kind = "reply") {
    const { at } = this.emit("call.reply.segment", { turn, segment, speaker: "agent", text, segment_kind });
    const known = this.turns.find((t) => t.turn === turn && t.speaker === "agent");
    if (known) known.text += ` ${text}`;
    else this.turns.push({ turn, speaker: "agent", text, started_at: at, ended_at: at, interrupted: false, heard_text: "" });
  }
  heard(turn, heard_text, state = "heard") {
    this.emit("call.reply.heard", { turn, state, heard_text, estimated: false });
    const known = this.turns.find((t) => t.turn === turn && t.speaker === "agent");
    if (known) known.heard_text = `${known.heard_text} ${heard_text}`.trim();
  }
  interrupt(turn, text) {
    this.emit("call.interrupted", { turn, heard: { turn, text, complete: false, estimated: true } });
    const known = this.turns.find((t) => t.turn === turn && t.speaker === "agent");
    if (known) Object.assign(known, { interrupted: true, heard_text: text });
  }
  measure(turn, stages, { unattributed_ms = 2, filler = false, speculative = false } = {}) {
    const list = Object.entries(stages).map(([stage, ms]) => ({ stage, ms }));
    const total_ms = list.reduce((sum, s) => sum + s.ms, unattributed_ms);
    const latency = { turn, total_ms, stages: list, unattributed_ms, filler, speculative, judged_complete: true };
    this.latency.push(latency);
    this.emit("call.latency", { latency });
  }
  attention(level, reason) {
    this.item.attention = level;
    this.emit("call.attention", { level, reason });
  }
  guard(turn, kind = "instruction_override", severity = "high") {
    const { at, event_id } = this.emit("call.guard", { turn, channel: "voice", kind, severity });
    this.interventions.push({ id: event_id, turn, at, by: "guard", kind, severity });
  }
  rule(turn, rule, action = "BLOCK", applies_to = "words") {
    const { at, event_id } = this.emit("call.rule", { turn, rule, category: "financial", action, applies_to });
    this.interventions.push({ id: event_id, turn, at, by: "rule", rule, action, applies_to });
  }
  tool(turn, tool, ok = true) {
    this.emit("call.tool", { turn, tool, ok });
  }
  takeDown(kind, title, reference, fields) {
    this.item.passport_id = `passport-${this.id}`;
    this.passport = passportOf(this, reference, this.passport);
    this.calls.workItems.unshift(workItem(this.id, kind, title, reference, fields));
    this.emit("passport.updated", { passport_id: this.item.passport_id, version: this.passport.version, status: "in_progress" });
  }
  end(reason, duration_ms = 42_000) {
    if (this.item.state === "ended") return;
    const { at } = this.emit("call.ended", { reason, duration_ms });
    Object.assign(this.item, { state: "ended", ended_at: at, end_reason: reason });
  }
}

/** A request as the gateway lists it. */
export function workItem(call_id, kind, title, reference, fields, { at = new Date(), priority = "normal", hours = 24 } = {}) {
  const created_at = at.toISOString();
  const due = at.getTime() + hours * 3_600_000;
  return {
    id: `work-${reference}`,
    reference,
    kind,
    title,
    status: "open",
    priority,
    assignee: null,
    due_at: new Date(due).toISOString(),
    overdue: due < Date.now(),
    call_id,
    passport_id: null,
    created_at,
    updated_at: created_at,
    fields,
    history: [],
  };
}

/** A Passport as the gateway answers it. */
function passportOf(call, reference, before) {
  const version = (before?.version ?? 0) + 1;
  const entry = (agent_id, action, inputs_summary, outputs_summary, { value = 0.8, tool_calls = [] } = {}) => ({
    id: `${call.id}-${version}-${inputs_summary}-${action}`,
    timestamp: new Date().toISOString(),
    agent_id,
    action,
    inputs_summary,
    outputs_summary,
    duration_ms: 12,
    tokens_used: 0,
    cost_usd: 0,
    confidence: { value, evidence_count: 2, evidence_quality: value, historical_accuracy: 0.5, failure_modes: [], calibration_samples: 0 },
    tool_calls,
    notes: "",
  });
  const made = new Date().toISOString();
  return {
    id: call.item.passport_id,
    passport_id: call.item.passport_id,
    call_id: call.id,
    tenant_id: "0197-t",
    team_id: "front_desk",
    kind: "front_desk",
    status: "in_progress",
    version,
    title: "Help the caller with what they called about",
    mission: {
      objective: "Help the caller with what they called about",
      constraints: ["Emergencies go to 911 at once"],
      success_criteria: ["The caller's request is answered, filed or handed to a person"],
      sub_tasks: [...(before?.mission.sub_tasks ?? []), reference],
    },
    current_agent: "front_desk",
    routing: { next_agent: null, fallback_agent: null, escalation_required: false, escalation_reason: null, priority: "normal", deadline: null },
    overall_confidence: { value: 0.82, evidence_count: 3, evidence_quality: 0.9, historical_accuracy: 0.7, failure_modes: [], calibration_samples: 12 },
    context: {},
    fields: [],
    created_at: made,
    updated_at: made,
    ledger: [
      ...(before?.ledger ?? []),
      entry("front_desk/triage", "turn", "incident", "started"),
      entry("front_desk/incident_intake", "turn", "where", "noted", { value: 0.5 }),
      entry("front_desk/incident_intake", "turn", "incident", `filed; ${reference}`, { tool_calls: ["file_report"] }),
      entry("front_desk/librarian", "turn", "question", "answered; source street-lights.md"),
    ],
  };
}
