import { describe, expect, it } from 'vitest';
import { cacheShare, costByModel, customProblem, daysBetween, rowsOf, sorted, spanOf, tokensByDay } from './usage';
import type { SessionsUsageResult, UsageTotals } from '../connection/wire';

const totals = (totalCost: number, calls = 1): UsageTotals => ({
  input: 10,
  output: 5,
  cacheRead: 30,
  cacheWrite: 0,
  totalTokens: 45,
  totalCost,
  inputCost: 0,
  outputCost: 0,
  cacheReadCost: 0,
  cacheWriteCost: 0,
  missingCostEntries: 0,
  calls,
  lostCalls: 0,
});

function report(): SessionsUsageResult {
  return {
    updatedAt: 0,
    startDate: '2026-11-15',
    endDate: '2026-11-16',
    sessions: [
      {
        key: 'agent:main:main',
        scope: 'instance',
        usage: { ...totals(2), firstActivity: 0, lastActivity: 0, durationMs: 0, activityDates: [], dailyBreakdown: [], messageCounts: {} as never, modelUsage: [] },
        hasContextWeight: false,
      },
      { key: 'idle', scope: 'instance', usage: null, hasContextWeight: false },
    ],
    totals: totals(3, 4),
    aggregates: {
      byModel: [
        { provider: 'fake', model: 'fake-1', count: 1, totals: totals(2) },
        { provider: 'fake', model: 'fake-2', count: 1, totals: totals(1) },
      ],
      byAgent: [{ agentId: 'main', totals: totals(3) }],
      byChannel: [{ channel: 'telegram', totals: totals(1) }],
      costDaily: [{ date: '2026-11-16', ...totals(3) }],
      modelDaily: [
        { date: '2026-11-16', provider: 'fake', model: 'fake-2', tokens: 1, cost: 1, count: 1 },
        { date: '1999-01-01', provider: 'fake', model: 'fake-1', tokens: 1, cost: 9, count: 1 },
      ],
    } as unknown as SessionsUsageResult['aggregates'],
    creatorOptions: [],
    cacheStatus: { status: 'fresh', cachedFiles: 0, pendingFiles: 0, staleFiles: 0 },
  };
}

describe('usage', () => {
  it('asks for the days of a period as the gateway counts them', () => {
    const now = new Date(2026, 10, 16, 12).getTime();
    const custom = { start: '2026-01-01', end: '2026-02-01' };
    expect(spanOf('today', custom, now)).toMatchObject({ days: 1, mode: 'gateway' });
    expect(spanOf('month', custom, now)).toMatchObject({ startDate: '2026-11-01' });
    expect(spanOf('custom', custom, now)).toMatchObject({ startDate: '2026-01-01', endDate: '2026-02-01' });
  });

  it('says what is wrong with dates', () => {
    expect(customProblem({ start: '', end: '2026-01-01' })).toBeDefined();
    expect(customProblem({ start: '2026-02-01', end: '2026-01-01' })).toBeDefined();
    expect(customProblem({ start: '2026-01-01', end: '2026-01-01' })).toBeUndefined();
  });

  it('makes a table of every grouping', () => {
    const names = (group: Parameters<typeof rowsOf>[1]) => rowsOf(report(), group, (row) => row.key).map(({ name }) => name);
    expect(names('day')).toEqual(['2026-11-16']);
    expect(names('model')).toEqual(['fake-1', 'fake-2']);
    expect(names('session')).toEqual(['agent:main:main']);
    expect(names('agent')).toEqual(['main']);
    expect(names('channel')).toEqual(['telegram', 'This page and the command line']);
  });

  it('sorts both ways, names as people do', () => {
    const rows = rowsOf(report(), 'model', () => '');
    expect(sorted(rows, { column: 'cost', falling: false }).map(({ cost }) => cost)).toEqual([1, 2]);
    expect(sorted(rows, { column: 'name', falling: true }).map(({ name }) => name)).toEqual(['fake-2', 'fake-1']);
  });

  it('draws money by model and tokens by day over every day', () => {
    const cost = costByModel(report());
    expect(cost.at.length).toBe(2);
    expect(cost.series.map(({ name, values }) => [name, values])).toEqual([
      ['fake-1', [0, 0]],
      ['fake-2', [0, 1]],
    ]);
    expect(tokensByDay(report()).series[1]?.values).toEqual([0, 30]);
  });

  it('knows the share of the cache and bounds odd ranges', () => {
    expect(cacheShare(totals(1))).toBe(0.75);
    expect(cacheShare({})).toBeUndefined();
    expect(daysBetween('x', 'y')).toEqual([]);
    expect(daysBetween('0001-01-01', '9999-01-01').length).toBe(3_660);
  });
});
