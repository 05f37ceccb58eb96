import { describe, expect, it } from 'vitest';
import { bytes, count, dateOf, dayName, money, percent, short, span, took } from './amounts';
import { exactly, fromNow } from './moments';

describe('amounts', () => {
  it('shows cheap calls with enough digits and large sums with few', () => {
    expect([0, 0.00001, 0.0042, 0.02, 1.5, 1234.5, 45_000].map(money)).toEqual(['$0.00', '<$0.0001', '$0.0042', '$0.02', '$1.50', '$1,234.50', '$45K']);
  });

  it('says that it does not know instead of NaN', () => {
    for (const say of [money, count, short, percent, bytes, took, span]) {
      expect(say(Number.NaN)).toBe('–');
      expect(say(undefined)).toBe('–');
    }
    expect(exactly(Number.POSITIVE_INFINITY)).toBe('');
    expect(exactly(1e300)).toBe('');
    expect(fromNow(Number.NaN, 0)).toBe('–');
  });

  it('tells long times in two parts', () => {
    expect([5_000, 65_000, 3_600_000, 3_900_000, 90_000_000].map(span)).toEqual(['5 s', '1 min', '1 h', '1 h 5 min', '1 d 1 h']);
    expect([12, 1_500, 15_000, 120_000].map(took)).toEqual(['12 ms', '1.5 s', '15 s', '2 min']);
  });

  it('looks both ways in time', () => {
    expect(fromNow(60_000, 0)).toBe('in 1 min');
    expect(fromNow(0, 60_000)).toBe('1 min ago');
    expect(fromNow(0, 10)).toBe('now');
  });

  it('rounds shares and sizes', () => {
    expect([0, 0.004, 0.5, 1].map(percent)).toEqual(['0 %', '<1 %', '50 %', '100 %']);
    expect([0, 999, 1_000, 1_500, 999_499, 999_500, 250_000_000, 16_000_000_000].map(bytes)).toEqual(['0 B', '999 B', '1 kB', '1.5 kB', '999 kB', '1 MB', '250 MB', '16 GB']);
  });

  it('names days and leaves what is no day alone', () => {
    expect(dayName('2026-11-16')).toBe('Mon 16 Nov');
    expect(dayName('<img>')).toBe('<img>');
    expect(dayName('2026-99-99')).toBe('2026-99-99');
    expect(dateOf(new Date(2026, 0, 5).getTime())).toBe('2026-01-05');
  });
});
