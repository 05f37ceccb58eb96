// Meters.
import { expect, it } from 'vitest';
import { fullness, money, turnUsage } from './meters';

it('adds up the calls since the last question', () => {
  const messages = [
    { role: 'assistant', usage: { input: 900, output: 900, cost: { total: 9 } } },
    { role: 'user', content: 'x' },
    { role: 'assistant', usage: { input: 10, output: 2, cacheRead: 5, cost: { total: 0.25 } } },
    { role: 'toolResult' },
    { role: 'assistant', usage: { input: 20, output: 3, cost: { total: 0.5 } } },
  ];
  expect(turnUsage(messages)).toEqual({ input: 35, output: 5, cost: 0.75 });
});

it('says nothing where nothing is known', () => {
  expect(turnUsage([])).toBeUndefined();
  expect(turnUsage([{ role: 'assistant', usage: 'odd' }, null])).toBeUndefined();
  expect(turnUsage([{ role: 'assistant', usage: { input: 1, output: 1 } }])?.cost).toBeUndefined();
});

it('knows how full a context is', () => {
  expect(fullness(50, 100)).toBe(0.5);
  expect(fullness(500, 100)).toBe(1);
  expect(fullness(undefined, 100)).toBeUndefined();
  expect(fullness(5, 0)).toBeUndefined();
});

it('writes money with digits that tell something', () => {
  expect([0, 0.00001, 0.0042, 0.25, 12.345].map(money)).toEqual(['$0', '< $0.0001', '$0.0042', '$0.250', '$12.35']);
});
