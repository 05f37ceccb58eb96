// What the list of sessions shows and how: names, filters, sections, and which of many rows are drawn.
import { words } from '../../words/lists';
import { strings } from '../strings';
import type { SessionRow } from '../connection/wire';

const TITLE_MAX = 80;
/** The platform that is this page itself. */
const OWN_CHANNELS = new Set(['webchat', 'web', 'internal', 'main']);

export type View = 'all' | 'unread' | 'running' | 'archived';
/** `here`: begun in this page or another client; `background`: nobody types there; else a platform. */
export type PlaceFilter = 'here' | 'background' | `on:${string}` | undefined;

export interface Filter {
  view: View;
  place: PlaceFilter;
  agent: string | undefined;
  group: string | undefined;
  search: string;
}

export const NO_FILTER: Filter = { view: 'all', place: undefined, agent: undefined, group: undefined, search: '' };

/** Whether more than the view and the search narrow the list. */
export function isNarrow(filter: Filter): boolean {
  return filter.place !== undefined || filter.agent !== undefined || filter.group !== undefined;
}

/** Whether a row belongs in the list; the gateway filtered already, but rows also come one by one. */
export function passes(row: SessionRow, filter: Filter): boolean {
  if ((filter.view === 'archived') !== (row.archived === true)) return false;
  if (filter.view === 'unread' && !row.unread) return false;
  if (filter.view === 'running' && !row.hasActiveRun) return false;
  if (filter.agent !== undefined && row.agentId !== filter.agent) return false;
  if (filter.group !== undefined && row.category !== filter.group) return false;
  if (filter.search.trim() && !matchesSearch(row, filter.search)) return false;
  if (filter.place === 'background') return row.isBackground === true;
  if (filter.place === undefined) return row.isBackground !== true;
  const platform = platformOf(row);
  return filter.place === 'here' ? platform === undefined : filter.place === `on:${platform}`;
}

/** The chat platform a session is on; nothing for those of this page. */
export function platformOf(row: SessionRow): string | undefined {
  const channel = row.channel ?? undefined;
  return channel === undefined || OWN_CHANNELS.has(channel) ? undefined : channel;
}

/** When anything last happened there; settings that change do not count. */
export function sessionTime(row: SessionRow): number {
  return activityOf(row) || (row.updatedAt ?? 0);
}

/** When somebody last wrote or answered there; 0 when nobody ever did. */
export function activityOf(row: SessionRow): number {
  return row.lastActivityAt ?? row.lastInteractionAt ?? 0;
}

/** What to call a session, from the best name it has. A branch nobody named is called after what it branched off. */
export function sessionTitle(row: SessionRow, parent?: SessionRow | undefined): string {
  const named = row.label || row.displayName || row.autoLabel;
  if (named) return named.slice(0, TITLE_MAX);
  if (parent && isBranch(row)) return words.branchOf(sessionTitle(parent)).slice(0, TITLE_MAX);
  if (row.isMain || row.key.endsWith(':main')) return strings.mainSession;
  const derived = spoken(row.derivedTitle) || spoken(row.lastMessagePreview);
  const peer = platformOf(row) ? row.key.split(':').at(-1) : undefined;
  if (peer) return peer.slice(0, TITLE_MAX);
  if (derived) return derived.slice(0, TITLE_MAX);
  return row.key.split(':').slice(2).join(':') || row.key;
}

/** Whether a session was branched off another one. */
export function isBranch(row: SessionRow): boolean {
  return row.createdVia === 'fork' && typeof row.parentSessionKey === 'string';
}

/** What a person said on a platform comes with notes about where; those are for the model, not for a list. */
const NOTES = /^(?:[^\n`]*\(untrusted[^)]*\):?\s*(?:```[\s\S]*?(?:```|$))\s*)+/;

export function spoken(text: string | null | undefined): string {
  return (text ?? '').replace(NOTES, '').trim();
}

/** A preview is one line of plain text; Markdown's marks only clutter it. */
export function withoutMarks(text: string): string {
  return text
    .replace(/^[#>\s]+/gm, '')
    .replace(/[*_`|]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Whether a session answers to what was typed in the search field. */
export function matchesSearch(row: SessionRow, query: string): boolean {
  const wanted = query.trim().toLowerCase();
  if (!wanted) return true;
  return [sessionTitle(row), row.derivedTitle ?? '', row.lastMessagePreview ?? '', row.key].some((text) => text.toLowerCase().includes(wanted));
}

export type Line = { kind: 'section'; id: string; title: string; count: number; folded: boolean; group: boolean } | { kind: 'session'; id: string; row: SessionRow; parent: SessionRow | undefined };

/** Pinned ones, then group by group, then the rest. Without pins and groups there are no headings. */
export function linesOf(rows: readonly SessionRow[], groups: readonly string[], folded: ReadonlySet<string>): readonly Line[] {
  const sections: { id: string; title: string; rows: SessionRow[]; group: boolean }[] = [];
  const section = (id: string, title: string, group: boolean) => {
    const found = sections.find((one) => one.id === id);
    if (found) return found;
    const made = { id, title, rows: [] as SessionRow[], group };
    sections.push(made);
    return made;
  };
  const pinned = section('pinned', words.sectionPinned, false);
  const known = new Set([...groups, ...rows.flatMap((row) => row.category || [])]);
  for (const name of known) section(`group:${name}`, name, true);
  const rest = section('rest', words.sectionRest, false);
  for (const row of rows) (row.pinned ? pinned : row.category ? section(`group:${row.category}`, row.category, true) : rest).rows.push(row);
  const filled = sections.filter((one) => one.rows.length > 0);
  if (filled.length === 1 && filled[0] === rest) return families(rest.rows);
  return filled.flatMap((one): Line[] => {
    const isFolded = folded.has(one.id);
    return [{ kind: 'section', id: one.id, title: one.title, count: one.rows.length, folded: isFolded, group: one.group }, ...(isFolded ? [] : families(one.rows))];
  });
}

/** Branches stand under what they branched off; a family stands where its newest member would. */
function families(rows: readonly SessionRow[]): Line[] {
  const byKey = new Map(rows.map((row) => [row.key, row]));
  const branches = new Map<string, SessionRow[]>();
  const parentOf = (row: SessionRow): SessionRow | undefined => (isBranch(row) ? byKey.get(row.parentSessionKey ?? '') : undefined);
  for (const row of rows) {
    const parent = parentOf(row);
    if (parent) branches.set(parent.key, [...(branches.get(parent.key) ?? []), row]);
  }
  const placed = new Set<string>();
  const lines: Line[] = [];
  const place = (row: SessionRow, parent: SessionRow | undefined): void => {
    if (placed.has(row.key)) return;
    placed.add(row.key);
    lines.push({ kind: 'session', id: row.key, row, parent });
    for (const branch of branches.get(row.key) ?? []) place(branch, row);
  };
  for (const row of rows) {
    const seen = new Set<string>();
    let first = row;
    // Whoever says to be their own ancestor is nobody's branch.
    for (let above = parentOf(row); above && !seen.has(above.key); above = parentOf(above)) {
      seen.add(above.key);
      first = above;
    }
    place(first, undefined);
    place(row, undefined);
  }
  return lines;
}

/** Heights of lines, in pixels: rows are all alike, so that a thousand need not be measured. */
export const ROW_PX = 54;
export const SECTION_PX = 32;
/** Lines drawn beyond what is seen, so that scrolling shows no holes. */
const SPARE_PX = 400;

export interface Window {
  from: number;
  to: number;
  /** Space that stands for the lines before and after. */
  before: number;
  after: number;
}

/** Which lines to draw. */
export function windowOf(lines: readonly Line[], top: number, height: number): Window {
  let [from, to, before, all] = [-1, lines.length, 0, 0];
  for (const [index, one] of lines.entries()) {
    const size = one.kind === 'section' ? SECTION_PX : ROW_PX;
    if (from < 0 && all + size > top - SPARE_PX) [from, before] = [index, all];
    if (to === lines.length && all > top + height + SPARE_PX) to = index;
    all += size;
  }
  if (from < 0) [from, before] = [lines.length, all];
  let shown = 0;
  for (const one of lines.slice(from, to)) shown += one.kind === 'section' ? SECTION_PX : ROW_PX;
  return { from, to, before, after: all - before - shown };
}

/** Where a session's line begins, to bring it into view. */
export function topOf(lines: readonly Line[], key: string): number | undefined {
  let top = 0;
  for (const one of lines) {
    if (one.id === key) return top;
    top += one.kind === 'section' ? SECTION_PX : ROW_PX;
  }
  return undefined;
}
