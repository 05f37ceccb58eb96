import { describe, expect, it } from 'vitest';
import { joined, plainProblem, shownJobs, stateOf } from './cron';
import { addParams, draftOf, isEditable, type Job, type JobDraft, newJob, patchOf, problemsOf, type Run } from './draft';

const NOW = Date.UTC(2026, 10, 16, 12);

function job(patch: Partial<Job> = {}): Job {
  return {
    id: 'j1',
    name: 'digest',
    enabled: true,
    schedule: { kind: 'cron', expr: '0 9 * * *', tz: 'UTC' },
    sessionTarget: 'isolated',
    wakeMode: 'now',
    payload: { kind: 'agentTurn', message: 'Sum up my mail' },
    createdAtMs: NOW,
    updatedAtMs: NOW,
    state: {},
    ...patch,
  };
}

const draft = (patch: Partial<JobDraft>): JobDraft => ({ ...newJob(NOW), name: 'digest', text: 'Sum up my mail', ...patch });

describe('jobs', () => {
  it('are what they do, whether they run and how they fared', () => {
    expect(stateOf(job())).toBe('waiting');
    expect(stateOf(job({ state: { runningAtMs: 1 } }))).toBe('running');
    expect(stateOf(job({ enabled: false }))).toBe('off');
    expect(stateOf(job({ enabled: false, state: { autoDisabled: { reason: 'consecutive-failures', atMs: 1, consecutiveErrors: 10 } } }))).toBe('given-up');
    expect(stateOf(job({ state: { lastRunStatus: 'error' } }))).toBe('failing');
    expect(stateOf(job({ state: { lastRunStatus: 'ok' } }))).toBe('ok');
  });

  it('are found by words of their name and of what they do', () => {
    const jobs = [job(), job({ id: 'j2', name: 'tea', enabled: false, payload: { kind: 'systemEvent', text: 'The TEA is ready' } })];
    const ids = (...args: [Parameters<typeof shownJobs>[1], string]): string[] => shownJobs(jobs, ...args).map(({ id }) => id);
    expect(ids('all', '')).toEqual(['j1', 'j2']);
    expect(ids('all', 'ready tea')).toEqual(['j2']);
    expect(ids('on', '')).toEqual(['j1']);
    expect(ids('off', 'mail')).toEqual([]);
  });

  it('are asked for with nothing that was left empty', () => {
    const params = addParams(draft({ schedule: { ...newJob(NOW).schedule, rhythm: 'interval', every: 5, unit: 'minutes' } }));
    expect(params).toEqual({
      name: 'digest',
      schedule: { kind: 'every', everyMs: 300_000 },
      sessionTarget: 'isolated',
      wakeMode: 'now',
      payload: { kind: 'agentTurn', message: 'Sum up my mail' },
      delivery: { mode: 'announce' },
    });
    const event = addParams(draft({ task: 'systemEvent', wakeNow: false }));
    expect(event).toMatchObject({ sessionTarget: 'main', wakeMode: 'next-heartbeat', payload: { kind: 'systemEvent' } });
    expect(event.delivery).toBeUndefined();
  });

  it('survive being read into the form and written again', () => {
    const before = job({
      description: 'about',
      agentId: 'work',
      sessionTarget: 'session:agent:work:main',
      payload: { kind: 'agentTurn', message: 'Look', model: 'fake/one', thinking: 'low', timeoutSeconds: 60 },
      delivery: { mode: 'announce', channel: 'telegram', to: '42' },
      failureAlert: { after: 3 },
    });
    expect(patchOf(draftOf(before, NOW), before)).toEqual({
      name: 'digest',
      description: 'about',
      agentId: 'work',
      schedule: before.schedule,
      sessionTarget: 'session:agent:work:main',
      wakeMode: 'now',
      payload: before.payload,
      delivery: before.delivery,
      failureAlert: { after: 3 },
      deleteAfterRun: null,
    });
  });

  it('are refused field by field before the gateway is asked', () => {
    const cases: [Partial<JobDraft>, string][] = [
      [{ name: ' ' }, 'name'],
      [{ name: 'x'.repeat(201) }, 'name'],
      [{ text: '' }, 'text'],
      [{ text: 'x'.repeat(65_537) }, 'text'],
      [{ place: 'session' }, 'session'],
      [{ timeout: '-1' }, 'timeout'],
      [{ timeout: '9000' }, 'timeout'],
      [{ delivery: 'webhook', webhook: 'javascript:alert(1)' }, 'webhook'],
      [{ delivery: 'announce', channel: 'telegram', to: '' }, 'to'],
      [{ alertAfter: '0' }, 'alert'],
    ];
    for (const [patch, problem] of cases) expect(problemsOf(draft(patch)), JSON.stringify(patch).slice(0, 80)).toEqual([problem]);
    expect(problemsOf(draft({}))).toEqual([]);
  });

  it('of kinds the page has no form for are not changed by it', () => {
    expect(isEditable(job())).toBe(true);
    expect(isEditable(job({ schedule: { kind: 'on-exit', command: 'make' } }))).toBe(false);
    expect(isEditable(job({ payload: { kind: 'script', script: 'x' } }))).toBe(false);
  });

  it('keep each run once when pages of history overlap', () => {
    const run = (runId: string): Run => ({ ts: 1, jobId: 'j', action: 'finished', runId });
    expect(joined([run('a'), run('b')], [run('b'), run('c')]).map(({ runId }) => runId)).toEqual(['a', 'b', 'c']);
  });

  it('are refused in plain words', () => {
    expect(plainProblem('invalid cron.preview params: `x` is not a cron expression')).toBe('`x` is not a cron expression');
    expect(plainProblem('at /limit: must be between 1 and 5')).toBe('must be between 1 and 5');
  });
});
