// The words the gateway speaks. Every shape of a method or an event comes from the Rust
// types (`../protocol`, made by a test); here are only the frames around them. What
// arrives is still treated as unknown until read: see `read.ts`.
import type * as protocol from '../../protocol';

export type * from '../../protocol';

/** Every field of every case of a union, each possibly absent: what can be asked of something not yet told apart. */
type Keys<T> = T extends T ? keyof T : never;
type Value<T, K extends PropertyKey> = T extends Partial<Record<K, infer V>> ? V : never;
export type Any<T> = { [K in Keys<T>]?: Value<T, K> | undefined };

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

/** As a newer gateway may write it: any case, with a snapshot of any shape. */
export type ChatEvent = Omit<Any<protocol.ChatEvent>, 'message'> & Pick<protocol.ChatEvent, 'runId' | 'sessionKey'> & { message?: { content?: unknown } | null | undefined; replace?: boolean };
export type AgentEvent = Any<Omit<protocol.AgentEvent, 'data' | 'stream'>> & { runId: string; stream: string; data: Record<string, unknown> };
export type SessionMessageEvent = { sessionKey: string; message: unknown; messageId?: string };
export type SessionRow = Any<protocol.SessionRow> & { key: string };
export type SessionDefaults = Any<protocol.SessionDefaults>;
export type ChatHistoryResult = Any<Omit<protocol.ChatHistoryResult, 'sessionInfo' | 'defaults'>> & { sessionInfo?: Any<protocol.SessionRow>; defaults?: SessionDefaults };
export type MethodName = keyof protocol.Methods;
