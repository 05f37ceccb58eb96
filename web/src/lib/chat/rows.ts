// What stands under what in a conversation: items become rows, with days between them and the steps
// of a run gathered. While something streams only the last rows are made anew.
import type { CompactionItem, ErrorItem, Item, NoteItem, TextItem, ThinkingItem, ToolItem, UserItem } from './transcript';

export type Step = ToolItem | ThinkingItem;
export type Said = UserItem | TextItem | ErrorItem | NoteItem | CompactionItem;
export type Row =
  | { kind: 'day'; key: string; at: number }
  | { kind: 'said'; key: string; item: Said; /** Whether the answer ends here. */ closing: boolean }
  | { kind: 'steps'; key: string; items: readonly Step[] }
  | { kind: 'changes'; key: string; runId: string; tools: readonly ToolItem[] };

const FILE_TOOLS = new Set(['edit', 'write', 'apply_patch']);

export function changesFiles(item: Item): item is ToolItem {
  return item.kind === 'tool' && FILE_TOOLS.has(item.name);
}

export class RowMaker {
  rows: readonly Row[] = [];
  /** The first row that is another than before. */
  changedFrom = 0;
  #items: readonly Item[] = [];
  /** With which item each row begins. */
  #starts: number[] = [];
  #undoable: ReadonlySet<string> = new Set();
  #hasMore = false;

  /** `undoable` are runs whose changes can be looked at; `hasMore` whether something older exists. */
  make(items: readonly Item[], undoable: ReadonlySet<string>, hasMore: boolean, now: number): readonly Row[] {
    let same = 0;
    if (undoable === this.#undoable && hasMore === this.#hasMore) {
      const limit = Math.min(items.length, this.#items.length);
      while (same < limit && items[same] === this.#items[same]) same += 1;
      if (same === items.length && same === this.#items.length) return this.rows;
    }
    let row = 0;
    if (same > 0) {
      // The row of the last unchanged item may close now, or no longer.
      row = this.#starts.findLastIndex((start) => start < same);
      while (row > 0 && this.#starts[row - 1] === this.#starts[row]) row -= 1;
      // Steps may join the row before.
      if (row > 0) row -= 1;
      while (row > 0 && this.#starts[row - 1] === this.#starts[row]) row -= 1;
      row = Math.max(0, row);
    }
    const from = row === 0 ? 0 : (this.#starts[row] ?? 0);
    const rows = this.rows.slice(0, row);
    const starts = this.#starts.slice(0, row);
    append(rows, starts, items, from, { undoable, hasMore, now });
    Object.assign(this, { rows, changedFrom: row });
    this.#items = items;
    this.#starts = starts;
    this.#undoable = undoable;
    this.#hasMore = hasMore;
    return rows;
  }
}

interface About {
  undoable: ReadonlySet<string>;
  hasMore: boolean;
  now: number;
}

function append(rows: Row[], starts: number[], items: readonly Item[], from: number, about: About): void {
  const before = rows.findLast((row) => row.kind === 'day' || (row.kind === 'said' && timeOf(row.item) > 0));
  let day = before === undefined ? '' : dayOf(before.kind === 'day' ? before.at : before.kind === 'said' ? timeOf(before.item) : 0);
  let index = from;
  const push = (row: Row): void => {
    rows.push(row);
    starts.push(index);
  };
  while (index < items.length) {
    const item = items[index];
    if (!item) break;
    const at = timeOf(item);
    if (at > 0 && dayOf(at) !== day) {
      const first = day === '';
      day = dayOf(at);
      // A conversation that began today needs no date above it.
      if (!first || about.hasMore || day !== dayOf(about.now)) push({ kind: 'day', key: `d:${day}:${item.id}`, at });
    }
    if (item.kind === 'tool' || item.kind === 'thinking') {
      const steps = gather(items, index);
      push({ kind: 'steps', key: item.id, items: steps });
      changesAfter(items, index + steps.length - 1, about, push);
      index += steps.length;
      continue;
    }
    const next = items[index + 1];
    push({ kind: 'said', key: item.id, item, closing: !next || next.kind === 'user' || next.kind === 'compaction' });
    changesAfter(items, index, about, push);
    index += 1;
  }
}

function gather(items: readonly Item[], from: number): Step[] {
  const steps: Step[] = [];
  for (let index = from; index < items.length; index += 1) {
    const item = items[index];
    if (item?.kind !== 'tool' && item?.kind !== 'thinking') break;
    if (steps.length > 0 && item.runId !== steps[0]?.runId) break;
    steps.push(item);
  }
  return steps;
}

/** At the end of a run that changed files: what it changed. */
function changesAfter(items: readonly Item[], last: number, about: About, push: (row: Row) => void): void {
  const runId = items[last]?.runId;
  if (runId === undefined || !about.undoable.has(runId) || items[last + 1]?.runId === runId) return;
  const tools: ToolItem[] = [];
  for (let index = last; index >= 0 && items[index]?.runId === runId; index -= 1) {
    const item = items[index];
    if (item && changesFiles(item) && item.state === 'done') tools.unshift(item);
  }
  push({ kind: 'changes', key: `c:${runId}`, runId, tools });
}

function timeOf(item: Item): number {
  return item.kind === 'user' || item.kind === 'text' || item.kind === 'compaction' ? item.at : 0;
}

export function dayOf(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()}`;
}
