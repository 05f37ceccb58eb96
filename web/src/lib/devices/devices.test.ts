// Devices that ask to be let in: told, listed, answered, ended elsewhere.
import { beforeEach, describe, expect, it } from 'vitest';
import { Devices, readRequest, scopeWords } from './devices.svelte';
import { GatewayError } from '../connection/gateway';

const asked = (requestId: string, more: Record<string, unknown> = {}) => ({
  requestId,
  deviceId: 'd1',
  publicKey: 'k',
  displayName: 'Phone',
  platform: 'ios',
  clientId: 'openclaw-ios',
  clientMode: 'ui',
  role: 'operator',
  roles: ['operator'],
  scopes: ['operator.read', 'operator.new'],
  remoteIp: '192.0.2.7',
  silent: false,
  isRepair: false,
  ts: 1,
  ...more,
});

let pending: unknown;
let sent: Array<[string, unknown]>;
let refusal: GatewayError | undefined;
let devices: Devices;

beforeEach(() => {
  pending = [];
  sent = [];
  refusal = undefined;
  const request = ((method: string, params: unknown) => {
    sent.push([method, params]);
    if (refusal) return Promise.reject(refusal);
    return Promise.resolve(method === 'device.pair.list' ? { pending, paired: [] } : {});
  }) as never;
  devices = new Devices({ request });
});

const ids = (): string[] => devices.pending.map((one) => one.id);

describe('reading', () => {
  it('takes everything a person decides on', () => {
    expect(readRequest(asked('a', { browserOrigin: 'http://homard.test', isRepair: true }))).toEqual({
      id: 'a',
      deviceId: 'd1',
      name: 'Phone',
      program: 'openclaw-ios',
      platform: 'ios',
      role: 'operator',
      scopes: ['operator.read', 'operator.new'],
      from: '192.0.2.7 (http://homard.test)',
      wantsMore: true,
    });
  });

  it.each([undefined, {}, [], { requestId: 'a' }, asked('a', { silent: true })])('%j is nothing to ask about', (value) => {
    expect(readRequest(value)).toBeUndefined();
  });

  it('says what is granted in words, and keeps the name of what it does not know', () => {
    expect(scopeWords(readRequest(asked('a'))!)).toEqual(['read chats and settings', 'operator.new']);
    expect(scopeWords(readRequest(asked('a', { scopes: [] }))!)).toEqual(['nothing yet']);
    expect(scopeWords(readRequest(asked('a', { role: 'node' }))!)).toEqual(['offer its commands as a node']);
  });
});

describe('what waits', () => {
  it('is asked once and goes when it ends anywhere', () => {
    expect(devices.onEvent('chat', {})).toBe(false);
    expect(devices.onEvent('device.pair.requested', asked('a'))).toBe(true);
    devices.onEvent('device.pair.requested', asked('a'));
    devices.onEvent('device.pair.requested', asked('b'));
    expect(ids()).toEqual(['a', 'b']);
    devices.onEvent('device.pair.resolved', { requestId: 'a', decision: 'rejected' });
    expect(ids()).toEqual(['b']);
  });

  it('is fetched, without what ended meanwhile', async () => {
    devices.onEvent('device.pair.requested', asked('expired'));
    pending = [asked('late'), asked('b'), 'nonsense'];
    const fetching = devices.refresh();
    devices.onEvent('device.pair.resolved', { requestId: 'late' });
    await fetching;
    expect(ids()).toEqual(['b']);
  });

  it('survives a page that may not decide', async () => {
    refusal = new GatewayError('FORBIDDEN', 'missing scope');
    await devices.refresh();
    expect(ids()).toEqual([]);
  });
});

describe('answering', () => {
  it.each(['approve', 'reject'] as const)('%s names the request', async (decision) => {
    devices.onEvent('device.pair.requested', asked('a'));
    await devices.answer(devices.pending[0]!, decision);
    expect(sent).toEqual([[`device.pair.${decision}`, { requestId: 'a' }]]);
    expect(ids()).toEqual([]);
  });

  it('shows why it did not work and keeps the question', async () => {
    devices.onEvent('device.pair.requested', asked('a'));
    refusal = new GatewayError('FORBIDDEN', 'missing scope: operator.admin');
    await devices.answer(devices.pending[0]!, 'approve');
    expect(devices.problem).toContain('missing scope: operator.admin');
    expect(ids()).toEqual(['a']);
  });

  it('lets go of a question that is over', async () => {
    devices.onEvent('device.pair.requested', asked('a'));
    refusal = new GatewayError('INVALID_REQUEST', 'unknown requestId');
    await devices.answer(devices.pending[0]!, 'approve');
    expect([ids(), devices.problem]).toEqual([[], undefined]);
  });
});
