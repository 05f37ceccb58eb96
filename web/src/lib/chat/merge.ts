// A fetched history and what the page has shown already, put together: which copy of a line is newer, and what only
// this page knows of runs that go on or ended badly.
import type { Item } from './transcript';

/** How a run ended whose words the history may not hold. */
export type BadEnd = 'aborted' | 'error' | 'interrupted';

export interface Known {
  isLive: (runId: string | undefined) => boolean;
  endOf: (runId: string) => BadEnd | undefined;
}

/** History first, then what only this page knows: unsent messages and runs still going. */
export function merged(stored: readonly Item[], shown: readonly Item[], runs: Known): readonly Item[] {
  const ids = new Set(stored.map((item) => item.id));
  const answered = new Set(stored.flatMap((item) => (item.kind === 'user' || !item.runId ? [] : [item.runId])));
  const before = new Map(shown.map((item) => [item.id, item]));
  const all = stored.map((item) => {
    const known = before.get(item.id);
    const newest = fresher(item, known);
    return known && sameItem(newest, known) ? known : newest;
  });
  for (const item of shown) {
    if (ids.has(item.id)) continue;
    const live = runs.isLive(item.runId);
    if (item.kind === 'user') {
      if (live || item.state !== 'sent') all.push(item);
    } else if (live) {
      all.push(item);
    } else if (item.runId && (item.kind === 'error' || item.kind === 'note' || !answered.has(item.runId))) {
      const how = runs.endOf(item.runId);
      if (how) insertAfterRun(all, how === 'interrupted' ? interruptedItem(item) : settledItem(item));
    }
  }
  return all;
}

export function settledItem(item: Item): Item {
  if (item.kind === 'text' || item.kind === 'thinking') return { ...item, streaming: false };
  return item.kind === 'tool' && item.state === 'running' ? { ...item, state: 'unanswered' } : item;
}

/** While a run goes on, the live copy of a line may be ahead of the stored one. */
function fresher(stored: Item, live: Item | undefined): Item {
  if (live?.kind === 'tool' && stored.kind === 'tool') {
    if (stored.state === 'unanswered' || stored.state === 'running') return live;
    return { ...stored, durationMs: live.durationMs ?? stored.durationMs };
  }
  if (live?.kind === 'thinking' && stored.kind === 'thinking' && live.durationMs !== undefined) return { ...stored, durationMs: live.durationMs };
  if (live?.kind === 'text' && stored.kind === 'text' && live.ending && !stored.ending) return { ...stored, ending: live.ending };
  return stored;
}

/** Whether two copies of a line show the same; then the old one stays, and nothing is drawn again. */
function sameItem(one: Item, other: Item): boolean {
  const [left, right] = [Object.entries(one), other as unknown as Record<string, unknown>];
  if (left.length !== Object.keys(other).length) return false;
  return left.every(([name, value]) => value === right[name] || (typeof value === 'object' && sameSize(value, right[name])));
}

/** Input, pictures and files of a line never change once they are there. */
function sameSize(one: unknown, other: unknown): boolean {
  const both = typeof one === 'object' && typeof other === 'object' && one && other;
  return both ? Object.keys(one).length === Object.keys(other).length : one === other;
}

/** Puts a line below what its run has already, so that an old fragment does not sink to the end. */
function insertAfterRun(items: Item[], item: Item): void {
  const last = items.findLastIndex((other) => other.runId === item.runId);
  items.splice(last < 0 ? items.length : last + 1, 0, item);
}

function interruptedItem(item: Item): Item {
  const settled = settledItem(item);
  return settled.kind === 'text' ? { ...settled, ending: settled.ending ?? 'interrupted' } : settled;
}
