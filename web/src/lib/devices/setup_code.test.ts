// @vitest-environment jsdom
// Adding a device: a code is made, shown, and used.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SetupCode, addressProblem, likelyAddress } from './setup_code.svelte';
import type { Listener } from '../app.svelte';
import { words } from '../../words/nodes';

const ANSWER = { setupId: 's1', setupCode: 'abc', gatewayUrl: 'ws://192.168.1.2:1', access: 'limited', accessDowngraded: true, expiresAtMs: 99 };
let asked: [string, Record<string, unknown>][];
let answers: unknown[];
let listeners: Set<Listener>;
let setup: SetupCode;

beforeEach(() => {
  vi.useFakeTimers();
  [asked, answers, listeners] = [[], [], new Set()];
  const request = ((method: string, params: Record<string, unknown>) => {
    asked.push([method, params]);
    const answer = answers.shift();
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  }) as never;
  setup = new SetupCode({
    request,
    listen: (one: Listener) => {
      listeners.add(one);
      return () => listeners.delete(one);
    },
  });
});
afterEach(() => vi.useRealTimers());

const tell = (name: string, payload: unknown) => listeners.forEach((one) => one(name, payload));

describe('making a code', () => {
  it.each([
    ['full', {}],
    ['limited', { bootstrapProfile: 'limited' }],
    ['node', { bootstrapProfile: 'node', joinUrl: true }],
  ] as const)('for %s', async (profile, params) => {
    answers = [ANSWER];
    await setup.make(profile, ' ws://192.168.1.2:1 ');
    expect(asked).toEqual([['device.pair.setupCode', { includeQr: false, publicUrl: 'ws://192.168.1.2:1', ...params }]]);
    expect([setup.kind, setup.code?.downgraded, setup.code?.text]).toEqual(['shown', true, 'abc']);
  });

  it('is an address of this page where a camera is to open it', async () => {
    answers = [ANSWER];
    await setup.make('browser', '');
    expect(asked).toEqual([['device.pair.setupCode', { includeQr: false }]]);
    expect(setup.code?.pageUrl).toBe('http://192.168.1.2:1/#setup=abc&access=limited');
  });

  it('says what to do when no device could find the gateway', async () => {
    answers = [new Error('Gateway is only bound to loopback. Set gateway.bind=lan')];
    await setup.make('full', '');
    expect([setup.kind, setup.alone, setup.problem]).toEqual(['ask', true, words.setup.addressNeeded]);
  });

  it('opens the gateway to the network when asked, and makes the code when it is back', async () => {
    answers = [{ exists: true, hash: 'h', parsed: {} }, { restart: {} }, ANSWER];
    const opening = setup.open('browser', '');
    await vi.advanceTimersByTimeAsync(1);
    expect(asked.map(([method]) => method)).toEqual(['config.get', 'config.patch']);
    expect(asked[1]?.[1]).toEqual({ raw: '{"gateway":{"bind":"lan"}}', baseHash: 'h' });
    tell('connected', undefined);
    await opening;
    expect([setup.kind, setup.code?.text, listeners.size]).toEqual(['shown', 'abc', 0]);
  });

  it('asks nothing with an address that is none', async () => {
    await setup.make('full', 'my house');
    expect([asked.length, setup.problem]).toEqual([0, words.setup.addressBad]);
  });
});

describe('waiting for the device', () => {
  beforeEach(async () => {
    answers = [ANSWER];
    await setup.make('full', '');
  });

  it('hears that it came', () => {
    const stop = setup.watch();
    tell('device.pair.setup.completed', { setupId: 'other', deviceName: 'Stranger' });
    expect(setup.kind).toBe('shown');
    tell('device.pair.setup.completed', { setupId: 's1', deviceName: ' Phone ' });
    expect([setup.kind, setup.joinedName]).toEqual(['joined', 'Phone']);
    stop();
    expect(listeners.size).toBe(0);
  });

  it('asks, in case the word was missed', async () => {
    setup.watch();
    answers = [new Error('offline'), { completion: { setupId: 's1' } }];
    await vi.advanceTimersByTimeAsync(10_000);
    expect([setup.kind, setup.joinedName]).toEqual(['joined', words.nameless]);
    expect(asked.filter(([method]) => method === 'device.pair.setupStatus').length).toBe(2);
  });
});

it('addresses are those of gateways', () => {
  expect(['', 'wss://x', 'ws://10.0.0.1:1', 'http://x', 'x', 'javascript:1', 'wss://'].map((one) => addressProblem(one) === undefined)).toEqual([true, true, true, true, false, false, false]);
});

it('offers where the page itself is, unless only its own machine could use it', () => {
  expect(likelyAddress({ protocol: 'https:', host: 'home.example', hostname: 'home.example' })).toBe('wss://home.example');
  expect(likelyAddress({ protocol: 'http:', host: '127.0.0.1:18789', hostname: '127.0.0.1' })).toBe('');
  expect(likelyAddress({ protocol: 'http:', host: '192.168.1.2:18789', hostname: '192.168.1.2' })).toBe('ws://192.168.1.2:18789');
});
