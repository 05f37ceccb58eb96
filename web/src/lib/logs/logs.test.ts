import { describe, expect, it } from 'vitest';
import { LEVELS, LINES_MAX, type LogFilter, appended, cut, filtered, levelCounts, readLine, subsystems } from './logs';

const all: LogFilter = { levels: new Set(LEVELS), subsystem: '', text: '' };
const line = (id: number, level: string, subsystem: string, message: string) => readLine(JSON.stringify({ time: '2026-11-16T14:57:35.440Z', level, subsystem, message, took_ms: id }), id);

describe('log lines', () => {
  it('reads what a line says and keeps the rest as fields', () => {
    expect(line(7, 'warn', 'gateway/socket', 'slow client')).toMatchObject({
      id: 7,
      level: 'warn',
      subsystem: 'gateway/socket',
      message: 'slow client',
      at: Date.UTC(2026, 10, 16, 14, 57, 35, 440),
      fields: [['took_ms', '7']],
    });
  });

  it('takes anything for a line', () => {
    for (const raw of ['', 'plain words', '{broken', '[1]', '{"level":7,"message":{"x":1},"time":"never"}', '{"__proto__":{"a":1},"constructor":"x"}', '\u0000']) {
      const read = readLine(raw, 1);
      expect(read.raw).toBe(raw);
      expect(LEVELS).toContain(read.level);
    }
    expect(readLine('{"level":"WARNING"}', 1).level).toBe('warn');
    expect(readLine('plain', 1).message).toBe('plain');
  });

  it('filters by level, part and text', () => {
    const lines = [line(1, 'info', 'gateway/pairing', 'Paired'), line(2, 'error', 'models/failover', 'failed'), line(3, 'debug', 'gateways', 'x')];
    const ids = (filter: Partial<LogFilter>) => filtered(lines, { ...all, ...filter }).map(({ id }) => id);
    expect(ids({})).toEqual([1, 2, 3]);
    expect(ids({ levels: new Set(['error']) })).toEqual([2]);
    expect(ids({ subsystem: 'gateway' })).toEqual([1]);
    expect(ids({ text: '  PAIRED ' })).toEqual([1]);
    expect(ids({ text: 'nothing like it', matching: new Set([3]) })).toEqual([3]);
    expect(filtered(lines, all)).toBe(lines);
    expect(subsystems(lines)).toEqual(['gateway', 'gateway/pairing', 'gateways', 'models', 'models/failover']);
    expect(levelCounts(lines)).toMatchObject({ info: 1, error: 1, debug: 1, warn: 0 });
  });

  it('keeps a bounded number of lines, the newest', () => {
    const many = Array.from({ length: LINES_MAX }, (_, id) => line(id, 'info', 'a', 'b'));
    const more = appended(many, [line(LINES_MAX, 'info', 'a', 'b')]);
    expect([more.length, more[0]?.id, more.at(-1)?.id]).toEqual([LINES_MAX, 1, LINES_MAX]);
    expect(appended([], [...many, ...many]).length).toBe(LINES_MAX);
    expect(appended(many, [])).toBe(many);
    expect(cut('x'.repeat(5_000)).length).toBe(2_001);
  });
});
