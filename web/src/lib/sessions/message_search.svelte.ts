// Full text search in what people and models said, across all sessions.
import { type Fields, fieldsOf, isFields, numberOf, stringOf } from '../read';
import { sessionTitle } from './list';
import type { MethodName, Methods, SessionRow } from '../connection/wire';

const DELAY_MS = 180;
/** The gateway gives no more. */
const LIMIT = 25;
/** Shorter words find too much to be worth asking for. */
const SHORTEST = 2;

export interface Found {
  id: string;
  sessionKey: string;
  messageId: string;
  title: string;
  role: string;
  at: number;
  snippet: string;
}

export interface Asker {
  request<M extends MethodName>(method: M, params: Methods[M]['params']): Promise<Methods[M]['result']>;
}

export class MessageSearch {
  query = $state('');
  found = $state.raw<readonly Found[]>([]);
  searching = $state(false);
  /** What `found` answers. */
  answered = $state('');
  problem = $state<string | undefined>();
  indexing = $state(false);
  truncated = $state(false);
  #generation = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly gateway: Asker) {}

  ask(query: string): void {
    this.query = query;
    clearTimeout(this.#timer);
    const generation = ++this.#generation;
    if (query.trim().length < SHORTEST) {
      this.found = [];
      this.searching = false;
      this.answered = '';
      this.problem = undefined;
      return;
    }
    this.searching = true;
    this.#timer = setTimeout(() => void this.#fetch(query.trim(), generation), DELAY_MS);
  }

  async #fetch(query: string, generation: number): Promise<void> {
    try {
      const answer = fieldsOf(await this.gateway.request('sessions.search', { query, limit: LIMIT }));
      if (generation !== this.#generation) return;
      this.found = readFound(answer);
      this.indexing = answer.indexing === true;
      this.truncated = answer.truncated === true;
      this.problem = undefined;
    } catch (error) {
      if (generation !== this.#generation) return;
      this.found = [];
      this.problem = error instanceof Error ? error.message : String(error);
    }
    this.answered = query;
    this.searching = false;
  }
}

export function readFound(answer: Fields): Found[] {
  const rows = new Map<string, SessionRow>();
  for (const row of Array.isArray(answer.sessions) ? answer.sessions : []) {
    const key = stringOf(fieldsOf(row).key);
    if (key) rows.set(key, row as SessionRow);
  }
  return (Array.isArray(answer.results) ? answer.results : []).filter(isFields).flatMap((hit, index) => {
    const [sessionKey, messageId] = [stringOf(hit.sessionKey), stringOf(hit.messageId)];
    if (!sessionKey || !messageId) return [];
    const row = rows.get(sessionKey) ?? { key: sessionKey };
    return [
      {
        id: `${sessionKey}/${messageId}/${index}`,
        sessionKey,
        messageId,
        title: sessionTitle(row),
        role: stringOf(hit.role) ?? '',
        at: numberOf(hit.timestamp) ?? 0,
        snippet: stringOf(hit.snippet) ?? '',
      },
    ];
  });
}

export interface Piece {
  text: string;
  hit: boolean;
}

/** Cuts a snippet into pieces, those that answer the query marked. */
export function pieces(snippet: string, query: string): readonly Piece[] {
  const wanted = query
    .toLowerCase()
    .replaceAll('"', ' ')
    .split(/\s+/)
    .filter((word) => word.length >= SHORTEST);
  const lower = snippet.toLowerCase();
  const out: Piece[] = [];
  let [at, plain] = [0, 0];
  while (at < snippet.length && wanted.length > 0) {
    const word = isWordStart(lower, at) ? wanted.find((one) => lower.startsWith(one, at)) : undefined;
    if (!word) {
      at += 1;
      continue;
    }
    if (at > plain) out.push({ text: snippet.slice(plain, at), hit: false });
    out.push({ text: snippet.slice(at, at + word.length), hit: true });
    at += word.length;
    plain = at;
  }
  if (plain < snippet.length) out.push({ text: snippet.slice(plain), hit: false });
  return out;
}

function isWordStart(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '');
}
