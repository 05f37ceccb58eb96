import { describe, expect, it } from 'vitest';
import { fromSchedule, momentIn, newSchedule, partsIn, type ScheduleDraft, simple, toSchedule } from './schedule';

const NOW = Date.UTC(2026, 10, 16, 12);
const draft = (patch: Partial<ScheduleDraft>): ScheduleDraft => ({ ...newSchedule(NOW, 'Europe/Paris'), ...patch });

describe('the schedule helper', () => {
  it('says what a person chose as the gateway wants it', () => {
    const cases: [Partial<ScheduleDraft>, unknown][] = [
      [
        { rhythm: 'interval', every: 15, unit: 'minutes' },
        { kind: 'every', everyMs: 900_000 },
      ],
      [
        { rhythm: 'interval', every: 1.5, unit: 'hours' },
        { kind: 'every', everyMs: 5_400_000 },
      ],
      [
        { rhythm: 'daily', time: '07:05' },
        { kind: 'cron', expr: '5 7 * * *', tz: 'Europe/Paris' },
      ],
      [
        { rhythm: 'weekly', time: '09:30', days: [5, 1, 2, 3, 4] },
        { kind: 'cron', expr: '30 9 * * 1-5', tz: 'Europe/Paris' },
      ],
      [
        { rhythm: 'weekly', time: '09:30', days: [0, 3] },
        { kind: 'cron', expr: '30 9 * * 0,3', tz: 'Europe/Paris' },
      ],
      [
        { rhythm: 'monthly', time: '08:00', day: 'L' },
        { kind: 'cron', expr: '0 8 L * *', tz: 'Europe/Paris' },
      ],
      [
        { rhythm: 'once', date: '2026-12-24', time: '18:00' },
        { kind: 'at', at: '2026-12-24T17:00:00.000Z' },
      ],
      [
        { rhythm: 'cron', expr: ' 0  * * * * ', exact: true },
        { kind: 'cron', expr: '0 * * * *', tz: 'Europe/Paris', staggerMs: 0 },
      ],
    ];
    for (const [patch, schedule] of cases) expect(toSchedule(draft(patch)), JSON.stringify(patch)).toEqual({ schedule });
  });

  it('names the field that cannot be sent', () => {
    const cases: [Partial<ScheduleDraft>, string][] = [
      [{ rhythm: 'interval', every: 0 }, 'every'],
      [{ rhythm: 'interval', every: Number.NaN }, 'every'],
      [{ rhythm: 'interval', every: 1e12, unit: 'days' }, 'every'],
      [{ rhythm: 'daily', time: '' }, 'time'],
      [{ rhythm: 'daily', time: '25:00' }, 'time'],
      [{ rhythm: 'weekly', days: [] }, 'days'],
      [{ rhythm: 'monthly', day: '32' }, 'day'],
      [{ rhythm: 'once', date: '2026-02-31' }, 'date'],
      [{ rhythm: 'once', date: '' }, 'date'],
      [{ rhythm: 'once', date: '2026-12-01', zone: 'Mars/Olympus' }, 'zone'],
      [{ rhythm: 'cron', expr: '  ' }, 'expr'],
      [{ rhythm: 'daily', zone: ' ' }, 'zone'],
    ];
    for (const [patch, problem] of cases) expect(toSchedule(draft(patch)), JSON.stringify(patch)).toEqual({ problem });
  });

  it('reads back what it wrote', () => {
    const drafts: Partial<ScheduleDraft>[] = [
      { rhythm: 'interval', every: 45, unit: 'minutes' },
      { rhythm: 'interval', every: 2, unit: 'days' },
      { rhythm: 'daily', time: '07:05' },
      { rhythm: 'weekly', time: '09:30', days: [0, 3] },
      { rhythm: 'monthly', time: '08:00', day: '31' },
      { rhythm: 'cron', expr: '*/7 8-18 * * 1-5' },
    ];
    for (const patch of drafts) {
      const made = toSchedule(draft(patch));
      if (!('schedule' in made)) throw new Error(JSON.stringify(made));
      expect(fromSchedule(made.schedule, NOW)).toMatchObject(patch);
    }
  });

  it('has words only for what it would write itself', () => {
    expect(simple('0 9 * * 7')).toEqual({ rhythm: 'weekly', time: '09:00', days: [0] });
    for (const expr of ['0 9 1 * 1', '0 9 * 1 *', '*/5 * * * *', '0 0 9 * * *', '@daily', '0 9 * * MON', '99 9 * * *']) expect(simple(expr), expr).toBeUndefined();
  });

  it('keeps where an interval is counted from, and how far a job may be moved', () => {
    const every = { kind: 'every', everyMs: 900_000, anchorMs: 5 } as const;
    expect(toSchedule(draft({ rhythm: 'interval', every: 15, unit: 'minutes' }), every)).toEqual({ schedule: every });
    expect(toSchedule(draft({ rhythm: 'interval', every: 16, unit: 'minutes' }), every)).toEqual({ schedule: { kind: 'every', everyMs: 960_000 } });
    const moved = { kind: 'cron', expr: '5 7 * * *', tz: 'Europe/Paris', staggerMs: 30_000 } as const;
    expect(toSchedule(draft({ rhythm: 'daily', time: '07:05' }), moved)).toEqual({ schedule: moved });
  });

  it('knows zones over changes of their clocks', () => {
    expect(new Date(momentIn('Europe/Paris', '2026-07-01', 9, 0) ?? 0).toISOString()).toBe('2026-07-01T07:00:00.000Z');
    expect(new Date(momentIn('Europe/Paris', '2026-03-29', 12, 0) ?? 0).toISOString()).toBe('2026-03-29T10:00:00.000Z');
    expect(new Date(momentIn('America/New_York', '2026-11-01', 23, 30) ?? 0).toISOString()).toBe('2026-11-02T04:30:00.000Z');
    expect(partsIn('Asia/Kolkata', NOW)).toEqual({ date: '2026-11-16', time: '17:30' });
  });
});
