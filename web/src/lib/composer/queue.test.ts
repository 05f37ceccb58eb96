// What waits while a run is under way.
import { expect, it } from 'vitest';
import { type Pending, readPending, runOfSteered } from './queue';

const mine: Pending = { runId: 'r2', text: 'later', files: 1, steer: true, own: true };

it('takes the gateway’s list and keeps what this page knows of its own', () => {
  const value = { items: [{ runId: 'r2', text: 'later' }, { runId: 'r3', text: 'of another tab' }, null, { text: 'no run' }], total: 4 };
  expect(readPending(value, [mine], new Set())).toEqual([mine, { runId: 'r3', text: 'of another tab', files: 0, steer: false, own: false }]);
});

it('leaves out what is in the conversation already', () => {
  expect(readPending({ items: [{ runId: 'r2', text: 'later' }] }, [mine], new Set(['u:r2']))).toEqual([]);
  expect(readPending(undefined, [mine], new Set())).toEqual([]);
});

it('knows which message a run under way took', () => {
  expect(runOfSteered({ idempotencyKey: 'r2:steer' })).toBe('r2');
  expect(runOfSteered({ idempotencyKey: 'r2:user' })).toBeUndefined();
  expect(runOfSteered(null)).toBeUndefined();
});
