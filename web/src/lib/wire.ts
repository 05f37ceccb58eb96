// The words the gateway speaks, as far as this page uses them. Message shapes come
// from the Rust protocol crate (src/protocol, generated); what is not generated yet
// is declared here and nowhere else. Everything arriving is still treated as
// unknown until read: see `read.ts`.
import type { ApprovalDecision } from '../protocol/ApprovalDecision';
import type { AssistantBlock } from '../protocol/AssistantBlock';
import type { ToolResultMessage } from '../protocol/ToolResultMessage';
import type { Usage } from '../protocol/Usage';
import type { UserMessage } from '../protocol/UserMessage';
import type { StopReason } from '../protocol/StopReason';

export const PROTOCOL_MIN = 3;
export const PROTOCOL_MAX = 4;

export interface ErrorShape {
  code: string;
  message: string;
  details?: unknown;
  retryable?: boolean;
  retryAfterMs?: number;
}

export interface ResponseFrame {
  type: 'res';
  id: string;
  ok: boolean;
  payload?: unknown;
  error?: ErrorShape;
}

export interface EventFrame {
  type: 'event';
  event: string;
  payload?: unknown;
  seq?: number;
}

export interface SessionDefaultsSnapshot {
  defaultAgentId?: string;
  mainKey?: string;
  mainSessionKey?: string;
  modelConfigured?: boolean;
}

export interface HelloOk {
  type: 'hello-ok';
  protocol: number;
  server: { version: string; connId: string; buildId?: string; bootId?: string };
  features: { methods: string[]; events: string[]; capabilities?: string[] };
  snapshot: { uptimeMs?: number; sessionDefaults?: SessionDefaultsSnapshot };
  auth: { role: string; scopes: string[]; method?: string; deviceToken?: string };
  policy: { maxPayload: number; maxBufferedBytes: number; tickIntervalMs: number };
}

export interface MessageMeta {
  id?: string;
  seq?: number;
  runId?: string;
  kind?: string;
  truncated?: boolean;
}

/** What the gateway adds to a stored message when it shows it. */
interface Shown {
  __openclaw?: MessageMeta;
}

export interface AssistantWire {
  role: 'assistant';
  content: AssistantBlock[];
  timestamp?: number;
  provider?: string;
  model?: string;
  usage?: Usage;
  stopReason?: StopReason;
  errorMessage?: string;
}

export type WireMessage = Shown &
  (
    | ({ role: 'user' } & UserMessage)
    | AssistantWire
    | ({ role: 'toolResult' } & ToolResultMessage)
    | { role: 'system'; content: UserMessage['content']; timestamp?: number }
  );

export interface SessionDefaults {
  modelProvider?: string | null;
  model?: string | null;
  contextTokens?: number | null;
}

export interface SessionRow {
  key: string;
  kind?: string;
  agentId?: string;
  isMain?: boolean;
  label?: string | null;
  autoLabel?: string | null;
  displayName?: string | null;
  derivedTitle?: string | null;
  lastMessagePreview?: string | null;
  channel?: string | null;
  updatedAt?: number | null;
  pinned?: boolean;
  archived?: boolean;
  unread?: boolean;
  hasActiveRun?: boolean;
  activeRunIds?: string[] | null;
  totalTokens?: number | null;
  contextTokens?: number | null;
  modelProvider?: string | null;
  model?: string | null;
}

export interface SessionListPayload {
  count: number;
  totalCount?: number;
  hasMore?: boolean;
  defaults?: SessionDefaults;
  sessions: SessionRow[];
}

export interface ChatHistoryPayload {
  sessionKey: string;
  sessionId?: string;
  messages: WireMessage[];
  hasMore?: boolean;
  totalMessages?: number;
  defaults?: SessionDefaults;
  sessionInfo?: Partial<SessionRow>;
  inFlightRun?: { runId: string; text?: string };
}

export type ChatState = 'status' | 'delta' | 'final' | 'aborted' | 'error';

export interface ChatEvent {
  runId: string;
  sessionKey: string;
  seq?: number;
  state: ChatState;
  phase?: string;
  deltaText?: string;
  replace?: boolean;
  message?: { role?: string; content?: unknown; timestamp?: number };
  errorMessage?: string;
  errorKind?: string;
  stopReason?: string;
}

export interface AgentEvent {
  runId: string;
  sessionKey?: string;
  stream: string;
  ts?: number;
  data: Record<string, unknown>;
}

export interface SessionMessageEvent {
  sessionKey: string;
  message: WireMessage;
  messageId?: string;
}

export interface SessionsChangedEvent {
  sessionKey?: string;
  reason?: string;
  session?: SessionRow;
}

/** Parameters and results of every method this page calls. */
export interface Methods {
  'sessions.list': {
    params: { limit?: number; includeDerivedTitles?: boolean; includeLastMessage?: boolean };
    result: SessionListPayload;
  };
  'sessions.subscribe': { params: Record<string, never>; result: { subscribed: boolean } };
  'sessions.reset': { params: { key: string }; result: { ok: true; key: string } };
  'sessions.delete': { params: { key: string }; result: { ok: true; key: string; deleted?: boolean } };
  'sessions.patch': { params: { key: string; label: string | null }; result: { ok: true; key: string } };
  'chat.history': { params: { sessionKey: string; limit?: number }; result: ChatHistoryPayload };
  'chat.send': {
    params: { sessionKey: string; message: string; idempotencyKey: string };
    result: { runId: string; status: string };
  };
  'exec.approval.list': { params: Record<string, never>; result: unknown };
  'exec.approval.resolve': { params: { id: string; decision: ApprovalDecision }; result: { ok: true } };
  'plugin.approval.list': { params: Record<string, never>; result: unknown };
  'plugin.approval.resolve': { params: { id: string; decision: ApprovalDecision }; result: { ok: true } };
  'device.pair.list': { params: Record<string, never>; result: unknown };
  'device.pair.approve': { params: { requestId: string }; result: unknown };
  'device.pair.reject': { params: { requestId: string }; result: unknown };
  'chat.abort': {
    params: { sessionKey: string; runId?: string };
    result: { ok: true; aborted: boolean; runIds: string[] };
  };
}

export type MethodName = keyof Methods;
