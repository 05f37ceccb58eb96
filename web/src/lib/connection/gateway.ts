// The protocol client: one WebSocket to the gateway, kept alive. It owns the handshake,
// request and response matching, sequence gaps and reconnecting; it knows nothing of
// chats or of Svelte.
import type { Credentials, SetupLink } from './credentials';
import { type DeviceIdentity, signaturePayload } from './identity';
import { fieldsOf, isFields, numberOf, stringOf } from '../read';
import { type ErrorShape, type HelloOk, type MethodName, type Methods, PROTOCOL_MAX, PROTOCOL_MIN, type ResponseFrame } from './wire';

const CLIENT_ID = 'openclaw-control-ui';
const CLIENT_MODE = 'webchat';
const ROLE = 'operator';
const SCOPES = ['operator.admin', 'operator.read', 'operator.write', 'operator.approvals', 'operator.pairing'] as const;
/** What a browser asks for that came by a QR code; with full rights `operator.admin` besides. */
const SETUP_SCOPES = ['operator.read', 'operator.write', 'operator.approvals'] as const;
/** Pinned by the gateway at pairing, so it must not change when the browser is updated. */
const PLATFORM = 'web';

const REQUEST_TIMEOUT_MS = 30_000;
const HANDSHAKE_TIMEOUT_MS = 15_000;
const BACKOFF_FIRST_MS = 1_000;
const BACKOFF_MAX_MS = 30_000;
const BACKOFF_JITTER = 0.25;
const PAIRING_POLL_MS = 5_000;
const DEFAULT_TICK_MS = 30_000;
const CLOSE_TICK_TIMEOUT = 4000;

/** `restarting` and `stopped` were announced; `no-network` is what the browser says. */
export type OfflineReason = 'unreachable' | 'starting' | 'rate-limited' | 'restarting' | 'stopped' | 'no-network';

export type ConnectionState =
  | { kind: 'connecting' }
  | { kind: 'ready'; hello: HelloOk }
  /** Will retry by itself at `retryAt` (ms since 1970). */
  | { kind: 'offline'; retryAt: number; reason: OfflineReason }
  /** Needs a token from the person. */
  | { kind: 'wrong-token'; missing: boolean }
  /** Waits for the owner to approve this browser; polls by itself. */
  | { kind: 'pairing-required'; requestId: string | undefined; deviceId: string | undefined }
  /** This page and the gateway do not speak the same version. */
  | { kind: 'version-mismatch'; message: string }
  /** Refused for a reason waiting will not cure. */
  | { kind: 'refused'; message: string };

/** A failed request, with what the gateway said about it. */
export class GatewayError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly details: unknown = undefined,
    readonly retryable = false,
  ) {
    super(message);
    this.name = 'GatewayError';
  }

  /** Whether the request may or may not have been carried out: the answer never came. */
  get isUnanswered(): boolean {
    return this.code === 'DISCONNECTED' || this.code === 'TIMEOUT';
  }
}

/** The part of WebSocket this client uses; tests bring their own. */
export interface Socket {
  readonly readyState: number;
  onmessage: ((event: MessageEvent) => void) | null;
  onclose: ((event: CloseEvent) => void) | null;
  send(data: string): void;
  close(code?: number, reason?: string): void;
}

export interface GatewayOptions {
  url: string;
  credentials: Credentials;
  identity: () => Promise<DeviceIdentity>;
  version: string;
  openSocket?: (url: string) => Socket;
  random?: () => number;
}

export interface GatewayListener {
  state(state: ConnectionState): void;
  event(name: string, payload: unknown): void;
  /** Events were lost; whatever was built from them must be fetched again. */
  gap(): void;
}

interface Pending {
  resolve(payload: unknown): void;
  reject(error: GatewayError): void;
  timer: ReturnType<typeof setTimeout>;
}

type Refusal = Exclude<ConnectionState, { kind: 'connecting' | 'ready' }> | { kind: 'retry-with-device-token' };

export class Gateway {
  #state: ConnectionState = { kind: 'connecting' };
  #socket: Socket | undefined;
  #identity: DeviceIdentity | undefined;
  #pending = new Map<string, Pending>();
  #nextId = 1;
  #connectId: string | undefined;
  #lastSeq = 0;
  #lastFrameAt = 0;
  #tickMs = DEFAULT_TICK_MS;
  #attempt = 0;
  #useDeviceToken = false;
  /** Good once: a browser that came by a QR code. */
  #setup: SetupLink | undefined;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #handshakeTimer: ReturnType<typeof setTimeout> | undefined;
  #watchdog: ReturnType<typeof setInterval> | undefined;
  #stopped = true;
  /** What the gateway said before it went; nothing when it went without a word. */
  #farewell: 'restarting' | 'stopped' | undefined;

  constructor(
    private readonly options: GatewayOptions,
    private readonly listener: GatewayListener,
  ) {}

  get state(): ConnectionState {
    return this.#state;
  }

  start(): void {
    this.#stopped = false;
    this.#open();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#retryTimer);
    this.#discard('stopped');
  }

  /** Uses a token the person gave, now. */
  useToken(token: string): void {
    this.options.credentials.saveToken(token);
    this.#useDeviceToken = false;
    this.reconnectNow();
  }

  /** Comes in by a QR code, now. */
  useSetup(setup: SetupLink): void {
    this.#setup = setup;
    if (!this.#stopped) this.reconnectNow();
  }

  /** What lets this page in, for what it asks over HTTP. */
  get bearer(): string | undefined {
    const { credentials } = this.options;
    return credentials.token() ?? (this.#identity ? credentials.deviceToken(this.#identity.id, ROLE) : undefined);
  }

  /** Tries at once: the person asked, the network came back or the page was shown again. */
  reconnectNow(): void {
    if (this.#stopped) return;
    this.#attempt = 0;
    clearTimeout(this.#retryTimer);
    this.#discard('reconnecting');
    this.#open();
  }

  /** Called when the page becomes visible or the network returns. */
  wake(): void {
    if (this.#stopped) return;
    if (this.#state.kind === 'offline' || this.#state.kind === 'pairing-required') this.reconnectNow();
    else if (this.#state.kind === 'ready') this.#checkAlive();
  }

  /** `patienceMs` is for work known to take longer than an answer usually may. */
  request<M extends MethodName>(method: M, params: Methods[M]['params'], patienceMs?: number): Promise<Methods[M]['result']> {
    if (this.#state.kind !== 'ready') {
      return Promise.reject(new GatewayError('DISCONNECTED', 'not connected'));
    }
    return this.#call(method, params, patienceMs) as Promise<Methods[M]['result']>;
  }

  #setState(state: ConnectionState): void {
    this.#state = state;
    this.listener.state(state);
  }

  #open(): void {
    // While waiting for approval the page keeps saying so instead of flickering.
    if (this.#state.kind !== 'pairing-required') this.#setState({ kind: 'connecting' });
    const open = this.options.openSocket ?? ((url: string): Socket => new WebSocket(url));
    let socket: Socket;
    try {
      socket = open(this.options.url);
    } catch {
      this.#retryLater({ kind: 'offline', retryAt: 0, reason: 'unreachable' });
      return;
    }
    this.#socket = socket;
    this.#lastSeq = 0;
    this.#lastFrameAt = Date.now();
    socket.onmessage = (event) => this.#onMessage(socket, event.data);
    socket.onclose = (event) => this.#onClose(socket, event.code);
    this.#handshakeTimer = setTimeout(() => this.#lose('handshake timeout'), HANDSHAKE_TIMEOUT_MS);
  }

  #onMessage(socket: Socket, data: unknown): void {
    if (socket !== this.#socket || typeof data !== 'string') return;
    this.#lastFrameAt = Date.now();
    const frame = parseFrame(data);
    if (!frame) return;
    if (frame.type === 'res') this.#onResponse(frame as unknown as ResponseFrame);
    else if (frame.type === 'event') this.#onEvent(frame);
  }

  #onEvent(frame: Record<string, unknown>): void {
    const name = stringOf(frame.event);
    if (!name) return;
    if (name === 'connect.challenge') {
      void this.#answerChallenge(fieldsOf(frame.payload));
      return;
    }
    const seq = numberOf(frame.seq);
    const lost = seq !== undefined && seq > this.#lastSeq + 1;
    if (seq !== undefined) this.#lastSeq = Math.max(seq, this.#lastSeq);
    if (name === 'shutdown') this.#farewell = numberOf(fieldsOf(frame.payload).restartExpectedMs) === undefined ? 'stopped' : 'restarting';
    if (this.#state.kind !== 'ready') return;
    this.listener.event(name, frame.payload);
    if (lost) this.listener.gap();
  }

  async #answerChallenge(challenge: Record<string, unknown>): Promise<void> {
    const socket = this.#socket;
    const nonce = stringOf(challenge.nonce);
    if (!socket || !nonce || this.#connectId) return;
    this.#connectId = `connect-${this.#nextId++}`;
    const id = this.#connectId;
    try {
      this.#identity ??= await this.options.identity();
      const params = await this.#connectParams(this.#identity, nonce, numberOf(challenge.ts) ?? Date.now());
      if (socket === this.#socket) socket.send(JSON.stringify({ type: 'req', id, method: 'connect', params }));
    } catch (error) {
      if (socket !== this.#socket) return;
      this.#discard('no identity');
      this.#setState({ kind: 'refused', message: error instanceof Error ? error.message : String(error) });
    }
  }

  async #connectParams(identity: DeviceIdentity, nonce: string, signedAt: number): Promise<Record<string, unknown>> {
    const { credentials, version } = this.options;
    const setup = this.#setup;
    const token = this.#useDeviceToken || setup ? undefined : credentials.token();
    const deviceToken = token === undefined && !setup ? credentials.deviceToken(identity.id, ROLE) : undefined;
    const kept = deviceToken === undefined ? undefined : credentials.deviceScopes(identity.id, ROLE);
    const scopes = setup ? setupScopes(setup) : (kept ?? SCOPES);
    const signature = await identity.sign(
      signaturePayload({
        deviceId: identity.id,
        clientId: CLIENT_ID,
        clientMode: CLIENT_MODE,
        role: ROLE,
        scopes,
        signedAtMs: signedAt,
        token: token ?? deviceToken ?? setup?.bootstrapToken ?? '',
        nonce,
        platform: PLATFORM,
        deviceFamily: '',
      }),
    );
    const auth = setup ? { bootstrapToken: setup.bootstrapToken } : token !== undefined ? { token } : deviceToken !== undefined ? { deviceToken } : undefined;
    return {
      minProtocol: PROTOCOL_MIN,
      maxProtocol: PROTOCOL_MAX,
      client: { id: CLIENT_ID, mode: CLIENT_MODE, version, platform: PLATFORM, displayName: browserName(navigator.userAgent) },
      role: ROLE,
      scopes,
      caps: ['tool-events'],
      device: { id: identity.id, publicKey: identity.publicKey, signature, signedAt, nonce },
      ...(auth ? { auth } : {}),
      locale: navigator.language,
      userAgent: navigator.userAgent,
    };
  }

  #onResponse(frame: ResponseFrame): void {
    if (frame.id === this.#connectId) {
      if (frame.ok && isFields(frame.payload)) this.#welcome(frame.payload as unknown as HelloOk);
      else this.#refused(errorShape(frame.error));
      return;
    }
    const pending = this.#pending.get(frame.id);
    if (!pending) return;
    this.#pending.delete(frame.id);
    clearTimeout(pending.timer);
    if (frame.ok) {
      pending.resolve(frame.payload);
      return;
    }
    const error = errorShape(frame.error);
    pending.reject(new GatewayError(error.code, error.message, error.details, error.retryable ?? false));
  }

  #welcome(hello: HelloOk): void {
    clearTimeout(this.#handshakeTimer);
    this.#attempt = 0;
    this.#farewell = undefined;
    // The kept token was refused and the device token let us in: do not offer the former again.
    if (this.#useDeviceToken) this.options.credentials.forgetToken();
    this.#useDeviceToken = false;
    const deviceToken = stringOf(fieldsOf(hello.auth).deviceToken);
    if (deviceToken && this.#identity) this.options.credentials.saveDeviceToken(this.#identity.id, ROLE, deviceToken);
    if (this.#setup && this.#identity) this.options.credentials.saveDeviceScopes(this.#identity.id, ROLE, setupScopes(this.#setup));
    this.#setup = undefined;
    this.#tickMs = numberOf(fieldsOf(hello.policy).tickIntervalMs) ?? DEFAULT_TICK_MS;
    clearInterval(this.#watchdog);
    this.#watchdog = setInterval(() => this.#checkAlive(), this.#tickMs / 2);
    this.#setState({ kind: 'ready', hello });
  }

  #refused(error: ErrorShape): void {
    this.#discard('refused');
    if (this.#setup) {
      // Used or too old: what this browser has besides may still let it in.
      this.#setup = undefined;
      this.#open();
      return;
    }
    const deviceId = this.#identity?.id;
    const deviceToken = deviceId ? this.options.credentials.deviceToken(deviceId, ROLE) : undefined;
    const usedToken = !this.#useDeviceToken && this.options.credentials.token() !== undefined;
    const refusal = classify(error, { usedToken, hasDeviceToken: deviceToken !== undefined });
    if (refusal.kind === 'retry-with-device-token') {
      this.#useDeviceToken = true;
      this.#open();
      return;
    }
    if (refusal.kind === 'wrong-token' && !usedToken && deviceId) {
      this.options.credentials.forgetDeviceToken(deviceId, ROLE);
    }
    if (refusal.kind === 'offline' || refusal.kind === 'pairing-required') this.#retryLater(refusal, error.retryAfterMs);
    else this.#setState(refusal);
  }

  #onClose(socket: Socket, code: number): void {
    if (socket !== this.#socket) return;
    this.#discard('connection closed');
    const reason = code === 1012 || code === 1013 ? (this.#farewell ?? 'starting') : 'unreachable';
    this.#retryLater({ kind: 'offline', retryAt: 0, reason });
  }

  /** The socket is taken for dead; its own close event may be minutes away. */
  #lose(reason: string): void {
    this.#discard(reason);
    this.#retryLater({ kind: 'offline', retryAt: 0, reason: 'unreachable' });
  }

  #checkAlive(): void {
    if (Date.now() - this.#lastFrameAt > 2 * this.#tickMs) this.#lose('tick timeout');
  }

  #retryLater(state: Extract<ConnectionState, { kind: 'offline' | 'pairing-required' }>, atLeastMs = 0): void {
    if (this.#stopped) return;
    const random = this.options.random ?? Math.random;
    const backoff = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** this.#attempt);
    const jittered = backoff * (1 + BACKOFF_JITTER * (2 * random() - 1));
    const delay = Math.max(atLeastMs, state.kind === 'pairing-required' ? PAIRING_POLL_MS : Math.min(jittered, BACKOFF_MAX_MS));
    this.#attempt += 1;
    if (state.kind === 'offline' && state.reason === 'unreachable') state = { ...state, reason: this.#whyUnreachable() };
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => this.#open(), delay);
    this.#setState(state.kind === 'offline' ? { ...state, retryAt: Date.now() + delay } : state);
  }

  #whyUnreachable(): OfflineReason {
    if (globalThis.navigator?.onLine === false) return 'no-network';
    return this.#farewell ?? 'unreachable';
  }

  /** Lets go of the socket and answers everyone who still waits on it. */
  #discard(reason: string): void {
    clearTimeout(this.#handshakeTimer);
    clearInterval(this.#watchdog);
    const socket = this.#socket;
    this.#socket = undefined;
    this.#connectId = undefined;
    if (socket) {
      socket.onmessage = null;
      socket.onclose = null;
      socket.close(reason === 'tick timeout' ? CLOSE_TICK_TIMEOUT : 1000, reason);
    }
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    for (const pending of waiting) {
      clearTimeout(pending.timer);
      pending.reject(new GatewayError('DISCONNECTED', reason, undefined, true));
    }
  }

  #call(method: string, params: unknown, patienceMs = REQUEST_TIMEOUT_MS): Promise<unknown> {
    const id = `r${this.#nextId++}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new GatewayError('TIMEOUT', `${method} was not answered in time`, undefined, true));
      }, patienceMs);
      this.#pending.set(id, { resolve, reject, timer });
      this.#socket?.send(JSON.stringify({ type: 'req', id, method, params }));
    });
  }
}

function parseFrame(data: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function errorShape(value: unknown): ErrorShape {
  const fields = fieldsOf(value);
  const retryAfterMs = numberOf(fields.retryAfterMs);
  return {
    code: stringOf(fields.code) ?? 'UNAVAILABLE',
    message: stringOf(fields.message) ?? 'the gateway refused without saying why',
    details: fields.details,
    retryable: fields.retryable === true,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

const VERSION_CODES = new Set(['PROTOCOL_MISMATCH', 'CLIENT_VERSION_MISMATCH', 'CONTROL_UI_BUILD_MISMATCH']);
const MISSING_CODES = new Set(['AUTH_REQUIRED', 'AUTH_TOKEN_MISSING', 'AUTH_PASSWORD_MISSING']);

/** Decides what a refused connect means for the person in front of the page. */
export function classify(error: ErrorShape, had: { usedToken: boolean; hasDeviceToken: boolean }): Refusal {
  const details = fieldsOf(error.details);
  const code = stringOf(details.code) ?? '';
  if (VERSION_CODES.has(code)) return { kind: 'version-mismatch', message: error.message };
  if (code === 'PAIRING_REQUIRED') {
    return { kind: 'pairing-required', requestId: stringOf(details.requestId), deviceId: stringOf(details.deviceId) };
  }
  if (code === 'AUTH_RATE_LIMITED') return { kind: 'offline', retryAt: 0, reason: 'rate-limited' };
  if (had.usedToken && had.hasDeviceToken && details.canRetryWithDeviceToken === true) {
    return { kind: 'retry-with-device-token' };
  }
  if (code.startsWith('AUTH_')) return { kind: 'wrong-token', missing: MISSING_CODES.has(code) };
  if (error.code === 'UNAVAILABLE' || error.retryable) return { kind: 'offline', retryAt: 0, reason: 'starting' };
  return { kind: 'refused', message: error.message };
}

const BROWSERS = [
  ['Edge', /Edg(?:e|A|iOS)?\//],
  ['Opera', /OPR\//],
  ['Firefox', /(?:Firefox|FxiOS)\//],
  ['Chrome', /(?:Chrome|CriOS|Chromium)\//],
  ['Safari', /Safari\//],
] as const;
const SYSTEMS = [
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['macOS', /Mac OS X|Macintosh/],
  ['Windows', /Windows/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux/],
] as const;

/** How this browser is called in the list of devices: "Firefox on Linux". */
export function browserName(agent: string): string {
  const [browser] = BROWSERS.find(([, mark]) => mark.test(agent)) ?? ['Browser'];
  const [system] = SYSTEMS.find(([, mark]) => mark.test(agent)) ?? [];
  return system ? `${browser} on ${system}` : browser;
}

function setupScopes(setup: SetupLink): readonly string[] {
  return setup.full ? [...SETUP_SCOPES, 'operator.admin'] : SETUP_SCOPES;
}
