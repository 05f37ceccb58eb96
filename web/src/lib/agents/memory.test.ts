import { describe, expect, it } from 'vitest';
import { pieces, sections, shelve, titleOf } from './memory';

const file = (path: string) => ({ path, size: 1 });

describe('a memory', () => {
  it('is shelved by day, newest first, and the rest by name', () => {
    const shelf = shelve(['MEMORY.md', 'memory/2026-11-15.md', 'memory/2026-11-16-evening.md', 'memory/2026-10-01.md', 'memory/people/anna.md', 'memory/2026-13-40.md'].map(file));
    expect(shelf.main?.path).toBe('MEMORY.md');
    expect(shelf.months.map(({ month, days }) => [month, days.map(({ file: { path }, more }) => [path, more])])).toEqual([
      [
        'November 2026',
        [
          ['memory/2026-11-16-evening.md', 'evening'],
          ['memory/2026-11-15.md', ''],
        ],
      ],
      ['October 2026', [['memory/2026-10-01.md', '']]],
    ]);
    expect(shelf.notes.map(({ path }) => path)).toEqual(['memory/2026-13-40.md', 'memory/people/anna.md']);
    expect(titleOf('memory/2026-11-16.md')).toMatch(/^Monday,? 16 November 2026$/);
    expect(titleOf('memory/people/anna.md')).toBe('people/anna');
  });

  it('marks the words that were found, and nothing is read as a pattern or as HTML', () => {
    expect(pieces('The TIDE is out', 'tide')).toEqual([
      { text: 'The ', found: false },
      { text: 'TIDE', found: true },
      { text: ' is out', found: false },
    ]);
    expect(
      pieces('a.b a+b <b>', '. <b>')
        .filter(({ found }) => found)
        .map(({ text }) => text),
    ).toEqual(['.', '<b>']);
    expect(pieces('tides', 'tide tides')).toEqual([{ text: 'tides', found: true }]);
    expect(pieces('x'.repeat(10_000), 'x').length).toBeLessThan(500);
    expect(pieces('text', '  ')).toEqual([{ text: 'text', found: false }]);
  });

  it('knows on which lines its blocks stand', () => {
    const text = '\n# Garden\n\nOne\ntwo\n\n- a\n- b\n\n```\ncode\n\nmore\n```\nend';
    const found = sections(text);
    expect(found.map(({ first, last }) => [first, last])).toEqual([
      [1, 3],
      [4, 6],
      [7, 9],
      [10, 14],
      [15, 15],
    ]);
    expect(found.map((section) => section.text).join('\n')).toBe(text);
    expect(sections('')).toEqual([{ text: '', first: 1, last: 1 }]);
  });
});
