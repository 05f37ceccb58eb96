// Everything the overview asks for, fetched together and again when something happened.
import type { App } from '../app.svelte';
import { Loaded } from '../loaded.svelte';
import { type LogLine, readLine } from '../logs/logs';
import { type ChannelState, type Mishap, type Trouble, channelStates, mishaps, nextJobs, spent, troubles } from './overview';
import { fieldsOf, numberOf } from '../read';
import type { CronJob, MethodName, Methods } from '../connection/wire';

const REFRESH_MS = 30_000;
const LOG_LINES = 1_000;
const RUNS = 30;
const JOBS = 100;
const JOBS_SHOWN = 5;
/** A month and the days of the one before that a clock elsewhere may still be in. */
const DAYS = 32;

type Answer<M extends MethodName> = Methods[M]['result'] | undefined;

interface Look {
  health: Answer<'health'>;
  status: Answer<'status'>;
  system: Answer<'system.info'>;
  channels: Answer<'channels.status'>;
  nodes: Answer<'node.list'>;
  presence: Answer<'system-presence'>;
  cron: Answer<'cron.status'>;
  jobs: Answer<'cron.list'>;
  budgets: Answer<'usage.status'>;
  cost: Answer<'usage.cost'>;
  lines: readonly LogLine[];
  runs: Answer<'usage.runs'>;
}

export class Overview {
  readonly look: Loaded<Look>;

  constructor(private readonly app: App) {
    this.look = new Loaded(() => this.#fetch(), ['health', 'presence', 'cron', 'sessions.changed', 'config.changed', 'node.pair.requested', 'node.pair.resolved', 'shutdown']);
  }

  follow(): () => void {
    const stop = this.look.follow(this.app);
    const timer = setInterval(() => {
      if (!document.hidden) void this.look.refresh();
    }, REFRESH_MS);
    return () => {
      clearInterval(timer);
      stop();
    };
  }

  /** One part that does not answer leaves the others alone; none at all is a failure. */
  async #fetch(): Promise<Look> {
    const failures: unknown[] = [];
    const ask = async <M extends MethodName>(method: M, params: Methods[M]['params']): Promise<Answer<M>> => {
      try {
        return await this.app.request(method, params);
      } catch (error) {
        failures.push(error);
        return undefined;
      }
    };
    const [status, health, system, channels, nodes, presence, cron, jobs, budgets, cost, log, runs] = await Promise.all([
      ask('status', {}),
      ask('health', {}),
      ask('system.info', {}),
      ask('channels.status', {}),
      ask('node.list', {}),
      ask('system-presence', {}),
      ask('cron.status', {}),
      ask('cron.list', { includeDisabled: true, limit: JOBS, sortBy: 'nextRunAtMs' }),
      ask('usage.status', {}),
      ask('usage.cost', { days: DAYS, mode: 'gateway' }),
      ask('logs.tail', { limit: LOG_LINES }),
      ask('usage.runs', { limit: RUNS }),
    ]);
    if (status === undefined && health === undefined) throw failures[0];
    const lines = (Array.isArray(log?.lines) ? log.lines : []).map((line, index) => readLine(String(line), index));
    return { health, status, system, channels, nodes, presence, cron, jobs, budgets, cost, lines, runs };
  }

  get jobs(): readonly CronJob[] {
    return this.look.value?.jobs?.jobs ?? [];
  }

  get next(): readonly CronJob[] {
    return nextJobs(this.jobs, JOBS_SHOWN);
  }

  get channels(): readonly ChannelState[] {
    return channelStates(this.look.value?.channels);
  }

  get mishaps(): readonly Mishap[] {
    return mishaps(this.look.value?.lines ?? [], this.look.value?.runs?.runs ?? []);
  }

  get spent(): ReturnType<typeof spent> | undefined {
    const daily = this.look.value?.cost?.daily;
    return daily && spent(daily);
  }

  get troubles(): readonly Trouble[] | undefined {
    const value = this.look.value;
    if (!value) return undefined;
    const hello = this.app.connection.kind === 'ready' ? this.app.connection.hello : undefined;
    const defaults = fieldsOf(fieldsOf(hello?.snapshot).sessionDefaults);
    return troubles({
      modelConfigured: defaults.modelConfigured !== false,
      healthy: fieldsOf(value.health).ok !== false,
      channels: this.channels,
      budgets: value.budgets?.budgets ?? [],
      jobs: this.jobs,
      waitingNodes: (value.nodes?.nodes ?? []).filter((node) => node.approvalState === 'pending-approval' || node.approvalState === 'pending-reapproval').length,
      mishaps: this.mishaps,
      now: Date.now(),
      disk: { free: numberOf(value.system?.diskAvailableBytes), total: numberOf(value.system?.diskTotalBytes) },
    });
  }
}
