import { describe, expect, it } from 'vitest';
import { csvCell, csvOf } from './csv';

describe('tables for spreadsheets', () => {
  it('never hands over a formula', () => {
    for (const text of ['=1+1', '+cmd', '-cmd|calc', '@SUM(A1)', '\t=1', ' =1', '\r=1', '=HYPERLINK("http://x")']) {
      expect(csvCell(text).replace(/^"/, '')).toMatch(/^'/);
    }
  });

  it('leaves numbers and words alone and quotes what needs it', () => {
    expect([csvCell(-1.5), csvCell('-3'), csvCell('plain'), csvCell(undefined), csvCell(1e-7)]).toEqual(['-1.5', '-3', 'plain', '', '1e-7']);
    expect(csvCell('a "b", c\n')).toBe('"a ""b"", c\n"');
    expect(csvOf(['a', 'b'], [['x', 1]])).toBe('a,b\r\nx,1\r\n');
  });
});
