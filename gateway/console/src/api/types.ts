// Shapes on the wire, as the outer contract spells them.

export type Speaker = "caller" | "agent" | "supervisor";
export type Attention = "none" | "watch" | "urgent";
export type SegmentKind = "reply" | "notice" | "consent" | "filler" | "prompt";

/** A list answer. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** Who is signed in, and what they may call. */
export interface Me {
  subject: string;
  roles: string[];
  tenant: TenantRef | null;
  tenants: TenantRef[];
  lines: LineRef[];
  mode?: "demo" | "carrier";
  /** Address by which carriers reach the gateway. */
  public_url?: string;
  version?: string;
}
export interface TenantRef {
  id: string;
  slug: string;
  name: string;
}
export interface LineRef {
  number: string;
  name: string;
  languages: string[];
}

/** A list of numbers that the agent calls. No number is told. */
export interface Campaign {
  id: string;
  purpose: "callback" | "request" | "appointment";
  line: string;
  language: string;
  /** Who had it called. */
  by: string;
  state: "running" | "paused" | "canceled" | "ended";
  from: string;
  until: string;
  at_once: number;
  retries: number;
  /** Why none of its calls begins now. */
  waits: string | null;
  created_at: string;
  ended_at: string | null;
  numbers: number;
  waiting: number;
  calling: number;
  /** Those that are done with, by what came of them. */
  results: Record<string, number>;
  waiting_for: Record<string, number>;
}

/** One call in `GET /v1/calls`. */
export interface CallItem {
  id: string;
  carrier_sid: string | null;
  line: string;
  from: string | null;
  direction: string;
  state: "live" | "ended";
  started_at: string;
  ended_at: string | null;
  end_reason?: string | null;
  passport_id: string | null;
  language: string;
  turns: number;
  cost_usd: number;
  attention: Attention;
  /** What raised it so high. */
  attention_reason?: string | null;
  /** The person who has the call; the agent has it where there is none. */
  controlled_by?: Holder | null;
  /** How many people listen. */
  listeners?: number;
  /** The caller waits in line for a person. */
  in_line?: { target: string; place: number } | null;
}
/** A person who has a call. */
export interface Holder {
  /** Login, or the name of a token. */
  by: string;
  role: string;
  since: string;
}
/** What a person tells the agent: an instruction, a line to say word for word, or that instructions hold no more. */
export type Whisper = { text: string; until: "next" | "withdrawn" } | { say: string } | { withdraw: true };

export interface TranscriptTurn {
  turn: number;
  speaker: Speaker;
  /** Which person of the office, where one spoke. */
  by?: string | null;
  text: string;
  started_at: string;
  ended_at: string | null;
  interrupted: boolean;
  heard_text?: string | null;
  confidence?: number | null;
}

/** Where the guard or a rule stepped in, as a transcript tells it. */
export type StoredIntervention = { id: string; turn: number; at: string } & (
  | { by: "guard"; kind: string; severity: string }
  | { by: "rule"; rule: string; action: string; applies_to: string }
);

export interface StageTime {
  stage: string;
  ms: number;
}
export interface TurnLatency {
  turn: number;
  total_ms: number;
  stages: StageTime[];
  unattributed_ms: number;
  filler: boolean;
  speculative: boolean;
  judged_complete?: boolean;
}

/** A named value of a work item; personal data is a token such as `⟨address:1⟩`. */
export interface Field {
  name: string;
  value: unknown;
}
/** What a caller left to be done. */
export interface WorkItem {
  id: string;
  reference: string;
  kind: string;
  title: string;
  status: WorkState;
  priority: string;
  /** Login of whoever has it, or closed it. */
  assignee: string | null;
  due_at: string;
  overdue: boolean;
  /** Alarms that were raised since nobody has it. */
  alarms: number;
  call_id: string | null;
  passport_id: string | null;
  created_at: string;
  updated_at: string;
  fields: Field[];
}

export type WorkState = "open" | "in_progress" | "done" | "declined" | "cancelled";

/** One entry of a request's history. */
export interface WorkAct {
  id: string;
  at: string;
  /** Login, or the name of a token. */
  actor: string;
  act: string;
  /** Who has it from here on. */
  assignee: string | null;
  /** A note, or what came of it. */
  note: string | null;
  reason: string | null;
  /** Of a closing: whether the line was right. */
  line_was_right?: boolean | null;
}

export interface WorkItemDetail extends WorkItem {
  /** Oldest first. */
  history: WorkAct[];
}

/** Which requests to list; what is left out is not asked for. */
export interface WorkFilter {
  state?: WorkState;
  kind?: string;
  assignee?: "me";
  q?: string;
}

/** Somebody who can sign in. */
export interface User {
  id: string;
  login: string;
  name: string;
  role: string;
}

/** Something for another system. */
export interface Effect {
  id: string;
  destination: string;
  tool: string;
  state: "held" | "pending" | "sent" | "failed" | "rejected";
  call_id: string | null;
  payload: unknown;
  problem: string | null;
  decided_by: string | null;
  created_at: string;
}

/** What an agent would remember of a caller, and what the memory manager made of it. */
export interface MemorySuggestion {
  id: string;
  call_id: string | null;
  agent_id: string;
  key: string;
  value: unknown;
  confidence: number;
  created_at: string;
  decision: { contact_id: string | null; verdict: string; reason: string } | null;
}
export interface RememberedCaller {
  id: string;
  opt_out: boolean;
  memories: { key: string; value: unknown }[];
}

export interface Rule {
  id: string;
  name: string;
  category: string;
  description: string;
  citation: string;
  applies_to: "words" | "reply" | "tool";
  tier: "platform" | "tenant";
  action: "BLOCK" | "REQUIRE_HUMAN" | "WARN";
}
export interface RulesKept {
  tenant_text: string;
  shipped: { name: string; text: string }[];
  rules: Rule[];
}
export interface RuleVerdict {
  permitted: boolean;
  meaning_read: boolean;
  violations: { rule_id: string; rule_name: string; reason: string; replacement: string | null }[];
}

/** A document as it is posted. */
export interface NewDocument {
  source: string;
  title: string;
  /** Text; a file that is no text in base64. */
  content: string;
  media_type?: string;
}
export interface DocumentsKept {
  ids: string[];
  /** Documents with something in them that was not meant for their readers. */
  notes?: { source: string; hidden: number; threats: number }[];
}
export interface DocumentHead {
  id: string;
  source: string;
  title: string;
  media_type?: string;
  updated_at?: string;
  passages?: number;
}
export interface KnowledgeDocument extends DocumentHead {
  content: string;
}
/** What a question finds. */
export interface KnowledgeAnswer {
  results: { content: string; source: string; relevance_score: number; rank: number; metadata: { title?: string; heading?: string | null } }[];
  /** The best sentences, each with the number of its result; none where nothing says enough. */
  synthesis: string | null;
}

/** What is read of the gateway's own figures. */
export interface LineFigures {
  /** IANA name of the zone whose hours and days are counted. */
  timezone: string;
  /** Only the newest were counted. */
  truncated: boolean;
  calls: {
    total: number;
    live: number;
    ended: number;
    silent: number;
    refused: number;
    contained: number;
    cost_usd: number;
    mean_seconds: number | null;
    by_outcome: Record<string, number>;
    by_language: Record<string, number>;
    by_hour: number[];
  };
  /** From the caller's last word to the reply's first sound. */
  response: { turns: number; p50_ms: number | null; p95_ms: number | null };
  requests: { by_kind: Record<string, number>; open: number; overdue: number };
  questions: {
    answered: number;
    unanswered: number;
    topics: { source: string; times: number }[];
    without_a_page: UnansweredQuestion[];
  };
  /** Every hour or day of the span, oldest first. */
  series: { at: string; calls: number; cost_usd: number; spoken: number; contained: number; p50_ms: number | null; p95_ms: number | null }[];
}

/** A question that no page answered, in tokens. */
export interface UnansweredQuestion {
  call_id: string;
  turn: number;
  at: string;
  text: string | null;
}

/** What the line takes words for. Places count characters of the text. */
export interface Understanding {
  wants: { route: string; score: number }[];
  parts: { route: string; score: number; start: number; end: number }[];
  act: string;
  act_score: number;
  emergency: { yes: boolean; ask: boolean; kind?: string; score: number };
  slots: { name: string; value: string; start: number; end: number; score: number }[];
  language: string;
  nearest: { route: string; text: string; likeness: number }[];
}

/** What is read of a Passport. The document carries more: the viewer shows it verbatim. */
export interface Passport {
  passport_id?: string;
  status?: string;
  version?: number;
  kind?: string | null;
  title?: string | null;
  mission?: { objective?: string; sub_tasks?: string[] };
  routing?: { escalation_required?: boolean; escalation_reason?: string | null; priority?: string; deadline?: string | null };
  current_agent?: string | null;
  overall_confidence?: Confidence;
  updated_at?: string;
  ledger?: LedgerEntry[];
  [more: string]: unknown;
}
export interface Confidence {
  value: number;
  evidence_count: number;
  evidence_quality: number;
  historical_accuracy: number;
  calibration_samples: number;
  failure_modes: string[];
}
export interface LedgerEntry {
  id?: string;
  timestamp?: string;
  agent_id?: string;
  action?: string;
  inputs_summary?: string;
  outputs_summary?: string;
  duration_ms?: number;
  confidence?: { value: number } | number;
  tool_calls?: string[];
  notes?: string;
}

/** Answer of `POST /v1/phone`. */
export interface PhoneGrant {
  stream_url: string;
  parameters: Record<string, string>;
  call_id: string;
  call_sid: string;
  account_sid: string;
  stream_sid: string;
}

export type ControlReason = "taken_over" | "speaking" | "released" | "lost" | "fault" | "refused" | "held" | "held_no_more";

/** What is known of a call's recording. */
export interface Recording {
  state: "live" | "captured" | "kept" | "deleted";
  duration_ms: number;
  lost_frames: number;
  wanted_gone: boolean;
  delete_reason: string | null;
}
/** How loud it is when: one value of 0 to 255 each `peak_ms`. */
export interface Peaks {
  /** The call's time at its beginning. */
  starts_ms: number;
  duration_ms: number;
  peak_ms: number;
  caller: number[];
  agent: number[];
}

interface EventHead {
  version: number;
  event_id: string;
  call_id: string;
  at: string;
}
/** What a turn's reply came to in the caller's ear. */
export interface Heard {
  turn: number;
  text: string;
  complete: boolean;
  estimated: boolean;
}

/** Body of each event, by the name it has on the wire. */
export interface EventBodies {
  "call.started": { line: string; from: string | null; direction: string; language: string; carrier_sid: string };
  "call.turn.interim": { turn: number; speaker: Speaker; text: string };
  "call.turn.final": { turn: number; speaker: Speaker; text: string; by?: string };
  "call.reply.segment": { turn: number; segment: number; speaker: Speaker; text: string; segment_kind: SegmentKind };
  "call.reply.heard": { turn: number; state: "heard" | "partly_heard" | "dropped"; heard_text: string; estimated: boolean };
  "call.interrupted": { turn: number; heard: Heard };
  "call.dtmf": { turn: number; digits: string };
  "call.tool": { turn: number; tool: string; ok: boolean };
  /** No word of what was said is in it. */
  "call.guard": { turn: number; channel: string; kind: string; severity: string };
  "call.rule": { turn: number; rule: string; category: string; action: string; applies_to: string };
  "call.provider": { provider: string; state: string; reason: string };
  "call.cost": { turn: number; turn_usd: number; call_usd: number; wasted_usd: number; wasted_tokens: number };
  "call.language": { turn: number; language: string };
  "call.attention": { level: Attention; reason: string };
  /** Who has the call from now on, and by whose act. */
  "call.control": { holder: "agent" | "person"; by: string; reason: ControlReason };
  "call.question_asked": { question_id: number; text: string; within_s: number };
  "call.question_closed": { question_id: number; by: string | null };
  /** Where the caller stands who waits in line for a person, until they are held no more. */
  "call.in_line": { target: string; place: number };
  "call.control_asked": { by: string; of: string; until: string };
  "supervisor.whispered": { by: string; text: string; until: string };
  "call.latency": { latency: TurnLatency };
  /** From here on the call may be listened to and recorded, or may not. */
  "call.consent": { turn: number; consented: "told" | "agreed" | "refused" | "withdrawn" };
  /** The recording is silent from here on, or no more. */
  "call.recording": { paused: boolean; by: string };
  /** How it stands with notes of what the caller and the person who took the call say. */
  "call.notes": { turn: number; state: "told" | "refused" | "no_room" | "began" | "withdrawn" | "ended" | "lost"; with: string };
  "call.ended": { reason: string; duration_ms: number };
  "passport.updated": { passport_id: string; version: number; status: string };
  "escalation.updated": { escalation_id: string; status: string };
}
/** What both events of a request tell: that something is new, and nothing personal. */
export interface WorkNews {
  version: number;
  event_id: string;
  /** The call that left it, where one did. */
  call_id: string | null;
  at: string;
  work_item_id: string;
  reference: string;
  kind: string;
  priority: string;
  status: WorkState;
  alarms: number;
  /** Of an alarm: since when nobody has it. */
  waiting_since?: string;
}
export type WorkEvent = { name: "work_item.updated" | "work_item.alarm"; data: WorkNews };

export type EventName = keyof EventBodies;
/** One event with its name beside the JSON that came with it. */
export type CallEvent = { [N in EventName]: { name: N; data: EventHead & EventBodies[N] } }[EventName];
/** Whatever the feed brings. */
export type FeedEvent = CallEvent | WorkEvent;

/** One entry of the audit: who did what to what. No personal text. */
export interface AuditEntry {
  seq: number;
  id: string;
  at: string;
  actor: { kind: string; id: string };
  action: string;
  subject: { kind: string; id: string };
  outcome: string;
  details: Record<string, unknown>;
}
/** Whether the audit is as it was written. */
export interface AuditVerdict {
  whole: boolean;
  entries?: number;
  head?: string | null;
  broken?: { seq: number; problem: string };
}

/** An agent's record, of what people decided, and the level of autonomy that it has earned. */
export interface AgentRecord {
  agent_id: string;
  level: number;
  acts_on: number;
  metrics: { completed_tasks: number; accuracy_rate: number; escalation_rate: number; confidence_calibration: number };
  history: { from_level: number; to_level: number; reason: string; changed_at: string }[];
}

/** A program's token. Its secret is in the answer that made it and nowhere else. */
export interface Token {
  id: string;
  name: string;
  role: string;
  expires_at: string | null;
  revoked_at: string | null;
}

/** What people held of a call, oldest first: the last word counts. */
export interface Judgements {
  call_id: string;
  items: { at: string; actor: string; line_was_right: boolean }[];
}

/** What somebody signs in with. */
export interface SignsIn {
  login: string;
  password_set_at: string | null;
  may_set_password: boolean;
  needs_old_password: boolean;
  passkeys: readonly Passkey[];
  /** Within some minutes of signing in. */
  may_add_passkey: boolean;
}

export interface Passkey {
  id: string;
  name: string;
  created_at: string;
  used_at: string | null;
}

/** What a device is asked to make; bytes in base64url. */
export interface NewPasskeyOptions {
  challenge: string;
  rp_id: string;
  rp_name: string;
  user_id: string;
  user_name: string;
  user_display_name: string;
  algorithms: readonly number[];
  exclude: readonly string[];
  timeout_ms: number;
}

export interface MadePasskey {
  client_data: string;
  attestation: string;
}

/** What a device is asked to sign. */
export interface PasskeyOptions {
  challenge: string;
  rp_id: string;
  timeout_ms: number;
}

export interface SignedByPasskey {
  id: string;
  client_data: string;
  authenticator_data: string;
  signature: string;
  user_handle: string | null;
}

export interface OpenSession {
  id: string;
  begun_by: "link" | "token" | "password" | "openid" | "passkey";
  created_at: string;
  seen_at: string;
  expires_at: string;
  is_this: boolean;
}

/** A version of a tenant's document. */
export interface KeptVersion {
  number: number;
  made_at: string;
  actor: string;
  changes: string[];
  /** It was taken away with this version. */
  is_gone: boolean;
}

/** What going back to it would change. */
export interface VersionDetail extends KeptVersion {
  differences: string[];
}

/** A team in the list. */
export interface TeamItem {
  id: string;
  name: string;
  purpose: string;
  /** With the gateway; the office's version of one of those; the office's alone. */
  source: "shipped" | "changed" | "own";
  version: number;
  specialists: { id: string; does: string }[];
  examples: number;
}

/** Who would work what a caller tells. */
export interface TeamTried {
  destination: "team" | "person" | "nobody";
  team: string | null;
  team_name: string | null;
  specialist: string | null;
  does: string | null;
  confidence: number;
  reason: string | null;
  nearest: { route: string; text: string; likeness: number }[];
}
