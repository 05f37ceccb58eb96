// Versions and quotations.
import { describe, expect, it } from 'vitest';
import { quote, versionAt } from './branches';

const branch = (leafEntryId: string, firstEntryId: string | null, insteadEntryId: string | null) => ({ leafEntryId, firstEntryId, insteadEntryId, active: firstEntryId === null });

describe('versions', () => {
  const rows = [branch('a9', 'a1', 'c1'), branch('b9', 'b1', 'c1'), branch('c9', null, null)];

  it('counts the ways a message was said and names the neighbours', () => {
    expect(versionAt(rows, 'c1')).toEqual({ at: 3, all: 3, previous: 'b9', next: undefined });
    expect(versionAt([rows[2]!, rows[0]!], 'c1')).toEqual({ at: 1, all: 2, previous: undefined, next: 'a9' });
  });

  it('says nothing of a message that was said once', () => {
    expect(versionAt(rows, 'x')).toBeUndefined();
    expect(versionAt(rows, undefined)).toBeUndefined();
    expect(versionAt([], 'c1')).toBeUndefined();
  });

  it('takes a version that went on in two ways for one', () => {
    expect(versionAt([...rows.slice(0, 1), branch('a99', 'a1', 'c1'), rows[2]!], 'c1')).toMatchObject({ all: 2, previous: 'a99' });
  });
});

describe('quoting', () => {
  it('marks every line', () => {
    expect(quote('one\n\ntwo')).toBe('> one\n>\n> two');
  });

  it('cuts what is long', () => {
    expect(quote('x'.repeat(1000)).length).toBeLessThan(420);
    expect(quote(Array.from({ length: 50 }, (_, line) => `${line}`).join('\n')).split('\n')).toHaveLength(7);
  });
});
