// What a conversation looks like on the page, and how stored messages become that.
// Pure: no state, no network. Ids are chosen so that a line shown live and the same
// line read back from history have the same id, and the page keeps its element.
import { fieldsOf, numberOf, plainName, stringOf, textOf } from '../read';
import { strings } from '../strings';
import { words } from '../../words/conversation';

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
  /** What came with it and is no picture. */
  files?: readonly FileFact[];
  /** Who wrote it, when it came through a channel. */
  sender?: string;
  /** Nobody wrote it: something happened, a reminder was due. */
  event?: boolean;
  messageId?: string;
  /** Whether the gateway left out the end of it. */
  truncated?: boolean;
}

/** A file that is named, not shown. */
export interface FileFact {
  name: string;
  mimeType: string;
  bytes: number | undefined;
  /** What it holds, as an address to save it from. */
  source?: string;
  /** Where the gateway keeps it. */
  kept?: string;
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
  /** Which model said it; absent for lines of the gateway. */
  model?: string;
  messageId?: string;
  /** Whether the gateway left out the end of it. */
  truncated?: boolean;
}

export interface ThinkingItem {
  kind: 'thinking';
  id: string;
  runId: string | undefined;
  text: string;
  streaming: boolean;
  /** When it began and how long it took, where this page saw it happen. */
  startedAt?: number;
  durationMs?: number;
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
  /** What an edit changed, as the tool says: a unified diff. */
  diff?: string;
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

/** Where everything above was replaced by a summary for the model. */
export interface CompactionItem {
  kind: 'compaction';
  id: string;
  runId: undefined;
  text: string;
  at: number;
  tokens: number | undefined;
}

export type Item = UserItem | TextItem | ThinkingItem | ToolItem | ErrorItem | NoteItem | CompactionItem;

const USER_KEY_SUFFIX = ':user';
const STEER_KEY_SUFFIX = ':steer';
/** Under this provider the gateway writes lines of its own. */
const GATEWAY_PROVIDER = 'openclaw';
/** How the gateway names a file that came through a channel: on a line of its own, before the words. */
const MEDIA_LINE = /^\[media attached(?: \d+\/\d+)?: ([^\]]*)\]$/;
/** How the gateway begins what it tells a conversation by itself, with the moment. */
const EVENT_LINE = /^System: \[\d{4}-\d\d-\d\dT[^\]\s]*\] /;
/** What the gateway puts before a file's own name. */
const HASH = /^[0-9a-f]{12,64}-+/;
/** The same where the file had no name: what is left says what it is. */
const HASH_ALONE = /^[0-9a-f]{12,64}(?=\.)/;
const MEDIA_COUNT = /^\d+ files$/;
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
  const suffix = [USER_KEY_SUFFIX, STEER_KEY_SUFFIX].find((end) => key?.endsWith(end));
  return suffix === undefined ? undefined : key?.slice(0, -suffix.length);
}

/** Whether a message was said into a run under way: the answers stay that run's. */
function isSteered(fields: Record<string, unknown>): boolean {
  return stringOf(fields.idempotencyKey)?.endsWith(STEER_KEY_SUFFIX) === true;
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

/** The documents of a content list, by name and size. */
function filesOf(content: unknown): FileFact[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => {
    const { type, data, mimeType, name } = fieldsOf(block);
    if (type !== 'document') return [];
    const mime = stringOf(mimeType) ?? '';
    const held = typeof data === 'string' && /^[A-Za-z0-9+/=]*$/.test(data) && data.length < MAX_IMAGE_CHARS ? data : undefined;
    // Saved, never opened as a page: whatever it claims to be.
    const source = held === undefined ? {} : { source: `data:application/octet-stream;base64,${held}` };
    return [{ name: plainName(stringOf(name) ?? mime), mimeType: mime, bytes: held === undefined ? undefined : Math.floor((held.length * 3) / 4), ...source }];
  });
}

/** Takes the lines that name files off the beginning of a text. */
function withoutMediaLines(text: string): { text: string; files: FileFact[] } {
  if (!text.startsWith('[media attached')) return { text, files: [] };
  const lines = text.split('\n');
  const files: FileFact[] = [];
  let taken = 0;
  for (const line of lines) {
    const about = MEDIA_LINE.exec(line)?.[1];
    if (about === undefined) break;
    taken += 1;
    if (MEDIA_COUNT.test(about)) continue;
    const [, path = about, mimeType = ''] = /^(.*?)(?: \(([^()]*)\))?(?: \| .*)?$/.exec(about) ?? [];
    const name = path.split(/[\\/]/).at(-1) || path;
    files.push({ name: plainName(name.replace(HASH, '').replace(HASH_ALONE, words.file)), mimeType, bytes: undefined, kept: path });
  }
  return { text: lines.slice(taken).join('\n'), files };
}

/** A user line as the gateway stored or announced it. */
export function userItem(message: unknown, fallbackId: string): UserItem {
  const fields = fieldsOf(message);
  const runId = runOfUserMessage(message);
  const meta = fieldsOf(fields.__openclaw);
  const whole = textOf(fields.content);
  const event = EVENT_LINE.test(whole);
  const said = withoutMediaLines(event ? whole.replace(EVENT_LINE, '') : whole);
  const files = [...said.files, ...filesOf(fields.content)];
  const sender = stringOf(meta.senderLabel);
  const messageId = stringOf(meta.id);
  return {
    kind: 'user',
    id: runId ? userId(runId) : fallbackId,
    runId,
    text: said.text,
    images: imagesOf(fields.content),
    at: numberOf(fields.timestamp) ?? 0,
    state: 'sent',
    ...(files.length > 0 ? { files } : {}),
    ...(event ? { event } : {}),
    ...(sender ? { sender: plainName(sender) } : {}),
    ...(messageId && !isAside(meta) ? { messageId } : {}),
    ...(meta.truncated === true ? { truncated: true } : {}),
  };
}

/** Fills a card with what the tool answered so far or in the end. */
export function withToolOutput(tool: ToolItem, result: unknown): ToolItem {
  const { content, details } = fieldsOf(result);
  const facts = fieldsOf(details);
  const diff = stringOf(facts.diff) ?? tool.diff;
  return {
    ...tool,
    output: typeof result === 'string' ? result : textOf(content),
    images: imagesOf(content),
    exitCode: numberOf(facts.exitCode) ?? tool.exitCode,
    durationMs: numberOf(facts.durationMs) ?? tool.durationMs,
    ...(diff ? { diff } : {}),
  };
}

export function newTool(toolCallId: string, runId: string | undefined, name: string): ToolItem {
  return { kind: 'tool', id: toolId(toolCallId), runId, name: plainName(name), args: {}, output: '', images: [], state: 'running', startedAt: undefined, durationMs: undefined, exitCode: undefined };
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
        this.#readSystem(fields, meta, place);
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
    const fields = fieldsOf(message);
    if (!isSteered(fields) && !isAside(fieldsOf(fields.__openclaw))) this.#run = item.runId;
    this.#push(item);
  }

  #readSystem(fields: Record<string, unknown>, meta: Record<string, unknown>, place: string): void {
    const text = textOf(fields.content);
    if (meta.kind !== 'compaction') this.#push({ kind: 'note', id: `n:${place}`, runId: undefined, text });
    else this.#push({ kind: 'compaction', id: `p:${place}`, runId: undefined, text, at: numberOf(fields.timestamp) ?? 0, tokens: numberOf(meta.tokensBefore) });
  }

  #readAssistant(fields: Record<string, unknown>, runId: string | undefined, place: string): void {
    const scope = runId ?? place;
    const from: Said = { scope, runId, at: numberOf(fields.timestamp) ?? 0, ending: endingOf(fields), fields };
    const blocks = typeof fields.content === 'string' ? [{ type: 'text', text: fields.content }] : fields.content;
    for (const block of Array.isArray(blocks) ? blocks : []) {
      const part = fieldsOf(block);
      if (part.type === 'text') this.#text(stringOf(part.text) ?? '', from);
      else if (part.type === 'thinking') this.#thinking(stringOf(part.thinking) ?? '', scope, runId);
      else if (part.type === 'toolCall') this.#toolCall(part, runId, from.at);
    }
    const problem = stringOf(fields.errorMessage);
    if (problem && fields.stopReason === 'error') this.#push({ kind: 'error', id: errorId(scope), runId, text: problem });
    // Nothing had been said: that it was interrupted is all there is to show.
    else if (from.ending === 'interrupted' && textOf(fields.content) === '') this.#push({ kind: 'note', id: noteId(scope), runId, text: strings.interrupted });
  }

  #text(text: string, from: Said): void {
    if (!text.trim()) return;
    const segment = this.#segments.get(from.scope) ?? 0;
    this.#segments.set(from.scope, segment + 1);
    const item: TextItem = { kind: 'text', id: textId(from.scope, segment), runId: from.runId, text, at: from.at, streaming: false };
    if (from.ending) item.ending = from.ending;
    const meta = fieldsOf(from.fields.__openclaw);
    const [model, messageId] = [stringOf(from.fields.model), stringOf(meta.id)];
    if (model && from.fields.provider !== GATEWAY_PROVIDER) item.model = model;
    if (messageId && !isAside(meta)) item.messageId = messageId;
    if (meta.truncated === true) item.truncated = true;
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
    this.#push({ ...newTool(callId, runId, stringOf(part.name) ?? 'tool'), args: fieldsOf(part.arguments), state: running ? 'running' : 'unanswered', startedAt: at || undefined });
  }

  #readToolResult(fields: Record<string, unknown>, place: string): void {
    const callId = stringOf(fields.toolCallId) ?? place;
    const name = stringOf(fields.toolName) ?? 'tool';
    const state = fields.isError === true ? 'failed' : 'done';
    const index = this.#tools.get(callId);
    const known = index === undefined ? undefined : this.items[index];
    if (index !== undefined && known?.kind === 'tool') this.items[index] = { ...withToolOutput(timed(known, fields), fields), state };
    else this.#push({ ...withToolOutput(newTool(callId, this.#run, name), fields), state });
  }
}

/** Where a piece of an answer comes from. */
interface Said {
  scope: string;
  runId: string | undefined;
  at: number;
  ending: TextItem['ending'];
  fields: Record<string, unknown>;
}

/** How long a call took by the clock of the transcript; the tool's own measure is better where there is one. */
function timed(tool: ToolItem, result: Record<string, unknown>): ToolItem {
  const end = numberOf(result.timestamp);
  if (end === undefined || tool.startedAt === undefined || end < tool.startedAt) return tool;
  return { ...tool, durationMs: end - tool.startedAt };
}

function endingOf({ stopReason, errorMessage }: Record<string, unknown>): TextItem['ending'] {
  if (stopReason === 'aborted') return stringOf(errorMessage)?.startsWith('interrupted') ? 'interrupted' : 'aborted';
  return stopReason === 'length' ? 'length' : undefined;
}

/** A command or its answer: nothing of the conversation hangs on it. */
function isAside(meta: Record<string, unknown>): boolean {
  return meta.kind === 'aside';
}

/** Whether a run ended here otherwise than it should: it failed, was stopped or was cut off. */
export function isCutOff(item: Item): boolean {
  return item.kind === 'error' || (item.kind === 'text' && item.ending !== undefined) || (item.kind === 'note' && item.runId !== undefined);
}
