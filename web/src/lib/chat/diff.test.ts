// Edits as lines.
import { describe, expect, it } from 'vitest';
import { type DiffLine, diffsOf, totals } from './diff';

const tool = (name: string, args: Record<string, unknown>, diff?: string) => ({ name, args, output: '', ...(diff ? { diff } : {}) });
const drawn = (lines: readonly DiffLine[]) => lines.map((line) => `${{ same: ' ', added: '+', removed: '-', gap: '@' }[line.kind]}${line.text}`);

describe('a diff', () => {
  it('is read from what the tool says, with line numbers', () => {
    const [file] = diffsOf(tool('edit', {}, '--- a.rs\n+++ a.rs\n@@ -3,3 +3,3 @@\n one\n-two\n+TWO\n three\n@@ -20,1 +20,2 @@\n x\n+y\n'));
    expect(file).toMatchObject({ path: 'a.rs', added: 2, removed: 1 });
    expect(drawn(file?.lines ?? [])).toEqual([' one', '-two', '+TWO', ' three', '@', ' x', '+y']);
    expect(file?.lines[1]).toMatchObject({ before: 4 });
    expect(file?.lines[2]).toMatchObject({ after: 4 });
  });

  it('holds removed lines that look like headers', () => {
    const [file] = diffsOf(tool('edit', {}, '--- a.sql\n+++ a.sql\n@@ -1,2 +1,1 @@\n--- note\n x\n'));
    expect(drawn(file?.lines ?? [])).toEqual(['--- note', ' x'].map((line) => (line.startsWith('-') ? `-${line.slice(1)}` : line)));
  });

  it('is made from the input while the tool has not answered', () => {
    const [file] = diffsOf(tool('edit', { path: 'a', oldText: 'k\na\nz\n', newText: 'k\nb\nc\nz\n' }));
    expect(drawn(file?.lines ?? [])).toEqual([' k', '-a', '+b', '+c', ' z']);
    expect(totals(diffsOf(tool('write', { file_path: 'n', content: 'one\ntwo\n' })))).toEqual({ added: 2, removed: 0 });
  });

  it('is read from a patch of several files', () => {
    const patch = '*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n@@\n k\n-o\n+n\n*** Delete File: c\n*** End Patch';
    expect(diffsOf(tool('apply_patch', { input: patch })).map(({ path, added, removed }) => [path, added, removed])).toEqual([
      ['a', 1, 0],
      ['b', 1, 1],
      ['c', 0, 0],
    ]);
  });

  it.each([{}, { path: 3 }, { content: null }, { input: 7 }])('of odd input %j is nothing or empty', (args) => {
    for (const name of ['edit', 'write', 'apply_patch', 'exec']) expect(() => diffsOf(tool(name, args))).not.toThrow();
    expect(diffsOf(tool('exec', { path: 'a', content: 'b' }))).toEqual([]);
  });
});
