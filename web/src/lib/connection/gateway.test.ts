// @vitest-environment jsdom
// The protocol client against a scripted socket: handshake, requests, gaps, reconnecting.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Credentials } from './credentials';
import { classify, type ConnectionState, Gateway, type GatewayError, type Socket, browserName } from './gateway';

const identity = { id: 'dev', publicKey: 'pub', sign: (text: string) => Promise.resolve(`signed:${text}`) };

class FakeSocket implements Socket {
  readyState = 1;
  onmessage: ((event: MessageEvent) => void) | null = null;
  onclose: ((event: CloseEvent) => void) | null = null;
  sent: Array<{ id: string; method: string; params: Record<string, unknown> }> = [];
  closed: number | undefined;

  send(data: string): void {
    this.sent.push(JSON.parse(data));
  }

  close(code?: number): void {
    this.closed = code;
  }

  receive(frame: unknown): void {
    this.onmessage?.(new MessageEvent('message', { data: typeof frame === 'string' ? frame : JSON.stringify(frame) }));
  }

  drop(code: number): void {
    this.onclose?.(new CloseEvent('close', { code }));
  }
}

const hello = {
  type: 'hello-ok',
  protocol: 4,
  server: { version: '1', connId: 'c' },
  features: { methods: [], events: [] },
  snapshot: {},
  auth: { role: 'operator', scopes: [], deviceToken: 'dt' },
  policy: { maxPayload: 1, maxBufferedBytes: 1, tickIntervalMs: 30_000 },
};

let sockets: FakeSocket[];
let states: ConnectionState[];
let events: string[];
let gaps: number;
let credentials: Credentials;
let gateway: Gateway;

const socket = (): FakeSocket => sockets.at(-1) as FakeSocket;
const state = (): ConnectionState => states.at(-1) as ConnectionState;

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  sessionStorage.clear();
  sockets = [];
  states = [];
  events = [];
  gaps = 0;
  credentials = new Credentials('ws://g/');
  gateway = new Gateway(
    {
      url: 'ws://g/',
      credentials,
      identity: () => Promise.resolve(identity),
      version: '0',
      openSocket: () => {
        sockets.push(new FakeSocket());
        return socket();
      },
      random: () => 0.5,
    },
    { state: (now) => states.push(now), event: (name) => events.push(name), gap: () => (gaps += 1) },
  );
});

afterEach(() => {
  gateway.stop();
  vi.useRealTimers();
});

async function challenge(): Promise<{ id: string; params: Record<string, unknown> }> {
  socket().receive({ type: 'event', event: 'connect.challenge', payload: { nonce: 'n', ts: 7 } });
  await vi.advanceTimersByTimeAsync(0);
  return socket().sent[0] as { id: string; params: Record<string, unknown> };
}

async function connect(): Promise<void> {
  if (sockets.length === 0) gateway.start();
  const { id } = await challenge();
  socket().receive({ type: 'res', id, ok: true, payload: hello });
}

async function refuse(error: Record<string, unknown>): Promise<void> {
  const { id } = await challenge();
  socket().receive({ type: 'res', id, ok: false, error });
}

describe('the handshake', () => {
  it('answers the challenge with a signed device and the token', async () => {
    credentials.saveToken('tok');
    gateway.start();
    const { params } = await challenge();
    expect(params).toMatchObject({
      minProtocol: 3,
      maxProtocol: 4,
      role: 'operator',
      caps: ['tool-events'],
      client: { id: 'openclaw-control-ui', mode: 'webchat' },
      auth: { token: 'tok' },
      device: { id: 'dev', publicKey: 'pub', nonce: 'n', signedAt: 7 },
    });
    const signature = (params.device as { signature: string }).signature;
    expect(signature).toMatch(/^signed:v3\|dev\|openclaw-control-ui\|webchat\|operator\|operator\.admin,.*\|7\|tok\|n\|web\|$/);
  });

  it('is ready after hello, and keeps the device token for when the token is gone', async () => {
    await connect();
    expect(state().kind).toBe('ready');
    socket().drop(1006);
    await vi.advanceTimersByTimeAsync(1000);
    expect((await challenge()).params.auth).toEqual({ deviceToken: 'dt' });
  });

  it('comes in by a QR code once, asks for what the code gives, and later for no more', async () => {
    credentials.saveToken('stale');
    gateway.useSetup({ bootstrapToken: 'boot', full: false });
    gateway.start();
    const { id, params } = await challenge();
    const scopes = ['operator.read', 'operator.write', 'operator.approvals'];
    expect([params.auth, params.scopes]).toEqual([{ bootstrapToken: 'boot' }, scopes]);
    credentials.forgetToken();
    socket().receive({ type: 'res', id, ok: true, payload: hello });
    socket().drop(1006);
    await vi.advanceTimersByTimeAsync(2_000);
    const again = await challenge();
    expect([again.params.auth, again.params.scopes]).toEqual([{ deviceToken: 'dt' }, scopes]);
  });

  it('goes on with what it has when a QR code is no longer good', async () => {
    credentials.saveToken('tok');
    gateway.useSetup({ bootstrapToken: 'old', full: true });
    gateway.start();
    const { id } = await challenge();
    socket().receive({ type: 'res', id, ok: false, error: { code: 'INVALID_REQUEST', message: 'used', details: { code: 'AUTH_BOOTSTRAP_TOKEN_INVALID' } } });
    expect((await challenge()).params.auth).toEqual({ token: 'tok' });
  });

  it('tries the device token once when the token is refused, and then asks', async () => {
    credentials.saveToken('old');
    credentials.saveDeviceToken('dev', 'operator', 'dt');
    gateway.start();
    const mismatch = { code: 'INVALID_REQUEST', message: 'no', details: { code: 'AUTH_TOKEN_MISMATCH', canRetryWithDeviceToken: true } };
    await refuse(mismatch);
    expect(sockets).toHaveLength(2);
    const { id, params } = await challenge();
    expect(params.auth).toEqual({ deviceToken: 'dt' });
    socket().receive({ type: 'res', id, ok: false, error: mismatch });
    expect(state()).toEqual({ kind: 'wrong-token', missing: false });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sockets).toHaveLength(2);
  });

  it('polls while it waits to be paired', async () => {
    gateway.start();
    await refuse({ code: 'NOT_PAIRED', message: 'p', details: { code: 'PAIRING_REQUIRED', requestId: 'q' } });
    expect(state()).toMatchObject({ kind: 'pairing-required', requestId: 'q' });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(sockets).toHaveLength(2);
    expect(state().kind).toBe('pairing-required');
  });

  it('gives up on a socket that never challenges', async () => {
    gateway.start();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(state().kind).toBe('offline');
  });
});

it.each([
  ['AUTH_TOKEN_MISSING', 'INVALID_REQUEST', { kind: 'wrong-token', missing: true }],
  ['AUTH_DEVICE_TOKEN_MISMATCH', 'INVALID_REQUEST', { kind: 'wrong-token', missing: false }],
  ['AUTH_RATE_LIMITED', 'INVALID_REQUEST', { kind: 'offline', reason: 'rate-limited' }],
  ['PROTOCOL_MISMATCH', 'INVALID_REQUEST', { kind: 'version-mismatch' }],
  ['CONTROL_UI_ORIGIN_NOT_ALLOWED', 'INVALID_REQUEST', { kind: 'refused' }],
  [undefined, 'UNAVAILABLE', { kind: 'offline', reason: 'starting' }],
])('a refusal with %s means the right thing', (detail, code, expected) => {
  const error = { code, message: 'm', details: detail ? { code: detail } : undefined };
  expect(classify(error, { usedToken: true, hasDeviceToken: false })).toMatchObject(expected);
});

describe('requests', () => {
  it('are matched with their answers in any order', async () => {
    await connect();
    const first = gateway.request('chat.abort', { sessionKey: 'a' });
    const second = gateway.request('chat.abort', { sessionKey: 'b' });
    const [, one, two] = socket().sent;
    socket().receive({ type: 'res', id: two?.id, ok: true, payload: 2 });
    socket().receive({ type: 'res', id: one?.id, ok: false, error: { code: 'FORBIDDEN', message: 'no' } });
    expect(await second).toBe(2);
    await expect(first).rejects.toMatchObject({ code: 'FORBIDDEN', isUnanswered: false });
  });

  it('fail as unanswered when time runs out or the socket goes', async () => {
    await connect();
    const late = gateway.request('chat.abort', { sessionKey: 'a' }).catch((error: GatewayError) => error);
    for (let tick = 0; tick < 3; tick += 1) {
      await vi.advanceTimersByTimeAsync(10_000);
      socket().receive({ type: 'event', event: 'tick', payload: {} });
    }
    expect(await late).toMatchObject({ code: 'TIMEOUT', isUnanswered: true });
    const lost = gateway.request('chat.abort', { sessionKey: 'a' }).catch((error: GatewayError) => error);
    socket().drop(1012);
    expect(await lost).toMatchObject({ code: 'DISCONNECTED', isUnanswered: true });
    expect(state()).toMatchObject({ kind: 'offline', reason: 'starting' });
  });

  it('are refused while not connected', async () => {
    await expect(gateway.request('chat.abort', { sessionKey: 'a' })).rejects.toMatchObject({ code: 'DISCONNECTED' });
  });
});

describe('events', () => {
  it('are passed on, and a hole in their numbers is reported once', async () => {
    await connect();
    for (const seq of [1, 2, 4, 5]) socket().receive({ type: 'event', event: 'tick', payload: {}, seq });
    socket().receive({ type: 'event', event: 'unnumbered', payload: {} });
    expect(events).toHaveLength(5);
    expect(gaps).toBe(1);
  });

  it.each(['not json', '[]', 'null', '{"type":"event"}', '{"type":"res"}', '{"type":"res","id":"r99","ok":true}', '{"type":"?"}'])('a malformed frame %s is ignored', async (frame) => {
    await connect();
    socket().receive(frame);
    expect(state().kind).toBe('ready');
    expect(events).toHaveLength(0);
  });
});

describe('reconnecting', () => {
  it('waits longer each time, up to half a minute', async () => {
    gateway.start();
    const waits: number[] = [];
    for (let attempt = 0; attempt < 7; attempt += 1) {
      socket().drop(1006);
      const now = state();
      waits.push(now.kind === 'offline' ? now.retryAt - Date.now() : 0);
      await vi.advanceTimersByTimeAsync(waits.at(-1) ?? 0);
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  it('tries at once when woken', () => {
    gateway.start();
    socket().drop(1006);
    gateway.wake();
    expect(sockets).toHaveLength(2);
    expect(state().kind).toBe('connecting');
  });

  it('takes a silent gateway for dead after two ticks', async () => {
    await connect();
    await vi.advanceTimersByTimeAsync(59_000);
    expect(state().kind).toBe('ready');
    await vi.advanceTimersByTimeAsync(31_000);
    expect(sockets[0]?.closed).toBe(4000);
    expect(sockets.length).toBeGreaterThan(1);
  });

  it('starts counting events anew', async () => {
    await connect();
    socket().receive({ type: 'event', event: 'tick', payload: {}, seq: 1 });
    socket().drop(1006);
    await vi.advanceTimersByTimeAsync(1000);
    await connect();
    socket().receive({ type: 'event', event: 'tick', payload: {}, seq: 1 });
    expect(gaps).toBe(0);
  });
});

it('calls a browser by its name and system', () => {
  expect(browserName('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0')).toBe('Firefox on Linux');
  expect(browserName('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1')).toBe('Safari on iPhone');
  expect(browserName('Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0')).toBe('Edge on Windows');
  expect(browserName('')).toBe('Browser');
});
