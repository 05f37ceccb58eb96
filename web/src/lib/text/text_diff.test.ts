// What a person is shown before a file is written.
import { describe, expect, it } from 'vitest';
import { diffLines, tally } from './text_diff';

const shown = (before: string, after: string): string[][] => diffLines(before, after).map((hunk) => hunk.lines.map((line) => `${{ same: ' ', in: '+', out: '-' }[line.kind]}${line.text}`));

describe('a diff', () => {
  it('is empty for the same text', () => {
    expect(diffLines('a\nb', 'a\nb')).toEqual([]);
  });

  it('shows what went, what came, and three lines around', () => {
    const lines = Array.from({ length: 20 }, (_, at) => `l${at}`);
    const after = [...lines];
    after[10] = 'new';
    expect(shown(lines.join('\n'), after.join('\n'))).toEqual([[' l7', ' l8', ' l9', '-l10', '+new', ' l11', ' l12', ' l13']]);
  });

  it('keeps changes far apart in pieces of their own, with the right numbers', () => {
    const lines = Array.from({ length: 40 }, (_, at) => `l${at}`);
    const after = ['first', ...lines];
    after[30] = 'late';
    const found = diffLines(lines.join('\n'), after.join('\n'));
    expect(found.length).toBe(2);
    expect(found[1]?.lines.find((line) => line.kind === 'in')).toMatchObject({ text: 'late', after: 31 });
    expect(tally(found)).toEqual({ in: 2, out: 1 });
  });

  it('rebuilds the new text whatever the two are', () => {
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % below;
    for (let round = 0; round < 200; round += 1) {
      const make = (): string[] => Array.from({ length: random(12) }, () => String(random(4)));
      const [before, after] = [make(), make()];
      const found = diffLines(before.join('\n'), after.join('\n'));
      const count = tally(found);
      expect(before.join('\n').split('\n').length - count.out + count.in).toBe(after.join('\n').split('\n').length);
    }
  });
});
