// Where rows of a long list stand.
import { expect, it } from 'vitest';
import { Heights } from './heights';

const keyed = (count: number, from = 0) => Array.from({ length: count }, (_, index) => ({ key: `k${from + index}` }));

it('adds guesses and measures, and finds the row at a place', () => {
  const heights = new Heights();
  heights.setRows(keyed(1000), 0, () => 10);
  expect(heights.total).toBe(10_000);
  expect(heights.measure('k3', 50)).toBe(true);
  expect(heights.measure('k3', 50.2)).toBe(false);
  expect(heights.top(4)).toBe(80);
  expect(heights.total).toBe(10_040);
  expect(heights.at(79)).toBe(3);
  expect(heights.at(80)).toBe(4);
  expect([heights.at(-5), heights.at(1e9)]).toEqual([0, 999]);
});

it('keeps what was measured when rows come in above or change at the end', () => {
  const heights = new Heights();
  heights.setRows(keyed(10, 100), 0, () => 10);
  heights.measure('k105', 70);
  heights.setRows([...keyed(5, 50), ...keyed(10, 100)], 0, () => 10);
  expect(heights.indexOf('k105')).toBe(10);
  expect(heights.total).toBe(210);
  heights.setRows([...keyed(5, 50), ...keyed(8, 100)], 13, () => 10);
  expect(heights.total).toBe(190);
  expect(heights.indexOf('k108')).toBeUndefined();
});

it('takes old measures as guesses after the width changed', () => {
  const heights = new Heights();
  heights.setRows(keyed(2), 0, () => 10);
  heights.measure('k0', 40);
  heights.forget();
  expect(heights.total).toBe(50);
  expect(heights.measure('k0', 40)).toBe(true);
});

it('is empty when nothing is there', () => {
  const heights = new Heights();
  heights.setRows([], 0, () => 10);
  expect([heights.total, heights.at(5), heights.count]).toEqual([0, 0, 0]);
});
