import { describe, expect, it } from 'vitest';
import { readLine } from '../logs/logs';
import { type Seen, budgetName, budgetShare, channelStates, curves, mishaps, nextJobs, scheduleWords, spent, troubles } from './overview';
import type { CronJob, RunUsage } from '../connection/wire';

const well: Seen = { modelConfigured: true, healthy: true, channels: [], budgets: [], jobs: [], waitingNodes: 0, mishaps: [], now: 0, disk: { free: undefined, total: undefined } };

function job(id: string, fields: Partial<CronJob> = {}): CronJob {
  return {
    id,
    name: id,
    schedule: { kind: 'every', everyMs: 3_600_000 },
    sessionTarget: 'main',
    wakeMode: 'now',
    payload: { kind: 'systemEvent', text: 'x' },
    createdAtMs: 0,
    updatedAtMs: 0,
    state: {},
    ...fields,
  };
}

describe('overview', () => {
  it('has nothing to say when all is well', () => {
    expect(troubles(well)).toEqual([]);
  });

  it('says that something went wrong lately, and that a stop is nothing wrong', () => {
    const run = (status: string): RunUsage => ({ runId: status, status, error: 'x', endedAt: 1_000, sessionKey: 'k' }) as RunUsage;
    const found = mishaps([], [run('error'), run('aborted')]);
    expect(found).toHaveLength(1);
    expect(troubles({ ...well, mishaps: found, now: 2_000 })).toMatchObject([{ mood: 'warn', page: 'logs' }]);
    expect(troubles({ ...well, mishaps: found, now: 9_000_000 })).toEqual([]);
  });

  it('names what is wrong, the worst first, and where to mend it', () => {
    const found = troubles({
      modelConfigured: false,
      healthy: true,
      channels: channelStates({
        channelOrder: ['telegram'],
        channelLabels: { telegram: 'Telegram' },
        channelAccounts: { telegram: [{ accountId: 'default', configured: true, running: true, connected: false }] },
      }),
      budgets: [{ path: 'budgets.gateway.day.usd', used: 1.2, limit: 1, unit: 'usd' }],
      jobs: [job('tide', { lastRunStatus: 'error' })],
      waitingNodes: 2,
      mishaps: [],
      now: 0,
      disk: { free: 1, total: 100 },
    });
    expect(found.map(({ mood, page }) => `${mood} ${page}`)).toEqual(['bad setup', 'bad usage', 'warn channels', 'warn cron', 'warn nodes', 'warn debug']);
  });

  it('tells channels by their state, whatever is missing', () => {
    const rows = [{ enabled: false }, { configured: false }, { connected: true, healthState: 'stale-socket' }, { connected: true }, { running: true }, { lastError: 'boom' }, {}];
    const found = channelStates({ channelAccounts: { x: rows, y: 'not a list' }, channelOrder: ['x', 'y', 7] });
    expect(found.map(({ word }) => word)).toEqual(['Switched off', 'Not set up', 'Silent for too long', 'Connected', 'Connecting', 'Failed', 'Stopped']);
    for (const odd of [undefined, null, 7, [], { channelAccounts: [] }]) expect(channelStates(odd)).toEqual([]);
  });

  it('says budgets in words', () => {
    expect(budgetName({ path: 'budgets.gateway.day.usd' })).toBe('everything today');
    expect(budgetName({ path: 'budgets.session.month.tokens', whose: 'agent:main:main' })).toBe('agent:main:main this month');
    expect(budgetName({})).toBe('a budget');
    expect([budgetShare({ used: 1, limit: 4 }), budgetShare({ used: 1, limit: 0 }), budgetShare({})]).toEqual([0.25, 1, 1]);
  });

  it('lists the next jobs, running ones first, and no disabled ones', () => {
    const jobs = [
      job('late', { nextRunAtMs: 30 }),
      job('off', { enabled: false, nextRunAtMs: 1 }),
      job('soon', { state: { nextRunAtMs: 10 } }),
      job('never'),
      job('now', { state: { runningAtMs: 5 } }),
    ];
    expect(nextJobs(jobs, 5).map(({ id }) => id)).toEqual(['now', 'soon', 'late']);
    expect(nextJobs(jobs, 1).length).toBe(1);
    expect(scheduleWords(job('a'))).toBe('every 1 h');
    expect(scheduleWords(job('a', { schedule: { kind: 'cron', expr: '0 7 * * *', tz: 'Europe/Paris' } }))).toBe('0 7 * * * (Europe/Paris)');
  });

  it('adds up today and the month of the newest day', () => {
    const day = (date: string, totalCost: number) => ({ date, totalCost, totalTokens: 10, calls: 1 });
    expect(spent([day('2026-10-31', 5), day('2026-11-01', 1), day('2026-11-16', 2)])).toEqual({ today: 2, month: 3, tokensToday: 10, callsToday: 1 });
    expect(spent([])).toEqual({ today: 0, month: 0, tokensToday: 0, callsToday: 0 });
  });

  it('gathers what went wrong, newest first', () => {
    const lines = [readLine('{"time":"2026-11-16T10:00:00Z","level":"error","subsystem":"a","message":"old"}', 1), readLine('{"time":"2026-11-16T11:00:00Z","level":"info","message":"fine"}', 2)];
    const run = { runId: 'r', sessionKey: 'k', status: 'error', error: 'refused', endedAt: Date.UTC(2026, 10, 16, 12), attempts: [], calls: [] } as unknown as RunUsage;
    expect(mishaps(lines, [run, { ...run, status: 'ok' }]).map(({ text }) => text)).toEqual(['refused', 'old']);
  });

  it('draws hours, and odd numbers are nothing', () => {
    const drawn = curves([
      { at: 0, turns: 2, inputTokens: 10, outputTokens: 5, cost: 0.5, latencyP95Ms: 90, errors: 1 },
      { at: 3_600_000, turns: Number.NaN },
    ]);
    expect(drawn.sums).toEqual({ turns: 2, tokens: 15, cost: 0.5, errors: 1, slow: 90 });
    expect(drawn.latency.series[1]?.values).toEqual([90, null]);
    expect(curves([]).sums.slow).toBeUndefined();
  });
});
