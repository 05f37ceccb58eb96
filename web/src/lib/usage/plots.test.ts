import { describe, expect, it } from 'vitest';
import { type PlotData, axisTime, isEmpty, lengthOf, peak, stacked, stepOf, tableRows } from './plots';

const HOUR = 3_600_000;

function data(...values: (number | null)[][]): PlotData {
  return { at: (values[0] ?? []).map((_, index) => index * HOUR), series: values.map((list, index) => ({ name: `s${index}`, colour: '--plot-1', values: list })) };
}

describe('plots', () => {
  it('stacks series, and a gap is nothing', () => {
    expect(stacked(data([1, null, 3], [10, 20, null]).series)).toEqual([
      [1, 0, 3],
      [11, 20, 3],
    ]);
  });

  it('knows the step and the length, also of a single moment', () => {
    expect([stepOf([0, HOUR, 3 * HOUR]), stepOf([]), stepOf([5])]).toEqual([HOUR, HOUR, HOUR]);
    expect([lengthOf([0, HOUR]), lengthOf([])]).toEqual([2 * HOUR, 0]);
  });

  it('finds the peak and whether there is anything', () => {
    expect(peak(data([1, 5, null], [2, 3, 4]))).toEqual({ series: 's0', at: HOUR, value: 5 });
    expect([isEmpty(data([0, null])), isEmpty(data([0, 1])), isEmpty(data())]).toEqual([true, false, true]);
    expect(peak(data([0, null]))).toBeUndefined();
  });

  it('is a table of what happened, newest first and bounded', () => {
    expect(tableRows(data([1, 0, 3], [null, null, 2])).rows).toEqual([
      { at: 2 * HOUR, values: [3, 2] },
      { at: 0, values: [1, null] },
    ]);
    const many = tableRows(data(Array.from({ length: 500 }, () => 1)));
    expect([many.rows.length, many.left]).toEqual([120, 380]);
  });

  it('labels short spans with hours and long ones with days', () => {
    expect(axisTime(new Date(2026, 10, 16, 14).getTime(), 24 * HOUR)).toBe('14:00');
    expect(axisTime(new Date(2026, 10, 16, 14).getTime(), 24 * 7 * HOUR)).toMatch(/16 Nov/);
  });
});
