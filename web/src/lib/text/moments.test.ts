import { expect, test } from 'vitest';
import { fromNow, leftUntil } from './moments';

const NOW = Date.UTC(2026, 10, 16, 12);

test('moments are told by their distance', () => {
  const told = [NOW - 4_000, NOW - 20_000, NOW - 120_000, NOW - 7_200_000, NOW - 3 * 86_400_000, NOW + 5_400_000].map((at) => fromNow(at, NOW));
  expect(told).toEqual(['now', '20 s ago', '2 min ago', '2 h ago', '3 days ago', 'in 1 h 30 min']);
  expect([undefined, Number.NaN, 1e300].map((at) => fromNow(at, NOW))).toEqual(['–', '–', '–']);
});

test('what is left is told as a clock does', () => {
  expect([NOW - 1, NOW + 65_000, NOW + 599_999, NOW + 3_900_000, NOW + 7_200_000].map((at) => leftUntil(at, NOW))).toEqual(['0:00', '1:05', '9:59', '1 h 5 min', '2 h']);
});
