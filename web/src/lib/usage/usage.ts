// What the usage page shows, worked out from one report of the gateway: periods, tables, plots. Pure.
import { words } from '../../words/usage';
import { dateOf } from '../text/amounts';
import { PLOT_COLOURS, type PlotData } from './plots';
import { numberOf } from '../read';
import type { Any, SessionUsageRow, SessionsUsageParams, SessionsUsageResult, UsageTotals } from '../connection/wire';

export const PERIODS = ['today', '7d', '30d', 'month', 'custom'] as const;
export type Period = (typeof PERIODS)[number];
export const GROUPS = ['day', 'model', 'session', 'channel', 'agent'] as const;
export type Group = (typeof GROUPS)[number];
/** Sessions asked for; the sums are over all. */
const SESSIONS_MAX = 1_000;
/** Models with a colour of their own; the others share one. */
const MODELS_SHOWN = 5;
const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

export interface Custom {
  start: string;
  end: string;
}

/** What is wrong with two dates, or nothing. */
export function customProblem({ start, end }: Custom): string | undefined {
  if (!DATE.test(start) || !DATE.test(end)) return words.custom.incomplete;
  return start > end ? words.custom.backwards : undefined;
}

/** The days to ask for, as the gateway counts them: budgets do the same. */
export function spanOf(period: Period, custom: Custom, now: number): SessionsUsageParams {
  const common = { mode: 'gateway', limit: SESSIONS_MAX };
  if (period === 'today') return { ...common, days: 1 };
  if (period === '7d') return { ...common, days: 7 };
  if (period === '30d') return { ...common, days: 30 };
  const today = dateOf(now);
  // The end is left to the gateway: its day may already be the next one.
  if (period === 'month') return { ...common, startDate: `${today.slice(0, 7)}-01` };
  return { ...common, startDate: custom.start, endDate: custom.end };
}

/** A row of any of the tables. */
export interface UsageRow {
  /** Of this table only. */
  id: string;
  name: string;
  /** Something smaller beside the name. */
  detail: string;
  session: string | undefined;
  cost: number;
  tokens: number;
  input: number;
  output: number;
  /** The share of prompts that came from a cache; nothing without prompts. */
  cached: number | undefined;
  calls: number;
  /** Calls of models without a price. */
  unpriced: number;
}

/** The share of prompts that came from a cache. */
export function cacheShare(totals: Any<UsageTotals>): number | undefined {
  const [input, read, write] = [numberOf(totals.input) ?? 0, numberOf(totals.cacheRead) ?? 0, numberOf(totals.cacheWrite) ?? 0];
  const prompt = input + read + write;
  return prompt > 0 ? read / prompt : undefined;
}

function rowOf(id: string, name: string, totals: Any<UsageTotals>, more: { detail?: string; session?: string } = {}): UsageRow {
  const of = (field: keyof UsageTotals): number => numberOf(totals[field]) ?? 0;
  return {
    id,
    name,
    detail: more.detail ?? '',
    session: more.session,
    cost: of('totalCost'),
    tokens: of('totalTokens'),
    input: of('input') + of('cacheRead') + of('cacheWrite'),
    output: of('output'),
    cached: cacheShare(totals),
    calls: of('calls'),
    unpriced: of('missingCostEntries'),
  };
}

/** One table of the report; `title` knows what sessions are called. */
export function rowsOf(report: SessionsUsageResult, group: Group, title: (row: Any<SessionUsageRow> & { key: string }) => string): UsageRow[] {
  const sums = report.aggregates;
  if (group === 'day') return (sums.costDaily ?? []).map((day) => rowOf(day.date, day.date, day));
  if (group === 'model') return (sums.byModel ?? []).map((one, index) => rowOf(String(index), one.model ?? words.unknown, one.totals, { detail: one.provider ?? '' }));
  if (group === 'agent') return (sums.byAgent ?? []).map((one) => rowOf(one.agentId, one.agentId, one.totals));
  if (group === 'channel') return channelRows(report);
  return (report.sessions ?? []).flatMap((one) => (one.usage ? [rowOf(one.key, title(one), one.usage, { detail: one.channel ?? '', session: one.key })] : []));
}

/** Channels, and what belongs to none: this page and the command line. */
function channelRows(report: SessionsUsageResult): UsageRow[] {
  const rows = (report.aggregates.byChannel ?? []).map((one) => rowOf(`c ${one.channel}`, one.channel, one.totals));
  const left: Record<string, number> = {};
  for (const [name, value] of Object.entries(report.totals ?? {})) {
    const known = (report.aggregates.byChannel ?? []).reduce((all, one) => all + (numberOf((one.totals as unknown as Record<string, unknown>)[name]) ?? 0), 0);
    left[name] = Math.max(0, (numberOf(value) ?? 0) - known);
  }
  if ((left.calls ?? 0) > 0) rows.push(rowOf('direct', words.direct, left));
  return rows;
}

export const COLUMNS = ['name', 'cost', 'tokens', 'input', 'output', 'cached', 'calls'] as const;
export type Column = (typeof COLUMNS)[number];
export interface Order {
  column: Column;
  falling: boolean;
}

export function sorted(rows: readonly UsageRow[], { column, falling }: Order): UsageRow[] {
  const way = falling ? -1 : 1;
  return rows.toSorted((a, b) => {
    const compared = column === 'name' ? a.name.localeCompare(b.name, 'en', { numeric: true }) : (a[column] ?? -1) - (b[column] ?? -1);
    return way * compared || a.name.localeCompare(b.name, 'en');
  });
}

/** Money by day, one colour for each of the dearest models. */
export function costByModel(report: SessionsUsageResult): PlotData {
  const dates = daysBetween(report.startDate, report.endDate);
  const place = new Map(dates.map((date, index) => [date, index]));
  const models = (report.aggregates.byModel ?? []).map((one) => `${one.provider ?? ''}/${one.model ?? ''}`);
  const shown = models.slice(0, MODELS_SHOWN);
  const names = models.length > MODELS_SHOWN ? [...shown, words.others] : shown;
  const values = names.map(() => dates.map(() => 0));
  for (const one of report.aggregates.modelDaily ?? []) {
    const index = place.get(one.date);
    const known = shown.indexOf(`${one.provider}/${one.model}`);
    const column = values[known === -1 ? names.length - 1 : known];
    if (index !== undefined && column) column[index] = (column[index] ?? 0) + (numberOf(one.cost) ?? 0);
  }
  return {
    at: dates.map(startOf),
    series: names.map((name, index) => ({ name: name.slice(name.indexOf('/') + 1) || name, colour: PLOT_COLOURS[index % PLOT_COLOURS.length] ?? '--plot-1', values: values[index] ?? [] })),
  };
}

/** Tokens by day: read, from the cache, and written. */
export function tokensByDay(report: SessionsUsageResult): PlotData {
  const dates = daysBetween(report.startDate, report.endDate);
  const known = new Map((report.aggregates.costDaily ?? []).map((day) => [day.date, day]));
  const of = (field: 'input' | 'cacheRead' | 'output'): number[] => dates.map((date) => numberOf(known.get(date)?.[field]) ?? 0);
  return {
    at: dates.map(startOf),
    series: [
      { name: words.plots.input, colour: '--plot-2', values: of('input') },
      { name: words.plots.cached, colour: '--plot-3', values: of('cacheRead') },
      { name: words.plots.output, colour: '--plot-4', values: of('output') },
    ],
  };
}

/** Every day from the first to the last; nothing when they are no days. At most ten years. */
export function daysBetween(start: string, end: string): string[] {
  if (!DATE.test(start) || !DATE.test(end)) return [];
  const dates: string[] = [];
  const last = Date.parse(`${end}T00:00:00Z`);
  for (let at = Date.parse(`${start}T00:00:00Z`); at <= last && dates.length < 3_660; at += DAY_MS) dates.push(new Date(at).toISOString().slice(0, 10));
  return dates;
}

/** The day's beginning where the person is, so that the axis names the right day. */
function startOf(date: string): number {
  return new Date(`${date}T00:00:00`).getTime();
}
