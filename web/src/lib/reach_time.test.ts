// Times and sizes in words.
import { expect, it } from 'vitest';
import { ago, bytes, leftUntil } from './reach_time.svelte';

const NOW = Date.UTC(2026, 5, 1, 12);

it('how long ago', () => {
  expect([NOW - 5_000, NOW - 120_000, NOW - 7_200_000, NOW - 86_400_000, NOW + 7_300_000].map((at) => ago(at, NOW))).toEqual(['just now', '2 minutes ago', '2 hours ago', 'yesterday', 'in 2 hours']);
});

it('what is left', () => {
  expect([NOW - 1, NOW + 65_000, NOW + 599_999, NOW + 3_900_000, NOW + 7_200_000].map((at) => leftUntil(at, NOW))).toEqual(['0:00', '1:05', '9:59', '1 h 5 min', '2 h']);
});

it('sizes', () => {
  expect([0, 999, 1_500, 16_000_000_000].map(bytes)).toEqual(['0 B', '999 B', '1.5 kB', '16 GB']);
});
