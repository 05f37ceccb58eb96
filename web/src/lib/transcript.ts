// What a conversation looks like on the page, and how stored messages become that.
// Pure: no state, no network. Ids are chosen so that a line shown live and the same
// line read back from history have the same id, and the page keeps its element.
import { fieldsOf, numberOf, stringOf, textOf } from './read';

export type SendState = 'sending' | 'sent' | 'waiting' | 'failed';

export interface UserItem {
  kind: 'user';
  id: string;
  runId: string | undefined;
  text: string;
  images: string[];
  at: number;
  state: SendState;
  error?: string;
  /** Its place in the transcript, once it has one. */
  entryId?: string;
}

export interface TextItem {
  kind: 'text';
  id: string;
  runId: string | undefined;
  text: string;
  at: number;
  streaming: boolean;
  /** How it ended, when not in the ordinary way. */
  ending?: 'aborted' | 'interrupted' | 'length';
  /** Its place in the transcript, once it has one. */
  entryId?: string;
}

export interface ThinkingItem {
  kind: 'thinking';
  id: string;
  runId: string | undefined;
  text: string;
  streaming: boolean;
}

export interface ToolItem {
  kind: 'tool';
  id: string;
  runId: string | undefined;
  name: string;
  args: Record<string, unknown>;
  output: string;
  images: string[];
  state: 'running' | 'done' | 'failed' | 'unanswered';
  startedAt: number | undefined;
  durationMs: number | undefined;
  exitCode: number | undefined;
}

export interface ErrorItem {
  kind: 'error';
  id: string;
  runId: string | undefined;
  text: string;
}

export interface NoteItem {
  kind: 'note';
  id: string;
  runId: string | undefined;
  text: string;
}

export type Item = UserItem | TextItem | ThinkingItem | ToolItem | ErrorItem | NoteItem;

const USER_KEY_SUFFIX = ':user';
const IMAGE_TYPES = /^image\/(png|jpeg|gif|webp)$/;
const MAX_IMAGE_CHARS = 12_000_000;

export const userId = (runId: string): string => `u:${runId}`;
export const textId = (runId: string, segment: number): string => `a:${runId}:${segment}`;
export const thinkingId = (runId: string, index: number): string => `k:${runId}:${index}`;
export const toolId = (toolCallId: string): string => `t:${toolCallId}`;
export const noteId = (runId: string): string => `n:${runId}`;
export const errorId = (runId: string): string => `e:${runId}`;

/** The run a user message started, from its `<runId>:user` key. */
export function runOfUserMessage(message: unknown): string | undefined {
  const fields = fieldsOf(message);
  const key = stringOf(fields.idempotencyKey) ?? stringOf(fieldsOf(fields.__openclaw).idempotencyKey);
  return key?.endsWith(USER_KEY_SUFFIX) ? key.slice(0, -USER_KEY_SUFFIX.length) : undefined;
}

/** The pictures of a content list as data URLs; anything else is left out. */
export function imagesOf(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  const images: string[] = [];
  for (const block of content) {
    const { type, data, mimeType } = fieldsOf(block);
    if (type !== 'image' || typeof data !== 'string' || typeof mimeType !== 'string') continue;
    if (!IMAGE_TYPES.test(mimeType) || data.length > MAX_IMAGE_CHARS || !/^[A-Za-z0-9+/=]*$/.test(data)) continue;
    images.push(`data:${mimeType};base64,${data}`);
  }
  return images;
}

/** A user line as the gateway stored or announced it. */
export function userItem(message: unknown, fallbackId: string): UserItem {
  const fields = fieldsOf(message);
  const runId = runOfUserMessage(message);
  const entryId = stringOf(fieldsOf(fields.__openclaw).id);
  return {
    ...(entryId ? { entryId } : {}),
    kind: 'user',
    id: runId ? userId(runId) : fallbackId,
    runId,
    text: textOf(fields.content),
    images: imagesOf(fields.content),
    at: numberOf(fields.timestamp) ?? 0,
    state: 'sent',
  };
}

/** Fills a card with what the tool answered so far or in the end. */
export function withToolOutput(tool: ToolItem, result: unknown): ToolItem {
  const { content, details } = fieldsOf(result);
  const facts = fieldsOf(details);
  return {
    ...tool,
    output: typeof result === 'string' ? result : textOf(content),
    images: imagesOf(content),
    exitCode: numberOf(facts.exitCode) ?? tool.exitCode,
    durationMs: numberOf(facts.durationMs) ?? tool.durationMs,
  };
}

export function newTool(toolCallId: string, runId: string | undefined, name: string): ToolItem {
  return {
    kind: 'tool',
    id: toolId(toolCallId),
    runId,
    name,
    args: {},
    output: '',
    images: [],
    state: 'running',
    startedAt: undefined,
    durationMs: undefined,
    exitCode: undefined,
  };
}

/** Turns a page of stored messages, oldest first, into what is shown. */
export function itemsFromHistory(messages: readonly unknown[], activeRuns: ReadonlySet<string>): Item[] {
  const reader = new HistoryReader(activeRuns);
  messages.forEach((message, index) => reader.read(message, index));
  return reader.items;
}

class HistoryReader {
  readonly items: Item[] = [];
  #used = new Set<string>();
  #tools = new Map<string, number>();
  #segments = new Map<string, number>();
  #thoughts = new Map<string, number>();
  #run: string | undefined;

  constructor(private readonly activeRuns: ReadonlySet<string>) {}

  read(message: unknown, index: number): void {
    const fields = fieldsOf(message);
    const meta = fieldsOf(fields.__openclaw);
    const place = stringOf(meta.id) ?? `${index}`;
    switch (fields.role) {
      case 'user':
        this.#readUser(message, place);
        break;
      case 'assistant':
        this.#readAssistant(fields, stringOf(meta.runId) ?? this.#run, place);
        break;
      case 'toolResult':
        this.#readToolResult(fields, place);
        break;
      case 'system':
        this.#push({ kind: 'note', id: `n:${place}`, runId: undefined, text: textOf(fields.content) });
        break;
      default:
        break;
    }
  }

  #push(item: Item): void {
    // A repeated id would break the list; a hostile or odd transcript must not.
    let id = item.id;
    for (let copy = 2; this.#used.has(id); copy += 1) id = `${item.id}~${copy}`;
    this.#used.add(id);
    this.items.push({ ...item, id });
  }

  #readUser(message: unknown, place: string): void {
    const item = userItem(message, `m:${place}`);
    this.#run = item.runId;
    this.#push(item);
  }

  #readAssistant(fields: Record<string, unknown>, runId: string | undefined, place: string): void {
    const scope = runId ?? place;
    const blocks = typeof fields.content === 'string' ? [{ type: 'text', text: fields.content }] : fields.content;
    const at = numberOf(fields.timestamp) ?? 0;
    for (const block of Array.isArray(blocks) ? blocks : []) {
      const part = fieldsOf(block);
      if (part.type === 'text') this.#text(stringOf(part.text) ?? '', { scope, runId, at, ending: endingOf(fields.stopReason), entryId: stringOf(fieldsOf(fields.__openclaw).id) });
      else if (part.type === 'thinking') this.#thinking(stringOf(part.thinking) ?? '', scope, runId);
      else if (part.type === 'toolCall') this.#toolCall(part, runId, at);
    }
    const problem = stringOf(fields.errorMessage);
    if (problem && fields.stopReason === 'error') this.#push({ kind: 'error', id: errorId(scope), runId, text: problem });
  }

  #text(text: string, from: { scope: string; runId: string | undefined; at: number; ending: TextItem['ending']; entryId: string | undefined }): void {
    if (!text.trim()) return;
    const segment = this.#segments.get(from.scope) ?? 0;
    this.#segments.set(from.scope, segment + 1);
    const item: TextItem = { kind: 'text', id: textId(from.scope, segment), runId: from.runId, text, at: from.at, streaming: false };
    if (from.ending) item.ending = from.ending;
    if (from.entryId) item.entryId = from.entryId;
    this.#push(item);
  }

  #thinking(text: string, scope: string, runId: string | undefined): void {
    if (!text.trim()) return;
    const index = this.#thoughts.get(scope) ?? 0;
    this.#thoughts.set(scope, index + 1);
    this.#push({ kind: 'thinking', id: thinkingId(scope, index), runId, text, streaming: false });
  }

  #toolCall(part: Record<string, unknown>, runId: string | undefined, at: number): void {
    const callId = stringOf(part.id);
    if (!callId) return;
    const running = runId !== undefined && this.activeRuns.has(runId);
    this.#tools.set(callId, this.items.length);
    this.#push({
      ...newTool(callId, runId, stringOf(part.name) ?? 'tool'),
      args: fieldsOf(part.arguments),
      state: running ? 'running' : 'unanswered',
      startedAt: at || undefined,
    });
  }

  #readToolResult(fields: Record<string, unknown>, place: string): void {
    const callId = stringOf(fields.toolCallId) ?? place;
    const name = stringOf(fields.toolName) ?? 'tool';
    const state = fields.isError === true ? 'failed' : 'done';
    const index = this.#tools.get(callId);
    const known = index === undefined ? undefined : this.items[index];
    if (index !== undefined && known?.kind === 'tool') this.items[index] = { ...withToolOutput(known, fields), state };
    else this.#push({ ...withToolOutput(newTool(callId, this.#run, name), fields), state });
  }
}

function endingOf(stopReason: unknown): TextItem['ending'] {
  if (stopReason === 'aborted') return 'aborted';
  return stopReason === 'length' ? 'length' : undefined;
}
