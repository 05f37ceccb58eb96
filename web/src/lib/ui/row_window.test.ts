import { describe, expect, it } from 'vitest';
import { RowWindow } from './row_window';

const ids = Array.from({ length: 10_000 }, (_, index) => index);

describe('rows in view', () => {
  it('draws only what is near the view', () => {
    const rows = new RowWindow(20);
    const slice = rows.slice(ids, 100_000, 600);
    expect(slice.total).toBe(200_000);
    expect(slice.first * 20).toBe(slice.top);
    expect(slice.top).toBeLessThanOrEqual(100_000);
    expect(slice.end - slice.first).toBeLessThan(100);
    expect(slice.end * 20).toBeGreaterThan(100_600);
  });

  it('counts measured rows with their height', () => {
    const rows = new RowWindow(20);
    expect([rows.measure(0, 520), rows.measure(0, 520), rows.measure(1, 20), rows.measure(2, 0), rows.measure(2, Number.NaN)]).toEqual([true, false, false, false, false]);
    expect(rows.slice(ids, 0, 100).total).toBe(200_500);
    rows.forget();
    expect(rows.slice(ids, 0, 100).total).toBe(200_000);
  });

  it('has no rows for an empty list or a place beyond the end', () => {
    const rows = new RowWindow(20);
    expect(rows.slice([], 0, 600)).toEqual({ first: 0, end: 0, top: 0, total: 0 });
    const beyond = rows.slice([1, 2], 1e9, 600);
    expect(beyond.end - beyond.first).toBe(0);
  });

  it('is fast enough to ask on every scroll', () => {
    const rows = new RowWindow(20);
    for (const id of ids) rows.measure(id, 20 + (id % 7));
    let drawn = 0;
    for (let at = 0; at < 100; at += 1) drawn += rows.slice(ids, at * 2_000, 800).first;
    expect(drawn).toBeGreaterThan(0);
  });
});
