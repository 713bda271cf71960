// Talks to the gateway. Every failure becomes an ApiError whose message a person can act on.

import type { Checked, Config } from "../model/config";
import { officeHeader, ofOffice } from "./office";
import type {
  AgentRecord,
  AuditEntry,
  AuditVerdict,
  CallItem,
  Campaign,
  DocumentHead,
  DocumentsKept,
  Effect,
  Judgements,
  KeptVersion,
  KnowledgeAnswer,
  KnowledgeDocument,
  LineFigures,
  Me,
  MadePasskey,
  MemorySuggestion,
  NewDocument,
  NewPasskeyOptions,
  OpenSession,
  Page,
  Passkey,
  PasskeyOptions,
  Passport,
  Peaks,
  PhoneGrant,
  Recording,
  RememberedCaller,
  RulesKept,
  RuleVerdict,
  SignedByPasskey,
  SignsIn,
  StoredIntervention,
  TeamItem,
  TeamTried,
  TenantRef,
  Token,
  TranscriptTurn,
  TurnLatency,
  Understanding,
  User,
  VersionDetail,
  Whisper,
  WorkFilter,
  WorkItem,
  WorkItemDetail,
} from "./types";

/** What the gateway said no with. `status` 0: nothing answered. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly action?: string,
    /** What the gateway says of the case, such as who holds a request. */
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** The message and, where the gateway gave one, what to do next. */
export function explain(error: unknown): string {
  if (error instanceof ApiError) return error.action ? `${sentence(error.message)} ${sentence(error.action)}` : sentence(error.message);
  return error instanceof Error ? error.message : String(error);
}

/** The gateway's messages are for programs too: a capital and a full stop make sentences of them. */
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".");

type Listener = () => void;
let onSignedOut: Listener = () => undefined;
/** Called when any request learns that the session is over. */
export function whenSignedOut(listener: Listener): void {
  onSignedOut = listener;
}

/** The answer to a request that the gateway did not refuse. */
async function answered(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    const headers = { accept: "application/json", ...officeHeader(), ...(init.headers as Record<string, string> | undefined) };
    response = await fetch(path, { credentials: "same-origin", ...init, headers });
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new ApiError(0, "UNREACHABLE", "The gateway does not answer.", "Check that it is running, then try again.");
  }
  if (response.status === 401) onSignedOut();
  if (!response.ok) throw await errorOf(response);
  return response;
}

async function request<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await answered(path, init);
  if (response.status === 204) return undefined as T;
  return (await response.json()) as T;
}

async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const text = (key: string): string | undefined => (typeof body[key] === "string" ? body[key] : undefined);
  return new ApiError(
    response.status,
    text("error_code") ?? `HTTP_${response.status}`,
    text("error_message") ?? `The gateway answered with status ${response.status}.`,
    text("suggested_action"),
    typeof body["error_details"] === "object" && body["error_details"] !== null ? (body["error_details"] as Record<string, unknown>) : {},
  );
}

const post = <T>(path: string, body?: unknown): Promise<T> =>
  request<T>(path, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify(body ?? {}),
  });

const put = <T>(path: string, body: unknown): Promise<T> =>
  request<T>(path, { method: "PUT", headers: { accept: "application/json", "content-type": "application/json" }, body: JSON.stringify(body) });

/** A list query's options; `signal` drops the answer when the asker is gone. */
interface Ask {
  signal?: AbortSignal;
}

/** What is set, as a query. */
export function queryOf(parameters: Record<string, string | null | undefined>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value) query.set(name, value);
  return query;
}

/** A tenant's document as it is, and its version. */
export interface KeptConfig<T> {
  document: T;
  version: string;
}

/** Reads a tenant's document, as an object or as TOML. */
async function configOf<T>(id: string, as: "json" | "toml"): Promise<KeptConfig<T>> {
  const response = await answered(`/v1/tenants/${encodeURIComponent(id)}/config`, { headers: { accept: `application/${as}` } });
  const document = (as === "json" ? await response.json() : await response.text()) as T;
  return { document, version: response.headers.get("etag") ?? "*" };
}

/** A document on its way to the gateway: TOML is text. */
const bodyOf = (document: object | string): RequestInit => ({
  headers: { accept: "application/json", "content-type": typeof document === "string" ? "application/toml" : "application/json" },
  body: typeof document === "string" ? document : JSON.stringify(document),
});

/** Last part of the address of what is done with a request. */
export type WorkRoute = "claim" | "assign" | "note" | "close" | "reopen";

/** Whose audit: that of the office that was chosen, or the platform's own. */
export type Whose = "office" | "platform";
const auditOf = (whose: Whose): RequestInit => (whose === "platform" ? { headers: { "x-tenant": "_platform" } } : {});

/** Where a recording is played from. */
export const recordingUrl = (id: string): string => ofOffice(`/v1/calls/${encodeURIComponent(id)}/recording`);

export const api = {
  me: (ask: Ask = {}) => request<Me>("/v1/me", ask),
  /** `then`: where a session that a provider outside began is ended there, too. */
  signOut: () => request<{ then: string } | undefined>("/sign-out", { method: "POST" }),
  waysToSignIn: (ask: Ask = {}) => request<{ openid: string | null; passkeys: string | null }>("/sign-in/ways", ask),
  passkeyOptions: () => post<PasskeyOptions>("/sign-in/passkey/options"),
  signInWithPasskey: (signed: SignedByPasskey) => post<void>("/sign-in/passkey", signed),
  newPasskeyOptions: () => post<NewPasskeyOptions>("/v1/me/passkeys/options"),
  addPasskey: (name: string, made: MadePasskey) => post<Passkey>("/v1/me/passkeys", { name, ...made }),
  renamePasskey: (id: string, name: string) =>
    request<void>(`/v1/me/passkeys/${encodeURIComponent(id)}`, { method: "PATCH", headers: { accept: "application/json", "content-type": "application/json" }, body: JSON.stringify({ name }) }),
  removePasskey: (id: string) => request<void>(`/v1/me/passkeys/${encodeURIComponent(id)}`, { method: "DELETE" }),
  calls: (filter: Record<string, string | null>, ask: Ask = {}) => request<Page<CallItem>>(`/v1/calls?${queryOf(filter)}`, ask),
  call: (id: string, ask: Ask = {}) => request<CallItem>(`/v1/calls/${encodeURIComponent(id)}`, ask),
  transcript: (id: string, ask: Ask = {}) =>
    request<{ turns: TranscriptTurn[]; interventions: StoredIntervention[] }>(`/v1/calls/${encodeURIComponent(id)}/transcript`, ask),
  latency: (id: string, ask: Ask = {}) =>
    request<{ turns: TurnLatency[] }>(`/v1/calls/${encodeURIComponent(id)}/latency`, ask),
  passport: (id: string, ask: Ask = {}) => request<Passport>(`/v1/calls/${encodeURIComponent(id)}/passport`, ask),
  workItems: (filter: WorkFilter, cursor: string | null, ask: Ask = {}) =>
    request<Page<WorkItem>>(`/v1/work-items?${queryOf({ limit: "200", ...filter, cursor })}`, ask),
  workItem: (id: string, ask: Ask = {}) => request<WorkItemDetail>(`/v1/work-items/${encodeURIComponent(id)}`, ask),
  actOnWorkItem: (id: string, act: WorkRoute, body: object) =>
    post<WorkItemDetail>(`/v1/work-items/${encodeURIComponent(id)}/${act}`, body),
  reveal: (id: string, token: string, reason: string) =>
    post<{ value: string }>(`/v1/work-items/${encodeURIComponent(id)}/reveal`, { token, reason }),
  /** The gateway calls the number of the person who asks, then connects the caller. */
  callBack: (id: string, from_phone: string) => post<unknown>(`/v1/work-items/${encodeURIComponent(id)}/call`, { from_phone }),
  openApi: (ask: Ask = {}) => request<{ paths: Record<string, unknown> }>("/openapi.json", ask),
  searchKnowledge: (query: string) => post<KnowledgeAnswer>("/v1/knowledge/search", { query, limit: 8 }),
  /** A document of a source that is there already takes its place. */
  putDocument: (document: NewDocument) => post<DocumentsKept>("/v1/knowledge/documents", document),
  documents: (cursor: string | null, ask: Ask = {}) =>
    request<Page<DocumentHead>>(`/v1/knowledge/documents?${queryOf({ limit: "100", cursor })}`, ask),
  document: (id: string, ask: Ask = {}) => request<KnowledgeDocument>(`/v1/knowledge/documents/${encodeURIComponent(id)}`, ask),
  deleteDocument: (id: string) => request<void>(`/v1/knowledge/documents/${encodeURIComponent(id)}`, { method: "DELETE" }),
  addTenant: (office: { name: string; slug: string }) => post<TenantRef>("/v1/tenants", office),
  config: (id: string) => configOf<Config>(id, "json"),
  configFile: (id: string) => configOf<string>(id, "toml"),
  checkConfig: (id: string, document: object | string) => request<Checked>(`/v1/tenants/${encodeURIComponent(id)}/config/check`, { method: "POST", ...bodyOf(document) }),
  /** `version`: of the document that this one is made from. Refused where somebody was quicker. */
  putConfig: (id: string, document: object | string, version: string) => {
    const { headers, body } = bodyOf(document);
    return request<{ version: string; changes: string[] }>(`/v1/tenants/${encodeURIComponent(id)}/config`, { method: "PUT", headers: { ...(headers as Record<string, string>), "if-match": version }, body: body ?? null });
  },
  configVersions: (id: string, ask: Ask = {}) => request<Page<KeptVersion>>(`/v1/tenants/${encodeURIComponent(id)}/config/versions?limit=200`, ask),
  configVersion: (id: string, number: number) => request<VersionDetail>(`/v1/tenants/${encodeURIComponent(id)}/config/versions/${number}`),
  rollBackConfig: (id: string, number: number) => post<{ kept_as: number | null }>(`/v1/tenants/${encodeURIComponent(id)}/config/versions/${number}/rollback`),
  teams: (ask: Ask = {}) => request<{ items: TeamItem[] }>("/v1/teams", ask),
  /** Its text, and the version that it is. */
  team: async (id: string) => {
    const { text, version } = await request<{ text: string; version: number }>(`/v1/teams/${encodeURIComponent(id)}`);
    return { id, text, version: String(version) };
  },
  checkTeam: (text: string) => post<Checked>("/v1/teams/check", { text }),
  tryTeams: (words: string, matter: string, draft: string | null) => post<TeamTried>("/v1/teams/try", draft === null ? { words, matter } : { words, matter, draft }),
  putTeam: (id: string, text: string, version: string) => {
    const { headers, body } = bodyOf(text);
    return request<unknown>(`/v1/teams/${encodeURIComponent(id)}`, { method: "PUT", headers: { ...(headers as Record<string, string>), "if-match": version }, body: body ?? null });
  },
  removeTeam: (id: string) => request<unknown>(`/v1/teams/${encodeURIComponent(id)}`, { method: "DELETE" }),
  teamVersions: (id: string, ask: Ask = {}) => request<Page<KeptVersion>>(`/v1/teams/${encodeURIComponent(id)}/versions?limit=200`, ask),
  rollBackTeam: (id: string, number: number) => post<unknown>(`/v1/teams/${encodeURIComponent(id)}/versions/${number}/rollback`),
  audit: (whose: Whose, filter: { action?: string; actor?: string; subject?: string }, cursor: string | null, ask: Ask = {}) =>
    request<Page<AuditEntry>>(`/v1/audit?${queryOf({ ...filter, limit: "50", cursor })}`, { ...ask, ...auditOf(whose) }),
  judgements: (id: string, ask: Ask = {}) => request<Judgements>(`/v1/calls/${encodeURIComponent(id)}/judgement`, ask),
  judgeCall: (id: string, right: boolean) => post<Judgements>(`/v1/calls/${encodeURIComponent(id)}/judgement`, { line_was_right: right }),
  autonomy: (ask: Ask = {}) => request<{ items: AgentRecord[] }>("/v1/autonomy", ask),
  effects: (state: string, cursor: string | null, ask: Ask = {}) => request<Page<Effect>>(`/v1/outbox?${queryOf({ state, limit: "50", cursor })}`, ask),
  decideEffect: (id: string, approve: boolean) => post<Effect>(`/v1/outbox/${encodeURIComponent(id)}/${approve ? "approve" : "reject"}`),
  campaigns: (cursor: string | null, ask: Ask = {}) => request<Page<Campaign>>(`/v1/campaigns?${queryOf({ limit: "50", cursor })}`, ask),
  addCampaign: (list: { purpose: string; numbers: readonly string[]; until: string; at_once: number; retries: number }) => post<Campaign>("/v1/campaigns", list),
  turnCampaign: (id: string, how: "pause" | "resume" | "cancel") => post<Campaign>(`/v1/campaigns/${encodeURIComponent(id)}/${how}`),
  suggestions: (cursor: string | null, ask: Ask = {}) => request<Page<MemorySuggestion>>(`/v1/memory/suggestions?${queryOf({ limit: "50", cursor })}`, ask),
  rememberedCaller: (id: string) => request<RememberedCaller>(`/v1/memory/contacts/${encodeURIComponent(id)}`),
  forgetCaller: (id: string) => request<unknown>(`/v1/memory/contacts/${encodeURIComponent(id)}`, { method: "DELETE" }),
  rules: (ask: Ask = {}) => request<RulesKept>("/v1/rules", ask),
  putRules: (text: string) => put<RulesKept>("/v1/rules", { text }),
  /** Whether an agent might say it. */
  checkRules: (text: string, language: string) => post<RuleVerdict>("/v1/rules/check", { kind: "words", text, language }),
  /** Of one tenant; null: of the platform. */
  usersOf: (tenant: string | null, ask: Ask = {}) => request<Page<User>>(`/v1/users?${queryOf({ tenant })}`, ask),
  addUser: (user: { login: string; name: string; role: string; tenant: string | null }) => post<User>("/v1/users", user),
  removeUser: (id: string, tenant: string | null) => request<void>(`/v1/users/${encodeURIComponent(id)}?${queryOf({ tenant })}`, { method: "DELETE" }),
  /** A link that signs a user in, once. */
  signInLink: (login: string) => post<{ url: string; expires_in_s: number }>("/v1/users/links", { login }),
  /** The same, and nothing else lets them in any more: their password, passkeys and sessions end. */
  resetSignIn: (login: string) => post<{ url: string; expires_in_s: number }>("/v1/users/links", { login, reset: true }),
  mySignIn: (ask: Ask = {}) => request<SignsIn>("/v1/me/sign-in", ask),
  setMyPassword: (old: string | null, fresh: string) => put<void>("/v1/me/password", { old, new: fresh }),
  mySessions: (ask: Ask = {}) => request<Page<OpenSession>>("/v1/me/sessions", ask),
  endMySession: (id: string) => request<void>(`/v1/me/sessions/${encodeURIComponent(id)}`, { method: "DELETE" }),
  endMyOtherSessions: () => request<void>("/v1/me/sessions", { method: "DELETE" }),
  tokensOf: (tenant: string | null, ask: Ask = {}) => request<Page<Token>>(`/v1/tokens?${queryOf({ tenant })}`, ask),
  addToken: (token: { name: string; role: string; days: number; tenant: string | null }) => post<Token & { secret: string }>("/v1/tokens", token),
  revokeToken: (id: string, tenant: string | null) => request<void>(`/v1/tokens/${encodeURIComponent(id)}?${queryOf({ tenant })}`, { method: "DELETE" }),
  verifyAudit: (whose: Whose) => request<AuditVerdict>("/v1/audit/verify", auditOf(whose)),
  overview: (from: string, ask: Ask = {}) => request<LineFigures>(`/v1/overview?${queryOf({ from })}`, ask),
  /** Why a call may not be listened to: asked as a page, the socket's address says so. */
  listening: (id: string) => request<unknown>(`/v1/calls/${encodeURIComponent(id)}/listen`),
  takeOver: (id: string) => post<{ speak: string }>(`/v1/calls/${encodeURIComponent(id)}/takeover`),
  /** Asks whoever has the call for it; takes it if nobody has. */
  askForCall: (id: string) => post<{ asked?: string; speak?: string }>(`/v1/calls/${encodeURIComponent(id)}/takeover`, { ask: true }),
  /** Mu-law at 8 kHz, half a minute at most; gives its words. */
  dictate: (id: string, sound: Uint8Array<ArrayBuffer>) =>
    request<{ text: string }>(`/v1/calls/${encodeURIComponent(id)}/dictation`, { method: "POST", headers: { "content-type": "audio/basic" }, body: sound }),
  handOver: (id: string, to: string) => post<unknown>(`/v1/calls/${encodeURIComponent(id)}/handover`, { to }),
  giveBack: (id: string, note: string) => post<unknown>(`/v1/calls/${encodeURIComponent(id)}/release`, note ? { note } : {}),
  recording: (id: string, ask: Ask = {}) =>
    request<{ recording: Recording | null; peaks: Peaks | null; paused: boolean | null; paused_by: string | null }>(`/v1/calls/${encodeURIComponent(id)}/recording?format=json`, ask),
  /** Silence on both sides from here on, or sound again. */
  pauseRecording: (id: string, paused: boolean) => post<unknown>(`/v1/calls/${encodeURIComponent(id)}/recording/${paused ? "pause" : "resume"}`),
  whisper: (id: string, word: Whisper) => post<unknown>(`/v1/calls/${encodeURIComponent(id)}/whisper`, word),
  answer: (id: string, question_id: number, text: string) => post<unknown>(`/v1/calls/${encodeURIComponent(id)}/answer`, { question_id, text }),
  hangUp: (id: string) => post<unknown>(`/v1/calls/${encodeURIComponent(id)}/hangup`),
  understand: (text: string, asked: string | null) => post<Understanding>("/v1/understand", { text, asked }),
  phone: (to: string) => post<PhoneGrant>("/v1/phone", { to }),
};
