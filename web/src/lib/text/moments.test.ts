import { expect, test } from 'vitest';
import { clockTime, dayAndTime, dayName, fromNow, leftUntil, relativeTime } from './moments';

const NOW = Date.UTC(2026, 10, 16, 12);

test('moments are told by their distance', () => {
  const told = [NOW - 4_000, NOW - 20_000, NOW - 120_000, NOW - 7_200_000, NOW - 3 * 86_400_000, NOW + 5_400_000].map((at) => fromNow(at, NOW));
  expect(told).toEqual(['now', '20 s ago', '2 min ago', '2 h ago', '3 days ago', 'in 1 h 30 min']);
  expect([undefined, Number.NaN, 1e300].map((at) => fromNow(at, NOW))).toEqual(['–', '–', '–']);
});

test('what is left is told as a clock does', () => {
  expect([NOW - 1, NOW + 65_000, NOW + 599_999, NOW + 3_900_000, NOW + 7_200_000].map((at) => leftUntil(at, NOW))).toEqual(['0:00', '1:05', '9:59', '1 h 5 min', '2 h']);
});

test('a time looks the same in every list, whatever the browser prefers', () => {
  const at = new Date(2026, 10, 16, 14, 5).getTime();
  expect(clockTime(at)).toBe('14:05');
  expect(dayAndTime(at, at)).toBe('Mon 16 Nov, 14:05');
  expect(relativeTime(at, at + 30 * 86_400_000)).toBe('16 Nov');
  expect(relativeTime(at, at + 90 * 86_400_000)).toBe('16 Nov 2026');
  expect(dayName(at, at + 9 * 86_400_000)).toBe('Monday 16 November');
});

test('nothing but this file writes times', () => {
  // Clocks of other zones are taken apart in schedule.ts, which shows nothing.
  const sources = import.meta.glob(['/src/**/*.ts', '/src/**/*.svelte', '!/src/**/*.test.ts', '!/src/lib/text/moments.ts', '!/src/lib/schedule/schedule.ts'], {
    query: '?raw',
    import: 'default',
    eager: true,
  });
  const wrong = Object.entries(sources as Record<string, string>).filter(([, text]) => /Intl\.DateTimeFormat|toLocale(?:Date|Time)String|new Date\([^)]*\)\.toLocaleString/.test(text));
  expect(Object.keys(sources).length).toBeGreaterThan(100);
  expect(wrong.map(([file]) => file)).toEqual([]);
});
