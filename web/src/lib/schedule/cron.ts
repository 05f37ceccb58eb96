// What lists of jobs say about them.
import type { Tone } from '../../kit/Badge.svelte';
import { type Job, type Run } from './draft';

export type JobState = 'running' | 'off' | 'given-up' | 'failing' | 'ok' | 'waiting';
export type Shown = 'all' | 'on' | 'off' | 'failing';

export function stateOf(job: Job): JobState {
  if (job.state?.runningAtMs) return 'running';
  if (job.enabled === false) return job.state?.autoDisabled ? 'given-up' : 'off';
  const last = job.state?.lastRunStatus ?? job.lastRunStatus;
  if (last === 'error') return 'failing';
  return last === 'ok' ? 'ok' : 'waiting';
}

export const STATE_TONES: Readonly<Record<JobState, Tone>> = { running: 'warn', off: 'plain', 'given-up': 'bad', failing: 'bad', ok: 'good', waiting: 'plain' };

export function toneOfRun(run: Pick<Run, 'status'>): Tone {
  if (run.status === 'ok') return 'good';
  return run.status === 'error' ? 'bad' : 'warn';
}

/** The jobs a filter and some words leave. */
export function shownJobs(jobs: readonly Job[], shown: Shown, words: string): Job[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return jobs.filter((job) => {
    const state = stateOf(job);
    if (shown === 'on' && job.enabled === false) return false;
    if (shown === 'off' && job.enabled !== false) return false;
    if (shown === 'failing' && state !== 'failing' && state !== 'given-up') return false;
    const text = [job.name, job.displayName, job.description, textOfJob(job)].join(' ').toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** What it says or does, in its own words. */
export function textOfJob(job: Job): string {
  const payload = job.payload;
  if (payload.kind === 'agentTurn') return payload.message;
  if (payload.kind === 'systemEvent') return payload.text;
  return payload.kind === 'command' ? payload.argv.join(' ') : payload.script;
}

/** What the gateway says about parameters, without how it names them. */
export function plainProblem(message: string): string {
  return message.replace(/^invalid [\w.]+ params: /, '').replace(/^at \/\S*: /, '');
}

/** Joins another page of runs to those that are there, each once. */
export function joined(runs: readonly Run[], more: readonly Run[]): Run[] {
  const key = (run: Run): string => run.runId ?? `${run.jobId} ${run.ts}`;
  const known = new Set(runs.map(key));
  return [...runs, ...more.filter((run) => !known.has(key(run)))];
}
