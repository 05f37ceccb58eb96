// Reading JSON5, and saying where it cannot be read.
import { describe, expect, it } from 'vitest';
import { words } from '../../words/config';
import { Json5Error, lineColumn, lineOf, parseJson5 } from './json5';

const value = (text: string): unknown => parseJson5(text, words.json5).value;

function failure(text: string): { line: number; column: number; message: string } {
  try {
    parseJson5(text, words.json5);
  } catch (error) {
    if (error instanceof Json5Error) return { ...lineColumn(text, error.at), message: error.message };
    throw error;
  }
  throw new Error(`${text} was read`);
}

describe('JSON5', () => {
  it('reads comments, bare keys, both quotes, trailing commas and odd numbers', () => {
    expect(value(`// top\n{ a: 1, 'b': "x", /* in */ "c": [1, .5, -2e3, 0xff, +1,], d: true, e: null, }`)).toEqual({ a: 1, b: 'x', c: [1, 0.5, -2000, 255, 1], d: true, e: null });
    expect(value(`{a: 'it\\'s \\u00e9 \\x41 \\\nline'}`)).toEqual({ a: "it's é A line" });
    expect(value(`[Infinity, -Infinity]`)).toEqual([Infinity, -Infinity]);
  });

  it('agrees with JSON on everything JSON can say', () => {
    const sample = { a: [1, 'two', { three: null }], 'b c': { d: false, e: '"\\\n\t😀' }, f: -1.5e-7 };
    expect(value(JSON.stringify(sample, null, 2))).toEqual(sample);
  });

  it('says where and what when it cannot be read', () => {
    expect(failure('{\n  a: 1\n  b: 2\n}')).toEqual({ line: 3, column: 3, message: 'here must be , or }' });
    expect(failure('{ a: yes }')).toMatchObject({ line: 1, column: 6, message: '“yes” makes no sense here' });
    expect(failure('{ a: "x')).toMatchObject({ line: 1, column: 6 });
    expect(failure('{ a: 1')).toMatchObject({ message: words.json5.end });
    expect(failure('{ a: 1, a: 2 }')).toMatchObject({ column: 9 });
    expect(failure('{} {}')).toMatchObject({ column: 4 });
    expect(failure('/* never')).toMatchObject({ message: words.json5.openComment });
    expect(failure('')).toMatchObject({ line: 1, message: words.json5.end });
    expect(failure('[1,,2]')).toMatchObject({ column: 4 });
    expect(failure('{a: "\\u12"}').message).toBe(words.json5.badEscape);
    expect(failure('['.repeat(500)).message).toBe(words.json5.tooDeep);
  });

  it('takes __proto__ for a key like any other', () => {
    const read = value('{"__proto__": {"polluted": true}}');
    expect(Object.keys(read as object)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('knows the line of every place, and of what is above one that is missing', () => {
    const text = '{\n  gateway: {\n    port: 1,\n  },\n  list: [\n    1,\n    2,\n  ],\n}';
    const read = parseJson5(text, words.json5);
    expect(lineOf(text, read, ['gateway', 'port'])).toBe(3);
    expect(lineOf(text, read, ['list', 1])).toBe(7);
    expect(lineOf(text, read, ['gateway', 'auth', 'token'])).toBe(2);
    expect(lineOf(text, read, ['nowhere'])).toBeUndefined();
  });
});
