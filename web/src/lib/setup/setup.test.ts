// The order of the set-up and what is kept of it.
import { describe, expect, it } from 'vitest';
import { FRESH, after, readProgress, withAddresses, writeProgress } from './setup';

function store(text?: string): { getItem: () => string | null; setItem: (key: string, value: string) => void; removeItem: () => void } {
  let kept = text ?? null;
  return { getItem: () => kept, setItem: (_key, value) => void (kept = value), removeItem: () => void (kept = null) };
}

describe('the set-up', () => {
  it('goes through all parts, and past pairing where no platform was connected', () => {
    const connected = { ...FRESH, part: 'channels', channel: 'telegram', session: 'one' } as const;
    expect(after(connected, false)).toEqual({ part: 'pair', channel: 'telegram', session: undefined, skipped: [] });
    expect(after({ ...FRESH, part: 'channels' }, true)).toMatchObject({ part: 'done', skipped: ['channels', 'pair'] });
    expect(after({ ...FRESH, part: 'done' }, false).part).toBe('done');
    expect(after({ ...FRESH, skipped: ['setup'] }, false)).toMatchObject({ part: 'channels', skipped: [] });
  });

  it('is taken up where it was left, and begins anew from rubbish', () => {
    const place = store();
    writeProgress(place, { ...FRESH, part: 'channels', session: 'one', skipped: ['setup'] });
    expect(readProgress(place)).toEqual({ ...FRESH, part: 'channels', session: 'one', skipped: ['setup'] });
    for (const bad of ['{', 'null', '[]', '{"part":"moon","skipped":["x"],"session":3}']) expect(readProgress(store(bad))).toEqual(FRESH);
  });

  it('shows addresses of the web as such, and nothing else', () => {
    expect(withAddresses('Get one at https://a.test/keys. Then: javascript:x http://b.test')).toEqual([
      { text: 'Get one at ', href: undefined },
      { text: 'https://a.test/keys', href: 'https://a.test/keys' },
      { text: '. Then: javascript:x http://b.test', href: undefined },
    ]);
    expect(withAddresses('')).toEqual([]);
  });
});
