// One session as the page knows it: its history, the runs going on in it, and what was
// sent but not yet confirmed. Events move it forward; after any doubt (gap, reconnect,
// end of a run) it fetches the history again, which wins.
import { dataUrl, canPreview } from '../composer/attachments';
import { loadDraft, loadWaiting, saveDraft, saveWaiting } from '../composer/drafts';
import { type Gateway, GatewayError } from '../connection/gateway';
import { beginsAmidRun, StoredHistory } from './history';
import { Lines, nextFrame } from './lines.svelte';
import { LiveRun, readTrouble, type Trouble } from './live_run';
import { type BadEnd, merged } from './merge';
import { type TurnUsage, turnUsage } from '../composer/meters';
import { newId, type Outgoing, wireOf } from '../composer/outgoing';
import { type Pending, readPending, runOfSteered } from '../composer/queue';
import { fieldsOf, stringOf, textOf } from '../read';
import { strings } from '../strings';
import { errorId, type Item, itemsFromHistory, noteId, userId, userItem, type UserItem } from './transcript';
import type { AgentEvent, ChatEvent, ChatHistoryResult, SessionMessageEvent } from '../connection/wire';

/** How many messages are asked for at first and after a change; and how many more when somebody scrolls up. */
const HISTORY_FIRST = 60;
const HISTORY_MORE = 400;
/** The most one answer may hold: for going far back at once. */
const HISTORY_FAR = 1000;
/** More than this is let go of while the newest are read, so that a page left open does not grow. */
const HISTORY_KEPT = 800;
/** Waits this long for more reasons to refetch before refetching. */
const REFRESH_DELAY_MS = 120;
/** How many finished runs are remembered, so that their stragglers revive nothing. */
const ENDED_MAX = 64;

export interface ModelFacts {
  provider: string | undefined;
  model: string | undefined;
}

export interface ChatOptions {
  gateway: Pick<Gateway, 'request'>;
  /** Runs a screen update soon; deltas arriving before then are drawn together. */
  schedule?: (draw: () => void) => void;
  newRunId?: () => string;
}

export class ChatSession {
  loading = $state(false);
  loaded = $state(false);
  problem = $state<string | undefined>();
  hasMore = $state(false);
  loadingEarlier = $state(false);
  model = $state.raw<ModelFacts>({ provider: undefined, model: undefined });
  tokens = $state.raw<{ used: number | undefined; limit: number | undefined }>({ used: undefined, limit: undefined });
  /** What the newest run is doing, while it runs and says nothing yet. */
  phase = $state<string | undefined>();
  /** Why it takes long, where a model failed and another attempt is made. */
  trouble = $state.raw<Trouble | undefined>();
  running = $state(false);
  stopping = $state(false);
  draft = $state('');
  /** Whether the newest messages are being read; then old ones need not be held. */
  atEnd = true;
  /** What was said while a run was under way and has not been begun. */
  pending = $state.raw<readonly Pending[]>([]);
  /** Whether the model can be shown pictures, where that is known. */
  modelSees = $state<boolean | undefined>();
  /** What the newest turn used. */
  turn = $state.raw<TurnUsage | undefined>();
  thinkingLevel = $state<string | undefined>();
  thinkingLevels = $state.raw<readonly unknown[] | undefined>();
  thinkingDefault = $state<string | undefined>();

  /** What goes with messages that are not acknowledged yet. */
  #outgoing = new Map<string, Outgoing>();
  #runs = new Map<string, LiveRun>();
  /** Runs that ended badly; the history may not hold what they said, so this page keeps it. */
  #broken = new Map<string, BadEnd>();
  #ended = new Set<string>();
  #drawn = new Set<string>();
  readonly #history = new StoredHistory();
  readonly #lines = new Lines();
  #fetching: Promise<void> | undefined;
  #earlier: Promise<boolean> | undefined;
  #again = false;
  #refreshTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly key: string,
    private readonly options: ChatOptions,
    /** A key made in this page: the gateway does not know it before the first message. */
    private readonly isNew = false,
  ) {
    this.draft = loadDraft(key);
    this.loaded = isNew;
    const waiting = loadWaiting(key);
    this.#lines.all = waiting.map(({ runId, text, at }) => ({ kind: 'user', id: userId(runId), runId, text, images: [], at, state: 'waiting' }));
  }

  get items(): readonly Item[] {
    return this.#lines.all;
  }

  setDraft(text: string): void {
    this.draft = text;
    saveDraft(this.key, text);
  }

  /** Sends a message. Its run id is also its idempotency key, so sending it again is harmless. */
  send(text: string, more: Outgoing = {}): void {
    const message = text.trim();
    const files = more.files ?? [];
    if (!message && files.length === 0) return;
    const runId = this.options.newRunId?.() ?? newId();
    this.#outgoing.set(runId, more);
    if (this.running) this.pending = [...this.pending, { runId, text: message, files: files.length, steer: more.mode === 'steer', own: true }];
    else this.#appendSent(runId, message);
    void this.#transmit(runId, message);
  }

  /** Tries a failed or waiting message again, under the same key. */
  resend(item: UserItem): void {
    if (item.runId && item.state !== 'sending') void this.#transmit(item.runId, item.text);
  }

  /** Takes back a message that waits; its words are handed over. False when it was begun meanwhile. */
  async takeBack(waiting: Pending): Promise<boolean> {
    const { aborted } = await this.options.gateway.request('chat.abort', { sessionKey: this.key, runId: waiting.runId });
    if (aborted) this.#unqueue(waiting.runId);
    else await this.refresh();
    return aborted;
  }

  /** The conversation went on from another place: what is known of runs that were left is forgotten. */
  async turned(): Promise<void> {
    this.#broken.clear();
    await this.refresh();
  }

  #appendSent(runId: string, text: string): void {
    const images = (this.#outgoing.get(runId)?.files ?? []).filter(canPreview).map(dataUrl);
    this.#lines.append({ kind: 'user', id: userId(runId), runId, text, images, at: Date.now(), state: 'sending' });
  }

  /** A message that waited is begun, or gone. */
  #unqueue(runId: string | undefined): Pending | undefined {
    const waiting = this.pending.find((other) => other.runId === runId);
    if (waiting) this.pending = this.pending.filter((other) => other !== waiting);
    return waiting;
  }

  /** The run of a message that waited says something: from now on it is part of the conversation. */
  #begin(runId: string): void {
    const waiting = this.#unqueue(runId);
    if (!waiting || this.#lines.find(userId(runId))) return;
    this.#appendSent(runId, waiting.text);
    this.#mark(runId, 'sent');
  }

  async abort(): Promise<void> {
    if (!this.running || this.stopping) return;
    this.stopping = true;
    // What waits is stopped as well; its words go back to where they were written.
    const words = this.pending.map((waiting) => waiting.text).filter(Boolean);
    if (words.length > 0) this.setDraft([this.draft.trim(), ...words].filter(Boolean).join('\n\n'));
    try {
      const result = await this.options.gateway.request('chat.abort', { sessionKey: this.key });
      // Nothing was running after all: the end was missed, so look.
      if (!result.aborted) await this.refresh();
    } catch {
      // The connection banner says what is wrong; the button can be pressed again.
    } finally {
      this.stopping = false;
    }
  }

  /** Connected, or connected again: fetch what happened and send what could not be sent. */
  async connected(): Promise<void> {
    if (!this.isNew || this.items.length > 0) await this.refresh();
    for (const item of this.items) {
      if (item.kind === 'user' && item.state === 'waiting') this.resend(item);
    }
  }

  /** Fetches the messages above those held; tells whether there were any. */
  loadEarlier(limit = HISTORY_MORE): Promise<boolean> {
    if (!this.hasMore) return Promise.resolve(false);
    this.#earlier ??= this.#fetchEarlier(limit).finally(() => (this.#earlier = undefined));
    return this.#earlier;
  }

  async #fetchEarlier(limit: number): Promise<boolean> {
    this.loadingEarlier = true;
    const offset = this.#history.olderOffset;
    try {
      const page = await this.options.gateway.request('chat.history', { sessionKey: this.key, limit, offset });
      // What was asked for may be another conversation by now.
      const found = this.#history.size > 0 && this.#history.adoptOlder(page, offset) > 0;
      this.#showStored();
      return found;
    } catch (error) {
      if (!(error instanceof GatewayError && error.isUnanswered)) this.problem = error instanceof Error ? error.message : String(error);
      return false;
    } finally {
      this.loadingEarlier = false;
    }
  }

  /** Goes back until a message is held; tells whether it was found. */
  async loadUntil(messageId: string): Promise<boolean> {
    while (!this.#history.holds(messageId)) {
      if (!(await this.loadEarlier(HISTORY_FAR))) return false;
    }
    return true;
  }

  #showStored(): void {
    this.#lines.all = this.#merged(itemsFromHistory(this.#history.messages(), new Set(this.#runs.keys())));
    this.hasMore = this.#history.hasMore;
  }

  /** Forgets everything shown: the session was reset under the same key. */
  clear(): void {
    this.#runs.clear();
    this.#broken.clear();
    this.#history.clear();
    this.#lines.all = [];
    this.#settleRunning();
  }

  refreshSoon(): void {
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = setTimeout(() => void this.refresh(), REFRESH_DELAY_MS);
  }

  /** Fetches the history; calls while one is under way share one more fetch after it. */
  refresh(): Promise<void> {
    clearTimeout(this.#refreshTimer);
    if (this.#fetching) {
      this.#again = true;
      return this.#fetching;
    }
    this.#fetching = this.#fetch().finally(() => {
      this.#fetching = undefined;
      if (this.#again) {
        this.#again = false;
        void this.refresh();
      }
    });
    return this.#fetching;
  }

  onChat(event: ChatEvent): void {
    if (this.#ended.has(event.runId)) return;
    if (event.state === 'status' || event.state === 'delta') this.#begin(event.runId);
    if (event.state === 'status') {
      this.#run(event.runId).phase = event.phase;
      this.#settleRunning();
    } else if (event.state === 'delta') {
      this.#onDelta(event);
    } else {
      this.#onEnd(event);
    }
  }

  onAgent(event: AgentEvent): void {
    const { runId, data } = event;
    if (this.#ended.has(runId) && data.phase !== 'result') return;
    switch (event.stream) {
      case 'tool':
        this.#onTool(runId, data, event.ts);
        break;
      case 'thinking':
        this.#lines.thinking(this.#run(runId), data);
        break;
      case 'lifecycle':
        if (data.phase === 'model' && stringOf(data.model)) {
          this.model = { provider: stringOf(data.provider), model: stringOf(data.model) };
        } else if (data.phase === 'fallback' && this.#runs.has(runId)) {
          this.#run(runId).trouble = readTrouble(data, Date.now());
          this.#settleRunning();
        }
        break;
      case 'approval':
        if (this.#runs.has(runId)) this.#run(runId).phase = data.phase === 'requested' ? 'awaiting_approval' : undefined;
        this.#settleRunning();
        break;
      case 'compaction':
        if (this.#runs.has(runId)) this.#run(runId).phase = data.phase === 'start' ? 'compacting' : undefined;
        this.#settleRunning();
        if (data.phase === 'end') this.refreshSoon();
        break;
      default:
        break;
    }
  }

  onMessage(event: SessionMessageEvent): void {
    if (fieldsOf(event.message).role !== 'user') {
      if (this.#runs.size === 0) this.refreshSoon();
      return;
    }
    const item = userItem(event.message, `m:${event.messageId ?? newId()}`);
    this.#unqueue(item.runId ?? runOfSteered(event.message));
    const known = this.#lines.find(item.id);
    if (known?.kind === 'user') this.#lines.put({ ...known, state: 'sent' });
    else this.#lines.append(item);
  }

  async #fetch(): Promise<void> {
    this.loading = true;
    const before = new Set([...this.#runs.values()].filter((run) => run.acknowledged).map((run) => run.runId));
    try {
      let history = await this.options.gateway.request('chat.history', { sessionKey: this.key, limit: HISTORY_FIRST });
      if (this.#history.leavesHole(history) || beginsAmidRun(history)) {
        history = await this.options.gateway.request('chat.history', { sessionKey: this.key, limit: HISTORY_FAR });
      }
      this.#adopt(history, before);
      this.problem = undefined;
      this.loaded = true;
    } catch (error) {
      if (error instanceof GatewayError && error.isUnanswered) return;
      if (this.isNew && this.items.length === 0) this.loaded = true;
      else this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      this.loading = false;
    }
  }

  /** Takes a fetched history over. `before` are the runs known when it was asked for. */
  #adopt(history: ChatHistoryResult, before: ReadonlySet<string>): void {
    const info = history.sessionInfo ?? {};
    const active = new Set(info.activeRunIds ?? []);
    const flight = history.inFlightRun;
    if (flight?.runId) active.add(flight.runId);
    const unsure = info.hasActiveRun === true && active.size === 0;
    for (const runId of before) {
      if (active.has(runId) || unsure) continue;
      this.#runs.delete(runId);
      this.#broken.set(runId, 'interrupted');
    }
    for (const runId of active) this.#run(runId).acknowledged = true;
    this.#history.adoptNewest(history);
    if (this.atEnd && !this.loadingEarlier && this.#history.size > HISTORY_KEPT) this.#history.trim(HISTORY_FIRST * 3);
    const stored = itemsFromHistory(this.#history.messages(), new Set(this.#runs.keys()));
    if (flight?.runId && flight.text) {
      const segments = stored.flatMap((item) => (item.kind === 'text' && item.runId === flight.runId ? [item.text] : []));
      this.#run(flight.runId).resume(flight.text, segments);
    }
    this.#lines.all = this.#merged(stored);
    this.pending = readPending(history.pendingInputs, this.pending, new Set(stored.map((item) => item.id)));
    for (const runId of this.#runs.keys()) this.#drawText(runId);
    this.hasMore = this.#history.hasMore;
    this.#adoptFacts(history);
    this.#settleRunning();
  }

  #adoptFacts(history: ChatHistoryResult): void {
    const { sessionInfo: info, defaults } = history;
    this.model = { provider: info?.modelProvider ?? defaults?.modelProvider ?? undefined, model: info?.model ?? defaults?.model ?? undefined };
    this.thinkingLevel = history.thinkingLevel ?? undefined;
    this.thinkingLevels = defaults?.thinkingLevels ?? undefined;
    this.thinkingDefault = defaults?.thinkingDefault ?? undefined;
    this.turn = turnUsage(history.messages ?? []);
    this.tokens = { used: info?.totalTokens ?? undefined, limit: info?.contextTokens ?? defaults?.contextTokens ?? undefined };
  }

  async #transmit(runId: string, message: string): Promise<void> {
    this.#ended.delete(runId);
    this.#mark(runId, 'sending');
    const run = this.#run(runId);
    this.#settleRunning();
    try {
      const answer = await this.options.gateway.request('chat.send', { sessionKey: this.key, message, idempotencyKey: runId, ...wireOf(this.#outgoing.get(runId)) });
      this.#outgoing.delete(runId);
      run.acknowledged = true;
      this.#mark(runId, 'sent');
      if (answer.status !== 'started' && answer.status !== 'in_flight') this.#finish(runId);
    } catch (error) {
      this.#runs.delete(runId);
      this.#settleRunning();
      const unanswered = error instanceof GatewayError && error.isUnanswered;
      const waiting = this.#unqueue(runId);
      if (waiting) this.#appendSent(runId, waiting.text);
      this.#mark(runId, unanswered ? 'waiting' : 'failed', error instanceof Error ? error.message : String(error));
    }
  }

  #mark(runId: string, state: UserItem['state'], error?: string): void {
    const item = this.#lines.find(userId(runId));
    if (item?.kind !== 'user') return;
    const { error: _, ...rest } = item;
    this.#lines.put(error === undefined ? { ...rest, state } : { ...rest, state, error });
    this.#keepWaiting();
  }

  /** Keeps what waits for the gateway over a reload; files are too large for that. */
  #keepWaiting(): void {
    const kept = this.items.flatMap((item) =>
      item.kind === 'user' && item.runId && item.state === 'waiting' && !this.#outgoing.get(item.runId)?.files?.length ? [{ runId: item.runId, text: item.text, at: item.at }] : [],
    );
    saveWaiting(this.key, kept);
  }

  #run(runId: string): LiveRun {
    const known = this.#runs.get(runId);
    if (known) return known;
    const run = new LiveRun(runId);
    this.#runs.set(runId, run);
    // Someone else started it (another tab, a channel): their words are in the history.
    if (!this.#lines.find(userId(runId)) && !this.pending.some((waiting) => waiting.runId === runId)) {
      run.acknowledged = true;
      this.refreshSoon();
    }
    return run;
  }

  #onDelta(event: ChatEvent): void {
    const run = this.#run(event.runId);
    run.acknowledged = true;
    run.trouble = undefined;
    const whole = textOf(event.message?.content);
    if (whole) run.replace(whole);
    else if (event.replace) run.replace(event.deltaText ?? '');
    else run.append(event.deltaText ?? '');
    this.#lines.endThought(run);
    if (this.#drawn.has(run.runId)) return;
    this.#drawn.add(run.runId);
    (this.options.schedule ?? nextFrame)(() => {
      if (this.#drawn.delete(run.runId)) this.#drawText(run.runId);
    });
  }

  #onEnd(event: ChatEvent): void {
    const { runId } = event;
    const whole = textOf(event.message?.content);
    if (this.#unqueue(runId)) {
      // Taken back, handed to the run under way, or stopped before it began: it has nothing to say here.
      this.#finish(runId);
      return;
    }
    if (whole || this.#runs.has(runId)) {
      const run = this.#run(runId);
      if (whole) run.replace(whole);
      this.#lines.endThought(run);
      this.#drawText(runId, event.state === 'aborted' ? 'aborted' : undefined);
      if (event.state === 'aborted' && !run.current.trim()) {
        this.#lines.append({ kind: 'note', id: noteId(runId), runId, text: strings.stopped });
      }
    }
    if (event.state === 'aborted' || event.state === 'error') this.#broken.set(runId, event.state);
    if (event.state === 'error') {
      this.#lines.append({ kind: 'error', id: errorId(runId), runId, text: event.errorMessage ?? '' });
    }
    this.#finish(runId);
  }

  #finish(runId: string): void {
    this.#drawn.delete(runId);
    this.#runs.delete(runId);
    this.#ended.add(runId);
    for (const oldest of this.#ended) {
      if (this.#ended.size <= ENDED_MAX) break;
      this.#ended.delete(oldest);
    }
    this.#lines.settle(runId);
    this.#settleRunning();
    this.refreshSoon();
  }

  #drawText(runId: string, ending?: 'aborted'): void {
    const run = this.#runs.get(runId);
    if (run && this.#lines.text(run, this.model.model, ending)) this.#settleRunning();
  }

  #onTool(runId: string, data: Record<string, unknown>, at: number | undefined): void {
    const callId = stringOf(data.toolCallId);
    if (!callId) return;
    if (data.phase === 'result') {
      this.#lines.toolResult(runId, callId, data, at);
      return;
    }
    const run = this.#run(runId);
    this.#drawText(runId);
    this.#lines.toolCall(run, callId, data, at);
  }

  #merged(stored: readonly Item[]): readonly Item[] {
    return merged(stored, this.items, { isLive: (runId) => runId !== undefined && this.#runs.has(runId), endOf: (runId) => this.#broken.get(runId) });
  }

  #settleRunning(): void {
    const runs = [...this.#runs.values()];
    this.running = runs.length > 0;
    this.phase = runs.at(-1)?.phase;
    this.trouble = runs.at(-1)?.trouble;
  }
}
