// Items become rows; only the end is made anew while something streams.
import { describe, expect, it } from 'vitest';
import { guessHeight } from './row_guess';
import { type Row, RowMaker } from './rows';
import { type Item, newTool } from './transcript';

const NOW = new Date(2026, 10, 16, 15).getTime();
const DAY = 86_400_000;
const none = new Set<string>();
const user = (id: string, at = NOW): Item => ({ kind: 'user', id, runId: id, text: id, images: [], at, state: 'sent' });
const text = (id: string, runId: string, at = NOW): Item => ({ kind: 'text', id, runId, text: id, at, streaming: false });
const tool = (id: string, runId: string, name = 'exec'): Item => ({ ...newTool(id, runId, name), state: 'done' });
const kinds = (rows: readonly Row[]) => rows.map((row) => (row.kind === 'steps' ? `steps ${row.items.length}` : row.kind));
const make = (items: Item[], undoable: ReadonlySet<string> = none, hasMore = false) => new RowMaker().make(items, undoable, hasMore, NOW);

describe('rows', () => {
  it('gather the steps of a run, and say where an answer ends', () => {
    const rows = make([user('r1'), tool('a', 'r1'), tool('b', 'r1'), text('t1', 'r1'), tool('c', 'r1'), text('t2', 'r1'), user('r2')]);
    expect(kinds(rows)).toEqual(['said', 'steps 2', 'said', 'steps 1', 'said', 'said']);
    expect(rows.flatMap((row) => (row.kind === 'said' && row.closing ? [row.key] : []))).toEqual(['t2', 'r2']);
  });

  it('name the days between them, but not today alone', () => {
    expect(kinds(make([user('a', NOW - 2 * DAY), user('b', NOW - DAY), user('c')]))).toEqual(['day', 'said', 'day', 'said', 'day', 'said']);
    expect(kinds(make([user('a'), user('b')]))).toEqual(['said', 'said']);
    expect(kinds(make([user('a')], none, true))).toEqual(['day', 'said']);
  });

  it('offer the changes of a run at its end', () => {
    const items = [user('r1'), tool('a', 'r1', 'edit'), text('t', 'r1'), user('r2'), text('u', 'r2')];
    const rows = make(items, new Set(['r1']));
    expect(kinds(rows)).toEqual(['said', 'steps 1', 'said', 'changes', 'said', 'said']);
    expect(rows[3]).toMatchObject({ runId: 'r1', tools: [{ id: 't:a' }] });
  });

  it('are the same whether made at once or while the conversation grows', () => {
    const items: Item[] = [];
    for (let run = 0; run < 40; run += 1) {
      const at = NOW - (40 - run) * (DAY / 3);
      items.push(user(`r${run}`, at));
      for (let step = 0; step < run % 5; step += 1) items.push(tool(`x${run}-${step}`, `r${run}`, step === 1 ? 'edit' : 'exec'));
      if (run % 3 > 0) items.push(text(`t${run}`, `r${run}`, at));
    }
    const undoable = new Set(['r7', 'r12', 'r31']);
    const maker = new RowMaker();
    for (let length = 1; length <= items.length; length += 1) {
      const grown = maker.make(items.slice(0, length), undoable, false, NOW);
      expect(grown).toEqual(new RowMaker().make(items.slice(0, length), undoable, false, NOW));
      expect(new Set(grown.map((row) => row.key)).size).toBe(grown.length);
    }
    const changed = items.with(-1, { ...text('t39', 'r39'), text: 'more' } as Item);
    const before = maker.rows;
    const after = maker.make(changed, undoable, false, NOW);
    expect(maker.changedFrom).toBeGreaterThan(before.length - 8);
    expect(after.slice(0, maker.changedFrom)).toEqual(before.slice(0, maker.changedFrom));
    expect(after[0]).toBe(before[0]);
  });

  it('are guessed to have some height', () => {
    for (const row of make([user('a', NOW - DAY), tool('b', 'a'), text('c', 'a')])) expect(guessHeight(row)).toBeGreaterThan(20);
  });
});
