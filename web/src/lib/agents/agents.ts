// What the page of agents knows beside what it shows: pictures, models in the settings, differences of texts.
import { fieldsOf, isFields, stringOf } from '../read';
import type { Methods } from '../connection/wire';

export type Agent = Methods['agents.list']['result']['agents'][number];
export type AgentFile = Methods['agents.files.get']['result']['file'];

export const MAX_FILE_BYTES = 2 * 1024 * 1024;
export const MAX_NAME = 128;
const PICTURE = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/i;
/** Enough for any letter or emoji, not for an address. */
const SIGN_CHARS = 12;

export interface Looks {
  name: string;
  emoji: string;
  avatar: string;
}

export function looksOf(agent: Agent): Looks {
  const identity = fieldsOf(agent.identity);
  return { name: agent.name ?? stringOf(identity.name) ?? agent.id, emoji: stringOf(identity.emoji) ?? '', avatar: stringOf(identity.avatar) ?? '' };
}

export type Face = { picture: string } | { sign: string };

/** What stands for an agent: a picture that is here already, or a sign. Pictures elsewhere are not fetched. */
export function faceOf(looks: Looks): Face {
  const avatar = looks.avatar.trim();
  if (PICTURE.test(avatar)) return { picture: avatar };
  if (avatar !== '' && avatar.length <= SIGN_CHARS && !/[/.:]/.test(avatar)) return { sign: avatar };
  return { sign: looks.emoji.trim() || ([...looks.name.trim()][0] ?? '?').toUpperCase() };
}

/** The agent's own model as the settings have it; nothing when it uses the default. */
export interface OwnModel {
  primary: string | undefined;
  /** Nothing when the default ones stand in. */
  fallbacks: string[] | undefined;
}

/** Where an agent is written down: older settings have a list, newer ones names. */
export function entryOf(settings: unknown, id: string): { entry: Record<string, unknown>; inList: boolean } {
  const agents = fieldsOf(fieldsOf(settings).agents);
  const list = Array.isArray(agents.list) ? agents.list : [];
  const listed = list.find((entry) => isFields(entry) && entry.id === id);
  if (isFields(listed)) return { entry: listed, inList: true };
  return { entry: fieldsOf(fieldsOf(agents.entries)[id]), inList: false };
}

export function ownModel(settings: unknown, id: string): OwnModel {
  const model = entryOf(settings, id).entry.model;
  if (typeof model === 'string') return { primary: model, fallbacks: undefined };
  const fields = fieldsOf(model);
  const fallbacks = Array.isArray(fields.fallbacks) ? fields.fallbacks.filter((name) => typeof name === 'string') : undefined;
  return { primary: stringOf(fields.primary), fallbacks };
}

/** The change of the settings that gives an agent this model; nothing at all is the default again. */
export function modelPatch(settings: unknown, id: string, model: OwnModel): Record<string, unknown> {
  const said = model.primary || model.fallbacks ? { primary: model.primary || null, fallbacks: model.fallbacks ?? null } : null;
  const { inList } = entryOf(settings, id);
  return { agents: inList ? { list: [{ id, model: said }] } : { entries: { [id]: { model: said } } } };
}

export type DiffLine = { kind: 'same' | 'mine' | 'theirs'; text: string };

/** Lines beyond these are compared only at their beginnings and ends: the table would be too large. */
const DIFF_LINES_MAX = 1_500;

/** Two texts line by line: what only one of them has, and what both have. */
export function diffLines(theirs: string, mine: string): DiffLine[] {
  const a = theirs.split('\n');
  const b = mine.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  const middle = diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return [...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)];
}

function diffMiddle(a: string[], b: string[]): DiffLine[] {
  const theirs = (text: string): DiffLine => ({ kind: 'theirs', text });
  const mine = (text: string): DiffLine => ({ kind: 'mine', text });
  if (a.length > DIFF_LINES_MAX || b.length > DIFF_LINES_MAX) return [...a.map(theirs), ...b.map(mine)];
  // The longest common lines, from the end.
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => table[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) table[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] ?? '' });
      i += 1;
      j += 1;
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1))) lines.push(theirs(a[i++] ?? ''));
    else lines.push(mine(b[j++] ?? ''));
  }
  return lines;
}
