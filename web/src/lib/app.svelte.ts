// The page as a whole: the connection, the list of sessions and the session in view.
// It routes what the gateway says to whoever it concerns, and holds no chat logic.
import { Approvals } from './approvals.svelte';
import { ChatSession } from './chat.svelte';
import { Credentials, takeTokenFromFragment } from './credentials';
import { Devices } from './devices.svelte';
import { type ConnectionState, Gateway } from './gateway';
import { loadIdentity } from './identity';
import { CHAT } from './pages';
import { fieldsOf, isFields, stringOf } from './read';
import { Router } from './router.svelte';
import { Sessions } from './sessions.svelte';
import { strings } from './strings';
import type { AgentEvent, ChatEvent, MethodName, Methods, SessionMessageEvent } from './wire';

const SESSION_PARAMETER = 'session';
const NEW_KEY_BYTES = 4;
/** Sessions kept in memory after they were looked at; older ones are loaded anew. */
const OPEN_CHATS_MAX = 8;

/** Hears every event, and 'connected' and 'gap', which are the page's own. */
export type Listener = (name: string, payload: unknown) => void;

export class App {
  readonly router = new Router();
  connection = $state.raw<ConnectionState>({ kind: 'connecting' });
  /** Whether the gateway has let this page in at least once: then the chat stays visible when it goes away. */
  admitted = $state(false);
  chat = $state.raw<ChatSession | undefined>();
  notice = $state<string | undefined>();
  serverVersion = $state('');
  readonly approvals: Approvals;
  readonly devices: Devices;
  readonly sessions: Sessions;
  readonly #gateway: Gateway;
  #listeners = new Set<Listener>();
  #chats = new Map<string, ChatSession>();
  #mainKey = 'agent:main:main';
  #agentId = 'main';

  constructor() {
    const url = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/`;
    const credentials = new Credentials(url);
    const token = takeTokenFromFragment(location, history);
    if (token) credentials.saveToken(token);
    this.#gateway = new Gateway(
      { url, credentials, identity: loadIdentity, version: __APP_VERSION__ },
      {
        state: (state) => this.#onState(state),
        event: (name, payload) => this.#onEvent(name, payload),
        gap: () => this.#onGap(),
      },
    );
    this.sessions = new Sessions(this.#gateway);
    this.approvals = new Approvals(this.#gateway);
    this.devices = new Devices(this.#gateway);
  }

  /** Asks the gateway; pages use this and never the socket. */
  request<M extends MethodName>(method: M, params: Methods[M]['params'], patienceMs?: number): Promise<Methods[M]['result']> {
    return this.#gateway.request(method, params, patienceMs);
  }

  /** Hears everything the gateway says until the returned function is called. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get mainKey(): string {
    return this.#mainKey;
  }

  get agentId(): string {
    return this.#agentId;
  }

  start(): void {
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) this.#gateway.wake();
    });
    addEventListener('online', () => this.#gateway.wake());
    addEventListener('popstate', () => {
      this.router.read();
      if (this.router.page === CHAT) this.#show(this.#keyInAddress() ?? this.#mainKey);
    });
    addEventListener('hashchange', () => {
      const token = takeTokenFromFragment(location, history);
      if (token) this.#gateway.useToken(token);
    });
    this.#gateway.start();
  }

  useToken(token: string): void {
    this.#gateway.useToken(token);
  }

  reconnect(): void {
    this.#gateway.reconnectNow();
  }

  select(key: string): void {
    this.router.open(CHAT, key === this.#mainKey ? {} : { [SESSION_PARAMETER]: key });
    this.#show(key);
  }

  newSession(): void {
    const bytes = crypto.getRandomValues(new Uint8Array(NEW_KEY_BYTES));
    const suffix = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    const key = `agent:${this.#agentId}:web-${suffix}`;
    this.#chats.set(key, new ChatSession(key, { gateway: this.#gateway }, true));
    this.select(key);
  }

  rename(key: string, label: string): Promise<void> {
    return this.#attempt(() => this.sessions.rename(key, label));
  }

  reset(key: string): Promise<void> {
    return this.#attempt(async () => {
      await this.sessions.reset(key);
      const chat = this.#chats.get(key);
      chat?.clear();
      await chat?.refresh();
    });
  }

  remove(key: string): Promise<void> {
    return this.#attempt(async () => {
      await this.sessions.remove(key);
      this.#chats.delete(key);
      if (this.chat?.key === key) this.select(this.#mainKey);
    });
  }

  isMain(key: string): boolean {
    return key === this.#mainKey;
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.notice = strings.actionFailed(error instanceof Error ? error.message : String(error));
    }
  }

  #keyInAddress(): string | undefined {
    return this.router.params.get(SESSION_PARAMETER) ?? undefined;
  }

  #show(key: string): void {
    let chat = this.#chats.get(key);
    const fresh = chat === undefined;
    chat ??= new ChatSession(key, { gateway: this.#gateway });
    // Kept in order of use, so the first is the one longest unseen.
    this.#chats.delete(key);
    this.#chats.set(key, chat);
    for (const [oldest, other] of this.#chats) {
      if (this.#chats.size <= OPEN_CHATS_MAX) break;
      if (!other.running) this.#chats.delete(oldest);
    }
    this.chat = chat;
    if (this.connection.kind === 'ready' && (fresh || !chat.loaded)) void chat.connected();
  }

  #onState(state: ConnectionState): void {
    this.connection = state;
    if (state.kind !== 'ready') return;
    this.admitted = true;
    this.serverVersion = stringOf(fieldsOf(state.hello.server).version) ?? '';
    const defaults = fieldsOf(fieldsOf(state.hello.snapshot).sessionDefaults);
    this.#mainKey = stringOf(defaults.mainSessionKey) ?? this.#mainKey;
    this.#agentId = stringOf(defaults.defaultAgentId) ?? this.#agentId;
    // A gateway without subscriptions still answers lists; the page asks again after each run.
    this.#gateway.request('sessions.subscribe', {}).catch(() => undefined);
    void this.sessions.refresh();
    void this.approvals.refresh();
    void this.devices.refresh();
    if (!this.chat) this.#show(this.#keyInAddress() ?? this.#mainKey);
    else for (const chat of this.#chats.values()) void chat.connected();
    this.#tell('connected', undefined);
  }

  #onGap(): void {
    void this.sessions.refresh();
    void this.approvals.refresh();
    void this.devices.refresh();
    for (const chat of this.#chats.values()) chat.refreshSoon();
    this.#tell('gap', undefined);
  }

  #tell(name: string, payload: unknown): void {
    for (const listener of this.#listeners) listener(name, payload);
  }

  #onEvent(name: string, payload: unknown): void {
    this.#tell(name, payload);
    if (!isFields(payload)) return;
    if (this.approvals.onEvent(name, payload) || this.devices.onEvent(name, payload)) return;
    if (name === 'sessions.changed') {
      this.sessions.onChanged(payload);
      return;
    }
    const key = stringOf(payload.sessionKey);
    if (name === 'chat' && payload.state !== 'delta' && payload.state !== 'status') this.sessions.refreshSoon();
    const chat = key ? this.#chats.get(key) : undefined;
    if (!chat) return;
    if (name === 'chat' && typeof payload.runId === 'string') chat.onChat(payload as unknown as ChatEvent);
    else if ((name === 'agent' || name === 'session.tool') && typeof payload.runId === 'string' && isFields(payload.data)) {
      chat.onAgent(payload as unknown as AgentEvent);
    } else if (name === 'session.message' && isFields(payload.message)) {
      chat.onMessage(payload as unknown as SessionMessageEvent);
    }
  }
}
