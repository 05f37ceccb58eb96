// The order of the set-up and what is kept of it.
import { describe, expect, it } from 'vitest';
import { FRESH, after, nextStep, previousStep, readProgress, writeProgress } from './setup';

function store(text?: string): { getItem: () => string | null; setItem: (key: string, value: string) => void; removeItem: () => void } {
  let kept = text ?? null;
  return { getItem: () => kept, setItem: (_key, value) => void (kept = value), removeItem: () => void (kept = null) };
}

describe('the set-up', () => {
  it('goes through all steps, and past what has nothing to do', () => {
    const at = { ...FRESH, provider: 'x', channel: 'telegram' };
    const steps = ['provider', 'key', 'model', 'channel', 'pair', 'done'] as const;
    steps.slice(0, -1).forEach((step, index) => expect(nextStep({ ...at, step })).toBe(steps[index + 1]));
    steps.slice(1).forEach((step, index) => expect(previousStep({ ...at, step })).toBe(steps[index]));
    expect(nextStep({ ...FRESH, step: 'provider' })).toBe('channel');
    expect(nextStep({ ...FRESH, step: 'channel' })).toBe('done');
    expect(previousStep({ ...FRESH, step: 'done' })).toBe('channel');
    expect(previousStep({ ...FRESH, step: 'channel' })).toBe('provider');
    expect(nextStep({ ...at, step: 'done' })).toBe('done');
  });

  it('counts what it passes over as skipped, until it is done', () => {
    const none = after({ ...FRESH, step: 'provider' }, true);
    expect(none).toMatchObject({ step: 'channel', skipped: ['provider', 'key', 'model'] });
    expect(after(none, true)).toMatchObject({ step: 'done', skipped: ['provider', 'key', 'model', 'channel', 'pair'] });
    expect(after({ ...none, step: 'provider', provider: 'x' }, false)).toMatchObject({ step: 'key', skipped: ['key', 'model'] });
  });

  it('is taken up where it was left, and begins anew from rubbish', () => {
    const place = store();
    writeProgress(place, { ...FRESH, step: 'model', provider: 'x', skipped: ['key'] });
    expect(readProgress(place)).toEqual({ ...FRESH, step: 'model', provider: 'x', skipped: ['key'] });
    for (const bad of ['{', 'null', '[]', '{"step":"moon","skipped":["x"],"provider":3}']) expect(readProgress(store(bad))).toEqual(FRESH);
  });
});
