// The page as a whole: the connection, the list of sessions and the session in view.
// It routes what the gateway says to whoever it concerns, and holds no chat logic.
import { Approvals } from './requests/approvals.svelte';
import { ChatSession } from './chat/chat.svelte';
import { addressOfKept } from './chat/kept_files';
import { Credentials, takeSetupFromFragment, takeTokenFromFragment } from './connection/credentials';
import { Devices } from './devices/devices.svelte';
import { type ConnectionState, Gateway } from './connection/gateway';
import { loadIdentity } from './connection/identity';
import { MessageSearch } from './sessions/message_search.svelte';
import { NodeRequests } from './devices/node_requests.svelte';
import { endOfRun, Notifier, setAppBadge, titleBadge } from './ui/notify.svelte';
import { CHAT } from './pages';
import { fieldsOf, isFields, stringOf, textOf } from './read';
import { type Request, Requests } from './requests/requests.svelte';
import { MESSAGE_PARAMETER, Router } from './router.svelte';
import { sessionTitle, Sessions } from './sessions/sessions.svelte';
import { Strangers } from './channels/strangers.svelte';
import { strings } from './strings';
import { Toasts } from './ui/toasts.svelte';
import { words } from '../words/lists';
import type { AgentEvent, ChatEvent, MethodName, Methods, SessionMessageEvent } from './connection/wire';

const SESSION_PARAMETER = 'session';
const NEW_KEY_BYTES = 4;
const EXPIRED_CHARS = 120;
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
  /** Whether the gateway said that another process is about to take over. */
  suspension = $state<'draining' | 'prepared' | undefined>();
  /** Which window of the frame is open over the page. */
  overlay = $state<'palette' | 'keys' | 'ended' | undefined>();
  readonly toasts = new Toasts();
  readonly notifier = new Notifier();
  readonly search: MessageSearch;
  readonly requests: Requests;
  readonly approvals: Approvals;
  readonly devices: Devices;
  readonly sessions: Sessions;
  readonly #gateway: Gateway;
  #listeners = new Set<Listener>();
  #chats = new Map<string, ChatSession>();
  #mainKey = 'agent:main:main';
  #agentId = 'main';
  #readUpTo = '';

  constructor() {
    const url = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/`;
    const credentials = new Credentials(url);
    const token = takeTokenFromFragment(location, history);
    if (token) credentials.saveToken(token);
    const setup = takeSetupFromFragment(location, history);
    this.#gateway = new Gateway(
      { url, credentials, identity: loadIdentity, version: __APP_VERSION__ },
      { state: (state) => this.#onState(state), event: (name, payload) => this.#onEvent(name, payload), gap: () => this.#onGap() },
    );
    if (setup) this.#gateway.useSetup(setup);
    this.sessions = new Sessions(this.#gateway);
    this.approvals = new Approvals(this.#gateway);
    this.devices = new Devices(this.#gateway);
    this.search = new MessageSearch(this);
    this.requests = new Requests(this.approvals, this.devices, new NodeRequests(this.#gateway), new Strangers(this.#gateway), () => this.router.page);
    this.requests.asked = (request) => this.#tellRequest(request);
    this.approvals.onExpired = (approval) => this.toasts.show(words.expired(approval.what.slice(0, EXPIRED_CHARS)), { bad: true });
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
      const setup = takeSetupFromFragment(location, history);
      if (setup) this.#gateway.useSetup(setup);
    });
    this.#gateway.start();
  }

  useToken(token: string): void {
    this.#gateway.useToken(token);
  }

  reconnect(): void {
    this.#gateway.reconnectNow();
  }

  /** Opens a chat, at a message of it if one is named. */
  select(key: string, at?: string): void {
    this.router.open(CHAT, { ...(key === this.#mainKey ? {} : { [SESSION_PARAMETER]: key }), ...(at ? { [MESSAGE_PARAMETER]: at } : {}) });
    this.#show(key);
  }

  /** The address of a chat, to be kept or sent. */
  addressOf(key: string): string {
    return `./${key === this.#mainKey ? '' : `?${new URLSearchParams({ [SESSION_PARAMETER]: key }).toString()}`}`;
  }

  newSession(): void {
    const bytes = crypto.getRandomValues(new Uint8Array(NEW_KEY_BYTES));
    const suffix = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    const key = `agent:${this.#agentId}:web-${suffix}`;
    this.#chats.set(key, new ChatSession(key, { gateway: this.#gateway }, true));
    this.select(key);
  }

  /** Opens a file the gateway keeps, beside this page. */
  openKept(source: string): Promise<void> {
    return this.attempt(async () => {
      open(await addressOfKept(source, this.#gateway.bearer), '_blank', 'noopener');
    });
  }

  rename(key: string, label: string): Promise<void> {
    return this.attempt(() => this.sessions.rename(key, label));
  }

  /** The assistant forgets the conversation; that can be taken back. */
  reset(key: string): Promise<void> {
    const title = this.titleOf(key);
    return this.attempt(async () => {
      await this.sessions.reset(key);
      await this.#reload(key);
      this.toasts.show(words.wasReset(title), { about: key, act: { label: words.undo, run: () => this.restore(key) } });
    });
  }

  /** Takes a chat out of the list; that can be taken back. */
  remove(key: string): Promise<void> {
    const title = this.titleOf(key);
    return this.attempt(async () => {
      await this.sessions.remove(key);
      this.#chats.delete(key);
      const shown = this.chat?.key === key;
      if (shown) this.select(this.#mainKey);
      const undo = async (): Promise<void> => {
        await this.restore(key);
        if (shown) this.select(key);
      };
      this.toasts.show(words.deleted(title), { about: key, act: { label: words.undo, run: undo } });
    });
  }

  archive(key: string, archived: boolean): Promise<void> {
    const title = this.titleOf(key);
    return this.attempt(async () => {
      await this.sessions.patch(key, { archived });
      if (archived) this.toasts.show(words.archived(title), { about: key, act: { label: words.undo, run: () => this.archive(key, false) } });
    });
  }

  restore(key: string, sessionId?: string): Promise<void> {
    return this.attempt(async () => {
      await this.sessions.restore(key, sessionId);
      await this.#reload(key);
      this.toasts.show(words.restored(this.titleOf(key)), { about: key });
    });
  }

  /** Stops every run there is, wherever. */
  stopAll(): Promise<void> {
    return this.attempt(async () => {
      const list = await this.request('sessions.list', { activeOnly: true, archived: 'all', limit: 1000 });
      const keys = (list.sessions ?? []).map((row) => row.key);
      await Promise.all(keys.map((key) => this.request('sessions.abort', { key })));
      this.toasts.show(words.stoppedAll(keys.length));
    });
  }

  readAll(): Promise<void> {
    return this.attempt(async () => {
      for (const row of this.sessions.unread) await this.sessions.patch(row.key, { unread: false });
      this.toasts.show(words.allRead);
    });
  }

  titleOf(key: string): string {
    const row = this.sessions.row(key);
    return row ? sessionTitle(row, this.sessions.parentOf(row)) : this.isMain(key) ? strings.mainSession : strings.newSessionTitle;
  }

  /** How much waits for the person: requests, and chats with something new that are not looked at. */
  get attention(): number {
    const unread = this.sessions.unread.filter((row) => row.key !== this.chat?.key || this.router.page !== CHAT);
    return this.requests.all.length + unread.length;
  }

  /** Stands before the page's title. */
  get titleBadge(): string {
    return titleBadge(this.attention);
  }

  /** Keeps the icon's number and what was read up to date. Call in an effect. */
  keepNumbers(): void {
    setAppBadge(this.attention);
  }

  /** What is looked at is read. Call in an effect. */
  markRead(visible: boolean): void {
    const key = this.chat?.key;
    const row = key ? this.sessions.row(key) : undefined;
    if (!visible || !row?.unread || row.hasActiveRun || this.router.page !== CHAT || this.connection.kind !== 'ready') return;
    const upTo = `${row.key} ${row.lastActivityAt ?? row.updatedAt ?? 0}`;
    if (this.#readUpTo === upTo) return;
    this.#readUpTo = upTo;
    this.sessions.patch(row.key, { unread: false }).catch(() => undefined);
  }

  /** A newer page is there; said once until it is taken. */
  offerReload(): void {
    if (this.toasts.list.some((toast) => toast.text === words.updateReady)) return;
    this.toasts.show(words.updateReady, { stays: true, act: { label: words.reload, run: () => location.reload() } });
  }

  isMain(key: string): boolean {
    return key === this.#mainKey;
  }

  /** Does something the person asked for; what goes wrong is said. */
  async attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.notice = strings.actionFailed(error instanceof Error ? error.message : String(error));
    }
  }

  async #reload(key: string): Promise<void> {
    const chat = this.#chats.get(key);
    chat?.clear();
    await chat?.refresh();
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
    if (this.connection.kind !== 'ready') return;
    void this.sessions.ensure(key);
    if (fresh || !chat.loaded) void chat.connected();
  }

  #onState(state: ConnectionState): void {
    this.connection = state;
    if (state.kind !== 'ready') return;
    this.admitted = true;
    this.suspension = undefined;
    const version = stringOf(fieldsOf(state.hello.server).version) ?? '';
    // Another version came back than went away: this page may not fit it.
    if (this.serverVersion && version !== this.serverVersion) this.offerReload();
    this.serverVersion = version;
    const defaults = fieldsOf(fieldsOf(state.hello.snapshot).sessionDefaults);
    this.#mainKey = stringOf(defaults.mainSessionKey) ?? this.#mainKey;
    this.#agentId = stringOf(defaults.defaultAgentId) ?? this.#agentId;
    // A gateway without subscriptions still answers lists; the page asks again after each run.
    this.#gateway.request('sessions.subscribe', {}).catch(() => undefined);
    void this.sessions.relearn();
    void this.sessions.refreshGroups();
    this.requests.refresh();
    if (!this.chat) this.#show(this.#keyInAddress() ?? this.#mainKey);
    else for (const chat of this.#chats.values()) void chat.connected();
    this.#tell('connected', undefined);
  }

  #onGap(): void {
    void this.sessions.relearn();
    this.requests.refresh();
    for (const chat of this.#chats.values()) chat.refreshSoon();
    this.#tell('gap', undefined);
  }

  #tell(name: string, payload: unknown): void {
    for (const listener of this.#listeners) listener(name, payload);
  }

  #onEvent(name: string, payload: unknown): void {
    this.#tell(name, payload);
    if (!isFields(payload)) return;
    if (this.requests.onEvent(name, payload)) return;
    if (name === 'gateway.suspension' && (payload.phase === 'draining' || payload.phase === 'prepared')) this.suspension = payload.phase;
    if (name === 'sessions.changed') {
      this.sessions.onChanged(payload);
      // Gone back in, or branched, perhaps by somebody else.
      if (payload.reason === 'rewind') void this.#chats.get(stringOf(payload.sessionKey) ?? '')?.turned();
      return;
    }
    const key = stringOf(payload.sessionKey);
    if (name === 'chat' && payload.state !== 'delta' && payload.state !== 'status' && key) {
      this.sessions.touch(key);
      this.#tellEnd(key, payload);
    }
    const chat = key ? this.#chats.get(key) : undefined;
    if (!chat) return;
    if (name === 'chat' && typeof payload.runId === 'string') chat.onChat(payload as unknown as ChatEvent);
    else if ((name === 'agent' || name === 'session.tool') && typeof payload.runId === 'string' && isFields(payload.data)) {
      chat.onAgent(payload as unknown as AgentEvent);
    } else if (name === 'session.message' && isFields(payload.message)) {
      chat.onMessage(payload as unknown as SessionMessageEvent);
    }
  }

  /** Whether the person sees this chat right now. */
  #inView(key: string): boolean {
    return !document.hidden && document.hasFocus() && this.router.page === CHAT && this.chat?.key === key;
  }

  #tellEnd(key: string, payload: Record<string, unknown>): void {
    const row = this.sessions.row(key);
    const body = endOfRun(payload.state, textOf(fieldsOf(payload.message).content));
    if (body === undefined || row?.isBackground || this.#inView(key)) return;
    this.notifier.tell({ title: this.titleOf(key), body, tag: `chat ${key}`, open: () => this.select(key), address: this.addressOf(key) });
  }

  #tellRequest(request: Request): void {
    if (!document.hidden && document.hasFocus()) return;
    const open = (): void => this.requests.show(request.id);
    const tell = (title: string, body: string): void => this.notifier.tell({ title, body, tag: `request ${request.id}`, open, address: './' });
    if (request.kind === 'approval') tell(words.notifyApproval, `${request.asked.tool}: ${request.asked.what}`);
    else if (request.kind === 'device') tell(words.notifyDevice, request.asked.name);
    else if (request.kind === 'node') tell(words.notifyNode, request.asked.name);
    else tell(words.notifyStranger(request.asked.channelLabel), request.asked.name);
  }
}
