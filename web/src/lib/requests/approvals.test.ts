// Questions to the person: asked, listed, answered, ended elsewhere.
import { beforeEach, describe, expect, it } from 'vitest';
import { Approvals, readApproval } from './approvals.svelte';
import { GatewayError } from '../connection/gateway';

const asked = (id: string, request: Record<string, unknown> = {}) => ({
  approvalKind: 'exec',
  id,
  request: { command: 'ls', host: 'gateway', reasons: ['not on the allowlist'], allowedDecisions: ['allow-once', 'deny'], ...request },
  createdAtMs: 1000,
  expiresAtMs: 121_000,
});

let lists: Record<string, unknown>;
let sent: Array<[string, unknown]>;
let refusal: GatewayError | undefined;
let approvals: Approvals;

beforeEach(() => {
  lists = { 'exec.approval.list': [], 'plugin.approval.list': [] };
  sent = [];
  refusal = undefined;
  const request = ((method: string, params: unknown) => {
    sent.push([method, params]);
    if (method.endsWith('.resolve')) return refusal ? Promise.reject(refusal) : Promise.resolve({ ok: true });
    return Promise.resolve(lists[method]);
  }) as never;
  approvals = new Approvals({ request });
});

const ids = (): string[] => approvals.pending.map((one) => one.id);

describe('reading', () => {
  it('takes everything a person decides on', () => {
    const read = readApproval('exec', asked('a', { cwd: '/tmp', resolvedPath: '/bin/ls', sessionKey: 'agent:main:x', allowedDecisions: ['allow-once', 'allow-always', 'deny'] }), 5000);
    expect(read).toEqual({
      kind: 'exec',
      id: 'a',
      tool: 'exec',
      what: 'ls',
      cwd: '/tmp',
      host: 'gateway',
      agentId: undefined,
      program: '/bin/ls',
      reasons: ['not on the allowlist'],
      canAlways: true,
      sessionKey: 'agent:main:x',
      expiresAt: 125_000,
    });
  });

  it('shows the whole action of another tool', () => {
    const read = readApproval('plugin', { ...asked('p'), request: { title: 't', description: 'short', detail: 'whole', toolName: 'web_fetch' } });
    expect(read).toMatchObject({ tool: 'web_fetch', what: 'whole', canAlways: false, reasons: [], expiresAt: 121_000 });
  });

  it('takes reasons as text from gateways that have no list', () => {
    expect(readApproval('exec', asked('a', { reasons: undefined, warningText: 'one\n\ntwo' }))?.reasons).toEqual(['one', 'two']);
  });

  it.each([undefined, {}, { id: 'x' }, { id: 'x', request: {} }, { request: { command: 'ls' } }, []])('%j is no question', (value) => {
    expect(readApproval('exec', value)).toBeUndefined();
  });
});

describe('what waits', () => {
  it('is asked once and goes when it ends anywhere', () => {
    expect(approvals.onEvent('chat', {})).toBe(false);
    expect(approvals.onEvent('exec.approval.requested', asked('a'))).toBe(true);
    approvals.onEvent('exec.approval.requested', asked('a'));
    approvals.onEvent('plugin.approval.requested', { ...asked('p'), request: { title: 't', toolName: 'web_fetch' } });
    expect(ids()).toEqual(['a', 'p']);
    approvals.onEvent('exec.approval.resolved', { id: 'a', decision: 'deny' });
    expect(ids()).toEqual(['p']);
  });

  it('is fetched, without what ended meanwhile', async () => {
    approvals.onEvent('exec.approval.requested', asked('gone'));
    lists['exec.approval.list'] = [asked('late'), asked('b'), 'nonsense'];
    const fetching = approvals.refresh();
    approvals.onEvent('exec.approval.resolved', { id: 'late' });
    await fetching;
    expect(ids()).toEqual(['b']);
  });

  it('survives a gateway that knows no approvals', async () => {
    lists['exec.approval.list'] = Promise.reject(new GatewayError('FORBIDDEN', 'missing scope'));
    await approvals.refresh();
    expect(ids()).toEqual([]);
  });
});

describe('answering', () => {
  const answer = (decision: 'allow-once' | 'deny' = 'allow-once') => approvals.answer(approvals.pending[0]!, decision);

  it('goes to the method of its kind', async () => {
    approvals.onEvent('plugin.approval.requested', { ...asked('p'), request: { title: 't' } });
    await answer('deny');
    expect(sent).toEqual([['plugin.approval.resolve', { id: 'p', decision: 'deny' }]]);
    expect(ids()).toEqual([]);
  });

  it.each([new GatewayError('APPROVAL_NOT_FOUND', 'gone'), new GatewayError('INVALID_REQUEST', 'late', { reason: 'APPROVAL_ALREADY_RESOLVED' })])(
    'takes a question off that is over: %s',
    async (error) => {
      approvals.onEvent('exec.approval.requested', asked('a'));
      refusal = error;
      await answer();
      expect([ids(), approvals.problem]).toEqual([[], undefined]);
    },
  );

  it('keeps the question and says so when the answer did not arrive', async () => {
    approvals.onEvent('exec.approval.requested', asked('a'));
    refusal = new GatewayError('DISCONNECTED', 'not connected');
    await answer();
    expect([ids(), approvals.problem]).toEqual([['a'], 'That did not work: not connected']);
  });
});
