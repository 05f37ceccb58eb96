// What the overview says, worked out from what the gateway answered. Pure; every field may be missing or odd.
import { words } from '../../words/overview';
import { money, percent, span } from '../text/amounts';
import type { LogLine } from '../logs/logs';
import type { PlotData } from '../usage/plots';
import { fieldsOf, isFields, numberOf, stringOf } from '../read';
import type { Any, BudgetStatus, CronJob, PresenceEntry, RunUsage, UsageDay, UsageHour } from '../connection/wire';

export type Mood = 'good' | 'warn' | 'bad';

/** Something that is not as it should be, and the page where it can be mended. */
export interface Trouble {
  mood: Exclude<Mood, 'good'>;
  text: string;
  page: string;
  params?: Record<string, string>;
  action: string;
}

export interface ChannelState {
  id: string;
  account: string;
  name: string;
  mood: Mood | 'plain';
  word: string;
  problem: string | undefined;
}

/** A budget this far gone is worth a word. */
const BUDGET_NEAR = 0.8;
const DISK_LOW = 0.05;
const DISK_LOW_BYTES = 2_000_000_000;
/** Troubles of one kind that are named; more are counted. */
const NAMED_MAX = 3;
const ERRORS_SHOWN = 8;
/** Errors of the last hour are a reason to look; older ones only stand in the list. */
const LATELY_MS = 3_600_000;

/** Every account of every channel in a word. */
export function channelStates(status: unknown): ChannelState[] {
  const fields = fieldsOf(status);
  const accounts = fieldsOf(fields.channelAccounts);
  const labels = fieldsOf(fields.channelLabels);
  const order = Array.isArray(fields.channelOrder) ? fields.channelOrder.filter((id) => typeof id === 'string') : Object.keys(accounts);
  return order.flatMap((id) => {
    const rows = accounts[id];
    if (!Array.isArray(rows)) return [];
    return rows.filter(isFields).map((row) => {
      const account = stringOf(row.accountId) ?? 'default';
      const label = stringOf(labels[id]) ?? id;
      return { id, account, name: rows.length > 1 ? `${label} · ${account}` : label, ...channelWord(row), problem: stringOf(row.lastError) || undefined };
    });
  });
}

function channelWord(row: Record<string, unknown>): { mood: Mood | 'plain'; word: string } {
  const said = words.channel;
  if (row.enabled === false) return { mood: 'plain', word: said.off };
  if (row.configured === false) return { mood: 'warn', word: said.unconfigured };
  if (row.healthState === 'stale-socket') return { mood: 'bad', word: said.silent };
  if (row.connected === true) return { mood: 'good', word: said.connected };
  if (row.running === true) return { mood: 'warn', word: said.connecting };
  return row.lastError ? { mood: 'bad', word: said.failed } : { mood: 'plain', word: said.stopped };
}

export interface Seen {
  modelConfigured: boolean;
  healthy: boolean;
  channels: readonly ChannelState[];
  budgets: readonly BudgetStatus[];
  jobs: readonly CronJob[];
  waitingNodes: number;
  /** When things went wrong lately. */
  mishaps: readonly Mishap[];
  now: number;
  disk: { free: number | undefined; total: number | undefined };
}

/** What is wrong, the worst first. */
export function troubles(seen: Seen): Trouble[] {
  const said = words.trouble;
  const found: Trouble[] = [];
  if (!seen.healthy) found.push({ mood: 'bad', text: said.unhealthy, page: 'logs', params: { level: 'error' }, action: said.openLogs });
  if (!seen.modelConfigured) found.push({ mood: 'bad', text: said.noModel, page: 'setup', action: said.setUp });
  for (const channel of seen.channels.filter(({ mood }) => mood === 'bad' || mood === 'warn').slice(0, NAMED_MAX)) {
    found.push({ mood: channel.mood === 'bad' ? 'bad' : 'warn', text: said.channel(channel.name, channel.word, channel.problem), page: 'channels', action: said.openChannels });
  }
  for (const budget of seen.budgets.filter((one) => budgetShare(one) >= BUDGET_NEAR).slice(0, NAMED_MAX)) {
    const full = budgetShare(budget) >= 1;
    found.push({ mood: full ? 'bad' : 'warn', text: said.budget(budgetName(budget), percent(budgetShare(budget)), full), page: 'usage', action: said.openUsage });
  }
  const failing = seen.jobs.filter((job) => job.state?.autoDisabled || job.lastRunStatus === 'error' || job.state?.lastStatus === 'error');
  for (const job of failing.slice(0, NAMED_MAX)) {
    const off = Boolean(job.state?.autoDisabled);
    found.push({ mood: off ? 'bad' : 'warn', text: off ? said.jobOff(jobName(job)) : said.jobFailed(jobName(job)), page: 'cron', params: { job: job.id }, action: said.openCron });
  }
  const fresh = seen.mishaps.filter((one) => seen.now - one.at < LATELY_MS);
  if (fresh.length > 0) found.push({ mood: 'warn', text: said.errors(fresh.length), page: 'logs', params: { level: 'warn' }, action: said.openLogs });
  if (seen.waitingNodes > 0) found.push({ mood: 'warn', text: said.nodes(seen.waitingNodes), page: 'nodes', action: said.openNodes });
  const { free, total } = seen.disk;
  if (free !== undefined && total && (free / total < DISK_LOW || free < DISK_LOW_BYTES)) {
    found.push({ mood: 'warn', text: said.disk(percent(free / total)), page: 'debug', action: said.openDebug });
  }
  return found.toSorted((a, b) => Number(b.mood === 'bad') - Number(a.mood === 'bad'));
}

/** How much of a budget is gone; a limit of nothing is full. */
export function budgetShare(budget: Any<BudgetStatus>): number {
  const limit = numberOf(budget.limit) ?? 0;
  const used = numberOf(budget.used) ?? 0;
  return limit > 0 ? used / limit : 1;
}

/** `budgets.gateway.day.usd` as people say it. */
export function budgetName(budget: Any<BudgetStatus>): string {
  const parts = (budget.path ?? '').split('.').filter((part) => part !== 'budgets');
  const period = parts.find((part) => part in words.budget.periods);
  const scope = parts.find((part) => part in words.budget.scopes);
  const scopes: Record<string, string> = words.budget.scopes;
  const periods: Record<string, string> = words.budget.periods;
  const whose = budget.whose ? words.budget.whose(budget.whose) : scope ? (scopes[scope] ?? scope) : (parts[0] ?? '');
  return period ? words.budget.name(whose, periods[period] ?? period) : whose || words.budget.unnamed;
}

export function budgetAmount(value: number, unit: string): string {
  return unit === 'usd' ? money(value) : words.budget.tokens(value);
}

export function jobName(job: Pick<CronJob, 'id'> & Any<CronJob>): string {
  return job.displayName || job.name || job.id;
}

/** The jobs that run next, soonest first; running ones before them. */
export function nextJobs(jobs: readonly CronJob[], most: number): CronJob[] {
  const due = (job: CronJob): number => (job.state?.runningAtMs ? 0 : (nextRun(job) ?? Number.POSITIVE_INFINITY));
  return jobs
    .filter((job) => job.enabled !== false && Number.isFinite(due(job)))
    .toSorted((a, b) => due(a) - due(b))
    .slice(0, most);
}

export function nextRun(job: CronJob): number | undefined {
  return numberOf(job.nextRunAtMs) ?? numberOf(job.state?.nextRunAtMs);
}

/** A schedule in words; a cron line stays one, with its place in the world. */
export function scheduleWords(job: CronJob): string {
  const schedule = fieldsOf(job.schedule);
  const said = words.schedule;
  if (schedule.kind === 'every') return said.every(span(numberOf(schedule.everyMs)));
  if (schedule.kind === 'cron') return said.cron(stringOf(schedule.expr) ?? '', stringOf(schedule.tz));
  if (schedule.kind === 'at') return said.once;
  return said.other;
}

/** Who is connected, this browser and the gateway itself told apart from others. */
export function presenceName(entry: Any<PresenceEntry>): string {
  return entry.host || entry.clientId || entry.deviceFamily || words.presence.unnamed;
}

/** Sums of today and of this month, by the dates the gateway itself uses. */
export function spent(daily: readonly Any<UsageDay>[]): { today: number; month: number; tokensToday: number; callsToday: number } {
  const last = daily.at(-1);
  const month = (last?.date ?? '').slice(0, 7);
  const sum = daily.filter((day) => month !== '' && day.date?.startsWith(month)).reduce((all, day) => all + (numberOf(day.totalCost) ?? 0), 0);
  return { today: numberOf(last?.totalCost) ?? 0, month: sum, tokensToday: numberOf(last?.totalTokens) ?? 0, callsToday: numberOf(last?.calls) ?? 0 };
}

export interface Mishap {
  at: number;
  source: string;
  text: string;
  /** The conversation it happened in. */
  session: string | undefined;
}

/** What went wrong lately: runs that failed and lines of the log, newest first. */
export function mishaps(lines: readonly LogLine[], runs: readonly RunUsage[]): Mishap[] {
  const logged = lines.filter((line) => line.level === 'error' || line.level === 'fatal').map((line): Mishap => ({ at: line.at ?? 0, source: line.subsystem, text: line.message, session: undefined }));
  const failed = runs
    .filter((run) => run.error && run.status !== 'ok' && run.status !== 'aborted')
    .map((run): Mishap => ({ at: run.endedAt ?? run.startedAt ?? 0, source: words.errors.run, text: run.error ?? '', session: run.sessionKey }));
  return [...logged, ...failed].toSorted((a, b) => b.at - a.at).slice(0, ERRORS_SHOWN);
}

export interface Curves {
  turns: PlotData;
  tokens: PlotData;
  cost: PlotData;
  latency: PlotData;
  sums: { turns: number; tokens: number; cost: number; errors: number; slow: number | undefined };
}

/** The four plots of a row of hours. */
export function curves(hours: readonly Any<UsageHour>[]): Curves {
  const at = hours.map((hour) => numberOf(hour.at) ?? 0);
  const of = (name: keyof UsageHour): number[] => hours.map((hour) => numberOf(hour[name]) ?? 0);
  const measured = (name: keyof UsageHour): (number | null)[] => hours.map((hour) => numberOf(hour[name]) ?? null);
  const said = words.plots;
  const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
  const [turns, input, output, cost, errors, slow] = [of('turns'), of('inputTokens'), of('outputTokens'), of('cost'), of('errors'), measured('latencyP95Ms')];
  const known = slow.filter((value) => value !== null);
  return {
    turns: {
      at,
      series: [
        { name: said.turns, colour: '--plot-2', values: turns },
        { name: said.errors, colour: '--plot-1', values: errors },
      ],
    },
    tokens: {
      at,
      series: [
        { name: said.input, colour: '--plot-2', values: input },
        { name: said.output, colour: '--plot-4', values: output },
      ],
    },
    cost: { at, series: [{ name: said.cost, colour: '--plot-3', values: cost }] },
    latency: {
      at,
      series: [
        { name: said.half, colour: '--plot-5', values: measured('latencyP50Ms') },
        { name: said.slow, colour: '--plot-4', values: slow },
      ],
    },
    sums: { turns: sum(turns), tokens: sum(input) + sum(output), cost: sum(cost), errors: sum(errors), slow: known.length > 0 ? Math.max(...known) : undefined },
  };
}
