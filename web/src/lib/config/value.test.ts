// Changing, comparing and putting together values.
import { describe, expect, it } from 'vitest';
import { changedPaths, clashes, patchBetween, rebased, sameValue, valueAt, withValue } from './value';

describe('values of a configuration', () => {
  it('are changed in a copy, and what becomes empty goes', () => {
    const before = { a: { b: { c: 1 } }, list: [{ id: 'x' }, { id: 'y' }] };
    expect(withValue(before, ['a', 'b', 'c'], 2)).toEqual({ ...before, a: { b: { c: 2 } } });
    expect(withValue(before, ['a', 'b', 'c'], undefined)).toEqual({ list: before.list });
    expect(withValue(before, ['list', 0], undefined)).toEqual({ a: before.a, list: [{ id: 'y' }] });
    expect(withValue({}, ['a', 'b'], true)).toEqual({ a: { b: true } });
    expect(before).toEqual({ a: { b: { c: 1 } }, list: [{ id: 'x' }, { id: 'y' }] });
    expect(valueAt(before, ['list', 1, 'id'])).toBe('y');
    expect(valueAt(before, ['a', 'constructor'])).toBeUndefined();
  });

  it('differ where they differ, lists as a whole', () => {
    expect(changedPaths({ a: 1, b: { c: [1], d: 1 } }, { b: { c: [2], d: 1 }, e: 1 })).toEqual([['a'], ['b', 'c'], ['e']]);
    expect(sameValue({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toBe(true);
    expect(sameValue({ a: undefined }, {})).toBe(false);
  });

  it('become a patch in which null deletes and lists are replaced', () => {
    const { patch, replacePaths } = patchBetween({ a: 1, agents: { list: [{ id: 'x' }], keep: 1 } }, { agents: { list: [{ id: 'y' }], keep: 1 }, n: { m: { l: [] } } });
    expect(patch).toEqual({ a: null, agents: { list: [{ id: 'y' }] }, n: { m: { l: [] } } });
    expect(replacePaths).toEqual(['agents.list', 'n.m.l']);
  });

  it('of two people are put together, and clashes are named', () => {
    const base = { a: 1, b: { c: 1 } };
    const mine = { a: 2, b: { c: 1 } };
    const theirs = { a: 1, b: { c: 3 } };
    expect(rebased(base, mine, theirs)).toEqual({ a: 2, b: { c: 3 } });
    expect(clashes(base, mine, theirs)).toEqual([]);
    expect(clashes(base, mine, { a: 5, b: { c: 1 } })).toEqual(['a']);
    expect(clashes(base, mine, { a: 2, b: { c: 1 } })).toEqual([]);
    expect(clashes(base, { a: 1, b: { c: 2 } }, { a: 1 })).toEqual(['b.c']);
  });
});
