// A job as a person fills it in: to what the gateway takes, and back. Fields the form does not
// show are left as they are when a job is changed.
import { fromSchedule, newSchedule, type ScheduleDraft, type ScheduleProblem, toSchedule } from './schedule';
import type { Methods } from '../connection/wire';

export type Job = Methods['cron.get']['result'];
export type AddParams = Methods['cron.add']['params'];
export type Run = Methods['cron.runs']['result']['entries'][number];

export const MAX_NAME = 200;
export const MAX_TEXT = 65_536;
export const MAX_TIMEOUT_S = 7_200;
export const THINKING: readonly string[] = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'];

export type Task = 'agentTurn' | 'systemEvent';
export type Place = 'isolated' | 'current' | 'session';
export type Delivery = 'announce' | 'none' | 'webhook';

export interface JobDraft {
  name: string;
  description: string;
  schedule: ScheduleDraft;
  task: Task;
  text: string;
  /** Whether an event starts a turn now, or waits for the next. */
  wakeNow: boolean;
  agentId: string;
  place: Place;
  /** The session of `place: 'session'`. */
  sessionKey: string;
  model: string;
  thinking: string;
  /** Seconds, or nothing for the usual. */
  timeout: string;
  delivery: Delivery;
  channel: string;
  to: string;
  webhook: string;
  /** Failures in a row after which the main chat is told; nothing for the gateway's own rule. */
  alertAfter: string;
  /** Kept after it ran, when it is due only once. */
  keep: boolean;
}

export type Problem = 'name' | 'text' | 'session' | 'timeout' | 'webhook' | 'alert' | 'to' | ScheduleProblem;

export function newJob(now: number): JobDraft {
  return {
    name: '',
    description: '',
    schedule: newSchedule(now),
    task: 'agentTurn',
    text: '',
    wakeNow: true,
    agentId: '',
    place: 'isolated',
    sessionKey: '',
    model: '',
    thinking: '',
    timeout: '',
    delivery: 'announce',
    channel: '',
    to: '',
    webhook: '',
    alertAfter: '',
    keep: false,
  };
}

export function draftOf(job: Job, now: number): JobDraft {
  const draft = newJob(now);
  const payload = job.payload;
  const delivery = job.delivery;
  const alert = typeof job.failureAlert === 'object' ? job.failureAlert : undefined;
  return {
    ...draft,
    name: job.name,
    description: job.description ?? '',
    schedule: fromSchedule(job.schedule, now),
    task: payload.kind === 'systemEvent' ? 'systemEvent' : 'agentTurn',
    text: payload.kind === 'systemEvent' ? payload.text : payload.kind === 'agentTurn' ? payload.message : '',
    wakeNow: job.wakeMode !== 'next-heartbeat',
    agentId: job.agentId ?? '',
    place: job.sessionTarget === 'current' ? 'current' : job.sessionTarget.startsWith('session:') ? 'session' : 'isolated',
    sessionKey: job.sessionTarget.startsWith('session:') ? job.sessionTarget.slice('session:'.length) : '',
    model: payload.kind === 'agentTurn' ? (payload.model ?? '') : '',
    thinking: payload.kind === 'agentTurn' ? (payload.thinking ?? '') : '',
    timeout: payload.kind === 'agentTurn' && typeof payload.timeoutSeconds === 'number' ? String(payload.timeoutSeconds) : '',
    delivery: delivery?.mode ?? 'none',
    channel: delivery?.mode === 'announce' ? (delivery.channel ?? '') : '',
    to: delivery?.mode === 'announce' ? (delivery.to ?? '') : '',
    webhook: delivery?.mode === 'webhook' ? (delivery.to ?? '') : '',
    alertAfter: typeof alert?.after === 'number' ? String(alert.after) : '',
    keep: job.deleteAfterRun === false,
  };
}

/** Whether this page can say everything about a job; others are shown, not changed. */
export function isEditable(job: Job): boolean {
  const task = job.payload.kind === 'systemEvent' || job.payload.kind === 'agentTurn';
  return task && (job.schedule.kind === 'at' || job.schedule.kind === 'every' || job.schedule.kind === 'cron');
}

export function problemsOf(draft: JobDraft, before?: Job): Problem[] {
  const found: Problem[] = [];
  const name = draft.name.trim();
  if (name === '' || [...name].length > MAX_NAME) found.push('name');
  const schedule = toSchedule(draft.schedule, before?.schedule);
  if ('problem' in schedule) found.push(schedule.problem);
  if (draft.text.trim() === '' || [...draft.text].length > MAX_TEXT) found.push('text');
  const works = draft.task === 'agentTurn';
  if (works && draft.place === 'session' && draft.sessionKey.trim() === '') found.push('session');
  if (works && !isCount(draft.timeout, 1, MAX_TIMEOUT_S)) found.push('timeout');
  if (works && draft.delivery === 'webhook' && !isWebAddress(draft.webhook)) found.push('webhook');
  if (works && draft.delivery === 'announce' && draft.channel !== '' && draft.to.trim() === '') found.push('to');
  if (!isCount(draft.alertAfter, 1, 1000)) found.push('alert');
  return found;
}

function isCount(text: string, least: number, most: number): boolean {
  const number = Number(text);
  return text.trim() === '' || (Number.isInteger(number) && number >= least && number <= most);
}

function isWebAddress(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text.trim()).protocol);
  } catch {
    return false;
  }
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** What changes with `cron.update`; nothing in a field clears it. */
export function patchOf(draft: JobDraft, before?: Job): Record<string, unknown> {
  const schedule = toSchedule(draft.schedule, before?.schedule);
  if ('problem' in schedule) throw new Error(schedule.problem);
  const works = draft.task === 'agentTurn';
  const patch: Record<string, unknown> = {
    name: draft.name.trim(),
    description: orNull(draft.description),
    agentId: orNull(draft.agentId),
    schedule: schedule.schedule,
    sessionTarget: !works ? 'main' : draft.place === 'session' ? `session:${draft.sessionKey.trim()}` : draft.place,
    wakeMode: works || draft.wakeNow ? 'now' : 'next-heartbeat',
    payload: works
      ? { kind: 'agentTurn', message: draft.text, model: orNull(draft.model), thinking: orNull(draft.thinking), timeoutSeconds: draft.timeout.trim() === '' ? null : Number(draft.timeout) }
      : { kind: 'systemEvent', text: draft.text },
    delivery: works ? deliveryOf(draft) : null,
    failureAlert: draft.alertAfter.trim() === '' ? (typeof before?.failureAlert === 'boolean' ? before.failureAlert : null) : { after: Number(draft.alertAfter) },
    deleteAfterRun: schedule.schedule.kind === 'at' ? !draft.keep : null,
  };
  return patch;
}

function deliveryOf(draft: JobDraft): Record<string, unknown> {
  if (draft.delivery === 'webhook') return { mode: 'webhook', to: draft.webhook.trim(), channel: null };
  if (draft.delivery === 'none') return { mode: 'none', to: null, channel: null };
  return { mode: 'announce', channel: orNull(draft.channel), to: draft.channel === '' ? null : orNull(draft.to) };
}

/** The same as a new job: what is nothing is left out. */
export function addParams(draft: JobDraft): AddParams {
  return withoutNulls(patchOf(draft)) as unknown as AddParams;
}

function withoutNulls(fields: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue;
    kept[name] = typeof value === 'object' && !Array.isArray(value) ? withoutNulls(value as Record<string, unknown>) : value;
  }
  return kept;
}
